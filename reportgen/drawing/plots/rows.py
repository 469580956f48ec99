"""The row plot: names in the gutter, an axis on which each row is drawn, columns of numbers.

A row is a candidate or a pair of candidates. `draw_rows` lays out names, axis, hairlines and
columns, and calls `RowPlot.draw` for what stands on the axis of each row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.drawing.axes import ValueAxis, rank_ticks
from reportgen.drawing.labels import MARK_WIDTH, name_mark
from reportgen.drawing.sheet import Sheet, shorten_names, shorten_text
from reportgen.drawing.style import SMALL, TICK
from reportgen.drawing.text_size import text_width
from reportgen.performance_measure import FEW_REPLICATIONS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist

PX = 0.75  # pt of a CSS pixel
STROKE, DIVIDER = 2 * PX, PX  # widths of what means something, and of what divides
POINT, FEW_POINT = 3.4 * PX, 5.4 * PX  # pt: diameter of a replication's point
DOT = 0.12  # pt: its length, of which a tenth is left wherever it is written
HEADS, BAND_HEADS = 18.0, 25.5  # pt above the rows: heads; with the words of a band under them
FOOT = 28.5  # pt below the rows: ticks, their labels, the axis' name
GAP, SLACK = 9.0, 2.0  # pt between columns; at the end of words
GUTTER, PHONE_GUTTER = 112.5, 70.0  # pt: widest name of one
LEAST_AXIS, LEAST_PHONE_AXIS = 120.0, 84.0  # pt that names and columns leave to the axis
HIGHEST, LOWEST = 640.0, 11.25  # pt: all rows together; one row
RANK_GAP = 6.0  # pt a digit: least distance of two ticks of ranks
LEAST_NAME = 34.0  # pt that the axis leaves to a name


@dataclass(frozen=True, slots=True)
class RowColumn:
    """A column of numbers or words at the right."""

    head: str
    cells: tuple[str, ...]  # one a row
    # The cells at phone width; empty: there the column is left out.
    phone: tuple[str, ...] = ()
    is_left: bool = False  # whether the cells begin at one line, as words do; numbers end at one
    is_strong: tuple[bool, ...] = ()  # which cells are in full ink; empty: none
    is_spare: bool = False  # whether it is left out where the others leave too little to the axis

    def shown(self, *, is_phone: bool) -> tuple[str, ...]:
        """Return the cells that are written."""
        return self.phone if is_phone else self.cells


@dataclass(frozen=True, slots=True)
class Panel:
    """What a row is drawn on: x in the axis' units, y in points from the top of the rows."""

    sheet: Sheet
    axes: Axes
    axis: ValueAxis

    def hline(
        self, start: float, end: float, y: float, colour: str, width: float = STROKE, **style: Any
    ) -> None:
        """Draw a horizontal line on whole pixels."""
        from reportgen.drawing.page import Stroke

        given: dict[str, Any] = {"color": self.sheet.colour(colour)} | style
        self.axes.add_artist(Stroke([start, end], [snap(y, width)] * 2, lw=width, **given))

    def vline(
        self, x: float, top: float, bottom: float, colour: str, width: float = DIVIDER, **style: Any
    ) -> None:
        """Draw a vertical line on whole pixels."""
        from reportgen.drawing.page import Stroke

        given: dict[str, Any] = {"color": self.sheet.colour(colour)} | style
        self.axes.add_artist(Stroke([self.snap(x, width)] * 2, [top, bottom], lw=width, **given))

    def mark(
        self,
        x: float,
        y: float,
        size: float,
        face: str,
        edge: str,
        rim: float,
        *,
        marker: str = "o",
        zorder: float = 4,
    ) -> None:
        """Draw a mark of its own look, its middle on a whole pixel.

        `size`, `rim`: diameter, and width of its edge, in points.
        `face`, `edge`: colours.
        """
        from reportgen.drawing.page import Mark

        self.axes.add_artist(
            Mark(
                x,
                round(y / PX) * PX,
                marker=marker,
                markersize=size,
                markerfacecolor=face,
                markeredgecolor=edge,
                markeredgewidth=rim,
                zorder=zorder,
            )
        )

    def points(
        self,
        values: NDArray[np.float64],
        heights: NDArray[np.float64],
        colour: str,
        *names: str,
        alpha: float = 0.5,
        of: int = 0,
    ) -> None:
        """Draw a point a replication of a candidate or pair: none where the value is missing.

        They are lines that are hardly longer than their round ends: a thousand of them are quick to
        write and to read; markers are not. Of lines without a length some programs draw no ends.

        `values`: (B,); as they lie on the axis, in the order of the replications.
        `heights`: (B,); in points from the top of the rows.
        `names`: whose they are.
        `of`: how many replications there are, where points may be of a part of them.
        """
        from matplotlib.collections import LineCollection

        width = FEW_POINT if len(values) < FEW_REPLICATIONS else POINT
        starts = np.column_stack((values, heights))
        starts[~np.isfinite(values)] = np.nan
        from_points = self.axes.transData.inverted().transform
        length = float(np.subtract(*from_points([(DOT, 0.0), (0.0, 0.0)]))[0])
        points = LineCollection(
            list(np.stack((starts, starts + np.array([length, 0.0])), axis=1)),
            colors=colour, lw=width, alpha=alpha, capstyle="round", clip_on=False, zorder=2,
            snap=False, **self.sheet.dense,
        )  # fmt: skip
        self.axes.add_collection(points, autolim=False)
        self.sheet.link_replications(points, *names, of=of)

    def snap(self, x: float, width: float) -> float:
        """Return the place nearest to x at which a vertical line of this width fills pixels."""
        data = self.axes.transData
        points = float(data.transform((x, 0.0))[0])
        found: float = data.inverted().transform((snap(points, width), 0.0))[0]
        return found


