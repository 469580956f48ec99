"""What the items of tasks tell: every pair over these tasks, and where its variance is from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import compress
from math import isfinite

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.sections.domain.result import DomainVerdict
from reportgen.sections.inference.result import ALL_PAIRS, InferenceResult, MeasureInference
from reportgen.stats.arrays import Array, Interval, column_means
from reportgen.stats.items.bounds import missing_item_bounds
from reportgen.stats.items.clusters import Codes, cluster_correlations
from reportgen.stats.items.comparison import detectable_differences
from reportgen.stats.items.runs import compare_these_items, units_for_half, variance_parts
from reportgen.stats.items.tasks import compare_tasks, task_means
from reportgen.stats.pair_table import Pair
from reportgen.stats.pairs.paired_max_t import as_ratios
from reportgen.study.comparison import (
    area_on,
    comparison_scale,
    comparison_values,
    filled_values,
    is_area_given,
)
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Performances, Warehouse


@dataclass(frozen=True, slots=True)
class TaskPair:
    """Two candidates on the items of one task.

    Attributes
    ----------
    first, second : str
        The better mean first.
    estimate : float or None
        The advantage of the first: positive where its mean is better.
    n : int
        Items that both answered.
    n_flips : tuple of int
        Items on which the first is better, and on which the second is.
    detectable : float or None
        The smallest difference that would be decided with probability .8, at the level of the
        verdict; None where nothing varies.
    noise_share : float or None
        The part of the variance of the difference that repeated runs explain; the rest is of
        items. None with one run.
    half_runs, half_items : float or None
        How many runs of each item, and how many items, would halve the interval; None where
        no number does, or it is not known.
    these_items : tuple of two floats or None
        Interval of the advantage on these items alone: the candidates' own noise. None with one
        run.
    correlation : float or None
        Of the differences of items of one cluster; None without clusters.
    """

    first: str
    second: str
    estimate: float | None
    n: int
    n_flips: tuple[int, int]
    detectable: float | None
    noise_share: float | None
    half_runs: float | None
    half_items: float | None
    these_items: Interval | None
    correlation: float | None


@dataclass(frozen=True, slots=True)
class MissingItems:
    """Items that a candidate has no value of, held against the one with the better mean.

    Attributes
    ----------
    first, second : str
        The better mean first.
    n : tuple of int
        Items without a value of the first, and of the second.
    estimate : float
        The advantage of the first with values alone.
    bound : float
        Its advantage if it had the worst value on every item it lacks, and the other the best.
    is_decided : bool
        Whether the two are decided not to be equal on the task.
    """

    first: str
    second: str
    n: tuple[int, int]
    estimate: float
    bound: float
    is_decided: bool

    @property
    def can_turn(self) -> bool:
        """Whether the items left out could turn the order of the two."""
        return self.bound < 0 < self.estimate


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes
    ----------
    name : str
    n_items, n_clusters, n_runs : int
        Clusters are 0 where no two items share one; runs are the most of an item.
    pairs : tuple of TaskPair
        In the order of the means.
    ranks : mapping of str to (int, int)
        From 1 + those decided better to K - those decided worse; best mean first.
    missing_items : tuple of MissingItems
        Pairs of which one lacks items; empty where the measure has no bounds.
    """

    name: str
    n_items: int
    n_clusters: int
    n_runs: int
    pairs: tuple[TaskPair, ...]
    ranks: Mapping[str, tuple[int, int]]
    missing_items: tuple[MissingItems, ...]


