"""What a page can link: candidates' marks, and one element a replication."""

from __future__ import annotations

import re
from functools import partial
from xml.etree.ElementTree import Element, fromstring

import numpy as np
import pytest
from matplotlib.collections import LineCollection

from reportgen.drawing import Canvas, Sheet, candidate_styles
from reportgen.drawing.style import house_settings
from reportgen.drawing.svg import (
    FEW_LINKED,
    MOST_LINKED,
    _relative,
    _repeated,
    _shorter,
    for_print,
    for_screen,
)
from reportgen.report import Series

SVG = "{http://www.w3.org/2000/svg}"
X = np.arange(5.0)
GAPS = np.array([0.0, 1.0, np.nan, 3.0, 4.0])
TENTH = 0.051  # pt: marks of replications are written to a tenth


def draw(sheet: Sheet, n: int = 5) -> None:
    """Draw a pair's row, one candidate's points, and dots and lines of replications."""
    sheet.begin(100)
    axes = sheet.axes(0, 0, 0, 0)
    axes.set(xlim=(-1, 5), ylim=(-1, 5))
    sheet.link(axes.text(1, 1, "svm – rf"), "svm", "rf")
    (points,) = axes.plot(np.tile(X, 4), np.tile(X, 4), **sheet.mark("rf", 3))
    sheet.link(points, "rf")
    marker = sheet.styles["svm"].shape
    x, y = np.resize(X, n), np.resize(GAPS, n)
    dots = axes.scatter(x, y, c=sheet.ink("svm"), s=9, marker=marker, alpha=0.6, lw=0)
    sheet.link_replications(dots, "svm")
    lines = [np.column_stack((X, X + b)) for b in range(3)]
    lines[1] = np.empty((0, 2))
    drawn = LineCollection(lines, colors=sheet.colour("ink"), lw=0.5, alpha=0.3)
    axes.add_collection(drawn)
    sheet.link_replications(drawn)


def raw(n: int = 5) -> Element:
    with house_settings():
        sheet = Sheet(candidate_styles(["rf", "svm"]), 300)
        draw(sheet, n)
        return sheet.elements()


@pytest.fixture(scope="module")
def screen() -> Element:
    return fromstring(for_screen(raw(), "k"))


def groups(root: Element, name: str) -> list[Element]:
    return [e for e in root.iter(f"{SVG}g") if name in e.attrib]


def test_whose_a_mark_is_stays_at_its_group(screen: Element) -> None:
    assert [g.get("data-c") for g in groups(screen, "data-c")] == ["1", "0", "1 0"]
    pair = groups(screen, "data-c")[2]
    assert [e.text for e in pair.iter(f"{SVG}text")] == ["svm – rf"]


def test_linked_points_stay_one_element_each(screen: Element) -> None:
    points = groups(screen, "data-c")[1]
    assert len(list(points.iter(f"{SVG}use"))) == 20


def test_a_childs_number_is_its_replication(screen: Element) -> None:
    dots = groups(screen, "data-r")[0]
    assert dots.get("data-c") == "1"
    assert [e.tag for e in dots] == [f"{SVG}use"] * 5
    assert [e.get("x") is None for e in dots] == np.isnan(GAPS).tolist()
    at = [50.0 * (x + 1) for x in X]
    found = [float(e.get("x", "nan")) for e in dots]
    assert np.delete(found, 2) == pytest.approx(np.delete(at, 2), abs=TENTH)


def test_a_line_that_is_missing_is_an_empty_one(screen: Element) -> None:
    lines = groups(screen, "data-r")[1]
    assert "data-c" not in lines.attrib
    assert [bool(e.get("d")) for e in lines] == [True, False, True]


def test_what_replications_share_stands_at_their_group(screen: Element) -> None:
    """An opacity would be that of the group as a whole."""
    dots, lines = groups(screen, "data-r")
    assert dots.get("style") == "fill:var(--c1);fill-opacity:0.6"
    assert "stroke-opacity:0.3" in lines.get("style", "")
    assert all("style" not in e.attrib for e in (*dots, *lines))


def test_paper_has_no_links_and_nothing_empty() -> None:
    printed = for_print(raw(), "k")
    assert "data-" not in printed
    assert "<path />" not in printed
    many = [np.column_stack((X, X + b)) for b in range(30)]
    many[4] = np.empty((0, 2))

    def draw_lines(sheet: Sheet) -> None:
        sheet.begin(100)
        axes = sheet.axes(0, 0, 0, 0)
        axes.add_collection(LineCollection(many, colors=sheet.colour("ink"), lw=0.5))

    figure = Canvas.of(["a"], 1, "d").figure("x", "", draw_lines, alt="", data=Series((), ()))
    lines = next(g for g in fromstring(figure.print).iter(f"{SVG}g") if len(g) > 5)
    assert len(lines) == 29


