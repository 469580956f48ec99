"""The random block model of complete blocks, in closed form, and its sphericity."""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import log_f_survival, probability
from reportgen.stats.estimates import ParameterEstimates
from reportgen.stats.ranking import check_blocks

ROUNDING = 16 * float(np.finfo(np.float64).eps)  # residuals below it, relative to the values, are 0


@dataclass(frozen=True, slots=True)
class EqualityTest:
    """F test that all candidates have the same mean.

    Attributes
    ----------
    statistic : float
    df1 : int
        K - 1.
    df2 : float
        (B - 1)(K - 1) for complete blocks.
    p_value, log10_p_value : float
    target : str
        What the test generalises to; "" where it is not set.
    """

    statistic: float
    df1: int
    df2: float
    p_value: float
    log10_p_value: float
    target: str = ""


@dataclass(frozen=True, slots=True)
class BlockModel:
    r"""Estimates of :math:`p_{bk} = \kappa_k + \beta_b + \epsilon_{bk}`.

    Attributes
    ----------
    means : ndarray of shape (K,)
        Estimates of the kappa.
    block_effects : ndarray of shape (B,)
        Predictions (BLUP) of the beta.
    variance, block_variance : float
        REML estimates of the variances of epsilon and beta.
    is_boundary : bool
        Whether `block_variance` is 0 because blocks vary less than residuals.
    icc : float
        block_variance / (block_variance + variance).
    reml_criterion : float
        -2 log restricted likelihood at the estimates, constants as in lme4.
    equality : EqualityTest
    standard_error, standard_error_df : float
        Of a single mean, the same for all; degrees of freedom by Satterthwaite.
    estimates : ParameterEstimates
        The means with the covariance and the degrees of freedom,
        (B - 1)(K - 1), under which contrasts of them are exactly t.
    """

    means: Array
    block_effects: Array
    variance: float
    block_variance: float
    is_boundary: bool
    icc: float
    reml_criterion: float
    equality: EqualityTest
    standard_error: float
    standard_error_df: float
    estimates: ParameterEstimates


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a two-way layout is made of, computed once: the effects, and what they leave."""

    means: Array
    candidate_effects: Array
    block_effects: Array
    residuals: Array


@dataclass(frozen=True, slots=True)
class _Strata:
    """Sums of squares of a two-way layout with their degrees of freedom."""

    n_blocks: int
    n_candidates: int
    candidates: float
    blocks: float
    residual: float

    @property
    def df(self) -> tuple[int, int]:
        """Degrees of freedom of blocks and residual."""
        return self.n_blocks - 1, (self.n_blocks - 1) * (self.n_candidates - 1)

    @property
    def mean_squares(self) -> tuple[float, float]:
        """Mean squares of blocks and residual."""
        return self.blocks / self.df[0], self.residual / self.df[1]


def fit_block_model(values: Array) -> BlockModel:
    r"""Fit the random block model to complete blocks by REML.

    `values`: (B, K); one row a block, without missing values, B, K >= 2.
    Raises ValueError if `values` is not such a matrix, or has no residual variance: the differences
    of the candidates are the same in every block.

    Notes
    -----
    The mean squares of blocks and residual, MSB and MSE, are independent with
    expectations :math:`\theta_B = \sigma^2 + K \sigma_\beta^2` and
    :math:`\sigma^2`. REML maximises their likelihood under
    :math:`\theta_B \ge \sigma^2`: the estimates are MSB and MSE, or, when
    MSB < MSE, both the pooled (SSB + SSE) / (K (B - 1)). The F test and the
    covariance in `estimates` rest on MSB and MSE also then: they are exact,
    and the boundary is not [1]_.

    References
    ----------
    .. [1] S. R. Searle, G. Casella and C. E. McCulloch (1992), Variance
       Components, section 4.6.

    Examples
    --------
    >>> model = fit_block_model(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]]))
    >>> model.means
    array([2., 4.])
    >>> round(model.variance, 6), round(model.block_variance, 6)
    (0.5, 1.5)
    >>> round(model.equality.statistic, 6), model.equality.df1, model.equality.df2
    (12.0, 1, 2)
    """
    layout = _check(values)
    strata = _strata(layout)
    ms_block, ms_residual = strata.mean_squares
    theta_block, theta_residual = _reml(strata)
    block_variance = (theta_block - theta_residual) / strata.n_candidates
    means = layout.means
    shrinkage = 1 - theta_residual / theta_block
    standard_error, standard_error_df = _single_mean(strata)
    return BlockModel(
        means=means,
        block_effects=shrinkage * layout.block_effects,
        variance=theta_residual,
        block_variance=block_variance,
        is_boundary=ms_block < ms_residual,
        icc=block_variance / (block_variance + theta_residual),
        reml_criterion=_criterion(strata, theta_block, theta_residual),
        equality=_equality(strata),
        standard_error=standard_error,
        standard_error_df=standard_error_df,
        estimates=ParameterEstimates(
            means,
            _covariance(strata),
            float(strata.df[1]),
            ms_residual / strata.n_blocks * np.eye(strata.n_candidates),
        ),
    )


def has_residual_variance(values: Array) -> bool:
    """Whether the candidates' differences vary over blocks beyond rounding.

    `values`: (B, K); complete blocks.

    Examples
    --------
    >>> has_residual_variance(np.array([[0.1, 0.2], [0.4, 0.5]]))
    False
    """
    return _varies(_residuals(values, values.mean(axis=0)), values)


def _varies(residuals: Array, values: Array) -> bool:
    """Whether residuals are more than the rounding of the values."""
    largest = float(np.abs(residuals).max(initial=0.0))
    return largest > ROUNDING * float(np.abs(values).max(initial=0.0))


def _check(values: Array) -> _Layout:
    """Return the layout of the blocks; raise an error where the model cannot be fitted to them."""
    n_blocks, n_candidates = check_blocks(values).shape
    if n_blocks < 2 or n_candidates < 2:
        raise ValueError(
            f"the block model needs two blocks and two candidates, got {n_blocks} and "
            f"{n_candidates}"
        )
    means = values.mean(axis=0)
    residuals = _residuals(values, means)
    if not _varies(residuals, values):
        raise ValueError(
            "the block model needs residual variance: the differences of the candidates are "
            "the same in every block"
        )
    mean = values.mean()
    return _Layout(means, means - mean, values.mean(axis=1) - mean, residuals)


def _residuals(values: Array, means: Array) -> Array:
    """Remove candidate means and block means."""
    centred = values - means
    residuals: Array = centred - centred.mean(axis=1, keepdims=True)
    return residuals


def _strata(layout: _Layout) -> _Strata:
    """Return the sums of squares of the two-way layout."""
    n_blocks, n_candidates = layout.residuals.shape
    candidate_effects, block_effects = layout.candidate_effects, layout.block_effects
    return _Strata(
        n_blocks,
        n_candidates,
        n_blocks * float(candidate_effects @ candidate_effects),
        n_candidates * float(block_effects @ block_effects),
        float((layout.residuals**2).sum()),
    )


def _reml(strata: _Strata) -> tuple[float, float]:
    """Return the constrained REML estimates of the strata's expectations."""
    ms_block, ms_residual = strata.mean_squares
    if ms_block >= ms_residual:
        return ms_block, ms_residual
    pooled = (strata.blocks + strata.residual) / sum(strata.df)
    return pooled, pooled


