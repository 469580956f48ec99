"""What is found of battles: numbers and names, no words."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from reportgen.json_text import HIDDEN
from reportgen.notation import Scale, scale
from reportgen.stats.worths.battles import OrderEffect, Transitivity
from reportgen.warehouse import Measure

Interval = tuple[float, float]

LARGE = 3.0  # standard deviations: a pair whose outcomes the worths do not explain
MUCH = 1.1  # ratio of standard errors from which clusters, or misfit, are worth a word
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Contender:
    """One candidate in its battles.

    Attributes
    ----------
    candidate : str
    points : float
        Elo, of sum 0.
    interval : tuple of two floats
        For itself, not simultaneous.
    n, wins, ties, losses : int
        Battles, and how they ended.
    ranks : tuple of two ints
        The ranks that it can have by the decided pairs.
    is_tied_with_first : bool
        Whether the one with most points is not decided better; true of that one itself.
    """

    candidate: str
    points: float
    interval: Interval
    n: int
    wins: int
    ties: int
    losses: int
    ranks: tuple[int, int]
    is_tied_with_first: bool

    @property
    def win_rate(self) -> float:
        """The share of its battles that it has won, ties counted half."""
        return (self.wins + self.ties / 2) / max(1, self.n)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two candidates in their battles against each other.

    Attributes
    ----------
    first, second : str
        The one with more points first.
    wins, ties, losses : int
        Of the first.
    expected : float
        The share that the worths expect the first to win, ties counted half.
    residual : float
        Observed less expected share, in its standard deviation if battles are independent.
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    expected: float
    residual: float

    @property
    def n(self) -> int:
        """Their battles."""
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float:
        """The share that the first has won, ties counted half."""
        return (self.wins + self.ties / 2) / self.n


@dataclass(frozen=True)
class BattlesResult:
    """The battles of one data set.

    Attributes
    ----------
    measure : str
    alpha : float
    n, n_ties, n_both_bad : int
        Battles, those without a winner, and of these the ones in which both were bad.
    contenders : tuple of Contender
        Most points first.
    meetings : tuple of Meeting
        Pairs that have met, in the order of the points.
    cluster : str
        What battles of one cluster share: judge, prompt, ...; empty without clusters.
    n_clusters : int
        0 without clusters.
    ratio : float
        Standard errors of the pairs over those of independent battles that the worths explain:
        their median.
    nu : float
        Strength of ties: their odds against a win among equals.
    is_penalised : bool
        Whether some candidate wins or loses so often that the estimate had to be drawn towards 0.
    order : OrderEffect or None
        None where it is not known which one was shown first.
    transitivity : Transitivity
    reference : str or None
        The candidate whose pairs alone are decided on, so that nobody is tied with the first.
    """

    measure: str
    alpha: float
    n: int
    n_ties: int
    n_both_bad: int
    contenders: tuple[Contender, ...]
    meetings: tuple[Meeting, ...]
    cluster: str
    n_clusters: int
    ratio: float
    nu: float
    is_penalised: bool
    order: OrderEffect | None
    transitivity: Transitivity
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)
    reference: str | None = None

    @property
    def scale(self) -> Scale:
        """How points are written."""
        points = [c.points for c in self.contenders]
        return scale(self.measured, points, intervals=[c.interval for c in self.contenders])

    @property
    def first(self) -> Contender:
        """The one with most points."""
        return self.contenders[0]

    @property
    def tied(self) -> tuple[str, ...]:
        """The others that are tied with the first, most points first."""
        return tuple(c.candidate for c in self.contenders[1:] if c.is_tied_with_first)

    @property
    def has_order_effect(self) -> bool:
        """Whether it is decided that being shown first brings something."""
        return self.order is not None and self.order.p_value < self.alpha

    @property
    def is_intransitive(self) -> bool:
        """Whether it is decided that worths do not explain who is preferred over whom."""
        return self.transitivity.p_value < self.alpha

    @property
    def has_wider_errors(self) -> bool:
        """Whether standard errors are clearly larger than those of independent battles."""
        return self.ratio >= MUCH

    @cached_property
    def unexplained(self) -> tuple[Meeting, ...]:
        """The pairs that worths explain worst, of those beyond chance."""
        far = [m for m in self.meetings if abs(m.residual) > LARGE]
        return tuple(sorted(far, key=lambda m: -abs(m.residual))[:MOST_NAMED])