@dataclass(frozen=True, slots=True)
class ItemsResult:
    """The main measure on items.

    Attributes
    ----------
    measure : str
    alpha : float
    tasks : tuple of Task
        Those with two candidates, in the study's order.
    verdict : mapping of str to DomainVerdict
        By measure: every pair over these tasks, which weigh the same, for other items of
        them. Empty with one task.
    ranks : mapping of str to (int, int)
        Over these tasks, by the main measure; empty with one task.
    """

    measure: str
    alpha: float
    tasks: tuple[Task, ...]
    verdict: Mapping[str, DomainVerdict]
    ranks: Mapping[str, tuple[int, int]]
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)

    @property
    def main(self) -> DomainVerdict | None:
        """The verdict by the main measure."""
        return self.verdict.get(self.measure)

    @property
    def number_format(self) -> NumberFormat:
        """How differences are written."""
        values = [abs(p.estimate) for t in self.tasks for p in t.pairs if p.estimate is not None]
        return number_format(self.measured, values)

    @property
    def noisy(self) -> tuple[tuple[Task, TaskPair], ...]:
        """The pairs of which the noise of runs is known, the largest share first."""
        rows = [(t, p) for t in self.tasks for p in t.pairs if p.noise_share is not None]
        return tuple(sorted(rows, key=lambda row: -(row[1].noise_share or 0.0)))

    @property
    def has_pairs(self) -> bool:
        """Whether a task has a pair with a verdict."""
        return any(task.pairs for task in self.tasks)

    @property
    def shown_pairs(self) -> tuple[tuple[Task, TaskPair], ...]:
        """The pairs of each task; of many candidates those of the best mean of the task."""
        return tuple((task, pair) for task in self.tasks for pair in _shown(task))

    @property
    def shows_all_pairs(self) -> bool:
        """Whether these are all pairs."""
        return len(self.shown_pairs) == sum(len(task.pairs) for task in self.tasks)

    @property
    def has_runs(self) -> bool:
        """Whether some task's items were run several times."""
        return any(task.n_runs > 1 for task in self.tasks)

    @property
    def has_clusters(self) -> bool:
        """Whether some task's items share clusters."""
        return any(task.n_clusters for task in self.tasks)

    @property
    def missing_items(self) -> tuple[tuple[Task, MissingItems], ...]:
        """The pairs of which one lacks items, by task."""
        return tuple((task, own) for task in self.tasks for own in task.missing_items)

    @property
    def turned(self) -> tuple[tuple[Task, MissingItems], ...]:
        """The decided ones that the items left out could turn."""
        return tuple(both for both in self.missing_items if both[1].can_turn and both[1].is_decided)


def _shown(task: Task) -> tuple[TaskPair, ...]:
    best = next(iter(task.ranks), None)
    own = tuple(pair for pair in task.pairs if pair.first == best)
    is_long = len(task.ranks) > ALL_PAIRS and len(own) == len(task.ranks) - 1
    return own if is_long else task.pairs


def analyse(
    warehouse: Warehouse,
    options: AnalysisOptions,
    rng: Generator,
    *,
    inference: Mapping[str, InferenceResult],
) -> ItemsResult:
    """Compare the candidates over these tasks, and take each task's main measure apart.

    `rng`: not used: nothing here is random.
    `inference`: the verdicts by task.
    """
    main = warehouse.measures[0]
    by_measure = {m.name: task_performances(warehouse, m) for m in warehouse.measures}
    several = {name: own for name, own in by_measure.items() if len(own) > 1}
    found = {name: _over_tasks(own, options) for name, own in several.items()}
    verdict = {name: own for name, own in found.items() if own is not None}
    decided = verdict.get(main.name)
    tasks = (
        _task(warehouse, own, inference[own.dataset][main.name]) for own in by_measure[main.name]
    )
    return ItemsResult(
        measure=main.name,
        alpha=options.alpha,
        tasks=tuple(tasks),
        verdict=verdict,
        ranks=decided.rank_ranges if decided else {},
        measured=main,
    )


def task_performances(warehouse: Warehouse, measure: Measure) -> list[Performances]:
    """Return the values of a measure of every task on which two candidates have some."""
    found = (warehouse.performances(name, measure.name) for name in warehouse.datasets)
    return [own for own in found if np.isfinite(own.values).any(axis=0).sum() > 1]


# ----------------------------------------------------------------------- over these tasks


def _over_tasks(tasks: list[Performances], options: AnalysisOptions) -> DomainVerdict | None:
    """Decide on every pair for other items of these tasks."""
    measure = tasks[0].measure
    every = np.concatenate([own.values.ravel() for own in tasks])
    given = options.relevance.get(measure.name)
    scale = comparison_scale(measure, every, given)
    is_known = np.all([np.isfinite(own.values).any(axis=0) for own in tasks], axis=0)
    names = tuple(compress(tasks[0].candidates, is_known))
    if len(names) < 2:
        return None
    known = [np.ascontiguousarray(own.values[:, is_known]) for own in tasks]  # on every task
    values = [comparison_values(x, scale) for x in known]
    filled = [filled_values(x, scale, measure) for x in known]
    own_means, means = (np.mean([column_means(x) for x in y], axis=0) for y in (values, filled))
    smaller, clusters = measure.is_smaller_better, [own.clusters for own in tasks]
    table = compare_tasks(values, clusters, options.alpha, is_smaller_better=smaller)
    table = as_ratios(table) if scale == "ratio" else table
    area = area_on(scale, given)
    pairs = table.named(names, "these-tasks", smaller).decided(area)
    own_means, means = (np.exp(x) if scale == "ratio" else x for x in (own_means, means))
    has_gaps = not all(np.isfinite(x).all() for x in values)
    verdict = DomainVerdict(
        measure=measure,
        alpha=options.alpha,
        relevance=area,
        target="these-tasks",
        method="these-tasks",
        pairs=pairs,
        means=dict(zip(names, means.tolist(), strict=True)),
        n_datasets=len(tasks),
        datasets=tuple(own.dataset for own in tasks),
        own_means=dict(zip(names, own_means.tolist(), strict=True)) if has_gaps else {},
        n_values=dict.fromkeys(names, len(tasks)) if has_gaps else {},
        n_missing=int(sum(np.isnan(x).sum() for x in values)),
        is_area_given=is_area_given(scale, given),
    )
    return verdict if options.deciding is None else verdict.against(options.deciding)


