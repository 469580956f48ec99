"""Recursive combination tests: stages of replications, each with a p-value of its own.

After each stage the test rejects, accepts, or goes on with the level alpha* that is
left. Replications of a stage are used in no other, so that its size may be chosen
in the light of all before; the direction, and what is compared, may not.

A boundary rule defines at which p-values a stage rejects (up to alpha_1) and accepts (above
alpha_0), given the level alpha* that is left: a small function of the number of the
stage, alpha*, and the boundaries of the stage before.

A combining function is Fisher's product or the inverse normal.
A stage with p-value p1 decides at once when p1 <= alpha_1 or p1 > alpha_0. Else the
p-value p2 of the rest is combined with it, and the combination compared with c.

References
----------
.. [1] K. K. G. Lan and D. L. DeMets (1983), "Discrete sequential boundaries for clinical
   trials", Biometrika 70.
.. [2] W. Brannath, M. Posch and P. Bauer (2002), "Recursive combination tests", JASA 97.
.. [3] P. Bauer and K. Köhne (1994), "Evaluation of experiments with adaptive interim
   analyses", Biometrics 50.
.. [4] W. Lehmacher and G. Wassmer (1999), "Adaptive sample size calculations in group
   sequential trials", Biometrics 55.
.. [5] M. J. A. Eugster (2011), Benchmark Experiments: A Tool for Analyzing Statistical Learning
   Algorithms, dissertation, LMU Munich, sections 6.3 and 6.4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from math import ceil, e, exp, log, sqrt
from typing import Literal

import numpy as np
from scipy.special import lambertw, ndtr, ndtri

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array
from reportgen.stats.roots import brentq

Boundaries = tuple[float, float]  # alpha_1, alpha_0
Rule = Callable[[int, float, Boundaries | None], Boundaries]
Spending = Callable[[float, float], float]  # share of the information, level -> level spent

ACCEPT = 0.9  # alpha_0
FIRST_SHARE = 5  # alpha_1 = alpha / 5 at stage 1
LATER_SHARE = 1.2  # alpha_1 = alpha* / 1.2 after it

N_NODES = 16  # in each panel: 1e-11 of a normal density 3 standard deviations wide


def constant_rule(stage: int, level: float, before: Boundaries | None) -> Boundaries:
    """Reject at alpha* / 1.2 (alpha / 5 at stage 1), accept above .9: Eugster (2011), 6.3.2.

    In the dissertation's text the two are exchanged; its table is this rule.

    >>> constant_rule(1, 0.05, None)
    (0.01, 0.9)
    """
    return level / (FIRST_SHARE if before is None else LATER_SHARE), ACCEPT


def narrowing_rule(stage: int, level: float, before: Boundaries | None) -> Boundaries:
    """Reject as `constant_rule`; accept above a bound that comes a tenth nearer to alpha* (6.4).

    >>> alpha_1, alpha_0 = narrowing_rule(2, 0.27, (0.01, 0.9))
    >>> round(alpha_1, 3), round(alpha_0, 3)
    (0.225, 0.837)
    """
    reject, _ = constant_rule(stage, level, before)
    return reject, ACCEPT if before is None else before[1] - abs(before[1] - level) / 10


def spending_rule(spending: Spending, alpha: float, n_stages: int) -> Rule:
    r"""Return the rule that spends the level over stages of equal size.

    Stage t of T takes of the level that is left the part f takes of its own rest,
    :math:`(f(t/T) - f((t-1)/T)) / (\alpha - f((t-1)/T))`: f(1/T) at stage 1, and
    everything at stage T, which decides.

    >>> rule = spending_rule(pocock_spending, 0.05, n_stages=2)
    >>> rule(1, 0.05, None), rule(2, 0.04, (0.03, 0.9))
    ((0.0310057..., 0.9), (0.04, 0.04))
    """
    spent = [spending(stage / n_stages, alpha) for stage in range(n_stages)]

    def rule(stage: int, level: float, before: Boundaries | None) -> Boundaries:
        if not 1 <= stage <= n_stages:
            raise ValueError(f"{n_stages} stages were planned, got stage {stage}")
        if stage == n_stages:
            return level, level
        taken = spent[stage] - spent[stage - 1]
        return level * taken / (alpha - spent[stage - 1]), ACCEPT

    return rule


def obrien_fleming_spending(share: float, alpha: float) -> float:
    r"""Return :math:`2 - 2 \Phi(z_{1 - \alpha/2} / \sqrt{share})`: little of the level at first.

    >>> round(obrien_fleming_spending(0.5, 0.05), 6), obrien_fleming_spending(0.0, 0.05)
    (0.005575, 0.0)
    """
    return 2 * float(ndtr(float(ndtri(alpha / 2)) / sqrt(share))) if share > 0 else 0.0


def pocock_spending(share: float, alpha: float) -> float:
    r"""Return :math:`\alpha \ln(1 + (e - 1) share)`: much of the level at first.

    >>> round(pocock_spending(0.5, 0.05), 6), pocock_spending(1.0, 0.05)
    (0.031006, 0.05)
    """
    return alpha * log(1 + (e - 1) * share)


SMALLEST = 1e-300  # p-values are not taken to be smaller
PANEL = 2.0  # standard deviations integrated over at once
C_TOLERANCE = 1e-13
BELOW_ONE = 1 - 2.0**-53
FARTHEST = 40.0  # standard deviations: c beyond would be of levels under 1e-300


@dataclass(frozen=True, slots=True)
class FisherProduct:
    r"""Fisher's product p1 p2, which is small where there is evidence [2]_, [3]_.

    Level :math:`\alpha_1 + c \ln(\alpha_0 / \alpha_1)` while
    :math:`c \le \alpha_1`; beyond, the rest is rejected whatever its value when
    :math:`p_1 \le c`, and it is :math:`c (1 + \ln \alpha_0 - \ln c)`, which
    covers :math:`\alpha_1 = 0`. The second is solved for c by Lambert's W.

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
    r"""The inverse normal :math:`w_1 z(p_1) + w_2 z(p_2)`, large where there is evidence [4]_.

    The stages that are planned have the same weight: :math:`w_1^2` is 1 / (n_stages - t + 1)
    at stage t. Where their number is None, or beyond, it is 1/2: a stage weighs as much as all
    after it. :math:`A(x) = \Phi((w_1 z(x) - c) / w_2)` is the level of the rest given x,
    the level :math:`\alpha_1 + \int_{\alpha_1}^{\alpha_0} A(x) dx`. It is
    integrated over z by Gauss and Legendre.

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
        return reject + _integral_between(c, reject, accept, self.weights(stage))

    def critical(self, level: float, reject: float, accept: float, stage: int) -> float:
        """Return c as the root of the level."""
        return _normal_c(level, reject, accept, self.weights(stage))

    def remaining(self, c: float, p_value: float, stage: int) -> float:
        """Return A(p), which is below 1: no stage makes the rest superfluous."""
        own, rest = self.weights(stage)
        return min(BELOW_ONE, float(ndtr((own * _z(p_value) - c) / rest)))


Combination = FisherProduct | InverseNormal


def stagewise_p_value(
    first: float,
    second: float,
    reject: float,
    accept: float,
    combination: Combination,
    stage: int = 1,
) -> float:
    r"""Return q(p1, p2), the p-value of a stage and the rest, which is 1 where it is not known.

    It is p1 where the stage decides alone, else :math:`\alpha_1 +
    \int_{\alpha_1}^{\alpha_0} P(C(x, U) \text{ at least as strong as }
    C(p_1, p_2)) dx` ([2]_, section 2): the level that would have c = C(p1, p2).

    >>> round(stagewise_p_value(0.1, 0.1, 0.01, 0.9, FisherProduct()), 7)
    0.0549981
    """
    if first <= reject or first > accept:
        return first
    return combination.level(combination.combined(first, second, stage), reject, accept, stage)


def _z(p_value: float) -> float:
    """Return the upper normal quantile of a p-value; minus infinity of 1."""
    return -float(ndtri(max(p_value, SMALLEST)))


def _integral_between(
    c: float, reject: float, accept: float, weights: tuple[float, float]
) -> float:
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
        return reject + _integral_between(c, reject, accept, weights) - level

    return brentq(surplus, -2 * FARTHEST, 2 * FARTHEST, xtol=C_TOLERANCE)


Decision = Literal["reject", "accept", "go on", "undecided"]
Final = Literal["exhaust", "open"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a recursive combination test.

    It rejects up to alpha_1 and accepts above alpha_0; where these are the same it decides in
    any case, and has no c, the critical value of its combination with all stages after it.
    Undecided is a last stage that does not decide.
    """

    p_value: float
    alpha_star: float
    alpha_1: float
    alpha_0: float
    c: float | None
    decision: Decision


