"""Complexity and affinity: what the model predicts of every data set, and of candidates on it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    SMALL,
    THIN,
    Sheet,
    fit_axis,
    fitted,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale
from reportgen.sections.domain.heads import HEAD_GAP, draw_heads, head_height
from reportgen.sections.domain.means import effects_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.domain.result import DomainFit, DomainResult

LINE, MOST_LINES = 10.6, 50  # pt a data set; data sets of one page
STEPS, DARKEST = 6, 0.8
LEVELS = 96.0  # pt: the panel of the levels
MANY = 30  # candidates above which cells need more of the width
LEAST_CELL = 25.0  # pt: a cell that holds its number
LEGEND, AXIS = 18.0, 14.0


def affinity_pages(result: DomainResult, measure: str) -> tuple[tuple[str, ...], ...]:
    """Share the data sets, the easiest first, among as few pages as can be read."""
    order = effects_order(result, measure)
    n = -(-len(order) // MOST_LINES)
    bounds = [round(i * len(order) / n) for i in range(n + 1)]
    return tuple(tuple(order[a:b]) for a, b in pairwise(bounds))


def draw_affinity(
    result: DomainResult, measure: str, datasets: tuple[str, ...], at: Scale, sheet: Sheet
) -> None:
    """Draw one page: at the left the data sets' levels, at the right a cell a candidate."""
    fit = result.model(measure)
    if fit is None:
        raise ValueError(f"there is no model of {measure}")
    names = list(fit.order)
    is_narrow = sheet.is_phone or len(names) > MANY
    labels = shortened(datasets, 50 if sheet.is_phone else 64 if is_narrow else 92, SMALL)
    name_width = max(text_width(t, SMALL) for t in labels.values()) + 8
    levels = LEVELS * (0.6 if is_narrow else 1)
    left = name_width + levels + 10
    cell = (sheet.width - left - 2) / len(names)
    top = head_height(names, cell) + HEAD_GAP
    sheet.begin(top + LINE * len(datasets) + AXIS + LEGEND)
    page = sheet.page()
    draw_heads(sheet, page, names, left, cell, top - HEAD_GAP)
    for i, name in enumerate(datasets):
        page.text(
            name_width - 8, top + (i + 0.5) * LINE, labels[name], ha="right",
            va="center_baseline", fontsize=SMALL,
        )  # fmt: skip
    _draw_levels(sheet, page, fit, datasets, at, (name_width, levels, top))
    _draw_cells(sheet, page, result.measures[measure].is_smaller_better, fit, datasets, at,
                (left, cell, top))  # fmt: skip
    _write_legend(sheet, page, fit, at, left)


def _draw_levels(
    sheet: Sheet,
    page: Axes,
    fit: DomainFit,
    datasets: tuple[str, ...],
    at: Scale,
    place: tuple[float, float, float],
) -> None:
    """Draw a bar from the domain's level to that of each data set."""
    left, width, top = place
    effects = fit.blups.dataset
    values = [[0.0], *([at.factor * x] for x in effects.values())]
    axis = fit_axis(np.array(values), width, 26, may_be_log=False, may_clip=True)

    def x_of(value: float) -> float:
        return left + width * (value - axis.lower) / (axis.upper - axis.lower)

    bottom = top + LINE * len(datasets)
    for tick, text in zip(axis.ticks, axis.labels, strict=True):
        draw_lines(page, [[(x_of(tick), top), (x_of(tick), bottom)]], sheet.colour("rule"), 0.5)
        page.text(
            x_of(tick), bottom + 7, text, ha="center", va="center_baseline", fontsize=SMALL,
            color=sheet.colour("ink2"),
        )  # fmt: skip
    zero, *places = map(x_of, axis.drawn([0.0, *(at.factor * effects[d] for d in datasets)]))
    ends = [(places[i], top + (i + 0.5) * LINE) for i in range(len(datasets))]
    ink = sheet.colour("ink2")
    draw_lines(page, [[(zero, y), (x, y)] for x, y in ends], ink, 2.0, zorder=2)
    draw_lines(page, [[(zero, top), (zero, bottom)]], sheet.colour("axis"), THIN, zorder=1)
    style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3.6}
    words = ", ".join(filter(None, ("level", axis.beyond)))
    page.plot([x for x, _ in ends], [y for _, y in ends], color=ink, **style)
    page.text(
        left + width / 2, top - 7, fitted(words, width, SMALL), ha="center", va="center_baseline",
        fontsize=SMALL, color=sheet.colour("ink2"),
    )  # fmt: skip


