"""The figure of the inference: all pairs of candidates."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import MOST_PAIRS_ALT, Canvas, alt_text, measure_words, plain
from reportgen.drawing.plots.grid import Answer, Grid, draw_grid
from reportgen.drawing.plots.pairs import PairPlot, PairRow, draw_pairs
from reportgen.drawing.plots.rows import RowColumn
from reportgen.notation import NOTHING, NumberFormat, level_words, pvalue
from reportgen.report import Figure, Rows, Series

if TYPE_CHECKING:
    from reportgen.sections.inference.result import InferenceResult, MeasureInference
    from reportgen.stats.arrays import Array
    from reportgen.stats.pair_table import Pair, PairTable
    from reportgen.stats.verdict import Verdict

WON, DECISION = "won–tied–lost", "decision"  # heads of columns


def draw(result: InferenceResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the main measure's pairs, of several data sets also small.

    On a compact canvas these alone, of few candidates; the pairs of other measures are tables.
    """
    found = next(iter(result.values()), None)
    if found is None or found.unavailable or not found.pairs:
        return ()
    if canvas.density == "compact" and not found.is_drawn_small:
        return ()
    small = (pairs_figure(found, canvas, is_small=True),) if canvas.is_one_of_many else ()
    return small if canvas.density == "compact" else (pairs_figure(found, canvas), *small)


def pairs_figure(inference: MeasureInference, canvas: Canvas, *, is_small: bool = False) -> Figure:
    """Draw all pairs of a measure: a row each, or a grid of the decisions where they are many.

    `is_small`: whether it is that of one of several data sets.
    """
    at = inference.number_format
    has_rows = inference.has_small_pair_rows if is_small else inference.has_pair_rows
    plot = pair_plot(inference, at) if has_rows else None
    if plot is not None and is_small:
        has_counts = canvas.unit.method == "items" and inference.is_of_counts
        plot = replace(plot, columns=tuple(_one_of_both(plot.columns, has_counts=has_counts)))
    draw = (
        partial(draw_pairs, plot, is_small=is_small)
        if plot is not None
        else partial(draw_grid, grid_of(inference), is_small=is_small)
    )
    return canvas.figure(
        "pairs-small" if is_small else "pairs",
        inference.measure.name,
        draw,
        alt=_pairs_alt(inference, at, canvas.words("replication")),
        data=_pairs_data(inference),
        is_small=is_small,
    )


def _one_of_both(columns: Iterable[RowColumn], *, has_counts: bool) -> Iterator[RowColumn]:
    """Return the columns without that of counts, or with it in place of that of decisions."""
    # Entries of one report have the same columns; filled marks say decisions, too.
    for column in columns:
        if column.head == WON and has_counts:
            yield replace(column, phone=column.cells, is_spare=False)
        elif column.head != (DECISION if has_counts else WON):
            yield column


def pair_plot(inference: MeasureInference, at: NumberFormat) -> PairPlot:
    """Lay out a row a pair: the better mean first, in the order of the means."""
    second = inference.sensitivity_analysis
    far = inference.outlier.candidates if inference.outlier else ()
    columns = tuple(_columns(inference, at))
    plot = lay_out_pairs(inference, at, second.pairs if second else None, columns, far)
    rows = (
        replace(row, differences=_differences(inference, p.first, p.second))
        for row, p in zip(plot.rows, inference.best_first, strict=True)
    )
    return replace(plot, rows=tuple(rows))


