"""The random block model of blocks with missing cells, by REML profiled over the variance ratio."""

from __future__ import annotations

from dataclasses import replace
from math import inf, log, pi

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.blocks.cross_products import (
    SILENT,
    BlockSizes,
    connected_candidates,
    reduce_blocks,
    rotated,
)
from reportgen.stats.blocks.fit_unit import fit_unit, in_unit
from reportgen.stats.blocks.kenward_roger import (
    FixedEffects,
    contrast_df,
    crossed,
    pair_df,
    scaled_f,
)
from reportgen.stats.blocks.model import EqualityTest
from reportgen.stats.distributions.tails import log_f_survival, probability
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.linear_algebra import ROUNDING
from reportgen.stats.roots import brentq

FARTHEST = 60.0  # of log(1 + n ratio): blocks that vary e^60 times as much as residuals
NEAREST = -12.0  # of the same: the means of the largest blocks are all but equal
STEP = 1.0  # of the same; between neighbours the criterion has one turning point at most

ABOVE = np.arange(0.0, FARTHEST + STEP, STEP)
BELOW = np.arange(NEAREST, STEP, STEP)
"""Grids of log(1 + n ratio) for ratios that are positive, and negative."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Least squares at a ratio of the block variance to the residual variance."""

    ratio: float
    coef: Array  # (K,)
    inverse: Array  # (K, K); covariance of `coef` for the residual variance 1
    variance: float  # REML estimate of the residual variance
    # criterion, slope: -2 log restricted likelihood, constants as in lme4, and its derivative in
    # the ratio
    criterion: float
    slope: float


def minimum(reduced: BlockSizes, grid: Array) -> Fit | None:
    """Return the least of the minima between the ends of a grid.

    `grid`: (G,); values of log(1 + n ratio), n the largest block size, ascending.
    Result: None without a minimum in between.
    """
    largest = float(reduced.sizes[-1])

    def slope(place: float) -> float:
        return fit_at(reduced, float(np.expm1(place)) / largest).slope

    def root(low: float, high: float) -> float:
        ends = slope(low), slope(high)
        if ends[0] < 0 <= ends[1]:
            return brentq(slope, low, high, xtol=1e-14, rtol=1e-14)
        return low if abs(ends[0]) < abs(ends[1]) else high  # a turn that is rounding

    slopes = _slopes(reduced, np.expm1(grid) / largest)
    turns = np.flatnonzero((slopes[:-1] < 0) & (slopes[1:] >= 0))
    roots = [root(float(grid[i]), float(grid[i + 1])) for i in turns]
    fits = [fit_at(reduced, float(np.expm1(place)) / largest) for place in roots]
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


UNKNOWN = 1e-8  # determinant of the scaled information below which a variance is not known


def estimated_effects(reduced: BlockSizes) -> tuple[Fit, FixedEffects]:
    """Return the REML fit and the fixed effects with the covariance that tests use.

    `reduced`: blocks by their numbers of values.
    Result: at the block variance of zero where the criterion has its minimum there; the means;
    their covariance is adjusted for the estimated variances (Kenward and Roger 1997), or, at zero,
    rests on the REML estimates without the constraint.
    """
    at_zero, inside = fit_at(reduced, 0.0), minimum(reduced, ABOVE)
    if inside is not None and (at_zero.slope < 0 or inside.criterion < at_zero.criterion):
        return inside, _interior(reduced, inside)
    below = minimum(reduced, BELOW)
    if below is None or not _is_informative(reduced, below):
        return at_zero, _interior(reduced, at_zero)
    return at_zero, _boundary(reduced, at_zero, below)


def candidate_effects(effects: FixedEffects, axes: Array, coef: Array) -> FixedEffects:
    """Return the effects of the candidates in place of those of the axes.

    `axes`: (K, K); the axes as columns.
    `coef`: (K,); the means of the candidates.
    """
    return replace(
        effects,
        coef=coef,
        covariance=axes @ effects.covariance @ axes.T,
        adjusted=axes @ effects.adjusted @ axes.T,
        derivatives=axes @ effects.derivatives @ axes.T,
    )


def equality_of(effects: FixedEffects, contrasts: Array) -> EqualityTest | None:
    """Test equality of the means by K - 1 contrasts; None where it cannot be tested."""
    found = scaled_f(effects, contrasts)
    if found is None:
        return None
    log_p = log_f_survival(found.statistic, found.df1, found.df2)
    return EqualityTest(found.statistic, found.df1, found.df2, probability(log_p), log_p / log(10))


