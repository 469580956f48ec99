"""Types of arrays and pairs of numbers, sizes of numbers, and the mean of columns with gaps."""

from __future__ import annotations

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Indices = NDArray[np.intp]
Flags = NDArray[np.bool_]
Interval = tuple[float, float]
Area = tuple[float, float]  # of equivalence
Bounds = tuple[float | None, float | None]  # the least and the greatest value of a measure

LEAST_SIZE, LARGEST_SIZE = 1e-100, 1e100  # squares of these, and sums of them, are numbers
ALLOWED_SIZES = f"sizes from {LEAST_SIZE:g} to {LARGEST_SIZE:g}: take another unit"


def odd_size(values: Array) -> float | None:
    """Return the largest size where double precision does not hold the squares of values.

    Examples
    --------
    >>> odd_size(np.array([1e200, 1.0])), odd_size(np.array([1e-200, 0.0, np.nan]))
    (1e+200, 1e-200)
    >>> odd_size(np.array([1e-200, 1.0])), odd_size(np.zeros(2))
    (None, None)
    """
    largest = float(np.abs(np.where(np.isfinite(values), values, 0.0)).max(initial=0.0))
    return None if largest == 0 or LEAST_SIZE <= largest <= LARGEST_SIZE else largest


def column_medians(values: Array) -> Array:
    """Return the median of every column's values, NaN where it has none.

    `values`: (B, K); B >= 1; NaN where there is no value.

    Examples
    --------
    >>> column_medians(np.array([[1.0, 3.0, np.nan], [2.0, np.nan, np.nan]]))
    array([1.5, 3. , nan])
    """
    there = np.isfinite(values)
    ordered = np.sort(np.where(there, values, np.nan), axis=0)  # what is missing comes last
    counts, columns = there.sum(axis=0), np.arange(values.shape[1])
    low, high = (ordered[np.maximum(c, 0), columns] for c in ((counts - 1) // 2, counts // 2))
    return np.asarray((low + high) / 2)


def column_means(values: Array) -> Array:
    """Return the mean of every column's values, NaN where it has none.

    `values`: (B, K); NaN where there is no value.
    """
    there = np.isfinite(values)
    counts = there.sum(axis=0).astype(np.float64)
    total = np.where(there, values, 0.0).sum(axis=0)
    found: Array = np.divide(total, counts, out=np.full_like(total, np.nan), where=counts > 0)
    return found


def number_rows(matrix: Array) -> tuple[Sequence[float], ...]:
    """Return the rows of a matrix as sequences of Python's own numbers, in 8 bytes a number.

    `matrix`: (M, K).

    Examples
    --------
    >>> [*map(list, number_rows(np.array([[0.5, 1.0], [2.0, 0.25]])))]
    [[0.5, 1.0], [2.0, 0.25]]
    """
    return tuple(array("d", row.tobytes()) for row in np.ascontiguousarray(matrix, np.float64))
