"""Figures of the sensitivity: mean performances by level, decisions and widths by setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    DATA,
    HAIR,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    ValueAxis,
    alt_names,
    alt_text,
    axis_words,
    fit_axis,
    fitted,
    make_key,
    measure_words,
    plain,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale, scale, significant
from reportgen.report import Figure, Series
from reportgen.sections.sensitivity.analysis import label_of
from reportgen.sections.sensitivity.result import RESAMPLING, Factor

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from reportgen.sections.sensitivity.result import (
        Level,
        Sensitivity,
        SensitivityResult,
        SettingRow,
    )

MOST_PANELS = 12
MOST_CANDIDATES = 12
PANEL, TITLE, TICKS, LEVELS_BELOW, LEFT = 112.0, 15.0, 15.0, 17.0, 34.0  # pt
PANEL_GAP = 12.0  # pt between panels
DODGE = 0.35  # of the distance of two levels: how far candidates' marks stand apart


@dataclass(frozen=True, slots=True)
class Panel:
    """Settings that differ in the factor of the axis only.

    Attributes
    ----------
    label : str
        The levels of all else; "" where there is nothing else.
    rows : tuple of (position, SettingRow)
    """

    label: str
    rows: tuple[tuple[float, SettingRow], ...]


@dataclass(frozen=True, slots=True)
class Panels:
    """The panels of a figure, and what their axis shows."""

    factor: Factor
    panels: tuple[Panel, ...]
    n_left_out: int


def axis_factor(part: Sensitivity) -> Factor:
    """Return the factor of the axis: of those that are numbers the one with the most levels."""
    varied = [f for f in part.factors if len(f.levels) > 1] or list(part.factors)
    numeric = [f for f in varied if f.is_numeric]
    return max(numeric or varied, key=lambda f: (f.name != RESAMPLING, len(f.levels)))


def panels(part: Sensitivity) -> Panels:
    """Sort the settings into panels."""
    factor = axis_factor(part)
    parts: dict[str, list[tuple[float, SettingRow]]] = {}
    for row in part.settings:
        if factor.name in row.levels:
            rest = {n: x for n, x in row.levels.items() if n != factor.name}
            own = parts.setdefault(label_of(rest), [])
            own.append((_position(factor, row.levels[factor.name]), row))
    made = [Panel(label, tuple(rows)) for label, rows in parts.items()]
    return Panels(factor, tuple(made[:MOST_PANELS]), max(0, len(made) - MOST_PANELS))


def _position(factor: Factor, level: Level) -> float:
    return float(level) if factor.is_numeric else float(factor.levels.index(level))


def draw_levels(part: Sensitivity, found: Panels, at: Scale, sheet: Sheet) -> None:
    """Draw the panels on one scale, with a key of the candidates above."""
    n = len(found.panels)
    columns = min(n, 2 if sheet.is_phone else 3)
    lines = -(-n // columns)
    names = part.candidates[:MOST_CANDIDATES]
    key = make_key(sheet, names, sheet.width)
    head = TITLE if any(panel.label for panel in found.panels) else 4.0
    top = key.height + 18
    step = head + PANEL + TICKS
    sheet.begin(top + lines * step + LEVELS_BELOW)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    width = (sheet.width - LEFT - 8 - (columns - 1) * PANEL_GAP) / columns
    up = fit_axis(
        _values(part, found, at), PANEL, 24, may_be_log=part.measure.unit != "share", may_clip=True
    )
    along = _level_axis(found.factor, width)
    way = "smaller is better" if part.measure.is_smaller_better else "larger is better"
    words = f"{axis_words(part.measure, up, at.unit, before='mean ')}; {way}"
    style: dict[str, Any] = {
        "va": "center_baseline",
        "color": sheet.colour("ink2"),
        "fontsize": TICK,
    }
    page.text(0, key.height + 9, fitted(words, sheet.width, TICK), **style)
    for i, panel in enumerate(found.panels):
        left, above = LEFT + i % columns * (width + PANEL_GAP), top + i // columns * step
        below = sheet.height - above - head - PANEL
        axes = sheet.axes(left, below, sheet.width - left - width, above + head)
        up.apply(axes, "y")
        along.apply(axes, "x")
        axes.tick_params(labelleft=i % columns == 0, labelbottom=True, labelsize=SMALL, length=2)
        draw_lines(axes, [[(along.lower, t), (along.upper, t)] for t in up.ticks],
                   sheet.colour("rule"), HAIR, zorder=0)  # fmt: skip
        _draw_panel(part, panel, found.factor, up, at, sheet, axes)
        title = fitted(panel.label, width, SMALL, is_bold=True)
        page.text(left, above + 7, title, fontsize=SMALL, va="center_baseline", fontweight=600)
    page.text(LEFT, sheet.height - 7, fitted(plain(found.factor.name), sheet.width, TICK), **style)


def _values(part: Sensitivity, found: Panels, at: Scale) -> NDArray[np.float64]:
    """Return the means of a row's candidates and the ends of their intervals, NaN without one."""
    rows = [row for panel in found.panels for _, row in panel.rows]
    names = part.candidates
    means = np.array([[row.means.get(n, nan) for n in names] for row in rows])
    ends = np.array([[x for n in names for x in row.intervals.get(n, (nan, nan))] for row in rows])
    least, most = np.nanmin(means), np.nanmax(means)
    is_log = part.measure.unit != "share" and least > 0 and most / least > 100
    if is_log:  # an interval that reaches far below the means would leave them no room
        ends = np.where(ends > least / 10, ends, nan)
    elif least >= 0:  # no more can be below zero than an interval by a normal law
        ends = np.maximum(ends, 0.0)
    return at.factor * np.concatenate([means, ends], axis=1)


