"""Tables in every format: formatted cells, and CSV.

`format_cells` formats the cells of a table for a reader, `cell_text` returns a cell as plain text.
`table_series` and `comma_separated` write a table as CSV with all digits.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import floor, isfinite, log10
from typing import TYPE_CHECKING, Any

from reportgen import notation
from reportgen.data_classes import dataclass
from reportgen.notation import NOTHING, NumberFormat
from reportgen.report import Series, Table
from reportgen.stats.columns import Column, Kind

if TYPE_CHECKING:
    from pandas import DataFrame

WORDY: frozenset[Kind] = frozenset(
    ("candidate", "pair", "dataset", "datasets", "text", "decision", "order")
)
TIED, BETTER = ",", ">"
WITH_ERROR = " ± "  # between a value and its standard error
MOST_ORDERED, LEADING = 16, 8  # names of an order that are written; of a longer one, its first
MOST_TOGETHER = 60  # names in all orders of a table, up to which each is written whole
PLAIN_FORMAT = NumberFormat(1.0, "", "", 4)
PLAIN_INTERVAL = NumberFormat(1.0, "", "", 2)


@dataclass(frozen=True, slots=True)
class Cell:
    """One formatted cell."""

    kind: str  # what it means; "empty" where there is nothing
    text: str = ""  # its number or words, not escaped; "" for names, which have `parts`
    # The names of a candidate, pair or data set; the words of a decision; the names of an order,
    # with a sign between any two.
    parts: tuple[str, ...] = ()
    is_best: bool = False  # whether it is the best of its column
    # Names of an order that are not written: tied with the last that is, and behind those.
    more: tuple[int, int] = (0, 0)


def format_cells(table: Table) -> list[list[Cell]]:
    """Format the cells of a table, row by row."""
    columns = list(zip(*table.rows, strict=True)) if table.rows else []
    of_rows = table.number_formats or (table.number_format,) * len(table.rows)
    limits = _limits(table.columns, columns)
    cells_by_column = [
        _format_column(
            column, values, [column.number_format or at or PLAIN_FORMAT for at in of_rows], ends
        )
        for column, values, ends in zip(table.columns, columns, limits, strict=False)
    ]
    rows = [list(row) for row in zip(*cells_by_column, strict=True)]
    place = {column.name: i for i, column in enumerate(table.columns)}
    for number, name in table.marked:
        cell = rows[number][place[name]]
        rows[number][place[name]] = replace(cell, is_best=True)
    places = [i for i, column in enumerate(table.columns) if column.kind == "size"]
    for row, values in zip(rows, table.rows, strict=True) if places else ():
        for i, text in zip(
            places, notation.align_numbers([values[i] for i in places]), strict=True
        ):
            row[i] = replace(row[i], text=text)
    return rows


def format_foot(table: Table) -> list[Cell]:
    """Format the last row of a table that sums up the others; empty without one."""
    if not table.foot:
        return []
    first = replace(table.columns[0], kind="text")
    others = (replace(column, best=None) for column in table.columns[1:])
    alone = replace(table, columns=(first, *others), rows=(table.foot,), marked=frozenset())
    return format_cells(alone)[0]


def abridge_orders(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Shorten the long orders of a table that holds many names."""
    orders = [cell for row in rows for cell in row if cell.kind == "order"]
    if sum(len(cell.parts) // 2 + 1 for cell in orders) <= MOST_TOGETHER:
        return rows
    return [
        [_abridge_order(cell) if cell.kind == "order" else cell for cell in row] for row in rows
    ]


def _abridge_order(cell: Cell) -> Cell:
    parts, more = order_beginning(cell.parts)
    return replace(cell, parts=parts, more=more)


def order_beginning(parts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, int]]:
    """Return the first names of a long order, and how many tie with the last one and follow.

    `parts`: names, with a sign between any two.

    Examples
    --------
    >>> parts = join_order([[f"a{i}" for i in range(10)], [*"bcdefgh"]])
    >>> order_beginning(parts)[0][-1], order_beginning(parts)[1]
    ('a7', (2, 7))
    """
    if len(parts) // 2 + 1 <= MOST_ORDERED:
        return parts, (0, 0)
    cut = 2 * LEADING - 1
    signs = parts[cut::2]
    tied = signs.index(BETTER) if BETTER in signs else len(signs)
    return parts[:cut], (tied, len(signs) - tied)


def is_wordy(column: Column) -> bool:
    """Whether a column holds words, which stand at the left."""
    return column.kind in WORDY


LIMITS: Mapping[Kind, Kind] = {"value": "interval", "difference": "difference-interval"}
NO_LIMITS = None, None


