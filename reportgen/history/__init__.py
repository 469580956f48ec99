"""The runs of a study over time: `reportgen history`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.errors import StudyError
from reportgen.file_writing import write_text

if TYPE_CHECKING:
    from reportgen.api.study import BenchmarkStudy
    from reportgen.history.entries import Addition
    from reportgen.history.result import History

FILE = "history.parquet"
REPORT = "history.html"
SUMMARY = "history.md"
NUMBERS = "history.json"
SCHEMA_VERSION = 1
"""Of the JSON of a history."""


def add(
    run: str | os.PathLike[str] | BenchmarkStudy,
    file: str | os.PathLike[str] = FILE,
    *,
    reference: str | None = None,
    date: str = "",
) -> Addition:
    """Append a run to a history, unless it is there: identical values add nothing.

    `run`: as of `reportgen.diff`; it has values.
    `file`: made where it is missing, replaced as a whole.
    `reference`: the candidate that others are compared with; that of the earlier runs, of the
    analysis, or the first when left out.
    `date`: of the run, ISO 8601; that of its provenance when empty.
    Raises StudyError if there is no run with values, or no such candidate.

    Examples
    --------
    >>> import numpy as np, reportgen, tempfile
    >>> from reportgen import history
    >>> rng = np.random.default_rng(1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for night in range(3):
    ...         values = {"main": rng.normal(0.3, 0.01, 20), "new": rng.normal(0.2, 0.01, 20)}
    ...         study = reportgen.compare(values, measure="misclassification")
    ...         added = history.add(study, f"{folder}/history.parquet")
    ...     found = history.read(f"{folder}/history.parquet")
    >>> added.n_runs, [s.candidate for s in found.series], found.alarmed
    (3, ['new'], ())
    """
    from reportgen.difference.reading import open_run
    from reportgen.history.entries import add_run

    study = open_run(os.fspath(run)) if isinstance(run, str | os.PathLike) else run
    if isinstance(study, dict):
        raise StudyError(f"{run}: found results without values; allowed a run that has them")
    return add_run(study, Path(file), reference=reference, date=date)


def read(
    file: str | os.PathLike[str] = FILE,
    *,
    measures: Sequence[str] = (),
    alpha: float | None = None,
    since: str = "",
    block: int = 1,
) -> History:
    """Read a history, and follow its series.

    `measures`: only these; all when left out.
    `alpha`: probability that there is ever a false alarm, in any series; 0.05 when left out.
    `since`: only runs of this date or later, ISO 8601.
    `block`: alarms follow the means of so many runs in a row, where runs depend on those before.
    """
    from reportgen.history.analysis import ALPHA, analyse
    from reportgen.history.entries import read_history

    rows = read_history(Path(file))
    level = ALPHA if alpha is None else alpha
    return analyse(rows, measures=measures, alpha=level, since=since, block=block)


def report(history: History, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write a page, a summary in Markdown and the numbers of a history.

    `folder`: made where it is missing.
    """
    from reportgen.drawing import Canvas
    from reportgen.history.figures import draw
    from reportgen.history.tables import tabulate
    from reportgen.rendering.document import Document, render_document
    from reportgen.rendering.results_json import format_json, plain

    document = Document(
        "history",
        history,
        history.candidates,
        history.measures,
        history.runs[-1].date,
        draw(history, Canvas.of(history.candidates, 1, "history")),
        tabulate(history),
    )
    numbers = {"schema_version": SCHEMA_VERSION, **plain(history)}
    texts = {
        REPORT: render_document(document, "html"),
        SUMMARY: render_document(document, "md"),
        NUMBERS: format_json(numbers) + "\n",
    }
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_text(place / name, text)
    return tuple(place / name for name in texts)


def export_bencher(file: str | os.PathLike[str] = FILE) -> dict[str, Any]:
    """Return the last run of a history as Bencher's metric format.

    Result: `{benchmark: {measure: {"value": …, "lower_value": …, "upper_value": …}}}`, a benchmark
    being a data set and a candidate: "monks3/svm". Values are means, geometric ones of what is
    compared by ratio, with their 95% intervals.
    """
    from reportgen.history.entries import read_history

    rows = read_history(Path(file))
    found: dict[str, Any] = {}
    for row in rows[rows["run"] == rows["run"].iloc[-1]].to_dict(orient="records"):
        own = {
            name: float(row[key])
            for name, key in (
                ("value", "value"),
                ("lower_value", "lower"),
                ("upper_value", "upper"),
            )
            if isfinite(row[key])
        }
        found.setdefault(f"{row['dataset']}/{row['candidate']}", {})[row["measure"]] = own
    return found
