"""Items as the unit: the repeated runs of an item become one performance, their mean.

A run says something about a model's own noise, and nothing about other items. So a row of the
warehouse's frame is an item, and `Warehouse.runs` keeps what each run of it gave.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.warehouse.rows import cells

ITEM_COLUMNS = ("dataset", "replication", "item", "cluster", "epoch")
RUN_COLUMNS = ("dataset", "replication", "epoch", "candidate", "measure", "value")


@dataclass(frozen=True, slots=True)
class ItemTables:
    """Tables of a warehouse whose replications are items."""

    frame: pd.DataFrame  # performances, tidy
    items: pd.DataFrame  # columns `ITEM_COLUMNS`
    failures: pd.DataFrame  # columns dataset, replication, candidate, stage, status, message
    runs: pd.DataFrame | None = None  # columns `RUN_COLUMNS`; None where every item has one run


def by_item(tables: ItemTables) -> ItemTables:
    """Make every item one replication: its value is the mean over the runs that have one.

    `tables`: with a replication for every run of an item.
    Result: the items of a data set numbered from 1, in the order of their replications; `epoch` is
    how many runs an item has. As given where every item has one run.
    """
    items = tables.items
    names = items["item"].astype(object)
    keys = [items["dataset"].astype(object), names]
    if not pd.MultiIndex.from_arrays(keys).duplicated().any():
        return tables
    ordered = items.assign(item=names).sort_values(["dataset", "replication"], kind="stable")
    groups = ordered.groupby(["dataset", "item"], sort=False, observed=True)
    first = groups["replication"].transform("min")
    owner = ordered["dataset"].astype(object)
    number, epoch = (
        column.groupby(owner).rank("dense").astype(np.int64) for column in (first, ordered["epoch"])
    )
    numbered = ordered.assign(number=number, epoch=epoch)
    frame = _to_items(tables.frame, numbered)
    runs = frame[list(RUN_COLUMNS)].reset_index(drop=True)
    own = numbered.groupby(["dataset", "number"], observed=True, sort=False).agg(
        item=("item", "first"), cluster=("cluster", "first"), epoch=("epoch", "size")
    )
    own = own.reset_index().rename(columns={"number": "replication"})
    failures = tables.failures
    if len(failures):
        failures = _to_items(failures, numbered)
        failures["message"] = [
            f"run {epoch}: {text}"
            for epoch, text in zip(failures.pop("epoch"), failures["message"], strict=True)
        ]
    return ItemTables(
        _means(frame),
        own[list(ITEM_COLUMNS)].astype({"item": "category", "cluster": "category"}),
        failures,
        runs,
    )


def by_run(tables: ItemTables) -> ItemTables:
    """Make every run of an item a replication again, as a file keeps it; undoes `by_item`.

    `tables`: with a replication for every item; one of other replications stays as it is.
    """
    if tables.runs is None or not len(tables.runs) or not len(tables.items):
        return tables
    runs = tables.runs
    keys = ["dataset", "replication", "epoch"]
    found = runs[keys].astype({"dataset": object}).drop_duplicates().sort_values(keys)
    found["number"] = found.groupby("dataset").cumcount() + 1
    items = tables.items.drop(columns="epoch").astype({"dataset": object})
    items = found.merge(items, on=["dataset", "replication"])
    items = items.drop(columns="replication").rename(columns={"number": "replication"})
    numbers = found.set_index(keys)["number"]
    at = pd.MultiIndex.from_frame(runs[keys].astype({"dataset": object}))
    frame = runs.drop(columns="epoch").assign(replication=numbers.reindex(at).to_numpy())
    failures = tables.failures
    if len(failures):
        told = failures["message"].str.extract(r"^run (\d+): (.*)$", expand=True)
        epoch = pd.to_numeric(told[0]).fillna(1).astype(np.int64)
        where = [failures["dataset"].astype(object), failures["replication"], epoch]
        failures = failures.assign(
            replication=numbers.reindex(pd.MultiIndex.from_arrays(where)).to_numpy(),
            message=told[1].fillna(failures["message"]),
        )
    return ItemTables(frame, items[list(ITEM_COLUMNS)], failures)


def cluster_codes(items: pd.DataFrame, numbers: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Return the cluster of each item of one data set as a number.

    `items`: of that data set.
    `numbers`: (n,); the items' numbers.
    Result: (n,); None where no two items share a cluster. An item without a cluster is one of its
    own.
    """
    known = items.set_index("replication")["cluster"].reindex(numbers)
    codes, _ = pd.factorize(known.astype(object))
    codes = np.asarray(codes, np.int64)
    alone = codes < 0
    codes[alone] = codes.max(initial=-1) + 1 + np.arange(int(alone.sum()))
    return codes if len(np.unique(codes)) < len(codes) else None


