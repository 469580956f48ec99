"""Results in objects of Python: data frames, arrays and mappings become the table of a file.

A wide object has a column a candidate; it is laid out tidily, with one row a value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.exchange.column_levels import has_levels, of_levels
from reportgen.exchange.levels import is_measure
from reportgen.exchange.mappings import TABLES, of_mapping
from reportgen.exchange.python_numbers import (
    as_floats,
    first_text,
    has_numbers,
    label_of,
    numbers_in,
)
from reportgen.exchange.readers import find_format
from reportgen.exchange.readers.battles import frame_of_wins
from reportgen.exchange.records import flat_records
from reportgen.exchange.replications import COORDINATE
from reportgen.exchange.roles import (
    CANDIDATES,
    COLUMNS,
    DATASETS,
    NAMING_MEASURES,
    SECOND_CHOICE,
    SPELLINGS,
    has_candidates,
    is_summary_name,
)
from reportgen.exchange.table import (
    ROW_NAMES,
    Columns,
    RawTable,
    check_column_names,
    decoded,
    named_columns,
    plain_name,
    text_of,
    unnamed_columns,
    without_nested,
)
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed, shown
from reportgen.units import REPLICATION, UNITS, UnitName

NAME = "data"  # of an object that has no other
MEASURE = "performance"  # likewise of what its numbers are
MEASURES = "reportgen.measures"  # the key of a frame's `attrs` that holds what is known of measures
KNOWN = {name for names in (*SPELLINGS.values(), *SECOND_CHOICE.values()) for name in names}


def object_table(
    results: Any,
    *,
    name: str = NAME,
    measure: str = MEASURE,
    candidates: Sequence[str] | None = None,
    datasets: Sequence[str] | None = None,
    columns: Columns | None = None,
    unit: UnitName | None = None,
) -> RawTable:
    """Return the table of an object that holds results.

    `results`: A table stays as it is.
    `name`: the data set, where the object names none; also for messages.
    `measure`: what the numbers of a wide object are.
    `candidates`, `datasets`: names along the last and the first axis of an array.
    `columns`: the frame's column by our name for it.
    `unit`: what a replication is; of samples candidates may have different numbers.
    Raises ExchangeError if the object is none of these, or names are given that do not fit it.
    """
    kind = UNITS.get(unit or "", REPLICATION)  # a wrong name is refused with the others
    try:
        if isinstance(results, pd.Series) and _names_candidates(results, measure):
            measure = measure if results.name is None else str(results.name)
            results = results.to_dict()
        if kind.is_contest and isinstance(results, Mapping):
            results = _frame_of_battles(results, name)
        if kind.is_contest and isinstance(results, pd.DataFrame):
            frame = frame_of_wins(results).rename(columns=str)
            return replace(_raw(frame, name, frame.index, {}), unit=kind.name)
        if isinstance(results, Mapping):
            results = of_mapping(results, name, measure, are_apart=not kind.shares_rows)
        return _object_table(results, name, measure, candidates, datasets, columns or {})
    except UnicodeEncodeError as error:
        found = f"{shown(error.object)}, which has half of a pair of surrogates"
        raise ExchangeError(f"{name}: found {found}; allowed text of Unicode") from None


def _frame_of_battles(results: Mapping[str, Any], name: str) -> pd.DataFrame:
    """Return the frame of a mapping of columns, or of one of wins."""
    try:
        return pd.DataFrame(results)
    except (ValueError, TypeError) as error:
        message = shown(" ".join(str(error).split()))
        raise ExchangeError(f"{name}: found no table ({message}); allowed {TABLES}") from None


def _object_table(
    results: Any,
    name: str,
    measure: str,
    candidates: Sequence[str] | None,
    datasets: Sequence[str] | None,
    columns: Columns,
) -> RawTable:
    """Return the table of an object whose texts are text."""
    if isinstance(results, np.ndarray) and results.dtype.names and results.ndim == 1:
        results = pd.DataFrame.from_records(results)
    if isinstance(results, np.ndarray) or _is_nested_list(results):
        cells = numbers_in(results, f"{name}: ", TABLES)
        return _of_frame(_of_array(cells, name, measure, candidates, datasets), name, measure, {})
    for key, labels in (("candidates", candidates), ("datasets", datasets)):
        if labels is not None:
            found = f"{key} with results that have names"
            raise ExchangeError(f"{name}: found {found}; allowed with an array only")
    if isinstance(results, RawTable):
        return results
    if isinstance(results, pd.Series):
        frame = results.to_frame(measure if results.name is None else results.name)
    elif isinstance(results, pd.DataFrame):
        frame = results
    elif hasattr(results, "to_series") and hasattr(results, "dims"):  # of xarray
        frame = results.to_series().to_frame(measure if results.name is None else results.name)
    elif hasattr(results, "to_pandas"):
        frame = results.to_pandas()
    elif isinstance(results, Sequence) and results and all(isinstance(r, Mapping) for r in results):
        frame = pd.DataFrame(flat_records(results))
    else:
        raise ExchangeError(f"{name}: found {shown(type(results).__name__)}; allowed {TABLES}")
    return _of_frame(frame, name, measure, columns)


def _names_candidates(series: pd.Series[Any], measure: str) -> bool:
    """Whether a series of no candidate has a value a text, which can be a candidate alone."""
    is_plain = series.index.nlevels == 1 and series.index.name is None
    is_plain = is_plain and (series.name is None or is_measure(series.name, measure))
    return (
        is_plain
        and len(series) > 0
        and series.index.is_unique
        and all(isinstance(x, str) for x in series.index)
    )


def _is_nested_list(results: Any) -> bool:
    """Whether an object is a list of rows of numbers."""
    return (
        isinstance(results, list | tuple)
        and bool(results)
        and all(isinstance(row, list | tuple | np.ndarray) for row in results)
    )


def _of_array(
    values: np.ndarray[Any, Any],
    name: str,
    measure: str,
    candidates: Sequence[str] | None,
    datasets: Sequence[str] | None,
) -> pd.DataFrame:
    """Lay out an array with candidates along its last axis."""
    if values.ndim not in (2, 3):
        found = f"an array of shape {values.shape}"
        allowed = "numbers of shape (replications, candidates) or with data sets before these"
        raise ExchangeError(f"{name}: found {found}; allowed {allowed}")
    cube = values[None] if values.ndim == 2 else values
    n_datasets, n_replications, n_candidates = cube.shape
    own = [name] if n_datasets == 1 else [f"{name} {m}" for m in range(1, n_datasets + 1)]
    rows = _labels("datasets", datasets, own, name)
    heads = _labels(
        "candidates", candidates, [f"candidate {k + 1}" for k in range(n_candidates)], name
    )
    index = pd.MultiIndex.from_product(
        [rows, range(1, n_replications + 1), heads], names=["dataset", "replication", "candidate"]
    )
    return pd.DataFrame({measure: cube.ravel()}, index=index)


def _labels(key: str, given: Sequence[str] | None, own: list[str], name: str) -> list[str]:
    """Return the names that are given, one for each, or our own."""
    if given is None:
        return own
    labels = [text_of(label) for label in given]
    if len(labels) != len(own) or len({*labels}) != len(labels):
        found = f"{len(labels)} names, {len({*labels})} of them different"
        raise ExchangeError(f"{name}: {key}: found {found}; allowed {len(own)} different names")
    return labels


def _of_frame(frame: pd.DataFrame, name: str, measure: str, columns: Columns) -> RawTable:
    """Return a data frame as a table; index levels with names, and data sets there, are columns."""
    known = {m: Measure.of_stored(own) for m, own in frame.attrs.get(MEASURES, {}).items()}
    if has_levels(frame) and not (frame.columns.nlevels == 1 and "candidate" in columns):
        frame = of_levels(frame, name, measure)
    frame = _upright(frame, name, columns)
    own_index = frame.index
    named = _named_levels(frame, name, columns)
    heads = [text_of(head) for head in (*named, *frame.columns)]
    check_column_names(name, heads)
    twice = [head for head, n in Counter(heads).items() if n > 1]
    if twice:
        found = f"found the column {shown(twice[0])} twice"
        raise ExchangeError(f"{name}: {found}; allowed once, also among the names of the index")
    if named:
        frame = frame.reset_index(level=named)
    frame = frame.set_axis(heads, axis=1)
    taken = {"measure", measure} & {*frame.columns, *columns} or "value" in columns
    taken = taken or any(plain_name(head) in NAMING_MEASURES for head in heads)
    if "value" in frame.columns and not taken:
        frame = frame.rename(columns={"value": measure})
    probe = RawTable(Path(name), dict.fromkeys(frame.columns), len(frame), None)
    given = columns.get("candidate", ())
    several = () if isinstance(given, str) else [c for c in given if c in frame.columns]
    texts = [c for c in several if first_text(frame[c]) is not None]
    if not is_wide(probe, columns, texts):
        return _raw(frame, name, own_index, known)
    _refuse_quantiles(own_index, name)
    frame = _with_texts_of_flags(frame)
    numbers = {c: as_floats(frame[c], name) for c in frame.columns if has_numbers(frame[c])}
    table = _raw(frame.assign(**numbers), name, own_index, known)
    has_rows = columns.get("dataset") != COLUMNS
    return replace(table, wide_measure=measure, has_ordered_rows=has_rows)


def _refuse_quantiles(index: pd.Index[Any], name: str) -> None:
    """Refuse rows that are labelled by numbers with a fraction, as quantiles are."""
    is_open = index.nlevels == 1 and index.name is None and pd.api.types.is_float_dtype(index)
    if is_open and any(label % 1 for label in index):
        found = f"the rows {listed(map(str, index))}, as a description by quantiles has"
        allowed = "the values themselves; where these are, frame.reset_index(drop=True)"
        raise ExchangeError(f"{name}: found {found}; allowed {allowed}")


def _with_texts_of_flags(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a wide frame in which True and False beside numbers are text, as in a file."""
    flags = [c for c in frame.columns if pd.api.types.is_bool_dtype(frame[c])]
    has_numbers = any(pd.api.types.is_float_dtype(frame[c]) for c in frame.columns)
    if not flags or not has_numbers:
        return frame
    return frame.assign(**{c: frame[c].astype(str).where(frame[c].notna()) for c in flags})


