"""Own intervals of the distinct contrasts of a study's claims."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import partial
from math import isnan, log, nan

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure, PairScale
from reportgen.sections.domain.basis import STRUCTURES
from reportgen.sections.domain.data import dataset_means, domain_values
from reportgen.sections.domain.result import DomainVerdict
from reportgen.sections.domain.sources import (
    errors_of_contrast,
    evidence_of_sources,
    target_of_few,
)
from reportgen.sections.expectations.result import Contrast, Counted, Outcome, Reason, natural
from reportgen.sections.inference.generalisation import (
    Evidence,
    compare_by_evidence,
    evidence_of,
    group_means,
    places_of,
    target_of,
)
from reportgen.sections.inference.model import model_blocks, unavailable
from reportgen.sections.inference.verdict import by_worths, pooled_variance
from reportgen.sections.items.analysis import task_performances
from reportgen.stats.adverse_differences import (
    AdverseDifferences,
    adverse_differences,
    adverse_within,
)
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.candidate_means import within
from reportgen.stats.domain.family_means import compare_in_families
from reportgen.stats.domain.sources import (
    FEWEST_SOURCES,
    MOST_SOURCES,
    adverse_sources,
    compare_sources,
)
from reportgen.stats.items.comparison import adverse_items, item_pairs
from reportgen.stats.items.tasks import compare_tasks
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.new_data import FEWEST
from reportgen.stats.pairs.paired_max_t import (
    FEWEST_UNITS,
    bonferroni_adjust,
    equal_signs,
    paired_max_t,
)
from reportgen.stats.pairs.wins import compare_wins
from reportgen.stats.samples.comparison import welch_of, welch_pairs
from reportgen.stats.samples.moments import SampleMoments
from reportgen.stats.shared_means import pair_columns, shared_means
from reportgen.study.claims import Place, place_of
from reportgen.study.comparison import (
    ComparedValues,
    comparison_scale,
    comparison_values,
    filled_values,
)
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.stages import stages_of
from reportgen.study.target import deciding_target
from reportgen.targets import DecidingTarget
from reportgen.units import REPLICATION, Unit
from reportgen.warehouse import Performances, Warehouse

OUTCOME_AT: Mapping[Place, Outcome] = {
    "inside": "holds",
    "outside": "fails",
    "undecided": "undecided",
}
Key = tuple[str, str | None, frozenset[str]]
"""A contrast: measure, data set (None over all), and one candidate or two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastValues(ComparedValues):
    """The units of contrasts, and what is known of new data of each."""

    measure: Measure
    unit: Counted
    target: DecidingTarget  # what decides on them
    is_of_experiment: bool = False  # whether claims on them are about this experiment alone
    evidence: Evidence | None = None  # of new data; None where it is not known or not needed
    # All pairs by the model that decides, where the study pools variances.
    pooled: PairTable | None = None
    kind: Unit = REPLICATION  # what the rows of one data set are
    clusters: NDArray[np.int64] | None = None  # (n,); of items
    # (n, K); with gaps counted as the worst of their unit: what means are of. None where nothing is
    # filled.
    filled: Array | None = None
    evidence_of_sources: tuple[Evidence | None, ...] = ()  # of each of two to five data sets
    n_items: tuple[int, ...] = ()  # rows of each task, where they are the items of several
    # deviations, n_values: (K,); of the values that means are of; empty but of summaries.
    deviations: Array = field(default_factory=lambda: np.zeros(0))
    n_values: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    @property
    def pair_scale(self) -> PairScale:
        """The scale of differences of candidates: pooled variances are of values themselves."""
        return self.scale if self.pooled is None else "difference"

    def moments(self, first: str, second: str | None, origin: float) -> SampleMoments:
        """Return the moments of two summaries, or of one and a limit, which has no spread."""
        at = [self.candidates.index(name) for name in (first, second) if name is not None]
        means = self.values[0, at]
        own = SampleMoments.of_summaries(means, self.deviations[at], self.n_values[at])
        return own if second is not None else own.beside(origin)

    def is_left_out_of_model(self, first: str, second: str) -> bool:
        """Whether the model that decides has no value of one of two candidates."""
        return self.pooled is not None and not {first, second} <= {*self.pooled.candidates}

    def by_task(self, columns: Array) -> Iterator[tuple[Array, NDArray[np.int64]]]:
        """Yield the rows of every task, and their clusters."""
        assert self.clusters is not None
        ends = np.cumsum(self.n_items)[:-1]
        yield from zip(np.split(columns, ends), np.split(self.clusters, ends), strict=True)

    def of_groups(self, groups: Mapping[str, Sequence[str]]) -> ContrastValues:
        """Return the means of groups of candidates, each a column with the group's name.

        A unit has a group's mean where all of the group have a value. What is known of new data
        goes with the means, as their differences are means of the candidates' differences.
        """
        at = places_of(groups, self.candidates)
        means = partial(group_means, at=at)

        def by_design(missing_by_design: NDArray[np.bool_] | None) -> NDArray[np.bool_] | None:
            if missing_by_design is None or not at:
                return None
            return np.stack([missing_by_design[:, k].any(axis=1) for k in at.values()], axis=1)

        every = (self.evidence, *self.evidence_of_sources)
        evidence, *of_sources = (own and own.of_groups(groups) for own in every)
        return replace(
            self,
            candidates=tuple(at),
            values=means(self.values),
            filled=None if self.filled is None else means(self.filled),
            pooled=None,
            missing_by_design=by_design(self.missing_by_design),
            rows=tuple(map(means, self.rows)),
            filled_rows=tuple(map(means, self.filled_rows)),
            samples=(),
            by_design_in_rows=tuple(map(by_design, self.by_design_in_rows)),
            evidence=evidence,
            evidence_of_sources=tuple(of_sources),
        )

    def column(self, candidate: str, *, is_filled: bool = False) -> Array:
        """Return the values of a candidate; NaN of one that has none."""
        if candidate not in self.candidates:
            return np.full(len(self.values), nan)
        values = self.filled if is_filled and self.filled is not None else self.values
        return values[:, self.candidates.index(candidate)]

    def origin(self, second: str | None, limit: float) -> float:
        """Return the limit of a mean on the scale of comparison; 0 for two candidates."""
        if second is not None:
            return 0.0
        return log(limit) if self.scale == "ratio" else limit

    def columns(self, first: str, second: str | None, origin: float) -> Array:
        """Return the values of two candidates, or of one and its limit, shape (n, 2).

        Means over replications of two candidates are of those that both have.
        """
        a = self.column(first, is_filled=second is None)
        b = np.where(np.isfinite(a), origin, nan) if second is None else self.column(second)
        found = np.column_stack([a, b])
        if second is None or not self.rows or not {first, second} <= {*self.candidates}:
            return found
        shared = shared_means(self.rows_between(first, second, origin), found, all_pairs(2))
        return np.column_stack(pair_columns(found, all_pairs(2), shared))

    def absences(self, names: Sequence[str | None]) -> NDArray[np.bool_]:
        """Return the gaps by design of some candidates, shape (n, len(names))."""
        found = np.zeros((len(self.values), len(names)), dtype=np.bool_)
        for k, name in enumerate(names):
            if self.missing_by_design is not None and name in self.candidates:
                found[:, k] = self.missing_by_design[:, self.candidates.index(name)]
        return found


