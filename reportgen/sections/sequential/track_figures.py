"""Tracks of few pairs: p-values against their random orders, and the mean difference."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.document import Figure, Series
from reportgen.drawing import (
    DATA,
    HAIR,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    alt_text,
    axis_of_intervals,
    fit_axis,
    fitted,
    measure_words,
    plain,
)
from reportgen.notation import Scale, scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.sequential.monitored import Monitored
    from reportgen.sections.sequential.result import Monitoring

LEAST_P = 1e-6  # smaller p-values are drawn at the lower edge
HEIGHT, HEAD, FOOT, LEFT, RIGHT, BETWEEN = 92.0, 18.0, 30.0, 40.0, 6.0, 46.0  # pt


def tracks_figure(monitoring: Monitoring, canvas: Canvas) -> Figure:
    """Draw one row a pair: p-values at the left, the mean difference or ratio at the right."""
    at = scale(monitoring.measure, monitoring.differences, is_ratio=monitoring.is_ratio)
    return canvas.figure(
        "tracks",
        monitoring.measure.name,
        partial(_draw, monitoring, at),
        alt=_alt(monitoring, at),
        data=_data(monitoring),
    )


def _data(monitoring: Monitoring) -> Series:
    rows = []
    for pair in monitoring.pairs:
        means = dict(zip(*_sequence(pair), strict=True)) if pair.anytime else {}
        for n, p, statistic, effect in zip(
            pair.replication, pair.p_values, pair.statistics, pair.effects, strict=True
        ):
            bounds = means.get(n, (None, None, None))
            rows.append((pair.first, pair.second, n, p, statistic, effect, *bounds))
    columns = ("first", "second", "replication", "p_value", "statistic", "effect")
    estimate = "ratio" if monitoring.is_ratio else "mean_difference"
    return Series((*columns, estimate, "lower", "upper"), tuple(rows))


def _sequence(pair: Monitored) -> tuple[tuple[int, ...], list[tuple[float, float, float]]]:
    a = pair.anytime
    return (a.replication, list(zip(a.means, a.lower, a.upper, strict=True))) if a else ((), [])


def _alt(monitoring: Monitoring, at: Scale) -> str:
    unit = f" {at.difference_unit}" if at.difference_unit else ""
    joint, estimate = (
        ("over", "ratio of geometric means") if at.is_ratio else ("less", "mean difference")
    )
    told = []
    for pair in monitoring.pairs:
        text = (
            f"{plain(pair.first or '')} {joint} {plain(pair.second or '')}: p-value "
            f"{pair.p_values[0]:.3g} after {pair.replication[0]} replications, "
            f"{pair.p_values[-1]:.3g} after {pair.replication[-1]}"
        )
        interval = pair.anytime.sequence_interval if pair.anytime else None
        if interval:
            text += f"; {estimate} at the end within {at.difference_interval(*interval)}{unit}"
        told.append(text)
    words = measure_words(monitoring.measure)
    what = estimate.replace("ratio", "ratios").replace("difference", "differences")
    return alt_text(f"Tracks of p-values and {what} of {words}. {'; '.join(told)}.")


def _draw(monitoring: Monitoring, at: Scale, sheet: Sheet) -> None:
    n = len(monitoring.pairs)
    across = 1 if sheet.is_phone else 2
    panel = HEAD + HEIGHT + FOOT
    sheet.begin(panel * n * (2 // across))
    page = sheet.page()
    for i, pair in enumerate(monitoring.pairs):
        for j, paint in enumerate((_draw_p, _draw_mean)):
            line = i if across == 2 else 2 * i + j
            width = (sheet.width - BETWEEN * (across - 1)) / across
            left = j * (width + BETWEEN) if across == 2 else 0.0
            top = line * panel
            axes = sheet.axes(
                left + LEFT, sheet.height - top - HEAD - HEIGHT,
                sheet.width - left - width + RIGHT, top + HEAD,
            )  # fmt: skip
            title = paint(monitoring, pair, at, axes, sheet, width - LEFT - RIGHT)
            axis = fit_axis([0.0, float(monitoring.n_replications)], width - LEFT - RIGHT, 34)
            axis.apply(axes, "x")
            page.text(
                left, top + 8, fitted(title, width, TICK), fontsize=TICK, va="center_baseline"
            )
            page.text(
                left + LEFT, top + HEAD + HEIGHT + FOOT - 8, "replications", fontsize=SMALL,
                color=sheet.colour("ink2"), va="center_baseline",
            )  # fmt: skip


def _draw_p(
    monitoring: Monitoring, pair: Monitored, at: Scale, axes: Axes, sheet: Sheet, width: float
) -> str:
    """Draw the p-value track on a log scale, its band and the level."""
    axes.set(yscale="log", ylim=(LEAST_P / 1.6, 1.6))
    axes.yaxis.set_ticks([1, 0.05, 1e-2, 1e-4, 1e-6], ["1", "0.05", "", "1e−4", "1e−6"])
    axes.yaxis.set_ticks([], minor=True)
    for end in monitoring.ends:
        axes.axvline(end, color=sheet.colour("rule"), lw=HAIR, zorder=0)
    orders = pair.random_orders
    if orders:
        low, high = (np.maximum(row, LEAST_P) for row in (orders.lower, orders.upper))
        axes.fill_between(orders.replication, low, high, fc=sheet.colour("band"), ec="none")
        axes.plot(
            orders.replication, np.maximum(orders.median, LEAST_P), color=sheet.colour("ghost"),
            lw=THIN, ls=(0, (3, 2)),
        )  # fmt: skip
    axes.axhline(monitoring.alpha, color=sheet.colour("ink2"), lw=HAIR)
    axes.plot(
        pair.replication, np.maximum(pair.p_values, LEAST_P), color=sheet.colour("ink"), lw=DATA
    )
    point = pair.point_of_consecutive_significance
    if point:
        axes.plot([point], [monitoring.alpha], "o", ms=4, mfc=sheet.colour("ink"), mew=0)
    return f"p-value, {plain(pair.first or '')} and {plain(pair.second or '')}"


def _draw_mean(
    monitoring: Monitoring, pair: Monitored, at: Scale, axes: Axes, sheet: Sheet, width: float
) -> str:
    """Draw the mean difference or ratio, its confidence sequence, equality and the area."""
    sign = "/" if at.is_ratio else "−"
    title = f"{plain(pair.first or '')} {sign} {plain(pair.second or '')}"
    a = pair.anytime
    if a is None or not a.replication:
        axes.set(ylim=(-1, 1), yticks=[])
        return title
    factor, zero = 1.0 if at.is_ratio else at.factor, monitoring.no_difference
    rows = factor * np.array([a.lower, a.means, a.upper]).T
    area = [factor * x for x in monitoring.relevance or ()]
    every = np.ones(len(rows), dtype=np.bool_)
    axis = axis_of_intervals(rows, [zero, *area], HEIGHT, 22, is_shown=every, is_ratio=at.is_ratio)
    axis.apply(axes, "y")
    if area:
        shaded = axis.drawn(area)
        axes.axhspan(*shaded.tolist(), fc=sheet.colour("band"), ec="none", zorder=0)
    axes.axhline(float(axis.drawn([zero])[0]), lw=HAIR, color=sheet.colour("ink2"))
    lower, means, upper = axis.drawn(rows).T
    axes.plot(a.replication, means, color=sheet.colour("ink"), lw=DATA)
    for row in (lower, upper):
        axes.plot(a.replication, row, color=sheet.colour("ink"), lw=THIN, ls=(0, (3, 2)))
    unit = axis.unit(at.difference_unit)
    return f"{title} ({unit})" if unit else title
