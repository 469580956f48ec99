"""Run times of optimisers: expected ones by target, and their distributions over data sets.

Hansen et al. (2021), "COCO: a platform for comparing continuous optimizers in a black-box setting".
The measures are those of `reportgen.performance_measure`: `evaluations`, and the evaluations to
each target.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import AnalysisError
from reportgen.performance_measure import EVALUATIONS, target_exponent
from reportgen.stats.aggregation.run_time import (
    Estimates,
    Runs,
    budget_distribution,
    expected_run_times,
    run_time_distribution,
)
from reportgen.stats.arrays import Array, Interval
from reportgen.study.errors import shown
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse

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


@dataclass(frozen=True, slots=True)
class ExpectedRunTime:
    """The expected run time of a candidate to a target on a data set.

    Attributes
    ----------
    target : float
    n_reached : int
        Runs that have reached it.
    evaluations : float or None
        None where none has.
    interval : tuple of two floats, or None
        For itself, the upper limit maybe infinite; None with few runs, or where no run has.
    """

    target: float
    n_reached: int
    evaluations: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class CandidateRuns:
    """The runs of a candidate on a data set.

    Attributes
    ----------
    dataset, candidate : str
    n_runs : int
    used : float
        Evaluations of the longest run.
    targets : tuple of ExpectedRunTime
        The easiest first.
    """

    dataset: str
    candidate: str
    n_runs: int
    used: float
    targets: tuple[ExpectedRunTime, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Shares, with intervals for themselves.

    Attributes
    ----------
    shares : tuple of float
    lower, upper : tuple of float
        Empty where a data set has few runs.
    """

    shares: tuple[float, ...]
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()

    @property
    def last(self) -> float:
        """The last share."""
        return self.shares[-1]


@dataclass(frozen=True, slots=True)
class RunTimeResult:
    """Run times over all data sets on which all candidates have runs.

    Attributes
    ----------
    alpha : float
    datasets : tuple of str
    missing_candidates : tuple of str
        Candidates without runs on some data set, which distributions leave out.
    targets : tuple of float
        The easiest first.
    budgets : tuple of float
        Numbers of evaluations, ascending.
    within : mapping of str to Distribution
        By candidate the share of run times, with restarts, within each budget, over targets and
        data sets; the candidate with the largest area over the logarithm of budgets first.
    budget : float
        Evaluations that every candidate has used on every data set, by its longest run.
    reached : mapping of str to Distribution
        By candidate the share of runs that have reached each target within that budget.
    runs : tuple of CandidateRuns
    """

    alpha: float
    datasets: tuple[str, ...]
    missing_candidates: tuple[str, ...]
    targets: tuple[float, ...]
    budgets: tuple[float, ...]
    within: Mapping[str, Distribution]
    budget: float
    reached: Mapping[str, Distribution]
    runs: tuple[CandidateRuns, ...]

    @property
    def candidates(self) -> tuple[str, ...]:
        """The candidates of the distributions, in their order."""
        return tuple(self.within)

    @property
    def has_intervals(self) -> bool:
        """Whether every data set has runs enough to resample them."""
        return all(own.lower for own in self.reached.values())

    @property
    def at_budget(self) -> Mapping[str, float]:
        """By candidate the share of runs and targets that are reached within the budget."""
        return {name: sum(own.shares) / len(own.shares) for name, own in self.reached.items()}

    @property
    def best(self) -> tuple[str, ...]:
        """All with the largest of these shares."""
        most = max(self.at_budget.values())
        return tuple(name for name, share in self.at_budget.items() if share == most)

    @property
    def worst(self) -> tuple[str, ...]:
        """All with the smallest of these shares; empty where all have the same."""
        least = min(self.at_budget.values())
        found = tuple(name for name, share in self.at_budget.items() if share == least)
        return () if found == self.best else found

    def of(self, dataset: str) -> tuple[CandidateRuns, ...]:
        """Return the runs on a data set."""
        return tuple(own for own in self.runs if own.dataset == dataset)

    def hardest(self, dataset: str) -> tuple[tuple[CandidateRuns, ExpectedRunTime], ...]:
        """Return the expected run times to the hardest target that any run has reached there."""
        own = self.of(dataset)
        reached = [i for i in range(len(self.targets)) if any(r.targets[i].n_reached for r in own)]
        return tuple((runs, runs.targets[reached[-1]]) for runs in own) if reached else ()

    @property
    def firsts(self) -> Mapping[str, int]:
        """On how many data sets each has the smallest expected run time to the hardest target."""
        found = dict.fromkeys(self.candidates, 0)
        for dataset in self.datasets:
            times = {
                runs.candidate: own.evaluations
                for runs, own in self.hardest(dataset)
                if own.evaluations is not None
            }
            for name in [name for name, time in times.items() if time == min(times.values())]:
                found[name] = found.get(name, 0) + 1
        return {name: n for name, n in found.items() if n}
