r"""Brunner and Munzel's test of all pairs of independent samples: which tends to larger values.

It asks of medians and shapes nothing: the hypothesis is :math:`P(X > Y) = P(X < Y)`. Of few values
the law of the statistic is that over all ways to part them into two samples of these sizes (Neubert
and Brunner), which is exact where both samples have one law. Of more it is approximated by t, as
scipy has it. scipy divides by a variance of 0 where no value of the one is among those of the
other, and then returns no p-value. There, and wherever the approximation would go below it, the
p-value is that of complete separation under exchangeable values, which no rank test of these sizes
can go below. docs/samples-size.md has the size of both.

References
----------
.. [1] E. Brunner and U. Munzel (2000), "The nonparametric Behrens-Fisher problem: asymptotic theory
   and a small-sample approximation", Biometrical Journal 42.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from reportgen.performance_measure import Better
from reportgen.stats.arguments import (
    Names,
    check_level,
    is_smaller_better,
)
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import holm
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS
from reportgen.stats.samples.comparison import Samples, sample_columns, separation_chance

MOST_PARTITIONS = 20_000  # into two samples, up to which the law is exact: of 8 and 8 values
ROUNDING = 1e-9  # relative: statistics that differ by less are one


def brunner_munzel_pairs(values: Array, alpha: float) -> PairTable:
    """Compare all pairs of independent samples by Brunner and Munzel's test, adjusted by Holm.

    `values`: (n, K); one column a sample, NaN below the values of the shorter ones; K >= 2.
    `alpha`: error probability of the family, 0 < alpha < 1.
    Result: method "brunner-munzel", without intervals. The estimate is Cliff's delta, the share of
    pairs of values in which the first's is larger less that in which it is smaller. A pair one of
    whose samples has fewer than `FEWEST_UNITS` values is open and outside the family; two samples
    all of whose values are equal are not tested. `extra` has `n`, `n_first` and `n_second`, as of
    `compare_samples`, and `is_exact`: whether the law is the exact one.
    Raises ValueError if `values` is not such a matrix, or alpha is not inside (0, 1).

    References
    ----------
    .. [1] N. Cliff (1993), "Dominance statistics: ordinal analyses to answer ordinal questions",
       Psychological Bulletin 114.

    Examples
    --------
    >>> seconds = np.column_stack([np.arange(10.0), np.arange(10.0) + 3, np.arange(10.0) + 20])
    >>> table = brunner_munzel_pairs(seconds, 0.05)
    >>> table.estimate, table.adjusted_p_value.round(5)
    (array([-0.51, -1.  , -1.  ]), array([3.14e-02, 3.00e-05, 3.00e-05]))
    """
    check_pairs(values, alpha)
    pairs = all_pairs(values.shape[1])
    samples = [np.sort(column[~np.isnan(column)]) for column in values.T]
    sizes = np.array([len(sample) for sample in samples])
    n_first, n_second = sizes[pairs].T
    found = np.array([_test(samples[i], samples[j]) for i, j in pairs.tolist()])
    delta, statistic, p_value, is_exact = found.reshape(len(pairs), 4).T
    least = separation_chance(n_first, n_second)
    p_value = np.where(np.abs(delta) == 1, least, np.maximum(p_value, least))
    is_open = np.minimum(n_first, n_second) < FEWEST_UNITS
    is_tested = ~is_open & ~np.isnan(p_value)
    adjusted = np.full(len(pairs), np.nan)
    adjusted[is_tested] = holm(p_value[is_tested], int((~is_open).sum()))
    return PairTable.of(
        pairs,
        delta,
        "brunner-munzel",
        alpha,
        statistic=statistic,
        p_value=p_value,
        adjusted_p_value=adjusted,
        is_open=is_open,
        extra={
            "n": np.minimum(n_first, n_second),
            "n_first": n_first,
            "n_second": n_second,
            "is_exact": is_exact == 1,
        },
    )


def _test(first: Array, second: Array) -> tuple[float, float, float, bool]:
    """Return Cliff's delta, the statistic of first - second, its p-value, and if it is exact."""
    from scipy.stats import brunnermunzel, rankdata

    n_first, n_second = len(first), len(second)
    if min(n_first, n_second) == 0:
        return np.nan, np.nan, np.nan, False
    ranks = rankdata(np.concatenate([first, second]))
    above = ranks[:n_first].sum() - n_first * (n_first + 1) / 2  # with half of the ties
    delta = float(2 * above / (n_first * n_second) - 1)
    is_exact = comb(n_first + n_second, n_first) <= MOST_PARTITIONS
    if abs(delta) == 1 or min(n_first, n_second) == 1 or (ranks == ranks[0]).all():
        return delta, np.nan, np.nan, is_exact
    found = brunnermunzel(first, second)
    p_value = permutation_p_value(first, second) if is_exact else float(found.pvalue)
    return delta, -float(found.statistic), p_value, is_exact


