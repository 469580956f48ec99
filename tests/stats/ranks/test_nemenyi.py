"""Nemenyi's critical difference against Demšar's tables and example."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.friedman import compare_rank_sums
from reportgen.stats.ranks.nemenyi import compare_mean_ranks
from tests.stats.demsar import AUC

PRINTED = 1.1e-3  # Demšar's table 5 cuts off after three digits

TABLE_5 = {
    0.05: [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164],
    0.10: [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920],
}


@pytest.mark.parametrize("alpha", TABLE_5)
def test_critical_values_of_the_table(alpha: float) -> None:
    found = [compare_mean_ranks(np.ones((2, k)), alpha).critical_value for k in range(2, 11)]
    np.testing.assert_allclose(found, TABLE_5[alpha], atol=PRINTED)


def test_published_example() -> None:
    """M = 14, K = 4: CD 1.25 at 5%; at 10% 1.12, and C4.5 is worse than +m and +m+cf."""
    ranks = within_block_ranks(AUC, is_smaller_better=False)
    at_5, at_10 = compare_mean_ranks(ranks, 0.05), compare_mean_ranks(ranks, 0.1)
    np.testing.assert_allclose(at_5.average_ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    assert at_5.critical_difference == pytest.approx(1.25, abs=5e-3)
    assert at_10.critical_difference == pytest.approx(1.12, abs=5e-3)
    assert at_5.cliques == ((3, 1, 2, 0),)
    assert at_10.cliques == ((3, 1, 2), (2, 0))


blocks = st.tuples(st.integers(0, 10_000), st.integers(2, 20), st.integers(2, 7))


@given(blocks)
def test_without_ties_it_is_the_comparison_of_rank_sums(shape: tuple[int, int, int]) -> None:
    seed, m, k = shape
    ranks = within_block_ranks(np.random.default_rng(seed).normal(size=(m, k)))
    found, sums = compare_mean_ranks(ranks, 0.2), compare_rank_sums(ranks)
    np.testing.assert_allclose(found.p_values, sums.p_values, rtol=1e-9)
    np.testing.assert_allclose(found.differences * m, sums.differences, atol=1e-9)
    exceeds = np.abs(found.differences) > found.critical_difference
    np.testing.assert_array_equal(exceeds, found.p_values < 0.2)


@given(blocks)
def test_groups_are_runs(shape: tuple[int, int, int]) -> None:
    """One critical difference for all: a group is a stretch of the order."""
    seed, m, k = shape
    ranks = within_block_ranks(np.random.default_rng(seed).integers(0, 5, (m, k)).astype(float))
    found = compare_mean_ranks(ranks, 0.3)
    order = [int(i) for i in np.argsort(found.average_ranks, kind="stable")]
    for group in found.cliques:
        start = order.index(group[0])
        assert tuple(order[start : start + len(group)]) == group
        spread = found.average_ranks[group[-1]] - found.average_ranks[group[0]]
        assert spread <= found.critical_difference


def test_ties_make_it_conservative() -> None:
    ranks = within_block_ranks(np.random.default_rng(1).integers(0, 3, (30, 4)).astype(float))
    assert (compare_mean_ranks(ranks).p_values >= compare_rank_sums(ranks).p_values).all()


def test_size_under_the_null() -> None:
    """At 5%, 3,000 domains of 20 data sets, 6 candidates; asymptotic, a little conservative."""
    rng = np.random.default_rng(2)
    ranks = (rng.permuted(np.tile(np.arange(1.0, 7), (20, 1)), axis=1) for _ in range(3000))
    critical = compare_mean_ranks(np.ones((20, 6))).critical_difference
    rejected = [np.ptp(r.mean(axis=0)) > critical for r in ranks]
    assert 0.03 < np.mean(rejected) < 0.06


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        compare_mean_ranks(np.ones((3, 1)))
    with pytest.raises(ValueError, match="alpha"):
        compare_mean_ranks(np.ones((3, 2)), 0.0)
