"""The rows between the archetypes: on a line, in a triangle, or within a polygon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import HAIR, LABEL, Sheet, make_key
from reportgen.drawing.sheet import draw_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.archetypes.result import ArchetypesResult, Group

Array = NDArray[np.float64]

MARGIN = 16.0  # pt around the corners, for their numbers
LARGEST = 300.0  # pt: side of the drawing
LEVELS = (0.25, 0.5, 0.75)  # of a share, in the triangle


def corners(k: int) -> Array:
    """Return the places of k corners: two on a line, three and more on a circle, the first above.

    Examples
    --------
    >>> corners(2).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if k == 1:
        return np.zeros((1, 2))
    if k == 2:
        return np.array([[-1.0, 0.0], [1.0, 0.0]])
    angles = np.pi / 2 - 2 * np.pi * np.arange(k) / k
    return np.column_stack([np.cos(angles), np.sin(angles)])


def draw_corners(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a mark a row, as near to every corner as it is made of that archetype."""
    at = corners(result.k)
    spread = np.ptp(at, axis=0)
    unit = min(sheet.width - 2 * MARGIN, LARGEST) / 2
    height = unit * spread[1] + 2 * MARGIN if result.k > 2 else 60.0
    names = [g.name for g in result.groups] if result.is_of_candidates else []
    key = make_key(sheet, names, sheet.width) if names else None
    top = key.height + 2 if key else 0.0
    sheet.begin(top + height)
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
    middle = top + MARGIN + unit * at[:, 1].max() if result.k > 2 else top + height / 2
    place = np.array([sheet.width / 2, middle]) + unit * at * [1, -1]
    _frame(result, place, sheet, page)
    _rows(result, result.alpha @ place, sheet, page)
    _number(at, place, sheet, page)


def _frame(result: ArchetypesResult, place: Array, sheet: Sheet, page: Axes) -> None:
    k = len(place)
    if k == 3:
        levels = [_level(place, j, share) for j in range(3) for share in LEVELS]
        draw_lines(page, levels, sheet.colour("rule"), HAIR, zorder=0)
    near = [(i, j) for i in range(k) for j in range(i)]
    lines = [[_point(place[i]), _point(place[j])] for i, j in near]
    draw_lines(page, lines, sheet.colour("rule" if k > 3 else "axis"), HAIR, zorder=0)


def _level(place: Array, j: int, share: float) -> list[tuple[float, float]]:
    others = [place[i] for i in range(3) if i != j]
    return [_point(share * place[j] + (1 - share) * other) for other in others]


def _point(place: Array) -> tuple[float, float]:
    return float(place[0]), float(place[1])


def _rows(result: ArchetypesResult, places: Array, sheet: Sheet, page: Axes) -> None:
    size = float(np.clip(60 / np.sqrt(max(len(places), 1)), 2.2, 6.0))
    for group, own in _parts(result):
        xy = places[own]
        if group is None:
            is_out = result.is_outside[own]
            for places_of, colour in ((xy[~is_out], "ink2"), (xy[is_out], "c1")):
                page.plot(*places_of.T, marker="o", markersize=size, linestyle="none",
                          markeredgewidth=0, color=sheet.colour(colour), alpha=0.5, zorder=2,
                          **sheet.dense)  # fmt: skip
        else:
            faded: dict[str, Any] = {"alpha": 0.45 if len(places) > 60 else 1.0}
            page.plot(*xy.T, **sheet.mark(group.name, size), **faded, zorder=2, **sheet.dense)
            if group.n_rows > 1:
                mean = xy.mean(axis=0)
                page.plot(*mean, marker="o", markersize=11, color=sheet.colour("halo"), zorder=3)
                page.plot(*mean, **sheet.mark(group.name, 8.5), zorder=4)


def _parts(result: ArchetypesResult) -> Iterator[tuple[Group | None, NDArray[np.bool_]]]:
    if not result.is_of_candidates:
        yield None, np.ones(len(result.labels), dtype=bool)
        return
    labels = np.array(result.labels, dtype=object)
    for group in result.groups:
        yield group, np.asarray(labels == group.name)


def _number(at: Array, place: Array, sheet: Sheet, page: Axes) -> None:
    for j, (way, (x, y)) in enumerate(zip(at, place, strict=True)):
        page.plot([x], [y], marker="o", markersize=3, color=sheet.colour("ink"), zorder=4)
        page.text(x + 10 * way[0], y - 10 * way[1], str(j + 1), ha="center", fontsize=LABEL,
                  va="center", fontweight=600)  # fmt: skip
