"""The verdict on every pair over the data sets: the one place that decides.

Compares all pairs under sign flips of whole data sets, too.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.random import Generator

from reportgen.methods import VerdictMethod
from reportgen.performance_measure import Measure, PairScale
from reportgen.sections.domain import Options
from reportgen.sections.domain.basis import DomainBasis, DomainUnits
from reportgen.sections.domain.candidate_means import (
    CandidateMeans,
    candidate_means,
    errors_of_means,
)
from reportgen.sections.domain.data import (
    MOST_CONJOINED,
    DatasetMeans,
    DomainValues,
    dataset_means,
)
from reportgen.sections.domain.families import describe_families
from reportgen.sections.domain.influence import influential_datasets
from reportgen.sections.domain.models import inside_bounds
from reportgen.sections.domain.result import DomainFit, DomainVerdict
from reportgen.sections.domain.sources import (
    FEWEST_REPLICATIONS,
    decided_on_each,
    errors_of_sources,
    evidence_of_sources,
    fixed_sources,
    is_of_few,
    target_of_few,
)
from reportgen.stats.adverse_differences import adverse_differences
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.domain.family_means import Families, compare_in_families
from reportgen.stats.domain.sources import (
    SourceErrors,
    adverse_sources,
    compare_sources,
    shown_on,
)
from reportgen.stats.items.clusters import cluster_sign_flips
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import (
    as_ratios,
    joint_units,
    paired_max_t,
)
from reportgen.stats.pairs.wins import compare_wins
from reportgen.stats.permutation.paired import FEWEST_UNITS, sign_flip_max_t
from reportgen.stats.ranking import within_block_ranks
from reportgen.stats.shared_means import pair_columns
from reportgen.stats.verdict import Verdict
from reportgen.study.comparison import area_on, is_area_given

log = logging.getLogger("reportgen")


def decide_domain(
    all_values: DomainValues,
    options: Options,
    rng: Generator,
    basis: DomainBasis,
    fits: Mapping[str, DomainFit],
) -> DomainVerdict | None:
    """Decide on every pair of one measure.

    `options`: its `structure` chooses the method that decides. Where the model that it asks for is
    not there, own variances do.
    `rng`: draws from the joint law of many data sets.
    `basis`: what the models rest on.
    `fits`: the models, by structure.
    Result: None where fewer than two candidates or two data sets have values.
    """
    units = dataset_means(all_values, options)
    if min(units.values.shape) < 2:
        return None
    if options.structure != "own" and options.structure in fits:
        return _restricted(
            _by_model(fits[options.structure], basis, all_values.measure, units), options
        )
    measure, names = all_values.measure, units.candidates
    area = area_on(units.scale, options.relevance.get(measure.name))
    smaller, is_few = measure.is_smaller_better, is_of_few(all_values, units)
    target, is_new = all_values.target, False
    errors = beside = of_means = None
    if is_few or _shows_each(all_values, units):
        of_these = target_of_few(all_values, units, options)
        is_new = of_these == "these-sources"
        evidence = evidence_of_sources(all_values, units, of_these)
        found_errors = errors_of_sources(units, evidence, is_smaller_better=smaller)
        if is_few:
            target, errors = of_these, found_errors
            of_means = errors_of_means(units, evidence, is_smaller_better=smaller)
        else:
            beside = found_errors
    means = candidate_means(units, options.alpha, of_means)
    families = units.families if errors is None else None
    compared = units.domain_units(families, is_smaller_better=smaller)
    column = names.index(options.deciding) if options.deciding in names else None
    method, table = _compare(compared, measure, units.scale, errors, options.alpha, rng, column)
    pairs = (
        table.counted(units.values, smaller, compared.shared)
        .named(names, target, smaller)
        .inside(measure.bounds)
        .decided(area)
    )
    pairs = pairs.with_columns(fdr_p_value=_false_discoveries(pairs))
    if beside is not None:
        m = max(1, int((~pairs.is_open).sum()))
        effects = np.log(pairs.estimate) if pairs.scale == "ratio" else pairs.estimate
        pairs = pairs.with_columns(n_shown=shown_on(beside, effects, options.alpha / (2 * m)))
    found = DomainVerdict(
        each_for="" if beside is None else "new-data" if is_new else "experiment",
        own_errors=beside,
        measure=measure,
        alpha=options.alpha,
        relevance=area,
        target=target,
        method=method,
        pairs=pairs,
        **_means_and_intervals(units, measure, means),
        n_datasets=len(units.datasets),
        datasets=units.datasets,
        missing_datasets=units.missing_datasets,
        missing_by_dataset=units.missing_by_dataset,
        units=compared,
        is_area_given=is_area_given(units.scale, options.relevance.get(measure.name)),
        choice=units.choice,
        errors=errors,
        fixed=fixed_sources(all_values, units) if is_few and is_new else (),
    )
    found = _restricted(found, options)
    if families is not None:
        own = describe_families(found, units.family_names, all_values.weighting)
        found = replace(found, dataset_families=own)
    if units.choice.growth is not None:
        growth = units.choice.growth
        log.info(
            "%s is compared by %s over data sets: differences grow with the level (slope %.2f, "
            "levels differ %.3g times); scale: difference overrules that",
            measure.name,
            units.scale,
            growth.slope,
            growth.level_ratio,
        )
    return describe_verdict(found)


def _restricted(verdict: DomainVerdict, options: Options) -> DomainVerdict:
    """Decide on the pairs with the reference alone, where the study asks for it."""
    return verdict if options.deciding is None else verdict.against(options.deciding)


def _false_discoveries(pairs: PairTable) -> Array:
    """Return the p-values of all pairs that can be decided, adjusted for the rate of errors."""
    return benjamini_hochberg(np.where(pairs.is_open, np.nan, pairs.p_value))


def _shows_each(all_values: DomainValues, units: DatasetMeans) -> bool:
    """Whether each of many data sets shows something by itself."""
    # Not of very many, of replications that are no blocks, and where a data set has fewer than
    # three of them.
    if not (all_values.unit.is_block and units.rows) or units.scale == "wins":
        return False
    is_small = max(units.values.shape) <= MOST_CONJOINED
    return is_small and min(len(rows) for rows in units.rows) >= FEWEST_REPLICATIONS


def _compare(
    units: DomainUnits,
    measure: Measure,
    scale: PairScale,
    errors: SourceErrors | None,
    alpha: float,
    rng: Generator,
    reference: int | None,
) -> tuple[VerdictMethod, PairTable]:
    """Compare all pairs by what so many data sets, of such a scale, allow."""
    # `reference`: the place of a candidate with which pairs alone are in a joint law.
    smaller, values = measure.is_smaller_better, units.values
    if units.families is not None:
        return "families", compare_in_families(
            values, units.families, alpha, scale=scale, is_smaller_better=smaller, **units.gaps
        )
    if scale == "wins":
        return "wins", compare_wins(values, alpha, smaller, **units.gaps)
    if errors is not None:
        table = compare_sources(errors, all_pairs(values.shape[1]), alpha)
        there = np.isfinite(values)
        method: VerdictMethod = "sources"
        adverse = adverse_sources(errors, table.pairs, there, smaller, units.missing_by_design)
    else:
        method = "own-variance"
        table = paired_max_t(values, alpha, rng, shared=units.shared, reference=reference)
        adverse = adverse_differences(values, table.pairs, smaller, **units.gaps)
    table = table.held_against(adverse)
    return method, as_ratios(table) if scale == "ratio" else table


def _means_and_intervals(
    units: DatasetMeans, measure: Measure, found: CandidateMeans
) -> dict[str, Any]:
    """Return the candidates' means by which they are ordered, and what else is told of them."""
    # Result: `means`, `mean_ranks`, `own_means`, `n_values`, `intervals` and `cut` of a
    # `DomainVerdict`.
    names = units.candidates
    own, filled, *bounds = found.own, found.means, found.lower, found.upper
    if units.scale == "ratio":
        with np.errstate(over="ignore"):
            own, filled, *bounds = (np.exp(x) for x in (own, filled, *bounds))
    known = dict(zip(names, filled.tolist(), strict=True))
    rows = zip(names, *(x.tolist() for x in bounds), strict=True)
    wide = {name: (low, high) for name, low, high in rows if np.isfinite([low, high]).all()}
    intervals, cut = inside_bounds(wide, measure)
    is_filled = units.filled is not units.values
    return {
        "means": known,
        "own_means": dict(zip(names, own.tolist(), strict=True)) if is_filled else {},
        "n_values": units.n_values if units.has_gaps else {},
        "intervals": intervals,
        "cut": cut,
        "mean_ranks": _mean_ranks(units, measure) if units.scale == "wins" else {},
    }


