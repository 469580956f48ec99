"""Items of several files: an item has one number in all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from reportgen.warehouse import Warehouse
from reportgen.warehouse.items import item_places, ranks_within

ITEM = ["dataset", "item"]


def align_items(parts: Sequence[Warehouse]) -> list[Warehouse]:
    """Number the items of several warehouses together, where all of them have items.

    Each file numbers its own items from 1: number 5 may be another item elsewhere.

    Result: as given where one of them has no items.
    """
    if any(part.items.empty for part in parts):
        return list(parts)
    tables = [part.items.astype({"dataset": object, "item": object}) for part in parts]
    found = pd.concat(tables, ignore_index=True)[ITEM].drop_duplicates(ignore_index=True)
    names = found["item"].unique().tolist()
    place = dict(zip(names, item_places(names).tolist(), strict=True))
    number = ranks_within(
        pd.factorize(found["dataset"])[0],
        found["item"].map(place).to_numpy(np.int64),
    )
    found = found.assign(number=number)
    merged = [own.merge(found, on=ITEM) for own in tables]
    return [_renumber(part, own) for part, own in zip(parts, merged, strict=True)]


def _renumber(part: Warehouse, items: pd.DataFrame) -> Warehouse:
    """Give the replications of a warehouse the numbers of their items."""
    by_old = items.set_index(["dataset", "replication"])["number"]

    def renumber(table: pd.DataFrame) -> pd.DataFrame:
        if table.empty:
            return table
        keys = [table["dataset"].astype(object), table["replication"]]
        numbers = by_old.reindex(pd.MultiIndex.from_arrays(keys)).to_numpy(np.int64)
        return table.assign(replication=numbers)

    return replace(
        part,
        frame=renumber(part.frame),
        failures=renumber(part.failures),
        remarks=renumber(part.remarks),
        runs=renumber(part.runs),
        items=items.drop(columns="replication").rename(columns={"number": "replication"}),
    )
