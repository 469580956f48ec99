r"""The non-central t distribution function, and the limits of its non-centrality.

:math:`T = (Z + \delta) / S` with Z standard normal and :math:`\nu S^2` chi-squared
on :math:`\nu` degrees of freedom. Given S, :math:`T \le t` has probability
:math:`\Phi(tS - \delta)`; given Z, for positive t, that of
:math:`S \ge (Z + \delta) / t`. The first is smooth on the scale of S while
:math:`|t| \le \sqrt\nu`, the second on the scale of Z beyond, but for a kink at
:math:`Z = -\delta`; each is integrated by Gauss and Legendre's rule where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaincc, gammaln, ndtr

Array = NDArray[np.float64]

FARTHEST = 12.0  # standard deviations, beyond which there is no limit nor mass
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)  # integrals accurate to 1e-12


def cdf(t: Array, df: Array, center: Array) -> Array:
    """Return the probability of a value of at most t.

    Parameters
    ----------
    t, df, center : ndarray of shape (P,)
        Finite values, degrees of freedom of at least 1, non-centralities.

    Returns
    -------
    ndarray of shape (P,)

    Examples
    --------
    >>> cdf(np.array([2.0, 500.0]), np.array([9.0, 249.0]), np.array([3.9, 470.0])).round(8)
    array([0.03868734, 0.90681095])
    """
    is_near = np.abs(t) <= np.sqrt(df)
    found = np.empty(len(t))
    found[is_near] = _over_scale(t[is_near], df[is_near], center[is_near])
    sign = np.sign(t[~is_near])
    beyond = _over_normal(np.abs(t[~is_near]), df[~is_near], sign * center[~is_near])
    found[~is_near] = np.where(sign > 0, beyond, 1 - beyond)
    return found


def center_limits(t: Array, df: Array, alpha: float) -> tuple[Array, Array]:
    r"""Return the non-centralities under which a value is just not too extreme.

    Parameters
    ----------
    t, df : ndarray of shape (P,)
        Finite values and their degrees of freedom, at least 1.
    alpha : float
        0 < alpha < 1.

    Returns
    -------
    lower, upper : ndarray of shape (P,)
        P(T >= t; lower) = P(T <= t; upper) = alpha / 2.

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
    from scipy.optimize import elementwise

    width = FARTHEST * np.sqrt(1 + t**2 / (2 * df))
    tails = np.repeat([1 - alpha / 2, alpha / 2], len(t))
    values, dfs = np.tile(t, 2), np.tile(df, 2)
    brackets = (np.tile(t - width, 2), np.tile(t + width, 2))
    find_root: Callable[..., Any] = elementwise.find_root
    found = find_root(
        lambda center, value, nu, tail: cdf(value, nu, center) - tail,
        brackets,
        args=(values, dfs, tails),
    )
    if not found.success.all():
        raise RuntimeError("a limit of the non-centrality was not found")
    lower, upper = found.x.reshape(2, len(t))
    return lower, upper


def _over_scale(t: Array, df: Array, center: Array) -> Array:
    """Integrate the normal probability over S."""
    spread = FARTHEST / np.sqrt(2 * df)
    s, weights = _panel(np.maximum(0.0, 1 - spread), 1 + spread)
    nu = df[:, None]
    log_density = (nu - 1) * np.log(s) - nu * s**2 / 2 + np.log(2) - gammaln(nu / 2)
    log_density += nu / 2 * np.log(nu / 2)
    inner = ndtr(t[:, None] * s - center[:, None])
    return np.asarray((weights * np.exp(log_density) * inner).sum(axis=1))


def _over_normal(t: Array, df: Array, center: Array) -> Array:
    """Integrate the probability of a large S over Z; below -center it is 1."""
    kink = np.clip(-center, -FARTHEST, FARTHEST)
    z, weights = _panel(kink, np.full(len(t), FARTHEST))
    x = np.maximum(0.0, z + center[:, None]) / t[:, None]
    inner = gammaincc(df[:, None] / 2, df[:, None] / 2 * x**2)
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return np.asarray(ndtr(kink) + (weights * density * inner).sum(axis=1))


def _panel(low: Array, high: Array) -> tuple[Array, Array]:
    """Return nodes and weights of Gauss and Legendre's rule on intervals, shape (P, 80)."""
    half = (high - low)[:, None] / 2
    return (high + low)[:, None] / 2 + half * NODES, half * WEIGHTS
