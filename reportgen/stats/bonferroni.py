"""All pairs where every difference has its own variance: exact t for each, Bonferroni for all."""

from __future__ import annotations

from math import inf, isinf

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from reportgen.stats.parameters import ParameterEstimates
from reportgen.stats.simultaneous import Comparisons, pair_contrasts

Array = NDArray[np.float64]


def bonferroni(estimates: ParameterEstimates, alpha: float) -> Comparisons:
    r"""Compare all pairs of parameters, each with its own variance.

    Parameters
    ----------
    estimates : ParameterEstimates
        Of K >= 2 parameters; every contrast of them is t on `estimates.df`.
    alpha : float
        Family-wise error probability, 0 < alpha < 1.

    Returns
    -------
    Comparisons
        In the order of `simultaneous.all_pairs`. A difference without variance
        has an infinite statistic, or one of 0 where it is 0 itself.

    Raises
    ------
    ValueError
        If K < 2, or alpha is not inside (0, 1).

    Notes
    -----
    The joint law of the statistics is not used: with few units the estimated
    correlations are too poor for it.

    Examples
    --------
    >>> three = ParameterEstimates(np.array([1.0, 2.0, 4.0]), np.diag([0.1, 0.2, 0.9]), df=10)
    >>> pairs = bonferroni(three, alpha=0.05)
    >>> round(pairs.critical_value, 3), pairs.p_values.round(4)
    (2.87, array([0.2936, 0.04  , 0.2569]))
    """
    n_parameters = len(estimates.coef)
    if n_parameters < 2:
        raise ValueError(f"a pair needs two parameters, got {n_parameters}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    contrasts = pair_contrasts(n_parameters)
    differences = contrasts @ estimates.coef
    variances = np.einsum("pk,kl,pl->p", contrasts, estimates.covariance, contrasts)
    errors = np.sqrt(np.maximum(variances, 0.0))
    unclear = np.where(differences == 0, 0.0, np.copysign(inf, differences))
    statistics = np.divide(differences, errors, out=unclear, where=errors > 0)
    critical = -_quantile(alpha / (2 * len(contrasts)), estimates.df)
    return Comparisons(
        estimates=differences,
        standard_errors=errors,
        statistics=statistics,
        lower=differences - critical * errors,
        upper=differences + critical * errors,
        p_values=np.minimum(1.0, 2 * len(contrasts) * _lower(-np.abs(statistics), estimates.df)),
        critical_value=critical,
        df=estimates.df,
        method="bonferroni",
    )


def _lower(x: Array, df: float) -> Array:
    """Return P(T <= x)."""
    return np.asarray(ndtr(x) if isinf(df) else stdtr(df, x), dtype=np.float64)


def _quantile(p: float, df: float) -> float:
    """Return the x with P(T <= x) = p."""
    return float(ndtri(p) if isinf(df) else stdtrit(df, p))
