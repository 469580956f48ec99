"""The objective of archetypal analysis: table, loss and best mixtures; vertices of the hull.

The loss of a residual is its weighted square or Tukey's bisquare. More archetypes than the convex
hull has vertices have no use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypal_analysis.simplex import near_atoms, one_by_one, pivoted

# c of the bisquare is this many median residuals (Eugster and Leisch 2011, section 2.2.3).
MEDIANS = 6.0

# Residuals below this many square roots of the number of columns count as none.
_NO_RESIDUAL = 1e-6


class Loss(Protocol):
    """A loss of squared residuals that a weighted least squares step can bring down."""

    def objective(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of the losses of squared residuals (..., n)."""
        ...

    def slopes(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the derivatives of the losses by their squared residuals: weights of a step."""
        ...


@dataclass(frozen=True, slots=True)
class Squared:
    """Squared residuals with a weight (n,) a row."""

    weights: NDArray[np.float64]

    def objective(self, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weighted residual sums of squares."""
        return np.asarray(squares @ self.weights)

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

    Parameters
    ----------
    squares : ndarray of shape (n,)
        Squared Euclidean residuals.
    n_columns : int
        Number p of columns; residuals up to ``1e-6 sqrt(p)`` count as zero.
    medians : float
        How many medians, in place of six.

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

    Attributes
    ----------
    rows : ndarray of shape (n, m)
        Scaled and centred; cells that were not observed are zero.
    hull : ndarray of shape (h,), int
        Numbers of the rows, without gaps and with some weight, that span the hull.
    observed : ndarray of shape (n, m), bool, or None
        Which cells count; none when all do.
    corners : ndarray of shape (h, m)
        The rows of the hull.
    patterns : tuple of two ndarray, or None
        The different patterns of observed cells, (p, m), and which one a row has, (n,).
    """

    rows: NDArray[np.float64]
    hull: NDArray[np.int64]
    observed: NDArray[np.bool_] | None = None
    patterns: Patterns | None = field(init=False, default=None)
    corners: NDArray[np.float64] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners", self.rows[self.hull])
        if self.observed is not None:
            object.__setattr__(self, "patterns", patterns_of(self.observed))


@dataclass(frozen=True, slots=True)
class State:
    """Archetypes of s starts, the mixtures of all rows that belong to them, and what is left.

    Attributes
    ----------
    shares : ndarray of shape (s, k, h)
        Shares of the hull's rows in each archetype; rows on the simplex.
    archetypes : ndarray of shape (s, k, m)
    mixtures : ndarray of shape (s, k, n)
        Columns on the simplex.
    residuals : ndarray of shape (s, n, m)
        Zero where a cell was not observed.
    squares : ndarray of shape (s, n)
        Squared Euclidean residual of each row.
    objective : ndarray of shape (s,)
    """

    shares: NDArray[np.float64]
    archetypes: NDArray[np.float64]
    mixtures: NDArray[np.float64]
    residuals: NDArray[np.float64]
    squares: NDArray[np.float64]
    objective: NDArray[np.float64]

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
    return np.asarray(mixed(rows, archetypes[None], patterns, begun)[0].T)


def mixed(
    rows: NDArray[np.float64],
    archetypes: NDArray[np.float64],
    patterns: Patterns | None = None,
    start: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the mixtures (s, k, n) of the archetypes (s, k, m) of s starts nearest to rows (n, m).

    Parameters
    ----------
    rows, archetypes
    patterns : tuple of two ndarray, or None
        As of a `Problem`.
    start : ndarray of shape (s, k, n), optional
        Columns of zeros where nothing is known.
    """
    n_starts, k, m = archetypes.shape
    if patterns is None:
        grams = np.matmul(archetypes, archetypes.swapaxes(1, 2))
        of = np.repeat(np.arange(n_starts), len(rows))
    else:
        seen, pattern = patterns
        outer = archetypes[:, :, None] * archetypes[:, None, :]
        grams = (outer.reshape(-1, m) @ seen.T).reshape(n_starts, k, k, len(seen))
        grams = grams.transpose(0, 3, 1, 2).reshape(-1, k, k)
        of = (np.arange(n_starts)[:, None] * len(seen) + pattern).ravel()
    cross = np.matmul(archetypes.swapaxes(0, 1), rows.T).reshape(k, -1)
    begun = _side_by_side(np.zeros((n_starts, k, len(rows))) if start is None else start)
    unknown = np.flatnonzero(~begun.any(axis=0))
    if len(unknown):
        begun = begun.copy()
        begun[:, unknown] = near_atoms(grams, cross[:, unknown], of[unknown], m)
    found, rest = pivoted(grams, cross, of, begun)
    if len(rest):
        which, row = np.divmod(rest, len(rows))
        atoms = archetypes[which]
        if patterns is not None:
            atoms = atoms * patterns[0][patterns[1][row], None]
        found[:, rest] = one_by_one(atoms, rows[row])
    found /= found.sum(axis=0)
    return np.asarray(found.reshape(k, n_starts, -1).swapaxes(0, 1))


def _side_by_side(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put matrices (s, k, n) next to one another, (k, s * n)."""
    return np.asarray(matrices.swapaxes(0, 1).reshape(matrices.shape[1], -1))


def patterns_of(observed: NDArray[np.bool_]) -> Patterns:
    """Return the different rows (p, m) of what is observed, and which one a row (n,) has."""
    packed = np.packbits(observed, axis=1)
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, first, pattern = np.unique(keys, return_index=True, return_inverse=True)
    return observed[first].astype(float), pattern.ravel()


def settled(
    problem: Problem,
    shares: NDArray[np.float64],
    loss: Loss,
    start: NDArray[np.float64] | None = None,
) -> State:
    """Give archetypes of given shares (s, k, h) the best mixtures of all rows."""
    archetypes = shares @ problem.corners
    alpha = mixed(problem.rows, archetypes, problem.patterns, start)
    residuals = problem.rows - np.matmul(alpha.swapaxes(1, 2), archetypes)
    if problem.observed is not None:
        residuals *= problem.observed
    squares = np.einsum("snm,snm->sn", residuals, residuals)
    return State(shares, archetypes, alpha, residuals, squares, loss.objective(squares))


# Distances from the hull of the vertices found, relative to the largest row, that count as none.
_TOUCHING = 1e-9


def vertices(rows: NDArray[np.float64], at_most: int) -> list[int]:
    """Find vertices of the convex hull of rows, all of them or as many as are requested.

    Parameters
    ----------
    rows : ndarray of shape (n, m)
        Centred.
    at_most : int

    Returns
    -------
    list of int
        Rows that are different vertices; fewer than `at_most` only when there are no more.

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
