"""Inference on one data set (Eugster 2011, section 2.3; Hothorn et al. 2005)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.formats import Density
from reportgen.methods import MethodName
from reportgen.performance_measure import FEW_REPLICATIONS, Scale
from reportgen.sections.datasets import MOST_COMPACT
from reportgen.sections.inference.effects import compare_with_reference, effects_of
from reportgen.sections.inference.generalisation import (
    Evidence,
    evidence_of,
    generalise,
    target_of,
    test_set_comparison,
)
from reportgen.sections.inference.items import (
    by_items,
    by_samples,
    item_sensitivity_analysis,
    sample_sensitivity_analysis,
)
from reportgen.sections.inference.methods import FurtherMethods
from reportgen.sections.inference.model import (
    BlockModelFit,
    diagnostics_of,
    model_blocks,
    parts_of,
    unavailable,
)
from reportgen.sections.inference.ranks import (
    RankTests,
    multiply_p_values,
    permutation_test,
    rank_tests,
)
from reportgen.sections.inference.result import (
    InferenceResult,
    MeasureInference,
    Method,
    Omission,
    Processes,
)
from reportgen.sections.inference.verdict import (
    by_stages,
    by_worths,
    outlier_of,
    pooled_variance,
)
from reportgen.stats.arrays import Area
from reportgen.stats.blocks.model import greenhouse_geisser, has_residual_variance
from reportgen.stats.multiplicity.closed import equality_statistic
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import own_variance_pairs
from reportgen.stats.permutation.block_sums import sum_law
from reportgen.stats.permutation.block_tests import permuted_equality
from reportgen.stats.samples.drift import drifts
from reportgen.stats.samples.moments import process_spread
from reportgen.stats.verdict import Verdict, adjust_family
from reportgen.streams import stream
from reportgen.study.comparison import (
    area_on,
    comparison_scale,
    comparison_values,
    filled_values,
    is_area_given,
)
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.stages import Stages, stages_of
from reportgen.targets import DecidingTarget
from reportgen.warehouse import Performances, Warehouse

MOST_BY_EVERY_METHOD = 12  # candidates; of more, pairs that permuting compares take minutes
COMPLETE_ONLY: tuple[MethodName, ...] = ("joint-ranks", "aligned-ranks", "signed-rank-holm")


def analyse(
    warehouse: Warehouse, options: AnalysisOptions, rng: Generator, *, density: Density = "full"
) -> InferenceResult:
    """Compare the candidates on every measure of one data set.

    `warehouse`: of one data set.
    `rng`: for the critical values of designs with gaps; those of a measure do not depend on which
    other measures there are.
    `density`: compact: without effect sizes, diagnostics and methods that only stand beside the
    verdict.
    Result: measures without any value are left out.
    """
    seed = int(rng.integers(2**63))
    result: dict[str, MeasureInference] = {}
    for dataset in warehouse.datasets:
        for measure in warehouse.compared:
            performances = warehouse.performances(dataset, measure.name)
            stages, blocks = stages_of(warehouse), performances.present
            if blocks.candidates:
                evidence = evidence_of(warehouse, performances)
                if stages is not None and stages.measure != measure.name:
                    stages = None  # they have decided on another measure
                is_main = not result
                target = target_of(warehouse, performances, evidence, options)
                task = _Task(
                    blocks,
                    options,
                    evidence,
                    seed,
                    is_main,
                    performances,
                    stages,
                    target,
                    density,
                    measure.bounds,
                )
                found = task.found()
                if is_main and evidence.is_fixed and len(blocks.candidates) > 1:
                    is_executed = "origin" in warehouse.facts.get(dataset, {})
                    over = test_set_comparison(found, evidence.losses, is_executed=is_executed)
                    found = replace(found, test_observations=over)
                result[measure.name] = found
    return result


def settle(
    results: Mapping[str, InferenceResult], options: AnalysisOptions
) -> dict[str, InferenceResult]:
    """Adjust over all data sets and measures, where the study asks for it.

    Other methods stay adjusted within their family. The p-values of rank sums, adjusted within
    their family by their joint law, are multiplied by the number of families.

    `results`: what `analyse` returned, by data set, under one alpha.
    """
    if options.family != "study":
        return dict(results)
    every = {(d, name): found for d, own in results.items() for name, found in own.items()}
    n_datasets = len({d for (d, _), found in every.items() if found.pairs})
    n_ranked = sum(bool(found.rank_pairs) for found in every.values())
    adjusted = adjust_family(every, n_datasets)
    return {
        d: {name: _with_ranks(adjusted[d, name], n_ranked) for name in own}
        for d, own in results.items()
    }


def _with_ranks(found: MeasureInference, n_families: int) -> MeasureInference:
    """Multiply the p-values of rank sums by the number of families."""
    if n_families < 2 or not found.rank_pairs:
        return found
    return replace(found, rank_pairs=multiply_p_values(found.rank_pairs, n_families))


def paired_max_t_method(
    blocks: Performances,
    alpha: float,
    area: Area | None,
    stream: Callable[[], Generator],
    reference: str | None = None,
) -> Method:
    """Compare all pairs by their own variances, corrected for skewness.

    `blocks`: of two or more candidates.
    `area`: the study's area of equivalence.
    `stream`: makes, each time anew, the generator that draws from the joint law.
    `reference`: the candidate whose pairs alone are compared, by the joint law of these.
    """
    there = reference if reference in blocks.candidates else None
    scale = comparison_scale(blocks.measure, blocks.values, area)
    table = own_variance_pairs(
        blocks.values,
        blocks.candidates,
        alpha,
        area_on(scale, area),
        stream(),
        scale=scale,
        is_smaller_better=blocks.measure.is_smaller_better,
        reference=there,
        missing_by_design=blocks.missing_by_design,
    ).only_with(reference)
    return Method(
        "own-variance",
        "strong",
        "max-t" if table.method == "own-variance" else "t",
        None,
        int(table.extra["n"].max(initial=0)),
        replace(table, target=blocks.target).inside(blocks.measure.bounds),
    )


COMPARISONS = {
    "paired-max-t": paired_max_t_method,
    "items": by_items,
    "samples": by_samples,
    "worths": by_worths,
}
"""How pairs are compared each by its own variance, by the method of a unit."""
SENSITIVITY_ANALYSES = {"items": item_sensitivity_analysis, "samples": sample_sensitivity_analysis}
"""What stands beside that, likewise."""


@dataclass(frozen=True, slots=True)
class _Task:
    """One measure of one data set, and what it takes to draw conclusions."""

    blocks: Performances
    options: AnalysisOptions
    evidence: Evidence
    seed: int
    is_main: bool
    performances: Performances
    stages: Stages | None
    target: DecidingTarget
    density: Density
    bounds: tuple[float | None, float | None]

    def found(self) -> MeasureInference:
        """Compute everything, and say what an outlier decides."""
        found = self.infer()
        if len(self.blocks.values) < FEW_REPLICATIONS and self.blocks.unit.is_paired:
            columns = map(tuple, self.blocks.values.T.tolist())
            found = replace(found, values=dict(zip(found.candidates, columns, strict=True)))
        found = replace(found, processes=_processes(self.blocks, found.is_ratio))
        if not found.pairs or self.blocks.unit.is_contest:
            return found
        return replace(found, outlier=outlier_of(self.blocks, self.verdict))

    def verdict(self, blocks: Performances) -> PairTable | None:
        """Decide on the pairs of fewer replications as on those of all."""
        area = self.options.relevance.get(blocks.measure.name)
        if self.target == "new-data":
            return self._new_data_pairs(blocks, area)
        if self.options.variance == "own" or not blocks.unit.is_block:
            return replace(self, blocks=blocks).verdict_method(area).pairs
        modelled = self.modelled(blocks, has_intervals=False)
        if modelled is None:
            return None
        return self._table(pooled_variance(blocks, modelled, area), area)

    def _new_data_pairs(
        self, blocks: Performances, area: tuple[float, float] | None
    ) -> PairTable | None:
        """Decide on the pairs of fewer replications for new data of the source."""
        if self.evidence.is_of_observations:
            return None  # mean losses are of all replications
        evidence, rng = replace(self.evidence, cells=None), self.stream("test-observations")
        _, method = generalise(blocks, evidence, self.options.alpha, area, self.bounds, rng)
        return None if method is None else self._table(method, area)

    def _table(self, method: Method, area: tuple[float, float] | None) -> PairTable:
        """Return the pairs of a method that are decided on."""
        pairs, reference = method.pairs, self.options.deciding
        if reference is None:
            return pairs
        found = Verdict(
            measure=self.blocks.measure,
            alpha=self.options.alpha,
            relevance=area_on(pairs.scale, area),
            target=pairs.target,
            method=method.name,
            pairs=pairs,
            means={},
        )
        return found.against(reference).pairs

    def _beside(self, method: Method) -> Method:
        """Return the pairs of a further method that are decided on; it is adjusted over all."""
        return replace(method, pairs=method.pairs.only_with(self.options.deciding))

    def _restricted(self, found: MeasureInference) -> MeasureInference:
        """Decide on the pairs with the reference alone, where the study asks for it."""
        reference = self.options.deciding
        found = found if reference is None else found.against(reference)
        return found.with_false_discoveries()

    def verdict_method(self, area: tuple[float, float] | None) -> Method:
        """Compare all pairs, each by its own variance."""
        blocks, alpha, rng = self.blocks, self.options.alpha, partial(self.stream, "own-variance")
        reference = self.options.deciding
        return COMPARISONS[blocks.unit.method](blocks, alpha, area, rng, reference)

    def modelled(self, blocks: Performances, *, has_intervals: bool) -> BlockModelFit | None:
        """Fit the block model, by random numbers of its own."""
        rng = np.random.default_rng([self.seed, crc32(blocks.measure.name.encode())])
        return model_blocks(blocks, self.options, rng, has_intervals=has_intervals)

    def infer(self) -> MeasureInference:
        """Compute everything that is concluded about the measure."""
        blocks, options = self.blocks, self.options
        if not blocks.unit.is_block:
            return self._of_units()
        permutes = not self.has_many or options.reference is not None
        has_ranks = self.density == "full" or len(blocks.candidates) <= MOST_COMPACT
        rng = self.stream("rank-sums") if permutes else None
        ranks = rank_tests(blocks, options.alpha, rng) if has_ranks else RankTests()
        several = len(blocks.candidates) > 1
        leaves_model = self.density == "compact" and self.has_many and not blocks.has_gaps
        modelled = (
            self.modelled(blocks, has_intervals=self.density == "full")
            if several and (not leaves_model or options.variance == "pooled")
            else None
        )
        found = _describe(blocks, options, ranks, modelled, self.target)
        if len(blocks.candidates) < 2:
            return found
        new_data, for_new_data = generalise(
            blocks,
            self.evidence,
            options.alpha,
            options.relevance.get(blocks.measure.name),
            self.bounds,
            self.stream("test-observations"),
        )
        bootstrap = self.stream("superiority") if self.is_main and not self.has_many else None
        best = blocks.candidates.index(found.order[0]) if self.has_many else None
        found = replace(
            found,
            new_data=new_data,
            effects=effects_of(blocks, options.alpha, bootstrap, best)
            if self.density == "full"
            else (),
            many_to_one=compare_with_reference(blocks, options, ranks.law) if ranks.law else None,
        )
        if found.unavailable:
            return found
        area = options.relevance.get(blocks.measure.name)
        own = self.verdict_method(area)
        methods: list[Method] = [own]
        if self.stages is not None:
            methods.insert(0, by_stages(own, self.performances, self.stages))
        if modelled is not None:
            methods.append(pooled_variance(blocks, modelled, area))
        if options.variance == "pooled" and self.stages is None:
            methods.reverse()
        more, omitted = self._other_methods(ranks) if self.density == "full" else ([], {})
        methods += more
        if for_new_data is not None:
            methods.insert(0 if self.target == "new-data" else len(methods), for_new_data)
        found = self._restricted(found.decided_by(methods[0]))
        if new_data.reason:
            omitted["new-data"] = new_data.reason
        return replace(
            found,
            relevance=area_on(found.pairs.scale, area),
            is_area_given=is_area_given(found.pairs.scale, area),
            methods={method.name: self._beside(method) for method in methods[1:]},
            omitted=omitted,
            **(self._of_main(found) if self.is_main and self.density == "full" else {}),
        )

    def _of_units(self) -> MeasureInference:
        """Compute what is concluded where units are items, or independent samples."""
        blocks, alpha = self.blocks, self.options.alpha
        found = _describe(blocks, self.options, RankTests(), None, self.target)
        if found.unavailable:
            return found
        verdict = self.verdict_method(self.options.relevance.get(blocks.measure.name))
        found = self._restricted(found.decided_by(verdict))
        if self.density == "compact" or not blocks.unit.further:
            return found
        methods = SENSITIVITY_ANALYSES[blocks.unit.further](blocks, verdict, alpha, self.stream)
        trends = drifts(blocks.values, alpha) if blocks.unit.has_order else ()
        return replace(
            found,
            methods={method.name: self._beside(method) for method in methods},
            drifts=dict(zip(blocks.candidates, trends, strict=bool(trends))),
        )

    @property
    def has_many(self) -> bool:
        """Whether there are so many candidates that all pairs are compared by few methods only."""
        return len(self.blocks.candidates) > MOST_BY_EVERY_METHOD

    def stream(self, name: str) -> Generator:
        """Return the generator that belongs to a method."""
        return stream(self.seed, self.blocks.measure.name, name)

    def _other_methods(self, ranks: RankTests) -> tuple[list[Method], dict[MethodName, Omission]]:
        """Compare the complete replications by every method that needs them."""
        if self.has_many:
            return [], dict.fromkeys(COMPLETE_ONLY, "many-candidates")
        if len(self.blocks.complete) < 2 or not ranks.law:
            return [], dict.fromkeys(COMPLETE_ONLY, "incomplete")
        further = FurtherMethods(
            self.blocks, self.options.alpha, self.stream, self.is_main, ranks.law
        )
        omitted: dict[MethodName, Omission] = {}
        if further.omission:
            omitted["sign-flip"] = further.omission
        return list(further.methods()), omitted

    def _of_main(self, found: MeasureInference) -> dict[str, Any]:
        """Compute what only the main measure has: diagnostics and t*."""
        blocks, model, more = self.blocks, found.mixed_model, dict[str, Any]()
        if model is not None:
            rng = self.stream("diagnostics")
            more["diagnostics"] = diagnostics_of(blocks, model, found.alpha, rng)
        if len(blocks.complete) > 1 and len(blocks.candidates) > 2 and not self.has_many:
            test = permuted_equality(
                blocks.complete, sum_law(blocks.complete, self.stream("t-star"))
            )
            statistic = equality_statistic(test, *blocks.complete.shape)
            more["t_star"] = permutation_test(test, blocks, statistic)
        return more


def _describe(
    blocks: Performances,
    options: AnalysisOptions,
    ranks: RankTests,
    modelled: BlockModelFit | None,
    deciding_target: DecidingTarget,
) -> MeasureInference:
    """Collect the results that do not depend on the decisions on pairs."""
    area = options.relevance.get(blocks.measure.name)
    scale = comparison_scale(blocks.measure, blocks.values, area)
    is_sample = not blocks.unit.is_paired
    has_gaps = blocks.unit.is_block and blocks.has_gaps
    means, own = _means(blocks, scale)
    parts = parts_of(blocks)
    is_filled = has_gaps and not np.array_equal(means, own)
    if modelled and scale == "difference" and not has_gaps:
        means = modelled.means
    pairs = all_pairs(0)
    nothing = PairTable.of(pairs, np.zeros(0), "own-variance", options.alpha)
    return MeasureInference(
        measure=blocks.measure,
        alpha=options.alpha,
        relevance=area_on(scale, area),
        is_area_given=is_area_given(scale, area),
        target=blocks.target,
        unavailable=unavailable(blocks, len(parts)),
        n_blocks=blocks.n_used if is_sample else len(blocks.complete),
        n_dropped=0 if is_sample else len(blocks.values) - len(blocks.complete),
        n_used=blocks.n_used,
        n_missing=0 if is_sample else blocks.n_missing,
        missing_candidates=blocks.missing_candidates,
        parts=parts,
        friedman=ranks.friedman,
        rank_sums=ranks.rank_sums,
        rank_pairs=ranks.rank_pairs,
        skillings_mack=ranks.skillings_mack,
        worst_rank=ranks.worst_rank,
        means=dict(zip(blocks.candidates, means.tolist(), strict=True)),
        own_means=dict(zip(blocks.candidates, own.tolist(), strict=True)) if is_filled else {},
        n_values=dict(zip(blocks.candidates, blocks.observed.sum(axis=0).tolist(), strict=True))
        if is_filled
        else {},
        mixed_model=modelled.model if modelled else None,
        pairs=nothing.named(blocks.candidates, blocks.target, blocks.measure.is_smaller_better),
        sphericity=_sphericity(blocks.complete) if blocks.unit.is_block else None,
        candidates=blocks.candidates,
        friedman_permutation=ranks.permutation,
        iman_davenport=ranks.iman_davenport,
        deciding_target=deciding_target,
    )


def _means(blocks: Performances, scale: Scale) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means with gaps counted as the worst there, and those of the values alone."""
    used = blocks.drop_replications(blocks.replications[~blocks.observed.any(axis=1)])
    values = comparison_values(used.values, scale)
    own = ordering = np.nanmean(values, axis=0)
    if blocks.unit.is_paired and not np.isfinite(values).all():
        filled = filled_values(used.values, scale, blocks.measure, used.missing_by_design)
        ordering = np.nanmean(filled, axis=0)
    return (np.exp(ordering), np.exp(own)) if scale == "ratio" else (ordering, own)


def _processes(blocks: Performances, is_ratio: bool) -> dict[str, Processes]:
    """Describe the processes of each candidate, where a value is the mean of the runs of one."""
    if blocks.runs is None:
        return {}
    found = {}
    for k, name in enumerate(blocks.candidates):
        own = blocks.runs[blocks.observed[:, k], :, k]
        runs = tuple(tuple(row[np.isfinite(row)].tolist()) for row in own)
        found[name] = Processes(runs, *process_spread(np.log(own) if is_ratio else own))
    return found


def _sphericity(values: NDArray[np.float64]) -> float | None:
    """Return the Greenhouse-Geisser epsilon where it is defined."""
    if min(values.shape) < 2 or not has_residual_variance(values):
        return None
    epsilon = greenhouse_geisser(values)
    return None if isnan(epsilon) else epsilon
