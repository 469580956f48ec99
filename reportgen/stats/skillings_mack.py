"""The test of Skillings and Mack: Friedman's for blocks with missing cells."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_sizes import components
from reportgen.stats.tails import log_chi2_survival, probability

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SkillingsMackTest:
    """Test that all candidates rank alike in the blocks in which they have a value.

    Attributes
    ----------
    statistic : float
        Given the ties; 0 when all blocks are fully tied.
    df : int
        K - 1.
    p_value, log10_p_value : float
        By the chi-squared limit; 1 and 0 when all blocks are fully tied.
    n_blocks, n_dropped : int
        Blocks that are used, and those with fewer than two values or none but
        tied ones, which say nothing.
    """

    statistic: float
    df: int
    p_value: float
    log10_p_value: float
    n_blocks: int
    n_dropped: int


def skillings_mack(ranks: Array) -> SkillingsMackTest | None:
    r"""Test equality of all candidates by the ranks of what is there.

    Parameters
    ----------
    ranks : ndarray of shape (B, K)
        Ranks 1 to :math:`n_b` among the :math:`n_b` values of row b, ties
        averaged, NaN where there is no value. K >= 2, and every candidate has a
        value.

    Returns
    -------
    SkillingsMackTest or None
        None when the design is not connected: there are candidates that no
        block that says something links, not even through others.

    Raises
    ------
    ValueError
        If `ranks` has fewer than two columns, or a column without a value.

    Notes
    -----
    With :math:`w_b = \sqrt{12 / (n_b + 1)}` the adjusted sums are
    :math:`A_k = \sum_b w_b (r_{bk} - (n_b + 1) / 2)`, in which a missing cell
    counts 0. Their covariance, when all orders of a block's ranks are equally
    likely, is :math:`V = \sum_b w_b^2 \sigma_b^2 \frac{n_b}{n_b - 1}
    (I - J / n_b)` on the cells that are there, :math:`\sigma_b^2` the variance
    (divisor :math:`n_b`) of the ranks with their ties; the paper has the case
    without ties, in which the test is too conservative when there are many [1]_.
    The statistic is the quadratic form of all but one sum in the inverse of
    their covariance. Without gaps it is Friedman's, corrected for ties.

    It asks whether candidates differ where they have values, and is valid only
    if missing has nothing to do with performance.

    References
    ----------
    .. [1] J. H. Skillings and G. A. Mack (1981), "On the use of a Friedman-type
       statistic in balanced and unbalanced block designs", Technometrics 23.

    Examples
    --------
    >>> nan = np.nan
    >>> ranks = np.array([[1, 2, 3], [1, nan, 2], [nan, 1, 2], [1.5, 1.5, 3]])
    >>> test = skillings_mack(ranks)
    >>> round(test.statistic, 4), test.df, round(test.p_value, 4), test.n_dropped
    (5.6684, 2, 0.0588, 0)
    """
    observed = _checked(ranks)
    sizes = observed.sum(axis=1)
    deviations = np.where(observed, ranks - (sizes[:, None] + 1) / 2, 0.0)
    squares = (deviations**2).sum(axis=1)
    speaks = (sizes >= 2) & (squares > 0)
    n_dropped = int((~speaks).sum())
    df = ranks.shape[1] - 1
    if not speaks.any():
        is_linked = not components(observed).any()
        return SkillingsMackTest(0.0, df, 1.0, 0.0, 0, n_dropped) if is_linked else None
    if components(observed[speaks]).any():
        return None
    there, n = observed[speaks].astype(np.float64), sizes[speaks]
    weights = np.sqrt(12 / (n + 1))
    sums = weights @ deviations[speaks]
    covariance = _covariance(there, weights**2 * squares[speaks] / (n - 1), n)
    statistic = float(sums[1:] @ np.linalg.solve(covariance[1:, 1:], sums[1:]))
    log_p = log_chi2_survival(statistic, df)
    return SkillingsMackTest(
        statistic, df, probability(log_p), log_p / log(10), len(there), n_dropped
    )


def _checked(ranks: Array) -> NDArray[np.bool_]:
    """Return which cells have a rank, or say what is wrong with them."""
    if ranks.ndim != 2 or ranks.shape[1] < 2:
        raise ValueError(f"rank tests need two candidates, got shape {ranks.shape}")
    observed = np.isfinite(ranks)
    if not observed.any(axis=0).all():
        raise ValueError("a candidate has no value")
    return observed


def _covariance(there: Array, factors: Array, sizes: Array) -> Array:
    """Sum the covariances of the blocks, each `factor` (I - J / n) on its cells."""
    covariance: Array = np.diag(factors @ there) - (there.T * (factors / sizes)) @ there
    return covariance
