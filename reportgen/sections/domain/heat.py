"""The heat map: medians of many data sets by candidates, each data set on its own scale."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from reportgen.drawing import SMALL, Sheet, fitted, make_key, shortened, text_width
from reportgen.sections.domain.shapes import fill_boxes

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DatasetRow, DomainResult

LINE = 9.6  # pt a data set
MOST_LINES = 56  # of one page
STEPS = 8  # shades
DARKEST = 0.85
LEGEND = 22.0


def heat_pages(result: DomainResult) -> tuple[tuple[DatasetRow, ...], ...]:
    """Share the data sets among as few pages as can be read."""
    rows = result.rows
    n = -(-len(rows) // MOST_LINES)
    bounds = [round(i * len(rows) / n) for i in range(n + 1)]
    return tuple(tuple(rows[a:b]) for a, b in pairwise(bounds))


def positions(row: DatasetRow, *, is_smaller_better: bool) -> dict[str, float]:
    """Return where each median lies between the data set's best, 0, and its worst, 1."""
    if not row.medians:
        return {}
    low, high = min(row.medians.values()), max(row.medians.values())
    if high == low:
        return dict.fromkeys(row.medians, 0.0)
    best, worst = (low, high) if is_smaller_better else (high, low)
    return {name: (x - best) / (worst - best) for name, x in row.medians.items()}


def draw_heat(result: DomainResult, rows: tuple[DatasetRow, ...], sheet: Sheet) -> None:
    """Draw one page: the darker a cell, the nearer the median to the worst of its row."""
    names = [n for n in result.candidates if any(n in row.medians for row in result.rows)]
    key = make_key(sheet, names, sheet.width)
    labels = shortened([row.name for row in rows], 60 if sheet.is_phone else 110, SMALL)
    left = max(text_width(text, SMALL) for text in labels.values()) + 8
    cell = (sheet.width - left - 1) / len(names)
    top = key.height + 18
    sheet.begin(top + LINE * len(rows) + LEGEND)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    size = min(5.5, cell - 1.5)
    for k, name in enumerate(names):
        page.plot([left + (k + 0.5) * cell], [top - 7], **sheet.mark(name, size))
    shades: dict[int, list[tuple[float, float, float, float]]] = {}
    best: dict[str, list[tuple[float, float]]] = {}
    for i, row in enumerate(rows):
        y = top + i * LINE
        page.text(
            left - 6, y + LINE / 2, labels[row.name], ha="right", va="center_baseline",
            fontsize=SMALL,
        )  # fmt: skip
        at = positions(row, is_smaller_better=result.main_measure.is_smaller_better)
        for name, share in at.items():
            x = left + names.index(name) * cell
            box = (x + 0.4, y + 0.4, cell - 0.8, LINE - 0.8)
            shades.setdefault(round(share * STEPS), []).append(box)
            if share == 0:
                best.setdefault(name, []).append((x + cell / 2, y + LINE / 2))
    for step, boxes in sorted(shades.items()):
        if step:
            fill_boxes(page, boxes, sheet.colour("ink"), alpha=DARKEST * step / STEPS)
    for name, points in best.items():
        xs, ys = zip(*points, strict=True)
        page.plot(xs, ys, **sheet.mark(name, min(4.4, size)))
    _write_legend(sheet, left)


def _write_legend(sheet: Sheet, left: float) -> None:
    page, y = sheet.page(), sheet.height - 9
    width = 11.0
    for step in range(1, STEPS + 1):
        box = [(left + (step - 1) * width, y - 4, width, 8)]
        fill_boxes(page, box, sheet.colour("ink"), alpha=DARKEST * step / STEPS)
    x = left + STEPS * width + 6
    text = "from the best median of the data set (marked) to its worst"
    page.text(
        x, y, fitted(text, sheet.width - x, SMALL), fontsize=SMALL, va="center_baseline",
        color=sheet.colour("ink2"),
    )  # fmt: skip
