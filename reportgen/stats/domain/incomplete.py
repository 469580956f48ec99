"""The domain models by REML on all available values: gaps, unequal numbers of replications."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp, inf, log, pi, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.blocks.incomplete import equality_of, has_residual_variance
from reportgen.stats.blocks.kenward_roger import (
    MANY_MEANS,
    FixedEffects,
    around,
    contrast_df,
    crossed,
    pair_df,
)
from reportgen.stats.blocks.model import EqualityTest
from reportgen.stats.domain.model import DomainModel, Structure, Zero, hotelling
from reportgen.stats.domain.sums import (
    N_COMPONENTS,
    DatasetAlgebra,
    DatasetSlopes,
    DatasetSums,
    dataset_algebra,
    dataset_slopes,
    dataset_sums,
    residual_slopes,
)
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.multiplicity.simultaneous import all_pairs, paired_differences

MOST_NEWTON_STEPS, MOST_HALVINGS = 200, 40
SLOPE = 1e-9  # of the criterion, in standard errors of the components
FLAT = 1e-3  # of the same: what is no farther from the optimum is there
SINGULAR = 1e-2  # share of the residual variance: a data set's covariance with less is singular
UNKNOWN = 1e-10  # least eigenvalue of the scaled information: below it some component is unknown
FALL = 1e-13  # relative: a criterion that falls by less has converged


@dataclass(frozen=True, slots=True)
class ComponentsFit:
    """REML at its optimum."""

    components: Array  # (4,); variances of residuals, replications, interaction and data sets
    kappa: Array  # (K,)
    criterion: float  # as lme4 defines it
    covariance: Array  # (K, K); of kappa, at the components
    algebra: tuple[DatasetAlgebra, ...]
    # whether the criterion is flat there. Without the constraint it may fall for ever as the
    # covariance of one data set becomes singular.
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


def fit_components(values: Sequence[Array], *, is_constrained: bool = True) -> ComponentsFit:
    """Fit the variance components to all available values.

    `values`: each (B_m, K); one a data set; NaN where there is no value.
    `is_constrained`: whether they must not be negative. Without it they need only give a covariance
    of the values: for complete data those are the ANOVA estimates, on which exact tests rest.
    Raises ValueError if the components cannot be distinguished.

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
    stack = StackedSums.of(sums)
    x = _start(values)
    fit = evaluate(sums, x)
    if fit is None:
        raise ValueError("the start is no covariance")
    size = inf
    for _ in range(MOST_NEWTON_STEPS):
        slopes = _slopes(fit)
        is_free = np.ones(N_COMPONENTS, dtype=np.bool_)
        if is_constrained:
            is_free = (fit.components > 0) | (slopes.gradient < 0)
        step = _step(slopes, is_free)
        size = _size(slopes, is_free, step)
        moved = _move(stack, fit.components, step, is_constrained) if size > SLOPE else None
        found = None if moved is None else evaluate(sums, moved)
        if found is None:
            break
        fit = found
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

    `components`: (4,).
    `omega`: (K, K); in place of the one that the last two components make.
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
    if len(phi) < MANY_MEANS:
        cross = cross + np.einsum("kl,clm,mn,dnk->cd", phi, first, phi, first)
    else:
        cross = cross + np.einsum("ckl,dlk->cd", around(phi, first), first)
    return _Slopes(traces - squares, cross / 2, each)


def _step(slopes: _Slopes, is_free: NDArray[np.bool_]) -> Array:
    """Return the scoring step of the free components."""
    step = np.zeros(N_COMPONENTS)
    inner = slopes.information[np.ix_(is_free, is_free)]
    scaled = _rescale(inner)  # LAPACK complains aloud of what is not finite
    if not np.isfinite(scaled).all() or np.linalg.eigvalsh(scaled)[0] < UNKNOWN:
        raise ValueError("the variance components cannot be distinguished")
    step[is_free] = np.linalg.solve(inner, -slopes.gradient[is_free] / 2)
    return step


