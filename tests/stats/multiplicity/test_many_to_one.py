"""Dunnett's comparisons: the block model, one comparison, coverage."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from scipy.special import stdtr
from scipy.stats import dunnett as scipy_dunnett
from scipy.stats import ttest_rel

from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.many_to_one import dunnett

FOUR = 4.0  # standard errors of a simulation


def test_two_candidates_are_the_paired_t_test() -> None:
    values = np.random.default_rng(1).normal(size=(12, 2))
    found = dunnett(fit_block_model(values).estimates, 0, 0.05)
    expected = ttest_rel(values[:, 1], values[:, 0])
    assert found.statistic[0] == pytest.approx(expected.statistic)
    assert found.adjusted_p_value[0] == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert (found.lower[0], found.upper[0]) == pytest.approx(tuple(interval))


def test_scipy_agrees_for_independent_groups() -> None:
    """The published example of Dunnett (1955): blood counts, drugs A and B, a control."""
    control = np.array([7.40, 8.50, 7.20, 8.24, 9.84, 8.32])
    a, b = np.array([9.76, 8.80, 7.68, 9.36]), np.array([12.80, 9.68, 12.16, 9.20, 10.55])
    balanced = [g[:4] for g in (control, a, b)]
    variance = float(np.mean([g.var(ddof=1) for g in balanced]))
    estimates = ParameterEstimates(np.array([g.mean() for g in balanced]), np.eye(3) * variance / 4)
    estimates = ParameterEstimates(estimates.coef, estimates.covariance, 9)
    for alternative in ("two-sided", "less", "greater"):
        found = dunnett(estimates, 0, 0.05, alternative)  # type: ignore[arg-type]
        expected = scipy_dunnett(*balanced[1:], control=balanced[0], alternative=alternative)
        np.testing.assert_allclose(found.statistic, expected.statistic, rtol=1e-10)
        np.testing.assert_allclose(
            found.adjusted_p_value, expected.pvalue, atol=2e-3
        )  # scipy: 1e-3


def test_intervals_and_p_values_say_the_same() -> None:
    rng = np.random.default_rng(2)
    for _ in range(20):
        values = rng.normal(size=(8, 4)) + np.array([0, 0.5, 1, 2])
        for alternative in ("two-sided", "less", "greater"):
            found = dunnett(fit_block_model(values).estimates, 2, 0.05, alternative)  # type: ignore[arg-type]
            excludes = (found.lower > 0) | (found.upper < 0)
            assert (excludes == (found.adjusted_p_value < 0.05)).all()
            assert found.first.tolist() == [0, 1, 3]
    assert (found.upper == inf).all()


def test_direction_turns_the_sides() -> None:
    values = np.random.default_rng(3).normal(size=(8, 4))
    found = dunnett(fit_block_model(values).estimates, 0, 0.1, "less")
    turned = dunnett(fit_block_model(-values).estimates, 0, 0.1, "greater")
    np.testing.assert_allclose(found.adjusted_p_value, turned.adjusted_p_value, rtol=1e-9)
    np.testing.assert_allclose(found.upper, -turned.lower, rtol=1e-9)


def test_asymptotic() -> None:
    estimates = ParameterEstimates(np.array([0.0, 2.3]), np.eye(2) / 2)
    found = dunnett(estimates, 0, 0.05)
    assert found.critical_value[0] == pytest.approx(1.959964, abs=1e-6)
    assert dunnett(
        ParameterEstimates(estimates.coef, estimates.covariance, 4), 0, 0.05
    ).adjusted_p_value[0] == pytest.approx(2 * stdtr(4, -2.3))


def test_coverage() -> None:
    """Block model, 6 candidates, 10 blocks, 1,500 studies: all intervals hold in 95%."""
    rng = np.random.default_rng(4)
    n, means = 1500, np.array([0.0, 0.3, 0.0, 2.0, -1.0, 0.0])
    critical = dunnett(fit_block_model(rng.normal(size=(10, 6))).estimates, 0, 0.05).critical_value[
        0
    ]
    held = 0
    for _ in range(n):
        values = rng.normal(size=(10, 6)) + rng.normal(size=(10, 1)) + means
        estimates = fit_block_model(values).estimates
        differences = estimates.coef[1:] - estimates.coef[0]
        error = sqrt(np.array([1, -1]) @ estimates.covariance[:2, :2] @ np.array([1, -1]))
        held += (np.abs(differences - means[1:]) <= critical * error).all()
    assert abs(held / n - 0.95) < FOUR * sqrt(0.05 * 0.95 / n)


def test_errors() -> None:
    three = ParameterEstimates(np.zeros(3), np.eye(3), 5)
    with pytest.raises(ValueError, match="below 3"):
        dunnett(three, 3, 0.05)
    with pytest.raises(ValueError, match="alpha"):
        dunnett(three, 0, 0.0)
    with pytest.raises(ValueError, match="two parameters"):
        dunnett(ParameterEstimates(np.zeros(1), np.eye(1), 5), 0, 0.05)
    with pytest.raises(ValueError, match="correlation 1/2"):
        dunnett(ParameterEstimates(np.zeros(3), np.diag([1.0, 2.0, 3.0]), 5), 0, 0.05)
    with pytest.raises(ValueError, match="positive variance"):
        dunnett(ParameterEstimates(np.zeros(3), np.zeros((3, 3)), 5), 0, 0.05)
