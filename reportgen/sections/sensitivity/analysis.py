"""Dependence of the results on the factors of a design (HLZH 2005, section 5.1).

Compares verdicts, orders and means by setting and level, and resampling schemes (Eugster 2011,
chapter 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from scipy.special import stdtrit

from reportgen.catalogue.datasets.dataset import Level
from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure
from reportgen.sections.datasets import settings_of
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.sections.preferences.analysis import Preference, PreferencesResult
from reportgen.stats.pair_table import Pair
from reportgen.stats.verdict import Verdict
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse

PairDecision = Literal["better", "worse", "undecided"]
Change = Literal["reversed", "partly", "always", "never"]
WAYS: Mapping[int, PairDecision] = {1: "better", -1: "worse", 0: "undecided"}

MOST_SHOWN = 6
"""Pairs whose estimates are shown by level."""

MOST_BY_LEVEL = 6
"""Candidates whose means are shown by level."""

RESAMPLING = "resampling"
"""The factor whose levels are ways to draw samples."""


def label_of(levels: Mapping[str, Level]) -> str:
    """Return the levels of a setting as one name.

    Examples
    --------
    >>> label_of({"b2": 0.04, "n": 150, "resampling": "bootstrap"})
    'b2 = 0.04, n = 150, bootstrap'
    """
    return ", ".join(
        level if isinstance(level, str) else f"{name} = {level:g}" for name, level in levels.items()
    )


@dataclass(frozen=True, slots=True)
class Factor:
    """A factor of a design.

    Attributes
    ----------
    name : str
    levels : tuple of level
        Numbers ascending, else in the manifest's order.
    """

    name: str
    levels: tuple[Level, ...]

    @property
    def is_numeric(self) -> bool:
        """Whether its levels have a place on an axis."""
        return all(isinstance(level, int | float) for level in self.levels)


@dataclass(frozen=True, slots=True)
class SettingRow:
    """The results in one setting.

    Attributes
    ----------
    dataset, label : str
        The data set's whole name, and the levels alone.
    levels : mapping of str to level
        By factor.
    means, sds : mapping of str to float
        Mean and standard deviation over the replications, by candidate; the
        latter of two replications at least.
    intervals : mapping of str to (float, float)
        Of each mean by the block model, for each by itself at 1 - alpha; empty
        where there is no model.
    n_replications : int
    n_learn, n_test : float or None
        Mean sizes.
    share_learned : float or None
        Distinct observations of a learning sample over those of the data set.
    order : tuple of tuples of str, or None
        Groups, best first; None where the relation is no weak order.
    best : tuple of str
        Candidates that no other is better than.
    better : tuple of pairs of str
        All pairs of the relation: (better, worse).
    by : str
        What the relation is read from; "" where there is none.
    is_dependent : bool
        Whether the learning samples of its replications share most observations
        by design, as folds do.
    verdict : Verdict or None
        None where the measure has no value there.
    """

    dataset: str
    label: str
    levels: Mapping[str, Level]
    means: Mapping[str, float]
    sds: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    n_replications: int
    n_learn: float | None
    n_test: float | None
    share_learned: float | None
    order: tuple[tuple[str, ...], ...] | None
    best: tuple[str, ...]
    better: tuple[tuple[str, str], ...]
    by: str
    is_dependent: bool
    verdict: Verdict | None = field(metadata=HIDDEN)

    DERIVED: ClassVar = ("n_pairs", "n_distinguished", "half_width")

    @property
    def n_pairs(self) -> int | None:
        """Pairs of candidates; None without tests."""
        return len(self.verdict.pairs) if self.verdict and self.verdict.pairs else None

    @property
    def n_distinguished(self) -> int | None:
        """Pairs that differ significantly; None without tests."""
        return self.verdict.pairs.n_significant if self.verdict and self.n_pairs else None

    @property
    def half_width(self) -> float | None:
        """Mean half width of the simultaneous intervals of differences."""
        if self.verdict is None or self.verdict.pairs.scale != "difference":
            return None
        widths = (self.verdict.pairs.upper - self.verdict.pairs.lower) / 2
        known = widths[np.isfinite(widths)]
        return float(np.mean(known)) if len(known) else None

    @property
    def has_relation(self) -> bool:
        """Whether there is something to compare with other settings."""
        return bool(self.by)


@dataclass(frozen=True, slots=True)
class PairChange:
    """One comparison over the settings; settings without tests are left out."""

    first: str  # the one that comes first
    second: str  # the other one
    pairs: Mapping[str, Pair] = field(metadata=HIDDEN)  # first - second, by data set

    DERIVED: ClassVar = ("verdicts", "estimates", "change", "has_both_signs", "intervals")

    @property
    def verdicts(self) -> Mapping[str, PairDecision]:
        """Of first against second, by data set."""
        return {name: WAYS[pair.way] for name, pair in self.pairs.items()}

    @property
    def estimates(self) -> Mapping[str, float]:
        """First - second, or their ratio, by data set."""
        return {n: pair.estimate for n, pair in self.pairs.items() if pair.estimate is not None}

    @property
    def change(self) -> Change:
        """`reversed` (either better somewhere), `partly` (one in some), `always` or `never`."""
        met = {pair.way for pair in self.pairs.values()}
        if {1, -1} <= met:
            return "reversed"
        if len(met) > 1:
            return "partly"
        return "never" if 0 in met else "always"

    @property
    def has_both_signs(self) -> bool:
        """Whether either mean is the better one somewhere."""
        equal = {name: 1.0 if pair.scale == "ratio" else 0.0 for name, pair in self.pairs.items()}
        return len({np.sign(x - equal[name]) for name, x in self.estimates.items()} - {0.0}) > 1

    @property
    def intervals(self) -> Mapping[str, tuple[float, float]]:
        """Simultaneous ones over the pairs of a data set, those that are finite."""
        return {
            name: (pair.lower, pair.upper)
            for name, pair in self.pairs.items()
            if pair.lower is not None and pair.upper is not None
            if np.isfinite([pair.lower, pair.upper]).all()
        }

    @property
    def is_ratio(self) -> bool:
        """Whether candidates are compared by ratio."""
        return any(pair.scale == "ratio" for pair in self.pairs.values())

    @property
    def is_changed(self) -> bool:
        """Whether it does not come out the same everywhere."""
        return self.change in ("reversed", "partly")

    @property
    def more_often_first(self) -> PairChange:
        """The same comparison, with the candidate first that is better in more settings."""
        n_better, n_worse = len(self.where("better")), len(self.where("worse"))
        return self.turned() if n_worse > n_better else self

    def turned(self) -> PairChange:
        """Return the same comparison, read the other way."""
        turned = {name: pair.reversed() for name, pair in self.pairs.items()}
        return PairChange(self.second, self.first, turned)

    def where(self, verdict: PairDecision) -> tuple[str, ...]:
        """Return the settings in which it comes out like that."""
        return tuple(name for name, found in self.verdicts.items() if found == verdict)


@dataclass(frozen=True, slots=True)
class LevelMean:
    """One level of a factor, averaged over the levels of all others.

    Attributes
    ----------
    factor : str
    level : level
    means : mapping of str to float
        By candidate.
    n_settings : int
    n_pairs, n_distinguished : int
        Sums over the settings with tests.
    half_width : float or None
        Mean over these.
    """

    factor: str
    level: Level
    means: Mapping[str, float]
    n_settings: int
    n_pairs: int
    n_distinguished: int
    half_width: float | None

    @property
    def label(self) -> str:
        """Its name, with that of the factor: "n = 50"."""
        return label_of({self.factor: self.level})

    @property
    def share(self) -> float | None:
        """How large a share of the pairs is decided; None without tests."""
        return self.n_distinguished / self.n_pairs if self.n_pairs else None


@dataclass(frozen=True, slots=True)
class Trend:
    """How much is decided at the first and at the last level of a numeric factor."""

    factor: str
    # first, last: level
    first: Level
    last: Level
    shares: tuple[float, float]  # of the pairs, those decided
    width_ratio: float | None  # mean half width at the last level over that at the first
    # tuple of two tuples of int; of the settings with tests, the fewest and the most, at both
    # levels
    replications: tuple[tuple[int, int], tuple[int, int]]
    n_mean: tuple[float, float]  # their means

    @property
    def is_uneven(self) -> bool:
        """Whether other numbers of replications explain other widths by themselves."""
        return self.n_mean[0] != self.n_mean[1]


@dataclass(frozen=True, slots=True)
class SchemeEffect:
    """One way to draw samples compared with the first one, in the same settings of all else.

    Attributes
    ----------
    scheme, reference : str
    difference : float
        Mean of scheme - reference over candidates and settings.
    differences : mapping of str to float
        By candidate.
    sd_ratio, width_ratio : float or None
        Standard deviation of replications, and half width of the pairs'
        intervals, over those of the reference: geometric means.
    n_compared, n_changed, n_reversed : int
        Comparisons with tests by both; those that come out otherwise, of which
        the other candidate is better.
    """

    scheme: str
    reference: str
    difference: float
    differences: Mapping[str, float]
    sd_ratio: float | None
    width_ratio: float | None
    n_compared: int
    n_changed: int
    n_reversed: int


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Dependence of one measure on the settings of one data set.

    Attributes
    ----------
    base : str
        What the manifest calls the data set.
    factors : tuple of Factor
    candidates : tuple of str
        Those with values in some setting.
    settings : tuple of SettingRow
        In the order of the factors' levels.
    orders : tuple of tuples of str
        Settings (data sets) with the same relation, most settings first.
    pairs : tuple of PairChange
    levels : tuple of LevelMean
    schemes : tuple of SchemeEffect
        Where samples are drawn in several ways.
    alpha : float
    area : tuple of two floats or None
        Area of equivalence.
    """

    base: str
    factors: tuple[Factor, ...]
    candidates: tuple[str, ...]
    settings: tuple[SettingRow, ...]
    orders: tuple[tuple[str, ...], ...]
    pairs: tuple[PairChange, ...]
    levels: tuple[LevelMean, ...]
    schemes: tuple[SchemeEffect, ...]
    alpha: float
    measure: Measure = field(default=Measure(""), metadata=HIDDEN)
    is_whole: bool = field(default=False, metadata=HIDDEN)
    area: tuple[float, float] | None = field(default=None, metadata=HIDDEN)

    def setting(self, dataset: str) -> SettingRow:
        """Return a setting by its data set's name."""
        return next(row for row in self.settings if row.dataset == dataset)

    def changed(self, change: Change) -> tuple[PairChange, ...]:
        """Return the comparisons with such a change."""
        return tuple(pair for pair in self.pairs if pair.change == change)

    @property
    def is_pair(self) -> bool:
        """Whether two candidates are compared."""
        return len(self.pairs) == 1

    @property
    def changing(self) -> tuple[PairChange, ...]:
        """The comparisons that change, reversed ones and then those decided most often first.

        Each with the candidate first that is better in more settings.
        """
        found = [pair.more_often_first for pair in self.pairs if pair.is_changed]
        found.sort(key=lambda p: (p.change != "reversed", len(p.where("undecided"))))
        return tuple(found)

    def advantages(self, pair: PairChange, *values: float) -> list[float]:
        """Return differences or ratios as advantages of the first, and a pair of bounds turned."""
        if not self.measure.is_smaller_better:
            return list(values)
        return [1 / x if pair.is_ratio else -x for x in values[::-1]]

    @property
    def shown(self) -> tuple[PairChange, ...]:
        """The comparisons that change most; where none does, that of the two best means."""
        if self.changing or len(self.tested) < 2:
            return self.changing[:MOST_SHOWN]
        first, second = self.ranking[:2]
        both = (p if p.first == first else p.turned() for p in self.pairs
                if {p.first, p.second} == {first, second})  # fmt: skip
        return tuple(both)

    @property
    def ranking(self) -> tuple[str, ...]:
        """The candidates by their mean rank over the settings, the best first."""
        sign = 1 if self.measure.is_smaller_better else -1
        rows = [sorted(sign * x for x in row.means.values()) for row in self.settings]
        ranks = {
            name: np.mean([own.index(sign * row.means[name]) for own, row in
                           zip(rows, self.settings, strict=True) if name in row.means])
            for name in self.candidates
        }  # fmt: skip
        return tuple(sorted(self.candidates, key=lambda name: float(ranks[name])))

    @property
    def trends(self) -> tuple[Trend, ...]:
        """How much is decided along each numeric factor."""
        found = (self._trend(f) for f in self.factors if f.is_numeric and len(f.levels) > 1)
        return tuple(trend for trend in found if trend is not None)

    def _trend(self, factor: Factor) -> Trend | None:
        """Compare the first and the last level; None where one has no tests."""
        levels = self.of_factor(factor.name)
        first, last = levels[0], levels[-1]
        sizes = [
            [row.n_replications for row in self.tested if row.levels.get(factor.name) == end.level]
            for end in (first, last)
        ]
        if first.share is None or last.share is None:
            return None
        a, b = sizes
        return Trend(
            factor.name,
            first.level,
            last.level,
            (first.share, last.share),
            last.half_width / first.half_width if first.half_width and last.half_width else None,
            ((min(a), max(a)), (min(b), max(b))),
            (sum(a) / len(a), sum(b) / len(b)),
        )

    @property
    def learned(self) -> Mapping[str, float]:
        """Share of the observations that a learning sample of each scheme has, where known."""
        found: dict[str, float] = {}
        for row in self.settings:
            scheme = row.levels.get(RESAMPLING)
            if scheme is not None and row.share_learned:
                found.setdefault(str(scheme), row.share_learned)
        return found

    @property
    def dependent(self) -> tuple[str, ...]:
        """The schemes whose replications are dependent; "" where folds are no level."""
        rows = (row for row in self.settings if row.is_dependent)
        return tuple(dict.fromkeys(str(row.levels.get(RESAMPLING, "")) for row in rows))

    @property
    def once(self) -> tuple[str, ...]:
        """The settings with one replication."""
        return tuple(row.label for row in self.settings if row.n_replications == 1)

    @property
    def otherwise(self) -> tuple[SchemeEffect, ...]:
        """The ways to draw samples with which some comparison comes out otherwise."""
        return tuple(effect for effect in self.schemes if effect.n_changed)

    def of_factor(self, name: str) -> tuple[LevelMean, ...]:
        """Return the levels of one factor."""
        return tuple(level for level in self.levels if level.factor == name)

    @property
    def by_level(self) -> tuple[str, ...]:
        """The candidates whose means are shown by level: all, where they are few."""
        return self.candidates if len(self.candidates) <= MOST_BY_LEVEL else ()

    @property
    def most_decided(self) -> LevelMean | None:
        """The level at which a larger share of the pairs is decided than at any other."""
        shares = [level.share for level in self.levels if level.share is not None]
        top = [level for level in self.levels if shares and level.share == max(shares)]
        return top[0] if len(top) == 1 and len(shares) > 1 else None

    @property
    def all_means(self) -> tuple[float, ...]:
        """The means of all settings, by which all numbers are written on one scale."""
        return tuple(x for row in self.settings for x in row.means.values())

    @property
    def tested(self) -> tuple[SettingRow, ...]:
        """The settings with tests."""
        return tuple(row for row in self.settings if row.n_pairs)

    @property
    def related(self) -> tuple[SettingRow, ...]:
        """The settings whose relations can be compared: where some have tests, those."""
        return comparable(self.settings)

    @property
    def is_balanced(self) -> bool:
        """Whether every combination of levels is there."""
        n = 1
        for factor in self.factors:
            n *= len(factor.levels)
        return n == len(self.settings)


