"""Places for names beside marks, where they cover neither one another nor what is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import cos, hypot, pi, sin

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.stats.arrays import Array

Point = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, upper, right and lower edge, in points from the upper left corner."""


STEP = 2.5  # pt between two points of a line
DIRECTIONS = 16  # of a name that stands away from its mark
NEAREST, FARTHEST, RING = 18.0, 170.0, 8.0  # pt: how far away it stands
AWAY, PER_POINT = 2.0, 0.06  # what a leader costs, in points of lines that a name covers
LEADER_WEIGHT = 3.0  # of a leader as a line that names should not cover
LEADER_COST = 0.3  # what it costs that a leader crosses a point of a line
GAP, CLEAR = 1.0, 1.4  # pt between two names; between a name and a line
TRIES = 3  # of another order, where a name has no room


@dataclass(frozen=True, slots=True)
class Label:
    """Where a name stands."""

    # x, y: Its left end and its middle.
    x: float
    y: float
    # The line from the mark to a name that stands away from it.
    leader: tuple[Point, Point] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """A line that names should not cover, and how much worse it is than one of weight 1."""

    points: Sequence[Point]
    weight: float = 1.0


def place_labels(
    marks: Mapping[str, Point],
    widths: Mapping[str, float],
    frame: Box,
    *,
    height: float = 11.0,
    radius: float = 5.0,
    lines: Sequence[Line] = (),
    taken: Sequence[Box] = (),
) -> dict[str, Label]:
    """Place each name beside its mark, or away from it with a leader where there is a crowd.

    `marks`: the first is placed first.
    `frame`: names stand inside.
    `height`: of a name.
    `radius`: of a mark.
    `taken`: what no name may cover, beside the marks.
    Result: no two names overlap and none covers a mark; names that have no room are left out.

    Examples
    --------
    >>> found = place_labels({"svm": (50.0, 50.0)}, {"svm": 20.0}, (0.0, 0.0, 100.0, 100.0))
    >>> found["svm"].leader is None
    True
    """
    samples = [_samples(line.points) for line in lines]
    points = np.concatenate([*samples, np.empty((0, 2))])
    weights = np.concatenate(
        [*(np.full(len(s), line.weight) for s, line in zip(samples, lines, strict=True)), ()]
    )
    boxes = [*taken, *((x - radius, y - radius, x + radius, y + radius) for x, y in marks.values())]
    sizes = {name: (widths[name], height) for name in marks}
    order, best = list(marks), dict[str, Label]()
    for _ in range(TRIES):
        placed = _in_order(order, marks, sizes, radius, frame, boxes, points, weights)
        if len(placed) > len(best):
            best = placed
        if len(placed) == len(marks):
            break
        order.sort(key=lambda name: name in placed)  # those without room come first
    return best


def _in_order(
    names: Sequence[str],
    marks: Mapping[str, Point],
    sizes: Mapping[str, tuple[float, float]],
    radius: float,
    frame: Box,
    boxes: Sequence[Box],
    points: Array,
    weights: Array,
) -> dict[str, Label]:
    """Place one name after the other, each where it covers least."""
    placed: dict[str, Label] = {}
    full = np.array(boxes)
    for name in names:
        found = _best(marks[name], sizes[name], radius, frame, full, points, weights)
        if found is not None:
            placed[name], box = found
            full = np.concatenate([full, [box]])
            if (leader := placed[name].leader) is not None:
                drawn = _samples(leader)
                points = np.concatenate([points, drawn])
                weights = np.append(weights, np.full(len(drawn), LEADER_WEIGHT))
    return placed


def _best(
    mark: Point,
    size: tuple[float, float],
    radius: float,
    frame: Box,
    boxes: Array,
    points: Array,
    weights: Array,
) -> tuple[Label, Box] | None:
    """Return the place that covers least; None where all are taken."""
    best, least = None, np.inf
    for label, price in _places(mark, size, radius):
        if price >= least:
            continue
        box = (label.x, label.y - size[1] / 2, label.x + size[0], label.y + size[1] / 2)
        if not _is_inside(box, frame) or _meets(box, boxes):
            continue
        cost = price + float(weights[_within(points, box)].sum())
        if label.leader is not None and cost < least:
            cost += _crossing(label.leader, boxes, points, weights)
        if cost < least:
            best, least = (label, box), cost
    return best


def _places(mark: Point, size: tuple[float, float], radius: float) -> Iterator[tuple[Label, float]]:
    """Yield places about a mark and what each costs: the near ones first."""
    (x, y), (width, height) = mark, size
    across, up, down = radius + 2.0, height / 2 + 1.5, radius + height / 2
    near = (
        (across, -up),
        (across, up),
        (-across - width, -up),
        (-across - width, up),
        (across, 0.0),
        (-across - width, 0.0),
        (-width / 2, -down),
        (-width / 2, down),
    )
    for rank, (dx, dy) in enumerate(near):
        yield Label(x + dx, y + dy), 0.05 * rank
    for distance in np.arange(NEAREST, FARTHEST, RING).tolist():
        for i in range(DIRECTIONS):
            angle = 2 * pi * (i + 0.5) / DIRECTIONS
            end = (x + distance * cos(angle), y - distance * sin(angle))
            left = end[0] if cos(angle) > 0 else end[0] - width
            start = (x + 1.5 * radius * cos(angle), y - 1.5 * radius * sin(angle))
            price = AWAY + PER_POINT * distance
            yield Label(left, end[1], (start, end)), price


def _is_inside(box: Box, frame: Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]


def _meets(box: Box, boxes: Array) -> bool:
    if not len(boxes):
        return False
    across = (boxes[:, 0] < box[2] + GAP) & (box[0] - GAP < boxes[:, 2])
    return bool((across & (boxes[:, 1] < box[3]) & (box[1] < boxes[:, 3])).any())


def _within(points: Array, box: Box) -> NDArray[np.bool_]:
    low, high = np.array(box[:2]) - CLEAR, np.array(box[2:]) + CLEAR
    return np.asarray(((points >= low) & (points <= high)).all(axis=1))


def _crossing(leader: tuple[Point, Point], boxes: Array, points: Array, weights: Array) -> float:
    """Return what a leader costs: it may not cross names and marks, and should not cross lines."""
    way = _samples(leader)
    is_hit = ((way[:, None] > boxes[:, :2]) & (way[:, None] < boxes[:, 2:])).all(axis=2)
    if is_hit.any():
        return float("inf")
    low, high = way.min(axis=0) - STEP, way.max(axis=0) + STEP
    near = ((points >= low) & (points <= high)).all(axis=1)
    if not near.any():
        return 0.0
    apart = np.abs(points[near][:, None] - way).max(axis=2).min(axis=1)
    return LEADER_COST * float(weights[near][apart < STEP / 2].sum())


def _samples(points: Sequence[Point]) -> Array:
    """Return points along a line that are nowhere far apart."""
    made = []
    for (x0, y0), (x1, y1) in pairwise(points):
        n = max(2, int(hypot(x1 - x0, y1 - y0) / STEP) + 1)
        share = np.linspace(0, 1, n)[:, None]
        made.append(np.array([x0, y0]) + share * np.array([x1 - x0, y1 - y0]))
    return np.concatenate(made) if made else np.empty((0, 2))
