"""Nadeau and Bengio's corrected resampled t: inference beyond the data set at hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.pair_table import PairTable
from reportgen.stats.paired import paired_differences
from reportgen.stats.simultaneous import all_pairs
from reportgen.stats.tails import t_quantile, two_sided_t

Array = NDArray[np.float64]


def corrected_pairs(values: Array, ratio: float, alpha: float = 0.05) -> PairTable:
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
    PairTable
        Method "corrected-t", adjusted by Bonferroni, also the intervals. A pair
        with fewer than two replications in common is open. Without variation
        (beyond rounding) the statistic is infinite, or 0 where the mean
        difference is 0 as well. `further` has

        n : replications that have both
        deviation : standard deviation s of the differences over replications
        limit_standard_error : :math:`\sqrt r\, s`, what is left of the standard
            error however many replications there are

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
    >>> pairs.estimate, pairs.standard_error.round(4), round(pairs[0].limit_standard_error, 4)
    (array([-2.]), array([0.7071]), 0.5774)
    >>> pairs.p_value.round(4), pairs.lower.round(3), pairs.upper.round(3)
    (array([0.0663]), array([-4.25]), array([0.25]))
    """
    _check(values, ratio, alpha)
    pairs = all_pairs(values.shape[1])
    differences = [paired_differences(values[:, i], values[:, j]) for i, j in pairs]
    n = np.array([pair.n_blocks for pair in differences], dtype=np.intp)
    means = np.array([pair.mean for pair in differences])
    deviations = np.array([pair.deviation for pair in differences])
    is_tested = n >= 2
    m = max(1, int(is_tested.sum()))
    df = np.where(is_tested, n - 1.0, np.nan)
    errors = np.sqrt(1 / np.maximum(n, 1) + ratio) * deviations
    statistics = _statistics(means, errors)
    p_values = two_sided_t(statistics, df)
    critical = t_quantile(alpha / (2 * m), df)
    return PairTable.of(
        pairs,
        means,
        "corrected-t",
        alpha,
        standard_error=errors,
        lower=means - critical * errors,
        upper=means + critical * errors,
        statistic=statistics,
        df=df,
        p_value=p_values,
        adjusted_p_value=np.minimum(1.0, m * p_values),
        critical_value=critical,
        is_open=~is_tested,
        further={
            "n": n,
            "deviation": deviations,
            "limit_standard_error": sqrt(ratio) * deviations,
        },
    )


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
