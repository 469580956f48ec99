r"""All pairs by closed testing: every partial hypothesis has a test of its own.

A pair is called different when every hypothesis that implies its equality is
rejected. Each is tested with its own candidates only: ranks are formed anew
within every subset, so that the decision on a pair does not depend on the
candidates outside, and the family-wise error is controlled whatever candidates
are alike. With K candidates there are 2^K - K - 1 subsets.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import inf
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.studentized_range import survival
from reportgen.stats.multiplicity.adjustment import Subset, closed_pairs, subsets
from reportgen.stats.permutation.block_sums import (
    N_DRAWS,
    SumEquality,
    column_pairs,
    sum_law,
)
from reportgen.stats.permutation.block_tests import SLACK, permuted_equality
from reportgen.stats.permutation.paired import paired_permutation
from reportgen.stats.ranking import check_blocks, levelled, within_block_ranks

MOST_RANKED = 6  # candidates of closed rank tests: 57 subsets
MOST_PERMUTED = 4  # candidates of closed tests by performances: 11 subsets


@dataclass(frozen=True, slots=True)
class ClosedTests:
    """Pairs of candidates with p-values adjusted by closed testing."""

    # first, second: (P,); columns, first < second, in lexical order
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    p_values: Array  # (P,); of each pair alone
    adjusted: Array  # (P,)
    subsets: Mapping[Subset, float]  # p-value of every subset of two or more candidates being alike
    n_draws: int | None  # number of random arrangements where there were any


def closed_rank_tests(
    values: Array,
    rng: Generator,
    law: Literal["permutation", "asymptotic"] = "permutation",
    n_draws: int = N_DRAWS,
) -> ClosedTests:
    """Compare all pairs by their rank sums, ranked anew within every subset.

    `values`: (B, K); complete blocks, 2 <= K <= 6.
    `rng`: draws arrangements where a permutation law is not exact.
    `law`: of the largest difference of rank sums within a subset.
    Raises ValueError if `values` is not such a matrix, or the law unknown.

    References
    ----------
    .. [1] R. Marcus, E. Peritz and K. R. Gabriel (1976), "On closed testing
       procedures with special reference to ordered analysis of variance",
       Biometrika 63.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tests = closed_rank_tests(rng.normal(size=(12, 3)) + [0, 0, 3], rng)
    >>> (tests.adjusted <= 0.05).tolist()
    [False, True, True]
    """
    if law not in ("permutation", "asymptotic"):
        raise ValueError(f"the law must be 'permutation' or 'asymptotic', got {law!r}")
    _check(values, MOST_RANKED)
    if law == "asymptotic":
        return _close_tests(_asymptotic_ranks(values), values)
    n_blocks, n_candidates = values.shape
    found: dict[Subset, tuple[float, int | None]] = {}
    for size in range(2, n_candidates + 1):
        columns = np.array(list(combinations(range(n_candidates), size)))
        parts = values[:, columns].swapaxes(0, 1)
        ranks = within_block_ranks(parts.reshape(-1, size)).reshape(-1, n_blocks, size)
        found |= zip(map(tuple, columns.tolist()), _range_tests(ranks, rng, n_draws), strict=True)
    return _close_tests(found, values)


def _range_tests(ranks: Array, rng: Generator, n_draws: int) -> list[tuple[float, int | None]]:
    """Return p-value and draws of the largest difference of rank sums in each of some subsets."""
    # `ranks`: shape (S, B, K), within the subsets; the p-value is the smallest of `permuted_pairs`.
    centred = ranks - (ranks.shape[2] + 1) / 2
    ranges = np.ptp(centred.sum(axis=1), axis=1)
    variances = 2 * (centred**2).sum(axis=(1, 2)) / (ranks.shape[2] - 1)
    patterns: dict[bytes, list[int]] = {}
    for place, own in enumerate(ranks):  # the same ties, the same law: without any, one a size
        patterns.setdefault(_tie_patterns(own), []).append(place)
    p_values = np.ones(len(ranks))
    draws: list[int | None] = [None] * len(ranks)
    for places in patterns.values():
        law = sum_law(ranks[places[0]], rng, n_draws)
        slack = SLACK * np.sqrt(variances[places])
        p_values[places] = np.where(
            variances[places] > 0, law.range_tail(ranges[places], slack)[0], 1.0
        )
        for place in places:
            draws[place] = law.n_draws
    return list(zip(p_values.tolist(), draws, strict=True))


def _asymptotic_ranks(values: Array) -> dict[Subset, tuple[float, None]]:
    """Return the p-value of each subset by the limit law of its largest difference of rank sums."""
    # A candidate's rank within a subset, less the mean rank, is the sum of its comparisons with
    # the others: 1/2 behind one, -1/2 before one. So the sums of all subsets, and their sums of
    # squares, follow from sums of comparisons and of products of two.
    even = levelled(values)
    behind = even[:, :, None] > even[:, None, :]
    compared = (behind.astype(np.float64) - behind.swapaxes(1, 2)) / 2
    sums, by_first = compared.sum(axis=0), compared.swapaxes(0, 1)
    products = by_first.swapaxes(1, 2) @ by_first
    found: dict[Subset, tuple[float, None]] = {}
    n_candidates = values.shape[1]
    for size in range(2, n_candidates + 1):
        columns = np.array(list(combinations(range(n_candidates), size)))
        is_in = np.zeros((len(columns), n_candidates))
        np.put_along_axis(is_in, columns, 1.0, axis=1)
        ranges = np.ptp(is_in * (is_in @ sums.T), axis=1)  # others have 0, which lies within
        within = np.einsum("si,sj,sk,ijk->s", is_in, is_in, is_in, products)
        scale = np.sqrt((size - 1) / np.where(within > 0, within, np.inf))
        p_values = survival(ranges * scale, size)
        found |= {
            tuple(c): (p, None) for c, p in zip(columns.tolist(), p_values.tolist(), strict=True)
        }
    return found


def closed_performance_tests(values: Array, rng: Generator, n_draws: int = N_DRAWS) -> ClosedTests:
    """Compare all pairs by t*, labels permuted within the blocks of every subset.

    `values`: (B, K); complete blocks, 2 <= K <= 4.
    `rng`: draws arrangements where a permutation law is not exact.
    Raises ValueError if `values` is not such a matrix.

    Notes
    -----
    Two candidates are compared by Student's paired t, which t* is for K = 2.

    References
    ----------
    .. [1] T. Hothorn, F. Leisch, A. Zeileis and K. Hornik (2005), "The design and
       analysis of benchmark experiments", Journal of Computational and
       Graphical Statistics 14, section 4.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> tests = closed_performance_tests(rng.normal(size=(12, 3)) + [0, 0, 3], rng)
    >>> (tests.adjusted <= 0.05).tolist()
    [False, True, True]
    """
    _check(values, MOST_PERMUTED)

    def test(subset: Subset) -> tuple[float, int | None]:
        if len(subset) == 2:
            differences = values[:, subset[0]] - values[:, subset[1]]
            pair = paired_permutation(differences, rng, n_draws=n_draws)
            return pair.p_value, pair.n_draws
        part = values[:, subset]
        found = permuted_equality(part, sum_law(part, rng, n_draws))
        return found.p_value, found.n_draws

    return _close_tests({subset: test(subset) for subset in subsets(values.shape[1])}, values)


def equality_statistic(equality: SumEquality, n_blocks: int, n_candidates: int) -> float:
    r"""Return the statistic of Hothorn et al. for K > 2.

    `equality`: of the performances, `permuted_equality(values, law)`.
    `n_blocks`, `n_candidates`: B and K.
    Result: infinite when the differences are the same in every block.

    Notes
    -----
    :math:`\sum_k (\bar p_k - \bar p)^2 / \sum_{kb} (p_{kb} - \bar p_b - \bar p_k
    + \bar p)^2`. As the sum of squares within blocks is fixed it is a growing
    function of `equality.statistic` S, :math:`S / (B ((K-1) B - S))`, has the
    same p-value, and is 1 / (B (B - 1)) times the F of the block model.

    Examples
    --------
    >>> round(equality_statistic(SumEquality(4.0, 0.1, 0.0, "exact", None), 3, 3), 6)
    0.666667
    """
    rest = (n_candidates - 1) * n_blocks - equality.statistic
    bound = 1e-12 * (n_candidates - 1) * n_blocks
    return equality.statistic / (n_blocks * rest) if rest > bound else inf


def _close_tests(tests: Mapping[Subset, tuple[float, int | None]], values: Array) -> ClosedTests:
    """Adjust the p-values of the pairs by those of all subsets."""
    first, second = column_pairs(values.shape[1])
    p_values = {subset: p for subset, (p, _) in tests.items()}
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return ClosedTests(
        first=first,
        second=second,
        p_values=np.array([p_values[pair] for pair in pairs]),
        adjusted=closed_pairs(p_values, values.shape[1]),
        subsets=p_values,
        n_draws=max((n for _, n in tests.values() if n is not None), default=None),
    )


def _tie_patterns(ranks: Array) -> bytes:
    """Return what the law of the rank sums depends on: the ranks of the blocks in any order."""
    ordered = np.sort(ranks, axis=1)
    return ordered[np.lexsort(ordered.T)].tobytes() + bytes(ranks.shape[1])


def _check(values: Array, most: int) -> None:
    """Check the blocks."""
    n_blocks, n_candidates = check_blocks(values).shape
    if n_blocks < 1 or not 2 <= n_candidates <= most:
        raise ValueError(
            f"closed testing needs a block and 2 to {most} candidates, got {values.shape}"
        )
