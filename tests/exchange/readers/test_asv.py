"""Results that asv 0.6 has written (files/make_asv.py)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results

FILE = "laptop/d58c9324-existing-py_venv_bin_python.json"
SORT = "benchmarks.Sort.time_sort"


def copy(files: Path, folder: Path, **changes: Any) -> Path:
    """Copy the results, with other ones of the benchmark with parameters."""
    shutil.copytree(files / "asv", folder, dirs_exist_ok=True)
    path = folder / FILE
    content = json.loads(path.read_text())
    for name, value in changes.items():
        content["results"][SORT][content["result_columns"].index(name)] = value
    path.write_text(json.dumps(content))
    return folder


def test_a_run_of_asv(files: Path) -> None:
    """Parameters are in the order of their product; what failed is missing."""
    warehouse = read_results(files / "asv")
    assert warehouse.candidates == ("d58c93244ba1",)
    content = json.loads((files / "asv" / FILE).read_text())["results"]
    for i, setting in enumerate(("10, 'up'", "10, 'down'", "100, 'up'")):
        found = warehouse.performances(f"{SORT} ({setting})", "time")
        assert found.values.tolist() == [[content[SORT][0][i]]]
    assert f"{SORT} (100, 'down')" not in warehouse.datasets
    assert warehouse.performances("benchmarks.peakmem_list", "memory").values.tolist() == [
        [26931200]
    ]
    assert warehouse.performances("benchmarks.time_fault", "time").n_missing == 1
    assert warehouse.failures["message"].tolist() == ["the benchmark failed"]
    kinds = dict(zip(warehouse.remarks["name"], warehouse.remarks["value"], strict=True))
    assert kinds["left-out-benchmarks"] == "benchmarks.Sort.track_length"


def test_commits_are_candidates(files: Path, tmp_path: Path) -> None:
    folder = copy(files, tmp_path, samples=[[1.0, 2.0], None, [3.0], None])
    other = json.loads((folder / FILE).read_text()) | {"commit_hash": "f" * 40}
    (folder / "laptop" / "ffffffff-existing-py_venv_bin_python.json").write_text(json.dumps(other))
    found = read_results(folder).performances(f"{SORT} (10, 'up')", "time")
    assert found.candidates == ("d58c93244ba1", "f" * 12)
    nan = np.nan
    expected = [[1, nan], [2, nan], [nan, 1], [nan, 2]]  # no sample is shared
    np.testing.assert_array_equal(found.values, expected)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"result": [1.0]}, "found 1 results; allowed 4"),
        ({"params": [1]}, "params: found no lists"),
        ({"params": 2}, "params: found no lists"),
        ({"result": ["a", 1.0, 2.0, 3.0], "samples": None}, "found 'a'; allowed numbers"),
        ({"params": [["a"] * 1000] * 3}, "found 4 results; allowed 100001"),
    ],
)
def test_what_is_wrong_is_told(
    files: Path, tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ExchangeError, match=message):
        read_results(copy(files, tmp_path, **changes))


def test_a_column_whose_name_is_no_text(files: Path, tmp_path: Path) -> None:
    path = copy(files, tmp_path) / FILE
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | {"result_columns": [["result"], "params"]}))
    with pytest.raises(ExchangeError, match="result_columns: found a list; allowed names"):
        read_results(tmp_path)
