"""Aligned ranks by hand, and the size of tests of aligned values."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import rankdata

from reportgen.stats.distributions.studentized_range import quantile, survival
from reportgen.stats.permutation.block_sums import sum_law
from reportgen.stats.permutation.block_tests import permuted_equality, permuted_pairs
from reportgen.stats.ranking import aligned_ranks

Array = NDArray[np.float64]
FOUR = 4.0  # standard errors of a simulation


@pytest.mark.parametrize("n_candidates", [3, 6, 12])
def test_independent_samples_would_reject_too_often(n_candidates: int) -> None:
    """Family-wise error, nominal 5%: .13, .095 and .07 with K independent samples, else .05.

    With many blocks the variance of aligned values is (K - 1) / K of the residual one.
    """
    rng = np.random.default_rng(n_candidates)
    n, n_blocks, k = 10_000, 20, n_candidates
    values = rng.normal(size=(n, n_blocks, k))
    aligned = values - values.mean(axis=2, keepdims=True)
    means = aligned.mean(axis=1)
    squares = ((aligned - means[:, None, :]) ** 2).sum(axis=(1, 2))
    ranges = np.ptp(means, axis=1)
    df, naive_df = (n_blocks - 1) * (k - 1), k * (n_blocks - 1)
    right = ranges > quantile(0.05, k, df) * np.sqrt(squares / df / n_blocks)
    naive = ranges > quantile(0.05, k, naive_df) * np.sqrt(squares / naive_df / n_blocks)
    assert abs(right.mean() - 0.05) < FOUR * sqrt(0.05 * 0.95 / n)
    expected = survival(quantile(0.05, k) * sqrt((k - 1) / k), k)
    assert naive.mean() == pytest.approx(float(expected), abs=0.01)  # the limit of many blocks


def test_ranks_by_hand() -> None:
    # aligned: -1 0 1 | -4 -1 5 | 0 0 0
    values = np.array([[1.0, 2.0, 3.0], [6.0, 9.0, 15.0], [7.0, 7.0, 7.0]])
    expected = [[2.5, 5.5, 8], [1, 2.5, 9], [5.5, 5.5, 5.5]]
    assert aligned_ranks(values).tolist() == expected
    assert aligned_ranks(values, is_smaller_better=False).tolist() == [
        [10 - rank for rank in row] for row in expected
    ]


def test_ties_that_rounding_would_break() -> None:
    """Thirds: the aligned values of the second block are those of the first."""
    values = np.array([[0.1, 0.2, 0.4], [0.7, 0.8, 1.0], [1e-3, 0.101, 0.301]])
    ranks = aligned_ranks(values)
    assert (ranks == ranks[0]).all()


def test_no_candidate_differs() -> None:
    assert aligned_ranks(np.ones((2, 3))).tolist() == [[3.5] * 3] * 2


def test_more_power_than_ranks_within_blocks_for_few_candidates() -> None:
    from reportgen.stats.ranking import within_block_ranks

    rng = np.random.default_rng(6)
    n, rejected = 150, np.zeros(2)
    for _ in range(n):
        values = rng.normal(size=(12, 2)) + [0, 1] + rng.normal(size=(12, 1)) * 3
        for k, scores in enumerate((within_block_ranks(values), aligned_ranks(values))):
            rejected[k] += permuted_equality(scores, sum_law(scores, rng)).p_value <= 0.05
    assert rejected[1] > rejected[0] + 20


def test_exact_law_of_aligned_ranks_is_used_where_small() -> None:
    values = np.random.default_rng(2).normal(size=(4, 4))
    ranks = aligned_ranks(values)
    assert sorted(ranks.ravel()) == sorted(rankdata(ranks))
    law = sum_law(ranks, np.random.default_rng(0))
    assert permuted_pairs(ranks, law).method == "exact"


def test_errors() -> None:
    with pytest.raises(ValueError, match="missing"):
        aligned_ranks(np.array([[1.0, np.nan]]))
