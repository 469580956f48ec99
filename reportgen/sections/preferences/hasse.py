"""Hasse diagrams: the candidates of each box, the sizes of the boxes, and the drawing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING, Any

from reportgen.drawing import (
    MARK_WIDTH,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fitted,
    name_mark,
    shortened,
    text_width,
)
from reportgen.sections.preferences.hasse_layout import Layout, Line, Size, lay_out

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.preferences.analysis import Related

LINE_HEIGHT = 12.5  # pt, of one row of names
APART = 10.0  # pt between neighbours, and between the names of one box
PAD = 5.0  # pt between the rim of a box and what it holds
HEAD = 29.0  # pt, the two lines above a diagram
FOOT = 13.0  # pt, the line below it
TALL = 220.0  # pt: what diagrams of many layers are pressed to, where they can be
LEAST_GAP, MOST_GAP = 6.0, 19.0  # pt from layer to layer
LONGEST = (84.0, 60.0, 42.0, 30.0)  # pt of a name: the first at which the layers fit
DASHED = (0, (3.0, 2.2))


@dataclass(frozen=True, slots=True)
class Diagram:
    """The content of a relation's drawing, whatever the space.

    Attributes
    ----------
    boxes : tuple of tuples of str
        Candidates that are better than the same others and worse than the
        same others stand in one box.
    layers : tuple of tuples of int
        The boxes of each height, best first.
    lines, dashed, arrows : tuple of (int, int)
        From the better box to the worse: the transitive reduction; what
        transitivity asks for but the relation lacks; inside a circle.
    """

    boxes: tuple[tuple[str, ...], ...]
    layers: tuple[tuple[int, ...], ...]
    lines: tuple[Line, ...]
    dashed: tuple[Line, ...]
    arrows: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """A diagram with the sizes that it has in a certain width.

    Attributes
    ----------
    diagram : Diagram
    names : mapping of str to str
        What is written for every candidate.
    columns : tuple of int
        Into how many columns the names of each box are put.
    sizes : tuple of Size
    layers : tuple of tuples of int
        Those of the diagram; the ones that are too wide are broken.
    width, between : float
        Of the whole; from layer to layer.
    note : str
        Who has no values.
    """

    diagram: Diagram
    names: dict[str, str]
    columns: tuple[int, ...]
    sizes: tuple[Size, ...]
    layers: tuple[tuple[int, ...], ...]
    width: float
    between: float
    note: str = ""

    @property
    def is_broken(self) -> bool:
        """Whether a layer had to be broken into several."""
        return len(self.layers) > len(self.diagram.layers)

    @property
    def height(self) -> float:
        """Of heading, diagram and note."""
        layers = sum(max(self.sizes[box].height for box in layer) for layer in self.layers)
        gaps = self.between * (len(self.layers) - 1)
        return HEAD + layers + gaps + (FOOT if self.note else 0.0)

    def laid_out(self) -> Layout:
        """Return where everything goes."""
        lines = (*self.diagram.lines, *self.diagram.dashed)
        return lay_out(
            self.sizes, self.layers, lines, width=self.width, between=self.between, apart=APART
        )


@dataclass(frozen=True, slots=True)
class _Placed:
    """A panel with its layout, and where it is on the page."""

    panel: Panel
    layout: Layout
    left: float
    top: float


def diagram_of(relation: Related) -> Diagram:
    """Put candidates with the same relations into one box."""
    names = relation.present
    alike: dict[tuple[tuple[bool, ...], tuple[bool, ...]], list[str]] = {}
    for name in (name for level in relation.levels for name in level):
        better = tuple(relation.is_better(name, other) for other in names)
        worse = tuple(relation.is_better(other, name) for other in names)
        alike.setdefault((better, worse), []).append(name)
    boxes = tuple(tuple(box) for box in alike.values())
    box_of = {name: i for i, box in enumerate(boxes) for name in box}
    layers = tuple(tuple(dict.fromkeys(box_of[n] for n in level)) for level in relation.levels)
    layer_of = {box: i for i, layer in enumerate(layers) for box in layer}
    covers = dict.fromkeys((box_of[i], box_of[j]) for i, j in relation.covers)
    return Diagram(
        boxes,
        layers,
        tuple((i, j) for i, j in covers if layer_of[i] != layer_of[j]),
        tuple(dict.fromkeys((box_of[i], box_of[j]) for i, j in relation.implied)),
        tuple((i, j) for i, j in covers if layer_of[i] == layer_of[j]),
    )


def fit(relation: Related, width: float) -> Panel:
    """Give a relation the sizes it has in a width, with names as long as they can be."""
    diagram = diagram_of(relation)
    for longest in LONGEST:
        panel = _fit(diagram, width, longest)
        if not panel.is_broken:
            break
    if not relation.absent:
        return panel
    text = fitted(f"no values: {', '.join(relation.absent)}", width - 4, SMALL)
    return replace(panel, note=text)


def _fit(diagram: Diagram, width: float, longest: float) -> Panel:
    names = shortened([n for box in diagram.boxes for n in box], longest, TICK)
    cells = [max(text_width(names[n], TICK) for n in box) + MARK_WIDTH for box in diagram.boxes]
    layers = _break_lines(diagram, cells, width)
    columns = [len(box) for box in diagram.boxes]
    for layer in layers:
        _narrow(diagram, layer, columns, cells, width)
    sizes = [_size(len(b), c, w) for b, c, w in zip(diagram.boxes, columns, cells, strict=True)]
    high = sum(max(sizes[b].height for b in layer) for layer in layers)
    between = min(max((TALL - high) / max(len(layers) - 1, 1), LEAST_GAP), MOST_GAP)
    rows = tuple(map(tuple, layers))
    return Panel(diagram, names, tuple(columns), tuple(sizes), rows, width, between)


def _size(n: int, columns: int, cell: float) -> Size:
    """Return the size of a box whose names are in so many columns."""
    pad = PAD if n > 1 else 0.0
    rows = ceil(n / columns)
    return Size(columns * (cell + APART) - APART + 2 * pad, rows * LINE_HEIGHT + pad)


def _break_lines(diagram: Diagram, cells: Sequence[float], width: float) -> list[list[int]]:
    """Break layers that are too wide even with one column a box; who is better than most stays."""
    n_worse = [sum(a == box for a, _ in diagram.lines) for box in range(len(diagram.boxes))]
    layers: list[list[int]] = []
    for layer in diagram.layers:
        layers.append([])
        room = width
        for box in (
            sorted(layer, key=lambda b: -n_worse[b]) if _total(layer, cells) > width else layer
        ):
            need = _size(len(diagram.boxes[box]), 1, cells[box]).width + APART
            if layers[-1] and need - APART > room:
                layers.append([])
                room = width
            layers[-1].append(box)
            room -= need
    return layers


def _total(layer: Sequence[int], cells: Sequence[float]) -> float:
    return sum(cells[box] + 2 * PAD + APART for box in layer) - APART


def _narrow(
    diagram: Diagram, layer: Sequence[int], columns: list[int], cells: Sequence[float], width: float
) -> None:
    """Take columns from the widest boxes of a layer until it fits."""

    def wide(box: int) -> float:
        return _size(len(diagram.boxes[box]), columns[box], cells[box]).width

    while sum(wide(b) + APART for b in layer) - APART > width:
        wider = [box for box in layer if columns[box] > 1]
        if not wider:
            return
        widest = max(wider, key=wide)
        n = len(diagram.boxes[widest])
        rows = ceil(n / columns[widest]) + 1
        columns[widest] = min(ceil(n / rows), columns[widest] - 1)


# ------------------------------------------------------------------------------- drawing


def draw_panel(
    sheet: Sheet,
    page: Axes,
    panel: Panel,
    head: tuple[str, str],
    left: float,
    top: float,
    width: float,
) -> None:
    """Draw a diagram below its two lines of heading."""
    style: dict[str, Any] = {"va": "center_baseline"}
    quiet = style | {"fontsize": SMALL, "color": sheet.colour("ink2")}
    page.text(left, top + 6, fitted(head[0], width, TICK), fontsize=TICK, **style)
    page.text(left, top + 17, fitted(head[1], width, SMALL), **quiet)
    at = _Placed(panel, panel.laid_out(), left, top + HEAD)
    for line in panel.diagram.lines:
        _draw_line(sheet, page, at, line, is_dashed=False)
    for line in panel.diagram.dashed:
        _draw_line(sheet, page, at, line, is_dashed=True)
    for arrow in panel.diagram.arrows:
        _draw_arrow(sheet, page, at, arrow)
    for box in range(len(panel.diagram.boxes)):
        _draw_box(sheet, page, at, box)
    if panel.note:
        page.text(left, at.top + at.layout.height + FOOT / 2 + 2, panel.note, **quiet)


def _draw_line(sheet: Sheet, page: Axes, at: _Placed, line: Line, *, is_dashed: bool) -> None:
    """Draw a line straight down, or in bends past the layers that it crosses."""
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    points = _points(at, line)
    vertices, codes = [points[0]], [Path.MOVETO]
    for (x, y), (next_x, next_y) in pairwise(points):
        if len(points) == 2 or x == next_x:
            vertices.append((next_x, next_y))
            codes.append(Path.LINETO)
        else:
            middle = (y + next_y) / 2
            vertices += [(x, middle), (next_x, middle), (next_x, next_y)]
            codes += [Path.CURVE4] * 3
    moved = [(at.left + x, at.top + y) for x, y in vertices]
    look: dict[str, Any] = {"ec": sheet.colour("axis"), "lw": THIN}
    if is_dashed:
        look = {"ec": sheet.colour("ink2"), "lw": THIN, "ls": DASHED}
    page.add_patch(PathPatch(Path(moved, codes), fc="none", zorder=1, **look))


def _points(at: _Placed, line: Line) -> list[tuple[float, float]]:
    """Return the points of a line, from the lower edge of one box to the upper of the other."""
    upper, lower = line
    route = at.layout.routes[line]
    places, sizes = at.layout.places, at.panel.sizes
    first = route[0][0] if route else places[lower].x
    last = route[-1][0] if route else places[upper].x
    begin = (_touching(at, upper, first), places[upper].top + sizes[upper].height)
    return [begin, *route, (_touching(at, lower, last), places[lower].top)]


def _touching(at: _Placed, box: int, x: float) -> float:
    """Return where a line to x leaves a box: as steeply as the box's width lets it."""
    middle = at.layout.places[box].x
    if len(at.panel.diagram.boxes[box]) == 1:
        return middle
    reach = max(at.panel.sizes[box].width / 2 - 2 * PAD, 0.0)
    return min(max(x, middle - reach), middle + reach)


