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

# Added to the diagonal, relative to the mean square of a row's edges, and the smallest pivot, so
# that supports that rounding made dependent stay solvable.
_RIDGE = 1e-13

# Mean squares below this are those of atoms at one place.
_SMALLEST_SIZE = 1e-200

# Of the largest product: what differences of products may be off by.
_NOISE = 1e-15

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
    totals: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Solve the problem with a given sum on given supports.

    `grams`: (p, k, k); products of the atoms.
    `cross`: (k, r, n); products of atoms and rows: r rows for each of n supports.
    `support`: (k, n); at least one atom each.
    `of`: (n,); which matrix belongs to a support.
    `totals`: (r,); sums of the shares.
    Result: (k, r, n); shares of any sign, zero outside the supports.
    """
    solved = np.zeros(cross.shape)
    bits = np.packbits(support, axis=0, bitorder="little")
    for rows, count in _groups(np.bitwise_count(bits).sum(axis=0, dtype=np.int64)):
        if len(rows) == len(of):
            _solve(grams, cross, support, bits, of, count, totals, solved)
        else:
            products, inside = cross.take(rows, axis=2), support.take(rows, axis=1)
            own = np.zeros(products.shape)
            _solve(grams, products, inside, bits.take(rows, axis=1), of[rows], count, totals, own)
            solved[:, :, rows] = own
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
    totals: NDArray[np.float64],
    solved: NDArray[np.float64],
) -> None:
    """Solve on supports of up to `count` atoms, those with fewer as if they had as many."""
    # Bits (b, n) are those of the supports, eight atoms each. What they solve is written into
    # `solved`, whose cells are zero before.
    (k, n), n_rows = support.shape, len(totals)
    atoms = _members(support, bits, count)
    cells = (atoms[:, None] * n_rows + np.arange(n_rows)[:, None]) * n + np.arange(n)
    if count == 1:
        solved.reshape(-1)[cells[0]] = totals[:, None]
        return
    places = atoms * k if len(grams) == 1 else atoms * k + of * (k * k)
    products = grams.reshape(-1).take(places[:, None] + atoms)
    system = _edges(products, cross.reshape(-1).take(cells), totals)
    _bar(system, support.reshape(-1).take(atoms[1:] * n + np.arange(n)))
    _eliminate(system, _NOISE * np.abs(np.einsum("iin->in", products)).max(axis=0))
    shares = system[:, count - 1 :]
    solved.reshape(-1)[cells[1:]] = shares
    solved.reshape(-1)[cells[0]] = totals[:, None] - shares.sum(axis=0)


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


def _edges(
    products: NDArray[np.float64], cross: NDArray[np.float64], totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the products of the edges from the first atom, and with the rows."""
    # Products are (c, c, n) and (c, r, n), the system (c - 1, c - 1 + r, n).
    count, _, n = products.shape
    system = np.empty((count - 1, count - 1 + len(totals), n))
    shifted = products[0, 1:] - products[0, 0]
    np.subtract(products[1:, 1:], products[0, 1:], out=system[:, : count - 1])
    system[:, : count - 1] -= shifted[:, None]
    np.subtract(cross[1:], cross[0], out=system[:, count - 1 :])
    system[:, count - 1 :] -= totals[:, None] * shifted[:, None]
    return system


def _bar(system: NDArray[np.float64], is_in: NDArray[np.bool_]) -> None:
    """Give atoms (c - 1, n) that only fill up a row of a system the solution zero."""
    if is_in.all():
        return
    inside = is_in.astype(float)
    system *= inside[:, None]
    system[:, : len(system)] *= inside


def _eliminate(system: NDArray[np.float64], noise: NDArray[np.float64]) -> None:
    """Solve many positive definite systems (c, c + r, n) of r right sides by Gauss, in place."""
    # An atom of which no more than the noise (n,) is left depends on those before, and gets
    # nothing.
    count = len(system)
    diagonal = np.einsum("iin->in", system[:, :count])
    smallest = _RIDGE / count * np.abs(diagonal).sum(axis=0) + _SMALLEST_SIZE
    least = np.maximum(smallest, noise)
    diagonal += smallest
    for j in range(count):
        pivot = system[j, j]
        row = system[j, j + 1 :] / np.maximum(pivot, least)
        row *= pivot >= least
        system[j + 1 :, j + 1 :] -= system[j + 1 :, j, None] * row
        system[j, j + 1 :] = row
    for j in range(count - 1, 0, -1):
        system[:j, count:] -= system[:j, j, None] * system[j, count:]


# Rounding errors of a gradient, relative to the largest product in it.
_ROUNDING = 1e-13

# Rounds of exchanging all wrong atoms at once, and the rows for which no round is worth it.
_ROUNDS = 8
_FEW = 16

# Slopes on a support that differ by more than this, in units of rounding, are those of dependent
# atoms.
_EXACT = 1e3

# Values of t, in units of the largest edge; the next is tried where a gap is left, in its square.
_LENGTHS = (1.0, 10.0, 0.1)
_NO_GAP = 1e-10

# Exchanges of atoms, in units of their number: many more than there are.
_SWAPS = 30

# Rows of a kind, on average, from which its map is worth while.
_ROWS_A_KIND = 4

# Possible kinds a row, above which no table of them is made.
_MOST_KINDS = 64


