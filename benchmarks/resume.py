"""How long it takes to find that everything has been measured: a million fits in the journal.

    python benchmarks/resume.py [fits]

Prints seconds for reading the journal, for the whole of an execution with
nothing left to do (journal, plan, tables, Parquet), and that over the reading.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from reportgen.catalogue.candidates import CANDIDATES, find_candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.measures import find_measure
from reportgen.execution.journal import open_journal, read_journal
from reportgen.execution.outcome import Outcome
from reportgen.execution.runner import JOURNAL, execute, plan_execution
from reportgen.study.resampling import Resampling
from reportgen.study.setup import Setup

N_DATASETS, N_CANDIDATES = 20, 5


class Idle:
    """An executor that must have nothing to do."""

    memory: int | None = None

    def run(
        self, work: Any, tasks: Iterable[Any], timeout: float | None = None
    ) -> Generator[Any, None, None]:
        """Refuse all work."""
        raise RuntimeError("a fit was not found in the journal")
        yield


def main(n_fits: int) -> None:
    """Write a journal, and time how it is taken up."""
    setup = _setup(n_fits)
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write_journal(setup, folder)
        reading = _seconds(lambda: read_journal(folder / JOURNAL))
        whole = _seconds(lambda: execute(setup, folder, Idle()))
    gibibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{setup.size.n_fits:,} fits in the journal: read in {reading:.1f} s")
    print(
        f"taken up, tabulated and stored in {whole:.1f} s: {whole / reading:.2f} times the reading"
    )
    print(f"largest memory {gibibytes:.2f} GiB")


def _setup(n_fits: int) -> Setup:
    data = find_dataset("twonorm", 50)
    return Setup(
        "resume",
        "real-world",
        tuple(replace(data, name=f"d{i}") for i in range(N_DATASETS)),
        tuple(find_candidate(name) for name in CANDIDATES[:N_CANDIDATES]),
        (find_measure("misclassification"), find_measure("fit-time")),
        Resampling("bootstrap", n_fits // (N_DATASETS * N_CANDIDATES)),
        seed=1,
    )


def _write_journal(setup: Setup, folder: Path) -> None:
    with open_journal(folder / JOURNAL) as journal:
        for i, (cell, key) in enumerate(plan_execution(setup).cells.items()):
            values = {"misclassification": (i % 997) / 997, "fit-time": 0.001 + 1e-9 * i}
            journal.append(key, cell, Outcome("ok", values, (50, 32, 18), seconds=0.002))


def _seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
