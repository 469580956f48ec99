"""What the items of tasks tell: every pair over these tasks, and where its variance is from."""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.domain.result import DomainVerdict
from reportgen.sections.domain.verdict import with_pairs
from reportgen.sections.items.options import Options
from reportgen.sections.items.result import ItemsResult, LeftOut, Task, TaskPair
from reportgen.stats.items.bounds import left_out_bounds
from reportgen.stats.items.clusters import ClusterMeans
from reportgen.stats.items.comparison import compare_items
from reportgen.stats.items.correlation import cluster_correlations
from reportgen.stats.items.power import detectable_differences, rank_ranges
from reportgen.stats.items.runs import compare_these_items, units_for_half, variance_parts
from reportgen.stats.items.tasks import compare_these_tasks, task_means
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.own_variances import as_ratios
from reportgen.study.comparison import (
    area_on,
    comparison_scale,
    comparison_values,
    is_area_given,
)
from reportgen.warehouse import Measure, Performances, Warehouse

__all__ = ["ItemsResult", "Options", "analyse", "applies"]

Array = NDArray[np.float64]


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare on items."""
    return len(warehouse.candidates) >= 2


def analyse(warehouse: Warehouse, options: Options, rng: Generator) -> ItemsResult:
    """Compare the candidates over these tasks, and take each task's main measure apart.

    Parameters
    ----------
    warehouse : Warehouse
    options : Options
    rng : Generator
        For the law of all pairs of a task with many items.

    Returns
    -------
    ItemsResult
    """
    main = warehouse.measures[0]
    by_measure = {m.name: _performances(warehouse, m) for m in warehouse.measures}
    tasks = tuple(_task(warehouse, own, options, rng) for own in by_measure[main.name])
    several = {name: own for name, own in by_measure.items() if len(own) > 1}
    found = {name: _over_tasks(own, options) for name, own in several.items()}
    verdict = {name: own for name, own in found.items() if own is not None}
    decided = verdict.get(main.name)
    return ItemsResult(
        measure=main.name,
        alpha=options.alpha,
        tasks=tasks,
        verdict=verdict,
        ranks=_ranges(decided.pairs, decided.order) if decided else {},
        measured=main,
    )


def _performances(warehouse: Warehouse, measure: Measure) -> list[Performances]:
    """Return the values of a measure of every task on which two candidates have some."""
    found = (warehouse.performances(name, measure.name) for name in warehouse.datasets)
    return [own for own in found if np.isfinite(own.values).any(axis=0).sum() > 1]


# ----------------------------------------------------------------------- over these tasks


def _over_tasks(tasks: list[Performances], options: Options) -> DomainVerdict | None:
    """Decide on every pair for other items of these tasks."""
    measure, names = tasks[0].measure, tasks[0].candidates
    every = np.concatenate([own.values.ravel() for own in tasks])
    given = options.relevance.get(measure.name)
    scale = comparison_scale(measure, every, given)
    values = [comparison_values(own.values, scale) for own in tasks]
    parts = [task_means(x, own.clusters) for x, own in zip(values, tasks, strict=True)]
    smaller = measure.is_smaller_better
    table = compare_these_tasks(parts, len(names), options.alpha, is_smaller_better=smaller)
    table = as_ratios(table) if scale == "ratio" else table
    area = area_on(scale, given)
    pairs = table.named(names, "these-tasks", smaller).decided(area)
    means = _task_means(values)
    shown = np.exp(means) if scale == "ratio" else means
    known = dict(zip(names, shown.tolist(), strict=True))
    known = {name: x for name, x in known.items() if isfinite(x)}
    if len(known) < 2:
        return None
    sign = 1 if smaller else -1
    verdict = DomainVerdict(
        measure=measure,
        alpha=options.alpha,
        relevance=area,
        target="these-tasks",
        method="these-tasks",
        n_datasets=len(tasks),
        datasets=tuple(own.dataset for own in tasks),
        left_out=(),
        lacking={},
        pairs=pairs,
        means=known,
        intervals={},
        cut=(),
        order=tuple(sorted(known, key=lambda name: sign * known[name])),
        leaders=(),
        groups=None,
        critical_value=None,
        is_area_given=is_area_given(scale, given),
    )
    return with_pairs(verdict, pairs)


def _task_means(values: list[Array]) -> Array:
    """Return the mean of each candidate over tasks, NaN where it lacks one."""
    rows = []
    for own in values:
        n = np.isfinite(own).sum(axis=0)
        sums = np.where(np.isfinite(own), own, 0.0).sum(axis=0)
        rows.append(np.divide(sums, n, out=np.full(len(n), np.nan), where=n > 0))
    return np.asarray(np.mean(rows, axis=0))


# ------------------------------------------------------------------------------- one task


def _task(warehouse: Warehouse, own: Performances, options: Options, rng: Generator) -> Task:
    """Take the differences on one task apart."""
    smaller = own.measure.is_smaller_better
    table = compare_items(
        own.values, own.clusters, options.alpha, rng, is_smaller_better=smaller
    ).named(own.candidates, "items-like-these", smaller)
    parts = task_means(own.values, own.clusters)
    runs = warehouse.run_values(own.dataset, own.measure.name)
    means = _task_means([own.values])
    sign = 1 if smaller else -1
    present = [k for k in range(len(means)) if isfinite(means[k])]
    order = sorted(present, key=lambda k: sign * means[k])
    return Task(
        name=own.dataset,
        n_items=len(own.values),
        n_clusters=0 if own.clusters is None else len(np.unique(own.clusters)),
        n_runs=1 if runs is None else runs.shape[1],
        pairs=_pairs(own, table, parts, runs, order, options.alpha),
        ranks=_ranges(table.decided(), tuple(own.candidates[k] for k in order)),
        left_out=_left_out(own, means, order, table),
    )


def _pairs(
    own: Performances,
    table: PairTable,
    parts: ClusterMeans,
    runs: Array | None,
    order: list[int],
    alpha: float,
) -> tuple[TaskPair, ...]:
    smaller, names = own.measure.is_smaller_better, own.candidates
    m = max(1, int((~table.is_open | (table.extra["n"] > 0)).sum()))
    least = detectable_differences(parts.standard_error, parts.df, alpha, n_comparisons=m)
    empty = np.full(len(table), np.nan)
    noise, half_runs, lower, upper = empty, empty, empty, empty
    half_items = 4.0 * parts.n
    if runs is not None:
        split = variance_parts(runs, own.clusters)
        noise = np.minimum(split.noise / np.where(split.total > 0, split.total, np.nan), 1.0)
        half_runs = units_for_half(split)[0]
        these = compare_these_items(runs, alpha, is_smaller_better=smaller)
        lower, upper = these.lower, these.upper
    alike = empty if own.clusters is None else cluster_correlations(own.values, own.clusters)
    place = {k: i for i, k in enumerate(order)}
    rows = []
    for p, (i, j) in enumerate(all_pairs(len(names)).tolist()):
        if i not in place or j not in place:
            continue
        is_turned = place[i] > place[j]
        flip = -1.0 if is_turned != smaller else 1.0
        flips = (int(table.extra["wins"][p]), int(table.extra["losses"][p]))
        ends = sorted((flip * lower[p], flip * upper[p]))
        rows.append(
            TaskPair(
                first=names[j if is_turned else i],
                second=names[i if is_turned else j],
                estimate=_known(flip * table.estimate[p]),
                n=int(table.extra["n"][p]),
                n_flips=flips[::-1] if is_turned else flips,
                detectable=_known(least[p]) if least[p] > 0 else None,
                noise_share=_known(noise[p]),
                half_runs=_known(half_runs[p]),
                half_items=_known(half_items[p]) if least[p] > 0 else None,
                these_items=(float(ends[0]), float(ends[1])) if isfinite(ends[0]) else None,
                correlation=_known(alike[p]),
            )
        )
    in_order = {names[k]: i for k, i in place.items()}
    return tuple(sorted(rows, key=lambda row: (in_order[row.first], in_order[row.second])))


def _known(x: float) -> float | None:
    return float(x) if isfinite(x) else None


def _ranges(pairs: PairTable, order: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Return between which ranks each candidate is, the best mean first."""
    by_name = dict(zip(pairs.names, rank_ranges(pairs).tolist(), strict=True))
    return {name: (by_name[name][0], by_name[name][1]) for name in order}


