"""The random block model of blocks with missing cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_model import EqualityF
from reportgen.stats.block_sizes import SILENT, components, reduce_blocks, rotated
from reportgen.stats.incomplete_block_effects import (
    equality_of,
    estimated_effects,
    turned_back,
)
from reportgen.stats.kenward_roger import contrast_df
from reportgen.stats.linear_algebra import ROUNDING
from reportgen.stats.parameters import ParameterEstimates
from reportgen.stats.simultaneous import pair_contrasts

Array = NDArray[np.float64]


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
    equality : EqualityF or None
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
    equality: EqualityF | None
    standard_errors: Array
    standard_error_df: Array
    estimates: ParameterEstimates
    pair_df: Array
    asymptotic: ParameterEstimates
    linked: NDArray[np.intp]


def fit_incomplete_blocks(values: Array) -> IncompleteBlockModel:
    r"""Fit the random block model to all available values by REML.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a block, NaN where there is no value; every candidate has one.

    Returns
    -------
    IncompleteBlockModel

    Raises
    ------
    ValueError
        If `values` is no such matrix, K < 2, `residual_df` is 0, or there is
        no residual variance.

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
    observed = _checked(values)
    centre = _within_means(values)
    reduced, axes = rotated(reduce_blocks(values - centre))
    fit, effects = estimated_effects(reduced)
    means = centre + axes @ fit.coef
    contrasts = pair_contrasts(len(means)) @ axes  # of the axes: the level keeps its digits apart
    effects = replace(effects, coef=axes.T @ means)
    pair_df, equality = contrast_df(effects, contrasts), equality_of(effects, contrasts)
    centred = axes - axes.mean(axis=0)
    apart, asymptotic_apart = (
        centred @ c @ centred.T for c in (effects.adjusted, effects.covariance)
    )
    effects = turned_back(effects, axes, means)
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
        estimates=ParameterEstimates(means, effects.adjusted, float(pair_df.min()), apart),
        pair_df=pair_df,
        asymptotic=ParameterEstimates(means, effects.covariance, inf, asymptotic_apart),
        linked=components(observed),
    )


def residual_df(observed: NDArray[np.bool_]) -> int:
    """Return the degrees of freedom of the residuals within blocks.

    Parameters
    ----------
    observed : ndarray of shape (B, K), bool
        Which cells have a value.

    Returns
    -------
    int
        Values less blocks with a value, less candidates with a value, plus
        the number of parts of the design that no block links.

    Examples
    --------
    >>> residual_df(np.array([[True, True], [True, True], [True, False]]))
    1
    """
    present = observed[observed.any(axis=1)][:, observed.any(axis=0)]
    if not present.size:
        return 0
    n_parts = len(np.unique(components(present)))
    return int(present.sum()) - sum(present.shape) + n_parts


def has_residual_variance(values: Array) -> bool:
    """Whether candidates' differences vary over blocks beyond rounding.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        NaN where there is no value.

    Returns
    -------
    bool

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
    """Return means that comparisons within blocks give: those of values less them are near 0.

    Plain means differ by the levels of the blocks that some candidates lack, beside which small
    residuals would lose their digits.
    """
    centre = np.nanmean(values, axis=0)
    reduced = reduce_blocks(values - centre)
    inverse = np.linalg.pinv(reduced.within_xx, rcond=SILENT, hermitian=True)
    return np.asarray(centre + inverse @ reduced.within_xy, dtype=np.float64)


def _checked(values: Array) -> NDArray[np.bool_]:
    """Return which cells have a value, or say why the model cannot be fitted."""
    if values.ndim != 2 or values.shape[1] < 2:
        raise ValueError(f"blocks must have shape (B, K) with K >= 2, got {values.shape}")
    if np.isinf(values).any():
        raise ValueError("blocks must hold numbers, and NaN for what is missing")
    observed = np.isfinite(values)
    if not observed.any(axis=0).all():
        raise ValueError("a candidate has no value")
    if residual_df(observed) < 1:
        raise ValueError("the values do not tell blocks from residuals: no degrees of freedom")
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
