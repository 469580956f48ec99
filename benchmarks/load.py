"""A million fits of almost no time: how long, how much memory, and what killed workers lose.

    python benchmarks/load.py [--fits 1000000] [--jobs 2] [--kills 20] [--cluster]

Carries out the study of `kills.py` with worker processes, of which one is killed (`kill -9`) again
and again at random times, by the local pool or by a Dask cluster of as many worker processes on
this machine. Prints milliseconds a fit, the peak of memory here and of all workers together, and
how many fits were lost: failed, missing or twice. Needs the package distributed for `--cluster`.
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
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from kills import setup_of

from reportgen.execution.pool import Executor, ProcessExecutor
from reportgen.execution.runner import carry_out
from reportgen.warehouse.files import read_warehouse

MIB = 1 << 20
PAUSE = 0.5  # seconds between two looks at the workers
TRACKER = b"resource_tracker"  # of multiprocessing: it is no worker


class Process(NamedTuple):
    """A process below this one."""

    parent: int
    resident: int  # bytes


def processes() -> dict[int, Process]:
    """Return all processes below this one, by number."""
    known = dict[int, Process]()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            pages = int((folder / "statm").read_text().split()[1])
        except OSError:
            continue  # it has just ended
        known[int(folder.name)] = Process(int(fields[1]), pages * resource.getpagesize())
    below, found = {os.getpid()}, dict[int, Process]()
    while more := {pid for pid, own in known.items() if own.parent in below} - below:
        below |= more
        found |= {pid: known[pid] for pid in more}
    return found


class Killer(threading.Thread):
    """Kills a worker now and then, and keeps how much memory all had together."""

    def __init__(self, n_kills: int, seconds: float, *, are_direct: bool) -> None:
        super().__init__(daemon=True)
        self._are_direct = are_direct  # workers are children of this process, not of a server
        self.n_kills, self.n_killed, self.peak = n_kills, 0, 0
        self._rng = random.Random(7)
        self._seconds = seconds
        self._over = threading.Event()

    def run(self) -> None:
        """Look and kill until the end."""
        begin, step = time.monotonic(), self._seconds / (self.n_kills + 1)
        while not self._over.wait(PAUSE):
            found = processes()
            self.peak = max(self.peak, sum(own.resident for own in found.values()))
            is_due = time.monotonic() - begin > step * (self.n_killed + 1)
            workers = [
                pid
                for pid, own in found.items()
                if (own.parent == os.getpid()) == self._are_direct and TRACKER not in _words(pid)
            ]
            if is_due and workers and self.n_killed < self.n_kills:
                os.kill(self._rng.choice(workers), signal.SIGKILL)
                self.n_killed += 1

    def end(self) -> None:
        """Stop looking."""
        self._over.set()
        self.join()


def _words(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return TRACKER


def main(n_fits: int, n_jobs: int, n_kills: int, *, on_cluster: bool) -> None:
    """Carry out the study, and print what it took."""
    executor: Executor = _cluster(n_jobs) if on_cluster else ProcessExecutor(n_jobs)
    killer = Killer(n_kills, n_fits * 1e-3 / n_jobs, are_direct=on_cluster)
    with TemporaryDirectory() as name:
        begin = time.monotonic()
        killer.start()
        found = carry_out(setup_of(n_fits), Path(name), executor, is_described=False)
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


def _cluster(n_jobs: int) -> Executor:
    from distributed import LocalCluster

    from reportgen.execution.cluster import ClusterExecutor

    cluster = LocalCluster(n_workers=n_jobs, threads_per_worker=1, dashboard_address=None)
    return ClusterExecutor(cluster.scheduler_address)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A million fits, and workers that are killed.")
    parser.add_argument("--fits", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cluster", action="store_true")
    given = parser.parse_args()
    main(given.fits, given.jobs, given.kills, on_cluster=given.cluster)
