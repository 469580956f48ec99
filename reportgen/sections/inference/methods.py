"""All pairs of a measure by other methods than the one that decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import dataclass
from reportgen.methods import MethodName
from reportgen.sections.inference.result import Control, Law, Method, Omission
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.closed import (
    MOST_PERMUTED,
    MOST_RANKED,
    closed_performance_tests,
    closed_rank_tests,
)
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import joint_units
from reportgen.stats.pairs.paired_tests import permutation_pairs, signed_rank_pairs
from reportgen.stats.permutation.block_sums import N_DRAWS, SumComparisons, SumLaw, sum_law
from reportgen.stats.permutation.block_tests import asymptotic_pairs, permuted_pairs
from reportgen.stats.permutation.paired import FEWEST_UNITS, sign_flip_max_t
from reportgen.stats.ranking import aligned_ranks, within_block_ranks
from reportgen.warehouse import Performances

Streams = Callable[[str], Generator]

MOST_PERMUTED_BLOCKS = 100  # beyond, limit laws of ranks are as good as 10,000 arrangements


@dataclass(frozen=True, slots=True)
class FurtherMethods:
    """The methods that compare all pairs of a measure over its complete replications."""

    blocks: Performances  # with two or more complete replications
    alpha: float
    streams: Streams  # makes the generator that belongs to a method's name
    is_main: bool  # whether the measure is the study's first: only then is what takes long done.
    law: SumLaw  # of the rank sums

    @property
    def values(self) -> Array:
        """Shape (B, K)."""
        return self.blocks.complete

    @property
    def n_candidates(self) -> int:
        """K, missing candidates aside."""
        return int(self.values.shape[1])

    @property
    def permutes_all(self) -> bool:
        """Whether closed and aligned ranks are permuted, too."""
        return self.is_main and len(self.values) <= MOST_PERMUTED_BLOCKS

    @property
    def omission(self) -> Omission | None:
        """Why no signs are flipped, where they would be."""
        return "too-few-replications" if len(self.values) < FEWEST_UNITS else None

    def methods(self) -> Iterator[Method]:
        """Compare all pairs by every method."""
        if self.omission is None and len(self.values) < joint_units(self.n_candidates):
            yield self._sign_flips()
        if self.is_main:
            yield from self._permuted_means()
        yield self._joint_ranks()
        if 3 <= self.n_candidates <= MOST_RANKED:
            yield self._closed_ranks()
        yield self._aligned_ranks()
        yield self._signed_ranks()

    def _method(
        self,
        name: MethodName,
        controls: Control,
        law: Law,
        adjusted: Array,
        estimate: Array,
        n_draws: int | None = None,
        *,
        is_ranked: bool = False,
        **columns: Array,
    ) -> Method:
        """Name the pairs of a method; small ranks are good, whatever the measure's direction."""
        pairs = PairTable.of(
            all_pairs(self.n_candidates),
            estimate,
            name,
            self.alpha,
            adjusted_p_value=adjusted,
            **columns,
        ).named(
            self.blocks.candidates,
            self.blocks.target,
            is_ranked or self.blocks.measure.is_smaller_better,
        )
        return Method(name, controls, law, n_draws, len(self.values), pairs.decided())

    def _sign_flips(self) -> Method:
        """Flip signs of whole replications: too few for a joint law of their t statistics."""
        found = sign_flip_max_t(self.values, self.streams("sign-flip"))
        return self._method(
            "sign-flip",
            "strong",
            "monte-carlo" if found.n_draws else "exact",
            found.step_down,
            self._differences(),
            found.n_draws,
            statistic=found.statistics,
        )

    def _permuted_means(self) -> Iterator[Method]:
        """Permute the performances within replications, as Hothorn et al. do."""
        rng = self.streams("closed-means")
        if self.n_candidates == 2:
            found = permutation_pairs(self.values, rng)
            is_exact = bool(found.is_exact.all())
            yield self._method(
                "permutation-t",
                "strong",
                "exact" if is_exact else "monte-carlo",
                found.adjusted,
                self._differences(),
                None if is_exact else N_DRAWS,
            )
        elif self.n_candidates <= MOST_PERMUTED:
            closed = closed_performance_tests(self.values, rng)
            yield self._method(
                "closed-means",
                "strong",
                "monte-carlo" if closed.n_draws else "exact",
                closed.adjusted,
                self._differences(),
                closed.n_draws,
            )

    def _joint_ranks(self) -> Method:
        ranks = within_block_ranks(self.values, self.blocks.measure.is_smaller_better)
        return self._sum_up("joint-ranks", "global-null", permuted_pairs(ranks, self.law))

    def _closed_ranks(self) -> Method:
        rng = self.streams("closed-ranks")
        found = closed_rank_tests(
            self.values, rng, "permutation" if self.permutes_all else "asymptotic"
        )
        law: Law = "monte-carlo" if found.n_draws else "exact"
        first, second = all_pairs(self.n_candidates).T
        return self._method(
            "closed-ranks",
            "strong",
            law if self.permutes_all else "asymptotic",
            found.adjusted,
            np.sign(self.values[:, first] - self.values[:, second]).mean(axis=0),
            found.n_draws,
        )

    def _aligned_ranks(self) -> Method:
        ranks = aligned_ranks(self.values, self.blocks.measure.is_smaller_better)
        if self.permutes_all:
            found = permuted_pairs(ranks, sum_law(ranks, self.streams("aligned-ranks")))
        else:
            found = asymptotic_pairs(ranks)
        return self._sum_up("aligned-ranks", "strong-if-alike", found)

    def _sum_up(self, name: MethodName, controls: Control, found: SumComparisons) -> Method:
        return self._method(
            name,
            controls,
            found.method,
            found.p_values,
            found.differences,
            found.n_draws,
            is_ranked=True,
            statistic=found.statistics,
        )

    def _signed_ranks(self) -> Method:
        """Test each pair's differences alone; adjust by Holm."""
        found = signed_rank_pairs(self.blocks.used)
        law: Law = "exact" if found.is_exact.all() else "asymptotic"
        nothing = np.full(len(found.p_values), np.nan)
        holm = self._method(
            "signed-rank-holm",
            "strong",
            law,
            found.adjusted,
            nothing,
            statistic=found.statistics,
            p_value=found.p_values,
        )
        return replace(holm, n_units=int(found.n.max()))

    def _differences(self) -> Array:
        """Return the mean differences of all pairs."""
        means = self.values.mean(axis=0)
        first, second = all_pairs(self.n_candidates).T
        return np.asarray(means[first] - means[second])
