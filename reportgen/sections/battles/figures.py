"""Figures and tables of battles: worths with intervals, and who wins how often against whom."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

import numpy as np

from reportgen.drawing import (
    SMALL,
    Canvas,
    Sheet,
    ValueAxis,
    alt_names,
    alt_text,
    axis_words,
    fit_axis,
    shorten_text,
    text_width,
)
from reportgen.drawing.plots.heat_map import draw_heat_map
from reportgen.drawing.plots.rows import PX, Panel, RowColumn, RowPlot, draw_rows
from reportgen.drawing.sheet import shorten_names
from reportgen.drawing.style import MARKS
from reportgen.notation import NumberFormat, level_words, number, whole_range
from reportgen.report import CANDIDATE, PAIR, ColumnOf, Figure, Series, Table
from reportgen.sections.battles.analysis import BattlesResult, Contender, Group, Look, Meeting
from reportgen.stats.columns import Column
from reportgen.units import Words

ROW, LEAST_ROW = 22 * PX, 10 * PX  # pt: height of a row
LARGEST = 560.0  # pt: the height of a page, less a caption
MOST_ROWS = 60  # candidates with a row, most points first
MOST_CELLS = 40  # candidates of the heat map, most points first
COUNTED = 9  # candidates up to which a cell has room for the number of battles
CLOSE = 0.4, 0.6  # shares of battles won between which two are near each other
GROUPS_HIGH = 170.0  # pt: height of the panel of groups
TOP, FOOT, LEFT = 16.0, 34.0, 40.0  # pt: the axis' name; names of groups, battles; ticks
NAMES, LINE = 110.0, 10.0  # pt: longest name at the end of a line; least distance of two
MOST_LINES = 12  # candidates with a line, most points first
LEGEND = ("row wins under 40%", "40 to 60%", "over 60%")
UNMET = ", or they never met"

SHARE = NumberFormat(100.0, "%", "pp", 1)
MOST_MEETINGS = 66  # pairs of a dozen; of more, those that the worths explain worst


def draw(result: BattlesResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the worths, the shares of battles won, and the worths in the groups of the tree."""
    if result is None:
        return ()
    groups = (_groups(result, canvas),) if result.leaves else ()
    return (_worths(result, canvas), _wins(result, canvas), *groups)


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
    rows, at = result.contenders[:MOST_ROWS], result.number_format
    room = int(LARGEST / len(rows) / PX) * PX
    points = tuple(at.value(c.points, c.interval) for c in rows)
    rates = tuple(f"{100 * c.win_rate:.0f}%" for c in rows)
    ranks = tuple(str(c.ranks[0]) if c.ranks[0] == c.ranks[1] else f"{c.ranks[0]}–{c.ranks[1]}"
                  for c in rows)  # fmt: skip
    columns = (
        RowColumn("Elo", points, points, is_strong=(True,) * len(rows)),
        RowColumn("interval", tuple(at.interval(*c.interval) for c in rows), is_spare=True),
        RowColumn("wins", rates, rates),
        RowColumn("battles", tuple(number(c.n, 0) for c in rows), is_spare=True),
        RowColumn("ranks", ranks),
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
    face = ink if row.is_tied_with_first else paper
    panel.mark(middle, y, 7.2 * PX, face, ink, 1.5 * PX)


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
    has_unmet = bool((texts == "").sum() > n)  # beside the diagonal
    legend = (LEGEND[0] + UNMET * has_unmet, *LEGEND[1:])
    draw_heat_map(sheet, classes, texts.astype(str), order, columns, legend)


def _groups(result: BattlesResult, canvas: Canvas) -> Figure:
    head = "Elo scores in groups of battles: "
    told = [
        f"{group_words(g)}, {g.n:,} battles, "
        f"{', '.join(f'{name} {number(x, 0)}' for name, x in g.points.items())}"
        for g in result.leaves
    ]
    rows = tuple(
        (g.number, group_words(g), name, x, g.errors[name])
        for g in result.leaves
        for name, x in g.points.items()
    )
    return canvas.figure(
        "groups",
        result.measure,
        partial(_draw_groups, result),
        alt=alt_text(f"{head}{'; '.join(told)}.", f"{head}{len(told)} groups."),
        data=Series(("group", "levels", "candidate", "elo", "standard_error"), rows),
    )


def _draw_groups(result: BattlesResult, sheet: Sheet) -> None:
    """Draw a line a candidate over the groups."""
    from matplotlib.lines import Line2D

    groups, names = result.leaves, [c.candidate for c in result.contenders[:MOST_LINES]]
    high = GROUPS_HIGH * (0.9 if sheet.is_phone else 1.0)
    short = {name: shorten_text(name, NAMES, SMALL) for name in names}
    right = 14 + max(text_width(name, SMALL) for name in short.values())
    sheet.begin(TOP + high + FOOT)
    page, ink, pale = sheet.page(), sheet.colour("ink"), sheet.colour("ink2")
    axes = sheet.axes(LEFT, FOOT, right, TOP)
    up = fit_axis([g.points[n] for g in groups for n in names], high, 28, may_be_log=False)
    up.apply(axes, "y")
    width = sheet.width - LEFT - right
    room = width / len(groups) - 4
    labels = tuple(shorten_text(group_words(g), room, SMALL) for g in groups)
    ticks = tuple(map(float, range(len(groups))))
    ValueAxis(-0.35, len(groups) - 0.65, ticks, labels).apply(axes, "x")
    axes.tick_params(labelsize=SMALL, length=2)
    style: dict[str, Any] = {"fontsize": SMALL, "va": "center_baseline"}
    ends = []
    for k, name in enumerate(names):
        own = up.drawn([g.points[name] for g in groups]).tolist()
        axes.add_artist(
            Line2D(
                ticks, own, color=ink if k == 0 else pale, lw=(2 if k == 0 else 1) * PX,
                marker=MARKS[k % len(MARKS)], ms=5.0, mfc=sheet.colour("paper") if k else ink,
                mec=ink, mew=PX, clip_on=False, zorder=3,
            )
        )  # fmt: skip
        share = (own[-1] - up.lower) / (up.upper - up.lower)
        ends.append((TOP + (1 - share) * high, name))
    last = -inf
    for y, name in sorted(ends):
        last = max(y, last + LINE)
        page.text(sheet.width - right + 12, last, short[name], color=ink, **style)
    page.text(0, 5, axis_words(result.measured, up, ""), color=pale, **style)
    battles = [f"{g.n:,}" for g in groups]
    for tick, text in zip(ticks, battles, strict=True):
        x = LEFT + width * (tick + 0.35) / (len(groups) - 0.3)
        page.text(x, sheet.height - 6, text, color=pale, ha="center", **style)


def tabulate(result: BattlesResult | None) -> tuple[Table, ...]:
    """Lay out the candidates, and the pairs that have met."""
    if result is None:
        return ()
    further = (*_looks(result), *_group_table(result), *_styled(result))
    return (_contenders(result), _meetings(result), *further)


def _contenders(result: BattlesResult) -> Table:
    """One row a candidate, most points first."""
    level = f"{level_words(result.alpha)} interval"
    columns: list[ColumnOf[Contender]] = [
        CANDIDATE,
        (Column("elo", "Elo", "value", "larger"), lambda c: c.points),
        Column("interval", level, "interval"),
        Column("win_rate", "Wins, %", "value", "larger", number_format=SHARE),
        Column("n", "Battles", "count"),
        Column("counts", "Won – tied – lost", "counts"),
        (Column("ranks", "Ranks", "text"), lambda c: Words(whole_range(*c.ranks))),
        (
            Column("tied_with_first", "Tied with first", "text"),
            lambda c: Words(
                "first" if c is result.first else "yes" if c.is_tied_with_first else "no"
            ),
        ),
    ]
    if result.reference is not None:
        columns.pop()
    return Table.of(
        result.contenders,
        columns,
        name="contenders",
        measure=result.measure,
        number_format=result.number_format,
        is_wide=True,
    )


def _looks(result: BattlesResult) -> tuple[Table, ...]:
    """One row a planned look."""
    if not result.looks:
        return ()
    columns: list[ColumnOf[tuple[int, Look]]] = [
        (Column("look", "Look", "count"), lambda own: own[0]),
        (Column("n", "Battles", "count"), lambda own: own[1].n),
        (Column("level", "Level", "text"), lambda own: Words(f"{100 * own[1].level:g}%")),
        (Column("first", "First", "candidate"), lambda own: own[1].first or None),
    ]
    if result.reference is None:  # else pairs of the reference alone are decided on
        tied = Column("tied", "Tied with first", "count")
        columns.append((tied, lambda own: len(own[1].tied) if own[1].first else None))
    columns.append(
        (
            Column("decided", "Significant pairs", "count"),
            lambda own: own[1].n_decided if own[1].first else None,
        )
    )
    return (
        Table.of(
            tuple(enumerate(result.looks, 1)),
            columns,
            name="looks",
            measure=result.measure,
            number_format=result.number_format,
        ),
    )


def _meetings(result: BattlesResult) -> Table:
    """One row a pair, what was observed beside what the worths expect."""
    rows = result.meetings
    if len(rows) > MOST_MEETINGS:
        rows = tuple(sorted(rows, key=lambda m: -abs(m.residual))[:MOST_MEETINGS])
    columns: list[ColumnOf[Meeting]] = [
        PAIR,
        Column("n", "Battles", "count"),
        Column("counts", "Won – tied – lost", "counts"),
        Column("share", "Wins, %", "value", number_format=SHARE),
        Column("expected", "Expected, %", "value", number_format=SHARE),
        Column("residual", "Residual", "number"),
    ]
    return Table.of(
        rows,
        columns,
        name="meetings",
        measure=result.measure,
        number_format=result.number_format,
        is_wide=True,
    )


def _group_table(result: BattlesResult) -> tuple[Table, ...]:
    """One row a candidate, a column for each group of the tree that is not divided."""
    if not result.leaves:
        return ()
    columns: list[ColumnOf[Contender]] = [
        CANDIDATE,
        (Column("elo", "All", "value", "larger"), lambda c: c.points),
    ]
    columns += [
        (Column(f"elo_{g.number}", group_words(g), "value", "larger"), _points_in(g))
        for g in result.leaves
    ]
    return (
        Table.of(
            result.contenders,
            columns,
            name="groups",
            measure=result.measure,
            number_format=result.number_format,
            is_wide=True,
        ),
    )


def group_words(group: Group) -> str:
    """Return the levels of a group in words.

    Examples
    --------
    >>> own = ("language", "de", "fr"), ("turn", "1")
    >>> group_words(Group(2, "turn", ("1",), 40, {}, {}, (), True, own))
    'de, fr; turn 1'
    """
    parts = []
    for name, *levels in group.path:
        text = ", ".join(levels)
        is_number = levels[0][:1].isdigit() or levels[0][:1] == "-"
        parts.append(f"{name} {text}" if is_number else text)
    return "; ".join(parts)


def _points_in(group: Group) -> Callable[[Contender], object]:
    return lambda c: group.points[c.candidate]


def _styled(result: BattlesResult) -> tuple[Table, ...]:
    """One row a candidate: with style held equal, and without."""
    styled = result.styled
    if styled is None:
        return ()
    level = f"{level_words(result.alpha)} interval"
    columns: list[ColumnOf[Contender]] = [
        CANDIDATE,
        (Column("elo", "Elo", "value", "larger"), lambda c: c.points),
        (
            Column("held", "Style held equal", "value", "larger"),
            lambda c: styled.points[c.candidate],
        ),
        (Column("interval", level, "interval"), lambda c: styled.intervals[c.candidate]),
        (
            Column("change", "Change", "difference"),
            lambda c: styled.points[c.candidate] - c.points,
        ),
    ]
    return (
        Table.of(
            result.contenders,
            columns,
            name="style",
            measure=result.measure,
            number_format=result.number_format,
        ),
    )