def lay_out_pairs(
    verdict: Verdict,
    at: NumberFormat,
    second: PairTable | None,
    columns: tuple[RowColumn, ...],
    far: Collection[str] = (),
) -> PairPlot:
    """Lay out a row a pair: the better mean first, in the order of the means.

    `second`: the second opinion, on the scale of the verdict.
    `far`: candidates whose pairs may lie beyond the axis.
    """
    rows = tuple(
        PairRow(
            p.first,
            p.second,
            *_numbers(verdict, p),
            is_decided=p.significant,
            other=other_interval(verdict, second, p),
            is_near=p.first not in far and p.second not in far,
        )
        for p in verdict.best_first
    )
    return PairPlot(
        rows=rows,
        columns=columns,
        measure_words=measure_words(verdict.measure),
        unit="" if at.is_ratio else at.difference_unit,
        factor=1.0 if at.is_ratio else at.factor,
        is_ratio=at.is_ratio,
        is_smaller_better=verdict.measure.is_smaller_better,
        area=verdict.area_of_advantage,
        is_of_means=verdict.is_of_means,
        is_filled=bool(verdict.own_means),
    )


def _numbers(verdict: Verdict, pair: Pair) -> tuple[float, float, float]:
    """Return the advantage of the first and the bounds of that, NaN where there is none."""
    estimate, bounds = verdict.advantage(pair)
    estimate, lower, upper = (np.nan if x is None else x for x in (estimate, *bounds))
    return estimate, lower, upper


def other_interval(
    verdict: Verdict, second: PairTable | None, pair: Pair
) -> tuple[float, float] | None:
    """Return the interval of an advantage by the second opinion, where that gives one."""
    other = None if second is None else second.between(pair.first, pair.second)
    if other is None:
        return None
    _, (lower, upper) = verdict.advantage(other)
    return None if lower is None or upper is None else (lower, upper)


def other_intervals(verdict: Verdict, second: PairTable | None) -> tuple[Array, Array]:
    """Return the bounds of all advantages by the second opinion, in the order of the means."""
    pairs = verdict.arranged
    if second is None:
        nothing = np.full(len(pairs), np.nan)
        return nothing, nothing
    others = second.arranged(verdict.order)
    rows = others.rows_of(pairs)
    _, lower, upper = verdict.advantages(others)
    is_known = (rows >= 0) & np.isfinite(lower[rows]) & np.isfinite(upper[rows])
    lower, upper = (np.where(is_known, bound[rows], np.nan) for bound in (lower, upper))
    return lower, upper


def _differences(inference: MeasureInference, first: str, second: str) -> tuple[float, ...]:
    """Return the advantage of the first in every replication, as far as these are few."""
    found = inference.differences(first, second)
    if not inference.measure.is_smaller_better:
        return found
    return tuple(1 / x if inference.is_ratio else -x for x in found)


def _all_differences(inference: MeasureInference, pairs: PairTable) -> Array:
    """Return the `_differences` of many pairs, one row a pair."""
    if not inference.values:
        return np.empty((len(pairs), 0))
    values = np.array([inference.values[name] for name in pairs.candidates])
    first, second = values[pairs.first], values[pairs.second]
    found: Array = first / second if inference.is_ratio else first - second
    if inference.measure.is_smaller_better:
        found = 1 / found if inference.is_ratio else -found
    return found


def _columns(inference: MeasureInference, at: NumberFormat) -> Iterator[RowColumn]:
    """Return the columns that have a number."""
    pairs = inference.best_first
    yield from size_columns(inference, at)
    if any(p.adjusted_p_value is not None for p in pairs):
        yield RowColumn("p", tuple(pvalue(p.adjusted_p_value) for p in pairs))
    if all("wins" in p.extra for p in pairs):
        counts = tuple(f"{p.wins}–{p.ties}–{p.losses}" for p in pairs)
        yield RowColumn(WON, counts, is_spare=True)
    yield decision_column(inference)


def size_columns(verdict: Verdict, at: NumberFormat) -> Iterator[RowColumn]:
    """Return the columns of the estimates, and of the intervals where there are any."""
    pairs = verdict.best_first
    head = "ratio" if at.is_ratio else at.difference_unit or "advantage"
    estimates = tuple(at.difference(*verdict.advantage(p)) for p in pairs)
    yield RowColumn(head, estimates, is_strong=(True,) * len(pairs))
    if any(p.has_interval for p in pairs):
        cells = tuple(interval_words(verdict, p, at) for p in pairs)
        yield RowColumn(f"{level_words(verdict.alpha)} interval", cells)


