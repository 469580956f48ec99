"""Power of the test that the larger of two nested linear models predicts better.

    python validation/nested-linear-models/power.py [--runs 400] [--jobs 2]

Table 1 of Hothorn, Leisch, Zeileis and Hornik (2005), section 5.1: y = 2 x + b2 x^2 + e, with x
uniform on [0, 5] and n = 150. Both models are fitted without an intercept, by least squares: a1
knows x, a2 knows x and x^2. In every run, mean squared errors of B = 250 replications are compared
by the paired t test at 5%, one-sided: is a2 better?

Adds runs to `power.csv` beside it until there are as many as asked for, and writes
`docs/nested-linear-models.md`. Samples and fits are those of an execution.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from math import sqrt
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student
from threadpoolctl import threadpool_limits

from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.measures import find_measure
from reportgen.execution.fitting import Fit
from reportgen.execution.replicate import replicate
from reportgen.streams import stream
from reportgen.study.resampling import Resampling

FOLDER = Path(__file__).resolve().parent
TABLE = FOLDER / "power.csv"
PAGE = FOLDER.parent.parent / "docs" / "nested-linear-models.md"

SEED = 2005
N = 150
B = 250
FOLDS = 10
ALPHA = 0.05
SLOPES = (0.0, 0.02, 0.04, 0.12)
BATCH = 5  # runs that a worker does before their counts are written down

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Problem:
    """One of the six columns.

    Attributes
    ----------
    title : str
    n_test : int
        Observations of the test sample.
    resampling : Resampling
    published : tuple of float
        The paper's powers, by slope.
    """

    title: str
    n_test: int
    resampling: Resampling
    published: tuple[float, ...]


PROBLEMS: Mapping[str, Problem] = MappingProxyType(
    {
        "simulation-2000": Problem(
            "Simulation, m = 2000",
            2000,
            Resampling("fresh", B, assessment="fixed"),
            (0.000, 0.029, 0.835, 1.0),
        ),
        "simulation-150": Problem(
            "Simulation, m = 150",
            150,
            Resampling("fresh", B, assessment="fixed"),
            (0.000, 0.287, 0.609, 0.971),
        ),
        "competition": Problem(
            "Competition",
            150,
            Resampling("bootstrap", B, assessment="fixed"),
            (0.072, 0.186, 0.451, 0.953),
        ),
        "out-of-bag": Problem(
            "RW-OOB", 0, Resampling("bootstrap", B), (0.054, 0.114, 0.297, 0.984)
        ),
        "out-of-bag-2n": Problem(
            "RW-OOB-2n",
            150,
            Resampling("bootstrap", B, assessment="merged"),
            (0.059, 0.174, 0.499, 1.0),
        ),
        "cross-validation": Problem(
            "RW-CV",
            0,
            Resampling("bootstrap", B, assessment="cross-validation", folds=FOLDS),
            (0.054, 0.109, 0.279, 0.978),
        ),
    }
)


class Powers:
    """Least squares on x, x^2 and so on, without an intercept."""

    def __init__(self, degree: int) -> None:
        self.degree = degree

    def fit(self, X: Any, y: Array) -> Powers:
        """Solve the normal equations."""
        design = self._design(X)
        self.slopes = np.linalg.solve(design.T @ design, design.T @ y)
        return self

    def predict(self, X: Any) -> Array:
        """Return fitted values."""
        return np.asarray(self._design(X) @ self.slopes)

    def _design(self, X: Any) -> Array:
        return np.asarray(X.to_numpy()[:, :1] ** np.arange(1, self.degree + 1))


def build(degree: int, task: str, random_state: int) -> Powers:
    """Make an unfitted model."""
    return Powers(degree)


CANDIDATES = tuple(
    Candidate(f"a{degree}", f"polynomial of degree {degree} through 0", partial(build, degree))
    for degree in (1, 2)
)
MEASURES = (find_measure("mse"),)


def errors(data: DataSet, resampling: Resampling, seed: int) -> Array:
    """Return the mean squared errors of both models, of shape (B, 2)."""
    found = np.empty((resampling.replications, 2))
    for b in range(resampling.replications):
        given = replicate(data, resampling, seed, b + 1)
        for k, candidate in enumerate(CANDIDATES):
            found[b, k] = np.mean(
                [
                    MEASURES[0].compute(Fit(candidate, given.data, part, 0, MEASURES).prediction())
                    for part in given.parts
                ]
            )
    return found


def is_found_better(found: Array) -> bool:
    """Whether the paired t test says, one-sided, that the second model's errors are smaller."""
    differences = found[:, 0] - found[:, 1]
    spread = differences.std(ddof=1)
    statistic = differences.mean() / (spread / sqrt(len(differences)))
    return bool(statistic > student.ppf(1 - ALPHA, len(differences) - 1))


