"""Effect sizes of pairs of candidates: differences, standardised differences and superiority."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import inf, nan, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, Indices
from reportgen.stats.blocks.model import ROUNDING
from reportgen.stats.distributions.tails import center_limits


@dataclass(frozen=True, slots=True)
class Differences:
    """Counts and sums of first - second."""

    n_blocks: int  # replications in which both have a value
    # below, ties, above: those in which the first has the smaller, an equal, the larger value
    below: int
    ties: int
    above: int
    mean: float  # NaN without a replication
    # standard deviation; NaN with fewer than two replications, and 0 where differences vary no more
    # than by rounding
    deviation: float


NO_DIFFERENCES = Differences(0, 0, 0, 0, nan, nan)


def count_differences(first: Array, second: Array) -> list[Differences]:
    """Count and sum the differences of pairs.

    `first`, `second`: (P, B); NaN where there is no value.

    Examples
    --------
    >>> count_differences(np.array([[1.0, 4.0, np.nan]]), np.array([[3.0, 6.0, 5.0]]))
    [Differences(n_blocks=2, below=2, ties=0, above=0, mean=-2.0, deviation=0.0)]
    """
    found = [NO_DIFFERENCES] * len(first)
    patterns, numbers = np.unique(
        np.isfinite(first) & np.isfinite(second), axis=0, return_inverse=True
    )
    for number, is_there in enumerate(patterns):  # pairs with the same gaps at once
        if n_blocks := int(is_there.sum()):
            rows = np.flatnonzero(numbers.ravel() == number)
            one, other = (values[np.ix_(rows, is_there)] for values in (first, second))
            below, above = (one < other).sum(axis=1), (one > other).sum(axis=1)
            columns = (below, n_blocks - below - above, above, *_moments(one, other))
            for row, *own in zip(rows.tolist(), *(x.tolist() for x in columns), strict=True):
                found[row] = Differences(n_blocks, *own)
    return found


def _moments(first: Array, second: Array) -> tuple[Array, Array]:
    """Return means and standard deviations of differences; what is not above the noise is 0."""
    differences = first - second
    means = differences.mean(axis=1)
    if differences.shape[1] == 1:
        return means, np.full(len(means), np.nan)
    noise = ROUNDING * np.maximum(np.abs(first).max(axis=1), np.abs(second).max(axis=1))
    is_noise = np.abs(differences - means[:, None]).max(axis=1) <= noise
    deviations = np.where(is_noise, 0.0, differences.std(axis=1, ddof=1))
    return np.where(is_noise & (np.abs(means) <= noise), 0.0, means), deviations


@dataclass(frozen=True, slots=True)
class PairedEffect:
    """Effect sizes of two candidates, first - second, over common replications.

    Intervals have level 1 - alpha for this pair by itself, and refer to
    replications of this data set.
    """

    n_blocks: int  # replications in which both have a value
    # wins, ties, losses: replications in which the first is better, equal, worse
    wins: int
    ties: int
    losses: int
    # mean, mean_lower, mean_upper: mean difference with its t interval; NaN bounds from one
    # replication
    mean: float
    mean_lower: float
    mean_upper: float
    deviation: float  # standard deviation of the differences
    # d, d_lower, d_upper: Cohen's d of paired data, mean / deviation, with the interval by the
    # non-central t [1]_. It is measured in resampling noise, grows with the test sample, and does
    # not compare across data sets. NaN where nothing varies and the mean is 0; infinite where only
    # the mean is not.
    d: float
    d_lower: float
    d_upper: float
    # superiority, superiority_error: probability that the first is better, ties counted half
    # (paired A12), and its standard error
    superiority: float
    superiority_error: float
    # superiority_lower, superiority_upper: Tango's score interval; inside [0, 1], and no point at
    # its ends
    superiority_lower: float
    superiority_upper: float

    @property
    def net_wins(self) -> float:
        """Paired Cliff's delta: share of wins less share of losses, 2 superiority - 1."""
        return (self.wins - self.losses) / self.n_blocks


