"""Figures of the data sets side by side: trellis, heat map, stacked bars, distances."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, measure_words, told
from reportgen.notation import Scale
from reportgen.sections.domain.heat import (
    HeatPage,
    draw_heat,
    heat_pages,
    median_ranks,
    positions,
)
from reportgen.sections.domain.matrix import FEWEST, draw_matrix, ordered
from reportgen.sections.domain.stacked import draw_stacked, is_stackable, stacked_pages
from reportgen.sections.domain.trellis import MOST_BOXES as MOST_CANDIDATES
from reportgen.sections.domain.trellis import MOST_DATASETS, draw_trellis

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DomainResult
    from reportgen.sections.domain.rows_result import DatasetRow

VECTOR_CELLS = 4_000  # cells of a matrix up to which they stay vector
MANY = 20_000  # so many marks become an image


def numbered(name: str, i: int) -> str:
    """Return a figure's name: from the second page on with its number."""
    return name if i == 0 else f"{name}-{i + 1}"


def sets_figures(result: DomainResult, canvas: Canvas, at: Scale) -> Iterator[Figure]:
    """Draw the values of all data sets, page by page, and how far the data sets are apart."""
    if len(result.candidates) <= MOST_CANDIDATES and _has_boxes(result):
        for i, rows in enumerate(_trellis_pages(result)):
            yield _trellis(result, rows, i, canvas, at)
    for i, page in enumerate(heat_pages(result)):
        yield _heat(result, page, i, canvas, at)
    if is_stackable(result):
        for i, rows in enumerate(stacked_pages(result)):
            yield _stacked(result, rows, i, canvas, at)
    apart = result.distances
    if apart is not None and len(apart.datasets) >= FEWEST and apart.greatest:
        yield _distances(result, canvas)


def _has_boxes(result: DomainResult) -> bool:
    """Whether some box is more than a single value."""
    return any(box.low < box.high for own in result.boxes.values() for box in own.values())


def _trellis_pages(result: DomainResult) -> list[tuple[DatasetRow, ...]]:
    n = -(-len(result.rows) // MOST_DATASETS)
    bounds = [round(i * len(result.rows) / n) for i in range(n + 1)]
    return [tuple(result.rows[a:b]) for a, b in pairwise(bounds)]


def _trellis(
    result: DomainResult, rows: tuple[DatasetRow, ...], i: int, canvas: Canvas, at: Scale
) -> Figure:
    columns = ("dataset", "candidate", "low", "lower", "median", "upper", "high")
    table = tuple(
        (row.name, name, box.low, box.lower, box.middle, box.upper, box.high)
        for row in rows
        for name, box in result.boxes[row.name].items()
    )
    return canvas.figure(
        numbered("trellis", i),
        result.main,
        partial(draw_trellis, result, rows, at),
        alt=_medians_alt(result, rows, at, "Box plots of the values"),
        data=Series(columns, table),
    )


def _heat(result: DomainResult, page: HeatPage, i: int, canvas: Canvas, at: Scale) -> Figure:
    smaller = result.main_measure.is_smaller_better
    table = tuple(
        (row.name, name, row.medians[name], rank, positions(row, is_smaller_better=smaller)[name])
        for row in page.rows
        for name, rank in median_ranks(row, is_smaller_better=smaller).items()
        if name in page.names
    )
    return canvas.figure(
        numbered("heat", i),
        result.main,
        partial(draw_heat, result, page),
        alt=_medians_alt(result, page.rows, at, "Heat map of the ranks of the medians"),
        data=Series(("dataset", "candidate", "median", "rank", "position"), table),
    )


def _medians_alt(result: DomainResult, rows: tuple[DatasetRow, ...], at: Scale, what: str) -> str:
    names = told(result.candidates)
    sets = told([row.name for row in rows])
    unit = f" in {at.unit}" if at.unit else ""
    words = measure_words(result.main_measure)
    head = f"{what} of {words} on {len(rows)} data sets; medians{unit}. "
    full = [
        f"{sets[row.name]}: "
        + ", ".join(f"{names[n]} {at.value(x)}" for n, x in row.medians.items())
        for row in rows
    ]
    smaller = result.main_measure.is_smaller_better
    best = [
        name
        for row in rows
        for name, share in positions(row, is_smaller_better=smaller).items()
        if share == 0
    ]
    counts = ", ".join(f"{names[n]} {best.count(n)}" for n in result.candidates if n in best)
    return alt_text(
        head + "; ".join(full) + ".",
        head + f"Number of data sets on which a candidate has the best median: {counts}.",
    )


def _stacked(
    result: DomainResult, rows: tuple[DatasetRow, ...], i: int, canvas: Canvas, at: Scale
) -> Figure:
    sets = told([row.name for row in rows])
    unit = f" in {at.unit}" if at.unit else ""
    head = f"Stacked bars of mean {measure_words(result.main_measure)}; sums{unit}. "
    sums = [f"{sets[row.name]} {at.value(sum(row.means.values()))}" for row in rows]
    table = tuple((row.name, name, x) for row in rows for name, x in row.means.items())
    return canvas.figure(
        numbered("stacked", i),
        result.main,
        partial(draw_stacked, result, rows, at),
        alt=alt_text(head + "; ".join(sums) + "."),
        data=Series(("dataset", "candidate", "mean"), table),
    )


def _distances(result: DomainResult, canvas: Canvas) -> Figure:
    names, matrix = ordered(result)
    apart = result.distances
    if apart is None:
        raise ValueError("there are no distances")
    n = len(names)
    sets = told(names)
    head = (
        f"Matrix of the distances of the relations of {n} data sets, from {apart.smallest} to "
        f"{apart.greatest}, on average {apart.mean:.1f}. "
    )
    full = [
        f"{sets[a]}: "
        + ", ".join(f"{sets[b]} {matrix[i, j]}" for j, b in enumerate(names) if j < i)
        for i, a in enumerate(names)
        if i
    ]
    ends = (
        f"Closest {sets[apart.closest[0]]} and {sets[apart.closest[1]]}, farthest "
        f"{sets[apart.farthest[0]]} and {sets[apart.farthest[1]]}."
    )
    rows = tuple((names[i], names[j], int(matrix[i, j])) for i in range(n) for j in range(i))
    return canvas.figure(
        "distances",
        result.main,
        partial(draw_matrix, result),
        alt=alt_text(head + "; ".join(full) + ".", head + ends),
        data=Series(("first", "second", "distance"), rows),
        n_marks=MANY if n * n > VECTOR_CELLS else 0,
    )