def _upright(frame: pd.DataFrame, name: str, columns: Columns) -> pd.DataFrame:
    """Return a wide frame with a column a candidate, where its columns are named as data sets."""
    across = plain_name(str(frame.columns.name)) in DATASETS
    if not across or "dataset" in columns or has_candidates([*map(str, frame.columns)]):
        return frame
    rows, of_text = frame.index, all(isinstance(label, str) for label in frame.index)
    if plain_name(str(rows.name)) in CANDIDATES or (rows.name is None and of_text):
        return frame.T
    found = (
        f"found columns named {frame.columns.name} and rows named {rows.name}, and no candidates"
    )
    raise ExchangeError(f"{name}: {found}; allowed rows named candidate, or a tidy frame")


def _named_levels(frame: pd.DataFrame, name: str, columns: Columns) -> list[Any]:
    """Return the levels of the index that are columns: of one alone only if its name means any."""
    levels = list(frame.index.names)
    named = [level for level in levels if level is not None]
    if len(levels) > 1 and not named:
        found = f"an index of {len(levels)} levels without names"
        raise ExchangeError(f"{name}: found {found}; allowed names such as dataset and fold")
    if len(levels) > 1 or not named:
        return named
    head, given = str(named[0]), columns.values()
    if any(head == own or (not isinstance(own, str) and head in own) for own in given):
        return named
    if plain_name(head) in KNOWN or COORDINATE.fullmatch(plain_name(head)):
        return named
    heads = [head, *map(str, frame.columns)]
    probe = RawTable(Path(name), dict.fromkeys(heads), len(frame), None)
    return [] if find_format(probe) is None else named


