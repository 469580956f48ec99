"""The type of arrays of floating-point numbers, and the mean of columns with gaps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def column_means(values: Array) -> Array:
    """Return the mean of every column's values, NaN where it has none.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        NaN where there is no value.
    """
    there = np.isfinite(values)
    counts = there.sum(axis=0).astype(np.float64)
    total = np.where(there, values, 0.0).sum(axis=0)
    found: Array = np.divide(total, counts, out=np.full_like(total, np.nan), where=counts > 0)
    return found
