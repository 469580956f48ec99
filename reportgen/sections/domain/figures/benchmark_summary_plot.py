"""The benchmark summary plot: a row a data set with its relation, and the tree of the data sets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from math import ceil, log
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    HAIR,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fit_axis,
    fitted,
    make_key,
    measure_words,
    shortened,
    text_width,
)
from reportgen.drawing.axes import LOG_FROM
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale, ordinal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.domain.result import DatasetRow, DomainResult

TREE = 84.0  # pt: its width
LEFT, WIDTH = 6.0, 74.0  # pt


def draw_tree(
    sheet: Sheet,
    axes: Axes,
    result: DomainResult,
    first: int,
    bands: Sequence[tuple[float, float]],
) -> None:
    """Draw the part of the tree that belongs to some rows.

    Parameters
    ----------
    sheet : Sheet
    axes : Axes
        Of the page.
    result : DomainResult
    first : int
        Place of the first row among all data sets.
    bands : sequence of two floats
        Upper and lower end of every row.
    """
    highest = max(result.merge_heights)
    n = len(bands)
    ends = (first - 0.5, first + n - 0.5)
    known = [ends[0], *range(first, first + n), ends[1]]
    middles = [bands[0][0] - 1, *((a + b) / 2 for a, b in bands), bands[-1][1] + 1]
    lines = []
    for x0, y0, x1, y1 in tree_segments(result):
        low, high = sorted((y0, y1))
        if high >= ends[0] and low <= ends[1]:
            ys = np.interp([y0, y1], known, middles).tolist()
            xs = (LEFT + WIDTH * (1 - x / highest) for x in (x0, x1))
            lines.append(list(zip(xs, ys, strict=True)))
    draw_lines(axes, lines, sheet.colour("ink2"), THIN, zorder=2, capstyle="projecting")
    if result.subdomains is not None:
        _draw_parts(sheet, axes, result, first, bands)
    _draw_axis(sheet, axes, highest, bands[-1][1] + 6)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    axes.text(LEFT, bands[0][0] - 11, "distance", **style)


def _draw_parts(
    sheet: Sheet,
    axes: Axes,
    result: DomainResult,
    first: int,
    bands: Sequence[tuple[float, float]],
) -> None:
    """Draw where the tree is cut, and number the parts beside it."""
    found = result.subdomains
    if found is None:
        return
    highest = max(result.merge_heights)
    x = LEFT + WIDTH * (1 - cut_height(result) / highest)
    ends = [(x, bands[0][0] - 1), (x, bands[-1][1] + 1)]
    draw_lines(axes, [ends], sheet.colour("axis"), THIN, zorder=1, linestyle=(0, (2.5, 2.0)))
    row = {name: i for i, name in enumerate(result.leaf_order)}
    style: dict[str, Any] = {"fontsize": SMALL, "fontweight": 600, "zorder": 5}
    for number, part in enumerate(found.parts, 1):
        shown = [row[d] - first for d in part.datasets if 0 <= row[d] - first < len(bands)]
        if shown:
            upper, lower = bands[min(shown)][0], bands[max(shown)][1]
            at = (x, (upper + lower) / 2)
            box = {"facecolor": sheet.colour("paper"), "edgecolor": "none", "pad": 0.8}
            axes.text(*at, str(number), ha="center", va="center", bbox=box, **style)


def cut_height(result: DomainResult) -> float:
    """Return a height between the highest join that is kept and the lowest that is undone."""
    found = result.subdomains
    if found is None:
        return 0.0
    above = [h for h in result.merge_heights if h > found.height]
    return (found.height + min(above)) / 2 if above else found.height


def _draw_axis(sheet: Sheet, axes: Axes, highest: float, y: float) -> None:
    """Draw the scale of the distances below the tree."""
    axis = fit_axis([0, highest], WIDTH, 30, may_be_log=False)
    shown = [
        (LEFT + WIDTH * (1 - t / highest), text)
        for t, text in zip(axis.ticks, axis.labels, strict=True)
        if t <= highest
    ]
    lines = [[(LEFT, y), (LEFT + WIDTH, y)], *([(x, y), (x, y + 3)] for x, _ in shown)]
    draw_lines(axes, lines, sheet.colour("axis"), HAIR, zorder=2)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    for x, text in shown:
        axes.text(x, y + 8.5, text, ha="center", **style)


def tree_segments(result: DomainResult) -> list[tuple[float, float, float, float]]:
    """Return the lines of the tree as (height, row, height, row); rows count from 0."""
    if result.distances is None:
        return []
    row = {name: float(i) for i, name in enumerate(result.leaf_order)}
    nodes = [(row[name], 0.0) for name in result.distances.datasets]
    lines = []
    for (a, b), height in zip(result.merges, result.merge_heights, strict=True):
        (ya, ha), (yb, hb) = nodes[a], nodes[b]
        lines += [(ha, ya, height, ya), (hb, yb, height, yb), (height, ya, height, yb)]
        nodes.append(((ya + yb) / 2, height))
    return lines


ROW, LOW_ROW = 20.5, 13.5  # pt: a row; on pages of many
BRACKET, FIRST_BRACKET = 3.4, 2.6  # pt: from one line of brackets to the next; to the first
MOST_BRACKETS, MOST_LOW_BRACKETS = 6, 2  # lines of brackets; a row that needs more has none
MOST_ROWS, MOST_HEIGHT = 28, 640.0  # rows of a page that may be high; pt of the rows of others
HEAD, FOOT = 26.0, 20.0  # pt: names of the places; axis of the tree and legend
MARK = 7.0  # pt from a cell's left to the middle of its marker
BORDER = 1.5  # pt: the line where neighbours are distinguished
MANY = 12  # candidates from beyond which only the first places are drawn
PLACES, FEW_PLACES = 6, 4  # how many; where names are long
LONG = 34.0  # pt of a name that six cells in a row do not hold


@dataclass(frozen=True, slots=True)
class Page:
    """The rows of one figure.

    Attributes
    ----------
    rows : tuple of DatasetRow
    first : int
        Place of the first of them among all rows.
    is_low : bool
        Whether rows are low, as there are many.
    """

    rows: tuple[DatasetRow, ...]
    first: int
    is_low: bool


def n_places(rows: Sequence[DatasetRow]) -> int:
    """Return how many of many candidates are drawn: fewer where most names are long."""
    names = {name for row in rows for name in row.order}
    widths = sorted(text_width(name, SMALL) for name in names)
    return FEW_PLACES if widths and widths[len(widths) // 2] > LONG else PLACES


def clipped(row: DatasetRow, places: int) -> DatasetRow:
    """Return the row as it is drawn: of many candidates only the first places."""
    if len(row.order) <= MANY:
        return row
    kept = row.order[:places]
    groups = (tuple(n for n in group if n in kept) for group in row.level_groups)
    return replace(
        row,
        order=kept,
        is_better_than_next=row.is_better_than_next[:places],
        level_groups=tuple(group for group in groups if len(group) > 1),
    )


def pages(rows: Sequence[DatasetRow]) -> tuple[Page, ...]:
    """Share the rows among as few figures as can be read, of nearly the same height."""
    places = n_places(rows)
    rows = [clipped(row, places) for row in rows]
    if len(rows) <= MOST_ROWS:
        return (Page(tuple(rows), 0, is_low=False),)
    ends = list(accumulate(_row_height(row, is_low=True) for row in rows))
    n = ceil(ends[-1] / MOST_HEIGHT)
    bounds = [0, *(bisect_left(ends, i * ends[-1] / n) for i in range(1, n)), len(rows)]
    return tuple(Page(tuple(rows[a:b]), a, is_low=True) for a, b in pairwise(bounds))


def bar_lengths(result: DomainResult) -> tuple[str, dict[tuple[str, str], float]]:
    """Return by data set and candidate which share of its cell a bar fills.

    Returns
    -------
    str
        How the lengths are to be read: "share" of the largest mean, "log", or
        "range" between the least and the largest one.
    dict of (data set, candidate) to float
    """
    means = {(row.name, name): x for row in result.rows for name, x in row.means.items()}
    low, high = min(means.values()), max(means.values())
    if low > 0 and high / low > LOG_FROM and result.main_measure.unit != "share":
        return "log", {k: log(x / low) / log(high / low) for k, x in means.items()}
    if low >= 0 and high > 0:
        return "share", {k: x / high for k, x in means.items()}
    width = high - low
    return "range", {k: (x - low) / width if width else 1.0 for k, x in means.items()}


@dataclass(frozen=True, slots=True)
class _Place:
    """Where everything is, in points."""

    left: float
    cell: float
    tops: tuple[float, ...]
    height: float
    names: Mapping[str, str] | None
    top: float

    @property
    def middles(self) -> list[float]:
        """Where the rows' own cells have their middles."""
        return [top + self.height / 2 for top in self.tops]

    @property
    def bands(self) -> list[tuple[float, float]]:
        """Upper and lower end of every row's cells."""
        return [(top, top + self.height) for top in self.tops]


