"""Size of every test and coverage of all simultaneous intervals, by simulation.

    python validation/size-and-coverage/study.py [--runs 1000] [--jobs 2] [--again]

For 2, 3, 6 and 12 candidates and 10, 50 and 250 units (replications, or data sets of a domain; for
verdicts 2, 5, 12 and 50 candidates and 6 to 250 units) every test of `reportgen.stats` is done at
5% where what it tests is true, and simultaneous 95% intervals are held against the true
differences. What is counted are errors: a test that rejects, intervals of which one misses its
difference. What is examined stands in `procedures.py`, on what in `null_laws.py`; `earlier.py` has
figures that other programs measured before, to be met again.

Cells go to `cells.csv` while the study runs, so that it can be broken off and taken up; `--again`
begins anew. Long computations have fewer runs. Every cell has a stream of its own: a further
procedure changes no other number. At the end `docs/size-and-coverage.md` is written from
`cells.csv` and `earlier.csv`. With two processes the whole takes about an hour.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import product
from math import sqrt
from pathlib import Path

from earlier import FIGURES, Reproduced, reproduce
from procedures import PROCEDURES
from threadpoolctl import threadpool_limits

from reportgen.streams import stream

FOLDER = Path(__file__).resolve().parent
CELLS, EARLIER = FOLDER / "cells.csv", FOLDER / "earlier.csv"
PAGE = FOLDER.parent.parent / "docs" / "size-and-coverage.md"

SEED = 20
RUNS, FEWEST_RUNS = 1000, 200
LAWS = (
    "normal",
    "unequal",
    "one bad",
    "tied",
    "two values",
    "skewness 1",
    "skewness 1.75",
    "skewness 2",
    "skewness 6.2",
    "failures",
    "real",
    "partly",
    "process",
    "domain",
    "domain, unequal",
)


@dataclass(frozen=True, slots=True)
class Task:
    """One procedure under one law, at one size."""

    procedure: str
    law: str
    n_candidates: int
    n_units: int
    n_runs: int


@dataclass(frozen=True, slots=True)
class Cell:
    """How often one row of the table errs.

    Attributes
    ----------
    kind : {"test", "intervals"}
    claim : {"exact", "at most", "nearly", "none"}
    n_errors, n_runs : int
    """

    row: str
    kind: str
    law: str
    n_candidates: int
    n_units: int
    claim: str
    n_errors: int
    n_runs: int

    @property
    def rate(self) -> float:
        """Share of the runs with an error."""
        return self.n_errors / self.n_runs

    @property
    def standard_error(self) -> float:
        """Of the rate, by Monte Carlo; that of one error where there is none."""
        rate = max(self.rate, 1 / self.n_runs)
        return sqrt(rate * (1 - min(rate, 1 - 1 / self.n_runs)) / self.n_runs)


def tasks(n_runs: int) -> Iterator[Task]:
    """Return all that is to be done, long computations first."""
    units = {n for procedure in PROCEDURES.values() for n in procedure.units}
    candidates = {k for procedure in PROCEDURES.values() for k in procedure.candidates}
    for n, k in product(sorted(units, reverse=True), sorted(candidates, reverse=True)):
        for name, procedure in PROCEDURES.items():
            own = max(min(n_runs, FEWEST_RUNS), round(n_runs * procedure.share(n, k)))
            for law in LAWS:
                if procedure.applies(law, n, k):
                    yield Task(name, law, k, n, own)


def measure(task: Task, seed: int = SEED) -> list[Cell]:
    """Do the runs of a task."""
    procedure = PROCEDURES[task.procedure]
    k, n = task.n_candidates, task.n_units
    rng = stream(seed, task.procedure, task.law, k, n)
    with threadpool_limits(1):
        runs = [procedure.run(task.law, n, k, rng) for _ in range(task.n_runs)]
    errors = [sum(column) for column in zip(*runs, strict=True)]
    return [
        Cell(
            row,
            procedure.kind,
            task.law,
            k,
            n,
            procedure.claim(row, task.law, n, k),
            wrong,
            task.n_runs,
        )
        for row, wrong in zip(procedure.rows, errors, strict=True)
    ]


# ------------------------------------------------------------------------------ the files


def read_cells(path: Path = CELLS) -> list[Cell]:
    """Return the cells that were measured, in the order of the table."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        found = [
            Cell(
                line["row"],
                line["kind"],
                line["law"],
                int(line["candidates"]),
                int(line["units"]),
                line["claim"],
                int(line["errors"]),
                int(line["runs"]),
            )
            for line in csv.DictReader(lines)
        ]
    return sorted(found, key=_place)


