r"""The studentized range distribution, accurate in its far upper tail.

The range W of K independent standard normal variables exceeds w with
probability

.. math:: P(W > w) = K \int \varphi(z)
    \{\Phi(z)^{K-1} - [\Phi(z) - \Phi(z - w)]^{K-1}\}\, dz,

and the studentized range Q = W / S, where :math:`\nu S^2` is chi-squared on
:math:`\nu` degrees of freedom, exceeds q with probability
:math:`E[P(W > q S)]`. Both integrands are analytic and vanish at both ends, so
the trapezoidal rule converges exponentially [1]_ (the second one in log S).
All terms are positive: small probabilities keep their relative accuracy. For
many q the logarithm of P(W > w) is tabulated by Chebyshev polynomials, for very many that of
P(Q > q), too.

scipy.stats.studentized_range subtracts from 1: its upper tail has no digits below 1e-15.

References
----------
.. [1] L. N. Trefethen and J. A. C. Weideman (2014), "The exponentially
   convergent trapezoidal rule", SIAM Review 56.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, exp, inf, isinf, log, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, log_ndtr, ndtr

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.roots import brentq

NORMAL_STEP = 0.2  # of z
SCALE_STEP = 0.5  # of log S, in its standard deviations ...
LARGEST_STEP = 0.11  # ... but no more than this
COARSE_UP_TO = 12  # means; with more of them the integrands are steeper, the steps smaller
PIECE = 1.5  # width in w of one Chebyshev polynomial ...
N_COEFFICIENTS = 24  # ... and their number: the error of log P(W > w) is below 1e-13
TOGETHER = 128  # values that are integrated at once
LEAST_DF = 3.0  # from which log P(Q > q) is as smooth as that: with fewer, t-like, it is not near 0
PAIRS_ONLY = 22.5  # beyond it P(W > w) is the sum over pairs but for exp(-w^2 / 12)

TAIL = 42.0  # parts of an integrand below exp(-TAIL) of its peak are left out


def survival(q: ArrayLike, n_groups: int, df: float = inf) -> Array:
    """Return the probability that the studentized range exceeds q.

    `q`: values, any shape; what is not positive is exceeded with probability 1.
    `n_groups`: number K of means, at least 2.
    `df`: degrees of freedom of the standard deviation, at least 1; infinite when it is known.
    Result: ndarray, shape of `q`.
    Raises ValueError if `n_groups` < 2, `df` < 1, or a value of `q` is not a number.

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
    return _reshape(_log_survivals(flat, n_groups, df), q)