def _rescale(information: Array) -> Array:
    size = np.sqrt(np.maximum(information.diagonal(), 1e-300))
    with np.errstate(over="ignore"):
        scaled: Array = information / np.outer(size, size)
    return scaled


def _size(slopes: _Slopes, is_free: NDArray[np.bool_], step: Array) -> float:
    """Return how far a step goes, in standard errors."""
    inner = slopes.information[np.ix_(is_free, is_free)]
    return sqrt(max(0.0, float(step[is_free] @ inner @ step[is_free])))


def _move(stack: StackedSums, components: Array, step: Array, is_constrained: bool) -> Array | None:
    """Go as far along a step as the criterion falls; None where it does not."""
    level = _criterion(stack, components)
    for halvings in range(MOST_HALVINGS):
        trial = components + step * 0.5**halvings
        if is_constrained:
            trial[1:] = np.maximum(trial[1:], 0.0)
        if _criterion(stack, trial) < level - FALL * abs(level):
            return trial
    return None


def _criterion(stack: StackedSums, components: Array) -> float:
    """Return the criterion; infinite where the components give no covariance."""
    omega = omega_of(components, stack.counts.shape[1])
    found = stack.criterion_slopes(float(components[0]), float(components[1]), omega)
    return inf if found is None else found.criterion


def fixed_effects(fit: ComponentsFit) -> FixedEffects:
    """Return what tests by Kenward and Roger need.

    `fit`: best one without the constraint, so that it is the exact test where data are complete.
    """
    slopes = _slopes(fit)
    phi = fit.covariance
    first = np.sum([s.first for s in slopes.each], axis=0)
    second = np.sum([s.second for s in slopes.each], axis=0)
    spread = np.linalg.inv(slopes.information)
    excess = second - crossed(first, phi)
    added = phi @ np.einsum("cd,cdkl->kl", spread, excess) @ phi
    return FixedEffects(
        coef=fit.kappa,
        covariance=phi,
        adjusted=phi + 2 * (added + added.T) / 2,
        derivatives=_around(phi, first),
        components_covariance=np.asarray(spread, dtype=np.float64),
    )


def _around(phi: Array, first: Array) -> Array:
    """Return the products with the covariance on either side."""
    if len(phi) < MANY_MEANS:
        return np.asarray(np.einsum("kl,clm,mn->ckn", phi, first, phi))
    return around(phi, first)


def held_effects(held: ComponentsFit, free: ComponentsFit) -> FixedEffects:
    """Return the same for estimates whose weights are those under the constraint.

    Their covariance is linear in the variances, for which those without the
    constraint stand: where variances are estimated as 0, a covariance that
    takes them for 0 would be too small.

    `held`, `free`: best one with the constraint, and without it.
    """
    phi = held.covariance
    first = np.sum([s.first for s in _slopes(held).each], axis=0)
    parts = _around(phi, first)
    covariance = np.tensordot(free.components, parts, 1)
    return FixedEffects(
        coef=held.kappa,
        covariance=covariance,
        adjusted=covariance,
        derivatives=parts,
        components_covariance=np.asarray(np.linalg.inv(_slopes(free).information), np.float64),
    )


ROUNDS = 10  # of expectation and maximisation, before quasi-Newton steps
MOST_STEPS = 500
NO_FREE_COVARIANCE = "a free covariance takes a value of every candidate on every data set"
MANY, SLOPE_OF_MANY = 12, 1e-5  # above so many candidates: means are good to 1e-8 all the same
RANK = 1e-6  # relative: eigenvalues, and variances, below it count as 0


