"""Inference on one data set (Eugster 2011, section 2.3; Hothorn et al. 2005)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from math import isinf, isnan
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.beside import Omission, RoadName
from reportgen.sections.inference.beyond import Beyond, beyond, shared_of
from reportgen.sections.inference.blocks import Blocks, blocks_of
from reportgen.sections.inference.diagnostics import diagnostics_of
from reportgen.sections.inference.effects import effects_of
from reportgen.sections.inference.model import Modelled, model_blocks
from reportgen.sections.inference.observations import over_observations
from reportgen.sections.inference.pairs import Family, decide_pairs, significantly_better
from reportgen.sections.inference.rank_results import Friedman, RankPair
from reportgen.sections.inference.ranks import RankTests, permutation_test, rank_tests
from reportgen.sections.inference.reference import against
from reportgen.sections.inference.result import (
    EqualityTest,
    InferenceResult,
    MeasureInference,
    MixedModel,
    Pair,
    Unavailable,
)
from reportgen.sections.inference.roads import Chosen, Roads
from reportgen.sections.inference.study_family import adjust_study
from reportgen.sections.inference.tested import Complete, own_variances, pooled
from reportgen.stats.block_model import has_residual_variance
from reportgen.stats.block_permutation import permuted_equality
from reportgen.stats.closed_tests import t_star
from reportgen.stats.relations import chain, unbeaten
from reportgen.stats.shared_data import SharedData
from reportgen.stats.simultaneous import Comparisons
from reportgen.stats.sphericity import greenhouse_geisser
from reportgen.stats.sum_law import sum_law
from reportgen.streams import stream
from reportgen.study.manifest import AnalysisOptions
from reportgen.warehouse import Warehouse

__all__ = [
    "EqualityTest",
    "Friedman",
    "InferenceResult",
    "MeasureInference",
    "MixedModel",
    "Options",
    "Pair",
    "RankPair",
    "Unavailable",
    "analyse",
    "applies",
    "settle",
]


MOST_BY_EVERY_ROAD = 12  # candidates; of more, pairs that permuting compares take minutes
COMPLETE_ONLY: tuple[RoadName, ...] = (
    "pairwise-variance",
    "joint-ranks",
    "aligned-ranks",
    "signed-rank-holm",
)


class Options(AnalysisOptions):
    """What a manifest may say under `inference`."""


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and replications to compare them by.

    One data set without replications is told that it has none.
    """
    is_tested = warehouse.is_replicated or len(warehouse.datasets) == 1
    return is_tested and len(warehouse.candidates) >= 2


def analyse(warehouse: Warehouse, options: Options, rng: Generator) -> InferenceResult:
    """Compare the candidates on every measure of one data set.

    Parameters
    ----------
    warehouse : Warehouse
        Of one data set.
    options : Options
    rng : Generator
        For the critical values of designs with gaps; those of a measure do not
        depend on which other measures there are.

    Returns
    -------
    dict of str to MeasureInference
        Measures without any value are left out.
    """
    seed = int(rng.integers(2**63))
    result: dict[str, MeasureInference] = {}
    for dataset in warehouse.datasets:
        for measure in warehouse.measures:
            performances = warehouse.performances(dataset, measure.name)
            blocks = blocks_of(performances, warehouse.target)
            if blocks.candidates:
                shared = shared_of(warehouse, performances)
                task = _Task(blocks, options, shared, seed, is_main=not result)
                found, is_main = task.infer(), not result
                if is_main and len(blocks.candidates) > 1:
                    over = over_observations(warehouse, performances, options.alpha)
                    found = replace(found, test_observations=over)
                result[measure.name] = found
    return result


def settle(results: Mapping[str, InferenceResult], options: Options) -> dict[str, InferenceResult]:
    """Adjust over all data sets and measures, where the study asks for it.

    Parameters
    ----------
    results : mapping of str to dict
        What `analyse` returned, by data set.
    options : Options
    """
    return adjust_study(results) if options.family == "study" else dict(results)