@lru_cache(maxsize=1024)
def quantile(alpha: float, n_groups: int, df: float = inf) -> float:
    """Return the value that the studentized range exceeds with probability alpha.

    `alpha`: upper tail probability, 0 < alpha < 1.
    `n_groups`, `df`: as for `survival`.
    Raises ValueError if `alpha` is not inside (0, 1), `n_groups` < 2 or `df` < 1.

    Examples
    --------
    >>> round(quantile(0.05, 3, 10), 3)
    3.877
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")

    _check(n_groups, df)
    table = _tabulate(n_groups, PAIRS_ONLY)

    def excess(q: float) -> float:
        return _log_survival(q, table, df) - log(alpha)

    upper = 8.0
    while excess(upper) > 0:
        upper *= 2
    return brentq(excess, 0.0, upper, xtol=1e-13, rtol=1e-14)


@dataclass(frozen=True, slots=True)
class _RangeTable:
    """The function log P(W > w) in pieces of equal width."""

    n_groups: int
    # (N_COEFFICIENTS, n_pieces); of Chebyshev polynomials, the first piece starts at 0.
    coefficients: Array

    def __call__(self, w: Array) -> Array:
        """Return log P(W > w) for w of shape (n,), not negative."""
        inside = _interpolate(self.coefficients, w)
        is_far = w > PAIRS_ONLY
        inside[is_far] = _log_pairs(w[is_far], self.n_groups)
        return inside


def _tabulate(n_groups: int, farthest: float) -> _RangeTable:
    """Interpolate log P(W > w) from 0 to at least min(farthest, PAIRS_ONLY)."""
    return _in_pieces(n_groups, max(1, ceil(min(farthest, PAIRS_ONLY) / PIECE)))


@lru_cache(maxsize=256)
def _in_pieces(n_groups: int, n_pieces: int) -> _RangeTable:
    """Interpolate log P(W > w) in some pieces; the tables last used are kept."""
    w = _nodes(n_pieces)
    values = _log_range_survival(w.ravel(), n_groups).reshape(w.shape)
    return _RangeTable(n_groups, _coefficients(values))


@lru_cache(maxsize=64)
def _studentized_in_pieces(n_groups: int, df: float, n_pieces: int) -> Array:
    """Interpolate log P(Q > q) in some pieces; the coefficients last used are kept."""
    q = _nodes(n_pieces)
    return _coefficients(_integrate_each(q.ravel(), n_groups, df).reshape(q.shape))


def _nodes(n_pieces: int) -> Array:
    """Return where a function is interpolated, a row a piece."""
    angle = pi * (np.arange(N_COEFFICIENTS) + 0.5) / N_COEFFICIENTS
    return np.asarray(PIECE * (np.arange(n_pieces)[:, None] + (1 + np.cos(angle)) / 2))


def _coefficients(values: Array) -> Array:
    """Return the coefficients of the polynomials through values at the nodes, a column a piece."""
    angle = pi * (np.arange(N_COEFFICIENTS) + 0.5) / N_COEFFICIENTS
    basis = np.cos(angle[:, None] * np.arange(N_COEFFICIENTS)) * (2 / N_COEFFICIENTS)
    basis[:, 0] /= 2
    coefficients: Array = np.ascontiguousarray((values @ basis).T)
    coefficients.flags.writeable = False
    return coefficients


def _interpolate(coefficients: Array, x: Array) -> Array:
    """Return the sums of Chebyshev polynomials at x of shape (n,), by Clenshaw's recurrence."""
    piece = np.minimum(x / PIECE, coefficients.shape[1] - 0.5).astype(np.intp)
    u = np.clip(2 * (x / PIECE - piece) - 1, -1.0, 1.0)
    last, before = np.zeros_like(u), np.zeros_like(u)
    for of_order in coefficients[:0:-1]:
        last, before = of_order[piece] + 2 * u * last - before, last
    found: Array = coefficients[0][piece] + u * last - before
    return found


def _log_survivals(q: Array, n_groups: int, df: float) -> Array:
    """Return log P(Q > q) for q of shape (n,), not negative: of very many by interpolation."""
    farthest = float(q.max(initial=0.0))
    reach = min(farthest, PAIRS_ONLY) if isinf(df) else farthest
    is_tabulated = len(q) * PIECE > (reach + PIECE) * N_COEFFICIENTS
    if is_tabulated and df >= LEAST_DF:
        if isinf(df):
            logs = _tabulate(n_groups, reach)(q)
        else:
            n_pieces = max(1, ceil(reach / PIECE))
            logs = _interpolate(_studentized_in_pieces(n_groups, df, n_pieces), q)
        return np.where(q > 0, np.minimum(logs, 0.0), 0.0)
    return _log_range_survival(q, n_groups) if isinf(df) else _integrate_each(q, n_groups, df)


def _integrate_each(q: Array, n_groups: int, df: float) -> Array:
    """Return log P(Q > q) for q of shape (n,), not negative, each by its own integral."""
    table = _tabulate(n_groups, _farthest(float(q.max(initial=0.0)), df))
    chunks = (q[i : i + TOGETHER] for i in range(0, len(q), TOGETHER))
    return np.concatenate([np.empty(0), *(_survivals(c, table, df) for c in chunks)])


def _log_range_survival(w: Array, n_groups: int) -> Array:
    """Return log P(W > w) for w of shape (n,), not negative."""
    logs = _log_pairs(w, n_groups)
    is_near = w < PAIRS_ONLY
    logs[is_near] = np.log(_integrate_range(w[is_near], n_groups))
    return logs


def _log_pairs(w: Array, n_groups: int) -> Array:
    """Return the log of the sum over all pairs of P(difference > w)."""
    logs: Array = log(n_groups * (n_groups - 1)) + log_ndtr(-w / sqrt(2))
    return logs


def _integrate_range(w: Array, n_groups: int) -> Array:
    """Sum the integrand of P(W > w) over nodes of z, one column a value of w."""
    tail = TAIL + log(n_groups)
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


