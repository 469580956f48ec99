"""What can have archetypes, and how many: the checks before a fit, and the problem it states."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.archetypes.beginnings import majority
from reportgen.stats.archetypes.hull import vertices
from reportgen.stats.archetypes.options import Options
from reportgen.stats.archetypes.problem import Problem
from reportgen.stats.archetypes.scaling import Scaling, scaling_of

# Directions in which rows vary less than this, relative to the most, may be rounding.
_FLAT = 1e-10


def checked(rows: NDArray[np.float64], options: Options) -> NDArray[np.float64]:
    """Return the table, or say what is wrong with it."""
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
    """Return one weight a row, or say what is wrong."""
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
    """Find the scaling of the rows that count: those that weigh nothing have no say.

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
        return Problem(scaled * weights[:, None], np.arange(len(scaled)))
    hull = np.flatnonzero(is_complete & (weights > 0))
    return Problem(np.where(observed, scaled, 0.0), hull, None if is_complete.all() else observed)


def check_number(problem: Problem, n_archetypes: int, options: Options) -> None:
    """Refuse numbers of archetypes that the data cannot have."""
    if n_archetypes < 1:
        raise ValueError(f"there must be at least 1 archetype, got {n_archetypes}")
    most = _most(problem, n_archetypes, options)
    if most < n_archetypes:
        corners = problem.corners
        raise ValueError(
            f"{n_archetypes} archetypes were asked for, but the hull of the rows has only {most} "
            f"vertices (n_samples = {len(corners)}, n_features = {corners.shape[1]})"
        )


def _most(problem: Problem, at_most: int, options: Options) -> int:
    """Return how many vertices a hull has: of all rows, or for a robust fit of the nearest half.

    A few outliers around all other rows have a hull of few vertices.
    """
    found = _n_vertices(problem.corners, at_most)
    if found == at_most or options.method != "robust":
        return found
    nearest = problem.corners[majority(problem.corners, at_most)]
    return max(found, _n_vertices(nearest, at_most))


def _n_vertices(rows: NDArray[np.float64], at_most: int) -> int:
    """Count the vertices of the hull; a hull of d dimensions has d + 1 at least."""
    corners = rows - rows.mean(axis=0)
    scatter = np.linalg.eigvalsh(corners.T @ corners)
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

    Parameters
    ----------
    rows, weights, options
        As in `archetypes`.
    at_most : int
    """
    options = options or Options()
    given = checked_weights(rows, weights, options)
    scaling = scaling_by(checked(rows, options), given, options)
    return _most(stated(scaling.scaled(rows), given, options), at_most, options)
