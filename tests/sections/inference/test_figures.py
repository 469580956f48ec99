"""What the interval figure shows."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from reportgen.drawing import Canvas, axis_of_intervals, palette
from reportgen.report import Figure
from reportgen.sections.inference.analysis import InferenceResult, analyse
from reportgen.sections.inference.figures import ALL_PAIRS, draw, drawn_rows
from reportgen.sections.inference.options import Options
from reportgen.sections.inference.result import MeasureInference
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.warehouse import Measure
from tests.sections.reading import ERROR as READ_ERROR
from tests.sections.reading import TIME, blocks, by_verdict_alone, warehouse_of

ERROR = Measure("misclassification", "smaller", "share", (0, 1))
ACCURACY = Measure("accuracy", "larger", "share", (0, 1))
HALF_WIDTH = 0.0024  # of the simultaneous intervals of monks3, for synthetic results


def inference(
    means: list[float],
    measure: Measure = ERROR,
    area: tuple[float, float] | None = (-0.01, 0.01),
    names: list[str] | None = None,
    half: float = HALF_WIDTH,
) -> MeasureInference:
    names = names or [f"c{i}" for i in range(len(means))]
    places = all_pairs(len(means))
    estimate = np.array(means)[places[:, 0]] - np.array(means)[places[:, 1]]
    pairs = (
        PairTable.of(
            places, estimate, "own-variance", 0.05,
            lower=estimate - half, upper=estimate + half, adjusted_p_value=0.01,
        )
        .named(names, "conditional", measure.is_smaller_better)
        .decided(area)
    )  # fmt: skip
    sign = 1 if measure.is_smaller_better else -1
    order = tuple(names[k] for k in np.argsort(sign * np.array(means), kind="stable"))
    empty = {f.name: None for f in fields(MeasureInference)}
    given = {
        "measure": measure, "alpha": 0.05, "relevance": area, "target": "conditional",
        "n_blocks": 250, "n_dropped": 0, "n_used": 250, "absent": (),
        "pairs": pairs, "means": dict(zip(names, means, strict=True)),
        "order": order, "leaders": order[:1], "candidates": tuple(names),
    }  # fmt: skip
    return MeasureInference(**(empty | given))


def figure(found: MeasureInference, n_datasets: int = 1) -> Figure:
    (only,) = draw({found.measure.name: found}, Canvas.of(found.candidates, n_datasets, "d"))
    return only


@pytest.fixture(scope="module")
def monks3(reference) -> MeasureInference:
    data = pd.read_csv(reference / "data" / "monks3raw.csv")
    means = data[data.measure == "Misclassification"].groupby("algorithm")["value"].mean()
    return inference(list(means), names=list(means.index))


@pytest.fixture(scope="module")
def drawn(monks3) -> Figure:
    return figure(monks3)


def texts(svg: str) -> list[str]:
    return [t.text for t in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_all_pairs_largest_difference_first_better_candidate_first(drawn):
    rows = drawn.data.rows
    assert len(rows) == 15
    advantages = [r[2] for r in rows]
    assert advantages == sorted(advantages, reverse=True)
    assert rows[0][:2] == ("svm", "lda")
    assert min(advantages) > 0


@pytest.mark.parametrize("measure", [ERROR, ACCURACY])
def test_rows_are_the_pairs_turned(measure):
    found = inference([0.30, 0.20, 0.206], measure)
    best = 1 if measure is ERROR else 0
    by_pair = {frozenset((p.first, p.second)): p for p in found.pairs}
    for row in drawn_rows(found):
        pair = by_pair[frozenset((row.first, row.second))]
        assert row.advantage == pytest.approx(abs(pair.estimate))
        assert row.upper - row.lower == pytest.approx(pair.upper - pair.lower)
        assert row.lower <= row.advantage <= row.upper
        assert row.decision in ("better-relevant", "equivalent", "better", "undecided")
    assert drawn_rows(found)[0].first == f"c{best}"


def test_numbers_and_decisions_stand_beside_the_marks(drawn):
    shown = texts(drawn.screen)
    assert "2.43" in shown
    assert "2.19 to 2.67" in shown
    assert "pp" in shown
    assert "95% interval" in shown
    assert "area of equivalence" in shown
    assert shown.count("relevantly better") == 8
    assert shown.count("better, relevance open") == 3
    assert shown.count("better, not relevant") == 2
    assert shown.count("equivalent") == 2


def fills(svg: str) -> list[str]:
    """Return how the marks on the intervals are filled: circles of 5 pt in the ink of text."""
    root = ElementTree.fromstring(svg)
    style = " ".join(e.get("style", "") for e in root.iter())
    return re.findall(r"fill:var\(--(ink|paper)\);stroke:var\(--ink\)", style)


def test_marks_tell_decisions_without_colour():
    # relevantly better, better, equivalent, undecided: full, full, open, half
    better, unclear = inference([0.2, 0.25]), inference([0.2, 0.205], half=0.02)
    same = inference([0.2, 0.2001])
    assert [drawn_rows(f)[0].decision for f in (better, same, unclear)] == [
        "better-relevant", "equivalent", "undecided",
    ]  # fmt: skip
    assert set(fills(figure(better).screen)) == {"ink"}
    assert set(fills(figure(same).screen)) == {"paper"}
    assert set(fills(figure(unclear).screen)) == {"ink", "paper"}


def test_without_an_area_nothing_is_shaded_and_nothing_called_relevant():
    svg = figure(inference([0.2, 0.25, 0.3], area=None)).screen
    assert "var(--band)" not in svg
    shown = " ".join(texts(svg))
    assert "equivalen" not in shown
    assert "relevan" not in shown
    assert "var(--band)" in figure(inference([0.2, 0.25, 0.3])).screen


def test_beyond_twelve_candidates_only_the_best_is_compared():
    for k in (ALL_PAIRS, ALL_PAIRS + 1, 30):
        found = inference([0.2 + 0.001 * i for i in range(k)])
        rows = drawn_rows(found)
        assert len(rows) == (k * (k - 1) // 2 if k <= 12 else k - 1)
        if k > 12:
            assert {r.first for r in rows} == {"c0"}


def test_unavailable_results_are_not_drawn(monks3):
    gone = replace(monks3, unavailable="too-few-blocks")
    assert draw({"e": gone}, Canvas.of(monks3.candidates, 1, "d")) == ()


def test_compact_draws_the_main_measure_once(monks3):
    drawn = draw({"e": monks3, "f": monks3}, Canvas.of(monks3.candidates, 21, "d"))
    assert len(drawn) == 1
    assert drawn[0].phone is None
    assert len(drawn[0].screen.encode()) < 20_000


def test_alt_text_has_every_pair_with_its_decision(monks3, drawn):
    assert "svm over lda 2.43 (2.19 to 2.67), relevantly better" in drawn.alt
    assert "The area of equivalence is −1.00 to 1.00" in drawn.alt
    assert all(name in drawn.alt for name in monks3.candidates)
    assert drawn.alt.count(" over ") == 15


@pytest.mark.parametrize("k", [2, 12, 30])
def test_many_pairs_fit_a_page_and_an_alt_text(k):
    names = [f"{i:02d} a candidate with a rather long name" for i in range(k)]
    found = inference([0.2 + 0.001 * i for i in range(k)], names=names)
    (only,) = draw({"e": found}, replace(Canvas.of(names, 1, "d"), phone=False))
    assert len(only.alt) <= 1500
    assert all(name[:20] in only.alt for name in names)
    height = float(re.search(r'viewBox="0 0 \S+ (\S+)"', only.screen)[1])
    assert height <= 680  # pt: the text of an A4 page, less a caption
    assert min(float(s) for s in re.findall(r'font-size="([\d.]+)"', only.screen)) >= 7.5


@pytest.mark.parametrize("n", [40, 10])
def test_long_names_leave_room_for_the_intervals(n):
    names = ["x" * n + str(i) for i in range(4)]
    svg = figure(inference([0.2, 0.21, 0.22, 0.3], names=names)).phone
    lines = re.findall(r'<path d="M([\d.]+) ([\d.]+) ([\d.]+) \2"', svg)
    spans = [float(b) - float(a) for a, _, b in lines]
    assert max(spans) > 70  # the axis itself
    assert len({t for t in texts(svg) if t.startswith("x")}) == 4


def test_any_unit_and_size():
    for measure, means in (
        (Measure("loss"), [1e-7, 3e-7]),
        (Measure("value", "larger", "points"), [1e7, 3e7]),
        (Measure("fit-time", "smaller", "s"), [0.0, 12.0]),
    ):
        found = inference(means, measure, None, half=0.3 * abs(means[1] - means[0]))
        shown = figure(found)
        assert "nan" not in " ".join(re.findall(r' (?:d|x|y)="([^"]*)"', shown.screen))
        assert shown.data.rows[0][2] == pytest.approx(abs(means[1] - means[0]))


def test_only_colours_of_the_house_and_own_ids(drawn):
    assert not re.search(r"(?:fill|stroke):#", drawn.screen)
    assert set(re.findall(r"var\(--(\w+)\)", drawn.screen)) <= set(palette())
    assert all(i.startswith("d-intervals-") for i in re.findall(r'\bid="([^"]+)"', drawn.screen))


def test_the_same_bytes_again(monks3, drawn):
    assert figure(monks3) == drawn


def test_ratios_have_a_logarithmic_axis_around_one() -> None:
    rng = np.random.default_rng(3)
    seconds = rng.lognormal(sigma=0.1, size=(40, 3)) * [1.0, 1.5, 57.0]
    warehouse = warehouse_of({TIME: seconds}, ("a", "b", "c"))
    with by_verdict_alone():
        result = analyse(warehouse, Options(), np.random.default_rng(1))
    found = result["fit-time"]
    (only,) = draw(result, Canvas.of(("a", "b", "c"), 1, "d"))
    pair = found.pairs.between("a", "c")
    assert only.data.rows[0][:2] == ("a", "c")
    assert only.data.rows[0][2] == pytest.approx(1 / pair.estimate)
    assert only.data.rows[0][3:5] == pytest.approx((1 / pair.upper, 1 / pair.lower))
    shown = texts(only.screen)
    assert {"1", "10", "times", "95% interval"} <= set(shown)
    assert "fitting time: second over first, geometric means (log scale)" in shown
    near = fit(np.array([[0.9, 1.0, 1.2]]), is_ratio=True)
    assert not near.is_log


def fit(rows: np.ndarray, is_shown: list[bool] | None = None, *, is_ratio: bool = False):
    shown = np.array(is_shown or [True] * len(rows))
    no_difference = 1.0 if is_ratio else 0.0
    return axis_of_intervals(rows, [no_difference], 300, 34, is_shown=shown, is_ratio=is_ratio)


def test_intervals_that_reach_beyond_the_axis_are_counted() -> None:
    rows = np.array([[-1.0, 0.0, 2.0], [-1e19, 1.0, 3e19], [np.nan, 1.0, np.nan]])
    axis = fit(rows, [True, False, True])
    assert axis.n_outside == 1
    assert axis.upper < 3
    assert axis.drawn(rows[1]).tolist() == [axis.lower, 1.0, axis.upper]
    assert axis.unit("EUR") == "EUR, 1 beyond the axis"
    assert fit(rows).n_outside == 0


@pytest.mark.parametrize("size", [1e20, 1e300])
@pytest.mark.parametrize("column", [1, slice(None)])
@pytest.mark.parametrize("k", [2, 4])
def test_a_value_that_dwarfs_all_others_is_drawn(size: float, column: int | slice, k: int) -> None:
    """The axis is that of the other pairs, where there are any; all numbers stay finite."""
    names = tuple("abcd"[:k])
    values = 20 + np.random.default_rng(1).normal(size=(30, k)) + 2 * np.arange(k)
    values[6, column] = size
    warehouse = warehouse_of({Measure("cost", "smaller", "EUR"): values}, names)
    result = analyse(warehouse, Options(), np.random.default_rng(1))
    for drawn in draw(result, Canvas.of(names, 1, "d")):
        for svg in (drawn.screen, drawn.print, drawn.phone):
            places = re.findall(r' (?:d|x|y)="([^"]*)"', svg)
            assert not re.search(r"nan|inf|e\+|\d{6}", " ".join(places))
    shown = texts(draw(result, Canvas.of(names, 1, "d"))[0].screen)
    assert any("3 beyond the axis" in t for t in shown) == (k == 4 and column == 1)


class TestDiagnostics:
    """The main measure's residuals, on the pages of few data sets only."""

    @pytest.fixture(scope="class")
    @classmethod
    def result(cls) -> InferenceResult:
        values = blocks((0.1, 0.15, 0.2), 40)
        values[3, 1] = np.nan
        measures = {READ_ERROR: values, TIME: values + 1}
        warehouse = warehouse_of(measures, ("a", "b", "c"))
        return analyse(warehouse, Options(), np.random.default_rng(1))

    def test_only_of_the_main_measure(self, result: InferenceResult) -> None:
        drawn = draw(result, Canvas.of(("a", "b", "c"), 1, "d"))
        assert [(f.name, f.measure) for f in drawn] == [
            ("intervals", "misclassification"),
            ("intervals", "fit-time"),
            ("diagnostics", "misclassification"),
        ]
        many = draw(result, Canvas.of(("a", "b", "c"), 21, "d"))
        assert [f.name for f in many] == ["intervals"]

    def test_data_are_fitted_values_and_residuals(self, result: InferenceResult) -> None:
        figure = draw(result, Canvas.of(("a", "b", "c"), 1, "d"))[-1]
        assert figure.data.columns == ("candidate", "row", "fitted", "residual")
        assert len(figure.data.rows) == 3 * 40 - 1
        found = result["misclassification"]
        assert found.mixed_model is not None
        of_a = [row for row in figure.data.rows if row[0] == "a"]
        mean = np.mean([row[2] + row[3] for row in of_a])
        assert mean == pytest.approx(found.mixed_model.coefficients["a"], abs=1e-3)
        assert "points shown outside the band" in figure.alt
        assert figure.phone is not None
        ElementTree.fromstring(figure.screen)
