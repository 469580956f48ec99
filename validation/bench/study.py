"""How often two equal programs are called different by timings on a noisy machine, by simulation.

    python validation/bench/study.py [runs]

Compares `bench` with all runs of A before all of B under several kinds of noise, and means of
processes with all of their runs; writes `cells.csv` and `processes.csv` beside this file, and
docs/bench-size.md from them. Without an argument only the page is written. 2,000 runs take two
minutes.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.stats import ttest_ind

from reportgen.stats.interleaved import compare_interleaved
from reportgen.stats.samples.comparison import compare_samples

Array = NDArray[np.float64]

HERE = Path(__file__).parent
CELLS = HERE / "cells.csv"
PROCESSES = HERE / "processes.csv"
PAGE = HERE.parents[1] / "docs" / "bench-size.md"
SEED, ALPHA, MOST = 4608, 0.05, 24
N_RUNS = 10  # of a process
STARTS = (0.0, 1.0, 3.0)  # deviation of processes over that of their runs
COUNTS = (6, 10, 20)  # processes of each program
NOISE, SLOWER = 0.03, 0.03  # standard deviation of the log of a time; of B in the second column


def independent(n: int, rng: Generator) -> Array:
    """Return noise that knows nothing of its past."""
    return rng.normal(0, NOISE, n)


def drifting(n: int, rng: Generator) -> Array:
    """Return a machine that grows slower by 10% over so many runs."""
    return independent(n, rng) + np.linspace(0, 0.1, n) * rng.choice([-1, 1])


def wandering(n: int, rng: Generator) -> Array:
    """Return a speed that wanders, by .5% a run."""
    return np.asarray(independent(n, rng) + rng.normal(0, 0.005, n).cumsum())


def in_steps(n: int, rng: Generator) -> Array:
    """Return a clock that changes between two speeds, for 30 runs on average."""
    state = (rng.random(n) < 1 / 30).cumsum() % 2
    return np.asarray(independent(n, rng) + 0.08 * state)


def interrupted(n: int, rng: Generator) -> Array:
    """Return runs of which one in ten is held up, by 20% on average."""
    return independent(n, rng) + rng.exponential(0.2, n) * (rng.random(n) < 0.1)


def from_start_to_start(n: int, rng: Generator) -> Array:
    """Return means of ten runs of a process, whose start decides more than its runs."""
    return rng.normal(0, NOISE, n) + rng.normal(0, NOISE / 3, (n, N_RUNS)).mean(axis=1)


KINDS: dict[str, Callable[[int, Generator], Array]] = {
    "independent": independent,
    "drift of 10%": drifting,
    "wandering": wandering,
    "two speeds": in_steps,
    "one in ten held up": interrupted,
    "processes of 10 runs": from_start_to_start,
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of noise.

    Attributes
    ----------
    noise : str
    in_turn : float
        Share of comparisons that Welch's test of 48 runs of A, then 48 of B, decides at 5%.
    decided : float
        Share that the blocks decide, before anything is run anew.
    alarms : float
        Share that ends as "slower".
    found : float
        The same where B is slower by 3%.
    blocks : float
        Blocks, on average, where it is.
    """

    noise: str
    in_turn: float
    decided: float
    alarms: float
    found: float
    blocks: float
    runs: int


def cell(name: str, runs: int) -> Cell:
    """Measure one kind of noise."""
    rng = np.random.default_rng([SEED, list(KINDS).index(name)])
    counts = np.zeros(5)
    for _ in range(runs):
        logs = KINDS[name](4 * MOST, rng)
        counts[0] += ttest_ind(logs[: 2 * MOST], logs[2 * MOST :], equal_var=False).pvalue < ALPHA
        for slower in (0.0, SLOWER):
            left = iter(KINDS[name](8 * MOST, rng))

            def run(who: str, left: object = left, more: float = slower) -> float:
                return float(np.exp(next(left) + more * (who == "B")))  # type: ignore[call-overload]

            found = compare_interleaved(run, most=MOST, alpha=ALPHA)
            if slower:
                counts[3] += found.outcome == "slower"
                counts[4] += len(found.seconds)
            else:
                counts[1] += found.outcome != "open"
                counts[2] += found.outcome == "slower"
    return Cell(name, *(round(float(x), 5) for x in counts / runs), runs)


