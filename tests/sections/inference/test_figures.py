"""What the figures of pairs show."""

from __future__ import annotations

import re
from dataclasses import fields, replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from reportgen.drawing import Canvas, axis_of_intervals, palette
from reportgen.drawing.plots.pairs import _fit
from reportgen.notation import number_format
from reportgen.performance_measure import Measure
from reportgen.report import Figure
from reportgen.sections.inference.analysis import analyse
from reportgen.sections.inference.figures import draw, grid_of, pair_plot
from reportgen.sections.inference.result import ALL_PAIRS, MeasureInference, Method
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import PairTable
from reportgen.study.schema.options import AnalysisOptions
from reportgen.units import ITEM, REPLICATION
from tests.sections.reading import TIME, by_verdict_alone, warehouse_of

ERROR = Measure("misclassification", "smaller", "share", (0, 1))
ACCURACY = Measure("accuracy", "larger", "share", (0, 1))
SVG_GROUP = "{http://www.w3.org/2000/svg}g"
HALF_WIDTH = 0.0024  # of the simultaneous intervals of monks3, for synthetic results
COLUMN, SMALLEST = 78 / 25.4 * 72, 7.0  # pt: of paper, and the least type there


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
    empty = {f.name: None for f in fields(MeasureInference)}
    given = {
        "measure": measure, "alpha": 0.05, "relevance": area, "target": "conditional",
        "n_blocks": 250, "n_dropped": 0, "n_used": 250, "missing_candidates": (),
        "pairs": pairs, "means": dict(zip(names, means, strict=True)),
        "candidates": tuple(names), "methods": {},
    }  # fmt: skip
    return MeasureInference(**(empty | given))


def figures(found: MeasureInference, n_datasets: int = 1) -> dict[str, Figure]:
    drawn = draw({found.measure.name: found}, Canvas.of(found.candidates, n_datasets, "d"))
    return {f.name: f for f in drawn}


def figure(found: MeasureInference) -> Figure:
    return figures(found)["pairs"]


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


def height(svg: str) -> float:
    return float(re.search(r'viewBox="0 0 \S+ (\S+)"', svg)[1])


@pytest.mark.parametrize("measure", [ERROR, ACCURACY])
def test_rows_are_the_pairs_with_the_better_mean_first(measure):
    found = inference([0.30, 0.20, 0.206], measure)
    plot = pair_plot(found, number_format(measure, [0.2]))
    assert [(r.first, r.second) for r in plot.rows] == [
        (a, b) for i, a in enumerate(found.order) for b in found.order[i + 1 :]
    ]
    for row in plot.rows:
        pair = found.pairs.between(row.first, row.second)
        better = pair.reversed() if measure.is_smaller_better else pair
        assert (row.estimate, row.lower, row.upper) == (better.estimate, better.lower, better.upper)
        assert row.estimate > 0
        assert row.is_decided == pair.significant
    assert plot.is_smaller_better == measure.is_smaller_better
    assert plot.factor == 100


def test_data_are_advantages_of_the_left_with_the_decision(monks3, drawn):
    assert len(drawn.data.rows) == 15
    for row in drawn.data.rows:
        cells = dict(zip(drawn.data.columns, row, strict=True))
        pair = monks3.pairs.between(cells["first"], cells["second"])
        assert cells["advantage"] == -pair.estimate > 0
        assert (cells["lower"], cells["upper"]) == (-pair.upper, -pair.lower)
        assert cells["decision"] == pair.words
        assert cells["other_lower"] is None


def test_numbers_and_decisions_stand_beside_the_marks(drawn):
    shown = texts(drawn.screen)
    assert {"2.43", "2.19 to 2.67", "pp", "95% interval", "p", "left: lower mean"} <= set(shown)
    assert "area of equivalence" in shown
    assert shown.count("better, relevant") == 8
    assert shown.count("better") == 3
    assert shown.count("better, not relevant") == 2
    assert shown.count("equivalent") == 2
    assert "95% interval" not in texts(drawn.phone)
    assert texts(drawn.phone).count("better, relevant") == 8
    assert "area of equivalence" in texts(drawn.phone)


