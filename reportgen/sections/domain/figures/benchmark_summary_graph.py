"""The benchmark summary graph: data sets laid out by how differently they order the candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.drawing import SMALL, Sheet, make_key, shorten_text, text_width
from reportgen.drawing.label_placement import Box
from reportgen.drawing.sheet import draw_lines
from reportgen.stats.arrays import Array
from reportgen.stats.relations.layout import layout

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist
    from reportgen.sections.domain.result import DomainResult


FEWEST = 3  # relations that differ
EDGES = 1.5  # a node: levels are drawn as long as there are no more lines
MARGIN = 26.0  # pt
APART = 15.0  # pt: marks at least
LONGEST = 84.0  # pt: a label
CROWDED = 40  # nodes from which lines are thin, and names may be left out
MARK, LARGEST_MARK = 6.0, 13.0
LEGEND = 16.0
STEPS = 60  # of pushing marks apart
OFFSETS = (
    (8, 0, "left"),
    (-8, 0, "right"),
    (0, -11, "center"),
    (0, 11, "center"),
    (7, -8, "left"),
    (7, 8, "left"),
    (-7, -8, "right"),
    (-7, 8, "right"),
)  # where a label may stand


@dataclass(frozen=True, slots=True)
class Node:
    """Data sets with the same relation."""

    datasets: tuple[str, ...]  # in the order of the leaves
    winner: str | None  # the candidate that alone is not beaten on each of them


@dataclass(frozen=True, slots=True)
class Graph:
    """What is drawn."""

    nodes: tuple[Node, ...]
    distances: NDArray[np.int64]  # (n, n)
    levels: tuple[int, ...]  # distances at which lines are drawn, ascending: the smallest ones
    layout: Array  # (n, 2); where the nodes lie, before they are fitted to a sheet

    def edges(self, level: int) -> list[tuple[int, int]]:
        """Return the pairs of nodes that are so far apart."""
        first, second = np.nonzero(np.triu(self.distances == level, k=1))
        return list(zip(first.tolist(), second.tolist(), strict=True))


def graph_of(result: DomainResult) -> Graph | None:
    """Gather the data sets by their relations; None where too few of these differ."""
    apart = result.distances
    if apart is None:
        return None
    matrix = apart.between
    place = {name: i for i, name in enumerate(apart.datasets)}
    gathered: dict[int, list[str]] = {}
    for name in (d for d in result.leaf_order if d in place):
        first = int(np.flatnonzero(matrix[place[name]] == 0)[0])
        gathered.setdefault(first, []).append(name)
    if len(gathered) < FEWEST:
        return None
    best = {row.name: row.best[0] if len(row.best) == 1 else None for row in result.rows}
    nodes = tuple(
        Node(tuple(names), best[names[0]] if len({best[d] for d in names}) == 1 else None)
        for names in gathered.values()
    )
    at = list(gathered)
    distances = matrix[np.ix_(at, at)]
    levels = _levels(distances)
    return Graph(nodes, distances, levels, layout(distances))


def _levels(distances: NDArray[np.int64]) -> tuple[int, ...]:
    """Return the smallest distances, as many as leave the lines few."""
    values, counts = np.unique(distances[np.triu_indices(len(distances), k=1)], return_counts=True)
    n = int((counts.cumsum() <= EDGES * len(distances)).sum())
    return tuple(values[: max(1, n)].tolist())


def draw_graph(result: DomainResult, graph: Graph, sheet: Sheet) -> None:
    """Draw nodes, the lines between the nearest, and as many names as have room."""
    shown = [n for n in result.candidates if any(node.winner == n for node in graph.nodes)]
    key = make_key(sheet, shown, sheet.width) if shown else None
    top = (key.height if key else 0.0) + LEGEND + 8
    n = len(graph.nodes)
    sheet.begin(top + float(np.clip(150 + 9 * n, 190, 520)))
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
    places = _places(graph, sheet, top)
    _draw_edges(sheet, page, graph, places)
    _draw_nodes(sheet, page, graph, places)
    _draw_labels(sheet, page, graph, places, top)
    _draw_legend(sheet, page, graph, top - LEGEND / 2 - 6)


def _places(graph: Graph, sheet: Sheet, top: float) -> Array:
    """Lay the nodes out on the sheet, marks kept apart."""
    raw = graph.layout
    if sheet.is_phone:
        raw = raw[:, ::-1]
    span = raw.max(axis=0) - raw.min(axis=0)
    room = np.array([sheet.width - 2 * MARGIN, sheet.height - top - 2 * MARGIN + 8])
    scale = room / np.where(span > 0, span, 1.0)
    stretch = float(scale.min())
    scale = np.minimum(scale, 1.8 * stretch)  # not far from true distances, but not a thin strip
    offset = (room - span * scale) / 2
    places: Array = (raw - raw.min(axis=0)) * scale + offset + [MARGIN, top + MARGIN - 8]
    least = min(APART, 0.8 * float(np.sqrt(room.prod() / len(places))))
    for _ in range(STEPS):
        _push(places, least)
        np.clip(places, [MARGIN / 2, top], [sheet.width - MARGIN / 2, sheet.height - 10], places)
    return places


def _push(places: Array, least: float) -> None:
    """Move marks that are too near away from each other."""
    apart = places[:, None] - places[None]
    length = np.hypot(apart[..., 0], apart[..., 1])
    np.fill_diagonal(length, np.inf)
    short = np.maximum(0.0, least - length) / 2
    unit = apart / np.where(length > 1e-9, length, 1.0)[..., None]
    places += (short[..., None] * unit).sum(axis=1) * 0.6


def _draw_edges(sheet: Sheet, page: PageArtist, graph: Graph, places: Array) -> None:
    for level, (colour, width) in zip(graph.levels, _styles(graph, sheet), strict=True):
        lines = [[tuple(places[a]), tuple(places[b])] for a, b in graph.edges(level)]
        draw_lines(page, lines, colour, width, zorder=1)


def _styles(graph: Graph, sheet: Sheet) -> list[tuple[str, float]]:
    """Return colour and width of every level: the smallest distance the heaviest."""
    n = max(1, len(graph.levels) - 1)
    shares = [i / n for i in range(len(graph.levels))]
    names = ["ink2" if t < 0.25 else "axis" if t < 0.6 else "ghost" for t in shares]
    heaviest = 2.2 if len(graph.nodes) <= CROWDED else 1.1
    return [
        (sheet.colour(c), heaviest * (1 - 0.64 * t)) for c, t in zip(names, shares, strict=True)
    ]


def _size(node: Node) -> float:
    return float(min(LARGEST_MARK, MARK * len(node.datasets) ** 0.4))


def _draw_nodes(sheet: Sheet, page: PageArtist, graph: Graph, places: Array) -> None:
    for node, (x, y) in zip(graph.nodes, places.tolist(), strict=True):
        size = _size(node)
        if node.winner is not None:
            page.plot([x], [y], **sheet.mark(node.winner, size), zorder=4)
            continue
        page.plot([x], [y], **_open_mark(sheet, size), zorder=4)


def _open_mark(sheet: Sheet, size: float) -> dict[str, Any]:
    """Return matplotlib's arguments for the mark of data sets without a single best."""
    return {
        "linestyle": "none",
        "marker": "o",
        "markersize": size,
        "markerfacecolor": sheet.colour("paper"),
        "markeredgecolor": sheet.colour("ink2"),
        "markeredgewidth": 1.0,
    }


