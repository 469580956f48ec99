r"""The domain model with a free covariance where data sets have no value of some candidates.

M vectors :math:`y_m \sim N(\kappa, \Omega)` are independent, and of each only some
elements are observed. REML estimates a free :math:`\Omega` [1]_, and Kenward and Roger's
tests stand on it [2]_: complete vectors have Student's t and Hotelling's test.

References
----------
.. [1] R. I. Jennrich and M. D. Schluchter (1986), "Unbalanced repeated-measures
   models with structured covariance matrices", Biometrics 42.
.. [2] M. G. Kenward and J. H. Roger (1997), "Small sample inference for fixed
   effects from restricted maximum likelihood", Biometrics 53.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.blocks.kenward_roger import FixedEffects, contrast_df, scaled_f
from reportgen.stats.blocks.model import EqualityTest
from reportgen.stats.domain.model import equality_f, hotelling
from reportgen.stats.multiplicity.simultaneous import (
    Differences,
    pair_contrasts,
    paired_differences,
)

Array = NDArray[np.float64]

LARGEST = 30  # elements of a vector; their covariance has 465 parameters
MOST_STEPS, MOST_HALVINGS = 100, 30
STEP = 1e-10  # in standard errors of the parameters: a shorter step is none
FLAT = 1e-5  # of the same: what is no farther from the optimum is there
SINGULAR = 1e-8  # least eigenvalue of the correlations: below it they are singular
ROUNDING = 1e-12  # of the means: what varies less does not vary
UNKNOWN = 1e-8  # least eigenvalue of the information over its mean: below it, some is lacking


class NoFreeCovarianceError(ValueError):
    """A free covariance that the data sets do not determine."""


@dataclass(frozen=True, slots=True)
class FreeMeans:
    """REML estimates of vectors with a free covariance.

    Attributes
    ----------
    covariance : ndarray of shape (K, K)
        Of a vector.
    effects : FixedEffects
        The means, and how well they are known.
    """

    covariance: Array
    effects: FixedEffects


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Vectors of which the same elements are seen; Y has a row each."""

    seen: NDArray[np.intp]
    values: Array


@dataclass(frozen=True, slots=True)
class _Fit:
    """Estimates at a covariance; W is the inverse of what is seen of it, elsewhere 0.

    Attributes
    ----------
    omega, phi : ndarray of shape (K, K)
        Covariances of a vector, and of the estimates.
    kappa : ndarray of shape (K,)
    criterion : float
        Of REML, but for a constant.
    weights : tuple of ndarray of shape (K, K)
        W by pattern.
    pulled : tuple of ndarray of shape (n, K)
        W r of the residuals r, by pattern.
    """

    omega: Array
    phi: Array
    kappa: Array
    criterion: float
    weights: tuple[Array, ...]
    pulled: tuple[Array, ...]


@dataclass(frozen=True, slots=True)
class _Slopes:
    """First and second derivatives by the elements on and below the diagonal of a factor.

    The covariance is L (I + F) L' with F = 0 where the derivatives are taken: in
    terms of F their size depends neither on the covariance nor on its condition.

    Attributes
    ----------
    basis : ndarray of shape (K^2, C)
        The symmetric matrices E_i that the elements of F stand for, as vectors.
    products : ndarray of shape (K^2, K^2)
        Sum over vectors of the Kronecker products of W with itself.
    gradient : ndarray of shape (C,)
        Of the criterion.
    information : ndarray of shape (C, C)
        Expected, of the restricted likelihood.
    observed : ndarray of shape (C, C)
        The same as it is with these vectors: half the criterion's second derivatives.
    """

    basis: Array
    products: Array
    gradient: Array
    information: Array
    observed: Array


