"""What is said beside the verdict: other methods, a reference, new data sets, diagnostics."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.report import Report
from reportgen.sections.inference.analysis import MeasureInference, analyse
from reportgen.sections.inference.options import Options
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.reading import (
    ACCURACY,
    COST,
    ERROR,
    NAMES,
    Said,
    blocks,
    faults,
    read,
    report_of,
)

AREA = {"misclassification": (-0.01, 0.01), "accuracy": (-0.01, 0.01)}


def tell(values: Any, **settings: Any) -> Said:
    """Write a report of one or two measures, only of the inference, and read it."""
    is_one = isinstance(values, np.ndarray)
    of_measure = {ERROR: values} if is_one else values
    k = next(iter(of_measure.values())).shape[1]
    said = read(report_of({"d": of_measure}, NAMES[:k], only=("inference",), **settings))
    assert faults(said.whole) == []
    return said


def sized(values: np.ndarray, ratio: float, **settings: Any) -> Said:
    """Write a report whose replications have known sizes, test to distinct learning."""
    k = values.shape[1]
    report = report_of({"d": {ERROR: values}}, NAMES[:k], only=("inference",), **settings)
    warehouse = warehouse_of({ERROR: values}, NAMES[:k])
    told = replace(
        warehouse,
        frame=warehouse.frame.assign(n_distinct=100.0, n_test=100.0 * ratio),
        problem="real-world",
        resampling={"scheme": "bootstrap"},
    )
    return read(_analysed(report, told))


def _analysed(report: Report, warehouse: Warehouse) -> Report:
    (content,) = report.contents
    assert isinstance(content.options, Options)
    result = analyse(warehouse, content.options, np.random.default_rng(7))
    return replace(report, contents=(replace(content, result=result),))


def found(said: Said) -> MeasureInference:
    result: MeasureInference = said.results["inference", "d"]["misclassification"]
    return result


def text(said: Said) -> str:
    return said.sections["inference"]


# ------------------------------------------------------------------------------------ methods


def test_methods_that_agree_are_counted() -> None:
    said = tell(blocks((0.1, 0.2, 0.3), 12, sd=0.001))
    others = [name for name in found(said).methods if name != "signed-rank-shaffer"]
    assert len(others) == 7
    assert (
        "All seven other methods that speak of this data set come to the same decisions on who"
        " is better." in text(said)
    )
    assert "part from the verdict" not in text(said)


def test_methods_that_part_are_named() -> None:
    values = 0.2 + np.random.default_rng(3).normal(size=(60, 4)) * [0.001, 0.001, 0.02, 0.05]
    values[:, 1] += 0.004
    said = tell(values)
    parting = found(said).methods["block-model"].differing(found(said).pairs)
    assert NAMES[:2] in {(q.first, q.second) for q in parting}
    assert re.search(
        r"Other methods part from the verdict: .*anna and bert, undecided by the block model",
        text(said),
    )
    assert "come to the same decisions" not in text(said)
    (p, q) = found(said).variance_changes[0]
    assert (p.first, p.second) == NAMES[:2]
    assert p.significant
    assert not q.significant
    assert re.search(r"No longer decided: anna better than bert \(p = 0\.\d+\)", text(said))


def test_what_permutations_cannot_see_is_said() -> None:
    clear = tell(blocks((0.1, 0.2, 0.3, 0.4), 120))
    assert "no permutation p-value below 1/10,000 can be seen with 9,999" in text(clear)
    vague = tell(blocks((0.1, 0.101, 0.102), 200))
    p = found(vague).friedman_permutation
    assert p is not None
    assert p.p_value > 0.001
    assert "can be seen with 9,999 permutations; " not in text(vague)
    assert f"with a Monte Carlo standard error of {p.standard_error:.4f}" in text(vague)
    small = tell(blocks((0.1, 0.2, 0.3), 5, sd=0.001))
    assert "(all arrangements) Friedman’s statistic has p = " in text(small)
    assert "Iman and Davenport’s F of the ranks is infinite" in text(small)


def test_few_replications_are_not_flipped() -> None:
    said = tell(blocks((0.1, 0.2, 0.3), 5))
    assert "with fewer than six replications no p-value can fall to 5%" in text(said)
    assert "fewer than six" not in text(tell(blocks((0.1, 0.2, 0.3), 6)))


def test_two_candidates_are_told_by_one_pair() -> None:
    said = tell(blocks((0.1, 0.2), 40))
    assert "come to the same decision: the two are decided." in text(said)
    said = tell(blocks((0.1, 0.1001), 40))
    assert "come to the same decision: the two are undecided." in text(said)


@pytest.mark.parametrize("n_blocks", [10, 60])
def test_who_decides_is_said(n_blocks: int) -> None:
    values = blocks((0.1, 0.15, 0.2), n_blocks)
    own, pooled = tell(values), tell(values, variance="pooled")
    assert "Each pair is held against the variance of its own differences" in text(own)
    assert "Each pair is held" not in text(pooled)
    assert "means, own variance of each pair" in own.whole
    assert "random block model, Tukey" in pooled.whole
    assert "The verdict on a pair rests on its own differences" in text(own)
    assert "The verdict on a pair rests on the model’s one variance" in text(pooled)
    assert "With each pair’s own variance" in text(pooled)
    assert "Hall’s correction for skewness" in own.methods
    law = "the quantile of the largest of" if n_blocks == 60 else "it is Bonferroni’s"
    assert law in own.methods


def test_gaps_leave_other_methods_to_complete_replications() -> None:
    values = blocks((0.1, 0.15, 0.2, 0.3), 24)
    values[np.arange(24), np.arange(24) % 4] = np.nan
    said = tell(values)
    assert "With the labels permuted" not in text(said)
    assert "Other methods need complete replications" in said.whole
    values = blocks((0.1, 0.15, 0.2, 0.3), 24)
    values[0, 0] = np.nan
    assert "With the labels permuted" in text(tell(values))


def test_the_second_measure_says_only_where_methods_part() -> None:
    far, near = blocks((0.1, 0.2, 0.3), 60), np.random.default_rng(3).normal(size=(60, 3))
    near = 2 + near * [0.001, 0.001, 0.1] + [0, 0.004, 0]
    part = text(tell({ERROR: far, COST: near})).split("By cost")[-1]
    assert "No longer decided: anna better than bert" in part
    assert "Iman" not in part
    agree = text(tell({ERROR: near, COST: far})).split("By cost")[-1]
    assert "decide otherwise" not in agree
    assert "come to the same" not in agree


def test_several_pairs_that_one_variance_hides_are_told_together() -> None:
    far = blocks((0.1, 0.2, 0.3, 0.4), 60)
    noise = np.random.default_rng(3).normal(size=(60, 4)) * [0.001, 0.001, 0.001, 0.2]
    said = tell({ERROR: far, COST: 2 + noise + [0, 0.004, 0.008, 1]})
    part = text(said).split("By cost")[-1]
    assert "3 of the 6 pairs would be decided otherwise." in part
    assert re.search(
        r"No longer decided: anna better than bert \(p [^)]*\), anna better than cara \(p [^)]*\)"
        r" and bert better than cara \(p",
        part,
    )


def test_what_the_other_variance_decides_is_told_in_its_direction() -> None:
    rng = np.random.default_rng(3)
    values = (
        0.2 + rng.normal(size=(100, 4)) * [0.001, 0.001, 0.001, 0.06] + [0, 0.0005, 0.02, 0.014]
    )
    for variance in ("own", "pooled"):
        said = tell(values, variance=variance)
        otherwise = found(said).variance_changes
        assert otherwise
        lost = [(p, q) for p, q in otherwise if p.significant and not q.significant]
        more = [(p, q) for p, q in otherwise if q.significant and not p.significant]
        assert bool(lost) == ("No longer decided: " in text(said))
        assert bool(more) == ("Decided in addition: " in text(said))
        for _, q in otherwise:
            better, worse = (q.first, q.second) if q.estimate < 0 else (q.second, q.first)
            assert f"{better} better than {worse} (" in text(said)


# ----------------------------------------------------------------------------------- reference


def test_a_reference_is_compared_with_all() -> None:
    values = blocks((0.1, 0.15, 0.151, 0.2), 60)
    said = tell(values, reference="bert", relevance=AREA)
    sentence = "against the reference bert alone (Dunnett) anna is better; dora is worse; cara is"
    assert f"As a further method, {sentence} equivalent." in text(said)
    assert "All against bert" in text(said)
    assert "Dunnett" in said.methods
    plain = tell(values, relevance=AREA)
    assert "gainst the reference" not in plain.whole
    assert "Dunnett" not in plain.methods


def test_a_reference_without_values_is_passed_over() -> None:
    values = blocks((0.1, 0.15, 0.2), 20)
    values[:, 1] = np.nan
    assert "gainst the reference" not in tell(values, reference="bert").whole


def test_directions_of_a_reference() -> None:
    values = 1 - blocks((0.1, 0.15, 0.151, 0.2), 60)
    said = tell({ACCURACY: values}, reference="bert")
    assert "anna is better; dora is worse; cara is undecided." in text(said)


# ------------------------------------------------------------------------------- new data sets


def test_less_is_decided_for_new_data_sets() -> None:
    values = blocks((0.1, 0.13, 0.2), 100)
    said = sized(values, 0.58, relevance=AREA)
    assert faults(said.whole) == []
    corrected = found(said).corrected
    assert corrected is not None
    assert corrected.pairs is not None
    assert corrected.pairs.n_significant < found(said).pairs.n_significant
    assert "0.58 test observations to one distinct learning observation" in text(said)
    assert "(Bonferroni; smallest p" in text(said)
    assert "target: generating process" in text(said)
    worst = max(corrected.pairs, key=lambda p: p.limit_standard_error)
    limit = f"{100 * worst.limit_standard_error:.2f} points"
    assert f"cannot fall below {limit}." in text(said)
    assert "posterior probability of at least 95%" in text(said)
    assert "posterior" not in text(sized(values, 0.58))


@pytest.mark.parametrize(
    ("problem", "resampling", "words"),
    [
        (None, {}, "the results do not say how they were drawn"),
        ("competition", {"scheme": "bootstrap"}, "All replications share one test sample"),
        ("real-world", {"scheme": "repeated-k-fold"}, "depends on the number of folds"),
        ("real-world", {"scheme": "bootstrap"}, "depends on the sizes of learning and test"),
        ("real-world", {"scheme": "hold-out"}, "a single split says too little"),
    ],
)
def test_why_there_is_no_corrected_test(
    problem: Any, resampling: dict[str, str], words: str
) -> None:
    values = blocks((0.1, 0.2, 0.3), 20)
    report = report_of({"d": {ERROR: values}}, NAMES[:3], only=("inference",))
    warehouse = warehouse_of({ERROR: values}, NAMES[:3])
    told = replace(warehouse, problem=problem, resampling=resampling)
    said = read(_analysed(report, told))
    assert faults(said.whole) == []
    assert words in text(said)
    assert "corrected t" not in text(said).replace("the corrected test is not computed", "")


def test_simulations_speak_of_new_data_sets_themselves() -> None:
    said = tell(blocks((0.1, 0.2, 0.3), 20), problem="simulation")
    assert "new data set of the same source" not in text(said)
    assert "other methods that speak of the same target" in text(said)


CLAIM = "For new data of this source (corrected t, approximate) "


@pytest.mark.parametrize(
    ("means", "words"),
    [
        ((0.1, 0.101, 0.102, 0.3), "only dora is shown to be worse than all others, and no other"),
        ((0.1, 0.3, 0.301, 0.302), "only anna is shown to be better than all others, and no other"),
        ((0.1, 0.11, 0.12, 0.13), "no pair is decided."),
        ((0.1, 0.3, 0.5, 0.7), "all 6 pairs are decided."),
        ((0.1, 0.115, 0.13, 0.165), "anna is shown to be better than dora, and no other pair is"),
        ((0.1, 0.101, 0.5, 0.7), "5 of the 6 pairs are decided: dora is worse than all others."),
    ],
)
def test_the_first_finding_says_what_holds_for_new_data(
    means: tuple[float, ...], words: str
) -> None:
    said = sized(blocks(means, 100), 0.58)
    assert faults(said.whole) == []
    assert CLAIM + words in said.findings[0]
    assert sum("For new data of this source" in f for f in said.findings) == 1


@pytest.mark.parametrize(
    ("difference", "words"), [(0.2, "the same is shown."), (0.011, "nothing is shown.")]
)
def test_the_claim_for_new_data_of_two_candidates(difference: float, words: str) -> None:
    said = sized(blocks((0.1, 0.1 + difference), 100), 0.58)
    assert found(said).pairs[0].significant
    assert CLAIM + words in said.findings[0]


def test_nothing_is_claimed_where_it_is_not_known_or_not_asked() -> None:
    values = blocks((0.1, 0.2, 0.3), 20)
    unknown = tell(values).findings[0]
    assert "nothing can be said: the results do not say how they were drawn." in unknown
    assert "For new data" not in tell(values, problem="simulation").whole


# --------------------------------------------------------------------- equivalence, diagnostics


def test_one_sided_tests_are_shown_where_they_say_more() -> None:
    values = blocks((0.1, 0.1, 0.10855), 20, sd=0.002)
    (pair,) = [p for p in found(tell(values)).pairs if (p.first, p.second) == NAMES[:3:2]]
    lenient = tell(values, alpha=0.1, relevance=AREA)
    edge = -(pair.lower + found(lenient).pairs[1].lower) / 2  # between both intervals' ends
    said = tell(values, relevance={"misclassification": (-edge, edge)})
    assert "By two one-sided tests (90% intervals, simultaneous)" in text(said)
    assert re.search(r"anna–cara would be equivalent within ±.*; decisions do not rest", text(said))
    assert "one-sided" not in text(tell(blocks((0.1, 0.1, 0.2), 20), relevance=AREA))


def test_residuals_that_are_not_normal_are_said() -> None:
    rng = np.random.default_rng(1)
    normal, heavy = 0.2 + rng.normal(size=(60, 3)) / 50, 0.2 + rng.standard_t(2, (60, 3)) / 50
    said, bent = tell(normal), tell(heavy)
    assert found(said).diagnostics is not None
    assert "The residuals stay in the band" in text(said)
    assert "is not rejected" in text(said)
    assert "The residuals leave the band" in text(bent)
    assert "close to normal" not in text(bent)


def test_candidates_that_scatter_differently_are_named() -> None:
    rng = np.random.default_rng(1)
    said = tell(0.2 + rng.normal(size=(300, 3)) * [0.02, 0.03, 0.05])
    assert re.search(
        r"The candidates do not scatter alike \(p < 0\.0001\): their own standard deviations go"
        r" from .* \(anna\) to .* \(cara\)",
        text(said),
    )


def test_only_pairs_with_leaders_have_their_effects_shown_where_there_are_many() -> None:
    few, many = (tell(blocks(np.linspace(0.1, 0.2, k), 20)) for k in (6, 7))
    assert "Sizes of the differences by" in few.whole
    assert re.search(r"Sizes of the differences from the (leader|leaders|best mean) by", many.whole)
