"""The problem that every step is about, and the best mixtures of given archetypes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.losses import Loss
from reportgen.stats.archetypes.simplex import mixtures


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
    """

    rows: NDArray[np.float64]
    hull: NDArray[np.int64]
    observed: NDArray[np.bool_] | None = None

    @property
    def corners(self) -> NDArray[np.float64]:
        """The rows of the hull, of shape (h, m)."""
        return self.rows[self.hull]


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
) -> NDArray[np.float64]:
    """Return the mixtures (n, k) of archetypes (k, m) nearest to rows (n, m), by observed cells."""
    cross = rows @ archetypes.T
    if observed is None:
        return mixtures(archetypes @ archetypes.T, cross, start)
    patterns, pattern = np.unique(observed, axis=0, return_inverse=True)
    grams = np.einsum("pm,km,lm->pkl", patterns.astype(float), archetypes, archetypes)
    return mixtures(grams, cross, start, pattern.ravel())


def settled(
    problem: Problem,
    shares: NDArray[np.float64],
    loss: Loss,
    start: NDArray[np.float64] | None = None,
) -> State:
    """Give archetypes of given shares (k, h) the best mixtures of all rows."""
    archetypes = shares @ problem.corners
    mixed = mix(problem.rows, archetypes, problem.observed, start)
    residuals = problem.rows - mixed @ archetypes
    if problem.observed is not None:
        residuals *= problem.observed
    squares = np.einsum("ij,ij->i", residuals, residuals)
    return State(shares, archetypes, mixed, residuals, loss.objective(squares))
