"""Learning samples, observations and fitted curves that a study keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.execution.pool import SerialExecutor
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import carry_out
from reportgen.execution.samples import POINTS, curve_grid, curve_of
from reportgen.pipeline import open_job
from reportgen.study.setup import Setup, make_setup
from reportgen.warehouse.files import SAMPLES, read_warehouse

STUDY = """
setup:
  datasets: [cars]
  candidates: [lm, loess]
  resampling: {scheme: %s, replications: 4}
measures: [mse]
execution: {keep: %s}
"""


def _setup(folder: Path, keep: str = "samples", scheme: str = "bootstrap") -> Setup:
    (folder / "s.yaml").write_text(STUDY % (scheme, keep), encoding="utf-8")
    return make_setup(open_job(folder / "s.yaml", folder / "out").study)


def _line(n_inputs: int = 1, task: str = "regression") -> DataSet:
    x = np.linspace(0.0, 3.0, 12)
    inputs = pd.DataFrame({f"x{j}": x for j in range(n_inputs)})
    target = pd.Series(x * 2 if task == "regression" else np.where(x > 1, "a", "b"), name="y")
    return DataSet.of("line", inputs, target, task, "made up")  # type: ignore[arg-type]


def test_what_is_kept_is_what_the_fits_learnt(tmp_path: Path) -> None:
    setup = _setup(tmp_path)
    carry_out(setup, tmp_path / "w", SerialExecutor())
    (own,) = read_warehouse(tmp_path / "w").samples
    data = setup.datasets[0]
    experiment = Experiment.of(setup)
    assert own.variables == ("speed", "dist")
    assert np.array_equal(own.values, np.column_stack([data.inputs, data.target]))
    assert own.replications.tolist() == [1, 2, 3, 4]
    for row, b in zip(own.times, own.replications.tolist(), strict=True):
        learn = experiment.replicate("cars", b).sample.learn
        assert np.array_equal(row, np.bincount(learn, minlength=data.n))
        line = np.polyfit(data.inputs["speed"].to_numpy()[learn], data.response[learn], 1)
        assert own.curves["lm"][b - 1] == pytest.approx(np.polyval(line, own.grid))
    assert own.grid[[0, -1]].tolist() == [data.inputs["speed"].min(), data.inputs["speed"].max()]
    assert own.curves["loess"].shape == (4, POINTS)


def test_the_curve_of_several_fits_is_that_of_the_first(tmp_path: Path) -> None:
    setup = _setup(tmp_path)
    several = replace(setup, candidates=tuple(replace(c, refits=2) for c in setup.candidates))
    once = carry_out(setup, None, SerialExecutor()).warehouse
    again = carry_out(several, tmp_path / "w", SerialExecutor()).warehouse
    for name in ("lm", "loess"):
        curves = [warehouse.samples[0].curves[name] for warehouse in (once, again)]
        assert np.array_equal(*curves, equal_nan=True)
    assert carry_out(several, tmp_path / "w", SerialExecutor()).n_run == 0


def test_fits_without_curves_are_done_again_and_files_go(tmp_path: Path) -> None:
    without = replace(_setup(tmp_path), execution=_setup(tmp_path, "predictions").execution)
    assert carry_out(without, tmp_path / "w", SerialExecutor()).n_run == 8
    assert carry_out(_setup(tmp_path), tmp_path / "w", SerialExecutor()).n_run == 8
    assert all((tmp_path / "w" / name).exists() for name in SAMPLES)
    both = carry_out(_setup(tmp_path, "[samples, predictions]"), tmp_path / "w", SerialExecutor())
    assert (both.n_run, len(both.warehouse.samples)) == (8, 1)
    assert len(both.warehouse.predictions) > 0
    assert carry_out(_setup(tmp_path), tmp_path / "w", SerialExecutor()).n_run == 0
    carry_out(without, tmp_path / "w", SerialExecutor())
    assert not any((tmp_path / "w" / name).exists() for name in SAMPLES)


def test_performances_do_not_depend_on_it(tmp_path: Path) -> None:
    kept = carry_out(_setup(tmp_path), None, SerialExecutor()).warehouse
    bare = carry_out(_setup(tmp_path, "null"), None, SerialExecutor()).warehouse
    assert kept.frame["value"].equals(bare.frame["value"])
    assert kept.only("cars").samples == kept.samples
    assert bare.samples == ()


def test_only_regression_on_one_number_has_curves() -> None:
    assert len(curve_grid(_line())) == POINTS
    assert len(curve_grid(_line(2))) == 0
    assert len(curve_grid(_line(task="classification"))) == 0


def test_a_candidate_that_cannot_predict_the_grid_has_no_curve() -> None:
    def fails(_: object) -> None:
        raise ValueError("beyond the sample")

    def infinite(points: pd.DataFrame) -> np.ndarray:
        return np.where(points["x0"] > 1, np.inf, 1.0)

    data = _line()
    assert curve_of(SimpleNamespace(predict=fails), data) == [None] * POINTS
    partly = curve_of(SimpleNamespace(predict=infinite), data)
    assert partly[0] == 1.0
    assert partly[-1] is None
    apart = SimpleNamespace(predict=infinite, learns_with_predictions=True)
    assert curve_of(apart, data) == [None] * POINTS


def test_subsamples_hold_an_observation_once(tmp_path: Path) -> None:
    setup = _setup(tmp_path, scheme="subsampling")
    (own,) = carry_out(setup, None, SerialExecutor()).warehouse.samples
    assert set(np.unique(own.times)) == {0.0, 1.0}
