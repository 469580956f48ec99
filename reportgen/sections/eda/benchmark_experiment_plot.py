"""The benchmark experiment plot (Eugster 2011, section 2.1.2): who takes which place, and how."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from reportgen.drawing import (
    MARK_WIDTH,
    SMALL,
    TICK,
    Sheet,
    ValueAxis,
    axis_words,
    fit_axis,
    name_mark,
    plain,
    shorten_names,
    text_width,
)
from reportgen.drawing.axes import LOG_FROM, LOG_FROM_COMPARED
from reportgen.drawing.plots.rows import DIVIDER, PX, link_artists, snap
from reportgen.notation import NumberFormat, ordinal
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist
    from reportgen.sections.eda.result import MeasureExploration, Podium


ALL_PLACES, ALL_PLACES_PHONE = 12, 8  # candidates up to which every place is shown
FIRST_PLACES, FIRST_PLACES_PHONE = 8, 5  # shown of more
DOTS, PHONE_DOTS, SMALL_DOTS = 196 * PX, 196 * PX, 100 * PX  # pt: heights of the parts
BARS, SMALL_BARS = 62 * PX, 38 * PX
BETWEEN, BELOW = 4 * PX, 18 * PX  # pt: dots to bars; names of the places
PARTED = 6 * PX  # pt between places
KEY_LINE, KEY_GAP = 15 * PX, 12.0  # pt
MARK = 4.6 * PX  # pt: a mark, smaller where there is no room
FAINTEST, FAINT, STRONGEST = 0.035, 9.0, 0.14  # of lines: over the number of replications
OPACITY = 0.6


def n_places(n_candidates: int, *, is_phone: bool = False) -> int:
    """Return how many places are shown."""
    if n_candidates <= (ALL_PLACES_PHONE if is_phone else ALL_PLACES):
        return n_candidates
    return FIRST_PLACES_PHONE if is_phone else FIRST_PLACES


@dataclass(frozen=True)
class _Plot:
    """Where everything is; candidates stand in the order of the summary."""

    seen: MeasureExploration
    podium: Podium
    number_format: NumberFormat
    sheet: Sheet
    is_small: bool

    @cached_property
    def names(self) -> list[str]:
        return [s.candidate for s in self.seen.summary]

    @cached_property
    def n_places(self) -> int:
        return n_places(len(self.names), is_phone=self.sheet.is_phone)

    @cached_property
    def columns(self) -> list[int]:
        return [self.seen.candidates.index(name) for name in self.names]

    @cached_property
    def ranks(self) -> Array:
        """Shape (B, K): places in all replications; NaN in those without a complete block."""
        found = np.full(self.seen.values.shape, np.nan)
        found[np.isin(self.seen.replications, self.podium.replications)] = self.podium.ranks
        return found[:, self.columns]

    @cached_property
    def values(self) -> Array:
        """Shape (B, K): as they are written; NaN where no place is shown."""
        values = self.number_format.factor * self.seen.values[:, self.columns]
        return np.where(self.ranks <= self.n_places, values, np.nan)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Shape (places, K): how often a candidate takes a place."""
        places = self.podium.places[: self.n_places]
        return np.array([[p.get(n, 0) for n in self.names] for p in places], dtype=np.int64)

    @cached_property
    def placed(self) -> list[str]:
        """Those that take a place that is shown."""
        return [n for n, c in zip(self.names, self.counts.sum(axis=0), strict=True) if c]

    @cached_property
    def axis(self) -> ValueAxis:
        return fit_axis(
            self.values[np.isfinite(self.ranks).all(axis=1)],
            self.dots_height,
            26,
            may_be_log=self.seen.measure.unit_symbol != "share",
            log_from=LOG_FROM_COMPARED if self.seen.measure.is_compared_by_ratio else LOG_FROM,
            may_clip=True,
        )

    @property
    def dots_height(self) -> float:
        return SMALL_DOTS if self.is_small else PHONE_DOTS if self.sheet.is_phone else DOTS

    @property
    def bars_height(self) -> float:
        return SMALL_BARS if self.is_small else BARS

    @cached_property
    def left(self) -> float:
        widest = max(text_width(t, SMALL) for t in (*self.axis.labels, "count"))
        return round((widest + 5) / PX) * PX

    @cached_property
    def place_width(self) -> float:
        return (self.sheet.width - self.left) / self.n_places

    def slot(self, place: Any, k: int) -> Any:
        """Return where candidate k stands inside a place (from 1), in points."""
        room = (self.place_width - PARTED) / len(self.names)
        return (place - 1) * self.place_width + PARTED / 2 + (k + 0.5) * room


