r"""Tests that may be looked at after every replication, whatever the rule for stopping."""

from __future__ import annotations

from dataclasses import dataclass
from math import log, pi

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln

from reportgen.stats.block_scores import Alternative, directed
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
    origin = d[..., :1]
    shift = (d - origin).cumsum(axis=-1)[..., n[0] - 1 :] / n
    squares = ((d - origin) ** 2).cumsum(axis=-1)[..., n[0] - 1 :]
    deviations = np.sqrt(np.maximum(0.0, squares - n * shift**2) / (n - 1))
    rho2 = (-2 * log(alpha) + log(1 - 2 * log(alpha))) / optimal_at
    grown = n * rho2 + 1
    factor = np.sqrt(2 * grown / (n**2 * rho2) * np.log(np.sqrt(grown) / alpha))
    means = origin + shift
    return ConfidenceSequence(n, means, means - deviations * factor, means + deviations * factor)
