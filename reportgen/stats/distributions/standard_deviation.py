"""The law of log S, where the variance S^2 is chi-squared over its degrees of freedom.

The studentized range and Dunnett's statistic are integrated over it by the trapezoidal rule.
"""

from __future__ import annotations

from math import exp, log, pi, sqrt

import numpy as np
from scipy.special import gammaln

from reportgen.stats.arrays import Array

TAIL = 42.0  # parts of an integrand below exp(-TAIL) of its peak are left out


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
