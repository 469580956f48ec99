"""How the verdict changes with the factors of a design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import product
from math import prod
from operator import attrgetter
from typing import Literal, get_args

from reportgen.catalogue.datasets.dataset import Level
from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure
from reportgen.sections.sensitivity.analysis import (
    Change,
    Factor,
    PairChange,
    PairDecision,
    SchemeEffect,
    Sensitivity,
    SettingRow,
)

MOST_PARTS = 4  # combinations of the other factors' levels, up to which a pair is described
MOST_LEVELS = 3  # of one factor that are named one by one
MOST_NAMED = 2  # pairs decided alike in all settings that are named one by one

Form = Literal["everywhere", "from", "up-to", "at"]


@dataclass(frozen=True, slots=True)
class PairBySetting:
    """At which levels of a factor the first of a pair is decided better, or worse."""

    verdict: PairDecision
    given: Mapping[str, Level]
    factor: str
    form: Form
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class ChangingPair:
    """A pair that is not decided alike in all settings."""

    first: str
    second: str
    change: Change
    n_better: int
    n_worse: int
    n_undecided: int
    stretches: tuple[PairBySetting, ...]

    @property
    def n_settings(self) -> int:
        """Settings with tests."""
        return self.n_better + self.n_worse + self.n_undecided

    def where(self, verdict: PairDecision) -> tuple[PairBySetting, ...]:
        """Return the stretches of one verdict."""
        return tuple(s for s in self.stretches if s.verdict == verdict)


@dataclass(frozen=True, slots=True)
class Changes:
    """How the verdict on the main measure changes with the settings of a data set."""

    base: str
    measure: Measure
    factors: Mapping[str, tuple[Level, ...]]
    n_settings: int
    n_tested: int
    n_pairs: int
    n_always: int
    n_never: int
    courses: tuple[ChangingPair, ...]
    recommended: tuple[str, ...]
    # Whether some pair is decided where test samples hold nothing that was learnt from.
    is_decided: bool = field(default=False, metadata=HIDDEN)
    always: tuple[tuple[str, str], ...] = field(default=(), metadata=HIDDEN)
    # In how many settings that count nobody is significantly better, by candidate, most first.
    unbeaten: Mapping[str, int] = field(default_factory=dict, metadata=HIDDEN)
    n_counted: int = field(default=0, metadata=HIDDEN)
    schemes: tuple[SchemeEffect, ...] = field(default=(), metadata=HIDDEN)
    typical: tuple[float, ...] = field(default=(), metadata=HIDDEN)

    @property
    def sides(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Who are decided better than whom in all settings, where that is each than each."""
        better = tuple(dict.fromkeys(first for first, _ in self.always))
        worse = tuple(dict.fromkeys(second for _, second in self.always))
        is_each = len(self.always) == len(better) * len(worse)
        return (better, worse) if self.always and is_each else None

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """The pairs that are decided alike in all settings, where these are few."""
        return self.always if len(self.always) <= MOST_NAMED else ()

    @property
    def ever_unbeaten(self) -> tuple[str, ...]:
        """Than whom nobody is significantly better in some setting that counts."""
        return tuple(name for name, n in self.unbeaten.items() if n)

    @property
    def n_reversed(self) -> int:
        """Pairs of which either is better somewhere."""
        return sum(course.change == "reversed" for course in self.courses)


def changes_of(found: Sensitivity, learnt: Sequence[str] = ()) -> Changes | None:
    """Read what changes; None where fewer than two settings have tests.

    `learnt`: settings whose test samples hold what was learnt from: nobody is recommended by them.
    """
    if len(found.tested) < 2 or not found.pairs:
        return None
    courses = [
        _changing_pair(pair, found) for pair in found.pairs if pair.change in ("reversed", "partly")
    ]
    courses.sort(key=lambda c: (c.change != "reversed", c.n_undecided))
    turns = [own for pair in found.pairs for own in (pair, pair.turned())]
    decided = [own for own in turns if {*own.where("better")} - {*learnt}]
    winners, beaten = {own.first for own in decided}, {own.second for own in decided}
    counted = {setting for pair in found.pairs for setting in pair.verdicts} - {*learnt}
    unbeaten = {name: _unbeaten(name, turns, counted) for name in found.candidates}
    return Changes(
        base=found.base,
        measure=found.measure,
        factors={factor.name: factor.levels for factor in found.factors},
        n_settings=len(found.settings),
        n_tested=len(found.tested),
        n_pairs=len(found.pairs),
        n_always=len(found.changed("always")),
        n_never=len(found.changed("never")),
        courses=tuple(courses),
        recommended=tuple(
            name for name in found.candidates if name in winners and name not in beaten
        ),
        is_decided=bool(decided),
        always=tuple(
            (pair.first, pair.second)
            for pair in map(attrgetter("more_often_first"), found.changed("always"))
        ),
        unbeaten=dict(sorted(unbeaten.items(), key=lambda own: -own[1])),
        n_counted=len(counted),
        schemes=tuple(effect for effect in found.schemes if effect.n_compared),
        typical=tuple(found.all_means),
    )