def comparable(settings: Sequence[SettingRow]) -> tuple[SettingRow, ...]:
    """Return the settings with a relation that is read from the same: those with tests, or all."""
    is_tested = any(row.n_pairs for row in settings)
    return tuple(row for row in settings if row.has_relation and (row.n_pairs or not is_tested))


SensitivityResult = dict[str, dict[str, Sensitivity]]
"""By measure, and by the data set that is varied."""


def pair_changes(candidates: Sequence[str], tests: Mapping[str, Verdict]) -> tuple[PairChange, ...]:
    """Return for every pair how it comes out in each setting.

    `tests`: by data set, those with comparisons.
    """
    known = {name: _primary(tested) for name, tested in tests.items()}
    found = []
    for first, second in combinations(candidates, 2):
        rows = {name: pairs[first, second] for name, pairs in known.items()
                if (first, second) in pairs}  # fmt: skip
        if rows:
            found.append(PairChange(first, second, rows))
    return tuple(found)


def _primary(tested: Verdict) -> dict[tuple[str, str], Pair]:
    """Return the comparisons that decide, by their candidates, either way round."""
    return {(p.first, p.second): p for pair in tested.pairs for p in (pair, pair.reversed())}


def same_orders(settings: Sequence[SettingRow]) -> tuple[tuple[str, ...], ...]:
    """Return the settings whose relations are the same, the largest part first."""
    parts: dict[frozenset[tuple[str, str]], list[str]] = {}
    for row in comparable(settings):
        parts.setdefault(frozenset(row.better), []).append(row.dataset)
    return tuple(tuple(part) for part in sorted(parts.values(), key=len, reverse=True))


