"""Two factors of a candidate: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.json_text import HIDDEN
from reportgen.notation import Scale, scale
from reportgen.stats.pair_table import PairTable
from reportgen.warehouse import Measure

ROUNDING = 1e-12  # of a mean: prices below are none
Unavailable = Literal["not-crossed", "few-units", "few-datasets"]
UnitKind = Literal["dataset", "family", "cluster", "row"]
"""What the intervals are over: data sets, families of them, clusters, or rows of one data set."""


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
        return int(self.lower > 0) - int(self.upper < 0)

    @property
    def naive_way(self) -> int:
        """Who would be, if the choice cost nothing."""
        return int(self.naive_lower > 0) - int(self.naive_upper < 0)


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
        return int(self.lower > 0) - int(self.upper < 0)


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
    def scale(self) -> Scale:
        """How means and differences are written."""
        values = [x for row in self.means.values() for x in row.values()]
        pairs = [p for t in (self.first_pairs, self.second_pairs) if t is not None for p in t]
        known = [(p.lower, p.upper) for p in pairs]
        return scale(self.measured, values, intervals=known)

    def mean_of(self, factor: int, level: str) -> float:
        """Return the mean of a level over those of the other factor."""
        if factor == 0:
            own = [*self.means[level].values()]
        else:
            own = [row[level] for row in self.means.values()]
        return sum(own) / len(own)

    @property
    def first_means(self) -> dict[str, float]:
        """Means of the levels of the first factor, over those of the second."""
        return {level: self.mean_of(0, level) for level in self.first_levels}

    @property
    def second_means(self) -> dict[str, float]:
        """Means of the levels of the second factor, over those of the first."""
        return {level: self.mean_of(1, level) for level in self.second_levels}

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
