"""How often comparisons over families of data sets err, by simulation.

    python validation/families/study.py [runs]

Measures anew, writes `cells.csv` beside this file, and docs/families-size.md from it; without an
argument only the page is written. 4,000 runs take about two minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri

from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.domain.family_means import Families
from reportgen.stats.skewness import adjusted_skewness, reach

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PAGE = HERE.parents[1] / "docs" / "families-size.md"
SEED, ALPHA = 46, 0.05
SIZES = ("of 4", "lognormal", "one has half", "half alone")
COUNTS = (6, 10, 20, 40)
LIKENESS = (0.0, 0.3, 0.6, 0.95)
WEIGHTINGS = ("equal", "family", "column")
LAWS = ("normal", "exponential")
PROMISED = 0.06


@dataclass(frozen=True, slots=True)
class Cell:
    """How many studies err about one pair of equal candidates.

    Attributes
    ----------
    sizes : str
        Of the families.
    n_families : int
    likeness : float
        Correlation of two data sets of a family.
    weighting, law : str
    errors, naive : int
        Studies whose interval misses 0; those where data sets are taken for independent.
    df : float
        Mean degrees of freedom.
    runs : int
    """

    sizes: str
    n_families: int
    likeness: float
    weighting: str
    law: str
    errors: int
    naive: int
    df: float
    runs: int


def sizes_of(kind: str, n_families: int) -> NDArray[np.intp]:
    """Return how many data sets each family has."""
    if kind == "of 4":
        return np.full(n_families, 4)
    if kind == "lognormal":
        own = np.exp(ndtri((np.arange(n_families) + 0.5) / n_families))
        return np.maximum(1, np.round(4 * own / own.mean())).astype(np.intp)
    if kind == "one has half":
        return np.r_[2 * (n_families - 1), np.full(n_families - 1, 2)]
    return np.r_[np.full(n_families // 2, 6), np.ones(n_families - n_families // 2, np.intp)]


def families_of(codes: Codes, weighting: str, rng: Generator) -> Families:
    """Return the families with their weights; those of a column are lognormal."""
    if weighting == "column":
        return Families(codes, np.exp(0.5 * rng.normal(size=len(codes))))
    return Families(codes, None, weighting == "family")


def draw(codes: Codes, likeness: float, law: str, runs: int, rng: Generator) -> Array:
    """Draw the differences of two equal candidates, a column a study.

    What the data sets of a family share has the law, as has what each has of its own.
    """

    def part(n: int) -> Array:
        found = rng.normal(size=(n, runs)) if law == "normal" else rng.exponential(size=(n, runs))
        return np.asarray(found - (law == "exponential"))

    shared = part(int(codes.max()) + 1)[codes]
    return np.asarray(likeness**0.5 * shared + (1 - likeness) ** 0.5 * part(len(codes)))


def measure(sizes: str, n: int, likeness: float, weighting: str, law: str, runs: int) -> Cell:
    """Count the errors of one setting, which has its own seed."""
    places = (SIZES.index(sizes), n, round(100 * likeness))
    more = (WEIGHTINGS.index(weighting), LAWS.index(law))
    rng = np.random.default_rng([SEED, *places, *more])
    codes = np.repeat(np.arange(n), sizes_of(sizes, n))
    differences = draw(codes, likeness, law, runs, rng)
    found = families_of(codes, weighting, rng).mean_differences(differences)
    below, above = reach(t_quantile(ALPHA / 2, found.df), found.lean)
    low, high = (
        found.estimate - below * found.standard_error,
        found.estimate + above * found.standard_error,
    )
    return Cell(
        sizes,
        n,
        likeness,
        weighting,
        law,
        int(((low > 0) | (high < 0)).sum()),
        _naive(differences),
        float(found.df.mean()),
        runs,
    )


def _naive(differences: Array) -> int:
    """Count the errors of Student's t of independent data sets, corrected for skewness."""
    n = len(differences)
    mean = differences.mean(axis=0)
    apart = differences - mean
    second, third = (apart**2).mean(axis=0), (apart**3).mean(axis=0)
    error = np.sqrt(second * n / (n - 1) / n)
    lean = adjusted_skewness(second, third, np.full(len(mean), n)) / n**0.5
    below, above = reach(t_quantile(ALPHA / 2, np.full(len(mean), n - 1.0)), lean)
    return int(((mean - below * error > 0) | (mean + above * error < 0)).sum())


