"""What an execution costs beyond the fits themselves.

    python benchmarks/execution.py [--jobs 2] [--long 600] [--short 3000]

1. Long fits: wall time x cores over the plain sum of fit and predict seconds, for candidates
   whose fits take 50 ms or more. The limit is 1.10.
2. Short fits: seconds for each fit of about a millisecond, here, in a bare loop over the same
   samples, and in scikit-learn's cross_validate with the same estimator and splits; as ratios to
   the bare loop, and as milliseconds that are added. One worker, so that the fits of all three use
   one core. What is added is told of the clock, and of the processor by the worker and by the
   program that takes the results; the limit is 0.3 ms.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import cross_validate
from threadpoolctl import threadpool_limits

from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.measures import find_measure
from reportgen.execution.pool import ProcessExecutor
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import execute
from reportgen.processes import find_descendants
from reportgen.study.resampling import Resampling
from reportgen.study.setup import Setup
from reportgen.warehouse import Warehouse

LONG_SECONDS, SHORT_SECONDS = 0.06, 0.001


class Busy(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Computes for a while, then predicts the most frequent class."""

    def __init__(self, seconds: float = LONG_SECONDS) -> None:
        self.seconds = seconds

    def fit(self, X: Any, y: Any) -> Busy:
        """Use up processor time."""
        end = time.process_time() + self.seconds
        matrix = np.ones((40, 40))
        while time.process_time() < end:
            matrix = matrix @ matrix / 40.0
        self.classes_, counts = np.unique(y, return_counts=True)
        self.most_ = self.classes_[np.argmax(counts)]
        return self

    def predict(self, X: Any) -> Any:
        """Predict one class."""
        return np.full(len(X), self.most_)


def build_long(task: str, random_state: int) -> Any:
    """Return an estimator that takes long."""
    return Busy(LONG_SECONDS)


def build_short(task: str, random_state: int) -> Any:
    """Return an estimator that takes a millisecond."""
    return Busy(SHORT_SECONDS)


@dataclass(frozen=True)
class Timed:
    """Something done, and the seconds on the clock and of the processor that it took."""

    seconds: float
    result: Any
    processor: float


def timed(work: Callable[[], Any]) -> Timed:
    """Do something once."""
    begin, processor = time.perf_counter(), time.process_time()
    result = work()
    return Timed(time.perf_counter() - begin, result, time.process_time() - processor)


def setup_of(build: Any, n: int) -> Setup:
    """Return a study of one data set and one candidate."""
    return Setup(
        "execution",
        "real-world",
        (find_dataset("iris"),),
        (Candidate("busy", "", build),),
        (find_measure("misclassification"), find_measure("time")),
        Resampling("bootstrap", n),
        seed=1,
    )


def fit_seconds(warehouse: Warehouse) -> float:
    """Return the plain sum of fit and predict seconds."""
    frame = warehouse.frame
    return float(frame.loc[frame["measure"] == "time", "value"].sum())


def long_fits(jobs: int, n_fits: int) -> None:
    """Print wall time x cores over the sum, with and without the start of the workers."""
    start = timed(lambda: execute(setup_of(build_short, jobs), executor=ProcessExecutor(jobs)))
    setup = setup_of(build_long, n_fits * jobs)
    done = timed(lambda: execute(setup, executor=ProcessExecutor(jobs)))
    total = fit_seconds(done.result)
    print(
        f"{setup.size.n_fits} fits of {1000 * total / setup.size.n_fits:.0f} ms on {jobs} cores: "
        f"{done.seconds:.2f} s, wall x cores / sum {done.seconds * jobs / total:.3f}; with the "
        f"first start of workers ({start.seconds:.2f} s) "
        f"{(done.seconds + start.seconds) * jobs / total:.3f}"
    )


def processor_seconds(pids: Iterable[int]) -> float:
    """Return the processor seconds of processes, of which some may have ended."""
    n_ticks = 0
    for pid in pids:
        with suppress(OSError):
            words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            n_ticks += int(words[11]) + int(words[12])
    return n_ticks / os.sysconf("SC_CLK_TCK")


class Spending:
    """Takes note of the clock and of processor seconds at the first and at the last fit."""

    def __init__(self) -> None:
        self._marks: list[tuple[float, float, float]] = []

    def __call__(self, n_done: int, n_all: int) -> None:
        """Take how many fits are done, and of how many."""
        if n_done in (1, n_all):
            workers = processor_seconds(find_descendants(os.getpid()))
            self._marks.append((time.perf_counter(), time.process_time(), workers))

    @property
    def seconds(self) -> tuple[float, float, float]:
        """On the clock, of this program's processor, and of its workers'."""
        clock, own, workers = (last - first for first, last in zip(*self._marks, strict=True))
        return clock, own, workers


def short_fits(n_fits: int) -> None:
    """Print what a fit of a millisecond costs here, in a bare loop and in cross_validate."""
    setup, spending = setup_of(build_short, n_fits), Spending()
    with TemporaryDirectory() as folder:
        execute(setup, Path(folder), ProcessExecutor(1), spending)
    clock, own, workers = spending.seconds
    experiment = Experiment.of(setup)
    data = setup.datasets[0]
    inputs, response = data.inputs.to_numpy(), data.response
    samples = [experiment.replicate(data.name, b).sample for b in range(1, n_fits + 1)]
    splits = [(sample.learn, sample.test) for sample in samples]

    def bare() -> None:
        for learn, test in splits:
            estimator = Busy(SHORT_SECONDS).fit(inputs[learn], response[learn])
            np.mean(estimator.predict(inputs[test]) != response[test])

    with threadpool_limits(1):
        loop = timed(bare)
        peer = timed(lambda: cross_validate(Busy(SHORT_SECONDS), inputs, response, cv=splits))
    print(
        f"{n_fits} fits of 1 ms on one core: bare loop {1000 * loop.seconds / n_fits:.2f} ms a fit"
    )
    here = {"clock": clock - loop.seconds, "worker": workers - loop.processor, "this program": own}
    there = {"clock": peer.seconds - loop.seconds, "processor": peer.processor - loop.processor}
    for name, added in (("reportgen", here), ("cross_validate", there)):
        told = ", ".join(f"{1000 * s / n_fits:.2f} ms {part}" for part, s in added.items())
        print(f"{name}: added to each fit {told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What an execution costs beyond the fits.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--long", type=int, default=600, help="long fits a core")
    parser.add_argument("--short", type=int, default=3_000, help="short fits")
    given = parser.parse_args()
    long_fits(given.jobs, given.long)
    short_fits(given.short)
