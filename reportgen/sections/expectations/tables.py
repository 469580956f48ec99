"""Tables of expectations: the outcomes, and the contrasts that they rest on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from reportgen.notation import NumberFormat, number_format
from reportgen.report import INTERVAL, ColumnOf, Table
from reportgen.sections.expectations.result import ClaimTest, Contrast, ExpectationsResult
from reportgen.sections.expectations.words import found_words
from reportgen.stats.columns import Column, opposite
from reportgen.targets import target_words

RATIO = "ratio"


def tabulate(result: ExpectationsResult) -> tuple[Table, ...]:
    """Lay out one row an expectation, and one a contrast, with the advantage of its first."""
    result = replace(result, gates=tuple(_by_advantage(gate, result) for gate in result.gates))
    claims = tabulate_claims(result)
    return (claims, _contrasts(result)) if result.tested else (claims,)


def _by_advantage(gate: ClaimTest, result: ExpectationsResult) -> ClaimTest:
    """Turn the contrasts of a measure that is better smaller so that better is above."""
    if gate.measure is None or not result.measures[gate.measure].is_smaller_better:
        return gate
    return replace(gate, contrasts=tuple(map(_turned, gate.contrasts)))


def _turned(contrast: Contrast) -> Contrast:
    """Write the second against the first, as the first's advantage where small is good."""
    if contrast.second is None:
        return contrast
    return opposite(contrast, is_ratio=contrast.scale == RATIO)


def tabulate_claims(result: ExpectationsResult) -> Table:
    """Lay out the claims with the number and the interval that each rests on, as they are given."""
    columns: list[ColumnOf[ClaimTest]] = [Column("claim", "Expectation", "text")]
    if result.tested:
        columns += [
            (Column("estimate", "Estimate", "difference"), lambda g: _of(g, "estimate")),
            (INTERVAL, _interval),
            (Column("unit", "Unit", "text"), lambda gate: _unit(gate.deciding, result, gate)),
        ]
    columns.append(Column("outcome", "Outcome", "decision"))
    if any(map(found_words, result.gates)):
        columns.append((Column("found", "Found", "text"), lambda gate: found_words(gate) or None))
    table = Table.of(result.gates, columns, name="expectations", is_wide=True)
    return _scaled(result, table, [(gate, gate.deciding) for gate in result.gates])


def _contrasts(result: ExpectationsResult) -> Table:
    """Return every contrast with the bounds of its claim, and what else is known of it."""
    both = [(gate, contrast) for gate in result.tested for contrast in gate.contrasts]
    columns: list[ColumnOf[tuple[ClaimTest, Contrast]]] = [
        (Column("claim", "Expectation", "text"), lambda b: _claim_words(*b)),
        (Column("n", "n", "count"), lambda b: b[1].n),
        (Column("bounds", "Claimed", "difference-interval"), lambda b: b[1].bounds),
        (Column("estimate", "Estimate", "difference"), lambda b: b[1].estimate),
        (INTERVAL, lambda b: _bounds(b[1])),
        (Column("unit", "Unit", "text"), lambda b: _unit(b[1], result, b[0])),
        (Column("outcome", "Outcome", "text"), lambda b: b[1].outcome),
    ]
    if any(contrast.verdict for _, contrast in both):
        columns.append((Column("verdict", "By all pairs", "text"), lambda b: b[1].verdict))
    columns.append(
        (
            Column("target", "Speaks of", "text"),
            lambda b: target_words(b[1].target, b[1].n_sources),
        )
    )
    return _scaled(result, Table.of(both, columns, name="contrasts", is_wide=True), both)


def _scaled(
    result: ExpectationsResult, table: Table, rows: Iterable[tuple[ClaimTest, Contrast | None]]
) -> Table:
    """Give each row the scale of its own measure."""
    return replace(
        table, number_formats=tuple(number_format_of(gate, of, result) for gate, of in rows)
    )


def number_format_of(
    gate: ClaimTest, contrast: Contrast | None, result: ExpectationsResult
) -> NumberFormat | None:
    """Return how the numbers of a contrast are written; None of what has none."""
    if contrast is None or gate.measure is None:
        return None
    numbers = (contrast.estimate, contrast.lower, contrast.upper, *contrast.bounds)
    known = [x for x in numbers if x is not None]
    is_ratio = contrast.scale == "ratio" and contrast.second is not None
    return number_format(
        result.measures[gate.measure],
        known,
        is_ratio=is_ratio,
        intervals=[(contrast.lower, contrast.upper)],
    )


def _unit(contrast: Contrast | None, result: ExpectationsResult, gate: ClaimTest) -> str | None:
    """Return the unit of a contrast's numbers; None where they have none."""
    found = number_format_of(gate, contrast, result)
    if contrast is None or found is None:
        return None
    if found.is_ratio:
        return RATIO
    return (found.unit_symbol if contrast.second is None else found.difference_unit) or None


def _of(gate: ClaimTest, name: str) -> Any:
    return getattr(gate.deciding, name, None)


def _interval(gate: ClaimTest) -> Any:
    return None if gate.deciding is None else _bounds(gate.deciding)


def _bounds(contrast: Contrast) -> tuple[float | None, float | None] | None:
    return None if contrast.lower is None else (contrast.lower, contrast.upper)


def _claim_words(gate: ClaimTest, contrast: Contrast) -> str:
    """Write a claim; of several contrasts with the candidate that the first is held against."""
    words = f" (against {contrast.second})" if len(gate.contrasts) > 1 else ""
    return f"{gate.claim}{words}"