def item_order(names: Sequence[str]) -> NDArray[np.int64]:
    """Return the order of items: by value where all are whole numbers, else by text.

    Examples
    --------
    >>> item_order(["10", "9"]).tolist(), item_order(["b10", "b9"]).tolist()
    ([1, 0], [0, 1])
    """
    if all(len(name) < 19 and name.isascii() and name.isdecimal() for name in names):
        return np.asarray(sorted(range(len(names)), key=lambda i: (int(names[i]), names[i])))
    return np.asarray(sorted(range(len(names)), key=names.__getitem__), np.int64)


def item_places(names: Sequence[str]) -> NDArray[np.int64]:
    """Return the place of each item in their order, from 0.

    Examples
    --------
    >>> item_places(["10", "9", "30"]).tolist()
    [1, 0, 2]
    """
    return np.argsort(item_order(names))


def ranks_within(groups: NDArray[Any], *keys: NDArray[Any]) -> NDArray[np.int64]:
    """Number the combinations of keys in each group from 1, in their order.

    Examples
    --------
    >>> ranks_within(np.array([0, 0, 0, 1]), np.array([7, 3, 7, 9])).tolist()
    [2, 1, 2, 1]
    """
    order = np.lexsort((*reversed(keys), groups))
    sorted_keys = [key[order] for key in (groups, *keys)]
    is_new = np.zeros(len(order), np.bool_)
    for key in sorted_keys:
        is_new[1:] |= key[1:] != key[:-1]
    number_of = np.cumsum(is_new)
    starts = np.zeros(len(order), np.bool_)
    starts[:1] = True
    starts[1:] = sorted_keys[0][1:] != sorted_keys[0][:-1]
    first = np.maximum.accumulate(np.where(starts, number_of, 0))
    found = np.empty(len(order), np.int64)
    found[order] = number_of - first + 1
    return found


def _to_items(table: pd.DataFrame, numbered: pd.DataFrame) -> pd.DataFrame:
    """Give the rows of a table the numbers of their items, and the epoch of the run."""
    at = pd.MultiIndex.from_frame(numbered[["dataset", "replication"]].astype({"dataset": object}))
    rows = at.get_indexer(
        pd.MultiIndex.from_frame(table[["dataset", "replication"]].astype({"dataset": object}))
    )
    return table.assign(
        replication=numbered["number"].to_numpy()[rows], epoch=numbered["epoch"].to_numpy()[rows]
    )


def _means(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each cell's runs; a cell is lost where all of them are."""
    names = dict.fromkeys(("dataset", "candidate", "measure"), "category")
    group = np.unique(cells(frame.astype(names)), return_inverse=True)[1]
    values = frame["value"].to_numpy(np.float64)
    has_value = np.isfinite(values)
    n = np.bincount(group, has_value)
    sums = np.bincount(group, np.where(has_value, values, 0.0))
    best = np.lexsort((~has_value, group))  # the row of a cell that has a value, if there is one
    first = best[np.flatnonzero(np.concatenate([[True], np.diff(group[best]) != 0]))]
    with np.errstate(invalid="ignore"):
        mean = np.where(n > 0, sums / np.maximum(n, 1), np.nan)
    return frame.iloc[first].drop(columns="epoch").assign(value=mean).reset_index(drop=True)
