r"""The verdict on models that answer the same items, for items like these.

One rule for the table, chosen by what the values are:

- clusters that share items: CR2 standard errors with Satterthwaite's t, corrected for the skewness
  of the clusters' sums (`reportgen.stats.items.clusters`), Bonferroni;
- no clusters, every value 0 or 1: Tango's score interval at alpha / m; the p-value is the larger of
  the score test's and McNemar's mid-p, times m (`reportgen.stats.pairs.proportions`);
- no clusters, graded scores or means of several runs: `paired_max_t`.

The family are the pairs with enough units, which the design decides, whether or not the answers
differ: a family that shrank with what the data show would be tested at too large a level.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from reportgen.performance_measure import Better
from reportgen.stats.adverse_differences import AdverseDifferences, adverse_differences
from reportgen.stats.arguments import (
    SEED,
    Names,
    area_of,
    check_level,
    generator_of,
    group_codes,
    is_smaller_better,
    matrix_of,
)
from reportgen.stats.arrays import Area, Array
from reportgen.stats.distributions.max_abs_t import N_DRAWS
from reportgen.stats.distributions.tails import cdf, t_quantile, two_sided_t
from reportgen.stats.items.clusters import (
    ClusterMeans,
    Codes,
    all_cluster_means,
    has_shared_clusters,
)
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.new_data import POWER
from reportgen.stats.pairs.paired_max_t import (
    FEWEST_UNITS,
    equal_signs,
    paired_max_t,
)
from reportgen.stats.pairs.proportions import (
    is_binary,
    mcnemar_tests,
    mid_p_level,
    paired_counts,
    score_interval,
    score_test,
)
from reportgen.stats.skewness import excluded_share, mean_interval, t_star


class MeanDifferences(Protocol):
    """Mean differences of P pairs; each an array of shape (P,)."""

    @property
    def estimate(self) -> Array:
        """NaN without a value."""

    @property
    def standard_error(self) -> Array:
        """NaN where there is none."""

    @property
    def df(self) -> Array:
        """Degrees of freedom of the standard error."""

    @property
    def lean(self) -> Array:
        """Skewness, as of `reportgen.stats.skewness.t_star`."""


def item_pairs(
    values: Array,
    clusters: Codes | None,
    alpha: float,
    rng: Generator,
    *,
    n_comparisons: int | None = None,
    is_smaller_better: bool = False,
    n_draws: int = N_DRAWS,
    reference: int | None = None,
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
        For the joint law of `paired_max_t`; else not used.
    n_comparisons : int, optional
        Pairs of a larger family, which Bonferroni's inequality then holds together. Left out: the
        family are the pairs here.
    is_smaller_better : bool, default False
        For the counts of `wins` and `losses`, and the direction of the table.
    n_draws : int, default 20,000
    reference : int, optional
        Of `paired_max_t`; else not used.

    Returns
    -------
    PairTable
        Method "score", "own-variance", "own-variance-bonferroni" or "cluster-robust". A pair with
        fewer than `FEWEST_UNITS` units (clusters; items without clusters) is open and outside the
        family, without an adjusted p-value; its interval is that of the pair alone, at level
        1 - alpha. A pair that is equal in all items has the p-value 1; of binary items it has an
        interval, too. `extra` has

        n : items that have both
        n_clusters : clusters that have such an item; n without clusters
        n_nonzero : units with a difference other than 0
        is_constant : whether the difference is the same in all units; in clusters its mean
        skewness, excluded_share : as of `paired_max_t`, with clusters of these; not
            with "score"
        wins, ties, losses : items in which the first is better, equal, worse
        adverse_first, adverse_second : with gaps, as of `PairTable.held_against`

    Raises
    ------
    ValueError
        If `values` is not such a matrix, alpha is not inside (0, 1), or there is not one cluster
        an item.

    Notes
    -----
    A difference that is the same in all clusters, and not 0, has no t: as in
    `paired_max_t` its p-value is the probability of J equal signs.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> right = (rng.random((100, 3)) < [0.5, 0.5, 0.9]).astype(float)
    >>> table = item_pairs(right, None, 0.05, rng)
    >>> table.method, table.significant.tolist(), table.extra["n_nonzero"]
    ('score', [False, True, True], array([46, 52, 52]))
    >>> table = item_pairs(right, np.repeat(np.arange(20), 5), 0.05, rng)
    >>> table.method, table.significant.tolist(), table.extra["n_clusters"]
    ('cluster-robust', [False, True, True], array([20, 20, 20]))
    """
    check_pairs(values, alpha)
    if clusters is not None and has_shared_clusters(clusters):
        table = _by_clusters(values, clusters, alpha, n_comparisons)
    elif is_binary(values):
        table = _by_score(values, alpha, n_comparisons)
    else:
        more: dict[str, Any] = {"n_comparisons": n_comparisons, "n_draws": n_draws}
        found = paired_max_t(values, alpha, rng, reference=reference, **more)
        table = found.with_columns(n_clusters=found.extra["n"], **_nonzero(values))
    table = replace(table, is_smaller_better=is_smaller_better)
    table = table.held_against(adverse_items(table, values, is_smaller_better))
    return table.counted(values, is_smaller_better)


