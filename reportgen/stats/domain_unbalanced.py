"""The domain model with independent interactions on all available values, by REML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.domain_gaps import (
    N_COMPONENTS,
    DatasetAlgebra,
    DatasetSlopes,
    DatasetSums,
    column_means,
    dataset_algebra,
    dataset_slopes,
    dataset_sums,
    residual_slopes,
)
from reportgen.stats.kenward_roger import FixedEffects

Array = NDArray[np.float64]

MOST_STEPS, MOST_HALVINGS = 200, 40
SLOPE = 1e-9  # of the criterion, in standard errors of the components
FLAT = 1e-3  # of the same: what is no farther from the optimum is there
SINGULAR = 1e-2  # share of the residual variance: a data set's covariance with less is singular
UNKNOWN = 1e-10  # least eigenvalue of the scaled information: below it some component is unknown
FALL = 1e-13  # relative: a criterion that falls by less stands still


@dataclass(frozen=True, slots=True)
class ComponentsFit:
    """REML at its optimum.

    Attributes
    ----------
    components : ndarray of shape (4,)
        Variances of residuals, replications, interaction and data sets.
    kappa : ndarray of shape (K,)
    criterion : float
        As lme4 defines it.
    covariance : ndarray of shape (K, K)
        Of kappa, at the components.
    algebra : tuple of DatasetAlgebra
    is_optimum : bool
        Whether the criterion is flat there. Without the constraint it may fall
        for ever as the covariance of one data set becomes singular.
    """

    components: Array
    kappa: Array
    criterion: float
    covariance: Array
    algebra: tuple[DatasetAlgebra, ...]
    is_optimum: bool = False


@dataclass(frozen=True, slots=True)
class _Slopes:
    """Gradient and expected information of the criterion."""

    gradient: Array
    information: Array
    each: tuple[DatasetSlopes, ...]


def omega_of(components: Array, n_candidates: int) -> Array:
    """Return the covariance of a data set's effects on the candidates."""
    k = n_candidates
    omega: Array = components[2] * np.eye(k) + components[3] * np.ones((k, k))
    return omega


def fit_components(
    values: Sequence[Array], *, start: Array | None = None, is_constrained: bool = True
) -> ComponentsFit:
    """Fit the variance components to all available values.

    Parameters
    ----------
    values : sequence of ndarray of shape (B_m, K)
        One a data set; NaN where there is no value.
    start : ndarray of shape (4,), optional
        Components to start from.
    is_constrained : bool, default True
        Whether they must not be negative. Without it they need only give a
        covariance of the values: for complete data those are the ANOVA
        estimates, on which exact tests rest.

    Returns
    -------
    ComponentsFit

    Raises
    ------
    ValueError
        If the components cannot be told from one another.

    Notes
    -----
    Fisher scoring, damped; a component that reaches 0 is held there as long as
    the criterion would rise with it.

    References
    ----------
    .. [1] R. I. Jennrich and M. D. Schluchter (1986), "Unbalanced repeated-measures
       models with structured covariance matrices", Biometrics 42.
    """
    sums = tuple(dataset_sums(matrix) for matrix in values)
    x = _start(values) if start is None else start
    fit = evaluate(sums, x)
    if fit is None:
        raise ValueError("the start is no covariance")
    size = inf
    for _ in range(MOST_STEPS):
        slopes = _slopes(fit)
        is_free = np.ones(N_COMPONENTS, dtype=np.bool_)
        if is_constrained:
            is_free = (fit.components > 0) | (slopes.gradient < 0)
        step = _step(slopes, is_free)
        size = _size(slopes, is_free, step)
        moved = _moved(sums, fit, step, is_constrained) if size > SLOPE else None
        if moved is None:
            break
        fit = moved
    is_sound = min(a.least for a in fit.algebra) > SINGULAR
    return replace(fit, is_optimum=size <= FLAT and is_sound)


def _start(values: Sequence[Array]) -> Array:
    """Return components of the right size: from the spread of the values and of their means."""
    means = np.array([column_means(matrix) for matrix in values])
    pairs = zip(values, means, strict=True)
    within = float(np.mean([np.nanmean((v - own) ** 2) for v, own in pairs]))
    level = np.nanmean(means, axis=1)
    rest = means - level[:, None]
    taste = float(np.nanvar(rest - np.nanmean(rest, axis=0)))
    return np.array([0.9 * within, 0.1 * within, max(taste, 0.1 * within), float(level.var())])


