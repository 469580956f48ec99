"""Densities and histograms of the values of each candidate, on request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import Sheet, measure_words
from reportgen.drawing.sheet import shorten_names
from reportgen.drawing.style import SMALL
from reportgen.drawing.text_size import text_width
from reportgen.notation import Scale
from reportgen.sections.eda.result import MeasureExploration

HEIGHT, ROW = 190.0, 46.0  # pt: of a drawing of densities, of a histogram
FOOT, HEAD, SIDE = 34.0, 6.0, 8.0  # pt: below, above and beside the axes
LONGEST = 140.0  # pt: of a name
MOST_DENSITIES = 8  # candidates of which lines can be told apart: the first in the order
MOST_BINS = 40
LINES = ("-", "--", "-.", ":")


def draw_density(seen: MeasureExploration, scale: Scale, sheet: Sheet) -> None:
    """Draw the kernel density of the values of each candidate, within the range of these."""
    from seaborn import kdeplot

    sheet.begin(HEIGHT)
    axes = sheet.axes(SIDE, FOOT, SIDE, HEAD)
    names = _names(seen)[:MOST_DENSITIES]
    short = shorten_names(names, LONGEST, SMALL)
    for name, line in zip(names, cycle(LINES), strict=False):
        values = _values(seen, scale, name)
        style: dict[str, Any] = {
            "color": sheet.ink(name),
            "linestyle": line,
            "label": short[name],
            "linewidth": 1.2,
        }
        if len(np.unique(values)) > 1:
            kdeplot(x=values, ax=axes, cut=0, **style)
        else:
            axes.axvline(float(values[0]), **style)
    axes.set(xlabel=_words(seen, scale), ylabel="", yticks=[])
    axes.legend(frameon=False, fontsize=SMALL)


def draw_histogram(seen: MeasureExploration, scale: Scale, sheet: Sheet) -> None:
    """Draw a histogram of the values of each candidate, all with the same classes, best first."""
    from seaborn import histplot

    names = _names(seen)
    whole = np.concatenate([_values(seen, scale, name) for name in names])
    edges = np.histogram_bin_edges(whole, "auto")
    if len(edges) > MOST_BINS + 1:
        edges = np.linspace(whole.min(), whole.max(), MOST_BINS + 1)
    sheet.begin(ROW * len(names) + FOOT + HEAD)
    short = shorten_names(names, LONGEST, SMALL)
    left = SIDE + max(text_width(short[name], SMALL) for name in names)
    for i, name in enumerate(names):
        last = i == len(names) - 1
        below = FOOT + ROW * (len(names) - 1 - i)
        axes = sheet.axes(left, below + 4, SIDE, HEAD + ROW * i)
        histplot(
            x=_values(seen, scale, name), bins=list(edges), ax=axes, element="step",
            facecolor=sheet.wash(name), edgecolor=sheet.ink(name), linewidth=0.8,
        )  # fmt: skip
        axes.set(xlim=(edges[0], edges[-1]), xlabel=_words(seen, scale) if last else "", yticks=[])
        axes.tick_params(labelbottom=last)
        axes.set_ylabel(short[name], rotation=0, ha="right", va="center", fontsize=SMALL)


def _names(seen: MeasureExploration) -> Sequence[str]:
    """Return the candidates that have values, in the order of the section."""
    return [own.candidate for own in seen.summary if own.n]


def _values(seen: MeasureExploration, scale: Scale, name: str) -> NDArray[np.float64]:
    own = scale.factor * seen.values[:, seen.candidates.index(name)]
    return np.asarray(own[np.isfinite(own)], np.float64)


def _words(seen: MeasureExploration, scale: Scale) -> str:
    unit = f" ({scale.unit})" if scale.unit else ""
    return f"{measure_words(seen.measure)}{unit}"
