"""The figure of the interaction: the means by the second factor, a line a level of the first."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

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
from reportgen.report import Figure, Series

if TYPE_CHECKING:
    from reportgen.sections.factors.result import FactorsResult

HIGH, PHONE_HIGH = 190.0, 170.0  # pt: height of the panel
TOP, FOOT, LEFT = 16.0, 30.0, 34.0  # pt: the axis' name; names of levels and the factor; ticks
MOST_LINES = 12  # levels of the first factor with a line, the best ones
NAMES, PHONE_NAMES = 120.0, 76.0  # pt: longest name at the end of a line
LINE = 10.0  # pt: least distance of two names
MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")


def draw(result: FactorsResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the means of all combinations."""
    if result is None or len(result.second_levels) < 2:
        return ()
    rows = tuple((a, b, x) for a, own in result.means.items() for b, x in own.items())
    told = [f"{a} with {b} {result.scale.value(x)}" for a, b, x in rows]
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
    lines = result.first_levels[:MOST_LINES]
    at, levels = result.scale, result.second_levels
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
    words = axis_words(result.measured, up, at.unit.strip())
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
