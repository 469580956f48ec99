r"""Pairs of candidates tested in stages, with Bonferroni's, Holm's or closed testing's error.

Everything rests on decisions of one sequential test at a given level. Each partial hypothesis
has such a test, and the closure of them controls the family-wise error at whatever stage one
stops; nothing is assumed of how the decisions at different levels agree. Closed testing of all
pairs tests groups of candidates that are alike under the hypothesis together.

Two tests answer two questions of a pair: whether one of the two is better, and, where there is an
area of irrelevance, whether the difference lies inside it. A verdict is a function of both
answers, the same one for stages and for a fixed design, which is one stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import combinations
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import dataclass
from reportgen.methods import CombinationName, Multiplicity, RuleName, Stop, TestName
from reportgen.performance_measure import Better
from reportgen.stats.arguments import Names, area_of, check_choice, check_level, refuse
from reportgen.stats.arrays import Area, Array
from reportgen.stats.decisions import Decision as FixedDecision
from reportgen.stats.multiplicity.adjustment import MOST_CLOSED, Subset, partitions
from reportgen.stats.permutation.block_sums import Alternative
from reportgen.stats.sequential.paired_paths import permutation_path, signed_rank_path
from reportgen.stats.sequential.paths import (
    SequentialPath,
    block_f_path,
    corrected_t_path,
    friedman_path,
    sign_path,
)
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
from reportgen.stats.sequential.sequential_test import (
    SequentialTest,
    pairs_of,
    stages_there,
)

Quantity = Literal["mean", "pseudo-median", "median"]
Side = Literal["less", "greater"]
StageVerdict = Literal[
    "less",
    "greater",
    "less-equivalent",
    "greater-equivalent",
    "equivalent",
    "not-distinguished",
    "open",
]
ByStage = tuple[tuple["Answers", ...], ...]
"""Of each stage the answers on all pairs."""

MOST_HOLM = 120  # hypotheses: each is tested at as many levels; beyond, by Bonferroni
FEWEST = {"wilcoxon": 1, "t": 2, "sign": 1, "permutation": 2}  # values that make a stage
PATHS = {
    "t": corrected_t_path,
    "permutation": permutation_path,
    "wilcoxon": signed_rank_path,
    "sign": sign_path,
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
SLIGHT: Mapping[Side, StageVerdict] = {"less": "less-equivalent", "greater": "greater-equivalent"}
ANSWERED = ("reject", "accept")


def sequential_combination_test(
    values: ArrayLike,
    names: Names = None,
    *,
    better: Better = "smaller",
    alpha: float = 0.05,
    relevance: Area | float | None = None,
    stage: int = 50,
    most: int | None = None,
    test: TestName = "t",
    rule: RuleName = "obrien-fleming",
    combination: CombinationName = "fisher",
    multiplicity: Multiplicity = "holm",
    final: Final = "exhaust",
    stop: Stop = "decided",
) -> SequentialTest:
    """Compare all pairs in stages, by two-sided recursive combination tests.

    Parameters
    ----------
    values : array-like of shape (B, K)
        Performances, a row a replication in the order of measurement, a column a
        candidate; NaN where there is no value.
    names : sequence of str, optional
        Of the candidates; those of the columns of a data frame, or their places.
    better : {"smaller", "larger"}
        Which values are better.
    alpha : float, default 0.05
        Family-wise error probability over all pairs and stages; of differences and,
        apart from these, of equivalences.
    relevance : tuple of two floats, or float, optional
        Area of equivalence (-d, d), or d, in the unit of the values; of tests of means
        only.
    stage : int, default 50
        Replications of a stage, at least 2.
    most : int, optional
        Replications that were planned at most; as many as there are when left out.
    test : {"t", "permutation", "wilcoxon", "sign"}
        Of the differences of a stage: t corrected for skewness, its permutation law,
        Wilcoxon's signed ranks, or signs.
    rule : {"obrien-fleming", "pocock", "constant", "narrowing"}
        Boundaries of the stages: by spending functions, or those of [2]_, sections 6.3.2
        and 6.4.
    combination : {"fisher", "inverse-normal"}
        Of the p-values of stages.
    multiplicity : {"holm", "bonferroni", "closed"}
        Over the pairs.
    final : {"exhaust", "open"}
        Whether the last stage decides in any case.
    stop : {"decided", "both"}
        When a pair is settled: when a difference or equivalence is shown, or when
        both questions are answered.

    Returns
    -------
    SequentialTest
        `extra` has `verdict`: "less", "greater", "less-equivalent",
        "greater-equivalent", "equivalent", "not-distinguished" or "open", of
        first - second; `details` has `ends`, the replications after each stage.

    Raises
    ------
    ValueError
        If `values` is no matrix of at least two rows and columns of numbers, a value
        is infinite, or another argument is not what is allowed.

    References
    ----------
    .. [1] W. Brannath, M. Posch and P. Bauer (2002), "Recursive combination tests",
       Journal of the American Statistical Association 97.
    .. [2] M. J. A. Eugster (2011), Benchmark experiments, chapter 6.

    Examples
    --------
    >>> from reportgen import stats
    >>> rng = np.random.default_rng(1)
    >>> values = rng.normal(size=(60, 3)) + [0, 0, 2]
    >>> stats.sequential_combination_test(values, ["lda", "svm", "nnet"], stage=20)
    SequentialTest: recursive-combination-test, 3 pairs, alpha = 0.05
    first  second   n  estimate  decision   decided_at  verdict
    lda    svm     60  -0.02275  undecided          60  not-distinguished
    lda    nnet    60    -1.765  better             20  less
    svm    nnet    60    -1.743  better             20  less
    """
    pairs = pairs_of(values, names, better)
    check_level(alpha)
    area = area_of(relevance)
    check_choice("test", test, get_args(TestName))
    check_choice("rule", rule, get_args(RuleName))
    check_choice("combination", combination, get_args(CombinationName))
    check_choice("multiplicity", multiplicity, get_args(Multiplicity))
    check_choice("final", final, get_args(Final))
    check_choice("stop", stop, get_args(Stop))
    if area is not None and test not in OF_MEANS:
        raise refuse("relevance", f"an area with test {test!r}", " or ".join(OF_MEANS))
    ends, planned = stages_there(len(pairs.values), stage, most)
    plan = StagePlan(len(planned), alpha, test, rule, combination, final, multiplicity)
    answers = judged(pairs.values, pairs.places, ends, plan, None if area is None else area[1])
    last = [settled(ends, own, stop) for own in zip(*answers, strict=True)]
    found = [(own.decision(pairs.is_smaller_better), end) for own, end in last]
    verdicts = np.array([own.verdict for own, _ in last], dtype=object)
    return pairs.result(
        "recursive-combination-test", alpha, found, {"verdict": verdicts}, {"ends": ends}
    )


class Outcome(NamedTuple):
    """The result of a sequential test of a pair; undecided: all planned stages are over."""

    decision: Decision
    stage: int  # at which it was decided, else the last one there is
    direction: Side | None = None  # of a difference that is shown

    def after(self, stage: int) -> Decision:
        """Return what was known after a stage."""
        return self.decision if self.stage <= stage or self.decision == "go on" else "go on"


@dataclass(frozen=True, slots=True)
class StagePlan:
    """The plan of two-sided tests in stages; fixed before the first one.

    Its options are those of `sequential_combination_test`.
    """

    n_stages: int
    alpha: float = 0.05  # family-wise, of differences and, apart from these, of equivalences
    test: TestName = "t"
    rule: RuleName = "obrien-fleming"
    combination: CombinationName = "fisher"
    final: Final = "exhaust"  # which rules that spend the level do in any case
    multiplicity: Multiplicity = "holm"

    @property
    def quantity(self) -> Quantity:
        """The parameter of the test."""
        return QUANTITIES[self.test]

    def follow(
        self,
        differences: Array,
        burn_in: int,
        alternative: Alternative = "two-sided",
        at: NDArray[np.intp] | None = None,
    ) -> SequentialPath:
        """Follow the plan's test of differences (..., B) at some looks, all when omitted."""
        return PATHS[self.test](differences, burn_in, alternative, at)

    def tails(self, differences: Array, counts: NDArray[np.intp]) -> tuple[Array, Array]:
        """Return one-sided p-values of some first differences: small for negative, for positive.

        `counts` says how many are tested, at least as many as the test takes.
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


def stage_tails(
    differences: Sequence[Array], ends: Sequence[int], plan: StagePlan, shift: float = 0.0
) -> tuple[tuple[Array, Array], ...]:
    """Return one-sided p-values of the stages of each pair, against a difference of `shift`.

    Differences are NaN where one of the two has no value. The first p-values are small for
    differences below the shift, the second for those above; there are as many as stages before
    the first one without enough values.

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
    samples: Mapping[tuple[int, int], Array], plan: StagePlan, side: Side
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
    """P-values of the stages of one pair, (T,): of no difference, and of one outside the area."""

    less: Array
    greater: Array
    above: Array | None = None  # of a difference at most the area's lower limit
    below: Array | None = None  # of one at least its upper limit; None without an area

    def sides(self, plan: StagePlan, level: float) -> dict[Side, RecursiveTest]:
        """Return both one-sided tests of a difference, each at half the level."""
        if not len(self.less):
            return {}
        tails: dict[Side, Array] = {"less": self.less, "greater": self.greater}
        return {side: plan.tested(p.tolist(), level / 2) for side, p in tails.items()}

    def difference(self, plan: StagePlan, level: float) -> Outcome:
        """Test for a difference: the first side to reject decides, or all accept."""
        sides = self.sides(plan, level)
        ends = {side: (len(t.stages), t.p_value) for side, t in sides.items()}
        rejecting = {s: ends[s] for s, t in sides.items() if t.decision == "reject"}
        if rejecting:
            side = min(rejecting, key=rejecting.__getitem__)
            return Outcome("reject", rejecting[side][0], side)
        decisions = [t.decision for t in sides.values()]
        last = max((stage for stage, _ in ends.values()), default=0)
        if decisions and all(decision == "accept" for decision in decisions):
            return Outcome("accept", last)
        return _open(decisions, last)

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
        return _open(decisions, max(ends))