def values_of(
    warehouse: Warehouse,
    measure: str,
    dataset: str | None,
    options: AnalysisOptions,
    *,
    is_of_experiment: bool = False,
    verdict: DomainVerdict | None = None,
) -> ContrastValues:
    """Take the units of a measure: of a data set what decides there, or means of all data sets.

    `dataset`: None over all.
    `is_of_experiment`: whether claims are about this experiment alone.
    `verdict`: the report's over all data sets, whose pairs count where a model of them decides.
    """
    own = warehouse.measure(measure)
    if is_of_experiment:
        options = options.model_copy(update={"target": "experiment"})
    is_of_experiment = options.target == "experiment"
    if dataset is None and warehouse.unit.is_nested:
        return _values_of_tasks(warehouse, own, options, is_of_experiment)
    if dataset is None:
        of_domain = domain_values(warehouse, own)
        means = dataset_means(of_domain, options)
        is_few = of_domain.unit.is_block and len(means.datasets) <= MOST_SOURCES
        modelled = verdict if verdict is not None and verdict.method in STRUCTURES else None
        of_sources = list[Evidence | None]()
        if is_few:
            of_these = target_of_few(of_domain, means, options)
            of_sources = evidence_of_sources(of_domain, means, of_these)
        if modelled is not None:
            of_sources = [None] * len(of_sources)
            target = modelled.deciding_target
        else:
            target = deciding_target(
                n_datasets=max(2, len(means.values)),
                unit=of_domain.unit,
                has_new_data_error=bool(of_sources) and None not in of_sources,
                asked=options.target,
            )
        return ContrastValues(
            **means.compared,
            measure=own,
            unit="dataset",
            target="experiment" if of_domain.target == "conditional" else target,
            is_of_experiment=is_of_experiment,
            pooled=None if modelled is None else modelled.pairs,
            filled=means.filled,
            evidence_of_sources=tuple(of_sources),
        )
    found = warehouse.performances(dataset, measure)
    if warehouse.unit.is_summary:  # which says nothing of geometric means
        own = replace(own, scale="difference")
    scale = comparison_scale(own, found.values, options.relevance.get(measure))
    evidence = evidence_of(warehouse, found)
    target, evidence = target_of(warehouse, found, evidence, options), evidence.on(scale)
    is_new = target == "new-data"
    values = comparison_values(found.values, scale)
    is_paired, by_design = warehouse.unit.is_paired, found.missing_by_design
    return ContrastValues(
        candidates=found.candidates,
        values=values,
        scale=scale,
        measure=own,
        unit="observation" if is_new and evidence.is_of_observations else "replication",
        target=target,
        is_of_experiment=is_of_experiment,
        evidence=evidence if is_new else None,
        pooled=None if is_new else _pooled(warehouse, found, options),
        kind=warehouse.unit,
        clusters=found.clusters,
        missing_by_design=by_design,
        filled=filled_values(found.values, scale, own, by_design) if is_paired else None,
        deviations=found.deviations,
        n_values=found.n_values,
    )


