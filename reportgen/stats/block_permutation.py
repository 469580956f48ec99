r"""Tests of complete blocks by permuting the labels within the blocks.

Every test here compares sums of the candidates' scores, and every score will
do: ranks within blocks (Friedman; Wilcoxon, Nemenyi, McDonald and Thompson;
Nemenyi, Wilcoxon, Wilcox and Miller), aligned ranks (Hodges and Lehmann), or the
performances (Hothorn et al., Tukey). The sum of squares about the block means is
the same for every arrangement of the labels, so each statistic need not be
studentised: a function of the sums gives the same p-value.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.ranks import check_blocks
from reportgen.stats.sum_law import SumLaw

Array = NDArray[np.float64]
Alternative = Literal["two-sided", "less", "greater"]

SLACK = 1e-12  # of a standardised statistic: smaller differences are rounding


@dataclass(frozen=True, slots=True)
class EqualityPermutation:
    """Permutation test that all candidates are alike.

    Attributes
    ----------
    statistic : float
        (K - 1) times the sum of squared sums about their mean over the sum of
        squared scores about the block means: Friedman's with ranks. 0 when
        every block is fully tied.
    p_value : float
    standard_error : float
        Of the p-value, by Monte Carlo; 0 when it is exact.
    n_draws : int or None
        Number of random arrangements; None when it is exact.
    """

    statistic: float
    p_value: float
    standard_error: float
    n_draws: int | None


@dataclass(frozen=True, slots=True)
class SumComparisons:
    """Differences of the sums of candidates, first - second.

    Attributes
    ----------
    first, second : ndarray of shape (P,), int
        Columns.
    differences : ndarray of shape (P,)
        Of the sums.
    statistics : ndarray of shape (P,)
        Divided by their standard deviation; 0 where that is 0.
    p_values : ndarray of shape (P,)
        Single step: each is the probability that the largest of all
        statistics is at least as large.
    standard_errors : ndarray of shape (P,)
        Of the p-values, by Monte Carlo; 0 when they are exact.
    variance : float
        Of a difference when all arrangements are equally likely.
    n_draws : int or None
        Number of random arrangements; None when the p-values are exact.
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    differences: Array
    statistics: Array
    p_values: Array
    standard_errors: Array
    variance: float
    n_draws: int | None


def permuted_equality(scores: Array, law: SumLaw) -> EqualityPermutation:
    """Test that all candidates are alike by the sum of the squared sums.

    Parameters
    ----------
    scores : ndarray of shape (B, K)
        Of complete blocks: ranks within blocks for Friedman's test, aligned
        ranks for that of Hodges and Lehmann, performances for the block F.
    law : SumLaw
        Of the same scores, `sum_law(scores, rng)`.

    Returns
    -------
    EqualityPermutation

    Raises
    ------
    ValueError
        If the law is that of another number of candidates.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, sections 7.1 and 7.5 (comment 8).
    .. [2] J. L. Hodges and E. L. Lehmann (1962), "Rank methods for combination
       of independent experiments in analysis of variance", Annals of
       Mathematical Statistics 33.

    Examples
    --------
    >>> from reportgen.stats.sum_law import sum_law
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    >>> test = permuted_equality(ranks, sum_law(ranks, np.random.default_rng(1)))
    >>> round(test.statistic, 4), round(test.p_value, 4), test.n_draws
    (4.6667, 0.1944, None)
    """
    sums, within = _standing(scores, law)
    if within == 0:
        return EqualityPermutation(0.0, 1.0, 0.0, law.n_draws)
    scale = (scores.shape[1] - 1) / within
    statistic = scale * float(sums @ sums)
    p, error = law.tail(scale * (law.sums**2).sum(axis=1), np.array([statistic]), SLACK)
    return EqualityPermutation(statistic, float(p[0]), float(error[0]), law.n_draws)


def permuted_pairs(scores: Array, law: SumLaw) -> SumComparisons:
    r"""Compare all pairs of sums by the law of their largest difference.

    Controls the family-wise error when all candidates are alike. When only some
    are, it does so for performances and for aligned ranks as far as all
    differences vary alike; for ranks within blocks the p-value of a pair depends
    on the others ranked with it [1]_: see `closed_rank_tests`.

    Parameters
    ----------
    scores : ndarray of shape (B, K)
        As for `permuted_equality`; with ranks within blocks it is the test of
        Wilcoxon, Nemenyi, McDonald and Thompson.
    law : SumLaw
        Of the same scores.

    Returns
    -------
    SumComparisons
        Of all pairs, first < second, in lexical order.

    Raises
    ------
    ValueError
        If the law is that of another number of candidates.

    Notes
    -----
    The variance is :math:`2/(K-1) \sum_b \sum_k (s_{bk} - \bar s_b)^2`, the
    same for all pairs.

    References
    ----------
    .. [1] A. Benavoli, G. Corani and F. Mangili (2016), "Should we really use
       post-hoc tests based on mean-ranks?", JMLR 17.

    Examples
    --------
    >>> from reportgen.stats.sum_law import sum_law
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    >>> pairs = permuted_pairs(ranks, sum_law(ranks, np.random.default_rng(1)))
    >>> pairs.differences
    array([-4., -5., -1.])
    >>> pairs.p_values.round(4)
    array([0.3611, 0.1944, 0.9444])
    """
    first, second = np.array(list(combinations(range(scores.shape[1]), 2)), dtype=np.intp).T
    sums, within = _standing(scores, law)
    found = _Statistics(sums[first] - sums[second], _variance(within, scores.shape[1]))
    p, error = law.tail(np.ptp(law.sums, axis=1), np.abs(found.differences), found.slack)
    return found.compared(first, second, p, error, law.n_draws)


