"""Least squares on the simplex, many rows over few atoms.

Block pivoting exchanges all wrong atoms of all rows at once and solves nearly all rows within a
few rounds. The others are solved one by one, by an active set method, which ends. Least squares
with sum one on given supports are solved together for supports of about one size.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

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
            rows = _rows_in_range(counts, lowest, size, is_all=n_rows == len(counts))
            for begin in range(0, n_rows, _AT_A_TIME):
                yield rows[begin : begin + _AT_A_TIME], size
        lowest, n_rows = size + 1, 0


def _rows_in_range(
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
    """Return the products of the edges from the first atom, and with the row.

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


# Rounding errors of a gradient, relative to the largest product in it.
_ROUNDING = 1e-13

# Rounds of exchanging all wrong atoms at once, and the rows for which no round is worth it.
_ROUNDS = 8
_FEW = 32

# Slopes on a support that differ by more than this, in units of rounding, are those of dependent
# atoms.
_EXACT = 1e3

# Values of t, in units of the largest edge; the next is tried where a gap is left, in its square.
_LENGTHS = (1.0, 10.0, 0.1)
_NO_GAP = 1e-10

# Exchanges of atoms, in units of their number: many more than there are.
_SWAPS = 30

# Rows that lie in order are multiplied problem by problem where a problem has so many on average.
_IN_BLOCKS = 50


def pivoted(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    of: NDArray[np.int64],
    start: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    r"""Minimise :math:`|x_i - Z' a_i|^2` over the simplex, for nearly all of many rows.

    Parameters
    ----------
    grams : ndarray of shape (p, k, k)
        Products of the atoms, :math:`Z Z'`, of one or several problems: of starts, or of patterns
        of observed columns.
    cross : ndarray of shape (k, n)
        Products of atoms and rows, :math:`z_j' x_i`.
    of : ndarray of shape (n,), int
        Which of the p problems a row belongs to.
    start : ndarray of shape (k, n)
        Points of the simplex to begin from; the better the fewer rounds.

    Returns
    -------
    mixtures : ndarray of shape (k, n)
        Columns that are not negative and sum to one; of rows that are not solved, the start.
    rest : ndarray of int
        The rows that are not solved: few, or their atoms are dependent.

    Notes
    -----
    Block principal pivoting (Kim and Park 2011, SIAM Journal on Scientific Computing 33): mostly
    two or three rounds, but not bound to end.
    """
    found = start.copy()
    largest = np.abs(grams).max(axis=(1, 2))
    rounding = _ROUNDING * (np.abs(cross).max(axis=0, initial=0) + largest[of])
    rows, support, products = np.arange(cross.shape[1]), found > 0, cross
    is_left = np.ones(len(rows), dtype=np.bool_)
    for _ in range(_ROUNDS):
        own, limit = of[rows], rounding[rows]
        target = on_supports(grams, products, support, own)
        slack = _products(grams, own, target) - products
        slack -= np.einsum("kn,kn->n", target, slack)
        is_exact = np.abs(np.where(support, slack, 0.0)).max(axis=0) < _EXACT * limit
        slack += limit
        is_wrong = np.where(support, target, slack) < 0
        is_open = is_wrong.any(axis=0)
        solved = np.flatnonzero(is_exact & ~is_open)
        found[:, rows[solved]] = target.take(solved, axis=1)
        is_left[rows[solved]] = False
        going = np.flatnonzero(is_open & is_exact)
        if len(going) <= _FEW:
            break
        rows, products = rows[going], products.take(going, axis=1)
        support = support.take(going, axis=1) ^ is_wrong.take(going, axis=1)
    return found, np.flatnonzero(is_left)


def one_by_one(atoms: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Minimise :math:`|x_i - Z_i' a_i|^2` over the simplex, row by row.

    Parameters
    ----------
    atoms : ndarray of shape (n, k, m)
    rows : ndarray of shape (n, m)

    Returns
    -------
    ndarray of shape (k, n)
        Not negative; the sums of columns are one up to rounding.

    Notes
    -----
    With the atoms seen from a row, :math:`q_j = z_j - x`, and any :math:`t > 0`, the shares of the
    atoms in :math:`u = \arg\min_{u \ge 0} |Q' u|^2 + t^2 (1 - 1' u)^2` solve the problem: in a
    given direction the best length of u leaves what grows with the distance (Lawson and Hanson
    1974, chapter 23). Where atoms are tied, scipy's nnls up to 1.17 may return what is not the
    solution (its issue 25389); the gap shows it, and another t leads around it.

    Examples
    --------
    The point (1, 1) is nearest to the middle of the edge from (1, 0) to (0, 1):

    >>> atoms, row = np.array([[0.0, 0], [1, 0], [0, 1]]), np.array([1.0, 1])
    >>> one_by_one(atoms[None], row[None])[:, 0].round(12)
    array([0. , 0.5, 0.5])
    """
    edges = atoms - rows[:, None]
    sizes = np.abs(edges).max(axis=(1, 2), keepdims=True)
    edges /= np.where(sizes > 0, sizes, 1.0)
    found = np.zeros(edges.shape[:2])
    todo = np.arange(len(rows))
    for length in _LENGTHS:
        found[todo] = _mix(edges[todo], length)
        todo = todo[_gaps(edges[todo], found[todo]) > _NO_GAP]
        if not len(todo):
            break
    return np.asarray(found.T)


def _mix(edges: NDArray[np.float64], length: float) -> NDArray[np.float64]:
    """Solve rows that see atoms along edges (n, k, m), with t = length; return shares (n, k)."""
    n, k, m = edges.shape
    systems = np.full((n, m + 1, k), length)
    systems[:, :-1] = edges.swapaxes(1, 2)
    goal = np.zeros(m + 1)
    goal[-1] = length
    found = np.array([nnls(system, goal, maxiter=_SWAPS * k)[0] for system in systems])
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _gaps(edges: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return by how much squared distances (n,) could fall to first order, in half."""
    rest = np.matmul(shares[:, None], edges)
    heights = np.matmul(edges, rest.swapaxes(1, 2))[:, :, 0]
    return np.asarray((rest[:, 0] ** 2).sum(axis=1) - heights.min(axis=1))


def _products(
    grams: NDArray[np.float64], of: NDArray[np.int64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Multiply mixtures (k, n) by their Gram matrices."""
    if len(grams) == 1:
        return np.asarray(grams[0] @ target)
    if len(of) > _IN_BLOCKS * len(grams) and (of[:-1] <= of[1:]).all():
        found = np.empty_like(target)
        ends = np.searchsorted(of, np.arange(len(grams) + 1)).tolist()
        for gram, begin, end in zip(grams, ends, ends[1:], strict=False):
            np.matmul(gram, target[:, begin:end], out=found[:, begin:end])
        return found
    return np.asarray(np.einsum("nij,jn->in", grams[of], target))


def near_atoms(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    of: NDArray[np.int64],
    n_columns: int,
) -> NDArray[np.float64]:
    """Mix of each row's nearest atoms, (k, n): fewer than half of them, and no more than columns.

    Parameters
    ----------
    grams, cross, of
        As in `pivoted`.
    n_columns : int
        Of atoms and rows.
    """
    few = max(1, min((len(cross) - 1) // 2, n_columns))
    heights = np.diagonal(grams, axis1=1, axis2=2)[of].T / 2 - cross
    nearest = np.argpartition(heights, few - 1, axis=0)[:few]
    found = np.zeros(cross.shape)
    np.put_along_axis(found, nearest, 1 / few, axis=0)
    return found
