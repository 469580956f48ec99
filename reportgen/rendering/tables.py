"""Tables as a reader sees them, and as a program reads them.

Cells of a table as plain words, for files that no template writes.

Tables for LaTeX, with the rules of booktabs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import floor, isfinite, log10
from typing import Any

from markupsafe import Markup

from reportgen import notation
from reportgen.notation import NOTHING, Scale
from reportgen.rendering.templates import environment, get_template
from reportgen.report import Column, Kind, Series, Table

WORDY: frozenset[Kind] = frozenset(
    ("candidate", "pair", "dataset", "datasets", "text", "decision", "order")
)
TIED, BETTER = "∼", "≺"
MOST_ORDERED, LEADING = 12, 8  # names of an order that are written; of a longer one, its first
MOST_TOGETHER = 60  # names in all orders of a table, up to which each is written whole
PLAIN_SCALE = Scale(1.0, "", "", 4)
PLAIN_INTERVAL = Scale(1.0, "", "", 2)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell, written.

    Attributes
    ----------
    kind : str
        What it means; "empty" where there is nothing.
    text : str
        Its number or words, not escaped; "" for names, which have `parts`.
    parts : tuple of str
        The names of a candidate, pair or data set; a decision and, where it is
        significant, "significant", or "without-area"; the names of an order, with a sign between
        any two.
    is_best : bool
        Whether it is the best of its column.
    more : tuple of two int
        Names of an order that are not written: tied with the last that is, and
        behind those.
    """

    kind: str
    text: str = ""
    parts: tuple[str, ...] = ()
    is_best: bool = False
    more: tuple[int, int] = (0, 0)


def written(table: Table) -> list[list[Cell]]:
    """Write the cells of a table, row by row."""
    columns = list(zip(*table.rows, strict=True)) if table.rows else []
    written_columns = [
        _written_column(column, values, table.scale or PLAIN_SCALE)
        for column, values in zip(table.columns, columns, strict=False)
    ]
    rows = [list(row) for row in zip(*written_columns, strict=True)]
    places = [i for i, column in enumerate(table.columns) if column.kind == "size"]
    for row, values in zip(rows, table.rows, strict=True) if places else ():
        for i, text in zip(
            places, notation.align_numbers([values[i] for i in places]), strict=True
        ):
            row[i] = replace(row[i], text=text)
    return rows


def abridged(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Leave the first names of each long order, where a table has many of them."""
    orders = [cell for row in rows for cell in row if cell.kind == "order"]
    if sum(len(cell.parts) // 2 + 1 for cell in orders) <= MOST_TOGETHER:
        return rows
    return [[_abridged(cell) if cell.kind == "order" else cell for cell in row] for row in rows]


def _abridged(cell: Cell) -> Cell:
    parts, more = leading(cell.parts)
    return replace(cell, parts=parts, more=more)


def leading(parts: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, int]]:
    """Return the first names of a long order, and how many tie with the last one and follow.

    Parameters
    ----------
    parts : tuple of str
        Names, with a sign between any two.

    Examples
    --------
    >>> parts = ordered([[f"a{i}" for i in range(10)], ["b", "c", "d"]])
    >>> leading(parts)[0][-1], leading(parts)[1]
    ('a7', (2, 3))
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


def _written_column(column: Column, values: Sequence[Any], scale: Scale) -> list[Cell]:
    decimals = _decimals(column.kind, values)
    best = _best(column, values)
    return [
        Cell("empty", NOTHING)
        if _is_nothing(value)
        else _written(column.kind, value, scale, decimals, is_best=value in best)
        for value in values
    ]


def _is_nothing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not isfinite(value))


def _best(column: Column, values: Sequence[Any]) -> tuple[float, ...]:
    """Return the best value of a column; () when it has none, or when all are the same."""
    if column.best is None:
        return ()
    numbers = [float(v) for v in values if not _is_nothing(v)]
    if len(set(numbers)) < 2:
        return ()
    return (min(numbers) if column.best == "smaller" else max(numbers),)


def _decimals(kind: Kind, values: Sequence[Any]) -> int:
    """Choose the same number of decimals for a column, so that its points align."""
    if kind == "rank":
        numbers = [float(v) for v in values if not _is_nothing(v)]
        return 0 if all(n.is_integer() for n in numbers) and numbers else 2
    if kind != "number":
        return 0
    sizes = [abs(float(v)) for v in values if not _is_nothing(v) and v]
    if all(size.is_integer() for size in sizes):
        return 0
    return min(6, max(0, 2 - floor(log10(max(sizes))))) if sizes else 0


def _written(kind: Kind, value: Any, scale: Scale, decimals: int, *, is_best: bool) -> Cell:
    if kind in ("candidate", "dataset", "text"):
        return Cell(kind, parts=(str(value),))
    if kind in ("pair", "datasets"):
        return Cell(kind, parts=tuple(map(str, value)))
    if kind == "order":
        return Cell(kind, parts=ordered(value))
    if kind == "setting" and isinstance(value, str):
        return Cell("text", parts=(value,))
    if kind == "decision":
        decision, remark = (value, False) if isinstance(value, str) else value
        more = ("significant",) if remark is True else (str(remark),) if remark else ()
        return Cell(kind, parts=(str(decision), *more))
    return Cell(kind, _number(kind, value, scale, decimals), is_best=is_best)


