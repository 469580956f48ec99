"""Figures of one value per data set: the critical difference diagram, and pair by pair."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from reportgen.drawing import (
    HAIR,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fitted,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.domain.across_result import AcrossRanks
    from reportgen.sections.domain.basis import Groups
    from reportgen.stats.pair_table import Pair

LINE = 13.0  # pt: a candidate below the axis
BAR = 6.0  # pt from one line of bars to the next
MOST_BARS = 14  # lines of bars; further groups are not drawn
AXIS = 40.0  # pt from the top to the axis of the ranks
CELL, HEAD = 25.0, 18.0  # pt: height of a cell; of the names above
MOST_VERSUS = 12  # candidates up to which all pairs are drawn


def draw_ranks(across: AcrossRanks, sheet: Sheet) -> None:
    """Draw mean ranks on an axis, and bars over groups that signed rank tests do not tell apart."""
    order = across.order
    half = ceil(len(order) / 2)
    names = shortened(order, 62 if sheet.is_phone else 110, TICK)
    side = max(text_width(_told(across, n, names), TICK) for n in order) + 16
    lines = bar_lines(across.groups, order)
    top = AXIS + 9 + BAR * len(lines)
    sheet.begin(top + LINE * half + 6)
    page = sheet.page()
    left, right = side + 8, sheet.width - side - 8
    width = (right - left) / max(1, len(order) - 1)

    def at(rank: float) -> float:
        return left + (rank - 1) * width

    _draw_axis(sheet, page, across, at)
    for k, name in enumerate(order):
        is_left = k < half
        row = k if is_left else len(order) - 1 - k
        y = top + (row + 0.5) * LINE
        x, end = at(across.mean_ranks[name]), side if is_left else sheet.width - side
        draw_lines(page, [[(x, AXIS), (x, y), (end, y)]], sheet.colour("ink2"), HAIR, zorder=1)
        page.plot(
            [end + (-5 if is_left else 5)], [y], **sheet.mark(name, 5.0), zorder=3, clip_on=False
        )
        page.text(
            end + (-12 if is_left else 12),
            y,
            _told(across, name, names),
            ha="right" if is_left else "left",
            va="center_baseline",
            fontsize=TICK,
        )
    _draw_bars(sheet, page, across, at, lines)


def _told(across: AcrossRanks, name: str, names: dict[str, str]) -> str:
    return f"{names[name]} {across.mean_ranks[name]:.2f}"


def _draw_axis(sheet: Sheet, page: Axes, across: AcrossRanks, at: Any) -> None:
    """Draw the axis of the ranks, and above it the critical difference."""
    n = len(across.order)
    ink = sheet.colour("ink2")
    small: dict[str, Any] = {"fontsize": SMALL, "color": ink}
    step = max(1, ceil(n / 10))
    ticks = list(range(1, n + 1, step))
    rules = [[(at(1), AXIS), (at(n), AXIS)], *([(at(t), AXIS - 3), (at(t), AXIS)] for t in ticks)]
    draw_lines(page, rules, sheet.colour("axis"), THIN, zorder=2)
    for t in ticks:
        page.text(at(t), AXIS - 8.5, str(t), ha="center", va="center", **small)
    page.text(0, AXIS - 8.5, "mean rank", va="center", **small)
    if across.critical_difference is not None:
        end = 1 + min(across.critical_difference, n - 1)
        y = 10.0
        caps = [[(at(1), y), (at(end), y)], *([(at(x), y - 3), (at(x), y + 3)] for x in (1, end))]
        draw_lines(page, caps, ink, THIN, zorder=2)
        text = f"critical difference {across.critical_difference:.2f} (Nemenyi)"
        if across.critical_difference > n - 1:
            text += ", beyond the axis"
        room = sheet.width - at(end) - 6
        is_right = text_width(text, SMALL) <= room
        page.text(
            at(end) + 6 if is_right else sheet.width,
            y if is_right else y + 9,
            text if is_right else fitted(text, sheet.width, SMALL),
            ha="left" if is_right else "right",
            va="center",
            **small,
        )


def bar_lines(groups: Groups, order: tuple[str, ...]) -> list[list[tuple[str, ...]]]:
    """Share the groups among as few lines as hold them without touching."""
    lines: list[list[tuple[str, ...]]] = []
    ends: list[int] = []
    for group in groups:
        places = sorted(order.index(name) for name in group)
        free = next((i for i, end in enumerate(ends) if end < places[0]), len(ends))
        if free == len(ends):
            if len(lines) == MOST_BARS:
                continue
            ends.append(0)
            lines.append([])
        ends[free] = places[-1]
        lines[free].append(group)
    return lines


def has_gap(group: tuple[str, ...], order: tuple[str, ...]) -> bool:
    """Whether somebody stands between members of a group without belonging to it."""
    places = [order.index(name) for name in group]
    return max(places) - min(places) >= len(group)


def _draw_bars(
    sheet: Sheet, page: Axes, across: AcrossRanks, at: Any, lines: list[list[tuple[str, ...]]]
) -> None:
    """Draw a bar a group; where it leaves somebody out, dots say who belongs to it."""
    bars, dots = [], []
    for depth, groups in enumerate(lines):
        y = AXIS + 7 + BAR * depth
        for group in groups:
            xs = [at(across.mean_ranks[name]) for name in group]
            bars.append([(min(xs) - 2, y), (max(xs) + 2, y)])
            if has_gap(group, across.order):
                dots += [(x, y) for x in xs]
    draw_lines(page, bars, sheet.colour("ink"), 2.2, zorder=4)
    if dots:
        ink = sheet.colour("ink")
        page.plot(
            [x for x, _ in dots],
            [y for _, y in dots],
            linestyle="none",
            marker="o",
            markersize=4.6,
            markerfacecolor=ink,
            markeredgecolor=ink,
            zorder=5,
        )


# ----------------------------------------------------------------------------- pair by pair


def draw_versus(across: AcrossRanks, at: Scale, is_smaller_better: bool, sheet: Sheet) -> None:
    """Draw a cell a pair: mean advantage of the row, and the data sets it wins, ties and loses."""
    rows, columns = across.order[:-1], across.order[1:]
    names = shortened(across.order, 56 if sheet.is_phone else 100, SMALL)
    left = max(text_width(names[n], SMALL) for n in rows) + 18
    cell = (sheet.width - left) / len(columns)
    sheet.begin(HEAD + CELL * len(rows) + 4)
    page = sheet.page()
    heads = shortened(columns, cell - 14, SMALL)
    for k, name in enumerate(columns):
        x = left + (k + 0.5) * cell
        page.plot(
            [x - text_width(heads[name], SMALL) / 2 - 3], [8], **sheet.mark(name, 4.2), zorder=3
        )
        page.text(x + 3, 8, heads[name], ha="center", va="center_baseline", fontsize=SMALL)
    for i, name in enumerate(rows):
        y = HEAD + (i + 0.5) * CELL
        page.plot([left - 9], [y], **sheet.mark(name, 4.6), zorder=3)
        page.text(left - 16, y, names[name], ha="right", va="center_baseline", fontsize=SMALL)
    place = {name: k for k, name in enumerate(across.order)}
    for pair in across.pairs or ():
        x, y = left + (place[pair.second] - 1) * cell, HEAD + place[pair.first] * CELL
        _draw_cell(sheet, page, pair, (x, y, cell), advantage(pair, is_smaller_better), at)
    rules = [
        [(left + i * cell, HEAD + CELL * i), (sheet.width, HEAD + CELL * i)]
        for i in range(len(rows))
    ]
    draw_lines(page, rules, sheet.colour("rule"), HAIR, zorder=0)


def advantage(pair: Pair, is_smaller_better: bool) -> float:
    """Return by how much the first is better on average."""
    difference = float(pair.mean_difference)
    return -difference if is_smaller_better else difference


def _draw_cell(
    sheet: Sheet,
    page: Axes,
    pair: Pair,
    place: tuple[float, float, float],
    ahead: float,
    at: Scale,
) -> None:
    """Write the numbers of one pair; its ground is that of who is told to be better."""
    x, y, width = place
    if pair.favoured is not None:
        fill_boxes(page, [(x + 0.75, y + 0.75, width - 1.5, CELL - 1.5)], sheet.wash(pair.favoured))
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline"}
    middle = x + width / 2
    page.text(middle, y + 8, at.value(ahead), fontsize=SMALL, **style)
    counts = f"{pair.wins}–{pair.ties}–{pair.losses}"
    page.text(middle, y + 18, counts, fontsize=SMALL, color=sheet.colour("ink2"), **style)
