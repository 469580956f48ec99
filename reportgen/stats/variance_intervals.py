r"""Confidence intervals for the variances of the block model, with or without gaps.

Let :math:`u_i` be the eigenvectors, :math:`\lambda_i` the positive eigenvalues of
:math:`Z'(I - P_X)Z` (Z blocks, X candidates), and :math:`t_i = u_i'Z'(I -
P_X)y / \sqrt{\lambda_i}`. The :math:`t_i` are independent normal with variances
:math:`\sigma^2 + \lambda_i \sigma_\beta^2`, and independent of the residual sum
of squares, :math:`SSE / \sigma^2 \sim \chi^2`. Complete blocks have all
:math:`\lambda_i = K` and :math:`\sum t_i^2 = SSB`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import chdtrc, chdtri, fdtri

from reportgen.stats.block_model import ROUNDING

Array = NDArray[np.float64]
Interval = tuple[float, float]

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)  # of a probability: error below 1e-6
CONNECTED = 1e-9  # relative: eigenvalues below it are 0
FARTHEST = 1e12  # ratio of variances that no interval reaches


@dataclass(frozen=True, slots=True)
class VarianceIntervals:
    """Intervals at level 1 - alpha, each by itself.

    Attributes
    ----------
    variance : tuple of two floats
        Of the residuals; exact.
    block_variance : tuple of two floats
        Of the blocks, generalised confidence interval; from 0 on.
    icc : tuple of two floats
        Blocks' share of the variance; exact, cut at 0.
    df, block_df : int
        Degrees of freedom of residuals and blocks.
    """

    variance: Interval
    block_variance: Interval
    icc: Interval
    df: int
    block_df: int


@dataclass(frozen=True, slots=True)
class _Squares:
    """Independent sums of squares of the block design."""

    eigenvalues: Array
    squares: Array
    df: int
    block_df: int
    residual: float

    def standardised(self, variance: Array | float, block_variance: Array | float) -> Array:
        """Return what is chi-squared on `block_df` at the true variances."""
        inner = np.add.outer(np.asarray(variance), self.eigenvalues * block_variance)
        return np.asarray((self.squares / inner).sum(axis=-1))


def variance_intervals(values: Array, alpha: float = 0.05) -> VarianceIntervals:
    r"""Return intervals for the variances of the block model.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        NaN where there is no value; every candidate has one.
    alpha : float, default 0.05
        0 < alpha < 1.

    Returns
    -------
    VarianceIntervals

    Raises
    ------
    ValueError
        If a candidate has no value, blocks or residuals have no degree of
        freedom, residuals do not vary, or alpha is not inside (0, 1).

    Notes
    -----
    Residual variance: :math:`SSE / \chi^2`. Ratio of the variances: the pivot
    :math:`\sum t_i^2 / (1 + \lambda_i \gamma)` over MSE has an F distribution
    (Wald) [1]_. Block variance: the law of x that solves :math:`\sum_i t_i^2 /
    (SSE/U + \lambda_i x) = V` with independent chi-squared U and V
    (Weerahandi) [2]_; equal tails, cut at 0. Its coverage is at least about
    1 - alpha in simulations.

    References
    ----------
    .. [1] J. F. Seely and Y. El-Bassiouni (1983), "Applying Wald's variance
       component test", Annals of Statistics 11.
    .. [2] S. Weerahandi (1993), "Generalized confidence intervals", JASA 88.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = variance_intervals(rng.normal(size=(20, 4)) + 2 * rng.normal(size=(20, 1)))
    >>> np.round([found.variance, found.block_variance, found.icc], 2)
    array([[0.47, 0.98],
           [1.93, 7.58],
           [0.72, 0.93]])
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must be inside (0, 1), got {alpha}")
    found = _sums_of_squares(values)
    ratio = _ratio(found, alpha / 2), _ratio(found, 1 - alpha / 2)
    return VarianceIntervals(
        variance=(
            found.residual / float(chdtri(found.df, alpha / 2)),
            found.residual / float(chdtri(found.df, 1 - alpha / 2)),
        ),
        block_variance=(_block(found, alpha / 2), _block(found, 1 - alpha / 2)),
        icc=(ratio[0] / (1 + ratio[0]), ratio[1] / (1 + ratio[1])),
        df=found.df,
        block_df=found.block_df,
    )