def fills(svg: str) -> list[str]:
    """Return how the marks on the intervals are filled: circles in the ink of text."""
    root = ElementTree.fromstring(svg)
    style = " ".join(e.get("style", "") for e in root.iter())
    return re.findall(r"fill:var\(--(ink|paper)\);stroke:var\(--ink\)", style)


def test_marks_tell_whether_a_pair_is_decided() -> None:
    better, unclear = inference([0.2, 0.25]), inference([0.2, 0.205], half=0.02)
    same, slight = inference([0.2, 0.2001]), inference([0.2, 0.204])
    assert [f.pairs[0].decision for f in (better, same, unclear, slight)] == [
        "better-relevant", "equivalent", "undecided", "equivalent",
    ]  # fmt: skip
    assert fills(figure(better).screen) == fills(figure(slight).screen) == ["ink"]
    assert fills(figure(same).screen) == fills(figure(unclear).screen) == ["paper"]


def test_words_of_decisions_read_the_other_way() -> None:
    (pair,) = inference([0.2, 0.204]).pairs
    assert (pair.words, pair.reversed().words) == ("better, not relevant", "worse, not relevant")
    (pair,) = inference([0.2, 0.3]).pairs
    assert (pair.words, pair.reversed().words) == ("better, relevant", "worse, relevant")


def test_without_an_area_nothing_is_shaded_and_nothing_called_relevant():
    svg = figure(inference([0.2, 0.25, 0.3], area=None)).screen
    assert "var(--band)" not in svg
    shown = " ".join(texts(svg))
    assert "equivalen" not in shown
    assert "relevan" not in shown
    assert "matter" not in shown
    assert "var(--band)" in figure(inference([0.2, 0.25, 0.3])).screen


def with_methods(found: MeasureInference, *names: str) -> MeasureInference:
    """Add methods whose intervals are twice as wide as the verdict's, one by one."""
    own = Method("own-variance", "strong", "t", None, 250, found.pairs)
    methods = {}
    for n, name in enumerate(names, 2):
        half = n * (found.pairs.upper - found.pairs.estimate)
        estimate = found.pairs.estimate
        wide = replace(found.pairs, lower=estimate - half, upper=estimate + half)
        methods[name] = replace(own, name=name, pairs=wide)
    return replace(found.decided_by(own), methods=methods)


def test_the_second_opinion_is_that_for_new_data_where_there_is_one() -> None:
    found = inference([0.2, 0.25, 0.3])
    assert with_methods(found).sensitivity_analysis is None
    for names, chosen in (
        (("block-model", "new-data"), "new-data"),
        (("block-model", "joint-ranks"), "block-model"),
        (("joint-ranks",), None),
    ):
        second = with_methods(found, *names).sensitivity_analysis
        assert (None if second is None else second.name) == chosen
    pooled = with_methods(found, "own-variance")
    pooled = pooled.decided_by(replace(pooled.deciding_method, name="block-model"))
    assert pooled.sensitivity_analysis.name == "own-variance"
    both = with_methods(found, "block-model", "new-data")
    ratios = replace(both.methods["new-data"].pairs, scale="ratio")
    other = replace(both.methods["new-data"], pairs=ratios)
    unlike = replace(both, methods={**both.methods, "new-data": other})
    assert unlike.sensitivity_analysis.name == "block-model"  # not on another scale
    drawn = figure(both)
    row = dict(zip(drawn.data.columns, drawn.data.rows[0], strict=True))
    half = row["upper"] - row["advantage"]
    assert row["other_upper"] == pytest.approx(row["advantage"] + 3 * half)
    assert row["other_lower"] == pytest.approx(row["advantage"] - 3 * half)