@dataclass(frozen=True, slots=True)
class RecursiveTest:
    """A recursive combination test so far, with the stages up to the one that decided.

    The p-value is of all stages together. It is at most alpha exactly when a decided test has
    rejected; when nothing is decided it is that of a test whose last stage was this one and
    spent all that was left, and so can be smaller.
    """

    stages: tuple[Stage, ...]
    decision: Decision
    p_value: float

    @property
    def is_decided(self) -> bool:
        """Whether it has rejected or accepted."""
        return self.decision in ("reject", "accept")


def recursive_test(
    p_values: Sequence[float],
    alpha: float = 0.05,
    rule: Rule = constant_rule,
    combination: Combination | None = None,
    n_stages: int | None = None,
    final: Final = "exhaust",
) -> RecursiveTest:
    r"""Decide by the p-values of stages; what comes after the deciding one is not used.

    The stages there are were all that were planned when `n_stages` is omitted. The last planned
    one spends all that is left, and so decides (exhaust), or is as any other, and can leave the
    test undecided (open). Of stage t, :math:`\alpha^*_1 = \alpha`, and :math:`\alpha^*_{t+1}` is
    the conditional level of the rest given :math:`p_t`; for Fisher's product
    :math:`\min(1, c_t / p_t)`. Where :math:`\alpha^*_t \ge \alpha_{0t}` the stage
    decides, by :math:`p_t \le \alpha^*_t`; where :math:`\alpha^*_{t+1} = 1` the
    test rejects whatever would come. The p-value is found backwards, by q.

    It holds when p-values are valid and independent given those before: for replications of
    one data set, given that data set. P-values outside 0 to 1, more of them than planned, or a
    rule that leaves nothing for the stages after are a ValueError.

    >>> test = recursive_test([0.6509, 0.0037, 0.0290, 0.0545])
    >>> test.decision, len(test.stages), round(test.p_value, 4)
    ('reject', 2, 0.0208)
    """
    combination = combination or FisherProduct()
    planned = len(p_values) if n_stages is None else n_stages
    _check(p_values, alpha, planned, final)
    stages: list[Stage] = []
    level, before = alpha, None
    for number, p in enumerate(p_values, 1):
        bounds = _bounds(rule, number, level, before, number == planned and final == "exhaust")
        stage = _stage(p, level, bounds, combination, number, number == planned)
        stages.append(stage)
        if stage.decision != "go on" or stage.c is None:
            break
        level, before = combination.remaining(stage.c, p, number), bounds
    return RecursiveTest(tuple(stages), stages[-1].decision, _p_value(stages, combination))


