"""Asymptotic tests of scores: equal to the rank tests, and of the right size."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr

from reportgen.stats.permutation.block_sums import standing
from reportgen.stats.permutation.block_tests import (
    asymptotic_pairs,
    asymptotic_reference,
)
from reportgen.stats.ranking import aligned_ranks, within_block_ranks
from reportgen.stats.ranks.friedman import compare_rank_sums, friedman_test

Array = NDArray[np.float64]
EXACT = 1e-10  # relative: both sides are finite sums of ranks
FOUR = 4.0  # standard errors of a simulation
blocks = st.tuples(st.integers(2, 8), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 5))
)


@given(blocks)
def test_ranks_within_blocks_give_the_rank_tests(values: Array) -> None:
    ranks = within_block_ranks(values)
    pairs = asymptotic_pairs(ranks)
    expected = compare_rank_sums(ranks)
    statistic = standing(ranks).statistic
    assert statistic == pytest.approx(friedman_test(ranks).statistic, rel=EXACT, abs=1e-12)
    assert pairs.variance == pytest.approx(expected.variance, rel=EXACT)
    np.testing.assert_allclose(pairs.differences, expected.differences, atol=1e-9)
    np.testing.assert_allclose(pairs.p_values, expected.p_values, rtol=1e-8)
    assert pairs.method == "asymptotic"


def test_one_comparison_is_a_normal_test() -> None:
    ranks = np.array([[1.0, 2.0]] * 14 + [[2.0, 1.0]] * 6)
    z = 8 / sqrt(20)
    expected = {"two-sided": 2 * ndtr(-z), "greater": ndtr(-z), "less": ndtr(z)}
    for alternative, p in expected.items():
        found = asymptotic_reference(ranks, 0, alternative)  # type: ignore[arg-type]
        assert found.p_values[0] == pytest.approx(p, rel=1e-12)
        assert found.statistics[0] == pytest.approx(z, rel=EXACT)


@given(blocks, st.data())
def test_direction_turns_the_sides(values: Array, data: st.DataObject) -> None:
    reference = data.draw(st.integers(0, values.shape[1] - 1))
    ranks, turned = (within_block_ranks(values, smaller) for smaller in (True, False))
    for alternative, opposite in (("less", "greater"), ("two-sided", "two-sided")):
        found = asymptotic_reference(ranks, reference, alternative)  # type: ignore[arg-type]
        other = asymptotic_reference(turned, reference, opposite)  # type: ignore[arg-type]
        np.testing.assert_allclose(found.p_values, other.p_values, rtol=1e-8)


def test_size_under_the_null() -> None:
    """At 5%, 400 studies of 40 blocks and 5 candidates: four standard errors."""
    rng = np.random.default_rng(9)
    n = 400
    rejected = np.zeros((n, 5))
    for run in range(n):
        values = rng.normal(size=(40, 5)) + rng.normal(size=(40, 1))
        ranks, aligned = within_block_ranks(values), aligned_ranks(values)
        rejected[run] = [
            asymptotic_reference(ranks, 0).p_values.min() <= 0.05,
            asymptotic_reference(ranks, 0, "less").p_values.min() <= 0.05,
            chdtrc(4, standing(aligned).statistic) <= 0.05,
            asymptotic_pairs(aligned).p_values.min() <= 0.05,
            asymptotic_reference(aligned, 0).p_values.min() <= 0.05,
        ]
    assert (np.abs(rejected.mean(axis=0) - 0.05) < FOUR * sqrt(0.05 * 0.95 / n)).all()


def test_fully_tied_blocks_have_p_1() -> None:
    ranks = np.full((3, 3), 2.0)
    assert standing(ranks).statistic == 0
    assert asymptotic_pairs(ranks).p_values.tolist() == [1, 1, 1]
    assert asymptotic_reference(ranks, 1, "greater").p_values.tolist() == [1, 1]


def test_errors() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        asymptotic_pairs(np.ones((3, 1)))
    with pytest.raises(ValueError, match="below 2"):
        asymptotic_reference(np.ones((3, 2)), 2)
