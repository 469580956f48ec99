"""Voting rules: Borda, Condorcet, Copeland and hierarchical orders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.consensus_relations.nearest import checked_weights
from reportgen.stats.relations.relations import Incidence, as_relation, closure

TOLERANCE = 1e-9  # of the sum of all weights: criteria that differ by less are equal


@dataclass(frozen=True, slots=True)
class Votes:
    """The orders of an ensemble by simple rules."""

    # (K,); weighted mean over the members of the share of the other candidates that one is better
    # than; ties count half
    borda: Array
    # (K,); number of candidates that one has a majority against, less those that have one against
    # it
    copeland: NDArray[np.int64]
    # (K, K); who is preferred to whom by more weight than the other way round. It may have cycles.
    majority: Incidence
    condorcet_winner: int | None  # the candidate with a majority against every other
    smith_set: tuple[int, ...]  # the smallest set whose members have a majority against all others


def vote(incidences: NDArray[np.bool_], weights: Array | None = None) -> Votes:
    """Count an ensemble by Borda's, Copeland's and Condorcet's rule.

    `incidences`: (M, K, K); strict relations; ``incidences[m, i, j]`` is true when i is better.
    `weights`: (M,); not negative, not all zero; equal when omitted.

    References
    ----------
    .. [1] J. H. Smith (1973), "Aggregation of preferences with variable
       electorate", Econometrica 41.

    Examples
    --------
    >>> abc = np.triu(np.ones((3, 3), dtype=bool), k=1)
    >>> votes = vote(np.stack([abc, abc]))
    >>> votes.borda.tolist(), votes.condorcet_winner, votes.copeland.tolist()
    ([1.0, 0.5, 0.0], 0, [2, 0, -2])
    """
    weights = checked_weights(incidences, weights)
    share = np.tensordot(weights / weights.sum(), incidences.astype(np.float64), axes=1)
    n = len(share)
    others = max(1, n - 1)
    borda = (share.sum(axis=1) - share.sum(axis=0) + n - 1) / (2 * others)
    majority = np.asarray(share - share.T > TOLERANCE)
    beats_all = np.flatnonzero(majority.sum(axis=1) == n - 1)
    return Votes(
        borda,
        (majority.sum(axis=1) - majority.sum(axis=0)).astype(np.int64),
        majority,
        int(beats_all[0]) if len(beats_all) else None,
        _smith_set(majority),
    )


def _smith_set(majority: Incidence) -> tuple[int, ...]:
    """Return those that reach all others by not being beaten."""
    not_beaten = ~majority.T
    np.fill_diagonal(not_beaten, True)
    return tuple(np.flatnonzero(closure(not_beaten).all(axis=1)).tolist())


def hierarchical(incidences: Sequence[Incidence]) -> Incidence:
    """Break the ties of the first relation by the second, what is left by the third, and so on.

    References
    ----------
    .. [1] M. J. A. Eugster, T. Hothorn and F. Leisch (2008), Exploratory and
       inferential analysis of benchmark experiments, section 3.3.

    Examples
    --------
    >>> first = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> second = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0]], dtype=bool)
    >>> hierarchical([first, second]).astype(int)
    array([[0, 0, 1],
           [1, 0, 1],
           [0, 0, 0]])
    """
    if not incidences:
        raise ValueError("at least one relation is needed")
    found = as_relation(incidences[0])
    for following in incidences[1:]:
        is_tied = ~(found | found.T)
        found = found | (is_tied & as_relation(following))
    return found
