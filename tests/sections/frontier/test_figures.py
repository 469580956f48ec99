"""Figures and tables show the numbers of the result."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from reportgen.drawing import Canvas, text_width
from reportgen.drawing.sheet import Sheet
from reportgen.drawing.style import PHONE_WIDTH, TEXT_WIDTH, candidate_styles, house_settings
from reportgen.rendering.tables import format_cells
from reportgen.sections.frontier.figures import (
    _labels,
    _lines_of,
    _Plane,
    draw,
    draw_plane,
    tabulate,
)
from tests.builders import warehouse_of
from tests.sections.frontier.making import find
from tests.sections.frontier.test_analysis import constant, domain, of
from tests.sections.reading import ACCURACY, ERROR, SCORE, TIME

X_HEIGHT = 4.5  # pt: of small letters of 9 pt


def drawn(result, names):
    return draw(result, Canvas.of(names, 1, "frontier-0"))


def test_the_shown_measure_is_drawn_with_all_its_numbers():
    result = of([0.3, 0.1, 0.2, 0.15], [1.0, 4.0, 2.0, 80.0], sd=0.01)
    (figure,) = drawn(result, ("anna", "bert", "cara", "dora"))
    assert (figure.name, figure.measure, figure.fault) == ("frontier", "fit-time", "")
    for svg in (figure.screen, figure.print, figure.phone):
        ET.fromstring(svg)
    rows = {row[0]: row[1:] for row in figure.data.rows}
    a = result.chosen.place("anna")
    expected = (a.main.mean, *a.main.interval, *a.main.middle, a.other.mean, *a.other.interval,
                *a.other.middle, 1)  # fmt: skip
    assert rows["anna"] == expected
    assert [rows[n][-1] for n in ("anna", "bert", "cara", "dora")] == [1, 1, 1, 0]
    assert "anna 30.00%, 1.000 s" in figure.alt
    assert "frontier: anna, cara, bert" in figure.alt


@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
def test_marks_lines_and_names_are_linked_to_their_candidate(width):
    names = ("anna", "bert", "cara")
    found = of([0.3, 0.1, 0.2], [1.0, 4.0, 2.0], sd=0.01).chosen
    sheet = Sheet(candidate_styles(names), width)
    with house_settings():
        draw_plane(found, sheet)
        written = [e.get("id") for e in sheet.elements().iter()]
    for i in range(3):
        assert written.count(f"c-{i}") == 6  # four lines, a mark and a name


@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("larger", [False, True])
def test_the_line_leaves_nobody_beyond_it(width, larger):
    rng = np.random.default_rng(2)
    measures = (ACCURACY, SCORE) if larger else (ERROR, TIME)
    values = {m: constant(rng.uniform(0.1, 0.9, 12), sd=0.001) for m in measures}
    names = [f"m{i}" for i in range(12)]
    found = find(warehouse_of(values, names)).chosen
    with house_settings():
        plane = _Plane(found, Sheet(candidate_styles(names), width))
    line = plane.line()
    ways = (-1, -1) if larger else (1, 1)  # of x on the page and y, which counts from above
    for p in found.places:
        x, y = plane.mark(p)
        behind = [(cx, cy) for cx, cy in line if ways[0] * (x - cx) >= -1e-6]
        assert any(ways[1] * (cy - y) >= -1e-6 for _, cy in behind)
        assert (p.candidate in found.frontier) == ((x, y) in line)


@pytest.mark.parametrize("n_datasets", [1, 21, 60])
def test_a_phone_has_a_drawing_of_its_width_however_many_data_sets_there_are(n_datasets):
    names = ("anna", "bert")
    (figure,) = draw(of([0.3, 0.1], [1.0, 4.0]), Canvas.of(names, n_datasets, "frontier-0"))
    assert float(ET.fromstring(figure.phone).get("viewBox").split()[2]) == PHONE_WIDTH


@pytest.mark.parametrize("n", [2, 6, 30])
@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
def test_names_cover_neither_one_another_nor_marks(n, width):
    rng = np.random.default_rng(5)
    values = {ERROR: constant(rng.uniform(0.1, 0.2, n)), TIME: constant(np.exp(rng.normal(size=n)))}
    names = [f"method {i}" for i in range(n)]
    found = find(warehouse_of(values, names)).chosen
    sheet = Sheet(candidate_styles(names), width)
    plane = _Plane(found, sheet)
    labels = _labels(plane, {name: name for name in names}, sheet)
    assert len(labels) >= 0.8 * n  # the others stand in a key
    (figure,) = drawn(find(warehouse_of(values, names)), names)
    for name in names:
        assert f">{name}<" in figure.screen
        assert f">{name}<" in figure.phone


@pytest.mark.parametrize("width", [TEXT_WIDTH, PHONE_WIDTH])
@pytest.mark.parametrize("seed", range(3))
def test_names_of_15_candidates_cover_no_interval(seed, width):
    rng = np.random.default_rng(seed)
    names = [f"candidate {i}" for i in range(15)]
    times = constant(10 ** rng.uniform(-2, 1, 15))
    values = {ERROR: constant(rng.uniform(0.1, 0.3, 15), sd=0.01),
              TIME: times * np.exp(0.2 * rng.normal(size=times.shape))}  # fmt: skip
    found = find(warehouse_of(values, names)).chosen
    sheet = Sheet(candidate_styles(names), width)
    plane = _Plane(found, sheet)
    labels = _labels(plane, {name: name for name in names}, sheet)
    lines = [np.array(line.points) for p in found.places for line in _lines_of(plane, p)]
    ends = np.array([[line.min(axis=0), line.max(axis=0)] for line in lines])
    assert len(labels) == 15
    for name, label in labels.items():
        low = label.x, label.y - X_HEIGHT / 2
        high = label.x + text_width(name, sheet.label), label.y + X_HEIGHT / 2
        assert not ((ends[:, 0] < high) & (ends[:, 1] > low)).all(axis=1).any()


def test_extreme_values_are_drawn():
    made = {ERROR: constant([0.3, 0.1]), TIME: constant([1e-60, 1e60])}
    for result in (
        find(warehouse_of(made, "ab")),
        of([0.1, 0.1], [1.0, 1.0]),
        of([0.1, 0.2], [-1.0, 0.0]),
        find(domain(2, 1)[0]),
    ):
        (figure,) = drawn(result, ("a", "b", "c", "anna", "bert"))
        ET.fromstring(figure.screen)
    assert drawn(of([0.1, np.nan], [1.0, 1.0]), ("anna", "bert")) == ()


def test_tables_have_both_measures_in_their_units():
    (table,) = tabulate(of([0.3, 0.1, 0.2], [0.001, 0.004, 0.0562]))
    labels = [column.label for column in table.columns]
    assert labels == [
        "Candidate",
        "Geometric mean time, ms",
        "95% interval",
        "Times the fastest",
        "Slowest, ms",
        "Mean error, %",
        "Worst error, %",
    ]
    cells = [[cell.text for cell in row[1:]] for row in format_cells(table)]
    assert cells[0] == ["1.0", "1.0 to 1.0", "1.00", "1.0", "30.00", "30.00"]
    assert cells[2][2] == "56.2"
    (table,) = tabulate(find(domain()[0]))
    assert [c.label for c in table.columns][-1] == "On"
    assert table.columns[1].label.startswith("Geometric mean time")
