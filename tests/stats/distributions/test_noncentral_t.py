"""The non-central t against scipy, R, and the coverage of its limits."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import chi, nct, norm

from reportgen.stats.distributions import tails as tails_of_t
from reportgen.stats.distributions.tails import cdf, center_limits

QUADRATURE = 1e-11
R_ROOT = 1e-8  # relative: pt() of R warns that it has not reached full precision


@pytest.mark.parametrize(
    ("t", "df", "center"),
    [(2.0, 9, 3.9), (-1.5, 1, 0.4), (0.0, 30, -1.2), (60.0, 5, 55.0), (3.0, 200, 2.5)],
)
def test_integral_over_the_scale(t: float, df: int, center: float) -> None:
    """Given S, T <= t has the probability of a normal variable of at most t S - center."""
    law = chi(df, scale=1 / sqrt(df))
    expected, _ = quad(
        lambda s: norm.cdf(t * s - center) * law.pdf(s), 0, law.isf(1e-16), epsabs=1e-13
    )
    found = cdf(np.array([t]), np.array([float(df)]), np.array([center]))
    assert found[0] == pytest.approx(expected, abs=QUADRATURE)


@pytest.mark.parametrize(
    ("t", "df", "center", "expected"),
    [
        (-40.66943204, 3.0, 13.01243548, 0.0),
        (71.39948119, 2.0, -40.37740317, 1.0),
        (4.4252739, 969.0, -3.38559232, 1.0),
        (-6.33974901, 1.0, 9.83691778, 0.0),
    ],
)
def test_far_out_it_is_a_number(t: float, df: float, center: float, expected: float) -> None:
    """In these cases nctdtr of scipy 1.17 is NaN."""
    found = cdf(np.array([t]), np.array([df]), np.array([center]))
    assert found[0] == pytest.approx(expected, abs=1e-12)


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


@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.01])
def test_secants_find_what_brackets_hold(alpha: float) -> None:
    rng = np.random.default_rng(2)
    t, df = rng.normal(0, 15, 200), rng.integers(9, 400, 200).astype(float)
    tails = np.where(t > 0, alpha / 2, 1 - alpha / 2)
    found, is_found = tails_of_t._by_secants(t, df, tails)
    assert is_found.mean() > 0.95
    slow = tails_of_t._between_brackets(t, df, tails)
    np.testing.assert_allclose(found[is_found], slow[is_found], rtol=1e-10, atol=1e-10)


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
