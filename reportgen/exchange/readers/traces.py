"""What readers of optimisers' runs share: when each run has first reached which target.

COCO and IOHprofiler keep of each run the best value so far by the number of evaluations. A function
in one dimension is a data set, an algorithm a candidate, a run on an instance a replication of
that candidate alone: random numbers are its own, and instances differ between experiments.

A trace is read at fixed targets, 10^2, 10, ..., 10^-8: the evaluations at which the best value came
within the target are a measure of its own ("evaluations to 1e-3"), missing where it never did. With
the measure "evaluations", all that the run has used, that is everything which expected running
times and the distributions of run times need, in the tables that every study has; the loggers
write a line whenever such a power of ten is passed, so that nothing is interpolated. COCO's figures
have five targets a power of ten; here they are one, as each is a measure that a report can compare.
Targets that no run at all has reached are left out. "precision" is the best value of the whole run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import Content, Logs, Run, read_bytes
from reportgen.performance_measure import (
    EASIEST,
    EVALUATIONS,
    HARDEST,
    PRECISION,
    Measure,
    evaluations_to,
)
from reportgen.stats.arrays import Array
from reportgen.study.errors import shown

TARGETS: Mapping[str, float] = {
    evaluations_to(exponent).name: float(f"1e{exponent}")
    for exponent in range(EASIEST, HARDEST - 1, -1)
}
VALUE = Measure("value", "larger", scale="difference")
"""The best value of a run that maximises, or whose values are no distances."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One run of an optimiser."""

    instance: str
    evaluations: Array  # (T,); ascending; the last is the number of all evaluations
    values: Array  # (T,); at these evaluations, or the best so far; smaller is better

    @property
    def best(self) -> float:
        """The best value of the run."""
        return float(self.values.min())

    def first(self, target: float) -> float:
        """Return the evaluations at which a value was at most the target; NaN where none was."""
        is_reached = self.values <= target
        return float(self.evaluations[is_reached.argmax()]) if is_reached.any() else float("nan")


@dataclass(frozen=True, slots=True)
class Traces:
    """The runs of one candidate on one data set, of one file."""

    path: Path
    dataset: str
    candidate: str
    runs: Sequence[Trace]

    def run(self, measures: Iterable[str], best: str, sign: float = 1.0) -> Run:
        """Return the values of measures, the best value with that sign."""
        values: dict[str, list[float | None]] = {
            best: [sign * own.best for own in self.runs],
            EVALUATIONS.name: [float(own.evaluations[-1]) for own in self.runs],
            **{name: [own.first(TARGETS[name]) for own in self.runs] for name in measures},
        }
        instances = [own.instance for own in self.runs]
        return Run(self.path, self.dataset, self.candidate, instances, values)


def content_of(parts: Sequence[Traces]) -> Content:
    """Return runs whose values are distances from the optimum, with the targets they reach."""
    best = min((own.best for part in parts for own in part.runs), default=np.inf)
    names = [name for name, target in TARGETS.items() if best <= target]
    known = {m.name: m for m in (PRECISION, EVALUATIONS)}
    known |= {m.name: m for m in map(evaluations_to, range(HARDEST, EASIEST + 1))}
    return Content([part.run(names, PRECISION.name) for part in parts], known, "sample")


def inside(logs: Logs, path: Path, name: str) -> Path:
    """Return a file that another one names.

    Raises ExchangeError if it lies outside the folder that is read, or is no file.
    """
    folder = logs.path if logs.path.is_dir() else path.parent
    found = path.parent / name.replace("\\", "/")
    if not found.resolve().is_relative_to(folder.resolve()):
        raise ExchangeError(f"{path}: found the file {shown(name)}; allowed files of this folder")
    if not found.is_file():
        raise ExchangeError(f"{path}: found no file {shown(name)}; allowed one beside this file")
    return found


def read_blocks(path: Path, column: int, head: str) -> list[tuple[str, Array]]:
    """Read the blocks of numbers of a file, each below a line of its own.

    `column`: of the values; that of evaluations is the first.
    `head`: with which the line above a block begins.
    Result: (T, columns); the line above, and what all rows of the block have in common:
    evaluations, what is between, and the values.
    Raises ExchangeError if a line is no row of numbers, or evaluations do not ascend.
    """
    blocks: list[tuple[str, list[list[float]]]] = []
    for number, line in enumerate(read_bytes(path).decode(errors="replace").splitlines(), start=1):
        if line.startswith(head):
            blocks.append((line, []))
        elif line.strip():
            if not blocks:
                raise ExchangeError(
                    f"{path}: line {number}: found {shown(line)}; allowed a line that begins with "
                    f"{shown(head)}"
                )
            blocks[-1][1].append(_row(path, number, line, column))
    found = [(line, np.array(rows).reshape(len(rows), column + 1)) for line, rows in blocks]
    for i, (_, rows) in enumerate(found, start=1):
        if not len(rows) or (np.diff(rows[:, 0]) < 0).any() or rows[0, 0] < 0:
            what = "no row" if not len(rows) else "evaluations that do not ascend"
            raise ExchangeError(f"{path}: run {i}: found {what}; allowed rows in their order")
    return found


def _row(path: Path, number: int, line: str, column: int) -> list[float]:
    """Return the first numbers of a line."""
    try:
        row = [float(cell) for cell in line.split()[: column + 1]]
    except ValueError:
        row = []
    if len(row) <= column or not np.isfinite(row).all():
        raise ExchangeError(
            f"{path}: line {number}: found {shown(line)}; allowed {column + 1} numbers or more"
        )
    return row