def draw_bsplot(result: DomainResult, page: Page, at: Scale, sheet: Sheet) -> None:
    """Draw one page of the summary plot, with the tree beside it where there is room."""
    has_tree = not sheet.is_phone and max(result.merge_heights, default=0) > 0
    size = SMALL if sheet.is_phone or page.is_low else TICK
    labels = shortened([r.name for r in page.rows], 44 if sheet.is_phone else 74, size)
    if any(row.chain for row in result.rows):
        labels = {row.name: _starred(row, labels) for row in page.rows}
    widest = max(text_width(text, size) for text in labels.values())
    left = (TREE if has_tree else 0) + widest + 8
    place = _lay_out(result, page, sheet, left)
    foot = FOOT + (0 if place.names else 2)
    sheet.begin(place.tops[-1] + _row_height(page.rows[-1], is_low=page.is_low) + foot)
    axes = sheet.page()
    _write_headers(sheet, axes, result, place)
    _draw_cells(sheet, axes, result, page, place)
    for row, middle in zip(page.rows, place.middles, strict=True):
        axes.text(
            left - 6, middle, labels[row.name], ha="right", va="center_baseline", fontsize=size
        )
    if has_tree:
        draw_tree(sheet, axes, result, page.first, place.bands)
    _write_legend(sheet, axes, result, at, place)


