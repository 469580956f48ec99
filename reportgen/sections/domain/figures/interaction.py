"""How hard data sets are, and whom they suit: levels at the left, departures at the right."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.drawing import (
    SMALL,
    THIN,
    TICK,
    Sheet,
    ValueAxis,
    axis_words,
    fit_axis,
    shorten_names,
    shorten_text,
    text_width,
)
from reportgen.drawing.plots.rows import PX
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import NumberFormat

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.drawing.page import PageArtist
    from reportgen.sections.domain.result import DomainResult
    from reportgen.sections.domain.suitability import Interaction

ROW, COLUMN, NARROW = 17 * PX, 33 * PX, 29 * PX
LARGEST, LEAST = 15 * PX, 1.5 * PX  # sides of the squares
HIGHEST = 500.0  # pt of all rows together: a heading and its text stand above them on a page
HEAD, FOOT, MARKS = 40 * PX, 38 * PX, 16 * PX
LEAST_PANE = 60.0  # pt of the left pane: a legend that leaves it less stands below both
SPACE = 16.0  # pt between the panes
LINES = 28.0  # pt of a legend below both
KEY = 14.0  # pt of a square of the legend and the space beside it
TALLEST = 60.0  # pt of a name that is written upwards


@dataclass(frozen=True, slots=True)
class Shown:
    """What the figure shows of a domain."""

    datasets: tuple[str, ...]  # the easiest first
    candidates: tuple[str, ...]  # the best mean first


def shown(result: DomainResult, interaction: Interaction) -> Shown:
    """Return the data sets and candidates of the figure: of many those that depart most."""

    def size(values: list[float]) -> float:
        return max((interaction.size(x) for x in values), default=0.0)

    n_datasets, n_candidates = result.n_departing
    kept = set(interaction.most_departing(n_datasets))
    verdict = result.verdict.get(result.main)
    order = verdict.order if verdict else result.candidates
    by_candidate = {
        n: size([own[n] for own in interaction.departures.values() if n in own]) for n in order
    }
    some = set(sorted(by_candidate, key=lambda n: -by_candidate[n])[:n_candidates])
    return Shown(
        tuple(d for d in interaction.levels if d in kept), tuple(n for n in order if n in some)
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the panes are, in points."""

    labels: Mapping[str, str]
    gutter: float
    pane: float
    squares: float
    column: float
    top: float
    foot: float
    row: float


def _lay_out(sheet: Sheet, what: Shown, legend: tuple[str, str]) -> _Place:
    size = SMALL if sheet.is_phone else TICK
    labels = shorten_names(what.datasets, 56 if sheet.is_phone else 120, size)
    gutter = max(text_width(text, size) for text in labels.values()) + 6
    room = sheet.width - gutter
    column = min(NARROW if sheet.is_phone else COLUMN, 0.62 * room / len(what.candidates))
    wide = column * len(what.candidates)
    beside = max(wide, max(text_width(t, SMALL) for t in legend) + KEY)
    is_beside = room - beside - SPACE >= LEAST_PANE
    wide = beside if is_beside else wide
    pane = room - wide - SPACE
    squares = sheet.width - wide
    upright = max(text_width(n, SMALL) for n in what.candidates) <= column - 2
    longest = max(
        text_width(t, SMALL) for t in shorten_names(what.candidates, TALLEST, SMALL).values()
    )
    top = HEAD if upright else MARKS + longest + 6
    foot = FOOT if is_beside else FOOT + LINES
    row = min(ROW, HIGHEST / len(what.datasets))
    return _Place(labels, gutter, pane, squares, column, top, foot, row)


def draw_interaction(
    result: DomainResult, interaction: Interaction, what: Shown, at: NumberFormat, sheet: Sheet
) -> None:
    """Draw one row a data set, the easiest first."""
    legend = ("better than expected", f"worse; the largest: {size_words(interaction, at)}")
    place = _lay_out(sheet, what, legend)
    below = place.top + place.row * len(what.datasets)
    sheet.begin(below + place.foot)
    page = sheet.page()
    rules = [[(0, y), (sheet.width, y)] for y in _edges(place, what)]
    draw_lines(page, rules, sheet.colour("rule"), THIN, zorder=0)
    style: dict[str, Any] = {"va": "center_baseline", "fontsize": SMALL if sheet.is_phone else TICK}
    for y, name in zip(_middles(place, what), what.datasets, strict=True):
        sheet.link_datasets(page.text(0, y, place.labels[name], **style), [name])
    _draw_levels(sheet, page, result, interaction, what, place, at)
    _write_heads(sheet, page, what, place)
    _draw_squares(sheet, page, interaction, what, place)
    _write_legend(sheet, page, place, legend, below)


def _edges(place: _Place, what: Shown) -> list[float]:
    return [place.top + i * place.row for i in range(1, len(what.datasets))]


def _middles(place: _Place, what: Shown) -> list[float]:
    return [place.top + (i + 0.5) * place.row for i in range(len(what.datasets))]


