"""Ranks that each candidate can have, one row a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from reportgen.drawing.axes import ValueAxis
from reportgen.drawing.plots.rows import (
    PX,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
    rank_axis,
    row_height,
)
from reportgen.drawing.sheet import Sheet
from reportgen.notation import whole_range

ROW = 24 * PX
WIDTH = 6 * PX  # of a range's line
FAINT = 0.45  # of those that cannot be first
Ranges = Mapping[str, tuple[int, int]]


def draw_rank_ranges(ranges: Ranges, sheet: Sheet) -> None:
    """Draw a line from the best to the worst rank; one rank alone is a dot.

    `ranges`: by candidate, in the order of the rows. Those that may be first are in full ink.
    """
    names = list(ranges)
    words = tuple(whole_range(*ranges[name]) for name in names)
    strong = tuple(ranges[name][0] == 1 for name in names)
    draw_rows(
        RowPlot(
            rows=[(name,) for name in names],
            columns=(RowColumn("ranks", words, phone=words, is_strong=strong),),
            fit=lambda length, _: rank_axis(len(names), length),
            draw=partial(_draw_row, ranges, names),
            title=_title,
            row=int(row_height(len(names), ROW) / PX) * PX,
            has_grid=True,
        ),
        sheet,
    )


def _title(_: ValueAxis, is_phone: bool) -> str:
    return "rank" if is_phone else "rank that the candidate can have, 1 the best"


def _draw_row(ranges: Ranges, names: list[str], panel: Panel, i: int, y: float) -> None:
    name = names[i]
    first, last = ranges[name]
    alpha = 1.0 if first == 1 else FAINT
    if first < last:
        ink = panel.sheet.ink(name)
        panel.hline(first, last, y, "ink", WIDTH, color=ink, solid_capstyle="round", alpha=alpha)
    else:
        look = panel.sheet.mark(name, WIDTH)
        panel.axes.plot([first], [y], **look, alpha=alpha, clip_on=False)
