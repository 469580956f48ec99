"""Holm's step-down adjustment of p-values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def holm(p_values: Array) -> Array:
    """Adjust the p-values of a family by Holm's sequentially rejective Bonferroni test.

    Controls the family-wise error whatever the dependence of the tests and
    whichever of the hypotheses are true.

    Parameters
    ----------
    p_values : ndarray of shape (P,)
        NaN where there is no test; such hypotheses do not count.

    Returns
    -------
    ndarray of shape (P,)
        A hypothesis is rejected at level alpha when its value is at most alpha.

    Raises
    ------
    ValueError
        If a p-value lies outside [0, 1].

    References
    ----------
    .. [1] S. Holm (1979), "A simple sequentially rejective multiple test
       procedure", Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    is_test = ~np.isnan(p_values)
    tests = p_values[is_test]
    if ((tests < 0) | (tests > 1)).any():
        raise ValueError("p-values must lie in [0, 1]")
    order = np.argsort(tests, kind="stable")
    stepped = np.maximum.accumulate(tests[order] * np.arange(len(tests), 0, -1))
    adjusted = np.full(len(p_values), np.nan)
    places = np.flatnonzero(is_test)[order]
    adjusted[places] = np.minimum(1.0, stepped)
    return adjusted
