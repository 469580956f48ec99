"""Tidy tables of results: read, checked, and put into a warehouse.

A tidy table has a row for each data set, replication, candidate and measure. With the
performances come failures, remarks, and the account of how the file was read.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field, replace
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.blank_cells import without_nameless_sums
from reportgen.exchange.cells import BESIDE, SpreadKind
from reportgen.exchange.columns import (
    DirectionError,
    Layout,
    choose_measures,
    entry_of,
    find_layout,
    has_whole_numbers,
    own_name,
    refuse_leaderboard,
    refuse_measures_of_datasets,
    refuse_numbered,
    wanted_columns,
)
from reportgen.exchange.compound_names import (
    with_compound_names,
    with_measure_alone,
    with_measures_apart,
    with_replications_in_rows,
)
from reportgen.exchange.design_tables import read_characteristics, read_settings
from reportgen.exchange.factors import SPLITS, Factors, factors_of
from reportgen.exchange.families import asks_for_families, with_families, without_families
from reportgen.exchange.files import read_table
from reportgen.exchange.items import read_items
from reportgen.exchange.known_names import swapped
from reportgen.exchange.odd_values import note_odd_values
from reportgen.exchange.own_names import refuse_other_exports, with_our_names
from reportgen.exchange.plausibility import Drawn, checked_resampling, sample_sizes
from reportgen.exchange.processes import PROCESS, by_process, refuse_second_runs
from reportgen.exchange.quantities import (
    with_marks,
    with_marks_bounded,
    with_per_cent,
    with_plain_quantities,
)
from reportgen.exchange.readers import find_format
from reportgen.exchange.readers.fits import Fits, Format, categorical, tidy_frame
from reportgen.exchange.replications import coordinates, count_rows, replications
from reportgen.exchange.roles import (
    DATASETS,
    Roles,
    Shape,
    complete,
    find_roles,
    is_known,
    is_of_items,
    refuse_nested,
    shape_of,
)
from reportgen.exchange.spellings import with_one_spelling
from reportgen.exchange.spreads import read_summaries, with_spreads
from reportgen.exchange.statuses import (
    check_outcomes,
    outcome_in,
    read_statuses,
    with_outcomes,
    without_retried,
)
from reportgen.exchange.summary_rows import without_summaries, without_summing_candidates
from reportgen.exchange.table import (
    Columns,
    Labels,
    RawTable,
    RowsCount,
    cells_of,
    plain_name,
)
from reportgen.exchange.training import one_epoch, refuse_curves
from reportgen.exchange.value_notes import with_value_notes
from reportgen.exchange.wide import (
    read_own_table,
    refuse_no_results,
    refuse_tidy,
    refuse_truth,
    wide_frame,
)
from reportgen.performance_measure import Measure, Problem
from reportgen.stats.arrays import ALLOWED_SIZES, LEAST_SIZE
from reportgen.study.errors import (
    Fault,
    listed,
    measure_name,
    shown,
    suggestion,
    warn_of_likeness,
)
from reportgen.study.given_samples import FixedSample, read_samples
from reportgen.study.manifest import Study
from reportgen.study.schema import MeasureEntry
from reportgen.study.schema.datasets import BattlesEntry, ResultsEntry
from reportgen.study.schema.resampling import FOLDED, ResamplingEntry
from reportgen.units import UnitName, unit_named
from reportgen.warehouse import FAILURE_COLUMNS, REMARK_COLUMNS, SIZES, Warehouse
from reportgen.warehouse.items import ITEM_COLUMNS, ItemTables, by_item
from reportgen.warehouse.rows import row_of_odd_size, second_rows

log = logging.getLogger(__name__)
RUN_NUMBER = re.compile(
    r"(?P<name>.*[^\W_])[\s_./(-]+(seed|fold|run|rep|repeat|trial)[\s_=#-]*(?P<number>\d{1,9})\)?",
    re.IGNORECASE,
)
"""A name of a candidate or data set with the number of one of its runs."""
MOST_NUMBERED = 0.5  # of the names
TINY = float(np.finfo(np.float64).tiny)  # of full precision: a BLEU of 0 in some programs
SLACK = 1e-9  # by which a value may lie outside its bounds: rounding in the other tool
FIT = ["dataset", "replication", "candidate"]
MOST_CANDIDATES = 2_000
FEWEST_IN_COMMON = 2  # candidates of scores and of battles beside them
READING = "reading"
"""Kind of a remark that is not of a fit, but of a decision while a file was read."""
TO_ADD = "better: smaller or better: larger next to its name"


def study_results(
    study: Study, table: RawTable | None = None, known: Mapping[str, Measure] | None = None
) -> Warehouse:
    """Read the results that a study names in place of a setup.

    `table`: the results, where they are not in the file that the study names.
    `known`: what is known of measures in addition to the file and the catalogue.
    Raises ExchangeError if the file does not hold what the manifest names.
    Raises StudyError if `analysis` names a candidate or a measure that the results have not.
    """
    entry = study.results
    if entry is None:
        raise ExchangeError(f"{study.path}: found a setup; allowed results")
    own = _own_results(study, entry, table, known)
    if entry.battles is None:
        return own
    if own.unit.is_contest:
        raise ExchangeError(
            f"{study.path}: found results.battles beside battles; allowed beside scores"
        )
    return replace(own, battles=_battles(study, entry.battles, own))


def _battles(study: Study, entry: BattlesEntry, own: Warehouse) -> Warehouse:
    """Read the battles that a study has beside its results."""
    path = study.folder / entry.file
    columns = entry.columns.model_dump(exclude_none=True)
    found = read_results(path, columns=columns, unit="comparison")
    common = [name for name in own.candidates if name in found.candidates]
    if len(common) < FEWEST_IN_COMMON:
        raise ExchangeError(
            f"{path}: found battles of {shown(', '.join(found.candidates))}; allowed of at least "
            f"two of {shown(', '.join(own.candidates))}"
        )
    return found


def _own_results(
    study: Study,
    entry: ResultsEntry,
    table: RawTable | None,
    known: Mapping[str, Measure] | None,
) -> Warehouse:
    """Read the results themselves."""
    if entry.table is not None:
        return read_own_table(study.folder / entry.table, entry.label)
    columns = entry.columns.model_dump(exclude_none=True)
    if has_families := asks_for_families(entry):
        table = table or read_table(study.folder / entry.path, entry.object or "")
        columns = {**without_families(entry, columns, table)}
    with _asking(study):
        warehouse = _read(study, entry, columns, table, known)
    if has_families and table is not None:
        warehouse = with_families(warehouse, entry, columns, study.folder, table)
    study.check_names([m.name for m in warehouse.measures], warehouse.candidates)
    if entry.settings is not None:
        facts = read_settings(study.folder / entry.settings, warehouse, study.name, columns)
        warehouse = replace(warehouse, facts=facts)
    if entry.characteristics is None:
        return warehouse
    found = read_characteristics(study.folder / entry.characteristics, warehouse, columns)
    return replace(warehouse, characteristics=found)


@contextmanager
def _asking(study: Study) -> Iterator[None]:
    """Point at the measures of a manifest whose direction nobody knows."""
    try:
        yield
    except DirectionError as error:
        faults = [
            Fault(("measures", i), f"{shown(m.name)}, of which nobody knows what is better", TO_ADD)
            for i, m in enumerate(study.measures)
            if m.name in error.names
        ]
        raise (study.source.error(faults) if faults else error) from None


def _read(
    study: Study,
    entry: ResultsEntry,
    columns: Columns,
    table: RawTable | None,
    known: Mapping[str, Measure] | None,
) -> Warehouse:
    """Read the results as in the manifest."""
    return read_results(
        study.folder / entry.path if table is None else table,
        columns=columns,
        measures=study.measures,
        problem=entry.problem,
        replication=entry.replication,
        resampling=entry.resampling.model_dump(exclude_none=True) if entry.resampling else {},
        samples=_samples(study.folder, entry.resampling),
        n=entry.n,
        wide=entry.wide is not None,
        kind=entry.format,
        item=entry.object or "",
        known=known,
        unit=entry.unit,
        epoch=entry.epoch,
        spread=entry.spread,
        n_values=entry.n_values,
        n_processes=entry.processes,
        looks=None if entry.looks is None else entry.looks.model_dump(),
    )


def _samples(folder: Path, entry: ResamplingEntry | None) -> Mapping[str, tuple[FixedSample, ...]]:
    """Read the samples that a manifest gives, if any."""
    if entry is None or entry.file is None:
        return {}
    return read_samples(folder / entry.file, may_overlap=bool(entry.overlap))


def read_results(
    source: Path | RawTable,
    *,
    columns: Columns | None = None,
    replication: RowsCount | Mapping[str, str] | None = None,
    measures: Sequence[MeasureEntry] = (),
    problem: Problem | None = None,
    resampling: Mapping[str, object] | None = None,
    samples: Mapping[str, tuple[FixedSample, ...]] | None = None,
    n: Mapping[str, int] | None = None,
    wide: bool = False,
    known: Mapping[str, Measure] | None = None,
    kind: str | None = None,
    item: str = "",
    unit: UnitName | None = None,
    epoch: str | None = None,
    spread: SpreadKind | None = None,
    n_values: int | None = None,
    n_processes: int | None = None,
    looks: Mapping[str, Any] | None = None,
) -> Warehouse:
    """Read a table of results: a tidy one, or one that a known program has written.

    A tidy table has one row a value, or one row a fit with a column a measure.

    `source`: any file that `read_table` knows, or a folder; or a table. Tidy tables have the
    columns dataset, replication, candidate, measure, value. Candidates may also be called
    algorithm, learner, method or estimator. Without a dataset the file's stem is the data set;
    without a measure every column of numbers is one.
    `columns`: the file's column by our name for it, where it is another; replications may be in
    several.
    `replication`: whether the rows of every candidate are its replications, in their order; or the
    column of each factor that numbers them, by its role: fold, repeat, split, seed, tuning, or
    another source of variation by a name of its own.
    `measures`: the measures to take, in this order; all when left out.
    `problem`: simulation, competition or real-world.
    `resampling`: the scheme and its options as in a manifest.
    `samples`: by data set, where they were given; their sizes are known then.
    `n`: number N of observations of a data set. With the scheme it gives the sizes of the samples:
    expected ones for the bootstrap, N (1 - (1 - 1/N)^N) distinct observations to learn from.
    `wide`: whether the table has a row a data set (and replication) and a column a candidate
    instead; `measures` then names its one measure.
    `known`: what is known of measures in addition to the file and the catalogue.
    `kind`: "tidy", or the name of a program's format; found out when None, and tidy where `columns`
    defines the columns.
    `item`: the object, of a file that R has written.
    `unit`: what a replication is; found out when None: items where the file has such a column.
    `epoch`: which epoch of a training is the result: last, or such as best of val_loss (smaller).
    `spread`: what the spreads of means are; by the names of their columns when None.
    `n_values`: how many values each mean is of, where no column has that.
    `n_processes`: of how many processes the runs of each candidate are, in their order.
    `looks`: after how many battles one looks at them (`at`), and the `rule`, where this was
    planned.
    Raises ExchangeError if anything in the file cannot be understood; the text names the row (the
    header is row 1), the column, what was found and what is allowed.
    """
    table = read_table(source, item) if isinstance(source, Path) else source
    factors = replication if isinstance(replication, Mapping) else {}
    if factors:
        columns = {**(columns or {}), "replication": tuple(factors.values())}
    if unit is None and not table.unit and (n_processes or PROCESS in (columns or {})):
        unit = "sample"
    table = replace(
        table,
        known={**table.known, **(known or {})},
        user_columns=columns or {},
        counts_rows=replication == "rows",
        unit=table.unit if unit is None else unit,
        spread_kind=spread,
        n_values=n_values,
        n_processes=n_processes,
        looks=looks,
    )
    table, shape, measures = _shaped(table, measures, kind, is_wide=wide)
    if shape != "tidy":
        rows = _wide_rows(table, shape, measures)
    elif program := find_format(table, kind or _usual_kind(table, columns)):
        rows = _rows_of_program(program, table, measures)
    else:
        rows = _tidy_rows(table, measures, epoch)
    if looks and not unit_named(rows.table.unit).is_contest:
        raise rows.table.error("looks at what are no battles", "looks with `unit: comparison`")
    return _warehouse(
        _plausible(rows),
        problem=problem,
        resampling=resampling or {},
        factors=factors,
        n=n or {},
        samples=samples or {},
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """A row a value, and what the table has beside the values."""

    table: RawTable
    layout: Layout
    frame: pd.DataFrame
    items: pd.DataFrame | None = None
    failures: pd.DataFrame | None = None
    remarks: pd.DataFrame | None = None
    losses: pd.DataFrame | None = None
    runs: pd.DataFrame | None = None
    characteristics: pd.DataFrame | None = None
    facts: Mapping[str, object] = field(default_factory=dict)  # of every data set
    problem: Problem | None = None  # by the columns that describe the design


def _shaped(
    table: RawTable, measures: Sequence[MeasureEntry], kind: str | None, *, is_wide: bool
) -> tuple[RawTable, Shape, Sequence[MeasureEntry]]:
    """Return a table in one of the known shapes, and the measures it is told to have."""
    refuse_nested(table, {entry.written for entry in measures})
    is_wide = is_wide and not _has_values(table)
    if kind in (None, "tidy"):
        refuse_other_exports(table)
        table = table if is_wide else with_our_names(table)
    is_of_battles = unit_named(table.unit).is_contest
    shape = (
        "tidy" if is_of_battles else shape_of(table, is_wide=is_wide or bool(table.wide_measure))
    )
    if shape == "wide" and (column := _measure_column(table, _only_measure(table, measures))):
        shape = "tidy"  # a column has the measure: the others are no candidates
        measures = measures or (entry_of(column, table.error),)
        table = replace(table, wide_measure="", has_ordered_rows=False)
    table = with_compound_names(table, shape)
    if shape == "wide" and (only := _only_measure(table, measures)):
        table = with_measure_alone(table, only)
    apart = table if is_of_battles else with_measures_apart(table)
    if apart is not table:
        shape = "tidy" if "candidate" in apart.columns else shape
        table = apart
        if not measures and table.wide_measure in map(measure_name, table.columns):
            measures = (entry_of(table.wide_measure, table.error),)
    if shape != "leaderboard" and (only := _only_measure(table, measures)):
        apart = with_replications_in_rows(table, only)
        if apart is not table:
            table, shape, measures = apart, "tidy", measures or (entry_of(only, table.error),)
    table = with_plain_quantities(table, shape)
    refuse_curves(table, shape)
    return table, shape, measures


def _wide_rows(table: RawTable, shape: Shape, measures: Sequence[MeasureEntry]) -> _Rows:
    """Read a table with a column a candidate, or a leaderboard."""
    if shape == "wide":
        refuse_tidy(table)
        refuse_no_results(table)
        _check_number(table, len(table.columns))
    if not measures and table.wide_measure:
        measures = (entry_of(table.wide_measure, table.error),)
    table, roles = _with_roles(with_spreads(table, shape, ()), shape, ())
    refuse_numbered(table, roles, ())
    refuse_measures_of_datasets(table, roles)
    refuse_truth(table, roles)
    frame, measure, items = wide_frame(table, roles, measures)
    _refuse_names_of_measures(table, frame)
    _refuse_swapped(table, roles, frame)
    roles.note(table)
    own = roles.columns("replication")
    layout = Layout({"value": "", "measure": ""}, {measure.name: measure}, own)
    return _Rows(table, layout, frame, items)


def _rows_of_program(program: Format, table: RawTable, measures: Sequence[MeasureEntry]) -> _Rows:
    """Read what a program has written."""
    table, layout, fits = _written_by(program, table, measures)
    frame = tidy_frame(fits, layout.measures)
    check_duplicates(table, frame, ["dataset", "replication", "candidate", "measure"])
    return _Rows(
        replace(table, unit=fits.unit or table.unit),
        layout,
        frame,
        table.items,
        fits.failures,
        losses=fits.losses,
        characteristics=fits.characteristics,
        facts=fits.facts,
    )


def _tidy_rows(table: RawTable, measures: Sequence[MeasureEntry], epoch: str | None) -> _Rows:
    """Read a table with a row a value, or a row a fit."""
    table = with_spreads(table, "tidy", measures)
    table, roles = _with_roles(table, "tidy", wanted_columns(table, measures), epoch)
    joined = with_one_spelling(table, roles, own_name)
    if joined is not table:
        table, roles = joined, find_roles(joined, "tidy", wanted_columns(joined, measures))
    refuse_numbered(table, roles, measures)
    refuse_leaderboard(table, roles, measures)
    told = [m.written for m in measures if m.better is not None or m.unit is not None]
    table, roles = with_value_notes(table, roles, told)
    layout = find_layout(table, roles, measures)
    roles.note(table)
    keys = _keys(table, layout)
    frame = (_tidy_frame if layout.is_tidy else _fit_frame)(table, layout, keys.frame)
    frame, failures = with_outcomes(table, layout.columns.get("status"), frame)
    return _Rows(
        table,
        layout,
        frame,
        table.items if keys.items is None else keys.items,
        of_lost_fits(failures, frame),
        of_fits(table.remarks, frame),
        table.losses,
        problem=None if table.design is None else table.design.problem,
    )


def _plausible(rows: _Rows) -> _Rows:
    """Return rows whose values are checked: by process, in one unit, within the bounds."""
    table, layout = rows.table, rows.layout
    if not rows.frame["value"].notna().any():
        raise table.error("no value at all", "numbers")
    frame, failures, runs = by_process(table, rows.frame, rows.failures, layout.measures)
    _check_number(table, frame["candidate"].nunique())
    layout = with_per_cent(table, layout, frame)
    frame = _without_tiny(table, layout, frame)
    layout = with_marks_bounded(layout, frame)
    for measure in layout.measures.values():
        check_bounds(table, layout, frame, measure)
        check_sizes(table, layout, frame, measure)
    return replace(rows, layout=layout, frame=frame, failures=failures, runs=runs)


def _warehouse(
    rows: _Rows,
    *,
    problem: Problem | None,
    resampling: Mapping[str, object],
    factors: Mapping[str, str],
    n: Mapping[str, int],
    samples: Mapping[str, tuple[FixedSample, ...]],
) -> Warehouse:
    """Put rows into a warehouse, with what is known of how their samples were drawn."""
    table, layout, items, runs = rows.table, rows.layout, rows.items, rows.runs
    unit = unit_named(table.unit)
    summaries = read_summaries(table, rows.frame)
    frame = rows.frame.drop(columns=list(BESIDE), errors="ignore")
    found = None
    if items is None and unit.is_block:
        given = str(resampling.get("scheme", ""))
        found = factors_of(table, layout.replications, frame, given, factors)
    sources = {} if found is None else found.sources(frame)
    lost = pd.DataFrame(columns=list(FAILURE_COLUMNS)) if rows.failures is None else rows.failures
    if found is not None and found.has_seeds_of_splits:
        averaged = found.averaged(ItemTables(frame, pd.DataFrame(), lost))
        frame, lost, runs = averaged.frame, averaged.failures, averaged.runs
    if resampling and (items is not None or unit.is_contest):
        noun = "battle" if unit.is_contest else "item"
        raise table.error(f"results.resampling with {noun}s", f"none: no scheme draws {noun}s")
    drawn = checked_resampling(table, resampling, frame, layout.replications, found)
    if problem != "simulation":  # whose test samples are drawn apart
        _check_numbers(table, frame, n)
    frame = _with_sizes(table, frame, drawn, {**_tested(rows.losses, drawn), **n}, samples)
    for kind, key in (("data sets", "dataset"), ("candidates", "candidate")):
        warn_of_likeness(str(table.path), kind, map(str, frame[key].unique()))
        _refuse_numbered_names(table, kind, key, frame)
    items = items_of(items, frame)
    if not len(items) and not unit.is_contest:
        note_odd_values(table, frame, layout.measures.values())
    tables = ItemTables(frame.drop(columns="row"), items, lost, runs)
    if len(items):
        tables = by_item(tables)
    is_of_items = len(items) and not unit.is_nested
    facts = _facts("item" if is_of_items else table.unit, frame, drawn, found, runs, summaries)
    for name, varied in sources.items():
        facts[name] = {**facts.get(name, {}), "sources": varied}
    if rows.facts:
        facts = {name: {**own, **rows.facts} for name, own in facts.items()}
    for name, size in n.items():
        facts[name] = {"n_observations": size, **facts.get(name, {})}
    levels = {name: table.candidate_levels.get(name) for name in frame["candidate"].unique()}
    if levels and all(levels.values()):
        facts = {str(d): {} for d in frame["dataset"].unique()} | facts
        facts = {name: {**own, "candidate_levels": levels} for name, own in facts.items()}
    return Warehouse.of(
        tables.frame,
        layout.measures.values(),
        failures=tables.failures,
        remarks=with_decisions(rows.remarks, table.decided, frame),
        problem=problem if problem is not None or resampling else rows.problem,
        resampling=drawn.common,
        facts=facts,
        characteristics=rows.characteristics,
        items=tables.items,
        runs=tables.runs,
        losses=_of_measures(rows.losses, layout) if runs is None else None,  # seeds are no tests
    )


def _refuse_numbered_names(table: RawTable, kind: str, key: str, frame: pd.DataFrame) -> None:
    """Refuse candidates, or data sets, such as rf_seed0 and rf_seed1."""
    if key in table.user_columns or table.program:
        return
    found: dict[str, set[int]] = {}
    names = [str(name) for name in frame[key].unique()]
    for match in filter(None, map(RUN_NUMBER.fullmatch, names)):
        found.setdefault(match["name"], set()).add(int(match["number"]))
    several = [name for name, numbers in found.items() if len(numbers) > 1]
    if sum(len(found[name]) for name in several) < max(2, MOST_NUMBERED * len(names)):
        return
    raise table.error(
        f"{kind} that differ in the number of a run: {listed(names)}",
        f"a column of {kind} ({listed(several)}) and one of these numbers; "
        + table.key("columns", {key: "…"}, is_alone=False)
        + f" with the column where they are {kind}",
    )


def _has_values(table: RawTable) -> bool:
    """Whether a table has a row a value of the one measure, such as of nested mappings."""
    names = table.columns.keys()
    return "candidate" in names and not names.isdisjoint(("value", "value_mean"))


def _refuse_swapped(table: RawTable, roles: Roles, frame: pd.DataFrame) -> None:
    """Refuse a wide table whose rows are, by their names, the candidates."""
    column = roles.column("dataset")
    is_told = not {"dataset", "candidate"}.isdisjoint(table.user_columns)
    if is_told or (column and plain_name(column) in DATASETS):
        return
    found = swapped(map(str, frame["dataset"].unique()), map(str, frame["candidate"].unique()))
    if found:
        board = table.key("columns", {"candidate": column or "…", "dataset": "columns"})
        rows = table.key("columns", {"dataset": column or "…"}, is_alone=False)
        turned = "frame.T" if table.is_argument else board
        raise table.error(
            found, f"{turned} where a row is a candidate, {rows} where a row is a data set"
        )


def _only_measure(table: RawTable, entries: Sequence[MeasureEntry]) -> str:
    """Return the name of the one measure that the user names; nothing where these are several."""
    names = [entry.written for entry in entries] or [table.wide_measure]
    return names[0] if len(names) == 1 else ""


def _measure_column(table: RawTable, measure: str) -> str:
    """Return the column of numbers that has the name of a measure; nothing where none has."""
    named = table.user_columns.get("candidate")
    if not measure or (named is not None and not isinstance(named, str)):
        return ""
    own = [c for c in table.columns if c == measure or measure_name(c) == measure_name(measure)]
    return next(filter(table.is_numeric, own), "")


def _usual_kind(table: RawTable, columns: Columns | None) -> str | None:
    """Return the format of a table that names none: battles where the user says there are some."""
    # None where it is to be found out.
    if unit_named(table.unit).is_contest:
        return "battles"
    return "tidy" if columns else None


def _refuse_names_of_measures(table: RawTable, frame: pd.DataFrame) -> None:
    """Refuse a wide table whose data sets, or candidates, all have the names of measures."""
    for key, noun in (("dataset", "data sets"), ("candidate", "candidates")):
        names = [str(name) for name in frame[key].unique()]
        if len(names) < 2 or key in table.user_columns or not all(map(is_known, names)):
            continue
        turned = "frame.T" if key == "dataset" else "frame"
        way = f": {turned}.rename_axis('candidate').reset_index()" if table.is_argument else ""
        raise table.error(
            f"{noun} with the names of measures: {listed(names)}",
            f"a row a candidate and a column a measure{way}; or other names of the {noun}",
        )


def _check_number(table: RawTable, n_candidates: int) -> None:
    """Refuse candidates of which nobody could read, or compute, all comparisons."""
    if n_candidates > MOST_CANDIDATES:
        raise table.error(
            f"{n_candidates:,} candidates",
            f"up to {MOST_CANDIDATES:,}, as each is compared with all others: a table of those "
            "that matter",
        )


def _with_roles(
    table: RawTable, shape: Shape, wanted: Collection[str], epoch: str | None = None
) -> tuple[RawTable, Roles]:
    """Find out what the columns are; leave out rows that sum up others, and all epochs but one."""
    table = complete(table, shape)
    roles = find_roles(table, shape, wanted)
    marked = with_marks(table, roles, wanted)
    if marked is not table:
        table, roles = marked, find_roles(marked, shape, wanted)
    kept = without_summaries(without_nameless_sums(table, roles), roles)
    kept = without_summing_candidates(kept, roles)
    if shape == "tidy":
        kept = one_epoch(kept, roles, epoch)
    if kept is not table:
        table, roles = kept, find_roles(kept, shape, wanted)
    _check_outcomes(table, roles, wanted)
    return table, roles


def _check_outcomes(table: RawTable, roles: Roles, wanted: Collection[str]) -> None:
    """Ask for columns that may have the outcomes of runs, where none is known to."""
    if roles.shape == "wide" or roles.column("status"):
        return
    results = roles.columns("value") or roles.columns("performance")
    if wanted:
        values = [c for c in results if c in wanted or c in roles.columns("value")]
    else:
        values = [c for c in results if is_known(c) or outcome_in(c) is None]
    taken = {*values}  # a table may have 10,000 columns
    others = [c for c in roles.columns("performance") if c not in taken]
    left = [c for c in (*roles.columns("left out"), *others) if c in table.columns]
    check_outcomes(table, left, values, is_of_items=is_of_items(table, roles))


def _without_tiny(table: RawTable, layout: Layout, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the performances with 0 for what is next to nothing."""
    # That is what is too small beside other values of its measure on the data set, or in a measure
    # with the bound 0, and the least number there is, as programs write zeros.
    sizes = frame["value"].abs().to_numpy(np.float64)
    is_tiny = (sizes < LEAST_SIZE) & (sizes > 0)
    if not is_tiny.any():
        return frame
    largest = frame["value"].abs().groupby([frame["dataset"], frame["measure"]], observed=True)
    bounded = [m.name for m in layout.measures.values() if 0 in m.bounds]
    is_zero = is_tiny & (
        (largest.transform("max").to_numpy(np.float64) >= LEAST_SIZE)
        | frame["measure"].isin(bounded).to_numpy()
        | (sizes == TINY)
    )
    if not is_zero.any():
        return frame
    names = listed(dict.fromkeys(map(str, frame.loc[is_zero, "measure"])))
    log.info("%s: values of %s that are next to nothing are taken for 0", table.path, names)
    table.decided.append(("least-numbers", names))
    return frame.assign(value=np.where(is_zero, 0.0, frame["value"]))


