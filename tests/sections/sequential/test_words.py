"""What the section says, held against its numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from reportgen.rendering.composition import compose
from reportgen.rendering.render_context import MARKDOWN, RenderContext
from reportgen.study.stages import Stages
from tests.builders import warehouse_of
from tests.sections.reading import ERROR, NAMES, Said, blocks, read
from tests.sections.sequential.watched import AREA, in_stages, only, report, say, watch

CLEAR = blocks([0.10, 0.16, 0.30], 60)
CLOSE = blocks([0.10, 0.101, 0.30], 60, seed=5)


def told(values: np.ndarray, **asked: Any) -> Said:
    return say(watch(values, **asked), **asked)


def body(values: np.ndarray, **asked: Any) -> str:
    return told(values, **asked).sections["sequential"]


# -------------------------------------------------------------------------------- the remark


def test_fewer_replications_are_one_sentence() -> None:
    found = only(CLOSE, stage=20)
    (n, *_) = found.fixed_sizes
    others = found.differing_with(n)
    said = say({ERROR.name: found})
    same = 3 - len(others)
    assert said.article["sequential"] == ""
    assert said.remark("Replications").startswith(
        f"In this experiment {n} replications instead of 60 give the same "
    )
    assert f"{same} of 3 pairs" in said.remark("Replications") or not others
    clear = told(CLEAR, stage=20).remark("Replications")
    assert (
        clear == "In this experiment 30 replications instead of 60 give the same verdict "
        "(adjusted for all pairs) on all 3 pairs."
    )


def test_pairs_that_need_more_replications() -> None:
    found = only(CLEAR, stage=20)
    first, *rest = found.entries
    other = tuple(replace(fixed, decision="undecided") for fixed in first.at[:-1])
    changed = replace(found, entries=(replace(first, at=(*other, first.at[-1])), *rest))
    assert found.differing_with(30) == ()
    assert [p.second for p in changed.differing_with(30)] == [first.second]
    said = say({ERROR.name: changed})
    assert said.remark("Replications").endswith("on 2 of 3 pairs; anna against bert takes more.")


def test_one_pair_has_a_verdict_or_another() -> None:
    said = told(CLEAR, stage=20, pairs=(("anna", "cara"),))
    assert said.remark("Replications") == (
        "In this experiment anna against cara is “better” with 30 replications as with 60."
    )
    found = only(CLEAR, stage=20, pairs=(("anna", "cara"),))
    (pair,) = found.pairs
    at = tuple(replace(x, decision="undecided") if x.replications < 60 else x for x in pair.at)
    entries = tuple(replace(e, at=at) if e is pair else e for e in found.entries)
    changed = replace(found, entries=entries)
    assert say({ERROR.name: changed}).remark("Replications") == (
        "In this experiment anna against cara is “not significant” with 30 replications, "
        "“better” with 60."
    )
    of_area = told(CLEAR, stage=20, relevance={ERROR.name: (-0.01, 0.01)})
    assert "give the same verdict (with relevance, adjusted for all pairs) on " in of_area.remark(
        "Replications"
    )


def test_of_a_single_pair_the_stages_say_who_is_better() -> None:
    found = [watch(CLEAR, stage=20, pairs=(pair,)) for pair in (("anna", "cara"), ("cara", "anna"))]
    entries = say(*found, found[0]).entries
    for name in ("d0", "d1"):
        assert "by stages anna better than cara after 20" in entries[name]


def test_an_execution_in_stages_says_how_it_was_stopped() -> None:
    values = CLEAR[:40].copy()
    values[20:, 2] = np.nan
    facts = {"fit_seconds": {"anna": 1.0, "bert": 2.0, "cara": 3.0}}
    stages = Stages(20, 80, ERROR.name, drop="beaten")
    said = say(watch(values, warehouse=in_stages(values, stages.described(), facts)))
    text = said.remark("Replications")
    assert "stopped after 40 of at most 80 replications" in text
    assert "no longer measured, as beaten, was cara after 20" in text
    assert "100 of 240 fits were run" in text
    assert "stopped after" not in said.sections["sequential"]
    assert "change no verdict" not in said.sections["sequential"]


def test_an_execution_may_use_all_replications() -> None:
    stages = Stages(20, 40, ERROR.name)
    alike = blocks([0.2, 0.2, 0.2], 40, seed=3)
    said = say(watch(alike, warehouse=in_stages(alike, stages.described()), orders=0))
    assert "used all 40 replications" in said.remark("Replications")
    assert "fits were run" not in said.remark("Replications")


# ------------------------------------------------------------------------------ the supplement


def test_verdicts_of_stages_are_counted() -> None:
    said = body(CLEAR, stage=20)
    assert "by Holm’s method, of 3 pairs 3 are significantly different." in said
    assert "20 of 60 replications would have settled all of them." in said
    assert "change no verdict" in said
    said = body(CLOSE, stage=20)
    assert "of 3 pairs 2 are significantly different and 1 is given up." in said
    assert "would have settled" not in said


def test_one_pair_is_told_by_its_names() -> None:
    said = body(CLEAR, stage=20, pairs=(("anna", "cara"),))
    assert (
        "anna and cara are significantly different. 20 of 60 replications would have settled it."
        in said
    )
    said = body(CLOSE, stage=20, pairs=(("anna", "bert"),), relevance={ERROR.name: (-0.1, 0.1)})
    assert ", anna and bert are equivalent within ±10 percentage points." in said
    assert ", anna and bert are given up." in body(CLOSE, stage=20, pairs=(("anna", "bert"),))


def test_better_but_not_relevantly() -> None:
    d = -0.0075 + 0.008 * np.random.default_rng(1).normal(size=80)
    values = np.column_stack([0.2 + d, np.full(80, 0.2)])
    stages = Stages(20, 80, ERROR.name, area=(-0.01, 0.01), stop="both").described()
    said = say(watch(values, warehouse=in_stages(values, stages), orders=0))
    text = said.sections["sequential"]
    assert "anna and bert are significantly different, but not relevant." in text
    assert "A pair is settled when both are answered." in said.methods


def test_methods_name_what_was_done() -> None:
    rule: dict[str, Any] = {"rule": "constant", "combination": "inverse-normal"}
    stages = Stages(20, 60, ERROR.name, **rule).described()
    other = say(watch(CLEAR, warehouse=in_stages(CLEAR, stages), orders=0))
    assert "the inverse normal combines" in other.methods
    assert "Boundaries are by a constant share of what is left, and the last" in other.methods


def test_what_results_have_chosen_is_said() -> None:
    names = tuple(f"c{i:02d}" for i in range(16))
    values = np.random.default_rng(1).normal(np.linspace(0.1, 0.2, 16), 0.03, (40, 16))
    warehouse = warehouse_of({ERROR: values}, names)
    found = watch(values, warehouse=warehouse, stage=20, orders=0)
    text = say(found).sections["sequential"]
    assert "Of 120 pairs the 15 with c00, which has the best mean, are followed: chosen by" in text
    assert "each pair has its share of the level among all 120" in text
    assert "at a family-wise 5% by Bonferroni’s method" in text


def test_what_is_guaranteed_depends_on_the_replications() -> None:
    made = report(watch(CLEAR, stage=20, orders=0))
    folds = {"scheme": "repeated-k-fold", "folds": 10, "repeats": 6}
    text = read(replace(made, design=replace(made.design, resampling=folds))).sections["sequential"]
    assert "Nothing is guaranteed here: the folds of a cross-validation share observations" in text
    unknown = read(made).sections["sequential"]
    assert "which the results do not say" in unknown
    known = replace(made.design, resampling={"scheme": "bootstrap"})
    assert (
        "for this data set alone. Stopping at the first"
        in (read(replace(made, design=known)).sections["sequential"])
    )


def test_nothing_to_follow() -> None:
    assert "There are too few replications here" in body(CLEAR[:5])
    assert "There is one candidate here" in body(CLEAR[:, :1])
    assert told(CLEAR[:5]).remarks == ()


# ----------------------------------------------------------------------------- many data sets


def test_what_is_given_up_is_not_called_settled() -> None:
    alike = blocks([0.2, 0.2, 0.2], 40, seed=3)
    stages = Stages(20, 40, ERROR.name)
    executed = watch(alike, warehouse=in_stages(alike, stages.described()), orders=0)
    results = [watch(values, stage=20, orders=0) for values in (CLEAR, CLOSE, alike)]
    context = RenderContext(report(*results, executed), MARKDOWN)
    compose(context)
    rows = [line for line in context.index.splitlines() if line.startswith("| d")]
    cells = [row.split("|")[2].strip() for row in rows]
    late = "not before the end"
    assert cells[:3] == ["20", f"{late}, 1 given up", f"{late}, all given up"]
    entries = say(*results, executed).entries
    for dataset, fact in (
        ("d0", "by stages settled after 20"),
        ("d1", "by stages settled at the end, 1 pair given up"),
        ("d2", "by stages given up at the end"),
    ):
        assert fact in entries[dataset]
    assert "by stages" not in entries["d3"]


def test_a_data_set_has_an_entry_where_the_execution_was_staged() -> None:
    stages = Stages(20, 80, ERROR.name)
    run = watch(CLEAR[:20], warehouse=in_stages(CLEAR[:20], stages.described()))
    said = say(run, watch(CLEAR, stage=20))
    assert "20 of 80 replications in stages; 60 of 240 fits." in said.entries["d0"]
    assert "20 of 80" not in said.entries["d1"]
    assert said.pages == {}


@pytest.mark.parametrize("seed", range(4))
def test_whatever_comes_it_is_sound(seed: int) -> None:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    values = np.round(rng.normal(rng.normal(0.2, 0.01, k), 0.03, (int(rng.integers(12, 70)), k)), 2)
    values[rng.random(values.shape) < 0.1 * (seed % 2)] = np.nan
    size, orders = int(rng.integers(5, 40)), 10 * (seed % 3)
    rule: dict[str, Any] = {
        "test": ("wilcoxon", "t", "sign", "permutation")[seed],
        "rule": ("obrien-fleming", "pocock", "constant", "narrowing")[seed],
    }
    stages = Stages(size, len(values), ERROR.name, **rule).described()
    asked = {"stage": size, "relevance": AREA if seed % 2 else {}, "orders": orders}
    for warehouse in (None, in_stages(values, stages)):
        result = watch(values, warehouse=warehouse, **asked)
        assert say(result, **asked).sections["sequential"]
    assert len(NAMES) > k
