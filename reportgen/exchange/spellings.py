"""One measure under two names: joined where the two never stand side by side."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from reportgen.exchange.roles import Role, Roles
from reportgen.exchange.table import MISSING, RawTable, cells_of
from reportgen.study.errors import listed

log = logging.getLogger(__name__)
KEYS: tuple[Role, ...] = ("dataset", "candidate", "replication", "item", "cluster", "epoch")


def with_one_spelling(
    table: RawTable, roles: Roles, own_name: Callable[[RawTable, str], str]
) -> RawTable:
    """Return a tidy table in which names of one measure are one, as in tables that were joined.

    `own_name`: returns what we call a measure of the file.
    Names stay that stand side by side: both have values for a candidate and replication.
    """
    column = roles.column("measure")
    if column is not None and table.is_text(column):
        return _with_one_label(table, roles, column, own_name)
    groups: dict[str, list[str]] = {}
    for name in roles.columns("performance"):
        groups.setdefault(own_name(table, name), []).append(name)
    for own, names in groups.items():
        if len(names) < 2:
            continue
        given = [np.array([_is_given(c) for c in cells_of(table, n)]) for n in names]
        if (np.sum(given, axis=0) > 1).any() or not all(cells.any() for cells in given):
            continue
        table = _joined(table, names, own)
    return table


def _with_one_label(
    table: RawTable, roles: Roles, column: str, own_name: Callable[[RawTable, str], str]
) -> RawTable:
    """Join the labels of a column of measures."""
    import pyarrow as pa

    groups: dict[str, list[str]] = {}
    for name in table.labels(column).names:
        groups.setdefault(own_name(table, name), []).append(name)
    several = {own: names for own, names in groups.items() if len(names) > 1}
    if not several:
        return table
    cells = pd.Series(cells_of(table, column), dtype=object).str.strip()
    keys = pd.DataFrame({c: cells_of(table, c) for role in KEYS for c in roles.columns(role)})
    for own, names in several.items():
        rows = cells.isin(names)
        if keys[rows].duplicated().any() or not len(keys.columns):
            continue
        kept = own if own in names else names[0]
        cells = cells.where(~rows, kept)
        _note(table, names, kept)
    columns = {**table.columns, column: pa.chunked_array([pa.array(cells.tolist(), pa.string())])}
    return replace(table, columns=columns)


def _joined(table: RawTable, names: list[str], own: str) -> RawTable:
    """Put the values of several columns into one."""
    import pyarrow as pa

    kept = own if own in names else names[0]
    parts = [[cell or "" for cell in cells_of(table, name)] for name in names]
    cells = [next(filter(_is_given, row), "") for row in zip(*parts, strict=True)]
    column = pa.chunked_array([pa.array(cells, pa.string())])
    _note(table, names, kept)
    columns = {n: column if n == kept else c for n, c in table.columns.items()}
    return replace(table, columns={n: c for n, c in columns.items() if n not in names or n == kept})


def _is_given(cell: str | None) -> bool:
    return (cell or "").strip().lower() not in MISSING


def _note(table: RawTable, names: list[str], kept: str) -> None:
    log.warning("%s: %s are one measure, %s", table.path, listed(names), kept)
    table.decided.append(("one-measure", listed(names)))
