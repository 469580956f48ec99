"""Values that are no plain numbers: times and sizes with units, per cent, right and wrong."""

from __future__ import annotations

import logging
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.catalogue.measures import OF_ANYTHING, known_measure
from reportgen.errors import ExchangeError
from reportgen.exchange.cells import mark_of
from reportgen.exchange.columns import Layout
from reportgen.exchange.keys import flow
from reportgen.exchange.roles import Roles, Shape, is_cost, is_known, is_of_items
from reportgen.exchange.table import MISSING, RawTable, cells_of, result_name
from reportgen.performance_measure import Measure, in_per_cent
from reportgen.study.errors import listed, measure_name

SECONDS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys("d day days".split(), 86_400.0),
        **dict.fromkeys("h hr hrs hour hours".split(), 3_600.0),
        **dict.fromkeys("m min mins minute minutes".split(), 60.0),
        **dict.fromkeys("s sec secs second seconds".split(), 1.0),
        **dict.fromkeys("ms msec millisecond milliseconds".split(), 1e-3),
        **dict.fromkeys(("us", "\u00b5s", "\u03bcs", "usec"), 1e-6),
        **dict.fromkeys("ns nsec".split(), 1e-9),
    }
)
BYTES: Mapping[str, float] = MappingProxyType(
    {
        "b": 1.0,
        **{f"{sign}{end}": 1e3**i for i, sign in enumerate("kmgt", 1) for end in ("b", "")},
        **{f"{sign}ib": 1024.0**i for i, sign in enumerate("kmgt", 1)},
    }
)
NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?"
PART = re.compile(rf"({NUMBER})\s*([^\W\d_]+)\s*")
CLOCK = re.compile(r"(?:(\d+) days?,? )?(\d+):(\d\d):(\d\d(?:\.\d*)?)")
LONGEST = 40  # characters

MOST_WORDS = 50  # different cells of a column of marks, in any spelling

log = logging.getLogger(__name__)
SLACK = 1e-9  # by which a share may lie above 1: rounding in the other tool


def with_plain_quantities(table: RawTable, shape: Shape) -> RawTable:
    """Return a table in which times are in seconds and sizes in bytes, where cells have units.

    In a tidy table they are in columns of costs. A column stays as it is where some cell has no
    unit, or may be hours and minutes as well as minutes and seconds.
    """
    import pyarrow as pa

    columns, known = dict(table.columns), dict(table.known)
    read = []
    for column in table.columns:
        if not table.is_text(column) or table.is_numeric(column):
            continue
        if shape == "tidy" and not is_cost(column):
            continue
        texts = [(cell or "").strip() for cell in cells_of(table, column)]
        levels = {text for text in texts if text.lower() not in MISSING}
        numbers = {text: _in_unit(text, SECONDS) for text in levels}
        unit = "s"
        if None in numbers.values():
            numbers, unit = {text: _in_unit(text, BYTES) for text in levels}, "bytes"
        if not levels or None in numbers.values():
            continue
        columns[column] = pa.chunked_array(
            [pa.array([numbers.get(t) for t in texts], pa.float64())]
        )
        read.append(column)
        if shape == "tidy":
            name = measure_name(result_name(column))
            base = known.get(column) or known_measure(name)
            base = base or Measure(name, "smaller", better_source="name")
            known[column] = replace(base, unit_symbol=unit)
    if not read:
        return table
    table.decided.append(("quantities", listed(read)))
    return replace(table, columns=columns, known=known)


def _in_unit(text: str, units: Mapping[str, float]) -> float | None:
    """Return the number of a cell in seconds, or bytes; None where it has other units.

    Examples
    --------
    >>> [_in_unit(text, SECONDS) for text in ("3m29.5s", "00:02:24", "30 ms", "7:38", "12")]
    [209.5, 144.0, 0.03, None, None]
    >>> [_in_unit(text, BYTES) for text in ("1.5 GB", "546M", "2 KiB", "3 s")]
    [1500000000.0, 546000000.0, 2048.0, None]
    """
    if len(text) > LONGEST:
        return None
    if units is SECONDS and (clock := CLOCK.fullmatch(text)):
        days, hours, minutes, seconds = (float(part or 0) for part in clock.groups())
        return 86_400 * days + 3_600 * hours + 60 * minutes + seconds
    parts = PART.findall(text)
    if not parts or PART.sub("", text):
        return None
    found = [(float(number), units.get(unit.lower())) for number, unit in parts]
    return None if any(u is None for _, u in found) else sum(n * (u or 0) for n, u in found)


def with_marks(table: RawTable, roles: Roles, wanted: Collection[str]) -> RawTable:
    """Return a table with numbers in place of words for right and wrong, where they are results.

    They are those of items, of measures that the user names or whose better side is known, and of
    tables that have no numbers: elsewhere such a column is a note.
    `roles`: what each column is.
    `wanted`: the columns of the measures that the user names.
    """
    import pyarrow as pa

    texts = [own.column for own in roles.of if own.role == "left out" and own.reason == "text"]
    columns = [*roles.columns("value"), *roles.columns("performance"), *texts]
    is_numeric = {c for c in columns if table.is_numeric(c)}
    marks = {
        c: own
        for c in columns
        if c not in is_numeric and (own := _numbers_of_marks(table, c)) is not None
    }
    are_items = is_of_items(table, roles)
    if wanted or roles.columns("value"):
        kept = [c for c in marks if c in wanted or c in roles.columns("value")]
    elif is_numeric and not (are_items and roles.shape == "tidy"):
        kept = []
    elif roles.shape == "tidy":
        known = [c for c in marks if is_known(c)]
        kept = known if known or is_numeric or not are_items else list(marks)
    else:
        kept = list(marks)
    if not kept:
        return table
    table.decided.append(("marks", listed(kept)))
    added = {c: pa.chunked_array([pa.array(marks[c], from_pandas=True)]) for c in kept}
    return replace(table, columns={**table.columns, **added})


