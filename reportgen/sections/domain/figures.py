"""Figures of the domain."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, measure_words, plain, told
from reportgen.notation import Scale, scale
from reportgen.sections.consensus import figures as consensus_figures
from reportgen.sections.domain.across_figures import across_figures
from reportgen.sections.domain.bsplot import Page, draw_bsplot, pages
from reportgen.sections.domain.heat import draw_heat, heat_pages, positions
from reportgen.sections.domain.means import MOST_EFFECTS, draw_effects, draw_means, effects_order
from reportgen.sections.domain.trellis import MOST_CANDIDATES, MOST_DATASETS, draw_trellis
from reportgen.sections.inference import figures as inference_figures

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DatasetRow, DomainFit, DomainResult
    from reportgen.sections.inference.result import Pair
    from reportgen.warehouse import Measure

SMALL_DOMAIN = 260  # data sets times candidates up to which figures are drawn for phones, too


def draw(result: DomainResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the data sets side by side, and the domain model of every measure.

    A domain of many data sets has several pages of a figure: "bsplot",
    "bsplot-2" and so on; a heat map in place of the trellis.
    """
    if not any(row.means for row in result.rows):
        return ()
    is_small = len(result.rows) * len(result.candidates) <= SMALL_DOMAIN
    full = replace(canvas, detail="full", phone=is_small, dark=False)
    return tuple(_figures(result, full))


