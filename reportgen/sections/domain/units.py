"""Findings over scaled values of a domain in the values' own unit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import log

import numpy as np

from reportgen.sections.domain.basis import DomainBasis
from reportgen.sections.domain.result import AcrossRanks, DomainFit, DomainVerdict, Effects
from reportgen.sections.inference.units import (
    interval_in_unit,
    number_in_unit,
    numbers_in_unit,
)
from reportgen.stats.scaling import scaled, scaled_squares
from reportgen.warehouse import Measure

Intervals = Mapping[str, tuple[float, float]]


def ranks_in_unit(found: AcrossRanks, exponent: int) -> AcrossRanks:
    """Return comparisons by ranks of values that were divided by a power of two.

    `found`: of the scaled values.
    `exponent`: of that power.
    """
    pairs = found.pairs
    if pairs is not None:
        apart = scaled(pairs.extra["mean_difference"], exponent)
        pairs = pairs.with_columns(mean_difference=apart)
    low, high = found.area
    return replace(
        found,
        area=(number_in_unit(low, exponent), number_in_unit(high, exponent)),
        pairs=pairs,
        means=numbers_in_unit(found.means, exponent),
    )


def verdict_in_unit(found: DomainVerdict, exponent: int, measure: Measure) -> DomainVerdict:
    """Return the verdict on values that were divided by a power of two.

    `found`: on the scaled values; ratios, p-values and decisions are those of the values
    themselves.
    `exponent`: of that power.
    `measure`: with the bounds of the values themselves.
    """
    values, filled = found.values, found.filled
    if values is not None:
        of_ratios = exponent * log(2)
        values, filled = (
            x + of_ratios if found.is_ratio else scaled(x, exponent) for x in (values, filled)
        )
    return replace(
        found.rescaled(exponent),
        measure=measure,
        intervals=_intervals(found.intervals, exponent),
        own_errors=found.own_errors
        if found.own_errors is None or found.is_ratio
        else found.own_errors.rescaled(exponent),
        errors=found.errors
        if found.errors is None or found.is_ratio
        else found.errors.rescaled(exponent),
        dataset_families=found.dataset_families
        and found.dataset_families.rescaled(lambda x: numbers_in_unit(x, exponent))
        if not found.is_ratio
        else found.dataset_families,
        influence=found.influence
        and tuple(
            replace(one, means_without=numbers_in_unit(one.means_without, exponent))
            for one in found.influence
        ),
        values=values,
        filled=filled,
    )


def basis_in_unit(basis: DomainBasis, exponent: int, measure: Measure) -> DomainBasis:
    """Return what models of scaled values rest on, with the values' own measure and area."""
    return replace(basis, measure=measure, relevance=interval_in_unit(basis.relevance, exponent))


def fit_in_unit(fit: DomainFit, basis: DomainBasis, exponent: int) -> DomainFit:
    """Return the model of values that were divided by a power of two.

    `fit`: of the scaled values.
    `basis`: what it rests on.
    `exponent`: of that power.
    """
    twice, criterion = 2 * exponent, fit.reml_criterion
    if criterion is not None:
        n_free = _n_modelled(basis) - len(fit.coefficients)
        criterion += n_free * twice * log(2)
    covariance = fit.covariance
    if covariance is not None:
        covariance = tuple(map(tuple, scaled_squares(np.array(covariance), exponent).tolist()))
    return replace(
        fit,
        verdict=fit.verdict.rescaled(exponent),
        standard_errors=numbers_in_unit(fit.standard_errors, exponent),
        intervals=_intervals(fit.intervals, exponent),
        variance=dict(zip(fit.variance, _squares(fit.variance.values(), exponent), strict=True)),
        variance_intervals={
            name: (low, high)
            for name, own in fit.variance_intervals.items()
            for low, high in [_squares(own, exponent)]
        },
        covariance=covariance,
        blups=Effects(
            numbers_in_unit(fit.blups.dataset, exponent),
            {d: numbers_in_unit(own, exponent) for d, own in fit.blups.interaction.items()},
        ),
        reml_criterion=criterion,
    )


def _n_modelled(basis: DomainBasis) -> int:
    """Return how many values, or means of them, the models are fitted to."""
    if basis.model == "mixed-model":
        return basis.n_values
    n_lacking = sum(map(len, basis.lacking.values()))
    return len(basis.datasets) * len(basis.candidates) - n_lacking


def _squares(squares: Iterable[float], exponent: int) -> list[float]:
    """Return variances in the unit of the values; NaN where no float is near them."""
    found: list[float] = scaled_squares(np.array([*squares]), exponent).tolist()
    return found


def _intervals(intervals: Intervals, exponent: int) -> dict[str, tuple[float, float]]:
    return {name: interval_in_unit(own, exponent) for name, own in intervals.items()}
