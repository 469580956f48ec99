from __future__ import annotations

from pathlib import Path

import pandas as pd

from reportgen.exchange.importing import import_results
from reportgen.exchange.tidy import read_results
from reportgen.warehouse import REMARK_COLUMNS, Warehouse
from reportgen.warehouse.files import write_performances

TEXT = "dataset;learner;replication;error\na;x;one;0,1\na;y;one;0,2\na;x;two;0,3\na;y;two;0,2\n"
DECIDED = [("numbered-replications", "replication"), ("decimal-commas", "error")]


def _said(warehouse: Warehouse) -> set[tuple[str, str, str]]:
    return set(warehouse.remarks[["kind", "name", "value"]].itertuples(index=False, name=None))


def test_what_was_decided_and_remarked_outlives_an_import(tmp_path: Path) -> None:
    path, written = tmp_path / "a.csv", tmp_path / "a.parquet"
    path.write_text(TEXT)
    warehouse = import_results([path])
    assert _said(warehouse) == {("reading", *decision) for decision in DECIDED}
    warned = pd.DataFrame(
        [("a", 1, "x", "warning", "", "slow"), ("a", 2, "y", "choice", "k", "3")],
        columns=list(REMARK_COLUMNS),
    )
    remarks = pd.concat([warehouse.remarks, warned], ignore_index=True)
    write_performances(Warehouse.of(warehouse.frame, warehouse.measures, remarks=remarks), written)
    again = read_results(written)
    assert _said(again) == _said(warehouse) | {("warning", "", "slow"), ("choice", "k", "3")}
