"""Tests of complete blocks by permutation of the labels within blocks, and by its limit law.

Every test here compares sums of the candidates' scores, and every score will
do: ranks within blocks (Friedman; Wilcoxon, Nemenyi, McDonald and Thompson;
Nemenyi, Wilcoxon, Wilcox and Miller), aligned ranks (Hodges and Lehmann), or the
performances (Hothorn et al., Tukey). The sum of squares about the block means is
the same for every arrangement of the labels, so each statistic need not be
studentised: a function of the sums gives the same p-value.

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

from reportgen.stats.arrays import Array, Indices
from reportgen.stats.distributions import dunnett, studentized_range
from reportgen.stats.permutation.block_sums import (
    Alternative,
    Standing,
    SumComparisons,
    SumEquality,
    SumLaw,
    column_pairs,
    directed,
    standing,
    with_reference,
)

SLACK = 1e-12  # of a standardised statistic: smaller differences are rounding


def permuted_equality(scores: Array, law: SumLaw) -> SumEquality:
    """Test that all candidates are alike by the sum of the squared sums.

    `scores`: (B, K); of complete blocks: ranks within blocks for Friedman's test, aligned ranks for
    that of Hodges and Lehmann, performances for the block F.
    `law`: of the same scores, `sum_law(scores, rng)`.
    Raises ValueError if the law is that of another number of candidates.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, sections 7.1 and 7.5 (comment 8).
    .. [2] J. L. Hodges and E. L. Lehmann (1962), "Rank methods for combination
       of independent experiments in analysis of variance", Annals of
       Mathematical Statistics 33.

    Examples
    --------
    >>> from reportgen.stats.permutation.block_sums import sum_law
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    >>> test = permuted_equality(ranks, sum_law(ranks, np.random.default_rng(1)))
    >>> round(test.statistic, 4), round(test.p_value, 4), test.n_draws
    (4.6667, 0.1944, None)
    """
    found = _standing(scores, law)
    if found.within == 0:
        return SumEquality(0.0, 1.0, 0.0, law.method, law.n_draws)
    statistics = found.scale * (law.sums**2).sum(axis=1)
    p, error = law.tail(statistics, np.array([found.statistic]), SLACK)
    return SumEquality(found.statistic, float(p[0]), float(error[0]), law.method, law.n_draws)


def permuted_pairs(scores: Array, law: SumLaw) -> SumComparisons:
    r"""Compare all pairs of sums by the law of their largest difference.

    Controls the family-wise error when all candidates are alike. When only some
    are, it does so for performances and for aligned ranks as far as all
    differences vary alike; for ranks within blocks the p-value of a pair depends
    on the others ranked with it [1]_: see `closed_rank_tests`.

    `scores`: (B, K); as for `permuted_equality`; with ranks within blocks it is the test of
    Wilcoxon, Nemenyi, McDonald and Thompson.
    `law`: of the same scores.
    Result: of all pairs, first < second, in lexical order.
    Raises ValueError if the law is that of another number of candidates.

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
    >>> from reportgen.stats.permutation.block_sums import sum_law
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    >>> pairs = permuted_pairs(ranks, sum_law(ranks, np.random.default_rng(1)))
    >>> pairs.differences
    array([-4., -5., -1.])
    >>> pairs.p_values.round(4)
    array([0.3611, 0.1944, 0.9444])
    """
    found = _standing(scores, law)
    first, second, distances = _all_distances(found)
    p, error = law.range_tail(distances, _slack(found))
    return found.compare(first, second, p, error, law.method, law.n_draws)


def permuted_reference(
    scores: Array, law: SumLaw, reference: int, alternative: Alternative = "two-sided"
) -> SumComparisons:
    """Compare every candidate with a reference by the law of the largest difference.

    With ranks within blocks it is the test of Nemenyi, Wilcoxon, Wilcox and
    Miller; it controls the family-wise error when all candidates are alike.

    `scores`: (B, K); as for `permuted_equality`.
    `law`: of the same scores.
    `reference`: column of the reference.
    `alternative`: what is looked for in candidate - reference.
    Result: of every other column (first) with the reference (second).
    Raises ValueError if there is no such column or alternative, or the law is that of another
    number of candidates.

    References
    ----------
    .. [1] M. Hollander, D. A. Wolfe and E. Chicken (2014), Nonparametric
       Statistical Methods, 3rd edition, section 7.4.

    Examples
    --------
    >>> from reportgen.stats.permutation.block_sums import sum_law
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.0, 2.0, 3.0]])
    >>> law = sum_law(ranks, np.random.default_rng(1))
    >>> permuted_reference(ranks, law, reference=0, alternative="greater").p_values.round(4)
    array([0.1481, 0.0648])
    """
    found, fold = _standing(scores, law), directed(alternative)
    first, second, distances = _distances_from(found, reference, alternative)
    labels = [reference] if law.n_draws else range(scores.shape[1])
    sides = (np.delete(law.sums, j, axis=1) - law.sums[:, [j]] for j in labels)
    largest = np.column_stack([fold(side).max(axis=1) for side in sides])
    p, error = law.tail(largest, distances, _slack(found))
    return found.compare(first, second, p, error, law.method, law.n_draws)


def asymptotic_pairs(scores: Array) -> SumComparisons:
    """Compare all pairs of sums by the law of their largest difference.

    `scores`: (B, K); of complete blocks, such as ranks within blocks or aligned ranks.
    Result: of all pairs, first < second, in lexical order.
    Raises ValueError if `scores` is not a complete matrix with a block and two columns.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> asymptotic_pairs(ranks).p_values.round(4)
    array([0.4069, 0.1333, 0.7982])
    """
    found = standing(scores)
    first, second, distances = _all_distances(found)
    scale = sqrt(2 / found.variance) if found.variance else 0.0
    p_values = studentized_range.survival(distances * scale, scores.shape[1])
    return found.compare(first, second, p_values)


def asymptotic_reference(
    scores: Array, reference: int, alternative: Alternative = "two-sided"
) -> SumComparisons:
    """Compare every candidate with a reference by the limit law of the largest difference.

    It is the limit of `permuted_reference` for many blocks.

    `scores`: (B, K); as for `asymptotic_pairs`.
    `reference`, `alternative`: as for `permuted_reference`.
    Result: of every other column (first) with the reference (second).
    Raises ValueError if there is no such column or alternative, or `scores` is not a complete
    matrix with a block and two columns.

    Examples
    --------
    >>> ranks = np.array([[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [1.5, 1.5, 3.0]])
    >>> asymptotic_reference(ranks, reference=0, alternative="greater").p_values.round(4)
    array([0.1682, 0.0497])
    """
    found = standing(scores)
    first, second, distances = _distances_from(found, reference, alternative)
    scale = 1 / sqrt(found.variance) if found.variance else 0.0
    is_two_sided = alternative == "two-sided"
    p_values = dunnett.survival(distances * scale, len(first), two_sided=is_two_sided)
    return found.compare(first, second, p_values)


def _all_distances(found: Standing) -> tuple[Indices, Indices, Array]:
    """Return all pairs, and the distance of the sums of each."""
    first, second = column_pairs(len(found.sums))
    return first, second, np.abs(found.sums[first] - found.sums[second])


def _distances_from(
    found: Standing, reference: int, alternative: Alternative
) -> tuple[Indices, Indices, Array]:
    """Return the pairs with a reference, and the evidence of each sum against equality."""
    first, second = with_reference(reference, len(found.sums))
    return first, second, directed(alternative)(found.sums[first] - found.sums[second])


def _standing(scores: Array, law: SumLaw) -> Standing:
    """Sum the scores; raise an error where the law is not theirs."""
    if scores.shape[-1] != law.sums.shape[1]:
        raise ValueError(
            f"the law is of {law.sums.shape[1]} candidates, the scores of {scores.shape[-1]}"
        )
    return standing(scores)


def _slack(found: Standing) -> float:
    """Return the rounding of a difference of sums."""
    return SLACK * sqrt(found.variance)
