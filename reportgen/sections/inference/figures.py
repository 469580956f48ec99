"""Figures of the inference: simultaneous intervals of pairs, and diagnostics of the block model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    DATA,
    MARK_WIDTH,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    ValueAxis,
    alt_text,
    axis_of_intervals,
    fit_axis,
    fitted,
    make_key,
    measure_words,
    name_axis,
    name_mark,
    plain,
    shortened,
    text_width,
)
from reportgen.notation import NOTHING, Scale, scale
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
    from reportgen.stats.decisions import Decision
    from reportgen.stats.pair_table import Pair

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


ALL_PAIRS = 12  # candidates up to which all pairs are drawn; beyond, those with the best
ABOVE, BELOW = 18.0, 32.0  # pt: heads of the columns; axis and its name
GAP = 12.0  # pt between columns


@dataclass(frozen=True, slots=True)
class Row:
    """One pair as it is drawn: the candidate with the better mean first.

    Attributes
    ----------
    first, second : str
    advantage, lower, upper : float
        Of the first over the second, positive where the first is better; of a
        ratio how many times, above 1. Bounds are NaN where there is no interval.
    p_value : float or None
        Adjusted.
    decision : str
        Of first against second.
    significant : bool
    """

    first: str
    second: str
    advantage: float
    lower: float
    upper: float
    p_value: float | None
    decision: Decision
    significant: bool


def draw(result: InferenceResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the intervals of every measure, and the main one's diagnostics.

    On a compact canvas only the intervals of the main measure.
    """
    found = list(result.values())
    shown = found[:1] if canvas.is_compact else found
    intervals = tuple(intervals_figure(i, canvas) for i in shown if not i.unavailable and i.pairs)
    if canvas.is_compact or not intervals:
        return intervals
    left = diagnostics_figure(found[0], _scale(found[0]), canvas)
    return intervals if left is None else (*intervals, left)


def intervals_figure(inference: MeasureInference, canvas: Canvas) -> Figure:
    """Draw the intervals of all pairs, of a data set or of anything that has the same fields."""
    rows = drawn_rows(inference)
    at = _scale(inference)
    return canvas.figure(
        "intervals",
        inference.measure.name,
        partial(_draw_intervals, inference, rows, at),
        alt=_interval_alt(inference, rows, at),
        data=_interval_data(rows),
    )


def _scale(inference: MeasureInference) -> Scale:
    """Return the scale of the measure's means, as in the tables."""
    return scale(inference.measure, inference.typical, is_ratio=inference.is_ratio)


def drawn_rows(inference: MeasureInference) -> tuple[Row, ...]:
    """Return the pairs that are drawn, the largest difference first."""
    pairs = tuple(inference.pairs)
    if len(inference.order) > ALL_PAIRS:
        best = inference.order[0]
        pairs = tuple(p for p in pairs if best in (p.first, p.second))
    rows = (_row(pair, inference) for pair in pairs)
    return tuple(sorted(rows, key=lambda r: (-r.advantage, r.first, r.second)))


def _row(pair: Pair, inference: MeasureInference) -> Row:
    """Turn a pair so that the better mean comes first and its advantage is positive."""
    if inference.order.index(pair.first) > inference.order.index(pair.second):
        pair = pair.reversed()
    better = pair.reversed() if inference.measure.is_smaller_better else pair
    numbers = (better.estimate, better.lower, better.upper)
    advantage, lower, upper = (np.nan if x is None else x for x in numbers)
    return Row(
        pair.first,
        pair.second,
        advantage,
        lower,
        upper,
        pair.adjusted_p_value,
        pair.decision,
        pair.significant,
    )


def _interval_data(rows: tuple[Row, ...]) -> Series:
    columns = ("first", "second", "advantage", "lower", "upper", "p_value", "decision")
    return Series(columns, tuple(tuple(getattr(r, c) for c in columns) for r in rows))


# ----------------------------------------------------------------------------------- words


def _decision_words(row: Row, *, has_area: bool, is_brief: bool = False) -> str:
    """Return the decision in the fixed words of the report."""
    if row.decision == "equivalent" and row.significant:
        return "not relevant" if is_brief else "better, not relevant"
    if not has_area or row.decision in ("equivalent", "undecided"):
        return row.decision
    if row.decision.endswith("-relevant"):
        word = row.decision.removesuffix("-relevant")
        return f"relevantly {word}"
    return row.decision if is_brief else f"{row.decision}, relevance open"


