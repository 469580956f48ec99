"""Killed at any point and started again, an execution ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from reportgen.execution.pool import SerialExecutor
from reportgen.execution.runner import JOURNAL, execute
from reportgen.warehouse import Warehouse
from reportgen.warehouse_files import read_warehouse
from tests.execution.killed import study

ROOT = Path(__file__).parents[2]
N_KILLS = 20
PATIENCE = 60.0  # seconds to wait for a few lines of the journal

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no kill -9 here")


def _start(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "tests.execution.killed", str(folder)],
        cwd=ROOT,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def _n_bytes(journal: Path) -> int:
    return journal.stat().st_size if journal.exists() else 0


def _wait_for(n_bytes: int, journal: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until the journal has grown that far."""
    end = time.monotonic() + PATIENCE
    while _n_bytes(journal) < n_bytes and process.poll() is None:
        assert time.monotonic() < end, "the execution does not go on"
        time.sleep(0.0005)


def _but_times(warehouse: Warehouse) -> pd.DataFrame:
    frame = warehouse.frame
    return frame[frame["measure"] != "fit-time"].reset_index(drop=True)


def _session(leader: int) -> list[int]:
    """Return the processes that still run in a session."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        if entry.name.isdigit() and int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(entry.name))
    return found


def test_kill_9_at_20_random_points(tmp_path: Path) -> None:
    unbroken = execute(study(), tmp_path / "unbroken", SerialExecutor())
    whole = _n_bytes(tmp_path / "unbroken" / JOURNAL)
    broken = tmp_path / "broken"
    rng = random.Random(20)
    points = sorted(rng.uniform(0.0, 0.97) for _ in range(N_KILLS))
    n_met = 0
    for point in points:
        process = _start(broken)
        _wait_for(int(point * whole) + 1, broken / JOURNAL, process)
        n_met += process.poll() is None
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert not (broken / "performances.parquet").exists()
        _until_empty(process.pid)
    assert n_met == N_KILLS
    final = execute(study(), broken, SerialExecutor())
    pd.testing.assert_frame_equal(_but_times(final), _but_times(unbroken))
    pd.testing.assert_frame_equal(_but_times(read_warehouse(broken)), _but_times(unbroken))


def _until_empty(session: int) -> None:
    """Wait until no worker of a killed execution is left."""
    end = time.monotonic() + PATIENCE
    while _session(session):
        assert time.monotonic() < end, "workers outlive the execution"
        time.sleep(0.005)