def _starred(row: DatasetRow, labels: Mapping[str, str]) -> str:
    return labels[row.name] + ("" if row.chain else "*")


def _row_height(row: DatasetRow, *, is_low: bool) -> float:
    n = len(brackets(row, is_low=is_low))
    extra = FIRST_BRACKET + BRACKET * n if n else 0.0
    return (LOW_ROW if is_low else ROW) + extra


def brackets(row: DatasetRow, *, is_low: bool = False) -> list[list[tuple[str, ...]]]:
    """Return the runs that are joined by brackets, line by line so that none overlap.

    A row that would need too many lines has none.
    """
    lines: list[list[tuple[str, ...]]] = []
    ends: list[int] = []
    for group in row.level_groups:
        first, last = row.order.index(group[0]), row.order.index(group[-1])
        free = next((i for i, end in enumerate(ends) if end < first), len(ends))
        if free == len(ends):
            ends.append(last)
            lines.append([])
        ends[free] = last
        lines[free].append(group)
    return lines if len(lines) <= (MOST_LOW_BRACKETS if is_low else MOST_BRACKETS) else []


def _lay_out(result: DomainResult, page: Page, sheet: Sheet, left: float) -> _Place:
    """Give every row its place, and write names into the cells where they fit."""
    names = _names(page)
    cell = (sheet.width - left - 2) / max(len(row.order) for row in page.rows)
    size = SMALL
    texts = shortened(names, cell - MARK - 8, size)
    fits = all(t == n or len(t) > 5 for n, t in texts.items()) and cell > 30
    fits = fits or len(names) > MANY  # a key of so many names helps less than their beginnings
    key = 0.0 if fits else make_key(sheet, names, sheet.width - left).height + 6
    heights = [_row_height(row, is_low=page.is_low) for row in page.rows]
    top = HEAD + key
    tops = tuple(top + 1 + x for x in accumulate([0.0, *heights[:-1]]))
    height = (LOW_ROW if page.is_low else ROW) - 2
    return _Place(left, cell, tops, height, texts if fits else None, top)


def _names(page: Page) -> list[str]:
    """Return the candidates that any row shows; those of the longest row first."""
    met = dict.fromkeys(name for row in page.rows for name in row.order)
    return list(met)


def _write_headers(sheet: Sheet, axes: Axes, result: DomainResult, place: _Place) -> None:
    """Number the places; above them the key, where cells have no names."""
    style: dict[str, Any] = {"va": "center", "color": sheet.colour("ink2")}
    shown = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    if place.names is None:
        make_key(sheet, shown, sheet.width - place.left).draw(sheet, axes, place.left, 0)
    y = place.top - 10
    n = round((sheet.width - 2 - place.left) / place.cell)
    words = [f"{ordinal(k + 1)} place" for k in range(n)]
    if any(text_width(w, TICK) > place.cell - 8 for w in words):
        words = [ordinal(k + 1) for k in range(n)]
    step = max(1, int(np.ceil(max(text_width(w, SMALL) + 5 for w in words) / place.cell)))
    for k in range(0, len(words), step):
        x = place.left + k * place.cell + (4 if place.names else place.cell / 2)
        if x + text_width(words[k], SMALL) / (1 if place.names else 2) <= sheet.width + 1:
            ha = "left" if place.names else "center"
            axes.text(x, y, words[k], ha=ha, fontsize=SMALL, **style)


