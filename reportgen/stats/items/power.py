"""What a comparison could have found, and what its decisions say of ranks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import ndtri

from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import cdf, t_quantile

POWER = 0.8


def detectable_differences(
    standard_error: Array,
    df: Array,
    alpha: float,
    *,
    n_comparisons: int = 1,
    power: float = POWER,
) -> Array:
    """Return the smallest differences that a t test finds with a given probability.

    `standard_error`: (P,); of the mean differences.
    `df`: (P,); degrees of freedom; NaN or infinite for the normal law.
    `alpha`: error probability of the family, two-sided; each pair has its share of it.
    `n_comparisons`: pairs of the family.
    Result: (P,); of the unit of the standard error; NaN where that is NaN.

    Notes
    -----
    The non-central t whose values exceed the critical one with probability `power`. The other side
    is left out: a wrong sign is no find. The standard error is that of the sample, taken as known.

    Examples
    --------
    >>> detectable_differences(np.array([1.0, 1.0]), np.array([9.0, np.nan]), 0.05).round(4)
    array([3.1496, 2.8016])
    """
    from scipy.optimize import elementwise

    nu = np.where(np.isfinite(df), df, np.inf)
    critical = t_quantile(alpha / (2 * n_comparisons), nu)
    center = np.asarray(critical + ndtri(power), dtype=np.float64)
    is_t = np.isfinite(nu)
    if is_t.any():
        own, limit = nu[is_t], critical[is_t]
        high = 2 * (limit + np.abs(ndtri(power)) + 1)
        find_root: Callable[..., Any] = elementwise.find_root
        found = find_root(
            lambda x, value, freedom: cdf(value, freedom, x) - (1 - power),
            (np.zeros_like(limit), high),
            args=(limit, own),
        )
        center[is_t] = found.x
    return np.asarray(center * standard_error)
