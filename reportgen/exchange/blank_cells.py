"""Blank cells of names: empty rows, rows of totals, and blocks that have their name once."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from reportgen.exchange.roles import Roles, is_summary_name
from reportgen.exchange.table import RawTable, cells_of
from reportgen.study.errors import listed, shown

if TYPE_CHECKING:
    import pyarrow as pa

log = logging.getLogger(__name__)
FEWEST_COLUMNS = 3  # of a table in which a row with a name alone is a title


def without_empty_rows(table: RawTable) -> RawTable:
    """Return a table of text without the rows in which no cell has anything, with a note.

    Spreadsheet programs write such rows, of separators alone, below a table.
    """
    is_empty = np.ones(table.n_rows, bool)
    for cells in (*table.columns.values(), *table.unnamed.values()):
        is_empty &= _are_blank(cells)
        if not is_empty.any():
            return table
    if is_empty.all():
        return table
    n = int(is_empty.sum())
    log.info("%s: %d empty %s left out", table.path, n, "row is" if n == 1 else "rows are")
    table.decided.append(("empty-rows", str(n)))
    return table.take(np.flatnonzero(~is_empty))


def without_titles(table: RawTable) -> RawTable:
    """Return a table without the rows of which only the first cell has anything, with a note.

    They are titles of parts of the table, or notes below it. Of two columns the second may be
    missing, and the row stays.
    """
    columns = [*table.unnamed.values(), *table.columns.values()]
    if len(columns) < FEWEST_COLUMNS or not table.n_rows:
        return table
    is_title = ~_are_blank(columns[0])
    for cells in columns[1:]:
        is_title &= _are_blank(cells)
        if not is_title.any():
            return table
    if is_title.all():
        return table
    cells = columns[0].take(np.flatnonzero(is_title)).to_pylist()
    names = listed([shown(str(cell).strip()) for cell in dict.fromkeys(cells)])
    log.warning("%s: left out, as only their first cell is filled: the rows %s", table.path, names)
    table.decided.append(("title-rows", names))
    return table.take(np.flatnonzero(~is_title))


def _are_blank(cells: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Return which cells of a column of text have nothing but blanks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names = pc.fill_null(pc.cast(cells.unique(), pa.string()), "")
    if not pc.any(pc.equal(pc.utf8_trim_whitespace(names), "")).as_py():
        return np.zeros(len(cells), np.bool_)
    text = pc.fill_null(pc.cast(cells, pa.string()), "")
    found: NDArray[np.bool_] = pc.equal(pc.utf8_trim_whitespace(text), "").to_numpy()
    return found


def without_nameless_sums(table: RawTable, roles: Roles) -> RawTable:
    """Return a tidy table without the rows that lack a name or a number, and name a sum.

    `TOTAL,,,0.81` below results is of no candidate, `rf,mean,0.81` of no fold; the name may stand
    in any of the cells.
    """
    own = [c for role in ("dataset", "candidate") for c in [roles.column(role)] if c is not None]
    if roles.shape != "tidy" or roles.column("candidate") is None:
        return table
    is_nameless = _of_sums_of_runs(table, roles.columns("replication"))
    for column in own:
        if table.is_text(column):
            is_nameless |= _are_blank(table.columns[column])
    rows = np.flatnonzero(is_nameless)
    if not 0 < len(rows) < table.n_rows:
        return table
    part = table.take(rows)
    names = [""] * len(rows)
    for column in filter(part.is_text, part.columns):
        for i, cell in enumerate(cells_of(part, column)):
            if cell and not names[i] and is_summary_name(cell):
                names[i] = cell.strip()
    left = dict.fromkeys(listed([name]) for name in names if name)
    if not left:
        return table
    log.warning("%s: the rows %s are left out: they sum up others", table.path, listed(left))
    table.decided.extend(("left-out-row", name) for name in left)
    gone = rows[[bool(name) for name in names]]
    return table.take(np.setdiff1d(np.arange(table.n_rows), gone))


def _of_sums_of_runs(table: RawTable, columns: Sequence[str]) -> NDArray[np.bool_]:
    """Return which rows name a sum in a column that numbers the others."""
    found = np.zeros(table.n_rows, bool)
    for column in filter(table.is_text, columns):
        cells = np.array([(cell or "").strip() for cell in cells_of(table, column)], object)
        names = set(cells.tolist())
        sums = {name for name in names if is_summary_name(name)}
        if sums and all(name.isdecimal() for name in names - sums):
            found |= np.isin(cells, list(sums))
    return found
