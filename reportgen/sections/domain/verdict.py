"""The verdict on every pair over the data sets: the one place that decides.

Compares all pairs under sign flips of whole data sets, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.domain.basis import DomainBasis
from reportgen.sections.domain.data import DomainValues, dataset_means
from reportgen.sections.domain.influence import influential_datasets
from reportgen.sections.domain.models import inside_bounds
from reportgen.sections.domain.options import Options
from reportgen.sections.domain.result import DomainFit, DomainVerdict
from reportgen.sections.inference.result import StudyFamily
from reportgen.stats.blocks.candidate_means import additive_means, mean_intervals
from reportgen.stats.domain.missing_candidates import shared_datasets
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable, Scale
from reportgen.stats.pairs.own_variances import (
    as_ratios,
    compare_own_variances,
    in_larger_family,
    joint_units,
)
from reportgen.stats.permutation.paired import FEWEST_UNITS, sign_flip_max_t
from reportgen.stats.relations.relations import chain, unbeaten
from reportgen.study.comparison import area_on, comparison_scale, is_area_given
from reportgen.study.manifest import AnalysisOptions
from reportgen.warehouse import Measure

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DatasetMeans:
    """The units of a verdict: one value a data set and candidate.

    Attributes
    ----------
    datasets, left_out : tuple of str
        Those with a value that goes in, and the others.
    candidates : tuple of str
        Those with a value.
    values : ndarray of shape (M, K)
        Means over replications, of logarithms for ratios; NaN where there is none.
    scale : {"difference", "ratio"}
    """

    datasets: tuple[str, ...]
    left_out: tuple[str, ...]
    candidates: tuple[str, ...]
    values: Array
    scale: Scale

    @property
    def lacking(self) -> dict[str, tuple[str, ...]]:
        """Candidates without a value by data set, where there are some."""
        names = np.array(self.candidates, dtype=object)
        rows = zip(self.datasets, np.isnan(self.values), strict=True)
        return {d: tuple(names[gaps]) for d, gaps in rows if gaps.any()}


def means_of(all_values: DomainValues, options: AnalysisOptions) -> DatasetMeans:
    """Take one value a data set and candidate, on the scale that its pairs are compared on."""
    every = np.concatenate([v.ravel() for v in all_values.values.values()])
    scale = comparison_scale(
        all_values.measure, every, options.relevance.get(all_values.measure.name)
    )
    datasets, candidates, values = dataset_means(all_values, options, scale)
    left_out = tuple(d for d in all_values.values if d not in datasets)
    return DatasetMeans(datasets, left_out, candidates, values, scale)


def decide_domain(
    all_values: DomainValues,
    options: Options,
    rng: Generator,
    basis: DomainBasis,
    fits: Mapping[str, DomainFit],
) -> DomainVerdict | None:
    """Decide on every pair of one measure.

    Parameters
    ----------
    all_values : DomainValues
    options : Options
        Its `structure` chooses the method that decides. Where the model that it asks for is
        not there, own variances do.
    rng : Generator
        Draws from the joint law of many data sets.
    basis : DomainBasis
        What the models rest on.
    fits : mapping of str to DomainFit
        The models, by structure.

    Returns
    -------
    DomainVerdict or None
        None where fewer than two candidates or two data sets have values.
    """
    if options.structure != "own" and options.structure in fits:
        return _by_model(fits[options.structure], basis, all_values.measure)
    units = means_of(all_values, options)
    if min(units.values.shape) < 2:
        return None
    measure, names = all_values.measure, units.candidates
    table = compare_own_variances(units.values, options.alpha, rng)
    table = as_ratios(table) if units.scale == "ratio" else table
    area = area_on(units.scale, options.relevance.get(measure.name))
    pairs = (
        table.counted(units.values, measure.is_smaller_better)
        .named(names, all_values.target, measure.is_smaller_better)
        .decided(area)
    )
    means = additive_means(units.values)
    bounds = mean_intervals(units.values, means, options.alpha)
    if units.scale == "ratio":
        with np.errstate(over="ignore"):
            means, bounds = np.exp(means), (np.exp(bounds[0]), np.exp(bounds[1]))
    known = dict(zip(names, means.tolist(), strict=True))
    rows = zip(names, *(x.tolist() for x in bounds), strict=True)
    wide = {name: (low, high) for name, low, high in rows if np.isfinite([low, high]).all()}
    intervals, cut = inside_bounds(wide, measure)
    found = DomainVerdict(
        measure=measure,
        alpha=options.alpha,
        relevance=area,
        target=all_values.target,
        method="own-variance",
        n_datasets=len(units.datasets),
        datasets=units.datasets,
        left_out=units.left_out,
        lacking=units.lacking,
        pairs=pairs,
        means=known,
        intervals=intervals,
        cut=cut,
        order=order_by_mean(known, measure),
        leaders=(),
        groups=None,
        critical_value=None,
        values=units.values,
        is_area_given=is_area_given(units.scale, options.relevance.get(measure.name)),
    )
    return with_influence(with_pairs(found, pairs))


def _by_model(fit: DomainFit, basis: DomainBasis, measure: Measure) -> DomainVerdict:
    """Let a model decide; its intervals are inside the bounds already."""
    found = DomainVerdict(
        measure=measure,
        alpha=basis.alpha,
        relevance=basis.relevance,
        target=basis.target,
        method=fit.structure,
        n_datasets=len(basis.datasets),
        datasets=basis.datasets,
        left_out=basis.left_out,
        lacking=basis.lacking,
        pairs=fit.pairs,
        means=fit.coefficients,
        intervals=fit.intervals,
        cut=fit.cut,
        order=fit.order,
        leaders=(),
        groups=None,
        critical_value=None,
        is_area_given=basis.relevance is not None,
    )
    return with_pairs(found, fit.pairs)


def order_by_mean(means: Mapping[str, float], measure: Measure) -> tuple[str, ...]:
    """Return the candidates by their means, the best first."""
    sign = 1 if measure.is_smaller_better else -1
    return tuple(sorted(means, key=lambda name: sign * means[name]))


def with_pairs(found: DomainVerdict, pairs: PairTable) -> DomainVerdict:
    """Read from decided pairs who leads."""
    incidence = pairs.incidence
    groups = chain(incidence)

    def named(columns: Sequence[int]) -> tuple[str, ...]:
        names = {pairs.candidates[k] for k in columns}
        return tuple(name for name in found.order if name in names)

    critical = pairs.critical_value[np.isfinite(pairs.critical_value)]
    return replace(
        found,
        pairs=pairs,
        critical_value=float(critical.max()) if len(critical) else None,
        leaders=named(unbeaten(incidence)),
        groups=None if groups is None else tuple(named(group) for group in groups),
    )


def with_influence(found: DomainVerdict) -> DomainVerdict:
    """Look for data sets without which the verdict is another one."""
    return replace(found, influence=influential_datasets(found)) if found.is_own else found


def adjust_measures(verdicts: Mapping[str, DomainVerdict]) -> dict[str, DomainVerdict]:
    """Adjust the pairs of all measures together, by Bonferroni's inequality.

    Parameters
    ----------
    verdicts : mapping of str to DomainVerdict
        By measure. Other methods stay adjusted within their measure.

    Returns
    -------
    dict of str to DomainVerdict
        Unchanged where one measure has a verdict: its joint law is sharper.

    See Also
    --------
    reportgen.sections.inference.family.adjust_study : The data sets' own pairs.
    """
    if len(verdicts) < 2:
        return dict(verdicts)
    n_pairs = sum(len(found.pairs) - found.n_open for found in verdicts.values())
    datasets = {d for found in verdicts.values() for d in found.datasets}
    adjusted = {}
    for name, found in verdicts.items():
        n_alone = found.pairs.n_significant
        family = StudyFamily(n_pairs, len(verdicts), len(datasets), len(verdicts), n_alone)
        pairs = in_larger_family(found.pairs, max(1, n_pairs)).decided(found.relevance)
        adjusted[name] = replace(with_influence(with_pairs(found, pairs)), family=family)
    return adjusted


def sign_flip_pairs(
    units: DatasetMeans, verdict: DomainVerdict, rng: Generator
) -> PairTable | None:
    """Compare all pairs by the largest |t| when the signs of whole data sets are flipped.

    Parameters
    ----------
    units : DatasetMeans
    verdict : DomainVerdict
        Of the same measure.
    rng : Generator
        Draws the flips where there are more than 14 data sets.

    Returns
    -------
    PairTable or None
        Without intervals. None where two candidates share too few data sets for
        any p-value to be small, or all share enough for the joint law of the t
        statistics.
    """
    means = units.values
    fewest = int(shared_datasets(np.isfinite(means)).min())
    if fewest < FEWEST_UNITS or len(means) >= joint_units(means.shape[1]):
        return None
    found = sign_flip_max_t(means, rng)
    table = PairTable.of(
        all_pairs(means.shape[1]),
        np.nanmean(means[:, found.first] - means[:, found.second], axis=0),
        "sign-flip",
        verdict.alpha,
        statistic=found.statistics,
        adjusted_p_value=found.step_down,
    )
    table = as_ratios(table) if units.scale == "ratio" else table
    smaller = verdict.measure.is_smaller_better
    return table.named(units.candidates, verdict.target, smaller).decided()
