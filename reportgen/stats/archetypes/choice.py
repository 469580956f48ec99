"""How many archetypes: scree with an elbow, and whether the archetypes come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from reportgen.stats.archetypes.descent import Limits
from reportgen.stats.archetypes.fit import Archetypes, archetypes, polished
from reportgen.stats.archetypes.options import Options

# A further archetype counts when it explains at least this much of what one point leaves. With
# 0.07 the numbers are those that Eugster (2011) reads off his screes: 3 of the toy data, 3 of the
# skeletal measures, 4 of the domain.
LEAST_GAIN = 0.07

# A scree needs no more than this; the number of archetypes that is taken goes all the way.
NEAR = Limits(decrease=3e-5, gap=3e-3)

# Samples need no more than this to tell whether an archetype comes back.
ROUGH_FIT = Limits(decrease=1e-3, gap=None, sweeps=300)
STARTS_OF_SAMPLES = 2


@dataclass(frozen=True, slots=True)
class Scree:
    """Fits with one number of archetypes after the other, and the elbow.

    Attributes
    ----------
    fits : tuple of Archetypes
        With numbers that rise.
    objectives : tuple of float
        Comparable ones: those of the fits; for robust fits the squared residuals of the rows that
        have weight in at least half of the fits with several archetypes.
    explained : tuple of float
        1 minus the objective over that of a single point.
    elbow : int
        The number of archetypes by the rule of `elbow`.
    taken : int
        The number of archetypes whose fit went all the way: the one asked for, or the elbow.
    """

    fits: tuple[Archetypes, ...]
    objectives: tuple[float, ...]
    explained: tuple[float, ...]
    elbow: int
    taken: int

    @property
    def chosen(self) -> Archetypes:
        """The fit that is taken."""
        return self.fits[self.taken - 1]


def scree(
    rows: NDArray[np.float64],
    most: int,
    rng: Generator,
    *,
    weights: NDArray[np.float64] | None = None,
    options: Options | None = None,
    least_gain: float = LEAST_GAIN,
    taken: int | None = None,
) -> Scree:
    """Fit 1 to `most` archetypes and find the elbow.

    Parameters
    ----------
    rows, weights, options
        As in `archetypes`.
    most : int
    rng : Generator
        Each number of archetypes gets a stream of its own, so that a larger `most` leaves the
        smaller numbers as they were. Most of several starts go on from the fit before, so that
        sums of squares do not rise.
    least_gain : float
    taken : int, optional
        The number of archetypes to take, from 1 to `most`; that at the elbow when omitted. Only
        its fit goes all the way to the limits of the options: the others end near theirs (robust
        ones too go all the way).
    """
    options = options or Options()
    is_robust = options.method == "robust"
    near = options if is_robust else replace(options, limits=_wider(options.limits))
    fits: tuple[Archetypes, ...] = ()
    for k, stream in enumerate(rng.spawn(most), start=1):
        last = fits[-1] if fits else None
        found = archetypes(rows, k, stream, weights=weights, options=near, after=last)
        fits = (*fits, found)
    k = taken or elbow(_comparable(fits), least_gain)
    if not is_robust:
        fits = (*fits[: k - 1], polished(rows, fits[k - 1], options, weights), *fits[k:])
    objectives = _comparable(fits)
    total = objectives[0]
    explained = tuple(1 - o / total if total > 0 else 1.0 for o in objectives)
    return Scree(fits, objectives, explained, elbow(objectives, least_gain), k)


def _wider(limits: Limits) -> Limits:
    """Return limits that a scree keeps to: never narrower than those of its options."""
    gap = None if limits.gap is None else max(limits.gap, NEAR.gap or 0.0)
    return replace(limits, decrease=max(limits.decrease, NEAR.decrease), gap=gap)


def _comparable(fits: Sequence[Archetypes]) -> tuple[float, ...]:
    """Return objectives that stand beside one another.

    Robust fits have bounds of their own, and no bound suits all: with a small one most rows are
    beyond it for few archetypes. So their squared residuals are compared, of the rows that have
    weight in at least half of the fits with several archetypes.
    """
    if fits[0].bound is None:
        return tuple(f.objective for f in fits)
    counted = fits[1:] or fits
    kept = np.mean([f.weights > 0 for f in counted], axis=0) >= 0.5
    return tuple(float((f.residuals[kept] ** 2).sum()) for f in fits)


def elbow(objectives: Sequence[float], least_gain: float = LEAST_GAIN) -> int:
    """Return the largest number of archetypes whose last one was still worth it.

    An archetype is worth it when it takes away at least `least_gain` of the objective of one
    archetype. Unlike the corner of a curve, this does not depend on how far the curve is drawn.

    Parameters
    ----------
    objectives : sequence of float
        Of 1, 2, ... archetypes.
    least_gain : float

    Examples
    --------
    The toy data of Eugster and Leisch, a triangle:

    >>> elbow([498, 141.0891, 5.786226, 2.216452, 0.278506])
    3
    """
    if not objectives:
        raise ValueError("there must be at least one objective")
    gains = -np.diff(np.asarray(objectives, dtype=float))
    worth = np.flatnonzero(gains >= least_gain * objectives[0])
    return int(worth[-1]) + 2 if len(worth) and objectives[0] > 0 else 1


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
class Stability:
    """Whether archetypes come back in samples of the rows.

    Attributes
    ----------
    distances : ndarray of shape (R, k)
        Distance of each archetype from its match in each sample, in units of the root mean squared
        distance of a row from the centre: 0 is the same place, 1 as far as a usual row from the
        middle.
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
    scaled = fit.scaling.scaled(rows)
    unit = float(np.sqrt(np.nanmean(np.nansum(scaled**2, axis=1)))) or 1.0
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


def agreement_of_starts(fit: Archetypes, tolerance: float = 1e-3) -> float:
    """Return the part of the starts that came within a relative tolerance of the best objective."""
    limit = fit.objective * (1 + tolerance) + np.finfo(float).tiny
    return float(np.mean([start.objective <= limit for start in fit.starts]))
