"""The alternation: mixtures of all rows, then one archetype at a time; no step ever rises."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.acceleration import Memory, faces_of
from reportgen.stats.archetypes.losses import Loss
from reportgen.stats.archetypes.nearest import nearest_point, nearest_points
from reportgen.stats.archetypes.problem import Problem, State, settled

# An archetype this near to the hull of the others, relative to the largest row, lies in it.
_REDUNDANT = 1e-6

# Sweeps like the last by which a start has to come up with the best one before.
_PATIENCE = 20


@dataclass(frozen=True, slots=True)
class Limits:
    """When a descent ends.

    Attributes
    ----------
    decrease : float
        The relative decrease of one sweep that counts as none.
    gap : float or None
        The Frank-Wolfe gap of the archetypes, relative to the objective, that must be reached as
        well; not asked for when none.
    sweeps : int
        The most sweeps.
    ahead : float or None
        An objective that another start has reached: the descent is given up when twenty sweeps
        like the last would not reach it.
    """

    decrease: float = 1e-8
    gap: float | None = 1e-6
    sweeps: int = 2000
    ahead: float | None = None


@dataclass(frozen=True, slots=True)
class Descent:
    """The end of a descent.

    Attributes
    ----------
    state : State
    trace : tuple of float
        The objective at the beginning and after each sweep; never rising.
    is_converged : bool
        Whether the limits were reached, not the most sweeps.
    """

    state: State
    trace: tuple[float, ...]
    is_converged: bool


def archetype_sweep(problem: Problem, state: State, loss: Loss) -> NDArray[np.float64]:
    r"""Move one archetype after the other to where it fits best, and return the new shares.

    With the mixtures and all other archetypes fixed, the objective is a constant plus
    :math:`\sum_i w_i a_{ij}^2 |v_j - z_j|^2` with
    :math:`v_j = z_j + \sum_i w_i a_{ij} (x_i - Z'a_i) / \sum_i w_i a_{ij}^2`, so that the point of
    the hull nearest to :math:`v_j` is the exact solution (with gaps: column by column over the rows
    observed, and nearest in the metric of these sums). An archetype that no row uses is put on the
    row that is fitted worst.
    """
    products, totals = _moments(problem, state, loss)
    corners, archetypes = problem.corners, state.archetypes.copy()
    shares = np.zeros_like(state.shares)
    for j, here in enumerate(state.shares):
        curvature = products[:, j, j]
        if not (curvature > 0).any():
            shares[j, _worst(problem, state, loss)] = 1
            archetypes[j] = shares[j] @ corners
            continue
        pull = totals[j] - np.einsum("ml,lm->m", products[:, j], archetypes)
        point = archetypes[j] + pull / np.where(curvature > 0, curvature, 1.0)
        stretch = np.sqrt(curvature) if len(curvature) == len(point) > 1 else 1.0
        support = np.flatnonzero(here)
        support, found = nearest_point(corners * stretch, point * stretch, support, here[support])
        shares[j, support] = found
        archetypes[j] = found @ corners[support]
    return shares


def _moments(
    problem: Problem, state: State, loss: Loss
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums of w a a' by column, (m, k, k), or alike in all; and of w a x', (k, m)."""
    mixed = state.mixtures
    weighted = mixed * loss.slopes(state.squares)[:, None]
    totals = weighted.T @ problem.rows
    if problem.observed is None:
        same = weighted.T @ mixed
        return np.broadcast_to(same, (problem.rows.shape[1], *same.shape)), totals
    k = mixed.shape[1]
    outer = (weighted[:, :, None] * mixed[:, None, :]).reshape(-1, k * k)
    return (problem.observed.T @ outer).reshape(-1, k, k), totals


def _worst(problem: Problem, state: State, loss: Loss) -> int:
    """Return the place in the hull of the row that is fitted worst."""
    squares = state.squares
    return int((squares * loss.slopes(squares))[problem.hull].argmax())


def frank_wolfe_gap(problem: Problem, state: State, loss: Loss) -> float:
    """Return how much the objective could at most fall to first order by moving all archetypes.

    The gap of the mixtures is zero: they are solved exactly.
    """
    weighted = state.mixtures * loss.slopes(state.squares)[:, None]
    pull = state.residuals.T @ weighted
    best = (problem.corners @ pull).max(axis=0)
    return float(2 * (best - np.einsum("km,mk->k", state.archetypes, pull)).sum())


