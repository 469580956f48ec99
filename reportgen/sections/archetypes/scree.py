"""The scree: what each number of archetypes leaves unexplained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from reportgen.drawing import DATA, HAIR, TICK, Sheet, fit_axis, name_axis, text_width
from reportgen.drawing.sheet import draw_lines

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist
    from reportgen.sections.archetypes.result import ArchetypesResult

LEFT, BELOW = 34.0, 30.0
SCREE = 110.0  # pt: height
HEAD = 13.0  # pt: words above
NEAR_TOP = 88.0  # per cent left from which a label would reach the name of the axis
LINE = 11.0  # pt: from one label to the next


def draw_scree(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw what is left of the sum of squares, number by number."""
    ks = [step.k for step in result.steps]
    left = [100 * (1 - step.explained) for step in result.steps]
    marked = _mark(result)
    is_high = any(left[k - 1] > NEAR_TOP for k in marked)
    top = HEAD + (HEAD if is_high else 0)
    sheet.begin(SCREE + BELOW + top)
    page = sheet.page()
    right = _room_right(marked, max(ks), sheet.width - LEFT)
    axes = sheet.axes(LEFT, BELOW, right, top)
    axis = fit_axis([0, *left], SCREE, 26, may_be_log=False)
    axis.apply(axes, "y")
    axes.set(xlim=(0.7, max(ks) + 0.3))
    axes.set_xticks(ks, [str(k) for k in ks])
    levels = [[(0.7, t), (max(ks) + 0.3, t)] for t in axis.ticks]
    draw_lines(axes, levels, sheet.colour("rule"), HAIR, zorder=0)
    axes.plot(ks, left, color=sheet.colour("ink2"), lw=DATA, zorder=1)
    dots: dict[str, Any] = {"marker": "o", "linestyle": "none", "clip_on": False}
    axes.plot(ks, left, markersize=4, color=sheet.colour("ink2"), **dots)
    style: dict[str, Any] = {"fontsize": TICK, "va": "bottom", "ha": "left"}
    up = _lift(marked, left, (sheet.width - LEFT - right) / (max(ks) - 0.4))
    for k, text in marked.items():
        axes.plot([k], [left[k - 1]], markersize=8, color=sheet.colour("ink"), **dots)
        place = (6, 5 + (up if k == min(marked) else 0))
        axes.annotate(text, (k, left[k - 1]), place, textcoords="offset points", **style)
    _name_upwards(sheet, page, HEAD / 2 - 2, "left unexplained (%)")
    name_axis(sheet, page, LEFT, "number of archetypes")


def _name_upwards(sheet: Sheet, page: PageArtist, y: float, text: str) -> None:
    """Write a vertical axis' name above it."""
    page.text(0, y, text, va="center_baseline", fontsize=TICK, color=sheet.colour("ink2"))


def _mark(result: ArchetypesResult) -> dict[int, str]:
    """Return which numbers are named."""
    if result.k == result.elbow:
        return {result.k: "elbow" if result.is_by_elbow else "elbow, and asked for"}
    return {result.k: "asked for", result.elbow: "elbow"}


def _room_right(marked: Mapping[int, str], last: int, width: float) -> float:
    """Return the margin at the right within which every label ends."""
    room = 10.0
    for k, text in marked.items():
        part = (last + 0.3 - k) / (last - 0.4)  # of the axis, right of the mark
        room = max(room, (10 + text_width(text, TICK) - part * width) / (1 - part))
    return room


def _lift(marked: Mapping[int, str], left: Sequence[float], unit: float) -> float:
    """Return how far the first label is raised so that it does not run into the second."""
    if len(marked) < 2:
        return 0.0
    a, b = sorted(marked)
    fall = (left[a - 1] - left[b - 1]) / 100 * SCREE
    is_clear = text_width(marked[a], TICK) + 4 < (b - a) * unit
    return 0.0 if is_clear else max(0.0, LINE - fall)