def _left_out(
    own: Performances, means: Array, order: list[int], table: PairTable
) -> tuple[LeftOut, ...]:
    """Bound each pair of which one lacks items: every one goes against the better mean."""
    low, high = own.measure.bounds
    if low is None or high is None:
        return ()
    n_scored = np.isfinite(own.values).sum(axis=0)
    n_lost = len(own.values) - n_scored
    smaller, names = own.measure.is_smaller_better, own.candidates
    found = left_out_bounds(means, n_scored, n_lost, (low, high), is_smaller_better=smaller)
    place = {k: i for i, k in enumerate(order)}
    rows = []
    for p, (i, j) in enumerate(all_pairs(len(names)).tolist()):
        if i not in place or j not in place or not n_lost[i] + n_lost[j]:
            continue
        first, second = (i, j) if place[i] < place[j] else (j, i)
        sign = (1.0 if first == i else -1.0) * (-1.0 if smaller else 1.0)
        rows.append(
            LeftOut(
                names[first],
                names[second],
                (int(n_lost[first]), int(n_lost[second])),
                float(sign * found.estimate[p]),
                float(sign * found.bound[p]),
                bool(table.significant[p]),
            )
        )
    in_order = {names[k]: i for k, i in place.items()}
    return tuple(sorted(rows, key=lambda row: (in_order[row.first], in_order[row.second])))
