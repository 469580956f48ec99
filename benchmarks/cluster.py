"""What a task costs on the road to a cluster, over what it costs on this machine's workers.

    python benchmarks/cluster.py [--tasks 2000] [--jobs 2]

The same small fits (about a millisecond) by the local pool and by a Dask cluster of as many worker
processes on this machine, both after their workers have started; as seconds, as milliseconds a task
that are added, and as a ratio. Needs the package distributed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass

from distributed import LocalCluster

from reportgen.execution.cluster import ClusterExecutor
from reportgen.execution.pool import Executor, ProcessExecutor

SECONDS = 0.001


@dataclass(frozen=True)
class Short:
    """Uses up a millisecond of processor time."""

    def owner(self, task: object) -> str:
        """Return none: all tasks may share a process."""
        return ""

    def prepare(self, owner: str) -> None:
        """Nothing to prepare."""

    def kind(self, task: int) -> str:
        """Return one kind for all."""
        return "short"

    def warm_up(self, task: int) -> None:
        """Nothing to load."""

    def __call__(self, task: int) -> int:
        """Compute for a while."""
        end = time.process_time() + SECONDS
        while time.process_time() < end:
            pass
        return task


def seconds(executor: Executor, n: int, jobs: int) -> float:
    """Return the seconds for n tasks once the workers are there."""
    from cluster import Short as Work  # by a name that other processes can import

    results: Iterator[object] = executor.run(Work(), range(n + 4 * jobs))
    for _ in range(4 * jobs):
        next(results)
    begin = time.perf_counter()
    done = sum(1 for _ in results)
    if done != n:
        raise RuntimeError(f"{done} of {n} tasks came back")
    return time.perf_counter() - begin


def main(n: int, jobs: int) -> None:
    here = seconds(ProcessExecutor(jobs), n, jobs)
    with LocalCluster(
        n_workers=jobs, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        there = seconds(ClusterExecutor(cluster.scheduler_address), n, jobs)
    print(
        f"{n} tasks of 1 ms on {jobs} workers: {here:.2f} s here, {there:.2f} s on a cluster: "
        f"{there / here:.1f} times; {1000 * (here * jobs / n - SECONDS):.2f} and "
        f"{1000 * (there * jobs / n - SECONDS):.2f} ms of a worker added to each"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What a task costs on the road to a cluster.")
    parser.add_argument("--tasks", type=int, default=2000)
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    main(asked.tasks, asked.jobs)
