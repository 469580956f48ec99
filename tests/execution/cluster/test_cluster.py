"""Fits on a cluster of real worker processes: as on this machine, also when some vanish."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner

from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.cli import main
from reportgen.errors import ExecutionError
from reportgen.execution import cluster
from reportgen.execution.cluster import ClusterExecutor, check_address
from reportgen.execution.cluster.isolated_process import IsolatedProcess
from reportgen.execution.cluster.versions import check_versions
from reportgen.execution.pool import STARTS, ProcessExecutor, SerialExecutor, pickle_work
from reportgen.execution.runner import JOURNAL, execute, plan_execution
from reportgen.execution.worker import Limits, LostTask
from reportgen.study.setup import Setup
from reportgen.warehouse import Warehouse
from tests.execution import faulty
from tests.execution.deeds import Deeds
from tests.execution.faulty import GUESSER, candidate, setup_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


EXPECTED: dict[str, object] = {
    "exit": LostTask("failed", "the worker process ended with exit code 3"),
    "kill": LostTask(
        "failed",
        "the worker process was ended by SIGKILL (often for lack of memory)",
        may_lack_memory=True,
    ),
    "hang": LostTask("timed-out", "took longer than 1 s"),
    "raise": LostTask("failed", "LookupError: lost"),
    "threads": "1",
    "cold/1": "cold/1",
    "slow/1": "slow/1",
    "plain": "plain",
}


@pytest.fixture
def hand() -> Iterator[IsolatedProcess]:
    found = IsolatedProcess(pickle_work(Deeds()), Limits(2**28), 5.0)
    yield found
    found.end(by_force=True)


def test_a_hand_outlives_what_its_tasks_do(hand: IsolatedProcess) -> None:
    found = {task: hand.do(task, Deeds().kind(task), 1.0) for task in EXPECTED}
    assert found == EXPECTED


def test_the_files_of_a_hand_lie_in_a_folder_that_goes_with_it(hand: IsolatedProcess) -> None:
    folder = Path(hand.do("folder", "folder", None))
    assert folder.is_dir()
    assert folder != Path(gettempdir())
    assert isinstance(hand.do("kill", "kill", None), LostTask)
    assert not folder.exists()


def test_a_hand_keeps_to_its_memory(hand: IsolatedProcess) -> None:
    lost = hand.do(f"take/{2**30}", "take", None)
    assert isinstance(lost, LostTask)
    assert lost.may_lack_memory
    assert hand.do("take/1000", "take", None) == "1000"


def test_the_cluster_does_what_processes_here_do(scheduler: Any) -> None:
    executor = ClusterExecutor(scheduler.scheduler_address, patience=5.0)
    assert executor.n_workers == 2
    assert executor.facts["cluster"].startswith("Dask ")
    assert dict(executor.run(Deeds(), list(EXPECTED), 1.0)) == EXPECTED
    assert dict(ProcessExecutor(2, patience=5.0).run(Deeds(), list(EXPECTED), 1.0)) == EXPECTED


def _setup() -> Setup:
    return setup_of(
        *(find_candidate(name) for name in ("lda", "knn")),
        datasets=(find_dataset("iris"),),
        replications=40,
        measures=("misclassification", "fit-time"),
    )


def _performances(warehouse: Warehouse) -> pd.DataFrame:
    frame = warehouse.frame
    return frame[frame["measure"] != "fit-time"].reset_index(drop=True)


def test_the_same_performances_when_a_worker_is_killed(scheduler: Any, tmp_path: Path) -> None:
    """Nothing is lost: what it was at is done again, and the journal is whole."""
    victims = [worker.pid for worker in scheduler.workers.values()]
    seen: list[int] = []

    def progress(n_done: int, n_all: int) -> None:
        seen.append(n_done)
        if n_done == 5:
            os.kill(victims[0], signal.SIGKILL)

    executor = ClusterExecutor(scheduler.scheduler_address)
    there = execute(_setup(), tmp_path, executor, progress)
    here = execute(_setup(), executor=SerialExecutor())
    pd.testing.assert_frame_equal(_performances(there), _performances(here))
    assert here.frame["value"].notna().all()
    assert seen[-1] == 80
    assert (tmp_path / JOURNAL).exists()
    assert not plan_execution(_setup(), tmp_path, executor).missing


def test_results_that_vanish_with_their_worker_are_made_again(scheduler: Any) -> None:
    _wait_for(scheduler, 2)
    names = [f"quick/{i}" for i in range(16)]
    results = ClusterExecutor(scheduler.scheduler_address).run(Deeds(), names)
    found = [next(results)]  # the others are done meanwhile, and wait where they were done
    time.sleep(3)
    for worker in scheduler.workers.values():
        os.kill(worker.pid, signal.SIGKILL)
    time.sleep(1)
    found += results
    assert sorted(found) == sorted((name, name) for name in names)


def test_candidates_share_no_process_with_others_there_either(scheduler: Any) -> None:
    patches = candidate("patches", faulty.build_patches)
    others = (GUESSER, find_candidate("lda"))
    executor = ClusterExecutor(scheduler.scheduler_address)
    expected = execute(setup_of(*others, replications=10), executor=executor).frame
    found = execute(setup_of(patches, *others, replications=10), executor=executor).frame
    rest = found[found["candidate"] != "patches"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rest, expected.reset_index(drop=True), check_categorical=False)
    assert expected["value"].notna().all()


def test_closing_ends_what_is_under_way(scheduler: Any) -> None:
    executor = ClusterExecutor(scheduler.scheduler_address)
    results = executor.run(Deeds(), ["plain", "hang", "hang"])
    assert next(results) == ("plain", "plain")
    begin = time.monotonic()
    results.close()
    assert time.monotonic() - begin < 30
    assert dict(executor.run(Deeds(), ["again"])) == {"again": "again"}


def test_without_workers_it_gives_up(scheduler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    executor = ClusterExecutor(scheduler.scheduler_address)
    monkeypatch.setattr(cluster, "ALONE_SECONDS", 1.0)
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(cluster._Run, "_count", lambda self: 0)
    monkeypatch.setattr(cluster, "AHEAD", 0)
    monkeypatch.setattr(cluster._Run, "_submit", lambda self, most: 1)
    with pytest.raises(ExecutionError, match="all workers have been gone for 1 s"):
        list(executor.run(Deeds(), ["plain"]))


def test_other_versions_are_refused(scheduler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "installed_versions", lambda packages: {"numpy": "1.0"})
    with monkeypatch.context() as patch:
        patch.setattr(cluster, "_versions", lambda *_: {"tcp://a": {"numpy": "2.5"}})
        with pytest.raises(ExecutionError, match=r"numpy 2\.5 \(here 1\.0\) on tcp://a"):
            ClusterExecutor(scheduler.scheduler_address)
    late = ClusterExecutor.__new__(ClusterExecutor)
    late.address, late.memory, late.patience = scheduler.scheduler_address, None, 5.0
    late.modules, late.packages, late.ahead = {}, (), 1
    with pytest.raises(ExecutionError, match=r"\(here 1\.0\).* on tcp://"):
        list(late.run(Deeds(), ["plain"]))


@contextmanager
def _worker_with(scheduler: Any, package: Path | None) -> Iterator[None]:
    """Start one more worker of the cluster, which finds a package before the one that is here."""
    path = os.pathsep.join([*([str(package)] if package else []), str(ROOT.parent)])
    words = (
        "-P",
        "-m",
        "distributed.cli.dask_worker",
        scheduler.scheduler_address,
        "--no-dashboard",
    )
    process = subprocess.Popen(
        [sys.executable, *words, "--nthreads", "1", "--no-nanny", "--death-timeout", "60"],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _wait_for(scheduler: Any, n: int) -> None:
    end = time.monotonic() + 120
    while len(scheduler.scheduler.workers) != n:
        assert time.monotonic() < end
        time.sleep(0.1)


def _earlier(folder: Path) -> Path:
    """Make a package that is this one of an earlier version."""
    (folder / "reportgen").mkdir(parents=True)
    for path in (ROOT.parent / "reportgen").iterdir():
        (folder / "reportgen" / path.name).symlink_to(path)
    (folder / "reportgen" / "version.py").unlink()
    (folder / "reportgen" / "version.py").write_text('__version__ = "0.1.0"\n')
    return folder


def test_a_worker_of_another_version_of_reportgen_is_refused(bare: Any, tmp_path: Path) -> None:
    with _worker_with(bare, _earlier(tmp_path)):
        _wait_for(bare, 1)
        with pytest.raises(ExecutionError, match=r"reportgen 0\.1\.0 \(here .*\) on tcp://"):
            ClusterExecutor(bare.scheduler_address)


def test_such_a_worker_is_refused_when_it_joins_later(bare: Any, tmp_path: Path) -> None:
    with _worker_with(bare, None):
        _wait_for(bare, 1)
        results = ClusterExecutor(bare.scheduler_address).run(Deeds(), ["worker"] * 3_000)
        next(results)
        with (
            _worker_with(bare, _earlier(tmp_path)),
            pytest.raises(ExecutionError, match=r"reportgen 0\.1\.0 \(here .*\) on tcp://"),
        ):
            list(results)


def test_a_worker_without_our_modules_is_told(bare: Any, tmp_path: Path) -> None:
    (tmp_path / "reportgen").mkdir()
    (tmp_path / "reportgen" / "__init__.py").touch()
    with _worker_with(bare, tmp_path):
        _wait_for(bare, 1)
        words = r"the worker tcp://\S+ lacks this version of reportgen \(.*provenance.*\); install"
        with pytest.raises(ExecutionError, match=words):
            ClusterExecutor(bare.scheduler_address)


def test_a_process_that_is_killed_while_it_starts_starts_again(
    hand: IsolatedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, begun = subprocess.Popen, []

    def popen(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
        begun.append(words)
        ended = [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"]
        return start(ended if len(begun) <= n_killed else words, **options)

    monkeypatch.setattr("subprocess.Popen", popen)
    n_killed = STARTS - 1
    assert hand.do("plain", "plain", None) == "plain"
    assert len(begun) == STARTS
    hand.end(by_force=True)
    begun.clear()
    n_killed = STARTS
    with pytest.raises(ExecutionError, match=r"the workers cannot start: .*SIGKILL"):
        hand.do("plain", "plain", None)
    assert len(begun) == STARTS


@pytest.mark.parametrize("n_lost", [STARTS - 1, STARTS])
def test_a_worker_may_end_while_all_get_a_run(n_lost: int) -> None:
    tried = []

    class Client:
        def register_plugin(self, processes: object, name: str) -> None:
            tried.append(name)
            if len(tried) <= n_lost:
                raise ConnectionError("closed")

    if n_lost == STARTS:
        with pytest.raises(ExecutionError, match="the scheduler has left"):
            cluster._register(Client(), None, "run")
    else:
        cluster._register(Client(), None, "run")
    assert len(tried) == STARTS


@dataclass
class Answered:
    """A future that is done at once."""

    found: tuple[list[str], float] | None

    @property
    def status(self) -> str:
        return "error" if self.found is None else "finished"

    def result(self, timeout: float) -> tuple[list[str], float] | None:
        return self.found

    def exception(self) -> Exception:
        from distributed.scheduler import KilledWorker

        error: Exception = KilledWorker("batch", None, 3)
        return error

    def add_done_callback(self, call: Callable[[Answered], None]) -> None:
        call(self)

    __hash__ = object.__hash__


class Scheduler:
    """Does three tasks of a batch, each in a hundredth of a second, and none beside a bad one."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.counted = 0

    def nthreads(self) -> dict[str, int]:
        """Return no worker at first, as while all of them start anew."""
        self.counted += 1
        return {"worker": 1} if self.counted > 1 else {}

    def submit(
        self, done: object, name: str, own: list[tuple[str, str]], *_: object, **__: object
    ) -> Answered:
        self.sizes.append(len(own))
        if any(task == "bad" for task, *_ in own):
            return Answered(None)
        return Answered(([task for task, *_ in own[:3]], 0.01 * len(own[:3])))


