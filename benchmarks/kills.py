"""How many results are lost when a run of 10^5 fits is killed at 20 random times.

    python benchmarks/kills.py [fits] [kills]

Does all fits once without a break, and once with: each session is a process of its own, every
fourth with two workers, that is killed with `kill -9` after a random time. Prints how many
outcomes that a journal had after a kill it lacks later, and how many rows of the warehouse
differ from those without a break.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.measures import find_measure
from reportgen.execution.journal import read_journal
from reportgen.execution.pool import ProcessExecutor, SerialExecutor
from reportgen.execution.runner import JOURNAL, carry_out
from reportgen.measures import Task
from reportgen.study.resampling import Resampling
from reportgen.study.setup import Setup
from reportgen.warehouse.files import read_warehouse

N_DATASETS = 5
N_CANDIDATES = 2
WITH_WORKERS = 4  # every fourth session has worker processes
HASTE = 0.6  # sessions may be faster than the one without a break
FEW = 100  # fits that a session does at least: it is not killed while it only reads


class Same:
    """Predicts the first class that it has seen, whatever comes."""

    def fit(self, X: Any, y: Any) -> Same:
        """Take the first class."""
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        """Return it for every observation."""
        return np.full(len(X), self.classes_[0])


def build(task: Task, random_state: int) -> Same:
    """Return an estimator."""
    return Same()


def main(n_fits: int, n_kills: int) -> None:
    """Measure with and without kills, and compare."""
    rng = random.Random(20)
    with TemporaryDirectory() as name:
        unbroken, broken = Path(name) / "unbroken", Path(name) / "broken"
        begin = time.monotonic()
        _execute(unbroken, n_fits)
        seconds = time.monotonic() - begin
        print(f"{n_fits:,} fits without a break: {seconds:.0f} s", flush=True)
        known: set[object] = set()
        n_lost = 0
        for number in range(n_kills):
            n_workers = 2 if number % WITH_WORKERS == 0 else 0
            share = (1 - len(known) / n_fits) / (n_kills - number)  # of all, in each session left
            _kill_a_session(broken, n_fits, n_workers, rng.uniform(0, HASTE * seconds * share))
            there = set(read_journal(broken / JOURNAL))
            n_lost += len(known - there)
            known |= there
            print(f"kill {number + 1}: {len(known):,} fits in the journal", flush=True)
        _execute(broken, n_fits)
        n_lost += len(known - set(read_journal(broken / JOURNAL)))
        frames = [read_warehouse(folder).frame for folder in (unbroken, broken)]
        n_other = len(pd.concat(frames).drop_duplicates(keep=False))
    print(f"{n_kills} kills: {n_lost} results lost, {n_other} rows of the warehouse differ")


def setup_of(n_fits: int) -> Setup:
    """Return a study of that many cheap fits."""
    data = find_dataset("twonorm", 20)
    return Setup(
        "kills",
        "real-world",
        tuple(replace(data, name=f"d{i}") for i in range(N_DATASETS)),
        tuple(Candidate(f"c{k}", "", build) for k in range(N_CANDIDATES)),
        (find_measure("misclassification"),),
        Resampling("bootstrap", n_fits // (N_DATASETS * N_CANDIDATES)),
        seed=1,
    )


def _kill_a_session(folder: Path, n_fits: int, n_workers: int, seconds: float) -> None:
    """Start a session, and kill it a while after its first fits."""
    journal = folder / JOURNAL
    n_before = _n_lines(journal)
    arguments = [sys.executable, __file__, "session", str(folder), str(n_fits), str(n_workers)]
    process = subprocess.Popen(arguments, start_new_session=True)
    while process.poll() is None and _n_lines(journal) < n_before + FEW:
        time.sleep(0.01)
    time.sleep(seconds)
    if process.poll() is not None:
        raise RuntimeError("a session has ended by itself: more fits, or fewer kills")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def _n_lines(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def _execute(folder: Path, n_fits: int, n_workers: int = 0) -> None:
    executor = ProcessExecutor(n_workers) if n_workers else SerialExecutor()
    found = carry_out(setup_of(n_fits), folder, executor, is_described=False)
    if found.fault:
        raise RuntimeError(found.fault)


if __name__ == "__main__":
    if sys.argv[1:2] == ["session"]:
        _execute(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        given = [int(text) for text in sys.argv[1:]]
        main(*given, *(100_000, 20)[len(given) :])
