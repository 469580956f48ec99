"""The heat map: ranks of the candidates on every data set, the worst in the strongest tone."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from reportgen.drawing import SMALL, THIN, Sheet, fitted, shortened, text_width
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.sections.domain.heads import HEAD_GAP, draw_heads, head_height

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.domain.result import DomainResult
    from reportgen.sections.domain.rows_result import DatasetRow

LINE = 10.6  # pt a data set
MOST_LINES = 50  # of one page
MOST_COLUMNS = 50  # of one page
FEW = 12  # candidates up to which a cell's shade is the size of a median, not its rank
STEPS = 8  # shades
DARKEST = 0.85
LEAST_CELL = 13.0  # pt: a cell that holds its rank
LEGEND = 22.0


@dataclass(frozen=True, slots=True)
class HeatPage:
    """The cells of one figure.

    Attributes
    ----------
    rows : tuple of DatasetRow
    names : tuple of str
        Candidates, best mean rank first.
    """

    rows: tuple[DatasetRow, ...]
    names: tuple[str, ...]


def heat_pages(result: DomainResult) -> tuple[HeatPage, ...]:
    """Share data sets and candidates among as few pages as can be read."""
    names = _by_rank(result)
    return tuple(
        HeatPage(tuple(result.rows[a:b]), tuple(names[c:d]))
        for a, b in _bounds(len(result.rows), MOST_LINES)
        for c, d in _bounds(len(names), MOST_COLUMNS)
    )


def _bounds(n: int, most: int) -> list[tuple[int, int]]:
    pages = -(-n // most)
    return list(pairwise(round(i * n / pages) for i in range(pages + 1)))


def _by_rank(result: DomainResult) -> list[str]:
    """Return the candidates with values by their mean rank; those without one last."""
    found = result.across.get(result.main)
    ranks = found.mean_ranks if found else {}
    names = [n for n in result.candidates if any(n in row.medians for row in result.rows)]
    return sorted(names, key=lambda n: ranks.get(n, float("inf")))


def positions(row: DatasetRow, *, is_smaller_better: bool) -> dict[str, float]:
    """Return where each median lies between the data set's best, 0, and its worst, 1."""
    if not row.medians:
        return {}
    low, high = min(row.medians.values()), max(row.medians.values())
    if high == low:
        return dict.fromkeys(row.medians, 0.0)
    best, worst = (low, high) if is_smaller_better else (high, low)
    return {name: (x - best) / (worst - best) for name, x in row.medians.items()}


def median_ranks(row: DatasetRow, *, is_smaller_better: bool) -> dict[str, float]:
    """Return the ranks of the medians, 1 the best, ties averaged."""
    sign = 1 if is_smaller_better else -1
    signed = [sign * x for x in row.medians.values()]
    return {
        name: sum(y < sign * x for y in signed) + (1 + sum(y == sign * x for y in signed)) / 2
        for name, x in row.medians.items()
    }


def shades(row: DatasetRow, n: int, *, is_smaller_better: bool) -> dict[str, float]:
    """Return how dark each cell is, from 0 to 1: by size, of many candidates by rank."""
    if n <= FEW:
        return positions(row, is_smaller_better=is_smaller_better)
    ranks = median_ranks(row, is_smaller_better=is_smaller_better)
    most = max(len(ranks) - 1, 1)
    return {name: (rank - 1) / most for name, rank in ranks.items()}


def draw_heat(result: DomainResult, page: HeatPage, sheet: Sheet) -> None:
    """Draw one page."""
    labels = shortened([row.name for row in page.rows], 50 if sheet.is_phone else 84, SMALL)
    left = max(text_width(text, SMALL) for text in labels.values()) + 8
    cell = min((sheet.width - left - 1) / len(page.names), 46.0)
    top = head_height(page.names, cell) + HEAD_GAP
    sheet.begin(top + LINE * len(page.rows) + LEGEND)
    axes = sheet.page()
    draw_heads(sheet, axes, page.names, left, cell, top - HEAD_GAP)
    for i, row in enumerate(page.rows):
        y = top + (i + 0.5) * LINE
        axes.text(left - 6, y, labels[row.name], ha="right", va="center_baseline", fontsize=SMALL)
    _draw_cells(sheet, axes, result, page, (left, cell, top))
    _write_legend(sheet, axes, left, is_few=len(result.candidates) <= FEW, has_ranks=_holds(cell))


