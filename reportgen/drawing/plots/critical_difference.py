"""The critical difference diagram: mean ranks on a line, and bars through those not decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.drawing.axes import rank_ticks
from reportgen.drawing.label_placement import Point
from reportgen.drawing.labels import MARK_WIDTH
from reportgen.drawing.plots.rows import DIVIDER, STROKE
from reportgen.drawing.sheet import Sheet, draw_lines, shorten_names
from reportgen.drawing.style import SMALL, TICK
from reportgen.drawing.text_size import text_width
from reportgen.notation import number

MOST = 30  # candidates that have room
SIDE, PHONE_SIDE = 120.0, 84.0  # pt: beside the axis, for the names
AXIS, BAR, LINE = 24.0, 9.0, 15.0  # pt: from the top to the axis; from bar to bar; name to name
BELOW, OVER = 9.0, 6.0  # pt: from axis to first bar, from last bar to first name; beyond the marks
LEAST_BAR = 6.0  # pt by which a bar reaches beyond its marks
MEMBER, APART, ROUNDS = 4.5, 6.5, 50  # pt: a mark on a bar; from one to the next; of moving them


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the diagram shows.

    `ranks`: mean ranks, 1 is best.
    `groups`: candidates of which no two are decided; a group may leave out one between its members.
    `difference`: of mean ranks that is critical, where there is one for all pairs.
    """

    ranks: Mapping[str, float]
    groups: Sequence[Sequence[str]]
    difference: float | None = None


def draw_critical_difference(found: Ranking, sheet: Sheet) -> None:
    """Draw a mark a candidate on the axis of mean ranks, its name beside, and bars of groups."""
    order = sorted(found.ranks, key=lambda name: found.ranks[name])
    k = len(order)
    groups = [g for g in found.groups if len(g) > 1]
    side = PHONE_SIDE if sheet.is_phone else SIDE
    right = sheet.width - side
    first = AXIS + BELOW + BAR * len(groups) + OVER
    half = (k + 1) // 2
    sheet.begin(first + LINE * half + 2)
    page = sheet.page()
    names = shorten_names(order, side - MARK_WIDTH - 26, TICK)

    def at(rank: float) -> float:
        return side + (right - side) * (rank - 1) / max(k - 1, 1)

    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    draw_lines(page, [[(side, AXIS), (right, AXIS)]], sheet.colour("axis"), STROKE)
    for tick in rank_ticks(k, k / 12):
        draw_lines(page, [[(at(tick), AXIS - 4), (at(tick), AXIS)]], sheet.colour("axis"), DIVIDER)
        page.text(at(tick), AXIS - 11, str(tick), ha="center", va="center", **quiet)
    page.text(0, AXIS - 11, "mean rank", va="center", **quiet)
    for i, name in enumerate(order):
        is_left = i < half
        y = first + LINE * ((i if is_left else k - 1 - i) + 0.5)
        x = at(found.ranks[name])
        edge = side - 6 if is_left else right + 6
        line: list[Point] = [(x, AXIS), (x, y), (edge, y)]
        sheet.link(draw_lines(page, [line], sheet.ink(name), DIVIDER, zorder=1), name)
        _write(name, names[name], number(found.ranks[name], 2), edge, y, is_left, sheet, page)
        page.plot([x], [AXIS], zorder=4, **sheet.mark(name))
    if found.difference is not None and found.difference <= k - 1:
        ends: list[Point] = [(side, 4.0), (at(1 + found.difference), 4.0)]
        draw_lines(page, [ends], sheet.colour("ink"), STROKE)
        for x, y in ends:
            draw_lines(page, [[(x, y - 3), (x, y + 3)]], sheet.colour("ink"), STROKE)
        text = f"CD = {number(found.difference, 2)}"
        page.text(ends[1][0] + 5, 4, text, va="center", **quiet)
    for i, group in enumerate(groups):
        y = AXIS + BELOW + BAR * i
        members = sorted(group, key=lambda name: found.ranks[name])
        xs = _apart([at(found.ranks[name]) for name in members])
        ends = [(min(xs) - LEAST_BAR, y), (max(xs) + LEAST_BAR, y)]
        draw_lines(page, [ends], sheet.colour("ink"), 2 * STROKE, zorder=2)
        ground: dict[str, Any] = {"marker": "o", "markersize": APART, "linestyle": "none"}
        page.plot(xs, [y] * len(xs), **ground, color=sheet.colour("halo"), zorder=3)
        for name, x in zip(members, xs, strict=True):
            (mark,) = page.plot([x], [y], **sheet.mark(name, MEMBER), zorder=5)
            sheet.link(mark, name)


def _apart(places: Sequence[float]) -> list[float]:
    """Move ascending places so that marks there are all seen, as little as that takes."""
    found = list(places)
    for _ in range(ROUNDS):
        for i, (a, b) in enumerate(pairwise(found)):
            half = max(0.0, APART - (b - a)) / 2
            found[i], found[i + 1] = a - half, b + half
    return found


def _write(
    name: str, text: str, rank: str, edge: float, y: float, is_left: bool, sheet: Sheet, page: Any
) -> None:
    """Write mark, name and mean rank beside the end of a candidate's line."""
    width = MARK_WIDTH + text_width(text, TICK)
    start = edge - 2 - width if is_left else edge + 2
    page.plot([start + 4], [y], **sheet.mark(name, TICK - 2.5))
    page.text(start + MARK_WIDTH, y, text, va="center_baseline", fontsize=TICK)
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    if is_left:
        page.text(start - 3, y, rank, ha="right", va="center_baseline", **quiet)
    else:
        page.text(start + width + 3, y, rank, va="center_baseline", **quiet)