def _values_of_tasks(
    warehouse: Warehouse, measure: Measure, options: AnalysisOptions, is_of_experiment: bool
) -> ContrastValues:
    """Take the items of all tasks, of candidates that have a value in each."""
    found = task_performances(warehouse, measure)
    every = np.concatenate([own.values for own in found] or [np.empty((0, 0))])
    scale = comparison_scale(measure, every, options.relevance.get(measure.name))
    for own in found:
        every[:, ~np.isfinite(own.values).any(axis=0)] = nan
    clusters = [np.arange(len(x.values)) if x.clusters is None else x.clusters for x in found]
    n_items = tuple(len(own.values) for own in found)
    by_task = np.split(every, np.cumsum(n_items)[:-1])
    n_datasets = max(2, len(found))
    return ContrastValues(
        candidates=warehouse.candidates,
        values=comparison_values(every, scale),
        scale=scale,
        measure=measure,
        unit="replication",
        target=deciding_target(n_datasets=n_datasets, unit=warehouse.unit, asked=options.target),
        is_of_experiment=is_of_experiment,
        kind=warehouse.unit,
        clusters=np.concatenate(clusters) if clusters else None,
        filled=np.concatenate([filled_values(x, scale, measure) for x in by_task]),
        n_items=n_items,
    )


def _pooled(
    warehouse: Warehouse, performances: Performances, options: AnalysisOptions
) -> PairTable | None:
    """Compare all pairs by one variance, where the report does so."""
    if warehouse.unit.is_contest:
        return _worths(warehouse, performances, options)
    stages, measure = stages_of(warehouse), performances.measure
    is_by_stages = stages is not None and stages.measure == measure.name
    if options.variance == "own" or not warehouse.unit.is_block or is_by_stages:
        return None
    blocks = performances.present
    if unavailable(blocks):
        return None
    rng = np.random.default_rng(0)  # of no limit used
    modelled = model_blocks(blocks, options, rng, has_intervals=False)
    return None if modelled is None else pooled_variance(blocks, modelled, None).pairs


def _worths(
    warehouse: Warehouse, performances: Performances, options: AnalysisOptions
) -> PairTable | None:
    """Compare all pairs by the worths that battles have estimated."""
    blocks = performances.present
    if unavailable(blocks):
        return None
    rng = np.random.default_rng(0)  # of no limit used
    return by_worths(blocks, options.alpha, None, lambda: rng).pairs


