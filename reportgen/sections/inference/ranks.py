"""Rank tests of one measure: on complete blocks, on all, and with failures ranked last."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.inference.blocks import Blocks
from reportgen.sections.inference.result import Friedman, RankPair, SkillingsMack, WorstRanks
from reportgen.stats.friedman import compare_rank_sums, friedman
from reportgen.stats.ranks import available_ranks, within_block_ranks, worst_ranks
from reportgen.stats.skillings_mack import skillings_mack

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RankTests:
    """What ranks say of one measure; see `MeasureInference` for the fields."""

    friedman: Friedman | None = None
    rank_sums: dict[str, float] | None = None
    rank_pairs: tuple[RankPair, ...] = ()
    skillings_mack: SkillingsMack | None = None
    failed_last: WorstRanks | None = None


def rank_tests(blocks: Blocks) -> RankTests:
    """Compute every rank test that the values allow."""
    if len(blocks.candidates) < 2:
        return RankTests()
    smaller = blocks.measure.is_smaller_better
    ranks = within_block_ranks(blocks.complete, smaller)
    has_ranks = len(ranks) > 0
    return RankTests(
        friedman=_friedman(ranks, blocks) if has_ranks else None,
        rank_sums=_sums(ranks, blocks) if has_ranks else None,
        rank_pairs=_pairs(ranks, blocks) if has_ranks else (),
        skillings_mack=_skillings_mack(blocks) if blocks.has_gaps else None,
        failed_last=_failed_last(blocks),
    )


def _friedman(ranks: Array, blocks: Blocks) -> Friedman:
    """Test equality of the rank distributions."""
    test = friedman(ranks)
    return Friedman(test.statistic, test.df, test.p_value, test.log10_p_value, blocks.target)


def _sums(ranks: Array, blocks: Blocks) -> dict[str, float]:
    """Return the rank sums by candidate."""
    return dict(zip(blocks.candidates, ranks.sum(axis=0).tolist(), strict=True))


def _pairs(ranks: Array, blocks: Blocks) -> tuple[RankPair, ...]:
    """Compare all pairs of rank sums."""
    found, names = compare_rank_sums(ranks), blocks.candidates
    rows = zip(found.first, found.second, found.differences, found.p_values, strict=True)
    return tuple(
        RankPair(names[i], names[j], float(difference), float(p), blocks.target)
        for i, j, difference, p in rows
    )


def _skillings_mack(blocks: Blocks) -> SkillingsMack | None:
    """Test the ranks of what is there; None where nothing links the candidates."""
    test = skillings_mack(available_ranks(blocks.used, blocks.measure.is_smaller_better))
    if test is None:
        return None
    return SkillingsMack(
        test.statistic,
        test.df,
        test.p_value,
        test.log10_p_value,
        test.n_blocks,
        len(blocks.values) - test.n_blocks,
        blocks.target,
    )


def _failed_last(blocks: Blocks) -> WorstRanks | None:
    """Rank failures behind all values; None without a failure."""
    failed = blocks.has_failed
    is_told = (blocks.observed | failed).all(axis=1)
    if not failed[is_told].any():
        return None
    smaller = blocks.measure.is_smaller_better
    ranks = worst_ranks(blocks.values[is_told], failed[is_told], smaller)
    return WorstRanks(
        friedman=_friedman(ranks, blocks),
        rank_sums=_sums(ranks, blocks),
        rank_pairs=_pairs(ranks, blocks),
        n_blocks=len(ranks),
        n_dropped=int((~is_told).sum()),
        n_failed=int(failed[is_told].sum()),
        failed=dict(zip(blocks.candidates, failed[is_told].sum(axis=0).tolist(), strict=True)),
    )
