"""Archetypal analysis: options, checks of the table, and the best fit of several starts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.archetypal_analysis.acceleration import Memory
from reportgen.stats.archetypal_analysis.descent import Descent, Limits, descend, resume
from reportgen.stats.archetypal_analysis.initialisation import (
    BEGINNINGS,
    SCALINGS,
    BeginningName,
    Scaling,
    ScalingName,
    beginnings,
    beginnings_of,
    majority,
    scaling_of,
)
from reportgen.stats.archetypal_analysis.problem import (
    Bisquare,
    Loss,
    Problem,
    Squared,
    mix,
    mix_side_by_side,
    settled,
    vertices,
)
from reportgen.stats.archetypal_analysis.robust import robust_descents
from reportgen.stats.ranking import NOISE, levelled

Method = Literal["original", "weighted", "robust"]
Weighting = Literal["residual", "shrink"]

METHODS: tuple[str, ...] = get_args(Method)
WEIGHTINGS: tuple[str, ...] = get_args(Weighting)


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the search for archetypes.

    Attributes
    ----------
    method : {"original", "weighted", "robust"}
    weighting : {"residual", "shrink"}
        Weights on squared residuals, or rows shrunk towards the centre by their weight (what R's
        package does, which depends on where the centre is).
    scaling : {"standard", "robust", "none"} or None
        Robust for the robust method and standard else, when none.
    beginning : {"mixed", "furthest_sum", "plus_plus", "random"}
    n_starts : int
    limits : Limits
        When the best descent ends.
    is_polishing_all : bool
        Whether all starts go all the way, not only the best quarter of them.
    """

    method: Method = "original"
    weighting: Weighting = "residual"
    scaling: ScalingName | None = None
    beginning: BeginningName = "mixed"
    n_starts: int = 8
    limits: Limits = field(default_factory=Limits)
    is_polishing_all: bool = False

    def __post_init__(self) -> None:
        allowed = (
            ("method", METHODS),
            ("weighting", WEIGHTINGS),
            ("scaling", (None, *SCALINGS)),
            ("beginning", BEGINNINGS),
        )
        for name, names in allowed:
            if getattr(self, name) not in names:
                raise ValueError(f"{name} must be one of {names}, got {getattr(self, name)!r}")
        if self.n_starts < 1:
            raise ValueError(f"n_starts must be at least 1, got {self.n_starts}")

    @property
    def scaling_name(self) -> ScalingName:
        """The scaling that is used."""
        return self.scaling or ("robust" if self.method == "robust" else "standard")

    @property
    def is_shrinking(self) -> bool:
        """Whether weights shrink the rows."""
        return is_shrinking(self.method, self.weighting)

    @property
    def allows_gaps(self) -> bool:
        """Whether cells may be missing."""
        return allows_gaps(self.method, self.weighting)


def is_shrinking(method: str, weighting: str) -> bool:
    """Whether weights of a method shrink the rows."""
    return method == "weighted" and weighting == "shrink"


def allows_gaps(method: str, weighting: str) -> bool:
    """Whether a method takes rows with missing cells."""
    return method != "robust" and not is_shrinking(method, weighting)


# Directions in which rows vary less than this, relative to the most, may be rounding.
_FLAT = 1e-10


def checked(rows: NDArray[np.float64], options: Options) -> NDArray[np.float64]:
    """Return the table; raise an error where it is invalid."""
    if rows.ndim != 2 or 0 in rows.shape:
        raise ValueError(f"rows must have shape (n, m) with n, m >= 1, got {rows.shape}")
    if np.isinf(rows).any():
        raise ValueError(f"row {int(np.isinf(rows).any(axis=1).argmax())} has an infinite cell")
    gaps = np.isnan(rows)
    if gaps.all(axis=1).any():
        raise ValueError(f"row {int(gaps.all(axis=1).argmax())} has no observed cell")
    if gaps.any(axis=1).all():
        raise ValueError(
            "archetypes are mixtures of rows without gaps, and every row has one: leave out the "
            "columns with most gaps"
        )
    if gaps.any() and not options.allows_gaps:
        what = "robust archetypes" if options.method == "robust" else "weights that shrink rows"
        raise ValueError(f"{what} need rows without gaps: {int(gaps.any(axis=1).sum())} have one")
    return rows


