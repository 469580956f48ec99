"""Who is better than whom over the domain: the verdict's relation, drawn and as a matrix."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.document import Column, Figure, Series, Table
from reportgen.drawing import Canvas, Sheet, alt_text, measure_words, told
from reportgen.sections.consensus.ensemble import lay_out
from reportgen.sections.consensus.figures import Shape
from reportgen.sections.preferences.hasse import Panel, draw_panel, fit
from reportgen.sections.preferences.incidence import draw_incidence, incidence_height

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DomainResult, DomainVerdict
    from reportgen.stats.pair_table import PairTable

LARGEST = 16  # candidates up to which diagrams can be read; of more the matrix is drawn
GAP = 18.0  # pt between the two diagrams, and below one another on a phone
HEADS = {
    "own-variance": "own variances",
    "interaction": "independent interactions",
    "unstructured": "free covariance",
}


def relation_of(method: str, pairs: PairTable, names: tuple[str, ...]) -> Shape:
    """Return the relation "decided to be better over the domain" of one method.

    Parameters
    ----------
    method : {"own-variance", "interaction", "unstructured"}
    pairs : PairTable
    names : tuple of str
        Its candidates by their means, best first.

    Returns
    -------
    Shape
        Candidates by their means, best first.
    """
    place = [pairs.candidates.index(name) for name in names]
    order = lay_out(pairs.incidence[np.ix_(place, place)], names)
    return Shape(method, (HEADS[method], ""), names, order)


def relation_figure(result: DomainResult, canvas: Canvas) -> Figure | None:
    """Draw the verdict's relation on the main measure, and that of a model beside it."""
    verdict = result.verdict.get(result.main)
    if verdict is None or len(verdict.order) < 3:
        return None
    shapes = _headed(result, verdict)
    if not any(any(map(any, shape.order.incidence)) for shape in shapes):
        return None
    data = [
        (shape.key, a, b, int(shape.is_better(a, b)))
        for shape in shapes
        for a in shape.present
        for b in shape.present
        if a != b
    ]
    return canvas.figure(
        "relation",
        result.main,
        partial(_draw, shapes),
        alt=_alt(result, shapes),
        data=Series(("method", "first", "second", "better"), tuple(data)),
    )


def _headed(result: DomainResult, verdict: DomainVerdict) -> tuple[Shape, ...]:
    """Return the relations, the verdict's first; that of a model only of the same candidates."""
    first = relation_of(verdict.method, verdict.pairs, verdict.order)
    shapes = [Shape(first.key, (HEADS[first.key], "the verdict"), first.present, first.order)]
    other = next(iter(result.others(result.main)), None)
    if other is not None and set(other.order) == set(verdict.order):
        shapes.append(relation_of(other.structure, other.pairs, other.order))
    return tuple(shapes)


def _alt(result: DomainResult, shapes: tuple[Shape, ...]) -> str:
    what = "Incidence matrix" if _is_large(shapes) else "Hasse diagrams"
    head = (
        f"{what} of who is decided to be better by {measure_words(result.main_measure)} "
        f"over {'these data sets' if result.settings else 'the domain'}. "
    )
    full, brief = [], []
    for shape in shapes:
        names = told(shape.present)
        lines = ", ".join(f"{names[a]} over {names[b]}" for a, b in shape.covers) or "no lines"
        full.append(f"With {shape.heading[0]}: {lines}.")
        brief.append(f"With {shape.heading[0]}: {len(shape.covers)} lines.")
    return alt_text(head + " ".join(full), head + " ".join(brief))


def _draw(shapes: tuple[Shape, ...], sheet: Sheet) -> None:
    """Draw the diagrams side by side; on a phone, or where a layer breaks, one below another."""
    if _is_large(shapes):
        sheet.begin(incidence_height(len(shapes[0].present), sheet.width))
        draw_incidence(sheet, sheet.page(), shapes, "better than")
        return
    half = (sheet.width - GAP) / 2
    panels = [fit(shape, half) for shape in shapes]
    is_beside = not sheet.is_phone and not any(panel.is_broken for panel in panels)
    if not is_beside:
        panels = [fit(shape, sheet.width) for shape in shapes]
    heights = [panel.height for panel in panels]
    sheet.begin((max(heights) if is_beside else sum(heights) + GAP * (len(panels) - 1)) + 3)
    page, top = sheet.page(), 0.0
    for i, (shape, panel) in enumerate(zip(shapes, panels, strict=True)):
        _place(sheet, shape, panel, (i * (half + GAP), 0.0) if is_beside else (0.0, top), page)
        top += panel.height + GAP


def _is_large(shapes: tuple[Shape, ...]) -> bool:
    return len(shapes[0].present) > LARGEST


def _place(
    sheet: Sheet, shape: Shape, panel: Panel, corner: tuple[float, float], page: object
) -> None:
    draw_panel(sheet, page, panel, shape.heading, *corner, panel.width)  # type: ignore[arg-type]


def incidence_table(result: DomainResult, measure: str) -> Table:
    """Lay out the verdict's relation: a 1 where the row is better than the column."""
    verdict = result.verdict[measure]
    shape = relation_of(verdict.method, verdict.pairs, verdict.order)
    names = shape.present
    columns = (Column("candidate", "Better", "candidate"), *(Column(n, n, "count") for n in names))
    rows = tuple(
        (a, *(None if i == j else shape.order.incidence[i][j] for j in range(len(names))))
        for i, a in enumerate(names)
    )
    return Table("incidence", measure, columns, rows)