def permuted_reference(
    scores: Array, law: SumLaw, reference: int, alternative: Alternative = "two-sided"
) -> SumComparisons:
    """Compare every candidate with a reference by the law of the largest difference.

    With ranks within blocks it is the test of Nemenyi, Wilcoxon, Wilcox and
    Miller; it controls the family-wise error when all candidates are alike.

    Parameters
    ----------
    scores : ndarray of shape (B, K)
        As for `permuted_equality`.
    law : SumLaw
        Of the same scores.
    reference : int
        Column of the reference.
    alternative : {"two-sided", "less", "greater"}
        What is looked for in candidate - reference.

    Returns
    -------
    SumComparisons
        Of every other column (first) with the reference (second).

    Raises
    ------
    ValueError
        If there is no such column or alternative, or the law is that of another
        number of candidates.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, section 7.4.

    Examples
    --------
    >>> from reportgen.stats.sum_law import sum_law
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    >>> law = sum_law(ranks, np.random.default_rng(1))
    >>> permuted_reference(ranks, law, reference=0, alternative="greater").p_values.round(4)
    array([0.1481, 0.0648])
    """
    others = others_of(reference, scores.shape[1])
    sums, within = _standing(scores, law)
    found = _Statistics(sums[others] - sums[reference], _variance(within, scores.shape[1]))
    fold = directed(alternative)
    labels = [reference] if law.n_draws else range(scores.shape[1])
    sides = (np.delete(law.sums, j, axis=1) - law.sums[:, [j]] for j in labels)
    statistics = np.column_stack([fold(side).max(axis=1) for side in sides])
    p, error = law.tail(statistics, fold(found.differences), found.slack)
    return found.compared(others, np.full(len(others), reference), p, error, law.n_draws)


def others_of(reference: int, n_candidates: int) -> NDArray[np.intp]:
    """Return all columns but that of the reference, or say that there is none.

    Examples
    --------
    >>> others_of(1, 4)
    array([0, 2, 3])
    """
    if not 0 <= reference < n_candidates:
        raise ValueError(f"the reference must be a column below {n_candidates}, got {reference}")
    return np.delete(np.arange(n_candidates, dtype=np.intp), reference)


def directed(alternative: Alternative) -> np.ufunc:
    """Return the function that is large where a difference speaks against equality.

    Examples
    --------
    >>> directed("less")(np.array([-2.0, 1.0]))
    array([ 2., -1.])
    """
    folds: dict[str, np.ufunc] = {"two-sided": np.abs, "less": np.negative, "greater": np.positive}
    if alternative not in folds:
        raise ValueError(f"the alternative must be one of {', '.join(folds)}, got {alternative!r}")
    return folds[alternative]


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Differences of sums with their variance."""

    differences: Array
    variance: float

    @property
    def slack(self) -> float:
        """Rounding of a difference."""
        return SLACK * sqrt(self.variance)

    def compared(
        self,
        first: NDArray[np.intp],
        second: NDArray[np.intp],
        p_values: Array,
        errors: Array,
        n_draws: int | None,
    ) -> SumComparisons:
        """Put the comparisons together; without variance every p-value is 1."""
        scale = sqrt(self.variance)
        statistics = self.differences / scale if scale else np.zeros(len(first))
        p_values, errors = (p_values, errors) if scale else (np.ones(len(first)), 0 * errors)
        return SumComparisons(
            first, second, self.differences, statistics, p_values, errors, self.variance, n_draws
        )


def _standing(scores: Array, law: SumLaw) -> tuple[Array, float]:
    """Return the sums about their mean, and the sum of squares about the block means."""
    if check_blocks(scores).shape[1] != law.sums.shape[1]:
        raise ValueError(
            f"the law is of {law.sums.shape[1]} candidates, the scores of {scores.shape[1]}"
        )
    within = scores - scores.mean(axis=1, keepdims=True)
    within = np.where(np.ptp(scores, axis=1, keepdims=True) > 0, within, 0.0)
    sums: Array = within.sum(axis=0)
    return sums, float((within**2).sum())


def _variance(within: float, n_candidates: int) -> float:
    """Return the variance of a difference of two sums."""
    return 2 * within / (n_candidates - 1)