def _unbeaten(name: str, turns: Sequence[PairChange], counted: set[str]) -> int:
    """Count the settings in which nobody is better than a candidate that has values there."""
    against = [own for own in turns if own.second == name]
    there = counted & {setting for own in against for setting in own.verdicts}
    return len(there.difference(*(own.where("better") for own in against)))


def _changing_pair(pair: PairChange, found: Sensitivity) -> ChangingPair:
    """Read a pair so that its first is better in more settings, and say where."""
    own = pair.more_often_first
    better, worse, undecided = (len(own.where(verdict)) for verdict in get_args(PairDecision))
    stretches = _stretches(own.verdicts, found)
    return ChangingPair(own.first, own.second, own.change, better, worse, undecided, stretches)


def _stretches(
    verdicts: Mapping[str, PairDecision], found: Sensitivity
) -> tuple[PairBySetting, ...]:
    """Say where a pair is decided, along the factor with the most levels."""
    tested = [row for row in found.settings if row.dataset in verdicts]
    factors = [Factor(f.name, _levels(f, tested)) for f in found.factors]
    if len(tested) < prod(len(factor.levels) for factor in factors):
        return ()
    axis = max(factors, key=lambda f: (f.is_numeric, len(f.levels)))
    others = [factor for factor in factors if factor is not axis]
    parts = list(product(*(factor.levels for factor in others)))
    if len(parts) > MOST_PARTS:
        return ()
    place = {frozenset(row.levels.items()): verdicts[row.dataset] for row in tested}
    stretches: list[PairBySetting] = []
    for wanted in ("better", "worse"):
        forms: list[tuple[dict[str, Level], Form, tuple[Level, ...]]] = []
        for part in parts:
            given = {f.name: level for f, level in zip(others, part, strict=True)}
            where = tuple(
                level
                for level in axis.levels
                if place[frozenset((given | {axis.name: level}).items())] == wanted
            )
            form = _form(axis, where)
            if form is None:
                return ()
            if where:
                forms.append((given, form, where))
        stretches += _joined(wanted, axis, forms, len(parts))
    return tuple(stretches)


def _levels(factor: Factor, tested: Sequence[SettingRow]) -> tuple[Level, ...]:
    """Return the levels of a factor that are in some setting with tests."""
    known = {row.levels.get(factor.name) for row in tested}
    return tuple(level for level in factor.levels if level in known)


def _form(axis: Factor, where: tuple[Level, ...]) -> Form | None:
    """Return how levels are said in short; None where they cannot be."""
    n = len(where)
    if where == axis.levels:
        return "everywhere"
    if axis.is_numeric and n > 1 and where == axis.levels[-n:]:
        return "from"
    if axis.is_numeric and n > 1 and where == axis.levels[:n]:
        return "up-to"
    return "at" if n <= MOST_LEVELS else None


def _joined(
    verdict: PairDecision,
    axis: Factor,
    forms: Sequence[tuple[dict[str, Level], Form, tuple[Level, ...]]],
    n_parts: int,
) -> list[PairBySetting]:
    """Say once what holds whatever the other factors' levels are."""
    if n_parts > 1 and len(forms) == n_parts and len({form[1:] for form in forms}) == 1:
        return [PairBySetting(verdict, {}, axis.name, *forms[0][1:])]
    return [PairBySetting(verdict, given, axis.name, form, levels) for given, form, levels in forms]
