"""Figures of the inference: all pairs of candidates, and diagnostics of the block model."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import (
    DATA,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    alt_text,
    fit_axis,
    make_key,
    measure_words,
    plain,
)
from reportgen.drawing.plots.grid import Answer, Grid, draw_grid
from reportgen.drawing.plots.pairs import PairPlot, PairRow, draw_pairs
from reportgen.drawing.plots.rows import Column
from reportgen.notation import NOTHING, Scale, pvalue, scale
from reportgen.report import Figure, Series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.inference.result import (
        Diagnostics,
        InferenceResult,
        MeasureInference,
        Normality,
    )
    from reportgen.stats.blocks.diagnostics import NormalPlot
    from reportgen.stats.pair_table import Pair, PairTable

PANEL = 150.0  # pt: height of a panel
LEFT, RESIDUAL_BELOW, RESIDUAL_ABOVE, BETWEEN = 40.0, 30.0, 20.0, 34.0


def diagnostics_figure(inference: MeasureInference, at: Scale, canvas: Canvas) -> Figure | None:
    """Draw the diagnostics of a measure, where it has any."""
    found = inference.diagnostics
    if found is None:
        return None
    return canvas.figure(
        "diagnostics",
        inference.measure.name,
        partial(_draw, inference, found, at),
        alt=_residual_alt(inference, found),
        data=_residual_data(inference, found),
        n_marks=int(np.isfinite(found.residual_values).sum()),
    )


def _residual_data(inference: MeasureInference, found: Diagnostics) -> Series:
    """Return fitted values and residuals, one row a value."""
    rows = [
        (name, block + 1, float(found.fitted[block, k]), float(found.residual_values[block, k]))
        for k, name in enumerate(inference.candidates)
        for block in range(len(found.fitted))
        if np.isfinite(found.residual_values[block, k])
    ]
    return Series(("candidate", "row", "fitted", "residual"), tuple(rows))


def _residual_alt(inference: MeasureInference, found: Diagnostics) -> str:
    parts = [f"residuals: {_label(found.residuals)}"]
    if found.blocks is not None:
        parts.append(f"block effects: {_label(found.blocks)}")
    deviations = found.spread.standard_deviations if found.spread else {}
    known = {name: x for name, x in deviations.items() if x is not None}
    spread = ""
    if known:
        least, most = (f(known, key=lambda n: known[n]) for f in (min, max))
        spread = f" {plain(most)} scatters most, {plain(least)} least."
    return alt_text(
        f"Diagnostics of the block model of {measure_words(inference.measure)}: residuals against"
        f" fitted values, and normal quantile plots; {'; '.join(parts)}.{spread}"
    )


def _label(plot: Normality) -> str:
    return f"{plot.n_outside} of {len(plot.plot.ordered)} points shown outside the band"


def _draw(inference: MeasureInference, found: Diagnostics, at: Scale, sheet: Sheet) -> None:
    """Draw the panels side by side, on a phone below each other."""
    plots = [found.residuals, *([found.blocks] if found.blocks else [])]
    n_panels = 1 + len(plots)
    columns = 1 if sheet.is_phone else n_panels
    key = make_key(sheet, inference.order, sheet.width)
    panel = RESIDUAL_ABOVE + PANEL + RESIDUAL_BELOW
    sheet.begin(key.height + (n_panels if sheet.is_phone else 1) * panel)
    room = (sheet.width - columns * LEFT - (columns - 1) * (BETWEEN - 20)) / columns
    for i in range(n_panels):
        x, y = (0.0, i * panel) if sheet.is_phone else (i * (LEFT + room + BETWEEN - 20), 0.0)
        left, top = x + LEFT, key.height + y + RESIDUAL_ABOVE
        axes = sheet.axes(left, sheet.height - top - PANEL, sheet.width - left - room, top)
        if i == 0:
            _draw_residuals(inference, found, at, sheet, axes, room)
        else:
            _draw_normal(plots[i - 1].plot, sheet, axes, room)
        headers = (
            "residual against fitted",
            "residuals, normal plot",
            "replications, normal plot",
        )
        axes.set_title(headers[i], loc="left", fontsize=TICK, pad=6, color=sheet.colour("ink"))
    key.draw(sheet, sheet.page(), 0, 0)


def _draw_residuals(
    inference: MeasureInference,
    found: Diagnostics,
    at: Scale,
    sheet: Sheet,
    axes: Axes,
    room: float,
) -> None:
    fitted, residuals = at.factor * found.fitted, at.factor * found.residual_values
    unit = at.difference_unit
    across = fit_axis(fitted, room, 44, may_be_log=False)
    up = fit_axis(residuals, PANEL, 30, may_be_log=False)
    across.apply(axes, "x")
    up.apply(axes, "y")
    axes.axhline(0, color=sheet.colour("ink2"), lw=THIN, zorder=1)
    fitted, residuals = across.drawn(fitted), up.drawn(residuals)
    for k, name in enumerate(inference.candidates):
        mark = sheet.mark(name, 2.6) | {"markeredgewidth": 0.3}
        axes.plot(fitted[:, k], residuals[:, k], **mark, alpha=0.6, zorder=2, **sheet.dense)
    words = f"fitted ({across.unit(at.unit)})" if across.unit(at.unit) else "fitted"
    axes.set_xlabel(words, fontsize=SMALL, color=sheet.colour("ink2"))
    if up.unit(unit):
        axes.set_ylabel(up.unit(unit), fontsize=SMALL, color=sheet.colour("ink2"), labelpad=1)


def _draw_normal(plot: NormalPlot, sheet: Sheet, axes: Axes, room: float) -> None:
    """Draw ordered standardised values against normal quantiles, with the band of all."""
    ink, grey = sheet.colour("ink"), sheet.colour("ink2")
    across = fit_axis(plot.theoretical, room, 34, may_be_log=False)
    ends = np.concatenate([plot.ordered, plot.lower, plot.upper])
    up = fit_axis(ends[np.isfinite(ends)], PANEL, 30, may_be_log=False)
    across.apply(axes, "x")
    up.apply(axes, "y")
    axes.fill_between(
        plot.theoretical, plot.lower, plot.upper, color=sheet.colour("band"), lw=0, zorder=0
    )
    axes.plot(plot.theoretical, plot.theoretical, color=grey, lw=THIN, zorder=1)
    axes.plot(
        plot.theoretical, plot.ordered, ls="none", marker="o", ms=2.4, mfc=ink, mec=ink,
        mew=0, zorder=2,
    )  # fmt: skip
    is_outside = (plot.ordered < plot.lower) | (plot.ordered > plot.upper)
    axes.plot(
        plot.theoretical[is_outside], plot.ordered[is_outside], ls="none", marker="o", ms=4.5,
        mfc="none", mec=ink, mew=DATA / 2, zorder=3,
    )  # fmt: skip
    axes.set_xlabel("normal quantile", fontsize=SMALL, color=grey)


ALL_PAIRS = 10  # candidates up to which each pair has a row; beyond, a cell of a grid
ALL_PAIRS_SMALL = 6  # on a third of a page


def draw(result: InferenceResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the pairs of every measure, and the main one's diagnostics.

    Of several data sets the main measure's pairs also small; on a compact canvas these alone.
    """
    main = tuple(i for i in list(result.values())[:1] if not i.unavailable and i.pairs)
    entry = main if canvas.is_one_of_many else ()
    small = tuple(pairs_figure(i, canvas, is_small=True) for i in entry)
    if canvas.is_compact:
        return small
    found = (i for i in result.values() if not i.unavailable and i.pairs)
    drawn = (*small, *(pairs_figure(i, canvas) for i in found))
    left = (diagnostics_figure(i, _scale(i), canvas) for i in main)
    return (*drawn, *(figure for figure in left if figure is not None))


