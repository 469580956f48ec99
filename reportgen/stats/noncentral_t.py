"""The non-central t distribution function, and the limits of its non-centrality."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtr

Array = NDArray[np.float64]

FARTHEST = 12.0  # standard deviations, beyond which there is no limit nor mass


def cdf(t: Array, df: Array, center: Array) -> Array:
    """Return the probability of a value of at most t.

    Parameters
    ----------
    t, df, center : ndarray of shape (P,)
        Finite values, degrees of freedom of at least 1, non-centralities.

    Returns
    -------
    ndarray of shape (P,)

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
