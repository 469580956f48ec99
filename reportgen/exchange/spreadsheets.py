"""Spreadsheets, .xlsx and .ods: one sheet is a table; of formulas the stored values are read.

Pandas reads the cells through calamine, which runs neither formulas nor macros.
"""

from __future__ import annotations

import html
import logging
import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.records import cell_column
from reportgen.exchange.table import RawTable, raw_table
from reportgen.study.errors import listed, message_of, shown

log = logging.getLogger(__name__)
INSTALL = "pip install 'reportgen-benchmark[spreadsheets]'"
MOST_BYTES = 1 << 28  # of what a file is when unpacked
CONTENT = re.compile(r"xl/worksheets/[^/]+\.xml|content\.xml")
LACKS_VALUE = re.compile(
    rb"<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)\s*</c>"
    rb"|<c(?=[\s>])(?![^>]*\st=[\"']str[\"'])[^>]*>\s*<f(?:\s[^>]*)?(?:/>|>[^<]*</f>)\s*"
    rb"(?:<v\s*/>|<v>\s*</v>)\s*</c>"
    rb"|<table:table-cell\b(?=[^>]*\btable:formula=)(?![^>]*\boffice:(?:[a-z]+-)?value=)"
    rb"(?![^>]*\boffice:value-type=\"string\")[^>]*>"
)
"""A cell that has a formula and no value, in the XML of either kind; an empty text is one."""
MERGED = re.compile(
    rb"<(?:\w+:)?mergeCell\s[^>]*?\bref=[\"']([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)[\"']"
)
SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*>")
RELATION = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*>")
ATTRIBUTE = re.compile(rb"([\w:]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
TABLE = re.compile(rb"<table:table(?=[\s>])[^>]*>")
ERRORS = re.compile(r"#(N/A|NAME\?|NULL!|REF!|VALUE!|NUM!|DIV/0!)|Err:\d+")


def read_spreadsheet(path: Path, sheet: str = "") -> RawTable:
    """Read a sheet whose first filled row holds the names of the columns.

    `sheet`: needed where several sheets have cells.
    Raises ExchangeError if calamine is not installed, the file is damaged or too large, a formula
    has no stored value, or there is no such sheet.
    """
    contents = _check(path)
    sheets = {name: rows for name, rows in _sheets(path).items() if rows}
    if not sheets:
        raise ExchangeError(f"{path}: found no cells; allowed a header and results below it")
    if sheet not in sheets and (sheet or len(sheets) > 1):
        found = f"no sheet {shown(sheet)}" if sheet else f"{len(sheets)} sheets with cells"
        raise ExchangeError(
            f"{path}: found {found}; allowed one of {listed(sheets)}, which `object:` below "
            "`results` names (--object of import and init, object= in Python)"
        )
    name = sheet or next(iter(sheets))
    content = _content(path, name, contents)
    if LACKS_VALUE.search(content):
        raise ExchangeError(
            f"{path}: found a formula without its value, and formulas are never run; allowed "
            "values: open the file in a spreadsheet program and save it, or save it as CSV"
        )
    merged = list(_merged(content)) if contents != ["content.xml"] else []
    return _table(path, name, _with_blocks(sheets[name], merged))


def _check(path: Path) -> list[str]:
    """Return the files of sheets; refuse what is no spreadsheet, or unpacks to too much."""
    with _unpacked(path) as packed:
        members = packed.infolist()
        if sum(member.file_size for member in members) > MOST_BYTES:
            raise ExchangeError(
                f"{path}: found more than {MOST_BYTES >> 20} MiB when unpacked; allowed less: "
                "save it as CSV"
            )
    contents = [m.filename for m in members if CONTENT.fullmatch(m.filename)]
    if not contents:
        raise ExchangeError(f"{path}: found a zip file without sheets; allowed a spreadsheet")
    return contents


@contextmanager
def _unpacked(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip file."""
    # Raises ExchangeError if it is none, or damaged.
    try:
        with zipfile.ZipFile(path) as packed:
            yield packed
    except (zipfile.BadZipFile, zipfile.LargeZipFile, RuntimeError, NotImplementedError) as error:
        fault = message_of(error)
        raise ExchangeError(f"{path}: found no spreadsheet ({fault}); allowed one") from None


def _content(path: Path, sheet: str, contents: list[str]) -> bytes:
    """Return the XML of a sheet; of all where it is not clear which is its."""
    with _unpacked(path) as packed:
        if contents != ["content.xml"]:
            own = _member(packed, sheet, contents)
            return b"".join(packed.read(name) for name in contents if own in (name, None))
        content = packed.read("content.xml")
    tables = list(TABLE.finditer(content))
    for i, table in enumerate(tables):
        if _attributes(table[0]).get("table:name") == sheet:
            return content[table.end() : tables[i + 1].start() if i + 1 < len(tables) else None]
    return content


def _member(packed: zipfile.ZipFile, sheet: str, contents: list[str]) -> str | None:
    """Return the file of a sheet in a workbook of .xlsx; None where it is not clear."""
    try:
        book = packed.read("xl/workbook.xml")
        related = packed.read("xl/_rels/workbook.xml.rels")
    except KeyError:
        return None
    sheets = [_attributes(own) for own in SHEET.findall(book)]
    ids = {own.get("name"): own.get("r:id") for own in sheets}
    targets = {
        own.get("Id"): own.get("Target", "") for own in map(_attributes, RELATION.findall(related))
    }
    target = targets.get(ids.get(sheet), "")
    name = posixpath.normpath(posixpath.join("/xl", target)).removeprefix("/")
    return name if name in contents else None


def _attributes(tag: bytes) -> dict[str, str]:
    return {
        key.decode(): html.unescape((double or single).decode(errors="replace"))
        for key, double, single in ATTRIBUTE.findall(tag)
    }


def _merged(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield the column and the first and last row of cells of a column that are merged."""
    for first, top, last, bottom in MERGED.findall(content):
        if first == last:
            place = 0
            for letter in first:
                place = 26 * place + letter - ord("A") + 1
            yield place - 1, int(top), int(bottom)


def _with_blocks(rows: Rows, merged: Sequence[tuple[int, int, int]]) -> Rows:
    """Return rows in which each cell of a merged block below the header has its value."""
    (header, _), *_ = rows
    cells = dict(rows)
    for column, top, bottom in merged:
        if top <= header or top not in cells or column >= len(cells[top]):
            continue
        for number in range(top + 1, bottom + 1):
            if number in cells:
                cells[number][column] = cells[top][column]
    return rows


Rows = list[tuple[int, list[Any]]]
"""The filled rows of a sheet: their numbers, from 1, and their cells."""


def _sheets(path: Path) -> dict[str, Rows]:
    """Return the filled rows of each sheet."""
    import pandas as pd

    try:
        frames = pd.read_excel(
            path,
            sheet_name=None,
            header=None,
            engine="calamine",
            na_filter=False,
        )
    except ImportError:
        raise ExchangeError(
            f"{path}: found a spreadsheet, which needs the package python-calamine; allowed "
            f"after: {INSTALL}; or save it as CSV"
        ) from None
    except Exception as error:  # calamine has an error of its own, and raises others
        fault = message_of(error)
        raise ExchangeError(f"{path}: found no spreadsheet ({fault}); allowed one") from None
    return {str(name): list(_filled(frame.to_numpy(object))) for name, frame in frames.items()}


def _filled(rows: Iterable[Any]) -> Iterator[tuple[int, list[Any]]]:
    for number, row in enumerate(rows, start=1):
        cells = [_cell(cell) for cell in row]
        if any(cell is not None for cell in cells):
            yield number, cells


def _cell(cell: Any) -> Any:
    """Return a cell as a number or text; None where it is empty or an error.

    Examples
    --------
    >>> from datetime import datetime
    >>> _cell(0.5), _cell(" a "), _cell(""), _cell("#DIV/0!"), _cell(datetime(2026, 3, 1))
    (0.5, 'a', None, None, '2026-03-01 00:00:00')
    """
    if isinstance(cell, bool | date | datetime):
        return str(cell)
    if isinstance(cell, int | float):
        return cell if cell == cell else None
    text = str(cell).strip()
    return None if not text or ERRORS.fullmatch(text) else text


def _around(rows: Rows) -> tuple[int, int]:
    """Return where a table begins below titles, and ends above notes after an empty row."""
    alone = [sum(cell is not None for cell in row) == 1 for _, row in rows]
    start = 0
    while start < len(rows) - 1 and alone[start]:
        start += 1
    header = rows[start][1]
    if any(isinstance(cell, int | float) for cell in header):
        start = 0
    end = len(rows)
    while end > start + 1 and alone[end - 1]:
        end -= 1
    has_gap = end < len(rows) and rows[end][0] > rows[end - 1][0] + 1
    return start, end if has_gap else len(rows)


def _table(path: Path, sheet: str, rows: Rows) -> RawTable:
    """Make a table of the rows of a sheet."""
    start, end = _around(rows)
    notes = [shown(c) for _, row in rows[:start] + rows[end:] for c in row if c is not None]
    if notes:
        log.info("%s: sheet %s: left out around the table: %s", path, sheet, listed(notes))
    (first, header), *below = rows[start:end]
    width = 1 + max(i for _, row in rows for i, cell in enumerate(row) if cell is not None)
    if sum(cell is not None for cell in header) == 1 < width:
        title = next(cell for cell in header if cell is not None)
        raise ExchangeError(
            f"{path}: sheet {sheet}, row {first}: found {shown(title)} alone, as a title; allowed "
            "the names of the columns below it"
        )
    names = ["" if cell is None else str(cell) for cell in header[:width]]
    columns = [cell_column([row[i] for _, row in below]) for i in range(width)]
    numbers = [number for number, _ in below]
    return raw_table(
        path, names, columns, len(below), place=lambda row: f"sheet {sheet}, row {numbers[row]}"
    )
