"""Recursive combination tests: the dissertation's table, R, hand calculation, and their level."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.stats.sequential.recursive import (
    FisherProduct,
    InverseNormal,
    RecursiveTest,
    constant_rule,
    narrowing_rule,
    obrien_fleming_spending,
    pocock_spending,
    recursive_test,
    spending_rule,
)

GOLDEN = json.loads(
    (Path(__file__).resolve().parents[2] / "golden" / "sequential.json").read_text()
)
SAME = 1e-12  # the same formulas in R
PRINTED = 1.5e-4  # four decimals, from p-values of four decimals
N_RUNS = 2500  # standard error of a level of .05: .0044
SIZE = 0.0044 * 3
unit = st.floats(0, 1)
RULES = {
    "constant": lambda T: constant_rule,
    "narrowing": lambda T: narrowing_rule,
    "obrien-fleming": lambda T: spending_rule(obrien_fleming_spending, 0.05, T),
    "pocock": lambda T: spending_rule(pocock_spending, 0.05, T),
}


def compare(found: RecursiveTest, golden: dict[str, Any]) -> None:
    """Compare stages, decision and p-value with what R says."""
    for place, stage in enumerate(found.stages):
        assert stage.c == pytest.approx(golden["c_t"][place], rel=SAME)
        assert stage.alpha_star == pytest.approx(golden["alpha_star"][place], rel=SAME)
        assert stage.alpha_1 == pytest.approx(golden["alpha_1t"][place], rel=SAME)
        assert stage.alpha_0 == pytest.approx(golden["alpha_0t"][place], rel=SAME)
    assert found.decision == golden["decision"]
    assert found.p_value == pytest.approx(golden["global_p_at_decision_stage"], rel=SAME)
    if golden["stage"] is not None:
        assert len(found.stages) == golden["stage"]


@pytest.mark.parametrize("which", ["recursive", "recursive_pratt"])
@pytest.mark.parametrize("dataset", sorted(GOLDEN["uci_6.4"]))
def test_uci_decisions(dataset: str, which: str) -> None:
    golden = GOLDEN["uci_6.4"][dataset][which]
    if golden is None:  # a stage without any difference has no p-value in coin
        assert (dataset, which) == ("mnk3", "recursive_pratt")
        return
    compare(recursive_test(golden["p"], rule=narrowing_rule, final="open"), golden)


@pytest.mark.parametrize("golden", GOLDEN["synthetic_examples_rule_6.3.2"])
def test_constant_rule_as_in_r(golden: dict[str, Any]) -> None:
    compare(recursive_test(golden["p"], final="open"), golden)
    recursion = golden["global_p_recursion_upto_each_stage"]
    for n, expected in enumerate(recursion, 1):
        if expected is not None:
            found = recursive_test(golden["p"][:n], n_stages=4, final="open")
            assert found.p_value == pytest.approx(expected, rel=SAME)


def test_four_stages_of_pmid() -> None:
    golden = GOLDEN["pmid_rf_vs_svm_4_stages_of_50"]
    found = recursive_test(golden["p"], final="open")
    assert len(found.stages) == (golden["stage"] or len(golden["p"]))
    compare(found, golden)


@pytest.mark.parametrize("which", ["printed", "recomputed_from_printed_p"])
def test_table_of_the_dissertation(which: str) -> None:
    """The printed table goes on after the decision, so its stages are done one by one."""
    golden = GOLDEN["dissertation_6_3_2_table"][which]
    near = {"abs": 2e-3} if which == "printed" else {"rel": SAME}  # .0545: p_4 from .1404
    level, before = 0.05, None
    for t, p in enumerate(golden["p"]):
        before = constant_rule(t + 1, level, before)
        c = FisherProduct().critical(level, *before, stage=t + 1)
        assert level == pytest.approx(golden["alpha_star"][t], **near)
        assert before[0] == pytest.approx(golden["alpha_1t"][t], **near)
        assert c == pytest.approx(golden["c_t"][t], **near)
        level = FisherProduct().remaining(c, p, t + 1)
    found = recursive_test(golden["p"], final="open")
    assert (found.decision, len(found.stages)) == ("reject", 2)
    assert found.p_value == pytest.approx(0.0209, abs=PRINTED)


def test_first_two_stages_by_hand() -> None:
    first, second = recursive_test([0.6509, 0.5], n_stages=3).stages
    assert first.c == pytest.approx(0.04 / np.log(90), rel=SAME)
    assert second.alpha_star == pytest.approx(0.04 / np.log(90) / 0.6509, rel=SAME)
    assert second.decision == "go on"


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("combination", [FisherProduct(), InverseNormal(3), InverseNormal()])
@given(p=st.lists(unit, min_size=3, max_size=3))
def test_p_value_is_small_exactly_when_rejected(rule: str, combination, p: list[float]) -> None:
    found = recursive_test(p, 0.05, RULES[rule](3), combination)
    assert found.is_decided
    assert (found.p_value <= 0.05 * (1 + 1e-9)) == (found.decision == "reject")
    for stage in found.stages:
        assert stage.alpha_1 <= stage.alpha_star <= stage.alpha_0


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("n_stages", [2, 4, 10])
def test_level_of_fishers_product(rule: str, n_stages: int) -> None:
    p = np.random.default_rng(n_stages).random((N_RUNS, n_stages)).tolist()
    tests = [recursive_test(row, 0.05, RULES[rule](n_stages)) for row in p]
    size = np.mean([test.decision == "reject" for test in tests])
    assert size == pytest.approx(0.05, abs=SIZE)


@pytest.mark.parametrize("n_stages", [2, 3])
def test_level_of_the_inverse_normal(n_stages: int) -> None:
    p = np.random.default_rng(5).random((800, n_stages)).tolist()
    tests = [recursive_test(row, 0.05, constant_rule, InverseNormal(n_stages)) for row in p]
    size = np.mean([test.decision == "reject" for test in tests])
    assert size == pytest.approx(0.05, abs=SIZE * 2.2)


@pytest.mark.parametrize(("n_stages", "undecided"), [(2, 0.77), (4, 0.62), (10, 0.33)])
def test_open_end_is_conservative(n_stages: int, undecided: float) -> None:
    p = np.random.default_rng(7).random((N_RUNS, n_stages)).tolist()
    tests = [recursive_test(row, final="open") for row in p]
    size = np.mean([test.decision == "reject" for test in tests])
    share = np.mean([test.decision == "undecided" for test in tests])
    assert size < 0.05 + SIZE
    assert share == pytest.approx(undecided, abs=0.03)
    if n_stages == 2:
        assert size == pytest.approx(0.0438, abs=SIZE)


def test_p_values_are_uniform_where_they_shall_be() -> None:
    """Up to the largest level at which the boundaries are the same the law is uniform."""
    p = np.random.default_rng(9).random((N_RUNS, 3)).tolist()
    found = np.array([recursive_test(row).p_value for row in p])
    for level in (0.01, 0.03, 0.05, 0.2, 0.5):
        assert (found <= level).mean() == pytest.approx(level, abs=4 * (level / N_RUNS) ** 0.5)


def test_conditions_on_the_way() -> None:
    certain = recursive_test([0.0085, 0.99], rule=lambda t, a, b: (0.001, 0.9), n_stages=2)
    assert (certain.decision, len(certain.stages)) == ("reject", 1)  # c = .0089 > p
    assert certain.p_value == pytest.approx(0.0085 * (1 + np.log(0.9 / 0.0085)), rel=SAME)
    assert certain.p_value <= 0.05  # whatever comes: with p_2 = 1
    wide = recursive_test([0.02, 0.6], rule=lambda t, a, b: (a / 5, 0.4), final="open")
    assert wide.stages[1].alpha_star >= 0.4  # more than alpha_0: the stage decides
    assert wide.stages[1].c is None
    assert wide.decision == "accept"
    assert recursive_test([0.0, 0.0]).p_value == 0
    assert recursive_test([1.0, 0.0]).decision == "accept"


def test_errors() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        recursive_test([1.2])
    with pytest.raises(ValueError, match="2 stages were planned"):
        recursive_test([0.2, 0.3, 0.4], n_stages=2)
    with pytest.raises(ValueError, match="stages were planned"):
        recursive_test([])
    with pytest.raises(ValueError, match="alpha_1 < alpha"):
        recursive_test([0.2], rule=lambda t, a, b: (0.06, 0.9), n_stages=2)
    with pytest.raises(ValueError, match="final"):
        recursive_test([0.2], final="half")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="alpha must"):
        recursive_test([0.2], alpha=0)
    with pytest.raises(ValueError, match="got stage 3"):
        spending_rule(pocock_spending, 0.05, 2)(3, 0.1, None)
