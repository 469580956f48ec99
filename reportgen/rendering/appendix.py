"""Tables of the appendix: what failed, what was warned of, what was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from reportgen.document import Column, Design, Table
from reportgen.incidents import Chosen

MOST_ROWS = 60  # of a table; all are in results.json

CANDIDATE = Column("candidate", "Candidate", "candidate")
DATASETS = Column("datasets", "Data set", "datasets")
FITS = Column("count", "Fits", "count")

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of the appendix.

    Attributes
    ----------
    table : Table
    n_left_out : int
        Rows that are too many; those with the most fits are kept.
    """

    table: Table
    n_left_out: int = 0


def appendix_tables(design: Design) -> tuple[Listing, Listing, Listing]:
    """Return the tables of failures, warnings and choices; those without rows are not shown."""
    return _failures(design), _warnings(design), _choices(design)


def _failures(design: Design) -> Listing:
    columns = (
        Column("stage", "Stage", "text"),
        Column("status", "Status", "text"),
        Column("message", "Reason", "text"),
    )
    rows = (
        (
            f.candidate,
            f.dataset,
            f.stage,
            None if f.stage == "measure" else f.status,  # the fit itself went well
            f.message,
            f.count,
        )
        for f in design.failures
    )
    return _listing(design, "failures", columns, rows)


def _warnings(design: Design) -> Listing:
    columns = (Column("message", "Warning", "text"),)
    rows = ((w.candidate, w.dataset, w.message, w.count) for w in design.warnings)
    return _listing(design, "warnings", columns, rows)


def _choices(design: Design) -> Listing:
    columns = (
        CANDIDATE,
        Column("parameter", "Hyperparameter", "text"),
        Column("dataset", "Data set", "dataset"),
        Column("mode", "Most often", "setting"),
        Column("count", "Fits", "count"),
        Column("n", "of", "count"),
        Column("least", "Least", "setting"),
        Column("median", "Median", "setting"),
        Column("greatest", "Greatest", "setting"),
    )
    names = [column.name for column in columns]
    rows = [
        tuple(None if name == "count" and c.mode is None else getattr(c, name) for name in names)
        for c in _by_parameter(design)
    ]
    table = Table("choices", "", columns, tuple(rows[:MOST_ROWS]), is_wide=True)
    return Listing(_lean(design, table), max(0, len(rows) - MOST_ROWS))


def _by_parameter(design: Design) -> list[Chosen]:
    """Put the data sets of each hyperparameter beside one another."""
    groups: dict[tuple[str, str], list[Chosen]] = {}
    for chosen in sorted(design.choices, key=lambda c: _place(design, c.candidate)):
        groups.setdefault((chosen.candidate, chosen.parameter), []).append(chosen)
    return list(chain.from_iterable(groups.values()))


def _place(design: Design, candidate: str) -> int:
    known = design.candidates
    return known.index(candidate) if candidate in known else len(known)


def _listing(design: Design, name: str, columns: Sequence[Column], rows: Iterable[Row]) -> Listing:
    """Put the data sets with the same message into one row, candidate by candidate."""
    merged: dict[Row, tuple[list[str], int]] = {}
    for candidate, dataset, *texts, count in rows:
        names, n_fits = merged.get((candidate, *texts), ([], 0))
        merged[candidate, *texts] = ([*names, dataset], n_fits + count)
    listed = [
        (candidate, tuple(names), *texts, n_fits)
        for (candidate, *texts), (names, n_fits) in merged.items()
    ]
    most = sorted(listed, key=lambda row: -row[-1])[:MOST_ROWS]
    most.sort(key=lambda row: _place(design, row[0]))
    table = Table(name, "", (CANDIDATE, DATASETS, *columns, FITS), tuple(most), is_wide=True)
    return Listing(_lean(design, table), len(listed) - len(most))


def _lean(design: Design, table: Table) -> Table:
    """Leave out the data set where there is only one, and columns that hold nothing."""
    kept = [
        i
        for i, column in enumerate(table.columns)
        if any(row[i] is not None for row in table.rows)
        and (len(design.datasets) > 1 or column.kind not in ("dataset", "datasets"))
    ]
    columns = tuple(table.columns[i] for i in kept)
    return replace(
        table, columns=columns, rows=tuple(tuple(row[i] for i in kept) for row in table.rows)
    )
