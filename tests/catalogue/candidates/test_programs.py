"""Programs as candidates: what reaches them, what they answer, what becomes of their faults."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.candidates.programs import (
    FileFormat,
    program_candidate,
    read_answer,
    write_sample,
)
from reportgen.catalogue.datasets import find_dataset
from reportgen.errors import SetupError
from reportgen.execution import pool
from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import execute
from reportgen.study.schema.value_types import FailureLimit
from tests.execution.faulty import setup_of, small

HERE = Path(__file__).parent / "programs"
ENDS = ("{learn}", "{test}", "{predictions}", "{seed}", "{task}")
MEASURES = ("misclassification", "brier", "fit-time", "time", "model-size", "fit-memory")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with the program, apart from the one for temporary files."""
    shutil.copy(HERE / "program.py", tmp_path)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


def _program(folder: Path, behaviour: str = "plain", form: FileFormat = "csv") -> Candidate:
    words = (sys.executable, "-S", "program.py", behaviour, *ENDS)
    return program_candidate("p", words, folder, form)


def _outcome(folder: Path, behaviour: str, *measures: str) -> Outcome:
    setup = setup_of(_program(folder, behaviour), measures=measures or ("misclassification",))
    return Experiment.of(setup)(Cell("small", 1, "p"))


def test_a_program_predicts_what_the_same_rule_predicts_here(folder: Path) -> None:
    from tests.execution.faulty import MAJORITY

    setup = setup_of(MAJORITY, measures=("misclassification",))
    own = Experiment.of(setup)(Cell("small", 1, "majority"))
    outcome = _outcome(folder, "plain", *MEASURES)
    assert outcome.values["misclassification"] == own.values["misclassification"]
    assert set(outcome.values) == {"misclassification", "time"}  # nothing that is not known
    assert outcome.values["time"] > 0.001  # of a process of its own
    assert "the time of both" in outcome.missing["fit-time"]
    assert "no class probabilities" in outcome.missing["brier"]
    assert not list((folder / "temporary").iterdir())


def test_what_reaches_a_program_is_files_seed_and_task_alone(folder: Path) -> None:
    frame = pd.DataFrame({"$(touch x)": [1.0, 2.0] * 10, "response": ["a;b", "c d"] * 10})
    estimator = _program(folder, "facts").build("classification", 2**31 + 5)
    estimator.fit(frame, np.array([0, 1] * 10))
    estimator.predict(frame)
    facts = (folder / "facts.txt").read_text(encoding="utf-8").split("\n")
    work, own, seed, task, first, second, last, *words = facts
    assert (Path(work), seed, task) == (folder, "5", "classification")  # R takes no seed from 2**31
    assert Path(own).parent == folder / "temporary"
    assert (first, second, last) == ("$(touch x)", "response_", "response")
    assert words[2:5] == [f"{own}/{name}.csv" for name in ("learn", "test", "predictions")]
    assert "touch" not in " ".join(words)
    assert not (folder / "x").exists()


def test_probabilities_go_by_the_numbers_of_the_classes(folder: Path) -> None:
    estimator = _program(folder, "probabilities").build("classification", 1)
    data = small()
    estimator.fit(data.inputs, data.response)
    assert estimator.predict(data.inputs).tolist() == [0.0] * data.n
    outcome = _outcome(folder, "probabilities", "misclassification", "brier")
    sample = Experiment.of(setup_of(_program(folder))).replicate("small", 1).sample
    truth = data.response[sample.test]
    assert outcome.values["brier"] == pytest.approx(np.mean((truth - 0.25) ** 2), abs=1e-12)


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("fails", "ended with exit code 3: …x"),
        ("dies", "ended by SIGABRT"),
        ("silent", "has written no predictions"),
        ("short", "predictions, not "),
        ("words", "are not numbers (columns prediction)"),
        ("other", "found 'forecast' in the program's predictions; allowed prediction, or"),
    ],
)
def test_what_goes_wrong_is_a_failure_with_its_reason(
    folder: Path, behaviour: str, said: str
) -> None:
    outcome = _outcome(folder, behaviour)
    assert (outcome.status, outcome.stage) == ("failed", "predict")
    assert said in outcome.message
    if behaviour == "fails":
        assert outcome.message.endswith("the matrix is singular")
    assert not list((folder / "temporary").iterdir())


