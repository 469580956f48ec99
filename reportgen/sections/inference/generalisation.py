"""From replications of one data set to new data sets of the same source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.measures.losses import MEANS
from reportgen.data_classes import dataclass
from reportgen.performance_measure import PairScale, Scale
from reportgen.sections.datasets import base_of
from reportgen.sections.inference.result import (
    Law,
    MeasureInference,
    Method,
    NewData,
    TestObservations,
)
from reportgen.stats.adverse_differences import AdverseDifferences, adverse_differences
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.new_data import (
    FEWEST,
    FEWEST_SEEDS,
    MeanLosses,
    SeedComponents,
    compare_new_data,
    new_data_pairs,
    seed_components,
    without_needless,
)
from reportgen.stats.pairs.paired_max_t import as_ratios, paired_max_t
from reportgen.stats.pairs.shared_data import Assessment, Crossing, Scheme, SharedData, shared_data
from reportgen.stats.ranking import best_first
from reportgen.study.comparison import area_on, comparison_scale, comparison_values
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.target import deciding_target
from reportgen.targets import DecidingTarget
from reportgen.warehouse import Performances, Warehouse

FEWEST_SAMPLES = 2  # learning samples, without which a report compares no pair


def places_of(
    groups: Mapping[str, Sequence[str]], candidates: Sequence[str]
) -> dict[str, list[int]]:
    """Return where the candidates of groups are, of the groups of which all are there."""
    at = {name: k for k, name in enumerate(candidates)}
    return {name: [at[k] for k in own] for name, own in groups.items() if {*own} <= {*at}}


def group_means(values: Array, at: Mapping[str, Sequence[int]]) -> Array:
    """Return the means of groups of candidates, which are along the last axis."""
    own = [values[..., k].mean(axis=-1) for k in at.values()]
    return np.stack(own, axis=-1) if own else values[..., :0]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of new data of the source of one data set, beside the replications."""

    shared: SharedData  # what replications share
    candidates: tuple[str, ...]
    # (B, S, K); values of every seed, where replications are means over several.
    cells: Array | None = None
    seeds_are: Crossing | None = None  # whether all replications have the same seeds
    # (S, p); the level of each source of variation, where the S values of a replication are
    # combinations of several.
    run_levels: NDArray[np.intp] | None = None
    sources: tuple[str, ...] = ()  # what varies on one split, by its names
    losses: MeanLosses | None = None  # of the observations, where values are means of them
    is_fixed: bool = False  # whether all replications have one test sample

    @property
    def few(self) -> tuple[str, ...]:
        """Sources, of several, with too few levels to speak of others."""
        if self.run_levels is None:
            return ()
        counts = [len(np.unique(own)) for own in self.run_levels.T]
        return tuple(n for n, k in zip(self.sources, counts, strict=True) if k < FEWEST_SEEDS)

    @property
    def n_seeds(self) -> int | None:
        """Seeds, or combinations of sources, that a split has at most."""
        if self.cells is None:
            return None
        return int(np.isfinite(self.cells).any(axis=2).sum(axis=1).max())

    @property
    def is_of_observations(self) -> bool:
        """Whether the units are the observations of a fixed test sample."""
        return self.is_fixed and self.losses is not None

    @property
    def has_error(self) -> bool:
        """Whether the error of a difference for new data of the source is known."""
        is_shared = self.shared.ratio is not None and self.shared.source != "independent"
        return is_shared or self.is_of_observations

    def of(self, candidates: Sequence[str]) -> Evidence:
        """Return the same of some candidates, in their order."""
        at = [self.candidates.index(name) for name in candidates]
        cells, losses = self.cells, self.losses
        return replace(
            self,
            candidates=tuple(candidates),
            cells=None if cells is None else cells[:, :, at],
            losses=losses and MeanLosses(losses.values[:, at], losses.n_tested[:, at]),
        )

    def between(self, first: str, second: str | None, limit: float) -> Evidence:
        """Return the same of two candidates; where `second` is None of one and its limit."""
        if second is None:
            return self.of([first]).against(limit)
        return self.of([first, second])

    def of_groups(self, groups: Mapping[str, Sequence[str]]) -> Evidence:
        """Return the same of the means of groups of candidates."""
        at = places_of(groups, self.candidates)
        cells, losses = self.cells, self.losses
        fewest = [losses.n_tested[:, own].min(axis=1) for own in at.values() if losses]
        return replace(
            self,
            candidates=tuple(at),
            cells=None if cells is None else group_means(cells, at),
            losses=losses and MeanLosses(group_means(losses.values, at), np.stack(fewest, axis=1)),
        )

    def on(self, scale: PairScale) -> Evidence:
        """Return the same on the scale of comparison: of ratios logarithms, without losses."""
        if scale != "ratio":
            return self
        cells = self.cells
        if cells is not None:
            is_positive = bool((cells[np.isfinite(cells)] > 0).all())
            cells = np.log(cells) if is_positive else None
        return replace(self, cells=cells, losses=None)

    def against(self, limit: float) -> Evidence:
        """Return the same of its one candidate and a limit, a second column."""
        cells, losses = self.cells, self.losses
        return replace(
            self,
            candidates=(*self.candidates, ""),
            cells=None if cells is None else beside_limit(cells, limit),
            losses=losses
            and MeanLosses(beside_limit(losses.values, limit), losses.n_tested.repeat(2, axis=1)),
        )


