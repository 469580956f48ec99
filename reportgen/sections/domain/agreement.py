"""All roads to an order over the domain side by side: where they differ, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from reportgen.sections.consensus.result import ConsensusResult
from reportgen.sections.domain.across_result import (
    AcrossPair,
    AcrossRanks,
    Agreement,
    Disagreement,
    Groups,
    Reason,
    Road,
    RoadOrder,
)
from reportgen.sections.domain.basis import STRUCTURES
from reportgen.sections.domain.result import DomainFit
from reportgen.stats.relations import chain, unbeaten

Better = frozenset[tuple[str, str]]

SURE = 0.95  # posterior probability from which a candidate is put before another


def compare_roads(
    across: AcrossRanks,
    consensus: ConsensusResult | None,
    fits: Mapping[str, DomainFit],
    deciding: str,
) -> Agreement | None:
    """Hold the orders of all roads on one measure against each other.

    Parameters
    ----------
    across : AcrossRanks
    consensus : ConsensusResult or None
    fits : mapping of str to DomainFit
        By structure.
    deciding : str
        The structure whose pairs make the decision.

    Returns
    -------
    Agreement or None
        None where there is only one road.
    """
    names = _names(across, fits, deciding)
    found: dict[Road, Better] = {}
    if across.means:
        found["means"] = _by_means(across.means)
    if across.mean_ranks:
        found["mean-ranks"] = _by_ranks(across.mean_ranks)
    if consensus is not None and consensus.relations:
        found["consensus"] = frozenset(consensus.agreed)
    for structure in STRUCTURES:
        if structure in fits:
            found[structure] = _by_pairs(fits[structure])
    if across.pairs:
        found["signed-ranks"] = _by_tests(across.pairs)
        if any(p.posterior for p in across.pairs) and len(across.pairs) == _n_pairs(names):
            found["bayesian"] = _by_posteriors(across.pairs)
    if len(found) < 2:
        return None
    differ = _disagreements(found, names, {frozenset((p.first, p.second)): p for p in across.pairs})
    roads = tuple(_road(road, better, names) for road, better in found.items())
    return Agreement(roads, _n_pairs(names), differ)


def _names(across: AcrossRanks, fits: Mapping[str, DomainFit], deciding: str) -> tuple[str, ...]:
    """Return the candidates, best mean first, else best rank."""
    return fits[deciding].order if deciding in fits else across.order


def _n_pairs(names: Sequence[str]) -> int:
    return len(names) * (len(names) - 1) // 2


def _by_means(means: Mapping[str, float]) -> Better:
    """Put each candidate before those with another mean that come after it, best first."""
    names = list(means)
    return frozenset((a, b) for a, b in combinations(names, 2) if means[a] != means[b])


def _by_ranks(ranks: Mapping[str, float]) -> Better:
    return frozenset((a, b) for a in ranks for b in ranks if ranks[a] < ranks[b])


def _by_pairs(fit: DomainFit) -> Better:
    return frozenset(
        (p.favoured, p.second if p.favoured == p.first else p.first)
        for p in fit.pairs
        if p.favoured
    )


def _by_tests(pairs: Sequence[AcrossPair]) -> Better:
    return frozenset(
        (p.favoured, p.second if p.favoured == p.first else p.first) for p in pairs if p.favoured
    )


def _by_posteriors(pairs: Sequence[AcrossPair]) -> Better:
    known = [(p, p.posterior) for p in pairs if p.posterior]
    return frozenset(
        [(p.first, p.second) for p, x in known if x.better >= SURE]
        + [(p.second, p.first) for p, x in known if x.worse >= SURE]
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
    pairs: Mapping[frozenset[str], AcrossPair],
) -> tuple[Disagreement, ...]:
    """Return the pairs on which not all roads say the same, with the first reason that holds."""
    differ = []
    for a, b in combinations(names, 2):
        before = tuple(road for road, better in found.items() if (a, b) in better)
        after = tuple(road for road, better in found.items() if (b, a) in better)
        level = tuple(road for road in found if road not in (*before, *after))
        if sum(map(bool, (before, after, level))) > 1:
            wins, losses = _counts(pairs.get(frozenset((a, b))), a)
            reason = _reason(found, (a, b), is_outvoted=losses > wins)
            differ.append(Disagreement(a, b, wins, losses, before, after, level, reason))
    return tuple(differ)


def _counts(pair: AcrossPair | None, first: str) -> tuple[int, int]:
    """Return on how many data sets a candidate is better, and worse, than the other."""
    if pair is None:
        return 0, 0
    return (pair.wins, pair.losses) if pair.first == first else (pair.losses, pair.wins)


def _reason(found: Mapping[Road, Better], pair: tuple[str, str], *, is_outvoted: bool) -> Reason:
    if is_outvoted:
        return "size-against-count"
    if _differ(found, ("interaction", "unstructured"), pair):
        return "own-variance"
    if _differ(found, ("signed-ranks", "interaction"), pair):
        return "ranks-against-means"
    return "not-tested"


def _differ(found: Mapping[Road, Better], roads: tuple[Road, Road], pair: tuple[str, str]) -> bool:
    """Whether two roads that are both there say different things of a pair."""
    if any(road not in found for road in roads):
        return False
    one, other = (({pair, pair[::-1]} & found[road]) for road in roads)
    return one != other
