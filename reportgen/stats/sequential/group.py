r"""Group sequential tests: one statistic of all replications so far, looked at a few times.

The standardised sums at the looks are those of a Brownian motion with drift. The
density of paths that have crossed no boundary is carried from look to look by
Gauss-Legendre integration, as Armitage, McPherson and Rowe did.

References
----------
.. [1] C. Jennison and B. W. Turnbull (2000), Group Sequential Methods with Applications to
   Clinical Trials, chapters 2, 7 and 19.
.. [2] S. J. Pocock (1977), "Group sequential methods in the design and analysis of clinical
   trials", Biometrika 64.
.. [3] P. C. O'Brien and T. R. Fleming (1979), "A multiple testing procedure for clinical
   trials", Biometrics 35.
.. [4] K. K. G. Lan and D. L. DeMets (1983), "Discrete sequential boundaries for clinical
   trials", Biometrika 70.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from reportgen.data_classes import dataclass
from reportgen.methods import TestName
from reportgen.performance_measure import Better
from reportgen.stats.arguments import Names, check_choice, check_count, check_level
from reportgen.stats.arrays import Array
from reportgen.stats.decisions import Decision as FixedDecision
from reportgen.stats.roots import brentq
from reportgen.stats.sequential.recursive import Decision, Spending, panels
from reportgen.stats.sequential.sequential_test import (
    FEWEST,
    SequentialTest,
    pairs_of,
    stages_there,
)
from reportgen.stats.sequential.stages import MOST_HOLM, SPENDINGS, StagePlan, holm_decisions

Shape = Literal["obrien-fleming", "pocock"]

FARTHEST = 9.0  # standard deviations below which a path is not followed
PANEL = 3.0  # standard deviations of an increment
TOLERANCE = 1e-11
LARGEST = 38.0  # boundary of a look that spends nothing
LARGEST_Z = 37.0  # below it


def sequential_group_test(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    stage: int = 50,
    most: int | None = None,
    burn_in: int = 10,
    test: TestName = "t",
    rule: Shape = "obrien-fleming",
) -> SequentialTest:
    """Compare all pairs by two-sided group sequential tests of all replications so far.

    Parameters
    ----------
    values, names, better, stage, most, test
        As of `sequential_combination_test`.
    alpha : float, default 0.05
        Family-wise error probability over all pairs and looks, by Holm's method.
    burn_in : int, default 10
        Replications of a pair before its first look, at least 2.
    rule : {"obrien-fleming", "pocock"}
        The function by which the level is spent.

    Returns
    -------
    SequentialTest
        `details` has `ends`, the replications at each look, `boundaries` of the
        standardised statistic at the level alpha for each planned look, and `z`,
        the statistics of each pair, 0 before its burn-in.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two rows and columns of numbers, a value
        is infinite, or another argument is not what is allowed.

    References
    ----------
    .. [1] K. K. G. Lan and D. L. DeMets (1983), "Discrete sequential boundaries for
       clinical trials", Biometrika 70.
    .. [2] C. Jennison and B. W. Turnbull (2000), Group Sequential Methods with
       Applications to Clinical Trials, chapter 7.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(60, 3)) + [0, 0, 2]
    >>> found = stats.sequential_group_test(values, ["lda", "svm", "nnet"], stage=20)
    >>> found
    SequentialTest: group-sequential-test, 3 pairs, alpha = 0.05
    first  second   n  estimate  decision   decided_at
    lda    svm     60  -0.02275  undecided         nan
    lda    nnet    60    -1.765  better             20
    svm    nnet    60    -1.743  better             20
    >>> found.details["boundaries"].round(3)
    array([3.71 , 2.511, 1.993])
    """
    pairs = pairs_of(values, names, better)
    check_level(alpha)
    check_count("burn_in", burn_in, FEWEST)
    check_choice("test", test, get_args(TestName))
    check_choice("rule", rule, get_args(Shape))
    ends, planned = stages_there(len(pairs.values), stage, most)
    plan = StagePlan(len(planned), alpha, test)
    z = [*group_statistics(pairs.differences, ends, plan, burn_in)]
    shares = tuple(end / planned[-1] for end in planned)
    looks = first_rejections(z, shares, SPENDINGS[rule], alpha)
    found: list[tuple[FixedDecision, float | None]] = [
        ("undecided", None)
        if look is None or look > len(ends)
        else (pairs.decision(float(own[look - 1])), ends[look - 1])
        for own, look in zip(z, looks, strict=True)
    ]
    boundaries = boundaries_of(shares, SPENDINGS[rule], alpha).upper
    details = {"ends": ends, "boundaries": boundaries, "z": tuple(z)}
    return pairs.result("group-sequential-test", alpha, found, details=details)


def group_statistics(
    differences: Sequence[Array], ends: tuple[int, ...], plan: StagePlan, burn_in: int
) -> Array:
    """Return the standardised statistic of each pair at each look, (P, T); 0 before the burn-in.

    Differences are NaN where a pair has no value; pairs with as many values are tested at once.
    """
    z = np.zeros((len(differences), len(ends)))
    alike: dict[tuple[int, ...], list[int]] = {}
    for i, d in enumerate(differences):
        counts = np.isfinite(d).cumsum()[[*(end - 1 for end in ends), -1]]
        alike.setdefault(tuple(counts.tolist()), []).append(i)
    for key, places in alike.items():
        used = np.array(key[:-1])
        has_look = used >= burn_in
        if has_look.any():
            stacked = np.stack([differences[i][np.isfinite(differences[i])] for i in places])
            z[np.ix_(np.array(places), has_look)] = normal_quantiles(
                *plan.tails(stacked, used[has_look])
            )
    return z


@dataclass(frozen=True, slots=True)
class GroupBoundaries:
    """Boundaries `upper` of the size of z at shares of the `information`, the last 1."""

    information: Array
    upper: Array

    def first_crossing(self, z: Array) -> int | None:
        """Return the look, from 1, at which a statistic of fewer or all looks rejects.

        >>> group_boundaries(3, 0.05, "pocock").first_crossing(np.array([1.0, -2.4]))
        2
        """
        crossed = np.flatnonzero(np.abs(z) >= self.upper[: len(z)])
        return int(crossed[0]) + 1 if len(crossed) else None


def group_boundaries(
    looks: int | ArrayLike, alpha: float = 0.05, shape: Shape = "pocock"
) -> GroupBoundaries:
    r"""Return boundaries of a shape: constant in z, or proportional to :math:`1 / \sqrt{share}`.

    `looks` is a number of equally spaced ones, or shares of the information that ascend to 1;
    other shares, and what is no level or shape, are a ValueError.

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
        found = GroupBoundaries(information, c * forms[shape])
        return float(crossing_probabilities(found).sum()) - alpha

    c = brentq(surplus, 0.0, 10.0, xtol=TOLERANCE)
    return GroupBoundaries(information, c * forms[shape])


