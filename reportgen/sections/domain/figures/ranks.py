"""Mean ranks over data sets: critical difference diagram, rows, and pairs of candidates."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

from reportgen.drawing import (
    HAIR,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fit_axis,
    fitted,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.domain.basis import Groups
    from reportgen.sections.domain.result import AcrossRanks
    from reportgen.stats.pair_table import Pair

CD_LINE = 13.0  # pt: a candidate below the axis
BAR = 6.0  # pt from one line of bars to the next
MOST_BARS = 14  # lines of bars; further groups are not drawn
AXIS = 40.0  # pt from the top to the axis of the ranks
CELL, CD_HEAD = 25.0, 18.0  # pt: height of a cell; of the names above
MOST_VERSUS = 12  # candidates up to which all pairs are drawn


def draw_ranks(across: AcrossRanks, sheet: Sheet) -> None:
    """Draw mean ranks on an axis, and bars over groups that signed rank tests do not tell apart."""
    order = across.order
    half = ceil(len(order) / 2)
    names = shortened(order, 62 if sheet.is_phone else 110, TICK)
    side = max(text_width(_label(across, n, names), TICK) for n in order) + 16
    lines = bar_lines(across.groups, order)
    top = AXIS + 9 + BAR * len(lines)
    sheet.begin(top + CD_LINE * half + 6)
    page = sheet.page()
    left, right = side + 8, sheet.width - side - 8
    width = (right - left) / max(1, len(order) - 1)

    def at(rank: float) -> float:
        return left + (rank - 1) * width

    _draw_axis(sheet, page, across, at)
    for k, name in enumerate(order):
        is_left = k < half
        row = k if is_left else len(order) - 1 - k
        y = top + (row + 0.5) * CD_LINE
        x, end = at(across.mean_ranks[name]), side if is_left else sheet.width - side
        draw_lines(page, [[(x, AXIS), (x, y), (end, y)]], sheet.colour("ink2"), HAIR, zorder=1)
        page.plot(
            [end + (-5 if is_left else 5)], [y], **sheet.mark(name, 5.0), zorder=3, clip_on=False
        )
        page.text(
            end + (-12 if is_left else 12),
            y,
            _label(across, name, names),
            ha="right" if is_left else "left",
            va="center_baseline",
            fontsize=TICK,
        )
    _draw_bars(sheet, page, across, at, lines)


def _label(across: AcrossRanks, name: str, names: dict[str, str]) -> str:
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
    sheet.begin(CD_HEAD + CELL * len(rows) + 4)
    page = sheet.page()
    headers = shortened(columns, cell - 14, SMALL)
    for k, name in enumerate(columns):
        x = left + (k + 0.5) * cell
        page.plot(
            [x - text_width(headers[name], SMALL) / 2 - 3],
            [8],
            **sheet.mark(name, 4.2),
            zorder=3,
        )
        page.text(x + 3, 8, headers[name], ha="center", va="center_baseline", fontsize=SMALL)
    for i, name in enumerate(rows):
        y = CD_HEAD + (i + 0.5) * CELL
        page.plot([left - 9], [y], **sheet.mark(name, 4.6), zorder=3)
        page.text(left - 16, y, names[name], ha="right", va="center_baseline", fontsize=SMALL)
    place = {name: k for k, name in enumerate(across.order)}
    for pair in across.pairs or ():
        x, y = left + (place[pair.second] - 1) * cell, CD_HEAD + place[pair.first] * CELL
        _draw_cell(sheet, page, pair, (x, y, cell), advantage(pair, is_smaller_better), at)
    rules = [
        [(left + i * cell, CD_HEAD + CELL * i), (sheet.width, CD_HEAD + CELL * i)]
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


ROW_LINE, ROW_HEAD, ROW_FOOT = 10.6, 20.0, 28.0  # pt a candidate; heads; axis
MARK, DOT = 9.0, 4.6  # pt from the axis to a candidate's mark; a rank


def draw_rank_rows(across: AcrossRanks, sheet: Sheet) -> None:
    """Draw a row a candidate: its mean rank, and whether it is distinguished from the best."""
    order = across.order
    names = shortened(order, 80 if sheet.is_phone else 150, SMALL)
    left = max(text_width(t, SMALL) for t in names.values()) + 2 * MARK + 2
    numbers = [f"{across.mean_ranks[name]:.2f}" for name in order]
    right = max(text_width(t, SMALL) for t in (*numbers, "mean rank")) + 10
    sheet.begin(ROW_HEAD + ROW_LINE * len(order) + ROW_FOOT)
    axes = sheet.axes(left, ROW_FOOT, right, ROW_HEAD)
    ranks = [across.mean_ranks[name] for name in order]
    axis = fit_axis([1.0, *ranks], sheet.width - left - right, 40, may_be_log=False)
    axis.apply(axes, "x")
    axes.set(ylim=(len(order) - 0.5, -0.5), yticks=[])
    rules = [[(axis.lower, y), (axis.upper, y)] for y in range(len(order))]
    draw_lines(axes, rules, sheet.colour("rule"), HAIR, zorder=1)
    _shade(sheet, axes, across, axis.upper)
    _plot(sheet, axes, across)
    page = sheet.page()
    for y, (name, number) in enumerate(zip(order, numbers, strict=True)):
        middle = ROW_HEAD + (y + 0.5) * ROW_LINE
        style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": SMALL}
        page.plot([left - MARK], [middle], **sheet.mark(name, 4.6))
        page.text(left - 2 * MARK, middle, names[name], **style)
        page.text(sheet.width, middle, number, **style)
    _write_headers(sheet, page, across, left)


def _shade(sheet: Sheet, axes: Axes, across: AcrossRanks, end: float) -> None:
    """Shade the ranks that Nemenyi's test does not tell from the best one."""
    if across.critical_difference is not None:
        best = across.mean_ranks[across.order[0]]
        width = min(best + across.critical_difference, end) - best
        box = (best, -0.5, width, float(len(across.order)))
        fill_boxes(axes, [box], sheet.colour("band"))


