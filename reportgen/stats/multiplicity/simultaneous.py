"""Simultaneous intervals and adjusted p-values for contrasts of parameters.

Tukey's, max-t and Bonferroni's for a common covariance; Bonferroni's where every
difference has its own variance.
"""

from __future__ import annotations

from functools import lru_cache
from math import inf, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.max_abs_t import MOST_SHIFTS, contrast_max_abs_t
from reportgen.stats.distributions.studentized_range import quantile, survival
from reportgen.stats.distributions.tails import t_quantile, two_sided_t
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.pair_table import PairTable

EQUAL = 1e-9  # relative: variances of pairs that differ by less are one


@lru_cache(maxsize=32)
def all_pairs(n_parameters: int) -> NDArray[np.intp]:
    """Return the pairs (first, second), first < second, in lexical order.

    Result: (P, 2); P = K (K - 1) / 2.

    Examples
    --------
    >>> all_pairs(3)
    array([[0, 1],
           [0, 2],
           [1, 2]])
    """
    pairs = np.column_stack(np.triu_indices(n_parameters, 1)).astype(np.intp)
    pairs.flags.writeable = False  # callers share it
    return pairs


def pair_contrasts(n_parameters: int) -> Array:
    """Return the contrast matrix of all pairs, first - second.

    Result: (P, K).

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


def tukey(estimates: ParameterEstimates, alpha: float) -> PairTable:
    r"""Compare all pairs of parameters whose differences have one variance.

    `estimates`: of K >= 2 parameters; the differences of all pairs must have the same positive
    estimated variance, as in a balanced model.
    `alpha`: family-wise error probability, 0 < alpha < 1.
    Result: in the order of `all_pairs`.
    Raises ValueError if the variances of the pairs differ or are not positive, K < 2, or alpha is
    not inside (0, 1).

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
    >>> pairs.estimate, pairs.lower.round(3)
    (array([-1., -3., -2.]), array([-3.741, -5.741, -4.741]))
    >>> pairs.adjusted_p_value.round(4)
    array([0.5934, 0.0327, 0.1626])
    """
    variances = _variances(estimates)
    common = float(variances.mean())
    if not common > 0 or np.abs(variances - common).max() > EQUAL * common:
        raise ValueError("the differences of all pairs must have one positive variance")
    return _by_range(np.full(len(variances), sqrt(common)), estimates, alpha, "tukey")


def tukey_kramer(estimates: ParameterEstimates, alpha: float) -> PairTable:
    r"""Compare all pairs as if their variances were equal, each with its own.

    `estimates`, `alpha`: as for `max_abs_t_pairs`.
    Result: in the order of `all_pairs`.

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
    return _by_range(_standard_errors(estimates), estimates, alpha, "tukey-kramer")


def max_abs_t_pairs(
    estimates: ParameterEstimates, alpha: float, rng: Generator, most_shifts: int = MOST_SHIFTS
) -> PairTable:
    r"""Compare all pairs by the law of the largest of their t statistics.

    `estimates`: of K >= 2 parameters; the differences of all pairs have positive variances.
    `alpha`: family-wise error probability, 0 < alpha < 1.
    `rng`: for the quasi-Monte Carlo integration, see `reportgen.stats.distributions.max_abs_t`.
    `most_shifts`: of its lattices; fewer save time where there are thousands of pairs.
    Result: in the order of `all_pairs`.
    Raises ValueError if a variance is not positive, K < 2, or alpha is not inside (0, 1).

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
    >>> pairs = max_abs_t_pairs(three, 0.05, np.random.default_rng(1))
    >>> values = [found.critical_value[0] for found in (pairs, tukey_kramer(three, 0.05))]
    >>> [round(float(c), 3) for c in values]
    [2.736, 2.741]
    """
    errors = _standard_errors(estimates)
    law = contrast_max_abs_t(estimates.of_contrasts, estimates.df, rng, most_shifts)
    critical, error = law.quantile(alpha)
    p_values = law.survival(np.abs(_differences(estimates) / errors))
    return _table(errors, estimates, alpha, "max-t", critical, p_values, error)


def _differences(estimates: ParameterEstimates) -> Array:
    """Return the differences of all pairs, first - second."""
    first, second = all_pairs(len(estimates.coef)).T
    return np.asarray(estimates.coef[first] - estimates.coef[second])


def _variances(estimates: ParameterEstimates) -> Array:
    """Return the variances of the differences of all pairs; raise an error where there is none."""
    n_parameters = len(estimates.coef)
    if n_parameters < 2:
        raise ValueError(f"a pair needs two parameters, got {n_parameters}")
    return pair_variances(estimates.of_contrasts)


