r"""Recursive combination tests: stages of replications, each with a p-value of its own.

After each stage the test rejects, accepts, or goes on with the level alpha* that is
left. Replications of a stage are used in no other, so that its size may be chosen
in the light of all before; the direction, and what is compared, may not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.stats.sequential.combination import Combination, FisherProduct, stagewise_p_value
from reportgen.stats.sequential.rules import Boundaries, Rule, constant_rule

Decision = Literal["reject", "accept", "go on", "undecided"]
Final = Literal["exhaust", "open"]


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a recursive combination test.

    Attributes
    ----------
    p_value : float
        Of the replications of this stage alone.
    alpha_star : float
        Level that was left for it and all after it.
    alpha_1, alpha_0 : float
        It rejects up to the one and accepts above the other; where they are the
        same it decides in any case.
    c : float or None
        Critical value of the combination with all stages after it; None where
        the stage decides in any case.
    decision : {"reject", "accept", "go on", "undecided"}
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
    """A recursive combination test so far.

    Attributes
    ----------
    stages : tuple of Stage
        Up to the one that decided.
    decision : {"reject", "accept", "go on", "undecided"}
    p_value : float
        Of all stages together. At most alpha exactly when a decided test has
        rejected; when nothing is decided it is that of a test whose last stage
        was this one and spent all that was left, and so can be smaller.
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
    r"""Decide by the p-values of stages.

    Parameters
    ----------
    p_values : sequence of float
        Of the stages there are, one at least; what comes after the deciding one
        is not used.
    alpha : float, default 0.05
    rule : Rule
        Boundaries of the stages.
    combination : Combination, optional
        Fisher's product when omitted.
    n_stages : int, optional
        Stages planned; those there are when omitted.
    final : {"exhaust", "open"}
        Whether the last planned stage spends all that is left, and so decides,
        or is as any other, and can leave the test undecided.

    Returns
    -------
    RecursiveTest

    Raises
    ------
    ValueError
        If a p-value does not lie between 0 and 1, there is none or are more than
        planned, or the rule leaves nothing for the stages after.

    Notes
    -----
    Of stage t, :math:`\alpha^*_1 = \alpha`, and :math:`\alpha^*_{t+1}` is the
    conditional level of the rest given :math:`p_t`; for Fisher's product
    :math:`\min(1, c_t / p_t)`. Where :math:`\alpha^*_t \ge \alpha_{0t}` the stage
    decides, by :math:`p_t \le \alpha^*_t`; where :math:`\alpha^*_{t+1} = 1` the
    test rejects whatever would come. The p-value is found backwards, by q.

    Holds when p-values are valid and independent given those before: for
    replications of one data set, given that data set.

    References
    ----------
    .. [1] W. Brannath, M. Posch and P. Bauer (2002), "Recursive combination
       tests", JASA 97.
    .. [2] M. J. A. Eugster (2011), Benchmark Experiments: A Tool for Analyzing
       Statistical Learning Algorithms, dissertation, LMU Munich, section 6.3.

    Examples
    --------
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
    """Say what is wrong with the arguments."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha}")
    if final not in ("exhaust", "open"):
        raise ValueError(f"final must be 'exhaust' or 'open', got {final!r}")
    if not 1 <= len(p_values) <= planned:
        raise ValueError(f"{planned} stages were planned, got {len(p_values)}")
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"p-values must lie between 0 and 1, got {list(p_values)}")
