"""The tree of the data sets, beside their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import HAIR, SMALL, THIN, Sheet, fit_axis
from reportgen.drawing.sheet import draw_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.domain.result import DomainResult

TREE = 84.0  # pt: its width
LEFT, WIDTH = 6.0, 74.0  # pt


def draw_tree(
    sheet: Sheet,
    axes: Axes,
    result: DomainResult,
    first: int,
    bands: Sequence[tuple[float, float]],
) -> None:
    """Draw the part of the tree that belongs to some rows.

    Parameters
    ----------
    sheet : Sheet
    axes : Axes
        Of the page.
    result : DomainResult
    first : int
        Place of the first row among all data sets.
    bands : sequence of two floats
        Upper and lower end of every row.
    """
    highest = max(result.merge_heights)
    n = len(bands)
    ends = (first - 0.5, first + n - 0.5)
    known = [ends[0], *range(first, first + n), ends[1]]
    middles = [bands[0][0] - 1, *((a + b) / 2 for a, b in bands), bands[-1][1] + 1]
    lines = []
    for x0, y0, x1, y1 in tree_segments(result):
        low, high = sorted((y0, y1))
        if high >= ends[0] and low <= ends[1]:
            ys = np.interp([y0, y1], known, middles).tolist()
            xs = (LEFT + WIDTH * (1 - x / highest) for x in (x0, x1))
            lines.append(list(zip(xs, ys, strict=True)))
    draw_lines(axes, lines, sheet.colour("ink2"), THIN, zorder=2, capstyle="projecting")
    if result.subdomains is not None:
        _draw_parts(sheet, axes, result, first, bands)
    _draw_axis(sheet, axes, highest, bands[-1][1] + 6)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    axes.text(LEFT, bands[0][0] - 11, "distance", **style)


def _draw_parts(
    sheet: Sheet,
    axes: Axes,
    result: DomainResult,
    first: int,
    bands: Sequence[tuple[float, float]],
) -> None:
    """Draw where the tree is cut, and number the parts beside it."""
    found = result.subdomains
    if found is None:
        return
    highest = max(result.merge_heights)
    x = LEFT + WIDTH * (1 - cut_height(result) / highest)
    ends = [(x, bands[0][0] - 1), (x, bands[-1][1] + 1)]
    draw_lines(axes, [ends], sheet.colour("axis"), THIN, zorder=1, linestyle=(0, (2.5, 2.0)))
    row = {name: i for i, name in enumerate(result.leaf_order)}
    style: dict[str, Any] = {"fontsize": SMALL, "fontweight": 600, "zorder": 5}
    for number, part in enumerate(found.parts, 1):
        shown = [row[d] - first for d in part.datasets if 0 <= row[d] - first < len(bands)]
        if shown:
            upper, lower = bands[min(shown)][0], bands[max(shown)][1]
            at = (x, (upper + lower) / 2)
            box = {"facecolor": sheet.colour("paper"), "edgecolor": "none", "pad": 0.8}
            axes.text(*at, str(number), ha="center", va="center", bbox=box, **style)


def cut_height(result: DomainResult) -> float:
    """Return a height between the highest join that is kept and the lowest that is undone."""
    found = result.subdomains
    if found is None:
        return 0.0
    above = [h for h in result.merge_heights if h > found.height]
    return (found.height + min(above)) / 2 if above else found.height


def _draw_axis(sheet: Sheet, axes: Axes, highest: float, y: float) -> None:
    """Draw the scale of the distances below the tree."""
    axis = fit_axis([0, highest], WIDTH, 30, may_be_log=False)
    shown = [
        (LEFT + WIDTH * (1 - t / highest), text)
        for t, text in zip(axis.ticks, axis.labels, strict=True)
        if t <= highest
    ]
    lines = [[(LEFT, y), (LEFT + WIDTH, y)], *([(x, y), (x, y + 3)] for x, _ in shown)]
    draw_lines(axes, lines, sheet.colour("axis"), HAIR, zorder=2)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    for x, text in shown:
        axes.text(x, y + 8.5, text, ha="center", **style)


def tree_segments(result: DomainResult) -> list[tuple[float, float, float, float]]:
    """Return the lines of the tree as (height, row, height, row); rows count from 0."""
    if result.distances is None:
        return []
    row = {name: float(i) for i, name in enumerate(result.leaf_order)}
    nodes = [(row[name], 0.0) for name in result.distances.datasets]
    lines = []
    for (a, b), height in zip(result.merges, result.merge_heights, strict=True):
        (ya, ha), (yb, hb) = nodes[a], nodes[b]
        lines += [(ha, ya, height, ya), (hb, yb, height, yb), (height, ya, height, yb)]
        nodes.append(((ya + yb) / 2, height))
    return lines
