"""Figures and tables hold the numbers of the result."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import product

import pytest

from reportgen.drawing import PHONE_WIDTH, TEXT_WIDTH, Canvas, Sheet
from reportgen.drawing.style import house_settings
from reportgen.sections.sensitivity.analysis import label_of
from reportgen.sections.sensitivity.figures import (
    MOST_PANELS,
    draw,
    draw_estimates,
    lay_out,
    number_format_of,
    pairs_shown,
    panels,
    tabulate,
)
from tests.sections.sensitivity.making import SCHEMES, TURNING, design, find


@pytest.fixture(scope="module")
def turning():
    return find(design(TURNING))


@pytest.fixture(scope="module")
def drawn(turning):
    canvas = replace(Canvas.of(("anna", "bert", "cara"), 6, "sensitivity-0"), phone=True)
    return {figure.name: figure for figure in draw(turning, canvas)}


def test_a_number_with_most_levels_is_the_axis(turning):
    found = panels(turning["misclassification"]["line"])
    assert found.factor.name == "b2"
    assert [panel.label for panel in found.panels] == ["n = 50", "n = 150"]
    assert [x for x, _ in found.panels[0].rows] == [0.0, 0.1, 1.0]


def test_a_way_to_draw_samples_without_a_test_has_no_place():
    part = find(design(SCHEMES, n_blocks=(12, 12, 1)))["misclassification"]["line"]
    found = panels(part)
    assert found.factor.levels == ("bootstrap", "5 × 10-fold")
    assert [x for x, _ in found.panels[0].rows] == [0.0, 1.0]


def test_the_figure_shows_the_pair_that_turns(turning, drawn):
    assert list(drawn) == ["estimates"]
    part = turning["misclassification"]["line"]
    rows = drawn["estimates"].data.rows
    assert len(rows) == 6
    assert {row[3:5] for row in rows} == {("anna", "bert")}
    (pair,) = part.changed("reversed")
    setting = part.settings[3]
    found = {row[0]: row[5:] for row in rows}[setting.label]
    estimate, (lower, upper) = pair.estimates[setting.dataset], pair.intervals[setting.dataset]
    assert found == (-estimate, -upper, -lower, pair.verdicts[setting.dataset])  # less is better
    assert lower < estimate < upper
    for svg in (drawn["estimates"].screen, drawn["estimates"].print, drawn["estimates"].phone):
        ET.fromstring(svg)
    assert 'data-c="0 1"' in drawn["estimates"].screen
    assert "anna against bert: b2 = 0, n = 50 10.00 better" in drawn["estimates"].alt


def marks_of(part, width):
    """Draw, and return which marks of each panel are filled."""
    sheet = Sheet(Canvas.of(part.candidates, 1, "s").styles, width)
    with house_settings():
        draw_estimates(part, panels(part), number_format_of(part), sheet)
    ink = sheet.colour("ink")
    own = [[m for m in a.lines if m.get_markersize() == 5.4] for a in sheet.drawing.axes]
    return [[m.get_markerfacecolor() == ink for m in marks] for marks in own if marks]


@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
def test_what_is_decided_is_filled(turning, width):
    part = turning["misclassification"]["line"]
    assert marks_of(part, width) == [[True, False, True]] * 2


@pytest.mark.slow
@pytest.mark.parametrize("n_factors", [1, 2, 3])
@pytest.mark.parametrize("is_phone", [True, False])
def test_panels_have_places_of_their_own(n_factors, is_phone):
    made = [
        (dict(zip("abc"[:n_factors], levels, strict=True)), (0.2, 0.2 + 0.1 * levels[0], 0.4))
        for levels in product((0, 1), repeat=n_factors)
    ]
    part = find(design(made))["misclassification"]["line"]
    found = panels(part)
    cells = lay_out(part, found, is_phone=is_phone)
    assert len({(cell.line, cell.column) for cell in cells}) == len(cells)
    assert len(cells) == len(found.panels) * len(pairs_shown(part, found))
    assert max(cell.column for cell in cells) < (2 if is_phone else 4)


def test_without_a_change_the_two_best_are_shown():
    made = [({"n": n}, (0.4, 0.3, 0.2)) for n in (50, 100)]
    part = find(design(made))["misclassification"]["line"]
    assert part.ranking == ("cara", "bert", "anna")
    assert [(p.first, p.second) for p in part.shown] == [("cara", "bert")]
    assert not part.changing


def test_a_pair_is_read_the_way_in_which_it_is_decided_more_often():
    made = [({"n": n}, (0.3, 0.3 - gap)) for n, gap in ((1, 0.1), (2, 0.1), (3, -0.1))]
    part = find(design(made, ("anna", "bert")))["misclassification"]["line"]
    (pair,), (raw,) = part.changing, part.pairs
    assert (pair.first, raw.first) == ("bert", "anna")
    assert {d: -x for d, x in raw.estimates.items()} == pair.estimates
    assert all(pair.intervals[d][0] == -raw.intervals[d][1] for d in raw.intervals)
    assert list(pair.verdicts.values()) == ["better", "better", "worse"]
    assert pair.turned() == raw
    (one, *_) = raw.pairs.values()
    ratio = replace(one, scale="ratio", estimate=2.0, lower=1.6, upper=2.5)
    of_ratio = replace(raw, pairs={"d": ratio})
    assert of_ratio.turned().estimates == {"d": 0.5}
    assert of_ratio.turned().intervals == {"d": (0.4, 0.625)}


def test_trends_compare_the_ends_of_a_factor():
    made = [({"n": n}, (0.2, 0.2 + gap)) for n, gap in ((50, 0.0), (100, 0.1))]
    part = find(design(made, ("anna", "bert"), n_blocks=(12, 24)))["misclassification"]["line"]
    (trend,) = part.trends
    assert (trend.first, trend.last, trend.shares) == (50, 100, (0.0, 1.0))
    assert trend.replications == ((12, 12), (24, 24))
    assert trend.is_uneven
    widths = [row.half_width for row in part.settings]
    assert trend.width_ratio == pytest.approx(widths[1] / widths[0])
    assert find(design(SCHEMES))["misclassification"]["line"].trends == ()


@pytest.mark.slow
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
    assert list(found) == ["settings", "means", "levels", "pairs"]
    assert [row[0] for row in found["settings"].rows][:2] == ["b2 = 0, n = 50", "b2 = 0, n = 150"]
    assert found["means"].rows[0][1:] == pytest.approx((0.2, 0.3, 0.5))
    levels = {row[0]: row[1:3] for row in found["levels"].rows}
    assert levels["b2 = 0"] == (2, 100.0)
    assert levels["b2 = 0.1"] == (2, pytest.approx(100 * 4 / 6))
    assert found["pairs"].rows[0][:4] == (("anna", "bert"), 2, 2, 2)
    sizes = {"n_learn", "n_test"}  # which nobody knows here
    assert sizes.isdisjoint(column.name for column in found["settings"].columns)
    assert found["pairs"].quiet == (False, True, True)


def test_schemes_have_a_table_with_the_first_on_top():
    made = design(SCHEMES, n_blocks=(12, 12, 1))
    found = {table.name: table for table in tabulate(find(made))}
    first, folds, one = found["schemes"].rows
    assert first == ("bootstrap", 63.0, None, None, None, None, None)
    assert folds[:2] == ("5 × 10-fold", 90.0)
    assert folds[2] == pytest.approx(-0.04)
    assert one[-2:] == (None, None)  # nothing to compare: no tests
    orders = [row[-1] for row in found["settings"].rows]
    assert [order is None for order in orders] == [False, False, True]


def test_a_setting_may_have_no_name_of_its_own():
    assert label_of({}) == ""
