"""Least squares with sum one on given supports, those of about one size together."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

# Added to the diagonal, relative to the mean square of a row's edges, and the smallest pivot, so
# that supports that rounding made dependent stay solvable.
_RIDGE = 1e-13

# Mean squares below this are those of atoms at one place.
_SMALLEST_SIZE = 1e-200

# Rows solved at a time: their matrices should stay in the cache of the processor.
_AT_A_TIME = 2048

# Supports of up to so many atoms are looked up by their bits.
_MOST_BITS = 12

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
    bits = np.packbits(support, axis=0, bitorder="little")
    for rows, count in _groups(np.bitwise_count(bits).sum(axis=0, dtype=np.int64)):
        if len(rows) == len(of):
            _solve(grams, cross, support, bits, of, count, solved)
        else:
            own = np.zeros((len(cross), len(rows)))
            products, inside = cross.take(rows, axis=1), support.take(rows, axis=1)
            _solve(grams, products, inside, bits.take(rows, axis=1), of[rows], count, own)
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
            rows = _between(counts, lowest, size, is_all=n_rows == len(counts))
            for begin in range(0, n_rows, _AT_A_TIME):
                yield rows[begin : begin + _AT_A_TIME], size
        lowest, n_rows = size + 1, 0


def _between(
    counts: NDArray[np.int64], lowest: int, highest: int, *, is_all: bool
) -> NDArray[np.int64]:
    """Return the rows whose counts lie in a range."""
    if is_all:
        return np.arange(len(counts))
    return np.flatnonzero((counts >= lowest) & (counts <= highest))


def _solve(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    bits: NDArray[np.uint8],
    of: NDArray[np.int64],
    count: int,
    solved: NDArray[np.float64],
) -> None:
    """Solve rows that have up to `count` atoms, those with fewer as if they had as many.

    Bits (b, n) are those of the supports, eight atoms each. What they solve is written into
    `solved`, whose cells are zero before.
    """
    n = len(of)
    atoms = _members(support, bits, count)
    cells = atoms * n + np.arange(n)
    if count == 1:
        solved.reshape(-1)[cells[0]] = 1
        return
    k = len(support)
    places = atoms * k if len(grams) == 1 else atoms * k + of * (k * k)
    products = grams.reshape(-1).take(places[:, None] + atoms)
    system = _edges(products, cross.reshape(-1).take(cells))
    _bar(system, support.reshape(-1).take(cells[1:]))
    _eliminate(system)
    shares = system[:, -1]
    solved.reshape(-1)[cells[1:]] = shares
    solved.reshape(-1)[cells[0]] = 1 - shares.sum(axis=0)


def _members(support: NDArray[np.bool_], bits: NDArray[np.uint8], count: int) -> NDArray[np.int64]:
    """Return the atoms (count, n) of each support (k, n), and then some that are not in it."""
    k = len(support)
    if k > _MOST_BITS:
        return (~support).argsort(axis=0, kind="stable")[:count]
    code = bits[0] if k <= 8 else bits[0] + (bits[1].astype(np.uint16) << 8)
    return np.asarray(_all_supports(k)[:count].take(code, axis=1))


@cache
def _all_supports(k: int) -> NDArray[np.int64]:
    """Return the atoms of all supports, (k, 2^k), by their bits; the others follow them."""
    bits = np.arange(1 << k) >> np.arange(k)[:, None] & 1
    found = (1 - bits).argsort(axis=0, kind="stable")
    found.flags.writeable = False
    return found


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
    inside = is_in.astype(float)
    system *= inside[:, None]
    system[:, :-1] *= inside


def _eliminate(system: NDArray[np.float64]) -> None:
    """Solve many positive definite systems (c, c + 1, n) by Gauss, in place."""
    diagonal = np.einsum("iin->in", system[:, :-1])
    smallest = _RIDGE / len(system) * diagonal.sum(axis=0) + _SMALLEST_SIZE
    diagonal += smallest
    for j in range(len(system)):
        row = system[j, j + 1 :] / np.maximum(system[j, j], smallest)
        system[j + 1 :, j + 1 :] -= system[j + 1 :, j, None] * row
        system[j, j + 1 :] = row
    for j in range(len(system) - 1, 0, -1):
        system[:j, -1] -= system[:j, j] * system[j, -1]
