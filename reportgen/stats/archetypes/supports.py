"""Least squares with sum one on given supports, those of about one size together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

# Added to the diagonal, relative to the mean square of a row's edges, and the smallest pivot, so
# that supports that rounding made dependent stay solvable.
_RIDGE = 1e-13

# Mean squares below this are those of atoms at one place.
_SMALLEST_SIZE = 1e-200

# Rows solved at a time: their matrices should stay in the cache of the processor.
_AT_A_TIME = 2048

# Rows go with those of larger supports where that makes fewer further cells in all than this.
_FEW_CELLS = 10_000


def on_supports(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    of: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Solve the problem with sum one on given supports.

    Parameters
    ----------
    grams : ndarray of shape (p, k, k)
        Products of the atoms.
    cross : ndarray of shape (k, n)
        Products of atoms and rows.
    support : ndarray of shape (k, n), bool
        At least one atom a row.
    of : ndarray of shape (n,), int
        Which matrix belongs to a row.

    Returns
    -------
    ndarray of shape (k, n)
        Shares of any sign, zero outside the supports, that sum to one.
    """
    solved = np.zeros(cross.shape)
    for rows, count in _groups(np.count_nonzero(support, axis=0)):
        if len(rows) == len(of):
            _solve(grams, cross, support, of, count, solved)
        else:
            own = solved[:, rows]
            _solve(grams, cross[:, rows], support[:, rows], of[rows], count, own)
            solved[:, rows] = own
    return solved


def _groups(counts: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], int]]:
    """Group rows by the size of their supports; few rows go with those of the next size."""
    sizes = np.bincount(counts)
    lowest, n_rows = 0, 0
    for size, n_own in enumerate(sizes.tolist()):
        n_rows += n_own
        if size + 1 < len(sizes) and n_rows * (2 * size + 1) < _FEW_CELLS:
            continue
        if n_rows:
            rows = np.flatnonzero((counts >= lowest) & (counts <= size))
            for begin in range(0, n_rows, _AT_A_TIME):
                yield rows[begin : begin + _AT_A_TIME], size
        lowest, n_rows = size + 1, 0


def _solve(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    of: NDArray[np.int64],
    count: int,
    solved: NDArray[np.float64],
) -> None:
    """Solve rows that have up to `count` atoms, those with fewer as if they had as many."""
    k, n = support.shape
    atoms = (~support).argsort(axis=0, kind="stable")[:count]
    each = np.arange(n)
    if count > 1:
        places = atoms if len(grams) == 1 else atoms + of * k
        products = grams.reshape(-1).take(places[:, None] * k + atoms)
        system = _edges(products, cross[atoms, each])
        _bar(system, support[atoms[1:], each])
        _eliminate(system)
        solved[atoms[1:], each] = system[:, -1]
        solved[atoms[0], each] = 1 - system[:, -1].sum(axis=0)
    else:
        solved[atoms[0], each] = 1


def _edges(products: NDArray[np.float64], cross: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the products of the edges from the first atom, and with the row beside them.

    Products are (c, c, n) and (c, n), the system (c - 1, c, n).
    """
    count, _, n = products.shape
    system = np.empty((count - 1, count, n))
    shifted = products[0, 1:] - products[0, 0]
    np.subtract(products[1:, 1:], products[0, 1:], out=system[:, :-1])
    system[:, :-1] -= shifted[:, None]
    np.subtract(cross[1:], cross[0] + shifted, out=system[:, -1])
    return system


def _bar(system: NDArray[np.float64], is_in: NDArray[np.bool_]) -> None:
    """Give atoms (c - 1, n) that only fill up a row of a system the solution zero."""
    if is_in.all():
        return
    system[:, -1] *= is_in
    system[:, :-1] *= is_in
    system[:, :-1] *= is_in[:, None]


def _eliminate(system: NDArray[np.float64]) -> None:
    """Solve many positive definite systems (c, c + 1, n) by Gauss and Jordan, in place."""
    diagonal = np.einsum("iin->in", system[:, :-1])
    smallest = _RIDGE / len(system) * diagonal.sum(axis=0) + _SMALLEST_SIZE
    diagonal += smallest
    for j in range(len(system)):
        row = system[j, j + 1 :] / np.maximum(system[j, j], smallest)
        system[:, j + 1 :] -= system[:, j, None] * row
        system[j, j + 1 :] = row
