"""Figures of the archetypes that no report has by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from math import cos, radians
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    DATA,
    SMALL,
    TICK,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    fit_axis,
    make_key,
    shorten_names,
    text_width,
)
from reportgen.drawing.label_placement import Point
from reportgen.drawing.plots.rows import DIVIDER, PX, STROKE
from reportgen.drawing.sheet import draw_lines
from reportgen.drawing.style import DASHED
from reportgen.notation import significant
from reportgen.report import Figure, Series
from reportgen.sections.archetypes.figures import MOST_LINES, thinned
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist
    from reportgen.sections.archetypes.analysis import ArchetypesResult
    from reportgen.sections.base import Request

HIGH, HEAD, FOOT = 180.0, 16.0, 28.0  # pt: of the lines; the archetypes' numbers; column names
LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 2, 1, 2)))
MOST_STRONG, ALPHA = 500, (0.5, 0.12)  # rows whose lines are strong, and weak
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
    alpha = ALPHA[len(rows) > MOST_STRONG // 4]
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


LEFT, FIT_FOOT, FIT_HEAD = 40.0, 30.0, 16.0  # pt: for the ticks of values; below and above a panel
WORDS = 16.0  # pt: below panels without ticks
FIT_HIGH, FIT_LOW = 120.0, 60.0  # pt: of panels
FIT_PANEL, BETWEEN = 130.0, 12.0  # pt: width of a panel at least, and between panels
STEPS, MOST_TICKS = (1, 2, 5, 10, 20, 50, 100, 1000, 100_000), 8  # of sweeps
LABEL = 0.11  # of the axis: height of a label


def draw_iterations(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw what is left after each sweep of the fit that was chosen."""
    sheet.begin(FIT_HEAD + FIT_HIGH + FIT_FOOT)
    page = sheet.page()
    axes = sheet.axes(LEFT, FIT_FOOT, 14, FIT_HEAD)
    fit_axis(result.trace, FIT_HIGH, 22).apply(axes, "y")
    last = len(result.trace) - 1
    step = next(step for step in STEPS if last <= MOST_TICKS * step)
    axes.set(xlim=(0, last), xticks=range(0, last + 1, step))
    axes.spines["left"].set_visible(True)
    axes.tick_params(axis="y", length=3)
    ink = sheet.colour("ink")
    axes.plot(range(last + 1), result.trace, color=ink, lw=DATA, marker="o" if last < 60 else None,
              markersize=3, clip_on=False)  # fmt: skip
    axes.annotate(
        significant(result.trace[-1], 4), (last, result.trace[-1]), (0, 5), ha="right",
        textcoords="offset points", va="bottom", fontsize=TICK,
    )  # fmt: skip
    _quiet(sheet, page, 0, FIT_HEAD / 2, "objective")
    _quiet(sheet, page, LEFT, sheet.height - 6, "sweeps over all archetypes")


def _quiet(sheet: Sheet, page: PageArtist, x: float, y: float, text: str) -> None:
    """Write the name of an axis."""
    page.text(x, y, text, va="center_baseline", fontsize=SMALL, color=sheet.colour("ink2"))


def distances(result: ArchetypesResult) -> tuple[Array, Array]:
    """Return the distances of rows (n, k) and archetypes (k, k) from archetypes, scaled."""
    corners = result.scaled_archetypes
    rows = np.stack([np.nansum((result.scaled - own) ** 2, axis=1) for own in corners], axis=1)
    among = ((corners[:, None] - corners[None]) ** 2).sum(axis=2)
    return np.sqrt(rows), np.sqrt(among)


