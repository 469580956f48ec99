"""Workers that do, hang and die."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from itertools import product
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Event, Thread

import pytest
from threadpoolctl import threadpool_limits

from reportgen import processes
from reportgen.errors import ExecutionError
from reportgen.execution import pool
from reportgen.execution.pool import (
    EXIT_SECONDS,
    LEAST_FILES,
    Executor,
    ProcessExecutor,
    SerialExecutor,
    deferred_interrupt,
    n_cores,
)
from reportgen.execution.worker import LostTask, Order


@dataclass(frozen=True)
class Deeds:
    """Does what the task says."""

    factor: int = 1

    def owner(self, task: object) -> str:
        return ""

    def prepare(self, owner: str) -> None:
        if self.factor == 0:
            raise ValueError("nothing to multiply by")
        if self.factor < 0:
            os._exit(5)

    def kind(self, task: str) -> str:
        return task.rpartition("/")[0]

    def warm_up(self, task: str) -> None:
        kind, _, folder = self.kind(task).partition("/")
        if kind == "slow":
            time.sleep(2.5)
        if kind == "hang":
            time.sleep(600)
        if kind == "crash":
            ctypes.string_at(0)
        if kind == "count":
            with Path("/", folder, "warmed").open("a") as told:
                told.write("1")

    def __call__(self, task: str) -> str:
        if task == "exit":
            os._exit(3)
        if task == "crash":
            ctypes.string_at(0)
        if task == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if task == "hang":
            time.sleep(600)
        if task == "pid":
            time.sleep(0.3)
            return str(os.getpid())
        if task == "raise":
            raise LookupError("lost")
        if task == "threads":
            return _threads()
        if task.startswith("family"):
            child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            Path(task.partition(":")[2]).write_text(str(child.pid))
            child.wait()
        if task.startswith(("session:", "daemon:")):
            _leave_behind(*task.split(":"))
        return task * self.factor


def _leave_behind(kind: str, file: str, end: str) -> None:
    """Leave a process in a session of its own; that of a daemon has no parent any more."""
    if kind == "session":
        words = [sys.executable, "-c", "import time; time.sleep(600)"]
        pid = subprocess.Popen(words, start_new_session=True).pid
    else:
        reading, writing = os.pipe()
        if (parent := os.fork()) == 0:
            os.setsid()
            if (pid := os.fork()) == 0:
                time.sleep(600)
            os.write(writing, str(pid).encode())
            os._exit(0)
        os.waitpid(parent, 0)
        pid = int(os.read(reading, 20))
    Path(file).write_text(str(pid), encoding="ascii")
    if end == "hang":
        time.sleep(600)
    if end == "exit":
        os._exit(3)


def _threads() -> str:
    from threadpoolctl import threadpool_info

    return ",".join(sorted({str(pool["num_threads"]) for pool in threadpool_info()}))


def _run(executor: Executor, tasks: list[str], timeout: float | None = None) -> list[object]:
    return [result for _, result in executor.run(Deeds(), tasks, timeout)]


@pytest.mark.parametrize("executor", [SerialExecutor(), ProcessExecutor(1), ProcessExecutor(3)])
def test_every_task_has_its_result(executor: Executor) -> None:
    tasks = [f"t{i}" for i in range(50)]
    results = dict(executor.run(Deeds(2), tasks))
    assert results == {task: task * 2 for task in tasks}


def test_no_tasks_no_results() -> None:
    assert _run(ProcessExecutor(2), []) == []


@pytest.mark.parametrize(
    ("task", "message"),
    [
        ("exit", "the worker process ended with exit code 3"),
        ("crash", "the worker process was ended by SIGSEGV"),
        ("kill", "was ended by SIGKILL (often for lack of memory)"),
        ("raise", "LookupError: lost"),
    ],
)
def test_a_death_costs_its_own_task(task: str, message: str) -> None:
    tasks = ["a", task, "b", "c"]
    results = dict(ProcessExecutor(2).run(Deeds(), tasks))
    lost = results.pop(task)
    assert results == {"a": "a", "b": "b", "c": "c"}
    assert isinstance(lost, LostTask)
    assert lost.status == "failed"
    assert message in lost.message


def test_many_deaths_in_a_row() -> None:
    tasks = [kind for i in range(8) for kind in (f"t{i}", "exit")]
    counts = Counter(type(result).__name__ for result in _run(ProcessExecutor(3), tasks))
    assert counts == {"str": 8, "LostTask": 8}


@pytest.mark.parametrize("n_workers", [1, 2])
def test_short_tasks_are_handed_out_many_at_a_time(
    n_workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def noted(tasks: tuple[str, ...], is_first: bool = False) -> Order:
        sizes.append(len(tasks))
        return Order(tasks, is_first)

    monkeypatch.setattr(pool, "Order", noted)
    tasks = [f"t{i}" for i in range(400)]
    assert dict(ProcessExecutor(n_workers).run(Deeds(), tasks)) == {task: task for task in tasks}
    assert sum(sizes) >= len(tasks)
    assert len(sizes) < len(tasks) / 4


@pytest.mark.parametrize("task", ["exit", "hang"])
def test_a_loss_among_short_tasks_costs_its_own(task: str) -> None:
    tasks = [task if i in (150, 151, 290) else f"t{i}" for i in range(300)]
    found = list(ProcessExecutor(2).run(Deeds(), tasks, 1.0))
    lost = [result for own, result in found if own == task]
    assert [type(result) for result in lost] == [LostTask] * 3
    assert sorted(own for own, result in found if own == result) == sorted({*tasks} - {task})
    assert len(found) == len(tasks)


@pytest.mark.parametrize(("size", "factor"), [(30_000, 10), (5_000, 60), (50, 6_000)])
def test_tasks_and_results_of_any_size_pass_one_another(size: int, factor: int) -> None:
    """A pipe holds some hundred kilobytes, and both sides write to it."""
    tasks = [f"{i}-{'x' * size}" for i in range(300)]
    results = dict(ProcessExecutor(1).run(Deeds(factor), tasks))
    assert {task[:9]: result for task, result in results.items()} == {
        task[:9]: task * factor for task in tasks
    }


def test_long_tasks_after_short_ones_are_shared() -> None:
    """What waits behind a long task goes to whoever is idle."""
    tasks = [*(f"t{i}" for i in range(200)), *["pid"] * 6]
    found = [result for own, result in ProcessExecutor(2).run(Deeds(), tasks) if own == "pid"]
    assert sorted(Counter(found).values()) in ([2, 4], [3, 3])


def test_a_task_that_takes_too_long_is_ended() -> None:
    begin = time.monotonic()
    results = dict(ProcessExecutor(2).run(Deeds(), ["a", "hang", "b"], 1.0))
    assert results.pop("hang") == LostTask("timed-out", "took longer than 1 s")
    assert results == {"a": "a", "b": "b"}
    assert time.monotonic() - begin < 60


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["slow", "hang", "crash"])
def test_warming_up_costs_no_task(kind: str) -> None:
    """It may take longer than a task, longer than it may take at all, or break."""
    tasks = [f"{kind}/{i}" for i in range(6)]
    results = dict(ProcessExecutor(2, patience=5.0).run(Deeds(), tasks, 1.5))
    assert results == {task: task for task in tasks}


@pytest.mark.slow
def test_the_time_of_a_task_begins_when_its_worker_is_warm() -> None:
    tasks = ["slow/1", "hang"]
    results = dict(ProcessExecutor(1, patience=30.0).run(Deeds(), tasks, 1.0))
    assert results == {"slow/1": "slow/1", "hang": LostTask("timed-out", "took longer than 1 s")}


@pytest.mark.parametrize("executor", [SerialExecutor(), ProcessExecutor(1)])
def test_a_worker_warms_up_once_for_each_kind(tmp_path: Path, executor: Executor) -> None:
    tasks = [f"count{tmp_path / str(i)}" for i in range(4)]
    assert _run(executor, tasks) == tasks
    assert (tmp_path / "warmed").read_text() == "1"


@pytest.mark.slow
def test_a_task_takes_its_children_along(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    (lost,) = _run(ProcessExecutor(1), [f"family:{file}"], 3.0)
    assert isinstance(lost, LostTask)
    child = int(file.read_text())
    deadline = time.monotonic() + 10
    while _is_running(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_running(child)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose children processes are")
@pytest.mark.parametrize(
    ("kind", "end"), [*product(["session", "daemon"], ["done", "hang", "exit"])]
)
def test_what_a_task_leaves_in_another_session_ends_with_its_worker(
    kind: str, end: str, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    executor = ProcessExecutor(1)
    (found,) = (result for _, result in executor.run(Deeds(), [f"{kind}:{file}:{end}"], 3.0))
    assert isinstance(found, LostTask) == (end != "done")
    child = int(file.read_text())
    deadline = time.monotonic() + 10
    while _is_running(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _is_running(child)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what processes began with")
def test_a_program_that_is_being_loaded_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment is there a moment after its memory: a busy machine may stop it in between."""
    variables = {**os.environ, "MADE_UP": "1"}
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], env=variables)
    looks, environment = [], processes._environment

    def seen(pid: int) -> bytes:
        looks.extend([pid] * (pid == child.pid))
        return b"" if pid == child.pid and len(looks) < 4 else environment(pid)

    monkeypatch.setattr(processes, "_environment", seen)
    processes.end_marked("MADE_UP", "1")
    assert child.wait(10) == -signal.SIGKILL
    assert len(looks) >= 4


