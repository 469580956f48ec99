"""Boxes, densities, histograms, and intervals of each candidate's values, on request."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import cycle
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import Sheet, axis_words, measure_words
from reportgen.drawing.plots.boxes import draw_box
from reportgen.drawing.plots.rows import (
    PX,
    STROKE,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
)
from reportgen.drawing.sheet import shorten_names
from reportgen.drawing.style import SMALL
from reportgen.drawing.text_size import text_width
from reportgen.notation import NumberFormat, level_words
from reportgen.sections.eda.result import MeasureExploration
from reportgen.sections.eda.strip import fit_values
from reportgen.stats.descriptive import value_step

HEIGHT, ROW = 190.0, 46.0  # pt: of a drawing of densities, of a histogram
FOOT, HEAD, SIDE = 34.0, 6.0, 8.0  # pt: below, above and beside the axes
LONGEST = 140.0  # pt: of a name
MOST_DENSITIES = 8  # candidates of which lines can be told apart: the first in the order
MOST_BINS = 40
ROUNDING = 1e-6
LINES = ("-", "--", "-.", ":")
BOX_ROW, INTERVAL_ROW = 32 * PX, 22 * PX  # pt: heights of rows
BOX, CAP = 14.0, 3.0  # pt: height of a box; half that of an interval's end
LINE_ALPHA = 0.35


def draw_density(seen: MeasureExploration, number_format: NumberFormat, sheet: Sheet) -> None:
    """Draw the kernel density of the values of each candidate, within the range of these."""
    from seaborn import kdeplot

    sheet.begin(HEIGHT)
    axes = sheet.axes(SIDE, FOOT, SIDE, HEAD)
    names = _names(seen)[:MOST_DENSITIES]
    short = shorten_names(names, LONGEST, SMALL)
    least = value_step(_all_values(seen, number_format)) / 2
    for name, line in zip(names, cycle(LINES), strict=False):
        values = _values(seen, number_format, name)
        style: dict[str, Any] = {
            "color": sheet.ink(name),
            "linestyle": line,
            "label": short[name],
            "linewidth": 1.2,
        }
        if len(np.unique(values)) > 1:
            usual = float(np.std(values, ddof=1)) * len(values) ** -0.2  # Scott's rule
            kdeplot(x=values, ax=axes, cut=0, bw_adjust=max(1.0, least / usual), **style)
        else:
            axes.axvline(float(values[0]), **style)
    axes.set(xlabel=_words(seen, number_format), ylabel="", yticks=[])
    axes.legend(frameon=False, fontsize=SMALL)


def class_edges(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ends of a histogram's classes: of values on a grid, each of whole steps."""
    edges = np.histogram_bin_edges(values, "auto")
    low, high = float(values.min()), float(values.max())
    if len(edges) > MOST_BINS + 1:
        edges = np.linspace(low, high, MOST_BINS + 1)
    step = value_step(values)
    if not step:
        return edges
    width = step * ceil((edges[1] - edges[0]) / step - ROUNDING)
    n = ceil((high - low + step / 2) / width - ROUNDING)
    return np.asarray(low - step / 2 + width * np.arange(n + 1), np.float64)


def draw_histogram(seen: MeasureExploration, number_format: NumberFormat, sheet: Sheet) -> None:
    """Draw a histogram of the values of each candidate, all with the same classes, best first."""
    from seaborn import histplot

    names = _names(seen)
    edges = class_edges(_all_values(seen, number_format))
    sheet.begin(ROW * len(names) + FOOT + HEAD)
    short = shorten_names(names, LONGEST, SMALL)
    left = SIDE + max(text_width(short[name], SMALL) for name in names)
    for i, name in enumerate(names):
        last = i == len(names) - 1
        below = FOOT + ROW * (len(names) - 1 - i)
        axes = sheet.axes(left, below + 4, SIDE, HEAD + ROW * i)
        histplot(
            x=_values(seen, number_format, name), bins=list(edges), ax=axes, element="step",
            facecolor=sheet.wash(name), edgecolor=sheet.ink(name), linewidth=0.8,
        )  # fmt: skip
        axes.set(
            xlim=(edges[0], edges[-1]),
            xlabel=_words(seen, number_format) if last else "",
            yticks=[],
        )
        axes.tick_params(labelbottom=last)
        axes.set_ylabel(short[name], rotation=0, ha="right", va="center", fontsize=SMALL)


