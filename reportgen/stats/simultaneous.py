"""Simultaneous intervals and adjusted p-values for contrasts of parameters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.max_t import max_t_law
from reportgen.stats.parameters import ParameterEstimates
from reportgen.stats.studentized_range import quantile, survival

Array = NDArray[np.float64]

Method = Literal["tukey", "tukey-kramer", "max-t", "bonferroni"]

EQUAL = 1e-9  # relative: variances of pairs that differ by less are one


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Simultaneous inference on P contrasts.

    Attributes
    ----------
    estimates, standard_errors, statistics : ndarray of shape (P,)
    lower, upper : ndarray of shape (P,)
        Intervals that hold together with probability 1 - alpha.
    p_values : ndarray of shape (P,)
        Single-step adjusted: below alpha exactly when the interval excludes 0.
    critical_value : float
        Of the absolute statistic.
    df : float
        Infinite for the normal law.
    method : {"tukey", "tukey-kramer", "max-t", "bonferroni"}
    critical_error : float
        Standard error of `critical_value` where it is integrated numerically.
    """

    estimates: Array
    standard_errors: Array
    statistics: Array
    lower: Array
    upper: Array
    p_values: Array
    critical_value: float
    df: float
    method: Method = "tukey"
    critical_error: float = 0.0


def all_pairs(n_parameters: int) -> NDArray[np.intp]:
    """Return the pairs (first, second), first < second, in lexical order.

    Parameters
    ----------
    n_parameters : int

    Returns
    -------
    ndarray of shape (P, 2), int
        P = K (K - 1) / 2.

    Examples
    --------
    >>> all_pairs(3)
    array([[0, 1],
           [0, 2],
           [1, 2]])
    """
    pairs = list(combinations(range(n_parameters), 2))
    return np.array(pairs, dtype=np.intp).reshape(len(pairs), 2)


def pair_contrasts(n_parameters: int) -> Array:
    """Return the contrast matrix of all pairs, first - second.

    Parameters
    ----------
    n_parameters : int

    Returns
    -------
    ndarray of shape (P, K)

    Examples
    --------
    >>> pair_contrasts(3)
    array([[ 1., -1.,  0.],
           [ 1.,  0., -1.],
           [ 0.,  1., -1.]])
    """
    pairs = all_pairs(n_parameters)
    contrasts = np.zeros((len(pairs), n_parameters))
    rows = np.arange(len(pairs))
    contrasts[rows, pairs[:, 0]] = 1.0
    contrasts[rows, pairs[:, 1]] = -1.0
    return contrasts


def tukey(estimates: ParameterEstimates, alpha: float) -> Comparisons:
    r"""Compare all pairs of parameters whose differences have one variance.

    Parameters
    ----------
    estimates : ParameterEstimates
        Of K >= 2 parameters; the differences of all pairs must have the same
        positive estimated variance, as in a balanced model.
    alpha : float
        Family-wise error probability, 0 < alpha < 1.

    Returns
    -------
    Comparisons
        In the order of `all_pairs`.

    Raises
    ------
    ValueError
        If the variances of the pairs differ or are not positive, K < 2, or
        alpha is not inside (0, 1).

    Notes
    -----
    The critical value is :math:`q_{1-\alpha}(K, \nu) / \sqrt 2` with the
    studentized range q. It is exact when the covariance is compound symmetric.

    References
    ----------
    .. [1] J. C. Hsu (1996), Multiple Comparisons, section 5.1.

    Examples
    --------
    >>> three = ParameterEstimates(np.array([1.0, 2.0, 4.0]), np.eye(3) / 2, df=10)
    >>> pairs = tukey(three, alpha=0.05)
    >>> pairs.estimates, pairs.lower.round(3)
    (array([-1., -3., -2.]), array([-3.741, -5.741, -4.741]))
    >>> pairs.p_values.round(4)
    array([0.5934, 0.0327, 0.1626])
    """
    contrasts = _contrasts(estimates)
    variances = np.einsum("pk,kl,pl->p", contrasts, estimates.of_contrasts, contrasts)
    common = float(variances.mean())
    if not common > 0 or np.abs(variances - common).max() > EQUAL * common:
        raise ValueError("the differences of all pairs must have one positive variance")
    errors = np.full(len(contrasts), sqrt(common))
    return _by_range(contrasts @ estimates.coef, errors, estimates, alpha, "tukey")


