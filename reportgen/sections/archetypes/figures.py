"""Figures of the archetypes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, plain, told
from reportgen.sections.archetypes.bars import Page, draw_bars, pages
from reportgen.sections.archetypes.corners import draw_corners
from reportgen.sections.archetypes.curves import draw_panorama, draw_residuals, draw_scree
from reportgen.sections.archetypes.parallel import draw_made_of, draw_parallel

if TYPE_CHECKING:
    from reportgen.sections.archetypes.result import ArchetypesResult

MOST_PANELS = 12  # candidates up to which each has a panel
MOST_ROWS = 20_000  # rows up to which every one of them is drawn
SMALL = 40_000  # rows times columns up to which dense figures are drawn for phones, too
SHOWN = 5000  # rows whose numbers stand beside a drawing


def draw(result: ArchetypesResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw how many archetypes there are, what they are, and what is made of them."""
    if result.unavailable:
        return ()
    return tuple(_figures(_thinned(result), canvas))


def _figures(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    is_small = result.values.size <= SMALL
    light = replace(canvas, detail="full", phone=True, dark=False)
    dense = replace(canvas, phone=is_small)
    yield _scree(result, light)
    for i, page in enumerate(pages(len(result.columns))):
        yield _bars(result, page, i, light)
    yield _parallel(result, dense)
    if result.k > 1:
        yield _corners(result, replace(canvas, phone=True))
        if result.rows == "replications" and len(result.groups) <= MOST_PANELS:
            yield _made_of(result, dense)
        yield _panorama(result, dense)
    if result.fit == "robust":
        yield _residuals(result, dense)


def _thinned(result: ArchetypesResult) -> ArchetypesResult:
    """Keep so many rows of a long table as can be drawn, evenly."""
    n = len(result.labels)
    if n <= MOST_ROWS:
        return result
    kept = np.unique(np.linspace(0, n - 1, MOST_ROWS).round().astype(int))
    return replace(
        result,
        alpha=result.alpha[kept],
        labels=tuple(result.labels[i] for i in kept),
        numbers=tuple(result.numbers[i] for i in kept) if result.numbers else None,
        residuals=result.residuals[kept],
        row_weights=result.row_weights[kept],
        values=result.values[kept],
        distances=result.distances[:, kept],
    )


def _scree(result: ArchetypesResult, canvas: Canvas) -> Figure:
    rows = tuple((s.k, s.rss, s.explained, s.gain) for s in result.steps)
    told_steps = ", ".join(f"{s.k} {100 * (1 - s.explained):.1f}" for s in result.steps)
    return canvas.figure(
        "scree",
        "",
        partial(draw_scree, result),
        alt=alt_text(
            "Scree: number of archetypes, and what they leave unexplained in per cent: "
            f"{told_steps}. The elbow is at {result.elbow}."
        ),
        data=Series(("k", "rss", "explained", "gain"), rows),
    )


def _bars(result: ArchetypesResult, page: Page, i: int, canvas: Canvas) -> Figure:
    columns = result.columns[page.first : page.last]
    rows = tuple(
        (column, j + 1, result.archetypes[j][c], result.percentiles[j][c])
        for c, column in enumerate(result.columns)
        if page.first <= c < page.last
        for j in range(result.k)
    )
    names = told(columns)
    full = "; ".join(
        f"{names[column]}: "
        + ", ".join(f"{100 * result.percentiles[j][page.first + c]:.0f}" for j in range(result.k))
        for c, column in enumerate(columns)
    )
    counts = "; ".join(
        f"{p.number}: low in {len(p.low)}, high in {len(p.high)}" for p in result.profiles
    )
    head = f"Percentiles of archetypes 1 to {result.k} in {len(columns)} columns. "
    return canvas.figure(
        "profiles" if i == 0 else f"profiles-{i + 1}",
        "",
        partial(draw_bars, result, page),
        alt=alt_text(f"{head}{full}.", f"{head}Number of columns: {counts}."),
        data=Series(("column", "archetype", "value", "percentile"), rows),
    )


def _parallel(result: ArchetypesResult, canvas: Canvas) -> Figure:
    n, m = result.values.shape
    rows = tuple(
        (f"archetype {j + 1}", column, value)
        for j, own in enumerate(result.archetypes)
        for column, value in zip(result.columns, own, strict=True)
    )
    return canvas.figure(
        "parallel",
        "",
        partial(draw_parallel, result),
        alt=f"Parallel coordinates of {n} rows over {m} columns, each from its least to its "
        f"greatest value, with {result.k} archetypes as heavy lines at their edges.",
        data=Series(("line", "column", "value"), rows),
        n_marks=n * m,
    )


def _mixture_rows(result: ArchetypesResult) -> Series:
    columns = ("row", "replication", *(f"archetype_{j + 1}" for j in range(result.k)))
    numbers: Any = result.numbers or (None,) * len(result.labels)
    rows = tuple(
        (label, b, *mixture)
        for label, b, mixture in zip(result.labels, numbers, result.alpha.tolist(), strict=True)
    )
    return Series(columns, rows[:SHOWN])


def _shares_alt(result: ArchetypesResult) -> str:
    names = told([group.name for group in result.groups])
    return "; ".join(
        f"{names[g.name]}: {', '.join(f'{100 * s:.0f}' for s in g.shares)}" for g in result.groups
    )


def _corners(result: ArchetypesResult, canvas: Canvas) -> Figure:
    what = {2: "a line", 3: "a triangle"}.get(result.k, f"a polygon of {result.k} corners")
    head = f"{len(result.labels)} rows on {what} whose corners are the archetypes. "
    counts = ", ".join(f"{p.number}: {p.n_rows}" for p in result.profiles)
    brief = f"Rows that are made of one by at least half: {counts}."
    full = f"Mean shares in per cent: {_shares_alt(result)}." if result.groups else brief
    return canvas.figure(
        "corners",
        "",
        partial(draw_corners, result),
        alt=alt_text(head + full, head + brief),
        data=_mixture_rows(result),
        n_marks=len(result.labels),
    )


def _made_of(result: ArchetypesResult, canvas: Canvas) -> Figure:
    rows = tuple((g.name, j + 1, share) for g in result.groups for j, share in enumerate(g.shares))
    head = "What the rows of every candidate are made of, mean shares in per cent of archetypes "
    return canvas.figure(
        "made-of",
        "",
        partial(draw_made_of, result),
        alt=alt_text(f"{head}1 to {result.k}: {_shares_alt(result)}."),
        data=Series(("candidate", "archetype", "share"), rows),
        n_marks=len(result.labels) * result.k,
    )


def _panorama(result: ArchetypesResult, canvas: Canvas) -> Figure:
    medians = np.median(result.distances, axis=1)
    told_medians = ", ".join(f"{j + 1} {d:.2f}" for j, d in enumerate(medians))
    columns = ("row", *(f"distance_{j + 1}" for j in range(result.k)))
    rows = tuple(
        (label, *own) for label, own in zip(result.labels, result.distances.T.tolist(), strict=True)
    )
    return canvas.figure(
        "panorama",
        "",
        partial(draw_panorama, result),
        alt=f"Panorama: for each archetype the rows by their distance from it on the scaled "
        f"data; median distances {told_medians}.",
        data=Series(columns, rows[:SHOWN]),
        n_marks=len(result.labels) * result.k,
    )


def _residuals(result: ArchetypesResult, canvas: Canvas) -> Figure:
    outside = [
        plain(label)
        for label, weight in zip(result.labels, result.row_weights, strict=True)
        if weight == 0
    ]
    named = f": {', '.join(outside[:20])}" if outside else ""
    rows = tuple(
        zip(result.labels, result.residuals.tolist(), result.row_weights.tolist(), strict=True)
    )
    return canvas.figure(
        "residuals",
        "",
        partial(draw_residuals, result),
        alt=alt_text(
            f"Residuals and weights of {len(result.labels)} rows in the robust fit; "
            f"{result.n_outliers} have no weight{named}."
        ),
        data=Series(("row", "residual", "weight"), rows[:SHOWN]),
        n_marks=2 * len(result.labels),
    )
