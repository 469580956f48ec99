"""Tables of the archetypes: how many, what they are, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TypeVar

from reportgen.notation import Scale
from reportgen.report import CANDIDATE, DATASET, Column, ColumnOf, Table
from reportgen.sections.archetypes.result import MOST_IN_A_ROW, ArchetypesResult, Profile

MOST_COLUMNS = 60  # rows of the table of profiles
MOST_GROUPS = 60
MOST_OUTLIERS = 20
MOST_WITH_PERCENTILES = 3  # archetypes up to which percentiles are in the table of values
MOST_SHARES = 10  # archetypes that a page of shares has room for
MOST_NAMED = 8  # columns of shares above which the head of one is a number alone

Item = TypeVar("Item")


def tabulate(result: ArchetypesResult) -> tuple[Table, ...]:
    """Lay out the fits, the archetypes and the groups."""
    return () if result.unavailable else tuple(_tables(result))


def _tables(result: ArchetypesResult) -> Iterable[Table]:
    yield _steps(result)
    yield _profiles(result)
    if len(result.columns) <= MOST_COLUMNS:
        yield from _values(result)
    if result.groups and len(result.groups) <= MOST_GROUPS:
        yield from _groups(result)
    if result.n_outliers:
        yield _outliers(result)


def _steps(result: ArchetypesResult) -> Table:
    """One row a number of archetypes."""
    columns = (
        Column("k", "Archetypes", "count"),
        Column("rss", "Left over", "size"),
        Column("explained", "Explained, %", "value"),
        Column("gain", "Gain, %", "value"),
    )
    return Table.of(result.steps, columns, name="steps", scale=Scale(100.0, "%", "pp", 1))


def _profiles(result: ArchetypesResult) -> Table:
    """One row an archetype: in how many columns it is low and high, and what is made of it."""
    columns: list[ColumnOf[Profile]] = [
        (Column("archetype", "Archetype", "count"), lambda p: p.number),
        (Column("n_low", "Low in", "count"), lambda p: len(p.low)),
        (Column("n_high", "High in", "count"), lambda p: len(p.high)),
    ]
    if result.is_of_candidates:
        members = Column("members", "Made of it", "text")
        columns.append((members, lambda p: ", ".join(p.members) or None))
    columns.append(Column("n_rows", "Rows made of it", "count"))
    if result.n_repeated:
        columns.append(Column("distance", "Moves in samples by", "value"))
    return Table.of(result.profiles, columns, name="profiles", scale=Scale(1.0, "", "", 2))


def _values(result: ArchetypesResult) -> Iterable[Table]:
    """One row a column of the data, in its own unit; percentiles are further columns or tables."""
    has_percentiles = result.k <= MOST_WITH_PERCENTILES
    for name, page in split_into_pages("values", result.profiles, MOST_IN_A_ROW):
        columns = [Column(f"archetype_{p.number}", f"Archetype {p.number}", "size") for p in page]
        rows = [[p.values[c] for p in page] for c in range(len(result.columns))]
        if has_percentiles:
            columns += _percentile_columns(page, "Percentile of ")
            rows = [[*row, *own] for row, own in zip(rows, _percentiles(page), strict=True)]
        yield _of_columns(name, result, columns, rows)
    for name, page in (
        () if has_percentiles else split_into_pages("percentiles", result.profiles, MOST_SHARES)
    ):
        columns = _percentile_columns(page, _head(page))
        yield _of_columns(name, result, columns, _percentiles(page))


def split_into_pages(
    name: str, items: Sequence[Item], most: int
) -> list[tuple[str, Sequence[Item]]]:
    """Part items into pages of nearly equal length, and name these.

    >>> split_into_pages("values", "abcdefg", 4)
    [('values', 'abcd'), ('values-2', 'efg')]
    """
    n = -(-len(items) // most)
    ends = [-(-i * len(items) // n) for i in range(n + 1)]
    names = (name, *(f"{name}-{i}" for i in range(2, n + 1)))
    return [(own, items[a:b]) for own, (a, b) in zip(names, pairwise(ends), strict=True)]


def _head(page: Sequence[Profile]) -> str:
    """Return the word before the number of an archetype: empty where columns are many."""
    return "Archetype " if len(page) <= MOST_NAMED else ""


def _percentile_columns(page: Sequence[Profile], head: str) -> list[Column]:
    return [Column(f"percentile_{p.number}", f"{head}{p.number}", "value") for p in page]


def _percentiles(page: Sequence[Profile]) -> list[list[float]]:
    return [list(row) for row in zip(*(p.percentiles for p in page), strict=True)]


def _of_columns(
    name: str, result: ArchetypesResult, columns: Sequence[Column], rows: Sequence[Sequence[float]]
) -> Table:
    first = Column("column", "Column", "text")
    cells = tuple((c, *row) for c, row in zip(result.columns, rows, strict=True))
    return Table(name, "", (first, *columns), cells, Scale(100.0, "", "", 0), is_wide=True)


def _groups(result: ArchetypesResult) -> Iterable[Table]:
    """One row a candidate or data set, with its mean shares."""
    first = CANDIDATE if result.is_of_candidates else DATASET
    scale = Scale(100.0, "%", "pp", result.share_decimals)
    pages = split_into_pages("groups", result.profiles, MOST_SHARES)
    for name, page in pages:
        columns = [first]
        columns += [Column(f"archetype_{p.number}", f"{_head(page)}{p.number}", "value")
                    for p in page]  # fmt: skip
        rows = [(g.name, *(g.shares[p.number - 1] for p in page)) for g in result.groups]
        if name == pages[-1][0] and any(g.returned is not None for g in result.groups):
            columns.append(Column("returned", "Same in samples", "value"))
            rows = [(*row, g.returned) for row, g in zip(rows, result.groups, strict=True)]
        yield Table(name, "", tuple(columns), tuple(rows), scale)


def _outliers(result: ArchetypesResult) -> Table:
    """The rows without weight, those with the largest residuals first."""
    columns: list[ColumnOf[int]] = [(Column("row", "Row", "text"), lambda i: result.labels[i])]
    numbers = result.numbers
    if result.is_numbered and numbers:
        columns.append((Column("replication", "Replication", "count"), lambda i: numbers[i]))
    residual = Column("residual", "Residual", "number")
    columns.append((residual, lambda i: float(result.residuals[i])))
    outside = [i for i, weight in enumerate(result.row_weights) if weight == 0]
    outside.sort(key=lambda i: -float(result.residuals[i]))
    return Table.of(outside[:MOST_OUTLIERS], columns, name="outliers")
