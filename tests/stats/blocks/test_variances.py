"""Intervals of variances: closed forms, a second algorithm, coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from scipy.stats import f as f_law

from reportgen.stats.blocks.incomplete import fit_incomplete_blocks
from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.blocks.variances import variance_intervals

EXACT = 1e-8


def simulated(seed: int, shape=(15, 4), ratio: float = 1.0, share: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=shape) + np.sqrt(ratio) * rng.normal(size=(shape[0], 1))
    values[2:][rng.random((shape[0] - 2, shape[1])) < share] = np.nan
    return values + np.arange(shape[1])


def mean_squares(values: np.ndarray) -> tuple[float, float]:
    b, k = values.shape
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    blocks = k * values.mean(axis=1).var(ddof=1)
    return float(blocks), float((residuals**2).sum() / ((b - 1) * (k - 1)))


@given(st.integers(0, 10_000), st.floats(0, 5), st.sampled_from([0.05, 0.2]))
def test_closed_forms_of_complete_blocks(seed: int, ratio: float, alpha: float) -> None:
    values = simulated(seed, ratio=ratio)
    msb, mse = mean_squares(values)
    found = variance_intervals(values, alpha)
    tails = [1 - alpha / 2, alpha / 2]
    np.testing.assert_allclose(found.variance, 42 * mse / chi2.ppf(tails, 42), rtol=EXACT)
    gamma = np.maximum(0, (msb / mse / f_law.ppf(tails, 14, 42) - 1) / 4)
    np.testing.assert_allclose(found.icc, gamma / (1 + gamma), rtol=1e-6, atol=1e-9)
    assert (found.df, found.block_df) == (42, 14)


def test_generalised_interval_by_monte_carlo() -> None:
    """(SSB / V - SSE / U) / K with chi-squared U and V, 10^6 draws."""
    values = simulated(3, ratio=0.4)
    msb, mse = mean_squares(values)
    rng = np.random.default_rng(1)
    draws = (14 * msb / rng.chisquare(14, 10**6) - 42 * mse / rng.chisquare(42, 10**6)) / 4
    expected = np.maximum(0, np.quantile(draws, [0.025, 0.975]))
    np.testing.assert_allclose(variance_intervals(values).block_variance, expected, rtol=0.01)


def test_gaps_by_monte_carlo() -> None:
    """The pivots of the dense design: I - P_X and its eigenvectors, without the shortcuts."""
    values = simulated(4, ratio=0.8, share=0.25)
    rows, columns = np.nonzero(np.isfinite(values))
    x, z, y = np.eye(4)[columns], np.eye(15)[rows], values[np.isfinite(values)]
    off = np.eye(len(y)) - x @ np.linalg.pinv(x)
    inner = z.T @ off @ z
    lam, vectors = np.linalg.eigh(inner)
    t = (vectors.T @ z.T @ off @ y)[lam > 1e-9] / np.sqrt(lam[lam > 1e-9])
    both = np.hstack([x, z])
    sse = float(y @ (np.eye(len(y)) - both @ np.linalg.pinv(both)) @ y)
    df = len(y) - np.linalg.matrix_rank(both)
    found = variance_intervals(values)
    assert (found.df, found.block_df) == (df, len(t))
    np.testing.assert_allclose(found.variance, sse / chi2.ppf([0.975, 0.025], df), rtol=1e-6)
    for bound, tail in zip(found.icc, [0.975, 0.025], strict=True):
        gamma = bound / (1 - bound)
        pivot = (t**2 / (1 + lam[lam > 1e-9] * gamma)).sum() / len(t) / (sse / df)
        assert gamma == 0 or pivot == pytest.approx(f_law.ppf(tail, len(t), df), rel=1e-6)
    rng = np.random.default_rng(2)
    u = sse / rng.chisquare(df, 200_000)
    for bound, tail in zip(found.block_variance, [0.025, 0.975], strict=True):
        chi = (t**2 / (u[:, None] + lam[lam > 1e-9] * bound)).sum(axis=1)
        assert chi2.sf(chi, len(t)).mean() == pytest.approx(tail, abs=1e-3) or bound == 0


@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.2]))
def test_estimates_lie_inside(seed: int, share: float) -> None:
    values = simulated(seed, share=share)
    model = fit_incomplete_blocks(values) if share else fit_block_model(values)
    found = variance_intervals(values)
    assert found.variance[0] < model.variance < found.variance[1]
    assert found.block_variance[0] <= model.block_variance < found.block_variance[1]
    assert found.icc[0] <= model.icc < found.icc[1]


@given(st.integers(0, 1000), st.floats(0.01, 100), st.permutations(range(4)))
def test_scale_and_relabelling(seed: int, factor: float, order: list[int]) -> None:
    values = simulated(seed, share=0.1)
    plain, moved = variance_intervals(values), variance_intervals(factor * values[:, order] + 5)
    np.testing.assert_allclose(moved.variance, factor**2 * np.array(plain.variance), rtol=1e-6)
    np.testing.assert_allclose(moved.icc, plain.icc, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(
        moved.block_variance,
        factor**2 * np.array(plain.block_variance),
        rtol=1e-5,
        atol=1e-8 * factor**2,
    )


def test_boundary() -> None:
    """Blocks that vary much less than residuals: all intervals of theirs begin and may end at 0."""
    values = simulated(5, ratio=0.0)
    values -= values.mean(axis=1, keepdims=True)
    found = variance_intervals(values)
    assert found.block_variance == (0.0, 0.0)
    assert found.icc == (0.0, 0.0)


@pytest.mark.slow
@pytest.mark.parametrize(("ratio", "share"), [(0.1, 0.0), (2.0, 0.0), (0.5, 0.25)])
def test_coverage(ratio: float, share: float) -> None:
    """At 90%, 250 studies of 10 blocks and 3 candidates: four standard errors."""
    covered = []
    for seed in range(250):
        found = variance_intervals(simulated(seed, (10, 3), ratio, share), alpha=0.1)
        truths = (1.0, ratio, ratio / (1 + ratio))
        bounds = (found.variance, found.block_variance, found.icc)
        covered.append([low <= t <= high for t, (low, high) in zip(truths, bounds, strict=True)])
    assert (np.abs(np.mean(covered, axis=0) - 0.9) < 4 * np.sqrt(0.09 / 250)).all()


def test_errors() -> None:
    with pytest.raises(ValueError, match="alpha"):
        variance_intervals(simulated(1), 1.0)
    with pytest.raises(ValueError, match="degrees of freedom"):
        variance_intervals(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    with pytest.raises(ValueError, match="do not vary"):
        variance_intervals(np.arange(4.0)[:, None] + np.arange(3.0))
    with pytest.raises(ValueError, match="every candidate"):
        variance_intervals(np.array([[1.0, np.nan], [2.0, np.nan]]))
