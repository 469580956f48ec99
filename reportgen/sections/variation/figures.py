"""Figure of components: the standard deviation that each source adds, with its interval."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from matplotlib.lines import Line2D

from reportgen.drawing import (
    Canvas,
    Sheet,
    ValueAxis,
    alt_text,
    axis_words,
    fit_axis,
)
from reportgen.drawing.plots.rows import PX, Column, Panel, RowPlot, draw_rows
from reportgen.notation import Scale, number
from reportgen.report import Figure, Series
from reportgen.sections.variation.tables import scale_of, source_words

if TYPE_CHECKING:
    from reportgen.sections.variation.result import SourcePart, Subject, Variation

ROW = 22 * PX  # pt: height of a row
FARTHEST = 2.5  # times the largest estimate, up to which an interval is drawn


def draw(result: dict[str, Variation], canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the components of the difference of the two best, measure by measure."""
    return tuple(
        _components(own, subject, canvas)
        for own in result.values()
        if (subject := own.of_lead or (own.subjects[0] if own.subjects else None)) is not None
    )


def _components(result: Variation, subject: Subject, canvas: Canvas) -> Figure:
    at = scale_of(result, is_ratio=subject.is_ratio)
    told = [f"{source_words(p.source)} {at.value(p.deviation)}" for p in subject.parts]
    rows = [
        (" - ".join(s.candidates), p.source, p.deviation, p.lower, p.upper, p.share)
        for s in result.subjects
        for p in s.parts
    ]
    return canvas.figure(
        "components",
        result.measure.name,
        partial(_draw, result, subject, at),
        alt=alt_text(
            f"Standard deviations of {' less '.join(subject.candidates)} by source: "
            f"{', '.join(told)}."
        ),
        data=Series(("subject", "source", "deviation", "lower", "upper", "share"), tuple(rows)),
    )


def _draw(result: Variation, subject: Subject, at: Scale, sheet: Sheet) -> None:
    parts = subject.parts
    shares = tuple(f"{number(100 * p.share, 0)}%" for p in parts)
    widths = tuple(at.value(p.deviation) for p in parts)
    largest = max((p.deviation for p in parts), default=0.0)
    others = () if subject.is_ratio else result.of_candidates
    every = [p.deviation for s in others for p in s.parts]
    most = FARTHEST * max([largest, *every])
    columns = (
        Column("standard deviation", widths, widths, is_strong=(True,) * len(parts)),
        Column("of the variance", shares, shares, is_spare=True),
    )
    unit = at.difference_unit if not subject.is_ratio else ""
    draw_rows(
        RowPlot(
            rows=[(source_words(p.source),) for p in parts],
            columns=columns,
            fit=partial(_fit, parts, every, most, at),
            draw=partial(_draw_row, result, subject, others, most, at),
            title=lambda axis, _: axis_words(
                result.measure, axis, unit, before="standard deviation, "
            ),
            row=ROW,
            has_grid=True,
            is_of_candidates=False,
        ),
        sheet,
    )


def _fit(
    parts: tuple[SourcePart, ...],
    every: list[float],
    most: float,
    at: Scale,
    length: float,
    gap: float,
) -> ValueAxis:
    ends = [0.0, *every, *(p.deviation for p in parts)]
    ends += [min(p.upper, most) for p in parts if p.upper is not None]
    return fit_axis([at.factor * x for x in ends], length, gap, may_be_log=False)


def _draw_row(
    result: Variation,
    subject: Subject,
    others: tuple[Subject, ...],
    most: float,
    at: Scale,
    panel: Panel,
    i: int,
    y: float,
) -> None:
    """Draw the interval and mark of a source; small open marks are of the candidates."""
    part = subject.parts[i]
    ink, paper = panel.sheet.colour("ink"), panel.sheet.colour("paper")
    middle = float(panel.axis.drawn([at.factor * part.deviation])[0])
    if part.lower is not None and part.upper is not None:
        ends = [at.factor * part.lower, at.factor * min(part.upper, most)]
        lower, upper = panel.axis.drawn(ends).tolist()
        panel.hline(lower, upper, y, "ink", zorder=3)
    for other in others:
        own = next((p for p in other.parts if p.source == part.source), None)
        if own is not None:
            x = float(panel.axis.drawn([at.factor * own.deviation])[0])
            _mark(panel, x, y, 4.5, paper, panel.sheet.colour("ink2"), 3.5)
    _mark(panel, middle, y, 7.2, ink, ink, 4)


def _mark(
    panel: Panel, x: float, y: float, size: float, face: str, edge: str, zorder: float
) -> None:
    mark: dict[str, Any] = {"marker": "o", "ms": size * PX, "mec": edge, "mew": 1.2 * PX}
    place = [x], [round(y / PX) * PX]
    panel.axes.add_artist(Line2D(*place, **mark, mfc=face, ls="none", clip_on=False, zorder=zorder))
