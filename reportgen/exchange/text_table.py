"""Text files of results: the separator, the header and what stands above it, signs, encodings."""

from __future__ import annotations

import codecs
import csv
import io
import logging
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.table import BOM, NUMBER, RawTable, raw_table, split_rows
from reportgen.file_reading import utf8_fault
from reportgen.study.errors import listed, shown

log = logging.getLogger(__name__)
SIGNED = re.compile(r"[+-]?[0-9]*#[0-9]+")  # a number, with # in place of its sign
OF_BOTH = {
    ",": re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+"),
    ".": re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+\.[0-9]+"),
}
"""Numbers with a sign before decimals and the other one between thousands."""
OF_THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}#[0-9]{3}")
MINUS_SIGN = "\u2212".encode()
MINUS = re.compile(rb"(?<=[,;\t|\" ])" + MINUS_SIGN + rb"(?=\.?[0-9])")  # before a number
MOST_ABOVE = 50  # lines, among which the header is

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}


def read_text_table(path: Path, content: bytes | None = None) -> RawTable:
    """Read a text file whose first row holds the names of the columns.

    `content`: what is in it, where that is known.
    Raises ExchangeError if it is no such table.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    packed = content is not None
    content = _in_utf8(path, path.read_bytes() if content is None else content)
    if MINUS_SIGN in content:
        content = MINUS.sub(b"-", content)
    header = _header(path, content)
    _refuse_two_headers(path, content, header)
    names = [str(i) for i in range(len(header.names))]
    try:
        table = arrow_csv.read_csv(
            io.BytesIO(content),
            arrow_csv.ReadOptions(column_names=names, skip_rows=header.n_lines),
            arrow_csv.ParseOptions(delimiter=header.separator, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except pa.ArrowInvalid as error:
        if "Empty CSV" in str(error):
            raise ExchangeError(f"{path}: found a header only; allowed results below it") from None
        raise _diagnosis(path, content, header, str(error)) from None
    found = raw_table(
        path,
        header.names,
        table.columns,
        table.num_rows,
        separator=header.separator,
        place=partial(_row, _Rows(path, header, content if packed else None)),
    )
    _check_signs(found)
    if header.above:
        log.info("%s: left out above the header: %s", path, listed(map(shown, header.above)))
    kept = _without_headers(found, header)
    if kept is not found:
        log.info("%s: left out: rows that repeat the header", path)
    return kept


def _refuse_two_headers(path: Path, content: bytes, header: _Header) -> None:
    """Refuse a header of several rows, as pandas writes one of several levels."""
    filled = [name for name in header.names if name]
    if len(set(filled)) == len(filled):
        return
    below = islice(_lines(path, content), len(header.above) + 1, None)
    _, line = next(below, (0, ""))
    cells = [cell.strip() for cell in next(csv.reader([line], delimiter=header.separator), [])]
    if cells and not any(map(_reads_as_number, cells)) and any(cells[1:]):
        way = "frame.columns = [' '.join(names).strip() for names in frame.columns]"
        raise ExchangeError(
            f"{path}: found a header of several rows: {listed(header.names)}, then "
            f"{listed(cells)}; allowed one, with names such as rf acc; of pandas: {way}"
        )


def _check_signs(table: RawTable) -> None:
    """Refuse commas, or points, that may part thousands beside the other sign before decimals."""
    if table.separator == ",":
        return
    doubtful: dict[str, tuple[str, str]] = {}
    decimal: dict[str, str] = {}
    for column in table.columns:
        levels = [str(cell).strip() for cell in table.columns[column].unique().to_pylist() if cell]
        for sign, with_both in OF_BOTH.items():
            if levels and all(map(with_both.fullmatch, levels)):
                decimal[sign] = column
        for sign, other in ((",", "."), (".", ",")):
            with_sign = [c for c in levels if SIGNED.fullmatch(c.replace(sign, "#"))]
            if not with_sign or len(with_sign) + sum(map(str.isdecimal, levels)) < len(levels):
                continue
            if all(OF_THOUSANDS.fullmatch(c.replace(sign, "#")) for c in with_sign):
                doubtful[column] = with_sign[0], other
            else:
                decimal[sign] = column
    for column, (cell, other) in doubtful.items():
        if other in decimal:
            raise table.error(
                f"{shown(cell)} beside numbers of {listed([decimal[other]])} whose decimals are "
                f"after a {'point' if other == '.' else 'comma'}",
                "one sign before decimals, and none that parts thousands",
                column=column,
            )


def _without_headers(table: RawTable, header: _Header) -> RawTable:
    """Return a table without the rows that repeat the header, as in files that were joined."""
    import pyarrow.compute as pc

    first = header.names[0]
    column = table.columns.get(first) or table.unnamed.get(first)
    if column is None or not pc.any(pc.equal(column, first)).as_py():
        return table
    columns = {**table.columns, **table.unnamed}
    is_header = np.logical_and.reduce(
        [
            pc.fill_null(
                pc.equal(pc.utf8_trim_whitespace(cells), name), fill_value=False
            ).to_numpy()
            for name, cells in columns.items()
        ]
    )
    return table.take(np.flatnonzero(~is_header)) if is_header.any() else table


def _in_utf8(path: Path, content: bytes) -> bytes:
    """Return text in UTF-8, without its mark; in UTF-16 only where a mark says so."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return content.decode("utf-16").encode()
        except UnicodeDecodeError:
            found = "text that ends within a letter"
            raise ExchangeError(f"{path}: found {found}; allowed all of it") from None
    return content.removeprefix(BOM)