def checked_weights(
    rows: NDArray[np.float64], weights: NDArray[np.float64] | None, options: Options
) -> NDArray[np.float64]:
    """Return one weight a row; raise an error where they are invalid."""
    if weights is None:
        return np.ones(len(rows))
    if options.method != "weighted":
        raise ValueError(f"weights belong to the weighted method, not to {options.method!r}")
    is_number = weights.shape == rows.shape[:1] and np.isfinite(weights).all()
    if not is_number or (weights < 0).any() or not weights.any():
        raise ValueError(f"weights must be {len(rows)} non-negative numbers, not all zero")
    return weights.astype(float)


def scaling_by(
    rows: NDArray[np.float64], weights: NDArray[np.float64], options: Options
) -> Scaling:
    """Find the scaling of the rows that count: rows without weight are left out.

    Weights that shrink rows do so on the scale of all of them.
    """
    counts = np.full(len(rows), options.is_shrinking) | (weights > 0)
    if not np.isfinite(rows[counts]).all(axis=1).any():
        raise ValueError("archetypes are mixtures of rows without gaps, and all these weigh 0")
    return scaling_of(rows[counts], options.scaling_name)


def stated(scaled: NDArray[np.float64], weights: NDArray[np.float64], options: Options) -> Problem:
    """State the problem: zeros for gaps, and a hull of rows that are complete and count."""
    observed = np.isfinite(scaled)
    is_complete = observed.all(axis=1)
    if options.is_shrinking:
        return Problem.of(scaled * weights[:, None], np.arange(len(scaled)))
    hull = np.flatnonzero(is_complete & (weights > 0))
    return Problem.of(
        np.where(observed, scaled, 0.0), hull, None if is_complete.all() else observed
    )


def check_number(problem: Problem, n_archetypes: int, options: Options) -> None:
    """Refuse numbers of archetypes that the data cannot have."""
    if n_archetypes < 1:
        raise ValueError(f"there must be at least 1 archetype, got {n_archetypes}")
    most = _most(problem, n_archetypes, options)
    if most < n_archetypes:
        corners = problem.corners
        raise ValueError(
            f"{n_archetypes} archetypes were requested, but the hull of the rows has only {most} "
            f"vertices (n_samples = {len(corners)}, n_features = {corners.shape[1]})"
        )


def _most(problem: Problem, at_most: int, options: Options) -> int:
    """Return how many vertices a hull has: of all rows, or for a robust fit of the nearest half."""
    # A few outliers around all other rows have a hull of few vertices.
    found = _n_vertices(problem.corners, at_most)
    if found == at_most or options.method != "robust":
        return found
    nearest = problem.corners[majority(problem.corners, at_most)]
    return max(found, _n_vertices(nearest, at_most))


def _n_vertices(rows: NDArray[np.float64], at_most: int) -> int:
    """Count the vertices of the hull; a hull of d dimensions has d + 1 at least."""
    corners = rows - rows.mean(axis=0)
    is_wide = corners.shape[0] < corners.shape[1]  # both have the same values but for zeros
    scatter = np.linalg.eigvalsh(corners @ corners.T if is_wide else corners.T @ corners)
    if at_most <= 1 + int((scatter > _FLAT * scatter[-1]).sum()) and scatter[-1] > 0:
        return at_most
    return len(vertices(corners, at_most))


def most_archetypes(
    rows: NDArray[np.float64],
    at_most: int,
    weights: NDArray[np.float64] | None = None,
    options: Options | None = None,
) -> int:
    """Return how many archetypes a table can have, or `at_most` where it can have more.

    `rows`, `weights`, `options`: as in `fit_archetypes`.
    """
    options = options or Options()
    given = checked_weights(rows, weights, options)
    scaling = scaling_by(checked(rows, options), given, options)
    return _most(stated(scaling.scaled(rows), given, options), at_most, options)


# All starts go down this far; then the best quarter goes all the way.
ROUGH = Limits(decrease=1e-4, gap=None, sweeps=300)
MOST_FURTHER = 3  # starts that go on from a fit of one archetype fewer; all others are fresh
_SAME_PLACE = 1e-6  # of the size of the archetypes: coordinates that are nearer are equal