def _draw_cells(sheet: Sheet, axes: Axes, result: DomainResult, page: Page, place: _Place) -> None:
    """Draw grounds, bars, markers and names candidate by candidate, then the borders."""
    _, lengths = bar_lengths(result)
    where: dict[str, list[tuple[DatasetRow, float, float]]] = {}
    for row, top in zip(page.rows, place.tops, strict=True):
        for k, name in enumerate(row.order):
            where.setdefault(name, []).append((row, place.left + k * place.cell, top))
    bar = 3.0 if page.is_low else 5.0
    for name in (n for n in result.candidates if n in where):
        cells = where[name]
        grounds = [(x, top, place.cell, place.height) for row, x, top in cells if row.chain]
        fill_boxes(axes, grounds, sheet.wash(name))
        bars = [
            (x, top + place.height - bar, place.cell * lengths[row.name, name], bar)
            for row, x, top in cells
        ]
        fill_boxes(axes, bars, sheet.ink(name))
        up = (place.height - bar) / 2
        size = min(4.4, place.cell - 3)
        offset = MARK if place.names else min(MARK, place.cell / 2)
        xs, ys = [x + offset for _, x, _ in cells], [top + up for _, _, top in cells]
        axes.plot(xs, ys, **sheet.mark(name, size), zorder=3)
        if place.names is not None:
            for x, y in zip(xs, ys, strict=True):
                axes.text(x + 5.5, y, place.names[name], fontsize=SMALL, va="center_baseline")
    _draw_borders(sheet, axes, page, place)


def _draw_borders(sheet: Sheet, axes: Axes, page: Page, place: _Place) -> None:
    """Part neighbours that are distinguished; join those that are not where there is no chain."""
    lines, joins, ground = [], [], []
    for row, top in zip(page.rows, place.tops, strict=True):
        bottom = top + place.height
        if row.chain:
            lines += [
                [(place.left + (k + 1) * place.cell, y) for y in (top, bottom)]
                for k, better in enumerate(row.is_better_than_next)
                if better
            ]
            continue
        ground.append([(place.left + x * place.cell, bottom) for x in (0, len(row.order))])
        for depth, groups in enumerate(brackets(row, is_low=page.is_low)):
            y = bottom + FIRST_BRACKET + BRACKET * depth
            for group in groups:
                a = place.left + row.order.index(group[0]) * place.cell + 2
                b = place.left + (row.order.index(group[-1]) + 1) * place.cell - 2
                joins.append([(a, y - 1.6), (a, y), (b, y), (b, y - 1.6)])
    draw_lines(axes, lines, sheet.colour("ink"), BORDER, zorder=4)
    draw_lines(axes, ground, sheet.colour("axis"), HAIR, zorder=1)
    draw_lines(axes, joins, sheet.colour("ink"), 1.0, zorder=5)


def _write_legend(sheet: Sheet, axes: Axes, result: DomainResult, at: Scale, place: _Place) -> None:
    """Say below the rows what a full bar stands for."""
    kind, _ = bar_lengths(result)
    y = sheet.height - 9
    means = [x for row in result.rows for x in row.means.values()]
    unit = at.unit if at.unit == "%" else f" {at.unit}" if at.unit else ""
    high, low = f"{at.value(max(means))}{unit}", f"{at.value(min(means))}{unit}"
    words = measure_words(result.main_measure)
    extreme = "worst" if result.main_measure.is_smaller_better else "best"
    texts = {
        "share": (f"a full cell is {high} {words}, the {extreme} mean of the domain",
                  f"a full cell is {high}, the {extreme} mean of the domain"),
        "log": (f"an empty cell is {low}, a full one {high} {words}, on a log scale",
                f"an empty cell is {low}, a full one {high}, log scale"),
        "range": (f"an empty cell is {low}, a full one {high} {words}",
                  f"an empty cell is {low}, a full one {high}"),
    }[kind]  # fmt: skip
    full = min(place.cell, 40.0)
    fill_boxes(axes, [(place.left, y - 2.5, full, 5)], sheet.colour("ghost"))
    room = sheet.width - place.left - full - 6
    text = next((t for t in texts if text_width(t, SMALL) <= room), texts[-1])
    axes.text(
        place.left + full + 5,
        y,
        fitted(text, room, SMALL),
        fontsize=SMALL,
        color=sheet.colour("ink2"),
        va="center_baseline",
    )