@pytest.mark.slow
def test_beyond_ten_candidates_decisions_stand_in_a_grid():
    for k in (ALL_PAIRS, ALL_PAIRS + 1, 30):
        found = inference([0.2 + 0.001 * i for i in range(k)])
        shown = figure(found)
        assert len(shown.data.rows) == k * (k - 1) // 2
        assert ("row better than column:" in texts(shown.screen)) == (k > ALL_PAIRS)
        grid = grid_of(found)
        assert len(grid.answers) == k * (k - 1) // 2
        better = {(p.first, p.second): p.significant for p in found.best_first}
        assert {pair: a in ("decided", "slight") for pair, a in grid.answers.items()} == better


def test_a_grid_has_the_better_one_first_whatever_the_means():
    found = inference([0.2, 0.3, 0.3001])
    turned = replace(found, means={"c0": 0.4, "c1": 0.2, "c2": 0.3})
    assert set(grid_of(turned).answers) == {("c0", "c1"), ("c0", "c2"), ("c1", "c2")}
    assert grid_of(turned).answers["c1", "c2"] == "equivalent"


def test_the_main_measure_is_drawn_where_it_is_compared(monks3):
    canvas = Canvas.of(monks3.candidates, 1, "d")
    gone = replace(monks3, unavailable="too-few-blocks")
    assert draw({"e": gone}, canvas) == draw({}, canvas) == ()
    other = inference([0.1, 0.2], ACCURACY)
    assert [f.measure for f in draw({"e": monks3, "f": other}, canvas)] == ["misclassification"]


def test_entries_of_data_sets_have_a_small_figure(monks3):
    assert list(figures(monks3, 1)) == ["pairs"]
    assert list(figures(monks3, 2)) == ["pairs", "pairs-small"]
    small = figures(monks3, 21)["pairs-small"]
    assert small.phone is None
    assert 'viewBox="0 0 236 ' in small.screen
    sizes = [float(x) for x in re.findall(r"font-size[:=]\"?([\d.]+)", small.print)]
    assert min(sizes) * COLUMN / 236 >= SMALLEST
    assert len(small.screen.encode()) < 25_000
    assert "better, relevant" in texts(small.screen)
    both = draw({"e": monks3, "f": monks3}, Canvas.of(monks3.candidates, 21, "d"))
    assert [f.name for f in both] == ["pairs-small"]
    many = figures(inference([0.2 + 0.01 * i for i in range(30)]), 21)["pairs-small"]
    assert height(many.screen) < 220  # pt: a third of a page
    assert "16 of 30" in texts(many.screen)
    assert not figures(inference([0.2 + 0.01 * i for i in range(31)]), 21)


def test_alt_text_has_every_pair_with_its_decision(monks3, drawn):
    assert "svm against lda 2.43 (2.19 to 2.67), better, relevant" in drawn.alt
    assert "The area of equivalence is −1.00 to 1.00" in drawn.alt
    assert all(name in drawn.alt for name in monks3.candidates)
    assert drawn.alt.count(" against ") == 15


@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 6, 10, 12, 30, 60])
def test_many_pairs_fit_a_page_and_an_alt_text(k):
    names = [f"{i:02d} a candidate with a rather long name" for i in range(k)]
    found = inference([0.2 + 0.001 * i for i in range(k)], names=names)
    only = figure(found)
    assert len(only.alt) <= 1500
    assert k > 30 or all(name[:20] in only.alt for name in names)
    for svg in (only.screen, only.phone):
        assert height(svg) <= 680  # pt: the text of an A4 page, less a caption
        assert min(float(s) for s in re.findall(r'font-size="([\d.]+)"', svg)) >= 7.5


@pytest.mark.parametrize("n", [40, 10])
def test_long_names_leave_room_for_the_intervals(n):
    names = ["x" * n + str(i) for i in range(4)]
    svg = figure(inference([0.2, 0.21, 0.22, 0.3], names=names)).phone
    labels = [float(x) for x in re.findall(r'<text[^>]* x="([\d.]+)"[^>]*>[−\d.]+<', svg)]
    assert max(labels) - min(labels) > 50  # of the axis' ticks
    assert len({t for t in texts(svg) if t.startswith("x")}) == 4


