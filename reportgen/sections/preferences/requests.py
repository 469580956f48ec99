"""Figures of the preferences, all on request: the relation as a matrix and as a diagram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from reportgen.drawing import Canvas, alt_names, alt_text, measure_words
from reportgen.report import Figure, Series

if TYPE_CHECKING:
    from reportgen.sections.base import Request
    from reportgen.sections.preferences.result import Preference, PreferencesResult

MOST = 40  # candidates that have room
Relations = tuple[tuple[str, str], ...]


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
        data=Series(("better", "worse"), covers),
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
