"""Ranks of the candidates within blocks, and ranks of values aligned by the block means.

Aligned values of a block have the correlation -1/(K - 1): methods for K independent
samples reject far too often. Their ranks are compared by the law under permutation
within blocks.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.stats.arrays import Array

ROUNDING = 64 * float(np.finfo(np.float64).eps)  # of their size: closer numbers differ by rounding
FLOOR = 1e-12  # of their size: closer numbers differ by what linear systems leave
NOISE = 1e-9  # of their size: closer numbers differ by what clocks or iterations leave
LONGEST = 1e9  # seconds: of longer times no millisecond is told


def levelled(values: Array, sizes: Array | None = None, noise: float = ROUNDING) -> Array:
    """Make numbers of a row equal where they differ by rounding alone.

    Errors such as 0.28 - 0.27 and 0.01 are the same error, but not the same float.
    Where performances are compared they are compared after this: it is the one
    place that decides when two are equal.

    `values`: (B, K); one row a block; what is not finite stays as it is.
    `sizes`: (B, K); size of the numbers that a value was computed from, where it is a difference;
    otherwise its own.
    `noise`: share of their size by which equal numbers may differ.
    Result: (B, K); neighbours, in ascending order, with a gap of at most `noise` times the larger
    of their sizes have the smallest value of their run; all else is as it was.

    Notes
    -----
    Whether two numbers are equal depends on these two, not on the size of others;
    times a power of two they are equal as before. Nearness is not transitive,
    equality is: a chain of near neighbours is one run, though its ends may be
    farther apart than `noise`.

    Examples
    --------
    >>> levelled(np.array([[0.28 - 0.27, 0.01, 0.02]])).tolist()
    [[0.01, 0.01, 0.02]]
    """
    if values.size == 0:
        return values
    is_there = np.isfinite(values)
    filled = np.where(is_there, values, np.inf)
    order = np.argsort(filled, axis=1, kind="stable")
    ordered = np.take_along_axis(filled, order, axis=1)
    known = None if sizes is None else np.take_along_axis(sizes, order, axis=1)
    edge = _is_apart(ordered, known, noise)
    if (edge | ~(ordered[:, 1:] > ordered[:, :-1])).all():
        return values
    begins = np.hstack([np.ones((len(values), 1), dtype=bool), edge])
    first = np.maximum.accumulate(np.where(begins, np.arange(values.shape[1]), 0), axis=1)
    joined = np.empty_like(filled)
    np.put_along_axis(joined, order, np.take_along_axis(ordered, first, axis=1), axis=1)
    return np.where(is_there, joined, values)


def levelled_performances(values: Array, *, is_time: bool) -> Array:
    """Make performances equal where they differ by rounding, or by the noise of a clock.

    `values`: (B, K); one row a replication, of one data set and measure.
    `is_time`: whether they are seconds: differences of a clock that may have run for days, so that
    0.03 s have the noise of 100,000 s. What is a whole number of milliseconds but for that is one,
    so that differences of times can be equal, too.
    Result: (B, K).

    Examples
    --------
    >>> levelled_performances(np.array([[0.03 + 1e-12, 0.0312345678]]), is_time=True).tolist()
    [[0.03, 0.0312345678]]
    """
    if not is_time:
        return levelled(values)
    whole = np.where(np.abs(values) < LONGEST, values, np.nan).round(3)
    is_whole = np.abs(values - whole) <= NOISE * np.abs(values)
    return levelled(np.where(is_whole, whole, values), noise=NOISE)


def _is_apart(
    ordered: Array, sizes: Array | None = None, noise: float = ROUNDING
) -> NDArray[np.bool_]:
    """Whether neighbours in ascending rows differ by more than noise; infinite ones do not."""
    size = np.abs(ordered if sizes is None else sizes)
    size[~np.isfinite(size)] = 0.0
    with np.errstate(invalid="ignore", over="ignore"):  # between infinite and between huge values
        gaps = ordered[:, 1:] - ordered[:, :-1]
    apart: NDArray[np.bool_] = gaps > noise * np.maximum(size[:, 1:], size[:, :-1])
    return apart


def within_block_ranks(values: Array, is_smaller_better: bool = True) -> Array:
    """Rank the candidates of every block, 1 for the best, ties averaged.

    `values`: (B, K); one row a block, without missing values.
    `is_smaller_better`: direction of the measure.
    Result: (B, K).
    Raises ValueError if `values` is not a matrix or holds something that is not finite.

    Examples
    --------
    >>> within_block_ranks(np.array([[0.1, 0.3, 0.1], [0.2, 0.1, 0.5]]))
    array([[1.5, 3. , 1.5],
           [2. , 1. , 3. ]])
    """
    checked = check_blocks(values)
    return _ranks(checked if is_smaller_better else -checked)


def available_ranks(values: Array, is_smaller_better: bool = True) -> Array:
    """Rank the values that exist in every block, 1 for the best, ties averaged.

    `values`: (B, K); one row a block, NaN where there is no value.
    `is_smaller_better`: direction of the measure.
    Result: (B, K); NaN where there is no value.

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

    `values`: (B, K); one row a block, without missing values but for failures.
    `failed`: (B, K); cells without a value because of a failure.
    `is_smaller_better`: direction of the measure.
    Result: (B, K).

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
    """Return the blocks when they are a complete matrix; raise an error otherwise.

    `values`: (B, K).
    Result: (B, K).
    Raises ValueError if `values` is not a matrix or holds something that is not finite.
    """
    if values.ndim != 2:
        raise ValueError(f"blocks must have shape (B, K), got {values.shape}")
    if not np.isfinite(values).all():
        raise ValueError("blocks must be complete: a value is missing or infinite")
    return values


