"""How often pairs with a reference alone are decided wrongly, and what they gain, by simulation.

    python validation/reference/study.py [runs]

Compares a new candidate with K - 1 others, by the family of these pairs and by that of all pairs;
writes `cells.csv` beside this file, and docs/reference.md's table from it. Without an argument only
the page is written. 1,000 runs take two minutes.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pairs.paired_max_t import paired_max_t

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "reference-size.md"
SEED, ALPHA, DRAWS = 4607, 0.05, 4000
CANDIDATES, UNITS = (3, 5, 10, 20), (8, 20, 60)
LAWS = ("normal", "unequal variances", "lognormal (.5)")
AHEAD = 3.5  # standard errors of a difference by which the new candidate is better than each


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting: wrong is the share of studies with any wrong decision, all candidates alike.

    `power`, `power_of_all`: of the pairs with the new candidate, where it is better than each, the
    share decided by K - 1 comparisons, and by all pairs. `width`: of the intervals, the share of
    that of all pairs (mean).
    """

    law: str
    candidates: int
    units: int
    wrong: float
    power: float
    power_of_all: float
    width: float
    runs: int


def values_of(law: str, n: int, k: int, rng: Generator) -> Array:
    """Return values of candidates that are alike in mean, each of variance 1 on average."""
    z = rng.normal(size=(n, k))
    if law == "unequal variances":
        return z * np.linspace(0.3, 1.6, k)
    if law.startswith("lognormal"):
        mean, deviation = np.exp(0.125), np.sqrt(np.exp(0.25) * (np.exp(0.25) - 1))
        return np.asarray((np.exp(0.5 * z) - mean) / deviation)
    return z


def cell(law: str, k: int, n: int, runs: int) -> Cell:
    """Measure one setting."""
    rng = np.random.default_rng([SEED, LAWS.index(law), k, n])
    inside = (all_pairs(k) == 0).any(axis=1)
    wrong, found, width = 0, np.zeros(2), 0.0
    for _ in range(runs):
        values = values_of(law, n, k, rng)
        own = paired_max_t(values, ALPHA, rng, reference=0, n_draws=DRAWS)
        wrong += bool((own.adjusted_p_value[inside] <= ALPHA).any())
        values[:, 0] -= AHEAD * np.sqrt(2 / n)
        own = paired_max_t(values, ALPHA, rng, reference=0, n_draws=DRAWS)
        every = paired_max_t(values, ALPHA, rng, n_draws=DRAWS)
        rows = [(t.upper - t.lower)[inside].mean() for t in (own, every)]
        width += rows[0] / rows[1]
        found += [(t.adjusted_p_value[inside] <= ALPHA).mean() for t in (own, every)]
    numbers = (wrong / runs, *(found / runs), width / runs)
    return Cell(law, k, n, *(round(float(x), 5) for x in numbers), runs)


def read() -> list[Cell]:
    """Return what was measured."""
    kinds = {"law": str, "candidates": int, "units": int, "runs": int}
    with CELLS.open(encoding="utf-8", newline="") as file:
        return [
            Cell(**{f.name: kinds.get(f.name, float)(row[f.name]) for f in fields(Cell)})
            for row in csv.DictReader(file)
        ]


def page(cells: list[Cell]) -> str:
    """Write the page."""
    worst, error = max(c.wrong for c in cells), (ALPHA * (1 - ALPHA) / cells[0].runs) ** 0.5
    lines = [
        "# Size and power of comparisons with a reference",
        "",
        "This page is written by `validation/reference/study.py` from the counts beside it:",
        f"{cells[0].runs:,} simulated studies a number. What they are for:",
        "[comparisons with a reference](reference.md).",
        "",
        "Wrong: all candidates are alike; per cent of studies in which any of the K - 1 pairs",
        "with the reference is decided, which 5% allow. The largest of these rates, each with a",
        f"standard error of {100 * error:.1f}, is {100 * worst:.1f}%. Decided: the reference is",
        "better than each other candidate by 3.5 standard errors (of normal values with variance",
        "1); per cent of its pairs that are decided so, by K - 1 comparisons / by all pairs.",
        "Width: of the intervals, as a share of that of all pairs.",
        "",
        "| values | candidates | units | wrong, % | decided, % | width |",
        "| :--- | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {c.law} | {c.candidates} | {c.units} | {100 * c.wrong:.1f} "
            f"| {100 * c.power:.0f} / {100 * c.power_of_all:.0f} | {c.width:.2f} |"
            for c in cells
        ),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, if asked to, and write the page."""
    if len(sys.argv) > 1:
        runs = int(sys.argv[1])
        found = [cell(law, k, n, runs) for law in LAWS for k in CANDIDATES for n in UNITS]
        with CELLS.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(f.name for f in fields(Cell))
            writer.writerows(astuple(c) for c in found)
    PAGE.write_text(page(read()), encoding="utf-8")


if __name__ == "__main__":
    main()