def fit_incomplete_domain(
    values: Sequence[Array], structure: Structure = "interaction"
) -> DomainModel:
    r"""Fit a domain model to all available values by REML.

    `values`: each (B_m, K); one a data set, NaN where there is no value; every candidate has values
    on some data set, and every data set of some candidate, and replications enough to separate
    their variance from that of the residuals.
    `structure`: with "unstructured" every data set needs a value of every candidate.
    Raises ValueError if there are fewer than two data sets or candidates, the variances cannot be
    distinguished, or a data set lacks a candidate that the structure needs.

    Notes
    -----
    With "interaction" tests are those of Kenward and Roger. All estimates are
    those under the constraint that no variance is negative; where one is 0, the
    covariance of the means is that which variances estimated without the
    constraint give them, where the likelihood has such. Tests are then the
    exact ones where data are complete, also on the boundary. With
    "unstructured" every data set has its own generalised least squares means,
    whose M vectors are treated as independent and alike: exact for complete
    data, else nearly so. Both come to the numbers of `fit_domain_model` there.

    References
    ----------
    .. [1] M. G. Kenward and J. H. Roger (1997), "Small sample inference for
       fixed effects from restricted maximum likelihood", Biometrics 53.
    .. [2] N. Laird, N. Lange and D. Stram (1987), "Maximum likelihood
       computations with repeated measures: application of the EM algorithm",
       Journal of the American Statistical Association 82.
    """
    shapes = {matrix.shape[1] for matrix in values}
    if len(values) < 2 or len(shapes) != 1 or min(shapes) < 2:
        raise ValueError(
            "the domain model needs two data sets and two candidates, the same for all"
        )
    observed = np.array([np.isfinite(matrix).any(axis=0) for matrix in values])
    if not (observed.any(axis=0).all() and observed.any(axis=1).all()):
        raise ValueError("every candidate needs a value, and every data set")
    if structure == "unstructured" and not observed.all():
        raise ValueError(NO_FREE_COVARIANCE)
    if not any(has_residual_variance(matrix) for matrix in values):
        raise ValueError(
            "the variances cannot be distinguished: on every data set the differences of "
            "the candidates are the same in all replications"
        )
    held = fit_components(values)
    if structure == "unstructured":
        return _without_structure(values, held)
    is_inside = bool((held.components > 0).all())
    free = held if is_inside else fit_components(values, is_constrained=False)
    return _with_interaction(held, free if free.is_optimum else held)


def _with_interaction(held: ComponentsFit, free: ComponentsFit) -> DomainModel:
    """Put variances and predictions together with the tests."""
    residual, replication, interaction, dataset = held.components.tolist()
    effects = fixed_effects(held) if free is held else held_effects(held, free)
    single = np.eye(len(held.kappa))
    df = pair_df(effects, single)
    outer = np.array([a.spread.T @ a.residual_linear(held.kappa) for a in held.algebra])
    named: dict[Zero, float] = {
        "dataset": dataset,
        "interaction": interaction,
        "replication": replication,
    }
    return DomainModel(
        structure="interaction",
        means=held.kappa,
        standard_errors=np.sqrt(effects.adjusted.diagonal()),
        standard_error_df=contrast_df(effects, single),
        dataset_variance=dataset,
        interaction_variance=interaction,
        covariance=None,
        replication_variance=replication,
        variance=residual,
        sigma_rank=len(single) if interaction else int(dataset > 0),
        zeros=tuple(name for name, value in named.items() if value == 0),
        dataset_effects=dataset * outer.sum(axis=1),
        interaction_effects=interaction * outer,
        reml_criterion=held.criterion,
        equality=_equality(effects),
        method="kenward-roger",
        estimates=ParameterEstimates(held.kappa, effects.adjusted, float(df.min())),
        asymptotic=ParameterEstimates(held.kappa, held.covariance, inf),
        component_errors=_component_errors(effects),
    )


def _component_errors(effects: FixedEffects) -> dict[str, float]:
    """Return standard errors of the variances, named."""
    errors = np.sqrt(effects.components_covariance.diagonal()).tolist()
    return dict(zip(("residual", "replication", "interaction", "dataset"), errors, strict=True))