def decision_column(verdict: Verdict) -> RowColumn:
    """Return the column of the decisions."""
    pairs = verdict.best_first
    words = tuple(p.words for p in pairs)
    return RowColumn(
        DECISION,
        words,
        words,
        is_left=True,
        is_strong=tuple(p.significant for p in pairs),
    )


def grid_of(verdict: Verdict) -> Grid:
    """Return the decision on every pair, the better one first."""
    pairs = verdict.arranged
    rows = zip(
        pairs.both,
        pairs.direction.tolist(),
        (decision == "equivalent" for decision in pairs.decision),
        pairs.significant.tolist(),
        strict=True,
    )
    answers = {
        (names[::-1] if way < 0 else names): ANSWERS[is_equivalent, is_significant]
        for names, way, is_equivalent, is_significant in rows
    }
    return Grid(verdict.order, answers)


ANSWERS: Mapping[tuple[bool, bool], Answer] = {
    (True, True): "slight",
    (True, False): "equivalent",
    (False, True): "decided",
    (False, False): "undecided",
}
"""By whether a pair is equivalent, and decided not to be equal."""


def _pairs_data(inference: MeasureInference) -> Series:
    second = inference.sensitivity_analysis
    others = second.pairs if second else None
    columns = ("first", "second", "advantage", "lower", "upper", "other_lower", "other_upper")
    more = ("p_value", "decision", "advantages")
    pairs = inference.arranged
    rows = Rows(
        *zip(*pairs.both, strict=True),
        *inference.advantages(pairs),
        *other_intervals(inference, others),
        pairs.adjusted_p_value,
        pairs.words,
        _all_differences(inference, pairs),
    )
    return Series((*columns, *more), rows)


# ----------------------------------------------------------------------------------- words


def _pairs_alt(inference: MeasureInference, at: NumberFormat, block: str) -> str:
    unit = " as ratios" if at.is_ratio else ""
    unit = f" in {at.difference_unit}" if at.difference_unit else unit
    area = (
        f" The area of equivalence is {at.difference_interval(*within)}."
        if (within := inference.area_of_advantage) is not None
        else ""
    )
    head = (
        f"Simultaneous {level_words(inference.alpha)} intervals of "
        f"{measure_words(inference.measure)}, all pairs of candidates, the advantage of the first"
        f"{unit}.{area} "
    )
    if len(inference.pairs) > MOST_PAIRS_ALT:
        return alt_text(head + _counted(inference))
    each, full, brief = [], [], []
    for p in inference.best_first:
        names = f"{plain(p.first)} against {plain(p.second)}"
        by = at.difference(*inference.advantage(p))
        full.append(f"{names} {by} ({interval_words(inference, p, at)}), {p.words}")
        values = ", ".join(at.difference(x) for x in _differences(inference, p.first, p.second))
        each.append(full[-1] + (f", by {block} {values}" if values else ""))
        brief.append(f"{names} {by}, {p.words}")
    return alt_text(
        *(head + "; ".join(parts) + "." for parts in (each, full, brief)),
        head + _counted(inference),
    )


def _counted(inference: MeasureInference) -> str:
    """Return how often each decision was taken, and the order of the means."""
    words = inference.arranged.words
    counts = "; ".join(f"{word} {words.count(word)}" for word in dict.fromkeys(words))
    order = ", ".join(plain(name)[:32] for name in inference.order)
    return f"Decisions: {counts}. Candidates, best mean first: {order}."


def interval_words(verdict: Verdict, pair: Pair, at: NumberFormat) -> str:
    """Write the interval of an advantage."""
    return at.difference_interval(*verdict.advantage(pair)[1]) if pair.has_interval else NOTHING
