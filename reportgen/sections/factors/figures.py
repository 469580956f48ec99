"""The figure of the interaction: a line a level of the first factor; and tables of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import methodcaller
from typing import Any

from reportgen.drawing import (
    SMALL,
    Canvas,
    Sheet,
    ValueAxis,
    alt_text,
    axis_words,
    fit_axis,
    shorten_text,
    text_width,
)
from reportgen.drawing.plots.rows import PX
from reportgen.drawing.style import MARKS
from reportgen.notation import SHARES, level_words
from reportgen.report import ADVANTAGE, P_VALUE, ColumnOf, Figure, Series, Table
from reportgen.sections.factors.analysis import FactorsResult, Setting, SettingPair
from reportgen.stats.columns import Column
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.units import Words

HIGH, PHONE_HIGH = 190.0, 170.0  # pt: height of the panel
TOP, FOOT, LEFT = 16.0, 30.0, 34.0  # pt: the axis' name; names of levels and the factor; ticks
MOST_LINES = 12  # levels of the first factor with a line, the best ones
NAMES, PHONE_NAMES = 120.0, 76.0  # pt: longest name at the end of a line
LINE = 10.0  # pt: least distance of two names

MOST_COLUMNS = 7  # levels that have a column of their own
MOST_PAIRS = 45  # of ten levels; of more those with the best


def draw(result: FactorsResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the means of all combinations."""
    if result is None or len(result.second_levels) < 2:
        return ()
    rows = tuple((a, b, x) for a, own in result.means.items() for b, x in own.items())
    told = [f"{a} with {b} {result.number_format.value(x)}" for a, b, x in rows]
    head = f"Means by {result.factors[1]}, a line for each {result.factors[0]}: "
    return (
        canvas.figure(
            "interaction",
            result.measure,
            partial(_draw, result),
            alt=alt_text(f"{head}{'; '.join(told)}.", f"{head}{len(told)} combinations."),
            data=Series(("first", "second", "mean"), rows),
        ),
    )


def _draw(result: FactorsResult, sheet: Sheet) -> None:
    from matplotlib.lines import Line2D

    lines = result.first_levels[:MOST_LINES]
    at, levels = result.number_format, result.second_levels
    high = PHONE_HIGH if sheet.is_phone else HIGH
    widest = PHONE_NAMES if sheet.is_phone else NAMES
    names = {a: shorten_text(a, widest, SMALL) for a in lines}
    right = 14 + max(text_width(name, SMALL) for name in names.values())
    sheet.begin(TOP + high + FOOT)
    page, ink = sheet.page(), sheet.colour("ink")
    axes = sheet.axes(LEFT, FOOT, right, TOP)
    values = {a: [at.factor * result.means[a][b] for b in levels] for a in lines}
    up = fit_axis([x for own in values.values() for x in own], high, 28, may_be_log=False)
    up.apply(axes, "y")
    width = sheet.width - LEFT - right
    _level_axis(levels, width).apply(axes, "x")
    axes.tick_params(labelsize=SMALL, length=2)
    style: dict[str, Any] = {"fontsize": SMALL, "va": "center_baseline"}
    ends = []
    for k, a in enumerate(lines):
        own = up.drawn([x / at.factor * at.factor for x in values[a]]).tolist()
        axes.add_artist(
            Line2D(
                range(len(levels)), own, color=ink if k == 0 else sheet.colour("ink2"),
                lw=(2 if k == 0 else 1) * PX, marker=MARKS[k % len(MARKS)], ms=5.0,
                mfc=sheet.colour("paper") if k else ink, mec=ink, mew=PX, clip_on=False, zorder=3,
            )
        )  # fmt: skip
        share = (own[-1] - up.lower) / (up.upper - up.lower)
        ends.append((TOP + (1 - share) * high, a))
    for y, a in _apart(sorted(ends), TOP + high):
        page.text(sheet.width - right + 12, y, names[a], color=ink, **style)
    words = axis_words(result.measured, up, at.unit_symbol.strip())
    page.text(0, 5, shorten_text(words, sheet.width, SMALL), color=sheet.colour("ink2"), **style)
    factor = shorten_text(result.factors[1], width, SMALL)
    page.text(LEFT, sheet.height - 6, factor, color=sheet.colour("ink2"), **style)


def _apart(ends: list[tuple[float, str]], bottom: float) -> list[tuple[float, str]]:
    """Return the heights of names, from the top, moved apart where they would touch."""
    found: list[tuple[float, str]] = []
    for y, name in ends:
        found.append((max(y, found[-1][0] + LINE) if found else y, name))
    over = max(0.0, found[-1][0] - bottom) if found else 0.0
    moved: list[tuple[float, str]] = []
    below = bottom + LINE
    for y, name in reversed(found):
        own = min(y, below - LINE) if over else y
        moved.append((own, name))
        below = own
    return moved[::-1]