def evaluate(
    sums: Sequence[DatasetSums], components: Array, omega: Array | None = None
) -> ComponentsFit | None:
    """Return estimates and criterion at given components; None where they give no covariance.

    Parameters
    ----------
    sums : sequence of DatasetSums
    components : ndarray of shape (4,)
    omega : ndarray of shape (K, K), optional
        In place of the one that the last two components make.
    """
    k = len(sums[0].counts)
    omega = omega_of(components, k) if omega is None else omega
    algebra = []
    for own in sums:
        found = dataset_algebra(own, float(components[0]), float(components[1]), omega)
        if found is None:
            return None
        algebra.append(found)
    information = np.sum([a.information for a in algebra], axis=0)
    information = (information + information.T) / 2
    sign, log_det = np.linalg.slogdet(information)
    if sign <= 0:
        return None
    kappa = np.linalg.solve(information, np.sum([a.of_response() for a in algebra], axis=0))
    n = sum(float(own.counts.sum()) for own in sums)
    criterion = (n - k) * log(2 * pi) + float(log_det)
    criterion += sum(a.log_det + a.residual_square(kappa) for a in algebra)
    return ComponentsFit(components, kappa, criterion, np.linalg.inv(information), tuple(algebra))


def _slopes(fit: ComponentsFit) -> _Slopes:
    """Differentiate the criterion; its second derivatives are expectations."""
    each = tuple(dataset_slopes(a) for a in fit.algebra)
    phi = fit.covariance
    first = np.sum([s.first for s in each], axis=0)
    second = np.sum([s.second for s in each], axis=0)
    traces = np.sum([s.traces for s in each], axis=0) - np.einsum("kl,clk->c", phi, first)
    squares = np.sum([residual_slopes(a, fit.kappa) for a in fit.algebra], axis=0)
    cross = np.sum([s.cross for s in each], axis=0)
    cross = cross - 2 * np.einsum("kl,cdlk->cd", phi, second)
    cross = cross + np.einsum("kl,clm,mn,dnk->cd", phi, first, phi, first)
    return _Slopes(traces - squares, cross / 2, each)


def _step(slopes: _Slopes, is_free: NDArray[np.bool_]) -> Array:
    """Return the scoring step of the free components."""
    step = np.zeros(N_COMPONENTS)
    inner = slopes.information[np.ix_(is_free, is_free)]
    scaled = _scaled(inner)  # LAPACK complains aloud of what is not finite
    if not np.isfinite(scaled).all() or np.linalg.eigvalsh(scaled)[0] < UNKNOWN:
        raise ValueError("the variance components cannot be told from one another")
    step[is_free] = np.linalg.solve(inner, -slopes.gradient[is_free] / 2)
    return step


def _scaled(information: Array) -> Array:
    size = np.sqrt(np.maximum(information.diagonal(), 1e-300))
    scaled: Array = information / np.outer(size, size)
    return scaled


def _size(slopes: _Slopes, is_free: NDArray[np.bool_], step: Array) -> float:
    """Return how far a step goes, in standard errors."""
    inner = slopes.information[np.ix_(is_free, is_free)]
    return sqrt(max(0.0, float(step[is_free] @ inner @ step[is_free])))


def _moved(
    sums: Sequence[DatasetSums], fit: ComponentsFit, step: Array, is_constrained: bool
) -> ComponentsFit | None:
    """Go as far along a step as the criterion falls; None where it does not."""
    for halvings in range(MOST_HALVINGS):
        trial = fit.components + step * 0.5**halvings
        if is_constrained:
            trial[1:] = np.maximum(trial[1:], 0.0)
        found = evaluate(sums, trial) if trial[0] > 0 else None
        if found is not None and found.criterion < fit.criterion - FALL * abs(fit.criterion):
            return found
    return None


def fixed_effects(fit: ComponentsFit) -> FixedEffects:
    """Return what tests by Kenward and Roger need.

    Parameters
    ----------
    fit : ComponentsFit
        Best one without the constraint, so that it is the exact test where
        data are complete.
    """
    slopes = _slopes(fit)
    phi = fit.covariance
    first = np.sum([s.first for s in slopes.each], axis=0)
    second = np.sum([s.second for s in slopes.each], axis=0)
    spread = np.linalg.inv(slopes.information)
    excess = second - np.einsum("ckl,lm,dmn->cdkn", first, phi, first)
    added = phi @ np.einsum("cd,cdkl->kl", spread, excess) @ phi
    return FixedEffects(
        coef=fit.kappa,
        covariance=phi,
        adjusted=phi + 2 * (added + added.T) / 2,
        derivatives=np.einsum("kl,clm,mn->ckn", phi, first, phi),
        components_covariance=np.asarray(spread, dtype=np.float64),
    )


def held_effects(held: ComponentsFit, free: ComponentsFit) -> FixedEffects:
    """Return the same for estimates whose weights are those under the constraint.

    Their covariance is linear in the variances, for which those without the
    constraint stand: where variances are estimated as 0, a covariance that
    takes them for 0 would be too small.

    Parameters
    ----------
    held, free : ComponentsFit
        Best one with the constraint, and without it.
    """
    phi = held.covariance
    first = np.sum([s.first for s in _slopes(held).each], axis=0)
    parts = np.einsum("kl,clm,mn->ckn", phi, first, phi)
    covariance = np.tensordot(free.components, parts, 1)
    return FixedEffects(
        coef=held.kappa,
        covariance=covariance,
        adjusted=covariance,
        derivatives=parts,
        components_covariance=np.asarray(np.linalg.inv(_slopes(free).information), np.float64),
    )
