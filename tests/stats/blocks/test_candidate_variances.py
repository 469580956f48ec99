"""Residual variances of candidates: unbiased, invariant, and the size of their test."""

from __future__ import annotations

from math import inf, isnan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.blocks.variances import candidate_variances

EXACT = 1e-9


def simulated(seed: int, shape: tuple[int, int]) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) * np.arange(1, shape[1] + 1) + 3 * rng.normal(size=(shape[0], 1))


@given(st.integers(0, 10_000), st.integers(3, 20), st.integers(2, 6))
def test_mean_is_the_residual_mean_square(seed: int, n_blocks: int, k: int) -> None:
    values = simulated(seed, (n_blocks, k))
    found = candidate_variances(values)
    model = fit_block_model(values + 1e3 * np.arange(n_blocks)[:, None])  # off the boundary
    assert found.variances.mean() == pytest.approx(model.variance, rel=1e-6)


def test_grubbs_by_covariances() -> None:
    """Three instruments: variance of each less the covariances with the others, plus the rest."""
    values = simulated(1, (30, 3))
    s = np.cov(values, rowvar=False)
    expected = [
        s[0, 0] - s[0, 1] - s[0, 2] + s[1, 2],
        s[1, 1] - s[0, 1] - s[1, 2] + s[0, 2],
        s[2, 2] - s[0, 2] - s[1, 2] + s[0, 1],
    ]
    np.testing.assert_allclose(candidate_variances(values).variances, expected, rtol=EXACT)


def test_two_candidates() -> None:
    """A t test of the products of sum and difference."""
    values = simulated(2, (25, 2))
    found = candidate_variances(values)
    centred = values - values.mean(axis=0)
    expected = ttest_1samp(centred[:, 0] ** 2 - centred[:, 1] ** 2, 0)
    assert found.method == "robust-pitman-morgan"
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-8)
    s = np.cov(values, rowvar=False)
    np.testing.assert_allclose(found.variances, np.diag(s) - s[0, 1], rtol=EXACT)


def test_unbiased() -> None:
    """Variances 1, 4, 9, 16 in 2,500 studies of 8 blocks: five standard errors."""
    draws = np.array([candidate_variances(simulated(i, (8, 4))).variances for i in range(2500)])
    errors = draws.std(axis=0) / sqrt(len(draws))
    assert (np.abs(draws.mean(axis=0) - [1, 4, 9, 16]) < 5 * errors).all()


@given(st.integers(0, 10_000), st.permutations(range(4)), st.floats(-30, -0.1))
def test_relabelling_and_scale(seed: int, order: list[int], factor: float) -> None:
    values = simulated(seed, (10, 4))
    plain = candidate_variances(values)
    moved = candidate_variances(factor * values[:, order] + np.arange(10)[:, None])
    np.testing.assert_allclose(
        moved.variances, factor**2 * plain.variances[order], rtol=1e-6, atol=1e-6 * factor**2
    )
    assert moved.p_value == pytest.approx(plain.p_value, rel=1e-5)


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("law", ["normal", "exponential"])
def test_size(k: int, law: str) -> None:
    """At 5%, 1,000 studies of 40 blocks; .035 to .07 measured with 3,000."""
    rng = np.random.default_rng(7)
    p = [
        candidate_variances(getattr(rng, law)(size=(40, k)) + 2 * rng.normal(size=(40, 1))).p_value
        for _ in range(1000)
    ]
    assert 0.02 < np.mean(np.array(p) <= 0.05) < 0.09


def test_differences_are_found() -> None:
    found = candidate_variances(simulated(3, (250, 4)))
    assert found.p_value < 1e-10
    assert found.ratio > 5
    assert found.method == "brown-forsythe"
    assert (found.df1, found.df2) == (3, 747)


def test_what_does_not_vary() -> None:
    same = candidate_variances(np.arange(6.0)[:, None] + np.arange(3.0))
    assert not same.variances.any()
    assert isnan(same.p_value)
    assert isnan(same.ratio)
    two = candidate_variances(np.arange(6.0)[:, None] + np.arange(2.0))
    assert isnan(two.p_value)
    one = np.column_stack([np.zeros((6, 2)), [1.0, -1, 2, -2, 3, -3]])
    assert candidate_variances(one).ratio == inf


def test_errors() -> None:
    for shape in ((2, 3), (5, 1)):
        with pytest.raises(ValueError, match="three blocks"):
            candidate_variances(np.ones(shape))
