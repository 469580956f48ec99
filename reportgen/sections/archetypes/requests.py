"""Figures of the archetypes that no report has by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text
from reportgen.notation import significant
from reportgen.report import Figure, Series
from reportgen.sections.archetypes.figures import MOST_LINES, thinned

if TYPE_CHECKING:
    from reportgen.sections.archetypes.result import ArchetypesResult
    from reportgen.sections.base import Request

MOST_COLUMNS = 40  # that lines pass through


def hull(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    """Rows of two columns, the hull of the archetypes over them (Eugster 2011, fig. 8.1)."""
    from reportgen.sections.archetypes.drawings import draw_hull

    if not result.unavailable and len(result.columns) == 2 and result.k > 1 and not result.n_gaps:
        yield _figure("hull", draw_hull, thinned(result), canvas, "in the plane of two columns")


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
    "hull": hull,
    "parallel": parallel,
    "profile-bars": profile_bars,
}
