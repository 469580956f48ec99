"""Tables of the archetypes: how many, what they are, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.document import Column, Table
from reportgen.notation import Scale
from reportgen.sections.archetypes.result import ArchetypesResult

MOST_COLUMNS = 60  # rows of the table of profiles
MOST_GROUPS = 60
MOST_OUTLIERS = 20


def tabulate(result: ArchetypesResult) -> tuple[Table, ...]:
    """Lay out the fits, the archetypes and the groups."""
    return () if result.unavailable else tuple(_tables(result))


def _tables(result: ArchetypesResult) -> Iterable[Table]:
    yield _steps(result)
    yield _profiles(result)
    if len(result.columns) <= MOST_COLUMNS:
        yield _values(result)
    if result.groups and len(result.groups) <= MOST_GROUPS:
        yield _groups(result)
    if result.n_outliers:
        yield _outliers(result)


def _steps(result: ArchetypesResult) -> Table:
    columns = (
        Column("k", "Archetypes", "count"),
        Column("rss", "Left over", "number"),
        Column("explained", "Explained, %", "value"),
        Column("gain", "Gain, %", "value"),
    )
    rows = tuple((s.k, s.rss, s.explained, s.gain) for s in result.steps)
    return Table("steps", "", columns, rows, Scale(100.0, "%", "pp", 1))


def _profiles(result: ArchetypesResult) -> Table:
    is_grouped = result.is_of_candidates
    columns = (
        Column("archetype", "Archetype", "count"),
        Column("n_low", "Low in", "count"),
        Column("n_high", "High in", "count"),
        *((Column("members", "Made of it", "text"),) if is_grouped else ()),
        Column("n_rows", "Rows made of it", "count"),
        *((Column("distance", "Moves in samples by", "value"),) if result.n_samples else ()),
    )
    rows = tuple(
        (
            p.number,
            len(p.low),
            len(p.high),
            *((", ".join(p.members) or None,) if is_grouped else ()),
            p.n_rows,
            *((p.distance,) if result.n_samples else ()),
        )
        for p in result.profiles
    )
    return Table("profiles", "", columns, rows, Scale(1.0, "", "", 2))


def _values(result: ArchetypesResult) -> Table:
    """One row a column of the data, in its own unit."""
    columns = (
        Column("column", "Column", "text"),
        *(Column(f"archetype_{p.number}", f"Archetype {p.number}", "number")
          for p in result.profiles),
        *(Column(f"percentile_{p.number}", f"Percentile of {p.number}", "value")
          for p in result.profiles),
    )  # fmt: skip
    rows = tuple(
        (
            column,
            *(p.values[c] for p in result.profiles),
            *(p.percentiles[c] for p in result.profiles),
        )
        for c, column in enumerate(result.columns)
    )
    return Table("values", "", columns, rows, Scale(100.0, "", "", 0), is_wide=True)


def _groups(result: ArchetypesResult) -> Table:
    """One row a candidate or data set, with its mean shares."""
    first = (
        Column("candidate", "Candidate", "candidate")
        if result.is_of_candidates
        else Column("dataset", "Data set", "dataset")
    )
    is_sampled = any(group.returned is not None for group in result.groups)
    columns = (
        first,
        *(Column(f"archetype_{p.number}", f"Archetype {p.number}", "value")
          for p in result.profiles),
        *((Column("returned", "Same in samples", "value"),) if is_sampled else ()),
    )  # fmt: skip
    rows = tuple(
        (group.name, *group.shares, *((group.returned,) if is_sampled else ()))
        for group in result.groups
    )
    return Table("groups", "", columns, rows, Scale(100.0, "%", "pp", result.share_decimals))


def _outliers(result: ArchetypesResult) -> Table:
    """The rows without weight, those with the largest residuals first."""
    columns = (
        Column("row", "Row", "text"),
        *((Column("replication", "Replication", "count"),) if result.is_numbered else ()),
        Column("residual", "Residual", "number"),
    )
    outside = [i for i, weight in enumerate(result.row_weights) if weight == 0]
    outside.sort(key=lambda i: -float(result.residuals[i]))
    rows = tuple(
        (
            result.labels[i],
            *((result.numbers[i],) if result.is_numbered and result.numbers else ()),
            float(result.residuals[i]),
        )
        for i in outside[:MOST_OUTLIERS]
    )
    return Table("outliers", "", columns, rows)
