"""Losses of observations that a run keeps: their means, their journal and their file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.neighbors import NearestCentroid
from sklearn.tree import DecisionTreeClassifier

import reportgen
from reportgen.execution.journal import content_of, line, read_journal, read_lines
from reportgen.execution.losses import pack, unpack
from reportgen.execution.pool import ProcessExecutor, SerialExecutor
from reportgen.execution.runner import JOURNAL, carry_out, execute
from reportgen.study.resampling import Resampling
from reportgen.study.setup import ExecutionSettings, Setup
from reportgen.warehouse import Warehouse
from reportgen.warehouse.files import LOSSES, read_warehouse
from tests.execution.faulty import GUESSER, MAJORITY, build_raises, setup_of

SAME = 1e-12  # absolute: sums of zeros and ones in another order
SINGLE = 1e-6  # relative: losses of any size are kept with single precision


def measured(setup: Setup, folder: Path | None = None) -> Warehouse:
    return execute(setup, folder, SerialExecutor())


@given(arrays(np.float64, st.integers(0, 40), elements=st.sampled_from([0.0, 1.0])))
def test_zeros_and_ones_are_packed_as_they_are(losses: np.ndarray) -> None:
    assert unpack(pack(losses)).tolist() == losses.tolist()


@given(arrays(np.float64, st.integers(1, 40), elements=st.floats(0, 1e30)))
def test_others_are_packed_with_single_precision(losses: np.ndarray) -> None:
    np.testing.assert_allclose(unpack(pack(losses)), losses, rtol=SINGLE, atol=1e-40)


def test_what_is_damaged_is_no_losses() -> None:
    with pytest.raises(ValueError, match="no losses"):
        unpack(pack(np.array([0.5, 2.0])).replace("f2", "f3"))


def test_they_are_the_means_of_the_predictions(tmp_path: Path) -> None:
    setup = setup_of(MAJORITY, GUESSER, replications=5)
    setup = replace(setup, execution=ExecutionSettings(keeps_predictions=True))
    warehouse = measured(setup, tmp_path)
    kept = warehouse.predictions.groupby(["candidate", "observation"], observed=True)["loss"]
    expected = kept.agg(["mean", "size"]).sort_index()
    own = warehouse.losses[warehouse.losses["measure"] == setup.measures[0].name]
    found = own.astype({"candidate": str}).set_index(["candidate", "observation"]).sort_index()
    assert (found["n_tested"].to_numpy() == expected["size"].to_numpy()).all()
    np.testing.assert_allclose(found["loss"], expected["mean"], atol=SAME)


def test_they_add_up_to_the_performances() -> None:
    """Weighted by tests, their mean is that of the replications, weighted by test samples."""
    warehouse = measured(setup_of(MAJORITY, GUESSER, replications=7))
    for name, own in warehouse.losses.groupby(["candidate", "measure"], observed=True):
        candidate, measure = name
        is_cell = (warehouse.frame["candidate"] == candidate) & (
            warehouse.frame["measure"] == measure
        )
        rows = warehouse.frame[is_cell]
        expected = np.average(rows["value"], weights=rows["n_test"])
        assert np.average(own["loss"], weights=own["n_tested"]) == pytest.approx(expected, abs=SAME)
        assert own["n_tested"].sum() == rows["n_test"].sum()


def test_each_observation_is_tested_once_in_folds() -> None:
    setup = replace(setup_of(MAJORITY, GUESSER), resampling=Resampling("k-fold", 5, folds=5))
    warehouse = measured(setup)
    own = warehouse.losses_of("small", setup.measures[0].name)
    assert own is not None
    means, counts = own
    assert counts.tolist() == np.ones((setup.datasets[0].n, 2)).tolist()
    assert np.isfinite(means).all()


def test_the_file_goes_round(tmp_path: Path) -> None:
    warehouse = measured(setup_of(MAJORITY, GUESSER, replications=4), tmp_path)
    again = read_warehouse(tmp_path)
    assert (tmp_path / LOSSES).exists()
    pd.testing.assert_frame_equal(again.losses, warehouse.losses, check_dtype=False)
    assert len(again.only("small").losses) == len(warehouse.losses)
    n, k = setup_of(MAJORITY).datasets[0].n, 2
    assert len(warehouse.losses) <= n * k * len(warehouse.measures)


def test_they_do_not_depend_on_workers_or_interruptions(tmp_path: Path) -> None:
    setup = setup_of(MAJORITY, GUESSER, replications=6)
    expected = measured(setup).losses
    pd.testing.assert_frame_equal(execute(setup, executor=ProcessExecutor(2)).losses, expected)
    half = replace(setup, resampling=replace(setup.resampling, replications=3))
    carry_out(half, tmp_path, SerialExecutor())
    resumed = carry_out(setup, tmp_path, SerialExecutor())
    assert resumed.n_reused == 6
    pd.testing.assert_frame_equal(resumed.warehouse.losses, expected)
    again = carry_out(setup, tmp_path, SerialExecutor())
    assert again.n_run == 0
    pd.testing.assert_frame_equal(again.warehouse.losses, expected)


def test_fits_of_an_earlier_version_leave_their_data_set_without(tmp_path: Path) -> None:
    setup = setup_of(MAJORITY, GUESSER, replications=2)
    measured(setup, tmp_path)
    journal = tmp_path / JOURNAL
    assert all(outcome.losses for outcome in read_journal(journal).values())
    contents = read_lines(journal)
    numbers = {header.family: number for number, header in contents.headers.items()}
    lines = [text for text in journal.read_bytes().splitlines(keepends=True) if b'{"id' in text]
    versions = [t for t in journal.read_bytes().splitlines(keepends=True) if b"versions" in t]
    old = [
        line([numbers[family], b, *content_of(replace(outcome, losses={}))])
        for (family, b), outcome in contents.outcomes.items()
    ]
    journal.write_bytes(b"".join([*versions, *lines, *old]))
    again = carry_out(setup, tmp_path, SerialExecutor())
    assert again.n_run == 0
    assert not len(again.warehouse.losses)
    assert not (tmp_path / LOSSES).exists()


def test_a_failed_fit_leaves_the_others() -> None:
    failing = replace(MAJORITY, name="raises", build=build_raises)
    warehouse = measured(setup_of(MAJORITY, failing, replications=3))
    assert warehouse.losses["candidate"].unique().tolist() == ["majority"]


def test_groups_are_units() -> None:
    setup = setup_of(MAJORITY, GUESSER, replications=5)
    data = setup.datasets[0]
    groups = np.arange(data.n) // 4
    warehouse = measured(replace(setup, datasets=(replace(data, groups=groups),)))
    own = warehouse.losses_of("small", setup.measures[0].name)
    assert own is not None
    means, counts = own
    assert len(means) <= data.n // 4
    assert counts.max() <= 5
    frame = warehouse.frame[warehouse.frame["measure"] == setup.measures[0].name]
    for k, name in enumerate(warehouse.candidates):
        rows = frame[frame["candidate"] == name]
        expected = np.average(rows["value"], weights=rows["n_test"])  # n_test counts groups
        assert np.average(means[:, k], weights=counts[:, k]) == pytest.approx(expected, abs=SAME)


@pytest.mark.slow
def test_inference_uses_them(tmp_path: Path) -> None:
    """Bootstrap: three variances of the differences of mean losses over N, where smaller."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    study = reportgen.evaluate(
        {"centroid": NearestCentroid(), "tree": DecisionTreeClassifier(random_state=0)},
        X, y, replications=40, seed=2, name="toy", folder=tmp_path,
    )  # fmt: skip
    found = study.result("inference")["misclassification"].new_data
    assert found.has_losses
    own = study.performances.pivot_table(
        index="replication", columns="candidate", values="value", observed=True
    )
    d = own["centroid"] - own["tree"]
    kept = read_warehouse(tmp_path / "warehouse").losses_of("toy", "misclassification")
    assert kept is not None
    z = kept[0][:, 0] - kept[0][:, 1]
    by_replications = d.var(ddof=1) * 2 * found.test_share
    expected = min(by_replications, 3 * z.var(ddof=1) / len(z))
    assert found.pairs[0].standard_error ** 2 == pytest.approx(expected, rel=SINGLE)
    assert found.pairs[0].n_varying == np.count_nonzero(z)
    loaded = reportgen.load(tmp_path)
    again = loaded.result("inference")["misclassification"].new_data
    assert again.pairs == found.pairs


def test_means_that_are_none_have_no_losses() -> None:
    setup = setup_of(MAJORITY, GUESSER, replications=2, measures=("f1",))
    assert not len(measured(setup).losses)
