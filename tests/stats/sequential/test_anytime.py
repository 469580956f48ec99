"""Tests for any time: exact small cases, their level, and one pair of the dissertation."""

from __future__ import annotations

from math import comb, log, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from reportgen.stats.sequential.anytime import asymptotic_confidence_sequence, sign_process

N_RUNS = 3000
ERROR = 3 * sqrt(0.035 * 0.965 / N_RUNS)  # three standard errors of a share of .035
SAME = 1e-9
ALTERNATIVES = ["two-sided", "less", "greater"]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(st.integers(0, 12), st.integers(0, 12))
def test_e_value_is_the_mean_likelihood_ratio(alternative, wins: int, losses: int) -> None:
    d = np.array([1.0] * wins + [-1.0] * losses + [0.0])
    low, high = {"two-sided": (0, 1), "less": (0, 0.5), "greater": (0.5, 1)}[alternative]

    def integrand(angle: float) -> float:  # Jeffreys' law is uniform in the angle
        p = np.sin(angle) ** 2
        return float((2 * p) ** wins * (2 * (1 - p)) ** losses)

    ends = np.arcsin(np.sqrt([low, high]))
    mean = quad(integrand, *ends)[0] / (ends[1] - ends[0])
    process = sign_process(d, alternative)
    assert process.log_e[-1] == pytest.approx(log(mean), abs=1e-8)
    assert (process.wins[-1], process.losses[-1]) == (wins, losses)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_e_values_have_expectation_one(alternative) -> None:
    n = 15
    e = [
        np.exp(sign_process(np.repeat([1.0, -1.0], [w, n - w]), alternative).log_e[-1])
        for w in range(n + 1)
    ]
    assert sum(comb(n, w) / 2**n * e[w] for w in range(n + 1)) == pytest.approx(1, rel=SAME)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_level_of_the_sign_process(alternative) -> None:
    d = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], (N_RUNS, 300), p=[0.45, 0.1, 0.45])
    process = sign_process(d, alternative)
    assert (np.diff(process.p_values, axis=1) <= 0).all()
    for alpha in (0.05, 0.2):
        size = np.isfinite(process.decided_at(alpha)).mean()
        assert size <= alpha + 2 * sqrt(alpha / N_RUNS)
    assert np.isfinite(process.decided_at()).mean() == pytest.approx(0.034, abs=ERROR)


def test_one_sided_process_holds_against_the_other_side() -> None:
    d = np.random.default_rng(2).choice([-1.0, 1.0], (1000, 200), p=[0.65, 0.35])
    assert np.isfinite(sign_process(d, "greater").decided_at()).mean() < 0.05
    assert np.isfinite(sign_process(d, "less").decided_at()).mean() > 0.6


def test_rf_and_svm_on_pmid(reference: Path) -> None:
    values = np.loadtxt(reference / "data" / "pmid_rf_svm.csv", delimiter=",", skiprows=1)
    d = values[:, 0] - values[:, 1]
    assert sign_process(d).decided_at() == 16
    sequence = asymptotic_confidence_sequence(d)
    assert sequence.decided_at() == 30
    assert sequence.lower[-1] < -0.0265 < -0.0192 < sequence.upper[-1] < 0  # wider than by t


@pytest.mark.parametrize(
    ("law", "first_look", "size"),
    [("normal", 30, 0.030), ("skewed", 30, 0.071), ("normal", 10, 0.053), ("skewed", 10, 0.130)],
)
def test_error_of_the_confidence_sequence(law: str, first_look: int, size: float) -> None:
    """The level is that of large samples: not of few replications, or skew ones."""
    rng = np.random.default_rng(3)
    d = (
        rng.normal(size=(N_RUNS, 250))
        if law == "normal"
        else rng.exponential(size=(N_RUNS, 250)) - 1
    )
    found = np.isfinite(asymptotic_confidence_sequence(d, first_look=first_look).decided_at())
    assert found.mean() == pytest.approx(size, abs=3.5 * sqrt(size / N_RUNS))


def test_confidence_sequence_by_hand() -> None:
    d = np.array([0.3, 0.1, 0.4, 0.1, 0.5]) + 1e5
    found = asymptotic_confidence_sequence(d, 0.1, first_look=4, optimal_at=20)
    rho2 = (-2 * log(0.1) + log(1 - 2 * log(0.1))) / 20
    for place, b in enumerate((4, 5)):
        factor = sqrt(2 * (b * rho2 + 1) / (b**2 * rho2) * log(sqrt(b * rho2 + 1) / 0.1))
        half = d[:b].std(ddof=1) * factor
        assert found.means[place] == pytest.approx(d[:b].mean(), rel=1e-12)
        assert found.upper[place] - found.means[place] == pytest.approx(half, rel=1e-5)
        assert found.means[place] - found.lower[place] == pytest.approx(half, rel=1e-5)


def test_no_difference_and_errors() -> None:
    assert (sign_process(np.zeros(5)).p_values == 1).all()
    assert np.isinf(asymptotic_confidence_sequence(np.zeros(40)).decided_at())
    with pytest.raises(ValueError, match="alternative"):
        sign_process(np.ones(3), "up")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="burn-in"):
        asymptotic_confidence_sequence(np.ones(20))
