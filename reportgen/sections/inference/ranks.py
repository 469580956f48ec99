"""Rank tests of one measure: on complete blocks, on all, and with failures ranked last."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.sections.inference.result import (
    PermutationTest,
    WorstRanks,
)
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.pair_table import PairTable
from reportgen.stats.permutation.block_sums import SumEquality, SumLaw, sum_law
from reportgen.stats.permutation.block_tests import permuted_equality, permuted_pairs
from reportgen.stats.ranking import available_ranks, within_block_ranks, worst_ranks
from reportgen.stats.ranks.friedman import (
    FriedmanTest,
    ImanDavenportTest,
    SkillingsMackTest,
    compare_rank_sums,
    friedman_test,
    iman_davenport,
    skillings_mack,
)
from reportgen.warehouse import Performances


@dataclass(frozen=True, slots=True)
class RankTests:
    """The rank tests of one measure; see `MeasureInference` for the fields.

    `law` is that of the rank sums of the complete replications.
    """

    friedman: FriedmanTest | None = None
    rank_sums: dict[str, float] | None = None
    rank_pairs: PairTable | None = None
    skillings_mack: SkillingsMackTest | None = None
    worst_rank: WorstRanks | None = None
    iman_davenport: ImanDavenportTest | None = None
    permutation: PermutationTest | None = None
    law: SumLaw | None = None


def rank_tests(blocks: Performances, alpha: float, rng: Generator | None) -> RankTests:
    """Compute every rank test that the values allow.

    `rng`: draws arrangements of the ranks, where they are too many; None to leave out what permutes
    them.
    """
    if len(blocks.candidates) < 2:
        return RankTests()
    gaps = RankTests(
        skillings_mack=_skillings_mack(blocks) if blocks.has_gaps else None,
        worst_rank=_worst_rank(blocks, alpha),
    )
    ranks = within_block_ranks(blocks.complete, blocks.measure.is_smaller_better)
    if len(ranks) < 2:
        return gaps
    pairs = _pairs(ranks, blocks, alpha)
    found = replace(
        gaps,
        friedman=_friedman(ranks, blocks),
        rank_sums=_sums(ranks, blocks),
        rank_pairs=pairs,
        iman_davenport=replace(iman_davenport(ranks), target=blocks.target),
    )
    if rng is None:
        return found
    law = sum_law(ranks, rng)
    return replace(
        found,
        rank_pairs=_with_permutation(pairs, ranks, law),
        permutation=permutation_test(permuted_equality(ranks, law), blocks),
        law=law,
    )


def permutation_test(
    found: SumEquality, blocks: Performances, statistic: float | None = None
) -> PermutationTest:
    """Name a test by permuting labels; with another statistic of the same order."""
    shown = found.statistic if statistic is None else statistic
    return PermutationTest(
        statistic=shown if isfinite(shown) else None,
        p_value=found.p_value,
        standard_error=found.standard_error,
        law="monte-carlo" if found.n_draws else "exact",
        n_draws=found.n_draws,
        target=blocks.target,
    )


def _with_permutation(pairs: PairTable, ranks: Array, law: SumLaw) -> PairTable:
    """Add the p-values that permuting the labels gives; where these are exact, they hold."""
    found = permuted_pairs(ranks, law)
    table = pairs.with_columns(
        p_value_permutation=found.p_values, permutation_error=found.standard_errors
    )
    if law.n_draws is None:
        table = replace(table, adjusted_p_value=found.p_values).decided()
    return table


def _friedman(ranks: Array, blocks: Performances) -> FriedmanTest:
    """Test equality of the rank distributions."""
    return replace(friedman_test(ranks), target=blocks.target)


def _sums(ranks: Array, blocks: Performances) -> dict[str, float]:
    """Return the rank sums by candidate."""
    return dict(zip(blocks.candidates, ranks.sum(axis=0).tolist(), strict=True))


def _pairs(ranks: Array, blocks: Performances, alpha: float) -> PairTable:
    """Compare all pairs of rank sums: small ranks are good, whichever way the measure is."""
    found = compare_rank_sums(ranks)
    table = PairTable.of(
        np.column_stack([found.first, found.second]),
        found.differences,
        "joint-ranks",
        alpha,
        adjusted_p_value=found.p_values,
    )
    return table.named(blocks.candidates, blocks.target, True).decided()


def _skillings_mack(blocks: Performances) -> SkillingsMackTest | None:
    """Test the ranks of the values that exist; None where nothing links the candidates."""
    test = skillings_mack(available_ranks(blocks.used, blocks.measure.is_smaller_better))
    if test is None:
        return None
    return replace(test, n_dropped=len(blocks.values) - test.n_blocks, target=blocks.target)


def _worst_rank(blocks: Performances, alpha: float) -> WorstRanks | None:
    """Rank failures behind all values; None without a failure."""
    failed = blocks.has_failed
    is_decided = (blocks.observed | failed).all(axis=1)
    if not failed[is_decided].any():
        return None
    smaller = blocks.measure.is_smaller_better
    ranks = worst_ranks(blocks.values[is_decided], failed[is_decided], smaller)
    return WorstRanks(
        friedman=_friedman(ranks, blocks),
        rank_sums=_sums(ranks, blocks),
        rank_pairs=_pairs(ranks, blocks, alpha),
        n_blocks=len(ranks),
        n_dropped=int((~is_decided).sum()),
        n_failed=int(failed[is_decided].sum()),
        failed=dict(zip(blocks.candidates, failed[is_decided].sum(axis=0).tolist(), strict=True)),
    )


def multiply_p_values(pairs: PairTable, n_families: int) -> PairTable:
    """Multiply adjusted p-values by the number of families, by Bonferroni's inequality."""
    extra = dict(pairs.extra)
    if "p_value_permutation" in extra:
        permuted = bonferroni(extra["p_value_permutation"], n_families)
        extra["p_value_permutation"] = permuted
        extra["permutation_error"] = n_families * extra["permutation_error"]
    adjusted = bonferroni(pairs.adjusted_p_value, n_families)
    return replace(pairs, adjusted_p_value=adjusted, extra=extra).decided()