def _tested(losses: pd.DataFrame | None, drawn: Drawn) -> dict[str, int]:
    """Return how many observations are tested where folds test them all."""
    if losses is None:
        return {}
    counts = losses.groupby("dataset", observed=True)["observation"].nunique()
    schemes = {name: drawn.of_datasets.get(str(name), drawn.common) for name in counts.index}
    return {str(d): int(counts[d]) for d, own in schemes.items() if own.get("scheme") in FOLDED}


def _of_measures(losses: pd.DataFrame | None, layout: Layout) -> pd.DataFrame | None:
    """Return the losses of the measures that are taken, by our names of them."""
    if losses is None:
        return None
    names = {label: measure.name for label, measure in layout.measures.items()}
    kept = losses[losses["measure"].isin(names)]
    return kept.assign(measure=kept["measure"].map(names))


def _facts(
    unit: str,
    frame: pd.DataFrame,
    drawn: Drawn,
    factors: Factors | None,
    runs: pd.DataFrame | None,
    summaries: Mapping[str, Mapping[str, Any]],
) -> dict[str, dict[str, Any]]:
    """Return what is known by data set: another unit, a scheme of its own, seeds, and spreads."""
    names = [str(name) for name in frame["dataset"].unique()]
    found: dict[str, dict[str, Any]] = {name: {} for name in names}
    if not unit_named(unit).is_block:
        found = {name: {"unit": unit} for name in names}
    elif summaries:
        found = {n: {"unit": "summary", "summaries": summaries.get(n, {})} for n in names}
    for name, own in drawn.of_datasets.items():
        found[name]["resampling"] = own
    if factors is not None and runs is not None:
        for name, seeds in factors.seeds().items():
            found[name] |= seeds
    elif (
        factors is not None
        and len(factors.columns) == 1
        and factors.columns.keys().isdisjoint(SPLITS)
    ):
        for name in names:
            found[name]["replications_are"] = "seeds"
    return {name: facts for name, facts in found.items() if facts}