def _place(cell: Cell) -> tuple[int, int, int, int]:
    rows = [row for procedure in PROCEDURES.values() for row in procedure.rows]
    return LAWS.index(cell.law), rows.index(cell.row), cell.n_candidates, cell.n_units


def write_cells(cells: Sequence[Cell], path: Path = CELLS) -> None:
    """Write all cells in the order of the table."""
    names = ("row", "kind", "law", "candidates", "units", "claim", "errors", "runs")
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(names)
        for c in sorted(cells, key=_place):
            writer.writerow(
                [c.row, c.kind, c.law, c.n_candidates, c.n_units, c.claim, c.n_errors, c.n_runs]
            )


def missing(wanted: Sequence[Task], cells: Sequence[Cell]) -> list[Task]:
    """Return the tasks that have not been done, or with other numbers of runs."""
    done = {(c.row, c.law, c.n_candidates, c.n_units, c.n_runs) for c in cells}
    return [
        t
        for t in wanted
        if not all(
            (row, t.law, t.n_candidates, t.n_units, t.n_runs) in done
            for row in PROCEDURES[t.procedure].rows
        )
    ]


def fill(
    wanted: Sequence[Task], cells: Sequence[Cell], n_jobs: int, path: Path = CELLS
) -> list[Cell]:
    """Do the tasks and keep what they give, whatever becomes of the others."""
    kept = {(c.row, c.law, c.n_candidates, c.n_units): c for c in cells}
    with ProcessPoolExecutor(n_jobs) as pool:
        waiting = [pool.submit(measure, task) for task in wanted]
        for number, future in enumerate(as_completed(waiting), start=1):
            for cell in future.result():
                kept[cell.row, cell.law, cell.n_candidates, cell.n_units] = cell
            if number % 10 == 0 or number == len(waiting):
                write_cells(list(kept.values()), path)
                print(f"{number} of {len(waiting)}", flush=True)
    return sorted(kept.values(), key=_place)


def read_earlier(path: Path = EARLIER) -> list[Reproduced]:
    """Return the earlier figures with what was measured anew."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as lines:
        return [Reproduced.of(line) for line in csv.DictReader(lines)]


def write_earlier(found: Sequence[Reproduced], path: Path = EARLIER) -> None:
    """Write the earlier figures with what was measured anew."""
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, Reproduced.NAMES, lineterminator="\n")
        writer.writeheader()
        writer.writerows(one.line() for one in found)


def _reproduced(known: list[Reproduced], n_jobs: int) -> list[Reproduced]:
    """Measure the earlier figures that have not been measured anew."""
    kept = {one.figure: one for one in known}
    with ProcessPoolExecutor(n_jobs) as pool:
        names = [name for name in FIGURES if name not in kept]
        for one in pool.map(reproduce, names):
            if one is not None:
                kept[one.figure] = one
                print(f"{one.figure}: {one.low:.3f} to {one.high:.3f}", flush=True)
    return [kept[name] for name in FIGURES if name in kept]


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=RUNS, help="of a cell that is not long")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    parser.add_argument("--again", action="store_true", help="measure everything anew")
    arguments = parser.parse_args()
    known = [] if arguments.again else read_cells()
    cells = fill(missing(list(tasks(arguments.runs)), known), known, arguments.jobs)
    earlier = _reproduced([] if arguments.again else read_earlier(), arguments.jobs)
    write_earlier(earlier)
    from page import page

    PAGE.write_text(page(cells, earlier), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
