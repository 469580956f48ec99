"""Findings of scaled values in the values' own unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import log
from typing import overload

import numpy as np

from reportgen.methods import MethodName
from reportgen.sections.inference.result import (
    Diagnostics,
    Effect,
    MeasureInference,
    Method,
    MixedModel,
    NewData,
)
from reportgen.stats.scaling import scaled

Interval = tuple[float, float]

OF_RANKS: tuple[MethodName, ...] = ("joint-ranks", "closed-ranks", "aligned-ranks")
"""Methods whose estimates have no unit."""


def in_unit(found: MeasureInference, exponent: int) -> MeasureInference:
    """Return the findings of values that were divided by a power of two.

    `found`: of the scaled values; ratios, p-values and decisions are those of the values
    themselves.
    `exponent`: of that power.
    """
    if not exponent:
        return found
    found, method = found.rescaled(exponent), found.deciding_method
    return replace(
        found,
        deciding_method=method and replace(method, pairs=found.pairs),
        mixed_model=found.mixed_model and _of_model(found.mixed_model, exponent),
        methods={name: _of_method(m, exponent) for name, m in found.methods.items()},
        many_to_one=found.many_to_one
        and replace(found.many_to_one, pairs=found.many_to_one.pairs.rescaled(exponent)),
        new_data=found.new_data and _of_new_data(found.new_data, exponent),
        effects=tuple(_of_effect(effect, exponent) for effect in found.effects),
        diagnostics=found.diagnostics and _of_diagnostics(found.diagnostics, exponent),
    )


def _of_method(method: Method, exponent: int) -> Method:
    if method.name in OF_RANKS:
        return method
    return replace(method, pairs=method.pairs.rescaled(exponent))


def _of_new_data(found: NewData, exponent: int) -> NewData:
    is_ratio = found.pairs is not None and found.pairs.scale == "ratio"
    components = found.components
    return replace(
        found,
        pairs=found.pairs and found.pairs.rescaled(exponent),
        components=components if is_ratio else components and components.rescaled(exponent),
    )


def _of_model(model: MixedModel, exponent: int) -> MixedModel:
    n_free = sum(model.n_values.values()) - len(model.coefficients)
    return replace(
        model,
        coefficients=numbers_in_unit(model.coefficients, exponent),
        standard_errors=numbers_in_unit(model.standard_errors, exponent),
        sigma=number_in_unit(model.sigma, exponent),
        sigma_block=number_in_unit(model.sigma_block, exponent),
        reml_criterion=model.reml_criterion + 2 * n_free * exponent * log(2),
        sigma_interval=interval_in_unit(model.sigma_interval, exponent),
        sigma_block_interval=interval_in_unit(model.sigma_block_interval, exponent),
    )


def _of_effect(effect: Effect, exponent: int) -> Effect:
    return replace(
        effect,
        difference=number_in_unit(effect.difference, exponent),
        difference_interval=interval_in_unit(effect.difference_interval, exponent),
    )


def _of_diagnostics(found: Diagnostics, exponent: int) -> Diagnostics:
    spread = found.spread
    if spread is not None:
        deviations = spread.standard_deviations
        spread = replace(spread, standard_deviations=numbers_in_unit(deviations, exponent))
    return replace(
        found,
        block_effects=tuple(number_in_unit(x, exponent) for x in found.block_effects),
        spread=spread,
    )


@overload
def numbers_in_unit(values: Mapping[str, float], exponent: int) -> dict[str, float]: ...
@overload
def numbers_in_unit(
    values: Mapping[str, float | None], exponent: int
) -> dict[str, float | None]: ...
def numbers_in_unit(
    values: Mapping[str, float | None] | Mapping[str, float], exponent: int
) -> dict[str, float | None] | dict[str, float]:
    """Return numbers that were divided by a power of two in their own unit."""
    return {name: None if x is None else number_in_unit(x, exponent) for name, x in values.items()}


@overload
def interval_in_unit(bounds: Interval, exponent: int) -> Interval: ...
@overload
def interval_in_unit(bounds: Interval | None, exponent: int) -> Interval | None: ...
def interval_in_unit(bounds: Interval | None, exponent: int) -> Interval | None:
    """Return an interval, where there is one, in its own unit."""
    if bounds is None:
        return None
    return number_in_unit(bounds[0], exponent), number_in_unit(bounds[1], exponent)


def number_in_unit(x: float, exponent: int) -> float:
    """Return a number that was divided by a power of two in its own unit."""
    return float(scaled(np.array(x), exponent))
