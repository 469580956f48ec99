"""Pairs in stages: families, equivalence, groups, who is beaten, and the level of it all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from reportgen.stats.ranks.signed_rank import signed_rank_test
from reportgen.stats.sequential.recursive import (
    obrien_fleming_spending,
    recursive_test,
    spending_rule,
)
from reportgen.stats.sequential.sequential_test import stage_ends
from reportgen.stats.sequential.stages import (
    Answers,
    PairStages,
    StagePlan,
    StageVerdict,
    answers_after,
    beaten,
    closed_decisions,
    group_stages,
    judged,
    stage_tails,
    stages_of_pairs,
)

N_RUNS = 1200  # standard error of a level of .05: .0063
SIZE = 0.0063 * 3
ENDS = (20, 40, 60)
PLAN = StagePlan(3)
LIMIT = 0.068  # measured in docs/sequential-size.md for exponential differences, stages of 50
OF_MEANS = ("t", "permutation")
OF_RANKS = ("wilcoxon", "sign")


def words(answers: Sequence[Sequence[Answers]]) -> tuple[tuple[StageVerdict, ...], ...]:
    return tuple(tuple(answer.verdict for answer in row) for row in answers)


def last(*asked: Any, **more: Any) -> tuple[StageVerdict, ...]:
    """Return the verdicts after the last stage."""
    return words(judged(*asked, **more))[-1]


def differences(mean: float, n: int = 60, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 1, n)


def test_stages_use_their_own_replications_only() -> None:
    d = differences(0.3)
    plan = replace(PLAN, test="wilcoxon")
    ((less, greater),) = stage_tails([d], ENDS, plan)
    for stage, (begin, end) in enumerate(zip((0, *ENDS), ENDS, strict=False)):
        own = d[begin:end]
        assert less[stage] == pytest.approx(signed_rank_test(own, "less").p_value, rel=1e-12)
        assert greater[stage] == pytest.approx(signed_rank_test(own, "greater").p_value, rel=1e-12)


def test_a_stage_without_values_ends_the_pair() -> None:
    d = differences(0.3)
    d[20:40] = np.nan
    ((less, _),) = stage_tails([d], ENDS, PLAN)
    assert len(less) == 1
    d = differences(0.3)
    d[25:40] = np.nan  # five are left
    ((less, _), (again, _)) = stage_tails([d, d], ENDS, PLAN)
    assert len(less) == 3
    assert again.tolist() == less.tolist()


@pytest.mark.parametrize("seed", range(6))
def test_one_pair_is_two_one_sided_tests(seed: int) -> None:
    d = differences(0.25 * (seed % 3), seed=seed)
    (pair,) = stages_of_pairs([d], ENDS, PLAN, area=0.4)

    def one_sided(p_values: np.ndarray | None, alpha: float) -> tuple[str, int]:
        assert p_values is not None
        rule = spending_rule(obrien_fleming_spending, alpha, 3)
        found = recursive_test(p_values.tolist(), alpha, rule, n_stages=3)
        return found.decision, len(found.stages)

    sides = {"less": one_sided(pair.less, 0.025), "greater": one_sided(pair.greater, 0.025)}
    rejecting = {side: stage for side, (decision, stage) in sides.items() if decision == "reject"}
    found = pair.difference(PLAN, 0.05)
    if rejecting:
        ((direction, stage),) = rejecting.items()
        assert found == ("reject", stage, direction)
    else:
        assert found == ("accept", max(stage for _, stage in sides.values()), None)
    ends = [one_sided(pair.above, 0.05), one_sided(pair.below, 0.05)]
    accepting = [stage for decision, stage in ends if decision == "accept"]
    expected = ("accept", min(accepting)) if accepting else ("reject", max(e for _, e in ends))
    assert pair.equivalence(PLAN, 0.05)[:2] == expected


def test_a_decision_is_known_from_its_stage_on() -> None:
    d = np.concatenate([differences(0.0, 20, seed=5), differences(1.2, 40, seed=5)])
    values = np.column_stack([d, np.zeros(60)])
    verdicts = words(judged(values, [(0, 1)], ENDS, PLAN))
    assert verdicts == (("open",), ("greater",), ("greater",))
    assert words(judged(values[:20], [(0, 1)], ENDS[:1], PLAN)) == verdicts[:1]
    assert last(-values, [(0, 1)], ENDS, PLAN) == ("less",)


@pytest.mark.parametrize("test", OF_RANKS)
def test_ranks_never_show_that_means_are_equivalent(test: str) -> None:
    values = np.column_stack([differences(0.0), np.zeros(60)])
    with pytest.raises(ValueError, match="tests no means"):
        judged(values, [(0, 1)], ENDS, replace(PLAN, test=test), area=1.0)


@pytest.mark.parametrize("test", OF_MEANS)
def test_both_questions_are_in_the_verdict(test: str) -> None:
    d = 0.2 + 0.01 * differences(0.0)
    values = np.column_stack([d, np.zeros(60)])
    plan = replace(PLAN, test=test)
    assert last(values, [(0, 1)], ENDS, plan) == ("greater",)
    assert last(values, [(0, 1)], ENDS, plan, area=1.0) == ("greater-equivalent",)
    assert last(-values, [(0, 1)], ENDS, plan, area=1.0) == ("less-equivalent",)
    assert last(values - [d.mean(), 0], [(0, 1)], ENDS, plan, area=1.0) == ("equivalent",)
    assert last(values, [(0, 1)], ENDS, plan, area=0.1) == ("greater",)


def test_what_never_differs_is_given_up_at_once_unless_equivalence_is_asked() -> None:
    values = np.zeros((60, 2))
    assert words(judged(values, [(0, 1)], ENDS, PLAN))[0] == ("not-distinguished",)
    assert words(judged(values, [(0, 1)], ENDS, PLAN, area=0.1))[0] == ("equivalent",)


def test_families_are_holm_and_bonferroni_over_all_pairs() -> None:
    """One stage that spends all is a fixed design: p-values against alpha / k."""
    plan = StagePlan(1)
    p = np.array([0.008, 0.012, 0.024, 0.4]) / 2  # one side
    pairs = [PairStages(np.array([x]), np.array([1 - x])) for x in p.tolist()]
    assert words(answers_after(pairs, plan, 1))[0] == (
        "less",
        "less",
        "less",
        "not-distinguished",
    )
    alone = words(answers_after(pairs, replace(plan, multiplicity="bonferroni"), 1))[0]
    assert alone == ("less", "less", "not-distinguished", "not-distinguished")


def test_closed_testing_rejects_what_all_groups_reject() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(0, 1, (60, 3)) + np.array([0.0, 0.0, 1.5])
    pairs = tuple(combinations(range(3), 2))
    stages = stages_of_pairs([values[:, i] - values[:, j] for i, j in pairs], ENDS, PLAN)
    together = group_stages(values, ENDS, PLAN)
    assert PLAN.tested(together.tolist(), 0.05).decision == "reject"
    decisions = closed_decisions(values, stages, ENDS, PLAN)(3)
    own = [pair.difference(PLAN, 0.05).decision for pair in stages]
    assert decisions == tuple(own)  # of three candidates, once all together are distinguished
    assert last(values, pairs, ENDS, replace(PLAN, multiplicity="closed"))[1:] == (
        "less",
        "less",
    )
    alike = rng.normal(0, 1, (60, 3))
    found = last(alike, pairs, ENDS, replace(PLAN, multiplicity="closed"))
    assert set(found) == {"not-distinguished"}


def test_groups_without_complete_replications_are_not_tested() -> None:
    values = np.random.default_rng(1).normal(size=(60, 3))
    values[20:, 0] = np.nan
    assert len(group_stages(values, ENDS, PLAN)) == 1


def test_who_is_beaten_by_either_direction() -> None:
    pairs = [(0, 1), (0, 2), (1, 2)]
    verdicts = ["less", "open", "greater"]
    assert beaten(verdicts, pairs, is_smaller_better=True) == {1}
    assert beaten(verdicts, pairs, is_smaller_better=False) == {0, 2}


def test_stages_by_size() -> None:
    assert stage_ends(100, 50) == (50, 100)
    assert stage_ends(30, 50) == (30,)
    assert recursive_test([0.01], n_stages=1).decision == "reject"


@pytest.mark.slow
@pytest.mark.parametrize("multiplicity", ["holm", "closed"])
def test_family_wise_error_under_equality(multiplicity: str) -> None:
    plan = replace(StagePlan(2, test="t"), multiplicity=multiplicity)
    pairs = tuple(combinations(range(3), 2))
    rng = np.random.default_rng(11)
    errs = 0
    for _ in range(N_RUNS // 2):
        values = rng.normal(size=(30, 3))
        errs += set(last(values, pairs, (15, 30), plan)) != {"not-distinguished"}
    assert errs / (N_RUNS // 2) < 0.05 + SIZE * 2**0.5


def test_error_of_equivalence_at_the_limit() -> None:
    plan = StagePlan(2, test="t")
    rng = np.random.default_rng(12)
    d = rng.normal(1.0, 1.0, (N_RUNS, 60))
    pairs = stages_of_pairs(list(d), (30, 60), plan, area=1.0)
    wrong = [pair.equivalence(plan, 0.05).decision == "reject" for pair in pairs]
    assert 0.02 < np.mean(wrong) < 0.05 + SIZE


# ------------------------------------------------------------------------- skewed differences


def exponential(runs: int, mean: float = 0.0) -> np.ndarray:
    """Return five stages of 50 skewed differences with a mean, a row a run."""
    return np.random.default_rng(13).exponential(1.0, (runs, 250)) - 1 + mean


FIVE = (50, 100, 150, 200, 250)


def found(d: np.ndarray, plan: StagePlan) -> list[str | None]:
    """Return the direction that each run finds."""
    return [pair.difference(plan, 0.05).direction for pair in stages_of_pairs([*d], FIVE, plan)]


@pytest.mark.slow
def test_the_default_holds_its_level_for_skewed_differences() -> None:
    """Exponential differences of mean 0: docs/sequential-size.md has more laws and sizes."""
    d = exponential(N_RUNS)
    default, ranks = found(d, StagePlan(5)), found(d, StagePlan(5, test="wilcoxon"))
    assert StagePlan(5).test == "t"
    assert (N_RUNS - default.count(None)) / N_RUNS < 0.05 + SIZE
    assert ranks.count("less") / N_RUNS > 0.6


def test_the_default_finds_no_wrong_direction_where_ranks_do() -> None:
    d = exponential(N_RUNS // 2, 0.1)
    default, ranks = found(d, StagePlan(5)), found(d, StagePlan(5, test="wilcoxon"))
    assert default.count("less") / len(d) < 0.005
    assert default.count("greater") / len(d) > 0.1
    assert ranks.count("less") / len(d) > 0.15


def test_no_equivalence_of_means_that_lie_outside() -> None:
    """A mean of .30 against limits of .25; ranks would find their pseudo-median inside."""
    d = exponential(N_RUNS // 2, 0.3)
    pairs = stages_of_pairs([*d], FIVE, StagePlan(5), 0.25)
    wrong = [pair.equivalence(StagePlan(5), 0.05).decision == "reject" for pair in pairs]
    assert np.mean(wrong) < 0.03
    ranks = StagePlan(5, test="wilcoxon")
    above, below = (stage_tails([*d], FIVE, ranks, shift) for shift in (-0.25, 0.25))
    would = [
        PairStages(*up, up[1], down[0]).equivalence(ranks, 0.05).decision == "reject"
        for up, down in zip(above, below, strict=True)
    ]
    assert np.mean(would) > 0.4


def test_how_often_means_at_a_limit_are_called_equivalent() -> None:
    """One-sided, all of the error is on the side of the longer tail."""
    d = exponential(N_RUNS, 0.25)
    pairs = stages_of_pairs([*d], FIVE, StagePlan(5), 0.25)
    wrong = [pair.equivalence(StagePlan(5), 0.05).decision == "reject" for pair in pairs]
    assert np.mean(wrong) < LIMIT + SIZE


def test_a_difference_that_never_varies_is_decided_by_its_signs() -> None:
    """Each stage of n of one sign has p = 2^-n on its side."""
    ((less, greater),) = stage_tails([np.full(60, 0.03)], ENDS, PLAN)
    assert greater.tolist() == [0.5**20] * 3
    assert less.tolist() == [1.0] * 3
    values = np.column_stack([np.full(60, 0.33), np.full(60, 0.3)])
    assert words(judged(values, [(0, 1)], ENDS, PLAN, area=0.05))[0] == ("greater-equivalent",)
    tiny = StagePlan(1, multiplicity="holm")
    assert last(values[:4], [(0, 1)], (4,), tiny) == ("not-distinguished",)  # 2^-3 is not small


@pytest.mark.parametrize("huge", [1e20, 1e80, 1e95])
def test_one_value_that_dwarfs_all_others_takes_no_significance_from_other_stages(
    huge: float,
) -> None:
    d = differences(1.0)
    d[30] = huge
    ((less, greater),) = stage_tails([d], ENDS, PLAN)
    ((_, plain),) = stage_tails([differences(1.0)], ENDS, PLAN)
    assert greater[[0, 2]] == pytest.approx(plain[[0, 2]])
    assert 0.1 < greater[1] < 0.5
    assert np.isfinite(less).all()
