"""Preference relations on one data set (Eugster 2011, section 2.4).

Reads relations from verdicts, other tests and statistics of the candidates, and finds the
preferences that rank tests contradict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from math import fsum
from typing import Literal

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import HIDDEN, dataclass, stated
from reportgen.errors import StudyError
from reportgen.formats import Density
from reportgen.measures import KNOWN_MEASURES
from reportgen.performance_measure import Measure
from reportgen.sections.datasets import MOST_COMPACT
from reportgen.sections.inference import analysis as inference_analysis
from reportgen.sections.inference.result import InferenceResult, MeasureInference, Unavailable
from reportgen.sections.preferences import (
    SHARED,
    STATISTICS,
    By,
    Options,
    RelationEntry,
    Relevant,
)
from reportgen.stats.arrays import Array, column_means
from reportgen.stats.decisions import Decision
from reportgen.stats.descriptive import describe, worst, worst_quantile, worst_share
from reportgen.stats.pair_table import PairTable
from reportgen.stats.ranking import best_first
from reportgen.stats.relations import relations as stats
from reportgen.stats.relations.hasse import hasse
from reportgen.stats.relations.relations import (
    Incidence,
    IncidenceRows,
    OrderClass,
    Violations,
    incidence_rows,
)
from reportgen.study.comparison import area_on, filled_values
from reportgen.study.errors import listed, measure_name
from reportgen.study.schema.options import AnalysisOptions
from reportgen.targets import Target
from reportgen.warehouse import Performances, Warehouse

Absence = Literal["one-candidate", "no-values", "no-test", "reference"]


Better = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Preference:
    """A strict relation of the candidates: who is better than whom.

    The properties of the order (`violations` to `best`) are those of the candidates
    that have values; those in `missing_candidates` are neither better nor worse than any.

    Attributes
    ----------
    id : str
        The relation's name in the manifest, else measure/by.
    measure : str
        Name of the measure.
    by : str
        The statistic or the test behind it.
    relevant : {"better", "not-equivalent"} or None
        How the area of equivalence enters; None for not at all.
    epsilon : float
        Statistics that differ by no more tie.
    level : float or None
        The m of m-worst, the level of a quantile, the error probability of a
        test or of percentile intervals.
    area : tuple of two floats or None
        The area of equivalence, where it enters.
    unavailable : str or None
        Why there is no relation: "one-candidate", "no-values", or "no-test"
        (the test that it is read from could not be computed), or "reference" (pairs with one
        candidate alone are decided on, which gives no relation of all).
    reason : str or None
        Why there is no test, in the terms of the inference.
    candidates : tuple of str
        Rows and columns of `incidence`, in the study's order.
    missing_candidates : tuple of str
        Those without any value.
    incidence : tuple of sequences of int
        ``incidence[i][j] = 1`` when candidate i is better than candidate j;
        all 0 where there is no relation. Of more than 30 candidates that have a
        `chain` or a `chain_of_rest` it is null in results.json: it follows from that.
    order_class : str
        The narrowest class the incidence belongs to; "none" where it is no
        strict partial order, and where there is no relation.
    complete, transitive, negatively_transitive, asymmetric : bool
        Properties of the incidence: one of any two is better; better than
        better is better; neither better than neither is neither better (so that
        being undecided is transitive); never both ways.
    chain : tuple of tuples of str, or None
        The classes of a weak order, best first; None where it is none.
    chain_of_rest : tuple of tuples of str, or None
        The chain of the candidates that have values, where some have none.
    values : mapping of str to float, or None
        The statistic of every candidate that has values, where `by` is one.
    intervals : mapping of str to (float, float), or None
        The percentile intervals, where `by` asks for them.
    violations : tuple of triples of str
        Where there is no chain, the first triples that show it: i is better
        than k, yet j is undecided against both; or, where the relation is
        not even transitive, i is better than j, j than k, but i not than k.
    n_violations : int
        Number of all such triples.
    p_values : tuple of two floats, or None
        Of the tests between i and j and between j and k of the first triple,
        where the relation is read from tests alone and is transitive.
    covers : tuple of pairs of str
        The lines of the Hasse diagram: the better candidate first.
    implied : tuple of pairs of str
        Pairs that transitivity asks for, but that are not there: dashed lines.
    cycles : tuple of tuples of str
        Candidates that are better than one another in a circle.
    levels : tuple of tuples of str
        The rows of the Hasse diagram, best first.
    best : tuple of str
        Candidates that no other is better than; those that are better than
        most others first.
    lost_to_failures : tuple of pairs of str
        For a relation read from tests: preferences that rank tests confirm on
        complete replications, but not when failed fits count as the worst.
    rank_reversals : tuple of pairs of str
        Preferences that rank tests on complete replications have the other way
        round.
    n_replications : int
        Replications that went in.
    n_values : mapping of str to int
        Values of each candidate that has some.
    target : str
        What its tests and intervals speak about.
    measured : Measure
        Of `measure`.
    ranking : tuple of str
        All candidates by their mean on the main measure: the order in which
        those that tie are named.
    """

    id: str
    measure: str
    by: By
    relevant: Relevant | None
    epsilon: float
    level: float | None
    area: tuple[float, float] | None = None
    unavailable: Absence | None = None
    reason: Unavailable | None = None
    candidates: tuple[str, ...] = ()
    missing_candidates: tuple[str, ...] = ()
    incidence: IncidenceRows = field(default=(), metadata=stated("listed_incidence"))
    order_class: OrderClass = "none"
    complete: bool = False
    transitive: bool = False
    negatively_transitive: bool = False
    asymmetric: bool = True
    chain: tuple[tuple[str, ...], ...] | None = None
    chain_of_rest: tuple[tuple[str, ...], ...] | None = None
    values: Mapping[str, float] | None = None
    intervals: Mapping[str, tuple[float, float]] | None = None
    violations: tuple[tuple[str, str, str], ...] = ()
    n_violations: int = 0
    p_values: tuple[float, float] | None = None
    covers: tuple[tuple[str, str], ...] = ()
    implied: tuple[tuple[str, str], ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    levels: tuple[tuple[str, ...], ...] = ()
    best: tuple[str, ...] = ()
    lost_to_failures: tuple[tuple[str, str], ...] = ()
    rank_reversals: tuple[tuple[str, str], ...] = ()
    n_replications: int = 0
    n_values: Mapping[str, int] = field(default_factory=dict)
    target: Target = "conditional"
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)
    ranking: tuple[str, ...] = field(default=(), metadata=HIDDEN)

    @property
    def listed_incidence(self) -> IncidenceRows | None:
        """The incidence, for results; None where a chain of many candidates says it."""
        is_long = self.order is not None and len(self.candidates) > MOST_COMPACT
        return None if is_long else self.incidence

    @property
    def present(self) -> tuple[str, ...]:
        """The candidates that have values, in the study's order."""
        return tuple(name for name in self.candidates if name not in self.missing_candidates)

    @property
    def order(self) -> tuple[tuple[str, ...], ...] | None:
        """The chain of the candidates that have values, where there is one."""
        return self.chain_of_rest if self.missing_candidates else self.chain

    @property
    def is_named(self) -> bool:
        """Whether the manifest gives it a name of its own."""
        return self.id != f"{self.measure}/{self.by}"

    @property
    def is_statistic(self) -> bool:
        """Whether it compares a statistic of each candidate."""
        return self.by in STATISTICS

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All its pairs: (better, worse)."""
        names = self.candidates
        return tuple(
            (names[i], names[j])
            for i, row in enumerate(self.incidence)
            for j, better in enumerate(row)
            if better
        )

    def is_better(self, first: str, second: str) -> bool:
        """Whether first is better than second in the relation."""
        i, j = self.candidates.index(first), self.candidates.index(second)
        return self.incidence[i][j] == 1


PreferencesResult = tuple[Preference, ...]
"""In the manifest's order, else that of the measures."""


