"""Figures of the archetypes that no report has by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text
from reportgen.notation import significant
from reportgen.report import Figure, Series
from reportgen.sections.archetypes.figures import MOST_LINES, thinned

if TYPE_CHECKING:
    from reportgen.sections.archetypes.result import ArchetypesResult
    from reportgen.sections.base import Request

MOST_COLUMNS = 40  # that lines pass through


LEAST_SWEEPS = 3  # of which a line is worth drawing, the start counted
MOST_PANELS = 12  # archetypes that have room
MOST_BODIES = 24  # that have room
LEAST_PARTS = 3  # of a body


def archetype_residuals(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Residuals, and weights where they differ, of the rows (Eugster 2011, fig. 9.6)."""
    from reportgen.sections.archetypes.fit_drawings import draw_residuals

    if result.unavailable or result.leaves_nothing:
        return
    shown = thinned(result)
    low, middle, high = np.quantile(shown.residuals, (0.25, 0.5, 0.75)).tolist()
    rows = tuple(
        zip(shown.labels, shown.residuals.tolist(), shown.row_weights.tolist(), strict=True)
    )
    out = result.outliers[:12]
    excluded = f" Without weight: {', '.join(alt_names(out)[x] for x in out)}." if out else ""
    yield canvas.figure(
        "archetype-residuals",
        "",
        partial(draw_residuals, shown),
        alt=alt_text(
            f"Residuals of {len(shown.labels)} rows, on the scaled columns: median "
            f"{significant(middle, 3)}, middle half {significant(low, 3)} to "
            f"{significant(high, 3)}, largest {significant(float(shown.residuals.max()), 3)}."
            f"{excluded}"
        ),
        data=Series(("row", "residual", "weight"), rows),
        n_marks=len(shown.labels),
    )


