"""All pairs of a measure by every method that stands beside the block model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.inference.beside import Control, Law, Omission, RoadName
from reportgen.stats.aligned import aligned_ranks
from reportgen.stats.block_asymptotics import asymptotic_pairs
from reportgen.stats.block_permutation import permuted_pairs
from reportgen.stats.block_scores import SumComparisons
from reportgen.stats.closed_tests import (
    MOST_PERMUTED,
    MOST_RANKED,
    closed_performance_tests,
    closed_rank_tests,
)
from reportgen.stats.multiplicity import shaffer
from reportgen.stats.pair_tests import permutation_pairs, signed_rank_pairs
from reportgen.stats.pairwise_variance import PairwiseVariance, is_joint_law_known
from reportgen.stats.ranks import within_block_ranks
from reportgen.stats.sign_flip_max import FEWEST_UNITS, sign_flip_max_t
from reportgen.stats.simultaneous import Comparisons
from reportgen.stats.sum_law import N_DRAWS, SumLaw, sum_law
from reportgen.warehouse import Target

Array = NDArray[np.float64]
Streams = Callable[[str], Generator]

MOST_PERMUTED_BLOCKS = 100  # beyond, limit laws of ranks are as good as 10,000 arrangements


@dataclass(frozen=True, slots=True)
class Listed:
    """What a method adds to the list of pairs.

    Attributes
    ----------
    method, variance : str
        As of `Pair`.
    estimates, statistics : ndarray of shape (P,)
    df : float or None
    lower, upper : ndarray of shape (P,) or None
    """

    method: str
    variance: Literal["pooled", "pairwise"]
    estimates: Array
    statistics: Array
    df: float | None = None
    lower: Array | None = None
    upper: Array | None = None


@dataclass(frozen=True, slots=True)
class Tested:
    """All pairs by one method.

    Attributes
    ----------
    name, controls, law, n_draws, target, n_blocks
        As of `Road`; without a target that of the data set's replications.
    p_values : ndarray of shape (P,)
        Adjusted; NaN for a pair that could not be tested.
    differences : ndarray of shape (P,)
        Whose signs say who is better.
    is_ranked : bool
        Whether small is better there, whatever the measure's direction.
    listed : Listed or None
        For methods of the contract's list.
    """

    name: RoadName
    controls: Control
    law: Law
    p_values: Array
    differences: Array
    n_blocks: int
    n_draws: int | None = None
    target: Target | None = None
    is_ranked: bool = False
    listed: Listed | None = None


def pooled(compared: Comparisons, n_blocks: int) -> Tested:
    """Take the block model's comparisons."""
    law: Law = "studentized-range" if compared.method == "tukey" else "max-t"
    return Tested(
        "block-model",
        "strong-if-alike",
        law if isfinite(compared.df) else "asymptotic",
        compared.p_values,
        compared.estimates,
        n_blocks,
        listed=_listed(compared, "pooled"),
    )


def own_variances(found: PairwiseVariance, n_blocks: int) -> Tested:
    """Take the comparisons with each pair's own variance, few replications adjusted by Holm."""
    compared = found.comparisons
    return Tested(
        "pairwise-variance",
        "strong",
        "max-t" if found.is_joint else "t",
        compared.p_values if found.is_joint else found.holm,
        compared.estimates,
        n_blocks,
        listed=_listed(compared, "pairwise"),
    )


def _listed(compared: Comparisons, variance: Literal["pooled", "pairwise"]) -> Listed:
    return Listed(
        compared.method,
        variance,
        compared.estimates,
        compared.statistics,
        compared.df if isfinite(compared.df) else None,
        compared.lower,
        compared.upper,
    )


