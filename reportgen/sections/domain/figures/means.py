"""Means of the candidates over the domain, the influence of single data sets, and the relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    HAIR,
    HEAVY,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    axis_of_intervals,
    axis_words,
    fit_axis,
    make_key,
    measure_words,
    name_axis,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines
from reportgen.notation import NOTHING, Scale
from reportgen.report import Column, Figure, Series, Table
from reportgen.sections.consensus.ensemble import lay_out
from reportgen.sections.consensus.figures import Shape
from reportgen.sections.preferences.figures import draw_incidence, incidence_height
from reportgen.sections.preferences.hasse import Panel, draw_panel, fit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing import ValueAxis
    from reportgen.sections.domain.result import DomainFit, DomainResult, DomainVerdict
    from reportgen.stats.pair_table import PairTable

ABOVE, BELOW = 16.0, 30.0
MOST_EFFECTS = 40  # data sets up to which predicted means are drawn
MOST_CANDIDATES = 12  # up to which their marks can be distinguished in one row
LINE = 13.5


def draw_means(result: DomainResult, measure: str, at: Scale, sheet: Sheet) -> None:
    """Draw every mean with its interval: heavy that of the verdict, thin that of a model."""
    chosen, other = result.verdict[measure], second_model(result, measure)
    n = len(chosen.order)
    row = float(np.clip(560 / n, 12, 22))
    sheet.begin(n * row + ABOVE + BELOW)
    names = shortened(chosen.order, 70 if sheet.is_phone else 130, TICK)
    left = max(text_width(t, TICK) for t in names.values()) + 24
    columns = _columns(chosen, at, sheet)
    right = sum(width for _, width, _ in columns) + 8
    axes = sheet.axes(left, BELOW, right, ABOVE)
    drawn = [chosen.intervals, *([other.intervals] if other else [])]
    axis = _axis(chosen, other, at, sheet.width - left - right)
    axis.apply(axes, "x")
    axes.set(ylim=(n - 0.5, -0.5), yticks=[])
    for y, name in enumerate(chosen.order):
        _draw_mean(sheet, axes, (y, name), chosen.means[name], drawn, at, axis)
    page = sheet.page()
    for y, name in enumerate(chosen.order):
        middle = ABOVE + (y + 0.5) * row
        page.plot([left - 12], [middle], **sheet.mark(name, 5.5))
        page.text(left - 20, middle, names[name], ha="right", va="center_baseline", fontsize=TICK)
    _write_columns(sheet, page, columns, row)
    measured = result.measures[measure]
    kind = "geometric mean " if chosen.is_ratio else "mean "
    words = axis_words(measured, axis, at.unit, before=kind)
    name_axis(sheet, page, left, words, measured)


def second_model(result: DomainResult, measure: str) -> DomainFit | None:
    """Return the model whose intervals are drawn beside the verdict's; none beside ratios.

    Parameters
    ----------
    result : DomainResult
    measure : str
    """
    others = result.others(measure)
    return others[0] if others and not result.verdict[measure].is_ratio else None


def _axis(chosen: DomainVerdict, other: DomainFit | None, at: Scale, length: float) -> ValueAxis:
    """Fit the axis to the verdict's intervals, as far as no mean lies far from all others.

    Where one does, the model's intervals, whose variance it shares, may reach beyond.
    """
    own = at.factor * np.array(
        [(*chosen.intervals.get(name, (nan, nan)), mean) for name, mean in chosen.means.items()]
    )
    near = fit_axis(own, length, 40, may_be_log=False, may_clip=True)
    is_near = (near.holds(own) | np.isnan(own)).all(axis=1)
    more = [(low, nan, high) for low, high in (other.intervals if other else {}).values()]
    return axis_of_intervals(
        np.concatenate([own, at.factor * np.array(more).reshape(-1, 3)]),
        (),
        length,
        40,
        is_shown=np.append(is_near, np.full(len(more), is_near.all())),
        is_ratio=False,
    )


def _draw_mean(
    sheet: Sheet,
    axes: Axes,
    row: tuple[int, str],
    mean: float,
    intervals: Sequence[Mapping[str, tuple[float, float]]],
    at: Scale,
    axis: ValueAxis,
) -> None:
    y, name = row
    ink = sheet.ink(name)
    for found, offset, width in zip(intervals, (-0.12, 0.22), (HEAVY, THIN), strict=False):
        if name in found:
            bounds = axis.drawn([at.factor * x for x in found[name]])
            axes.plot(bounds, [y + offset] * 2, color=ink, lw=width, zorder=2)
    middle = axis.drawn([at.factor * mean])
    axes.plot(middle, [y - 0.12], **sheet.mark(name, 6), zorder=3, clip_on=False)


def _columns(chosen: DomainVerdict, at: Scale, sheet: Sheet) -> list[tuple[str, float, list[str]]]:
    """Return head, width and cells of what stands at the right."""
    found = [("mean", [at.value(chosen.means[n]) for n in chosen.order])]
    if not sheet.is_phone:
        texts = [interval_text(chosen, n, at) for n in chosen.order]
        found.append((f"{100 * (1 - chosen.alpha):g}% interval", texts))
    return [
        (head, max(text_width(t, TICK) for t in (head, *texts)) + 10, texts)
        for head, texts in found
    ]


def interval_text(chosen: DomainVerdict, name: str, at: Scale) -> str:
    """Write the interval of a mean, where there is one."""
    return at.interval(*chosen.intervals[name]) if name in chosen.intervals else NOTHING


def _write_columns(
    sheet: Sheet, page: Axes, columns: list[tuple[str, float, list[str]]], row: float
) -> None:
    x = sheet.width
    for head, width, texts in reversed(columns):
        style: dict[str, Any] = {"ha": "right", "va": "center_baseline"}
        page.text(x, 8, head, fontsize=SMALL, color=sheet.colour("ink2"), **style)
        for y, text in enumerate(texts):
            page.text(x, ABOVE + (y + 0.5) * row, text, fontsize=TICK, **style)
        x -= width


def draw_effects(result: DomainResult, measure: str, at: Scale, sheet: Sheet) -> None:
    """Draw for every data set its predicted level and the candidates on it, easiest first."""
    fit = result.model(measure)
    if fit is None:
        raise ValueError(f"there is no model of {measure}")
    names = list(fit.coefficients)
    datasets = effects_order(result, measure)
    labels = shortened(datasets, 56 if sheet.is_phone else 120, SMALL)
    left = max(text_width(t, SMALL) for t in labels.values()) + 8
    key = make_key(sheet, names, sheet.width - left)
    top = key.height + 18
    sheet.begin(len(datasets) * LINE + top + BELOW)
    level = float(np.mean(list(fit.coefficients.values())))
    points = {
        (d, n): at.factor
        * (fit.coefficients[n] + fit.blups.dataset[d] + fit.blups.interaction[d][n])
        for d in datasets
        for n, kappa in fit.coefficients.items()
        if n in fit.blups.interaction[d]
    }
    axes = sheet.axes(left, BELOW, 6, top)
    rows = [[points.get((d, n), nan) for n in names] for d in datasets]
    axis = fit_axis(np.array(rows), sheet.width - left - 6, 44, may_be_log=False, may_clip=True)
    axis.apply(axes, "x")
    axes.set(ylim=(len(datasets) - 0.5, -0.5), yticks=[])
    rules = [[(axis.lower, y), (axis.upper, y)] for y in range(len(datasets))]
    draw_lines(axes, rules, sheet.colour("rule"), HAIR, zorder=0)
    for name in names:
        lines = [y for y, d in enumerate(datasets) if (d, name) in points]
        xs = axis.drawn([points[datasets[y], name] for y in lines])
        axes.plot(xs, lines, **sheet.mark(name, 4.4), zorder=3, clip_on=False)
    at_level = axis.drawn([at.factor * (level + fit.blups.dataset[d]) for d in datasets])
    of_domain = float(axis.drawn([at.factor * level])[0])
    bars = [[(x, y - 0.36), (x, y + 0.36)] for y, x in enumerate(at_level)]
    draw_lines(axes, bars, sheet.colour("ink"), HEAVY, zorder=2)
    domain = [[(of_domain, -0.5), (of_domain, len(datasets) - 0.5)]]
    draw_lines(axes, domain, sheet.colour("ink2"), HAIR, zorder=1)
    _write_effects(sheet, axes, labels, left, top, of_domain)
    page = sheet.page()
    key.draw(sheet, page, left, 0)
    measured = result.measures[measure]
    words = axis_words(measured, axis, at.unit, before="predicted mean ")
    name_axis(sheet, page, left, words, measured)


def effects_order(result: DomainResult, measure: str) -> list[str]:
    """Return the data sets from the easiest to the hardest: by the level of all candidates."""
    fit = result.model(measure)
    if fit is None:
        return []
    sign = 1 if result.measures[measure].is_smaller_better else -1
    levels = fit.blups.dataset
    return sorted(levels, key=lambda d: sign * levels[d])


def _write_effects(
    sheet: Sheet, axes: Axes, labels: dict[str, str], left: float, top: float, level: float
) -> None:
    page = sheet.page()
    for y, text in enumerate(labels.values()):
        middle = top + (y + 0.5) * LINE
        page.text(left - 6, middle, text, ha="right", va="center_baseline", fontsize=SMALL)
    x = float(axes.transData.transform((level, 0))[0])
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    half = text_width("domain mean", SMALL) / 2
    page.text(
        min(max(x, left + half), sheet.width - half), top - 8, "domain mean", ha="center", **style
    )


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
        names = alt_names(shape.present)
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
