r"""Mean differences of items in clusters: CR2 standard errors, and sign flips of whole clusters.

Items of one document or repository share what makes them easy or hard: their differences are
correlated, and an interval that takes them for independent is too short. The mean difference over
all items has here the bias-reduced linearisation of its variance (CR2) under the working model of
independent items [1]_ [2]_. For a mean it has a closed form. With :math:`f_j` the share of the
items that are in cluster j, :math:`T_j` the sum of its differences and :math:`T = \sum_j T_j`,

.. math:: V = \frac{1}{n^2} \sum_j a_j (T_j - f_j T)^2, \qquad a_j = \frac{1}{1 - f_j},

a quadratic form in the :math:`T_j`, whose degrees of freedom are Satterthwaite's, twice the squared
expectation over the variance, in a working model in which two items of a cluster have the
correlation `WORKING_CORRELATION`. With J clusters of equal size V is the variance of the mean of
cluster means, and they are J - 1 for any correlation: Student's t of the cluster means.

Where items u count unequally, with weights w (data sets in families: `reportgen.stats.domain.
family_means`), sums are weighted, :math:`W = \sum_u w_u` takes the place of n, and with
:math:`D_j = \sum_{u \in j} w_u^2`

.. math:: a_j = \frac{D_j}{(1 - 2 f_j) D_j + f_j^2 \sum_k D_k}.

The sums are skewed where their differences are: the adjusted skewness of
:math:`u_j = (T_j - f_j T) / \sqrt{1 - f_j}` over the J clusters corrects t
(`reportgen.stats.skewness`).

With clusters of very unequal sizes the choice matters. Independence, the usual one, gives the
largest degrees of freedom, and errors of 6% for 5% where items are correlated and 20 clusters have
lognormal sizes; .05 gives 4 to 5% there (docs/items-size.md).

References
----------
.. [1] R. M. Bell and D. F. McCaffrey (2002), "Bias reduction in standard errors for linear
   regression with multi-stage samples", Survey Methodology 28.
.. [2] J. E. Pustejovsky and E. Tipton (2018), "Small-sample methods for cluster-robust variance
   estimation and hypothesis testing in fixed effects models", Journal of Business and Economic
   Statistics 36, section 2.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.permutation.block_sums import N_DRAWS
from reportgen.stats.permutation.block_tests import SLACK
from reportgen.stats.permutation.paired import all_sign_tail, drawn_sums
from reportgen.stats.skewness import skewness

Codes = NDArray[np.intp]

WORKING_CORRELATION = 0.05  # of two items of a cluster, for the degrees of freedom
ROUNDING = 1e-12  # sums that differ by less, relative to what is summed, are equal
CHUNK = 4_000_000  # differences in memory at a time
EXACT_UP_TO = 28  # clusters with a difference: 2^14 sums of each half


@dataclass(frozen=True, slots=True)
class ClusterMeans:
    """Mean differences over items in clusters, of P pairs."""

    estimate: Array  # (P,); mean over all items; NaN without an item
    # (P,); CR2; 0 where the mean difference is the same in all clusters, NaN with fewer than two
    standard_error: Array
    df: Array  # (P,); satterthwaite's, see the module; NaN with fewer than two clusters
    n: NDArray[np.intp]  # (P,); items with a difference, 0 or not
    n_clusters: NDArray[np.intp]  # (P,); clusters with such an item
    n_nonzero: NDArray[np.intp]  # (P,); clusters whose differences do not sum to 0
    is_equal: NDArray[np.bool_]  # (P,); whether the difference is 0 in every item
    # (P,); of the adjusted sums of clusters, see the module; 0 with fewer than six clusters
    skewness: Array

    @property
    def lean(self) -> Array:
        """Skewness of the mean difference, shape (P,)."""
        return np.asarray(self.skewness / np.sqrt(np.maximum(self.n_clusters, 1)))


def has_shared_clusters(clusters: Codes | None) -> bool:
    """Whether any item shares its cluster with another.

    Examples
    --------
    >>> has_shared_clusters(np.array([0, 1, 1])), has_shared_clusters(np.array([2, 0, 1]))
    (True, False)
    """
    return clusters is not None and len(np.unique(clusters)) < len(clusters)


def cluster_means(
    differences: Array,
    clusters: Codes,
    correlation: float = WORKING_CORRELATION,
    *,
    weights: Array | None = None,
    are_equal: bool = False,
) -> ClusterMeans:
    """Return means of differences with CR2 standard errors and Satterthwaite's degrees of freedom.

    `differences`: (n, P); a column a pair, NaN where an item has no difference.
    `clusters`: (n,); the cluster of each item.
    `correlation`: of two items of a cluster in the working model of the degrees of freedom.
    `weights`: (n, P); how much each item counts. Left out: every item counts alike.
    `are_equal`: with `weights`: whether means of clusters vary alike in the working model, instead
    of items.
    Raises ValueError if there is not one cluster an item.

    Examples
    --------
    Clusters of one size are the t test of their means:

    >>> found = cluster_means(np.array([[1.0], [3.0], [0.0], [2.0], [5.0], [4.0]]),
    ...                       np.array([0, 0, 1, 1, 2, 2]))
    >>> found.estimate, found.standard_error.round(4), found.df
    (array([2.5]), array([1.0408]), array([2.]))
    """
    weighted = differences if weights is None else differences * weights
    totals, counts, absolute = cluster_totals(weighted, clusters)
    sizes, squares = counts, counts  # sums of weights, and of their squares
    if weights is not None:
        known = np.isfinite(differences)
        sizes, squares = (
            cluster_totals(np.where(known, w, np.nan), clusters)[0] for w in (weights, weights**2)
        )
    whole, n_clusters = sizes.sum(axis=0), (counts > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # no item, or all in one cluster
        estimate = _sum(totals) / whole
        share = sizes / whole
        residual = totals - sizes * estimate
        noise = ROUNDING * (absolute + sizes * _sum(absolute) / whole)
        residual = np.where(np.abs(residual) <= noise, 0.0, residual)
        if weights is None:
            adjusted, factor = residual / np.sqrt(1 - share), 1 / (1 - share)
            working = share * (1 + correlation * (sizes - 1))
        else:
            squares = sizes**2 if are_equal else squares
            bias = (1 - 2 * share) * squares + share**2 * _sum(squares)
            factor = np.where(counts > 0, squares / bias, 0.0)
            adjusted = residual * np.sqrt(factor)
            working = squares + correlation * (sizes**2 - squares)
        variance = _sum(adjusted**2) / whole**2
        center = _sum(adjusted) / n_clusters
        around = np.where((counts > 0) & (n_clusters > 1), adjusted - center, 0.0)
        skew = skewness(np.sort(around, axis=0), n_clusters)
        df = satterthwaite_df(share, working, factor)
    has_two = n_clusters >= 2
    return ClusterMeans(
        estimate,
        np.where(has_two, np.sqrt(variance), np.nan),
        np.where(has_two, df, np.nan),
        counts.sum(axis=0).astype(np.intp),
        n_clusters,
        (np.abs(totals) > ROUNDING * absolute).sum(axis=0),
        absolute.sum(axis=0) == 0,
        skew,
    )


def satterthwaite_df(share: Array, variance: Array, factor: Array) -> Array:
    r"""Return Satterthwaite's degrees of freedom of CR2 for sums of clusters with given variances.

    `share`: (J, P); of the weight that each cluster has; columns sum to 1.
    `variance`: (J, P); of the sum of each cluster in the working model, up to a factor.
    `factor`: (J, P); the module's a.
    Result: (P,).

    Notes
    -----
    The module's quadratic form has the matrix :math:`G_{jk} = c - g_j - g_k + a_j [j = k]` with
    :math:`g_j = a_j f_j` and :math:`c = \sum_j a_j f_j^2`. With D the variances on a diagonal, the
    degrees of freedom are :math:`(\operatorname{tr} GD)^2 / \operatorname{tr} GDGD`.

    Examples
    --------
    >>> satterthwaite_df(np.full((8, 1), 1 / 8), np.full((8, 1), 3.0), np.full((8, 1), 2)).round(9)
    array([7.])
    """
    g, c = factor * share, _sum(factor * share**2)
    rest = c - 2 * g
    total, first, second = _sum(variance), _sum(g * variance), _sum(g**2 * variance)
    all_cells = (c * total) ** 2 - 4 * c * total * first + 2 * total * second + 2 * first**2
    diagonal = _sum(factor * (factor + 2 * rest) * variance**2)
    return np.asarray(_sum((factor + rest) * variance) ** 2 / (all_cells + diagonal))


def cluster_totals(differences: Array, clusters: Codes) -> tuple[Array, Array, Array]:
    """Return sums of differences by cluster.

    `differences`: (n, P); NaN where there is none.
    `clusters`: (n,).
    Result: `totals`, `sizes`, `absolute`, (J, P); sums of the differences, their numbers, and sums
    of their absolute values.
    """
    _check(differences, clusters)
    order = np.argsort(clusters, kind="stable")
    ordered = clusters[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]][: len(ordered)])
    is_known = np.isfinite(differences[order])
    known = np.where(is_known, differences[order], 0.0)
    parts = (known, is_known.astype(np.float64), np.abs(known))
    totals, sizes, absolute = (np.add.reduceat(x, starts, axis=0) for x in parts)
    return totals, sizes, absolute


def _sum(columns: Array) -> Array:
    """Return sums of columns that are the same, to the last bit, in whatever order."""
    return np.asarray(np.sort(columns, axis=0).sum(axis=0))


def all_cluster_means(values: Array, clusters: Codes) -> ClusterMeans:
    """Return `cluster_means` of all pairs of columns, few at a time.

    `values`: (n, K); NaN where there is no value.
    `clusters`: (n,).
    Result: in the order of `all_pairs`.
    """
    _check(values, clusters)
    pairs = all_pairs(values.shape[1])
    order = np.lexsort(values.T)  # one result, to the last bit, in whatever order
    values, clusters = values[order], clusters[order]
    step = max(1, CHUNK // max(1, len(values)))
    parts = [
        cluster_means(values[:, part[:, 0]] - values[:, part[:, 1]], clusters)
        for part in (pairs[i : i + step] for i in range(0, len(pairs), step))
    ]
    columns = ([getattr(part, name) for part in parts] for name in ClusterMeans.__slots__)
    return ClusterMeans(*map(np.concatenate, columns))


def _check(rows: Array, clusters: Codes) -> None:
    """Raise a ValueError unless there is one cluster an item."""
    if clusters.shape != rows.shape[:1]:
        raise ValueError(
            f"one cluster an item: got {len(rows)} items, clusters of shape {clusters.shape}"
        )


@dataclass(frozen=True, slots=True)
class ClusterFlips:
    """Tests of all pairs by sign flips of whole clusters."""

    p_value: Array  # (P,); two-sided; 1 for a pair without a difference
    adjusted_p_value: Array  # (P,); times the number of pairs, at most 1
    is_exact: NDArray[np.bool_]  # (P,); whether all flips are accounted for; else they are random


def cluster_sign_flips(
    values: Array,
    clusters: Codes | None,
    rng: Generator,
    *,
    n_comparisons: int | None = None,
) -> ClusterFlips:
    """Test all pairs of columns by flipping the signs of all differences of a cluster at once.

    `values`: (n, K); NaN where there is no value.
    `clusters`: (n,); none: every item is its own cluster.
    `rng`: draws flips where there are too many to enumerate.
    `n_comparisons`: for Bonferroni's adjustment. Left out: the pairs here.
    Result: in the order of `all_pairs`.

    Notes
    -----
    Valid, whatever the correlations within clusters, where sums of differences of a cluster are
    symmetric about 0. Exact up to `EXACT_UP_TO` clusters with a difference.

    Examples
    --------
    >>> values = np.repeat(np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [0.0, 1.0]]), 2, axis=0)
    >>> cluster_sign_flips(values, np.repeat(np.arange(4), 2), np.random.default_rng(1)).p_value
    array([0.375])
    """
    codes = np.arange(len(values)) if clusters is None else clusters
    first, second = all_pairs(values.shape[1]).T
    p_value, is_exact = np.ones(len(first)), np.ones(len(first), dtype=np.bool_)
    state = rng.bit_generator.state
    step = max(1, CHUNK // max(1, len(values)))
    for begin in range(0, len(first), step):
        part = slice(begin, begin + step)
        differences = values[:, first[part]] - values[:, second[part]]
        totals, _, absolute = cluster_totals(differences, codes)
        totals = np.where(np.abs(totals) > ROUNDING * absolute, totals, 0.0)
        sums, slack = np.abs(totals.sum(axis=0)), SLACK * np.sqrt((totals**2).sum(axis=0))
        few = (totals != 0).sum(axis=0) <= EXACT_UP_TO
        is_exact[part] = few
        for p in np.flatnonzero(few & (slack > 0)):
            sizes = np.abs(totals[totals[:, p] != 0, p])
            p_value[begin + p] = min(1.0, 2 * all_sign_tail(sizes, float(sums[p]), float(slack[p])))
        if not few.all():
            rng.bit_generator.state = state  # the same flips for all pairs
            drawn = np.abs(drawn_sums(totals[:, ~few], rng, N_DRAWS))
            reached = (drawn >= (sums - slack)[~few]).sum(axis=0)
            p_value[begin + np.flatnonzero(~few)] = (1 + reached) / (1 + N_DRAWS)
    m = n_comparisons or len(first)
    return ClusterFlips(p_value, bonferroni(p_value, m), is_exact)


def cluster_correlations(values: Array, clusters: Codes) -> Array:
    r"""Return the intra-cluster correlation of the differences of all pairs.

    `values`: (n, K); a row an item, NaN where there is no value.
    `clusters`: (n,).
    Result: (P,); by analysis of variance, :math:`(B - W) / (B + (n_0 - 1) W)` of the mean squares
    between and within clusters; NaN where no two items share a cluster, or nothing varies.

    References
    ----------
    .. [1] A. Donner (1986), "A review of inference procedures for the intraclass correlation
       coefficient in the one-way random effects model", International Statistical Review 54.

    Examples
    --------
    >>> values = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    >>> cluster_correlations(values, np.array([0, 0, 1, 1, 2, 2]))
    array([1.])
    """
    first, second = all_pairs(values.shape[1]).T
    differences = values[:, first] - values[:, second]
    totals, sizes, _ = cluster_totals(differences, clusters)
    n, j = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
    squares = np.nansum(differences**2, axis=0)
    between = (totals**2 / np.maximum(sizes, 1)).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):  # one cluster, or no two items in one
        size = (n - (sizes**2).sum(axis=0) / n) / (j - 1)
        b = (between - totals.sum(axis=0) ** 2 / n) / (j - 1)
        w = np.maximum(squares - between, 0.0) / (n - j)
        found = (b - w) / (b + (size - 1) * w)
    return np.where((n > j) & (j > 1), found, np.nan)
