"""Alternating least squares: the mixtures of all rows, then one archetype at a time.

No step raises the objective. All starts descend together, so that the many small least squares
problems of one step are solved at once. The nearest point of a convex hull is found among a few
of its many atoms at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.processes import keep_memory
from reportgen.stats.archetypal_analysis.acceleration import Memory
from reportgen.stats.archetypal_analysis.problem import Loss, Problem, State, settled
from reportgen.stats.archetypal_analysis.simplex import one_by_one

# Rounding errors of a gradient, relative to the largest product in it.
_ROUNDING = 1e-13

# A bound that is never met: each round leads nearer, and a few do.
_MOST_ROUNDS = 1000

# Atoms that are added to those of a mixture in one round.
_FURTHER = 12

# Of several tables none may depend on the others' mixtures: so many are added to the most atoms
# that a mixture has.
_FURTHER_AT_LEAST = 4


def nearest_points(
    atoms: NDArray[np.float64],
    points: NDArray[np.float64],
    shares: NDArray[np.float64],
    rounds: int | None = None,
) -> NDArray[np.float64]:
    """Find the points of the convex hull of many atoms that are nearest to some points.

    `atoms`: (n, m) or (s, n, m); of all points, or of the points of each start.
    `points`: (..., k, m); of shape (s, k, m) where starts have atoms of their own.
    `shares`: (..., k, n); mixtures of few atoms to begin from.
    `rounds`: the most rounds; as many as it takes when omitted.
    Result: (..., k, n); the nearest mixtures; with too few rounds, nearer ones than to begin from.

    Notes
    -----
    Column generation: each round finds the point nearest in the hull of the atoms in use and of
    those that lie farthest in the direction of what is left. When there is none farther than the
    nearest point, that is the solution (Wolfe 1976, Mathematical Programming 11, theorem 2.1).

    Examples
    --------
    >>> corners = np.array([[0.0, 0], [2, 0], [0, 2]])
    >>> nearest_points(corners, np.array([[2.0, 2]]), np.array([[1.0, 0, 0]])).round(12)
    array([[0. , 0.5, 0.5]])
    """
    found = shares.copy()
    rounding = _ROUNDING * (
        np.abs(atoms).max(axis=(-2, -1), keepdims=True)[..., 0] + np.abs(points).max(axis=-1)
    )
    last = np.full(points.shape[:-1], np.inf)
    for _ in range(_MOST_ROUNDS if rounds is None else rounds):
        rest = found @ atoms - points
        heights = rest @ atoms.swapaxes(-1, -2)
        squares = np.vecdot(rest, rest)
        gap = squares + np.vecdot(rest, points) - heights.min(axis=-1)
        is_open = (gap > rounding * np.abs(rest).sum(axis=-1)) & (squares < last)
        if not is_open.any():
            break
        last = np.where(is_open, squares, -np.inf)
        places = np.nonzero(is_open)
        found[places] = _nearer(atoms, points[places], found[places], heights[places], places)
    return found


def _nearer(
    atoms: NDArray[np.float64],
    points: NDArray[np.float64],
    shares: NDArray[np.float64],
    heights: NDArray[np.float64],
    places: tuple[NDArray[np.int64], ...],
) -> NDArray[np.float64]:
    """Mix the atoms in use and the lowest ones; heights are (p, n) and are written over."""
    is_used = shares > 0
    heights[is_used] = -np.inf
    if atoms.ndim == 2:
        count = int(is_used.sum(axis=1).max()) + _FURTHER
    else:
        count = points.shape[1] + 1 + _FURTHER_AT_LEAST
    count = min(shares.shape[1], count)
    some = np.argpartition(heights, count - 1, axis=1)[:, :count]
    own = atoms[some] if atoms.ndim == 2 else atoms[places[0][:, None], some]
    found = np.zeros_like(shares)
    np.put_along_axis(found, some, one_by_one(own, points).T, axis=1)
    return found


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
        own = problem.taking(start)
        products, totals = _moments(own, weighted[start], state.mixtures[start])
        found.append(_swept(own, shares, state.archetypes[start], products, totals, worst[start]))
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
    hull = np.broadcast_to(problem.hull, (len(costs), problem.hull.shape[-1]))
    return np.asarray(np.take_along_axis(costs, hull, axis=1).argmax(axis=1))


def frank_wolfe_gap(problem: Problem, state: State, loss: Loss) -> NDArray[np.float64]:
    """Return how much the objectives (s,) could fall to first order by moving all archetypes.

    The gap of the mixtures is zero: they are solved exactly.
    """
    weighted = state.mixtures * loss.slopes(state.squares)[:, None]
    pull = np.matmul(weighted, state.residuals)
    best = (pull @ problem.corners.swapaxes(-1, -2)).max(axis=2).sum(axis=1)
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
    size = float(np.sqrt((problem.rows**2).sum(axis=-1).max()))
    if len(found) < 2 or _stands_out(found, _REDUNDANT * size):
        return None
    others = np.array([np.delete(found, j, axis=0) for j in range(len(found))])
    inside = one_by_one(others, found)
    apart = np.sqrt(((found - np.einsum("ji,ijm->im", inside, others)) ** 2).sum(axis=1))
    if apart.min() > _REDUNDANT * size:
        return None
    shares = state.shares.copy()
    shares[0, apart.argmin()] = np.eye(shares.shape[2])[_worst(problem, state, loss)[0]]
    following = settled(problem, shares, loss)
    return following if following.objective[0] < (1 - _REDUNDANT) * state.objective[0] else None


def _stands_out(found: NDArray[np.float64], least: float) -> bool:
    """Return whether each archetype is farther than this from all others in its own direction."""
    # It is then at least as far from their hull; where it is not, the hull decides.
    outwards = found - found.mean(axis=0)
    heights = outwards @ outwards.T
    own = heights.diagonal().copy()
    np.fill_diagonal(heights, -np.inf)
    return bool((own - heights.max(axis=1) > least * np.sqrt(own)).all())


# Sweeps like the last by which a start has to come up with the best one.
_PATIENCE = 10

# An objective this small, relative to that of the middle, is that of an exact fit.
_NOTHING = 1e-20

# Parts of a leap that are tried, one after the other.
_PARTS = (1.0, 0.25)

# Cells of all rows' residuals and mixtures that starts may take up side by side.
_MOST_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """When a descent ends.

    Attributes
    ----------
    decrease : float
        The relative decrease of one sweep that counts as none.
    gap : float or None
        The Frank-Wolfe gap of the archetypes, relative to the objective, that must be reached as
        well; not needed when none.
    sweeps : int
        The most sweeps.
    ahead : float or None
        An objective to come up with; that of the best other start counts as well. A descent is
        given up when ten sweeps like the last would not reach it. None lets all starts go on.
    """

    decrease: float = 1e-8
    gap: float | None = 1e-6
    sweeps: int = 2000
    ahead: float | None = None


@dataclass(frozen=True, slots=True)
class Descent:
    """The end of a descent."""

    state: State  # of this one start
    memory: Memory  # of this one start
    trace: tuple[float, ...]  # the objective at the beginning and after each sweep; never rising
    is_converged: bool  # whether the limits were reached, not the most sweeps

    @property
    def objective(self) -> float:
        """The objective at the end."""
        return float(self.state.objective[0])

    @property
    def shares(self) -> NDArray[np.float64]:
        """Shares of the hull's rows in the archetypes, (k, h)."""
        return np.asarray(self.state.shares[0])


