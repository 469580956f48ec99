"""The unit that a mixed model is fitted in: the fourth powers of its values are numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from math import frexp, log
from typing import Any, TypeVar

import numpy as np

from reportgen.stats.arrays import Array
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import Differences

LEAST, LARGEST = 1e-30, 1e30  # sizes of values that are fitted as they are

LINEAR = {"means", "standard_errors", "block_effects", "dataset_effects", "interaction_effects"}
SQUARED = {
    "variance",
    "block_variance",
    "dataset_variance",
    "interaction_variance",
    "replication_variance",
    "covariance",
}

Model = TypeVar("Model")


def fit_unit(values: Iterable[Array]) -> float:
    """Return what values are divided by before a fit: a power of two, or 1 for usual sizes.

    Examples
    --------
    >>> fit_unit([np.array([0.3, np.nan])]), fit_unit([np.array([5 * 2.0**200])]) == 2.0**203
    (1.0, True)
    """
    largest = max(float(np.nanmax(np.abs(x), initial=0.0)) for x in values)
    return 1.0 if largest == 0 or LEAST <= largest <= LARGEST else 2.0 ** frexp(largest)[1]


def in_unit(model: Model, unit: float, n_free: int) -> Model:
    """Return a model of values that were divided by a unit as that of the values.

    `n_free`: values less means, by which the REML criterion changes.
    """
    found: dict[str, Any] = {}
    for field in fields(model):  # type: ignore[arg-type]
        own = getattr(model, field.name)
        if own is None:
            continue
        if field.name in LINEAR:
            found[field.name] = own * unit
        elif field.name in SQUARED:
            found[field.name] = own * unit**2
        elif field.name == "component_errors":
            found[field.name] = {name: error * unit**2 for name, error in own.items()}
        elif field.name == "reml_criterion":
            found[field.name] = own + 2 * n_free * log(unit)
        elif isinstance(own, ParameterEstimates):
            apart = own.contrast_covariance
            found[field.name] = ParameterEstimates(
                own.coef * unit,
                own.covariance * unit**2,
                own.df,
                None if apart is None else apart * unit**2,
            )
        elif isinstance(own, Differences):
            found[field.name] = Differences(
                own.estimates * unit, own.standard_errors * unit, own.df
            )
    return replace(model, **found)  # type: ignore[type-var]
