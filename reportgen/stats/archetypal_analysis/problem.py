"""The objective of archetypal analysis: table, loss and best mixtures; vertices of the hull.

The loss of a residual is its weighted square or Tukey's bisquare. More archetypes than the convex
hull has vertices have no use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.archetypal_analysis.simplex import near_atoms, one_by_one, pivoted

# c of the bisquare is this many median residuals (Eugster and Leisch 2011, section 2.2.3).
MEDIANS = 6.0

# Residuals below this many square roots of the number of columns count as none.
_NO_RESIDUAL = 1e-6


# Which of several starts.
Some = NDArray[np.int64] | slice


class Loss(Protocol):
    """A loss of squared residuals that a weighted least squares step can bring down."""

    def taking(self, starts: Some) -> Loss:
        """Return the loss of some of the starts."""
        ...

    def objective(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of the losses of squared residuals (..., n)."""
        ...

    def slopes(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives of the losses by their squared residuals: weights of a step."""
        ...


@dataclass(frozen=True, slots=True)
class Squared:
    """Squared residuals with a weight a row: (n,), or (s, n) where starts have their own."""

    weights: NDArray[np.float64]

    def taking(self, starts: Some) -> Squared:
        """Return the loss of some of the starts."""
        return self if self.weights.ndim == 1 else Squared(self.weights[starts])

    def objective(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weighted residual sums of squares."""
        return np.asarray(np.vecdot(squares, self.weights))

    def slopes(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weights."""
        return np.broadcast_to(self.weights, squares.shape)


@dataclass(frozen=True, slots=True)
class Bisquare:
    r"""Tukey's bisquare with a fixed bound.

    :math:`\rho_c(r) = c^2/6\,(1 - (1 - r^2/c^2)^3)` up to c and :math:`c^2/6` beyond. It is concave
    in the squared residual, so that least squares with its slopes as weights never raise it.

    Attributes
    ----------
    bound : float
        c, in units of a residual: rows farther than this have no weight.
    """

    bound: float

    def taking(self, starts: Some) -> Bisquare:
        """Return the loss of some of the starts: that of all."""
        return self

    def objective(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of rho."""
        inside = np.minimum(squares / self.bound**2, 1.0)
        # 1 - (1 - u)^3 without cancellation
        rho = inside * (3 - 3 * inside + inside**2)
        return np.asarray(self.bound**2 / 6 * rho.sum(axis=-1))

    def slopes(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half of (1 - r^2/c^2)^2, or nothing beyond c."""
        return self.weights(squares) / 2

    def weights(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return (1 - r^2/c^2)^2, from 0 to 1."""
        return np.asarray((1 - np.minimum(squares / self.bound**2, 1.0)) ** 2)


def bisquare_of(squares: NDArray[np.float64], n_columns: int, medians: float = MEDIANS) -> Bisquare:
    """Return the bisquare whose bound is six medians of the residuals that are not zero.

    `squares`: (n,); squared Euclidean residuals.
    `n_columns`: number p of columns; residuals up to ``1e-6 sqrt(p)`` count as zero.
    `medians`: how many medians, in place of six.

    Examples
    --------
    >>> bisquare_of(np.array([0.0, 1, 4, 9]), 1).bound
    12.0
    """
    residuals = np.sqrt(squares)
    smallest = _NO_RESIDUAL * np.sqrt(n_columns)
    large = residuals[residuals > smallest]
    return Bisquare(float(medians * (np.median(large) if len(large) else smallest)))


Patterns = tuple[NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Problem:
    """The rows to be mixed, and the rows that archetypes may be made of.

    All starts have one table, or each has a table of its own, all of one shape: then arrays have a
    further axis of s starts in front.
    """

    rows: NDArray[np.float64]  # (n, m); scaled and centred; cells that were not observed are zero
    # (h,); numbers of the rows, without gaps and with some weight, that span the hull
    hull: NDArray[np.int64]
    observed: NDArray[np.bool_] | None  # (n, m); which cells count; none when all do
    # (h, m); the rows of the hull. Where a table has fewer than others, their centre fills up: it
    # leaves the hull as it is.
    corners: NDArray[np.float64]
    # the different patterns of observed cells, (p, m), and which one a row has, (n,)
    patterns: Patterns | None

    @classmethod
    def of(
        cls,
        rows: NDArray[np.float64],
        hull: NDArray[np.int64],
        observed: NDArray[np.bool_] | None = None,
    ) -> Problem:
        """State the problem of one table."""
        patterns = None if observed is None else patterns_of(observed)
        return cls(rows, hull, observed, rows[hull], patterns)

    @classmethod
    def joined(cls, problems: Sequence[Problem]) -> Problem:
        """Put problems of one table each, all of one shape, side by side."""
        rows = np.stack([p.rows for p in problems])
        hull = _filled([p.hull for p in problems], [p.hull[0] for p in problems])
        centres = [p.corners.mean(axis=0) for p in problems]
        corners = _filled([p.corners for p in problems], centres)
        if all(p.observed is None for p in problems):
            return cls(rows, hull, None, corners, None)
        observed = np.ones(rows.shape, dtype=np.bool_)
        every = (np.ones((1, rows.shape[2])), np.zeros(rows.shape[1], dtype=np.int64))
        for own, p in zip(observed, problems, strict=True):
            own[:] = True if p.observed is None else p.observed
        patterns = _joined_patterns([p.patterns or every for p in problems])
        return cls(rows, hull, observed, corners, patterns)

    def thinned(self, step: int) -> tuple[Problem, NDArray[np.int64]]:
        """Return the problem of every so many corners and other rows of each table, and which.

        Corners are every so many, and come first among the rows.
        """
        is_corner = np.zeros(self.rows.shape[:2], dtype=np.bool_)
        np.put_along_axis(is_corner, self.hull, values=True, axis=1)
        some = np.argsort(~is_corner, axis=1, kind="stable")[:, ::step]
        corners = self.corners[:, ::step]
        place = np.arange(corners.shape[1])
        hull = np.where(place * step < is_corner.sum(axis=1, keepdims=True), place, 0)
        rows = np.take_along_axis(self.rows, some[..., None], axis=1)
        if self.observed is None or self.patterns is None:
            return Problem(rows, hull, None, corners, None), some
        seen = np.take_along_axis(self.observed, some[..., None], axis=1)
        patterns = (self.patterns[0], np.take_along_axis(self.patterns[1], some, axis=1))
        return Problem(rows, hull, seen, corners, patterns), some

    def taking(self, starts: Some | int) -> Problem:
        """Return the problem of some of the starts; of one, without the axis of starts."""
        if self.rows.ndim == 2:
            return self
        seen = None if self.observed is None else self.observed[starts]
        patterns = self.patterns and (self.patterns[0][starts], self.patterns[1][starts])
        return Problem(self.rows[starts], self.hull[starts], seen, self.corners[starts], patterns)


def _filled(parts: Sequence[NDArray[Any]], ends: Sequence[Any]) -> NDArray[Any]:
    """Stack parts of different lengths, the shorter ones filled up with their ends."""
    most = max(map(len, parts))
    whole = np.repeat(np.stack(ends)[:, None], most, axis=1)
    for own, part in zip(whole, parts, strict=True):
        own[: len(part)] = part
    return whole


@dataclass(frozen=True, slots=True)
class State:
    """Archetypes of s starts, the mixtures of all rows that belong to them, and what is left."""

    # (s, k, h); shares of the hull's rows in each archetype; rows on the simplex
    shares: NDArray[np.float64]
    archetypes: NDArray[np.float64]  # (s, k, m)
    mixtures: NDArray[np.float64]  # (s, k, n); columns on the simplex
    residuals: NDArray[np.float64]  # (s, n, m); zero where a cell was not observed
    squares: NDArray[np.float64]  # (s, n); squared Euclidean residual of each row
    objective: NDArray[np.float64]  # (s,)

    @classmethod
    def joined(cls, states: Sequence[State]) -> State:
        """Put the starts of several states side by side."""
        return cls(*(np.concatenate([getattr(s, f.name) for s in states]) for f in fields(cls)))

    def taking(self, starts: NDArray[np.int64]) -> State:
        """Return some of the starts."""
        return State(*(getattr(self, f.name)[starts] for f in fields(self)))

    def replaced(self, starts: NDArray[np.int64], other: State) -> State:
        """Return the state with some of its starts exchanged."""
        whole = self.taking(np.arange(len(self.objective)))
        for f in fields(self):
            getattr(whole, f.name)[starts] = getattr(other, f.name)
        return whole


def mix(
    rows: NDArray[np.float64],
    archetypes: NDArray[np.float64],
    observed: NDArray[np.bool_] | None = None,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the mixtures (n, k) of archetypes (k, m) nearest to rows (n, m), by observed cells."""
    patterns = None if observed is None else patterns_of(observed)
    begun = None if start is None else start.T[None]
    return np.asarray(nearest_mixtures(rows, archetypes[None], patterns, begun)[0].T)


def nearest_mixtures(
    rows: NDArray[np.float64],
    archetypes: NDArray[np.float64],
    patterns: Patterns | None = None,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the mixtures (s, k, n) of the archetypes (s, k, m) of s starts nearest to rows (n, m).

    `patterns`: as of a `Problem`, and like the rows (s, n, m) where starts have tables of their
    own.
    `start`: (s, k, n); columns of zeros where nothing is known.
    """
    n_starts, k, m = archetypes.shape
    n = rows.shape[-2]
    if patterns is None:
        grams = np.matmul(archetypes, archetypes.swapaxes(1, 2))
        of = np.repeat(np.arange(n_starts), n)
    else:
        seen, pattern = patterns
        outer = archetypes[:, :, None] * archetypes[:, None, :]
        grams = outer.reshape(n_starts, k * k, m) @ seen.swapaxes(-1, -2)
        grams = grams.swapaxes(1, 2).reshape(-1, k, k)
        of = (np.arange(n_starts)[:, None] * seen.shape[-2] + pattern).ravel()
    cross = _side_by_side(np.matmul(archetypes, rows.swapaxes(-1, -2)))
    begun = _side_by_side(np.zeros((n_starts, k, n)) if start is None else start)
    unknown = np.flatnonzero(~begun.any(axis=0))
    if len(unknown):
        begun = begun.copy()
        begun[:, unknown] = near_atoms(grams, cross[:, unknown], of[unknown], m)
    found, rest = pivoted(grams, cross, of, begun)
    if len(rest):
        which, row = np.divmod(rest, n)
        atoms = archetypes[which]
        if patterns is not None:
            atoms = atoms * _of_starts(seen, n_starts)[which, of[rest] % seen.shape[-2], None]
        found[:, rest] = one_by_one(atoms, _of_starts(rows, n_starts)[which, row])
    found /= found.sum(axis=0)
    return np.asarray(found.reshape(k, n_starts, -1).swapaxes(0, 1))


def _of_starts(table: NDArray[np.float64], n_starts: int) -> NDArray[np.float64]:
    """Return each start's table, where all may have the same."""
    return np.broadcast_to(table, (n_starts, *table.shape[-2:]))


def _side_by_side(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put matrices (s, k, n) next to one another, (k, s * n)."""
    return np.asarray(matrices.swapaxes(0, 1).reshape(matrices.shape[1], -1))


def patterns_of(observed: NDArray[np.bool_]) -> Patterns:
    """Return the different rows (p, m) of what is observed, and which one a row (n,) has."""
    packed = np.packbits(observed, axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
    return observed[first].astype(float), pattern.ravel()


def _joined_patterns(patterns: Sequence[Patterns]) -> Patterns:
    """Put the patterns of tables side by side, filled up with each one's first."""
    kinds = _filled([kinds for kinds, _ in patterns], [kinds[0] for kinds, _ in patterns])
    return kinds, np.stack([kind for _, kind in patterns])


def mix_side_by_side(
    tables: NDArray[np.float64], archetypes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the mixtures (t, n, k) of each table's archetypes (t, k, m), by observed cells.

    Tables are (t, n, m), nan where a cell was not observed.
    """
    observed = np.isfinite(tables)
    patterns = None if observed.all() else _joined_patterns([*map(patterns_of, observed)])
    return nearest_mixtures(np.where(observed, tables, 0.0), archetypes, patterns).swapaxes(1, 2)


def settled(
    problem: Problem,
    shares: NDArray[np.float64],
    loss: Loss,
    start: NDArray[np.float64] | None = None,
) -> State:
    """Give archetypes of given shares (s, k, h) the best mixtures of all rows."""
    archetypes = shares @ problem.corners
    alpha = nearest_mixtures(problem.rows, archetypes, problem.patterns, start)
    residuals = problem.rows - np.matmul(alpha.swapaxes(1, 2), archetypes)
    if problem.observed is not None:
        residuals *= problem.observed
    squares = np.einsum("snm,snm->sn", residuals, residuals)
    return State(shares, archetypes, alpha, residuals, squares, loss.objective(squares))


# Distances from the hull of the vertices found, relative to the largest row, that count as none.
_TOUCHING = 1e-9


def vertices(rows: NDArray[np.float64], at_most: int) -> list[int]:
    """Find vertices of the convex hull of rows, all of them or as many as are requested.

    `rows`: (n, m); centred.
    Result: rows that are different vertices; fewer than `at_most` only when there are no more.

    Notes
    -----
    The row that is farthest from the hull of the vertices found points in a direction in which
    the farthest row is a further vertex.

    Examples
    --------
    >>> square = np.array([[0.0, 0], [1, 1], [1, -1], [-1, 1], [-1, -1], [0.5, 0]])
    >>> sorted(vertices(square, 9))
    [1, 2, 3, 4]
    """
    squares = (rows**2).sum(axis=1)
    found = [int(squares.argmax())]
    size = float(np.sqrt(squares.max()))
    while len(found) < at_most:
        hull = rows[found]
        rest = rows - mix(rows, hull) @ hull
        distances = np.sqrt((rest**2).sum(axis=1))
        farthest = int(distances.argmax())
        if distances[farthest] <= _TOUCHING * size:
            break
        heights = rows @ (rest[farthest] / distances[farthest])
        top = np.flatnonzero(heights >= heights.max() - _TOUCHING * size)
        # Of several rows on one face, the one farthest from the centre is a vertex.
        fresh = top[~np.isin(top, found)]
        found.append(int(fresh[squares[fresh].argmax()]))
    return found
