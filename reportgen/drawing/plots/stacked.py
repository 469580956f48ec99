"""Stacked bars: how often each candidate takes each place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reportgen.drawing.axes import fit_axis
from reportgen.drawing.plots.rows import DIVIDER, PX, Panel, RowColumn, RowPlot, draw_rows
from reportgen.drawing.sheet import Sheet
from reportgen.drawing.style import SMALL
from reportgen.drawing.text_size import text_width

ROW, BAR = 28 * PX, 15.0  # pt: heights of a row and of its bar
DARKEST, LIGHTEST, HALF_DARK = 0.85, 0.08, 0.45  # of the places' shades


def draw_stacked(
    counts: Mapping[str, Sequence[int]], places: Sequence[str], units: str, sheet: Sheet
) -> None:
    """Draw a bar a candidate, of how often it takes each place: the first place darkest.

    `places`: their names, which are written in the bars.
    `units`: what is counted.
    """
    total = max(sum(own) for own in counts.values())
    shades = np.linspace(DARKEST, LIGHTEST, len(places)).tolist()
    rows = list(counts.items())

    def draw_row(panel: Panel, i: int, middle: float) -> None:
        begin = 0
        length = float(panel.axes.bbox.width)
        for place, n, shade in zip(places, rows[i][1], shades, strict=True):
            if not n:
                continue
            panel.axes.barh(
                middle, n, height=BAR, left=begin, color=sheet.colour("ink"), alpha=shade,
                edgecolor=sheet.colour("paper"), lw=DIVIDER,
            )  # fmt: skip
            if text_width(place, SMALL) + 2 < length * n / total:
                panel.axes.text(
                    begin + n / 2, middle, place, ha="center", va="center_baseline",
                    fontsize=SMALL,
                    color=sheet.colour("onink" if shade > HALF_DARK else "ink"),
                )  # fmt: skip
            begin += n

    firsts = tuple(str(own[0]) for own in counts.values())
    draw_rows(
        RowPlot(
            rows=[(name,) for name in counts],
            columns=(RowColumn("first", firsts, firsts),),
            fit=lambda length, gap: fit_axis([0.0, total], length, gap, may_be_log=False),
            draw=draw_row,
            title=lambda _, __: f"{units}, by the place that is written in the bar",
            row=ROW,
        ),
        sheet,
    )
