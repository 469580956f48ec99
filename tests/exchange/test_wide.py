"""Wide tables: data sets by candidates."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Warehouse

ACCURACY = MeasureEntry(name="accuracy")


def _read(tmp_path: Path, text: str, measure: MeasureEntry = ACCURACY, **columns: str) -> Warehouse:
    path = tmp_path / "table.csv"
    path.write_text(text)
    return read_results(path, columns=columns, measures=(measure,), wide=True)


def test_a_row_a_data_set(tmp_path: Path) -> None:
    warehouse = _read(tmp_path, ",lda,svm\niris,0.9,0.95\nwine,0.8,\n".replace(",lda", "set,lda"))
    assert warehouse.datasets == ("iris", "wine")
    assert warehouse.candidates == ("lda", "svm")
    assert warehouse.performances("iris", "accuracy").values.tolist() == [[0.9, 0.95]]
    wine = warehouse.performances("wine", "accuracy").values
    assert np.array_equal(wine, [[0.8, np.nan]], equal_nan=True)


def test_rows_of_one_data_set_are_its_replications(tmp_path: Path) -> None:
    text = "dataset;a;b\nd;0,1;0,2\nd;0,3;0,4\ne;0,5;0,6\n"
    with pytest.raises(ExchangeError, match="row 3: found no column of replications"):
        _read(tmp_path, text)
    warehouse = read_results(
        tmp_path / "table.csv", measures=(ACCURACY,), wide=True, replication="rows"
    )
    assert warehouse.performances("d", "accuracy").values.tolist() == [[0.1, 0.2], [0.3, 0.4]]
    assert warehouse.performances("e", "accuracy").values.tolist() == [[0.5, 0.6]]


def test_replications_by_their_number_in_any_order(tmp_path: Path) -> None:
    text = "problem,Replication,a,b\nd,2,0.3,0.4\nd,1,0.1,0.2\n"
    warehouse = _read(tmp_path, text)
    found = warehouse.performances("d", "accuracy")
    assert found.replications.tolist() == [1, 2]
    assert found.values.tolist() == [[0.1, 0.2], [0.3, 0.4]]


def test_rows_that_are_numbered_need_no_data_set(tmp_path: Path) -> None:
    warehouse = _read(tmp_path, "Replication,a,b\n2,0.3,0.4\n1,0.1,0.2\n")
    (name,) = warehouse.datasets
    assert name == "table"
    assert warehouse.performances(name, "accuracy").values.tolist() == [[0.1, 0.2], [0.3, 0.4]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dataset,a,b\nd,0.1,x\ne,0.1,0.2\n", "row 2, column b: found 'x'; allowed a number"),
        ("dataset,a,b\nd,0.1,1.5\n", "1.5 of b in row 2 and 0.1 of a in row 2; allowed one unit"),
        ("dataset,replication,a\nd,1,0.1\nd,1,0.2\n", "row 3: found replication 1 of one data"),
        ("dataset,replication,a\nd,1.5,0.1\n", "row 2, column replication: found '1.5'"),
        ("a,b\n0.1,0.2\n", "found no column of data sets among a, b"),
        ("dataset,replication\nd,1\n", "found only the columns"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ExchangeError) as caught:
        _read(tmp_path, text)
    assert said in str(caught.value)


def test_one_measure_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("dataset,a,b\nd,1,2\n")
    with pytest.raises(ExchangeError, match="found no measure for a wide table"):
        read_results(path, wide=True)
    with pytest.raises(ExchangeError, match="'zeal' of unknown direction"):
        _read(tmp_path, "dataset,a,b\nd,1,2\n", MeasureEntry(name="zeal"))
    with pytest.raises(ExchangeError, match=r"no column 'sett' for dataset; allowed .*mean set"):
        _read(tmp_path, "set,a,b\nd,0.1,0.2\n", dataset="sett")
