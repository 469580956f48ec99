r"""Weka's ARFF: attributes with their kinds, and rows of values.

Written here because scipy's reader knows no text, and the package liac-arff comes as source only.
Sparse rows and relational attributes are refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from reportgen.data_classes import dataclass

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
VALUE = re.compile(rf"\s*({QUOTED}|[^,]*?)\s*(,|$)")
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|\S+)\s+(.+)", re.IGNORECASE)
NUMERIC = ("numeric", "real", "integer")
WORDED = ("string", "date")
MISSING = "?"


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its name, and its levels where it is nominal."""

    name: str
    kind: str
    levels: tuple[str, ...] = ()


def read_arff(text: str) -> pd.DataFrame:
    r"""Read the text of an ARFF file.

    Result: numbers as float64, nominal attributes as categories in the file's order, text and dates
    as text; missing values are missing.
    Raises ValueError if it is no ARFF, or a sparse one; the text names the line.

    Examples
    --------
    >>> read_arff("@relation r\n@attribute x real\n@attribute y {a, b}\n@data\n1.5, b\n?, a")
         x  y
    0  1.5  b
    1  NaN  a
    """
    lines = _lines(text)
    attributes = list(_attributes(lines))
    if not attributes:
        raise ValueError("found no @attribute before @data")
    rows = [_row(number, line, attributes) for number, line in lines]
    columns = zip(*rows, strict=True) if rows else [()] * len(attributes)
    return pd.DataFrame(
        {a.name: _column(a, list(c)) for a, c in zip(attributes, columns, strict=True)}
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield lines with their number, without comments and empty ones."""
    for number, line in enumerate(text.splitlines(), start=1):
        if (stripped := line.strip()) and not stripped.startswith("%"):
            yield number, stripped


def _attributes(lines: Iterator[tuple[int, str]]) -> Iterator[Attribute]:
    """Read the header, up to @data."""
    seen = set()
    for number, line in lines:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            return
        if word == "@relation":
            continue
        match = ATTRIBUTE.fullmatch(line)
        if not match:
            raise ValueError(f"line {number}: found {line[:60]!r}; allowed @attribute name kind")
        attribute = _attribute(number, _plain(match[1]), match[2].strip())
        if attribute.name in seen:
            raise ValueError(f"line {number}: found the attribute {attribute.name!r} twice")
        seen.add(attribute.name)
        yield attribute
    raise ValueError("found no @data")


def _attribute(number: int, name: str, kind: str) -> Attribute:
    if kind.startswith("{") and kind.endswith("}"):
        return Attribute(name, "nominal", tuple(_values(kind[1:-1])))
    word = kind.split(None, 1)[0].lower()
    if word in (*NUMERIC, *WORDED):
        return Attribute(name, "numeric" if word in NUMERIC else "text")
    allowed = ", ".join((*NUMERIC, *WORDED))
    raise ValueError(f"line {number}: found the kind {kind[:60]!r}; allowed {{…}}, {allowed}")


def _row(number: int, line: str, attributes: list[Attribute]) -> list[str | float | None]:
    if line.startswith("{"):
        raise ValueError(f"line {number}: found a sparse row; allowed one value an attribute")
    values = list(_cells(line))
    if len(values) != len(attributes):
        raise ValueError(
            f"line {number}: found {len(values)} values; allowed {len(attributes)}, "
            "one an attribute"
        )
    return [_cell(number, a, v) for a, v in zip(attributes, values, strict=True)]


def _cell(number: int, attribute: Attribute, written: str) -> str | float | None:
    if written == MISSING:
        return None
    value = _plain(written)
    if attribute.kind == "numeric":
        try:
            return float(value)
        except ValueError:
            raise ValueError(
                f"line {number}: found {value[:60]!r} for {attribute.name!r}; allowed a number or ?"
            ) from None
    if attribute.levels and value not in attribute.levels:
        raise ValueError(
            f"line {number}: found {value[:60]!r} for {attribute.name!r}; allowed "
            f"{', '.join(attribute.levels[:20])}"
        )
    return value


def _column(attribute: Attribute, values: list[str | float | None]) -> pd.Series:
    if attribute.kind == "numeric":
        return pd.Series(values, dtype=np.float64)
    if attribute.levels:
        levels = list(dict.fromkeys(attribute.levels))
        return pd.Series(pd.Categorical(values, pd.Index(levels)))
    return pd.Series(values, dtype="str")


def _values(text: str) -> Iterator[str]:
    for written in _cells(text):
        yield _plain(written)


def _cells(text: str) -> Iterator[str]:
    """Split at commas that are not in quotes."""
    place = 0
    while True:
        match = VALUE.match(text, place)
        if match is None:  # a quote that does not end, or text behind one
            yield text[place:].strip()
            return
        yield match[1]
        place = match.end()
        if not match[2]:
            return


def _plain(written: str) -> str:
    """Take quotes and backslashes away."""
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        return re.sub(r"\\(.)", r"\1", written[1:-1])
    return written
