"""Tables of a difference: settings, values, verdicts, orders; with words for what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import Any

from reportgen.difference.result import (
    CellChange,
    Change,
    Difference,
    OrderChange,
    Setting,
    VerdictChange,
)
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.report import CANDIDATE, DATASET, INTERVAL, MEASURE, P_VALUE, PAIR, ColumnOf, Table
from reportgen.stats.columns import Column
from reportgen.stats.decisions import decision_words

ALL = "all data sets"
OUTCOMES = MappingProxyType(
    {
        "moved": "moved",
        "no-move-shown": "no move shown",
        "same-values": "values unchanged",
        "untested": "not tested",
    }
)
SETTINGS = (
    (Column("what", "What", "text"), lambda s: s.name),
    (Column("of", "Of", "text"), lambda s: s.of or None),
    (Column("before", "Before", "text"), lambda s: s.before or None),
    (Column("after", "After", "text"), lambda s: s.after or None),
)


def tabulate(difference: Difference) -> tuple[Table, ...]:
    """Lay out what differs; what is unchanged has no row."""
    return (
        *_settings("design", difference.design),
        *_settings("environment", difference.environment),
        *_values(difference),
        *_verdicts(difference),
        *_orders(difference),
        *_consensus(difference),
    )


def _settings(name: str, settings: tuple[Setting, ...]) -> Iterator[Table]:
    if settings:
        yield Table.of(settings, SETTINGS, name=name, is_wide=True)


def change_word(cell: CellChange) -> str:
    """Return what is shown of a cell, in the words of reports."""
    if cell.status == "changed":
        return "better" if cell.is_better else "worse"
    return {"unchanged": "unchanged", "untested": "not tested"}.get(cell.status, "no change shown")


def _values(difference: Difference) -> Iterator[Table]:
    """Lay out one table a measure, of the cells that are not unchanged: the shown changes first."""
    for measure in difference.measures:
        own = difference.rows_of(measure.name)
        if not own:
            continue
        at = _format_of(measure, own)
        columns = (
            DATASET,
            CANDIDATE,
            (Column("before", "Before", "value"), lambda c: c.first_mean),
            (Column("after", "After", "value"), lambda c: c.second_mean),
            *_change_columns(is_ratio=difference.is_ratio(measure.name)),
            (Column("outcome", "Change", "text"), change_word),
        )
        yield Table.of(
            own,
            columns,
            name="values",
            measure=measure.name,
            number_format=at,
            quiet=lambda cell: cell.status != "changed",
            is_wide=True,
        )


def _change_columns(*, is_ratio: bool) -> tuple[ColumnOf[Any], ...]:
    """Return the columns of an estimate, its interval and its p-value."""

    def of(name: str) -> Callable[[Any], Any]:
        return lambda row: None if row.change is None else getattr(row.change, name)

    def interval(row: CellChange | VerdictChange) -> tuple[float | None, float | None] | None:
        change = row.change
        return None if change is None or change.lower is None else (change.lower, change.upper)

    return (
        (Column("change", "Ratio" if is_ratio else "Difference", "difference"), of("estimate")),
        (INTERVAL, interval),
        (P_VALUE, of("p_value")),
    )


def _format_of(measure: Measure, cells: Iterable[CellChange]) -> NumberFormat:
    """Return how the values of a measure and their changes are written."""
    cells = tuple(cells)
    means = [x for c in cells for x in (c.first_mean, c.second_mean) if x is not None]
    changes = [c.change for c in cells if c.change is not None]
    return number_format(measure, means, is_ratio=_is_ratio(changes), intervals=_intervals(changes))


def _is_ratio(changes: Iterable[Change]) -> bool:
    return any(change.is_ratio for change in changes)


def _intervals(changes: Iterable[Change]) -> list[tuple[float | None, float | None]]:
    return [(c.lower, c.upper) for c in changes if c.lower is not None]


def _verdicts(difference: Difference) -> Iterator[Table]:
    """Lay out one table a measure, of the pairs with another verdict."""
    for measure in difference.measures:
        own = [v for v in difference.verdicts if v.measure == measure.name]
        if not own:
            continue
        cells = [c for c in difference.cells if c.measure == measure.name]
        means = [c.first_mean for c in cells if c.first_mean is not None]
        changes = [v.change for v in own if v.change is not None]
        columns = (
            (Column("dataset", "Data set", "text"), lambda v: v.dataset or ALL),
            PAIR,
            (Column("before", "Before", "decision"), lambda v: _words(v, is_after=False)),
            (Column("after", "After", "decision"), lambda v: _words(v, is_after=True)),
            *_change_columns(is_ratio=difference.is_ratio(measure.name)),
            (Column("outcome", "Move", "text"), lambda v: OUTCOMES[v.status]),
        )
        yield Table.of(
            own,
            columns,
            name="verdicts",
            measure=measure.name,
            number_format=number_format(
                measure, means, is_ratio=_is_ratio(changes), intervals=_intervals(changes)
            ),
            quiet=lambda verdict: verdict.status != "moved",
            is_wide=True,
        )


def _words(change: VerdictChange, *, is_after: bool) -> str:
    """Return a verdict on a pair in the words of reports."""
    verdict = change.after if is_after else change.before
    way = {change.first: 1, change.second: -1}.get(verdict.favoured, 0)
    return decision_words(verdict.decision, way)


def _orders(difference: Difference) -> Iterator[Table]:
    """Lay out the orders that verdicts make; where they are no order, who is unbeaten."""
    columns = (
        (Column("dataset", "Data set", "text"), lambda o: o.dataset or ALL),
        MEASURE,
        (Column("before", "Before", "order"), lambda o: o.before.groups),
        (Column("after", "After", "order"), lambda o: o.after.groups),
        (Column("kind", "Of", "text"), _kind),
    )
    if difference.orders:
        yield Table.of(difference.orders, columns, name="orders", is_wide=True)


def _kind(change: OrderChange) -> str:
    """Return what the groups of both runs are."""
    kinds = ["order" if r.is_order else "unbeaten" for r in (change.before, change.after)]
    return kinds[0] if kinds[0] == kinds[1] else " → ".join(kinds)


def _consensus(difference: Difference) -> Iterator[Table]:
    """Lay out the first optimum of each consensus, and how many there are."""
    columns = (
        (Column("dataset", "Over", "text"), lambda c: c.dataset or ALL),
        (MEASURE, lambda c: c.measure or None),
        (Column("before", "Before", "order"), lambda c: c.before[0]),
        (Column("n_before", "Optima", "count"), lambda c: len(c.before)),
        (Column("after", "After", "order"), lambda c: c.after[0]),
        (Column("n_after", "Optima", "count"), lambda c: len(c.after)),
    )
    shown = [change for change in difference.consensus if change.before and change.after]
    if shown:
        yield Table.of(shown, columns, name="consensus", is_wide=True)
