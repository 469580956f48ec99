"""Box plots of candidates: a box in a row, and a grid of panels with common rows and axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.drawing.axes import ValueAxis, fit_axis
from reportgen.drawing.labels import MARK_WIDTH, name_mark
from reportgen.drawing.plots.rows import DIVIDER, GAP, PHONE_GUTTER, STROKE
from reportgen.drawing.sheet import Sheet, shorten_names, shorten_text
from reportgen.drawing.style import SMALL
from reportgen.drawing.text_size import text_width
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FLIER = 2.5  # pt: a value beyond the whiskers
MOST_ACROSS, LEAST_PANEL = 4, 96.0  # panels beside one another; pt: width of one
ROW, LEAST_ROW, BOX = 11.0, 7.0, 0.66  # pt: a row of a panel; share of it that a box fills
HEAD, FOOT, BETWEEN = 15.0, 22.0, 10.0  # pt: of a panel, above; of the sheet; between panels
LARGEST = 640.0  # pt: height of the grid


def draw_box(
    axes: Axes, values: Array, middle: float, height: float, name: str | None, sheet: Sheet
) -> None:
    """Draw the box of values, whiskers to 1.5 lengths of it, and what lies beyond.

    `name`: of the candidate, in whose colours it is; None: in no candidate's.
    """
    ink = sheet.colour("ink2") if name is None else sheet.ink(name)
    wash = sheet.colour("band") if name is None else sheet.wash(name)
    thin: dict[str, Any] = {"color": ink, "lw": DIVIDER}
    axes.boxplot(
        [values], positions=[middle], widths=[height], orientation="horizontal",
        patch_artist=True, manage_ticks=False, capwidths=[height / 2],
        boxprops={"facecolor": wash, "edgecolor": ink, "lw": DIVIDER},
        whiskerprops=thin, capprops=thin, medianprops={"color": ink, "lw": STROKE},
        flierprops={
            "marker": "o", "markersize": FLIER, "markerfacecolor": "none",
            "markeredgecolor": ink, "markeredgewidth": DIVIDER,
        },
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trellis:
    """Values of candidates on data sets, each in a panel.

    `values`: by data set, (B, K) with NaN where there is none, in the unit that is shown.
    `candidates`: the columns.
    `order`: of the rows.
    `title`: the axis' name.
    """

    values: Mapping[str, Array]
    candidates: Sequence[str]
    order: Sequence[str]
    title: str
    may_be_log: bool = True


def draw_trellis(found: Trellis, sheet: Sheet) -> None:
    """Draw a panel a data set with a box a candidate, all with the same rows and the same axis."""
    names = shorten_names(found.order, PHONE_GUTTER, SMALL)
    left = MARK_WIDTH + max(text_width(text, SMALL) for text in names.values()) + GAP
    n = len(found.values)
    across = int(min(MOST_ACROSS, n, max(1, (sheet.width - left) // (LEAST_PANEL + BETWEEN))))
    width = (sheet.width - left - BETWEEN * (across - 1) - 4) / across
    down = -(-n // across)
    room = (LARGEST - FOOT) / down - HEAD
    row = max(LEAST_ROW, min(ROW, room / len(found.order)))
    high = HEAD + row * len(found.order)
    sheet.begin(high * down + FOOT)
    page = sheet.page()
    axis = _axis(found, width)
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    for i, (dataset, values) in enumerate(found.values.items()):
        line, column = divmod(i, across)
        start, top = left + column * (width + BETWEEN), line * high
        axes = sheet.axes(start, sheet.height - top - high, sheet.width - start - width, top + HEAD)
        axis.apply(axes, "x")
        is_last = i + across >= n
        axes.set(ylim=(row * len(found.order), 0), yticks=[])
        axes.tick_params(labelbottom=is_last, labelsize=SMALL, length=2)
        for tick in axis.ticks:
            axes.axvline(tick, color=sheet.colour("rule"), lw=DIVIDER, zorder=0)
        for k, name in enumerate(found.order):
            own = values[:, found.candidates.index(name)]
            shown = axis.drawn(own)[np.isfinite(own)]
            if len(shown):
                draw_box(axes, shown, row * (k + 0.5), BOX * row, name, sheet)
        text = page.text(
            start, top + HEAD - 6, shorten_text(dataset, width, SMALL), fontsize=SMALL,
            va="center_baseline",
        )  # fmt: skip
        sheet.link_datasets(text, [dataset])
        if column == 0:
            for k, name in enumerate(found.order):
                y = top + HEAD + row * (k + 0.5)
                name_mark(sheet, page, 0, y, name, names[name], size=SMALL)
    page.text(left, sheet.height - 5, found.title, va="center_baseline", **quiet)


def _axis(found: Trellis, width: float) -> ValueAxis:
    every = np.concatenate(list(found.values.values()))
    return fit_axis(every, width, 34, may_be_log=found.may_be_log, may_clip=True)