@dataclass(frozen=True, slots=True)
class RowPlot:
    """What a row plot shows."""

    # The candidate of each row, or the two of a pair; words where rows are not of candidates.
    rows: Sequence[tuple[str, ...]]
    columns: Sequence[RowColumn]
    # Called with the axis' length and the least distance of its ticks, in points; returns the axis.
    fit: Callable[[float, float], ValueAxis]
    # Called with the panel, the number of a row and its middle in points; draws the row.
    draw: Callable[[Panel, int, float], None]
    # Called with the axis and whether there is little room; returns the axis' name.
    title: Callable[[ValueAxis, bool], str]
    row: float  # height of a row in points, a multiple of `PX`
    # A value a row; a hairline parts rows with different ones. Empty: one between any two.
    groups: Sequence[object] = ()
    gap: float = 0.0  # points between groups
    size: float | None = None  # type size of names and cells; left out, that of the sheet
    head: str = ""  # what stands over the names
    band: tuple[float, float] | None = None  # an area to shade, in the unit of what `fit` fitted
    band_words: str = ""  # what is written above it
    zero: float | None = None  # where a line stands through all rows
    has_grid: bool = False  # whether a hairline goes up from each tick
    way: str = ""  # what stands at the right end of the axis' name: which side is better
    is_of_candidates: bool = True  # else rows have words, and no marks

    @property
    def tops(self) -> tuple[float, ...]:
        """The upper edge of each row, in points from that of the first."""
        found = [0.0]
        for i in range(1, len(self.rows)):
            found.append(found[-1] + self.row + (self.gap if self.is_parted(i) else 0.0))
        return tuple(found)

    @property
    def above(self) -> float:
        """Points above the rows."""
        return BAND_HEADS if self.band is not None and self.band_words else HEADS

    @property
    def height(self) -> float:
        """Points that the whole plot is high."""
        return self.above + self.tops[-1] + self.row + FOOT

    def is_parted(self, i: int) -> bool:
        """Whether a hairline parts a row from the one above."""
        return not self.groups or self.groups[i] != self.groups[i - 1]


def row_height(n: int, usual: float) -> float:
    """Return the height of one of n rows, in points: less than usual where a page lacks room."""
    return max(min(usual, HIGHEST / n), LOWEST)


def rank_axis(last: int, length: float) -> ValueAxis:
    """Return the axis of ranks: ticks at whole ones, from the first to `last`."""
    gap = RANK_GAP * max(2, len(str(last)))
    ticks = rank_ticks(last, last * gap / length)
    return ValueAxis(0.5, last + 0.5, tuple(map(float, ticks)), tuple(map(str, ticks)))


