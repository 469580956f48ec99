"""Stability of archetypes: over new starts, and over subsamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import cycle, islice, repeat
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from reportgen.stats.archetypal_analysis.descent import Limits
from reportgen.stats.archetypal_analysis.fit import Archetypes, Options, archetypes
from reportgen.stats.archetypal_analysis.initialisation import BeginningName, Scaling
from reportgen.stats.archetypal_analysis.problem import Bisquare
from reportgen.stats.subsamples import Recurrence, subsample, subsample_size

# A start agrees when none of its archetypes is so far from its match, in units of a usual row's
# distance from the centre.
AGREEING = 0.1

# Archetypes return when none is farther from its match, in units of the rows' median distance from
# one another; and enough fresh starts must return to them.
RETURNING = 0.35
LEAST_STARTS = 0.5

# Rows from which that median is estimated, at most: of more, every so many.
_MOST_ROWS_IN_PAIRS = 500

# What counts as rounding: relative to what a fit leaves, and to what a single point does.
_ROUNDING = 1e-6
_NOTHING = 1e-12

# How fresh starts begin, in turn, where those of a fit are mixed: its furthest sum would only come
# out as it did.
_FRESH: tuple[BeginningName, ...] = ("plus_plus", "random")

# Samples need no more than this to show whether an archetype comes back.
ROUGH_FIT = Limits(decrease=1e-3, gap=None, sweeps=300)
STARTS_OF_SAMPLES = 2

# Rows of a subsample, at most, so that hundreds of fits do not take long. Fewer rows return less
# well: of large tables the share is too low rather than too high.
_MOST_ROWS = 5000


def matched(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Match archetypes of two fits so that the squared distances have the least sum.

    Parameters
    ----------
    first, second : ndarray of shape (k, m)

    Returns
    -------
    ndarray of shape (k,), int
        For each archetype of the first fit, which one of the second it is.
    ndarray of shape (k,)
        Their Euclidean distances.

    Notes
    -----
    The assignment problem, by the Hungarian method.
    """
    if first.shape != second.shape:
        raise ValueError(f"only fits of one size match, got {first.shape} and {second.shape}")
    squares = ((first[:, None] - second[None]) ** 2).sum(axis=2)
    partner = linear_sum_assignment(squares)[1]
    return partner, np.sqrt(squares[np.arange(len(first)), partner])


@dataclass(frozen=True, slots=True)
class Restarts:
    """Whether fresh starts reach the same archetypes.

    Attributes
    ----------
    fit : Archetypes
        The fit that was given, or the best of the starts where that is better by more than
        rounding.
    is_better : bool
        Whether it is one of the starts.
    distances : ndarray of shape (s,)
        The largest distance of an archetype of the fit from its match in each start, in units of
        the root mean squared distance from the centre of a row with weight.
    pairwise : float
        The median distance of two such rows, in the same units.
    """

    fit: Archetypes
    is_better: bool
    distances: NDArray[np.float64]
    pairwise: float

    @property
    def agrees(self) -> NDArray[np.bool_]:
        """Whether a start has all archetypes of the fit, of shape (s,)."""
        return self.distances < AGREEING

    @property
    def returns(self) -> NDArray[np.bool_]:
        """Whether the archetypes of the fit return from a start, of shape (s,)."""
        return self.distances <= RETURNING * self.pairwise

    @property
    def largest(self) -> float | None:
        """The largest distance among the starts that agree; none where no start does."""
        return float(self.distances[self.agrees].max()) if self.agrees.any() else None