def _equality(effects: FixedEffects) -> EqualityTest | None:
    """Test equal means by Kenward and Roger."""
    k = len(effects.coef)
    found = equality_of(effects, np.eye(k)[:-1] - np.eye(k)[-1])
    return found if found and np.isfinite(found.statistic) else None


@dataclass(frozen=True, slots=True)
class _Free:
    """Estimates with a free covariance of a data set's effects."""

    fit: ComponentsFit
    omega: Array


def _without_structure(values: Sequence[Array], start: ComponentsFit) -> DomainModel:
    """Put the model with a free covariance together."""
    found = _free(values, start)
    fit, omega = found.fit, found.omega
    own = np.array([_own_means(a) for a in fit.algebra])
    k, df = len(fit.kappa), len(own) - 1.0
    first, second = fit.kappa[all_pairs(k).T]
    covariance = np.atleast_2d(np.cov(own, rowvar=False)) / len(own)
    total = np.array([a.shrink @ a.residual_linear(fit.kappa) for a in fit.algebra])
    eigenvalues = np.linalg.eigvalsh(omega)
    noise = float(np.mean([np.linalg.inv(a.precision).diagonal() for a in fit.algebra]))
    return DomainModel(
        structure="unstructured",
        means=fit.kappa,
        standard_errors=np.sqrt(covariance.diagonal()),
        standard_error_df=np.full(k, df),
        dataset_variance=None,
        interaction_variance=None,
        covariance=omega,
        replication_variance=float(fit.components[1]),
        variance=float(fit.components[0]),
        sigma_rank=int((eigenvalues > RANK * max(eigenvalues[-1], noise)).sum()),
        zeros=("replication",) if fit.components[1] == 0 else (),
        dataset_effects=total.mean(axis=1),
        interaction_effects=total - total.mean(axis=1, keepdims=True),
        reml_criterion=fit.criterion,
        equality=hotelling(own),
        method="hotelling",
        estimates=ParameterEstimates(fit.kappa, covariance, df),
        asymptotic=ParameterEstimates(fit.kappa, fit.covariance, inf),
        differences=replace(paired_differences(own), estimates=first - second),
    )


def _own_means(algebra: DatasetAlgebra) -> Array:
    """Return the least squares means of one data set."""
    at = algebra.sums.linear(algebra.mean, algebra.rest)
    found: Array = algebra.sums.centre + np.linalg.solve(algebra.precision, at)
    return found


def _free(values: Sequence[Array], start: ComponentsFit) -> _Free:
    """Minimise over a root of the covariance and the variances inside data sets."""
    # A few rounds of expectation and maximisation lead near the optimum. Where
    # the covariance is singular they would take for ever; in terms of its root
    # the criterion is smooth there.
    sums = tuple(dataset_sums(matrix) for matrix in values)
    omega = _first(start)
    fit = _evaluate(sums, start.components, omega)
    for _ in range(ROUNDS):
        omega = _effect_squares(fit)
        fit = _evaluate(sums, fit.components, omega)
    return _minimise(sums, fit, omega)


def _evaluate(sums: Sequence[DatasetSums], components: Array, omega: Array) -> ComponentsFit:
    fit = evaluate(sums, components, omega)
    if fit is None:
        raise ValueError("the variances cannot be distinguished")
    return fit


def _first(start: ComponentsFit) -> Array:
    """Return the covariance of the data sets' means less that of their estimates, kept positive."""
    own = np.array([_own_means(a) for a in start.algebra])
    noise = np.mean([np.linalg.inv(a.precision) for a in start.algebra], axis=0)
    rough = np.atleast_2d(np.cov(own, rowvar=False)) - noise
    values, vectors = np.linalg.eigh(rough)
    least = 0.05 * float(noise.trace()) / len(noise)
    kept: Array = (vectors * np.maximum(values, least)) @ vectors.T
    return kept


