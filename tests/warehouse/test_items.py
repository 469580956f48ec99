"""Items as the unit: runs become means, and come back."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reportgen.warehouse import FAILURE_COLUMNS
from reportgen.warehouse.items import (
    ITEM_COLUMNS,
    ItemTables,
    by_item,
    by_run,
    cluster_codes,
    item_order,
)

NOTHING = pd.DataFrame(columns=list(FAILURE_COLUMNS))


def tables(n_items: int = 5, n_runs: int = 3, *, seed: int = 1) -> ItemTables:
    """Return runs of two candidates, of which every seventh is lost."""
    rng = np.random.default_rng(seed)
    keys = [(i, e) for i in range(n_items) for e in range(1, n_runs + 1)]
    rows = [
        ("t", r + 1, k, "accuracy", np.nan if (r + j) % 7 == 0 else rng.random())
        for r, _ in enumerate(keys)
        for j, k in enumerate("ab")
    ]
    frame = pd.DataFrame(rows, columns=["dataset", "replication", "candidate", "measure", "value"])
    items = pd.DataFrame(
        [("t", r + 1, f"q{i}", f"d{i // 2}", e) for r, (i, e) in enumerate(keys)],
        columns=list(ITEM_COLUMNS),
    )
    lost = [("t", r, "a", "run", "failed", "gone") for r in (1, 8)]
    return ItemTables(frame, items, pd.DataFrame(lost, columns=NOTHING.columns))


def test_an_item_is_the_mean_of_its_runs_by_brute_force() -> None:
    given = tables()
    found = by_item(given)
    named = given.frame.merge(given.items, on=["dataset", "replication"])
    expected = named.groupby(["item", "candidate"])["value"].mean()
    items = dict(zip(found.items["replication"], found.items["item"], strict=True))
    got = found.frame.assign(item=found.frame["replication"].map(items))
    pd.testing.assert_series_equal(
        got.set_index(["item", "candidate"])["value"].astype(float).sort_index(),
        expected.sort_index(),
        check_index_type=False,
        rtol=1e-15,  # the same few numbers, added in another order
    )
    assert found.items["epoch"].tolist() == [3] * 5
    assert found.failures["message"].tolist() == ["run 1: gone", "run 2: gone"]


def test_runs_come_back() -> None:
    given = tables()
    back = by_run(by_item(given))
    keys = ["dataset", "replication", "candidate", "measure"]
    columns = [*keys, "value"]
    both = [t.frame[columns].astype(dict.fromkeys(keys, object)) for t in (given, back)]
    first, second = (own.sort_values(keys).reset_index(drop=True) for own in both)
    pd.testing.assert_frame_equal(first, second, check_dtype=False)
    assert back.items["epoch"].tolist() == given.items["epoch"].tolist()
    assert back.failures["message"].tolist() == ["gone", "gone"]
    assert back.failures["replication"].tolist() == [1, 8]


def test_items_of_one_run_stay_as_they_are() -> None:
    given = tables(n_runs=1)
    assert by_item(given) is given
    assert by_run(given) is given


def test_an_item_that_lost_all_runs_is_lost() -> None:
    given = tables(n_items=2, n_runs=2)
    frame = given.frame.copy()
    frame.loc[(frame["replication"] <= 2) & (frame["candidate"] == "a"), "value"] = np.nan
    found = by_item(ItemTables(frame, given.items, given.failures)).frame
    own = found[(found["replication"] == 1) & (found["candidate"] == "a")]
    assert own["value"].isna().all()


def test_an_item_without_a_cluster_is_its_own() -> None:
    items = pd.DataFrame(
        [("t", 1, "a", "d"), ("t", 2, "b", None), ("t", 3, "c", "d"), ("t", 4, "e", None)],
        columns=["dataset", "replication", "item", "cluster"],
    )
    found = cluster_codes(items, np.array([1, 2, 3, 4]))
    assert found is not None
    assert found[0] == found[2]
    assert len({*found.tolist()}) == 3
    assert cluster_codes(items.iloc[[0, 1]], np.array([1, 2])) is None


def test_names_that_are_numbers_stand_by_value() -> None:
    assert item_order(["10", "9", "x"]).tolist() == [0, 1, 2]