def _draw_arrow(sheet: Sheet, page: Axes, at: _Placed, arrow: Line) -> None:
    """Draw who is better on a circle: to the right above the boxes, to the left below them."""
    from matplotlib.patches import FancyArrowPatch

    (a, b), (first, second) = arrow, (at.layout.places[i] for i in arrow)
    is_rightwards = first.x < second.x
    ends = [
        (at.left + p.x, at.top + p.top + (0 if is_rightwards else at.panel.sizes[i].height))
        for i, p in ((a, first), (b, second))
    ]
    page.add_patch(
        FancyArrowPatch(
            *ends, connectionstyle="arc3,rad=-0.25", arrowstyle="-|>", mutation_scale=6,
            color=sheet.colour("ink2"), lw=THIN, zorder=1, shrinkA=0, shrinkB=0,
        )
    )  # fmt: skip


def _draw_box(sheet: Sheet, page: Axes, at: _Placed, box: int) -> None:
    """Draw the names of a box, on a ground where there are several."""
    from matplotlib.patches import FancyBboxPatch

    panel, place = at.panel, at.layout.places[box]
    members, columns, size = panel.diagram.boxes[box], panel.columns[box], panel.sizes[box]
    x, y = at.left + place.x - size.width / 2, at.top + place.top
    is_shared = len(members) > 1
    ground = sheet.colour("band" if is_shared else "paper")
    style = "round,pad=0,rounding_size=4"
    page.add_patch(
        FancyBboxPatch(
            (x, y), size.width, size.height, boxstyle=style, fc=ground, ec="none", zorder=2
        )
    )
    pad = PAD if is_shared else 0.0
    cell = (size.width - 2 * pad + APART) / columns
    for i, name in enumerate(members):
        row, column = divmod(i, columns)
        middle = y + pad / 2 + (row + 0.5) * LINE_HEIGHT
        name_mark(sheet, page, x + pad + column * cell, middle, name, panel.names[name])