def draw_boxes(seen: MeasureExploration, number_format: NumberFormat, sheet: Sheet) -> None:
    """Draw a box a candidate, best first, and a line a replication through its values."""
    from matplotlib.collections import LineCollection

    rows = [s for s in seen.summary if s.n]
    columns = [seen.candidates.index(s.candidate) for s in rows]
    middles: list[float] = []

    def draw_row(panel: Panel, i: int, middle: float) -> None:
        name = rows[i].candidate
        values = panel.axis.drawn(_values(seen, number_format, name))
        draw_box(panel.axes, values, middle, BOX, name, sheet)
        middles.append(middle)
        if i == len(rows) - 1:
            ends = panel.axis.drawn(number_format.factor * seen.values[:, columns])
            lines = LineCollection(
                [np.column_stack((values, middles)) for values in ends],
                colors=sheet.colour("axis"), lw=0.5, alpha=LINE_ALPHA, zorder=1.5, **sheet.dense,
            )  # fmt: skip
            panel.axes.add_collection(lines, autolim=False)
            sheet.link_replications(lines)

    medians = tuple(number_format.value(s.median) for s in rows)
    ranges = tuple(number_format.interval(s.min, s.max) for s in rows)
    draw_rows(
        RowPlot(
            rows=[(s.candidate,) for s in rows],
            columns=(RowColumn("median", medians, medians), RowColumn("range", ranges)),
            fit=partial(fit_values, seen, number_format),
            draw=draw_row,
            title=lambda axis, _: axis_words(seen.measure, axis, number_format.unit_symbol),
            row=BOX_ROW,
            way=_way(seen),
        ),
        sheet,
    )


def draw_percentile_intervals(
    seen: MeasureExploration, number_format: NumberFormat, sheet: Sheet
) -> None:
    """Draw the central part of each candidate's values, best first, and the part all share."""
    rows = [s for s in seen.summary if s.n]

    def draw_row(panel: Panel, i: int, middle: float) -> None:
        own = rows[i]
        lower, upper, mean = panel.axis.drawn(
            [number_format.factor * x for x in (*own.percentile_interval, own.mean)]
        )
        ink = sheet.ink(own.candidate)
        panel.hline(lower, upper, middle, "ink", STROKE, color=ink)
        for x in (lower, upper):
            panel.vline(x, middle - CAP, middle + CAP, "ink", color=ink)
        panel.axes.plot([mean], [middle], clip_on=False, **sheet.mark(own.candidate))

    cells = tuple(number_format.interval(*s.percentile_interval) for s in rows)
    means = tuple(number_format.value(s.mean, s.percentile_interval) for s in rows)
    shared = seen.common_interval
    draw_rows(
        RowPlot(
            rows=[(s.candidate,) for s in rows],
            columns=(
                RowColumn("mean", means, means),
                RowColumn(f"central {level_words(seen.alpha)}", cells),
            ),
            fit=partial(fit_values, seen, number_format),
            draw=draw_row,
            title=lambda axis, _: axis_words(seen.measure, axis, number_format.unit_symbol),
            row=INTERVAL_ROW,
            band=None
            if shared is None
            else (number_format.factor * shared[0], number_format.factor * shared[1]),
            band_words="shared by all",
            way=_way(seen),
        ),
        sheet,
    )


def _way(seen: MeasureExploration) -> str:
    return "← better" if seen.measure.is_smaller_better else "better →"


def _names(seen: MeasureExploration) -> Sequence[str]:
    """Return the candidates that have values, in the order of the section."""
    return [own.candidate for own in seen.summary if own.n]


def _values(
    seen: MeasureExploration, number_format: NumberFormat, name: str
) -> NDArray[np.float64]:
    own = number_format.factor * seen.values[:, seen.candidates.index(name)]
    return np.asarray(own[np.isfinite(own)], np.float64)


def _all_values(seen: MeasureExploration, number_format: NumberFormat) -> NDArray[np.float64]:
    return np.concatenate([_values(seen, number_format, name) for name in _names(seen)])


def _words(seen: MeasureExploration, number_format: NumberFormat) -> str:
    unit = number_format.bracketed_unit
    return f"{measure_words(seen.measure)}{unit}"
