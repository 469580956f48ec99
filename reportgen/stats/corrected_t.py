"""Nadeau and Bengio's corrected resampled t: inference beyond the data set at hand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.multiplicity import holm
from reportgen.stats.paired import paired_differences

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class CorrectedPairs:
    r"""Corrected resampled t tests of all pairs, first - second.

    Attributes
    ----------
    ratio : float
        r, by which the variance of a mean exceeds that of B independent values:
        (1/B + r) s^2.
    alpha : float
    first, second : ndarray of shape (P,), int
        Columns of the pairs in lexical order, first < second.
    n_blocks : ndarray of shape (P,), int
        Replications B in which both have a value.
    estimates : ndarray of shape (P,)
        Mean differences.
    deviations : ndarray of shape (P,)
        Standard deviations s of the differences over replications.
    standard_errors : ndarray of shape (P,)
        :math:`\sqrt{1/B + r}\, s`.
    limit_standard_errors : ndarray of shape (P,)
        :math:`\sqrt r\, s`: what is left of it however many replications there are.
    statistics, df : ndarray of shape (P,)
        t and its degrees of freedom, B - 1.
    p_values : ndarray of shape (P,)
        Two-sided, of each pair by itself.
    lower, upper : ndarray of shape (P,)
        Interval of each pair by itself, level 1 - alpha.
    holm_p_values : ndarray of shape (P,)
        Adjusted for all pairs by Holm's test.
    joint_lower, joint_upper : ndarray of shape (P,)
        Simultaneous intervals by Bonferroni: level 1 - alpha together. Holm's
        test may reject where its interval here still contains 0.
    """

    ratio: float
    alpha: float
    first: Indices
    second: Indices
    n_blocks: Indices
    estimates: Array
    deviations: Array
    standard_errors: Array
    limit_standard_errors: Array
    statistics: Array
    df: Array
    p_values: Array
    lower: Array
    upper: Array
    holm_p_values: Array
    joint_lower: Array
    joint_upper: Array


def corrected_pairs(values: Array, ratio: float, alpha: float = 0.05) -> CorrectedPairs:
    r"""Compare all pairs of candidates for new data sets of the same source.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a replication, NaN where there is no value; a pair uses the
        replications in which both have one.
    ratio : float
        See `reportgen.stats.shared_data`; 0 for independent replications.
    alpha : float, default 0.05
        Error probability, 0 < alpha < 1.

    Returns
    -------
    CorrectedPairs
        NaN where a pair has fewer than two replications in common. Without
        variation (beyond rounding) the statistic is infinite, or 0 where the
        mean difference is 0 as well.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two columns, the ratio is negative
        or not finite, or alpha is not inside (0, 1).

    Notes
    -----
    .. math:: t = \frac{\bar d}{\sqrt{(1/B + r)\, s_d^2}}

    on B - 1 degrees of freedom [1]_. The target is the difference expected over
    data sets from the same generating process, not the resampling expectation
    on this one; the test is an approximation, not exact. With the number of
    distinct learning observations in r it keeps its size under the bootstrap.

    References
    ----------
    .. [1] C. Nadeau and Y. Bengio (2003), "Inference for the generalization
       error", Machine Learning 52, section 4.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [1.0, 4.0], [1.0, 3.0], [1.0, 3.0]])
    >>> pairs = corrected_pairs(values, ratio=0.5)
    >>> pairs.estimates, pairs.standard_errors.round(4), pairs.limit_standard_errors.round(4)
    (array([-2.]), array([0.7071]), array([0.5774]))
    >>> pairs.p_values.round(4), pairs.lower.round(3), pairs.upper.round(3)
    (array([0.0663]), array([-4.25]), array([0.25]))
    """
    _check(values, ratio, alpha)
    first, second = np.array(list(combinations(range(values.shape[1]), 2)), dtype=np.intp).T
    pairs = [
        paired_differences(values[:, i], values[:, j]) for i, j in zip(first, second, strict=True)
    ]
    return _tested(
        ratio,
        alpha,
        (first, second),
        np.array([pair.n_blocks for pair in pairs], dtype=np.intp),
        np.array([pair.mean for pair in pairs]),
        np.array([pair.deviation for pair in pairs]),
    )


def _tested(
    ratio: float,
    alpha: float,
    pairs: tuple[Indices, Indices],
    n_blocks: Indices,
    means: Array,
    deviations: Array,
) -> CorrectedPairs:
    """Test all pairs from the moments of their differences."""
    from scipy.special import stdtr, stdtrit

    is_testable = n_blocks >= 2
    df = np.where(is_testable, n_blocks - 1, np.nan).astype(np.float64)
    errors = np.sqrt(1 / np.maximum(n_blocks, 1) + ratio) * deviations
    statistics = _statistics(means, errors)
    p_values = 2 * stdtr(df, -np.abs(statistics))
    n_tests = max(1, int(is_testable.sum()))
    alone = -stdtrit(df, alpha / 2) * errors
    jointly = -stdtrit(df, alpha / (2 * n_tests)) * errors
    return CorrectedPairs(
        ratio=ratio,
        alpha=alpha,
        first=pairs[0],
        second=pairs[1],
        n_blocks=n_blocks,
        estimates=means,
        deviations=deviations,
        standard_errors=errors,
        limit_standard_errors=sqrt(ratio) * deviations,
        statistics=statistics,
        df=df,
        p_values=p_values,
        lower=means - alone,
        upper=means + alone,
        holm_p_values=_adjusted(p_values),
        joint_lower=means - jointly,
        joint_upper=means + jointly,
    )


def _adjusted(p_values: Array) -> Array:
    """Adjust the p-values of the pairs that are tested."""
    adjusted = np.full(len(p_values), np.nan)
    is_test = ~np.isnan(p_values)
    adjusted[is_test] = holm(p_values[is_test])
    return adjusted


def _statistics(means: Array, errors: Array) -> Array:
    """Standardise; a mean without error is infinitely far from 0, unless it is 0."""
    unclear = np.where(means == 0, 0.0, np.copysign(np.inf, means))
    return np.divide(means, errors, out=unclear, where=~(errors == 0))


def _check(values: Array, ratio: float, alpha: float) -> None:
    """Say what is wrong with the arguments."""
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"pairs need replications of two candidates, got shape {values.shape}")
    if not 0 <= ratio < np.inf:
        raise ValueError(f"the ratio must be a number that is not negative, got {ratio}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