def _effect_squares(fit: ComponentsFit) -> Array:
    """Return the mean of the effects' squares, given the values."""
    parts = []
    for a in fit.algebra:
        effect = a.shrink @ a.residual_linear(fit.kappa)
        pulled = a.shrink @ a.precision
        parts.append(np.outer(effect, effect) + a.shrink + pulled @ fit.covariance @ pulled.T)
    mean = np.mean(parts, axis=0)
    return np.asarray((mean + mean.T) / 2, dtype=np.float64)


def _minimise(sums: Sequence[DatasetSums], fit: ComponentsFit, omega: Array) -> _Free:
    """Take quasi-Newton steps in the root, log s^2 and s3, each candidate in its own unit."""
    from scipy.optimize import minimize

    k, stack = len(omega), StackedSums.of(sums)
    lower = np.tril_indices(k)
    n = sum(float(own.counts.sum()) for own in sums)
    unit = sqrt(float(omega.trace()) / k)
    units = np.sqrt(np.maximum(omega.diagonal(), RANK * unit**2))[lower[0]]
    least = fit.components[0]
    root = np.linalg.cholesky(omega + 1e-9 * unit**2 * np.eye(k))
    slope_left = SLOPE if k <= MANY else SLOPE_OF_MANY

    def unpacked(x: Array) -> tuple[Array, Array, Array]:
        factor = np.zeros((k, k))
        factor[lower] = units * x[:-2]
        inside = np.array([least * exp(x[-2]), least * x[-1] ** 2, 0.0, 0.0])
        return factor, inside, factor @ factor.T

    def objective(x: Array) -> tuple[float, Array]:
        factor, inside, covariance = unpacked(x)
        found = stack.criterion_slopes(float(inside[0]), float(inside[1]), covariance)
        if found is None:
            raise ValueError("the variances cannot be distinguished")
        slope = np.empty_like(x)
        slope[:-2] = 2 * units * (found.of_omega @ factor)[lower]
        slope[-2:] = found.of_inside * [inside[0], 2 * least * x[-1]]
        return found.criterion / n, slope / n

    inner = [0.0, sqrt(max(fit.components[1] / least, 1e-4))]
    found = minimize(
        objective,
        np.append(root[lower] / units, inner),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_STEPS, "ftol": 1e-16, "gtol": slope_left, "maxcor": 20},
    )
    _, inside, covariance = unpacked(found.x)
    inside[1] = 0.0 if inside[1] < RANK * inside[0] else inside[1]
    return _Free(_evaluate(sums, inside, covariance), covariance)


class CriterionSlopes(NamedTuple):
    """The criterion, and its derivatives by Omega, sigma^2 and sigma_3^2."""

    criterion: float
    of_omega: Array
    of_inside: Array


