r"""The studentized range distribution, accurate in its far upper tail.

The range W of K independent standard normal variables exceeds w with
probability

.. math:: P(W > w) = K \int \varphi(z)
    \{\Phi(z)^{K-1} - [\Phi(z) - \Phi(z - w)]^{K-1}\}\, dz,

and the studentized range Q = W / S, where :math:`\nu S^2` is chi-squared on
:math:`\nu` degrees of freedom, exceeds q with probability
:math:`E[P(W > q S)]`. Both integrands are analytic and vanish at both ends, so
the trapezoidal rule converges exponentially [1]_ (the second one in log S).
All terms are positive: small probabilities keep their relative accuracy.

References
----------
.. [1] L. N. Trefethen and J. A. C. Weideman (2014), "The exponentially
   convergent trapezoidal rule", SIAM Review 56.
"""

from __future__ import annotations

from math import inf, isinf, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import gammaln, ndtr

Array = NDArray[np.float64]

TAIL = 42.0  # parts of an integrand below exp(-TAIL) of its peak are left out
NORMAL_STEP = 0.2  # of z
SCALE_STEP = 0.5  # of log S, in its standard deviations ...
LARGEST_STEP = 0.11  # ... but no more than this
COARSE_UP_TO = 12  # means; with more of them the integrands are steeper, the steps smaller
FARTHEST = 60.0  # a range beyond it has a probability below 1e-390


def survival(q: ArrayLike, n_groups: int, df: float = inf) -> Array:
    """Return the probability that the studentized range exceeds q.

    Parameters
    ----------
    q : array_like
        Values, any shape; what is not positive is exceeded with probability 1.
    n_groups : int
        Number K of means, at least 2.
    df : float, default inf
        Degrees of freedom of the standard deviation, at least 1; infinite when
        it is known.

    Returns
    -------
    ndarray, shape of `q`

    Raises
    ------
    ValueError
        If `n_groups` < 2, `df` < 1, or a value of `q` is not a number.

    Examples
    --------
    A table's 5% point for 3 means and 10 degrees of freedom is 3.877:

    >>> float(survival(3.877, 3, 10).round(4))
    0.05
    >>> survival([0.0, 12.0], 6)
    array([1.00000000e+00, 3.22795124e-16])
    """
    _check(n_groups, df)
    q = np.asarray(q, dtype=np.float64)
    if np.isnan(q).any():
        raise ValueError("q must hold numbers only")
    flat = np.maximum(q.ravel(), 0.0)
    if isinf(df):
        return range_survival(flat, n_groups).reshape(q.shape)
    return np.array([_studentized(value, n_groups, df) for value in flat]).reshape(q.shape)


def quantile(alpha: float, n_groups: int, df: float = inf) -> float:
    """Return the value that the studentized range exceeds with probability alpha.

    Parameters
    ----------
    alpha : float
        Upper tail probability, 0 < alpha < 1.
    n_groups, df
        As for `survival`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If `alpha` is not inside (0, 1), `n_groups` < 2 or `df` < 1.

    Examples
    --------
    >>> round(quantile(0.05, 3, 10), 3)
    3.877
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")

    def excess(q: float) -> float:
        return log(max(float(survival(q, n_groups, df)), 1e-300)) - log(alpha)

    upper = 8.0
    while excess(upper) > 0:
        upper *= 2
    return float(brentq(excess, 0.0, upper, xtol=1e-13, rtol=1e-14))


def range_survival(w: Array, n_groups: int) -> Array:
    """Return the probability that the range of K standard normals exceeds w.

    Parameters
    ----------
    w : ndarray of shape (n,)
        Not negative.
    n_groups : int

    Returns
    -------
    ndarray of shape (n,)
    """
    tail = TAIL + log(n_groups)
    w = np.minimum(w, FARTHEST)
    start = w / 2 - sqrt(tail)
    end = np.maximum(w / 2 + sqrt(tail), np.sqrt(2 * tail + w**2 / 2))
    step = NORMAL_STEP * _refinement(n_groups)
    n_nodes = int((end - start).max(initial=0.0) / step) + 2
    z = start + step * np.arange(n_nodes)[:, None]
    below = ndtr(z)
    with np.errstate(divide="ignore", under="ignore"):
        missed = np.log1p(-np.minimum(ndtr(z - w) / below, 1.0))
        terms = -np.exp(-(z**2) / 2) * below ** (n_groups - 1) * np.expm1((n_groups - 1) * missed)
    total: Array = terms.sum(axis=0) * (step * n_groups / sqrt(2 * pi))
    return np.minimum(total, 1.0)


def _studentized(q: float, n_groups: int, df: float) -> float:
    """Integrate the range's tail at q S over log S."""
    if q == 0:
        return 1.0
    t, step = _scale_nodes(q, n_groups, df)
    # the density of log S relative to its peak at 0, without large cancelling terms
    log_density = -0.5 * df * (np.expm1(2 * t) - 2 * t)
    with np.errstate(under="ignore"):
        total = float(np.exp(log_density) @ range_survival(q * np.exp(t), n_groups))
    return min(1.0, total * step * _density_constant(df))


def _scale_nodes(q: float, n_groups: int, df: float) -> tuple[Array, float]:
    """Place equidistant nodes where the integrand in log S is not negligible.

    P(W > q S) falls at most like exp(-(q S)^2 / 4), which moves the peak from 0
    no farther than to `peak`; to the right of 0 the density alone bounds the
    integrand. `left` and `right` bound the roots of exp(-y) - 1 + y = c and
    exp(x) - 1 - x = c from outside (y, x: twice the distance).
    """
    step = min(LARGEST_STEP, SCALE_STEP / sqrt(2 * df)) * _refinement(n_groups)
    peak = -0.5 * log1p(q**2 / (2 * df))
    c = 2 * TAIL / df
    left = c / 2 + sqrt(c**2 / 4 + 2 * c)
    right = min(sqrt(2 * c), log1p(c + sqrt(2 * c)))
    return np.arange(peak - left / 2, right / 2 + step, step), step


def _refinement(n_groups: int) -> float:
    """Return the factor of the steps; it keeps 1e-12 for 200 means."""
    return min(1.0, sqrt(COARSE_UP_TO / n_groups))


def _density_constant(df: float) -> float:
    """Return the density of log S at 0 by Stirling's series where df is large."""
    a = df / 2
    if a < 20:
        stirling = float(gammaln(a)) - ((a - 0.5) * log(a) - a + 0.5 * log(2 * pi))
    else:
        stirling = 1 / (12 * a) - 1 / (360 * a**3) + 1 / (1260 * a**5)
    return 2 * sqrt(a / (2 * pi)) * float(np.exp(-stirling))


def _check(n_groups: int, df: float) -> None:
    """Say what is wrong with the parameters."""
    if n_groups < 2:
        raise ValueError(f"a range needs at least 2 means, got {n_groups}")
    if not df >= 1:
        raise ValueError(f"df must be at least 1, got {df}")
