"""Timings that pytest-benchmark 5 has written (files/make_pytest_benchmark.py), and hyperfine's.

Those of hyperfine are made to its documented JSON.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import reportgen
from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results


def command(text: str, times: Any, **more: Any) -> dict[str, Any]:
    return {"command": text, "mean": 1.0, "times": times} | more


def write(path: Path, *results: Any) -> Path:
    path.write_text(json.dumps({"results": results}))
    return path


def test_a_file_of_pytest_benchmark(files: Path) -> None:
    """Groups are data sets, benchmarks candidates; no two of them share a sample."""
    path = files / "pytest-benchmark.json"
    warehouse = read_results(path)
    assert warehouse.datasets == ("n=10", "n=100")
    assert warehouse.candidates[:2] == ("test_sort[10-reverse]", "test_sort[10-sorted]")
    measure = warehouse.measures[0]
    assert (measure.name, measure.better, measure.unit_symbol) == ("time", "smaller", "s")
    written = {own["name"]: own["stats"] for own in json.loads(path.read_text())["benchmarks"]}
    for dataset in warehouse.datasets:
        found = warehouse.performances(dataset, "time")
        assert (np.isfinite(found.values).sum(axis=1) == 1).all()
        for name, column in zip(found.candidates, found.values.T, strict=True):
            if name.startswith(f"test_sort[{dataset[2:]}-"):
                assert column[np.isfinite(column)].tolist() == written[name]["data"]
                assert np.nanmean(column) == pytest.approx(written[name]["mean"])
    assert warehouse.facts["n=10"] == {"unit": "sample"}
    assert warehouse.items.empty
    study = reportgen.compare(path)
    for name in study.datasets:
        pairs = study.pairs(dataset=name)
        assert set(pairs["method"]) == {"welch"}  # and no pairs of ordinals
        assert (pairs["n"] == 6).all()


def test_several_files_are_candidates(files: Path, tmp_path: Path) -> None:
    for name in ("0001_old", "0002_new"):
        shutil.copy(files / "pytest-benchmark.json", tmp_path / f"{name}.json")
    warehouse = read_results(tmp_path)
    assert warehouse.candidates == ("0001_old", "0002_new")
    assert warehouse.datasets[0] == "test_sort.py::test_sort[10-reverse]"
    assert len(warehouse.frame) == 2 * 24


def test_commands_of_hyperfine(tmp_path: Path) -> None:
    fast = command("fd", [0.1, 0.2], exit_codes=[0, 1], memory_usage_byte=[5, 6])
    slow = command("find", [0.5, 0.4, 0.6], exit_codes=[0, 0, 0], parameters={"n": "3"})
    warehouse = read_results(write(tmp_path / "search.json", fast, slow))
    assert (warehouse.datasets, warehouse.candidates) == (("search",), ("fd", "find"))
    found = warehouse.performances("search", "time")
    nan = np.nan
    np.testing.assert_array_equal(found.values[:, 0], [0.1, nan, nan, nan, nan])
    np.testing.assert_array_equal(found.values[:, 1], [nan, nan, 0.5, 0.4, 0.6])
    assert warehouse.failures["message"].tolist() == ["exit code 1"]
    assert warehouse.measure("memory").unit_symbol == "bytes"
    assert {"find: n=3", "fd: 1 with a nonzero exit code"} <= set(warehouse.remarks["value"])


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (None, "a: found no times of single runs"),
        ([0.1, "0.2"], "a: time 2: found '0.2'; allowed seconds"),
        ([0.1, 0.2, True], "a: time 3: found true; allowed seconds"),
        ([-1], "time 1: found -1"),
        ([float("inf")], "time 1: found"),
        ([], "no items"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, times: Any, message: str) -> None:
    with pytest.raises(ExchangeError, match=message):
        read_results(write(tmp_path / "o.json", command("a", times)))


def test_a_command_twice(tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match="'a' of 'o' a second time"):
        read_results(write(tmp_path / "o.json", command("a", [1]), command("a", [2])))


def test_files_of_one_commit_are_processes(files: Path, tmp_path: Path) -> None:
    """Each file is a process: a value is the mean of its rounds."""
    written = json.loads((files / "pytest-benchmark.json").read_text())
    for version in ("a" * 40, "b" * 40):
        for process in range(6):
            own = json.loads(json.dumps(written))
            own["commit_info"] = {"id": version, "dirty": False}
            for benchmark in own["benchmarks"]:
                benchmark["stats"]["data"] = [x + process for x in benchmark["stats"]["data"]]
            (tmp_path / f"{version[0]}{process}.json").write_text(json.dumps(own))
    warehouse = read_results(tmp_path)
    assert warehouse.candidates == ("a" * 12, "b" * 12)
    name = warehouse.datasets[0]
    values = warehouse.performances(name, "time").values
    assert np.isfinite(values).sum(axis=0).tolist() == [6, 6]
    data = next(b for b in written["benchmarks"] if b["fullname"] == name)["stats"]["data"]
    expected = np.exp([np.log(np.array(data) + process).mean() for process in range(6)])
    np.testing.assert_allclose(values[np.isfinite(values[:, 0]), 0], expected)
    assert "48 processes of 6 runs" in set(warehouse.remarks["value"])


def test_processes_of_pyperf(files: Path) -> None:
    """The mean of a process is its value; runs that only warm up are none."""
    warehouse = read_results(files / "pyperf")
    assert (warehouse.datasets, warehouse.candidates) == (("join", "sort"), ("new", "old"))
    written = json.loads((files / "pyperf" / "old.json").read_text())["benchmarks"][0]
    expected = [np.exp(np.log(run["values"]).mean()) for run in written["runs"]]
    values = warehouse.performances("sort", "time").values[:, 1]
    np.testing.assert_allclose(values[np.isfinite(values)], expected)
    one = read_results(files / "pyperf" / "old.json")
    assert (one.datasets, one.candidates) == (("old",), ("join", "sort"))


@pytest.mark.parametrize(
    ("runs", "about", "message"),
    [
        ([{"values": [1, "x"]}], {}, "time 2: found 'x'"),
        ([{"values": [1.0]}], {"unit": "furlong"}, "the unit 'furlong'"),
        ("many", {}, "runs"),
    ],
)
def test_what_is_wrong_with_pyperf_is_told(
    tmp_path: Path, runs: Any, about: dict[str, str], message: str
) -> None:
    path = tmp_path / "p.json"
    path.write_text(
        json.dumps(
            {"benchmarks": [{"runs": [], "metadata": {}}, {"runs": runs, "metadata": about}]}
        )
    )
    with pytest.raises(ExchangeError, match=message):
        read_results(path)


def test_a_bare_number_is_a_run_of_pyperf(tmp_path: Path) -> None:
    """As shortened files have it, in place of a process or of its list of values."""
    runs = [{"values": [1.0, 1.5]}, 1.2, {"values": 1.3}, {"warmups": [[1, 2.0]]}]
    fits = [{"metadata": {"name": name}, "runs": runs} for name in ("old", "new")]
    (tmp_path / "bare.json").write_text(json.dumps({"version": "1.0", "benchmarks": fits}))
    found = read_results(tmp_path / "bare.json").frame
    own = found.loc[found["candidate"] == "old", "value"]
    assert own.tolist() == pytest.approx([1.5**0.5, 1.2, 1.3])
