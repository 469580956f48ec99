"""Outcomes of runs in files of trackers: what has not ended by itself is missing, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen as rg
from reportgen.errors import ExchangeError
from reportgen.exchange.objects import object_table
from reportgen.exchange.statuses import outcome_of, status_of
from reportgen.exchange.tidy import read_results
from reportgen.warehouse import Warehouse
from tests.exchange.forms import in_turn


@pytest.fixture
def runs() -> pd.DataFrame:
    """Return runs as a tracker lists them, with a last logged value also of those that crashed."""
    rng = np.random.default_rng(4)
    names = [("adult", "kc1"), ("mlp", "xgb"), range(4)]
    table = pd.MultiIndex.from_product(names, names=["dataset", "model", "seed"]).to_frame(False)
    return table.assign(**{"test/acc": rng.uniform(0.6, 0.9, len(table)), "State": "finished"})


def _read(table: pd.DataFrame, folder: Path, kind: str = "csv", **columns: Any) -> Warehouse:
    if kind == "frame":
        return read_results(object_table(table), columns=columns)
    path = folder / f"runs.{kind}"
    (table.to_csv if kind == "csv" else table.to_parquet)(path, index=False)
    return read_results(path, columns=columns)


@pytest.mark.parametrize(
    ("word", "status"),
    [
        *((word, "ok") for word in ("finished", "FINISHED", "COMPLETE", "COMPLETED", "TERMINATED")),
        *((word, "failed") for word in ("crashed", "FAILED", "FAIL", "ERROR", "OUT_OF_MEMORY")),
        ("diverged", "failed"),
        *(
            (word, "skipped")
            for word in ("killed", "KILLED", "PRUNED", "RUNNING", "CANCELLED by 9")
        ),
        *((word, "timed-out") for word in ("TIMEOUT", "timed-out")),
        *((word, None) for word in ("", "Ohio", "finished it", "0.3")),
    ],
)
def test_words_of_trackers(word: str, status: str | None) -> None:
    assert status_of(word) == status


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("column", ["State", "status", "state"])
@pytest.mark.parametrize("word", ["crashed", "FAILED", "PRUNED", "RUNNING"])
def test_a_run_without_an_end_has_no_result(
    word: str, column: str, kind: str, runs: pd.DataFrame, tmp_path: Path
) -> None:
    table = runs.rename(columns={"State": column})
    table.loc[5, column] = word
    found = _read(table, tmp_path, kind)
    frame = found.frame.astype({"dataset": str, "candidate": str})
    lost = frame[frame["value"].isna()]
    expected = [runs.loc[5, ["dataset", "model"]].tolist()]
    assert lost[["dataset", "candidate"]].to_numpy().tolist() == expected
    own = found.failures.iloc[0]
    assert (own["candidate"], own["message"]) == (expected[0][1], f"{column}: {word}")
    assert len(found.failures) == 1
    kept = frame[frame["value"].notna()].set_index(["dataset", "candidate", "replication"])["value"]
    values = runs.drop(index=5).set_index(["dataset", "model", "seed"])["test/acc"]
    assert sorted(kept) == pytest.approx(sorted(values))


def test_a_run_that_was_done_again_counts_once(runs: pd.DataFrame, tmp_path: Path) -> None:
    again = runs.iloc[[2]].assign(State="crashed", **{"test/acc": 0.1})
    found = _read(pd.concat([again, runs], ignore_index=True), tmp_path)
    pd.testing.assert_frame_equal(found.frame, _read(runs, tmp_path).frame)
    crashes = [runs.iloc[[2]].assign(State=word) for word in ("crashed", "FAILED", "killed")]
    lost = _read(pd.concat([runs.drop(index=2), *crashes], ignore_index=True), tmp_path)
    assert len(lost.frame) == len(runs)
    assert lost.failures["message"].tolist() == ["State: killed"]
    twice = pd.concat([runs.iloc[[2]], runs], ignore_index=True)
    with pytest.raises(ExchangeError, match="a second time"):
        _read(twice, tmp_path)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("column", ["State", "state", "status"])
def test_a_run_without_a_word_is_told_by_its_value(
    column: str, kind: str, runs: pd.DataFrame, tmp_path: Path
) -> None:
    table = runs.rename(columns={"State": column})
    table.loc[[1, 4], column] = None
    table.loc[4, "test/acc"] = np.nan
    found = _read(table, tmp_path, kind)
    lost = found.frame[found.frame["value"].isna()]
    assert lost[["dataset", "candidate"]].to_numpy().tolist() == [["adult", "xgb"]]
    assert lost["status"].tolist() == ["failed"]
    assert found.failures.empty
    empty = _read(table.assign(**{column: None}), tmp_path, "csv")
    pd.testing.assert_series_equal(empty.frame["value"], found.frame["value"])


@pytest.mark.parametrize("name", ["Runtime", "duration"])
def test_how_long_a_run_was_open_is_a_result_where_it_is_named_alone(
    name: str, runs: pd.DataFrame, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A slash is in many names; the columns of a tracker are its own."""
    caplog.set_level("INFO")
    table = runs.drop(columns="State").assign(**{name: 700 + np.arange(len(runs)) ** 1.1})
    more = {"_step": 99, "run_id": range(len(runs)), "params.depth": 3}
    for own in (table, *(table.assign(**{mark: cells}) for mark, cells in more.items())):
        assert [m.name for m in _read(own, tmp_path).measures] == ["test/acc"]
        assert f"{name} (how long a run was open" in caplog.text
        caplog.clear()
    alone = _read(table.drop(columns="test/acc"), tmp_path)
    assert [m.name for m in alone.measures] == [name]
    frame = table.rename(columns={"test/acc": "accuracy"})
    named = rg.compare(frame, measures=["accuracy", name], better={name: "smaller"})
    assert named.measures == ("accuracy", name)


