"""The choice of the number of archetypes: a scree with an elbow, and fresh starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.archetypal_analysis import LEAST_GAIN
from reportgen.stats.archetypal_analysis.descent import Limits
from reportgen.stats.archetypal_analysis.fit import Archetypes, Options, fit_archetypes, polished
from reportgen.stats.archetypal_analysis.stability import Restarts, restarts
from reportgen.stats.arrays import Array
from reportgen.stats.frame import Columns, Tabular, count

# A scree needs no more than this; the chosen number has the limits of the options.
NEAR = Limits(decrease=3e-5, gap=3e-3)


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
    n_archetypes : int
        The number of archetypes of the chosen fit: the one requested, or the elbow.
    """

    fits: tuple[Archetypes, ...]
    objectives: tuple[float, ...]
    explained: tuple[float, ...]
    elbow: int
    n_archetypes: int

    @property
    def chosen(self) -> Archetypes:
        """The chosen fit."""
        return self.fits[self.n_archetypes - 1]


def scree(
    rows: NDArray[np.float64],
    most: int,
    rng: Generator,
    *,
    weights: NDArray[np.float64] | None = None,
    options: Options | None = None,
    least_gain: float = LEAST_GAIN,
    n_archetypes: int | None = None,
) -> Scree:
    """Fit 1 to `most` archetypes and find the elbow.

    `rows`, `weights`, `options`: as in `archetypes`.
    `rng`: each number of archetypes gets a stream of its own, so that a larger `most` leaves the
    smaller numbers as they were. Up to three of several starts go on from the fit before, so that
    sums of squares do not rise.
    `n_archetypes`: the number of archetypes to choose, from 1 to `most`; that at the elbow when
    omitted. Only its fit goes all the way to the limits of the options: the others end near theirs
    (robust ones too go all the way).
    """
    options = options or Options()
    is_robust = options.method == "robust"
    near = options if is_robust else replace(options, limits=_wider(options.limits))
    fits: tuple[Archetypes, ...] = ()
    for k, stream in enumerate(rng.spawn(most), start=1):
        last = fits[-1] if fits else None
        found = fit_archetypes(rows, k, stream, weights=weights, options=near, after=last)
        fits = (*fits, found)
    k = n_archetypes or elbow(_comparable(fits), least_gain)
    if not is_robust:
        fits = (*fits[: k - 1], polished(rows, fits[k - 1], options, weights), *fits[k:])
    return _scree_of(fits, k, least_gain)


def replace_fit(found: Scree, fit: Archetypes, least_gain: float = LEAST_GAIN) -> Scree:
    """Replace the chosen fit by a better one.

    `fit`: with as many archetypes as the chosen one.
    `least_gain`: as in `scree`. A number that was at the elbow stays there.
    """
    k = found.n_archetypes
    if len(fit.scaled) != k:
        raise ValueError(f"{k} archetypes are chosen, and the other fit has {len(fit.scaled)}")
    fits = (*found.fits[: k - 1], fit, *found.fits[k:])
    again = _scree_of(fits, k, least_gain)
    return replace(again, elbow=k) if found.elbow == k else again


def _scree_of(fits: tuple[Archetypes, ...], n_archetypes: int, least_gain: float) -> Scree:
    """Return what fits explain, and where their elbow is."""
    objectives = _comparable(fits)
    total = objectives[0]
    explained = tuple(1 - o / total if total > 0 else 1.0 for o in objectives)
    return Scree(fits, objectives, explained, elbow(objectives, least_gain), n_archetypes)


def _wider(limits: Limits) -> Limits:
    """Return limits that a scree keeps to: never narrower than those of its options."""
    gap = None if limits.gap is None else max(limits.gap, NEAR.gap or 0.0)
    return replace(limits, decrease=max(limits.decrease, NEAR.decrease), gap=gap)


def _comparable(fits: Sequence[Archetypes]) -> tuple[float, ...]:
    """Return comparable objectives."""
    # Robust fits have bounds of their own, and no bound suits all: with a small one most rows are
    # beyond it for few archetypes. So their squared residuals are compared, of the rows that have
    # weight in at least half of the fits with several archetypes.
    if fits[0].bound is None:
        return tuple(f.objective for f in fits)
    counted = fits[1:] or fits
    kept = np.mean([f.weights > 0 for f in counted], axis=0) >= 0.5
    return tuple(float((f.residuals[kept] ** 2).sum()) for f in fits)