def level_means(
    settings: Sequence[SettingRow], factors: Sequence[Factor], candidates: Sequence[str]
) -> Iterator[LevelMean]:
    """Yield each level of each factor, averaged over all else."""
    for factor in factors:
        for level in factor.levels:
            rows = [row for row in settings if row.levels.get(factor.name) == level]
            tested = [row for row in rows if row.n_pairs]
            widths = [row.half_width for row in tested if row.half_width is not None]
            means = {}
            for name in candidates:
                own = [row.means[name] for row in rows if name in row.means]
                if len(own) == len(rows):
                    means[name] = float(np.mean(own))
            yield LevelMean(
                factor.name,
                level,
                means,
                len(rows),
                sum(row.n_pairs or 0 for row in tested),
                sum(row.n_distinguished or 0 for row in tested),
                float(np.mean(widths)) if widths else None,
            )


def scheme_effects(
    settings: Sequence[SettingRow], factors: Sequence[Factor], pairs: Sequence[PairChange]
) -> tuple[SchemeEffect, ...]:
    """Compare every way to draw samples with the first, at the same levels of all else."""
    ways = next((factor.levels for factor in factors if factor.name == RESAMPLING), ())
    found = []
    for scheme in ways[1:]:
        both = list(_match(settings, ways[0], scheme))
        if both:
            found.append(_effect(str(scheme), str(ways[0]), both, pairs))
    return tuple(found)


