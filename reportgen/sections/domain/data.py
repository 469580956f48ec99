"""Values of one measure over a domain: by data set, and as selected for a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure, Scale
from reportgen.sections.datasets import bases_of, have_values
from reportgen.sections.domain import Options
from reportgen.sections.domain.basis import DomainBasis, DomainUnits, Unavailable
from reportgen.sections.inference.generalisation import Evidence, evidence_of
from reportgen.stats.adverse_differences import adverse_within
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.blocks.cross_products import connected_candidates
from reportgen.stats.blocks.gaps import fill_gaps
from reportgen.stats.blocks.incomplete import has_residual_variance as varies_with_gaps
from reportgen.stats.blocks.incomplete import residual_df
from reportgen.stats.blocks.model import greenhouse_geisser, has_residual_variance
from reportgen.stats.domain.comparison import matrix_of_means
from reportgen.stats.domain.family_means import Families
from reportgen.stats.domain.sources import MOST_SOURCES
from reportgen.stats.domain.strata import differs_over_datasets, has_variation_within
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.ranking import levelled
from reportgen.stats.shared_means import SharedMeans, shared_means
from reportgen.stats.verdict import Groups
from reportgen.study.comparison import (
    ComparedValues,
    DomainScale,
    area_on,
    bounds_on,
    domain_scale,
    filled_values,
)
from reportgen.study.families import BY_FAMILY, EQUAL, FAMILY, WEIGHT, WEIGHTING
from reportgen.study.schema.options import AnalysisOptions
from reportgen.targets import Target
from reportgen.units import REPLICATION, Unit
from reportgen.warehouse import Performances, Warehouse

MOST_CONJOINED = 60  # data sets, each of which is asked what it shows by itself


@dataclass(frozen=True, slots=True)
class DomainValues:
    """The performances by one measure on all data sets, and what is known of these."""

    measure: Measure
    candidates: tuple[str, ...]  # the K columns, in the study's order
    # By data set, in the study's order; NaN where there is no finite value.
    performances: Mapping[str, Performances]
    # What tests over data sets speak of: where several data sets are settings of one, these were
    # chosen, and the tests speak of them alone.
    target: Target = "domain"
    unit: Unit = REPLICATION  # what a replication is
    # What is known of new data of a data set; of very many data sets of none.
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    # family, weight: What is known of each data set's relatives, and how much it counts.
    family: Mapping[str, str] = field(default_factory=dict)
    weight: Mapping[str, float] = field(default_factory=dict)
    weighting: str = EQUAL  # equal, by family, or where the weights come from

    def on(self, datasets: Sequence[str]) -> DomainValues:
        """Return the values of some data sets."""
        return replace(
            self,
            performances={d: self.performances[d] for d in datasets},
            evidence={d: own for d, own in self.evidence.items() if d in datasets},
        )

    @property
    def datasets(self) -> tuple[str, ...]:
        """Those with performances."""
        return tuple(self.performances)

    @property
    def values(self) -> tuple[Array, ...]:
        """The values, (B_m, K) each, by data set."""
        return tuple(own.values for own in self.performances.values())

    def means(self) -> dict[str, Array]:
        """Return the mean of every candidate's values by data set, NaN where it has none."""
        return {name: column_means(own.values) for name, own in self.performances.items()}


def domain_values(warehouse: Warehouse, measure: Measure) -> DomainValues:
    """Take all performances by one measure.

    Result: data sets that have values of other measures alone are left out; what is not finite is
    taken for missing.
    """
    performances = {}
    for dataset, is_known in zip(warehouse.datasets, have_values(warehouse), strict=True):
        own = warehouse.performances(dataset, measure.name)
        there = np.isfinite(own.values)
        if is_known and not there.any():
            continue
        values = own.values if there.all() else np.where(there, own.values, np.nan)
        performances[dataset] = replace(own, values=values, runs=None)
    is_chosen = bool(bases_of(warehouse, warehouse.datasets))
    target: Target = "conditional" if is_chosen or warehouse.is_learnt(measure) else "domain"
    is_few = len(performances) <= MOST_CONJOINED and warehouse.unit.is_block
    few = [warehouse.performances(d, measure.name) for d in performances if is_few]
    return DomainValues(
        measure,
        warehouse.candidates,
        performances,
        target,
        warehouse.unit,
        {own.dataset: evidence_of(warehouse, own) for own in few},
        **_families(warehouse),
    )


def _families(warehouse: Warehouse) -> dict[str, Any]:
    """Return what the facts say of families and weights of data sets."""
    facts = {d: own for d in warehouse.datasets if (own := warehouse.facts.get(d))}
    kinds = {str(own[WEIGHTING]) for own in facts.values() if WEIGHTING in own}
    return {
        "family": {d: str(own[FAMILY]) for d, own in facts.items() if FAMILY in own},
        "weight": {d: float(str(own[WEIGHT])) for d, own in facts.items() if WEIGHT in own},
        "weighting": kinds.pop() if len(kinds) == 1 else EQUAL,
    }


