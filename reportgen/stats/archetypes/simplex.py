"""Least squares on the simplex: many rows over few atoms, and one point over many atoms.

Both are primal active-set methods: each step solves the equality-constrained problem on the
current support exactly, steps back to the boundary where that leaves the simplex, and takes in the
atom with the steepest descent where it does not. They end after finitely many steps at the exact
solution, whose support is affinely independent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

# Rounding errors of a gradient, relative to the largest product in it.
_ROUNDING = 1e-13

# Added to the diagonal, relative to its mean, so that supports that rounding made dependent stay
# solvable.
_RIDGE = 1e-14

# Mean squares below this are those of atoms at one place.
_SMALLEST_SIZE = 1e-200

# Supports are numbered by their bits up to this many atoms, and compared row by row above.
_MOST_BITS = 16

# A lockstep that needs more steps than this many an atom stays where it is, which is feasible.
_STEPS_PER_ATOM = 20


def mixtures(
    gram: NDArray[np.float64],
    cross: NDArray[np.float64],
    start: NDArray[np.float64] | None = None,
    pattern: NDArray[np.int64] | None = None,
) -> NDArray[np.float64]:
    r"""Minimise :math:`|x_i - Z' a_i|^2` over the simplex, for all rows at once.

    Parameters
    ----------
    gram : ndarray of shape (k, k) or (p, k, k)
        Products of the atoms, :math:`Z Z'`; with gaps one matrix a pattern of observed columns.
    cross : ndarray of shape (n, k)
        Products of rows and atoms, :math:`x_i' z_j`.
    start : ndarray of shape (n, k), optional
        Points of the simplex to begin from; the better the fewer steps.
    pattern : ndarray of shape (n,), int, optional
        Which of the p matrices belongs to a row; the first when omitted.

    Returns
    -------
    ndarray of shape (n, k)
        Rows that are not negative and sum to one.

    Notes
    -----
    An active-set method in the manner of Lawson and Hanson (1974, chapter 23), all rows in
    lockstep; rows with one support share the factorisation, as in Van Benthem and Keenan (2004,
    Journal of Chemometrics 18). The method ends because the objective of a row falls with every
    support that it leaves.

    Examples
    --------
    The point (1, 1) is nearest to the middle of the edge from (1, 0) to (0, 1):

    >>> atoms, row = np.array([[0.0, 0], [1, 0], [0, 1]]), np.array([[1.0, 1]])
    >>> mixtures(atoms @ atoms.T, row @ atoms.T).round(12)
    array([[0. , 0.5, 0.5]])
    """
    grams = gram[None] if gram.ndim == 2 else gram
    n, k = cross.shape
    of = np.zeros(n, dtype=np.int64) if pattern is None else pattern
    found = _vertices(grams, cross, of) if start is None else start.copy()
    lockstep = _Lockstep(grams, cross, of, found)
    for _ in range(_STEPS_PER_ATOM * k + 20):
        if not lockstep.step():
            break
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _vertices(
    grams: NDArray[np.float64], cross: NDArray[np.float64], of: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Put each row on its nearest atom."""
    squares = np.diagonal(grams, axis1=1, axis2=2)[of]
    found = np.zeros(cross.shape)
    found[np.arange(len(cross)), (squares / 2 - cross).argmin(axis=1)] = 1
    return found


