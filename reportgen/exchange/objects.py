"""Results in objects of Python: data frames, arrays and mappings become the table of a file.

A wide object has a column a candidate; it is laid out tidily, with one row a value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Sized
from dataclasses import replace
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reportgen.errors import ExchangeError
from reportgen.exchange.readers import find_format
from reportgen.exchange.records import flat_records
from reportgen.exchange.replications import COORDINATE
from reportgen.exchange.roles import (
    CANDIDATES,
    COLUMNS,
    DATASETS,
    OF_MEASURES,
    SECOND_CHOICE,
    SPELLINGS,
    is_known,
    is_summary_name,
)
from reportgen.exchange.table import (
    ROW_NAMES,
    Columns,
    RawTable,
    named_columns,
    plain_name,
    unnamed_columns,
)
from reportgen.performance_measure import Measure
from reportgen.study.errors import listed, shown
from reportgen.units import UnitName

NAME = "data"  # of an object that has no other
MEASURE = "performance"  # likewise of what its numbers are
MEASURES = "reportgen.measures"  # the key of a frame's `attrs` that holds what is known of measures
TABLES = (
    "a data frame, tidy (a column candidate) or wide (a column a candidate); an array of shape "
    "(replications, candidates) or (data sets, replications, candidates); a mapping of candidates "
    "to values, or of data sets to such mappings or wide data frames; cv_results_; or paths of "
    "files"
)
KNOWN = {name for names in (*SPELLINGS.values(), *SECOND_CHOICE.values()) for name in names}
OBJECTS = (
    "estimator",
    "indices",
)  # what `cross_validate` returns beside numbers, where it is asked
ONE_A_REPLICATION = "numbers, one a replication"


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
    try:
        if isinstance(results, Mapping):
            results = _of_mapping(results, name, measure, are_apart=unit == "sample")
        return _object_table(results, name, measure, candidates, datasets, columns or {})
    except UnicodeEncodeError as error:
        found = f"{shown(error.object)}, which has half of a pair of surrogates"
        raise ExchangeError(f"{name}: found {found}; allowed text of Unicode") from None


def _object_table(
    results: Any,
    name: str,
    measure: str,
    candidates: Sequence[str] | None,
    datasets: Sequence[str] | None,
    columns: Columns,
) -> RawTable:
    """Return the table of an object whose texts are text."""
    if isinstance(results, np.ndarray) or _is_nested_list(results):
        cells = _numbers(results, f"{name}: found", TABLES)
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
    elif hasattr(results, "to_pandas"):
        frame = results.to_pandas()
    elif isinstance(results, Sequence) and results and all(isinstance(r, Mapping) for r in results):
        frame = pd.DataFrame(flat_records(results))
    else:
        raise ExchangeError(f"{name}: found {shown(type(results).__name__)}; allowed {TABLES}")
    return _of_frame(frame, name, measure, columns)


def _is_nested_list(results: Any) -> bool:
    """Whether an object is a list of rows of numbers."""
    return (
        isinstance(results, list | tuple)
        and bool(results)
        and all(isinstance(row, list | tuple | np.ndarray) for row in results)
    )


def _numbers(values: Any, where: str, allowed: str) -> np.ndarray[Any, Any]:
    """Return an array of numbers, NaN for what is masked."""
    try:
        array = np.ma.asarray(values) if _has_mask(values) else np.asarray(values)
    except ValueError as error:
        raise ExchangeError(f"{where} no array ({error}); allowed {allowed}") from None
    if array.dtype.kind == "O" and array.ndim:
        cells = pd.Series(np.ma.filled(array, None).ravel())
        place = _first_text(cells)
        if place is not None:
            at = ", ".join(str(i) for i in np.unravel_index(place, array.shape))
            raise ExchangeError(f"{where} {shown(cells[place])} at [{at}]; allowed {allowed}")
        return _floats(cells).reshape(array.shape)
    if array.dtype.kind not in "iufb":
        found = f"an array of shape {array.shape} and type {array.dtype}"
        raise ExchangeError(f"{where} {found}; allowed {allowed}")
    with np.errstate(over="ignore"):  # what is beyond all bounds is infinite, and refused as such
        return np.ma.filled(array.astype(np.float64), np.nan)


def _has_mask(values: Any) -> bool:
    """Whether an array has masked cells, or one of the rows of a list."""
    rows = values if isinstance(values, list | tuple) else (values,)
    return any(isinstance(row, np.ma.MaskedArray) for row in rows)


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
    labels = [str(label) for label in given]
    if len(labels) != len(own) or len({*labels}) != len(labels):
        found = f"{len(labels)} names, {len({*labels})} of them different"
        raise ExchangeError(f"{name}: {key}: found {found}; allowed {len(own)} different names")
    return labels


def _of_mapping(
    results: Mapping[Any, Any], name: str, measure: str, *, are_apart: bool
) -> pd.DataFrame:
    """Lay out candidates and their values, perhaps by data set; or take the columns of a frame.

    `are_apart`: whether no two values of different candidates belong together.
    """
    if not results:
        raise ExchangeError(f"{name}: found an empty mapping; allowed {TABLES}")
    twice = [key for key, n in Counter(map(str, results)).items() if n > 1]
    if twice:
        raise ExchangeError(f"{name}: found {shown(twice[0])} twice; allowed names that differ")
    parts_of_keys = {len(key) if isinstance(key, tuple) else 1 for key in results}
    if parts_of_keys == {2}:
        raise _keys_of_two_parts(name, measure, next(iter(results)))
    if all(isinstance(inner, pd.DataFrame) for inner in results.values()):
        frames = {str(key): inner for key, inner in results.items()}
        whole: pd.DataFrame = pd.concat(frames, names=["dataset"])
        return whole
    nested = [isinstance(inner, Mapping) for inner in results.values()]
    if all(nested) and all(_are_of_candidates(inner) for inner in results.values()):
        tables = {
            str(key): _of_mapping(inner, str(key), measure, are_apart=are_apart)
            for key, inner in results.items()
        }
        return pd.concat(tables, names=["dataset"]).reset_index(level=0)
    if all(nested) and all(_has_measures(inner) for inner in results.values()):
        return _of_measures(results, name, are_apart=are_apart)
    if all(nested):
        parts = {
            str(key): _one_mapping(inner, str(key), measure, are_apart=are_apart)
            for key, inner in results.items()
        }
        own = {"candidate" if _has_columns(inner) else "dataset" for inner in results.values()}
        if len(own) > 1:
            raise ExchangeError(f"{name}: found mappings of two kinds; allowed {TABLES}")
        is_one_a_split = not any("params" in inner for inner in results.values())
        if own == {"candidate"} and is_one_a_split and not are_apart:
            _check_lengths(parts, name, "as many replications of each, on the same splits")
        return pd.concat(parts, names=[own.pop()]).reset_index(level=0)
    return _one_mapping(results, name, measure, are_apart=are_apart)


def _has_measures(inner: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of measures to their values, by the names of all."""
    return len(inner) > 0 and all(isinstance(key, str) and is_known(key) for key in inner)


