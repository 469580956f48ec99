"""What the figures of the exploration show, and that any data can be drawn."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from reportgen.drawing import Canvas, palette
from reportgen.notation import number_format
from reportgen.performance_measure import Measure
from reportgen.report import Figure
from reportgen.sections import find_sections
from reportgen.sections.eda import Options
from reportgen.sections.eda.analysis import (
    CandidateSummary,
    MeasureExploration,
    Podium,
    WorstCases,
    analyse,
    drawn_rows,
)
from reportgen.sections.eda.figures import columns, draw, fit_strip, fit_values, n_places
from reportgen.stats.descriptive import describe
from tests.builders import Partly, Undrawn, warehouse_of

ERROR = Measure("misclassification", "smaller", "share", (0, 1))
ACCURACY = Measure("accuracy", "larger", "share", (0, 1))
TIME = Measure("fit-time", "smaller", "s", (0, None))
BUDGET = 75_000  # report.md: a benchmark experiment plot on a compact page
NAN = float("nan")
HEADS = ["mean", "95% interval", "SD", "mean rank", "best", "alone"]


def summary(name: str, values: np.ndarray) -> CandidateSummary:
    found = describe(values[np.isfinite(values)], 0.05)
    counts = {"mean_rank": 1.5, "n_best": 0, "n_best_alone": 0}
    return CandidateSummary(candidate=name, target="conditional", **asdict(found), **counts)


def podium(values: np.ndarray, names: list[str], *, is_smaller_better: bool) -> Podium | None:
    complete = np.isfinite(values).all(axis=1)
    if not complete.any() or len(names) < 2:
        return None
    signed = values[complete] * (1 if is_smaller_better else -1)
    ranks = signed.argsort(axis=1, kind="stable").argsort(axis=1) + 1
    places = tuple(
        {n: int((ranks[:, k] == p).sum()) for k, n in enumerate(names)}
        for p in range(1, len(names) + 1)
    )
    return Podium(places, len(ranks), 0, np.flatnonzero(complete) + 1, ranks)


def exploration(
    values: np.ndarray, names: list[str], measure: Measure = ERROR
) -> MeasureExploration:
    sign = 1 if measure.is_smaller_better else -1
    rows = [summary(n, values[:, k]) for k, n in enumerate(names)]
    return MeasureExploration(
        measure=measure, alpha=0.05, sorted_by="mean",
        summary=tuple(sorted(rows, key=lambda s: sign * s.mean)),
        podium=podium(values, names, is_smaller_better=measure.is_smaller_better),
        worst=WorstCases({}, {}, {}, 1, 0.95, 0.0, ()), tied=(), common_interval=None,
        n_missing=int(np.isnan(values).sum()),
        missing_candidates=(), n_test=None, n_drawn=len(drawn_rows(values)),
        candidates=tuple(names),
        replications=np.arange(1, len(values) + 1), values=values,
    )  # fmt: skip


def noise(b: int, k: int, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    level = 0.2 + 0.02 * rng.standard_normal((b, 1)) + np.linspace(0, 0.1, k)
    return np.clip(level + 0.02 * rng.standard_normal((b, k)), 0, 1)


def figures(seen: MeasureExploration, *, phone: bool = True) -> dict[str, Figure]:
    canvas = replace(Canvas.of(seen.candidates, 1, "d"), phone=phone)
    return {f.name: f for f in draw({seen.measure.name: seen}, canvas)}


def figure(name: str, seen: MeasureExploration) -> Figure:
    """Return one figure; the others are not drawn."""
    canvas = replace(Partly.of(seen.candidates, 1, "d"), name=name)
    (found,) = (f for f in draw({seen.measure.name: seen}, canvas) if f.name == name)
    return found


@pytest.fixture(scope="module")
def monks3(reference) -> MeasureExploration:
    data = pd.read_csv(reference / "data" / "monks3raw.csv")
    data = data[data.measure == "Misclassification"]
    wide = data.pivot(index="replication", columns="algorithm", values="value")
    names = list(dict.fromkeys(data.algorithm))
    return exploration(wide[names].to_numpy(), names)


@pytest.fixture(scope="module")
def drawn(monks3) -> dict[str, Figure]:
    return figures(monks3)


@pytest.fixture(scope="module")
def thirty() -> dict[str, Figure]:
    names = [f"{i:02d} an estimator with quite a long name" for i in range(30)]
    return figures(exploration(noise(10, 30), names))


def texts(svg: str) -> list[str]:
    return [t.text for t in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


# --------------------------------------------------------------------------- what is shown


@pytest.mark.slow
def test_two_figures_in_three_forms(drawn):
    assert list(drawn) == ["distribution", "podium"]
    for figure in drawn.values():
        assert figure.measure == "misclassification"
        for svg in (figure.screen, figure.print, figure.phone):
            ElementTree.fromstring(svg)


def test_distribution_data_are_the_values_best_first(monks3, drawn):
    rows = drawn["distribution"].data.rows
    assert len(rows) == 1500
    assert list(dict.fromkeys(r[0] for r in rows)) == ["svm", "rpart", "rf", "nnet", "knn", "lda"]
    k = monks3.candidates.index("nnet")
    assert [r[2] for r in rows if r[0] == "nnet"] == monks3.values[:, k].tolist()


def test_distribution_writes_the_means_in_their_order(drawn):
    shown = texts(drawn["distribution"].screen)
    means = ["1.10", "1.16", "1.97", "2.93", "3.44", "3.52"]
    assert [t for t in shown if t in means] == means
    assert "← better" in shown
    assert [t for t in shown if t in HEADS] == [*reversed(HEADS)]  # written from the right
    assert [t for t in texts(drawn["distribution"].phone) if t in HEADS] == ["best", "mean"]


def heads(seen: MeasureExploration) -> list[str]:
    return [column.head for column in columns(seen, number_format(seen.measure, [0.2]))]


def test_columns_are_those_that_have_values():
    names = list("abc")
    assert heads(exploration(noise(30, 3), names)) == HEADS
    assert heads(exploration(noise(1, 3), names)) == ["mean", "mean rank", "best", "alone"]
    assert heads(exploration(noise(30, 1), ["a"])) == HEADS[:3]
    gaps = np.where(np.eye(3) == 1, NAN, noise(3, 3))
    assert heads(exploration(gaps, names)) == [*HEADS[:3], "n"]
    median = replace(exploration(noise(30, 3), names), sorted_by="median")
    assert heads(median) == ["median", *HEADS]
    (first, *_) = columns(median, number_format(ERROR, [0.2]))
    assert first.cells == tuple(f"{100 * s.median:.2f}" for s in median.summary)


def boxes(svg: str) -> int:
    return len(re.findall(r"fill:var\(--w\d\)", svg))


def test_right_and_wrong_have_no_box():
    answers = (noise(40, 2) > 0.25).astype(float)
    found = figures(exploration(answers, list("ab"), ACCURACY))["distribution"]
    assert boxes(found.screen) == 0
    assert "box" not in found.alt
    assert boxes(figures(exploration(noise(40, 2), list("ab")))["distribution"].screen) == 2


def test_below_ten_values_there_is_no_box():
    values = noise(12, 3)
    values[:3, 2] = NAN  # nine are left
    few = figures(exploration(values, list("abc")))["distribution"]
    assert boxes(few.screen) == boxes(few.phone) == 2
    assert boxes(figures(exploration(noise(9, 3), list("abc")))["distribution"].screen) == 0


def marks(svg: str, whose: str) -> list[str]:
    """Return where the marks of a candidate are, or ("") the lines through all."""
    root = ElementTree.fromstring(svg)
    groups = [
        g for g in root.iter("{http://www.w3.org/2000/svg}g")
        if "data-r" in g.attrib and g.get("data-c", "") == whose
    ]  # fmt: skip
    assert len(groups) == 1
    return ["".join(mark.get(key, "") for key in ("d", "x", "y")) for mark in groups[0]]


def test_marks_are_linked_to_candidates_and_replications():
    values = noise(30, 3)
    values[:7, 2] = NAN
    drawn = figures(exploration(values, list("abc")))
    for svg in (drawn["distribution"].screen, drawn["distribution"].phone):
        assert [m == "" for m in marks(svg, "2")] == [True] * 7 + [False] * 23
        assert "" not in marks(svg, "0") + marks(svg, "1")
        assert set(re.findall(r'data-c="([^"]+)"', svg)) == {"0", "1", "2"}
    for svg in (drawn["podium"].screen, drawn["podium"].phone):
        for whose in ("", "0", "1", "2"):  # the first replications are not complete
            assert [m == "" for m in marks(svg, whose)] == [True] * 7 + [False] * 23


def test_podium_data_are_places_and_values(monks3, drawn):
    rows = drawn["podium"].data.rows
    assert len(rows) == 1500
    first = {name: sum(r[1] == name and r[2] == 1 for r in rows) for name in monks3.candidates}
    best = monks3.values.min(axis=1, keepdims=True)  # those that tie share the first place
    counts = (monks3.values == best).sum(axis=0).tolist()
    assert first == dict(zip(monks3.candidates, counts, strict=True))
    assert [r[4] for r in rows] == monks3.podium.ranks.ravel().tolist()
    assert [r[3] for r in rows] == monks3.values.ravel().tolist()


def test_podium_draws_a_line_and_marks_a_replication(drawn):
    assert len(set(marks(drawn["podium"].screen, ""))) > 200
    assert all(len(marks(drawn["podium"].screen, whose)) == 250 for whose in ("", "0", "5"))


def outlying() -> np.ndarray:
    """Return 5,000 replications of six candidates, the extremes of one where none is drawn."""
    values = noise(5000, 6)
    values[[4321, 1234], 0] = values[:, 0].min() - 0.01, values[:, 0].max() + 0.01
    return values


def test_very_many_replications_are_drawn_in_part():
    values = outlying()
    seen = exploration(values, list("abcdef"))
    drawn = figures(seen)
    assert seen.n_drawn == len(seen.drawn) <= 3000 // 6 + 2 * 6
    points = {name: [r for r in drawn["distribution"].data.rows if r[0] == name] for name in "af"}
    assert all(len(own) == seen.n_drawn for own in points.values())
    assert {4322, 1235} <= {replication for _, replication, _ in points["a"]}
    for k, name in enumerate("abcdef"):
        shown = [r[3] for r in drawn["podium"].data.rows if r[1] == name]
        assert (min(shown), max(shown)) == (values[:, k].min(), values[:, k].max())
    gaps = np.diff(seen.drawn)
    assert gaps.max() == 11  # evenly: each tenth, rounded
    # Places are of all replications, and none that is chosen in the page is in the figure.
    assert sum(seen.podium.places[0].values()) == 5000
    for drawing in drawn.values():
        assert "data-r" not in drawing.screen
        assert 'data-c="0"' in drawing.screen
        assert "<image" not in drawing.screen + drawing.print


@pytest.mark.parametrize(("n", "k", "n_drawn"), [(999, 6, 999), (399, 50, 399), (1500, 2, 1500)])
def test_no_part_is_drawn_that_is_more_than_half(n, k, n_drawn):
    values = noise(n, k)
    assert drawn_rows(values).tolist() == list(range(n_drawn))
    assert len(drawn_rows(np.vstack((values, values, values)))) < 2 * n


def test_a_part_of_replications_with_gaps_has_each_candidate():
    values = outlying()
    values[:4000, 5] = NAN
    seen = exploration(values, list("abcdef"))
    rows = figures(seen)["podium"].data.rows
    assert seen.n_complete_drawn == len(rows) // 6
    assert 90 <= seen.n_complete_drawn <= 112


def test_podium_labels_the_most_frequent_of_every_place(monks3, drawn):
    shown = texts(drawn["podium"].screen)
    for place in monks3.podium.places:
        best = max(place, key=place.get)
        assert f"{best} {place[best]}" in shown


def test_missing_values_are_counted_at_their_rows():
    values = noise(30, 3)
    values[:7, 2] = NAN
    shown = texts(figure("distribution", exploration(values, ["a", "b", "c"])).screen)
    assert "n" in shown
    assert shown.count("30") >= 2
    assert "23" in shown


def test_alt_texts_name_every_candidate(monks3, drawn):
    for figure in drawn.values():
        assert all(name in figure.alt for name in monks3.candidates)
    assert "svm mean 1.10" in drawn["distribution"].alt
    first = monks3.podium.places[0]
    assert all(f"{name} {first[name]}" in drawn["podium"].alt for name in monks3.candidates)


@pytest.mark.slow
def test_thirty_long_names_are_all_told_within_the_limit(thirty):
    for figure in thirty.values():
        assert len(figure.alt) <= 1500
        assert all(f"{i:02d} an estimator with" in figure.alt for i in range(30))


# ------------------------------------------------------------------------- what holds always


def test_ids_are_unique_over_figures_measures_and_forms(monks3, drawn):
    other = exploration(noise(15, 6), list(monks3.candidates), ACCURACY)
    both = (*drawn.values(), *figures(other).values())
    svgs = [svg for f in both for svg in (f.screen, f.phone)]
    ids = [i for svg in svgs for i in re.findall(r'\bid="([^"]+)"', svg)]
    assert len(ids) == len(set(ids)) > 20
    assert all(re.match(r"d-(distribution|podium)-", i) for i in ids)


def test_only_colours_of_the_house(drawn):
    names, values = palette(), {c.lower() for pair in palette().values() for c in pair}
    for figure in drawn.values():
        assert not re.search(r"(?:fill|stroke):#", figure.screen)
        assert set(re.findall(r"var\(--(\w+)\)", figure.screen)) <= set(names)
        used = re.findall(r"(?:fill|stroke):(#\w+)", figure.print)
        assert {c.lower() for c in used} <= values


def test_the_same_bytes_again():
    seen = exploration(noise(12, 3), list("abc"))
    assert figures(seen, phone=False) == figures(seen, phone=False)


def test_nothing_is_set_smaller_than_the_smallest_size(drawn):
    for figure in drawn.values():
        for svg in (figure.screen, figure.phone):
            sizes = [float(s) for s in re.findall(r'font-size="([\d.]+)"', svg)]
            assert min(sizes) >= 7.5


def test_words_stay_inside_the_drawing(drawn):
    for figure in drawn.values():
        for svg in (figure.screen, figure.phone):
            width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())
            for x, y in re.findall(r'<text[^>]* x="([-\d.]+)" y="([-\d.]+)"', svg):
                assert 0 <= float(x) <= width + 0.01
                assert 0 <= float(y) <= height


@pytest.mark.slow
@pytest.mark.parametrize(("b", "k"), [(250, 12), (250, 30), (1000, 6)])
def test_compact_pages_have_one_benchmark_experiment_plot_within_the_budget(b, k):
    seen = exploration(noise(b, k), [f"candidate {i}" for i in range(k)])
    drawn = draw({"e": seen, "f": seen}, Canvas.of(seen.candidates, 21, "d"))
    assert [f.name for f in drawn] == ["podium-small"]
    assert drawn[0].phone is None
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', drawn[0].screen).groups())
    assert width == 236
    assert height < 245  # pt: a third of a page
    assert len(drawn[0].screen.encode()) <= BUDGET


def test_six_candidates_need_no_image(drawn):
    assert all("<image" not in svg for f in drawn.values() for svg in (f.screen, f.print, f.phone))


@pytest.mark.slow
def test_entries_of_data_sets_have_a_small_plot():
    seen = exploration(noise(30, 3), list("abc"))
    few = draw({"e": seen, "f": seen}, Canvas.of(seen.candidates, 3, "d"))
    assert [f.name for f in few] == ["distribution", "podium"] * 2 + ["podium-small"]
    assert few[-1].phone is None


CASES = {
    "two candidates, larger is better": (noise(50, 2), ACCURACY),
    "one replication": (noise(1, 4), ERROR),
    "all the same": (np.full((20, 3), 0.1), ERROR),
    "all zero": (np.zeros((20, 3)), ERROR),
    "times over four powers of ten": (10 ** (30 * noise(40, 9) - 6), TIME),
    "tiny": (1e-7 * noise(40, 3), Measure("loss")),
    "huge": (1e9 * noise(40, 3), Measure("loss", unit_symbol="points")),
    "negative": (-noise(40, 3), Measure("log-likelihood", "larger")),
    "no complete block": (np.where(np.eye(3) == 1, NAN, noise(3, 3)), ERROR),
    "one candidate": (noise(30, 1), ERROR),
    "one value each": (np.where(np.eye(4) == 1, noise(4, 4), NAN), ERROR),
}


@pytest.mark.parametrize("case", CASES)
def test_any_data_can_be_drawn(case):
    values, measure = CASES[case]
    names = [f"candidate {i}" for i in range(values.shape[1])]
    for figure in figures(exploration(values, names, measure), phone=False).values():
        assert "nan" not in " ".join(re.findall(r' (?:d|x|y|transform)="([^"]*)"', figure.screen))
        is_log = measure is TIME
        assert any("log scale" in t for t in texts(figure.screen)) == is_log
        assert "inf" not in " ".join(re.findall(r' (?:d|x|y)="([^"]*)"', figure.screen))
        assert all(name in figure.alt for name in names)


@pytest.mark.parametrize(("n", "has_points"), [(9, True), (40, False)])
def test_right_and_wrong_answers_have_means_alone(n, has_points):
    rng = np.random.default_rng(3)
    seen = exploration((rng.random((n, 3)) < [0.7, 0.6, 0.5]).astype(float), list("abc"), ACCURACY)
    drawn = figures(seen)["distribution"]
    assert (" data-r=" in drawn.screen) == has_points == seen.has_points
    assert drawn.alt.startswith("Strip plot of" if has_points else "Means of")
    lows = [row.normal_interval[0] for row in seen.summary]
    axis = fit_strip(seen, seen.number_format, 200.0, 40.0)
    assert axis.holds([100 * min(lows)])[0]
    assert axis.holds([0.0])[0] == has_points
    assert all(
        fit_values(seen, seen.number_format, 200.0, 40.0).holds([0.0, 100.0])
    )  # boxes have all


def test_no_podium_without_a_complete_block():
    values, measure = CASES["no complete block"]
    seen = exploration(values, list("abc"), measure)
    drawn = draw({measure.name: seen}, Undrawn.of(seen.candidates, 1, "d"))
    assert "podium" not in {f.name for f in drawn}


@pytest.mark.parametrize(("n", "k", "is_drawn"), [(9, 3, False), (10, 2, False), (10, 3, True)])
def test_few_values_or_two_candidates_have_no_podium(n, k, is_drawn):
    seen = exploration(noise(n, k), list("abc")[:k])
    drawn = draw({seen.measure.name: seen}, Undrawn.of(seen.candidates, 1, "d"))
    assert ("podium" in {f.name for f in drawn}) == is_drawn


def test_many_candidates_show_the_first_places_and_say_so(thirty):
    figure = thirty["podium"]
    assert n_places(30) == 8
    assert "the first 8 of 30 places" in texts(figure.screen)
    assert "the first 5 of 30 places" in texts(figure.phone)
    assert "of which the first 8 are shown" in figure.alt


# ------------------------------------------------------------------------- one diverged fit


@pytest.mark.parametrize("size", [1e20, 1e95])
@pytest.mark.parametrize("column", [1, slice(None)])
def test_a_value_that_dwarfs_all_others_lies_beyond_the_axis(size, column):
    values = 20 + np.random.default_rng(1).normal(size=(30, 3)) + [0, 2, 4]
    values[6, column] = size
    seen = exploration(values, ["a", "b", "c"], Measure("cost", "smaller", "EUR"))
    n = 1 if column == 1 else 3
    for figure in figures(seen).values():
        shown = texts(figure.screen)
        assert any(f"EUR, {n} beyond the axis" in t for t in shown), figure.name
        places = re.findall(r' (?:d|x|y)="([^"]*)"', figure.screen)
        assert not re.search(r"nan|inf|e\+|\d{6}", " ".join(places))
        assert "20" in shown
        assert max(map(len, shown)) < 60


def test_usual_long_tails_are_drawn_whole():
    rng = np.random.default_rng(5)
    values = np.round(rng.lognormal(sigma=2, size=(250, 3)), 3) * [1, 1, 1000]
    shown = figure("distribution", exploration(values, ["a", "b", "c"], TIME))
    assert "beyond" not in " ".join(texts(shown.screen))


@pytest.mark.parametrize("unit", [1e80, 1e-80])
def test_units_of_any_size_are_drawn(unit):
    values = unit * (20 + np.random.default_rng(1).normal(size=(30, 3)))
    seen = exploration(values, ["a", "b", "c"], Measure("cost", "smaller", "EUR"))
    for figure in figures(seen).values():
        assert any("×1e" in t for t in texts(figure.screen)), figure.name


def test_right_and_wrong_answers_have_no_plot_of_places() -> None:
    rng = np.random.default_rng(12)
    right = (rng.random((30, 3)) < [0.9, 0.6, 0.4]).astype(float)
    runs = (right + (rng.random((30, 3)) < 0.5)) / 2
    for values, names in ((right, set()), (runs, set()), (rng.random((30, 3)), {"podium"})):
        measure = Measure("accuracy", "larger", "share", (0, 1))
        warehouse = warehouse_of({measure: values}, "abc")
        found = analyse(warehouse, Options(), np.random.default_rng(1))
        drawn = {f.name for f in draw(found, Canvas.of(tuple("abc"), 1, "x"))}
        assert drawn == {"distribution"} | names


def test_figures_on_request_are_drawn_for_phones_however_many_data_sets_there_are():
    seen = exploration(noise(12, 3), list("abc"))
    canvas = replace(Canvas.of(seen.candidates, 7, "d"), requested=frozenset({"boxes"}))
    found = find_sections()["eda"].draw({seen.measure.name: seen}, canvas)
    assert {f.name: f.phone is not None for f in found} == {"podium-small": False, "boxes": True}
