"""Friedman's test and the comparison of rank sums."""

from __future__ import annotations

from itertools import permutations, product
from math import inf, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy.stats import f, friedmanchisquare

from reportgen.stats.blocks.model import fit_block_model, has_residual_variance
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.ranks.friedman import compare_rank_sums, friedman_test, iman_davenport

EXACT = 1e-10  # relative: both sides are finite sums of ranks
blocks = st.tuples(st.integers(3, 8), st.integers(3, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 5))
)


def textbook(ranks: NDArray[np.float64]) -> float:
    """Return the statistic by the formula with the sizes of the tied groups."""
    n_blocks, k = ranks.shape
    ties = sum(t**3 - t for row in ranks for t in np.unique(row, return_counts=True)[1].tolist())
    deviations = ranks.sum(axis=0) - n_blocks * (k + 1) / 2
    return 12 * float(deviations @ deviations) / (n_blocks * k * (k + 1) - ties / (k - 1))


@given(blocks)
def test_textbook_formula_and_scipy_agree(values: NDArray[np.float64]) -> None:
    ranks = within_block_ranks(values)
    assume((ranks != ranks[:, :1]).any())
    found = friedman_test(ranks)
    assert found.statistic == pytest.approx(textbook(ranks), rel=EXACT, abs=1e-12)
    expected = friedmanchisquare(*values.T)
    assert found.statistic == pytest.approx(expected.statistic, rel=EXACT, abs=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8)
    assert 10**found.log10_p_value == pytest.approx(found.p_value, rel=1e-10)


@given(blocks, st.randoms(use_true_random=False))
def test_relabelling_and_direction_change_nothing(values: NDArray[np.float64], random) -> None:
    order = list(range(values.shape[1]))
    random.shuffle(order)
    statistic = friedman_test(within_block_ranks(values)).statistic
    for other in (values[:, order], -values, values[::-1], np.exp(values)):
        assert friedman_test(within_block_ranks(other)).statistic == pytest.approx(
            statistic, rel=EXACT, abs=1e-12
        )


def test_fully_tied_blocks() -> None:
    ranks = np.full((4, 3), 2.0)
    found = friedman_test(ranks)
    assert (found.statistic, found.p_value, found.log10_p_value) == (0, 1, 0)
    assert compare_rank_sums(ranks).p_values.tolist() == [1, 1, 1]


def test_perfect_agreement() -> None:
    ranks = np.tile([1.0, 2.0, 3.0], (7, 1))
    assert friedman_test(ranks).statistic == pytest.approx(7 * 2, rel=EXACT)  # B (K - 1)


def test_variance_of_rank_sums_by_enumeration() -> None:
    """All 6 x 3 x 6 orders of three blocks, one with a tie, are equally likely."""
    rows = [[1.0, 2.0, 3.0], [1.5, 1.5, 3.0], [1.0, 2.0, 3.0]]
    arranged = product(*(list(permutations(row)) for row in rows))
    sums = np.array([np.sum(rows, axis=0) for rows in arranged])
    expected = np.mean((sums[:, 0] - sums[:, 1]) ** 2)
    assert compare_rank_sums(np.array(rows)).variance == pytest.approx(expected, rel=EXACT)


@given(blocks)
def test_pairs_are_differences_of_rank_sums(values: NDArray[np.float64]) -> None:
    ranks = within_block_ranks(values)
    found = compare_rank_sums(ranks)
    sums = ranks.sum(axis=0)
    np.testing.assert_allclose(found.differences, sums[found.first] - sums[found.second])
    turned = compare_rank_sums(within_block_ranks(values, is_smaller_better=False))
    np.testing.assert_allclose(turned.differences, -found.differences, atol=1e-12)
    np.testing.assert_allclose(turned.p_values, found.p_values, rtol=1e-9)


def test_two_candidates_are_one_normal_test() -> None:
    """Without ties R_1 - R_2 has variance B, and the range of two is one difference."""
    from scipy.special import ndtr

    ranks = np.array([[1.0, 2.0]] * 14 + [[2.0, 1.0]] * 6)
    expected = 2 * ndtr(-8 / sqrt(20))
    assert compare_rank_sums(ranks).p_values[0] == pytest.approx(expected, rel=1e-12)
    assert friedman_test(ranks).p_value == pytest.approx(expected, rel=1e-10)


def test_size_under_the_null() -> None:
    """At 5%, 1,000 studies of 30 blocks, 5 candidates, heavy ties: four standard errors."""
    rng = np.random.default_rng(5)
    n = 1000
    rejected = np.array(
        [
            [friedman_test(ranks).p_value <= 0.05, compare_rank_sums(ranks).p_values.min() <= 0.05]
            for ranks in (
                within_block_ranks(rng.integers(0, 6, (30, 5)).astype(float)) for _ in range(n)
            )
        ]
    )
    assert (np.abs(rejected.mean(axis=0) - 0.05) < 4 * sqrt(0.05 * 0.95 / n)).all()


