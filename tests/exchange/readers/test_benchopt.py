"""The Parquet file that benchopt 1.10.0 has written (files/make_benchopt.py)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.importing import Reading, import_results

TOLD = Reading(better={"objective_norm": "smaller"})


def test_a_run_of_benchopt(files: Path) -> None:
    with pytest.raises(ExchangeError, match="'objective_norm' of unknown direction"):
        import_results([files / "benchopt.parquet"])
    warehouse = import_results([files / "benchopt.parquet"], TOLD)
    assert warehouse.datasets == ("Simulated[n=20,p=3]", "Simulated[n=30,p=4]")
    assert warehouse.candidates == ("exact", "gd[step=0.5]", "gd[step=1.0]")
    assert [m.name for m in warehouse.measures] == ["objective_value", "objective_norm", "time"]
    values = warehouse.performances("Simulated[n=30,p=4]", "objective_value")
    assert values.replications.tolist() == [1, 2]
    table = pd.read_parquet(files / "benchopt.parquet")
    of = table[(table["dataset_name"] == values.dataset) & (table["idx_rep"] == 1)]
    last = of.groupby("solver_name")["objective_value"].last()
    assert values.values[1].tolist() == last[list(values.candidates)].tolist()
    assert (values.values[:, 0] <= values.values[:, 1:].min(axis=1)).all()  # exact is the least


def test_several_objectives_are_several_problems(files: Path, tmp_path: Path) -> None:
    table = pd.read_parquet(files / "benchopt.parquet").drop(columns="objective_norm")
    other = table.assign(objective_name="Ridge[lmbd=1]", objective_value=7.0)
    path = tmp_path / "two.parquet"
    pd.concat([table, other]).to_parquet(path)
    warehouse = import_results([path])
    assert len(warehouse.datasets) == 4
    found = warehouse.performances("Simulated[n=20,p=3], Ridge[lmbd=1]", "objective_value")
    assert (found.values == 7).all()


def test_the_last_tolerance_is_the_smallest(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "objective_name": "o", "solver_name": "s", "dataset_name": "d", "idx_rep": 0,
            "sampling_strategy": "Tolerance", "stop_val": [1e38, 0.1, 0.001],
            "objective_value": [9.0, 5.0, 1.0],
        }
    )  # fmt: skip
    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    found = import_results([path]).performances("d", "objective_value")
    assert found.values.tolist() == [[1.0]]


def test_no_last_row_without_its_number(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"objective_name": "o", "solver_name": "s", "dataset_name": "d", "objective_value": [5, 1]}
    )
    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    with pytest.raises(ExchangeError, match="allowed a column stop_val"):
        import_results([path])
    table.iloc[:1].to_parquet(path)
    assert import_results([path]).performances("d", "objective_value").values.tolist() == [[5.0]]
