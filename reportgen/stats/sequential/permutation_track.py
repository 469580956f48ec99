r"""The paired permutation test on accumulating replications.

Where two candidates are alike, each difference is as likely positive as negative, given its
size. The law of their sum is exact for few of them; for more it follows from its cumulant
generating function by saddlepoint, which is close even where the tail is tiny, so that nothing
is drawn at random.

References
----------
.. [1] J. Robinson (1982), "Saddlepoint approximations for permutation tests and confidence
   intervals", Journal of the Royal Statistical Society B 44.
.. [2] R. Lugannani and S. Rice (1980), "Saddle point approximation for the distribution of the
   sum of independent random variables", Advances in Applied Probability 12.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.stats.block_permutation import SLACK
from reportgen.stats.block_scores import Alternative
from reportgen.stats.sequential.tracks import Track, one_or_two_sided, paired_t_track
from reportgen.stats.sign_flips import all_sums

Array = NDArray[np.float64]
Looks = NDArray[np.intp]

EXACT_UP_TO = 13  # nonzero differences: 2^13 sums
MOST_STEPS = 100  # of Newton's method, which comes to the saddlepoint from below
CONVERGED = 1e-10
AT_ONCE = 2_000_000  # hyperbolic tangents held in memory
COARSEST = 1e-4  # of the largest difference: finer lattices are as good as continuous
UNEVEN = 0.2  # share of one difference in the sum of squares from which it is singled out
N_LARGEST = 5  # differences of which all signs are taken then
NEAR_CENTRE = 1e-4  # saddlepoint at which the formula is 0/0, and its limit is taken


def permutation_track(
    differences: Array,
    burn_in: int = 2,
    alternative: Alternative = "two-sided",
    at: Looks | None = None,
) -> Track:
    r"""Follow the permutation law of Student's paired t statistic.

    Parameters
    ----------
    differences : ndarray of shape (..., B)
        Finite, in the order of the replications.
    burn_in : int, default 2
        Replications before the first look, 2 <= burn_in <= B.
    alternative : {"two-sided", "less", "greater"}
    at : ndarray of shape (N,), int, optional
        Looks; all from the burn-in on when omitted.

    Returns
    -------
    Track
        The statistic is Student's t, the effect the mean difference.

    Raises
    ------
    ValueError
        If differences are not finite, or the burn-in does not fit.

    Notes
    -----
    The p-value is exact up to 13 differences that are not 0. Beyond, with
    :math:`K(t) = \sum \log \cosh(t |d_i|)`, :math:`K'(\hat t) = s`,
    :math:`w = \sqrt{2 (\hat t s - K(\hat t))}` and :math:`u = \hat t \sqrt{K''(\hat t)}`, the
    tail is :math:`1 - \Phi(w) + \varphi(w) (1/u - 1/w)` [2]_. Differences that are
    multiples of one number have sums on a lattice: s is then taken half a step nearer to 0.
    Where one difference has more than a fifth of the sum of squares, all signs of the five
    largest are taken, and the tail of the rest is averaged over them. The time grows with the
    square of the replications.

    Examples
    --------
    >>> track = permutation_track(np.array([1.0, 2.0, 3.0, 4.0, -1.0]), burn_in=4)
    >>> track.p_values
    array([0.125 , 0.1875])
    """
    plain = paired_t_track(differences, burn_in, alternative, at)
    d = np.asarray(differences, dtype=np.float64)
    tails = np.array([_tails(row, plain.n) for row in d.reshape(-1, d.shape[-1])])
    less, greater = (tails[:, side].reshape(plain.p_values.shape) for side in (0, 1))
    p_values = one_or_two_sided(less, greater, alternative)
    return Track(plain.n, plain.statistics, p_values, plain.effects)


def _tails(d: Array, n: Looks) -> Array:
    """Return both one-sided p-values at the looks, shape (2, N)."""
    sums, counts = d.cumsum()[n - 1], np.cumsum(d != 0)[n - 1]
    found = np.empty((2, len(n)))
    few = counts <= EXACT_UP_TO
    found[:, few] = _exact(np.abs(d[d != 0]), counts[few], sums[few])
    if not few.all():
        sizes, step = np.abs(d), _lattice(np.abs(d))
        greater = _approximate(sizes, n[~few], sums[~few], step)
        found[1, ~few] = greater
        found[0, ~few] = _approximate(sizes, n[~few], -sums[~few], step) if step else 1 - greater
    return found


def _exact(sizes: Array, counts: NDArray[np.int64], sums: Array) -> Array:
    """Count all signs of the first differences that are not 0."""
    found = np.empty((2, len(counts)))
    for count in np.unique(counts):
        own = sizes[:count]
        law = all_sums(own)
        slack = SLACK * np.sqrt(float(own @ own))
        for i in np.flatnonzero(counts == count):
            found[0, i] = (law <= sums[i] + slack).mean()
            found[1, i] = (law >= sums[i] - slack).mean()
    return found


def _approximate(sizes: Array, n: Looks, sums: Array, step: float) -> Array:
    """Return the probability of a sum at least as large at each look."""
    squares = sizes**2
    is_uneven = np.maximum.accumulate(squares)[n - 1] > UNEVEN * squares.cumsum()[n - 1]
    centred = sums - step
    found = np.empty(len(n))
    for i in np.flatnonzero(is_uneven):
        found[i] = _uneven_tail(sizes[: n[i]], float(centred[i]))
    even = np.flatnonzero(~is_uneven)
    block = max(1, AT_ONCE // len(sizes))
    for start in range(0, len(even), block):
        part = even[start : start + block]
        used = sizes[: n[part].max()]
        used = np.where(np.arange(len(used)) < n[part, None], used, 0.0)
        found[part] = _signed_tail(used, centred[part])
    is_last = sums >= sizes.cumsum()[n - 1] * (1 - 1e-12)  # no sum is larger
    return np.where(is_last, 0.5 ** np.cumsum(sizes > 0)[n - 1], found)


def _uneven_tail(sizes: Array, sum_: float) -> float:
    """Take all signs of the largest differences, and the saddlepoint for the rest."""
    by_size = np.argsort(sizes)
    sums = sum_ - all_sums(sizes[by_size[-N_LARGEST:]])
    rest = np.tile(sizes[by_size[:-N_LARGEST]], (len(sums), 1))
    return float(_signed_tail(rest, sums).mean())


def _signed_tail(sizes: Array, sums: Array) -> Array:
    """Return tails of sums of either sign."""
    upper = _saddlepoint_tail(sizes, np.abs(sums))
    return np.where(sums >= 0, upper, 1 - upper)


def _saddlepoint_tail(sizes: Array, sums: Array) -> Array:
    """Return tails of sums of 0 or more; rows of sizes, 0 where a look does not use one."""
    largest = sizes.sum(axis=1)
    is_last, is_beyond = sums >= largest * (1 - 1e-12), sums > largest * (1 + 1e-12)
    target = np.where(is_last, 0.0, sums)
    t = np.zeros(len(sums))
    scale = largest / (sizes**2).sum(axis=1)
    for _ in range(MOST_STEPS):
        slopes = np.tanh(t[:, None] * sizes)
        curvature = (sizes**2 * (1 - slopes**2)).sum(axis=1)
        gap = target - (sizes * slopes).sum(axis=1)
        t = t + gap / curvature
        if (np.abs(gap) <= CONVERGED * largest).all():
            break
    tilted = t[:, None] * sizes
    folded = np.exp(-2 * np.abs(tilted))  # 1 / cosh^2 without its overflow
    curvature = (sizes**2 * 4 * folded / (1 + folded) ** 2).sum(axis=1)
    cumulant = (np.logaddexp(tilted, -tilted) - np.log(2)).sum(axis=1)
    w = np.sqrt(np.maximum(0.0, 2 * (t * target - cumulant)))
    u = t * np.sqrt(curvature)
    is_central = t <= NEAR_CENTRE * scale
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = np.where(is_central, 0.0, 1 / u - 1 / w)
    density = np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi)
    tail = np.clip(ndtr(-w) + density * correction, 0.0, 1.0)
    only = 0.5 ** (sizes > 0).sum(axis=1)  # all signs the same
    tail = np.where(is_last, only, np.maximum(tail, only))
    return np.asarray(np.where(is_beyond, 0.0, tail))


def _lattice(sizes: Array) -> float:
    """Return the number that all sizes are multiples of, half the step of their sums; else 0."""
    largest = float(sizes.max())
    unit, rounding = 0.0, 1e-9 * largest
    for size in np.unique(sizes[sizes > 0]).tolist():
        a, b = size, unit
        while b > rounding:
            rest = a % b
            a, b = b, min(rest, b - rest)
        unit = a
        if unit < COARSEST * largest:
            return 0.0
    return unit