def contrast_of(
    values: ContrastValues,
    first: str,
    second: str | None,
    limit: float,
    bounds: tuple[float, float],
    alpha: float,
    n_comparisons: int,
) -> Contrast:
    """Compare two candidates, or the mean of one with a limit, as the report's verdict does.

    `second`: None for a mean.
    `limit`: of the mean, in the measure's unit.
    `bounds`: of the claim, on the scale of comparison.
    `n_comparisons`: all that hold together with this one.
    Result: without the report's verdict. A difference that is 0 in all units has no interval; it is
    decided where the claim's bounds are not 0 and the chance that all n units are on one side of a
    bound, :math:`2^{1-n}` times the number of comparisons, is at most alpha: the rule of
    `paired_max_t` for other constants.
    """
    origin = values.origin(second, limit)
    scale: PairScale = values.pair_scale
    if second is None:
        scale = "difference" if values.scale == "wins" else values.scale
    every = values.columns(first, second, origin)
    is_apart = not values.kind.shares_rows and second is not None
    rows = np.isfinite(every)
    n = int(rows.sum(axis=0).min()) if is_apart else int(rows.all(axis=1).sum())
    gaps, gaps_within = _gaps(values, first, second), _gaps_within(values, first, second)
    empty = Contrast(
        first,
        second,
        scale,
        estimate=None,
        lower=None,
        upper=None,
        deviation=None,
        n=n,
        is_open=True,
        is_constant=False,
        skewness=None,
        bounds=_natural_bounds(bounds, scale, origin),
        outcome="undecided",
        verdict=None,
        target=values.target,
        gaps=gaps,
        reason="no-values",
    )
    is_left_out = second is not None and values.is_left_out_of_model(first, second)
    if not n or is_left_out or (values.kind.is_contest and second is None):
        return empty  # scores of contests have no zero to hold one alone against
    table = compare_columns(values, first, second, origin, alpha, n_comparisons)
    if second is not None and scale == "difference":
        table = table.inside(values.measure.bounds)
    estimate, low, high = (float(x[0]) for x in (table.estimate, table.lower, table.upper))
    if second is None and values.unit == "observation":
        filling = float(np.nanmean(every[:, 0]) - np.nanmean(values.column(first)))
        estimate, low, high = estimate + filling, low + filling, high + filling
    if second is None and scale == "difference":
        # from its limit, as the interval is
        least, most = (None if end is None else end - origin for end in values.measure.bounds)
        low, high = within((least, most), (low, high))
    if values.unit == "observation" or values.kind.is_summary:
        n = int(table.extra["n"][0])
    deviation = float(table.extra.get("deviation", table.standard_error * n**0.5)[0])
    is_same = "deviation" in table.extra and deviation == 0
    is_constant = bool(table.extra.get("is_constant", np.array([is_same]))[0])
    is_open = bool(table.is_open[0])
    is_beyond = values.target == "experiment" and not values.is_of_experiment and second is not None
    place: Place = "undecided" if is_open or is_beyond else place_of(low, high, bounds)
    is_equal = is_constant and estimate == 0 and isnan(low) and not (is_open or is_beyond)
    if is_equal and n_comparisons * equal_signs(np.array(n)) <= alpha and 0.0 not in bounds:
        place = place_of(0.0, 0.0, bounds)
    is_undone = place != "undecided" and second is not None and _is_undone(table, bounds, place)
    if place != "undecided" and second is None and (gaps or gaps_within):
        alone = contrast_of(_unfilled(values), first, None, limit, bounds, alpha, n_comparisons)
        is_undone = alone.outcome != OUTCOME_AT[place]
    outcome: Outcome = "undecided" if is_undone else OUTCOME_AT[place]
    reason: Reason | None = None
    if is_open:
        is_of_sources = table.method == "sources" and n >= FEWEST_SOURCES
        reason = (
            _shortage_of_sources(values, first, second, origin)
            if is_of_sources
            else _shortage(values, table, every, n)
        )
    elif outcome == "undecided":
        undone: Reason = "gaps" if is_undone else "no-spread" if isnan(low) else "wide"
        reason = "target" if is_beyond else undone
    return replace(
        empty,
        n=n,
        gaps_within=gaps_within,
        is_undone_by_gaps=is_undone,
        estimate=natural(estimate, scale, origin),
        lower=natural(low, scale, origin),
        upper=natural(high, scale, origin),
        deviation=natural(deviation, "difference"),
        is_open=is_open,
        is_constant=is_constant,
        skewness=float(table.extra["skewness"][0]) if "skewness" in table.extra else None,
        is_beyond=is_beyond,
        outcome=outcome,
        reason=reason,
    )


def _n_complete(rows: Array) -> int:
    """Return how many rows have no gap."""
    return int(np.isfinite(rows).all(axis=1).sum())