def ordered(
    groups: Sequence[Sequence[str]], tied: str = TIED, better: str = BETTER
) -> tuple[str, ...]:
    """Put a sign between any two names of an order."""
    parts: list[str] = []
    for group in groups:
        for i, name in enumerate(group):
            parts += [*((tied if i else better,) if parts else ()), name]
    return tuple(parts)


def _number(kind: Kind, value: Any, scale: Scale, decimals: int) -> str:
    if kind in ("interval", "difference-interval"):
        lower, upper = value
        if _is_nothing(lower) and _is_nothing(upper):
            return NOTHING
        write = scale.interval if kind == "interval" else scale.difference_interval
        return write(lower, upper)
    if kind == "number-interval":
        return PLAIN_INTERVAL.interval(*value)
    if kind in ("value", "difference"):
        return scale.value(value) if kind == "value" else scale.difference(value)
    if kind == "pvalue":
        return notation.pvalue(value)
    if kind == "setting":
        return notation.significant(float(value))
    if kind == "counts":
        return f" {NOTHING} ".join(notation.number(float(v), 0) for v in value)
    return notation.number(float(value), decimals)


# ------------------------------------------------------------------------ comma separated

PARTS: dict[str, tuple[str, ...]] = {
    "interval": ("lower", "upper"),
    "difference-interval": ("lower", "upper"),
    "number-interval": ("lower", "upper"),
}


def table_series(table: Table) -> Series:
    """Return a table with one number a cell: pairs, intervals and counts become columns."""
    names = [name for column in table.columns for name in _names(column)]
    rows = [
        tuple(
            value
            for column, cell in zip(table.columns, row, strict=True)
            for value in _values(column, cell)
        )
        for row in table.rows
    ]
    return Series(tuple(names), tuple(rows))


def _names(column: Column) -> tuple[str, ...]:
    if column.kind in PARTS:
        return tuple(f"{column.name}_{part}" for part in PARTS[column.kind])
    if column.kind == "pair":
        return ("first", "second")
    if column.kind == "counts":
        return tuple(f"{column.name}_{part}" for part in ("better", "tied", "worse"))
    return (column.name,)


def _values(column: Column, cell: Any) -> tuple[Any, ...]:
    n_parts = len(_names(column))
    if n_parts > 1:
        return (None,) * n_parts if cell is None else tuple(cell)
    if column.kind == "datasets":
        return ("; ".join(cell),)
    if column.kind == "order":
        return (cell if cell is None else " ".join(ordered(cell, "~", "<")),)
    if column.kind == "decision" and not isinstance(cell, str | None):
        return (cell[0],)
    return (cell,)


def comma_separated(columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    r"""Write rows as CSV with all digits; nothing where there is no number.

    A text that a spreadsheet would take for a formula gets a leading apostrophe.

    >>> comma_separated(["a", "b"], [[0.1, "=1+1"], [float("nan"), "x,y"]])
    'a,b\n0.1,\'=1+1\n,"x,y"\n'
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([_csv_cell(c) for c in columns])
    writer.writerows([_csv_cell(c) for c in row] for row in rows)
    return buffer.getvalue()


def _csv_cell(value: Any) -> str:
    if _is_nothing(value):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, str):
        return f"'{value}" if value[:1] in ("=", "+", "-", "@") else value
    return str(value)


def said(cell: Cell) -> str:
    """Return what a cell says, not escaped."""
    if cell.kind == "pair":
        return " – ".join(cell.parts)
    if cell.kind == "order":
        return " ".join(cell.parts)
    if cell.kind == "decision":
        return str(_words().decision(cell.parts))
    return cell.parts[0] if cell.parts else cell.text


@cache
def _words() -> Any:
    """Return the words that every back end uses for the same thing."""
    return get_template(environment((), Markup, in_markdown=False), "words.j2").module


SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "\N{MINUS SIGN}": "$-$",
    "\N{EN DASH}": "--",
    "\N{PLUS-MINUS SIGN}": r"$\pm$",
    "\N{TILDE OPERATOR}": r"$\sim$",
    "\N{PRECEDES}": r"$\prec$",
}


def escaped(text: str) -> str:
    r"""Write text so that LaTeX sets it as it is.

    >>> print(escaped("a_b & 5% of {x}"))
    a\_b \& 5\% of \{x\}
    """
    return "".join(SPECIAL.get(c, c) for c in " ".join(text.split()))


def tabular(table: Table) -> str:
    """Return a table as an environment tabular; it needs the package booktabs."""
    alignment = "".join("l" if is_wordy(column) else "r" for column in table.columns)
    head = " & ".join(escaped(column.label) for column in table.columns)
    rows = [" & ".join(_cell(cell) for cell in row) + r" \\" for row in written(table)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{alignment}}}",
            r"\toprule",
            head + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _cell(cell: Cell) -> str:
    text = escaped(said(cell))
    return rf"\textbf{{{text}}}" if cell.is_best else text
