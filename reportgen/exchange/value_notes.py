"""Columns that say of the values beside them in which unit they are, and which are better."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.measures import known_measure
from reportgen.catalogue.measures.directions import OPPOSITE, known_direction
from reportgen.exchange.roles import OF_VALUES, Roles
from reportgen.exchange.statuses import FLAGS
from reportgen.exchange.table import MISSING, RawTable, cells_of, plain_name
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import listed, measure_name, shown

LARGER, SMALLER = (
    frozenset(f"{word}isbetter" for word in words.split()) | frozenset(more.split())
    for words, more in (
        ("higher larger greater bigger", "maximize maximise maximized ismaximized isgain"),
        ("lower smaller less", "minimize minimise minimized isminimized isloss iscost"),
    )
)
"""Names of columns that say, by yes and no, which values are better."""
SIDES = frozenset("direction goal better optimization optimizationdirection mode sense".split())
"""Likewise by words."""
WORDS: Mapping[str, Better] = MappingProxyType(
    {
        **dict.fromkeys("max maximize maximise maximum higher larger greater up".split(), "larger"),
        **dict.fromkeys("min minimize minimise minimum lower smaller less down".split(), "smaller"),
    }
)
OF_UNITS = ("unit", "units", "currency")
"""Ends of names of columns of units."""
UNITS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), "s"),
        **dict.fromkeys(("ms", "msec", "millisecond", "milliseconds"), "ms"),
        **dict.fromkeys(("us", "\u00b5s", "\u03bcs", "usec", "microseconds"), "\u00b5s"),
        **dict.fromkeys(("ns", "nsec", "nanoseconds"), "ns"),
        **dict.fromkeys(("min", "mins", "minute", "minutes"), "min"),
        **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), "h"),
        **{name.lower(): name for name in ("KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB")},
    }
)
"""Of costs, of which smaller values are better."""
NAMELESS = (*OF_VALUES, "objective", "objectivevalue", "metric")
"""Names of columns of numbers that hold any measure."""


def with_value_notes(table: RawTable, roles: Roles, named: Sequence[str]) -> tuple[RawTable, Roles]:
    """Return a table in which the measures have the directions and units that columns say.

    The roles are without the columns that are read.

    `named`: the measures of which the user says which values are better.
    Raises ExchangeError where a measure has several of them, or another direction than its name.
    """
    known: dict[str, Measure] = {}
    read: set[str] = set()
    used = {own.column for own in roles.of if own.role != "left out"}
    columns = [c for c in table.columns if c not in used]
    is_alone = len(roles.columns("performance")) < 2
    for label, rows in _measures(table, roles):
        side = _side(table, columns, label, rows, read)
        unit = _unit(table, columns, label, rows, read, is_alone=is_alone)
        found = table.known.get(label) or known_measure(label)
        if (side is None and unit is None) or label in named:
            continue
        own = (found and found.better) or known_direction(label)
        is_nameless = plain_name(label) in NAMELESS
        if side is None and unit is not None and is_nameless:
            raise table.error(
                f"{shown(label)} in {unit}, of which nobody knows which values are better",
                "the name of the measure, such as time; or which side is better: "
                + table.key("measures", [{"name": label, "better": "smaller"}], is_alone=False),
            )
        if side not in (None, own) and own is not None and not is_nameless:
            raise table.error(
                f"{shown(label)}, of which {own} values are better by its name, and {side} ones by "
                "a column",
                "columns that agree, or "
                + table.key("measures", [{"name": label, "better": str(side)}], is_alone=False),
            )
        if side is None and own is None:
            continue
        base = found or Measure(measure_name(label), side or own or "larger", better_source="file")
        known[label] = replace(
            base, better=side or base.better, unit_symbol=unit or base.unit_symbol
        )
    if not read:
        return table, roles
    kept = tuple(own for own in roles.of if own.column not in read)
    return replace(table, known={**table.known, **known}), replace(roles, of=kept)


def _measures(table: RawTable, roles: Roles) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Yield the names of the measures and their rows."""
    measure = roles.column("measure")
    every = np.arange(table.n_rows)
    if measure is not None:
        labels = table.labels(measure)
        for i, name in enumerate(labels.names):
            yield name, np.flatnonzero(labels.codes == i)
        return
    for column in roles.columns("value") or roles.columns("performance"):
        yield column, every


def _side(
    table: RawTable, columns: Sequence[str], label: str, rows: NDArray[np.intp], read: set[str]
) -> Better | None:
    """Return which values of a measure are better by columns beside it."""
    # `read`: takes these columns.
    sides: dict[Better, str] = {}
    for column in columns:
        name = plain_name(column)
        if name not in LARGER | SMALLER | SIDES:
            continue
        for cell in _cells(table, column, rows):
            side = _side_of(name, cell.lower())
            if side is None:
                break
            sides[side] = column
            read.add(column)
    if len(sides) > 1:
        raise table.error(
            f"larger and smaller values of {shown(label)} that are better by "
            f"{listed(dict.fromkeys(sides.values()))}",
            "one direction of a measure; where rows are of several measures, a column measure "
            "that names them",
        )
    return next(iter(sides), None)


def _side_of(name: str, cell: str) -> Better | None:
    """Return what a cell of a column says; None where it says nothing."""
    if name in SIDES:
        return WORDS.get(re.split(r"\W|_", cell, maxsplit=1)[0])
    flag = FLAGS.get(cell)
    side: Better = "larger" if name in LARGER else "smaller"
    return None if flag is None else side if flag else OPPOSITE[side]


def _unit(
    table: RawTable,
    columns: Sequence[str],
    label: str,
    rows: NDArray[np.intp],
    read: set[str],
    *,
    is_alone: bool,
) -> str | None:
    """Return the unit of a cost, where a column says it; refuse several units of one measure."""
    for column in columns:
        name = plain_name(column)
        end = next((end for end in OF_UNITS if name.endswith(end)), None)
        if end is None or table.is_numeric(column):
            continue
        of = name.removesuffix(end)
        if (
            of
            and not plain_name(label).startswith(of)
            and not (is_alone and of in ("time", "score"))
        ):
            continue
        cells = _cells(table, column, rows)
        units = list(dict.fromkeys(UNITS.get(cell.lower(), cell) for cell in cells))
        if len(units) > 1:
            raise table.error(
                f"values of {shown(label)} in {listed(units)}, by the column {listed([column])}",
                "one unit for all values of a measure: convert them before",
            )
        found = next((unit for unit in units if unit in UNITS.values()), None)
        read |= {column} if found else set()
        return found
    return None


def _cells(table: RawTable, column: str, rows: NDArray[np.intp]) -> list[str]:
    """Return the different cells of some rows that are not empty."""
    own = pd.Series(cells_of(table, column), dtype=object).iloc[rows].unique()
    stripped = (str(cell or "").strip() for cell in own)
    return [cell for cell in dict.fromkeys(stripped) if cell.lower() not in MISSING]
