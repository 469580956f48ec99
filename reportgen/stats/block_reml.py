"""Profiled REML of the random block model, given the ratio of its two variances."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

from reportgen.stats.block_sizes import BlockSizes

Array = NDArray[np.float64]

FARTHEST = 60.0  # of log(1 + n ratio): blocks that vary e^60 times as much as residuals
NEAREST = -12.0  # of the same: the means of the largest blocks are all but equal
STEP = 1.0  # of the same; between neighbours the criterion has one turning point at most

ABOVE = np.arange(0.0, FARTHEST + STEP, STEP)
BELOW = np.arange(NEAREST, STEP, STEP)
"""Grids of log(1 + n ratio) for ratios that are positive, and negative."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Least squares at a ratio of the block variance to the residual variance.

    Attributes
    ----------
    ratio : float
    coef : ndarray of shape (K,)
    inverse : ndarray of shape (K, K)
        Covariance of `coef` for the residual variance 1.
    variance : float
        REML estimate of the residual variance.
    criterion, slope : float
        -2 log restricted likelihood, constants as in lme4, and its derivative
        in the ratio.
    """

    ratio: float
    coef: Array
    inverse: Array
    variance: float
    criterion: float
    slope: float


def minimum(reduced: BlockSizes, grid: Array) -> Fit | None:
    """Return the least of the minima between the ends of a grid.

    Parameters
    ----------
    reduced : BlockSizes
    grid : ndarray of shape (G,)
        Values of log(1 + n ratio), n the largest block size, ascending.

    Returns
    -------
    Fit or None
        None without a minimum in between.
    """
    largest = float(reduced.sizes[-1])

    def slope(place: float) -> float:
        return fit_at(reduced, float(np.expm1(place)) / largest).slope

    slopes = _slopes(reduced, np.expm1(grid) / largest)
    turns = np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] >= 0))
    roots = [brentq(slope, grid[i], grid[i + 1], xtol=1e-14, rtol=1e-14) for i in turns]
    fits = [fit_at(reduced, float(np.expm1(root)) / largest) for root in roots]
    return min(fits, key=lambda fit: fit.criterion, default=None)


def fit_at(reduced: BlockSizes, ratio: float) -> Fit:
    """Solve the least squares problem at a ratio of the variances."""
    growth = 1 + ratio * reduced.sizes
    weights = 1 / growth
    xx = reduced.within_xx + np.tensordot(weights, reduced.between_xx, 1)
    xy = reduced.within_xy + weights @ reduced.between_xy
    yy = reduced.within_yy + float(weights @ reduced.between_yy)
    scale = 1 / np.sqrt(np.diagonal(xx))
    inverse = np.linalg.inv(xx * np.outer(scale, scale)) * np.outer(scale, scale)
    coef = inverse @ xy
    df = reduced.n_values - len(coef)
    variance = (yy - float(xy @ coef)) / df
    rates = reduced.sizes * weights**2
    leverage = np.einsum("kl,slk->s", inverse, reduced.between_xx)
    slope = (
        float(reduced.counts @ (reduced.sizes * weights))
        - float(rates @ leverage)
        - float(rates @ _block_squares(reduced, coef)) / variance
    )
    criterion = (
        df * (1 + log(2 * pi * variance))
        + float(reduced.counts @ np.log(growth))
        + float(np.linalg.slogdet(xx).logabsdet)
    )
    return Fit(ratio, coef, inverse, variance, criterion, slope)


def _slopes(reduced: BlockSizes, ratios: Array) -> Array:
    """Return the slopes of `fit_at` at ratios of shape (G,), all at once."""
    weights = 1 / (1 + ratios[:, None] * reduced.sizes)
    xx = reduced.within_xx + np.tensordot(weights, reduced.between_xx, 1)
    xy = reduced.within_xy + weights @ reduced.between_xy
    scale = 1 / np.sqrt(np.einsum("gkk->gk", xx))
    scales = scale[:, :, None] * scale[:, None]
    inverse = np.linalg.inv(xx * scales) * scales
    coef = np.einsum("gkl,gl->gk", inverse, xy)
    yy = reduced.within_yy + weights @ reduced.between_yy
    variance = (yy - np.einsum("gk,gk->g", xy, coef)) / (reduced.n_values - coef.shape[1])
    rates = reduced.sizes * weights**2
    leverage = np.einsum("gkl,slk->gs", inverse, reduced.between_xx)
    squares = (
        reduced.between_yy
        - 2 * coef @ reduced.between_xy.T
        + np.einsum("gk,skl,gl->gs", coef, reduced.between_xx, coef, optimize=True)
    )
    spread = (rates * leverage).sum(axis=1) + (rates * squares).sum(axis=1) / variance
    slopes: Array = (reduced.sizes * weights) @ reduced.counts - spread
    return slopes


def _block_squares(reduced: BlockSizes, coef: Array) -> Array:
    """Return the sums of squares of the residuals' block means, by size."""
    squares: Array = (
        reduced.between_yy
        - 2 * reduced.between_xy @ coef
        + np.einsum("k,skl,l->s", coef, reduced.between_xx, coef)
    )
    return squares