def tukey_kramer(estimates: ParameterEstimates, alpha: float) -> Comparisons:
    r"""Compare all pairs as if their variances were equal, each with its own.

    Parameters
    ----------
    estimates : ParameterEstimates
        Of K >= 2 parameters; the differences of all pairs have positive variances.
    alpha : float
        Family-wise error probability, 0 < alpha < 1.

    Returns
    -------
    Comparisons
        In the order of `all_pairs`.

    Raises
    ------
    ValueError
        If a variance is not positive, K < 2, or alpha is not inside (0, 1).

    Notes
    -----
    The studentized range in place of the law of the largest |t|: too large a
    critical value for independent means of unequal variances [1]_. With equal
    variances it is `tukey`.

    References
    ----------
    .. [1] A. J. Hayter (1984), "A proof of the conjecture that the Tukey-Kramer
       multiple comparisons procedure is conservative", Annals of Statistics 12.
    """
    contrasts = _contrasts(estimates)
    errors = _standard_errors(contrasts, estimates)
    return _by_range(contrasts @ estimates.coef, errors, estimates, alpha, "tukey-kramer")


def max_t(estimates: ParameterEstimates, alpha: float, rng: Generator) -> Comparisons:
    r"""Compare all pairs by the law of the largest of their t statistics.

    Parameters
    ----------
    estimates : ParameterEstimates
        Of K >= 2 parameters; the differences of all pairs have positive variances.
    alpha : float
        Family-wise error probability, 0 < alpha < 1.
    rng : Generator
        For the quasi-Monte Carlo integration, see `reportgen.stats.max_t`.

    Returns
    -------
    Comparisons
        In the order of `all_pairs`.

    Raises
    ------
    ValueError
        If a variance is not positive, K < 2, or alpha is not inside (0, 1).

    Notes
    -----
    The correlations are those of the estimated covariance. With equal variances
    the law is the studentized range, and the result that of `tukey`.

    References
    ----------
    .. [1] T. Hothorn, F. Bretz and P. Westfall (2008), "Simultaneous inference
       in general parametric models", Biometrical Journal 50.

    Examples
    --------
    >>> three = ParameterEstimates(np.array([1.0, 2.0, 4.0]), np.diag([0.5, 0.5, 1.0]), df=10)
    >>> pairs = max_t(three, 0.05, np.random.default_rng(1))
    >>> round(pairs.critical_value, 3), round(tukey_kramer(three, 0.05).critical_value, 3)
    (2.736, 2.741)
    """
    contrasts = _contrasts(estimates)
    errors = _standard_errors(contrasts, estimates)
    differences = contrasts @ estimates.coef
    law = max_t_law(estimates.of_contrasts, contrasts, estimates.df, rng)
    critical, error = law.quantile(alpha)
    return Comparisons(
        estimates=differences,
        standard_errors=errors,
        statistics=differences / errors,
        lower=differences - critical * errors,
        upper=differences + critical * errors,
        p_values=law.survival(np.abs(differences / errors)),
        critical_value=critical,
        df=estimates.df,
        method="max-t",
        critical_error=error,
    )


def _contrasts(estimates: ParameterEstimates) -> Array:
    """Return the contrasts of all pairs, or say that there is none."""
    n_parameters = len(estimates.coef)
    if n_parameters < 2:
        raise ValueError(f"a pair needs two parameters, got {n_parameters}")
    return pair_contrasts(n_parameters)


def _standard_errors(contrasts: Array, estimates: ParameterEstimates) -> Array:
    """Return the contrasts' standard errors, or say that one is not positive."""
    variances = np.einsum("pk,kl,pl->p", contrasts, estimates.of_contrasts, contrasts)
    if not (variances > 0).all():
        raise ValueError("the differences of all pairs must have positive variances")
    return np.asarray(np.sqrt(variances))


def _by_range(
    differences: Array,
    errors: Array,
    estimates: ParameterEstimates,
    alpha: float,
    method: Method,
) -> Comparisons:
    """Compare standardised differences with the studentized range."""
    n_parameters, statistics = len(estimates.coef), differences / errors
    critical = quantile(alpha, n_parameters, estimates.df) / sqrt(2)
    return Comparisons(
        estimates=differences,
        standard_errors=errors,
        statistics=statistics,
        lower=differences - critical * errors,
        upper=differences + critical * errors,
        p_values=survival(np.abs(statistics) * sqrt(2), n_parameters, estimates.df),
        critical_value=critical,
        df=estimates.df,
        method=method,
    )
