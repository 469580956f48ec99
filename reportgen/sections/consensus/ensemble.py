"""From an ensemble of relations to its consensus: what any section calls that has relations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
from reportgen.stats.consensus import Coding, Consensus, consensus
from reportgen.stats.hasse import hasse
from reportgen.stats.relations import (
    Incidence,
    OrderClass,
    chain,
    closure,
    distance,
    order_class,
    unbeaten,
)
from reportgen.stats.voting import Votes, WeightRange, hierarchical, vote, weight_ranges

MOST_WORK = 10_000
"""What may be done to find one consensus: ten seconds or so."""
LARGEST_RANGES = 10_000
"""Members times squared candidates up to which ranges of weights are sought."""
EQUAL = 9
"""Decimals up to which Borda's points are told apart."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """One member of an ensemble, as it is given.

    Attributes
    ----------
    id : str
    candidates : tuple of str
        Those that it speaks of.
    incidence : tuple of tuples of int
        ``incidence[i][j] = 1`` when candidate i is better than candidate j.
    weight : float
        Not negative.
    """

    id: str
    candidates: tuple[str, ...]
    incidence: Table
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class _Ensemble:
    """Ballots over the same candidates."""

    candidates: tuple[str, ...]
    incidences: NDArray[np.bool_]
    weights: NDArray[np.float64]

    def names(self, indices: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.candidates[k] for k in indices)

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
    limit: int = 1000,
    has_ranges: bool = True,
) -> ConsensusResult:
    """Find what an ensemble agrees on.

    Parameters
    ----------
    ballots : sequence of Ballot
    candidates : sequence of str
        The study's, which gives the order; those of no ballot are left out.
    wanted : {"linear", "weak", "semiorder", "interval", "partial"}
        The class in which the consensus is sought.
    coding : {"strict", "relations"}
    limit : int
        How many optima are listed at most.
    has_ranges : bool, default True
        Whether it is sought how far each weight may move, which takes longer
        than all the rest.

    Returns
    -------
    ConsensusResult
        Its `unavailable` says so where there is no ballot, or none with a
        weight.
    """
    if not any(ballot.weight > 0 for ballot in ballots):
        return ConsensusResult(wanted, coding, limit, "no-weight" if ballots else "no-relations")
    ensemble = _ensemble(ballots, candidates)
    found = consensus(
        ensemble.incidences,
        ensemble.weights,
        wanted,
        limit=limit,
        coding=coding,
        most_work=MOST_WORK,
    )
    found = replace(found, relations=_most_even_first(found.relations, ensemble))
    votes = vote(ensemble.incidences, ensemble.weights)
    orders = tuple(lay_out(relation, ensemble.candidates) for relation in found.relations)
    return ConsensusResult(
        order_class=wanted,
        coding=coding,
        limit=limit,
        candidates=ensemble.candidates,
        members=_members(ballots, ensemble, found, coding if has_ranges else None),
        criterion=found.criterion,
        lower_bound=found.lower_bound,
        is_proven=found.is_proven,
        n_optimal=found.n_optimal,
        has_more=found.has_more,
        relations=orders,
        agreement=lay_out(found.agreed, ensemble.candidates),
        agreed=ensemble.pairs(_true(found.agreed)),
        agreed_ties=ensemble.pairs((i, j) for i, j in _true(found.agreed_ties) if i < j),
        winner=_winner(found, ensemble),
        best=tuple(name for name in ensemble.candidates if all(name in o.best for o in orders)),
        borda=_rule(np.round(votes.borda, EQUAL), votes.borda, found, ensemble),
        copeland=_rule(votes.copeland, votes.copeland, found, ensemble),
        majorities=_majorities(votes, found, ensemble),
        hierarchical=lay_out(
            hierarchical(list(ensemble.incidences[ensemble.weights > 0])), ensemble.candidates
        ),
    )


def lay_out(incidence: Incidence, candidates: Sequence[str]) -> Order:
    """Describe a strict relation by the names of its candidates.

    Parameters
    ----------
    incidence : ndarray of shape (K, K), bool
    candidates : sequence of str
    """
    named = _Ensemble(tuple(candidates), incidence[None], np.ones(1))
    drawn = hasse(incidence)
    return Order(
        chain=named.groups(chain(incidence)),
        incidence=tuple(tuple(int(x) for x in row) for row in incidence),
        order_class=order_class(incidence),
        covers=named.pairs(drawn.covers),
        implied=named.pairs(drawn.implied),
        levels=tuple(named.names(level) for level in drawn.levels),
        best=named.names(unbeaten(incidence)),
    )


def _ensemble(ballots: Sequence[Ballot], candidates: Sequence[str]) -> _Ensemble:
    """Bring all ballots to the same candidates; of those it lacks a ballot says nothing."""
    named = {name for ballot in ballots for name in ballot.candidates}
    union = tuple(name for name in candidates if name in named)
    place = {name: k for k, name in enumerate(union)}
    incidences = np.zeros((len(ballots), len(union), len(union)), dtype=np.bool_)
    for incidence, ballot in zip(incidences, ballots, strict=True):
        at = [place[name] for name in ballot.candidates]
        incidence[np.ix_(at, at)] = np.array(ballot.incidence, dtype=np.bool_)
    return _Ensemble(union, incidences, np.array([b.weight for b in ballots], dtype=np.float64))


def _most_even_first(
    relations: tuple[Incidence, ...], ensemble: _Ensemble
) -> tuple[Incidence, ...]:
    """Put the order first whose largest distance from a member that counts is smallest."""
    members = ensemble.incidences[ensemble.weights > 0]
    return tuple(sorted(relations, key=lambda r: max(distance(m, r) for m in members)))


def _true(matrix: Incidence) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in np.argwhere(matrix)]


def _winner(found: Consensus, ensemble: _Ensemble) -> str | None:
    """Return who is better than all others in all optima."""
    alone = np.flatnonzero(found.agreed.sum(axis=1) == len(ensemble.candidates) - 1)
    return ensemble.candidates[int(alone[0])] if len(alone) else None


def _members(
    ballots: Sequence[Ballot], ensemble: _Ensemble, found: Consensus, coding: Coding | None
) -> tuple[Member, ...]:
    """Say of every ballot how it stands to the consensus; without a coding, but for its range."""
    ranges = _ranges(ensemble, found, coding)
    return tuple(
        Member(
            id=ballot.id,
            weight=ballot.weight,
            distance=distance(incidence, found.relations[0]),
            order_class=order_class(incidence),
            chain=ensemble.groups(chain(incidence)),
            absent=tuple(n for n in ensemble.candidates if n not in ballot.candidates),
            weight_range=None if stays is None else (stays.lower, stays.upper),
        )
        for ballot, incidence, stays in zip(ballots, ensemble.incidences, ranges, strict=True)
    )


def _ranges(
    ensemble: _Ensemble, found: Consensus, coding: Coding | None
) -> Sequence[WeightRange | None]:
    """Seek how far each weight may move, where that is quick."""
    size = ensemble.incidences.size
    if (
        not found.is_proven
        or coding != "strict"
        or size > LARGEST_RANGES
        or len(ensemble.weights) < 2
    ):
        return [None] * len(ensemble.weights)
    return weight_ranges(
        ensemble.incidences, ensemble.weights, found.relations[0], found.order_class
    )


def _rule(
    levels: NDArray[Any], points: NDArray[Any], found: Consensus, ensemble: _Ensemble
) -> Rule:
    """Name what a rule says; `levels` are the points by which candidates tie."""
    better = np.asarray(levels[:, None] > levels[None, :])
    groups = ensemble.groups(chain(better))
    return Rule(
        points=dict(zip(ensemble.candidates, points.tolist(), strict=True)),
        chain=groups or (),
        turned=ensemble.pairs(_true(found.agreed & better.T)),
    )


def _majorities(votes: Votes, found: Consensus, ensemble: _Ensemble) -> Majorities:
    support = np.tensordot(ensemble.weights, ensemble.incidences.astype(np.float64), axes=1)
    winner = votes.condorcet_winner
    return Majorities(
        support=tuple(tuple(row) for row in support.tolist()),
        condorcet_winner=None if winner is None else ensemble.candidates[winner],
        smith_set=ensemble.names(votes.smith_set),
        has_cycle=bool(closure(votes.majority).diagonal().any()),
        turned=ensemble.pairs(_true(found.agreed & votes.majority.T)),
    )
