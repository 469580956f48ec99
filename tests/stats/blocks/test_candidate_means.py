"""Intervals of means, and intervals inside bounds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t

from reportgen.stats.blocks.candidate_means import mean_intervals, within

EXACT = 1e-9  # two algorithms


def test_symmetric_values_have_students_interval() -> None:
    values = np.array([[-2.0], [-1.0], [0.0], [1.0], [2.0]]) + 10
    (lower,), (upper,) = mean_intervals(values, np.array([10.0]), 0.1)
    half = t.isf(0.05, 4) * values.std(ddof=1) / 5**0.5
    assert (lower, upper) == pytest.approx((10 - half, 10 + half), abs=EXACT)


def test_skewed_values_have_a_longer_side_and_one_value_none() -> None:
    values = np.array([[0.0, np.nan], [0.0, 3.0], [0.0, np.nan], [5.0, np.nan]])
    lower, upper = mean_intervals(values, np.array([1.25, 3.0]), 0.05)
    assert upper[0] - 1.25 > 1.25 - lower[0]
    assert np.isnan([lower[1], upper[1]]).all()


@pytest.mark.parametrize(
    ("bounds", "interval", "expected"),
    [
        ((0.0, 1.0), (0.7802, 1.0482), (0.7802, 1.0)),
        ((0.0, 1.0), (-0.1, 0.2), (0.0, 0.2)),
        ((0.0, None), (-1.0, 3.0), (0.0, 3.0)),
        ((None, None), (-1.0, 3.0), (-1.0, 3.0)),
        ((0.0, 1.0), (1.1, 1.2), (1.0, 1.0)),
    ],
)
def test_intervals_are_cut_at_bounds(
    bounds: tuple[float | None, float | None],
    interval: tuple[float, float],
    expected: tuple[float, float],
) -> None:
    assert within(bounds, interval) == expected


@pytest.mark.parametrize("exponent", [160, -160])
def test_intervals_have_the_unit_of_the_values_whatever_other_columns_hold(exponent: int) -> None:
    values = np.random.default_rng(1).gamma(2.0, size=(9, 3))
    usual = mean_intervals(values, values.mean(axis=0), 0.05)
    other = np.ldexp(values, [0, exponent, 2 * exponent])
    found = mean_intervals(other, other.mean(axis=0), 0.05)
    for ends, expected in zip(found, usual, strict=True):
        np.testing.assert_allclose(np.ldexp(ends, [0, -exponent, -2 * exponent]), expected, 1e-12)
