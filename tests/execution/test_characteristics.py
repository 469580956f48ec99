"""Characteristics of learning samples: what is computed, and what is not computed again."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.characteristics import sample_of
from reportgen.catalogue.datasets import find_dataset
from reportgen.execution import characteristics as characterising
from reportgen.execution.pool import ProcessExecutor, SerialExecutor
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import carry_out, execute
from reportgen.stats.characteristics import characterise
from reportgen.study.resampling import Characterised, Resampling
from reportgen.study.setup import Setup
from reportgen.warehouse.files import read_warehouse
from tests.execution.faulty import setup_of

NAMES = ("obs.n", "i2r.fcc", "nvar.entropy")


def _setup(replications: int = 3, names: tuple[str, ...] = NAMES) -> Setup:
    setup = setup_of(
        find_candidate("dummy"),
        datasets=(find_dataset("iris"), find_dataset("monks1")),
        replications=replications,
    )
    return replace(setup, characterised=Characterised(names))


def test_every_sample_and_the_whole_data_set_are_described() -> None:
    setup = _setup()
    table = execute(setup, executor=SerialExecutor()).characteristics
    assert list(table.columns) == ["dataset", "replication", "scheme", *NAMES]
    assert len(table) == 2 * 4
    iris = setup.datasets[0]
    drawn = Experiment.of(setup).replicate("iris", 2).sample
    row = table[(table["dataset"] == "iris") & (table["replication"] == 2)].iloc[0]
    expected = characterise(sample_of(iris).take(drawn.learn))
    assert row["i2r.fcc"] == expected["i2r.fcc"]
    whole = table[(table["dataset"] == "iris") & table["replication"].isna()].iloc[0]
    assert whole["i2r.fcc"] == characterise(sample_of(iris))["i2r.fcc"]
    assert np.isnan(whole["nvar.entropy"])  # iris has no nominal variable


def test_none_are_computed_where_nobody_asks() -> None:
    assert execute(_setup(names=()), executor=SerialExecutor()).characteristics.empty


def test_they_wait_until_a_section_needs_them(tmp_path: Path) -> None:
    setup, here = _setup(), SerialExecutor()
    assert carry_out(setup, tmp_path, here, is_described=False).warehouse.characteristics.empty
    full = carry_out(setup, tmp_path, here).warehouse.characteristics
    assert len(full)
    again = carry_out(setup, tmp_path, here, is_described=False).warehouse.characteristics
    assert again.equals(full)  # the journal has them


def test_what_the_journal_holds_is_not_computed_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="reportgen")
    executor = SerialExecutor()
    first = execute(_setup(), tmp_path, executor).characteristics
    assert "characteristics of 8 learning samples" in caplog.text
    caplog.clear()
    again = execute(_setup(), tmp_path, executor).characteristics
    assert "characteristics" not in caplog.text
    assert again.equals(first)
    caplog.clear()
    more = execute(_setup(4, (*NAMES, "var.n")), tmp_path, executor).characteristics
    assert "characteristics of 10 learning samples" in caplog.text
    assert "1 of 8 fits" not in caplog.text
    assert more["var.n"].notna().all()
    known = more[more["replication"].isna() | (more["replication"] < 4)]
    assert known["i2r.fcc"].tolist() == pytest.approx(first["i2r.fcc"].tolist(), nan_ok=True)
    assert read_warehouse(tmp_path).characteristics.equals(more)


def test_a_journal_of_before_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    executor = SerialExecutor()
    execute(_setup(names=()), tmp_path, executor)
    caplog.set_level(logging.INFO, logger="reportgen")
    table = execute(_setup(), tmp_path, executor).characteristics
    assert "0 of 6 fits to run" in caplog.text
    assert len(table) == 8


@pytest.mark.slow
def test_workers_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    here = execute(_setup(), executor=SerialExecutor()).characteristics
    monkeypatch.setattr(characterising, "FEW", 0)
    monkeypatch.setattr(characterising, "BATCH", 2)
    there = execute(_setup(), executor=ProcessExecutor(2)).characteristics
    assert there.equals(here)


def test_other_schemes_are_described_beside() -> None:
    schemes = (Resampling("subsampling", 3, 0.5),)
    setup = replace(_setup(), characterised=Characterised(NAMES, schemes))
    table = execute(setup, executor=SerialExecutor()).characteristics
    half = table[table["scheme"] == "subsampling 50%"]
    assert len(half) == 2 * 3
    assert set(half.loc[half["dataset"] == "iris", "obs.n"]) == {75.0}
    own = table[(table["scheme"] == "") & (table["dataset"] == "iris")]
    assert set(own["obs.n"]) == {150.0}


def test_another_seed_draws_other_samples(tmp_path: Path) -> None:
    one = execute(_setup(), tmp_path, SerialExecutor()).characteristics
    other = execute(replace(_setup(), seed=2), tmp_path, SerialExecutor()).characteristics
    assert not other["i2r.fcc"].equals(one["i2r.fcc"])
