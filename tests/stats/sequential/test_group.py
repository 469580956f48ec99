"""Group sequential boundaries: printed tables and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.stats.sequential.group import (
    GroupBoundaries,
    crossing_probabilities,
    group_boundaries,
    spent_boundaries,
)
from reportgen.stats.sequential.recursive import obrien_fleming_spending, pocock_spending

PRINTED = 5.1e-4  # three decimals
FIXED_DRIFT = norm.isf(0.025) + norm.isf(0.1)  # power .9 of one look


@pytest.mark.parametrize(
    ("n_looks", "pocock", "obrien_fleming"),
    [
        (1, 1.960, 1.960),
        (2, 2.178, 1.977),
        (3, 2.289, 2.004),
        (5, 2.413, 2.040),
        (10, 2.555, 2.087),
    ],
)
def test_tables(n_looks: int, pocock: float, obrien_fleming: float) -> None:
    """Jennison and Turnbull, tables 2.1 and 2.3, alpha = .05 two-sided."""
    assert group_boundaries(n_looks).upper[-1] == pytest.approx(pocock, abs=PRINTED)
    found = group_boundaries(n_looks, shape="obrien-fleming")
    assert found.upper[-1] == pytest.approx(obrien_fleming, abs=PRINTED)
    assert found.upper[0] == pytest.approx(found.upper[-1] * n_looks**0.5)


@pytest.mark.parametrize(
    ("shape", "inflation", "share"), [("pocock", 1.207, 0.685), ("obrien-fleming", 1.026, 0.750)]
)
def test_power_and_expected_size(shape, inflation: float, share: float) -> None:
    """Jennison and Turnbull, chapter 2: five looks, power .9, relative to one look."""
    found, drift = group_boundaries(5, shape=shape), FIXED_DRIFT * inflation**0.5
    assert crossing_probabilities(found, drift).sum() == pytest.approx(0.9, abs=1e-3)
    stops = crossing_probabilities(found, drift)
    stops[-1] += 1 - stops.sum()
    assert found.information @ stops * inflation == pytest.approx(share, abs=1e-3)


def test_spending_as_printed() -> None:
    """DeMets and Lan (1994): five looks, .025 on a side."""
    found = spent_boundaries(5, obrien_fleming_spending)
    assert found.upper == pytest.approx([4.877, 3.357, 2.680, 2.290, 2.031], abs=PRINTED)
    found = spent_boundaries(5, pocock_spending)
    assert found.upper == pytest.approx([2.438, 2.427, 2.410, 2.397, 2.386], abs=PRINTED)


def test_level_of_unequal_looks_by_simulation() -> None:
    shares = np.array([0.1, 0.15, 0.6, 1.0])
    found = spent_boundaries(shares, pocock_spending, 0.1)
    assert crossing_probabilities(found).sum() == pytest.approx(0.1, abs=1e-9)
    steps = np.random.default_rng(1).normal(size=(40000, 4)) * np.sqrt(np.diff(shares, prepend=0))
    for drift in (0.0, 2.0):
        z = (steps.cumsum(axis=1) + drift * shares) / np.sqrt(shares)
        crossed = np.abs(z) >= found.upper
        first = np.bincount(np.where(crossed.any(axis=1), crossed.argmax(axis=1), 4), minlength=5)
        assert crossing_probabilities(found, drift) == pytest.approx(first[:4] / 40000, abs=0.008)


def test_first_crossing() -> None:
    found = GroupBoundaries(np.array([0.5, 1.0]), np.array([2.5, 2.0]))
    assert found.first_crossing(np.array([-2.1, 2.1])) == 2
    assert found.first_crossing(np.array([2.4])) is None


def test_a_look_that_spends_nothing() -> None:
    found = spent_boundaries(np.array([0.001, 1.0]), obrien_fleming_spending)
    assert found.upper[0] == 38
    assert found.upper[1] == pytest.approx(norm.isf(0.025), abs=1e-6)


def test_errors() -> None:
    for wrong in ([0.5, 0.4, 1.0], [0.5, 0.9], []):
        with pytest.raises(ValueError, match="ascend to 1"):
            group_boundaries(wrong)
    with pytest.raises(ValueError, match="alpha"):
        group_boundaries(3, 1.2)
    with pytest.raises(ValueError, match="shape"):
        group_boundaries(3, shape="wang")  # type: ignore[arg-type]
