"""A million fits of almost no time: how long, how much memory, and what killed workers lose.

    python benchmarks/load.py [--fits 1000000] [--jobs 2] [--kills 20]

Carries out the study of `kills.py` with worker processes, of which one is killed (`kill -9`) again
and again at random times. Prints milliseconds a fit, the peak of memory here and of all workers
together, and how many fits were lost: failed, missing or twice.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from kills import setup_of

from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.runner import carry_out
from reportgen.processes import find_descendants
from reportgen.warehouse.files import read_warehouse

MIB = 1 << 20
PAUSE = 0.5  # seconds between two looks at the workers


def resident(pids: Iterable[int]) -> int:
    """Return the resident bytes of processes, of which some may have ended."""
    n_pages = 0
    for pid in pids:
        with suppress(OSError):
            n_pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return n_pages * resource.getpagesize()


class Killer(threading.Thread):
    """Kills a worker now and then, and keeps how much memory all had together."""

    def __init__(self, n_kills: int, seconds: float) -> None:
        super().__init__(daemon=True)
        self.n_kills, self.n_killed, self.peak = n_kills, 0, 0
        self._rng = random.Random(7)
        self._seconds = seconds
        self._over = threading.Event()

    def run(self) -> None:
        """Look and kill until the end."""
        begin, step = time.monotonic(), self._seconds / (self.n_kills + 1)
        while not self._over.wait(PAUSE):
            below = find_descendants(os.getpid())
            self.peak = max(self.peak, resident(below))
            is_due = time.monotonic() - begin > step * (self.n_killed + 1)
            workers = [pid for server in below for pid in find_descendants(server)]
            if is_due and workers and self.n_killed < self.n_kills:
                os.kill(self._rng.choice(workers), signal.SIGKILL)
                self.n_killed += 1

    def end(self) -> None:
        """Stop looking."""
        self._over.set()
        self.join()


def main(n_fits: int, n_jobs: int, n_kills: int) -> None:
    """Carry out the study, and print what it took."""
    killer = Killer(n_kills, n_fits * 1e-3 / n_jobs)
    with TemporaryDirectory() as name:
        begin = time.monotonic()
        killer.start()
        found = carry_out(setup_of(n_fits), Path(name), ProcessExecutor(n_jobs), is_described=False)
        killer.end()
        seconds = time.monotonic() - begin
        if found.fault:
            raise RuntimeError(found.fault)
        frame = read_warehouse(Path(name)).frame
        n_failed = len(read_warehouse(Path(name)).failures)
        size = sum(path.stat().st_size for path in Path(name).rglob("*") if path.is_file())
    cells = Counter(frame.groupby(["dataset", "candidate"], observed=True).size().tolist())
    n_missing = n_fits - int(frame["value"].notna().sum())
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{n_fits:,} fits, {n_jobs} workers, {killer.n_killed} of them killed: {seconds:.0f} s")
    print(f"{1e3 * seconds * n_jobs / n_fits:.2f} ms of a worker a fit, {size / n_fits:.0f} bytes")
    print(f"memory: {here / MIB:.0f} MiB here, {killer.peak / MIB:.0f} MiB of all workers together")
    print(f"{n_failed} failed, {n_missing} missing; rows a cell: {dict(cells)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A million fits, and workers that are killed.")
    parser.add_argument("--fits", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kills", type=int, default=20)
    given = parser.parse_args()
    main(given.fits, given.jobs, given.kills)