def _figures(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    for i, page in enumerate(pages(result.rows)):
        yield _bsplot(result, page, i, canvas)
    if is_trellis(result):
        if _has_boxes(result):
            yield _trellis(result, canvas)
    else:
        for i, rows in enumerate(heat_pages(result)):
            yield _heat(result, rows, i, canvas)
    yield from _consensus(result, canvas)
    yield from across_figures(result, canvas, scale_of(result, result.main))
    for measure in (m for m in result.bases if result.fits(m)):
        yield _means(result, measure, canvas)
    yield from _intervals(result, canvas)
    if result.main in result.mixed_model and len(result.rows) <= MOST_EFFECTS:
        yield _effects(result, canvas)


def is_trellis(result: DomainResult) -> bool:
    """Whether box plots of all data sets can be read in one figure."""
    return len(result.rows) <= MOST_DATASETS and len(result.candidates) <= MOST_CANDIDATES


def _has_boxes(result: DomainResult) -> bool:
    """Whether some box is more than a single value."""
    return any(box.low < box.high for own in result.boxes.values() for box in own.values())


def scale_of(result: DomainResult, measure: str) -> Scale:
    """Return the scale of a measure from the candidates' means over all data sets."""
    fit = result.primary(measure) if measure in result.bases else None
    if fit is not None:
        return scale(result.measures[measure], fit.coefficients.values())
    means = (x for row in result.rows for x in row.means.values())
    return scale(result.measures[measure], means if measure == result.main else ())


def _numbered(name: str, i: int) -> str:
    return name if i == 0 else f"{name}-{i + 1}"


# ---------------------------------------------------------------------------- summary plot


def _bsplot(result: DomainResult, page: Page, i: int, canvas: Canvas) -> Figure:
    columns = ("dataset", "place", "candidate", "mean", "better_than_next", "order_class")
    rows = tuple(
        (
            row.name,
            k + 1,
            name,
            row.means[name],
            k < len(row.is_better_than_next) and row.is_better_than_next[k],
            row.order_class,
        )
        for row in page.rows
        for k, name in enumerate(row.order)
    )
    return canvas.figure(
        _numbered("bsplot", i),
        result.main,
        partial(draw_bsplot, result, page, scale_of(result, result.main)),
        alt=_bsplot_alt(result, page.rows),
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


# -------------------------------------------------------------------- trellis and heat map


def _trellis(result: DomainResult, canvas: Canvas) -> Figure:
    columns = ("dataset", "candidate", "low", "lower", "median", "upper", "high")
    rows = tuple(
        (row.name, name, box.low, box.lower, box.middle, box.upper, box.high)
        for row in result.rows
        for name, box in result.boxes[row.name].items()
    )
    at = scale_of(result, result.main)
    return canvas.figure(
        "trellis",
        result.main,
        partial(draw_trellis, result, at),
        alt=_medians_alt(result, result.rows, at, "Box plots of the values"),
        data=Series(columns, rows),
    )


def _heat(result: DomainResult, rows: tuple[DatasetRow, ...], i: int, canvas: Canvas) -> Figure:
    smaller = result.main_measure.is_smaller_better
    table = tuple(
        (row.name, name, row.medians[name], share)
        for row in rows
        for name, share in positions(row, is_smaller_better=smaller).items()
    )
    at = scale_of(result, result.main)
    return canvas.figure(
        _numbered("heat", i),
        result.main,
        partial(draw_heat, result, rows),
        alt=_medians_alt(result, rows, at, "Heat map of the medians"),
        data=Series(("dataset", "candidate", "median", "position"), table),
    )


def _medians_alt(result: DomainResult, rows: tuple[DatasetRow, ...], at: Scale, what: str) -> str:
    names = told(result.candidates)
    sets = told([row.name for row in rows])
    unit = f" in {at.unit}" if at.unit else ""
    words = measure_words(result.main_measure)
    head = f"{what} of {words} on {len(rows)} data sets; medians{unit}. "
    full = [
        f"{sets[row.name]}: "
        + ", ".join(f"{names[n]} {at.value(x)}" for n, x in row.medians.items())
        for row in rows
    ]
    smaller = result.main_measure.is_smaller_better
    best = [
        name
        for row in rows
        for name, share in positions(row, is_smaller_better=smaller).items()
        if share == 0
    ]
    counts = ", ".join(f"{names[n]} {best.count(n)}" for n in result.candidates if n in best)
    return alt_text(
        head + "; ".join(full) + ".",
        head + f"Number of data sets on which a candidate has the best median: {counts}.",
    )


# -------------------------------------------------------------- consensus and comparisons


def _consensus(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Draw the main measure's consensus as the data sets' sections do, where no chain says it."""
    found = result.consensus.get(result.main)
    if found is None or not found.relations:
        return
    if len(found.relations) > 1 or found.relations[0].chain is None:
        for figure in consensus_figures.draw(found, canvas):
            yield replace(figure, measure=result.main)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a figure of intervals needs to know of the domain model."""

    measure: Measure
    alpha: float
    relevance: tuple[float, float] | None
    order: tuple[str, ...]
    pairs: tuple[Pair, ...]
    mixed_model: DomainFit
    unavailable: None = None


def _intervals(result: DomainResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the main measure's pairs as the inference on a data set draws them."""
    fit = result.primary(result.main) if result.main in result.bases else None
    if fit is None:
        return ()
    basis = result.bases[result.main]
    compared = Compared(basis.measure, basis.alpha, basis.relevance, fit.order, fit.pairs, fit)
    return (inference_figures.intervals_figure(cast("Any", compared), canvas),)


# ----------------------------------------------------------------------------------- model


def _means(result: DomainResult, measure: str, canvas: Canvas) -> Figure:
    at = scale_of(result, measure)
    fits = result.fits(measure)
    columns = ("structure", "candidate", "mean", "standard_error", "lower", "upper")
    rows = tuple(
        (s, n, fit.coefficients[n], fit.standard_errors[n], *fit.intervals[n])
        for s, fit in fits.items()
        for n in fit.order
    )
    chosen = fits[result.bases[measure].structure]
    unit = f" in {at.unit}" if at.unit else ""
    level = f"{100 * (1 - result.bases[measure].alpha):g}%"
    words = measure_words(result.measures[measure])
    head = f"Mean {words} over the domain{unit}, with {level} intervals. "
    full = [
        f"{plain(n)} {at.value(chosen.coefficients[n])} ({at.interval(*chosen.intervals[n])})"
        for n in chosen.order
    ]
    brief = [f"{plain(n)[:32]} {at.value(chosen.coefficients[n])}" for n in chosen.order]
    return canvas.figure(
        "means",
        measure,
        partial(draw_means, result, measure, at),
        alt=alt_text(head + "; ".join(full) + ".", head + "; ".join(brief) + "."),
        data=Series(columns, rows),
    )


def _effects(result: DomainResult, canvas: Canvas) -> Figure:
    at = scale_of(result, result.main)
    fit = result.mixed_model[result.main][result.bases[result.main].structure]
    order = effects_order(result, result.main)
    rows = tuple(
        (d, fit.blups.dataset[d], n, fit.blups.interaction[d][n])
        for d in order
        for n in fit.coefficients
    )
    sets = told(order)
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    words = measure_words(result.main_measure)
    levels = [f"{sets[d]} {at.value(fit.blups.dataset[d])}" for d in order]
    head = (
        f"Predicted {words} of every data set, the easiest first: level against the domain{unit}: "
    )
    return canvas.figure(
        "effects",
        result.main,
        partial(draw_effects, result, result.main, at),
        alt=alt_text(head + "; ".join(levels) + "."),
        data=Series(("dataset", "dataset_effect", "candidate", "interaction_effect"), rows),
    )
