"""Data sets in files (CSV, TSV, Parquet, ARFF): their inputs, and what looks odd in them."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.datasets.arff import read_arff
from reportgen.catalogue.datasets.dataset import DataSet, is_numeric
from reportgen.catalogue.names import unknown_name
from reportgen.errors import SetupError
from reportgen.file_reading import utf8_fault
from reportgen.measures import Task

log = logging.getLogger(__name__)

LEAST_ROWS = 20  # fewer rows may well have a name each
MOST_NAMED = 5  # columns or classes in a message
MOST_SIGNS, LEAST_NUMBERS = 2, 10  # of a missing value, among values that are numbers

ISO_DATE = r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?)?"
EPOCH = pd.Timestamp("1970-01-01", tz="UTC")
DAY = pd.Timedelta(days=1)
FEWEST_LEVELS, FEWEST_ROWS = 50, 5  # a text of so many values, with fewer rows each, is a name
MOST_NUMBERS = 0.5  # of the values of a text: with more it is a column of numbers with odd cells


def load_file(
    name: str,
    path: Path,
    target: str,
    task: str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    *,
    test: Path | None = None,
    groups: str | None = None,
    time: str | None = None,
) -> DataSet:
    """Read a data set from a CSV, TSV, Parquet or ARFF file.

    `path`: ends in .csv, .tsv, .parquet or .arff; all but Parquet also with .gz.
    `target`: the column to predict; all others are inputs.
    `task`: may be left out where the target's kind shows it: text is classified, numbers with a
    fraction are regressed.
    `drop`: columns that are no inputs.
    `categorical`: columns of numbers that are categories.
    `test`: A file with a test sample, which has the same columns.
    `groups`: A column whose equal values stay together; it is no input.
    `time`: A column by which the observations are in order; it is no input.
    Raises SetupError if the file cannot be read, the target is not in it, or the data do not suit
    the task.
    """
    if task is not None and task not in get_args(Task):
        raise unknown_name(f"task of the data set {name!r}:", task, get_args(Task))
    frame = _read(name, path)
    n_test = 0
    if test is not None:
        frame, n_test = _with_test_sample(name, frame, _read(name, test), test)
    if target not in frame.columns:
        raise unknown_name(f"target of the data set {name!r}:", target, map(str, frame.columns))
    grouping, timing = (() if column is None else (column,) for column in (groups, time))
    named = (("drop", drop), ("categorical", categorical), ("groups", grouping), ("time", timing))
    for key, columns in named:
        for column in columns:
            if column not in frame.columns or column == target:
                others = [str(c) for c in frame.columns if c != target]
                raise unknown_name(f"column under {key} of the data set {name!r}:", column, others)
    response = frame[target]
    inputs = frame.drop(columns=list(dict.fromkeys((target, *drop, *grouping, *timing))))
    inputs = inputs.astype({column: "category" for column in categorical if column in inputs})
    return data_of(
        name,
        inputs,
        response,
        task_of(name, response, task),
        f"file {path.name}",
        n_test=n_test,
        groups=None if groups is None else frame[groups],
        time=None if time is None else frame[time],
    )


def data_of(
    name: str,
    inputs: pd.DataFrame,
    response: pd.Series,
    task: Task,
    origin: str,
    *,
    n_test: int = 0,
    groups: pd.Series | None = None,
    time: pd.Series | None = None,
) -> DataSet:
    """Return a data set that a user brings; what looks odd about it is logged.

    `name`, `inputs`, `response`, `task`, `origin`: see `DataSet.of`.
    `n_test`: number of observations at the end that are a test sample of their own.
    `groups`: observations with equal values stay together.
    `time`: numbers or dates by which the observations are in order.
    Raises SetupError if the data do not suit the task, or a group or a time is missing.
    """
    found = DataSet.of(name, _usable(name, inputs), response, task, origin)
    numbers = None if groups is None else _numbered(name, groups)
    times = None if time is None else _ordered(name, time)
    whole = replace(found, n_test=n_test, groups=numbers, times=times)
    warn_of_oddities(whole)
    return whole


def _usable(name: str, inputs: pd.DataFrame) -> pd.DataFrame:
    """Make dates numbers, and leave out what names rows; both are logged."""
    columns = {}
    for column in inputs:
        days = days_of(inputs[column])
        if days is not None:
            log.info("data set %r: the dates of %r are days since 1970-01-01", name, str(column))
        elif is_name(inputs[column]):
            log.warning(
                "data set %r: %r is left out: its %d texts name something; `groups: %s` keeps its "
                "rows together, and among `categorical` it is an input",
                *(name, str(column), inputs[column].nunique(), column),
            )
            continue
        columns[column] = inputs[column] if days is None else days
    return pd.DataFrame(columns, index=inputs.index)


def _with_test_sample(
    name: str, frame: pd.DataFrame, test: pd.DataFrame, path: Path
) -> tuple[pd.DataFrame, int]:
    """Put a test sample below the learning data."""
    if set(test.columns) != set(frame.columns):
        differing = sorted(map(str, set(test.columns) ^ set(frame.columns)))
        raise SetupError(
            f"data set {name!r}: {path.name}: found other columns than in the learning data: "
            f"{', '.join(differing[:5])}; allowed the same"
        )
    if test.empty:
        raise SetupError(f"data set {name!r}: {path.name}: found no rows; allowed one or more")
    return pd.concat([frame, test[frame.columns]], ignore_index=True), len(test)


def _ordered(name: str, column: pd.Series) -> NDArray[np.int64]:
    """Number the different times in their order."""
    _refuse_gaps(name, "time", column)
    times = _times(column)
    if times is None:
        raise SetupError(
            f"data set {name!r}: found {str(column.iloc[0])[:40]!r} in the time {column.name!r}; "
            "allowed numbers, or dates in ISO 8601 such as 2024-03-01 or 2024-03"
        )
    codes, _ = pd.factorize(times, sort=True)
    return codes.astype(np.int64)


def _times(column: pd.Series) -> pd.Series | None:
    """Return numbers, dates, spans of time, or the places of ordered categories; None of others."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        if column.dtype.ordered:
            return column.cat.codes
        column = column.astype(column.dtype.categories.dtype)
    dates = dates_of(column)
    if dates is not None:
        return dates
    is_span = isinstance(column.dtype, pd.PeriodDtype) or column.dtype.kind == "m"
    if is_span or is_numeric(column):
        return column
    if not pd.api.types.is_string_dtype(column.dtype):
        return None
    try:
        numbers = pd.to_numeric(column)
    except ValueError:
        return None
    return numbers if is_numeric(numbers) and numbers.notna().all() else None


