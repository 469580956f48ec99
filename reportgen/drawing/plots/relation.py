"""Relations of candidates: the Hasse diagram, and the incidence matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing.labels import MARK_WIDTH, name_mark
from reportgen.drawing.plots.rows import DIVIDER, GAP, GUTTER, PHONE_GUTTER
from reportgen.drawing.sheet import Point, Sheet, draw_lines, fill_boxes, shorten_names
from reportgen.drawing.style import DATA, SMALL, TICK
from reportgen.drawing.text_size import text_width

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist

MOST = 40  # candidates that have room
LEVEL, EDGE = 45.0, 12.0  # pt: from one height to the next; above the first and below the last
CLEAR = 8.0  # pt: from the middle of a name to the ends of its lines
WIDEST = 120.0  # pt from name to name on one height
SWEEPS = 4  # over the heights, each ordered by the places of those above or below
CELL, LEAST_CELL, DOT = 18.0, 8.0, 0.62  # pt: of the matrix; share of a cell that its square fills
ABOVE = 20.0  # pt: the columns' names


@dataclass(frozen=True, slots=True)
class Heights:
    """What a Hasse diagram shows.

    `levels`: the candidates by height, the best above.
    `covers`: lines, the better first.
    `implied`: pairs that the lines suggest though they are not in the relation: dashed.
    """

    levels: tuple[tuple[str, ...], ...]
    covers: tuple[tuple[str, str], ...]
    implied: tuple[tuple[str, str], ...] = ()


def draw_hasse(found: Heights, sheet: Sheet) -> None:
    """Draw the candidates by height, and a line from each to those next below it."""
    levels = _untangled(found)
    sheet.begin(2 * EDGE + LEVEL * (len(levels) - 1) + 2)
    page = sheet.page()
    widest = max(len(level) for level in levels)
    size = TICK if widest < 8 else SMALL
    room = sheet.width / widest - MARK_WIDTH - GAP
    names = shorten_names([n for level in levels for n in level], room, size)
    places: dict[str, Point] = {}
    for i, level in enumerate(levels):
        for k, name in enumerate(level):
            step = min(sheet.width / len(level), WIDEST)
            x = sheet.width / 2 + step * (k - (len(level) - 1) / 2)
            places[name] = (x, EDGE + i * LEVEL)
    for pairs, style in ((found.covers, {}), (found.implied, {"linestyle": (0, (4, 3))})):
        for better, worse in pairs:
            (x, y), (end, below) = places[better], places[worse]
            way = np.sign(below - y)
            line = [(x, y + way * CLEAR), (end, below - way * CLEAR)]
            colour = sheet.colour("ink2" if pairs is found.covers else "axis")
            sheet.link(draw_lines(page, [line], colour, DATA, **style), better, worse)
    for name, (x, y) in places.items():
        width = MARK_WIDTH + text_width(names[name], size)
        left = x - width / 2
        box = [(left - 2, y - CLEAR + 1, width + 4, 2 * CLEAR - 2)]
        fill_boxes(page, box, sheet.colour("halo"), zorder=1.5)
        name_mark(sheet, page, left, y, name, names[name], size=size)


def _untangled(found: Heights) -> list[list[str]]:
    """Order each height by the mean place of those that it is joined with, so that few lines cross.

    Examples
    --------
    >>> _untangled(Heights((("a", "b"), ("c", "d")), (("a", "d"), ("b", "c"))))
    [['a', 'b'], ['d', 'c']]
    """
    levels = [list(level) for level in found.levels]
    joined: dict[str, set[str]] = {name: set() for level in levels for name in level}
    for better, worse in found.covers:
        joined[better].add(worse)
        joined[worse].add(better)
    for sweep in range(SWEEPS):
        order = range(1, len(levels)) if sweep % 2 == 0 else range(len(levels) - 2, -1, -1)
        for i in order:
            other = levels[i - 1 if sweep % 2 == 0 else i + 1]
            place = {name: (k + 0.5) / len(other) for k, name in enumerate(other)}
            means = {name: _mean_place(joined[name], place) for name in levels[i]}
            levels[i].sort(key=means.__getitem__)
    return levels


def _mean_place(names: set[str], places: Mapping[str, float]) -> float:
    found = [places[name] for name in names if name in places]
    return sum(found) / len(found) if found else 0.5


def draw_incidence(order: Sequence[str], better: Sequence[tuple[str, str]], sheet: Sheet) -> None:
    """Draw a matrix: a filled square where the row's candidate is better than the column's."""
    k = len(order)
    most = PHONE_GUTTER if sheet.is_phone else GUTTER
    names = shorten_names(order, most, TICK)
    left = MARK_WIDTH + max(text_width(text, TICK) for text in names.values()) + GAP
    counts = {name: sum(first == name for first, _ in better) for name in order}
    right = GAP + max(text_width(head, SMALL) for head in ("better than",))
    cell = max(LEAST_CELL, min(CELL, (sheet.width - left - right) / k))
    sheet.begin(ABOVE + k * cell + 2)
    page = sheet.page()
    place = {name: i for i, name in enumerate(order)}
    _frame(k, left, cell, sheet, page)
    side = DOT * cell
    boxes = [
        (
            left + (place[worse] + 0.5) * cell - side / 2,
            ABOVE + (place[first] + 0.5) * cell - side / 2,
            side,
            side,
        )
        for first, worse in better
    ]
    fill_boxes(page, boxes, sheet.colour("ink"))
    end = left + k * cell + right
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "ha": "right"}
    page.text(end, 8, "better than", va="center", **quiet)
    for name, i in place.items():
        middle = ABOVE + (i + 0.5) * cell
        name_mark(sheet, page, 0, middle, name, names[name])
        size = min(6.0, cell - 2)
        page.plot([left + (i + 0.5) * cell], [ABOVE - 8], **sheet.mark(name, size))
        page.text(end, middle, str(counts[name]), va="center_baseline", **quiet)


def _frame(k: int, left: float, cell: float, sheet: Sheet, page: PageArtist) -> None:
    """Draw hairlines between the cells, and fill the diagonal."""
    top, side = ABOVE, k * cell
    lines: list[list[Point]] = []
    for i in range(k + 1):
        lines.append([(left, top + i * cell), (left + side, top + i * cell)])
        lines.append([(left + i * cell, top), (left + i * cell, top + side)])
    diagonal = [(left + i * cell, top + i * cell, cell, cell) for i in range(k)]
    fill_boxes(page, diagonal, sheet.colour("band"), zorder=0)
    draw_lines(page, lines, sheet.colour("rule"), DIVIDER, zorder=0.5)