def _match(
    settings: Sequence[SettingRow], reference: object, scheme: object
) -> Iterator[tuple[SettingRow, SettingRow]]:
    """Yield settings that differ in the way of drawing samples only."""
    first = {_rest(row): row for row in settings if row.levels.get(RESAMPLING) == reference}
    for row in settings:
        if row.levels.get(RESAMPLING) == scheme and _rest(row) in first:
            yield first[_rest(row)], row


def _rest(row: SettingRow) -> tuple[tuple[str, object], ...]:
    return tuple((name, level) for name, level in row.levels.items() if name != RESAMPLING)


def _effect(
    scheme: str,
    reference: str,
    both: Sequence[tuple[SettingRow, SettingRow]],
    pairs: Sequence[PairChange],
) -> SchemeEffect:
    gaps: dict[str, list[float]] = {}
    for old, new in both:
        for name in old.means:
            if name in new.means:
                gaps.setdefault(name, []).append(new.means[name] - old.means[name])
    sds = [(old.sds[n], new.sds[n]) for old, new in both for n in old.sds if n in new.sds]
    widths = [(old.half_width, new.half_width) for old, new in both]
    verdicts = [
        (pair.verdicts[old.dataset], pair.verdicts[new.dataset])
        for old, new in both
        for pair in pairs
        if {old.dataset, new.dataset} <= set(pair.verdicts)
    ]
    differences = {name: float(np.mean(own)) for name, own in gaps.items()}
    return SchemeEffect(
        scheme,
        reference,
        float(np.mean(list(differences.values()))) if differences else 0.0,
        differences,
        _ratio(sds),
        _ratio(widths),
        len(verdicts),
        sum(a != b for a, b in verdicts),
        sum({a, b} == {"better", "worse"} for a, b in verdicts),
    )


