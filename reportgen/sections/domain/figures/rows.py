"""Candidates over data sets, one row a candidate: what it loses to the best, and its ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.drawing import TICK, ValueAxis, fit_axis, measure_words, shorten_names
from reportgen.drawing.plots.rows import (
    PX,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
    rank_axis,
    row_height,
)
from reportgen.drawing.sheet import Sheet, draw_lines
from reportgen.notation import NumberFormat, number, ratio
from reportgen.stats.arrays import Array

if TYPE_CHECKING:
    from reportgen.sections.domain.result import AcrossRanks, DomainResult
    from reportgen.sections.domain.suitability import Regret

ROW = 30 * PX
MARK, STEP = 6 * PX, 4.5 * PX  # a data set's mark; how far neighbours are moved apart
LONGEST_NAME = 80.0  # of a data set beside a row, in points
PILE = 0.42  # of a row's height, that equal values reach from its middle
MOST_ROWS = 60  # candidates that are drawn
MOST_MARKS = 120  # data sets up to which each has its candidate's mark; of more, a stroke


@dataclass(frozen=True, slots=True)
class Spread:
    """Values of candidates on data sets, one row a candidate."""

    values: Mapping[str, tuple[float, ...]]  # by candidate in the order of the rows, one a data set
    datasets: Mapping[str, tuple[str, ...]]  # what data sets these are of
    means: Mapping[str, float]
    columns: tuple[RowColumn, ...]
    # title, phone_title: The axis' name; at phone width.
    title: str
    phone_title: str
    is_log: bool = False  # whether the axis may be logarithmic
    are_ranks: bool = False  # whether values are places, whose marks may stand beside their value


def draw_spread(spread: Spread, sheet: Sheet) -> None:
    """Draw a mark a data set, and a bar at the mean."""
    names = list(spread.values)[:MOST_ROWS]
    height = row_height(len(names), ROW)
    draw_rows(
        RowPlot(
            rows=[(name,) for name in names],
            columns=spread.columns,
            fit=partial(_fit, spread),
            draw=partial(_draw_row, spread, names, height),
            title=partial(_title, spread),
            row=int(height / PX) * PX,
            has_grid=True,
            head=f"{len(names)} of {len(spread.values)}" if len(names) < len(spread.values) else "",
        ),
        sheet,
    )


def _fit(spread: Spread, length: float, gap: float) -> ValueAxis:
    if spread.are_ranks:
        last = ceil(max(max(own) for own in spread.values.values()))
        return rank_axis(max(len(spread.values), last), length)
    every = np.array([[x] for own in spread.values.values() for x in own])
    return fit_axis(every, length, gap, may_be_log=spread.is_log, may_clip=True)


def _title(spread: Spread, axis: ValueAxis, is_phone: bool) -> str:
    title, unit = spread.phone_title if is_phone else spread.title, axis.unit("")
    return f"{title} ({unit})" if unit else title


def _draw_row(
    spread: Spread, names: list[str], height: float, panel: Panel, i: int, y: float
) -> None:
    """Draw one candidate: neighbours in three lines, so that no mark hides another."""
    sheet, name = panel.sheet, names[i]
    values = panel.axis.drawn(spread.values[name])
    order = np.argsort(values, kind="stable")
    xs = values[order]
    step = min(STEP, height / 6)
    if len(xs) > MOST_MARKS:
        lines = [[(x, y - step), (x, y + step)] for x in xs.tolist()]
        draw_lines(panel.axes, lines, sheet.ink(name), PX, alpha=0.5, clip_on=False)
    else:
        style: dict[str, Any] = sheet.mark(name, MARK) | {"alpha": 0.6, "clip_on": False}
        xs, ys = _in_columns(panel, xs, y, step) if spread.are_ranks else _in_piles(xs, y, height)
        marks = panel.axes.plot(xs, ys, **style)
        sheet.link_datasets(marks[0], [spread.datasets[name][m] for m in order.tolist()], name)
    mean = float(panel.axis.drawn([spread.means[name]])[0])
    reach = min(10 * PX, 0.45 * height)
    panel.vline(mean, y - reach, y + reach, "ink", 2 * PX, zorder=4, solid_capstyle="butt")


def _in_piles(xs: Array, y: float, height: float) -> tuple[Array, Array]:
    """Return the places of sorted marks in three lines, those of equal values above each other."""
    rank, size = _among_equals(xs)
    reach = PILE * height - MARK / 2
    step = np.minimum(MARK + PX, 2 * reach / np.maximum(size - 1, 1))
    line = np.arange(len(xs)) % 3 - 1
    return xs, y + np.where(size > 1, step * (rank - (size - 1) / 2), min(STEP, height / 6) * line)


def _in_columns(panel: Panel, xs: Array, y: float, step: float) -> tuple[Array, Array]:
    """Return the places of sorted marks in three lines, those of equal values in columns."""
    rank, size = _among_equals(xs)
    shift = (rank // 3 - (-(-size // 3) - 1) / 2) * (MARK + PX)
    data = panel.axes.transData
    points = data.transform(np.column_stack((xs, np.zeros(len(xs)))))[:, 0] + shift
    line = np.where(size > 1, rank, np.arange(len(xs))) % 3 - 1
    steps = np.where(size > 1, max(step, min(MARK + PX, 1.75 * step)), step)
    moved: Array = data.inverted().transform(np.column_stack((points, np.zeros(len(xs)))))[:, 0]
    return moved, y + steps * line


def _among_equals(xs: Array) -> tuple[Array, Array]:
    """Return the place of each sorted value among those equal to it, and how many these are."""
    _, group, sizes = np.unique(xs, return_inverse=True, return_counts=True)
    ranks = np.arange(len(xs)) - (np.cumsum(sizes) - sizes)[group]
    return ranks.astype(float), sizes[group].astype(float)


def of_regret(
    result: DomainResult, regret: Regret, at: NumberFormat, in_unit: Callable[[str], str]
) -> Spread:
    """Return the losses as they are drawn."""
    write = ratio if regret.scale == "ratio" else at.value
    factor = 1.0 if regret.scale == "ratio" else at.factor
    found = regret.candidates
    words, best = measure_words(result.main_measure), in_unit("the best of the data set")
    side = "above" if result.main_measure.is_smaller_better else "below"
    unit = {"pp": ", percentage points", "": ""}.get(at.difference_unit, f", {at.difference_unit}")
    title, phone_title = (
        f"{result.of_mean}{words} {side} {best}{unit}",
        f"loss to the best{unit}",
    )
    if regret.scale == "ratio":
        title = f"{words}: how many times as good {best} is"
        phone_title = "times as good the best is"
    named = dict.fromkeys(name for own in found.values() for name in own.datasets)
    short = shorten_names(list(named), LONGEST_NAME, TICK)
    means = tuple(write(own.mean) for own in found.values())
    worst = tuple(write(own.worst) for own in found.values())
    strong = (True,) * len(found)
    where = tuple(short.get(own.where, own.where) for own in found.values())
    return Spread(
        {n: tuple(factor * x for x in own.datasets.values()) for n, own in found.items()},
        {n: tuple(own.datasets) for n, own in found.items()},
        {n: factor * own.mean for n, own in found.items()},
        (
            RowColumn("mean loss", means, phone=means),
            RowColumn("worst loss", worst, phone=worst, is_strong=strong),
            RowColumn("on", where, is_left=True),
        ),
        title,
        phone_title,
        is_log=regret.scale == "ratio",
    )


def of_ranks(result: DomainResult, across: AcrossRanks, in_unit: Callable[[str], str]) -> Spread:
    """Return the candidates' ranks on the data sets as they are drawn, the best mean rank first."""
    ranks = result.ranks
    order = [n for n in across.order if n in across.mean_ranks]
    means = tuple(number(across.mean_ranks[n], 2) for n in order)
    first = tuple(str(sum(x == 1 for x in ranks[n])) for n in order)
    better = across.n_better
    decided = tuple(str(better.get(n, 0)) for n in order)
    return Spread(
        {n: ranks[n] for n in order},
        dict.fromkeys(order, result.ranked_datasets),
        {n: across.mean_ranks[n] for n in order},
        (
            RowColumn("mean rank", means, phone=means, is_strong=(True,) * len(order)),
            RowColumn("1st on", first),
            RowColumn("better than", decided, phone=decided),
        ),
        in_unit("rank on a data set, 1 the best"),
        in_unit("rank on a data set"),
        are_ranks=True,
    )
