"""Every pair over the domain: the pair plot with the columns of the verdict and of signed ranks."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from reportgen.drawing import MOST_PAIRS_ALT, Canvas, alt_names, alt_text, measure_words
from reportgen.drawing.plots.grid import draw_grid
from reportgen.drawing.plots.pairs import PairPlot, draw_pairs
from reportgen.drawing.plots.rows import RowColumn
from reportgen.notation import NOTHING, NumberFormat, pvalue
from reportgen.report import Figure, Rows, Series
from reportgen.sections.inference.figures import (
    decision_column,
    grid_of,
    interval_words,
    lay_out_pairs,
    other_intervals,
    size_columns,
)
from reportgen.sections.inference.result import ALL_PAIRS

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DomainResult, DomainVerdict
    from reportgen.stats.pair_table import PairTable


def pairs_figure(result: DomainResult, canvas: Canvas) -> Figure | None:
    """Draw a row a pair of the main measure; of many candidates a grid of the decisions."""
    verdict = result.verdict.get(result.main)
    if verdict is None or not len(verdict.pairs):
        return None
    if verdict.is_open and result.bases[result.main].unavailable == "no-blocks":
        return None  # the verdict is that within the data sets
    at = verdict.number_format
    if len(verdict.order) <= ALL_PAIRS:
        draw = partial(draw_pairs, pair_plot(result, verdict, at))
    else:
        draw = partial(draw_grid, grid_of(verdict))
    return canvas.figure(
        "pairs",
        result.main,
        draw,
        alt=_alt(result, verdict, at),
        data=_data(result, verdict),
    )


KINDS = {
    "difference": "Advantages in mean",
    "ratio": "Advantages as ratios of geometric means of",
    "wins": "How many more of the data sets the first is ahead on, by",
}


def pair_plot(result: DomainResult, verdict: DomainVerdict, at: NumberFormat) -> PairPlot:
    """Lay out a row a pair: the better mean first, in the order of the means."""
    columns = tuple(_columns(result, verdict, at))
    return lay_out_pairs(verdict, at, sensitivity_analysis(result), columns)


def sensitivity_analysis(result: DomainResult) -> PairTable | None:
    """Return the pairs by one variance for all of them, or by another model.

    None of ratios, and of a single pair, of which all models say the same.
    """
    verdict, others = result.verdict[result.main], result.others(result.main)
    if verdict.scale_of_pairs != "difference" or len(verdict.pairs) < 2 or not others:
        return None
    return others[0].pairs


def _columns(result: DomainResult, verdict: DomainVerdict, at: NumberFormat) -> Iterator[RowColumn]:
    """Return the columns that have a number."""
    pairs = verdict.best_first
    yield from size_columns(verdict, at)
    if any(p.adjusted_p_value is not None for p in pairs):
        name = "p, own" if verdict.is_own else "p"
        yield RowColumn(name, tuple(pvalue(p.adjusted_p_value) for p in pairs))
    counts = tuple(f"{p.wins} of {p.wins + p.ties + p.losses}" for p in pairs)
    yield RowColumn("won", counts, is_spare=True)
    across = result.across.get(result.main)
    if across is not None and across.pairs is not None:
        ranks = (across.pairs.between(p.first, p.second) for p in pairs)
        cells = tuple(pvalue(q.adjusted_p_value) if q else NOTHING for q in ranks)
        yield RowColumn("p, ranks", cells, is_spare=True)
    yield decision_column(verdict)


def _data(result: DomainResult, verdict: DomainVerdict) -> Series:
    second = sensitivity_analysis(result)
    columns = ("first", "second", "advantage", "lower", "upper", "p_value", "decision")
    pairs = verdict.arranged
    rows = Rows(
        *zip(*pairs.both, strict=True),
        *verdict.advantages(pairs),
        pairs.adjusted_p_value,
        pairs.words,
        *other_intervals(verdict, second),
    )
    return Series((*columns, "other_lower", "other_upper"), rows)


def _alt(result: DomainResult, verdict: DomainVerdict, at: NumberFormat) -> str:
    names = alt_names(verdict.order)
    over = "the population of data sets" if verdict.target == "domain" else "these data sets"
    kind = KINDS[verdict.scale_of_pairs]
    unit = f" in {at.difference_unit}" if at.difference_unit and not at.is_ratio else ""
    head = (
        f"{kind} {measure_words(verdict.measure)} over {over}{unit}, of the first over the second. "
    )
    is_long = len(verdict.pairs) > MOST_PAIRS_ALT
    full = [
        f"{names[p.first]} against {names[p.second]} {at.difference(*verdict.advantage(p))} "
        f"({interval_words(verdict, p, at)}), {p.words}"
        for p in (() if is_long else verdict.best_first)
    ]
    decided = [
        f"{names[name]} is better than {', '.join(names[n] for n in beaten)}"
        for name, beaten in verdict.beats.items()
    ]
    brief = f"Significant: {'; '.join(decided) or 'no pair'}."
    return alt_text(*(() if is_long else (head + "; ".join(full) + ".",)), head + brief)