def pairs_behind(by: By, found: MeasureInference) -> PairTable | None:
    """Return the comparisons that a relation is read from; None where there are none.

    `by`: the tests on the replications, the block model with its pooled variance as published, or
    rank sums.
    """
    if by == "friedman":
        return found.rank_pairs
    if by == "mixed-model" and not found.is_pooled:
        model = found.methods.get("block-model")
        return model.pairs if model else None
    return found.conditional_pairs or None


def better_by_tests(by: By, relevant: Relevant | None, found: MeasureInference) -> Better | None:
    """Return the pairs that are decided.

    `relevant`: which decided differences count, of means.
    Result: the better candidate first; None without a test.
    """
    pairs = pairs_behind(by, found)
    if not pairs:
        return None
    if by == "friedman":
        return tuple(sorted(find_preferences(pairs)))
    return find_preferences(pairs, relevant)


def find_preferences(pairs: PairTable | None, relevant: Relevant | None = None) -> Better:
    """Return who is decided to be better than whom, and relevantly so where that is required."""
    if pairs is None:
        return ()
    names = pairs.names
    undecided: Decision = "undecided"
    decisions = pairs.decision or (undecided,) * len(pairs)
    rows = zip(pairs.first.tolist(), pairs.second.tolist(), pairs.direction.tolist(),
               decisions, strict=True)  # fmt: skip
    return tuple(
        (names[i], names[j]) if way > 0 else (names[j], names[i])
        for i, j, way, decision in rows
        if way and _counts(decision, relevant)
    )


