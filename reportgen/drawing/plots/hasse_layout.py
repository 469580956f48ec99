"""Where the boxes and lines of a Hasse diagram go: layers, few crossings, short lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass

SWEEPS = 12  # over all layers, down and up by turns
STARTS = 4  # orders that sweeping begins with
Line = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a box, in points."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Place:
    """Where a box is: its centre from left, its upper edge from above."""

    x: float
    top: float


@dataclass(frozen=True, slots=True)
class Layout:
    """A diagram laid out."""

    places: tuple[Place, ...]  # of every box
    # the points that each line passes between its ends: the upper and the lower edge of every layer
    # in between
    routes: Mapping[Line, tuple[tuple[float, float], ...]]
    height: float


@dataclass
class _Layers:
    """Boxes and, where a line passes a layer, bends: the numbers from n_boxes on."""

    n_boxes: int
    order: list[list[int]]
    links: list[set[Line]]
    bends: dict[Line, list[int]] = field(default_factory=dict)


def lay_out(
    sizes: Sequence[Size],
    layers: Sequence[Sequence[int]],
    lines: Iterable[Line],
    *,
    width: float,
    between: float,
    apart: float,
) -> Layout:
    """Place boxes on layers so that few lines cross and most are short and steep.

    Layers are put in order by barycentres (Sugiyama, Tagawa and Toda 1981);
    then every layer in turn is moved to where its neighbours want it, which is
    an isotonic regression.

    `layers`: the boxes of every layer, uppermost first; the first order of a layer is kept where
    nothing speaks against it.
    `lines`: from an upper box to a lower one.
    `width`: of the whole diagram; a layer that is wider is pressed together.
    `between`: from the lower edge of a layer to the next one.
    `apart`: least distance of two boxes; lines pass with less.
    """
    drawn = sorted(set(lines))
    made = _with_bends(len(sizes), layers, drawn)
    _reorder(made)
    widths = [size.width for size in sizes] + [0.0] * (_count(made) - len(sizes))
    x = _across(made, widths, width, apart)
    tops, heights, total = _down(made, sizes, between)
    layer = {node: i for i, row in enumerate(made.order) for node in row}
    middle = {i: tops[i] + heights[i] / 2 for i in range(len(tops))}
    places = tuple(
        Place(float(x[b]), middle[layer[b]] - sizes[b].height / 2) for b in range(len(sizes))
    )
    routes = {
        line: tuple(
            (float(x[bend]), y)
            for bend in made.bends.get(line, ())
            for y in (tops[layer[bend]], tops[layer[bend]] + heights[layer[bend]])
        )
        for line in drawn
    }
    return Layout(places, routes, total)


def _with_bends(n: int, layers: Sequence[Sequence[int]], lines: Sequence[Line]) -> _Layers:
    """Let every line have a bend on each layer that it passes."""
    order = [list(row) for row in layers]
    made = _Layers(n, order, [set() for _ in order[:-1]])
    at = {box: i for i, row in enumerate(layers) for box in row}
    new = n
    for upper, lower in lines:
        if at[upper] >= at[lower]:
            continue  # on a cycle: beside one another
        bends = list(range(new, new + at[lower] - at[upper] - 1))
        new += len(bends)
        for step, (a, b) in enumerate(pairwise([upper, *bends, lower])):
            made.links[at[upper] + step].add((a, b))
        for step, bend in enumerate(bends):
            order[at[upper] + 1 + step].append(bend)
        made.bends[upper, lower] = bends
    return made


def _count(made: _Layers) -> int:
    return sum(map(len, made.order))


# ------------------------------------------------------------------------- order in a layer


def _reorder(made: _Layers) -> None:
    """Keep the order with the fewest crossings, from the first order and from mixed ones."""
    best, fewest = [row.copy() for row in made.order], _crossings(made)
    rng = np.random.default_rng(0)
    for _ in range(STARTS):
        if not fewest:
            break
        for order, found in _swept(made):
            if found < fewest:
                best, fewest = order, found
        made.order = [[row[k] for k in rng.permutation(len(row))] for row in best]
    made.order = best
    for _ in range(SWEEPS):
        if not sum(_exchange(made, i) for i in range(len(made.order))):
            break


def _swept(made: _Layers) -> Iterator[tuple[list[list[int]], int]]:
    """Sweep down and up, as long as it helps; yield each order with its crossings."""
    last = None
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        steps = range(1, len(made.order))
        for i in steps if downwards else reversed(range(len(made.order) - 1)):
            _by_barycentre(made, i, i - 1 if downwards else i + 1)
            _exchange(made, i)
        order = [row.copy() for row in made.order]
        if order == last:
            return
        last = order
        yield order, _crossings(made)


def _by_barycentre(made: _Layers, i: int, fixed: int) -> None:
    """Sort a layer by where its neighbours on another one stand."""
    place = {node: p for p, node in enumerate(made.order[fixed])}
    near = _neighbours(made, i, fixed)
    share = max(len(made.order[fixed]) - 1, 1) / max(len(made.order[i]) - 1, 1)
    wanted = {
        node: float(np.mean([place[other] for other in near[node]])) if near[node] else p * share
        for p, node in enumerate(made.order[i])
    }
    made.order[i].sort(key=wanted.__getitem__)


def _exchange(made: _Layers, i: int) -> bool:
    """Let neighbours change places where that saves crossings; return whether any did."""
    sides = [j for j in (i - 1, i + 1) if 0 <= j < len(made.order)]
    places = {j: {node: p for p, node in enumerate(made.order[j])} for j in sides}
    near = [
        {
            node: np.array([places[j][other] for other in others])
            for node, others in _neighbours(made, i, j).items()
        }
        for j in sides
    ]
    row, has_changed = made.order[i], False
    for p in range(len(row) - 1):
        left, right = row[p], row[p + 1]
        now, then = (
            sum(int((side[a][:, None] > side[b]).sum()) for side in near)
            for a, b in ((left, right), (right, left))
        )
        if then < now:
            row[p], row[p + 1], has_changed = right, left, True
    return has_changed


def _neighbours(made: _Layers, i: int, fixed: int) -> dict[int, list[int]]:
    """Return the neighbours of a layer's nodes on the one above or below it."""
    near: dict[int, list[int]] = {node: [] for node in made.order[i]}
    for upper, lower in sorted(made.links[min(i, fixed)]):
        mine, other = (lower, upper) if fixed < i else (upper, lower)
        near[mine].append(other)
    return near


