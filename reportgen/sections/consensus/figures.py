"""Figures of the consensus: Hasse diagrams of the optima and what they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import TYPE_CHECKING

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text
from reportgen.report import Figure, Series
from reportgen.sections.preferences.hasse import HEAD, Panel, draw_panel, fit

if TYPE_CHECKING:
    from reportgen.sections.consensus.result import ConsensusResult, Order

MOST_OPTIMA = 5  # up to which all are drawn beside what they have in common, else the first
MOST_ACROSS = 3  # diagrams beside one another
GAP_ACROSS, GAP_DOWN = 16.0, 20.0  # pt
WIDEST = 260.0  # pt, of a diagram that stands alone
CLASSES = {
    "linear": "linear order",
    "weak": "weak order",
    "semiorder": "semiorder",
    "interval": "interval order",
    "partial": "partial order",
}


@dataclass(frozen=True, slots=True)
class Shape:
    """One diagram: an order under its heading.

    Attributes
    ----------
    key : str
        Names it in the data of the figure.
    heading : tuple of two str
    present : tuple of str
    order : Order
    """

    key: str
    heading: tuple[str, str]
    present: tuple[str, ...]
    order: Order

    @property
    def absent(self) -> tuple[str, ...]:
        """Nobody: a consensus has all its candidates."""
        return ()

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """Rows of the diagram, best first."""
        return self.order.levels

    @property
    def covers(self) -> tuple[tuple[str, str], ...]:
        """Lines, the better candidate first."""
        return self.order.covers

    @property
    def implied(self) -> tuple[tuple[str, str], ...]:
        """Dashed lines."""
        return self.order.implied

    def is_better(self, first: str, second: str) -> bool:
        """Whether one candidate is better than another."""
        return self.order.incidence[self.present.index(first)][self.present.index(second)] == 1


def draw(result: ConsensusResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the optima; on a compact canvas only what no chain can say."""
    if result.unavailable or len(result.candidates) < 2:
        return ()
    if canvas.is_compact and result.relations[0].chain is not None:
        return ()
    drawn = shapes(result)
    figure = canvas.figure(
        "hasse", "", partial(_draw_grid, drawn), alt=_alt(result, drawn), data=_data(drawn)
    )
    return (figure,)


def shapes(result: ConsensusResult) -> tuple[Shape, ...]:
    """Return what is drawn: the optimum, or what all have in common and some of them."""
    wanted = CLASSES[result.order_class]
    names, n = result.candidates, len(result.relations)
    if n == 1:
        heading = "consensus" if result.is_proven else "best order found"
        return (Shape("consensus", (heading, wanted), names, result.relations[0]),)
    total = str(result.n_optimal) if result.is_complete else f"more than {n}"
    if not result.is_complete and not result.has_more:
        total = f"at least {n}"
    shown = n if n <= MOST_OPTIMA else 1
    listed = tuple(
        Shape(str(i), (f"optimum {i}" if shown > 1 else "minimax optimum", f"of {total}"), names, o)
        for i, o in enumerate(result.relations[:shown], 1)
    )
    if result.agreement is None:
        return listed
    every = Shape("all", ("all optima", "what they have in common"), names, result.agreement)
    return (every, *listed)


def _alt(result: ConsensusResult, drawn: Sequence[Shape]) -> str:
    head = "Hasse diagram" if len(drawn) == 1 else f"{len(drawn)} Hasse diagrams"
    head = f"{head} of the consensus, class {CLASSES[result.order_class]}."
    full, brief = (
        [_label(shape, is_brief=is_brief) for shape in drawn] for is_brief in (False, True)
    )
    return alt_text(f"{head} {' '.join(full)}", f"{head} {' '.join(brief)}")


def _label(shape: Shape, *, is_brief: bool) -> str:
    """Say what one diagram shows: its rows, and its lines where the rows do not tell them."""
    names = alt_names(shape.present)
    chain = shape.order.chain
    if chain is not None:
        return f"{', '.join(shape.heading)}: {'; then '.join(_joined(g, names) for g in chain)}."
    rows = "; then ".join(", ".join(names[n] for n in level) for level in shape.levels)
    text = f"{', '.join(shape.heading)}: {rows}."
    if is_brief:
        return text
    lines = ", ".join(f"{names[i]} over {names[j]}" for i, j in shape.covers)
    return f"{text} Lines: {lines}." if lines else f"{text} No lines."


def _joined(group: Sequence[str], names: dict[str, str]) -> str:
    return " and ".join(names[name] for name in group)


def _data(drawn: Sequence[Shape]) -> Series:
    """Return one row a line, and one for every candidate without any."""
    rows: list[tuple[str | None, ...]] = []
    for shape in drawn:
        met = {name for line in shape.covers for name in line}
        rows += [(shape.key, *line) for line in shape.covers]
        rows += [(shape.key, name, None) for name in shape.present if name not in met]
    return Series(("optimum", "better", "worse"), tuple(rows))


# --------------------------------------------------------------------------------- drawing


@dataclass(frozen=True, slots=True)
class _Grid:
    """Diagrams in rows of equal columns."""

    rows: tuple[tuple[tuple[Shape, Panel], ...], ...]
    column: float

    @property
    def is_broken(self) -> bool:
        return any(panel.is_broken for row in self.rows for _, panel in row)

    @property
    def heights(self) -> list[float]:
        return [max(panel.height for _, panel in row) for row in self.rows]


def _grid(drawn: Sequence[Shape], width: float) -> _Grid:
    """Put as many diagrams beside one another as have the room they want."""
    if len(drawn) == 1:
        narrow = _in_columns(drawn, 1, min(width, WIDEST))
        return _in_columns(drawn, 1, width) if narrow.is_broken else narrow
    most = min(MOST_ACROSS, len(drawn), max(1, int(width / 110)))
    for across in range(most, 0, -1):
        n_columns = ceil(len(drawn) / ceil(len(drawn) / across))  # rows of nearly equal length
        grid = _in_columns(drawn, n_columns, width)
        if not grid.is_broken:
            break
    return grid


def _in_columns(drawn: Sequence[Shape], n_columns: int, width: float) -> _Grid:
    column = (width + GAP_ACROSS) / n_columns - GAP_ACROSS
    panels = [(shape, fit(shape, column)) for shape in drawn]
    rows = [tuple(panels[i : i + n_columns]) for i in range(0, len(panels), n_columns)]
    return _Grid(tuple(rows), column)


def _draw_grid(drawn: Sequence[Shape], sheet: Sheet) -> None:
    grid = _grid(drawn, sheet.width)
    heights = grid.heights
    is_alone = len(drawn) == 1  # in the middle, and without a heading: the caption says it all
    top = -HEAD if is_alone else 0.0
    sheet.begin(sum(heights) + GAP_DOWN * (len(heights) - 1) + 3 + top)
    page = sheet.page()
    indent = (sheet.width - grid.column) / 2 if is_alone else 0.0
    for row, height in zip(grid.rows, heights, strict=True):
        for i, (shape, panel) in enumerate(row):
            left = indent + i * (grid.column + GAP_ACROSS)
            head = ("", "") if is_alone else shape.heading
            draw_panel(sheet, page, panel, head, left, top, grid.column)
        top += height + GAP_DOWN
