"""Curves of the fit: scree, panorama, and what a robust fit leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import (
    DATA,
    HAIR,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fit_axis,
    make_key,
    name_axis,
)
from reportgen.drawing.shapes import draw_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.archetypes.result import ArchetypesResult

Array = NDArray[np.float64]

LEFT, BELOW = 34.0, 30.0
SCREE, PANEL = 130.0, 88.0  # pt: heights
HEAD = 13.0
MOST_OF_ROWS = 0.998  # the farthest rows of all are drawn at the upper edge


def draw_scree(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw what is left of the sum of squares, number by number."""
    sheet.begin(SCREE + BELOW + 6)
    page = sheet.page()
    axes = sheet.axes(LEFT, BELOW, 10, 6)
    ks = [step.k for step in result.steps]
    left = [100 * (1 - step.explained) for step in result.steps]
    axis = fit_axis([0, *left], SCREE, 26, may_be_log=False)
    axis.apply(axes, "y")
    axes.set(xlim=(0.7, max(ks) + 0.3))
    axes.set_xticks(ks, [str(k) for k in ks])
    levels = [[(0.7, t), (max(ks) + 0.3, t)] for t in axis.ticks]
    draw_lines(axes, levels, sheet.colour("rule"), HAIR, zorder=0)
    axes.plot(ks, left, color=sheet.colour("ink2"), lw=DATA, zorder=1)
    axes.plot(ks, left, marker="o", markersize=4, color=sheet.colour("ink2"), linestyle="none")
    style: dict[str, Any] = {"fontsize": TICK, "va": "bottom", "ha": "left"}
    for k, text in _marked(result).items():
        axes.plot([k], [left[k - 1]], marker="o", markersize=8, color=sheet.colour("ink"))
        axes.annotate(text, (k, left[k - 1]), (6, 5), textcoords="offset points", **style)
    name_axis(sheet, page, LEFT, "number of archetypes; left unexplained, in per cent")


def _marked(result: ArchetypesResult) -> dict[int, str]:
    """Return which numbers are named."""
    if result.k == result.elbow:
        return {result.k: "elbow" if result.is_by_elbow else "elbow, and asked for"}
    return {result.k: "asked for", result.elbow: "elbow"}


def draw_panorama(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a panel an archetype: the rows by their distance from it, and the other archetypes."""
    names = [g.name for g in result.groups] if result.is_of_candidates else []
    across = min(result.k, 1 if sheet.is_phone else 2)
    lines = -(-result.k // across)
    key = make_key(sheet, names, sheet.width) if names else None
    top = key.height + 4 if key else 0.0
    step = HEAD + PANEL + 14
    sheet.begin(top + lines * step + 18)
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
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
    name_axis(sheet, page, LEFT, "rows, the nearest first; upwards: distance on scaled data")


def _panorama_panel(
    result: ArchetypesResult, j: int, highest: float, sheet: Sheet, axes: Axes
) -> None:
    n = len(result.labels)
    order = np.argsort(result.distances[j], kind="stable")
    labels = np.array(result.labels, dtype=object)[order]
    ys = np.minimum(result.distances[j][order], highest)
    fit_axis([0, highest], PANEL, 24, may_be_log=False).apply(axes, "y")
    axes.set(xlim=(-0.02 * n, 1.02 * n), xticks=[])
    size = float(np.clip(60 / np.sqrt(n), 2.0, 5.0))
    for name in dict.fromkeys(labels) if result.is_of_candidates else ("",):
        own = labels == name if name else np.ones(n, dtype=bool)
        plain = {"marker": "o", "markersize": size, "linestyle": "none", "markeredgewidth": 0,
                 "color": sheet.colour("ink2")}  # fmt: skip
        style = sheet.mark(name, size) if name else plain
        axes.plot(np.flatnonzero(own), ys[own], **style, zorder=2, **sheet.dense)
    for i in range(result.k):
        if i == j:
            continue
        y = result.between[j, i]
        x = int(np.searchsorted(ys, y))
        draw_lines(axes, [[(0, y), (n, y)]], sheet.colour("rule"), HAIR, zorder=0)
        axes.plot([x], [y], marker="o", markersize=9, markeredgewidth=THIN, zorder=3,
                  color=sheet.colour("paper"), markeredgecolor=sheet.colour("ink"))  # fmt: skip
        axes.text(x, y, str(i + 1), fontsize=SMALL, ha="center", va="center_baseline", zorder=4)


def draw_residuals(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw the residual of every row, and below it the weight that it was given."""
    sheet.begin(2 * PANEL + 2 * HEAD + 26)
    page = sheet.page()
    n = len(result.labels)
    bottom = sheet.height - HEAD - PANEL
    upper = sheet.axes(LEFT, bottom, 10, HEAD)
    lower = sheet.axes(LEFT, 22, 10, 2 * HEAD + PANEL + 4)
    at = [("residual on scaled data", HEAD / 2), ("weight", HEAD * 1.5 + PANEL + 4)]
    for text, y in at:
        page.text(LEFT, y, text, va="center_baseline", fontsize=TICK, color=sheet.colour("ink2"))
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