def restarts(
    rows: NDArray[np.float64],
    fit: Archetypes,
    n_starts: int,
    rng: Generator,
    *,
    weights: NDArray[np.float64] | None = None,
    mapper: Callable[..., Iterable[Any]] = map,
) -> Restarts:
    """Begin anew several times, go all the way each time, and match the archetypes.

    The starts of a fit do not show how many of them agree: most are given up, or stopped early.

    Parameters
    ----------
    rows, weights
        What `fit` was made of.
    fit : Archetypes
    n_starts : int
        s, at least 1.
    rng : Generator
    mapper : callable, optional
        Does the starts, like `map`: in turn or side by side.

    Notes
    -----
    Starts of a robust fit have bounds of their own. They are compared with the bound of the fit,
    and only those whose bound is not wider can be better: a wider one may let outliers in.
    """
    name = fit.options.beginning
    options = (
        replace(fit.options, beginning=own, n_starts=1)
        for own in islice(cycle(_FRESH if name == "mixed" else (name,)), n_starts)
    )
    own = (repeat(x) for x in (rows, len(fit.scaled), weights))
    found = list(mapper(_restart, *own, options, rng.spawn(n_starts)))
    best = min(found, key=lambda start: _final_objective(start, fit))
    is_better = _final_objective(best, fit) < (1 - _ROUNDING) * fit.objective - _NOTHING * fit.total
    if is_better:
        fit = replace(best, options=fit.options)
    scaled = fit.scaling.scaled(rows[fit.weights > 0])
    unit = _usual_distance(scaled)
    apart = [matched(fit.scaled, start.scaled)[1].max() / unit for start in found]
    return Restarts(fit, is_better, np.array(apart), _pairwise_distance(scaled) / unit)


def _restart(
    rows: NDArray[np.float64],
    k: int,
    weights: NDArray[np.float64] | None,
    options: Options,
    rng: Generator,
) -> Archetypes:
    """Find archetypes from one start."""
    return archetypes(rows, k, rng, weights=weights, options=options)


def _final_objective(start: Archetypes, fit: Archetypes) -> float:
    """Return the objective of a start as the fit would have it; endless where it has none."""
    if fit.bound is None or start.bound is None:
        return start.objective
    if start.bound > (1 + _ROUNDING) * fit.bound:
        return np.inf
    return float(Bisquare(fit.bound).objective(start.residuals**2))


@dataclass(frozen=True, slots=True)
class Stability:
    """Whether archetypes come back in subsamples.

    Attributes
    ----------
    distances : ndarray of shape (R, k)
        Distance of each archetype from its match in each subsample, in units of the root mean
        squared distance from the centre of a row with weight: 0 is the same place, 1 as far as a
        usual row from the middle.
    returns : ndarray of shape (R,), bool
        Whether no archetype is farther from its match than `RETURNING`.
    shares : ndarray of shape (R, g, k)
        Mean mixtures of the groups of rows by each subsample's archetypes, matched.
    n_failed : int
        Subsamples whose hull had too few vertices.
    n_units : int
        Rows, or data sets, of which the subsamples are.
    """

    distances: NDArray[np.float64]
    returns: NDArray[np.bool_]
    shares: NDArray[np.float64]
    n_failed: int
    n_units: int

    @property
    def medians(self) -> NDArray[np.float64]:
        """Median distance of each archetype over the subsamples, of shape (k,)."""
        return np.asarray(np.median(self.distances, axis=0))

    @property
    def recurrence(self) -> Recurrence:
        """In how many of the subsamples all return; they do not in those that failed."""
        n = len(self.returns) + self.n_failed
        share = int(self.returns.sum()) / n
        return Recurrence(share, n, subsample_size(self.n_units), self.n_units)


@dataclass(frozen=True, slots=True)
class _Task:
    """The sampled units: rows, the columns of data sets, or both."""

    rows: NDArray[np.float64]
    fit: Archetypes
    weights: NDArray[np.float64] | None
    members: NDArray[np.float64]
    datasets: NDArray[np.int64] | None
    has_all_rows: bool

    @property
    def n_units(self) -> int:
        """The number of rows, or data sets."""
        return len(self.rows) if self.datasets is None else int(self.datasets.max()) + 1


