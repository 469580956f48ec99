"""Pairs of candidates tested in stages, with Bonferroni, Holm, a fixed order or closed testing.

Everything rests on decisions of one sequential test at a given level: recursive,
group sequential or anytime-valid. Each partial hypothesis has such a test, and the
closure of them controls the family-wise error at whatever stage one stops; nothing
is assumed of how the decisions at different levels agree. Closed testing of all pairs
tests groups of candidates that are alike under the hypothesis together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.multiplicity.stepdown import MOST_CLOSED, Subset, partitions
from reportgen.stats.permutation.block_sums import Alternative
from reportgen.stats.sequential.paired_tracks import permutation_track, signed_rank_track
from reportgen.stats.sequential.recursive import (
    Combination,
    Decision,
    Final,
    FisherProduct,
    InverseNormal,
    RecursiveTest,
    Rule,
    Spending,
    constant_rule,
    narrowing_rule,
    obrien_fleming_spending,
    pocock_spending,
    recursive_test,
    spending_rule,
)
from reportgen.stats.sequential.tracks import (
    Track,
    block_f_track,
    corrected_t_track,
    friedman_track,
    sign_track,
)

Array = NDArray[np.float64]
TestName = Literal["t", "permutation", "wilcoxon", "sign"]
Quantity = Literal["mean", "pseudo-median", "median"]
RuleName = Literal["obrien-fleming", "pocock", "constant", "narrowing"]
CombinationName = Literal["fisher", "inverse-normal"]
Multiplicity = Literal["holm", "bonferroni", "hierarchical", "closed"]
Side = Literal["less", "greater"]

FEWEST = {"wilcoxon": 1, "t": 2, "sign": 1, "permutation": 2}  # values that make a stage
TRACKS = {
    "t": corrected_t_track,
    "permutation": permutation_track,
    "wilcoxon": signed_rank_track,
    "sign": sign_track,
}
QUANTITIES: Mapping[TestName, Quantity] = {
    "t": "mean",
    "permutation": "mean",
    "wilcoxon": "pseudo-median",
    "sign": "median",
}
"""The parameter of a test of differences; the parameters agree for symmetric differences only."""
OF_MEANS = tuple(test for test, quantity in QUANTITIES.items() if quantity == "mean")
SPENDINGS: Mapping[str, Spending] = {
    "obrien-fleming": obrien_fleming_spending,
    "pocock": pocock_spending,
}


class Outcome(NamedTuple):
    """The result of a sequential test.

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
    """The plan of tests in stages; fixed before the first one.

    Attributes
    ----------
    n_stages : int
        Stages planned.
    alpha : float
        Family-wise level, of differences and, apart from these, of equivalences.
    test : {"t", "permutation", "wilcoxon", "sign"}
        The t test is corrected for skewness.
    alternative : {"two-sided", "less", "greater"}
        Of first - second.
    rule : {"obrien-fleming", "pocock", "constant", "narrowing"}
        Boundaries: by spending functions, or those of Eugster (2011), 6.3.2, 6.4.
    combination : {"fisher", "inverse-normal"}
    final : {"exhaust", "open"}
        As for `recursive_test`; spending rules exhaust in any case.
    multiplicity : {"holm", "bonferroni", "hierarchical", "closed"}
        Over all hypotheses there are.
    """

    n_stages: int
    alpha: float = 0.05
    test: TestName = "t"
    alternative: Alternative = "two-sided"
    rule: RuleName = "obrien-fleming"
    combination: CombinationName = "fisher"
    final: Final = "exhaust"
    multiplicity: Multiplicity = "holm"

    @property
    def quantity(self) -> Quantity:
        """The parameter of the test."""
        return QUANTITIES[self.test]

    def follow(
        self,
        differences: Array,
        burn_in: int,
        alternative: Alternative,
        at: NDArray[np.intp] | None = None,
    ) -> Track:
        """Follow the plan's test over replications.

        Parameters
        ----------
        differences : ndarray of shape (..., B)
        burn_in : int
        alternative : {"two-sided", "less", "greater"}
        at : ndarray of shape (N,), int, optional
            Looks; all from the burn-in on when omitted.
        """
        return TRACKS[self.test](differences, burn_in, alternative, at)

    def tails(self, differences: Array, counts: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return one-sided p-values of some first differences: small for negative, for positive.

        Parameters
        ----------
        differences : ndarray of shape (..., B)
        counts : ndarray of shape (N,), int
            How many are tested, at least as many as the test takes.
        """
        at, place = np.unique(counts, return_inverse=True)
        follow = partial(self.follow, differences, int(at[0]), at=at)
        return follow("less").p_values[..., place], follow("greater").p_values[..., place]

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
    """Return how many replications there are at the end of each stage.

    The last may be short; a single replication, which has no variance, belongs to the one before.

    Examples
    --------
    >>> stage_ends(211, 50), stage_ends(101, 50)
    ((50, 100, 150, 200, 211), (50, 101))
    """
    return (*range(size, n_replications - (size > 1), size), n_replications)


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
    >>> ((less, greater),) = stage_tails([d], (3, 6), StagePlan(2, test="wilcoxon"))
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
        return _accept([t.decision for t in sides.values()], [e[0] for e in ends.values()])

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

    Raises
    ------
    ValueError
        If there is an area, and the test is not one of means: equivalence is of means.
    """
    plain = stage_tails(differences, ends, plan)
    if area is None:
        return tuple(PairStages(*both) for both in plain)
    if plan.test not in OF_MEANS:
        raise ValueError(f"{plan.test} tests no means, and cannot show that they are equivalent")
    above = stage_tails(differences, ends, plan, -area)
    below = stage_tails(differences, ends, plan, area)
    return tuple(
        PairStages(*both, up, down)
        for both, (_, up), (down, _) in zip(plain, above, below, strict=True)
    )


def _accept(decisions: Sequence[Decision], ends: Sequence[int]) -> Outcome:
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


def bonferroni(
    n_hypotheses: int, decide: Callable[[int, float], Decision], alpha: float = 0.05
) -> tuple[Decision, ...]:
    """Decide on each hypothesis at its share of the level.

    Examples
    --------
    >>> p = [0.01, 0.02, 0.04]
    >>> bonferroni(3, lambda i, level: "reject" if p[i] <= level else "accept")
    ('reject', 'accept', 'accept')
    """
    return tuple(decide(i, alpha / n_hypotheses) for i in range(n_hypotheses))


def holm_decisions(
    n_hypotheses: int, decide: Callable[[int, float], Decision], alpha: float = 0.05
) -> tuple[Decision, ...]:
    r"""Decide by the closure of Bonferroni tests, which is Holm's for fixed samples.

    Parameters
    ----------
    n_hypotheses : int
        P: pairs, or pairs of each measure.
    decide : callable
        Decision of the sequential test of a hypothesis (from 0) at a level.
    alpha : float, default 0.05
        Family-wise.

    Returns
    -------
    tuple of {"reject", "accept", "go on", "undecided"}

    Raises
    ------
    ValueError
        If there is no hypothesis.

    Notes
    -----
    k hypotheses together are rejected when a test of one of them rejects at
    alpha / k. So i is rejected when for each k = 1, ..., P its own test at
    alpha / k rejects, or fewer than k tests do not; and it is accepted when for
    some k its own and at least k - 1 other tests accept.

    Examples
    --------
    >>> p = [0.01, 0.02, 0.04]
    >>> holm_decisions(3, lambda i, level: "reject" if p[i] <= level else "accept")
    ('reject', 'reject', 'reject')
    """
    if n_hypotheses < 1:
        raise ValueError("there is no hypothesis")
    every = range(n_hypotheses)
    levels = range(1, n_hypotheses + 1)
    partial = [_together([decide(i, alpha / k) for i in every], k) for k in levels]
    return tuple(all_reject(own) for own in zip(*partial, strict=True))


def closed_pair_decisions(
    n_candidates: int, decide: Callable[[Subset, float], Decision], alpha: float = 0.05
) -> tuple[Decision, ...]:
    """Decide on all pairs of candidates by the closure of all partial hypotheses.

    Parameters
    ----------
    n_candidates : int
        K, from 2 to 8.
    decide : callable
        Decision of the sequential test at a level that two or more candidates
        (ascending) are alike, whatever the others are.
    alpha : float, default 0.05
        Family-wise.

    Returns
    -------
    tuple of {"reject", "accept", "go on", "undecided"}
        Of the pairs in lexical order.

    Raises
    ------
    ValueError
        If there are too few candidates or too many.

    Notes
    -----
    A partition of the candidates into r groups of two or more is rejected when
    the test of a group rejects at alpha / r, and accepted when all accept. A
    pair is rejected when all partitions with both in one group are, and
    accepted when one is.

    References
    ----------
    .. [1] R. Marcus, E. Peritz and K. R. Gabriel (1976), "On closed testing
       procedures with special reference to ordered analysis of variance",
       Biometrika 63.

    Examples
    --------
    >>> p = {(0, 1): 0.01, (0, 2): 0.04, (1, 2): 0.3, (0, 1, 2): 0.02}
    >>> closed_pair_decisions(3, lambda s, level: "reject" if p[s] <= level else "accept")
    ('reject', 'reject', 'accept')
    """
    if not 2 <= n_candidates <= MOST_CLOSED:
        raise ValueError(f"closed testing is for 2 to {MOST_CLOSED} candidates")
    found: dict[Subset, list[Decision]] = {
        pair: [] for pair in combinations(range(n_candidates), 2)
    }
    for groups in partitions(tuple(range(n_candidates))):
        large = [group for group in groups if len(group) > 1]
        together = any_rejects([decide(group, alpha / len(large)) for group in large])
        for pair in (pair for group in large for pair in combinations(group, 2)):
            found[pair].append(together)
    return tuple(all_reject(decisions) for decisions in found.values())


def hierarchical(decisions: Sequence[Decision]) -> tuple[Decision, ...]:
    """Decide in an order fixed beforehand, each hypothesis at the full level.

    Parameters
    ----------
    decisions : sequence of {"reject", "accept", "go on", "undecided"}
        Of the tests at level alpha, the most important hypothesis first.

    Returns
    -------
    tuple of {"reject", "accept", "go on", "undecided"}
        A hypothesis is rejected when its test and all before reject; after one
        that is not, it waits or is accepted with it.

    References
    ----------
    .. [1] W. Maurer, L. A. Hothorn and W. Lehmacher (1995), "Multiple comparisons
       in drug clinical trials and preclinical assays: a-priori ordered
       hypotheses", Biometrie in der chemisch-pharmazeutischen Industrie 6.

    Examples
    --------
    >>> hierarchical(["reject", "go on", "reject", "accept", "reject"])
    ('reject', 'go on', 'go on', 'accept', 'accept')
    """
    return tuple(all_reject(decisions[: place + 1]) for place in range(len(decisions)))


def all_reject(decisions: Iterable[Decision]) -> Decision:
    """Reject when all do, accept when one does.

    Examples
    --------
    >>> all_reject(["reject", "go on"]), all_reject(["go on", "accept"])
    ('go on', 'accept')
    """
    found = set(decisions)
    if "accept" in found:
        return "accept"
    return "reject" if found <= {"reject"} else _open_decision(found)


def any_rejects(decisions: Iterable[Decision]) -> Decision:
    """Reject when one does, accept when all do.

    Examples
    --------
    >>> any_rejects(["reject", "go on"]), any_rejects(["undecided", "accept"])
    ('reject', 'undecided')
    """
    found = set(decisions)
    if "reject" in found:
        return "reject"
    return "accept" if found <= {"accept"} else _open_decision(found)


def _together(alone: Sequence[Decision], k: int) -> list[Decision]:
    """Return for each hypothesis what holds of any k that it is among, tested at alpha / k."""
    if len(alone) - alone.count("reject") < k:
        return ["reject"] * len(alone)
    found = dict.fromkeys(alone, _open_decision({*alone}))
    found["reject"] = "reject"
    if alone.count("accept") >= k:
        found["accept"] = "accept"
    return [found[own] for own in alone]


def _open_decision(found: set[Decision]) -> Decision:
    """Return whether more stages can decide."""
    return "go on" if "go on" in found else "undecided"


def group_stages(values: Array, ends: Sequence[int], plan: StagePlan) -> Array:
    """Return p-values of the stages of the hypothesis that all candidates are alike.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Replications with a gap are left out.
    ends : sequence of int
        Replications at the end of each stage.
    plan : StagePlan
        The block model's F for a plan of t or permutation tests, else Friedman's test.

    Returns
    -------
    ndarray of shape (T,)
        Up to the first stage with fewer than two complete replications.
    """
    follow = block_f_track if plan.test in OF_MEANS else friedman_track
    found = []
    for begin, end in zip((0, *ends), ends, strict=False):
        rows = values[begin:end]
        rows = rows[np.isfinite(rows).all(axis=1)]
        if len(rows) < 2:
            break
        found.append(float(follow(rows, len(rows)).p_values[0]))
    return np.array(found)


def closed_decisions(
    values: Array, pairs: Sequence[PairStages], ends: Sequence[int], plan: StagePlan
) -> Callable[[int], tuple[Decision, ...]]:
    """Return what decides on all pairs by closed testing, from the number of stages.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        K from 2 to 8.
    pairs : sequence of PairStages
        All pairs, in lexical order.
    ends : sequence of int
    plan : StagePlan
    """
    n_candidates = values.shape[1]
    places: Mapping[Subset, int] = {
        pair: i for i, pair in enumerate(combinations(range(n_candidates), 2))
    }
    groups: dict[Subset, Array] = {}
    known: dict[tuple[Subset, float], Outcome] = {}

    def outcome(subset: Subset, level: float) -> Outcome:
        if subset in places:
            return pairs[places[subset]].difference(plan, level)
        if subset not in groups:
            groups[subset] = group_stages(values[:, list(subset)], ends, plan)
        if not len(groups[subset]):
            return Outcome("go on", 0)
        test = plan.tested(groups[subset].tolist(), level)
        return Outcome(test.decision, len(test.stages))

    def after(stage: int) -> tuple[Decision, ...]:
        def decide(subset: Subset, level: float) -> Decision:
            if (subset, level) not in known:
                known[subset, level] = outcome(subset, level)
            return known[subset, level].after(stage)

        return closed_pair_decisions(n_candidates, decide, plan.alpha)

    return after
