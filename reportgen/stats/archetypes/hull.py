"""How many vertices a convex hull has: more archetypes than that say nothing."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.problem import mix

# Distances from the hull of the vertices found, relative to the largest row, that count as none.
_TOUCHING = 1e-9


def vertices(rows: NDArray[np.float64], at_most: int) -> list[int]:
    """Find vertices of the convex hull of rows, all of them or as many as are asked for.

    Parameters
    ----------
    rows : ndarray of shape (n, m)
        Centred.
    at_most : int

    Returns
    -------
    list of int
        Rows that are different vertices; fewer than `at_most` only when there are no more.

    Notes
    -----
    The row that is farthest from the hull of the vertices found points in a direction in which
    the farthest row is a further vertex.

    Examples
    --------
    >>> square = np.array([[0.0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]])
    >>> sorted(vertices(square, 9))
    [1, 2, 3, 4]
    """
    squares = (rows**2).sum(axis=1)
    found = [int(squares.argmax())]
    size = float(np.sqrt(squares.max()))
    while len(found) < at_most:
        hull = rows[found]
        rest = rows - mix(rows, hull) @ hull
        distances = np.sqrt((rest**2).sum(axis=1))
        farthest = int(distances.argmax())
        if distances[farthest] <= _TOUCHING * size:
            break
        heights = rows @ (rest[farthest] / distances[farthest])
        top = np.flatnonzero(heights >= heights.max() - _TOUCHING * size)
        # Of several rows on one face, the one farthest from the centre is a vertex.
        fresh = top[~np.isin(top, found)]
        found.append(int(fresh[squares[fresh].argmax()]))
    return found