def _sums_of_squares(values: Array) -> _Squares:
    """Split the variation about the candidates' means into blocks and residual."""
    is_there = np.isfinite(values)
    if values.ndim != 2 or not is_there.any(axis=0).all():
        raise ValueError(f"a matrix in which every candidate has a value, got {values.shape}")
    is_used = is_there.any(axis=1)
    values, is_there = values[is_used], is_there[is_used]
    centred = np.where(is_there, values - np.nanmean(values, axis=0), 0.0)
    sums, total = centred.sum(axis=1), float((centred**2).sum())
    eigenvalues, squares, block_df = _block_part(is_there, sums)
    df = int(is_there.sum()) - values.shape[1] - block_df
    residual = total - float(squares.sum())
    if block_df < 1 or df < 1:
        raise ValueError(f"too few values for variances: {block_df} and {df} degrees of freedom")
    noise = ROUNDING * float(np.abs(values[is_there]).max())
    if not residual > max(1e-14 * total, df * noise**2):
        raise ValueError("residuals do not vary")
    return _Squares(eigenvalues, squares, df, block_df, residual)


def _block_part(is_there: NDArray[np.bool_], sums: Array) -> tuple[Array, Array, int]:
    """Return eigenvalues, squares and number of what blocks contribute beside candidates."""
    n_blocks, n_candidates = is_there.shape
    if is_there.all():
        return np.array([float(n_candidates)]), np.array([sums @ sums / n_candidates]), n_blocks - 1
    design = is_there.astype(np.float64)
    inner = np.diag(design.sum(axis=1)) - (design / design.sum(axis=0)) @ design.T
    eigenvalues, vectors = np.linalg.eigh(inner)
    is_positive = eigenvalues > CONNECTED * n_candidates
    eigenvalues = eigenvalues[is_positive]
    squares = (vectors[:, is_positive].T @ sums) ** 2 / eigenvalues
    return eigenvalues, squares, len(eigenvalues)


def _ratio(found: _Squares, tail: float) -> float:
    """Return the ratio of the variances at which Wald's F has the upper tail probability."""
    mean_square = found.residual / found.df
    critical = float(fdtri(found.block_df, found.df, 1 - tail)) * found.block_df * mean_square
    start = _scale(found) / mean_square
    return _root(lambda ratio: critical - float(found.standardised(1.0, ratio)), start)


def _block(found: _Squares, tail: float) -> float:
    """Return the quantile of the block variance's generalised law, from 0 on."""
    return _root(lambda x: _law(found, x) - tail, _scale(found))


def _law(found: _Squares, block_variance: float) -> float:
    """Return the generalised probability that the block variance is at most a value."""
    variances = found.residual / chdtri(found.df, (1 + NODES) / 2)
    tails = chdtrc(found.block_df, found.standardised(variances, block_variance))
    return float((WEIGHTS * tails).sum() / 2)


def _scale(found: _Squares) -> float:
    """Return a block variance of the order of the estimate."""
    mean_square = found.residual / found.df
    return float(found.squares.sum()) / (found.block_df * float(found.eigenvalues.mean())) + (
        mean_square
    )


def _root(rising: Callable[[float], float], start: float) -> float:
    """Return where a function passes 0, or 0 where it is not negative at 0."""
    if rising(0.0) >= 0:
        return 0.0
    high = start
    while rising(high) < 0:
        high *= 4
        if high > FARTHEST * start:
            raise RuntimeError("an interval of a variance has no end")
    return float(brentq(rising, 0.0, high, xtol=1e-12 * start, rtol=1e-12))
