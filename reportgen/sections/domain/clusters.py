"""Distances of the data sets' relations, their tree, and the parts of the domain.

The influence of single data sets on the consensus, and the stability of the parts in subsamples
of the data sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.sections.consensus.analysis import (
    Ballot,
    ConsensusResult,
    find_consensus,
    incidences_of,
)
from reportgen.sections.domain import Options
from reportgen.sections.domain.result import (
    LEAST_STRUCTURE,
    MOST_CLUSTERED,
    BootstrapSupport,
    Distances,
    PairSupport,
    Subdomain,
    Subdomains,
)
from reportgen.sections.preferences.analysis import Preference
from reportgen.stats.arrays import Flags
from reportgen.stats.consensus_relations.nearest import nearest_relations
from reportgen.stats.relations.clustering import (
    Clustering,
    complete_linkage,
    cut,
    distances,
    silhouette,
)
from reportgen.stats.relations.relations import as_incidence
from reportgen.stats.subsamples import (
    N_OF_LARGE,
    N_SUBSAMPLES,
    SubsampleSupport,
    subsample,
    subsample_size,
)
from reportgen.stats.verdict import Groups

MOST_LISTED = 1_000  # data sets whose distances a result lists, of which there are their square


def cluster(
    measure: str, members: Mapping[str, Preference], candidates: Sequence[str]
) -> tuple[Distances | None, Clustering | None]:
    """Compute the distances of the data sets' relations, and cluster them.

    Result: None of one relation, and of more than `MOST_CLUSTERED`.
    """
    if not 2 <= len(members) <= MOST_CLUSTERED:
        return None, None
    incidences = np.stack([as_incidence(r.incidence) for r in members.values()])
    matrix, names = distances(incidences), tuple(members)
    first, second = np.triu_indices(len(names), k=1)
    apart = matrix[first, second]
    near, far = int(apart.argmin()), int(apart.argmax())
    found = Distances(
        measure=measure,
        relation=members[names[0]].id,
        datasets=names,
        matrix=tuple(map(tuple, matrix.tolist())) if len(names) <= MOST_LISTED else (),
        largest=len(candidates) * (len(candidates) - 1),
        smallest=int(apart.min()),
        greatest=int(apart.max()),
        closest=(names[first[near]], names[second[near]]),
        farthest=(names[first[far]], names[second[far]]),
        n_same=int((apart == 0).sum()),
        mean=float(apart.mean()),
        between=matrix,
    )
    return found, complete_linkage(matrix)


def branches(apart: Distances | None, tree: Clustering | None) -> Groups:
    """Return the clusters that the last step joins."""
    if apart is None or tree is None or not tree.heights[-1]:
        return ()
    return tuple(tuple(apart.datasets[leaf] for leaf in branch) for branch in cut(tree, 2))


def leaf_order(
    datasets: tuple[str, ...], apart: Distances | None, tree: Clustering | None
) -> tuple[str, ...]:
    """Return the data sets, alike ones side by side, those without a relation last."""
    if apart is None or tree is None:
        return datasets
    ordered = tuple(apart.datasets[leaf] for leaf in tree.leaf_order)
    return (*ordered, *(d for d in datasets if d not in ordered))


FEWEST_DATASETS = 4  # data sets from which there are parts, and resamples
MOST_PARTS, DATASETS_A_PART = 8, 3  # at most; on average at least, but for two parts
PART_OPTIMA = 25  # of a part's consensus that are listed
N_RESAMPLES = 200  # standard error of a share at most .035
LARGEST = 12  # candidates up to which the data sets are resampled
MOST_WORK, MOST_OPTIMA = 300, 10  # of one resample's consensus


def split(
    tree: Clustering | None,
    matrix: NDArray[np.int64] | None,
    members: Mapping[str, Ballot],
    candidates: Sequence[str],
    options: Options,
    ranking: Sequence[str],
) -> Subdomains | None:
    """Cut the tree where its parts are distinguished best, and find what each part agrees on.

    `tree`: of the members.
    `matrix`: their distances.
    `ranking`: all candidates in the order in which tied ones are named.
    Result: None with fewer than four data sets, or where all relations are one.
    """
    n = len(members)
    if tree is None or matrix is None or n < FEWEST_DATASETS:
        return None
    chosen = choose_cut(tree, matrix)
    if chosen is None:
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
    """Cut a tree where its parts are distinguished best; None where all objects are alike."""
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
) -> BootstrapSupport | None:
    """Find the consensus of resampled data sets, and count what returns.

    `ballots`: one a data set.
    `found`: of all of them.
    Result: None with few data sets, or with so many candidates that it would take long.
    """
    names, n = found.candidates, len(ballots)
    if n < FEWEST_DATASETS or not 2 <= len(names) <= LARGEST or not found.relations:
        return None
    relations, index = np.unique(incidences_of(ballots, names), axis=0, return_inverse=True)
    before, first, unsettled = np.zeros((len(names),) * 2), np.zeros(len(names)), 0
    met: dict[bytes, tuple[Flags, bool]] = {}
    for _ in range(N_RESAMPLES):
        drawn = index.ravel()[rng.integers(n, size=n)]
        weights = np.bincount(drawn, minlength=len(relations)).astype(np.float64)
        if weights.tobytes() not in met:
            known = weights > 0
            met[weights.tobytes()] = _agree_on(relations[known], weights[known], options)
        agreed, is_settled = met[weights.tobytes()]
        before += agreed
        first += ~agreed.any(axis=0)
        unsettled += not is_settled
    pairs = _returning(before / N_RESAMPLES, found)
    share = dict(zip(names, (first / N_RESAMPLES).tolist(), strict=True))
    return BootstrapSupport(N_RESAMPLES, pairs, share, unsettled)


def _agree_on(
    relations: Flags, weights: NDArray[np.float64], options: Options
) -> tuple[Flags, bool]:
    """Return what all optima of weighted relations provably agree on."""
    found = nearest_relations(
        relations,
        weights,
        options.order_class,
        limit=MOST_OPTIMA,
        coding=options.coding,
        most_work=MOST_WORK,
    )
    return found.agreed, found.is_proven


def _returning(before: NDArray[np.float64], found: ConsensusResult) -> tuple[PairSupport, ...]:
    """Return every pair as the consensus has it, the least stable first."""
    names, agreed = found.candidates, set(found.agreed)
    pairs = []
    for i, a in enumerate(names):
        for j, b in enumerate(names[:i]):
            one, other = ((i, a), (j, b)) if (a, b) in agreed else ((j, b), (i, a))
            x, y = float(before[one[0], other[0]]), float(before[other[0], one[0]])
            is_ordered = (one[1], other[1]) in agreed
            pairs.append(PairSupport(one[1], other[1], is_ordered, x, max(0.0, 1 - x - y), y))
    return tuple(sorted(pairs, key=lambda p: p.returns))


MOST_OFTEN = 200  # data sets of which there are 200 subsamples; of more there are fewer
LEAST_JACCARD = 0.75  # of a part and the most alike cluster, from which it returns (Hennig 2007)
FEWEST_IN_SUBSAMPLE = (
    2 * DATASETS_A_PART
)  # data sets in a subsample: fewer make no two parts of usual size


def with_recurrence(
    found: Subdomains | None, apart: Distances | None, rng: Generator
) -> Subdomains | None:
    """Count how often the parts return in subsamples of the data sets.

    `apart`: of all data sets.
    """
    if found is None or apart is None or subsample_size(len(apart.datasets)) < FEWEST_IN_SUBSAMPLE:
        return found
    place = {name: i for i, name in enumerate(apart.datasets)}
    parts = [[place[d] for d in part.datasets] for part in found.parts]
    recurrence, shares = returning(apart.between, parts, rng)
    named = zip(found.parts, shares, strict=True)
    parts_named = tuple(replace(part, returns=x) for part, x in named)
    return replace(found, parts=parts_named, recurrence=recurrence)


def returning(
    matrix: NDArray[np.int64], parts: Sequence[Sequence[int]], rng: Generator
) -> tuple[SubsampleSupport, list[float | None]]:
    """Count the subsamples of the objects in which parts return.

    `matrix`: (M, M); distances.
    `parts`: from a cut of their complete linkage.
    Result: of all parts together: there are members of two or more, and each that has some returns;
    by part, the share of the subsamples with members of it in which it returns; None where there is
    no such subsample.

    Notes
    -----
    Each subsample is clustered and cut as all objects were, where its parts are most distinct. A
    part returns when the cut has a structure, and the Jaccard coefficient of its members and the
    most alike cluster is at least `LEAST_JACCARD` [1]_. To cut into as many parts as before
    instead would let parts of noise return.

    References
    ----------
    .. [1] C. Hennig (2007), "Cluster-wise assessment of cluster stability",
       Computational Statistics & Data Analysis 52.
    """
    n, n_whole = len(matrix), 0
    returns, counts = np.zeros(len(parts)), np.zeros(len(parts))
    wholes = [set(part) for part in parts]
    n_samples = N_OF_LARGE if n > MOST_OFTEN else N_SUBSAMPLES
    for own in rng.spawn(n_samples):
        drawn = subsample(n, own)
        clusters = _clusters(matrix[np.ix_(drawn, drawn)])
        known = [{k for k, i in enumerate(drawn.tolist()) if i in whole} for whole in wholes]
        is_there = np.array([bool(members) for members in known])
        is_back = np.array([_returns(members, clusters) for members in known])
        returns += is_back
        counts += is_there
        n_whole += bool(is_there.sum() > 1 and (is_back == is_there).all())
    shares = [x / m if m else None for x, m in zip(returns.tolist(), counts.tolist(), strict=True)]
    return SubsampleSupport(n_whole / n_samples, n_samples, subsample_size(n), n), shares


def _clusters(matrix: NDArray[np.int64]) -> list[set[int]]:
    """Cluster objects and cut them into parts; none where these have no structure."""
    found = choose_cut(complete_linkage(matrix), matrix)
    if found is None or found.silhouette <= LEAST_STRUCTURE:
        return []
    return [set(part) for part in found.parts]


def _returns(members: set[int], clusters: Sequence[set[int]]) -> bool:
    """Return whether one of the clusters is nearly that of the members."""
    if not members:
        return False
    return any(len(members & c) / len(members | c) >= LEAST_JACCARD for c in clusters)
