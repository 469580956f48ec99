"""Who is not surpassed on the main measure and another one: the efficient frontier of the means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import FEW_REPLICATIONS, Measure, Scale
from reportgen.sections.datasets import FEWEST_DATASETS
from reportgen.sections.domain.candidate_means import (
    candidate_means,
    errors_of_means,
)
from reportgen.sections.domain.data import (
    DomainValues,
    dataset_means,
    domain_values,
)
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.domain.sources import evidence_of_sources, is_of_few, target_of_few
from reportgen.sections.frontier import Options
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.sections.items.analysis import ItemsResult
from reportgen.stats.arrays import Array, Interval
from reportgen.stats.blocks.candidate_means import within
from reportgen.stats.columns import opposite, signed
from reportgen.stats.descriptive import describe, worst
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.ranking import best_first, levelled
from reportgen.stats.verdict import Verdict
from reportgen.study.comparison import (
    area_on,
    comparison_scale,
    comparison_values,
    filled_values,
)
from reportgen.study.schema.options import AnalysisOptions
from reportgen.targets import Target
from reportgen.warehouse import Warehouse

Counted = Literal["replication", "dataset"]
IntervalsBy = Literal["replications", "datasets", "families", "errors"]

FEW_UNITS = 10  # below, a part of the values in the middle says nothing


MOST_CANDIDATES = 60  # with a ratio of each pair; of more, those with the best candidate


@dataclass(frozen=True, slots=True)
class Location:
    """Where a candidate stands by one measure.

    Attributes
    ----------
    n : int
        Replications, or data sets, with a value.
    mean : float
        Of what is compared by ratio the geometric one.
    interval : tuple of two floats, or None
        Of the mean; None of a single value.
    middle : tuple of two floats
        Of replications the central 1 - alpha, of data sets the middle half.
    worst : float
        The worst value of a replication, or mean of a data set.
    worst_on : str or None
        That data set; None of one data set, and where several have that mean.
    """

    n: int
    mean: float
    interval: Interval | None
    middle: Interval
    worst: float
    worst_on: str | None
    # Whether the mean counts gaps as the worst there.
    is_filled: bool = field(default=False, metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate by both measures.

    Attributes
    ----------
    candidate : str
    main, other : Location
    times_best : float or None
        Mean by the other measure over that of the best; None where candidates are
        compared by difference.
    surpassed_by : tuple of str
        Candidates whose means are better on one measure and not worse on the other.
    is_decided_worse : bool
        Whether some other candidate is decided better by the main measure.
    """

    candidate: str
    main: Location
    other: Location
    times_best: float | None
    surpassed_by: tuple[str, ...]
    is_decided_worse: bool = False


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as large the mean of the first is as that of the second."""

    first: str = field(metadata=signed(partner="second"))  # whose mean is divided
    second: str = field(metadata=signed(partner="first"))  # by whose mean
    # of geometric means; None beyond floating point
    ratio: float | None = field(metadata=signed("limit"))
    # of its interval; None where there is none
    lower: float | None = field(metadata=signed("limit", "upper"))
    upper: float | None = field(metadata=signed("limit", "lower"))  # its other end

    def reversed(self) -> Ratio:
        """Return the ratio of the second to the first."""
        return opposite(self, is_ratio=True)


def _times(means: Sequence[float]) -> float | None:
    """Return the largest over the smallest; None where that is not above 0."""
    return max(means) / min(means) if min(means) > 0 else None


@dataclass(frozen=True, slots=True)
class Frontier:
    """The main measure against another one.

    Attributes
    ----------
    unit : {"replication", "dataset"}
        What means are taken over.
    n_units : int
        Those with a value of both measures.
    alpha : float
        Intervals have level 1 - alpha, each for itself.
    main_scale, scale : {"difference", "ratio"}
        How candidates are compared by the main measure, and by the other one.
    area : tuple of two floats or None
        Area of equivalence by the other measure.
    places : tuple of Place
        The best by the other measure first.
    frontier : tuple of str
        Candidates that nobody surpasses, in the order of `places`.
    missing_candidates : tuple of str
        Candidates without a value of one of the two.
    ratios : tuple of Ratio
        By the other measure, where candidates are compared by ratio.
    ratios_by : {"verdict", "paired-t"} or None
        Of one data set the simultaneous intervals of the verdict; of several the
        paired t of logarithms over them, for each pair alone.
    intervals_by : {"replications", "datasets", "families", "errors"}
        Whose spread gives the intervals of means; "errors" are those of each of few data sets.
    target : str
        What the intervals speak about.
    """

    unit: Counted
    n_units: int
    alpha: float
    main_scale: Scale
    scale: Scale
    area: Interval | None
    places: tuple[Place, ...]
    frontier: tuple[str, ...]
    missing_candidates: tuple[str, ...]
    ratios: tuple[Ratio, ...]
    ratios_by: Literal["verdict", "paired-t"] | None
    intervals_by: IntervalsBy
    target: Target
    main_measure: Measure = field(default=Measure(""), metadata=HIDDEN)
    measure: Measure = field(default=Measure(""), metadata=HIDDEN)
    measures: tuple[Measure, ...] = field(default=(), metadata=HIDDEN)

    def place(self, candidate: str) -> Place:
        """Return a candidate's place."""
        return next(p for p in self.places if p.candidate == candidate)

    def ratio(self, first: str, second: str) -> Ratio | None:
        """Return how many times as large the first mean is; None where that is not known."""
        for found in self.ratios:
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                return found.reversed()
        return None

    @property
    def surpassed(self) -> tuple[str, ...]:
        """Candidates that are not on the frontier, in the order of `places`."""
        return tuple(p.candidate for p in self.places if p.surpassed_by)

    @property
    def beaten(self) -> tuple[str, ...]:
        """Those on the frontier that are decided worse than another by the main measure."""
        return tuple(n for n in self.frontier if self.place(n).is_decided_worse)

    @property
    def is_strict(self) -> bool:
        """Whether each of these is worse than some other on both measures, not level on one."""
        return all(
            any(
                self._is_better(self.place(name), p, "main")
                and self._is_better(self.place(name), p, "other")
                for name in p.surpassed_by
            )
            for p in self.places
            if p.surpassed_by
        )

    @property
    def leaders(self) -> tuple[str, ...]:
        """Candidates with the best mean of the main measure."""
        return self._extreme("main", best=True)

    @property
    def first(self) -> tuple[str, ...]:
        """Candidates with the best mean of the other measure: of times, the fastest."""
        return self._extreme("other", best=True)

    @property
    def last(self) -> tuple[str, ...]:
        """Candidates with the worst mean of the other measure; none where all are level."""
        last = self._extreme("other", best=False)
        return () if last == self.first else last

    @property
    def spread(self) -> float | None:
        """How many times as large the largest mean is as the smallest; None without ratios."""
        if self.scale != "ratio":
            return None
        return _times([p.other.mean for p in self.places])

    @property
    def is_domain(self) -> bool:
        """Whether means are over data sets."""
        return self.unit == "dataset"

    @property
    def laggard(self) -> Place | None:
        """The one that is worst by the other measure, where the leader surpasses it.

        None where the leader is best by both, and the headline of the table compares the two.
        """
        if len(self.last) != 1 or len(self.leaders) != 1:
            return None
        if not self.is_domain and self.leaders[0] in self.first:
            return None
        found = self.place(self.last[0])
        return found if self.leaders[0] in found.surpassed_by else None

    @property
    def laggard_times(self) -> float | None:
        """How many times as large its mean is as the leader's, or as small where larger is better.

        None without ratios.
        """
        if self.laggard is None or self.scale != "ratio":
            return None
        return _times([self.laggard.other.mean, self.place(self.leaders[0]).other.mean])

    @property
    def is_time(self) -> bool:
        """Whether the other measure is a time, which is the shorter the better."""
        return self.measure.unit_symbol == "s" and self.measure.is_smaller_better

    @property
    def has_line(self) -> bool:
        """Whether there are candidates and replications enough for a line through means."""
        is_enough = self.is_domain or self.n_units >= FEW_REPLICATIONS
        return len(self.places) > 2 and is_enough

    @property
    def has_middle(self) -> bool:
        """Whether there are values enough for a part of them in the middle."""
        return self.n_units >= FEW_UNITS

    @property
    def has_intervals(self) -> bool:
        """Whether some mean has an interval."""
        return any(p.main.interval or p.other.interval for p in self.places)

    @property
    def is_filled(self) -> bool:
        """Whether the mean of some candidate counts gaps as the worst there."""
        return any(p.main.is_filled or p.other.is_filled for p in self.places)

    def _extreme(self, by: Literal["main", "other"], *, best: bool) -> tuple[str, ...]:
        ends = [
            p
            for p in self.places
            if not any(
                self._is_better(q, p, by) if best else self._is_better(p, q, by)
                for q in self.places
            )
        ]
        return tuple(p.candidate for p in ends)

    def _is_better(self, a: Place, b: Place, by: Literal["main", "other"]) -> bool:
        measure = self.main_measure if by == "main" else self.measure
        x, y = (p.main.mean if by == "main" else p.other.mean for p in (a, b))
        return x < y if measure.is_smaller_better else x > y


