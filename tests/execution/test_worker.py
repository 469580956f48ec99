"""The worker's side of the pipe."""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.worker import LostTask, single_threaded


@dataclass(frozen=True)
class Looks:
    """Tells about the process it is in."""

    def owner(self, task: object) -> str:
        return ""

    def prepare(self, owner: str) -> None:
        """Nothing is needed."""

    def kind(self, task: str) -> str:
        return ""

    def warm_up(self, task: str) -> None:
        """Nothing is needed."""

    def __call__(self, task: str) -> object:
        if task == "print":
            print("a candidate's own words", flush=True)
            return os.fstat(1) == os.fstat(2)
        if task == "group":
            return os.getpgrp() == os.getpid()
        if task == "sacrifice":
            return Path("/proc/self/oom_score_adj").read_text().strip()
        if task == "environment":
            return os.environ["OMP_NUM_THREADS"]
        sys.exit("enough")


@pytest.mark.parametrize(
    ("task", "result"),
    [
        ("print", True),
        ("group", True),
        ("environment", "1"),
        pytest.param(
            "sacrifice",
            "1000",  # the system ends workers before the program that collects their results
            marks=pytest.mark.skipif(
                not Path("/proc/self/oom_score_adj").exists(), reason="Linux keeps such scores"
            ),
        ),
        ("exit", LostTask("failed", "SystemExit: enough")),
    ],
)
def test_a_worker_stands_apart(
    task: str, result: object, capfd: pytest.CaptureFixture[str]
) -> None:
    assert list(ProcessExecutor(1).run(Looks(), [task])) == [(task, result)]
    assert capfd.readouterr().out == ""


def test_losses_travel() -> None:
    lost = LostTask("timed-out", "took longer")
    assert pickle.loads(pickle.dumps(lost)) == lost


def test_the_limit_of_threads_ends_with_its_block() -> None:
    import numpy.linalg  # noqa: F401 - its library is what is limited

    with threadpool_limits(2):
        with single_threaded():
            assert {pool["num_threads"] for pool in threadpool_info()} == {1}
        assert {pool["num_threads"] for pool in threadpool_info()} == {2}
