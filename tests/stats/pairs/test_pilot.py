"""Laws of which a pilot may be a sample, and the numbers that follow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import lognorm

from reportgen.stats.pairs.pilot import (
    PossibleLaw,
    draw_skewed,
    drawn_intervals,
    possible_laws,
    safe_number,
)

NOISE = 0.05  # of moments of 400,000 lognormal numbers


@pytest.mark.parametrize("shape", [0.0, 0.25, 0.5, -0.5])
def test_moments_of_the_laws(shape: float) -> None:
    x = draw_skewed(shape, (400_000,), np.random.default_rng(1))
    assert x.mean() == pytest.approx(0, abs=0.01)
    assert x.var() == pytest.approx(1, abs=NOISE)
    wanted = float(lognorm.stats(abs(shape), moments="s")) if shape else 0.0
    assert (x**3).mean() == pytest.approx(-np.sign(shape) * wanted, abs=0.1)


def test_fifty_units_exclude_what_a_dozen_does_not() -> None:
    rng = np.random.default_rng(2)
    few = possible_laws(rng.normal(size=12), np.random.default_rng(1))
    many = possible_laws(rng.normal(size=100), np.random.default_rng(1))
    assert max(abs(law.shape) for law in many) < max(abs(law.shape) for law in few)
    assert 0.0 in [law.shape for law in many]


def test_skewed_units_are_no_sample_of_a_normal_law() -> None:
    d = 1 - np.random.default_rng(3).exponential(size=80)
    shapes = [law.shape for law in possible_laws(d, np.random.default_rng(1))]
    assert min(shapes) > 0


def test_a_law_beyond_all_has_the_nearest() -> None:
    d = np.zeros(200)
    d[0] = -1.0
    (law,) = possible_laws(d, np.random.default_rng(1))
    assert law.shape == 1.0


def test_the_worst_law_has_the_number() -> None:
    """The one with the larger standard deviation, alone or beside another."""
    near, far = PossibleLaw(0.0, np.ones(800)), PossibleLaw(0.0, np.full(800, 0.5))

    def number(*laws: PossibleLaw) -> float:
        return safe_number(
            laws, 1.0, lambda lower, _: lower > -0.5, level=0.05, wanted=0.8,
            start=8, most=5000, seed=1,
        )[0]  # fmt: skip

    assert number(near, far) == pytest.approx(number(far), rel=0.06)
    assert number(far) == pytest.approx(4 * number(near), rel=0.2)


def test_no_number_is_enough() -> None:
    law = PossibleLaw(0.0, np.ones(800))
    found, _ = safe_number(
        (law,), 1.0, lambda lower, _: lower > 0, level=0.05, wanted=0.8, start=8, most=100, seed=1
    )
    assert found == np.inf


def test_draws_have_the_variance_of_the_pilot() -> None:
    """A mean of 40 units: the pilot's variance over 40, on average over weights."""
    rng = np.random.default_rng(4)
    pilot = rng.normal(size=9)
    lower, upper = drawn_intervals(pilot, 0.0, 400, 0.05, rng, 3000)
    half = (upper - lower) / 2
    variance = (half / 1.966) ** 2 * 400
    assert variance.mean() == pytest.approx(pilot.var(ddof=1), rel=0.05)
