"""How a fit of archetypes came about, what it leaves, and bodies of archetypes, on request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import DATA, SMALL, TICK, Sheet, fit_axis
from reportgen.drawing.plots.rows import DIVIDER, PX
from reportgen.drawing.sheet import Point, draw_lines
from reportgen.notation import significant
from reportgen.sections.archetypes.drawings import OPEN
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist
    from reportgen.sections.archetypes.result import ArchetypesResult

LEFT, FOOT, HEAD = 40.0, 30.0, 16.0  # pt: for the ticks of values; below and above a panel
WORDS = 16.0  # pt: below panels without ticks
HIGH, LOW = 120.0, 60.0  # pt: of panels
PANEL, BETWEEN = 130.0, 12.0  # pt: width of a panel at least, and between panels
STEPS, MOST_TICKS = (1, 2, 5, 10, 20, 50, 100, 1000, 100_000), 8  # of sweeps
DASHED = (0, (4, 2))
LABEL = 0.11  # of the axis: height of a label


def draw_iterations(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw what is left after each sweep of the fit that was chosen."""
    sheet.begin(HEAD + HIGH + FOOT)
    page = sheet.page()
    axes = sheet.axes(LEFT, FOOT, 14, HEAD)
    fit_axis(result.trace, HIGH, 22).apply(axes, "y")
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
    _quiet(sheet, page, 0, HEAD / 2, "objective")
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
    across = int(min(result.k, 4, max(1, (sheet.width - LEFT) // (PANEL + BETWEEN))))
    width = (sheet.width - LEFT - BETWEEN * (across - 1) - 4) / across
    down = -(-result.k // across)
    high = HEAD + 90.0
    sheet.begin(down * high + WORDS)
    page = sheet.page()
    largest = float(max(rows.max(), among.max()))
    axis = fit_axis([0.0, largest], 90.0, 24, may_be_log=False)
    n = len(rows)
    for j in range(result.k):
        line, place = divmod(j, across)
        start, top = LEFT + place * (width + BETWEEN), line * high
        axes = sheet.axes(start, sheet.height - top - high, sheet.width - start - width, top + HEAD)
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
        page.text(start, top + HEAD - 7, f"from archetype {j + 1}", fontsize=SMALL, va="center")
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
    panels = [("residual", result.residuals, HIGH)]
    panels += [("weight", result.row_weights, LOW)] if result.has_weights else []
    sheet.begin(sum(HEAD + high for _, _, high in panels) + WORDS)
    page = sheet.page()
    top = 0.0
    is_out = result.is_outside
    for name, values, high in panels:
        axes = sheet.axes(LEFT, sheet.height - top - HEAD - high, 8, top + HEAD)
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
        _quiet(sheet, page, 0, top + HEAD / 2, name)
        top += HEAD + high
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
    high = HEAD + BODY + 14
    sheet.begin(down * high)
    page = sheet.page()
    width = sheet.width / across
    unit = BODY / tallest
    for j, body in enumerate(bodies):
        line, place = divmod(j, across)
        middle, floor = width * (place + 0.5), line * high + HEAD + BODY + 4
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