def _ratio(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Return the geometric mean of new over old, where both are positive."""
    logs = [np.log(new / old) for old, new in pairs if old and new]
    return float(np.exp(np.mean(logs))) if logs else None


DEPENDENT = ("k-fold", "repeated-k-fold")

Settings = Mapping[str, Mapping[str, Level]]
"""Levels by factor, by data set."""


def analyse(
    warehouse: Warehouse,
    options: AnalysisOptions,
    rng: Generator,
    *,
    inference: Mapping[str, InferenceResult],
    preferences: Mapping[str, PreferencesResult],
) -> SensitivityResult:
    """Compare the results of all settings, measure by measure.

    `rng`: not used: nothing is drawn.
    `inference`, `preferences`: results of the other sections by data set.
    Result: data sets with one setting and measures without values are left out.
    """
    varied = {base: own for base, own in settings_of(warehouse).items() if len(own) > 1}
    n = len(warehouse.datasets)
    found: SensitivityResult = {}
    for measure in warehouse.measures:
        for base, settings in varied.items():
            rows = tuple(
                _row(warehouse, measure, dataset, levels, inference, preferences, options)
                for dataset, levels in settings.items()
            )
            if any(row.means for row in rows):
                part = _sensitivity(base, measure, rows, warehouse, options, n)
                found.setdefault(measure.name, {})[base] = part
    return found


def _sensitivity(
    base: str,
    measure: Measure,
    rows: Sequence[SettingRow],
    warehouse: Warehouse,
    options: AnalysisOptions,
    n_datasets: int,
) -> Sensitivity:
    """Put the settings of one data set in order and compare them."""
    factors = _factors([row.levels for row in rows])
    settings = tuple(sorted(rows, key=lambda row: _place(row, factors)))
    candidates = tuple(c for c in warehouse.candidates if any(c in row.means for row in rows))
    tests = {row.dataset: row.verdict for row in settings if row.verdict and row.n_pairs}
    pairs = pair_changes(candidates, tests)
    return Sensitivity(
        base=base,
        factors=factors,
        candidates=candidates,
        settings=settings,
        orders=same_orders(settings),
        pairs=pairs,
        levels=tuple(level_means(settings, factors, candidates)),
        schemes=scheme_effects(settings, factors, pairs),
        alpha=options.alpha,
        measure=measure,
        is_whole=len(rows) == n_datasets,
        area=next((found.relevance for found in tests.values()), None),
    )


def _factors(settings: Sequence[Mapping[str, Level]]) -> tuple[Factor, ...]:
    """Return what is varied, with its levels in order."""
    names = dict.fromkeys(name for levels in settings for name in levels)
    found = []
    for name in names:
        levels = tuple(dict.fromkeys(own[name] for own in settings if name in own))
        factor = Factor(name, levels)
        if factor.is_numeric:
            factor = Factor(name, tuple(sorted(levels, key=float)))
        found.append(factor)
    return tuple(found)


def _place(row: SettingRow, factors: Iterable[Factor]) -> tuple[int, ...]:
    return tuple(f.levels.index(row.levels[f.name]) if f.name in row.levels else -1
                 for f in factors)  # fmt: skip


def _row(
    warehouse: Warehouse,
    measure: Measure,
    dataset: str,
    levels: Mapping[str, Level],
    inference: Mapping[str, InferenceResult],
    preferences: Mapping[str, PreferencesResult],
    options: AnalysisOptions,
) -> SettingRow:
    """Gather what is known of one setting."""
    given = warehouse.performances(dataset, measure.name)
    tested = inference.get(dataset, {}).get(measure.name)
    relation = _relation(preferences.get(dataset, ()), measure.name)
    columns = {name: x[np.isfinite(x)] for name, x in zip(given.candidates, given.values.T,
                                                           strict=True)}  # fmt: skip
    n_all: Any = warehouse.facts.get(dataset, {}).get("n_observations")
    distinct = _mean(given.n_distinct)
    return SettingRow(
        dataset=dataset,
        label=label_of(levels),
        levels=dict(levels),
        means={name: float(x.mean()) for name, x in columns.items() if len(x)},
        sds={name: float(x.std(ddof=1)) for name, x in columns.items() if len(x) > 1},
        intervals=_intervals(tested, options.alpha),
        n_replications=int(np.isfinite(given.values).any(axis=1).sum()),
        n_learn=_mean(given.n_learn),
        n_test=_mean(given.n_test),
        share_learned=distinct / n_all if distinct and n_all and distinct <= n_all else None,
        order=relation.order if relation else None,
        best=relation.best if relation else (),
        better=relation.pairs if relation else (),
        by=relation.by if relation else "",
        is_dependent=warehouse.resampling_of(dataset).get("scheme") in DEPENDENT,
        verdict=tested,
    )


def _relation(relations: PreferencesResult, measure: str) -> Preference | None:
    """Return the first relation of a measure, where there is one."""
    first = next((r for r in relations if r.measure == measure), None)
    return None if first is None or first.unavailable else first


def _intervals(tested: MeasureInference | None, alpha: float) -> dict[str, tuple[float, float]]:
    """Return an interval of each mean by itself, by the block model."""
    model = tested.mixed_model if tested else None
    if model is None:
        return {}
    found = {}
    for name, mean in model.coefficients.items():
        wide = stdtrit(model.standard_error_df[name], 1 - alpha / 2) * model.standard_errors[name]
        if np.isfinite(wide):
            found[name] = (float(mean - wide), float(mean + wide))
    return found


def _mean(sizes: Any) -> float | None:
    known = sizes[np.isfinite(sizes)]
    return float(known.mean()) if len(known) else None
