"""Draws of the items of tasks, or of their clusters, for intervals of aggregates of task means."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.aggregation.scores import N_DRAWS, Aggregate, Scores, Statistic, once
from reportgen.stats.arrays import Array

Clusters = NDArray[np.int64]

LEAST_UNITS = 10  # clusters, or items, of a task below which drawing them says little


def draw_means(
    part: Array, clusters: Clusters | None, rng: Generator, n_draws: int = N_DRAWS
) -> Array | None:
    """Return the means of a task whose items, or whole clusters of them, are drawn anew.

    Parameters
    ----------
    part : ndarray of shape (n, K)
        One row an item; NaN where a candidate has no value.
    clusters : ndarray of shape (n,), int, or None
        None where every item is a unit.
    rng : Generator
    n_draws : int

    Returns
    -------
    ndarray of shape (n_draws, K) or None
        NaN where a candidate has no value in a draw. None of fewer than ten units.

    Examples
    --------
    >>> draw_means(np.ones((10, 2)), None, np.random.default_rng(1), 1)
    array([[1., 1.]])
    """
    codes = (
        np.arange(len(part)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    )
    n = int(codes.max()) + 1
    if n < LEAST_UNITS:
        return None
    there = np.isfinite(part)
    sums, sizes = np.zeros((n, part.shape[1])), np.zeros((n, part.shape[1]))
    np.add.at(sums, codes, np.where(there, part, 0.0))
    np.add.at(sizes, codes, there)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=n_draws).astype(np.float64)
    totals = counts @ sizes
    means: Array = np.full(totals.shape, np.nan)
    return np.divide(counts @ sums, totals, out=means, where=totals > 0)


def aggregate_means(
    scores: Scores,
    draws: Sequence[Array] | None,
    score: Callable[[Array, int], Array],
    statistics: Sequence[Statistic],
    alpha: float,
) -> tuple[Aggregate, ...]:
    """Aggregate the scores of task means, with intervals from the same draws of items.

    Parameters
    ----------
    scores : Scores
        Of one row a task.
    draws : sequence of ndarray of shape (R, K), or None
        The means of each task in each draw; None without intervals.
    score : callable
        Puts means of a task, of which the place is given, on the scale of the scores.
    statistics : sequence of callable
    alpha : float
        Of the intervals, each for itself.
    """
    estimates = [statistic(scores, once(scores))[0] for statistic in statistics]
    if draws is None:
        return tuple(map(Aggregate, estimates))
    drawn = np.stack([score(means, m) for m, means in enumerate(draws)], axis=1)
    found = []
    for estimate, statistic in zip(estimates, statistics, strict=True):
        each = (Scores(values, scores.sizes) for values in drawn)
        rows = np.array([statistic(own, once(own))[0] for own in each])
        lower, upper = np.nanquantile(rows, [alpha / 2, 1 - alpha / 2], axis=0)
        found.append(Aggregate(estimate, lower, upper))
    return tuple(found)
