"""Tables of the preferences."""

from __future__ import annotations

from reportgen.document import Column, Table
from reportgen.sections.preferences.result import PreferencesResult


def tabulate(result: PreferencesResult) -> tuple[Table, ...]:
    """Lay out the relations."""
    columns = (
        Column("id", "Relation", "text"),
        Column("measure", "Measure", "text"),
        Column("by", "Read from", "text"),
        Column("order_class", "Class", "text"),
    )
    rows = tuple((p.id, p.measure, p.by, None if p.unavailable else p.order_class) for p in result)
    return (Table("relations", "", columns, rows),)
