"""Serial dependence of a series: by hand, by another algorithm, its size and its power."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.stats.sequential.serial_dependence import (
    FEWEST,
    SIDE,
    independent_law,
    serial_dependence,
    successive_correlation,
)

N, RUNS = 40, 400


def _brute(values: np.ndarray) -> float:
    """Try every place of a shift."""
    fits = []
    for end in range(SIDE, len(values) - SIDE + 1):
        parts = (values[:end], values[end:])
        residuals = np.concatenate([part - part.mean() for part in parts])
        fits.append((float((residuals**2).sum()), residuals))
    squares, residuals = min(fits, key=lambda fit: fit[0])
    return float((residuals[1:] * residuals[:-1]).sum() / squares)


def test_by_trying_every_place() -> None:
    values = np.random.default_rng(4).standard_normal((20, FEWEST))
    found = successive_correlation(values)
    assert found == pytest.approx([_brute(own) for own in values])


def test_by_hand() -> None:
    """A shift of 10 after four values of ±1: residuals ±1, products -1, 0 at none."""
    values = np.array([[1.0, -1, 1, -1, 11, 9, 11, 9]])
    assert successive_correlation(values) == pytest.approx([-7 / 8])
    assert successive_correlation(np.full((1, 8), 3.3)) == pytest.approx([0.0])


def test_level_and_scale_change_nothing() -> None:
    rng = np.random.default_rng(4)
    values, law = rng.standard_normal(N), independent_law(N, rng)
    first, other = serial_dependence(values, law), serial_dependence(1e6 + 1e-3 * values, law)
    assert other.correlation == pytest.approx(first.correlation, abs=1e-6)


@pytest.mark.parametrize("shift", [0.0, 1.0, 50.0])
def test_size(shift: float) -> None:
    rng = np.random.default_rng(5)
    law = independent_law(N, rng)
    values = rng.standard_normal((RUNS, N)) + shift * (np.arange(N) >= 12)
    rejected = sum(serial_dependence(own, law).p_value <= 0.05 for own in values)
    assert rejected <= 0.05 * RUNS + 3 * np.sqrt(RUNS * 0.05 * 0.95)


def test_power() -> None:
    rng = np.random.default_rng(6)
    law = independent_law(N, rng)
    walks = rng.standard_normal((100, N)).cumsum(axis=1)
    assert sum(serial_dependence(own, law).p_value <= 0.05 for own in walks) > 95
