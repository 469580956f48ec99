"""All pairs of columns, the variance of every difference its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import stdtr

from reportgen.stats.bonferroni import bonferroni
from reportgen.stats.multiplicity import holm
from reportgen.stats.parameters import ParameterEstimates
from reportgen.stats.ranks import check_blocks
from reportgen.stats.simultaneous import Comparisons, max_t, pair_contrasts

Array = NDArray[np.float64]

FEWEST_UNITS = 50  # for the joint law with estimated correlations ...
UNITS_PER_CANDIDATE = 4  # ... and no fewer than so many a candidate
ROUNDING = 1e-12  # a difference that varies less, relative to the values, does not vary


@dataclass(frozen=True, slots=True)
class PairwiseVariance:
    """Comparisons of all pairs without the assumption of sphericity.

    Attributes
    ----------
    comparisons : Comparisons
        In the order of `simultaneous.all_pairs`, n - 1 degrees of freedom:
        with few units simultaneous intervals by Bonferroni's inequality, else
        by the law of the largest |t|, `critical_error` the error of its
        integration.
    holm : ndarray of shape (P,)
        Step-down p-values from the exact t test of every pair; never larger
        than single-step Bonferroni.
    is_joint : bool
        Whether `comparisons` uses the joint law of the statistics.
    """

    comparisons: Comparisons
    holm: Array
    is_joint: bool


def compare_pairwise(values: Array, alpha: float, rng: Generator) -> PairwiseVariance:
    """Compare all pairs of columns, the variance of every difference its own.

    Parameters
    ----------
    values : ndarray of shape (n, K)
        One row a unit (a block, or a data set), n, K >= 2, complete.
    alpha : float
        Family-wise error probability, 0 < alpha < 1.
    rng : Generator
        For the quasi-Monte Carlo integration of the joint law; else not used.

    Returns
    -------
    PairwiseVariance

    Raises
    ------
    ValueError
        If `values` is not such a matrix, or alpha is not inside (0, 1).

    Notes
    -----
    Every difference alone is exactly t on n - 1 degrees of freedom. The joint
    law of their statistics is known up to correlations, and with few units
    these are estimated too poorly: with 10 units and 6 candidates it rejects in
    6 to 9% where 5% are wanted. From max(50, 4 K) units on it is used.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = compare_pairwise(rng.normal(size=(12, 3)) + [0, 0, 3], 0.05, rng)
    >>> found.is_joint, round(found.comparisons.critical_value, 3)
    (False, 2.82)
    >>> (found.comparisons.p_values <= 0.05).tolist(), (found.holm <= 0.05).tolist()
    ([False, True, True], [False, True, True])
    """
    n_units, n_candidates = check_blocks(values).shape
    if n_units < 2 or n_candidates < 2:
        raise ValueError(f"pairs need two units and two candidates, got {values.shape}")
    level = values.mean(axis=1, keepdims=True)  # which differences do not know
    covariance = np.cov(values - level, rowvar=False) / n_units
    estimates = ParameterEstimates(values.mean(axis=0), covariance, n_units - 1)
    single = bonferroni(estimates, alpha)
    p_values = 2 * stdtr(n_units - 1, -np.abs(single.statistics))
    is_joint = is_joint_law_known(n_units, n_candidates) and _all_vary(values)
    comparisons = max_t(estimates, alpha, rng) if is_joint else single
    return PairwiseVariance(comparisons, holm(p_values), is_joint)


def is_joint_law_known(n_units: int, n_candidates: int) -> bool:
    """Return whether there are units enough for estimated correlations.

    Examples
    --------
    >>> is_joint_law_known(50, 12), is_joint_law_known(50, 13)
    (True, False)
    """
    return n_units >= max(FEWEST_UNITS, UNITS_PER_CANDIDATE * n_candidates)


def _all_vary(values: Array) -> bool:
    """Return whether the difference of every pair varies over the units."""
    differences = values @ pair_contrasts(values.shape[1]).T
    deviations = differences.std(axis=0)
    return bool((deviations > ROUNDING * float(np.abs(values).max())).all())
