"""Every pair over these tasks: the pair plot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from reportgen.drawing import MOST_PAIRS_ALT, Canvas, alt_names, alt_text, measure_words
from reportgen.drawing.plots.grid import draw_grid
from reportgen.drawing.plots.pairs import draw_pairs
from reportgen.drawing.plots.rows import Column
from reportgen.notation import pvalue
from reportgen.report import Figure, Series
from reportgen.sections.inference.figures import (
    decision_column,
    grid_of,
    interval_words,
    lay_out_pairs,
    size_columns,
)
from reportgen.sections.inference.result import ALL_PAIRS

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DomainVerdict
    from reportgen.sections.items.result import ItemsResult


def draw(result: ItemsResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the pairs over these tasks; of many candidates a grid of the decisions."""
    verdict = result.main
    if verdict is None or not len(verdict.pairs):
        return ()
    at = verdict.scale
    if len(verdict.order) <= ALL_PAIRS:
        columns = (*size_columns(verdict, at), *_columns(verdict))
        drawn = partial(draw_pairs, lay_out_pairs(verdict, at, None, columns))
    else:
        drawn = partial(draw_grid, grid_of(verdict))
    pairs = verdict.best_first
    names = alt_names(verdict.order)
    words = [
        f"{names[p.first]} against {names[p.second]} {at.difference(*verdict.advantage(p))} "
        f"({interval_words(verdict, p, at)}), {p.words}"
        for p in pairs[: MOST_PAIRS_ALT + 1]
    ]
    head = f"Advantages in mean {measure_words(verdict.measure)} over these tasks. "
    figure = canvas.figure(
        "pairs",
        result.measure,
        drawn,
        alt=alt_text(head + "; ".join(words) + ".", head + f"{len(pairs)} pairs."),
        data=Series(
            ("first", "second", "advantage", "lower", "upper", "p_value", "decision"),
            tuple(
                (p.first, p.second, estimate, *bounds, p.adjusted_p_value, p.words)
                for p in pairs
                for estimate, bounds in [verdict.advantage(p)]
            ),
        ),
    )
    return (figure,)


def _columns(verdict: DomainVerdict) -> tuple[Column, ...]:
    pairs = verdict.best_first
    counts = tuple(f"{p.wins} of {p.wins + p.ties + p.losses}" for p in pairs)
    return (
        Column("p", tuple(pvalue(p.adjusted_p_value) for p in pairs)),
        Column("tasks won", counts, is_spare=True),
        decision_column(verdict),
    )
