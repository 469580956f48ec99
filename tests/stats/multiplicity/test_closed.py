"""Closed testing: its parts, t* as the block F, and strong control of the error."""

from __future__ import annotations

from itertools import permutations, product
from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.multiplicity.adjustment import closed_pairs
from reportgen.stats.multiplicity.closed import (
    closed_performance_tests,
    closed_rank_tests,
    equality_statistic,
)
from reportgen.stats.permutation.block_sums import sum_law
from reportgen.stats.permutation.block_tests import (
    asymptotic_pairs,
    permuted_equality,
    permuted_pairs,
)
from reportgen.stats.permutation.paired import paired_permutation
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.friedman import compare_rank_sums

Array = NDArray[np.float64]
EXACT = 1e-12
FOUR = 4.0  # standard errors of a simulation


def written_out(values: Array) -> float:
    """Return t* as it is printed."""
    means = values.mean(axis=0)
    residuals = values - means - values.mean(axis=1, keepdims=True) + values.mean()
    return float(((means - means.mean()) ** 2).sum() / (residuals**2).sum())


@pytest.mark.parametrize("shape", [(3, 3), (8, 4), (20, 5)])
def test_t_star_is_the_block_f(shape: tuple[int, int]) -> None:
    n_blocks, n_candidates = shape
    values = np.random.default_rng(1).normal(size=shape) + np.arange(n_candidates)
    law = sum_law(values, np.random.default_rng(0), 99)
    found = equality_statistic(permuted_equality(values, law), *shape)
    assert found == pytest.approx(written_out(values), rel=1e-10)
    f = fit_block_model(values).equality.statistic
    assert n_blocks * (n_blocks - 1) * found == pytest.approx(f, rel=1e-10)


def test_law_of_t_star_by_enumeration() -> None:
    """t* of all arrangements, as it is printed: the p-value from the sums alone."""
    values = np.random.default_rng(4).normal(size=(4, 3)) + np.array([0, 0.5, 1])
    rows = [list(permutations(row)) for row in values]
    law = [written_out(np.array(arranged)) for arranged in product(*rows)]
    expected = np.mean(np.array(law) >= written_out(values) * (1 - 1e-9))
    found = permuted_equality(values, sum_law(values, np.random.default_rng(0)))
    assert found.method == "exact"
    assert found.p_value == pytest.approx(expected, abs=EXACT)


def test_t_star_of_equal_differences_is_infinite() -> None:
    values = np.arange(4.0)[:, None] + np.array([0.1, 0.2, 0.4])
    law = sum_law(values, np.random.default_rng(0), 99)
    assert equality_statistic(permuted_equality(values, law), 4, 3) == inf


