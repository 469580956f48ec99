"""Tukey's intervals: exact limits of R, agreement with p-values, coverage."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from reportgen.stats.blocks.model import fit_block_model
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import all_pairs, pair_contrasts, tukey

LIMITS = 1e-9  # absolute, of limits near .01: R's qtukey is good for some 1e-8 of the quantile
MONTE_CARLO = 1e-3  # of a half-width: multcomp's quasi-Monte-Carlo quantile
P_VALUES = 1e-7  # absolute: R's ptukey


def test_limits_of_r(monks3: dict) -> None:
    """From R's means and residual variance alone, so without the raw values."""
    names = monks3["algorithms"]
    means = np.array([row[0] for row in monks3["summary"]["data"]])
    assert monks3["summary"]["rows"] == names
    assert monks3["summary"]["cols"][0] == "mean"
    variance = monks3["lmer"]["sigma2"] / 250
    found = tukey(ParameterEstimates(means, variance * np.eye(6)), alpha=0.05)
    rows = {(names[i], names[j]): row for row, (i, j) in enumerate(all_pairs(6))}
    assert found.critical_value[0] == pytest.approx(monks3["tukey"]["calpha_exact"], abs=1e-7)
    for pair in monks3["tukey"]["pairs"]:
        later, earlier = pair["pair"].split(" - ")
        row = rows[earlier, later]  # ours is earlier - later
        half = (pair["upr"] - pair["lwr"]) / 2
        assert -found.estimate[row] == pytest.approx(pair["estimate"], abs=LIMITS)
        assert -found.upper[row] == pytest.approx(pair["lwr_exact"], abs=LIMITS)
        assert -found.lower[row] == pytest.approx(pair["upr_exact"], abs=LIMITS)
        assert -found.upper[row] == pytest.approx(pair["lwr"], abs=MONTE_CARLO * half)
        assert -found.statistic[row] == pytest.approx(pair["z"], rel=1e-7)
        assert found.adjusted_p_value[row] == pytest.approx(
            pair["p_adj_ptukey_exact"], abs=P_VALUES
        )


def test_two_parameters_need_no_adjustment() -> None:
    estimates = ParameterEstimates(np.array([1.0, 3.0]), np.diag([0.5, 0.5]), df=7)
    found = tukey(estimates, alpha=0.1)
    assert found.critical_value[0] == pytest.approx(stdtrit(7, 0.95), rel=1e-10)
    assert found.lower[0] == pytest.approx(-2 - stdtrit(7, 0.95), rel=1e-10)


@given(
    st.lists(st.floats(-5, 5), min_size=2, max_size=8),
    st.floats(0.001, 0.5),
    st.sampled_from([3.0, 40.0, inf]),
    st.floats(0, 10),
)
def test_interval_and_p_value_decide_alike(
    means: list[float], alpha: float, df: float, common: float
) -> None:
    k = len(means)
    covariance = np.eye(k) + common  # what all means share cancels in differences
    found = tukey(ParameterEstimates(np.array(means), covariance, df), alpha)
    excludes = (found.lower > 0) | (found.upper < 0)
    clear = np.abs(found.adjusted_p_value - alpha) > 1e-9
    np.testing.assert_array_equal(excludes[clear], (found.adjusted_p_value < alpha)[clear])
    np.testing.assert_allclose(found.standard_error, sqrt(2), rtol=1e-9)


@given(st.permutations(range(5)))
def test_relabelling(order: list[int]) -> None:
    means = np.array([0.0, 0.5, 2.0, 2.1, 4.0])
    plain = tukey(ParameterEstimates(means, np.eye(5), 20), 0.05)
    moved = tukey(ParameterEstimates(means[order], np.eye(5), 20), 0.05)
    before = {frozenset(p): plain.adjusted_p_value[i] for i, p in enumerate(all_pairs(5).tolist())}
    for i, (a, b) in enumerate(all_pairs(5).tolist()):
        assert moved.adjusted_p_value[i] == pytest.approx(before[frozenset((order[a], order[b]))])


def test_coverage_of_the_family() -> None:
    """All intervals hold together in 95% of 4,000 studies; four standard errors."""
    rng = np.random.default_rng(2)
    n, means = 4000, np.array([0.0, 0.0, 1.0, 3.0])
    contrasts = pair_contrasts(4)
    critical = tukey(ParameterEstimates(means, np.eye(4), df=21), 0.05).critical_value[0]
    holds = 0
    for _ in range(n):
        values = rng.normal(size=(8, 4)) + rng.normal(size=(8, 1)) + means
        found = fit_block_model(values).estimates
        assert found.df == 21
        errors = np.sqrt(np.diag(contrasts @ found.covariance @ contrasts.T))
        holds += bool((np.abs(contrasts @ (found.coef - means)) <= critical * errors).all())
    assert abs(holds / n - 0.95) < 4 * sqrt(0.05 * 0.95 / n)


def test_contrasts() -> None:
    assert all_pairs(1).shape == (0, 2)
    assert (pair_contrasts(4).sum(axis=1) == 0).all()
    assert len(all_pairs(7)) == 21


def test_errors() -> None:
    unequal = ParameterEstimates(np.zeros(3), np.diag([1.0, 1.0, 2.0]), 5)
    with pytest.raises(ValueError, match="one positive variance"):
        tukey(unequal, 0.05)
    with pytest.raises(ValueError, match="one positive variance"):
        tukey(ParameterEstimates(np.zeros(3), np.zeros((3, 3)), 5), 0.05)
    with pytest.raises(ValueError, match="two parameters"):
        tukey(ParameterEstimates(np.zeros(1), np.eye(1), 5), 0.05)
    with pytest.raises(ValueError, match="alpha"):
        tukey(ParameterEstimates(np.zeros(2), np.eye(2), 5), 0.0)
