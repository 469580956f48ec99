"""Figures of the sensitivity: performance by level, and what is told apart in each setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, measure_words, plain, told
from reportgen.notation import Scale, scale
from reportgen.sections.sensitivity.levels import draw_levels, panels
from reportgen.sections.sensitivity.power import draw_power

if TYPE_CHECKING:
    from reportgen.sections.sensitivity.result import Sensitivity, SensitivityResult

MOST_SETTINGS = 60  # rows of the power view
MOST_FIGURES = 8  # beyond, only those of the main measure


def draw(result: SensitivityResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw, for every measure and data set, performances by level, and power by setting."""
    light = replace(canvas, detail="full", phone=True, dark=False, once=False)
    n = sum(len(parts) for parts in result.values())
    shown = list(result.items())[: 1 if 2 * n > MOST_FIGURES else None]
    return tuple(
        figure
        for _, parts in shown
        for i, part in enumerate(parts.values())
        for figure in _figures(part, i, light)
    )


def _figures(part: Sensitivity, i: int, canvas: Canvas) -> Iterator[Figure]:
    at = scale_of(part)
    yield from (_levels(part, i, canvas, at),)
    if len(part.tested) > 1 and len(part.settings) <= MOST_SETTINGS:
        yield _power(part, i, canvas, at)


def scale_of(part: Sensitivity) -> Scale:
    """Return how the values of all settings are written."""
    return scale(part.measure, part.all_means)


def numbered(name: str, i: int) -> str:
    """Return the name of what is drawn or laid out for the i-th data set."""
    return name if i == 0 else f"{name}-{i + 1}"


def _levels(part: Sensitivity, i: int, canvas: Canvas, at: Scale) -> Figure:
    columns = ("setting", *(f.name for f in part.factors), "candidate", "mean", "lower", "upper")
    rows = tuple(
        (
            row.label,
            *(row.levels.get(f.name) for f in part.factors),
            name,
            mean,
            *row.intervals.get(name, (None, None)),
        )
        for row in part.settings
        for name, mean in row.means.items()
    )
    names = told(part.candidates)
    unit = f" in {at.unit}" if at.unit else ""
    head = f"Mean {measure_words(part.measure)}{unit} of {plain(part.base)} by setting. "
    full = [
        f"{plain(row.label)}: "
        + ", ".join(f"{names[n]} {at.value(x)}" for n, x in row.means.items())
        for row in part.settings
    ]
    brief = [f"{plain(row.label)}: best {', '.join(names[n] for n in row.best[:3])}"
             for row in part.settings if row.best]  # fmt: skip
    return canvas.figure(
        numbered("levels", i),
        part.measure.name,
        partial(draw_levels, part, panels(part), at),
        alt=alt_text(head + "; ".join(full) + ".", head + "; ".join(brief) + "."),
        data=Series(columns, rows),
    )


def _power(part: Sensitivity, i: int, canvas: Canvas, at: Scale) -> Figure:
    rows = tuple(
        (row.label, row.n_pairs, row.n_distinguished, row.half_width) for row in part.settings
    )
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    head = f"Pairs decided, and mean half width of their intervals{unit}, by setting. "
    full = [
        f"{plain(row.label)}: {row.n_distinguished} of {row.n_pairs}, {at.value(row.half_width)}"
        for row in part.tested
    ]
    return canvas.figure(
        numbered("power", i),
        part.measure.name,
        partial(draw_power, part, at),
        alt=alt_text(head + "; ".join(full) + "."),
        data=Series(("setting", "pairs", "distinguished", "half_width"), rows),
    )
