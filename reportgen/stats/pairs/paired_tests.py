"""All pairs of candidates by tests of their paired differences alone, adjusted step down.

The p-value of a pair does not depend on the other candidates, so that the
family-wise error is controlled strongly: whatever candidates are alike.
"""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Names,
    check_choice,
    check_level,
    is_smaller_better,
    matrix_of,
)
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.pair_table import PairTable
from reportgen.stats.permutation.block_sums import N_DRAWS, column_pairs
from reportgen.stats.permutation.paired import paired_permutation
from reportgen.stats.ranking import check_blocks
from reportgen.stats.ranks.signed_rank import SignedRank, Zeros, signed_ranks
from reportgen.stats.shared_means import pair_blocks

NOTHING_SHARED = SignedRank(0.0, 0.0, 0.0, 1.0, 0, True)
"""The test of a pair that no block has both of."""


@dataclass(frozen=True, slots=True)
class PairTests:
    """Two-sided tests of all pairs."""

    # first, second: (P,); columns, first < second, in lexical order
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    # (P,); standardised, of first - second: the signed rank statistic's z, or Student's t
    statistics: Array
    p_values: Array  # (P,); of each pair alone
    adjusted: Array  # (P,); by Holm's method
    standard_errors: Array  # (P,); of the p-values, by Monte Carlo; 0 otherwise
    is_exact: NDArray[np.bool_]  # (P,)
    n: NDArray[np.int_]  # (P,); blocks that have both


def signed_rank_pairs(values: Array, zeros: Zeros = "pratt") -> PairTests:
    """Compare all pairs by Wilcoxon's signed rank test, each on the blocks that have both.

    `values`: (B, K); blocks, K >= 2; NaN where there is no value.
    `zeros`: as for `signed_rank`.
    Result: a pair without a block that has both has the p-value 1.
    Raises ValueError if `values` is not such a matrix, or an option is unknown.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 4.0], [1.0, 3.0, 7.0], [2.0, 4.0, 5.0], [1.0, 2.0, 6.0]])
    >>> tests = signed_rank_pairs(values)
    >>> tests.p_values, tests.adjusted
    (array([0.125, 0.125, 0.125]), array([0.375, 0.375, 0.375]))
    """
    there = np.isfinite(values)
    filled = np.where(there, values, 0.0)
    n_blocks, n_candidates = check_blocks(filled).shape
    _check_pairs(n_blocks, n_candidates)
    first, second = column_pairs(n_candidates)
    tests: list[SignedRank] = []
    n_shared: list[NDArray[np.int_]] = []
    for some in pair_blocks(n_blocks, len(first)):
        i, j = first[some], second[some]
        differences = (filled[:, i] - filled[:, j]).T
        sizes = np.maximum(np.abs(values[:, i]), np.abs(values[:, j])).T
        shared = (there[:, i] & there[:, j]).T
        n_shared.append(shared.sum(axis=1))
        if shared.all():
            tests += signed_ranks(differences, zeros=zeros, sizes=sizes)
            continue
        tests += [
            signed_ranks(row[None, both], zeros=zeros, sizes=size[None, both])[0]
            if both.any()
            else NOTHING_SHARED
            for row, size, both in zip(differences, sizes, shared, strict=True)
        ]
    return PairTests(
        first=first,
        second=second,
        statistics=np.array([test.z for test in tests]),
        p_values=np.array([test.p_value for test in tests]),
        adjusted=holm(np.array([test.p_value for test in tests])),
        standard_errors=np.zeros(len(tests)),
        is_exact=np.array([test.is_exact for test in tests]),
        n=np.concatenate(n_shared),
    )


