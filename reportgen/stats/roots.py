"""The root of a function between two points; scipy.optimize is imported when one is sought."""

from __future__ import annotations

from collections.abc import Callable

XTOL, RTOL = 2e-12, 8.881784197001252e-16
"""SciPy's own tolerances."""


def brentq(
    function: Callable[[float], float],
    low: float,
    high: float,
    *,
    xtol: float = XTOL,
    rtol: float = RTOL,
) -> float:
    """Return a root by Brent's method.

    `low`, `high`: between which the function changes its sign.
    `xtol`, `rtol`: how far from it what is returned may be, and by which share of it.
    """
    from scipy.optimize import brentq as found

    return float(found(function, low, high, xtol=xtol, rtol=rtol))
