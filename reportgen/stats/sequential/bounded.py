r"""Confidence sequences for the mean of bounded differences, valid without a limit law.

Where performances lie between known bounds, so do their differences, and a bet on
the mean that cannot lose all gives an exact guarantee at all times. It is dear: a bet
wins at most log(1 + |d|) a replication, so that small differences need many.
"""

from __future__ import annotations

from math import ceil, log, log1p

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.sequential.anytime import ConfidenceSequence
from reportgen.stats.sequential.tracks import looks

Array = NDArray[np.float64]

LARGEST_BET = 0.5  # of the wealth that can be lost at once


def bernstein_confidence_sequence(
    differences: Array, lower: float, upper: float, alpha: float = 0.05
) -> ConfidenceSequence:
    r"""Follow predictable plug-in empirical-Bernstein intervals for the mean.

    Parameters
    ----------
    differences : ndarray of shape (..., B)
        In the order of the replications, all between the bounds.
    lower, upper : float
        Bounds known beforehand: -1 and 1 of differences of error rates.
    alpha : float, default 0.05

    Returns
    -------
    ConfidenceSequence
        From the first replication on, intersected with all intervals before,
        and with the bounds. Its means are weighted by the bets.

    Raises
    ------
    ValueError
        If a difference lies outside the bounds.

    Notes
    -----
    With x the differences scaled to [0, 1], :math:`\hat\mu_t, \hat\sigma_t^2` their
    running mean and variance, each with one observation of 1/2 and 1/4 added,
    :math:`\lambda_t = \min\{\sqrt{2 \ln(2/\alpha) / (\hat\sigma_{t-1}^2 t
    \ln(1+t))}, 1/2\}` and :math:`\psi(\lambda) = -\ln(1-\lambda) - \lambda`,

    .. math:: \frac{\sum \lambda_i x_i}{\sum \lambda_i} \pm
        \frac{\ln(2/\alpha) + \sum (x_i - \hat\mu_{i-1})^2 \psi(\lambda_i)}
        {\sum \lambda_i}.

    References
    ----------
    .. [1] I. Waudby-Smith and A. Ramdas (2024), "Estimating means of bounded
       random variables by betting", JRSS B 86, theorem 2.

    Examples
    --------
    >>> d = np.tile([0.0, -0.2], 500)
    >>> found = bernstein_confidence_sequence(d, -1.0, 1.0)
    >>> float(found.decided_at()), round(float(found.upper[-1]), 3)
    (152.0, -0.083)
    """
    d, n = looks(differences, burn_in=1)
    if not lower < upper or d.min() < lower or d.max() > upper:
        raise ValueError(f"differences must lie between {lower} and {upper}")
    x = (d - lower) / (upper - lower)
    means = (0.5 + x.cumsum(axis=-1)) / (n + 1)
    variances = (0.25 + ((x - means) ** 2).cumsum(axis=-1)) / (n + 1)
    bets = _bets(_before(variances, 0.25), n, alpha)
    errors = (x - _before(means, 0.5)) ** 2 * (-np.log1p(-bets) - bets)
    sums = bets.cumsum(axis=-1)
    centers = (bets * x).cumsum(axis=-1) / sums
    margins = (log(2 / alpha) + errors.cumsum(axis=-1)) / sums
    low = np.maximum.accumulate(np.maximum(0.0, centers - margins), axis=-1)
    high = np.minimum.accumulate(np.minimum(1.0, centers + margins), axis=-1)
    scaled = (lower + (upper - lower) * part for part in (centers, low, high))
    return ConfidenceSequence(n, *scaled)


def replications_needed(difference: float, alpha: float = 0.05) -> int:
    r"""Return about how many replications a bounded bet needs to find a difference.

    Parameters
    ----------
    difference : float
        Mean difference, not 0, of differences between -1 and 1.
    alpha : float, default 0.05

    Returns
    -------
    int
        :math:`\ln(2/\alpha) / \ln(1 + |\delta|)`: fewer are not enough even
        where all differences are the same.

    Raises
    ------
    ValueError
        If the difference is 0 or larger than 1.

    Examples
    --------
    >>> replications_needed(0.005)
    740
    """
    if not 0 < abs(difference) <= 1:
        raise ValueError(f"the difference must be up to 1 and not 0, got {difference}")
    return ceil(log(2 / alpha) / log1p(abs(difference)))


def _bets(variances: Array, n: NDArray[np.intp], alpha: float) -> Array:
    """Return the predictable bets of shape (..., B)."""
    return np.asarray(
        np.minimum(LARGEST_BET, np.sqrt(2 * log(2 / alpha) / (variances * n * np.log(1 + n))))
    )


def _before(running: Array, start: float) -> Array:
    """Return the running values one replication earlier."""
    first = np.full((*running.shape[:-1], 1), start)
    return np.concatenate([first, running[..., :-1]], axis=-1)
