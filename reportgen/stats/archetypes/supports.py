"""Least squares with sum one on given supports, each support solved only once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Added to the diagonal, relative to its mean, so that supports that rounding made dependent stay
# solvable.
_RIDGE = 1e-14

# Mean squares below this are those of atoms at one place.
_SMALLEST_SIZE = 1e-200

# Supports are solved once for all their rows where they have so many on average.
_REPEATED = 1.5

# Supports are numbered by their bits up to this many atoms, and compared row by row above.
_MOST_BITS = 16


def on_supports(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    of: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Solve the problem with sum one on given supports, each support only once."""
    members, label = _kinds(support, of, len(grams))
    if len(cross) < _REPEATED * len(members):
        return _one_by_one(grams, cross, support, of)
    few = grams if len(grams) == 1 else grams[of[members]]
    slopes, offsets = _solutions(few, support[members])
    if len(cross) < 32 * len(members):
        return np.asarray(np.matmul(slopes[label], cross[:, :, None])[:, :, 0] + offsets[label])
    order = np.argsort(label.astype(np.int16), kind="stable")
    ends = np.cumsum(np.bincount(label, minlength=len(members)))
    solved = np.empty_like(cross)
    for kind, rows in enumerate(np.split(order, ends[:-1])):
        solved[rows] = cross[rows] @ slopes[kind] + offsets[kind]
    return solved


def _one_by_one(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    of: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Solve row by row, where few rows share a support; rows with as many atoms together."""
    raised = grams + _sizes(grams)
    each = np.arange(grams.shape[1])
    raised[:, each, each] *= 1 + _RIDGE
    counts = support.sum(axis=1)
    solved = np.zeros(cross.shape)
    for count in np.flatnonzero(np.bincount(counts)):
        rows = np.flatnonzero(counts == count)
        atoms = np.nonzero(support[rows])[1].reshape(-1, count)
        which = of[rows] if len(grams) > 1 else np.zeros(1, dtype=np.int64)
        matrix = raised[which[:, None, None], atoms[:, :, None], atoms[:, None, :]]
        right = np.stack([cross[rows[:, None], atoms], np.ones(atoms.shape)], axis=2)
        found = _safely_solved(matrix, right)
        sums = found.sum(axis=1)
        lift = (1 - sums[:, 0]) / sums[:, 1]
        solved[rows[:, None], atoms] = found[:, :, 0] + lift[:, None] * found[:, :, 1]
    return solved


def _safely_solved(matrix: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Solve many small systems; raise the diagonal where rounding has made one singular."""
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        each = np.arange(matrix.shape[1])
        matrix[:, each, each] *= 1 + _RIDGE**0.5
        return np.asarray(np.linalg.solve(matrix, right))


def _sizes(grams: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean square of the atoms of each matrix (p, k, k), of shape (p, 1, 1)."""
    size = np.trace(grams, axis1=1, axis2=2)[:, None, None] / grams.shape[1]
    return np.asarray(np.where(size > _SMALLEST_SIZE, size, 1.0))


def _kinds(
    support: NDArray[np.bool_], of: NDArray[np.int64], n_patterns: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return one row of each kind of support and pattern, and the kind of each row."""
    n, k = support.shape
    if k > _MOST_BITS or n_patterns << k > max(1 << _MOST_BITS, 4 * n):
        keys = (
            np.column_stack([of, support]) if k > 40 else (of << k) + support @ (1 << np.arange(k))
        )
        _, members, label = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        return members, label.ravel()
    code = (of << k) + support @ (1 << np.arange(k))
    row_of = np.full(n_patterns << k, -1)
    row_of[code] = np.arange(n)
    present = np.flatnonzero(row_of >= 0)
    number = np.empty(n_patterns << k, dtype=np.int64)
    number[present] = np.arange(len(present))
    return row_of[present], number[code]


def _solutions(
    gram: NDArray[np.float64], inside: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return P and q of each support: the solution is P c + q for a row with products c.

    As shares sum to one, a constant may be added to all products; with it the matrix of
    affinely independent atoms has an inverse.
    """
    inverse = _inverse(gram, inside)
    sums = inverse.sum(axis=2)
    totals = sums.sum(axis=1)
    offsets = sums / totals[:, None]
    return inverse - offsets[:, :, None] * sums[:, None, :], offsets


def _inverse(gram: NDArray[np.float64], inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Invert the products on each support, raised by their mean size; zero outside."""
    k = inside.shape[1]
    size = _sizes(gram)
    both = inside[:, :, None] & inside[:, None, :]
    matrix = np.where(both, gram + size, 0.0)
    each = np.arange(k)
    matrix[:, each, each] += np.where(inside, _RIDGE, 1.0) * size[:, 0]
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        matrix[:, each, each] += _RIDGE**0.5 * size[:, 0]
        inverse = np.linalg.inv(matrix)
    return np.asarray(inverse * both)
