"""The domain analysis (Eugster, Hothorn and Leisch 2012): the results over all data sets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.formats import Density
from reportgen.measures import chance
from reportgen.sections.consensus.analysis import (
    Ballot,
    ConsensusResult,
    Order,
    find_consensus,
    lay_out,
)
from reportgen.sections.datasets import (
    FEWEST_DATASETS,
    MOST_COMPACT,
    Mapper,
    bases_of,
    in_turn,
    shares_observations,
)
from reportgen.sections.domain import Options
from reportgen.sections.domain.across import compare_across, compare_methods
from reportgen.sections.domain.basis import DomainBasis
from reportgen.sections.domain.clusters import (
    branches,
    cluster,
    leaf_order,
    resample,
    split,
    with_recurrence,
)
from reportgen.sections.domain.data import DatasetMeans, DomainValues, dataset_means, domain_values
from reportgen.sections.domain.families import describe, related_datasets
from reportgen.sections.domain.fixed_effects import fit_fixed_effects
from reportgen.sections.domain.influence import find_divergence
from reportgen.sections.domain.models import fit_domain, fit_means
from reportgen.sections.domain.result import (
    MOST_SUPPLIED,
    AcrossRanks,
    Agreement,
    BootstrapSupport,
    DatasetRow,
    Distances,
    DomainFit,
    DomainResult,
    DomainVerdict,
    FixedEffectsFit,
    RelatedDatasets,
    Subdomains,
)
from reportgen.sections.domain.suitability import CandidateRegret, Interaction, Regret
from reportgen.sections.domain.verdict import decide_domain, describe_verdict, sign_flip_pairs
from reportgen.sections.inference.result import InferenceResult
from reportgen.sections.preferences.analysis import Preference, PreferencesResult, by_mean
from reportgen.stats.arrays import Array, column_means, column_medians
from reportgen.stats.consensus_relations.orders import MOST_CANDIDATES as MOST_LISTED
from reportgen.stats.consensus_relations.voting import hierarchical
from reportgen.stats.pair_table import PairTable
from reportgen.stats.ranking import FLOOR, best_first, levelled
from reportgen.stats.relations.clustering import Clustering
from reportgen.stats.relations.relations import as_incidence, incidence_rows
from reportgen.stats.verdict import Groups, adjust_family
from reportgen.study.comparison import filled_values
from reportgen.warehouse import Performances, Warehouse
from reportgen.warehouse.rows import rows_of
from reportgen.warehouse.spreads import means_of_values

log = logging.getLogger("reportgen")

SIZES = ("obs.n", "n", "n_observations", "observations", "n_instances", "instances", "n_samples")
CLASSES = ("resp.cl", "n_classes", "classes")

FEWEST_CANDIDATES = 2  # with a value on a data set, below which nothing is lost there


def dataset_row(
    dataset: str,
    all_values: DomainValues,
    relation: Preference | None,
    n_tested: float | None = None,
    slowest: float | None = None,
) -> DatasetRow:
    """Order the candidates of one data set by its relation.

    `all_values`: of the relation's measure.
    `relation`: None where there is none; the order is then that of the means.
    `n_tested`, `slowest`: of the row.
    """
    performances, is_paired = all_values.performances[dataset], all_values.unit.shares_rows
    values, by_design = performances.values, performances.missing_by_design
    n_by_design = 0 if by_design is None else int(by_design.sum())
    has_some = np.asarray(np.isfinite(values).any(axis=0))
    own = [name for name, is_there in zip(all_values.candidates, has_some, strict=True) if is_there]
    means = {
        name: float(column[np.isfinite(column)].mean())
        for name, column in zip(own, values.T[has_some], strict=True)
    }
    groups = None if relation is None else relation.order
    order = _order(_by_mean(all_values, dataset, tuple(own)), groups, relation)
    borders = tuple(relation is not None and relation.is_better(a, b) for a, b in pairwise(order))
    return DatasetRow(
        name=dataset,
        unavailable=relation is None,
        order_class="none" if relation is None else relation.order_class,
        chain=groups,
        order=order,
        is_better_than_next=borders,
        level_groups=_level(order, relation) if relation is not None and groups is None else (),
        best=() if relation is None else relation.best,
        means=means,
        medians=dict(zip(own, column_medians(values[:, has_some]).tolist(), strict=True)),
        n_missing=int((~np.isfinite(values)).sum()) - n_by_design if is_paired else 0,
        is_uneven=is_paired and _is_uneven(values),
        n_tested=n_tested,
        slowest=slowest,
    )


def _is_uneven(values: Array) -> bool:
    """Whether some candidates lack a value in a replication in which another has one."""
    has_value = np.isfinite(values[:, np.isfinite(values).any(axis=0)])
    return bool((has_value.any(axis=1) & ~has_value.all(axis=1)).any())


def _by_mean(all_values: DomainValues, dataset: str, names: Sequence[str]) -> list[str]:
    """Return the candidates that have values by mean, in which gaps count as the worst there."""
    performances, measure = all_values.performances[dataset], all_values.measure
    values = performances.values
    if all_values.unit.is_paired:
        values = filled_values(values, "difference", measure, performances.missing_by_design)
    place = {name: k for k, name in enumerate(all_values.candidates)}
    own = levelled(column_means(values)[None, [place[name] for name in names]])[0]
    return [names[k] for k in best_first(own, is_smaller_better=measure.is_smaller_better)]


def _order(
    by_mean: Sequence[str], groups: Groups | None, relation: Preference | None
) -> tuple[str, ...]:
    """Return the candidates by mean, but none before one that is better than it."""
    if relation is None:
        return tuple(by_mean)
    if groups is not None:
        level = {name: i for i, group in enumerate(groups) for name in group}
        return tuple(sorted(by_mean, key=lambda name: level.get(name, len(groups))))
    is_better = _incidence(by_mean, relation)
    n_ahead, rest, order = is_better.sum(axis=0), list(range(len(by_mean))), []
    while rest:
        k = next((i for i in rest if not n_ahead[i]), rest[0])  # the latter: a circle
        rest.remove(k)
        order.append(by_mean[k])
        n_ahead = n_ahead - is_better[k]
    return tuple(order)


def _incidence(names: Sequence[str], relation: Preference) -> NDArray[np.bool_]:
    """Return which of some candidates is better than which."""
    place = {name: k for k, name in enumerate(relation.candidates)}
    at = [place[name] for name in names]
    return as_incidence(relation.incidence)[np.ix_(at, at)]


def _level(order: tuple[str, ...], relation: Preference) -> Groups:
    """Return the longest runs of candidates of which none is better than another."""
    incidence = _incidence(order, relation)
    apart = incidence | incidence.T
    runs: list[tuple[int, int]] = []
    end = 0
    for start in range(len(order)):
        end = max(end, start + 1)  # those of a run are alike without its first, too
        while end < len(order) and not apart[start:end, end].any():
            end += 1
        if end - start > 1 and not any(a <= start and end <= b for a, b in runs):
            runs.append((start, end))
    return tuple(order[a:b] for a, b in runs)


Fits = tuple[DomainBasis, Mapping[str, DomainFit]]


@dataclass(frozen=True, slots=True)
class MeasureAnalysis:
    """One measure over the data sets: what is decided, the models, and sign flips."""

    verdict: DomainVerdict | None
    fits: Fits
    sign_flips: PairTable | None
    fixed: FixedEffectsFit | None


MOST_SHARED = 50
"""Optima of one local consensus up to which each of them is a member of the consensus of all."""


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    inference: Mapping[str, InferenceResult],
    preferences: Mapping[str, PreferencesResult],
    consensus: Mapping[str, ConsensusResult],
    mapper: Mapper = in_turn,
    density: Density = "full",
) -> DomainResult:
    """Analyse all data sets together.

    `rng`: for the law of all pairs, where there are gaps.
    `inference`, `preferences`, `consensus`: results of the other sections by data set.
    `mapper`: does the measures, in turn or side by side.
    `density`: compact: without the stability of orders and the groups of data sets, and of more
    than `MOST_COMPACT` candidates all comparisons by ranks.
    """
    by_measure = _values_by_measure(warehouse)
    main = next(iter(by_measure), warehouse.measures[0].name)
    members = {name: _members(preferences, name) for name in by_measure}
    apart, tree = cluster(main, members.get(main, {}), warehouse.candidates)
    there = by_measure[main].datasets if by_measure else ()
    order = leaf_order(there, apart, tree)
    has_ranks = density == "full" or len(warehouse.candidates) <= MOST_COMPACT
    measured, across = _measure(by_measure, options, rng, mapper, has_ranks=has_ranks)
    fits = {name: found.fits for name, found in measured.items()}
    verdict = {name: found.verdict for name, found in measured.items() if found.verdict}
    fixed = {name: found.fixed for name, found in measured.items() if found.fixed}
    if options.family == "study":
        verdict = adjust_family(verdict, len({d for own in verdict.values() for d in own.datasets}))
        verdict = {
            name: describe_verdict(own) if own.family else own for name, own in verdict.items()
        }
    ranking = _ranking(warehouse, verdict.get(main))
    agree = partial(_consensus, warehouse.candidates, options, ranking, density=density)
    ballots_by = {name: {d: _ballot(d, r) for d, r in own.items()} for name, own in members.items()}
    agreed = {name: agree(tuple(own.values())) for name, own in ballots_by.items() if own}
    ballots = ballots_by.get(main, {})
    tested, (timed, slowest) = _n_tested(warehouse), _slowest(by_measure, main)
    described = order if by_measure else ()
    about = describe_datasets(warehouse, described, main, is_many=len(order) > MOST_SUPPLIED)
    return DomainResult(
        main=main,
        datasets=warehouse.datasets,
        relations={name: next(iter(own.values())).id for name, own in members.items() if own},
        missing_relations=_missing_relations(members, warehouse.datasets),
        distances=apart,
        leaf_order=order,
        merges=tree.merges if tree else (),
        merge_heights=tree.heights if tree else (),
        branches=branches(apart, tree),
        rows=tuple(
            replace(
                dataset_row(
                    d, by_measure[main], members[main].get(d), tested.get(d), slowest.get(d)
                ),
                **about[d],
            )
            for d in described
        ),
        consensus=agreed,
        consensus_all=agree(_shared(consensus)) if len(by_measure) > 1 else None,
        hierarchical=_hierarchy(agreed, warehouse.candidates),
        several=tuple(d for d, found in consensus.items() if len(found.relations) > 1),
        settings=bases_of(warehouse, warehouse.datasets),
        shares_observations=shares_observations(warehouse),
        verdict=verdict,
        bases={name: basis for name, (basis, _) in fits.items()},
        mixed_model=_of_kind(fits, "mixed-model"),
        block_model=_of_kind(fits, "block-model"),
        sign_flips={n: found.sign_flips for n, found in measured.items() if found.sign_flips},
        across=across,
        fixed_effects=fixed,
        agreement=_agreements(across, agreed, verdict, fits, fixed),
        stability=_stability(ballots, agreed.get(main), options, rng)
        if density == "full"
        else None,
        subdomains=_subdomains(apart, tree, ballots, ranking, warehouse, options, rng)
        if density == "full"
        else None,
        divergence=find_divergence(verdict[main], agreed.get(main)) if main in verdict else None,
        **_suitability(by_measure.get(main), options),
        timed=timed,
        sort=options.sort,
        related=_related(warehouse, by_measure.get(main), options),
        candidates=warehouse.candidates,
        values={d: own.values for d, own in by_measure[main].performances.items()}
        if by_measure
        else {},
        measures={measure.name: measure for measure in warehouse.measures},
    )


def _suitability(all_values: DomainValues | None, options: Options) -> dict[str, Any]:
    """Say of the main measure what one choice costs, and which data sets suit whom."""
    if all_values is None:
        return {}
    smaller, means = all_values.measure.is_smaller_better, dataset_means(all_values, options)
    if not means.values.size:
        return {}
    return {
        "regret": find_regret(means, is_smaller_better=smaller),
        "interaction": find_interaction(means, is_smaller_better=smaller),
        "first_without": first_without(means, is_smaller_better=smaller),
    }


def _related(
    warehouse: Warehouse, all_values: DomainValues | None, options: Options
) -> tuple[RelatedDatasets, ...]:
    """Return data sets that may be relatives, and name them in the log."""
    if bases_of(warehouse, warehouse.datasets):
        return ()
    means = None if all_values is None else dataset_means(all_values, options)
    family = {} if all_values is None else all_values.family
    found = related_datasets(warehouse.datasets, warehouse.facts, means, family)
    if found:
        log.info(
            "data sets that may be relatives count as independent all the same (families: says "
            "which are): %s",
            describe(found),
        )
    return found


def _n_tested(warehouse: Warehouse) -> dict[str, float]:
    """Return the median size of the test samples by data set, where it is known."""
    sizes = warehouse.frame["n_test"].to_numpy(np.float64)
    own = {d: sizes[rows_of(warehouse.frame, d)] for d in warehouse.datasets}
    known = {d: n[~np.isnan(n)] for d, n in own.items()}
    return {d: float(np.median(n)) for d, n in known.items() if len(n)}


def _slowest(
    by_measure: Mapping[str, DomainValues], main: str
) -> tuple[str | None, dict[str, float]]:
    """Return the first measure of time beside the main one, and the largest mean by data set."""
    timed = next(
        (n for n, v in by_measure.items() if v.measure.unit_symbol == "s" and n != main), None
    )
    if timed is None:
        return None, {}
    means = by_measure[timed].means()
    return timed, {d: float(np.nanmax(x)) for d, x in means.items() if np.isfinite(x).any()}


def _stability(
    ballots: Mapping[str, Ballot],
    agreed: ConsensusResult | None,
    options: Options,
    rng: Generator,
) -> BootstrapSupport | None:
    """Resample the data sets of a consensus, where there is one."""
    return None if agreed is None else resample(tuple(ballots.values()), agreed, options, rng)


def _subdomains(
    apart: Distances | None,
    tree: Clustering | None,
    ballots: Mapping[str, Ballot],
    ranking: Sequence[str],
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
) -> Subdomains | None:
    """Cut the tree, and find which parts return."""
    matrix = apart.between if apart else None
    parts = split(tree, matrix, ballots, warehouse.candidates, options, ranking)
    return with_recurrence(parts, apart, rng)


def _hierarchy(agreed: Mapping[str, ConsensusResult], candidates: Sequence[str]) -> Order | None:
    """Break ties of the first measure's consensus by that of the second, and so on."""
    orders = [(found, found.relations[0]) for found in agreed.values() if found.relations]
    if len(orders) < 2:
        return None
    names = tuple(n for n in candidates if any(n in found.candidates for found, _ in orders))
    place = {name: k for k, name in enumerate(names)}
    incidences = []
    for found, order in orders:
        incidence = np.zeros((len(names), len(names)), dtype=np.bool_)
        at = [place[name] for name in found.candidates]
        incidence[np.ix_(at, at)] = as_incidence(order.incidence)
        incidences.append(incidence)
    return lay_out(hierarchical(incidences), names)


