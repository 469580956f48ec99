"""Inference on one data set (Eugster 2011, section 2.3; Hothorn et al. 2005)."""

from __future__ import annotations

from dataclasses import replace
from math import isinf, isnan
from zlib import crc32

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.blocks import Blocks, blocks_of
from reportgen.sections.inference.model import Modelled, model_blocks
from reportgen.sections.inference.pairs import Family, decide_pairs, significantly_better
from reportgen.sections.inference.ranks import rank_tests
from reportgen.sections.inference.result import (
    EqualityTest,
    Friedman,
    InferenceResult,
    MeasureInference,
    MixedModel,
    Pair,
    RankPair,
    Unavailable,
)
from reportgen.stats.block_model import has_residual_variance
from reportgen.stats.relations import chain, unbeaten
from reportgen.stats.sphericity import greenhouse_geisser
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
]


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
    result = {}
    for dataset in warehouse.datasets:
        for measure in warehouse.measures:
            blocks = blocks_of(warehouse.performances(dataset, measure.name), warehouse.target)
            if blocks.candidates:
                own = np.random.default_rng([seed, crc32(measure.name.encode())])
                result[measure.name] = _infer(blocks, options, own)
    return result


def _infer(blocks: Blocks, options: Options, rng: Generator) -> MeasureInference:
    """Compute everything that is concluded about one measure."""
    ranks = rank_tests(blocks)
    without_model = MeasureInference(
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
    )
    if without_model.unavailable:
        return without_model
    modelled = model_blocks(blocks, options, rng)
    if modelled is None:
        return replace(without_model, unavailable="too-few-values")
    return _with_model(without_model, blocks, modelled)


def _with_model(found: MeasureInference, blocks: Blocks, modelled: Modelled) -> MeasureInference:
    """Add the block model and what follows from it."""
    compared = modelled.compared
    family = Family(blocks.measure, blocks.candidates, found.relevance, blocks.target)
    pairs = decide_pairs(compared, modelled.pair_df, blocks.values, family)
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