def families_of(
    all_values: DomainValues, datasets: Sequence[str]
) -> tuple[Families | None, tuple[str, ...]]:
    """Return the families of some data sets, and the name of each one's.

    A data set without a family is one of its own, and has its name.
    Result: None where no two are relatives and all count alike, and of so few that each stands for
    itself.
    """
    names = tuple(all_values.family.get(d, d) for d in datasets)
    alone = [d for d in datasets if d not in all_values.family]
    keys = [(n, d in alone) for n, d in zip(names, datasets, strict=True)]
    codes = np.array([keys.index(key) for key in keys], dtype=np.intp)
    is_equal = all_values.weighting == EQUAL
    if len(names) <= MOST_SOURCES or (is_equal and len({*keys}) == len(keys)):
        return None, ()
    weights = np.array([all_values.weight.get(d, 1.0) for d in datasets])
    is_given = bool(all_values.weight) and not is_equal
    own = Families(codes, weights if is_given else None, all_values.weighting == BY_FAMILY)
    return own, names


def select_model_data(
    all_values: DomainValues, options: Options
) -> tuple[tuple[Array, ...], DomainBasis]:
    """Keep the values that the options ask for, of data sets with two replications of them.

    Result: shape (B_m, K) by data set; what they are, and what is left out.
    """
    names = np.array(all_values.candidates, dtype=object)
    is_present = present_candidates(all_values)
    kept = used_replications(all_values, options, fewest=2)
    used = tuple(kept)
    values = tuple(_rows(all_values, d, kept[d])[:, is_present] for d in used)
    n_all = sum(len(all_values.performances[d].replications) for d in used)
    n_kept = sum(map(len, kept.values()))
    has_gaps = n_kept < n_all or not all(np.isfinite(v).all() for v in values)
    present = tuple(names[is_present])
    basis = DomainBasis(
        measure=all_values.measure,
        model="mixed-model",
        alpha=options.alpha,
        relevance=area_on("difference", options.relevance.get(all_values.measure.name)),
        unavailable=_unavailable(values, len(present), all_values),
        datasets=used,
        missing_datasets=tuple(d for d in all_values.performances if d not in used),
        candidates=present,
        missing_candidates=tuple(names[~is_present]),
        missing_by_dataset=_missing_by_dataset(used, values, present),
        parts=_parts(values, present),
        missing=options.missing if has_gaps else "complete",
        n_replications={d: len(kept[d]) for d in used},
        n_dropped=n_all - n_kept,
        n_values=int(sum(np.isfinite(v).sum() for v in values)),
        sphericity=_sphericity(values),
        target=all_values.target,
    )
    return values, basis


def present_candidates(all_values: DomainValues) -> NDArray[np.bool_]:
    """Return which candidates have a value on some data set, shape (K,)."""
    has_value = [np.isfinite(v).any(axis=0) for v in all_values.values]
    return np.asarray(np.logical_or.reduce(has_value))


def used_replications(
    all_values: DomainValues, options: AnalysisOptions, fewest: int
) -> dict[str, NDArray[np.int64]]:
    """Return the replications that the options ask for, by data set.

    `fewest`: data sets with fewer of them are left out.
    """
    is_present = present_candidates(all_values)
    counted = np.any if options.missing == "available" else np.all
    complete = {
        d: own.replications[counted(np.isfinite(own.values[:, is_present]), axis=1)]
        for d, own in all_values.performances.items()
    }
    kept = {d: numbers for d, numbers in complete.items() if len(numbers) >= fewest}
    if options.missing == "complete-domain":
        return dict.fromkeys(kept, _common(list(kept.values())))
    return kept


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetMeans(ComparedValues):
    """The units of a verdict: one value a data set and candidate, its mean over replications."""

    # datasets, missing_datasets: Those with a value that goes in, and the others.
    datasets: tuple[str, ...]
    missing_datasets: tuple[str, ...]
    # (M, K); the values with gaps filled (`reportgen.stats.blocks.gaps.fill_gaps`), replications
    # first, then data sets; their means order the candidates. NaN where a candidate lacks by
    # design.
    filled: Array
    choice: DomainScale
    family_names: tuple[str, ...] = ()

    @property
    def value_scale(self) -> Scale:
        """The scale of `values`, which are logarithms for ratios."""
        return "ratio" if self.scale == "ratio" else "difference"

    @property
    def has_gaps(self) -> bool:
        """Whether a candidate lacks a data set, or a replication of one that counts."""
        return self.filled is not self.values or not np.isfinite(self.values).all()

    def domain_units(self, families: Families | None, *, is_smaller_better: bool) -> DomainUnits:
        """Return what a verdict compares.

        `families`: where these decide.
        """
        has_rows = self.rows and self.filled is not self.values
        pairs = all_pairs(len(self.candidates))
        return DomainUnits(
            self.values,
            self.filled,
            self.missing_by_design,
            adverse_within(self.rows, pairs, is_smaller_better, self.by_design_in_rows)
            if has_rows
            else None,
            self.shared(),
            families,
        )

    def shared(self) -> SharedMeans | None:
        """Take the means of each pair over the replications that both have; None where all do."""
        return shared_means(self.rows, self.values, all_pairs(len(self.candidates)))

    @property
    def missing_by_dataset(self) -> dict[str, tuple[str, ...]]:
        """Candidates without a value by data set, where there are some."""
        names = np.array(self.candidates, dtype=object)
        rows = zip(self.datasets, np.isnan(self.values), strict=True)
        return {d: tuple(names[gaps]) for d, gaps in rows if gaps.any()}

    @property
    def n_values(self) -> dict[str, int]:
        """Data sets that have a value of each candidate."""
        counts = np.isfinite(self.values).sum(axis=0).tolist()
        return dict(zip(self.candidates, counts, strict=True))