def _open(decisions: Sequence[Decision], last: int) -> Outcome:
    """Return that more stages can decide, or that there are none left."""
    is_over = "undecided" in decisions and "go on" not in decisions
    return Outcome("undecided" if is_over else "go on", last)


def stages_of_pairs(
    differences: Sequence[Array], ends: Sequence[int], plan: StagePlan, area: float | None = None
) -> tuple[PairStages, ...]:
    """Test the stages of pairs of one measure; differences up to `area` do not matter.

    An area with a test that is not one of means is a ValueError: equivalence is of means.
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


# --- families of hypotheses


def holm_decisions(
    n_hypotheses: int, decide: Callable[[int, float], Decision], alpha: float = 0.05
) -> tuple[Decision, ...]:
    r"""Decide by the closure of Bonferroni tests, which is Holm's for fixed samples.

    `decide` is the sequential test of a hypothesis (from 0) at a level. k hypotheses together are
    rejected when a test of one of them rejects at alpha / k. So i is rejected when for each
    k = 1, ..., P its own test at alpha / k rejects, or fewer than k tests do not; and it is
    accepted when for some k its own and at least k - 1 other tests accept.

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
    """Decide on all pairs of 2 to 8 candidates by the closure of all partial hypotheses.

    `decide` is the sequential test at a level that two or more candidates (ascending) are alike,
    whatever the others are. A partition of the candidates into r groups of two or more is rejected
    when the test of a group rejects at alpha / r, and accepted when all accept. A pair, in lexical
    order, is rejected when all partitions with both in one group are, and accepted when one is
    (Marcus, Peritz and Gabriel 1976, Biometrika 63).

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


def all_reject(decisions: Iterable[Decision]) -> Decision:
    """Reject when all do, accept when one does.

    >>> all_reject(["reject", "go on"]), all_reject(["go on", "accept"])
    ('go on', 'accept')
    """
    found = set(decisions)
    if "accept" in found:
        return "accept"
    return "reject" if found <= {"reject"} else _open_decision(found)


def any_rejects(decisions: Iterable[Decision]) -> Decision:
    """Reject when one does, accept when all do.

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
    """Return p-values of the stages of the hypothesis that all candidates (B, K) are alike.

    The test is the block model's F for a plan of t or permutation tests, else Friedman's; it ends
    at the first stage with fewer than two complete replications.
    """
    follow = block_f_path if plan.test in OF_MEANS else friedman_path
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
    """Return what decides on all pairs by closed testing, from the number of stages."""
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


