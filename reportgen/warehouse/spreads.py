"""How far a candidate's values on one data set lie apart, and how precise their mean is."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.distributions.tails import t_quantile
from reportgen.warehouse import Performances


@dataclass(frozen=True, slots=True)
class MeanOfValues:
    """The mean of a candidate's values by one measure on one data set.

    Attributes
    ----------
    mean : float
    n : int
        Values.
    deviation : float or None
        Their standard deviation; None of a single one, and where a summary does not have it.
    standard_error : float or None
        Of the mean. Items of a cluster count together: the error is that of the clusters' sums. Of
        a summary it is the standard deviation over the root of the number of values.
    df : int
        Degrees of freedom of the standard error.
    """

    mean: float
    n: int
    deviation: float | None = None
    standard_error: float | None = None
    df: int = 0

    def interval(
        self, alpha: float, bounds: tuple[float | None, float | None] = (None, None)
    ) -> tuple[float, float] | None:
        """Return the t interval of the mean, inside the bounds of the measure.

        >>> low, high = MeanOfValues(0.5, 4, 0.2, 0.1, 3).interval(0.05, (0.0, 0.75))
        >>> round(low, 3), high
        (0.182, 0.75)
        """
        if self.standard_error is None:
            return None
        half = float(t_quantile(alpha / 2, float(self.df))) * self.standard_error
        low, high = bounds
        return (
            self.mean - half if low is None else max(low, self.mean - half),
            self.mean + half if high is None else min(high, self.mean + half),
        )


def means_of_values(own: Performances) -> dict[str, MeanOfValues]:
    """Return the mean of each candidate that has a value."""
    return dict(_means_of_summary(own) if own.deviations.size else _means(own))


def _means_of_summary(own: Performances) -> Iterator[tuple[str, MeanOfValues]]:
    columns = zip(own.candidates, own.values.T, own.deviations, own.n_values, strict=True)
    for name, column, sd, n in columns:
        known = column[np.isfinite(column)]
        if not len(known):
            continue
        if isfinite(sd) and n > 1:
            yield (
                name,
                MeanOfValues(float(known[0]), int(n), float(sd), float(sd) / sqrt(n), int(n) - 1),
            )
        else:
            yield name, MeanOfValues(float(known[0]), max(int(n), 1))


def _means(own: Performances) -> Iterator[tuple[str, MeanOfValues]]:
    n = len(own.values)
    if own.clusters is None and n > 1 and np.isfinite(own.values).all():
        rows = np.ascontiguousarray(own.values.T)  # the same digits as of each by itself
        numbers = zip(rows.mean(axis=1).tolist(), rows.std(axis=1, ddof=1).tolist(), strict=True)
        for name, (mean, deviation) in zip(own.candidates, numbers, strict=True):
            yield name, MeanOfValues(mean, n, deviation, deviation / sqrt(n), n - 1)
        return
    for name, column in zip(own.candidates, own.values.T, strict=True):
        has_value = np.isfinite(column)
        if has_value.any():
            clusters = None if own.clusters is None else own.clusters[has_value]
            yield name, _mean(column[has_value], clusters)


def _mean(values: NDArray[np.float64], clusters: NDArray[np.int64] | None) -> MeanOfValues:
    n = len(values)
    mean = float(values.mean())
    if n < 2:
        return MeanOfValues(mean, n)
    deviation = float(values.std(ddof=1))
    if clusters is None:
        return MeanOfValues(mean, n, deviation, deviation / sqrt(n), n - 1)
    _, codes = np.unique(clusters, return_inverse=True)
    sums = np.bincount(codes, weights=values - values.mean())
    g = len(sums)
    if g < 2:
        return MeanOfValues(mean, n, deviation)
    error = float(np.sqrt(np.sum(sums**2) * g / (g - 1)) / n)
    return MeanOfValues(mean, n, deviation, error, g - 1)
