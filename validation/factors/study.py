"""What choosing the best setting on the data that judge it costs, by simulation.

    python validation/factors/study.py [runs]

Two models have J prompts each. All prompts of the first are alike; of the second one is as good,
and the others are worse by three standard deviations, so that the best settings of both are equal.
Writes `cells.csv` beside this file, and docs/factors-size.md from it. Without an argument only the
page is written. 1,000 runs take five minutes.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np

from reportgen.stats.two_factors import best_settings, components

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "factors-size.md"
SEED, ALPHA = 46_05, 0.05
PROMPTS, UNITS = (2, 5, 20), (10, 20, 60)
WORSE, AHEAD = 3.0, 1.5  # standard deviations of a value
EFFECT = 0.6  # standard deviation of the effects of both factors, where these are as large


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting.

    Attributes
    ----------
    prompts, units : int
    priced, given : float
        Share of studies in which one of two equal best settings is called better: once the choice
        is paid for, and as if it had been given.
    found, found_given : float
        The same where the best of the second model is better by `AHEAD`.
    bias, honest_bias : float
        Of the mean of the first model's best setting, in standard deviations: on all units, which
        have chosen it, and on the other half.
    sizes : float
        Share of studies in which one of two factors that matter alike is said to matter more.
    """

    prompts: int
    units: int
    priced: float
    given: float
    found: float
    found_given: float
    bias: float
    honest_bias: float
    sizes: float
    runs: int


def cell(j: int, n: int, runs: int) -> Cell:
    """Measure one setting."""
    rng = np.random.default_rng([SEED, j, n])
    counts, biases, sizes = np.zeros(4), np.zeros(2), 0
    scores = np.arange(j) - (j - 1) / 2
    scores *= EFFECT / scores.std(ddof=1)
    for _ in range(runs):
        values = rng.normal(size=(n, 2, j))
        values[:, 1, 1:] += WORSE
        own = best_settings(values, ALPHA, rng, is_smaller_better=True)
        biases += [-own.mean[0], -own.honest[0]]
        counts[0] += bool(own.lower[0] > 0 or own.upper[0] < 0)
        counts[1] += bool(own.naive_lower[0] > 0 or own.naive_upper[0] < 0)
        values[:, 1, 0] -= AHEAD
        own = best_settings(values, ALPHA, rng, is_smaller_better=True)
        counts[2] += bool(own.lower[0] > 0)
        counts[3] += bool(own.naive_lower[0] > 0)
        both = rng.normal(size=(n, 2, j)) + np.array([-1.0, 1.0])[:, None] * EFFECT / 2**0.5
        sizes += components(both + scores, ALPHA).p_value < ALPHA
    numbers = [*(counts / runs), *(biases / runs), sizes / runs]
    return Cell(j, n, *(round(float(x), 5) for x in numbers), runs)


def read() -> list[Cell]:
    """Return what was measured."""
    kinds = {"prompts": int, "units": int, "runs": int}
    with CELLS.open(encoding="utf-8", newline="") as file:
        return [
            Cell(**{f.name: kinds.get(f.name, float)(row[f.name]) for f in fields(Cell)})
            for row in csv.DictReader(file)
        ]


def page(cells: list[Cell]) -> str:
    """Write the page."""
    lines = [
        "# What choosing the best setting costs",
        "",
        "This page is written by `validation/factors/study.py` from the counts beside it:",
        f"{cells[0].runs:,} simulated studies a number. [Two factors](factors.md) says what is",
        "computed.",
        "",
        "Two models with so many prompts each, normal values of unit variance. The best settings",
        "of both are equal, but all prompts of the first are good and of the second only one.",
        "Wrong: per cent of studies that call one of the best settings better, once the choice is",
        "paid for / as if the chosen ones had been given. Found: the same where the second’s is",
        "better by 1.5 standard deviations. Bias: by how much the mean of the first model’s chosen",
        "setting is too good, in standard deviations of a value, on all units, which have chosen",
        "it / on the other half. Sizes: two factors matter alike; per cent of studies that call",
        "one the larger.",
        "",
        "| prompts | units | wrong, % | found, % | bias | sizes, % |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {c.prompts} | {c.units} | {100 * c.priced:.1f} / {100 * c.given:.1f} "
            f"| {100 * c.found:.0f} / {100 * c.found_given:.0f} "
            f"| {c.bias:.2f} / {c.honest_bias + 0:.2f} | {100 * c.sizes:.1f} |"
            for c in cells
        ),
    ]
    return "\n".join(lines).replace("-0.00", "0.00") + "\n"


def main() -> None:
    """Measure, if asked to, and write the page."""
    if len(sys.argv) > 1:
        runs = int(sys.argv[1])
        found = [cell(j, n, runs) for j in PROMPTS for n in UNITS]
        with CELLS.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(f.name for f in fields(Cell))
            writer.writerows(astuple(c) for c in found)
    PAGE.write_text(page(read()), encoding="utf-8")


if __name__ == "__main__":
    main()
