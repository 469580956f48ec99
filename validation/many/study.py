"""How often methods for many candidates err that promise something else, by simulation.

    python validation/many/study.py [runs]

Measures the false discovery rate of Benjamini and Hochberg's procedure on all pairs, and how often
"on at least u of the data sets" says too much; writes `cells.csv` beside this file, and
docs/many-size.md from it. Without an argument only the page is written. 1,000 runs take a minute.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.domain.sources import SourceErrors, shown_on
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pairs.paired_max_t import paired_max_t

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "many-size.md"
SEED, ALPHA = 467, 0.05
CANDIDATES, DATASETS = (5, 10, 20), (8, 20, 60)
TRUTHS = ("all equal", "half better", "groups of two", "one apart")
BETTER_ON = (0, 2, 5, 8)  # of ten data sets
LARGE = 8.0  # standard errors, of a data set on which a candidate is better


@dataclass(frozen=True, slots=True)
class Cell:
    """One setting.

    Attributes
    ----------
    part, truth : str
        "discoveries" of so many candidates on so many data sets, or "conjunction".
    first, second : int
        Candidates and data sets; data sets on which one is better and all.
    rate : float
        The false discovery rate; the share of studies that say "on at least" too many.
    any_wrong : float
        The share of studies in which any pair is decided wrongly.
    found : float
        Of the pairs that differ, the share decided; data sets on which it is shown, on average.
    verdict : float
        Of the pairs that differ, the share that the verdict decides.
    """

    part: str
    truth: str
    first: int
    second: int
    rate: float
    any_wrong: float
    found: float
    verdict: float
    runs: int


def means(truth: str, k: int) -> Array:
    """Return the candidates' means, in standard deviations of a value."""
    if truth == "half better":
        return np.where(np.arange(k) < k // 2, 0.0, 1.0)
    if truth == "groups of two":
        return 0.5 * (np.arange(k) // 2)
    return np.where(np.arange(k) == 0, 1.0 * (truth == "one apart"), 0.0)


def discoveries(truth: str, k: int, m: int, runs: int) -> Cell:
    """Measure the false discovery rate."""
    rng = np.random.default_rng([SEED, TRUTHS.index(truth), k, m])
    mu, pairs = means(truth, k), all_pairs(k)
    apart = mu[pairs[:, 0]] - mu[pairs[:, 1]]
    differs = apart != 0
    totals = np.zeros(4)
    for _ in range(runs):
        values = mu + rng.normal(size=(m, k))
        table = paired_max_t(values, ALPHA, rng, n_comparisons=len(pairs))
        decided = benjamini_hochberg(table.p_value) <= ALPHA
        wrong = decided & (np.sign(table.estimate) != np.sign(apart))
        own = table.adjusted_p_value <= ALPHA
        n = max(1, int(decided.sum()))
        share = (x[differs].mean() if differs.any() else 0.0 for x in (decided & ~wrong, own))
        totals += [wrong.sum() / n, wrong.any(), *share]
    return Cell("discoveries", truth, k, m, *(totals / runs).round(5).tolist(), runs)


def conjunction(n_better: int, runs: int, n_all: int = 10) -> Cell:
    """Measure how often one is said to be better on more data sets than it is."""
    rng = np.random.default_rng([SEED, n_better, n_all])
    truth = np.where(np.arange(n_all) < n_better, LARGE, 0.0)[:, None]
    difference = truth + rng.normal(size=(n_all, runs))
    df = 19.0
    variance = rng.chisquare(df, size=(n_all, runs)) / df
    errors = SourceErrors(difference, variance, np.full((n_all, runs), df))
    shown = shown_on(errors, np.ones(runs), ALPHA / 2)
    wrong = float((shown > n_better).mean())
    return Cell(
        *("conjunction", "", n_better, n_all),
        *(round(wrong, 5), round(wrong, 5), round(float(shown.mean()), 3), 0.0, runs),
    )


def read() -> list[Cell]:
    """Return what was measured."""
    with CELLS.open(encoding="utf-8", newline="") as file:
        return [
            Cell(
                *(row["part"], row["truth"], int(row["first"]), int(row["second"])),
                *(float(row[key]) for key in ("rate", "any_wrong", "found", "verdict")),
                int(row["runs"]),
            )
            for row in csv.DictReader(file)
        ]


def write(cells: list[Cell]) -> None:
    """Write what was measured."""
    with CELLS.open("w", encoding="utf-8", newline="\n") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(list(Cell.__slots__))
        rows.writerows(astuple(cell) for cell in cells)


HEAD = """# Many candidates: other promises

This page is written by `validation/many/study.py` from the counts beside it.

## The false discovery rate

Benjamini and Hochberg's procedure on the *p*-values of all pairs, {runs:,} simulated studies a
number, normal values of independent candidates. It promises that of the decided pairs 5% are wrong
on average (the rate: at most {most:.1f}%), not that any is wrong with 5%: with many candidates some
decision is wrong in up to {wrong:.0f}% of studies. Of the pairs that differ it decides more than
the verdict.

| candidates | data sets | means | rate, % | any wrong, % | pairs found, % | by the verdict, % |
| ---: | ---: | :--- | ---: | ---: | ---: | ---: |
"""
SECOND = """
## On at least so many data sets

Partial conjunction at one-sided 2.5%, {runs:,} simulated studies a number: a candidate is better on
some of ten data sets, by eight standard errors, and equal on the others. It is said of more data
sets than it is true of in at most {most:.1f}% of studies.

| better on | said of more, % | shown on, average |
| ---: | ---: | ---: |
"""


def page() -> str:
    """Return the page."""
    cells = read()
    own = [c for c in cells if c.part == "discoveries"]
    most, wrong = 100 * max(c.rate for c in own), 100 * max(c.any_wrong for c in own)
    text = HEAD.format(runs=own[0].runs, most=most, wrong=wrong)
    for c in own:
        found = (
            ["–"] * 2
            if c.truth == "all equal"
            else [f"{100 * x:.0f}" for x in (c.found, c.verdict)]
        )
        cells_of = (c.first, c.second, c.truth, f"{100 * c.rate:.1f}", f"{100 * c.any_wrong:.1f}")
        text += f"| {' | '.join(map(str, (*cells_of, *found)))} |\n"
    rest = [c for c in cells if c.part == "conjunction"]
    text += SECOND.format(runs=rest[0].runs, most=100 * max(c.rate for c in rest))
    for c in rest:
        text += f"| {c.first} of {c.second} | {100 * c.rate:.1f} | {c.found:.1f} |\n"
    return text


def main() -> None:
    """Measure where a number of runs is given, and write the page."""
    if len(sys.argv) > 1:
        runs = int(sys.argv[1])
        write(
            [discoveries(t, k, m, runs) for k in CANDIDATES for m in DATASETS for t in TRUTHS]
            + [conjunction(n, 20 * runs) for n in BETTER_ON]
        )
    PAGE.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
