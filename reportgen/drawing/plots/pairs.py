"""The pair plot: one row a pair of candidates, with two opinions on its advantage, and columns.

A section makes `PairRow`s, in the order in which they shall stand (grouped by the first), and
`RowColumn`s with one cell a row, and passes them as a `PairPlot`::

    plot = PairPlot(
        rows=(PairRow("svm", "rf", 0.0041, -0.0165, 0.0247, is_decided=False,
                      other=(-0.002, 0.010)),),
        columns=(RowColumn("pp", ("0.41",), is_strong=(True,)),
                 RowColumn("decision", ("not significant",), phone=("n.s.",), is_left=True)),
        measure_words="misclassification error", unit="pp", factor=100.0,
    )
    canvas.figure("pairs", "misclassification", partial(draw_pairs, plot), alt=…, data=…)

Where a row has fewer than ten `differences`, they are drawn as points above its line. A column
without `phone` is left out on a phone. `partial(draw_pairs, plot, is_small=True)` draws
the small one, 350 px wide, with the columns that a phone has but their whole words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import floor

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.drawing.axes import ValueAxis, axis_of_intervals
from reportgen.drawing.plots.rows import (
    BAND_HEADS,
    DIVIDER,
    FOOT,
    HEADS,
    PX,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
)
from reportgen.drawing.sheet import Sheet
from reportgen.drawing.style import SMALL, TICK
from reportgen.performance_measure import FEW_REPLICATIONS

ROW, SMALL_ROW = 18 * PX, 13 * PX
POINTS_ROW, SMALL_POINTS_ROW = 28 * PX, 24 * PX  # with the differences of each replication
POINTS = 0.3  # of a row's height: where they stand
JITTER = 2 * PX  # pt, up and down in turn, so that equal ones are seen
GROUP_GAP = 4 * PX
LARGEST = 660.0  # pt: the height of a page, less a caption
CLOSER = 16  # pt, by which ticks are closer where their labels are short
UNITS = {"pp": "percentage points"}  # in words, for the axis
BAND_WORDS = "area of equivalence"


@dataclass(frozen=True, slots=True)
class PairRow:
    """One pair as it is drawn: the better mean first."""

    first: str
    second: str
    # estimate, lower, upper: Of the advantage of the first, positive where it is better, or of the
    # ratio, above 1 where it is better; NaN where there is none.
    estimate: float
    lower: float
    upper: float
    is_decided: bool  # whether the two are decided not to be equal
    # The interval of the second opinion, on the same scale.
    other: tuple[float, float] | None = None
    is_near: bool = True  # whether the axis must show it; others may lie beyond its ends
    # Advantages of the first, or ratios, in the order of the replications, NaN where one has no
    # value; empty where they are not known.
    differences: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class PairPlot:
    """What a pair plot shows."""

    rows: tuple[PairRow, ...]  # grouped by the first
    columns: tuple[RowColumn, ...]  # with one cell a row
    measure_words: str
    unit: str = ""  # of differences
    factor: float = 1.0  # what differences are multiplied by to be drawn; of ratios 1
    is_ratio: bool = False
    is_smaller_better: bool = True
    area: tuple[float, float] | None = None  # area of equivalence, of advantages
    is_of_means: bool = True  # whether means are compared; else estimates of another kind
    is_filled: bool = False  # whether the order counts gaps, which advantages leave out

    @property
    def has_points(self) -> bool:
        """Whether each replication's difference is drawn: there are few of them."""
        return any(0 < len(row.differences) < FEW_REPLICATIONS for row in self.rows)


def draw_pairs(plot: PairPlot, sheet: Sheet, *, is_small: bool = False) -> None:
    """Draw one row a pair: filled where it is decided, open where not; grey the second opinion.

    `is_small`: whether it is that of one of many data sets: low, 350 px wide, and without the
    second opinion.
    """
    columns, height = plot.columns, _height(plot, is_small=is_small)
    if is_small:
        columns = tuple(replace(c, phone=c.cells) for c in columns if c.phone)
        plot = replace(plot, rows=tuple(replace(row, other=None) for row in plot.rows))
    band_words = "" if is_small else BAND_WORDS
    draw_rows(
        RowPlot(
            rows=[(row.first, row.second) for row in plot.rows],
            columns=columns,
            fit=partial(_fit, plot),
            draw=partial(_draw_row, plot, height),
            title=partial(_title, plot),
            row=height,
            groups=[row.first for row in plot.rows],
            gap=GROUP_GAP,
            size=SMALL if is_small or sheet.is_phone else TICK,
            head=f"left: {'lower' if plot.is_smaller_better else 'higher'}"
            + " mean" * plot.is_of_means
            + ", gaps as the worst" * plot.is_filled,
            band=_band(plot),
            band_words=band_words,
            zero=1.0 if plot.is_ratio else 0.0,
        ),
        sheet,
    )


