"""All roads to an order over the domain side by side: where they differ, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from reportgen.sections.consensus.result import ConsensusResult
from reportgen.sections.domain.across_result import (
    AcrossRanks,
    Agreement,
    Disagreement,
    Reason,
    Road,
    RoadOrder,
)
from reportgen.sections.domain.basis import STRUCTURES, Groups
from reportgen.sections.domain.result import DomainFit, DomainVerdict
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.relations.relations import chain, unbeaten

Better = frozenset[tuple[str, str]]

SURE = 0.95  # posterior probability from which a candidate is put before another


def compare_roads(
    across: AcrossRanks,
    consensus: ConsensusResult | None,
    fits: Mapping[str, DomainFit],
    verdict: DomainVerdict | None,
) -> Agreement | None:
    """Hold the orders of all roads on one measure against each other.

    Parameters
    ----------
    across : AcrossRanks
    consensus : ConsensusResult or None
    fits : mapping of str to DomainFit
        By structure.
    verdict : DomainVerdict or None

    Returns
    -------
    Agreement or None
        None where there is only one road.
    """
    names = verdict.order if verdict else across.order
    found: dict[Road, Better] = {}
    if across.means:
        found["means"] = _by_means(across.means)
    if across.mean_ranks:
        found["mean-ranks"] = _by_ranks(across.mean_ranks)
    if consensus is not None and consensus.relations:
        found["consensus"] = frozenset(consensus.agreed)
    if verdict is not None and verdict.is_own:
        found["own-variance"] = _by_pairs(verdict.pairs)
    for structure in STRUCTURES:
        if structure in fits:
            found[structure] = _by_pairs(fits[structure].pairs)
    if across.pairs is not None:
        found["signed-ranks"] = _by_pairs(across.pairs)
        if across.has_all_posteriors and len(across.pairs) == _n_pairs(names):
            found["bayesian"] = _by_posteriors(across.pairs)
    if len(found) < 2:
        return None
    deciding: Road = verdict.method if verdict else "own-variance"
    counted = {frozenset((p.first, p.second)): p for p in across.pairs or ()}
    differ = _disagreements(found, names, counted, deciding)
    roads = tuple(_road(road, better, names) for road, better in found.items())
    return Agreement(roads, _n_pairs(names), differ)


def _n_pairs(names: Sequence[str]) -> int:
    return len(names) * (len(names) - 1) // 2


def _by_means(means: Mapping[str, float]) -> Better:
    """Put each candidate before those with another mean that come after it, best first."""
    names = list(means)
    return frozenset((a, b) for a, b in combinations(names, 2) if means[a] != means[b])


def _by_ranks(ranks: Mapping[str, float]) -> Better:
    return frozenset((a, b) for a in ranks for b in ranks if ranks[a] < ranks[b])


def _by_pairs(pairs: PairTable) -> Better:
    better = pairs.direction
    names = pairs.candidates
    both = zip(pairs.first.tolist(), pairs.second.tolist(), better.tolist(), strict=True)
    return frozenset(
        (names[i], names[j]) if way > 0 else (names[j], names[i]) for i, j, way in both if way
    )


def _by_posteriors(pairs: PairTable) -> Better:
    better, worse = pairs.further["posterior_better"], pairs.further["posterior_worse"]
    names = pairs.candidates
    rows = zip(pairs.first, pairs.second, better, worse, strict=True)
    return frozenset(
        (names[i], names[j]) if yes >= SURE else (names[j], names[i])
        for i, j, yes, no in rows
        if max(yes, no) >= SURE
    )


def _road(road: Road, better: Better, names: tuple[str, ...]) -> RoadOrder:
    place = {name: k for k, name in enumerate(names)}
    incidence = np.zeros((len(names), len(names)), dtype=np.bool_)
    for a, b in better:
        if a in place and b in place:
            incidence[place[a], place[b]] = True
    classes = chain(incidence)
    groups: Groups | None = None
    if classes is not None:
        groups = tuple(tuple(names[k] for k in sorted(group)) for group in classes)
    return RoadOrder(
        road=road,
        order=groups,
        best=tuple(names[k] for k in sorted(unbeaten(incidence))),
        better=tuple(sorted(better, key=lambda p: tuple(place.get(n, len(names)) for n in p))),
    )


def _disagreements(
    found: Mapping[Road, Better],
    names: tuple[str, ...],
    pairs: Mapping[frozenset[str], Pair],
    deciding: Road,
) -> tuple[Disagreement, ...]:
    """Return the pairs on which not all roads say the same, with the first reason that holds."""
    differ = []
    for a, b in combinations(names, 2):
        before = tuple(road for road, better in found.items() if (a, b) in better)
        after = tuple(road for road, better in found.items() if (b, a) in better)
        level = tuple(road for road in found if road not in (*before, *after))
        if sum(map(bool, (before, after, level))) > 1:
            wins, losses = _counts(pairs.get(frozenset((a, b))), a)
            reason = _reason(found, (a, b), deciding, is_outvoted=losses > wins)
            differ.append(Disagreement(a, b, wins, losses, before, after, level, reason))
    return tuple(differ)


def _counts(pair: Pair | None, first: str) -> tuple[int, int]:
    """Return on how many data sets a candidate is better, and worse, than the other."""
    if pair is None:
        return 0, 0
    return (pair.wins, pair.losses) if pair.first == first else (pair.losses, pair.wins)


def _reason(
    found: Mapping[Road, Better], pair: tuple[str, str], deciding: Road, *, is_outvoted: bool
) -> Reason:
    if is_outvoted:
        return "size-against-count"
    variances: tuple[Road, ...] = ("own-variance", *STRUCTURES)
    said = {_said(found[road], pair) for road in variances if road in found}
    if len(said) > 1:
        return "own-variance"
    both = [_said(found[road], pair) for road in (deciding, "signed-ranks") if road in found]
    if len(set(both)) > 1:
        return "ranks-against-means"
    return "not-tested"


def _said(better: Better, pair: tuple[str, str]) -> frozenset[tuple[str, str]]:
    """Return which of the two a method puts before the other."""
    return better & {pair, pair[::-1]}
