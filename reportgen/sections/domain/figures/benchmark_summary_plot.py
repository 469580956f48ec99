"""The benchmark summary plot: a row a data set with its relation, and the tree of the data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from math import log
from typing import TYPE_CHECKING, Any

from reportgen.data_classes import dataclass
from reportgen.drawing import (
    SMALL,
    THIN,
    TICK,
    Sheet,
    make_key,
    measure_words,
    shorten_names,
    shorten_text,
    text_width,
    with_unit,
)
from reportgen.drawing.axes import LOG_FROM
from reportgen.drawing.plots.rows import PX
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import NumberFormat, ordinal

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist
    from reportgen.sections.domain.result import DatasetRow, DomainResult

TREE, LEFT = 74 * PX, 4 * PX  # its width; from the left of the page to its root
ROW, LOW_ROW = 21 * PX, 9.0  # a row with its space below; of many, at most
SPACED = 8 * PX  # rows so high have a space below
HIGHEST = 820 * PX  # of all rows: a figure is no higher than a page
LINE = 8.5  # pt from one name to the next, at least
ELBOW, STUB = 12.0, 3.0  # pt between the name of one of very many rows and the row; its level ends
BRACKET, FIRST_BRACKET = 4 * PX, 3 * PX  # from one line of brackets to the next; to the first
MOST_BRACKETS = 6  # lines of brackets; a row that needs more has none
MOST_IN_KEY = 60  # candidates, whether a row shows them or not
HEAD, FOOT = 24 * PX, 22 * PX  # names of the places; axis of the tree and legend
MARK = 8 * PX  # from a cell's left to the middle of its marker
BAR = 5 * PX
ALIKE = 0.8  # the least mean over the largest, from which all are alike
LEAST_MARKED = 4.0  # pt: cells so high have their candidate's mark
BORDER = 2 * PX  # the line where neighbours are decided
MANY = 12  # candidates from beyond which only the first places are drawn
PLACES, FEW_PLACES = 6, 4  # how many; where names are long
LONG = 34.0  # pt of a name that six cells in a row do not hold


def bar_lengths(result: DomainResult) -> tuple[str, dict[tuple[str, str], float]]:
    """Return by data set and candidate which share of its cell a bar fills.

    Result: how the lengths are to be read: "share" of the largest mean, drawn as bars; "log", or
    "range" between the least and the largest one, which do not start at 0 and are drawn as dots. So
    are means that are all alike, of which bars from 0 would show no difference.
    """
    means = {(row.name, name): x for row in result.rows for name, x in row.means.items()}
    low, high = min(means.values()), max(means.values())
    if low > 0 and high / low > LOG_FROM and result.main_measure.unit_symbol != "share":
        return "log", {k: log(x / low) / log(high / low) for k, x in means.items()}
    if low >= 0 and high > 0 and low < ALIKE * high:
        return "share", {k: x / high for k, x in means.items()}
    width = high - low
    return "range", {k: (x - low) / width if width else 1.0 for k, x in means.items()}


def n_places(rows: Sequence[DatasetRow]) -> int:
    """Return how many of many candidates are drawn: fewer where most names are long."""
    names = {name for row in rows for name in row.order}
    widths = sorted(text_width(name, SMALL) for name in names)
    return FEW_PLACES if widths and widths[len(widths) // 2] > LONG else PLACES


def clip_places(row: DatasetRow, places: int) -> DatasetRow:
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


def brackets(row: DatasetRow, most: int = MOST_BRACKETS) -> list[list[tuple[str, ...]]]:
    """Return the runs that are joined by brackets, line by line so that none overlap.

    A row that would need more lines than `most` has none.
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
    return lines if len(lines) <= most else []


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything is, in points."""

    rows: tuple[DatasetRow, ...]  # of many candidates with the first places only
    # left, cell: Left of the cells; width of one.
    left: float
    cell: float
    tops: tuple[float, ...]  # of the rows
    height: float  # of a cell
    names: Mapping[str, str] | None  # what is written into the cells; None where names do not fit
    is_low: bool  # whether rows are low, as there are many
    names_at: Mapping[int, float]  # heights of the names of data sets, by the row
    most_brackets: int  # lines of brackets that a row has room for

    @property
    def has_elbows(self) -> bool:
        """Whether names stand apart from their rows, and lines lead there."""
        return len(self.names_at) < len(self.rows)

    @property
    def bar(self) -> float:
        """Height of the bars of means."""
        return self.height / 3 if self.is_low else BAR

    @property
    def bottom(self) -> float:
        """Where the last row ends."""
        return self.tops[-1] + self.height + _below(self.rows[-1], self.most_brackets)


def lay_out(result: DomainResult, sheet: Sheet, part: range | None = None) -> Layout:
    """Give every row its place; names stand in the cells where they fit.

    `part`: the rows that this sheet has; all when left out. Every part has the same columns.
    """
    places = n_places(result.rows)
    every = tuple(clip_places(row, places) for row in result.rows)
    rows = every if part is None else every[part.start : part.stop]
    is_low = not result.has_brackets
    step = min(LOW_ROW, HIGHEST / len(rows)) if is_low else ROW
    height = step - (1.5 if step >= SPACED else 0.0)
    left = (TREE if has_tree(result, sheet) else 0) + _gutter(result, sheet)
    cell = (sheet.width - left - 1) / max(len(row.order) for row in every)
    names = list(dict.fromkeys(name for row in every for name in row.order))
    texts = shorten_names(names, cell - MARK - 8, SMALL)
    fits = all(t == n or len(t) > 5 for n, t in texts.items()) and cell > 30
    fits = not is_low and (fits or len(names) > MANY)  # a key of so many names helps less
    most = 0 if is_low else _most_brackets(rows, step)
    heights = [step + _below(row, most) for row in rows]
    top = HEAD + (0.0 if fits else _key(result, every, sheet, left).height + 6)
    tops = tuple(top + x for x in accumulate([0.0, *heights[:-1]]))
    own = texts if fits else None
    named = set(result.named_rows)
    at = [i for i, row in enumerate(rows) if row.name in named]
    middles = [tops[i] + height / 2 for i in at]
    if len(at) < len(rows):
        middles = spread_out(middles, LINE, top, max(tops[-1] + height, top + LINE * len(at)))
    return Layout(
        rows, left, cell, tops, height, own, is_low, dict(zip(at, middles, strict=True)), most
    )


def spread_out(wanted: Sequence[float], apart: float, low: float, high: float) -> list[float]:
    """Move ascending places until neighbours are so far apart, all between `low` and `high`.

    Neighbours that are too close form a block around the mean of their wanted places.

    >>> spread_out([0.0, 1.0, 9.0], 4.0, -5.0, 20.0)
    [-1.5, 2.5, 9.0]
    """
    blocks: list[
        list[float]
    ] = []  # of each the sum of starts that its members want, and their count

    def start(block: list[float]) -> float:
        most = high - apart / 2 - apart * (block[1] - 1)
        return min(max(block[0] / block[1], low + apart / 2), most)

    for x in wanted:
        blocks.append([x, 1])
        while len(blocks) > 1 and start(blocks[-2]) + apart * blocks[-2][1] > start(blocks[-1]):
            total, n = blocks.pop()
            last = blocks[-1]
            blocks[-1] = [last[0] + total - apart * last[1] * n, last[1] + n]
    return [start(block) + apart * i for block in blocks for i in range(int(block[1]))]


def has_tree(result: DomainResult, sheet: Sheet) -> bool:
    """Whether there is a tree, and room for it."""
    return not sheet.is_phone and max(result.merge_heights, default=0) > 0


def _gutter(result: DomainResult, sheet: Sheet) -> float:
    """Return the width of the data sets' names, of very many with the lines that lead there."""
    named = result.named_rows
    if not named:
        return 6.0
    labels, size = _labels(result, sheet), _size(result, sheet)
    widest = max(text_width(labels[name], size) for name in named)
    return widest + 12 * PX + (ELBOW if len(named) < len(result.rows) else 0.0)