def fit_free_means(means: Array) -> FreeMeans:
    """Estimate the means of vectors with missing elements, and their precision.

    Parameters
    ----------
    means : ndarray of shape (M, K)
        NaN where an element lacks; every column has a value.

    Returns
    -------
    FreeMeans

    Raises
    ------
    NoFreeCovarianceError
        If there is no optimum, as there are too few vectors, an element never
        varies, or elements go along with one another.

    Notes
    -----
    Newton's steps or Fisher's scoring, damped. Vectors without any element carry no information.

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0], [4.0, np.nan]])
    >>> fit_free_means(rows).effects.coef.round(4)
    array([2.5 , 4.75])
    """
    centre, unit = np.nanmean(means, axis=0), np.nanstd(means, axis=0)
    if (unit <= ROUNDING * np.nanmax(np.abs(means), axis=0)).any():
        raise NoFreeCovarianceError("a candidate has the same mean on all data sets")
    scaled = (means - centre) / unit
    patterns = _patterns(scaled)
    fit = _evaluate(patterns, _start(scaled))
    size = inf
    for _ in range(MOST_STEPS):
        if fit is None:
            break
        slopes = _slopes(patterns, fit)
        step, size = _step(slopes)
        moved = _move(patterns, fit, step) if size > STEP else None
        if moved is None:
            break
        fit = moved
    if fit is None or size > FLAT:
        raise NoFreeCovarianceError(
            "the data sets are too few for a free covariance of the candidates"
        )
    found, units = _effects(patterns, fit), np.outer(unit, unit)
    effects = FixedEffects(
        coef=centre + unit * found.coef,
        covariance=found.covariance * units,
        adjusted=found.adjusted * units,
        derivatives=found.derivatives * units,
        components_covariance=found.components_covariance,
    )
    return FreeMeans(fit.omega * units, effects)


def _patterns(means: Array) -> tuple[_Pattern, ...]:
    """Group the vectors by what is seen of them."""
    observed = np.isfinite(means)
    found = []
    for mask in np.unique(observed[observed.any(axis=1)], axis=0):
        own = means[(observed == mask).all(axis=1)]
        found.append(_Pattern(np.flatnonzero(mask), own[:, mask]))
    return tuple(found)


def _start(means: Array) -> Array:
    """Mix the covariance of the vectors, gaps filled at their own level, with its diagonal."""
    rows = means[np.isfinite(means).any(axis=1)]
    centred = rows - np.nanmean(rows, axis=0)
    level = np.nanmean(centred, axis=1, keepdims=True)
    filled = np.where(np.isfinite(centred), centred, level)
    covariance = np.atleast_2d(np.cov(filled, rowvar=False))
    own = np.maximum(covariance.diagonal(), SINGULAR * float(covariance.trace()))
    start: Array = covariance / 2 + np.diag(own / 2)
    return start


def _least(omega: Array) -> float:
    """Return the least eigenvalue of the correlations."""
    scale = np.sqrt(omega.diagonal())
    return float(np.linalg.eigvalsh(omega / np.outer(scale, scale))[0])


def _evaluate(patterns: Sequence[_Pattern], omega: Array) -> _Fit | None:
    """Return estimates and criterion at a covariance; None where it is singular."""
    k = len(omega)
    if omega.diagonal().min() <= 0 or _least(omega) < SINGULAR:
        return None
    weights, information, right, log_det = [], np.zeros((k, k)), np.zeros(k), 0.0
    for own in patterns:
        seen = np.ix_(own.seen, own.seen)
        weight = np.zeros((k, k))
        weight[seen] = np.linalg.inv(omega[seen])
        weights.append(weight)
        information += len(own.values) * weight
        right += weight[:, own.seen] @ own.values.sum(axis=0)
        log_det += len(own.values) * float(np.linalg.slogdet(omega[seen]).logabsdet)
    phi = np.asarray(np.linalg.inv(information), dtype=np.float64)
    kappa = phi @ right
    pulled, square = [], 0.0
    for own, weight in zip(patterns, weights, strict=True):
        residuals = own.values - kappa[own.seen]
        pulled.append(residuals @ weight[own.seen])
        square += float((residuals * pulled[-1][:, own.seen]).sum())
    criterion = log_det + float(np.linalg.slogdet(information).logabsdet) + square
    return _Fit(omega, phi, kappa, criterion, tuple(weights), tuple(pulled))


def _basis(k: int) -> Array:
    """Return the symmetric matrices with one pair of ones as columns, shape (K^2, C)."""
    rows, columns = np.tril_indices(k)
    found = np.zeros((k, k, len(rows)))
    each = np.arange(len(rows))
    found[rows, columns, each] = found[columns, rows, each] = 1.0
    return found.reshape(k * k, len(rows))


