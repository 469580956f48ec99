"""The row plot and what is made of it: where things stand, and what gives way to what."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from xml.etree.ElementTree import fromstring

import numpy as np
import pytest

from reportgen.drawing import PHONE_WIDTH, TEXT_WIDTH, Sheet, candidate_styles, fit_axis
from reportgen.drawing.plots.grid import MOST, Grid, draw_grid
from reportgen.drawing.plots.pairs import PairPlot, PairRow, draw_pairs
from reportgen.drawing.plots.rows import (
    DIVIDER,
    FOOT,
    HEADS,
    LEAST_AXIS,
    PX,
    STROKE,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
    snap,
)
from reportgen.drawing.style import house_settings
from reportgen.drawing.svg import for_print

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("a", "b", "c", "d")
ROUNDING = 0.011  # pt: drawings are written to a hundredth


def drawn(draw: Callable[[Sheet], None], names: tuple[str, ...], width: float = TEXT_WIDTH) -> str:
    with house_settings():
        sheet = Sheet(candidate_styles(names), width)
        draw(sheet)
        return for_print(sheet.elements(), "k")


def texts(svg: str) -> dict[str, tuple[float, float]]:
    return {
        t.text or "": (float(t.attrib["x"]), float(t.attrib["y"]))
        for t in fromstring(svg).iter(f"{SVG}text")
    }


def lines(svg: str) -> list[tuple[float, float, float, float, float]]:
    """Return the lines of two points, and how wide they are."""
    found = []
    for element in fromstring(svg).iter():
        for path in element.findall(f"{SVG}path"):
            style = path.get("style") or element.get("style", "")
            ends = re.fullmatch(r"M([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+)", path.get("d", ""))
            width = re.search(r"stroke-width:([\d.]+)", style)
            if ends:
                numbers = (float(x) for x in ends.groups())
                found.append((*numbers, float(width[1]) if width else 1.0))
    return found


def plot(**changes: object) -> RowPlot:
    def mark(panel: Panel, i: int, y: float) -> None:
        panel.hline(2.0, 4.1, y, "ink")
        panel.vline(3.3, y - 3, y + 3, "ink")

    usual = RowPlot(
        rows=[(name,) for name in NAMES],
        columns=(
            RowColumn("mean", ("m1", "m2", "m3", "m4"), ("m1", "m2", "m3", "m4")),
            RowColumn("rank", ("1.5", "2.5", "3.5", "4.5"), is_spare=True),
        ),
        fit=lambda length, gap: fit_axis([0.0, 5.0], length, gap),
        draw=mark,
        title=lambda axis, is_phone: "error" if is_phone else "mean error",
        row=20 * PX,
    )
    return replace(usual, **changes)


def test_strokes_fill_whole_pixels() -> None:
    for y in np.random.default_rng(1).uniform(0, 700, 50):
        for width, edge in ((STROKE, 0.0), (DIVIDER, 0.5)):
            found = snap(y, width)
            assert abs(found - y) <= PX
            assert found / PX % 1 == pytest.approx(edge)
    strokes = lines(drawn(partial(draw_rows, plot()), NAMES))
    assert sum(width == STROKE for *_, width in strokes) == len(NAMES)
    for x0, y0, x1, y1, width in strokes:
        across = y0 if y0 == y1 else x0
        assert x0 == x1 or y0 == y1
        edge = 0.5 if width == DIVIDER else 0.0
        pixels = across / PX - edge
        assert pixels == pytest.approx(round(pixels), abs=ROUNDING / PX)


def test_hairlines_part_groups_of_rows() -> None:
    grouped = plot(groups=["x", "x", "y", "y"], gap=4 * PX)
    assert grouped.tops == (0.0, 15.0, 33.0, 48.0)
    assert grouped.height == HEADS + 63 + FOOT
    whole = [y for x0, y, x1, *_ in lines(drawn(partial(draw_rows, grouped), NAMES))
             if x0 == 0 and x1 == TEXT_WIDTH]  # fmt: skip
    (only,) = whole
    assert HEADS + 30 < only < HEADS + 33
    assert sum(plot().is_parted(i) for i in range(1, 4)) == 3


def test_a_phone_has_the_brief_columns_and_title() -> None:
    wide, phone = (
        texts(drawn(partial(draw_rows, plot()), NAMES, w)) for w in (TEXT_WIDTH, PHONE_WIDTH)
    )
    assert {"mean", "rank", "mean error", "2.5"} <= set(wide)
    assert {"mean", "error"} <= set(phone)
    assert not {"rank", "mean error", "2.5"} & set(phone)


def test_cells_stand_in_their_rows() -> None:
    found = texts(drawn(partial(draw_rows, plot()), NAMES))
    heights = {found[text][1] for text in ("b", "m2", "2.5")}
    assert max(heights) - min(heights) < 2
    assert found["a"][1] < found["b"][1] < found["c"][1]


def test_spare_columns_make_room_for_the_axis() -> None:
    cells = ("a number with quite some words to it",) * 4
    kept = RowColumn("kept", cells)
    crowded = plot(
        columns=(kept, RowColumn("spare", cells, is_spare=True), RowColumn("too", cells))
    )
    found = texts(drawn(partial(draw_rows, crowded), NAMES))
    assert {"kept", "too"} <= set(found)
    assert "spare" not in found
    assert "spare" in texts(drawn(partial(draw_rows, plot(columns=crowded.columns[:2])), NAMES))


@pytest.mark.slow
def test_long_names_leave_the_axis_its_room() -> None:
    names = tuple("x" * 200 + str(i) for i in range(4))
    rows = list(pairwise(names))
    cells = ("a longer cell of numbers",) * 3
    wide = plot(rows=rows, columns=(RowColumn("one", cells), RowColumn("two", cells)))
    ticks = [x for text, (x, _) in texts(drawn(partial(draw_rows, wide), names)).items()
             if re.fullmatch(r"[\d.]+", text)]  # fmt: skip
    assert max(ticks) - min(ticks) > 0.9 * LEAST_AXIS


def row(**changes: object) -> PairRow:
    return replace(PairRow("a", "b", 0.02, 0.01, 0.03, is_decided=True), **changes)


def pairs(*rows: PairRow, **changes: object) -> PairPlot:
    cells = tuple(f"cell {i}" for i in range(len(rows)))
    columns = (RowColumn("pp", cells), RowColumn("decision", cells, cells, is_left=True))
    return replace(PairPlot(rows, columns, "error", "pp", 100.0), **changes)


def test_the_second_opinion_stands_four_pixels_below_the_row() -> None:
    middle = HEADS + 9 * PX
    both = pairs(row(other=(0.0, 0.04)))
    strokes = lines(drawn(partial(draw_pairs, both), NAMES))
    level = [(y0, width) for x0, y0, x1, y1, width in strokes if y0 == y1 and x1 - x0 > 10]
    assert (pytest.approx(middle - 2 * PX, abs=PX), STROKE) in level
    assert (pytest.approx(middle + 4 * PX, abs=PX), DIVIDER) in level
    alone = drawn(partial(draw_pairs, both, is_small=True), NAMES, PHONE_WIDTH)
    assert [w for x0, y0, x1, y1, w in lines(alone) if y0 == y1 and x1 - x0 > 10] == [STROKE]
    assert {"cell 0", "decision"} <= set(texts(alone))
    assert "pp" not in texts(alone)


def test_the_axis_is_in_the_unit_of_differences() -> None:
    found = texts(drawn(partial(draw_pairs, pairs(row())), NAMES))
    assert "advantage of the left in mean error, percentage points" in found
    assert {"3.0", "0.0", "left: lower mean"} <= set(found)
    ratio = pairs(row(estimate=2.0, lower=1.6, upper=2.5), is_ratio=True, factor=1.0, unit="")
    for is_smaller_better, sides in ((True, "right / left"), (False, "left / right")):
        own = replace(ratio, is_smaller_better=is_smaller_better)
        found = texts(drawn(partial(draw_pairs, own), NAMES))
        assert f"ratio of geometric means, error, {sides}" in found


def test_what_is_far_lies_beyond_the_axis() -> None:
    far = row(first="c", estimate=-5.0, lower=-9.0, upper=-1.0, is_near=False, other=(-50.0, 1.0))
    found = texts(drawn(partial(draw_pairs, pairs(row(), far)), NAMES))
    assert any("1 beyond the axis" in text for text in found)
    assert {"3.0", "0.0"} <= set(found)
    nothing = row(estimate=np.nan, lower=np.nan, upper=np.nan, is_decided=False)
    assert "nan" not in drawn(partial(draw_pairs, pairs(row(), nothing)), NAMES)


def test_a_grid_counts_who_is_better() -> None:
    grid = Grid(NAMES[:3], {("a", "b"): "decided", ("a", "c"): "slight", ("b", "c"): "equivalent"})
    assert grid.counts == {"a": (2, 0), "b": (0, 1), "c": (0, 1)}
    found = texts(drawn(partial(draw_grid, grid), NAMES))
    assert {"significant", "significant, too small to matter", "equivalent", "better than"} <= set(
        found
    )
    assert "not significant" not in found
    assert "better than" not in texts(drawn(partial(draw_grid, grid), NAMES, PHONE_WIDTH))


def test_a_grid_has_as_many_as_a_page_and_says_so() -> None:
    names = tuple(f"n{i}" for i in range(MOST + 5))
    grid = Grid(names, {("n0", "n64"): "decided", ("n0", "n1"): "undecided"})
    found = texts(drawn(partial(draw_grid, grid), names))
    assert f"{MOST} of {MOST + 5}" in found
    assert "n59" in found
    assert "n60" not in found
