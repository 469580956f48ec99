"""Sizes of the differences of all pairs, with intervals."""

from __future__ import annotations

from math import isfinite

from numpy.random import Generator

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.further import Effect
from reportgen.stats.effects import PairedEffect, paired_effects
from reportgen.stats.simultaneous import all_pairs
from reportgen.stats.superiority import UnpairedSuperiority, unpaired_superiority

N_DRAWS = 999  # of the bootstrap: percentiles of 95% intervals rest on 25 draws each


def effects_of(
    blocks: Blocks, alpha: float, rng: Generator | None, only: int | None = None
) -> tuple[Effect, ...]:
    """Return the effects of all pairs that have a replication in common.

    Parameters
    ----------
    blocks : Blocks
        Of two or more candidates.
    alpha : float
    rng : Generator or None
        For the bootstrap of the unpaired superiority; None to leave it out.
    only : int, optional
        The candidate that all pairs shall have; for every pair when None.
    """
    smaller = blocks.measure.is_smaller_better
    rows = [(i, j) for i, j in all_pairs(len(blocks.candidates)).tolist() if only in (None, i, j)]
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
    blocks: Blocks,
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