def _slopes(patterns: Sequence[_Pattern], fit: _Fit) -> _Slopes:
    """Differentiate the criterion twice."""
    k, phi, weights = len(fit.kappa), fit.phi, np.stack(fit.weights)
    n = np.array([len(own.values) for own in patterns], dtype=np.float64)[:, None, None]
    through = weights @ phi @ weights
    outer = np.stack([u.T @ u for u in fit.pulled])
    sums = np.stack([u.sum(axis=0) for u in fit.pulled])
    root = np.linalg.cholesky(fit.omega)
    basis, products = np.kron(root, root) @ _basis(k), _kron_sum(n * weights, weights)
    linear = np.tensordot(weights, sums, axes=(0, 0)).reshape(k, k * k)
    pull = (n * (weights - through) - outer).sum(axis=0)
    expected = products - 2 * _kron_sum(n * weights, through)
    expected = expected + products @ np.kron(phi, phi) @ products
    information = _symmetric(basis.T @ expected @ basis) / 2
    actual = _kron_sum(weights, outer) - linear.T @ phi @ linear
    observed = _symmetric(basis.T @ actual @ basis) - information
    return _Slopes(basis, products, basis.T @ pull.ravel(), information, observed)


def _kron_sum(left: Array, right: Array) -> Array:
    """Return the sum of the Kronecker products of matrices, shapes (P, K, K), pair by pair."""
    k = left.shape[1]
    flat = left.reshape(-1, k * k).T @ right.reshape(-1, k * k)
    found: Array = flat.reshape(k, k, k, k).transpose(0, 2, 1, 3).reshape(k * k, k * k)
    return found


def _symmetric(matrix: Array) -> Array:
    found: Array = (matrix + matrix.T) / 2
    return found


def _step(slopes: _Slopes) -> tuple[Array, float]:
    """Return the next step as a matrix, and how far it goes in standard errors.

    It is Newton's where the criterion is convex, else a scoring step.
    """
    k = round(sqrt(len(slopes.basis)))
    if not _is_positive(slopes.information):
        return np.zeros((k, k)), inf
    curvature = slopes.observed if _is_positive(slopes.observed) else slopes.information
    step = np.linalg.solve(curvature, -slopes.gradient / 2)
    size = sqrt(max(0.0, float(step @ slopes.information @ step)))
    return (slopes.basis @ step).reshape(k, k), size


def _is_positive(matrix: Array) -> bool:
    """Whether a matrix of second derivatives is positive, and not by rounding alone."""
    size = float(np.abs(matrix.diagonal()).mean())
    return bool(np.linalg.eigvalsh(matrix)[0] > UNKNOWN * size)


def _move(patterns: Sequence[_Pattern], fit: _Fit, step: Array) -> _Fit | None:
    """Go as far along a step as the criterion falls; None where it does not."""
    for halvings in range(MOST_HALVINGS):
        found = _evaluate(patterns, fit.omega + step * 0.5**halvings)
        if found is not None and found.criterion < fit.criterion:
            return found
    return None


def _effects(patterns: Sequence[_Pattern], fit: _Fit) -> FixedEffects:
    """Return what tests by Kenward and Roger need."""
    k, phi = len(fit.kappa), fit.phi
    slopes = _slopes(patterns, fit)
    spread = np.linalg.inv(slopes.information)
    joint = slopes.basis @ spread @ slopes.basis.T
    weights = np.stack(fit.weights)
    n = np.array([len(own.values) for own in patterns], dtype=np.float64)
    inside = weights @ _contract(joint, weights) @ weights
    excess = np.tensordot(n, inside, axes=1)
    excess = excess - _contract(slopes.products @ joint @ slopes.products, phi[None])[0]
    added = phi @ excess @ phi
    first = (slopes.products @ slopes.basis).T.reshape(-1, k, k)
    return FixedEffects(
        coef=fit.kappa,
        covariance=phi,
        adjusted=phi + (added + added.T),
        derivatives=phi @ first @ phi,
        components_covariance=np.asarray(spread, dtype=np.float64),
    )


def _contract(joint: Array, matrices: Array) -> Array:
    """Return sums over i and j of c_ij E_i W E_j of matrices W, shape (P, K, K).

    `joint` has the sums of c_ij with the Kronecker products of vectors E_i and E_j.
    """
    k = matrices.shape[1]
    turned = joint.reshape(k, k, k, k).transpose(1, 2, 0, 3).reshape(k * k, k * k)
    found: Array = (matrices.reshape(-1, k * k) @ turned).reshape(-1, k, k)
    return found


# Complete data sets a candidate, from which Kenward and Roger's tests are at their level.
ENOUGH = 2
FEWEST_SHARED = 2  # data sets with both candidates of a pair: for a variance of their difference


