"""Aggregates of scores over data sets, with stratified bootstrap intervals (Agarwal et al. 2021).

Scores are matrices of replications by candidates, one a data set (a stratum), of which larger is
better. Every data set counts alike, however many replications it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

N_DRAWS = 500
LEAST_REPLICATIONS = 5  # of a data set, below which resampling them says nothing
_AT_ONCE = 2_000_000  # weights of replications in all draws that are held together

Clusters = NDArray[np.int64]

LEAST_UNITS = 10  # clusters, or items, of a task below which drawing them says little


@dataclass(frozen=True, slots=True)
class Aggregate:
    """An aggregate of each candidate."""

    estimate: Array  # (K,)
    # lower, upper: (K,); percentiles of draws, each for itself; None without intervals
    lower: Array | None = None
    upper: Array | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of all data sets, one row a replication."""

    values: Array  # (N, K); NaN where a candidate has no value
    sizes: tuple[int, ...]  # replications of each of the M data sets; their rows follow one another

    @classmethod
    def of(cls, parts: Sequence[Array]) -> Scores:
        """Join the matrices (B_m, K) of the data sets."""
        return cls(np.concatenate(parts), tuple(len(part) for part in parts))

    @property
    def starts(self) -> NDArray[np.intp]:
        """The first row of each data set, shape (M,)."""
        return np.cumsum((0, *self.sizes[:-1]))

    @property
    def is_resampled(self) -> bool:
        """Whether every data set has replications enough for an interval."""
        return min(self.sizes) >= LEAST_REPLICATIONS

    def weights(self, counts: Array) -> Array:
        """Weigh rows by how often they are drawn, data sets alike.

        `counts`: (R, N); of each row in each draw.
        Result: (K, R, N); of sum 1 for each candidate and draw; 0 where a candidate has no value,
        NaN where it has none in a whole draw.
        """
        has_value = np.isfinite(self.values).T[:, None, :]
        if has_value.all():  # all candidates have the same weights
            has_value = has_value[:1]
        weights = has_value * counts
        totals = np.add.reduceat(weights, self.starts, axis=2)
        n_known = (totals > 0).sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):  # a draw without a value
            each = np.where((totals > 0) | (n_known == 0), 1 / (totals * n_known), 0.0)
            weights *= np.repeat(each, self.sizes, axis=2)
        return np.broadcast_to(weights, (self.values.shape[1], *weights.shape[1:]))


def once(scores: Scores) -> Array:
    """Return the counts, (1, N), with which every replication is there once."""
    return np.ones((1, len(scores.values)))


