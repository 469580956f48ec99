r"""Two one-sided recursive tests side by side: for either direction, or for equivalence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reportgen.stats.sequential.recursive import (
    Combination,
    Decision,
    Final,
    RecursiveTest,
    Rule,
    constant_rule,
    recursive_test,
)

Direction = Literal["less", "greater"]


@dataclass(frozen=True, slots=True)
class TwoSidedTest:
    """Two one-sided tests of a difference, each at half the level.

    Attributes
    ----------
    less, greater : RecursiveTest
        Against the hypotheses that the difference is not negative, or not positive.
    decision : {"reject", "accept", "go on", "undecided"}
    direction : {"less", "greater"} or None
        Side of the difference, when the test has rejected.
    n_stages : int
        Stages used by the decision.
    p_value : float
    """

    less: RecursiveTest
    greater: RecursiveTest
    decision: Decision
    direction: Direction | None
    n_stages: int
    p_value: float


@dataclass(frozen=True, slots=True)
class EquivalenceTest:
    """Two one-sided tests that a difference lies between two limits.

    Attributes
    ----------
    above, below : RecursiveTest
        Against the hypotheses that it is at most the lower limit, or at least
        the upper one.
    decision : {"reject", "accept", "go on", "undecided"}
        Rejected is that there is a relevant difference: the two are equivalent.
    n_stages : int
        Stages used by the decision.
    p_value : float
        The larger of the two.
    """

    above: RecursiveTest
    below: RecursiveTest
    decision: Decision
    n_stages: int
    p_value: float


def two_sided_test(
    less: Sequence[float],
    greater: Sequence[float],
    alpha: float = 0.05,
    rule: Rule = constant_rule,
    combination: Combination | None = None,
    n_stages: int | None = None,
    final: Final = "exhaust",
) -> TwoSidedTest:
    r"""Decide on a difference in either direction.

    Parameters
    ----------
    less, greater : sequence of float
        One-sided p-values of the stages, small for a negative or positive
        difference.
    alpha : float, default 0.05
        Of both together; boundaries come from alpha / 2. A spending rule must
        be made with alpha / 2 too.
    rule, combination, n_stages, final
        As for `recursive_test`.

    Returns
    -------
    TwoSidedTest

    Raises
    ------
    ValueError
        If the numbers of stages differ, or as `recursive_test` does.

    Notes
    -----
    Stops at the first rejection, or when both have accepted. The p-value is
    :math:`\min(1, 2 \min(p_l, p_g))`, at a rejection twice that of its side.

    Examples
    --------
    >>> test = two_sided_test([0.2, 0.004], [0.8, 0.996])
    >>> test.decision, test.direction, test.n_stages, round(test.p_value, 4)
    ('reject', 'less', 2, 0.0183)
    """
    sides, n_used = _side_by_side(
        (less, greater), alpha / 2, rule, combination, n_stages, final, stops_at="reject"
    )
    rejecting = [side for side in sides if side.decision == "reject"]
    decision: Decision = "reject" if rejecting else _common(sides, "accept")
    p = min(side.p_value for side in rejecting or sides)
    direction: Direction | None = None
    if rejecting:
        direction = (
            "less" if sides[0] is min(rejecting, key=lambda side: side.p_value) else "greater"
        )
    return TwoSidedTest(*sides, decision, direction, n_used, min(1.0, 2 * p))


def equivalence_test(
    above: Sequence[float],
    below: Sequence[float],
    alpha: float = 0.05,
    rule: Rule = constant_rule,
    combination: Combination | None = None,
    n_stages: int | None = None,
    final: Final = "exhaust",
) -> EquivalenceTest:
    """Decide whether a difference lies within the area of irrelevance.

    Parameters
    ----------
    above, below : sequence of float
        P-values of the stages: small where the difference is above the lower
        limit, and where it is below the upper one.
    alpha : float, default 0.05
        Of each of the two, without a correction: both must reject.
    rule, combination, n_stages, final
        As for `recursive_test`.

    Returns
    -------
    EquivalenceTest

    Raises
    ------
    ValueError
        If the numbers of stages differ, or as `recursive_test` does.

    Notes
    -----
    A side that has rejected stays so while the other goes on. Stops when both
    have rejected, or one has accepted.

    References
    ----------
    .. [1] R. L. Berger and J. C. Hsu (1996), "Bioequivalence trials,
       intersection-union tests and equivalence confidence sets", Statistical
       Science 11.

    Examples
    --------
    >>> test = equivalence_test([0.001, 0.2], [0.1, 0.002])
    >>> test.decision, test.n_stages, round(test.p_value, 4)
    ('reject', 2, 0.0109)
    """
    sides, n_used = _side_by_side(
        (above, below), alpha, rule, combination, n_stages, final, stops_at="accept"
    )
    accepted = any(side.decision == "accept" for side in sides)
    decision: Decision = "accept" if accepted else _common(sides, "reject")
    return EquivalenceTest(*sides, decision, n_used, max(side.p_value for side in sides))


def _side_by_side(
    p_values: tuple[Sequence[float], Sequence[float]],
    level: float,
    rule: Rule,
    combination: Combination | None,
    n_stages: int | None,
    final: Final,
    stops_at: Decision,
) -> tuple[tuple[RecursiveTest, RecursiveTest], int]:
    """Run both until one comes to `stops_at` or both are decided; return them and the stages."""
    if len(p_values[0]) != len(p_values[1]):
        raise ValueError(
            f"both sides must have the same stages, got {len(p_values[0])} and {len(p_values[1])}"
        )
    planned = len(p_values[0]) if n_stages is None else n_stages

    def run(side: Sequence[float]) -> RecursiveTest:
        return recursive_test(side, level, rule, combination, planned, final)

    whole = run(p_values[0]), run(p_values[1])
    ends = [len(test.stages) for test in whole]
    stops = [end for end, test in zip(ends, whole, strict=True) if test.decision == stops_at]
    n_used = min(stops, default=max(ends))
    return (run(p_values[0][:n_used]), run(p_values[1][:n_used])), n_used


def _common(sides: tuple[RecursiveTest, RecursiveTest], wanted: Decision) -> Decision:
    """Return the decision when both must have come to the one that is wanted."""
    open_ = [side.decision for side in sides if side.decision != wanted]
    return open_[0] if open_ else wanted