def _level_axis(levels: tuple[str, ...], width: float) -> ValueAxis:
    """Return an axis with a place for each level."""
    room = width / len(levels) - 4
    labels = tuple(shorten_text(level, room, SMALL) for level in levels)
    return ValueAxis(-0.35, len(levels) - 0.65, tuple(map(float, range(len(levels)))), labels)


def tabulate(result: FactorsResult | None) -> tuple[Table, ...]:
    """Lay out the tables."""
    return () if result is None else tuple(_tables(result))


def _tables(result: FactorsResult) -> Iterator[Table]:
    yield _means(result)
    if result.first_pairs is None or result.second_pairs is None:
        return
    yield _pairs("first-level", result, result.first_pairs)
    yield _pairs("second-level", result, result.second_pairs)
    yield _settings(result)
    yield _setting_pairs(result)


def _means(result: FactorsResult) -> Table:
    """One row a level of the first factor, a column a level of the second, if these are few."""
    order = result.measured.better
    if len(result.second_levels) > MOST_COLUMNS:
        rows = [(a, b) for a in result.first_levels for b in result.second_levels]
        columns: list[ColumnOf[tuple[str, str]]] = [
            (Column("first", result.factors[0], "text"), lambda r: Words(r[0])),
            (Column("second", result.factors[1], "text"), lambda r: Words(r[1])),
            (Column("mean", "Mean", "value", order), lambda r: result.means[r[0]][r[1]]),
        ]
        return _table("cells", result, rows, columns)
    by_level: list[ColumnOf[str]] = [(Column("level", result.factors[0], "text"), Words)]
    for k, level in enumerate(result.second_levels):
        by_level.append((Column(f"mean_{k + 1}", level, "value", order), _mean_at(result, level)))
    by_level.append((Column("mean", "Mean", "value", order), lambda a: result.first_means[a]))
    return _table("cells", result, result.first_levels, by_level)


def _mean_at(result: FactorsResult, level: str) -> Callable[[str], float]:
    return lambda a: result.means[a][level]


def _pairs(name: str, result: FactorsResult, table: PairTable) -> Table:
    """One row a pair of levels, the better mean first."""
    levels = result.first_levels if name == "first-level" else result.second_levels
    rows = table.arranged(levels).rows
    if len(rows) > MOST_PAIRS:
        rows = tuple(p for p in rows if p.first == levels[0])
    advantage = methodcaller("advantage", is_smaller_better=result.measured.is_smaller_better)
    columns: list[ColumnOf[Pair]] = [
        (Column("first", "Level", "text"), lambda p: Words(p.first)),
        (Column("second", "against", "text"), lambda p: Words(p.second)),
        (ADVANTAGE, lambda p: advantage(p)[0]),
        (Column("interval", _level(result), "difference-interval"), lambda p: advantage(p)[1]),
        (P_VALUE, lambda p: p.adjusted_p_value),
    ]
    return _table(name, result, rows, columns)


def _settings(result: FactorsResult) -> Table:
    """One row a level of the first factor, with its best level of the second."""
    order = result.measured.better
    columns: list[ColumnOf[Setting]] = [
        (Column("level", result.factors[0], "text"), lambda s: Words(s.level)),
        (Column("best", f"Best {result.factors[1]}", "text"), lambda s: Words(s.best)),
        Column("mean", "Its mean", "value"),
        Column("honest", "On the other half", "value", order),
        Column("price", "Price of the choice", "difference"),
        Column("share", "Chosen by halves, %", "value", number_format=SHARES),
    ]
    return _table("settings", result, result.settings, columns)


def _setting_pairs(result: FactorsResult) -> Table:
    """One row a pair of levels of the first factor, each with its best level of the second."""
    rows = result.setting_pairs
    if len(rows) > MOST_PAIRS:
        rows = tuple(p for p in rows if p.first == result.best.level)
    columns: list[ColumnOf[SettingPair]] = [
        (Column("first", "Best of", "text"), lambda p: Words(p.first)),
        (Column("second", "against", "text"), lambda p: Words(p.second)),
        (ADVANTAGE, lambda p: p.estimate),
        (
            Column("interval", _level(result), "difference-interval"),
            lambda p: (p.lower, p.upper),
        ),
        (
            Column("naive_interval", "as if given", "difference-interval"),
            lambda p: (p.naive_lower, p.naive_upper),
        ),
    ]
    return _table("setting-pairs", result, rows, columns)


def _level(result: FactorsResult) -> str:
    return f"{level_words(result.alpha)} interval"


def _table(name: str, result: FactorsResult, rows: object, columns: object) -> Table:
    return Table.of(
        rows,  # type: ignore[arg-type]
        columns,  # type: ignore[arg-type]
        name=name,
        measure=result.measure,
        number_format=result.number_format,
        is_wide=True,
    )