def snap(y: float, width: float) -> float:
    """Return the place nearest to y at which a line of this width fills whole pixels.

    Examples
    --------
    >>> snap(10.0, 2 * PX), snap(10.0, PX)
    (9.75, 10.125)
    """
    is_odd = round(width / PX) % 2
    return (int(y / PX) + 0.5) * PX if is_odd else round(y / PX) * PX


@contextmanager
def link_artists(sheet: Sheet, names: Sequence[str], *places: Axes | PageArtist) -> Iterator[None]:
    """Link all that is drawn meanwhile to a candidate or a pair, but for what is linked already."""
    before = [{id(artist) for artist in axes.get_children()} for axes in places]
    yield
    for axes, old in zip(places, before, strict=True):
        for artist in axes.get_children():
            if id(artist) not in old and artist.get_gid() is None:
                sheet.link(artist, *names)


def draw_rows(plot: RowPlot, sheet: Sheet) -> None:
    """Draw a row plot on a sheet."""
    sheet.begin(plot.height)
    is_phone = sheet.is_phone
    size = plot.size or sheet.label
    cell_size = min(size, TICK)
    columns = _kept(plot, sheet, cell_size)
    right = sum(_width(c, cell_size, is_phone=is_phone) for c in columns)
    names, gutters = _names(plot, sheet, right, size)
    left = round(sum(gutters) / PX) * PX
    right += GAP if columns else PX
    page = sheet.page()
    axes = sheet.axes(left, FOOT, right, plot.above)
    axis = plot.fit(sheet.width - left - right, 34 if sheet.is_phone else 44)
    axis.apply(axes, "x")
    tops = plot.tops
    end = tops[-1] + plot.row
    axes.set(ylim=(end, 0), yticks=[])
    axes.spines["bottom"].set_visible(False)
    panel = Panel(sheet, axes, axis)
    _draw_ground(plot, panel, end)
    edges = list(_edges(sheet, columns, cell_size))
    _write_heads(plot, sheet, page, edges, panel)
    for i, top in enumerate(tops):
        middle = top + plot.row / 2
        if i and plot.is_parted(i):
            y = snap(plot.above + top - plot.gap / 2, DIVIDER)
            page.stroke([0, sheet.width], [y, y], color=sheet.colour("rule"), lw=DIVIDER, zorder=0)
        y, x = plot.above + middle, 0.0
        if not plot.is_of_candidates:
            plot.draw(panel, i, middle)
            words = {"va": "center_baseline", "fontsize": size}
            page.text(x, y, names[plot.rows[i][0]], **words)
            _write_cells(sheet, page, edges, cell_size, i, y)
            continue
        with link_artists(sheet, plot.rows[i], axes, page):
            plot.draw(panel, i, middle)
            for name, gutter in zip(plot.rows[i], gutters, strict=True):
                name_mark(sheet, page, x, y, name, names[name], size=size)
                x += gutter
            _write_cells(sheet, page, edges, cell_size, i, y)
    _write_title(plot, sheet, page, axis, left, right)


def _kept(plot: RowPlot, sheet: Sheet, size: float) -> list[RowColumn]:
    """Leave out columns that a phone has no room for, and spare ones for the axis."""
    # The names' widths are not known yet: short names leave a column more.
    is_phone = sheet.is_phone
    kept = [c for c in plot.columns if c.shown(is_phone=is_phone)]
    longest = max(
        (sum(_gutter(name, size) for name in row) for row in plot.rows), default=0.0
    )  # at most what the gutter may take
    gutter = min(longest, len(plot.rows[0]) * _widest(sheet))
    least = LEAST_PHONE_AXIS if sheet.is_phone else LEAST_AXIS
    while sum(_width(c, size, is_phone=is_phone) for c in kept) + gutter > sheet.width - least:
        spare = [c for c in kept if c.is_spare]
        if not spare:
            break
        kept.remove(spare[-1])
    return kept


def _gutter(name: str, size: float) -> float:
    return MARK_WIDTH + text_width(name, size) + GAP


def _widest(sheet: Sheet) -> float:
    return MARK_WIDTH + (PHONE_GUTTER if sheet.is_phone else GUTTER) + GAP


def _width(column: RowColumn, size: float, *, is_phone: bool) -> float:
    cells = (text_width(cell, size) for cell in column.shown(is_phone=is_phone))
    # words end at the edge of the sheet, and other programs set them a little wider
    return max(text_width(column.head, SMALL), *cells) + GAP + SLACK * column.is_left