BAD = (2, 5)  # rows of runs that have not ended well, with a last value beside


def _cells(runs: pd.DataFrame, good: object, bad: object) -> list[object]:
    return [bad if row in BAD else good for row in range(len(runs))]


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [
        ("run_status", "finished", "crashed"),
        ("JobStatus", "COMPLETED", "OUT_OF_MEMORY"),
        ("trial_status", "TERMINATED", "ERROR"),
        ("exit_code", 0, 137),
        ("ExitCode", "0:0", "0:9"),
        ("returncode", 0.0, -9.0),
    ],
)
def test_outcomes_are_read_by_the_end_of_the_name(
    column: str, good: object, bad: object, kind: str, runs: pd.DataFrame, tmp_path: Path
) -> None:
    table = runs.drop(columns="State").assign(**{column: _cells(runs, good, bad)})
    found = _read(table, tmp_path, kind)
    assert [m.name for m in found.measures] == ["test/acc"]
    assert found.frame["value"].isna().sum() == len(BAD)
    assert len(found.failures) == len(BAD)
    assert found.failures["message"].iloc[0].startswith(f"{column}: ")
    both = table.assign(State=runs["State"])  # words come before codes
    if column in ("exit_code", "ExitCode", "returncode"):
        assert not _read(both, tmp_path, kind).frame["value"].isna().any()


@pytest.mark.parametrize(
    ("column", "good", "bad", "kind"),
    in_turn(
        [
            ("outcome", "ok", "diverged"),
            ("result", "success", "failed"),
            ("termination", "done", "oom"),
            ("remark", "finished", "killed"),
            ("job_state", "odd", "failed"),
            ("early_stop_state", "completed", "stopped"),
            ("solver_status", "ok", "timeout"),
            ("error", None, "CUDA is out of memory"),
            ("traceback", "", "line 3\nValueError"),
            ("success", True, False),
            ("has_failed", False, True),
        ],
        ["csv", "frame"],
    ),
)
def test_what_may_be_outcomes_of_runs_with_results_is_asked_for(
    column: str, good: object, bad: object, kind: str, runs: pd.DataFrame, tmp_path: Path
) -> None:
    table = runs.drop(columns="State").assign(**{column: _cells(runs, good, bad)})
    with pytest.raises(ExchangeError, match=f"the column {column}, by which 2 runs with a result"):
        _read(table, tmp_path, kind)
    plain = _read(runs.drop(columns="State"), tmp_path, kind)
    for other in (
        _read(table, tmp_path, kind, ignore=column),
        _read(table.assign(**{column: good}), tmp_path, kind),
    ):
        pd.testing.assert_frame_equal(other.frame, plain.frame)
    if good != "odd":
        told = _read(table, tmp_path, kind, status=column)
        assert told.frame["value"].isna().sum() == len(told.failures) == len(BAD)
    lost = table.assign(**{"test/acc": runs["test/acc"].where(~runs.index.isin(BAD))})
    assert _read(lost, tmp_path, kind).frame["value"].isna().sum() == len(BAD)


@pytest.mark.parametrize(
    ("column", "good", "bad"),
    [
        ("marital_status", "single", "married"),
        ("remark", "failed at first", "failed twice"),
        ("phase", "done", "complete"),
        ("is_odd", True, False),
        ("early_stopped", False, True),
        ("verdict", "pass", "close"),
    ],
)
def test_other_words_are_notes(
    column: str, good: object, bad: object, runs: pd.DataFrame, tmp_path: Path
) -> None:
    table = runs.drop(columns="State").assign(**{column: _cells(runs, good, bad)})
    found = _read(table, tmp_path)
    pd.testing.assert_frame_equal(found.frame, _read(runs, tmp_path).frame)


