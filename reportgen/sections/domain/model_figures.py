"""Figures of the domain model: means, predictions of data sets, who is better than whom."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, measure_words, plain, told
from reportgen.notation import Scale
from reportgen.sections.domain.affinity import affinity_pages, draw_affinity
from reportgen.sections.domain.means import (
    MOST_CANDIDATES,
    MOST_EFFECTS,
    draw_effects,
    draw_means,
    effects_order,
    interval_text,
    model_beside,
)
from reportgen.sections.domain.sets_figures import numbered

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DomainFit, DomainResult


def _model(result: DomainResult) -> DomainFit:
    """Return the model that predicts the main measure."""
    fit = result.model(result.main)
    if fit is None:
        raise ValueError(f"there is no model of {result.main}")
    return fit


def effects_figures(result: DomainResult, canvas: Canvas, at: Scale) -> Iterator[Figure]:
    """Draw what the model of all replications predicts of data sets, and of candidates on them."""
    fit = _model(result)
    if len(result.rows) <= MOST_EFFECTS and len(fit.order) <= MOST_CANDIDATES:
        yield _effects(result, canvas, at)
    if any(x for own in fit.blups.interaction.values() for x in own.values()):
        for i, datasets in enumerate(affinity_pages(result, result.main)):
            yield _affinity(result, datasets, i, canvas, at)


def _affinity(
    result: DomainResult, datasets: tuple[str, ...], i: int, canvas: Canvas, at: Scale
) -> Figure:
    fit = _model(result)
    sets, names = told(datasets), told(fit.order)
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    head = f"Predicted level of {len(datasets)} data sets and effects of candidates on them{unit}. "
    rows = tuple(
        (d, fit.blups.dataset[d], n, fit.blups.interaction[d].get(n))
        for d in datasets
        for n in fit.order
    )
    full = [
        f"{sets[d]}: level {at.value(fit.blups.dataset[d])}, "
        + ", ".join(f"{names[n]} {_effect(fit.blups.interaction[d].get(n), at)}" for n in fit.order)
        for d in datasets
    ]
    brief = [f"{sets[d]} {at.value(fit.blups.dataset[d])}" for d in datasets]
    return canvas.figure(
        numbered("affinity", i),
        result.main,
        partial(draw_affinity, result, result.main, datasets, at),
        alt=alt_text(head + "; ".join(full) + ".", head + "Levels: " + "; ".join(brief) + "."),
        data=Series(("dataset", "dataset_effect", "candidate", "interaction_effect"), rows),
    )


def _effect(value: float | None, at: Scale) -> str:
    return "without a value" if value is None else at.value(value)


def means_figure(result: DomainResult, measure: str, canvas: Canvas, at: Scale) -> Figure:
    """Draw the candidates' means over the domain: as decided, and by a model beside."""
    chosen, other = result.verdict[measure], model_beside(result, measure)
    columns = ("method", "candidate", "mean", "lower", "upper")
    rows = tuple(
        (chosen.method, n, chosen.means[n], *chosen.intervals.get(n, (None, None)))
        for n in chosen.order
    )
    if other is not None:
        rows += tuple(
            (other.structure, n, other.coefficients[n], *other.intervals[n]) for n in other.order
        )
    unit = f" in {at.unit}" if at.unit else ""
    level = f"{100 * (1 - chosen.alpha):g}%"
    words = measure_words(result.measures[measure])
    over = "these data sets" if result.settings else "the domain"
    kind = "Geometric mean" if chosen.is_ratio else "Mean"
    head = f"{kind} {words} over {over}{unit}, with {level} intervals. "
    full = [
        f"{plain(n)} {at.value(chosen.means[n])} ({interval_text(chosen, n, at)})"
        for n in chosen.order
    ]
    brief = [f"{plain(n)[:32]} {at.value(chosen.means[n])}" for n in chosen.order]
    return canvas.figure(
        "means",
        measure,
        partial(draw_means, result, measure, at),
        alt=alt_text(head + "; ".join(full) + ".", head + "; ".join(brief) + "."),
        data=Series(columns, rows),
    )


def _effects(result: DomainResult, canvas: Canvas, at: Scale) -> Figure:
    fit = _model(result)
    order = effects_order(result, result.main)
    rows = tuple(
        (d, fit.blups.dataset[d], n, fit.blups.interaction[d].get(n))
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