@dataclass(frozen=True, slots=True)
class FreeTests:
    """Estimates of means whose covariance is free.

    Attributes
    ----------
    covariance : ndarray of shape (K, K)
        Of the means.
    df : ndarray of shape (K,)
        Degrees of freedom of single means.
    pairs : Differences
    equality : EqualityTest or None
    method : {"kenward-roger", "hotelling"}
        Of that test.
    """

    covariance: Array
    df: Array
    pairs: Differences
    equality: EqualityTest | None
    method: str


def check_shared(observed: NDArray[np.bool_]) -> None:
    """Raise where two candidates share too few data sets for a variance of their difference.

    Parameters
    ----------
    observed : ndarray of shape (M, K), bool
        Which data sets have a value of which candidate.

    Raises
    ------
    NoFreeCovarianceError
    """
    if shared_datasets(observed).min() < FEWEST_SHARED:
        raise NoFreeCovarianceError("two candidates share fewer than two data sets")


def shared_datasets(observed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return on how many data sets two candidates both have values, shape (K, K)."""
    found: NDArray[np.int64] = observed.T.astype(np.int64) @ observed
    return found


def has_enough(observed: NDArray[np.bool_]) -> bool:
    """Whether data sets enough have all candidates for tests by a free covariance of all means.

    Parameters
    ----------
    observed : ndarray of shape (M, K), bool
    """
    n_complete, k = int(observed.all(axis=1).sum()), observed.shape[1]
    return bool(n_complete >= ENOUGH * k and k <= LARGEST)


def free_tests(means: Array, kappa: Array) -> FreeTests:
    """Test means of which data sets lack some.

    Parameters
    ----------
    means : ndarray of shape (M, K)
        Of the data sets, NaN where a candidate lacks.
    kappa : ndarray of shape (K,)
        Estimates of what they vary about.

    Returns
    -------
    FreeTests

    Raises
    ------
    NoFreeCovarianceError
        If two candidates share fewer than two data sets.

    Notes
    -----
    Where at least twice as many data sets as there are candidates have all of
    them, tests are Kenward and Roger's under REML of the free covariance. With
    fewer their law is not known well enough: with 8 data sets of 4 candidates,
    5 of 32 means missing, they reject a true pair in up to a fifth where 5% are
    wanted. Each pair then has Student's test on the data sets that it shares,
    and equality Hotelling's on the complete ones, both of which are exact.

    Examples
    --------
    >>> rows = np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0], [4.0, np.nan]])
    >>> free_tests(rows, np.array([2.5 , 4.75])).pairs.df
    array([2.])
    """
    observed = np.isfinite(means)
    check_shared(observed)
    if has_enough(observed):
        try:
            return _by_likelihood(fit_free_means(means).effects, kappa, float(len(means) - 1))
        except NoFreeCovarianceError:  # candidates that go along with one another
            pass
    return _by_shared(means, observed)


def _by_likelihood(effects: FixedEffects, kappa: Array, most_df: float) -> FreeTests:
    """Test by Kenward and Roger; no test has more degrees of freedom than complete data give it."""
    contrasts = pair_contrasts(len(kappa))
    variances = np.einsum("pk,kl,pl->p", contrasts, effects.adjusted, contrasts)
    df = np.minimum(contrast_df(effects, contrasts), most_df)
    own_df = np.minimum(contrast_df(effects, np.eye(len(kappa))), most_df)
    found = scaled_f(effects, contrasts[: len(kappa) - 1])
    return FreeTests(
        effects.adjusted,
        own_df,
        Differences(contrasts @ kappa, np.sqrt(variances), df),
        None if found is None else equality_f(found.statistic, found.df1, found.df2),
        "kenward-roger",
    )


def _by_shared(means: Array, observed: NDArray[np.bool_]) -> FreeTests:
    """Test each pair on the data sets that have both candidates."""
    shared = shared_datasets(observed)
    return FreeTests(
        pair_covariance(means) * shared / np.outer(shared.diagonal(), shared.diagonal()),
        (shared.diagonal() - 1).astype(np.float64),
        paired_differences(means),
        hotelling(means[observed.all(axis=1)]) if observed.all(axis=1).any() else None,
        "hotelling",
    )


def pair_covariance(means: Array) -> Array:
    """Return covariances of the columns, each from the data sets that have both.

    Parameters
    ----------
    means : ndarray of shape (M, K)
        NaN where a candidate lacks.

    Returns
    -------
    ndarray of shape (K, K)
        Not always positive.
    """
    observed = np.isfinite(means)
    centred = np.where(observed, means - np.nanmean(means, axis=0), 0.0)
    found: Array = (centred.T @ centred) / np.maximum(shared_datasets(observed) - 1, 1)
    return found
