"""The rows and archetypes of a table by their values, on request: lines, bars, and a plane."""

from __future__ import annotations

from math import cos, radians
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    SMALL,
    TICK,
    Sheet,
    fit_axis,
    make_key,
    shorten_names,
    text_width,
)
from reportgen.drawing.plots.rows import DIVIDER, PX, STROKE
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist
    from reportgen.sections.archetypes.result import ArchetypesResult

HIGH, HEAD, FOOT = 180.0, 16.0, 28.0  # pt: of the lines; the archetypes' numbers; column names
LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))
MOST_LINES, ALPHA = 500, (0.5, 0.12)  # rows whose lines are strong, and weak
LINE_MARK = 3.5  # pt: that of a line's group
BAR, PANEL = 13.0, 96.0  # pt: height of a bar; width of a panel at least
SIDE = 250.0  # pt: of the plane
BESIDE = 0.06  # of a column's range: beyond the outermost rows
OPEN: dict[str, Any] = {  # the mark of a row without weight
    "marker": "o", "linestyle": "none", "fillstyle": "none", "markersize": 5.0,
    "markeredgewidth": PX,
}  # fmt: skip
TURN = 40.0  # degrees: of column names without room


def scaled(result: ArchetypesResult) -> tuple[Array, Array]:
    """Return rows and archetypes with each column from 0, its least value, to 1, its largest."""
    every = np.vstack([result.values, np.array(result.archetypes)])
    low, high = np.nanmin(every, axis=0), np.nanmax(every, axis=0)
    every = (every - low) / np.where(high > low, high - low, 1.0)
    return every[: len(result.values)], every[len(result.values) :]


