"""Runs that ioh's Analyzer has written (files/make_optimisers.py), and faults in such files."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results


def metas(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.rglob("*.json"))]


def column(warehouse: Any, dataset: str, measure: str, candidate: str) -> list[float]:
    values = warehouse.performances(dataset, measure).values
    own = values[:, warehouse.candidates.index(candidate)]
    return own[np.isfinite(own)].tolist()


def test_a_folder_of_the_logger(files: Path) -> None:
    warehouse = read_results(files / "iohprofiler")
    assert set(warehouse.datasets) == {"Sphere 2-D", "Rosenbrock 2-D"}
    assert warehouse.candidates == ("one-plus-one", "random")
    assert warehouse.facts["Sphere 2-D"] == {"unit": "sample"}
    for meta in metas(files / "iohprofiler"):
        runs = meta["scenarios"][0]["runs"]
        of = f"{meta['function_name']} 2-D", meta["algorithm"]["name"]
        found = {m: column(warehouse, of[0], m, of[1]) for m in ("precision", "evaluations")}
        assert found["precision"] == pytest.approx([run["best"]["y"] for run in runs], abs=1e-9)
        assert found["evaluations"] == [run["evals"] for run in runs]


def test_targets_are_reached_no_later_than_the_best_value(files: Path) -> None:
    warehouse = read_results(files / "iohprofiler")
    for meta in metas(files / "iohprofiler"):
        dataset, place = f"{meta['function_name']} 2-D", warehouse.candidates.index
        k = place(meta["algorithm"]["name"])
        own = np.isfinite(warehouse.performances(dataset, "evaluations").values[:, k])
        for exponent in range(2, -8, -1):
            found = warehouse.performances(dataset, f"evaluations to 1e{exponent}").values[own, k]
            for run, reached in zip(meta["scenarios"][0]["runs"], found, strict=True):
                if run["best"]["y"] <= 10.0**exponent:
                    assert reached <= run["best"]["evals"]
                else:
                    assert np.isnan(reached)


def test_values_that_are_maximised_have_no_targets(files: Path) -> None:
    warehouse = read_results(files / "iohprofiler-pbo")
    assert [(m.name, m.better) for m in warehouse.measures] == [
        ("value", "larger"),
        ("evaluations", "smaller"),
    ]
    (meta,) = metas(files / "iohprofiler-pbo")
    best = [run["best"]["y"] for run in meta["scenarios"][0]["runs"]]
    assert column(warehouse, "OneMax 8-D", "value", "random") == best


def copy(files: Path, folder: Path, **changes: Any) -> Path:
    shutil.copytree(files / "iohprofiler-pbo", folder / "runs")
    path = next((folder / "runs").glob("*.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return folder / "runs"


def test_values_below_0_are_no_distances(files: Path, tmp_path: Path) -> None:
    folder = copy(files, tmp_path, maximization=False)
    dat = next(folder.rglob("*.dat"))
    dat.write_text("evaluations raw_y\n1 5\n3 -2\n9 4\n" * 3)
    warehouse = read_results(folder)
    best = warehouse.measures[0]
    assert (best.name, best.better) == ("value", "smaller")
    assert column(warehouse, "OneMax 8-D", "value", "random") == [-2.0] * 3


def test_both_directions_are_refused(files: Path, tmp_path: Path) -> None:
    shutil.copytree(files / "iohprofiler", tmp_path / "a")
    shutil.copytree(files / "iohprofiler-pbo", tmp_path / "b")
    with pytest.raises(ExchangeError, match="read these apart"):
        read_results(tmp_path)


def scenario(**changes: Any) -> list[dict[str, Any]]:
    runs = [{"instance": 1, "evals": 20}] * 3
    own = {"dimension": 8, "path": "data_f1_OneMax/IOHprofiler_f1_DIM8.dat", "runs": runs}
    return [own | changes]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithm": {}}, "algorithm.name: found nothing; allowed text"),
        ({"scenarios": {}}, "scenarios: found a mapping; allowed a list"),
        ({"scenarios": scenario(dimension="x")}, "dimension: found 'x'; allowed a whole number"),
        ({"scenarios": scenario(path="../../x.dat")}, "allowed files of this folder"),
        ({"scenarios": scenario(path="x.dat")}, "found no file 'x.dat'"),
        ({"scenarios": scenario(runs=[{}])}, "found 3 runs; allowed 1, as IOHprofiler_f1_"),
    ],
)
def test_faults(files: Path, tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ExchangeError, match=re.escape(message)):
        read_results(copy(files, tmp_path, **changes))


def test_columns(files: Path, tmp_path: Path) -> None:
    folder = copy(files, tmp_path)
    next(folder.rglob("*.dat")).write_text("evaluations transformed_y\n1 2\n")
    with pytest.raises(ExchangeError, match="found the columns 'evaluations transformed_y'"):
        read_results(folder)