def _refuse_gaps(name: str, role: str, column: pd.Series) -> None:
    gaps = np.flatnonzero(column.isna())
    if len(gaps):
        raise SetupError(
            f"data set {name!r}, row {gaps[0] + 1}: found no value of the {role} {column.name!r}, "
            f"as in {len(gaps)} of {len(column)} rows; allowed a value in each"
        )


def _numbered(name: str, column: pd.Series) -> NDArray[np.int64]:
    """Number the groups in the order in which they come."""
    _refuse_gaps(name, "group", column)
    codes, _ = pd.factorize(column)
    return codes.astype(np.int64)


def task_of(name: str, response: pd.Series, task: str | None) -> Task:
    """Return the task that is given, or that of the target.

    Raises SetupError if it does not show.
    """
    known = task if task is not None else _guess_task(name, response)
    return "regression" if known == "regression" else "classification"


def _read(name: str, path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise SetupError(f"data set {name!r}: {path}: found no such file; allowed a file of data")
    suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
    reader = _READERS.get(suffix)
    if reader is None or (suffix == ".parquet" and path.name.endswith(".gz")):
        allowed = ", ".join(_READERS)
        raise SetupError(
            f"data set {name!r}: {path.name}: found a file of no known kind; allowed {allowed}"
        )
    try:
        return reader(path)
    except UnicodeDecodeError as error:
        raise SetupError(f"data set {name!r}: {path.name}: {_encoding_fault(path)}") from error
    except (ValueError, OSError, EOFError) as error:
        raise SetupError(
            f"data set {name!r}: {path.name}: found a file that cannot be read "
            f"({str(error).strip()}); allowed one of the kind that its name says"
        ) from error


def _encoding_fault(path: Path) -> str:
    """Say where a file is not UTF-8."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    fault = utf8_fault(content)
    found = f"line {fault[0]}: found {fault[1]}" if fault else "found text that is not UTF-8"
    return f"{found}; allowed text in UTF-8: save the file in that encoding"


def _read_arff(path: Path) -> pd.DataFrame:
    if path.name.endswith(".gz"):
        with gzip.open(path, "rt", encoding="utf-8-sig") as file:
            return read_arff(file.read())
    return read_arff(path.read_text(encoding="utf-8-sig"))


def _read_csv(path: Path, sep: str = ",") -> pd.DataFrame:
    """Read a table; of CSV also the kind with semicolons, and with decimal commas."""
    head = _table(path, sep, n_rows=0)
    if sep != "," or head.shape[1] > 1 or ";" not in "".join(map(str, head)):
        return _table(path, sep)
    frame = _table(path, ";")
    commas = any(_has_decimal_commas(frame[column]) for column in frame)
    return _table(path, ";", decimal=",") if commas else frame


def _table(path: Path, sep: str, *, decimal: str = ".", n_rows: int | None = None) -> pd.DataFrame:
    """Read a table; of rows with one cell more than the header it is their name, as R writes it."""
    frame = pd.read_csv(
        path, encoding="utf-8-sig", low_memory=False, sep=sep, decimal=decimal, nrows=n_rows
    )
    n_more = 0 if isinstance(frame.index, pd.RangeIndex) else frame.index.nlevels
    if n_more > 1 or not frame.index.is_unique:  # pandas takes any number of cells as names
        n_cells = frame.shape[1] + n_more
        raise ValueError(
            f"rows of {n_cells} cells, a header of {frame.shape[1]}: are there decimal commas? One "
            "cell more may be the row's name, where all names differ"
        )
    return frame


def _has_decimal_commas(column: pd.Series) -> bool:
    texts = column.dropna()
    if is_numeric(column) or texts.empty:
        return False
    return bool(texts.astype(str).str.fullmatch(r"[-+]?\d*,?\d+(?:[eE][-+]?\d+)?").all())


_READERS: Mapping[str, Callable[[Path], pd.DataFrame]] = MappingProxyType(
    {
        ".csv": _read_csv,
        ".tsv": partial(_read_csv, sep="\t"),
        ".parquet": pd.read_parquet,
        ".arff": _read_arff,
    }
)


def _guess_task(name: str, response: pd.Series) -> Task:
    if not is_numeric(response):
        return "classification"
    values = response.dropna().to_numpy(np.float64)
    if (values != np.round(values)).any():
        return "regression"
    raise SetupError(
        f"data set {name!r}: found the target {response.name!r} of whole numbers, which may be "
        "classes or quantities; allowed with task: classification or task: regression"
    )


def warn_of_oddities(data: DataSet) -> None:
    """Log what a user may not have meant: see `oddities`."""
    for oddity in oddities(data):
        log.warning("data set %r: %s", data.name, oddity)


def oddities(data: DataSet) -> Iterator[str]:
    """Warn of implausible values in a data set.

    Result: inputs that never vary; names or numbers of rows taken for an input; signs that make
    numbers categories; classes of a single observation; repeated rows where an input has fractions,
    which hardly come twice by chance.
    """
    inputs = data.inputs
    columns = [str(column) for column in inputs]
    constant = [c for c in columns if inputs[c].nunique() < 2]
    if constant:
        yield f"no variation in {_listed(constant)}"
    named = [c for c in columns if data.n >= LEAST_ROWS and _names_rows(inputs[c])]
    if named:
        dropped = json.dumps(named[:MOST_NAMED], ensure_ascii=False)
        yield (
            f"another value in every row of {_listed(named)}; if it names the rows, leave it out "
            f"by drop: {dropped}"
        )
    for column in columns:
        signs = _signs_among_numbers(inputs[column])
        if signs:
            yield (
                f"{_listed(signs)} among the numbers of {column!r}, which so are categories; where "
                "a value is missing, leave the cell empty"
            )
    if data.task == "classification":
        counts = data.target.value_counts()
        single = [str(name) for name in counts.index[counts.to_numpy() == 1]]
        if single:
            yield f"one observation only of the class {_listed(single)}"
    n_repeated = _n_repeated(data)
    if n_repeated:
        yield (
            f"{n_repeated:,} of {data.n:,} rows repeat earlier ones, so that a test sample may "
            "hold copies of what was learnt from; if they are copies, leave them out, or name the "
            "column that shows which belong together by groups:"
        )


def _names_rows(column: pd.Series) -> bool:
    """Whether an input has a name, or a number, for every row."""
    if column.nunique() != len(column):
        return False
    is_named = isinstance(column.dtype, pd.CategoricalDtype)
    return is_named or bool(column.max() - column.min() == len(column) - 1 and _is_whole(column))


def _is_whole(column: pd.Series) -> bool:
    return bool((column == column.round()).all())


def _signs_among_numbers(column: pd.Series) -> list[str]:
    """Return the few texts of a nominal input whose other values are numbers."""
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return []
    levels = pd.Series([str(level) for level in column.cat.categories], dtype=object)
    others = levels[pd.to_numeric(levels, errors="coerce").isna()]
    return list(others) if 0 < len(others) <= MOST_SIGNS and len(levels) > LEAST_NUMBERS else []


def _n_repeated(data: DataSet) -> int:
    """Count rows that occurred before, where an input has fractions and no groups are known."""
    numbers = data.inputs.select_dtypes("number").to_numpy(np.float64)
    finite = numbers[np.isfinite(numbers)]
    if data.groups is not None or not (finite != np.round(finite)).any():
        return 0
    return int(data.inputs.assign(**{"": data.target}).duplicated().sum())


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    shown = ", ".join(repr(name) for name in names[:MOST_NAMED])
    return f"{shown} and {more} more" if more > 0 else shown


def days_of(column: pd.Series) -> pd.Series | None:
    """Return dates as days since 1970-01-01 in UTC, durations as days; None of anything else.

    Text is of dates where every value is one in ISO 8601: in other forms day and month are guesses.

    Examples
    --------
    >>> days_of(pd.Series(["1970-01-02", None, "1970-01-03T12:00"])).tolist()
    [1.0, nan, 2.5]
    >>> days_of(pd.Series(["1970-01-02", "01/02/1970"])) is None
    True
    """
    if pd.api.types.is_timedelta64_dtype(column.dtype):
        return pd.Series(column.to_numpy() / DAY.to_timedelta64(), index=column.index)
    dates = dates_of(column)
    return None if dates is None else (dates - EPOCH) / DAY


def dates_of(column: pd.Series) -> pd.Series | None:
    """Return dates in UTC, as `days_of` knows them; None of anything else."""
    if not pd.api.types.is_datetime64_any_dtype(column.dtype):
        levels = list(column.dropna().unique()) if _is_text(column) else []
        texts = pd.Series(levels, dtype=object)
        if not levels or not texts.astype(str).str.fullmatch(ISO_DATE).all():
            return None
        found = pd.to_datetime(texts, format="ISO8601", utc=True, errors="coerce")
        if found.isna().any():  # the 13th month
            return None
        column = column.map(dict(zip(levels, found, strict=True)))
    return pd.to_datetime(column, utc=True)


def is_name(column: pd.Series) -> bool:
    """Whether a text has so many values that they name something: no other row is to have them.

    Examples
    --------
    >>> is_name(pd.Series([f"C{i}" for i in range(60)]))
    True
    >>> is_name(pd.Series([f"C{i % 3}" for i in range(60)]))
    False
    """
    if not _is_text(column):
        return False
    levels = column.dropna().unique()
    if len(levels) < FEWEST_LEVELS or len(column) >= FEWEST_ROWS * len(levels):
        return False
    texts = pd.Series(levels, dtype=object).astype(str)
    is_number = pd.to_numeric(texts, errors="coerce").notna()
    return not (is_number.mean() > MOST_NUMBERS or texts.str.contains(r"\s").any())


def _is_text(column: pd.Series) -> bool:
    """Whether a column is text; one whose categories are named is meant as it is."""
    is_text = pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(
        column.dtype
    )
    return is_text and not isinstance(column.dtype, pd.CategoricalDtype)