def test_what_a_program_writes_without_end_takes_no_disk(folder: Path) -> None:
    outcome = _outcome(folder, "talks")
    assert "exit code 3: …x" in outcome.message
    assert outcome.message.endswith("x in the end")
    assert int((folder / "size.txt").read_text(encoding="ascii")) < 10**5  # of 20 MB of errors


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs an account of processes")
def test_what_a_program_leaves_behind_is_ended(folder: Path) -> None:
    assert _outcome(folder, "leaves").status == "ok"
    assert _is_gone(int((folder / "child.txt").read_text(encoding="ascii")))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_a_program_that_hangs_ends_with_its_children_and_files(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # only the workers' folders: the path of a socket, which lies there too, may not be long
    own = partial(tempfile.mkdtemp, dir=folder / "temporary")
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(pool, "mkdtemp", own)
    setup = setup_of(
        _program(folder, "hangs"),
        replications=1,
        timeout=3.0,
        max_failures=FailureLimit(share=1.0),
    )
    warehouse = execute(setup, executor=ProcessExecutor(1))
    assert set(warehouse.frame["status"]) == {"timed-out"}
    assert _is_gone(int((folder / "child.txt").read_text(encoding="ascii")))
    assert not list((folder / "temporary").iterdir())


def _is_gone(pid: int) -> bool:
    for _ in range(1000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
        except OSError:
            return True
        if state.split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


def test_the_definition_changes_with_the_files_of_the_command_alone(folder: Path) -> None:
    definition = _program(folder).definition("classification")
    (folder / "data.csv").write_text("a\n1\n", encoding="utf-8")
    moved = folder / "elsewhere"
    moved.mkdir()
    shutil.copy(folder / "program.py", moved)
    assert _program(folder).definition("classification") == definition
    assert _program(moved).definition("classification") == definition
    assert _program(folder, "facts").definition("classification") != definition
    with (folder / "program.py").open("a", encoding="utf-8") as file:
        file.write("\n# another\n")
    assert _program(folder).definition("classification") != definition


def test_programs_and_files_that_are_not_there_are_told_of(folder: Path) -> None:
    with pytest.raises(SetupError, match="'no-such-program', which is not there"):
        program_candidate("p", ("no-such-program", *ENDS), folder)
    with pytest.raises(SetupError, match=r"'functions\.R', which is not there"):
        program_candidate("p", (sys.executable, *ENDS), folder, files=("functions.R",))
    with pytest.raises(SetupError, match=r"'progam\.py', which .*did you mean 'program\.py'"):
        program_candidate("p", (sys.executable, "progam.py", *ENDS), folder)


def test_samples_in_parquet_keep_gaps_and_categories(tmp_path: Path) -> None:
    inputs = pd.DataFrame(
        {"x": [1.5, np.nan], "c": pd.Categorical(["b", None], categories=["b", "a"])}
    )
    write_sample(tmp_path / "learn.parquet", inputs, np.array([1, 0]))
    table = pd.read_parquet(tmp_path / "learn.parquet")
    assert list(table) == ["x", "c", "response"]
    assert table["c"].tolist()[:1] == ["b"]
    assert table["c"].isna().tolist() == [False, True]
    pd.DataFrame({"prediction": [1.0, 0.5]}).to_parquet(tmp_path / "predictions.parquet")
    answer = read_answer(tmp_path / "predictions.parquet", 2, "regression")
    assert answer.predicted.tolist() == [1.0, 0.5]


def test_row_names_and_an_x_before_numbers_are_forgiven(tmp_path: Path) -> None:
    path = tmp_path / "predictions.csv"
    path.write_text('"","X0","X2"\n"1",0.1,0.9\n"2",0.6,0.4\n', encoding="utf-8")
    answer = read_answer(path, 2, "classification")
    assert answer.predicted.tolist() == [2.0, 0.0]
    assert answer.classes.tolist() == [0, 2]
    path.write_text("1,X1\n0.5,0.5\n", encoding="utf-8")
    with pytest.raises(ValueError, match="a class twice"):
        read_answer(path, 1, "classification")


@pytest.mark.rscript
def test_a_candidate_in_r() -> None:
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed")
    words = ("Rscript", "least_squares.R", *ENDS[:4])
    in_r = program_candidate("r", words, HERE, "csv").build("classification", 7)
    iris = find_dataset("iris")
    rows = np.random.default_rng(1).permutation(iris.n)
    learn, test = rows[:100], rows[100:]
    in_r.fit(iris.inputs.iloc[learn], iris.response[learn])
    X = np.column_stack([np.ones(iris.n), iris.inputs.to_numpy()])
    indicators = np.eye(3)[iris.response[learn]]
    fitted = X[test] @ np.linalg.lstsq(X[learn], indicators, rcond=None)[0]
    assert in_r.predict(iris.inputs.iloc[test]).tolist() == fitted.argmax(axis=1).tolist()
