"""The workers of a report, and what they share with the program's own process."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path

import pytest

from reportgen.crew import Crew, parallel_mapper
from reportgen.errors import AnalysisError
from reportgen.sections.datasets import in_turn


def test_what_a_worker_raises_is_raised_here() -> None:
    with parallel_mapper(2, patience=0.0) as mapper, pytest.raises(ZeroDivisionError):
        list(mapper(divmod, range(4), [1, 1, 1, 0]))


def test_a_worker_that_is_ended_is_told() -> None:
    told = pytest.raises(AnalysisError, match="such as --jobs 1")
    with told, parallel_mapper(2, patience=0.0) as mapper:
        list(mapper(_end_elsewhere, [os.getpid()] * 4))


def _end_elsewhere(pid: int) -> None:
    if os.getpid() != pid:
        os._exit(1)


def test_a_worker_that_is_ended_takes_the_others_along() -> None:
    """Although this process has taken tasks back, which Python 3.11 tells that workers ended."""
    before = {*active_children()}
    told = pytest.raises(AnalysisError, match="such as --jobs 1")
    with told, parallel_mapper(3, patience=0.0) as mapper:
        list(mapper(_process, range(3)))
        list(mapper(_end_later_elsewhere, range(100), [os.getpid()] * 100))
    assert not {*active_children()} - before


def _end_later_elsewhere(n: int, pid: int) -> None:
    if _process(n) != pid and n == 1:
        _process(n)
        os._exit(1)


def test_workers_begin_where_tasks_take_long() -> None:
    with parallel_mapper(2, patience=0.0) as mapper:
        first, *others = mapper(_process, range(6))
        assert first == os.getpid()
        assert len({*others, os.getpid()}) == 2  # this process does its share
        assert len({*mapper(_process, range(4))}) == 2  # once there is a worker
        assert {*mapper(_process, range(1))} == {os.getpid()}
    with parallel_mapper(2, patience=1000.0) as mapper:
        assert set(mapper(_process, range(4))) == {os.getpid()}
    with parallel_mapper(1, patience=0.0) as alone:
        assert alone is in_turn


def test_patience_is_with_all_tasks_of_a_report_together() -> None:
    with parallel_mapper(2, patience=0.15) as mapper:
        found = [next(iter(mapper(_process, [n]))) for n in range(4)]  # 0.05 s each
        assert set(found) == {os.getpid()}
        assert len({*mapper(_process, range(6))}) == 2


def test_workers_are_there_from_the_start_where_much_is_to_be_done() -> None:
    """Two that wait for one another cannot be done by one process."""
    with parallel_mapper(2, patience=0.5) as mapper:
        assert isinstance(mapper, Crew)
        mapper.expect(("reportgen.rendering.pdf_engine",), 60.0)
        time.sleep(0.6)
        first, second = mapper(_process, range(2))
        assert (first, second != first) == (os.getpid(), True)
        begun = mapper.beside(_process, [1, 2, 3])
        assert [*begun] == [0]  # one for each worker, the others for this process
        assert mapper.result(begun[0]) == second


def test_a_document_whose_worker_was_ended_is_left_to_this_process(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with parallel_mapper(2, patience=0.0) as mapper:
        assert isinstance(mapper, Crew)
        mapper.expect((), 60.0)
        begun = mapper.beside(_end_elsewhere, [os.getpid()])
        assert mapper.result(begun[0]) is None
    assert "terminated abruptly" in caplog.text


def test_workers_begin_with_what_is_not_asked_for_yet(tmp_path: Path) -> None:
    """Although it was given before there were workers; but for the first of it."""
    with parallel_mapper(2, patience=0.0) as mapper:
        later = mapper(_doze, [tmp_path / name for name in "abc"])
        list(mapper(_process, range(4)))
        _wait_for(tmp_path / "b")
        _wait_for(tmp_path / "c")
        assert not (tmp_path / "a").exists()
        assert next(iter(later)) == os.getpid()


def test_results_are_made_once_only_the_first_is_left() -> None:
    with parallel_mapper(2, patience=0.0) as mapper:
        assert isinstance(mapper, Crew)
        assert not mapper(_process, range(3)).is_made  # no worker is there yet
        [*mapper(_process, range(6))]
        found = mapper(_process, range(3))
        limit = time.monotonic() + 60
        while not found.is_made and time.monotonic() < limit:
            time.sleep(0.01)
        first, *others = found
        assert first == os.getpid() not in others
        assert not mapper(_process, range(1)).is_made


def test_this_process_does_what_waits_while_a_worker_is_at_work(tmp_path: Path) -> None:
    with parallel_mapper(2, patience=0.0) as mapper:
        list(mapper(_process, range(3)))
        slow = mapper(_doze, [tmp_path / "first", tmp_path / "slow"], [0.0, 2.0])
        _wait_for(tmp_path / "slow")
        others = mapper(_process, range(6))  # 0.05 s each
        list(slow)
        assert [*others].count(os.getpid()) >= 4  # all but two that are on the way to the worker


def _doze(begun: Path, seconds: float = 0.0) -> int:
    begun.touch()
    time.sleep(seconds)
    return os.getpid()


def _wait_for(file: Path) -> None:
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert file.exists()


def test_workers_look_for_cycles_of_objects_as_seldom_as_the_program() -> None:
    with parallel_mapper(2, patience=0.0) as mapper:
        before, *others = mapper(_first_threshold, range(4))
        assert max(others) >= 2_000_000
        assert before == gc.get_threshold()[0]


def _first_threshold(_: int) -> int:
    time.sleep(0.05)
    return gc.get_threshold()[0]


@pytest.mark.parametrize("n_tasks", [1, 2, 3, 17])
def test_results_have_the_order_of_their_tasks(n_tasks: int) -> None:
    with parallel_mapper(3, patience=0.0) as mapper:
        for _ in range(3):
            assert [*mapper(divmod, range(n_tasks), [7] * n_tasks)] == [
                divmod(n, 7) for n in range(n_tasks)
            ]


def test_what_the_first_task_raises_comes_first() -> None:
    with parallel_mapper(2, patience=0.0) as mapper:
        list(mapper(abs, [1, 2, 3]))
        found = iter(mapper(divmod, [4, 4, 4, 4], [1, 2, 0, 0]))
        assert [next(found), next(found)] == [(4, 0), (2, 0)]
        with pytest.raises(ZeroDivisionError):
            next(found)


def test_a_script_without_a_guard_has_one_process(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("reportgen.crew.has_guard", lambda: False)
    with parallel_mapper(2, patience=0.0) as mapper:
        assert {*mapper(_process, range(4))} == {os.getpid()}
    assert caplog.text.count("one process does all") == 1


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="has no masks of signals")
def test_what_workers_start_gets_ctrl_c() -> None:
    """The process that forks workers defers it, which workers do not hand on."""
    with parallel_mapper(2, patience=0.0) as mapper:
        assert set(mapper(_is_deferred, range(3))) == {False}


def _is_deferred(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def _process(_: int) -> int:
    time.sleep(0.05)
    return os.getpid()


def test_where_processes_can_share_no_locks_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in sandboxes without a writable /dev/shm."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("multiprocessing.synchronize.Lock", refuse)
    monkeypatch.setattr("multiprocessing.synchronize.Event", refuse)
    with parallel_mapper(4) as mapper:
        assert mapper is in_turn


ASLEEP = """
import os, signal, sys, time
from reportgen.crew import parallel_mapper