def _limits(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the limits of a column's numbers: those of the column behind it, if these are so."""
    found: list[Sequence[Any]] = []
    for i, own in enumerate(values):
        wanted = LIMITS.get(columns[i].kind), columns[i].number_format
        behind = [(after.kind, after.number_format) for after in columns[i + 1 : len(values)][:1]]
        found.append(values[i + 1] if behind == [wanted] else (NO_LIMITS,) * len(own))
    return found


def _format_column(
    column: Column,
    values: Sequence[Any],
    number_formats: Sequence[NumberFormat],
    limits: Sequence[Any],
) -> list[Cell]:
    decimals = _decimals(column.kind, values)
    best = _best(column, values)
    return [
        Cell("empty", NOTHING)
        if _is_missing(value)
        else _format_cell(column.kind, value, scale, decimals, ends, is_best=value in best)
        for value, scale, ends in zip(values, number_formats, limits, strict=True)
    ]


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not isfinite(value))


def _best(column: Column, values: Sequence[Any]) -> tuple[float, ...]:
    """Return the best value of a column; () when it has none, or when all are the same."""
    if column.best is None:
        return ()
    numbers = [float(v) for v in values if not _is_missing(v)]
    if len(set(numbers)) < 2:
        return ()
    return (min(numbers) if column.best == "smaller" else max(numbers),)


def _decimals(kind: Kind, values: Sequence[Any]) -> int:
    """Choose the same number of decimals for a column, so that its points align."""
    if kind == "rank":
        numbers = [float(v) for v in values if not _is_missing(v)]
        return 0 if all(n.is_integer() for n in numbers) and numbers else 2
    if kind != "number":
        return 0
    sizes = [abs(float(v)) for v in values if not _is_missing(v) and v]
    if all(size.is_integer() for size in sizes):
        return 0
    return min(6, max(0, 2 - floor(log10(max(sizes))))) if sizes else 0


def _format_cell(
    kind: Kind,
    value: Any,
    number_format: NumberFormat,
    decimals: int,
    limits: Any,
    *,
    is_best: bool,
) -> Cell:
    if kind in ("candidate", "dataset", "text", "decision"):
        return Cell(kind, parts=(str(value),))
    if kind in ("pair", "datasets"):
        return Cell(kind, parts=tuple(map(str, value)))
    if kind == "order":
        return Cell(kind, parts=join_order(value))
    if kind == "setting" and isinstance(value, str):
        return Cell("text", parts=(value,))
    return Cell(kind, _format_number(kind, value, number_format, decimals, limits), is_best=is_best)


def _written(order: Sequence[str]) -> str:
    """Write names and the signs between them."""
    return " ".join(order).replace(f" {TIED} ", f"{TIED} ")