def test_numbers_may_be_outcomes_where_their_name_says_so(
    runs: pd.DataFrame, tmp_path: Path
) -> None:
    table = runs.drop(columns="State").assign(failed=_cells(runs, 0, 1))
    with pytest.raises(ExchangeError, match="the column failed, by which 2 runs with a result"):
        _read(table, tmp_path)
    assert _read(table, tmp_path, status="failed").frame["value"].isna().sum() == len(BAD)
    with pytest.raises(ExchangeError, match="the measure 'failed' of unknown direction"):
        _read(table.assign(failed=runs.index**0.5), tmp_path)


def test_marks_of_items_are_their_scores(tmp_path: Path) -> None:
    items = pd.DataFrame(
        [("x", i, m, i % 2, "success" if i % 2 else "failure") for i in range(9) for m in "ab"],
        columns=["task", "item", "model", "score", "result"],
    )
    assert not _read(items, tmp_path).frame["value"].isna().any()


def test_what_the_cells_of_a_column_mean() -> None:
    assert outcome_of("True", "not_failed") is None
    assert outcome_of("2", "success") is None
    assert outcome_of("1", "rc") is None
    assert outcome_of("True", "early_stopped") is None


@pytest.mark.parametrize(
    "name", ["Duration (s)", "elapsed_seconds", "wall_clock", "wall-clock time", "run_duration"]
)
def test_how_long_a_run_was_open_goes_by_the_words_of_the_name(
    name: str, runs: pd.DataFrame, tmp_path: Path
) -> None:
    frame = runs.drop(columns="State").rename(columns={"test/acc": "accuracy"})
    table = frame.assign(**{name: 700 + np.arange(len(runs)) ** 1.1})
    assert [m.name for m in _read(table, tmp_path).measures] == ["accuracy"]
    kept = frame.assign(**{"train_time": 700 + np.arange(len(runs)) ** 1.1})
    assert [m.name for m in _read(kept, tmp_path).measures] == ["accuracy", "fit-time"]


def test_other_states_are_text_and_another_status_is_asked_for(
    runs: pd.DataFrame, tmp_path: Path
) -> None:
    assert not _read(runs.assign(State="Ohio"), tmp_path).frame["value"].isna().any()
    with pytest.raises(ExchangeError, match="column status: found 'Ohio'; allowed ok, failed"):
        _read(runs.rename(columns={"State": "status"}).assign(status="Ohio"), tmp_path)
    with pytest.raises(ExchangeError, match="column State: found 'Ohio'"):
        _read(runs.assign(State="Ohio"), tmp_path, status="State")


@pytest.mark.parametrize(
    "names",
    [
        {"dataset": "params.dataset", "model": "params.model", "seed": "params.seed"},
        {"dataset": "data.name", "model": "model.name"},
        {"dataset": "config/dataset", "model": "config/model", "seed": "config/seed"},
    ],
)
def test_settings_of_trackers_name_the_runs(
    names: dict[str, str], runs: pd.DataFrame, tmp_path: Path
) -> None:
    more = {"params.lr": np.arange(len(runs)) % 3, "tags.mlflow.user": "anna"}
    found = _read(runs.rename(columns=names).assign(**more), tmp_path)
    pd.testing.assert_frame_equal(found.frame, _read(runs, tmp_path).frame)


def test_results_of_test_samples_come_before_others(runs: pd.DataFrame, tmp_path: Path) -> None:
    noise = np.random.default_rng(1).random(len(runs))
    more = {"train/loss": noise, "val/acc": noise, "_step": 99, "Runtime": 700 + 9 * noise}
    found = _read(runs.assign(**more), tmp_path)
    assert [m.name for m in found.measures] == ["test/acc"]
    rest = _read(runs.assign(**more).drop(columns="test/acc"), tmp_path)
    assert [m.name for m in rest.measures] == ["val/acc"]
    named = runs.rename(columns={"test/acc": "metrics.test_acc"})
    found = _read(named.assign(**{"metrics.train_loss": noise, "elapsed": noise}), tmp_path)
    assert [m.name for m in found.measures] == ["test_acc"]


def test_an_identifier_of_runs_is_no_replication(runs: pd.DataFrame, tmp_path: Path) -> None:
    ids = [f"{7919 * (i + 1):032x}" for i in range(len(runs))]
    for name, cells in (("run_id", ids), ("Run ID", range(len(runs)))):
        found = _read(runs.assign(**{name: cells}), tmp_path)
        pd.testing.assert_frame_equal(found.frame, _read(runs, tmp_path).frame)


def test_trials_of_a_search_are_no_replications(runs: pd.DataFrame, tmp_path: Path) -> None:
    names = {
        "test/acc": "value",
        "model": "params_model",
        "seed": "user_attrs_fold",
        "State": "state",
    }
    trials = runs[runs["dataset"] == "adult"].drop(columns="dataset").rename(columns=names)
    trials = trials.assign(number=range(len(trials)))
    for kind in ("csv", "frame"):
        with pytest.raises(ExchangeError, match="trials of a search by Optuna, which are no repli"):
            _read(trials, tmp_path, kind)