def draw_panorama(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a panel an archetype: all rows by their distance from it, and the other archetypes."""
    rows, among = distances(result)
    across = int(min(result.k, 4, max(1, (sheet.width - LEFT) // (FIT_PANEL + BETWEEN))))
    width = (sheet.width - LEFT - BETWEEN * (across - 1) - 4) / across
    down = -(-result.k // across)
    high = FIT_HEAD + 90.0
    sheet.begin(down * high + WORDS)
    page = sheet.page()
    largest = float(max(rows.max(), among.max()))
    axis = fit_axis([0.0, largest], 90.0, 24, may_be_log=False)
    n = len(rows)
    for j in range(result.k):
        line, place = divmod(j, across)
        start, top = LEFT + place * (width + BETWEEN), line * high
        axes = sheet.axes(
            start, sheet.height - top - high, sheet.width - start - width, top + FIT_HEAD
        )
        axis.apply(axes, "y")
        axes.set(xlim=(0, n + 1), xticks=[])
        axes.tick_params(axis="y", labelleft=place == 0, labelsize=SMALL, length=2)
        axes.spines["left"].set_visible(True)
        order = np.argsort(rows[:, j], kind="stable")
        ascending, places, is_out = rows[order, j], np.arange(1, n + 1), result.is_outside[order]
        axes.plot(
            places[~is_out], ascending[~is_out], marker="o", markersize=2.2, linestyle="none",
            color=sheet.colour("ink2"), markeredgewidth=0, alpha=0.6, **sheet.dense,
        )  # fmt: skip
        axes.plot(
            places[is_out], ascending[is_out], **OPEN, clip_on=False, color=sheet.colour("ink")
        )
        _others(axes, j, among[j], ascending, largest, sheet)
        page.text(start, top + FIT_HEAD - 7, f"from archetype {j + 1}", fontsize=SMALL, va="center")
    _quiet(sheet, page, LEFT, sheet.height - 5, "rows by their distance, the nearest first")


def _others(axes: Axes, j: int, far: Array, ascending: Array, largest: float, sheet: Sheet) -> None:
    """Mark the other archetypes among the rows, none over another."""
    last = -np.inf
    for i in sorted(set(range(len(far))) - {j}, key=lambda i: float(far[i])):
        at = np.searchsorted(ascending, far[i]) + 0.5
        axes.plot(
            [at], [far[i]], marker="D", linestyle="none", markersize=4.5, markeredgewidth=PX,
            color=sheet.colour("ink"), markerfacecolor=sheet.colour("paper"), clip_on=False,
        )  # fmt: skip
        y = max(float(far[i]), last + LABEL * largest)
        axes.annotate(
            str(i + 1), (at, y), (-6, 6), textcoords="offset points", ha="right", va="center",
            fontsize=SMALL, fontweight=600, annotation_clip=False,
        )  # fmt: skip
        last = y


def draw_residuals(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw what each row is away from its mixture, and its weight where these differ."""
    n = len(result.residuals)
    panels = [("residual", result.residuals, FIT_HIGH)]
    panels += [("weight", result.row_weights, FIT_LOW)] if result.has_weights else []
    sheet.begin(sum(FIT_HEAD + high for _, _, high in panels) + WORDS)
    page = sheet.page()
    top = 0.0
    is_out = result.is_outside
    for name, values, high in panels:
        axes = sheet.axes(LEFT, sheet.height - top - FIT_HEAD - high, 8, top + FIT_HEAD)
        reach = [0.0, float(values.max()), *([result.bound] if result.bound else [])]
        axis = fit_axis(reach if name == "residual" else [0.0, 1.0, float(values.max())], high, 22,
                        may_be_log=False)  # fmt: skip
        axis.apply(axes, "y")
        axes.set(xlim=(0.5, n + 0.5), xticks=[])
        axes.spines["left"].set_visible(True)
        axes.tick_params(axis="y", length=3, labelsize=SMALL)
        style: dict[str, Any] = {"marker": "o", "linestyle": "none", "clip_on": False}
        places = np.arange(1, n + 1)
        quiet: dict[str, Any] = {
            "color": sheet.colour("ink2"),
            "markersize": 2.6,
            "markeredgewidth": 0,
        }
        axes.plot(places[~is_out], values[~is_out], **style, **quiet, **sheet.dense)
        axes.plot(places[is_out], values[is_out], **OPEN, clip_on=False, color=sheet.colour("ink"))
        if name == "residual" and result.bound:
            axes.axhline(result.bound, color=sheet.colour("ink"), lw=DIVIDER, ls=DASHED, zorder=0)
        _quiet(sheet, page, 0, top + FIT_HEAD / 2, name)
        top += FIT_HEAD + high
    _quiet(sheet, page, LEFT, sheet.height - 5, "rows, in their order")


# ----------------------------------------------------------------------------- skeletons

# Heights of a standing body's parts, as shares of its height, and how far its arms hang.
AT = {"ankle": 0.04, "knee": 0.28, "wrist": 0.47, "hips": 0.51, "pelvis": 0.58, "elbow": 0.62,
      "chest": 0.73, "shoulders": 0.82, "chin": 0.87, "crown": 1.0}  # fmt: skip
PAIRED = ("elbow", "wrist", "knee", "ankle")  # two of each: the column is the sum of both
BODY, USUAL = 170.0, 170.0  # pt: the tallest; height where no column has it, in the columns' unit
LEAST = 62.0  # pt: width of a body's place


def draw_skeletons(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw each archetype as a body with its widths, over the mean of all rows."""
    column = {part: result.columns.index(name) for part, name in result.skeleton.items()}
    bodies = [{p: row[c] for p, c in column.items()} for row in result.archetypes]
    means = np.nanmean(result.values, axis=0)
    mean = {part: float(means[c]) for part, c in column.items()}
    tallest = max(body.get("height", USUAL) for body in (*bodies, mean))
    across = int(min(result.k, max(1, sheet.width // LEAST)))
    down = -(-result.k // across)
    high = FIT_HEAD + BODY + 14
    sheet.begin(down * high)
    page = sheet.page()
    width = sheet.width / across
    unit = BODY / tallest
    for j, body in enumerate(bodies):
        line, place = divmod(j, across)
        middle, floor = width * (place + 0.5), line * high + FIT_HEAD + BODY + 4
        for own, colour, heavy in ((mean, "ghost", 1.2), (body, "ink", 2.2)):
            _draw_body(own, (middle, floor), unit, sheet, page, (colour, heavy))
        page.text(middle, line * high + 7, f"archetype {j + 1}", ha="center", va="center_baseline",
                  fontsize=SMALL)  # fmt: skip


def _draw_body(
    body: Mapping[str, float],
    place: Point,
    unit: float,
    sheet: Sheet,
    page: PageArtist,
    style: tuple[str, float],
) -> None:
    """Draw bones thinly, and what was measured across them heavily."""
    middle, floor = place
    colour, heavy = sheet.colour(style[0]), style[1]
    tall = body.get("height", USUAL) * unit
    y = {part: floor - share * tall for part, share in AT.items()}
    half = {part: unit * body[part] / 2 for part in body if part not in PAIRED}
    shoulder, hip = half.get("shoulders", 0.11 * tall), half.get("hips", 0.09 * tall)
    out = shoulder + 0.03 * tall
    joints = {"elbow": out, "wrist": out + 0.02 * tall, "knee": 0.75 * hip, "ankle": 0.6 * hip}
    bones: list[list[Point]] = [[(middle, y["chin"]), (middle, y["hips"])]]
    for side in (-1, 1):
        arm = [(side * shoulder, "shoulders"), (side * joints["elbow"], "elbow"),
               (side * joints["wrist"], "wrist")]  # fmt: skip
        leg = [(side * 0.85 * hip, "hips"), (side * joints["knee"], "knee"),
               (side * joints["ankle"], "ankle")]  # fmt: skip
        bones += [[(middle + x, y[part]) for x, part in limb] for limb in (arm, leg)]
    draw_lines(page, bones, colour, DIVIDER, zorder=1)
    widths = [[(middle - x, y[part]), (middle + x, y[part])] for part, x in half.items()
              if part in AT]  # fmt: skip
    for part in PAIRED:
        if part in body:
            reach = unit * body[part] / 4  # half of one of two
            widths += [
                [(middle + side * joints[part] - reach, y[part]),
                 (middle + side * joints[part] + reach, y[part])]
                for side in (-1, 1)
            ]  # fmt: skip
    draw_lines(page, widths, colour, heavy, zorder=2)
    radius = (y["chin"] - y["crown"]) / 2
    turn = np.linspace(0, 2 * np.pi, 40)
    head = np.column_stack([
        middle + 0.75 * radius * np.cos(turn), y["chin"] - radius + radius * np.sin(turn)
    ])  # fmt: skip
    draw_lines(page, [[(float(a), float(b)) for a, b in head]], colour, DIVIDER, zorder=1)


MOST_COLUMNS = 40  # that lines pass through
LEAST_SWEEPS = 3  # of which a line is worth drawing, the start counted
MOST_PANELS = 12  # archetypes that have room
MOST_BODIES = 24  # that have room
LEAST_PARTS = 3  # of a body


def archetype_residuals(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Residuals, and weights where they differ, of the rows (Eugster 2011, fig. 9.6)."""
    if result.unavailable or result.leaves_nothing:
        return
    shown = thinned(result)
    low, middle, high = np.quantile(shown.residuals, (0.25, 0.5, 0.75)).tolist()
    rows = tuple(
        zip(shown.labels, shown.residuals.tolist(), shown.row_weights.tolist(), strict=True)
    )
    out = result.outliers[:12]
    excluded = f" Without weight: {', '.join(alt_names(out)[x] for x in out)}." if out else ""
    yield canvas.figure(
        "archetype-residuals",
        "",
        partial(draw_residuals, shown),
        alt=alt_text(
            f"Residuals of {len(shown.labels)} rows, on the scaled columns: median "
            f"{significant(middle, 3)}, middle half {significant(low, 3)} to "
            f"{significant(high, 3)}, largest {significant(float(shown.residuals.max()), 3)}."
            f"{excluded}"
        ),
        data=Series(("row", "residual", "weight"), rows),
        n_marks=len(shown.labels),
    )


def hull(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Rows of two columns, the hull of the archetypes over them (Eugster 2011, fig. 8.1)."""
    if not result.unavailable and len(result.columns) == 2 and result.k > 1 and not result.n_gaps:
        yield _figure("hull", draw_hull, thinned(result), canvas, "in the plane of two columns")


def iterations(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """What is left after each sweep of the chosen fit (Eugster 2011, fig. 9.4)."""
    if result.unavailable or len(result.trace) < LEAST_SWEEPS or result.trace[-1] <= 0:
        return
    first, last = result.trace[0], result.trace[-1]
    yield canvas.figure(
        "iterations",
        "",
        partial(draw_iterations, result),
        alt=alt_text(
            f"Objective of the fit by sweep: {significant(first, 4)} at its start, "
            f"{significant(last, 4)} after {len(result.trace) - 1} sweeps."
        ),
        data=Series(("sweep", "objective"), tuple(enumerate(result.trace))),
    )


def panorama(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Rows by their distance from each archetype (Eugster 2011, fig. 9.5)."""
    if result.unavailable or not 2 <= result.k <= MOST_PANELS:
        return
    shown = thinned(result)
    far, among = distances(shown)
    texts = [
        f"from {j + 1}: rows {significant(float(far[:, j].min()), 3)} to "
        f"{significant(float(far[:, j].max()), 3)}, others "
        + ", ".join(
            f"{i + 1} at {significant(float(among[j, i]), 3)}" for i in range(result.k) if i != j
        )
        for j in range(result.k)
    ]
    rows = (
        *(
            ("row", label, j + 1, x)
            for label, own in zip(shown.labels, far.tolist(), strict=True)
            for j, x in enumerate(own)
        ),
        *(
            ("archetype", str(i + 1), j + 1, float(among[j, i]))
            for j in range(result.k)
            for i in range(result.k)
            if i != j
        ),
    )
    yield canvas.figure(
        "panorama",
        "",
        partial(draw_panorama, shown),
        alt=alt_text(
            f"Distances of {len(shown.labels)} rows from each archetype, on the scaled columns: "
            f"{'; '.join(texts)}."
        ),
        data=Series(("kind", "label", "archetype", "distance"), rows),
        n_marks=len(shown.labels) * result.k,
    )


def parallel(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Parallel coordinates of rows and archetypes (Eugster 2011, fig. 4.6, 8.3 and 8.7)."""
    if not result.unavailable and 2 <= len(result.columns) <= MOST_COLUMNS:
        words = "as lines through all columns, each from its least to its largest value"
        yield _figure("parallel", draw_parallel, thinned(result), canvas, words)


def profile_bars(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Percentiles of each archetype as bars (Eugster 2011, fig. 8.5)."""
    if result.unavailable or len(result.columns) > MOST_LINES:
        return
    names = alt_names(result.columns)
    rows = tuple(
        (j + 1, column, result.percentiles[j][c], result.archetypes[j][c])
        for j in range(result.k)
        for c, column in enumerate(result.columns)
    )
    texts = [
        f"{j + 1}: "
        + ", ".join(
            f"{names[column]} {100 * result.percentiles[j][c]:.0f}"
            for c, column in enumerate(result.columns)
        )
        for j in range(result.k)
    ]
    yield canvas.figure(
        "profile-bars",
        "",
        partial(draw_bars, result),
        alt=alt_text(f"Percentiles of the archetypes as bars. {'; '.join(texts)}."),
        data=Series(("archetype", "column", "percentile", "value"), rows),
    )


def skeleton(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Archetypes as bodies, by their columns (Eugster 2011, fig. 8.2 and 8.8)."""
    parts = result.skeleton
    if result.unavailable or len(parts) < LEAST_PARTS or result.k > MOST_BODIES:
        return
    place = {part: result.columns.index(name) for part, name in parts.items()}
    texts = [
        f"{j + 1}: " + ", ".join(f"{part} {significant(row[c], 3)}" for part, c in place.items())
        for j, row in enumerate(result.archetypes)
    ]
    rows = tuple(
        (j + 1, part, row[c])
        for j, row in enumerate(result.archetypes)
        for part, c in place.items()
    )
    yield canvas.figure(
        "skeleton",
        "",
        partial(draw_skeletons, result),
        alt=alt_text(f"Archetypes as bodies. {'; '.join(texts)}."),
        data=Series(("archetype", "part", "value"), rows),
    )


def _figure(
    name: str,
    draw: Callable[[ArchetypesResult, Sheet], None],
    result: ArchetypesResult,
    canvas: Canvas,
    words: str,
) -> Figure:
    """Draw rows and archetypes by their values."""
    columns = alt_names(result.columns)
    texts = [
        f"{j + 1}: "
        + ", ".join(
            f"{columns[c]} {significant(x, 3)}" for c, x in zip(result.columns, own, strict=True)
        )
        for j, own in enumerate(result.archetypes)
    ]
    rows = (
        *(
            ("archetype", str(j + 1), c, x)
            for j, own in enumerate(result.archetypes)
            for c, x in zip(result.columns, own, strict=True)
        ),
        *(
            ("row", label, c, x)
            for label, own in zip(result.labels, result.values.tolist(), strict=True)
            for c, x in zip(result.columns, own, strict=True)
        ),
    )
    head = f"{len(result.labels)} rows and {result.k} archetypes {words}."
    return canvas.figure(
        name,
        "",
        partial(draw, result),
        alt=alt_text(f"{head} Archetypes: {'; '.join(texts)}.", head),
        data=Series(("kind", "label", "column", "value"), rows),
        n_marks=len(result.labels),
    )


REQUESTS: Mapping[str, Request] = {
    "archetype-residuals": archetype_residuals,
    "hull": hull,
    "iterations": iterations,
    "panorama": panorama,
    "parallel": parallel,
    "profile-bars": profile_bars,
    "skeleton": skeleton,
}