def doze(file):
    with open(file, "w") as told:
        told.write(str(os.getpid()))
    time.sleep(600)

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have off
    with parallel_mapper(2, patience=0.0) as mapper:
        list(mapper(abs, [1, 2]))
        list(mapper(doze, sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_the_program(number: signal.Signals, tmp_path: Path) -> None:
    script, file = tmp_path / "script.py", tmp_path / "pid"
    script.write_text(ASLEEP)
    words = [sys.executable, script, file, tmp_path / "other"]
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(words, env=path, stderr=subprocess.DEVNULL) as program:
        end = time.monotonic() + 60
        while not (file.exists() and file.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        worker = Path("/proc", file.read_text())
        assert worker.exists()
        program.send_signal(number)
        try:
            program.wait(30)
        finally:
            program.kill()
    end = time.monotonic() + 30
    while worker.exists() and time.monotonic() < end:
        time.sleep(0.05)
    assert not worker.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="starts workers in another way")
def test_ctrl_c_waits_for_no_imports_of_workers(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    (tmp_path / "script.py").write_text(
        "import os, signal, threading\n"
        "from reportgen.crew import parallel_mapper\n"
        "if __name__ == '__main__':\n"
        "    signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "    with parallel_mapper(2, patience=0.0) as mapper:\n"
        "        mapper.expect(['slow'], 9.0)\n"
        "        list(mapper(abs, range(4)))\n"
    )
    ended = subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.stderr.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.skipif(sys.platform == "win32", reason="starts workers in another way")
def test_ctrl_c_waits_for_no_result_of_which_a_part_is_there(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import time\n"
        "from reportgen.crew import _processes\n"
        "if __name__ == '__main__':\n"
        "    with _processes(1, ()) as pool:\n"
        "        futures = pool.submit([(bytes, (200_000_000,))] * 3)\n"
        "        futures[-1].cancel()\n"
        "        while not pool._executor._result_queue._reader.poll():\n"
        "            time.sleep(0.0005)\n"
        "        raise KeyboardInterrupt\n"
    )
    ended = subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        stderr=subprocess.PIPE,
        text=True,
        timeout=30,
        check=False,
    )
    assert ended.stderr.count("Traceback") == 1
    assert ended.stderr.rstrip().endswith("KeyboardInterrupt")