def permutation_pairs(values: Array, rng: Generator, n_draws: int = N_DRAWS) -> PairTests:
    """Compare all pairs by the permutation law of their mean difference.

    `values`: (B, K); complete blocks, K >= 2.
    `rng`: as for `paired_permutation`.
    Raises ValueError if `values` is not such a matrix.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 4.0], [1.0, 3.0, 7.0], [2.0, 4.0, 5.0], [1.0, 2.0, 6.0]])
    >>> permutation_pairs(values, np.random.default_rng(1)).adjusted
    array([0.375, 0.375, 0.375])
    """
    first, second, differences = _differences(values)
    tests = [paired_permutation(d, rng, n_draws=n_draws) for d in differences]
    return PairTests(
        first=first,
        second=second,
        statistics=np.array([test.statistic for test in tests]),
        p_values=np.array([test.p_value for test in tests]),
        adjusted=holm(np.array([test.p_value for test in tests])),
        standard_errors=np.array([test.standard_error for test in tests]),
        is_exact=np.array([test.n_draws is None for test in tests]),
        n=np.full(len(tests), len(values)),
    )


def _check_pairs(n_blocks: int, n_candidates: int) -> None:
    if n_blocks < 1 or n_candidates < 2:
        raise ValueError(f"pairs need a block and two candidates, got {(n_blocks, n_candidates)}")


def _differences(values: Array) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Return the columns of all pairs and their differences, shape (P, B)."""
    n_blocks, n_candidates = check_blocks(values).shape
    _check_pairs(n_blocks, n_candidates)
    first, second = column_pairs(n_candidates)
    return first, second, (values[:, first] - values[:, second]).T


def signed_rank(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    zeros: Zeros = "pratt",
) -> PairTable:
    """Compare all pairs by Wilcoxon's signed rank test.

    Parameters
    ----------
    values : array-like of shape (B, K)
        Performances, a row a replication (or a data set), a column a candidate;
        without missing values.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Which values are better.
    alpha : float, default 0.05
        Family-wise error probability, controlled whichever candidates are alike.
    zeros : {"pratt", "wilcoxon"}
        Differences of 0: ranked with the others, or left out before ranking.

    Returns
    -------
    PairTable
        Without estimates and intervals. `statistic` is standardised. `extra` has
        `mean_difference`, first - second in the unit of the values, `is_exact`
        (up to 300 differences that are not 0, ties and zeros as they are), and
        `wins`, `ties`, `losses`: the rows in which the first is better, equal,
        worse.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least one row and two columns of finite
        numbers, or another argument is not what is allowed.

    References
    ----------
    .. [1] J. W. Pratt (1959), "Remarks on zeros and ties in the Wilcoxon signed
       rank procedures", JASA 54.
    .. [2] J. Demšar (2006), "Statistical comparisons of classifiers over
       multiple data sets", JMLR 7, section 3.1.3.

    Examples
    --------
    >>> from reportgen import stats
    >>> values = [[1, 2, 4], [1, 3, 7], [2, 4, 5], [1, 2, 6], [1, 3, 5], [2, 3, 9]]
    >>> stats.signed_rank(values, ["a", "b", "c"], alpha=0.1)
    PairTable: signed-rank-holm, 3 pairs, alpha = 0.1
    first  second  p_value  adjusted_p_value  decision
    a      b       0.03125           0.09375  better
    a      c       0.03125           0.09375  better
    b      c       0.03125           0.09375  better
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    check_choice("zeros", zeros, get_args(Zeros))
    matrix, candidates = matrix_of(values, names, has_gaps=False)
    tests = signed_rank_pairs(matrix, zeros)
    table = PairTable.of(
        np.column_stack([tests.first, tests.second]),
        np.full(len(tests.p_values), np.nan),
        "signed-rank-holm",
        alpha,
        statistic=tests.statistics,
        p_value=tests.p_values,
        adjusted_p_value=tests.adjusted,
        extra={
            "mean_difference": (matrix[:, tests.first] - matrix[:, tests.second]).mean(axis=0),
            "is_exact": tests.is_exact,
        },
    )
    return table.counted(matrix, smaller).named(candidates, "", smaller).decided()