def _counts(decision: Decision, relevant: Relevant | None) -> bool:
    """Whether a decided difference counts."""
    if relevant == "better":
        return decision in ("better-relevant", "worse-relevant")
    return relevant is None or decision != "equivalent"


def lost_to_failures(better: Better, found: MeasureInference) -> Better:
    """Return the preferences that rank tests confirm, but not with failures as the worst.

    `better`: all preferences of a relation, the better candidate first.
    `found`: with rank tests on the replications that are complete, and of all, in which failed fits
    stand behind all values.
    Result: those that hold on complete replications and not where failures count. What ranks do not
    confirm anyhow is not blamed on failures.
    """
    if found.worst_rank is None:
        return ()
    complete = frozenset(find_preferences(found.rank_pairs))
    counted = frozenset(find_preferences(found.worst_rank.rank_pairs))
    return tuple(pair for pair in better if pair in complete and pair not in counted)


def rank_reversals(better: Better, found: MeasureInference) -> Better:
    """Return the preferences that rank tests have the other way round.

    `better`: all preferences of a relation, the better candidate first.
    """
    ranked = frozenset(find_preferences(found.rank_pairs))
    return tuple((i, j) for i, j in better if (j, i) in ranked)


def by_mean(warehouse: Warehouse) -> tuple[str, ...]:
    """Return all candidates by their mean on the main measure, the better first.

    Of several data sets it is the mean of the data sets' means. Equal means, and
    candidates without a value, stand in the study's order, the latter last.
    """
    names = warehouse.candidates
    for measure in warehouse.measures:
        every = [warehouse.performances(d, measure.name) for d in warehouse.datasets]
        matrices = [own.values for own in every]
        if warehouse.unit.is_block:
            matrices = [
                filled_values(own.values, "difference", measure, own.missing_by_design)
                for own in every
            ]
        means = np.array([column_means(matrix) for matrix in matrices])
        if np.isfinite(means).any():
            overall = column_means(filled_values(means, "difference", measure))
            order = best_first(overall, is_smaller_better=measure.is_smaller_better)
            return tuple(names[k] for k in order)
    return names


COSTS = {name for name, known in KNOWN_MEASURES.items() if known.kind == "cost"}
"""Measures whose mean decides, as that of times and sizes, unless the manifest names others."""


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    inference: InferenceResult,
    density: Density = "full",
) -> PreferencesResult:
    """Read every relation that is requested from one data set.

    `warehouse`: of one data set.
    `rng`: for tests that have to be computed anew, under this section's options.
    `inference`: the tests of the same data set.
    `density`: compact: there are none of more than `MOST_COMPACT` candidates.
    Result: in the order of the options, else of the measures.
    """
    if density == "compact" and len(warehouse.candidates) > MOST_COMPACT:
        return ()
    (dataset,) = warehouse.datasets
    measures = {measure_name(measure.name): measure for measure in warehouse.measures}
    entries = options.relations or _defaults(warehouse)
    tests = _tests(warehouse, options, rng, inference)
    ranking = by_mean(warehouse)
    found = []
    for entry in entries:
        measure = measures[measure_name(entry.measure)]
        performances = warehouse.performances(dataset, measure.name)
        blank = _blank(entry, performances, options, ranking)
        found.append(_preference(blank, performances, options, tests.get(measure.name)))
    return tuple(found)


def _defaults(warehouse: Warehouse) -> tuple[RelationEntry, ...]:
    """Return the relations of a manifest that names none: where nothing can be tested, by mean."""
    # Samples of times are what the study is of.
    is_timed_beside = warehouse.unit.is_paired
    by_mean = [
        not warehouse.has_spread
        or (is_timed_beside and (measure.name in COSTS or measure.is_of_machine))
        for measure in warehouse.measures
    ]
    return tuple(
        RelationEntry.model_construct(measure=measure.name, by="mean" if mean else "verdict")
        for measure, mean in zip(warehouse.measures, by_mean, strict=True)
    )


