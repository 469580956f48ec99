r"""What a p-value track says: since when it is significant, and whether the order matters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.sequential.tracks import Track

Array = NDArray[np.float64]

N_ORDERS = 200


@dataclass(frozen=True, slots=True)
class Band:
    """P-value tracks when the same replications come in random orders.

    Attributes
    ----------
    n : ndarray of shape (N,), int
        Replications at each look.
    lower, median, upper : ndarray of shape (N,)
        Quantiles of the p-values over the orders, look by look.
    share_significant : ndarray of shape (N,)
        Share of the orders with p <= alpha.
    points : ndarray of shape (R,)
        Point of consecutive significance in every order; infinite when none.
    """

    n: NDArray[np.intp]
    lower: Array
    median: Array
    upper: Array
    share_significant: Array
    points: Array


def point_of_consecutive_significance(track: Track, alpha: float = 0.05) -> Array:
    r"""Return from which replication on the test stays significant.

    Parameters
    ----------
    track : Track
        With p-values of shape (..., N).
    alpha : float, default 0.05

    Returns
    -------
    ndarray of shape (...)
        :math:`\min\{b : p_i \le \alpha, i = b, \dots, B\}`, infinite when
        :math:`p_B > \alpha`.

    Notes
    -----
    It depends on B, is a description, and no rule for stopping: it is known
    only when all replications are. Small means that the difference is clear.

    References
    ----------
    .. [1] M. J. A. Eugster (2011), Benchmark Experiments: A Tool for Analyzing
       Statistical Learning Algorithms, dissertation, LMU Munich, section 6.2.

    Examples
    --------
    >>> p = np.array([0.20, 0.01, 0.20, 0.04, 0.03])
    >>> track = Track(np.arange(3, 8), p, p, p)
    >>> float(point_of_consecutive_significance(track))
    6.0
    """
    fails = ~(track.p_values <= alpha)
    after_last = fails.shape[-1] - np.argmax(fails[..., ::-1], axis=-1)
    first = np.where(fails.any(axis=-1), after_last, 0)
    points = np.append(track.n.astype(np.float64), np.inf)
    return np.asarray(points[first])


def permuted_band(
    follow: Callable[[Array], Track],
    values: Array,
    rng: Generator,
    n_orders: int = N_ORDERS,
    alpha: float = 0.05,
    coverage: float = 0.9,
) -> Band:
    """Follow a test over random orders of the replications.

    Parameters
    ----------
    follow : callable
        Makes a track of arrays with a leading axis, (R, B) or (R, B, K):
        a function of `tracks` with its options bound.
    values : ndarray of shape (B,) or (B, K)
    rng : Generator
        Draws the orders.
    n_orders : int, default 200
    alpha : float, default 0.05
    coverage : float, default 0.9
        Share of the orders inside the band at each look.

    Returns
    -------
    Band

    Raises
    ------
    ValueError
        If there is no order to draw, or the coverage is no share.

    Notes
    -----
    At the last look all orders agree but for rounding. Each look of the band is
    that of a random subset of the replications; it says how far the course of
    one track is due to the order in which they came.

    Examples
    --------
    >>> from reportgen.stats.sequential.tracks import sign_track
    >>> rng = np.random.default_rng(1)
    >>> band = permuted_band(sign_track, np.array([1.0, 2.0, -1.0, 4.0]), rng)
    >>> band.lower, band.upper
    (array([1.   , 0.5  , 0.25 , 0.625]), array([1.   , 1.   , 1.   , 0.625]))
    """
    if n_orders < 1 or not 0 < coverage < 1:
        raise ValueError(f"a band needs orders and a share, got {n_orders} and {coverage}")
    orders = rng.permuted(np.tile(np.arange(len(values)), (n_orders, 1)), axis=1)
    track = follow(np.asarray(values)[orders])
    tail = (1 - coverage) / 2
    lower, median, upper = np.quantile(track.p_values, [tail, 0.5, 1 - tail], axis=0)
    share = (track.p_values <= alpha).mean(axis=0)
    points = point_of_consecutive_significance(track, alpha)
    return Band(track.n, lower, median, upper, share, points)


def holm_tracks(p_values: Array) -> Array:
    """Adjust the p-values of several tests by Holm's method, look by look.

    Parameters
    ----------
    p_values : ndarray of shape (P, N)
        Valid at all looks together, such as those of e-processes: so are the
        adjusted ones.

    Returns
    -------
    ndarray of shape (P, N)

    References
    ----------
    .. [1] S. Holm (1979), "A simple sequentially rejective multiple test
       procedure", Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> holm_tracks(np.array([[0.5, 0.01], [0.5, 0.03]]))
    array([[1.  , 0.02],
           [1.  , 0.03]])
    """
    order = np.argsort(p_values, axis=0, kind="stable")
    factors = np.arange(len(p_values), 0, -1)[:, None]
    scaled = np.minimum(1.0, np.take_along_axis(p_values, order, axis=0) * factors)
    adjusted = np.empty(p_values.shape)
    np.put_along_axis(adjusted, order, np.maximum.accumulate(scaled, axis=0), axis=0)
    return adjusted
