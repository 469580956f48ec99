"""One sweep of the alternation, the slope of the objective, and archetypes that are to spare."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.losses import Loss
from reportgen.stats.archetypes.nearest import nearest_points
from reportgen.stats.archetypes.problem import Problem, State, settled
from reportgen.stats.archetypes.simplex import one_by_one

# An archetype this near to the hull of the others, relative to the largest row, lies in it.
_REDUNDANT = 1e-6


def archetype_sweep(problem: Problem, state: State, loss: Loss) -> NDArray[np.float64]:
    r"""Move one archetype after the other to where it fits best, and return the new shares.

    With the mixtures and all other archetypes fixed, the objective is a constant plus
    :math:`\sum_i w_i a_{ij}^2 |v_j - z_j|^2` with
    :math:`v_j = z_j + \sum_i w_i a_{ij} (x_i - Z'a_i) / \sum_i w_i a_{ij}^2`, so that the point of
    the hull nearest to :math:`v_j` is the exact solution (with gaps: column by column over the rows
    observed, and nearest in the metric of these sums). An archetype that no row uses is put on the
    row that is fitted worst. Shares are (s, k, h), of every start.
    """
    weighted = state.mixtures * loss.slopes(state.squares)[:, None]
    worst = _worst(problem, state, loss)
    found = []
    for start, shares in enumerate(state.shares):
        products, totals = _moments(problem, weighted[start], state.mixtures[start])
        found.append(
            _swept(problem, shares, state.archetypes[start], products, totals, worst[start])
        )
    return np.stack(found)


def _swept(
    problem: Problem,
    begun: NDArray[np.float64],
    places: NDArray[np.float64],
    products: NDArray[np.float64],
    totals: NDArray[np.float64],
    worst: int,
) -> NDArray[np.float64]:
    """Sweep one start, whose archetypes (k, m) have these places."""
    corners, archetypes = problem.corners, places.copy()
    shares = np.zeros_like(begun)
    for j, here in enumerate(begun):
        curvature = products[:, j, j]
        if not (curvature > 0).any():
            shares[j, worst] = 1
            archetypes[j] = corners[worst]
            continue
        pull = totals[j] - np.einsum("ml,lm->m", products[:, j], archetypes)
        point = archetypes[j] + pull / np.where(curvature > 0, curvature, 1.0)
        stretch = np.sqrt(curvature) if len(curvature) == len(point) > 1 else 1.0
        goal = (point * stretch)[None]
        shares[j] = nearest_points(corners * stretch, goal, here[None])[0]
        archetypes[j] = shares[j] @ corners
    return shares


def _moments(
    problem: Problem, weighted: NDArray[np.float64], mixed: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums of w a a' by column, (m, k, k), or alike in all; and of w a x', (k, m)."""
    totals = weighted @ problem.rows
    if problem.observed is None:
        same = weighted @ mixed.T
        return np.broadcast_to(same, (problem.rows.shape[1], *same.shape)), totals
    k = len(mixed)
    outer = (weighted[:, None] * mixed[None]).reshape(k * k, -1)
    return (outer @ problem.observed).T.reshape(-1, k, k), totals


def _worst(problem: Problem, state: State, loss: Loss) -> NDArray[np.int64]:
    """Return the places in the hull of the rows that are fitted worst, of shape (s,)."""
    costs = state.squares * loss.slopes(state.squares)
    return np.asarray(costs[:, problem.hull].argmax(axis=1))


def frank_wolfe_gap(problem: Problem, state: State, loss: Loss) -> NDArray[np.float64]:
    """Return how much the objectives (s,) could fall to first order by moving all archetypes.

    The gap of the mixtures is zero: they are solved exactly.
    """
    weighted = state.mixtures * loss.slopes(state.squares)[:, None]
    pull = np.matmul(weighted, state.residuals)
    best = (pull @ problem.corners.T).max(axis=2).sum(axis=1)
    return np.asarray(2 * (best - np.einsum("skm,skm->s", state.archetypes, pull)))


def slope(
    problem: Problem, state: State, loss: Loss
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gradients by the archetypes, (s, k, m), and the curvatures of plain steps."""
    weighted = state.mixtures * loss.slopes(state.squares)[:, None]
    gradient = -2 * np.matmul(weighted, state.residuals)
    weighted *= state.mixtures
    if problem.observed is None:
        sums = weighted.sum(axis=2, keepdims=True)
    else:
        sums = weighted @ problem.observed
    largest = sums.max(axis=(1, 2), keepdims=True)
    smallest = 1e-12 * largest + np.finfo(float).tiny
    return gradient, 2 * np.maximum(np.broadcast_to(sums, gradient.shape), smallest)


def without_redundancy(problem: Problem, state: State, loss: Loss) -> State | None:
    """Put an archetype that the others could replace on the row that is fitted worst.

    Such an archetype lies in the hull of the others: the descent rests there, on a saddle, and one
    archetype fewer would do as well. None when there is no such archetype, or nothing to win. The
    state is of one start.
    """
    found = state.archetypes[0]
    size = float(np.sqrt((problem.rows**2).sum(axis=1).max()))
    if len(found) < 2 or _stands_out(found, _REDUNDANT * size):
        return None
    others = np.array([np.delete(found, j, axis=0) for j in range(len(found))])
    inside = one_by_one(others, found)
    apart = np.sqrt(((found - np.einsum("ji,ijm->im", inside, others)) ** 2).sum(axis=1))
    if apart.min() > _REDUNDANT * size:
        return None
    shares = state.shares.copy()
    shares[0, apart.argmin()] = np.eye(len(problem.hull))[_worst(problem, state, loss)[0]]
    following = settled(problem, shares, loss)
    return following if following.objective[0] < (1 - _REDUNDANT) * state.objective[0] else None


def _stands_out(found: NDArray[np.float64], least: float) -> bool:
    """Say whether each archetype is farther than this from all others along its own direction.

    It is then at least as far from their hull; where it is not, the hull tells.
    """
    outwards = found - found.mean(axis=0)
    heights = outwards @ outwards.T
    own = heights.diagonal().copy()
    np.fill_diagonal(heights, -np.inf)
    return bool((own - heights.max(axis=1) > least * np.sqrt(own)).all())