def hull(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Rows of two columns, the hull of the archetypes over them (Eugster 2011, fig. 8.1)."""
    from reportgen.sections.archetypes.drawings import draw_hull

    if not result.unavailable and len(result.columns) == 2 and result.k > 1 and not result.n_gaps:
        yield _figure("hull", draw_hull, thinned(result), canvas, "in the plane of two columns")


def iterations(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """What is left after each sweep of the chosen fit (Eugster 2011, fig. 9.4)."""
    from reportgen.sections.archetypes.fit_drawings import draw_iterations

    if result.unavailable or len(result.trace) < LEAST_SWEEPS or result.trace[-1] <= 0:
        return
    first, last = result.trace[0], result.trace[-1]
    yield canvas.figure(
        "iterations",
        "",
        partial(draw_iterations, result),
        alt=alt_text(
            f"Objective of the fit by sweep: {significant(first, 4)} at its start, "
            f"{significant(last, 4)} after {len(result.trace) - 1} sweeps."
        ),
        data=Series(("sweep", "objective"), tuple(enumerate(result.trace))),
    )


def panorama(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Rows by their distance from each archetype (Eugster 2011, fig. 9.5)."""
    from reportgen.sections.archetypes.fit_drawings import distances, draw_panorama

    if result.unavailable or not 2 <= result.k <= MOST_PANELS:
        return
    shown = thinned(result)
    far, among = distances(shown)
    texts = [
        f"from {j + 1}: rows {significant(float(far[:, j].min()), 3)} to "
        f"{significant(float(far[:, j].max()), 3)}, others "
        + ", ".join(
            f"{i + 1} at {significant(float(among[j, i]), 3)}" for i in range(result.k) if i != j
        )
        for j in range(result.k)
    ]
    rows = (
        *(
            ("row", label, j + 1, x)
            for label, own in zip(shown.labels, far.tolist(), strict=True)
            for j, x in enumerate(own)
        ),
        *(
            ("archetype", str(i + 1), j + 1, float(among[j, i]))
            for j in range(result.k)
            for i in range(result.k)
            if i != j
        ),
    )
    yield canvas.figure(
        "panorama",
        "",
        partial(draw_panorama, shown),
        alt=alt_text(
            f"Distances of {len(shown.labels)} rows from each archetype, on the scaled columns: "
            f"{'; '.join(texts)}."
        ),
        data=Series(("kind", "label", "archetype", "distance"), rows),
        n_marks=len(shown.labels) * result.k,
    )


def parallel(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Parallel coordinates of rows and archetypes (Eugster 2011, fig. 4.6, 8.3 and 8.7)."""
    from reportgen.sections.archetypes.drawings import draw_parallel

    if not result.unavailable and 2 <= len(result.columns) <= MOST_COLUMNS:
        words = "as lines through all columns, each from its least to its largest value"
        yield _figure("parallel", draw_parallel, thinned(result), canvas, words)


def profile_bars(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Percentiles of each archetype as bars (Eugster 2011, fig. 8.5)."""
    from reportgen.sections.archetypes.drawings import draw_bars

    if result.unavailable or len(result.columns) > MOST_LINES:
        return
    names = alt_names(result.columns)
    rows = tuple(
        (j + 1, column, result.percentiles[j][c], result.archetypes[j][c])
        for j in range(result.k)
        for c, column in enumerate(result.columns)
    )
    texts = [
        f"{j + 1}: "
        + ", ".join(
            f"{names[column]} {100 * result.percentiles[j][c]:.0f}"
            for c, column in enumerate(result.columns)
        )
        for j in range(result.k)
    ]
    yield canvas.figure(
        "profile-bars",
        "",
        partial(draw_bars, result),
        alt=alt_text(f"Percentiles of the archetypes as bars. {'; '.join(texts)}."),
        data=Series(("archetype", "column", "percentile", "value"), rows),
    )


def skeleton(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Archetypes as bodies, by their columns (Eugster 2011, fig. 8.2 and 8.8)."""
    from reportgen.sections.archetypes.fit_drawings import draw_skeletons

    parts = result.skeleton
    if result.unavailable or len(parts) < LEAST_PARTS or result.k > MOST_BODIES:
        return
    place = {part: result.columns.index(name) for part, name in parts.items()}
    texts = [
        f"{j + 1}: " + ", ".join(f"{part} {significant(row[c], 3)}" for part, c in place.items())
        for j, row in enumerate(result.archetypes)
    ]
    rows = tuple(
        (j + 1, part, row[c])
        for j, row in enumerate(result.archetypes)
        for part, c in place.items()
    )
    yield canvas.figure(
        "skeleton",
        "",
        partial(draw_skeletons, result),
        alt=alt_text(f"Archetypes as bodies. {'; '.join(texts)}."),
        data=Series(("archetype", "part", "value"), rows),
    )


def _figure(
    name: str,
    draw: Callable[[ArchetypesResult, Sheet], None],
    result: ArchetypesResult,
    canvas: Canvas,
    words: str,
) -> Figure:
    """Draw rows and archetypes by their values."""
    columns = alt_names(result.columns)
    texts = [
        f"{j + 1}: "
        + ", ".join(
            f"{columns[c]} {significant(x, 3)}" for c, x in zip(result.columns, own, strict=True)
        )
        for j, own in enumerate(result.archetypes)
    ]
    rows = (
        *(
            ("archetype", str(j + 1), c, x)
            for j, own in enumerate(result.archetypes)
            for c, x in zip(result.columns, own, strict=True)
        ),
        *(
            ("row", label, c, x)
            for label, own in zip(result.labels, result.values.tolist(), strict=True)
            for c, x in zip(result.columns, own, strict=True)
        ),
    )
    head = f"{len(result.labels)} rows and {result.k} archetypes {words}."
    return canvas.figure(
        name,
        "",
        partial(draw, result),
        alt=alt_text(f"{head} Archetypes: {'; '.join(texts)}.", head),
        data=Series(("kind", "label", "column", "value"), rows),
        n_marks=len(result.labels),
    )


REQUESTS: Mapping[str, Request] = {
    "archetype-residuals": archetype_residuals,
    "hull": hull,
    "iterations": iterations,
    "panorama": panorama,
    "parallel": parallel,
    "profile-bars": profile_bars,
    "skeleton": skeleton,
}
