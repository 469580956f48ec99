"""Figures of the exploration, with the distribution plot: every value as a dot under a box."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from reportgen.drawing import (
    HEAVY,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    ValueAxis,
    alt_names,
    alt_text,
    axis_words,
    fit_axis,
    measure_words,
    name_axis,
    shortened,
    text_width,
)
from reportgen.notation import Scale, ordinal, scale
from reportgen.report import Figure, Series
from reportgen.sections.eda.benchmark_experiment_plot import draw_podium, n_places
from reportgen.sections.eda.density import curves, draw_density

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.eda.result import (
        CandidateSummary,
        EdaResult,
        MeasureExploration,
        Podium,
    )

GOLDEN = 0.6180339887498949  # multiples of it, modulo 1, spread dots evenly without chance
BELOW, ABOVE = 31.0, 13.0  # pt: axis and its name; heads of the columns


def draw_distribution(seen: MeasureExploration, scale: Scale, sheet: Sheet) -> None:
    """Draw one row a candidate, best first."""
    n = len(seen.summary)
    row = max(min(30.0, 560 / n), 17.0)
    sheet.begin(n * row + BELOW + ABOVE)
    names = shortened(
        [s.candidate for s in seen.summary], 70 if sheet.is_phone else 120, sheet.label
    )
    left = max(text_width(text, sheet.label) for text in names.values()) + 24
    columns = _columns(seen, scale)
    right = sum(width for _, width, _ in columns) + 8
    axes = sheet.axes(left, BELOW, right, ABOVE)
    axis = fit_axis(
        scale.factor * seen.values,
        sheet.width - left - right,
        36 if sheet.is_phone else 44,
        may_be_log=seen.measure.unit != "share",
        may_clip=True,
    )
    axis.apply(axes, "x")
    axes.set(ylim=(n - 0.5, -0.5), yticks=[])
    for y, summary in enumerate(seen.summary):
        values = scale.factor * seen.values[:, seen.candidates.index(summary.candidate)]
        values = values[np.isfinite(values)]
        _draw_row(sheet, axes, y, summary.candidate, values, scale, summary, axis)
    page = sheet.page()
    for y, summary in enumerate(seen.summary):
        middle = ABOVE + (y + 0.5) * row
        page.plot([left - 12], [middle], **sheet.mark(summary.candidate, 6))
        page.text(
            left - 20,
            middle,
            names[summary.candidate],
            ha="right",
            va="center_baseline",
            fontsize=sheet.label,
        )
    _write_columns(sheet, page, columns, row)
    name_axis(sheet, page, left, axis_words(seen.measure, axis, scale.unit), seen.measure)


def _columns(seen: MeasureExploration, scale: Scale) -> list[tuple[str, float, list[str]]]:
    """Return what stands at the right: the statistic of the order, and n where values lack."""
    statistic = seen.sorted_by
    if statistic == "max" and not seen.measure.is_smaller_better:
        statistic = "min"
    columns = [(statistic, [scale.value(getattr(s, statistic)) for s in seen.summary])]
    if seen.n_missing:
        columns.append(("n", [str(s.n) for s in seen.summary]))
    return [
        (head, max(text_width(t, TICK) for t in (head, *texts)) + 8, texts)
        for head, texts in columns
    ]


def _write_columns(
    sheet: Sheet, page: Axes, columns: list[tuple[str, float, list[str]]], row: float
) -> None:
    x = sheet.width
    for head, width, texts in reversed(columns):
        page.text(x, 6, head, ha="right", va="center", fontsize=SMALL, color=sheet.colour("ink2"))
        for y, text in enumerate(texts):
            middle = ABOVE + (y + 0.5) * row
            page.text(x, middle, text, ha="right", va="center_baseline", fontsize=TICK)
        x -= width


def _draw_row(
    sheet: Sheet,
    axes: Axes,
    y: int,
    candidate: str,
    values: NDArray[np.float64],
    scale: Scale,
    summary: CandidateSummary,
    axis: ValueAxis,
) -> None:
    """Draw the box in the row's upper half and the dots in its lower one."""
    ink = sheet.ink(candidate)
    marks = (summary.lower_quartile, summary.median, summary.upper_quartile, summary.mean)
    lower, middle, upper, mean = axis.drawn([scale.factor * x for x in marks]).tolist()
    is_mean_shown = axis.holds([scale.factor * summary.mean])[0]
    values = np.sort(axis.drawn(values))
    height = y + 0.24 + 0.28 * ((np.arange(len(values)) * GOLDEN) % 1 - 0.5)
    dots = sheet.mark(candidate, 2.6 if len(values) > 60 else 3.4)
    dots["alpha"] = 0.38 if len(values) > 100 else 0.6
    axes.plot(values, height, **dots, clip_on=False, zorder=1, **sheet.dense)
    reach = 1.5 * (upper - lower)
    inside = values[(values >= lower - reach) & (values <= upper + reach)]
    whiskers = [min(inside[0], lower), max(inside[-1], upper)]
    axes.plot(whiskers, [y - 0.2] * 2, color=ink, lw=THIN, zorder=2)
    box = Rectangle((lower, y - 0.34), upper - lower, 0.28, lw=THIN, zorder=3)
    box.set(facecolor=sheet.wash(candidate), edgecolor=ink)
    axes.add_patch(box)
    axes.plot([middle] * 2, [y - 0.34, y - 0.06], color=ink, lw=HEAVY, zorder=4)
    outside = np.unique(values[(values < whiskers[0]) | (values > whiskers[1])])
    axes.plot(outside, np.full(len(outside), y - 0.2), "|", ms=4, mew=THIN, color=ink, zorder=3)
    axes.plot(
        [mean],
        [y - 0.2],
        "o" if is_mean_shown else ">" if mean > middle else "<",
        ms=4.2,
        mfc=sheet.colour("paper"),
        mec=sheet.colour("ink"),
        mew=0.9,
        zorder=5,
    )