# --- verdicts


class Answers(NamedTuple):
    """The state of a pair: the answers to both questions."""

    different: Decision  # on the hypothesis that there is no difference
    equal: Decision | None = None  # on a difference outside the area; None without an area
    direction: Side | None = None  # of a difference, where there is one

    @property
    def shown(self) -> Side | None:
        """Direction of a difference that is shown."""
        return self.direction if self.different == "reject" else None

    @property
    def verdict(self) -> StageVerdict:
        """Both answers in one word.

        >>> Answers("reject", "reject", "less").verdict
        'less-equivalent'
        >>> Answers("go on", "reject", "less").verdict
        'equivalent'
        >>> Answers("accept", "go on").verdict, Answers("accept", "accept").verdict
        ('open', 'not-distinguished')
        """
        if self.equal == "reject":
            return SLIGHT[self.shown] if self.shown else "equivalent"
        if self.shown:
            return self.shown
        is_given_up = self.different == "accept" and self.equal in (None, "accept")
        return "not-distinguished" if is_given_up else "open"

    def decision(self, is_smaller_better: bool) -> FixedDecision:
        """Return both answers as decisions on fixed designs are written, of first against second.

        >>> Answers("reject", "go on", "less").decision(is_smaller_better=True)
        'better'
        >>> Answers("reject", "reject", "less").decision(is_smaller_better=True)
        'equivalent'
        """
        if self.equal == "reject":
            return "equivalent"
        if self.shown is None:
            return "undecided"
        return "better" if self.way(is_smaller_better) > 0 else "worse"

    def way(self, is_smaller_better: bool) -> int:
        """Return who is shown to be better, by however little: 1 the first, -1 the second, else 0.

        >>> Answers("reject", "reject", "less").way(is_smaller_better=True)
        1
        """
        if self.shown is None:
            return 0
        return 1 if (self.shown == "less") == is_smaller_better else -1

    def is_settled(self, stop: Stop = "decided") -> bool:
        """Return whether no more replications are needed.

        By "decided" when one of the two is shown, or both are given up; by "both" when there is an
        answer to both questions.

        >>> Answers("reject", "go on", "less").is_settled()
        True
        >>> Answers("reject", "go on", "less").is_settled("both")
        False
        """
        if stop == "decided":
            return self.verdict != "open"
        return self.different in ANSWERED and self.equal in (None, *ANSWERED)

    def confirms(self, other: Answers) -> bool:
        """Return whether everything that another design shows is shown here too.

        >>> slight = Answers("reject", "reject", "less")
        >>> slight.confirms(Answers("reject", "accept", "less"))
        True
        >>> Answers("reject", "accept", "less").confirms(slight)
        False
        """
        is_same = other.shown in (None, self.shown)
        return is_same and (other.equal != "reject" or self.equal == "reject")


