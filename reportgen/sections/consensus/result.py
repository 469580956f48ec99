"""The consensus of an ensemble of relations: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from math import inf, isinf
from typing import Literal

from reportgen.data_classes import HIDDEN, SPREAD, dataclass
from reportgen.sections.preferences import STATISTICS, By
from reportgen.stats.consensus_relations.orders import Coding
from reportgen.stats.relations.relations import OrderClass

FEWEST_RELATIONS, MANY_OPTIMA = 3, 10  # from three on and below ten there is more than a sentence

Groups = tuple[tuple[str, ...], ...]
"""Classes of an order, best first."""

Pairs = tuple[tuple[str, str], ...]
"""Pairs of candidates, the better one first where one is better."""

Table = tuple[tuple[int, ...], ...]

Unavailable = Literal["no-relations", "no-weight", "one-relation", "no-search"]


@dataclass(frozen=True, slots=True)
class Order:
    """A strict relation of the candidates, laid out.

    Attributes
    ----------
    chain : tuple of tuples of str, or None
        The classes of a weak order, best first; None where it is none.
    incidence : tuple of tuples of int
        ``incidence[i][j] = 1`` when candidate i is better than candidate j; in
        the order of the result's `candidates`.
    order_class : str
        The narrowest class it belongs to.
    best : tuple of str
        Candidates that no other is better than.
    levels : tuple of tuples of str
        Candidates by the longest way down to them, best first.
    """

    chain: Groups | None
    incidence: Table
    order_class: OrderClass
    best: tuple[str, ...]
    levels: Groups = field(default=(), metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class Member:
    """One relation of the ensemble, compared with the consensus.

    Attributes
    ----------
    id : str
        Of a relation on one data set, measure/by or its name; over data sets
        the data set's name.
    weight : float
    distance : int
        Ordered pairs in exactly one of it and the first optimum, unweighted: a
        pair that is reversed counts 2, a tie against a strict pair 1.
    order_class : str
        The narrowest class it belongs to.
    chain : tuple of tuples of str, or None
    missing_candidates : tuple of str
        Candidates that it lacks; they tie with all others in it.
    weight_range : tuple of two floats, or None
        From which weight to which the first optimum stays optimal when the
        other weights stay; the upper end may be infinite. None where it was
        not sought: the optimum is not proven, or the search is too long.
    first_ranges : tuple of pairs of float
        Intervals of its weight on which the same candidates come first as now
        (the result's `first`), the other weights unchanged.
    is_whole : bool
        Whether these are all such intervals in full length; else the same
        candidates come first at least there.
    by : str or None
        What a relation on one data set is read from.
    """

    id: str
    weight: float
    distance: int
    order_class: OrderClass
    chain: Groups | None
    missing_candidates: tuple[str, ...]
    weight_range: tuple[float, float] | None
    first_ranges: tuple[tuple[float, float], ...] = ()
    is_whole: bool = False
    by: By | None = None

    @property
    def needed(self) -> bool:
        """Whether the first optimum is no longer optimal without this member."""
        return self.weight_range is not None and self.weight_range[0] > 0

    @property
    def is_statistic(self) -> bool:
        """Whether it compares a statistic of each candidate, without any test."""
        return self.by in STATISTICS


@dataclass(frozen=True, slots=True)
class Rule:
    """The order by a simple rule, and where all optima have the opposite.

    Attributes
    ----------
    points : mapping of str to float
        Higher is better.
    chain : tuple of tuples of str
        Candidates by their points, best first.
    reversals : tuple of pairs of str
        All optima put the first before the second; the rule puts the second
        before the first.
    """

    points: Mapping[str, float]
    chain: Groups
    reversals: Pairs


@dataclass(frozen=True, slots=True)
class Majorities:
    """The candidates two by two.

    Attributes
    ----------
    support : tuple of tuples of float
        ``support[i][j]`` is the weight of the members in which i is better
        than j.
    condorcet_winner : str or None
        The candidate with a majority against every other.
    smith_set : tuple of str
        The smallest set whose members have a majority against all others; all
        of the candidates where there are no majorities.
    has_cycle : bool
        Whether the strict majorities run in a circle.
    reversals : tuple of pairs of str
        All optima put the first before the second; a majority prefers the second.
    """

    support: tuple[tuple[float, ...], ...]
    condorcet_winner: str | None
    smith_set: tuple[str, ...]
    has_cycle: bool
    reversals: Pairs


def _room(member: Member) -> float:
    """Return how far a weight may move in proportion before another order is nearer."""
    low, high = member.weight_range or (0.0, inf)
    down = (member.weight - low) / member.weight if low > 0 else inf
    return min(down, (high - member.weight) / member.weight)


@dataclass(frozen=True, slots=True)
class ConsensusResult:
    """The orders of a class that are nearest to an ensemble, with simple rules and majorities.

    Attributes
    ----------
    order_class : str
        The class in which they were sought.
    coding : {"strict", "relations"}
    limit : int
        How many optima are listed at most.
    unavailable : str or None
        Why there is no consensus: there is no relation, or none with a weight, or there is one
        alone of very many candidates, which is the consensus, or is no order of the class, and the
        nearest one was not searched. Everything below is then empty.
    candidates : tuple of str
        Rows and columns of the incidences, in the study's order.
    members : tuple of Member
        In the order in which they were given.
    criterion : float or None
        Sum over the members of weight times distance; in strict coding without
        the diagonal.
    lower_bound : float or None
        No order of the class has a smaller criterion.
    is_proven : bool
        Whether the two are equal, and so the orders optimal.
    n_optimal : int or None
        Number of all optima; None when it is not known.
    has_more : bool
        Whether there are more optima than are listed; when `n_optimal` is None
        and this is false, the search for further ones was given up.
    relations : tuple of Order
        The optima; where it is not proven that they are, the best order found.
        First comes the most even one: its largest distance from a member is
        smallest.
    agreement : Order or None
        What all optima have in common, laid out.
    agreed : tuple of pairs of str
        The first is better than the second in all optima, listed or not: all
        such pairs when `n_optimal` is known, else those that are proven.
    agreed_ties : tuple of pairs of str
        Neither is better in any optimum.
    winner : str or None
        The candidate that is better than all others in all optima.
    best : tuple of str
        Candidates that no other is better than in any of the listed relations.
    first : tuple of str
        Candidates that no other is better than in at least one optimum, listed
        or not; empty where this is not known.
    borda, copeland : Rule or None
        Mean share of the others that a candidate is better than, ties half;
        majorities won less majorities lost.
    majorities : Majorities or None
    hierarchical : Order or None
        The first member, its ties broken by the second, and so on.
    extra : mapping
        `unsearched`: the candidates whose nearest order was not sought, as they are too many.
    """

    order_class: OrderClass
    coding: Coding
    limit: int
    unavailable: Unavailable | None = None
    candidates: tuple[str, ...] = ()
    members: tuple[Member, ...] = ()
    criterion: float | None = None
    lower_bound: float | None = None
    is_proven: bool = False
    n_optimal: int | None = None
    has_more: bool = False
    relations: tuple[Order, ...] = ()
    agreement: Order | None = None
    agreed: Pairs = ()
    agreed_ties: Pairs = ()
    winner: str | None = None
    best: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    borda: Rule | None = None
    copeland: Rule | None = None
    majorities: Majorities | None = None
    hierarchical: Order | None = None
    extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, metadata=SPREAD)

    @property
    def n_unsearched(self) -> int:
        """Number of candidates whose nearest order was not sought."""
        return len(self.extra.get("unsearched", ()))

    @property
    def n_pairs(self) -> int:
        """Number of pairs of candidates."""
        return len(self.candidates) * (len(self.candidates) - 1) // 2

    @property
    def is_unique(self) -> bool:
        """Whether there is one optimum."""
        return self.n_optimal == 1

    @property
    def weighted(self) -> tuple[Member, ...]:
        """The members that count."""
        return tuple(member for member in self.members if member.weight > 0)

    @property
    def is_alone(self) -> bool:
        """Whether one relation decides all."""
        return len(self.weighted) == 1

    @property
    def is_sole(self) -> bool:
        """Whether the consensus is the one relation that has a say, and a line can hold it."""
        is_it = not self.unavailable and self.is_alone and self.criterion == 0
        return is_it and len(self.candidates) < 13 and self.relations[0].chain is not None

    @property
    def untested(self) -> tuple[Member, ...]:
        """Statistics without a test, where other relations are read from tests."""
        found = tuple(member for member in self.weighted if member.is_statistic)
        tested = [m for m in self.weighted if m.by is not None and not m.is_statistic]
        return found if tested else ()

    @property
    def has_equal_weights(self) -> bool:
        """Whether all members have the same weight."""
        return len({member.weight for member in self.members}) < 2

    @property
    def has_ranges(self) -> bool:
        """Whether it is known how far the weight of some member may move."""
        return any(member.weight_range is not None for member in self.members)

    @property
    def carrying(self) -> tuple[str, ...] | None:
        """Members without which the first optimum is none; None where that is not known."""
        if not self.is_proven or any(m.weight_range is None for m in self.members):
            return None
        return tuple(member.id for member in self.members if member.needed)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Members that lack candidates, by their names."""
        return tuple(
            dict.fromkeys(member.id for member in self.members if member.missing_candidates)
        )

    @property
    def n_members(self) -> int:
        """Members of different names."""
        return len({member.id for member in self.members})

    @property
    def n_settled(self) -> int:
        """Number of pairs of which all optima say the same."""
        return len(self.agreed) + len(self.agreed_ties)

    @property
    def is_told(self) -> bool:
        """Whether there is more to say than a sentence: three relations, and few optima."""
        has_few = self.is_proven and self.n_optimal is not None and self.n_optimal < MANY_OPTIMA
        return has_few and len(self.weighted) >= FEWEST_RELATIONS and len(self.candidates) > 1

    @property
    def nearest(self) -> Member:
        """The member with a weight that is nearest to the first optimum."""
        return min(self.weighted, key=lambda member: member.distance)

    @property
    def farthest(self) -> Member:
        """The member with a weight that is farthest from the first optimum."""
        return max(self.weighted, key=lambda member: member.distance)

    @property
    def silent(self) -> tuple[Member, ...]:
        """The members without a weight."""
        return tuple(member for member in self.members if member.weight == 0)

    @property
    def is_firm(self) -> bool:
        """Whether the first optimum stays one whatever weight any one member has."""
        ranges = [member.weight_range for member in self.weighted]
        return bool(ranges) and all(r is not None and r[0] == 0 and isinf(r[1]) for r in ranges)

    @property
    def least_room(self) -> Member | None:
        """The member whose weight may move least in proportion; None where that is not known."""
        if any(member.weight_range is None for member in self.weighted) or self.is_firm:
            return None
        return min(self.weighted, key=_room, default=None)

    def support(self, first: str, second: str) -> float:
        """Return the weight of the members in which first is better than second."""
        if self.majorities is None:
            return 0.0
        return self.majorities.support[self.candidates.index(first)][self.candidates.index(second)]
