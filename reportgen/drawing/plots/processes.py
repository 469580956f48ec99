"""The processes in which candidates were measured, and the runs of each, one row a candidate."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.drawing.axes import ValueAxis, fit_axis
from reportgen.drawing.plots.rows import PX, Panel, RowColumn, RowPlot, draw_rows, row_height
from reportgen.drawing.sheet import Sheet, draw_lines
from reportgen.stats.arrays import Array

ROW = 72 * PX
MARK = 5 * PX  # of a process
REACH = 0.4  # of a row's height, that processes reach from its middle
FAINT = 0.5  # of the line over the runs of a process


@dataclass(frozen=True, slots=True)
class Lane:
    """The processes of a candidate, in their order, as they are shown."""

    means: Array  # (P,)
    least: Array  # (P,); of the runs
    largest: Array


@dataclass(frozen=True, slots=True)
class ProcessPlot:
    """What a plot of processes shows."""

    lanes: Mapping[str, Lane]  # by candidate, in the order of the rows
    columns: tuple[RowColumn, ...]
    # The axis' name; where there is little room.
    title: str
    phone_title: str


def draw_processes(plot: ProcessPlot, sheet: Sheet) -> None:
    """Draw a line a process from its least to its largest run, with a mark at its mean."""
    names = list(plot.lanes)
    height = int(row_height(len(names), ROW) / PX) * PX
    draw_rows(
        RowPlot(
            rows=[(name,) for name in names],
            columns=plot.columns,
            fit=partial(_fit, plot),
            draw=partial(_draw_row, plot, names, height),
            title=lambda _, is_phone: plot.phone_title if is_phone else plot.title,
            row=height,
            has_grid=True,
        ),
        sheet,
    )


def _fit(plot: ProcessPlot, length: float, gap: float) -> ValueAxis:
    ends = [x for lane in plot.lanes.values() for x in (lane.least, lane.largest)]
    return fit_axis(np.concatenate(ends), length, gap)


def _draw_row(
    plot: ProcessPlot, names: list[str], height: float, panel: Panel, i: int, y: float
) -> None:
    sheet, name = panel.sheet, names[i]
    lane = plot.lanes[name]
    n = len(lane.means)
    heights = y + height * REACH * (np.linspace(-1, 1, n) if n > 1 else np.zeros(1))
    means, least, largest = (panel.axis.drawn(x) for x in (lane.means, lane.least, lane.largest))
    lines = [[(a, h), (b, h)] for a, b, h in zip(least, largest, heights, strict=True)]
    draw_lines(panel.axes, lines, sheet.ink(name), PX, alpha=FAINT, clip_on=False)
    style: dict[str, Any] = sheet.mark(name, MARK) | {"clip_on": False}
    panel.axes.plot(means, heights, **style)
