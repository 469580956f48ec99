r"""Whether the worths of paired comparisons have a finite estimate, by linear program.

The likelihood of the Bradley-Terry model with ties has no maximum when some direction of the
parameters makes every observed outcome no less likely and one of them more likely: along it the
likelihood grows without end. "One candidate always wins" is neither sufficient nor necessary.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from reportgen.stats.paired_comparisons import n_candidates_of, pairs

Array = NDArray[np.float64]

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

    Parameters
    ----------
    counts : ndarray of shape (P, 3)

    Returns
    -------
    ndarray of shape (K,)
        Number of the group of each candidate; worths of different groups cannot be compared.
    """
    n_candidates = n_candidates_of(len(counts))
    linked = pairs(n_candidates)[counts.sum(axis=1) > 0]
    graph = csr_array(
        (np.ones(len(linked)), (linked[:, 0], linked[:, 1])), shape=(n_candidates, n_candidates)
    )
    _, groups = connected_components(graph, directed=False)
    return np.asarray(groups, dtype=np.intp)


def separation(counts: Array) -> Separation | None:
    r"""Find a direction along which the likelihood grows without end.

    Parameters
    ----------
    counts : ndarray of shape (P, 3)
        First preferred, tie, second preferred, of every pair of K candidates.

    Returns
    -------
    Separation or None
        None when the estimate is finite (where the candidates are connected). Without a single
        tie nu is no parameter.

    Raises
    ------
    RuntimeError
        If the linear program cannot be solved.

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

    gains = _gains(counts)
    n_candidates = gains.shape[1] - 1
    balanced = np.append(np.ones(n_candidates), 0.0)[None]
    solved = linprog(
        -gains.sum(axis=0),
        A_ub=-gains,
        b_ub=np.zeros(len(gains)),
        A_eq=balanced,
        b_eq=[0.0],
        bounds=(-1, 1),
    )
    if not solved.success or solved.x is None or solved.fun is None:
        raise RuntimeError(f"the linear program of separation ended with: {solved.message}")
    if -solved.fun <= CLEAR:
        return None
    return _described(
        np.asarray(np.round(solved.x, 9) + 0.0, dtype=np.float64), ties=bool(counts[:, 1].any())
    )


def _gains(counts: Array) -> Array:
    """Return the rows score(observed) - score(other), one per kind of outcome and alternative."""
    n_candidates = n_candidates_of(len(counts))
    possible = (0, 1, 2) if counts[:, 1].any() else (0, 2)
    rows = []
    for (i, j), seen in zip(pairs(n_candidates), counts, strict=True):
        score = np.zeros((3, n_candidates + 1))
        score[0, i] = score[2, j] = 1.0
        score[1, [i, j]] = 0.5
        score[1, -1] = 1.0
        observed = [o for o in possible if seen[o] > 0]
        rows += [score[o] - score[other] for o in observed for other in possible if other != o]
    return np.array(rows) if rows else np.zeros((1, n_candidates + 1))


def _described(solution: Array, *, ties: bool) -> Separation:
    """Name who moves along a direction."""
    direction = solution[:-1]
    middle = np.median(direction)
    return Separation(
        direction,
        float(solution[-1]) if ties else 0.0,
        tuple(int(i) for i in np.flatnonzero(direction > middle)),
        tuple(int(i) for i in np.flatnonzero(direction < middle)),
    )
