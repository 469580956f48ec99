"""Ranks of the candidates within blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def within_block_ranks(values: Array, is_smaller_better: bool = True) -> Array:
    """Rank the candidates of every block, 1 for the best, ties averaged.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a block, without missing values.
    is_smaller_better : bool, default True
        Direction of the measure.

    Returns
    -------
    ndarray of shape (B, K)

    Raises
    ------
    ValueError
        If `values` is not a matrix or holds something that is not finite.

    Examples
    --------
    >>> within_block_ranks(np.array([[0.1, 0.3, 0.1], [0.2, 0.1, 0.5]]))
    array([[1.5, 3. , 1.5],
           [2. , 1. , 3. ]])
    """
    checked = check_blocks(values)
    return _ranks(checked if is_smaller_better else -checked)


def available_ranks(values: Array, is_smaller_better: bool = True) -> Array:
    """Rank what is there in every block, 1 for the best, ties averaged.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a block, NaN where there is no value.
    is_smaller_better : bool, default True
        Direction of the measure.

    Returns
    -------
    ndarray of shape (B, K)
        NaN where there is no value.

    Examples
    --------
    >>> available_ranks(np.array([[0.1, np.nan, 0.05], [0.2, 0.1, 0.2]]))
    array([[2. , nan, 1. ],
           [2.5, 1. , 2.5]])
    """
    missing = np.isnan(values)
    return np.where(missing, np.nan, _ranks_with_last(values, missing, is_smaller_better))


def worst_ranks(values: Array, failed: NDArray[np.bool_], is_smaller_better: bool = True) -> Array:
    """Rank the candidates of every block with failures behind all values, tied.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a block, without missing values but for failures.
    failed : ndarray of shape (B, K), bool
        Cells without a value because of a failure.
    is_smaller_better : bool, default True
        Direction of the measure.

    Returns
    -------
    ndarray of shape (B, K)

    Examples
    --------
    >>> failed = np.array([[False, True, True]])
    >>> worst_ranks(np.array([[0.1, np.nan, np.nan]]), failed)
    array([[1. , 2.5, 2.5]])
    """
    check_blocks(np.where(failed, 0.0, values))
    return _ranks_with_last(values, failed, is_smaller_better)


def _ranks_with_last(values: Array, last: NDArray[np.bool_], is_smaller_better: bool) -> Array:
    """Rank the rows, some cells tied behind all others."""
    signed = values if is_smaller_better else -values
    return _ranks(np.where(last, np.inf, signed))


def check_blocks(values: Array) -> Array:
    """Return the blocks when they are a complete matrix, else say what is wrong.

    Parameters
    ----------
    values : ndarray of shape (B, K)

    Returns
    -------
    ndarray of shape (B, K)

    Raises
    ------
    ValueError
        If `values` is not a matrix or holds something that is not finite.
    """
    if values.ndim != 2:
        raise ValueError(f"blocks must have shape (B, K), got {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("blocks must be complete: a value is missing or infinite")
    return values


def _ranks(signed: Array) -> Array:
    """Rank every row in ascending order."""
    order = np.argsort(signed, axis=1, kind="stable")
    ordered = np.take_along_axis(signed, order, axis=1)
    ranks = np.empty(signed.shape)
    np.put_along_axis(ranks, order, _averaged_places(ordered), axis=1)
    return ranks


def _averaged_places(ordered: Array) -> Array:
    """Return the mean place of every run of equal values in ascending rows."""
    n_blocks, n_candidates = ordered.shape
    place = np.arange(n_candidates)
    edge = ordered[:, 1:] != ordered[:, :-1]
    true = np.ones((n_blocks, 1), dtype=bool)
    first = np.where(np.hstack([true, edge]), place, 0)
    last = np.where(np.hstack([edge, true]), place, n_candidates)
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    return (first + last) / 2 + 1
