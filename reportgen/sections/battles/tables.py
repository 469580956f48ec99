"""Tables of battles: candidates with their worths, and pairs that have met."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.notation import Scale, whole_range
from reportgen.report import CANDIDATE, PAIR, Column, ColumnOf, Table
from reportgen.sections.battles.result import BattlesResult, Contender, Group, Look, Meeting
from reportgen.units import Words

SHARE = Scale(100.0, "%", "pp", 1)
MOST_MEETINGS = 66  # pairs of a dozen; of more, those that the worths explain worst


def tabulate(result: BattlesResult | None) -> tuple[Table, ...]:
    """Lay out the candidates, and the pairs that have met."""
    if result is None:
        return ()
    further = (*_looks(result), *_groups(result), *_styled(result))
    return (_contenders(result), _meetings(result), *further)


def _contenders(result: BattlesResult) -> Table:
    """One row a candidate, most points first."""
    level = f"{100 * (1 - result.alpha):g}% interval"
    columns: list[ColumnOf[Contender]] = [
        CANDIDATE,
        (Column("elo", "Elo", "value", "larger"), lambda c: c.points),
        Column("interval", level, "interval"),
        Column("win_rate", "Wins, %", "value", "larger", scale=SHARE),
        Column("n", "Battles", "count"),
        (Column("counts", "Won – tied – lost", "counts"), lambda c: (c.wins, c.ties, c.losses)),
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
        scale=result.scale,
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
            scale=result.scale,
        ),
    )


def _meetings(result: BattlesResult) -> Table:
    """One row a pair, what was observed beside what the worths expect."""
    rows = result.meetings
    if len(rows) > MOST_MEETINGS:
        rows = tuple(sorted(rows, key=lambda m: -abs(m.residual))[:MOST_MEETINGS])
    columns: list[ColumnOf[Meeting]] = [
        (PAIR, lambda m: (m.first, m.second)),
        Column("n", "Battles", "count"),
        (Column("counts", "Won – tied – lost", "counts"), lambda m: (m.wins, m.ties, m.losses)),
        Column("share", "Wins, %", "value", scale=SHARE),
        Column("expected", "Expected, %", "value", scale=SHARE),
        Column("residual", "Residual", "number"),
    ]
    return Table.of(
        rows, columns, name="meetings", measure=result.measure, scale=result.scale, is_wide=True
    )


def _groups(result: BattlesResult) -> tuple[Table, ...]:
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
            scale=result.scale,
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
    level = f"{100 * (1 - result.alpha):g}% interval"
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
            result.contenders, columns, name="style", measure=result.measure, scale=result.scale
        ),
    )
