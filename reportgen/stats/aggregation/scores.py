"""Aggregates of scores over data sets, with stratified bootstrap intervals (Agarwal et al. 2021).

Scores are matrices of replications by candidates, one a data set (a stratum), of which larger is
better. Every data set counts alike, however many replications it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

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


@dataclass(frozen=True)  # no slots: the orders of scores are found once for all draws
class Scores:
    """The scores of all data sets, one row a replication."""

    values: Array  # (N, K); NaN where a candidate has no value
    sizes: tuple[int, ...]  # replications of each of the M data sets; their rows follow one another

    @classmethod
    def of(cls, parts: Sequence[Array]) -> Scores:
        """Join the matrices (B_m, K) of the data sets."""
        return cls(np.concatenate(parts), tuple(len(part) for part in parts))

    @cached_property
    def starts(self) -> NDArray[np.intp]:
        """The first row of each data set, shape (M,)."""
        return np.cumsum((0, *self.sizes[:-1]))

    @cached_property
    def is_there(self) -> NDArray[np.bool_]:
        """Shape (N, K): where there is a score."""
        return np.isfinite(self.values)

    @cached_property
    def sorted_columns(self) -> tuple[tuple[NDArray[np.intp], Array], ...]:
        """The rows of each candidate's scores in ascending order, and these scores."""
        found = []
        for values, is_there in zip(self.values.T, self.is_there.T, strict=True):
            rows = np.flatnonzero(is_there)
            rows = rows[np.argsort(values[rows], kind="stable")]
            found.append((rows, values[rows]))
        return tuple(found)

    @cached_property
    def shortfalls(self) -> tuple[tuple[Array, Array], ...]:
        """By how much scores fall short of 1, and which are there, of each data set."""
        gaps = np.where(self.is_there, np.maximum(0.0, 1.0 - self.values), 0.0)
        both = (np.split(x, self.starts[1:]) for x in (gaps, self.is_there.astype(np.float64)))
        return tuple(zip(*both, strict=True))

    def among(self, first: int) -> _Among:
        """Find where all scores stand among those of one candidate on the same data set."""
        if first not in self._among:
            levels = np.unique(self.values, return_inverse=True)[1].reshape(self.values.shape)
            dataset = np.repeat(np.arange(len(self.sizes)), self.sizes)[:, None]
            keys = dataset * (int(levels.max()) + 1) + levels
            rows = np.argsort(keys[:, first], kind="stable")
            low, high = (np.searchsorted(keys[rows, first], keys, s) for s in ("left", "right"))
            bounds = np.zeros((2, 2 * len(rows) + 1), dtype=np.intp)
            bounds[:, low + high] = low, high
            self._among[first] = _Among(rows, low + high, bounds)
        return self._among[first]

    @cached_property
    def _among(self) -> dict[int, _Among]:
        """What was found so far."""
        return {}

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
        has_value = self.is_there.T[:, None, :]
        if has_value.all():  # all candidates have the same weights
            has_value = has_value[:1]
        weights = has_value * counts
        totals = np.add.reduceat(weights, self.starts, axis=2)
        n_known = (totals > 0).sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):  # a draw without a value
            each = np.where((totals > 0) | (n_known == 0), 1 / (totals * n_known), 0.0)
            weights *= np.repeat(each, self.sizes, axis=2)
        return np.broadcast_to(weights, (self.values.shape[1], *weights.shape[1:]))


@dataclass(frozen=True, slots=True)
class _Among:
    """Where scores stand among those of one candidate."""

    rows: NDArray[np.intp]  # (N,); the candidate's, by data set, and ascending in each
    # (N, K); how many of these come before each score, and how many before or with it, in sum:
    # no two such pairs have the same.
    places: NDArray[np.intp]
    bounds: NDArray[np.intp]  # (2, 2 N + 1); the pair of each place


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
    order = np.argsort(values, kind="stable")
    return _interquartile_mean(values[order], weights[:, order])


def _interquartile_mean(ordered: Array, weights: Array) -> Array:
    """Return the interquartile mean of scores in ascending order, (N,), by weights (R, N)."""
    n = len(ordered)
    sums = np.cumsum(weights, axis=1)
    cut = (n // 4) / n
    inside = np.diff(np.clip(sums, cut, 1 - cut), axis=1, prepend=cut)
    return np.asarray(inside @ ordered / (1 - 2 * cut))


Statistic = Callable[[Scores, Array], Array]
"""Of scores and of how often each row is drawn, (R, N): the aggregates (R, K)."""


def interquartile_means(scores: Scores, counts: Array) -> Array:
    """Return the interquartile mean of every draw and candidate."""
    columns = zip(scores.sorted_columns, scores.weights(counts), strict=True)
    means = [_interquartile_mean(ordered, own[:, rows]) for (rows, ordered), own in columns]
    return np.stack(means, axis=1)


def optimality_gaps(scores: Scores, counts: Array) -> Array:
    """Return how far each candidate's scores fall short of 1 in the mean, in every draw.

    Beyond 1 nothing is won.

    Examples
    --------
    >>> optimality_gaps(Scores.of([np.array([[0.5], [1.5]])]), np.ones((1, 2)))
    array([[0.25]])
    """
    parts = zip(np.split(counts, scores.starts[1:], axis=1), scores.shortfalls, strict=True)
    total, n_known = np.zeros((2, len(counts), scores.values.shape[1]))
    for own, (gap, is_there) in parts:
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
    among, is_there = scores.among(first), scores.is_there
    if is_there.all():  # all candidates are drawn as often
        is_there = is_there[:, :1]
    drawn = counts[:, :, None] * is_there  # whole numbers, whose sums are exact
    n_drawn = np.add.reduceat(drawn, scores.starts, axis=1)
    own = drawn[:, :, min(first, drawn.shape[2] - 1)]
    n_own = np.add.reduceat(own, scores.starts, axis=1)[:, :, None]
    below = np.zeros((len(counts), len(scores.values) + 1))
    np.cumsum(own[:, among.rows], axis=1, out=below[:, 1:])
    not_larger = below[:, among.bounds].sum(axis=1).take(among.places, axis=1)
    not_larger *= drawn
    ends = below[:, np.cumsum(scores.sizes), None]
    better = ends * n_drawn - np.add.reduceat(not_larger, scores.starts, axis=1) / 2  # ties by half
    pairs = np.broadcast_to(n_drawn * n_own, better.shape)
    shares = np.full(better.T.shape, np.nan)
    np.divide(better.T, pairs.T, out=shares, where=pairs.T > 0)
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
