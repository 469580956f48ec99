r"""Confidence intervals for the variances of the block model, with or without gaps.

Let :math:`u_i` be the eigenvectors, :math:`\lambda_i` the positive eigenvalues of
:math:`Z'(I - P_X)Z` (Z blocks, X candidates), and :math:`t_i = u_i'Z'(I -
P_X)y / \sqrt{\lambda_i}`. The :math:`t_i` are independent normal with variances
:math:`\sigma^2 + \lambda_i \sigma_\beta^2`, and independent of the residual sum
of squares, :math:`SSE / \sigma^2 \sim \chi^2`. Complete blocks have all
:math:`\lambda_i = K` and :math:`\sum t_i^2 = SSB`.

`candidate_variances` tests whether the candidates have the same variance about the blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, chdtri, fdtri

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array, Interval
from reportgen.stats.blocks.model import ROUNDING
from reportgen.stats.ranking import check_blocks
from reportgen.stats.roots import brentq

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)  # of a probability: error below 1e-6
CONNECTED = 1e-9  # relative: eigenvalues below it are 0
FARTHEST = 1e100  # ratio of variances that no interval reaches


@dataclass(frozen=True, slots=True)
class VarianceIntervals:
    """Intervals at level 1 - alpha, each by itself."""

    variance: Interval  # of the residuals; exact
    block_variance: Interval  # of the blocks, generalised confidence interval; from 0 on
    icc: Interval  # blocks' share of the variance; exact, cut at 0
    # df, block_df: degrees of freedom of residuals and blocks
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

    `values`: (B, K); NaN where there is no value; every candidate has one.
    `alpha`: 0 < alpha < 1.
    Raises ValueError if a candidate has no value, blocks or residuals have no degree of freedom,
    residuals do not vary, alpha is not inside (0, 1), or so small that an interval has no end in
    floating point.

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
        block_variance=_blocks(found, alpha),
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
    """Return eigenvalues, squares and number of what blocks add to candidates."""
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


def _blocks(found: _Squares, alpha: float) -> Interval:
    """Return two quantiles of the block variance's generalised law, from 0 on."""
    # Its probability of at most a value is a mean over residual variances.
    variances = found.residual / chdtri(found.df, (1 + NODES) / 2)

    def law(block_variance: float) -> float:
        tails = chdtrc(found.block_df, found.standardised(variances, block_variance))
        return float((WEIGHTS * tails).sum() / 2)

    start = _scale(found)
    return (
        _root(lambda x: law(x) - alpha / 2, start),
        _root(lambda x: law(x) - (1 - alpha / 2), start),
    )


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
            raise ValueError("alpha is too small: an interval of a variance has no end")
    return brentq(rising, 0.0, high, xtol=1e-12 * start, rtol=1e-12)


Method = Literal["brown-forsythe", "robust-pitman-morgan"]


@dataclass(frozen=True, slots=True)
class CandidateVariances:
    """Residual variances of single candidates, and a test that all are one."""

    # (K,); unbiased estimates of the variance of each candidate's own errors, blocks left out; may
    # be negative
    variances: Array
    ratio: float  # largest over smallest; infinite where the smallest is not positive
    # statistic, df1, df2: of an F test that all are equal; NaN where nothing varies
    statistic: float
    df1: float
    df2: float
    p_value: float
    method: Method  # of two candidates the robust one of Pitman and Morgan