@dataclass(frozen=True, slots=True)
class FrontierResult:
    """The main measure against every other one.

    Attributes
    ----------
    main : str
        The main measure.
    shown : str or None
        The other measure that an article shows: the first time, else the first.
    against : mapping of str to Frontier
        By the other measure; the one that is shown first.
    """

    main: str
    shown: str | None
    against: Mapping[str, Frontier]

    @property
    def chosen(self) -> Frontier | None:
        """The main measure against the one that is shown; None where nothing is compared."""
        return None if self.shown is None else self.against[self.shown]

    @property
    def others(self) -> Mapping[str, Frontier]:
        """The main measure against those that are not shown."""
        return {name: found for name, found in self.against.items() if name != self.shown}


@dataclass(frozen=True, slots=True)
class _Located:
    """All candidates by one measure."""

    measure: Measure
    scale: Scale
    n_units: int
    target: Target
    locations: Mapping[str, Location]  # of the candidates that have a value
    # (n_units,); of the data sets' means, where candidates are compared by ratio.
    logarithms: Mapping[str, Array] | None = None
    intervals_by: IntervalsBy = "replications"


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    inference: Mapping[str, InferenceResult],
    domain: DomainResult | None = None,
    items: ItemsResult | None = None,
) -> FrontierResult:
    """Hold the main measure against every other one.

    `rng`: not used: nothing is drawn.
    `inference`: results of the data sets, for the ratios of one data set.
    `domain`, `items`: with the verdict on the main measure over several data sets, or over the
    tasks of an evaluation.
    Result: measures without a value, those that leave fewer than two candidates with both, and of
    several data sets those that fewer than two have beside the main one, are left out.
    """
    main, *others = warehouse.measures
    is_one = len(warehouse.datasets) == 1
    decided = deciding_verdict(warehouse, main, inference, domain, items)
    leaders = decided.leaders if decided else ()
    beaten = {*decided.pairs.candidates} - {*leaders} if decided and leaders else set[str]()
    against: dict[str, Frontier] = {}
    for measure in _shown_first(main, others):
        located = (_over_replications if is_one else _over_datasets)(
            warehouse, main, measure, options
        )
        if located is None:
            continue
        by_main, by_other = located
        common = [n for n in by_main.locations if n in by_other.locations]
        if len(common) > 1:
            tested = inference[warehouse.datasets[0]].get(measure.name) if is_one else None
            ratios = (
                _tested_ratios(tested, common) if is_one else _ratios(by_other, common, options)
            )
            against[measure.name] = _frontier(
                warehouse, by_main, by_other, common, beaten, ratios, options, is_one=is_one
            )
    return FrontierResult(main.name, next(iter(against), None), against)


