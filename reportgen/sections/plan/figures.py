"""Half widths of the interval by each number, all else kept, and the designs in a table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reportgen.drawing import Canvas, alt_text
from reportgen.drawing.plots.half_widths import draw_half_widths, panels
from reportgen.report import ColumnOf, Figure, Series, Table
from reportgen.sections.plan.analysis import Design, PlanResult, many
from reportgen.stats.columns import Column


def draw(result: PlanResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw a panel a number: of units, and of what varies inside them."""
    plan = result.plan
    if plan is None:
        return ()
    curves = panels(plan)
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
            partial(draw_half_widths, plan),
            alt=alt_text(f"{head}{'; '.join(told)}.", f"{head}{len(told)} numbers."),
            data=Series(("of", "n", "half_width"), rows),
        ),
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
