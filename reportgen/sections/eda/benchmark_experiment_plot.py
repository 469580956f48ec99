"""The benchmark experiment plot (Eugster 2011, section 2.1.2): who takes which place, and how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np
from matplotlib.collections import LineCollection
from numpy.typing import NDArray

from reportgen.drawing import (
    HAIR,
    SMALL,
    TICK,
    Sheet,
    axis_words,
    fit_axis,
    fitted,
    make_key,
    plain,
    text_width,
)
from reportgen.notation import Scale, ordinal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.eda.result import MeasureExploration, Podium

ALL_PLACES = 12  # candidates up to which every place is shown
FIRST_PLACES, FIRST_PLACES_PHONE = 8, 5  # shown of more
PLACE, COLUMNS = 0.94, 0.8  # width of a place's ground and of its candidates, of 1
BARS = 54.0  # pt
DOTS_HEIGHT, PHONE_DOTS, COMPACT_DOTS = 216.0, 190.0, 100.0  # pt
LINES, DOTS = 1.7, 1.8  # above the axis, which would part them into two images


def n_places(n_candidates: int, *, is_phone: bool = False) -> int:
    """Return how many places are shown."""
    if n_candidates <= (8 if is_phone else ALL_PLACES):
        return n_candidates
    return FIRST_PLACES_PHONE if is_phone else FIRST_PLACES


def draw_podium(seen: MeasureExploration, podium: Podium, scale: Scale, sheet: Sheet) -> None:
    """Draw dots and lines by place, and under them how often each candidate takes it."""
    names = [s.candidate for s in seen.summary]
    places = n_places(len(names), is_phone=sheet.is_phone)
    ranks = podium.ranks[:, [seen.candidates.index(n) for n in names]]
    placed = [n for k, n in enumerate(names) if (ranks[:, k] <= places).any()]
    key = make_key(sheet, placed, sheet.width)
    top = key.height + 16
    height = top + _dots_height(sheet) + BARS + 28
    sheet.begin(height)
    values = scale.factor * _in_blocks(seen, podium, names)
    axis = fit_axis(
        np.where(ranks <= places, values, np.nan),
        height - top - BARS - 28,
        30,
        may_be_log=seen.measure.unit != "share",
        may_clip=True,
    )
    values = axis.drawn(values)
    left = max(text_width(label, TICK) for label in axis.labels) + 6
    dots = sheet.axes(left, BARS + 28, 0, top)
    bars = sheet.axes(left, 16, 0, height - 16 - BARS - 4)
    axis.apply(dots, "y")
    for axes in (dots, bars):
        _draw_places(sheet, axes, places)
    columns = (np.arange(len(names)) - (len(names) - 1) / 2) * COLUMNS / len(names)
    x = ranks + columns  # inside a place, candidates are in the order of the summary
    _draw_lines(sheet, dots, x, values, ranks, places)
    size = float(np.clip(22 / len(names), 1.8, 3.2))
    for k, name in enumerate(names):
        shown = ranks[:, k] <= places
        mark = sheet.mark(name, size) | {"alpha": 0.55 if len(x) > 60 else 0.8}
        dots.plot(x[shown, k], values[shown, k], **mark, clip_on=False, zorder=DOTS, **sheet.dense)
    if podium.example is not None:
        _draw_example(sheet, dots, x, values, ranks, places, podium, names)
    _draw_bars(sheet, bars, podium, names, columns, places)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    room = sheet.width - (0 if places == len(names) else 90)
    name = fitted(axis_words(seen.measure, axis, scale.unit), room, TICK)
    page.text(0, top - 8, name, fontsize=TICK, color=sheet.colour("ink2"), va="center")
    page.text(left - 4, height - 16 - BARS / 2, "count", fontsize=SMALL, rotation=90,
              color=sheet.colour("ink2"), ha="right", va="center")  # fmt: skip
    if places < len(names):
        rest = f"the first {places} of {len(names)} places"
        page.text(sheet.width, top - 8, rest, fontsize=SMALL, color=sheet.colour("ink2"),
                  ha="right", va="center")  # fmt: skip


def _dots_height(sheet: Sheet) -> float:
    """Return how high the dots' part is, in points."""
    return COMPACT_DOTS if sheet.is_compact else PHONE_DOTS if sheet.is_phone else DOTS_HEIGHT


def _in_blocks(seen: MeasureExploration, podium: Podium, names: list[str]) -> NDArray[np.float64]:
    """Return the values of the complete blocks, candidates in the order of the summary."""
    rows = np.isin(seen.replications, podium.replications)
    return seen.values[rows][:, [seen.candidates.index(n) for n in names]]


def _draw_places(sheet: Sheet, axes: Axes, places: int) -> None:
    for place in range(1, places + 1):
        axes.axvspan(
            place - PLACE / 2, place + PLACE / 2, fc=sheet.colour("band"), ec="none", zorder=0
        )
    axes.set(xlim=(0.5, places + 0.5), xticks=[])
    axes.spines["bottom"].set_visible(False)


def _draw_lines(
    sheet: Sheet,
    axes: Axes,
    x: NDArray[np.float64],
    values: NDArray[np.float64],
    ranks: NDArray[np.int64],
    places: int,
) -> None:
    """Join the dots of a replication by a thin line."""
    order = np.argsort(ranks, axis=1)[:, :places]
    points = np.stack(
        (np.take_along_axis(x, order, axis=1), np.take_along_axis(values, order, axis=1)), axis=2
    )
    alpha = float(np.clip(1.2 / np.sqrt(len(points)), 0.03, 0.4))
    lines = LineCollection(list(points), colors=sheet.colour("ink"), lw=0.5, alpha=alpha)
    lines.set(zorder=LINES, clip_on=False, **sheet.dense)
    axes.add_collection(lines)


