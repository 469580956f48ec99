"""Figures of the preferences: a Hasse diagram, or the incidence matrix of many candidates."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any

from reportgen.drawing import (
    SMALL,
    TEXT_WIDTH,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    measure_words,
    plain,
    shortened,
)
from reportgen.drawing.sheet import fill_boxes
from reportgen.report import Figure, Series
from reportgen.sections.preferences.hasse import Panel, draw_panel, fit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.preferences.analysis import Related
    from reportgen.sections.preferences.result import Preference, PreferencesResult

MANY, TANGLED = 24, 2  # candidates, and lines a candidate, beyond which nobody follows lines
HEAD, MARKS = 15.0, 11.0  # pt: words above the matrix; marks above its columns
MOST_CELL, LEAST_TEXT = 12.0, 5.5  # pt: a cell; the type of a name
SHADES = (0.72, 0.42, 0.2)  # of pairs in all relations, the first alone, another alone


def is_tangled(relation: Related) -> bool:
    """Whether the diagram of a relation has more lines than anybody can follow."""
    n = len(relation.present)
    return n > MANY and len(relation.covers) > TANGLED * n


def row_height(n: int, width: float) -> float:
    """Return the height of a cell of so many candidates, names beside them included."""
    return min(MOST_CELL, 0.78 * width / n)


def incidence_height(n: int, width: float) -> float:
    """Return how high the matrix of so many candidates is, with what stands above it."""
    return HEAD + MARKS + n * row_height(n, width) + 6


def draw_incidence(
    sheet: Sheet, page: Axes, relations: Sequence[Related], heading: str, top: float = 0.0
) -> None:
    """Shade the cells whose row is better than their column; rows by the first relation.

    Parameters
    ----------
    sheet : Sheet
    page : Axes
        Of the whole sheet.
    relations : sequence of Related
        One, or two to be compared: pairs of both are the darkest, those of the
        second alone the lightest.
    heading : str
    top : float
        Where it begins, in points.
    """
    names = by_level(relations[0])
    cell = row_height(len(names), sheet.width)
    left = sheet.width - cell * len(names) - 2
    size = min(SMALL, max(LEAST_TEXT, cell))
    texts = shortened(names, left - 16, size)
    first = top + HEAD + MARKS
    style: dict[str, Any] = {"va": "center_baseline"}
    page.text(left, top + 7, heading, fontsize=SMALL, color=sheet.colour("ink2"), **style)
    for k, name in enumerate(names):
        middle = (k + 0.5) * cell
        mark = sheet.mark(name, min(4.8, cell - 1.5))
        page.plot([left - 7, left + middle], [first + middle, first - 5], **mark)
        page.text(left - 14, first + middle, texts[name], ha="right", fontsize=size, **style)
    whole = (left, first, cell * len(names), cell * len(names))
    fill_boxes(page, [whole], sheet.colour("band"), alpha=0.5)
    for shade, pairs in zip(SHADES, shared_pairs(relations, names), strict=True):
        boxes = [
            (left + j * cell, first + i * cell + 0.3, n * cell, cell - 0.6)
            for i, j, n in runs(pairs)
        ]
        fill_boxes(page, boxes, sheet.colour("ink"), alpha=shade)


def by_level(relation: Related) -> tuple[str, ...]:
    """Return the candidates row by row of the diagram, each row by whom it is better than."""
    names = relation.present
    counts = {a: sum(relation.is_better(a, b) for b in names) for a in names}
    return tuple(sorted(names, key=lambda n: -counts[n]))


def runs(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Join cells that touch in a row: its number, the first column, and how many.

    Examples
    --------
    >>> runs([(0, 1), (0, 2), (0, 4), (1, 2)])
    [(0, 1, 2), (0, 4, 1), (1, 2, 1)]
    """
    found: list[tuple[int, int, int]] = []
    for i, j in pairs:
        if found and found[-1][0] == i and sum(found[-1][1:]) == j:
            row, first, n = found.pop()
            found.append((row, first, n + 1))
        else:
            found.append((i, j, 1))
    return found


