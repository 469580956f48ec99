r"""Aligned performances and aligned ranks: blocks compared after their mean is taken off.

Aligned values of a block are correlated, -1/(K - 1), and have K - 1 degrees of
freedom a block: methods for K independent samples of them reject far too often.
What is here keeps the blocks: the residual variance has (B - 1)(K - 1) degrees
of freedom, and ranks are compared by their law under permutation within blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.parameters import ParameterEstimates
from reportgen.stats.ranks import check_blocks, levelled, within_block_ranks

Array = NDArray[np.float64]


def aligned_performances(values: Array) -> ParameterEstimates:
    r"""Return the means of the aligned values with their covariance.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Complete blocks, B, K >= 2.

    Returns
    -------
    ParameterEstimates
        For contrasts: `tukey` of it is that of the block model, `dunnett` too.

    Raises
    ------
    ValueError
        If `values` is not such a matrix.

    Notes
    -----
    The covariance is :math:`MSE/B\,(I - J/K)` with
    :math:`MSE = SSE/((B-1)(K-1))` on as many degrees of freedom.

    References
    ----------
    .. [1] T. Hothorn, F. Leisch, A. Zeileis and K. Hornik (2005), "The design and
       analysis of benchmark experiments", Journal of Computational and
       Graphical Statistics 14, section 4 (there with another variance).

    Examples
    --------
    >>> estimates = aligned_performances(np.array([[1.0, 2.0], [3.0, 5.0], [2.0, 5.0]]))
    >>> estimates.coef, estimates.df
    (array([-1.,  1.]), 2)
    >>> estimates.covariance.round(6)
    array([[ 0.083333, -0.083333],
           [-0.083333,  0.083333]])
    """
    n_blocks, n_candidates = check_blocks(values).shape
    if n_blocks < 2 or n_candidates < 2:
        raise ValueError(f"alignment needs two blocks and two candidates, got {values.shape}")
    aligned = values - values.mean(axis=1, keepdims=True)
    means = aligned.mean(axis=0)
    df = (n_blocks - 1) * (n_candidates - 1)
    variance = float(((aligned - means) ** 2).sum()) / df
    centring = np.eye(n_candidates) - 1 / n_candidates
    return ParameterEstimates(means, variance / n_blocks * centring, df)


def aligned_ranks(values: Array, is_smaller_better: bool = True) -> Array:
    """Rank the aligned values of all blocks together, 1 for the best, ties averaged.

    Unlike ranks within blocks they use how much candidates differ in a block in
    comparison with other blocks, which is more powerful with few candidates.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        One row a block, without missing values.
    is_smaller_better : bool, default True
        Direction of the measure.

    Returns
    -------
    ndarray of shape (B, K)
        Scores for `permuted_equality`, `permuted_pairs`, `permuted_reference`
        and their asymptotic versions.

    Raises
    ------
    ValueError
        If `values` is not a matrix or holds something that is not finite.

    References
    ----------
    .. [1] J. L. Hodges and E. L. Lehmann (1962), "Rank methods for combination
       of independent experiments in analysis of variance", Annals of
       Mathematical Statistics 33.

    Examples
    --------
    >>> aligned_ranks(np.array([[0.1, 0.3, 0.5], [0.21, 0.2, 0.16]]))
    array([[1., 3., 6.],
           [5., 4., 2.]])
    """
    aligned = check_blocks(values) - values.mean(axis=1, keepdims=True)
    sizes = np.broadcast_to(np.abs(values).max(axis=1, keepdims=True, initial=0.0), values.shape)
    even = levelled(aligned.reshape(1, -1), sizes.reshape(1, -1))
    return within_block_ranks(even, is_smaller_better).reshape(values.shape)