def _is_running(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    try:
        return status.read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_iterator_can_be_closed_early() -> None:
    begin = time.monotonic()
    results = ProcessExecutor(2).run(Deeds(), ["a", "hang", "hang"])
    with closing(results):
        assert next(results) == ("a", "a")
    assert time.monotonic() - begin < 60


def test_an_early_end_waits_for_no_idle_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """As Ctrl-C does: `a` is done and its worker idle, which would be waited for."""
    waited: list[float | None] = []
    join = BaseProcess.join

    def note(self: BaseProcess, timeout: float | None = None) -> None:
        waited.append(timeout if self.is_alive() else 0.0)
        join(self, timeout)

    with closing(ProcessExecutor(1).run(Deeds(), ["a"])) as results:
        assert next(results) == ("a", "a")
        monkeypatch.setattr(BaseProcess, "join", note)
    assert waited
    assert EXIT_SECONDS not in waited


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="has no masks of signals")
@pytest.mark.parametrize("has_threads", [False, True])
@pytest.mark.parametrize(
    ("number", "is_waiting"),
    [(signal.SIGINT, True), (signal.SIGTERM, True), (signal.SIGINT, False)],
)
def test_ctrl_c_comes_after_what_defers_it(
    number: int, is_waiting: bool, has_threads: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where another thread takes the signal, as that of the progress may."""
    steps: list[str] = []
    monkeypatch.setattr(pool, "_end_fork_server", lambda: steps.append("waits for no imports"))
    ended = Event()
    threads = [Thread(target=ended.wait) for _ in range(1 * has_threads)]
    for thread in threads:
        thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            _interrupt(steps, number, is_waiting)
    finally:
        ended.set()
    assert steps == ["waits for no imports"] * is_waiting + ["deferred"]


@pytest.mark.skipif(sys.platform == "win32", reason="forks no process")
def test_what_workers_are_forked_from_ends_with_the_program_while_it_imports(
    tmp_path: Path,
) -> None:
    """Else it would hold the program's output, for which a step of a job waits."""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    (tmp_path / "script.py").write_text(
        "from reportgen.execution.pool import start_method\nstart_method(['slow'])\n"
    )
    subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        timeout=30,
        check=True,
    )


