"""Stability of archetypes: over new starts, and over subsamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import cycle, islice, repeat
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.archetypal_analysis.descent import Limits
from reportgen.stats.archetypal_analysis.fit import (
    Archetypes,
    Options,
    Places,
    fit_archetypes,
    mixtures_of,
    rough_archetypes,
)
from reportgen.stats.archetypal_analysis.initialisation import BeginningName, Scaling
from reportgen.stats.archetypal_analysis.problem import Bisquare
from reportgen.stats.subsamples import SubsampleSupport, subsample, subsample_size

# A start agrees when none of its archetypes is so far from its match, in units of a usual row's
# distance from the centre.
AGREEING = 0.1

# Archetypes return when none is farther from its match, in units of the rows' median distance from
# one another; and enough fresh starts must return to them.
RETURNING = 0.35
LEAST_STARTS = 0.5

# Rows from which that median is estimated, at most: of more, every so many.
_MOST_ROWS_IN_PAIRS = 500

# Pairs of rows that are compared at a time, so that what they are compared in stays in the cache.
_PAIRS_AT_A_TIME = 1000

# What counts as rounding: relative to what a fit leaves, and to what a single point does.
_ROUNDING = 1e-6
_NOTHING = 1e-12

# How fresh starts begin, in turn, where those of a fit are mixed: its furthest sum would only come
# out as it did.
_FRESH: tuple[BeginningName, ...] = ("plus_plus", "random")

# Samples need no more than this to show whether an archetype comes back.
ROUGH_FIT = Limits(decrease=1e-3, gap=None, sweeps=300)
STARTS_OF_SAMPLES = 4
ROBUST_STARTS = 2

# Subsamples whose fits go down side by side.
_SIDE_BY_SIDE = 50

# Rows of a subsample, at most, so that hundreds of fits do not take long. Fewer rows return less
# well: of large tables the share is too low rather than too high.
_MOST_ROWS = 5000

# Rows of all subsamples together whose mixtures are held at a time.
_MOST_ROWS_AT_ONCE = 500_000


def matched(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Match archetypes of two fits so that the squared distances have the least sum.

    `first`, `second`: (k, m).
    Result: (k,); for each archetype of the first fit, which one of the second it is; (k,); their
    Euclidean distances.

    Notes
    -----
    The assignment problem, by the Hungarian method.
    """
    from scipy.optimize import linear_sum_assignment

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

    `rows`, `weights`: what `fit` was made of.
    `n_starts`: s, at least 1.
    `mapper`: does the starts, like `map`: in turn or side by side.

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
    total = None if fit.options.method == "robust" else fit.total
    own = (repeat(x) for x in (rows, len(fit.scaled), weights))
    found = list(mapper(_restart, *own, options, rng.spawn(n_starts), repeat(total)))
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
    total: float | None,
) -> Archetypes:
    """Find archetypes from one start."""
    return fit_archetypes(rows, k, rng, weights=weights, options=options, total=total)


def _final_objective(start: Archetypes, fit: Archetypes) -> float:
    """Return the objective of a start as the fit would have it; endless where it has none."""
    if fit.bound is None or start.bound is None:
        return start.objective
    if start.bound > (1 + _ROUNDING) * fit.bound:
        return np.inf
    return float(Bisquare(fit.bound).objective(start.residuals**2))


@dataclass(frozen=True, slots=True)
class ArchetypeSupport:
    """Whether archetypes come back in subsamples."""

    # (R, k); distance of each archetype from its match in each subsample, in units of the root mean
    # squared distance from the centre of a row with weight: 0 is the same place, 1 as far as a
    # usual row from the middle
    distances: NDArray[np.float64]
    # (R,); whether no archetype is farther from its match than `RETURNING`
    returns: NDArray[np.bool_]
    # (R, g, k); mean mixtures of the groups of rows by each subsample's archetypes, matched
    shares: NDArray[np.float64]
    n_failed: int  # subsamples whose hull had too few vertices
    n_units: int  # rows, or data sets, of which the subsamples are

    @property
    def medians(self) -> NDArray[np.float64]:
        """Median distance of each archetype over the subsamples, of shape (k,)."""
        return np.asarray(np.median(self.distances, axis=0))

    @property
    def recurrence(self) -> SubsampleSupport:
        """In how many of the subsamples all return; they do not in those that failed."""
        n = len(self.returns) + self.n_failed
        share = int(self.returns.sum()) / n
        return SubsampleSupport(share, n, subsample_size(self.n_units), self.n_units)


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
    def n_starts(self) -> int:
        """Starts of a sample: fewer of a robust fit, as all go all the way."""
        own = self.fit.options
        return min(ROBUST_STARTS, own.n_starts) if own.method == "robust" else STARTS_OF_SAMPLES

    @property
    def n_units(self) -> int:
        """The number of rows, or data sets."""
        return len(self.rows) if self.datasets is None else int(self.datasets.max()) + 1


