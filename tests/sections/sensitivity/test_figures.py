"""Figures and tables hold the numbers of the result."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from reportgen.drawing import Canvas
from reportgen.sections.sensitivity.analysis import label_of
from reportgen.sections.sensitivity.figures import MOST_PANELS, draw, panels
from reportgen.sections.sensitivity.tables import tabulate
from tests.sections.sensitivity.making import SCHEMES, TURNING, design, find


@pytest.fixture(scope="module")
def turning():
    return find(design(TURNING))


@pytest.fixture(scope="module")
def drawn(turning):
    canvas = Canvas.of(("anna", "bert", "cara"), 6, "sensitivity-0")
    return {figure.name: figure for figure in draw(turning, canvas)}


def test_a_number_with_most_levels_is_the_axis(turning):
    found = panels(turning["misclassification"]["line"])
    assert found.factor.name == "b2"
    assert [panel.label for panel in found.panels] == ["n = 50", "n = 150"]
    assert [x for x, _ in found.panels[0].rows] == [0.0, 0.1, 1.0]


def test_figures_show_every_mean(turning, drawn):
    part = turning["misclassification"]["line"]
    rows = drawn["levels"].data.rows
    assert len(rows) == 18
    row = part.settings[3]
    found = {r[3]: r[4:] for r in rows if r[0] == row.label}
    assert found["bert"] == (row.means["bert"], *row.intervals["bert"])
    assert [r[2] for r in drawn["power"].data.rows] == [r.n_distinguished for r in part.settings]
    for figure in drawn.values():
        for svg in (figure.screen, figure.print, figure.phone):
            ET.fromstring(svg)
    assert "b2 = 0, n = 50: anna 20.00, bert 30.00, cara 50.00" in drawn["levels"].alt


def test_panels_are_not_without_end():
    made = [({"n": n, "m": m}, (0.1, 0.2)) for n in range(2, 7) for m in (1, 2)]
    made += [({"n": 5, "m": 3 + m}, (0.1, 0.2)) for m in range(14)]
    part = find(design(made, ("anna", "bert"), n_blocks=3))["misclassification"]["line"]
    found = panels(part)
    assert found.factor.name == "m"
    assert len(found.panels) + found.n_left_out == 5
    assert len(found.panels) <= MOST_PANELS


def test_tables_have_a_row_a_setting_and_a_pair(turning):
    found = {table.name: table for table in tabulate(turning)}
    assert list(found) == ["settings", "power", "pairs"]
    assert [row[0] for row in found["settings"].rows][:2] == ["b2 = 0, n = 50", "b2 = 0, n = 150"]
    assert found["settings"].rows[0][2:5] == pytest.approx((0.2, 0.3, 0.5))
    assert found["pairs"].rows[0][:4] == (("anna", "bert"), 2, 2, 2)
    sizes = {"n_learn", "n_test"}  # which nobody knows here
    assert sizes.isdisjoint(column.name for column in found["power"].columns)
    assert found["pairs"].quiet == (False, True, True)


def test_schemes_have_a_table_with_the_first_on_top():
    made = design(SCHEMES, n_blocks=(12, 12, 1))
    found = {table.name: table for table in tabulate(find(made))}
    first, folds, one = found["schemes"].rows
    assert first == ("bootstrap", 63.0, None, None, None, None, None)
    assert folds[:2] == ("5 x 10-fold", 90.0)
    assert folds[2] == pytest.approx(-0.04)
    assert one[-2:] == (None, None)  # nothing to compare: no tests
    orders = [order for _, order, *_ in found["settings"].rows]
    assert [order is None for order in orders] == [False, False, True]


def test_a_setting_may_have_no_name_of_its_own():
    assert label_of({}) == ""
