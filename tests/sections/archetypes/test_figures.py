from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from reportgen.drawing import Canvas
from reportgen.drawing.parts import LONGEST_ALT
from reportgen.sections.archetypes.bars import MOST_LINES, pages
from reportgen.sections.archetypes.corners import corners
from reportgen.sections.archetypes.figures import draw
from reportgen.sections.archetypes.parallel import runs, spread_out
from tests.sections.archetypes.making import analysed, domain, table, triangle


def drawn(result, columns=()):
    names = columns or tuple(g.name for g in result.groups)
    figures = draw(result, replace(Canvas.of(names, 1, "archetypes-0"), phone=False))
    for figure in figures:
        ElementTree.fromstring(figure.screen)
        ElementTree.fromstring(figure.print)
        assert 0 < len(figure.alt) <= LONGEST_ALT
        assert all(len(row) == len(figure.data.columns) for row in figure.data.rows)
    return {f.name: f for f in figures}


def test_a_domain_has_its_figures():
    result = analysed(domain(gaps=0.02), samples=0)
    figures = drawn(result)
    assert set(figures) == {"scree", "profiles", "parallel", "corners", "made-of", "panorama"}
    assert "The elbow is at 3." in figures["scree"].alt
    assert "anna: " in figures["corners"].alt
    assert len(figures["corners"].data.rows) == result.n_rows
    assert figures["made-of"].data.rows[0][:2] == ("anna", 1)


def test_a_robust_fit_shows_residuals_and_weights():
    result = analysed(table(triangle(40, 3), tuple("abcd" * 10)), fit="robust", samples=0, k=3)
    figures = drawn(result, result.columns)
    assert {"residuals", "corners", "panorama"} <= set(figures)
    assert "3 have no weight: b, c, d" in figures["residuals"].alt
    assert [row[2] for row in figures["residuals"].data.rows[-3:]] == [0, 0, 0]


def test_nothing_is_drawn_of_nothing():
    assert draw(analysed(table(np.ones((5, 2)))), Canvas.of(("x0",), 1, "a")) == ()


def test_corners_are_as_far_apart_as_can_be():
    for k in (3, 4, 7):
        at = corners(k)
        assert at[0] == pytest.approx([0, 1])
        assert np.linalg.norm(at, axis=1) == pytest.approx(1)
        assert at.sum(axis=0) == pytest.approx(0, abs=1e-12)


def test_lines_break_at_gaps_and_numbers_keep_apart():
    assert runs(np.array([1, 2, np.nan, 4, np.nan, 6, 7])) == [[(0, 1), (1, 2)], [(5, 6), (6, 7)]]
    assert spread_out([0.5, 0.5, 0.98], 0.1) == pytest.approx([0.5, 0.6, 0.98])
    assert max(spread_out([0.99, 0.98, 1.0], 0.1)) == pytest.approx(1)
    assert min(np.diff(sorted(spread_out([0.99, 0.98, 1.0], 0.1)))) == pytest.approx(0.1)


def test_many_columns_are_paged():
    found = pages(2 * MOST_LINES + 1)
    assert [p.last - p.first for p in found] == [40, 41, 40]
    assert pages(5)[0].last == 5