def shared_pairs(
    relations: Sequence[Related], names: Sequence[str]
) -> tuple[list[tuple[int, int]], list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the places of pairs in all relations, in the first alone, and in another alone."""
    found: tuple[list[tuple[int, int]], ...] = ([], [], [])
    for i, a in enumerate(names):
        for j, b in enumerate(names):
            said = [i != j and relation.is_better(a, b) for relation in relations]
            if any(said):
                found[0 if all(said) else 1 if said[0] else 2].append((i, j))
    return found[0], found[1], found[2]


MOST_ACROSS = 3  # diagrams beside one another
GAP_ACROSS, GAP_DOWN = 16.0, 20.0  # pt
HIGHEST = 620.0  # pt: what fits on a page with its caption
WAYS = {
    "mean": "by mean",
    "median": "by median",
    "max": "by the worst value",
    "m-worst": "by the {:g}-worst value",
    "quantile": "by the {:g} quantile",
    "friedman": "by tests on ranks",
    "verdict": "by the verdicts",
    "mixed-model": "by the block model",
    "percentile": "by percentile intervals",
}


def draw(result: PreferencesResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the relations side by side, on as many figures as pages need.

    On a compact canvas only those that have no chain: a chain says it all; the
    first of them where very many data sets are drawn.
    """
    drawn = [p for p in result if not p.unavailable]
    if canvas.is_compact:
        drawn = [p for p in drawn if p.order is None][: 1 if canvas.once else None]
    return tuple(_figure(page, number, canvas) for number, page in enumerate(pages(drawn), 1))


def pages(drawn: Sequence[Preference]) -> list[list[Preference]]:
    """Put relations on figures, none of which is higher than a page."""
    found: list[list[Preference]] = []
    for preference in drawn:
        is_large = is_tangled(preference) or bool(found and is_tangled(found[-1][0]))
        if found and not is_large and _grid((*found[-1], preference), TEXT_WIDTH).height <= HIGHEST:
            found[-1].append(preference)
        else:
            found.append([preference])
    return found


def _figure(drawn: Sequence[Preference], number: int, canvas: Canvas) -> Figure:
    """Return the figure of a page; from the second on its number stands for the measure."""
    return canvas.figure(
        "hasse",
        "" if number == 1 else str(number),
        partial(_draw_grid, drawn),
        alt=_alt(drawn),
        data=_data(drawn),
    )


# ----------------------------------------------------------------------------------- words


def heading(preference: Preference) -> tuple[str, str]:
    """Return what stands above a diagram: the measure and how it was read, or the name."""
    words = measure_words(preference.measured)
    way = WAYS[preference.by].format(preference.level)
    if preference.relevant == "better":
        way = f"{way}, relevantly better"
    elif preference.relevant:
        way = f"{way}, not equivalent"
    if preference.id == f"{preference.measure}/{preference.by}":
        return words, way
    return plain(preference.id), f"{words}, {way.removeprefix('by ')}"


def _alt(drawn: Sequence[Preference]) -> str:
    full = [_label(preference, is_brief=False) for preference in drawn]
    brief = [_label(preference, is_brief=True) for preference in drawn]
    head = "Incidence matrix" if is_tangled(drawn[0]) else "Hasse diagram"
    head = head if len(drawn) == 1 else f"Hasse diagrams of {len(drawn)} relations"
    return alt_text(*(f"{head}. {' '.join(parts)}" for parts in (full, brief)))


def _label(preference: Preference, *, is_brief: bool) -> str:
    """Say what one diagram shows: its rows, and its lines where the rows do not tell them."""
    names = alt_names(preference.candidates)
    rows = "; then ".join(", ".join(names[n] for n in level) for level in preference.levels)
    if preference.order is not None:
        rows = "; then ".join(" and ".join(names[n] for n in g) for g in preference.order)
    text = f"{', '.join(heading(preference))}: {rows}."
    if preference.order is not None or is_brief:
        return text
    lines = ", ".join(f"{names[i]} over {names[j]}" for i, j in preference.covers)
    text += f" Lines: {lines}."
    if preference.implied:
        dashed = ", ".join(f"{names[i]} and {names[j]}" for i, j in preference.implied)
        text += f" Dashed, not in the relation: {dashed}."
    return text


def _data(drawn: Sequence[Preference]) -> Series:
    """Return one row a line, and one for every candidate without any."""
    rows: list[tuple[str | None, ...]] = []
    for preference in drawn:
        met = {name for line in preference.covers for name in line}
        rows += [(preference.id, *line, "line") for line in preference.covers]
        rows += [(preference.id, *line, "dashed") for line in preference.implied]
        rows += [(preference.id, n, None, None) for n in preference.present if n not in met]
    return Series(("relation", "better", "worse", "line"), tuple(rows))


# --------------------------------------------------------------------------------- drawing


class _Grid:
    """Diagrams in rows of equal columns."""

    def __init__(self, panels: Sequence[Panel], n_columns: int, width: float) -> None:
        self.panels = panels
        self.n_columns = n_columns
        self._column = (width + GAP_ACROSS) / n_columns - GAP_ACROSS
        rows = [panels[i : i + n_columns] for i in range(0, len(panels), n_columns)]
        self._heights = [max(panel.height for panel in row) for row in rows]

    @property
    def height(self) -> float:
        """Of all rows."""
        return sum(self._heights) + GAP_DOWN * (len(self._heights) - 1)

    def corner(self, i: int) -> tuple[float, float]:
        """Return the upper left corner of a diagram."""
        row, column = divmod(i, self.n_columns)
        top = sum(self._heights[:row]) + GAP_DOWN * row
        return column * (self._column + GAP_ACROSS), top


def _grid(drawn: Sequence[Preference], width: float) -> _Grid:
    """Put as many diagrams beside one another as have the room they want."""
    most = min(MOST_ACROSS, len(drawn), max(1, int(width / 110)))
    for across in range(most, 0, -1):
        n_columns = ceil(len(drawn) / ceil(len(drawn) / across))  # rows of nearly equal length
        column = (width + GAP_ACROSS) / n_columns - GAP_ACROSS
        panels = [fit(preference, column) for preference in drawn]
        grid = _Grid(panels, n_columns, width)
        if not any(panel.is_broken for panel in panels):
            break
    return grid


def _draw_grid(drawn: Sequence[Preference], sheet: Sheet) -> None:
    """Draw diagrams beside one another; of very many candidates the matrix of the only one."""
    if is_tangled(drawn[0]):
        sheet.begin(incidence_height(len(drawn[0].present), sheet.width))
        draw_incidence(sheet, sheet.page(), drawn, ", ".join(heading(drawn[0])))
        return
    grid = _grid(drawn, sheet.width)
    sheet.begin(grid.height + 3)
    page = sheet.page()
    for i, (preference, panel) in enumerate(zip(drawn, grid.panels, strict=True)):
        left, top = grid.corner(i)
        draw_panel(sheet, page, panel, heading(preference), left, top, panel.width)