@dataclass(frozen=True, slots=True)
class _Moments:
    """The parts of the covariance of the estimates; components: residual, block."""

    inverse: Array  # (K, K); Phi, the inverse of X'V^-1 X
    first: Array  # (2, K, K); X' V^-1 G_i V^-1 X for the derivatives G_i of V
    second: Array  # (2, 2, K, K); X' V^-1 G_i V^-1 G_j V^-1 X
    components_covariance: Array  # (2, 2); twice the inverse of the expected information


def _is_informative(reduced: BlockSizes, fit: Fit) -> bool:
    """Whether both variances are known; the largest blocks may be too few for both."""
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
    gaps = seen.second - crossed(seen.first, phi)
    added = phi @ np.tensordot(seen.components_covariance, gaps, 2) @ phi
    return FixedEffects(
        fit.coef, phi, phi + 2 * added, phi @ seen.first @ phi, seen.components_covariance
    )


def _boundary(reduced: BlockSizes, fit: Fit, below: Fit) -> FixedEffects:
    """Return the plain means with the covariance that unconstrained variances give them."""
    # The weights are fixed, so the covariance is linear in the variances, and
    # nothing has to be adjusted.
    plain = fit.inverse
    blocks = plain @ np.tensordot(reduced.sizes, reduced.between_xx, 1) @ plain
    covariance = below.variance * (plain + below.ratio * blocks)
    spread = _moments(reduced, below).components_covariance
    return FixedEffects(fit.coef, covariance, covariance, np.array([plain, blocks]), spread)


@dataclass(frozen=True, slots=True)
class IncompleteBlockModel:
    r"""Estimates of :math:`p_{bk} = \kappa_k + \beta_b + \epsilon_{bk}` with gaps.

    Attributes
    ----------
    means : ndarray of shape (K,)
        Generalised least squares estimates of the kappa.
    n_values : ndarray of shape (K,), int
        Values of each candidate.
    block_effects : ndarray of shape (B,)
        Predictions (BLUP) of the beta; 0 for a block without a value.
    variance, block_variance : float
        REML estimates of the variances of epsilon and beta.
    is_boundary : bool
        Whether `block_variance` is 0 because blocks vary less than residuals.
    icc : float
        block_variance / (block_variance + variance).
    reml_criterion : float
        -2 log restricted likelihood at the estimates, constants as in lme4.
    equality : EqualityTest or None
        Kenward and Roger's F test of equal means; None where it breaks down.
    standard_errors, standard_error_df : ndarray of shape (K,)
        Of the single means.
    estimates : ParameterEstimates
        The means, their covariance as adjusted by Kenward and Roger, and the
        smallest degrees of freedom of all pairs.
    pair_df : ndarray of shape (P,)
        Degrees of freedom of each pair, in the order of `all_pairs`.
    asymptotic : ParameterEstimates
        The means, their covariance as if the variances were known, and infinite
        degrees of freedom.
    linked : ndarray of shape (K,), int
        Candidates with different numbers are never, not even through others,
        compared within blocks.
    """

    means: Array
    n_values: NDArray[np.intp]
    block_effects: Array
    variance: float
    block_variance: float
    is_boundary: bool
    icc: float
    reml_criterion: float
    equality: EqualityTest | None
    standard_errors: Array
    standard_error_df: Array
    estimates: ParameterEstimates
    pair_df: Array
    asymptotic: ParameterEstimates
    linked: NDArray[np.intp]


