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

from reportgen.claims.planning import Pilot, make_plan
from reportgen.claims.power import skewed_units_for, units_for
from reportgen.claims.result import Family
from reportgen.stats.pairs.paired_max_t import mean_intervals

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
    "lognormal, tail towards 0": lambda rng, shape: -lognormal(rng, shape),
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
        By studies drawn from the pilot; on the safe side.
    runs : int
    """

    law: str
    pilot: int
    known: float
    skewed: float
    formula: float
    drawn: float
    safe: float
    runs: int


def measure_law(name: str, runs: int) -> list[Cell]:
    """Simulate pilots of one law, and the studies that they plan."""
    law, level = LAWS[name], ALPHA / PAIRS
    rng = np.random.default_rng([SEED, list(LAWS).index(name)])
    curve = [
        float((mean_intervals(law(rng, (n, N_TRUE)) + EFFECT, level)[0] > 0).mean())
        for n in NUMBERS
    ]

    def reached(n: float) -> float:
        return float(np.interp(min(n, NUMBERS[-1]), NUMBERS, curve))

    family = Family(ALPHA, PAIRS)
    known = reached(units_for(EFFECT, family) or np.inf)
    skewed = reached(skewed_units_for(EFFECT, family))
    found = []
    for size in PILOTS:
        sums = np.zeros(3)
        for _ in range(runs):
            d = law(rng, (size,))
            pilot = Pilot("items", size, {("unit",): float(d.var(ddof=1))}, {}, d)
            plan = make_plan(
                pilot,
                measure="m",
                pair=("a", "b"),
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
        found.append(Cell(name, size, known, skewed, *(sums / runs).tolist(), runs))
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
    against = [c for c in cells if "towards" in c.law]
    low, high = 100 * min(c.formula for c in against), 100 * max(c.formula for c in against)
    drawn = [100 * c.drawn for c in against]
    safe = [100 * c.safe for c in against]
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
differences, as `plan` has it; and its number on the safe side.

Where the tail lies towards 0, the formula with a pilot reaches {low:.0f} to {high:.0f}% of
studies, draws from the pilot {min(drawn):.0f} to {max(drawn):.0f}%, the safe side
{min(safe):.0f} to {max(safe):.0f}%. No pilot of a dozen knows a tail that it has not seen.

| differences | pilot | formula | for skewed ones | formula, pilot | drawn | safe side |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: |"""
    ]
    for c in cells:
        shares = (c.known, c.skewed, c.formula, c.drawn, c.safe)
        lines.append(f"| {c.law} | {c.pilot} | {' | '.join(f'{100 * x:.0f}' for x in shares)} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(int(sys.argv[1]))
    PAGE.write_text(page(), encoding="utf-8")
