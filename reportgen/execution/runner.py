"""The execution of a setup: measure what is missing, keep everything, fill the warehouse."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import ExecutionError
from reportgen.execution.gathering import gathered
from reportgen.execution.journal import Journal, Key, open_journal, read_journal
from reportgen.execution.pool import Executor, ProcessExecutor
from reportgen.execution.replication import Cell, Experiment, Outcome
from reportgen.execution.schedule import Schedule
from reportgen.execution.worker import Lost
from reportgen.warehouse import Warehouse
from reportgen.warehouse_files import write_warehouse

if TYPE_CHECKING:
    from reportgen.catalogue.candidates import Candidate
    from reportgen.catalogue.dataset import DataSet
    from reportgen.study.setup import Setup

log = logging.getLogger("reportgen")

Progress = Callable[[int, int], None]
"""Takes the number of fits that are done, and of all."""

JOURNAL = "journal"
FIRST_REPLICATION = 1
FAMILY_VERSION = 1  # of what a fit depends on
FAMILY_LENGTH = 24  # hexadecimal digits: 96 bits


class Tally:
    """A progress that takes down how many fits there are to run, and passes itself on.

    Parameters
    ----------
    progress : callable, optional
        Whom to tell.

    Attributes
    ----------
    n_missing, n_all : int
        As they were before the first fit.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self.n_missing = self.n_all = 0
        self._progress = progress

    def __call__(self, n_done: int, n_all: int) -> None:
        """Take the numbers of fits done and of all; the first call comes before any fit."""
        if not self.n_all:
            self.n_missing, self.n_all = n_all - n_done, n_all
            log.info("%s of %s fits to run", f"{self.n_missing:,}", f"{n_all:,}")
        if self._progress:
            self._progress(n_done, n_all)


@dataclass(frozen=True, slots=True)
class Plan:
    """What an execution would do.

    Attributes
    ----------
    cells : mapping of Cell to key
        Every fit of the setup, in the order of work, with its place in the
        journal.
    missing : tuple of Cell
        The fits that are to be done; the others are in the journal.
    """

    cells: Mapping[Cell, Key]
    missing: tuple[Cell, ...]


def plan_execution(setup: Setup, folder: Path | None = None) -> Plan:
    """Say what `execute` would measure, without doing it.

    Parameters
    ----------
    setup : Setup
    folder : Path, optional
        Where an earlier execution has left its journal.
    """
    done = {} if folder is None else read_journal(folder / JOURNAL)
    return plan_of(setup, done)


def execute(
    setup: Setup,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    fresh: bool = False,
) -> Warehouse:
    """Measure every cell of a setup that the journal does not hold yet.

    Parameters
    ----------
    setup : Setup
    folder : Path, optional
        Where journal and warehouse are kept; nothing is kept when omitted.
    executor : Executor, optional
        Does the fits; worker processes on this machine when omitted, as many
        as the setup says.
    progress : callable, optional
        Called with the numbers of fits done and of all, first for what was
        done before.
    fresh : bool
        Whether to measure anew what the journal holds.

    Returns
    -------
    Warehouse

    Raises
    ------
    ExecutionError
        If more fits failed than `setup.execution.max_failures` (everything
        measured is stored), or the execution could not go on.

    Notes
    -----
    A cell's performances depend on the study's seed, the data set's name and
    content, the resampling, the replication, and the candidate's name and
    definition, but neither on the order of work nor on what else is measured.
    """
    executor = local_executor(setup) if executor is None else executor
    with open_journal(None if folder is None else folder / JOURNAL) as journal:
        plan = plan_of(setup, {} if fresh else journal.outcomes)
        _measure(setup, plan, journal, executor, progress)
        outcomes = {cell: journal.outcomes[key] for cell, key in plan.cells.items()}
    warehouse = gathered(setup, outcomes)
    if folder is not None:
        write_warehouse(warehouse, folder)
    _check_failures(setup, outcomes)
    return warehouse


def local_executor(setup: Setup, jobs: int | None = None) -> ProcessExecutor:
    """Return the worker processes on this machine that a setup asks for.

    Parameters
    ----------
    setup : Setup
    jobs : int, optional
        Overrules the setup's number.
    """
    return ProcessExecutor(jobs or setup.execution.jobs, setup.execution.memory_bytes)


