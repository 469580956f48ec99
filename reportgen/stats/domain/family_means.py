r"""Mean differences over data sets that come in families, and over data sets that count unequally.

Data sets of one source, or one source cut into pieces, are relatives: what a candidate gains on one
it mostly gains on all, so that they are no independent sample of a domain. The unit is then the
family, as the cluster is of items (`reportgen.stats.items.clusters`, which has the formulas and
their sources): the mean difference is weighted, its variance is unbiased where data sets are
independent and differences vary alike on all, and its degrees of freedom are Satterthwaite's in a
working model in which two data sets of a family are correlated. With families of equal size, and
where each family counts alike, this is Student's t of the families' means.

A family that has half of the weight has half of the say, and few degrees of freedom are left: that
is what so few sources can show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better, PairScale, Scale
from reportgen.stats.adverse_differences import AdverseDifferences, adverse_differences
from reportgen.stats.arguments import (
    Names,
    area_of,
    check_level,
    check_positive,
    group_codes,
    is_smaller_better,
    matrix_of,
    refuse,
)
from reportgen.stats.arrays import Area, Array, Flags
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.items.clusters import ClusterMeans, Codes, cluster_means, cluster_totals
from reportgen.stats.items.comparison import cluster_table
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.effects import check_pairs
from reportgen.stats.pairs.paired_max_t import as_ratios
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.shared_means import SharedMeans, pair_columns
from reportgen.stats.skewness import reach

FEWEST_CANDIDATES = 8  # whose departures can be correlated strongly by more than chance
FEWEST_DATASETS = 6  # so that the candidates' levels do not rest on the two themselves
LEAST_CORRELATION = 0.9
LEVEL = 0.01  # of all pairs of data sets together


@dataclass(frozen=True)
class Families:
    """To which family each data set belongs, and how much it counts."""

    codes: Codes  # (M,); a data set that has no relatives is a family of its own
    # (M,); positive. None: every data set counts alike or, with `are_equal`, every family.
    weights: Array | None = None
    are_equal: bool = False  # whether every family counts alike, its data sets by equal parts of it

    def of_units(self, rows: NDArray[np.intp]) -> Families:
        """Return those of some of the data sets."""
        weights = None if self.weights is None else self.weights[rows]
        return Families(self.codes[rows], weights, self.are_equal)

    def weigh(self, known: Flags) -> Array:
        """Return the weight of each data set in each of P comparisons, shape (M, P).

        `known`: (M, P); which have a difference; the others have the weight 0.
        """
        if self.weights is not None:
            return np.where(known, self.weights[:, None], 0.0)
        if not self.are_equal:
            return known.astype(np.float64)
        labels, places = np.unique(self.codes, return_inverse=True)
        sizes = np.zeros((len(labels), known.shape[1]))
        np.add.at(sizes, places, known)
        return np.where(known, 1 / np.maximum(sizes[places], 1), 0.0)

    def means(self, values: Array) -> Array:
        """Return the weighted means of columns, NaN of one without a value."""
        known = np.isfinite(values)
        weights = self.weigh(known)
        total = weights.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (weights * np.where(known, values, 0.0)).sum(axis=0) / total
        return np.asarray(np.where(total > 0, found, np.nan))

    def mean_differences(self, differences: Array) -> ClusterMeans:
        """Return weighted means of columns with CR2 standard errors: its clusters are the families.

        `differences`: (M, P), NaN where a data set has none.

        Where every family counts alike, the t test of their means:

        >>> differences = np.array([[1.0], [3.0], [0.0], [2.0], [4.5]])
        >>> families = Families(np.array([0, 0, 1, 1, 2]), are_equal=True)
        >>> found = families.mean_differences(differences)
        >>> found.estimate, found.standard_error.round(4), found.df.round(9)
        (array([2.5]), array([1.0408]), array([2.]))
        """
        weights = self.weigh(np.isfinite(differences))
        return cluster_means(differences, self.codes, weights=weights, are_equal=self.are_equal)

    @property
    def shares(self) -> Array:
        """The share of all weight that each family has, in the order of its first data set."""
        weights = self.weigh(np.ones((len(self.codes), 1), dtype=np.bool_))[:, 0]
        _, first, places = np.unique(self.codes, return_index=True, return_inverse=True)
        return np.asarray(np.bincount(places, weights)[np.argsort(first)] / weights.sum())


def compare_in_families(
    values: Array,
    families: Families,
    alpha: float,
    *,
    scale: PairScale = "difference",
    n_comparisons: int | None = None,
    is_smaller_better: bool = False,
    missing_by_design: Flags | None = None,
    within: AdverseDifferences | None = None,
    shared: SharedMeans | None = None,
) -> PairTable:
    """Compare all pairs of columns over data sets in families, or that count unequally.

    `values`: (M, K); one value a data set and candidate, of ratios their logarithms; NaN where
    there is none; K >= 2. A pair uses the data sets that have both.
    `alpha`: error probability of the family of pairs, 0 < alpha < 1.
    `scale`: with "wins" who is ahead counts, 1, 0 or -1 a data set.
    `n_comparisons`: pairs of a larger family. Left out: the family are the pairs here.
    `missing_by_design`, `within`, `shared`: as of `reportgen.stats.adverse_differences`.
    Result: method "families": Student's t on Satterthwaite's degrees of freedom, corrected for
    skewness, by Bonferroni. A pair with fewer than `FEWEST_UNITS` families of data sets that have
    both is open. `extra` has `n` (data sets that have both), `n_clusters` (families of these),
    `is_constant`, `skewness`, `excluded_share`, and with gaps `adverse_first` and `adverse_second`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> codes = np.repeat(np.arange(8), 4)
    >>> values = rng.normal(size=(8, 3))[codes] + [0, 0, 4] + 0.1 * rng.normal(size=(32, 3))
    >>> table = compare_in_families(values, Families(codes), 0.05)
    >>> table.extra["n_clusters"], table.df.round(6), table.significant
    (array([8, 8, 8]), array([7., 7., 7.]), array([False,  True,  True]))
    """
    check_pairs(values, alpha)
    pairs = all_pairs(values.shape[1])
    first, second = pair_columns(values, pairs, shared)
    with np.errstate(invalid="ignore"):
        differences = np.where(np.isfinite(first) & np.isfinite(second), first - second, np.nan)
        differences = np.sign(differences) if scale == "wins" else differences
    found = families.mean_differences(differences)
    table = cluster_table(
        pairs,
        found,
        "families",
        alpha,
        n_comparisons,
        {"n": found.n, "n_clusters": found.n_clusters},
        is_smaller_better=is_smaller_better,
    )
    adverse = adverse_differences(
        values,
        pairs,
        is_smaller_better,
        missing_by_design,
        within=within,
        shared=shared,
        standard_error=table.standard_error,
        weigh=families.weigh,
        has_signs=scale == "wins",
    )
    table = table.held_against(adverse)
    if scale == "wins":
        return replace(table.inside((-0.5, 0.5)), scale="wins")
    return as_ratios(table) if scale == "ratio" else table


def family_intervals(
    values: Array, means: Array, families: Families, alpha: float
) -> tuple[Array, Array]:
    """Return the interval of every column's weighted mean alone, corrected for skewness.

    `values`: (M, K); NaN where there is no value.
    `means`: (K,); where the intervals lie.
    Result: `lower`, `upper`, (K,); NaN for a column with values of fewer than two families.
    """
    found = families.mean_differences(values)
    df = np.where(np.isfinite(found.df), found.df, 1.0)
    below, above = reach(t_quantile(alpha / 2, df), found.lean)
    return means - below * found.standard_error, means + above * found.standard_error


def likeness(differences: Array, codes: Codes) -> float | None:
    """Return the correlation of two data sets of a family, of several columns of differences.

    `differences`: (M, P); NaN where there is none.
    `codes`: (M,).
    Result: the median over columns of the intraclass correlation by the analysis of variance, not
    below 0; None where no family has two data sets, or none varies.

    Notes
    -----
    With mean squares B between families and W within them, and :math:`n_0` the usual mean size of
    families of unequal size, :math:`(B - W) / (B + (n_0 - 1) W)`.

    Examples
    --------
    >>> differences = np.array([[1.0], [1.2], [3.0], [3.1], [2.0], [2.3]])
    >>> round(likeness(differences, np.array([0, 0, 1, 1, 2, 2])), 3)
    0.976
    """
    totals, sizes, _ = cluster_totals(differences, codes)
    n, n_families = sizes.sum(axis=0), (sizes > 0).sum(axis=0)
    known = np.isfinite(differences)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = totals.sum(axis=0) / n
        own = np.where(sizes > 0, totals / sizes, 0.0)
        between = (sizes * (own - mean) ** 2).sum(axis=0) / (n_families - 1)
        whole = (np.where(known, differences - mean, 0.0) ** 2).sum(axis=0)
        inner = (whole - between * (n_families - 1)) / (n - n_families)
        usual = (n - (sizes**2).sum(axis=0) / n) / (n_families - 1)
        found = (between - inner) / (between + (usual - 1) * inner)
    found = found[np.isfinite(found) & (n > n_families)]
    return float(np.clip(np.median(found), 0.0, 1.0)) if len(found) else None


TARGET = "domain"


def compare_families(
    values: ArrayLike,
    names: Names = None,
    *,
    families: ArrayLike | None = None,
    weights: ArrayLike | Literal["equal", "family"] = "equal",
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    scale: Scale = "difference",
) -> PairTable:
    r"""Compare all pairs over data sets that come in families, or that count unequally.

    Parameters
    ----------
    values : array-like of shape (M, K)
        Performances, a row a data set, a column a candidate; NaN where there is no value. A pair
        uses the data sets that have both.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    families : array-like of shape (M,), optional
        What each data set belongs to: its source, sensor, or author. Left out: data sets are no
        relatives.
    weights : {"equal", "family"} or array-like of shape (M,)
        Every data set counts alike; every family does; or positive numbers.
    better, alpha, relevance, scale
        As of `compare_pairs`.

    Returns
    -------
    PairTable
        As of `compare_pairs`, method "families": the t of CR2 standard errors with Satterthwaite's
        degrees of freedom [1]_, corrected for skewness, by Bonferroni. A pair with fewer than six
        families is undecided. `extra` has `n` (data sets that have both), `n_clusters` (families),
        `is_constant`, `wins`, `ties`, `losses` (data sets).

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns of numbers, there is not one family and
        weight a data set, a weight is not positive, or another argument is not what is allowed.

    References
    ----------
    .. [1] J. E. Pustejovsky and E. Tipton (2018), "Small-sample methods for cluster-robust
       variance estimation and hypothesis testing in fixed effects models", Journal of Business
       and Economic Statistics 36.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> source = np.repeat(["a", "b", "c", "d", "e", "f", "g", "h"], 3)
    >>> alike = np.repeat(rng.normal(0.2, 0.02, size=(8, 2)), 3, axis=0)
    >>> errors = alike + [0, 0.05] + rng.normal(0, 0.005, size=(24, 2))
    >>> stats.compare_families(errors, ["lda", "svm"], families=source)
    PairTable: families, 1 pair, alpha = 0.05
    first  second  estimate     lower   upper   p_value  adjusted_p_value  decision
    lda    svm     -0.05268  -0.06759  -0.027  0.004155          0.004155  better
    """
    smaller = is_smaller_better(better)
    check_level(alpha)
    area = area_of(relevance, scale)
    matrix, candidates = matrix_of(values, names, has_gaps=True, rows="data set")
    check_positive(matrix, scale)
    own = _families(families, weights, len(matrix))
    differing = np.log(matrix) if scale == "ratio" else matrix
    table = compare_in_families(differing, own, alpha, scale=scale, is_smaller_better=smaller)
    return table.counted(matrix, smaller).named(candidates, TARGET, smaller).decided(area)


def _families(families: ArrayLike | None, weights: ArrayLike | str, n_datasets: int) -> Families:
    """Return families and weights; raise a ValueError unless there is one of each a data set."""
    labels = np.arange(n_datasets) if families is None else families
    codes = group_codes("families", labels, n_datasets, "family a data set")
    if isinstance(weights, str):
        if weights not in ("equal", "family"):
            raise refuse("weights", repr(weights), "equal, family, or a number a data set")
        return Families(codes, None, weights == "family")
    found = np.asarray(weights, dtype=np.float64)
    if found.shape != (n_datasets,):
        raise refuse("weights", f"shape {found.shape}", f"({n_datasets},), one a data set")
    if not (np.isfinite(found) & (found > 0)).all():
        raise refuse("weights", repr(weights), "positive numbers")
    return Families(codes, found)


def correlated_datasets(values: Array) -> list[tuple[int, int]]:
    """Return the pairs of data sets on which candidates depart alike from their own levels.

    `values`: (M, K); one value a data set and candidate; complete.
    Result: those whose departures from the sum of the levels of data set and candidate have a rank
    correlation (Spearman) of `LEAST_CORRELATION` or more that chance does not explain: its p-value
    times the number of pairs is at most `LEVEL`. Empty with fewer than `FEWEST_DATASETS` data sets
    or `FEWEST_CANDIDATES` candidates, where chance may do that.

    Notes
    -----
    What all data sets have in common, that good candidates are good on most, is subtracted, so that
    only what two data sets share beyond it counts. Ranks keep one candidate that fails on both from
    deciding alone.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(8, 12))
    >>> values[3] = values[0] + 0.1 * rng.normal(size=12)
    >>> correlated_datasets(values)
    [(0, 3)]
    """
    n_datasets, n_candidates = values.shape
    if n_datasets < FEWEST_DATASETS or n_candidates < FEWEST_CANDIDATES:
        return []
    apart = values - values.mean(axis=1, keepdims=True)
    departures = apart - apart.mean(axis=0)
    ranks = within_block_ranks(departures)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    sizes = np.sqrt((centred**2).sum(axis=1))
    sizes = np.where(sizes > 0, sizes, np.inf)
    units = centred / sizes[:, None]
    pairs, correlations = [], []
    for i, own in enumerate(units[:-1]):  # row by row: all at once take 8 M^2 bytes again and again
        r = units[i + 1 :] @ own
        near = np.flatnonzero(r >= LEAST_CORRELATION)
        pairs += [(i, i + 1 + j) for j in near.tolist()]
        correlations.append(r[near])
    r = np.clip(np.concatenate(correlations), -1.0, 1.0 - 1e-12)
    t = r * np.sqrt((n_candidates - 2) / (1 - r**2).clip(min=1e-12))
    p_value = two_sided_t(t, float(n_candidates - 2)) * (n_datasets * (n_datasets - 1) // 2)
    return [pair for pair, p in zip(pairs, p_value.tolist(), strict=True) if p <= LEVEL]