# ------------------------------------------------------------------------------- one task


def _task(warehouse: Warehouse, own: Performances, verdict: MeasureInference) -> Task:
    """Take the differences on one task apart, of the candidates that have a verdict."""
    columns = [own.candidates.index(name) for name in verdict.candidates]
    values = own.values[:, columns]
    runs = warehouse.run_values(own.dataset, own.measure.name)
    runs = None if runs is None else runs[:, :, columns]
    return Task(
        name=own.dataset,
        n_items=len(values),
        n_clusters=0 if own.clusters is None else len(np.unique(own.clusters)),
        n_runs=1 if runs is None else runs.shape[1],
        pairs=_pairs(verdict, values, own.clusters, runs) if verdict.pairs else (),
        ranks=verdict.rank_ranges if verdict.pairs else {},
        missing_items=_missing_items(verdict, values) if verdict.pairs else (),
    )


def _better_first(verdict: MeasureInference) -> Iterator[tuple[int, Pair, float]]:
    """Yield the place of each pair, the pair with the better mean first, and the sign of that."""
    # The sign makes first - second of the table an advantage of the first that is yielded.
    table, side = verdict.pairs, -1.0 if verdict.measure.is_smaller_better else 1.0
    for pair in verdict.best_first:
        p = table.row_of(pair.first, pair.second)
        assert p is not None
        is_turned = table.candidates[table.first[p]] != pair.first
        yield p, pair, -side if is_turned else side


def _pairs(
    verdict: MeasureInference, values: Array, clusters: Codes | None, runs: Array | None
) -> tuple[TaskPair, ...]:
    table, alpha = verdict.pairs, verdict.alpha
    parts = task_means(values, clusters)
    m = max(1, int((table.extra["n"] > 0).sum()))
    least = detectable_differences(parts.standard_error, parts.df, alpha, n_comparisons=m)
    empty = np.full(len(parts.n), np.nan)
    noise, half_runs, lower, upper = empty, empty, empty, empty
    if runs is not None:
        split = variance_parts(runs, clusters)
        noise = np.minimum(split.noise / np.where(split.total > 0, split.total, np.nan), 1.0)
        half_runs = units_for_half(split)[0]
        these = compare_these_items(
            runs, alpha, is_smaller_better=verdict.measure.is_smaller_better
        )
        lower, upper = these.lower, these.upper
    alike = empty if clusters is None else cluster_correlations(values, clusters)
    rows = []
    places = table.places.tolist()
    for row, pair, sign in _better_first(verdict):
        p = places[row]
        ends = sorted((float(sign * lower[p]), float(sign * upper[p])))
        has_spread = bool(least[p] > 0)
        rows.append(
            TaskPair(
                first=pair.first,
                second=pair.second,
                estimate=_known(sign * parts.estimate[p]),
                n=int(parts.n[p]),
                n_flips=(int(pair.wins), int(pair.losses)),
                detectable=_known(least[p]) if has_spread else None,
                noise_share=_known(noise[p]),
                half_runs=_known(half_runs[p]),
                half_items=4.0 * int(parts.n[p]) if has_spread else None,
                these_items=(ends[0], ends[1]) if isfinite(ends[0]) else None,
                correlation=_known(alike[p]),
            )
        )
    return tuple(rows)


def _known(x: float) -> float | None:
    return float(x) if isfinite(x) else None


def _missing_items(verdict: MeasureInference, values: Array) -> tuple[MissingItems, ...]:
    """Bound each pair of which one lacks items: every one goes against the better mean."""
    measure = verdict.measure
    low, high = measure.bounds
    if low is None or high is None:
        return ()
    n_scored = np.isfinite(values).sum(axis=0)
    n_lost = dict(zip(verdict.candidates, (len(values) - n_scored).tolist(), strict=True))
    found = missing_item_bounds(
        column_means(values),
        n_scored,
        len(values) - n_scored,
        (low, high),
        is_smaller_better=measure.is_smaller_better,
    )
    return tuple(
        MissingItems(
            pair.first,
            pair.second,
            (n_lost[pair.first], n_lost[pair.second]),
            float(sign * found.estimate[p]),
            float(sign * found.bound[p]),
            pair.significant,
        )
        for p, pair, sign in _better_first(verdict)
        if n_lost[pair.first] + n_lost[pair.second]
    )