@dataclass(frozen=True, slots=True)
class OfProcesses:
    """Two equal programs, each timed in some processes of ten runs.

    Attributes
    ----------
    start : float
        Standard deviation of what the start of a process decides, over that of its runs.
    processes : int
    wrong_runs, wrong_processes : float
        Shares that are called different at 5%: by all runs, and by the means of processes.
    """

    start: float
    processes: int
    wrong_runs: float
    wrong_processes: float
    runs: int


def of_processes(start: float, n: int, runs: int) -> OfProcesses:
    """Measure what a report of timings decides, of all runs and of means of processes."""
    rng = np.random.default_rng([SEED, round(10 * start), n])
    wrong = np.zeros(2)
    for _ in range(runs):
        logs = 0.01 * (start * rng.normal(size=(2, n, 1)) + rng.normal(size=(2, n, N_RUNS)))
        every = [np.exp(own).ravel() for own in logs]
        means = [np.exp(own.mean(axis=1)) for own in logs]
        for i, samples in enumerate((every, means)):
            wrong[i] += compare_samples(samples, alpha=ALPHA, scale="ratio").p_value[0] < ALPHA
    return OfProcesses(start, n, *(round(float(x), 5) for x in wrong / runs), runs)


def read_processes() -> list[OfProcesses]:
    """Return what was measured of processes."""
    kinds = {"processes": int, "runs": int}
    with PROCESSES.open(encoding="utf-8", newline="") as file:
        return [
            OfProcesses(
                **{f.name: kinds.get(f.name, float)(row[f.name]) for f in fields(OfProcesses)}
            )
            for row in csv.DictReader(file)
        ]


def read() -> list[Cell]:
    """Return what was measured."""
    kinds = {"noise": str, "runs": int}
    with CELLS.open(encoding="utf-8", newline="") as file:
        return [
            Cell(**{f.name: kinds.get(f.name, float)(row[f.name]) for f in fields(Cell)})
            for row in csv.DictReader(file)
        ]


def page(cells: list[Cell], processes: list[OfProcesses]) -> str:
    """Write the page."""
    lines = [
        "# Errors of timings in alternation",
        "",
        "This page is written by `validation/bench/study.py` from the counts beside it:",
        f"{cells[0].runs:,} simulated comparisons a number.",
        "[Timings in CI](ci.md#timings-of-two-variants) says what `bench` does.",
        "",
        "Two programs take the same time, and a time has a standard deviation of 3%. In turn: per",
        "cent of comparisons that Welch’s test of 48 runs of the one and then 48 of the other",
        "decides at 5%. Decided: by up to 24 blocks of ABBA and BAAB, at 5% over three looks.",
        "Alarms: of these those that say slower, and again when run anew. Found: alarms where the",
        "second takes 3% longer, and how many blocks that takes, those run anew with them.",
        "",
        "| noise | in turn, % | decided, % | alarms, % | found, % | blocks |",
        "| :--- | ---: | ---: | ---: | ---: | ---: |",
        *(
            f"| {c.noise} | {100 * c.in_turn:.1f} | {100 * c.decided:.1f} | {100 * c.alarms:.2f} "
            f"| {100 * c.found:.0f} | {c.blocks:.0f} |"
            for c in cells
        ),
        "",
        "In the last row a process takes the mean of ten runs (`--runs`), and starts differ by",
        "three times as much as runs of one.",
        "",
        "## Processes of several runs",
        "",
        "Two equal programs, each timed in so many processes of ten runs, and compared as a report",
        "compares timings. Per cent that are called different at 5%: with all runs as independent",
        "measurements, and with [the mean of a process](ci.md#processes) as its value. Starts:",
        "their standard deviation over that of runs.",
        f"{processes[0].runs:,} simulated comparisons a number.",
        "",
        "| starts | processes | all runs, % | processes, % |",
        "| ---: | ---: | ---: | ---: |",
        *(
            f"| {c.start:g} | {c.processes} | {100 * c.wrong_runs:.1f} "
            f"| {100 * c.wrong_processes:.1f} |"
            for c in processes
        ),
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, if asked to, and write the page."""
    if len(sys.argv) > 1:
        runs = int(sys.argv[1])
        with CELLS.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(f.name for f in fields(Cell))
            writer.writerows(astuple(cell(name, runs)) for name in KINDS)
        with PROCESSES.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(f.name for f in fields(OfProcesses))
            writer.writerows(astuple(of_processes(s, n, runs)) for s in STARTS for n in COUNTS)
    PAGE.write_text(page(read(), read_processes()), encoding="utf-8")


if __name__ == "__main__":
    main()
