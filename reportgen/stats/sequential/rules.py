r"""Boundary rules of recursive combination tests, and functions that spend a level.

A rule says at which p-values a stage rejects (up to alpha_1) and accepts (above
alpha_0), given the level alpha* that is left: a small function of the number of the
stage, alpha*, and the boundaries of the stage before.
"""

from __future__ import annotations

from collections.abc import Callable
from math import e, log, sqrt

from scipy.special import ndtr, ndtri

Boundaries = tuple[float, float]  # alpha_1, alpha_0
Rule = Callable[[int, float, Boundaries | None], Boundaries]
Spending = Callable[[float, float], float]  # share of the information, level -> level spent

ACCEPT = 0.9  # alpha_0
FIRST_SHARE = 5  # alpha_1 = alpha / 5 at stage 1
LATER_SHARE = 1.2  # alpha_1 = alpha* / 1.2 after it


def constant_rule(stage: int, level: float, before: Boundaries | None) -> Boundaries:
    """Reject at alpha* / 1.2 (alpha / 5 at stage 1), accept above .9.

    Parameters
    ----------
    stage : int
        From 1.
    level : float
        alpha*, the level that is left.
    before : tuple of float or None
        Boundaries of the stage before.

    Returns
    -------
    tuple of float
        alpha_1 and alpha_0.

    Notes
    -----
    In the dissertation's text the two are exchanged; its table is this rule.

    References
    ----------
    .. [1] M. J. A. Eugster (2011), Benchmark Experiments: A Tool for Analyzing
       Statistical Learning Algorithms, dissertation, LMU Munich, section 6.3.2.

    Examples
    --------
    >>> constant_rule(1, 0.05, None)
    (0.01, 0.9)
    """
    return level / (FIRST_SHARE if before is None else LATER_SHARE), ACCEPT


def narrowing_rule(stage: int, level: float, before: Boundaries | None) -> Boundaries:
    """Reject as `constant_rule`; accept above a bound that comes a tenth nearer to alpha*.

    Parameters
    ----------
    stage : int
        From 1.
    level : float
        alpha*, the level that is left.
    before : tuple of float or None
        Boundaries of the stage before.

    Returns
    -------
    tuple of float
        alpha_1 and alpha_0.

    References
    ----------
    .. [1] M. J. A. Eugster (2011), Benchmark Experiments: A Tool for Analyzing
       Statistical Learning Algorithms, dissertation, LMU Munich, section 6.4.

    Examples
    --------
    >>> alpha_1, alpha_0 = narrowing_rule(2, 0.27, (0.01, 0.9))
    >>> round(alpha_1, 3), round(alpha_0, 3)
    (0.225, 0.837)
    """
    reject, _ = constant_rule(stage, level, before)
    return reject, ACCEPT if before is None else before[1] - abs(before[1] - level) / 10


def spending_rule(spending: Spending, alpha: float, n_stages: int, accept: float = ACCEPT) -> Rule:
    r"""Return the rule that spends the level over stages of equal size.

    Parameters
    ----------
    spending : callable
        `obrien_fleming_spending`, `pocock_spending`, or another function of the
        share of the stages and alpha that rises from 0 to alpha.
    alpha : float
        Level of the whole test.
    n_stages : int
        Stages planned.
    accept : float, default 0.9
        alpha_0 of all stages but the last.

    Returns
    -------
    Rule

    Raises
    ------
    ValueError
        When it is asked for a stage that was not planned.

    Notes
    -----
    Stage t of T takes of the level that is left the part f takes of its own rest,
    :math:`(f(t/T) - f((t-1)/T)) / (\alpha - f((t-1)/T))`: f(1/T) at stage 1, and
    everything at stage T, which decides.

    Examples
    --------
    >>> rule = spending_rule(pocock_spending, 0.05, n_stages=2)
    >>> rule(1, 0.05, None), rule(2, 0.04, (0.03, 0.9))
    ((0.0310057..., 0.9), (0.04, 0.04))
    """
    spent = [spending(stage / n_stages, alpha) for stage in range(n_stages)]

    def rule(stage: int, level: float, before: Boundaries | None) -> Boundaries:
        if not 1 <= stage <= n_stages:
            raise ValueError(f"{n_stages} stages were planned, asked for stage {stage}")
        if stage == n_stages:
            return level, level
        taken = spent[stage] - spent[stage - 1]
        return level * taken / (alpha - spent[stage - 1]), accept

    return rule


def obrien_fleming_spending(share: float, alpha: float) -> float:
    r"""Return the level spent by a share of the information, little at first.

    Notes
    -----
    :math:`2 - 2 \Phi(z_{1 - \alpha/2} / \sqrt{share})`, which resembles the
    boundaries of O'Brien and Fleming.

    References
    ----------
    .. [1] K. K. G. Lan and D. L. DeMets (1983), "Discrete sequential boundaries
       for clinical trials", Biometrika 70.

    Examples
    --------
    >>> round(obrien_fleming_spending(0.5, 0.05), 6), obrien_fleming_spending(0.0, 0.05)
    (0.005575, 0.0)
    """
    return 2 * float(ndtr(float(ndtri(alpha / 2)) / sqrt(share))) if share > 0 else 0.0


def pocock_spending(share: float, alpha: float) -> float:
    r"""Return the level spent by a share of the information, much of it at first.

    Notes
    -----
    :math:`\alpha \ln(1 + (e - 1) share)`, which resembles Pocock's boundaries.

    References
    ----------
    .. [1] K. K. G. Lan and D. L. DeMets (1983), "Discrete sequential boundaries
       for clinical trials", Biometrika 70.

    Examples
    --------
    >>> round(pocock_spending(0.5, 0.05), 6), pocock_spending(1.0, 0.05)
    (0.031006, 0.05)
    """
    return alpha * log(1 + (e - 1) * share)