def _holds(cell: float) -> bool:
    return cell >= LEAST_CELL


def _draw_cells(
    sheet: Sheet,
    axes: Axes,
    result: DomainResult,
    page: HeatPage,
    place: tuple[float, float, float],
) -> None:
    """Shade the cells, and write ranks into them, or mark the best where there is no room."""
    left, cell, top = place
    smaller = result.main_measure.is_smaller_better
    found: dict[int, list[tuple[float, float, float, float]]] = {}
    best: dict[str, list[tuple[float, float]]] = {}
    column = {name: k for k, name in enumerate(page.names)}
    for i, row in enumerate(page.rows):
        dark = shades(row, len(result.candidates), is_smaller_better=smaller)
        ranks = median_ranks(row, is_smaller_better=smaller)
        first = min(ranks.values(), default=0)
        for name in (n for n in page.names if n in dark):
            x, y, step = left + column[name] * cell, top + i * LINE, round(dark[name] * STEPS)
            found.setdefault(step, []).append((x + 0.4, y + 0.4, cell - 0.8, LINE - 0.8))
            middle = (x + cell / 2, y + LINE / 2)
            if _holds(cell):
                _write_rank(sheet, axes, ranks[name], middle, is_dark=step > STEPS * 0.55)
            elif ranks[name] == first:
                best.setdefault(name, []).append(middle)
    for step, boxes in sorted(found.items()):
        if step:
            fill_boxes(axes, boxes, sheet.colour("ink"), alpha=DARKEST * step / STEPS)
    _cross_absent(sheet, axes, page, place)
    for name, points in best.items():
        xs, ys = zip(*points, strict=True)
        axes.plot(xs, ys, **sheet.mark(name, min(4.8, cell - 1.5)))


def _cross_absent(
    sheet: Sheet, axes: Axes, page: HeatPage, place: tuple[float, float, float]
) -> None:
    """Strike cells without any value, which would look like the best ones."""
    left, cell, top = place
    lines = [
        [
            (left + k * cell + 1.2, top + (i + 1) * LINE - 1.6),
            (left + (k + 1) * cell - 1.2, top + i * LINE + 1.6),
        ]
        for i, row in enumerate(page.rows)
        for k, name in enumerate(page.names)
        if name not in row.medians
    ]
    draw_lines(axes, lines, sheet.colour("ink2"), THIN, zorder=3)


def _write_rank(
    sheet: Sheet, axes: Axes, rank: float, middle: tuple[float, float], *, is_dark: bool
) -> None:
    text = f"{rank:g}"
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": SMALL}
    colour = sheet.colour("paper" if is_dark else "ink")
    weight = 600 if rank == 1 else 400
    axes.text(*middle, text, color=colour, fontweight=weight, zorder=4, **style)


def _write_legend(sheet: Sheet, page: Axes, left: float, *, is_few: bool, has_ranks: bool) -> None:
    y, width = sheet.height - 9, 11.0
    for step in range(1, STEPS + 1):
        box = [(left + (step - 1) * width, y - 4, width, 8)]
        fill_boxes(page, box, sheet.colour("ink"), alpha=DARKEST * step / STEPS)
    x = left + STEPS * width + 6
    what = "median" if is_few else "rank"
    more = "; the best is marked" if not has_ranks else "; numbers: ranks"
    texts = (
        f"from the best {what} of the data set to its worst{more}",
        f"best to worst {what}{more}",
    )
    text = next((t for t in texts if text_width(t, SMALL) <= sheet.width - x), texts[-1])
    page.text(
        x, y, fitted(text, sheet.width - x, SMALL), fontsize=SMALL, va="center_baseline",
        color=sheet.colour("ink2"),
    )  # fmt: skip
