"""Normal quantile plots with a band that a whole sample leaves with a given probability."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincinv, ndtr, ndtri

Array = NDArray[np.float64]

MOST_POINTS = 200
EXTREMES = 10  # points at either end that are always kept


@dataclass(frozen=True, slots=True)
class NormalPlot:
    """Order statistics of a sample against normal quantiles.

    Attributes
    ----------
    n_values : int
        Size of the sample.
    scale : float
        Root mean square by which it is divided.
    theoretical, ordered : ndarray of shape (P,)
        Normal quantiles and standardised values; all of them, or some 200 with
        the extremes.
    lower, upper : ndarray of shape (P,)
        Band that no point leaves with probability 1 - alpha if errors are
        normal; every point has the same probability to leave it.
    pointwise_lower, pointwise_upper : ndarray of shape (P,)
        Bounds that each point of an independent sample leaves with probability
        alpha.
    n_outside : int
        Points outside the simultaneous band.
    p_value : float
        Monte Carlo test of normality: at most alpha exactly when a point lies
        outside.
    alpha : float
    """

    n_values: int
    scale: float
    theoretical: Array
    ordered: Array
    lower: Array
    upper: Array
    pointwise_lower: Array
    pointwise_upper: Array
    n_outside: int
    p_value: float
    alpha: float


def shown_places(n_values: int) -> NDArray[np.intp]:
    """Return which order statistics are shown, from 0: all, or about 200 of them.

    Parameters
    ----------
    n_values : int

    Returns
    -------
    ndarray of int, ascending
        Both ends, and in between as evenly as can be in normal quantiles.

    Examples
    --------
    >>> shown_places(4)
    array([0, 1, 2, 3])
    >>> len(shown_places(10_000)) <= MOST_POINTS
    True
    """
    if n_values <= MOST_POINTS:
        return np.arange(n_values, dtype=np.intp)
    end = float(ndtri(0.5 / n_values))
    grid = np.linspace(end, -end, MOST_POINTS - 2 * EXTREMES)
    places = np.floor(n_values * ndtr(grid)).astype(np.intp)
    ends = np.arange(EXTREMES)
    return np.unique(np.concatenate([ends, places, n_values - 1 - ends]).clip(0, n_values - 1))


def standardised(samples: Array, places: NDArray[np.intp]) -> Array:
    """Divide samples by their root mean squares, and return some of their order statistics.

    Parameters
    ----------
    samples : ndarray of shape (R, n)
    places : ndarray of shape (P,), int

    Returns
    -------
    ndarray of shape (R, P)
    """
    scales = np.sqrt((samples**2).mean(axis=1, keepdims=True))
    ordered: Array = np.sort(samples / scales, axis=1)[:, places]
    return ordered


def normal_plot(sample: Array, simulated: Array, alpha: float = 0.05) -> NormalPlot:
    r"""Compare a sample with what it looks like when errors are normal.

    Parameters
    ----------
    sample : ndarray of shape (n,)
        With expectation 0, n >= 2; need not be independent.
    simulated : ndarray of shape (R, P)
        By `standardised` at `shown_places`, of R samples that arise in the same
        way from normal errors.
    alpha : float, default 0.05
        At least 1 / (R + 1).

    Returns
    -------
    NormalPlot

    Raises
    ------
    ValueError
        If the sample does not vary, or there are too few simulated samples.

    Notes
    -----
    The i-th of n independent standard normal values lies between the normal
    quantiles of the :math:`\eta/2` and :math:`1-\eta/2` points of the
    Beta(i, n+1-i) law with probability :math:`1-\eta`. The level :math:`\eta` is
    chosen such that a share 1 - alpha of the simulated samples stays inside
    everywhere [1]_, so that the scale may be estimated and values may depend on
    each other.

    References
    ----------
    .. [1] S. Aldor-Noiman, L. D. Brown, A. Buja, W. Rolke and R. A. Stine
       (2013), "The power to see: a new graphical test of normality", The
       American Statistician 67.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> simulated = standardised(rng.normal(size=(199, 50)), shown_places(50))
    >>> plot = normal_plot(rng.normal(size=50), simulated)
    >>> plot.n_outside, plot.p_value > 0.05
    (0, True)
    """
    n_values, rank = len(sample), floor(alpha * (len(simulated) + 1))
    if rank < 1:
        raise ValueError(f"{len(simulated)} simulated samples are too few for alpha = {alpha}")
    scale = float(np.sqrt((sample**2).mean()))
    if not scale > 0:
        raise ValueError("a normal plot needs a sample that varies")
    places = shown_places(n_values)
    ordered = np.sort(sample / scale)[places]
    levels = np.sort(_local_level(simulated, places, n_values))
    own, critical = float(_local_level(ordered[None], places, n_values)[0]), levels[rank - 1]
    lower, upper = _bounds(critical, places, n_values)
    pointwise_lower, pointwise_upper = _bounds(alpha, places, n_values)
    return NormalPlot(
        n_values=n_values,
        scale=scale,
        theoretical=_quantiles(places, n_values),
        ordered=ordered,
        lower=lower,
        upper=upper,
        pointwise_lower=pointwise_lower,
        pointwise_upper=pointwise_upper,
        n_outside=int((_levels(ordered, places, n_values) < critical).sum()),
        p_value=(1 + int((levels <= own).sum())) / (1 + len(levels)),
        alpha=alpha,
    )


def _quantiles(places: NDArray[np.intp], n_values: int) -> Array:
    """Return the normal quantiles that R plots against (its ppoints)."""
    offset = 3 / 8 if n_values <= 10 else 1 / 2
    return np.asarray(ndtri((places + 1 - offset) / (n_values + 1 - 2 * offset)))


def _levels(ordered: Array, places: NDArray[np.intp], n_values: int) -> Array:
    """Return how extreme each order statistic is: twice its smaller tail probability."""
    a, b = places + 1.0, n_values - places.astype(np.float64)
    is_low = ndtr(ordered) < betaincinv(a, b, 0.5)  # left of its median: that tail is smaller
    first, second = np.where(is_low, a, b), np.where(is_low, b, a)
    return np.asarray(2 * betainc(first, second, ndtr(np.where(is_low, ordered, -ordered))))


def _local_level(ordered: Array, places: NDArray[np.intp], n_values: int) -> Array:
    """Return the level of the most extreme point of every sample."""
    return np.asarray(_levels(ordered, places, n_values).min(axis=-1))


def _bounds(level: float, places: NDArray[np.intp], n_values: int) -> tuple[Array, Array]:
    """Return what each order statistic leaves to either side with probability level / 2."""
    a, b = places + 1.0, n_values - places.astype(np.float64)
    lower = ndtri(betaincinv(a, b, level / 2))
    upper = -ndtri(betaincinv(b, a, level / 2))
    return np.asarray(lower), np.asarray(upper)
