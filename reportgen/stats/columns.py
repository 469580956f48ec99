"""Columns of tables: what they hold, how they are written, how they read as second - first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.decisions import OPPOSITE

if TYPE_CHECKING:
    from reportgen.notation import NumberFormat

Row = TypeVar("Row")
Kind = Literal[
    "candidate",  # a candidate's name
    "pair",  # two candidates' names
    "dataset",  # a data set's name
    "datasets",  # names of several data sets
    "text",  # any other untrusted text
    "setting",  # the value of a hyperparameter: a number or a text
    "value",  # on the measure's own scale
    "estimate",  # (value, its standard error) on the measure's scale
    "difference",  # a difference of two values
    "interval",  # (lower, upper) on the measure's scale
    "difference-interval",  # (lower, upper) of a difference
    "number-interval",  # (lower, upper) of any other number
    "pvalue",
    "share",  # from 0 to 1
    "count",
    "counts",  # several counts of one cell: better, tied, worse
    "rank",  # a mean rank or rank sum
    "number",  # any other number
    "size",  # any other number, with the digits that its row needs
    "statistic",  # of a test, as F: each with three digits
    "flag",  # true or false
    "decision",  # one of the decisions of an interval
    "order",  # groups of tied candidates, best first
    "method",  # of comparing a pair, by its name
    "target",  # what it speaks about, by its name
    "scale",  # of comparing a pair, by its name
    "reason",  # why there is no interval, by its name
]
Sign = Literal["same", "negative", "limit", "complement", "decision"]
"""How a column reads as second - first: as it is; with the other sign; with the other sign, or on
the ratio scale as 1 / x; as 1 - x; as the opposite decision."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: of one that a report prints, or of results."""

    name: str  # in results and CSV files, where an interval makes `<name>_lower` and `_upper`
    label: str = ""  # the head a reader sees
    kind: Kind = "number"  # what the cells mean, and so how they are written
    best: Literal["smaller", "larger"] | None = None  # which cell is marked as the best, if any is
    number_format: NumberFormat | None = None  # of its cells, where not that of the table
    candidate: str = ""  # whose column it is, so that its head has the candidate's mark
    is_shown: bool = True  # whether readers see it; files of data have it in any case
    doc: str = ""  # what it holds, for readers of results
    sign: Sign = "same"  # how it reads where the two candidates change places
    partner: str = ""  # the column with which it changes places then


def signed(sign: Sign = "same", partner: str = "") -> Mapping[str, Column]:
    """Return the metadata of a field that reads otherwise where its two candidates change places.

    What the field holds stands in a comment beside it.
    """
    return {"column": Column("", sign=sign, partner=partner)}


@cache
def signs_of(row: Any) -> Mapping[str, Column]:
    """Return the columns of a dataclass of rows that read otherwise for second - first."""
    found = {own.name: own.metadata.get("column") for own in fields(row)}
    return {name: column for name, column in found.items() if column is not None}


def opposite(row: Row, *, is_ratio: bool = False) -> Row:
    """Return a row of a dataclass as second - first."""
    kind: Any = type(row)
    columns = signs_of(kind)
    cells = {name: getattr(row, name) for name in columns}
    return replace(row, **exchanged(cells, columns, is_ratio=is_ratio))  # type: ignore[type-var]


def exchanged(
    cells: Mapping[str, Any], columns: Mapping[str, Column], *, is_ratio: bool = False
) -> dict[str, Any]:
    """Read the cells of a row, or whole columns, as second - first.

    `cells`: None for what is not known; an interval is a tuple of two; a mapping is of several
    cells.
    `columns`: of all cells; a partner that is not among the cells is the column itself.
    `is_ratio`: whether a limit is of a ratio.

    Examples
    --------
    >>> columns = {"low": Column("low", sign="limit", partner="high"),
    ...            "high": Column("high", sign="limit", partner="low")}
    >>> exchanged({"low": 0.5, "high": 4.0}, columns, is_ratio=True)
    {'low': 0.25, 'high': 2.0}
    """
    found = {}
    for name, cell in cells.items():
        column = columns[name]
        found[name] = _opposite(cells.get(column.partner or name, cell), column.sign, is_ratio)
    return found


def _opposite(cell: Any, sign: Sign, is_ratio: bool) -> Any:
    """Return what a cell, an interval, a column or several cells are the other way."""
    if cell is None or sign == "same":
        return cell
    if isinstance(cell, Mapping):
        return {key: _opposite(own, sign, is_ratio) for key, own in cell.items()}
    if isinstance(cell, tuple):
        low, high = (_opposite(end, sign, is_ratio) for end in cell)
        return high, low
    if sign == "decision":
        return OPPOSITE[cell]
    if sign == "limit" and is_ratio:
        return reciprocal(cell)
    return 1 - cell if sign == "complement" else 0 - cell


def negative(cell: Any) -> Any:
    """Return a difference, or an interval of one, as second - first."""
    return _opposite(cell, "negative", is_ratio=False)


def reciprocal(cell: Any) -> Any:
    """Return 1 / x of a number or of a column; of 0 there is none: None, of a column NaN."""
    if not isinstance(cell, np.ndarray):
        return 1 / cell if cell else None
    return np.divide(1.0, cell, where=cell != 0, out=np.full(cell.shape, np.nan))
