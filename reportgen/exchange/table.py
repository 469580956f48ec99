"""A table in a file, with its rows numbered as the file numbers them."""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.cells import (
    CELL,
    Beside,
    Cells,
    SpreadKind,
    has_interval,
    read_cell,
    read_cells,
)
from reportgen.exchange.keys import BELOW, COMMANDS, argument, flow
from reportgen.performance_measure import Measure
from reportgen.study.errors import is_one_line, listed, shown, suggestion
from reportgen.warehouse.rows import natural_order

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from reportgen.warehouse.files import StoredDesign

MISSING = ("", "na", "n/a", "nan", "null", "none")
"""Texts that mean a missing number, in lower case."""
NOTHING = ("-", "--", "---", "–", "—", "−", "?", "n.a.", "n. a.", "#n/a", "<na>", "nat")
"""Likewise, where all other cells of a column are numbers: tables of papers have such marks."""
MOST_WHOLE = 2**53  # from here on a number may stand for several whole ones
# Row names of R, the index of pandas in Parquet and, read from a text file, in a column again.
UNNAMED = re.compile(r"\s*|__index_level_\d+__|Unnamed: \d+([._]\w+)*")
ROW_NAMES = "row names"  # what a column without a name is called, where it is read
N_VALUES = "n_values"  # our name for the column of how many values a mean is of
IGNORED = "ignore"  # our name for columns that the user leaves out
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}([.,' \u00a0\u202f][0-9]{3})+([.,][0-9]+)?")
WITH_COMMA = re.compile(r"(?<![0-9])[0-9]*,[0-9]*[eE]?")
WITH_POINT = re.compile(r"[1-9][0-9]{0,2}\.[0-9]{3}")
FEW = 100  # cells, for which RE2 takes longer to read the expression than Python to read them
_SHORT_CELL = re.compile(
    CELL[:-1].replace(r"\s", r"[ \t\n\f\r]") + r"\Z", re.ASCII
)  # as RE2 reads it
MOST_BEFORE = 3  # digits of a number that has no thousands
WHOLE_THOUSANDS = re.compile(r"[1-9][0-9]{0,2},[0-9]{3}")
LARGEST_SHARE = 100  # in per cent; a larger number beside 1,234 shows that this is a large one, too
PARTS = {
    "params": "params",
    "config": "params",
    "hparams": "params",
    "tags": "tags",
    "metrics": "metrics",
}
"""Settings, notes and results of runs, as MLflow, Ray and Weights & Biases write them."""
PART = re.compile(rf"^({'|'.join(PARTS)})[./]")
BEFORE_NAMES = re.compile(
    rf"^(?:({'|'.join(PARTS)})[./]|(params|user_attrs)_(?=\w))"
)  # also Optuna's
log = logging.getLogger(__name__)

BOM = b"\xef\xbb\xbf"
Columns = Mapping[str, str | Sequence[str]]
"""The file's column by our name for it; several of replications, data sets and candidates."""
RowsCount = Literal["rows"]

LONGEST = 1_000  # characters of a name, which a page repeats and patterns read many times


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of names: each name once, and the number of the name in every row."""

    # In natural order, which no order of rows can change; in their own where the file gives them
    # one.
    names: tuple[str, ...]
    codes: NDArray[np.integer[Any]]  # (n,); index into `names`

    def of(self, row: int) -> str:
        """Return the name in a row."""
        return self.names[int(self.codes[row])]


@dataclass(frozen=True, slots=True)
class RawTable:
    """The columns of a file as they were written."""

    path: Path
    columns: dict[str, pa.ChunkedArray] = field(repr=False)  # without those that have no name
    n_rows: int
    separator: str | None  # of a text file; None for Parquet
    # Measures of which the file, or the program that wrote it, defines what they are, by their name
    # in the file.
    known: Mapping[str, Measure] = field(default_factory=dict)
    program: str = ""  # what wrote the table, where it is not simply a table; for messages
    # Describes where a row comes from, in files that do not have rows.
    place: Callable[[int], str] | None = None
    failures: pd.DataFrame | None = None  # the failed fits in the file, as in the warehouse
    reasons: Mapping[int, str] = field(default_factory=dict)  # why a row has no result, by row
    remarks: pd.DataFrame | None = None  # its warnings and choices, likewise
    # What was decided while the table was read, and of which column: a note that goes along when
    # the table is replaced.
    decided: list[tuple[str, str]] = field(default_factory=list, compare=False)
    # The file's column by our name for it, where the user has given it; replications may have
    # several.
    user_columns: Columns = field(default_factory=dict)
    # Whether the user has declared that the rows of a candidate are its replications.
    counts_rows: bool = False
    # The order of a column's names, where the file gives it apart from its rows.
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # The name of the format, where the table was made of logs, which have no columns.
    log_format: str = ""
    # Which item each replication is, columns `ITEM_COLUMNS` of a warehouse.
    items: pd.DataFrame | None = None
    losses: pd.DataFrame | None = None  # mean losses of observations, likewise
    design: StoredDesign | None = None  # how samples were drawn, where the file says it
    # What a replication is, where the file says it: an "item", or a "sample" that candidates do not
    # share; "" otherwise.
    unit: str = ""
    # The columns without a name, which are read only where nothing else names the rows.
    unnamed: Mapping[str, pa.ChunkedArray] = field(default_factory=dict, repr=False)
    # The kinds of columns whose cells are lists or records, which nothing reads, by their names.
    nested: Mapping[str, str] = field(default_factory=dict)
    # What the numbers of a wide table are, where it was made of an object; "" otherwise.
    wide_measure: str = ""
    # The columns of spreads by that of the means, where these are not in one cell.
    spreads: Mapping[str, Beside] = field(default_factory=dict)
    # spread_kind, n_values: What the user says of all spreads, and how many values a mean is of.
    spread_kind: SpreadKind | None = None
    n_values: int | None = None
    n_processes: int | None = None  # of which the runs of a candidate are, in their order
    # At how many battles one looks at them, and by which rule; None without a plan.
    looks: Mapping[str, Any] | None = None
    # Whether the rows of a data set are its replications, where no column numbers them.
    has_ordered_rows: bool = False
    # The levels that a candidate's name is made of, by the columns that the user has named for it.
    candidate_levels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    is_argument: bool = False  # of a call in Python, which has arguments in place of a manifest

    def take(self, rows: NDArray[np.int64]) -> RawTable:
        """Return the table of some of the rows, which keep their places in the file."""
        columns = {name: column.take(rows) for name, column in self.columns.items()}
        unnamed = {name: column.take(rows) for name, column in self.unnamed.items()}
        places = self.where
        return replace(
            self,
            columns=columns,
            unnamed=unnamed,
            n_rows=len(rows),
            place=lambda row: places(int(rows[row])),
        )

    def error(
        self, found: str, allowed: str, *, row: int | None = None, column: str = ""
    ) -> ExchangeError:
        """Return the error for something in this file; `row` counts from 0."""
        parts = [self.where(row)] if row is not None else []
        parts += [f"column {listed([column])}"] if column else []
        path = f"{self.path} (from {self.program})" if self.program else str(self.path)
        where = f"{path}: {', '.join(parts)}" if parts else path
        return ExchangeError(f"{where}: found {found}; allowed {allowed}")

    def refuse_nested(self, names: Iterable[str]) -> None:
        """Refuse names of columns whose cells are lists or records."""
        for name in names:
            if name in self.nested:
                allowed = "a name or a number in each cell"
                raise self.error(f"values of type {self.nested[name]}", allowed, column=name)

    def key(self, name: str, value: object, *, option: str = "", is_alone: bool = True) -> str:
        """Write how a user gives a key below `results`: in a manifest, or in a call in Python.

        `option`: the same on the command line, where it has that.
        `is_alone`: whether the words before it do not say where the key stands.
        """
        if self.is_argument:
            return f"{name}={argument(value)}"
        command = f" ({COMMANDS}: {option})" if option else ""
        return f"`{name}: {flow(value)}`{BELOW if is_alone else ''}{command}"

    def where(self, row: int) -> str:
        """Describe the place of a row; `row` counts from 0."""
        return self.place(row) if self.place else f"row {row + 1}"

    def labels(self, column: str) -> Labels:
        """Read a column of names, in the spelling of the file.

        Raises ExchangeError if a name is missing, or cannot be shown on one line.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self.columns[column]
        try:
            if not pa.types.is_dictionary(array.type) or array.null_count:
                if not pa.types.is_integer(array.type):  # whose names are few, but not its cells
                    array = pc.cast(array, pa.string())
                array = pc.dictionary_encode(array, null_encoding="encode")
            encoded = array.unify_dictionaries().combine_chunks()
            written = encoded.dictionary.cast(pa.string()).to_pylist()
        except (pa.ArrowException, UnicodeDecodeError):
            raise self.error(f"values of type {array.type}", "names", column=column) from None
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        clean = [(name or "").strip() for name in written]
        for code, name in enumerate(clean):
            if not name or len(name) > LONGEST or not is_one_line(name):
                if not (codes == code).any():
                    continue
                row = int(np.argmax(codes == code))
                found = shown(written[code] or None)
                allowed = "a printable name"
                if not name:
                    allowed += " (fill it in where its block has it once; leave out rows of sums)"
                if len(name) > LONGEST:
                    allowed += f" of at most {LONGEST:,} characters"
                raise self.error(found, allowed, row=row, column=column)
        return _in_order(clean, codes, self.order(column))

    def names(self, columns: Sequence[str]) -> list[str]:
        """Return the names that columns have as candidates, without blanks around them.

        Raises ExchangeError if a name cannot be shown on one line, or two are the same.
        """
        clean: dict[str, str] = {}
        for column in columns:
            name = column.strip()
            if not is_one_line(name):
                raise self.error(f"the column {shown(column)}", "a printable name")
            if name in clean:
                raise self.error(f"the columns {clean[name]!r} and {column!r}", "names that differ")
            clean[name] = column
        return list(clean)

    def order(self, column: str) -> Sequence[str] | None:
        """Return the order in which the file has a column's names, apart from its rows, if any."""
        import pyarrow as pa

        kind = self.columns[column].type
        if pa.types.is_dictionary(kind) and kind.ordered:
            levels = self.columns[column].unify_dictionaries().combine_chunks().dictionary
            return [str(name).strip() for name in levels.to_pylist()]
        return self.orders.get(column)

    def as_labels(self, column: str, names: list[str]) -> Labels:
        """Return names, one a row, that were made of the cells of a column or of several.

        Raises ExchangeError as for `labels`.
        """
        import pyarrow as pa

        array = pa.chunked_array([pa.array(names, pa.string())])
        return replace(self, columns={column: array}).labels(column)

    def numbers(self, column: str) -> NDArray[np.float64]:
        """Read a column of numbers; NaN where a number is missing.

        Raises ExchangeError if anything is no number, or infinite.
        """
        return self.cells(column).values

    def cells(self, column: str) -> Cells:
        """Read a column of numbers, and what stands beside them in the cells.

        Raises ExchangeError as `numbers` does.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self.columns[column]
        if pa.types.is_dictionary(array.type):
            array = pc.cast(array, array.type.value_type)
        if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
            cells = self._parse(column, array)
        elif _is_number(array.type):
            cells = Cells(_floats(array))
        else:
            raise self.error(f"values of type {array.type}", "numbers", column=column)
        infinite = np.isinf(cells.values)
        if infinite.any():
            row = int(infinite.argmax())
            found = shown(self.columns[column][row].as_py())
            allowed = "finite numbers, and NA for a missing one"
            raise self.error(found, allowed, row=row, column=column)
        return self._with_spreads(column, cells)

    def _with_spreads(self, column: str, cells: Cells) -> Cells:
        """Add the spreads beside means; standard deviations where numbers of values are known."""
        # Raises ExchangeError if these are known, and nobody knows what the spreads are.
        beside = self.spreads.get(column)
        spreads = cells.spreads if beside is None else self.numbers(beside.spread)
        if spreads is None:
            return cells
        n_values = None
        if self.n_values is not None:
            n_values = np.full(self.n_rows, float(self.n_values))
        elif beside is not None and beside.n_values is not None:
            n_values = self.numbers(beside.n_values)
        elif isinstance(given := self.user_columns.get(N_VALUES), str):
            n_values = self.numbers(given)
        kind = self.spread_kind or (beside.kind if beside is not None else None)
        if n_values is None:
            return replace(cells, spreads=spreads)
        if kind is None:
            raise self.error(
                "means with a spread and a number of values",
                f"with {self.key('spread', 'sd')} (standard deviations of the values) or "
                f"{self.key('spread', 'se', is_alone=False)} (standard errors of the means)",
                column=column,
            )
        for name, numbers, least in (("spread", spreads, 0.0), (N_VALUES, n_values, 1.0)):
            is_odd = numbers < least
            if is_odd.any():
                row = int(is_odd.argmax())
                found, allowed = f"a {name} of {numbers[row]:g}", f"{least:g} and more"
                raise self.error(found, allowed, row=row, column=column)
        scale = np.sqrt(n_values) if kind == "se" else 1.0
        return replace(cells, spreads=spreads * scale, n_values=n_values)

    def is_numeric(self, column: str) -> bool:
        """Return whether any cell of a column is a number."""
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self.columns[column]
        if pa.types.is_dictionary(array.type):
            array = array.unify_dictionaries().unique().dictionary_decode()
        if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
            return _is_number(array.type)
        if len(array) <= FEW:
            with suppress(UnicodeDecodeError):
                return any(cell and _SHORT_CELL.match(cell) for cell in array.to_pylist())
        return bool(pc.any(pc.match_substring_regex(array, CELL)).as_py())

    def is_text(self, column: str) -> bool:
        """Return whether the cells of a column are text."""
        import pyarrow as pa

        kind = self.columns[column].type
        kind = kind.value_type if pa.types.is_dictionary(kind) else kind
        return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))

    def _parse(self, column: str, array: pa.ChunkedArray) -> Cells:
        """Turn text into numbers, also with decimal commas where no comma separates."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            plain = Cells(_floats(array))
            if self.separator == ";":
                self._check_points(column, array)
            return plain
        except pa.ArrowInvalid:
            text = pc.utf8_trim_whitespace(array)
        lower = pc.utf8_lower(text)
        is_missing = pc.is_in(lower, value_set=pa.array((*MISSING, *NOTHING)))
        text = pc.if_else(is_missing, pa.scalar(None, pa.string()), text)
        if self.separator != "," and pc.any(pc.match_substring(text, ",")).as_py():
            is_comma_number = pc.match_substring_regex(text, CELL)
            has_point = pc.any(pc.match_substring(text, ".")).as_py()
            if pc.all(is_comma_number).as_py() and not has_point:
                self._check_commas(column, array, text)
                log.info("%s: the commas in the column %s are decimal commas", self.path, column)
                self.decided.append(("decimal-commas", column))
                text = pc.replace_substring(text, ",", ".")
        marks = lower.filter(pc.is_in(lower, value_set=pa.array(NOTHING))).unique().to_pylist()
        found: Cells | int
        try:
            found = Cells(_floats(text))
        except pa.ArrowInvalid:
            texts = text.to_pylist()
            found = read_cells(texts)
            if isinstance(found, Cells) and any(map(has_interval, set(texts))):
                self._note("intervals", listed([column]))
        if isinstance(found, Cells):
            if marks:
                self._note("marks-of-nothing", f"{listed(map(shown, marks))} in {listed([column])}")
            return found
        cell = array[found].as_py()
        allowed = "a number with a decimal point, or NA" + _hint(str(cell))
        raise self.error(shown(cell), allowed, row=found, column=column)

    def _note(self, kind: str, of: str) -> None:
        """Note once how cells are read."""
        if (kind, of) not in self.decided:
            self.decided.append((kind, of))

    def _check_points(self, column: str, array: pa.ChunkedArray) -> None:
        """Refuse points each of which may part thousands, beside larger numbers without one."""
        levels = [level.strip() for level in array.unique().to_pylist() if level]
        with_point = [level for level in levels if "." in level]
        others = [level for level in levels if "." not in level]
        if not with_point or not others or not all(map(WITH_POINT.fullmatch, with_point)):
            return
        if not all(level.isdecimal() and len(level) == MOST_BEFORE for level in others):
            return
        row = next(i for i, cell in enumerate(array.to_pylist()) if cell and "." in cell)
        allowed = f"numbers of which it is clear what their point parts, beside {others[0]}"
        raise self.error(f"{shown(with_point[0])}", allowed, row=row, column=column)

    def _check_commas(self, column: str, array: pa.ChunkedArray, text: pa.ChunkedArray) -> None:
        """Refuse commas that may all part thousands, unless a text file has no large number."""
        # 0,123 has decimals.
        levels = [level for level in text.unique().to_pylist() if level is not None]
        numbers = (number for level in levels for number in WITH_COMMA.findall(level))
        if not all(WHOLE_THOUSANDS.fullmatch(number) for number in numbers):
            return
        plain = (read_cell(level) for level in levels if "," not in level)
        if self.separator is None or any(cell and abs(cell[0]) > LARGEST_SHARE for cell in plain):
            row = next(i for i, cell in enumerate(text.to_pylist()) if cell and "," in cell)
            allowed = "a number with a decimal point, or NA (leave out what parts thousands)"
            raise self.error(shown(array[row].as_py()), allowed, row=row, column=column)


def _first_cell(table: RawTable, column: str) -> str:
    """Return what is in the first cell of a column; nothing for times in a zone nobody knows."""
    try:
        cells = table.columns[column].slice(0, 1).to_pylist()
    except (ValueError, KeyError):
        return ""
    return next((str(cell) for cell in cells if cell is not None), "")


def odd_number(table: RawTable, columns: Sequence[str]) -> str:
    """Name the first cell that reads as a number but for a sign, and what to do; empty if none."""
    for column in columns:
        cell = _first_cell(table, column)
        if (hint := _hint(cell)) or any(digit in cell for digit in "0123456789"):
            return f", such as {shown(cell)} in {listed([column])}{hint}"
    return ""


def has_spread(table: RawTable, column: str) -> bool:
    """Whether the first cell of a column is a mean with a spread."""
    text = _first_cell(table, column)
    cell = read_cell(text.replace(",", "."))
    return cell is not None and isfinite(cell[1])


def _hint(cell: str) -> str:
    """Say what is wrong with a cell that reads as a number; empty where that is unknown."""
    if THOUSANDS.fullmatch(cell.strip()):
        return " (leave out what parts thousands)"
    marks = {mark: f"leave out the sign {mark}" for mark in "%€$£"}
    has_digit = any(digit in cell for digit in "0123456789")
    return next((f" ({words})" for mark, words in marks.items() if mark in cell and has_digit), "")


def _in_order(
    written: list[str], codes: NDArray[np.integer[Any]], order: Sequence[str] | None
) -> Labels:
    """Number names in the order that is given, else in natural order; what never appears goes."""
    counts = np.bincount(codes, minlength=len(written)).tolist()
    present = dict.fromkeys(name for name, n in zip(written, counts, strict=True) if n)
    led = {name: None for name in order or () if name in present}
    rest = [name for name in present if name not in led] if led else present
    names = (*led, *natural_order(rest))
    position = dict(zip(names, range(len(names)), strict=True))
    number = np.array([position.get(name, -1) for name in written], np.int32)
    return Labels(names, number[codes])


def split_rows(content: bytes, separator: str) -> Iterator[list[str]]:
    """Yield the rows of a text file as lists of cells, up to a cell that is too long to be one."""
    text = content.removeprefix(BOM).decode(errors="replace")
    with suppress(csv.Error):
        yield from csv.reader(io.StringIO(text, newline=""), delimiter=separator)


def _floats(array: pa.ChunkedArray) -> NDArray[np.float64]:
    import pyarrow as pa
    import pyarrow.compute as pc

    return np.asarray(pc.cast(array, pa.float64(), safe=False).to_numpy())


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def named_columns(path: Path, names: list[str], columns: list[Any]) -> dict[str, Any]:
    """Pair the columns with their names; leave out those without a name."""
    check_column_names(path, names)
    named: dict[str, Any] = {}
    for name, column in zip(names, columns, strict=True):
        if name in named:
            raise ExchangeError(f"{path}: found the column {shown(name)} twice; allowed once")
        if not UNNAMED.fullmatch(name):
            named[name] = column
    if names and not named:
        raise ExchangeError(f"{path}: found no name of a column; allowed a header of names")
    return named


def check_column_names(path: Path | str, names: Sequence[str]) -> None:
    """Raise ExchangeError if a column has a name that nobody gives to one."""
    long = next((name for name in names if len(name) > LONGEST), None)
    if long is not None:
        found = f"a column's name of {len(long):,} characters, {shown(long)}"
        raise ExchangeError(f"{path}: found {found}; allowed up to {LONGEST:,}")


def raw_table(
    path: Path, names: list[str], columns: list[Any], n_rows: int, **more: Any
) -> RawTable:
    """Return a table of columns, in which those without a name stand apart.

    `columns`: of pyarrow; those without any value are of text.
    `more`: further fields of the table, without a separator when left out.
    Raises ExchangeError if two columns have one name, or none has any.
    """
    import pyarrow as pa

    more = {"separator": None, **more}
    columns = [x.cast(pa.string()) if pa.types.is_null(x.type) else x for x in columns]
    named, unnamed = named_columns(path, names, columns), unnamed_columns(names, columns)
    return without_nested(RawTable(path, named, n_rows, unnamed=unnamed, **more))


def without_nested(table: RawTable, others: Mapping[str, str] | None = None) -> RawTable:
    """Return a table without columns whose cells are lists or records; their names are told.

    `others`: the kinds of such columns that are no part of the table, by their names.
    """
    import pyarrow as pa

    columns = {name: _plain(column) for name, column in table.columns.items()}
    unnamed = {name: _plain(column) for name, column in table.unnamed.items()}
    kinds = {name: column.type for name, column in {**unnamed, **columns}.items()}
    nested = {name: str(kind) for name, kind in kinds.items() if pa.types.is_nested(kind)}
    nested |= others or {}
    if not nested:
        return replace(table, columns=columns, unnamed=unnamed)
    for name, kind in nested.items():
        why = f"{listed([name])} (values of type {kind})"
        log.warning("%s: left out: %s", table.path, why)
        table.decided.append(("left-out-column", why))
    columns = {name: c for name, c in columns.items() if name not in nested}
    unnamed = {name: c for name, c in unnamed.items() if name not in nested}
    if not columns:
        found = f"only columns of lists and records: {listed(nested)}"
        raise table.error(found, "columns with a name or a number in each cell")
    return replace(table, columns=columns, unnamed=unnamed, nested=nested)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of text or bytes as one that Arrow can take rows of."""
    import pyarrow as pa

    kinds = {"string_view": pa.string(), "binary_view": pa.binary()}
    kind = kinds.get(str(column.type))
    return column if kind is None else column.cast(kind)


def text_of(value: object) -> str:
    """Return a cell or a name as text."""
    return str(decoded(value))


def decoded(value: object) -> object:
    """Return bytes, as HDF5 and NumPy hand out names, as the text that they are."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value


def unnamed_columns(names: Sequence[str], columns: Sequence[Any]) -> dict[str, Any]:
    """Return the columns without a name; of several that have none at all the first."""
    found: dict[str, Any] = {}
    for name, column in zip(names, columns, strict=True):
        if UNNAMED.fullmatch(name):
            found.setdefault(name.strip() or ROW_NAMES, column)
    return found


def tracker_part(column: str) -> str:
    """Return to which part of a run a tracker's column belongs: params, metrics or tags, or "".

    Examples
    --------
    >>> tracker_part("params.model"), tracker_part("metrics.test_auc"), tracker_part("model")
    ('params', 'metrics', '')
    """
    match = PART.match(column.lower())
    return PARTS[match[1]] if match else ""


def result_name(column: str) -> str:
    """Return the name of a result, without the part of a run that a tracker writes before it.

    Examples
    --------
    >>> result_name("metrics.test_auc"), result_name(" test_auc")
    ('test_auc', 'test_auc')
    """
    name = column.strip()
    return PART.sub("", name, count=1) if tracker_part(name) == "metrics" else name


@lru_cache(maxsize=100_000)
def plain_name(column: str) -> str:
    """Return a column's name in lower case, of letters and digits alone.

    The part of a run before it, as trackers of experiments write it, is left out, as is what stands
    in brackets behind it.

    Examples
    --------
    >>> plain_name("Cv-Fold"), plain_name("params.seed"), plain_name("model.name")
    ('cvfold', 'seed', 'model')
    >>> plain_name("Params (B)"), plain_name("#classes"), plain_name("(n)")
    ('params', 'classes', 'n')
    """
    bare = re.sub(r"(?<=\w)[./]name$", "", BEFORE_NAMES.sub("", column.strip().lower(), count=1))
    return re.sub(r"[\W_]", "", re.sub(r"(?<=\w)\s*(\([^()]*\)|\[[^][]*\])$", "", bare))


def unknown_column(table: RawTable, name: str, purpose: str) -> ExchangeError:
    """Return the error for a column that the manifest names and the file has not."""
    question = suggestion(name, table.columns)
    columns = f"one of the file's columns: {listed(table.columns)}{question}"
    return table.error(f"no column {shown(name)} for {purpose}", columns)


def cells_of(table: RawTable, column: str) -> list[str | None]:
    """Return the cells of a column as text; nothing of a kind that has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        cells: list[str | None] = pc.cast(table.columns[column], pa.string()).to_pylist()
    except (pa.ArrowException, UnicodeDecodeError):
        return [None] * table.n_rows
    return cells


def numbers_of(table: RawTable, column: str) -> NDArray[np.float64]:
    """Read the numbers of a column to judge it by; not a number for what is none."""
    import pandas as pd
    import pyarrow as pa

    if not table.is_text(column) and table.is_numeric(column):
        values: NDArray[np.float64] = table.columns[column].cast("float64", safe=False).to_numpy()
        return values
    if table.is_text(column):
        with suppress(pa.ArrowException):  # where any cell is no plain number
            return _floats(table.columns[column])
    cells = pd.Series(cells_of(table, column), dtype=object)
    if table.separator != ",":
        cells = cells.str.replace(",", ".")
    values = pd.to_numeric(cells, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    open_ = cells[np.isnan(values)].dropna()
    marked = {text: cell[0] for text in open_.unique() if (cell := read_cell(text))}
    if marked:
        values = np.where(np.isnan(values), cells.map(marked).to_numpy(np.float64), values)
    return values