def pivoted(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    of: NDArray[np.int64],
    start: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    r"""Minimise :math:`|x_i - Z' a_i|^2` over the simplex, for nearly all of many rows.

    `grams`: (p, k, k); products of the atoms, :math:`Z Z'`, of one or several problems: of starts,
    or of patterns of observed columns.
    `cross`: (k, n); products of atoms and rows, :math:`z_j' x_i`.
    `of`: (n,); which of the p problems a row belongs to.
    `start`: (k, n); points of the simplex to begin from; the better the fewer rounds.
    Result: `mixtures`, (k, n); columns that are not negative and sum to one; of rows that are not
    solved, the start; `rest`, the rows that are not solved: few, or their atoms are dependent.

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
        values, is_exact = _optimality(grams, products, support, of[rows])
        is_wrong = values + ~support * rounding[rows] < 0
        is_open = is_wrong.any(axis=0)
        solved = np.flatnonzero(is_exact & ~is_open)
        found[:, rows[solved]] = (values * support).take(solved, axis=1)
        is_left[rows[solved]] = False
        going = np.flatnonzero(is_open & is_exact)
        if len(going) <= _FEW:
            break
        rows, products = rows[going], products.take(going, axis=1)
        support = support.take(going, axis=1) ^ is_wrong.take(going, axis=1)
    return found, np.flatnonzero(is_left)


def _optimality(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    of: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return shares on supports (k, n) and slopes elsewhere, and whether they are exact (n,)."""
    # Both are linear in the products of atoms and rows. Where many rows have one matrix and
    # support, the linear map is found once for all of them.
    k, n = support.shape
    kinds, kind = _kinds(support, of, len(grams))
    if _ROWS_A_KIND * len(kinds) > n:
        sizes = np.abs(cross).max(axis=0) + np.abs(grams).max(axis=(1, 2))[of]
        found, is_exact = _solution(grams, cross[:, None], support, of, np.ones(1), sizes[None])
        return found[:, 0], is_exact
    some, which = support[:, kinds], of[kinds]
    unit = np.broadcast_to(np.eye(k, k + 1)[:, :, None], (k, k + 1, len(kinds)))
    sizes = np.ones((k + 1, len(kinds)))
    sizes[k] = np.abs(grams).max(axis=(1, 2))[which]
    maps, is_exact = _solution(grams, unit, some, which, np.eye(k + 1)[k], sizes)
    found = np.empty((k, n))
    for begin in range(0, n, _AT_A_TIME):
        part = slice(begin, begin + _AT_A_TIME)
        own = maps.take(kind[part], axis=2)
        own[:, :k] *= cross[:, part]
        own.sum(axis=1, out=found[:, part])
    return found, is_exact[kind]


def _kinds(
    support: NDArray[np.bool_], of: NDArray[np.int64], n_problems: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a row of each kind, and the kind of each row: its problem and its support."""
    k, n = support.shape
    if k > _MOST_BITS or n_problems << k > _MOST_KINDS * n:
        return np.arange(n), np.arange(n)
    code = (1 << np.arange(k)) @ support + (of << k)
    row = np.full(n_problems << k, -1)
    row[code] = np.arange(n)
    is_there = row >= 0
    return row[is_there], (np.cumsum(is_there) - 1)[code]


def _solution(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    of: NDArray[np.int64],
    totals: NDArray[np.float64],
    sizes: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what `on_supports` does, and slopes elsewhere, and whether slopes within are zero."""
    # Sizes (r, n) are those of the products: rounding is in proportion.
    shares = on_supports(grams, cross, support, of, totals)
    slopes = _products(grams, of, shares) - cross
    first = support.argmax(axis=0)
    slopes -= np.take_along_axis(slopes, first[None, None], axis=0)
    inside = np.abs(slopes) * support[:, None]
    is_exact = (inside < _EXACT * _ROUNDING * sizes).all(axis=(0, 1))
    return np.where(support[:, None], shares, slopes), np.asarray(is_exact)


def one_by_one(atoms: NDArray[np.float64], rows: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Minimise :math:`|x_i - Z_i' a_i|^2` over the simplex, row by row.

    `atoms`: (n, k, m).
    `rows`: (n, m).
    Result: (k, n); not negative; the sums of columns are one up to rounding.

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
    from scipy.optimize import nnls

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
    grams: NDArray[np.float64], of: NDArray[np.int64], shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Multiply mixtures (k, r, n) by their Gram matrices."""
    if len(grams) == 1:
        return np.asarray(np.tensordot(grams[0], shares, 1))
    return np.asarray(np.einsum("nij,jrn->irn", grams[of], shares))


def near_atoms(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    of: NDArray[np.int64],
    n_columns: int,
) -> NDArray[np.float64]:
    """Mix of each row's nearest atoms, (k, n): fewer than half of them, and no more than columns.

    `grams`, `cross`, `of`: as in `pivoted`.
    `n_columns`: of atoms and rows.
    """
    few = max(1, min((len(cross) - 1) // 2, n_columns))
    heights = np.diagonal(grams, axis1=1, axis2=2)[of].T / 2 - cross
    nearest = np.argpartition(heights, few - 1, axis=0)[:few]
    found = np.zeros(cross.shape)
    np.put_along_axis(found, nearest, 1 / few, axis=0)
    return found