def deciding_verdict(
    warehouse: Warehouse,
    main: Measure,
    inference: Mapping[str, InferenceResult],
    domain: DomainResult | None,
    items: ItemsResult | None,
) -> Verdict | None:
    """Return the verdict on the main measure that decides in the report; None without one."""
    if len(warehouse.datasets) == 1:
        return inference[warehouse.datasets[0]].get(main.name)
    if items is not None and items.main is not None:
        return items.main
    return domain.verdict.get(main.name) if domain else None


def _shown_first(main: Measure, others: Sequence[Measure]) -> list[Measure]:
    """Put first the first time; where the main measure is one, the first that is none."""
    return sorted(
        others, key=lambda measure: (measure.unit_symbol == "s") == (main.unit_symbol == "s")
    )


# ------------------------------------------------------------------------- means by measure


def means_of(
    warehouse: Warehouse, measure: Measure, options: AnalysisOptions
) -> tuple[Scale, Mapping[str, Location]]:
    """Return the candidates by one measure: how they are compared, and each one's mean.

    They are over the replications of the only data set, else over the data sets.
    """
    is_one = len(warehouse.datasets) == 1
    found = (
        _on_dataset(warehouse, measure, options)
        if is_one
        else _over_means(domain_values(warehouse, measure), options)
    )
    return found.scale, found.locations


