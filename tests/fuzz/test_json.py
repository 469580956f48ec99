"""Any JSON in place of a log: `check` has an answer, or an error that names the file."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.executions import FUZZ
from tests.fuzz.names import names
from tests.fuzz.outcome import command
from tests.fuzz.trees import ODD, as_json, changed

LOGS = Path(__file__).resolve().parents[1] / "exchange" / "files"
FOLDERS = (
    *("asv", "every-eval-ever/choice", "every-eval-ever/sums", "inspect-json"),
    *("iohprofiler", "iohprofiler-pbo", "lm-eval"),
)


def _instances(seed: int) -> list[dict[str, Any]]:
    return [
        {
            "instance_id": f"id{i}",
            "train_trial_index": 0,
            "stats": [
                {
                    "name": {"name": "exact_match", "split": "test"},
                    "count": 1,
                    "sum": (i + seed) % 2,
                    "mean": (i + seed) % 2,
                }
            ],
        }
        for i in range(6)
    ]


TREES: dict[str, Any] = {
    "search.json": {
        "results": [
            {"command": c, "times": [0.1 + k / 50, 0.11 + k / 70], "exit_codes": [0, 0]}
            for k, c in enumerate(("grep x", "rg x"))
        ]
    },
    "google.json": {
        "context": {"date": "2026-01-01", "num_cpus": 2},
        "benchmarks": [
            {"name": f"BM_{c}/8", "run_name": f"BM_{c}/8", "run_type": "iteration"}
            | {"repetition_index": k, "real_time": 10.0 + k, "cpu_time": 9.0 + k}
            | {"iterations": 100, "time_unit": "ns"}
            for c in ("sort", "heap")
            for k in range(4)
        ],
    },
    "tidy.json": [
        {"dataset": d, "candidate": c, "replication": k, "accuracy": 0.5 + k / 10}
        for d in ("one", "two")
        for c in ("a", "b")
        for k in range(3)
    ],
    "columns.json": {"dataset": ["one", "two"], "a": [0.1, 0.2], "b": [0.3, 0.1]},
    "nested.json": {"one": {"a": [0.1, 0.2], "b": [0.2, 0.3]}, "two": {"a": [1, 2], "b": [2, 3]}},
    "first/per_instance_stats.json": _instances(0),
    "promptfoo.json": {
        "version": 3,
        "results": {
            "results": [
                {"provider": {"id": p}, "testIdx": t, "promptIdx": 0, "success": (t + k) % 2 == 0}
                | {"score": 1.0, "latencyMs": 10, "vars": {"question": f"q{t}"}}
                for k, p in enumerate(("openai:a", "openai:b"))
                for t in range(4)
            ]
        },
    },
}
"""Files of results as programs write them, by their names."""


def check(folder: Path, name: str) -> None:
    command("check", folder / name, "-o", folder, places=[folder.name, Path(name).name])


@pytest.mark.slow
@pytest.mark.parametrize("name", TREES)
@FUZZ
@given(data=st.data())
def test_a_changed_tree(name: str, data: st.DataObject) -> None:
    with TemporaryDirectory() as place:
        path = Path(place) / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(as_json(data.draw(changed(TREES[name]))))
        check(Path(place), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
@FUZZ
@given(data=st.data())
def test_a_changed_log(name: str, data: st.DataObject) -> None:
    """A folder of logs in which one file has other values, lines, bytes or another name."""
    with TemporaryDirectory() as place:
        folder = Path(place) / "logs"
        shutil.copytree(LOGS / name, folder)
        files = sorted(path for path in folder.rglob("*.json*") if path.is_file())
        path = data.draw(st.sampled_from(files))
        lines = path.read_text("utf-8").splitlines() if path.suffix == ".jsonl" else []
        match data.draw(st.sampled_from(("tree", "tree", "bytes", "gone", "name"))):
            case "tree" if lines:
                at = data.draw(st.integers(0, len(lines) - 1))
                lines[at] = as_json(data.draw(changed(json.loads(lines[at])))).decode()
                path.write_text("\n".join(lines), "utf-8")
            case "tree":
                path.write_bytes(as_json(data.draw(changed(json.loads(path.read_text("utf-8"))))))
            case "bytes":
                content = bytearray(path.read_bytes())
                at = data.draw(st.integers(0, len(content) - 1))
                content[at : at + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
                path.write_bytes(bytes(content))
            case "gone":
                path.unlink()
            case "name":
                path.rename(path.with_name(f"other{path.suffix}"))
        check(Path(place), "logs")


JSON = st.recursive(
    ODD.map(deepcopy),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
)


@FUZZ
@given(JSON)
def test_any_tree(tree: Any) -> None:
    with TemporaryDirectory() as place:
        (Path(place) / "results.json").write_bytes(as_json(_plain(tree)))
        check(Path(place), "results.json")


def _plain(tree: Any) -> Any:
    """Return the tree with keys that are text."""
    if isinstance(tree, dict):
        return {str(key): _plain(value) for key, value in tree.items()}
    return [_plain(value) for value in tree] if isinstance(tree, list) else tree


@FUZZ
@given(st.lists(st.sampled_from('[]{}":,0123456789eE+-.\\untrfalsN \n\u2028\ud800'), max_size=60))
def test_any_text(parts: list[str]) -> None:
    with TemporaryDirectory() as place:
        text = "".join(parts).encode("utf-8", "surrogatepass")
        (Path(place) / "results.json").write_bytes(text)
        check(Path(place), "results.json")
