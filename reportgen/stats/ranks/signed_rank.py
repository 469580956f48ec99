r"""Wilcoxon's signed rank test, exact with ties and zeros.

Under the hypothesis that differences are symmetric about 0, every nonzero one is
positive or negative with equal probability, given the ranks of their sizes. The
law of the sum of the ranks of the positive ones is a convolution of two-point
laws on the half integers, whatever ties there are.

scipy.stats.wilcoxon is exact without ties and zeros only: with them it takes the
normal law, or all signs of few differences.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.permutation.block_sums import Alternative, directed
from reportgen.stats.ranking import levelled, within_block_ranks

Zeros = Literal["pratt", "wilcoxon"]

AT_ONCE = 2**20  # differences at a time: all pairs of many candidates fill the memory
EXACT_UP_TO = 300  # nonzero differences: 20 milliseconds, and the normal law is good to 1e-4


@dataclass(frozen=True, slots=True)
class SignedRank:
    """Wilcoxon's signed rank test of one sample of differences."""

    statistic: float  # sum of the ranks of the positive differences
    # expectation, variance: of the statistic when signs are random, given ties and zeros
    expectation: float
    variance: float
    p_value: float  # 1 when every difference is 0
    n_zeros: int  # differences that are 0
    is_exact: bool  # else by the normal law without a correction for continuity

    @property
    def z(self) -> float:
        """The statistic standardised; 0 when every difference is 0."""
        return (self.statistic - self.expectation) / sqrt(self.variance) if self.variance else 0.0


def signed_rank_test(
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
    >>> test = signed_rank_test(np.array([0.0, 1.0, 2.0, -1.0, 4.0, 3.0]))
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
    """Test each row of differences as `signed_rank_test` does.

    `differences`, `sizes`: (P, n).
    `alternative`, `zeros`: as of `signed_rank_test`.

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
    found: list[SignedRank] = []
    at_once = max(1, AT_ONCE // differences.shape[1])
    for begin in range(0, len(differences), at_once):
        some = slice(begin, begin + at_once)
        own = None if sizes is None else sizes[some]
        found += _signed_ranks(differences[some], alternative, zeros, own)
    return found


def _signed_ranks(
    differences: Array, alternative: Alternative, zeros: Zeros, sizes: Array | None
) -> list[SignedRank]:
    """Test some rows of differences."""
    magnitudes = _magnitudes(differences, sizes)
    n_zeros = (magnitudes == 0).sum(axis=1)
    ranks = within_block_ranks(magnitudes)  # those of zeros are the smallest
    if zeros == "wilcoxon":
        ranks -= n_zeros[:, None]
    return _tests(ranks, magnitudes > 0, differences > 0, alternative)


def _tests(
    ranks: Array,
    is_ranked: NDArray[np.bool_],
    is_positive: NDArray[np.bool_],
    alternative: Alternative,
) -> list[SignedRank]:
    """Test by the ranks and signs of the nonzero differences, a row a test."""
    fold = directed(alternative)
    ranks = np.where(is_ranked, ranks, 0.0)
    statistics = np.where(is_positive, ranks, 0.0).sum(axis=1)
    expectations, variances = ranks.sum(axis=1) / 2, (ranks**2).sum(axis=1) / 4
    distances = np.asarray(fold(statistics - expectations))
    n = is_ranked.sum(axis=1)
    is_exact = n <= EXACT_UP_TO
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = ndtr(-distances / np.sqrt(variances))
    if is_exact.any():
        doubled = np.rint(2 * ranks[is_exact]).astype(np.int64)
        upper[is_exact] = _exact_tails(doubled, distances[is_exact])
    p_values = np.minimum(1.0, 2 * upper) if alternative == "two-sided" else upper
    n_zeros = ranks.shape[1] - n
    columns = (statistics, expectations, variances, p_values, n_zeros, is_exact)
    return [SignedRank(*row) for row in zip(*(c.tolist() for c in columns), strict=True)]


def _magnitudes(differences: Array, sizes: Array | None) -> Array:
    """Return how far the differences are from 0, equal where they are so but for noise."""
    if sizes is None:
        return np.abs(differences)
    zero = np.zeros((len(differences), 1))
    ends = np.hstack([zero, np.abs(differences)])
    return levelled(ends, np.hstack([zero, sizes]))[:, 1:]


def _exact_tails(doubled: NDArray[np.int64], distances: Array) -> Array:
    """Return the probabilities of sums of ranks at least as far above expectations, by row."""
    # Rows of the same ranks, those without ties, have one law. A rank of 0 is none.
    laws = np.sort(doubled, axis=1)
    rows_as_bytes = laws.view(np.dtype((np.void, laws.itemsize * laws.shape[1]))).ravel()
    _, first, law_of = np.unique(rows_as_bytes, return_index=True, return_inverse=True)
    laws, order = laws[first], np.argsort(law_of, kind="stable")
    bounds = np.searchsorted(law_of[order], np.arange(1, len(laws)))
    found = np.empty(len(doubled))
    for law, rows in zip(laws, np.split(order, bounds), strict=True):
        found[rows] = _tails(law[law > 0], distances[rows])
    return found


def _tails(doubled: NDArray[np.int64], distances: Array) -> Array:
    """Return the probabilities of a sum of ranks at least so far above its expectation."""
    # By symmetry that is the probability of a sum as far below it: no larger sums
    # need be counted.
    # `doubled`: twice the ranks, in order.
    unit = int(np.gcd.reduce(doubled)) if len(doubled) else 1
    total = int(doubled.sum()) // unit
    first = total + np.rint(4 * distances) / unit  # twice the place
    last = total - np.maximum(0, np.ceil(first / 2)).astype(np.int64)
    farthest = int(last.max())
    if farthest < 0:
        return np.zeros(len(last))
    counts = np.zeros(farthest + 1)
    counts[0], reached = 1.0, 1  # counts of up to 300 signs, at most 2^300, are floats
    for step in (doubled // unit).tolist():
        if step > farthest:
            break
        n = min(reached, farthest + 1 - step)
        counts[step : n + step] += counts[:n].copy()
        reached = min(reached + step, farthest + 1)
    upto = np.concatenate([counts.cumsum(), [0.0]])  # the last for sums that cannot be
    return np.asarray(upto[np.maximum(last, -1)] * 0.5 ** len(doubled))
