"""The data sets side by side: trellis of box plots, and stacked bars of the means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import (
    HAIR,
    HEAVY,
    SMALL,
    THIN,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    axis_words,
    fit_axis,
    fitted,
    make_key,
    measure_words,
    name_axis,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale
from reportgen.report import Figure, Series
from reportgen.sections.domain.figures.heatmaps import (
    FEWEST,
    HeatPage,
    draw_heat,
    draw_matrix,
    heat_pages,
    median_ranks,
    ordered,
    positions,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing import ValueAxis
    from reportgen.sections.domain.result import Box, DatasetRow, DomainResult

MOST_DATASETS, MOST_BOXES = 30, 12
BOX_LINE = 7.5  # pt a candidate
TITLE, GAP, BOXES_BELOW = 13.0, 12.0, 30.0  # pt: name of a panel; between panels; axis and its name
MARGIN = 6.0  # pt: for the labels of the outermost ticks
MOST_IN_ALT = 16  # values beyond the whiskers that a panel shows


def draw_trellis(result: DomainResult, rows: Sequence[DatasetRow], at: Scale, sheet: Sheet) -> None:
    """Draw one panel a data set, alike ones side by side, all pages on one axis."""
    names = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    n = len(rows)
    columns = min(n, 3 if sheet.is_phone else 5 if n > 8 else 4 if n > 3 else n)
    lines = -(-n // columns)
    panel = TITLE + BOX_LINE * len(names) + 3
    key = make_key(sheet, names, sheet.width)
    top = key.height + 8
    sheet.begin(top + lines * panel + (lines - 1) * 4 + BOXES_BELOW)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    width = (sheet.width - 2 * MARGIN - (columns - 1) * GAP) / columns
    ends = [[x for n in names for x in _ends(own.get(n))] for own in result.boxes.values()]
    axis = fit_axis(
        at.factor * np.array(ends),
        width,
        26,
        may_be_log=result.main_measure.unit != "share",
        may_clip=True,
    )
    for i, row in enumerate(rows):
        left = MARGIN + i % columns * (width + GAP)
        above = top + i // columns * (panel + 4)
        below = sheet.height - above - panel
        axes = sheet.axes(left, below, sheet.width - left - width, above + TITLE)
        is_last = i + columns >= n
        axis.apply(axes, "x")
        axes.set(ylim=(len(names) - 0.5, -0.5), yticks=[])
        axes.tick_params(labelbottom=is_last, labelsize=SMALL, length=2)
        _draw_panel(sheet, axes, result.boxes[row.name], names, at, axis)
        _rule(sheet, axes, axis, len(names))
        label = fitted(row.name, width, SMALL, is_bold=True)
        page.text(left, above + 7, label, fontsize=SMALL, va="center_baseline", fontweight=600)
    name_axis(sheet, page, 0, axis_words(result.main_measure, axis, at.unit), result.main_measure)


def _ends(box: Box | None) -> tuple[float, ...]:
    """Return the ends of the whiskers, and of what lies beyond them."""
    if box is None:
        return (nan,) * 4
    outside = (*box.outside, box.low, box.high)
    return (box.low, box.high, min(outside), max(outside))


def _rule(sheet: Sheet, axes: Axes, axis: ValueAxis, n: int) -> None:
    """Let the ticks go through the panel, faintly."""
    lines = [[(tick, -0.5), (tick, n - 0.5)] for tick in axis.ticks]
    draw_lines(axes, lines, sheet.colour("rule"), HAIR, zorder=0)


def _draw_panel(
    sheet: Sheet,
    axes: Axes,
    boxes: Mapping[str, Box],
    names: list[str],
    at: Scale,
    axis: ValueAxis,
) -> None:
    for y, name in enumerate(names):
        if name not in boxes:
            continue
        box, ink = boxes[name], sheet.ink(name)
        marks = (box.low, box.lower, box.middle, box.upper, box.high)
        low, lower, middle, upper, high = axis.drawn([at.factor * x for x in marks]).tolist()
        edge = [(lower, y - 0.32), (upper, y - 0.32), (upper, y + 0.32), (lower, y + 0.32)]
        whiskers = [[(low, y), (lower, y)], [(upper, y), (high, y)]]
        outside = axis.drawn([at.factor * x for x in thinned(box.outside)]).tolist()
        ticks = [[(x, y - 0.16), (x, y + 0.16)] for x in outside]
        fill_boxes(axes, [(lower, y - 0.32, upper - lower, 0.64)], sheet.wash(name), zorder=1)
        draw_lines(axes, [*whiskers, [*edge, edge[0]], *ticks], ink, THIN, zorder=2)
        draw_lines(axes, [[(middle, y - 0.38), (middle, y + 0.38)]], ink, HEAVY - 0.4, zorder=3)


def thinned(values: tuple[float, ...], most: int = MOST_IN_ALT) -> tuple[float, ...]:
    """Return values, or so many of them, spread over their ranks; the ends are kept."""
    if len(values) <= most:
        return values
    at = np.unique(np.linspace(0, len(values) - 1, most).round().astype(int))
    return tuple(values[i] for i in at)


MOST_BAR_PARTS = 12  # up to which the parts of a bar can be distinguished
BAR_LINE, MOST_LINES = 10.6, 50  # pt a data set; data sets of one page
BARS_BELOW = 30.0
LEAST_PART = 9.0  # pt from which a part has its candidate's mark


def is_stackable(result: DomainResult) -> bool:
    """Whether the means of a data set can be laid end to end: few, and none negative."""
    means = [x for row in result.rows for x in row.means.values()]
    return len(result.candidates) <= MOST_BAR_PARTS and bool(means) and min(means) >= 0 < max(means)


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
    sheet.begin(top + BAR_LINE * len(rows) + BARS_BELOW)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    totals = [at.factor * sum(row.means.values()) for row in result.rows]
    ends = np.array([[x] for x in (0.0, *totals)])
    axis = fit_axis(ends, sheet.width - left - 6, 40, may_be_log=False, may_clip=True)
    axes = sheet.axes(left, BARS_BELOW, 6, top)
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
            left - 6, top + (y + 0.5) * BAR_LINE, labels[row.name], ha="right",
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


VECTOR_CELLS = 4_000  # cells of a matrix up to which they stay vector
MANY = 20_000  # so many marks become an image


def numbered(name: str, i: int) -> str:
    """Return a figure's name: from the second page on with its number."""
    return name if i == 0 else f"{name}-{i + 1}"


