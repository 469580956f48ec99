"""Regression candidates that scikit-learn does not have; they follow its conventions."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.neural_network import MLPRegressor
from sklearn.svm import SVR

Array = NDArray[np.float64]

HUBER = 1.345  # standard deviations: 95% efficiency for normal errors
MOST_LOCAL_INPUTS = 4  # as R's loess
NORMAL_MAD = 0.6745  # MASS's median of the absolute value of a standard normal number
MOST_STEPS, TOLERANCE = 200, 1e-10  # of the iteration
EXACT, TINY = 1e-14, 1e-300


class HuberLinearModel(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A linear model by Huber's M-estimation, as MASS::rlm.

    Iteratively reweighted least squares from least squares on (Huber 1981,
    section 7.8), with the scale from the median absolute residual in every step,
    until the residuals change by less than 1e-10 of their size. Columns may
    depend on one another: the solution of least norm is taken.

    Parameters
    ----------
    k : float
        Standardised residuals above it count less; 1.345 has an efficiency of
        95% for normal errors.

    Attributes
    ----------
    coef_ : ndarray of shape (1 + p,)
        The intercept first.
    scale_ : float
    """

    def __init__(self, k: float = HUBER) -> None:
        self.k = k

    def fit(self, X: Array, y: Array) -> Self:
        """Fit the coefficients."""
        design = _with_intercept(X)
        coefficients = _weighted(design, y, np.ones(len(y)))
        residuals = y - design @ coefficients
        for _ in range(MOST_STEPS):
            scale = float(np.median(np.abs(residuals))) / NORMAL_MAD
            if scale <= EXACT * float(np.abs(y).max()):
                break  # more than half of the observations lie on the plane
            weights = np.minimum(1.0, self.k * scale / np.maximum(np.abs(residuals), TINY))
            coefficients = _weighted(design, y, weights)
            previous, residuals = residuals, y - design @ coefficients
            if _change(previous, residuals) <= TOLERANCE:
                break
        self.coef_, self.scale_ = coefficients, scale
        return self

    def predict(self, X: Array) -> Array:
        """Return the values of the linear function."""
        return np.asarray(_with_intercept(X) @ self.coef_)


class _StandardisedResponse:
    """Fits a standardised response, and predicts in its own units."""

    def fit(self, X: Array, y: Array) -> Self:
        """Fit (y - mean) / standard deviation."""
        self.location_ = float(np.mean(y))
        self.spread_ = float(np.std(y, ddof=1)) if len(y) > 1 else 0.0
        self.spread_ = self.spread_ or 1.0
        super().fit(X, (y - self.location_) / self.spread_)  # type: ignore[misc]
        return self

    def predict(self, X: Array) -> Array:
        """Return values in the response's units."""
        return np.asarray(self.location_ + self.spread_ * super().predict(X))  # type: ignore[misc]


class SupportVectorRegressor(_StandardisedResponse, SVR):  # type: ignore[misc]
    """Epsilon regression on the standardised response, as e1071::svm."""


class NeuralNetRegressor(_StandardisedResponse, MLPRegressor):  # type: ignore[misc]
    """A neural network for the standardised response, so that the decay suits any unit."""


class LocalRegression(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Local quadratic regression with tricube weights, as R's loess with surface = "direct".

    Parameters
    ----------
    span : float
        Share of the learning sample that has weight at a point.

    Notes
    -----
    Distances are Euclidean. The fit at a point is a weighted least squares fit
    of a quadratic function; beyond the learning sample it extrapolates.
    """

    def __init__(self, span: float = 0.75) -> None:
        self.span = span

    def fit(self, X: Array, y: Array) -> Self:
        """Keep the learning sample."""
        if X.shape[1] > MOST_LOCAL_INPUTS:
            raise ValueError(
                f"local regression takes up to {MOST_LOCAL_INPUTS} inputs, found {X.shape[1]}"
            )
        self.points_, self.values_ = np.asarray(X, np.float64), np.asarray(y, np.float64)
        return self

    def predict(self, X: Array) -> Array:
        """Return the local fits."""
        places, back = np.unique(np.asarray(X, np.float64), axis=0, return_inverse=True)
        return np.array([self._at(place) for place in places])[np.ravel(back)]

    def _at(self, place: Array) -> float:
        """Fit at one point."""
        offsets = self.points_ - place
        distances = np.sqrt((offsets**2).sum(axis=1))
        q = min(len(distances), int(np.floor(self.span * len(distances) + 1e-5)))
        width = float(np.partition(distances, q - 1)[q - 1])
        if width == 0.0:
            return float(self.values_[distances == 0.0].mean())
        weights = np.clip(1.0 - (distances / width) ** 3, 0.0, None) ** 1.5  # roots of the tricube
        used = weights > 0.0
        design = _quadratic(offsets[used]) * weights[used, None]
        solution, *_ = np.linalg.lstsq(design, self.values_[used] * weights[used], rcond=1e-9)
        return float(solution[0])


def _with_intercept(X: Array) -> Array:
    return np.column_stack([np.ones(len(X)), X])


def _weighted(design: Array, y: Array, weights: Array) -> Array:
    """Return the weighted least squares coefficients."""
    roots = np.sqrt(weights)
    return np.asarray(np.linalg.lstsq(design * roots[:, None], y * roots, rcond=1e-9)[0])


def _change(previous: Array, residuals: Array) -> float:
    """Return MASS's criterion of convergence."""
    total = max(float(previous @ previous), 1e-20)
    return float(np.sqrt(np.sum((previous - residuals) ** 2) / total))


def _quadratic(offsets: Array) -> Array:
    """Return the columns 1, x_i and x_i x_j."""
    n, d = offsets.shape
    columns: list[Any] = [np.ones(n), *offsets.T]
    columns += [offsets[:, i] * offsets[:, j] for i, j in _pairs(d)]
    return np.column_stack(columns)


def _pairs(d: int) -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(d), 2))