def draw_podium(
    seen: MeasureExploration,
    podium: Podium,
    number_format: NumberFormat,
    sheet: Sheet,
    *,
    is_small: bool = False,
) -> None:
    """Draw marks and lines by place, and under them how often each candidate takes it.

    `is_small`: whether it is that of one of several data sets.
    """
    plot = _Plot(seen, podium, number_format, sheet, is_small)
    unit = plot.axis.unit(number_format.unit_symbol)
    if not number_format.unit_symbol:
        unit = axis_words(seen.measure, plot.axis, "")
    key = _key(plot, max(plot.left, text_width(unit, SMALL) + KEY_GAP if unit else 0.0))
    top = key[-1][2] + KEY_LINE / 2 + 5 * PX
    bottom = top + plot.dots_height + BETWEEN + plot.bars_height
    is_whole = plot.n_places == len(plot.names)
    sheet.begin(bottom + BELOW + (0 if is_whole else KEY_LINE))
    page = sheet.page()
    _draw_grounds(plot, page, top, bottom)
    dots = sheet.axes(plot.left, sheet.height - top - plot.dots_height, 0, top)
    plot.axis.apply(dots, "y")
    dots.set(xlim=(0, sheet.width - plot.left), xticks=[])
    dots.spines["bottom"].set_visible(False)
    dots.tick_params(axis="y", length=3, width=DIVIDER, labelsize=SMALL, pad=1.5)
    _draw_lines(plot, dots)
    _draw_marks(plot, dots)
    _draw_bars(plot, page, bottom)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    page.text(0, KEY_LINE / 2, unit, **style)
    for name, x, y, text in key:
        with link_artists(sheet, (name,), page):
            name_mark(sheet, page, x, y, name, text, size=_key_size(sheet))
    if not is_whole:
        rest = f"the first {plot.n_places} of {len(plot.names)} places"
        page.text(sheet.width, sheet.height - 4.5, rest, ha="right", **style)


def _key_size(sheet: Sheet) -> float:
    return SMALL if sheet.is_phone else TICK


def _key(plot: _Plot, left: float) -> list[tuple[str, float, float, str]]:
    """Return where each candidate of the key stands, line by line."""
    size, x, y = _key_size(plot.sheet), left, KEY_LINE / 2
    texts = shorten_names(plot.placed, 76.0 if plot.sheet.is_phone else 112.0, size)
    found = []
    for name in plot.placed:
        width = MARK_WIDTH + text_width(texts[name], size)
        if x + width > plot.sheet.width and x > left:
            x, y = left, y + KEY_LINE
        found.append((name, x, y, texts[name]))
        x += width + KEY_GAP
    return found


def _draw_grounds(plot: _Plot, page: PageArtist, top: float, bottom: float) -> None:
    """Draw the ground of each place, its name under it and the line that the bars stand on."""
    sheet = plot.sheet
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    for place in range(plot.n_places):
        start = plot.left + place * plot.place_width
        x0, x1 = (
            round(x / PX) * PX for x in (start + PARTED / 2, start + plot.place_width - PARTED / 2)
        )
        page.fill([x0, x1, x1, x0], [top, top, bottom, bottom], color=sheet.colour("band"), lw=0,
                  zorder=0)  # fmt: skip
        words = ordinal(place + 1) + (" place" if not place and not sheet.is_phone else "")
        page.text(start + plot.place_width / 2, bottom + 7.5, words, ha="center", **style)
    y = snap(bottom, DIVIDER)
    page.plot([plot.left, sheet.width], [y, y], color=sheet.colour("axis"), lw=DIVIDER, zorder=4)
    page.text(plot.left - 4.5, bottom - 5, "count", ha="right", **style)


