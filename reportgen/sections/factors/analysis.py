"""Take the main measure apart by the two factors that candidates are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from math import isclose, sqrt
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Array
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS
from reportgen.stats.ranking import best_first
from reportgen.stats.two_factors import Components, TwoFactors, two_factors
from reportgen.study.families import FAMILY
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.target import FEWEST_OF_DOMAIN
from reportgen.targets import Target
from reportgen.warehouse import Warehouse

ROUNDING = 1e-12  # of a mean: prices below are none
Unavailable = Literal["not-crossed", "few-units", "few-datasets"]
UnitKind = Literal["dataset", "family", "cluster", "row"]
"""What the intervals are over: data sets, families of them, clusters, or rows of one data set."""


def analyse(warehouse: Warehouse, options: AnalysisOptions, rng: Generator) -> FactorsResult | None:
    """Take the main measure apart.

    `rng`: for the joint laws of many units.
    Result: None where no data set has the measure.
    """
    measure = warehouse.measures[0]
    names = warehouse.candidate_factors
    levels = {k: (own[names[0]], own[names[1]]) for k, own in warehouse.candidate_levels.items()}
    grid, missing_levels = crossed_levels(levels)
    kind, units, n_dropped = _units(warehouse, measure, levels, grid)
    if not len(units):
        return None
    unavailable: Unavailable | None = None
    if min(units.shape[1:]) < 2:
        unavailable = "not-crossed"
    elif kind in ("dataset", "family") and len(units) < FEWEST_OF_DOMAIN:
        unavailable = "few-datasets"
    elif len(units) < FEWEST_UNITS:
        unavailable = "few-units"
    means = units.mean(axis=0)
    smaller = measure.is_smaller_better
    order = [
        best_first(means.mean(axis=axis).tolist(), is_smaller_better=smaller) for axis in (1, 0)
    ]
    units = units[:, order[0]][:, :, order[1]]
    first, second = (tuple(own[k] for k in by) for own, by in zip(grid, order, strict=True))
    found = FactorsResult(
        measure=measure.name,
        alpha=options.alpha,
        factors=(names[0], names[1]),
        first_levels=first,
        second_levels=second,
        missing_levels=missing_levels,
        unit=kind,
        n=len(units),
        n_dropped=n_dropped,
        means={
            a: dict(zip(second, row, strict=True))
            for a, row in zip(first, units.mean(axis=0).tolist(), strict=True)
        },
        unavailable=unavailable,
        measured=measure,
    )
    if unavailable is not None:
        return found
    own = two_factors(units, options.alpha, rng, is_smaller_better=smaller)
    return _with_tests(found, own, "domain" if kind in ("dataset", "family") else warehouse.target)


def crossed_levels(
    levels: dict[str, tuple[str, str]],
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], tuple[str, ...]]:
    """Return the levels of both factors that are fully crossed, and those that are left out.

    Of the second factor only the levels stay that every level of the first has.
    """
    first = tuple(dict.fromkeys(a for a, _ in levels.values()))
    second = tuple(dict.fromkeys(b for _, b in levels.values()))
    there = {*levels.values()}
    kept = tuple(b for b in second if all((a, b) in there for a in first))
    return (first, kept), tuple(b for b in second if b not in kept)


def _units(
    warehouse: Warehouse,
    measure: Measure,
    levels: dict[str, tuple[str, str]],
    grid: tuple[tuple[str, ...], tuple[str, ...]],
) -> tuple[UnitKind, Array, int]:
    """Return what units are, their values of all combinations, and how many lack some."""
    name_of = {own: name for name, own in levels.items()}
    names = [name_of[a, b] for a in grid[0] for b in grid[1]]
    shape = (-1, len(grid[0]), len(grid[1]))
    several = len(warehouse.datasets) > 1
    found: list[Array] = []
    families: list[str] = []
    codes: NDArray[np.int64] | None = None
    for dataset in warehouse.datasets:
        own = warehouse.performances(dataset, measure.name)
        at = [own.candidates.index(name) for name in names]
        rows = own.values[:, at]
        if several:
            whole = rows[np.isfinite(rows).all(axis=1)]
            found.append(whole.mean(axis=0) if len(whole) else np.full(len(at), np.nan))
            families.append(str(warehouse.facts.get(dataset, {}).get(FAMILY) or f"\0{dataset}"))
        else:
            found, codes = list(rows), own.clusters
    every = np.array(found).reshape(len(found), len(names))
    is_whole = np.isfinite(every).all(axis=1)
    kept, n_dropped = every[is_whole], int((~is_whole).sum())
    if several:
        kept, is_joined = _joined(kept, np.array(families)[is_whole])
        return ("family" if is_joined else "dataset"), kept.reshape(shape), n_dropped
    if codes is not None:
        kept, is_joined = _joined(kept, codes[is_whole])
        return ("cluster" if is_joined else "row"), kept.reshape(shape), n_dropped
    return "row", kept.reshape(shape), n_dropped


def _joined(values: Array, labels: NDArray[np.generic]) -> tuple[Array, bool]:
    """Return the means of rows with the same label, each label counted alike."""
    names = list(dict.fromkeys(labels.tolist()))
    if len(names) == len(values):
        return values, False
    return np.array([values[labels == name].mean(axis=0) for name in names]), True


def _with_tests(found: FactorsResult, own: TwoFactors, target: Target) -> FactorsResult:
    """Add what is decided."""
    side = -1.0 if found.measured.is_smaller_better else 1.0
    settings, order = _settings(found, own)
    return replace(
        found,
        first_pairs=_named(own.first, found.first_levels, found, target),
        second_pairs=_named(own.second, found.second_levels, found, target),
        interaction=tuple(_cells(found, own, side)),
        sizes=_sizes(own.components),
        settings=settings,
        setting_pairs=tuple(_setting_pairs(found, own, side, order)),
    )


def _named(
    table: PairTable, levels: tuple[str, ...], found: FactorsResult, target: Target
) -> PairTable:
    smaller = found.measured.is_smaller_better
    named = table.named(levels, target, smaller).inside(found.measured.bounds)
    return named.decided()


def _cells(found: FactorsResult, own: TwoFactors, side: float) -> Iterator[InteractionCell]:
    table, j = own.interaction, len(found.second_levels)
    for row, cell in enumerate(table.first.tolist()):
        low, high = sorted((side * float(table.lower[row]), side * float(table.upper[row])))
        is_known = bool(np.isfinite([low, high]).all())
        p = float(table.adjusted_p_value[row])
        yield InteractionCell(
            found.first_levels[cell // j],
            found.second_levels[cell % j],
            side * float(table.estimate[row]),
            low if is_known else None,
            high if is_known else None,
            p if np.isfinite(p) else None,
        )


def _sizes(own: Components) -> Sizes:
    first, second, both = (max(0.0, x) for x in (own.first, own.second, own.interaction))
    total = first + second + both
    return Sizes(
        sqrt(first),
        sqrt(second),
        sqrt(both),
        shares=(first / total, second / total, both / total) if total > 0 else None,
        difference=own.difference,
        lower=own.lower,
        upper=own.upper,
        p_value=own.p_value,
    )


def _settings(found: FactorsResult, own: TwoFactors) -> tuple[tuple[Setting, ...], list[int]]:
    """Return the best settings, the best honest mean first, and the places of their levels."""
    best, smaller = own.best, found.measured.is_smaller_better
    order = best_first(best.honest.tolist(), is_smaller_better=smaller)
    settings = tuple(
        Setting(
            found.first_levels[i],
            found.second_levels[int(best.chosen[i])],
            float(best.mean[i]),
            float(best.honest[i]),
            float(best.share[i]),
        )
        for i in order
    )
    return settings, order


def _setting_pairs(
    found: FactorsResult, own: TwoFactors, side: float, order: list[int]
) -> Iterator[SettingPair]:
    """Yield all pairs, the one with the better honest mean first."""
    best = own.best
    row_of = {(i, k): row for row, (i, k) in enumerate(zip(best.first, best.second, strict=True))}
    for place, i in enumerate(order):
        for k in order[place + 1 :]:
            row = row_of.get((i, k), row_of.get((k, i)))
            sign = side if (i, k) in row_of else -side
            ends = (
                (best.lower[row], best.upper[row]),
                (best.naive_lower[row], best.naive_upper[row]),
            )
            (low, high), (naive_low, naive_high) = (
                sorted((sign * float(a), sign * float(b))) for a, b in ends
            )
            yield SettingPair(
                found.first_levels[i],
                found.first_levels[k],
                sign * float(best.estimate[row]),
                *(low, high, naive_low, naive_high),
            )


@dataclass(frozen=True, slots=True)
class Setting:
    """The best level of the second factor for one of the first.

    Attributes
    ----------
    level, best : str
        The level of the first factor, and that of the second with its best mean.
    mean : float
        Its mean on the units that have chosen it, which is too good.
    honest : float
        The mean, on one half of the units, of what the other half chooses.
    share : float
        Of many halves, those that choose the same.
    """

    level: str
    best: str
    mean: float
    honest: float
    share: float

    @property
    def price(self) -> float:
        """By how much the mean that has chosen is better, which halves never make worse."""
        found = abs(self.honest - self.mean)
        return found if found > ROUNDING * abs(self.mean) else 0.0


def _way(lower: float, upper: float) -> int:
    """Return whom an interval decides for: 1 the first, -1 the second, 0 neither."""
    return int(lower > 0) - int(upper < 0)


@dataclass(frozen=True, slots=True)
class SettingPair:
    """Two levels of the first factor, each with its best level of the second.

    Attributes
    ----------
    first, second : str
    estimate, lower, upper : float
        Advantage of the first; simultaneous limits for whichever levels are the best.
    naive_lower, naive_upper : float
        Limits as if the chosen levels had been given before.
    """

    first: str
    second: str
    estimate: float
    lower: float
    upper: float
    naive_lower: float
    naive_upper: float

    @property
    def way(self) -> int:
        """Who is decided better: 1 the first, -1 the second, 0 neither."""
        return _way(self.lower, self.upper)

    @property
    def naive_way(self) -> int:
        """Who would be, if the choice cost nothing."""
        return _way(self.naive_lower, self.naive_upper)


@dataclass(frozen=True, slots=True)
class InteractionCell:
    """What a combination has beyond the sum of both effects; positive where that is better.

    Attributes
    ----------
    first, second : str
    estimate, lower, upper, adjusted_p_value : float or None
        All at once; None where there is nothing to test by.
    """

    first: str
    second: str
    estimate: float
    lower: float | None
    upper: float | None
    adjusted_p_value: float | None

    @property
    def is_decided(self) -> bool:
        """Whether it is decided not to be 0."""
        known = self.lower is not None and self.upper is not None
        return known and (self.lower > 0 or self.upper < 0)  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How far levels differ: standard deviations of true effects, 0 where none are seen.

    Attributes
    ----------
    first, second, interaction : float
        In the measure's unit.
    shares : tuple of three floats, or None
        Of the sum of the three variances; None where none are seen.
    difference, lower, upper, p_value : float
        Variance of the first factor less that of the second; interval of its own.
    """

    first: float
    second: float
    interaction: float
    shares: tuple[float, float, float] | None
    difference: float
    lower: float
    upper: float
    p_value: float

    @property
    def way(self) -> int:
        """Which factor is decided to matter more: 1 the first, -1 the second, 0 neither."""
        return _way(self.lower, self.upper)


