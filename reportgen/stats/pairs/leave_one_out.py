"""The corrected t statistics of all pairs without each of the units, in one go."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from reportgen.stats.arrays import Array, Indices
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.shared_means import SharedMeans, pair_columns
from reportgen.stats.skewness import adjusted_skewness, t_star

AT_ONCE = 2**16  # differences at a time: what stays near the processor
LEAST_LEFT = 1e-5  # share of a sum of squares without a unit: of less too few digits are left


def statistics_without_each(
    values: Array, shared: SharedMeans | None = None, places: Indices | None = None
) -> Iterator[Array]:
    """Yield the statistics of `paired_max_t` without each unit, but for rounding, by some pairs.

    `values`: (n, K); one row a unit, NaN where there is no value.
    `shared`: as of `paired_max_t`.
    `places`: (Q,); which of all pairs; all when left out.
    Result: blocks (n, some of Q); NaN where nearly all variation of a pair is that of the unit, or
    the pair has too few units.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 5.0], [4.0, 4.5], [3.0, 5.0]])
    >>> next(statistics_without_each(values)).round(3)
    array([[-2.524],
           [-2.646],
           [-3.464],
           [-1.964]])
    """
    pairs = all_pairs(values.shape[1])
    places = np.arange(len(pairs)) if places is None else places
    at_once = max(1, AT_ONCE // max(1, len(values)))
    for begin in range(0, len(places), at_once):
        some = places[begin : begin + at_once]
        columns = pair_columns(values, pairs[some], shared and shared.of_pairs(some))
        yield _statistics(np.subtract(*columns))


def _statistics(differences: Array) -> Array:
    """Return the statistics of some pairs without each unit."""
    has_both = np.isfinite(differences)
    largest = np.abs(np.where(has_both, differences, 0.0)).max(axis=0, initial=0.0)
    differences = differences / np.where(largest > 0, largest, 1.0)  # statistics have no unit
    n = has_both.sum(axis=0)
    mean = np.where(has_both, differences, 0.0).sum(axis=0) / np.maximum(n, 1)
    errors = np.where(has_both, differences - mean, 0.0)
    left = np.maximum(n - has_both, 1)
    shift = -errors / left  # of the mean
    squares = errors * errors
    cubes = squares * errors
    second = squares.sum(axis=0) - squares - left * shift**2
    third = cubes.sum(axis=0) - cubes - 3 * shift * (squares.sum(axis=0) - squares)
    third -= shift**2 * (3 * errors + left * shift)
    is_known = (second > LEAST_LEFT * squares.sum(axis=0)) & (left >= 2)
    second = np.where(is_known, second, 1.0)
    t = (mean + shift) / np.sqrt(second / np.maximum(left - 1, 1) / left)
    lean = adjusted_skewness(second / left, third / left, left) / np.sqrt(left)
    return np.where(is_known, t_star(t, lean), np.nan)