def _plot(sheet: Sheet, axes: Axes, across: AcrossRanks) -> None:
    """Draw the ranks: full where a candidate is distinguished from the best, else open."""
    best = across.order[0]
    decided = {p.second for p in across.pairs or () if p.first == best and p.favoured is not None}
    ink, paper = sheet.colour("ink"), sheet.colour("paper")
    for names, face in ((decided, ink), (set(across.order) - decided, paper)):
        ys = [y for y, name in enumerate(across.order) if name in names]
        xs = [across.mean_ranks[across.order[y]] for y in ys]
        axes.plot(
            xs, ys, linestyle="none", marker="o", markersize=DOT, markerfacecolor=face,
            markeredgecolor=ink, markeredgewidth=1.0, zorder=3, clip_on=False,
        )  # fmt: skip


def _write_headers(sheet: Sheet, page: Axes, across: AcrossRanks, left: float) -> None:
    """Name the columns, and say how wide the shaded ranks are."""
    style: dict[str, Any] = {
        "va": "center_baseline", "fontsize": SMALL, "color": sheet.colour("ink2"),
    }  # fmt: skip
    page.text(sheet.width, 9, "mean rank", ha="right", **style)
    page.text(left, sheet.height - 7, "mean rank, 1 the best", **style)
    if across.critical_difference is not None:
        text = f"shaded: critical difference {across.critical_difference:.2f} (Nemenyi)"
        room = sheet.width - left - text_width("mean rank", SMALL) - 12
        page.text(left, 9, fitted(text, room, SMALL), **style)


LEADER_LINE, LEADER_HEAD, LEADER_FOOT = 11.6, 18.0, 18.0  # pt a candidate; heads; legend


def leader_pairs(across: AcrossRanks) -> tuple[Pair, ...]:
    """Return the pairs of the candidate with the best mean rank."""
    return tuple(p for p in across.pairs or () if p.first == across.order[0])


def draw_leader(across: AcrossRanks, at: Scale, is_smaller_better: bool, sheet: Sheet) -> None:
    """Draw a bar a candidate: the data sets that the leader wins, ties and loses against it."""
    pairs = leader_pairs(across)
    names = shortened([p.second for p in pairs], 80 if sheet.is_phone else 130, SMALL)
    left = max(text_width(t, SMALL) for t in names.values()) + 20
    texts = [at.value(advantage(p, is_smaller_better)) for p in pairs]
    counts = [f"{p.wins}–{p.ties}–{p.losses}" for p in pairs]
    widths = [max(text_width(t, SMALL) for t in column) + 10 for column in (texts, counts)]
    headers = ("advantage", "w–t–l")
    widths = [max(w, text_width(h, SMALL) + 10) for w, h in zip(widths, headers, strict=True)]
    room = sheet.width - left - sum(widths)
    sheet.begin(LEADER_HEAD + LEADER_LINE * len(pairs) + LEADER_FOOT)
    page = sheet.page()
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    ends = (left + room + widths[0], sheet.width)
    for head, end in zip(headers, ends, strict=True):
        page.text(end, 8, head, ha="right", va="center_baseline", **quiet)
    wins, ties, losses = [], [], []
    for i, pair in enumerate(pairs):
        y = LEADER_HEAD + (i + 0.5) * LEADER_LINE
        page.plot([left - 9], [y], **sheet.mark(pair.second, 4.6))
        is_decided = pair.favoured is not None
        page.text(
            left - 16, y, names[pair.second], ha="right", va="center_baseline", fontsize=SMALL,
            fontweight=600 if is_decided else 400,
        )  # fmt: skip
        n = pair.wins + pair.ties + pair.losses
        a, b = room * pair.wins / n, room * (pair.wins + pair.ties) / n
        wins.append((left, y - 3.6, a, 7.2))
        ties.append((left + a, y - 3.6, b - a, 7.2))
        losses.append((left + b, y - 3.6, room - b, 7.2))
        for text, end in zip((texts[i], counts[i]), ends, strict=True):
            page.text(end, y, text, ha="right", va="center_baseline", fontsize=SMALL)
    looks = (("ink", 0.72), ("ink", 0.4), ("ink", 0.13))
    for boxes, (colour, alpha) in zip((wins, ties, losses), looks, strict=True):
        fill_boxes(page, [b for b in boxes if b[2] > 0], sheet.colour(colour), alpha=alpha)
    middle = left + room / 2
    bottom = LEADER_HEAD + LEADER_LINE * len(pairs)
    draw_lines(
        page, [[(middle, LEADER_HEAD), (middle, bottom)]], sheet.colour("paper"), HAIR, zorder=4
    )
    x, y = left, bottom + 10
    for words, (colour, alpha) in zip(("better", "equal", "worse"), looks, strict=True):
        fill_boxes(page, [(x, y - 3.6, 12, 7.2)], sheet.colour(colour), alpha=alpha)
        page.text(x + 16, y, words, va="center_baseline", **quiet)
        x += 26 + text_width(words, SMALL)
    share = f"share of {across.n_datasets} data sets; bold: by signed ranks"
    text = fitted(share, ends[1] - x, SMALL)
    page.text(x, y, text, va="center_baseline", **quiet)
    page.text(
        left, 8, fitted(f"{across.order[0]} against", room, SMALL), va="center_baseline", **quiet
    )
