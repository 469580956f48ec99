"""Scree, panorama, robust weights, parallel coordinates and shares of archetypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import (
    DATA,
    HAIR,
    HEAVY,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fit_axis,
    make_key,
    name_axis,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines
from reportgen.drawing.style import DASHES, Dash

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.archetypes.result import ArchetypesResult

Array = NDArray[np.float64]

LEFT, BELOW = 34.0, 30.0
SCREE, PANEL = 130.0, 88.0  # pt: heights
HEAD, APART = 13.0, 12.0  # pt: words above a panel; between two that stand one above the other
NEAR_TOP = 88.0  # per cent left from which a label would reach the name of the axis
LINE = 11.0  # pt: from one label to the next
EDGE = 6.0  # pt around a panel, for circles at its edges
RING = 10.0  # pt: distance at which two numbered circles can be distinguished
MOST_OF_ROWS = 0.998  # the farthest rows of all are drawn at the upper edge


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


def _name_upwards(sheet: Sheet, page: Axes, y: float, text: str) -> None:
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


def draw_panorama(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a panel an archetype: the rows by their distance from it, and the other archetypes."""
    names = [g.name for g in result.groups] if result.is_of_candidates else []
    across = min(result.k, 1 if sheet.is_phone else 2 if result.k in (2, 4) else 3)
    lines = -(-result.k // across)
    key = make_key(sheet, names, sheet.width) if names else None
    top = (key.height + 4 if key else 0.0) + HEAD + 3
    step = HEAD + PANEL + 14
    sheet.begin(top + lines * step + 18)
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
    _name_upwards(sheet, page, top - HEAD / 2 - 4, "distance on scaled data")
    gap = 26.0
    width = (sheet.width - LEFT - 8 - (across - 1) * gap) / across
    highest = float(max(np.quantile(result.distances, MOST_OF_ROWS), result.between.max()))
    for j in range(result.k):
        x, above = LEFT + j % across * (width + gap), top + j // across * step
        below = sheet.height - above - HEAD - PANEL
        axes = sheet.axes(x, below, sheet.width - x - width, above + HEAD)
        _panorama_panel(result, j, highest, sheet, axes)
        text = f"archetype {j + 1}"
        page.text(x, above + 5, text, va="center_baseline", fontsize=TICK, fontweight=600)
    name_axis(sheet, page, LEFT, "rows, the nearest first")


def _panorama_panel(
    result: ArchetypesResult, j: int, highest: float, sheet: Sheet, axes: Axes
) -> None:
    n = len(result.labels)
    order = np.argsort(result.distances[j], kind="stable")
    labels = np.array(result.labels, dtype=object)[order]
    ys = np.minimum(result.distances[j][order], highest)
    fit_axis([0, highest], PANEL, 24, may_be_log=False).apply(axes, "y")
    width = axes.get_position().width * sheet.width
    _widen(axes, n, width, highest)
    size = float(np.clip(60 / np.sqrt(n), 2.0, 5.0))
    for name in dict.fromkeys(labels) if result.is_of_candidates else ("",):
        own = labels == name if name else np.ones(n, dtype=bool)
        plain = {"marker": "o", "markersize": size, "linestyle": "none", "markeredgewidth": 0,
                 "color": sheet.colour("ink2")}  # fmt: skip
        style = sheet.mark(name, size) if name else plain
        axes.plot(np.flatnonzero(own), ys[own], **style, zorder=2, **sheet.dense)
    unit = (width - 2 * EDGE) / n, PANEL / float(np.ptp(axes.get_ylim()))
    for i, x, y in _rings(result.between[j], j, ys, unit):
        draw_lines(axes, [[(0, y), (n, y)]], sheet.colour("rule"), HAIR, zorder=0)
        axes.plot([x], [y], marker="o", markersize=9, markeredgewidth=THIN, zorder=3, clip_on=False,
                  color=sheet.colour("paper"), markeredgecolor=sheet.colour("ink"))  # fmt: skip
        axes.text(x, y, str(i + 1), fontsize=SMALL, ha="center", va="center_baseline", zorder=4)


def _widen(axes: Axes, n: int, width: float, highest: float) -> None:
    """Leave room for a circle around every place of the rows, and at the upper end."""
    margin = EDGE * n / (width - 2 * EDGE)
    lower, upper = axes.get_ylim()
    above = lower + (highest - lower) * PANEL / (PANEL - EDGE)
    axes.set(xlim=(-margin, n + margin), xticks=[], ylim=(lower, max(upper, above)))


def _rings(
    heights: Array, j: int, ys: Array, unit: tuple[float, float]
) -> list[tuple[int, float, float]]:
    """Return the other archetypes with their places, moved aside where two would be one.

    Parameters
    ----------
    heights : ndarray of shape (k,)
        Distances from archetype j.
    j : int
    ys : ndarray of shape (n,)
        Distances of the rows, ascending.
    unit : tuple of two float
        Points from one row to the next, and of one of distance.
    """
    along, up = unit
    found: list[tuple[int, float, float]] = []
    for i in sorted(set(range(len(heights))) - {j}, key=lambda i: -float(heights[i])):
        y = float(heights[i])
        x = float(np.searchsorted(ys, y))
        near = [other for _, other, height in found if abs(y - height) * up < RING]
        places = [x, *(other + way * RING / along for way in (-1, 1) for other in near)]
        free = [p for p in places if 0 <= p <= len(ys) and _is_free(p, near, RING / along)]
        found.append((i, min(free, key=lambda p: abs(p - x), default=x), y))
    return found


def _is_free(place: float, others: Sequence[float], least: float) -> bool:
    return all(abs(place - other) >= least * (1 - 1e-9) for other in others)


def draw_residuals(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw the residual of every row, and below it the weight that it was given."""
    sheet.begin(2 * PANEL + 2 * HEAD + APART + 26)
    page = sheet.page()
    n = len(result.labels)
    bottom = sheet.height - HEAD - PANEL
    upper = sheet.axes(LEFT, bottom, 10, HEAD)
    lower = sheet.axes(LEFT, 22, 10, 2 * HEAD + PANEL + APART + 4)
    _name_upwards(sheet, page, HEAD / 2 - 2, "residual on scaled data")
    _name_upwards(sheet, page, HEAD * 1.5 + PANEL + APART + 2, "weight")
    bound = result.bound or 0.0
    shown = np.minimum(result.residuals, 4 * bound) if bound else result.residuals
    fit_axis([0, *shown.tolist()], PANEL, 24, may_be_log=False).apply(upper, "y")
    fit_axis([0, float(result.row_weights.max())], PANEL, 30, may_be_log=False).apply(lower, "y")
    outside = result.row_weights == 0
    for axes, ys in ((upper, shown), (lower, result.row_weights)):
        axes.set(xlim=(-0.02 * n, 1.02 * n), xticks=[])
        for rows, colour, size in ((~outside, "ink2", 2.2), (outside, "c1", 4.5)):
            axes.plot(np.flatnonzero(rows), ys[rows], marker="o", markersize=size, clip_on=False,
                      markeredgewidth=0, linestyle="none", color=sheet.colour(colour),
                      zorder=2, **sheet.dense)  # fmt: skip
    if bound:
        draw_lines(upper, [[(0, bound), (n, bound)]], sheet.colour("ink"), THIN, zorder=1)
        upper.text(n, bound, "c", fontsize=TICK, va="bottom", ha="right", style="italic")
    name_axis(sheet, page, LEFT, "rows, in their order")


HEIGHT, SIDE, LABELS = 170.0, 18.0, 62.0  # pt: of the lines; left and right; longest name
MOST_LABELS = 60  # columns that are named
PARALLEL_PANEL, TITLE, ACROSS = 62.0, 13.0, 4  # pt: height of a panel, its name; panels in a line
LINES: tuple[tuple[Dash, bool], ...] = (
    *((dash, False) for dash in DASHES),
    ("solid", True),
    ((0, (11, 2.5)), False),
    ((0, (1.2, 4)), False),
    ((0, (5, 1.6, 1.2, 1.6, 1.2, 1.6)), False),
)  # dashes of the archetypes' lines, and whether they are double
FEW_COLUMNS = 6  # up to which their names stand upright


def draw_parallel(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a thin line a row and a heavy one an archetype, every column from least to greatest."""
    m = len(result.columns)
    names = shortened(result.columns, LABELS, SMALL)
    is_turned = m > FEW_COLUMNS or sheet.is_phone
    below = 14.0
    if is_turned:
        below = 8 + max(text_width(t, SMALL) for t in names.values()) if m <= MOST_LABELS else 8.0
    key = make_key(sheet, groups, sheet.width) if (groups := _groups(result)) else None
    top = 8 + (key.height + 4 if key else 0)
    sheet.begin(top + HEIGHT + below)
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
    axes = sheet.axes(SIDE, below, SIDE, top)
    axes.set(xlim=(0, max(m - 1, 1)), ylim=(-0.02, 1.02), xticks=[], yticks=[])
    axes.axis("off")
    lower, spread = _ranges(result)
    _rows(result, (result.values - lower) / spread, sheet, axes)
    draw_lines(axes, [[(j, 0), (j, 1)] for j in range(m)], sheet.colour("rule"), HAIR, zorder=1)
    _archetypes(result, (np.array(result.archetypes) - lower) / spread, sheet, axes)
    if m <= MOST_LABELS:
        _name_columns(sheet, axes, list(names.values()), is_turned=is_turned)


def _groups(result: ArchetypesResult) -> tuple[str, ...]:
    return tuple(g.name for g in result.groups) if result.is_of_candidates else ()


def _ranges(result: ArchetypesResult) -> tuple[Array, Array]:
    both = np.vstack([result.values, result.archetypes])
    lower, upper = np.nanmin(both, axis=0), np.nanmax(both, axis=0)
    return lower, np.where(upper > lower, upper - lower, 1.0)


def _rows(result: ArchetypesResult, scaled: Array, sheet: Sheet, axes: Axes) -> None:
    """Draw the rows, each group in its colour; gaps break a line."""
    labels = np.array(result.labels, dtype=object)
    fade = float(np.clip(60 / max(len(scaled), 1), 0.14, 0.6))
    parts = [(sheet.ink(name), labels == name, fade) for name in _groups(result)]
    if not parts:
        is_out = result.is_outside
        parts = [(sheet.colour("ink2"), ~is_out, fade), (sheet.colour("c1"), is_out, 0.6)]
    for colour, own, alpha in parts:
        lines = [run for row in scaled[own] for run in runs(row)]
        if lines:
            draw_lines(axes, lines, colour, HAIR, alpha=alpha, zorder=2, **sheet.dense)


def runs(row: Array) -> list[list[tuple[float, float]]]:
    """Return the parts of a line between its gaps; a single point is none."""
    found: list[list[tuple[float, float]]] = [[]]
    for j, y in enumerate(row.tolist()):
        if np.isfinite(y):
            found[-1].append((float(j), y))
        elif found[-1]:
            found.append([])
    return [run for run in found if len(run) > 1]


def _archetypes(result: ArchetypesResult, scaled: Array, sheet: Sheet, axes: Axes) -> None:
    m = scaled.shape[1]
    style: dict[str, Any] = {"fontsize": TICK, "fontweight": 600, "clip_on": False, "va": "center"}
    for j, row in enumerate(scaled):
        line = [(float(i), float(y)) for i, y in enumerate(row)]
        draw_lines(axes, [line], sheet.colour("halo"), HEAVY + 1.6, zorder=3)
        dash, width, core = line_style(j)
        axes.plot(*zip(*line, strict=True), color=sheet.colour("ink"), lw=width, zorder=4,
                  linestyle=dash, clip_on=False)  # fmt: skip
        if core:
            draw_lines(axes, [line], sheet.colour("paper"), core, zorder=4)
    away = 6 * max(m - 1, 1) / (sheet.width - 2 * SIDE)
    for column, at, side in ((0, -away, "right"), (-1, m - 1 + away, "left")):
        for j, y in enumerate(spread_out(scaled[:, column].tolist(), 11 / HEIGHT)):
            axes.text(at, y, str(j + 1), ha=side, **style)


def line_style(j: int) -> tuple[Dash, float, float]:
    """Return dashes and width of an archetype's line, and the width of a light core within it.

    The first eight differ in their dashes or are double; the next eight are thinner.
    """
    dash, is_double = LINES[j % len(LINES)]
    width = HEAVY - 0.4 if j // len(LINES) % 2 == 0 else DATA - 0.35
    return dash, 1.9 * width if is_double else width, 0.75 * width if is_double else 0.0


def spread_out(places: Sequence[float], least: float) -> list[float]:
    """Move places apart until neighbours are so far from one another, in their order."""
    order = np.argsort(places, kind="stable")
    moved = np.array(places, dtype=float)[order]
    for i in range(1, len(moved)):
        moved[i] = max(moved[i], moved[i - 1] + least)
    over = moved[-1] - 1 if len(moved) else 0.0
    for i in range(len(moved) - 1, -1, -1) if over > 0 else ():
        limit = 1.0 if i == len(moved) - 1 else moved[i + 1] - least
        moved[i] = min(moved[i], limit)
    found = np.empty(len(moved))
    found[order] = moved
    return [float(x) for x in found]


def _name_columns(sheet: Sheet, axes: Axes, names: list[str], *, is_turned: bool) -> None:
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "clip_on": False}
    for j, name in enumerate(names):
        if is_turned:
            axes.text(j, -0.045, name, rotation=90, ha="center", va="top", **style)
        else:
            ends = {0: "left", len(names) - 1: "right"}
            axes.text(j, -0.05, name, ha=ends.get(j, "center"), va="top", **style)


def draw_made_of(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a panel a candidate: what its rows are made of, archetype by archetype."""
    across = min(len(result.groups), 2 if sheet.is_phone else ACROSS)
    lines = -(-len(result.groups) // across)
    step = TITLE + PARALLEL_PANEL + 16
    sheet.begin(lines * step + 2)
    page = sheet.page()
    gap = 14.0
    width = (sheet.width - 2 * SIDE - (across - 1) * gap) / across
    labels = np.array(result.labels, dtype=object)
    names = shortened([g.name for g in result.groups], width - 12, TICK)
    for i, group in enumerate(result.groups):
        left, above = SIDE + i % across * (width + gap), i // across * step
        axes = sheet.axes(
            left,
            sheet.height - above - TITLE - PARALLEL_PANEL,
            sheet.width - left - width,
            above + TITLE,
        )
        axes.set(xlim=(0.8, result.k + 0.2), ylim=(-0.03, 1.03), yticks=[0, 0.5, 1])
        axes.set_yticklabels(["0", "", "1"] if i % across == 0 else [], fontsize=SMALL)
        axes.set_xticks(range(1, result.k + 1), [str(j) for j in range(1, result.k + 1)])
        axes.tick_params(labelsize=SMALL, length=2)
        _panel(result, group.name, result.alpha[labels == group.name], sheet, axes)
        page.plot([left + 4], [above + 6], **sheet.mark(group.name, 6))
        page.text(left + 11, above + 6, names[group.name], va="center_baseline", fontsize=TICK)


def _panel(result: ArchetypesResult, name: str, mixtures: Array, sheet: Sheet, axes: Axes) -> None:
    place = np.arange(1, result.k + 1)
    levels = [[(0.8, y), (result.k + 0.2, y)] for y in (0, 0.5, 1)]
    draw_lines(axes, levels, sheet.colour("rule"), HAIR, zorder=0)
    rows = [list(zip(place.tolist(), row.tolist(), strict=True)) for row in mixtures]
    fade = float(np.clip(30 / max(len(rows), 1), 0.16, 0.6))
    draw_lines(axes, rows, sheet.ink(name), HAIR, alpha=fade, zorder=1, **sheet.dense)
    axes.plot(place, mixtures.mean(axis=0), color=sheet.colour("ink"), lw=DATA, zorder=2)
    axes.plot(place, mixtures.mean(axis=0), **sheet.mark(name, 5), zorder=3)