def dataset_means(all_values: DomainValues, options: AnalysisOptions) -> DatasetMeans:
    """Take one value a data set and candidate, on the scale that its pairs are compared on."""
    measure = all_values.measure
    is_present = present_candidates(all_values)
    kept = used_replications(all_values, options, fewest=1)
    rows = {d: _rows(all_values, d, numbers)[:, is_present] for d, numbers in kept.items()}
    rows = {d: values for d, values in rows.items() if np.isfinite(values).any()}
    by_design_in_rows = tuple(_missing_by_design(all_values, d, kept[d], is_present) for d in rows)
    names = tuple(np.array(all_values.candidates, dtype=object)[is_present])
    shape = len(rows), len(names)
    every = np.concatenate([v.ravel() for v in all_values.values])
    choice = domain_scale(
        measure,
        np.array([column_means(v) for v in rows.values()]).reshape(shape),
        bool((every[np.isfinite(every)] > 0).all()),
        options.relevance.get(measure.name),
    )
    is_ratio = choice.scale == "ratio"
    used = [np.log(v) if is_ratio else v for v in rows.values()]
    missing_by_design = np.array(
        [[d in options.missing_by_design.get(n, ()) for n in names] for d in rows], dtype=np.bool_
    ).reshape(shape)
    values = levelled(np.array([column_means(v) for v in used]).reshape(shape))
    own = used
    if all(np.isfinite(v).all() for v in used):
        filled = values
    else:
        own = [
            filled_values(x, choice.scale, measure, by_design) if all_values.unit.shares_rows else v
            for x, v, by_design in zip(rows.values(), used, by_design_in_rows, strict=True)
        ]
        counts = [
            (np.isfinite(x) > np.isfinite(v)).any(axis=0) for x, v in zip(own, used, strict=True)
        ]
        means = levelled(np.array([column_means(x) for x in own]).reshape(shape))
        means = np.where(np.array(counts).reshape(shape), means, values)  # of the rest no last bit
        bounds = bounds_on(choice.scale, measure)
        filled = fill_gaps(means, measure.is_smaller_better, bounds, missing_by_design)
        is_same = all(np.array_equal(x, v, equal_nan=True) for x, v in zip(own, used, strict=True))
        if is_same and np.array_equal(filled, values, equal_nan=True):  # what lacks is by design
            filled = values
    is_paired = all_values.unit.shares_rows
    is_apart = all_values.unit.is_measured_apart and len(rows) <= MOST_SOURCES
    families, family_names = families_of(all_values, tuple(rows))
    return DatasetMeans(
        datasets=tuple(rows),
        missing_datasets=tuple(d for d in all_values.performances if d not in rows),
        candidates=names,
        values=values,
        filled=filled,
        missing_by_design=missing_by_design,
        scale=choice.scale,
        choice=choice,
        rows=tuple(used) if is_paired else (),
        filled_rows=tuple(own) if is_paired else (),
        by_design_in_rows=by_design_in_rows if is_paired else (),
        samples=tuple(used) if is_apart else (),
        families=families,
        family_names=family_names,
    )


