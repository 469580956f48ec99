"""What power plans reach that promise 80%, by simulation.

    python validation/plan/study.py [runs]

Measures anew, writes `cells.csv` beside this file, and docs/plan-size.md from it; without an
argument only the page is written. 40 runs take about two minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.performance_measure import Measure
from reportgen.sections.expectations.power import skewed_units_for, units_for
from reportgen.sections.expectations.result import Family
from reportgen.sections.plan.analysis import Pilot, make_plan
from reportgen.stats.pairs.paired_max_t import difference_intervals

Array = NDArray[np.float64]
Law = Callable[[Generator, tuple[int, ...]], Array]

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "plan-size.md"
SEED, ALPHA, PAIRS, POWER = 46, 0.05, 10, 0.8
EFFECT = 0.8  # standard deviations
PILOTS = (12, 20, 50)
N_TRUE = 4_000  # studies of which the power of a number of units is told
NUMBERS = np.unique(np.geomspace(8, 600, 28).round().astype(int))


def lognormal(rng: Generator, shape: tuple[int, ...]) -> Array:
    """Draw a variable of mean 0, variance 1 and skewness 6.2."""
    x = np.exp(rng.normal(size=shape))
    return np.asarray((x - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e))


LAWS: dict[str, Law] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "exponential, tail away": lambda rng, shape: rng.exponential(size=shape) - 1,
    "exponential, tail towards 0": lambda rng, shape: 1 - rng.exponential(size=shape),
    "gamma of 4, tail towards 0": lambda rng, shape: 2 - rng.gamma(4, size=shape) / 2,
    "lognormal, tail towards 0": lambda rng, shape: -lognormal(rng, shape),
    "t of 3": lambda rng, shape: rng.standard_t(3, size=shape) / np.sqrt(3),
    "failures in a tenth": lambda rng, shape: (0.1 - (rng.random(shape) < 0.1)) / 0.3,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """Mean power that is reached where 80% are promised.

    Attributes
    ----------
    law : str
    pilot : int
        Units of the pilot.
    known : float
        By the formula for normal differences, the standard deviation known.
    skewed : float
        By the number for skewed differences, the standard deviation known.
    formula : float
        By the formula with the pilot's standard deviation.
    drawn, safe : float
        By studies drawn from the pilot; at worst.
    n_drawn, n_safe : float
        Medians of these numbers.
    runs : int
    """

    law: str
    pilot: int
    known: float
    skewed: float
    formula: float
    drawn: float
    safe: float
    n_drawn: float
    n_safe: float
    runs: int


def measure_law(name: str, runs: int) -> list[Cell]:
    """Simulate pilots of one law, and the studies that they plan."""
    law, level = LAWS[name], ALPHA / PAIRS
    rng = np.random.default_rng([SEED, list(LAWS).index(name)])
    curve = [
        float((difference_intervals(law(rng, (n, N_TRUE)) + EFFECT, level)[0] > 0).mean())
        for n in NUMBERS
    ]

    def reached(n: float) -> float:
        return float(np.interp(min(n, NUMBERS[-1]), NUMBERS, curve))

    family = Family(ALPHA, PAIRS)
    known = reached(units_for(EFFECT, family) or np.inf)
    skewed = reached(skewed_units_for(EFFECT, family))
    found = []
    for size in PILOTS:
        sums, numbers = np.zeros(3), []
        for _ in range(runs):
            d = law(rng, (size,))
            while not np.ptp(d):  # no variation: no plan
                d = law(rng, (size,))
            pilot = Pilot("items", size, {("unit",): float(d.var(ddof=1))}, {}, d)
            plan = make_plan(
                pilot,
                measure="m",
                pair=("a", "b"),
                measured=Measure("m"),
                detect=EFFECT,
                told="",
                power=POWER,
                alpha=ALPHA,
                n_comparisons=PAIRS,
                costs={"fit": 1.0},
                cost_unit="",
                n_candidates=2,
                rng=rng,
            )
            formula = units_for(EFFECT / float(d.std(ddof=1)), family) or np.inf
            sums += [reached(formula), reached(plan.enough), reached(plan.safe)]
            numbers.append([plan.enough, plan.safe])
        medians = np.median(numbers, axis=0).tolist()
        found.append(Cell(name, size, known, skewed, *(sums / runs).tolist(), *medians, runs))
    return found


def read() -> list[Cell]:
    """Read the counts."""
    types = {"int": int, "float": float, "str": str}
    with CELLS.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [Cell(*(types[f.type](row[f.name]) for f in fields(Cell))) for row in rows]  # type: ignore[index]


def measure(runs: int) -> None:
    """Simulate all."""
    with CELLS.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f.name for f in fields(Cell)])
        for name in LAWS:
            for cell in measure_law(name, runs):
                out.writerow([f"{x:.4f}" if isinstance(x, float) else x for x in astuple(cell)])


def page() -> str:
    """Write the page."""
    cells = read()
    smooth = [c for c in cells if "failures" not in c.law]
    against = [c for c in smooth if "towards" in c.law]
    low, high = 100 * min(c.formula for c in against), 100 * max(c.formula for c in against)
    drawn = [100 * c.drawn for c in against]
    least = min(smooth, key=lambda c: c.safe)
    n_kept = sum(c.safe >= POWER for c in smooth)
    rare = [100 * c.safe for c in cells if "failures" in c.law]
    normal = [100 * c.drawn for c in cells if c.law == "normal"]
    lines = [
        f"""\
# Power of plans

This page is written by `validation/plan/study.py` from the counts beside it: {cells[0].runs}
pilots a number, each with the power of {N_TRUE:,} studies of the size that it plans.

A difference of {EFFECT} standard deviations is to be detected with a probability of 80%, among
{PAIRS} pairs at 5%. Mean power, in per cent, of studies as large as it takes: by the formula
for normal differences with the true standard deviation, as `--check-power` has it before a run;
by the number that it has for skewed ones, of exponential differences with the tail towards the
bound; by the formula with a pilot's standard deviation; by studies drawn from the pilot's own
differences, the first number of `plan`; and by its number at worst. The last two columns are
medians of these numbers.

Where the tail lies towards 0, the formula with a pilot reaches {low:.0f} to {high:.0f}% of
studies, draws from the pilot {min(drawn):.0f} to {max(drawn):.0f}% ({min(normal):.0f} to
{max(normal):.0f}% where differences are normal): no pilot of a dozen knows a tail that it has not
seen. The number at worst reaches {100 * least.safe:.0f}% or more under every smooth law here
(least: {least.law}, {least.pilot} units), and 80% in {n_kept} of {len(smooth)} rows. It is several
times as large, since a pilot of a dozen excludes little. Failures in a tenth of the units, and
nothing else, are beyond what it reckons with: {min(rare):.0f} to {max(rare):.0f}%.

| differences | pilot | formula | for skewed ones | formula, pilot | drawn | worst | n | n worst |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""
    ]
    for c in cells:
        shares = (c.known, c.skewed, c.formula, c.drawn, c.safe)
        own = [*(f"{100 * x:.0f}" for x in shares), f"{c.n_drawn:,.0f}", f"{c.n_safe:,.0f}"]
        lines.append(f"| {c.law} | {c.pilot} | {' | '.join(own)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8")
