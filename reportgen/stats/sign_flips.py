r"""Sums of differences under all, or random, changes of their signs.

Where two candidates are alike, the difference of their performances on a block
is as likely positive as negative, given its size. The law of the sum over blocks
follows: exact by enumeration, where the sums of one half of the blocks meet those
of the other half sorted, so that 2^(n/2) sums stand for 2^n; or by random signs.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Array = NDArray[np.float64]

EXACT_UP_TO = 36  # nonzero differences: 2^18 sums of each half
CHUNK = 1_000  # draws at a time: their signs are a matrix in memory


def all_sign_tail(sizes: Array, sum_: float, slack: float) -> float:
    """Return the probability that a sum with random signs is at least as large.

    Parameters
    ----------
    sizes : ndarray of shape (n,)
        Absolute differences, n <= 36.
    sum_ : float
        Of the differences.
    slack : float
        Sums below `sum_` by no more count as equal to it.

    Returns
    -------
    float
        Exact: of all 2^n signs.

    Examples
    --------
    >>> all_sign_tail(np.array([1.0, 2.0, 3.0]), sum_=4.0, slack=1e-12)
    0.25
    """
    left, right = (all_sums(half) for half in (sizes[::2], sizes[1::2]))
    place = np.searchsorted(np.sort(right), np.sort(sum_ - slack - left))
    n_reached = int((len(right) - place).sum())
    return n_reached / (len(left) * len(right))


def all_sums(rows: Array) -> Array:
    """Return the sums of the rows with all signs.

    Parameters
    ----------
    rows : ndarray of shape (n, ...)

    Returns
    -------
    ndarray of shape (2^n, ...)

    Examples
    --------
    >>> all_sums(np.array([1.0, 2.0]))
    array([-3., -1.,  1.,  3.])
    """
    sums = np.zeros((1, *rows.shape[1:]))
    for row in rows:
        sums = np.concatenate([sums - row, sums + row])
    return sums


def drawn_sums(rows: Array, rng: Generator, n_draws: int) -> Array:
    """Return sums of the rows with random signs, the same for all columns.

    Parameters
    ----------
    rows : ndarray of shape (n, P)
    rng : Generator
    n_draws : int

    Returns
    -------
    ndarray of shape (n_draws, P)

    Examples
    --------
    >>> np.abs(drawn_sums(np.ones((4, 2)), np.random.default_rng(1), 100)).max(axis=0)
    array([4., 4.])
    """
    sums = np.empty((n_draws, rows.shape[1]))
    for start in range(0, n_draws, CHUNK):
        n = min(CHUNK, n_draws - start)
        signs = rng.integers(0, 2, size=(n, len(rows)), dtype=np.int8)
        sums[start : start + n] = (2.0 * signs - 1) @ rows
    return sums
