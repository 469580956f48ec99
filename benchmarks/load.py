"""A million fits of almost no time: how long, how much memory, and what killed workers lose.

    python benchmarks/load.py [--fits 1000000] [--jobs 2] [--kills 20] [--cluster]

Carries out the study of `kills.py` with worker processes, of which one is killed (`kill -9`) again
and again at random times. Prints milliseconds a fit, the peak of memory here and of all workers
together, and how many fits were lost: failed, missing or twice.

With `--cluster` the workers are those of a Dask cluster on this machine. When a third of the fits
is done, a worker of another version joins, which ends the execution; when two thirds are, the
scheduler is killed, which ends it, too. Each time the same execution goes on with a new cluster.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from distributed import Client
from kills import setup_of

from reportgen.errors import ExecutionError
from reportgen.execution.cluster import ClusterExecutor
from reportgen.execution.pool import Executor, ProcessExecutor
from reportgen.execution.runner import carry_out
from reportgen.processes import find_descendants
from reportgen.warehouse.files import read_warehouse

MIB = 1 << 20
PAUSE = 0.5  # seconds between two looks at the workers
BEGIN_SECONDS = 120  # that a cluster may take until all are there
OTHER_VERSION = """
from reportgen.execution.cluster import worker

worker.installed_versions = lambda packages: {"numpy": "1.0"}
"""


def resident(pids: Iterable[int]) -> int:
    """Return the resident bytes of processes, of which some may have ended."""
    n_pages = 0
    for pid in pids:
        with suppress(OSError):
            n_pages += int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return n_pages * resource.getpagesize()


class Watch(threading.Thread):
    """Keeps how much memory all processes below this one had together."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._over = threading.Event()

    def run(self) -> None:
        """Look until the end."""
        while not self._over.wait(PAUSE):
            self.peak = max(self.peak, resident(find_descendants(os.getpid())))

    def end(self) -> None:
        """Stop looking."""
        self._over.set()
        self.join()


class Faults:
    """What happens when so many fits are done: workers are killed, and one thing more."""

    def __init__(self, n_fits: int, n_kills: int) -> None:
        self.n_killed = 0
        self._rng = random.Random(7)
        self._kills = sorted(self._rng.sample(range(1, n_fits), n_kills))
        self._at, self._happens = n_fits + 1, lambda: None

    def add(self, n_fits: int, happens: Callable[[], None]) -> None:
        """Have something happen, in place of what was to happen before."""
        self._at, self._happens = n_fits, happens

    def __call__(self, n_done: int, n_all: int) -> None:
        """Take how many fits are done, and of how many."""
        if n_done >= self._at:
            self._at = n_all + 1
            self._happens()
        while self._kills and n_done >= self._kills[0]:
            del self._kills[0]
            servers = find_descendants(os.getpid())
            if workers := [pid for server in servers for pid in find_descendants(server)]:
                os.kill(self._rng.choice(workers), signal.SIGKILL)
                self.n_killed += 1


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, n_workers: int, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._folder = folder
        self._scheduler = _dask("scheduler", folder, "--host", "127.0.0.1", "--port", str(port))
        self._workers = [self.add_worker() for _ in range(n_workers)]
        asked = {"timeout": BEGIN_SECONDS, "set_as_default": False}
        with Client(self.address, **asked) as client:  # type: ignore[no-untyped-call]
            client.wait_for_workers(n_workers, timeout=BEGIN_SECONDS)

    def add_worker(self, *words: str) -> subprocess.Popen[bytes]:
        """Start a worker, which a nanny replaces when it is killed."""
        return _dask("worker", self._folder, self.address, "--nthreads", "1", *words)

    def add_other_worker(self) -> None:
        """Start a worker that says it has another numpy."""
        module = self._folder / "other_version.py"
        module.write_text(OTHER_VERSION)
        self._workers.append(self.add_worker("--preload", str(module)))

    def kill_scheduler(self) -> None:
        """End the scheduler as a machine would that fails."""
        self._scheduler.kill()

    def end(self) -> None:
        """End what is left of it."""
        for process in (*self._workers, self._scheduler):
            below = find_descendants(process.pid)
            process.kill()
            process.wait()
            for pid in below:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def _dask(role: str, folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """Start a part of a cluster, which finds the module of the candidates."""
    program = [sys.executable, "-m", f"distributed.cli.dask_{role}", "--no-dashboard", *words]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    with (folder / f"{role}.log").open("ab") as log:
        return subprocess.Popen(program, env=environment, stdout=log, stderr=log, cwd=folder)


def carry_out_with(executor: Executor, n_fits: int, folder: Path, faults: Faults) -> str:
    """Carry out the study, and return what has ended it before its time."""
    try:
        found = carry_out(setup_of(n_fits), folder, executor, faults, is_described=False)
    except ExecutionError as error:
        return str(error)
    return found.fault


def carry_out_on_cluster(n_fits: int, n_jobs: int, folder: Path, faults: Faults) -> None:
    """Carry out the study although a worker differs, and the scheduler is killed."""
    for number, name in enumerate(("add_other_worker", "kill_scheduler", ""), start=1):
        cluster = Cluster(n_jobs, folder)
        if name:
            faults.add(number * n_fits // 3, getattr(cluster, name))
        try:
            executor = ClusterExecutor(cluster.address)
            found = carry_out_with(executor, n_fits, folder / "run", faults)
        finally:
            cluster.end()
        print(f"{name or 'a whole cluster'}: {found or 'carried out'}", flush=True)


def main(n_fits: int, n_jobs: int, n_kills: int, *, on_cluster: bool) -> None:
    """Carry out the study, and print what it took."""
    watch, faults = Watch(), Faults(n_fits, n_kills)
    with TemporaryDirectory() as name:
        folder = Path(name) / "run"
        begin = time.monotonic()
        watch.start()
        if on_cluster:
            carry_out_on_cluster(n_fits, n_jobs, Path(name), faults)
        elif fault := carry_out_with(ProcessExecutor(n_jobs), n_fits, folder, faults):
            raise RuntimeError(fault)
        watch.end()
        seconds = time.monotonic() - begin
        frame = read_warehouse(folder).frame
        n_failed = len(read_warehouse(folder).failures)
        size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    cells = Counter(frame.groupby(["dataset", "candidate"], observed=True).size().tolist())
    n_missing = n_fits - int(frame["value"].notna().sum())
    here = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{n_fits:,} fits, {n_jobs} workers, {faults.n_killed} of them killed: {seconds:.0f} s")
    print(f"{1e3 * seconds * n_jobs / n_fits:.2f} ms of a worker a fit, {size / n_fits:.0f} bytes")
    print(f"memory: {here / MIB:.0f} MiB here, {watch.peak / MIB:.0f} MiB of all below together")
    print(f"{n_failed} failed, {n_missing} missing; rows a cell: {dict(cells)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A million fits, and workers that are killed.")
    parser.add_argument("--fits", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cluster", action="store_true")
    given = parser.parse_args()
    main(given.fits, given.jobs, given.kills, on_cluster=given.cluster)