def _draw_cells(
    sheet: Sheet,
    page: Axes,
    is_smaller_better: bool,
    fit: DomainFit,
    datasets: tuple[str, ...],
    at: Scale,
    place: tuple[float, float, float],
) -> None:
    """Shade every candidate's effect: blue where it does better than expected, grey worse."""
    left, cell, top = place
    most = _largest(fit)
    shades: dict[tuple[str, int], list[tuple[float, float, float, float]]] = {}
    for i, dataset in enumerate(datasets):
        for k, name in enumerate(fit.order):
            x = fit.blups.interaction[dataset].get(name)
            if x is None:
                _draw_lack(sheet, page, left + (k + 0.5) * cell, top + (i + 0.5) * LINE)
                continue
            step = round(STEPS * abs(x) / most) if most else 0
            box = (left + k * cell + 0.3, top + i * LINE + 0.3, cell - 0.6, LINE - 0.6)
            colour = "c0" if (x < 0) == is_smaller_better else "ink"
            shades.setdefault((colour, step), []).append(box)
            if cell >= LEAST_CELL:
                is_dark = step > STEPS * 0.55
                page.text(
                    left + (k + 0.5) * cell, top + (i + 0.5) * LINE, at.value(x),
                    ha="center", va="center_baseline", fontsize=SMALL, zorder=4,
                    color=sheet.colour("paper" if is_dark else "ink"),
                )  # fmt: skip
    for (colour, step), boxes in sorted(shades.items()):
        if step:
            fill_boxes(page, boxes, sheet.colour(colour), alpha=DARKEST * step / STEPS)
    ends = (left, left + cell * len(fit.order))
    rules = [[(x, top + i * LINE) for x in ends] for i in range(0, len(datasets) + 1, 5)]
    draw_lines(page, rules, sheet.colour("rule"), 0.5, zorder=0)


def _draw_lack(sheet: Sheet, page: Axes, x: float, y: float) -> None:
    """Draw a stroke where a data set lacks a candidate."""
    draw_lines(page, [[(x - 3, y), (x + 3, y)]], sheet.colour("ink2"), THIN, zorder=4)


def _largest(fit: DomainFit) -> float:
    return max(abs(x) for own in fit.blups.interaction.values() for x in own.values())


def _write_legend(sheet: Sheet, page: Axes, fit: DomainFit, at: Scale, left: float) -> None:
    """Say which shade is how much, better and worse."""
    y, width, most = sheet.height - 8, 8.0, _largest(fit)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    unit = f" {at.difference_unit}" if at.difference_unit else ""
    both = (("better", "c0"), (f"worse; the strongest tone: {at.value(most)}{unit}", "ink"))
    needed = sum(STEPS * width + 19 + text_width(words, SMALL) for words, _ in both)
    x = max(0.0, min(left, sheet.width - needed))
    for words, colour in both:
        for step in range(1, STEPS + 1):
            box = [(x + (step - 1) * width, y - 4, width, 8)]
            fill_boxes(page, box, sheet.colour(colour), alpha=DARKEST * step / STEPS)
        x += STEPS * width + 5
        text = fitted(words, sheet.width - x, SMALL)
        page.text(x, y, text, va="center_baseline", **style)
        x += text_width(text, SMALL) + 14
