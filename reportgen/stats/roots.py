"""The root of a function between two points, by Brent's method as SciPy has it, to the last bit.

SciPy's own stands among all that it optimises by, which takes longer to import than a report's
roots take.

References
----------
.. [1] R. P. Brent (1973), "Algorithms for minimization without derivatives", chapter 4.
"""

from __future__ import annotations

from collections.abc import Callable
from math import copysign, inf, isnan

XTOL, RTOL = 2e-12, 8.881784197001252e-16
"""SciPy's own tolerances."""
MOST_STEPS = 100


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
    Raises ValueError if the function has one sign at both or is not a number where it is asked for,
    RuntimeError if 100 steps are too few.

    Examples
    --------
    >>> brentq(lambda x: x * x - 2, 0.0, 2.0)
    1.4142135623731364
    """
    before, here = low, high
    at_before, at_here = _value(function, before), _value(function, here)
    if not at_before or not at_here:
        return here if at_before else before
    if (at_before < 0) == (at_here < 0):
        raise ValueError(f"the function must change its sign from {low} to {high}")
    other, at_other, last, step = 0.0, 0.0, 0.0, 0.0
    for _ in range(MOST_STEPS):
        if at_here and (at_before < 0) != (at_here < 0):  # the root is between these two
            other, at_other = before, at_before
            last = step = here - before
        if abs(at_other) < abs(at_here):
            before, here, other = here, other, here
            at_before, at_here, at_other = at_here, at_other, at_here
        tolerance = (xtol + rtol * abs(here)) / 2
        half = (other - here) / 2
        if not at_here or abs(half) < tolerance:
            return here
        tried = inf
        if abs(last) > tolerance and abs(at_here) < abs(at_before):
            tried = _interpolated((before, at_before), (here, at_here), (other, at_other))
        is_short = 2 * abs(tried) < min(abs(last), 3 * abs(half) - tolerance)
        last, step = (step, tried) if is_short else (half, half)
        before, at_before = here, at_here
        here += step if abs(step) > tolerance else copysign(tolerance, half)
        at_here = _value(function, here)
    raise RuntimeError(f"no root was found from {low} to {high} in {MOST_STEPS} steps")


def _value(function: Callable[[float], float], x: float) -> float:
    """Return a function's value, which must be a number."""
    found = float(function(x))
    if isnan(found):
        raise ValueError(f"the function is not a number at {x}")
    return found


Point = tuple[float, float]


def _interpolated(before: Point, here: Point, other: Point) -> float:
    """Return the step to where a line, or a parabola in the values, is zero; else infinity."""
    (x, y), (x_before, y_before), (x_other, y_other) = here, before, other
    try:
        if x_before == x_other:
            return -y * (x - x_before) / (y - y_before)
        slope, far = (y_before - y) / (x_before - x), (y_other - y) / (x_other - x)
        return -y * (y_other * far - y_before * slope) / (far * slope * (y_other - y_before))
    except ZeroDivisionError:
        return inf
