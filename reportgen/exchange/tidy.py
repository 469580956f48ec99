"""Results of other tools in tidy tables, CSV or Parquet."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import floor
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.errors import ExchangeError
from reportgen.exchange.characteristics import read_characteristics
from reportgen.exchange.checks import SLACK, check_bounds, check_duplicates
from reportgen.exchange.fits import categorical, tidy_frame
from reportgen.exchange.formats import find_format
from reportgen.exchange.layout import Layout, choose_measures, find_layout
from reportgen.exchange.opening import read_table
from reportgen.exchange.own_table import read_own_table
from reportgen.exchange.remarks import of_fits, of_lost_fits, with_decisions
from reportgen.exchange.settings import read_settings
from reportgen.exchange.table import MOST_WHOLE, Labels, RawTable
from reportgen.exchange.wide import wide_frame
from reportgen.study.faults import listed, nearest, shown
from reportgen.study.manifest import Study
from reportgen.study.names import warn_of_likeness
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Measure, Problem, Status, Warehouse

SIZES = ("n_learn", "n_distinct", "n_test")

log = logging.getLogger(__name__)


def study_results(study: Study) -> Warehouse:
    """Read the results that a study names in place of a setup.

    Raises
    ------
    ExchangeError
        If the file does not hold what the manifest says.
    StudyError
        If `analysis` names a candidate or a measure that the results have not.
    """
    entry = study.results
    if entry is None:
        raise ExchangeError(f"{study.path}: found a setup; allowed results")
    if entry.table is not None:
        return read_own_table(study.folder / entry.table, entry.label)
    columns = entry.columns.model_dump(exclude_none=True)
    warehouse = read_results(
        study.folder / entry.path,
        columns=columns,
        measures=study.measures,
        problem=entry.problem,
        resampling=entry.resampling.model_dump(exclude_none=True) if entry.resampling else {},
        n=entry.n,
        wide=entry.wide is not None,
        kind=entry.format,
        item=entry.object or "",
    )
    study.check_names([m.name for m in warehouse.measures], warehouse.candidates)
    if entry.settings is not None:
        facts = read_settings(study.folder / entry.settings, warehouse, study.name, columns)
        warehouse = replace(warehouse, facts=facts)
    if entry.characteristics is None:
        return warehouse
    found = read_characteristics(study.folder / entry.characteristics, warehouse, columns)
    return replace(warehouse, characteristics=found)


def read_results(
    path: Path,
    *,
    columns: Mapping[str, str] | None = None,
    measures: Sequence[MeasureEntry] = (),
    problem: Problem | None = None,
    resampling: Mapping[str, object] | None = None,
    n: Mapping[str, int] | None = None,
    wide: bool = False,
    known: Mapping[str, Measure] | None = None,
    kind: str | None = None,
    item: str = "",
) -> Warehouse:
    """Read a table of results: a tidy one, or one that a known program has written.

    A tidy table has one row a value, or one row a fit with a column a measure.

    Parameters
    ----------
    path : Path
        Any file that `opening` knows, or a folder. Tidy tables have the
        columns dataset, replication, candidate, measure, value. Candidates may
        also be called algorithm, learner, method or estimator. Without a
        dataset the file's stem is the data set; without a measure every column
        of numbers is one.
    columns : mapping of str to str, optional
        The file's column by our name for it, where it is another.
    measures : sequence of MeasureEntry, optional
        The measures to take, in this order; all when left out.
    problem : str, optional
        simulation, competition or real-world.
    resampling : mapping, optional
        The scheme and its options as in a manifest.
    n : mapping of str to int, optional
        Number N of observations of a data set. With the scheme it gives the
        sizes of the samples: expected ones for the bootstrap,
        N (1 - (1 - 1/N)^N) distinct observations to learn from.
    wide : bool
        Whether the table has a row a data set (and replication) and a column a
        candidate instead; `measures` then names its one measure.
    known : mapping of str to Measure, optional
        What is known of measures beside the file and the catalogue.
    kind : str, optional
        "tidy", or the name of a program's format; found out when None, and tidy
        where `columns` says what the columns are.
    item : str
        The object, of a file that R has written.

    Returns
    -------
    Warehouse

    Raises
    ------
    ExchangeError
        If anything in the file cannot be understood; the text names the row
        (the header is row 1), the column, what was found and what is allowed.
    """
    table = read_table(path, item)
    table = replace(table, known={**table.known, **(known or {})}, told=columns or {})
    failures = remarks = None
    if wide:
        frame, measure = wide_frame(table, columns or {}, measures)
        layout = Layout({"value": "", "measure": ""}, {measure.name: measure})
    elif program := find_format(table, kind or ("tidy" if columns else None)):
        table = replace(table, program=program.program)
        fits = program.read(table)
        table = replace(table, known={**fits.known, **table.known})
        labels = [part.name for part in fits.parts]
        layout = Layout({}, choose_measures(table, labels, measures, "column"))
        frame, failures = tidy_frame(fits, layout.measures), fits.failures
        check_duplicates(table, frame, ["dataset", "replication", "candidate", "measure"])
    else:
        layout = find_layout(table, columns or {}, measures)
        frame = _tidy_frame(table, layout) if layout.is_tidy else _fit_frame(table, layout)
        failures = of_lost_fits(table.failures, frame)
        remarks = of_fits(table.remarks, frame)
    if not frame["value"].notna().any():
        raise table.error("no value at all", "numbers")
    for measure in layout.measures.values():
        check_bounds(table, layout, frame, measure)
    frame = _with_sizes(table, frame, resampling or {}, n or {})
    for kind, key in (("data sets", "dataset"), ("candidates", "candidate")):
        warn_of_likeness(str(table.path), kind, map(str, frame[key].unique()))
    return Warehouse.of(
        frame.drop(columns="row"),
        layout.measures.values(),
        failures=failures,
        remarks=with_decisions(remarks, table.decided, frame),
        problem=problem,
        resampling=resampling,
    )


def _tidy_frame(table: RawTable, layout: Layout) -> pd.DataFrame:
    """Lay out a table that names the measure in a column."""
    labels = table.labels(layout.columns["measure"])
    names = tuple(m.name for m in layout.measures.values())
    position = {label: i for i, label in enumerate(layout.measures)}
    codes = np.array([position.get(name, -1) for name in labels.names], np.int64)[labels.codes]
    rows = np.flatnonzero(codes >= 0)
    keys = _keys(table, layout, labels)
    frame = keys.iloc[rows].assign(
        measure=categorical(Labels(names, codes[rows])),
        value=table.numbers(layout.columns["value"])[rows],
    )
    check_duplicates(table, frame, ["dataset", "replication", "candidate", "measure"])
    return frame


def _fit_frame(table: RawTable, layout: Layout) -> pd.DataFrame:
    """Lay out a table that has a column a measure."""
    keys = _keys(table, layout, None)
    check_duplicates(table, keys, ["dataset", "replication", "candidate"])
    names = tuple(m.name for m in layout.measures.values())
    parts = [
        keys.assign(
            measure=categorical(Labels(names, np.full(table.n_rows, i, np.int64))),
            value=table.numbers(column),
        )
        for i, column in enumerate(layout.measures)
    ]
    return pd.concat(parts, ignore_index=True)


def _keys(table: RawTable, layout: Layout, measure: Labels | None) -> pd.DataFrame:
    """Return all columns but measure and value, and the number of each row from 0."""
    columns = layout.columns
    candidates = table.labels(columns["candidate"])
    if "dataset" in columns:
        datasets = table.labels(columns["dataset"])
    else:
        datasets = Labels((table.path.stem,), np.zeros(table.n_rows, np.int64))
    if "replication" in columns:
        replications = _replications(table, columns["replication"])
    else:
        replications = _counted(table, datasets, candidates, measure)
    frame = pd.DataFrame(
        {
            "dataset": categorical(datasets),
            "replication": replications,
            "candidate": categorical(candidates),
            "row": np.arange(table.n_rows),
        }
    )
    for name in SIZES:
        if name in columns:
            frame[name] = table.numbers(columns[name])
    if "status" in columns:
        frame["status"] = categorical(_statuses(table, columns["status"]))
    return frame


def _replications(table: RawTable, column: str) -> NDArray[np.int64]:
    """Read whole numbers; or number labels such as "fold a" in the order of their appearance."""
    labels = table.labels(column)
    numbers = [_whole(name) for name in labels.names]
    if all(number is None for number in numbers):
        log.info("%s: the replications are numbered in their order", table.path)
        table.decided.append(("numbered-replications", column))
        return labels.codes.astype(np.int64) + 1
    if None in numbers:
        row = int(np.argmax(labels.codes == numbers.index(None)))
        raise table.error(shown(labels.of(row)), "a whole number", row=row, column=column)
    return np.asarray(np.array(numbers, np.int64)[labels.codes])


def _whole(text: str) -> int | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() and abs(number) < MOST_WHOLE else None


def _counted(
    table: RawTable, datasets: Labels, candidates: Labels, measure: Labels | None
) -> NDArray[np.int64]:
    """Take the rows of each data set, candidate and measure as replications, in their order.

    The first rows of two candidates then make the first block: this needs as
    many rows of each.
    """
    key = datasets.codes.astype(np.int64) * len(candidates.names) + candidates.codes
    if measure is not None:
        key = key * len(measure.names) + measure.codes
    numbers = np.asarray(pd.Series(key).groupby(key).cumcount(), np.int64) + 1
    counts = pd.Series(numbers).groupby(key).max()
    owner = pd.Series(datasets.codes).groupby(key).first()
    for code, of_dataset in counts.groupby(owner):
        if of_dataset.nunique() > 1:
            raise table.error(
                f"no column replication, and between {of_dataset.min()} and {of_dataset.max()} "
                f"rows a candidate of the data set {shown(datasets.names[int(str(code))])}",
                "a column replication, or as many rows of every candidate, in the order of the "
                "replications",
            )
    log.info(
        "%s: no column replication: the rows of every candidate are taken as replications "
        "1 to %d in their order, and compared as pairs",
        table.path,
        numbers.max(),
    )
    table.decided.append(("counted-replications", str(numbers.max())))
    return numbers


def _statuses(table: RawTable, column: str) -> Labels:
    labels = table.labels(column)
    allowed = get_args(Status)
    for code, name in enumerate(labels.names):
        if name not in allowed:
            row = int(np.argmax(labels.codes == code))
            near = nearest(name, allowed)
            question = f"; did you mean {near}?" if near else ""
            raise table.error(shown(name), f"{listed(allowed)}{question}", row=row, column=column)
    return labels


def _with_sizes(
    table: RawTable, frame: pd.DataFrame, resampling: Mapping[str, object], n: Mapping[str, int]
) -> pd.DataFrame:
    """Add the samples' sizes that follow from N and the scheme, where the file has none."""
    datasets = list(dict.fromkeys(frame["dataset"]))
    for name in n:
        if name not in datasets:
            near = nearest(name, datasets)
            question = f"; did you mean {near}?" if near else ""
            raise table.error(f"no data set {shown(name)} for n", f"{listed(datasets)}{question}")
    known = {name: sizes for name, size in n.items() if (sizes := expected_sizes(resampling, size))}
    added = {
        column: frame["dataset"]
        .map({name: sizes[i] for name, sizes in known.items()})
        .astype(float)
        for i, column in enumerate(SIZES)
        if known and column not in frame
    }
    return frame.assign(**added)


def expected_sizes(resampling: Mapping[str, object], n: int) -> tuple[float, float, float] | None:
    """Return the sizes of learning sample, its distinct part, and test sample.

    Parameters
    ----------
    resampling : mapping
        `scheme`, and `fraction` of subsampling.
    n : int
        Number of observations.

    Returns
    -------
    tuple of three floats or None
        Expectations for the bootstrap; None for a scheme without such a rule.

    Examples
    --------
    >>> expected_sizes({"scheme": "bootstrap"}, 2)
    (2.0, 1.5, 0.5)
    >>> expected_sizes({"scheme": "subsampling", "fraction": 0.5}, 101)
    (50.0, 50.0, 51.0)
    """
    scheme = resampling.get("scheme")
    if scheme == "bootstrap":
        distinct = n * (1 - (1 - 1 / n) ** n)
        return float(n), distinct, n - distinct
    if scheme == "subsampling":
        fraction = resampling.get("fraction")
        drawn = floor((fraction if isinstance(fraction, float) else 2 / 3) * n + SLACK)
        return float(drawn), float(drawn), float(n - drawn)
    return None
