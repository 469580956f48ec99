"""Scores against battles: a mark a candidate, with the intervals of both."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from reportgen.drawing import Canvas, alt_names, alt_text, with_unit
from reportgen.report import Figure, Series
from reportgen.sections.agreement.result import AgreementResult
from reportgen.sections.frontier.figures import draw_plane, mean_words, scales
from reportgen.sections.frontier.result import Location


def draw(result: AgreementResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw where candidates stand by both."""
    return () if result is None else (_figure(result, replace(canvas, phone=True, once=False)),)


def _figure(result: AgreementResult, canvas: Canvas) -> Figure:
    plane = result.plane
    names = alt_names([p.candidate for p in plane.places])
    at_main, at = scales(plane)
    words = mean_words(plane, is_main=True)
    head = f"{words[0].upper()}{words[1:]} against {mean_words(plane, is_main=False)} of battles: "
    means = [
        f"{names[p.candidate]} {with_unit(at_main, p.main.mean)}, {with_unit(at, p.other.mean)}"
        for p in plane.places
    ]
    parts = ("mean", "lower", "upper")
    columns = ("candidate", *(f"{by}_{part}" for by in ("main", "elo") for part in parts))
    rows = tuple((p.candidate, *_numbers(p.main), *_numbers(p.other)) for p in plane.places)
    return canvas.figure(
        "agreement",
        result.measures[0],
        partial(draw_plane, plane),
        alt=alt_text(f"{head}{'; '.join(means)}.", f"{head}{len(means)} candidates."),
        data=Series(columns, rows),
    )


def _numbers(found: Location) -> tuple[float | None, ...]:
    return (found.mean, *(found.interval or (None, None)))
