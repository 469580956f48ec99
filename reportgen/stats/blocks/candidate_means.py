"""Intervals of candidates' means over units, and the bounds of what they are of."""

from __future__ import annotations

from math import inf

import numpy as np

from reportgen.stats.arrays import Array, Bounds, column_means
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.skewness import reach, skewness


def mean_intervals(values: Array, means: Array, alpha: float) -> tuple[Array, Array]:
    """Return the interval of every column's mean alone, corrected for skewness.

    `values`: (M, K); NaN where there is no value.
    `means`: (K,); where the intervals lie; their widths are those of the columns' own means.
    Result: `lower`, `upper`, (K,); NaN for a column with fewer than two values.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [3.0]])
    >>> lower, upper = mean_intervals(values, np.array([2.0]), 0.05)
    >>> lower.round(3), upper.round(3)
    (array([-0.484]), array([4.484]))
    """
    there = np.isfinite(values)
    n = there.sum(axis=0)
    errors = np.where(there, values - column_means(values), 0.0)
    deviation = np.sqrt((errors**2).sum(axis=0) / np.maximum(n - 1, 1))
    error = np.where(n >= 2, deviation / np.sqrt(np.maximum(n, 1)), np.nan)
    critical = t_quantile(alpha / 2, np.maximum(n - 1.0, 1.0))
    below, above = reach(critical, skewness(errors, n) / np.sqrt(np.maximum(n, 1)))
    return means - below * error, means + above * error


def within(bounds: Bounds, interval: tuple[float, float]) -> tuple[float, float]:
    """Cut an interval at the bounds of what it is an interval of.

    Examples
    --------
    >>> within((0.0, 1.0), (0.7802, 1.0482)), within((0.0, None), (-1.0, 3.0))
    ((0.7802, 1.0), (0.0, 3.0))
    """
    least = -inf if bounds[0] is None else bounds[0]
    greatest = inf if bounds[1] is None else bounds[1]
    lower, upper = (min(max(x, least), greatest) for x in interval)
    return lower, upper