def _interrupt(steps: list[str], number: int, is_waiting: bool) -> None:
    before = signal.signal(number, signal.default_int_handler)
    try:
        with deferred_interrupt(lambda: is_waiting):
            os.kill(os.getpid(), number)
            time.sleep(0.2)  # until another thread has taken it
            steps.append("deferred")
        steps.append("not interrupted")
    finally:
        signal.signal(number, before)


def test_linear_algebra_has_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy.linalg  # noqa: F401 - its library is limited where it is loaded

    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        monkeypatch.setenv(name, "2")
    assert _run(ProcessExecutor(1), ["threads"]) == ["1"]
    with threadpool_limits(2):
        assert _run(SerialExecutor(), ["threads"]) == ["1"]


@pytest.mark.parametrize(
    ("factor", "message"), [(0, "nothing to multiply by"), (-1, "exit code 5")]
)
def test_workers_that_cannot_start_end_the_run(factor: int, message: str) -> None:
    with pytest.raises(ExecutionError, match=f"workers cannot start: .*{message}"):
        list(ProcessExecutor(2).run(Deeds(factor), ["a", "b"]))


def test_a_system_that_starts_no_process_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(BaseProcess, "start", start)
    with pytest.raises(ExecutionError, match=r"the workers cannot start: .*unavailable"):
        list(ProcessExecutor(2).run(Deeds(1), ["a", "b"]))


