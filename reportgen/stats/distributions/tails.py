"""Tail probabilities of t, chi-squared and F, with logarithms; the non-central t."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, inf, isinf, lgamma, log, log1p
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, chdtrc, nctdtr, ndtr, ndtri, stdtr, stdtrit

from reportgen.stats.arrays import Array

SAFE = 1e-280  # above it the probability itself is accurate
TINY = 1e-300  # in place of 0 in the denominators of a continued fraction
RELATIVE_CHANGE = 1e-15  # at which a continued fraction has converged
MOST_TERMS = 100_000


def two_sided_t(statistics: Array, df: Array | float) -> Array:
    """Return two-sided p-values of t statistics; NaN stays.

    `statistics`: (P,).
    `df`: (P,) or float; infinite for the normal law.

    Examples
    --------
    >>> two_sided_t(np.array([2.0, -2.0]), np.array([5.0, inf])).round(4)
    array([0.1019, 0.0455])
    """
    is_normal = np.isinf(df)
    finite = np.where(is_normal, 1.0, df)
    size = -np.abs(statistics)
    return np.asarray(2 * np.where(is_normal, ndtr(size), stdtr(finite, size)))


def t_quantile(tail: Array | float, df: Array | float) -> Array:
    """Return the value that t exceeds with a probability.

    `tail`: inside (0, 1).
    `df`: (P,) or float; infinite for the normal law.

    Examples
    --------
    >>> t_quantile(0.025, np.array([5.0, inf])).round(4)
    array([2.5706, 1.96  ])
    """
    if np.ndim(tail) == 0 and np.size(df) > 1:
        given = np.asarray(df)
        if (given == given.flat[0]).all():  # to find one takes longer than to fill them all
            return np.full(given.shape, t_quantile(tail, float(given.flat[0])))
    is_normal = np.isinf(df)
    finite = np.where(is_normal, 1.0, df)
    return np.asarray(-np.where(is_normal, ndtri(tail), stdtrit(finite, tail)))


def log_chi2_survival(statistic: float, df: float) -> float:
    r"""Return the log probability that a chi-squared variable exceeds a value.

    `statistic`: not negative.
    `df`: degrees of freedom, positive.
    Result: natural logarithm.
    Raises ValueError if `statistic` is negative or not a number, or `df` not positive.
    Raises RuntimeError if the continued fraction does not converge.

    Notes
    -----
    Far out :math:`\log Q(a, x)` is computed by Legendre's continued fraction
    for the incomplete gamma function [1]_, with a = df / 2, x = statistic / 2.

    References
    ----------
    .. [1] NIST Digital Library of Mathematical Functions, 8.9.2 and 8.17.22.

    Examples
    --------
    >>> round(log_chi2_survival(787.1201306557, 5) / log(10), 8)
    -167.15043013
    >>> round(log_chi2_survival(5000.0, 2), 10)
    -2500.0
    """
    _check(statistic, df)
    if isinf(statistic):
        return -inf
    p = float(chdtrc(df, statistic))
    if p > SAFE:
        return log(p)
    a, x = df / 2, statistic / 2
    fraction = _lentz(x + 1 - a, lambda n: -n * (n - a), lambda n: x + 2 * n + 1 - a)
    return a * log(x) - x - lgamma(a) - log(fraction)


def log_f_survival(statistic: float, df1: float, df2: float) -> float:
    r"""Return the log probability that an F variable exceeds a value.

    `statistic`: not negative.
    `df1`, `df2`: degrees of freedom of numerator and denominator, positive.
    Result: natural logarithm.
    Raises ValueError if `statistic` is negative or not a number, or a `df` not positive.
    Raises RuntimeError if the continued fraction does not converge.

    Notes
    -----
    :math:`P(F > f) = I_x(df_2/2, df_1/2)` with
    :math:`x = df_2 / (df_2 + df_1 f)`, far out by the continued fraction for
    the incomplete beta function (NIST DLMF 8.17.22).

    Examples
    --------
    >>> round(log_f_survival(339.80071240793416, 5, 1245) / log(10), 8)
    -228.95966098
    >>> round(log_f_survival(1e300, 2, 2) / log(10), 8)
    -300.0
    """
    _check(statistic, df1, df2)
    if isinf(statistic):
        return -inf
    a, b = df2 / 2, df1 / 2
    ratio = statistic * df1 / df2
    x = 1 / (1 + ratio)
    p = float(betainc(a, b, x))
    if p > SAFE:
        return log(p)
    fraction = _lentz(1.0, lambda n: _beta_term(n, a, b, x), lambda _: 1.0)
    log_x, log_rest = -log1p(ratio), log(ratio) - log1p(ratio)
    return a * log_x + b * log_rest - log(a) - float(betaln(a, b)) - log(fraction)


def probability(log_p: float) -> float:
    """Return exp(log_p), which is 0 where it underflows.

    Examples
    --------
    >>> probability(-2500.0), probability(0.0)
    (0.0, 1.0)
    """
    return exp(log_p)


def _beta_term(n: int, a: float, b: float, x: float) -> float:
    """Return the n-th numerator of the incomplete beta function's fraction."""
    m = n // 2
    if n % 2 == 0:
        return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))