def _crossings(made: _Layers) -> int:
    """Count the crossings of all lines."""
    total = 0
    for i, links in enumerate(made.links):
        above, below = (
            {node: p for p, node in enumerate(row)} for row in (made.order[i], made.order[i + 1])
        )
        ends = np.array([(above[a], below[b]) for a, b in links]).reshape(-1, 2)
        a, b = ends[:, 0], ends[:, 1]
        total += int(((a[:, None] < a) & (b[:, None] > b)).sum())
    return total


# --------------------------------------------------------------------------- coordinates


def _across(
    made: _Layers, widths: Sequence[float], width: float, apart: float
) -> NDArray[np.float64]:
    """Return the centre of every node: as near to its neighbours as the others let it be."""
    x = np.full(len(widths), width / 2)
    offsets = [_offsets([widths[n] for n in row], width, apart) for row in made.order]
    for row, (offset, slack) in zip(made.order, offsets, strict=True):
        x[row] = offset + slack / 2
    n = len(made.order)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        for i in range(n) if downwards else reversed(range(n)):
            wanted = _wanted(made, i, x)
            offset, slack = offsets[i]
            x[made.order[i]] = offset + np.clip(_ascending(wanted - offset), 0, slack)
    return x


def _offsets(
    widths: Sequence[float], width: float, apart: float
) -> tuple[NDArray[np.float64], float]:
    """Return the leftmost places of a layer's nodes, and how far they can move to the right."""
    # Distances shrink where there is no room; boxes overlap only where they would
    # not even fit beside one another.
    w = np.asarray(widths, dtype=np.float64)
    room = width - w.sum()
    n_bends = (w[:-1] == 0).astype(int) + (w[1:] == 0)
    gaps = np.choose(n_bends, [apart, apart / 2, apart / 3])
    if gaps.sum() > max(room, 0.0):
        gaps *= max(room, 0.0) / gaps.sum()
    if room < 0:
        w *= width / w.sum()
    steps = np.concatenate([[w[0] / 2], (w[:-1] + w[1:]) / 2 + gaps])
    return np.cumsum(steps), max(room - float(gaps.sum()), 0.0)


def _wanted(made: _Layers, i: int, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean place of the neighbours above and below; a node without any stays."""
    sides = [_neighbours(made, i, j) for j in (i - 1, i + 1) if 0 <= j < len(made.order)]
    means = []
    for node in made.order[i]:
        near = [np.mean(x[side[node]]) for side in sides if side[node]]
        means.append(float(np.mean(near)) if near else float(x[node]))
    return np.array(means)


def _ascending(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ascending sequence that is nearest to some values (pool adjacent violators).

    Examples
    --------
    >>> _ascending(np.array([1.0, 3.0, 2.0])).tolist()
    [1.0, 2.5, 2.5]
    """
    pools: list[tuple[float, int]] = []
    for value in values:
        mean, n = float(value), 1
        while pools and pools[-1][0] > mean:
            before, m = pools.pop()
            mean, n = (mean * n + before * m) / (n + m), n + m
        pools.append((mean, n))
    return np.repeat([mean for mean, _ in pools], [n for _, n in pools])


def _down(
    made: _Layers, sizes: Sequence[Size], between: float
) -> tuple[list[float], list[float], float]:
    """Return the upper edge and height of every layer, and the height of all."""
    heights = [
        max((sizes[b].height for b in row if b < made.n_boxes), default=0.0) for row in made.order
    ]
    tops, y = [], 0.0
    for height in heights:
        tops.append(y)
        y += height + between
    return tops, heights, y - between
