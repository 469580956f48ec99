"""Heat maps of the data sets: distances, ranks of the candidates, and predictions of the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import SMALL, THIN, Sheet, fit_axis, fitted, shortened, text_width
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import Scale
from reportgen.sections.domain.figures.means import effects_order

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from reportgen.sections.domain.result import DatasetRow, DomainFit, DomainResult

LINE, MOST_LINES = 10.6, 50  # pt a data set; data sets of one page
STEPS, DARKEST = 8, 0.85  # shades of distances and ranks; opacity of the last
FEWEST = 3  # data sets
LEAST_ROW = 7.4  # pt: a row that holds a name; lower ones have the numbers of their parts
LEAST_CELL = 13.0  # pt: a cell that holds its distance or rank
LEGEND = 22.0
NUMBERS = 16.0  # pt: the numbers of the parts
LONGEST = 84.0  # pt of a name that stands upwards
MARK = 9.0  # pt that a mark takes
HEAD_GAP = 4.0  # pt between heads and cells


def header_height(names: Sequence[str], cell: float) -> float:
    """Return how much room the names above columns of some width need."""
    if is_across(names, cell):
        return 20.0
    texts = shortened(names, LONGEST, SMALL)
    return max(text_width(text, SMALL) for text in texts.values()) + MARK + 3


def is_across(names: Sequence[str], cell: float) -> bool:
    """Whether every name fits above its column."""
    return all(text_width(name, SMALL) <= cell - 4 for name in names)


def draw_column_headers(
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


def _draw_ramp(
    sheet: Sheet,
    page: Axes,
    start: tuple[float, float],
    width: float,
    steps: int,
    darkest: float,
    colour: str = "ink",
) -> float:
    """Draw the shades of a legend, and return where they end."""
    x, y = start
    for step in range(1, steps + 1):
        box = [(x + (step - 1) * width, y - 4, width, 8)]
        fill_boxes(page, box, sheet.colour(colour), alpha=darkest * step / steps)
    return x + steps * width


# --- distances of the data sets


def ordered(result: DomainResult) -> tuple[list[str], NDArray[np.int64]]:
    """Return the data sets with a relation in the order of the leaves, and their distances."""
    apart = result.distances
    if apart is None:
        return [], np.zeros((0, 0), dtype=np.int64)
    place = {name: i for i, name in enumerate(apart.datasets)}
    names = [name for name in result.leaf_order if name in place]
    at = [place[name] for name in names]
    return names, np.array(apart.matrix, dtype=np.int64)[np.ix_(at, at)]


def draw_matrix(result: DomainResult, sheet: Sheet) -> None:
    """Draw a cell for every two data sets, far ones in strong tones, and a rim round each part."""
    names, matrix = ordered(result)
    n = len(names)
    labels = shortened(names, 56 if sheet.is_phone else 90, SMALL)
    widest = max(text_width(t, SMALL) for t in labels.values()) + 8
    has_names = (sheet.width - widest - 2) / n >= LEAST_ROW
    left = widest if has_names else NUMBERS if result.subdomains is not None else 1.0
    cell = min((sheet.width - left - 2) / n, 19.0)
    sheet.begin(cell * n + LEGEND + 4)
    page = sheet.page()
    highest = max(int(matrix.max()), 1)
    shades = np.ceil(STEPS * matrix / highest).astype(int)
    boxes = _runs(shades, left, cell)
    for step, found in boxes.items():
        ink = sheet.colour("ink")
        fill_boxes(page, found, ink, alpha=DARKEST * step / STEPS, **sheet.dense)
    if has_names:
        for i, name in enumerate(names):
            y = 2 + (i + 0.5) * cell
            page.text(left - 6, y, labels[name], ha="right", va="center_baseline", fontsize=SMALL)
    if cell >= LEAST_CELL:
        _write_numbers(sheet, page, matrix, shades, left, cell)
    _draw_parts(sheet, page, result, names, (left, cell), has_names=has_names)
    _write_distance_legend(sheet, page, left, highest)


def _runs(
    shades: NDArray[np.int_], left: float, cell: float
) -> dict[int, list[tuple[float, float, float, float]]]:
    """Join cells of one shade that touch in a row: fewer shapes, and no seams."""
    boxes: dict[int, list[tuple[float, float, float, float]]] = {}
    for i, row in enumerate(shades.tolist()):
        for step, run in groupby(enumerate(row), key=lambda pair: pair[1]):
            at = [j for j, _ in run]
            if step:
                box = (left + at[0] * cell, 2 + i * cell, len(at) * cell, cell)
                boxes.setdefault(step, []).append(box)
    return dict(sorted(boxes.items()))


def _write_numbers(
    sheet: Sheet,
    page: Axes,
    matrix: NDArray[np.int64],
    shades: NDArray[np.int_],
    left: float,
    cell: float,
) -> None:
    for (i, j), x in np.ndenumerate(matrix):
        if i != j:
            is_dark = shades[i, j] > STEPS * 0.55
            page.text(
                left + (j + 0.5) * cell, 2 + (i + 0.5) * cell, str(int(x)), ha="center",
                va="center_baseline", fontsize=SMALL,
                color=sheet.colour("paper" if is_dark else "ink"),
            )  # fmt: skip


def _draw_parts(
    sheet: Sheet,
    page: Axes,
    result: DomainResult,
    names: list[str],
    where: tuple[float, float],
    *,
    has_names: bool,
) -> None:
    """Draw a rim round every part of the domain, with its number where rows have no names."""
    if result.subdomains is None:
        return
    left, cell = where
    place = {name: i for i, name in enumerate(names)}
    rims = []
    for number, part in enumerate(result.subdomains.parts, 1):
        a = min(place[d] for d in part.datasets)
        b = max(place[d] for d in part.datasets) + 1
        x0, x1, y0, y1 = left + a * cell, left + b * cell, 2 + a * cell, 2 + b * cell
        rims.append([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
        if not has_names:
            style: dict[str, Any] = {"fontsize": SMALL, "fontweight": 600}
            middle = (y0 + y1) / 2
            page.text(left - 6, middle, str(number), ha="right", va="center_baseline", **style)
    draw_lines(page, rims, sheet.colour("ink"), 1.4 if has_names else THIN, zorder=4)


def _write_distance_legend(sheet: Sheet, page: Axes, left: float, highest: int) -> None:
    y = sheet.height - 9
    x = _draw_ramp(sheet, page, (left, y), 11.0, STEPS, DARKEST) + 6
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    text = fitted(f"distance, up to {highest}", sheet.width - x, SMALL)
    page.text(x, y, text, va="center_baseline", **style)


# --- ranks of the candidates

MOST_COLUMNS = 50  # of one page
FEW = 12  # candidates up to which a cell's shade is the size of a median, not its rank


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
    top = header_height(page.names, cell) + HEAD_GAP
    sheet.begin(top + LINE * len(page.rows) + LEGEND)
    axes = sheet.page()
    draw_column_headers(sheet, axes, page.names, left, cell, top - HEAD_GAP)
    for i, row in enumerate(page.rows):
        y = top + (i + 0.5) * LINE
        axes.text(left - 6, y, labels[row.name], ha="right", va="center_baseline", fontsize=SMALL)
    _draw_rank_cells(sheet, axes, result, page, (left, cell, top))
    _write_rank_legend(
        sheet, axes, left, is_few=len(result.candidates) <= FEW, has_ranks=cell >= LEAST_CELL
    )


def _draw_rank_cells(
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
            x, y, step = (
                left + column[name] * cell,
                top + i * LINE,
                round(dark[name] * STEPS),
            )
            found.setdefault(step, []).append((x + 0.4, y + 0.4, cell - 0.8, LINE - 0.8))
            middle = (x + cell / 2, y + LINE / 2)
            if cell >= LEAST_CELL:
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


def _write_rank_legend(
    sheet: Sheet, page: Axes, left: float, *, is_few: bool, has_ranks: bool
) -> None:
    y = sheet.height - 9
    x = _draw_ramp(sheet, page, (left, y), 11.0, STEPS, DARKEST) + 6
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


# --- predictions of the model

AFFINITY_STEPS, AFFINITY_DARKEST = 6, 0.8
LEVELS = 96.0  # pt: the panel of the levels
MANY = 30  # candidates above which cells need more of the width
LEAST_AFFINITY_CELL = 25.0  # pt: a cell that holds its number
AFFINITY_LEGEND, AXIS = 18.0, 14.0


def affinity_pages(result: DomainResult, measure: str) -> tuple[tuple[str, ...], ...]:
    """Share the data sets, the easiest first, among as few pages as can be read."""
    order = effects_order(result, measure)
    return tuple(tuple(order[a:b]) for a, b in _bounds(len(order), MOST_LINES))


def draw_affinity(
    result: DomainResult, measure: str, datasets: tuple[str, ...], at: Scale, sheet: Sheet
) -> None:
    """Draw one page: at the left the data sets' levels, at the right a cell a candidate."""
    fit = result.model(measure)
    if fit is None:
        raise ValueError(f"there is no model of {measure}")
    names = list(fit.order)
    is_narrow = sheet.is_phone or len(names) > MANY
    labels = shortened(datasets, 50 if sheet.is_phone else 64 if is_narrow else 92, SMALL)
    name_width = max(text_width(t, SMALL) for t in labels.values()) + 8
    levels = LEVELS * (0.6 if is_narrow else 1)
    left = name_width + levels + 10
    cell = (sheet.width - left - 2) / len(names)
    top = header_height(names, cell) + HEAD_GAP
    sheet.begin(top + LINE * len(datasets) + AXIS + AFFINITY_LEGEND)
    page = sheet.page()
    draw_column_headers(sheet, page, names, left, cell, top - HEAD_GAP)
    for i, name in enumerate(datasets):
        page.text(
            name_width - 8, top + (i + 0.5) * LINE, labels[name], ha="right",
            va="center_baseline", fontsize=SMALL,
        )  # fmt: skip
    _draw_levels(sheet, page, fit, datasets, at, (name_width, levels, top))
    _draw_affinity_cells(sheet, page, result.measures[measure].is_smaller_better, fit, datasets, at,
                (left, cell, top))  # fmt: skip
    _write_affinity_legend(sheet, page, fit, at, left)


