"""Regression candidates that scikit-learn does not have; they follow its conventions."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Self
from warnings import catch_warnings, filterwarnings

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

Array = NDArray[np.float64]

HUBER = 1.345  # standard deviations: 95% efficiency for normal errors
MOST_LOCAL_INPUTS = 4  # as R's loess
LEAST_DISTINCT = 5  # points that a smoothing spline needs


class HuberLinearModel(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A linear model by Huber's M-estimation, as MASS::rlm.

    Iteratively reweighted least squares with k = 1.345 and the scale from the
    median absolute residual, from least squares on. MASS divides that by 0.6745,
    statsmodels by the exact quantile.
    """

    def fit(self, X: Array, y: Array) -> Self:
        """Fit the coefficients."""
        from statsmodels.robust.norms import HuberT
        from statsmodels.robust.robust_linear_model import RLM

        with catch_warnings():
            # levels of one category sum to one: any of the solutions predicts the same
            filterwarnings("ignore", message="The design matrix is rank-deficient")
            fitted = RLM(y, _with_intercept(X), M=HuberT(HUBER)).fit(maxiter=200, tol=1e-10)
        self.coef_ = np.asarray(fitted.params)
        return self

    def predict(self, X: Array) -> Array:
        """Return the values of the linear function."""
        return np.asarray(_with_intercept(X) @ self.coef_)


class SmoothingSpline(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A natural cubic smoothing spline of one input, its penalty by generalised cross-validation.

    Values at the same point count as their mean, with their number as weight.
    Beyond the learning sample it goes on as a straight line.
    """

    def fit(self, X: Array, y: Array) -> Self:
        """Fit the spline."""
        from scipy.interpolate import make_smoothing_spline

        if X.shape[1] != 1:
            raise ValueError(f"a smoothing spline takes one input, found {X.shape[1]}")
        points, place, counts = np.unique(X[:, 0], return_inverse=True, return_counts=True)
        if len(points) < LEAST_DISTINCT:
            raise ValueError(
                f"a smoothing spline needs {LEAST_DISTINCT} distinct values, found {len(points)}"
            )
        means = np.bincount(place, weights=y) / counts
        self.range_ = float(points[0]), float(points[-1])
        self.spline_ = make_smoothing_spline(points, means, w=counts.astype(np.float64))
        return self

    def predict(self, X: Array) -> Array:
        """Return the spline's values."""
        inside = np.clip(X[:, 0], *self.range_)
        slope = self.spline_.derivative()(inside)
        return np.asarray(self.spline_(inside) + slope * (X[:, 0] - inside))


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


def _quadratic(offsets: Array) -> Array:
    """Return the columns 1, x_i and x_i x_j."""
    n, d = offsets.shape
    columns: list[Any] = [np.ones(n), *offsets.T]
    columns += [offsets[:, i] * offsets[:, j] for i, j in _pairs(d)]
    return np.column_stack(columns)


def _pairs(d: int) -> list[tuple[int, ...]]:
    return list(combinations_with_replacement(range(d), 2))