def _draw_labels(sheet: Sheet, page: PageArtist, graph: Graph, places: Array, top: float) -> None:
    """Write names where they cover nothing; those that have no room are left out."""
    occupied: list[Box] = [
        (x - s / 2, y - s / 2, x + s / 2, y + s / 2)
        for (x, y), s in zip(places.tolist(), map(_size, graph.nodes), strict=True)
    ]
    points = _line_points(graph, places)
    near = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    order = np.argsort(-(near < 40).sum(axis=1), kind="stable")
    is_full = len(graph.nodes) > CROWDED
    for i in order.tolist():
        text = label(graph.nodes[i])
        width = text_width(text, SMALL)
        found = _spot(places[i], width, _size(graph.nodes[i]), (occupied, points), sheet, top)
        if found is None or (is_full and found[0] > 1):
            continue
        _, x, y, ha, box = found
        occupied.append(box)
        style: dict[str, Any] = {"fontsize": SMALL, "va": "center_baseline", "zorder": 5}
        page.text(x, y, text, ha=ha, **style)


def label(node: Node) -> str:
    """Return what stands beside a node: a name, two, or a name and how many more."""
    first = shorten_text(node.datasets[0], LONGEST, SMALL)
    if len(node.datasets) == 1:
        return first
    both = f"{first}, {node.datasets[1]}"
    if len(node.datasets) == 2 and text_width(both, SMALL) <= LONGEST:
        return shorten_text(both, LONGEST, SMALL)
    return f"{first} +{len(node.datasets) - 1}"


