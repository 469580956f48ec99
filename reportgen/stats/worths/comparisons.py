"""Paired comparisons on every learning sample, and whether worths have finite estimates.

The likelihood of the Bradley-Terry model with ties has no maximum when some direction of the
parameters makes every observed outcome no less likely and one of them more likely: along it the
likelihood grows without end. A linear program finds it. That one
candidate always wins is neither sufficient nor necessary.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

Outcomes = NDArray[np.int8]

AT_ONCE = 2**20  # comparisons at a time: those of many candidates fill the memory
FIRST, TIE, SECOND, MISSING = 1, 0, -1, 2  # codes of an outcome


@lru_cache(maxsize=2)
def pairs(n_candidates: int) -> NDArray[np.intp]:
    """Return the pairs of candidates in the order of every array of this family.

    `n_candidates`: k.
    Result: (K (K - 1), / 2, 2), not to be written to; indices (i, j) with i < j, sorted by i, then
    j.
    """
    found = np.array(np.triu_indices(n_candidates, k=1)).T
    found.flags.writeable = False
    return found


def n_candidates_of(n_pairs: int) -> int:
    """Return K from the number of pairs, K (K - 1) / 2.

    Raises ValueError if no number of candidates has so many pairs.
    """
    n_candidates = (1 + isqrt(1 + 8 * n_pairs)) // 2
    if n_pairs < 1 or n_candidates * (n_candidates - 1) // 2 != n_pairs:
        raise ValueError(f"no number of candidates has {n_pairs} pairs; 1, 3, 6, 10 ... are some")
    return n_candidates


def compare(
    performances: Array, *, smaller_is_better: bool = True, epsilon: float = 0.0
) -> Outcomes:
    """Compare every pair of candidates on every learning sample.

    `performances`: (B, K); one row per learning sample; not a number where one is missing.
    `smaller_is_better`: whether a candidate with the smaller performance is preferred.
    `epsilon`: two performances are a tie when they differ by no more.
    Result: (B, K (K - 1), / 2), int8; 1 where the first candidate of the pair is preferred, -1 the
    second, 0 a tie, 2 where a performance is missing. The pairs are those of `pairs`.
    Raises ValueError if there are fewer than two candidates, or `epsilon` is negative or no number.

    Examples
    --------
    >>> compare(np.array([[0.1, 0.2, 0.1], [0.3, np.nan, 0.2]]))
    array([[ 1,  0, -1],
           [ 2, -1,  2]], dtype=int8)
    """
    if performances.ndim != 2 or performances.shape[1] < 2:
        raise ValueError(f"performances must have shape (B, K >= 2), got {performances.shape}")
    if not epsilon >= 0:
        raise ValueError(f"epsilon must be 0 or more, got {epsilon}")
    first, second = pairs(performances.shape[1]).T
    outcomes = np.empty((len(performances), len(first)), dtype=np.int8)
    at_once = max(1, AT_ONCE // len(first))
    for begin in range(0, len(performances), at_once):
        rows = performances[begin : begin + at_once]
        left, right = rows[:, first], rows[:, second]
        gain = (right > left).astype(np.int8) - (right < left).astype(np.int8)
        with np.errstate(invalid="ignore"):
            gain[np.abs(right - left) <= epsilon] = TIE
        gain = gain if smaller_is_better else -gain
        gain[np.isnan(left) | np.isnan(right)] = MISSING
        outcomes[begin : begin + at_once] = gain
    return outcomes


def complete(outcomes: Outcomes) -> NDArray[np.bool_]:
    """Return which learning samples have an outcome for every pair.

    Result: (B,).
    """
    return np.asarray((outcomes != MISSING).all(axis=1))


def complete_samples(performances: Array) -> NDArray[np.bool_]:
    """Return the learning samples in which no candidate of a data set lacks a value.

    `performances`: (B, K); not a number where one is missing; a candidate without any is none of
    the data set.
    Result: (B,).

    Examples
    --------
    >>> complete_samples(np.array([[0.1, 0.2, np.nan], [0.3, np.nan, np.nan]])).tolist()
    [True, False]
    """
    has_value = np.isfinite(performances)
    own = has_value.any(axis=0)
    return np.asarray(has_value[:, own].all(axis=1) & own.any())


def indicators(outcomes: Outcomes) -> Array:
    """Write outcomes as counts of 0 or 1.

    `outcomes`: (B, P), 8.
    Result: (B, P, 3); first preferred, tie, second preferred; all 0 where the outcome is missing.
    Raises ValueError if a code is not 1, 0, -1 or 2.
    """
    if not np.isin(outcomes, (FIRST, TIE, SECOND, MISSING)).all():
        raise ValueError("outcomes must be 1, 0, -1, or 2 where one is missing")
    n_candidates_of(outcomes.shape[1])
    codes = np.array([FIRST, TIE, SECOND], dtype=np.int8)
    return np.asarray(outcomes[..., None] == codes, dtype=np.float64)


def count(outcomes: Outcomes) -> Array:
    """Count the outcomes of every pair.

    `outcomes`: (B, P), 8.
    Result: (P, 3); first preferred, tie, second preferred.

    Examples
    --------
    >>> count(compare(np.array([[0.1, 0.2], [0.3, 0.3], [0.4, 0.5]])))
    array([[2., 1., 0.]])
    """
    return np.asarray(indicators(outcomes).sum(axis=0))


CLEAR = 1e-7  # an optimum above it is positive: the solver's own tolerance is 1e-7


@dataclass(frozen=True, slots=True)
class Separation:
    """A direction in which the likelihood grows without end.

    Attributes
    ----------
    direction : ndarray of shape (K,)
        What the log worths gain along it, from -1 to 1, of sum 0; 0 for candidates whose
        log worth stays where it is relative to the mean.
    tie_direction : float
        The same for log nu.
    rising, falling : tuple of int
        Candidates whose log worth goes up without end relative to the others, and down.
    """

    direction: Array
    tie_direction: float
    rising: tuple[int, ...]
    falling: tuple[int, ...]


def connected_groups(counts: Array) -> NDArray[np.intp]:
    """Group the candidates that are linked by comparisons.

    `counts`: (P, 3).
    Result: (K,); number of the group of each candidate; worths of different groups cannot be
    compared.
    """
    n_candidates = n_candidates_of(len(counts))
    is_linked = (counts[:, 0] > 0) | (counts[:, 1] > 0) | (counts[:, 2] > 0)
    if is_linked.all():
        return np.zeros(n_candidates, dtype=np.intp)
    return groups_of_links(pairs(n_candidates)[is_linked], n_candidates)


def groups_of_links(links: NDArray[np.intp], n_candidates: int) -> NDArray[np.intp]:
    """Group the candidates of which some are linked, shape (n, 2), as `connected_groups` does."""
    graph = csr_array(
        (np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n_candidates, n_candidates)
    )
    _, groups = connected_components(graph, directed=False)
    return np.asarray(groups, dtype=np.intp)


def separation(counts: Array) -> Separation | None:
    r"""Find a direction along which the likelihood grows without end.

    `counts`: (P, 3); first preferred, tie, second preferred, of every pair of K candidates.
    Result: None when the estimate is finite (where the candidates are connected). Without a single
    tie nu is no parameter.
    Raises RuntimeError if the linear program cannot be solved.

    Notes
    -----
    With scores :math:`\delta_i` for "i is preferred", :math:`\delta_j` for "j is preferred" and
    :math:`(\delta_i + \delta_j) / 2 + \tau` for a tie, :math:`|\delta|, |\tau| \le 1` and
    :math:`\sum \delta = 0`: maximise the sum of score(observed) - score(other) over all observed
    kinds of outcomes, each of them not negative. The optimum is positive if and only if there is
    no finite maximum [1]_.

    References
    ----------
    .. [1] A. Albert and J. A. Anderson (1984), "On the existence of maximum likelihood estimates
       in logistic regression models", Biometrika 71.

    Examples
    --------
    Ten wins, five ties, no loss:

    >>> separation(np.array([[10.0, 5.0, 0.0]])).tie_direction
    1.0
    """
    from scipy.optimize import linprog

    if _all_beat_all(counts):
        return None
    gains: Any = _gains(counts)  # scipy's types know no sparse programs
    n_candidates = gains.shape[1] - 1
    balanced = np.append(np.ones(n_candidates), 0.0)[None]
    solved = linprog(
        -gains.sum(axis=0),
        A_ub=-gains,
        b_ub=np.zeros(gains.shape[0]),
        A_eq=balanced,
        b_eq=[0.0],
        bounds=(-1, 1),
    )
    if not solved.success or solved.x is None or solved.fun is None:
        raise RuntimeError(f"the linear program of separation ended with: {solved.message}")
    if -solved.fun <= CLEAR:
        return None
    return _describe(
        np.asarray(np.round(solved.x, 9) + 0.0, dtype=np.float64), ties=bool(counts[:, 1].any())
    )


def _all_beat_all(counts: Array) -> bool:
    """Whether every candidate beats every other one, if only by way of others."""
    # Then no score can rise above another, and with equal scores a tie can neither gain nor lose.
    n_candidates = n_candidates_of(len(counts))
    i, j = pairs(n_candidates).T
    has_both = (counts[:, 0] > 0) & (counts[:, 2] > 0)
    is_link = np.ones(n_candidates, dtype=np.bool_)
    is_link[i[~has_both]] = is_link[j[~has_both]] = False
    if is_link.any():  # one that has beaten every other, and lost to it
        return True
    beats = np.eye(n_candidates, dtype=np.float32)
    flat = beats.ravel()
    flat[i * n_candidates + j], flat[j * n_candidates + i] = counts[:, 0] > 0, counts[:, 2] > 0
    for _ in range(n_candidates.bit_length()):
        if beats.all():
            return True
        beats = (beats @ beats > 0).astype(np.float32)
    return bool(beats.all())


def _gains(counts: Array) -> csr_array:
    """Return the rows score(observed) - score(other), one per kind of outcome and alternative."""
    n_candidates = n_candidates_of(len(counts))
    of = np.array([[1.0, 0.0, 0.0], [0.5, 0.5, 1.0], [0.0, 1.0, 0.0]])  # first, second, tie
    possible = (0, 1, 2) if counts[:, 1].any() else (0, 2)
    kinds = [(o, other) for o in possible for other in possible if other != o]
    pair, kind = np.nonzero(counts[:, [o for o, _ in kinds]] > 0)
    given = np.array([of[o] - of[other] for o, other in kinds])[kind]
    columns = np.column_stack([pairs(n_candidates)[pair], np.full(len(pair), n_candidates)])
    rows = np.repeat(np.arange(len(pair)), 3)
    shape = (max(len(pair), 1), n_candidates + 1)
    found = csr_array((given.ravel(), (rows, columns.ravel())), shape=shape)
    found.eliminate_zeros()
    return found


def _describe(solution: Array, *, ties: bool) -> Separation:
    """Name who moves along a direction."""
    direction = solution[:-1]
    middle = np.median(direction)
    return Separation(
        direction,
        float(solution[-1]) if ties else 0.0,
        tuple(int(i) for i in np.flatnonzero(direction > middle)),
        tuple(int(i) for i in np.flatnonzero(direction < middle)),
    )
