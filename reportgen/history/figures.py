"""Figures of a history: each candidate against the reference over runs, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import (
    SMALL,
    TICK,
    Canvas,
    Sheet,
    ValueAxis,
    axis_of_intervals,
    measure_words,
    name_mark,
    plain,
    shorten_text,
    text_width,
)
from reportgen.notation import NumberFormat, number_format, significant
from reportgen.report import Figure, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.history.result import History, HistoryRun, HistorySeries

MOST_FIGURES = 12  # data sets and measures; those with an alarm come first
MOST_PANELS = 8  # candidates
LEFT, RIGHT, TOP, TITLE, PANEL, TICKS, FOOT = 40.0, 6.0, 16.0, 14.0, 62.0, 8.0, 18.0  # pt


def draw(history: History, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw one figure a data set and measure, a panel a candidate."""
    return tuple(
        _figure(history, history.series_of(dataset, measure.name)[:MOST_PANELS], number, canvas)
        for number, (dataset, measure) in enumerate(history.scopes[:MOST_FIGURES])
    )


def _figure(history: History, own: Sequence[HistorySeries], number: int, canvas: Canvas) -> Figure:
    first = own[0]
    at = _format_of(own)
    rows = tuple(
        (
            s.candidate,
            s.reference,
            run + 1,
            history.runs[run].date,
            estimate,
            low,
            high,
            evidence,
            any(alarm.run == run for alarm in s.alarms),
        )
        for s in own
        for run, estimate, low, high, evidence in zip(
            s.runs, s.estimates, s.lower, s.upper, s.evidence, strict=True
        )
    )
    columns = ("candidate", "reference", "run", "date", "estimate", "lower", "upper", "evidence")
    latest = "; ".join(
        f"{plain(s.candidate)} {_write(s, s.estimates[-1], at)}"
        + (f", alarm after run {s.alarms[0].run + 1}" if s.alarms else "")
        for s in own
    )
    kind = "Ratio" if first.is_ratio else "Difference in"
    alt = (
        f"{kind} mean {measure_words(first.measure)} from {plain(first.reference)} over "
        f"{len(history.runs)} runs on {plain(first.dataset)}. The last one: {latest}."
    )
    return canvas.figure(
        f"history-{number + 1}",
        first.measure.name,
        partial(_draw, history.runs, own, at),
        alt=alt,
        data=Series((*columns, "is_alarm"), rows),
        n_marks=len(rows),
    )


def _format_of(own: Sequence[HistorySeries]) -> NumberFormat:
    return number_format(
        own[0].measure, [x for s in own for x in s.estimates], is_ratio=own[0].is_ratio
    )


def _write(series: HistorySeries, x: float, at: NumberFormat) -> str:
    return significant(x) if series.is_ratio else at.difference(x)


def _draw(
    runs: Sequence[HistoryRun], own: Sequence[HistorySeries], at: NumberFormat, sheet: Sheet
) -> None:
    """Draw a panel a candidate, one below the other, on one axis of runs."""
    step = TITLE + PANEL + TICKS
    sheet.begin(TOP + step * len(own) + FOOT)
    page = sheet.page()
    factor = 1.0 if own[0].is_ratio else at.factor
    unit = "" if own[0].is_ratio else at.difference_unit
    for i, series in enumerate(own):
        top = TOP + step * i
        up = _axis(series, factor)
        name_mark(sheet, page, LEFT, top + 6, series.candidate, _name(series, up, unit, sheet))
        axes = sheet.axes(LEFT, sheet.height - top - TITLE - PANEL, RIGHT, top + TITLE)
        up.apply(axes, "y")
        _draw_series(runs, series, factor, up, sheet, axes)
        axes.tick_params(labelbottom=i + 1 == len(own), labelsize=SMALL, length=2)
    kind = "ratio of means" if own[0].is_ratio else "difference in mean"
    words = kind if own[0].is_ratio else f"{kind} {measure_words(own[0].measure)}"
    head = f"{words}, candidate against {plain(own[0].reference)}"
    quiet = sheet.colour("ink2")
    page.text(0, 6, shorten_text(head, sheet.width, SMALL), fontsize=SMALL, color=quiet,
              va="center_baseline")  # fmt: skip
    page.text(sheet.width - RIGHT, sheet.height - 5, "run", fontsize=SMALL, color=quiet, ha="right",
              va="center_baseline")  # fmt: skip


def _name(series: HistorySeries, up: ValueAxis, unit: str, sheet: Sheet) -> str:
    """Return a candidate's name, with the unit of its axis."""
    name = shorten_text(series.candidate, sheet.width - LEFT - 110, TICK)
    return f"{name} ({up.unit(unit)})" if up.unit(unit) else name


def _axis(series: HistorySeries, factor: float) -> ValueAxis:
    """Fit the axis to all intervals and to equality."""
    rows = factor * np.array(
        [
            (x if low is None else low, x, x if high is None else high)
            for x, low, high in zip(series.estimates, series.lower, series.upper, strict=True)
        ]
    )
    marks = [1.0 if series.is_ratio else 0.0]
    shown = np.ones(len(rows), dtype=bool)
    return axis_of_intervals(rows, marks, PANEL, 20, is_shown=shown, is_ratio=series.is_ratio)


def _draw_series(
    runs: Sequence[HistoryRun],
    series: HistorySeries,
    factor: float,
    up: ValueAxis,
    sheet: Sheet,
    axes: Axes,
) -> None:
    """Draw estimates with intervals, versions that change, and alarms."""
    x = np.array(series.runs) + 1
    estimates = up.drawn(factor * np.array(series.estimates))
    quiet, ink = sheet.colour("axis"), sheet.ink(series.candidate)
    equal = float(up.drawn([1.0 if series.is_ratio else 0.0])[0])
    axes.axhline(equal, color=sheet.colour("ink2"), lw=0.6, zorder=1)
    for number, run in enumerate(runs, start=1):
        if run.changed:
            axes.axvline(number - 0.5, color=quiet, lw=0.6, ls=(0, (2, 2)), zorder=1)
    ends = (
        [e if end is None else end for e, end in zip(series.estimates, own, strict=True)]
        for own in (series.lower, series.upper)
    )
    lower, upper = (up.drawn(factor * np.array(own)) for own in ends)
    axes.vlines(x, lower, upper, color=ink, lw=1.1, zorder=2)
    axes.plot(x, estimates, zorder=3, clip_on=False, **sheet.mark(series.candidate, 4.5))
    for alarm in series.alarms:
        axes.axvline(alarm.run + 1, color=sheet.colour("ink"), lw=1.2, zorder=4)
        word = "alarm: better" if alarm.is_better else "alarm: worse"
        is_left = alarm.run + 1 > len(runs) / 2
        axes.annotate(word, (alarm.run + 1, 1), (2 if is_left else -2, 2),
                      xycoords=("data", "axes fraction"), textcoords="offset points",
                      ha="right" if is_left else "left", va="bottom", fontsize=SMALL,
                      color=sheet.colour("ink"))  # fmt: skip
    n = len(runs)
    axes.set_xlim(0.3, n + 0.7)
    count = max(1, int((sheet.width - LEFT) / (text_width(str(n), SMALL) + 26)))
    step = max(1, -(-n // count))
    axes.set_xticks(sorted({1, *range(step, n + 1, step)}))
