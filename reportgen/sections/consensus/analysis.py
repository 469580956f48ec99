"""The consensus of preference relations, of a data set or others (Eugster 2011, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from math import inf, isinf
from typing import Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, SPREAD, dataclass, stated
from reportgen.errors import AnalysisError
from reportgen.formats import Density
from reportgen.sections.consensus import Options
from reportgen.sections.datasets import MOST_COMPACT, MOST_SQUARED
from reportgen.sections.preferences import STATISTICS, By
from reportgen.sections.preferences.analysis import Preference, PreferencesResult, by_mean
from reportgen.stats.arrays import number_rows
from reportgen.stats.consensus_relations.block import MOST_SEARCHED
from reportgen.stats.consensus_relations.nearest import (
    MOST_WORK,
    Consensus,
    most_even_first,
    nearest_relations,
    usual_limit,
)
from reportgen.stats.consensus_relations.orders import Coding
from reportgen.stats.consensus_relations.ranges import WeightRanges, weight_ranges
from reportgen.stats.consensus_relations.voting import Votes, hierarchical, vote
from reportgen.stats.relations.hasse import levels
from reportgen.stats.relations.relations import (
    Incidence,
    IncidenceRows,
    OrderClass,
    as_incidence,
    belongs_to,
    chain,
    closure,
    distance,
    incidence_rows,
    order_class,
    unbeaten,
)
from reportgen.stats.verdict import Groups
from reportgen.warehouse import Warehouse

FEWEST_RELATIONS, MANY_OPTIMA = 3, 10  # from three on and below ten there is more than a sentence


Pairs = tuple[tuple[str, str], ...]
"""Pairs of candidates, the better one first where one is better."""

Unavailable = Literal["no-relations", "no-weight", "one-relation", "no-search"]


WORK_OF_ALL = 300_000  # of the consensus on each of all data sets: some five minutes
MOST_WITH_RANGES = 12  # candidates: each limit of a weight is a dozen programs, all of K^2 unknowns

RANGES_WORK = 500
"""The work allowed for the ranges of all weights of one consensus."""

EQUAL = 9
"""Decimals up to which Borda's points are distinguished."""