def descend(problem: Problem, shares: NDArray[np.float64], loss: Loss, limits: Limits) -> Descent:
    """Alternate from given shares until the objective stays where it is.

    Parameters
    ----------
    problem : Problem
    shares : ndarray of shape (k, h)
        Shares of the hull's rows in the archetypes to begin from.
    loss : Loss
    limits : Limits
    """
    state = settled(problem, shares, loss)
    trace = [state.objective]
    while True:
        state, is_converged = _rest(problem, state, loss, limits, trace)
        elsewhere = _without_redundancy(problem, state, loss)
        if elsewhere is None or len(trace) > limits.sweeps:
            return Descent(state, tuple(trace), is_converged)
        state = elsewhere
        trace.append(state.objective)


def _rest(
    problem: Problem, state: State, loss: Loss, limits: Limits, trace: list[float]
) -> tuple[State, bool]:
    """Sweep until nothing changes; extend the trace, and say whether the limits were reached."""
    for following in _sweeps(problem, state, loss, limits.sweeps + 1 - len(trace)):
        decrease, is_stuck = state.objective - following.objective, following is state
        state = following
        trace.append(state.objective)
        is_converged = _is_at_rest(problem, state, loss, decrease, limits)
        if is_converged or is_stuck:
            return state, is_converged
    return state, False


def _without_redundancy(problem: Problem, state: State, loss: Loss) -> State | None:
    """Put an archetype that the others could replace on the row that is fitted worst.

    Such an archetype lies in the hull of the others: the descent rests there, on a saddle, and one
    archetype fewer would do as well. None when there is no such archetype, or nothing to win.
    """
    found = state.archetypes
    size = float(np.sqrt((problem.rows**2).sum(axis=1).max()))
    if len(found) < 2:
        return None
    near = ((found[:, None] - found[None]) ** 2).sum(axis=2)
    np.fill_diagonal(near, np.inf)
    own = np.eye(len(found), dtype=np.bool_)
    others = nearest_points(found, found, np.eye(len(found))[near.argmin(axis=1)], own)
    apart = np.sqrt(((found - others @ found) ** 2).sum(axis=1))
    if apart.min() > _REDUNDANT * size:
        return None
    shares = state.shares.copy()
    shares[apart.argmin()] = np.eye(len(problem.hull))[_worst(problem, state, loss)]
    following = settled(problem, shares, loss)
    return following if following.objective < (1 - _REDUNDANT) * state.objective else None


def _sweeps(problem: Problem, state: State, loss: Loss, most: int) -> Iterator[State]:
    """Go down: by a leap where one succeeds, else by a plain sweep."""
    memory = Memory()
    gradient, curvature = _slope(problem, state, loss)
    for sweep in range(most):
        following = _leap(problem, state, loss, memory, gradient, curvature) if sweep else None
        if following is None:
            memory.forget()
            shares = archetype_sweep(problem, state, loss)
            following = settled(problem, shares, loss, state.mixtures)
        before, state = state, following if following.objective < state.objective else state
        last, (gradient, curvature) = gradient, _slope(problem, state, loss)
        memory.note(state.archetypes - before.archetypes, gradient - last, curvature)
        yield state


def _leap(
    problem: Problem,
    state: State,
    loss: Loss,
    memory: Memory,
    gradient: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> State | None:
    """Try the targets that the last steps suggest; none when all of them lead up."""
    corners = problem.corners
    for move in memory.targets(gradient, curvature, faces_of(corners, state.shares)):
        shares = nearest_points(corners, state.archetypes + move, state.shares)
        following = settled(problem, shares, loss, state.mixtures)
        if following.objective < state.objective:
            return following
    return None


def _slope(
    problem: Problem, state: State, loss: Loss
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the gradient by the archetypes, (k, m), and the curvatures of the plain steps."""
    weighted = state.mixtures * loss.slopes(state.squares)[:, None]
    if problem.observed is None:
        sums = np.einsum("nk,nk->k", weighted, state.mixtures)[:, None]
    else:
        sums = (weighted * state.mixtures).T @ problem.observed
    curvature = np.broadcast_to(2 * sums, state.archetypes.shape)
    smallest = 1e-12 * float(curvature.max()) + np.finfo(float).tiny
    return -2 * weighted.T @ state.residuals, np.maximum(curvature, smallest)


def _is_at_rest(
    problem: Problem, state: State, loss: Loss, decrease: float, limits: Limits
) -> bool:
    """Whether the last sweep changed nothing, and no archetype has a way down."""
    if limits.ahead is not None and _PATIENCE * decrease < state.objective - limits.ahead:
        return True
    scale = np.finfo(float).eps * float(np.vdot(problem.rows, problem.rows))
    if decrease > limits.decrease * state.objective + scale:
        return False
    if limits.gap is None:
        return True
    return bool(frank_wolfe_gap(problem, state, loss) <= limits.gap * state.objective + scale)
