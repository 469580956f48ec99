r"""Paired proportions: how often each of two candidates is right on the same items.

Of n items that both answer, a are right by both, b by the first alone, c by the second alone and
d by neither. The difference of the proportions is :math:`(b - c) / n`. Everything is vectorised
over pairs.

References
----------
.. [1] T. Tango (1998), "Equivalence test and confidence interval for the difference in
   proportions for the paired-sample design", Statistics in Medicine 17, 891-908.
.. [2] R. G. Newcombe (1998), "Improved confidence intervals for the difference between binomial
   proportions based on paired data", Statistics in Medicine 17, 2635-2650.
.. [3] M. W. Fagerland, S. Lydersen and P. Laake (2013), "The McNemar test for binary
   matched-pairs data: mid-p and asymptotic are better than exact conditional", BMC Medical
   Research Methodology 13:91.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtr, gammaln, ndtr, ndtri

from reportgen.data_classes import dataclass
from reportgen.stats.arguments import (
    Names,
    check_level,
    matrix_of,
    refuse,
)
from reportgen.stats.arrays import Array
from reportgen.stats.frame import Columns, Tabular, count
from reportgen.stats.multiplicity.simultaneous import all_pairs

HALVINGS = 60  # of an interval of length 2: the last is below the spacing of floating point


@dataclass(frozen=True, slots=True)
class PairedCounts:
    """The fourfold tables of P pairs.

    Attributes
    ----------
    both, first, second, neither : ndarray of shape (P,)
        Items that are right by both, by the first alone, by the second alone, by neither.
    """

    both: Array
    first: Array
    second: Array
    neither: Array

    @property
    def n(self) -> Array:
        """Shape (P,): items that both answered."""
        return self.both + self.first + self.second + self.neither

    @property
    def estimate(self) -> Array:
        """Shape (P,): difference of the proportions, first - second; NaN without an item."""
        return np.where(self.n > 0, (self.first - self.second) / np.maximum(self.n, 1), np.nan)


def is_binary(values: Array) -> bool:
    """Whether every value is 0 or 1, or missing.

    Examples
    --------
    >>> is_binary(np.array([0.0, 1.0, np.nan])), is_binary(np.array([0.5]))
    (True, False)
    """
    return bool((np.isnan(values) | (values == 0) | (values == 1)).all())


def paired_counts(values: Array) -> PairedCounts:
    """Count the fourfold tables of all pairs of columns.

    `values`: (n, K); 1 where an item is right, 0 where it is wrong, NaN without an answer.
    Result: in the order of `all_pairs`.
    Raises ValueError if a value is neither 0 nor 1 nor NaN.

    Examples
    --------
    >>> counts = paired_counts(np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, np.nan]]))
    >>> counts.both, counts.first, counts.second, counts.neither
    (array([1.]), array([2.]), array([0.]), array([0.]))
    """
    if not is_binary(values):
        raise ValueError("fourfold tables need values of 0, 1 or NaN")
    right, wrong = ((values == x).astype(np.float64) for x in (1, 0))
    first, second = all_pairs(values.shape[1]).T
    products = (right.T @ right, right.T @ wrong, wrong.T @ right, wrong.T @ wrong)
    return PairedCounts(*(product[first, second] for product in products))


def score_test(first: Array, second: Array) -> tuple[Array, Array]:
    r"""Test that two proportions are equal by the score: McNemar's test without correction.

    `first`, `second`: (P,); items that are right by the first alone, b, and by the second alone, c.
    Result: `statistic`, (P,); the signed root :math:`(b - c) / \sqrt{b + c}` of a chi-squared on
    one degree of freedom; 0 where b + c = 0; `p_value`, (P,); two-sided.

    Examples
    --------
    >>> statistic, p = score_test(np.array([1.0]), np.array([7.0]))
    >>> statistic.round(4), p.round(4)
    (array([-2.1213]), array([0.0339]))
    """
    statistic = (first - second) / np.sqrt(np.maximum(first + second, 1))
    return statistic, 2 * ndtr(-np.abs(statistic))


def score_interval(
    first: Array, second: Array, n: Array, alpha: float | Array
) -> tuple[Array, Array]:
    r"""Return Tango's score interval for the difference of paired proportions.

    `first`, `second`: (P,); items that are right by the first alone, b, and by the second alone, c.
    `n`: (P,); items that both answered, b + c <= n.
    `alpha`: float or ndarray of shape (P,); 1 - confidence, inside (0, 1).
    Result: `lower`, `upper`, (P,); within [-1, 1]; NaN where n = 0.

    Notes
    -----
    The limits are the differences :math:`\Delta` at which the score statistic

    .. math:: Z(\Delta) = \frac{b - c - n\Delta}
        {\sqrt{n\,(2 \hat q_\Delta + \Delta (1 - \Delta))}}

    reaches the normal quantile, with the maximum likelihood estimate
    :math:`\hat q_\Delta` of the probability that the second alone is right, given
    :math:`\Delta` [1]_. At 0 it is the statistic of `score_test`: the interval excludes 0 exactly
    where its p-value is below alpha.

    Examples
    --------
    >>> one = score_interval(np.array([1.0]), np.array([7.0]), np.array([21.0]), 0.05)
    >>> one[0].round(4), one[1].round(4)
    (array([-0.5172]), array([-0.026]))
    """
    b, c, n = (np.asarray(x, dtype=np.float64) for x in (first, second, n))
    square = ndtri(np.asarray(alpha, dtype=np.float64) / 2) ** 2
    estimate = (b - c) / np.maximum(n, 1)
    limits = []
    for end in (-1.0, 1.0):
        outside, inside = np.full_like(estimate, end), estimate
        for _ in range(HALVINGS):
            middle = (outside + inside) / 2
            excess = (b - c - n * middle) ** 2 - square * _score_variance(b, c, n, middle)
            is_outside = excess > 0
            outside = np.where(is_outside, middle, outside)
            inside = np.where(is_outside, inside, middle)
        limits.append(np.where(n > 0, outside, np.nan))
    return limits[0], limits[1]


def mid_p_level(first: Array, second: Array, alpha: float | Array) -> Array:
    r"""Return the level at which the score interval agrees with the larger of two p-values.

    `first`, `second`: (P,); as of `score_test`.
    `alpha`: float or ndarray of shape (P,); 1 - confidence, inside (0, 1).
    Result: (P,); at most alpha. With few flips McNemar's mid-p can be larger than the p-value of
    the score test; the critical value of `score_interval` then grows by the ratio of their normal
    quantiles, so that the interval excludes 0 exactly where both are below alpha.

    Examples
    --------
    >>> mid_p_level(np.array([4.0, 9.0]), np.array([0.0, 0.0]), 0.05).round(4)
    array([0.0353, 0.05  ])
    """
    critical = -ndtri(np.asarray(alpha, dtype=np.float64) / 2)
    statistic, _ = score_test(first, second)
    mid = -ndtri(mcnemar_tests(first, second)[1] / 2)
    ratio = np.abs(statistic) / np.where(mid > 0, mid, np.inf)
    return np.asarray(2 * ndtr(-critical * np.maximum(ratio, 1.0)))


def _score_variance(b: Array, c: Array, n: Array, difference: Array) -> Array:
    """Return the variance of b - c at the likelihood's maximum given the difference."""
    rest = difference * (1 - difference)
    linear = (2 * n - b + c) * difference - b - c
    root = np.sqrt(np.maximum(linear**2 + 8 * n * c * rest, 0.0))
    variance: Array = n * ((root - linear) / (2 * np.maximum(n, 1)) + rest)
    return np.asarray(np.maximum(variance, 0.0))