def archetype_support(
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
) -> ArchetypeSupport:
    """Fit subsamples, and match the archetypes.

    `rows`, `weights`: what `fit` was made of.
    `n_samples`: r, at least 1.
    `datasets`: (m,); which data set a column belongs to, from 0. Data sets are drawn with all their
    columns, and archetypes are matched in these columns. Rows are what is drawn when omitted.
    `has_all_rows`: whether a subsample of data sets has all rows. Else rows are drawn, too: data
    sets alone would leave a direction in which rows of noise are wide as it is.
    `groups`: (n,); which group a row belongs to, from 0; there is none when omitted.
    `mapper`: does the subsamples, like `map`: in turn or side by side.
    """
    members = (
        np.empty((0, len(rows))) if groups is None else np.eye(int(groups.max()) + 1)[:, groups]
    )
    task = _Task(rows, fit, weights, members, datasets, has_all_rows)
    streams = rng.spawn(n_samples)
    parts = [streams[i : i + _SIDE_BY_SIDE] for i in range(0, n_samples, _SIDE_BY_SIDE)]
    found = [x for own in mapper(_matched_samples, repeat(task), parts) for x in own]
    k = len(fit.scaled)
    is_column = np.array([x.is_column for x in found], dtype=np.bool_).reshape(-1, rows.shape[1])
    apart = np.array([x.apart for x in found]).reshape(-1, k)
    scaled = fit.scaling.scaled(rows[fit.weights > 0])
    return ArchetypeSupport(
        apart / _usual_distances(scaled, is_column)[:, None],
        _are_near(scaled, is_column, apart.max(axis=1)),
        np.array([x.shares for x in found]).reshape(len(found), len(members), k),
        n_samples - len(found),
        task.n_units,
    )


def _usual_distance(scaled: NDArray[np.float64]) -> float:
    """Return the root mean squared distance from the centre; 1 where all rows are there."""
    # To be given the rows with weight: outliers would let everything else look near.
    return float(_usual_distances(scaled, np.ones((1, scaled.shape[1]), dtype=np.bool_))[0])