def descend(
    problem: Problem,
    begun: NDArray[np.float64],
    loss: Loss,
    limits: Limits,
    known: NDArray[np.float64] | None = None,
) -> list[Descent]:
    """Alternate from given shares until the objectives stay where they are.

    `begun`: (s, k, h); shares of the hull's rows in the archetypes that each start begins with.
    `known`: (s, k, n); mixtures near those of these shares, for a faster start; zeros where none
    are known.
    """
    keep_memory()
    found: list[Descent] = []
    for own in _side_by_side(problem, *begun.shape[:2]):
        if limits.ahead is not None and found:
            limits = replace(limits, ahead=min(limits.ahead, *(d.objective for d in found)))
        part, its_loss = problem.taking(own), loss.taking(own)
        state = settled(part, begun[own], its_loss, None if known is None else known[own])
        memory = Memory.empty(*state.archetypes.shape)
        traces = [[float(objective)] for objective in state.objective]
        found += _Descents(part, its_loss, limits, state, memory, traces).found()
    return found


def resume(
    problem: Problem, descents: Sequence[Descent], loss: Loss, limits: Limits
) -> list[Descent]:
    """Go on from where descents ended, with what they remember, to narrower limits.

    `problem`, `loss`: what the descents were made of.
    `descents`: at least one.
    """
    found: list[Descent] = []
    for own in _side_by_side(problem, len(descents), len(descents[0].shares)):
        state = State.joined([d.state for d in descents[own]])
        memory = Memory.joined([d.memory for d in descents[own]])
        traces = [list(d.trace) for d in descents[own]]
        part, its_loss = problem.taking(own), loss.taking(own)
        found += _Descents(part, its_loss, limits, state, memory, traces).found()
    return found


