"""A cubic smoothing spline of one input, as R's smooth.spline."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin

Array = NDArray[np.float64]

LEAST_DISTINCT = 4  # values that a smoothing spline needs, as in R
DEGREE = 3
TIED = 1e-6  # interquartile ranges within which values count as one
LEAST, MOST = (
    -1.0,
    1.5,
)  # R's spar; below -1 the system of equations is singular in double precision
STEPS = 41  # between them, before the search is refined
NO_PENALTY = 1e-10  # of a degree of freedom left: the spline interpolates


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

    Parameters
    ----------
    penalty : float, optional
        R's `lambda`; chosen by generalised cross-validation where it is left out.

    Attributes
    ----------
    penalty_ : float
    df_ : float
        Equivalent degrees of freedom, the trace of the smoother's matrix.
    criterion_ : float
        Generalised cross-validation.
    """

    def __init__(self, penalty: float | None = None) -> None:
        self.penalty = penalty

    def fit(self, X: Array, y: Array) -> Self:
        """Fit the spline.

        Raises
        ------
        ValueError
            If there is more than one input, or there are fewer than four distinct values.
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
