"""The domain mixed model of one measure: what goes in, the fits, and their decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from reportgen.performance_measure import Measure
from reportgen.sections.domain import Options
from reportgen.sections.domain.basis import STRUCTURES, DomainBasis
from reportgen.sections.domain.data import (
    DomainValues,
    select_dataset_means,
    select_model_data,
)
from reportgen.sections.domain.result import (
    DomainEquality,
    DomainFit,
    Effects,
)
from reportgen.stats.arrays import Array, number_rows
from reportgen.stats.blocks.candidate_means import within
from reportgen.stats.blocks.variances import variance_intervals
from reportgen.stats.domain.comparison import (
    compare_candidates,
    fit_values,
    is_balanced,
    matrix_of_means,
    mean_limits,
)
from reportgen.stats.domain.components import generalised_intervals, satterthwaite_intervals
from reportgen.stats.domain.model import DomainModel, Structure
from reportgen.stats.domain.strata import domain_strata
from reportgen.stats.verdict import Verdict
from reportgen.targets import Target

Intervals = Mapping[str, tuple[float, float]]
Values = tuple[Array, ...]
"""Shape (B_m, K), by data set; NaN where there is no value."""


def fit_domain(
    all_values: DomainValues, options: Options, rng: Generator
) -> tuple[DomainBasis, dict[str, DomainFit]]:
    """Fit both structures to one measure.

    `rng`: for the law of all pairs, where there are gaps.
    Result: by structure; empty where there is no model.
    """
    values, basis = select_model_data(all_values, options)
    if basis.unavailable:
        return basis, {}
    try:
        return _fitted(values, basis, options, rng)
    except ValueError:  # gaps of this kind: no closed form shows it beforehand
        return replace(basis, unavailable="not-identified"), {}


def fit_means(
    all_values: DomainValues, options: Options, rng: Generator, basis: DomainBasis
) -> tuple[DomainBasis, dict[str, DomainFit]]:
    """Compare the data sets' means where replications do not make a domain model.

    `rng`: for the law of all pairs, where there are many data sets.
    `basis`: of the model that is not there.
    Result: unchanged where there is nothing to compare; by structure; empty where there is no
    model.
    """
    selected = select_dataset_means(all_values, basis, options)
    return (basis, {}) if selected is None else _fitted(*selected, options, rng)


def _fitted(
    values: Values, basis: DomainBasis, options: Options, rng: Generator
) -> tuple[DomainBasis, dict[str, DomainFit]]:
    """Fit both structures; no free covariance where data sets lack candidates."""
    is_complete = bool(np.isfinite(matrix_of_means(values)).all())
    structures = STRUCTURES if is_complete else STRUCTURES[:1]
    return basis, {s: _fit(values, basis, s, options, rng) for s in structures}


# --------------------------------------------------------------------------------- one fit


def _fit(
    values: Values, basis: DomainBasis, structure: Structure, options: Options, rng: Generator
) -> DomainFit:
    """Fit one structure and decide on every pair."""
    model = fit_values(values, structure)
    names, smaller = basis.candidates, basis.measure.is_smaller_better
    compared = compare_candidates(model, values, options.alpha, options.df, rng)
    pairs = (
        compared.counted(matrix_of_means(values), smaller)
        .named(names, basis.target, smaller)
        .decided(basis.relevance)
    )
    intervals, cut = inside_bounds(_intervals(model, names, options), basis.measure)
    return DomainFit(
        verdict=Verdict(
            measure=basis.measure,
            alpha=basis.alpha,
            relevance=basis.relevance,
            target=basis.target,
            method=structure,
            pairs=pairs,
            means=_by_name(names, model.means),
            is_area_given=basis.relevance is not None,
        ),
        standard_errors=_by_name(names, model.standard_errors),
        intervals=intervals,
        cut=cut,
        variance=_variance(model),
        variance_intervals=_variance_intervals(model, values, basis, options, rng),
        covariance=None if model.covariance is None else number_rows(model.covariance),
        sigma_rank=model.sigma_rank,
        zeros=model.zeros,
        blups=_effects(model, basis),
        reml_criterion=model.reml_criterion,
        equality_test=_equality(model, basis.target),
    )


def _intervals(
    model: DomainModel, names: tuple[str, ...], options: Options
) -> dict[str, tuple[float, float]]:
    """Return the interval of every kappa alone."""
    limits = mean_limits(model, options.alpha, options.df)
    return dict(zip(names, zip(*(x.tolist() for x in limits), strict=True), strict=True))


def inside_bounds(intervals: Intervals, measure: Measure) -> tuple[Intervals, tuple[str, ...]]:
    """Cut the intervals of means at the bounds of their measure.

    Result: candidates whose interval was cut.
    """
    inside = {name: within(measure.bounds, interval) for name, interval in intervals.items()}
    return inside, tuple(name for name in inside if inside[name] != intervals[name])


def _variance(model: DomainModel) -> dict[str, float]:
    """Name the variance components that the structure has."""
    named = {
        "dataset": model.dataset_variance,
        "interaction": model.interaction_variance,
        "replication": model.replication_variance,
        "residual": model.variance,
    }
    return {name: value for name, value in named.items() if value is not None}


def _variance_intervals(
    model: DomainModel, values: Values, basis: DomainBasis, options: Options, rng: Generator
) -> dict[str, tuple[float, float]]:
    """Return intervals for the components; of a free covariance there are none."""
    if model.structure == "unstructured":
        return {}
    if basis.model == "block-model":
        try:
            block = variance_intervals(matrix_of_means(values), options.alpha)
        except ValueError:  # an alpha near 0
            return {}
        return {"dataset": block.block_variance, "residual": block.variance}
    if is_balanced(values):
        return generalised_intervals(domain_strata(np.stack(values)), options.alpha, rng)
    return satterthwaite_intervals(_variance(model), model.component_errors, options.alpha)


def _effects(model: DomainModel, basis: DomainBasis) -> Effects:
    """Name the predictions; a candidate has none on a data set that lacks it."""
    rows = dict(zip(basis.datasets, model.interaction_effects, strict=True))
    named = {d: _by_name(basis.candidates, row) for d, row in rows.items()}
    there = {
        d: {n: x for n, x in own.items() if n not in basis.missing_by_dataset.get(d, ())}
        for d, own in named.items()
    }
    return Effects(_by_name(basis.datasets, model.dataset_effects), there)


def _equality(model: DomainModel, target: Target) -> DomainEquality | None:
    test = model.equality
    if test is None:
        return None
    return DomainEquality(
        test.statistic,
        test.df1,
        test.df2,
        test.p_value,
        test.log10_p_value,
        model.method,
        target,
    )


def _by_name(names: tuple[str, ...], values: Array) -> dict[str, float]:
    return dict(zip(names, values.tolist(), strict=True))
