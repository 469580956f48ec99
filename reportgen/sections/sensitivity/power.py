"""What is decided in each setting, and how wide the intervals are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import HAIR, SMALL, TICK, Sheet, fit_axis, shortened, text_width
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale

if TYPE_CHECKING:
    from reportgen.sections.sensitivity.result import Sensitivity

LINE, ABOVE, BELOW, GAP = 13.0, 17.0, 17.0, 26.0  # pt


def draw_power(part: Sensitivity, at: Scale, sheet: Sheet) -> None:
    """Draw a row a setting: a bar of the pairs that are decided, a mark at the half width."""
    rows = part.tested
    n = len(rows)
    sheet.begin(ABOVE + n * LINE + BELOW)
    page = sheet.page()
    labels = shortened([row.label for row in rows], sheet.width * 0.38, SMALL)
    left = max(text_width(text, SMALL) for text in labels.values()) + 10
    width = (sheet.width - left - GAP - 10) / 2
    bars = sheet.axes(left, BELOW, sheet.width - left - width, ABOVE)
    marks = sheet.axes(left + width + GAP, BELOW, 10, ABOVE)
    most = max(row.n_pairs or 0 for row in rows)
    widths = [np.nan if row.half_width is None else at.factor * row.half_width for row in rows]
    ends = np.array([[0.0], *([x] for x in widths)])
    axis = fit_axis(ends, width, 34, may_be_log=False, may_clip=True)
    axis.apply(marks, "x")
    step = max(1, -(-most // 5))
    bars.set(xlim=(0, most * 1.02))
    ticks = list(range(0, most + 1, step))
    bars.set_xticks(ticks, [str(t) for t in ticks])
    for axes, levels in ((bars, ticks), (marks, axis.ticks)):
        axes.set(ylim=(n - 0.5, -0.5), yticks=[])
        axes.tick_params(labelsize=SMALL, length=2)
        lines = [[(x, -0.5), (x, n - 0.5)] for x in levels]
        draw_lines(axes, lines, sheet.colour("rule"), HAIR, zorder=0)
    boxes = [(0.0, y - 0.3, float(row.n_distinguished or 0), 0.6) for y, row in enumerate(rows)]
    fill_boxes(bars, boxes, sheet.colour("ink2"), zorder=2)
    marks.plot(axis.drawn(widths), range(n), marker="o", markersize=4.5, linestyle="none", zorder=2,
               color=sheet.colour("ink2"))  # fmt: skip
    style: dict[str, Any] = {"va": "center_baseline", "color": sheet.colour("ink2")}
    for y, row in enumerate(rows):
        page.text(left - 6, ABOVE + (y + 0.5) * LINE, labels[row.label], ha="right", fontsize=SMALL,
                  va="center_baseline")  # fmt: skip
    unit = f" ({axis.unit(at.difference_unit)})" if axis.unit(at.difference_unit) else ""
    page.text(left, 7, f"pairs decided, of {most}", fontsize=TICK, **style)
    page.text(left + width + GAP, 7, f"half width{unit}", fontsize=TICK, **style)
