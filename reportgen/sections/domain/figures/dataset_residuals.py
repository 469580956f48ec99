"""Box plots of what a block model of each data set fits, and of what it leaves, on request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import SMALL, Sheet, fit_axis, shorten_names, text_width
from reportgen.drawing.plots.boxes import draw_box
from reportgen.drawing.plots.rows import DIVIDER, GAP, GUTTER, PHONE_GUTTER
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from reportgen.notation import NumberFormat

ROW, LEAST_ROW, LARGEST = 16.0, 9.0, 600.0  # pt: a row, and all of them
HEAD, FOOT, BETWEEN = 16.0, 30.0, 18.0  # pt: above, below and between the panels
BOX = 0.6  # share of a row


def split(values: Array) -> tuple[Array, Array]:
    """Return what means of candidates and replications fit, and the rest, (B, K) both.

    `values`: shape (B, K); replications with a gap are left out.

    Examples
    --------
    >>> fitted, residuals = split(np.array([[1.0, 3.0], [3.0, 5.0], [np.nan, 1.0]]))
    >>> fitted.tolist(), residuals.tolist()
    ([[1.0, 3.0], [3.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]])
    """
    whole = values[np.isfinite(values).all(axis=1)]
    if not len(whole):
        return whole, whole
    fitted = whole.mean(axis=0) + whole.mean(axis=1, keepdims=True) - whole.mean()
    return fitted, whole - fitted


def draw_dataset_residuals(
    parts: Mapping[str, tuple[Array, Array]], title: str, number_format: NumberFormat, sheet: Sheet
) -> None:
    """Draw a row a data set: the box of its fitted values, and that of its residuals."""
    row = float(np.clip(LARGEST / len(parts), LEAST_ROW, ROW))
    sheet.begin(HEAD + row * len(parts) + FOOT)
    page = sheet.page()
    names = shorten_names(list(parts), PHONE_GUTTER if sheet.is_phone else GUTTER, SMALL)
    left = max(text_width(text, SMALL) for text in names.values()) + GAP
    width = (sheet.width - left - BETWEEN - 6) / 2
    unit = number_format.bracketed_unit
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    panels = ((0, "fitted", f"{title}{unit}", left),
              (1, "residuals", f"residual{unit}", left + width + BETWEEN))  # fmt: skip
    for which, head, words, start in panels:
        columns = [number_format.factor * part[which].ravel() for part in parts.values()]
        axes = sheet.axes(start, FOOT, sheet.width - start - width, HEAD)
        axis = fit_axis(np.concatenate(columns), width, 40, may_be_log=False)
        axis.apply(axes, "x")
        axes.set(ylim=(row * len(parts), 0), yticks=[])
        if which:
            axes.axvline(0, color=sheet.colour("ink2"), lw=DIVIDER, zorder=0)
        for i, own in enumerate(columns):
            draw_box(axes, axis.drawn(own), row * (i + 0.5), BOX * row, None, sheet)
        page.text(start, 6, head, va="center", **quiet)
        page.text(start, sheet.height - 5, words, va="center_baseline", **quiet)
    for i, name in enumerate(parts):
        text = page.text(0, HEAD + row * (i + 0.5), names[name], va="center_baseline",
                         fontsize=SMALL)  # fmt: skip
        sheet.link_datasets(text, [name])