def draw_parallel(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a line a row through its values, and the archetypes' over them."""
    from matplotlib.collections import LineCollection

    rows, archetypes = scaled(result)
    m = len(result.columns)
    names = [g.name for g in result.groups] if result.is_of_candidates else []
    key = make_key(sheet, names, sheet.width) if names else None
    top = HEAD + (key.height + 4 if key else 0.0)
    room = (sheet.width - 40) / max(m - 1, 1)
    short = shorten_names(result.columns, 84.0, SMALL)
    is_turned = max(text_width(text, SMALL) for text in short.values()) > room - 4
    foot = FOOT + (36.0 if is_turned else 0.0)
    lean = cos(radians(TURN)) * text_width(short[result.columns[0]], SMALL) + SMALL
    left = max(20.0, lean) if is_turned else 20.0
    sheet.begin(top + HIGH + foot)
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
    axes = sheet.axes(left, foot, 20, top)
    axes.set(xlim=(0, max(m - 1, 1)), ylim=(-0.03, 1.03), xticks=[], yticks=[])
    axes.spines["bottom"].set_visible(False)
    for j in range(m):
        axes.axvline(j, color=sheet.colour("axis"), lw=DIVIDER, zorder=0.5)
    labels = np.array(result.labels, dtype=object)
    alpha = ALPHA[len(rows) > MOST_LINES // 4]
    parts: list[str | None] = [*names] or [None]
    for name in parts:
        own = rows if name is None else rows[labels == name]
        colour = sheet.colour("ghost") if name is None else sheet.ink(name)
        lines = LineCollection(
            [np.column_stack((np.arange(m), row)) for row in own], colors=colour, lw=DIVIDER,
            alpha=alpha, zorder=1, **sheet.dense,
        )  # fmt: skip
        axes.add_collection(lines, autolim=False)
        if name is not None:
            sheet.link(lines, name)
            at = np.arange(len(own)) % m  # one mark a line, spread over the columns
            (marks,) = axes.plot(
                at, own[np.arange(len(own)), at], alpha=2 * alpha, zorder=2,
                **sheet.mark(name, LINE_MARK),
            )  # fmt: skip
            sheet.link(marks, name)
    for j, values in enumerate(archetypes):
        style: dict[str, Any] = {"color": sheet.colour("ink"), "lw": STROKE, "zorder": 3}
        axes.plot(np.arange(m), values, ls=LINES[j % len(LINES)], clip_on=False, **style)
    _number_ends(archetypes, left, top, sheet, page)
    for j, column in enumerate(result.columns):
        x = left + (sheet.width - left - 20) * j / max(m - 1, 1)
        turn: dict[str, Any] = {"rotation": TURN, "ha": "right", "rotation_mode": "anchor"}
        side = 0 if text_width(short[column], SMALL) <= 36 else (j == m - 1) - (j == 0)  # no room
        straight = {"ha": ("center", "right", "left")[side]}
        edge = 0 if is_turned else 18 * side
        page.text(
            x + edge, top + HIGH + 10, short[column], fontsize=SMALL, va="center",
            color=sheet.colour("ink2"), **(turn if is_turned else straight),
        )  # fmt: skip


def _number_ends(
    archetypes: Array, left: float, top: float, sheet: Sheet, page: PageArtist
) -> None:
    """Write the archetypes' numbers at both ends of their lines, none over another."""
    for x, ha, column in ((left - 8, "right", 0), (sheet.width - 12, "left", -1)):
        ends = sorted((float(v[column]), j) for j, v in enumerate(archetypes))
        y = top + HIGH + 20.0
        for value, j in ends:
            y = min(top + HIGH * (1.03 - value) / 1.06, y - 9.0)
            page.text(x, y, str(j + 1), ha=ha, va="center", fontsize=TICK, fontweight=600)


def draw_bars(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a panel an archetype: a bar a column, its percentile, with the value beside it."""
    columns = list(result.columns)
    names = shorten_names(columns, 70.0 if sheet.is_phone else 120.0, SMALL)
    left = 8 + max(text_width(text, SMALL) for text in names.values())
    across = int(min(result.k, max(1, (sheet.width - left) // PANEL)))
    width = (sheet.width - left - 10 * (across - 1) - 4) / across
    down = -(-result.k // across)
    high = BAR * len(columns)
    sheet.begin(down * (HEAD + high) + FOOT)
    page = sheet.page()
    axis = fit_axis([0.0, 100.0], width, 40, may_be_log=False)
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    for j in range(result.k):
        line, place = divmod(j, across)
        start, top = left + place * (width + 10), line * (HEAD + high)
        below = sheet.height - top - HEAD - high
        axes = sheet.axes(start, below, sheet.width - start - width, top + HEAD)
        axis.apply(axes, "x")
        axes.set(ylim=(high, 0), yticks=[])
        axes.tick_params(labelbottom=j + across >= result.k, labelsize=SMALL, length=2)
        axes.axvline(50, color=sheet.colour("rule"), lw=DIVIDER, zorder=0)
        for c in range(len(columns)):
            percent, middle = 100 * result.percentiles[j][c], BAR * (c + 0.5)
            axes.barh(middle, percent, height=BAR - 4, color=sheet.colour("ink2"), zorder=1)
            text = result.written(c)[j]
            is_inside = percent > 55
            axes.text(
                percent - 2 if is_inside else percent + 2, middle, text, fontsize=SMALL,
                ha="right" if is_inside else "left", va="center_baseline", zorder=2,
                color=sheet.colour("onink" if is_inside else "ink"),
            )  # fmt: skip
        page.text(start, top + HEAD - 7, f"archetype {j + 1}", fontsize=SMALL, va="center")
        if place == 0:
            for c, column in enumerate(columns):
                y = top + HEAD + BAR * (c + 0.5)
                page.text(left - 6, y, names[column], ha="right", va="center_baseline", **quiet)
    page.text(left, sheet.height - 5, "percentile; beside it the value", va="center", **quiet)


def draw_hull(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw the rows of two columns in the plane, the archetypes and their hull over them."""
    from scipy.spatial import ConvexHull

    names = [g.name for g in result.groups] if result.is_of_candidates else []
    key = make_key(sheet, names, sheet.width) if names else None
    above = key.height if key else 0.0
    top = above + HEAD
    side = min(SIDE, sheet.width - 60)
    sheet.begin(top + side + 34)
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
    axes = sheet.axes(44, 34, sheet.width - 44 - 1.3 * side if not sheet.is_phone else 10, top)
    corners = np.array(result.archetypes)
    for which, values in zip("xy", np.vstack([result.values, corners]).T, strict=True):
        beyond = BESIDE * float(np.ptp(values))  # corners are not on the axes, nor their numbers
        reach = [*values, float(values.min()) - beyond, float(values.max()) + beyond]
        axis = fit_axis(reach, side, 44, may_be_log=False)
        axis.apply(axes, "x" if which == "x" else "y")
    axes.spines["left"].set_visible(True)
    axes.tick_params(axis="y", length=3)
    size = float(np.clip(60 / np.sqrt(len(result.values)), 2.2, 5.0))
    labels = np.array(result.labels, dtype=object)
    parts: list[str | None] = [*names] or [None]
    for name in parts:
        own = result.values if name is None else result.values[labels == name]
        style: dict[str, Any] = (
            {"marker": "o", "markersize": size, "linestyle": "none", "color": sheet.colour("ink2"),
             "markeredgewidth": 0}
            if name is None
            else sheet.mark(name, size + 1)
        )  # fmt: skip
        is_out = result.is_outside & (name is None)
        own = own if name is not None else own[~is_out]
        (drawn,) = axes.plot(*own.T, **style, alpha=0.55, zorder=1, **sheet.dense)
        axes.plot(*result.values[is_out].T, **OPEN, color=sheet.colour("ink"), zorder=1)
        if name is not None:
            sheet.link(drawn, name)
    fitted = result.alpha @ corners
    outside = np.hypot(*(fitted - result.values).T) > 1e-6 * np.ptp(result.values)
    for start, end in zip(result.values[outside], fitted[outside], strict=True):
        axes.plot(*np.array([start, end]).T, color=sheet.colour("axis"), lw=DIVIDER, zorder=0.8)
    order = ConvexHull(corners).vertices if len(corners) > 2 else np.arange(len(corners))
    ring = corners[[*order, order[0]]]
    axes.plot(*ring.T, color=sheet.colour("ink"), lw=STROKE, zorder=2)
    axes.plot(
        *corners.T, marker="D", markersize=6, linestyle="none", zorder=3, clip_on=False,
        markerfacecolor=sheet.colour("paper"), markeredgecolor=sheet.colour("ink"),
        markeredgewidth=PX,
    )  # fmt: skip
    middle = corners.mean(axis=0)
    spread = np.ptp(corners, axis=0)
    for j, corner in enumerate(corners):
        way = (corner - middle) / np.where(spread > 0, spread, 1.0)
        way = way / (np.hypot(*way) or 1.0)
        axes.annotate(
            str(j + 1), corner, xytext=9 * way, textcoords="offset points", ha="center",
            va="center", fontsize=TICK, fontweight=600, zorder=4, annotation_clip=False,
        )  # fmt: skip
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    first, second = result.columns
    box = axes.get_position()
    middle_of_axis = (box.x0 + box.x1) / 2 * sheet.width
    page.text(middle_of_axis, sheet.height - 6, first, ha="center", va="center_baseline", **quiet)
    page.text(44, above + HEAD / 2, second, ha="center", va="center_baseline", **quiet)