@dataclass(frozen=True, slots=True)
class _Rows:
    """Where the rows of a text file are: read again for a message."""

    path: Path
    header: _Header
    content: bytes | None  # of a packed one


def _row(rows: _Rows, row: int) -> str:
    """Return a row's number as the file counts: from 1."""
    content = rows.content or _in_utf8(rows.path, rows.path.read_bytes())
    records = enumerate(split_rows(content, rows.header.separator), start=1)
    filled = (number for number, record in records if record)
    place = row + len(rows.header.above) + 1
    return f"row {next(islice(filled, place, None), place + 1)}"


@dataclass(frozen=True, slots=True)
class _Header:
    """The names of the columns of a text file, and where they stand."""

    names: list[str]
    separator: str
    n_lines: int  # with which they end
    above: tuple[str, ...] = ()  # what stands above them: a title, comments


def _header(path: Path, content: bytes) -> _Header:
    """Find the header: the first line, but for titles and comments above it."""
    lines = _lines(path, content)
    n_lines, line = next(lines, (0, ""))
    above: list[str] = []
    if given := re.fullmatch("sep=(.)", line):
        above = [line]
        n_lines, line = next(lines, (0, ""))
    if not line:
        raise ExchangeError(f"{path}: found an empty file; allowed a header and results below it")
    separators = [given[1]] if given else list(SEPARATORS)
    separator, cells = _cells(path, line, separators)
    passed = [line]
    is_above = _is_above(line, cells)
    for number, text in islice(lines, MOST_ABOVE) if is_above else ():
        sign, own = _cells(path, text, separators)
        if _is_above(text, own):
            passed.append(text)
            continue
        if not any(map(_reads_as_number, own)):  # else what stands first is the header
            n_lines, separator, cells = number, sign, own
            above += passed
        break
    names = [name.strip() for name in cells]
    if len(names) == 1:
        raise ExchangeError(
            f"{path}: found the one column {shown(names[0])}; allowed several columns, "
            f"separated by {listed(SEPARATORS.values())}"
        )
    return _Header(names, separator, n_lines, tuple(above))


def _lines(path: Path, content: bytes) -> Iterator[tuple[int, str]]:
    """Yield the lines that are not empty, and their numbers."""
    for number, line in enumerate(io.BytesIO(content), start=1):
        if not line.strip():
            continue
        try:
            text = line.decode().strip("\r\n")
        except UnicodeDecodeError:
            raise _not_utf8(path, content) from None
        if "\r" in text:
            raise ExchangeError(
                f"{path}: found a carriage return alone in line {number}; allowed rows that end "
                "with a line feed"
            )
        yield number, text


def _cells(path: Path, line: str, separators: Sequence[str]) -> tuple[str, list[str]]:
    """Return the separator that makes most cells of a line, and these."""
    try:
        found = {s: next(csv.reader([line], delimiter=s)) for s in separators}
    except csv.Error as error:  # a cell without end
        raise ExchangeError(
            f"{path}: found a header that ends nowhere ({error}); allowed rows that end with a "
            "line feed"
        ) from None
    separator = max(found, key=lambda s: len(found[s]))
    return separator, found[separator]


def _is_above(line: str, cells: Sequence[str]) -> bool:
    """Whether a line may be a title or a comment: one cell alone, or a # before it."""
    return line.startswith("#") or (len(cells) != 2 and sum(map(bool, map(str.strip, cells))) < 2)


def _reads_as_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


def _diagnosis(path: Path, content: bytes, header: _Header, message: str) -> ExchangeError:
    """Find the row that made the reader stop."""
    try:
        content.decode()
    except UnicodeDecodeError:
        return _not_utf8(path, content)
    n_columns, rows = len(header.names), enumerate(split_rows(content, header.separator), start=1)
    for number, record in islice((row for row in rows if row[1]), len(header.above), None):
        if len(record) != n_columns:
            is_comma = header.separator == "," and len(record) > n_columns
            hint = "; is there a decimal comma?" if is_comma else ""
            if len(record) == 1:
                hint = f"; {shown(record[0])} is no row: leave it out"
            return ExchangeError(
                f"{path}: row {number}: found {len(record)} cells; allowed {n_columns}, "
                f"as in the header{hint}"
            )
    found = f"no table ({' '.join(message.split())})"
    return ExchangeError(f"{path}: found {found}; allowed a header and a row a line below it")


def _not_utf8(path: Path, content: bytes) -> ExchangeError:
    if fault := utf8_fault(content):
        allowed = "text in UTF-8: save it in that encoding"
        return ExchangeError(f"{path}: line {fault[0]}: found {fault[1]}; allowed {allowed}")
    return ExchangeError(f"{path}: found text that is not UTF-8; allowed UTF-8")
