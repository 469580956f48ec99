"""Tables of the appendix and of the design section.

`appendix_tables` lists failures, warnings and chosen hyperparameters; `gaps_table` counts missing
values; `values_tables` has the values themselves, where there is one a cell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from math import isfinite
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.fit_issues import HyperparameterChoice
from reportgen.notation import number_format
from reportgen.report import (
    CANDIDATE,
    DATASET,
    DatasetDesign,
    Design,
    Report,
    Table,
    fitting_columns,
)
from reportgen.stats.columns import Column

MOST_ROWS = 60  # of a table; all are in results.json
MOST_GAP_ROWS = 30  # data sets with the most missing values; all are in results.json
MOST_COLUMNS = 10  # candidates with a column of their own; more are listed in one

DATASETS = Column("datasets", "Data set", "datasets")
FITS = Column("count", "Fits", "count")

LEAST_CHARACTERS = 6  # of a number

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of the appendix."""

    table: Table
    n_left_out: int = 0  # rows that are too many; those with the most fits are kept


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
        DATASET,
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
    return Listing(_without_empty_columns(design, table), max(0, len(rows) - MOST_ROWS))


def _by_parameter(design: Design) -> list[HyperparameterChoice]:
    """Group the choices by candidate and hyperparameter."""
    groups: dict[tuple[str, str], list[HyperparameterChoice]] = {}
    for chosen in sorted(design.choices, key=lambda c: _candidate_rank(design, c.candidate)):
        groups.setdefault((chosen.candidate, chosen.parameter), []).append(chosen)
    return list(chain.from_iterable(groups.values()))


def _candidate_rank(design: Design, candidate: str) -> int:
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
    most.sort(key=lambda row: _candidate_rank(design, row[0]))
    table = Table(name, "", (CANDIDATE, DATASETS, *columns, FITS), tuple(most), is_wide=True)
    return Listing(_without_empty_columns(design, table), len(listed) - len(most))


def _without_empty_columns(design: Design, table: Table) -> Table:
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


def gaps_table(design: Design) -> Listing:
    """Count missing values by candidate and, where there are several, by data set.

    Result: of the table "gaps", whose rows are data sets with missing values; of one data set, its
    candidates with missing values.
    """
    incomplete = [dataset for dataset in design.datasets if dataset.missing]
    if len(design.datasets) == 1:
        return Listing(_gaps_of_candidates(design))
    most = sorted(incomplete, key=lambda d: -d.n_missing)[:MOST_GAP_ROWS]
    shown = [dataset for dataset in incomplete if dataset in most]
    return Listing(_gaps_of_datasets(design, shown), len(incomplete) - len(shown))


def _gaps_of_candidates(design: Design) -> Table:
    """One row a candidate with missing values."""
    (dataset,) = design.datasets
    n_cells = dataset.n_replications * len(design.measures)
    columns = (
        CANDIDATE,
        Column("n_missing", "Missing values", "count"),
        Column("n_values", "of", "count"),
    )
    rows = tuple((name, count, n_cells) for name, count in dataset.missing.items())
    return Table("gaps", "", columns, rows)


def _gaps_of_datasets(design: Design, datasets: list[DatasetDesign]) -> Table:
    """One row a data set, one column a candidate with missing values, or all in one."""
    names = [name for name in design.candidates if any(name in d.missing for d in datasets)]
    is_split = len(names) <= MOST_COLUMNS
    split = tuple(Column(f"candidate_{i}", name, "count") for i, name in enumerate(names))
    columns = (
        DATASET,
        Column("n_incomplete", "Incomplete replications", "count"),
        Column("n_replications", "of", "count"),
        *(split if is_split else (Column("candidates", "Missing values", "text"),)),
    )
    rows = tuple(
        (
            d.name,
            d.n_incomplete,
            d.n_replications,
            *([d.missing.get(name) for name in names] if is_split else [_missing_text(d)]),
        )
        for d in datasets
    )
    return Table("gaps", "", columns, rows, is_wide=is_split and len(names) > 4)


def _missing_text(dataset: DatasetDesign) -> str:
    """Write the candidates with the most missing values, and how many more there are."""
    counts = sorted(dataset.missing.items(), key=lambda item: -item[1])
    texts = [f"{name}:\u00a0{count}" for name, count in counts[:MOST_COLUMNS]]
    more = len(counts) - len(texts)
    return ", ".join([*texts, *([f"+\u00a0{more}"] if more else [])])


def values_tables(report: Report) -> Iterator[Table]:
    """Yield the values of each measure that no table of the article shows whole.

    One row a data set, one column a candidate; as many tables as the page's width needs.
    """
    candidates = report.design.candidates
    widest = max(LEAST_CHARACTERS, *map(len, candidates))
    n = fitting_columns(widest, max(len(d.name) for d in report.design.datasets))
    n, n_placed = min(max(n, 1), MOST_COLUMNS), 0
    for measure in report.design.measures:
        found = [p for p in report.performances if p.measure.name == measure.name]
        if any(_has_all_values(table, report) for table in _tables(report, measure.name)):
            continue
        means = {
            p.dataset: {
                name: float(x)
                for name, x in zip(p.candidates, p.values[0], strict=True)
                if isfinite(x)
            }
            for p in found
            if len(p.values)
        }
        at = number_format(measure, [x for row in means.values() for x in row.values()])
        extreme = min if measure.is_smaller_better else max
        best = [extreme(row.values(), default=None) for row in means.values()]
        for first in range(0, len(candidates), n):
            names = candidates[first : first + n]
            columns = (
                DATASET,
                *(Column(name, name, "value", candidate=name) for name in names),
            )
            rows = tuple((d, *map(row.get, names)) for d, row in means.items())
            marked = frozenset(
                (i, name)
                for i, row in enumerate(means.values())
                for name in names
                if name in row and row[name] == best[i]
            )
            n_placed += 1
            yield Table(
                f"values-{n_placed}", measure.name, columns, rows, at, is_wide=True, marked=marked
            )


def _tables(report: Report, measure: str) -> Iterator[Table]:
    """Yield the tables of values by data set that sections place in the article."""
    for content in report.contents:
        if content.dataset is None:
            yield from (t for t in content.tables if (t.name, t.measure) == ("datasets", measure))


def _has_all_values(table: Table, report: Report) -> bool:
    whose = {column.candidate for column in table.columns}
    is_wide_enough = whose >= set(report.design.candidates)
    return is_wide_enough and len(table.rows) == len(report.design.datasets)
