"""The distances of all data sets as a matrix, in the order of the tree."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import SMALL, THIN, Sheet, fitted, shortened, text_width
from reportgen.drawing.sheet import draw_lines, fill_boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from reportgen.sections.domain.result import DomainResult

STEPS, DARKEST = 8, 0.85
FEWEST = 3  # data sets
LEAST_ROW = 7.4  # pt: a row that holds a name; lower ones have the numbers of their parts
LEAST_CELL = 13.0  # pt: a cell that holds its number
LEGEND = 22.0
NUMBERS = 16.0  # pt: the numbers of the parts


def ordered(result: DomainResult) -> tuple[list[str], NDArray[np.int64]]:
    """Return the data sets with a relation in the order of the leaves, and their distances."""
    apart = result.distances
    if apart is None:
        return [], np.zeros((0, 0), dtype=np.int64)
    place = {name: i for i, name in enumerate(apart.datasets)}
    names = [name for name in result.leaf_order if name in place]
    at = [place[name] for name in names]
    return names, np.array(apart.matrix, dtype=np.int64)[np.ix_(at, at)]


def draw_matrix(result: DomainResult, sheet: Sheet) -> None:
    """Draw a cell for every two data sets, far ones in strong tones, and a rim round each part."""
    names, matrix = ordered(result)
    n = len(names)
    labels = shortened(names, 56 if sheet.is_phone else 90, SMALL)
    widest = max(text_width(t, SMALL) for t in labels.values()) + 8
    has_names = (sheet.width - widest - 2) / n >= LEAST_ROW
    left = widest if has_names else NUMBERS if result.subdomains is not None else 1.0
    cell = min((sheet.width - left - 2) / n, 19.0)
    sheet.begin(cell * n + LEGEND + 4)
    page = sheet.page()
    highest = max(int(matrix.max()), 1)
    shades = np.ceil(STEPS * matrix / highest).astype(int)
    boxes = _runs(shades, left, cell)
    for step, found in boxes.items():
        ink = sheet.colour("ink")
        fill_boxes(page, found, ink, alpha=DARKEST * step / STEPS, **sheet.dense)
    if has_names:
        for i, name in enumerate(names):
            y = 2 + (i + 0.5) * cell
            page.text(left - 6, y, labels[name], ha="right", va="center_baseline", fontsize=SMALL)
    if cell >= LEAST_CELL:
        _write_numbers(sheet, page, matrix, shades, left, cell)
    _draw_parts(sheet, page, result, names, (left, cell), has_names=has_names)
    _write_legend(sheet, page, left, highest)


def _runs(
    shades: NDArray[np.int_], left: float, cell: float
) -> dict[int, list[tuple[float, float, float, float]]]:
    """Join cells of one shade that touch in a row: fewer shapes, and no seams."""
    boxes: dict[int, list[tuple[float, float, float, float]]] = {}
    for i, row in enumerate(shades.tolist()):
        for step, run in groupby(enumerate(row), key=lambda pair: pair[1]):
            at = [j for j, _ in run]
            if step:
                box = (left + at[0] * cell, 2 + i * cell, len(at) * cell, cell)
                boxes.setdefault(step, []).append(box)
    return dict(sorted(boxes.items()))


def _write_numbers(
    sheet: Sheet,
    page: Axes,
    matrix: NDArray[np.int64],
    shades: NDArray[np.int_],
    left: float,
    cell: float,
) -> None:
    for (i, j), x in np.ndenumerate(matrix):
        if i != j:
            is_dark = shades[i, j] > STEPS * 0.55
            page.text(
                left + (j + 0.5) * cell, 2 + (i + 0.5) * cell, str(int(x)), ha="center",
                va="center_baseline", fontsize=SMALL,
                color=sheet.colour("paper" if is_dark else "ink"),
            )  # fmt: skip


def _draw_parts(
    sheet: Sheet,
    page: Axes,
    result: DomainResult,
    names: list[str],
    where: tuple[float, float],
    *,
    has_names: bool,
) -> None:
    """Draw a rim round every part of the domain, with its number where rows have no names."""
    if result.subdomains is None:
        return
    left, cell = where
    place = {name: i for i, name in enumerate(names)}
    rims = []
    for number, part in enumerate(result.subdomains.parts, 1):
        a = min(place[d] for d in part.datasets)
        b = max(place[d] for d in part.datasets) + 1
        x0, x1, y0, y1 = left + a * cell, left + b * cell, 2 + a * cell, 2 + b * cell
        rims.append([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
        if not has_names:
            style: dict[str, Any] = {"fontsize": SMALL, "fontweight": 600}
            middle = (y0 + y1) / 2
            page.text(left - 6, middle, str(number), ha="right", va="center_baseline", **style)
    draw_lines(page, rims, sheet.colour("ink"), 1.4 if has_names else THIN, zorder=4)


def _write_legend(sheet: Sheet, page: Axes, left: float, highest: int) -> None:
    y, width = sheet.height - 9, 11.0
    for step in range(1, STEPS + 1):
        box = [(left + (step - 1) * width, y - 4, width, 8)]
        fill_boxes(page, box, sheet.colour("ink"), alpha=DARKEST * step / STEPS)
    x = left + STEPS * width + 6
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    text = fitted(f"distance, up to {highest}", sheet.width - x, SMALL)
    page.text(x, y, text, va="center_baseline", **style)
