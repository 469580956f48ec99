"""The designs that detect the difference, the cheapest first."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.claims.planning import Design, many
from reportgen.report import Column, ColumnOf, Table
from reportgen.sections.plan.result import PlanResult


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
        Table.of(plan.designs, columns, name="designs", measure=result.measure, scale=result.scale),
    )


def _count_of(name: str) -> Callable[[Design], object]:
    return lambda d: d.counts.get(name, 1)


def _at_worst(design: Design) -> int | None:
    """Return the units at worst; None where there is no such number."""
    safe = design.safe
    return None if safe is None or safe == float("inf") else int(safe)


def _unit(unit: str) -> str:
    return f", {unit}" if unit else ""