def _values_by_measure(warehouse: Warehouse) -> dict[str, DomainValues]:
    """Return the values of every measure that several data sets have."""
    by_measure = {measure.name: domain_values(warehouse, measure) for measure in warehouse.compared}
    return {name: all_values for name, all_values in by_measure.items() if _has_values(all_values)}


def _missing_relations(
    members: Mapping[str, Mapping[str, Preference]], datasets: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Return by measure the data sets that have no relation."""
    return {name: tuple(d for d in datasets if d not in own) for name, own in members.items()}


def _has_values(all_values: DomainValues) -> bool:
    n_datasets = sum(bool(np.isfinite(matrix).any()) for matrix in all_values.values)
    return n_datasets >= FEWEST_DATASETS


def _measure(
    by_measure: Mapping[str, DomainValues],
    options: Options,
    rng: Generator,
    mapper: Mapper,
    *,
    has_ranks: bool,
) -> tuple[dict[str, MeasureAnalysis], dict[str, AcrossRanks]]:
    """Model every measure, and compare the data sets' values of it; with its own numbers each."""
    names = list(by_measure)
    decide = partial(_decide, has_flips=has_ranks)
    kinds = [decide] * len(names) + ([_compare] * len(names) if has_ranks else [])
    found = list(
        mapper(_done, kinds, [*by_measure.values()] * 2, repeat(options), rng.spawn(2 * len(names)))
    )
    models, ranks = found[: len(names)], found[len(names) :]
    return dict(zip(names, models, strict=True)), dict(zip(names, ranks, strict=has_ranks))


def _done(
    kind: Callable[..., Any], all_values: DomainValues, options: Options, rng: Generator
) -> Any:
    return kind(all_values, options, rng)


def _compare(all_values: DomainValues, options: Options, rng: Generator) -> AcrossRanks:
    """Compare the data sets' values of a measure by ranks."""
    return compare_across(all_values, options, rng)


def _decide(
    all_values: DomainValues, options: Options, rng: Generator, *, has_flips: bool
) -> MeasureAnalysis:
    """Decide on the pairs of a measure; model it, and flip the signs of data sets."""
    own, rng_flips = rng.spawn(2)
    basis, fits = _models(all_values, options, rng)
    verdict = decide_domain(all_values, options, own, basis, fits)
    is_flipped = verdict is not None and has_flips
    units = dataset_means(all_values, options) if is_flipped else None
    sign_flips = sign_flip_pairs(units, verdict, rng_flips) if units and verdict else None
    fixed = fit_fixed_effects(all_values, options, rng) if options.fixed_effects else None
    return MeasureAnalysis(verdict, (basis, fits), sign_flips, fixed)


def _models(all_values: DomainValues, options: Options, rng: Generator) -> Fits:
    """Model all replications, or the data sets' means where that cannot be."""
    basis, fits = fit_domain(all_values, options, rng)
    return (basis, fits) if fits else fit_means(all_values, options, rng, basis)


def _of_kind(fits: Mapping[str, Fits], kind: str) -> dict[str, Mapping[str, DomainFit]]:
    """Return the models of one kind by measure."""
    return {name: own for name, (basis, own) in fits.items() if own and basis.model == kind}


def _agreements(
    across: Mapping[str, AcrossRanks],
    agreed: Mapping[str, ConsensusResult],
    verdict: Mapping[str, DomainVerdict],
    fits: Mapping[str, Fits],
    fixed: Mapping[str, FixedEffectsFit],
) -> dict[str, Agreement]:
    """Compare the methods of every measure, where there are several."""
    found = {
        name: compare_methods(
            ranks, agreed.get(name), fits[name][1], verdict.get(name), fixed.get(name)
        )
        for name, ranks in across.items()
    }
    return {name: orders for name, orders in found.items() if orders is not None}


def _members(preferences: Mapping[str, PreferencesResult], measure: str) -> dict[str, Preference]:
    """Return each data set's default relation of a measure: the first that it has."""
    found = {}
    for dataset, relations in preferences.items():
        first = next((r for r in relations if r.measure == measure), None)
        if first is not None and first.unavailable is None:
            found[dataset] = first
    return found


def _ballot(dataset: str, relation: Preference) -> Ballot:
    """Return a relation as a member of an ensemble, missing candidates left out."""
    if not relation.missing_candidates:
        return Ballot(dataset, relation.present, relation.incidence)
    at = [
        k for k, name in enumerate(relation.candidates) if name not in relation.missing_candidates
    ]
    rest = as_incidence(relation.incidence)[np.ix_(at, at)]
    return Ballot(dataset, relation.present, incidence_rows(rest))


def _consensus(
    candidates: Sequence[str],
    options: Options,
    ranking: Sequence[str],
    ballots: Sequence[Ballot],
    *,
    density: Density,
) -> ConsensusResult:
    """Find what the data sets agree on; how far the weight of each may move where that is quick."""
    is_quick = len(candidates) <= MOST_LISTED.get(options.order_class, 0)
    is_each_once = all(ballot.weight == 1 for ballot in ballots)
    return find_consensus(
        ballots,
        candidates,
        options.order_class,
        coding=options.coding,
        limit=options.limit,
        has_ranges=is_quick and is_each_once and density == "full",
        ranking=ranking,
    )


def _ranking(warehouse: Warehouse, verdict: DomainVerdict | None) -> tuple[str, ...]:
    """Return the order in which tied candidates are named: by their means over the domain."""
    order = verdict.order if verdict else ()
    return (*order, *(name for name in by_mean(warehouse) if name not in order))


def _shared(local: Mapping[str, ConsensusResult]) -> list[Ballot]:
    """Return the data sets' local consensus relations as members of one ensemble."""
    # Every data set has the weight 1. Where it has several optima, these share
    # it equally; where they are too many to be listed, what all of them agree on
    # stands for it. Neither depends on the order in which optima were found.
    return [
        ballot
        for dataset, found in local.items()
        if found.unavailable is None and found.relations
        for ballot in _shares(dataset, found)
    ]


def _shares(dataset: str, found: ConsensusResult) -> list[Ballot]:
    """Return the members that represent one data set's consensus."""
    n = found.n_optimal
    if n is not None and not found.has_more and n == len(found.relations) <= MOST_SHARED:
        return [Ballot(dataset, found.candidates, r.incidence, 1 / n) for r in found.relations]
    agreed = set(found.agreed)
    incidence = tuple(
        tuple(int((i, j) in agreed) for j in found.candidates) for i in found.candidates
    )
    return [Ballot(dataset, found.candidates, incidence)]


def describe_datasets(
    warehouse: Warehouse, datasets: Iterable[str], measure: str, *, is_many: bool = False
) -> dict[str, dict[str, Any]]:
    """Return the fields of each row that are known of the data set itself.

    `is_many`: whether data sets are so many that nobody reads standard errors.
    """
    sizes, classes = _listed(warehouse, SIZES), _listed(warehouse, CLASSES)
    found = {}
    for name in datasets:
        facts = warehouse.facts.get(name, {})
        baselines = facts.get("baseline")
        known = baselines.get(measure) if isinstance(baselines, Mapping) else None
        n_classes = _size(facts.get("n_classes"), classes.get(name))
        found[name] = {
            "n_observations": _size(facts.get("n_observations"), sizes.get(name)),
            "n_classes": n_classes,
            "baseline": chance(measure, n_classes) if known is None and n_classes else known,
            "standard_errors": {}
            if is_many
            else standard_errors(warehouse.performances(name, measure)),
        }
    return found


def standard_errors(own: Performances) -> dict[str, float]:
    """Return the standard error of each candidate's mean that is of two values or more."""
    return {
        name: found.standard_error
        for name, found in means_of_values(own).items()
        if found.standard_error is not None
    }


def _listed(warehouse: Warehouse, names: tuple[str, ...]) -> dict[str, Any]:
    """Return a column of the characteristics that has one of some names, by data set."""
    table = warehouse.characteristics
    column = next((c for c in table.columns if str(c).lower() in names), None)
    if column is None:
        return {}
    whole = table[table["replication"].isna()].drop_duplicates("dataset")
    return dict(zip(whole["dataset"], whole[column], strict=True))


def _size(fact: Any, listed: Any) -> int | None:
    """Return a size of a data set, of the execution or of a table of characteristics."""
    try:
        number = float(listed if fact is None else fact)
    except (TypeError, ValueError):
        return None
    return int(number) if number.is_integer() and number > 0 else None


def find_regret(means: DatasetMeans, *, is_smaller_better: bool) -> Regret | None:
    """Compare every candidate with the best one of each data set.

    Result: None where no data set has values of two candidates.
    """
    used = np.isfinite(means.values).sum(axis=1) >= FEWEST_CANDIDATES
    if not used.any():
        return None
    values = (1 if is_smaller_better else -1) * means.values[used]
    best = np.nanmin(values, axis=1, keepdims=True)
    losses = _in_unit(values - best, means)
    names = np.array(means.datasets, dtype=object)[used]
    found = {
        name: _regret(names, apart, own, means)
        for name, apart, own in zip(means.candidates, (values - best).T, losses.T, strict=True)
        if np.isfinite(apart).any()
    }
    ordered = sorted(found.items(), key=lambda one: (one[1].worst, one[1].mean))
    return Regret(means.value_scale, int(used.sum()), dict(ordered))


def _regret(
    datasets: NDArray[np.object_], apart: Array, losses: Array, means: DatasetMeans
) -> CandidateRegret:
    known = np.isfinite(apart)
    names, own = datasets[known].tolist(), losses[known].tolist()
    mean = float(_in_unit(apart[known].mean(), means))
    worst = int(apart[known].argmax())
    return CandidateRegret(mean, own[worst], names[worst], dict(zip(names, own, strict=True)))


def _in_unit(differences: Array, means: DatasetMeans) -> Array:
    """Return differences in the unit of the measure, or as ratios."""
    if means.value_scale == "ratio":
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(differences))
    return differences