class _Lockstep:
    """The rows that are not yet done, their supports, and one step of all of them."""

    def __init__(
        self,
        grams: NDArray[np.float64],
        cross: NDArray[np.float64],
        of: NDArray[np.int64],
        found: NDArray[np.float64],
    ) -> None:
        self.grams, self.cross, self.of, self.found = grams, cross, of, found
        self.support = found > 0
        self.newest = np.full(len(cross), -1)
        self.todo = np.arange(len(cross))
        largest = np.abs(grams).max(axis=(1, 2))
        self.rounding = _ROUNDING * (np.abs(cross).max(axis=1, initial=0) + largest[of])

    def step(self) -> bool:
        """Take one step of every row that is not done; say whether any is left."""
        if not len(self.todo):
            return False
        rows = self.todo
        support = self.support[rows]
        target = _on_supports(self.grams, self.cross[rows], support, self.of[rows])
        is_single = support.sum(axis=1) == 1
        target[is_single] = support[is_single]
        outside = support & (target <= 0)
        leaves = outside.any(axis=1)
        stays = ~leaves
        is_done = np.zeros(len(rows), dtype=bool)
        is_done[stays] = self._grow(rows[stays], target[stays])
        if leaves.any():
            is_done[leaves] = self._shrink(rows[leaves], target[leaves], outside[leaves])
        self.todo = rows[~is_done]
        return bool(len(self.todo))

    def _grow(self, rows: NDArray[np.int64], target: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Accept solutions on their supports and take in the steepest atom; tell who is done."""
        self.found[rows] = target
        gradient = self._products(rows, target) - self.cross[rows]
        level = (target * gradient).sum(axis=1)
        slack = np.where(self.support[rows], np.inf, gradient - level[:, None])
        steepest = slack.argmin(axis=1)
        is_done = slack[np.arange(len(rows)), steepest] >= -self.rounding[rows]
        going, atoms = rows[~is_done], steepest[~is_done]
        self.support[going, atoms] = True
        self.newest[going] = atoms
        return np.asarray(is_done)

    def _products(
        self, rows: NDArray[np.int64], target: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Multiply mixtures by their Gram matrices."""
        if len(self.grams) == 1:
            return np.asarray(target @ self.grams[0])
        return np.asarray(np.einsum("ij,ijk->ik", target, self.grams[self.of[rows]]))

    def _shrink(
        self,
        rows: NDArray[np.int64],
        target: NDArray[np.float64],
        outside: NDArray[np.bool_],
    ) -> NDArray[np.bool_]:
        """Step to the boundary of the simplex and drop the atom met there; tell who is stuck."""
        here, each = self.found[rows], np.arange(len(rows))
        # An atom that came in by rounding alone would leave again at once, for ever.
        newest = self.newest[rows]
        is_stuck = (newest >= 0) & (here[each, newest] == 0) & (target[each, newest] <= 0)
        fall = np.where(outside, here - target, 1.0)
        room = np.where(outside, here / np.where(fall > 0, fall, 1.0), np.inf)
        first = room.argmin(axis=1)
        moved = here + room[each, first][:, None] * (target - here)
        moved[each, first] = 0
        moved = np.where(is_stuck[:, None], here, np.maximum(moved, 0))
        self.found[rows], self.support[rows] = moved, moved > 0
        return np.asarray(is_stuck)


def _on_supports(
    grams: NDArray[np.float64],
    cross: NDArray[np.float64],
    support: NDArray[np.bool_],
    of: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Solve the problem with sum one on given supports, each support only once."""
    members, label = _kinds(support, of, len(grams))
    if len(cross) < 2 * len(members):
        return _solved(grams if len(grams) == 1 else grams[of], support, cross)
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


def _bordered(
    gram: NDArray[np.float64], inside: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the equations of each support, with the condition of sum one; and their scales."""
    count, k = inside.shape
    size = np.trace(gram, axis1=1, axis2=2)[:, None] / k
    size = np.where(size > _SMALLEST_SIZE, size, 1.0)
    border = np.where(inside, size, 0.0)
    bordered = np.zeros((count, k + 1, k + 1))
    bordered[:, :k, :k] = gram * (inside[:, :, None] & inside[:, None, :])
    each = np.arange(k)
    bordered[:, each, each] += np.where(inside, _RIDGE, 1.0) * size
    bordered[:, :k, k] = bordered[:, k, :k] = border
    return bordered, border


def _lifted(bordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Raise the diagonal where rounding has made equations singular all the same."""
    k = bordered.shape[1] - 1
    raised = bordered.copy()
    raised[:, :k, :k] += (
        _RIDGE**0.5 * np.eye(k) * np.trace(bordered, axis1=1, axis2=2)[:, None, None]
    )
    return raised


def _solved(
    gram: NDArray[np.float64], inside: NDArray[np.bool_], cross: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Solve row by row, where hardly two rows have the same support."""
    bordered, border = _bordered(gram, inside)
    right = np.column_stack([cross * inside, border.max(axis=1)])
    try:
        solved = np.linalg.solve(bordered, right[:, :, None])
    except np.linalg.LinAlgError:
        solved = np.linalg.solve(_lifted(bordered), right[:, :, None])
    return np.asarray(solved[:, :-1, 0] * inside)


def _solutions(
    gram: NDArray[np.float64], inside: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return P and q of each support: the solution is P c + q for a row with products c."""
    k = inside.shape[1]
    bordered, border = _bordered(gram, inside)
    try:
        inverse = np.asarray(np.linalg.inv(bordered), dtype=np.float64)
    except np.linalg.LinAlgError:
        inverse = np.asarray(np.linalg.inv(_lifted(bordered)), dtype=np.float64)
    both = inside[:, :, None] & inside[:, None, :]
    return np.asarray(inverse[:, :k, :k] * both), np.asarray(inverse[:, :k, k] * border)


def nearest_point(
    atoms: NDArray[np.float64],
    point: NDArray[np.float64],
    support: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    r"""Find the point of the convex hull of many atoms that is nearest to a point.

    Parameters
    ----------
    atoms : ndarray of shape (n, m)
    point : ndarray of shape (m,)
    support, shares : ndarray of shape (s,)
        A mixture of atoms to begin from: numbers of the atoms and their positive shares.

    Returns
    -------
    support, shares : ndarray of shape (s,)
        The nearest mixture; never farther than the one to begin from.

    Notes
    -----
    The algorithm of Wolfe (1976, Mathematical Programming 11), "Finding the nearest point in a
    polytope": the affine minimiser on a support solves :math:`(t 1 1' + Q Q') \mu = 1` with the
    atoms seen from the point as rows of Q.

    Examples
    --------
    >>> corners = np.array([[0.0, 0], [2, 0], [0, 2]])
    >>> support, shares = nearest_point(corners, np.array([2.0, 2]), np.array([0]), np.ones(1))
    >>> sorted(support.tolist()), shares.round(12).tolist()
    ([1, 2], [0.5, 0.5])
    """
    largest = float(np.abs(atoms[support]).max() + np.abs(point).max())
    for _ in range(50 * (atoms.shape[1] + 2)):
        edges = atoms[support] - point
        target = _affine_minimiser(edges)
        if not np.isfinite(target).all():
            break
        if target.min() <= 0:
            support, shares, is_stuck = _towards(support, shares, target)
            if is_stuck:
                return support, shares
            continue
        shares = target
        rest = shares @ edges
        heights = atoms @ rest
        lowest = int(heights.argmin())
        gap = float((rest + point) @ rest - heights[lowest])
        rounding = _ROUNDING * largest * float(np.abs(rest).sum())
        if gap <= rounding or lowest in support:
            return support, shares
        support, shares = np.append(support, lowest), np.append(shares, 0.0)
    keep = shares > 0
    return support[keep], shares[keep]


def _affine_minimiser(edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the shares, of any sign, of the point of an affine hull nearest to the origin."""
    if len(edges) == 1:
        return np.ones(1)
    products = edges @ edges.T
    size = float(products.trace()) / len(products)
    size = size if size > _SMALLEST_SIZE else 1.0
    ones = np.ones(len(products))
    _, solved, info = dposv(products + size, ones)
    if info or not np.isfinite(solved).all():
        products.flat[:: len(products) + 1] += 1e-12 * size
        _, solved, info = dposv(products + size, ones)
    return np.asarray(solved / solved.sum())


def _towards(
    support: NDArray[np.int64], shares: NDArray[np.float64], target: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], bool]:
    """Step to the boundary and drop the atom met there; stuck when that is the newest."""
    outside = target <= 0
    fall = np.where(outside, shares - target, 1.0)
    room = np.where(outside, shares / np.where(fall > 0, fall, 1.0), np.inf)
    first = int(room.argmin())
    is_stuck = bool(shares[first] == 0)
    moved = shares if is_stuck else np.maximum(shares + room[first] * (target - shares), 0)
    keep = moved > 0
    keep[first] = False
    return support[keep], moved[keep] / moved[keep].sum(), is_stuck