def _draw_levels(
    sheet: Sheet,
    page: PageArtist,
    result: DomainResult,
    interaction: Interaction,
    what: Shown,
    place: _Place,
    at: NumberFormat,
) -> None:
    """Draw the candidates' means on each data set, and their level."""
    means = {row.name: row.means for row in result.rows}
    rows = [
        [interaction.levels[d], *(means[d].get(n, np.nan) for n in what.candidates)]
        for d in what.datasets
    ]
    is_log = interaction.scale == "ratio"
    values = at.factor * np.array(rows)
    axis = fit_axis(values, place.pane, 50, may_be_log=is_log, may_clip=True)
    x = _along(axis, place.gutter, place.pane)
    middles = _middles(place, what)
    bottom = place.top + place.row * len(what.datasets)
    ticks = [[(x(tick), place.top - 2), (x(tick), bottom)] for tick in axis.ticks]
    draw_lines(page, ticks, sheet.colour("rule"), THIN, zorder=0)
    style: dict[str, Any] = {"va": "center_baseline", "fontsize": SMALL}
    for tick, label in zip(axis.ticks, axis.labels, strict=True):
        page.text(x(tick), bottom + 8, label, ha="center", color=sheet.colour("ink2"), **style)
    for k, name in enumerate(what.candidates, 1):
        known = np.isfinite(values[:, k])
        xs = [x(v) for v in axis.drawn(values[known, k])]
        ys = [y for y, ok in zip(middles, known, strict=True) if ok]
        marks = page.plot(xs, ys, **sheet.mark(name, 6.4 * PX), zorder=2, alpha=0.85)
        sheet.link(marks[0], name)
    levels = [x(v) for v in axis.drawn(values[:, 0])]
    reach = min(6 * PX, 0.4 * place.row)
    bars = [[(v, y - reach), (v, y + reach)] for v, y in zip(levels, middles, strict=True)]
    draw_lines(page, bars, sheet.colour("ink"), 2 * PX, zorder=3, capstyle="butt")
    words = axis_words(result.main_measure, axis, at.unit_symbol, before=result.of_mean)
    texts = (f"{words} of a candidate; bar: their mean", words)
    end = place.gutter + place.pane + 10 if place.foot == FOOT else sheet.width
    text = next((t for t in texts if text_width(t, SMALL) <= end - place.gutter), texts[-1])
    text = shorten_text(text, end, SMALL)
    left = max(0.0, min(place.gutter, end - text_width(text, SMALL)))
    page.text(left, bottom + FOOT - 9, text, color=sheet.colour("ink2"), **style)


def _along(axis: ValueAxis, left: float, length: float) -> Any:
    """Return the function from a value, in the axis' unit, to its place on the page."""

    def ratio(value: float) -> float:
        if axis.is_log:
            ends = np.log([axis.lower, axis.upper])
            return float((np.log(value) - ends[0]) / (ends[1] - ends[0]))
        return float((value - axis.lower) / (axis.upper - axis.lower))

    return lambda value: left + length * ratio(value)


def _write_heads(sheet: Sheet, page: PageArtist, what: Shown, place: _Place) -> None:
    """Write the candidates above their columns; long names upwards."""
    upright = place.top <= HEAD
    texts = shorten_names(what.candidates, place.column - 2 if upright else TALLEST, SMALL)
    for j, name in enumerate(what.candidates):
        x = place.squares + (j + 0.5) * place.column
        y = 11 * PX if upright else place.top - MARKS / 2 - 1
        sheet.link(page.plot([x], [y], **sheet.mark(name, 8 * PX))[0], name)
        style: dict[str, Any] = {"ha": "center", "fontsize": SMALL}
        if upright:
            words = page.text(x, 26 * PX, texts[name], va="center_baseline", **style)
        else:
            words = page.text(x, y - 7, texts[name], va="bottom", rotation=90, **style)
        sheet.link(words, name)


def _draw_squares(
    sheet: Sheet, page: PageArtist, interaction: Interaction, what: Shown, place: _Place
) -> None:
    """Draw departures as areas: filled where the candidate is better than expected."""
    most, sides = interaction.largest, min(LARGEST, place.column - 2, place.row - 1.5)
    for j, name in enumerate(what.candidates):
        x = place.squares + (j + 0.5) * place.column
        full, open_, gaps = [], [], []
        for y, dataset in zip(_middles(place, what), what.datasets, strict=True):
            own = interaction.departures[dataset]
            if name not in own:
                gaps.append([(x - 2, y), (x + 2, y)])
                continue
            share = interaction.size(own[name]) / most if most else 0.0
            side = max(LEAST, sides * sqrt(share))
            if interaction.is_better(own[name]):
                full.append((x - side / 2, y - side / 2, side, side))
            else:
                inner = max(side - PX, 0.45)
                open_.append((x - inner / 2, y - inner / 2, inner, inner))
        sheet.link(fill_boxes(page, full, sheet.colour("ink"), zorder=2), name)
        rim = {"edgecolor": sheet.colour("ink"), "lw": PX, "zorder": 2}
        sheet.link(fill_boxes(page, open_, sheet.colour("paper"), **rim), name)
        draw_lines(page, gaps, sheet.colour("axis"), THIN)


def _write_legend(
    sheet: Sheet, page: PageArtist, place: _Place, texts: tuple[str, str], below: float
) -> None:
    """Say below the squares what filled and open ones are, and how large the largest is."""
    style: dict[str, Any] = {
        "va": "center_baseline",
        "fontsize": SMALL,
        "color": sheet.colour("ink2"),
    }
    left = max(
        0.0, min(place.squares + 2, sheet.width - max(text_width(t, SMALL) for t in texts) - KEY)
    )
    first = below + place.foot - FOOT + 9
    second = first + 12
    fill_boxes(page, [(left, first - 3.4, 6.8, 6.8)], sheet.colour("ink"))
    rim = {"edgecolor": sheet.colour("ink"), "lw": PX}
    fill_boxes(page, [(left + 0.4, second - 3, 6, 6)], sheet.colour("paper"), **rim)
    for y, text in zip((first, second), texts, strict=True):
        page.text(left + 10.5, y, text, **style)


def size_words(interaction: Interaction, at: NumberFormat) -> str:
    """Write the size of the largest departure."""
    _, _, peak = interaction.peak
    if interaction.scale == "ratio":
        factor = NumberFormat(1.0, "", "", 2, is_ratio=True).difference(max(peak, 1 / peak))
        return f"a factor of {factor}"
    return f"{at.value(abs(peak))} {at.difference_unit}".strip()
