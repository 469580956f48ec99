"""The non-central t against scipy, R, and the coverage of its limits."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct

from reportgen.stats.noncentral_t import cdf, center_limits

QUADRATURE = 1e-11
R_ROOT = 1e-8  # relative: pt() of R warns that it has not reached full precision


@given(st.integers(1, 2000), st.floats(-60, 60), st.floats(-5, 5))
def test_scipy(df: int, d: float, deviations: float) -> None:
    """Scipy's is not a number here and there; then there is nothing to compare."""
    t = d * sqrt(df)
    center = t + deviations * sqrt(1 + t**2 / (2 * df))
    expected = nct.cdf(t, df, center)
    found = cdf(np.array([t]), np.array([float(df)]), np.array([center]))[0]
    if np.isfinite(expected):
        assert found == pytest.approx(expected, abs=QUADRATURE)


@pytest.mark.parametrize(
    ("t", "df", "alpha", "expected"),
    [
        (2.0, 9.0, 0.05, (-0.2058547392713, 4.1162100971582)),
        (-1.2, 3.0, 0.1, (-2.9322617743376, 0.6977115118054)),
        (20.0, 40.0, 0.01, (13.79148667932, 26.35607337422)),
        (0.3, 249.0, 0.05, (-1.660441904816, 2.259839902308)),
        (5.0, 1.0, 0.1, (-0.1761640781152, 9.9938946030837)),
    ],
)
def test_noncentrality_limits_of_r(
    t: float, df: float, alpha: float, expected: tuple[float, float]
) -> None:
    """uniroot() on pt(t, df, ncp) of R 4.2.2, tolerance 1e-13."""
    found = center_limits(np.array([t]), np.array([df]), alpha)
    assert (found[0][0], found[1][0]) == pytest.approx(expected, rel=R_ROOT)


@pytest.mark.parametrize(("t", "df"), [(500.0, 249.0), (-3000.0, 9.0), (1e4, 1.0), (0.0, 2.0)])
def test_noncentrality_limits_far_out(t: float, df: float) -> None:
    """Beyond R's 37.62."""
    lower, upper = center_limits(np.array([t]), np.array([df]), 0.05)
    assert nct.sf(t, df, lower[0]) == pytest.approx(0.025, rel=1e-6)
    assert nct.cdf(t, df, upper[0]) == pytest.approx(0.025, rel=1e-6)


def test_d_covers() -> None:
    """True d of .8, B = 10, 4,000 runs: four standard errors."""
    rng = np.random.default_rng(7)
    n = 4000
    differences = rng.normal(0.8, 1, size=(n, 10))
    t = differences.mean(axis=1) / differences.std(axis=1, ddof=1) * sqrt(10)
    lower, upper = center_limits(t, np.full(n, 9.0), 0.1)
    center = 0.8 * sqrt(10)
    covered = np.mean((lower <= center) & (center <= upper))
    assert covered == pytest.approx(0.9, abs=4 * sqrt(0.09 / n))


@given(st.integers(1, 500), st.floats(-500, 500), st.sampled_from([0.1, 0.01, 1e-5]))
def test_limits_turn_and_lie_around(df: int, t: float, alpha: float) -> None:
    values, dfs = np.array([t, -t]), np.array([float(df)] * 2)
    lower, upper = center_limits(values, dfs, alpha)
    np.testing.assert_allclose(lower, -upper[::-1], rtol=1e-7, atol=1e-9)
    assert (lower < upper).all()
    tails = 1 - cdf(values, dfs, lower), cdf(values, dfs, upper)
    np.testing.assert_allclose(tails, alpha / 2, atol=1e-9)
