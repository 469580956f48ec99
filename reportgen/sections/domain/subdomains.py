"""Where a domain splits, and how much of its consensus rests on single data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.consensus.ensemble import Ballot, find_consensus
from reportgen.sections.consensus.result import ConsensusResult
from reportgen.sections.domain.across_result import (
    Returning,
    Stability,
    Subdomain,
    Subdomains,
)
from reportgen.sections.domain.options import Options
from reportgen.stats.consensus import consensus
from reportgen.stats.relations.clustering import Clustering, cut, silhouette

Flags = NDArray[np.bool_]

FEWEST = 4  # data sets from which there are parts, and resamples
MOST_PARTS, DATASETS_A_PART = 8, 3  # at most; on average at least, but for two parts
PART_OPTIMA = 25  # of a part's consensus that are listed
N_RESAMPLES = 200  # standard error of a share at most .035
LARGEST = 12  # candidates up to which the data sets are resampled
MOST_WORK, MOST_OPTIMA = 300, 10  # of one resample's consensus


def split(
    tree: Clustering | None,
    matrix: Sequence[Sequence[int]],
    members: Mapping[str, Ballot],
    candidates: Sequence[str],
    options: Options,
    ranking: Sequence[str],
) -> Subdomains | None:
    """Cut the tree where its parts are told apart best, and find what each part agrees on.

    Parameters
    ----------
    tree : Clustering or None
        Of the members.
    matrix : sequence of sequences of int
        Their distances.
    members : mapping of str to Ballot
    candidates : sequence of str
    options : Options
    ranking : sequence of str
        All candidates in the order in which tied ones are named.

    Returns
    -------
    Subdomains or None
        None with fewer than four data sets, or where all relations are one.
    """
    n = len(members)
    chosen = choose_cut(tree, np.array(matrix)) if tree and n >= FEWEST else None
    if tree is None or chosen is None:
        return None
    names = list(members)
    parts = tuple(
        Subdomain(
            tuple(names[i] for i in part),
            _consensus([members[names[i]] for i in part], candidates, options, ranking),
        )
        for part in chosen.parts
    )
    return Subdomains(tree.heights[n - 1 - len(parts)], chosen.silhouette, most_parts(tree), parts)


@dataclass(frozen=True, slots=True)
class Cut:
    """Clusters of objects by number, and their average silhouette width."""

    parts: tuple[tuple[int, ...], ...]
    silhouette: float


def most_parts(tree: Clustering) -> int:
    """Return into how many parts a tree is cut at most."""
    distinct = 1 + sum(height > 0 for height in tree.heights)
    return min(MOST_PARTS, max(2, (1 + len(tree.heights)) // DATASETS_A_PART), distinct)


def choose_cut(tree: Clustering, distances: NDArray[np.int64]) -> Cut | None:
    """Cut a tree where its parts are told apart best; None where all objects are alike."""
    cuts = [cut(tree, g) for g in range(2, most_parts(tree) + 1)]
    found = [Cut(parts, silhouette(distances, parts)) for parts in cuts]
    return max(found, key=lambda c: (round(c.silhouette, 12), -len(c.parts)), default=None)


def _consensus(
    ballots: Sequence[Ballot],
    candidates: Sequence[str],
    options: Options,
    ranking: Sequence[str],
) -> ConsensusResult:
    return find_consensus(
        ballots,
        candidates,
        options.order_class,
        coding=options.coding,
        limit=min(options.limit or PART_OPTIMA, PART_OPTIMA),
        has_ranges=False,
        ranking=ranking,
    )


def resample(
    ballots: Sequence[Ballot], found: ConsensusResult, options: Options, rng: Generator
) -> Stability | None:
    """Find the consensus of resampled data sets, and count what returns.

    Parameters
    ----------
    ballots : sequence of Ballot
        One a data set.
    found : ConsensusResult
        Of all of them.
    options : Options
    rng : Generator

    Returns
    -------
    Stability or None
        None with few data sets, or with so many candidates that it would take
        long.
    """
    names, n = found.candidates, len(ballots)
    if n < FEWEST or not 2 <= len(names) <= LARGEST or not found.relations:
        return None
    relations, index = np.unique(_incidences(ballots, names), axis=0, return_inverse=True)
    before, first, unsettled = np.zeros((len(names),) * 2), np.zeros(len(names)), 0
    met: dict[bytes, tuple[Flags, bool]] = {}
    for _ in range(N_RESAMPLES):
        drawn = index.ravel()[rng.integers(n, size=n)]
        weights = np.bincount(drawn, minlength=len(relations)).astype(np.float64)
        if weights.tobytes() not in met:
            known = weights > 0
            met[weights.tobytes()] = _agreed(relations[known], weights[known], options)
        agreed, is_settled = met[weights.tobytes()]
        before += agreed
        first += ~agreed.any(axis=0)
        unsettled += not is_settled
    pairs = _returning(before / N_RESAMPLES, found)
    share = dict(zip(names, (first / N_RESAMPLES).tolist(), strict=True))
    return Stability(N_RESAMPLES, pairs, share, unsettled)


def _incidences(ballots: Sequence[Ballot], names: Sequence[str]) -> Flags:
    """Bring all relations to the same candidates."""
    place = {name: k for k, name in enumerate(names)}
    incidences = np.zeros((len(ballots), len(names), len(names)), dtype=np.bool_)
    for incidence, ballot in zip(incidences, ballots, strict=True):
        at = [place[name] for name in ballot.candidates]
        incidence[np.ix_(at, at)] = np.array(ballot.incidence, dtype=np.bool_)
    return incidences


def _agreed(relations: Flags, weights: NDArray[np.float64], options: Options) -> tuple[Flags, bool]:
    """Return what all optima of weighted relations agree on, as far as that is proven."""
    found = consensus(
        relations,
        weights,
        options.order_class,
        limit=MOST_OPTIMA,
        coding=options.coding,
        most_work=MOST_WORK,
    )
    return found.agreed, found.is_proven


def _returning(before: NDArray[np.float64], found: ConsensusResult) -> tuple[Returning, ...]:
    """Return every pair as the consensus has it, the least stable first."""
    names, agreed = found.candidates, set(found.agreed)
    pairs = []
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            one, other = ((i, a), (j, b)) if (a, b) in agreed else ((j, b), (i, a))
            x, y = float(before[one[0], other[0]]), float(before[other[0], one[0]])
            is_ordered = (one[1], other[1]) in agreed
            pairs.append(Returning(one[1], other[1], is_ordered, x, max(0.0, 1 - x - y), y))
    return tuple(sorted(pairs, key=lambda p: p.returns))