def spent_boundaries(
    looks: int | ArrayLike, spending: Spending, alpha: float = 0.05
) -> GroupBoundaries:
    """Return boundaries that spend half of the level on each side by a function of the information.

    >>> from reportgen.stats.sequential.recursive import pocock_spending
    >>> spent_boundaries(5, pocock_spending).upper.round(3)
    array([2.438, 2.427, 2.41 , 2.397, 2.386])
    """
    information = _information(looks, alpha)
    totals = [0.0, *(spending(share, alpha / 2) for share in information.tolist())]
    paths, upper = _Paths.start(), []
    for share, wanted in zip(information.tolist(), np.diff(totals).tolist(), strict=True):
        upper.append(paths.boundary_that_spends(share, wanted))
        paths = paths.after(share, upper[-1])
    return GroupBoundaries(information, np.array(upper))


def crossing_probabilities(boundaries: GroupBoundaries, drift: float = 0.0) -> Array:
    """Return the probability to reject first at each look.

    The drift is the expectation of z at the last look: standardised difference times the square
    root of all replications. The probabilities sum to the level, or the power; with the
    information they give the expected share of the replications.

    >>> boundaries = group_boundaries(5, 0.05, "obrien-fleming")
    >>> round(float(crossing_probabilities(boundaries, drift=3.2833).sum()), 3)
    0.9
    """
    paths, found = _Paths.start(drift), []
    for share, c in zip(boundaries.information.tolist(), boundaries.upper.tolist(), strict=True):
        found.append(paths.above(share, c, both=True))
        paths = paths.after(share, c)
    return np.array(found)


