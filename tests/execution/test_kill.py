"""Killed at any point and started again, an execution ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

import pandas as pd
import pytest

from reportgen.execution.pool import SerialExecutor
from reportgen.execution.runner import JOURNAL, execute
from reportgen.warehouse import Warehouse
from reportgen.warehouse.files import read_warehouse
from tests.execution.killed import study

ROOT = Path(__file__).parents[2]
N_KILLS = 20
WITH_WORKERS = 7  # every seventh execution has worker processes, which take seconds to start
PATIENCE = 60.0  # seconds to wait for a few lines of the journal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here"),
]


def _start(folder: Path, *, has_workers: bool) -> int:
    """Start an execution in a copy of this process, or by workers in a fresh interpreter."""
    process = os.fork()
    if process:
        return process
    try:
        os.setsid()
        if has_workers:
            os.chdir(ROOT)
            command = [sys.executable, "-W", "error", "-m", "tests.execution.killed", str(folder)]
            os.execv(sys.executable, command)
        execute(study(), folder, SerialExecutor(), _stay)
    except BaseException:
        traceback.print_exc()
    os._exit(1)


def _stay(n_done: int, n_all: int) -> None:
    """Never come to the end: also the last points are met."""
    if n_done == n_all:
        time.sleep(PATIENCE)


def _n_bytes(journal: Path) -> int:
    return journal.stat().st_size if journal.exists() else 0


def _but_times(warehouse: Warehouse) -> pd.DataFrame:
    frame = warehouse.frame
    return frame[frame["measure"] != "fit-time"].reset_index(drop=True)


def _kin(process: int) -> set[int]:
    """Return a process that runs and all that descend from it, whatever their sessions are."""
    parents = {}
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if entry.name.isdigit() and fields[0] != "Z":
            parents[int(entry.name)] = int(fields[1])
    found = {process} & set(parents)
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def _kill_at(n_bytes: int, folder: Path, *, has_workers: bool) -> None:
    """Kill an execution as soon as its journal has that many bytes."""
    process = _start(folder, has_workers=has_workers)
    end = time.monotonic() + PATIENCE
    while _n_bytes(folder / JOURNAL) < n_bytes:
        assert os.waitpid(process, os.WNOHANG) == (0, 0), "the execution has ended by itself"
        assert time.monotonic() < end, "the execution does not go on"
        time.sleep(0.0005)
    workers = _kin(process) - {process} if has_workers else set()
    os.kill(process, signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL
    assert not (folder / "performances.parquet").exists()
    end = time.monotonic() + PATIENCE
    while any(_kin(worker) for worker in workers):
        assert time.monotonic() < end, "workers outlive the execution"
        time.sleep(0.02)


def test_kill_9_at_20_random_points(tmp_path: Path) -> None:
    unbroken = execute(study(), tmp_path / "unbroken", SerialExecutor())
    whole = _n_bytes(tmp_path / "unbroken" / JOURNAL)
    broken = tmp_path / "broken"
    rng = random.Random(20)
    for number, point in enumerate(sorted(rng.uniform(0.0, 0.97) for _ in range(N_KILLS))):
        _kill_at(int(point * whole) + 1, broken, has_workers=number % WITH_WORKERS == 0)
    final = execute(study(), broken, SerialExecutor())
    pd.testing.assert_frame_equal(_but_times(final), _but_times(unbroken))
    pd.testing.assert_frame_equal(_but_times(read_warehouse(broken)), _but_times(unbroken))
