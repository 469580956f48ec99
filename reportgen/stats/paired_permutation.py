"""Two candidates by the permutation law of Student's paired t statistic."""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, sqrt

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.stats.block_permutation import SLACK
from reportgen.stats.block_scores import Alternative, directed
from reportgen.stats.sign_flips import EXACT_UP_TO, all_sign_tail, drawn_sums
from reportgen.stats.sum_law import N_DRAWS

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairedPermutation:
    """Permutation test of one sample of differences.

    Attributes
    ----------
    statistic : float
        Student's t on n - 1 degrees of freedom; infinite when all differences
        are the same and not 0, and 0 when they are 0 or n = 1.
    p_value : float
        1 when every difference is 0.
    standard_error : float
        Of the p-value, by Monte Carlo; 0 when it is exact.
    n_draws : int or None
        Number of random signs; None when it is exact.
    """

    statistic: float
    p_value: float
    standard_error: float
    n_draws: int | None


def paired_permutation(
    differences: Array,
    rng: Generator,
    alternative: Alternative = "two-sided",
    n_draws: int = N_DRAWS,
) -> PairedPermutation:
    """Test that differences are symmetric about 0 by their mean.

    Parameters
    ----------
    differences : ndarray of shape (n,)
        n >= 1 finite numbers, one a block.
    rng : Generator
        Draws signs where the law is not exact; else not used.
    alternative : {"two-sided", "less", "greater"}
        Side of 0 on which their mean is looked for.
    n_draws : int, default 9999

    Returns
    -------
    PairedPermutation

    Raises
    ------
    ValueError
        If there is no difference, one is not finite, or the alternative unknown.

    Notes
    -----
    The sum of squares does not change with the signs, so that t is a function
    of the sum alone. Exact up to 36 nonzero differences, all 2^n signs taken
    into account; beyond, (1 + number) / (1 + draws).

    References
    ----------
    .. [1] T. Hothorn, F. Leisch, A. Zeileis and K. Hornik (2005), "The design and
       analysis of benchmark experiments", Journal of Computational and
       Graphical Statistics 14, section 4.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> paired_permutation(np.array([1.0, 2.0, 3.0, 4.0, -1.0]), rng)
    PairedPermutation(statistic=2.092..., p_value=0.1875, standard_error=0.0, n_draws=None)
    """
    d = np.asarray(differences, dtype=np.float64)
    if d.ndim != 1 or not len(d) or not np.isfinite(d).all():
        raise ValueError(f"differences must be a row of finite numbers, got {differences!r}")
    fold, sizes = directed(alternative), np.abs(d[d != 0])
    if not len(sizes):
        return PairedPermutation(0.0, 1.0, 0.0, None)
    sum_, slack = float(fold(d.sum())), SLACK * sqrt(float(sizes @ sizes))
    if len(sizes) <= EXACT_UP_TO:
        upper = all_sign_tail(sizes, sum_, slack)
        p = min(1.0, 2 * upper) if alternative == "two-sided" else upper
        return PairedPermutation(student_t(d), p, 0.0, None)
    sums = fold(drawn_sums(sizes[:, None], rng, n_draws)[:, 0])
    p = (1 + int((sums >= sum_ - slack).sum())) / (1 + n_draws)
    return PairedPermutation(student_t(d), p, sqrt(p * (1 - p) / n_draws), n_draws)


def student_t(differences: Array) -> float:
    """Return Student's t statistic of a sample, without division by zero.

    Examples
    --------
    >>> student_t(np.array([1.0, 2.0, 3.0])), student_t(np.array([-1.0, -1.0]))
    (3.464..., -inf)
    """
    mean = float(differences.mean())
    if len(differences) < 2 or mean == 0:
        return 0.0
    deviation = float(differences.std(ddof=1))
    if deviation <= SLACK * abs(mean):
        return copysign(inf, mean)
    return mean / (deviation / sqrt(len(differences)))
