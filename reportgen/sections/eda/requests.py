"""Figures of the exploration that no report has by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import cycle
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text, axis_words, measure_words
from reportgen.drawing.plots.boxes import draw_box
from reportgen.drawing.plots.rows import (
    PX,
    STROKE,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
)
from reportgen.drawing.plots.stacked import draw_stacked
from reportgen.drawing.sheet import shorten_names
from reportgen.drawing.style import SMALL
from reportgen.drawing.text_size import text_width
from reportgen.notation import NumberFormat, level_words
from reportgen.performance_measure import FEW_REPLICATIONS
from reportgen.report import Figure, Series
from reportgen.sections.eda.analysis import MeasureExploration
from reportgen.sections.eda.figures import distribution_alt, fit_values, n_points, values_of
from reportgen.stats.descriptive import value_step

if TYPE_CHECKING:
    from reportgen.sections.base import Request
    from reportgen.sections.eda.analysis import EdaResult

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
            ends = panel.axis.drawn(number_format.factor * seen.values[seen.drawn][:, columns])
            lines = LineCollection(
                [np.column_stack((values, middles)) for values in ends],
                colors=sheet.colour("axis"), lw=0.5, alpha=LINE_ALPHA, zorder=1.5, **sheet.dense,
            )  # fmt: skip
            panel.axes.add_collection(lines, autolim=False)
            sheet.link_replications(lines, of=len(seen.values))

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


Drawing = Callable[["MeasureExploration", NumberFormat, Sheet], None]


def boxes(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Box plots with a line for each replication (Eugster 2011, fig. 2.2a and 6.1a)."""
    yield from _of_values("boxes", draw_boxes, result, canvas)


def density(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Kernel densities of the candidates' values (Eugster 2011, fig. 2.2c)."""
    yield from _of_values("density", draw_density, result, canvas)


def histogram(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Histograms of the candidates' values with the same classes (Eugster 2011, ch. 2.2)."""
    yield from _of_values("histogram", draw_histogram, result, canvas)


def _of_values(name: str, draw: Drawing, result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Yield a figure of the values of each measure that has enough of them."""
    for seen in canvas.of_measures(result.values()):
        if len(seen.values) >= FEW_REPLICATIONS:
            yield canvas.figure(
                name,
                seen.measure.name,
                partial(draw, seen, seen.number_format),
                alt=distribution_alt(seen, seen.number_format),
                data=values_of(seen),
                n_marks=n_points(seen) if name == "boxes" else 0,
            )


def percentile_intervals(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Percentile intervals of the candidates' values (Eugster 2011, fig. 2.1)."""
    for seen in canvas.of_measures(result.values()):
        if len(seen.values) < FEW_REPLICATIONS:
            continue
        at, names = seen.number_format, alt_names([s.candidate for s in seen.summary])
        unit = at.in_unit
        parts = [
            f"{names[s.candidate]} {at.interval(*s.percentile_interval)}, "
            f"mean {at.value(s.mean, s.percentile_interval)}"
            for s in seen.summary
        ]
        rows = tuple((s.candidate, *s.percentile_interval, s.mean) for s in seen.summary)
        head = (
            f"Central {level_words(seen.alpha)} of the values of {measure_words(seen.measure)}"
            f"{unit}, best {seen.sorted_by} first: "
        )
        yield canvas.figure(
            "percentile-intervals",
            seen.measure.name,
            partial(draw_percentile_intervals, seen, at),
            alt=alt_text(f"{head}{'; '.join(parts)}."),
            data=Series(("candidate", "lower", "upper", "mean"), rows),
        )


def stacked(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Stacked bars of the places that each candidate takes (Eugster 2011, fig. 4.2a)."""
    for seen in canvas.of_measures(result.values()):
        podium = seen.podium
        if podium is None or podium.n_blocks < FEW_REPLICATIONS:
            continue
        counts = {
            s.candidate: tuple(place.get(s.candidate, 0) for place in podium.places)
            for s in seen.summary
        }
        names = alt_names(list(counts))
        texts = [f"{names[n]} {', '.join(map(str, own))}" for n, own in counts.items()]
        head = (
            f"Stacked bars of the places by {measure_words(seen.measure)} in {podium.n_blocks} "
            f"{canvas.words('replications')}, from the first on: "
        )
        rows = tuple((n, k + 1, x) for n, own in counts.items() for k, x in enumerate(own))
        yield canvas.figure(
            "stacked",
            seen.measure.name,
            partial(
                draw_stacked,
                counts,
                [str(k + 1) for k in range(len(podium.places))],
                canvas.words("replications"),
            ),
            alt=alt_text(f"{head}{'; '.join(texts)}."),
            data=Series(("candidate", "place", "count"), rows),
        )


REQUESTS: Mapping[str, Request] = {
    "boxes": boxes,
    "density": density,
    "histogram": histogram,
    "percentile-intervals": percentile_intervals,
    "stacked": stacked,
}
