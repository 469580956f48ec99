"""Analyses and drawings on a cluster: what one process makes of the same results."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from reportgen import crew, pipeline
from reportgen.cli import main
from reportgen.crew import Crew, cluster_mapper
from reportgen.errors import ExecutionError
from reportgen.execution import cluster
from reportgen.section_runner import _or_fault
from tests.execution.cluster.test_cluster import _earlier, _wait_for, _worker_with

pytestmark = pytest.mark.slow

DATED = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?Z?)?|[0-9a-f]{64}|sha256-[\w+/=]+")


def _place(seconds: float = 0.05) -> int:
    time.sleep(seconds)
    return os.getppid()  # of a worker's own process the worker


def test_calls_are_shared_with_the_workers_in_their_order(scheduler: Any) -> None:
    _wait_for(scheduler, 2)
    with cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper:
        assert [*mapper(divmod, range(40), [7] * 40)] == [divmod(n, 7) for n in range(40)]
        found = {*mapper(_place, [0.05] * 200)}
        assert found == {os.getppid(), *(own.pid for own in scheduler.workers.values())}
        assert [*mapper(abs, [])] == []
    with cluster_mapper(scheduler.scheduler_address, patience=1000.0) as mapper:
        assert {*mapper(_place, [0.0] * 9)} == {os.getppid()}


def test_what_a_call_raises_is_raised_here(scheduler: Any) -> None:
    with (
        cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper,
        pytest.raises(ZeroDivisionError),
    ):
        list(mapper(divmod, [1] * 60, [*[1] * 59, 0]))


def _end_elsewhere(_: int, pid: int) -> int:
    if os.getpid() != pid:
        time.sleep(0.05)
        os._exit(1)
    time.sleep(0.2)
    return pid


def test_what_no_worker_can_do_is_done_here(
    scheduler: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Whether its process ends, or it cannot be sent at all."""
    with cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper:
        assert {*mapper(_end_elsewhere, range(8), [os.getpid()] * 8)} == {os.getpid()}
        assert "this process does what the cluster could not: the worker process" in caplog.text
        caplog.clear()
        locks = [Lock() for _ in range(4)]
        assert [*mapper(_is_lock, locks)] == [True] * 4
        assert "cannot pickle" in caplog.text


def _is_lock(value: object) -> bool:
    time.sleep(0.3)
    return hasattr(value, "acquire")


def _take(n_bytes: int) -> int:
    time.sleep(0.05)
    return len(bytes(n_bytes))


