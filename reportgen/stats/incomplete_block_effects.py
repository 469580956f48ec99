"""Fixed effects of the random block model of blocks with missing cells, and their covariance."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_model import EqualityF
from reportgen.stats.block_reml import ABOVE, BELOW, Fit, fit_at, minimum
from reportgen.stats.block_sizes import BlockSizes
from reportgen.stats.kenward_roger import FixedEffects, scaled_f
from reportgen.stats.tails import log_f_survival, probability

Array = NDArray[np.float64]

UNKNOWN = 1e-8  # determinant of the scaled information below which a variance is not known


def estimated_effects(reduced: BlockSizes) -> tuple[Fit, FixedEffects]:
    """Return the REML fit and the fixed effects with the covariance that tests use.

    Parameters
    ----------
    reduced : BlockSizes
        Blocks by their numbers of values.

    Returns
    -------
    Fit
        At the block variance of zero where the criterion has its minimum there.
    FixedEffects
        The means; their covariance is adjusted for the estimated variances (Kenward and Roger
        1997), or, at zero, rests on the REML estimates without the constraint.
    """
    at_zero, inside = fit_at(reduced, 0.0), minimum(reduced, ABOVE)
    if inside is not None and (at_zero.slope < 0 or inside.criterion < at_zero.criterion):
        return inside, _interior(reduced, inside)
    below = minimum(reduced, BELOW)
    if below is None or not _is_informative(reduced, below):
        return at_zero, _interior(reduced, at_zero)
    return at_zero, _boundary(reduced, at_zero, below)


def turned_back(effects: FixedEffects, axes: Array, coef: Array) -> FixedEffects:
    """Return the effects of the candidates in place of those of the axes.

    Parameters
    ----------
    effects : FixedEffects
    axes : ndarray of shape (K, K)
        The axes as columns.
    coef : ndarray of shape (K,)
        The means of the candidates.
    """
    return replace(
        effects,
        coef=coef,
        covariance=axes @ effects.covariance @ axes.T,
        adjusted=axes @ effects.adjusted @ axes.T,
        derivatives=axes @ effects.derivatives @ axes.T,
    )


def equality_of(effects: FixedEffects, contrasts: Array) -> EqualityF | None:
    """Test equality of the means by the contrasts of all pairs; None where it cannot be tested."""
    found = scaled_f(effects, contrasts[: len(effects.coef) - 1])
    if found is None:
        return None
    log_p = log_f_survival(found.statistic, found.df1, found.df2)
    return EqualityF(found.statistic, found.df1, found.df2, probability(log_p), log_p / log(10))


@dataclass(frozen=True, slots=True)
class _Moments:
    """What the covariance of the estimates is made of; components: residual, block.

    Attributes
    ----------
    inverse : ndarray of shape (K, K)
        Phi, the inverse of X'V^-1 X.
    first : ndarray of shape (2, K, K)
        X' V^-1 G_i V^-1 X for the derivatives G_i of V.
    second : ndarray of shape (2, 2, K, K)
        X' V^-1 G_i V^-1 G_j V^-1 X.
    components_covariance : ndarray of shape (2, 2)
        Twice the inverse of the expected information.
    """

    inverse: Array
    first: Array
    second: Array
    components_covariance: Array


def _is_informative(reduced: BlockSizes, fit: Fit) -> bool:
    """Whether both variances are known; the largest blocks may be too few to tell."""
    information = _cross_products(reduced, fit)[3]
    scale = np.sqrt(np.abs(np.diagonal(information)))
    if not (np.diagonal(information) > 0).all():
        return False
    return float(np.linalg.det(information / np.outer(scale, scale))) > UNKNOWN


def _moments(reduced: BlockSizes, fit: Fit) -> _Moments:
    """Evaluate the moments at a fit."""
    inverse, first, second, information = _cross_products(reduced, fit)
    spread: Array = np.asarray(2 * np.linalg.inv(information), np.float64)
    return _Moments(inverse, first, second, spread)


def _cross_products(reduced: BlockSizes, fit: Fit) -> tuple[Array, Array, Array, Array]:
    """Return the first three of the moments, and twice the expected information."""
    n, counts = reduced.sizes, reduced.counts
    precision = 1 / fit.variance
    between = precision / (1 + fit.ratio * n)
    powers = np.array([[np.ones_like(n), n], [n, n**2]])
    first = np.tensordot(powers[0] * between**2, reduced.between_xx, 1)
    first[0] += precision**2 * reduced.within_xx
    second = np.tensordot(powers * between**3, reduced.between_xx, 1)
    second[0, 0] += precision**3 * reduced.within_xx
    traces = (powers * between**2) @ counts
    traces[0, 0] += precision**2 * float((n - 1) @ counts)
    inverse = fit.variance * fit.inverse
    half = inverse @ first
    information = (
        traces
        - 2 * np.einsum("kl,ijlk->ij", inverse, second)
        + np.einsum("ikl,jlk->ij", half, half)
    )
    return inverse, first, second, information


def _interior(reduced: BlockSizes, fit: Fit) -> FixedEffects:
    """Adjust the covariance for the estimated weights (Kenward and Roger 1997, section 2)."""
    seen = _moments(reduced, fit)
    phi = seen.inverse
    gaps = seen.second - np.einsum("ikl,lm,jmn->ijkn", seen.first, phi, seen.first)
    added = phi @ np.tensordot(seen.components_covariance, gaps, 2) @ phi
    return FixedEffects(
        fit.coef, phi, phi + 2 * added, phi @ seen.first @ phi, seen.components_covariance
    )


def _boundary(reduced: BlockSizes, fit: Fit, below: Fit) -> FixedEffects:
    """Return the plain means with the covariance that unconstrained variances give them.

    The weights are fixed, so the covariance is linear in the variances, and
    nothing has to be adjusted.
    """
    plain = fit.inverse
    blocks = plain @ np.tensordot(reduced.sizes, reduced.between_xx, 1) @ plain
    covariance = below.variance * (plain + below.ratio * blocks)
    spread = _moments(reduced, below).components_covariance
    return FixedEffects(fit.coef, covariance, covariance, np.array([plain, blocks]), spread)
