"""Paired comparisons: who did better, pair by pair, on every learning sample."""

from __future__ import annotations

from itertools import combinations
from math import isqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Outcomes = NDArray[np.int8]

FIRST, TIE, SECOND, MISSING = 1, 0, -1, 2  # codes of an outcome


def pairs(n_candidates: int) -> NDArray[np.intp]:
    """Return the pairs of candidates in the order of every array of this family.

    Parameters
    ----------
    n_candidates : int
        K.

    Returns
    -------
    ndarray of shape (K (K - 1) / 2, 2)
        Indices (i, j) with i < j, sorted by i, then j.
    """
    found = np.array(list(combinations(range(n_candidates), 2)), dtype=np.intp)
    return found.reshape(-1, 2)


def n_candidates_of(n_pairs: int) -> int:
    """Return K from the number of pairs, K (K - 1) / 2.

    Raises
    ------
    ValueError
        If no number of candidates has so many pairs.
    """
    n_candidates = (1 + isqrt(1 + 8 * n_pairs)) // 2
    if n_pairs < 1 or n_candidates * (n_candidates - 1) // 2 != n_pairs:
        raise ValueError(f"no number of candidates has {n_pairs} pairs; 1, 3, 6, 10 ... are some")
    return n_candidates


def compare(
    performances: Array, *, smaller_is_better: bool = True, epsilon: float = 0.0
) -> Outcomes:
    """Compare every pair of candidates on every learning sample.

    Parameters
    ----------
    performances : ndarray of shape (B, K)
        One row per learning sample; not a number where one is missing.
    smaller_is_better : bool
        Whether a candidate with the smaller performance is preferred.
    epsilon : float
        Two performances are a tie when they differ by no more.

    Returns
    -------
    ndarray of shape (B, K (K - 1) / 2), int8
        1 where the first candidate of the pair is preferred, -1 the second, 0 a tie,
        2 where a performance is missing. The pairs are those of `pairs`.

    Raises
    ------
    ValueError
        If there are fewer than two candidates, or `epsilon` is negative or no number.

    Examples
    --------
    >>> compare(np.array([[0.1, 0.2, 0.1], [0.3, np.nan, 0.2]]))
    array([[ 1,  0, -1],
           [ 2, -1,  2]], dtype=int8)
    """
    if performances.ndim != 2 or performances.shape[1] < 2:
        raise ValueError(f"performances must have shape (B, K >= 2), got {performances.shape}")
    if not epsilon >= 0:
        raise ValueError(f"epsilon must be 0 or more, got {epsilon}")
    first, second = pairs(performances.shape[1]).T
    left, right = performances[:, first], performances[:, second]
    gain = (right > left).astype(np.int8) - (right < left).astype(np.int8)
    with np.errstate(invalid="ignore"):
        gain[np.abs(right - left) <= epsilon] = TIE
    outcomes = gain if smaller_is_better else -gain
    outcomes[np.isnan(left) | np.isnan(right)] = MISSING
    return outcomes


def complete(outcomes: Outcomes) -> NDArray[np.bool_]:
    """Say which learning samples have an outcome for every pair.

    Returns
    -------
    ndarray of shape (B,), bool
    """
    return np.asarray((outcomes != MISSING).all(axis=1))


def indicators(outcomes: Outcomes) -> Array:
    """Write outcomes as counts of 0 or 1.

    Parameters
    ----------
    outcomes : ndarray of shape (B, P), int8

    Returns
    -------
    ndarray of shape (B, P, 3)
        First preferred, tie, second preferred; all 0 where the outcome is missing.

    Raises
    ------
    ValueError
        If a code is not 1, 0, -1 or 2.
    """
    if not np.isin(outcomes, (FIRST, TIE, SECOND, MISSING)).all():
        raise ValueError("outcomes must be 1, 0, -1, or 2 where one is missing")
    n_candidates_of(outcomes.shape[1])
    codes = np.array([FIRST, TIE, SECOND], dtype=np.int8)
    return np.asarray(outcomes[..., None] == codes, dtype=np.float64)


def count(outcomes: Outcomes) -> Array:
    """Count the outcomes of every pair.

    Parameters
    ----------
    outcomes : ndarray of shape (B, P), int8

    Returns
    -------
    ndarray of shape (P, 3)
        First preferred, tie, second preferred.

    Examples
    --------
    >>> count(compare(np.array([[0.1, 0.2], [0.3, 0.3], [0.4, 0.5]])))
    array([[2., 1., 0.]])
    """
    return np.asarray(indicators(outcomes).sum(axis=0))
