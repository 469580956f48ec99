"""Tables of the aggregates: scores of the candidates, and how normalisations order them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportgen.notation import Scale
from reportgen.report import CANDIDATE, Column, ColumnOf, Table, with_values
from reportgen.sections.aggregate.result import (
    AggregateResult,
    CandidateAggregate,
    Estimate,
    Normalisation,
)

SCORES = Scale(1.0, "", "", 3)
POINTS = Scale(1.0, "", "", 0)
LABELS = {
    "range": "Range",
    "bounds": "Bounds",
    "ratio": "Ratio to the best",
    "ranks": "Mean rank",
}

Cells = ColumnOf[CandidateAggregate]


def tabulate(result: AggregateResult | None) -> tuple[Table, ...]:
    """Lay out both tables, one row a candidate, the best interquartile mean first."""
    if result is None:
        return ()
    return (_scores(result), _normalisations(result))


def _scores(result: AggregateResult) -> Table:
    columns: list[Cells] = [CANDIDATE]
    columns += _of(
        "interquartile_mean", "Interquartile mean", SCORES, lambda c: c.interquartile_mean
    )
    columns += _of("optimality_gap", "Optimality gap", SCORES, lambda c: c.optimality_gap)
    columns += _of("improvement", "First better than it", SCORES, lambda c: c.improvement)
    columns += _of("elo", "Elo", POINTS, lambda c: c.elo)
    return Table.of(
        result.candidates,
        with_values(columns, result.candidates),
        name="aggregate",
        measure=result.measure,
        scale=SCORES,
        is_wide=True,
    )


def _of(
    name: str, label: str, at: Scale, estimate: Callable[[CandidateAggregate], Estimate | None]
) -> list[Cells]:
    """Return the columns of a number and of its interval."""

    def value(row: CandidateAggregate) -> float | None:
        found = estimate(row)
        return None if found is None else found.value

    def interval(row: CandidateAggregate) -> tuple[float, float] | None:
        found = estimate(row)
        return None if found is None else found.interval

    return [
        (Column(name, label, "value", scale=at), value),
        (Column(f"{name}_interval", "Interval", "interval", scale=at), interval),
    ]


def _normalisations(result: AggregateResult) -> Table:
    def cell(found: Normalisation) -> Callable[[CandidateAggregate], Any]:
        return lambda row: found.values[row.candidate]

    columns: list[Cells] = [CANDIDATE]
    columns += [
        (
            Column(
                found.scale,
                LABELS[found.scale],
                "value",
                "smaller" if found.scale == "ranks" else "larger",
                SCORES,
            ),
            cell(found),
        )
        for found in result.normalisations
    ]
    return Table.of(
        result.candidates, columns, name="normalisations", measure=result.measure, scale=SCORES
    )
