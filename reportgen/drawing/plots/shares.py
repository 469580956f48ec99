"""A panel with shares from 0 to 1 upwards, and steps in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reportgen.drawing.sheet import Sheet
from reportgen.drawing.style import THIN, TICK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist

ABOVE, BELOW, LEFT, BETWEEN = 16.0, 32.0, 26.0, 30.0  # pt around and between panels
LINE = 1.5  # pt

Box = tuple[float, float, float, float]
"""A panel's place and size on the sheet: left, top, width, height, in pt."""


def share_panel(sheet: Sheet, page: PageArtist, box: Box, up: str, along: str) -> Axes:
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


def panel(sheet: Sheet, box: Box) -> Axes:
    """Make axes with lines across, below a line of words."""
    x, y, width, height = box
    bottom = sheet.height - y - ABOVE - height
    axes = sheet.axes(x + LEFT, bottom, sheet.width - x - width, y + ABOVE)
    axes.grid(visible=True, axis="y", color=sheet.colour("rule"), lw=THIN)
    axes.set_axisbelow(True)
    return axes


def draw_steps(sheet: Sheet, axes: Axes, name: str, x: Any, y: Any) -> None:
    """Draw a candidate's shares as steps."""
    (line,) = axes.step(x, y, where="post", color=sheet.ink(name), lw=LINE)
    sheet.link(line, name)