def _written_by(
    program: Format, table: RawTable, measures: Sequence[MeasureEntry]
) -> tuple[RawTable, Layout, Fits]:
    """Read what a program has written."""
    table = replace(table, program=program.program)
    fits = program.read(table)
    table = replace(table, known={**fits.known, **table.known})
    labels = [part.name for part in fits.parts]
    layout = Layout({}, choose_measures(table, labels, measures, "column"), coordinates(table))
    return table, layout, fits


def _tidy_frame(table: RawTable, layout: Layout, keys: pd.DataFrame) -> pd.DataFrame:
    """Lay out a table that names the measure in a column."""
    labels = table.labels(layout.columns["measure"])
    names = tuple(m.name for m in layout.measures.values())
    position = {label: i for i, label in enumerate(layout.measures)}
    codes = np.array([position.get(name, -1) for name in labels.names], np.int32)[labels.codes]
    rows = None  # all of them
    if codes.min() < 0:
        rows = np.flatnonzero(codes >= 0)
        keys, codes = keys.iloc[rows], codes[rows]
    frame = keys.assign(
        measure=categorical(Labels(names, codes)),
        **table.cells(layout.columns["value"]).columns(rows),
    )
    frame = without_retried(frame, ["dataset", "replication", "candidate", "measure"])
    check_duplicates(table, frame, ["dataset", "replication", "candidate", "measure"], layout)
    return frame