def _size(result: DomainResult, sheet: Sheet) -> float:
    return TICK if result.has_brackets and not sheet.is_phone else SMALL


def _labels(result: DomainResult, sheet: Sheet) -> dict[str, str]:
    """Return the names of the data sets, with a star where the relation is no weak order."""
    names = [row.name for row in result.rows]
    short = shorten_names(names, 44 if sheet.is_phone else 74, _size(result, sheet))
    if any(row.chain for row in result.rows):
        return {r.name: short[r.name] + ("" if r.chain else "*") for r in result.rows}
    return short


def _key(result: DomainResult, rows: Sequence[DatasetRow], sheet: Sheet, left: float) -> Any:
    """Return the key of the candidates; of very many, of those that a row shows."""
    shown = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    if len(shown) > MOST_IN_KEY:
        drawn = {n for row in rows for n in row.order}
        shown = [n for n in shown if n in drawn]
    return make_key(sheet, shown, sheet.width - left)


def _below(row: DatasetRow, most: int) -> float:
    """Return the height of the brackets of a row."""
    n = len(brackets(row, most))
    return FIRST_BRACKET + BRACKET * n if n else 0.0


def _most_brackets(rows: Sequence[DatasetRow], step: float) -> int:
    """Return as many lines of brackets a row as leave the figure no higher than a page."""
    fits = (
        most
        for most in range(MOST_BRACKETS, 0, -1)
        if sum(step + _below(row, most) for row in rows) <= HIGHEST
    )
    return next(fits, 0)


