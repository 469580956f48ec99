"""Half widths of the interval by each number, all else kept, and the designs in a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log10
from typing import Any

from reportgen.drawing import SMALL, Canvas, Sheet, ValueAxis, alt_text, axis_words, fit_axis
from reportgen.drawing.plots.rows import PX
from reportgen.report import ColumnOf, Figure, Series, Table
from reportgen.sections.plan.analysis import Design, PlanResult, many
from reportgen.stats.columns import Column

HIGH, PHONE_HIGH = 130.0, 110.0  # pt: height of a panel
TOP, FOOT, LEFT, GAP = 16.0, 32.0, 34.0, 22.0  # pt: the axis' name; numbers and their name; ticks
MOST_PANELS = 4


def draw(result: PlanResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw a panel a number: of units, and of what varies inside them."""
    plan = result.plan
    if plan is None:
        return ()
    curves = list(plan.curves.items())[:MOST_PANELS]
    rows = tuple((name, float(n), width) for name, own in curves for n, width in own)
    told = [
        f"{result.number_format.difference(own[0][1])} with {own[0][0]:,} {name}, "
        f"{result.number_format.difference(own[-1][1])} with {own[-1][0]:,}"
        for name, own in curves
    ]
    head = "Half width of the interval by number, all else kept: "
    return (
        canvas.figure(
            "half-widths",
            result.measure,
            partial(_draw, result),
            alt=alt_text(f"{head}{'; '.join(told)}.", f"{head}{len(told)} numbers."),
            data=Series(("of", "n", "half_width"), rows),
        ),
    )


def _draw(result: PlanResult, sheet: Sheet) -> None:
    from matplotlib.lines import Line2D

    plan = result.plan
    assert plan is not None
    curves = list(plan.curves.items())[:MOST_PANELS]
    at = result.number_format
    per_row = min(len(curves), 2 if sheet.is_phone else MOST_PANELS)
    n_rows = -(-len(curves) // per_row)
    high = PHONE_HIGH if sheet.is_phone else HIGH
    sheet.begin(n_rows * (TOP + high + FOOT))
    page, ink, pale = sheet.page(), sheet.colour("ink"), sheet.colour("ink2")
    ends = [0.0, at.factor * plan.detect]
    ends += [at.factor * width for _, own in curves for _, width in own]
    up = fit_axis(ends, high, 28, may_be_log=False)
    width = (sheet.width - LEFT - (per_row - 1) * GAP - 6) / per_row
    marks = _marks(result)
    style: dict[str, Any] = {"fontsize": SMALL, "va": "center_baseline"}
    for k, (name, own) in enumerate(curves):
        row, column = divmod(k, per_row)
        left = LEFT + column * (width + GAP)
        top = row * (TOP + high + FOOT)
        axes = sheet.axes(
            left, sheet.height - top - TOP - high, sheet.width - left - width, top + TOP
        )
        up.apply(axes, "y")
        if column:
            axes.set_yticklabels([])
        numbers = [log10(n) for n, _ in own]
        _number_axis(min(numbers), max(numbers), width).apply(axes, "x")
        axes.tick_params(labelsize=SMALL, length=2)
        ends_x = [min(numbers), max(numbers)]
        level = float(up.drawn([at.factor * plan.detect])[0])
        axes.add_artist(Line2D(ends_x, [level] * 2, color=pale, lw=PX, ls=(0, (3, 2))))
        if name in marks and marks[name] > 0:
            x = log10(marks[name])
            axes.add_artist(Line2D([x, x], [up.lower, up.upper], color=pale, lw=0.8 * PX))
        heights = up.drawn([at.factor * w for _, w in own]).tolist()
        axes.add_artist(Line2D(numbers, heights, color=ink, lw=1.6 * PX, zorder=3))
        page.text(left, top + TOP + high + FOOT - 8, name, color=pale, **style)
    words = axis_words(result.measured, up, at.difference_unit.strip(), before="half width, ")
    page.text(0, 5, words, color=pale, **style)


def _marks(result: PlanResult) -> dict[str, int]:
    """Return the numbers that there are."""
    plan = result.plan
    if plan is None or plan.now is None:
        return {}
    return {plan.unit: plan.now.n, **{many(k): n for k, n in plan.now.counts.items()}}


def _number_axis(low: float, high: float, width: float) -> ValueAxis:
    """Return a logarithmic axis of numbers."""
    wanted = [f * 10**e for e in range(7) for f in (1, 2, 5)]
    inside = [n for n in wanted if low - 1e-9 <= log10(n) <= high + 1e-9]
    step = max(1, -(-len(inside) * 26 // max(1, int(width))))
    ticks = inside[::step]
    edge = 0.03 * max(high - low, 0.1)
    return ValueAxis(
        low - edge, high + edge, tuple(log10(n) for n in ticks), tuple(f"{n:,}" for n in ticks)
    )


def tabulate(result: PlanResult) -> tuple[Table, ...]:
    """Lay out one row a design."""
    plan = result.plan
    if plan is None or not plan.designs:
        return ()
    names = list(dict.fromkeys(name for d in plan.designs for name in d.counts))
    columns: list[ColumnOf[Design]] = [
        Column("n", plan.unit.capitalize(), "count"),
    ]
    columns += [
        (Column(f"n_{k}", many(name).capitalize(), "count"), _count_of(name))
        for k, name in enumerate(names, 1)
    ]
    if plan.is_drawn:
        columns.append((Column("safe", "At worst", "count"), _at_worst))
    columns += [
        (Column("power", "Power, %", "number"), lambda d: 100 * d.power),
        Column("half_width", "Half width", "difference"),
        Column("cost", f"Cost{_unit(plan.cost_unit)}", "number"),
    ]
    return (
        Table.of(
            plan.designs,
            columns,
            name="designs",
            measure=result.measure,
            number_format=result.number_format,
        ),
    )


def _count_of(name: str) -> Callable[[Design], object]:
    return lambda d: d.counts.get(name, 1)


def _at_worst(design: Design) -> int | None:
    """Return the units at worst; None where there is no such number."""
    safe = design.safe
    return None if safe is None or safe == float("inf") else int(safe)


def _unit(unit: str) -> str:
    return f", {unit}" if unit else ""
