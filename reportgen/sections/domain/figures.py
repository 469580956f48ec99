"""Figures of the domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, measure_words, told
from reportgen.notation import Scale, scale
from reportgen.sections.consensus import figures as consensus_figures
from reportgen.sections.domain.across_figures import across_figures
from reportgen.sections.domain.bsplot import Page, draw_bsplot, pages
from reportgen.sections.domain.model_figures import effects_figures, means_figure
from reportgen.sections.domain.relation import relation_figure
from reportgen.sections.domain.sets_figures import numbered, sets_figures
from reportgen.sections.inference import figures as inference_figures

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DomainResult
    from reportgen.sections.domain.rows_result import DatasetRow

SMALL_DOMAIN = 260  # data sets times candidates up to which figures are drawn for phones, too


def draw(result: DomainResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the data sets side by side, and the domain model of every measure.

    A domain of many data sets has several pages of a figure: "bsplot",
    "bsplot-2" and so on; with many candidates heat maps stand for the trellis.
    """
    if not any(row.means for row in result.rows):
        return ()
    is_small = len(result.rows) * len(result.candidates) <= SMALL_DOMAIN
    full = replace(canvas, detail="full", phone=is_small, dark=False)
    return tuple(_figures(result, full))


def _figures(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    for i, page in enumerate(pages(result.rows)):
        yield _bsplot(result, page, i, canvas)
    at = scale_of(result, result.main)
    yield from sets_figures(result, canvas, at)
    yield from _consensus(result, canvas)
    yield from across_figures(result, canvas, at)
    for measure in result.verdict:
        yield means_figure(result, measure, canvas, scale_of(result, measure))
    yield from _intervals(result, canvas)
    relation = relation_figure(result, canvas)
    if relation is not None:
        yield relation
    if result.main in result.mixed_model:
        yield from effects_figures(result, canvas, at)


def scale_of(result: DomainResult, measure: str) -> Scale:
    """Return the scale of a measure from the candidates' means over all data sets."""
    verdict = result.verdict.get(measure)
    if verdict is not None:
        return scale(result.measures[measure], verdict.means.values())
    means = (x for row in result.rows for x in row.means.values())
    return scale(result.measures[measure], means if measure == result.main else ())


# ---------------------------------------------------------------------------- summary plot


def _bsplot(result: DomainResult, page: Page, i: int, canvas: Canvas) -> Figure:
    columns = ("dataset", "place", "candidate", "mean", "better_than_next", "order_class")
    whole = result.rows[page.first : page.first + len(page.rows)]
    rows = tuple(
        (
            row.name,
            k + 1,
            name,
            row.means[name],
            k < len(row.is_better_than_next) and row.is_better_than_next[k],
            row.order_class,
        )
        for row in whole
        for k, name in enumerate(row.order)
    )
    return canvas.figure(
        numbered("bsplot", i),
        result.main,
        partial(draw_bsplot, result, page, scale_of(result, result.main)),
        alt=_bsplot_alt(result, whole),
        data=Series(columns, rows),
    )


def _bsplot_alt(result: DomainResult, rows: tuple[DatasetRow, ...]) -> str:
    names = told(result.candidates)
    sets = told([row.name for row in rows])
    head = (
        f"Order of the candidates by {measure_words(result.main_measure)} on {len(rows)} data sets"
        ", alike ones side by side. "
    )
    full = [f"{sets[row.name]}: {_told_order(row, names)}" for row in rows]
    brief = [f"{sets[row.name]}: {', '.join(names[n] for n in row.best) or 'none'}" for row in rows]
    counts = {name: sum(row.best == (name,) for row in rows) for name in result.candidates}
    firsts = ", ".join(f"{names[n]} {c}" for n, c in counts.items() if c)
    return alt_text(
        head + "; ".join(full) + ".",
        head + "Not beaten by any other: " + "; ".join(brief) + ".",
        head + f"Alone not beaten by any other, number of data sets: {firsts or 'none'}.",
    )


def _told_order(row: DatasetRow, names: dict[str, str]) -> str:
    if row.chain is None:
        return f"no weak order, by mean {', '.join(names[n] for n in row.order)}"
    return ", then ".join(" tied with ".join(names[n] for n in group) for group in row.chain)


# -------------------------------------------------------------- consensus and comparisons


def _consensus(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Draw the main measure's consensus as the data sets' sections do, where no chain says it."""
    found = result.consensus.get(result.main)
    if found is None or not found.relations:
        return
    if len(found.relations) > 1 or found.relations[0].chain is None:
        for figure in consensus_figures.draw(found, canvas):
            yield replace(figure, measure=result.main)


def _intervals(result: DomainResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the main measure's pairs as the inference on a data set draws them."""
    verdict = result.verdict.get(result.main)
    if verdict is None:
        return ()
    return (inference_figures.intervals_figure(cast("Any", verdict), canvas),)
