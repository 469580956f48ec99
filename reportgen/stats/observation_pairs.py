"""All pairs of candidates over the observations of one test sample.

Hothorn, Leisch, Zeileis and Hornik (2005), section 3.1: where one test sample
is fixed, its observations are independent draws of the data generating process,
and the losses of candidates on one of them are paired.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from reportgen.stats.block_scores import column_pairs
from reportgen.stats.multiplicity import holm
from reportgen.stats.paired import paired_differences

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ObservationPairs:
    """Two-sided paired t-tests of all pairs, in lexical order.

    Attributes
    ----------
    first, second : ndarray of shape (P,), int
        Columns.
    estimates, standard_errors : ndarray of shape (P,)
        Of the mean of first - second.
    lower, upper : ndarray of shape (P,)
        Intervals that hold together with probability 1 - alpha (Bonferroni).
    p_values, adjusted : ndarray of shape (P,)
        Of each pair alone, and by Holm; 1 where two columns are equal
        everywhere, 0 where they differ by the same amount everywhere.
    df : int
    """

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    estimates: Array
    standard_errors: Array
    lower: Array
    upper: Array
    p_values: Array
    adjusted: Array
    df: int


def observation_pairs(losses: Array, alpha: float) -> ObservationPairs:
    """Compare the columns of a table of losses.

    Parameters
    ----------
    losses : ndarray of shape (n, K)
        Loss of each candidate on each test observation, averaged over learning
        samples; no gaps, n >= 2, K >= 2.
    alpha : float
        Probability that any of the intervals misses.

    Raises
    ------
    ValueError
        If there are fewer than two observations or candidates, or gaps.

    Examples
    --------
    >>> pairs = observation_pairs(np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 1.0]]), 0.05)
    >>> pairs.estimates.round(3), pairs.p_values.round(3), pairs.df
    (array([-0.667]), array([0.184]), 2)
    """
    n, n_candidates = losses.shape
    if n < 2 or n_candidates < 2 or not np.isfinite(losses).all():
        raise ValueError("two observations and two candidates are needed, without gaps")
    first, second = column_pairs(n_candidates)
    found = [
        paired_differences(losses[:, i], losses[:, j]) for i, j in zip(first, second, strict=True)
    ]
    estimates = np.array([pair.mean for pair in found])
    errors = np.array([pair.deviation for pair in found]) / np.sqrt(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(estimates == 0, 0.0, np.abs(estimates) / errors)
    p_values = 2 * student.sf(statistics, n - 1)
    reach = float(student.isf(alpha / (2 * len(found)), n - 1)) * errors
    return ObservationPairs(
        first, second, estimates, errors, estimates - reach, estimates + reach,
        p_values, holm(p_values), n - 1,
    )  # fmt: skip