def _mean_ranks(units: DatasetMeans, measure: Measure) -> dict[str, float]:
    """Return the candidates' mean ranks on the data sets."""
    ranks = np.array([_ranks(row, measure.is_smaller_better) for row in units.filled])
    means = column_means(ranks) if units.families is None else units.families.means(ranks)
    return dict(zip(units.candidates, means.tolist(), strict=True))


def _ranks(values: Array, is_smaller_better: bool) -> Array:
    """Return the ranks of the candidates that a data set has, NaN for the others."""
    there = np.isfinite(values)
    found = np.full(len(values), np.nan)
    found[there] = within_block_ranks(values[there][None], is_smaller_better)[0]
    return found


def _by_model(
    fit: DomainFit, basis: DomainBasis, measure: Measure, units: DatasetMeans
) -> DomainVerdict:
    """Let a model decide; its intervals are inside the bounds already."""
    told: dict[str, Any] = {f.name: getattr(fit.verdict, f.name) for f in fields(Verdict)}
    told |= {"intervals": fit.intervals, "cut": fit.cut}
    if units.has_gaps:
        told |= _means_and_intervals(units, measure, candidate_means(units, basis.alpha))
    return DomainVerdict(
        **told,
        n_datasets=len(basis.datasets),
        datasets=basis.datasets,
        missing_datasets=basis.missing_datasets,
        missing_by_dataset=basis.missing_by_dataset,
    )


