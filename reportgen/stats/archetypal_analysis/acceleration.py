"""Limited-memory quasi-Newton steps of the archetypes on the faces on which they lie."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# Steps remembered.
_DEPTH = 10

# A pair of step and change of gradient counts when the cosine of their angle is above this.
_SMALLEST_COSINE = 1e-8

# The shortest and longest spectral step, in steps of the plain alternation.
_SPECTRAL = (0.1, 1e4)


class Memory:
    r"""The last steps of the archetypes, and where they lead on.

    With the mixtures solved exactly, the objective is a smooth function of the archetypes alone,
    with gradient :math:`-2 \sum_i w_i a_{ij} (x_i - Z'a_i)`. Plain alternation is a gradient step
    divided by the curvatures :math:`2 \sum_i w_i a_{ij}^2`, and slow where archetypes and mixtures
    move together. Better is the quasi-Newton step (Nocedal 1980, Mathematics of Computation 35)
    within the faces of the hull that the archetypes lie on. Across the faces, and as long as no
    step is remembered, a plain step has the spectral length (Barzilai and Borwein 1988, IMA Journal
    of Numerical Analysis 8). The caller puts the target back into the hull, and takes it only where
    the objective falls. Starts go side by side.
    """

    def __init__(
        self,
        pairs: NDArray[np.float64],
        is_good: NDArray[np.bool_],
        length: NDArray[np.float64],
    ) -> None:
        self._pairs, self._is_good, self._length = pairs, is_good, length

    @classmethod
    def empty(cls, n_starts: int, k: int, m: int) -> Memory:
        """Return the memory of starts, of k archetypes in m columns, that took no step yet."""
        none = np.zeros((0, 2, n_starts, k, m))
        return cls(none, np.zeros((0, n_starts), dtype=np.bool_), np.ones(n_starts))

    @classmethod
    def joined(cls, memories: Sequence[Memory]) -> Memory:
        """Put the memories of starts side by side, the last steps next to one another."""
        depth = max(len(memory._pairs) for memory in memories)
        pairs, is_good = [], []
        for memory in memories:
            missing = (depth - len(memory._pairs), *(4 * [0]))
            pairs.append(np.pad(memory._pairs, [(before, 0) for before in missing]))
            is_good.append(np.pad(memory._is_good, [(missing[0], 0), (0, 0)]))
        return cls(
            np.concatenate(pairs, axis=2),
            np.concatenate(is_good, axis=1),
            np.concatenate([memory._length for memory in memories]),
        )

    def note(
        self,
        step: NDArray[np.float64],
        change: NDArray[np.float64],
        curvature: NDArray[np.float64],
    ) -> None:
        """Remember a step of the archetypes, how the gradient changed, and the curvatures.

        `step`, `change`: (s, k, m); of s starts.
        `curvature`: (s, k, m); positive.
        """
        along = _product(step, change)
        size = np.sqrt(_product(step, step) * _product(change, change))
        is_good = along > _SMALLEST_COSINE * size
        newest = np.stack([step, change])[None]
        self._pairs = np.concatenate([self._pairs, newest])[-_DEPTH:]
        self._is_good = np.concatenate([self._is_good, is_good[None]])[-_DEPTH:]
        spectral = _product(step, step * curvature) / np.where(is_good, along, 1.0)
        self._length = np.where(is_good, spectral, 4 * self._length).clip(*_SPECTRAL)

    def forget(self, starts: NDArray[np.int64]) -> None:
        """Forget all steps of some starts: they led nowhere."""
        self._is_good[:, starts] = False
        self._length[starts] = 1.0

    def taking(self, starts: NDArray[np.int64]) -> Memory:
        """Return the memory of some of the starts."""
        return Memory(self._pairs[:, :, starts], self._is_good[:, starts], self._length[starts])

    def leap(
        self,
        gradient: NDArray[np.float64],
        curvature: NDArray[np.float64],
        corners: NDArray[np.float64],
        shares: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return how the archetypes should move, (s, k, m).

        `gradient`, `curvature`: (s, k, m).
        `corners`: (h, m) or (s, h, m); of the hull, or of each start's.
        `shares`: (s, k, h); what the archetypes are made of, which determines the faces they lie
        on.
        """
        length = self._length[:, None, None]
        plain = -length * gradient / curvature
        if not self._is_good.any():
            return plain
        faces = _faces_of(corners, shares)
        pairs = _within(faces, self._pairs)
        along = _product(pairs[:, 0], pairs[:, 1])
        size = np.sqrt(_product(pairs, pairs).prod(axis=1))
        is_good = self._is_good & (along > _SMALLEST_COSINE * size)
        is_bold = is_good.any(axis=0)
        if not is_bold.any():
            return plain
        free = _within(faces, gradient)
        across = plain + length * free / curvature
        bold = across - _quasi_newton(pairs, is_good, free, curvature)
        return np.where(is_bold[:, None, None], bold, plain)


