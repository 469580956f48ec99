"""Figures of the exploration that no report has by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text, measure_words
from reportgen.drawing.plots.stacked import draw_stacked
from reportgen.notation import NumberFormat, level_words
from reportgen.performance_measure import FEW_REPLICATIONS
from reportgen.report import Figure, Series
from reportgen.sections.eda import distributions
from reportgen.sections.eda.figures import distribution_alt, values_of

if TYPE_CHECKING:
    from reportgen.sections.base import Request
    from reportgen.sections.eda.result import EdaResult, MeasureExploration

Drawing = Callable[["MeasureExploration", NumberFormat, Sheet], None]


def boxes(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Box plots with a line for each replication (Eugster 2011, fig. 2.2a and 6.1a)."""
    yield from _of_values("boxes", distributions.draw_boxes, result, canvas)


def density(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Kernel densities of the candidates' values (Eugster 2011, fig. 2.2c)."""
    yield from _of_values("density", distributions.draw_density, result, canvas)


def histogram(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Histograms of the candidates' values with the same classes (Eugster 2011, ch. 2.2)."""
    yield from _of_values("histogram", distributions.draw_histogram, result, canvas)


def _of_values(name: str, draw: Drawing, result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Yield a figure of the values of each measure that has enough of them."""
    for seen in canvas.of_measures(result.values()):
        if len(seen.values) >= FEW_REPLICATIONS:
            yield canvas.figure(
                name,
                seen.measure.name,
                partial(draw, seen, seen.number_format),
                alt=distribution_alt(seen, seen.number_format),
                data=values_of(seen),
                n_marks=int(np.isfinite(seen.values).sum()) if name == "boxes" else 0,
            )


def percentile_intervals(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Percentile intervals of the candidates' values (Eugster 2011, fig. 2.1)."""
    for seen in canvas.of_measures(result.values()):
        if len(seen.values) < FEW_REPLICATIONS:
            continue
        at, names = seen.number_format, alt_names([s.candidate for s in seen.summary])
        unit = at.in_unit
        parts = [
            f"{names[s.candidate]} {at.interval(*s.percentile_interval)}, "
            f"mean {at.value(s.mean, s.percentile_interval)}"
            for s in seen.summary
        ]
        rows = tuple((s.candidate, *s.percentile_interval, s.mean) for s in seen.summary)
        head = (
            f"Central {level_words(seen.alpha)} of the values of {measure_words(seen.measure)}"
            f"{unit}, best {seen.sorted_by} first: "
        )
        yield canvas.figure(
            "percentile-intervals",
            seen.measure.name,
            partial(distributions.draw_percentile_intervals, seen, at),
            alt=alt_text(f"{head}{'; '.join(parts)}."),
            data=Series(("candidate", "lower", "upper", "mean"), rows),
        )


def stacked(result: EdaResult, canvas: Canvas) -> Iterator[Figure]:
    """Stacked bars of the places that each candidate takes (Eugster 2011, fig. 4.2a)."""
    for seen in canvas.of_measures(result.values()):
        podium = seen.podium
        if podium is None or podium.n_blocks < FEW_REPLICATIONS:
            continue
        counts = {
            s.candidate: tuple(place.get(s.candidate, 0) for place in podium.places)
            for s in seen.summary
        }
        names = alt_names(list(counts))
        texts = [f"{names[n]} {', '.join(map(str, own))}" for n, own in counts.items()]
        head = (
            f"Stacked bars of the places by {measure_words(seen.measure)} in {podium.n_blocks} "
            f"{canvas.words('replications')}, from the first on: "
        )
        rows = tuple((n, k + 1, x) for n, own in counts.items() for k, x in enumerate(own))
        yield canvas.figure(
            "stacked",
            seen.measure.name,
            partial(
                draw_stacked,
                counts,
                [str(k + 1) for k in range(len(podium.places))],
                canvas.words("replications"),
            ),
            alt=alt_text(f"{head}{'; '.join(texts)}."),
            data=Series(("candidate", "place", "count"), rows),
        )


REQUESTS: Mapping[str, Request] = {
    "boxes": boxes,
    "density": density,
    "histogram": histogram,
    "percentile-intervals": percentile_intervals,
    "stacked": stacked,
}
