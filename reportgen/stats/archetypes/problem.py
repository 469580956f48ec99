"""The problem that every step is about, and the best mixtures of given archetypes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.losses import Loss
from reportgen.stats.archetypes.simplex import mixtures

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
    """Archetypes, the mixtures of all rows that belong to them, and what is left.

    Attributes
    ----------
    shares : ndarray of shape (k, h)
        Shares of the hull's rows in each archetype; rows on the simplex.
    archetypes : ndarray of shape (k, m)
    mixtures : ndarray of shape (n, k)
        Rows on the simplex.
    residuals : ndarray of shape (n, m)
        Zero where a cell was not observed.
    objective : float
    """

    shares: NDArray[np.float64]
    archetypes: NDArray[np.float64]
    mixtures: NDArray[np.float64]
    residuals: NDArray[np.float64]
    objective: float

    @property
    def squares(self) -> NDArray[np.float64]:
        """Squared Euclidean residual of each row, of shape (n,)."""
        return np.asarray(np.einsum("ij,ij->i", self.residuals, self.residuals))


def mix(
    rows: NDArray[np.float64],
    archetypes: NDArray[np.float64],
    observed: NDArray[np.bool_] | None = None,
    start: NDArray[np.float64] | None = None,
    patterned: Patterns | None = None,
) -> NDArray[np.float64]:
    """Return the mixtures (n, k) of archetypes (k, m) nearest to rows (n, m), by observed cells.

    `patterned` is what `patterns_of` says of the cells, where that is known already.
    """
    cross = rows @ archetypes.T
    if observed is None:
        return mixtures(archetypes @ archetypes.T, cross, start)
    patterns, pattern = patterns_of(observed) if patterned is None else patterned
    k = len(archetypes)
    products = (archetypes.T[:, :, None] * archetypes.T[:, None, :]).reshape(-1, k * k)
    return mixtures((patterns @ products).reshape(-1, k, k), cross, start, pattern)


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
    """Give archetypes of given shares (k, h) the best mixtures of all rows."""
    archetypes = shares @ problem.corners
    mixed = mix(problem.rows, archetypes, problem.observed, start, problem.patterns)
    residuals = problem.rows - mixed @ archetypes
    if problem.observed is not None:
        residuals *= problem.observed
    squares = np.einsum("ij,ij->i", residuals, residuals)
    return State(shares, archetypes, mixed, residuals, loss.objective(squares))