def test_too_many_marks_are_gathered_and_keep_whose_they_are() -> None:
    root = fromstring(for_screen(raw(2 * MOST_LINKED), "k"))
    assert groups(root, "data-r") == []
    assert [g.get("data-c") for g in groups(root, "data-c")] == ["1", "0", "1 0"]
    assert len(list(root.iter(f"{SVG}use"))) < 100


def test_an_image_is_no_replication() -> None:
    def paint(sheet: Sheet) -> None:
        sheet.begin(100)
        axes = sheet.axes(0, 0, 0, 0)
        dots = axes.scatter(X, X, c=sheet.ink("rf"), lw=0, rasterized=True)
        sheet.link_replications(dots, "rf")

    canvas = Canvas.of(["rf"], 1, "d")
    figure = canvas.figure("x", "m", paint, alt="", data=Series((), ()))
    assert "data-r" not in figure.screen


@pytest.mark.parametrize("n_datasets", [2, 6, 60])
def test_pages_of_several_data_sets_gather_replications(n_datasets: int) -> None:
    canvas = Canvas.of(["rf", "svm"], n_datasets, "d")
    figure = canvas.figure("x", "m", partial(draw, n=2 * FEW_LINKED), alt="", data=Series((), ()))
    assert 'data-c="1"' in figure.screen
    assert "data-r" not in figure.screen
    assert figure.screen.count("<use") < FEW_LINKED


def test_paper_has_long_runs_of_a_mark_as_one_shape() -> None:
    def triangles(sheet: Sheet) -> None:
        sheet.begin(100)
        axes = sheet.axes(0, 0, 0, 0)
        axes.set(xlim=(0, sheet.width), ylim=(sheet.height, 0))
        axes.axis("off")
        axes.scatter(
            10 + 10 * np.arange(20), 5 + 2 * np.arange(20), marker="^", s=9, c=sheet.ink("a")
        )
        axes.scatter([5.0], [50.0], marker="s", s=9, c=sheet.ink("a"))

    drawn = Canvas.of(["a"], 1, "d").figure("f", "m", triangles, alt="", data=Series((), ()))
    root = fromstring(drawn.print)
    (merged,) = [d for p in root.iter(f"{SVG}path") if (d := p.get("d", "")).count("M") == 20]
    tops = [mark.split()[:2] for mark in merged.removeprefix("M").split("M")]
    steps = np.diff(np.array(tops, dtype=float), axis=0)
    np.testing.assert_allclose(steps, np.tile([10.0, 2.0], (19, 1)), atol=TENTH)
    assert len(list(root.iter(f"{SVG}use"))) == 1  # a single mark stays one


def test_paper_has_discs_as_dots_and_each_mark_once_at_a_place() -> None:
    def discs(sheet: Sheet) -> None:
        sheet.begin(100)
        axes = sheet.axes(0, 0, 0, 0)
        axes.set(xlim=(0, sheet.width), ylim=(sheet.height, 0))
        axes.axis("off")
        x = 10 + 10 * np.repeat(np.arange(15), 2)
        axes.scatter(x, x / 2, marker="o", s=9, c=sheet.ink("a"), lw=0, alpha=0.6)
        axes.scatter(x, x / 4, marker="s", s=9, c=sheet.ink("a"), lw=0)

    drawn = Canvas.of(["a"], 1, "d").figure("f", "m", discs, alt="", data=Series((), ()))
    dots, squares = fromstring(drawn.print).iter(f"{SVG}path")
    assert dots.get("d", "").split("h.01")[:-1] == [f"M{n} {n / 2:g}" for n in range(10, 160, 10)]
    style = dots.get("style", "")
    assert "stroke-linecap:round" in style
    assert "stroke-width:3;" in style
    assert "stroke-opacity:0.6" in style
    assert "fill:none" in style
    assert squares.get("d", "").count("M") == 15


def test_relative_lines_lead_to_the_points_to_a_tenth() -> None:
    rng = np.random.default_rng(4)
    lines = [rng.normal(0, 30, (n, 2)) for n in (1, 2, 7, 40)]
    paths = _relative(lines)
    assert "".join(paths).count("l") == 3  # none where there is one point
    for line, path in zip(lines, paths, strict=True):
        steps = np.array(re.findall(r"-?[\d.]+", path), dtype=float).reshape(-1, 2)
        np.testing.assert_allclose(steps.cumsum(axis=0), line, atol=TENTH)
    assert _relative([]) == []


def test_curves_are_no_straight_lines() -> None:
    paths = ["M1 2 3 4", "M0 0C1 1 2 2 3 3", "M1 2 3 4 5 6z", "M-0.5 1 2.25 3 4 5"]
    assert _shorter(paths) == ["M1 2l2 2", *paths[1:3], "M-0.5 1l2.7 2 1.8 2"]


def test_a_shape_is_repeated_at_each_place() -> None:
    found = _repeated("M0 -1.5 1 1C0 0 1 1 2 2z", [("10", "20.25"), ("-1", "0")])
    assert found == "M10 18.75 11 21.25C10 20.25 11 21.25 12 22.25zM-1 -1.5 0 1C-1 0 0 1 1 2z"