@dataclass(frozen=True, slots=True)
class Start:
    """One start: the objective it reached, after how many sweeps, and whether it went all the way.

    A start that was stopped early, because others were far better, is not converged.
    """

    objective: float
    n_sweeps: int
    is_converged: bool


@dataclass(frozen=True, slots=True)
class Archetypes:
    """Archetypes of a table, sorted by their first column.

    Attributes
    ----------
    archetypes : ndarray of shape (k, m)
        In the units of the table.
    scaled : ndarray of shape (k, m)
        In the units of the fit.
    mixtures : ndarray of shape (n, k)
        What each row is made of; rows on the simplex.
    shares : ndarray of shape (k, n)
        What each archetype is made of; rows on the simplex. With `shrink`: of the shrunk rows.
    residuals : ndarray of shape (n,)
        Euclidean residual of each row in scaled units, over the observed cells.
    weights : ndarray of shape (n,)
        The weights given, or those of the robust fit: (1 - r^2/c^2)^2; else ones.
    objective : float
        The weighted sum of squared residuals, or the sum of rho_c for the robust fit.
    total : float
        The objective of the best single point, for the share that is explained.
    bound : float or None
        c of the robust fit.
    scaling : Scaling
    options : Options
    trace : tuple of float
        The objective of the best descent after each sweep; never rising.
    is_converged : bool
    starts : tuple of Start
        All starts, in their order.
    """

    archetypes: NDArray[np.float64]
    scaled: NDArray[np.float64]
    mixtures: NDArray[np.float64]
    shares: NDArray[np.float64]
    residuals: NDArray[np.float64]
    weights: NDArray[np.float64]
    objective: float
    total: float
    bound: float | None
    scaling: Scaling
    options: Options
    trace: tuple[float, ...]
    is_converged: bool
    starts: tuple[Start, ...]

    @property
    def explained(self) -> float:
        """The part of the best single point's objective that the archetypes take away."""
        return 1 - self.objective / self.total if self.total > 0 else 1.0

    def mixtures_of(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what new rows (n, m) are made of, (n, k), by their observed cells.

        Raises ValueError if a row has no observed cell, or another number of columns.
        """
        if rows.ndim != 2 or rows.shape[1] != self.archetypes.shape[1]:
            raise ValueError(
                f"rows must have {self.archetypes.shape[1]} columns, got shape {rows.shape}"
            )
        scaled = self.scaling.scaled(rows)
        observed = np.isfinite(scaled)
        if not observed.any(axis=1).all():
            raise ValueError(f"row {int((~observed.any(axis=1)).argmax())} has no observed cell")
        gaps = None if observed.all() else observed
        return mix(np.where(observed, scaled, 0.0), self.scaled, gaps)


def fit_archetypes(
    rows: NDArray[np.float64],
    n_archetypes: int,
    rng: Generator,
    *,
    weights: NDArray[np.float64] | None = None,
    options: Options | None = None,
    after: Archetypes | None = None,
    total: float | None = None,
) -> Archetypes:
    r"""Find the archetypes of a table.

    Minimises :math:`\sum_i |x_i - Z' a_i|^2` over mixtures :math:`a_i` on the simplex and
    archetypes :math:`Z = \beta X` that are mixtures of rows themselves (Cutler and Breiman 1994,
    Technometrics 36); with weights on the squared residuals, or with a bisquare of the residuals,
    where requested. Each step is exact and none rises.

    Parameters
    ----------
    rows : ndarray of shape (n, m)
        Cells that were not observed are nan: rows count by their observed cells, and archetypes
        are mixtures of the rows without gaps.
    n_archetypes : int
        k, from 1 to the number of vertices of the hull.
    rng : Generator
    weights : ndarray of shape (n,), optional
        Not negative, for the weighted method and only for it.
    options : Options, optional
    after : Archetypes, optional
        A fit of one archetype fewer to the same rows: of several starts up to three are from it
        and one more row, the first from the row that it fits worst, so that one archetype more
        leaves no more behind; the others from rows at random, by their part of what is left. Not
        for the robust method, whose starts are from the majority.
    total : float, optional
        What a single point leaves, where that is known.

    Raises
    ------
    ValueError
        If the table, the number of archetypes or the weights are invalid.

    References
    ----------
    .. [1] M. J. A. Eugster and F. Leisch (2011), "Weighted and robust archetypal analysis",
       Computational Statistics and Data Analysis 55.

    Examples
    --------
    >>> table = np.array([[0.0, 0], [4, 0], [0, 4], [1, 1], [2, 2], [1, 2]])
    >>> found = fit_archetypes(table, 3, np.random.default_rng(1))
    >>> sorted(map(tuple, (found.archetypes.round(6) + 0.0).tolist()))
    [(0.0, 0.0), (0.0, 4.0), (4.0, 0.0)]
    """
    options = options or Options()
    given, scaling, problem = _begin(rows, n_archetypes, weights, options)
    loss: Loss
    if options.method == "robust":
        loss, descents = robust_descents(
            problem, n_archetypes, options.beginning, options.n_starts, options.limits, rng
        )
    else:
        loss = _square(given, options)
        descents = _descents(problem, n_archetypes, loss, options, rng, after)
    if total is None and isinstance(loss, Squared):
        alone = min(d.objective for d in descents) if n_archetypes == 1 else None
        total = alone if after is None else after.total
    return _result(rows, given, scaling, options, problem, loss, descents, total)


class _Begun(NamedTuple):
    """One weight a row, the scaling, and the problem."""

    given: NDArray[np.float64]
    scaling: Scaling
    problem: Problem


def _begin(
    rows: NDArray[np.float64], k: int, weights: NDArray[np.float64] | None, options: Options
) -> _Begun:
    """State the problem; raise an error where what is given is invalid."""
    given = checked_weights(rows, weights, options)
    scaling = scaling_by(checked(rows, options), given, options)
    problem = stated(scaling.scaled(rows), given, options)
    check_number(problem, k, options)
    return _Begun(given, scaling, problem)


@dataclass(frozen=True, slots=True)
class Places:
    """Where archetypes of a table are."""

    archetypes: NDArray[np.float64]  # (k, m); in the units of the table
    scaled: NDArray[np.float64]  # (k, m); in the units of the fit
    scaling: Scaling


# Rows and corners that are left, at least, where the starts of rough fits begin with every so many.
_FEW_ROWS, _FEW_CORNERS = 240, 120
_ON_FEW_ROWS = Limits(decrease=3e-2, gap=None, sweeps=300)


def rough_archetypes(
    tables: Sequence[NDArray[np.float64]],
    n_archetypes: int,
    generators: Sequence[Generator],
    *,
    weights: Sequence[NDArray[np.float64] | None],
    options: Options,
) -> list[Places | None]:
    """Find the archetypes of several tables side by side, as nearly as samples need them.

    The starts first go down some way; of many rows, they have every so many. Then the best one goes
    all the way, with all rows: where it ends is then a matter of few steps.

    `tables`: each (n, m).
    `weights`: sequence of ndarray of shape (n,), or None; as in `fit_archetypes`, of each table.
    Result: None where `fit_archetypes` has an error.
    """
    found: list[Places | None] = [None] * len(tables)
    begun: dict[int, _Begun] = {}
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, (rows, given) in enumerate(zip(tables, weights, strict=True)):
        with suppress(ValueError):
            if options.method == "robust" or n_archetypes == 1:
                stream = generators[number]
                fit = fit_archetypes(
                    rows, n_archetypes, stream, weights=given, options=options, total=np.nan
                )
                found[number] = Places(fit.archetypes, fit.scaled, fit.scaling)
                continue
            begun[number] = own = _begin(rows, n_archetypes, given, options)
            step = min(len(rows) // _FEW_ROWS, len(own.problem.hull) // _FEW_CORNERS)
            groups.setdefault((*rows.shape, max(1, step)), []).append(number)
    for (*_, step), numbers in groups.items():
        same, streams = [begun[i] for i in numbers], [generators[i] for i in numbers]
        scaled = _scaled_places(same, n_archetypes, streams, options, step)
        for number, own, points in zip(numbers, same, scaled, strict=True):
            found[number] = Places(own.scaling.original(points), points, own.scaling)
    return found


def mixtures_of(
    tables: Sequence[NDArray[np.float64]], found: Sequence[Places]
) -> list[NDArray[np.float64]]:
    """Return what the rows of tables (n, m) are made of, (n, k), by their observed cells.

    Each row has one at least.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, rows in enumerate(tables):
        groups.setdefault(rows.shape, []).append(number)
    mixtures: list[NDArray[np.float64]] = list(tables)
    for numbers in groups.values():
        scaled = np.stack([found[i].scaling.scaled(tables[i]) for i in numbers])
        own = mix_side_by_side(scaled, np.stack([found[i].scaled for i in numbers]))
        for number, mixture in zip(numbers, own, strict=True):
            mixtures[number] = mixture
    return mixtures


def _scaled_places(
    begun: Sequence[_Begun],
    k: int,
    generators: Sequence[Generator],
    options: Options,
    step: int,
) -> NDArray[np.float64]:
    """Return the archetypes (t, k, m) of tables of one shape, thinned by one step."""
    n_starts = options.n_starts
    problem = Problem.joined([own.problem for own in begun])
    weights = np.stack([_square(own.given, options).weights for own in begun])
    few, some = problem.thinned(step)
    counts = [-(-len(own.problem.hull) // step) for own in begun]
    fresh = beginnings_of(few.corners, counts, k, options.beginning, generators, n_starts)
    of = np.repeat(np.arange(len(begun)), n_starts)
    loss = Squared(np.take_along_axis(weights, some, axis=1)[of])
    rough = descend(few.taking(of), np.concatenate(fresh), loss, _ON_FEW_ROWS)
    best = np.array([d.objective for d in rough]).reshape(-1, n_starts).argmin(axis=1)
    shares = np.zeros((len(begun), k, problem.hull.shape[1]))
    shares[..., ::step] = [rough[i].shares for i in np.arange(len(begun)) * n_starts + best]
    ends = descend(problem, shares, Squared(weights), options.limits)
    return np.concatenate([d.state.archetypes for d in ends])


def polished(
    rows: NDArray[np.float64],
    fit: Archetypes,
    options: Options,
    weights: NDArray[np.float64] | None = None,
) -> Archetypes:
    """Take the best start of a fit on, to the limits of other options.

    `rows`, `weights`: what `fit` was made of.
    `fit`: not a robust one.
    `options`: as those of the fit, but for their limits.
    """
    given = checked_weights(rows, weights, options)
    problem, loss = stated(fit.scaling.scaled(rows), given, options), _square(given, options)
    begun, known = fit.shares[None, :, problem.hull], fit.mixtures.T[None]
    further = descend(problem, begun, loss, options.limits, known)[0]
    further = replace(further, trace=(*fit.trace, *further.trace[1:]))
    found = _result(rows, given, fit.scaling, options, problem, loss, [further], fit.total)
    best = int(np.argmin([start.objective for start in fit.starts]))
    return replace(found, starts=(*fit.starts[:best], found.starts[0], *fit.starts[best + 1 :]))


def _square(given: NDArray[np.float64], options: Options) -> Squared:
    """Return squared residuals, with weights where they are theirs."""
    is_weighted = options.method == "weighted" and options.weighting == "residual"
    return Squared(given if is_weighted else np.ones(len(given)))


def _begun(
    problem: Problem,
    k: int,
    loss: Loss,
    options: Options,
    rng: Generator,
    after: Archetypes | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
    """Return the shares (s, k, h) and the known mixtures (s, k, n) that all starts begin with."""
    # After a fit of one archetype fewer, some starts go on from it.
    n_starts = options.n_starts
    n_fresh = max(1, n_starts - MOST_FURTHER)
    if after is None or len(after.shares) != k - 1 or k == 2 or n_fresh == n_starts:
        return beginnings(problem.corners, k, options.beginning, rng, n_starts), None
    fresh = beginnings(problem.corners, k, options.beginning, rng, n_fresh)
    rows = _badly_fitted(problem, loss, after, n_starts - n_fresh, rng)
    more = [np.vstack([after.shares, np.eye(1, after.shares.shape[1], row)]) for row in rows]
    known = np.zeros((n_starts, k, len(after.mixtures)))
    known[: len(more), :-1] = after.mixtures.T
    return np.concatenate([np.array(more)[:, :, problem.hull], fresh]), known


def _badly_fitted(
    problem: Problem, loss: Loss, after: Archetypes, n_rows: int, rng: Generator
) -> NDArray[np.int64]:
    """Choose rows of the hull: the one that a fit meets worst, then some at random."""
    # The chance of a row is its part of the loss, as in archetypal++.
    squares = after.residuals**2
    costs = (squares * loss.slopes(squares))[problem.hull]
    chance = costs / costs.sum() if costs.sum() > 0 else None
    drawn = rng.choice(len(costs), n_rows, p=chance)
    drawn[:1] = costs.argmax()
    return np.asarray(problem.hull[drawn])


def _descents(
    problem: Problem,
    k: int,
    loss: Loss,
    options: Options,
    rng: Generator,
    after: Archetypes | None,
) -> list[Descent]:
    """Go down from all starts roughly, and from the best all the way."""
    # After another fit, starts are given up that do not come up with the best; without one, with
    # fresh starts alone, these are too unlike in their first sweeps.
    if k == 1:
        return [_single(problem, loss, options.limits)]
    begun, known = _begun(problem, k, loss, options, rng, after)
    if options.is_polishing_all:
        return descend(problem, begun, loss, options.limits, known)
    limits = replace(
        ROUGH,
        decrease=max(ROUGH.decrease, options.limits.decrease),
        sweeps=min(ROUGH.sweeps, options.limits.sweeps),
        ahead=None if after is None else np.inf,
    )
    rough = descend(problem, begun, loss, limits, known)
    if limits == options.limits:
        return rough
    rough = [replace(d, is_converged=False) for d in rough]
    first = np.argsort([d.objective for d in rough], kind="stable")[: -(-len(rough) // 4)]
    best = [int(i) for i in first if len(rough[i].trace) <= options.limits.sweeps]
    if not best:
        return rough
    further = resume(problem, [rough[i] for i in best], loss, options.limits)
    for i, descent in zip(best, further, strict=True):
        rough[i] = descent
    return rough


def _single(problem: Problem, loss: Loss, limits: Limits) -> Descent:
    """Find the best single point: the weighted mean, or by a descent where that is not it."""
    corners = problem.corners
    if isinstance(loss, Squared) and problem.observed is None:
        inside = loss.weights[problem.hull]
        state = settled(problem, inside[None, None] / inside.sum(), loss)
        memory = Memory.empty(*state.archetypes.shape)
        return Descent(state, memory, (float(state.objective[0]),), is_converged=True)
    distances = ((corners - np.median(corners, axis=0)) ** 2).sum(axis=1)
    shares = np.zeros((1, len(corners)))
    shares[0, distances.argmin()] = 1
    return descend(problem, shares[None], loss, limits)[0]


def order_of(places: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the order of archetypes by their first column, then by the others.

    Coordinates that only the descent's last steps distinguish are equal.

    `places`: (k, m).
    """
    size = float(np.sqrt((places**2).sum(axis=1).max()))
    sizes = np.full(places.T.shape, _SAME_PLACE / NOISE * size)
    return np.asarray(np.lexsort(levelled(places.T, sizes, NOISE)[::-1]), dtype=np.intp)


def _result(
    rows: NDArray[np.float64],
    given: NDArray[np.float64],
    scaling: Scaling,
    options: Options,
    problem: Problem,
    loss: Loss,
    descents: list[Descent],
    total: float | None,
) -> Archetypes:
    """Put the best descent into the order and the units of the table."""
    best = min(descents, key=lambda d: d.objective)
    places, mixtures = best.state.archetypes[0], best.state.mixtures[0]
    order = order_of(places)
    scaled = places[order]
    shares = np.zeros((len(order), len(rows)))
    shares[:, problem.hull] = best.shares[order]
    mixed, squares = mixtures[order].T, best.state.squares[0]
    if options.is_shrinking:
        table = scaling.scaled(rows)
        mixed = mix(table, scaled, start=mixed)
        squares = ((table - mixed @ scaled) ** 2).sum(axis=1)
    bisquare = loss if isinstance(loss, Bisquare) else None
    return Archetypes(
        archetypes=scaling.original(scaled),
        scaled=scaled,
        mixtures=mixed,
        shares=shares,
        residuals=np.sqrt(squares),
        weights=bisquare.weights(squares) if bisquare else given,
        objective=best.objective,
        total=_single(problem, loss, options.limits).objective if total is None else total,
        bound=bisquare.bound if bisquare else None,
        scaling=scaling,
        options=options,
        trace=best.trace,
        is_converged=best.is_converged,
        starts=tuple(Start(d.objective, len(d.trace) - 1, d.is_converged) for d in descents),
    )
