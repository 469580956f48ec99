"""Which observation makes the difference: of cars the modern one, which the abstract says."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.api.study import BenchmarkStudy
from reportgen.sections.eda import Options
from reportgen.sections.eda.analysis import analyse
from reportgen.warehouse.samples import Samples
from tests.builders import make_warehouse

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


@pytest.mark.parametrize(("shift", "is_decisive"), [(1.0, True), (0.0, False), (-1.0, False)])
def test_an_observation_that_makes_the_difference_moves_all_candidates_the_same_way(
    shift: float, is_decisive: bool
) -> None:
    """Seven are parted fully by the first observation, the eighth by 8 of 20 values, or not."""
    values = np.tile(np.arange(40.0, 0.0, -1.0)[:, None], 8)
    values[:, 7] = np.where(np.arange(40) < 8, shift, 0.0)
    times = np.column_stack([np.arange(40) >= 20, np.arange(40) % 2])
    warehouse = make_warehouse(values)
    rows = warehouse.performances(warehouse.datasets[0], "error").replications
    samples = Samples("", ("y",), np.zeros((2, 1)), rows, times)
    result = analyse(replace(warehouse, samples=(samples,)), Options(), np.random.default_rng(1))
    found = result["error"].observation
    assert (found.observation, found.candidate) == (1, "a")
    assert found.separation == pytest.approx((7 + 0.5 + 0.2 * shift) / 8)
    assert found.separation > 0.9
    assert found.p_value < 0.001
    assert found.is_decisive == is_decisive