@pytest.mark.skipif(sys.platform == "win32", reason="has no such limit")
def test_too_few_open_files_are_told_before_a_worker_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (LEAST_FILES - 1, LEAST_FILES))
    with pytest.raises(ExecutionError, match=r"the workers cannot start: .*open files"):
        list(ProcessExecutor(2).run(Deeds(1), ["a", "b"]))


@dataclass(frozen=True)
class KilledAtFirst(Deeds):
    """Its first workers are killed while they prepare."""

    folder: str = ""
    n_killed: int = 1

    def prepare(self, owner: str) -> None:
        marks = Path(self.folder)
        if len(list(marks.iterdir())) < self.n_killed:
            (marks / str(os.getpid())).touch()
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_a_worker_that_is_killed_while_it_starts_has_a_successor(tmp_path: Path) -> None:
    work = KilledAtFirst(1, folder=str(tmp_path), n_killed=2)
    assert dict(ProcessExecutor(1).run(work, ["a", "b"])) == {"a": "a", "b": "b"}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")
def test_workers_that_are_killed_at_every_start_end_the_run(tmp_path: Path) -> None:
    work = KilledAtFirst(1, folder=str(tmp_path), n_killed=99)
    with pytest.raises(ExecutionError, match=r"the workers cannot start: .*SIGKILL"):
        list(ProcessExecutor(1).run(work, ["a", "b"]))


@pytest.mark.parametrize("n_ended", [1, 3])
def test_where_the_server_of_processes_is_ended_another_starts(
    n_ended: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    forkserver = pytest.importorskip("multiprocessing.forkserver", reason="there is none here")
    read, left = forkserver.read_signed, [None] * n_ended

    def broken(file: int) -> int:
        if left:
            left.pop()
            raise EOFError("unexpected EOF")
        return int(read(file))

    monkeypatch.setattr(forkserver, "read_signed", broken)
    if n_ended < 3:
        assert len(list(ProcessExecutor(1).run(Deeds(1), ["a", "b"]))) == 2
    else:
        with pytest.raises(ExecutionError, match="ended again and again; allowed"):
            list(ProcessExecutor(1).run(Deeds(1), ["a", "b"]))


def test_work_that_cannot_be_sent_is_said() -> None:
    class Local(Deeds):
        pass

    with pytest.raises(ExecutionError, match="cannot be sent to worker processes"):
        list(ProcessExecutor(2).run(Local(), ["a"]))


def test_the_number_of_workers_defaults_to_the_cores() -> None:
    assert ProcessExecutor().n_workers == n_cores() >= 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_a_mark_of_its_own() -> None:
    """Else the one would end the workers of the other, which do not descend from its own."""
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:
        os.write(writing, pool.forked_here().encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        assert pipe.read() not in ("", pool.forked_here())