def settled(
    ends: Sequence[int], answers: Sequence[Answers], stop: Stop
) -> tuple[Answers, int | None]:
    """Return what settles a pair, or the last answers, and after how many replications it does.

    What later stages add belongs to no design that stops: another pair has requested them.
    """
    for end, answer in zip(ends, answers, strict=True):
        if answer.is_settled(stop):
            return answer, end
    return answers[-1], None


def answers_after(
    pairs: Sequence[PairStages],
    plan: StagePlan,
    n_stages: int,
    closed: Callable[[int], tuple[Decision, ...]] | None = None,
) -> ByStage:
    """Return what is known of each pair of a family after each stage, by the plan's method.

    Differences have the family-wise error alpha, and so have equivalences. That a pair is not
    distinguished ends its tests: more stages could not change it. Where `closed` decides on the
    differences (from the stage), equivalences are decided by Holm's method.
    """
    if not pairs:
        return ((),) * n_stages
    differences = _table(pairs, plan, PairStages.difference)
    equivalences = _table(pairs, plan, PairStages.equivalence)
    directions = [row[0].direction for row in differences]
    found = []
    for stage in range(1, n_stages + 1):
        different = closed(stage) if closed else _decide(differences, plan, stage)
        equal = [
            None if pair.above is None else decision
            for pair, decision in zip(pairs, _decide(equivalences, plan, stage), strict=True)
        ]
        found.append(tuple(map(Answers, different, equal, directions)))
    return tuple(found)