def select_dataset_means(
    all_values: DomainValues, basis: DomainBasis, options: Options
) -> tuple[tuple[Array, ...], DomainBasis] | None:
    """Keep one value a data set and candidate, their means: where requested, of complete ones.

    `basis`: of the model of all replications, which is not there.
    Result: one row a data set; None where there is nothing to compare.
    """
    means = np.array(list(all_values.means().values()))
    is_present = np.isfinite(means).any(axis=0)
    rows = means[:, is_present]
    counted = np.any if options.missing == "available" else np.all
    is_used: NDArray[np.bool_] = counted(np.isfinite(rows), axis=1)
    rows = rows[is_used]
    if len(rows) < 2 or rows.shape[1] < 2 or not _differ(rows):
        return None
    names = np.array(all_values.candidates, dtype=object)
    datasets = np.array(all_values.datasets, dtype=object)
    used, present = tuple(datasets[is_used]), tuple(names[is_present])
    values = tuple(row[None] for row in rows)
    has_gaps = not all(
        np.isfinite(all_values.performances[d].values[:, is_present]).all() for d in used
    )
    found = replace(
        basis,
        model="block-model",
        datasets=used,
        missing_datasets=tuple(datasets[~is_used]),
        candidates=present,
        missing_candidates=tuple(names[~is_present]),
        missing_by_dataset=_missing_by_dataset(used, values, present),
        parts=_parts(values, present),
        missing="available" if has_gaps else "complete",
        n_replications={d: len(all_values.performances[d].replications) for d in used},
        n_dropped=0,
        n_values=int(sum(np.isfinite(all_values.performances[d].values).sum() for d in used)),
        sphericity=_sphericity(values),
    )
    return values, found


def _differ(means: Array) -> bool:
    """Whether candidates differ otherwise on one data set than on another, beyond rounding."""
    observed = np.isfinite(means)
    if observed.all():
        return has_residual_variance(means)
    return residual_df(observed) > 0 and varies_with_gaps(means)


def _missing_by_dataset(
    datasets: Sequence[str], values: Sequence[Array], names: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return the candidates without a value by data set, where there are some."""
    found = {
        d: tuple(n for n, x in zip(names, column_means(v), strict=True) if np.isnan(x))
        for d, v in zip(datasets, values, strict=True)
    }
    return {d: lacks for d, lacks in found.items() if lacks}


def _parts(values: Sequence[Array], names: Sequence[str]) -> Groups:
    """Return the candidates, parted where no data set links them."""
    if not values:
        return ()
    labels = connected_candidates(np.isfinite(matrix_of_means(values)))
    return tuple(
        tuple(n for n, label in zip(names, labels, strict=True) if label == part)
        for part in np.unique(labels)
    )


def _common(numbers: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the replications that all data sets have."""
    if not numbers:
        return np.empty(0, dtype=np.int64)
    found = numbers[0]
    for others in numbers[1:]:
        found = np.intersect1d(found, others)
    return found


def _rows(all_values: DomainValues, dataset: str, numbers: NDArray[np.int64]) -> Array:
    """Return some replications of one data set."""
    own = all_values.performances[dataset]
    rows: Array = own.values[np.searchsorted(own.replications, numbers)]
    return rows


def _missing_by_design(
    all_values: DomainValues,
    dataset: str,
    numbers: NDArray[np.int64],
    is_present: NDArray[np.bool_],
) -> NDArray[np.bool_] | None:
    """Return the cells of the same replications that stages did not ask for."""
    own = all_values.performances[dataset]
    if own.missing_by_design is None:
        return None
    return own.missing_by_design[np.searchsorted(own.replications, numbers)][:, is_present]


def _unavailable(
    values: Sequence[Array], n_candidates: int, all_values: DomainValues
) -> Unavailable | None:
    """Return why there is no model."""
    if n_candidates < 2:
        return "one-candidate"
    if not all_values.unit.is_block:
        return "no-blocks"
    if all(len(values) < 2 for values in all_values.values):
        return "too-few-replications"
    if len(values) < 2:
        return "too-few-datasets"
    if min(len(v) for v in values) < 2:
        return "too-few-replications"
    if not any(_varies_within(v) for v in values):
        return "no-variation"
    means = matrix_of_means(values)
    if np.isfinite(means).all():
        return None if differs_over_datasets(means[:, None]) else "no-differences"
    return None if _differ(means) else "no-differences"


def _varies_within(values: Array) -> bool:
    """Whether differences of the candidates of one data set vary over its replications."""
    own = values[:, np.isfinite(values).any(axis=0)]
    complete = own[np.isfinite(own).all(axis=1)]
    return min(complete.shape) > 1 and has_variation_within(complete[None])


def _sphericity(values: Sequence[Array]) -> float | None:
    """Return the Greenhouse-Geisser epsilon of the means of complete data sets."""
    if len(values) < 3 or values[0].shape[1] < 2 or min(map(len, values)) < 1:
        return None
    means = matrix_of_means(values)
    rows = means[np.isfinite(means).all(axis=1)]
    epsilon = greenhouse_geisser(rows) if len(rows) > 2 else nan
    return None if isnan(epsilon) else epsilon