def one_run(name: str, slope: float, number: int) -> bool:
    """Generate data, run an experiment on them, and test."""
    problem = PROBLEMS[name]
    rng = stream(SEED, "data", str(slope), number)  # the problems of a run share their data
    data = find_dataset("linear", N, {"b2": slope}, rng, n_test=problem.n_test)
    seed = int(stream(SEED, "run", name, str(slope), number).integers(2**31))
    return is_found_better(errors(data, problem.resampling, seed))


def some_runs(name: str, slope: float, numbers: tuple[int, ...]) -> int:
    """Count the tests that reject."""
    with threadpool_limits(limits=1):
        return sum(one_run(name, slope, number) for number in numbers)


@dataclass(frozen=True, slots=True)
class Cell:
    """Rejections of one cell of the table, in so many runs."""

    n_rejected: int = 0
    n_runs: int = 0

    @property
    def power(self) -> float:
        """Share of the runs."""
        return self.n_rejected / self.n_runs

    @property
    def error(self) -> float:
        """Monte Carlo standard error, never 0."""
        power = (self.n_rejected + 1) / (self.n_runs + 2)
        return sqrt(power * (1 - power) / self.n_runs)


Cells = dict[tuple[str, float], Cell]


def read() -> Cells:
    """Return what was counted before."""
    if not TABLE.exists():
        return {}
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {
            (row["problem"], float(row["b2"])): Cell(int(row["rejected"]), int(row["runs"]))
            for row in csv.DictReader(file)
        }


def write(cells: Cells) -> None:
    """Write the counts, in the table's order."""
    lines = [
        f"{name},{slope},{cells[name, slope].n_rejected},{cells[name, slope].n_runs}\n"
        for name, slope in product(PROBLEMS, SLOPES)
        if (name, slope) in cells
    ]
    TABLE.write_text("problem,b2,rejected,runs\n" + "".join(lines), encoding="utf-8")


def batches(cells: Cells, runs: int) -> Iterator[tuple[str, float, tuple[int, ...]]]:
    """Yield what is still to do, all cells in turn."""
    for start in range(0, runs, BATCH):
        for name, slope in product(PROBLEMS, SLOPES):
            done = cells.get((name, slope), Cell()).n_runs
            numbers = tuple(range(max(start, done), min(start + BATCH, runs)))
            if numbers:
                yield name, slope, numbers


def simulate(runs: int, jobs: int) -> Cells:
    """Add runs until there are enough; what is counted is kept in their order."""
    cells = read()
    work = list(batches(cells, runs))
    with ProcessPoolExecutor(jobs) as pool:
        found: Iterable[int] = pool.map(some_runs, *zip(*work, strict=True)) if work else ()
        for (name, slope, numbers), n_rejected in zip(work, found, strict=True):
            before = cells.get((name, slope), Cell())
            cells[name, slope] = Cell(before.n_rejected + n_rejected, before.n_runs + len(numbers))
            write(cells)
    return cells


def page(cells: Cells) -> str:
    """Write the table beside the paper's."""
    head = "| b2 | " + " | ".join(problem.title for problem in PROBLEMS.values()) + " |\n"
    rule = "| ---: " * (1 + len(PROBLEMS)) + "|\n"
    rows = ""
    for i, slope in enumerate(SLOPES):
        ours = [cells[name, slope] for name in PROBLEMS]
        rows += f"| {slope:g} | " + " | ".join(f"{c.power:.3f} ± {c.error:.3f}" for c in ours)
        rows += " |\n| published | "
        rows += " | ".join(f"{problem.published[i]:.3f}" for problem in PROBLEMS.values()) + " |\n"
    counts = sorted({cell.n_runs for cell in cells.values()})
    shown = " or ".join(map(str, counts))
    return INTRODUCTION.format(runs=shown, folds=FOLDS) + head + rule + rows + READING


INTRODUCTION = """# Nested linear models

Table 1 of Hothorn, Leisch, Zeileis and Hornik (2005): how often the paired t test finds, at 5% and
one-sided, that the larger of two nested linear models predicts better, by how much is known of the
process that generates the data. This page is written by `validation/nested-linear-models/power.py`
from the counts in `power.csv` beside it: {runs} simulation runs a cell, B = 250 replications each,
± the Monte Carlo standard error; below each row the published one. RW-CV has {folds} folds.

"""

READING = """
With b2 = 0 the larger model is strictly worse, as it over-fits: the test of a simulation never
finds it better. Given one data set the larger model may still be better on it, which is what all
other columns test; so their shares at b2 = 0 are no sizes of a test for the process.
"""


def main() -> None:
    """Simulate and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400, help="runs a cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    PAGE.write_text(page(simulate(arguments.runs, arguments.jobs)), encoding="utf-8")


if __name__ == "__main__":
    main()
