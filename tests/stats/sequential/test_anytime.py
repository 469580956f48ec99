"""Tests for any time: exact small cases, their level, and one pair of the dissertation."""

from __future__ import annotations

from math import comb, log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from reportgen.stats.sequential.anytime import sign_process

N_RUNS = 3000
ERROR = 3 * sqrt(0.035 * 0.965 / N_RUNS)  # three standard errors of a share of .035
SAME = 1e-9


@given(st.integers(0, 12), st.integers(0, 12))
def test_e_value_is_the_mean_likelihood_ratio(wins: int, losses: int) -> None:
    d = np.array([1.0] * wins + [-1.0] * losses + [0.0])

    def integrand(angle: float) -> float:  # Jeffreys' law is uniform in the angle
        p = np.sin(angle) ** 2
        return float((2 * p) ** wins * (2 * (1 - p)) ** losses)

    mean = quad(integrand, 0, np.pi / 2)[0] / (np.pi / 2)
    process = sign_process(d)
    assert process.log_e[-1] == pytest.approx(log(mean), abs=1e-8)
    assert (process.wins[-1], process.losses[-1]) == (wins, losses)


def test_e_values_have_expectation_one() -> None:
    n = 15
    e = [np.exp(sign_process(np.repeat([1.0, -1.0], [w, n - w])).log_e[-1]) for w in range(n + 1)]
    assert sum(comb(n, w) / 2**n * e[w] for w in range(n + 1)) == pytest.approx(1, rel=SAME)


def test_level_of_the_sign_process() -> None:
    d = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], (N_RUNS, 300), p=[0.45, 0.1, 0.45])
    process = sign_process(d)
    assert (np.diff(process.p_values, axis=1) <= 0).all()
    for alpha in (0.05, 0.2):
        size = np.isfinite(process.decided_at(alpha)).mean()
        assert size <= alpha + 2 * sqrt(alpha / N_RUNS)
    assert np.isfinite(process.decided_at()).mean() == pytest.approx(0.034, abs=ERROR)


def test_rf_and_svm_on_pmid(reference: Path) -> None:
    values = np.loadtxt(reference / "data" / "pmid_rf_svm.csv", delimiter=",", skiprows=1)
    d = values[:, 0] - values[:, 1]
    assert sign_process(d).decided_at() == 16


def test_no_difference_and_errors() -> None:
    assert (sign_process(np.zeros(5)).p_values == 1).all()
    assert np.isinf(sign_process(np.zeros(5)).decided_at())
    with pytest.raises(ValueError, match="finite"):
        sign_process(np.array([np.nan]))
