"""The consensus of preference relations, of a data set or others (Eugster 2011, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.errors import AnalysisError
from reportgen.formats import Density
from reportgen.sections.consensus import Options
from reportgen.sections.consensus.result import (
    ConsensusResult,
    Groups,
    Majorities,
    Member,
    Order,
    Pairs,
    Rule,
    Table,
)
from reportgen.sections.datasets import MOST_COMPACT
from reportgen.sections.preferences import By
from reportgen.sections.preferences.analysis import Preference, PreferencesResult, by_mean
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
    OrderClass,
    belongs_to,
    chain,
    closure,
    distance,
    order_class,
    unbeaten,
)
from reportgen.warehouse import Warehouse

MOST_WITH_RANGES = 12  # candidates: each limit of a weight is a dozen programs, all of K^2 unknowns

RANGES_WORK = 500
"""The work allowed for the ranges of all weights of one consensus."""

EQUAL = 9
"""Decimals up to which Borda's points are distinguished."""


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    preferences: PreferencesResult,
    density: Density = "full",
) -> ConsensusResult:
    """Find what the relations of one data set agree on.

    `warehouse`: of one data set.
    `rng`: not used: nothing here is random.
    `preferences`: the relations; those that are not available are no members.
    `density`: compact: none is sought of more than `MOST_COMPACT` candidates.
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
    )


def ballot(preference: Preference, weight: float) -> Ballot:
    """Let a relation speak of the candidates that have values in it."""
    if not preference.missing_candidates:
        own = preference.incidence
        return Ballot(preference.id, preference.candidates, own, weight, preference.by)
    among = [name not in preference.missing_candidates for name in preference.candidates]
    rest = np.array(preference.incidence, dtype=np.int64)[np.ix_(among, among)]
    names = tuple(n for n in preference.candidates if n not in preference.missing_candidates)
    return Ballot(preference.id, names, tuple(map(tuple, rest.tolist())), weight, preference.by)


@dataclass(frozen=True, slots=True)
class Ballot:
    """One member of an ensemble, as it is given."""

    id: str
    candidates: tuple[str, ...]  # those that it speaks of
    incidence: Table  # ``incidence[i][j] = 1`` when candidate i is better than candidate j
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
) -> ConsensusResult:
    """Find what an ensemble agrees on.

    `candidates`: the study's, which gives the order; those of no ballot are left out.
    `wanted`: the class in which the consensus is sought.
    `limit`: how many optima are listed at most; when omitted, fewer of many candidates.
    `has_ranges`: whether it is sought how far each weight may move.
    `ranking`: all candidates in the order in which tied ones are named; that of `candidates` when
    omitted.
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
        relations, weights, wanted, limit=limit, coding=coding, most_work=MOST_WORK
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
    table = tuple(map(tuple, incidence.astype(np.int_).tolist()))
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
        incidence[np.ix_(at, at)] = flags(ballot.incidence)
    return found


def flags(incidence: Table) -> Incidence:
    """Return an incidence as an array; by bytes, as numpy takes ten times as long for tuples."""
    one = np.frombuffer(b"".join(map(bytes, incidence)), dtype=np.uint8)
    return one.reshape(len(incidence), len(incidence)).astype(np.bool_)


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
    support = np.tensordot(ensemble.weights, ensemble.incidences.astype(np.float64), axes=1)
    winner = votes.condorcet_winner
    return Majorities(
        support=tuple(tuple(row) for row in support.tolist()),
        condorcet_winner=None if winner is None else ensemble.candidates[winner],
        smith_set=ensemble.names(votes.smith_set),
        has_cycle=bool(closure(votes.majority).diagonal().any()),
        reversals=ensemble.pairs(_true(found.agreed & votes.majority.T)),
    )