def _spot(
    place: Array,
    width: float,
    size: float,
    obstacles: tuple[Sequence[Box], Array],
    sheet: Sheet,
    top: float,
) -> tuple[float, float, float, str, Box] | None:
    """Return the place of a label that covers least: of marks and names, where, and its box."""
    occupied, points = obstacles
    best, least = None, np.inf
    for rank, (dx, dy, ha) in enumerate(OFFSETS):
        x = float(place[0]) + dx + np.sign(dx) * (size - MARK) / 2
        y = float(place[1]) + dy + np.sign(dy) * (size - MARK) / 2
        x0 = x - (0 if ha == "left" else width if ha == "right" else width / 2)
        box = (x0, y - SMALL / 2, x0 + width, y + SMALL / 2)
        if box[0] < 0 or box[2] > sheet.width or box[1] < top - 6 or box[3] > sheet.height:
            continue
        covered = sum(_overlap(box, other) for other in occupied)
        crossed = ((points >= box[:2]) & (points <= box[2:])).all(axis=1).sum()
        cost = covered + 0.3 * float(crossed) + 0.05 * rank
        if cost < least:
            best, least = (covered + float(crossed) / 2, x, y, ha, box), cost
    return best


def _line_points(graph: Graph, places: Array) -> Array:
    """Return points along all lines."""
    shares = np.linspace(0, 1, 30)[:, None]
    ends = [(places[a], places[b]) for level in graph.levels for a, b in graph.edges(level)]
    return np.concatenate([a + (b - a) * shares for a, b in ends])


def _overlap(a: Box, b: Box) -> float:
    across = min(a[2], b[2]) - max(a[0], b[0])
    down = min(a[3], b[3]) - max(a[1], b[1])
    return across * down if across > 0 and down > 0 else 0.0


def _draw_legend(sheet: Sheet, page: PageArtist, graph: Graph, y: float) -> None:
    """Show the weights of the lines, and the mark of data sets without a single best."""
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    x = 0.0
    if any(node.winner is None for node in graph.nodes):
        page.plot([4], [y], **_open_mark(sheet, 5.0))
        page.text(10, y, "no single best", va="center_baseline", **style)
        x = 10 + text_width("no single best", SMALL) + 16
    shown = {graph.levels[0], graph.levels[-1]}
    page.text(x, y, "distance", va="center_baseline", **style)
    x += text_width("distance", SMALL) + 8
    for level, (colour, width) in zip(graph.levels, _styles(graph, sheet), strict=True):
        if level in shown:
            draw_lines(page, [[(x, y), (x + 18, y)]], colour, width)
            page.text(x + 22, y, str(level), va="center_baseline", **style)
            x += 30 + text_width(str(level), SMALL)


def pairs_of(graph: Graph) -> tuple[tuple[str, str, int], ...]:
    """Return the lines that are drawn, and at distance 0 data sets that share a mark."""
    shared = [(node.datasets[0], name, 0) for node in graph.nodes for name in node.datasets[1:]]
    lines = [
        (graph.nodes[i].datasets[0], graph.nodes[j].datasets[0], level)
        for level in graph.levels
        for i, j in graph.edges(level)
    ]
    return (*shared, *lines)
