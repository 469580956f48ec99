"""Parallel coordinates: rows and archetypes column by column, and what rows are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import (
    DATA,
    HAIR,
    HEAVY,
    SMALL,
    TICK,
    Sheet,
    make_key,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines
from reportgen.drawing.style import DASHES, Dash

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.archetypes.result import ArchetypesResult

Array = NDArray[np.float64]

HEIGHT, SIDE, LABELS = 170.0, 18.0, 62.0  # pt: of the lines; left and right; longest name
MOST_LABELS = 60  # columns that are named
PANEL, TITLE, ACROSS = 62.0, 13.0, 4  # pt: height of a panel, its name; panels in a line
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
    step = TITLE + PANEL + 16
    sheet.begin(lines * step + 2)
    page = sheet.page()
    gap = 14.0
    width = (sheet.width - 2 * SIDE - (across - 1) * gap) / across
    labels = np.array(result.labels, dtype=object)
    names = shortened([g.name for g in result.groups], width - 12, TICK)
    for i, group in enumerate(result.groups):
        left, above = SIDE + i % across * (width + gap), i // across * step
        axes = sheet.axes(
            left, sheet.height - above - TITLE - PANEL, sheet.width - left - width, above + TITLE
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