def _criterion(strata: _Strata, theta_block: float, theta_residual: float) -> float:
    """Return lme4's REML criterion at given expectations of the strata."""
    n_blocks, n_candidates = strata.n_blocks, strata.n_candidates
    df_block, df_residual = strata.df
    return (
        n_candidates * (n_blocks - 1) * log(2 * pi)
        + n_candidates * log(n_blocks)
        + df_block * log(theta_block)
        + strata.blocks / theta_block
        + df_residual * log(theta_residual)
        + strata.residual / theta_residual
    )


def _equality(strata: _Strata) -> EqualityTest:
    """Test equality of the means against the residual mean square."""
    df1, df2 = strata.n_candidates - 1, strata.df[1]
    statistic = strata.candidates / df1 / strata.mean_squares[1]
    log_p = log_f_survival(statistic, df1, df2)
    return EqualityTest(statistic, df1, df2, probability(log_p), log_p / log(10))


def _single_mean(strata: _Strata) -> tuple[float, float]:
    """Return the standard error of one mean and its degrees of freedom."""
    ms_block, ms_residual = strata.mean_squares
    n_others = strata.n_candidates - 1
    total = ms_block + n_others * ms_residual
    block, residual = ms_block / total, ms_residual / total  # their squares are numbers of any unit
    df = strata.df[0] / (block**2 + n_others * residual**2)
    return sqrt(total / (strata.n_candidates * strata.n_blocks)), df


def _covariance(strata: _Strata) -> Array:
    """Return the unbiased estimate of the covariance of the means."""
    ms_block, ms_residual = strata.mean_squares
    n_candidates = strata.n_candidates
    common = np.full((n_candidates, n_candidates), (ms_block - ms_residual) / n_candidates)
    covariance: Array = (common + ms_residual * np.eye(n_candidates)) / strata.n_blocks
    return covariance


def greenhouse_geisser(values: NDArray[np.float64]) -> float:
    r"""Return the Greenhouse-Geisser epsilon of the columns.

    `values`: (B, K); complete blocks, B, K >= 2.
    Result: between 1 / (K - 1) and 1; 1 when the differences of all pairs of columns have the same
    variance. Not a number when no difference varies.
    Raises ValueError if `values` is not such a matrix.

    Notes
    -----
    With S the covariance of the columns and C an orthonormal basis of their
    contrasts, :math:`\operatorname{tr}(C'SC)^2 / ((K-1) \operatorname{tr}((C'SC)^2))`;
    the traces are those of S with rows and columns centred.

    References
    ----------
    .. [1] S. W. Greenhouse and S. Geisser (1959), "On methods in the analysis
       of profile data", Psychometrika 24.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> alike = rng.normal(size=(5000, 4))
    >>> greenhouse_geisser(alike) > 0.99
    True
    >>> round(greenhouse_geisser(alike * [1, 1, 1, 100]), 2)
    0.33
    """
    n_blocks, n_candidates = check_blocks(values).shape
    if n_blocks < 2 or n_candidates < 2:
        raise ValueError(f"sphericity needs two blocks and two candidates, got {values.shape}")
    within = values - values.mean(axis=1, keepdims=True)
    if not has_residual_variance(values):
        return float("nan")
    covariance = np.cov(within, rowvar=False)
    shares = covariance / np.trace(covariance)
    return float(1 / ((n_candidates - 1) * (shares**2).sum()))
