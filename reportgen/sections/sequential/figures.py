"""Figures of the monitoring: significance and decisions of all pairs, tracks of few pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    DATA,
    HAIR,
    HEAVY,
    MARK_WIDTH,
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
    name_mark,
    plain,
    shortened,
    text_width,
)
from reportgen.notation import Scale, scale
from reportgen.report import Figure, Series
from reportgen.sections.sequential.result import DIRECTIONS
from reportgen.sections.sequential.tables import BRIEF, stages_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.sequential.result import Monitored, Monitoring, SequentialResult

LEAST_P = 1e-6  # smaller p-values are drawn at the lower edge
HEIGHT, HEAD, FOOT, LEFT, RIGHT, BETWEEN = 92.0, 18.0, 30.0, 40.0, 6.0, 46.0  # pt


def tracks_figure(monitoring: Monitoring, canvas: Canvas) -> Figure:
    """Draw one row a pair: p-values at the left, the mean difference or ratio at the right."""
    at = scale(monitoring.measure, monitoring.differences, is_ratio=monitoring.is_ratio)
    return canvas.figure(
        "tracks",
        monitoring.measure.name,
        partial(_draw_tracks, monitoring, at),
        alt=_track_alt(monitoring, at),
        data=_track_data(monitoring),
    )


def _track_data(monitoring: Monitoring) -> Series:
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


def _track_alt(monitoring: Monitoring, at: Scale) -> str:
    unit = f" {at.difference_unit}" if at.difference_unit else ""
    joint, estimate = (
        ("over", "ratio of geometric means") if at.is_ratio else ("less", "mean difference")
    )
    texts = []
    for pair in monitoring.pairs:
        text = (
            f"{plain(pair.first or '')} {joint} {plain(pair.second or '')}: p-value "
            f"{pair.p_values[0]:.3g} after {pair.replication[0]} replications, "
            f"{pair.p_values[-1]:.3g} after {pair.replication[-1]}"
        )
        interval = pair.anytime.sequence_interval if pair.anytime else None
        if interval:
            text += f"; {estimate} at the end within {at.difference_interval(*interval)}{unit}"
        texts.append(text)
    words = measure_words(monitoring.measure)
    what = estimate.replace("ratio", "ratios").replace("difference", "differences")
    return alt_text(f"Tracks of p-values and {what} of {words}. {'; '.join(texts)}.")


def _draw_tracks(monitoring: Monitoring, at: Scale, sheet: Sheet) -> None:
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


MOST_ROWS = 45  # pairs that are drawn; beyond, those with the largest differences
MOST_TRACKED = 3  # pairs up to which their tracks are drawn
ABOVE, BELOW = 18.0, 32.0  # pt: heads of the columns; axis and its name
GAP = 12.0  # pt between columns


def draw(result: SequentialResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the course of every measure's pairs, and the tracks of few pairs.

    A compact page has the course only where the execution itself went by stages.
    """
    found = [m for m in result.values() if m.pairs]
    shown = [m for m in found if m.run][:1] if canvas.is_compact else found
    figures = []
    for monitoring in shown:
        figures.append(_draw_pairs(monitoring, canvas))
        if not canvas.is_compact and len(monitoring.pairs) <= MOST_TRACKED:
            figures.append(tracks_figure(monitoring, canvas))
    return tuple(figures)


@dataclass(frozen=True, slots=True)
class Row:
    """One pair as it is drawn: the better candidate first."""

    first: str
    second: str
    entry: Monitored
    words: str


def drawn_rows(monitoring: Monitoring) -> tuple[Row, ...]:
    """Return the pairs that are drawn, the largest difference first."""
    pairs = monitoring.by_advantage[:MOST_ROWS]
    return tuple(Row(*monitoring.leads(p), p, stages_words(monitoring, p)) for p in pairs)


def _runs(entry: Monitored) -> list[tuple[int, int]]:
    """Return the stretches of looks at which the test is significant."""
    runs: list[tuple[int, int]] = []
    begin: int | None = None
    for n, p in zip(entry.replication, entry.p_values, strict=True):
        if p <= entry.alpha:
            begin = n if begin is None else begin
            end = n
        elif begin is not None:
            runs.append((begin, end))
            begin = None
    return runs if begin is None else [*runs, (begin, end)]


def _draw_pairs(monitoring: Monitoring, canvas: Canvas) -> Figure:
    rows = drawn_rows(monitoring)
    return canvas.figure(
        "course",
        monitoring.measure.name,
        partial(_draw, monitoring, rows),
        alt=_alt(monitoring, rows),
        data=_data(rows),
    )


def _data(rows: Sequence[Row]) -> Series:
    columns = (
        "first", "second", "significant_from", "significant_to",
        "point_of_consecutive_significance", "stable_from", "verdict", "decided_at",
    )  # fmt: skip
    cells = []
    for row in rows:
        e = row.entry
        stable = e.random_orders.stable_from if e.random_orders else None
        tail = (e.point_of_consecutive_significance, stable, row.words, e.decided_at)
        runs: list[tuple[int | None, int | None]] = [*_runs(e)] or [(None, None)]
        cells += [(row.first, row.second, *run, *tail) for run in runs]
    return Series(columns, tuple(cells))


