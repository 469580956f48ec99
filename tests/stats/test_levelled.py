"""Floating noise decides nothing: one tolerance wherever performances are compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from reportgen.performance_measure import Measure
from reportgen.stats.pairs.paired_tests import signed_rank_pairs
from reportgen.stats.ranking import (
    ROUNDING,
    aligned_ranks,
    available_ranks,
    levelled,
    levelled_performances,
    within_block_ranks,
)
from tests.builders import warehouse_of_rows

Array = NDArray[np.float64]

# hundredths, with the rounding of some additions, and as differences of a clock's readings
times = arrays(np.int64, (6, 4), elements=st.integers(1, 30))
noises = arrays(np.float64, (6, 4), elements=st.floats(-ROUNDING / 16, ROUNDING / 16))
clocks = arrays(np.float64, (6, 4), elements=st.floats(-2e-10, 2e-10))


@given(times, noises)
def test_noise_decides_nothing(hundredths: NDArray[np.int64], noise: Array) -> None:
    clean = hundredths / 100
    noisy = clean * (1 + noise)
    np.testing.assert_array_equal(within_block_ranks(noisy), within_block_ranks(clean))
    np.testing.assert_array_equal(aligned_ranks(noisy), aligned_ranks(clean))
    np.testing.assert_array_equal(
        signed_rank_pairs(levelled(noisy)).p_values, signed_rank_pairs(clean).p_values
    )
    even = levelled(noisy)
    for k in range(1, 4):
        np.testing.assert_array_equal(
            np.sign(even[:, k] - even[:, 0]), np.sign(clean[:, k] - clean[:, 0])
        )


@given(times, clocks)
def test_the_noise_of_a_clock_decides_nothing(hundredths: NDArray[np.int64], noise: Array) -> None:
    clean = hundredths / 100
    assert levelled_performances(clean, is_time=True).tolist() == clean.tolist()
    noisy = levelled_performances(clean * (1 + noise), is_time=True)
    np.testing.assert_array_equal(within_block_ranks(noisy), within_block_ranks(clean))
    np.testing.assert_array_equal(
        signed_rank_pairs(noisy).p_values, signed_rank_pairs(clean).p_values
    )


sizes = st.floats(1e-300, 1e300)
numbers = sizes | sizes.map(lambda x: -x) | st.just(0.0)


@given(numbers, st.integers(-400, 400), arrays(np.float64, 3, elements=numbers))
def test_a_tie_depends_on_the_two_alone(a: float, steps: int, others: Array) -> None:
    b = a * (1 + steps * 2.0**-52)
    alone = levelled(np.array([[a, b]]))
    assert (alone[0, 0] == alone[0, 1]) == (abs(a - b) <= ROUNDING * max(abs(a), abs(b)))
    beside = levelled(np.concatenate([[a, b], others])[None])
    if alone[0, 0] == alone[0, 1]:
        assert beside[0, 0] == beside[0, 1]
    elif np.abs(others - a).min() > abs(a - b) and np.abs(others - b).min() > abs(a - b):
        assert beside[0, 0] != beside[0, 1]


@given(times, st.integers(-900, 900))
def test_ties_are_those_of_any_power_of_two(hundredths: NDArray[np.int64], power: int) -> None:
    values = (hundredths / 100) * (1 + 2.0**-51 * (np.arange(4) % 3))
    np.testing.assert_array_equal(
        levelled(np.ldexp(values, power)), np.ldexp(levelled(values), power)
    )


@pytest.mark.parametrize("others", [[], [1.0], [1.0, 1e300], [1e-300]])
def test_small_gaps_are_gaps_beside_anything(others: list[float]) -> None:
    values = np.array([[1e-13, 2e-13, *others]])
    np.testing.assert_array_equal(levelled(values), values)
    assert len(set(within_block_ranks(values)[0])) == values.size


@given(times)
def test_an_offset_leaves_gaps_that_floats_can_tell(hundredths: NDArray[np.int64]) -> None:
    values = hundredths / 100
    np.testing.assert_array_equal(within_block_ranks(values + 1e8), within_block_ranks(values))
    np.testing.assert_array_equal(levelled(values + 1e8), values + 1e8)


def test_a_chain_is_one_run_in_any_order() -> None:
    chain = 1 + np.arange(4) * 0.9 * ROUNDING
    for order in ([0, 1, 2, 3], [3, 0, 2, 1], [2, 3, 1, 0]):
        assert levelled(chain[order][None]).tolist() == [[1.0] * 4]
    assert levelled(chain[[0, 3]][None]).tolist() == [chain[[0, 3]].tolist()]


def test_what_is_apart_stays_as_it_is() -> None:
    values = np.array(
        [[0.1, 0.1 * (1 + 3 * ROUNDING), 1e12], [np.nan, 1e-12, 2e-12], [3, 2, np.inf]]
    )
    np.testing.assert_array_equal(levelled(values), values)


def test_noise_of_what_was_subtracted_from_larger_numbers() -> None:
    values = np.array([[0.0, 2e-16, 0.5]])
    assert levelled(values, np.ones((1, 3))).tolist() == [[0.0, 0.0, 0.5]]
    assert levelled(values).tolist() == values.tolist()


def test_a_run_has_its_smallest_value_in_every_direction() -> None:
    a, b = 0.28 - 0.27, 0.01
    assert a != b
    assert levelled(np.array([[a, b, 0.5]])).tolist() == [[b, b, 0.5]]
    assert levelled(np.array([[-a, -b, 0.5]])).tolist() == [[-a, -a, 0.5]]


def test_gaps_do_not_touch_what_is_there() -> None:
    values = np.array([[np.nan, 0.28 - 0.27, np.nan, 0.01]])
    np.testing.assert_array_equal(levelled(values), [[np.nan, 0.01, np.nan, 0.01]])
    np.testing.assert_array_equal(available_ranks(values), [[np.nan, 1.5, np.nan, 1.5]])
    assert levelled(np.empty((0, 3))).shape == (0, 3)
    assert levelled(np.full((2, 2), np.nan)).shape == (2, 2)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
def test_the_unit_does_not_matter(scale: float) -> None:
    values = scale * np.array([[0.28 - 0.27, 0.01, 0.02]])
    assert within_block_ranks(values).tolist() == [[1.5, 1.5, 3.0]]


def test_warehouse_compares_after_levelling() -> None:
    rows = [("d", 1, "a", "time", 0.28 - 0.27), ("d", 1, "b", "time", 0.01)]
    warehouse = warehouse_of_rows(rows, [Measure("time", "smaller")])
    assert np.ptp(warehouse.performances("d", "time").values) == 0
    assert np.ptp(warehouse.frame["value"]) > 0


def test_times_of_the_reference_have_no_noise_left(reference: Path) -> None:
    frame = pd.read_csv(reference / "data" / "uci621raw.csv")
    frame = frame[frame["measure"] == "Time"]
    table = frame.pivot(index=["dataset", "replication"], columns="algorithm", values="value")
    for values, n_close in (
        (table.to_numpy(), 278),
        (levelled_performances(table.to_numpy(), is_time=True), 0),
    ):
        i, j = np.triu_indices(values.shape[1], 1)
        apart = np.abs(values[:, i] - values[:, j])
        assert ((apart > 0) & (apart < 1e-7)).sum() == n_close
