"""The report's renderer of SVG against matplotlib's own."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element, fromstring, tostring

import numpy as np
import pytest
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection
from matplotlib.lines import Line2D
from matplotlib.textpath import TextPath
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray

from reportgen.drawing import Sheet, candidate_styles
from reportgen.drawing.page import Mark, Stroke
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.drawing.style import house_settings
from reportgen.drawing.svg import _singly

SHOWN = 0.0051  # pt: coordinates have two decimals
OUTLINE = 0.02  # pt: letters are placed, and drawn, with two decimals


def draw(sheet: Sheet) -> None:
    """Draw something of each kind: inside, clipped, beyond the sheet, turned, missing."""
    ink = sheet.colour("ink")
    sheet.begin(120)
    page = sheet.page()
    page.text(10, 20, "a name", fontsize=7.5, color=ink)
    page.text(150, 60, "turned", rotation=90, va="center", ha="center", fontweight=600, color=ink)
    page.text(290, 20, "<right> & done", ha="right", va="center_baseline", alpha=0.5, color=ink)
    page.plot([5, 400, 20], [5, 300, 90], color=ink, lw=0.75, ls=(0, (4, 2)))
    page.fill([50, 90, 90], [50, 50, 80], color=sheet.colour("band"), lw=0, alpha=0.4)
    fill_boxes(page, [(1, 2, 3, 4), (5, 6, 7, 8)], ink, edgecolor=sheet.colour("rule"), lw=1)
    axes = sheet.axes(30, 20, 5, 5)
    draw_lines(axes, [[(0.1, 0.1), (0.9, 0.2)], [(0.2, 0.4), (0.3, 2.0)]], ink, 0.5)
    axes.plot([0.1, np.nan, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5], color=ink)
    axes.plot([0.1, np.nan, 0.5], [0.2, 0.3, 0.4], **sheet.mark("b", 5), clip_on=False)
    points = np.linspace(0.1, 0.9, 12)
    axes.scatter(points, points**2, s=9, marker="^", c=ink, alpha=0.6, lw=0)
    axes.scatter(points, points**3, s=20 * points, c=[ink, sheet.colour("ink2")] * 6, lw=0.5)
    lines = [np.column_stack((points, points * k)) for k in (0.3, 0.6, 3.0)]
    lines[1][3] = np.nan
    axes.add_collection(LineCollection(lines, colors=ink, lw=[0.5, 1.5], alpha=0.3))
    axes.pcolormesh([0.4, 0.5, 0.6], [0.1, 0.2], [[1.0, 2.0]], edgecolor=ink, lw=0.4)


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    with house_settings():
        found = Sheet(candidate_styles(["a", "b"]), 300)
        draw(found)
    return found


def own(sheet: Sheet, *, has_outlines: bool = False) -> Element:
    with house_settings():
        root = sheet.elements(has_outlines=has_outlines)
    for parent in list(root.iter()):
        parent[:] = _singly(parent)
    return root


def matplotlibs(sheet: Sheet) -> Element:
    buffer = io.StringIO()
    with house_settings():
        sheet.drawing.savefig(buffer, format="svg", metadata={"Date": None})
    root = fromstring(re.sub(' xmlns="[^"]+"', "", buffer.getvalue()))
    for element in root.iter():
        if link := element.attrib.pop("{http://www.w3.org/1999/xlink}href", None):
            element.set("href", link)
    return root


def numbers(text: str) -> NDArray[np.float64]:
    return np.array(re.findall(r"-?[\d.]+(?:e-?\d+)?", text), dtype=float)


def places(root: Element) -> list[tuple[str, NDArray[np.float64]]]:
    """Return the style and all points of each shape and mark that is painted, in order."""
    shapes = {e.get("id"): numbers(e.get("d", "")) for e in root.iter("path")}
    hidden = {e for defs in root.iter("defs") for e in defs.iter()}
    found = []
    for element in root.iter():
        style = re.sub(r"\s", "", element.get("style", ""))
        style = re.sub(r";stroke-line(join|cap):\w+", "", style)
        if element in hidden or not style or style == "fill:none":
            continue
        if element.tag == "path" and element.get("d"):
            found.append((style, numbers(element.attrib["d"])))
        if element.tag == "use":
            corner = [float(element.attrib[name]) for name in ("x", "y")]
            shape = shapes[element.attrib["href"].removeprefix("#")]
            found.append((style, shape + np.resize(corner, shape.shape)))
    return found


def style_numbers(styles: Iterable[str]) -> NDArray[np.float64]:
    return np.concatenate([numbers(re.sub(r"#\w+", "", style)) for style in styles])


def test_shapes_lines_and_marks_are_where_matplotlib_draws_them(sheet: Sheet) -> None:
    found, expected = places(own(sheet)), places(matplotlibs(sheet))
    assert len(found) == len(expected) > 40
    for (_, x), (_, y) in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, atol=2 * SHOWN)


def test_styles_are_matplotlibs(sheet: Sheet) -> None:
    found, expected = (
        [re.sub(r"[\d.]+(?=[;,]|$)", "", style) for style, _ in places(root)]
        for root in (own(sheet), matplotlibs(sheet))
    )
    assert found == expected
    found, expected = (
        [style for style, _ in places(root)] for root in (own(sheet), matplotlibs(sheet))
    )
    np.testing.assert_allclose(style_numbers(found), style_numbers(expected), atol=SHOWN)


def test_texts_stand_where_matplotlib_writes_them(sheet: Sheet) -> None:
    found, expected = (
        {e.text: e for e in root.iter("text")} for root in (own(sheet), matplotlibs(sheet))
    )
    assert list(found) == list(expected)
    for text, element in found.items():
        other = expected[text]
        style = other.attrib["style"]
        assert f"font-size: {element.get('font-size')}px" in style
        assert f"text-anchor: {element.get('text-anchor', 'start')}" in style or text == "turned"
        for name in ("x", "y") if text != "turned" else ("transform",):
            x, y = numbers(element.attrib[name]), numbers(other.attrib[name])
            np.testing.assert_allclose(x, y, atol=SHOWN)


@pytest.mark.parametrize("angle", [0, 30])
def test_outlines_of_letters_are_those_of_the_face(angle: float) -> None:
    with house_settings():
        sheet = Sheet({}, 300)
        sheet.begin(100)
        text = sheet.page().text(20, 40, "a name", fontsize=8.5, rotation=angle, va="baseline",
                                 rotation_mode="anchor", color=sheet.colour("ink"))  # fmt: skip
        outline = TextPath((0, 0), "a name", 8.5, prop=text.get_fontproperties())
    where = Affine2D().rotate_deg(angle).scale(1, -1).translate(20, 40)
    points = where.transform(outline.vertices[outline.codes != TextPath.CLOSEPOLY])
    letters = own(sheet, has_outlines=True)
    assert not list(letters.iter("text"))
    found = np.concatenate([points.reshape(-1, 2) for _, points in places(letters)])
    assert len(places(letters)) == len("aname")
    for edge in (np.min, np.max):
        np.testing.assert_allclose(edge(found, axis=0), edge(points, axis=0), atol=OUTLINE)


def test_marks_that_look_alike_share_a_shape(sheet: Sheet) -> None:
    uses = [e.attrib["href"] for e in own(sheet).iter("use")]
    assert max(uses.count(name) for name in set(uses)) >= 12


@pytest.mark.parametrize("scale", ["linear", "log"])
@pytest.mark.parametrize("on_page", [True, False])
def test_marks_and_strokes_are_those_that_matplotlib_draws_in_svg_and_pixels(
    scale: str, on_page: bool
) -> None:
    names = [f"name{k}" for k in range(32)]
    drawn = []
    for is_light in (True, False):
        with house_settings():
            sheet = Sheet(candidate_styles(names), 300)
            sheet.begin(120)
            page: Any = sheet.page()
            if not on_page:
                page = sheet.axes(10, 10, 10, 10)
                page.set(xlim=(3, 260), ylim=(110, 2), xscale=scale, xticks=[], yticks=[])
            for k, name in enumerate(names):
                place, look = ([8.0 * k + 6], [3.1 * k + 7]), sheet.mark(name, 3 + k % 7)
                mark: Artist = (
                    Mark(*place, **look) if is_light else Line2D(*place, **look, clip_on=False)
                )
                sheet.link(mark, name)
                page.add_artist(mark)
            many: tuple[Any, Any] = [20.0, 250.0, 400.0], [50.0, 60.5, 70.0]  # beyond the edge, too
            look, line = sheet.mark("name1"), {"color": sheet.colour("ink"), "lw": 1.25}
            mark = Mark(*many, **look) if is_light else Line2D(*many, **look, clip_on=False)
            page.add_artist(mark)
            for style in ({}, {"solid_capstyle": "round", "alpha": 0.4, "zorder": 3}):
                given = {**line, **style}
                stroke = Stroke(*many, **given)
                page.add_artist(stroke if is_light else Line2D(*many, **given, clip_on=False))
        svg = tostring(own(sheet))
        assert b'<g id="c-31">' in svg
        drawn.append((svg, sheet.to_png(150)))
    assert drawn[0] == drawn[1]
