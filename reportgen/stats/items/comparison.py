r"""The verdict on models that answer the same items, for items like these.

One rule for the table, chosen by what the values are:

- clusters that share items: CR2 standard errors with Satterthwaite's t
  (`reportgen.stats.items.clusters`), Bonferroni;
- no clusters, every value 0 or 1: Tango's score interval at alpha / m, and the score test's
  p-value times m (`reportgen.stats.items.proportions`);
- no clusters, graded scores or means of several runs: `compare_own_variances`.

The family are the pairs with enough units, which the design decides: whether the answers then
differ in enough of them is seen in the data, and a family that shrank with what the data show would
be tested at too large a level. So pairs with too few differences stay in m, without a verdict.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri

from reportgen.stats.distributions.largest_t import N_DRAWS
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.items.clusters import Codes, all_cluster_means, has_shared_clusters
from reportgen.stats.items.proportions import (
    is_binary,
    paired_counts,
    score_interval,
    score_test,
)
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.own_variances import FEWEST_UNITS, compare_own_variances

Array = NDArray[np.float64]

FEWEST_NONZERO = 10  # units with a difference other than 0, of a pair that is decided on


def compare_items(
    values: Array,
    clusters: Codes | None,
    alpha: float,
    rng: Generator,
    *,
    n_comparisons: int | None = None,
    is_smaller_better: bool = False,
    n_draws: int = N_DRAWS,
) -> PairTable:
    """Compare all pairs of columns for items like these.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        A row an item, a column a model: the score, or the mean over runs; NaN where there is
        none; K >= 2. A pair uses the items that have both.
    clusters : ndarray of shape (n,), int, or None
        The cluster of each item; None, or no two items in one: items are independent.
    alpha : float
        Error probability of the family, 0 < alpha < 1.
    rng : Generator
        For the joint law of `compare_own_variances`; else not used.
    n_comparisons : int, optional
        Pairs of a larger family, which Bonferroni's inequality then holds together. Left out: the
        family are the pairs here.
    is_smaller_better : bool, default False
        For the counts of `wins` and `losses`, and the direction of the table.
    n_draws : int, default 20,000
        Of `compare_own_variances`.

    Returns
    -------
    PairTable
        Method "score", "own-variance", "own-variance-bonferroni" or "cluster-robust". A pair with
        fewer than `FEWEST_UNITS` units (clusters; items without clusters) is open and outside the
        family; one with fewer than `FEWEST_NONZERO` units that differ is open and counts in it.
        Neither has an interval nor an adjusted p-value. A pair that is equal in all items has no
        test and no interval; it counts. `extra` has

        n : items that have both
        n_clusters : clusters that have such an item; n without clusters
        n_nonzero : units with a difference other than 0
        is_constant : whether the difference is the same in all units
        skewness : of the differences, with "own-variance"
        wins, ties, losses : items in which the first is better, equal, worse

    Raises
    ------
    ValueError
        If `values` is not such a matrix, alpha is not inside (0, 1), or there is not one cluster
        an item.

    Notes
    -----
    A difference that is the same in all clusters, and not 0, has no t: as in
    `compare_own_variances` its p-value is the probability of J equal signs.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> right = (rng.random((100, 3)) < [0.5, 0.5, 0.9]).astype(float)
    >>> table = compare_items(right, None, 0.05, rng)
    >>> table.method, table.significant.tolist(), table.extra["n_nonzero"]
    ('score', [False, True, True], array([46, 52, 52]))
    >>> table = compare_items(right, np.repeat(np.arange(20), 5), 0.05, rng)
    >>> table.method, table.significant.tolist(), table.extra["n_clusters"]
    ('cluster-robust', [False, True, True], array([20, 20, 20]))
    """
    check_pairs(values, alpha)
    if clusters is not None and has_shared_clusters(clusters):
        table = _by_clusters(values, clusters, alpha, n_comparisons)
    elif is_binary(values):
        table = _by_score(values, alpha, n_comparisons)
    else:
        found = compare_own_variances(
            values, alpha, rng, n_comparisons=n_comparisons, n_draws=n_draws
        )
        table = _with_few_open(found.with_columns(n_clusters=found.extra["n"], **_nonzero(values)))
    table = replace(table, is_smaller_better=is_smaller_better)
    return table.counted(values, is_smaller_better)


def _by_score(values: Array, alpha: float, n_comparisons: int | None) -> PairTable:
    """Compare by Tango's score interval."""
    counts = paired_counts(values)
    b, c, n = counts.first, counts.second, counts.n
    is_family = n >= FEWEST_UNITS
    m = n_comparisons or max(1, int(is_family.sum()))
    statistic, p_value = score_test(b, c)
    lower, upper = score_interval(b, c, n, alpha / m)
    squares = np.maximum(b + c - (b - c) ** 2 / np.maximum(n, 1), 0.0)
    is_equal = (b + c == 0) & (n > 0)
    table = PairTable.of(
        all_pairs(values.shape[1]),
        counts.estimate,
        "score",
        alpha,
        standard_error=np.where(n >= 2, np.sqrt(squares / np.maximum(n * (n - 1), 1)), np.nan),
        lower=lower,
        upper=upper,
        statistic=np.where(b + c > 0, statistic, np.nan),
        p_value=np.where(b + c > 0, p_value, np.nan),
        adjusted_p_value=np.where(b + c > 0, np.minimum(1.0, m * p_value), np.nan),
        critical_value=-ndtri(alpha / (2 * m)),
        is_open=~is_family,
        extra={
            "n": n.astype(np.intp),
            "n_clusters": n.astype(np.intp),
            "n_nonzero": (b + c).astype(np.intp),
            "is_constant": is_equal | ((n > 0) & (np.maximum(b, c) == n)),
        },
    )
    return _with_few_open(table)


