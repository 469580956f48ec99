"""Whether all differences of candidates vary alike over the blocks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_model import has_residual_variance
from reportgen.stats.ranks import check_blocks


def greenhouse_geisser(values: NDArray[np.float64]) -> float:
    r"""Return the Greenhouse-Geisser epsilon of the columns.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Complete blocks, B, K >= 2.

    Returns
    -------
    float
        Between 1 / (K - 1) and 1; 1 when the differences of all pairs of
        columns have the same variance. Not a number when no difference varies.

    Raises
    ------
    ValueError
        If `values` is not such a matrix.

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
    squares = float((covariance**2).sum())
    total = float(np.trace(covariance))
    epsilon: float = total * total / ((n_candidates - 1) * squares)
    return epsilon
