"""Names of the candidates above columns: across where they fit, else upwards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reportgen.drawing import SMALL, Sheet, shortened, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST = 84.0  # pt of a name that stands upwards
MARK = 9.0  # pt that a mark takes
HEAD_GAP = 4.0  # pt between heads and cells


def head_height(names: Sequence[str], cell: float) -> float:
    """Return how much room the names above columns of some width need."""
    if is_across(names, cell):
        return 20.0
    texts = shortened(names, LONGEST, SMALL)
    return max(text_width(text, SMALL) for text in texts.values()) + MARK + 3


def is_across(names: Sequence[str], cell: float) -> bool:
    """Whether every name fits above its column."""
    return all(text_width(name, SMALL) <= cell - 4 for name in names)


def draw_heads(
    sheet: Sheet, page: Axes, names: Sequence[str], left: float, cell: float, bottom: float
) -> None:
    """Draw mark and name above every column; `bottom` is where the columns begin."""
    across = is_across(names, cell)
    texts = shortened(names, LONGEST, SMALL)
    size = min(4.8, cell - 1.5)
    letters = min(SMALL, cell)
    for k, name in enumerate(names):
        x = left + (k + 0.5) * cell
        page.plot([x], [bottom - 4.5], **sheet.mark(name, size))
        if across:
            page.text(x, bottom - 14, name, ha="center", va="center_baseline", fontsize=SMALL)
        else:
            page.text(
                x, bottom - MARK - 1, texts[name], ha="center", va="bottom", fontsize=letters,
                rotation=90,
            )  # fmt: skip