def draw_bsplot(
    result: DomainResult, at: NumberFormat, sheet: Sheet, *, part: range | None = None
) -> None:
    """Draw the summary plot, with the tree beside it where there is room.

    `part`: the rows that this sheet has; all when left out.
    """
    place = lay_out(result, sheet, part)
    last = max(place.names_at.values(), default=0.0) + LINE / 2
    sheet.begin(max(place.bottom, last) + FOOT)
    axes = sheet.page()
    _write_heads(sheet, axes, result, place)
    _draw_cells(sheet, axes, result, place)
    _draw_borders(sheet, axes, place)
    _write_names(sheet, axes, result, place)
    if has_tree(result, sheet):
        _draw_tree(sheet, axes, result, place, part.start if part else 0)
    _write_legend(sheet, axes, result, at, place)


def _write_names(sheet: Sheet, axes: PageArtist, result: DomainResult, place: Layout) -> None:
    """Name the rows; of very many some, with lines from the names to the rows."""
    labels, size = _labels(result, sheet), _size(result, sheet)
    right = place.left - 4.5 - (ELBOW if place.has_elbows else 0.0)
    style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": size}
    lines = []
    for i, y in place.names_at.items():
        row = place.rows[i]
        name = axes.text(right, y, labels[row.name], **style)
        sheet.link_datasets(name, [row.name])
        middle = place.tops[i] + place.height / 2
        a, b = right + 2, place.left - 1
        lines.append([(a, y), (a + STUB, y), (b - STUB, middle), (b, middle)])
    if place.has_elbows:
        draw_lines(axes, lines, sheet.colour("axis"), THIN / 2, zorder=2)


