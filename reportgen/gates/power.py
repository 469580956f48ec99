"""What a design can decide: before a run by effect sizes, afterwards by the variance it found.

A claim is decided with the probability that the interval of its contrast lies on one side of its
bound: that of a non-central *t* with n - 1 degrees of freedom and the centre sqrt(n) delta / s,
delta being the distance of the truth from the bound and s the standard deviation of the
differences, beyond the critical value of level alpha / m, times the factor by which the correction
for skewness widens an interval of normal differences.

References
----------
.. [1] J. Cohen (1988), "Statistical power analysis for the behavioral sciences", chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from reportgen.sections.expectations.analysis import ask
from reportgen.sections.expectations.contrasts import Key
from reportgen.sections.expectations.result import Contrast, ExpectationsResult, Gate
from reportgen.stats.distributions.tails import cdf, t_quantile
from reportgen.stats.pairs.own_variances import FEWEST_UNITS
from reportgen.stats.pairs.skewness import reach
from reportgen.study.claims import Names, read_claim
from reportgen.study.schema.options import Expectation

Array = NDArray[np.float64]

POWER = 0.8
MIDDLE = 0.6745  # normal quantile of 3/4: half of all samples deviate less from 0
MOST_UNITS = 1_000_000
EFFECTS = (0.2, 0.5, 0.8)  # small, medium, large, in standard deviations


@dataclass(frozen=True, slots=True)
class Family:
    """The contrasts that hold together.

    Attributes
    ----------
    alpha : float
        Error probability of all.
    n_comparisons : int
        Distinct contrasts, times the stages of an execution.
    """

    alpha: float
    n_comparisons: int


def power_of(n: int, effect: float, family: Family) -> float:
    """Return with which probability n units decide that a mean lies beyond a bound.

    Parameters
    ----------
    n : int
        From 2 on.
    effect : float
        Distance from the bound in standard deviations of the differences.
    family : Family

    Notes
    -----
    Of normal differences.

    Examples
    --------
    >>> round(power_of(34, 0.5, Family(0.05, 1)), 3)
    0.797
    """
    df = np.array([n - 1.0])
    critical = t_quantile(family.alpha / (2 * family.n_comparisons), df)
    limit = critical * widening(n, critical)
    return 1.0 - float(cdf(limit, df, np.array([sqrt(n) * effect]))[0])


def widening(n: int, critical: Array) -> Array:
    """Return by how much the correction for skewness widens an interval of normal differences.

    Parameters
    ----------
    n : int
    critical : ndarray of shape (P,)
        Of Student's interval.

    Notes
    -----
    In the middle of samples, whose skewness has then the size .6745 times its standard error
    (Joanes and Gill 1998): one side is longer, to twice Student's at most.

    Examples
    --------
    >>> widening(6, np.array([2.571, 4.773])).round(2), widening(50, np.array([2.01])).round(2)
    (array([1.17, 1.5 ]), array([1.01]))
    """
    error = sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))) if n >= FEWEST_UNITS else 0.0
    _, longer = reach(critical, np.full_like(critical, MIDDLE * error / sqrt(n)))
    return (1 + longer / critical) / 2


def units_for(effect: float, family: Family) -> int | None:
    """Return how many units decide with a probability of 80%; None where a million do not.

    Examples
    --------
    >>> alone, ten = Family(0.05, 1), Family(0.05, 10)
    >>> units_for(0.5, alone), units_for(0.5, ten), units_for(0.0, alone)
    (35, 59, None)
    """
    return _least(lambda n: power_of(n, effect, family))


def effect_for(n: int, family: Family) -> float:
    """Return the least effect, in standard deviations, that n units decide in 80% of cases.

    Examples
    --------
    >>> round(effect_for(34, Family(0.05, 1)), 2)
    0.5
    """
    low, high = 0.0, 1.0
    while power_of(n, high, family) < POWER:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if power_of(n, middle, family) >= POWER else (middle, high)
    return high


def describe_design(counts: Mapping[str, tuple[int, str]], family: Family) -> tuple[str, ...]:
    """Say what effects a design decides whose values are not known yet, a line a claim.

    Parameters
    ----------
    counts : mapping of str to (int, str)
        Units of each claim, and what they are.
    family : Family
    """
    width = max(map(len, counts))
    lines = []
    for claim, (n, unit) in counts.items():
        what = f"fewer than {FEWEST_UNITS} {unit}: it will be undecided"
        if n >= FEWEST_UNITS:
            what = f"{n:,} {unit}: from {effect_for(n, family):.2f} standard deviations on"
        lines.append(f"{claim:<{width}}  {what}")
    needs = [f"{units_for(effect, family):,} for {effect:g}" for effect in EFFECTS]
    last = f"distances from a claim's bound that {POWER:.0%} of runs decide on; units that it takes"
    return (*lines, f"({last}: {', '.join(needs)} standard deviations)")


def describe_pilot(result: ExpectationsResult) -> tuple[str, ...]:
    """Say what replications like those of a run decide, if the truth is as estimated.

    Parameters
    ----------
    result : ExpectationsResult
        Of the run.
    """
    family = Family(result.alpha, max(1, result.n_contrasts) * result.n_stages)
    width = max(len(gate.claim) for gate in result.gates)
    lines = (f"{gate.claim:<{width}}  {_of_pilot(gate, family)}" for gate in result.gates)
    return (*lines, "(if the truth is as estimated; near a bound it may lie on the other side)")


def _of_pilot(gate: Gate, family: Family) -> str:
    """Say what is known of a claim from the values of its contrasts."""
    if gate.kind == "check":
        return "a check, which nothing has to decide"
    if any(contrast.target == "new-data" for contrast in gate.contrasts):
        return (
            f"{gate.outcome}, for new data of this source: more observations decide more, more "
            "replications hardly"
        )
    outcome, distances = _distances(gate.contrasts)
    n = min(contrast.n for contrast in gate.contrasts)
    unit = "data sets" if gate.unit == "dataset" else "replications"
    if not distances:
        return f"{n:,} {unit}: their values say nothing of its spread"
    if min(distances) == inf:
        return f"{n:,} {unit}: all values are the same"
    power = joint_power(n, distances, family) if n >= FEWEST_UNITS else 0.0
    needed = units_for_all(distances, family)
    enough = "no number is enough" if needed is None else f"{needed:,} for {POWER:.0%}"
    return f"{n:,} {unit}: {outcome} with a probability of {power:.0%}; {enough}"


def _distances(contrasts: Sequence[Contrast]) -> tuple[str, tuple[float, ...]]:
    """Return what estimates point to, and how far they are from the bounds that decide on it.

    Returns
    -------
    outcome : {"passes", "fails"}
    distances : tuple of float
        In standard deviations; of one that fails the largest distance, as one contrast is enough.
    """
    inside, outside = list[float](), list[float]()
    for contrast in contrasts:
        if contrast.estimate is None or contrast.deviation is None:
            continue
        ends = [None if b is None else _difference(contrast, b) for b in contrast.bounds]
        low, high = ends
        gaps = [x for x in (None if low is None else -low, high) if x is not None]
        scaled = [
            gap / contrast.deviation if contrast.deviation else inf if gap > 0 else -inf
            for gap in gaps
        ]
        (outside.append(-min(scaled)) if min(scaled) < 0 else inside.extend(scaled))
    return ("fails", (max(outside),)) if outside else ("passes", tuple(inside))


def _difference(contrast: Contrast, bound: float) -> float:
    """Return how far a bound lies above the estimate, on the scale of comparison."""
    estimate = contrast.estimate or 0.0
    return log(bound / estimate) if contrast.scale == "ratio" else bound - estimate


def joint_power(n: int, distances: Sequence[float], family: Family) -> float:
    """Return with which probability, at least, n units show that a mean lies off several bounds.

    Examples
    --------
    >>> round(joint_power(34, [0.5, 0.5], Family(0.05, 1)), 2)
    0.59
    """
    return max(0.0, 1.0 - sum(1.0 - power_of(n, x, family) for x in distances if x < inf))


def units_for_all(distances: Sequence[float], family: Family) -> int | None:
    """Return how many units decide on several bounds with a probability of 80%.

    Examples
    --------
    >>> alone = Family(0.05, 1)
    >>> units_for_all([0.5, 0.5], alone), units_for_all([0.5, 0.0], alone)
    (45, None)
    """
    return _least(lambda n: joint_power(n, distances, family))


def _least(power: Callable[[int], float]) -> int | None:
    """Return the least number of units with a power of 80%; None where a million are too few."""
    if power(MOST_UNITS) < POWER:
        return None
    low, high = FEWEST_UNITS - 1, MOST_UNITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


def planned_units(
    claims: Sequence[Expectation],
    names: Names,
    replications: Mapping[str, int],
) -> tuple[dict[str, tuple[int, str]], int]:
    """Return the units that a design has for each claim that is tested, and its contrasts.

    Parameters
    ----------
    claims : sequence of Expectation
    names : Names
        All known.
    replications : mapping of str to int
        By data set.

    Returns
    -------
    counts : dict of str to (int, str)
        By claim.
    n_contrasts : int
        Distinct ones.
    """
    counts, keys = dict[str, tuple[int, str]](), set[Key]()
    for entry in claims:
        claim = read_claim(entry.claim, names, measure=entry.measure, dataset=entry.dataset)
        asked = ask(claim, names)
        if not claim.is_tested:
            continue
        keys |= set(asked.keys)
        dataset = asked.claim.dataset
        counts[claim.text] = (
            (len(replications), "data sets")
            if dataset is None
            else (replications[dataset], "replications")
        )
    return counts, len(keys)