@given(st.integers(0, 10**6))
def test_parts_of_the_closure(seed: int) -> None:
    """Every subset is ranked anew; two candidates are the paired t."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (5, 3)).astype(float)
    ranked, performed = closed_rank_tests(values, rng), closed_performance_tests(values, rng)
    for subset in ((0, 1), (0, 2), (1, 2), (0, 1, 2)):
        ranks = within_block_ranks(values[:, subset])
        law = sum_law(ranks, rng)
        assert ranked.subsets[subset] == permuted_pairs(ranks, law).p_values.min()
        part = values[:, subset]
        expected = (
            paired_permutation(part[:, 0] - part[:, 1], rng).p_value
            if len(subset) == 2
            else permuted_equality(part, sum_law(part, rng)).p_value
        )
        assert performed.subsets[subset] == expected
    for found in (ranked, performed):
        np.testing.assert_array_equal(found.adjusted, closed_pairs(found.subsets, 3))
        assert (found.adjusted >= found.p_values).all()
        assert found.n_draws is None


def test_two_candidates_paired_t_is_t_star() -> None:
    """The sum of squares over two labels is a square: one p-value by both."""
    values = np.random.default_rng(6).normal(size=(9, 2)) + np.array([0, 0.7])
    permuted = permuted_equality(values, sum_law(values, np.random.default_rng(0)))
    paired = paired_permutation(values[:, 0] - values[:, 1], np.random.default_rng(0))
    assert paired.p_value == pytest.approx(permuted.p_value, abs=EXACT)


def test_asymptotic_law() -> None:
    values = np.random.default_rng(2).normal(size=(40, 4)) + np.array([0, 0, 0.5, 1])
    found = closed_rank_tests(values, np.random.default_rng(0), law="asymptotic")
    ranks = within_block_ranks(values[:, [0, 2, 3]])
    expected = compare_rank_sums(ranks).p_values.min()
    assert found.subsets[0, 2, 3] == pytest.approx(expected, rel=1e-10)
    permuted = closed_rank_tests(values, np.random.default_rng(0), n_draws=1999)
    np.testing.assert_allclose(found.adjusted, permuted.adjusted, atol=0.06)
    assert permuted.n_draws == 1999


@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([2, 4, 1000]))
def test_asymptotic_law_by_ranks_of_every_subset(seed: int, k: int, levels: int) -> None:
    """Also with ties, and with blocks that are fully tied."""
    values = np.random.default_rng(seed).integers(0, levels, size=(9, k)) / 7
    found = closed_rank_tests(values, np.random.default_rng(1), "asymptotic")
    for subset, p in found.subsets.items():
        slow = asymptotic_pairs(within_block_ranks(values[:, subset])).p_values.min()
        assert p == pytest.approx(slow, rel=1e-12)


def test_relabelling_and_direction() -> None:
    rng = np.random.default_rng(8)
    values, order = rng.normal(size=(8, 4)) + np.array([0, 0.2, 1, 2]), [2, 0, 3, 1]
    found = closed_rank_tests(values, rng)
    for other in (closed_rank_tests(-values, rng), closed_rank_tests(np.exp(values), rng)):
        np.testing.assert_allclose(other.adjusted, found.adjusted, atol=EXACT)
    moved = closed_rank_tests(values[:, order], rng)
    by_pair = dict(zip(zip(found.first, found.second, strict=True), found.adjusted, strict=True))
    for i, j, p in zip(moved.first, moved.second, moved.adjusted, strict=True):
        assert p == pytest.approx(by_pair[tuple(sorted((order[i], order[j])))], abs=EXACT)


@pytest.mark.slow
def test_pool_effect_and_its_cure() -> None:
    """Candidates 0 and 1 alike, best and worst in turn, four steady ones between them.

    Joint ranks reject their equality too often; ranks formed anew within
    subsets hold the level, as they control the error strongly.
    """
    rng = np.random.default_rng(12)
    n, n_blocks, wrong = 90, 40, np.zeros(2)
    for _ in range(n):
        first = np.where(rng.random((n_blocks, 1)) < 0.5, 0.0, 5.0)
        middle = np.tile(np.arange(1.0, 5.0), (n_blocks, 1))
        values = np.hstack([first, 5 - first, middle])
        joint = compare_rank_sums(within_block_ranks(values)).p_values[0]
        closed = closed_rank_tests(values, rng, law="asymptotic").adjusted[0]
        wrong += np.array([joint, closed]) <= 0.05
    assert wrong[0] / n > 0.08
    assert wrong[1] / n < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)


def test_strong_control_of_performances() -> None:
    """Two pairs alike, far apart: one or more errors in at most 5%."""
    rng = np.random.default_rng(3)
    n, wrong = 250, 0
    for _ in range(n):
        values = rng.exponential(size=(12, 4)) + np.array([0, 0, 4, 4]) + rng.normal(size=(12, 1))
        found = closed_performance_tests(values, rng, n_draws=199)
        wrong += found.adjusted[[0, 5]].min() <= 0.05
    assert 0 < wrong / n < 0.05 + FOUR * sqrt(0.05 * 0.95 / n)


def test_errors() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="2 to 6 candidates"):
        closed_rank_tests(np.ones((3, 7)), rng)
    with pytest.raises(ValueError, match="2 to 4 candidates"):
        closed_performance_tests(np.ones((3, 5)), rng)
    with pytest.raises(ValueError, match="law"):
        closed_rank_tests(np.ones((3, 3)), rng, law="exact")  # type: ignore[arg-type]
