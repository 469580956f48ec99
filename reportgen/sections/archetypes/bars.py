"""Percentile profiles: how far up each archetype lies in every column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reportgen.drawing import HAIR, SMALL, TICK, Sheet, shortened, text_width
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.sections.archetypes.result import HIGH, LOW

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.archetypes.result import ArchetypesResult

LINE, HEAD, FOOT, GAP = 10.0, 16.0, 24.0, 10.0  # pt: a column's bar; above and below; between
MOST_LINES = 60  # columns on a page
LABELS = 120.0  # pt: longest name


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the columns.

    Attributes
    ----------
    first, last : int
        Their places, the last one excluded.
    """

    first: int
    last: int


def pages(n_columns: int) -> list[Page]:
    """Cut the columns into pages of nearly equal length."""
    n = -(-n_columns // MOST_LINES)
    ends = [round(i * n_columns / n) for i in range(n + 1)]
    return [Page(a, b) for a, b in pairwise(ends)]


def draw_bars(result: ArchetypesResult, page: Page, sheet: Sheet) -> None:
    """Draw a line a column and a panel an archetype."""
    columns = result.columns[page.first : page.last]
    names = shortened(columns, 60.0 if sheet.is_phone else LABELS, SMALL)
    left = 8 + max(text_width(name, SMALL) for name in names.values())
    sheet.begin(HEAD + LINE * len(columns) + FOOT)
    canvas = sheet.page()
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink"), "ha": "right"}
    for i, column in enumerate(columns):
        y = HEAD + (i + 0.5) * LINE
        canvas.text(left - 6, y, names[column], va="center_baseline", **style)
    gap = GAP if result.k < 5 else 5.0
    width = (sheet.width - left - 6 - (result.k - 1) * gap) / result.k
    for j in range(result.k):
        x = left + j * (width + gap)
        axes = sheet.axes(x, FOOT, sheet.width - x - width, HEAD)
        _panel(sheet, axes, result.percentiles[j][page.first : page.last])
        head = f"archetype {j + 1}" if width > 50 else str(j + 1)
        canvas.text(x, 6, head, va="center_baseline", fontsize=TICK, fontweight=600)
    canvas.text(left, sheet.height - 5, "percentile in the column", va="center_baseline",
                fontsize=SMALL, color=sheet.colour("ink2"))  # fmt: skip


def _panel(sheet: Sheet, axes: Axes, percentiles: Sequence[float]) -> None:
    n = len(percentiles)
    axes.set(xlim=(0, 1), ylim=(n - 0.5, -0.5), yticks=[])
    width = axes.get_position().width * sheet.width
    texts = ["0", "50", "100"] if width > 44 else ["", "50", ""]
    axes.set_xticks([0, 0.5, 1], texts, fontsize=SMALL)
    axes.tick_params(length=2)
    first, _, last = axes.get_xticklabels()  # two panels’ ends would touch
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")
    bars = [(0.0, i - 0.36, p, 0.72) for i, p in enumerate(percentiles)]
    middle = [b for b, p in zip(bars, percentiles, strict=True) if LOW <= p <= HIGH]
    fill_boxes(axes, [(0.0, i - 0.36, 1.0, 0.72) for i in range(n)], sheet.colour("band"), zorder=0)
    fill_boxes(axes, middle, sheet.colour("ghost"), zorder=1)
    ends = [b for b in bars if b not in middle]
    fill_boxes(axes, ends, sheet.colour("ink2"), zorder=1)
    draw_lines(axes, [[(0.5, -0.5), (0.5, n - 0.5)]], sheet.colour("paper"), HAIR, zorder=2)
