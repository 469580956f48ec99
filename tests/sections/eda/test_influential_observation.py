"""Which observation makes the difference: of cars the modern one, which the abstract says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy

STUDY = """\
seed: 3
measures: [mse]
execution: {keep: samples}
setup:
  datasets: [DATA]
  candidates: [rlm, spline]
  resampling: {scheme: bootstrap, replications: 60}
"""
GENERATED = "{name: line, generator: linear, n: 40}"


def run_of(folder: Path, data: str) -> BenchmarkStudy:
    manifest = folder / "cars.yaml"
    manifest.write_text(STUDY.replace("DATA", data))
    return reportgen.run(manifest, folder / "run", jobs=1)


def abstract_of(study: BenchmarkStudy, folder: Path) -> str:
    study.report(folder, formats="md")
    text = re.sub(r"</?code>", "", (folder / "report.md").read_text())
    return text.split("\n\n")[1]


def test_the_modern_car_makes_the_difference(tmp_path: Path) -> None:
    study = run_of(tmp_path, "cars")
    said = abstract_of(study, tmp_path / "out")
    found = study.result("eda")["mse"].observation
    assert (found.observation, found.values) == (51, {"speed": 30.0, "dist": 8.0})
    learning = pd.read_parquet(tmp_path / "run/cars/warehouse/learning.parquet")
    learns = learning.loc[learning["observation"] == 51, "replication"].unique()
    frame = study.performances
    values = frame.pivot(index="replication", columns="candidate", values="value")
    without = values[~values.index.isin(learns)]
    assert found.n_without == len(without) == 60 - len(learns)
    assert found.means_without == pytest.approx(without.mean().to_dict())
    assert found.means_with == pytest.approx(values[values.index.isin(learns)].mean().to_dict())
    low, high = (f"{x:,.0f}" for x in found.extremes[0])
    assert said.startswith("**Observation 51 (speed 30, dist 8) makes the difference**: ")
    assert f"in {len(without)} of 60 bootstrap samples" in said
    assert f"squared error is {low} to {high}" in said.replace("\u00a0", " ")
    best = without.mean().idxmin(), values[values.index.isin(learns)].mean().idxmin()
    assert found.best == best


def test_where_none_does_the_verdict_stands_first(tmp_path: Path) -> None:
    study = run_of(tmp_path, GENERATED)
    found = study.result("eda")["mse"].observation
    assert not found.is_decisive
    assert found.separation < 0.9
    assert np.isfinite(list(found.means_with.values())).all()
    assert "makes the difference" not in abstract_of(study, tmp_path / "out")
