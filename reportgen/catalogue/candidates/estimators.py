"""Estimators that scikit-learn does not have: linear and robust regression, splines, naive Bayes.

They follow scikit-learn's conventions.
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.neural_network import MLPRegressor
from sklearn.svm import SVR

from reportgen.stats.arrays import Array

HUBER = 1.345  # standard deviations: 95% efficiency for normal errors
MOST_LOCAL_INPUTS = 4  # as R's loess
NORMAL_MAD = 0.6745  # MASS's median of the absolute value of a standard normal number
MOST_STEPS, TOLERANCE = 200, 1e-10  # of the iteration
EXACT, TINY = 1e-14, 1e-300
LEAST_SHARE = 1e-9  # of an input's variance, within a class
LEAST_DISTINCT = 4  # values that a smoothing spline needs, as in R
DEGREE = 3
TIED = 1e-6  # interquartile ranges within which values count as one
LEAST, MOST = (
    -1.0,
    1.5,
)  # R's spar; below -1 the system of equations is singular in double precision
STEPS = 41  # between them, before the search is refined
NO_PENALTY = 1e-10  # of a degree of freedom left: the spline interpolates


class HuberLinearModel(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A linear model by Huber's M-estimation, as MASS::rlm.

    Iteratively reweighted least squares from least squares on (Huber 1981,
    section 7.8), with the scale from the median absolute residual in every step,
    until the residuals change by less than 1e-10 of their size. Columns may
    depend on one another: the solution of least norm is taken.

    `k`: standardised residuals above it count less; 1.345 has an efficiency of 95% for normal
    errors.
    `coef_`: (1 + p,); the intercept first.
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

    `span`: share of the learning sample that has weight at a point.

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


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Independent inputs given the class: normal numbers, categories by their shares.

    Shares are smoothed by Laplace's rule. A missing value, or a level that the
    learning sample does not have, has no effect.

    `smoothing`: added to the count of every level.
    """

    def __init__(self, smoothing: float = 1.0) -> None:
        self.smoothing = smoothing

    def fit(self, X: pd.DataFrame, y: NDArray[np.int64]) -> Self:
        """Estimate shares of the classes, means, variances and shares of the levels."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        members = codes[:, None] == np.arange(len(self.classes_))
        self.log_prior_ = np.log(members.mean(axis=0))
        is_categorical = [isinstance(kind, pd.CategoricalDtype) for kind in X.dtypes]
        self.numbers_: dict[Any, tuple[Array, Array]] = {}
        self.levels_: dict[Any, tuple[pd.Index[Any], Array]] = {}
        for column, flag in zip(X.columns, is_categorical, strict=True):
            if flag:
                self.levels_[column] = self._shares(X[column], members)
            else:
                self.numbers_[column] = _moments(X[column].to_numpy(np.float64), members)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        """Return the most probable class."""
        return self.classes_[np.argmax(self._joint(X), axis=1)]

    def predict_proba(self, X: pd.DataFrame) -> Array:
        """Return the classes' probabilities, shape (n, G)."""
        joint = self._joint(X)
        odds = np.exp(joint - joint.max(axis=1, keepdims=True))
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))

    def _shares(self, column: pd.Series[Any], members: Any) -> tuple[pd.Index[Any], Array]:
        levels = column.cat.remove_unused_categories().cat.categories
        codes = np.asarray(column.cat.set_categories(levels).cat.codes)
        counts = (codes[:, None] == np.arange(len(levels))).T.astype(np.float64) @ members
        counts += self.smoothing
        return levels, np.log(counts / counts.sum(axis=0))

    def _joint(self, X: pd.DataFrame) -> Array:
        """Return log prior plus log likelihood, shape (n, G)."""
        joint = np.tile(self.log_prior_, (len(X), 1))
        for column, (means, variances) in self.numbers_.items():
            values = X[column].to_numpy(np.float64)[:, None]
            terms = -0.5 * (np.log(variances) + (values - means) ** 2 / variances)
            joint += np.nan_to_num(terms, nan=0.0)
        for column, (levels, shares) in self.levels_.items():
            codes = np.asarray(X[column].cat.set_categories(levels).cat.codes)
            joint += np.where(codes[:, None] >= 0, shares[codes], 0.0)
        return joint


def _moments(values: Array, members: Any) -> tuple[Array, Array]:
    """Return mean and variance in each class; where a class has no value, those of all."""
    known = np.isfinite(values)
    overall = float(np.var(values[known])) if known.any() else 1.0
    least = LEAST_SHARE * overall or 1.0
    means, variances = [], []
    for member in members.T:
        own = values[member & known] if (member & known).any() else values[known]
        means.append(own.mean() if len(own) else 0.0)
        variances.append(max(float(own.var()) if len(own) else 1.0, least))
    return np.array(means), np.array(variances)


