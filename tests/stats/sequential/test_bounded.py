"""Bounded means: one pair of the dissertation, the formula step by step, the level."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

from reportgen.stats.sequential.anytime import bernstein_confidence_sequence, replications_needed


def test_small_differences_stay_open(reference: Path) -> None:
    """Rf and svm on pmid differ by -.023 (t = -12), and 250 replications do not show it."""
    values = np.loadtxt(reference / "data" / "pmid_rf_svm.csv", delimiter=",", skiprows=1)
    found = bernstein_confidence_sequence(values[:, 0] - values[:, 1], -1, 1)
    assert (found.lower[-1], found.upper[-1]) == pytest.approx((-0.082, 0.036), abs=5e-4)
    assert np.isinf(found.decided_at())


def test_formula_step_by_step() -> None:
    x = np.random.default_rng(1).random(300)
    bets, weighted, errors, low, high = 0.0, 0.0, 0.0, 0.0, 1.0
    total, squares, mean, variance = 0.5, 0.25, 0.5, 0.25
    found = bernstein_confidence_sequence(2 * x - 1, -1, 1, alpha=0.2)
    for t, value in enumerate(x, 1):
        bet = min(0.5, sqrt(2 * log(10) / (variance * t * log(1 + t))))
        bets, weighted = bets + bet, weighted + bet * value
        errors += (value - mean) ** 2 * (-log(1 - bet) - bet)
        margin = (log(10) + errors) / bets
        low, high = max(low, weighted / bets - margin), min(high, weighted / bets + margin)
        assert found.lower[t - 1] == pytest.approx(2 * low - 1)
        assert found.upper[t - 1] == pytest.approx(2 * high - 1)
        total += value
        mean = total / (t + 1)
        squares += (value - mean) ** 2
        variance = squares / (t + 1)


def test_level() -> None:
    rng = np.random.default_rng(2)
    fair = rng.choice([-1.0, 1.0], (2000, 300))
    skew = (rng.random((2000, 300)) < 0.05) - 0.05
    for d in (fair, skew):
        decided = bernstein_confidence_sequence(d, -1, 1).decided_at()
        assert np.isfinite(decided).mean() <= 0.05
    shifted = rng.choice([-1.0, 1.0], (200, 300), p=[0.2, 0.8])
    assert np.isfinite(bernstein_confidence_sequence(shifted, -1, 1).decided_at()).all()


def test_replications_needed() -> None:
    assert replications_needed(-0.005) == 740
    assert replications_needed(1.0) == 6
    for wrong in (0.0, 1.5):
        with pytest.raises(ValueError, match="up to 1"):
            replications_needed(wrong)


def test_outside_the_bounds() -> None:
    with pytest.raises(ValueError, match="between -1 and 1"):
        bernstein_confidence_sequence(np.array([0.5, 1.5]), -1, 1)
