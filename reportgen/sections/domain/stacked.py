"""Stacked bars: for every data set the means of all candidates, end to end."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import (
    SMALL,
    Sheet,
    axis_words,
    fit_axis,
    make_key,
    name_axis,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale

if TYPE_CHECKING:
    from reportgen.drawing import ValueAxis
    from reportgen.sections.domain.result import DomainResult
    from reportgen.sections.domain.rows_result import DatasetRow

MOST_CANDIDATES = 12  # up to which the parts of a bar can be told apart
LINE, MOST_LINES = 10.6, 50  # pt a data set; data sets of one page
BELOW = 30.0
LEAST_PART = 9.0  # pt from which a part has its candidate's mark


def is_stackable(result: DomainResult) -> bool:
    """Whether the means of a data set can be laid end to end: few, and none negative."""
    means = [x for row in result.rows for x in row.means.values()]
    return (
        len(result.candidates) <= MOST_CANDIDATES and bool(means) and min(means) >= 0 < max(means)
    )


def stacked_pages(result: DomainResult) -> tuple[tuple[DatasetRow, ...], ...]:
    """Share the data sets, in the order of the tree, among as few pages as can be read."""
    n = -(-len(result.rows) // MOST_LINES)
    bounds = [round(i * len(result.rows) / n) for i in range(n + 1)]
    return tuple(result.rows[a:b] for a, b in pairwise(bounds))


def draw_stacked(
    result: DomainResult, rows: tuple[DatasetRow, ...], at: Scale, sheet: Sheet
) -> None:
    """Draw one page: a bar a data set, its parts the candidates in the study's order."""
    names = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    key = make_key(sheet, names, sheet.width)
    labels = shortened([row.name for row in rows], 60 if sheet.is_phone else 110, SMALL)
    left = max(text_width(text, SMALL) for text in labels.values()) + 8
    top = key.height + 8
    sheet.begin(top + LINE * len(rows) + BELOW)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    totals = [at.factor * sum(row.means.values()) for row in result.rows]
    ends = np.array([[x] for x in (0.0, *totals)])
    axis = fit_axis(ends, sheet.width - left - 6, 40, may_be_log=False, may_clip=True)
    axes = sheet.axes(left, BELOW, 6, top)
    axis.apply(axes, "x")
    axes.set(ylim=(len(rows) - 0.5, -0.5), yticks=[])
    lines = [[(tick, -0.5), (tick, len(rows) - 0.5)] for tick in axis.ticks]
    draw_lines(axes, lines, sheet.colour("rule"), 0.5, zorder=0)
    parts = _parts(rows, names, at, axis)
    point = (sheet.width - left - 6) / (axis.upper - axis.lower)
    for name in names:
        boxes = parts[name]
        fill_boxes(axes, [(x, y - 0.38, w, 0.76) for x, y, w in boxes], sheet.wash(name), zorder=1)
        edges = [[(x + w, y - 0.38), (x + w, y + 0.38)] for x, y, w in boxes]
        draw_lines(axes, edges, sheet.ink(name), 1.0, zorder=2)
        wide = [(x + w / 2, y) for x, y, w in boxes if w * point >= LEAST_PART]
        axes.plot([x for x, _ in wide], [y for _, y in wide], **sheet.mark(name, 4.2), zorder=3)
    for y, row in enumerate(rows):
        page.text(
            left - 6, top + (y + 0.5) * LINE, labels[row.name], ha="right",
            va="center_baseline", fontsize=SMALL,
        )  # fmt: skip
    words = axis_words(result.main_measure, axis, at.unit, before="sum of mean ")
    name_axis(sheet, page, left, words, result.main_measure)


def _parts(
    rows: tuple[DatasetRow, ...], names: list[str], at: Scale, axis: ValueAxis
) -> dict[str, list[tuple[float, float, float]]]:
    """Return by candidate where its part begins, in which row, and how long it is."""
    parts: dict[str, list[tuple[float, float, float]]] = {name: [] for name in names}
    for y, row in enumerate(rows):
        end = 0.0
        for name in (n for n in names if n in row.means):
            begin, end = end, end + at.factor * row.means[name]
            left, right = axis.drawn([begin, end]).tolist()
            parts[name].append((left, float(y), right - left))
    return parts
