"""Box plots of what the block model fits, and of what it leaves, on request."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import Sheet, fit_axis, measure_words, shorten_names, text_width
from reportgen.drawing.labels import MARK_WIDTH, name_mark
from reportgen.drawing.plots.boxes import draw_box
from reportgen.drawing.plots.rows import DIVIDER, GAP, GUTTER, PHONE_GUTTER, PX
from reportgen.drawing.style import SMALL
from reportgen.notation import Scale
from reportgen.warehouse import Measure

if TYPE_CHECKING:
    from reportgen.sections.inference.result import Diagnostics

ROW, BOX = 24 * PX, 12.0  # pt: height of a row, and of a box in it
HEAD, FOOT, BETWEEN = 16.0, 30.0, 18.0  # pt: above, below and between the panels


def draw_residuals(
    seen: Diagnostics, order: Sequence[str], measure: Measure, scale: Scale, sheet: Sheet
) -> None:
    """Draw a row a candidate: the box of its fitted values, and that of its residuals."""
    sheet.begin(HEAD + ROW * len(order) + FOOT)
    page = sheet.page()
    most = PHONE_GUTTER if sheet.is_phone else GUTTER
    names = shorten_names(order, most, sheet.label)
    left = MARK_WIDTH + max(text_width(text, sheet.label) for text in names.values()) + GAP
    width = (sheet.width - left - BETWEEN - 6) / 2
    unit = f" ({scale.unit})" if scale.unit else ""
    panels = (
        (seen.fitted_of, f"{measure_words(measure)}{unit}", "fitted", left),
        (seen.residuals_of, f"residual{unit}", "residuals", left + width + BETWEEN),
    )
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    for values, title, head, start in panels:
        axes = sheet.axes(start, FOOT, sheet.width - start - width, HEAD)
        columns = [_finite(scale, values[name]) for name in order]
        axis = fit_axis(np.concatenate(columns), width, 40, may_be_log=False)
        axis.apply(axes, "x")
        axes.set(ylim=(ROW * len(order), 0), yticks=[])
        if head == "residuals":
            axes.axvline(0, color=sheet.colour("ink2"), lw=DIVIDER, zorder=0)
        for i, (name, own) in enumerate(zip(order, columns, strict=True)):
            draw_box(axes, axis.drawn(own), ROW * (i + 0.5), BOX, name, sheet)
        page.text(start, 6, head, va="center", **quiet)
        page.text(start, sheet.height - 5, title, va="center_baseline", **quiet)
    for i, name in enumerate(order):
        name_mark(sheet, page, 0, HEAD + ROW * (i + 0.5), name, names[name], size=sheet.label)


def _finite(scale: Scale, values: Sequence[float]) -> np.ndarray[Any, np.dtype[np.float64]]:
    found = scale.factor * np.array(values)
    return found[np.isfinite(found)]