def _level_axis(factor: Factor, width: float) -> ValueAxis:
    """Return an axis with a tick at each level that has room for its name."""
    at = [_position(factor, level) for level in factor.levels]
    low, high = min(at), max(at)
    is_log = factor.is_numeric and low > 0 and high / low >= 20
    if is_log:
        lower, upper = low / (high / low) ** 0.1, high * (high / low) ** 0.1
    else:
        margin = 0.12 * (high - low or 1.0) if factor.is_numeric else 0.5
        lower, upper = low - margin, high + margin
    ticks: list[float] = []
    labels: list[str] = []
    edge = -1e9
    room = width / len(at) - 3
    for x, level in zip(at, factor.levels, strict=True):
        own = significant(float(level)) if not isinstance(level, str) else level
        text = own if factor.is_numeric else fitted(own, room, SMALL)
        place = _share(x, lower, upper, is_log=is_log) * width
        half = text_width(text, SMALL) / 2
        if place - half > edge + 3:
            ticks.append(x)
            labels.append(text)
            edge = place + half
    return ValueAxis(lower, upper, tuple(ticks), tuple(labels), is_log)


def _share(x: float, lower: float, upper: float, *, is_log: bool) -> float:
    from math import log

    if is_log:
        return log(x / lower) / log(upper / lower)
    return (x - lower) / (upper - lower)


def _draw_panel(
    part: Sensitivity,
    panel: Panel,
    factor: Factor,
    up: ValueAxis,
    at: Scale,
    sheet: Sheet,
    axes: Axes,
) -> None:
    names = part.candidates[:MOST_CANDIDATES]
    for k, name in enumerate(names):
        apart = 0.0
        if not factor.is_numeric and len(names) > 1:
            apart = DODGE * (k / (len(names) - 1) - 0.5) * 2
        own = [(x + apart, row) for x, row in panel.rows if name in row.means]
        means = up.drawn([at.factor * row.means[name] for _, row in own])
        points = [(x, y) for (x, _), y in zip(own, means.tolist(), strict=True)]
        bars = [
            [(x, y) for y in up.drawn([at.factor * y for y in row.intervals[name]]).tolist()]
            for x, row in own
            if name in row.intervals
        ]
        draw_lines(axes, bars, sheet.ink(name), THIN, zorder=2)
        if factor.is_numeric and len(points) > 1:
            draw_lines(axes, [points], sheet.ink(name), DATA, zorder=2, alpha=0.7)
        axes.plot([x for x, _ in points], [y for _, y in points], **sheet.mark(name, 4.6), zorder=3)


LINE, ABOVE, BELOW, GAP = 13.0, 17.0, 17.0, 26.0  # pt


