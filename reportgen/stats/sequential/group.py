r"""Group sequential tests: one statistic of all replications so far, looked at a few times.

The standardised sums at the looks are those of a Brownian motion with drift. The
density of paths that have crossed no boundary is carried from look to look by
Gauss-Legendre integration, as Armitage, McPherson and Rowe did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from reportgen.stats.permutation.block_sums import Alternative
from reportgen.stats.sequential.quadrature import panels
from reportgen.stats.sequential.recursive import Decision, Spending
from reportgen.stats.sequential.staged import holm_decisions
from reportgen.stats.sequential.verdicts import MOST_HOLM

Array = NDArray[np.float64]
Shape = Literal["pocock", "obrien-fleming"]

FARTHEST = 9.0  # standard deviations below which a one-sided path is not followed
PANEL = 3.0  # standard deviations of an increment
TOLERANCE = 1e-11
LARGEST = 38.0  # boundary of a look that spends nothing
LARGEST_Z = 37.0  # below it


@dataclass(frozen=True, slots=True)
class GroupBoundaries:
    """Boundaries of the standardised statistic.

    Attributes
    ----------
    information : ndarray of shape (K,)
        Share of the replications at each look, the last 1.
    upper : ndarray of shape (K,)
        Reject when z (two-sided: its size) is at least as large.
    is_two_sided : bool
    """

    information: Array
    upper: Array
    is_two_sided: bool

    def first_crossing(self, z: Array) -> int | None:
        """Return the look, from 1, at which a statistic of fewer or all looks rejects.

        Examples
        --------
        >>> group_boundaries(3, 0.05, "pocock").first_crossing(np.array([1.0, -2.4]))
        2
        """
        sizes = np.abs(z) if self.is_two_sided else np.asarray(z)
        crossed = np.flatnonzero(sizes >= self.upper[: len(sizes)])
        return int(crossed[0]) + 1 if len(crossed) else None


def group_boundaries(
    looks: int | ArrayLike, alpha: float = 0.05, shape: Shape = "pocock", is_two_sided: bool = True
) -> GroupBoundaries:
    r"""Return boundaries of a given shape that have the level.

    Parameters
    ----------
    looks : int or array of shape (K,)
        Number of equally spaced looks, or shares of the information, ascending
        to 1.
    alpha : float, default 0.05
    shape : {"pocock", "obrien-fleming"}
        Constant in z, or proportional to :math:`1 / \sqrt{share}`.
    is_two_sided : bool, default True

    Returns
    -------
    GroupBoundaries

    Raises
    ------
    ValueError
        If the shares are not ascending to 1, alpha is no level, or the shape
        unknown.

    References
    ----------
    .. [1] S. J. Pocock (1977), "Group sequential methods in the design and
       analysis of clinical trials", Biometrika 64.
    .. [2] P. C. O'Brien and T. R. Fleming (1979), "A multiple testing procedure
       for clinical trials", Biometrics 35.
    .. [3] C. Jennison and B. W. Turnbull (2000), Group Sequential Methods with
       Applications to Clinical Trials, chapters 2 and 19.

    Examples
    --------
    >>> group_boundaries(5, 0.05, "pocock").upper.round(3)
    array([2.413, 2.413, 2.413, 2.413, 2.413])
    >>> group_boundaries(5, 0.05, "obrien-fleming").upper.round(3)
    array([4.562, 3.226, 2.634, 2.281, 2.04 ])
    """
    information = _information(looks, alpha)
    forms = {"pocock": np.ones(len(information)), "obrien-fleming": 1 / np.sqrt(information)}
    if shape not in forms:
        raise ValueError(f"the shape must be one of {', '.join(forms)}, got {shape!r}")

    def surplus(c: float) -> float:
        found = GroupBoundaries(information, c * forms[shape], is_two_sided)
        return float(crossing_probabilities(found).sum()) - alpha

    c = float(brentq(surplus, 0.0, 10.0, xtol=TOLERANCE))
    return GroupBoundaries(information, c * forms[shape], is_two_sided)


def spent_boundaries(
    looks: int | ArrayLike, spending: Spending, alpha: float = 0.05, is_two_sided: bool = True
) -> GroupBoundaries:
    """Return boundaries that spend the level by a function of the information.

    Parameters
    ----------
    looks : int or array of shape (K,)
        As for `group_boundaries`.
    spending : callable
        Of a share and alpha, such as `rules.obrien_fleming_spending`. Two-sided
        boundaries spend half of it on each side.
    alpha : float, default 0.05
    is_two_sided : bool, default True

    Returns
    -------
    GroupBoundaries

    Raises
    ------
    ValueError
        If the shares are not ascending to 1, or alpha is no level.

    References
    ----------
    .. [1] K. K. G. Lan and D. L. DeMets (1983), "Discrete sequential boundaries
       for clinical trials", Biometrika 70.

    Examples
    --------
    >>> from reportgen.stats.sequential.recursive import pocock_spending
    >>> spent_boundaries(5, pocock_spending).upper.round(3)
    array([2.438, 2.427, 2.41 , 2.397, 2.386])
    """
    information = _information(looks, alpha)
    sides = 2 if is_two_sided else 1
    side = alpha / sides
    totals = [0.0, *(spending(share, side) for share in information.tolist())]
    paths, upper = _Paths.start(is_two_sided), []
    for share, wanted in zip(information.tolist(), np.diff(totals).tolist(), strict=True):
        upper.append(paths.boundary_that_spends(share, wanted))
        paths = paths.after(share, upper[-1])
    return GroupBoundaries(information, np.array(upper), is_two_sided)


def crossing_probabilities(boundaries: GroupBoundaries, drift: float = 0.0) -> Array:
    """Return the probability to reject first at each look.

    Parameters
    ----------
    boundaries : GroupBoundaries
    drift : float, default 0
        Expectation of z at the last look: standardised difference times the
        square root of all replications.

    Returns
    -------
    ndarray of shape (K,)
        Both sides together where the boundaries are two-sided. Their sum is the
        level, or the power; with the information they give the expected share
        of the replications.

    Examples
    --------
    >>> boundaries = group_boundaries(5, 0.05, "obrien-fleming")
    >>> round(float(crossing_probabilities(boundaries, drift=3.2833).sum()), 3)
    0.9
    """
    paths, found = _Paths.start(boundaries.is_two_sided, drift), []
    for share, c in zip(boundaries.information.tolist(), boundaries.upper.tolist(), strict=True):
        found.append(paths.crossing(share, c))
        paths = paths.after(share, c)
    return np.array(found)


@dataclass(frozen=True, slots=True)
class _Paths:
    """Paths that have crossed nothing so far.

    Attributes
    ----------
    information : float
        Share at the last look.
    places, masses : ndarray of shape (N,)
        Sums (z times the root of the information) and the density at them, times
        the weight of the node.
    is_two_sided : bool
    drift : float
    """

    information: float
    places: Array
    masses: Array
    is_two_sided: bool
    drift: float

    @classmethod
    def start(cls, is_two_sided: bool, drift: float = 0.0) -> _Paths:
        """Return all paths, at 0."""
        return cls(0.0, np.zeros(1), np.ones(1), is_two_sided, drift)

    def crossing(self, share: float, c: float) -> float:
        """Return the probability to cross a boundary of z at the next look."""
        return self._above(share, c, both=self.is_two_sided)

    def boundary_that_spends(self, share: float, level: float) -> float:
        """Return the boundary that the given level crosses upwards."""
        if self._above(share, LARGEST, both=False) >= level:
            return LARGEST
        return float(
            brentq(
                lambda c: self._above(share, c, both=False) - level, 0.0, LARGEST, xtol=TOLERANCE
            )
        )

    def after(self, share: float, c: float) -> _Paths:
        """Return the paths that have not crossed at the next look."""
        deviation = sqrt(share - self.information)
        high = c * sqrt(share)
        low = -high if self.is_two_sided else min(0.0, self.drift * share) - FARTHEST
        low, high = self._within(low, high, share)
        places, weights = panels(low, high, PANEL * deviation)
        steps = (places[:, None] - self.places - self.drift * deviation**2) / deviation
        density = np.exp(-(steps**2) / 2) @ self.masses / (deviation * sqrt(2 * np.pi))
        return _Paths(share, places, density * weights, self.is_two_sided, self.drift)

    def _within(self, low: float, high: float, share: float) -> tuple[float, float]:
        """Cut the interval to where paths can be."""
        center, reach = self.drift * share, FARTHEST * sqrt(share)
        low, high = max(low, min(center, 0.0) - reach), min(high, max(center, 0.0) + reach)
        return low, max(high, low + TOLERANCE)

    def _above(self, share: float, c: float, both: bool) -> float:
        """Return the probability of the next sum to lie beyond."""
        deviation = sqrt(share - self.information)
        center = self.places + self.drift * deviation**2
        edge = c * sqrt(share)
        beyond = ndtr((center - edge) / deviation)
        if both:
            beyond = beyond + ndtr((-edge - center) / deviation)
        return float(self.masses @ beyond)


def _information(looks: int | ArrayLike, alpha: float) -> Array:
    """Return the shares of the information; raise an error where they are invalid."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    whole = np.ndim(looks) == 0
    shares = np.arange(1, int(np.asarray(looks)) + 1) / np.asarray(looks) if whole else looks
    information = np.asarray(shares, dtype=np.float64)
    if not len(information) or information[-1] != 1 or (np.diff(information, prepend=0) <= 0).any():
        raise ValueError(f"looks must be shares that ascend to 1, got {looks!r}")
    return information


