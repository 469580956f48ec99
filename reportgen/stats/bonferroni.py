"""All pairs where every difference has its own variance: exact t for each, Bonferroni for all."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.pair_table import PairTable
from reportgen.stats.parameters import ParameterEstimates
from reportgen.stats.simultaneous import all_pairs, pair_contrasts
from reportgen.stats.tails import t_quantile, two_sided_t

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Differences:
    """Differences of P pairs of candidates, each by itself.

    Attributes
    ----------
    estimates, standard_errors, df : ndarray of shape (P,)
        In the order of `simultaneous.all_pairs`.
    """

    estimates: Array
    standard_errors: Array
    df: Array


def paired_differences(values: Array) -> Differences:
    """Return mean differences of all pairs of columns, each from the rows that have both.

    Each pair is computed in its own power of two: a third column whose values
    dwarf those of the two takes no digit from them.

    Parameters
    ----------
    values : ndarray of shape (M, K)
        NaN where there is no value; every two columns share two rows or more.

    Examples
    --------
    >>> found = paired_differences(np.array([[1.0, 2.0, 1e200], [3.0, 5.0, 0.0]]))
    >>> found.estimates[0], found.standard_errors[0], found.df[0]
    (-1.5, 0.5, 1.0)
    """
    first, second = all_pairs(values.shape[1]).T
    differences = values[:, first] - values[:, second]
    exponents = np.frexp(np.nanmax(np.abs(differences), axis=0))[1]
    differences = np.ldexp(differences, -exponents)
    n = np.isfinite(differences).sum(axis=0)
    errors = np.nanstd(differences, axis=0, ddof=1) / np.sqrt(n)
    return Differences(
        np.ldexp(np.nanmean(differences, axis=0), exponents),
        np.ldexp(errors, exponents),
        n - 1.0,
    )


def bonferroni(estimates: ParameterEstimates, alpha: float) -> PairTable:
    r"""Compare all pairs of parameters, each with its own variance.

    Parameters
    ----------
    estimates : ParameterEstimates
        Of K >= 2 parameters; every contrast of them is t on `estimates.df`.
    alpha : float
        Family-wise error probability, 0 < alpha < 1.

    Returns
    -------
    PairTable
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
    >>> round(float(pairs.critical_value[0]), 3), pairs.adjusted_p_value.round(4)
    (2.87, array([0.2936, 0.04  , 0.2569]))
    """
    n_parameters = len(estimates.coef)
    if n_parameters < 2:
        raise ValueError(f"a pair needs two parameters, got {n_parameters}")
    contrasts = pair_contrasts(n_parameters)
    variances = np.einsum("pk,kl,pl->p", contrasts, estimates.of_contrasts, contrasts)
    errors = np.sqrt(np.maximum(variances, 0.0))
    df = np.full(len(contrasts), estimates.df)
    return compare_differences(Differences(contrasts @ estimates.coef, errors, df), alpha)


def compare_differences(pairs: Differences, alpha: float) -> PairTable:
    """Compare all pairs, the degrees of freedom of every difference its own.

    Parameters
    ----------
    pairs : Differences
    alpha : float
        Family-wise error probability, 0 < alpha < 1.

    Returns
    -------
    PairTable

    Raises
    ------
    ValueError
        If alpha is not inside (0, 1).

    Examples
    --------
    >>> one, df = np.ones(3), np.array([4.0, 20.0, 20.0])
    >>> compare_differences(Differences(one, 0.3 * one, df), 0.05).adjusted_p_value.round(4)
    array([0.087 , 0.0099, 0.0099])
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    differences, errors, n = pairs.estimates, pairs.standard_errors, len(pairs.estimates)
    unclear = np.where(differences == 0, 0.0, np.copysign(inf, differences))
    statistics = np.divide(differences, errors, out=unclear, where=errors > 0)
    critical = t_quantile(alpha / (2 * n), pairs.df)
    p_values = two_sided_t(statistics, pairs.df)
    n_parameters = round((1 + sqrt(1 + 8 * n)) / 2)
    return PairTable.of(
        all_pairs(n_parameters),
        differences,
        "bonferroni",
        alpha,
        standard_error=errors,
        lower=differences - critical * errors,
        upper=differences + critical * errors,
        statistic=statistics,
        df=pairs.df,
        p_value=p_values,
        adjusted_p_value=np.minimum(1.0, n * p_values),
        critical_value=critical,
    )
