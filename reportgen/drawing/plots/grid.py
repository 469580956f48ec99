"""The grid of decisions: candidates by candidates, for more pairs than a page has room for.

Both sides are in the order of the means, so that nearly all marks stand above the diagonal, which
has the candidates' own marks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from reportgen.data_classes import dataclass
from reportgen.drawing.labels import MARK_WIDTH, name_mark
from reportgen.drawing.plots.rows import DIVIDER, GAP, GUTTER, PHONE_GUTTER, PX, link_artists, snap
from reportgen.drawing.sheet import Sheet, shorten_names
from reportgen.drawing.style import SMALL, TICK
from reportgen.drawing.text_size import text_width

if TYPE_CHECKING:
    from matplotlib.artist import Artist

    from reportgen.drawing.page import PageArtist

Answer = Literal["decided", "slight", "equivalent", "undecided"]
"""Decided; decided, but too small to matter; equivalent and not decided; undecided."""

WORDS: Mapping[Answer, str] = {
    "decided": "significant",
    "slight": "significant, too small to matter",
    "equivalent": "equivalent",
    "undecided": "not significant",
}
ROWS = "row better than column:"
MOST, MOST_SMALL = 60, 16  # candidates that have room on a page, and on a third of one
CELL, LEAST_ROW = 18 * PX, 13 * PX  # pt: a cell at most; a row at least, for its name
ABOVE, LEGEND = 18.0, 12.0  # pt: the heads; a line of the legend


@dataclass(frozen=True, slots=True)
class Grid:
    """What a grid of decisions shows."""

    order: tuple[str, ...]  # candidates, best mean first
    # Of each pair, the better one first: where undecided, that with the better mean.
    answers: Mapping[tuple[str, str], Answer]

    @property
    def counts(self) -> Mapping[str, tuple[int, int]]:
        """How many candidates each one is decided to be better than, and how many than it."""
        decided = [pair for pair, a in self.answers.items() if a in ("decided", "slight")]
        better = Counter(first for first, _ in decided)
        worse = Counter(second for _, second in decided)
        return {name: (better[name], worse[name]) for name in self.order}


def draw_grid(grid: Grid, sheet: Sheet, *, is_small: bool = False) -> None:
    """Draw a row and a column a candidate: the row's is better than the column's.

    `is_small`: whether it is that of one of many data sets.
    """
    order = grid.order[: MOST_SMALL if is_small else MOST]
    size = SMALL if is_small or sheet.is_phone or len(order) > 30 else TICK
    names = shorten_names(order, PHONE_GUTTER if sheet.is_phone else GUTTER, size)
    left = max(text_width(names[n], size) for n in order) + MARK_WIDTH + GAP
    heads = () if sheet.is_phone else ("better than", "worse than")
    right = sum(text_width(head, SMALL) + GAP for head in heads)
    cell = min(CELL, (sheet.width - left - right) / len(order))
    row = LEAST_ROW if is_small else round(max(cell, LEAST_ROW) / PX) * PX
    legend = _legend(grid, sheet)
    end = ABOVE + row * len(order)
    sheet.begin(end + 4 + LEGEND * len(legend))
    page = sheet.page()
    edge = min(left + cell * len(order) + right, sheet.width)
    lines: dict[str, Any] = {"color": sheet.colour("rule"), "lw": DIVIDER, "zorder": 0}
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    if len(order) < len(grid.order):
        page.text(0, 7.5, f"{len(order)} of {len(grid.order)}", **style)
    counts = grid.counts
    for i, name in enumerate(order):
        x, y = left + (i + 0.5) * cell, ABOVE + (i + 0.5) * row
        bottom = snap(ABOVE + (i + 1) * row, DIVIDER)
        page.plot([0, edge], [bottom, bottom], **lines)
        with link_artists(sheet, (name,), page):
            name_mark(sheet, page, 0, y, name, names[name], size=size)
            for height in (9.0, y):
                page.plot([x], [height], **sheet.mark(name, min(5.5, 0.6 * cell)))
            _write_counts(sheet, page, heads, counts[name], edge, y, size)
    for head in reversed(heads):
        page.text(edge, 7.5, head, ha="right", **style)
        edge -= text_width(head, SMALL) + GAP
    at = {name: i for i, name in enumerate(order)}
    for (first, second), answer in grid.answers.items():
        if first in at and second in at:
            x, y = left + (at[second] + 0.5) * cell, ABOVE + (at[first] + 0.5) * row
            for artist in _mark(sheet, page, x, y, answer, min(5.4, 0.62 * cell)):
                sheet.link(artist, first, second)
    for i, answers in enumerate(legend):
        y = end + 4 + (i + 0.5) * LEGEND
        if not i:
            page.text(0, y, ROWS, **style | {"va": "center_baseline"})
        _write_legend(sheet, page, answers, 0 if i else text_width(ROWS, SMALL) + GAP, y)


def _write_counts(
    sheet: Sheet,
    page: PageArtist,
    heads: tuple[str, ...],
    counts: tuple[int, int],
    x: float,
    y: float,
    size: float,
) -> None:
    for head, count in reversed(list(zip(heads, counts, strict=False))):
        page.text(x, y, str(count), ha="right", va="center_baseline", fontsize=size,
                  color=sheet.colour("ink2"))  # fmt: skip
        x -= text_width(head, SMALL) + GAP


def _mark(
    sheet: Sheet, page: PageArtist, x: float, y: float, answer: Answer, size: float
) -> list[Artist]:
    """Draw a filled dot where the pair is decided, else an open one; a bar says: too small."""
    ink, paper = sheet.colour("ink"), sheet.colour("paper")
    is_full = answer in ("decided", "slight")
    face = ink if is_full else paper
    look = {"marker": "o", "markersize": size, "markeredgewidth": PX}
    dot = page.mark(x, y, **look, markerfacecolor=face, markeredgecolor=ink, zorder=3)
    if answer not in ("slight", "equivalent"):
        return [dot]
    half, colour = 0.32 * size, paper if is_full else ink
    return [dot, page.stroke([x - half, x + half], [y, y], lw=1.4 * PX, color=colour, zorder=4)]


def _legend(grid: Grid, sheet: Sheet) -> list[list[Answer]]:
    """Return the answers that occur, in lines that fit; before the first stands what a row is."""
    lines: list[list[Answer]] = [[]]
    x = text_width(ROWS, SMALL) + GAP
    for answer in WORDS:
        if answer not in grid.answers.values():
            continue
        width = MARK_WIDTH + text_width(WORDS[answer], SMALL) + GAP
        if x + width > sheet.width and lines[-1]:
            lines.append([])
            x = 0.0
        lines[-1].append(answer)
        x += width
    return lines


def _write_legend(
    sheet: Sheet, page: PageArtist, answers: list[Answer], x: float, y: float
) -> None:
    for answer in answers:
        _mark(sheet, page, x + 4, y, answer, 5.0)
        page.text(x + MARK_WIDTH, y, WORDS[answer], va="center_baseline", fontsize=SMALL,
                  color=sheet.colour("ink2"))  # fmt: skip
        x += MARK_WIDTH + text_width(WORDS[answer], SMALL) + GAP