@dataclass(frozen=True, slots=True)
class StackedSums:
    """Sums of M data sets; one with fewer block sizes than others has sizes of no block."""

    # centre, counts: (M, K)
    centre: Array
    counts: Array
    # sizes, n_blocks, squared_sums: (M, S)
    sizes: Array
    n_blocks: Array
    squared_sums: Array
    joint: Array  # (M, S, K * K)
    with_sum: Array  # (M, S, K)
    squares: Array  # (M,)

    @classmethod
    def of(cls, sums: Sequence[DatasetSums]) -> StackedSums:
        """Put the sums of data sets on one another."""
        n, k = len(sums), len(sums[0].counts)
        most = max(len(own.sizes) for own in sums)
        sizes, n_blocks, squared = np.ones((n, most)), *np.zeros((2, n, most))
        joint, with_sum = np.zeros((n, most, k * k)), np.zeros((n, most, k))
        for m, own in enumerate(sums):
            s = len(own.sizes)
            sizes[m, :s] = own.sizes
            n_blocks[m, :s], squared[m, :s] = own.n_blocks, own.squared_sums
            joint[m, :s] = own.joint.reshape(s, -1)
            with_sum[m, :s] = own.with_sum
        centre, counts = (np.array([getattr(own, n) for own in sums]) for n in ("centre", "counts"))
        squares = np.array([own.squares for own in sums])
        return cls(centre, counts, sizes, n_blocks, squared, joint, with_sum, squares)

    def criterion_slopes(
        self, residual: float, replication: float, omega: Array
    ) -> CriterionSlopes | None:
        """Return criterion and slopes at given components; None where these are no covariance.

        `residual`, `replication`: sigma^2 and sigma_3^2.
        `omega`: (K, K).
        """
        n_datasets, k = self.counts.shape
        theta = residual + self.sizes * replication
        if residual <= 0 or theta.min() <= 0:
            return None
        mean, rest = 1 / theta, 1 / residual
        # eigenvalues of D^-1, and of D^-1 V D^-1 for both variances
        means = np.stack([mean, mean**2, mean**2 * self.sizes], axis=1)
        rests = np.array([rest, rest**2, 0.0])
        weights = (means - rests[:, None]) / self.sizes[:, None]
        products = (weights @ self.joint).reshape(n_datasets, 3, k, k)
        np.einsum("mckk->mck", products)[:] += rests[:, None] * self.counts[:, None]
        linear, precision = weights @ self.with_sum, products[:, 0]
        squares = rests * self.squares[:, None] + np.einsum(
            "mcs,ms->mc", weights, self.squared_sums
        )

        values, vectors = np.linalg.eigh(precision)
        root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None]
        stretch = np.linalg.eigvalsh(np.eye(k) + root.swapaxes(1, 2) @ omega @ root)
        if stretch.min() <= 0:
            return None
        spread = np.linalg.inv(np.eye(k) + omega @ precision)
        shrink = spread @ omega
        shrink = (shrink + shrink.swapaxes(1, 2)) / 2
        each = precision @ spread
        information = each.sum(axis=0)
        information = (information + information.T) / 2
        sign, log_det = np.linalg.slogdet(information)
        if sign <= 0:
            return None
        response = _times(spread.swapaxes(1, 2), linear[:, 0]) + _times(each, self.centre)
        kappa = np.linalg.solve(information, response.sum(axis=0))
        phi = np.linalg.inv(information)

        shift = kappa - self.centre
        at = linear[:, 0] - _times(precision, shift)
        predicted = _times(shrink, at)
        within = squares[:, 0] - 2 * (shift * linear[:, 0]).sum(axis=1)
        within += (shift * _times(precision, shift)).sum(axis=1)
        blocks = self.n_blocks * (np.log(mean) + (self.sizes - 1) * log(rest))
        log_dets = np.log(stretch).sum() - blocks.sum()
        criterion = (float(self.counts.sum()) - k) * log(2 * pi) + float(log_det)
        criterion += float(log_dets + within.sum() - (at * predicted).sum())

        outer = _times(spread.swapaxes(1, 2), at)
        of_omega = (each - each @ phi @ each).sum(axis=0) - outer.T @ outer
        inner, shift = products[:, 1:], (shift + predicted)[:, None]
        left = squares[:, 1:] - 2 * (shift * linear[:, 1:]).sum(axis=2)
        left += ((inner @ shift[..., None])[..., 0] * shift).sum(axis=2)
        traces = np.stack([mean + (self.sizes - 1) * rest, mean * self.sizes], axis=1)
        taken = shrink + spread @ phi @ spread.swapaxes(1, 2)
        of_inside = (
            np.einsum("mcs,ms->c", traces, self.n_blocks)
            - np.einsum("mckl,mkl->c", inner, taken)
            - left.sum(axis=0)
        )
        return CriterionSlopes(criterion, (of_omega + of_omega.T) / 2, of_inside)


def _times(matrices: Array, vectors: Array) -> Array:
    """Multiply matrices (M, K, K) by vectors (M, K)."""
    found: Array = np.matmul(matrices, vectors[:, :, None])[:, :, 0]
    return found
