"""The block model against a second algorithm, R, and its invariances."""

from __future__ import annotations

from math import log, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import fdtrc

from reportgen.stats.blocks.model import fit_block_model, has_residual_variance

CRITERION = 1e-7  # a search stops where the criterion is flat
COMPONENTS = 1e-4  # relative: the square root of what it leaves in the criterion
EXACT = 1e-9  # relative: closed forms


def criterion(values: NDArray[np.float64], variances: NDArray[np.float64]) -> float:
    """Return lme4's REML criterion from the full BK x BK covariance matrix."""
    n_blocks, k = values.shape
    y, design = values.ravel(), np.tile(np.eye(k), (n_blocks, 1))
    same_block = np.kron(np.eye(n_blocks), np.ones((k, k)))
    covariance = variances[0] * np.eye(len(y)) + variances[1] * same_block
    inverse = np.linalg.inv(covariance)
    information = design.T @ inverse @ design
    residuals = y - design @ np.linalg.solve(information, design.T @ inverse @ y)
    determinants = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(information)[1]
    return float((len(y) - k) * log(2 * pi) + determinants + residuals @ inverse @ residuals)


def searched(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
    """Minimise the criterion over residual and block variance, the latter >= 0."""
    found = minimize(
        lambda x: criterion(values, np.array([np.exp(x[0]), x[1]])),
        [log(values.var()), values.var() / 2],
        bounds=[(None, None), (0, None)],
        method="L-BFGS-B",
        options={"ftol": 1e-15, "gtol": 1e-9},
    )
    return float(found.fun), np.array([np.exp(found.x[0]), found.x[1]])


def simulated(seed: int, shape: tuple[int, int], spread: float) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + spread * rng.normal(size=(shape[0], 1)) + np.arange(shape[1])


@pytest.mark.parametrize("seed", range(6))
def test_search_finds_the_same(seed: int) -> None:
    values = simulated(seed, (8, 4), spread=1.5)
    model = fit_block_model(values)
    least, variances = searched(values)
    assert model.reml_criterion == pytest.approx(
        criterion(values, np.array([model.variance, model.block_variance])), rel=EXACT
    )
    assert model.reml_criterion <= least + CRITERION
    assert model.reml_criterion == pytest.approx(least, abs=CRITERION)
    expected = (model.variance, model.block_variance)
    assert variances == pytest.approx(expected, rel=COMPONENTS, abs=1e-4)


def negatively_correlated() -> NDArray[np.float64]:
    """Return blocks whose means vary less than their residuals let expect."""
    values = simulated(3, (9, 4), spread=0.0)
    return values - 0.9 * (values.mean(axis=1, keepdims=True) - values.mean())


def test_search_finds_the_same_on_the_boundary() -> None:
    values = negatively_correlated()
    model = fit_block_model(values)
    least, variances = searched(values)
    assert model.is_boundary
    assert (model.block_variance, model.icc) == (0, 0)
    assert not model.block_effects.any()
    assert model.reml_criterion == pytest.approx(least, abs=CRITERION)
    assert variances == pytest.approx((model.variance, 0), rel=COMPONENTS, abs=1e-6)
    ssb_and_sse = ((values - values.mean(axis=0)) ** 2).sum()
    assert model.variance == pytest.approx(ssb_and_sse / (4 * 8), rel=EXACT)


def test_boundary_leaves_the_exact_test_alone() -> None:
    """F and contrasts rest on the residual mean square whatever the blocks do."""
    values = negatively_correlated()
    shifted = values + 10 * np.arange(9)[:, None]
    on, off = fit_block_model(values), fit_block_model(shifted)
    assert (on.is_boundary, off.is_boundary) == (True, False)
    assert on.equality.statistic == pytest.approx(off.equality.statistic, rel=EXACT)
    contrast = np.array([1.0, -1.0, 0.0, 0.0])
    variances = [contrast @ m.estimates.covariance @ contrast for m in (on, off)]
    assert variances[0] == pytest.approx(variances[1], rel=1e-7)
    assert variances[0] == pytest.approx(2 * off.variance / 9, rel=1e-7)


def test_f_is_that_of_a_two_way_layout() -> None:
    """By hand: B = 3, K = 2, so F is the square of the paired t with 2 df."""
    values = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]])
    differences = values[:, 1] - values[:, 0]  # 1, 2, 3: mean 2, variance 1
    t = differences.mean() / np.sqrt(differences.var(ddof=1) / 3)
    found = fit_block_model(values).equality
    assert found.statistic == pytest.approx(t**2, rel=EXACT)
    assert found.p_value == pytest.approx(fdtrc(1, 2, 12), rel=EXACT)
    assert found.log10_p_value == pytest.approx(np.log10(found.p_value), rel=EXACT)


