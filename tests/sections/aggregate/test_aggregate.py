"""The section's numbers against its kernels and cases by hand; its words against its numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import trim_mean

from reportgen.api.calls import study_of
from reportgen.drawing import TEXT_WIDTH, Canvas, Sheet, candidate_styles
from reportgen.drawing.style import house_settings
from reportgen.performance_measure import Measure
from reportgen.rendering.results_json import plain
from reportgen.report import SectionContent
from reportgen.section_runner import SectionRunner
from reportgen.sections import find_sections
from reportgen.sections.aggregate import analysis, applies, figures
from reportgen.sections.aggregate.analysis import AggregateResult
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse
from tests.builders import placeholder, report_with, warehouse_of
from tests.schemas import validator_of
from tests.sections.reading import ACCURACY, ERROR, SCORE, faults
from tests.sections.section_blocks import blocks_of

SCHEMA = Path(__file__).parents[3] / "reportgen" / "rendering" / "results.schema.json"
NAMES = ("anna", "bert", "cara")
EXACT = 1e-12  # sums in another order
Means = tuple[float, float, float]
MEANS: Means = (0.1, 0.2, 0.3)


def domain(
    measure: Measure = ERROR, *, m: int = 7, b: int = 8, seed: int = 1, means: Means = MEANS
) -> Warehouse:
    """Return values whose means differ on average as these do."""
    rng = np.random.default_rng(seed)
    values = {}
    for i in range(m):
        own = np.array(means) + rng.normal(0, 0.06, 3) + rng.normal(0, 0.02, (b, 3))
        values[f"d{i}"] = np.clip(own, 0.001, None)
    return warehouse_of({measure: values}, NAMES)


def find(warehouse: Warehouse) -> AggregateResult | None:
    sections = find_sections()
    options = {name: section.options for name, section in sections.items()}
    file = {"results.file": "x.csv"}
    study = study_of(Path("x.csv"), file, file, options)
    runner = SectionRunner(study, sections, warehouse, {}, media="none", density="compact")
    result: AggregateResult | None = runner.results("aggregate")[None]
    return result


def tell(warehouse: Warehouse, result: AggregateResult | None) -> dict[str, str]:
    """Return what each block says, as plain text."""
    names = ["profiles", *(["matrix"] if result and result.pairs else [])]
    drawn = tuple(placeholder(name, result.measure) for name in names) if result else ()
    content = SectionContent(
        "aggregate", None, result, AnalysisOptions(), drawn, figures.tabulate(result)
    )
    return blocks_of(report_with(warehouse, content), content)


@pytest.fixture(scope="module")
def found() -> AggregateResult:
    result = find(domain())
    assert result is not None
    return result


def test_scores_by_hand(found: AggregateResult) -> None:
    parts = [domain().performances(f"d{i}", ERROR.name).values for i in range(7)]
    scores = []
    for part in parts:
        means = part.mean(axis=0)
        scores.append((means.max() - part) / (means.max() - means.min()))
    expected = trim_mean(np.concatenate(scores), 0.25, axis=0)
    assert [c.candidate for c in found.candidates] == ["anna", "bert", "cara"]
    for k, row in enumerate(found.candidates):
        assert row.interquartile_mean.value == pytest.approx(expected[k], abs=EXACT)
        low, high = row.interquartile_mean.interval
        assert low <= row.interquartile_mean.value <= high
    assert found.candidates[0].improvement is None
    assert found.candidates[2].improvement.value > 0.9
    by_scale = {n.scale: n for n in found.normalisations}
    assert set(by_scale) == {"range", "bounds", "ratio", "ranks"}
    ranks = np.mean([part.mean(axis=0).argsort().argsort() + 1 for part in parts], axis=0)
    assert list(by_scale["ranks"].values.values()) == pytest.approx(ranks.tolist())
    bounded = trim_mean(np.concatenate([1 - part for part in parts]), 0.25, axis=0)
    assert list(by_scale["bounds"].values.values()) == pytest.approx(bounded.tolist())


def test_pairs_are_those_of_signed_ranks_whoever_else_is_there(found: AggregateResult) -> None:
    pair = next(p for p in found.pairs if {p.first, p.second} == {"anna", "bert"})
    frame = domain().frame
    alone = find(Warehouse.of(frame[frame["candidate"].isin(["anna", "bert"])], [ERROR]))
    assert alone is not None
    (other,) = alone.pairs
    assert (other.p_value, other.wins, other.losses) == (pair.p_value, pair.wins, pair.losses)


def test_direction_does_not_matter(found: AggregateResult) -> None:
    frame = domain().frame.assign(value=lambda f: 1 - f["value"], measure="accuracy")
    turned = find(Warehouse.of(frame, [ACCURACY]))
    assert turned is not None
    assert [c.candidate for c in turned.candidates] == [c.candidate for c in found.candidates]
    for a, b in zip(turned.candidates, found.candidates, strict=True):
        assert a.interquartile_mean.value == pytest.approx(b.interquartile_mean.value)
        assert a.elo.value == pytest.approx(b.elo.value)
    assert turned.ratios == {}


@pytest.mark.slow
def test_who_lacks_a_data_set_is_left_out() -> None:
    frame = domain().frame
    is_lost = (frame["candidate"] == "cara") & (frame["dataset"] == "d3")
    result = find(Warehouse.of(frame[~is_lost], [ERROR]))
    assert result is not None
    assert result.missing_candidates == ("cara",)
    assert len(result.candidates) == 2
    lonely = find(Warehouse.of(frame[~is_lost & (frame["candidate"] != "bert")], [ERROR]))
    assert lonely is None
    assert not applies(Warehouse.of(frame[frame["dataset"] == "d1"], [ERROR]))


def test_few_replications_have_no_intervals() -> None:
    some = find(domain(b=5))
    assert some is not None
    assert some.has_intervals
    assert not some.holds_level
    few = find(domain(b=3))
    assert few is not None
    assert not few.has_intervals
    once = find(domain(b=1))
    assert once is not None
    assert once.is_of_means


def test_results_fit_the_schema(found: AggregateResult) -> None:
    validator_of("aggregate").validate(plain(found))


def test_figures_have_the_numbers(found: AggregateResult) -> None:
    drawn = figures.draw(found, Canvas.of(NAMES, 7, "x"))
    assert [f.name for f in drawn] == ["profiles", "matrix"]
    rows = drawn[0].data.rows
    assert {row[1] for row in rows} == {"score", "ratio"}
    at = next(i for i, level in enumerate(found.levels) if level >= 0.5)
    assert f"anna {found.profiles['anna'][at]:.2f}" in drawn[0].alt
    assert len(drawn[1].data.rows) == 3


def test_profiles_of_very_many_are_those_of_the_first_and_said(
    found: AggregateResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "MOST_DRAWN", 2)
    assert found.drawn == tuple(c.candidate for c in found.candidates[:2])
    drawn = figures.draw(found, Canvas.of(NAMES, 7, "x"))
    assert {row[0] for row in drawn[0].data.rows} == {*found.drawn}
    assert "The first 2 of 3 candidates." in tell(domain(), found)["body"]
    monkeypatch.undo()
    assert found.drawn == tuple(found.profiles)


CASES = {
    "usual": domain(),
    "larger": domain(SCORE, means=(3.0, 2.0, 1.0)),
    "close": domain(means=(0.2, 0.2, 0.2), seed=3),
    "few": domain(b=3),
    "some": domain(b=5),
    "once": domain(b=1),
    "two data sets": domain(m=2),
    "level": warehouse_of({ERROR: {d: np.full((6, 3), 0.1) for d in "xyz"}}, NAMES),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_words_follow_from_the_numbers(name: str) -> None:
    result = find(CASES[name])
    assert result is not None
    blocks = tell(CASES[name], result)
    body = blocks["body"]
    assert not faults(body)
    has = "has" if len(result.best) == 1 else "have"
    assert f"{result.best[-1]} {has} the largest interquartile mean" in body
    assert ("% interval " in body.split(". ")[0]) == (result.has_intervals and result.holds_level)
    is_short = result.has_intervals and not result.holds_level
    assert ("% of draws " in body.split(". ")[0]) == is_short
    assert ("they cover less" in body) == is_short
    if len(result.best) == len(result.candidates):
        assert "order" not in body.split("Figure 1 ")[0]
    elif result.is_one_order:
        assert "in the same order" in body
    else:
        assert ("Who is first depends" in body) == (len(result.leaders) > 1)
    if result.fragility:
        assert f"{result.fragility.successor} would have a better mean" in body
    else:
        assert (
            "The best mean stays with the same candidate whichever data sets are left out" in body
        )
    assert ("500 draws of replications" in blocks["methods"]) == result.has_intervals


def test_nothing_to_aggregate_is_said() -> None:
    frame = domain().frame
    is_lost = (frame["candidate"] != "anna") & (frame["dataset"] == "d3")
    warehouse = Warehouse.of(frame[~is_lost], [ERROR])
    assert "Fewer than two candidates" in tell(warehouse, find(warehouse))["body"]


def test_profiles_are_told_apart_without_colour(found: AggregateResult) -> None:
    with house_settings():
        sheet = Sheet(candidate_styles(NAMES), TEXT_WIDTH)
        figures._draw_profiles(found, str, sheet)
    lines = [line for axes in sheet.drawing.axes for line in axes.lines]
    steps = [line for line in lines if line.get_marker() == "None"]
    kinds = {str(line._unscaled_dash_pattern) for line in steps}
    assert len(kinds) == len(NAMES)
    marks = {line.get_marker() for line in lines} - {"None"}
    assert len(marks) == len(NAMES)


def test_the_last_number_of_an_axis_stays_on_the_sheet(found: AggregateResult) -> None:
    wide = replace(found, ratios=dict.fromkeys(found.ratios, (1.0, 9.6)))
    with house_settings():
        sheet = Sheet(candidate_styles(NAMES), TEXT_WIDTH)
        figures._draw_profiles(wide, str, sheet)
        label = sheet.drawing.axes[-1].get_xticklabels()[-1]
        assert label.get_text() == "10"
        assert label.get_window_extent().x1 <= sheet.drawing.bbox.x1 + 1  # px


def test_shades_are_told_where_there_are_some():
    for m, is_shaded in ((12, True), (2, False)):  # of two data sets no signed rank is significant
        values = domain(m=m, means=(0.1, 0.3, 0.5))
        found = find(values)
        assert found is not None
        assert found.has_significant_pairs == is_shaded
        told = " ".join(tell(values, found).values())
        assert ("Shaded: signed ranks" in told) == is_shaded
        assert ("No pair differs significantly by its own signed ranks." in told) != is_shaded
