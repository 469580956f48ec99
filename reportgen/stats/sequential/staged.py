r"""Pairs of candidates tested in stages: p-values of the stages, families, verdicts.

A verdict takes two tests together: of a difference, in one direction or both, and,
where there is an area of irrelevance, of the difference lying inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.block_scores import Alternative
from reportgen.stats.sequential.combination import Combination, FisherProduct, InverseNormal
from reportgen.stats.sequential.families import bonferroni, hierarchical, holm_decisions
from reportgen.stats.sequential.recursive import Decision, Final, RecursiveTest, recursive_test
from reportgen.stats.sequential.rules import (
    Rule,
    Spending,
    constant_rule,
    narrowing_rule,
    obrien_fleming_spending,
    pocock_spending,
    spending_rule,
)
from reportgen.stats.sequential.signed_rank_track import Law, signed_rank_track
from reportgen.stats.sequential.tracks import Track, paired_t_track, sign_track
from reportgen.stats.signed_rank import Zeros

Array = NDArray[np.float64]
TestName = Literal["wilcoxon", "t", "sign"]
RuleName = Literal["obrien-fleming", "pocock", "constant", "narrowing"]
CombinationName = Literal["fisher", "inverse-normal"]
Multiplicity = Literal["holm", "bonferroni", "hierarchical", "closed"]
Side = Literal["less", "greater"]
Verdict = Literal["less", "greater", "equivalent", "not-distinguished", "open"]

FEWEST = {"wilcoxon": 1, "t": 2, "sign": 1}  # values that make a stage
MOST_HOLM = 120  # hypotheses: each is tested at as many levels; beyond, by Bonferroni
SPENDINGS: Mapping[str, Spending] = {
    "obrien-fleming": obrien_fleming_spending,
    "pocock": pocock_spending,
}


class Outcome(NamedTuple):
    """What a sequential test comes to.

    Attributes
    ----------
    decision : {"reject", "accept", "go on", "undecided"}
        Undecided: all planned stages are over.
    stage : int
        At which it was decided, else the last one there is.
    direction : {"less", "greater"} or None
        Side of a rejected two-sided or one-sided hypothesis.
    """

    decision: Decision
    stage: int
    direction: Side | None = None

    def after(self, stage: int) -> Decision:
        """Return what was known after a stage."""
        return self.decision if self.stage <= stage or self.decision == "go on" else "go on"


@dataclass(frozen=True, slots=True)
class StagePlan:
    """How pairs are tested in stages; fixed before the first one.

    Attributes
    ----------
    n_stages : int
        Stages planned.
    alpha : float
        Family-wise level, of differences and, apart from these, of equivalences.
    test : {"wilcoxon", "t", "sign"}
    alternative : {"two-sided", "less", "greater"}
        Of first - second.
    rule : {"obrien-fleming", "pocock", "constant", "narrowing"}
        Boundaries: by spending functions, or those of Eugster (2011), 6.3.2, 6.4.
    combination : {"fisher", "inverse-normal"}
    final : {"exhaust", "open"}
        As for `recursive_test`; spending rules exhaust in any case.
    multiplicity : {"holm", "bonferroni", "hierarchical", "closed"}
        Over all hypotheses there are.
    law, zeros
        Of the signed rank test, as for `signed_rank_track`.
    """

    n_stages: int
    alpha: float = 0.05
    test: TestName = "wilcoxon"
    alternative: Alternative = "two-sided"
    rule: RuleName = "obrien-fleming"
    combination: CombinationName = "fisher"
    final: Final = "exhaust"
    multiplicity: Multiplicity = "holm"
    law: Law = "default"
    zeros: Zeros = "pratt"

    def follow(self, differences: Array, burn_in: int, alternative: Alternative) -> Track:
        """Follow the plan's test over replications.

        Parameters
        ----------
        differences : ndarray of shape (..., B)
        burn_in : int
        alternative : {"two-sided", "less", "greater"}
        """
        if self.test == "t":
            return paired_t_track(differences, burn_in, alternative)
        if self.test == "sign":
            return sign_track(differences, burn_in, alternative)
        return signed_rank_track(differences, burn_in, alternative, self.law, self.zeros)

    def tested(self, p_values: Sequence[float], level: float) -> RecursiveTest:
        """Test one hypothesis in one direction at a level, from the p-values of its stages."""
        return recursive_test(
            p_values,
            level,
            _rule(self.rule, level, self.n_stages),
            _combination(self.combination, self.n_stages),
            self.n_stages,
            self.final,
        )


def stage_ends(n_replications: int, size: int) -> tuple[int, ...]:
    """Return how many replications there are at the end of each stage; the last may be short.

    Examples
    --------
    >>> stage_ends(211, 50)
    (50, 100, 150, 200, 211)
    """
    return (*range(size, n_replications, size), n_replications)


def stage_tails(
    differences: Sequence[Array], ends: Sequence[int], plan: StagePlan, shift: float = 0.0
) -> tuple[tuple[Array, Array], ...]:
    """Return one-sided p-values of the stages of each pair.

    Parameters
    ----------
    differences : sequence of ndarray of shape (B,)
        One a pair, NaN where one of the two has no value.
    ends : sequence of int
        Replications at the end of each stage.
    plan : StagePlan
    shift : float
        Tested is the difference from it.

    Returns
    -------
    tuple of (less, greater), each an ndarray of shape (T,)
        One a pair; small for differences below, or above, the shift. T is the
        number of stages before the first one without enough values.

    Examples
    --------
    >>> d = np.array([1.0, 2.0, 3.0, -1.0, 2.0, np.nan])
    >>> ((less, greater),) = stage_tails([d], (3, 6), StagePlan(2))
    >>> greater
    array([0.125, 0.5  ])
    """
    samples: dict[tuple[int, int], Array] = {}
    for i, d in enumerate(differences):
        for stage, (begin, end) in enumerate(zip((0, *ends), ends, strict=False)):
            part = d[begin:end][np.isfinite(d[begin:end])] - shift
            if len(part) < FEWEST[plan.test]:
                break
            samples[i, stage] = part
    less = _tails(samples, plan, "less")
    greater = _tails(samples, plan, "greater")
    keys = [[key for key in samples if key[0] == i] for i in range(len(differences))]
    return tuple(
        (np.array([less[key] for key in own]), np.array([greater[key] for key in own]))
        for own in keys
    )


def _tails(
    samples: Mapping[tuple[int, int], Array], plan: StagePlan, side: Alternative
) -> dict[tuple[int, int], float]:
    """Test samples of the same size together."""
    by_size: dict[int, list[tuple[int, int]]] = {}
    for key, sample in samples.items():
        by_size.setdefault(len(sample), []).append(key)
    found: dict[tuple[int, int], float] = {}
    for size, keys in by_size.items():
        stacked = np.stack([samples[key] for key in keys])
        p_values = plan.follow(stacked, size, side).p_values[:, 0]
        found |= dict(zip(keys, p_values.tolist(), strict=True))
    return found


@dataclass(frozen=True, slots=True)
class PairStages:
    """P-values of the stages of one pair.

    Attributes
    ----------
    less, greater : ndarray of shape (T,)
        Of no difference.
    above, below : ndarray of shape (T,), or None
        Of a difference at most the lower limit of the area of irrelevance, and at
        least the upper one; None without an area.
    """

    less: Array
    greater: Array
    above: Array | None = None
    below: Array | None = None

    def sides(self, plan: StagePlan, level: float) -> dict[Side, RecursiveTest]:
        """Return the one-sided tests of a difference that the alternative asks for."""
        if not len(self.less):
            return {}
        tails: dict[Side, Array] = {"less": self.less, "greater": self.greater}
        if plan.alternative != "two-sided":
            return {plan.alternative: plan.tested(tails[plan.alternative].tolist(), level)}
        return {side: plan.tested(p.tolist(), level / 2) for side, p in tails.items()}

    def difference(self, plan: StagePlan, level: float) -> Outcome:
        """Test for a difference: the first side to reject decides, or all accept."""
        sides = self.sides(plan, level)
        ends = {side: (len(t.stages), t.p_value) for side, t in sides.items()}
        rejecting = {s: ends[s] for s, t in sides.items() if t.decision == "reject"}
        if rejecting:
            side = min(rejecting, key=rejecting.__getitem__)
            return Outcome("reject", rejecting[side][0], side)
        return _accepted([t.decision for t in sides.values()], [e[0] for e in ends.values()])

    def equivalence(self, plan: StagePlan, level: float) -> Outcome:
        """Test for equivalence: both sides have to reject, each at the level."""
        if self.above is None or self.below is None or not len(self.above):
            return Outcome("go on", 0)
        sides = [plan.tested(p.tolist(), level) for p in (self.above, self.below)]
        ends = [len(test.stages) for test in sides]
        decisions = [test.decision for test in sides]
        accepting = [e for e, d in zip(ends, decisions, strict=True) if d == "accept"]
        if accepting:
            return Outcome("accept", min(accepting))
        if decisions == ["reject", "reject"]:
            return Outcome("reject", max(ends))
        return _open(decisions, ends)


def stages_of_pairs(
    differences: Sequence[Array], ends: Sequence[int], plan: StagePlan, area: float | None = None
) -> tuple[PairStages, ...]:
    """Test the stages of pairs, of one measure.

    Parameters
    ----------
    differences : sequence of ndarray of shape (B,)
        First - second of each pair, NaN where one of the two has no value.
    ends : sequence of int
        Replications at the end of each stage there is.
    plan : StagePlan
    area : float, optional
        Differences between -area and area do not matter.
    """
    plain = stage_tails(differences, ends, plan)
    if area is None:
        return tuple(PairStages(*both) for both in plain)
    above = stage_tails(differences, ends, plan, -area)
    below = stage_tails(differences, ends, plan, area)
    return tuple(
        PairStages(*both, up, down)
        for both, (_, up), (down, _) in zip(plain, above, below, strict=True)
    )


def verdicts_after(
    pairs: Sequence[PairStages],
    plan: StagePlan,
    n_stages: int,
    closed: Callable[[int], tuple[Decision, ...]] | None = None,
) -> tuple[tuple[Verdict, ...], ...]:
    """Return what is known of each pair after each stage.

    Parameters
    ----------
    pairs : sequence of PairStages
        The family: of one measure, or of several one after the other.
    plan : StagePlan
    n_stages : int
        Stages there are so far.
    closed : callable, optional
        From the stage to decisions on the differences by closed testing, in place
        of those by the plan; equivalences are then decided by Holm's method.

    Returns
    -------
    tuple of tuples of {"less", "greater", "equivalent", "not-distinguished", "open"}
        One tuple a stage. Equivalent may be significantly different, as well.

    Notes
    -----
    Differences have the family-wise error alpha, and so have equivalences. That a
    pair is not distinguished ends its tests: more stages could not change it.
    """
    differences = family_table(pairs, plan, PairStages.difference)
    equivalences = family_table(pairs, plan, PairStages.equivalence)
    found = []
    for stage in range(1, n_stages + 1):
        different = closed(stage) if closed else _decided(differences, plan, stage)
        equal = _decided(equivalences, plan, stage)
        directions = [row[0].direction for row in differences]
        parts = zip(pairs, different, equal, directions, strict=True)
        found.append(tuple(_verdict(*part) for part in parts))
    return tuple(found)


def _verdict(
    pair: PairStages,
    different: Decision,
    equal: Decision,
    direction: Side | None,
) -> Verdict:
    """Put both tests of a pair together."""
    if equal == "reject":
        return "equivalent"
    if different == "reject" and direction is not None:
        return direction
    if different == "accept" and (pair.above is None or equal == "accept"):
        return "not-distinguished"
    return "open"


Table = tuple[tuple[Outcome, ...], ...]
"""By hypothesis, the outcomes at alpha / k, k = 1, 2, ... as far as they are needed."""


def family_table(
    pairs: Sequence[PairStages],
    plan: StagePlan,
    test: Callable[[PairStages, StagePlan, float], Outcome],
) -> Table:
    """Test every hypothesis at every level that its family asks for."""
    return tuple(
        tuple(test(pair, plan, plan.alpha / k) for k in _levels(plan, len(pairs))) for pair in pairs
    )


def _levels(plan: StagePlan, n: int) -> Sequence[int]:
    """Return the k of the levels alpha / k, the first for the direction."""
    if plan.multiplicity == "hierarchical":
        return (1,)
    return (1, n) if plan.multiplicity == "bonferroni" or n > MOST_HOLM else range(1, n + 1)


def _decided(table: Table, plan: StagePlan, stage: int) -> tuple[Decision, ...]:
    """Decide on the family with what is known after a stage."""
    n = len(table)
    if plan.multiplicity == "hierarchical":
        return hierarchical([row[0].after(stage) for row in table])
    if plan.multiplicity == "bonferroni" or n > MOST_HOLM:
        return bonferroni(n, lambda i, level: table[i][-1].after(stage), plan.alpha)
    return holm_decisions(
        n, lambda i, level: table[i][round(plan.alpha / level) - 1].after(stage), plan.alpha
    )


def beaten(
    verdicts: Sequence[Verdict], pairs: Sequence[tuple[int, int]], *, is_smaller_better: bool
) -> frozenset[int]:
    """Return the candidates than which another is better, and not equivalent.

    Parameters
    ----------
    verdicts : sequence of str
    pairs : sequence of tuples of two int
        First and second.
    is_smaller_better : bool

    Examples
    --------
    >>> sorted(beaten(["less", "open", "equivalent"], [(0, 1), (0, 2), (1, 2)],
    ...     is_smaller_better=True))
    [1]
    """
    worse = {"less": 1, "greater": 0} if is_smaller_better else {"less": 0, "greater": 1}
    return frozenset(pair[worse[v]] for v, pair in zip(verdicts, pairs, strict=True) if v in worse)


def _accepted(decisions: Sequence[Decision], ends: Sequence[int]) -> Outcome:
    """Return that all accept, or that nothing is decided."""
    if decisions and all(decision == "accept" for decision in decisions):
        return Outcome("accept", max(ends))
    return _open(decisions, ends)


def _open(decisions: Sequence[Decision], ends: Sequence[int]) -> Outcome:
    """Return that more stages can decide, or that there are none left."""
    is_over = "undecided" in decisions and "go on" not in decisions
    return Outcome("undecided" if is_over else "go on", max(ends, default=0))


@cache
def _rule(name: RuleName, level: float, n_stages: int) -> Rule:
    """Return a rule; those that spend are made for the level."""
    if name in SPENDINGS:
        return spending_rule(SPENDINGS[name], level, n_stages)
    return constant_rule if name == "constant" else narrowing_rule


@cache
def _combination(name: CombinationName, n_stages: int) -> Combination:
    """Return the combining function."""
    return FisherProduct() if name == "fisher" else InverseNormal(n_stages)