def plan_of(setup: Setup, done: Mapping[Key, Outcome]) -> Plan:
    """Say which fits of a setup a journal's outcomes leave to do."""
    families = {
        (dataset.name, candidate.name): _family(setup, dataset, candidate)
        for dataset in setup.datasets
        for candidate in setup.candidates
    }
    last = FIRST_REPLICATION + setup.resampling.replications
    cells = {
        Cell(dataset.name, b, candidate.name): (families[dataset.name, candidate.name], b)
        for dataset in setup.datasets
        for b in range(FIRST_REPLICATION, last)
        for candidate in setup.candidates
    }
    missing = (cell for cell, key in cells.items() if not _is_done(done.get(key), setup))
    return Plan(cells, tuple(missing))


def _family(setup: Setup, dataset: DataSet, candidate: Candidate) -> str:
    """Name all on which the fits of a candidate on a data set depend, but the replication."""
    content = {
        "version": FAMILY_VERSION,
        "dataset": [dataset.name, dataset.digest],
        "candidate": [candidate.name, candidate.definition(dataset.task)],
        "resampling": [
            setup.resampling.scheme,
            setup.resampling.fraction,
            setup.resampling.stratify,
        ],
        "seed": setup.seed,
    }
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:FAMILY_LENGTH]


def _is_done(outcome: Outcome | None, setup: Setup) -> bool:
    """Whether an outcome of the journal serves the setup as it is now."""
    if outcome is None:
        return False
    if outcome.status == "timed-out":
        allowed = setup.execution.timeout_seconds
        return allowed is not None and allowed <= (outcome.timeout or 0.0)
    if outcome.status == "ok":
        return all(m.name in outcome.values or m.name in outcome.absent for m in setup.measures)
    return True


def _measure(
    setup: Setup, plan: Plan, journal: Journal, executor: Executor, progress: Progress | None
) -> None:
    """Have the missing cells measured, and write down each as it comes."""
    n_all = len(plan.cells)
    n_done = n_all - len(plan.missing)
    if progress:
        progress(n_done, n_all)
    if not plan.missing:
        return
    timeout = setup.execution.timeout_seconds
    schedule = _schedule(setup, plan, journal.outcomes)
    results = executor.run(Experiment.of(setup), schedule, timeout)
    with closing(results):
        for cell, result in results:
            outcome = lost(result, timeout)
            journal.append(plan.cells[cell], cell, outcome)
            schedule.learn(cell, outcome.seconds)
            n_done += 1
            if progress:
                progress(n_done, n_all)


def _schedule(setup: Setup, plan: Plan, done: Mapping[Key, Outcome]) -> Schedule:
    """Put the missing cells in order by the times that the journal knows."""
    missing = set(plan.missing)
    seconds = {
        (cell.dataset, cell.candidate): done[key].seconds
        for cell, key in plan.cells.items()
        if cell not in missing and done[key].seconds
    }
    sizes = {dataset.name: float(dataset.inputs.size) for dataset in setup.datasets}
    return Schedule(plan.missing, seconds, sizes)


def lost(result: Outcome | Lost, timeout: float | None) -> Outcome:
    """Return an outcome, also of a fit whose worker did not come back."""
    if not isinstance(result, Lost):
        return result
    is_late = result.status == "timed-out"
    return Outcome(
        result.status,
        stage="fit",
        message=result.message,
        timeout=timeout if is_late else None,
        seconds=(timeout or 0.0) if is_late else 0.0,
    )


def _check_failures(setup: Setup, outcomes: Mapping[Cell, Outcome]) -> None:
    """Raise an ExecutionError when more fits failed than the setup puts up with."""
    failed = [c for c, outcome in outcomes.items() if outcome.status in ("failed", "timed-out")]
    allowed = setup.execution.max_failures.of(len(outcomes))
    if len(failed) <= allowed:
        return
    first = failed[0]
    raise ExecutionError(
        f"{len(failed)} of {len(outcomes)} fits failed, more than the {allowed} that "
        f"execution.max_failures allows; first {first.candidate} on {first.dataset}, "
        f"replication {first.replication}, at {outcomes[first].stage}: {outcomes[first].message}"
    )