def _alt(monitoring: Monitoring, rows: Sequence[Row]) -> str:
    head = (
        f"For each pair of candidates, from which of {monitoring.n_replications} replications on "
        f"the test of {measure_words(monitoring.measure)} is significant, and after which stage "
        "the sequential test decides. "
    )
    full, brief = [], []
    for row in rows:
        point = row.entry.point_of_consecutive_significance
        since = f"significant from {point} on" if point else "not significant at the end"
        at = f" after {row.entry.decided_at}" if row.entry.decided_at else ""
        names = f"{plain(row.first)} and {plain(row.second)}"
        full.append(f"{names}: {since}, {row.words}{at}")
        brief.append(f"{names}: {row.words}{at}")
    return alt_text(*(head + "; ".join(parts) + "." for parts in (full, brief)))


# --------------------------------------------------------------------------------- drawing


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns are, in points."""

    row: float
    size: float
    names: dict[str, str]
    second: float
    left: float
    right: float
    words: tuple[str, ...]


def _lay_out(rows: Sequence[Row], sheet: Sheet) -> Layout:
    height = float(np.clip(620 / len(rows), 9.4, 9.6 if sheet.is_compact else 15.5))
    size = SMALL if height < 11 or sheet.is_phone else TICK
    words = tuple(_verdict_words(row, sheet) for row in rows)
    right = GAP + max(text_width(text, size) for text in (*words, "by stages")) + 2
    room = (sheet.width - right - (80 if sheet.is_phone else 150)) / 2 - MARK_WIDTH - GAP
    every = tuple(dict.fromkeys(n for row in rows for n in (row.first, row.second)))
    names = shortened(every, max(room, 34.0), size)
    first, second = (
        max(text_width(names[name], size) for name in column) + MARK_WIDTH + GAP
        for column in zip(*((r.first, r.second) for r in rows), strict=True)
    )
    return Layout(height, size, names, first, first + second, right, words)


def _verdict_words(row: Row, sheet: Sheet) -> str:
    words = BRIEF.get(row.words, row.words) if sheet.is_phone else row.words
    at = row.entry.decided_at
    if at is None:
        return words
    return f"{words}, {at}" if sheet.is_phone else f"{words} after {at}"


def _draw(monitoring: Monitoring, rows: Sequence[Row], sheet: Sheet) -> None:
    place = _lay_out(rows, sheet)
    sheet.begin(len(rows) * place.row + ABOVE + BELOW)
    axes = sheet.axes(place.left, BELOW, place.right, ABOVE)
    last = monitoring.n_replications
    axis = fit_axis([0.0, float(last)], sheet.width - place.left - place.right, 34)
    axis.apply(axes, "x")
    axes.set(ylim=(len(rows) - 0.5, -0.5), yticks=[])
    for end in monitoring.ends:
        axes.axvline(end, color=sheet.colour("rule"), lw=THIN, zorder=0)
    for y, row in enumerate(rows):
        _draw_row(sheet, axes, y, row.entry)
    page = sheet.page()
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    page.text(0, 7, "first", **style)
    page.text(place.second, 7, "second", **style)
    page.text(sheet.width - place.right + GAP, 7, "by stages", **style)
    _key(sheet, page, place.left, sheet.height - 7)
    for y, row in enumerate(rows):
        _write_row(sheet, page, place, ABOVE + (y + 0.5) * place.row, y, row)


def _draw_row(sheet: Sheet, axes: Axes, y: int, entry: Monitored) -> None:
    """Draw the looks as a line, heavy where significant, and what is known since when."""
    ink, paper = sheet.colour("ink"), sheet.colour("paper")
    axes.plot(
        [entry.replication[0], entry.replication[-1]], [y, y],
        color=sheet.colour("axis"), lw=HAIR, zorder=1,
    )  # fmt: skip
    for run in _runs(entry):
        axes.plot(run, [y, y], color=ink, lw=HEAVY, solid_capstyle="butt", zorder=2)
    stable = entry.random_orders.stable_from if entry.random_orders else None
    if stable:
        axes.plot([stable], [y], "o", ms=4.4, mfc=paper, mec=ink, mew=0.9, zorder=3, clip_on=False)
    if entry.point_of_consecutive_significance:
        point = entry.point_of_consecutive_significance
        axes.plot([point], [y], "o", ms=3.4, mfc=ink, mec=ink, mew=0, zorder=4, clip_on=False)
    if entry.decided_at:
        is_slight = (entry.verdict or "").endswith("-equivalent")
        face = ink if entry.verdict in DIRECTIONS else paper
        axes.plot(
            [entry.decided_at], [y], "D", ms=4.2, mfc=face, mec=ink, mew=0.9, zorder=5,
            fillstyle="left" if is_slight else "full", markerfacecoloralt=paper, clip_on=False,
        )  # fmt: skip


def _key(sheet: Sheet, page: Axes, left: float, y: float) -> None:
    """Explain the marks under the axis."""
    style: dict[str, Any] = {
        "fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center_baseline"
    }  # fmt: skip
    page.text(left, y, "replications", **style)


def _write_row(sheet: Sheet, page: Axes, place: Layout, y: float, i: int, row: Row) -> None:
    for x, name in ((0.0, row.first), (place.second, row.second)):
        name_mark(sheet, page, x, y, name, place.names[name], size=place.size)
    is_clear = row.entry.verdict in DIRECTIONS
    page.text(
        sheet.width - place.right + GAP, y, place.words[i], va="center_baseline",
        fontsize=place.size, color=sheet.colour("ink" if is_clear else "ink2"),
    )  # fmt: skip