def _of_measures(
    results: Mapping[Any, Mapping[Any, Any]], name: str, *, are_apart: bool
) -> pd.DataFrame:
    """Lay out candidates, their measures and the values of these, one or several."""
    columns = {
        (str(candidate), str(measure)): np.atleast_1d(
            _numbers(cells, f"{name}: found {shown(str(candidate))}:", ONE_A_REPLICATION)
        )
        for candidate, inner in results.items()
        for measure, cells in inner.items()
    }
    if any(own.ndim != 1 for own in columns.values()):
        raise ExchangeError(f"{name}: found arrays of several dimensions; allowed {TABLES}")
    if not are_apart:
        named = {f"{candidate}, {measure}": own for (candidate, measure), own in columns.items()}
        _check_lengths(named, name, "as many of each, with nan for a missing one")
    parts = {
        str(candidate): pd.DataFrame({m: pd.Series(columns[str(candidate), str(m)]) for m in inner})
        for candidate, inner in results.items()
    }
    frame: pd.DataFrame = pd.concat(parts, names=["candidate", "replication"]).reset_index()
    return frame.assign(replication=frame["replication"] + 1)


def _keys_of_two_parts(name: str, measure: str, key: tuple[Any, ...]) -> ExchangeError:
    """Return the error for names of candidates and data sets in one key, in any order."""
    return ExchangeError(
        f"{name}: found names of two parts, such as {key!r}; allowed a mapping of data sets to "
        "mappings of candidates, or a frame that says which part is what: "
        "pandas.DataFrame(results).melt(var_name=['candidate', 'dataset'], "
        f"value_name={measure!r}, ignore_index=False).rename_axis('replication').reset_index()"
    )


