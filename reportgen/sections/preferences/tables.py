"""Tables of the preferences: the relations, and who is better than whom in each."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.report import MEASURE, Column, ColumnOf, Table
from reportgen.sections.preferences.result import Preference, PreferencesResult

LARGEST_MATRIX = 12  # candidates up to which an incidence fits a page


def tabulate(result: PreferencesResult) -> tuple[Table, ...]:
    """Lay out the relations and, for not too many candidates, the incidence of each.

    The table of an incidence has the relation's id for its measure.
    """
    return tuple(_tables(result))


def _tables(result: PreferencesResult) -> Iterable[Table]:
    yield _relations(result)
    for preference in result:
        if not preference.unavailable and len(preference.candidates) <= LARGEST_MATRIX:
            yield _incidence(preference)


def _relations(result: PreferencesResult) -> Table:
    """One row a relation; measure and rule are columns where a name hides them."""
    is_named = any(p.id != f"{p.measure}/{p.by}" for p in result)
    columns: list[ColumnOf[Preference]] = [Column("id", "Relation", "text")]
    if is_named:
        columns += [
            MEASURE,
            Column("by", "Read from", "text"),
        ]
    columns += [
        (
            Column("order_class", "Class", "text"),
            lambda p: None if p.unavailable else p.order_class,
        ),
        (Column("chain", "Order, best first", "order"), lambda p: p.order),
        (
            Column("n_violations", "Triples against one", "count"),
            lambda p: None if p.unavailable else p.n_violations,
        ),
    ]
    return Table.of(result, columns, name="relations", is_wide=True)


def _incidence(preference: Preference) -> Table:
    """Rows are better than columns where there is a 1; nothing is better than itself."""
    names = preference.candidates
    columns = (Column("candidate", "Better", "candidate"), *(Column(n, n, "count") for n in names))
    rows = tuple(
        (name, *(None if i == j else preference.incidence[i][j] for j in range(len(names))))
        for i, name in enumerate(names)
    )
    return Table("incidence", preference.id, columns, rows)
