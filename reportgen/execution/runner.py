"""The execution of a setup: measure what is missing, keep everything, fill the warehouse."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from reportgen.catalogue.measures.prediction import Prediction
from reportgen.data_classes import dataclass
from reportgen.errors import ExecutionError
from reportgen.execution.characteristics import describe_samples
from reportgen.execution.execution_result import Execution
from reportgen.execution.failures import (
    ADVICE,
    NOT_BEGUN_STAGE,
    FailureLimit,
    failure_rows,
    lacks_memory,
    too_many_failures,
)
from reportgen.execution.journal import Journal, Key, open_journal, read_journal
from reportgen.execution.losses import mean_losses
from reportgen.execution.outcome import KEPT, Cell, Outcome
from reportgen.execution.plan import (
    FIRST_REPLICATION,
    Allowance,
    Plan,
    Schedule,
    fit_seconds,
    plan_of,
    waiting,
)
from reportgen.execution.pool import Executor, ProcessExecutor
from reportgen.execution.replication import Experiment
from reportgen.execution.samples import kept_samples
from reportgen.execution.worker import LostTask, has_memory_limits
from reportgen.installation import page_url
from reportgen.notation import count_processes
from reportgen.progress import Advance
from reportgen.provenance import measuring_versions
from reportgen.report import MeasuredWith
from reportgen.warehouse import FAILURE_COLUMNS, REMARK_COLUMNS, SIZES, Warehouse
from reportgen.warehouse.files import write_warehouse
from reportgen.warehouse.processes import RUNS_OF_PROCESS

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.catalogue.measures.prediction import ComputedMeasure
    from reportgen.study.setup import Setup

log = logging.getLogger("reportgen")

JOURNAL = "journal"
UNKNOWN = (np.nan, np.nan, np.nan)


def assemble_warehouse(
    setup: Setup, outcomes: Mapping[Cell, Outcome], characteristics: pd.DataFrame | None = None
) -> Warehouse:
    """Put the outcomes of all cells into a warehouse.

    `outcomes`: one for every cell of the setup.
    `characteristics`: of the learning samples.
    Result: one row per cell and measure; a measure without a value has the fit's status, or failed
    when the fit itself went well.
    """
    experiment = Experiment.of(setup)
    return Warehouse.of(
        _performances(setup, outcomes),
        (measure.measure for measure in setup.measures),
        datasets=[dataset.name for dataset in setup.datasets],
        candidates=[candidate.name for candidate in setup.candidates],
        failures=pd.DataFrame(failure_rows(outcomes), columns=list(FAILURE_COLUMNS), dtype=object),
        remarks=pd.DataFrame(_remarks(setup, outcomes), columns=list(REMARK_COLUMNS), dtype=object),
        problem=setup.problem,
        resampling={} if setup.own else setup.resampling.described(),
        facts=_facts(setup, outcomes),
        descriptions={c.name: c.description for c in setup.candidates},
        characteristics=characteristics,
        losses=mean_losses(
            experiment.datasets, experiment.measures, experiment.replicate, outcomes
        ),
        predictions=_predictions(outcomes) if setup.execution.keeps_predictions else None,
        samples=kept_samples(experiment.datasets, experiment.replicate, outcomes)
        if setup.execution.keeps_samples
        else (),
    )


def _predictions(outcomes: Mapping[Cell, Outcome]) -> pd.DataFrame:
    """Put what is kept of test observations one below the other."""
    parts = [(cell, outcome.kept) for cell, outcome in outcomes.items() if outcome.kept]
    sizes = [len(kept["observation"]) for _, kept in parts]
    table: dict[str, object] = {
        name: np.repeat(np.array([getattr(cell, name) for cell, _ in parts], dtype=object), sizes)
        for name in Cell._fields
    }
    for name in KEPT:
        table[name] = np.array(list(chain.from_iterable(kept[name] for _, kept in parts)), float)
    frame = pd.DataFrame(table)
    whole = {"replication": np.int64, "observation": np.int64}
    return frame.astype({**whole, "dataset": "category", "candidate": "category"})


def _facts(setup: Setup, outcomes: Mapping[Cell, Outcome]) -> dict[str, dict[str, object]]:
    """Return the facts of all data sets, with the times of stages and of measures of time."""
    facts = {dataset.name: _facts_of(setup, dataset) for dataset in setup.datasets}
    times = {}
    for name, own in facts.items():
        if n_runs := setup.runs_of_process(name):
            own[RUNS_OF_PROCESS] = n_runs
    if setup.resampling.stages:
        times["fit_seconds"] = fit_seconds(outcomes)
    if any(measure.measure.unit_symbol == "s" for measure in setup.measures):
        times["waiting"] = waiting(outcomes)
    for key, found in times.items():
        for name, own in facts.items():
            own[key] = found.get(name, {})
    return facts


def _facts_of(setup: Setup, dataset: DataSet) -> dict[str, object]:
    """Return the facts of a data set itself."""
    n_observations, n_variables = dataset.inputs.shape
    facts: dict[str, object] = {
        "n_observations": n_observations - dataset.n_test,
        "n_variables": n_variables,
        "origin": dataset.origin,
    }
    if setup.resampling_of(dataset.name).assessment == "merged":
        facts["n_observations"] = n_observations
    if dataset.task == "classification":
        facts["n_classes"] = len(dataset.target.cat.categories)
    else:
        facts["response"], facts["response_unit"] = str(dataset.target.name), dataset.unit
    varied = dataset.setting.factors if dataset.setting else ()
    if formula := dataset.source.formula(varied) if dataset.source else dataset.formula:
        facts["formula"] = formula
    is_apart = setup.resampling_of(dataset.name).assessment == "fixed"
    if baselines := constant_values(dataset, setup.measures, is_apart=is_apart):
        facts["baseline"] = baselines
    if dataset.setting:
        facts["setting"] = dataset.setting.described()
    if dataset.name in setup.own:
        facts["resampling"] = setup.own[dataset.name].described()
    return {**facts, **setup.families.get(dataset.name, {})}


def constant_values(
    dataset: DataSet, measures: Sequence[ComputedMeasure], *, is_apart: bool = False
) -> dict[str, float]:
    """Return the values of a constant prediction: the most frequent class, or the mean response.

    Probabilities are the shares of the classes. Costs have none, nor measures of other packages.
    `is_apart`: whether the test sample at the end of the data is always the same; it is predicted
    then by what is before it, else all observations by themselves.
    """
    target = dataset.target
    n = len(target) - dataset.n_test if is_apart and dataset.n_test else len(target)
    if dataset.task == "classification":
        every, classes = target.cat.codes.to_numpy().astype(np.int64), tuple(target.cat.categories)
        shares = np.bincount(every[:n], minlength=len(classes)) / n
        learnt: float = int(shares.argmax())
    else:
        every, classes, shares = target.to_numpy(np.float64), (), None
        learnt = float(every[:n].mean())
    truth = every[n:] if n < len(every) else every
    constant = Prediction(
        truth,
        np.full(len(truth), learnt, dtype=truth.dtype),
        None if shares is None else np.tile(shares, (len(truth), 1)),
        fit_seconds=np.nan,
        predict_seconds=np.nan,
        classes=classes,
    )
    found = {}
    for measure in measures:
        if measure.kind not in ("common", "response") or measure.edition:
            continue
        try:
            value = measure.compute(constant)
        except ValueError:
            continue
        if np.isfinite(value):
            found[measure.name] = float(value)
    return found


def _performances(setup: Setup, outcomes: Mapping[Cell, Outcome]) -> pd.DataFrame:
    cells = pd.DataFrame(list(outcomes), columns=list(Cell._fields))
    sizes = _sizes(outcomes)
    status = np.array([outcome.status for outcome in outcomes.values()])
    parts = []
    for measure in setup.measures:
        values = np.array([o.values.get(measure.name, np.nan) for o in outcomes.values()])
        own = np.where((status == "ok") & np.isnan(values), "failed", status)
        parts.append(cells.assign(measure=measure.name, value=values, status=own, **sizes))
    return pd.concat(parts, ignore_index=True)


def _sizes(outcomes: Mapping[Cell, Outcome]) -> dict[str, np.ndarray]:
    """Return the samples' sizes by column; fits without them take those of their replication'."""
    known = {(c.dataset, c.replication): o.sizes for c, o in outcomes.items() if o.sizes}
    table = np.array([known.get((c.dataset, c.replication), UNKNOWN) for c in outcomes], float)
    columns = table.reshape(-1, 3).T
    return dict(zip(SIZES, columns, strict=True))


def _remarks(setup: Setup, outcomes: Mapping[Cell, Outcome]) -> list[tuple[object, ...]]:
    """List warnings and choices; values are text, so that one column holds them all."""
    rows: list[tuple[object, ...]] = []
    if setup.execution.processes is not None:
        first = {cell.dataset: cell for cell in reversed([*outcomes])}
        for dataset, cell in first.items():
            runs = [setup.runs_of_process(dataset)] * setup.execution.processes
            key = (dataset, cell.replication, cell.candidate)
            rows.append((*key, "reading", "timed-processes", count_processes(runs, "fits")))
    for cell, outcome in outcomes.items():
        key = (cell.dataset, cell.replication, cell.candidate)
        rows += [(*key, "warning", "", text) for text in outcome.warnings]
        rows += [(*key, "choice", name, str(value)) for name, value in outcome.chosen.items()]
    return rows


NOT_BEGUN = Outcome("skipped", stage=NOT_BEGUN_STAGE, message="not begun: too many fits had failed")
"""Of a fit that an execution did not begin; no journal has it."""


def plan_execution(
    setup: Setup,
    folder: Path | None = None,
    executor: Executor | None = None,
    *,
    retry_failed: bool = False,
) -> Plan:
    """Describe what `execute` would measure, without doing it.

    `folder`: where an earlier execution has left its journal.
    `executor`, `retry_failed`: as `execute` would be given them.
    """
    done = {} if folder is None else read_journal(folder / JOURNAL)
    allowance = Allowance.of(setup, local_executor(setup) if executor is None else executor)
    return plan_of(setup, done, allowance, retry_failed=retry_failed)


def execute(
    setup: Setup,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: Advance | None = None,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
) -> Warehouse:
    """Measure every cell of a setup that the journal does not hold yet.

    `setup`, `folder`, `executor`, `progress`, `fresh`, `retry_failed`: see `carry_out`.
    Raises ExecutionError if more fits failed than `setup.execution.max_failures` (everything
    measured is stored), or the execution could not go on.
    """
    again = {"fresh": fresh, "retry_failed": retry_failed}
    found = carry_out(setup, folder, executor, progress, **again)
    if found.fault:
        raise ExecutionError(f"{found.fault} ({ADVICE})")
    return found.warehouse


def carry_out(
    setup: Setup,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: Advance | None = None,
    *,
    fresh: bool = False,
    retry_failed: bool = False,
    is_described: bool = True,
) -> Execution:
    """Measure what the journal does not hold, until it is done or too much has failed.

    `folder`: where journal and warehouse are kept; nothing is kept when omitted.
    `executor`: does the fits; worker processes on this machine when omitted, as many as in the
    setup.
    `progress`: called with the numbers of fits done and of all, first for what was done before.
    `fresh`: whether to measure anew what the journal holds.
    `retry_failed`: whether to do again what failed or timed out.
    `is_described`: whether characteristics of learning samples are computed where the journal lacks
    them.
    Result: its warehouse is stored, also where too many fits failed.
    Raises ExecutionError if the execution could not go on.

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
        run = _run_of(setup, plan)
        described = (
            None if fault else describe_samples(run, journal, executor, is_wanted=is_described)
        )
        warehouse = assemble_warehouse(setup, outcomes, described)
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

    `jobs`: overrules the setup's number. Where fits are timed in processes, one works at a time.
    """
    memory = setup.execution.memory_bytes
    if memory is not None and not has_memory_limits():
        log.warning(
            "execution.memory: this system sets no limits; a fit may use all memory "
            f"(docs: {page_url('install.md#where-it-is-tested')})"
        )
    if setup.execution.processes is not None:
        jobs = 1
    return ProcessExecutor(jobs or setup.execution.jobs, memory)


def _measure_all(
    setup: Setup,
    journal: Journal,
    executor: Executor,
    progress: Advance | None,
    *,
    fresh: bool,
    retry_failed: bool,
) -> tuple[Plan, set[Key]]:
    """Measure what is missing, of a setup in stages until no data set needs a further one."""
    # Result: of a setup in stages the last one; what was measured.
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
    setup: Setup, plan: Plan, journal: Journal, executor: Executor, progress: Advance | None
) -> set[Key]:
    """Have the missing cells measured, write down each as it comes, and return which."""
    n_all, n_missing = len(plan.cells), len(plan.missing)
    log.info("%s of %s fits to run", f"{n_missing:,}", f"{n_all:,}")
    if progress:
        progress(n_all - n_missing, n_all)
    limit = FailureLimit(setup, _stored_outcomes(plan, journal.outcomes), n_all)
    if not plan.missing or limit.is_exceeded:
        return set()
    allowance = Allowance.of(setup, executor)
    experiment = Experiment.of(setup)
    schedule = _schedule(setup, plan, journal.outcomes, experiment.owners)
    results = executor.run(experiment, schedule, allowance.seconds, journal.output)
    measured: set[Key] = set()
    with closing(results):
        for n_run, (cell, result) in enumerate(results, start=1):
            outcome = outcome_of(result, allowance)
            journal.append(plan.cells[cell], cell, outcome)
            measured.add(plan.cells[cell])
            schedule.learn(cell, outcome.seconds)
            if progress:
                progress(n_all - n_missing + n_run, n_all)
            limit.count(outcome)
            if limit.is_exceeded:
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


def _stored_outcomes(plan: Plan, done: Mapping[Key, Outcome]) -> list[Outcome]:
    """Return the outcomes that are not measured again."""
    missing = set(plan.missing)
    return [done[key] for cell, key in plan.cells.items() if cell not in missing]


def _schedule(
    setup: Setup, plan: Plan, done: Mapping[Key, Outcome], apart: Iterable[str]
) -> Schedule:
    """Put the missing cells in order by the times that the journal knows."""
    # Where they are timed in processes, they stay in the order of these.
    if setup.execution.processes is not None:
        return Schedule(plan.missing, {}, {}, are_in_order=True)
    missing = set(plan.missing)
    seconds = {
        (cell.dataset, cell.candidate): done[key].seconds
        for cell, key in plan.cells.items()
        if cell not in missing and done[key].seconds
    }
    sizes = {dataset.name: float(dataset.inputs.size) for dataset in setup.datasets}
    return Schedule(plan.missing, seconds, sizes, apart)


def outcome_of(result: Outcome | LostTask, allowance: Allowance) -> Outcome:
    """Return an outcome, also of a fit whose worker did not come back, with what it lacked."""
    if not isinstance(result, LostTask):
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
    return lacks_memory(outcome.message) or any(map(lacks_memory, outcome.missing.values()))


@dataclass(frozen=True, slots=True)
class Probe:
    """The cost of the first replication."""

    outcomes: Mapping[Cell, Outcome]  # one for each data set and candidate
    n_missing: int  # fits that are left to do
    # That these will take one after the other, if each takes as long as the first of its kind.
    seconds_left: float

    @property
    def unmeasured(self) -> dict[str, str]:
        """The measures that no fit has a value of, though some went well, and why not."""
        fits = [outcome for outcome in self.outcomes.values() if outcome.status == "ok"]
        reasons = {name: reason for fit in fits for name, reason in fit.missing.items()}
        return {m: r for m, r in reasons.items() if not any(m in fit.values for fit in fits)}


def probe(
    setup: Setup, folder: Path | None, executor: Executor, progress: Advance | None = None
) -> Probe:
    """Do the first replication's fits, and keep them: an execution finds them done.

    `folder`: where the journal is.
    `progress`: called with the numbers of fits done and of all.
    """
    allowance = Allowance.of(setup, executor)
    first = setup.at_most(FIRST_REPLICATION)
    path = None if folder is None else folder / JOURNAL
    with open_journal(path, measuring_versions()) as journal:
        plan = plan_of(first, journal.outcomes, allowance)
        results = executor.run(
            Experiment.of(first), plan.missing, allowance.seconds, journal.output
        )
        with closing(results):
            for n_done, (cell, result) in enumerate(results, start=1):
                journal.append(plan.cells[cell], cell, outcome_of(result, allowance))
                if progress:
                    progress(n_done, len(plan.missing))
        outcomes = {cell: journal.outcomes[key] for cell, key in plan.cells.items()}
        whole = plan_of(setup, journal.outcomes, allowance)
    seconds = {(cell.dataset, cell.candidate): o.seconds for cell, o in outcomes.items()}
    left = sum(seconds[cell.dataset, cell.candidate] for cell in whole.missing)
    return Probe(outcomes, len(whole.missing), left)


def fit_again(
    setup: Setup, cells: Sequence[Cell], executor: Executor, progress: Advance | None = None
) -> dict[Cell, Outcome]:
    """Do fits whatever was measured before, and keep nothing of them.

    `cells`: of the setup.
    `progress`: called with the numbers of fits done and of all.
    """
    allowance = Allowance.of(setup, executor)
    outcomes: dict[Cell, Outcome] = {}
    results = executor.run(Experiment.of(setup), cells, allowance.seconds)
    with closing(results):
        for cell, result in results:
            outcomes[cell] = outcome_of(result, allowance)
            if progress:
                progress(len(outcomes), len(cells))
    return outcomes