def _fit_frame(table: RawTable, layout: Layout, keys: pd.DataFrame) -> pd.DataFrame:
    """Lay out a table that has a column a measure."""
    keys = without_retried(keys, ["dataset", "replication", "candidate"])
    check_duplicates(table, keys, ["dataset", "replication", "candidate"], layout)
    names = tuple(m.name for m in layout.measures.values())
    rows = keys["row"].to_numpy()
    parts = [
        keys.assign(
            measure=categorical(Labels(names, np.full(len(rows), i, np.int64))),
            **table.cells(column).columns(rows),
        )
        for i, column in enumerate(layout.measures)
    ]
    return pd.concat(parts, ignore_index=True)


@dataclass(frozen=True, slots=True)
class _Keys:
    """All columns of a table but measure and value, and the number of each row from 0."""

    frame: pd.DataFrame
    items: pd.DataFrame | None


def _keys(table: RawTable, layout: Layout) -> _Keys:
    """Read which data set, replication and candidate a row is of."""
    columns = layout.columns
    candidates = table.labels(columns["candidate"])
    measure = table.labels(columns["measure"]) if layout.is_tidy else None
    if "dataset" in columns:
        datasets = table.labels(columns["dataset"])
    else:
        datasets = Labels((table.path.stem,), np.zeros(table.n_rows, np.int64))
    items = read_items(table, columns, layout.replications, datasets)
    if (is_in_processes := PROCESS in columns) and layout.replications:
        runs = [table.labels(c) for c in (columns[PROCESS], *layout.replications)]
        refuse_second_runs(table, [datasets, candidates, *([measure] if measure else []), *runs])
    if items is not None:
        numbers = items.numbers
    elif not unit_named(table.unit).shares_rows and (not layout.replications or is_in_processes):
        numbers = count_rows(datasets, measure)
    else:
        numbers = replications(table, layout.replications, datasets, candidates, measure)
    frame = pd.DataFrame(
        {
            "dataset": categorical(datasets),
            "replication": numbers,
            "candidate": categorical(candidates),
            "row": np.arange(table.n_rows),
        },
        copy=False,
    )
    for name in SIZES:
        if name in columns:
            frame[name] = table.numbers(columns[name])
    if "status" in columns:
        frame["status"] = categorical(read_statuses(table, columns["status"]))
    return _Keys(frame, None if items is None else items.items)


