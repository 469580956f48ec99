"""The warehouse on disk."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.errors import WarehouseError
from reportgen.performance_measure import Measure
from reportgen.warehouse import REMARK_COLUMNS, Warehouse, files
from reportgen.warehouse.files import read_warehouse, write_performances, write_warehouse

MEASURES = (
    Measure("misclassification", "smaller", "share", (0.0, 1.0)),
    Measure("r2", "larger", "share", (None, 1.0)),
)


def _warehouse() -> Warehouse:
    frame = pd.DataFrame(
        {
            "dataset": ["z", "z", "z", "a", "a", "a"],
            "replication": [1, 1, 2, 1, 1, 2],
            "candidate": ["svm", "lda", "svm", "svm", "lda", "lda"],
            "measure": ["misclassification"] * 3 + ["r2"] * 3,
            "value": [0.1, 1 / 3, np.nan, 0.5, -2.0, 1e-17],
            "status": ["ok", "ok", "timed-out", "ok", "ok", "ok"],
            "n_learn": 10,
            "n_distinct": [6, 6, 7, 6, 6, 7],
            "n_test": [4, 4, np.nan, 4, 4, 3],
        }
    )
    failures = pd.DataFrame(
        [["z", 2, "svm", "fit", "timed-out", "took longer\u2028 <b>"]],
        columns=["dataset", "replication", "candidate", "stage", "status", "message"],
    )
    return Warehouse.of(
        frame,
        MEASURES,
        datasets=["z", "a"],
        candidates=["svm", "lda"],
        failures=failures,
        problem="real-world",
        resampling={"scheme": "bootstrap", "replications": 2},
    )


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written = _warehouse()
    write_warehouse(written, tmp_path / "warehouse")
    read = read_warehouse(tmp_path / "warehouse")
    pd.testing.assert_frame_equal(read.frame, written.frame)
    assert read.failures.to_dict("list") == written.failures.to_dict("list")
    assert read.measures == MEASURES
    assert read.datasets == ("z", "a")
    assert read.candidates == ("svm", "lda")
    assert (read.problem, read.resampling) == (written.problem, written.resampling)


def test_samples_have_one_row_a_replication(tmp_path: Path) -> None:
    write_warehouse(_warehouse(), tmp_path)
    samples = pd.read_parquet(tmp_path / "samples.parquet")
    assert samples.columns.tolist() == [
        "dataset",
        "replication",
        "n_learn",
        "n_distinct",
        "n_test",
    ]
    assert samples["n_distinct"].tolist() == [6, 7, 6, 7]
    assert samples["n_test"].isna().tolist() == [False, True, False, False]


def test_a_warehouse_without_failures_or_known_problem(tmp_path: Path) -> None:
    frame = _warehouse().frame
    write_warehouse(Warehouse.of(frame, MEASURES), tmp_path)
    read = read_warehouse(tmp_path)
    assert len(read.failures) == 0
    assert read.problem is None
    assert read.resampling == {}


def test_the_same_warehouse_gives_the_same_bytes(tmp_path: Path) -> None:
    write_warehouse(_warehouse(), tmp_path / "a")
    write_warehouse(read_warehouse(tmp_path / "a"), tmp_path / "b")
    for name in ("performances.parquet", "failures.parquet", "samples.parquet"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_nothing_but_the_tables_is_left(tmp_path: Path) -> None:
    write_warehouse(_warehouse(), tmp_path)
    write_warehouse(_warehouse(), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "characteristics.parquet",
        "failures.parquet",
        "performances.parquet",
        "remarks.parquet",
        "samples.parquet",
    ]


def test_a_failed_write_leaves_the_old_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_warehouse(_warehouse(), tmp_path)
    before = (tmp_path / "performances.parquet").read_bytes()

    def full(table: object, file: object, **options: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq, "write_table", full)
    with pytest.raises(WarehouseError, match="No space left"):
        write_warehouse(_warehouse(), tmp_path)
    assert (tmp_path / "performances.parquet").read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 5


@pytest.mark.parametrize("name", ["performances", "failures", "remarks", "samples"])
def test_files_of_two_writings_are_not_read_together(tmp_path: Path, name: str) -> None:
    first = _warehouse()
    second = replace(first, frame=first.frame.assign(n_learn=11, value=0.5))
    remarks = pd.DataFrame([["z", 1, "svm", "warning", "", "w"]], columns=list(REMARK_COLUMNS))
    write_warehouse(replace(first, remarks=remarks), tmp_path)
    old = (tmp_path / f"{name}.parquet").read_bytes()
    write_warehouse(replace(second, failures=second.failures.iloc[:0]), tmp_path)
    assert len(read_warehouse(tmp_path).failures) == 0
    (tmp_path / f"{name}.parquet").write_bytes(old)  # as a kill between two of them leaves it
    with pytest.raises(WarehouseError, match=r"that does not belong to performances\.parquet"):
        read_warehouse(tmp_path)


def test_a_write_that_is_broken_off_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_warehouse(_warehouse(), tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    write = pq.write_table
    n_written = 0

    def fill_up(*arguments: Any, **options: Any) -> None:
        nonlocal n_written
        n_written += 1
        if n_written == 5:
            raise OSError(28, "No space left on device")
        write(*arguments, **options)

    monkeypatch.setattr(pq, "write_table", fill_up)
    with pytest.raises(WarehouseError, match="No space left"):
        write_warehouse(replace(_warehouse(), problem=None), tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_warehouse_of_before_digests_is_read(tmp_path: Path) -> None:
    write_warehouse(_warehouse(), tmp_path)
    write_performances(_warehouse(), tmp_path / "performances.parquet")
    assert len(read_warehouse(tmp_path).frame) == 6


def test_a_warehouse_of_a_later_version_is_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as later:
        later.setattr(files, "VERSION", 2)
        write_warehouse(_warehouse(), tmp_path)
        assert len(read_warehouse(tmp_path).frame) == 6
    with pytest.raises(WarehouseError, match="found a warehouse of version 2; allowed 1: a later"):
        read_warehouse(tmp_path)


def test_wrong_folders_are_said(tmp_path: Path) -> None:
    with pytest.raises(WarehouseError, match=r"performances\.parquet: found no such file"):
        read_warehouse(tmp_path)
    write_warehouse(_warehouse(), tmp_path)
    _warehouse().frame.to_parquet(tmp_path / "performances.parquet")
    with pytest.raises(WarehouseError, match="no metadata of a warehouse"):
        read_warehouse(tmp_path)
    (tmp_path / "performances.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(WarehouseError, match="found a damaged file"):
        read_warehouse(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("datasets", 5),
        ("candidates", [None]),
        ("problem", "evil"),
        ("facts", {"z": 1}),
        ("resampling", []),
        ("measures", [{"name": "r2", "better": "larger", "bounds": ["0", None]}]),
    ],
)
def test_a_description_of_another_kind_is_told(tmp_path: Path, key: str, value: Any) -> None:
    write_warehouse(_warehouse(), tmp_path)
    path = tmp_path / "performances.parquet"
    table = pq.read_table(path)
    described = json.loads(table.schema.metadata[b"reportgen"])
    described[key] = value
    pq.write_table(table.replace_schema_metadata({"reportgen": json.dumps(described)}), path)
    with pytest.raises(WarehouseError, match="no metadata of a warehouse"):
        read_warehouse(tmp_path)


@pytest.mark.parametrize("column", ["value", "n_test", "replication", "dataset"])
def test_columns_of_another_kind_are_told(tmp_path: Path, column: str) -> None:
    write_warehouse(_warehouse(), tmp_path)
    path = tmp_path / "performances.parquet"
    table = pq.read_table(path)
    place = table.column_names.index(column)
    odd = table.set_column(place, column, pa.array([b"\xff"] * table.num_rows))
    pq.write_table(odd, path)
    with pytest.raises(WarehouseError, match="tables that are no warehouse"):
        read_warehouse(tmp_path)
    pq.write_table(table.slice(0, 0), path)
    with pytest.raises(WarehouseError, match="no performances"):
        read_warehouse(tmp_path)


def test_a_pipe_is_no_table(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "performances.parquet")
    with pytest.raises(WarehouseError, match=r"performances\.parquet: found no such file"):
        read_warehouse(tmp_path)


def _metadata(**described: Any) -> dict[bytes, bytes]:
    told = {"problem": "real-world", "resampling": {}, "facts": {}} | described
    return {files.METADATA: json.dumps(told).encode()}


BOOTSTRAP = {"scheme": "bootstrap", "replications": 9}


@pytest.mark.parametrize(
    ("described", "found"),
    [
        ({"resampling": BOOTSTRAP}, (BOOTSTRAP, {})),
        ({"facts": {"a": {"resampling": BOOTSTRAP}, "z": {}}}, ({}, {"a": BOOTSTRAP})),
        ({"resampling": BOOTSTRAP, "facts": {"a": {"seeds": 3, "seeds_are": "crossed"}}}, None),
        ({"resampling": {"scheme": "k-fold", "folds": 1}}, None),
        ({"resampling": {"scheme": "subsampling", "fraction": 1.5}}, None),
        ({"resampling": {"scheme": ["bootstrap"]}}, None),
        ({"resampling": BOOTSTRAP, "problem": "life"}, None),
        ({"resampling": "bootstrap"}, None),
        ({"facts": 3}, None),
        ({"problem": None}, None),
    ],
)
def test_the_scheme_is_read_from_a_file_of_performances(
    described: dict[str, Any], found: tuple[dict[str, Any], dict[str, Any]] | None
) -> None:
    """Also by hand: what is no scheme is none, and of seeds the file has no values."""
    design = files.design_in(_metadata(**described))
    if found is None:
        assert design is None
    else:
        assert design is not None
        assert (design.problem, design.resampling, design.of_datasets) == ("real-world", *found)


@pytest.mark.parametrize(
    ("column", "value"), [("loss", "x"), ("loss", None), ("n_tested", 0), ("candidate", 3)]
)
def test_losses_of_another_kind_are_none(column: str, value: Any) -> None:
    row = {
        "dataset": "a", "measure": "mse", "candidate": "lm", "observation": 1, "loss": 0.5,
        "n_tested": 2,
    }  # fmt: skip
    one = files.losses_in(_metadata(losses={name: [x] for name, x in row.items()}))
    assert one is not None
    assert one.to_dict(orient="records") == [row]
    wrong = row | {column: value}
    assert files.losses_in(_metadata(losses={name: [x] for name, x in wrong.items()})) is None