def _numbers_of_marks(table: RawTable, column: str) -> NDArray[np.float64] | None:
    """Return what the words of a column count, NaN where there is none; None for other cells."""
    words = table.columns[column].unique()
    if len(words) > MOST_WORDS:
        return None
    of_words = cells_of(replace(table, columns={column: words}, n_rows=len(words)), column)
    stripped = {(word or "").strip() for word in of_words}
    found = {word: mark_of(word) for word in stripped if word.lower() not in MISSING}
    if not found or None in found.values():
        return None
    cells = [(cell or "").strip() for cell in cells_of(table, column)]
    return np.array([found.get(cell, np.nan) for cell in cells], np.float64)


def with_per_cent(table: RawTable, layout: Layout, frame: pd.DataFrame) -> Layout:
    """Return a layout whose measures are in per cent where their values are.

    `frame`: the performances, tidy; `is_per_cent` says which cells have the sign.
    Raises ExchangeError if some values of a measure are in per cent and others are not.
    """
    has_value = frame["value"].notna()
    measures = dict(layout.measures)
    for label, measure in layout.measures.items():
        own = frame[has_value & (frame["measure"] == measure.name)]
        if _has_signs(table, measure, own):
            measures[label] = in_per_cent(measure) if measure.unit_symbol != "%" else measure
        elif _is_above_one(table, label, measure, own):
            measures[label] = in_per_cent(measure)
            name = measure.name
            log.warning(
                "%s: %s is in per cent, as values are above 1, and none are fractions",
                table.path,
                name,
            )
            table.decided.append(("per-cent", name))
    return replace(layout, measures=measures)


def with_marks_bounded(layout: Layout, frame: pd.DataFrame) -> Layout:
    """Return a layout whose measures without unit and bounds have 0 and 1 where these are all.

    `frame`: the performances, tidy; items by run.
    """
    measures = dict(layout.measures)
    for label, measure in layout.measures.items():
        if measure.bounds != (None, None) or measure.unit_symbol or measure.is_compared_by_ratio:
            continue
        own = frame.loc[frame["measure"] == measure.name, "value"].dropna().unique()
        if {*own} == {0.0, 1.0}:
            measures[label] = replace(measure, bounds=(0.0, 1.0))
    return replace(layout, measures=measures)


def _has_signs(table: RawTable, measure: Measure, own: pd.DataFrame) -> bool:
    """Whether all values of a measure have the sign of per cent."""
    if "is_per_cent" not in own:
        return False
    signs = own["is_per_cent"].eq(True).to_numpy(np.bool_)
    if signs.any() and measure.unit_symbol not in ("", "%", "share"):
        row = own.iloc[int(signs.argmax())]
        raise table.error(
            f"{row['value']:g}% for the measure {measure.name}",
            f"values in {measure.unit_symbol}",
            row=int(row["row"]),
        )
    if signs.any() and not signs.all():
        found = "cells with the sign %, and without it"
        raise _two_units(table, measure, own, found, (signs, ~signs), "the sign in all cells")
    return bool(signs.any())


def _is_above_one(table: RawTable, label: str, measure: Measure, own: pd.DataFrame) -> bool:
    """Whether the values of a share are all 0, or above 1 and up to 100."""
    if measure.unit_symbol != "share" or measure.bounds[1] != 1.0:
        return False
    if label.strip().lower() in OF_ANYTHING and measure.name != label:
        return False
    values = own["value"].to_numpy(np.float64)
    is_above = values > 1 + SLACK
    is_beyond = (values > 100).any() or (values < 100 * (measure.bounds[0] or -np.inf)).any()
    if not is_above.any() or is_beyond:
        return False
    is_share = ~is_above & (values != 0)
    if is_share.any():
        found, entry = "values above 1, and others up to 1", {"name": measure.name, "unit": "%"}
        unit = f"measures=[{entry}]" if table.is_argument else f"`measures: [{flow(entry)}]`"
        allowed = f"one unit: {unit}, where all are in per cent"
        odd = own.loc[is_above, "candidate"].unique()
        if len(odd) == 1 and str(odd[0]) in table.columns:
            ignored = table.key("columns", {"ignore": str(odd[0])}, is_alone=False)
            allowed += f"; {ignored}, where {odd[0]} is no candidate"
        raise _two_units(table, measure, own, found, (is_above, is_share), allowed)
    return True


def _two_units(
    table: RawTable,
    measure: Measure,
    own: pd.DataFrame,
    found: str,
    parts: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    allowed: str,
) -> ExchangeError:
    """Return the error for values of two units, with the first row of each."""
    rows = [own.iloc[int(part.argmax())] for part in parts]
    places = [f"{r['value']:g} of {r['candidate']} in {table.where(int(r['row']))}" for r in rows]
    return table.error(f"{found}, for the measure {measure.name}: {' and '.join(places)}", allowed)