def _draw_levels(
    sheet: Sheet,
    page: Axes,
    fit: DomainFit,
    datasets: tuple[str, ...],
    at: Scale,
    place: tuple[float, float, float],
) -> None:
    """Draw a bar from the domain's level to that of each data set."""
    left, width, top = place
    effects = fit.blups.dataset
    values = [[0.0], *([at.factor * x] for x in effects.values())]
    axis = fit_axis(np.array(values), width, 26, may_be_log=False, may_clip=True)

    def x_of(value: float) -> float:
        return left + width * (value - axis.lower) / (axis.upper - axis.lower)

    bottom = top + LINE * len(datasets)
    for tick, text in zip(axis.ticks, axis.labels, strict=True):
        draw_lines(page, [[(x_of(tick), top), (x_of(tick), bottom)]], sheet.colour("rule"), 0.5)
        page.text(
            x_of(tick), bottom + 7, text, ha="center", va="center_baseline", fontsize=SMALL,
            color=sheet.colour("ink2"),
        )  # fmt: skip
    zero, *places = map(x_of, axis.drawn([0.0, *(at.factor * effects[d] for d in datasets)]))
    ends = [(places[i], top + (i + 0.5) * LINE) for i in range(len(datasets))]
    ink = sheet.colour("ink2")
    draw_lines(page, [[(zero, y), (x, y)] for x, y in ends], ink, 2.0, zorder=2)
    draw_lines(page, [[(zero, top), (zero, bottom)]], sheet.colour("axis"), THIN, zorder=1)
    style: dict[str, Any] = {"linestyle": "none", "marker": "o", "markersize": 3.6}
    words = ", ".join(filter(None, ("level", axis.outside)))
    page.plot([x for x, _ in ends], [y for _, y in ends], color=ink, **style)
    page.text(
        left + width / 2, top - 7, fitted(words, width, SMALL), ha="center", va="center_baseline",
        fontsize=SMALL, color=sheet.colour("ink2"),
    )  # fmt: skip


