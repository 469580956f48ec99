"""Candidates that are not of the catalogue share no process with others."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from reportgen.catalogue.candidates import CANDIDATES, find_candidate, make_candidate
from reportgen.catalogue.candidates.candidate import is_ours
from reportgen.catalogue.candidates.objects import object_candidate
from reportgen.catalogue.candidates.programs import program_candidate
from reportgen.catalogue.candidates.recipes import Blueprint, Recipe
from reportgen.execution.outcome import Cell
from reportgen.execution.plan import Schedule
from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import execute
from tests.execution import faulty
from tests.execution.faulty import GUESSER, candidate, setup_of

PATCHES = candidate("patches", faulty.build_patches)
LOGISTIC = make_candidate(
    "logistic", Recipe(None, (Blueprint("sklearn.linear_model.LogisticRegression"),))
)


def _kernel(a: object, b: object) -> object:
    return np.asarray(a) @ np.asarray(b).T


@pytest.mark.parametrize("n_workers", [1, 2])
def test_a_candidate_that_patches_others_changes_nothing(n_workers: int) -> None:
    others = (find_candidate("lda"), GUESSER, LOGISTIC)
    expected = execute(setup_of(*others), executor=ProcessExecutor(n_workers)).frame
    found = execute(setup_of(PATCHES, *others), executor=ProcessExecutor(n_workers)).frame
    rest = found[found["candidate"] != "patches"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, expected.reset_index(drop=True), check_categorical=False)
    assert set(rest["status"]) == {"ok"}


def test_it_would_in_a_process_of_all() -> None:
    """What the other test holds is no accident: with one owner the values are others."""
    setup = setup_of(PATCHES, GUESSER, LOGISTIC, replications=3)
    shared = replace(Experiment.of(setup), owners={})
    cells = [Cell("small", b, name) for name in ("patches", "guesser", "logistic") for b in (1, 2)]
    apart = dict(ProcessExecutor(1).run(Experiment.of(setup), cells))
    together = dict(ProcessExecutor(1).run(shared, cells))
    for name in ("guesser", "logistic"):
        assert together[Cell("small", 2, name)] != apart[Cell("small", 2, name)]


@pytest.mark.parametrize("name", CANDIDATES)
def test_the_catalogue_shares_processes(name: str) -> None:
    assert is_ours(find_candidate(name))


def test_what_is_ours_is_seen_by_all_that_a_candidate_is_made_of(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("")
    command = ("python3", "x.py", "{learn}", "{test}", "{predictions}")
    assert is_ours(program_candidate("program", command, tmp_path))
    assert is_ours(LOGISTIC)
    assert is_ours(object_candidate("svm", SVC(C=2)))
    assert not is_ours(GUESSER)
    assert not is_ours(candidate("cannot", faulty.build_cannot))
    assert not is_ours(object_candidate("svm", SVC(kernel=_kernel)))
    transformed = make_pipeline(FunctionTransformer(_kernel), LogisticRegression())
    assert not is_ours(object_candidate("pipeline", transformed))


def test_fits_that_share_no_process_follow_one_another() -> None:
    names = ["ours", "a", "theirs", "b"]
    cells = [Cell(d, b, name) for d in ("x", "y", "z") for b in (1, 2) for name in names]
    seconds = {(d, name): 1.0 + len(d + name) for d in ("x", "y") for name in names}
    schedule, order = Schedule(cells, seconds, {"x": 1.0, "y": 2.0, "z": 3.0}, ("a", "b")), []
    for cell in schedule:
        order.append(cell)
        schedule.learn(cell, 1.0)
    assert sorted(order) == sorted(cells)
    owners = [cell.candidate if cell.candidate in "ab" else "" for cell in order]
    runs = [owner for owner, _ in groupby(owners)]
    assert runs == ["a", "b", "", "a", "b", ""]  # those whose time nobody knows come first
