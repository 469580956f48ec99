r"""Wilcoxon's signed rank test on accumulating replications.

The sum of the ranks of the positive differences is the number of pairs i <= j with
d_i + d_j > 0, and half of those with 0. So a further difference is compared with those
before it, all at once by halves; ties enter the variance through the sizes of their
groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.stats.block_scores import Alternative
from reportgen.stats.sequential.tracks import Track, looks, one_or_two_sided
from reportgen.stats.signed_rank import EXACT_UP_TO, Zeros, signed_rank

Array = NDArray[np.float64]
Law = Literal["corrected", "normal", "default", "exact"]

DEFAULT_EXACT_BELOW = 50  # nonzero differences: what wilcox.test of R does


@dataclass(frozen=True, slots=True)
class _Sums:
    """Running sums after each replication, shape (..., B).

    Attributes
    ----------
    statistic : ndarray
        Sum of the ranks of the positive differences among the nonzero ones.
    tied : ndarray
        Sum of t^3 - t over groups of t nonzero differences of one size.
    positive, nonzero : ndarray
        Numbers of differences.
    """

    statistic: Array
    tied: Array
    positive: Array
    nonzero: Array


def signed_rank_track(
    differences: Array,
    burn_in: int = 1,
    alternative: Alternative = "two-sided",
    law: Law = "exact",
    zeros: Zeros = "pratt",
) -> Track:
    r"""Follow Wilcoxon's signed rank test.

    Parameters
    ----------
    differences : ndarray of shape (..., B)
        Finite, in the order of the replications.
    burn_in : int, default 1
    alternative : {"two-sided", "less", "greater"}
    law : {"exact", "corrected", "normal", "default"}
        Exact with the ties and zeros there are, as `signed_rank` is; the normal
        law with or without a correction for continuity; or what R does without
        options: exact below 50 differences without ties and zeros, else corrected.
    zeros : {"pratt", "wilcoxon"}
        Differences of 0 are ranked with the others, or left out before ranking.

    Returns
    -------
    Track
        The effect is the rank-biserial correlation: the positive share of the
        ranks less the negative one.

    Raises
    ------
    ValueError
        If differences are not finite, the burn-in does not fit, or an option is
        unknown.

    Notes
    -----
    With n nonzero differences, z zeros and tied groups of sizes t, ranks r,
    :math:`\sum r = n(n+1)/2` and :math:`\sum r^2 = n(n+1)(2n+1)/6 -
    \sum (t^3 - t)/12`. Pratt's ranks are larger by z. A further member of a
    group of t adds :math:`3t(t+1)` to its :math:`t^3 - t`.

    Without ties and zeros the exact law grows by one convolution a look; a tied
    sample is a new law at each look, up to 300 nonzero differences: over many
    orders of tied replications take the corrected normal law.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, sections 3.1 and 3.2.

    Examples
    --------
    >>> d = np.array([1.0, 2.0, -0.5, 4.0, 3.0])
    >>> track = signed_rank_track(d, burn_in=4)
    >>> track.statistics, track.p_values
    (array([ 9., 14.]), array([0.25 , 0.125]))
    """
    if law not in ("corrected", "normal", "default", "exact"):
        raise ValueError(f"there is no such law: {law!r}")
    if zeros not in ("pratt", "wilcoxon"):
        raise ValueError(f"zeros must be 'pratt' or 'wilcoxon', got {zeros!r}")
    d, n = looks(differences, burn_in)
    sums = _running(d)
    n_zeros = np.arange(1, d.shape[-1] + 1) - sums.nonzero if zeros == "pratt" else 0.0
    statistic = sums.statistic + n_zeros * sums.positive
    total, variance = _moments(sums, n_zeros)
    p_values = _normal(statistic - total / 2, variance, alternative, law != "normal")
    if law in ("default", "exact"):
        _put_exact(p_values, d, sums, alternative, law, zeros)
    effects = np.divide(2 * statistic - total, total, out=np.zeros(d.shape), where=total > 0)
    kept = np.s_[..., burn_in - 1 :]
    return Track(n, statistic[kept], p_values[kept], effects[kept])


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
    """Count the earlier entries of each row, but zeros, above a bound and equal to it.

    Parameters
    ----------
    codes, bounds : ndarray of shape (R, B)

    Returns
    -------
    tuple of two ndarrays of shape (R, B)

    Notes
    -----
    Halves of halves of a row: the entries of each left half are sorted, and the
    bounds of its right half looked up among them. The time grows as B log^2 B.

    Examples
    --------
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
        asked = first + bounds[:, ~is_left] - low
        below, upto = np.searchsorted(keys, asked), np.searchsorted(keys, asked, "right")
        above[:, ~is_left] += np.searchsorted(keys, first + span) - upto
        equal[:, ~is_left] += upto - below
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


def _moments(sums: _Sums, n_zeros: Array | float) -> tuple[Array, Array]:
    """Return the sum of the ranks, and the variance of that of random signs."""
    n = sums.nonzero
    plain, squares = n * (n + 1) / 2, n * (n + 1) * (2 * n + 1) / 6 - sums.tied / 12
    total = plain + n_zeros * n
    return total, (squares + 2 * n_zeros * plain + n_zeros**2 * n) / 4


def _normal(distance: Array, variance: Array, alternative: Alternative, corrected: bool) -> Array:
    """Return p-values by the normal law; 1 without a nonzero difference."""
    half = 0.5 if corrected else 0.0
    scale = np.sqrt(np.where(variance > 0, variance, 1.0))
    less, greater = ndtr((distance + half) / scale), ndtr((half - distance) / scale)
    p_values = one_or_two_sided(less, greater, alternative)
    return np.where(variance > 0, p_values, 1.0)


def _put_exact(
    p_values: Array, d: Array, sums: _Sums, alternative: Alternative, law: Law, zeros: Zeros
) -> None:
    """Replace p-values by exact ones where the law asks for them."""
    place = np.arange(1, d.shape[-1] + 1)
    plain = (sums.tied == 0) & (sums.nonzero == place)
    below = DEFAULT_EXACT_BELOW if law == "default" else EXACT_UP_TO + 1
    lower = np.ones(1)
    for n in range(1, min(d.shape[-1], below - 1) + 1):
        lower = _grown(lower, n)
        here = plain[..., n - 1]
        sum_ = sums.statistic[..., n - 1][here].astype(np.intp)
        cumulative = lower.cumsum()
        tails = cumulative[sum_], cumulative[len(lower) - 1 - sum_]
        p_values[..., n - 1][here] = one_or_two_sided(*tails, alternative)
    if law == "exact":
        for index in np.argwhere(~plain):
            *row, last = index.tolist()
            sample = d[(*row, slice(last + 1))]
            p_values[(*row, last)] = signed_rank(sample, alternative, zeros).p_value


def _grown(law: Array, rank: int) -> Array:
    """Return the law of the sum of ranks 1, ..., `rank` with random signs."""
    longer = np.zeros(len(law) + rank)
    longer[: len(law)] = law / 2
    longer[rank:] += law / 2
    return longer
