"""Anytime-valid tests and confidence sequences: they hold after every replication.

A sequence for the mean is asymptotic; where performances lie between known bounds,
bets on the mean give one with an exact guarantee. A bet wins at most log(1 + |d|) a
replication, so that small differences need many.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log, log1p, pi

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln

from reportgen.stats.permutation.block_sums import Alternative, directed
from reportgen.stats.scaling import scaled, unusual_exponent
from reportgen.stats.sequential.tracks import looks, running_signs

Array = NDArray[np.float64]

OPTIMAL_AT = 50  # replications at which the confidence sequence is narrowest
FIRST_LOOK = 30  # before, the normal approximation does not hold the level


@dataclass(frozen=True, slots=True)
class SignProcess:
    """Evidence against wins and losses being equally probable.

    Attributes
    ----------
    n : ndarray of shape (B,), int
        Replications, from 1.
    wins, losses : ndarray of shape (..., B), int
        Positive and negative differences so far.
    log_e : ndarray of shape (..., B)
        Natural logarithm of the e-value after each replication.
    p_values : ndarray of shape (..., B)
        1 / (largest e-value so far), at most 1: never rises, valid at all times.
    """

    n: NDArray[np.intp]
    wins: NDArray[np.intp]
    losses: NDArray[np.intp]
    log_e: Array
    p_values: Array

    def decided_at(self, alpha: float = 0.05) -> Array:
        """Return the replication of the first rejection; infinite when there is none.

        Examples
        --------
        >>> float(sign_process(np.ones(20)).decided_at())
        7.0
        """
        is_small = self.p_values <= alpha
        first = np.where(is_small.any(axis=-1), is_small.argmax(axis=-1), len(self.n))
        return np.asarray(np.append(self.n.astype(np.float64), np.inf)[first])


@dataclass(frozen=True, slots=True)
class ConfidenceSequence:
    """Intervals for a mean, together valid at all looks in large samples.

    Attributes
    ----------
    n : ndarray of shape (N,), int
        Replications at each look.
    means, lower, upper : ndarray of shape (..., N)
    """

    n: NDArray[np.intp]
    means: Array
    lower: Array
    upper: Array

    def decided_at(self) -> Array:
        """Return the replication at which 0 is first outside; infinite when it never is.

        Examples
        --------
        >>> d = np.tile([1.0, 2.0], 30)
        >>> float(asymptotic_confidence_sequence(d).decided_at())
        30.0
        """
        outside = (self.lower > 0) | (self.upper < 0)
        first = np.where(outside.any(axis=-1), outside.argmax(axis=-1), len(self.n))
        return np.asarray(np.append(self.n.astype(np.float64), np.inf)[first])


def sign_process(differences: Array, alternative: Alternative = "two-sided") -> SignProcess:
    r"""Follow the mixture e-process of the sign test.

    Parameters
    ----------
    differences : ndarray of shape (..., B)
        Finite, in the order of the replications; zeros are dropped.
    alternative : {"two-sided", "less", "greater"}

    Returns
    -------
    SignProcess

    Raises
    ------
    ValueError
        If differences are not finite, or the alternative is unknown.

    Notes
    -----
    With w wins and l losses :math:`E = 2^{w+l} B(w + 1/2, l + 1/2) / B(1/2, 1/2)`,
    the likelihood ratio against equal probabilities averaged over Jeffreys'
    law of the probability of a win; one-sided over the half of it above (or
    below) 1/2. By Ville's inequality :math:`P(\max_b E_b \ge 1/\alpha) \le
    \alpha` for every number of replications, exactly, when wins and losses
    are equally probable given no tie.

    References
    ----------
    .. [1] A. Ramdas, P. Grünwald, V. Vovk and G. Shafer (2023), "Game-theoretic
       statistics and safe anytime-valid inference", Statistical Science 38.

    Examples
    --------
    >>> process = sign_process(np.array([1.0, 1.0, 1.0, 0.0]))
    >>> np.exp(process.log_e), process.p_values
    (array([1. , 1.5, 2.5, 2.5]), array([1.        , 0.66666667, 0.4       , 0.4       ]))
    """
    directed(alternative)
    d, n = looks(differences, burn_in=1)
    wins, losses = running_signs(d)
    log_beta = np.asarray(betaln(wins + 0.5, losses + 0.5), dtype=np.float64)
    log_e = (wins + losses) * log(2) + log_beta - log(pi)
    if alternative != "two-sided":
        more, fewer = (wins, losses) if alternative == "greater" else (losses, wins)
        half = betainc(fewer + 0.5, more + 0.5, 0.5)  # of the law above 1/2
        with np.errstate(divide="ignore"):
            log_e = log_e + np.log(np.asarray(2 * half, dtype=np.float64))
    largest = np.maximum.accumulate(log_e, axis=-1)
    return SignProcess(n, wins, losses, log_e, np.exp(-np.maximum(0.0, largest)))


def asymptotic_confidence_sequence(
    differences: Array,
    alpha: float = 0.05,
    first_look: int = FIRST_LOOK,
    optimal_at: int = OPTIMAL_AT,
) -> ConfidenceSequence:
    r"""Follow intervals for the mean difference that may all be looked at.

    Parameters
    ----------
    differences : ndarray of shape (..., B)
        Finite, in the order of the replications.
    alpha : float, default 0.05
    first_look : int, default 30
        Replications before the first interval, at least 2.
    optimal_at : int, default 50
        Replications at which the intervals are narrowest.

    Returns
    -------
    ConfidenceSequence

    Raises
    ------
    ValueError
        If differences are not finite, or there are too few.

    Notes
    -----
    .. math:: \bar d \pm s \sqrt{\frac{2 (b \rho^2 + 1)}{b^2 \rho^2}
        \ln \frac{\sqrt{b \rho^2 + 1}}{\alpha}}, \quad
        \rho^2 = \frac{-2 \ln \alpha + \ln(1 - 2 \ln \alpha)}{optimal\_at}

    with the standard deviation s of the b differences so far. The level holds
    in the limit of late first looks; from 10 on it does not.

    References
    ----------
    .. [1] I. Waudby-Smith, D. Arbour, R. Sinha, E. H. Kennedy and A. Ramdas
       (2024), "Time-uniform central limit theory and asymptotic confidence
       sequences", Annals of Statistics 52.

    Examples
    --------
    >>> sequence = asymptotic_confidence_sequence(np.tile([1.0, 2.0], 25), first_look=50)
    >>> sequence.lower.round(3), sequence.upper.round(3)
    (array([1.283]), array([1.717]))
    """
    d, n = looks(differences, max(2, first_look))
    exponent = unusual_exponent(d)
    d = scaled(d, -exponent)
    origin = d[..., :1]
    shift = (d - origin).cumsum(axis=-1)[..., n[0] - 1 :] / n
    squares = ((d - origin) ** 2).cumsum(axis=-1)[..., n[0] - 1 :]
    deviations = np.sqrt(np.maximum(0.0, squares - n * shift**2) / (n - 1))
    rho2 = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / optimal_at
    grown = n * rho2 + 1
    factor = np.sqrt(2 * grown / (n**2 * rho2) * np.log(np.sqrt(grown) / alpha))
    means, widths = origin + shift, deviations * factor
    bounds = (scaled(x, exponent) for x in (means, means - widths, means + widths))
    return ConfidenceSequence(n, *bounds)


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