def _bounds(
    rule: Rule, number: int, level: float, before: Boundaries | None, exhausts: bool
) -> Boundaries:
    """Return alpha_1 and alpha_0 of a stage; both alpha* where it must decide."""
    if exhausts:
        return level, level
    reject, accept = rule(number, level, before)
    if level >= accept:
        return level, level
    if not 0 <= reject < level or accept > 1:
        raise ValueError(
            f"boundaries must have 0 <= alpha_1 < alpha* <= alpha_0 <= 1, got alpha_1 = {reject}, "
            f"alpha* = {level}, alpha_0 = {accept} at stage {number}"
        )
    return reject, accept


def _stage(
    p: float,
    level: float,
    bounds: Boundaries,
    combination: Combination,
    number: int,
    is_last: bool,
) -> Stage:
    """Decide at one stage."""
    reject, accept = bounds
    c = None if reject == accept else combination.critical(level, reject, accept, number)
    decision: Decision = "undecided" if is_last else "go on"
    if p <= reject:
        decision = "reject"
    elif p > accept:
        decision = "accept"
    elif c is not None and combination.remaining(c, p, number) >= 1:
        decision = "reject"
    return Stage(p, level, reject, accept, c, decision)


def _p_value(stages: Sequence[Stage], combination: Combination) -> float:
    """Combine the p-values of the stages backwards."""
    last = stages[-1]
    whatever_comes = last.decision == "reject" and last.p_value > last.alpha_1
    p = last.p_value
    if whatever_comes:
        p = stagewise_p_value(p, 1.0, last.alpha_1, last.alpha_0, combination, len(stages))
    for number in range(len(stages) - 1, 0, -1):
        stage = stages[number - 1]
        p = stagewise_p_value(stage.p_value, p, stage.alpha_1, stage.alpha_0, combination, number)
    return p


def _check(p_values: Sequence[float], alpha: float, planned: int, final: Final) -> None:
    """Check the arguments."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    if final not in ("exhaust", "open"):
        raise ValueError(f"final must be 'exhaust' or 'open', got {final!r}")
    if not 1 <= len(p_values) <= planned:
        raise ValueError(f"{planned} stages were planned, got {len(p_values)}")
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values must lie between 0 and 1, got {list(p_values)}")


def panels(low: float, high: float, width: float) -> tuple[Array, Array]:
    """Return nodes and weights on an interval, in panels of at most a width.

    The width is three standard deviations of the narrowest normal density inside.

    >>> nodes, weights = panels(0.0, 2.0, width=1.0)
    >>> len(nodes), round(float(weights @ nodes**3), 12)
    (32, 4.0)
    """
    edges = np.linspace(low, high, max(1, ceil((high - low) / width)) + 1)
    half = np.diff(edges)[:, None] / 2
    nodes, weights = _legendre()
    return (edges[:-1, None] + half * (nodes + 1)).ravel(), (half * weights).ravel()


@cache
def _legendre() -> tuple[Array, Array]:
    """Return nodes and weights on [-1, 1]."""
    nodes, weights = np.polynomial.legendre.leggauss(N_NODES)
    return nodes, weights