def draw_power(part: Sensitivity, at: Scale, sheet: Sheet) -> None:
    """Draw a row a setting: a bar of the pairs that are decided, a mark at the half width."""
    rows = part.tested
    n = len(rows)
    sheet.begin(ABOVE + n * LINE + BELOW)
    page = sheet.page()
    labels = shortened([row.label for row in rows], sheet.width * 0.38, SMALL)
    left = max(text_width(text, SMALL) for text in labels.values()) + 10
    width = (sheet.width - left - GAP - 10) / 2
    bars = sheet.axes(left, BELOW, sheet.width - left - width, ABOVE)
    marks = sheet.axes(left + width + GAP, BELOW, 10, ABOVE)
    most = max(row.n_pairs or 0 for row in rows)
    widths = [np.nan if row.half_width is None else at.factor * row.half_width for row in rows]
    ends = np.array([[0.0], *([x] for x in widths)])
    axis = fit_axis(ends, width, 34, may_be_log=False, may_clip=True)
    axis.apply(marks, "x")
    step = max(1, -(-most // 5))
    bars.set(xlim=(0, most * 1.02))
    ticks = list(range(0, most + 1, step))
    bars.set_xticks(ticks, [str(t) for t in ticks])
    for axes, levels in ((bars, ticks), (marks, axis.ticks)):
        axes.set(ylim=(n - 0.5, -0.5), yticks=[])
        axes.tick_params(labelsize=SMALL, length=2)
        lines = [[(x, -0.5), (x, n - 0.5)] for x in levels]
        draw_lines(axes, lines, sheet.colour("rule"), HAIR, zorder=0)
    boxes = [(0.0, y - 0.3, float(row.n_distinguished or 0), 0.6) for y, row in enumerate(rows)]
    fill_boxes(bars, boxes, sheet.colour("ink2"), zorder=2)
    marks.plot(axis.drawn(widths), range(n), marker="o", markersize=4.5, linestyle="none", zorder=2,
               color=sheet.colour("ink2"))  # fmt: skip
    style: dict[str, Any] = {"va": "center_baseline", "color": sheet.colour("ink2")}
    for y, row in enumerate(rows):
        page.text(left - 6, ABOVE + (y + 0.5) * LINE, labels[row.label], ha="right", fontsize=SMALL,
                  va="center_baseline")  # fmt: skip
    unit = f" ({axis.unit(at.difference_unit)})" if axis.unit(at.difference_unit) else ""
    page.text(left, 7, f"pairs decided, of {most}", fontsize=TICK, **style)
    page.text(left + width + GAP, 7, f"half width{unit}", fontsize=TICK, **style)


MOST_SETTINGS = 60  # rows of the power view
MOST_FIGURES = 8  # beyond, only those of the main measure


def draw(result: SensitivityResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw, for every measure and data set, performances by level, and power by setting."""
    light = replace(canvas, detail="full", phone=True, dark=False, once=False)
    n = sum(len(parts) for parts in result.values())
    shown = list(result.items())[: 1 if 2 * n > MOST_FIGURES else None]
    return tuple(
        figure
        for _, parts in shown
        for i, part in enumerate(parts.values())
        for figure in _figures(part, i, light)
    )


def _figures(part: Sensitivity, i: int, canvas: Canvas) -> Iterator[Figure]:
    at = scale_of(part)
    yield from (_levels(part, i, canvas, at),)
    if len(part.tested) > 1 and len(part.settings) <= MOST_SETTINGS:
        yield _power(part, i, canvas, at)


def scale_of(part: Sensitivity) -> Scale:
    """Return how the values of all settings are written."""
    return scale(part.measure, part.all_means)


def numbered(name: str, i: int) -> str:
    """Return the name of what is drawn or laid out for the i-th data set."""
    return name if i == 0 else f"{name}-{i + 1}"


def _levels(part: Sensitivity, i: int, canvas: Canvas, at: Scale) -> Figure:
    columns = ("setting", *(f.name for f in part.factors), "candidate", "mean", "lower", "upper")
    rows = tuple(
        (
            row.label,
            *(row.levels.get(f.name) for f in part.factors),
            name,
            mean,
            *row.intervals.get(name, (None, None)),
        )
        for row in part.settings
        for name, mean in row.means.items()
    )
    names = alt_names(part.candidates)
    unit = f" in {at.unit}" if at.unit else ""
    head = f"Mean {measure_words(part.measure)}{unit} of {plain(part.base)} by setting. "
    full = [
        f"{plain(row.label)}: "
        + ", ".join(f"{names[n]} {at.value(x)}" for n, x in row.means.items())
        for row in part.settings
    ]
    brief = [f"{plain(row.label)}: best {', '.join(names[n] for n in row.best[:3])}"
             for row in part.settings if row.best]  # fmt: skip
    return canvas.figure(
        numbered("levels", i),
        part.measure.name,
        partial(draw_levels, part, panels(part), at),
        alt=alt_text(head + "; ".join(full) + ".", head + "; ".join(brief) + "."),
        data=Series(columns, rows),
    )


def _power(part: Sensitivity, i: int, canvas: Canvas, at: Scale) -> Figure:
    rows = tuple(
        (row.label, row.n_pairs, row.n_distinguished, row.half_width) for row in part.settings
    )
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    head = f"Pairs decided, and mean half width of their intervals{unit}, by setting. "
    full = [
        f"{plain(row.label)}: {row.n_distinguished} of {row.n_pairs}, {at.value(row.half_width)}"
        for row in part.tested
    ]
    return canvas.figure(
        numbered("power", i),
        part.measure.name,
        partial(draw_power, part, at),
        alt=alt_text(head + "; ".join(full) + "."),
        data=Series(("setting", "pairs", "distinguished", "half_width"), rows),
    )
