r"""Characteristics of a data set: numbers that may decide which candidate does well on it.

Each maps a sample to a vector of any length, for instance one number per variable, and reduces
that to one number [1]_. What is undefined for a sample, as there is no variable of the kind, is
missing (not a number) and never zero.

References
----------
.. [1] M. J. A. Eugster (2011), "Benchmark Experiments: A Tool for Analyzing Statistical Learning
   Algorithms", dissertation, LMU Munich, section 5.2 and Table 5.1.
.. [2] R. D. King, C. Feng, A. Sutherland (1995), "StatLog: comparison of classification algorithms
   on large real-world problems", Applied Artificial Intelligence 9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.characteristics import landmarkers as marks
from reportgen.stats.characteristics import maps
from reportgen.stats.characteristics.maps import Sample


@dataclass(frozen=True, slots=True)
class Characterisation:
    """The computation of one characteristic."""

    name: str
    definition: str
    unit: str
    of: Callable[[Sample], Array]  # maps a sample to a vector of any length
    reduce: Callable[[Array], float]  # reduces a vector of one number or more to one number

    def __call__(self, sample: Sample) -> float:
        """Return the characteristic of a sample; not a number where it has none."""
        mapped = self.of(sample)
        mapped = mapped[np.isfinite(mapped)]
        return float(self.reduce(mapped)) if len(mapped) else np.nan


def mean(values: Array) -> float:
    """Reduce to the mean."""
    return float(values.mean())


def first(values: Array) -> float:
    """Reduce to the first number."""
    return float(values[0])


def total(values: Array) -> float:
    """Reduce to the sum."""
    return float(values.sum())


def least(values: Array) -> float:
    """Reduce to the smallest number."""
    return float(values.min())


def greatest(values: Array) -> float:
    """Reduce to the largest number."""
    return float(values.max())


def spread(values: Array) -> float:
    """Reduce to the standard deviation; missing with fewer than two numbers."""
    return float(values.std(ddof=1)) if len(values) > 1 else np.nan


def quantile(share: float) -> Callable[[Array], float]:
    """Return a reduction to a quantile (type 7), for a share from 0 to 1."""
    return partial(_quantile, share)


def histogram(low: float, high: float) -> Callable[[Array], float]:
    """Return a reduction to the share of the numbers in [low, high)."""
    return partial(_share_between, low, high)


def fraction_of_first(correlations: Array) -> float:
    """Reduce canonical correlations to the share of the first in the sum of their squares."""
    if len(correlations) == 1:
        return 1.0
    whole = float((correlations**2).sum())
    return float(correlations[0] ** 2 / whole) if whole > 0 else np.nan


def characterise(
    sample: Sample, chosen: Iterable[Characterisation] | None = None
) -> dict[str, float]:
    """Return characteristics of a sample by name.

    `chosen`: those of Table 5.1 when omitted (`TABLE_5_1`).
    Result: not a number where a characteristic is undefined for the sample.
    Raises ValueError if the parts of the sample differ in their numbers of rows, or it has none.

    Examples
    --------
    >>> rows = Sample(np.array([[0.0], [1.0], [2.0]]), np.zeros((3, 0), int), np.array([0, 0, 1]))
    >>> {name: round(x, 3) for name, x in characterise(rows).items() if name.startswith("resp")}
    {'resp.cl': 2.0, 'resp.entropy': 0.918}
    """
    parts = (sample.continuous, sample.nominal, sample.classes, sample.response)
    rows = {len(part) for part in parts if part is not None}
    if len(rows) != 1 or 0 in rows:
        raise ValueError(f"all parts of a sample need the same number of rows, got {sorted(rows)}")
    return {c.name: c(sample) for c in (TABLE_5_1 if chosen is None else chosen)}


def _quantile(share: float, values: Array) -> float:
    return float(np.quantile(values, share))


def _share_between(low: float, high: float, values: Array) -> float:
    return float(((values >= low) & (values < high)).mean())


TABLE_5_1 = (
    Characterisation("obs.n", "number of observations", "", maps.number_of_observations, first),
    Characterisation("var.n", "number of variables", "", maps.number_of_variables, first),
    Characterisation("nvar.n", "number of nominal variables", "", maps.number_of_nominal, first),
    Characterisation(
        "nvar.entropy", "mean entropy of the nominal variables", "bit", maps.nominal_entropies, mean
    ),
    Characterisation("nvar.bin", "number of binary variables", "", maps.number_of_binary, first),
    Characterisation(
        "cvar.n", "number of continuous variables", "", maps.number_of_continuous, first
    ),
    Characterisation(
        "cvar.mac",
        "mean absolute correlation of the variables",
        "",
        maps.absolute_correlations,
        mean,
    ),
    Characterisation("cvar.skew", "mean absolute skewness", "", maps.skewnesses, mean),
    Characterisation("cvar.kurt", "mean kurtosis, 3 for the normal", "", maps.kurtoses, mean),
    Characterisation("resp.cl", "number of classes", "", maps.number_of_classes, first),
    Characterisation("resp.entropy", "entropy of the classes", "bit", maps.class_entropy, first),
    Characterisation(
        "i2r.fcc", "first canonical correlation", "", maps.canonical_correlations, first
    ),
    Characterisation(
        "i2r.frac1",
        "share of the first canonical correlation in the sum of squares",
        "",
        maps.canonical_correlations,
        fraction_of_first,
    ),
    Characterisation("i2r.mi", "mean mutual information", "bit", maps.mutual_informations, mean),
    Characterisation(
        "i2r.envar", "equivalent number of variables", "", maps.equivalent_number, first
    ),
    Characterisation("i2r.nsratio", "noise to signal ratio", "", maps.noise_to_signal, first),
)


FURTHER = (
    Characterisation("var.missing", "share of missing values", "", maps.missing_share, mean),
    Characterisation(
        "cvar.dim",
        "number of principal components that hold 95% of the variance",
        "",
        maps.intrinsic_dimension,
        first,
    ),
    Characterisation(
        "resp.imbalance",
        "imbalance of the classes, 1 - relative entropy",
        "",
        maps.class_imbalance,
        first,
    ),
    Characterisation(
        "resp.skew", "absolute skewness of the response", "", maps.response_skewness, first
    ),
    Characterisation(
        "resp.kurt", "kurtosis of the response, 3 for the normal", "", maps.response_kurtosis, first
    ),
    Characterisation(
        "resp.levels",
        "number of different values of the response per observation",
        "",
        maps.response_levels,
        first,
    ),
    Characterisation(
        "i2r.mac",
        "mean absolute correlation of the variables with the response",
        "",
        maps.response_correlations,
        mean,
    ),
    Characterisation(
        "i2r.eta",
        "mean share of the variance of the response between the categories of a nominal variable",
        "",
        maps.correlation_ratios,
        mean,
    ),
    Characterisation(
        "mark.nn",
        "cross-validated error of the nearest neighbour",
        "",
        marks.nearest_neighbour_error,
        first,
    ),
    Characterisation(
        "mark.stump",
        "cross-validated error of a tree with one division",
        "",
        marks.stump_error,
        first,
    ),
    Characterisation(
        "mark.linear", "cross-validated error of least squares", "", marks.linear_error, first
    ),
    Characterisation(
        "mark.nb", "cross-validated error of naive Bayes", "", marks.naive_bayes_error, first
    ),
)
"""Beyond Table 5.1: gaps, dimension, a numeric response, and landmarkers."""

OF_NUMBERS = (
    *("obs.n", "var.n", "nvar.n", "nvar.entropy", "nvar.bin", "cvar.n", "cvar.mac", "cvar.skew"),
    *("cvar.kurt", "resp.skew", "resp.kurt", "i2r.fcc", "i2r.mac", "i2r.eta"),
)
"""Characteristics of data with a numeric response: the counterparts of Table 5.1."""
