"""What is found of battles: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.stats.worths.battles import OrderEffect, Transitivity

Interval = tuple[float, float]

LARGE = 3.0  # standard deviations: a pair whose outcomes the worths do not explain
FEW_DF = 10.0  # from which half-widths of 95% are at most a seventh larger than those of many
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


@dataclass(frozen=True, slots=True)
class GroupTest:
    """Whether worths are the same along a covariate, in a group of battles.

    Attributes
    ----------
    covariate : str
    statistic : float
    p_value : float
        Adjusted for the covariates tested there.
    unit : {"battle", "cluster", "flips"}
        What was taken for independent: battles, clusters, or clusters whose signs are drawn.
    """

    covariate: str
    statistic: float
    p_value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Group:
    """A group of battles, a node of the tree.

    Attributes
    ----------
    number : int
        1 of all battles, then the first part and all below it before the second.
    covariate : str
        By which the group above is divided; empty of all battles.
    levels : tuple of str
        Those that come here.
    n : int
    points : mapping of str to float
        Elo in this group, in the order of all battles.
    errors : mapping of str to float
        Their standard errors.
    tests : tuple of GroupTest
        Smallest p-value first.
    is_leaf : bool
    path : tuple of tuple of str
        Covariate and levels of every division on the way here.
    """

    number: int
    covariate: str
    levels: tuple[str, ...]
    n: int
    points: Mapping[str, float]
    errors: Mapping[str, float]
    tests: tuple[GroupTest, ...]
    is_leaf: bool
    path: tuple[tuple[str, ...], ...]

    @property
    def first(self) -> str:
        """The candidate with most points here."""
        return max(self.points, key=lambda name: self.points[name])


@dataclass(frozen=True, slots=True)
class StyleEffect:
    """What a difference in style is worth.

    Attributes
    ----------
    name : str
    points, standard_error : float
        Elo, for one standard deviation of the difference.
    p_value : float
        By itself.
    """

    name: str
    points: float
    standard_error: float
    p_value: float


@dataclass(frozen=True, slots=True)
class Styled:
    """Worths with style held equal.

    Attributes
    ----------
    effects : tuple of StyleEffect
    points : mapping of str to float
        Elo, in the order of the points without style.
    intervals : mapping of str to tuple of two float
        Each for itself.
    """

    effects: tuple[StyleEffect, ...]
    points: Mapping[str, float]
    intervals: Mapping[str, Interval]

    @property
    def first(self) -> str:
        """The candidate with most points."""
        return max(self.points, key=lambda name: self.points[name])


@dataclass(frozen=True, slots=True)
class OtherTies:
    """Worths by Rao and Kupper's ties.

    Attributes
    ----------
    points : mapping of str to float
        Elo.
    threshold : float
        Elo points by which a judge has to see two differ before one is said to win.
    gain : float
        Their log likelihood less that of Davidson's ties.
    """

    points: Mapping[str, float]
    threshold: float
    gain: float


@dataclass(frozen=True, slots=True)
class CircularTriple:
    """Three candidates of which each wins more often than it loses against the next.

    Attributes
    ----------
    candidates : tuple of three str
    shares : tuple of three float
        Of the battles with the next one, ties counted half.
    p_value : float
        That all three are preferred to the next, adjusted for all triples.
    """

    candidates: tuple[str, str, str]
    shares: tuple[float, float, float]
    p_value: float


@dataclass(frozen=True, slots=True)
class Ask:
    """A pair to ask next.

    Attributes
    ----------
    first, second : str
    gain : float
        What a battle of these two tells about who is first, over that of two drawn at random.
    """

    first: str
    second: str
    gain: float


@dataclass(frozen=True, slots=True)
class Look:
    """A planned look at battles that accumulate.

    Attributes
    ----------
    n : int
        Battles.
    level : float
        At which it decides.
    is_done : bool
        Whether its battles are there; if not, the rest is empty.
    first : str
        The candidate with most points; empty where battles do not link all candidates yet.
    tied : tuple of str
        Those that it is not significantly better than.
    n_decided, n_pairs : int
        Pairs with a significant difference, and all that are decided on.
    """

    n: int
    level: float
    is_done: bool
    first: str = ""
    tied: tuple[str, ...] = ()
    n_decided: int = 0
    n_pairs: int = 0

    @property
    def establishes(self) -> bool:
        """Whether its first is significantly better than every other candidate."""
        return bool(self.first) and not self.tied


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
    df : float or None
        Smallest degrees of freedom of a pair; None without clusters.
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
    groups : tuple of Group
        The tree over what is known of battles: all of them first; empty where nothing is known.
    styled : Styled or None
        None where no style is known.
    other_ties : OtherTies or None
        None without ties, or a finite estimate.
    circular : tuple of CircularTriple
        Those observed, smallest p-value first, ten at most.
    asks : tuple of Ask
        The pairs to ask next; empty where the first is significantly better than all others.
    n_to_decide : int or None
        About how many battles in all it takes for the difference of the two with most points to be
        significant, were it as estimated, in half of such studies; None where it is.
    looks : tuple of Look
        The planned looks; empty where none were planned. All else is of the last one that is done.
    overall_alpha : float
        The level of all looks together.
    spending : str
        How it is spent; empty where no looks were planned.
    n_after : int
        Battles that are there after the last look that is done, which are left out.
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
    df: float | None
    ratio: float
    nu: float
    is_penalised: bool
    order: OrderEffect | None
    transitivity: Transitivity
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)
    reference: str | None = None
    groups: tuple[Group, ...] = ()
    styled: Styled | None = None
    other_ties: OtherTies | None = None
    circular: tuple[CircularTriple, ...] = ()
    asks: tuple[Ask, ...] = ()
    n_to_decide: int | None = None
    looks: tuple[Look, ...] = ()
    overall_alpha: float = 0.05
    spending: str = ""
    n_after: int = 0

    @property
    def look(self) -> int:
        """The number of the look at hand, from 1; 0 where none were planned."""
        return sum(own.is_done for own in self.looks)

    @property
    def following(self) -> Look | None:
        """The look after the one at hand; None after the last."""
        return next((own for own in self.looks if not own.is_done), None)

    @property
    def established_at(self) -> int | None:
        """The first look at which the first of now was significantly better than all others."""
        numbered = enumerate(self.looks, 1)
        own = self.first.candidate
        return next((i for i, x in numbered if x.establishes and x.first == own), None)

    @property
    def leaves(self) -> tuple[Group, ...]:
        """The groups that are not divided, where all battles are."""
        return tuple(g for g in self.groups if g.is_leaf) if len(self.groups) > 1 else ()

    @property
    def dividing(self) -> GroupTest | None:
        """The test by which all battles are divided; None where they are not."""
        if len(self.groups) < 2:
            return None
        name = self.groups[1].covariate
        return next(t for t in self.groups[0].tests if t.covariate == name)

    @property
    def changes_first(self) -> bool:
        """Whether the groups have different candidates with most points."""
        return len({g.first for g in self.leaves}) > 1

    @property
    def shown_circles(self) -> tuple[CircularTriple, ...]:
        """The circular triples that are decided."""
        return tuple(c for c in self.circular if c.p_value < self.alpha)

    @property
    def most_apart(self) -> float:
        """By how many points a candidate's Elo differs at most between the two laws of ties."""
        if self.other_ties is None:
            return 0.0
        other = self.other_ties.points
        return max(abs(c.points - other[c.candidate]) for c in self.contenders)

    @property
    def about_to_decide(self) -> int | None:
        """`n_to_decide` in two digits, rounded up: no more of them are known."""
        if self.n_to_decide is None:
            return None
        unit = int("1" + "0" * max(0, len(str(self.n_to_decide)) - 2))
        return -(-self.n_to_decide // unit) * unit

    @property
    def number_format(self) -> NumberFormat:
        """How points are written."""
        points = [c.points for c in self.contenders]
        return number_format(self.measured, points, intervals=[c.interval for c in self.contenders])

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
    def has_few_clusters(self) -> bool:
        """Whether there are so few clusters, or so unequal ones, that intervals are wide for it."""
        return self.df is not None and self.df < FEW_DF

    @property
    def has_wider_errors(self) -> bool:
        """Whether standard errors are clearly larger than those of independent battles."""
        return self.ratio >= MUCH

    @cached_property
    def unexplained(self) -> tuple[Meeting, ...]:
        """The pairs that worths explain worst, of those beyond chance."""
        far = [m for m in self.meetings if abs(m.residual) > LARGE]
        return tuple(sorted(far, key=lambda m: -abs(m.residual))[:MOST_NAMED])
