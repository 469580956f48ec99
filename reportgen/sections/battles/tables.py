"""Tables of battles: candidates with their worths, and pairs that have met."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.notation import Scale
from reportgen.report import Column, Table
from reportgen.sections.battles.result import BattlesResult, Contender, Meeting
from reportgen.units import Words

SHARE = Scale(100.0, "%", "pp", 1)
MOST_MEETINGS = 66  # pairs of a dozen; of more, those that the worths explain worst


def tabulate(result: BattlesResult | None) -> tuple[Table, ...]:
    """Lay out the candidates, and the pairs that have met."""
    return () if result is None else (_contenders(result), _meetings(result))


def _contenders(result: BattlesResult) -> Table:
    """One row a candidate, most points first."""
    level = f"{100 * (1 - result.alpha):g}% interval"
    columns: list[tuple[Column, Callable[[Contender], object]]] = [
        (Column("candidate", "Candidate", "candidate"), lambda c: c.candidate),
        (Column("elo", "Elo", "value", "larger"), lambda c: c.points),
        (Column("interval", level, "interval"), lambda c: c.interval),
        (Column("win_rate", "Wins, %", "value", "larger", scale=SHARE), lambda c: c.win_rate),
        (Column("n", "Battles", "count"), lambda c: c.n),
        (Column("counts", "Won – tied – lost", "counts"), lambda c: (c.wins, c.ties, c.losses)),
        (Column("ranks", "Ranks", "text"), lambda c: Words(_range(c.ranks))),
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
        scale=result.scale,
        is_wide=True,
    )


def _range(ranks: tuple[int, int]) -> str:
    low, high = ranks
    return str(low) if low == high else f"{low} to {high}"


def _meetings(result: BattlesResult) -> Table:
    """One row a pair, what was observed beside what the worths expect."""
    rows = result.meetings
    if len(rows) > MOST_MEETINGS:
        rows = tuple(sorted(rows, key=lambda m: -abs(m.residual))[:MOST_MEETINGS])
    columns: list[tuple[Column, Callable[[Meeting], object]]] = [
        (Column("pair", "Pair", "pair"), lambda m: (m.first, m.second)),
        (Column("n", "Battles", "count"), lambda m: m.n),
        (Column("counts", "Won – tied – lost", "counts"), lambda m: (m.wins, m.ties, m.losses)),
        (Column("share", "Wins, %", "value", scale=SHARE), lambda m: m.share),
        (Column("expected", "Expected, %", "value", scale=SHARE), lambda m: m.expected),
        (Column("residual", "Residual", "number"), lambda m: m.residual),
    ]
    return Table.of(
        rows, columns, name="meetings", measure=result.measure, scale=result.scale, is_wide=True
    )