def _shortage_of_sources(
    values: ContrastValues, first: str, second: str | None, origin: float
) -> Reason:
    """Return what few data sets lack: replications, or observations of fixed test samples."""
    if values.samples:
        numbers = [np.isfinite(x).sum(axis=0) for x in values.samples_of(first, second)]
        is_short = any(0 < own.min() < FEWEST_UNITS for own in numbers)
        return "few-units" if is_short else "no-variation"
    n_replications, n_observations = list[int](), list[int]()
    rows = values.rows_between(first, second, origin)
    for own, evidence in zip(rows, values.evidence_of_sources, strict=True):
        if not np.isfinite(own).any(axis=0).all():
            continue
        if evidence is not None and evidence.is_of_observations:
            losses = evidence.between(first, second, origin).losses
            n_observations.append(0 if losses is None else _n_complete(losses.values))
        else:
            n_replications.append(_n_complete(own))
    if min(n_replications, default=FEWEST) < FEWEST:
        return "few-replications"
    is_short = min(n_observations, default=FEWEST_UNITS) < FEWEST_UNITS
    return "few-units" if is_short else "no-variation"


def _shortage(values: ContrastValues, table: PairTable, every: Array, n: int) -> Reason:
    """Return what a contrast lacks that is not decided, whatever its interval."""
    # `every`: (units, 2); the values of the two.
    # `n`: units that have both.
    if table.method == "wins":
        return "few-wins"
    if table.method == "sources":
        return "few-sources"
    if values.n_items:
        fewest = min(
            len(np.unique(own[np.isfinite(x).all(axis=1)])) for x, own in values.by_task(every)
        )
        return "few-clusters" if fewest < FEWEST_UNITS else "no-variation"
    if values.families is not None and n >= FEWEST_UNITS:
        return "few-families"
    if values.clusters is not None and n >= FEWEST_UNITS:
        return "few-clusters"
    if values.evidence is not None and values.unit != "observation":
        return "few-replications" if n < FEWEST else "no-variation"
    return "few-units"


def compare_columns(
    values: ContrastValues,
    first: str,
    second: str | None,
    origin: float,
    alpha: float,
    n_comparisons: int,
) -> PairTable:
    """Compare two columns by the rule of the report's verdict, as one of several contrasts.

    `second`: None for the mean of the first.
    `origin`: the limit of that mean, on the scale of comparison.
    `n_comparisons`: all that hold together with this one.
    Result: of one pair, on the scale of comparison.
    """
    every = values.columns(first, second, origin)
    rng = np.random.default_rng(0)  # draws nothing: Bonferroni's inequality holds the family
    smaller, rows = values.measure.is_smaller_better, np.isfinite(every)
    both = every[rows.all(axis=1)]
    missing_by_design = values.absences((first, second))
    if second is not None and values.pooled is not None:
        modelled = _pooled_pair(values.pooled, first, second, alpha)
        return bonferroni_adjust(modelled, n_comparisons)
    if values.families is not None:
        scale: PairScale = "wins" if values.scale == "wins" and second is not None else "difference"
        within = None if second is None else _within(values, first, second)
        return compare_in_families(
            every,
            values.families,
            alpha,
            scale=scale,
            n_comparisons=n_comparisons,
            is_smaller_better=smaller,
            missing_by_design=missing_by_design,
            within=within,
        )
    if values.scale == "wins" and second is not None:
        within = _within(values, first, second)
        return compare_wins(
            every,
            alpha,
            smaller,
            n_comparisons=n_comparisons,
            missing_by_design=missing_by_design,
            within=within,
        )
    if values.evidence is not None:
        own, level = values.evidence.between(first, second, origin), alpha / n_comparisons
        compare = partial(
            compare_by_evidence,
            every,
            own,
            is_smaller_better=smaller,
            missing_by_design=missing_by_design,
        )
        table = compare(level)
        return compare(alpha) if table.is_open[0] else table  # open: outside the family
    if values.samples or values.evidence_of_sources:
        errors = errors_of_contrast(
            values,
            values.evidence_of_sources,
            first,
            second,
            origin,
            is_smaller_better=smaller,
        )
        table = compare_sources(errors, all_pairs(2), alpha, n_comparisons=n_comparisons)
        return table.held_against(
            adverse_sources(errors, table.pairs, rows, smaller, missing_by_design)
        )
    if values.kind.is_summary:
        return welch_of(values.moments(first, second, origin), alpha, n_comparisons)
    if not values.kind.is_paired and second is not None:
        kept = every[rows.any(axis=1)]
        return welch_pairs(kept, alpha, scale="difference", n_comparisons=n_comparisons)
    if values.n_items:
        parts, clusters_of = zip(*values.by_task(every), strict=True)
        return compare_tasks(
            parts, clusters_of, alpha, n_comparisons=n_comparisons, is_smaller_better=smaller
        )
    if values.kind.method == "items":
        clusters = None if values.clusters is None else values.clusters[rows.all(axis=1)]
        table = item_pairs(both, clusters, alpha, rng, n_comparisons=n_comparisons)
        return table.held_against(adverse_items(table, every, smaller, missing_by_design))
    table = paired_max_t(both, alpha, rng, n_comparisons=n_comparisons)
    within = None if second is None else _within(values, first, second)
    adverse = adverse_differences(every, table.pairs, smaller, missing_by_design, within=within)
    return table.held_against(adverse)