def pairs_figure(inference: MeasureInference, canvas: Canvas, *, is_small: bool = False) -> Figure:
    """Draw all pairs of a measure: a row each, or a grid of the decisions where they are many.

    Parameters
    ----------
    inference : MeasureInference
    canvas : Canvas
    is_small : bool
        Whether it is that of one of several data sets.
    """
    at = _scale(inference)
    most = ALL_PAIRS_SMALL if is_small else ALL_PAIRS
    draw = (
        partial(draw_pairs, pair_plot(inference, at), is_small=is_small)
        if len(inference.order) <= most
        else partial(draw_grid, grid_of(inference), is_small=is_small)
    )
    return canvas.figure(
        "pairs-small" if is_small else "pairs",
        inference.measure.name,
        draw,
        alt=_pairs_alt(inference, at),
        data=_pairs_data(inference),
        is_small=is_small,
    )


def _scale(inference: MeasureInference) -> Scale:
    """Return the scale of the measure's means, as in the tables."""
    return scale(inference.measure, inference.typical, is_ratio=inference.is_ratio)


def pair_plot(inference: MeasureInference, at: Scale) -> PairPlot:
    """Lay out a row a pair: the better mean first, in the order of the means."""
    pairs, second = inference.best_first, _second_opinion(inference)
    far = set(inference.outlier.candidates) if inference.outlier else set()
    rows = tuple(
        PairRow(
            p.first,
            p.second,
            *_numbers(p),
            is_decided=p.significant,
            other=_bounds(second.between(p.first, p.second)) if second else None,
            is_near=not far & {p.first, p.second},
        )
        for p in pairs
    )
    smaller = inference.measure.is_smaller_better
    return PairPlot(
        rows=rows,
        columns=tuple(_columns(inference, pairs, at)),
        measure_words=measure_words(inference.measure),
        unit="" if at.is_ratio else at.difference_unit,
        factor=1.0 if at.is_ratio else at.factor,
        is_ratio=at.is_ratio,
        area=inference.relevance,
        head=f"left: {'lower' if smaller else 'higher'} mean",
    )


def _second_opinion(inference: MeasureInference) -> PairTable | None:
    """Return the other comparison that is drawn: of anything that has methods."""
    second = getattr(inference, "second_opinion", None)
    return None if second is None else second.pairs