def _draw_affinity_cells(
    sheet: Sheet,
    page: Axes,
    is_smaller_better: bool,
    fit: DomainFit,
    datasets: tuple[str, ...],
    at: Scale,
    place: tuple[float, float, float],
) -> None:
    """Shade every candidate's effect: blue where it does better than expected, grey worse."""
    left, cell, top = place
    most = _largest(fit)
    shades: dict[tuple[str, int], list[tuple[float, float, float, float]]] = {}
    for i, dataset in enumerate(datasets):
        for k, name in enumerate(fit.order):
            x = fit.blups.interaction[dataset].get(name)
            if x is None:
                _draw_lack(sheet, page, left + (k + 0.5) * cell, top + (i + 0.5) * LINE)
                continue
            step = round(AFFINITY_STEPS * abs(x) / most) if most else 0
            box = (
                left + k * cell + 0.3,
                top + i * LINE + 0.3,
                cell - 0.6,
                LINE - 0.6,
            )
            colour = "c0" if (x < 0) == is_smaller_better else "ink"
            shades.setdefault((colour, step), []).append(box)
            if cell >= LEAST_AFFINITY_CELL:
                is_dark = step > AFFINITY_STEPS * 0.55
                page.text(
                    left + (k + 0.5) * cell, top + (i + 0.5) * LINE, at.value(x),
                    ha="center", va="center_baseline", fontsize=SMALL, zorder=4,
                    color=sheet.colour("paper" if is_dark else "ink"),
                )  # fmt: skip
    for (colour, step), boxes in sorted(shades.items()):
        if step:
            fill_boxes(
                page, boxes, sheet.colour(colour), alpha=AFFINITY_DARKEST * step / AFFINITY_STEPS
            )
    ends = (left, left + cell * len(fit.order))
    rules = [[(x, top + i * LINE) for x in ends] for i in range(0, len(datasets) + 1, 5)]
    draw_lines(page, rules, sheet.colour("rule"), 0.5, zorder=0)


