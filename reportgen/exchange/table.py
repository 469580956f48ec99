"""A table in a file, with the rows counted as the file counts them."""

from __future__ import annotations

import csv
import io
import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import ExchangeError
from reportgen.study.faults import is_one_line, listed, nearest, shown
from reportgen.warehouse import Measure
from reportgen.warehouse_files import measures_in

if TYPE_CHECKING:
    import pyarrow as pa

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
TEXT_FILES = (".csv", ".tsv", ".txt")
PARQUET_FILES = (".parquet", ".pq")
MISSING = ("", "na", "n/a", "nan", "null", "none")
"""What stands for a missing number, in lower case."""
UNNAMED = re.compile(r"\s*|__index_level_\d+__")  # row names of R, the index of pandas
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
COMMA_NUMBER = r"^[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?$"
log = logging.getLogger(__name__)

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Labels:
    """A column of names: each name once, and the number of the name in every row.

    Attributes
    ----------
    names : tuple of str
        In the order of first appearance.
    codes : ndarray of shape (n,), int
        Index into `names`.
    """

    names: tuple[str, ...]
    codes: NDArray[np.int64]

    def of(self, row: int) -> str:
        """Return the name in a row."""
        return self.names[int(self.codes[row])]


@dataclass(frozen=True, slots=True)
class RawTable:
    """The columns of a file as they were written.

    Attributes
    ----------
    path : Path
    columns : mapping of str to pyarrow.ChunkedArray
        Without those that have no name.
    n_rows : int
    separator : str or None
        Of a text file; None for Parquet.
    known : mapping of str to Measure
        Measures that a Parquet file says itself what they are.
    """

    path: Path
    columns: dict[str, pa.ChunkedArray] = field(repr=False)
    n_rows: int
    separator: str | None
    known: Mapping[str, Measure] = field(default_factory=dict)

    def error(
        self, found: str, allowed: str, *, row: int | None = None, column: str = ""
    ) -> ExchangeError:
        """Return the error for something in this file; `row` counts from 0."""
        parts = [f"row {self.row(row)}"] if row is not None else []
        parts += [f"column {column}"] if column else []
        where = f"{self.path}: {', '.join(parts)}" if parts else str(self.path)
        return ExchangeError(f"{where}: found {found}; allowed {allowed}")

    def row(self, row: int) -> int:
        """Return a row's number as the file counts: from 1, and a text file's header is row 1."""
        if self.separator is None:
            return row + 1
        records = enumerate(_records(self.path.read_bytes(), self.separator), start=1)
        filled = (number for number, record in records if record)
        next(filled)  # the header
        return next(number for i, number in enumerate(filled) if i == row)

    def labels(self, column: str) -> Labels:
        """Read a column of names, in the spelling of the file.

        Raises
        ------
        ExchangeError
            If a name is missing, or cannot be shown on one line.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        text = pc.cast(self.columns[column], pa.string()).combine_chunks()
        encoded = pc.dictionary_encode(text, null_encoding="encode")
        written = encoded.dictionary.to_pylist()
        codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        clean = [(name or "").strip() for name in written]
        for code, name in enumerate(clean):
            if not name or not is_one_line(name):
                row = int(np.argmax(codes == code))
                found = shown(written[code] or None)
                raise self.error(found, "a printable name", row=row, column=column)
        names = tuple(dict.fromkeys(clean))
        position = {name: i for i, name in enumerate(names)}
        return Labels(names, np.array([position[name] for name in clean], np.int64)[codes])

    def numbers(self, column: str) -> NDArray[np.float64]:
        """Read a column of numbers; NaN where a number is missing.

        Raises
        ------
        ExchangeError
            If anything is no number, or infinite.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self.columns[column]
        if pa.types.is_dictionary(array.type):
            array = pc.cast(array, array.type.value_type)
        if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
            array = self._parsed(column, array)
        elif not _is_number(array.type):
            raise self.error(f"values of type {array.type}", "numbers", column=column)
        values = np.asarray(pc.cast(array, pa.float64(), safe=False).to_numpy())
        infinite = np.isinf(values)
        if infinite.any():
            row = int(infinite.argmax())
            found = shown(self.columns[column][row].as_py())
            allowed = "finite numbers, and NA for a missing one"
            raise self.error(found, allowed, row=row, column=column)
        return values

    def is_numeric(self, column: str) -> bool:
        """Return whether any cell of a column is a number."""
        import pyarrow as pa
        import pyarrow.compute as pc

        array = self.columns[column]
        if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
            return _is_number(array.type)
        pattern = f"^\\s*({NUMBER.pattern})\\s*$|{COMMA_NUMBER}"
        return bool(pc.any(pc.match_substring_regex(array, pattern)).as_py())

    def _parsed(self, column: str, array: pa.ChunkedArray) -> pa.ChunkedArray:
        """Turn text into numbers, also with decimal commas where no comma separates."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text = pc.utf8_trim_whitespace(array)
        is_missing = pc.is_in(pc.utf8_lower(text), value_set=pa.array(MISSING))
        text = pc.if_else(is_missing, pa.scalar(None, pa.string()), text)
        if self.separator != "," and pc.any(pc.match_substring(text, ",")).as_py():
            is_comma_number = pc.match_substring_regex(text, COMMA_NUMBER)
            if pc.all(is_comma_number).as_py():
                log.info("%s: the commas in the column %s are decimal commas", self.path, column)
                text = pc.replace_substring(text, ",", ".")
        try:
            return pc.cast(text, pa.float64())
        except pa.ArrowInvalid:
            cells = enumerate(text.to_pylist())
            bad = (i for i, t in cells if t is not None and not NUMBER.fullmatch(t))
            row = next(bad, None)
            found = shown(None if row is None else array[row].as_py())
            allowed = "a number with a decimal point, or NA"
            raise self.error(found, allowed, row=row, column=column) from None


def read_table(path: Path) -> RawTable:
    """Read a CSV or Parquet file.

    A text file may be separated by commas, semicolons, tabs or bars; its first
    row holds the names of the columns.

    Raises
    ------
    ExchangeError
        If there is no such file, or it is no table of that kind.
    """
    suffix = path.suffix.lower()
    if suffix not in TEXT_FILES + PARQUET_FILES:
        raise ExchangeError(
            f"{path}: found a file of an unknown kind; allowed {listed(TEXT_FILES + PARQUET_FILES)}"
        )
    try:
        table = _read_parquet(path) if suffix in PARQUET_FILES else _read_text(path)
    except FileNotFoundError:
        raise ExchangeError(f"{path}: found no such file") from None
    except OSError as error:
        said = error.strerror or " ".join(str(error).split())
        raise ExchangeError(f"{path}: found a file that cannot be read ({said})") from None
    if not table.n_rows:
        raise table.error("no rows below the header", "results")
    return table


def _read_parquet(path: Path) -> RawTable:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except pa.ArrowInvalid as error:
        said = " ".join(str(error).split())
        raise ExchangeError(f"{path}: found no Parquet file ({said})") from None
    columns = _named(path, table.column_names, table.columns)
    return RawTable(path, columns, table.num_rows, None, measures_in(table.schema.metadata))


def _read_text(path: Path) -> RawTable:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    content = path.read_bytes().removeprefix(BOM)
    separator, header, n_lines = _header(path, content)
    names = [str(i) for i in range(len(header))]
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(content),
            arrow_csv.ReadOptions(column_names=names, skip_rows=n_lines),
            arrow_csv.ParseOptions(delimiter=separator, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            raise ExchangeError(f"{path}: found a header only; allowed results below it") from None
        raise _diagnosis(path, content, separator, len(header), str(error)) from None
    return RawTable(path, _named(path, header, table.columns), table.num_rows, separator)


def _header(path: Path, content: bytes) -> tuple[str, list[str], int]:
    """Return the separator, the columns' names, and the number of lines they end with."""
    lines = enumerate(io.BytesIO(content), start=1)
    n_lines, line = next(((i, line) for i, line in lines if line.strip()), (0, b""))
    if not line:
        raise ExchangeError(f"{path}: found an empty file; allowed a header and results below it")
    try:
        text = line.decode().strip("\r\n")
    except UnicodeDecodeError:
        raise _not_utf8(path, content) from None
    by_separator = {s: next(csv.reader([text], delimiter=s)) for s in SEPARATORS}
    separator = max(SEPARATORS, key=lambda s: len(by_separator[s]))
    header = [name.strip() for name in by_separator[separator]]
    if len(header) == 1:
        raise ExchangeError(
            f"{path}: found the one column {shown(header[0])}; allowed several columns, "
            f"separated by {listed(SEPARATORS.values())}"
        )
    return separator, header, n_lines