def _draw_lines(plot: _Plot, axes: Axes) -> None:
    """Join the marks of a replication by a thin line; empty where it has no places."""
    n = int(np.isfinite(plot.ranks).all(axis=1).sum())
    order = np.argsort(plot.ranks, axis=1)[:, : plot.n_places]
    x = np.column_stack([plot.slot(plot.ranks[:, k], k) for k in range(len(plot.names))])
    x[np.isnan(plot.values)] = np.nan
    values = plot.axis.drawn(plot.values)
    points = np.stack([np.take_along_axis(v, order, axis=1) for v in (x, values)], axis=2)
    lines = LineCollection(
        list(points), colors=plot.sheet.colour("ink"), lw=PX,
        alpha=round(float(np.clip(FAINT / n, FAINTEST, STRONGEST)), 3), zorder=1, clip_on=False,
        **plot.sheet.dense,
    )  # fmt: skip
    plot.sheet.link_replications(lines)
    axes.add_collection(lines, autolim=False)


def _draw_marks(plot: _Plot, axes: Axes) -> None:
    """Draw each candidate's marks, one a replication."""
    sheet = plot.sheet
    room = (plot.place_width - PARTED) / len(plot.names)
    size = float(np.clip(0.9 * room, 1.6, MARK))
    for k, name in enumerate(plot.names):
        values = plot.axis.drawn(plot.values[:, k])
        centres = np.column_stack((plot.slot(plot.ranks[:, k], k), values))
        centres[np.isnan(values)] = np.nan
        if np.isnan(values).all():
            continue
        look = sheet.styles[name]
        marks = axes.scatter(
            centres[:, 0], centres[:, 1], s=look.scaled(size) ** 2, marker=look.shape,
            c=sheet.colour(look.face), edgecolors=sheet.ink(name) if look.rim else "none",
            linewidths=look.rim * size / 6, alpha=OPACITY, zorder=2, clip_on=False,
            plotnonfinite=False, **sheet.dense,
        )  # fmt: skip
        sheet.link_replications(marks, name)


def _draw_bars(plot: _Plot, page: PageArtist, bottom: float) -> None:
    """Draw the counts, ties for each at the better place; the most frequent of a place is named."""
    sheet = plot.sheet
    highest = plot.counts.max()
    room = (plot.place_width - PARTED) / len(plot.names)
    width = max(round(0.78 * room / PX), 2) * PX
    most = plot.counts.argmax(axis=1)
    for k, name in enumerate(plot.names):
        with link_artists(sheet, (name,), page):
            for place in np.flatnonzero(plot.counts[:, k]).tolist():
                count = int(plot.counts[place, k])
                height = max(round(count / highest * (plot.bars_height - 13.5) / PX), 1) * PX
                middle = plot.left + float(plot.slot(place + 1, k))
                x0 = round((middle - width / 2) / PX) * PX
                top = bottom - height
                page.fill([x0, x0 + width, x0 + width, x0], [top, top, bottom, bottom],
                          color=sheet.ink(name), lw=0, zorder=3)  # fmt: skip
                if k == most[place]:
                    own = str(count)
                    _name_bar(plot, page, place, middle, top, f"{plain(name)} {own}", own)


def _name_bar(
    plot: _Plot, page: PageArtist, place: int, middle: float, top: float, text: str, count: str
) -> None:
    """Write name and count above a bar, or the count alone where there is no room."""
    if plot.sheet.is_phone or text_width(text, SMALL) > plot.place_width:
        text = count
    if not text:
        return
    half = text_width(text, SMALL) / 2
    start = plot.left + place * plot.place_width
    x = min(max(middle, start + half), start + plot.place_width - half)
    page.text(x, top - 5, text, ha="center", va="center", fontsize=SMALL, zorder=5)