def linked(svg: str) -> set[str]:
    return set(re.findall(r'data-c="([^"]+)"', svg))


def test_rows_are_linked_to_their_pairs(drawn, monks3):
    index = {name: i for i, name in enumerate(monks3.candidates)}
    pairs = {f"{index[r[0]]} {index[r[1]]}" for r in drawn.data.rows}
    assert linked(drawn.screen) == linked(drawn.phone) == pairs
    many = figure(inference([0.2 + 0.01 * i for i in range(12)]))
    assert len(linked(many.screen)) == 12 + 66


def test_any_unit_and_size():
    for measure, means in (
        (Measure("loss"), [1e-7, 3e-7]),
        (Measure("value", "larger", "points"), [1e7, 3e7]),
        (Measure("fit-time", "smaller", "s"), [0.0, 12.0]),
    ):
        found = inference(means, measure, None, half=0.3 * abs(means[1] - means[0]))
        shown = figure(found)
        assert "nan" not in " ".join(re.findall(r' (?:d|x|y)="([^"]*)"', shown.screen))
        assert abs(shown.data.rows[0][2]) == pytest.approx(abs(means[1] - means[0]))


def test_only_colours_of_the_house_and_own_ids(drawn):
    assert not re.search(r"(?:fill|stroke):#", drawn.screen)
    assert set(re.findall(r"var\(--(\w+)\)", drawn.screen)) <= set(palette())
    assert all(i.startswith("d-pairs-") for i in re.findall(r'\bid="([^"]+)"', drawn.screen))


def test_the_same_bytes_again(monks3, drawn):
    assert figure(monks3) == drawn


def test_ratios_have_a_logarithmic_axis_around_one() -> None:
    rng = np.random.default_rng(3)
    seconds = rng.lognormal(sigma=0.1, size=(40, 3)) * [1.0, 1.5, 57.0]
    warehouse = warehouse_of({TIME: seconds}, ("a", "b", "c"))
    with by_verdict_alone():
        result = analyse(warehouse, AnalysisOptions(), np.random.default_rng(1))
    found = result["fit-time"]
    only = figure(found)
    pair = found.pairs.between("a", "c")
    assert only.data.rows[1][:5] == (
        "a",
        "c",
        *(1 / x for x in (pair.estimate, pair.upper, pair.lower)),
    )
    assert pair.estimate == pytest.approx(1 / 57, rel=0.1)
    shown = texts(only.screen)
    assert {"30", "1", "ratio", "95% interval"} <= set(shown)
    assert "ratio of geometric means, fitting time, right / left, log scale" in shown
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


def test_one_interval_far_wider_than_all_others_does_not_set_the_axis() -> None:
    rows = np.array([[-1.0, 0.0, 1.0], [0.0, 1.0, 2.0], [-2.0, -1.0, 0.5], [-9.0, 1.5, 12.0]])
    axis = fit(rows)
    assert axis.n_outside == 1
    assert axis.lower > -4
    assert axis.upper < 4
    assert axis.holds(rows[:, 1]).all()  # each estimate is there
    assert fit(rows[1:]).n_outside == 0  # of three intervals all are shown
    wide = np.array([*rows[:3], [-3.0, 1.5, 4.5]])
    assert fit(wide).n_outside == 0  # 7.5 is three times as wide as the next


