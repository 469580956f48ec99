"""Tables of the exploration: location, spread and places; worst cases."""

from __future__ import annotations

from typing import Literal

from reportgen.notation import ordinal
from reportgen.report import CANDIDATE, MEAN_RANK, Column, ColumnOf, Table
from reportgen.sections.eda.result import CandidateSummary, EdaResult, MeasureExploration


def tabulate(result: EdaResult) -> tuple[Table, ...]:
    """Lay out a summary and the worst cases of every measure."""
    return tuple(table for found in result.values() for table in (_summary(found), _worst(found)))


def _summary(found: MeasureExploration) -> Table:
    """One row a candidate, in the order of the result."""
    better, level = found.measure.better, f"{100 * (1 - found.alpha):g}%"
    columns: list[ColumnOf[CandidateSummary]] = [
        CANDIDATE,
        Column("mean", "Mean", "value", better),
        Column("normal_interval", f"{level} interval of the mean", "interval"),
        Column("sd", "SD", "difference", "smaller"),
        Column("median", "Median", "value", better),
        Column("min", "Min", "value", better),
        Column("max", "Max", "value", better),
        Column("percentile_interval", f"Central {level} of values", "interval"),
    ]
    if found.n_missing:
        columns.insert(1, Column("n", "Values", "count"))
    if found.podium:
        best = f"Best of {found.podium.n_blocks:,}"
        columns += [
            MEAN_RANK,
            Column("n_best", best, "count", "larger"),
            Column("n_best_alone", "Best alone", "count", "larger"),
        ]
    return Table.of(
        found.summary,
        columns,
        name="summary",
        measure=found.measure.name,
        scale=found.scale,
        is_wide=True,
    )


def _worst(found: MeasureExploration) -> Table:
    """One row a candidate, in minimax order."""
    worst = found.worst
    better = found.measure.better
    quantile = f"{_percentage(better, worst.level)} quantile"
    columns: list[ColumnOf[str]] = [
        (CANDIDATE, str),
        (Column("worst", _extreme(better), "value", better), worst.max.get),
    ]
    if worst.m > 1:
        m_worst = Column("m_worst", _m_worst(better, worst.m), "value", better)
        columns.append((m_worst, worst.m_worst.get))
    columns.append((Column("quantile", quantile, "value", better), worst.quantile.get))
    names = [name for group in worst.order for name in group]
    return Table.of(names, columns, name="worst", measure=found.measure.name, scale=found.scale)


def _extreme(better: Literal["smaller", "larger"]) -> str:
    return "Largest value" if better == "smaller" else "Smallest value"


def _m_worst(better: Literal["smaller", "larger"], m: int) -> str:
    extreme = _extreme(better)
    return extreme if m == 1 else f"{ordinal(m)} {extreme.lower()}"


def _percentage(better: Literal["smaller", "larger"], level: float) -> str:
    """Write which quantile lies at `level` on the worse side."""
    return f"{100 * (level if better == 'smaller' else 1 - level):g}%"
