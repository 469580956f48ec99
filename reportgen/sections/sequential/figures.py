"""The figure of the monitoring: after which stage every pair is settled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    MARK_WIDTH,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    alt_text,
    fit_axis,
    measure_words,
    name_mark,
    plain,
    shortened,
    text_width,
)
from reportgen.report import Figure, Series
from reportgen.sections.sequential.result import DIRECTIONS
from reportgen.sections.sequential.tables import BRIEF, stages_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.sequential.result import Monitored, Monitoring, SequentialResult

MOST_ROWS = 45  # pairs that are drawn; beyond, those with the largest differences
ABOVE, BELOW = 18.0, 32.0  # pt: heads of the columns; axis and its name
GAP = 12.0  # pt between columns


def draw(result: SequentialResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw after which stage every measure's pairs are settled.

    A compact page has it only where the execution itself went by stages.
    """
    found = [m for m in result.values() if m.pairs and m.ends]
    shown = [m for m in found if m.run][:1] if canvas.is_compact else found
    return tuple(_draw_stages(monitoring, canvas) for monitoring in shown)


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


def _draw_stages(monitoring: Monitoring, canvas: Canvas) -> Figure:
    rows = drawn_rows(monitoring)
    return canvas.figure(
        "stages",
        monitoring.measure.name,
        partial(_draw, monitoring, rows),
        alt=_alt(monitoring, rows),
        data=_data(rows),
    )


def _data(rows: Sequence[Row]) -> Series:
    columns = ("first", "second", "verdict", "decided_at")
    return Series(columns, tuple((r.first, r.second, r.words, r.entry.decided_at) for r in rows))


def _alt(monitoring: Monitoring, rows: Sequence[Row]) -> str:
    ends = ", ".join(map(str, monitoring.ends))
    head = (
        f"For each pair of candidates by {measure_words(monitoring.measure)}, what the stages say"
        f" and after how many replications; stages end at {ends}. "
    )
    parts = []
    for row in rows:
        at = f" after {row.entry.decided_at}" if row.entry.decided_at else ""
        parts.append(f"{plain(row.first)} and {plain(row.second)}: {row.words}{at}")
    words = [row.words for row in rows]
    counts = "; ".join(f"{word} {words.count(word)}" for word in dict.fromkeys(words))
    return alt_text(head + "; ".join(parts) + ".", f"{head}{counts}.")


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
    """Draw a line to where the pair is settled, and a mark there."""
    ink, paper = sheet.colour("ink"), sheet.colour("paper")
    end = entry.decided_at or entry.replication[-1]
    axes.plot([0, end], [y, y], color=sheet.colour("axis"), lw=THIN, zorder=1)
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
