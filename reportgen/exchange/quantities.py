"""Times and sizes that are written with their units: 3m29.5s, 00:02:24, 30.1 ms, 1.2 GB."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from reportgen.catalogue.measures import known_measure
from reportgen.exchange.roles import Shape, is_cost
from reportgen.exchange.table import MISSING, RawTable, cells_of, result_name
from reportgen.performance_measure import Measure
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
            known[column] = replace(base, unit=unit)
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