def _over_replications(
    warehouse: Warehouse, main: Measure, other: Measure, options: Options
) -> tuple[_Located, _Located]:
    """Describe the candidates by both measures on the only data set."""
    return _on_dataset(warehouse, main, options), _on_dataset(warehouse, other, options)


def _on_dataset(warehouse: Warehouse, measure: Measure, options: AnalysisOptions) -> _Located:
    """Describe each candidate's replications on the only data set, as the exploration does."""
    performances = warehouse.performances(warehouse.datasets[0], measure.name)
    values = np.where(np.isfinite(performances.values), performances.values, np.nan)
    scale = comparison_scale(measure, values, options.relevance.get(measure.name))
    if performances.unit.shares_rows:
        filled = filled_values(values, scale, measure, performances.missing_by_design)
    else:
        filled = comparison_values(values, scale)
    locations = {}
    for name, column, whole in zip(performances.candidates, values.T, filled.T, strict=True):
        own = column[np.isfinite(column)]
        if len(own):
            found = describe(own, options.alpha)
            shown = describe(whole[np.isfinite(whole)], options.alpha)
            back = np.exp if scale == "ratio" else np.asarray
            lower, upper = back(shown.normal_interval).tolist()
            locations[name] = Location(
                len(own),
                float(back(shown.mean)),
                within(measure.bounds, (lower, upper)) if len(own) > 1 else None,
                found.percentile_interval,
                worst(own, 1, measure.is_smaller_better),
                None,
                bool(len(own) < np.isfinite(whole).sum()),
            )
    n_units = int(np.isfinite(values).any(axis=1).sum())
    return _Located(measure, scale, n_units, warehouse.target, _level(locations))


def _over_datasets(
    warehouse: Warehouse, main: Measure, other: Measure, options: Options
) -> tuple[_Located, _Located] | None:
    """Describe the candidates by both measures on the data sets that have both; None of fewer."""
    found = [domain_values(warehouse, measure) for measure in (main, other)]
    common = [d for d in found[0].performances if d in found[1].performances]
    if len(common) < FEWEST_DATASETS:
        return None
    by_main, by_other = (_over_means(own.on(common), options) for own in found)
    return by_main, by_other


def _over_means(all_values: DomainValues, options: AnalysisOptions) -> _Located:
    """Average the data sets' means, as the verdict over the domain does."""
    measure = all_values.measure
    units = dataset_means(all_values, options)
    if not units.values.size:
        return _Located(measure, units.value_scale, 0, all_values.target, {})
    errors = None
    if is_of_few(all_values, units):
        of_these = target_of_few(all_values, units, options)
        evidence = evidence_of_sources(all_values, units, of_these)
        errors = errors_of_means(units, evidence, is_smaller_better=measure.is_smaller_better)
    found = candidate_means(units, options.alpha, errors)
    means, bounds = found.means, (found.lower, found.upper)
    locations = {}
    with np.errstate(over="ignore"):  # a mean beyond floating point is infinite
        shown = np.exp if units.value_scale == "ratio" else np.asarray
        for k, name in enumerate(units.candidates):
            there = np.isfinite(units.values[:, k])
            own = np.asarray(shown(units.values[there, k]))
            low, high = (float(shown(bound[k])) for bound in bounds)
            extreme = worst(own, 1, measure.is_smaller_better)
            ends = np.array(units.datasets, dtype=object)[there][own == extreme].tolist()
            lower, upper = np.quantile(own, [0.25, 0.75]).tolist()
            locations[name] = Location(
                len(own),
                float(shown(means[k])),
                within(measure.bounds, (low, high)) if np.isfinite([low, high]).all() else None,
                (lower, upper),
                extreme,
                str(ends[0]) if len(ends) == 1 else None,
                not np.array_equal(units.filled[:, k], units.values[:, k], equal_nan=True),
            )
    columns = dict(zip(units.candidates, units.values.T, strict=True))
    logarithms = columns if units.value_scale == "ratio" else None
    return _Located(
        measure,
        units.value_scale,
        len(units.datasets),
        all_values.target if errors is None else of_these,
        _level(locations),
        logarithms,
        found.intervals_by,
    )


def _level(locations: dict[str, Location]) -> dict[str, Location]:
    """Make means equal that floating noise alone tells apart."""
    means = levelled(np.array([[found.mean for found in locations.values()]]))[0].tolist()
    return {
        name: replace(found, mean=mean)
        for (name, found), mean in zip(locations.items(), means, strict=True)
    }


# -------------------------------------------------------------------------------- frontier


