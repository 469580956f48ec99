"""Items in a table of results: which columns tell item, cluster and run, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.exchange.cells import mark_of
from reportgen.exchange.replications import COORDINATE, run_numbers
from reportgen.exchange.table import (
    MISSING,
    Labels,
    RawTable,
    cells_of,
    numbers_of,
    plain_name,
    unknown_column,
)
from reportgen.study.errors import listed, shown
from reportgen.units import unit_named
from reportgen.warehouse.items import ITEM_COLUMNS, item_places, ranks_within

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "item": ("item", "itemid", "question", "questionid"),
    "cluster": ("cluster", "clusterid", "document", "documentid", "passage", "passageid"),
    "epoch": ("epoch",),
}
"""Names of columns, in lower case and without blanks, dashes and underscores."""
MOST_MARKS = 20  # different cells of a column of marks
OF_ROWS = frozenset(
    "sampleid docid instanceid exampleid promptid problemid taskuid itemuid queryid".split()
)
"""Likewise of items, where candidates share them and are marked: others may number the rows."""


@dataclass(frozen=True, slots=True)
class ItemRows:
    """The item of every row of a table."""

    # (n_rows,); A replication for each run of an item: from 1, by item, then by run.
    numbers: NDArray[np.int64]
    items: pd.DataFrame  # columns `ITEM_COLUMNS`, a row a replication


def find_item_columns(table: RawTable, others: Sequence[str] = ()) -> dict[str, str]:
    """Return the file's columns of item, cluster and epoch; none where its rows are no items.

    `table`: its `unit` is what the user says that a replication is, or "".
    `others`: columns that mean something else.
    Raises ExchangeError if a column that the user names is not there, or two columns may be one.
    """
    if (table.unit and not unit_named(table.unit).is_nested) or table.items is not None:
        return {}
    found: dict[str, str] = {}
    for key, spellings in SPELLINGS.items():
        given = table.user_columns.get(key)
        if isinstance(given, str):
            if given not in table.columns:
                raise unknown_column(table, given, key)
            found[key] = given
            continue
        fitting = [c for c in table.columns if c not in others and plain_name(c) in spellings]
        fitting = [c for c in fitting if not _has_fractions(table, c)]
        if key == "item" and not fitting:
            fitting = [c for c in table.columns if c not in others and _names_items(table, c)]
        if len(fitting) > 1 and "item" in (key, *found):
            raise table.error(
                f"the columns {listed(fitting)}, each of which may be the {key}",
                f"one of them: name it by `columns: {{{key}: {fitting[0]}}}` in the manifest",
            )
        if fitting:
            found[key] = fitting[0]
    return found if "item" in found else {}


def _has_fractions(table: RawTable, column: str) -> bool:
    """Whether a column has numbers that are no names."""
    if not table.is_numeric(column):
        return False
    values = numbers_of(table, column)
    return bool((values[np.isfinite(values)] % 1 != 0).any())


def _names_items(table: RawTable, column: str) -> bool:
    """Whether a column has ids that are in several rows, beside marks of right and wrong."""
    if plain_name(column) not in OF_ROWS:
        return False
    is_shared = 2 * len(table.columns[column].unique()) <= table.n_rows
    others = [c for c in table.columns if c != column and not COORDINATE.fullmatch(plain_name(c))]
    return is_shared and any(_has_marks(table, c) for c in others)


def _has_marks(table: RawTable, column: str) -> bool:
    """Whether the cells of a column are right and wrong, or 1 and 0."""
    words = table.columns[column].unique()
    if len(words) > MOST_MARKS:
        return False
    part = replace(table, columns={column: words}, n_rows=len(words))
    cells = {(cell or "").strip().lower() for cell in cells_of(part, column)} - {*MISSING}
    return len(cells) > 1 and all(
        mark_of(cell) is not None or cell in ("0", "1", "0.0", "1.0", "t", "f") for cell in cells
    )


def read_items(
    table: RawTable, columns: Mapping[str, str], runs: Sequence[str], datasets: Labels
) -> ItemRows | None:
    """Number the items of every row.

    `columns`: see `find_item_columns`.
    `runs`: columns that number replications: runs of an item or, where there is no column of items
    and the user says that the unit is the item, the items.
    `datasets`: of every row.
    Result: None where the rows are no items.
    Raises ExchangeError if no column names the items that the user speaks of, or an item is in two
    clusters.
    """
    columns, runs = dict(columns), list(runs)
    if "item" not in columns:
        if not unit_named(table.unit).is_nested or table.items is not None:
            return None
        if len(runs) != 1:
            found = f"{len(runs)} columns of replications" if runs else "no column of items"
            raise table.error(
                f"unit: item, and {found}",
                f"a column item, or {table.key('columns', {'item': '…'})}",
            )
        columns["item"] = runs.pop()
    labels = table.labels(columns["item"])
    place = item_places(labels.names)
    own = datasets.codes.astype(np.int64)
    runs = [columns["epoch"]] if "epoch" in columns else runs
    epochs = run_numbers(table, runs) if runs else np.ones(table.n_rows, np.int64)
    if (most := int(epochs.max(initial=1))) > 1:
        table.decided.append(("item-runs", f"up to {most}"))
    numbers = ranks_within(own, place[labels.codes], epochs)
    frame = pd.DataFrame(
        {
            "dataset": np.array(datasets.names, object)[own],
            "replication": numbers,
            "item": pd.Categorical.from_codes(labels.codes, pd.Index(labels.names, dtype=object)),
            "cluster": pd.Series(_clusters(table, columns.get("cluster")), dtype="category"),
            "epoch": epochs,
        }
    )
    _check_clusters(table, frame, columns)
    items = frame.drop_duplicates(["dataset", "replication"])
    items = items.sort_values(["dataset", "replication"]).reset_index(drop=True)
    return ItemRows(numbers, items[list(ITEM_COLUMNS)])


def _clusters(table: RawTable, column: str | None) -> list[str | None]:
    """Return the cluster of each row; None where there is none."""
    if column is None:
        return [None] * table.n_rows
    cells = table.columns[column].to_pylist()
    return [None if cell is None or not str(cell).strip() else str(cell).strip() for cell in cells]


def _check_clusters(table: RawTable, frame: pd.DataFrame, columns: Mapping[str, str]) -> None:
    """Refuse an item that is in two clusters."""
    there = frame[["dataset", "item", "cluster"]].drop_duplicates()
    several = there.duplicated(["dataset", "item"]).to_numpy()
    if several.any():
        row = int(there.index.to_numpy()[several.argmax()])
        item, cluster = (str(frame[name].iloc[row]) for name in ("item", "cluster"))
        raise table.error(
            f"the item {shown(item)} in the cluster {shown(cluster)} and in another",
            "one cluster an item",
            row=row,
            column=columns["cluster"],
        )
