"""What tests build: warehouses of made-up values, and reports of them without drawings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from reportgen.drawing import Canvas
from reportgen.performance_measure import Better, Measure, Problem
from reportgen.report import (
    DatasetDesign,
    Design,
    Figure,
    Provenance,
    Report,
    SectionContent,
    Series,
    StudyInfo,
)
from reportgen.warehouse import Warehouse

COLUMNS = ["dataset", "replication", "candidate", "measure", "value"]
SVG = '<svg xmlns="http://www.w3.org/2000/svg"></svg>'

Values = Mapping[Measure, ArrayLike | Mapping[str, ArrayLike]]

# --------------------------------------------------------------------------------- warehouses


def warehouse_of(
    values: Values,
    names: Sequence[str],
    *,
    dataset: str = "d",
    n_test: float = np.nan,
    **more: Any,
) -> Warehouse:
    """Return matrices of shape (B, K) as a warehouse.

    Parameters
    ----------
    values : mapping
        By measure, and by data set where there are several.
    names : sequence of str
        The K candidates.
    dataset : str
        What a single data set is called.
    n_test : float
        Size of the test samples, where it is known.
    more
        What else `Warehouse.of` takes.
    """
    by_measure = {
        measure: found if isinstance(found, Mapping) else {dataset: found}
        for measure, found in values.items()
    }
    datasets = list(next(iter(by_measure.values())))
    cells = [
        (datasets.index(name), m, np.asarray(matrix, float))
        for m, found in enumerate(by_measure.values())
        for name, matrix in found.items()
    ]
    sizes = [matrix.size for _, _, matrix in cells]
    shapes = [matrix.shape for _, _, matrix in cells]
    frame = pd.DataFrame(
        {
            "dataset": _names(np.repeat([d for d, _, _ in cells], sizes), datasets),
            "replication": np.concatenate([np.repeat(np.arange(1, b + 1), k) for b, k in shapes]),
            "candidate": _names(
                np.concatenate([np.tile(np.arange(k), b) for b, k in shapes]), names
            ),
            "measure": _names(
                np.repeat([m for _, m, _ in cells], sizes), [m.name for m in by_measure]
            ),
            "value": np.concatenate([matrix.ravel() for _, _, matrix in cells]),
            "n_test": n_test,
        }
    )
    return Warehouse.of(frame, list(by_measure), datasets=datasets, candidates=names, **more)


def _names(codes: np.ndarray, names: Sequence[str]) -> pd.Categorical:
    return pd.Categorical.from_codes(codes.astype(np.int64), pd.Index(list(names), dtype="str"))


def warehouse_of_rows(
    rows: Iterable[tuple[object, ...]], measures: Sequence[Measure] = (Measure("m"),), **more: Any
) -> Warehouse:
    """Return a warehouse of rows that have the `COLUMNS`; `more` is what else it may hold."""
    return Warehouse.of(pd.DataFrame(rows, columns=COLUMNS), measures, **more)


def make_warehouse(
    values: ArrayLike | Mapping[str, ArrayLike],
    candidates: str = "abcdefgh",
    better: Better = "smaller",
    problem: Problem | None = None,
) -> Warehouse:
    """Return the warehouse of one data set, its candidates being letters.

    `values` has one row a replication and one column a candidate, for one
    measure named "error" or by measure; a value that is not a number stands
    for a failed fit.
    """
    by_measure = values if isinstance(values, Mapping) else {"error": values}
    matrices = {Measure(m, better): np.asarray(v, float) for m, v in by_measure.items()}
    k = next(iter(matrices.values())).shape[1]
    return warehouse_of(matrices, candidates[:k], problem=problem)


# ------------------------------------------------------------------------------------ reports


def placeholder(name: str, measure: str = "") -> Figure:
    """Return a figure without a drawing."""
    return Figure(name, measure, "", Series((), ()), SVG, SVG)


class Undrawn(Canvas):
    """A canvas that keeps the data and words of a figure and draws nothing."""

    def _drawn(
        self, name: str, measure: str, draw: Any, alt: str, data: Series, n_marks: int, **more: Any
    ) -> Figure:
        return Figure(name, measure, alt, data, SVG, SVG)


@cache
def _blank() -> Figure:
    """Return a figure of nothing, with its files for other documents."""

    def draw(sheet: Any) -> None:
        sheet.begin(72)
        sheet.page().text(10, 10, "a")

    canvas = Canvas.of(["a"], 1, "blank", has_pictures=True)
    return canvas.figure("", "", draw, alt="", data=Series((), ()))


@contextmanager
def blank_figures() -> Iterator[None]:
    """Keep the data and words of figures in this process, and have a blank in place of each."""
    blank = _blank()

    def drawn(canvas: Canvas, *of: Any, **_named: Any) -> Figure:
        name, measure, _, alt, data, *_ = of
        if canvas.media == "none":
            return Figure(name, measure, alt, data, screen="", print="")
        pictures = blank.pictures if canvas.has_pictures else {}
        return Figure(name, measure, alt, data, SVG, blank.print, pictures=pictures)

    with patch.object(Canvas, "_drawn", drawn):
        yield


@dataclass(frozen=True)
class Partly(Undrawn):
    """A canvas that draws one figure only."""

    name: str = ""

    def _drawn(
        self, name: str, measure: str, draw: Any, alt: str, data: Series, n_marks: int, **more: Any
    ) -> Figure:
        kind = Canvas if name == self.name else Undrawn
        return kind._drawn(self, name, measure, draw, alt, data, n_marks, **more)


def report_with(
    warehouse: Warehouse, *contents: SectionContent, n_replications: int = 12, **design: Any
) -> Report:
    """Return a report of these contents; `design` is what is special about the experiment."""
    usual = {
        "datasets": tuple(DatasetDesign(d, n_replications, 0) for d in warehouse.datasets),
        "candidates": warehouse.candidates,
        "descriptions": {},
        "measures": warehouse.measures,
        "problem": None,
        "resampling": {},
        "seed": 7,
        "alpha": 0.05,
        "relevance": {},
        "n_values": 1,
        "n_missing": 0,
    }
    origin = Provenance("2025-11-01", "reportgen run", {}, "", "", {})
    return Report(StudyInfo("made-up", "Made up"), Design(**{**usual, **design}), contents, origin)


# ------------------------------------------------------------------------ files of results


def gapped_results(file: Path) -> Path:
    """Write 15 candidates on 8 data sets, 30 replications, of which a tenth of the values lack.

    Candidates differ in level, data sets in difficulty and in what suits whom; times differ by
    three orders of magnitude. Seed 15.
    """
    rng = np.random.default_rng(15)
    n_sets, n_candidates, n_replications = 8, 15, 30
    level = np.linspace(0.12, 0.24, n_candidates)
    hardness = rng.uniform(0.0, 0.3, n_sets)
    affinity = rng.normal(0.0, 0.025, (n_sets, n_candidates))
    rows = []
    for s, r, k in np.ndindex(n_sets, n_replications, n_candidates):
        if rng.random() < 0.1:
            continue
        error = level[k] + hardness[s] + affinity[s, k] + rng.normal(0.0, 0.02)
        time = 10 ** (-2.5 + 3 * ((7 * k) % n_candidates) / n_candidates + rng.normal(0.0, 0.05))
        rows += [(f"set {s + 1}", r + 1, f"method {k + 1}", "misclassification", error)]
        rows += [(f"set {s + 1}", r + 1, f"method {k + 1}", "fit-time", time)]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
    return file


def few_results(file: Path) -> Path:
    """Write two candidates on one data set in five replications. Seed 2."""
    rng = np.random.default_rng(2)
    base = rng.normal(0.2, 0.02, 5)
    values = {"old": base + rng.normal(0.03, 0.01, 5), "new": base}
    rows = [
        ("trial", r + 1, name, "misclassification", x)
        for name, column in values.items()
        for r, x in enumerate(column)
    ]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
    return file


def pair_results(file: Path) -> Path:
    """Write errors and times of two candidates on one data set in 30 replications. Seed 3."""
    return _timed_results(file, 2, 30, 3)


def brief_results(file: Path) -> Path:
    """Write errors and times of five candidates on one data set in six replications. Seed 4."""
    return _timed_results(file, 5, 6, 4)


def _timed_results(file: Path, n_candidates: int, n_replications: int, seed: int) -> Path:
    rng = np.random.default_rng(seed)
    base = rng.normal(0.2, 0.02, n_replications)
    rows = []
    for k in range(n_candidates):
        errors = base + rng.normal(0.012 * k, 0.012, n_replications)
        times = 10 ** (0.4 * k - 1 + rng.normal(0.0, 0.05, n_replications))
        for r, (error, time) in enumerate(zip(errors, times, strict=True)):
            rows.append(("trial", r + 1, f"method {k + 1}", "misclassification", error))
            rows.append(("trial", r + 1, f"method {k + 1}", "fit-time", time))
    pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
    return file


def single_results(file: Path) -> Path:
    """Write five candidates on 20 data sets, one value a cell. Seed 20."""
    rng = np.random.default_rng(20)
    level, hardness = np.array([0.10, 0.11, 0.14, 0.18, 0.18]), rng.uniform(0.0, 0.4, 20)
    names = ("forest", "boosting", "kernel", "tree", "linear")
    rows = [
        (f"task {s + 1}", 1, name, "misclassification", hardness[s] + level[k] + noise)
        for s in range(20)
        for k, (name, noise) in enumerate(zip(names, rng.normal(0.0, 0.02, 5), strict=True))
    ]
    pd.DataFrame(rows, columns=COLUMNS).to_csv(file, index=False)
    return file


def timed_single_results(file: Path) -> Path:
    """Write the same with times, and without a tenth of the values. Seed 21."""
    frame = pd.read_csv(single_results(file))
    rng = np.random.default_rng(21)
    times = frame.assign(measure="fit-time", value=10 ** rng.normal(0.0, 0.5, len(frame)))
    both = pd.concat([frame[rng.random(len(frame)) > 0.1], times])
    both.to_csv(file, index=False)
    return file
