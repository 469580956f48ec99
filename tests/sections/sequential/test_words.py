"""What the section says, held against its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.errors import AnalysisError
from reportgen.rendering.composition import compose
from reportgen.rendering.render_context import MARKDOWN, RenderContext
from reportgen.study.stages import Stages
from tests.builders import warehouse_of
from tests.sections.reading import ERROR, NAMES, blocks, read
from tests.sections.sequential.watched import AREA, in_stages, report, say, watch

CLEAR = blocks([0.10, 0.16, 0.30], 60)
CLOSE = blocks([0.10, 0.101, 0.30], 60, seed=5)


def body(values: np.ndarray, **asked: Any) -> str:
    return say(watch(values, **asked), is_drawn=False, **asked).sections["sequential"]


@pytest.fixture(scope="module")
def clear() -> Any:
    return say(watch(CLEAR, stage=20, relevance=AREA))


def test_a_clear_course_in_full(clear: Any) -> None:
    said = clear.sections["sequential"]
    assert "three of the three pairs, each taken alone, are significant at 5% to the end" in said
    assert "from replication 10 on (point of consecutive significance)" in said
    assert "That does not hang on their order" in said
    assert "that all candidates are alike is significant from replication 10" in said
    assert "in stages it rejects after 20." in said
    assert "By three stages, at a family-wise 5% by Holm’s method, of the three pairs 3" in said
    assert "All of them were settled after 20 of the 60 replications: the other 40" in said
    assert "finds three differences, the sign e-process three" in said
    assert "errs in far more than 5% of cases" in said
    assert "It holds for this one data set, given which the replications are independent" in said
    assert "Nothing is guaranteed for other data sets of its kind" in said
    assert clear.findings[0].startswith("By stages, all three comparisons of")
    assert "settled after 20 of 60 replications" in clear.findings[0]


def test_methods_name_what_was_done(clear: Any) -> None:
    assert "O’Brien and Fleming’s spending" in clear.methods
    assert "Fisher’s product" in clear.methods
    assert "Equivalence within the area takes one test against each of its limits" in clear.methods
    other = say(
        watch(CLEAR, rule="constant", combination="inverse-normal", final="open"),
        final="open",
        is_drawn=False,
    )
    assert "The paired t test, corrected for skewness, is recomputed" in other.methods
    assert "The correction takes only significance away (Hall 1992)." in other.methods
    assert "the inverse normal combines" in other.methods
    assert "the last stage spends" not in other.methods


def test_what_is_not_decided() -> None:
    said = body(CLOSE, stage=20)
    assert "2 are different and 1 is not distinguished." in said
    assert "They are a method of their own, and change no verdict." in said
    assert "two of the three pairs, each taken alone, are significant" in said
    assert "The last of them took all 60 replications." in said


def test_what_is_given_up_is_not_called_settled() -> None:
    alike = blocks([0.2, 0.2, 0.2], 40, seed=3)
    stages = Stages(20, 40, ERROR.name)
    executed = watch(alike, warehouse=in_stages(alike, stages.described()), orders=0)
    results = [watch(values, stage=20, orders=0) for values in (CLEAR, CLOSE, alike)]
    said = say(*results, executed, is_drawn=False)
    assert "Nothing was found: they are given up because the" in said.pages["d2", "sequential"]
    context = RenderContext(report(*results, executed, is_drawn=False), MARKDOWN)
    compose(context)
    rows = [line for line in context.index.splitlines() if line.startswith("| d")]
    cells = [row.split("|")[2].strip() for row in rows]
    late = "not before the end"
    assert cells == ["20", f"{late}, 1 of 3 given up", f"{late}, all given up", cells[2]]


def test_one_pair_is_told_by_its_names() -> None:
    said = body(CLEAR, stage=20, pairs=(("anna", "cara"),))
    assert "the difference of anna and cara is significant at 5% from replication 10 on" in said
    assert "By stages anna would have been found better after 20 replications" in said
    assert "It was settled after 20 of the 60 replications" in said
    said = body(CLOSE, stage=20, pairs=(("anna", "bert"),), relevance={ERROR.name: (-0.1, 0.1)})
    assert "have been found equivalent within ±10 percentage points after 20 replications" in said
    said = body(CLOSE, stage=20, pairs=(("anna", "bert"),))
    assert "would have been given up as not distinguished after 60 replications" in said
    assert "The pair is significant at 5% after" not in said or "None" not in said


def test_better_but_not_relevantly() -> None:
    d = -0.0075 + 0.008 * np.random.default_rng(1).normal(size=80)
    values = np.column_stack([0.2 + d, np.full(80, 0.2)])
    asked = {"stage": 20, "relevance": AREA, "stop": "both", "orders": 0}
    said = say(watch(values, **asked), **asked)
    text = said.sections["sequential"]
    assert "By stages anna would have been found better, but not relevantly, after 40" in text
    assert "difference lies inside ±1 percentage point" in text
    assert "half filled for one that is not relevant" in text
    assert "A pair is settled when both are answered." in said.methods


def test_what_results_have_chosen_is_said() -> None:
    names = tuple(f"c{i:02d}" for i in range(16))
    values = np.random.default_rng(1).normal(np.linspace(0.1, 0.2, 16), 0.03, (40, 16))
    warehouse = warehouse_of({ERROR: values}, names)
    found = watch(values, warehouse=warehouse, stage=20, orders=0)
    text = say(found, is_drawn=False).sections["sequential"]
    assert "Of 120 pairs the 15 with c00, which has the best mean, are followed: chosen by" in text
    assert "each pair has its share of the level among all 120" in text
    assert "The tracks do not: they take a pair alone" in text
    assert "at a family-wise 5% by Bonferroni’s method" in text


def test_folds_have_no_guarantee() -> None:
    made = report(watch(CLEAR, stage=20, orders=0), is_drawn=False)
    folds = {"scheme": "repeated-k-fold", "folds": 10, "repeats": 6}
    text = read(replace(made, design=replace(made.design, resampling=folds))).sections["sequential"]
    assert "Nothing is guaranteed here: the folds of a cross-validation share observations" in text


def test_all_candidates_together_may_stay_alike() -> None:
    alike = np.random.default_rng(3).normal(0.2, 0.03, (60, 3))
    said = body(alike, stage=20, orders=0)
    assert "The F test of the block model that all candidates are alike is not significant" in said
    assert "in stages it accepts after" in said


def test_means_by_permutation_and_an_exact_sequence() -> None:
    found = watch(CLEAR[:40], test="permutation", sequence="bernstein", stage=20, orders=5)
    said = say(found, is_drawn=False, test="permutation", sequence="bernstein", orders=5)
    text = said.sections["sequential"]
    assert "The paired permutation test of misclassification error is repeated" in text
    assert "The F test of the block model that all candidates are alike" in text
    (monitored,) = found.values()
    needed = [pair.anytime.replications_needed for pair in monitored.pairs]
    fewest = np.log(2 * 3 / 0.05) / np.log(1 + np.abs(monitored.differences))
    assert needed == np.ceil(fewest).astype(int).tolist()
    assert f"take it {min(needed)} to {max(needed)} replications at least" in text
    assert "empirical-Bernstein type" in said.whole
    for pair in monitored.pairs:
        low, high = pair.anytime.sequence_interval
        assert low < pair.estimate < high


def test_a_sequence_that_needs_a_range_says_what_is_missing() -> None:
    unbounded = replace(ERROR, bounds=(0.0, None))
    with pytest.raises(AnalysisError, match="the range of 'misclassification' is not known"):
        watch(CLEAR, unbounded, sequence="bernstein")
    with pytest.raises(AnalysisError, match="differ by more than its bounds"):
        watch(100 * CLEAR, sequence="bernstein")


def test_nothing_to_follow() -> None:
    assert "There are too few replications here" in body(CLEAR[:5])
    assert "There is one candidate here" in body(CLEAR[:, :1])


def test_an_execution_in_stages_says_what_it_saved() -> None:
    values = CLEAR[:40].copy()
    values[20:, 2] = np.nan
    facts = {"fit_seconds": {"anna": 1.0, "bert": 2.0, "cara": 3.0}}
    stages = Stages(20, 80, ERROR.name, drop="beaten")
    said = say(watch(values, warehouse=in_stages(values, stages.described(), facts)))
    text = said.sections["sequential"]
    assert "stopped here after 40 of at most 80 replications" in text
    assert "Beaten, and so no longer measured, was cara after 20: its later" in text
    assert "100 of the 240 fits of a fixed design were run, which saves 58%" in text
    assert "180.0 s of processor time in place of about 480.0 s" in text
    assert "were fixed before the first of them" in text
    assert said.findings[0].startswith("The execution went by stages and stopped after 40 of at")


def test_many_data_sets_have_a_short_page_and_a_summary() -> None:
    results = [watch(CLEAR, stage=20), *[watch(CLOSE, stage=20) for _ in range(5)]]
    said = say(*results)
    assert any("on 1 of 6 data sets" in finding for finding in said.findings)
    page = said.pages["d0", "sequential"]
    assert (
        "The paired t test, corrected for skewness, of" not in page
    )  # the caption: nothing is drawn
    assert "group sequential" not in page
    assert len(page) < 700
    stages = Stages(20, 80, ERROR.name)
    run = watch(CLEAR[:20], warehouse=in_stages(CLEAR[:20], stages.described()))
    said = say(run, run)
    assert "stopped early on 2 of 2 data sets; 120 of 480 fits" in said.findings[0]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_it_is_sound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    values = np.round(rng.normal(rng.normal(0.2, 0.01, k), 0.03, (int(rng.integers(12, 70)), k)), 2)
    values[rng.random(values.shape) < 0.1 * (seed % 2)] = np.nan
    asked = {
        "stage": int(rng.integers(5, 40)),
        "test": ("wilcoxon", "t", "sign")[seed % 3],
        "rule": ("obrien-fleming", "pocock", "constant", "narrowing")[seed % 4],
        "relevance": AREA if seed % 2 else {},
        "orders": 10 * (seed % 3),
    }
    assert say(watch(values, **asked), **asked).sections["sequential"]
    assert len(NAMES) > k
