"""Effect sizes of all pairs, and comparisons of all candidates with a reference."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isfinite

import numpy as np
from numpy.random import Generator

from reportgen.sections.inference.result import Effect, ManyToOne
from reportgen.stats.blocks.model import fit_block_model, has_residual_variance
from reportgen.stats.multiplicity.many_to_one import dunnett
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import (
    PairedEffect,
    UnpairedSuperiority,
    paired_effects,
    unpaired_superiority,
)
from reportgen.stats.permutation.block_sums import SumLaw
from reportgen.stats.permutation.block_tests import asymptotic_reference, permuted_reference
from reportgen.stats.ranking import within_block_ranks
from reportgen.study.comparison import area_on
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Performances

N_DRAWS = 999  # of the bootstrap: percentiles of 95% intervals rest on 25 draws each


def effects_of(
    blocks: Performances, alpha: float, rng: Generator | None, only: int | None = None
) -> tuple[Effect, ...]:
    """Return the effects of all pairs that have a replication in common.

    `blocks`: of two or more candidates.
    `rng`: for the bootstrap of the unpaired superiority; None to leave it out.
    `only`: the candidate that all pairs shall have; for every pair when None.
    """
    smaller = blocks.measure.is_smaller_better
    pairs = all_pairs(len(blocks.candidates))
    kept = pairs if only is None else pairs[(pairs == only).any(axis=1)]
    rows = [(i, j) for i, j in kept.tolist()]
    paired = paired_effects(blocks.values, alpha, smaller, rows)
    unpaired = unpaired_superiority(blocks.values, alpha, rng, smaller, N_DRAWS) if rng else None
    return tuple(
        _effect(found, unpaired, row, (blocks.candidates[i], blocks.candidates[j]), blocks)
        for row, ((i, j), found) in enumerate(zip(rows, paired, strict=True))
        if found is not None
    )


def _effect(
    found: PairedEffect,
    unpaired: UnpairedSuperiority | None,
    row: int,
    names: tuple[str, str],
    blocks: Performances,
) -> Effect:
    unpaired_bounds = unpaired and (float(unpaired.lower[row]), float(unpaired.upper[row]))
    return Effect(
        first=names[0],
        second=names[1],
        n_blocks=found.n_blocks,
        difference=found.mean,
        difference_interval=_interval(found.mean_lower, found.mean_upper),
        d=found.d if isfinite(found.d) else None,
        d_interval=_interval(found.d_lower, found.d_upper),
        superiority=found.superiority,
        superiority_error=found.superiority_error,
        superiority_interval=(found.superiority_lower, found.superiority_upper),
        cliff_delta=found.net_wins,
        cliff_interval=(2 * found.superiority_lower - 1, 2 * found.superiority_upper - 1),
        unpaired_superiority=float(unpaired.probabilities[row]) if unpaired else None,
        unpaired_interval=unpaired_bounds or None,
        target=blocks.target,
    )


def _interval(lower: float, upper: float) -> tuple[float, float] | None:
    return (lower, upper) if isfinite(lower) and isfinite(upper) else None


def compare_with_reference(
    blocks: Performances, options: AnalysisOptions, law: SumLaw
) -> ManyToOne | None:
    """Compare every candidate with the reference, on complete replications.

    `blocks`: with one or more complete replications.
    `law`: of the rank sums.
    Result: None where no reference is requested, or it has no value here.
    """
    if options.reference is None or options.reference not in blocks.candidates:
        return None
    column, smaller = blocks.candidates.index(options.reference), blocks.measure.is_smaller_better
    table = _compare_means(blocks, column, options)
    ranks = within_block_ranks(blocks.complete, smaller)
    limit, permuted = asymptotic_reference(ranks, column), permuted_reference(ranks, law, column)
    area = area_on("difference", options.relevance.get(blocks.measure.name))
    pairs = (
        table.with_columns(
            rank_difference=limit.differences,
            p_value_ranks=limit.p_values,
            p_value_permutation=permuted.p_values,
            permutation_error=permuted.standard_errors,
        )
        .named(blocks.candidates, blocks.target, smaller)
        .decided(area)
    )
    critical, df = float(table.critical_value[0]), float(table.df[0])
    return ManyToOne(
        reference=options.reference,
        n_blocks=len(blocks.complete),
        critical_value=critical if isfinite(critical) else None,
        df=df if isfinite(df) else None,
        law=law.method,
        n_draws=law.n_draws,
        target=blocks.target,
        pairs=pairs,
    )


def _compare_means(blocks: Performances, column: int, options: AnalysisOptions) -> PairTable:
    """Compare the means by Dunnett's intervals, where there is a residual variance."""
    values = blocks.complete
    if len(values) >= 2 and has_residual_variance(values):
        estimates = fit_block_model(values).estimates
        if options.df == "asymptotic":
            estimates = replace(estimates, df=inf)
        return dunnett(estimates, column, options.alpha)
    others = [k for k in range(len(blocks.candidates)) if k != column]
    pairs = np.array([(k, column) for k in others], dtype=np.intp)
    return PairTable.of(pairs, np.full(len(others), np.nan), "dunnett", options.alpha)
