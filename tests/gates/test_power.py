"""What a design decides, against statsmodels, simulation, and the gates themselves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew
from scipy.stats import t as student
from statsmodels.stats.power import TTestPower

from reportgen.gates.power import (
    Family,
    describe_design,
    describe_pilot,
    effect_for,
    power_of,
    units_for,
    widening,
)
from reportgen.sections.expectations.analysis import analyse
from reportgen.sections.expectations.options import Options
from reportgen.stats.pairs.skewness import reach
from reportgen.warehouse import Measure
from tests.builders import warehouse_of
from tests.gates.making import contrast, gate, result

ALONE = Family(0.05, 1)


@pytest.mark.parametrize(("n", "effect"), [(10, 0.5), (34, 0.5), (200, 0.2), (20, 0.0), (8, 3.0)])
def test_one_contrast_has_the_power_of_statsmodels(n: int, effect: float) -> None:
    """Student's t is more powerful, by little: no correction for skewness widens it."""
    expected = TTestPower().power(effect, n, 0.025, alternative="larger")
    found = power_of(n, effect, ALONE)
    assert found < expected
    assert found == pytest.approx(expected, abs=0.12 if n < 20 else 0.015)


@pytest.mark.parametrize("n", [6, 8, 12, 30])
@pytest.mark.parametrize("m", [1, 10])
def test_intervals_of_normal_differences_widen_by_what_is_said(n: int, m: int) -> None:
    """The median of simulated widths over Student's."""
    rng = np.random.default_rng(5)
    critical = np.array([float(student.isf(0.025 / m, n - 1))])
    leans = [skew(x, bias=False) / n**0.5 for x in rng.normal(size=(2000, n))]
    sides = reach(np.repeat(critical, 2000), np.array(leans))
    width = float(np.median((sides[0] + sides[1]) / (2 * critical)))
    assert float(widening(n, critical)[0]) == pytest.approx(width, abs=0.03)


@pytest.mark.parametrize("family", [ALONE, Family(0.05, 20), Family(0.01, 3)])
def test_units_and_effects_are_inverse(family: Family) -> None:
    n = units_for(0.4, family)
    assert n is not None
    assert power_of(n - 1, 0.4, family) < 0.8 <= power_of(n, 0.4, family)
    assert effect_for(n, family) <= 0.4 < effect_for(n - 1, family)


@pytest.mark.slow
def test_gates_pass_as_often_as_is_said() -> None:
    rng, family, n, runs = np.random.default_rng(7), Family(0.05, 2), 30, 400
    claims = ({"claim": "a better than b"}, {"claim": "b better than c"})
    options = Options(expect=claims, target="experiment")  # type: ignore[arg-type]
    passes = 0
    for _ in range(runs):
        values = np.column_stack([rng.normal(-0.6, 1, n), np.zeros(n), rng.normal(size=n)])
        found = analyse(warehouse_of({Measure("error"): values}, "abc"), options, rng)
        passes += found.gates[0].outcome == "pass"
    expected = power_of(n, 0.6, family)
    assert passes / runs == pytest.approx(
        expected, abs=4 * (expected * (1 - expected) / runs) ** 0.5
    )


def test_a_design_in_words() -> None:
    counts = {"a better than b": (34, "replications"), "a better than b on x": (5, "data sets")}
    first, few, last = describe_design(counts, ALONE)
    assert first == "a better than b       34 replications: from 0.50 standard deviations on"
    assert few.endswith("fewer than 6 data sets: it will be undecided")
    assert "200 for 0.2, 35 for 0.5, 16 for 0.8 standard deviations" in last


def test_a_pilot_in_words() -> None:
    known = result(
        gate("pass", contrasts=(contrast("pass", estimate=-0.1, deviation=0.2, n=10),)),
        gate("fail", contrasts=(contrast("fail", estimate=0.1, deviation=0.2, n=10),)),
        gate("undecided", contrasts=(contrast("undecided", estimate=0.0, deviation=0.2),)),
        gate("pass", contrasts=(contrast("pass", estimate=-0.1, deviation=0.0),)),
        gate("undecided", contrasts=(contrast("undecided", estimate=None, deviation=None),)),
        gate("pass", "no failures", kind="check", contrasts=()),
    )
    words = [line.partition("  ")[2].strip() for line in describe_pilot(known)[:-1]]
    assert words[0] == "10 replications: passes with a probability of 25%; 35 for 80%"
    assert words[1] == "10 replications: fails with a probability of 25%; 35 for 80%"
    assert words[2].endswith("no number is enough")
    assert words[3].endswith("all values are the same")
    assert words[4].endswith("say nothing of its spread")
    assert words[5] == "a check, which nothing has to decide"