def beside_limit(values: Array, limit: float) -> Array:
    """Return one column with a second one, the limit wherever the first has a value.

    `values`: shape (..., 1).

    Examples
    --------
    >>> beside_limit(np.array([[0.1], [np.nan]]), 0.5)
    array([[0.1, 0.5],
           [nan, nan]])
    """
    return np.concatenate([values, np.where(np.isfinite(values), limit, np.nan)], axis=-1)


def compare_by_evidence(
    values: Array,
    evidence: Evidence,
    alpha: float,
    *,
    is_smaller_better: bool,
    bounds: tuple[float | None, float | None] = (None, None),
    rng: Generator | None = None,
    missing_by_design: NDArray[np.bool_] | None = None,
) -> PairTable:
    """Compare all pairs for new data by all that is known: reports and gates alike.

    `values`: (B, K); on the scale of comparison, NaN where there is none.
    `evidence`: of the same candidates on the same scale, with an error.
    `alpha`: of the family of these pairs.
    `bounds`: of the values.
    `rng`: for the joint law of many observations of a fixed test sample; without one Bonferroni's
    inequality holds the pairs together.
    `missing_by_design`: (B, K); cells without a value by design, which count against nobody.
    Result: as of `reportgen.stats.pairs.new_data.new_data_pairs`, of a fixed test sample as of
    `reportgen.stats.pairs.paired_max_t.paired_max_t`; held against gaps.
    Raises ValueError if neither the ratio nor the losses of a fixed test sample are known.
    """
    if evidence.is_of_observations:
        table = _test_set_comparison(evidence, alpha, rng)
        adverse = _adverse(table, values, is_smaller_better, missing_by_design)
        return table.held_against(adverse).inside(bounds)
    shared = evidence.shared
    if shared.ratio is None:
        raise ValueError("evidence: found no ratio; allowed one of a known scheme, or losses")
    cells = evidence.cells if evidence.seeds_are == "crossed" else None
    table = new_data_pairs(
        values if cells is None else cells,
        shared.ratio,
        alpha,
        test_share=shared.test_share,
        n_observations=shared.n_observations,
        losses=evidence.losses,
        bounds=bounds,
        run_levels=evidence.run_levels,
    )
    rows = values if cells is None else cells.mean(axis=1)
    return table.held_against(_adverse(table, rows, is_smaller_better, missing_by_design))


def _adverse(
    table: PairTable,
    values: Array,
    is_smaller_better: bool,
    missing_by_design: NDArray[np.bool_] | None,
) -> AdverseDifferences | None:
    """Count the gaps of replications against who has them, by the pairs' own standard errors."""
    error = table.standard_error
    return adverse_differences(
        values, table.pairs, is_smaller_better, missing_by_design, standard_error=error
    )


def _test_set_comparison(evidence: Evidence, alpha: float, rng: Generator | None) -> PairTable:
    """Compare all pairs over observations of a fixed test sample, as the learning samples go."""
    # The observations are independent draws of the data generating process, and the losses of
    # candidates on one of them are paired (Hothorn, Leisch, Zeileis and Hornik 2005, section 3.1).
    losses = cast("MeanLosses", evidence.losses).values
    m = len(all_pairs(losses.shape[1])) if rng is None else None
    rng = np.random.default_rng(0) if rng is None else rng  # draws nothing by Bonferroni
    return paired_max_t(losses, alpha, rng, n_comparisons=m)


def evidence_of(warehouse: Warehouse, performances: Performances) -> Evidence:
    """Return what a warehouse knows of new data of a data set.

    `warehouse`: with the problem, the resampling scheme and the data set's facts.
    `performances`: with the sizes of the samples.
    """
    dataset, measure = performances.dataset, performances.measure.name
    shared = shared_of(warehouse, performances)
    if performances.runs is not None:  # of processes, which no new data have
        shared = SharedData(None, reason="processes")
    if not performances.unit.is_block or performances.runs is not None:
        return Evidence(shared, performances.candidates)
    are = warehouse.facts.get(dataset, {}).get("seeds_are")
    is_fixed = warehouse.resampling_of(dataset).get("assessment") == "fixed"
    if is_fixed:
        losses = losses_of_test_sample(warehouse, performances)
    else:
        own = warehouse.losses_of(dataset, measure) if shared.source != "independent" else None
        losses = None if own is None else MeanLosses(*own)
    return Evidence(
        shared,
        performances.candidates,
        warehouse.run_values(dataset, measure),
        cast("Crossing | None", are),
        *_runs_of(warehouse, dataset),
        losses,
        is_fixed,
    )