def test_batches_grow_and_every_task_is_done_once() -> None:
    pytest.importorskip("distributed", reason="needs the package distributed")
    scheduler, names = Scheduler(), [*map(str, range(60)), "bad"]
    run = cluster._Run(scheduler, "run", Deeds(), (name for name in names), None)
    found = list(run.results())
    assert sorted(task for task, _ in found) == sorted(names)
    told = LostTask("failed", "4 workers vanished, one after the other, while they were at it")
    assert {task: result for task, result in found if task != result} == {"bad": told}
    assert scheduler.sizes[0] == 1
    assert max(scheduler.sizes) == 20  # in a fifth of a second


def test_a_batch_that_is_done_again_is_asked_about_at_each_look_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Dask calls back at once where results are lost, not only when they are there again."""
    pytest.importorskip("distributed", reason="needs the package distributed")
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.01)
    asked: list[Answered] = []

    class Lost(Answered):
        @property
        def status(self) -> str:
            asked.append(self)
            return "lost" if len(asked) < 6 else "finished"

        def result(self, timeout: float) -> tuple[list[str], float] | None:
            if len(asked) < 12:  # its worker has vanished, which the scheduler does not know yet
                raise TimeoutError
            return self.found

    class Vanishing(Scheduler):
        def submit(
            self, done: object, name: str, own: list[tuple[str, str]], *_: object, **__: object
        ) -> Answered:
            return Lost(([task for task, *_ in own], 0.01))

    scheduler = Vanishing()
    run = cluster._Run(scheduler, "run", Deeds(), iter(["a"]), None)
    assert list(run.results()) == [("a", "a")]
    assert scheduler.counted >= 4  # once at first, and before each of three more questions


@pytest.mark.parametrize("address", ["127.0.0.1:8786", "http://x", "tcp://", ""])
def test_an_address_has_a_protocol(address: str) -> None:
    with pytest.raises(ExecutionError, match="allowed the address of a Dask scheduler"):
        check_address(address)


def test_nobody_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="needs the package distributed")
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.3)
    with pytest.raises(ExecutionError, match=r"no scheduler answers at tcp://127\.0\.0\.1:9"):
        ClusterExecutor("tcp://127.0.0.1:9")


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ExecutionError, match=r"pip install 'reportgen-benchmark\[cluster\]'"):
        ClusterExecutor("tcp://127.0.0.1:8786")


def test_workers_that_differ_are_named_by_package() -> None:
    ours = {"numpy": "2.1", "scipy": "1.15"}
    check_versions(ours, {"a": dict(ours)})
    theirs = {"a": dict(ours), **{name: {"numpy": "2.1"} for name in "bcdef"}}
    with pytest.raises(ExecutionError) as told:
        check_versions(ours, theirs)
    assert "found scipy missing (here 1.15) on b; scipy missing" in str(told.value)
    assert "and others on 2 more workers; allowed" in str(told.value)


OWN = """
from sklearn.base import BaseEstimator, ClassifierMixin

from own.rule import constant


class Constant(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = sorted(set(y))
        return self

    def predict(self, X):
        return [constant(self.classes_)] * len(X)
"""
STUDY = """
plugins: [own]
seed: 1
measures: [misclassification]
setup:
  datasets: [iris]
  candidates: [lda, {name: constant, estimator: own.Constant}]
  resampling: {scheme: bootstrap, replications: 5}
"""


def test_own_modules_are_sent_to_the_workers(scheduler: Any, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "__init__.py").write_text(OWN)
    (tmp_path / "own" / "rule.py").write_text("def constant(names):\n    return names[0]\n")
    (tmp_path / "study.yaml").write_text(STUDY)
    words = ["run", str(tmp_path / "study.yaml"), "--allow-plugins", "--format", "json"]
    words += ["--output", str(tmp_path / "out"), "--cluster", scheduler.scheduler_address]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.stderr
    assert "0 of 10 values missing" in result.stderr + result.stdout


def test_a_lost_scheduler_leaves_no_traceback_in_the_log(capfd: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("distributed.client")
    level = log.level
    with cluster._quiet():
        log.error("Failed to reconnect to scheduler", exc_info=OSError("gone"))
    assert log.level == level
    assert "Failed to reconnect" not in capfd.readouterr().err
