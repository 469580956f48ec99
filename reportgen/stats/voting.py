"""Beside a consensus: Borda, Condorcet, Copeland, hierarchical orders, and ranges of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.consensus import checked_weights, consensus, criterion
from reportgen.stats.relations import Incidence, OrderClass, as_relation, closure, distance

Array = NDArray[np.float64]

TOLERANCE = 1e-9  # of the sum of all weights: criteria that differ by less are equal
MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class Votes:
    """What simple rules make of an ensemble.

    Attributes
    ----------
    borda : ndarray of shape (K,)
        Weighted mean over the members of the share of the other candidates
        that one is better than; ties count half.
    copeland : ndarray of shape (K,), int
        Number of candidates that one has a majority against, less those that
        have one against it.
    majority : ndarray of shape (K, K), bool
        Who is preferred to whom by more weight than the other way round. It
        may have cycles.
    condorcet_winner : int or None
        The candidate with a majority against every other.
    smith_set : tuple of int
        The smallest set whose members have a majority against all others.
    """

    borda: Array
    copeland: NDArray[np.int64]
    majority: Incidence
    condorcet_winner: int | None
    smith_set: tuple[int, ...]


def vote(incidences: NDArray[np.bool_], weights: Array | None = None) -> Votes:
    """Count an ensemble by Borda's, Copeland's and Condorcet's rule.

    Parameters
    ----------
    incidences : ndarray of shape (M, K, K), bool
        Strict relations; ``incidences[m, i, j]`` is true when i is better.
    weights : ndarray of shape (M,), optional
        Not negative, not all zero; equal when omitted.

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


@dataclass(frozen=True, slots=True)
class WeightRange:
    """The weights of one member for which a consensus stays optimal, the others unchanged.

    Attributes
    ----------
    lower, upper : float
        The interval is closed; upper is infinite where no weight is too large.
    """

    lower: float
    upper: float


def weight_ranges(
    incidences: NDArray[np.bool_],
    weights: Array,
    relation: Incidence,
    order_class: OrderClass,
) -> tuple[WeightRange, ...]:
    """Return for each member how far its weight may move while a relation stays optimal.

    The criterion of a relation is linear in a weight, so the least criterion is
    concave and piecewise linear, and a relation is optimal on an interval. Its
    ends are found by going from the outside to where the relation that is
    optimal there is as near as the one in question.

    Parameters
    ----------
    incidences : ndarray of shape (M, K, K), bool
    weights : ndarray of shape (M,)
    relation : ndarray of shape (K, K), bool
        One of the optima for these weights.
    order_class : str
        As for `consensus`, whose strict coding is meant.

    Raises
    ------
    ValueError
        If the relation is not optimal for the weights as they are.
    """
    least = consensus(incidences, weights, order_class, limit=1).criterion
    if criterion(incidences, relation, weights) > least + TOLERANCE * weights.sum():
        raise ValueError("the relation is not optimal for these weights")
    return tuple(_range(incidences, weights, relation, order_class, m) for m in range(len(weights)))


def _range(
    incidences: NDArray[np.bool_],
    weights: Array,
    relation: Incidence,
    order_class: OrderClass,
    m: int,
) -> WeightRange:
    """Move one weight down to zero and up without end."""
    others = weights.copy()
    others[m] = 0.0
    # beyond this weight the member alone decides among the relations that are nearest to it
    beyond = float(others.sum()) * incidences[m].size + 1.0
    lower = _end(incidences, weights, relation, order_class, m, 0.0)
    upper = _end(incidences, weights, relation, order_class, m, beyond)
    return WeightRange(lower, inf if upper == beyond else upper)


def _end(
    incidences: NDArray[np.bool_],
    weights: Array,
    relation: Incidence,
    order_class: OrderClass,
    m: int,
    start: float,
) -> float:
    """Go from a weight at which another relation may be optimal to where this one is as near."""
    trial = weights.copy()
    trial[m] = start
    own = distance(incidences[m], relation)
    for _ in range(MOST_STEPS):
        if not trial.any():
            return float(trial[m])
        found = consensus(incidences, trial, order_class, limit=1)
        gap = criterion(incidences, relation, trial) - found.criterion
        slope = own - distance(incidences[m], found.relations[0])
        if gap <= TOLERANCE * max(float(trial.sum()), 1.0) or slope == 0:
            return float(trial[m])
        trial[m] -= gap / slope
    raise RuntimeError(f"no end of the range of weight {m} found in {MOST_STEPS} steps")