def paired_effects(
    values: Array,
    alpha: float = 0.05,
    is_smaller_better: bool = True,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> tuple[PairedEffect | None, ...]:
    """Return the effects of all pairs of candidates.

    `values`: (B, K); one row a replication, NaN where there is no value; a pair uses the
    replications in which both have one.
    `alpha`: error probability of each interval, 0 < alpha < 1.
    `is_smaller_better`: direction of the measure, for wins and superiority.
    `pairs`: the columns that are compared; all pairs when left out.
    Result: the pairs requested, else P = K (K - 1) / 2 in lexical order, first < second; None for a
    pair without a common replication.
    Raises ValueError if `values` is no matrix of at least two columns, or alpha is not inside (0,
    1).

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [3.0, 3.0]])
    >>> (effect,) = paired_effects(values)
    >>> effect.mean, round(effect.d, 3), effect.superiority
    (-1.5, -1.162, 0.875)
    >>> effect.wins, effect.ties, effect.losses
    (3, 1, 0)
    """
    check_pairs(values, alpha)
    columns = [*combinations(range(values.shape[1]), 2)] if pairs is None else pairs
    first, second = values.T[np.array(columns, dtype=np.intp).reshape(-1, 2).T]
    found = count_differences(first, second)
    counts = np.array([(p.below, p.above, max(p.n_blocks, 1)) for p in found]).reshape(-1, 3).T
    below, above, n_blocks = counts.astype(np.float64)
    wins, losses = (below, above) if is_smaller_better else (above, below)
    net_wins = np.transpose(net_win_interval(wins, losses, n_blocks, alpha)).tolist()
    limits = _standardised_limits(found, alpha)
    return tuple(
        _effect(pair, pair_limits, tuple(net), alpha, is_smaller_better) if pair.n_blocks else None
        for pair, pair_limits, net in zip(found, limits, net_wins, strict=True)
    )


def net_win_interval(
    wins: ArrayLike, losses: ArrayLike, n_blocks: ArrayLike, alpha: float
) -> tuple[Array, Array]:
    r"""Return Tango's score interval for the share of wins less the share of losses.

    `wins`, `losses`: (P,); among `n_blocks` replications; the others are ties.
    `n_blocks`: (P,); at least 1.
    `alpha`: 0 < alpha < 1.
    Result: `lower`, `upper`, (P,); the differences :math:`\Delta` with :math:`|w - l - n\Delta| \le
    z_{1-\alpha/2} \sqrt{n (2\hat q + \Delta(1 - \Delta))}`, where :math:`\hat q` is the maximum
    likelihood estimate of the probability of a loss under :math:`\Delta`. Without ties it is
    Wilson's interval.

    References
    ----------
    .. [1] T. Tango (1998), "Equivalence test and confidence interval for the
       difference in proportions for the paired-sample design", Statistics in
       Medicine 17.

    Examples
    --------
    >>> lower, upper = net_win_interval(3, 0, 4, alpha=0.05)
    >>> lower.round(4).tolist(), upper.round(4).tolist()
    (-0.1073, 0.9544)
    """
    from scipy.special import ndtri

    z = -float(ndtri(alpha / 2))
    counts = np.array(np.broadcast_arrays(wins, losses, n_blocks), dtype=np.float64)
    distinct, place = np.unique(counts.reshape(3, -1), axis=1, return_inverse=True)
    lower, upper = _limits(distinct.tobytes(), z)[:, place.reshape(counts.shape[1:])]
    return lower, upper


@lru_cache(maxsize=256)
def _limits(counts: bytes, z: float) -> Array:
    """Return the limits for wins, losses and replications: few differ between data sets."""
    wins, losses, n_blocks = np.frombuffer(counts).reshape(3, -1)
    sides = np.array([losses, wins])
    lower, upper = _upper(sides, sides[::-1], n_blocks, z)
    return np.array([-lower, upper])


def _upper(wins: Array, losses: Array, n_blocks: Array, z: float) -> Array:
    """Find the largest differences of shares whose scores are not below -z, by bisection."""
    low, high = (wins - losses) / n_blocks, np.ones(np.shape(wins))
    while True:
        middle = (low + high) / 2
        is_between = (low < middle) & (middle < high)
        if not is_between.any():
            return high
        variance = n_blocks * _score_variance(middle, wins, losses, n_blocks)
        is_low = wins - losses - n_blocks * middle + z * np.sqrt(variance) >= 0
        low = np.where(is_between & is_low, middle, low)
        high = np.where(is_between & ~is_low, middle, high)


def _score_variance(delta: Array, wins: Array, losses: Array, n_blocks: Array) -> Array:
    """Return the variance of win less loss in one replication, estimated under a difference."""
    linear = (2 * n_blocks - wins + losses) * delta - wins - losses
    root = np.sqrt(np.maximum(0.0, linear**2 + 8 * n_blocks * losses * delta * (1 - delta)))
    return np.maximum(0.0, (root - linear) / (2 * n_blocks) + delta * (1 - delta))


def _standardised_limits(pairs: list[Differences], alpha: float) -> list[tuple[float, float]]:
    """Return the limits of d for pairs whose differences vary, NaN for the others."""
    limits = np.full((2, len(pairs)), np.nan)
    varying = np.array([i for i, pair in enumerate(pairs) if pair.deviation > 0], dtype=np.intp)
    if len(varying):
        roots = np.sqrt([pairs[i].n_blocks for i in varying])
        statistics = roots * [pairs[i].mean / pairs[i].deviation for i in varying]
        limits[:, varying] = center_limits(statistics, roots**2 - 1, alpha) / roots
    return [(float(lower), float(upper)) for lower, upper in limits.T]


def _effect(
    pair: Differences,
    limits: tuple[float, float],
    net_wins: tuple[float, float],
    alpha: float,
    is_smaller_better: bool,
) -> PairedEffect:
    """Put together what is known of a pair."""
    n_blocks = pair.n_blocks
    wins, losses = (pair.below, pair.above) if is_smaller_better else (pair.above, pair.below)
    half = _half_width(pair, alpha)
    superiority = (wins + pair.ties / 2) / n_blocks
    spread = (wins + pair.ties / 4) / n_blocks - superiority**2
    lower, upper = net_wins
    d, d_lower, d_upper = _standardise(pair, limits)
    return PairedEffect(
        n_blocks=n_blocks,
        wins=wins,
        ties=pair.ties,
        losses=losses,
        mean=pair.mean,
        mean_lower=pair.mean - half,
        mean_upper=pair.mean + half,
        deviation=pair.deviation,
        d=d,
        d_lower=d_lower,
        d_upper=d_upper,
        superiority=superiority,
        superiority_error=sqrt(max(0.0, spread) / n_blocks),
        superiority_lower=(1 + lower) / 2,
        superiority_upper=(1 + upper) / 2,
    )


def _half_width(pair: Differences, alpha: float) -> float:
    """Return half the width of the t interval of a mean difference."""
    from scipy.special import stdtrit

    if pair.n_blocks < 2:
        return float("nan")
    critical = -float(stdtrit(pair.n_blocks - 1, alpha / 2))
    return critical * pair.deviation / sqrt(pair.n_blocks)


def _standardise(pair: Differences, limits: tuple[float, float]) -> tuple[float, float, float]:
    """Return d with its limits; infinite where only the mean is not 0."""
    if pair.deviation > 0:
        return pair.mean / pair.deviation, *limits
    if pair.n_blocks < 2 or pair.mean == 0:
        return float("nan"), float("nan"), float("nan")
    d = inf if pair.mean > 0 else -inf
    return d, d, d


N_DRAWS = 2000
AT_ONCE = 200_000  # weights of a batch of draws: what stays near the processor


@dataclass(frozen=True, slots=True)
class UnpairedSuperiority:
    """Superiority over all pairs of replications, of first over second."""

    # first, second: (P,); columns of the pairs in lexical order, first < second
    first: Indices
    second: Indices
    # (P,); a12: share of the pairs (value of the first, value of the second) in which the first is
    # better, ties counted half. NaN where one has no value.
    probabilities: Array
    errors: Array  # (P,); standard deviations over the bootstrap draws
    # lower, upper: (P,); percentile intervals, level 1 - alpha for each pair by itself. Points
    # where the values do not overlap.
    lower: Array
    upper: Array


def unpaired_superiority(
    values: Array,
    alpha: float,
    rng: Generator,
    is_smaller_better: bool = True,
    n_draws: int = N_DRAWS,
) -> UnpairedSuperiority:
    """Compare the distributions of all pairs of candidates, not their replications.

    `values`: (B, K); one row a replication, NaN where there is no value; each candidate brings all
    values that it has.
    `alpha`: error probability of each interval, 0 < alpha < 1.
    `rng`: for the bootstrap: whole replications are drawn, so that the dependence of candidates
    within them is kept.
    `is_smaller_better`: direction of the measure.
    Raises ValueError if `values` is no matrix of at least two columns, alpha is not inside (0, 1),
    or there is no draw.

    Notes
    -----
    A pair takes O(B log B) for its value and O(B) for every draw.

    References
    ----------
    .. [1] A. Vargha and H. D. Delaney (2000), "A critique and improvement of
       the CL common language effect size statistics of McGraw and Wong",
       Journal of Educational and Behavioral Statistics 25.
    .. [2] N. Cliff (1993), "Dominance statistics: ordinal analyses to answer
       ordinal questions", Psychological Bulletin 114.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    >>> found = unpaired_superiority(values, 0.05, np.random.default_rng(1))
    >>> found.probabilities.round(4)
    array([0.7778])
    """
    check_pairs(values, alpha)
    if not len(values):
        raise ValueError("a bootstrap needs a replication, got none")
    if n_draws < 1:
        raise ValueError(f"a bootstrap needs a draw, got {n_draws}")
    if len(values) == 1:
        n_draws = 1  # every draw is the same
    signed = values if is_smaller_better else -values
    first, second = np.array(list(combinations(range(values.shape[1]), 2)), dtype=np.intp).T
    draws = [_probabilities(signed, weights) for weights in _weights(len(values), n_draws, rng)]
    once = _probabilities(signed, np.ones((len(values), 1)))[:, 0]
    return UnpairedSuperiority(first, second, once, *_intervals(np.hstack(draws), once, alpha))


def _weights(n_blocks: int, n_draws: int, rng: Generator) -> Iterator[Array]:
    """Yield batches of how often each replication is drawn, shape (B, draws)."""
    batch = max(1, AT_ONCE // n_blocks)
    for start in range(0, n_draws, batch):
        size = min(batch, n_draws - start)
        cells = rng.integers(n_blocks, size=(size, n_blocks)) + n_blocks * np.arange(size)[:, None]
        counts = np.bincount(cells.ravel(), minlength=n_blocks * size).reshape(size, n_blocks)
        yield np.ascontiguousarray(counts.T, dtype=np.float64)


def _probabilities(signed: Array, weights: Array) -> Array:
    """Return A12 of all pairs under every column of weights, shape (P, draws)."""
    n_candidates = signed.shape[1]
    rows = []
    for i in range(n_candidates - 1):
        own, cumulated = _cumulate(signed[:, i], weights)
        for j in range(i + 1, n_candidates):
            is_there = np.isfinite(signed[:, j])
            before = np.searchsorted(own, signed[is_there, j], "left")
            upto = np.searchsorted(own, signed[is_there, j], "right")
            theirs = weights if is_there.all() else weights[is_there]
            better = np.einsum("br,br->r", cumulated[before], theirs)
            if (before != upto).any():
                better = (better + np.einsum("br,br->r", cumulated[upto], theirs)) / 2
            rows.append(_share(better, cumulated[-1] * theirs.sum(axis=0)))
    return np.array(rows)


def _cumulate(values: Array, weights: Array) -> tuple[Array, Array]:
    """Return the values in ascending order, and the weight before each place."""
    order = np.argsort(values, kind="stable")[: int(np.isfinite(values).sum())]
    cumulated = np.zeros((len(order) + 1, weights.shape[1]))
    np.cumsum(weights[order], axis=0, out=cumulated[1:])
    return values[order], cumulated


def _share(better: Array, n_pairs: Array) -> Array:
    """Return the share of pairs in which the first is better; NaN without a pair."""
    shares = np.full(len(better), np.nan)
    np.divide(better, n_pairs, out=shares, where=n_pairs > 0)
    return shares


def _intervals(draws: Array, once: Array, alpha: float) -> tuple[Array, Array, Array]:
    """Return standard deviation and percentiles over draws, of pairs that have a value."""
    found = np.full((3, len(once)), np.nan)
    has_value = np.isfinite(once)
    drawn = draws[has_value]
    found[0, has_value] = np.nanstd(drawn, axis=1)
    quantiles = np.nanquantile if np.isnan(drawn).any() else np.quantile  # the latter is quicker
    found[1:, has_value] = quantiles(drawn, [alpha / 2, 1 - alpha / 2], axis=1)
    return found[0], found[1], found[2]


def check_pairs(values: Array, alpha: float) -> None:
    """Raise a ValueError unless there are two columns, and alpha is a level."""
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"pairs need replications of two candidates, got shape {values.shape}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