def candidate_variances(values: Array) -> CandidateVariances:
    r"""Estimate each candidate's residual variance, and test that all are equal.

    `values`: (B, K); complete blocks, B >= 3, K >= 2.
    Raises ValueError if `values` is not such a matrix.

    Notes
    -----
    The model is :math:`p_{bk} = \kappa_k + \beta_b + \epsilon_{bk}` with
    :math:`Var(\epsilon_{bk}) = \sigma_k^2`. From residuals r about candidate and
    block means, :math:`v_k = \sum_b r_{bk}^2 / (B-1)` and
    :math:`MSE = \sum_k v_k / (K-1)`, Grubbs' estimates are
    :math:`(K v_k - MSE) / (K-2)` [1]_; for two candidates variance less
    covariance. The test is that of Brown and Forsythe [2]_ on the distances of
    the :math:`r_{bk}` from their candidates' medians, as a block design:
    residuals of equal variance are exchangeable within blocks. For two
    candidates it is Pitman's, that sum and difference are not correlated, by a
    t test of their products: his own correlation test rejects far too often
    where errors are skewed or have heavy tails [3]_. Both hold approximately
    also there.

    References
    ----------
    .. [1] F. E. Grubbs (1948), "On estimating precision of measuring
       instruments and product variability", JASA 43.
    .. [2] M. B. Brown and A. B. Forsythe (1974), "Robust tests for the equality
       of variances", JASA 69.
    .. [3] R. Wilcox (2015), "Comparing the variances of two dependent
       variables", Journal of Statistical Distributions and Applications 2.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(200, 1)) + rng.normal(size=(200, 3)) * [1, 1, 2]
    >>> found = candidate_variances(values)
    >>> found.variances.round(1), found.p_value < 0.001
    (array([1.2, 0.8, 4.1]), True)
    """
    n_blocks, n_candidates = check_blocks(values).shape
    if n_blocks < 3 or n_candidates < 2:
        raise ValueError(f"variances need three blocks and two candidates, got {values.shape}")
    centred = values - values.mean(axis=0)
    noise = ROUNDING * float(np.abs(values).max())
    if n_candidates == 2:
        return _two(centred, noise)
    residuals = centred - centred.mean(axis=1, keepdims=True)
    residuals[np.abs(residuals) <= noise] = 0.0
    v = (residuals**2).sum(axis=0) / (n_blocks - 1)
    variances = (n_candidates * v - v.sum() / (n_candidates - 1)) / (n_candidates - 2)
    spread = np.abs(residuals - np.median(residuals, axis=0))
    statistic, df1, df2 = _block_f(spread)
    return _test(variances, statistic, df1, df2, "brown-forsythe")


def _two(centred: Array, noise: float) -> CandidateVariances:
    """Compare two variances by the mean product of sums and differences."""
    n_blocks = len(centred)
    covariance = centred.T @ centred / (n_blocks - 1)
    variances = np.diagonal(covariance) - covariance[0, 1]
    total, difference = centred.sum(axis=1), centred[:, 0] - centred[:, 1]
    total[np.abs(total) <= noise] = 0.0
    difference[np.abs(difference) <= noise] = 0.0
    products = total * difference
    products = products / (np.abs(products).max() or 1.0)  # their squares are numbers of any unit
    mean, square = float(products.mean()), float(products.var(ddof=1)) / n_blocks
    unclear = inf if mean else float("nan")
    statistic = mean**2 / square if square > 0 else unclear
    return _test(variances, statistic, 1.0, float(n_blocks - 1), "robust-pitman-morgan")


def _block_f(values: Array) -> tuple[float, float, float]:
    """Return the F statistic of equal column means in blocks, and its degrees of freedom."""
    n_blocks, n_candidates = values.shape
    effects = values.mean(axis=0) - values.mean()
    centred = values - values.mean(axis=0)
    rest = centred - centred.mean(axis=1, keepdims=True)
    df1, df2 = float(n_candidates - 1), float((n_blocks - 1) * (n_candidates - 1))
    squares, error = n_blocks * float(effects @ effects), float((rest**2).sum())
    if error == 0:
        return (inf if squares > 0 else float("nan")), df1, df2
    return squares / df1 / (error / df2), df1, df2


def _test(
    variances: Array, statistic: float, df1: float, df2: float, method: Method
) -> CandidateVariances:
    """Add ratio and p-value."""
    from scipy.special import fdtrc

    smallest, largest = float(variances.min()), float(variances.max())
    ratio = float("nan")
    if largest > 0:
        ratio = largest / smallest if smallest > 0 else inf
    p_value = float(fdtrc(df1, df2, statistic))
    return CandidateVariances(variances, ratio, statistic, df1, df2, p_value, method)