def _draw_lack(sheet: Sheet, page: Axes, x: float, y: float) -> None:
    """Draw a stroke where a data set lacks a candidate."""
    draw_lines(page, [[(x - 3, y), (x + 3, y)]], sheet.colour("ink2"), THIN, zorder=4)


def _largest(fit: DomainFit) -> float:
    return max(abs(x) for own in fit.blups.interaction.values() for x in own.values())


def _write_affinity_legend(
    sheet: Sheet, page: Axes, fit: DomainFit, at: Scale, left: float
) -> None:
    """Say which shade is how much, better and worse."""
    y, width, most = sheet.height - 8, 8.0, _largest(fit)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    unit = f" {at.difference_unit}" if at.difference_unit else ""
    both = (("better", "c0"), (f"worse; the strongest tone: {at.value(most)}{unit}", "ink"))
    needed = sum(AFFINITY_STEPS * width + 19 + text_width(words, SMALL) for words, _ in both)
    x = max(0.0, min(left, sheet.width - needed))
    for words, colour in both:
        end = _draw_ramp(sheet, page, (x, y), width, AFFINITY_STEPS, AFFINITY_DARKEST, colour)
        x = end + 5
        text = fitted(words, sheet.width - x, SMALL)
        page.text(x, y, text, va="center_baseline", **style)
        x += text_width(text, SMALL) + 14