def best_first(values: ArrayLike, *, is_smaller_better: bool) -> list[int]:
    """Return the places of values, the best first; equal ones as they stand, NaN last.

    Examples
    --------
    >>> best_first([0.3, np.nan, 0.1, 0.3], is_smaller_better=False)
    [0, 3, 2, 1]
    """
    values = np.asarray(values, dtype=np.float64)
    order = np.argsort(values if is_smaller_better else -values, kind="stable")
    return [int(k) for k in order]


def sort_best_first(values: Mapping[str, float], *, is_smaller_better: bool) -> dict[str, float]:
    """Return values by name in the order of `best_first`.

    Examples
    --------
    >>> sort_best_first({"a": 0.3, "b": 0.1}, is_smaller_better=True)
    {'b': 0.1, 'a': 0.3}
    """
    names = tuple(values)
    order = best_first([*values.values()], is_smaller_better=is_smaller_better)
    return {names[k]: values[names[k]] for k in order}


def _ranks(signed: Array) -> Array:
    """Rank every row in ascending order."""
    order = np.argsort(signed, axis=1, kind="stable")
    ordered = np.take_along_axis(signed, order, axis=1)
    ranks = np.empty(signed.shape)
    np.put_along_axis(ranks, order, _averaged_places(ordered), axis=1)
    return ranks


def _averaged_places(ordered: Array) -> Array:
    """Return the mean place of every run of values that are not apart in ascending rows."""
    n_blocks, n_candidates = ordered.shape
    place = np.arange(n_candidates)
    edge = _is_apart(ordered)
    if edge.all():  # every run is one value
        return np.broadcast_to(place + 1.0, ordered.shape)
    true = np.ones((n_blocks, 1), dtype=bool)
    first = np.where(np.hstack([true, edge]), place, 0)
    last = np.where(np.hstack([edge, true]), place, n_candidates)
    first = np.maximum.accumulate(first, axis=1)
    last = np.minimum.accumulate(last[:, ::-1], axis=1)[:, ::-1]
    return (first + last) / 2 + 1


def aligned_ranks(values: Array, is_smaller_better: bool = True) -> Array:
    """Rank the aligned values of all blocks together, 1 for the best, ties averaged.

    Unlike ranks within blocks they use how much candidates differ in a block in
    comparison with other blocks, which is more powerful with few candidates.

    `values`: (B, K); one row a block, without missing values.
    `is_smaller_better`: direction of the measure.
    Result: (B, K); scores for `permuted_equality`, `permuted_pairs`, `permuted_reference` and their
    asymptotic versions.
    Raises ValueError if `values` is not a matrix or holds something that is not finite.

    References
    ----------
    .. [1] J. L. Hodges and E. L. Lehmann (1962), "Rank methods for combination
       of independent experiments in analysis of variance", Annals of
       Mathematical Statistics 33.

    Examples
    --------
    >>> aligned_ranks(np.array([[0.1, 0.3, 0.5], [0.21, 0.2, 0.16]]))
    array([[1., 3., 6.],
           [5., 4., 2.]])
    """
    aligned = check_blocks(values) - values.mean(axis=1, keepdims=True)
    sizes = np.broadcast_to(np.abs(values).max(axis=1, keepdims=True, initial=0.0), values.shape)
    even = levelled(aligned.reshape(1, -1), sizes.reshape(1, -1))
    return within_block_ranks(even, is_smaller_better).reshape(values.shape)
