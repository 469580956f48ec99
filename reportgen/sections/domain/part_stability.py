"""Whether the parts of a domain return in subsamples of its data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.domain.across_result import LEAST_STRUCTURE, Subdomains
from reportgen.sections.domain.result import Distances
from reportgen.sections.domain.subdomains import DATASETS_A_PART, choose_cut
from reportgen.stats.relations.clustering import complete_linkage
from reportgen.stats.subsamples import N_SUBSAMPLES, Recurrence, subsample, subsample_size

LEAST_JACCARD = 0.75  # of a part and the most alike cluster, from which it returns (Hennig 2007)
FEWEST = 2 * DATASETS_A_PART  # data sets in a subsample: fewer make no two parts of usual size


def with_recurrence(
    found: Subdomains | None, apart: Distances | None, rng: Generator
) -> Subdomains | None:
    """Say how often the parts return in subsamples of the data sets.

    Parameters
    ----------
    found : Subdomains or None
    apart : Distances or None
        Of all data sets.
    rng : Generator
    """
    if found is None or apart is None or subsample_size(len(apart.datasets)) < FEWEST:
        return found
    place = {name: i for i, name in enumerate(apart.datasets)}
    parts = [[place[d] for d in part.datasets] for part in found.parts]
    recurrence, shares = returning(np.array(apart.matrix, dtype=np.int64), parts, rng)
    named = zip(found.parts, shares, strict=True)
    parts_named = tuple(replace(part, returns=x) for part, x in named)
    return replace(found, parts=parts_named, recurrence=recurrence)


def returning(
    matrix: NDArray[np.int64], parts: Sequence[Sequence[int]], rng: Generator
) -> tuple[Recurrence, list[float | None]]:
    """Count the subsamples of the objects in which parts return.

    Parameters
    ----------
    matrix : ndarray of shape (M, M)
        Distances.
    parts : sequence of sequences of int
        From a cut of their complete linkage.
    rng : Generator

    Returns
    -------
    Recurrence
        Of all parts together: there are members of two or more, and each that has some returns.
    list of float or None
        By part, the share of the subsamples with members of it in which it returns; None where
        there is no such subsample.

    Notes
    -----
    Each subsample is clustered and cut as all objects were, where its parts are told apart best. A
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
    for own in rng.spawn(N_SUBSAMPLES):
        drawn = subsample(n, own)
        clusters = _clusters(matrix[np.ix_(drawn, drawn)])
        known = [{k for k, i in enumerate(drawn.tolist()) if i in set(part)} for part in parts]
        is_there = np.array([bool(members) for members in known])
        is_back = np.array([_returns(members, clusters) for members in known])
        returns += is_back
        counts += is_there
        n_whole += bool(is_there.sum() > 1 and (is_back == is_there).all())
    shares = [x / m if m else None for x, m in zip(returns.tolist(), counts.tolist(), strict=True)]
    return Recurrence(n_whole / N_SUBSAMPLES, N_SUBSAMPLES, subsample_size(n), n), shares


def _clusters(matrix: NDArray[np.int64]) -> list[set[int]]:
    """Cluster objects and cut them into parts; none where these have no structure."""
    found = choose_cut(complete_linkage(matrix), matrix)
    if found is None or found.silhouette <= LEAST_STRUCTURE:
        return []
    return [set(part) for part in found.parts]


def _returns(members: set[int], clusters: Sequence[set[int]]) -> bool:
    """Say whether one of the clusters is nearly that of the members."""
    if not members:
        return False
    return any(len(members & c) / len(members | c) >= LEAST_JACCARD for c in clusters)
