"""Size and power of the tests that divide data sets, by simulation.

    python validation/instability-size/study.py [--runs 500] [--jobs 2] [--again]

Three candidates on M data sets with B learning samples each; the data sets have a characteristic
that is drawn at random. *Homogeneous*: the worths are the same everywhere. *Data sets differ*:
each has worths of its own, at random, which have nothing to do with the characteristic, so that
whatever divides is an error. *Break*: below the median of the characteristic the first candidate is
better by a known step, above it worse; whatever does not divide is a miss.

Three tests look at each of these: learning samples as rows with an asymptotic p-value (what R's
bttree does), data sets as units with an asymptotic p-value, and data sets as units with 199
permutations. Cells go to `cells.csv` while the study runs, so that it can be broken off and taken
up; at the end `docs/instability-size.md` is written. With two processes it takes ten minutes.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import astuple, dataclass, fields
from math import sqrt
from pathlib import Path

import numpy as np

from reportgen.stats.worths.bradley_terry import fit, scores
from reportgen.stats.worths.comparisons import compare, indicators
from reportgen.stats.worths.instability import instability_test
from reportgen.streams import stream

FOLDER = Path(__file__).resolve().parent
CELLS = FOLDER / "cells.csv"
PAGE = FOLDER.parent.parent / "docs" / "instability-size.md"

SEED, ALPHA, RUNS, N_PERMUTATIONS = 8, 0.05, 500, 199
SIZES = ((10, 20), (20, 20), (20, 100), (60, 20), (60, 100))
LAWS = ("homogeneous", "data sets differ", "break 0.25", "break 0.5", "break 1.0")
SPREAD = 0.7  # of the data sets' own worths, in standard deviations of a performance
TESTS = ("rows", "data sets, asymptotic", "data sets, permuted")


INTRODUCTION = """# Size and power of the tests that divide data sets

Share of the runs in which a test along one characteristic rejects at 5%, in per cent, of {n_runs:,}
(standard error at most {largest:.1f} points, at 5% {at_level:.1f}). Written by
`python validation/instability-size/study.py`, which says what is simulated; the numbers are in
[cells.csv](../validation/instability-size/cells.csv).

Under the first two laws every rejection is an error. Where data sets differ, as real ones do,
learning samples as rows (R's `bttree`, here `cluster: none`) find a break nearly always: they take
whatever tells data sets apart for an effect of the characteristic. Data sets as units with
permutations, the default, keep the 5%; the asymptotic law is too careful with few data sets. The
price is power: with 10 data sets even large steps are mostly missed, with 20 they are found.
"""


@dataclass(frozen=True, slots=True)
class Cell:
    """How often one test rejects under one law."""

    law: str
    n_datasets: int
    n_samples: int
    test: str
    n_rejected: int
    n_runs: int

    @property
    def rate(self) -> float:
        """Share of the runs in which the test rejects."""
        return self.n_rejected / self.n_runs

    @property
    def standard_error(self) -> float:
        """Of the rate, by Monte Carlo."""
        rate = min(max(self.rate, 1 / self.n_runs), 1 - 1 / self.n_runs)
        return sqrt(rate * (1 - rate) / self.n_runs)


def draw(
    law: str, n_datasets: int, n_samples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return counts of each learning sample, and the characteristic of each data set."""
    characteristic = rng.standard_normal(n_datasets)
    effects = np.zeros((n_datasets, 3))
    if law != "homogeneous":
        effects += SPREAD * rng.standard_normal(effects.shape)
    if law.startswith("break"):
        step = float(law.split()[1])
        effects[:, 0] += step * np.sign(characteristic - np.median(characteristic))
    numbers = np.arange(n_datasets).repeat(n_samples)
    values = np.round(effects[numbers] + rng.standard_normal((len(numbers), 3)), 1)
    return indicators(compare(values)), characteristic


def p_values(
    counts: np.ndarray, characteristic: np.ndarray, rng: np.random.Generator
) -> tuple[float, ...]:
    """Return the p-value of each test; 1 where there is none."""
    n_samples = len(counts) // len(characteristic)
    model = fit(counts.sum(axis=0))
    psi = scores(counts, model)
    summed = psi.reshape(len(characteristic), n_samples, -1).sum(axis=1)
    tests = (
        instability_test(psi, characteristic.repeat(n_samples), min_size=2, order_free=False),
        instability_test(summed, characteristic),
        instability_test(summed, characteristic, n_permutations=N_PERMUTATIONS, rng=rng),
    )
    return tuple(1.0 if test is None else test.p_value for test in tests)


def measure(law: str, n_datasets: int, n_samples: int, n_runs: int) -> list[Cell]:
    """Do the runs of one law and size."""
    rng = stream(SEED, law, n_datasets, n_samples)
    found = np.array([p_values(*draw(law, n_datasets, n_samples, rng), rng) for _ in range(n_runs)])
    rejected = (found <= ALPHA).sum(axis=0).tolist()
    return [
        Cell(law, n_datasets, n_samples, test, n, n_runs)
        for test, n in zip(TESTS, rejected, strict=True)
    ]


def read_cells(path: Path = CELLS) -> list[Cell]:
    """Return the cells that were measured."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Cell(r[0], int(r[1]), int(r[2]), r[3], int(r[4]), int(r[5]))
            for r in list(csv.reader(lines))[1:]
        ]


def write_cells(cells: Sequence[Cell], path: Path = CELLS) -> None:
    """Write all cells in the order of the table."""
    ordered = sorted(
        cells,
        key=lambda c: (LAWS.index(c.law), c.n_datasets, c.n_samples, TESTS.index(c.test)),
    )
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow([field.name for field in fields(Cell)])
        writer.writerows(astuple(cell) for cell in ordered)


def page(cells: Sequence[Cell]) -> str:
    """Write the table as a page."""
    by_key = {(c.law, c.n_datasets, c.n_samples, c.test): c for c in cells}
    n_runs = max(c.n_runs for c in cells)
    largest, at_level = 50 / sqrt(n_runs), 100 * sqrt(ALPHA * (1 - ALPHA) / n_runs)
    head = "| law | data sets | learning samples | " + " | ".join(TESTS) + " |"
    rule = "| --- | ---: | ---: | " + " | ".join("---:" for _ in TESTS) + " |"
    lines = [INTRODUCTION.format(n_runs=n_runs, largest=largest, at_level=at_level), head, rule]
    for law in LAWS:
        for m, b in SIZES:
            found = [by_key.get((law, m, b, test)) for test in TESTS]
            if all(found):
                rates = " | ".join(f"{100 * c.rate:.1f}" for c in found if c)
                lines.append(f"| {law} | {m} | {b} | {rates} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--again", action="store_true", help="measure everything anew")
    arguments = parser.parse_args()
    cells = [] if arguments.again else read_cells()
    done = {(c.law, c.n_datasets, c.n_samples) for c in cells if c.n_runs == arguments.runs}
    wanted = [(law, m, b) for m, b in SIZES for law in LAWS if (law, m, b) not in done]
    with ProcessPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(measure, *task, arguments.runs) for task in wanted]
        for number, future in enumerate(as_completed(waiting), start=1):
            cells += future.result()
            write_cells(cells)
            print(f"{number} of {len(waiting)}", flush=True)
    PAGE.write_text(page(cells), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