def _names(
    plot: RowPlot, sheet: Sheet, right: float, size: float
) -> tuple[dict[str, str], list[float]]:
    """Return how names are written, and how wide the gutter of each column of names is."""
    least = LEAST_PHONE_AXIS if sheet.is_phone else LEAST_AXIS
    n = len(plot.rows[0])
    room = (sheet.width - right - GAP - least) / n - MARK_WIDTH - GAP
    widest = min(max(room, LEAST_NAME), PHONE_GUTTER if sheet.is_phone else GUTTER)
    names = shorten_names(
        list(dict.fromkeys(name for row in plot.rows for name in row)), widest, size
    )
    return names, [
        max(_gutter(names[name], size) for name in column)
        for column in zip(*plot.rows, strict=True)
    ]


def _draw_ground(plot: RowPlot, panel: Panel, end: float) -> None:
    """Draw what lies under the rows: band, hairlines or ticks, and the line at no difference."""
    sheet, axes, axis = panel.sheet, panel.axes, panel.axis
    if plot.band is not None:
        start, stop = (panel.snap(x, STROKE) for x in axis.drawn(sorted(plot.band)).tolist())
        axes.axvspan(start, stop, fc=sheet.colour("band"), ec="none", zorder=0)
    axes.tick_params(axis="x", length=0, pad=5.5, labelsize=SMALL)
    lowest, colour = (0.0, "rule") if plot.has_grid else (end, "axis")
    for tick in axis.ticks:
        panel.vline(tick, lowest, end + 3, colour, zorder=0)
    if plot.zero is not None:
        zero = float(axis.drawn([plot.zero])[0])
        panel.vline(zero, -3 if plot.band else 0, end + 3, "ink2", zorder=1)


def _write_heads(
    plot: RowPlot, sheet: Sheet, page: PageArtist, edges: list[Edge], panel: Panel
) -> None:
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    if plot.head:
        page.text(0, 7.5, plot.head, **style)
    for column, x, _ in edges:
        page.text(x, 7.5, column.head, ha="left" if column.is_left else "right", **style)
    words = plot.band_words
    if plot.band is None or not words:
        return
    ends = [(x, 0.0) for x in panel.axis.drawn(plot.band)]
    middle = float(panel.axes.transData.transform(ends)[:, 0].mean())
    box = panel.axes.get_position()
    half = text_width(words, SMALL) / 2
    x = min(max(middle, box.x0 * sheet.width + half), box.x1 * sheet.width - half)
    page.text(x, plot.above - 8, words, ha="center", **style)


Edge = tuple[RowColumn, float, tuple[str, ...]]


def _edges(sheet: Sheet, columns: list[RowColumn], size: float) -> Iterator[Edge]:
    """Go through the columns from the right: each, where its cells end or begin, and these."""
    x = sheet.width
    for column in reversed(columns):
        width = _width(column, size, is_phone=sheet.is_phone)
        edge = x - width + GAP if column.is_left else x
        yield column, edge, column.shown(is_phone=sheet.is_phone)
        x -= width


def _write_cells(
    sheet: Sheet, page: PageArtist, edges: list[Edge], size: float, i: int, y: float
) -> None:
    for column, x, cells in edges:
        is_strong = bool(column.is_strong) and column.is_strong[i]
        page.text(
            x, y, cells[i], ha="left" if column.is_left else "right", va="center_baseline",
            fontsize=size, color=sheet.colour("ink" if is_strong else "ink2"),
        )  # fmt: skip


def _write_title(
    plot: RowPlot, sheet: Sheet, page: PageArtist, axis: ValueAxis, left: float, right: float
) -> None:
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    style["va"] = "center_baseline"
    y = sheet.height - 6
    text = plot.title(axis, sheet.is_phone)
    room = sheet.width - left
    if plot.way:
        room -= text_width(plot.way, SMALL) + GAP
        end = sheet.width - right
        x = max(end, left + min(text_width(text, SMALL), room) + GAP + text_width(plot.way, SMALL))
        page.text(x, y, plot.way, ha="right", **style)
    page.text(left, y, shorten_text(text, room, SMALL), **style)
