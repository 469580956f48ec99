"""Columns of results: what each holds, and how it reads where two candidates change places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, Literal, TypeVar

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.stats.decisions import OPPOSITE

Row = TypeVar("Row")
Kind = Literal[
    "number",
    "count",
    "share",
    "interval",
    "flag",
    "reason",
    "name",
    "decision",
    "method",
    "target",
    "scale",
]
Sign = Literal["same", "negative", "limit", "complement", "decision"]
"""How a column reads as second - first: as it is; with the other sign; with the other sign, or on
the ratio scale as 1 / x; as 1 - x; as the opposite decision."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table of results, or a field of its rows."""

    name: str
    doc: str
    kind: Kind = "number"
    sign: Sign = "same"
    partner: str = ""  # with which it changes places where the two candidates do
    is_optional: bool = True  # whether it may be None


def column(doc: str, kind: Kind = "number", sign: Sign = "same", partner: str = "") -> Any:
    """Return the metadata of a field of a dataclass that is a column of its rows."""
    return {"column": Column("", doc, kind, sign, partner)}


@cache
def columns_of(row: Any) -> Mapping[str, Column]:
    """Return the columns of rows that are of a dataclass, by the metadata of its fields."""
    return {
        own.name: replace(
            own.metadata["column"], name=own.name, is_optional=str(own.type).endswith("| None")
        )
        for own in fields(row)
        if "column" in own.metadata
    }


def opposite(row: Row, *, is_ratio: bool = False) -> Row:
    """Return a row of a dataclass as second - first."""
    kind: Any = type(row)
    columns = columns_of(kind)
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
    >>> columns = {"low": Column("low", "", sign="limit", partner="high"),
    ...            "high": Column("high", "", sign="limit", partner="low")}
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


def reciprocal(cell: Any) -> Any:
    """Return 1 / x of a number or of a column; of 0 there is none: None, of a column NaN."""
    if not isinstance(cell, np.ndarray):
        return 1 / cell if cell else None
    return np.divide(1.0, cell, where=cell != 0, out=np.full(cell.shape, np.nan))