def pair_variances(covariance: Array) -> Array:
    """Return the variances of the differences of all pairs.

    `covariance`: (K, K); of contrasts, at least.
    Result: (P,).

    Examples
    --------
    >>> pair_variances(np.diag([1.0, 2.0, 4.0]))
    array([3., 5., 6.])
    """
    first, second = all_pairs(len(covariance)).T
    own = np.diagonal(covariance)
    found = own[first] - covariance[first, second] - covariance[second, first] + own[second]
    return np.asarray(found)


def _standard_errors(estimates: ParameterEstimates) -> Array:
    """Return the standard errors of all pairs; raise an error where one is not positive."""
    variances = _variances(estimates)
    if not (variances > 0).all():
        raise ValueError("the differences of all pairs must have positive variances")
    return np.asarray(np.sqrt(variances))


def _by_range(
    errors: Array,
    estimates: ParameterEstimates,
    alpha: float,
    method: str,
) -> PairTable:
    """Compare standardised differences with the studentized range."""
    n_parameters = len(estimates.coef)
    critical = quantile(alpha, n_parameters, estimates.df) / sqrt(2)
    statistics = np.abs(_differences(estimates) / errors)
    p_values = survival(statistics * sqrt(2), n_parameters, estimates.df)
    return _table(errors, estimates, alpha, method, critical, p_values)


def _table(
    errors: Array,
    estimates: ParameterEstimates,
    alpha: float,
    method: str,
    critical: float,
    p_values: Array,
    critical_error: float = 0.0,
) -> PairTable:
    """Put intervals and p-values by one critical value together."""
    differences = _differences(estimates)
    return PairTable.of(
        all_pairs(len(estimates.coef)),
        differences,
        method,
        alpha,
        standard_error=errors,
        lower=differences - critical * errors,
        upper=differences + critical * errors,
        statistic=differences / errors,
        df=estimates.df,
        p_value=two_sided_t(differences / errors, estimates.df),
        adjusted_p_value=p_values,
        critical_value=critical,
        critical_error=critical_error,
    )


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

    `values`: (M, K); NaN where there is no value; every two columns share two rows or more.

    Examples
    --------
    >>> found = paired_differences(np.array([[1.0, 2.0, 1e90], [3.0, 5.0, 0.0]]))
    >>> tuple(map(float, (found.estimates[0], found.standard_errors[0], found.df[0])))
    (-1.5, 0.5, 1.0)
    """
    first, second = all_pairs(values.shape[1]).T
    differences = values[:, first] - values[:, second]
    n = np.isfinite(differences).sum(axis=0)
    errors = np.nanstd(differences, axis=0, ddof=1) / np.sqrt(n)
    return Differences(np.nanmean(differences, axis=0), errors, n - 1.0)


def bonferroni_pairs(estimates: ParameterEstimates, alpha: float) -> PairTable:
    r"""Compare all pairs of parameters, each with its own variance.

    `estimates`: of K >= 2 parameters; every contrast of them is t on `estimates.df`.
    `alpha`: family-wise error probability, 0 < alpha < 1.
    Result: in the order of `simultaneous.all_pairs`. A difference without variance has an infinite
    statistic, or one of 0 where it is 0 itself.
    Raises ValueError if K < 2, or alpha is not inside (0, 1).

    Notes
    -----
    The joint law of the statistics is not used: with few units the estimated
    correlations are too poor for it.

    Examples
    --------
    >>> three = ParameterEstimates(np.array([1.0, 2.0, 4.0]), np.diag([0.1, 0.2, 0.9]), df=10)
    >>> pairs = bonferroni_pairs(three, alpha=0.05)
    >>> round(float(pairs.critical_value[0]), 3), pairs.adjusted_p_value.round(4)
    (2.87, array([0.2936, 0.04  , 0.2569]))
    """
    errors = np.sqrt(np.maximum(_variances(estimates), 0.0))
    df = np.full(len(errors), estimates.df)
    return compare_differences(Differences(_differences(estimates), errors, df), alpha)


def compare_differences(pairs: Differences, alpha: float) -> PairTable:
    """Compare all pairs, the degrees of freedom of every difference its own.

    `alpha`: family-wise error probability, 0 < alpha < 1.
    Raises ValueError if alpha is not inside (0, 1).

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
        adjusted_p_value=bonferroni(p_values, n),
        critical_value=critical,
    )
