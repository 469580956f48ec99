from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from reportgen.drawing import PHONE_WIDTH, TEXT_WIDTH, THIN, Canvas, Sheet
from reportgen.drawing.labels import LONGEST_ALT
from reportgen.drawing.style import house_settings
from reportgen.sections.archetypes.figures import (
    MOST_LINES,
    corners,
    draw,
    draw_corners,
    draw_scree,
    pages,
)
from tests.sections.archetypes.making import (
    NAMES,
    analysed,
    domain,
    outliers_of_rows,
    table,
    triangle,
)


def drawn(result, columns=()):
    names = columns or tuple(g.name for g in result.groups)
    figures = draw(result, replace(Canvas.of(names, 1, "archetypes-0"), phone=False))
    for figure in figures:
        ElementTree.fromstring(figure.screen)
        ElementTree.fromstring(figure.print)
        assert 0 < len(figure.alt) <= LONGEST_ALT
        assert all(len(row) == len(figure.data.columns) for row in figure.data.rows)
    return {f.name: f for f in figures}


@pytest.mark.slow
def test_a_domain_has_its_figures():
    result = analysed(domain(gaps=0.02), samples=0)
    figures = drawn(result)
    assert set(figures) == {"scree", "profiles", "corners"}
    assert "The elbow is at 3." in figures["scree"].alt
    assert "anna: " in figures["corners"].alt
    assert len(figures["corners"].data.rows) == result.n_rows
    for name in ("anna", "bert", "cara", "dora"):
        assert f'data-c="{NAMES.index(name)}"' in figures["corners"].screen


@pytest.mark.slow
def test_rows_without_weight_are_open():
    result = outliers_of_rows(3)
    sheet = Sheet({}, TEXT_WIDTH)
    with house_settings():
        draw_corners(result, sheet)
    open_marks = [
        line for line in sheet.drawing.findobj(Line2D) if line.get_markeredgewidth() == THIN
    ]
    assert [len(line.get_xdata()) for line in open_marks] == [result.n_outliers]
    assert result.n_outliers >= 3


def test_rings_on_one_another_say_how_many_they_are(five):
    """Rings that are seen are not counted."""
    alpha = np.eye(5)[[0, 0, 0, 1, 2]]
    rows = {"alpha": alpha, "labels": ("a",) * 5, "values": five.values[:5], "groups": ()}
    rows |= {"row_weights": np.zeros(5), "residuals": np.ones(5), "rows": "table", "fit": "robust"}
    sheet = Sheet({}, TEXT_WIDTH)
    with house_settings():
        draw_corners(replace(five, **rows), sheet)
    texts = [t.get_text() for t in sheet.drawing.findobj(Text)]
    assert [text for text in texts if text.endswith(" rows")] == ["3 rows"]


def box_of(sheet, text):
    """Return where a text stands, in points from the lower left corner."""
    renderer = FigureCanvasAgg(sheet.drawing).get_renderer()
    (found,) = [t for t in sheet.drawing.findobj(Text) if t.get_text() == text]
    return Bbox(found.get_window_extent(renderer).get_points() * 72 / sheet.drawing.dpi)


@pytest.fixture(scope="module")
def five():
    return analysed(table(triangle(30)), k=5, samples=0, starts=1)


def scree_of(result, k, elbow, left, width):
    steps = tuple(
        replace(result.steps[0], k=i + 1, explained=1 - part) for i, part in enumerate(left)
    )
    sheet = Sheet({}, width)
    with house_settings():
        changed = replace(result, k=k, elbow=elbow, is_by_elbow=False, steps=steps)
        draw_scree(changed, sheet)
    return sheet


@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize(
    ("k", "elbow", "left"),
    [
        (1, 3, (1, 0.5, 0.2, 0.1)),
        (2, 1, (1, 0.95, 0.94, 0.93)),
        (4, 5, (1, 0.6, 0.4, 0.3, 0.25, 0.24, 0.23, 0.22)),
        (8, 7, (1, 0.6, 0.4, 0.3, 0.25, 0.24, 0.12, 0.11)),
        (4, 4, (1, 0.5, 0.2, 0.1)),
    ],
)
def test_labels_of_the_scree_stand_on_their_own(five, k, elbow, left, width):
    sheet = scree_of(five, k, elbow, left, width)
    marks = ["elbow, and asked for"] if k == elbow else ["asked for", "elbow"]
    boxes = [box_of(sheet, text) for text in (*marks, "left unexplained (%)")]
    for i, box in enumerate(boxes):
        (axes,) = sheet.drawing.axes
        assert box.x1 <= axes.get_position().x1 * width + 1  # hinted for pixels
        assert not any(box.overlaps(other) for other in boxes[:i])


def test_nothing_is_drawn_of_nothing():
    assert draw(analysed(table(np.ones((5, 2)))), Canvas.of(("x0",), 1, "a")) == ()


def test_corners_are_as_far_apart_as_can_be():
    for k in (3, 4, 7):
        at = corners(k)
        assert at[0] == pytest.approx([0, 1])
        assert np.linalg.norm(at, axis=1) == pytest.approx(1)
        assert at.sum(axis=0) == pytest.approx(0, abs=1e-12)


def test_many_columns_are_paged():
    found = pages(2 * MOST_LINES + 1)
    assert [p.last - p.first for p in found] == [40, 41, 40]
    assert pages(5)[0].last == 5
