"""Functions of the scores of models on the same items: the verdict, and paired proportions."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.performance_measure import Better
from reportgen.stats.frame import Columns, Tabular, count
from reportgen.stats.interface.arguments import (
    SEED,
    Area,
    Names,
    area_of,
    check_level,
    generator_of,
    is_smaller_better,
    matrix_of,
    refuse,
)
from reportgen.stats.items import comparison, proportions
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable

Array = NDArray[np.float64]

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
    codes = None if clusters is None else _codes(clusters, len(matrix))
    draws = generator_of(rng)
    again = deepcopy(draws)
    table = comparison.compare_items(matrix, codes, alpha, draws, is_smaller_better=smaller)
    if area is not None and 2 * alpha < 1:
        lenient = comparison.compare_items(matrix, codes, 2 * alpha, again)
        table = table.with_columns(tost_lower=lenient.lower, tost_upper=lenient.upper)
    return table.named(candidates, TARGET).decided(area)


def _codes(clusters: ArrayLike, n_items: int) -> NDArray[np.intp]:
    """Return clusters as whole numbers; raise a ValueError unless there is one an item."""
    labels = np.asarray(clusters)
    if labels.shape != (n_items,):
        raise refuse("clusters", f"shape {labels.shape}", f"({n_items},), one cluster an item")
    if labels.dtype.kind == "O":
        labels = labels.astype(str)
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


@dataclass(frozen=True, slots=True, repr=False)
class PairedProportions(Tabular):
    """Fourfold tables of all pairs, with their tests and intervals, each of the pair alone.

    Attributes
    ----------
    candidates : tuple of str
    first, second : ndarray of shape (P,), int
        Places of the two in `candidates`.
    counts : PairedCounts
        Items that are right by both, by the first or second alone, by neither.
    alpha : float
    score_p_value, exact_p_value, mid_p_value : ndarray of shape (P,)
        McNemar's test: by the score, exact, mid-p.
    score_lower, score_upper : ndarray of shape (P,)
        Tango's score interval of level 1 - alpha for the difference of proportions.
    newcombe_lower, newcombe_upper : ndarray of shape (P,)
        Newcombe's interval (method 10).
    """

    candidates: tuple[str, ...]
    first: NDArray[np.intp]
    second: NDArray[np.intp]
    counts: proportions.PairedCounts
    alpha: float
    score_p_value: Array
    exact_p_value: Array
    mid_p_value: Array
    score_lower: Array
    score_upper: Array
    newcombe_lower: Array
    newcombe_upper: Array

    def to_columns(self) -> Columns:
        """Return one entry a column, one row a pair.

        `first`, `second`; `n`, items that both answered, of which `both` are right, `first_alone`,
        `second_alone`, `neither`; the difference of proportions (`estimate`); Tango's interval
        (`score_lower`, `score_upper`) and McNemar's p-values (`score_p_value`, `exact_p_value`,
        `mid_p_value`); Newcombe's interval (`newcombe_lower`, `newcombe_upper`).
        """
        names = np.array(self.candidates, dtype=object)
        counts = self.counts
        return {
            "first": names[self.first],
            "second": names[self.second],
            "n": counts.n.astype(np.intp),
            "both": counts.both.astype(np.intp),
            "first_alone": counts.first.astype(np.intp),
            "second_alone": counts.second.astype(np.intp),
            "neither": counts.neither.astype(np.intp),
            "estimate": counts.estimate,
            "score_lower": self.score_lower,
            "score_upper": self.score_upper,
            "score_p_value": self.score_p_value,
            "exact_p_value": self.exact_p_value,
            "mid_p_value": self.mid_p_value,
            "newcombe_lower": self.newcombe_lower,
            "newcombe_upper": self.newcombe_upper,
        }

    def _heading(self) -> str:
        return f"{count(len(self.first), 'pair')}, alpha = {self.alpha:g}"

    def _outline(self) -> Columns:
        columns = self.to_columns()
        shown = ("first", "second", "first_alone", "second_alone", "estimate", "score_lower")
        return {name: columns[name] for name in (*shown, "score_upper", "mid_p_value")}


def paired_proportions(
    values: ArrayLike, names: Names = None, *, alpha: float = 0.05
) -> PairedProportions:
    """Compare how often each of two models is right on the same items, for every pair alone.

    Parameters
    ----------
    values : array-like of shape (n, K)
        1 where an item is right, 0 where it is wrong, NaN without an answer.
    names : sequence of str, optional
        Of the models; those of the columns of a data frame, or their places.
    alpha : float, default 0.05
        Of each interval: nothing is adjusted for several pairs, as `compare_items` does.

    Returns
    -------
    PairedProportions

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns of 0, 1 and NaN, or alpha no level.

    References
    ----------
    .. [1] T. Tango (1998), Statistics in Medicine 17, 891-908.
    .. [2] R. G. Newcombe (1998), Statistics in Medicine 17, 2635-2650.
    .. [3] M. W. Fagerland, S. Lydersen and P. Laake (2013), BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> from reportgen import stats
    >>> right = [[1, 1]] + 1 * [[1, 0]] + 7 * [[0, 1]] + 12 * [[0, 0]]
    >>> found = stats.paired_proportions(right, ["before", "after"])
    >>> found.exact_p_value.round(3), found.mid_p_value.round(3), found.score_p_value.round(3)
    (array([0.07]), array([0.039]), array([0.034]))
    """
    check_level(alpha)
    matrix, candidates = matrix_of(values, names, has_gaps=True, rows="item")
    if not proportions.is_binary(matrix):
        other = matrix[~np.isnan(matrix) & (matrix != 0) & (matrix != 1)][0]
        raise refuse("values", f"{other:g}", "0, 1, and nan where there is no answer")
    counts = proportions.paired_counts(matrix)
    exact, mid = proportions.mcnemar_tests(counts.first, counts.second)
    first, second = all_pairs(matrix.shape[1]).T
    return PairedProportions(
        candidates,
        first,
        second,
        counts,
        alpha,
        proportions.score_test(counts.first, counts.second)[1],
        exact,
        mid,
        *proportions.score_interval(counts.first, counts.second, counts.n, alpha),
        *proportions.newcombe_interval(counts, alpha),
    )
