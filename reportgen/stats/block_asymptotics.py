r"""Tests of complete blocks by the limit law of sums under permutation within blocks.

With many blocks the sums of the candidates' scores are jointly normal, with the
same variance and the same covariance for all when every arrangement of a block
is equally likely: a sum of squares is chi-squared, the largest of all differences
a range of normals, the largest difference from a reference Dunnett's. For ranks
within blocks these are `friedman` and `compare_rank_sums`; for aligned ranks the
tests of Hodges and Lehmann.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from reportgen.stats import dunnett_law, studentized_range
from reportgen.stats.block_scores import (
    Alternative,
    SumComparisons,
    SumEquality,
    column_pairs,
    directed,
    standing,
    with_reference,
)

Array = NDArray[np.float64]


def asymptotic_equality(scores: Array) -> SumEquality:
    """Test that all candidates are alike by the sum of the squared sums.

    Parameters
    ----------
    scores : ndarray of shape (B, K)
        Of complete blocks, such as ranks within blocks or aligned ranks.

    Returns
    -------
    SumEquality
        By the chi-squared law on K - 1 degrees of freedom.

    Raises
    ------
    ValueError
        If `scores` is not a complete matrix with a block and two columns.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> round(asymptotic_equality(ranks).p_value, 4)
    0.1482
    """
    found = standing(scores)
    p = float(chdtrc(scores.shape[1] - 1, found.statistic))
    return SumEquality(found.statistic, p, 0.0, "asymptotic", None)


def asymptotic_pairs(scores: Array) -> SumComparisons:
    """Compare all pairs of sums by the law of their largest difference.

    Parameters
    ----------
    scores : ndarray of shape (B, K)
        As for `asymptotic_equality`.

    Returns
    -------
    SumComparisons
        Of all pairs, first < second, in lexical order.

    Raises
    ------
    ValueError
        If `scores` is not a complete matrix with a block and two columns.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> asymptotic_pairs(ranks).p_values.round(4)
    array([0.4069, 0.1333, 0.7982])
    """
    found = standing(scores)
    first, second = column_pairs(scores.shape[1])
    distances = np.abs(found.sums[first] - found.sums[second])
    scale = sqrt(2 / found.variance) if found.variance else 0.0
    p_values = studentized_range.survival(distances * scale, scores.shape[1])
    return found.compare(first, second, p_values)


def asymptotic_reference(
    scores: Array, reference: int, alternative: Alternative = "two-sided"
) -> SumComparisons:
    """Compare every candidate with a reference by the law of the largest difference.

    With ranks within blocks it is the test of Nemenyi, Wilcoxon, Wilcox and
    Miller; it controls the family-wise error when all candidates are alike.

    Parameters
    ----------
    scores : ndarray of shape (B, K)
        As for `asymptotic_equality`.
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
        If there is no such column or alternative, or `scores` is not a complete
        matrix with a block and two columns.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, section 7.4.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> asymptotic_reference(ranks, reference=0, alternative="greater").p_values.round(4)
    array([0.1682, 0.0497])
    """
    found, fold = standing(scores), directed(alternative)
    first, second = with_reference(reference, scores.shape[1])
    scale = 1 / sqrt(found.variance) if found.variance else 0.0
    observed = fold(found.sums[first] - found.sums[second]) * scale
    is_two_sided = alternative == "two-sided"
    return found.compare(
        first, second, dunnett_law.survival(observed, len(first), two_sided=is_two_sided)
    )
