"""Sizes of differences between candidates that share their replications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.noncentral_t import center_limits
from reportgen.stats.paired import Differences, paired_differences

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class PairedEffect:
    """How far two candidates lie apart, first - second, over common replications.

    Intervals have level 1 - alpha for this pair by itself, and refer to
    replications of this data set.

    Attributes
    ----------
    n_blocks : int
        Replications in which both have a value.
    wins, ties, losses : int
        Replications in which the first is better, equal, worse.
    mean, mean_lower, mean_upper : float
        Mean difference with its t interval; NaN bounds from one replication.
    deviation : float
        Standard deviation of the differences.
    d, d_lower, d_upper : float
        Cohen's d of paired data, mean / deviation, with the interval by the
        non-central t [1]_. It is measured in resampling noise, grows with the test
        sample, and does not compare across data sets. NaN where nothing varies
        and the mean is 0; infinite where only the mean is not.
    superiority, superiority_error : float
        Probability that the first is better, ties counted half (paired A12),
        and its standard error.
    superiority_lower, superiority_upper : float
        Tango's score interval; inside [0, 1], and no point at its ends.
    """

    n_blocks: int
    wins: int
    ties: int
    losses: int
    mean: float
    mean_lower: float
    mean_upper: float
    deviation: float
    d: float
    d_lower: float
    d_upper: float
    superiority: float
    superiority_error: float
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

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a replication, NaN where there is no value; a pair uses the
        replications in which both have one.
    alpha : float, default 0.05
        Error probability of each interval, 0 < alpha < 1.
    is_smaller_better : bool, default True
        Direction of the measure, for wins and superiority.
    pairs : sequence of two ints, optional
        The columns that are compared; all pairs when left out.

    Returns
    -------
    tuple of PairedEffect or None
        The pairs asked for, else P = K (K - 1) / 2 in lexical order, first <
        second; None for a pair without a common replication.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns, or alpha is not
        inside (0, 1).

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [3.0, 3.0]])
    >>> (effect,) = paired_effects(values)
    >>> effect.mean, round(effect.d, 3), effect.superiority
    (-1.5, -1.162, 0.875)
    >>> effect.wins, effect.ties, effect.losses
    (3, 1, 0)
    """
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"pairs need replications of two candidates, got shape {values.shape}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    asked = combinations(range(values.shape[1]), 2) if pairs is None else pairs
    found = [paired_differences(values[:, i], values[:, j]) for i, j in asked]
    limits = _standardised_limits(found, alpha)
    return tuple(
        _effect(pair, pair_limits, alpha, is_smaller_better) if pair.n_blocks else None
        for pair, pair_limits in zip(found, limits, strict=True)
    )


def net_win_interval(wins: int, losses: int, n_blocks: int, alpha: float) -> tuple[float, float]:
    r"""Return Tango's score interval for the share of wins less the share of losses.

    Parameters
    ----------
    wins, losses : int
        Among `n_blocks` replications; the others are ties.
    n_blocks : int
        At least 1.
    alpha : float
        0 < alpha < 1.

    Returns
    -------
    lower, upper : float
        The differences :math:`\Delta` with
        :math:`|w - l - n\Delta| \le z_{1-\alpha/2}
        \sqrt{n (2\hat q + \Delta(1 - \Delta))}`, where :math:`\hat q` is the
        maximum likelihood estimate of the probability of a loss under
        :math:`\Delta`. Without ties it is Wilson's interval.

    References
    ----------
    .. [1] T. Tango (1998), "Equivalence test and confidence interval for the
       difference in proportions for the paired-sample design", Statistics in
       Medicine 17.

    Examples
    --------
    >>> lower, upper = net_win_interval(3, 0, 4, alpha=0.05)
    >>> round(lower, 4), round(upper, 4)
    (-0.1073, 0.9544)
    """
    from scipy.special import ndtri

    z = -float(ndtri(alpha / 2))
    return -_upper(losses, wins, n_blocks, z), _upper(wins, losses, n_blocks, z)


def _upper(wins: int, losses: int, n_blocks: int, z: float) -> float:
    """Find the largest difference of shares whose score is not below -z, by bisection."""
    low, high = (wins - losses) / n_blocks, 1.0
    while (middle := (low + high) / 2) not in (low, high):
        variance = n_blocks * _score_variance(middle, wins, losses, n_blocks)
        if wins - losses - n_blocks * middle + z * sqrt(variance) >= 0:
            low = middle
        else:
            high = middle
    return high


def _score_variance(delta: float, wins: int, losses: int, n_blocks: int) -> float:
    """Return the variance of win less loss in one replication, estimated under a difference."""
    linear = (2 * n_blocks - wins + losses) * delta - wins - losses
    root = sqrt(max(0.0, linear**2 + 8 * n_blocks * losses * delta * (1 - delta)))
    return max(0.0, (root - linear) / (2 * n_blocks) + delta * (1 - delta))


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
    pair: Differences, limits: tuple[float, float], alpha: float, is_smaller_better: bool
) -> PairedEffect:
    """Put together what is known of a pair."""
    n_blocks = pair.n_blocks
    wins, losses = (pair.below, pair.above) if is_smaller_better else (pair.above, pair.below)
    half = _half_width(pair, alpha)
    superiority = (wins + pair.ties / 2) / n_blocks
    spread = (wins + pair.ties / 4) / n_blocks - superiority**2
    lower, upper = net_win_interval(wins, losses, n_blocks, alpha)
    d, d_lower, d_upper = _standardised(pair, limits)
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


def _standardised(pair: Differences, limits: tuple[float, float]) -> tuple[float, float, float]:
    """Return d with its limits; infinite where only the mean is not 0."""
    if pair.deviation > 0:
        return pair.mean / pair.deviation, *limits
    if pair.n_blocks < 2 or pair.mean == 0:
        return float("nan"), float("nan"), float("nan")
    d = inf if pair.mean > 0 else -inf
    return d, d, d
