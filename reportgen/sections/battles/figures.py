"""Figures of battles: worths with their intervals, and who wins how often against whom."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.lines import Line2D

from reportgen.drawing import (
    SMALL,
    Canvas,
    Sheet,
    ValueAxis,
    alt_names,
    alt_text,
    axis_words,
    fit_axis,
)
from reportgen.drawing.plots.heat_map import draw_heat_map
from reportgen.drawing.plots.rows import PX, Column, Panel, RowPlot, draw_rows
from reportgen.drawing.sheet import shorten_names
from reportgen.notation import number
from reportgen.report import Figure, Series

if TYPE_CHECKING:
    from reportgen.sections.battles.result import BattlesResult, Contender

ROW, LEAST_ROW = 22 * PX, 10 * PX  # pt: height of a row
LARGEST = 560.0  # pt: the height of a page, less a caption
MOST_ROWS = 60  # candidates with a row, most points first
MOST_CELLS = 40  # candidates of the heat map, most points first
COUNTED = 9  # candidates up to which a cell has room for the number of battles
CLOSE = 0.4, 0.6  # shares of battles won between which two are near each other
LEGEND = ("row wins under 40%, or they never met", "40 to 60%", "over 60%")


def draw(result: BattlesResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the worths, and the shares of battles won."""
    return () if result is None else (_worths(result, canvas), _wins(result, canvas))


# ---------------------------------------------------------------------------------- worths


def _worths(result: BattlesResult, canvas: Canvas) -> Figure:
    names = alt_names([c.candidate for c in result.contenders])
    told = [f"{names[c.candidate]} {number(c.points, 0)}" for c in result.contenders]
    return canvas.figure(
        "worths",
        result.measure,
        partial(_draw_worths, result),
        alt=alt_text(f"Elo scores: {'; '.join(told)}.", f"Elo scores of {len(told)} candidates."),
        data=Series(
            ("candidate", "elo", "lower", "upper", "battles", "win_rate"),
            tuple((c.candidate, c.points, *c.interval, c.n, c.win_rate) for c in result.contenders),
        ),
    )


def _draw_worths(result: BattlesResult, sheet: Sheet) -> None:
    rows, at = result.contenders[:MOST_ROWS], result.scale
    room = int(LARGEST / len(rows) / PX) * PX
    points = tuple(at.value(c.points) for c in rows)
    rates = tuple(f"{100 * c.win_rate:.0f}%" for c in rows)
    ranks = tuple(str(c.ranks[0]) if c.ranks[0] == c.ranks[1] else f"{c.ranks[0]}–{c.ranks[1]}"
                  for c in rows)  # fmt: skip
    columns = (
        Column("Elo", points, points, is_strong=(True,) * len(rows)),
        Column("interval", tuple(at.interval(*c.interval) for c in rows), is_spare=True),
        Column("wins", rates, rates),
        Column("battles", tuple(number(c.n, 0) for c in rows), is_spare=True),
        Column("ranks", ranks),
    )
    draw_rows(
        RowPlot(
            rows=[(c.candidate,) for c in rows],
            columns=columns,
            fit=partial(_fit, rows),
            draw=partial(_draw_row, rows),
            title=lambda axis, _: axis_words(result.measured, axis, ""),
            row=min(ROW, max(room, LEAST_ROW)),
            size=SMALL if len(rows) > 30 else None,
            has_grid=True,
            way="better →",
        ),
        sheet,
    )


def _fit(rows: tuple[Contender, ...], length: float, gap: float) -> ValueAxis:
    ends = [x for c in rows for x in (*c.interval, c.points)]
    return fit_axis(ends, length, gap, may_be_log=False)


def _draw_row(rows: tuple[Contender, ...], panel: Panel, i: int, y: float) -> None:
    """Draw interval and mark: filled where it is tied with the first."""
    row = rows[i]
    ink, paper = panel.sheet.colour("ink"), panel.sheet.colour("paper")
    lower, upper, middle = panel.axis.drawn([*row.interval, row.points]).tolist()
    panel.hline(lower, upper, y, "ink", zorder=3)
    mark: dict[str, Any] = {"marker": "o", "ms": 7.2 * PX, "mec": ink, "mew": 1.5 * PX}
    mark["mfc"] = ink if row.is_tied_with_first else paper
    place = [middle], [round(y / PX) * PX]
    panel.axes.add_artist(Line2D(*place, **mark, ls="none", clip_on=False, zorder=4))


# ------------------------------------------------------------------------------------ wins


def _wins(result: BattlesResult, canvas: Canvas) -> Figure:
    names = alt_names([c.candidate for c in result.contenders])
    told = [
        f"{names[m.first]} against {names[m.second]} {100 * m.share:.0f}% of {m.n}"
        for m in result.meetings
    ]
    head = "Shares of battles won, ties counted half: "
    return canvas.figure(
        "wins",
        result.measure,
        partial(_draw_wins, result),
        alt=alt_text(f"{head}{'; '.join(told)}.", f"{head}{len(told)} pairs."),
        data=Series(
            ("first", "second", "wins", "ties", "losses", "share", "expected", "residual"),
            tuple(
                (m.first, m.second, m.wins, m.ties, m.losses, m.share, m.expected, m.residual)
                for m in result.meetings
            ),
        ),
    )


def _draw_wins(result: BattlesResult, sheet: Sheet) -> None:
    order = [c.candidate for c in result.contenders][:MOST_CELLS]
    place = {name: i for i, name in enumerate(order)}
    n = len(order)
    classes, texts = np.zeros((n, n), dtype=int), np.full((n, n), "", dtype=object)
    has_counts = n <= COUNTED and not sheet.is_phone
    for meeting in result.meetings:
        if meeting.first not in place or meeting.second not in place:
            continue
        i, j = place[meeting.first], place[meeting.second]
        for row, column, share in ((i, j, meeting.share), (j, i, 1 - meeting.share)):
            classes[row, column] = int(share >= CLOSE[0]) + int(share > CLOSE[1])
            of = f" of {meeting.n:,}" if has_counts else ""
            texts[row, column] = f"{100 * share:.0f}{'%' if n <= COUNTED else ''}{of}"
    heads = shorten_names(order, (sheet.width - 80) / n - 6, SMALL)
    columns = ("", [heads[name] for name in order])
    draw_heat_map(sheet, classes, texts.astype(str), order, columns, LEGEND)
