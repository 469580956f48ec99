"""Run times of optimisers: expected ones by target, and their distributions over data sets.

Hansen et al. (2021), "COCO: a platform for comparing continuous optimizers in a black-box setting".
The measures are those of `reportgen.performance_measure`: `evaluations`, and the evaluations to
each target.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.errors import AnalysisError
from reportgen.performance_measure import EVALUATIONS, target_exponent
from reportgen.sections.run_time.result import (
    CandidateRuns,
    Distribution,
    ExpectedRunTime,
    RunTimeResult,
)
from reportgen.stats.aggregation.run_time import (
    Estimates,
    Runs,
    budget_distribution,
    expected_run_times,
    run_time_distribution,
)
from reportgen.stats.arrays import Array
from reportgen.study.errors import shown
from reportgen.study.manifest import AnalysisOptions
from reportgen.warehouse import Warehouse

__all__ = ["RunTimeResult", "analyse"]


N_BUDGETS = 61
BEYOND = 10.0  # times the longest run, up to which restarts are followed


def analyse(warehouse: Warehouse, options: AnalysisOptions, rng: Generator) -> RunTimeResult | None:
    """Estimate run times to all targets.

    `rng`: draws runs for restarts and intervals.
    Result: None where no candidate has runs on every data set.
    Raises AnalysisError if a target is reached after the end of a run.
    """
    exponents = sorted(_targets(warehouse), reverse=True)
    runs = {
        name: {
            dataset: own
            for dataset in warehouse.datasets
            if (own := _runs(warehouse, dataset, k, exponents)) is not None
        }
        for k, name in enumerate(warehouse.candidates)
    }
    datasets = tuple(d for d in warehouse.datasets if any(d in own for own in runs.values()))
    whole = {name: [*own.values()] for name, own in runs.items() if len(own) == len(datasets)}
    if not whole or not datasets:
        return None
    longest = {name: [own.used.max() for own in parts] for name, parts in whole.items()}
    budgets = np.geomspace(1, BEYOND * max(map(max, longest.values())), N_BUDGETS)
    budget = float(min(map(min, longest.values())))
    within = {
        name: run_time_distribution(parts, budgets, options.alpha, rng)
        for name, parts in whole.items()
    }
    order = sorted(whole, key=lambda name: -float(within[name].values.sum()))
    return RunTimeResult(
        alpha=options.alpha,
        datasets=datasets,
        missing_candidates=tuple(name for name in runs if name not in whole),
        targets=tuple(float(f"1e{exponent}") for exponent in exponents),
        budgets=tuple(budgets.tolist()),
        within={name: _distribution(within[name]) for name in order},
        budget=budget,
        reached={
            name: _distribution(budget_distribution(whole[name], budget, options.alpha, rng))
            for name in order
        },
        runs=tuple(
            _expected(dataset, name, own[dataset], exponents, options.alpha, rng)
            for dataset in datasets
            for name, own in runs.items()
            if dataset in own
        ),
    )


def _targets(warehouse: Warehouse) -> dict[int, str]:
    """Return the measures of evaluations by the exponents of their targets."""
    names = {target_exponent(measure.name): measure.name for measure in warehouse.measures}
    return {exponent: name for exponent, name in names.items() if exponent is not None}


def _runs(warehouse: Warehouse, dataset: str, k: int, exponents: list[int]) -> Runs | None:
    """Return the runs of a candidate on a data set; None without any."""
    used = warehouse.performances(dataset, EVALUATIONS.name)
    is_run = np.isfinite(used.values[:, k])
    if not is_run.any():
        return None
    replications, measures = used.replications[is_run], _targets(warehouse)
    reached = [_at(warehouse, dataset, measures[e], k, replications) for e in exponents]
    try:
        return Runs(np.column_stack(reached), used.values[is_run, k])
    except ValueError as error:
        where = f"{shown(warehouse.candidates[k])} on {shown(dataset)}"
        raise AnalysisError(f"sections: run_time: {where}: {error}") from None


def _at(
    warehouse: Warehouse, dataset: str, measure: str, k: int, replications: NDArray[np.int64]
) -> Array:
    """Return the values of a measure in some replications, NaN where there is none."""
    found = warehouse.performances(dataset, measure)
    by_replication = dict(
        zip(found.replications.tolist(), found.values[:, k].tolist(), strict=True)
    )
    return np.array([by_replication.get(b, np.nan) for b in replications.tolist()])


def _expected(
    dataset: str, candidate: str, runs: Runs, exponents: list[int], alpha: float, rng: Generator
) -> CandidateRuns:
    """Return the expected run times of a candidate on a data set."""
    found = expected_run_times(runs, alpha, rng)
    targets = []
    for i, (exponent, n) in enumerate(zip(exponents, runs.n_reached.tolist(), strict=True)):
        interval = None
        if n and found.lower is not None and found.upper is not None:
            interval = float(found.lower[i]), float(found.upper[i])
        time = float(found.values[i]) if n else None
        targets.append(ExpectedRunTime(float(f"1e{exponent}"), n, time, interval))
    return CandidateRuns(dataset, candidate, len(runs.used), float(runs.used.max()), tuple(targets))


def _distribution(found: Estimates) -> Distribution:
    if found.lower is None or found.upper is None:
        return Distribution(tuple(found.values.tolist()))
    return Distribution(*(tuple(x.tolist()) for x in (found.values, found.lower, found.upper)))
