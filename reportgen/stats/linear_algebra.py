"""Contrasts and ranks of matrices that no processor decides: neither signs, order nor last bits."""

from __future__ import annotations

import numpy as np

from reportgen.stats.arrays import Array

SINGULAR = 1e-9  # of the largest singular value: below it one counts as 0
ROUNDING = 1e-12  # of the numbers that a matrix was computed from: below it there is only noise


def helmert_contrasts(n: int) -> Array:
    """Return orthonormal contrasts of n means, each mean against those before it.

    Eigenvectors of the centring matrix are such contrasts too, but which of
    them a library returns depends on the processor.

    Result: (n - 1, n).

    Examples
    --------
    >>> helmert_contrasts(3).round(3)
    array([[ 0.707, -0.707,  0.   ],
           [ 0.408,  0.408, -0.816]])
    """
    before = np.arange(1, n)
    rows = np.tril(np.ones((n - 1, n)))
    rows[before - 1, before] = -before
    return np.asarray(rows / np.sqrt(before * (before + 1.0))[:, None], dtype=np.float64)


def n_nonzero(singular_values: Array, size: float = 0.0) -> int:
    """Return how many singular values differ from 0, the rank of their matrix.

    `singular_values`: (n,); in descending order, none negative.
    `size`: of the numbers that the matrix was computed from, where it is a difference.

    Examples
    --------
    >>> n_nonzero(np.array([2.0, 1e-3, 1e-15]))
    2
    >>> n_nonzero(np.array([3e-16]), size=1.0)
    0
    """
    if not len(singular_values):
        return 0
    least = max(SINGULAR * float(singular_values[0]), ROUNDING * size)
    return int((singular_values > least).sum())
