"""Powers of two that take very large and very small values to a size that can be squared.

Numbers of size 1e155 have squares beyond floating point, those of size 1e-162
have squares of 0. A power of two changes no digit, so that what is computed of
scaled values and scaled back is what exact arithmetic would have given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

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
    finite = np.abs(values[np.isfinite(values)])
    largest = float(finite.max(initial=0.0))
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
    is_lost = (squares != 0) & (np.abs(found) < np.finfo(np.float64).tiny)
    return np.where(is_lost | np.isinf(found), np.nan, found)
