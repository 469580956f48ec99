"""The strip: every value as a point, box, mean with its interval, and the summary's columns.

Answers that are right or wrong have means with their intervals alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import Sheet, ValueAxis, axis_words, fit_axis
from reportgen.drawing.axes import LOG_FROM, LOG_FROM_COMPARED
from reportgen.drawing.plots.rows import (
    DIVIDER,
    FOOT,
    HEADS,
    PX,
    STROKE,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
    snap,
)
from reportgen.notation import NumberFormat, level_words, number
from reportgen.performance_measure import FEW_REPLICATIONS
from reportgen.sections.eda.result import CandidateSummary, MeasureExploration

ROW, LEAST_ROW = 40 * PX, 16 * PX  # pt: the parts of a row keep their shares of it
MEAN_ROW = 24 * PX  # pt: of a mean alone
LARGEST = 660.0  # pt: the height of a page, less a caption
REACH = 1.5  # lengths of the box that its whiskers reach at most
JITTER, POINTS, BOX, BOX_HEIGHT = 0.325, 0.275, 0.7375, 0.25  # shares of a row's height
MEAN = 6.4 * PX  # pt: diameter of its mark
SEED = 1  # of the jitter, which says nothing


def draw_distribution(seen: MeasureExploration, number_format: NumberFormat, sheet: Sheet) -> None:
    """Draw one row a candidate, best first."""
    room = int((LARGEST - HEADS - FOOT) / len(seen.summary) / PX) * PX
    draw_rows(
        RowPlot(
            rows=[(s.candidate,) for s in seen.summary],
            columns=tuple(columns(seen, number_format)),
            fit=partial(fit_strip, seen, number_format),
            draw=partial(_draw_row, seen, number_format, np.random.default_rng(SEED)),
            title=lambda axis, _: axis_words(seen.measure, axis, number_format.unit_symbol),
            row=min(ROW if seen.has_points else MEAN_ROW, max(room, LEAST_ROW)),
            has_grid=True,
            way="← better" if seen.measure.is_smaller_better else "better →",
        ),
        sheet,
    )


def columns(seen: MeasureExploration, number_format: NumberFormat) -> Iterator[RowColumn]:
    """Return the columns that have a value: mean, interval, SD, mean rank, best and alone.

    Before them stands the statistic of the order where that is not the mean, and
    behind them the number of values where some are missing.
    """
    rows = seen.summary
    if seen.sorted_by != "mean":
        cells = tuple(number_format.value(getattr(s, seen.sorted_by)) for s in rows)
        yield RowColumn(seen.sorted_by, cells, cells, is_strong=(True,) * len(rows))
    means = tuple(number_format.value(s.mean, s.normal_interval) for s in rows)
    yield RowColumn("mean", means, means, is_strong=(seen.sorted_by == "mean",) * len(rows))
    if any(np.isfinite(s.normal_interval).all() for s in rows):
        head = f"{level_words(seen.alpha)} interval"
        yield RowColumn(head, tuple(_interval(s, number_format) for s in rows))
    if any(np.isfinite(s.sd) for s in rows):
        yield RowColumn("SD", tuple(number_format.value(s.sd) for s in rows))
    if len(rows) > 1 and seen.podium is not None:
        yield RowColumn("mean rank", tuple(number(s.mean_rank, 2) for s in rows), is_spare=True)
        best = tuple(str(s.n_best) for s in rows)
        yield RowColumn("best", best, best)
        yield RowColumn("alone", tuple(str(s.n_best_alone) for s in rows), is_spare=True)
    if seen.has_gaps:
        counts = tuple(str(s.n) for s in rows)
        yield RowColumn("n", counts, counts)


def _interval(summary: CandidateSummary, number_format: NumberFormat) -> str:
    lower, upper = summary.normal_interval
    return (
        number_format.interval(lower, upper)
        if np.isfinite([lower, upper]).all()
        else number_format.value(None)
    )


def fit_values(
    seen: MeasureExploration,
    number_format: NumberFormat,
    length: float,
    gap: float,
    *,
    drawn: NDArray[np.float64] | None = None,
) -> ValueAxis:
    """Return the axis of all values, without those that lie too far from the others."""
    # `drawn`: what else is drawn in place of values; all of it is on the axis.
    return fit_axis(
        number_format.factor * (seen.values if drawn is None else drawn),
        length,
        gap,
        may_be_log=seen.measure.unit_symbol != "share",
        log_from=LOG_FROM_COMPARED if seen.measure.is_compared_by_ratio else LOG_FROM,
        may_clip=drawn is None,
    )


def fit_strip(
    seen: MeasureExploration, number_format: NumberFormat, length: float, gap: float
) -> ValueAxis:
    """Return the axis of what the strip has: of values, or of means with their intervals."""
    means = np.array([(s.mean, *s.normal_interval) for s in seen.summary])
    return fit_values(seen, number_format, length, gap, drawn=None if seen.has_points else means)


def _draw_row(
    seen: MeasureExploration,
    number_format: NumberFormat,
    rng: np.random.Generator,
    panel: Panel,
    i: int,
    middle: float,
) -> None:
    """Draw the points in the row's upper half, box and mean in its lower one."""
    summary = seen.summary[i]
    if not seen.has_points:
        _draw_interval(panel, summary, number_format, snap(middle, STROKE))
        return
    name = summary.candidate
    height = _row_height(panel, len(seen.summary))
    top = middle - height / 2
    values = panel.axis.drawn(number_format.factor * seen.values[:, seen.candidates.index(name)])
    shifts = JITTER * height * (rng.random(len(values)) - 0.5)
    panel.points(
        values,
        top + POINTS * height + shifts,
        panel.sheet.ink(name),
        name,
        alpha=0.34 if len(values) > 60 else 0.5,
    )
    y = snap(top + BOX * height, STROKE)
    if summary.n >= FEW_REPLICATIONS and not seen.is_of_few_values:  # no box of right and wrong
        _draw_box(panel, values[np.isfinite(values)], y, BOX_HEIGHT * height, name)
    _draw_interval(panel, summary, number_format, y)


