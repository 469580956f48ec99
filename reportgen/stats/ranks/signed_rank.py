r"""Wilcoxon's signed rank test, exact with ties and zeros.

Under the hypothesis that differences are symmetric about 0, every nonzero one is
positive or negative with equal probability, given the ranks of their sizes. The
law of the sum of the ranks of the positive ones is a convolution of two-point
laws on the half integers, whatever ties there are.

scipy.stats.wilcoxon is exact without ties and zeros only: with them it takes the
normal law, or all signs of few differences.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.stats.arrays import Array
from reportgen.stats.permutation.block_sums import Alternative, directed
from reportgen.stats.ranks.ranks import levelled, within_block_ranks

Zeros = Literal["pratt", "wilcoxon"]

EXACT_UP_TO = 300  # nonzero differences: 20 milliseconds, and the normal law is good to 1e-4


@dataclass(frozen=True, slots=True)
class SignedRank:
    """Wilcoxon's signed rank test of one sample of differences.

    Attributes
    ----------
    statistic : float
        Sum of the ranks of the positive differences.
    expectation, variance : float
        Of the statistic when signs are random, given ties and zeros.
    p_value : float
        1 when every difference is 0.
    n_zeros : int
        Differences that are 0.
    is_exact : bool
        Else by the normal law without a correction for continuity.
    """

    statistic: float
    expectation: float
    variance: float
    p_value: float
    n_zeros: int
    is_exact: bool

    @property
    def z(self) -> float:
        """The statistic standardised; 0 when every difference is 0."""
        return (self.statistic - self.expectation) / sqrt(self.variance) if self.variance else 0.0


def signed_rank(
    differences: Array,
    alternative: Alternative = "two-sided",
    zeros: Zeros = "pratt",
    sizes: Array | None = None,
) -> SignedRank:
    r"""Test that differences are symmetric about 0 by their signed ranks.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        n >= 1 finite numbers.
    alternative : {"two-sided", "less", "greater"}
        Side of 0 on which they are looked for.
    zeros : {"pratt", "wilcoxon"}
        What becomes of differences of 0: ranked with the others, their ranks
        then left out (Pratt [2]_), or left out before ranking (Wilcoxon).
    sizes : ndarray of shape (n,), optional
        Sizes of the numbers that were subtracted: differences that only their
        rounding separates, or separates from 0, are tied.

    Returns
    -------
    SignedRank

    Raises
    ------
    ValueError
        If there is no difference, one is not finite, or an option is unknown.

    Notes
    -----
    Exact up to 300 nonzero differences, ties and zeros as they are; beyond, the
    normal law with variance :math:`\sum r^2 / 4` of the ranks r of the nonzero
    differences, which is the correction for ties and zeros.

    References
    ----------
    .. [1] F. Wilcoxon (1945), "Individual comparisons by ranking methods",
       Biometrics Bulletin 1.
    .. [2] J. W. Pratt (1959), "Remarks on zeros and ties in the Wilcoxon signed
       rank procedures", JASA 54.

    Examples
    --------
    >>> test = signed_rank(np.array([0.0, 1.0, 2.0, -1.0, 4.0, 3.0]))
    >>> test.statistic, test.p_value, test.n_zeros
    (17.5, 0.1875, 1)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1:
        raise ValueError(f"differences must be a row of finite numbers, got {differences!r}")
    return signed_ranks(d[None], alternative, zeros, None if sizes is None else sizes[None])[0]


def signed_ranks(
    differences: Array,
    alternative: Alternative = "two-sided",
    zeros: Zeros = "pratt",
    sizes: Array | None = None,
) -> list[SignedRank]:
    """Test each row of differences as `signed_rank` does.

    Parameters
    ----------
    differences, sizes : ndarray of shape (P, n)
    alternative, zeros
        As of `signed_rank`.

    Examples
    --------
    >>> tests = signed_ranks(np.array([[1.0, 2.0, -3.0, 4.0], [0.0, 1.0, 2.0, 3.0]]))
    >>> [test.p_value for test in tests]
    [0.625, 0.25]
    """
    if not differences.shape[1] or not np.isfinite(differences).all():
        raise ValueError(f"differences must be rows of finite numbers, got {differences!r}")
    if zeros not in ("pratt", "wilcoxon"):
        raise ValueError(f"zeros must be 'pratt' or 'wilcoxon', got {zeros!r}")
    magnitudes = _magnitudes(differences, sizes)
    n_zeros = (magnitudes == 0).sum(axis=1)
    ranks = within_block_ranks(magnitudes)  # those of zeros are the smallest
    if zeros == "wilcoxon":
        ranks -= n_zeros[:, None]
    return [
        _test(row[size > 0], sign[size > 0] > 0, int(n), alternative)
        for row, size, sign, n in zip(ranks, magnitudes, differences, n_zeros, strict=True)
    ]


def _test(
    ranks: Array, is_positive: NDArray[np.bool_], n_zeros: int, alternative: Alternative
) -> SignedRank:
    """Test by the ranks and signs of the nonzero differences."""
    fold = directed(alternative)
    statistic = float(ranks[is_positive].sum())
    expectation, variance = float(ranks.sum()) / 2, float((ranks**2).sum()) / 4
    distance = float(fold(statistic - expectation))
    is_exact = len(ranks) <= EXACT_UP_TO
    if is_exact:
        upper = _exact_tail(np.rint(2 * ranks).astype(np.int64), distance)
    else:
        upper = float(ndtr(-distance / sqrt(variance)))
    p = min(1.0, 2 * upper) if alternative == "two-sided" else upper
    return SignedRank(statistic, expectation, variance, p, n_zeros, is_exact)


def _magnitudes(differences: Array, sizes: Array | None) -> Array:
    """Return how far the differences are from 0, equal where they are so but for noise."""
    if sizes is None:
        return np.abs(differences)
    zero = np.zeros((len(differences), 1))
    ends = np.hstack([zero, np.abs(differences)])
    return levelled(ends, np.hstack([zero, sizes]))[:, 1:]


def _exact_tail(doubled: NDArray[np.int64], distance: float) -> float:
    """Return the probability of a sum of ranks at least `distance` above its expectation.

    By symmetry that is the probability of a sum as far below it: no larger sums
    need be counted.
    """
    unit = int(np.gcd.reduce(doubled)) if len(doubled) else 1
    total = int(doubled.sum()) // unit
    first = total + round(4 * distance) / unit  # twice the place
    last = total - max(0, ceil(first / 2))
    if last < 0:
        return 0.0
    counts = np.zeros(last + 1)
    counts[0], reached = 1.0, 1  # counts of up to 300 signs, at most 2^300, are floats
    for step in np.sort(doubled // unit).tolist():
        if step > last:
            break
        n = min(reached, last + 1 - step)
        counts[step : n + step] += counts[:n].copy()
        reached = min(reached + step, last + 1)
    return float(counts.sum() * 0.5 ** len(doubled))
