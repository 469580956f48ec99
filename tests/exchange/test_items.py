"""Tables of items: their columns, numbers, clusters and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry

ACCURACY = (MeasureEntry(name="accuracy"),)


def write(path: Path, rows: list[tuple[object, ...]], columns: str) -> Path:
    pd.DataFrame(rows, columns=columns.split()).to_csv(path, index=False)
    return path


def test_a_tidy_table_with_a_column_of_items(tmp_path: Path) -> None:
    rows = [
        ("t", item, f"d{item[-1]}", run, model, float(model == "b"))
        for item in ("q1", "q2", "q3")
        for run in (1, 2)
        for model in "ab"
    ]
    path = write(tmp_path / "r.csv", rows, "dataset item cluster epoch candidate accuracy")
    found = read_results(path)
    assert found.unit.name == "item"
    assert found.items["item"].tolist() == ["q1", "q2", "q3"]
    assert found.items["epoch"].tolist() == [2, 2, 2]
    assert found.performances("t", "accuracy").values.tolist() == [[0, 1]] * 3
    assert found.target == "items-like-these"
    runs = found.run_values("t", "accuracy")
    assert runs is not None
    assert runs.shape == (3, 2, 2)


def test_a_column_of_replications_names_items_where_the_unit_says_so(tmp_path: Path) -> None:
    rows = [("t", name, model, 1.0) for name in ("x", "y") for model in "ab"]
    path = write(tmp_path / "r.csv", rows, "dataset replication candidate accuracy")
    assert read_results(path).unit.name == "replication"
    found = read_results(path, unit="item")
    assert found.items["item"].tolist() == ["x", "y"]


@pytest.mark.parametrize(
    ("entry", "values", "bounds"),
    [
        (MeasureEntry(name="solved", better="larger"), (0, 1), (0, 1)),
        (MeasureEntry(name="solved", better="larger"), (0.5, 1), (None, None)),
        (MeasureEntry(name="calls", better="smaller"), (1, 2), (None, None)),
        (MeasureEntry(name="paid", better="smaller", unit="USD"), (0, 1), (None, None)),
        (MeasureEntry(name="won", better="larger", bounds=(0.0, None)), (0, 1), (0, None)),
    ],
)
def test_values_that_are_0_and_1_have_these_bounds(
    entry: MeasureEntry,
    values: tuple[float, float],
    bounds: tuple[float | None, float | None],
    tmp_path: Path,
) -> None:
    rows = [
        ("t", f"q{i}", run, model, values[(i + run + (model == "b")) % 3 == 0])
        for i in range(7)
        for run in (1, 2)
        for model in "ab"
    ]
    path = write(tmp_path / "r.csv", rows, f"dataset item epoch candidate {entry.name}")
    assert read_results(path, measures=(entry,)).measures[0].bounds == bounds


def test_a_wide_table_of_items(tmp_path: Path) -> None:
    rows = [(f"q{i}", f"d{i // 2}", i % 2, 1) for i in range(6)]
    path = write(tmp_path / "r.csv", rows, "item document anna bert")
    found = read_results(path, wide=True, measures=ACCURACY)
    assert found.candidates == ("anna", "bert")
    assert found.items["cluster"].tolist() == ["d0", "d0", "d1", "d1", "d2", "d2"]
    assert found.performances("r", "accuracy").values[:, 0].tolist() == [0, 1] * 3


def test_samples_are_of_no_pairs(tmp_path: Path) -> None:
    rows = [("t", model, 1.0 + i) for model, n in (("a", 7), ("b", 9)) for i in range(n)]
    path = write(tmp_path / "r.csv", rows, "dataset candidate time")
    with pytest.raises(ExchangeError, match="no column of replications"):
        read_results(path)
    found = read_results(path, unit="sample")
    values = found.performances("t", "time").values
    assert values.shape == (16, 2)
    assert (np.isfinite(values).sum(axis=1) == 1).all()
    pair = reportgen.compare(path, unit="sample", better="smaller").pairs().iloc[0]
    assert (pair["method"], pair["n_first"], pair["n_second"]) == ("welch", 7, 9)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [
        (
            [("q1", "d1", "a", 1.0), ("q1", "d2", "b", 1.0)],
            "item cluster candidate accuracy",
            "row 3, column cluster: found the item 'q1' in the cluster 'd2' and in another",
        ),
        (
            [("q1", "a", 1.0), ("q1", "a", 0.0)],
            "item candidate accuracy",
            "a second time, first in row 2",
        ),
        (
            [("q1", "x", "a", 1.0)],
            "item item_id candidate accuracy",
            "found the columns item, item_id, each of which may be the item",
        ),
    ],
)
def test_what_is_wrong_is_told(
    tmp_path: Path, rows: list[tuple[object, ...]], columns: str, message: str
) -> None:
    path = write(tmp_path / "r.csv", rows, columns)
    with pytest.raises(ExchangeError) as error:
        read_results(path)
    assert message in str(error.value)


def test_a_unit_without_its_column_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "r.csv", [("a", 1.0), ("b", 0.0)], "candidate accuracy")
    with pytest.raises(ExchangeError, match="unit: item, and no column of items"):
        read_results(path, unit="item")


def test_what_read_returns_has_its_items(tmp_path: Path) -> None:
    rows = [
        (f"q{i}", f"d{i // 2}", run, model, float((i + run + (model == "b")) % 3 == 0))
        for i in range(12)
        for run in (1, 2)
        for model in "ab"
    ]
    path = write(tmp_path / "r.csv", rows, "item cluster epoch candidate accuracy")
    frame = reportgen.read(path)
    assert len(frame) == len(rows)
    assert {"item", "cluster", "epoch"} <= {*frame}
    both = (reportgen.compare(source, name="r").pairs() for source in (path, frame))
    first, second = (own.drop(columns="dataset", errors="ignore") for own in both)
    pd.testing.assert_frame_equal(first, second)
