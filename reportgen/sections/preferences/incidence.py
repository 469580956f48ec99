"""The incidence matrix of a relation of many candidates, whose diagram nobody can follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reportgen.drawing import SMALL, Sheet, shortened
from reportgen.drawing.sheet import fill_boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.preferences.related import Related

MANY, TANGLED = 24, 2  # candidates, and lines a candidate, beyond which nobody follows lines
HEAD, MARKS = 15.0, 11.0  # pt: words above the matrix; marks above its columns
MOST_CELL, LEAST_TEXT = 12.0, 5.5  # pt: a cell; the type of a name
SHADES = (0.72, 0.42, 0.2)  # of pairs in all relations, the first alone, another alone


def is_tangled(relation: Related) -> bool:
    """Whether the diagram of a relation has more lines than anybody can follow."""
    n = len(relation.present)
    return n > MANY and len(relation.covers) > TANGLED * n


def row_height(n: int, width: float) -> float:
    """Return the height of a cell of so many candidates, names beside them included."""
    return min(MOST_CELL, 0.78 * width / n)


def incidence_height(n: int, width: float) -> float:
    """Return how high the matrix of so many candidates is, with what stands above it."""
    return HEAD + MARKS + n * row_height(n, width) + 6


def draw_incidence(
    sheet: Sheet, page: Axes, relations: Sequence[Related], heading: str, top: float = 0.0
) -> None:
    """Shade the cells whose row is better than their column; rows by the first relation.

    Parameters
    ----------
    sheet : Sheet
    page : Axes
        Of the whole sheet.
    relations : sequence of Related
        One, or two to be compared: pairs of both are the darkest, those of the
        second alone the lightest.
    heading : str
    top : float
        Where it begins, in points.
    """
    names = by_level(relations[0])
    cell = row_height(len(names), sheet.width)
    left = sheet.width - cell * len(names) - 2
    size = min(SMALL, max(LEAST_TEXT, cell))
    texts = shortened(names, left - 16, size)
    first = top + HEAD + MARKS
    style: dict[str, Any] = {"va": "center_baseline"}
    page.text(left, top + 7, heading, fontsize=SMALL, color=sheet.colour("ink2"), **style)
    for k, name in enumerate(names):
        middle = (k + 0.5) * cell
        mark = sheet.mark(name, min(4.8, cell - 1.5))
        page.plot([left - 7, left + middle], [first + middle, first - 5], **mark)
        page.text(left - 14, first + middle, texts[name], ha="right", fontsize=size, **style)
    whole = (left, first, cell * len(names), cell * len(names))
    fill_boxes(page, [whole], sheet.colour("band"), alpha=0.5)
    for shade, pairs in zip(SHADES, shared_pairs(relations, names), strict=True):
        boxes = [
            (left + j * cell, first + i * cell + 0.3, n * cell, cell - 0.6)
            for i, j, n in runs(pairs)
        ]
        fill_boxes(page, boxes, sheet.colour("ink"), alpha=shade)


def by_level(relation: Related) -> tuple[str, ...]:
    """Return the candidates row by row of the diagram, each row by whom it is better than."""
    names = relation.present
    counts = {a: sum(relation.is_better(a, b) for b in names) for a in names}
    return tuple(sorted(names, key=lambda n: -counts[n]))


def runs(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Join cells that touch in a row: its number, the first column, and how many.

    Examples
    --------
    >>> runs([(0, 1), (0, 2), (0, 4), (1, 2)])
    [(0, 1, 2), (0, 4, 1), (1, 2, 1)]
    """
    found: list[tuple[int, int, int]] = []
    for i, j in pairs:
        if found and found[-1][0] == i and sum(found[-1][1:]) == j:
            row, first, n = found.pop()
            found.append((row, first, n + 1))
        else:
            found.append((i, j, 1))
    return found


def shared_pairs(
    relations: Sequence[Related], names: Sequence[str]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the places of pairs in all relations, in the first alone, and in another alone."""
    found: tuple[list[tuple[int, int]], ...] = ([], [], [])
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            said = [i != j and relation.is_better(a, b) for relation in relations]
            if any(said):
                found[0 if all(said) else 1 if said[0] else 2].append((i, j))
    return found[0], found[1], found[2]
