"""Predictions of test observations that a study keeps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.catalogue.measures import find_measure
from reportgen.catalogue.measures.losses import MEANS, losses_of
from reportgen.catalogue.measures.prediction import Prediction
from reportgen.execution.pool import SerialExecutor
from reportgen.execution.runner import carry_out, execute
from reportgen.study.setup import ExecutionSettings, Setup
from reportgen.warehouse.files import PREDICTIONS, read_warehouse
from tests.execution.faulty import GUESSER, MAJORITY, setup_of


def _setup(*, keep: bool) -> Setup:
    setup = setup_of(MAJORITY, GUESSER, replications=3)
    return replace(setup, execution=ExecutionSettings(keeps_predictions=keep))


def test_losses_average_to_the_performances(tmp_path: Path) -> None:
    execute(_setup(keep=True), tmp_path, SerialExecutor())
    warehouse = read_warehouse(tmp_path)
    kept = warehouse.predictions
    means = kept.groupby(["candidate", "replication"], observed=True)["loss"].mean()
    for candidate, replication, value in zip(
        warehouse.frame["candidate"],
        warehouse.frame["replication"],
        warehouse.frame["value"],
        strict=True,
    ):
        assert means[candidate, replication] == pytest.approx(value, abs=1e-12)
    assert np.array_equal(kept["loss"], (kept["prediction"] != kept["truth"]).astype(float))
    rows = kept[(kept["candidate"] == "majority") & (kept["replication"] == 2)]["observation"]
    assert rows.min() >= 1
    assert rows.is_unique
    assert len(warehouse.only("small").predictions) == len(kept)


def test_what_was_measured_without_them_is_measured_again(tmp_path: Path) -> None:
    first = carry_out(_setup(keep=False), tmp_path, SerialExecutor())
    assert (first.n_run, len(first.warehouse.predictions)) == (6, 0)
    again = carry_out(_setup(keep=True), tmp_path, SerialExecutor())
    assert again.n_run == 6
    resumed = carry_out(_setup(keep=True), tmp_path, SerialExecutor())
    assert resumed.n_run == 0
    assert resumed.warehouse.predictions.equals(again.warehouse.predictions)
    assert (tmp_path / PREDICTIONS).exists()
    assert not len(carry_out(_setup(keep=False), tmp_path, SerialExecutor()).warehouse.predictions)
    assert not (tmp_path / PREDICTIONS).exists()


@pytest.mark.parametrize("name", MEANS)
def test_means_of_losses_are_the_measures(name: str) -> None:
    rng = np.random.default_rng(3)
    given = rng.dirichlet(np.ones(3), size=20)
    truth = rng.integers(3, size=20)
    p = Prediction(truth, given.argmax(axis=1), given, 0.1, 0.1)
    losses = losses_of(name, p)
    assert losses is not None
    assert losses.mean() == pytest.approx(find_measure(name).compute(p), abs=1e-12)
    bare = losses_of(name, replace(p, probabilities=None))
    assert (bare is None) is find_measure(name).needs_probabilities
    assert losses_of("auc", p) is None