def _numbers(pair: Pair) -> tuple[float, float, float]:
    estimate, lower, upper = (
        np.nan if x is None else x for x in (pair.estimate, pair.lower, pair.upper)
    )
    return estimate, lower, upper


def _bounds(pair: Pair | None) -> tuple[float, float] | None:
    if pair is None or pair.lower is None or pair.upper is None:
        return None
    return pair.lower, pair.upper


def _columns(inference: MeasureInference, pairs: tuple[Pair, ...], at: Scale) -> Iterator[Column]:
    """Return the columns that have a number."""
    is_all = (True,) * len(pairs)
    has_area = inference.relevance is not None
    head = "ratio" if at.is_ratio else at.difference_unit or "difference"
    yield Column(head, tuple(at.difference(p.estimate) for p in pairs), is_strong=is_all)
    if any(p.has_interval for p in pairs):
        yield Column(f"{_level(inference)} interval", tuple(_interval(p, at) for p in pairs))
    if any(p.adjusted_p_value is not None for p in pairs):
        yield Column("p", tuple(pvalue(p.adjusted_p_value) for p in pairs))
    if all("wins" in p.extra for p in pairs):
        counts = tuple(f"{p.wins}–{p.ties}–{p.losses}" for p in pairs)
        yield Column("won–tied–lost", counts, is_spare=True)
    yield Column(
        "decision",
        tuple(decision_words(p, has_area=has_area) for p in pairs),
        tuple(decision_words(p, has_area=has_area, is_brief=True) for p in pairs),
        is_left=True,
        is_strong=tuple(p.significant for p in pairs),
    )


def grid_of(inference: MeasureInference) -> Grid:
    """Return the decision on every pair, the better one first."""
    answers: dict[tuple[str, str], Answer] = {}
    for pair in inference.best_first:
        is_turned = pair.favoured == pair.second
        names = (pair.second, pair.first) if is_turned else (pair.first, pair.second)
        answers[names] = _answer(pair)
    return Grid(inference.order, answers)


def _answer(pair: Pair) -> Answer:
    if pair.decision == "equivalent":
        return "slight" if pair.significant else "equivalent"
    return "decided" if pair.significant else "undecided"


def _pairs_data(inference: MeasureInference) -> Series:
    second = _second_opinion(inference)
    columns = ("first", "second", "difference", "lower", "upper", "other_lower", "other_upper")
    rows = []
    for p in inference.best_first:
        other = _bounds(second.between(p.first, p.second)) if second else None
        row = (p.first, p.second, *_numbers(p), *(other or (None, None)))
        rows.append((*row, p.adjusted_p_value, p.decision))
    return Series((*columns, "p_value", "decision"), tuple(rows))


# ----------------------------------------------------------------------------------- words


def decision_words(pair: Pair, *, has_area: bool, is_brief: bool = False) -> str:
    """Return the decision in the fixed words of the report."""
    decision = pair.decision
    if decision == "equivalent" and pair.significant:
        word = "better" if pair.favoured == pair.first else "worse"
        return "not relevant" if is_brief else f"{word}, not relevant"
    word, _, is_relevant = decision.partition("-")
    if is_relevant and has_area:
        return "relevant" if is_brief and word == "better" else f"{word}, relevant"
    return word


def _pairs_alt(inference: MeasureInference, at: Scale) -> str:
    has_area = inference.relevance is not None
    unit = " as ratios" if at.is_ratio else ""
    unit = f" in {at.difference_unit}" if at.difference_unit else unit
    area = (
        f" The area of equivalence is {at.difference_interval(*inference.relevance)}."
        if inference.relevance is not None
        else ""
    )
    sign = "divided by" if at.is_ratio else "minus"
    head = (
        f"Simultaneous {_level(inference)} intervals of {measure_words(inference.measure)},"
        f" all pairs of candidates, the first {sign} the second{unit}.{area} "
    )
    full, brief = [], []
    for p in inference.best_first:
        words = decision_words(p, has_area=has_area)
        names = f"{plain(p.first)} against {plain(p.second)}"
        full.append(f"{names} {at.difference(p.estimate)} ({_interval(p, at)}), {words}")
        brief.append(f"{names} {at.difference(p.estimate)}, {words}")
    return alt_text(
        *(head + "; ".join(parts) + "." for parts in (full, brief)),
        head + _counted(inference, has_area=has_area),
    )


def _counted(inference: MeasureInference, *, has_area: bool) -> str:
    """Return how often each decision was taken, and the order of the means."""
    words = [decision_words(p, has_area=has_area) for p in inference.best_first]
    counts = "; ".join(f"{word} {words.count(word)}" for word in dict.fromkeys(words))
    order = ", ".join(plain(name)[:32] for name in inference.order)
    return f"Decisions: {counts}. Candidates, best mean first: {order}."


def _level(inference: MeasureInference) -> str:
    return f"{100 * (1 - inference.alpha):g}%"


def _interval(pair: Pair, at: Scale) -> str:
    return at.difference_interval(pair.lower, pair.upper) if pair.has_interval else NOTHING