def _by_clusters(
    values: Array, clusters: Codes, alpha: float, n_comparisons: int | None
) -> PairTable:
    """Compare by CR2 standard errors."""
    found = all_cluster_means(values, clusters)
    is_family = found.n_clusters >= FEWEST_UNITS
    m = n_comparisons or max(1, int(is_family.sum()))
    varies = found.standard_error > 0
    is_same = (found.standard_error == 0) & (found.is_equal | (found.estimate != 0))
    error = np.where(varies, found.standard_error, 1.0)
    df = np.where(np.isfinite(found.df), found.df, 1.0)
    statistic = np.where(varies, found.estimate / error, np.nan)
    signs = 2.0 ** (1.0 - np.minimum(found.n_clusters, 1000))
    is_point = is_same & ~found.is_equal
    p_value = np.where(is_point, signs, np.where(varies, two_sided_t(statistic, df), np.nan))
    critical = np.where(varies, t_quantile(alpha / (2 * m), df), np.nan)
    reach = np.where(is_point & (m * signs <= alpha), 0.0, critical * found.standard_error)
    table = PairTable.of(
        all_pairs(values.shape[1]),
        found.estimate,
        "cluster-robust",
        alpha,
        standard_error=found.standard_error,
        lower=found.estimate - reach,
        upper=found.estimate + reach,
        statistic=statistic,
        df=found.df,
        p_value=p_value,
        adjusted_p_value=np.minimum(1.0, m * p_value),
        critical_value=critical,
        is_open=~is_family,
        extra={
            "n": found.n,
            "n_clusters": found.n_clusters,
            "n_nonzero": found.n_nonzero,
            "is_constant": is_same,
        },
    )
    return _with_few_open(table)


def t_table(
    pairs: NDArray[np.intp],
    estimate: Array,
    variance: Array,
    df: Array,
    is_tested: NDArray[np.bool_],
    method: str,
    alpha: float,
    n_comparisons: int,
    **columns: Any,
) -> PairTable:
    """Compare pairs by Student's t on their own degrees of freedom, by Bonferroni's inequality.

    Parameters
    ----------
    pairs : ndarray of shape (P, 2), int
    estimate, variance, df : ndarray of shape (P,)
        Variance of the estimate, and its degrees of freedom; NaN where there is none.
    is_tested : ndarray of shape (P,), bool
        The others have no statistic, p-value or interval.
    method : str
    alpha : float
        Error probability of the family.
    n_comparisons : int
        Its pairs.
    **columns
        Other fields of the table.
    """
    error, safe = np.sqrt(variance), np.where(is_tested, df, 1.0)
    statistic = np.where(is_tested, estimate / np.where(is_tested, error, 1.0), np.nan)
    p_value = np.where(is_tested, two_sided_t(statistic, safe), np.nan)
    critical = np.where(is_tested, t_quantile(alpha / (2 * n_comparisons), safe), np.nan)
    return PairTable.of(
        pairs,
        estimate,
        method,
        alpha,
        standard_error=error,
        lower=estimate - critical * error,
        upper=estimate + critical * error,
        statistic=statistic,
        df=df,
        p_value=p_value,
        adjusted_p_value=np.minimum(1.0, n_comparisons * p_value),
        critical_value=critical,
        **columns,
    )


def _nonzero(values: Array) -> dict[str, NDArray[np.intp]]:
    """Count the items in which both have a value, and not the same one."""
    known = np.isfinite(values)
    counts = [
        (known[:, i] & known[:, j] & (values[:, i] != values[:, j])).sum()
        for i, j in all_pairs(values.shape[1])
    ]
    return {"n_nonzero": np.array(counts, dtype=np.intp)}


def _with_few_open(table: PairTable) -> PairTable:
    """Leave pairs open that have too few units, or too few that differ; equal ones have no test."""
    n, n_nonzero = table.extra["n"], table.extra["n_nonzero"]
    is_equal = table.extra["is_constant"] & (table.estimate == 0)
    is_open = table.is_open | ((n_nonzero < FEWEST_NONZERO) & ~is_equal) | (n == 0)
    has_interval = ~is_open & ~is_equal
    return replace(
        table,
        is_open=is_open,
        lower=np.where(has_interval, table.lower, np.nan),
        upper=np.where(has_interval, table.upper, np.nan),
        adjusted_p_value=np.where(has_interval, table.adjusted_p_value, np.nan),
        critical_value=np.where(has_interval, table.critical_value, np.nan),
    )
