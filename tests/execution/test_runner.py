"""Whole executions: the same whoever works, resumed, interrupted, failing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.candidates.candidate import Build
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.errors import ExecutionError
from reportgen.execution import runner
from reportgen.execution.pool import ProcessExecutor, SerialExecutor, Work
from reportgen.execution.runner import carry_out, execute, plan_execution
from reportgen.execution.worker import LostTask
from reportgen.report import MeasuredWith
from reportgen.study.resampling import Resampling
from reportgen.study.schema.value_types import FailureLimit
from reportgen.study.setup import Setup
from reportgen.warehouse import Warehouse
from reportgen.warehouse.files import read_warehouse
from tests.execution import faulty
from tests.execution.faulty import GUESSER, MAJORITY, candidate, setup_of, small

SERIAL = SerialExecutor()
PLENTY = 2**30  # bytes, for one fit
TIMES = {"fit-time", "predict-time", "time"}


class Counting:
    """Does the tasks in this process, counts them, and may stop in the middle."""

    memory: int | None = None

    def __init__(self, stop_after: int | None = None, *, backwards: bool = False) -> None:
        self.n_done = 0
        self._stop_after = stop_after
        self._backwards = backwards

    def run(
        self, work: Work, tasks: Iterable, timeout: float | None = None, output: object = None
    ) -> Generator[tuple[object, object | LostTask], None, None]:
        for task in reversed(list(tasks)) if self._backwards else tasks:
            if self.n_done == self._stop_after:
                raise KeyboardInterrupt
            yield task, work(task)
            self.n_done += 1


def _performances(warehouse: Warehouse) -> pd.DataFrame:
    """Return all that must not depend on the machine."""
    frame = warehouse.frame
    return frame[~frame["measure"].isin(TIMES)].reset_index(drop=True)


def _part(warehouse: Warehouse, dataset: str, candidate: str) -> list[float]:
    frame = warehouse.frame
    rows = frame[(frame["dataset"] == dataset) & (frame["candidate"] == candidate)]
    return rows.sort_values("replication")["value"].tolist()


def _real_setup(replications: int = 4) -> Setup:
    return setup_of(
        *(find_candidate(name) for name in ("lda", "knn", "nnet")),
        datasets=(find_dataset("monks3"), find_dataset("iris")),
        replications=replications,
        measures=("misclassification", "fit-time"),
    )


def test_any_number_of_workers_gives_the_same_performances() -> None:
    setup = _real_setup()
    one = _performances(execute(setup, executor=SERIAL))
    for n_workers in (1, 3):
        several = execute(setup, executor=ProcessExecutor(n_workers))
        pd.testing.assert_frame_equal(_performances(several), one)
    assert one["value"].notna().all()
    assert one.groupby("candidate", observed=True)["value"].nunique().min() > 1


def test_the_order_of_work_changes_nothing() -> None:
    setup = setup_of(MAJORITY, GUESSER, datasets=(small(), small("other", 30)))
    forwards = execute(setup, executor=Counting())
    backwards = execute(setup, executor=Counting(backwards=True))
    pd.testing.assert_frame_equal(forwards.frame, backwards.frame)


def test_a_further_candidate_or_data_set_changes_nothing_else() -> None:
    alone = execute(setup_of(GUESSER), executor=SERIAL)
    crowd = setup_of(MAJORITY, GUESSER, datasets=(small("other", 30), small()), replications=7)
    together = execute(crowd, executor=SERIAL)
    assert _part(together, "small", "guesser")[:5] == _part(alone, "small", "guesser")
    assert _part(together, "other", "guesser")[:5] != _part(alone, "small", "guesser")


def test_the_warehouse_holds_the_design() -> None:
    setup = setup_of(
        MAJORITY,
        GUESSER,
        measures=("time", "misclassification"),
        resampling=Resampling("subsampling", 3, 0.75),
    )
    warehouse = execute(setup, executor=SERIAL)
    assert warehouse.candidates == ("majority", "guesser")
    assert [measure.name for measure in warehouse.measures] == ["time", "misclassification"]
    assert warehouse.problem == "real-world"
    assert warehouse.resampling == {
        "scheme": "subsampling",
        "replications": 3,
        "fraction": 0.75,
    }
    performances = warehouse.performances("small", "misclassification")
    assert performances.values.shape == (3, 2)
    assert performances.replications.tolist() == [1, 2, 3]
    assert performances.n_learn.tolist() == performances.n_distinct.tolist() == [30] * 3
    assert performances.n_test.tolist() == [10] * 3


def test_what_is_stored_is_what_is_returned(tmp_path: Path) -> None:
    warehouse = execute(_real_setup(2), tmp_path, SERIAL)
    stored = read_warehouse(tmp_path)
    pd.testing.assert_frame_equal(stored.frame, warehouse.frame)
    assert stored.measures == warehouse.measures


def test_only_what_is_missing_is_measured(tmp_path: Path) -> None:
    setup = setup_of(MAJORITY, GUESSER, measures=("misclassification", "time"))
    first = execute(setup, tmp_path, SERIAL)
    again = Counting()
    pd.testing.assert_frame_equal(execute(setup, tmp_path, again).frame, first.frame)
    assert again.n_done == 0
    fresh = Counting()
    execute(setup, tmp_path, fresh, fresh=True)
    assert fresh.n_done == 10


@pytest.mark.parametrize(
    ("change", "n_fits"),
    [
        ({"candidates": (MAJORITY, GUESSER, replace(GUESSER, name="third"))}, 5),
        ({"datasets": (small(), small("other"))}, 10),
        ({"datasets": (small(n=39),)}, 10),
        ({"resampling": Resampling("bootstrap", 8)}, 6),
        ({"resampling": Resampling("bootstrap", 3)}, 0),
        ({"resampling": Resampling("bootstrap", 5, stratify=True)}, 10),
        ({"candidates": (MAJORITY, replace(GUESSER, build=faulty.build_majority))}, 5),
        ({"seed": 2}, 10),
        ({"name": "renamed"}, 0),
        ({"measures": setup_of(measures=("misclassification", "accuracy")).measures}, 10),
    ],
)
def test_a_changed_study_measures_what_changed(
    tmp_path: Path, change: dict[str, object], n_fits: int
) -> None:
    setup = setup_of(MAJORITY, GUESSER)
    execute(setup, tmp_path, SERIAL)
    changed = replace(setup, **change)
    assert len(plan_execution(changed, tmp_path).missing) == n_fits
    counting = Counting()
    resumed = execute(changed, tmp_path, counting)
    assert counting.n_done == n_fits
    pd.testing.assert_frame_equal(
        _performances(resumed), _performances(execute(changed, executor=SERIAL))
    )


def test_an_interrupted_execution_goes_on_where_it_stopped(tmp_path: Path) -> None:
    setup = setup_of(MAJORITY, GUESSER)
    with pytest.raises(KeyboardInterrupt):
        execute(setup, tmp_path, Counting(stop_after=3))
    assert len(plan_execution(setup, tmp_path).missing) == 7
    rest = Counting()
    resumed = execute(setup, tmp_path, rest)
    assert rest.n_done == 7
    pd.testing.assert_frame_equal(resumed.frame, execute(setup, executor=SERIAL).frame)


def test_progress_counts_what_was_done_before(tmp_path: Path) -> None:
    setup = setup_of(MAJORITY, GUESSER)
    with pytest.raises(KeyboardInterrupt):
        execute(setup, tmp_path, Counting(stop_after=8))
    calls: list[tuple[int, int]] = []
    execute(setup, tmp_path, SERIAL, lambda done, total: calls.append((done, total)))
    assert calls == [(8, 10), (9, 10), (10, 10)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("build", "status", "message"),
    [
        (faulty.build_raises, "failed", "ArithmeticError: no pivot"),
        (faulty.build_dies, "failed", "ended with exit code 3"),
        (faulty.build_crashes, "failed", "ended by SIGSEGV"),
        (faulty.build_is_killed, "failed", "ended by SIGKILL"),
        (faulty.build_hangs, "timed-out", "took longer than 1 s"),
    ],
)
def test_a_candidate_that_breaks_costs_its_own_cells(
    tmp_path: Path, build: object, status: str, message: str
) -> None:
    bad = candidate("bad", build)
    setup = setup_of(bad, GUESSER, replications=2, timeout=1.0, memory=PLENTY)
    warehouse = execute(setup, tmp_path, ProcessExecutor(2, PLENTY, patience=1.0))
    alone = execute(setup_of(GUESSER, replications=2), executor=SERIAL)
    assert _part(warehouse, "small", "guesser") == _part(alone, "small", "guesser")
    frame = warehouse.frame[warehouse.frame["candidate"] == "bad"]
    assert frame["status"].tolist() == [status] * 2
    assert frame["value"].isna().all()
    assert (frame["n_test"] > 0).all()
    failures = warehouse.failures
    assert (
        failures[["candidate", "stage", "status"]].to_numpy().tolist()
        == [["bad", "fit", status]] * 2
    )
    assert failures["message"].str.contains(message).all()
    assert not plan_execution(setup, tmp_path).missing


@pytest.mark.slow
def test_a_longer_timeout_gives_a_second_chance(tmp_path: Path) -> None:
    slow = candidate("slow", faulty.build_hangs)
    execute(setup_of(slow, replications=1, timeout=0.5), tmp_path, ProcessExecutor(1, patience=0.5))
    for timeout, n_missing in ((0.3, 0), (0.5, 0), (0.6, 1), (None, 1)):
        setup = setup_of(slow, replications=1, timeout=timeout)
        assert len(plan_execution(setup, tmp_path).missing) == n_missing


@pytest.mark.parametrize(
    ("build", "is_for_memory"),
    [
        (faulty.build_starves, True),
        (faulty.build_is_killed, True),
        (faulty.build_crashes, True),
        (faulty.build_dies, False),
        (faulty.build_raises, False),
    ],
)
def test_more_memory_gives_a_second_chance(
    tmp_path: Path, build: Build, is_for_memory: bool
) -> None:
    bad = candidate("bad", build)
    executor = ProcessExecutor(1, PLENTY)
    execute(setup_of(bad, replications=1, memory=PLENTY), tmp_path, executor)
    for memory, n_missing in ((PLENTY // 2, 0), (PLENTY, 0), (PLENTY + 1, int(is_for_memory))):
        setup = setup_of(bad, replications=1, memory=memory)
        assert len(plan_execution(setup, tmp_path).missing) == n_missing


def test_a_measure_that_lacked_memory_has_a_second_chance(tmp_path: Path) -> None:
    bad = candidate("bad", faulty.build_starves_later)
    setup = setup_of(bad, replications=1, measures=("misclassification", "brier"), memory=PLENTY)
    warehouse = execute(setup, tmp_path, ProcessExecutor(1, PLENTY))
    (message,) = warehouse.failures["message"]
    assert message.startswith("brier: MemoryError")
    assert not plan_execution(setup, tmp_path).missing
    more = replace(setup, execution=replace(setup.execution, memory_bytes=2 * PLENTY))
    assert len(plan_execution(more, tmp_path).missing) == 1


@pytest.mark.slow
def test_what_failed_is_done_again_where_that_is_asked_for(tmp_path: Path) -> None:
    slow, bad = candidate("slow", faulty.build_hangs), candidate("bad", faulty.build_raises)
    setup = setup_of(slow, bad, MAJORITY, replications=2, timeout=0.5)
    first = execute(setup, tmp_path, ProcessExecutor(2, patience=0.5))
    assert not plan_execution(setup, tmp_path).missing
    missing = plan_execution(setup, tmp_path, retry_failed=True).missing
    assert [cell.candidate for cell in missing] == ["slow", "bad"] * 2
    whole = replace(setup, candidates=(bad, MAJORITY))
    counting = Counting()
    again = execute(whole, tmp_path, counting, retry_failed=True)
    assert counting.n_done == 2
    assert _part(again, "small", "majority") == _part(first, "small", "majority")


def test_a_measure_that_fails_is_recorded_beside_the_others() -> None:
    setup = setup_of(
        candidate("silent", faulty.build_no_probabilities),
        replications=2,
        measures=("misclassification", "brier"),
        max_failures=FailureLimit(count=0),
    )
    warehouse = execute(setup, executor=SERIAL)
    assert warehouse.performances("small", "misclassification").is_complete.all()
    assert warehouse.performances("small", "brier").n_missing == 2
    assert warehouse.failures["stage"].tolist() == ["measure"] * 2
    assert warehouse.failures["message"].iloc[0].startswith("brier: the candidate gives no")


def test_too_many_failures_end_it_and_what_was_measured_is_stored(tmp_path: Path) -> None:
    bad = candidate("bad", faulty.build_raises)
    setup = setup_of(GUESSER, bad, replications=10, max_failures=FailureLimit(count=2))
    counting = Counting()
    with pytest.raises(ExecutionError, match="3 of 20 fits failed, more than the 2") as caught:
        execute(setup, tmp_path, counting)
    said = str(caught.value)
    assert "; first bad on small, replication 1, at fit: ArithmeticError: no pivot (" in said
    assert "`reportgen report`" in said
    assert "--set execution.max_failures=100%" in said
    assert caught.value.exit_code == 3
    statuses = read_warehouse(tmp_path).frame["status"].value_counts()
    n_done = counting.n_done + 1  # the one that broke the limit was not asked for again
    assert statuses["failed"] == 3
    assert statuses["ok"] == n_done - 3
    assert statuses["skipped"] == 20 - n_done > 0
    assert f"so that the other {20 - n_done} were not begun" in said


def test_a_broken_limit_stays_broken_until_it_is_raised(tmp_path: Path) -> None:
    bad = candidate("bad", faulty.build_raises)
    setup = setup_of(GUESSER, bad, replications=10, max_failures=FailureLimit(count=2))
    for n_fits in (1, 0):
        counting = Counting()
        with pytest.raises(ExecutionError, match="more than the 2"):
            execute(setup, tmp_path, counting)
        assert (counting.n_done > 0) == (n_fits > 0)
    tolerant = setup_of(GUESSER, bad, replications=10)
    n_missing = len(plan_execution(tolerant, tmp_path).missing)
    counting = Counting()
    whole = execute(tolerant, tmp_path, counting)
    assert 0 < counting.n_done == n_missing < 20
    assert set(whole.frame["status"]) == {"ok", "failed"}


def test_it_goes_on_while_the_limit_can_be_kept(tmp_path: Path) -> None:
    bad = candidate("bad", faulty.build_raises)
    setup = setup_of(bad, GUESSER, replications=10, max_failures=FailureLimit(share=0.5))
    counting = Counting()
    execute(setup, tmp_path, counting)
    assert counting.n_done == 20
    more = setup_of(bad, GUESSER, replications=12, max_failures=FailureLimit(count=10))
    with pytest.raises(ExecutionError, match="11 of 24"):
        execute(more, tmp_path, Counting())  # ten failed before


def test_failures_that_are_done_again_do_not_count(tmp_path: Path) -> None:
    bad = candidate("bad", faulty.build_raises)
    execute(setup_of(bad, GUESSER), tmp_path, SERIAL)
    strict = setup_of(bad, GUESSER, max_failures=FailureLimit(count=4))
    counting = Counting()
    with pytest.raises(ExecutionError, match="5 of 10 fits failed"):
        execute(strict, tmp_path, counting, retry_failed=True)
    assert counting.n_done == 4  # and a fifth, with which the limit broke


def test_it_is_counted_what_was_measured_with_which_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {"Python": "3.11", "numpy": "2.1.0"}
    monkeypatch.setattr(runner, "measuring_versions", lambda: dict(versions))
    first = carry_out(setup_of(MAJORITY), tmp_path, SERIAL)
    assert first.measured_with == (MeasuredWith(versions, 5),)
    carry_out(setup_of(MAJORITY, replications=7), tmp_path, SERIAL)
    old = dict(versions)
    versions["numpy"] = "2.4.0"
    last = carry_out(setup_of(MAJORITY, GUESSER, replications=8), tmp_path, SERIAL)
    assert last.measured_with == (MeasuredWith(old, 7), MeasuredWith(versions, 9))
    assert (last.n_run, last.n_reused) == (9, 7)
    alone = carry_out(setup_of(GUESSER, replications=3), tmp_path, SERIAL)
    assert alone.measured_with == (MeasuredWith(versions, 3),)


def test_skipped_replications_are_no_failures() -> None:
    frame, labels = pd.DataFrame({"x": [0.0, 1.0, 2.0]}), pd.Series(["a", "b", "a"])
    tiny = DataSet.of("tiny", frame, labels, "classification", "")
    setup = setup_of(
        MAJORITY, datasets=(tiny,), replications=60, max_failures=FailureLimit(count=0)
    )
    warehouse = execute(setup, executor=SERIAL)
    statuses = set(warehouse.frame["status"])
    assert statuses == {"ok", "skipped"}
    assert set(warehouse.failures["stage"]) == {"sample"}


INTERRUPTED = """
import signal
from pathlib import Path
from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.runner import execute
from tests.execution import faulty

if __name__ == "__main__":
    hanging = faulty.candidate("hanging", faulty.build_hangs)
    setup = faulty.setup_of(faulty.MAJORITY, hanging, replications=3)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job has it ignored
    try:
        execute(setup, Path({folder!r}), ProcessExecutor(2))
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.slow
def test_an_interruption_leaves_a_journal_to_go_on_from(tmp_path: Path, root: Path) -> None:
    """As kills do, for which see test_kill.py."""
    script = tmp_path / "script.py"
    folder = tmp_path / "warehouse"
    script.write_text(INTERRUPTED.format(folder=str(folder)))
    process = subprocess.Popen(
        [sys.executable, str(script)],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    journal = folder / "journal"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (journal.exists() and b" [" in journal.read_bytes()):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    told, _ = process.communicate(timeout=120)
    assert told == "interrupted\n"
    assert process.returncode == 0
    setup = setup_of(MAJORITY, replications=3)
    missing = {cell.replication for cell in plan_execution(setup, folder).missing}
    assert len(missing) < 3
    resumed = execute(setup, folder, SERIAL)
    pd.testing.assert_frame_equal(resumed.frame, execute(setup, executor=SERIAL).frame)
