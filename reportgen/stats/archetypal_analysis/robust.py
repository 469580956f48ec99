"""Robust archetypes: reweighting by the bisquare, first with a bound of its own, then a common one.

A bound that is estimated anew in each step has no objective, and starts that end with different
bounds cannot be compared. So the first stage only finds a bound and a place for each start; the
second goes down the sum of rho with the smallest of the bounds, from all these places.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.archetypal_analysis.descent import (
    Descent,
    Limits,
    archetype_sweep,
    descend,
)
from reportgen.stats.archetypal_analysis.initialisation import BeginningName, beginnings, majority
from reportgen.stats.archetypal_analysis.problem import (
    MEDIANS,
    Bisquare,
    Problem,
    State,
    bisquare_of,
    settled,
)

# A narrower first stage, whose bound counts where it parts the rows. With six medians a third of
# all rows may be outliers near by and keep weight, as most residuals that are not zero are theirs.
_NARROW_MEDIANS = 3.0

# A bound parts the rows when most lie within it, and all others are this many bounds away.
_APART = 2.0

# The first stage ends after so many sweeps, or when neither bound nor objective move.
_FIRST_SWEEPS = 60
_FIRST_DECREASE = 1e-4

# How often the hull of the second stage is drawn anew before it is left as it is.
_MOST_HULLS = 20

# Wider bounds, in units of the common one, by which rows that were cut off may come back; how
# far each is followed, what counts as nothing won, and how often it is tried again.
_LADDERS = ((2.0,), (4.0, 2.0))
_ON_THE_WAY = Limits(decrease=1e-3, gap=None, sweeps=60)
_NOTHING_WON = 1e-6
_MOST_WIDENINGS = 5


def robust_descents(
    problem: Problem,
    n_archetypes: int,
    name: BeginningName,
    n_starts: int,
    limits: Limits,
    rng: Generator,
) -> tuple[Bisquare, list[Descent]]:
    """Go down from starts within the majority, in two stages.

    `problem`: without gaps; its hull is that of all rows.
    `limits`: when the second stage ends.
    Result: the common loss; its bound is the smallest that a start found; one a start, with shares
    of all rows of the problem's hull.
    """
    middle = majority(problem.corners, n_archetypes)
    begun = np.zeros((n_starts, n_archetypes, len(problem.hull)))
    begun[:, :, middle] = beginnings(problem.corners[middle], n_archetypes, name, rng, n_starts)
    firsts = []
    for shares in begun:
        narrow = _first_stage(problem, shares, _NARROW_MEDIANS)
        firsts.append(narrow if _parts(problem, *narrow) else _first_stage(problem, shares))
    loss = min((bound for bound, _ in firsts), key=lambda b: b.bound)
    descents = [_second_stage(problem, shares, loss, limits) for _, shares in firsts]
    best = min(range(n_starts), key=lambda i: descents[i].objective)
    if not _parts(problem, loss, descents[best].shares):
        descents[best] = _widen(problem, descents[best], loss, limits)
    others = _restart(problem, descents[best], loss, name, limits, n_starts, rng)
    return loss, [
        min(pair, key=lambda d: d.objective) for pair in zip(descents, others, strict=True)
    ]


def _restart(
    problem: Problem,
    known: Descent,
    loss: Bisquare,
    name: BeginningName,
    limits: Limits,
    n_starts: int,
    rng: Generator,
) -> list[Descent]:
    """Go down once more from starts among all rows that count, not only the nearest half."""
    # Archetypes are at the edge of the rows, far from the half where the first stage begins.
    inside, place = _inside(problem, known.shares, loss.weights(known.state.squares[0]))
    begun = beginnings(inside.corners, len(known.shares), name, rng, n_starts)
    found = []
    for descent in descend(inside, begun, loss, limits):
        shares = np.zeros_like(known.shares)
        shares[:, place] = descent.shares
        found.append(_second_stage(problem, shares, loss, limits))
    return found


def _widen(problem: Problem, descent: Descent, loss: Bisquare, limits: Limits) -> Descent:
    """Let rows that were cut off come back, as long as that brings the objective down."""
    # A corner of the data that lies beyond the bound from all mixtures has no weight, and so no way
    # to draw an archetype to it. With wider bounds it has; they are narrowed step by step, and what
    # comes of it counts only by the objective with the common bound. This is not for a bound that
    # parts the rows: those clearly beyond it are outliers, and archetypes among them may well have
    # the lowest objective of all.
    for _ in range(_MOST_WIDENINGS):
        others = []
        for ladder in _LADDERS:
            shares = descent.shares
            for factor in ladder:
                wide = Bisquare(factor * loss.bound)
                shares = _second_stage(problem, shares, wide, _ON_THE_WAY).shares
            others.append(_second_stage(problem, shares, loss, limits))
        best = min(others, key=lambda d: d.objective)
        if best.objective >= (1 - _NOTHING_WON) * descent.objective:
            return descent
        descent = best
    return descent


def _first_stage(
    problem: Problem, shares: NDArray[np.float64], medians: float = MEDIANS
) -> tuple[Bisquare, NDArray[np.float64]]:
    """Reweight with a bound of some medians of the residuals, estimated after each sweep."""
    # The bound never grows: once most rows are fitted exactly, the residuals that are not zero are
    # those of the outliers, and their median would let them in. Where fewer than six medians are
    # asked for, what is returned has six medians of the residuals within the last bound.
    loss, mixed, last = None, None, np.inf
    n_columns = problem.rows.shape[1]
    for _ in range(_FIRST_SWEEPS):
        state = settled(problem, shares[None], Bisquare(1.0), mixed)
        mixed, squares = state.mixtures, state.squares[0]
        estimated = bisquare_of(squares, n_columns, medians)
        loss = estimated if loss is None else min(loss, estimated, key=lambda b: b.bound)
        value = float(loss.objective(squares))
        if abs(last - value) <= _FIRST_DECREASE * value:
            break
        last = value
        shares = _swept_within(problem, state, loss)
    assert loss is not None
    if medians == MEDIANS:
        return loss, shares
    return bisquare_of(squares[squares < loss.bound**2], n_columns), shares


def _parts(problem: Problem, loss: Bisquare, shares: NDArray[np.float64]) -> bool:
    """Whether a bound parts the rows into most of them and some that are clearly beyond."""
    # Clearly: some bounds away from all mixtures, or as far as the others are from their middle.
    residuals = np.sqrt(settled(problem, shares[None], loss).squares[0])
    inside = residuals < loss.bound
    if not inside.mean() > 0.5:
        return False
    kept = problem.rows[inside]
    radius = float(np.sqrt(((kept - np.median(kept, axis=0)) ** 2).sum(axis=1).max()))
    apart = min(_APART * loss.bound, max(radius, loss.bound))
    return bool((residuals[~inside] >= apart).all())


def _swept_within(problem: Problem, state: State, loss: Bisquare) -> NDArray[np.float64]:
    """Sweep once, with archetypes made only of the rows that have some weight."""
    inside, place = _inside(problem, state.shares[0], loss.weights(state.squares[0]))
    kept = _restrict(state.shares[0], place)
    found: NDArray[np.float64] = np.zeros_like(state.shares[0])
    begun = settled(inside, kept[None], loss, state.mixtures)
    found[:, place] = archetype_sweep(inside, begun, loss)[0]
    return found


def _second_stage(
    problem: Problem, shares: NDArray[np.float64], loss: Bisquare, limits: Limits
) -> Descent:
    """Go down with a fixed bound on a fixed hull, until the hull is that of the rows that count."""
    best: Descent | None = None
    last: NDArray[np.int64] | None = None
    for _ in range(_MOST_HULLS):
        state = settled(problem, shares[None], loss)
        inside, place = _inside(problem, shares, loss.weights(state.squares[0]))
        if last is not None and np.array_equal(place, last):
            break
        found = descend(inside, _restrict(shares, place)[None], loss, limits)[0]
        shares, last = np.zeros_like(shares), place
        shares[:, place] = found.shares
        found = replace(found, state=replace(found.state, shares=shares[None]))
        best = _follow(best, found)
    assert best is not None
    return best


def _follow(before: Descent | None, after: Descent) -> Descent:
    """Add a descent to the one before it, from the sweep on that comes below its end."""
    # A smaller hull may lift what is left to go down; where it does not come below, it is not
    # taken.
    if before is None:
        return after
    lower = tuple(value for value in after.trace if value < before.objective)
    return replace(after, trace=(*before.trace, *lower)) if lower else before


def _inside(
    problem: Problem, shares: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[Problem, NDArray[np.int64]]:
    """Restrict the hull to rows with weight; return it and their places in the larger hull."""
    # Where too few rows are left the hull stays as it is.
    place = np.flatnonzero(weights[problem.hull] > 0)
    if len(place) < len(shares):
        place = np.arange(len(problem.hull))
    return Problem.of(problem.rows, problem.hull[place], problem.observed), place


def _restrict(shares: NDArray[np.float64], place: NDArray[np.int64]) -> NDArray[np.float64]:
    """Leave out the shares of rows without weight; an archetype of such rows only begins anew."""
    kept = shares[:, place]
    sums = kept.sum(axis=1, keepdims=True)
    lost = sums[:, 0] <= 0
    kept[lost] = 1 / len(place)
    return np.asarray(kept / np.where(sums > 0, sums, 1.0))
