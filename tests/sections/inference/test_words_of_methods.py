"""What is said beside the verdict: other methods, a reference, new data, residuals."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.conclusion import conclude
from reportgen.rendering import templates
from reportgen.report import Report
from reportgen.sections.inference.analysis import analyse
from reportgen.sections.inference.result import MeasureInference
from reportgen.sections.inference.tables import tabulate
from reportgen.stats.pairs import paired_max_t
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import warehouse_of
from tests.sections.reading import ERROR, NAMES, Said, blocks, faults, read, report_of
from tests.sections.verdicts import contradictions

AREA = {"misclassification": (-0.01, 0.01)}


def tell(values: np.ndarray, **settings: Any) -> Said:
    """Write a report of one measure, only of the inference and at full length, and read it."""
    names = NAMES[: values.shape[1]]
    report = report_of({"d": {ERROR: values}}, names, only=("inference",), **settings)
    said = read(replace(report, length="full"))
    assert faults(said.whole) == []
    return said


def sized(values: np.ndarray, ratio: float, **settings: Any) -> Said:
    """Write a report whose replications have known sizes, test to distinct learning.

    The replications decide, unless another target is given, and new data stand beside.
    """
    k, settings = values.shape[1], {"target": "experiment"} | settings
    report = report_of({"d": {ERROR: values}}, NAMES[:k], only=("inference",), **settings)
    warehouse = warehouse_of({ERROR: values}, NAMES[:k])
    told = replace(
        warehouse,
        frame=warehouse.frame.assign(n_distinct=100.0, n_test=100.0 * ratio),
        problem="real-world",
        resampling={"scheme": "bootstrap"},
    )
    report = _analysed(report, told)
    said = read(report)
    assert faults(said.whole) == []
    assert contradictions(report, [said]) == []
    return said


def _analysed(report: Report, warehouse: Warehouse) -> Report:
    (content,) = report.contents
    assert isinstance(content.options, AnalysisOptions)
    result = analyse(warehouse, content.options, np.random.default_rng(7))
    design = replace(report.design, resampling=warehouse.resampling)
    told = replace(content, result=result, tables=tabulate(result))
    found = replace(report, contents=(told,), design=design)
    return replace(found, conclusion=conclude(found))


def found(said: Said) -> MeasureInference:
    result: MeasureInference = said.results["inference", "d"]["misclassification"]
    return result


def text(said: Said) -> str:
    return said.sections["inference"]


# ------------------------------------------------------------------------------------ methods


def test_methods_that_agree_are_counted() -> None:
    said = tell(blocks((0.1, 0.2, 0.3), 12, sd=0.001))
    agreement = found(said).agreement
    assert agreement is not None
    assert agreement.differing == ()
    assert agreement.n_methods == 8
    assert said.remark("Other methods") == (
        "All eight tests of these samples, with the verdict’s, find all 3 differences significant."
    )


def test_methods_that_part_are_named() -> None:
    values = 0.2 + np.random.default_rng(3).normal(size=(60, 4)) * [0.001, 0.001, 0.02, 0.05]
    values[:, 1] += 0.004
    said = tell(values)
    agreement = found(said).agreement
    assert agreement is not None
    assert NAMES[:2] in agreement.differing
    assert f"find {agreement.least} to {agreement.most} of 6 differences" in said.remark(
        "Other methods"
    )
    changes = found(said).variance_changes
    assert f"the verdict on {templates.words(len(changes))} pair" in text(said)
    p, q = changes[0]
    assert (p.first, p.second) == NAMES[:2]
    assert p.significant
    assert not q.significant
    assert re.search(
        r"anna against bert “not significant” \(p = [\d.]+\) instead of “better”", text(said)
    )


@pytest.mark.parametrize(
    ("difference", "words"),
    [
        (0.1, "All seven tests of these samples, with the verdict’s, find a"),
        (0.0001, "find no significant"),
    ],
)
def test_two_candidates_are_told_by_one_pair(difference: float, words: str) -> None:
    assert words in tell(blocks((0.1, 0.1 + difference), 40)).remark("Other methods")


@pytest.mark.parametrize("n", [2, 3])
def test_only_several_pairs_have_simultaneous_intervals(n: int) -> None:
    said = tell(blocks((0.1, 0.2, 0.3)[:n], 12, sd=0.001))
    assert ("its simultaneous interval excludes" in said.whole) == (n > 2)
    assert ("critical value" in said.whole) == (n > 2)
    assert f"exactly when its {'adjusted ' * (n > 2)}p-value is at most 0.05" in said.whole


@pytest.mark.parametrize("n", [4, 60])
def test_the_law_of_p_values_of_ranks_is_told_where_another_is_there(n: int) -> None:
    """Permuted ones are counted among the methods: either may be on its side of 5%."""
    said = tell(blocks((0.1, 0.12, 0.11, 0.13), n))
    law = found(said).friedman_permutation.law
    assert law == ("exact" if n == 4 else "monte-carlo")
    assert ("those of ranks are by the studentized range." in said.whole) == (law != "exact")


def test_what_permutations_cannot_see_is_said() -> None:
    clear = tell(blocks((0.1, 0.2, 0.3, 0.4), 120))
    assert "No permutation p-value below 1/10,000 can be seen with 9,999" in text(clear)
    few = tell(blocks((0.1, 0.2, 0.3), 5, sd=0.001))
    assert "No permutation p-value" not in text(few)
    assert "with fewer than six replications no p-value can fall to 5%" in text(few)
    assert "fewer than six replications no" not in text(tell(blocks((0.1, 0.2, 0.3), 6)))


def test_ranks_that_cannot_decide_say_so() -> None:
    five, six = (
        read(
            replace(
                report_of({"d": {ERROR: values}}, NAMES[:2], only=("inference",)), length="full"
            )
        )
        for values in (blocks((0.1, 0.3), n, sd=0.001) for n in (5, 6))
    )
    words = "no two-sided test of ranks can reach 5%"
    assert not found(five).ranks_can_decide
    assert f"With 5 replications {words}" in text(five)
    assert words not in text(six)


def test_gaps_leave_other_methods_to_complete_replications() -> None:
    values = blocks((0.1, 0.15, 0.2, 0.3), 24)
    values[np.arange(24), np.arange(24) % 4] = np.nan
    assert "Other methods need complete replications" in text(tell(values))
    values = blocks((0.1, 0.15, 0.2, 0.3), 24)
    values[0, 0] = np.nan
    assert "Other methods need complete" not in text(tell(values))


@pytest.mark.parametrize("variance", ["own", "pooled"])
def test_what_the_other_variance_decides_is_counted(variance: str) -> None:
    rng = np.random.default_rng(3)
    values = (
        0.2 + rng.normal(size=(100, 4)) * [0.001, 0.001, 0.001, 0.06] + [0, 0.0005, 0.02, 0.014]
    )
    said = tell(values, variance=variance)
    changes = found(said).variance_changes
    assert found(said).varies_unequally
    assert changes
    assert "Differences vary unequally" in text(said)
    pairs = f"{templates.words(len(changes))} pair{'s' * (len(changes) > 1)}"
    assert f"the verdict on {pairs} would be another" in text(said)


def test_a_reference_is_compared_with_all() -> None:
    values = blocks((0.1, 0.15, 0.151, 0.2), 60)
    said = tell(values, reference="bert", relevance=AREA)
    assert "All against bert: advantage in mean" in text(said)
    assert "A further method, which changes no verdict." in text(said)
    assert "Dunnett" in said.methods
    without = tell(values, relevance=AREA)
    assert "gainst the reference" not in without.whole
    assert "Dunnett" not in without.methods


# ------------------------------------------------------------------------------- new data


def test_less_is_decided_for_new_data() -> None:
    said = sized(blocks((0.1, 0.13, 0.2), 100), 0.58, relevance=AREA)
    result = found(said)
    new = result.new_data
    assert new is not None
    assert new.pairs is not None
    n, kept = len(result.decided), len(result.remaining)
    assert 0 < kept < n
    assert f"{kept} of the {n} differences stay" in said.article["inference"]
    assert "0.58 test observations to one distinct learning observation" in text(said)
    assert "do not narrow the intervals for new data; four times" in said.remark("New data")
    assert "learning from about 100 of 158 observations" in said.remark("New data")
    factor = 2 * 0.58 / 1.58
    assert f"that of one replication times {factor:.3f} rather than 1/100" in said.brief_methods
    assert "Thin line: the same for new data of this source" in said.article["inference"]


def test_without_an_area_new_data_have_an_interval() -> None:
    said = sized(blocks((0.1, 0.13, 0.2), 100), 0.58)
    new = found(said).new_data_pairs
    assert new is not None
    pair = new.between("anna", "bert")
    assert pair is not None
    bounds = f"{-100 * pair.upper:.2f} to {-100 * pair.lower:.2f} points".replace("-", "−")
    head = "The 95% interval of the advantage of anna over bert, the next by mean, on new data is"
    assert f"{head} {bounds}" in said.remark("New data")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "words"),
    [
        ((0.1, 0.3, 0.5, 0.7), "there all of the 6 differences stay significant"),
        ((0.1, 0.11, 0.12, 0.13), "there none of the 6 differences stays significant"),
        ((0.1, 0.1001, 0.1002, 0.1003), "there no differences are significant"),
    ],
)
def test_what_remains_for_new_data_is_counted(means: tuple[float, ...], words: str) -> None:
    assert words in sized(blocks(means, 100), 0.58).article["inference"]


@pytest.mark.parametrize(("difference", "words"), [(0.2, "stays"), (0.011, "is not")])
def test_the_decision_on_two_candidates_remains_or_not(difference: float, words: str) -> None:
    said = sized(blocks((0.1, 0.1 + difference), 100), 0.58)
    assert found(said).pairs[0].significant
    assert f"there the difference {words} significant" in said.article["inference"]


@pytest.mark.parametrize(
    ("problem", "resampling", "reason", "words"),
    [
        ("competition", {"scheme": "bootstrap"}, "fixed-test-sample", "share one test sample"),
        ("real-world", {"scheme": "repeated-k-fold"}, "folds-unknown", "how many folds there were"),
        ("real-world", {"scheme": "bootstrap"}, "sizes-unknown", "how large the samples were"),
        ("real-world", {"scheme": "hold-out"}, "hold-out", "A single split says too little"),
        ("real-world", {"scheme": "time-series"}, "time-series", "follow one another"),
    ],
)
def test_why_nothing_is_said_of_new_data(
    problem: Any, resampling: dict[str, str], reason: str, words: str
) -> None:
    values = blocks((0.1, 0.2, 0.3), 20)
    report = report_of({"d": {ERROR: values}}, NAMES[:3], only=("inference",))
    warehouse = warehouse_of({ERROR: values}, NAMES[:3])
    told = replace(warehouse, problem=problem, resampling=resampling)
    said = read(_analysed(report, told))
    assert faults(said.whole) == []
    new = found(said).new_data
    assert new is not None
    assert new.reason == reason
    assert words in said.remark("New data")
    assert "rather than 1/" not in said.article["inference"] + said.brief_methods


def test_that_the_scheme_is_not_known_is_said_by_abstract_and_design_alone() -> None:
    said = tell(blocks((0.1, 0.2, 0.3), 20))
    assert found(said).new_data.reason == "scheme-unknown"
    assert "New data" not in dict(said.remarks)
    assert "not known, as the sampling scheme is not" in said.abstract


@pytest.mark.slow
@pytest.mark.parametrize(
    ("means", "words"),
    [
        ((0.1, 0.11, 0.12, 0.13), "the order is anna > bert > cara > dora."),
        ((0.1, 0.1001, 0.1002, 0.1003), "no pair is ordered."),
        ((0.1, 0.1014, 0.1028), "1 of 3 pairs is ordered."),
        ((0.1, 0.1001), "neither is ahead."),
    ],
)
def test_the_samples_at_hand_have_one_sentence(means: tuple[float, ...], words: str) -> None:
    said = sized(blocks(means, 100, sd=0.006 if len(means) == 3 else 0.02), 0.58, target="auto")
    start = "In these 100 samples of this one data set, the question of Hothorn et al. (2005), "
    assert start + words in said.article["inference"]
    assert found(said).deciding_target == "new-data"
    own = "its own" if len(means) == 2 else "each pair’s own"
    assert f"Thin line: in this experiment, by {own} variance." in said.article["inference"]


def test_simulations_speak_of_new_data_themselves() -> None:
    said = tell(blocks((0.1, 0.2, 0.3), 20), problem="simulation")
    assert found(said).new_data_pairs is None
    assert "all decisions speak of new data" in said.remark("New data")
    assert "differences stay" not in said.article["inference"]


# --------------------------------------------------------------------------------- residuals


@pytest.mark.slow
def test_residuals_that_are_not_normal_are_said() -> None:
    rng = np.random.default_rng(1)
    normal, heavy = 0.2 + rng.normal(size=(60, 3)) / 50, 0.2 + rng.standard_t(2, (60, 3)) / 50
    assert "Residuals of the block model stay in the band" in text(tell(normal))
    assert "Residuals of the block model leave the band" in text(tell(heavy))
    unlike = 0.2 + rng.normal(size=(300, 3)) * [0.02, 0.03, 0.05]
    assert "that candidates scatter alike is rejected" in text(tell(unlike))
    assert "that candidates scatter alike is not rejected" in text(tell(normal))


# ---------------------------------------------------------------------- more pairs than have a law


def limited(monkeypatch: pytest.MonkeyPatch, most: int) -> str:
    """Let a joint law be found of so few pairs only; return what is then said."""
    template = templates.read_text("quantities.md.j2")
    (said,) = re.findall(r'set MANY_PAIRS = "(.+)"', template)
    assert f"more than {paired_max_t.MOST_JOINT_PAIRS:,} pairs" in said
    monkeypatch.setattr(paired_max_t, "MOST_JOINT_PAIRS", most)
    return str(said)


def test_pairs_too_many_for_a_joint_law_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    values = blocks((0.1, 0.2, 0.3), 60)
    before = tell(values).whole
    told = limited(monkeypatch, 2)
    said = tell(values)
    assert told not in before
    assert "law of the largest" in before
    assert {p.method for p in found(said).pairs} == {"own-variance-many-pairs"}
    assert f"Bonferroni’s inequality{told}." in said.whole
    assert "law of the largest" not in said.whole
    monkeypatch.setattr(paired_max_t, "MOST_JOINT_PAIRS", 3)
    assert tell(values).whole == before


def test_pairs_too_many_on_one_of_several_datasets_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = {"d": {ERROR: blocks((0.1, 0.2, 0.3), 60)}, "e": {ERROR: blocks((0.1, 0.2), 60)}}
    values["e"] = {ERROR: np.column_stack([values["e"][ERROR], np.full(60, np.nan)])}
    told = limited(monkeypatch, 2)
    said = read(report_of(values, NAMES[:3], only=("inference",), target="experiment"))
    assert faults(said.whole) == []
    assert f"Elsewhere it is Bonferroni’s{told}." in said.methods
