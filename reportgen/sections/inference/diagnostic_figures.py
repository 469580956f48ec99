"""The figure of the block model's diagnostics: residuals, and normal plots with their bands."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.document import Figure, Series
from reportgen.drawing import (
    DATA,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    alt_text,
    fit_axis,
    make_key,
    measure_words,
    plain,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.notation import Scale
    from reportgen.sections.inference.result import Diagnostics, MeasureInference, Normality
    from reportgen.stats.blocks.diagnostics import NormalPlot

PANEL = 150.0  # pt: height of a panel
LEFT, BELOW, ABOVE, BETWEEN = 40.0, 30.0, 20.0, 34.0


def diagnostics_figure(inference: MeasureInference, at: Scale, canvas: Canvas) -> Figure | None:
    """Draw the diagnostics of a measure, where it has any."""
    found = inference.diagnostics
    if found is None:
        return None
    return canvas.figure(
        "diagnostics",
        inference.measure.name,
        partial(_draw, inference, found, at),
        alt=_alt(inference, found),
        data=_data(inference, found),
        n_marks=int(np.isfinite(found.residual_values).sum()),
    )


def _data(inference: MeasureInference, found: Diagnostics) -> Series:
    """Return fitted values and residuals, one row a value."""
    rows = [
        (name, block + 1, float(found.fitted[block, k]), float(found.residual_values[block, k]))
        for k, name in enumerate(inference.candidates)
        for block in range(len(found.fitted))
        if np.isfinite(found.residual_values[block, k])
    ]
    return Series(("candidate", "row", "fitted", "residual"), tuple(rows))


def _alt(inference: MeasureInference, found: Diagnostics) -> str:
    parts = [f"residuals: {_told(found.residuals)}"]
    if found.blocks is not None:
        parts.append(f"block effects: {_told(found.blocks)}")
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


def _told(plot: Normality) -> str:
    return f"{plot.n_outside} of {len(plot.plot.ordered)} points shown outside the band"


def _draw(inference: MeasureInference, found: Diagnostics, at: Scale, sheet: Sheet) -> None:
    """Draw the panels side by side, on a phone below each other."""
    plots = [found.residuals, *([found.blocks] if found.blocks else [])]
    n_panels = 1 + len(plots)
    columns = 1 if sheet.is_phone else n_panels
    key = make_key(sheet, inference.order, sheet.width)
    panel = ABOVE + PANEL + BELOW
    sheet.begin(key.height + (n_panels if sheet.is_phone else 1) * panel)
    room = (sheet.width - columns * LEFT - (columns - 1) * (BETWEEN - 20)) / columns
    for i in range(n_panels):
        x, y = (0.0, i * panel) if sheet.is_phone else (i * (LEFT + room + BETWEEN - 20), 0.0)
        left, top = x + LEFT, key.height + y + ABOVE
        axes = sheet.axes(left, sheet.height - top - PANEL, sheet.width - left - room, top)
        if i == 0:
            _draw_residuals(inference, found, at, sheet, axes, room)
        else:
            _draw_normal(plots[i - 1].plot, sheet, axes, room)
        heads = ("residual against fitted", "residuals, normal plot", "replications, normal plot")
        axes.set_title(heads[i], loc="left", fontsize=TICK, pad=6, color=sheet.colour("ink"))
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
