"""What the readers of logs share: files, numbers of items, and one table."""

from __future__ import annotations

import json
import shutil
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.files import read_table
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.readers import logs
from reportgen.exchange.readers.logs import (
    Content,
    Logs,
    Run,
    log_table,
)
from reportgen.study.manifest import read_source
from reportgen.warehouse.items import ranks_within


def test_numbers_of_items_by_brute_force() -> None:
    rng = np.random.default_rng(1)
    groups, first, second = (rng.integers(0, 4, 200) for _ in range(3))
    found = ranks_within(groups, first, second)
    for group in range(4):
        own = groups == group
        pairs = sorted(set(zip(first[own].tolist(), second[own].tolist(), strict=True)))
        expected = [pairs.index(p) + 1 for p in zip(first[own], second[own], strict=True)]
        assert found[own].tolist() == expected


def test_numbers_do_not_depend_on_the_order_of_runs() -> None:
    runs = [
        Run(Path("a"), "d", "m", ["10", "9", "8"], {"x": [1.0, 2.0, 3.0]}),
        Run(Path("b"), "d", "n", ["9", "11"], {"x": [4.0, 5.0]}),
    ]
    for order in (runs, runs[::-1]):
        items = log_table(Path("f"), Content(order, {})).items
        assert items is not None
        assert items["item"].tolist() == ["8", "9", "10", "11"]
        assert items["replication"].tolist() == [1, 2, 3, 4]


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    inside, outside = tmp_path / "logs", tmp_path / "other"
    inside.mkdir()
    outside.mkdir()
    (outside / "a.json").write_text("{}")
    (inside / "folder").symlink_to(outside)
    (inside / "b.json").symlink_to(outside / "a.json")
    (inside / "c.json").write_text("{}")
    assert [path.name for path in Logs.of(inside).files] == ["c.json"]


def folder_of(name: str, files: Path, to: Path) -> Path:
    """Copy what a program has written into a folder."""
    if name == "hyperfine":
        to.mkdir(parents=True)
        row = {"command": "a", "mean": 1.0, "times": [1.0, 1.1]}
        (to / "times.json").write_text(json.dumps({"results": [row, row | {"command": "b"}]}))
    elif (source := files / name).is_dir():
        shutil.copytree(source, to)
    else:
        to.mkdir(parents=True)
        shutil.copy(source, to)
    return to


KNOWN = {
    "hyperfine": "hyperfine",
    "inspect-json": "Inspect",
    "iohprofiler": "IOHprofiler",
    "pytest-benchmark.json": "pytest-benchmark",
}


@pytest.mark.parametrize("name", KNOWN)
def test_other_json_files_come_first(name: str, files: Path, tmp_path: Path) -> None:
    """Settings and lists hide no logs, whatever their names."""
    folder = folder_of(name, files, tmp_path / "logs")
    alone = read_table(folder)
    (folder / "package.json").write_text('{"name": "x", "scripts": {}}')
    (folder / "0-index.json").write_text("[]")
    (folder / ".hidden.json").write_text("[1, 2]")
    (folder / "0").mkdir()
    (folder / "0" / "config.json").write_text('{"results": "here", "benchmarks": {}}')
    found = read_table(folder)
    assert found.log_format == alone.log_format
    frames = [
        pd.DataFrame({n: c.to_pylist() for n, c in own.columns.items()}) for own in (found, alone)
    ]
    pd.testing.assert_frame_equal(*frames)


@pytest.mark.parametrize(("first", "second"), [*combinations(KNOWN, 2)])
def test_logs_of_two_programs_are_refused(
    first: str, second: str, files: Path, tmp_path: Path
) -> None:
    for name in (first, second):
        folder_of(name, files, tmp_path / "logs" / name)
    message = f"found logs of (?=.*{KNOWN[first]})(?=.*{KNOWN[second]}).* and of .*; allowed those"
    with pytest.raises(ExchangeError, match=message):
        read_table(tmp_path / "logs")


def test_a_damaged_file_beside_logs_does_not_hide_them(tmp_path: Path) -> None:
    """It is told where a reader of results needs it."""
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(ExchangeError, match="logs of a known program"):
        read_table(tmp_path)
    folder_of("hyperfine", tmp_path, tmp_path / "b")
    with pytest.raises(ExchangeError, match=r"a\.json: found no JSON"):
        read_table(tmp_path)


def test_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}')
    monkeypatch.setattr(logs, "MOST_FILES", 0)
    with pytest.raises(ExchangeError, match="found more than 0 files"):
        Logs.of(tmp_path)
    monkeypatch.setattr(logs, "MOST_BYTES", 4)
    with pytest.raises(ExchangeError, match="GiB; allowed less"):
        logs.read_json(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"a": ', "found no JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"1" * 5000, "found no JSON"),
    ],
)
def test_what_is_no_json(tmp_path: Path, content: bytes, message: str) -> None:
    for name in ("a.json", "a_samples.jsonl"):
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(ExchangeError, match=message):
            read_table(path)
        path.unlink()


def test_unknown_logs_name_the_known_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.info"
    path.write_text('{"a": 1}\n')
    for place in (path, tmp_path):
        with pytest.raises(ExchangeError, match=r"inspect: <name>\.eval"):
            read_table(place)


def test_a_format_by_its_name(files: Path, tmp_path: Path) -> None:
    assert import_results([files / "lm-eval"], Reading("lm-eval")).datasets == ("choice", "sums")
    with pytest.raises(ExchangeError, match="no table of Inspect"):
        import_results([files / "lm-eval"], Reading("inspect"))


def test_a_file_twice_is_refused(files: Path) -> None:
    with pytest.raises(ExchangeError, match="which is also in"):
        import_results([files / "lm-eval" / "org__first"] * 2)


def test_run_takes_logs_for_results_and_manifests_for_manifests(
    files: Path, tmp_path: Path
) -> None:
    for path in (files / "lm-eval", files / "inspect-json", files / "asv"):
        assert read_source(path).data == {"results": {"file": path.name}}
    for path in (files / "pytest-benchmark.json", *(files / "inspect").iterdir()):
        assert read_source(path).data == {"results": {"file": path.name}}
    for text, is_manifest in (
        ('{"results": [{"command": "a"}]}', False),
        ('{"results": {"version": 3, "results": []}}', False),
        ('{"results": {"file": "a.csv"}}', True),
        ('{"results": "a.csv"}', True),
        ('{"setup": {}}', True),
    ):
        path = tmp_path / "a.json"
        path.write_text(text)
        assert (read_source(path).data == json.loads(text)) is is_manifest
    (tmp_path / "study.yaml").write_text("results: a.json")
    with pytest.raises(StudyError, match=r"found a folder; .*did you mean .*study\.yaml"):
        read_source(tmp_path)


def test_a_measure_on_both_sides_is_refused(files: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(files / "lm-eval", tmp_path / "logs"))
    for path in (folder / "org__second").glob("results_*.json"):
        path.write_text(path.read_text().replace('"acc_norm": true', '"acc_norm": false'))
    with pytest.raises(ExchangeError, match="'acc_norm', of which smaller values are better here"):
        import_results([folder])