def _usual_distances(
    scaled: NDArray[np.float64], is_column: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return usual distances (R,) of the rows with a value in some columns, (R, m)."""
    sums = is_column @ np.nansum(scaled**2, axis=0)
    n_rows = (np.isfinite(scaled) @ is_column.T.astype(np.float64) > 0).sum(axis=0)
    found = np.sqrt(sums / np.maximum(n_rows, 1))
    return np.where(found > 0, found, 1.0)


def _some_rows(scaled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return every so many of many rows."""
    n = len(scaled)
    return scaled[np.linspace(0, n - 1, min(n, _MOST_ROWS_IN_PAIRS)).astype(np.intp)]


def _pairwise_distance(scaled: NDArray[np.float64]) -> float:
    """Return the median distance of two rows; of many rows, of every so many."""
    # By the cells that both have, stretched to all columns; the upper one where two are in the
    # middle, and 1 where the distance is 0.
    some, m = _some_rows(scaled), scaled.shape[1]
    known = np.isfinite(some).astype(np.float64)
    values = np.where(known > 0, some, 0.0)
    squares = values**2 @ known.T
    squares = squares + squares.T - 2 * values @ values.T
    shared = known @ known.T
    is_pair = np.tri(len(some), k=-1, dtype=np.bool_) & (shared > 0)
    found = np.sort(squares[is_pair] * m / shared[is_pair])
    middle = float(found[len(found) // 2]) if len(found) else 0.0
    return float(np.sqrt(max(middle, 0.0))) or 1.0


def _are_near(
    scaled: NDArray[np.float64], is_column: NDArray[np.bool_], apart: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return whether distances (R,) in some columns, (R, m), are near for rows there."""
    # That is, at most `RETURNING` times as far as two rows: no median is needed for that, only how
    # many pairs are so far from one another.
    some = _some_rows(scaled)
    known = np.isfinite(some)
    values, columns = np.where(known, some, 0.0), is_column.T.astype(np.float64)
    limits = (apart / RETURNING) ** 2 / columns.sum(axis=0)
    n_pairs, n_far, n_apart = np.zeros((3, len(apart)))
    first, second = np.tril_indices(len(some), -1)
    for begin in range(0, len(first), _PAIRS_AT_A_TIME):
        own, other = (place[begin : begin + _PAIRS_AT_A_TIME] for place in (first, second))
        both = known[own] & known[other]
        squares = ((values[own] - values[other]) ** 2 * both) @ columns
        shared = both @ columns
        n_pairs += (shared > 0).sum(axis=0)
        n_far += ((squares >= limits * shared) & (shared > 0)).sum(axis=0)
        n_apart += (squares > 0).sum(axis=0)
    is_at_one_place = 2 * n_apart < n_pairs
    return np.where(is_at_one_place | (n_pairs == 0), apart <= RETURNING, 2 * n_far >= n_pairs)


@dataclass(frozen=True, slots=True)
class _Sample:
    """Which columns and rows were drawn, and which rows have a value in these columns."""

    is_column: NDArray[np.bool_]
    chosen: NDArray[np.intp]
    has_value: NDArray[np.bool_]


def _draw(task: _Task, rng: Generator) -> _Sample:
    """Draw a subsample."""
    drawn = subsample(task.n_units, rng)
    is_column = np.ones(task.rows.shape[1], dtype=np.bool_)
    chosen = drawn
    if task.datasets is not None:
        is_column = np.isin(task.datasets, drawn)
        n = len(task.rows)
        chosen = np.arange(n, dtype=np.intp) if task.has_all_rows else subsample(n, rng)
    has_value = np.asarray(np.isfinite(task.rows[:, is_column]).any(axis=1))
    chosen = chosen[has_value[chosen]]
    if len(chosen) > _MOST_ROWS:
        chosen = np.sort(rng.choice(chosen, size=_MOST_ROWS, replace=False))
    return _Sample(is_column, chosen, has_value)


class _Match(NamedTuple):
    """The columns of a subsample, how far archetypes are apart there, and shares of groups."""

    is_column: NDArray[np.bool_]
    apart: NDArray[np.float64]
    shares: NDArray[np.float64]


def _matched_samples(task: _Task, streams: Sequence[Generator]) -> list[_Match]:
    """Match the archetypes of subsamples, but for those with too few vertices."""
    samples = [_draw(task, rng) for rng in streams]
    fits = rough_archetypes(
        [task.rows[np.ix_(own.chosen, np.flatnonzero(own.is_column))] for own in samples],
        len(task.fit.scaled),
        streams,
        weights=[None if task.weights is None else task.weights[own.chosen] for own in samples],
        options=replace(task.fit.options, n_starts=task.n_starts, limits=ROUGH_FIT),
    )
    pairs = [(own, fit) for own, fit in zip(samples, fits, strict=True) if fit is not None]
    shares = _shares_of_groups(task, pairs)
    return [_match(task.fit, *pair, own) for pair, own in zip(pairs, shares, strict=True)]


def _match(fit: Archetypes, sample: _Sample, again: Places, shares: NDArray[np.float64]) -> _Match:
    """Match the archetypes of a subsample."""
    own = sample.is_column
    scaling = Scaling(fit.scaling.centre[own], fit.scaling.scale[own])
    partner, apart = matched(fit.scaled[:, own], scaling.scaled(again.archetypes))
    return _Match(own, apart, shares[:, partner])


def _shares_of_groups(
    task: _Task, pairs: Sequence[tuple[_Sample, Places]]
) -> list[NDArray[np.float64]]:
    """Return the mean mixtures (g, k) of the groups' rows that have a value in the subsample."""
    if not len(task.members):
        return [np.empty((0, len(task.fit.scaled)))] * len(pairs)
    found = []
    at_once = max(1, _MOST_ROWS_AT_ONCE // len(task.rows))
    for begin in range(0, len(pairs), at_once):
        some = pairs[begin : begin + at_once]
        tables = [
            task.rows[np.ix_(np.flatnonzero(own.has_value), np.flatnonzero(own.is_column))]
            for own, _ in some
        ]
        for (own, _), mixtures in zip(
            some, mixtures_of(tables, [fit for _, fit in some]), strict=True
        ):
            members = task.members[:, own.has_value]
            found.append(members @ mixtures / np.maximum(members.sum(axis=1, keepdims=True), 1))
    return found