@dataclass(frozen=True, slots=True)
class _Task:
    """One measure of one data set, and what it takes to draw conclusions."""

    blocks: Blocks
    options: Options
    shared: SharedData
    seed: int
    is_main: bool

    def infer(self) -> MeasureInference:
        """Compute everything that is concluded about the measure."""
        blocks = self.blocks
        permutes = not self.has_many or self.options.reference is not None
        ranks = rank_tests(blocks, self.stream("rank-sums") if permutes else None)
        found = _without_model(blocks, self.options, ranks)
        if len(blocks.candidates) < 2:
            return found
        further = beyond(blocks, self.shared, self.options.alpha, found.relevance)
        several = against(blocks, self.options, ranks.law) if ranks.law else None
        bootstrap = self.stream("superiority") if self.is_main and not self.has_many else None
        best = _best_first(np.nanmean(blocks.used, axis=0), blocks)[0] if self.has_many else None
        found = replace(
            found,
            corrected=further.corrected,
            effects=effects_of(blocks, self.options.alpha, bootstrap, best),
            against=several.table if several else None,
        )
        if found.unavailable:
            return found
        own = np.random.default_rng([self.seed, crc32(blocks.measure.name.encode())])
        own_stream = partial(self.stream, "pairwise-variance")
        modelled = model_blocks(blocks, self.options, own, own_stream)
        if modelled is None:
            return replace(found, unavailable="too-few-values")
        found = _with_model(found, blocks, modelled)
        roads = self._roads(found, modelled, ranks, further)
        return replace(
            found,
            roads=roads.roads,
            omitted=roads.omitted,
            other_pairs=(*roads.other_pairs, *(several.rows if several else ())),
            **(self._of_main(found) if self.is_main else {}),
        )

    @property
    def has_many(self) -> bool:
        """Whether there are so many candidates that all pairs are compared by one road only."""
        return len(self.blocks.candidates) > MOST_BY_EVERY_ROAD

    def stream(self, name: str) -> Generator:
        """Return the generator that belongs to a method."""
        return stream(self.seed, self.blocks.measure.name, name)

    def _roads(
        self, found: MeasureInference, modelled: Modelled, ranks: RankTests, further: Beyond
    ) -> Roads:
        """Hold all other methods against the chosen one."""
        complete = self.blocks.complete
        tests = [pooled(modelled.compared, len(self.blocks.used))]
        if modelled.own:
            tests.append(own_variances(modelled.own, len(complete)))
        if modelled.uses_own:
            tests.reverse()
            tests[0] = replace(tests[0], p_values=modelled.chosen.p_values)
        omitted: dict[RoadName, Omission] = {}
        if self.has_many:
            omitted |= dict.fromkeys(COMPLETE_ONLY[1:], "many-candidates")
        elif len(complete) >= 2 and ranks.law:
            more = Complete(
                complete,
                self.blocks.measure.is_smaller_better,
                self.stream,
                self.is_main,
                ranks.law,
            )
            tests += more.tests()
            omitted |= {"sign-flip": more.omission} if more.omission else {}
        else:
            omitted |= dict.fromkeys(COMPLETE_ONLY, "incomplete")
        reason = further.corrected.reason
        tests += [further.tested] if further.tested else []
        omitted |= {"corrected-t": reason} if reason else {}
        chosen = Chosen(
            self.blocks.measure, found.alpha, found.relevance, found.target, found.pairs
        )
        return chosen.roads(tests, omitted)

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
            statistic = t_star(test, *blocks.complete.shape)
            more["t_star"] = permutation_test(test, blocks, statistic)
        return more


def _without_model(blocks: Blocks, options: Options, ranks: RankTests) -> MeasureInference:
    """Put together what there is without a block model."""
    return MeasureInference(
        measure=blocks.measure,
        alpha=options.alpha,
        relevance=options.relevance.get(blocks.measure.name),
        target=blocks.target,
        unavailable=blocks.unavailable,
        n_blocks=len(blocks.complete),
        n_dropped=len(blocks.values) - len(blocks.complete),
        n_used=len(blocks.used),
        n_missing=int((~blocks.observed).sum()),
        absent=blocks.absent,
        parts=blocks.parts,
        friedman=ranks.friedman,
        rank_sums=ranks.rank_sums,
        rank_pairs=ranks.rank_pairs,
        skillings_mack=ranks.skillings_mack,
        failed_last=ranks.failed_last,
        mixed_model=None,
        pairs=(),
        critical_value=None,
        critical_error=None,
        critical_df=None,
        tukey_kramer_value=None,
        sphericity=_sphericity(blocks.complete),
        order=blocks.named(_best_first(np.nanmean(blocks.used, axis=0), blocks)),
        leaders=(),
        groups=None,
        candidates=blocks.candidates,
        friedman_permutation=ranks.permutation,
        iman_davenport=ranks.iman_davenport,
    )


def _with_model(found: MeasureInference, blocks: Blocks, modelled: Modelled) -> MeasureInference:
    """Add the block model and what follows from it."""
    compared = modelled.chosen
    variance = "pairwise" if modelled.uses_own else "pooled"
    family = Family(blocks.measure, blocks.candidates, found.relevance, blocks.target, variance)
    decided = decide_pairs(compared, modelled.pair_df, blocks.values, family)
    pairs = _with_lenient(decided, modelled.lenient)
    incidence = significantly_better(pairs, blocks.candidates)
    order = _best_first(modelled.means, blocks)
    groups = chain(incidence)

    def named(columns: list[int]) -> tuple[str, ...]:
        return blocks.named([k for k in order if k in columns])

    return replace(
        found,
        mixed_model=modelled.model,
        pairs=pairs,
        critical_value=compared.critical_value,
        critical_error=compared.critical_error,
        critical_df=None if isinf(compared.df) else compared.df,
        tukey_kramer_value=modelled.tukey_kramer_value,
        order=blocks.named(order),
        leaders=named(unbeaten(incidence)),
        groups=None if groups is None else tuple(named(group) for group in groups),
    )


def _with_lenient(pairs: tuple[Pair, ...], lenient: Comparisons | None) -> tuple[Pair, ...]:
    """Add the intervals of two one-sided tests."""
    if lenient is None:
        return pairs
    bounds = zip(lenient.lower.tolist(), lenient.upper.tolist(), strict=True)
    return tuple(replace(p, tost_interval=both) for p, both in zip(pairs, bounds, strict=True))


def _best_first(means: NDArray[np.float64], blocks: Blocks) -> list[int]:
    """Return the columns by their means, best first."""
    signed = means if blocks.measure.is_smaller_better else -means
    return [int(k) for k in np.argsort(signed, kind="stable")]


def _sphericity(values: NDArray[np.float64]) -> float | None:
    """Return the Greenhouse-Geisser epsilon where it is defined."""
    if min(values.shape) < 2 or not has_residual_variance(values):
        return None
    epsilon = greenhouse_geisser(values)
    return None if isnan(epsilon) else epsilon
