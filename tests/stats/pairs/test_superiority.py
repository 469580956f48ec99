"""Unpaired superiority against brute force, its projection, and coverage."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu

from reportgen.stats.pairs.effects import unpaired_superiority

EXACT = 1e-12  # relative: shares of whole numbers


def by_comparing(first: np.ndarray, second: np.ndarray) -> float:
    """Compare every value with every other."""
    return float(np.mean(np.sign(second[None, :] - first[:, None]) / 2 + 0.5))


def found(values: np.ndarray, n_draws: int = 40, **options):
    return unpaired_superiority(values, 0.1, np.random.default_rng(1), n_draws=n_draws, **options)


@given(st.integers(0, 10_000), st.integers(1, 12))
def test_all_comparisons(seed: int, n_blocks: int) -> None:
    values = np.random.default_rng(seed).integers(0, 6, size=(n_blocks, 3)).astype(float)
    result = found(values)
    pairs = zip(result.first, result.second, strict=True)
    expected = [by_comparing(values[:, i], values[:, j]) for i, j in pairs]
    np.testing.assert_allclose(result.probabilities, expected, rtol=EXACT)
    assert ((result.lower >= 0) & (result.lower <= result.upper) & (result.upper <= 1)).all()


def test_mann_whitney() -> None:
    values = np.random.default_rng(2).normal(size=(30, 2))
    u = mannwhitneyu(values[:, 1], values[:, 0]).statistic
    assert found(values).probabilities[0] == pytest.approx(u / 900, rel=EXACT)


@given(st.integers(0, 10_000))
def test_direction_and_monotone_transformations(seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, 9, size=(10, 3)).astype(float)
    plain, turned = found(values), found(values, is_smaller_better=False)
    np.testing.assert_allclose(plain.probabilities, 1 - turned.probabilities, rtol=EXACT)
    np.testing.assert_allclose(plain.lower, 1 - turned.upper, atol=1e-9)
    np.testing.assert_array_equal(found(np.exp(values)).lower, plain.lower)
    other = found(values[:, ::-1])
    np.testing.assert_allclose(other.probabilities, 1 - plain.probabilities[::-1], rtol=EXACT)


def test_missing_values() -> None:
    values = np.random.default_rng(4).normal(size=(12, 3))
    values[:4, 1] = np.nan
    values[:, 2] = np.nan
    result = found(values)
    expected = by_comparing(values[:, 0], values[4:, 1])
    assert result.probabilities[0] == pytest.approx(expected, rel=EXACT)
    assert np.isnan(result.probabilities).tolist() == [False, True, True]
    assert np.isnan(result.lower).tolist() == [False, True, True]


def test_batches_of_draws_change_nothing(monkeypatch) -> None:
    """The same stream in pieces: 25 blocks, 4 draws a batch."""
    values = np.random.default_rng(5).normal(size=(25, 2))
    whole = found(values, n_draws=30)
    monkeypatch.setattr("reportgen.stats.pairs.effects.AT_ONCE", 100)
    np.testing.assert_allclose(found(values, n_draws=30).errors, whole.errors, rtol=1e-10)


def projection_error(values: np.ndarray) -> float:
    """Return the standard error by the placements of both values of a replication."""
    first, second = values.T
    of_first = (first[:, None] < second[None, :]).mean(axis=1)
    of_second = (first[:, None] < second[None, :]).mean(axis=0)
    return float((of_first + of_second).std(ddof=1) / sqrt(len(values)))


@pytest.mark.parametrize("correlation", [0.0, 0.9, -0.9])
def test_bootstrap_error_is_that_of_the_projection(correlation: float) -> None:
    """To 10%: 2,000 draws have 1.6%, the projection leaves out terms of order 1/B."""
    rng = np.random.default_rng(6)
    mixing = np.array([[1, correlation], [0, sqrt(1 - correlation**2)]])
    values = rng.normal(size=(200, 2)) @ mixing + [0, 0.4]
    assert found(values, n_draws=2000).errors[0] == pytest.approx(projection_error(values), rel=0.1)


def test_intervals_cover() -> None:
    """90% intervals of dependent candidates, B = 40, 600 runs; percentiles fall short a little."""
    rng = np.random.default_rng(8)
    covered = []
    for _ in range(600):
        block = rng.normal(size=(40, 1))
        values = block + rng.normal(size=(40, 2))
        result = found(values, n_draws=200)
        covered.append(result.lower[0] <= 0.5 <= result.upper[0])
    assert 0.84 < np.mean(covered) < 0.94


def test_errors() -> None:
    for values in (np.ones((3, 1)), np.ones(3)):
        with pytest.raises(ValueError, match="two candidates"):
            found(values)
    with pytest.raises(ValueError, match="needs a replication"):
        found(np.empty((0, 2)))
    with pytest.raises(ValueError, match="draw"):
        found(np.ones((3, 2)), n_draws=0)
    with pytest.raises(ValueError, match="alpha"):
        unpaired_superiority(np.ones((3, 2)), 1.5, np.random.default_rng(1))


def test_of_one_replication_nothing_varies() -> None:
    one = found(np.array([[1.0, 2.0, 2.0, np.nan]]), n_draws=50)
    np.testing.assert_array_equal(one.probabilities, [1, 1, np.nan, 0.5, np.nan, np.nan])
    np.testing.assert_array_equal(one.errors, [0, 0, np.nan, 0, np.nan, np.nan])
    for bound in (one.lower, one.upper):
        np.testing.assert_array_equal(bound, one.probabilities)