def _runs_of(warehouse: Warehouse, dataset: str) -> tuple[NDArray[np.intp] | None, tuple[str, ...]]:
    """Return the level of each source of variation of every run, where there are several."""
    found: Any = warehouse.facts.get(dataset, {}).get("sources")
    levels = dict(found["levels"]) if found and found["split"] else {}
    several = np.array([*levels.values()], np.intp).T if len(levels) > 1 else None
    return several, tuple(levels)


def shared_of(warehouse: Warehouse, performances: Performances) -> SharedData:
    """Return how strongly the replications of a data set depend on each other.

    `warehouse`: with the problem, the resampling scheme and the data set's facts.
    `performances`: with the sizes of the samples.
    """
    scheme = warehouse.resampling_of(performances.dataset)
    return shared_data(
        warehouse.problem,
        cast("Scheme | None", scheme.get("scheme")),
        assessment=cast("Assessment | None", scheme.get("assessment")),
        n_distinct=performances.n_distinct,
        n_test=performances.n_test,
        n_observations=_whole(warehouse.facts.get(performances.dataset, {}), "n_observations"),
        fraction=_fraction(scheme),
        n_folds=_whole(scheme, "folds"),
        has_overlap=bool(scheme.get("overlap")),
    )


def target_of(
    warehouse: Warehouse,
    performances: Performances,
    evidence: Evidence,
    options: AnalysisOptions,
) -> DecidingTarget:
    """Return what decides on a measure of one data set."""
    own, measure = warehouse.facts.get(performances.dataset, {}), performances.measure
    scale = comparison_scale(measure, performances.values, options.relevance.get(measure.name))
    return deciding_target(
        unit=performances.unit,
        problem=warehouse.problem,
        measure=measure,
        has_new_data_error=evidence.on(scale).has_error,
        is_fixed=evidence.is_fixed,
        is_of_seeds=own.get("replications_are") == "seeds",
        is_setting=base_of(warehouse, performances.dataset) is not None,
        asked=options.target,
    )


def _whole(facts: Mapping[str, object], key: str) -> int | None:
    found = facts.get(key)
    return int(found) if isinstance(found, int | float) else None


def _fraction(scheme: Mapping[str, object]) -> float | None:
    found = scheme.get("fraction")
    return float(found) if isinstance(found, int | float) else None


def generalise(
    blocks: Performances,
    evidence: Evidence,
    alpha: float,
    area: tuple[float, float] | None,
    bounds: tuple[float | None, float | None],
    rng: Generator,
) -> tuple[NewData, Method | None]:
    """Compare all pairs for new data sets of the same source.

    `blocks`: of two or more candidates.
    `area`: the study's area of equivalence.
    `bounds`: of the values.
    `rng`: for the joint law of many observations of a fixed test sample.
    Result: None where the error is not known, and for simulations, whose replications are
    independent.
    """
    shared = evidence.shared
    found = NewData(
        shared.ratio,
        shared.test_share,
        shared.learnt_share,
        shared.n_observations,
        shared.source,
        shared.reason,
        n_seeds=evidence.n_seeds,
        seeds_are=evidence.seeds_are,
        sources=evidence.sources,
        few=evidence.few,
    )
    scale = comparison_scale(blocks.measure, blocks.values, area)
    if shared.reason == "scheme-unknown":
        return replace(found, would_hold=_would_hold(blocks, scale, alpha)), None
    own, smaller = evidence.of(blocks.candidates).on(scale), blocks.measure.is_smaller_better
    if not own.has_error:
        return found, None
    table = compare_by_evidence(
        comparison_values(blocks.values, scale),
        own,
        alpha,
        is_smaller_better=smaller,
        bounds=(None, None) if scale == "ratio" else bounds,
        rng=rng,
        missing_by_design=blocks.missing_by_design,
    )
    on_scale = area_on(scale, area)
    if own.is_of_observations:
        n = int(table.extra["n"].max())
        law: Law = "max-t" if table.method == "own-variance" else "t"
        named = table.named(blocks.candidates, "generating-process", smaller)
        return found, Method("observations", "strong", law, None, n, named.decided(on_scale))
    if on_scale is not None:
        low, high = np.log(on_scale).tolist() if scale == "ratio" else on_scale
        table = without_needless(table, low, high)
    table = as_ratios(table) if scale == "ratio" else table
    pairs = (
        table.counted(blocks.values, smaller)
        .named(blocks.candidates, "generating-process", smaller)
        .decided(on_scale)
    )
    n = int(pairs.extra["n"].max())
    return (
        replace(
            found,
            pairs=pairs,
            has_losses=bool(np.isfinite(pairs.extra["n_varying"]).any()),
            components=_components(blocks, own),
        ),
        Method("new-data", "approximate", "t", None, n, pairs),
    )


