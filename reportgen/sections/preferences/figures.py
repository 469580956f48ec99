"""Tables of the preferences, and figures on request: a relation as a matrix and as a diagram."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from reportgen.drawing import Canvas, alt_names, alt_text, measure_words
from reportgen.report import MEASURE, ColumnOf, Figure, Series, Table
from reportgen.sections.preferences.analysis import Preference, PreferencesResult
from reportgen.stats.columns import Column

if TYPE_CHECKING:
    from reportgen.sections.base import Request

MOST = 40  # candidates that have room
Relations = tuple[tuple[str, str], ...]

LARGEST_MATRIX = 12  # candidates up to which an incidence fits a page


def hasse(result: PreferencesResult, canvas: Canvas) -> Iterator[Figure]:
    """Hasse diagram of the relation: its transitive reduction (Eugster 2011, fig. 2.7)."""
    for relation in _drawn(result, canvas):
        if relation.cycles or not relation.covers:
            continue
        present = [tuple(n for n in level if n in relation.present) for level in relation.levels]
        yield hasse_figure(
            canvas,
            relation.measure,
            f"the candidates by {measure_words(relation.measured)}",
            tuple(level for level in present if level),
            relation.covers,
            relation.implied,
        )


def incidence(result: PreferencesResult, canvas: Canvas) -> Iterator[Figure]:
    """Incidence matrix of the relation (Eugster 2011, ch. 2.4.2 and fig. 2.6)."""
    for relation in _drawn(result, canvas):
        order = tuple(name for name in relation.ranking if name in relation.present)
        yield incidence_figure(
            canvas, relation.measure, measure_words(relation.measured), order, relation.pairs
        )


def _drawn(result: PreferencesResult, canvas: Canvas) -> Iterator[Preference]:
    """Yield the first relation of each measure that there is, and that has room."""
    first: dict[str, Preference] = {}
    for relation in result:
        if not relation.unavailable:
            first.setdefault(relation.measure, relation)
    for relation in canvas.of_measures(first.values()):
        if 2 <= len(relation.present) <= MOST:
            yield relation


def hasse_figure(
    canvas: Canvas,
    measure: str,
    words: str,
    levels: tuple[tuple[str, ...], ...],
    covers: Relations,
    implied: Relations = (),
) -> Figure:
    """Draw a Hasse diagram.

    `words`: what it is of.
    """
    from reportgen.drawing.plots.relation import Heights, draw_hasse

    names = alt_names([name for level in levels for name in level])
    heights = "; ".join(", ".join(names[n] for n in level) for level in levels)
    lines = ", ".join(f"{names[a]} over {names[b]}" for a, b in covers) or "none"
    dashed = ", ".join(f"{names[a]} over {names[b]}" for a, b in implied)
    head = f"Hasse diagram of {words}. Heights, best first: {heights}."
    more = f" Suggested by the lines, but not so: {dashed}." if dashed else ""
    return canvas.figure(
        "hasse",
        measure,
        partial(draw_hasse, Heights(levels, covers, implied)),
        alt=alt_text(f"{head} Lines: {lines}.{more}", head),
        data=Series(
            ("better", "worse", "line"),
            (*((*pair, "solid") for pair in covers), *((*pair, "dashed") for pair in implied)),
        ),
    )


def incidence_figure(
    canvas: Canvas, measure: str, words: str, order: tuple[str, ...], better: Relations
) -> Figure:
    """Draw an incidence matrix.

    `order`: of rows and columns.
    """
    from reportgen.drawing.plots.relation import draw_incidence

    names = alt_names(order)
    rows = [
        f"{names[n]} is better than {', '.join(names[b] for a, b in better if a == n) or 'none'}"
        for n in order
    ]
    counts = [f"{names[n]} {sum(a == n for a, _ in better)}" for n in order]
    head = f"Incidence matrix of the candidates by {words}. "
    return canvas.figure(
        "incidence",
        measure,
        partial(draw_incidence, order, better),
        alt=alt_text(
            f"{head}{'; '.join(rows)}.", f"{head}Better than so many others: {', '.join(counts)}."
        ),
        data=Series(("better", "worse"), better),
    )


REQUESTS: Mapping[str, Request] = {"hasse": hasse, "incidence": incidence}


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