def _check_numbers(table: RawTable, frame: pd.DataFrame, n: Mapping[str, int]) -> None:
    """Raise an error where a sample has more observations than its data set is said to have."""
    for column in ("n_distinct", "n_test"):
        if column not in frame:
            continue
        most = frame.groupby("dataset", observed=True)[column].max()
        for name, size in n.items():
            if (largest := most.get(name, 0)) > size:
                raise table.error(
                    f"{size:,} for n of {shown(name)}, of which {column} has {largest:,.0f}",
                    "the number of its observations",
                )


def _with_sizes(
    table: RawTable,
    frame: pd.DataFrame,
    drawn: Drawn,
    n: Mapping[str, int],
    samples: Mapping[str, tuple[FixedSample, ...]],
) -> pd.DataFrame:
    """Add the samples' sizes, as given or as N and the scheme imply, to a file without."""
    # The file's own values of them stay.
    if samples:
        given = sample_sizes(table, frame, samples)
        frame = frame.assign(**{name: given[name] for name in SIZES if name not in frame})
    datasets = list(dict.fromkeys(frame["dataset"]))
    for name in n:
        if name not in datasets:
            question = suggestion(name, datasets)
            raise table.error(f"no data set {shown(name)} for n", f"{listed(datasets)}{question}")
    known = {
        name: sizes
        for name, size in n.items()
        if (sizes := expected_sizes(drawn.of_datasets.get(name, drawn.common), size))
    }
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

    `resampling`: `scheme`, `fraction` of subsampling, and `folds`.
    `n`: number of observations.
    Result: expectations for the bootstrap and folds; None for a scheme without such a rule.

    Examples
    --------
    >>> expected_sizes({"scheme": "bootstrap"}, 2)
    (2.0, 1.5, 0.5)
    >>> expected_sizes({"scheme": "subsampling", "fraction": 0.5}, 101)
    (50.0, 50.0, 51.0)
    >>> expected_sizes({"scheme": "k-fold", "folds": 4}, 100)
    (75.0, 75.0, 25.0)
    """
    scheme = resampling.get("scheme")
    if scheme == "bootstrap":
        distinct = n * (1 - (1 - 1 / n) ** n)
        return float(n), distinct, n - distinct
    if scheme == "subsampling":
        fraction = resampling.get("fraction")
        drawn = floor((fraction if isinstance(fraction, float) else 2 / 3) * n + SLACK)
        return float(drawn), float(drawn), float(n - drawn)
    folds = resampling.get("folds")
    if scheme in FOLDED and isinstance(folds, int):
        return n - n / folds, n - n / folds, n / folds
    return None


def check_duplicates(
    table: RawTable, frame: pd.DataFrame, key: list[str], layout: Layout | None = None
) -> None:
    """Raise an error with both rows where a cell is given twice.

    `layout`: None where a format says what the columns are.
    """
    twice = second_rows(frame) if "measure" in key else frame.duplicated(key).to_numpy()
    if not twice.any():
        return
    second = frame.iloc[int(twice.argmax())]
    same = np.logical_and.reduce([(frame[k] == second[k]).to_numpy() for k in key])
    first = frame.iloc[int(same.argmax())]
    cell = ", ".join(f"{k} {shown(second[k]) if k != 'replication' else second[k]}" for k in key)
    n = int(twice.sum())
    rows = np.array([first["row"], second["row"]], np.int64)
    why = _copies(table, rows) or ("" if layout is None else _what_differs(table, layout, rows))
    raise table.error(
        f"{cell} a second time, first in {table.where(int(first['row']))} "
        f"({n} such row{'s' * (n != 1)})",
        f"each once{why}",
        row=int(second["row"]),
    )


def _copies(table: RawTable, rows: NDArray[np.int64]) -> str:
    """Say that two rows have the same cells, and of how many others that is true; else nothing."""
    pair = table.take(rows)
    if any(len(set(cells_of(pair, c))) > 1 for c in pair.columns):
        return ""
    n = int(pd.DataFrame({c: cells_of(table, c) for c in table.columns}).duplicated().sum())
    words = "1 row has" if n == 1 else f"{n} rows have"
    way = "frame.drop_duplicates()" if table.is_argument else "leave them out of the file"
    return (
        f"; {words} the same cells as an earlier one: {way} where they are copies, a column that "
        "numbers the runs where they are not"
    )


def _what_differs(table: RawTable, layout: Layout, rows: NDArray[np.int64]) -> str:
    """Return in which columns that are not read two rows differ, and how to say what they are."""
    pair = table.take(rows)
    used = {*layout.columns.values(), *layout.replications}
    others = [c for c in pair.columns if c not in used and not is_known(c)]
    differing = [c for c in others if len(set(cells_of(pair, c))) > 1]
    results = [c for c in differing if c in layout.measures and not has_whole_numbers(pair, c)]
    differing = [c for c in differing if c not in results]
    if not differing:
        return (
            "; these rows differ in their results alone: a further column has to number such runs"
        )
    column = next((c for c in differing if not table.is_numeric(c)), differing[0])
    own = {
        "candidate": [layout.columns["candidate"], column],
        "dataset": [*(c for r, c in layout.columns.items() if r == "dataset"), column],
        "replication": [*layout.replications, column],
    }
    keys = {
        role: table.key("columns", {role: c[0] if len(c) == 1 else c}, is_alone=False)
        for role, c in own.items()
    }
    epoch = table.key("columns", {"epoch": column}, is_alone=False)
    chosen = table.key("epoch", "last", is_alone=False)
    is_number = table.is_numeric(column)
    return (
        f"; these rows differ in {listed(differing)}: {keys['candidate']} where {column} belongs "
        f"to the candidate, {keys['dataset']} where it belongs to the data set, "
        f"{keys['replication']} where it tells replications apart"
        + f", {epoch} and {chosen} where it numbers the epochs of a training"
        * is_number
    )


def check_bounds(table: RawTable, layout: Layout, frame: pd.DataFrame, measure: Measure) -> None:
    """Raise an error where a value cannot be, such as a share in per cent."""
    values = frame["value"].where(frame["measure"] == measure.name).to_numpy(np.float64)
    lower, upper = (
        np.copysign(np.inf, side) if bound is None else bound + side * SLACK
        for bound, side in zip(measure.bounds, (-1, 1), strict=True)
    )
    outside = (values < lower) | (values > upper)
    if not outside.any():
        return
    at = int(outside.argmax())
    low, high = ("…" if bound is None else f"{bound:g}" for bound in measure.bounds)
    label = next(label for label, m in layout.measures.items() if m is measure)
    is_wide = layout.is_tidy and not layout.columns["value"]
    column = "" if is_wide else f", column: {label}"
    hint = (
        "is it another measure? Give it a name of its own: in a manifest "
        f"{{name: …{column}, better: {measure.better}}}"
    )
    if measure.unit_symbol == "share" and 1 < values[at] <= 100:
        column = column if label != measure.name else ""
        hint = f'are they in per cent? In a manifest {{name: {measure.name}{column}, unit: "%"}}'
    raise table.error(
        f"{values[at]:g} for the measure {measure.name}",
        f"values from {low} to {high} ({hint})",
        row=int(frame["row"].iloc[at]),
        column=_column(layout, frame.iloc[at], label),
    )


def check_sizes(table: RawTable, layout: Layout, frame: pd.DataFrame, measure: Measure) -> None:
    """Raise an error where double precision does not hold the squares of values."""
    row = row_of_odd_size(frame[frame["measure"] == measure.name])
    if row is None:
        return
    label = next(label for label, m in layout.measures.items() if m is measure)
    raise table.error(
        f"{row['value']:g} for the measure {measure.name}, the largest value of the data set "
        f"{shown(row['dataset'])} in size",
        ALLOWED_SIZES,
        row=int(row["row"]),
        column=_column(layout, row, label),
    )


def _column(layout: Layout, row: pd.Series[Any], label: str) -> str:
    """Return the file's column of a value."""
    return (layout.columns["value"] or str(row["candidate"])) if layout.is_tidy else label


