"""Dependence of results on the design: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from reportgen.warehouse import Measure

HIDDEN = {"results": False}

Level = str | float | int
Verdict = Literal["better", "worse", "undecided"]
Change = Literal["reversed", "partly", "always", "never"]

RESAMPLING = "resampling"
"""The factor whose levels are ways to draw samples."""


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
    n_pairs, n_distinguished : int or None
        Pairs of candidates, and those that are distinguished; None without tests.
    half_width : float or None
        Mean half width of the simultaneous intervals of the pairs.
    is_dependent : bool
        Whether the learning samples of its replications share most observations
        by design, as folds do.
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
    n_pairs: int | None
    n_distinguished: int | None
    half_width: float | None
    is_dependent: bool

    @property
    def has_relation(self) -> bool:
        """Whether there is something to compare with other settings."""
        return bool(self.by)


@dataclass(frozen=True, slots=True)
class PairChange:
    """One comparison over the settings.

    Attributes
    ----------
    first, second : str
    verdicts : mapping of str to str
        Of first against second by data set; settings without tests are left out.
    estimates : mapping of str to float
        first - second, by data set.
    change : {"reversed", "partly", "always", "never"}
        Either is better somewhere; one is in some settings only, in all, in none.
    has_both_signs : bool
        Whether either mean is the better one somewhere.
    """

    first: str
    second: str
    verdicts: Mapping[str, Verdict]
    estimates: Mapping[str, float]
    change: Change
    has_both_signs: bool

    def where(self, verdict: Verdict) -> tuple[str, ...]:
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

    def setting(self, dataset: str) -> SettingRow:
        """Return a setting by its data set's name."""
        return next(row for row in self.settings if row.dataset == dataset)

    def changed(self, change: Change) -> tuple[PairChange, ...]:
        """Return the comparisons with such a change."""
        return tuple(pair for pair in self.pairs if pair.change == change)

    def of_factor(self, name: str) -> tuple[LevelMean, ...]:
        """Return the levels of one factor."""
        return tuple(level for level in self.levels if level.factor == name)

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
    """Return the settings with a relation that is read from the same: where some have tests, those.

    Parameters
    ----------
    settings : sequence of SettingRow
    """
    is_tested = any(row.n_pairs for row in settings)
    return tuple(row for row in settings if row.has_relation and (row.n_pairs or not is_tested))


SensitivityResult = dict[str, dict[str, Sensitivity]]
"""By measure, and by the data set that is varied."""
