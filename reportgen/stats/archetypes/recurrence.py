"""Whether archetypes come back: from fresh starts, and in samples of the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import cycle, islice, repeat
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from reportgen.stats.archetypes.beginnings import BeginningName
from reportgen.stats.archetypes.descent import Limits
from reportgen.stats.archetypes.fit import Archetypes, archetypes
from reportgen.stats.archetypes.losses import Bisquare
from reportgen.stats.archetypes.options import Options

# A start agrees when none of its archetypes is so far from its match, in units of a usual row's
# distance from the centre.
AGREEING = 0.1

# What counts as rounding: relative to what a fit leaves, and to what a single point does.
_ROUNDING = 1e-6
_NOTHING = 1e-12

# How fresh starts begin, in turn, where those of a fit are mixed: its furthest sum would only come
# out as it did.
_FRESH: tuple[BeginningName, ...] = ("plus_plus", "random")

# Samples need no more than this to tell whether an archetype comes back.
ROUGH_FIT = Limits(decrease=1e-3, gap=None, sweeps=300)
STARTS_OF_SAMPLES = 2


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
    """Whether fresh starts come to the same archetypes.

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
    """

    fit: Archetypes
    is_better: bool
    distances: NDArray[np.float64]

    @property
    def agrees(self) -> NDArray[np.bool_]:
        """Whether a start has all archetypes of the fit, of shape (s,)."""
        return self.distances < AGREEING

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

    The starts of a fit do not tell how many of them agree: most are given up, or stopped early.

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
    found = list(mapper(_restarted, *own, options, rng.spawn(n_starts)))
    best = min(found, key=lambda start: _left(start, fit))
    is_better = _left(best, fit) < (1 - _ROUNDING) * fit.objective - _NOTHING * fit.total
    if is_better:
        fit = replace(best, options=fit.options)
    unit = _usual_distance(rows, fit)
    apart = [matched(fit.scaled, start.scaled)[1].max() / unit for start in found]
    return Restarts(fit, is_better, np.array(apart))


def _restarted(
    rows: NDArray[np.float64],
    k: int,
    weights: NDArray[np.float64] | None,
    options: Options,
    rng: Generator,
) -> Archetypes:
    """Find archetypes from one start."""
    return archetypes(rows, k, rng, weights=weights, options=options)


def _left(start: Archetypes, fit: Archetypes) -> float:
    """Return the objective of a start as the fit would have it; endless where it has none."""
    if fit.bound is None or start.bound is None:
        return start.objective
    if start.bound > (1 + _ROUNDING) * fit.bound:
        return np.inf
    return float(Bisquare(fit.bound).objective(start.residuals**2))


@dataclass(frozen=True, slots=True)
class Stability:
    """Whether archetypes come back in samples of the rows.

    Attributes
    ----------
    distances : ndarray of shape (R, k)
        Distance of each archetype from its match in each sample, in units of the root mean squared
        distance from the centre of a row with weight: 0 is the same place, 1 as far as a usual row
        from the middle.
    shares : ndarray of shape (R, g, k)
        Mean mixtures of the groups of rows by each sample's archetypes, matched.
    n_failed : int
        Samples whose hull had too few vertices.
    """

    distances: NDArray[np.float64]
    shares: NDArray[np.float64]
    n_failed: int

    @property
    def medians(self) -> NDArray[np.float64]:
        """Median distance of each archetype over the samples, of shape (k,)."""
        return np.asarray(np.median(self.distances, axis=0))


def stability(
    rows: NDArray[np.float64],
    fit: Archetypes,
    n_samples: int,
    rng: Generator,
    *,
    weights: NDArray[np.float64] | None = None,
    groups: NDArray[np.int64] | None = None,
    mapper: Callable[..., Iterable[Any]] = map,
) -> Stability:
    """Fit samples of the rows, drawn with replacement, and match the archetypes.

    Parameters
    ----------
    rows, weights
        What `fit` was made of.
    fit : Archetypes
    n_samples : int
        R, at least 1.
    rng : Generator
    groups : ndarray of shape (n,), int, optional
        Which group a row belongs to, from 0; all belong to one when omitted.
    mapper : callable, optional
        Does the samples, like `map`: in turn or side by side.
    """
    unit = _usual_distance(rows, fit)
    of = np.zeros(len(rows), dtype=np.int64) if groups is None else groups
    members = np.eye(int(of.max()) + 1)[:, of]
    members /= members.sum(axis=1, keepdims=True)
    found = mapper(
        _matched_sample,
        *(repeat(x) for x in (rows, fit, weights)),
        rng.spawn(n_samples),
    )
    pairs = [pair for pair in found if pair is not None]
    k = len(fit.scaled)
    return Stability(
        np.array([apart / unit for apart, _ in pairs]).reshape(-1, k),
        np.array([members @ mixtures for _, mixtures in pairs]).reshape(-1, len(members), k),
        n_samples - len(pairs),
    )


def _usual_distance(rows: NDArray[np.float64], fit: Archetypes) -> float:
    """Return the root mean squared distance from the centre; 1 where all rows are there.

    Of the rows with weight: outliers would let everything else look near.
    """
    squares = np.nansum(fit.scaling.scaled(rows[fit.weights > 0]) ** 2, axis=1)
    return float(np.sqrt(squares.mean())) or 1.0


def _matched_sample(
    rows: NDArray[np.float64],
    fit: Archetypes,
    weights: NDArray[np.float64] | None,
    rng: Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return how far a sample's archetypes are from those of all, and what rows are made of."""
    options = replace(
        fit.options, n_starts=min(STARTS_OF_SAMPLES, fit.options.n_starts), limits=ROUGH_FIT
    )
    again = _of_sample(rows, len(fit.scaled), weights, options, rng)
    if again is None:
        return None
    partner, apart = matched(fit.scaled, fit.scaling.scaled(again.archetypes))
    return apart, again.mixtures_of(rows)[:, partner]


def _of_sample(
    rows: NDArray[np.float64],
    k: int,
    weights: NDArray[np.float64] | None,
    options: Options,
    rng: Generator,
) -> Archetypes | None:
    """Find the archetypes of a sample; none where it has too few vertices."""
    drawn = rng.integers(len(rows), size=len(rows))
    some = None if weights is None else weights[drawn]
    try:
        return archetypes(rows[drawn], k, rng, weights=some, options=options)
    except ValueError:
        return None
