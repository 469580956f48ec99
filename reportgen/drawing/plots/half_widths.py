"""Half widths of intervals by the number of units, and of what varies inside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import TYPE_CHECKING, Any, Protocol

from reportgen.drawing.axes import ValueAxis, fit_axis
from reportgen.drawing.labels import axis_words
from reportgen.drawing.plots.rows import PX
from reportgen.drawing.style import SMALL

if TYPE_CHECKING:
    from reportgen.drawing.sheet import Sheet
    from reportgen.notation import NumberFormat
    from reportgen.performance_measure import Measure

Curve = Sequence[tuple[int, float]]

HIGH, PHONE_HIGH = 130.0, 110.0  # pt: height of a panel
TOP, FOOT, LEFT, GAP = 16.0, 32.0, 34.0, 22.0  # pt: the axis' name; numbers and their name; ticks
MOST_PANELS = 4


class Planned(Protocol):
    """Half widths of the interval of a difference, by numbers of several kinds."""

    @property
    def curves(self) -> Mapping[str, Curve]:
        """Half widths by each number, all else kept."""

    @property
    def numbers(self) -> Mapping[str, int]:
        """The numbers that there are."""

    @property
    def detect(self) -> float:
        """The difference to detect."""

    @property
    def measured(self) -> Measure:
        """The measure."""

    @property
    def number_format(self) -> NumberFormat:
        """How differences are written."""


def panels(plan: Planned) -> list[tuple[str, Curve]]:
    """Return the curves that are drawn."""
    return list(plan.curves.items())[:MOST_PANELS]


def draw_half_widths(plan: Planned, sheet: Sheet) -> None:
    """Draw a panel for each number; lines are the difference to detect, and what there is."""
    from matplotlib.lines import Line2D

    shown, at, numbers = panels(plan), plan.number_format, plan.numbers
    per_row = min(len(shown), 2 if sheet.is_phone else MOST_PANELS)
    n_rows = -(-len(shown) // per_row)
    high = PHONE_HIGH if sheet.is_phone else HIGH
    sheet.begin(n_rows * (TOP + high + FOOT))
    page, ink, pale = sheet.page(), sheet.colour("ink"), sheet.colour("ink2")
    ends = [0.0, at.factor * plan.detect]
    ends += [at.factor * width for _, own in shown for _, width in own]
    up = fit_axis(ends, high, 28, may_be_log=False)
    width = (sheet.width - LEFT - (per_row - 1) * GAP - 6) / per_row
    style: dict[str, Any] = {"fontsize": SMALL, "va": "center_baseline"}
    for k, (name, own) in enumerate(shown):
        row, column = divmod(k, per_row)
        left = LEFT + column * (width + GAP)
        top = row * (TOP + high + FOOT)
        axes = sheet.axes(
            left, sheet.height - top - TOP - high, sheet.width - left - width, top + TOP
        )
        up.apply(axes, "y")
        if column:
            axes.set_yticklabels([])
        places = [log10(n) for n, _ in own]
        _number_axis(min(places), max(places), width).apply(axes, "x")
        axes.tick_params(labelsize=SMALL, length=2)
        ends_x = [min(places), max(places)]
        level = float(up.drawn([at.factor * plan.detect])[0])
        axes.add_artist(Line2D(ends_x, [level] * 2, color=pale, lw=PX, ls=(0, (3, 2))))
        if numbers.get(name, 0) > 0:
            x = log10(numbers[name])
            axes.add_artist(Line2D([x, x], [up.lower, up.upper], color=pale, lw=0.8 * PX))
        heights = up.drawn([at.factor * w for _, w in own]).tolist()
        axes.add_artist(Line2D(places, heights, color=ink, lw=1.6 * PX, zorder=3))
        page.text(left, top + TOP + high + FOOT - 8, name, color=pale, **style)
    words = axis_words(plan.measured, up, at.difference_unit.strip(), before="half width, ")
    page.text(0, 5, words, color=pale, **style)


def _number_axis(low: float, high: float, width: float) -> ValueAxis:
    """Return a logarithmic axis of numbers."""
    wanted = [f * 10**e for e in range(7) for f in (1, 2, 5)]
    inside = [n for n in wanted if low - 1e-9 <= log10(n) <= high + 1e-9]
    step = max(1, -(-len(inside) * 26 // max(1, int(width))))
    ticks = inside[::step]
    edge = 0.03 * max(high - low, 0.1)
    return ValueAxis(
        low - edge, high + edge, tuple(log10(n) for n in ticks), tuple(f"{n:,}" for n in ticks)
    )
