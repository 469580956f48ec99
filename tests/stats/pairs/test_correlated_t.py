"""The Bayesian correlated t against R, integration and the corrected t."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from reportgen.stats.pairs.corrected_t import corrected_pairs, correlated_t

EXACT = 1e-10  # relative: closed forms


def simulated(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 0.1 * rng.normal(size=(10, 3)) + np.array([0, 0.02, 0.1])


def test_r() -> None:
    """pt((bound + 2) / sqrt(.75 * 2 / 3), 3) of R 4.2.2 at -1 and 1."""
    values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]])
    found = correlated_t(corrected_pairs(values, 0.5), 0.5, area=(-1.0, 1.0))
    assert found.rho == pytest.approx(1 / 3, rel=EXACT)
    assert found.left[0] == pytest.approx(0.873892251822, rel=EXACT)
    assert found.rope[0] == pytest.approx(0.114117148282, rel=1e-9)
    assert found.right[0] == pytest.approx(0.0119905998953, rel=EXACT)


@given(st.integers(0, 1000), st.floats(0, 1), st.floats(0, 0.1))
def test_density_integrates_to_the_probabilities(seed: int, ratio: float, width: float) -> None:
    found = correlated_t(corrected_pairs(simulated(seed), ratio), ratio, (-width, width))
    np.testing.assert_allclose(found.left + found.rope + found.right, 1, rtol=EXACT)
    law = t(found.df[0], found.location[0], found.scale[0])
    nodes, weights = np.polynomial.legendre.leggauss(60)
    expected = width * weights @ law.pdf(width * nodes)
    assert found.rope[0] == pytest.approx(expected, abs=1e-9)


@given(st.integers(0, 1000), st.floats(0, 1))
def test_credible_is_confidence_interval(seed: int, ratio: float) -> None:
    """Without an area the smaller side is half the two-sided p-value."""
    pairs = corrected_pairs(simulated(seed), ratio)
    found = correlated_t(pairs, ratio)
    np.testing.assert_allclose(2 * np.minimum(found.left, found.right), pairs.p_value, rtol=1e-9)
    inside = correlated_t(
        corrected_pairs(simulated(seed)[:, :2], ratio, alpha=0.2), ratio, area=(-5.0, 5.0)
    )
    law = t(inside.df[0], inside.location[0], inside.scale[0])
    assert law.cdf(inside.upper[0]) - law.cdf(inside.lower[0]) == pytest.approx(0.8, rel=1e-9)


@given(st.integers(0, 1000), st.floats(0, 0.1))
def test_turning_exchanges_left_and_right(seed: int, width: float) -> None:
    plain = correlated_t(corrected_pairs(simulated(seed), 0.5), 0.5, (-width, width))
    turned = correlated_t(corrected_pairs(-simulated(seed), 0.5), 0.5, (-width, width))
    np.testing.assert_allclose(turned.left, plain.right, rtol=1e-9)
    np.testing.assert_allclose(turned.rope, plain.rope, rtol=1e-9, atol=1e-15)


def test_no_variation_is_a_point() -> None:
    column = np.array([0.1, 0.4, 0.2, 0.9])
    values = np.column_stack([column, column + 0.3, column, [np.nan] * 4])
    found = correlated_t(corrected_pairs(values, 0.5), 0.5, (-0.1, 0.1))
    assert found.left[[0, 1, 3]].tolist() == [1, 0, 0]
    assert found.rope[[0, 1, 3]].tolist() == [0, 1, 0]
    assert found.right[[0, 1, 3]].tolist() == [0, 0, 1]
    assert np.isnan(found.left[2])


def test_errors() -> None:
    with pytest.raises(ValueError, match="contain 0"):
        correlated_t(corrected_pairs(simulated(0), 0.5), 0.5, (0.1, 0.2))


def test_posterior_probabilities_are_calibrated() -> None:
    """One data set a draw, mean from a wide prior: P(mean < 0) is what it says, 4,000 draws."""
    rng = np.random.default_rng(6)
    rho, n_blocks, n = 0.368, 20, 4000
    means = rng.uniform(-6, 6, size=n)
    common, own = rng.normal(size=(n, 1)), rng.normal(size=(n, n_blocks))
    differences = means[:, None] + np.sqrt(rho) * common + np.sqrt(1 - rho) * own
    ratio = rho / (1 - rho)
    left = np.array(
        [
            correlated_t(corrected_pairs(np.column_stack([d, 0 * d]), ratio), ratio).left[0]
            for d in differences
        ]
    )
    is_unsure = (left > 0.2) & (left < 0.8)
    assert is_unsure.sum() > 200
    assert (means[is_unsure] < 0).mean() == pytest.approx(left[is_unsure].mean(), abs=0.09)
