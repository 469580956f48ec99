"""The trellis: a box plot of all candidates for every data set, on one axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import (
    HAIR,
    HEAVY,
    SMALL,
    THIN,
    Sheet,
    axis_words,
    fit_axis,
    fitted,
    make_key,
    name_axis,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing import ValueAxis
    from reportgen.sections.domain.result import DomainResult
    from reportgen.sections.domain.rows_result import Box, DatasetRow

MOST_DATASETS, MOST_CANDIDATES = 30, 12
LINE = 7.5  # pt a candidate
TITLE, GAP, BELOW = 13.0, 12.0, 30.0  # pt: name of a panel; between panels; axis and its name
MARGIN = 6.0  # pt: for the labels of the outermost ticks
TOLD = 16  # values beyond the whiskers that a panel shows


def draw_trellis(result: DomainResult, rows: Sequence[DatasetRow], at: Scale, sheet: Sheet) -> None:
    """Draw one panel a data set, alike ones side by side, all pages on one axis."""
    names = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    n = len(rows)
    columns = min(n, 3 if sheet.is_phone else 5 if n > 8 else 4 if n > 3 else n)
    lines = -(-n // columns)
    panel = TITLE + LINE * len(names) + 3
    key = make_key(sheet, names, sheet.width)
    top = key.height + 8
    sheet.begin(top + lines * panel + (lines - 1) * 4 + BELOW)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    width = (sheet.width - 2 * MARGIN - (columns - 1) * GAP) / columns
    ends = [[x for n in names for x in _ends(own.get(n))] for own in result.boxes.values()]
    axis = fit_axis(
        at.factor * np.array(ends),
        width,
        26,
        may_be_log=result.main_measure.unit != "share",
        may_clip=True,
    )
    for i, row in enumerate(rows):
        left = MARGIN + i % columns * (width + GAP)
        above = top + i // columns * (panel + 4)
        below = sheet.height - above - panel
        axes = sheet.axes(left, below, sheet.width - left - width, above + TITLE)
        is_last = i + columns >= n
        axis.apply(axes, "x")
        axes.set(ylim=(len(names) - 0.5, -0.5), yticks=[])
        axes.tick_params(labelbottom=is_last, labelsize=SMALL, length=2)
        _draw_panel(sheet, axes, result.boxes[row.name], names, at, axis)
        _rule(sheet, axes, axis, len(names))
        label = fitted(row.name, width, SMALL, is_bold=True)
        page.text(left, above + 7, label, fontsize=SMALL, va="center_baseline", fontweight=600)
    name_axis(sheet, page, 0, axis_words(result.main_measure, axis, at.unit), result.main_measure)


def _ends(box: Box | None) -> tuple[float, ...]:
    """Return the ends of the whiskers, and of what lies beyond them."""
    if box is None:
        return (nan,) * 4
    outside = (*box.outside, box.low, box.high)
    return (box.low, box.high, min(outside), max(outside))


def _rule(sheet: Sheet, axes: Axes, axis: ValueAxis, n: int) -> None:
    """Let the ticks go through the panel, faintly."""
    lines = [[(tick, -0.5), (tick, n - 0.5)] for tick in axis.ticks]
    draw_lines(axes, lines, sheet.colour("rule"), HAIR, zorder=0)


def _draw_panel(
    sheet: Sheet,
    axes: Axes,
    boxes: Mapping[str, Box],
    names: list[str],
    at: Scale,
    axis: ValueAxis,
) -> None:
    for y, name in enumerate(names):
        if name not in boxes:
            continue
        box, ink = boxes[name], sheet.ink(name)
        marks = (box.low, box.lower, box.middle, box.upper, box.high)
        low, lower, middle, upper, high = axis.drawn([at.factor * x for x in marks]).tolist()
        edge = [(lower, y - 0.32), (upper, y - 0.32), (upper, y + 0.32), (lower, y + 0.32)]
        whiskers = [[(low, y), (lower, y)], [(upper, y), (high, y)]]
        outside = axis.drawn([at.factor * x for x in thinned(box.outside)]).tolist()
        ticks = [[(x, y - 0.16), (x, y + 0.16)] for x in outside]
        fill_boxes(axes, [(lower, y - 0.32, upper - lower, 0.64)], sheet.wash(name), zorder=1)
        draw_lines(axes, [*whiskers, [*edge, edge[0]], *ticks], ink, THIN, zorder=2)
        draw_lines(axes, [[(middle, y - 0.38), (middle, y + 0.38)]], ink, HEAVY - 0.4, zorder=3)


def thinned(values: tuple[float, ...], most: int = TOLD) -> tuple[float, ...]:
    """Return values, or so many of them, spread over their ranks; the ends are kept."""
    if len(values) <= most:
        return values
    at = np.unique(np.linspace(0, len(values) - 1, most).round().astype(int))
    return tuple(values[i] for i in at)