def _log_survival(q: float, table: _RangeTable, df: float) -> float:
    """Return log P(Q > q) of one value."""
    if isinf(df):
        return float(table(np.array([q]))[0])
    return float(_survivals(np.array([q]), table, df)[0])


def _survivals(q: Array, table: _RangeTable, df: float) -> Array:
    """Integrate P(W > q S) over log S, for q of shape (n,); return the logs."""
    is_inner = (q > 0) & np.isfinite(q)
    logs = np.where(q > 0, -inf, 0.0)
    if not is_inner.any():
        return logs
    inner = q[is_inner]
    t, step = _scale_nodes(inner, table.n_groups, df)
    log_terms = log_density(t, df) + table((inner[:, None] * np.exp(t)).ravel()).reshape(t.shape)
    peak = log_terms.max(axis=1)
    with np.errstate(under="ignore"):
        total = np.exp(log_terms - peak[:, None]).sum(axis=1)
    logs[is_inner] = np.minimum(0.0, peak + np.log(total * step * density_at_zero(df)))
    return logs


def _scale_nodes(q: Array, n_groups: int, df: float) -> tuple[Array, float]:
    """Place equidistant nodes where the integrand in log S is not negligible, a row a value."""
    # P(W > w) lies between the tail of one difference and K^2 exp(-w^2 / 4): this
    # moves the peak from 0 no farther than to `peak`, and bounds the integrand to
    # its right; to the right of 0 the density alone bounds it too.
    step = min(LARGEST_STEP, SCALE_STEP / sqrt(2 * df)) * _refinement(n_groups)
    peak = -0.5 * np.log1p(q**2 / (2 * df))
    c = 2 * TAIL / df
    left = peak - left_width(c)
    slack = 2 * np.log(n_groups**2 * (1 + q)) / df
    right = np.minimum(right_width(np.array(c)), peak + right_width(c + slack))
    n_nodes = int(((right - left) / step).max()) + 2
    return left[:, None] + step * np.arange(n_nodes), step


def _farthest(q: float, df: float) -> float:
    """Return a bound of the values at which P(W > w) is needed for up to q."""
    return q * exp(float(right_width(np.array(2 * TAIL / df))) + LARGEST_STEP)


def _reshape(log_p: Array, like: Array) -> Array:
    """Return the probabilities in the shape of another array."""
    p: Array = np.exp(log_p).reshape(like.shape)
    return p


def _refinement(n_groups: int) -> float:
    """Return the factor of the steps; it keeps 1e-12 for 200 means."""
    return min(1.0, sqrt(COARSE_UP_TO / n_groups))


def _check(n_groups: int, df: float) -> None:
    """Check the parameters."""
    if n_groups < 2:
        raise ValueError(f"a range needs at least 2 means, got {n_groups}")
    check_df(df)


def log_density(t: Array, df: float) -> Array:
    """Return the log density of log S at t, relative to that at 0, without large terms."""
    return np.asarray(-0.5 * df * (np.expm1(2 * t) - 2 * t))


def density_at_zero(df: float) -> float:
    """Return the density of log S at 0, by Stirling's series where df is large."""
    a = df / 2
    if a < 20:
        stirling = float(gammaln(a)) - ((a - 0.5) * log(a) - a + 0.5 * log(2 * pi))
    else:
        stirling = 1 / (12 * a) - 1 / (360 * a**3) + 1 / (1260 * a**5)
    return 2 * sqrt(a / (2 * pi)) * exp(-stirling)


def left_width(c: float) -> float:
    """Return half a bound from above of the root x > 0 of exp(-x) - 1 + x = c."""
    return (c / 2 + sqrt(c**2 / 4 + 2 * c)) / 2


def right_width(c: Array) -> Array:
    """Return half a bound from above of the root x > 0 of exp(x) - 1 - x = c."""
    return np.asarray(np.minimum(np.sqrt(2 * c), np.log1p(c + np.sqrt(2 * c))) / 2)


def check_df(df: float) -> None:
    """Raise a ValueError unless there is a degree of freedom or more."""
    if not df >= 1:
        raise ValueError(f"df must be at least 1, got {df}")
