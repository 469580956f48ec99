"""A panel with shares from 0 to 1 upwards, and steps in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing.sheet import Sheet
from reportgen.drawing.style import THIN, TICK, Dash

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist
    from reportgen.stats.arrays import Array

ABOVE, BELOW, LEFT, BETWEEN = 16.0, 32.0, 26.0, 30.0  # pt around and between panels
LINE = 1.5  # pt
# Line by line, so that they are told apart without colour.
KINDS_OF_LINES: tuple[Dash, ...] = (
    "solid",
    (0, (5, 2)),
    (0, (1.2, 1.6)),
    (0, (6, 2, 1.2, 2)),
    (0, (9, 2.5)),
    (0, (6, 1.5, 1.2, 1.5, 1.2, 1.5)),
    (0, (3, 1.2)),
)
N_LEVELS = 5  # heights of marks, candidate by candidate

PanelBox = tuple[float, float, float, float]
"""A panel's place and size on the sheet: left, top, width, height, in pt."""


def share_panel(sheet: Sheet, page: PageArtist, box: PanelBox, up: str, along: str) -> Axes:
    """Make a panel with shares from 0 to 1, and name its axes.

    `page`: of the whole sheet.
    `up`, `along`: what shares are of, and what they are by.
    """
    x, y, width, height = box
    axes = panel(sheet, box)
    axes.set(ylim=(0, 1))
    axes.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    quiet: dict[str, Any] = {
        "fontsize": TICK,
        "color": sheet.colour("ink2"),
        "va": "center_baseline",
    }
    page.text(x, y + 6, up, **quiet)
    page.text(x + width, y + ABOVE + height + 26, along, ha="right", **quiet)
    return axes


def panel(sheet: Sheet, box: PanelBox) -> Axes:
    """Make axes with lines across, below a line of words."""
    x, y, width, height = box
    bottom = sheet.height - y - ABOVE - height
    axes = sheet.axes(x + LEFT, bottom, sheet.width - x - width, y + ABOVE)
    axes.grid(visible=True, axis="y", color=sheet.colour("rule"), lw=THIN)
    axes.set_axisbelow(True)
    return axes


def draw_steps(sheet: Sheet, axes: Axes, name: str, x: Any, y: Any) -> None:
    """Draw a candidate's shares as steps: a kind of line of its own, and its marks on it."""
    index = sheet.styles[name].index
    kind = KINDS_OF_LINES[index % len(KINDS_OF_LINES)]
    (line,) = axes.step(x, y, where="post", color=sheet.ink(name), lw=LINE, ls=kind)
    sheet.link(line, name)
    at = _marked(np.asarray(x, dtype=float), np.asarray(y, dtype=float), index)
    if at is not None:
        mark = {**sheet.mark(name), "clip_on": False, "zorder": 5}
        sheet.link(axes.plot(*at, **mark)[0], name)


def _marked(x: Array, y: Array, index: int) -> tuple[list[float], list[float]] | None:
    """Return where a candidate's marks stand: a third and two thirds up, beside those of others."""
    places = []
    beside = 0.04 * (index % N_LEVELS - N_LEVELS / 2)
    for level in (1 / 3 + beside, 2 / 3 + beside):
        crossed = np.flatnonzero((y[:-1] - level) * (y[1:] - level) <= 0)
        if len(crossed):
            places.append((float(x[crossed[0] + 1]), level))
    return ([x for x, _ in places], [y for _, y in places]) if places else None
