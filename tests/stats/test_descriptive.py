"""Summaries: quantiles of type 7, intervals, worst cases."""

from __future__ import annotations

from dataclasses import asdict
from math import isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.descriptive import (
    describe,
    describe_each,
    quantiles_of,
    tied_runs,
    worst,
    worst_each,
    worst_quantile,
    worst_share,
)

samples = st.lists(st.floats(-100, 100), min_size=1, max_size=30).map(np.array)


def type7(sample: np.ndarray, level: float) -> float:
    """Return Hyndman and Fan's definition 7, written out."""
    x = np.sort(sample)
    h = (len(x) - 1) * level
    below = int(h)
    above = min(below + 1, len(x) - 1)
    return float(x[below] + (h - below) * (x[above] - x[below]))


@given(samples, st.floats(0.01, 0.99))
def test_description(sample: np.ndarray, alpha: float) -> None:
    found = describe(sample, alpha)
    expected = [type7(sample, p) for p in (0.25, 0.5, 0.75, alpha / 2, 1 - alpha / 2)]
    quantiles = [found.lower_quartile, found.median, found.upper_quartile]
    assert [*quantiles, *found.percentile_interval] == pytest.approx(expected, abs=1e-9)
    assert (found.n, found.min, found.max) == (len(sample), sample.min(), sample.max())
    assert found.mean == pytest.approx(sum(sample) / len(sample), abs=1e-9)


def test_normal_interval() -> None:
    """Mean 3, variance (4 + 1 + 0 + 1 + 4) / 4 = 2.5, z = 1.959964."""
    found = describe(np.arange(1.0, 6.0), alpha=0.05)
    half = 1.959963984540054 * sqrt(2.5 / 5)
    assert found.sd == pytest.approx(sqrt(2.5))
    assert found.normal_interval == pytest.approx((3 - half, 3 + half))


def test_one_value_has_no_spread() -> None:
    found = describe(np.array([0.3]), alpha=0.05)
    assert isnan(found.sd)
    assert all(map(isnan, found.normal_interval))
    assert found.percentile_interval == (0.3, 0.3)


@pytest.mark.parametrize("lengths", [(7, 7, 7), (9, 1, 4)])
def test_samples_are_described_together_as_alone(lengths: tuple[int, ...]) -> None:
    rng = np.random.default_rng(6)
    samples = [rng.normal(size=n) for n in lengths]
    for sample, found, quantiles in zip(
        samples, describe_each(samples, 0.1), quantiles_of(samples, [0.3]), strict=True
    ):
        np.testing.assert_equal(asdict(found), asdict(describe(sample, 0.1)))
        assert quantiles == [worst_quantile(sample, 0.3)]
        assert (found.lower_quartile, found.n) == (np.quantile(sample, 0.25), len(sample))


def test_constant_values_have_spread_zero() -> None:
    found = describe(np.full(7, 0.1), alpha=0.05)
    assert found.sd == 0
    assert found.normal_interval[0] == found.normal_interval[1]


@given(samples, st.integers(1, 40))
def test_worst_values(sample: np.ndarray, m: int) -> None:
    found = worst(sample, m)
    assert (sample > found).sum() < m
    assert (sample >= found).sum() >= min(m, len(sample))
    assert worst(-sample, m, is_smaller_better=False) == -found


@given(samples, st.floats(0, 1))
def test_worst_quantile(sample: np.ndarray, level: float) -> None:
    found = worst_quantile(sample, level)
    assert found == pytest.approx(type7(sample, level), abs=1e-9)
    assert worst_quantile(-sample, level, is_smaller_better=False) == pytest.approx(
        -found, abs=1e-9
    )


@pytest.mark.parametrize(
    ("n", "alpha", "expected"), [(250, 0.05, 13), (100, 0.05, 5), (3, 0.01, 1), (60, 0.05, 3)]
)
def test_worst_share(n: int, alpha: float, expected: int) -> None:
    assert worst_share(n, alpha) == expected


def test_tied_runs() -> None:
    values = np.array([0.30, 0.10, 0.14, 0.18, 0.10])
    assert tied_runs(values, 0.0) == [[1, 4], [2], [3], [0]]
    assert tied_runs(values, 0.05) == [[1, 4, 2, 3], [0]]  # by neighbours: .10 to .18
    assert tied_runs(np.array([]), 0.0) == []


def test_errors() -> None:
    with pytest.raises(ValueError, match="finite"):
        describe(np.array([1.0, np.nan]), 0.05)
    with pytest.raises(ValueError, match="n >= 1"):
        worst(np.array([]))
    with pytest.raises(ValueError, match="m must"):
        worst(np.array([1.0]), 0)
    with pytest.raises(ValueError, match="alpha"):
        describe(np.array([1.0]), 0.0)


@pytest.mark.parametrize("n", [1, 2, 9, 300])
def test_samples_of_one_length_are_described_as_each_by_itself(n: int) -> None:
    table = np.random.default_rng(n).normal(size=(40, n))
    table[7], table[8, ::2] = 0.25, 0.25
    found, alone = describe_each([*table], 0.1), [describe(row, 0.1) for row in table]
    assert [repr(asdict(x)) for x in found] == [repr(asdict(x)) for x in alone]
    for m in (1, 3):
        for smaller in (True, False):
            assert worst_each([*table], m, smaller) == [worst(row, m, smaller) for row in table]


def test_what_is_no_sample_is_refused_among_others() -> None:
    with pytest.raises(ValueError, match="finite values only"):
        describe_each([np.array([1.0, 2.0]), np.array([1.0, np.nan])], 0.05)
    with pytest.raises(ValueError, match="n >= 1"):
        worst_each([np.zeros(0), np.zeros(0)], 1, True)
    with pytest.raises(ValueError, match="m must be at least 1"):
        worst_each([np.zeros(2), np.zeros(2)], 0, True)