@dataclass(frozen=True, slots=True)
class Complete:
    """The complete replications of a measure, for the methods that need them.

    Attributes
    ----------
    values : ndarray of shape (B, K)
        B >= 2.
    is_smaller_better : bool
    streams : callable
        Makes the generator that belongs to a method's name.
    is_main : bool
        Whether the measure is the study's first: only then is what takes long done.
    law : SumLaw
        Of the rank sums.
    """

    values: Array
    is_smaller_better: bool
    streams: Streams
    is_main: bool
    law: SumLaw

    @property
    def n_candidates(self) -> int:
        """K, absent candidates aside."""
        return int(self.values.shape[1])

    @property
    def permutes_all(self) -> bool:
        """Whether closed and aligned ranks are permuted, too."""
        return self.is_main and len(self.values) <= MOST_PERMUTED_BLOCKS

    def tests(self) -> Iterator[Tested]:
        """Compare all pairs by every method."""
        if self.omission is None and not is_joint_law_known(*self.values.shape):
            yield self._sign_flips()
        if self.is_main:
            yield from self._permuted_means()
        yield self._joint_ranks()
        if 3 <= self.n_candidates <= MOST_RANKED:
            yield self._closed_ranks()
        yield self._aligned_ranks()
        yield from self._signed_ranks()

    @property
    def omission(self) -> Omission | None:
        """Why no signs are flipped, where they would be."""
        return "too-few-replications" if len(self.values) < FEWEST_UNITS else None

    def _sign_flips(self) -> Tested:
        """Flip signs of whole replications: too few for a joint law of their t statistics."""
        found = sign_flip_max_t(self.values, self.streams("sign-flip"))
        differences = self._differences()
        return Tested(
            "sign-flip",
            "strong",
            "monte-carlo" if found.n_draws else "exact",
            found.step_down,
            differences,
            len(self.values),
            found.n_draws,
            listed=Listed("sign-flip", "pairwise", differences, found.statistics),
        )

    def _permuted_means(self) -> Iterator[Tested]:
        """Permute the performances within replications, as Hothorn et al. do."""
        rng, n_blocks = self.streams("closed-means"), len(self.values)
        if self.n_candidates == 2:
            found = permutation_pairs(self.values, rng)
            is_exact = bool(found.is_exact.all())
            yield Tested(
                "permutation-t",
                "strong",
                "exact" if is_exact else "monte-carlo",
                found.adjusted,
                self._differences(),
                n_blocks,
                None if is_exact else N_DRAWS,
            )
        elif self.n_candidates <= MOST_PERMUTED:
            closed = closed_performance_tests(self.values, rng)
            law: Law = "monte-carlo" if closed.n_draws else "exact"
            p_values, n_draws = closed.adjusted, closed.n_draws
            yield Tested(
                "closed-means", "strong", law, p_values, self._differences(), n_blocks, n_draws
            )

    def _joint_ranks(self) -> Tested:
        ranks = within_block_ranks(self.values, self.is_smaller_better)
        return self._summed("joint-ranks", "global-null", permuted_pairs(ranks, self.law))

    def _closed_ranks(self) -> Tested:
        rng = self.streams("closed-ranks")
        found = closed_rank_tests(
            self.values, rng, "permutation" if self.permutes_all else "asymptotic"
        )
        law: Law = "monte-carlo" if found.n_draws else "exact"
        first, second = np.triu_indices(self.n_candidates, 1)
        return Tested(
            "closed-ranks",
            "strong",
            law if self.permutes_all else "asymptotic",
            found.adjusted,
            np.sign(self.values[:, first] - self.values[:, second]).sum(axis=0),
            len(self.values),
            found.n_draws,
        )

    def _aligned_ranks(self) -> Tested:
        ranks = aligned_ranks(self.values, self.is_smaller_better)
        if self.permutes_all:
            found = permuted_pairs(ranks, sum_law(ranks, self.streams("aligned-ranks")))
        else:
            found = asymptotic_pairs(ranks)
        return self._summed("aligned-ranks", "strong-if-alike", found)

    def _summed(self, name: RoadName, controls: Control, found: SumComparisons) -> Tested:
        return Tested(
            name,
            controls,
            found.method,
            found.p_values,
            found.differences,
            len(self.values),
            found.n_draws,
            is_ranked=True,
        )

    def _signed_ranks(self) -> Iterator[Tested]:
        """Test each pair's differences alone; adjust by Holm, and by Shaffer."""
        found, n_blocks = signed_rank_pairs(self.values), len(self.values)
        law: Law = "exact" if found.is_exact.all() else "asymptotic"
        z = found.statistics
        listed = Listed("signed-rank-holm", "pairwise", self._differences(), z)
        yield Tested("signed-rank-holm", "strong", law, found.adjusted, z, n_blocks, listed=listed)
        if self.n_candidates > 2:
            adjusted = shaffer(found.p_values, self.n_candidates)
            yield Tested("signed-rank-shaffer", "strong", law, adjusted, z, n_blocks)

    def _differences(self) -> Array:
        """Return the mean differences of all pairs."""
        means = self.values.mean(axis=0)
        first, second = np.triu_indices(self.n_candidates, 1)
        return np.asarray(means[first] - means[second])