def mcnemar_tests(first: Array, second: Array) -> tuple[Array, Array]:
    r"""Return McNemar's exact conditional p-value and its mid-p version.

    `first`, `second`: (P,); items that are right by the first alone, b, and by the second alone, c.
    Result: `exact`, `mid`, (P,); two-sided, 1 where b + c = 0: twice the smaller tail of the
    binomial law of b given b + c with probability 1/2; the mid-p counts half of the observed
    value's probability [3]_.

    Examples
    --------
    >>> exact, mid = mcnemar_tests(np.array([1.0, 0.0]), np.array([7.0, 0.0]))
    >>> exact.round(4), mid.round(4)
    (array([0.0703, 1.    ]), array([0.0391, 1.    ]))
    """
    n, least = first + second, np.minimum(first, second)
    log_chance = gammaln(n + 1) - gammaln(least + 1) - gammaln(n - least + 1) - n * log(2)
    chance = np.exp(log_chance)
    twice = np.where(n > 0, 2 * bdtr(least, np.maximum(n, 1).astype(np.intp), 0.5), 1.0)
    mid = np.where(first == second, 1 - chance / 2, twice - chance)
    return np.minimum(1.0, twice), np.where(n > 0, mid, 1.0)


def newcombe_interval(counts: PairedCounts, alpha: float | Array) -> tuple[Array, Array]:
    r"""Return Newcombe's interval for the difference of paired proportions (his method 10).

    `alpha`: float or ndarray of shape (P,); 1 - confidence, inside (0, 1).
    Result: `lower`, `upper`, (P,); NaN where n = 0.

    Notes
    -----
    Wilson's score limits of the two proportions are combined with the correlation
    :math:`\hat\phi` of the answers, whose numerator :math:`ad - bc` is taken nearer to 0 by n/2
    where it is positive [2]_.

    Examples
    --------
    >>> counts = PairedCounts(*map(np.array, ([59.0], [6.0], [16.0], [80.0])))
    >>> lower, upper = newcombe_interval(counts, 0.05)
    >>> lower.round(4), upper.round(4)
    (array([-0.1186]), array([-0.0046]))
    """
    a, b, c, d = counts.both, counts.first, counts.second, counts.neither
    n = np.maximum(counts.n, 1)
    low, high, p = zip(*(_wilson(right, n, alpha) for right in (a + b, a + c)), strict=True)
    products = (a + b) * (c + d) * (a + c) * (b + d)
    cross = a * d - b * c
    cross = np.where(cross > 0, np.maximum(cross - n / 2, 0.0), cross)
    phi = np.where(products > 0, cross / np.sqrt(np.maximum(products, 1)), 0.0)
    reach = [
        np.sqrt(np.maximum(down**2 - 2 * phi * down * up + up**2, 0.0))
        for down, up in ((p[0] - low[0], high[1] - p[1]), (high[0] - p[0], p[1] - low[1]))
    ]
    estimate = counts.estimate
    return estimate - reach[0], estimate + reach[1]


def _wilson(right: Array, n: Array, alpha: float | Array) -> tuple[Array, Array, Array]:
    """Return Wilson's score limits of a proportion, and the proportion."""
    square = ndtri(np.asarray(alpha, dtype=np.float64) / 2) ** 2
    middle = 2 * right + square
    reach = np.sqrt(square * (square + 4 * right * (1 - right / n)))
    return (
        (middle - reach) / (2 * (n + square)),
        (middle + reach) / (2 * (n + square)),
        right / n,
    )


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
    counts: PairedCounts
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
    if not is_binary(matrix):
        other = matrix[~np.isnan(matrix) & (matrix != 0) & (matrix != 1)][0]
        raise refuse("values", f"{other:g}", "0, 1, and nan where there is no answer")
    counts = paired_counts(matrix)
    exact, mid = mcnemar_tests(counts.first, counts.second)
    first, second = all_pairs(matrix.shape[1]).T
    return PairedProportions(
        candidates,
        first,
        second,
        counts,
        alpha,
        score_test(counts.first, counts.second)[1],
        exact,
        mid,
        *score_interval(counts.first, counts.second, counts.n, alpha),
        *newcombe_interval(counts, alpha),
    )
