"""The law of the largest t statistic against exact cases, simulation and numerical integration."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, special

from reportgen.stats.distributions import max_abs_t
from reportgen.stats.distributions.max_abs_t import ERROR, ContrastMaxAbsT, contrast_max_abs_t
from reportgen.stats.distributions.studentized_range import quantile, survival
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import (
    max_abs_t_pairs,
    pair_contrasts,
    tukey,
    tukey_kramer,
)

Array = NDArray[np.float64]

EXACT = 1e-9  # where the law is the studentized range
MANY = 3e-4  # standard error of the critical value of 50 means: 16,384 directions
FARTHEST = 4.5  # errors from their middle of 24 critical values: less than once in 100 such tests


def law(covariance: Array, df: float, seed: int = 1) -> ContrastMaxAbsT:
    return contrast_max_abs_t(covariance, df, np.random.default_rng(seed))


@pytest.mark.parametrize(("k", "df"), [(2, 3.5), (3, 10), (6, 245), (6, inf), (15, 40)])
def test_equal_variances_are_the_studentized_range(k: int, df: float) -> None:
    found = law(np.eye(k) + 0.4, df)
    critical, error = found.quantile(0.05)
    assert critical == pytest.approx(quantile(0.05, k, df) / sqrt(2), rel=EXACT)
    assert error < EXACT
    c = np.array([0.0, 0.5, 2.0, 4.0, 8.0])
    np.testing.assert_allclose(found.survival(c), survival(c * sqrt(2), k, df), rtol=EXACT)


def test_two_means_are_a_t_test() -> None:
    critical, _ = law(np.array([[3.0, 1.0], [1.0, 0.5]]), 7.3).quantile(0.05)
    assert critical == pytest.approx(special.stdtrit(7.3, 0.975), rel=EXACT)


def test_three_means_by_numerical_integration() -> None:
    """P(all |t| <= c) over the plane of the differences, normal law."""
    covariance = np.diag([1.0, 0.2, 3.0])
    contrasts = pair_contrasts(3)
    spread = contrasts @ covariance @ contrasts.T
    scale = np.sqrt(np.diagonal(spread))
    inverse = np.linalg.inv(spread[:2, :2])
    c = 2.1

    def density(y: float, x: float) -> float:
        v = np.array([x, y])  # first - second, first - third; third difference is y - x
        inside = abs(y - x) <= c * scale[2]
        return float(np.exp(-0.5 * v @ inverse @ v)) * inside

    def edges(x: float) -> tuple[float, float]:
        return max(-c * scale[1], x - c * scale[2]), min(c * scale[1], x + c * scale[2])

    total, _ = integrate.dblquad(
        density, -c * scale[0], c * scale[0], lambda x: edges(x)[0], lambda x: edges(x)[1]
    )
    below = total * sqrt(np.linalg.det(inverse)) / (2 * np.pi)
    assert law(covariance, inf).survival(np.array([c]))[0] == pytest.approx(1 - below, abs=2e-4)


@pytest.mark.parametrize(("k", "df"), [(4, 9.0), (7, inf)])
def test_simulation_agrees(k: int, df: float) -> None:
    rng = np.random.default_rng(k)
    covariance = np.cov(rng.normal(size=(k + 2, k)), rowvar=False)
    contrasts = pair_contrasts(k)
    critical, error = law(covariance, df).quantile(0.05)
    differences = rng.multivariate_normal(np.zeros(k), covariance, size=100_000) @ contrasts.T
    t = np.abs(differences) / np.sqrt(np.diagonal(contrasts @ covariance @ contrasts.T))
    scale = 1.0 if df == inf else np.sqrt(rng.chisquare(df, len(t)) / df)
    assert (t.max(axis=1) / scale > critical).mean() == pytest.approx(0.05, abs=0.0021)
    assert error <= ERROR


def test_the_stated_error_covers_other_seeds() -> None:
    covariance = np.diag([1.0, 0.05, 0.3, 2.0, 0.6])
    found = np.array([law(covariance, 30, seed).quantile(0.05) for seed in range(12)])
    spread = found[:, 0].std(ddof=1)
    assert 0 < spread < 2 * ERROR
    assert spread < 2.5 * found[:, 1].mean() < 7 * spread


@pytest.mark.slow
def test_the_stated_error_covers_other_axes() -> None:
    """Means in another order have the same law, but lattices that lie otherwise."""
    rng = np.random.default_rng(7)
    covariance = np.cov(rng.normal(size=(9, 7)), rowvar=False)
    orders = [rng.permutation(7) for _ in range(24)]
    found = np.array([law(covariance[np.ix_(o, o)], inf).quantile(0.05) for o in orders])
    assert (found[:, 1] <= ERROR).all()
    errors = (found[:, 0] - np.median(found[:, 0])) / found[:, 1]
    assert np.abs(errors).max() < FARTHEST
    assert 0.6 < errors.std() < 1.6


def test_tails_stay_between_their_bounds() -> None:
    found = law(np.diag([1.0, 0.05, 0.3, 2.0]), 12)
    c = np.linspace(0, 60, 400)
    p = found.survival(c)
    single = 2 * special.stdtr(12, -c)
    assert (np.diff(p) <= 0).all()
    assert (p >= single * (1 - EXACT)).all()
    assert (p <= np.minimum(1, 6 * single) * (1 + EXACT)).all()


def unequal() -> ParameterEstimates:
    return ParameterEstimates(np.array([0.0, 1.0, 1.2, 3.0]), np.diag([0.2, 0.1, 0.9, 0.3]), 18.0)


def test_tukey_kramer_is_conservative() -> None:
    exact, rough = (
        max_abs_t_pairs(unequal(), 0.05, np.random.default_rng(1)),
        tukey_kramer(unequal(), 0.05),
    )
    assert rough.critical_value[0] > exact.critical_value[0] + 3 * exact.critical_error
    assert (rough.adjusted_p_value >= exact.adjusted_p_value).all()
    np.testing.assert_array_equal(rough.standard_error, exact.standard_error)
    assert (exact.method, rough.method) == ("max-t", "tukey-kramer")


def test_with_equal_variances_all_roads_agree() -> None:
    neck = ParameterEstimates(np.array([0.0, 1.0, 2.5, 1.1]), np.eye(4) * 0.3 - 0.01, 21.0)
    known = tukey(neck, 0.05)
    for other in (tukey_kramer(neck, 0.05), max_abs_t_pairs(neck, 0.05, np.random.default_rng(3))):
        np.testing.assert_allclose(other.lower, known.lower, rtol=EXACT)
        np.testing.assert_allclose(other.adjusted_p_value, known.adjusted_p_value, rtol=1e-8)


def test_intervals_and_p_values_decide_alike() -> None:
    exact = max_abs_t_pairs(unequal(), 0.05, np.random.default_rng(1))
    p = exact.adjusted_p_value[3]
    at = max_abs_t_pairs(unequal(), float(p), np.random.default_rng(1))
    assert min(abs(at.lower[3]), abs(at.upper[3])) == pytest.approx(0, abs=1e-8)


def test_wrong_input_is_said() -> None:
    rng = np.random.default_rng(1)
    flat = ParameterEstimates(np.zeros(3), np.ones((3, 3)), 5.0)
    with pytest.raises(ValueError, match="positive variances"):
        max_abs_t_pairs(flat, 0.05, rng)
    with pytest.raises(ValueError, match="positive variances"):
        tukey_kramer(flat, 0.05)
    with pytest.raises(ValueError, match="two parameters"):
        max_abs_t_pairs(ParameterEstimates(np.zeros(1), np.eye(1), 5.0), 0.05, rng)
    with pytest.raises(ValueError, match="alpha"):
        max_abs_t_pairs(unequal(), 1.0, rng)


def test_fifty_nearly_equal_means_have_digits_left_far_out() -> None:
    """The far tails of many dimensions are next to nothing beside that of the largest reach."""
    rng = np.random.default_rng(5)
    covariance = np.diag(1 / rng.integers(18, 21, 50))
    critical, error = contrast_max_abs_t(covariance, inf, rng).quantile(0.05)
    assert error < MANY
    assert critical == pytest.approx(quantile(0.05, 50, inf) / sqrt(2), abs=10 * MANY)


def test_differences_of_many_means_are_those_of_their_contrasts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = np.random.default_rng(7).normal(size=(40, 40))
    covariance = root @ root.T / 40
    found = law(covariance, 30.0)
    monkeypatch.setattr(max_abs_t, "MANY_MEANS", 100)
    expected = law(covariance, 30.0)
    np.testing.assert_allclose(found.quantile(0.05), expected.quantile(0.05), rtol=EXACT)