def permutation_p_value(first: Array, second: Array) -> float:
    """Return how often partitions of the values have a statistic that is at least as large.

    `first`, `second`: (n,); two values or more, not all of them equal.

    Examples
    --------
    Two of the ten partitions of five values into two and three part the small from the large:

    >>> permutation_p_value(np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0]))
    0.2
    """
    from scipy.stats import rankdata

    n_first, n_second = len(first), len(second)
    values, group = np.unique(np.concatenate([first, second]), return_inverse=True)
    order = np.argsort(group, kind="stable")
    group, ranks = group[order], rankdata(group[order])
    bounds = np.searchsorted(group, np.arange(len(values) + 1))
    begin, end = bounds[group], bounds[group + 1]
    is_first = np.vstack([order < n_first, _partitions(n_first, n_second)])
    spread = 0.0
    for inside, n in ((is_first, n_first), (~is_first, n_second)):
        below = np.cumsum(np.pad(inside, ((0, 0), (1, 0))), axis=1)
        own = (below[:, begin] + below[:, end] + 1) / 2  # ranks among their own
        placements = np.where(inside, ranks - own, 0.0)
        mean = placements.sum(axis=1, keepdims=True) / n
        squares = np.where(inside, (placements - mean) ** 2, 0.0).sum(axis=1)
        spread = spread + n * squares / (n - 1)
    difference = np.abs(is_first @ ranks / n_first - ~is_first @ ranks / n_second)
    unclear = np.where(difference > 0, np.inf, 0.0)
    is_spread = spread > ROUNDING
    statistic = np.divide(
        difference, np.sqrt(np.where(is_spread, spread, 1.0)), out=unclear, where=is_spread
    )
    return float((statistic[1:] >= statistic[0] * (1 - ROUNDING)).mean())


@cache
def _partitions(n_first: int, n_second: int) -> NDArray[np.bool_]:
    """Return which places the first sample may have, a row a partition."""
    places = np.array(list(combinations(range(n_first + n_second), n_first)))
    found = np.zeros((len(places), n_first + n_second), dtype=np.bool_)
    np.put_along_axis(found, places, values=True, axis=1)
    return found


def brunner_munzel(
    samples: Samples, names: Names = None, *, better: Better = "smaller", alpha: float = 0.05
) -> PairTable:
    """Compare all pairs of independent samples by Brunner and Munzel's test, adjusted by Holm.

    Parameters
    ----------
    samples, names, better
        As of `compare_samples`.
    alpha : float, default 0.05
        Family-wise error probability, controlled whichever candidates are alike.

    Returns
    -------
    PairTable
        Without intervals. The estimate is Cliff's delta: the share of pairs of values in which the
        first's is larger less that in which it is smaller. A pair with fewer than 6 values of one
        of the two is undecided. `extra` has `n`, `n_first`, `n_second`, and `is_exact`: whether the
        law is that over all partitions [2]_, as of 8 and 8 values or fewer, and not t [1]_.

    Raises
    ------
    ValueError
        As of `compare_samples`.

    References
    ----------
    .. [1] E. Brunner and U. Munzel (2000), "The nonparametric Behrens-Fisher problem: asymptotic
       theory and a small-sample approximation", Biometrical Journal 42.
    .. [2] K. Neubert and E. Brunner (2007), "A studentized permutation test for the
       non-parametric Behrens-Fisher problem", Computational Statistics and Data Analysis 51.

    Examples
    --------
    >>> from reportgen import stats
    >>> stats.brunner_munzel({"old": [5, 6, 7, 8, 9, 10], "new": [1, 2, 3, 4, 5, 6]})
    PairTable: brunner-munzel, 1 pair, alpha = 0.05
    first  second  estimate  p_value  adjusted_p_value  decision
    old    new       0.8889  0.01082           0.01082  worse
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    matrix, candidates = sample_columns(samples, names)
    return brunner_munzel_pairs(matrix, alpha).named(candidates, "", smaller).decided()
