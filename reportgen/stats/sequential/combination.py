r"""Combining functions: Fisher's product and the inverse normal, with levels and p-values.

A stage with p-value p1 decides at once when p1 <= alpha_1 or p1 > alpha_0. Else the
p-value p2 of the rest is combined with it, and the combination compared with c.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from math import exp, log, sqrt
from typing import Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import lambertw, ndtr, ndtri

from reportgen.stats.sequential.quadrature import panels

SMALLEST = 1e-300  # p-values are not taken to be smaller
PANEL = 2.0  # standard deviations integrated over at once
C_TOLERANCE = 1e-13
BELOW_ONE = 1 - 2.0**-53
FARTHEST = 40.0  # standard deviations: c beyond would be of levels under 1e-300


class Combination(Protocol):
    """A combining function, evidence growing or falling with it."""

    def combined(self, first: float, second: float, stage: int) -> float:
        """Return the combination of the p-values of a stage and of the rest."""

    def level(self, c: float, reject: float, accept: float, stage: int) -> float:
        """Return the probability under equality to reject at the stage or with the rest."""

    def critical(self, level: float, reject: float, accept: float, stage: int) -> float:
        """Return c, for which the stage and the rest have this level."""

    def remaining(self, c: float, p_value: float, stage: int) -> float:
        """Return the level of the rest, given the p-value of the stage."""


@dataclass(frozen=True, slots=True)
class FisherProduct:
    r"""Fisher's product p1 p2, which is small where there is evidence.

    Notes
    -----
    Level :math:`\alpha_1 + c \ln(\alpha_0 / \alpha_1)` while
    :math:`c \le \alpha_1`; beyond, the rest is rejected whatever it says when
    :math:`p_1 \le c`, and it is :math:`c (1 + \ln \alpha_0 - \ln c)`, which
    covers :math:`\alpha_1 = 0`. The second is solved for c by Lambert's W.

    References
    ----------
    .. [1] P. Bauer and K. Köhne (1994), "Evaluation of experiments with adaptive
       interim analyses", Biometrics 50.
    .. [2] W. Brannath, M. Posch and P. Bauer (2002), "Recursive combination
       tests", JASA 97, section 3.

    Examples
    --------
    >>> round(FisherProduct().critical(0.05, 0.01, 0.9, stage=1), 6)
    0.008889
    """

    def combined(self, first: float, second: float, stage: int) -> float:
        """Return the product."""
        return max(first, SMALLEST) * max(second, SMALLEST)

    def level(self, c: float, reject: float, accept: float, stage: int) -> float:
        """Return the probability under equality to reject at the stage or with the rest."""
        if c <= reject:
            return reject + c * log(accept / reject)
        return c * (1 + log(accept) - log(c)) if c > 0 else 0.0

    def critical(self, level: float, reject: float, accept: float, stage: int) -> float:
        """Return c, by the closed form where c <= `reject`, else as the root."""
        if reject > 0:
            c = (level - reject) / (log(accept) - log(reject))
            if c <= reject:
                return c
        return _root(level, accept)

    def remaining(self, c: float, p_value: float, stage: int) -> float:
        """Return c / p, at most 1."""
        return min(1.0, c / max(p_value, SMALLEST))


@lru_cache(maxsize=4096)
def _root(level: float, accept: float) -> float:
    """Solve c (1 + ln accept - ln c) = level; pairs that begin at one level share it."""
    scale = exp(1) * accept
    return scale * exp(float(lambertw(-level / scale, -1).real))


@dataclass(frozen=True, slots=True)
class InverseNormal:
    r"""The inverse normal :math:`w_1 z(p_1) + w_2 z(p_2)`, which is large where there is evidence.

    Attributes
    ----------
    n_stages : int or None
        Number of stages that shall have the same weight: :math:`w_1^2` is then
        1 / (n_stages - t + 1) at stage t. When None, or beyond, it is 1/2: a
        stage weighs as much as all after it.

    Notes
    -----
    :math:`A(x) = \Phi((w_1 z(x) - c) / w_2)` is the level of the rest given x,
    the level :math:`\alpha_1 + \int_{\alpha_1}^{\alpha_0} A(x) dx`. It is
    integrated over z by Gauss and Legendre.

    References
    ----------
    .. [1] W. Lehmacher and G. Wassmer (1999), "Adaptive sample size calculations
       in group sequential trials", Biometrics 55.

    Examples
    --------
    >>> round(InverseNormal().critical(0.05, 0.01, 0.9, stage=1), 5)
    1.68444
    """

    n_stages: int | None = None

    def weights(self, stage: int) -> tuple[float, float]:
        """Return the weights of a stage and of the rest; their squares sum to 1."""
        left = 2 if self.n_stages is None else max(2, self.n_stages - stage + 1)
        return sqrt(1 / left), sqrt(1 - 1 / left)

    def combined(self, first: float, second: float, stage: int) -> float:
        """Return the weighted sum of normal quantiles."""
        own, rest = self.weights(stage)
        return own * _z(first) + rest * _z(second)

    def level(self, c: float, reject: float, accept: float, stage: int) -> float:
        """Return the probability under equality to reject at the stage or with the rest."""
        return reject + _between(c, reject, accept, self.weights(stage))

    def critical(self, level: float, reject: float, accept: float, stage: int) -> float:
        """Return c as the root of the level."""
        return _normal_c(level, reject, accept, self.weights(stage))

    def remaining(self, c: float, p_value: float, stage: int) -> float:
        """Return A(p), which is below 1: no stage makes the rest superfluous."""
        own, rest = self.weights(stage)
        return min(BELOW_ONE, float(ndtr((own * _z(p_value) - c) / rest)))


def stagewise_p_value(
    first: float,
    second: float,
    reject: float,
    accept: float,
    combination: Combination,
    stage: int = 1,
) -> float:
    r"""Return q(p1, p2), the p-value of a stage and the rest.

    Parameters
    ----------
    first, second : float
        P-values of the stage and of the rest, which is 1 where it is not known.
    reject, accept : float
        Boundaries alpha_1 and alpha_0 of the stage.
    combination : Combination
    stage : int, default 1

    Returns
    -------
    float
        p1 where the stage decides alone, else :math:`\alpha_1 +
        \int_{\alpha_1}^{\alpha_0} P(C(x, U) \text{ at least as strong as }
        C(p_1, p_2)) dx`, which is the level that would have c = C(p1, p2).

    Notes
    -----
    Uniform under equality where p1 and p2 are uniform and independent. For
    Fisher's product it is continuous at p1 p2 = alpha_1.

    References
    ----------
    .. [1] W. Brannath, M. Posch and P. Bauer (2002), "Recursive combination
       tests", JASA 97, section 2.

    Examples
    --------
    >>> round(stagewise_p_value(0.1, 0.1, 0.01, 0.9, FisherProduct()), 7)
    0.0549981
    """
    if first <= reject or first > accept:
        return first
    return combination.level(combination.combined(first, second, stage), reject, accept, stage)


def _z(p_value: float) -> float:
    """Return the upper normal quantile of a p-value; minus infinity of 1."""
    return -float(ndtri(max(p_value, SMALLEST)))


def _between(c: float, reject: float, accept: float, weights: tuple[float, float]) -> float:
    """Return the integral of A over the p-values that do not decide."""
    own, rest = weights
    low, high = max(-FARTHEST, _z(accept)), min(FARTHEST, _z(reject))
    z, sizes = panels(low, high, PANEL)
    density = np.exp(-(z**2) / 2) / sqrt(2 * np.pi)
    return float(sizes @ (density * ndtr((own * z - c) / rest)))


@cache
def _normal_c(level: float, reject: float, accept: float, weights: tuple[float, float]) -> float:
    """Return the c of the inverse normal."""

    def surplus(c: float) -> float:
        return reject + _between(c, reject, accept, weights) - level

    return float(brentq(surplus, -2 * FARTHEST, 2 * FARTHEST, xtol=C_TOLERANCE))