@dataclass(frozen=True)
class FactorsResult:
    """What two factors of the candidates do to the main measure.

    Attributes
    ----------
    measure : str
    alpha : float
        Error probability of each family: pairs of a factor, interaction, best settings, sizes.
    factors : tuple of two str
        Their names; the first is that of which best settings are asked.
    first_levels, second_levels : tuple of str
        The best mean first.
    missing_levels : tuple of str
        Levels of the second factor that some level of the first lacks.
    unit : str
        What the intervals are over.
    n, n_dropped : int
        Units with all combinations, and others.
    means : mapping of str to mapping of str to float
        By level of the first factor, then of the second.
    unavailable : str or None
        Why nothing is tested: too few levels are crossed, too few units have all combinations, or
        there are two to five data sets.
    first_pairs, second_pairs : PairTable or None
        All pairs of levels of a factor, over the levels of the other one.
    interaction : tuple of InteractionCell
    sizes : Sizes or None
    settings : tuple of Setting
        The best honest mean first.
    setting_pairs : tuple of SettingPair
        In that order.
    """

    measure: str
    alpha: float
    factors: tuple[str, str]
    first_levels: tuple[str, ...]
    second_levels: tuple[str, ...]
    missing_levels: tuple[str, ...]
    unit: UnitKind
    n: int
    n_dropped: int
    means: Mapping[str, Mapping[str, float]]
    unavailable: Unavailable | None = None
    first_pairs: PairTable | None = None
    second_pairs: PairTable | None = None
    interaction: tuple[InteractionCell, ...] = ()
    sizes: Sizes | None = None
    settings: tuple[Setting, ...] = ()
    setting_pairs: tuple[SettingPair, ...] = ()
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)

    @property
    def number_format(self) -> NumberFormat:
        """How means and differences are written."""
        values = [x for row in self.means.values() for x in row.values()]
        pairs = [p for t in (self.first_pairs, self.second_pairs) if t is not None for p in t]
        known = [(p.lower, p.upper) for p in pairs]
        return number_format(self.measured, values, intervals=known)

    def mean_of(self, factor: int, level: str) -> float:
        """Return the mean of a level over those of the other factor."""
        if factor == 0:
            own = [*self.means[level].values()]
        else:
            own = [row[level] for row in self.means.values()]
        return sum(own) / len(own)

    @property
    def best_levels(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of each factor the levels with the best mean, several where means are equal."""
        first, second = (
            tuple(name for name in own if isclose(self.mean_of(k, name), self.mean_of(k, own[0])))
            for k, own in enumerate((self.first_levels, self.second_levels))
        )
        return first, second

    @property
    def first_means(self) -> dict[str, float]:
        """Means of the levels of the first factor, over those of the second."""
        return {level: self.mean_of(0, level) for level in self.first_levels}

    @property
    def interacting(self) -> tuple[InteractionCell, ...]:
        """Combinations that are decided to differ from the sum, the largest first."""
        found = [cell for cell in self.interaction if cell.is_decided]
        return tuple(sorted(found, key=lambda cell: -abs(cell.estimate)))

    @property
    def decided_settings(self) -> tuple[SettingPair, ...]:
        """Pairs of best settings of which one is decided better."""
        return tuple(p for p in self.setting_pairs if p.way)

    @property
    def n_naive(self) -> int:
        """Pairs that would be decided if the choice cost nothing."""
        return sum(bool(p.naive_way) for p in self.setting_pairs)

    @property
    def best(self) -> Setting:
        """The setting with the best honest mean."""
        return self.settings[0]

    @property
    def dearest(self) -> Setting:
        """The setting whose choice has the largest price."""
        return max(self.settings, key=lambda own: own.price)
