"""Relations of candidates: the Hasse diagram, and the incidence matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reportgen.data_classes import dataclass
from reportgen.drawing.label_placement import Point
from reportgen.drawing.labels import MARK_WIDTH, name_mark
from reportgen.drawing.plots.hasse_layout import Size, lay_out
from reportgen.drawing.plots.rows import DIVIDER, GAP, GUTTER, PHONE_GUTTER
from reportgen.drawing.sheet import Sheet, draw_lines, fill_boxes, shorten_names
from reportgen.drawing.style import DATA, SMALL, TICK
from reportgen.drawing.text_size import text_width

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist

MOST = 40  # candidates that have room
MANY = 8  # candidates on one height from which names are small
NAME, EDGE = 13.0, 6.0  # pt: height of a name; around the diagram
BETWEEN, APART, LEAST_NAME = 26.0, 30.0, 20.0  # pt: heights, and names on one of them; of a name
DASHES = (0, (4, 3))
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
    order = [name for level in found.levels for name in level]
    number = {name: i for i, name in enumerate(order)}
    widest = max(len(level) for level in found.levels)
    size = TICK if widest < MANY else SMALL
    room = sheet.width / widest - MARK_WIDTH - GAP
    names = shorten_names(order, max(room, LEAST_NAME), size)
    widths = [MARK_WIDTH + text_width(names[name], size) for name in order]
    lines = [(number[a], number[b]) for a, b in (*found.covers, *found.implied)]
    layout = lay_out(
        [Size(width, NAME) for width in widths],
        [[number[name] for name in level] for level in found.levels],
        lines,
        width=sheet.width - 2 * EDGE,
        between=BETWEEN,
        apart=APART,
    )
    sheet.begin(layout.height + 2 * EDGE)
    page = sheet.page()
    placed = list(zip(layout.places, widths, strict=True))
    ends = [p.x - w / 2 for p, w in placed], [p.x + w / 2 for p, w in placed]
    left = (sheet.width - min(ends[0]) - max(ends[1])) / 2
    for pairs, is_dashed in ((found.covers, False), (found.implied, True)):
        for better, worse in pairs:
            start, end = layout.places[number[better]], layout.places[number[worse]]
            bends = layout.routes[number[better], number[worse]]
            points = [(start.x, start.top + NAME), *bends, (end.x, end.top)]
            line = [(left + x, EDGE + y) for x, y in points]
            style = {"linestyle": DASHES} if is_dashed else {}
            colour = sheet.colour("axis" if is_dashed else "ink2")
            sheet.link(draw_lines(page, [line], colour, DATA, **style), better, worse)
    for name, width, place in zip(order, widths, layout.places, strict=True):
        x, y = left + place.x - width / 2, EDGE + place.top + NAME / 2
        name_mark(sheet, page, x, y, name, names[name], size=size)


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