def _would_hold(blocks: Performances, scale: Scale, alpha: float) -> bool | None:
    """Return whether the best mean would be better than all others, by half of the data a time."""
    if len(blocks.values) < FEWEST:
        return None
    table = compare_new_data(
        blocks.values,
        1.0,
        blocks.candidates,
        better=blocks.measure.better,
        alpha=alpha,
        scale=scale,
    )
    if table.is_open.all():
        return None
    lead = _best_first(blocks)[0]
    return bool(table.incidence[lead].sum() == len(blocks.candidates) - 1)


def _best_first(blocks: Performances) -> list[int]:
    """Return the columns by their means, best first."""
    means = np.nanmean(blocks.values, axis=0)
    return best_first(means, is_smaller_better=blocks.measure.is_smaller_better)


def _components(blocks: Performances, evidence: Evidence) -> SeedComponents | None:
    """Split the variance of the two best means into seeds, splits and the rest."""
    cells, shared = evidence.cells, evidence.shared
    is_crossed = evidence.seeds_are == "crossed" and evidence.run_levels is None
    if cells is None or not is_crossed or shared.ratio is None:
        return None
    first, second = _best_first(blocks)[:2]
    return seed_components(
        cells[:, :, first] - cells[:, :, second], shared.ratio, shared.test_share
    )


def losses_of_test_sample(warehouse: Warehouse, performances: Performances) -> MeanLosses | None:
    """Return the losses of a fixed test sample, the mean over learning samples that all share.

    `warehouse`: with mean losses, or with the predictions of the main measure.
    `performances`: of a measure.
    Result: of all candidates, NaN of those without a value. None where the measure is no mean over
    observations, the losses of some candidate are not known, or all share fewer than two learning
    samples.
    """
    there = np.isfinite(performances.values)
    has_value = there.any(axis=0)
    n_shared = int(there[:, has_value].all(axis=1).sum())
    for known in (_mean_losses, _of_predictions):
        found = known(warehouse, performances)
        counts = np.zeros(0) if found is None else found.n_tested[:, has_value]
        if counts.size and FEWEST_SAMPLES <= counts.min() == counts.max() <= n_shared:
            return found
    return None


def _mean_losses(warehouse: Warehouse, performances: Performances) -> MeanLosses | None:
    """Return the mean losses that a run keeps, each over the learning samples of its candidate."""
    known = warehouse.losses_of(performances.dataset, performances.measure.name)
    return None if known is None else MeanLosses(*known)


def _of_predictions(warehouse: Warehouse, performances: Performances) -> MeanLosses | None:
    """Average the losses of kept predictions over the replications that all candidates have."""
    is_main = performances.measure.name == warehouse.measures[0].name
    kept = warehouse.predictions
    kept = kept[kept["dataset"] == performances.dataset] if len(kept) else kept
    if not is_main or kept.empty or performances.measure.name not in MEANS:
        return None
    table = kept.pivot_table(
        index=["observation", "replication"],
        columns="candidate",
        values="loss",
        aggfunc="first",
        observed=True,
    )
    means = table.dropna().groupby(level="observation")
    names = list(performances.candidates)
    values, counts = (
        found.reindex(columns=names).to_numpy(np.float64) for found in (means.mean(), means.count())
    )
    return MeanLosses(values, np.nan_to_num(counts))


def test_set_comparison(
    found: MeasureInference, losses: MeanLosses | None, *, is_executed: bool
) -> TestObservations | None:
    """Describe the comparison over the observations of the test sample.

    `found`: with its methods.
    `losses`: of the test sample.
    `is_executed`: whether this program has fitted the candidates, and so could have kept losses.
    Result: None where the measure is no mean over observations or is compared by ratio, or where
    other programs have kept no losses.
    """
    every = (found.deciding_method, *found.methods.values())
    own = next((m for m in every if m is not None and m.name == "observations"), None)
    if own is not None and losses is not None:
        n = int(losses.n_tested.max())
        return TestObservations(len(losses.values), n, None, own.pairs)
    is_lost = losses is None and is_executed and found.measure.name in MEANS
    return TestObservations(0, 0, "not-kept") if is_lost else None