def _lentz(
    start: float, numerator: Callable[[int], float], denominator: Callable[[int], float]
) -> float:
    """Evaluate start + n1 / (d1 + n2 / (d2 + ...)) from the front."""
    value = c = start or TINY
    d = 0.0
    for n in range(1, MOST_TERMS):
        d = 1 / (denominator(n) + numerator(n) * d or TINY)
        c = denominator(n) + numerator(n) / c or TINY
        value *= c * d
        if abs(c * d - 1) < RELATIVE_CHANGE:
            return value
    raise RuntimeError(f"a continued fraction has not converged after {MOST_TERMS} terms")


def _check(statistic: float, *dfs: float) -> None:
    """Check a statistic or its degrees of freedom."""
    if not statistic >= 0:
        raise ValueError(f"the statistic must not be negative, got {statistic}")
    if not all(df > 0 for df in dfs):
        raise ValueError(f"degrees of freedom must be positive, got {dfs}")


FARTHEST = 12.0  # standard deviations, beyond which there is no limit nor mass
EXACT = 1e-11  # of a standard deviation, to which limits are found ...
MOST_SECANTS = 10  # ... by so many secants, or between brackets; four are usual


def cdf(t: Array, df: Array, center: Array) -> Array:
    """Return the probability of a value of at most t.

    `t`, `df`, `center`: (P,); finite values, degrees of freedom of at least 1, non-centralities.
    Result: (P,).

    Notes
    -----
    scipy 1.17 returns NaN in a few cases whose probability is 0 or 1 to the
    last digit: there it is 0 or 1.

    Examples
    --------
    >>> cdf(np.array([2.0, 500.0]), np.array([9.0, 249.0]), np.array([3.9, 470.0])).round(8)
    array([0.03868734, 0.90681095])
    """
    found = nctdtr(df, center, t)
    return np.where(np.isnan(found), t > center, found)


def center_limits(t: Array, df: Array, alpha: float) -> tuple[Array, Array]:
    r"""Return the non-centralities under which a value is just not too extreme.

    `t`, `df`: (P,); finite values and their degrees of freedom, at least 1.
    `alpha`: 0 < alpha < 1.
    Result: `lower`, `upper`, (P,); P(T >= t; lower) = P(T <= t; upper) = alpha / 2.
    Raises RuntimeError if a limit was not found.

    References
    ----------
    .. [1] J. H. Steiger and R. T. Fouladi (1997), "Noncentrality interval
       estimation and the evaluation of statistical models", in What If There
       Were No Significance Tests?

    Examples
    --------
    >>> lower, upper = center_limits(np.array([2.0]), np.array([9.0]), 0.05)
    >>> lower.round(4), upper.round(4)
    (array([-0.2059]), array([4.1162]))
    """
    tails = np.repeat([1 - alpha / 2, alpha / 2], len(t))
    values, dfs = np.tile(t, 2), np.tile(df, 2)
    centers, is_found = _by_secants(values, dfs, tails)
    if not is_found.all():
        rest = ~is_found
        centers[rest] = _between_brackets(values[rest], dfs[rest], tails[rest])
    lower, upper = centers.reshape(2, len(t))
    return lower, upper


def _by_secants(t: Array, df: Array, tails: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return where P(T <= t) is a probability, and whether it was found."""
    # Its normal quantile is nearly a line in the non-centrality, but for the farthest tails.
    aims, width = ndtri(tails), np.sqrt(1 + t**2 / (2 * df))
    centers, slope = t * (1 - 1 / (4 * df)) - aims * width, -1 / width
    misses = ndtri(cdf(t, df, centers)) - aims
    is_found = np.zeros(len(t), dtype=np.bool_)
    with np.errstate(invalid="ignore", divide="ignore"):
        for _ in range(MOST_SECANTS):
            step = np.where(is_found, 0.0, -misses / slope)
            centers = centers + step
            is_found = np.abs(step) <= EXACT * width
            if is_found.all():
                break
            before, misses = misses, ndtri(cdf(t, df, centers)) - aims
            slope = np.where(step == 0, slope, (misses - before) / step)
    return centers, is_found


def _between_brackets(t: Array, df: Array, tails: Array) -> Array:
    """Return where P(T <= t) is a probability, however the function runs."""
    from scipy.optimize import elementwise

    width = FARTHEST * np.sqrt(1 + t**2 / (2 * df))
    find_root: Callable[..., Any] = elementwise.find_root
    found = find_root(
        lambda center, value, nu, tail: cdf(value, nu, center) - tail,
        (t - width, t + width),
        args=(t, df, tails),
    )
    if not found.success.all():
        raise RuntimeError("a limit of the non-centrality was not found")
    return np.asarray(found.x)
