"""What a row of the table of data sets says beside the means: sizes, baseline, standard errors."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, ldexp, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.measures import chance
from reportgen.warehouse import Performances, Warehouse

SIZES = ("obs.n", "n", "n_observations", "observations", "n_instances", "instances", "n_samples")
CLASSES = ("resp.cl", "n_classes", "classes")


def describe_dataset(
    warehouse: Warehouse, dataset: str, measure: str, *, is_many: bool = False
) -> dict[str, Any]:
    """Return the fields of a row that are known of the data set itself.

    `is_many`: whether data sets are so many that nobody reads standard errors.
    """
    facts = warehouse.facts.get(dataset, {})
    baselines = facts.get("baseline")
    known = baselines.get(measure) if isinstance(baselines, Mapping) else None
    n_classes = _size(warehouse, dataset, "n_classes", CLASSES)
    return {
        "n_observations": _size(warehouse, dataset, "n_observations", SIZES),
        "n_classes": n_classes,
        "baseline": chance(measure, n_classes) if known is None and n_classes else known,
        "standard_errors": {}
        if is_many
        else standard_errors(warehouse.performances(dataset, measure)),
    }


def standard_errors(own: Performances) -> dict[str, float]:
    """Return the standard error of each candidate's mean that is of two values or more.

    Items of a cluster count together: the error is that of the clusters' sums. Of a summary it is
    the standard deviation over the root of the number of values.
    """
    if own.deviations.size:
        return {
            name: float(sd) / sqrt(n)
            for name, sd, n in zip(own.candidates, own.deviations, own.n_values, strict=True)
            if isfinite(sd) and n > 1
        }
    found = {}
    for name, column in zip(own.candidates, own.values.T, strict=True):
        has_value = np.isfinite(column)
        error = _error(column[has_value], None if own.clusters is None else own.clusters[has_value])
        if error is not None:
            found[name] = error
    return found


def _error(values: NDArray[np.float64], clusters: NDArray[np.int64] | None) -> float | None:
    n = len(values)
    if n < 2:
        return None
    exponent = int(np.frexp(np.abs(values).max())[1])  # squares of large values are no numbers
    values = np.ldexp(values, -exponent)
    if clusters is None:
        return ldexp(float(values.std(ddof=1)) / sqrt(n), exponent)
    _, codes = np.unique(clusters, return_inverse=True)
    sums = np.bincount(codes, weights=values - values.mean())
    g = len(sums)
    return None if g < 2 else ldexp(sqrt(float(np.sum(sums**2)) * g / (g - 1)) / n, exponent)


def _size(warehouse: Warehouse, dataset: str, fact: str, names: tuple[str, ...]) -> int | None:
    """Return a size of a data set, of the execution or of a table of characteristics."""
    value: Any = warehouse.facts.get(dataset, {}).get(fact)
    if value is None:
        table = warehouse.characteristics
        name = next((c for c in table.columns if str(c).lower() in names), None)
        own = table[(table["dataset"] == dataset) & table["replication"].isna()] if name else table
        value = own[name].iloc[0] if name and len(own) else None
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() and number > 0 else None