def _frontier(
    warehouse: Warehouse,
    by_main: _Located,
    by_other: _Located,
    common: Sequence[str],
    beaten: set[str],
    ratios: tuple[Ratio, ...],
    options: Options,
    *,
    is_one: bool,
) -> Frontier:
    """Put together what is known of two measures."""
    measure = by_other.measure
    signs = [1 if m.is_smaller_better else -1 for m in (by_main.measure, measure)]
    both = [
        (signs[0] * by_main.locations[n].mean, signs[1] * by_other.locations[n].mean)
        for n in common
    ]
    better = surpassing(both)
    best = signs[1] * min(x for _, x in both)  # not above 0 where it is beyond floating point
    order = sorted(range(len(common)), key=lambda k: (both[k][1], both[k][0]))
    places = tuple(
        Place(
            common[k],
            by_main.locations[common[k]],
            by_other.locations[common[k]],
            by_other.locations[common[k]].mean / best
            if by_other.scale == "ratio" and best > 0
            else None,
            tuple(common[j] for j in order if j in better[k]),
            common[k] in beaten,
        )
        for k in order
    )
    unit: Counted = "replication" if is_one else "dataset"
    ratios_by: Literal["verdict", "paired-t"] = "verdict" if is_one else "paired-t"
    return Frontier(
        unit=unit,
        n_units=min(by_main.n_units, by_other.n_units),
        alpha=options.alpha,
        main_scale=by_main.scale,
        scale=by_other.scale,
        area=area_on(by_other.scale, options.relevance.get(measure.name)),
        places=places,
        frontier=tuple(p.candidate for p in places if not p.surpassed_by),
        missing_candidates=tuple(n for n in warehouse.candidates if n not in common),
        ratios=ratios,
        ratios_by=ratios_by if ratios else None,
        intervals_by=by_other.intervals_by,
        target=by_other.target,
        main_measure=by_main.measure,
        measure=measure,
        measures=warehouse.measures,
    )


def surpassing(values: Sequence[tuple[float, float]]) -> list[set[int]]:
    """Return for every point those that are better on one measure and not worse on the other.

    `values`: smaller is better.

    Examples
    --------
    >>> surpassing([(1.0, 9.0), (2.0, 1.0), (2.0, 1.0), (2.0, 3.0)])
    [set(), set(), set(), {1, 2}]
    """
    x, y = np.array(values, dtype=np.float64).T
    is_as_good = (x[:, None] >= x) & (y[:, None] >= y)
    found = is_as_good & ~is_as_good.T
    return [set(np.flatnonzero(row).tolist()) for row in found]


# ---------------------------------------------------------------------------------- ratios


def _tested_ratios(tested: MeasureInference | None, names: Sequence[str]) -> tuple[Ratio, ...]:
    """Take the ratios of one data set from its verdict."""
    if tested is None or not tested.is_ratio:
        return ()
    return tuple(
        Ratio(pair.first, pair.second, pair.estimate, pair.lower, pair.upper)
        for pair in tested.pairs
        if pair.estimate and pair.first in names and pair.second in names
    )


def _ratios(found: _Located, names: Sequence[str], options: Options) -> tuple[Ratio, ...]:
    """Return ratios of geometric means over the data sets that two candidates share."""
    if found.logarithms is None:
        return ()
    pairs = list(combinations(names, 2))
    if len(names) > MOST_CANDIDATES:
        means = [found.locations[name].mean for name in names]
        best = names[best_first(means, is_smaller_better=found.measure.is_smaller_better)[0]]
        pairs = [(name, best) for name in names if name != best]
    made = (_ratio(a, b, found.logarithms[a] - found.logarithms[b], options) for a, b in pairs)
    return tuple(ratio for ratio in made if ratio is not None)


def _ratio(first: str, second: str, differences: Array, options: Options) -> Ratio | None:
    """Return the ratio of two, with the interval of the paired t."""
    own = differences[np.isfinite(differences)]
    n = len(own)
    if not n:
        return None
    mean, half = float(own.mean()), np.nan
    if n > 1:
        half = float(t_quantile(options.alpha / 2, n - 1.0)) * float(own.std(ddof=1)) / n**0.5
    with np.errstate(over="ignore"):
        ratio, lower, upper = np.exp([mean, mean - half, mean + half]).tolist()
    interval: tuple[float | None, float | None] = (lower, upper) if n > 1 else (None, None)
    return Ratio(first, second, ratio, *interval)
