"""Residuals and block effects against lme4, the models, and a dense second algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.stats.blocks import diagnostics
from reportgen.stats.blocks.diagnostics import (
    diagnose,
    normal_plot,
    predict,
    shown_places,
    standardised,
)
from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.model import fit_block_model

LME4 = 1e-5  # relative: its search stops there
EXACT = 1e-8

nan = np.nan
GAPS = np.array(
    [
        [nan, nan, 1.82, 1.5],
        [-2.34, -1.64, -1.58, 0.14],
        [0.23, -0.43, 1.09, -0.13],
        [-0.03, -0.25, 0.79, -0.26],
        [1.56, 1.29, nan, 2.26],
        [1.12, 0.59, 2.18, 1.62],
        [0.69, 2.07, 2.62, 4.26],
        [-0.81, -0.68, 0.96, -1.28],
        [1.34, 1.19, -0.81, nan],
        [2.47, 1.06, -0.29, 0.83],
        [0.41, 1.35, 1.21, 0.94],
        [1.36, 2.84, 1.44, 1.97],
    ]
)
# lmer(p ~ 0 + k + (1 | b)) of lme4 1.1-31 in R 4.2.2
VARIANCES = (0.82487379828504, 0.95733558196610)
MEANS = [0.587793612513, 0.714157248877, 0.921838795161, 1.06541270936]
EFFECTS = [
    *(0.465729737648, -1.79141429823, -0.520236996576, -0.625139977781, 0.710226746775),
    *(0.456800573465, 1.3063090291, -1.048865745, -0.13046019699, 0.160603920652),
    *(0.127693181451, 0.888754025483),
]


def simulated(seed: int, shape: tuple[int, int] = (9, 4), share: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape) + rng.normal(size=(shape[0], 1)) + np.arange(shape[1])
    values[1:][rng.random((shape[0] - 1, shape[1])) < share] = np.nan
    return values


def test_lme4() -> None:
    found = predict(GAPS, VARIANCES[1] / VARIANCES[0])
    np.testing.assert_allclose(found.means, MEANS, rtol=LME4)
    np.testing.assert_allclose(found.block_effects, EFFECTS, rtol=LME4)
    assert np.nansum(found.residuals**2) == pytest.approx(25.7088202333, rel=LME4)
    # lme4 lists candidate by candidate: the first replications of the first
    expected = [-1.13637931428, 0.162443384063, 0.00734636526718, 0.261979640711]
    np.testing.assert_allclose(found.residuals[1:5, 0], expected, rtol=LME4, atol=1e-7)
    np.testing.assert_allclose(found.fitted + found.residuals, GAPS, rtol=EXACT)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.2]))
def test_models_predict_the_same(seed: int, share: float) -> None:
    values = simulated(seed, share=share)
    fit = fit_block_model if np.isfinite(values).all() else fit_incomplete_blocks
    model = fit(values)
    found = predict(values, model.block_variance / model.variance)
    np.testing.assert_allclose(found.means, model.means, rtol=1e-6, atol=EXACT)
    np.testing.assert_allclose(found.block_effects, model.block_effects, rtol=1e-6, atol=EXACT)


@given(st.integers(0, 10_000), st.floats(0, 50))
def test_dense_equations(seed: int, ratio: float) -> None:
    """Henderson's mixed model equations, all values in one vector."""
    values = simulated(seed, share=0.2)
    rows, columns = np.nonzero(np.isfinite(values))
    x, z = np.eye(4)[columns], np.eye(9)[rows]
    covariance = np.eye(len(rows)) + ratio * z @ z.T
    inverse = np.linalg.inv(covariance)
    y = values[rows, columns]
    means = np.linalg.solve(x.T @ inverse @ x, x.T @ inverse @ y)
    effects = ratio * z.T @ inverse @ (y - x @ means)
    found = predict(values, ratio)
    np.testing.assert_allclose(found.means, means, rtol=1e-7, atol=EXACT)
    np.testing.assert_allclose(found.block_effects, effects, rtol=1e-6, atol=EXACT)
    np.testing.assert_allclose(
        found.residuals[rows, columns], y - x @ means - z @ effects, rtol=1e-6, atol=EXACT
    )


def test_many_at_once_are_each_alone() -> None:
    values = np.stack([simulated(seed) for seed in range(5)])
    values[:, 2, 1] = np.nan
    together = predict(values, 0.7)
    for alone, residuals in zip(values, together.residuals, strict=True):
        np.testing.assert_allclose(predict(alone, 0.7).residuals, residuals, rtol=EXACT)
    assert together.fitted.shape == values.shape


