"""Signed rank and permutation tests of paired differences on accumulating replications.

The sum of the ranks of the positive differences is the number of pairs i <= j with
d_i + d_j > 0, and half of those with 0. So each difference is compared with those
before it, all at once by halves; ties enter the variance through the sizes of their
groups.

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
.. [3] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric Statistical Methods, 3rd
   edition, sections 3.1 and 3.2.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.permutation.block_sums import Alternative
from reportgen.stats.permutation.block_tests import SLACK
from reportgen.stats.permutation.paired import all_sums
from reportgen.stats.sequential.paths import SequentialPath, looks, one_or_two_sided, paired_t_path

Looks = NDArray[np.intp]

EXACT_BELOW = 50  # nonzero differences: what wilcox.test of R does


@dataclass(frozen=True, slots=True)
class _Sums:
    """Running sums after each replication, shape (..., B), of the differences that are not 0."""

    statistic: Array  # sum of the ranks of the positive ones
    tied: Array  # sum of t^3 - t over groups of t of one size
    positive: Array  # how many are
    nonzero: Array


def signed_rank_path(
    differences: Array,
    burn_in: int = 1,
    alternative: Alternative = "two-sided",
    at: Looks | None = None,
) -> SequentialPath:
    r"""Follow Wilcoxon's signed rank test; `at` as of `paired_t_path`.

    The effect is the rank-biserial correlation: the positive share of the ranks less the negative
    one. As `wilcox.test` of R does without options, p-values are exact below 50 differences
    without ties and zeros, else by the normal law with a correction for continuity; but zeros are
    ranked with the others (Pratt) instead of left out.

    With n nonzero differences, z zeros and tied groups of sizes t, ranks r,
    :math:`\sum r = n(n+1)/2` and :math:`\sum r^2 = n(n+1)(2n+1)/6 -
    \sum (t^3 - t)/12` [3]_. Pratt's ranks are larger by z. A further member of a
    group of t adds :math:`3t(t+1)` to its :math:`t^3 - t`. The exact law grows by
    one convolution a look.

    >>> d = np.array([1.0, 2.0, -0.5, 4.0, 3.0])
    >>> path = signed_rank_path(d, burn_in=4)
    >>> path.statistics, path.p_values
    (array([ 9., 14.]), array([0.25 , 0.125]))
    """
    d, every = looks(differences, burn_in)
    n = every if at is None else at
    sums = _running(d)
    n_zeros = np.arange(1, d.shape[-1] + 1) - sums.nonzero
    statistic = sums.statistic + n_zeros * sums.positive
    total, variance = _moments(sums, n_zeros)
    p_values = one_or_two_sided(*normal_tails(statistic - total / 2, variance), alternative)
    _put_exact(p_values, sums, alternative)
    effects = np.divide(2 * statistic - total, total, out=np.zeros(d.shape), where=total > 0)
    return SequentialPath(n, *(found[..., n - 1] for found in (statistic, p_values, effects)))


def _running(d: Array) -> _Sums:
    """Compare every difference with those before it."""
    rows = d.reshape(-1, d.shape[-1])
    sizes = np.unique(np.abs(rows), return_inverse=True)[1].reshape(rows.shape) + 1
    codes = np.where(rows > 0, sizes, -sizes)
    codes[rows == 0] = 0  # in the order of the differences, and -code is that of -d
    higher, same = earlier_above(codes, -codes)
    rises = np.where(rows != 0, higher + same / 2, 0.0) + (rows > 0)
    alike = np.where(rows != 0, _earlier_alike(np.abs(codes)), 0)
    grown = 3.0 * alike * (alike + 1)
    found = (rises, grown, rows > 0, rows != 0)
    return _Sums(*(x.cumsum(axis=-1, dtype=np.float64).reshape(d.shape) for x in found))


def earlier_above(
    codes: NDArray[np.intp], bounds: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Count the earlier entries of each row (R, B), but zeros, above a bound and equal to it.

    Halves of halves of a row: the entries of each left half are sorted, and the bounds of its
    right half looked up among them. The time grows as B log^2 B.

    >>> above, equal = earlier_above(np.array([[2, 1, 3]]), np.array([[1, 1, 2]]))
    >>> above, equal
    (array([[0, 1, 0]]), array([[0, 0, 1]]))
    """
    n_rows, n = codes.shape
    above, equal = np.zeros(codes.shape, np.intp), np.zeros(codes.shape, np.intp)
    low = min(int(codes.min()), int(bounds.min()))
    span = max(int(codes.max()), int(bounds.max())) - low + 2
    place, half = np.arange(n), 1
    while half < n:
        block = np.arange(n_rows)[:, None] * (n // (2 * half) + 1) + place // (2 * half)
        is_left = (place // half) % 2 == 0
        left = (block * span + codes - low)[:, is_left]
        keys = np.sort(left[codes[:, is_left] != 0])
        first = block[:, ~is_left] * span
        bound_keys = first + bounds[:, ~is_left] - low
        n_below = np.searchsorted(keys, bound_keys)
        n_not_above = np.searchsorted(keys, bound_keys, "right")
        above[:, ~is_left] += np.searchsorted(keys, first + span) - n_not_above
        equal[:, ~is_left] += n_not_above - n_below
        half *= 2
    return above, equal


def _earlier_alike(codes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Count the earlier entries of each row that are the same."""
    order = np.argsort(codes, axis=-1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=-1)
    place = np.broadcast_to(np.arange(codes.shape[-1]), codes.shape)
    is_new = np.ones(codes.shape, dtype=bool)
    is_new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    first = np.maximum.accumulate(np.where(is_new, place, 0), axis=-1)
    counts = np.empty(codes.shape, np.intp)
    np.put_along_axis(counts, order, place - first, axis=-1)
    return counts


def _moments(sums: _Sums, n_zeros: Array) -> tuple[Array, Array]:
    """Return the sum of the ranks, and the variance of that of random signs."""
    n = sums.nonzero
    plain, squares = n * (n + 1) / 2, n * (n + 1) * (2 * n + 1) / 6 - sums.tied / 12
    total = plain + n_zeros * n
    return total, (squares + 2 * n_zeros * plain + n_zeros**2 * n) / 4


def normal_tails(distance: Array, variance: Array) -> tuple[Array, Array]:
    """Return both one-sided p-values of signed ranks by the normal law, corrected for continuity.

    `distance` is that of the statistic from its expectation. Without a nonzero difference the
    variance is 0, and both p-values are 1.

    >>> less, greater = normal_tails(np.array([3.0]), np.array([4.0]))
    >>> less.round(4), greater.round(4)
    (array([0.9599]), array([0.1056]))
    """
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    less, greater = ndtr((distance + 0.5) / scale), ndtr((0.5 - distance) / scale)
    return np.where(variance > 0, less, 1.0), np.where(variance > 0, greater, 1.0)


def _put_exact(p_values: Array, sums: _Sums, alternative: Alternative) -> None:
    """Replace p-values of few differences without ties and zeros by exact ones."""
    most = p_values.shape[-1]
    plain = (sums.tied == 0) & (sums.nonzero == np.arange(1, most + 1))
    lower = np.ones(1)
    for n in range(1, min(most, EXACT_BELOW - 1) + 1):
        lower = _grown(lower, n)
        here = plain[..., n - 1]
        sum_ = sums.statistic[..., n - 1][here].astype(np.intp)
        cumulative = lower.cumsum()
        tails = cumulative[sum_], cumulative[len(lower) - 1 - sum_]
        p_values[..., n - 1][here] = one_or_two_sided(*tails, alternative)


def _grown(law: Array, rank: int) -> Array:
    """Return the law of the sum of ranks 1, ..., `rank` with random signs."""
    longer = np.zeros(len(law) + rank)
    longer[: len(law)] = law / 2
    longer[rank:] += law / 2
    return longer


ALL_SIGNS_UP_TO = 13  # nonzero differences: 2^13 sums
MOST_STEPS = 100  # of Newton's method, which reaches the saddlepoint from below
CONVERGED = 1e-10
AT_ONCE = 2_000_000  # hyperbolic tangents held in memory
COARSEST = 1e-4  # of the largest difference: finer lattices are as good as continuous
UNEVEN = 0.2  # share of one difference in the sum of squares from which it is singled out
N_LARGEST = 5  # differences of which all signs are taken then
NEAR_CENTRE = 1e-4  # saddlepoint at which the formula is 0/0, and its limit is taken


def permutation_path(
    differences: Array,
    burn_in: int = 2,
    alternative: Alternative = "two-sided",
    at: Looks | None = None,
) -> SequentialPath:
    r"""Follow the permutation law of Student's paired t statistic; `at` as of `paired_t_path`.

    The p-value is exact up to 13 differences that are not 0. Beyond, with
    :math:`K(t) = \sum \log \cosh(t |d_i|)`, :math:`K'(\hat t) = s`,
    :math:`w = \sqrt{2 (\hat t s - K(\hat t))}` and :math:`u = \hat t \sqrt{K''(\hat t)}`, the
    tail is :math:`1 - \Phi(w) + \varphi(w) (1/u - 1/w)` [2]_. Differences that are
    multiples of one number have sums on a lattice: s is then taken half a step nearer to 0.
    Where one difference has more than a fifth of the sum of squares, all signs of the five
    largest are taken, and the tail of the rest is averaged over them. The time grows with the
    square of the replications.

    >>> path = permutation_path(np.array([1.0, 2.0, 3.0, 4.0, -1.0]), burn_in=4)
    >>> path.p_values
    array([0.125 , 0.1875])
    """
    plain = paired_t_path(differences, burn_in, alternative, at)
    d = np.asarray(differences, dtype=np.float64)
    tails = np.array([_tails(row, plain.n) for row in d.reshape(-1, d.shape[-1])])
    less, greater = (tails[:, side].reshape(plain.p_values.shape) for side in (0, 1))
    p_values = one_or_two_sided(less, greater, alternative)
    return SequentialPath(plain.n, plain.statistics, p_values, plain.effects)


def _tails(d: Array, n: Looks) -> Array:
    """Return both one-sided p-values at the looks, shape (2, N)."""
    sums, counts = d.cumsum()[n - 1], np.cumsum(d != 0)[n - 1]
    found = np.empty((2, len(n)))
    few = counts <= ALL_SIGNS_UP_TO
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