def _faces_of(corners: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return orthonormal directions (s, k, m, d) of the face of each archetype of shares."""
    # Shares are (s, k, h); zeros where a face has fewer than d directions; corners are (h, m), or
    # (s, h, m).
    n_starts, k, n_corners = shares.shape
    own, n_columns = shares.reshape(-1, n_corners), corners.shape[-1]
    corners = np.broadcast_to(corners, (n_starts, n_corners, n_columns))
    row, atom = np.nonzero(own)
    used = corners[row // k, atom]
    counts = np.bincount(row, minlength=len(own))
    most = min(int(counts.max()) - 1, n_columns)
    if most < 1:
        return np.zeros((n_starts, k, n_columns, 0))
    place = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    edges = np.zeros((len(own), int(counts.max()), n_columns))
    edges[row, place] = used - used[place == 0][row]
    directions = np.linalg.qr(edges[:, 1 : most + 1].swapaxes(1, 2))[0]
    directions *= (np.arange(most) < counts[:, None] - 1)[:, None, :]
    return np.asarray(directions.reshape(n_starts, k, n_columns, most))


def _product(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return inner products (...) of moves (..., k, m)."""
    return np.asarray(np.einsum("...km,...km->...", first, second))


def _within(faces: NDArray[np.float64], moves: NDArray[np.float64]) -> NDArray[np.float64]:
    """Project moves (..., s, k, m) of archetypes onto their faces (s, k, m, d)."""
    along = np.matmul(moves[..., None, :], faces)
    return np.asarray(np.matmul(along, faces.swapaxes(-1, -2))[..., 0, :])


def _quasi_newton(
    pairs: NDArray[np.float64],
    is_good: NDArray[np.bool_],
    gradient: NDArray[np.float64],
    curvature: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Multiply gradients by the inverse Hessian that pairs imply, the oldest first."""
    # Pairs are (d, 2, s, k, m). The compact form of Byrd, Nocedal and Schnabel (1994, Mathematical
    # Programming 63, theorem 2.2). Pairs that are not good do not count.
    depth, _, n_starts, k, m = pairs.shape
    steps, changes = (
        (pairs * is_good[:, None, :, None, None])
        .transpose(1, 2, 0, 3, 4)
        .reshape(2, n_starts, depth, k * m)
    )
    slopes = gradient.reshape(n_starts, -1, 1)
    over = 1 / curvature.reshape(n_starts, 1, -1)
    scaled = changes * over
    along = steps @ changes.swapaxes(1, 2)
    inner = scaled @ changes.swapaxes(1, 2)
    each, starts = np.arange(depth), np.arange(n_starts)
    last = depth - 1 - is_good[::-1].argmax(axis=0)
    size = inner[starts, last, last]
    unit = (along[starts, last, last] / np.where(size > 0, size, 1.0))[:, None, None]
    diagonal = along[:, each, each].copy()
    upper = along * np.tri(depth).T
    upper[:, each, each] += ~is_good.T
    first = np.linalg.solve(upper, steps @ slopes)
    right = diagonal[:, :, None] * first + unit * (inner @ first - scaled @ slopes)
    second = np.linalg.solve(upper.swapaxes(1, 2), right)
    found = unit * over.swapaxes(1, 2) * slopes + steps.swapaxes(1, 2) @ second
    found -= unit * (scaled.swapaxes(1, 2) @ first)
    return np.asarray(found.reshape(gradient.shape))