def test_without_block_variance() -> None:
    found = diagnose(simulated(1), 1.0, 0.0, np.random.default_rng(1))
    assert found.block_plot is None
    values = simulated(1)
    np.testing.assert_allclose(found.predictions.residuals, values - values.mean(axis=0))


def test_plots_are_of_residuals_and_effects() -> None:
    values = simulated(2, (40, 3), share=0.1)
    values[5] = np.nan
    model = fit_incomplete_blocks(values)
    found = diagnose(values, model.variance, model.block_variance, np.random.default_rng(1))
    residuals = found.predictions.residuals[np.isfinite(values)]
    assert found.residual_plot.n_values == len(residuals)
    assert found.residual_plot.ordered[-1] * found.residual_plot.scale == pytest.approx(
        residuals.max()
    )
    assert found.block_plot.n_values == 39
    assert found.block_plot.ordered[0] * found.block_plot.scale == pytest.approx(
        model.block_effects.min(), rel=1e-5
    )


@settings(max_examples=10)
@given(st.floats(0.01, 100), st.integers(0, 100))
def test_scale_changes_no_plot(factor: float, seed: int) -> None:
    values = simulated(seed)
    plain = diagnose(values, 1.0, 0.5, np.random.default_rng(3), n_draws=39)
    scaled = diagnose(
        factor * values, factor**2, factor**2 / 2, np.random.default_rng(3), n_draws=39
    )
    np.testing.assert_allclose(scaled.residual_plot.ordered, plain.residual_plot.ordered, rtol=1e-6)
    np.testing.assert_allclose(scaled.residual_plot.lower, plain.residual_plot.lower, rtol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(20, 2), (15, 6)])
def test_level_of_both_bands(shape: tuple[int, int]) -> None:
    """At 10%, 200 studies; residuals of two candidates are far from independent."""
    rng = np.random.default_rng(5)
    outside = []
    for _ in range(200):
        values = rng.normal(size=shape) + 2 * rng.normal(size=(shape[0], 1))
        model = fit_block_model(values)
        found = diagnose(values, model.variance, model.block_variance, rng, 0.1, n_draws=99)
        outside.append([found.residual_plot.n_outside > 0, found.block_plot.n_outside > 0])
    np.testing.assert_allclose(np.mean(outside, axis=0), 0.1, atol=4 * np.sqrt(0.09 / 200))


def test_the_least_level_of_a_sample_is_that_of_its_most_extreme_point() -> None:
    rng = np.random.default_rng(1)
    for n_values in (3, 40, 700):
        places = shown_places(n_values)
        samples = rng.standard_t(rng.choice([2.0, 30.0, 1e6], (200, 1)), (200, n_values))
        ordered = standardised(samples, places)
        ordered[0] = ordered[1] * 1e-3  # far too little spread
        least = diagnostics._least_levels(ordered, places, n_values)
        assert least.tolist() == diagnostics._levels(ordered, places, n_values).min(axis=1).tolist()


def test_points_inside_the_bounds_of_a_level_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sizes: list[int] = []
    levels = diagnostics._levels

    def told(ordered: np.ndarray, *more: Any) -> np.ndarray:
        sizes.append(ordered.size)
        return levels(ordered, *more)

    monkeypatch.setattr(diagnostics, "_levels", told)
    rng = np.random.default_rng(1)
    samples = standardised(rng.normal(size=(199, 700)), shown_places(700))
    normal_plot(rng.normal(size=700), samples)
    assert sum(sizes) < samples.size / 5


def test_simulated_blocks_vary_as_fitted() -> None:
    """Blocks of 1 and of 10 values: with a ratio of 5 their effects still vary about alike."""
    values = simulated(7, (40, 10))
    values[::2, 1:] = np.nan
    found = diagnose(values, 1.0, 5.0, np.random.default_rng(1)).block_plot
    rng = np.random.default_rng(2)
    effects = rng.normal(size=(1999, 40))
    effects -= effects.mean(axis=1, keepdims=True)
    alike = normal_plot(effects[0], standardised(effects, shown_places(40)))
    np.testing.assert_allclose(found.upper[-4:], alike.upper[-4:], rtol=0.1)


def test_errors() -> None:
    with pytest.raises(ValueError, match="every candidate"):
        predict(np.array([[1.0, nan], [2.0, nan]]), 1.0)
    with pytest.raises(ValueError, match="negative"):
        predict(np.ones((2, 2)), -1.0)
    with pytest.raises(ValueError, match="positive variance"):
        diagnose(np.ones((2, 2)), 0.0, 1.0, np.random.default_rng(1))