class SmoothingSpline(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """A natural cubic smoothing spline, its penalty by generalised cross-validation.

    Minimises the sum of squared residuals plus the penalty times the integral of
    the squared second derivative, the input being scaled to [0, 1]. Values at one
    point, such as the copies in a bootstrap sample, count as their mean, with
    their number as weight; the variation between them stays in the criterion
    (Craven and Wahba 1979). Up to 49 distinct values all are knots, above that
    their number grows slowly, as in R. Beyond the learning sample the spline goes
    on as a straight line. R integrates the second derivative with 0.3330 in place
    of a third, so that its numbers differ from these in the fourth digit.

    `penalty`: R's `lambda`; chosen by generalised cross-validation where it is left out.
    `df_`: equivalent degrees of freedom, the trace of the smoother's matrix.
    `criterion_`: generalised cross-validation.
    """

    def __init__(self, penalty: float | None = None) -> None:
        self.penalty = penalty

    def fit(self, X: Array, y: Array) -> Self:
        """Fit the spline.

        Raises ValueError if there is more than one input, or there are fewer than four distinct
        values.
        """
        from scipy.interpolate import BSpline

        if X.shape[1] != 1:
            raise ValueError(f"a smoothing spline takes one input, found {X.shape[1]}")
        equations = _Equations(np.asarray(X[:, 0], np.float64), np.asarray(y, np.float64))
        self.penalty_ = equations.best() if self.penalty is None else self.penalty
        coefficients, self.df_, self.criterion_ = equations.solve(self.penalty_)
        self.spline_ = BSpline(equations.knots, coefficients, DEGREE)
        self.start_, self.range_ = equations.start, equations.range
        return self

    def predict(self, X: Array) -> Array:
        """Return the spline's values."""
        scaled = (X[:, 0] - self.start_) / self.range_
        inside = np.clip(scaled, 0.0, 1.0)
        slope = self.spline_.derivative()(inside)
        return np.asarray(self.spline_(inside) + slope * (scaled - inside))


class _Equations:
    """The penalised least squares problem of a learning sample, for any penalty."""

    def __init__(self, x: Array, y: Array) -> None:
        from scipy.interpolate import BSpline

        places, counts, self.means, self.within = _tied(x, y)
        if len(places) < LEAST_DISTINCT:
            raise ValueError(
                f"a smoothing spline needs {LEAST_DISTINCT} distinct values, found {len(places)}"
            )
        self.start, self.range = float(places[0]), float(places[-1] - places[0])
        scaled = (places - self.start) / self.range
        self.counts, self.n = counts, len(y)
        at = np.linspace(0, len(scaled) - 1, n_knots(len(scaled))).astype(np.int64)
        inner = scaled[at]
        self.knots = np.concatenate([[0.0] * DEGREE, inner, [1.0] * DEGREE])
        self.basis = BSpline.design_matrix(scaled, self.knots, DEGREE).toarray()
        self.gram = self.basis.T @ (counts[:, None] * self.basis)
        self.roughness = _roughness(self.knots, inner)

    def solve(self, penalty: float) -> tuple[Array, float, float]:
        """Return the coefficients, the degrees of freedom and the criterion."""
        from scipy.linalg import cho_factor, cho_solve

        try:
            factor = cho_factor(self.gram + penalty * self.roughness)
        except np.linalg.LinAlgError:
            return np.zeros(len(self.gram)), np.nan, np.inf
        right = self.basis.T @ (self.counts * self.means)
        coefficients = np.asarray(cho_solve(factor, right))
        df = float(np.trace(cho_solve(factor, self.gram)))
        left = 1.0 - df / self.n
        if left < NO_PENALTY:
            return coefficients, df, np.inf
        between = float(self.counts @ (self.means - self.basis @ coefficients) ** 2)
        return coefficients, df, (self.within + between) / self.n / left**2

    def best(self) -> float:
        """Return the penalty with the least criterion; the greatest of equal ones."""
        from scipy.optimize import minimize_scalar

        def criterion(spar: float) -> float:
            return self.solve(self._penalty(spar))[2]

        grid = np.linspace(MOST, LEAST, STEPS)
        first = float(grid[int(np.argmin([criterion(spar) for spar in grid]))])
        step = float(grid[0] - grid[1])
        ends = max(LEAST, first - step), min(MOST, first + step)
        found = minimize_scalar(criterion, bounds=ends, method="bounded", options={"xatol": 1e-5})
        return self._penalty(float(found.x) if found.fun < criterion(first) else first)

    def _penalty(self, spar: float) -> float:
        """Translate R's spar, which has the same meaning for any data."""
        inner = slice(2, -3)
        ratio = np.diag(self.gram)[inner].sum() / np.diag(self.roughness)[inner].sum()
        return float(ratio * 256.0 ** (3.0 * spar - 1.0))


def n_knots(n: int) -> int:
    """Return R's number of knots for a number of distinct values.

    Examples
    --------
    >>> n_knots(20), n_knots(300), n_knots(3200)
    (20, 105, 200)
    """
    if n < 50:
        return n
    if n >= 3200:
        return int(200 + (n - 3200) ** 0.2)
    return int(np.exp2(np.interp(n, [50, 200, 800, 3200], np.log2([50, 100, 140, 200]))))


def _tied(x: Array, y: Array) -> tuple[Array, Array, Array, float]:
    """Return distinct values, their numbers and means, and the squares within them."""
    spread = float(np.subtract(*np.quantile(x, [0.75, 0.25]))) or float(np.ptp(x)) or 1.0
    keys = np.round((x - x.mean()) / (TIED * spread))
    _, first, place, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    means = np.bincount(place, weights=y) / counts
    return x[first], counts.astype(np.float64), means, float(np.sum((y - means[place]) ** 2))


def _roughness(knots: Array, inner: Array) -> Array:
    """Integrate the products of second derivatives, which are linear between knots."""
    from scipy.interpolate import BSpline

    second = BSpline(knots, np.eye(len(knots) - DEGREE - 1), DEGREE).derivative(2)
    widths = np.diff(inner)[:, None, None] / 6.0
    values = second(inner)
    middle = second((inner[:-1] + inner[1:]) / 2.0)

    def squares(at: Array) -> Array:
        return np.asarray(at[:, :, None] * at[:, None, :])

    simpson = squares(values[:-1]) + 4.0 * squares(middle) + squares(values[1:])
    return np.asarray((widths * simpson).sum(axis=0))