def adverse_items(
    table: PairTable,
    values: Array,
    is_smaller_better: bool,
    missing_by_design: NDArray[np.bool_] | None = None,
) -> AdverseDifferences | None:
    """Set what an item that only one of two has hides to the largest difference seen, against it.

    `table`: what `item_pairs` has made of the items that both have.
    `values`: (n, K).
    `missing_by_design`: (n, K); cells without a value by design, which count against nobody.
    """
    error = table.standard_error if table.method == "cluster-robust" else None
    return adverse_differences(
        values, table.pairs, is_smaller_better, missing_by_design, standard_error=error
    )


def _by_score(values: Array, alpha: float, n_comparisons: int | None) -> PairTable:
    """Compare by Tango's score interval."""
    counts = paired_counts(values)
    b, c, n = counts.first, counts.second, counts.n
    is_family = n >= FEWEST_UNITS
    m = n_comparisons or max(1, int(is_family.sum()))
    level = np.where(is_family, alpha / m, alpha)
    lower, upper = score_interval(b, c, n, mid_p_level(b, c, level))
    p_value = np.where(n > 0, np.maximum(score_test(b, c)[1], mcnemar_tests(b, c)[1]), np.nan)
    p_value = np.where((b == c) & (n > 0), 1.0, p_value)
    squares = np.maximum(b + c - (b - c) ** 2 / np.maximum(n, 1), 0.0)
    is_equal = (b + c == 0) & (n > 0)
    return PairTable.of(
        all_pairs(values.shape[1]),
        counts.estimate,
        "score",
        alpha,
        standard_error=np.where(n >= 2, np.sqrt(squares / np.maximum(n * (n - 1), 1)), np.nan),
        lower=lower,
        upper=upper,
        statistic=np.where(b == c, 0.0, -np.sign(b - c) * ndtri(p_value / 2)),
        p_value=p_value,
        adjusted_p_value=np.where(is_family, bonferroni(p_value, m), np.nan),
        critical_value=-ndtri(level / 2),
        is_open=~is_family,
        extra={
            "n": n.astype(np.intp),
            "n_clusters": n.astype(np.intp),
            "n_nonzero": (b + c).astype(np.intp),
            "is_constant": is_equal | ((n > 0) & (np.maximum(b, c) == n)),
        },
    )


def _by_clusters(
    values: Array, clusters: Codes, alpha: float, n_comparisons: int | None
) -> PairTable:
    """Compare by CR2 standard errors."""
    found = all_cluster_means(values, clusters)
    counts = {"n": found.n, "n_clusters": found.n_clusters, "n_nonzero": found.n_nonzero}
    pairs = all_pairs(values.shape[1])
    return cluster_table(pairs, found, "cluster-robust", alpha, n_comparisons, counts)


