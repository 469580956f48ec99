"""Least squares on the simplex, many rows over few atoms.

All wrong atoms of all rows are exchanged at once, which solves nearly all rows within a few rounds.
The few that are left are solved one by one, by a method that is bound to end.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from reportgen.stats.archetypes.supports import on_supports

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
    solution (its issue 25389); the gap tells, and another t leads around it.

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
        found[todo] = _mixed(edges[todo], length)
        todo = todo[_gaps(edges[todo], found[todo]) > _NO_GAP]
        if not len(todo):
            break
    return np.asarray(found.T)


def _mixed(edges: NDArray[np.float64], length: float) -> NDArray[np.float64]:
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
