"""Words for right and wrong, which are scores of 1 and 0: True, CORRECT, pass, C, yes."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.exchange.cells import mark_of
from reportgen.exchange.roles import Roles, is_known, is_of_items
from reportgen.exchange.table import MISSING, RawTable, cells_of
from reportgen.study.errors import listed

MOST_WORDS = 50  # different cells of a column of marks, in any spelling


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
