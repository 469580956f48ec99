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
        faces: NDArray[np.float64],
    ) -> list[NDArray[np.float64]]:
        """Return moves (k, m) of the archetypes, the boldest first.

        Parameters
        ----------
        gradient, curvature : ndarray of shape (k, m)
        faces : ndarray of shape (k, m, d)
            Orthonormal directions of the face that each archetype lies on; zeros where it has
            fewer than d.
        """
        plain = -self._length * gradient / curvature
        pairs = self._usable(faces)
        if not pairs:
            return [plain]
        free = _within(faces, gradient)
        across = -self._length * (gradient - free) / curvature
        return [across - _two_loops(pairs, free, curvature), plain]

    def _usable(
        self, faces: NDArray[np.float64]
    ) -> list[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Return the pairs as they are within the faces, if they still have a positive product."""
        if not self._pairs or not faces.shape[2]:
            return []
        pairs = _within(faces, np.array(self._pairs))
        along = (pairs[:, 0] * pairs[:, 1]).sum(axis=(1, 2))
        sizes = np.sqrt((pairs**2).sum(axis=(2, 3))).prod(axis=1)
        usable = pairs[along > _SMALLEST_COSINE * sizes]
        return [(step, change) for step, change in usable]


def faces_of(corners: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return orthonormal directions (k, m, d) of the face of each archetype of shares (k, h)."""
    counts = (shares > 0).sum(axis=1)
    n_columns = corners.shape[1]
    most = min(int(counts.max()) - 1, n_columns)
    if most < 1:
        return np.zeros((len(shares), n_columns, 0))
    row, atom = np.nonzero(shares)
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    edges = np.zeros((len(shares), int(counts.max()), n_columns))
    edges[row, place] = corners[atom] - corners[atom[place == 0]][row]
    directions = np.linalg.qr(edges[:, 1 : most + 1].swapaxes(1, 2))[0]
    return np.asarray(directions * (np.arange(most) < counts[:, None] - 1)[:, None, :])


def _within(faces: NDArray[np.float64], moves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project moves (..., k, m) of archetypes onto their faces (k, m, d)."""
    along = np.matmul(moves[..., None, :], faces)
    return np.asarray(np.matmul(along, faces.swapaxes(-1, -2))[..., 0, :])


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
    return np.asarray(result)