def _within(values: ContrastValues, first: str, second: str) -> AdverseDifferences | None:
    """Count the gaps inside data sets against which of two candidates has them."""
    if not values.rows or not {first, second} <= {*values.candidates}:
        return None
    rows = values.rows_between(first, second, 0.0)
    smaller = values.measure.is_smaller_better
    return adverse_within(rows, all_pairs(2), smaller, values.by_design_between(first, second))


def _pooled_pair(table: PairTable, first: str, second: str, alpha: float) -> PairTable:
    """Return one pair of those that have a common variance, at a level of its own."""
    row = table.row_of(first, second)
    pair = table.between(first, second)
    assert row is not None
    assert pair is not None
    names = ("standard_error", "statistic", "df", "p_value")
    found = {name: nan if getattr(pair, name) is None else getattr(pair, name) for name in names}
    estimate, n = np.array([pair.estimate]), np.array([pair.extra.get("n", 1)])
    more = {"is_open": table.is_open[[row]], "extra": {"n": n}}
    return PairTable.of(all_pairs(2), estimate, table.method, alpha, **more, **found)


def _unfilled(values: ContrastValues) -> ContrastValues:
    """Return the same with gaps left out of means, by the replications alone."""
    own = values.evidence
    if own is not None and not own.is_of_observations:
        own = replace(own, cells=None, losses=None)
    return replace(values, filled=None, filled_rows=(), evidence=own)


def _is_undone(table: PairTable, bounds: tuple[float, float], place: Place) -> bool:
    """Whether gaps, counted against who has them, put a pair elsewhere."""
    if "adverse_first" not in table.extra:
        return False
    ends = [float(table.extra[name][0]) for name in ("adverse_first", "adverse_second")]
    return place_of(min(ends), max(ends), bounds) != place


def _gaps(values: ContrastValues, first: str, second: str | None) -> dict[str, tuple[int, int]]:
    """Return the units that have a value, and all units, of candidates with gaps."""
    n_units = int(np.isfinite(values.values).any(axis=1).sum())
    names = [name for name in (first, second) if name is not None]
    counts = {name: int(np.isfinite(values.column(name)).sum()) for name in names}
    is_counted = values.filled is not None or (values.kind.is_nested and second is not None)
    return {name: (n, n_units) for name, n in counts.items() if n < n_units and is_counted}


def _gaps_within(
    values: ContrastValues, first: str, second: str | None
) -> dict[str, tuple[int, int]]:
    """Return the replications that have a value, and all, of candidates with gaps in data sets."""
    found = dict[str, tuple[int, int]]()
    for name in (first, second):
        if name is None or name not in values.candidates or values.filled is None:
            continue
        k, n, whole = values.candidates.index(name), 0, 0
        for rows, by_design in zip(values.rows, values.by_design_in_rows, strict=True):
            there = np.isfinite(rows[:, k])
            if there.any():
                n += int(there.sum())
                counted = np.isfinite(rows).any(axis=1)
                whole += int((counted if by_design is None else counted & ~by_design[:, k]).sum())
        if n < whole:
            found[name] = (n, whole)
    return found


def _natural_bounds(
    bounds: tuple[float, float], scale: PairScale, origin: float
) -> tuple[float | None, float | None]:
    low, high = (natural(x, scale, origin) for x in bounds)
    return low, high
