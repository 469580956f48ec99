"""What a residual costs: its square, with weights, or Tukey's bisquare of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

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
