"""Tables of results: tidy and wide, in every kind of file, whole and with one thing wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from tests.fuzz.names import distinct, odd
from tests.fuzz.numbers import cubes

SMALLER, LARGER, SHARE, OPEN = "loss", "score", "misclassification", "zeal"
"""Measures known by name, one of them from 0 to 1; and one that nobody knows."""
UNITS = ("replication", "replication", "folds", "none", "item", "clusters", "epochs", "sample")
FAULTS = (
    *("none", "none", "none", "twice", "no-column", "column", "text", "inf", "true", "date"),
    *("ragged", "head-twice", "no-head", "empty", "one-row", "quote", "huge", "comma", "blank"),
    *("percent", "case", "status", "number-head", "nul"),
)


@dataclass(frozen=True)
class Table:
    """Rows below a header; cells are text, numbers or None.

    Attributes
    ----------
    header, rows
    is_wide : bool
    unit : str
    measures : tuple of str
    candidates : tuple of str
    fault : str
        What is wrong in it, or "none".
    """

    header: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_wide: bool
    unit: str
    measures: tuple[str, ...]
    candidates: tuple[str, ...]
    fault: str = "none"

    def write(self, folder: Path, form: str = "csv") -> Path:
        """Write the table to a file; `form` is a key of `FORMS`."""
        if self.fault in ("ragged", "head-twice"):  # which only text can be
            form = "csv"
        if form == "parquet":
            columns = [
                list(column)
                if all(x is None or isinstance(x, float) for x in column)
                else [x if x is None else _text(x) for x in column]
                for column in zip(*self.rows, strict=True)
            ]  # names may stand twice there, too
            table = pa.table(columns or [[]] * len(self.header), names=list(self.header))
            pq.write_table(table, folder / "results.parquet")
            return folder / "results.parquet"
        if form == "json":
            rows = [dict(zip(self.header, row, strict=False)) for row in self.rows]
            path = folder / "results.json"
            path.write_text(json.dumps(rows), "utf-8")
            return path
        separator, bom, end = FORMS[form]
        out = io.StringIO()
        writer = csv.writer(out, delimiter=separator, lineterminator=end)
        writer.writerow(self.header)
        writer.writerows([["" if x is None else _text(x) for x in row] for row in self.rows])
        text = out.getvalue()
        if self.fault == "quote":
            text = text[: len(text) // 2] + '"' + text[len(text) // 2 :]
        path = folder / "results.csv"
        path.write_bytes(bom + text.encode("utf-8", "surrogatepass"))
        return path

    def shuffled(self, seed: int) -> Table:
        """Return the table with its rows in another order."""
        order = np.random.default_rng(seed).permutation(len(self.rows))
        return replace(self, rows=tuple(self.rows[i] for i in order))


FORMS = {
    "csv": (",", b"", "\n"),
    "bom": (",", b"\xef\xbb\xbf", "\r\n"),
    "semicolon": (";", b"", "\n"),
    "tab": ("\t", b"", "\r\n"),
    "json": None,
    "parquet": None,
}


def _text(x: Any) -> str:
    return repr(x) if isinstance(x, float) else str(x)


@st.composite
def tidy_tables(
    draw: st.DrawFn,
    *,
    is_plain: bool = False,
    faults: Sequence[str] = FAULTS,
    units: Sequence[str] = UNITS,
    smallest: tuple[int, int, int] = (1, 1, 1),
    largest: tuple[int, int, int] = (4, 12, 5),
) -> Table:
    """Draw a tidy table: a row a value or a row a fit, of any unit.

    With `is_plain` the names are plain; `faults` may be only "none".
    """
    m, b, k = (draw(st.integers(*ends)) for ends in zip(smallest, largest, strict=True))
    unit = draw(st.sampled_from(units))
    of = (SMALLER, LARGER, SHARE) if is_plain else (SMALLER, LARGER, SHARE, OPEN)
    measures = draw(st.lists(st.sampled_from(of), min_size=1, max_size=3, unique=True))
    datasets = draw(distinct(m, is_plain=is_plain))
    candidates = draw(distinct(k, is_plain=is_plain))
    values = {name: draw(cubes((m, b, k), in_unit=name == SHARE)) for name in measures}
    is_long = draw(st.booleans())
    keeps_gaps = draw(st.booleans())
    keys = _unit_columns(unit, b)
    header = ["dataset", *keys, "candidate", *(["measure", "value"] if is_long else measures)]
    rows: list[tuple[Any, ...]] = []
    for d, i, c in np.ndindex(m, b, k):
        row = (datasets[d], *(column[i] for column in keys.values()), candidates[c])
        cells = [float(values[name][d, i, c]) for name in measures]
        cells = [None if np.isnan(x) else x for x in cells]
        if is_long:
            rows += [
                (*row, name, x)
                for name, x in zip(measures, cells, strict=True)
                if x is not None or keeps_gaps
            ]
        elif keeps_gaps or any(x is not None for x in cells):
            rows.append((*row, *cells))
    own_measures, own = tuple(measures), tuple(candidates)
    table = Table(tuple(header), tuple(rows), False, unit, own_measures, own)
    return _spoilt(draw, table, draw(st.sampled_from(faults)))


def _unit_columns(unit: str, n: int) -> dict[str, list[str]]:
    """Return the columns that say which replication a row is."""
    numbers = [str(i + 1) for i in range(n)]
    return {
        "replication": {"replication": numbers},
        "sample": {"replication": numbers},
        "folds": {
            "repeat": [str(i // 5) for i in range(n)],
            "fold": [str(i % 5) for i in range(n)],
        },
        "item": {"item": [f"q{i}" for i in numbers]},
        "clusters": {
            "item": [f"q{i}" for i in numbers],
            "cluster": [f"d{i // 3}" for i in range(n)],
        },
        "epochs": {
            "item": [f"q{i // 2}" for i in range(n)],
            "epoch": [str(i % 2) for i in range(n)],
        },
    }.get(unit, {})


@st.composite
def wide_tables(
    draw: st.DrawFn, *, is_plain: bool = False, faults: Sequence[str] = FAULTS
) -> Table:
    """Draw a table with a row a data set (and replication, or item) and a column a candidate."""
    unit = draw(st.sampled_from(("replication", "none", "item", "clusters")))
    m, k = draw(st.integers(1, 8)), draw(st.integers(1, 5))
    b = 1 if unit == "none" else draw(st.integers(1, 8))
    datasets = draw(distinct(m, is_plain=is_plain))
    candidates = draw(distinct(k, is_plain=is_plain))
    measure = draw(st.sampled_from((SMALLER, LARGER, SHARE)))
    values = draw(cubes((m, b, k), in_unit=measure == SHARE))
    keys = _unit_columns(unit, b)
    rows = [
        (
            datasets[d],
            *(column[i] for column in keys.values()),
            *(None if np.isnan(x) else float(x) for x in values[d, i]),
        )
        for d, i in np.ndindex(m, b)
    ]
    header = ("dataset", *keys, *candidates)
    table = Table(header, tuple(rows), True, unit, (measure,), tuple(candidates))
    return _spoilt(draw, table, draw(st.sampled_from(faults)))


def _spoilt(draw: st.DrawFn, table: Table, fault: str) -> Table:
    """Return the table with one thing wrong, or odd."""
    header, rows = list(table.header), [list(row) for row in table.rows]
    if not rows or fault == "none":
        return table
    at = draw(st.integers(0, len(rows) - 1))
    column = draw(st.integers(0, len(header) - 1))
    cells = {
        "text": draw(odd),
        "inf": draw(st.sampled_from((float("inf"), float("-inf"), "Infinity", "nan", "NaN"))),
        "true": draw(st.sampled_from(("true", "False", "yes"))),
        "date": "2020-01-01",
        "huge": draw(st.sampled_from(("1e400", "9" * 400, "1e-400", "-1e999", "9" * 20))),
        "comma": "0,5",
        "blank": " ",
        "percent": "93%",
        "nul": "a\x00",
    }
    if fault in cells:
        rows[at][-1 if draw(st.booleans()) else column] = cells[fault]
    elif fault == "twice":
        rows.append(rows[at])
    elif fault == "no-column":
        header.pop(column)
        rows = [row[:column] + row[column + 1 :] for row in rows]
    elif fault == "column":
        own = draw(st.sampled_from((0.5, "x", None)))
        header.append(draw(st.sampled_from(("extra", "fold", "cluster", "n_test", "", "seed"))))
        rows = [[*row, own] for row in rows]
    elif fault == "ragged":
        rows[at] = rows[at][:-1] if draw(st.booleans()) else [*rows[at], "x"]
    elif fault == "head-twice":
        header[column] = header[0]
    elif fault == "no-head":
        header[column] = draw(st.sampled_from(("", " ", "Unnamed: 0", "\ufeff")))
    elif fault == "number-head":
        header[column] = "1"
    elif fault == "empty":
        rows = []
    elif fault == "one-row":
        rows = rows[:1]
    elif fault == "case":
        header = [head.upper() if draw(st.booleans()) else f" {head}" for head in header]
    elif fault == "status":
        header.append("status")
        rows = [[*row, "ok"] for row in rows]
        rows[at][-1] = draw(st.sampled_from(("failed", "OK", "", "timed-out", "skipped")))
    return replace(table, header=tuple(header), rows=tuple(tuple(row) for row in rows), fault=fault)


forms = st.sampled_from(tuple(FORMS))