def _interval_alt(inference: MeasureInference, rows: tuple[Row, ...], at: Scale) -> str:
    has_area = inference.relevance is not None
    unit = ", how many times" if at.is_ratio else ""
    unit = f" in {at.difference_unit}" if at.difference_unit else unit
    which = (
        "all pairs of candidates"
        if len(rows) == len(inference.pairs)
        else f"{plain(inference.order[0])} against all others"
    )
    area = (
        f" The area of equivalence is {at.difference_interval(*inference.relevance)}."
        if inference.relevance is not None
        else ""
    )
    head = (
        f"Simultaneous {_level(inference)} intervals of {measure_words(inference.measure)},"
        f" {which}, as the advantage of the first{unit}.{area} "
    )
    full, brief = [], []
    for row in rows:
        words = _decision_words(row, has_area=has_area)
        names = f"{plain(row.first)} over {plain(row.second)}"
        full.append(f"{names} {at.difference(row.advantage)} ({_interval(row, at)}), {words}")
        brief.append(f"{names} {at.difference(row.advantage)}, {words}")
    return alt_text(
        *(head + "; ".join(parts) + "." for parts in (full, brief)),
        head + _counted(inference, rows, has_area=has_area),
    )


def _counted(inference: MeasureInference, rows: tuple[Row, ...], *, has_area: bool) -> str:
    """Return how often each decision was taken, and the order of the means."""
    words = [_decision_words(row, has_area=has_area) for row in rows]
    counts = ", ".join(f"{word} {words.count(word)}" for word in dict.fromkeys(words))
    order = ", ".join(plain(name)[:32] for name in inference.order)
    return f"Decisions: {counts}. Candidates, best mean first: {order}."


def _level(inference: MeasureInference) -> str:
    return f"{100 * (1 - inference.alpha):g}%"


def _interval(row: Row, at: Scale) -> str:
    return NOTHING if np.isnan(row.lower) else at.difference_interval(row.lower, row.upper)


