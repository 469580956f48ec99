"""Where the archetypes will go: limited-memory quasi-Newton steps on the faces they lie on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Steps remembered.
_DEPTH = 10

# A pair of step and change of gradient counts when the cosine of their angle is above this.
_SMALLEST_COSINE = 1e-8

# The shortest and longest spectral step, in steps of the plain alternation.
_SPECTRAL = (0.1, 1e4)


class Memory:
    r"""The last steps of the archetypes, and the targets they suggest.

    With the mixtures solved exactly, the objective is a smooth function of the archetypes alone,
    with gradient :math:`-2 \sum_i w_i a_{ij} (x_i - Z'a_i)`. Plain alternation is a gradient step
    divided by the curvatures :math:`2 \sum_i w_i a_{ij}^2`, and slow where archetypes and mixtures
    move together. Two targets are better: the quasi-Newton step (Nocedal 1980, Mathematics of
    Computation 35) within the faces of the hull that the archetypes lie on, and a plain step of the
    spectral length (Barzilai and Borwein 1988, IMA Journal of Numerical Analysis 8). The caller
    puts them back into the hull, and takes them only where the objective falls.
    """

    def __init__(self) -> None:
        self._pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        self._length = 1.0

    def note(
        self,
        step: NDArray[np.float64],
        change: NDArray[np.float64],
        curvature: NDArray[np.float64],
    ) -> None:
        """Remember a step of the archetypes, how the gradient changed, and the curvatures.

        Parameters
        ----------
        step, change : ndarray of shape (k, m)
        curvature : ndarray of shape (k, m)
            Positive.
        """
        along = float((step * change).sum())
        if along > _SMALLEST_COSINE * np.linalg.norm(step) * np.linalg.norm(change):
            self._pairs = [*self._pairs, (step, change)][-_DEPTH:]
            length = float((step**2 * curvature).sum()) / along
        else:
            length = 4 * self._length
        self._length = min(max(length, _SPECTRAL[0]), _SPECTRAL[1])

    def forget(self) -> None:
        """Forget all steps: they led nowhere."""
        self._pairs = []

    def targets(
        self,
        gradient: NDArray[np.float64],
        curvature: NDArray[np.float64],
        faces: list[NDArray[np.float64]],
    ) -> list[NDArray[np.float64]]:
        """Return moves (k, m) of the archetypes, the boldest first.

        Parameters
        ----------
        gradient, curvature : ndarray of shape (k, m)
        faces : list of ndarray of shape (m, d)
            Orthonormal directions of the face that each archetype lies on.
        """
        plain = -self._length * gradient / curvature
        pairs = [(_within(faces, s), _within(faces, y)) for s, y in self._pairs]
        pairs = [(s, y) for s, y in pairs if _is_usable(s, y)]
        if not pairs:
            return [plain]
        free = _within(faces, gradient)
        across = -self._length * (gradient - free) / curvature
        return [across - _two_loops(pairs, free, curvature), plain]


def faces_of(
    corners: NDArray[np.float64], shares: NDArray[np.float64]
) -> list[NDArray[np.float64]]:
    """Return orthonormal directions (m, d) of the face of each archetype of shares (k, h)."""
    found = []
    for share in shares:
        vertices = corners[np.flatnonzero(share)]
        found.append(np.linalg.qr((vertices[1:] - vertices[0]).T)[0])
    return found


def _within(
    faces: list[NDArray[np.float64]], moves: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Project moves of archetypes onto their faces."""
    return np.array([q @ (q.T @ move) for q, move in zip(faces, moves, strict=True)])


def _is_usable(step: NDArray[np.float64], change: NDArray[np.float64]) -> bool:
    size = float(np.linalg.norm(step) * np.linalg.norm(change))
    return float((step * change).sum()) > _SMALLEST_COSINE * size


def _two_loops(
    pairs: list[tuple[NDArray[np.float64], NDArray[np.float64]]],
    gradient: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Multiply a gradient by the inverse Hessian that the pairs imply (Nocedal 1980)."""
    result, weights = gradient, []
    for step, change in reversed(pairs):
        weights.append(float((step * result).sum() / (step * change).sum()))
        result = result - weights[-1] * change
    step, change = pairs[-1]
    result = result / curvature * ((step * change).sum() / (change**2 / curvature).sum())
    for (step, change), weight in zip(pairs, reversed(weights), strict=True):
        back = float((change * result).sum() / (step * change).sum())
        result = result + (weight - back) * step
    return result