def test_single_mean() -> None:
    """Its variance is that of a mean of B independent values, estimated from both strata."""
    values = simulated(1, (40, 3), spread=2.0)
    model = fit_block_model(values)
    pooled = values.var(axis=0, ddof=1).mean()
    assert model.standard_error**2 == pytest.approx(pooled / 40, rel=EXACT)
    assert model.standard_error**2 == pytest.approx(model.estimates.covariance[0, 0], rel=EXACT)
    assert 39 < model.standard_error_df < 3 * 39


def test_block_effects_are_shrunken_means() -> None:
    values = simulated(2, (12, 5), spread=1.0)
    model = fit_block_model(values)
    factor = 5 * model.block_variance / (5 * model.block_variance + model.variance)
    expected = factor * (values.mean(axis=1) - values.mean())
    np.testing.assert_allclose(model.block_effects, expected, rtol=1e-9)
    assert model.icc == pytest.approx(
        model.block_variance / (model.block_variance + model.variance), rel=EXACT
    )


@given(
    st.integers(0, 10_000), st.floats(-1e3, 1e3), st.floats(0.01, 100), st.permutations(range(4))
)
def test_shift_scale_and_relabelling(
    seed: int, shift: float, factor: float, order: list[int]
) -> None:
    values = simulated(seed, (6, 4), spread=1.0)
    plain, moved = fit_block_model(values), fit_block_model(factor * values[:, order] + shift)
    np.testing.assert_allclose(moved.means, factor * plain.means[order] + shift, rtol=1e-9)
    assert moved.variance == pytest.approx(factor**2 * plain.variance, rel=1e-6)
    assert moved.block_variance == pytest.approx(
        factor**2 * plain.block_variance, rel=1e-6, abs=1e-6 * factor**2
    )
    assert moved.equality.statistic == pytest.approx(plain.equality.statistic, rel=1e-6)
    # the density of n - K rescaled values
    assert moved.reml_criterion == pytest.approx(
        plain.reml_criterion + 2 * (24 - 4) * log(factor), rel=1e-6, abs=1e-6
    )


def test_size_of_f_with_and_without_blocks() -> None:
    """At 5%, 2,000 studies each; four standard errors. Exact also for ICC = -.25."""
    rng = np.random.default_rng(8)
    n = 2000
    centring = np.eye(4) - 0.9 * np.ones((4, 4)) / 4  # nearly no variation between blocks
    for mixing in (np.eye(4), centring, np.eye(4) + np.ones((4, 4))):
        p = [fit_block_model(rng.normal(size=(10, 4)) @ mixing).equality.p_value for _ in range(n)]
        assert abs(np.mean(np.array(p) <= 0.05) - 0.05) < 4 * np.sqrt(0.05 * 0.95 / n)


@pytest.mark.parametrize("shape", [(1, 3), (4, 1), (0, 3)])
def test_too_little(shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="two blocks and two candidates"):
        fit_block_model(np.zeros(shape))


@pytest.mark.parametrize(
    "values",
    [
        np.ones((5, 3)),
        np.array([[0.1, 0.2, 0.4]]) + np.array([[0.3], [0.7], [1.1]]),  # rounding is no variance
        1e9 + np.arange(4.0)[:, None] + np.arange(3.0),
    ],
)
def test_no_residual_variance(values: NDArray[np.float64]) -> None:
    assert not has_residual_variance(values)
    with pytest.raises(ValueError, match="the same in every block"):
        fit_block_model(values)


def test_small_residual_variance_counts() -> None:
    values = 1.0 + 1e-9 * simulated(0, (5, 3), spread=1.0)
    assert has_residual_variance(values)