@given(blocks)
def test_iman_davenport_is_the_f_test_of_ranks(values: NDArray[np.float64]) -> None:
    ranks = within_block_ranks(values)
    found = iman_davenport(ranks)
    if has_residual_variance(ranks):
        expected = fit_block_model(ranks).equality
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
        assert (found.df1, found.df2) == (expected.df1, expected.df2)
        assert found.p_value >= expected.p_value * (1 - 1e-8)  # equal, or the least of all orders
        assert not found.is_perfect_agreement
    s, (b, k) = friedman_test(ranks).statistic, ranks.shape
    if found.statistic < 1e6:
        assert found.statistic == pytest.approx((b - 1) * s / (b * (k - 1) - s), rel=1e-8, abs=1e-9)


def test_iman_davenport_at_the_ends() -> None:
    perfect = iman_davenport(np.tile([1.0, 2.0, 3.0], (7, 1)))
    assert perfect.statistic == inf
    assert perfect.p_value == pytest.approx(6.0**-6)  # six blocks repeat the first's order
    assert perfect.log10_p_value == pytest.approx(-6 * np.log10(6))
    assert perfect.is_perfect_agreement
    tied = iman_davenport(np.tile([1.5, 1.5, 3.0], (7, 1)))
    assert tied.is_perfect_agreement
    assert tied.p_value == pytest.approx(3.0**-6)
    orders = [list(order) for order in permutations((1.0, 2.0, 3.0))]
    agreeing = [iman_davenport(np.array([a, b])).statistic == inf for a in orders for b in orders]
    two = iman_davenport(np.array([orders[0], orders[0]]))
    assert two.p_value == pytest.approx(np.mean(agreeing))
    nothing = iman_davenport(np.full((4, 3), 2.0))
    assert (nothing.statistic, nothing.p_value) == (0, 1)


@pytest.mark.parametrize(("n_blocks", "k"), [(2, 3), (3, 3), (8, 3), (2, 4), (3, 4), (30, 3)])
def test_a_block_that_agrees_less_makes_no_p_value_smaller(n_blocks: int, k: int) -> None:
    """All blocks repeat one row, with ties or without, but for one that is any row."""
    rows = np.unique(
        [within_block_ranks(np.array([v]))[0] for v in product(*[range(k)] * k)], axis=0
    )
    for own in rows[rows.min(axis=1) < rows.max(axis=1)]:
        full = iman_davenport(np.tile(own, (n_blocks, 1)))
        for other in rows:
            found = iman_davenport(np.vstack([np.tile(own, (n_blocks - 1, 1)), other]))
            assert found.log10_p_value >= full.log10_p_value - 1e-12
            assert found.is_perfect_agreement == (other == own).all()


@given(
    st.tuples(st.integers(2, 3), st.integers(2, 4)).flatmap(
        lambda shape: arrays(np.float64, shape, elements=st.integers(0, 3))
    )
)
def test_no_p_value_of_f_is_less_than_that_of_full_agreement(values: NDArray[np.float64]) -> None:
    """The greatest statistic has its share among all orders of the blocks, ties as they are."""
    ranks = within_block_ranks(values)
    assume((ranks != ranks[:, :1]).any())
    arranged = np.array(list(product(*(sorted(set(permutations(row))) for row in ranks.tolist()))))
    statistics = ((arranged.sum(axis=1) - len(ranks) * (ranks.shape[1] + 1) / 2) ** 2).sum(axis=1)
    least = float(np.mean(statistics == statistics.max()))
    for own in (ranks, arranged[int(statistics.argmax())]):
        found = iman_davenport(own)
        law = float(f.sf(found.statistic, found.df1, found.df2))
        assert found.p_value == pytest.approx(max(law, least), rel=1e-9)


def test_iman_davenport_of_monks3(reference: Path) -> None:
    import pandas as pd

    frame = pd.read_csv(reference / "data" / "monks3raw.csv")
    frame = frame[frame["measure"] == "Misclassification"]
    table = frame.pivot_table(index="replication", columns="algorithm", values="value")
    found = iman_davenport(within_block_ranks(table.to_numpy()))
    assert found.statistic == pytest.approx(423.4207, abs=5e-5)
    assert (found.df1, found.df2) == (5, 1245)


def test_errors() -> None:
    with pytest.raises(ValueError, match="two blocks"):
        iman_davenport(np.array([[1.0, 2.0]]))
    with pytest.raises(ValueError, match="two candidates"):
        friedman_test(np.array([[1.0]]))
    with pytest.raises(ValueError, match="a block"):
        compare_rank_sums(np.empty((0, 3)))