Table = tuple[tuple[Outcome, ...], ...]
"""By hypothesis, the outcomes at alpha / k, k = 1, 2, ... as far as they are needed."""


def _table(
    pairs: Sequence[PairStages],
    plan: StagePlan,
    test: Callable[[PairStages, StagePlan, float], Outcome],
) -> Table:
    """Test every hypothesis at every level of its family, first at that of its direction."""
    n = len(pairs)
    is_bonferroni = held_by(plan.multiplicity, n) == "bonferroni"
    levels = (1, n) if is_bonferroni else range(1, n + 1)
    return tuple(tuple(test(pair, plan, plan.alpha / k) for k in levels) for pair in pairs)


def held_by(multiplicity: Multiplicity, n_hypotheses: int) -> Multiplicity:
    """Return the method for so many hypotheses: Bonferroni's in place of Holm's for very many.

    >>> held_by("holm", 15), held_by("holm", 190)
    ('holm', 'bonferroni')
    """
    return "bonferroni" if n_hypotheses > MOST_HOLM else multiplicity


def _decide(table: Table, plan: StagePlan, stage: int) -> tuple[Decision, ...]:
    """Decide on the family with what is known after a stage."""
    n = len(table)
    if held_by(plan.multiplicity, n) == "bonferroni":
        return tuple(row[-1].after(stage) for row in table)
    return holm_decisions(
        n, lambda i, level: table[i][round(plan.alpha / level) - 1].after(stage), plan.alpha
    )


def beaten(
    verdicts: Sequence[StageVerdict], pairs: Sequence[tuple[int, int]], *, is_smaller_better: bool
) -> frozenset[int]:
    """Return the candidates than which another is better, and not equivalent.

    >>> verdicts = ["less", "open", "less-equivalent"]
    >>> sorted(beaten(verdicts, [(0, 1), (0, 2), (1, 2)], is_smaller_better=True))
    [1]
    """
    worse = {"less": 1, "greater": 0} if is_smaller_better else {"less": 0, "greater": 1}
    return frozenset(pair[worse[v]] for v, pair in zip(verdicts, pairs, strict=True) if v in worse)


def judged(
    values: Array,
    pairs: Sequence[tuple[int, int]],
    ends: Sequence[int],
    plan: StagePlan,
    area: float | None = None,
) -> ByStage:
    """Return what is known of pairs (columns of `values`, B x K) after each stage there is.

    A plan of one stage is a fixed design. Closed testing is for all pairs of at most 8 candidates;
    it is Holm's method otherwise. Differences between -area and area do not matter.

    >>> values = np.column_stack([np.arange(20.0), np.arange(20.0) + 1])
    >>> [answers.verdict for (answers,) in judged(values, [(0, 1)], (10, 20), StagePlan(2))]
    ['less', 'less']
    """
    differences = [values[:, i] - values[:, j] for i, j in pairs]
    return answers_of(values, pairs, stages_of_pairs(differences, ends, plan, area), ends, plan)


def answers_of(
    values: Array,
    pairs: Sequence[tuple[int, int]],
    stages: Sequence[PairStages],
    ends: Sequence[int],
    plan: StagePlan,
) -> ByStage:
    """Return what `judged` does, of pairs whose stages are tested already."""
    if plan.multiplicity != "closed":
        return answers_after(stages, plan, len(ends))
    own = replace(plan, multiplicity="holm")
    if not is_closed(values.shape[1], pairs):
        return answers_after(stages, own, len(ends))
    return answers_after(stages, own, len(ends), closed_decisions(values, stages, ends, plan))


def is_closed(n_candidates: int, pairs: Sequence[tuple[int, int]]) -> bool:
    """Return whether closed testing can be had: for all pairs of few candidates.

    >>> is_closed(3, [(0, 1), (0, 2), (1, 2)]), is_closed(3, [(0, 1)])
    (True, False)
    """
    every = tuple(combinations(range(n_candidates), 2))
    return 2 <= n_candidates <= MOST_CLOSED and tuple(pairs) == every
