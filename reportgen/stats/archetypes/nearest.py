"""The points of a convex hull that are nearest to points, by Wolfe's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv

# Rounding errors of a gradient, relative to the largest product in it.
_ROUNDING = 1e-13

# Added to the diagonal, relative to its mean, so that atoms at one place do not hinder.
_RIDGE = 1e-14

# Mean squares below this are those of atoms at one place.
_SMALLEST_SIZE = 1e-200


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


def nearest_points(
    atoms: NDArray[np.float64],
    points: NDArray[np.float64],
    shares: NDArray[np.float64],
    barred: NDArray[np.bool_] | None = None,
    steps: int | None = None,
) -> NDArray[np.float64]:
    """Find the points of a convex hull that are nearest to several points, all in lockstep.

    Parameters
    ----------
    atoms : ndarray of shape (n, m)
    points : ndarray of shape (k, m)
    shares : ndarray of shape (k, n)
        Mixtures of atoms to begin from, each of at most m + 1.
    barred : ndarray of shape (k, n), bool, optional
        Atoms that a point must do without.
    steps : int, optional
        The most steps; as many as it takes when omitted.

    Returns
    -------
    ndarray of shape (k, n)
        The nearest mixtures; with too few steps, nearer ones than to begin from.

    Notes
    -----
    As `nearest_point`; the few small systems of a step are solved together.
    """
    search = _Search(atoms, points, shares, barred)
    for left in reversed(range(steps or 50 * (atoms.shape[1] + 2))):
        if not search.step(is_last=left == 0):
            break
    return search.result()


class _Search:
    """Points that are not yet found, the atoms of each, and one step of all of them."""

    def __init__(
        self,
        atoms: NDArray[np.float64],
        points: NDArray[np.float64],
        shares: NDArray[np.float64],
        barred: NDArray[np.bool_] | None,
    ) -> None:
        self.atoms, self.points, self.barred, self.shape = atoms, points, barred, shares.shape
        counts = (shares > 0).sum(axis=1)
        n_slots = int(max(counts.max(), atoms.shape[1] + 1)) + 1
        self.taken = np.arange(n_slots) < counts[:, None]
        self.atom = np.zeros((len(points), n_slots), dtype=np.int64)
        self.share = np.zeros((len(points), n_slots))
        row, column = np.nonzero(shares)
        self.atom[self.taken], self.share[self.taken] = column, shares[row, column]
        self.todo = np.arange(len(points))
        largest = np.abs(atoms).max() + np.abs(points).max(axis=1)
        self.rounding = _ROUNDING * largest

    def step(self, *, is_last: bool) -> bool:
        """Take one step of every point that is not found; say whether any is left."""
        rows = self.todo
        # Free slots are taken from the first on: the last ones are mostly empty.
        n_slots = int(self.taken[rows].any(axis=0).nonzero()[0][-1]) + 1
        taken = self.taken[rows, :n_slots]
        edges = self.atoms[self.atom[rows, :n_slots]] - self.points[rows, None]
        edges *= taken[:, :, None]
        target = _affine_minimisers(edges, taken)
        is_lost = np.asarray(~np.isfinite(target).all(axis=1))
        is_outside = taken & (target <= 0)
        leaves = is_outside.any(axis=1) & ~is_lost
        stays = ~leaves & ~is_lost
        is_done = is_lost.copy()
        if leaves.any():
            is_done[leaves] = self._shrink(rows[leaves], target[leaves], is_outside[leaves])
        if is_last:
            self.share[rows[stays], :n_slots] = target[stays]
        elif stays.any():
            is_done[stays] = self._grow(rows[stays], target[stays], edges[stays])
        self.todo = rows[~is_done]
        return bool(len(self.todo))

    def _grow(
        self, rows: NDArray[np.int64], target: NDArray[np.float64], edges: NDArray[np.float64]
    ) -> NDArray[np.bool_]:
        """Accept solutions and take in the lowest atom; tell who is done."""
        self.share[rows, : target.shape[1]] = target
        rest = np.matmul(target[:, None, :], edges)[:, 0]
        heights = rest @ self.atoms.T
        if self.barred is not None:
            heights[self.barred[rows]] = np.inf
        lowest = heights.argmin(axis=1)
        each = np.arange(len(rows))
        gap = np.einsum("ij,ij->i", rest + self.points[rows], rest) - heights[each, lowest]
        taken = self.taken[rows]
        is_in = (taken & (self.atom[rows] == lowest[:, None])).any(axis=1)
        free = (~taken).argmax(axis=1)
        is_done = (gap <= self.rounding[rows] * np.abs(rest).sum(axis=1)) | is_in
        is_done |= taken[each, free]
        going, slot = rows[~is_done], free[~is_done]
        self.taken[going, slot] = True
        self.atom[going, slot], self.share[going, slot] = lowest[~is_done], 0.0
        return np.asarray(is_done)

    def _shrink(
        self, rows: NDArray[np.int64], target: NDArray[np.float64], outside: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Step to the boundary and drop the atom met there; stuck when that is the newest."""
        n_slots = target.shape[1]
        here, each = self.share[rows, :n_slots], np.arange(len(rows))
        fall = np.where(outside, here - target, 1.0)
        room = np.where(outside, here / np.where(fall > 0, fall, 1.0), np.inf)
        first = room.argmin(axis=1)
        is_stuck = here[each, first] == 0
        moved = np.maximum(here + room[each, first][:, None] * (target - here), 0)
        moved = np.where(is_stuck[:, None], here, moved)
        moved[each, first] = 0
        self.taken[rows, :n_slots] &= moved > 0
        self.share[rows, :n_slots] = moved / moved.sum(axis=1, keepdims=True)
        return np.asarray(is_stuck)

    def result(self) -> NDArray[np.float64]:
        """Return the mixtures over all atoms."""
        shares = np.zeros(self.shape)
        row, slot = np.nonzero(self.taken & (self.share > 0))
        shares[row, self.atom[row, slot]] = self.share[row, slot]
        return shares


def _affine_minimisers(edges: NDArray[np.float64], taken: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the shares (k, s), of any sign, of the points of affine hulls nearest to the origin.

    Edges (k, s, m) of slots that are not taken are zero.
    """
    matrix = np.matmul(edges, edges.swapaxes(1, 2))
    diagonal = np.einsum("kii->ki", matrix)
    size = diagonal.sum(axis=1, keepdims=True) / taken.sum(axis=1, keepdims=True)
    size = np.where(size > _SMALLEST_SIZE, size, 1.0)
    own = taken * size
    diagonal += np.where(taken, _RIDGE * size, size)
    matrix += own[:, :, None] * taken[:, None, :]
    solved = np.linalg.solve(matrix, own[:, :, None])[:, :, 0] * taken
    return np.asarray(solved / solved.sum(axis=1, keepdims=True))
