"""The execution of a setup: measure what is missing, keep everything, fill the warehouse."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import ExecutionError
from reportgen.execution.characterising import describe_samples
from reportgen.execution.failures import NOT_BEGUN, Patience, too_many_failures
from reportgen.execution.fitting import lacks_memory
from reportgen.execution.gathering import gathered
from reportgen.execution.journal import Journal, Key, open_journal, read_journal
from reportgen.execution.plan import Allowance, Plan, plan_of
from reportgen.execution.pool import Executor, ProcessExecutor
from reportgen.execution.replication import Experiment, Outcome
from reportgen.execution.schedule import Schedule
from reportgen.execution.worker import Lost
from reportgen.origin import MeasuredWith
from reportgen.provenance import measuring_versions
from reportgen.warehouse import Warehouse
from reportgen.warehouse_files import write_warehouse

if TYPE_CHECKING:
    from reportgen.study.setup import Setup

log = logging.getLogger("reportgen")

Progress = Callable[[int, int], None]
"""Takes the number of fits that are done, and of all."""

JOURNAL = "journal"


@dataclass(frozen=True, slots=True)
class Execution:
    """What an execution leaves behind.

    Attributes
    ----------
    warehouse : Warehouse
        One row a fit and measure; fits that it did not come to are skipped.
    n_run, n_reused : int
        Fits that were done now, and that the journal had.
    measured_with : tuple of MeasuredWith
        Versions with which the fits were made.
    fault : str
        Why what was measured is not to be reported as it is; empty where it is.
    """

    warehouse: Warehouse
    n_run: int = 0
    n_reused: int = 0
    measured_with: tuple[MeasuredWith, ...] = ()
    fault: str = ""


def plan_execution(
    setup: Setup,
    folder: Path | None = None,
    executor: Executor | None = None,
    *,
    retry_failed: bool = False,
) -> Plan:
    """Say what `execute` would measure, without doing it.

    Parameters
    ----------
    setup : Setup
    folder : Path, optional
        Where an earlier execution has left its journal.
    executor, retry_failed
        As `execute` would be given them.
    """
    done = {} if folder is None else read_journal(folder / JOURNAL)
    allowance = Allowance.of(setup, local_executor(setup) if executor is None else executor)
    return plan_of(setup, done, allowance, retry_failed=retry_failed)


def execute(
    setup: Setup,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
) -> Warehouse:
    """Measure every cell of a setup that the journal does not hold yet.

    Parameters
    ----------
    setup, folder, executor, progress, fresh, retry_failed
        See `carry_out`.

    Returns
    -------
    Warehouse

    Raises
    ------
    ExecutionError
        If more fits failed than `setup.execution.max_failures` (everything
        measured is stored), or the execution could not go on.
    """
    again = {"fresh": fresh, "retry_failed": retry_failed}
    found = carry_out(setup, folder, executor, progress, **again)
    if found.fault:
        raise ExecutionError(found.fault)
    return found.warehouse


def carry_out(
    setup: Setup,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
) -> Execution:
    """Measure what the journal does not hold, until it is done or too much has failed.

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
    retry_failed : bool
        Whether to do again what failed or timed out.

    Returns
    -------
    Execution
        Its warehouse is stored, also where too many fits failed.

    Raises
    ------
    ExecutionError
        If the execution could not go on.

    Notes
    -----
    It stops as soon as more fits have failed than `setup.execution.max_failures`,
    whatever would come of the others.

    A cell's performances depend on the study's seed, the data set's name and
    content, the resampling, the replication, and the candidate's name and
    definition, but neither on the order of work nor on what else is measured.
    """
    executor = local_executor(setup) if executor is None else executor
    path = None if folder is None else folder / JOURNAL
    with open_journal(path, measuring_versions()) as journal:
        again = {"fresh": fresh, "retry_failed": retry_failed}
        plan, measured = _measure_all(setup, journal, executor, progress, **again)
        found = journal.outcomes
        outcomes = {cell: found.get(key, NOT_BEGUN) for cell, key in plan.cells.items()}
        fault = too_many_failures(setup, outcomes)
        described = None if fault else describe_samples(_run_of(setup, plan), journal, executor)
        warehouse = gathered(setup, outcomes, described)
        if folder is not None:
            write_warehouse(warehouse, folder)
    return Execution(
        warehouse,
        n_run=len(measured),
        n_reused=len(set(plan.cells.values()) - {plan.cells[c] for c in plan.missing} - measured),
        measured_with=_measured_with(journal.sessions, outcomes.values()),
        fault=fault,
    )


def local_executor(setup: Setup, jobs: int | None = None) -> ProcessExecutor:
    """Return the worker processes on this machine that a setup asks for.

    Parameters
    ----------
    setup : Setup
    jobs : int, optional
        Overrules the setup's number.
    """
    return ProcessExecutor(jobs or setup.execution.jobs, setup.execution.memory_bytes)


def _measure_all(
    setup: Setup,
    journal: Journal,
    executor: Executor,
    progress: Progress | None,
    *,
    fresh: bool,
    retry_failed: bool,
) -> tuple[Plan, set[Key]]:
    """Measure what is missing, of a setup in stages until no data set needs a further one.

    Returns
    -------
    Plan
        Of a setup in stages the last one.
    set of key
        What was measured.
    """
    done = {} if fresh else journal.outcomes
    allowance = Allowance.of(setup, executor)
    measured: set[Key] = set()
    while True:
        plan = plan_of(setup, done, allowance, retry_failed=retry_failed, settled=measured)
        if measured and not plan.missing:
            return plan, measured
        n_planned, keys = len(plan.missing), _measure(setup, plan, journal, executor, progress)
        measured |= keys
        if setup.resampling.stages is None or len(keys) < n_planned or not keys:
            return plan, measured
        if fresh:
            done.update((key, journal.outcomes[key]) for key in keys)


def _run_of(setup: Setup, plan: Plan) -> Setup:
    """Return the setup with as many replications as any data set was given."""
    return setup.at_most(max((cell.replication for cell in plan.cells), default=1))


def _measure(
    setup: Setup, plan: Plan, journal: Journal, executor: Executor, progress: Progress | None
) -> set[Key]:
    """Have the missing cells measured, write down each as it comes, and return which."""
    n_all, n_missing = len(plan.cells), len(plan.missing)
    log.info("%s of %s fits to run", f"{n_missing:,}", f"{n_all:,}")
    if progress:
        progress(n_all - n_missing, n_all)
    patience = Patience(setup, _kept(plan, journal.outcomes), n_all)
    if not plan.missing or patience.is_over:
        return set()
    allowance = Allowance.of(setup, executor)
    schedule = _schedule(setup, plan, journal.outcomes)
    results = executor.run(Experiment.of(setup), schedule, allowance.seconds)
    measured: set[Key] = set()
    with closing(results):
        for n_run, (cell, result) in enumerate(results, start=1):
            outcome = settled(result, allowance)
            journal.append(plan.cells[cell], cell, outcome)
            measured.add(plan.cells[cell])
            schedule.learn(cell, outcome.seconds)
            if progress:
                progress(n_all - n_missing + n_run, n_all)
            patience.take(outcome)
            if patience.is_over:
                break
    return measured


def _measured_with(
    sessions: Sequence[Mapping[str, str]], outcomes: Iterable[Outcome]
) -> tuple[MeasuredWith, ...]:
    """Count the fits by the versions that made them, in the order of the sessions."""
    by_session = Counter(outcome.session for outcome in outcomes if outcome is not NOT_BEGUN)
    counts: Counter[int] = Counter()
    for session, n_fits in by_session.items():
        counts[sessions.index(sessions[session])] += n_fits
    return tuple(MeasuredWith(sessions[first], n) for first, n in sorted(counts.items()))


def _kept(plan: Plan, done: Mapping[Key, Outcome]) -> list[Outcome]:
    """Return the outcomes that are not measured again."""
    missing = set(plan.missing)
    return [done[key] for cell, key in plan.cells.items() if cell not in missing]


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


def settled(result: Outcome | Lost, allowance: Allowance) -> Outcome:
    """Return an outcome, also of a fit whose worker did not come back, with what it lacked."""
    if not isinstance(result, Lost):
        return replace(result, memory=allowance.memory) if _is_starved(result) else result
    is_late = result.status == "timed-out"
    return Outcome(
        result.status,
        stage="fit",
        message=result.message,
        timeout=allowance.seconds if is_late else None,
        memory=allowance.memory if result.may_lack_memory else None,
        seconds=(allowance.seconds or 0.0) if is_late else 0.0,
    )


def _is_starved(outcome: Outcome) -> bool:
    """Whether a fit, or one of its measures, was denied memory."""
    return lacks_memory(outcome.message) or any(map(lacks_memory, outcome.absent.values()))
