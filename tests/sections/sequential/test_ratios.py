"""Times and sizes in stages: one scale for the rule that stops, the section and the verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import Any

import numpy as np
import pytest
from scipy.stats import gmean

from reportgen.performance_measure import Measure
from reportgen.rendering.results_json import plain
from reportgen.sections.inference import analysis as inference
from reportgen.sections.sequential.figures import tabulate
from reportgen.stats.sequential.paths import pseudo_median
from reportgen.study.schema.options import AnalysisOptions
from reportgen.study.stages import Stages, final_answers, stage_answers
from tests.sections.reading import NAMES, TIME
from tests.sections.sequential.watched import in_stages, only, say, watch

SECONDS = np.random.default_rng(4).lognormal(sigma=0.1, size=(60, 3)) * [0.5, 0.505, 28.5]
PLAIN = Measure("log", "smaller")
RULE: dict[str, Any] = {"stage": 20, "orders": 20}
SAME = 1e-9  # relative, of sums in another order


def decide(
    values: Any, names: Sequence[str], measure: Measure, stages: Stages
) -> dict[tuple[str, str], str]:
    answers = final_answers(values, names, measure, stages)
    return {pair: a.decision(measure.is_smaller_better) for pair, a in answers.items()}


@pytest.mark.parametrize("area", [None, (1 / 1.3, 1.3)])
def test_ratios_are_differences_of_logarithms(area: tuple[float, float] | None) -> None:
    """A second way: the logarithms by hand, under a measure that is compared by difference."""
    found = only(SECONDS, TIME, **RULE, relevance={} if area is None else {TIME.name: area})
    half = log(1.1 if area is None else area[1])
    by_hand = only(np.log(SECONDS), PLAIN, **RULE, relevance={"log": (-half, half)})
    assert found.is_ratio
    assert not by_hand.is_ratio
    assert found.relevance == (area or (1 / 1.1, 1.1))
    assert {pair.verdict for pair in found.pairs} == {"less", "equivalent"}
    for mine, other in zip(found, by_hand, strict=True):
        assert (mine.verdict, mine.decided_at) == (other.verdict, other.decided_at)
        np.testing.assert_allclose(mine.p_values, other.p_values, rtol=SAME)
    for mine, other in zip(found.pairs, by_hand.pairs, strict=True):
        i, j = NAMES.index(mine.first or ""), NAMES.index(mine.second or "")
        means = gmean(SECONDS)
        assert mine.estimate == pytest.approx(means[i] / means[j], rel=SAME)
        assert mine.effects[-1] == pytest.approx(mine.estimate, rel=SAME)
        assert mine.anytime == other.anytime


@pytest.mark.parametrize(
    ("test", "estimate"), [("wilcoxon", pseudo_median), ("sign", np.median), ("t", np.mean)]
)
def test_the_estimate_is_of_what_the_test_speaks(test: Any, estimate: Any) -> None:
    stages = Stages(20, 60, TIME.name, test=test).described()
    made = in_stages(SECONDS, stages, measure=TIME)
    pair = only(SECONDS, TIME, warehouse=made, orders=20).pairs[0]
    expected = np.exp(estimate(np.log(SECONDS[:, 0]) - np.log(SECONDS[:, 1])))
    assert pair.estimate == pytest.approx(expected, rel=SAME)
    assert (test == "t") == (0.9 < pair.effects[-1] < 1.1)  # those of ranks are no ratios


def test_the_unit_does_not_matter() -> None:
    before, after = (only(SECONDS * unit, TIME, **RULE).pairs for unit in (1.0, 60.0))
    for one, other in zip(before, after, strict=True):
        assert (one.verdict, one.decided_at) == (other.verdict, other.decided_at)
        assert one.estimate == pytest.approx(other.estimate, rel=SAME)


def with_zero() -> np.ndarray:
    values = SECONDS.copy()
    values[50, 0] = 0.0
    return values


@pytest.mark.parametrize(
    ("values", "measure", "area", "holds"),
    [
        (SECONDS, TIME, (-0.1, 0.1), (-0.1, 0.1)),
        (with_zero(), TIME, None, None),
        (with_zero(), TIME, (0.5, 2.0), None),
        (SECONDS, replace(TIME, scale="difference"), None, None),
        (-SECONDS, replace(TIME, scale="ratio"), None, None),
    ],
)
def test_differences_where_the_verdicts_are_of_differences(
    values: np.ndarray,
    measure: Measure,
    area: tuple[float, float] | None,
    holds: tuple[float, float] | None,
) -> None:
    relevance = {} if area is None else {measure.name: area}
    made = in_stages(values, {"size": 20, "most": 60, "measure": TIME.name}, measure=measure)
    warehouse = replace(made, resampling={"scheme": "bootstrap"})
    found = only(values, measure, warehouse=warehouse, **RULE, relevance=relevance)
    told = inference.analyse(
        warehouse, AnalysisOptions(relevance=relevance), np.random.default_rng(1)
    )[measure.name]
    assert not found.is_ratio
    assert not told.is_ratio
    assert found.relevance == told.relevance == holds
    pair = found.pairs[0]
    assert pair.estimate == pytest.approx((values[:, 0] - values[:, 1]).mean())


@pytest.mark.parametrize("area", [None, (1 / 1.3, 1.3), (-0.1, 0.1)])
def test_one_decision_of_execution_section_and_verdict(area: tuple[float, float] | None) -> None:
    stages = Stages(20, 60, TIME.name, area=area)
    assert Stages.of(stages.described()) == stages
    warehouse = in_stages(SECONDS, stages.described(), measure=TIME)
    (found,) = watch(SECONDS, warehouse=warehouse, orders=0).values()
    told = inference.analyse(warehouse, AnalysisOptions(), np.random.default_rng(1))[TIME.name]
    assert told.method == "stages"
    decisions = decide(SECONDS, NAMES[:3], TIME, stages)
    assert {"worse", "better", "equivalent"} & set(decisions.values())
    pairs = [(0, 1), (0, 2), (1, 2)]
    executed = stage_answers(SECONDS, pairs, (20, 40, 60), TIME, stages)
    for i, pair in enumerate(found.pairs):
        names = pair.first or "", pair.second or ""
        assert told.pairs.between(*names).decision == decisions[names]
        settled = [
            end for end, row in zip((20, 40, 60), executed, strict=True) if row[i].is_settled()
        ]
        assert pair.decided_at == settled[0]
        assert executed[settled[0] // 20 - 1][i].verdict == pair.verdict


def test_an_area_decides_otherwise_by_ratio_than_by_difference() -> None:
    """0.505 s are within a tenth of 0.5 s, and 0.5 s are not near 28.5 s; ±30 s hold all."""
    by_ratio = decide(SECONDS, NAMES[:3], TIME, Stages(20, 60, TIME.name))
    assert list(by_ratio.values()) == ["equivalent", "better", "better"]
    wide = Stages(20, 60, TIME.name, area=(-30.0, 30.0))
    assert set(decide(SECONDS, NAMES[:3], TIME, wide).values()) == {"equivalent"}


def test_sentences_tables_and_results_say_ratios() -> None:
    asked: dict[str, Any] = {**RULE, "pairs": (("cara", "anna"),)}
    result = watch(SECONDS, TIME, **asked)
    found = result[TIME.name]
    (pair,) = found.pairs
    said = say(result, **asked)
    text = said.sections["sequential"]
    assert 55 < (pair.estimate or 0) < 59
    assert "find differences of geometric means where there are none" in text
    assert "Times: how many times as large the second’s values are, by geometric means." in text
    assert "mean difference" not in said.whole
    assert "all tests are of differences of logarithms" in said.methods
    table = tabulate(result)[0]
    assert [column.label for column in table.columns][:2] == ["Pair, better first", "Times"]
    assert table.rows[0][:2] == (("anna", "cara"), pair.estimate)
    assert {entry["scale"] for entry in plain(found)} == {"ratio"}


def test_equivalence_is_told_as_a_factor() -> None:
    asked: dict[str, Any] = {**RULE, "pairs": (("anna", "bert"),)}
    text = say(watch(SECONDS, TIME, **asked), **asked).sections["sequential"]
    assert "are equivalent within a factor of 1.1." in text


def test_what_ranks_speak_of() -> None:
    stages = Stages(20, 60, TIME.name, test="wilcoxon").described()
    result = watch(SECONDS, TIME, warehouse=in_stages(SECONDS, stages, measure=TIME), orders=20)
    text = say(result).sections["sequential"]
    assert "speaks of the pseudo-median of the ratios, not of their geometric mean" in text
    assert "find pseudo-medians other than 1 where there are none" in text


def test_more_candidates_are_listed_by_how_many_times() -> None:
    """The largest ratio first, whichever way round."""
    values = SECONDS[:, [2, 0, 1]]
    found = only(values, TIME, **RULE)
    sizes = [found.advantage(pair) for pair in found.by_advantage]
    assert sizes == sorted(sizes, reverse=True)
    assert min(sizes) >= 1
    assert {found.leads(pair)[1] for pair in found.by_advantage[:2]} == {"anna"}