def describe_verdict(found: DomainVerdict) -> DomainVerdict:
    """Find what single data sets decide, and those without which the verdict is another one."""
    influence = influential_datasets(found) if found.is_own and not found.is_vast else None
    each = (
        ()
        if found.errors is None
        else decided_on_each(found.errors.of_pairs(found.pairs.places), found.pairs, found.datasets)
    )
    return replace(found, each=each, influence=influence)


def sign_flip_pairs(
    units: DatasetMeans, verdict: DomainVerdict, rng: Generator
) -> PairTable | None:
    """Compare all pairs by the largest |t| when the signs of whole data sets are flipped.

    `verdict`: of the same measure.
    `rng`: draws the flips where there are more than 14 data sets.
    Result: without intervals; of families of data sets all of one together, by Bonferroni. None
    where two candidates share too few data sets for any p-value to
    be small, or all share enough for the joint law of the t statistics, or pairs are too many.
    """
    means = units.values
    if units.families is not None:
        return _family_flips(units, units.families, verdict, rng)
    if verdict.is_vast or units.scale == "wins" or len(means) >= joint_units(means.shape[1]):
        return None
    pairs, shared = all_pairs(means.shape[1]), units.shared()
    differences = np.subtract(*pair_columns(means, pairs, shared))
    if np.isfinite(differences).sum(axis=0).min() < FEWEST_UNITS:  # data sets that two share
        return None
    found = sign_flip_max_t(means, rng, shared=shared)
    table = PairTable.of(
        pairs,
        np.nanmean(differences, axis=0),
        "sign-flip",
        verdict.alpha,
        statistic=found.statistics,
        adjusted_p_value=found.step_down,
    )
    return _decided(table, units, verdict)


def _family_flips(
    units: DatasetMeans, families: Families, verdict: DomainVerdict, rng: Generator
) -> PairTable | None:
    """Compare all pairs by the mean when the signs of whole families are flipped."""
    pairs = verdict.pairs
    few = int(pairs.extra["n_clusters"].min()) < FEWEST_UNITS
    if verdict.is_vast or units.scale == "wins" or few or units.shared() is not None:
        return None
    weights = families.weigh(np.isfinite(units.values))
    if not (weights == weights[:, :1]).all():  # gaps: a pair has weights of its own
        return None
    found = cluster_sign_flips(units.values * weights[:, :1], families.codes, rng)
    table = PairTable.of(
        all_pairs(units.values.shape[1]),
        np.log(pairs.estimate) if units.scale == "ratio" else pairs.estimate,
        "sign-flip",
        verdict.alpha,
        p_value=found.p_value,
        adjusted_p_value=found.adjusted_p_value,
    )
    return _decided(table, units, verdict)


def _decided(table: PairTable, units: DatasetMeans, verdict: DomainVerdict) -> PairTable:
    """Return pairs of sign flips on the measure's scale, with names and decisions."""
    table = as_ratios(table) if units.scale == "ratio" else table
    smaller = verdict.measure.is_smaller_better
    return table.named(units.candidates, verdict.target, smaller).decided()