def _are_of_candidates(inner: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of candidates to what cross_validate returns."""
    return bool(inner) and all(
        isinstance(own, Mapping) and _has_columns(own) and "params" not in own
        for own in inner.values()
    )


def _has_columns(inner: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one of columns, as cross_validate and searches return it."""
    return {"fit_time", "score_time"} <= inner.keys() or "params" in inner


def _one_mapping(
    results: Mapping[Any, Any], name: str, measure: str, *, are_apart: bool
) -> pd.DataFrame:
    """Lay out one mapping of columns, or of candidates to the values of one data set."""
    if _has_columns(results):
        kept = {k: c for k, c in results.items() if not isinstance(c, Mapping) and k not in OBJECTS}
        columns = {str(key): list(column) for key, column in kept.items()}
        _check_lengths(columns, name, "as many of each")
        frame = pd.DataFrame(columns)
        return frame if "params" in results else frame.assign(replication=range(1, len(frame) + 1))
    values = {}
    if not are_apart:
        _check_alignment(results, name)
    for candidate, cells in results.items():
        where = f"{name}: found {shown(str(candidate))}:"
        array = np.atleast_1d(_numbers(cells, where, ONE_A_REPLICATION))
        if array.ndim != 1:
            found = f"an array of shape {array.shape}"
            raise ExchangeError(f"{where} {found}; allowed {ONE_A_REPLICATION}")
        values[str(candidate)] = pd.Series(array, index=1 + np.arange(len(array)))
    if not are_apart:
        _check_lengths(
            values,
            name,
            "as many of each, with nan for a missing one, or unit='sample' where none of these "
            "belong together",
        )
    return pd.concat(values, names=["candidate", "replication"]).rename(measure).reset_index()


def _check_lengths(columns: Mapping[str, Sized], name: str, allowed: str) -> None:
    """Refuse columns of different lengths."""
    if len({*map(len, columns.values())}) > 1:
        found = listed([f"{len(column)} of {key}" for key, column in columns.items()])
        raise ExchangeError(f"{name}: found values: {found}; allowed {allowed}")


def _check_alignment(results: Mapping[Any, Any], name: str) -> None:
    """Refuse series whose rows have other names: those of a place may not belong together."""
    series = {k: cells for k, cells in results.items() if isinstance(cells, pd.Series)}
    first = next(iter(series.values()), None)
    for candidate, cells in series.items():
        if first is not None and not cells.index.equals(first.index):
            found = f"rows of {shown(str(candidate))} with other names than those of the first"
            allowed = "series with one index, a data frame of them, or arrays such as to_numpy()"
            raise ExchangeError(f"{name}: found {found}; allowed {allowed}")


def _of_frame(frame: pd.DataFrame, name: str, measure: str, columns: Columns) -> RawTable:
    """Return a data frame as a table; index levels with names, and data sets there, are columns."""
    known = {m: Measure(**facts) for m, facts in frame.attrs.get(MEASURES, {}).items()}
    if isinstance(frame.columns, pd.MultiIndex):
        found = f"columns of {frame.columns.nlevels} levels"
        raise ExchangeError(f"{name}: found {found}; allowed one, such as after frame.stack()")
    frame = _upright(frame, name, columns)
    own_index = frame.index
    named = _named_levels(frame, name, columns)
    heads = [str(head) for head in (*named, *frame.columns)]
    twice = [head for head, n in Counter(heads).items() if n > 1]
    if twice:
        found = f"found the column {shown(twice[0])} twice"
        raise ExchangeError(f"{name}: {found}; allowed once, also among the names of the index")
    if named:
        frame = frame.reset_index(level=named)
    frame = frame.set_axis(heads, axis=1)
    taken = {"measure", measure} & {*frame.columns, *columns} or "value" in columns
    taken = taken or any(plain_name(head) in OF_MEASURES for head in heads)
    if "value" in frame.columns and not taken:
        frame = frame.rename(columns={"value": measure})
    probe = RawTable(Path(name), dict.fromkeys(frame.columns), len(frame), None)
    given = columns.get("candidate", ())
    several = () if isinstance(given, str) else [c for c in given if c in frame.columns]
    texts = [c for c in several if _first_text(frame[c]) is not None]
    if not is_wide(probe, columns, texts):
        return _raw(frame, name, own_index, known)
    frame = _with_texts_of_flags(frame)
    numbers = {c: _as_floats(frame[c], name) for c in frame.columns if _has_numbers(frame[c])}
    table = _raw(frame.assign(**numbers), name, own_index, known)
    has_rows = columns.get("dataset") != COLUMNS
    return replace(table, wide_measure=measure, has_ordered_rows=has_rows)


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
    if not across or "dataset" in columns or _has_candidates(map(str, frame.columns)):
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
        cells[column] = cells[column].map(str, na_action="ignore")
    try:
        table = pa.Table.from_pandas(cells, preserve_index=False)
    except (pa.ArrowException, OverflowError) as error:
        message = shown(" ".join(str(error).split()))
        raise ExchangeError(f"{name}: found no table ({message}); allowed {TABLES}") from None
    found = named_columns(Path(name), list(cells.columns), table.columns)
    rows = index.tolist()
    unnamed = unnamed_columns(list(cells.columns), table.columns)
    texts = [label for label in rows if isinstance(label, str)]
    if not found.keys() & {ROW_NAMES} and (
        len(texts) == len(rows) or any(map(is_summary_name, texts))
    ):
        names = pa.array([str(label) for label in rows], pa.string())
        unnamed = {ROW_NAMES: pa.chunked_array([names]), **unnamed}
    return RawTable(
        Path(name),
        found,
        len(cells),
        None,
        known,
        place=lambda row: f"row {_label(rows[row])}",
        unnamed=unnamed,
        is_argument=True,
    )


def _label(label: Any) -> str:
    """Write the label of a row; of several levels, one after the other."""
    return listed(map(str, label)) if isinstance(label, tuple) else shown(label)


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
    if isinstance(given, str) or (given is None and _has_candidates(table.columns)):
        return False
    return find_format(table) is None


def _is_number(column: pd.Series[Any]) -> bool:
    """Whether a column holds real numbers, and no truth values."""
    kinds = pd.api.types
    is_other = kinds.is_bool_dtype(column) or kinds.is_complex_dtype(column)
    return kinds.is_numeric_dtype(column) and not is_other


def _floats(column: pd.Series[Any]) -> np.ndarray[Any, Any]:
    """Return a column of which every cell is a number, or missing."""
    if _is_number(column):
        return column.to_numpy(np.float64, na_value=np.nan)
    gaps = column.isna().to_numpy()
    return np.array([np.nan if gap else float(x) for x, gap in zip(column, gaps, strict=True)])


def _has_numbers(column: pd.Series[Any]) -> bool:
    """Whether a column of objects has cells that read as numbers, or its numbers are complex."""
    if pd.api.types.is_complex_dtype(column):
        return True
    is_open = column.dtype == object and any(_reads_as_number(cell) for cell in column)
    return is_open and not all(isinstance(cell, str) for cell in column.dropna())


def _as_floats(column: pd.Series[Any], name: str) -> np.ndarray[Any, Any]:
    """Return the numbers of a column of objects.

    Raises ExchangeError if a cell is none.
    """
    place = _first_text(column)
    if place is not None:
        where = f"{name}: row {_label(column.index[place])}, column {listed([str(column.name)])}"
        found = shown(column.iloc[place])
        raise ExchangeError(f"{where}: found {found}; allowed a number, or NA for a missing one")
    return _floats(column)


def _reads_as_number(cell: Any) -> bool:
    """Whether a cell is a real number, or the text of one."""
    if isinstance(cell, bool) or not isinstance(cell, Real | Decimal | str):
        return False
    try:
        float(cell)
    except (ValueError, OverflowError):
        return False
    return True


def _has_candidates(names: Iterable[str]) -> bool:
    """Whether a column has the name of those of candidates."""
    return any(plain_name(name) in CANDIDATES for name in names)


def _first_text(column: pd.Series[Any]) -> int | None:
    """Return the place of the first cell that is no number, if there is one."""
    if _is_number(column):
        return None
    places = column.notna().to_numpy()
    if pd.api.types.is_object_dtype(column) or pd.api.types.is_string_dtype(column):
        places = places & ~np.array([_reads_as_number(cell) for cell in column], bool)
    return int(places.argmax()) if places.any() else None