def of_lost_fits(failures: pd.DataFrame | None, frame: pd.DataFrame) -> pd.DataFrame | None:
    """Keep the failures of fits without a value: a table may be a part of the one written.

    `frame`: the performances, tidy.
    """
    return _of(failures, frame[frame["value"].isna()])


def of_fits(remarks: pd.DataFrame | None, frame: pd.DataFrame) -> pd.DataFrame | None:
    """Keep the remarks of the fits that a table has."""
    return _of(remarks, frame)


def items_of(items: pd.DataFrame | None, frame: pd.DataFrame) -> pd.DataFrame:
    """Keep the items of the replications that a table has.

    `items`: columns `ITEM_COLUMNS` of a warehouse.
    `frame`: the performances, tidy.
    """
    if items is None:
        return pd.DataFrame(columns=list(ITEM_COLUMNS))
    keys = ["dataset", "replication"]
    there = frame[keys].drop_duplicates().astype({"dataset": object})
    return items.merge(there, on=keys)[items.columns]


def _of(rows: pd.DataFrame | None, frame: pd.DataFrame) -> pd.DataFrame | None:
    if rows is None:
        return None
    there = pd.MultiIndex.from_frame(
        frame[FIT].drop_duplicates().astype({"dataset": str, "candidate": str})
    )
    return rows[pd.MultiIndex.from_frame(rows[FIT]).isin(there)].reset_index(drop=True)


def with_decisions(
    remarks: pd.DataFrame | None, decided: Sequence[tuple[str, str]], frame: pd.DataFrame
) -> pd.DataFrame | None:
    """Add what was decided while a file was read, as remarks at its first fit.

    `frame`: the performances, tidy.
    """
    if not decided:
        return remarks
    for name in FIT:  # whatever the order of the rows
        frame = frame[frame[name] == min(frame[name].unique().tolist())]
    dataset, replication, candidate = frame.iloc[0][FIT]
    at = (str(dataset), int(replication), str(candidate), READING)
    rows = [(*at, *decision) for decision in dict.fromkeys(decided)]
    readings = pd.DataFrame(rows, columns=list(REMARK_COLUMNS))
    return readings if remarks is None else pd.concat([remarks, readings], ignore_index=True)