def _tests(
    warehouse: Warehouse, options: Options, rng: Generator, inference: InferenceResult
) -> InferenceResult:
    """Return the tests under this section's options: those at hand, or computed anew."""
    # Raises StudyError if they would have to be adjusted anew over data sets that are not at hand.
    if all(_holds(found, options) for found in inference.values()):
        return inference
    if options.family == "study":
        raise StudyError(
            f"sections.preferences: found family: study with other options than inference has; "
            f"allowed the same {listed(SHARED)} in both"
        )
    shared = {name: getattr(options, name) for name in AnalysisOptions.model_fields}
    return inference_analysis.analyse(warehouse, AnalysisOptions(**shared), rng)


def _holds(found: MeasureInference, options: Options) -> bool:
    """Whether a measure was tested as this section's options ask."""
    is_asymptotic = found.deciding_method is not None and found.deciding_method.law == "asymptotic"
    area = area_on(found.pairs.scale, options.relevance.get(found.measure.name))
    return (
        found.alpha == options.alpha
        and found.relevance == area
        and (not found.is_pooled or is_asymptotic == (options.df == "asymptotic"))
        and (not found.pairs or found.is_pooled == (options.variance == "pooled"))
        and (found.family is None or options.family == "study")
        and found.reference == options.deciding
    )


def _blank(
    entry: RelationEntry, values: Performances, options: Options, ranking: tuple[str, ...]
) -> Preference:
    """Return the relation that is requested, in which no candidate is better than another."""
    # `ranking`: the order in which candidates that tie are named.
    measure, k = values.measure, len(values.candidates)
    n_values = dict(zip(values.candidates, values.observed.sum(axis=0).tolist(), strict=True))
    return Preference(
        entry.name or f"{measure.name}/{entry.by}",
        measure.name,
        entry.by,
        entry.relevant,
        entry.epsilon,
        _level(entry, options, len(values.values)),
        area=options.relevance.get(measure.name) if entry.relevant else None,
        candidates=values.candidates,
        missing_candidates=tuple(name for name, n in n_values.items() if not n),
        incidence=incidence_rows(np.zeros((k, k), dtype=np.bool_)),
        n_replications=len(values.values),
        n_values={name: n for name, n in n_values.items() if n},
        target=values.target,
        measured=measure,
        ranking=ranking,
    )


def _preference(
    blank: Preference, values: Performances, options: Options, found: MeasureInference | None
) -> Preference:
    """Read one relation, or return why there is none."""
    if len(blank.n_values) < 2:
        return replace(blank, unavailable="one-candidate" if blank.n_values else "no-values")
    if blank.by in STATISTICS:
        return _by_statistic(blank, values)
    if blank.by == "percentile":
        return _by_intervals(blank, values, options.alpha)
    return _by_test(blank, found)


def _level(entry: RelationEntry, options: Options, n: int) -> float | None:
    """Return the m, the quantile's level or the error probability."""
    if entry.by == "m-worst":
        return entry.m or worst_share(n, options.alpha)
    if entry.by == "quantile":
        return 1 - options.alpha if entry.quantile is None else entry.quantile
    return None if entry.by in STATISTICS else options.alpha


# ------------------------------------------------------------------------------ statistics


def _by_statistic(blank: Preference, performances: Performances) -> Preference:
    """Compare a statistic of every candidate's own values."""
    smaller = performances.measure.is_smaller_better
    statistic = _statistic(blank, smaller)
    columns = [performances.column(k) for k in range(len(blank.candidates))]
    values = np.array([statistic(x) if len(x) else np.nan for x in columns])
    known = np.isfinite(values)
    rounding = 4 * float(np.spacing(np.abs(values[known]).max()))
    incidence = stats.of_statistic(values, smaller, blank.epsilon + rounding)
    by_name = {n: float(v) for n, v in zip(blank.candidates, values, strict=True) if np.isfinite(v)}
    return _described(replace(blank, values=by_name), incidence)


def _statistic(blank: Preference, is_smaller_better: bool) -> Callable[[Array], float]:
    """Return the function that sums a candidate up; the maximum is the worst value."""
    level = blank.level or 0.0
    known: Mapping[str, Callable[[Array], float]] = {
        "mean": lambda x: fsum(x) / len(x),  # the same values give the same mean, in any order
        "median": lambda x: float(np.median(x)),
        "max": lambda x: worst(x, 1, is_smaller_better),
        "m-worst": lambda x: worst(x, int(level), is_smaller_better),
        "quantile": lambda x: worst_quantile(x, level, is_smaller_better),
    }
    return known[blank.by]