@cache
def boundaries_of(
    shares: tuple[float, ...], spending: Spending, level: float, is_two_sided: bool
) -> GroupBoundaries:
    """Return `spent_boundaries`, computed once."""
    return spent_boundaries(shares, spending, level, is_two_sided)


def normal_quantiles(less: Array, greater: Array, alternative: Alternative) -> Array:
    """Return one-sided p-values as values of the standardised statistic.

    Parameters
    ----------
    less, greater : ndarray of shape (N,)
        P-values against negative, and positive, differences at each look.
    alternative : {"two-sided", "less", "greater"}
        One-sided, the statistic is positive in this direction.

    Examples
    --------
    >>> normal_quantiles(np.array([0.975]), np.array([0.025]), "two-sided").round(2)
    array([1.96])
    """
    low, high = -ndtri(less), -ndtri(greater)
    if alternative == "two-sided":
        z = np.where(high > low, np.maximum(0.0, high), -np.maximum(0.0, low))
    else:
        z = low if alternative == "less" else high
    return np.clip(z, -LARGEST_Z, LARGEST_Z)


def first_rejections(
    z: Sequence[Array],
    shares: tuple[float, ...],
    spending: Spending,
    alpha: float = 0.05,
    *,
    is_two_sided: bool = True,
    n_compared: int | None = None,
) -> tuple[int | None, ...]:
    """Return the look at which each of several hypotheses is rejected, family-wise.

    Parameters
    ----------
    z : sequence of ndarray of shape (N,)
        By hypothesis, the standardised statistic at its looks so far.
    shares : tuple of float
        Shares of the information at the planned looks, ascending to 1.
    spending : callable
    alpha : float, default 0.05
    is_two_sided : bool, default True
    n_compared : int, optional
        Hypotheses of a larger family, which Bonferroni's inequality then holds
        together. Left out: Holm's method for these, Bonferroni's for very many.

    Returns
    -------
    tuple of int or None
        From 1; None where nothing is rejected.

    Examples
    --------
    >>> from reportgen.stats.sequential.recursive import obrien_fleming_spending
    >>> z = [np.array([1.0, 5.0]), np.array([0.0, 2.1])]
    >>> first_rejections(z, (0.5, 1.0), obrien_fleming_spending)
    (2, 2)
    """
    n = len(z)
    crossings: dict[tuple[int, float], int] = {}

    def crossing(i: int, level: float) -> int:
        if (i, level) not in crossings:
            found = boundaries_of(shares, spending, level, is_two_sided).first_crossing(z[i])
            crossings[i, level] = found or len(shares) + 1
        return crossings[i, level]

    def after(look: int) -> tuple[Decision, ...]:
        def decide(i: int, level: float) -> Decision:
            return "reject" if crossing(i, level) <= look else "go on"

        if n_compared is not None or n > MOST_HOLM:
            return tuple(decide(i, alpha / (n_compared or n)) for i in range(n))
        return holm_decisions(n, decide, alpha) if n else ()

    by_look = [after(look) for look in range(1, len(shares) + 1)]
    return tuple(
        next((t for t, row in enumerate(by_look, 1) if row[i] == "reject"), None) for i in range(n)
    )