def _draw_example(
    sheet: Sheet,
    axes: Axes,
    x: NDArray[np.float64],
    values: NDArray[np.float64],
    ranks: NDArray[np.int64],
    places: int,
    podium: Podium,
    names: list[str],
) -> None:
    """Draw one replication's line and dots so that they can be followed."""
    b = podium.example
    order = np.argsort(ranks[b])[:places]
    axes.plot(x[b, order], values[b, order], color=sheet.colour("ink"), lw=1.1, zorder=4)
    halo = {"marker": "o", "markersize": 8.5, "markeredgewidth": 0, "linestyle": "none"}
    halo["markerfacecolor"] = sheet.colour("band")
    for k in order:
        for mark in (halo, sheet.mark(names[k], 6.2)):
            axes.plot([x[b, k]], [values[b, k]], **cast("Any", mark), clip_on=False, zorder=5)
    text = f"replication {podium.replications[b]}"
    line = np.column_stack((x[b, order], values[b, order]))
    spot = _free_spot(axes, x, values, text, line)
    target = _nearest(axes, spot, line)
    axes.annotate(
        text, xy=tuple(target), xytext=spot, textcoords="axes fraction", fontsize=SMALL,
        ha="center", va="center", zorder=6,
        arrowprops={"arrowstyle": "-", "lw": HAIR, "color": sheet.colour("ink2"),
                    "shrinkA": 1, "shrinkB": 4},
    )  # fmt: skip


def _free_spot(
    axes: Axes,
    x: NDArray[np.float64],
    values: NDArray[np.float64],
    text: str,
    line: NDArray[np.float64],
) -> tuple[float, float]:
    """Return where in the axes, as fractions, a note near the line covers the fewest dots."""
    size = axes.get_window_extent()
    middles = axes.transData.transform((line[:-1] + line[1:]) / 2)
    along = np.linspace(0, 1, 30)[:, None, None]
    path = axes.transData.transform((line[:-1] + along * np.diff(line, axis=0)).reshape(-1, 2))
    points = axes.transData.transform(np.column_stack((x.ravel(), values.ravel())))
    points = np.concatenate((points, *[path] * 3))  # its own line counts most
    share = (points - [size.x0, size.y0]) / [size.width, size.height]
    half = (text_width(text, SMALL) / 2 + 4) / size.width, 9 / size.height
    best, least = (0.5, 0.95), np.inf
    for v in np.linspace(1 - half[1], half[1], 15):
        for u in np.linspace(half[0], 1 - half[0], 13):
            near = np.abs(share - [u, v]) < [1.2 * half[0], 1.5 * half[1]]
            here = [size.x0 + u * size.width, size.y0 + v * size.height]
            away = float(np.linalg.norm(middles - here, axis=1).min())
            cost = near.all(axis=1).sum() + (away - 30) ** 2 / 4000
            if cost < least:
                best, least = (float(u), float(v)), cost
    return best


def _nearest(
    axes: Axes, spot: tuple[float, float], line: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the middle of the example's segment that is nearest to its note."""
    middles = (line[:-1] + line[1:]) / 2
    here = axes.transAxes.transform(spot)
    gaps = np.linalg.norm(axes.transData.transform(middles) - here, axis=1)
    nearest: NDArray[np.float64] = middles[int(np.argmin(gaps))]
    return nearest


def _draw_bars(
    sheet: Sheet,
    axes: Axes,
    podium: Podium,
    names: list[str],
    columns: NDArray[np.float64],
    places: int,
) -> None:
    """Draw the counts; the most frequent candidate of a place is named."""
    counts = np.array([[p.get(n, 0) for n in names] for p in podium.places[:places]])
    width = COLUMNS / len(names) * 0.84
    for k, name in enumerate(names):
        at = np.flatnonzero(counts[:, k])
        axes.bar(at + 1 + columns[k], counts[at, k], width=width, color=sheet.ink(name), lw=0)
    highest = counts.max()
    axes.axhline(0, color=sheet.colour("axis"), lw=HAIR)
    axes.set(ylim=(0, highest * 1.28), yticks=[], xticks=range(1, places + 1))
    axes.set_xticklabels([_place_words(sheet, p + 1, places) for p in range(places)])
    axes.tick_params(axis="x", length=0)
    room = axes.get_window_extent().width / places * PLACE
    for place, row in enumerate(counts):
        k = int(np.argmax(row))
        text = _bar_words(sheet, names[k], int(row[k]), room)
        half = (text_width(text, SMALL) / 2) / (room / PLACE)
        x = float(np.clip(columns[k], half - PLACE / 2 + 0.03, PLACE / 2 - half - 0.03))
        axes.text(place + 1 + x, row[k] + 0.05 * highest, text, ha="center", va="bottom",
                  fontsize=SMALL)  # fmt: skip


def _place_words(sheet: Sheet, place: int, places: int) -> str:
    return ordinal(place) if sheet.is_phone or places > 8 else f"{ordinal(place)} place"


def _bar_words(sheet: Sheet, name: str, count: int, room: float) -> str:
    text = f"{plain(name)} {count}"
    return str(count) if sheet.is_phone or text_width(text, SMALL) > room - 4 else text
