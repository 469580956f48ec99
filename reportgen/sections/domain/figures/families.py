"""Candidates by families of data sets: who is best in which."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text, measure_words
from reportgen.drawing.plots.heat_map import draw_heat_map
from reportgen.notation import NumberFormat
from reportgen.report import Figure, Series

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DatasetFamilies, DomainResult, DomainVerdict

MOST_FAMILIES, MOST_CANDIDATES = 14, 30  # of the figure: the largest, and the best means
LEGEND = ("others", "best three", "best of the family")
NEAR = 3  # the places of the middle shade


def families_figure(result: DomainResult, canvas: Canvas, at: NumberFormat) -> Figure | None:
    """Draw the means of the candidates on every family; None where no data sets are relatives."""
    verdict = result.verdict.get(result.main)
    if verdict is None or not verdict.has_relatives or verdict.dataset_families is None:
        return None
    found = verdict.dataset_families
    names = alt_names(verdict.order)
    best = "; ".join(f"{names[n]} {k}" for n, k in found.n_won.items())
    head = (
        f"Mean {measure_words(verdict.measure)} of {len(verdict.order)} candidates on "
        f"{found.n} families of data sets. Best, number of families: {best}."
    )
    rows = tuple((row.name, name, x) for row in found.rows for name, x in row.means.items())
    return canvas.figure(
        "families",
        result.main,
        partial(_draw, verdict, found, at),
        alt=alt_text(head),
        data=Series(("family", "candidate", "mean"), rows),
    )


def _draw(verdict: DomainVerdict, found: DatasetFamilies, at: NumberFormat, sheet: Sheet) -> None:
    shown = found.largest_first[:MOST_FAMILIES]
    order = verdict.order[:MOST_CANDIDATES]
    classes = np.zeros((len(order), len(shown)), dtype=int)
    texts = np.full(classes.shape, "", dtype=object)
    for j, row in enumerate(shown):
        places = {name: k for k, name in enumerate(row.means)}
        for i, name in enumerate(order):
            if name in row.means:
                k = places[name]
                classes[i, j] = 2 if k == 0 else int(k < NEAR)
                texts[i, j] = at.value(row.means[name])
    families = [row.name for row in shown]
    if sheet.is_phone and len(families) > len(order):
        draw_heat_map(sheet, classes.T, texts.astype(str).T, families, ("", order), LEGEND)
    else:
        draw_heat_map(sheet, classes, texts.astype(str), order, ("", families), LEGEND)