def _named(path: Path, names: list[str], columns: list[Any]) -> dict[str, Any]:
    """Pair the columns with their names; leave out those without a name."""
    named = [(n, c) for n, c in zip(names, columns, strict=True) if not UNNAMED.fullmatch(n)]
    twice = [name for i, (name, _) in enumerate(named) if name in dict(named[:i])]
    if twice:
        raise ExchangeError(f"{path}: found the column {shown(twice[0])} twice; allowed once")
    return dict(named)


def _diagnosis(
    path: Path, content: bytes, separator: str, n_columns: int, said: str
) -> ExchangeError:
    """Find the row that made the reader stop."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return _not_utf8(path, content)
    for number, record in enumerate(_records(content, separator), start=1):
        if record and len(record) != n_columns:
            hint = "; is there a decimal comma?" if separator == "," else ""
            return ExchangeError(
                f"{path}: row {number}: found {len(record)} cells; allowed {n_columns}, "
                f"as in the header{hint}"
            )
    return ExchangeError(f"{path}: found no table ({' '.join(said.split())})")


def _not_utf8(path: Path, content: bytes) -> ExchangeError:
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        found = f"line {line}: found the byte 0x{content[error.start]:02x}, which is not UTF-8"
        return ExchangeError(f"{path}: {found}; allowed text in UTF-8: save it in that encoding")
    return ExchangeError(f"{path}: found text that is not UTF-8; allowed UTF-8")


def _records(content: bytes, separator: str) -> Iterator[list[str]]:
    text = content.removeprefix(BOM).decode(errors="replace")
    return csv.reader(io.StringIO(text, newline=""), delimiter=separator)


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def unknown_column(table: RawTable, name: str, purpose: str) -> ExchangeError:
    """Return the error for a column that the manifest names and the file has not."""
    near = nearest(name, table.columns)
    question = f"; did you mean {near}?" if near else ""
    columns = f"one of the file's columns: {listed(table.columns)}{question}"
    return table.error(f"no column {shown(name)} for {purpose}", columns)
