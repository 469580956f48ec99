"""Whether scores and battles agree: against decisions that are made up, and simulated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

import reportgen
from reportgen.api.agreement import Agreement
from reportgen.api.study import BenchmarkStudy
from reportgen.errors import StudyError

NAMES = ("ada", "bea", "cyd", "dot")
STRONG = {"ada": 3.0, "bea": 1.0, "cyd": -1.0, "dot": -3.0}
EQUAL = dict.fromkeys(NAMES, 0.0)


def battles(
    worths: dict[str, float], n: int = 1500, seed: int = 1, *, alpha: float = 0.05
) -> BenchmarkStudy:
    rng = np.random.default_rng(seed)
    names = np.array(list(worths))
    a = rng.integers(len(names), size=n)
    b = (a + rng.integers(1, len(names), size=n)) % len(names)
    gap = np.array([*worths.values()])[a] - np.array([*worths.values()])[b]
    won = rng.random(n) < 1 / (1 + np.exp(-gap))
    winner = np.where(won, "model_a", "model_b")
    frame = pd.DataFrame({"model_a": names[a], "model_b": names[b], "winner": winner})
    return reportgen.battles(frame, name="arena", alpha=alpha)


def scores(
    levels: dict[str, float],
    n: int = 300,
    seed: int = 2,
    n_tasks: int = 1,
    alpha: float = 0.05,
) -> BenchmarkStudy:
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1, (n_tasks, n, 1)) + np.array([*levels.values()])
    right = rng.random(odds.shape) < 1 / (1 + np.exp(-odds))
    axes = [[f"task{m}" for m in range(n_tasks)], range(n), list(levels)]
    at = pd.MultiIndex.from_product(axes, names=["dataset", "item", "candidate"])
    frame = pd.DataFrame({"accuracy": right.ravel() * 1.0}, index=at).reset_index()
    if n_tasks == 1:
        frame = frame.drop(columns="dataset")
    return reportgen.compare(frame, unit="item", name="exam", alpha=alpha)


def test_the_same_order_agrees() -> None:
    found = scores(STRONG).agreement(battles(STRONG))
    assert found.order == found.other_order == NAMES
    assert [p.together for p in found.pairs] == ["same"] * 6
    assert (found.is_contradicted, found.has_same_first, found.tau) == (False, True, 1.0)
    text = str(found)
    assert "agree on all that they decide" in text
    assert "6 alike and 0 oppositely" in text
    assert "first in both: ada" in text


@pytest.mark.parametrize("n_tasks", [1, 3])
def test_opposite_orders_are_shown_to_be_so(n_tasks: int) -> None:
    turned = STRONG | {"ada": -3.0, "dot": 3.0}
    found = scores(STRONG, n_tasks=n_tasks).agreement(battles(turned))
    rows = found.to_frame().set_index(["first", "second"])
    assert rows.loc[("ada", "dot"), ["own", "other", "together"]].tolist() == [1, -1, "opposite"]
    assert rows.loc[("bea", "cyd"), "together"] == "same"
    tau = kendalltau([0, 1, 2, 3], [3, 1, 2, 0]).statistic
    assert found.tau == pytest.approx(tau)
    assert "ada better than dot by exam, worse by arena" in str(found)
    assert "first in exam (accuracy): ada, in arena (elo): dot" in str(found)
    assert "tau of the 4 candidates −0.67" in str(found)


def test_the_other_way_round_is_the_same() -> None:
    one, other = scores(STRONG), battles(STRONG | {"ada": -3.0})
    a, b = one.agreement(other), other.agreement(one)
    ways = {frozenset((p.first, p.second)): p.together for p in a.pairs}
    assert ways == {frozenset((p.first, p.second)): p.together for p in b.pairs}
    assert (a.order, a.other_order) == (b.other_order, b.order)


def test_half_of_the_level_decides() -> None:
    """A pair whose p-value is between half and all of the level is not decided."""
    one, other = scores(STRONG), scores({"ada": 0.0, "bea": 0.0}, seed=5)
    p = float(other.pairs()["adjusted_p_value"].iloc[0])
    level = min(0.9, p * 1.5)
    assert one.agreement(other, alpha=level).pairs[0].other == 0
    assert p < 0.9
    wide = reportgen.compare(other.performances, unit="item", alpha=min(0.99, 2.2 * p))
    assert wide.pairs()["significant"].iloc[0]
    assert one.agreement(wide, alpha=min(0.99, 2.2 * p)).pairs[0].other != 0
    assert one.agreement(wide, alpha=1.9 * p).pairs[0].other == 0


def test_nothing_in_common_decides_nothing() -> None:
    found = scores(EQUAL).agreement(battles(EQUAL))
    assert not found.of("same")
    assert "nothing is known of their agreement" in str(found)


def test_candidates_of_one_study_alone_are_named() -> None:
    more = {**STRONG, "eve": 0.0}
    found = scores(more).agreement(battles(STRONG))
    assert (found.only, found.other_only) == (("eve",), ())
    assert len(found.pairs) == 6
    assert "only in exam (accuracy): eve" in str(found)
    assert found.tau is not None
    few = scores({"ada": 2.0, "bea": -2.0, "eve": 0.0}).agreement(battles(STRONG))
    assert (few.tau, len(few.pairs)) == (None, 1)


def test_bad_input_is_answered() -> None:
    one, arena = scores(STRONG), battles(STRONG)
    with pytest.raises(StudyError, match="allowed two in common"):
        one.agreement(scores({"eve": 0.0, "fay": 1.0}))
    with pytest.raises(StudyError, match="allowed a study"):
        one.agreement(arena.performances)  # type: ignore[arg-type]
    with pytest.raises(StudyError, match="number between 0 and 1"):
        one.agreement(arena, alpha=2)
    with pytest.raises(StudyError, match="measure"):
        one.agreement(arena, other_measure="accuracy")


@pytest.mark.slow
def test_opposite_decisions_err_as_seldom_as_they_say() -> None:
    """Scores decide the pair, and the two are equal in battles, which decide at alpha / 2."""
    one = scores({"ada": 3.0, "bea": -3.0}, alpha=0.5)
    equal = {"ada": 0.0, "bea": 0.0}
    found = [one.agreement(battles(equal, 60, seed, alpha=0.5)) for seed in range(24)]
    n_wrong = sum(own.is_contradicted for own in found)
    assert 0 < n_wrong <= 10  # 24 of probability .25, by half of them on this side


def test_it_is_public() -> None:
    assert isinstance(battles(STRONG, 60).agreement(battles(STRONG, 60, 3)), Agreement)


def test_a_score_of_battles_is_held_against_no_number() -> None:
    with pytest.raises(StudyError, match="scores of battles have no zero"):
        battles(STRONG, 60).gate("elo of ada above 0")
