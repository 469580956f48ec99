"""Tables of characteristics that come with results."""

from __future__ import annotations

import logging
from pathlib import Path

import pandas as pd
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.design_tables import read_characteristics
from reportgen.exchange.tidy import study_results
from reportgen.sections import find_sections
from reportgen.study.manifest import load_study
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of_rows


@pytest.fixture
def warehouse() -> Warehouse:
    """Return results on two data sets."""
    rows = [(d, b, k, "m", 0.1) for d in ("iris", "wine") for b in (1, 2) for k in "pq"]
    return warehouse_of_rows(rows)


def read(tmp_path: Path, text: str, warehouse: Warehouse) -> pd.DataFrame:
    path = tmp_path / "chars.csv"
    path.write_text(text)
    return read_characteristics(path, warehouse)


def test_a_row_a_data_set(tmp_path: Path, warehouse: Warehouse) -> None:
    table = read(tmp_path, "dataset,n,kind\nwine,178,lab\niris,150,\n", warehouse)
    assert table["n"].tolist() == [150.0, 178.0]
    assert table["kind"].isna().tolist() == [True, False]
    assert table["kind"][1] == "lab"
    assert table["replication"].isna().all()
    assert table["scheme"].tolist() == ["", ""]


def test_a_row_a_learning_sample(tmp_path: Path, warehouse: Warehouse) -> None:
    text = "dataset,replication,n\niris,1,100\niris,2,101\niris,,150\n"
    table = read(tmp_path, text, warehouse)
    assert table["replication"].tolist()[:2] == [1, 2]
    assert table["replication"].isna().tolist() == [False, False, True]


def test_other_data_sets_are_left_out(
    tmp_path: Path, warehouse: Warehouse, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    table = read(tmp_path, "dataset,n\niris,1\nglass,2\n", warehouse)
    assert table["dataset"].tolist() == ["iris"]
    assert "not in the results: glass" in caplog.text
    assert "no characteristics of: wine" in caplog.text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("set,n\niris,1\n", "no column dataset"),
        ("dataset,replication\niris,1\n", "no characteristic"),
        ("dataset,n\niris,1\niris,2\n", "row 3: found data set 'iris' a second time"),
        (
            "dataset,replication,n\niris,1,1\niris,1,2\n",
            "row 3: found data set 'iris', replication 1 a second time",
        ),
        ("dataset,replication,n\niris,1.5,1\n", "row 2, column replication: found 1.5"),
        ("dataset,replication,n\niris,1e300,1\n", "row 2, column replication: found 1e.300"),
        ("dataset,n\nirys,1\n", "no data set of the results, first 'irys'.*did you mean iris"),
        ("dataset,n\niris,1\nwine,a\n", "row 3, column n: found 'a'"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, warehouse: Warehouse, text: str, said: str) -> None:
    with pytest.raises(ExchangeError, match=said):
        read(tmp_path, text, warehouse)


def test_a_manifest_names_the_table(tmp_path: Path) -> None:
    rows = [f"{d},{b},{k},0.1" for d in ("iris", "wine") for b in (1, 2) for k in "pq"]
    head = "dataset,replication,candidate,error\n"
    (tmp_path / "results.csv").write_text(head + "\n".join(rows) + "\n")
    (tmp_path / "chars.csv").write_text("dataset,n\niris,150\nwine,178\n")
    manifest = tmp_path / "study.yaml"
    manifest.write_text("results: {file: results.csv, characteristics: chars.csv}\n")
    study = load_study(manifest, {n: s.options for n, s in find_sections().items()})
    found = study_results(study)
    assert found.characteristics["n"].tolist() == [150.0, 178.0]
    assert found.only("wine").characteristics["n"].tolist() == [178.0]


def test_columns_of_the_results_hold_for_all_its_tables(tmp_path: Path) -> None:
    rows = [f"{d},{b},{k},0.1" for d in ("iris", "wine") for b in (1, 2) for k in "pq"]
    (tmp_path / "results.csv").write_text("\n".join(["who,rep,candidate,error", *rows]) + "\n")
    (tmp_path / "chars.csv").write_text("who,n\niris,150\nwine,178\n")
    (tmp_path / "settings.csv").write_text("who,radius\nwine,2\niris,1\n")
    manifest = tmp_path / "study.yaml"
    entry = "file: results.csv, characteristics: chars.csv, settings: settings.csv"
    manifest.write_text(f"results: {{{entry}, columns: {{dataset: who}}}}\n")
    found = study_results(load_study(manifest, {}))
    assert found.characteristics.set_index("dataset")["n"].to_dict() == {"iris": 150, "wine": 178}
    assert found.facts["wine"]["setting"] == {"base": "study", "factors": {"radius": 2}}