@pytest.mark.slow
@pytest.mark.parametrize("size", [1e20, 1e95])
@pytest.mark.parametrize("column", [1, slice(None)])
@pytest.mark.parametrize("k", [2, 4])
def test_a_value_that_dwarfs_all_others_is_drawn(size: float, column: int | slice, k: int) -> None:
    """The axis is that of the other pairs, where there are any; all numbers stay finite."""
    names = tuple("abcd"[:k])
    values = 20 + np.random.default_rng(1).normal(size=(30, k)) + 2 * np.arange(k)
    values[6, column] = size
    warehouse = warehouse_of({Measure("cost", "smaller", "EUR"): values}, names)
    result = analyse(warehouse, AnalysisOptions(), np.random.default_rng(1))
    for drawn in draw(result, Canvas.of(names, 1, "d")):
        for svg in (drawn.screen, drawn.print, drawn.phone):
            places = re.findall(r' (?:d|x|y)="([^"]*)"', svg)
            assert not re.search(r"nan|inf|e\+|\d{6}", " ".join(places))
    shown = texts(draw(result, Canvas.of(names, 1, "d"))[0].screen)
    assert any("3 beyond the axis" in t for t in shown) == (k == 4 and column == 1)


@pytest.mark.slow
@pytest.mark.parametrize("n_blocks", [5, 9, 10])
@pytest.mark.parametrize("measure", [ERROR, TIME])
def test_each_of_few_differences_is_drawn_on_its_pair(measure: Measure, n_blocks: int) -> None:
    rng = np.random.default_rng(n_blocks)
    values = 0.2 + 0.1 * np.arange(3) + 0.02 * rng.random((n_blocks, 3))
    values[1, 2] = np.nan
    names = ("a", "b", "c")
    warehouse = warehouse_of({measure: values}, names)
    found = analyse(warehouse, AnalysisOptions(), np.random.default_rng(1))
    result = found[measure.name]
    plot = pair_plot(result, result.number_format)
    is_few = n_blocks < 10
    assert plot.has_points == is_few
    (figure,) = draw(found, Canvas.of(names, 1, "x"))
    root = ElementTree.fromstring(figure.screen)
    groups = [g for g in root.iter(SVG_GROUP) if "data-r" in g.attrib]
    assert len(groups) == (3 if is_few else 0)
    for row, group in zip(plot.rows, groups, strict=is_few):
        first, second = names.index(row.first), names.index(row.second)
        x, y = values[:, first], values[:, second]
        expected = y / x if result.is_ratio else y - x  # the smaller is better
        np.testing.assert_allclose(row.differences, expected)
        assert group.get("data-c") == f"{first} {second}"
        marks = [len(mark.attrib) > 0 for mark in group]
        assert marks == np.isfinite(expected).tolist()
        axis = _fit(plot, 200.0, 40.0)
        shown = [plot.factor * d for d in row.differences if np.isfinite(d)]
        assert axis.holds(shown).all()


def test_right_and_wrong_answers_have_counts_in_place_of_places() -> None:
    rng = np.random.default_rng(12)
    right = (rng.random((40, 3)) < [0.9, 0.6, 0.4]).astype(float)
    graded = right * rng.random((40, 3))
    for values, unit, is_of_counts in (
        (right, ITEM, True),
        (graded, ITEM, False),
        (right, REPLICATION, False),  # errors are tied on easy data sets: entries stay alike
    ):
        found = analysed_alone(values)
        assert found.is_of_counts == (values is right)
        (column,) = (
            c for c in pair_plot(found, found.number_format).columns if c.head == "won–tied–lost"
        )
        small = next(
            f
            for f in draw({"a": found}, Canvas.of(tuple("abc"), 2, "x", unit=unit))
            if f.name == "pairs-small"
        )
        assert ("–".join(("won", "tied", "lost")) in small.print) == is_of_counts
        assert ("decision" in small.print) != is_of_counts
        for cell, p in zip(column.cells, found.best_first, strict=True):
            a, b = (values[:, "abc".index(n)] for n in (p.first, p.second))
            assert cell == f"{(a > b).sum()}–{(a == b).sum()}–{(a < b).sum()}"


def analysed_alone(values: np.ndarray) -> MeasureInference:
    """Return the inference on shares of right answers."""
    warehouse = warehouse_of({Measure("accuracy", "larger", "share", (0, 1)): values}, "abc")
    (found,) = analyse(warehouse, AnalysisOptions(), np.random.default_rng(1)).values()
    return found
