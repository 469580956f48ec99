"""Logs that Inspect 0.3.285 has written (files/make_inspect.py).

Of the archives header and summaries are kept, of the JSON all but events and messages.
"""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.columns import DirectionError
from reportgen.exchange.readers import inspect_ai
from reportgen.exchange.tidy import read_results
from reportgen.performance_measure import Measure
from reportgen.warehouse import Warehouse
from reportgen.warehouse.files import read_warehouse, write_warehouse

TOLD = {"brevity": Measure("brevity", "larger")}


def log(**changes: Any) -> dict[str, Any]:
    """Return a log of two samples."""
    sample = {"epoch": 1, "metadata": {}, "scores": {"match": {"value": "C"}}}
    return {
        "version": 2,
        "status": "success",
        "eval": {
            "created": "2026-01-01", "task": "t", "model": "m",
            "scorers": [{"name": "match", "metrics": [{"name": "inspect_ai/accuracy"}]}],
        },
        "samples": [{"id": 1, **sample}, {"id": 2, **sample}],
    } | changes  # fmt: skip


def archive(path: Path, members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write an archive."""
    with zipfile.ZipFile(path, "w", kind) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return path


def read(path: Path) -> Warehouse:
    return read_results(path, known=TOLD)


def write(folder: Path, *logs: dict[str, Any]) -> Path:
    for i, content in enumerate(logs):
        (folder / f"{i}.json").write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize("folder", ["inspect", "inspect-json"])
def test_a_run_of_inspect(files: Path, folder: str) -> None:
    with pytest.raises(DirectionError, match="brevity"):
        read_results(files / folder)
    warehouse = read(files / folder)
    assert warehouse.datasets == ("capitals",)
    assert warehouse.candidates == ("mockllm/first", "mockllm/second")
    assert [m.name for m in warehouse.measures] == ["includes", "brevity", "time"]
    found = warehouse.performances("capitals", "includes")
    assert found.measure.better == "larger"
    first = [1, 1, 1, 1, 0, 1, 0, 1, 1, 1]  # q1 to q5, two epochs each: q3 hit a limit
    runs = warehouse.run_values("capitals", "includes")
    assert runs is not None
    assert runs[:, :, 0].ravel().tolist() == first
    second = [1, 1, 1, 1, 0, 1, 0, np.nan, 0, 1]
    np.testing.assert_array_equal(runs[:, :, 1].ravel(), second)
    np.testing.assert_array_equal(found.values, np.nanmean(runs, axis=1))
    assert not found.has_failed.any()
    items = warehouse.items
    assert items["item"].astype(str).tolist() == [f"q{i}" for i in range(1, 6)]
    assert items["epoch"].tolist() == [2] * 5
    assert items["cluster"].astype(str).tolist()[:2] == ["d1", "d0"]
    assert found.clusters is not None
    assert found.clusters[:3].tolist() == [0, 1, 0]
    failure = warehouse.failures.iloc[0].to_dict()
    assert (failure["replication"], failure["candidate"]) == (4, "mockllm/second")
    assert failure["message"].startswith("run 2: ")
    assert "the sandbox is gone" in failure["message"]
    kinds = dict(zip(warehouse.remarks["name"], warehouse.remarks["value"], strict=True))
    assert kinds["clusters"] == "metadata document"
    assert "hit a limit" in kinds["limits"]


def test_archive_and_json_say_the_same(files: Path) -> None:
    one, two = (
        read(files / folder).frame.query("measure != 'time'")
        for folder in ("inspect", "inspect-json")
    )
    assert one.reset_index(drop=True).equals(two.reset_index(drop=True))


def test_items_outlive_the_disk(files: Path, tmp_path: Path) -> None:
    from reportgen.exchange.importing import import_results
    from reportgen.warehouse.files import write_performances

    given = read(files / "inspect")
    write_warehouse(given, tmp_path / "warehouse")
    stored = read_warehouse(tmp_path / "warehouse").items
    assert stored.astype(object).equals(given.items.astype(object))
    write_performances(given, tmp_path / "tidy.parquet")
    kept = import_results([tmp_path / "tidy.parquet"]).items
    assert kept.astype(object).equals(given.items.astype(object))
    assert given.only("capitals").items.equals(given.items)
    write_warehouse(
        Warehouse.of(given.frame, given.measures), tmp_path / "warehouse"
    )  # without items
    assert read_warehouse(tmp_path / "warehouse").items.empty


def test_a_log_that_did_not_end_well_is_left_out(tmp_path: Path) -> None:
    other = log(eval={**log()["eval"], "model": "n"})
    for bad in ({"status": "error"}, {"status": "cancelled"}, {"invalidated": True}):
        folder = write(tmp_path, log(), {**other, **bad})
        assert read_results(folder).candidates == ("m",)
        write(tmp_path, log(**bad), {**other, **bad})
        with pytest.raises(ExchangeError, match="no log that ended well"):
            read_results(folder)


def test_a_limit_is_a_wrong_answer(tmp_path: Path) -> None:
    """Also where the scorer found the answer right before the limit."""
    content = log()
    content["samples"][0]["limit"] = "token"
    found = read_results(write(tmp_path, content)).performances("t", "match")
    assert found.values[:, 0].tolist() == [0, 1]


def test_a_second_log_is_an_epoch_and_another_solver_a_candidate(tmp_path: Path) -> None:
    again = log(eval={**log()["eval"], "created": "2026-01-02"})
    warehouse = read_results(write(tmp_path, log(), again))
    assert warehouse.items["epoch"].tolist() == [2, 2]
    other = log(eval={**log()["eval"], "solver": "react"})
    warehouse = read_results(write(tmp_path, log(), other))
    assert warehouse.candidates == ("m", "m (react)")


def test_words_numbers_and_mappings(tmp_path: Path) -> None:
    content = log()
    values = [{"value": {"a": 1, "b": "P"}}, {"value": {"a": False, "b": "0.25"}}]
    for sample, value in zip(content["samples"], values, strict=True):
        sample["scores"] = {"match": value, "text": {"value": "long"}, "list": {"value": [1]}}
    warehouse = read_results(write(tmp_path, content))
    assert [m.name for m in warehouse.measures] == ["match/a", "match/b"]
    assert warehouse.performances("t", "match/b").values[:, 0].tolist() == [0.5, 0.25]


def test_sums_of_tokens(tmp_path: Path) -> None:
    content = log()
    use = {"m": {"total_tokens": 5, "total_cost": 0.5}, "judge": {"total_tokens": 2}}
    content["samples"][1]["model_usage"] = use
    found = read_results(write(tmp_path, content))
    values = found.performances("t", "tokens").values[:, 0]
    np.testing.assert_array_equal(values, [7.0])
    assert found.measure("cost").unit_symbol == "USD"


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"id": None, "epoch": 1}, "sample 1: id: found nothing"),
        ({"id": "a", "epoch": 0}, "epoch: found 0; allowed a number from 1"),
        ({"id": "a", "epoch": "1"}, "epoch: found '1'"),
        ({"id": "a", "epoch": True}, "epoch: found true"),
        ({"id": "2", "epoch": 1}, "item '2' of 't' a second time"),
    ],
)
def test_wrong_samples_are_told(tmp_path: Path, sample: dict[str, Any], message: str) -> None:
    content = log()
    content["samples"][0] |= sample
    with pytest.raises(ExchangeError, match=message):
        read_results(write(tmp_path, content))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"samples": {"a": 1}}, "no list of mappings"),
        ({"samples": [1]}, "no list of mappings"),
        ({"samples": []}, "no scores"),
        ({"eval": {"task": "t"}}, "eval.model: found nothing"),
        ({"eval": 5}, "no log that ended well|eval.task|no scores|unknown direction"),
    ],
)
def test_wrong_logs_are_told(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ExchangeError, match=message):
        read_results(write(tmp_path, log(**changes)))


def test_clusters_must_agree(tmp_path: Path) -> None:
    def of(model: str, documents: str) -> dict[str, Any]:
        content = log(eval={**log()["eval"], "model": model})
        rows = [{**content["samples"][0], "id": i} for i in range(3)]
        for row, document in zip(rows, documents, strict=True):
            row["metadata"] = {"document": document}
        return {**content, "samples": rows}

    found = read_results(write(tmp_path, of("m", "aab"), of("n", "aab"))).items
    assert found["cluster"].tolist() == ["a", "a", "b"]
    with pytest.raises(ExchangeError, match="item '1' of 't' in the cluster 'b' and in another"):
        read_results(write(tmp_path, of("m", "aab"), of("n", "abb")))


def members(**changes: Any) -> dict[str, bytes]:
    """Return the members of an archive."""
    content = log(**changes)
    samples = json.dumps(content.pop("samples")).encode()
    return {"header.json": json.dumps(content).encode(), "summaries.json": samples}


@pytest.mark.parametrize("kind", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_older_archives(tmp_path: Path, kind: int) -> None:
    path = archive(tmp_path / "a.eval", members(), kind)
    assert read_results(path).candidates == ("m",)


def test_archives_that_are_none(tmp_path: Path, files: Path) -> None:
    path = tmp_path / "a.eval"
    path.write_bytes(b"PK")
    with pytest.raises(ExchangeError, match="no archive of Inspect"):
        read_results(path)
    archive(path, {"header.json": b"{}"})
    with pytest.raises(ExchangeError, match=r"without summaries\.json; allowed a log"):
        read_results(path)
    archive(path, members() | {"summaries.json": b"{}"})
    with pytest.raises(ExchangeError, match="a mapping and a list"):
        read_results(path)
    archive(path, members() | {"summaries.json": b"[{"})
    with pytest.raises(ExchangeError, match=r"summaries\.json: found no JSON"):
        read_results(path)
    given = next((files / "inspect").iterdir()).read_bytes()
    for i in range(30, 900, 50):  # a flipped byte, wherever it is, ends in an answer or an error
        path.write_bytes(given[:i] + bytes([given[i] ^ 255]) + given[i + 1 :])
        with suppress(ExchangeError):
            assert read(path).datasets


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever sizes the archive names."""
    monkeypatch.setattr(inspect_ai, "MOST_MEMBER", 1 << 20)
    path = tmp_path / "a.eval"
    archive(path, members() | {"summaries.json": b" " * (8 << 20)})
    with pytest.raises(ExchangeError, match=r"summaries\.json: found more than 1 MiB"):
        read_results(path)
    packed = io.BytesIO()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(b" " * (8 << 20))
        stream.flush()
        content = packed.getvalue()
    archive(path, members() | {"summaries.json": content}, zipfile.ZIP_STORED)
    lying = path.read_bytes()
    at = lying.rindex(b"PK\x01\x02")  # the last entry of the directory: its method is Zstandard
    lying = lying[: at + 10] + b"\x5d\x00" + lying[at + 12 :]
    lying = lying[: at + 24] + (5).to_bytes(4, "little") + lying[at + 28 :]
    path.write_bytes(lying)
    with pytest.raises(ExchangeError, match=r"summaries\.json: found more than 1 MiB"):
        read_results(path)