def _height(plot: PairPlot, *, is_small: bool) -> float:
    """Return how high a row is: as usual, and less where a page has no room for all."""
    rows = (SMALL_ROW, SMALL_POINTS_ROW) if is_small else (ROW, POINTS_ROW)
    usual = rows[plot.has_points]
    n_groups = len({row.first for row in plot.rows})
    above = BAND_HEADS if plot.area is not None else HEADS
    room = LARGEST - above - FOOT - (n_groups - 1) * GROUP_GAP
    return min(usual, max(floor(room / len(plot.rows) / PX), 10) * PX)


def _band(plot: PairPlot) -> tuple[float, float] | None:
    if plot.area is None:
        return None
    lower, upper = _scaled(plot, plot.area)
    return lower, upper


def _scaled(plot: PairPlot, numbers: Sequence[float]) -> list[float]:
    return [plot.factor * x for x in numbers]


def _fit(plot: PairPlot, length: float, gap: float) -> ValueAxis:
    """Fit the axis to both opinions on the pairs that it must show."""
    is_near = np.array([row.is_near for row in plot.rows])
    is_shown = is_near if is_near.any() else ~is_near
    ends = plot.factor * np.array([(r.lower, r.estimate, r.upper) for r in plot.rows])
    marks = [1.0 if plot.is_ratio else 0.0]
    if plot.area is not None:
        marks += _scaled(plot, plot.area)
    for row, is_drawn in zip(plot.rows, is_shown, strict=True):
        if row.other is not None and is_drawn:
            marks += _scaled(plot, row.other)
        if plot.has_points and is_drawn:
            marks += _scaled(plot, row.differences)
    fit = partial(axis_of_intervals, ends, marks, length, is_shown=is_shown, is_ratio=plot.is_ratio)
    closer = fit(gap - CLOSER)
    return closer if closer.is_legible(length, TICK) else fit(gap - 4)


def _title(plot: PairPlot, axis: ValueAxis, is_phone: bool) -> str:
    unit = axis.unit(UNITS.get(plot.unit, plot.unit))
    end = f", {unit}" if unit else ""
    if plot.is_ratio:
        head = "" if is_phone else f"ratio of geometric means, {plot.measure_words}, "
        return f"{head}{'right / left' if plot.is_smaller_better else 'left / right'}{end}"
    of = f" in {'mean ' * plot.is_of_means}{plot.measure_words}"
    return f"advantage of the left{'' if is_phone else of}{end}"


def _draw_row(plot: PairPlot, height: float, panel: Panel, i: int, y: float) -> None:
    """Draw line and mark of a pair, above them few replications, below them the second opinion."""
    # A mark beyond the axis is an arrowhead at its end.
    row, axis = plot.rows[i], panel.axis
    ink, paper = panel.sheet.colour("ink"), panel.sheet.colour("paper")
    ends = [plot.factor * x for x in (row.lower, row.estimate, row.upper)]
    lower, middle, upper = axis.drawn(ends).tolist()
    if plot.has_points:
        shifts = np.resize([JITTER, -JITTER], len(row.differences))
        values = axis.drawn(_scaled(plot, row.differences))
        panel.points(values, y - (0.5 - POINTS) * height + shifts, ink, row.first, row.second)
        y += 0.2 * height
    if row.other is not None:
        _draw_other(panel, np.array(_scaled(plot, row.other)), y + 4 * PX)
        y -= 2 * PX
    if np.isfinite([lower, upper]).all():
        panel.hline(lower, upper, y, "ink", zorder=3)
    if not np.isfinite(middle):
        return
    marker = "o"
    if not axis.holds(ends[1:2])[0]:
        marker = ">" if axis.factor * ends[1] > middle else "<"
    face = ink if row.is_decided else paper
    panel.mark(middle, y, 7.2 * PX, face, ink, 1.5 * PX, marker=marker)


def _draw_other(panel: Panel, bounds: NDArray[np.float64], y: float) -> None:
    """Draw the second opinion, a thin line with ends where they lie on the axis."""
    if not np.isfinite(bounds).all():
        return
    lower, upper = panel.axis.drawn(bounds).tolist()
    panel.hline(lower, upper, y, "axis", DIVIDER, zorder=2)
    for end, is_held in zip((lower, upper), panel.axis.holds(bounds), strict=True):
        if is_held:
            panel.vline(end, y - 2 * PX, y + 3 * PX, "axis", zorder=2)