def fit_incomplete_blocks(values: Array) -> IncompleteBlockModel:
    r"""Fit the random block model to all available values by REML.

    `values`: (B, K); one row a block, NaN where there is no value; every candidate has one.
    Raises ValueError if `values` is no such matrix, K < 2, `residual_df` is 0, or there is no
    residual variance.

    Notes
    -----
    With the ratio :math:`\lambda = \sigma_\beta^2 / \sigma^2` the inverse
    covariance of a block of n values is
    :math:`\sigma^{-2} \{E + F / (1 + n \lambda)\}`, F the projection on the
    mean and E = I - F. Means and residual variance are closed forms given
    :math:`\lambda`; the remaining function of :math:`\lambda` is minimised over
    :math:`\lambda \ge 0` at the roots of its derivative, all of which a grid
    brackets.

    Where the minimum is at 0, the means are the plain means, and their
    covariance rests on the REML estimates without the constraint, as the exact
    test of complete blocks does: blocks then vary less than residuals, and a
    covariance that ignores it would be too small. For complete blocks all
    results are those of `fit_block_model`.

    References
    ----------
    .. [1] H. D. Patterson and R. Thompson (1971), "Recovery of inter-block
       information when block sizes are unequal", Biometrika 58.
    .. [2] M. G. Kenward and J. H. Roger (1997), "Small sample inference for
       fixed effects from restricted maximum likelihood", Biometrics 53.

    Examples
    --------
    >>> blocks = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, np.nan], [2.0, 5.0]])
    >>> model = fit_incomplete_blocks(blocks)
    >>> model.means.round(4), model.n_values
    (array([2., 4.]), array([4, 3]))
    >>> round(model.equality.df2, 2)
    2.17
    """
    observed = _check(values)
    unit = fit_unit([values])
    if unit != 1:
        n_free = int(observed.sum()) - observed.shape[1]
        return in_unit(fit_incomplete_blocks(values / unit), unit, n_free)
    centre = _within_means(values)
    reduced, axes = rotated(reduce_blocks(values - centre))
    fit, effects = estimated_effects(reduced)
    means = centre + axes @ fit.coef
    effects = replace(effects, coef=axes.T @ means)
    # of the axes: the level keeps its digits apart
    of_pairs, equality = pair_df(effects, axes), equality_of(effects, axes[0] - axes[1:])
    centred = axes - axes.mean(axis=0)
    apart, asymptotic_apart = (
        centred @ c @ centred.T for c in (effects.adjusted, effects.covariance)
    )
    effects = candidate_effects(effects, axes, means)
    block_variance = fit.ratio * fit.variance
    return IncompleteBlockModel(
        means=means,
        n_values=observed.sum(axis=0),
        block_effects=_block_effects(values - means, observed, fit.ratio),
        variance=fit.variance,
        block_variance=block_variance,
        is_boundary=fit.ratio == 0,
        icc=block_variance / (block_variance + fit.variance),
        reml_criterion=fit.criterion,
        equality=equality,
        standard_errors=np.sqrt(np.diagonal(effects.adjusted)),
        standard_error_df=contrast_df(effects, np.eye(len(means))),
        estimates=ParameterEstimates(means, effects.adjusted, float(of_pairs.min()), apart),
        pair_df=of_pairs,
        asymptotic=ParameterEstimates(means, effects.covariance, inf, asymptotic_apart),
        linked=connected_candidates(observed),
    )


def residual_df(observed: NDArray[np.bool_]) -> int:
    """Return the degrees of freedom of the residuals within blocks.

    `observed`: (B, K); which cells have a value.
    Result: values less blocks with a value, less candidates with a value, plus the number of parts
    of the design that no block links.

    Examples
    --------
    >>> residual_df(np.array([[True, True], [True, True], [True, False]]))
    1
    """
    present = observed[observed.any(axis=1)][:, observed.any(axis=0)]
    if not present.size:
        return 0
    n_parts = len(np.unique(connected_candidates(present)))
    return int(present.sum()) - sum(present.shape) + n_parts


def has_residual_variance(values: Array) -> bool:
    """Whether candidates' differences vary over blocks beyond rounding.

    `values`: (B, K); NaN where there is no value.

    Examples
    --------
    >>> has_residual_variance(np.array([[0.1, 0.2], [0.4, 0.5], [0.7, np.nan]]))
    False
    """
    observed = np.isfinite(values)
    used = values[observed.any(axis=1)][:, observed.any(axis=0)]
    if not used.size:
        return False
    is_there = np.isfinite(used)
    adjusted = used - _within_means(used)
    residuals = adjusted - np.nanmean(adjusted, axis=1, keepdims=True)
    largest = float(np.abs(residuals[is_there]).max())
    return largest > ROUNDING * float(np.abs(used[is_there]).max())


def _within_means(values: Array) -> Array:
    """Return means that comparisons within blocks give: those of values less them are near 0."""
    # Plain means differ by the levels of the blocks that some candidates lack, next to which small
    # residuals would lose their digits.
    centre = np.nanmean(values, axis=0)
    reduced = reduce_blocks(values - centre)
    inverse = np.linalg.pinv(reduced.within_xx, rcond=SILENT, hermitian=True)
    return np.asarray(centre + inverse @ reduced.within_xy, dtype=np.float64)


def _check(values: Array) -> NDArray[np.bool_]:
    """Return which cells have a value; raise an error where the model cannot be fitted."""
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"blocks must have shape (B, K) with K >= 2, got {values.shape}")
    if np.isinf(values).any():
        raise ValueError("blocks must hold numbers, and NaN for what is missing")
    observed = np.isfinite(values)
    if not observed.any(axis=0).all():
        raise ValueError("a candidate has no value")
    if residual_df(observed) < 1:
        raise ValueError("the values do not separate blocks from residuals: no degrees of freedom")
    if not has_residual_variance(values):
        raise ValueError(
            "the block model needs residual variance: the differences of the candidates are "
            "the same in every block"
        )
    return observed


def _block_effects(residuals: Array, observed: NDArray[np.bool_], ratio: float) -> Array:
    """Predict the effects of the blocks."""
    sums = np.where(observed, residuals, 0.0).sum(axis=1)
    effects: Array = ratio * sums / (1 + ratio * observed.sum(axis=1))
    return effects
