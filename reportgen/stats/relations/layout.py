"""Layout of the nodes of a graph whose distances in the plane follow given distances."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.arrays import Array

MOST_STEPS = 2000
SLOPE = 1e-7


def layout(distances: NDArray[np.number], order: NDArray[np.intp] | None = None) -> Array:
    r"""Place objects in the plane by Kamada and Kawai's springs.

    `distances`: (n, n); symmetric and positive off the diagonal.
    `order`: (n,); the objects as they stand on the circle that the search starts from; as they
    come, when omitted.
    Result: (n, 2); centred; the longest axis first, the first object not on its negative side, so
    that nothing is left to chance.
    Raises ValueError if `distances` is not such a matrix.

    Notes
    -----
    Minimises :math:`\sum_{i<j} (|x_i - x_j| / d_{ij} - 1)^2` from a circle, by
    a quasi-Newton method: a local optimum.

    References
    ----------
    .. [1] T. Kamada and S. Kawai (1989), "An algorithm for drawing general
       undirected graphs", Information Processing Letters 31.

    Examples
    --------
    >>> places = layout(np.array([[0, 3, 4], [3, 0, 5], [4, 5, 0]]))
    >>> round(float(np.hypot(*(places[1] - places[2]))), 4)
    5.0
    """
    from scipy.optimize import minimize

    d = np.asarray(distances, dtype=np.float64)
    n = len(d)
    off = ~np.eye(n, dtype=np.bool_)
    if d.shape != (n, n) or not np.array_equal(d, d.T) or not (d[off] > 0).all():
        raise ValueError("distances must be symmetric, and positive off the diagonal")
    if n < 2:
        return np.zeros((n, 2))
    start = _circle(n, order) * float(d.max()) / 2
    found = minimize(
        _energy,
        start.ravel(),
        args=(d + np.eye(n), off),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_STEPS, "maxfun": 2 * MOST_STEPS, "gtol": SLOPE, "ftol": 1e-13},
    )
    return _turned(found.x.reshape(n, 2))


def _circle(n: int, order: NDArray[np.intp] | None) -> Array:
    place = np.empty(n)
    place[np.arange(n) if order is None else order] = np.arange(n)
    angle = 2 * np.pi * (place + 0.25) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _energy(x: Array, d: Array, off: NDArray[np.bool_]) -> tuple[float, Array]:
    """Return the springs' energy and its gradient."""
    places = x.reshape(-1, 2)
    apart = places[:, None] - places[None]
    length = np.sqrt((apart**2).sum(axis=2))
    strain = np.where(off, length / d - 1, 0.0)
    pull = 2 * strain / (d * np.where(length > 0, length, 1.0))
    return float((strain**2).sum() / 2), (pull[:, :, None] * apart).sum(axis=1).ravel()


def _turned(places: Array) -> Array:
    """Turn the longest axis across, and settle both signs."""
    centred = places - places.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    turned: Array = centred @ axes.T
    is_off = np.abs(turned) > 1e-9 * max(1.0, float(np.abs(turned).max()))
    first = turned[is_off.argmax(axis=0), [0, 1]]
    return turned * np.where(first < 0, -1.0, 1.0)