def sets_figures(result: DomainResult, canvas: Canvas, at: Scale) -> Iterator[Figure]:
    """Draw the values of all data sets, page by page, and how far the data sets are apart."""
    if len(result.candidates) <= MOST_BOXES and _has_boxes(result):
        for i, rows in enumerate(_trellis_pages(result)):
            yield _trellis(result, rows, i, canvas, at)
    for i, page in enumerate(heat_pages(result)):
        yield _heat(result, page, i, canvas, at)
    if is_stackable(result):
        for i, rows in enumerate(stacked_pages(result)):
            yield _stacked(result, rows, i, canvas, at)
    apart = result.distances
    if apart is not None and len(apart.datasets) >= FEWEST and apart.greatest:
        yield _distances(result, canvas)


def _has_boxes(result: DomainResult) -> bool:
    """Whether some box is more than a single value."""
    return any(box.low < box.high for own in result.boxes.values() for box in own.values())


def _trellis_pages(result: DomainResult) -> list[tuple[DatasetRow, ...]]:
    n = -(-len(result.rows) // MOST_DATASETS)
    bounds = [round(i * len(result.rows) / n) for i in range(n + 1)]
    return [tuple(result.rows[a:b]) for a, b in pairwise(bounds)]


def _trellis(
    result: DomainResult, rows: tuple[DatasetRow, ...], i: int, canvas: Canvas, at: Scale
) -> Figure:
    columns = ("dataset", "candidate", "low", "lower", "median", "upper", "high")
    table = tuple(
        (row.name, name, box.low, box.lower, box.middle, box.upper, box.high)
        for row in rows
        for name, box in result.boxes[row.name].items()
    )
    return canvas.figure(
        numbered("trellis", i),
        result.main,
        partial(draw_trellis, result, rows, at),
        alt=_medians_alt(result, rows, at, "Box plots of the values"),
        data=Series(columns, table),
    )


def _heat(result: DomainResult, page: HeatPage, i: int, canvas: Canvas, at: Scale) -> Figure:
    smaller = result.main_measure.is_smaller_better
    table = tuple(
        (row.name, name, row.medians[name], rank, positions(row, is_smaller_better=smaller)[name])
        for row in page.rows
        for name, rank in median_ranks(row, is_smaller_better=smaller).items()
        if name in page.names
    )
    return canvas.figure(
        numbered("heat", i),
        result.main,
        partial(draw_heat, result, page),
        alt=_medians_alt(result, page.rows, at, "Heat map of the ranks of the medians"),
        data=Series(("dataset", "candidate", "median", "rank", "position"), table),
    )


def _medians_alt(result: DomainResult, rows: tuple[DatasetRow, ...], at: Scale, what: str) -> str:
    names = alt_names(result.candidates)
    sets = alt_names([row.name for row in rows])
    unit = f" in {at.unit}" if at.unit else ""
    words = measure_words(result.main_measure)
    head = f"{what} of {words} on {len(rows)} data sets; medians{unit}. "
    full = [
        f"{sets[row.name]}: "
        + ", ".join(f"{names[n]} {at.value(x)}" for n, x in row.medians.items())
        for row in rows
    ]
    smaller = result.main_measure.is_smaller_better
    best = [
        name
        for row in rows
        for name, share in positions(row, is_smaller_better=smaller).items()
        if share == 0
    ]
    counts = ", ".join(f"{names[n]} {best.count(n)}" for n in result.candidates if n in best)
    return alt_text(
        head + "; ".join(full) + ".",
        head + f"Number of data sets on which a candidate has the best median: {counts}.",
    )


def _stacked(
    result: DomainResult, rows: tuple[DatasetRow, ...], i: int, canvas: Canvas, at: Scale
) -> Figure:
    sets = alt_names([row.name for row in rows])
    unit = f" in {at.unit}" if at.unit else ""
    head = f"Stacked bars of mean {measure_words(result.main_measure)}; sums{unit}. "
    sums = [f"{sets[row.name]} {at.value(sum(row.means.values()))}" for row in rows]
    table = tuple((row.name, name, x) for row in rows for name, x in row.means.items())
    return canvas.figure(
        numbered("stacked", i),
        result.main,
        partial(draw_stacked, result, rows, at),
        alt=alt_text(head + "; ".join(sums) + "."),
        data=Series(("dataset", "candidate", "mean"), table),
    )


def _distances(result: DomainResult, canvas: Canvas) -> Figure:
    names, matrix = ordered(result)
    apart = result.distances
    if apart is None:
        raise ValueError("there are no distances")
    n = len(names)
    sets = alt_names(names)
    head = (
        f"Matrix of the distances of the relations of {n} data sets, from {apart.smallest} to "
        f"{apart.greatest}, on average {apart.mean:.1f}. "
    )
    full = [
        f"{sets[a]}: "
        + ", ".join(f"{sets[b]} {matrix[i, j]}" for j, b in enumerate(names) if j < i)
        for i, a in enumerate(names)
        if i
    ]
    ends = (
        f"Closest {sets[apart.closest[0]]} and {sets[apart.closest[1]]}, farthest "
        f"{sets[apart.farthest[0]]} and {sets[apart.farthest[1]]}."
    )
    rows = tuple((names[i], names[j], int(matrix[i, j])) for i in range(n) for j in range(i))
    return canvas.figure(
        "distances",
        result.main,
        partial(draw_matrix, result),
        alt=alt_text(head + "; ".join(full) + ".", head + ends),
        data=Series(("first", "second", "distance"), rows),
        n_marks=MANY if n * n > VECTOR_CELLS else 0,
    )