def _raw(
    frame: pd.DataFrame, name: str, index: pd.Index[Any], known: Mapping[str, Measure]
) -> RawTable:
    """Return the columns of a tidy frame."""
    import pyarrow as pa

    if not len(frame):
        raise ExchangeError(f"{name}: found no rows; allowed results")
    cells = frame.reset_index(drop=True)
    for column in cells.columns[[kind.kind == "m" for kind in cells.dtypes]]:
        cells[column] = cells[column].dt.total_seconds()
    for column in [c for c in cells.columns if _holds_other_than_numbers(cells[c])]:
        cells[column] = cells[column].map(text_of, na_action="ignore")
    try:
        table = pa.Table.from_pandas(cells, preserve_index=False)
    except (pa.ArrowException, OverflowError, TypeError) as error:  # the last of sparse columns
        message = shown(" ".join(str(error).split()))
        raise ExchangeError(f"{name}: found no table ({message}); allowed {TABLES}") from None
    found = named_columns(Path(name), list(cells.columns), table.columns)
    rows = index.tolist()
    unnamed = unnamed_columns(list(cells.columns), table.columns)
    texts = [label for label in map(decoded, rows) if isinstance(label, str)]
    is_column = index.name is not None and str(index.name) in found
    if (
        not is_column
        and not found.keys() & {ROW_NAMES}
        and (len(texts) == len(rows) or any(map(is_summary_name, texts)))
    ):
        names = pa.array([text_of(label) for label in rows], pa.string())
        unnamed = {ROW_NAMES: pa.chunked_array([names]), **unnamed}
    return without_nested(
        RawTable(
            Path(name),
            found,
            len(cells),
            None,
            known,
            place=lambda row: f"row {label_of(rows[row])}",
            unnamed=unnamed,
            is_argument=True,
        )
    )


def _holds_other_than_numbers(column: pd.Series[Any]) -> bool:
    """Whether a column of objects has any cell that is no number: text, or a mapping."""
    kinds = (int, float, np.number)
    return bool(column.dtype == object) and not all(isinstance(x, kinds) for x in column.dropna())


def is_wide(table: RawTable, columns: Columns, texts: Collection[str] = ()) -> bool:
    """Whether a table has no column of candidates, nor is another program's.

    `table`: of which the names of the columns are read.
    `columns`: the column by our name for it, where the user gives it.
    `texts`: those columns, of several that the user names for candidates, that hold text.
    """
    given = columns.get("candidate")
    if given is not None and not isinstance(given, str) and {*texts} & {*given}:
        return False  # parts of the candidates' names
    if columns.get("dataset") == COLUMNS and COLUMNS not in table.columns:
        return True
    if isinstance(given, str) or (given is None and has_candidates(table.columns)):
        return False
    return find_format(table) is None
