"""Coverage of the intervals of aggregates over data sets, by simulation.

    python validation/aggregates/study.py [--runs 500] [--again]

Two candidates on M data sets with n replications each. The levels of both lie at random between .2
and .9, the scores of a data set scatter about them with a standard deviation between .05 and .3, by
a normal or by an exponential law. Of the second candidate the 95% intervals are held against the
interquartile mean, the optimality gap and the probability of improvement of 10,000 further
replications. Cells go to `cells.csv` while the study runs; at the end `docs/aggregates-coverage.md`
is written. It takes some five minutes.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from functools import partial
from itertools import product
from math import sqrt
from pathlib import Path

import numpy as np

from reportgen.stats.aggregation.scores import (
    Scores,
    aggregate,
    improvements,
    interquartile_means,
    once,
    optimality_gaps,
)
from reportgen.streams import stream

FOLDER = Path(__file__).resolve().parent
CELLS = FOLDER / "cells.csv"
PAGE = FOLDER.parent.parent / "docs" / "aggregates-coverage.md"

SEED, RUNS, FURTHER = 40, 500, 10_000
LAWS, N_DATASETS, N_REPLICATIONS = ("normal", "exponential"), (2, 5, 10, 20), (5, 7, 10, 20)
NAMES = ("interquartile_mean", "optimality_gap", "improvement")
STATISTICS = (interquartile_means, optimality_gaps, partial(improvements, first=0))
COLUMNS = ("law", "n_datasets", "n_replications", "n_runs", *NAMES)

INTRODUCTION = """# Coverage of aggregates over data sets

Share of {n_runs:,} studies, in per cent, in which a 95% interval of `sections.aggregate` holds the
truth (standard error about {error:.1f} points). Written by `python validation/aggregates/study.py`,
which says what is simulated; the numbers are in [cells.csv](../validation/aggregates/cells.csv).

Intervals are percentiles of draws of n - 1 of the n replications within data sets. From ten
replications of each data set a report says “95% interval”: over five data sets and more they cover
{least} to {most}%. With fewer it says “the middle 95% of draws”, as they cover {few_least} to
{few_most}%. Over two data sets of skewed scores even twenty replications are too few.
"""

Row = tuple[str, int, int, int, int, int, int]


def draw(
    law: str, level: np.ndarray, spread: np.ndarray, n: int, rng: np.random.Generator
) -> Scores:
    """Return the scores of all data sets, with n replications each."""
    noise = rng.normal if law == "normal" else lambda size: rng.exponential(size=size) - 1
    both = zip(level, spread, strict=True)
    return Scores.of([own + sd * noise(size=(n, 2)) for own, sd in both])


def measure(law: str, n_datasets: int, n_replications: int, n_runs: int) -> Row:
    """Count the intervals that hold the truth."""
    rng = stream(SEED, law, n_datasets)
    level, spread = rng.uniform(0.2, 0.9, (n_datasets, 2)), rng.uniform(0.05, 0.3, n_datasets)
    whole = draw(law, level, spread, FURTHER, rng)
    truth = [statistic(whole, once(whole))[0, 1] for statistic in STATISTICS]
    rng = stream(SEED, law, n_datasets, n_replications)
    hits = np.zeros(len(STATISTICS), dtype=int)
    for _ in range(n_runs):
        found = aggregate(draw(law, level, spread, n_replications, rng), STATISTICS, rng)
        hits += [a.lower[1] <= x <= a.upper[1] for a, x in zip(found, truth, strict=True)]
    return (law, n_datasets, n_replications, n_runs, *hits.tolist())


def read_cells() -> list[Row]:
    """Return the cells that were measured."""
    if not CELLS.exists():
        return []
    with CELLS.open(encoding="utf-8", newline="") as lines:
        return [(r[0], *map(int, r[1:])) for r in list(csv.reader(lines))[1:]]  # type: ignore[misc]


def page(cells: Sequence[Row]) -> str:
    """Write the table as a page."""
    n_runs = cells[0][3]
    shares = {c[:3]: [100 * hits / n_runs for hits in c[4:]] for c in cells}
    enough = [x for (_, m, n), row in shares.items() if m >= 5 and n >= 10 for x in row]
    few = [x for (_, _, n), row in shares.items() if n < 10 for x in row]
    ends = {"least": min(enough), "most": max(enough), "few_least": min(few), "few_most": max(few)}
    error = 100 * sqrt(0.95 * 0.05 / n_runs)
    told = {name: f"{x:.0f}" for name, x in ends.items()}
    head = "| law | data sets | replications | interquartile mean | optimality gap | improvement |"
    rows = [
        f"| {law} | {m} | {n} | " + " | ".join(f"{x:.1f}" for x in shares[law, m, n]) + " |"
        for law, m, n in product(LAWS, N_DATASETS, N_REPLICATIONS)
    ]
    words = INTRODUCTION.format(n_runs=n_runs, error=error, **told)
    return "\n".join([words, head, "| --- | ---: | ---: | ---: | ---: | ---: |", *rows]) + "\n"


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--again", action="store_true", help="measure everything anew")
    arguments = parser.parse_args()
    cells = [] if arguments.again else read_cells()
    done = {c[:3] for c in cells if c[3] == arguments.runs}
    for task in product(LAWS, N_DATASETS, N_REPLICATIONS):
        if task not in done:
            cells.append(measure(*task, arguments.runs))
            with CELLS.open("w", encoding="utf-8", newline="") as lines:
                csv.writer(lines, lineterminator="\n").writerows([COLUMNS, *sorted(cells)])
            print(*cells[-1], flush=True)
    PAGE.write_text(page(sorted(cells)), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