def _draw_interval(
    panel: Panel, summary: CandidateSummary, number_format: NumberFormat, y: float
) -> None:
    """Draw the mean with its interval."""
    lower, upper = panel.axis.drawn(
        [number_format.factor * x for x in summary.normal_interval]
    ).tolist()
    if np.isfinite([lower, upper]).all():
        panel.hline(lower, upper, y, "ink", zorder=5)
    _draw_mean(panel, number_format.factor * summary.mean, y)


def _row_height(panel: Panel, n_rows: int) -> float:
    bottom, top = panel.axes.get_ylim()
    return abs(bottom - top) / n_rows


def _draw_box(
    panel: Panel, values: NDArray[np.float64], y: float, height: float, name: str
) -> None:
    """Draw quartiles, median and whiskers, as they lie on the axis."""
    sheet = panel.sheet
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75])
    reach = REACH * (upper - lower)
    inside = values[(values >= lower - reach) & (values <= upper + reach)]
    lower, upper = (panel.snap(x, DIVIDER) for x in (lower, upper))
    ink: dict[str, Any] = {"color": sheet.ink(name), "clip_on": False}
    stats = {
        "q1": lower,
        "med": panel.snap(float(median), STROKE),
        "q3": upper,
        "whislo": min(inside.min(), lower),
        "whishi": max(inside.max(), upper),
    }
    half = max(round(height / 2 / PX), 2) * PX + DIVIDER / 2
    panel.axes.bxp(
        [stats],
        positions=[snap(y, DIVIDER)],
        widths=[2 * half],
        orientation="horizontal",
        showfliers=False,
        showcaps=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": sheet.wash(name), "edgecolor": sheet.ink(name), "lw": DIVIDER},
        medianprops=ink | {"lw": STROKE},
        whiskerprops=ink | {"lw": DIVIDER},
        zorder=3,
    )


def _draw_mean(panel: Panel, mean: float, y: float) -> None:
    """Draw the mean as a ring, beyond the axis as an arrowhead at its end."""
    place = float(panel.axis.drawn([mean])[0])
    marker = "o"
    if not panel.axis.holds([mean])[0]:
        marker = ">" if panel.axis.factor * mean > place else "<"
    panel.axes.plot(
        [place], [y], marker=marker, ms=MEAN, mfc=panel.sheet.colour("paper"),
        mec=panel.sheet.colour("ink"), mew=1.4 * PX, ls="none", clip_on=False, zorder=6,
    )  # fmt: skip