def join_order(groups: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Put a sign between any two names of an order."""
    parts: list[str] = []
    for group in groups:
        for i, name in enumerate(group):
            parts += [*((TIED if i else BETTER,) if parts else ()), name]
    return tuple(parts)


def _format_number(
    kind: Kind, value: Any, number_format: NumberFormat, decimals: int, limits: Any
) -> str:
    if kind in ("interval", "difference-interval"):
        lower, upper = value
        if _is_missing(lower) and _is_missing(upper):
            return NOTHING
        write = number_format.interval if kind == "interval" else number_format.difference_interval
        return write(lower, upper)
    if kind == "number-interval":
        return PLAIN_INTERVAL.interval(*value)
    if kind == "estimate":
        writers = (number_format.value, number_format.standard_error)
        known = zip(writers, value, strict=False)
        return WITH_ERROR.join(write(x) for write, x in known if not _is_missing(x))
    if kind in ("value", "difference"):
        of_kind = number_format.value if kind == "value" else number_format.difference
        return of_kind(value, limits or NO_LIMITS)
    if kind == "statistic":
        return notation.statistic(float(value))
    if kind == "pvalue":
        return notation.pvalue(value)
    if kind == "setting":
        return notation.significant(float(value))
    if kind == "counts":
        return f" {NOTHING} ".join(notation.number(float(v), 0) for v in value)
    return notation.number(float(value), decimals)


# ------------------------------------------------------------------------ comma separated

SIGNS = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
FORMULA = re.compile(f"[\\s\x00-\x1f]*{SIGNS}")
SEPARATORS = ";|\t\r\n"
"""By which some spreadsheets part a line, and all of them what is pasted."""
FORMULA_BEHIND = re.compile(f"([{SEPARATORS}])(?=(?:(?![{SEPARATORS}])[\\s\x00-\x1f])*{SIGNS})")
LOWER_UPPER = ("{}_lower", "{}_upper")
PARTS: Mapping[Kind, tuple[str, ...]] = {
    "pair": ("first", "second"),
    "interval": LOWER_UPPER,
    "difference-interval": LOWER_UPPER,
    "number-interval": LOWER_UPPER,
    "estimate": ("{}", "{}_standard_error"),
    "counts": ("{}_better", "{}_tied", "{}_worse"),
}
"""The columns with one number a cell that a column becomes, by its name."""


def table_series(table: Table) -> Series:
    """Return a table with one number a cell: pairs, intervals and counts become columns."""
    names = [name for column in table.columns for name in _series_names(column)]
    rows = _in_units(table) if table.number_formats else table.rows
    cells = zip(*rows, strict=True) if rows else [()] * len(table.columns)
    found = [
        values
        for column, own in zip(table.columns, cells, strict=True)
        for values in _series_columns(column, own)
    ]
    return Series(tuple(names), tuple(zip(*found, strict=True)))


def _in_units(table: Table) -> tuple[tuple[Any, ...], ...]:
    """Return the rows of several measures in the units that they name."""

    def turn(cell: Any, column: Column, at: NumberFormat | None) -> Any:
        if at is None or at.is_ratio or column.kind not in ("difference", "difference-interval"):
            return cell
        if isinstance(cell, tuple):
            return tuple(None if x is None else at.factor * x for x in cell)
        return None if cell is None else at.factor * cell

    return tuple(
        tuple(turn(cell, column, at) for cell, column in zip(row, table.columns, strict=True))
        for row, at in zip(table.rows, table.number_formats, strict=True)
    )


def _series_names(column: Column) -> tuple[str, ...]:
    return tuple(part.format(column.name) for part in PARTS.get(column.kind, ("{}",)))


def _series_columns(column: Column, cells: Sequence[Any]) -> Iterable[Sequence[Any]]:
    n_parts = len(_series_names(column))
    if n_parts > 1:
        nothing = (None,) * n_parts
        parts = zip(*(nothing if cell is None else cell for cell in cells), strict=True)
        return parts if cells else [()] * n_parts
    if column.kind == "datasets":
        return (["; ".join(cell) for cell in cells],)
    if column.kind == "order":
        return ([cell if cell is None else _written(join_order(cell)) for cell in cells],)
    return (cells,)


ROWS_AT_ONCE = 10_000  # of a file: the texts of all cells of many take much memory


def comma_separated(columns: Iterable[str], rows: Sequence[Sequence[Any]]) -> str:
    r"""Write rows as CSV with all digits; nothing where there is no number.

    A text that a spreadsheet would take for a formula gets a leading apostrophe.

    >>> comma_separated(["a", "b"], [[0.1, "=1+1"], [float("nan"), "x,y"]])
    'a,b\n0.1,\'=1+1\n,"x,y"\n'
    """
    return "".join(comma_separated_parts(columns, rows))


def comma_separated_parts(columns: Iterable[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Return the parts of `comma_separated` one after the other: the head, and some rows each."""
    yield _written_rows([[_csv_cell(c) for c in columns]])
    for begin in range(0, len(rows), ROWS_AT_ONCE):
        cells = zip(*rows[begin : begin + ROWS_AT_ONCE], strict=True)
        yield _written_rows(zip(*map(_csv_cells, cells), strict=True))


def _written_rows(rows: Iterable[Iterable[str]]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows(rows)
    return buffer.getvalue()


def _csv_cells(values: Sequence[Any]) -> list[str]:
    """Write a column; its texts, of which few differ, once each."""
    kinds = set(map(type, values))
    if kinds <= {float, int, type(None)}:
        return ["" if x is None or not isfinite(x) else repr(x) for x in values]
    if kinds <= {str, bool, type(None)}:
        words = {value: _csv_cell(value) for value in set(values)}
        return [words[value] for value in values]
    return [_csv_cell(value) for value in values]


def _csv_cell(value: Any) -> str:
    if _is_missing(value):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, str):
        return plain_cell(value)
    return str(value)


def plain_cell(text: str) -> str:
    r"""Put an apostrophe before a text that a spreadsheet would take for a formula.

    Blanks before it make no difference, and forms of full width are as good as others.

    >>> plain_cell("=1+1"), plain_cell(" \t@SUM(A1)"), plain_cell("a=b"), plain_cell("a;=1+1")
    ("'=1+1", "' \t'@SUM(A1)", 'a=b', "a;'=1+1")
    """
    whole = text
    if any(sign in text for sign in SEPARATORS):
        text = FORMULA_BEHIND.sub(r"\1'", text)
    return f"'{text}" if FORMULA.match(whole) else text


def plain_frame(frame: DataFrame) -> DataFrame:
    """Return a data frame none of whose texts a spreadsheet takes for a formula."""
    import pandas as pd

    found = frame.copy(deep=False)
    for name in frame.columns:
        column = frame[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            names = column.cat.categories
            written = [plain_cell(n) if isinstance(n, str) else n for n in names]
            found[name] = column.astype(object).map(dict(zip(names, written, strict=True)))
        elif not pd.api.types.is_numeric_dtype(column.dtype):
            found[name] = column.map(lambda x: plain_cell(x) if isinstance(x, str) else x)
    return found


def cell_text(cell: Cell) -> str:
    """Return a cell as plain text, not escaped."""
    if cell.kind == "pair":
        return " – ".join(cell.parts)
    if cell.kind == "order":
        return _written(cell.parts)
    return cell.parts[0] if cell.parts else cell.text
