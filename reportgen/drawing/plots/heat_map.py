"""The heat map: a cell a row and a column, shaded by its class, with its number in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import cos, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing.plots.rows import GAP, PX
from reportgen.drawing.sheet import Sheet, fill_boxes, shorten_names
from reportgen.drawing.style import SMALL, TICK
from reportgen.drawing.text_size import text_width

SHADES = ("paper", "rule", "ghost")  # of the classes
CELL, HEAD, FOOT = 15 * PX, 18.0, 17.0  # pt: height of a row; above and below them
WIDEST = 96.0  # pt: of a cell
NAMES, PHONE_NAMES = 150.0, 64.0  # pt: longest name of a row
LEANING, TURN = 84.0, 40.0  # pt: the longest leaning name of a column; degrees
PATCH = 7.0  # pt: a shade in the legend
SET: dict[str, Any] = {"va": "center_baseline", "fontsize": SMALL}


def draw_heat_map(
    sheet: Sheet,
    classes: NDArray[np.int_],
    texts: NDArray[np.str_],
    rows: Sequence[str],
    columns: tuple[str, Sequence[str]],
    legend: Sequence[str],
) -> None:
    """Draw a heat map with its legend.

    `classes`: place of each cell's shade, from 0 for the lightest to 2.
    `texts`: what a cell says; nothing is written where some text has no room.
    `columns`: the word before the columns' names where there is room, and the names.
    `legend`: what each shade means; those that no cell has are left out.
    """
    from matplotlib.colors import ListedColormap

    names = shorten_names(rows, PHONE_NAMES if sheet.is_phone else NAMES, SMALL)
    left = 6 + max(text_width(names[row], SMALL) for row in rows)
    cell = min(WIDEST, (sheet.width - left) / classes.shape[1])
    word, heads = columns
    is_turned = max(text_width(head, TICK) for head in heads) > cell - 4
    top, beyond = HEAD, 0.0
    if is_turned:  # names lean over the next columns, and the last beyond its own
        short = shorten_names(heads, LEANING, TICK)
        longest = max(text_width(text, TICK) for text in short.values())
        top = longest * sin(radians(TURN)) + HEAD
        beyond = max(0.0, text_width(short[heads[-1]], TICK) * cos(radians(TURN)) - cell / 2 + 6)
        cell = min(WIDEST, (sheet.width - left - beyond) / classes.shape[1])
    has_room = max(text_width(text, SMALL) for text in texts.flat) <= cell - 4
    sheet.begin(top + CELL * len(rows) + FOOT)
    page = sheet.page()
    axes = sheet.axes(left, FOOT, sheet.width - left - cell * classes.shape[1], top)
    ink = sheet.colour("ink")
    axes.set_axis_off()
    axes.pcolormesh(
        classes, vmin=0, vmax=len(SHADES) - 1, linewidths=PX, edgecolor=sheet.colour("rule"),
        cmap=ListedColormap([sheet.colour(shade) for shade in SHADES]),
    )  # fmt: skip
    axes.set(xlim=(0, classes.shape[1]), ylim=(len(rows), 0))
    for (i, j), text in np.ndenumerate(texts) if has_room else ():
        axes.text(j + 0.5, i + 0.5, text, ha="center", color=ink, **SET)
    for i, row in enumerate(rows):
        page.text(left - 6, top + (i + 0.5) * CELL, names[row], ha="right", color=ink, **SET)
    full = [f"{word} {head}".lstrip() for head in heads]
    fits = max(text_width(head, TICK) for head in full) <= cell - 4
    quiet: dict[str, Any] = {"fontsize": TICK, "color": sheet.colour("ink2")}
    for j, head in enumerate(full if fits else heads):
        x = left + (j + 0.5) * cell
        if is_turned:
            lean: dict[str, Any] = {"rotation": TURN, "rotation_mode": "anchor", "va": "baseline"}
            page.text(x, top - 4, short[head], ha="left", **lean, **quiet)
        else:
            page.text(x, 8, head, ha="center", va="center_baseline", **quiet)
    key = [(shade, words) for i, (shade, words) in enumerate(zip(SHADES, legend, strict=True))
           if (classes == i).any()]  # fmt: skip
    widths = [PATCH + 3 + text_width(words, SMALL) + GAP for _, words in key]
    start = max(0.0, min(left, sheet.width - sum(widths) + GAP))
    y = sheet.height - 6
    for (shade, words), x in zip(key, accumulate([start, *widths]), strict=False):
        rim = {"edgecolor": sheet.colour("axis"), "lw": PX}
        fill_boxes(page, [(x, y - PATCH / 2, PATCH, PATCH)], sheet.colour(shade), **rim)
        page.text(x + PATCH + 3, y, words, color=sheet.colour("ink2"), **SET)
