"""Half widths of intervals by the number of units, and of what varies inside them.

A plan draws them where a user calls its `figure`: sections do not draw in their analysis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

Curve = Sequence[tuple[int, float]]

WIDTH, HEIGHT = 2.6, 2.3  # inches of a panel


def draw_half_widths(
    curves: Mapping[str, Curve],
    marks: Mapping[str, float],
    detect: float,
    words: str,
    file: Path,
) -> None:
    """Draw a panel a number: half widths by it, all else kept.

    `curves`: by what is counted: numbers with their half widths.
    `marks`: numbers that there are.
    `detect`: the difference to detect, a line.
    `words`: what the half width is of.
    `file`: SVG, PDF or PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    n = len(curves)
    figure = Figure(figsize=(WIDTH * n + 0.5, HEIGHT), layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(1, n, sharey=True, squeeze=False)[0]
    for axes, (name, curve) in zip(panels, curves.items(), strict=True):
        numbers, widths = zip(*curve, strict=True)
        axes.plot(numbers, widths, color="#1d1b18", lw=1.4)
        axes.axhline(detect, color="#8c8880", lw=0.8, ls="--")
        if name in marks and marks[name] > 0:
            axes.axvline(marks[name], color="#dad6cd", lw=0.8, zorder=0)
        axes.set(xscale="log", xlabel=f"number of {name}")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8)
    top = max(width for curve in curves.values() for _, width in curve)
    panels[0].set(ylim=(0, 1.05 * max(top, detect)), ylabel="half width")
    figure.suptitle(words, fontsize=9, x=0.01, ha="left")
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
