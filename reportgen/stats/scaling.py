"""Powers of two that take very large and very small values to a size that can be squared.

Numbers of size 1e155 have squares beyond floating point, those of size 1e-162
have squares of 0. A power of two changes no digit, so that what is computed of
scaled values and scaled back is what exact arithmetic would have given.
"""

from __future__ import annotations

import numpy as np

from reportgen.errors import AnalysisError
from reportgen.stats.arrays import Array

TINY = float(np.finfo(np.float64).tiny)

USUAL = 100  # powers of two: values up to 1e30, and whose largest is above 1e-30, stay as they are


def unusual_exponent(values: Array) -> int:
    """Return the power of two that the largest of some values is nearest below.

    Parameters
    ----------
    values : ndarray
        What is not finite does not count.

    Returns
    -------
    int
        0 where the largest absolute value is of usual size, or 0.

    Examples
    --------
    >>> unusual_exponent(np.array([3.0, 1e20])), unusual_exponent(np.array([0.0, -4e99]))
    (0, 331)
    >>> unusual_exponent(np.array([np.nan, 1e-160]))
    -531
    """
    is_finite = np.isfinite(values)
    ends = (end(values, where=is_finite, initial=0.0) for end in (np.max, np.min))
    largest = max(map(abs, map(float, ends)))
    exponent = int(np.frexp(largest)[1]) if largest > 0 else 0
    return exponent if abs(exponent) > USUAL else 0


def scaled(values: Array, exponent: int) -> Array:
    """Return values times a power of two, infinite where that is beyond floating point.

    Examples
    --------
    >>> scaled(np.array([3.0, -1.0]), 2)
    array([12., -4.])
    """
    if not exponent:
        return values
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, exponent))


def scaled_squares(squares: Array, exponent: int) -> Array:
    """Return variances of values times a power of two: the square of that power is theirs.

    Returns
    -------
    ndarray
        NaN where a variance is beyond floating point, or so small that digits are lost.

    Examples
    --------
    >>> scaled_squares(np.array([3.0, 0.0]), 2), scaled_squares(np.array([3.0, 0.0]), -531)
    (array([48.,  0.]), array([nan,  0.]))
    """
    found = scaled(squares, 2 * exponent)
    is_lost = (squares != 0) & (np.abs(found) < TINY)
    return np.where(is_lost | np.isinf(found), np.nan, found)


def scaled_area(area: tuple[float, float], exponent: int) -> tuple[float, float]:
    """Return an area of equivalence times a power of two.

    Raises
    ------
    AnalysisError
        If floating point cannot hold it, so far it is from the size of the values.

    Examples
    --------
    >>> scaled_area((-1.0, 2.0), 3)
    (-8.0, 16.0)
    """
    low, high = scaled(np.array(area), exponent).tolist()
    if not all(bound == 0 or TINY <= abs(bound) < np.inf for bound in (low, high)) or high == low:
        raise AnalysisError(
            f"relevance: found {area[1]:g} beside values of a size near 2**{-exponent}; allowed "
            "an area that is less than 300 powers of ten from the values: take another unit"
        )
    return low, high