def cluster_table(
    pairs: NDArray[np.intp],
    found: ClusterMeans,
    method: str,
    alpha: float,
    n_comparisons: int | None,
    counts: dict[str, NDArray[np.intp]],
    *,
    is_smaller_better: bool = False,
) -> PairTable:
    """Compare pairs by means of clusters; `counts` of their units are columns of the table."""
    n_clusters = found.n_clusters
    is_family = n_clusters >= FEWEST_UNITS
    m = n_comparisons or max(1, int(is_family.sum()))
    is_same = found.standard_error == 0
    is_equal = is_same & (found.estimate == 0)
    signs = np.where(is_equal, 1.0, equal_signs(n_clusters))
    return t_table(
        pairs,
        found,
        method,
        alpha,
        m,
        varies=found.standard_error > 0,
        chance=np.where(is_same, signs, np.nan),
        is_open=~is_family,
        is_smaller_better=is_smaller_better,
        extra={
            **counts,
            "is_constant": is_same,
            "skewness": found.skewness,
            "excluded_share": np.where(is_equal, excluded_share(n_clusters, alpha / m), np.nan),
        },
    )


def t_table(
    pairs: NDArray[np.intp],
    means: MeanDifferences,
    method: str,
    alpha: float,
    n_comparisons: int,
    *,
    varies: NDArray[np.bool_],
    chance: Array,
    is_open: NDArray[np.bool_],
    **columns: Any,
) -> PairTable:
    """Compare pairs by t on their own degrees of freedom, by Bonferroni's inequality.

    `pairs`: (P, 2).
    `alpha`: error probability of the family.
    `n_comparisons`: its pairs.
    `varies`: (P,); the others have no statistic.
    `chance`: (P,); p-value of a pair that does not vary; NaN where there is none.
    `is_open`: (P,); the interval of such a pair holds for it alone.
    **columns: other fields of the table.
    """
    error = np.where(varies, means.standard_error, 1.0)
    df = np.where(varies & np.isfinite(means.df), means.df, 1.0)
    statistic = np.where(varies, t_star(means.estimate / error, means.lean), np.nan)
    p_value = np.where(varies, two_sided_t(statistic, df), chance)
    level = np.where(is_open, alpha, alpha / n_comparisons)
    critical = np.where(varies, t_quantile(level / 2, df), np.nan)
    lower, upper = mean_interval(
        means.estimate, means.standard_error, means.lean, critical, varies, p_value, level
    )
    return PairTable.of(
        pairs,
        means.estimate,
        method,
        alpha,
        standard_error=means.standard_error,
        lower=lower,
        upper=upper,
        statistic=statistic,
        df=means.df,
        p_value=p_value,
        adjusted_p_value=np.where(is_open, np.nan, bonferroni(p_value, n_comparisons)),
        critical_value=critical,
        is_open=is_open,
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


TARGET = "items-like-these"


def compare_items(
    values: ArrayLike,
    names: Names = None,
    *,
    clusters: ArrayLike | None = None,
    better: Better = "larger",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    rng: Generator | int = SEED,
) -> PairTable:
    r"""Compare all pairs of models that answer the same items, for items like these.

    Parameters
    ----------
    values : array-like of shape (n, K)
        Scores, a row an item, a column a model: 0 or 1, a grade, or the mean over repeated runs;
        NaN where there is none. A pair uses the items that have both.
    names : sequence of str, optional
        Of the models; those of the columns of a data frame, or their places.
    clusters : array-like of shape (n,), optional
        What each item belongs to: its document, repository or conversation. Left out: items are
        independent.
    better : {"larger", "smaller"}
        Which values are better.
    alpha : float, default 0.05
        Family-wise error probability; the intervals hold simultaneously with probability
        1 - alpha.
    relevance : tuple of two floats, or float, optional
        Area of equivalence: differences that do not matter, (-d, d) or d.
    rng : Generator or int
        As of `compare_pairs`; used for grades without clusters.

    Returns
    -------
    PairTable
        As of `compare_pairs`. Method "score" (0 or 1, no clusters): Tango's score interval [1]_;
        "cluster-robust": the t of CR2 standard errors with Satterthwaite's degrees of freedom
        [2]_, corrected for skewness; else that of `compare_pairs`. The p-value of "score" is the
        larger of the score test's and McNemar's mid-p. `extra` has `n` (items that have both),
        `n_clusters`, `n_nonzero` (units that differ), `is_constant`, `wins`, `ties`, `losses`, and
        with `relevance` the limits `tost_lower` and `tost_upper`.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns of numbers, a value is infinite, there is
        not one cluster an item, or another argument is not what is allowed.

    References
    ----------
    .. [1] T. Tango (1998), "Equivalence test and confidence interval for the difference in
       proportions for the paired-sample design", Statistics in Medicine 17.
    .. [2] J. E. Pustejovsky and E. Tipton (2018), "Small-sample methods for cluster-robust
       variance estimation and hypothesis testing in fixed effects models", Journal of Business
       and Economic Statistics 36.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> right = (rng.random((200, 3)) < [0.6, 0.6, 0.8]).astype(int)
    >>> stats.compare_items(right, ["small", "base", "large"])
    PairTable: score, 3 pairs, alpha = 0.05
    first  second  estimate    lower     upper    p_value  adjusted_p_value  decision
    small  base      -0.045   -0.157   0.06795     0.3374                 1  undecided
    small  large      -0.23  -0.3349   -0.1206  1.242e-06         3.726e-06  worse
    base   large     -0.185  -0.2921  -0.07417  8.782e-05         0.0002635  worse
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    area = area_of(relevance)
    matrix, candidates = matrix_of(values, names, has_gaps=True, rows="item")
    codes = None
    if clusters is not None:
        codes = group_codes("clusters", clusters, len(matrix), "cluster an item")
    draws = generator_of(rng)
    again = deepcopy(draws)
    table = item_pairs(matrix, codes, alpha, draws, is_smaller_better=smaller)
    if area is not None and 2 * alpha < 1:
        lenient = item_pairs(matrix, codes, 2 * alpha, again)
        table = table.with_columns(tost_lower=lenient.lower, tost_upper=lenient.upper)
    return table.named(candidates, TARGET).decided(area)


def detectable_differences(
    standard_error: Array,
    df: Array,
    alpha: float,
    *,
    n_comparisons: int = 1,
    power: float = POWER,
) -> Array:
    """Return the smallest differences that a t test finds with a given probability.

    `standard_error`: (P,); of the mean differences.
    `df`: (P,); degrees of freedom; NaN or infinite for the normal law.
    `alpha`: error probability of the family, two-sided; each pair has its share of it.
    `n_comparisons`: pairs of the family.
    Result: (P,); of the unit of the standard error; NaN where that is NaN.

    Notes
    -----
    The non-central t whose values exceed the critical one with probability `power`. The other side
    is left out: a wrong sign is no find. The standard error is that of the sample, taken as known.

    Examples
    --------
    >>> detectable_differences(np.array([1.0, 1.0]), np.array([9.0, np.nan]), 0.05).round(4)
    array([3.1496, 2.8016])
    """
    from scipy.optimize import elementwise

    nu = np.where(np.isfinite(df), df, np.inf)
    critical = t_quantile(alpha / (2 * n_comparisons), nu)
    center = np.asarray(critical + ndtri(power), dtype=np.float64)
    is_t = np.isfinite(nu)
    if is_t.any():
        own, limit = nu[is_t], critical[is_t]
        high = 2 * (limit + np.abs(ndtri(power)) + 1)
        find_root: Callable[..., Any] = elementwise.find_root
        found = find_root(
            lambda x, value, freedom: cdf(value, freedom, x) - (1 - power),
            (np.zeros_like(limit), high),
            args=(limit, own),
        )
        center[is_t] = found.x
    return np.asarray(center * standard_error)