def _side_by_side(problem: Problem, n_starts: int, k: int) -> list[slice]:
    """Split starts of k archetypes into as many as go side by side."""
    n, m = problem.rows.shape[-2:]
    together = max(1, _MOST_CELLS // (n * (m + 2 * k)))
    return [slice(first, first + together) for first in range(0, n_starts, together)]


class _Descents:
    """Starts that descend in parallel; converged ones drop out."""

    def __init__(
        self,
        problem: Problem,
        loss: Loss,
        limits: Limits,
        state: State,
        memory: Memory,
        traces: list[list[float]],
    ) -> None:
        self.problem, self.loss, self.limits = problem, loss, limits
        self.state, self.memory, self.traces = state, memory, traces
        self.slope = slope(problem, state, loss)
        self.going = np.arange(len(traces))
        self.lowest = state.objective.copy()
        self.ends: dict[int, Descent] = {}
        squares = (problem.rows**2).sum(axis=-1)
        sizes = np.vecdot(loss.slopes(np.zeros_like(squares)), squares)
        self.sizes = np.broadcast_to(sizes, len(traces))

    def found(self) -> list[Descent]:
        """Take all starts down."""
        is_over = self.limits.sweeps < 1
        while len(self.going):
            decrease = np.zeros(len(self.going)) if is_over else self._step()
            self._drop(decrease)
        return [self.ends[start] for start in range(len(self.traces))]

    def _step(self) -> NDArray[np.float64]:
        """Take one step of all starts, and return by how much each has come down."""
        before, gradient = self.state, self.slope[0]
        self.state = self._follow()
        self.slope = slope(self.problem, self.state, self.loss)
        step = self.state.archetypes - before.archetypes
        self.memory.note(step, self.slope[0] - gradient, self.slope[1])
        self.lowest[self.going] = self.state.objective
        for start, objective in zip(self.going, self.state.objective, strict=True):
            self.traces[start].append(float(objective))
        return np.asarray(before.objective - self.state.objective)

    def _follow(self) -> State:
        """Go down by a leap, a part of one, or a plain sweep; a start that none helps stays."""
        result, todo = self.state, np.arange(len(self.going))
        leap = self.memory.leap(*self.slope, self.problem.corners, self.state.shares)
        for part in _PARTS:
            task = self._task(todo)
            shares = self._put_back(task[0], todo, part * leap[todo])
            result, todo = self._accept(task, result, todo, shares)
            if not len(todo):
                return result
        self.memory.forget(todo)
        task = self._task(todo)
        shares = archetype_sweep(task[0], self.state.taking(todo), task[1])
        return self._accept(task, result, todo, shares)[0]

    def _task(self, starts: NDArray[np.int64]) -> tuple[Problem, Loss]:
        """Return the problem and the loss of some of the starts that are going."""
        if len(starts) == len(self.going):
            return self.problem, self.loss
        return self.problem.taking(starts), self.loss.taking(starts)

    def _put_back(
        self, problem: Problem, starts: NDArray[np.int64], move: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return shares of points of the hull that are near moved archetypes."""
        targets, shares = self.state.archetypes[starts] + move, self.state.shares[starts]
        return nearest_points(problem.corners, targets, shares, rounds=1)

    def _accept(
        self,
        task: tuple[Problem, Loss],
        result: State,
        starts: NDArray[np.int64],
        shares: NDArray[np.float64],
    ) -> tuple[State, NDArray[np.int64]]:
        """Put the starts that come down with these shares into a result; return the others too."""
        problem, loss = task
        tried = settled(problem, shares, loss, self.state.mixtures[starts])
        is_lower = tried.objective < self.state.objective[starts]
        lower = np.flatnonzero(is_lower)
        if len(lower) == len(self.going):
            return tried, starts[:0]
        return result.replaced(starts[lower], tried.taking(lower)), starts[~is_lower]

    def _drop(self, decrease: NDArray[np.float64]) -> None:
        """Let starts end that are given up, or at rest without an archetype to spare."""
        is_converged, is_behind = self._is_at_rest(decrease), self._is_behind(decrease)
        n_sweeps = np.array([len(self.traces[start]) for start in self.going]) - 1
        is_last = is_behind | (n_sweeps >= self.limits.sweeps)
        is_over = is_last | is_converged | (decrease <= 0)
        for place in np.flatnonzero(is_over):
            own = np.array([place])
            state = self.state.taking(own)
            problem, loss = self._task(own)
            elsewhere = None if is_last[place] else without_redundancy(problem, state, loss)
            if elsewhere is None:
                self._end(own, state, is_converged=bool(is_converged[place]))
            else:
                self._restart(own, elsewhere)
                is_over[place] = False
        if is_over.any():
            self._keep(np.flatnonzero(~is_over))

    def _end(self, own: NDArray[np.int64], state: State, *, is_converged: bool) -> None:
        """Let a start end in this state of its own."""
        start = int(self.going[own[0]])
        trace = tuple(self.traces[start])
        self.ends[start] = Descent(state, self.memory.taking(own), trace, is_converged)

    def _restart(self, own: NDArray[np.int64], elsewhere: State) -> None:
        """Let a start go on from elsewhere."""
        self.state = self.state.replaced(own, elsewhere)
        problem, loss = self._task(own)
        for whole, part in zip(self.slope, slope(problem, elsewhere, loss), strict=True):
            whole[own] = part
        self.memory.forget(own)
        self.lowest[self.going[own]] = elsewhere.objective
        self.traces[self.going[own][0]].append(float(elsewhere.objective[0]))

    def _keep(self, places: NDArray[np.int64]) -> None:
        """Go on with some of the starts."""
        self.problem, self.loss = self._task(places)
        self.going, self.state = self.going[places], self.state.taking(places)
        self.slope = (self.slope[0][places], self.slope[1][places])
        self.memory = self.memory.taking(places)

    def _is_at_rest(self, decrease: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether nothing is left, or the last sweep changed nothing and there is no way down."""
        objective, limits, sizes = self.state.objective, self.limits, self.sizes[self.going]
        rounding = np.finfo(float).eps * sizes
        is_at_rest = decrease <= limits.decrease * objective + rounding
        if limits.gap is not None and is_at_rest.any():
            gap = frank_wolfe_gap(self.problem, self.state, self.loss)
            is_at_rest &= gap <= limits.gap * objective + rounding
        return np.asarray(is_at_rest | (objective <= _NOTHING * sizes))

    def _is_behind(self, decrease: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether sweeps like the last would not come up with the best start."""
        if self.limits.ahead is None:
            return np.zeros(len(decrease), dtype=np.bool_)
        ahead = min(self.limits.ahead, float(self.lowest.min()))
        return np.asarray(_PATIENCE * decrease < self.state.objective - ahead)