def draw(result: EdaResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the main measure in full and the distribution of the others.

    On a compact canvas only the main measure's benchmark experiment plot.
    """
    if not result:
        return ()
    main, *others = result.values()
    if canvas.is_compact:
        return _podium(main, canvas)
    return (
        _distribution(main, canvas),
        _density(main, canvas),
        *_podium(main, canvas),
        *(_distribution(seen, canvas) for seen in others),
    )


def _scale(seen: MeasureExploration) -> Scale:
    return scale(seen.measure, [s.typical for s in seen.summary])


# ---------------------------------------------------------------------------- distribution


def _distribution(seen: MeasureExploration, canvas: Canvas) -> Figure:
    at = _scale(seen)
    return canvas.figure(
        "distribution",
        seen.measure.name,
        partial(draw_distribution, seen, at),
        alt=_distribution_alt(seen, at),
        data=_values(seen),
        n_marks=int(np.isfinite(seen.values).sum()),
    )


def _values(seen: MeasureExploration) -> Series:
    """Return the values in the order in which they are drawn."""
    rows = [
        (summary.candidate, int(replication), float(value))
        for summary in seen.summary
        for replication, value in zip(
            seen.replications,
            seen.values[:, seen.candidates.index(summary.candidate)],
            strict=True,
        )
        if np.isfinite(value)
    ]
    return Series(("candidate", "replication", "value"), tuple(rows))


def _distribution_alt(seen: MeasureExploration, at: Scale) -> str:
    names = alt_names([s.candidate for s in seen.summary])
    unit = f" in {at.unit}" if at.unit else ""
    head = (
        f"Strip and box plots of {measure_words(seen.measure)}{unit}, best {seen.sorted_by} first: "
    )
    full = [
        f"{names[s.candidate]} mean {at.value(s.mean)}, median {at.value(s.median)},"
        f" range {at.interval(s.min, s.max)}"
        for s in seen.summary
    ]
    brief = [f"{names[s.candidate]} mean {at.value(s.mean)}" for s in seen.summary]
    return alt_text(*(f"{head}{'; '.join(parts)}." for parts in (full, brief)))


# --------------------------------------------------------------------------------- density


def _density(seen: MeasureExploration, canvas: Canvas) -> Figure:
    at = _scale(seen)
    drawn = curves(seen, at)
    rows = [
        (name, float(x) / at.factor, float(y))
        for name, curve in drawn.items()
        for x, y in zip(curve.x, curve.y, strict=True)
    ]
    rows += [(name, c.at / at.factor, float("nan")) for name, c in drawn.items() if c.is_constant]
    names = alt_names(tuple(drawn))
    parts = [
        f"{names[name]} {'is constant at' if curve.is_constant else 'peaks at'}"
        f" {at.value(curve.at / at.factor)}"
        for name, curve in drawn.items()
    ]
    unit = f" in {at.unit}" if at.unit else ""
    return canvas.figure(
        "density",
        seen.measure.name,
        partial(draw_density, seen, at, drawn),
        alt=alt_text(f"Density curves of {measure_words(seen.measure)}{unit}: {'; '.join(parts)}."),
        data=Series(("candidate", "value", "density"), tuple(rows)),
    )


# ---------------------------------------------------------------------------------- podium


def _podium(seen: MeasureExploration, canvas: Canvas) -> tuple[Figure, ...]:
    """Return the benchmark experiment plot, where there is a complete block."""
    podium = seen.podium
    if podium is None or not podium.n_blocks:
        return ()
    figure = canvas.figure(
        "podium",
        seen.measure.name,
        partial(draw_podium, seen, podium, _scale(seen)),
        alt=_podium_alt(seen, podium),
        data=_places(seen, podium),
        n_marks=podium.n_blocks * n_places(len(seen.candidates)),
    )
    return (figure,)


def _places(seen: MeasureExploration, podium: Podium) -> Series:
    rows = np.isin(seen.replications, podium.replications)
    cells = [
        (int(replication), candidate, int(place), float(value))
        for replication, ranks, values in zip(
            podium.replications, podium.ranks, seen.values[rows], strict=True
        )
        for candidate, place, value in zip(seen.candidates, ranks, values, strict=True)
    ]
    return Series(("replication", "candidate", "place", "value"), tuple(cells))


def _podium_alt(seen: MeasureExploration, podium: Podium) -> str:
    names = alt_names([s.candidate for s in seen.summary])
    shown = n_places(len(names))
    first = podium.places[0]
    ranking = sorted(names, key=lambda n: -first.get(n, 0))
    counts = ", ".join(f"{names[n]} {first.get(n, 0)}" for n in ranking)
    later = "; ".join(
        f"{ordinal(place + 1)} {names[best]} ({row[best]})"
        for place, row in enumerate(podium.places[1:shown], 1)
        if (best := max(row, key=lambda n: row[n], default=None)) is not None
    )
    extent = "" if shown == len(names) else f", of which the first {shown} are shown"
    head = (
        f"Benchmark experiment plot of {measure_words(seen.measure)}"
        f" with {len(names)} places{extent}."
        f" First places in {podium.n_blocks} replications: {counts}."
    )
    return alt_text(f"{head} Most often in later places: {later}." if later else head, head)
