r"""The law of the largest of m t statistics with equal correlation 1/2.

It belongs to the comparison of m candidates with one reference when all means
have the same variance [1]_. With independent standard normal variables
:math:`X_0, \dots, X_m` the statistics are :math:`(X_j - X_0)/\sqrt 2`, and given
:math:`X_0` they are independent, so that

.. math:: P(\max_j |Z_j| > c) = \int \varphi(x)
    \{1 - [\Phi(x + c\sqrt 2) - \Phi(x - c\sqrt 2)]^m\}\, dx,

one-sided without the second :math:`\Phi`. With an estimated variance c is
multiplied by S, :math:`\nu S^2` chi-squared, and the integral taken over log S
also. Both integrals are computed as in `reportgen.stats.distributions.studentized_range`.

scipy.stats.dunnett integrates by quasi-Monte Carlo with random shifts: its p-values
differ from run to run, and small ones have no digits.

References
----------
.. [1] C. W. Dunnett (1955), "A multiple comparison procedure for comparing
   several treatments with a control", JASA 50.
"""

from __future__ import annotations

from math import inf, isinf, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from reportgen.stats.arrays import Array
from reportgen.stats.distributions.studentized_range import (
    TAIL,
    check_df,
    density_at_zero,
    left_width,
    log_density,
    right_width,
)
from reportgen.stats.roots import brentq

NORMAL_STEP = 0.12  # of x
SCALE_STEP = 0.4  # of log S, in its standard deviations ...
LARGEST_STEP = 0.09  # ... but no more than this
FARTHEST = 40.0  # beyond it a normal tail is 0 as a number


def survival(c: ArrayLike, n_comparisons: int, df: float = inf, two_sided: bool = True) -> Array:
    """Return the probability that the largest statistic exceeds c.

    `c`: values, any shape; two-sided, those below 0 count as 0.
    `n_comparisons`: number m of candidates that are compared with the reference, at least 1.
    `df`: degrees of freedom of the standard deviation, at least 1; infinite when it is known.
    `two_sided`: whether the largest is that of the absolute statistics.
    Result: ndarray, shape of `c`.
    Raises ValueError if `n_comparisons` < 1, `df` < 1, or a value of `c` is not a number.

    Examples
    --------
    Dunnett's 5% point for 3 comparisons on 10 degrees of freedom is 2.76:

    >>> float(survival(2.76, 3, 10).round(3))
    0.05
    >>> survival([0.0, 9.0], 5, two_sided=False)
    array([8.33333333e-01, 5.64294...e-19])
    """
    _check(n_comparisons, df)
    values = np.asarray(c, dtype=np.float64)
    if np.isnan(values).any():
        raise ValueError("c must hold numbers only")
    law = _Law(n_comparisons, two_sided)
    one_by_one = [law.studentised(value, df) for value in values.ravel().tolist()]
    p: Array = np.array(one_by_one, dtype=np.float64).reshape(values.shape)
    return p


def quantile(alpha: float, n_comparisons: int, df: float = inf, two_sided: bool = True) -> float:
    """Return the value that the largest statistic exceeds with probability alpha.

    `alpha`: upper tail probability, 0 < alpha < 1.
    `n_comparisons`, `df`, `two_sided`: as for `survival`.
    Raises ValueError if `alpha` is not inside (0, 1), `n_comparisons` < 1 or `df` < 1.

    Examples
    --------
    >>> round(quantile(0.05, 3, 10), 3), round(quantile(0.05, 3, 10, two_sided=False), 3)
    (2.759, 2.338)
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    _check(n_comparisons, df)
    law = _Law(n_comparisons, two_sided)

    def excess(c: float) -> float:
        p = law.studentised(c, df)
        return (log(p) if p > 0 else -1e3) - log(alpha)

    lower, upper = (0.0 if two_sided else -4.0), 4.0
    while excess(upper) > 0:
        upper *= 2
    while excess(lower) < 0:
        lower *= 2
    return brentq(excess, lower, upper, xtol=1e-13, rtol=1e-14)


class _Law:
    """The largest of equally correlated normal variables, and the same studentised."""

    def __init__(self, n_comparisons: int, two_sided: bool) -> None:
        self.m = n_comparisons
        self.two_sided = two_sided

    def normal(self, c: Array) -> Array:
        """Integrate over the reference's estimate x, one column a value of c."""
        shift = np.clip(c, -FARTHEST, FARTHEST) * sqrt(2)
        x, step = self._nodes(shift)
        outside = ndtr(x - shift)
        if self.two_sided:
            outside = np.minimum(outside + ndtr(-x - shift), 1.0)
        with np.errstate(divide="ignore", under="ignore"):
            terms = -np.exp(-(x**2) / 2) * np.expm1(self.m * np.log1p(-outside))
        halves = 2 if self.two_sided else 1
        total: Array = terms.sum(axis=0) * (halves * step / sqrt(2 * pi))
        return np.minimum(total, 1.0)

    def _nodes(self, shift: Array) -> tuple[Array, float]:
        """Place equidistant nodes of x; two-sided the integrand is even, and one half is enough."""
        # It peaks at shift / 2 and falls from there at least as exp(-(x - shift / 2)^2);
        # to the right of it, and for shift < 0, as exp(-x^2 / 2).
        tail = TAIL + log(self.m)
        left = np.where(shift < 0, -sqrt(2 * tail), shift / 2 - sqrt(tail))
        right = np.sqrt(2 * tail + np.maximum(shift, 0.0) ** 2 / 2)
        step = NORMAL_STEP * _refinement(self.m)
        if self.two_sided:
            left = np.maximum(np.floor(left / step), 0.0) * step + step / 2
        n_nodes = int((right - left).max(initial=0.0) / step) + 2
        return left + step * np.arange(n_nodes)[:, None], step

    def studentised(self, c: float, df: float) -> float:
        """Integrate over log S."""
        if self.two_sided and c <= 0:
            return 1.0
        if isinf(c):
            return float(c < 0)
        if isinf(df):
            return float(self.normal(np.array([c]))[0])
        t, step = _scale_nodes(c, df, self.m)
        with np.errstate(under="ignore"):
            density = np.exp(log_density(t, df))
            total = float((density * self.normal(c * np.exp(t))).sum())
        return min(1.0, total * step * density_at_zero(df))


def _scale_nodes(c: float, df: float, m: int) -> tuple[Array, float]:
    """Place equidistant nodes where the integrand in log S is not negligible."""
    # For c > 0 the probability given S lies between the tail of one statistic and
    # 2 m exp(-c^2 S^2 / 2): it moves the peak from 0 to the left, no farther than
    # to `peak`. For c < 0 it is the density alone that bounds the integrand.
    step = min(LARGEST_STEP, SCALE_STEP / sqrt(2 * df)) * _refinement(m)
    peak = -0.5 * log1p(max(c, 0.0) ** 2 / df)
    room = 2 * (TAIL + log(2 * m)) / df
    left = peak - left_width(room)
    right = float(right_width(np.array(room)))
    return np.arange(left, right + step, step), step


def _refinement(m: int) -> float:
    """Return the factor of the steps; it keeps 1e-12 for 200 comparisons."""
    return 1 / sqrt(1 + log(m) / 2)


def _check(n_comparisons: int, df: float) -> None:
    """Check the parameters."""
    if n_comparisons < 1:
        raise ValueError(f"there must be at least 1 comparison, got {n_comparisons}")
    check_df(df)