def interquartile_mean(values: Array, weights: Array) -> Array:
    """Return the weighted mean of the scores between their quartiles.

    `values`: (N,).
    `weights`: (R, N); of sum 1 in each row.
    Result: (R,).

    Notes
    -----
    With equal weights a quarter of the scores, rounded down, is cut off at each end [1]_; else a
    quarter of the weight.

    References
    ----------
    .. [1] R. Agarwal, M. Schwarzer, P. S. Castro, A. Courville, M. G. Bellemare (2021), "Deep
       reinforcement learning at the edge of the statistical precipice", NeurIPS 34, section 4.3.

    Examples
    --------
    >>> interquartile_mean(np.array([9.0, 1.0, 2.0, 4.0, 3.0]), np.full((1, 5), 0.2))
    array([3.])
    """
    n = len(values)
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weights[:, order], axis=1)
    cut = (n // 4) / n
    inside = np.diff(np.clip(sums, cut, 1 - cut), axis=1, prepend=cut)
    return np.asarray(inside @ values[order] / (1 - 2 * cut))


Statistic = Callable[[Scores, Array], Array]
"""Of scores and of how often each row is drawn, (R, N): the aggregates (R, K)."""


def interquartile_means(scores: Scores, counts: Array) -> Array:
    """Return the interquartile mean of every draw and candidate."""
    columns = []
    for values, weights in zip(scores.values.T, scores.weights(counts), strict=True):
        there = np.isfinite(values)
        columns.append(interquartile_mean(values[there], weights[:, there]))
    return np.stack(columns, axis=1)


def optimality_gaps(scores: Scores, counts: Array) -> Array:
    """Return how far each candidate's scores fall short of 1 in the mean, in every draw.

    Beyond 1 nothing is won.

    Examples
    --------
    >>> optimality_gaps(Scores.of([np.array([[0.5], [1.5]])]), np.ones((1, 2)))
    array([[0.25]])
    """
    there = np.isfinite(scores.values)
    gaps = np.where(there, np.maximum(0.0, 1.0 - scores.values), 0.0)
    ends = scores.starts[1:]
    parts = zip(*(np.split(x, ends) for x in (gaps, there.astype(np.float64))), strict=True)
    total, n_known = np.zeros((2, len(counts), scores.values.shape[1]))
    for own, (gap, is_there) in zip(np.split(counts, ends, axis=1), parts, strict=True):
        n_there = own @ is_there
        total += np.divide(own @ gap, n_there, out=np.zeros_like(n_there), where=n_there > 0)
        n_known += n_there > 0
    with np.errstate(invalid="ignore"):  # a draw in which a candidate has no value
        return np.asarray(total / n_known)


def improvements(scores: Scores, counts: Array, *, first: int) -> Array:
    """Return how probable it is that a candidate has a better score than each other.

    `counts`: (R, N).
    `first`: the candidate.
    Result: (R, K); mean over data sets of the share of pairs of replications, one of each
    candidate, in which the first is better, ties by half; for itself 1/2.

    References
    ----------
    .. [1] Agarwal et al. (2021), section 4.4: the mean over tasks of Mann and Whitney's statistic.

    Examples
    --------
    >>> scores = Scores.of([np.array([[2.0, 1.0], [3.0, 3.0]])])
    >>> improvements(scores, np.ones((1, 2)), first=0)
    array([[0.5  , 0.625]])
    """
    ends = scores.starts[1:]
    parts = zip(np.split(scores.values, ends), np.split(counts, ends, axis=1), strict=True)
    shares = np.empty((scores.values.shape[1], len(scores.sizes), len(counts)))
    for m, part in enumerate(parts):
        shares[:, m] = _shares(*part, first)
    is_known = np.isfinite(shares)
    with np.errstate(invalid="ignore"):  # a draw in which they meet on no data set
        found = np.where(is_known, shares, 0.0).sum(axis=1) / is_known.sum(axis=1)
    found[first] = 0.5
    return np.asarray(found.T)


def aggregate(
    scores: Scores, statistics: Sequence[Statistic], rng: Generator, alpha: float = 0.05
) -> tuple[Aggregate, ...]:
    """Aggregate every candidate's scores, with intervals from the same draws of replications.

    `rng`: draws replications within data sets, the same of all candidates.
    `alpha`: of the intervals, each for itself.
    Result: without intervals where a data set has fewer than five replications. With fewer than ten
    they cover less than 1 - alpha (docs/aggregates-coverage.md).

    Notes
    -----
    Of n replications of a data set n - 1 are drawn, with replacement: then the variance of a mean
    of draws is its usual estimate, where that of n draws is too small by (n - 1) / n [1]_.

    References
    ----------
    .. [1] J. N. K. Rao, C. F. J. Wu (1988), "Resampling inference with complex survey data",
       Journal of the American Statistical Association 83, section 2.

    Examples
    --------
    >>> scores = Scores.of([np.array([[0.5, 1.0], [0.7, 1.0]]), np.array([[0.9, 1.0]])])
    >>> (gap,) = aggregate(scores, [optimality_gaps], np.random.default_rng(1))
    >>> gap.estimate.round(2)
    array([0.25, 0.  ])
    """
    estimates = [statistic(scores, once(scores))[0] for statistic in statistics]
    if not scores.is_resampled:
        return tuple(map(Aggregate, estimates))
    drawn: list[list[Array]] = [[] for _ in statistics]
    for counts in draw_counts(scores, rng):
        for blocks, statistic in zip(drawn, statistics, strict=True):
            blocks.append(statistic(scores, counts))
    found = []
    for estimate, blocks in zip(estimates, drawn, strict=True):
        lower, upper = np.quantile(np.concatenate(blocks), [alpha / 2, 1 - alpha / 2], axis=0)
        found.append(Aggregate(estimate, lower, upper))
    return tuple(found)


def draw_counts(scores: Scores, rng: Generator, n_draws: int = N_DRAWS) -> Iterator[Array]:
    """Yield how often each replication is drawn, in blocks of draws, of shape (R, N)."""
    together = max(1, _AT_ONCE // scores.values.size)
    for first in range(0, n_draws, together):
        size = min(together, n_draws - first)
        yield np.concatenate([_counts(n, size, rng) for n in scores.sizes], axis=1)


def _counts(n: int, n_draws: int, rng: Generator) -> Array:
    """Return how often each of n is among n - 1 that are drawn, shape (R, n)."""
    cells = rng.integers(n, size=(n_draws, n - 1)) + n * np.arange(n_draws)[:, None]
    counts = np.bincount(cells.ravel(), minlength=n * n_draws)
    return counts.reshape(n_draws, n).astype(np.float64)


def _shares(values: Array, counts: Array, first: int) -> Array:
    """Return the weighted share of pairs in which the first is larger, ties by half; (K, R)."""
    n_draws, (n, n_candidates) = len(counts), values.shape
    order = np.argsort(values.T, axis=1, kind="stable")  # what is missing comes last
    ordered = np.take_along_axis(values.T, order, axis=1)
    below = np.zeros((n_draws, n_candidates, n + 1))
    drawn = counts.take(order, axis=1) * np.isfinite(ordered)
    np.cumsum(drawn, axis=2, out=below[:, :, 1:])
    own = values[:, first]
    starts = (n + 1) * np.arange(n_candidates)[:, None]
    better = sum(
        below.reshape(n_draws, -1).take(
            starts + [np.searchsorted(column, own, side) for column in ordered], axis=1
        )
        for side in ("left", "right")
    )
    weights = counts * np.isfinite(own)
    pairs = below[:, :, -1] * weights.sum(axis=1)[:, None]
    wins = np.einsum("rkb,rb->rk", better, weights) / 2
    found = np.full(pairs.shape, np.nan)
    np.divide(wins, pairs, out=found, where=pairs > 0)
    return found.T


def score_profile(scores: Scores, levels: Array) -> Array:
    """Return which share of its replications a candidate has above each level.

    `levels`: (T,).
    Result: (K, T); means over data sets.

    References
    ----------
    .. [1] Agarwal et al. (2021), section 4.2.

    Examples
    --------
    >>> score_profile(Scores.of([np.array([[1.0], [3.0]])]), np.array([0.0, 1.0, 2.0]))
    array([[1. , 0.5, 0.5]])
    """
    weights = scores.weights(once(scores))[:, 0]
    columns = zip(scores.values.T, weights, strict=True)
    return np.stack([((own > levels[:, None]) * weight).sum(axis=1) for own, weight in columns])


def ratio_profile(means: Array) -> Array:
    """Return how many times as large as the smallest each mean of a data set is, sorted.

    `means`: (M, K); above 0; smaller is better.
    Result: (K, M); ascending: the share of data sets on which a candidate is within the factor t of
    the best is the share of its ratios up to t. Infinite where a ratio is beyond floating point.

    References
    ----------
    .. [1] E. D. Dolan, J. J. Moré (2002), "Benchmarking optimization software with performance
       profiles", Mathematical Programming 91.

    Examples
    --------
    >>> ratio_profile(np.array([[1.0, 2.0], [6.0, 3.0]]))
    array([[1., 2.],
           [1., 2.]])
    """
    with np.errstate(over="ignore"):
        ratios = means / means.min(axis=1, keepdims=True)
    return np.sort(ratios.T, axis=1)


def draw_means(part: Array, clusters: Clusters | None, rng: Generator) -> Array | None:
    """Return the means of a task whose items, or whole clusters of them, are drawn anew.

    `part`: (n, K); one row an item; NaN where a candidate has no value.
    `clusters`: (n,); None where every item is a unit.
    Result: (R, K); NaN where a candidate has no value in one of the R draws. None of fewer than ten
    units.

    Examples
    --------
    >>> draw_means(np.ones((10, 2)), None, np.random.default_rng(1))[0]
    array([1., 1.])
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
    counts = rng.multinomial(n, np.full(n, 1 / n), size=N_DRAWS).astype(np.float64)
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

    `scores`: of one row a task.
    `draws`: sequence of ndarray of shape (R, K), or None; the means of each task in each draw; None
    without intervals.
    `score`: puts means of a task, of which the place is given, on the scale of the scores.
    `alpha`: of the intervals, each for itself.
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


@dataclass(frozen=True, slots=True)
class Fragility:
    """The fewest data sets without which another candidate has the best mean."""

    # first, successor: the candidate with the best mean, and one that is then before it
    first: int
    successor: int
    removed: tuple[int, ...]  # their places, those that speak most for the first before the others


def fragility(means: Array) -> Fragility | None:
    """Find the fewest data sets without which the candidate with the best mean is not first.

    `means`: (M, K); of all candidates on every data set; larger is better.
    Result: None where whatever is removed leaves it first, or no worse than the others.

    Notes
    -----
    Exact: for a successor and a number of removals the sum of the remaining differences is
    smallest without the largest ones.

    Examples
    --------
    >>> fragility(np.array([[9.0, 1.0], [1.0, 2.0], [1.0, 3.0]]))
    Fragility(first=0, successor=1, removed=(0,))
    """
    n_datasets, n_candidates = means.shape
    first = int(means.mean(axis=0).argmax())
    found: Fragility | None = None
    for k in range(n_candidates):
        apart = means[:, first] - means[:, k]
        order = np.argsort(-apart, kind="stable")
        left = apart.sum() - np.cumsum(apart[order])
        tolerance = 1e-12 * np.abs(apart).sum()
        lost = np.flatnonzero(left[: n_datasets - 1] < -tolerance)
        if k == first or not len(lost):
            continue
        n = int(lost[0]) + 1
        if found is None or n < len(found.removed):
            found = Fragility(first, k, tuple(order[:n].tolist()))
    return found