@dataclass(frozen=True, slots=True)
class _Paths:
    """Paths that have crossed nothing so far: sums (z times the root of the information)."""

    information: float  # share at the last look
    places: Array  # nodes, shape (N,)
    masses: Array  # the density at them, times their weights
    drift: float

    @classmethod
    def start(cls, drift: float = 0.0) -> _Paths:
        """Return all paths, at 0."""
        return cls(0.0, np.zeros(1), np.ones(1), drift)

    def boundary_that_spends(self, share: float, level: float) -> float:
        """Return the boundary that the given level crosses upwards."""
        if self.above(share, LARGEST, both=False) >= level:
            return LARGEST
        return float(
            brentq(lambda c: self.above(share, c, both=False) - level, 0.0, LARGEST, xtol=TOLERANCE)
        )

    def after(self, share: float, c: float) -> _Paths:
        """Return the paths that have not crossed at the next look."""
        deviation = sqrt(share - self.information)
        center, reach = self.drift * share, FARTHEST * sqrt(share)
        high = c * sqrt(share)
        low = max(-high, min(center, 0.0) - reach)
        high = max(min(high, max(center, 0.0) + reach), low + TOLERANCE)
        places, weights = panels(low, high, PANEL * deviation)
        steps = (places[:, None] - self.places - self.drift * deviation**2) / deviation
        density = np.exp(-(steps**2) / 2) @ self.masses / (deviation * sqrt(2 * np.pi))
        return _Paths(share, places, density * weights, self.drift)

    def above(self, share: float, c: float, both: bool) -> float:
        """Return the probability of the next sum to lie beyond, on one side or both."""
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
def boundaries_of(shares: tuple[float, ...], spending: Spending, level: float) -> GroupBoundaries:
    """Return `spent_boundaries`, computed once."""
    return spent_boundaries(shares, spending, level)


def normal_quantiles(less: Array, greater: Array) -> Array:
    """Return p-values against negative, and positive, differences as standardised statistics.

    >>> normal_quantiles(np.array([0.975]), np.array([0.025])).round(2)
    array([1.96])
    """
    low, high = -ndtri(less), -ndtri(greater)
    z = np.where(high > low, np.maximum(0.0, high), -np.maximum(0.0, low))
    return np.clip(z, -LARGEST_Z, LARGEST_Z)


def first_rejections(
    z: Sequence[Array],
    shares: tuple[float, ...],
    spending: Spending,
    alpha: float = 0.05,
    *,
    n_compared: int | None = None,
) -> tuple[int | None, ...]:
    """Return the look, from 1, at which each of several hypotheses is rejected, family-wise.

    `z` are their statistics at the looks so far. Hypotheses of a larger family (`n_compared`) are
    held by Bonferroni's inequality, else these by Holm's method, and very many by Bonferroni's.

    >>> from reportgen.stats.sequential.recursive import obrien_fleming_spending
    >>> z = [np.array([1.0, 5.0]), np.array([0.0, 2.1])]
    >>> first_rejections(z, (0.5, 1.0), obrien_fleming_spending)
    (2, 2)
    """
    n = len(z)
    crossings: dict[tuple[int, float], int] = {}

    def crossing(i: int, level: float) -> int:
        if (i, level) not in crossings:
            found = boundaries_of(shares, spending, level).first_crossing(z[i])
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