def find_interaction(means: DatasetMeans, *, is_smaller_better: bool) -> Interaction | None:
    """Take from every value the level of its data set and of its candidate, and keep what is left.

    Result: None with fewer than two data sets or candidates.
    """
    values, there = means.values, np.isfinite(means.values)
    if min(values.shape) < FEWEST_CANDIDATES:
        return None
    filled = means.filled
    level = column_means(filled.T)
    effects = column_means(filled - level[:, None])
    left = values - (level[:, None] + effects)
    noise = np.nan_to_num(np.abs(values)).max(initial=0.0) * FLOOR
    left = np.where(np.abs(left) <= noise, 0.0, left)  # of what was subtracted
    levels, departures = _in_unit(level, means), _in_unit(left, means)
    order = best_first(level, is_smaller_better=is_smaller_better)
    return Interaction(
        scale=means.value_scale,
        levels={means.datasets[m]: float(levels[m]) for m in order},
        departures={
            means.datasets[m]: {
                name: float(x)
                for name, x, known in zip(means.candidates, departures[m], there[m], strict=True)
                if known
            }
            for m in order
        },
        is_smaller_better=is_smaller_better,
    )


def first_without(means: DatasetMeans, *, is_smaller_better: bool) -> tuple[str, ...]:
    """Return who is first by mean when some one data set is left out, in the study's order."""
    found: set[int] = set()
    for m in range(len(means.values)):
        left = np.delete(means.values, m, axis=0)
        if len(left) and np.isfinite(left).any(axis=0).all():  # no candidate rests on m alone
            rest = np.delete(means.filled, m, axis=0)
            kept = np.delete(np.arange(len(means.filled)), m)
            own = (
                column_means(rest)
                if means.families is None
                else means.families.of_units(kept).means(rest)
            )
            own = levelled(own[None], noise=FLOOR)[0] * (1 if is_smaller_better else -1)
            found |= set(np.flatnonzero(own == own.min()).tolist())
    return tuple(name for k, name in enumerate(means.candidates) if k in found)