@pytest.mark.skipif(sys.platform != "linux", reason="has no limits of memory")
def test_what_lacks_memory_there_is_done_here(
    scheduler: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where a section without its memory is else a line of the report."""
    executor = crew.cluster_executor(scheduler.scheduler_address)
    executor.memory = 2**28
    monkeypatch.setattr(crew, "cluster_executor", lambda _: executor)
    with cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper:
        sizes = [2**20, 2**29] * 4
        assert [*mapper(_take, sizes)] == sizes
        steps = [partial(_take, size) for size in sizes]
        assert [*mapper(_or_fault, ["eda"] * 8, [None] * 8, steps)] == sizes
    assert caplog.text.count("could not: MemoryError") > 1


def test_calls_of_a_worker_that_is_killed_are_done_again(scheduler: Any) -> None:
    _wait_for(scheduler, 2)
    victim = next(iter(scheduler.workers.values())).pid
    with cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper:
        found = iter(mapper(_place, [0.2] * 40))
        first = [next(found) for _ in range(12)]
        os.kill(victim, signal.SIGKILL)
        assert len([*first, *found]) == 40
    _wait_for(scheduler, 2)


def test_data_of_any_size_are_sent_without_a_word(
    scheduler: Any, recwarn: pytest.WarningsRecorder
) -> None:
    with cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper:
        assert {*mapper(_length, [np.zeros(2_000_000)] * 6)} == {2_000_000}  # 16 MB each
    assert not [str(own.message) for own in recwarn if "large graph" in str(own.message)]


def _length(values: NDArray[np.float64]) -> int:
    time.sleep(0.3)
    return len(values)


def _results(folder: Path) -> Path:
    rng = np.random.default_rng(2011)
    names = {
        "dataset": [f"data{m}" for m in range(8)],
        "replication": range(1, 7),
        "candidate": [f"candidate{k}" for k in range(4)],
    }
    index = pd.MultiIndex.from_product(names.values(), names=names)
    values = rng.uniform(0.1, 0.3, (8, 1, 1)) + rng.normal(0, 0.02, (8, 6, 4)) + np.arange(4) / 50
    frame = pd.DataFrame({"error": values.ravel().round(6)}, index=index).reset_index()
    frame.to_csv(folder / "results.csv", index=False)
    return folder / "results.csv"


def test_a_report_is_that_of_one_process(
    scheduler: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    settle = Crew._results
    monkeypatch.setattr(Crew, "_results", lambda own, t: done.append("map") or settle(own, t))
    own = _results(tmp_path)
    made = {}
    for where in ("one", "many"):
        job = pipeline.open_job(own, tmp_path / where)
        measured = pipeline.measure(job)
        if where == "one":
            report = pipeline.analyse(job, *measured, jobs=1, formats=["html", "md"])
        else:
            with cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper:
                report = pipeline.analyse(job, *measured, mapper=mapper, formats=["html", "md"])
        pipeline.render(job, report, ["html", "md"])
        files = sorted(path for path in job.folder.rglob("*") if path.is_file())
        made[where] = {
            str(path.relative_to(job.folder)): DATED.sub("", path.read_text("utf-8"))
            for path in files
            if path.suffix in (".json", ".html", ".md", ".csv", ".svg")
        }
    assert len(done) > 5
    made["many"] = {name: text.replace("/many/", "/one/") for name, text in made["many"].items()}
    assert made["many"] == made["one"]


def test_the_verbs_take_the_address(scheduler: Any, tmp_path: Path) -> None:
    own = ["--cluster", scheduler.scheduler_address, "--format", "json", "--output", str(tmp_path)]
    for verb in ("run", "report"):
        found = CliRunner().invoke(main, [verb, str(_results(tmp_path)), *own])
        assert found.exit_code == 0, found.output
    results = json.loads((tmp_path / "results" / "results.json").read_text("utf-8"))
    assert "cluster" not in results["provenance"]["command"]
    own[1] = "tcp://127.0.0.1:9"
    found = CliRunner().invoke(main, ["report", str(tmp_path / "results.csv"), *own])
    assert found.exit_code == 3
    assert "no scheduler answers at tcp://127.0.0.1:9" in found.stderr


def test_what_draws_has_to_be_of_the_same_version_too(
    scheduler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = cluster.installed_versions
    monkeypatch.setattr(
        cluster, "installed_versions", lambda own: versions(own) | {"matplotlib": "1.0"}
    )
    monkeypatch.setattr(cluster, "_versions", lambda *_: {"tcp://a": versions(crew.COMPUTING)})
    told = pytest.raises(ExecutionError, match=r"matplotlib \S+ \(here 1\.0\) on tcp://a")
    with told, cluster_mapper(scheduler.scheduler_address):
        pass


def test_a_worker_of_another_version_that_joins_ends_the_analysis(
    scheduler: Any, tmp_path: Path
) -> None:
    told = pytest.raises(ExecutionError, match=r"reportgen 0\.1\.0 \(here .*\) on tcp://")
    with told, cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper:
        found = iter(mapper(_place, [0.05] * 4_000))
        next(found)
        with _worker_with(scheduler, _earlier(tmp_path)):
            list(found)
    _wait_for(scheduler, 2)


def test_a_cluster_that_has_left_is_told(scheduler: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "ALONE_SECONDS", 0.5)
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(cluster._Run, "_count", lambda self: 0)
    with (
        pytest.raises(ExecutionError, match=r"all workers have been gone for 0\.5 s"),
        cluster_mapper(scheduler.scheduler_address, patience=0.0) as mapper,
    ):
        list(mapper(_place, [2.0] * 9))


def doze(file: str) -> None:
    """Write down which process is asleep."""
    Path(file).write_text(str(os.getpid()))
    time.sleep(600)


ASLEEP = """
import signal, sys, time
from reportgen.crew import cluster_mapper
from tests.execution.cluster.test_calls import doze

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell may have off
    with cluster_mapper(sys.argv[1], patience=0.0) as mapper:
        list(mapper(time.sleep, [0.1] * 3))
        list(mapper(doze, sys.argv[2:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_ctrl_c_ends_what_the_cluster_is_at(scheduler: Any, tmp_path: Path) -> None:
    (tmp_path / "asleep.py").write_text(ASLEEP)
    files = [tmp_path / name for name in ("a", "b", "c")]
    words = [sys.executable, str(tmp_path / "asleep.py"), scheduler.scheduler_address]
    path = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    with subprocess.Popen([*words, *map(str, files)], env=path) as program:
        end = time.monotonic() + 60
        while not any(_text(file) for file in files[1:]) and time.monotonic() < end:
            time.sleep(0.05)
        pids = [int(_text(file)) for file in files if _text(file)]
        assert len(pids) > 1
        begin = time.monotonic()
        program.send_signal(signal.SIGINT)
        program.wait(30)
        assert time.monotonic() - begin < 5
    end = time.monotonic() + 30
    while any(Path("/proc", str(pid)).exists() for pid in pids) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(Path("/proc", str(pid)).exists() for pid in pids)


def _text(file: Path) -> str:
    return file.read_text() if file.exists() else ""