def stability(
    rows: NDArray[np.float64],
    fit: Archetypes,
    n_samples: int,
    rng: Generator,
    *,
    weights: NDArray[np.float64] | None = None,
    datasets: NDArray[np.int64] | None = None,
    has_all_rows: bool = False,
    groups: NDArray[np.int64] | None = None,
    mapper: Callable[..., Iterable[Any]] = map,
) -> Stability:
    """Fit subsamples, and match the archetypes.

    Parameters
    ----------
    rows, weights
        What `fit` was made of.
    fit : Archetypes
    n_samples : int
        R, at least 1.
    rng : Generator
    datasets : ndarray of shape (m,), int, optional
        Which data set a column belongs to, from 0. Data sets are drawn with all their columns, and
        archetypes are matched in these columns. Rows are what is drawn when omitted.
    has_all_rows : bool
        Whether a subsample of data sets has all rows. Else rows are drawn, too: data sets alone
        would leave a direction in which rows of noise are wide as it is.
    groups : ndarray of shape (n,), int, optional
        Which group a row belongs to, from 0; there is none when omitted.
    mapper : callable, optional
        Does the subsamples, like `map`: in turn or side by side.
    """
    members = (
        np.empty((0, len(rows))) if groups is None else np.eye(int(groups.max()) + 1)[:, groups]
    )
    task = _Task(rows, fit, weights, members, datasets, has_all_rows)
    found = [x for x in mapper(_matched_sample, repeat(task), rng.spawn(n_samples)) if x]
    k = len(fit.scaled)
    return Stability(
        np.array([apart for apart, _, _ in found]).reshape(-1, k),
        np.array([is_near for _, is_near, _ in found], dtype=np.bool_),
        np.array([shares for _, _, shares in found]).reshape(len(found), len(members), k),
        n_samples - len(found),
        task.n_units,
    )


def _usual_distance(scaled: NDArray[np.float64]) -> float:
    """Return the root mean squared distance from the centre; 1 where all rows are there.

    To be given the rows with weight: outliers would let everything else look near.
    """
    squares = np.nansum(scaled**2, axis=1)
    return float(np.sqrt(squares.mean())) or 1.0


def _pairwise_distance(scaled: NDArray[np.float64]) -> float:
    """Return the median distance of two rows; of many rows, of every so many.

    By the cells that both have, stretched to all columns; 1 where the distance is 0.
    """
    n, m = scaled.shape
    some = scaled[np.linspace(0, n - 1, min(n, _MOST_ROWS_IN_PAIRS)).astype(np.intp)]
    known = np.isfinite(some).astype(np.float64)
    values = np.where(known > 0, some, 0.0)
    squares = values**2 @ known.T
    squares = squares + squares.T - 2 * values @ values.T
    shared = known @ known.T
    is_pair = np.tri(len(some), k=-1, dtype=np.bool_) & (shared > 0)
    found = np.median(squares[is_pair] * m / shared[is_pair]) if is_pair.any() else 0.0
    return float(np.sqrt(max(float(found), 0.0))) or 1.0


def _matched_sample(
    task: _Task, rng: Generator
) -> tuple[NDArray[np.float64], bool, NDArray[np.float64]] | None:
    """Return how far a subsample's archetypes are from those of all, and what groups are made of.

    None where there are too few vertices.
    """
    fit = task.fit
    drawn = subsample(task.n_units, rng)
    is_column = np.ones(task.rows.shape[1], dtype=np.bool_)
    chosen = drawn
    if task.datasets is not None:
        is_column = np.isin(task.datasets, drawn)
        n = len(task.rows)
        chosen = np.arange(n, dtype=np.intp) if task.has_all_rows else subsample(n, rng)
    table = task.rows[:, is_column]
    has_value = np.asarray(np.isfinite(table).any(axis=1))
    chosen = chosen[has_value[chosen]]
    if len(chosen) > _MOST_ROWS:
        chosen = np.sort(rng.choice(chosen, size=_MOST_ROWS, replace=False))
    options = replace(
        fit.options, n_starts=min(STARTS_OF_SAMPLES, fit.options.n_starts), limits=ROUGH_FIT
    )
    weights = None if task.weights is None else task.weights[chosen]
    try:
        again = archetypes(
            table[chosen],
            len(fit.scaled),
            rng,
            weights=weights,
            options=options,
            has_total=False,
        )
    except ValueError:
        return None
    scaling = Scaling(fit.scaling.centre[is_column], fit.scaling.scale[is_column])
    partner, apart = matched(fit.scaled[:, is_column], scaling.scaled(again.archetypes))
    scaled = scaling.scaled(table[(fit.weights > 0) & has_value])
    is_near = bool(apart.max() <= RETURNING * _pairwise_distance(scaled))
    shares = np.empty((0, len(partner)))
    if len(task.members):
        members = task.members[:, has_value]
        shares = members @ again.mixtures_of(table[has_value])[:, partner]
        shares /= np.maximum(members.sum(axis=1, keepdims=True), 1)
    return apart / _usual_distance(scaled), is_near, shares
