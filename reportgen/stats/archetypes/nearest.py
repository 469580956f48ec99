"""The points of a convex hull that are nearest to points, by a few of its many atoms at a time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.simplex import one_by_one

# Rounding errors of a gradient, relative to the largest product in it.
_ROUNDING = 1e-13

# A bound that is never met: each round leads nearer, and a few do.
_MOST_ROUNDS = 1000

# Atoms that come to those of a mixture in one round.
_FURTHER = 12


def nearest_points(
    atoms: NDArray[np.float64],
    points: NDArray[np.float64],
    shares: NDArray[np.float64],
    rounds: int | None = None,
) -> NDArray[np.float64]:
    """Find the points of the convex hull of many atoms that are nearest to some points.

    Parameters
    ----------
    atoms : ndarray of shape (n, m)
    points : ndarray of shape (k, m)
    shares : ndarray of shape (k, n)
        Mixtures of few atoms to begin from.
    rounds : int, optional
        The most rounds; as many as it takes when omitted.

    Returns
    -------
    ndarray of shape (k, n)
        The nearest mixtures; with too few rounds, nearer ones than to begin from.

    Notes
    -----
    Column generation: each round finds the point nearest in the hull of the atoms in use and of
    those that lie farthest in the direction of what is left. When there is none farther than the
    nearest point, that is the solution (Wolfe 1976, Mathematical Programming 11, theorem 2.1).

    Examples
    --------
    >>> corners = np.array([[0.0, 0], [2, 0], [0, 2]])
    >>> nearest_points(corners, np.array([[2.0, 2]]), np.array([[1.0, 0, 0]])).round(12)
    array([[0. , 0.5, 0.5]])
    """
    found, todo = shares.copy(), np.arange(len(points))
    rounding = _ROUNDING * (np.abs(atoms).max() + np.abs(points).max(axis=1))
    last = np.full(len(points), np.inf)
    for _ in range(_MOST_ROUNDS if rounds is None else rounds):
        rest = found[todo] @ atoms - points[todo]
        heights = rest @ atoms.T
        squares = np.einsum("km,km->k", rest, rest)
        gap = squares + np.einsum("km,km->k", rest, points[todo]) - heights.min(axis=1)
        is_open = (gap > rounding[todo] * np.abs(rest).sum(axis=1)) & (squares < last[todo])
        last[todo] = squares
        todo = todo[is_open]
        if not len(todo):
            break
        found[todo] = _nearer(atoms, points[todo], found[todo], heights[is_open])
    return found


def _nearer(
    atoms: NDArray[np.float64],
    points: NDArray[np.float64],
    shares: NDArray[np.float64],
    heights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Mix the atoms in use and the lowest ones; heights are (k, n) and are written over."""
    is_used = shares > 0
    heights[is_used] = -np.inf
    count = min(len(atoms), int(is_used.sum(axis=1).max()) + _FURTHER)
    some = np.argpartition(heights, count - 1, axis=1)[:, :count]
    found = np.zeros_like(shares)
    np.put_along_axis(found, some, one_by_one(atoms[some], points).T, axis=1)
    return found