def _write_heads(sheet: Sheet, axes: PageArtist, result: DomainResult, place: Layout) -> None:
    """Number the places; above them the key, where cells have no names."""
    style: dict[str, Any] = {"va": "center", "color": sheet.colour("ink2"), "fontsize": SMALL}
    if place.names is None:
        _key(result, place.rows, sheet, place.left).draw(sheet, axes, place.left, 0)
    n = round((sheet.width - 1 - place.left) / place.cell)
    words = [f"{ordinal(k + 1)} place" if k == 0 else ordinal(k + 1) for k in range(n)]
    if text_width(words[0], SMALL) > place.cell - 4:
        words[0] = ordinal(1)
    step = max(1, -int(-max(text_width(w, SMALL) + 5 for w in words[-1:]) // place.cell))
    for k in range(0, n, step):
        axes.text(place.left + k * place.cell + 2, place.tops[0] - 9, words[k], **style)


def _draw_cells(sheet: Sheet, axes: PageArtist, result: DomainResult, place: Layout) -> None:
    """Draw grounds, bars, markers and names, candidate by candidate."""
    kind, lengths = bar_lengths(result)
    where: dict[str, list[tuple[DatasetRow, float, float]]] = {}
    for row, top in zip(place.rows, place.tops, strict=True):
        for k, name in enumerate(row.order):
            where.setdefault(name, []).append((row, place.left + k * place.cell, top))
    bar, height, texts = place.bar, place.height, place.names or {}
    for name in (n for n in result.candidates if n in where):
        cells = where[name]
        grounds = [(x, top, place.cell, height) for row, x, top in cells if row.chain]
        sheet.link(fill_boxes(axes, grounds, sheet.wash(name)), name)
        if kind == "share":
            bars = [
                (x, top + height - bar, max(PX, place.cell * lengths[row.name, name]), bar)
                for row, x, top in cells
            ]
            sheet.link(fill_boxes(axes, bars, sheet.ink(name)), name)
        else:
            _draw_dots(
                sheet, axes, place, name, [(x, y, lengths[r.name, name]) for r, x, y in cells]
            )
        if height < LEAST_MARKED:
            continue
        up = (height - bar) / 2 + (0.0 if place.is_low else 0.3)
        size = min(3.8, 0.8 * (height - bar)) if place.is_low else 4.7  # above the bar
        size = min(size, place.cell - 3)
        offset = MARK - PX if place.names else 3.0
        xs, ys = [x + offset for _, x, _ in cells], [top + up for _, _, top in cells]
        sheet.link(axes.plot(xs, ys, **sheet.mark(name, size), zorder=3)[0], name)
        for x, y in zip(xs, ys, strict=True) if texts else ():
            style: dict[str, Any] = {"fontsize": SMALL, "va": "center_baseline", "zorder": 4}
            sheet.link(axes.text(x + 4.5, y, texts[name], **style), name)


def _draw_dots(
    sheet: Sheet,
    axes: PageArtist,
    place: Layout,
    name: str,
    cells: Sequence[tuple[float, float, float]],
) -> None:
    """Draw a candidate's means as dots on lines across the cells: left, top, and how far along."""
    half = place.bar / 2
    middles = [top + place.height - half for _, top, _ in cells]
    lines = [
        [(x + half, y), (x + place.cell - half, y)]
        for (x, _, _), y in zip(cells, middles, strict=True)
    ]
    draw_lines(axes, lines, sheet.colour("axis"), THIN, zorder=2)
    xs = [x + half + share * (place.cell - 2 * half) for x, _, share in cells]
    dot: dict[str, Any] = {"marker": "o", "ms": place.bar, "mew": 0, "ls": "none", "zorder": 3}
    sheet.link(axes.plot(xs, middles, color=sheet.ink(name), **dot)[0], name)


def _draw_borders(sheet: Sheet, axes: PageArtist, place: Layout) -> None:
    """Part neighbours that are decided; join those that are not where there is no chain."""
    lines, joins = [], []
    for row, top in zip(place.rows, place.tops, strict=True):
        bottom = top + place.height
        if row.chain:
            lines += [
                [(place.left + (k + 1) * place.cell, y) for y in (top, bottom)]
                for k, better in enumerate(row.is_better_than_next)
                if better
            ]
            continue
        for depth, groups in enumerate(brackets(row, place.most_brackets)):
            y = bottom + FIRST_BRACKET + BRACKET * depth
            for group in groups:
                a = place.left + row.order.index(group[0]) * place.cell + 3
                b = place.left + (row.order.index(group[-1]) + 1) * place.cell - 3
                joins.append([(a, y - 1.6), (a, y), (b, y), (b, y - 1.6)])
    draw_lines(axes, lines, sheet.colour("ink"), BORDER, zorder=4, capstyle="butt")
    draw_lines(axes, joins, sheet.colour("ink"), THIN, zorder=5)


def _draw_tree(
    sheet: Sheet, axes: PageArtist, result: DomainResult, place: Layout, first: int
) -> None:
    """Draw the tree left of the rows, with the ends of its scale below."""
    # `first`: the number of the first row. Lines to rows of other sheets end beyond the outer rows.
    highest = max(result.merge_heights)
    middles = [top + place.height / 2 for top in place.tops]
    width = TREE - 2 * LEFT

    def x(height: float) -> float:
        return LEFT + width * (1 - height / highest)

    def y(row: float) -> float:
        row = min(max(row - first, -0.5), len(middles) - 0.5)
        whole = max(0, min(int(row), len(middles) - 2))
        return middles[whole] + (row - whole) * (middles[whole + 1] - middles[whole])

    ends = (first - 0.5, first + len(middles) - 0.5)
    lines = [
        [(x(a), y(b)), (x(c), y(d))]
        for a, b, c, d in tree_segments(result)
        if min(b, d) < ends[1] and max(b, d) > ends[0]
    ]
    width_of_line = THIN if place.height > 3 else THIN / 2
    draw_lines(axes, lines, sheet.colour("ink2"), width_of_line, zorder=2, capstyle="projecting")
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    axes.text(LEFT, place.tops[0] - 9, "distance", **style)
    foot = sheet.height - 7.5
    axes.text(x(0), foot, "0", ha="center", **style)
    axes.text(x(highest), foot, f"{highest:g}", ha="left", **style)


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


def _write_legend(
    sheet: Sheet, axes: PageArtist, result: DomainResult, at: NumberFormat, place: Layout
) -> None:
    """Say below the rows what a full bar stands for."""
    kind, _ = bar_lengths(result)
    y = sheet.height - 7.5
    means = [x for row in result.rows for x in row.means.values()]
    high, low = with_unit(at, max(means)), with_unit(at, min(means))
    words = measure_words(result.main_measure)
    texts = {
        "share": (f"a bar across the cell is {high} {words}, the largest {result.of_one} here",
                  f"a bar across the cell is {high}, the largest {result.of_one} here",
                  f"a full bar is {high}, the largest {result.of_one}"),
        "log": (f"a dot at the left of the cell is {low}, at the right {high} {words}, log scale",
                f"dots from {low} to {high}, log scale"),
        "range": (f"a dot at the left of the cell is {low}, at the right {high} {words}",
                  f"dots from {low} to {high}"),
    }[kind]  # fmt: skip
    full = min(place.cell, sheet.width / 4)
    if kind == "share":
        fill_boxes(axes, [(place.left, y - BAR / 2, full, BAR)], sheet.colour("ghost"))
    else:
        draw_lines(axes, [[(place.left, y), (place.left + full, y)]], sheet.colour("axis"), THIN)
    room = sheet.width - place.left - full - 6
    text = next((t for t in texts if text_width(t, SMALL) <= room), texts[-1])
    style: dict[str, Any] = {"fontsize": SMALL, "va": "center_baseline"}
    text = shorten_text(text, room, SMALL)
    axes.text(place.left + full + 4.5, y, text, color=sheet.colour("ink2"), **style)
