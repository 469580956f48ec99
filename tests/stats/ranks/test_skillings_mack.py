"""Skillings and Mack's test against Friedman's, permutations, and its own size."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from reportgen.stats.ranking import available_ranks, within_block_ranks, worst_ranks
from reportgen.stats.ranks.friedman import friedman_test, skillings_mack

Array = NDArray[np.float64]

EXACT = 1e-10
NAN = np.nan


def coarse(seed: int, shape: tuple[int, int], gaps: float, levels: int = 4) -> Array:
    """Return values with many ties, and gaps."""
    rng = np.random.default_rng(seed)
    values = rng.integers(levels, size=shape).astype(float)
    values[rng.random(shape) < gaps] = NAN
    return values


@given(st.integers(0, 500), st.integers(2, 6))
def test_without_gaps_it_is_friedmans(seed: int, k: int) -> None:
    ranks = within_block_ranks(coarse(seed, (9, k), 0.0))
    own, other = skillings_mack(ranks), friedman_test(ranks)
    assert own is not None
    assert own.statistic == pytest.approx(other.statistic, rel=EXACT, abs=EXACT)
    assert (own.df, own.p_value) == (other.df, pytest.approx(other.p_value, rel=1e-8))


def test_monks3(monks3: dict[str, Any], reference: Any) -> None:
    import pandas as pd

    table = pd.read_csv(reference / "data" / "monks3raw.csv")
    wide = table[table["measure"] == "Misclassification"].pivot(
        index="replication", columns="algorithm", values="value"
    )
    test = skillings_mack(within_block_ranks(wide.to_numpy()))
    assert test is not None
    assert test.statistic == pytest.approx(787.1201306557, abs=1e-8)


def moments(values: Array) -> tuple[Array, Array]:
    """Return mean and covariance of the adjusted sums over all orders within the blocks."""
    ranks = available_ranks(values)
    orders = []
    for row in ranks:
        there = np.flatnonzero(np.isfinite(row))
        scores = np.sqrt(12 / (len(there) + 1)) * (row[there] - (len(there) + 1) / 2)
        rows = []
        for order in permutations(scores):
            rows.append(np.zeros(len(row)))
            rows[-1][there] = order
        orders.append(rows)
    sums = np.array([np.sum(rows, axis=0) for rows in product(*orders)])
    return sums.mean(axis=0), np.cov(sums, rowvar=False, ddof=0)


@pytest.mark.parametrize("seed", [0, 3, 4])
def test_moments_over_all_orders(seed: int) -> None:
    """The covariance is exactly that of all orders, so the statistic is their quadratic form."""
    values = coarse(seed, (4, 3), 0.15, levels=3)
    values[0] = [2.0, 1.0, 3.0]
    ranks = available_ranks(values)
    mean, covariance = moments(values)
    np.testing.assert_allclose(mean, 0, atol=EXACT)
    sizes = np.isfinite(ranks).sum(axis=1, keepdims=True)
    own = np.nansum(np.sqrt(12 / (sizes + 1)) * (ranks - (sizes + 1) / 2), axis=0)
    expected = own[:2] @ np.linalg.solve(covariance[:2, :2], own[:2])
    test = skillings_mack(ranks)
    assert test is not None
    assert test.statistic == pytest.approx(expected, rel=EXACT)


def test_no_candidate_is_special() -> None:
    ranks = available_ranks(coarse(1, (12, 5), 0.2))
    first = skillings_mack(ranks)
    assert first is not None
    for shift in range(1, 5):
        turned = skillings_mack(np.roll(ranks, shift, axis=1)[::-1])
        assert turned is not None
        assert turned.statistic == pytest.approx(first.statistic, rel=1e-9)


def test_size_with_heavy_ties_and_gaps() -> None:
    """About 5%; with the variance of untied ranks it would be about 2.7%."""
    rejected = 0
    for seed in range(1000):
        test = skillings_mack(available_ranks(coarse(seed, (25, 4), 0.15, levels=3)))
        rejected += test is not None and test.p_value < 0.05
    assert 0.034 < rejected / 1000 < 0.066  # five percent, within two standard errors and a bit


def test_blocks_that_say_nothing_are_dropped() -> None:
    values = np.array([[1.0, 2, 3], [2, 1, 3], [1, 1, 1], [4, NAN, NAN], [NAN] * 3, [1, 3, NAN]])
    test = skillings_mack(available_ranks(values))
    alone = skillings_mack(available_ranks(values[[0, 1, 5]]))
    assert test is not None
    assert alone is not None
    assert (test.n_blocks, test.n_dropped) == (3, 3)
    assert test.statistic == pytest.approx(alone.statistic, rel=EXACT)


def test_designs_that_are_not_connected_have_no_test() -> None:
    apart = np.array([[1.0, 2, NAN, NAN], [NAN, NAN, 1, 2], [2, 1, NAN, NAN]])
    assert skillings_mack(available_ranks(apart)) is None
    only_tied = np.array([[1.0, 2, NAN], [2, 1, NAN], [1, NAN, 1]])
    assert skillings_mack(available_ranks(only_tied)) is None


def test_nothing_but_ties() -> None:
    test = skillings_mack(available_ranks(np.array([[1.0, 1, NAN], [NAN, 2, 2]])))
    assert test is not None
    assert (test.statistic, test.p_value, test.n_blocks) == (0.0, 1.0, 0)


def test_what_is_no_design_is_said() -> None:
    with pytest.raises(ValueError, match="two candidates"):
        skillings_mack(np.ones((3, 1)))
    with pytest.raises(ValueError, match="no value"):
        skillings_mack(np.array([[1.0, NAN], [1.0, NAN]]))


def test_available_ranks_are_those_of_what_is_there() -> None:
    values = coarse(7, (20, 5), 0.3)
    for row, ranks in zip(values, available_ranks(values), strict=True):
        there = np.isfinite(row)
        np.testing.assert_array_equal(np.isnan(ranks), ~there)
        np.testing.assert_array_equal(ranks[there], within_block_ranks(row[None, there])[0])
        larger = available_ranks(row[None], is_smaller_better=False)[0]
        np.testing.assert_array_equal(larger[there], there.sum() + 1 - ranks[there])


def test_failures_rank_behind_all_values_whichever_way_is_better() -> None:
    values = np.array([[3.0, NAN, 1.0, NAN]])
    failed = np.isnan(values)
    np.testing.assert_array_equal(worst_ranks(values, failed), [[2, 3.5, 1, 3.5]])
    np.testing.assert_array_equal(worst_ranks(values, failed, False), [[1, 3.5, 2, 3.5]])
    with pytest.raises(ValueError, match="missing"):
        worst_ranks(values, np.zeros_like(failed))