def settings() -> Iterator[tuple[str, int, float, str, str]]:
    """Yield what is measured: all of normal differences, exponential ones of equal weight."""
    for sizes in SIZES:
        for n in COUNTS:
            for likeness in LIKENESS:
                for weighting in WEIGHTINGS:
                    yield sizes, n, likeness, weighting, "normal"
                yield sizes, n, likeness, "equal", "exponential"


def read() -> list[Cell]:
    """Return what was measured."""
    with CELLS.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [
            Cell(
                row["sizes"],
                int(row["n_families"]),
                float(row["likeness"]),
                row["weighting"],
                row["law"],
                int(row["errors"]),
                int(row["naive"]),
                float(row["df"]),
                int(row["runs"]),
            )
            for row in rows
        ]


def write(cells: list[Cell]) -> None:
    """Write what was measured."""
    with CELLS.open("w", encoding="utf-8", newline="\n") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([f.name for f in fields(Cell)])
        for cell in cells:
            *others, df, runs = astuple(cell)
            rows.writerow([*others, round(df, 3), runs])


HEAD = """# Size of comparisons over families of data sets

This page is written by `validation/families/study.py` from the counts beside it: {runs:,} simulated
studies a number, each setting with its own seed.

Two candidates are equal; their difference on a data set is the sum of what the data sets of a
family share and of what each has of its own, so that two of one family have a correlation, the
likeness. The verdict takes the family for its unit: CR2 standard errors, Satterthwaite's degrees of
freedom, *t* corrected for skewness. Per cent of studies whose interval at 5% misses 0 / the same
where data sets are taken for independent.

Families are of 4 data sets each; of lognormal sizes with a mean of 4; one has half of all data
sets, the others two each; or half of them have six, the other half one.
"""
NAMES = {
    "of 4": "of 4 each",
    "lognormal": "lognormal sizes",
    "one has half": "one has half",
    "half alone": "six, or one",
}
WORDS = {
    ("equal", "normal"): "Every data set counts alike",
    ("family", "normal"): "Every family counts alike",
    ("column", "normal"): "Weights of a column, lognormal with a deviation of 0.5",
    ("equal", "exponential"): "Every data set counts alike, exponential differences",
}
REMARKS = {
    ("equal", "normal"): """\
Independent data sets err in up to {naive:.0f}% of studies, families in at most {most:.1f}%. A
family that has half of the data sets leaves few degrees of freedom, and the rule errs on the safe
side: with forty families, one of which has half of the data sets, hardly anything can be decided,
as the mean hangs on one source. `weights: family` then asks what so many sources can answer.""",
    ("family", "normal"): """\
Student's *t* of the means of families, at most {most:.1f}%. (The rule beside it gives every data
set the same weight.)""",
    ("column", "normal"): "At most {most:.1f}%.",
    ("equal", "exponential"): """\
Differences of skewness 2, as few benchmarks have: at most {most:.1f}%. With few families no
correction can see the tail; see [the verdict](size-and-coverage.md#the-verdict) for independent
data sets.""",
}


def page() -> str:
    """Return the page."""
    cells = read()
    runs = {cell.runs for cell in cells}
    parts = [HEAD.format(runs=max(runs))]
    for (weighting, law), words in WORDS.items():
        own = [c for c in cells if (c.weighting, c.law) == (weighting, law)]
        most = max(100 * c.errors / c.runs for c in own)
        naive = max(100 * c.naive / c.runs for c in own)
        head = " | ".join(f"likeness {x:g}" for x in LIKENESS)
        lines = [
            f"| families | sizes | degrees of freedom | {head} |",
            "| ---: | :--- | ---: |" + " ---: |" * len(LIKENESS),
        ]
        for sizes in SIZES:
            for n in COUNTS:
                row = [c for c in own if (c.sizes, c.n_families) == (sizes, n)]
                row.sort(key=lambda c: c.likeness)
                told = " | ".join(
                    f"{100 * c.errors / c.runs:.1f} / {100 * c.naive / c.runs:.1f}" for c in row
                )
                lines.append(f"| {n} | {NAMES[sizes]} | {row[0].df:.1f} | {told} |")
        remark = REMARKS[weighting, law].format(most=most, naive=naive)
        parts.append(f"\n## {words}\n\n{remark}\n\n" + "\n".join(lines) + "\n")
    return "".join(parts)


def main() -> None:
    """Measure where a number of runs is given, and write the page."""
    if len(sys.argv) > 1:
        write([measure(*setting, int(sys.argv[1])) for setting in settings()])
    PAGE.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