def elbow(objectives: Sequence[float], least_gain: float = LEAST_GAIN) -> int:
    """Return the largest number of archetypes whose last one was still worth it.

    An archetype is worth it when it takes away at least `least_gain` of the objective of one
    archetype. Unlike the corner of a curve, this does not depend on how far the curve is drawn.

    `objectives`: of 1, 2, ... archetypes.

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


@dataclass(frozen=True, slots=True, repr=False)
class ArchetypesFit(Tabular):
    """Archetypes of some rows.

    Attributes
    ----------
    scree : Scree
        What `fit` was chosen from; it is there in the order of its first column.
    restarts : Restarts or None
        Fresh starts; none for a single archetype.
    fit : Archetypes
        The chosen fit, the archetypes with the lowest percentiles first.
    columns : tuple of str
        Names of the table's columns; empty as long as they have none.
    """

    scree: Scree
    restarts: Restarts | None
    fit: Archetypes
    columns: tuple[str, ...] = ()

    @property
    def archetypes(self) -> Array:
        """Shape (k, m), in the units of the table."""
        return self.fit.archetypes

    @property
    def mixtures(self) -> Array:
        """Shape (n, k): what each row is made of; rows on the simplex."""
        return self.fit.mixtures

    def to_columns(self) -> Columns:
        """Return the columns of the archetypes, a row an archetype and column of the table.

        Returns
        -------
        dict
            `archetype`: number from 1; `column`: of the table; `value`: in its unit.
        """
        k, m = self.archetypes.shape
        return {
            "archetype": np.repeat(np.arange(1, k + 1), m),
            "column": (self.columns or tuple(map(str, range(m)))) * k,
            "value": self.archetypes.ravel(),
        }

    def _heading(self) -> str:
        share = f"{100 * self.fit.explained:.3g} % explained"
        return f"{count(len(self.archetypes), 'archetype')} of {len(self.mixtures)} rows, {share}"


def choose_fit(
    rows: Array,
    most: int,
    generators: tuple[Generator, Generator],
    *,
    weights: Array | None = None,
    options: Options | None = None,
    least_gain: float = LEAST_GAIN,
    n_archetypes: int | None = None,
    mapper: Callable[..., Iterable[Any]] = map,
) -> ArchetypesFit:
    """Fit 1 to `most` archetypes, and fit anew with the chosen number.

    `rows`, `most`, `weights`, `options`, `least_gain`, `n_archetypes`: as of `scree`.
    `generators`: of the scree, and of the fresh starts, as many as `options` has.
    `mapper`: does the fresh starts, like `map`: in turn or side by side.
    """
    options = options or Options()
    found = scree(
        rows,
        most,
        generators[0],
        weights=weights,
        options=options,
        least_gain=least_gain,
        n_archetypes=n_archetypes,
    )
    if found.n_archetypes == 1:
        return ArchetypesFit(found, None, found.chosen)
    again = restarts(
        rows, found.chosen, options.n_starts, generators[1], weights=weights, mapper=mapper
    )
    if again.is_better:
        found = replace_fit(found, again.fit, least_gain)
    return ArchetypesFit(found, again, _sorted(found.chosen, rows))


def percentiles_of(rows: Array, archetypes: Array) -> Array:
    """Return the share of each column's values below archetypes, ties counting half.

    `rows`: (n, m); NaN for gaps.
    `archetypes`: (k, m).

    Examples
    --------
    >>> percentiles_of(np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([[2.0]]))
    array([[0.375]])
    """
    values = rows[None]
    with np.errstate(invalid="ignore"):
        # archetypes that are rows differ from them by rounding
        near = np.isclose(values, archetypes[:, None], rtol=1e-9, atol=0)
        below = ((values < archetypes[:, None]) & ~near).sum(axis=1) + 0.5 * near.sum(axis=1)
    return np.asarray(below / np.isfinite(rows).sum(axis=0))


def _sorted(fit: Archetypes, rows: Array) -> Archetypes:
    """Put the archetypes with the lowest percentiles first."""
    order = np.argsort(percentiles_of(rows, fit.archetypes).mean(axis=1), kind="stable")
    return replace(
        fit,
        archetypes=fit.archetypes[order],
        scaled=fit.scaled[order],
        mixtures=fit.mixtures[:, order],
        shares=fit.shares[order],
    )