def _by_intervals(blank: Preference, values: Performances, alpha: float) -> Preference:
    """Compare the central 1 - alpha parts of every candidate's values."""
    intervals = {
        name: describe(values.column(k), alpha).percentile_interval
        for k, name in enumerate(blank.candidates)
        if name in blank.n_values
    }
    nowhere = (np.nan, np.nan)
    bounds = np.array([intervals.get(name, nowhere) for name in blank.candidates])
    incidence = stats.of_intervals(bounds[:, 0], bounds[:, 1], values.measure.is_smaller_better)
    return _described(replace(blank, intervals=intervals), incidence)


# ----------------------------------------------------------------------------------- tests


def _by_test(blank: Preference, found: MeasureInference | None) -> Preference:
    """Compare all pairs as the inference does."""
    if found is not None and found.reference is not None and blank.by == "verdict":
        return replace(blank, unavailable="reference")
    pairs = None if found is None else better_by_tests(blank.by, blank.relevant, found)
    if found is None or pairs is None:
        reason = None if found is None else found.unavailable
        return replace(blank, unavailable="no-test", reason=reason)
    place = {name: i for i, name in enumerate(blank.candidates)}
    better = [(place[first], place[second]) for first, second in pairs]
    relation = _described(blank, stats.of_pairs(len(place), better))
    return replace(
        relation,
        p_values=_p_values(relation, found),
        lost_to_failures=lost_to_failures(relation.pairs, found),
        rank_reversals=rank_reversals(relation.pairs, found),
    )


def _p_values(relation: Preference, found: MeasureInference) -> tuple[float, float] | None:
    """Return the p-values of the middle candidate of the first violation with the others."""
    if relation.relevant or not (relation.violations and relation.transitive):
        return None
    pairs = pairs_behind(relation.by, found) or ()
    p_values = {frozenset((p.first, p.second)): p.adjusted_p_value for p in pairs}
    i, j, k = relation.violations[0]
    both = p_values[frozenset((i, j))], p_values[frozenset((j, k))]
    return None if both[0] is None or both[1] is None else (both[0], both[1])


# ------------------------------------------------------------------------- what it amounts to


def _described(blank: Preference, incidence: Incidence) -> Preference:
    """Add what follows from the incidence."""
    order_class = stats.order_class(incidence)
    among = np.array([name not in blank.missing_candidates for name in blank.candidates])
    rest = incidence[np.ix_(among, among)]
    present, ranking = blank.present, blank.ranking or blank.candidates
    found_violations = _first_violations(rest)
    lines = hasse(rest)
    n_ahead = rest.sum(axis=1) - rest.sum(axis=0)
    ahead = dict(zip(present, n_ahead.tolist(), strict=True))
    (best,) = _name([stats.unbeaten(rest)], present, ranking)
    return replace(
        blank,
        incidence=incidence_rows(incidence),
        order_class=order_class,
        complete=not stats.incomparability(incidence),
        transitive=not stats.intransitivity(incidence),
        negatively_transitive=not stats.negative_intransitivity(incidence),
        asymmetric=not stats.asymmetry(incidence),
        chain=_chain(incidence, blank.candidates, ranking),
        chain_of_rest=_chain(rest, present, ranking) if blank.missing_candidates else None,
        violations=tuple(
            (present[i], present[j], present[k]) for i, j, k in found_violations.first
        ),
        n_violations=found_violations.n,
        covers=tuple((present[i], present[j]) for i, j in lines.covers),
        implied=tuple((present[i], present[j]) for i, j in lines.implied),
        cycles=_name(lines.cycles, present, present),
        levels=_name(lines.levels, present, ranking),
        best=tuple(sorted(best, key=lambda name: -ahead[name])),
    )


def _chain(
    incidence: Incidence, names: Sequence[str], ranking: Sequence[str]
) -> tuple[tuple[str, ...], ...] | None:
    """Return the classes of a weak order by name."""
    classes = stats.chain(incidence)
    return None if classes is None else _name(classes, names, ranking)


def _first_violations(incidence: Incidence) -> Violations:
    """Return the triples because of which there is no chain."""
    return stats.intransitivity(incidence) or stats.negative_intransitivity(incidence)


def _name(
    groups: Sequence[Sequence[int]], names: Sequence[str], ranking: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    place = {name: i for i, name in enumerate(ranking)}
    return tuple(tuple(sorted((names[i] for i in g), key=place.__getitem__)) for g in groups)