@dataclass(frozen=True, slots=True)
class Order:
    """A strict relation of the candidates, laid out.

    Attributes
    ----------
    chain : tuple of tuples of str, or None
        The classes of a weak order, best first; None where it is none.
    incidence : tuple of sequences of int
        ``incidence[i][j] = 1`` when candidate i is better than candidate j; in
        the order of the result's `candidates`. Of more than 30 candidates that
        have a `chain` it is null in results.json: it follows from that.
    order_class : str
        The narrowest class it belongs to.
    best : tuple of str
        Candidates that no other is better than.
    levels : tuple of tuples of str
        Candidates by the longest way down to them, best first.
    """

    chain: Groups | None
    incidence: IncidenceRows = field(metadata=stated("listed_incidence"))
    order_class: OrderClass
    best: tuple[str, ...]
    levels: Groups = field(default=(), metadata=HIDDEN)

    @property
    def listed_incidence(self) -> IncidenceRows | None:
        """The incidence, for results; None where the chain of many candidates says it."""
        is_long = self.chain is not None and len(self.incidence) > MOST_COMPACT
        return None if is_long else self.incidence


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
    support : tuple of sequences of float
        ``support[i][j]`` is the weight of the members in which i is better
        than j. Of more than 300 candidates it is null in results.json: it follows
        from the relations of `preferences`.
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

    support: tuple[Sequence[float], ...] = field(metadata=stated("listed_support"))
    condorcet_winner: str | None
    smith_set: tuple[str, ...]
    has_cycle: bool
    reversals: Pairs

    @property
    def listed_support(self) -> tuple[Sequence[float], ...] | None:
        """The support, for results; None of very many candidates."""
        return None if len(self.support) > MOST_SQUARED else self.support


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
    def orders_nobody(self) -> bool:
        """Whether every relation has all candidates on one level, so that there is no order."""
        return bool(self.relations) and self.criterion == 0 and not self.agreed

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


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    preferences: PreferencesResult,
    density: Density = "full",
    n_datasets: int = 1,
) -> ConsensusResult:
    """Find what the relations of one data set agree on.

    `warehouse`: of one data set.
    `rng`: not used: nothing here is random.
    `preferences`: the relations; those that are not available are no members.
    `density`: compact: none is sought of more than `MOST_COMPACT` candidates.
    `n_datasets`: of the study, which share `WORK_OF_ALL`.
    Raises AnalysisError if the options weight a relation that is not there.
    """
    ids = [preference.id for preference in preferences]
    for fault in options.unknown(ids):
        raise AnalysisError(f"sections: consensus: weights: {fault}")
    is_left_out = density == "compact" and len(warehouse.candidates) > MOST_COMPACT
    members = () if is_left_out else preferences
    ballots = [ballot(p, options.weight(p.id)) for p in members if not p.unavailable]
    return find_consensus(
        ballots,
        warehouse.candidates,
        options.order_class,
        coding=options.coding,
        limit=options.limit,
        has_ranges=len(warehouse.candidates) <= MOST_WITH_RANGES,
        ranking=by_mean(warehouse),
        most_work=min(MOST_WORK, WORK_OF_ALL // n_datasets),
    )


def ballot(preference: Preference, weight: float) -> Ballot:
    """Let a relation speak of the candidates that have values in it."""
    if not preference.missing_candidates:
        own = preference.incidence
        return Ballot(preference.id, preference.candidates, own, weight, preference.by)
    among = [name not in preference.missing_candidates for name in preference.candidates]
    rest = as_incidence(preference.incidence)[np.ix_(among, among)]
    names = tuple(n for n in preference.candidates if n not in preference.missing_candidates)
    return Ballot(preference.id, names, incidence_rows(rest), weight, preference.by)


@dataclass(frozen=True, slots=True)
class Ballot:
    """One member of an ensemble, as it is given."""

    id: str
    candidates: tuple[str, ...]  # those that it speaks of
    incidence: IncidenceRows  # ``incidence[i][j] = 1`` when candidate i is better than candidate j
    weight: float = 1.0  # not negative
    by: By | None = None  # what a relation of `preferences` is read from


@dataclass(frozen=True, slots=True)
class _Ensemble:
    """Ballots over the same candidates, and the order in which equal ones are named."""

    candidates: tuple[str, ...]
    incidences: NDArray[np.bool_]
    weights: NDArray[np.float64]
    ranking: tuple[str, ...]

    def names(self, indices: Iterable[int]) -> tuple[str, ...]:
        found = [self.candidates[k] for k in indices]
        return tuple(sorted(found, key=self.ranking.index))

    def pairs(self, indices: Iterable[tuple[int, int]]) -> Pairs:
        return tuple((self.candidates[i], self.candidates[j]) for i, j in indices)

    def groups(self, classes: Iterable[Iterable[int]] | None) -> Groups | None:
        return None if classes is None else tuple(self.names(group) for group in classes)


def find_consensus(
    ballots: Sequence[Ballot],
    candidates: Sequence[str],
    wanted: OrderClass = "weak",
    *,
    coding: Coding = "strict",
    limit: int | None = None,
    has_ranges: bool = True,
    ranking: Sequence[str] | None = None,
    most_work: int = MOST_WORK,
) -> ConsensusResult:
    """Find what an ensemble agrees on.

    `candidates`: the study's, which gives the order; those of no ballot are left out.
    `wanted`: the class in which the consensus is sought.
    `limit`: how many optima are listed at most; when omitted, fewer of many candidates.
    `has_ranges`: whether it is sought how far each weight may move.
    `ranking`: all candidates in the order in which tied ones are named; that of `candidates` when
    omitted.
    `most_work`: as of `nearest_relations`.
    Result: its `unavailable` is set where there is no ballot, or none with a weight, and where
    there is one relation of more than `MOST_SEARCHED` candidates: it is the consensus, or no order
    of the class, and the nearest one is not sought.
    """
    limit = limit or usual_limit(len({name for ballot in ballots for name in ballot.candidates}))
    if not any(ballot.weight > 0 for ballot in ballots):
        return ConsensusResult(wanted, coding, limit, "no-weight" if ballots else "no-relations")
    ensemble = _ensemble(ballots, candidates, ranking or candidates)
    is_large = len(ensemble.candidates) > MOST_SEARCHED
    if len(ballots) == 1 and is_large:
        is_order = belongs_to(ensemble.incidences[0], wanted)
        return ConsensusResult(wanted, coding, limit, "one-relation" if is_order else "no-search")
    relations, weights = ensemble.incidences, ensemble.weights
    found = nearest_relations(
        relations, weights, wanted, limit=limit, coding=coding, most_work=most_work
    )
    found = replace(found, relations=most_even_first(found.relations, relations[weights > 0]))
    votes = vote(relations, weights)
    orders = tuple(_laid_out(relation, ensemble) for relation in found.relations)
    ranges = _ranges(ensemble, found, coding) if has_ranges else None
    return ConsensusResult(
        order_class=wanted,
        coding=coding,
        limit=limit,
        candidates=ensemble.candidates,
        members=_members(ballots, ensemble, found, ranges),
        criterion=found.criterion,
        lower_bound=found.lower_bound,
        is_proven=found.is_proven,
        n_optimal=found.n_optimal,
        has_more=found.has_more,
        relations=orders,
        agreement=_laid_out(found.agreed, ensemble),
        agreed=ensemble.pairs(_true(found.agreed)),
        agreed_ties=ensemble.pairs((i, j) for i, j in _true(found.agreed_ties) if i < j),
        winner=_winner(found, ensemble),
        best=tuple(name for name in ensemble.ranking if all(name in o.best for o in orders)),
        first=_first(orders, found, ranges, ensemble),
        borda=_rule(np.round(votes.borda, EQUAL), votes.borda, found, ensemble),
        copeland=_rule(votes.copeland, votes.copeland, found, ensemble),
        majorities=_majorities(votes, found, ensemble),
        hierarchical=_laid_out(hierarchical(list(relations[weights > 0])), ensemble),
        extra={"unsearched": ensemble.names(found.unsearched)} if found.unsearched else {},
    )


def lay_out(
    incidence: Incidence, candidates: Sequence[str], ranking: Sequence[str] | None = None
) -> Order:
    """Describe a strict relation by the names of its candidates.

    `incidence`: shape (K, K).
    `ranking`: the order in which tied ones are named, else that of `candidates`.
    """
    names = tuple(candidates)
    return _laid_out(
        incidence, _Ensemble(names, incidence[None], np.ones(1), tuple(ranking or names))
    )


def _laid_out(incidence: Incidence, named: _Ensemble) -> Order:
    groups = named.groups(chain(incidence))
    table = incidence_rows(incidence)
    if groups is None:
        return Order(
            chain=None,
            incidence=table,
            order_class=order_class(incidence),
            levels=tuple(named.names(level) for level in levels(incidence)),
            best=named.names(unbeaten(incidence)),
        )
    return Order(
        chain=groups,
        incidence=table,
        order_class="linear" if len(groups) == len(incidence) else "weak",
        levels=groups,
        best=groups[0],
    )


def _ensemble(
    ballots: Sequence[Ballot], candidates: Sequence[str], ranking: Sequence[str]
) -> _Ensemble:
    """Bring all ballots to the same candidates; a ballot has no preference on those it lacks."""
    named = {name for ballot in ballots for name in ballot.candidates}
    union = tuple(name for name in candidates if name in named)
    weights = np.array([b.weight for b in ballots], dtype=np.float64)
    ranked = tuple(n for n in ranking if n in named)
    return _Ensemble(union, incidences_of(ballots, union), weights, ranked)


def incidences_of(ballots: Sequence[Ballot], names: Sequence[str]) -> NDArray[np.bool_]:
    """Bring the relations of all ballots to the same candidates."""
    place = {name: k for k, name in enumerate(names)}
    found = np.zeros((len(ballots), len(names), len(names)), dtype=np.bool_)
    for incidence, ballot in zip(found, ballots, strict=True):
        at = [place[name] for name in ballot.candidates]
        incidence[np.ix_(at, at)] = as_incidence(ballot.incidence)
    return found


def _true(matrix: Incidence) -> list[tuple[int, int]]:
    first, second = np.nonzero(matrix)
    return list(zip(first.tolist(), second.tolist(), strict=True))


def _winner(found: Consensus, ensemble: _Ensemble) -> str | None:
    """Return who is better than all others in all optima."""
    alone = np.flatnonzero(found.agreed.sum(axis=1) == len(ensemble.candidates) - 1)
    return ensemble.candidates[int(alone[0])] if len(alone) else None


def _first(
    orders: Sequence[Order], found: Consensus, ranges: WeightRanges | None, ensemble: _Ensemble
) -> tuple[str, ...]:
    """Return who comes first in an optimum, where that is known."""
    if found.is_proven and found.n_optimal is not None:
        return tuple(n for n in ensemble.ranking if any(n in order.best for order in orders))
    return ensemble.names(ranges.first or ()) if ranges else ()


def _members(
    ballots: Sequence[Ballot],
    ensemble: _Ensemble,
    found: Consensus,
    ranges: WeightRanges | None,
) -> tuple[Member, ...]:
    """Compare every ballot with the consensus."""
    stays = ranges.members if ranges else (None,) * len(ballots)
    return tuple(
        Member(
            id=ballot.id,
            weight=ballot.weight,
            distance=distance(incidence, found.relations[0]),
            order_class=order_class(incidence),
            chain=ensemble.groups(chain(incidence)),
            missing_candidates=tuple(n for n in ensemble.candidates if n not in ballot.candidates),
            weight_range=(own.lower, own.upper) if own else None,
            first_ranges=own.first if own else (),
            is_whole=bool(own and own.is_whole),
            by=ballot.by,
        )
        for ballot, incidence, own in zip(ballots, ensemble.incidences, stays, strict=True)
    )


def _ranges(ensemble: _Ensemble, found: Consensus, coding: Coding) -> WeightRanges | None:
    """Seek how far each weight may move."""
    if not found.is_proven or len(ensemble.weights) < 2:
        return None
    return weight_ranges(
        ensemble.incidences,
        ensemble.weights,
        found.relations[0],
        found.order_class,
        coding=coding,
        most_work=RANGES_WORK,
    )


def _rule(
    levels: NDArray[Any], points: NDArray[Any], found: Consensus, ensemble: _Ensemble
) -> Rule:
    """Return the order by a rule; `levels` are the points by which candidates tie."""
    better = np.asarray(levels[:, None] > levels[None, :])
    groups = ensemble.groups(chain(better))
    return Rule(
        points=dict(zip(ensemble.candidates, points.tolist(), strict=True)),
        chain=groups or (),
        reversals=ensemble.pairs(_true(found.agreed & better.T)),
    )


def _majorities(votes: Votes, found: Consensus, ensemble: _Ensemble) -> Majorities:
    support = np.vstack(  # row by row: of all at once the numbers take much memory
        [ensemble.weights @ rows for rows in ensemble.incidences.transpose(1, 0, 2)]
    )
    winner = votes.condorcet_winner
    return Majorities(
        support=number_rows(support),
        condorcet_winner=None if winner is None else ensemble.candidates[winner],
        smith_set=ensemble.names(votes.smith_set),
        has_cycle=bool(closure(votes.majority).diagonal().any()),
        reversals=ensemble.pairs(_true(found.agreed & votes.majority.T)),
    )