# --------------------------------------------------------------------------------- drawing


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the columns of an interval figure are, in points; a first of all stands above them."""

    row: float
    size: float
    names: dict[str, str]
    second: float
    left: float
    columns: tuple[tuple[str, float, tuple[str, ...]], ...]
    decision: float
    right: float
    words: tuple[str, ...]
    leader: str


def _lay_out(inference: MeasureInference, rows: tuple[Row, ...], at: Scale, sheet: Sheet) -> Layout:
    """Give the names the room they need, but never the room of the intervals."""
    row = float(np.clip(620 / len(rows), 9.4, 10.8 if sheet.is_compact else 15.5))
    size = SMALL if row < 11 or sheet.is_phone else TICK
    has_area = inference.relevance is not None
    words = tuple(_decision_words(r, has_area=has_area, is_brief=sheet.is_phone) for r in rows)
    columns = () if sheet.is_phone else _columns(inference, rows, at, size)
    decision = max(text_width(t, size) for t in (*words, "decision")) + 2
    right = sum(width for _, width, _ in columns) + GAP + decision
    leader = rows[0].first if len(rows) > 2 and len({r.first for r in rows}) == 1 else ""
    room = (sheet.width - right - (80 if sheet.is_phone else 130)) / (1 if leader else 2)
    room -= MARK_WIDTH + GAP
    names = shortened(inference.order, max(room, 34.0), size)
    first, second = (
        max(text_width(names[name], size) for name in column) + MARK_WIDTH + GAP
        for column in zip(*((r.first, r.second) for r in rows), strict=True)
    )
    first = 0.0 if leader else first
    left, x_decision = first + second, sheet.width - decision
    return Layout(row, size, names, first, left, columns, x_decision, right, words, leader)


def _columns(
    inference: MeasureInference, rows: tuple[Row, ...], at: Scale, size: float
) -> tuple[tuple[str, float, tuple[str, ...]], ...]:
    """Return head, width and cells of the columns of numbers."""
    cells = (
        (
            "times" if at.is_ratio else at.difference_unit,
            tuple(at.difference(r.advantage) for r in rows),
        ),
        (f"{_level(inference)} interval", tuple(_interval(r, at) for r in rows)),
    )
    return tuple(
        (
            head,
            max(*(text_width(t, size) for t in texts), text_width(head, SMALL)) + GAP,
            texts,
        )
        for head, texts in cells
    )


def _draw_intervals(
    inference: MeasureInference, rows: tuple[Row, ...], at: Scale, sheet: Sheet
) -> None:
    place = _lay_out(inference, rows, at, sheet)
    sheet.begin(len(rows) * place.row + ABOVE + BELOW)
    axes = sheet.axes(place.left, BELOW, place.right, ABOVE)
    area = inference.relevance
    factor, zero = 1.0 if at.is_ratio else at.factor, inference.pairs.no_difference
    length = sheet.width - place.left - place.right
    axis = _axis(inference, rows, factor, length)
    axis.apply(axes, "x")
    axes.set(ylim=(len(rows) - 0.5, -0.5), yticks=[])
    if area is not None:
        shaded = axis.drawn(sorted(factor * x for x in area))
        axes.axvspan(*shaded.tolist(), fc=sheet.colour("band"), ec="none", zorder=0)
    axes.axvline(float(axis.drawn([zero])[0]), color=sheet.colour("ink2"), lw=THIN, zorder=1)
    for y, row in enumerate(rows):
        _draw_interval(sheet, axes, y, row, factor, axis)
    page = sheet.page()
    unit = axis.unit("" if at.is_ratio else at.difference_unit)
    has_short = sheet.is_phone or bool(place.leader)
    name_axis(sheet, page, place.left, _axis_name(inference, unit, is_short=has_short))
    _write_headers(sheet, page, place, inference, axes)
    for y, row in enumerate(rows):
        _write_row(sheet, page, place, ABOVE + (y + 0.5) * place.row, y, row)


def _axis_name(inference: MeasureInference, unit: str, *, is_short: bool) -> str:
    words = measure_words(inference.measure)
    name = f"advantage, {words}" if is_short else f"advantage of the first in mean {words}"
    if inference.is_ratio:
        name = f"times, {words}" if is_short else f"{words}: second over first, geometric means"
        if not inference.measure.is_smaller_better and not is_short:
            name = f"{words}: first over second, geometric means"
    return f"{name} ({unit})" if unit else name


def _axis(
    inference: MeasureInference, rows: tuple[Row, ...], factor: float, length: float
) -> ValueAxis:
    """Fit the axis to the intervals, as far as no value that dwarfs all others is in them."""
    ends = factor * np.array([(r.lower, r.advantage, r.upper) for r in rows])
    far = set(inference.outlier.candidates) if inference.outlier else set()
    is_near = np.array([not far & {r.first, r.second} for r in rows])
    marks = (inference.pairs.no_difference, *(inference.relevance or ()))
    return axis_of_intervals(
        ends,
        [factor * x for x in marks],
        length,
        34,
        is_shown=is_near if is_near.any() else ~is_near,
        is_ratio=inference.is_ratio,
    )


def _draw_interval(
    sheet: Sheet, axes: Axes, y: int, row: Row, factor: float, axis: ValueAxis
) -> None:
    """Draw line and mark: full better or worse, open equivalent, half undecided.

    A mark beyond the axis is an arrowhead at its end.
    """
    ink, paper = sheet.colour("ink"), sheet.colour("paper")
    ends = [factor * row.lower, factor * row.advantage, factor * row.upper]
    lower, middle, upper = axis.drawn(ends).tolist()
    axes.plot([lower, upper], [y, y], color=ink, lw=DATA, clip_on=False, zorder=2)
    mark: dict[str, Any] = {"marker": "o", "ms": 5, "mec": ink, "mew": 1, "ls": "none"}
    if not axis.holds(ends[1:2])[0]:
        mark["marker"] = ">" if ends[1] > middle else "<"
    mark["mfc"] = paper if row.decision == "equivalent" else ink
    if row.decision == "undecided":
        mark |= {"fillstyle": "left", "markerfacecoloralt": paper}
    axes.plot([middle], [y], **mark, clip_on=False, zorder=3)


def _write_headers(
    sheet: Sheet, page: Axes, place: Layout, inference: MeasureInference, axes: Axes
) -> None:
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    if place.leader:
        page.text(0, 7, fitted(f"{plain(place.leader)} against", place.left, SMALL), **style)
    else:
        page.text(0, 7, "first", **style)
        page.text(place.second, 7, "second", **style)
    x = place.left + (sheet.width - place.left - place.right)
    for head, width, _ in place.columns:
        x += width
        page.text(x, 7, head, ha="right", **style)
    page.text(place.decision, 7, "decision", **style)
    if inference.relevance is None:
        return
    words = "equivalence" if sheet.is_phone else "area of equivalence"
    zero = float(axes.transData.transform((inference.pairs.no_difference, 0))[0])
    half = text_width(words, SMALL) / 2
    room = sheet.width - place.right
    page.text(min(max(zero, place.left + half), room - half), 7, words, ha="center", **style)


def _write_row(sheet: Sheet, page: Axes, place: Layout, y: float, i: int, row: Row) -> None:
    for x, name in ((0.0, row.first), (place.second, row.second))[1 if place.leader else 0 :]:
        name_mark(sheet, page, x, y, name, place.names[name], size=place.size)
    x = sheet.width - place.right
    for j, (_, width, cells) in enumerate(place.columns):
        x += width
        page.text(
            x, y, cells[i], ha="right", va="center_baseline", fontsize=place.size,
            color=sheet.colour("ink" if j == 0 else "ink2"),
        )  # fmt: skip
    is_clear = row.decision not in ("equivalent", "undecided")
    page.text(
        place.decision, y, place.words[i], va="center_baseline", fontsize=place.size,
        color=sheet.colour("ink" if is_clear else "ink2"),
    )  # fmt: skip
