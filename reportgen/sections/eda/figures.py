"""Figures and tables of the exploration: the strip, and the benchmark experiment plot."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.drawing import Canvas, alt_names, alt_text, measure_words
from reportgen.notation import NumberFormat, level_words, ordinal
from reportgen.performance_measure import FEW_REPLICATIONS
from reportgen.report import CANDIDATE, MEAN_RANK, ColumnOf, Figure, Series, Table
from reportgen.sections.eda.benchmark_experiment_plot import draw_podium, n_places
from reportgen.sections.eda.result import CandidateSummary, EdaResult, MeasureExploration
from reportgen.sections.eda.strip import draw_distribution
from reportgen.stats.columns import Column
from reportgen.stats.descriptive import shared_places

if TYPE_CHECKING:
    from reportgen.sections.eda.result import Podium

FEWEST_PLACES = 3  # below, the strip shows all there is


def draw(result: EdaResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the distribution and the benchmark experiment plot of every measure.

    Of several data sets the main measure's plot also small; on a compact canvas this alone.
    """
    if not result:
        return ()
    main = next(iter(result.values()))
    small = _podium(main, canvas, is_small=True) if canvas.is_one_of_many else ()
    if canvas.density == "compact":
        return small
    drawn = [(_distribution(seen, canvas), *_podium(seen, canvas)) for seen in result.values()]
    return (*(figure for figures in drawn for figure in figures), *small)


def _distribution(seen: MeasureExploration, canvas: Canvas) -> Figure:
    at = seen.number_format
    return canvas.figure(
        "distribution",
        seen.measure.name,
        partial(draw_distribution, seen, at),
        alt=distribution_alt(seen, at),
        data=values_of(seen),
        n_marks=int(np.isfinite(seen.values).sum()),
    )


def values_of(seen: MeasureExploration) -> Series:
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


def distribution_alt(seen: MeasureExploration, at: NumberFormat) -> str:
    """Describe the values of all candidates."""
    names = alt_names([s.candidate for s in seen.summary])
    unit = at.in_unit
    plot = "Strip plot" if seen.is_of_few_values else "Strip and box plots"
    head = (
        f"{plot if seen.has_points else 'Means'} of "
        f"{measure_words(seen.measure)}{unit}, best {seen.sorted_by} first: "
    )
    full = [
        f"{names[s.candidate]} mean {at.value(s.mean)}, median {at.value(s.median)},"
        f" range {at.interval(s.min, s.max)}"
        for s in seen.summary
    ]
    brief = [f"{names[s.candidate]} mean {at.value(s.mean)}" for s in seen.summary]
    return alt_text(*(f"{head}{'; '.join(parts)}." for parts in (full, brief)))


def _podium(
    seen: MeasureExploration, canvas: Canvas, *, is_small: bool = False
) -> tuple[Figure, ...]:
    """Return the benchmark experiment plot, where there are places and replications enough."""
    # Of values such as right and wrong there is none: nearly all places are shared, and the counts
    # of won and lost beside the pairs say what there is.
    podium = seen.podium
    if (
        podium is None
        or seen.is_of_few_values
        or podium.n_blocks < FEW_REPLICATIONS
        or len(seen.summary) < FEWEST_PLACES
    ):
        return ()
    figure = canvas.figure(
        "podium-small" if is_small else "podium",
        seen.measure.name,
        partial(draw_podium, seen, podium, seen.number_format, is_small=is_small),
        alt=_podium_alt(seen, podium, canvas.words("replications")),
        data=_places(seen, podium),
        n_marks=podium.n_blocks * n_places(len(seen.candidates), is_phone=is_small),
        is_small=is_small,
    )
    return (figure,)


def _places(seen: MeasureExploration, podium: Podium) -> Series:
    rows = np.isin(seen.replications, podium.replications)
    found = shared_places(seen.values[rows], seen.measure.is_smaller_better)
    cells = [
        (int(replication), candidate, int(place), float(value), int(slot))
        for replication, own, values, ranks in zip(
            podium.replications, found, seen.values[rows], podium.ranks, strict=True
        )
        for candidate, place, value, slot in zip(seen.candidates, own, values, ranks, strict=True)
    ]
    return Series(("replication", "candidate", "place", "value", "slot"), tuple(cells))


def _podium_alt(seen: MeasureExploration, podium: Podium, units: str) -> str:
    names = alt_names([s.candidate for s in seen.summary])
    shown = n_places(len(names))
    first = podium.places[0]
    ranking = sorted(names, key=lambda n: -first.get(n, 0))
    counts = ", ".join(f"{names[n]} {first.get(n, 0)}" for n in ranking)
    later = "; ".join(
        f"{ordinal(place + 1)} {names[best]} ({row[best]})"
        for place, row in enumerate(podium.places[1:shown], 1)
        if (best := max(row, key=lambda n: row[n], default=None)) is not None and row[best]
    )
    extent = "" if shown == len(names) else f", of which the first {shown} are shown"
    head = (
        f"Benchmark experiment plot of {measure_words(seen.measure)}"
        f" with {len(names)} places{extent}."
        f" First places in {podium.n_blocks} {units}: {counts}."
    )
    return alt_text(f"{head} Most often in later places: {later}." if later else head, head)


def tabulate(result: EdaResult) -> tuple[Table, ...]:
    """Lay out a summary and the worst cases of every measure."""
    return tuple(table for found in result.values() for table in (_summary(found), _worst(found)))


def _summary(found: MeasureExploration) -> Table:
    """One row a candidate, in the order of the result."""
    better, level = found.measure.better, level_words(found.alpha)
    columns: list[ColumnOf[CandidateSummary]] = [
        CANDIDATE,
        Column("mean", "Mean", "value", better),
        Column("normal_interval", f"{level} interval of the mean", "interval"),
        Column("sd", "SD", "difference", "smaller"),
        Column("median", "Median", "value", better),
        Column("min", "Min", "value", better),
        Column("max", "Max", "value", better),
        Column("percentile_interval", f"Central {level} of values", "interval"),
    ]
    if found.has_gaps:
        columns.insert(1, Column("n", "Values", "count"))
    if found.podium:
        best = f"Best of {found.podium.n_blocks:,}"
        columns += [
            MEAN_RANK,
            Column("n_best", best, "count", "larger"),
            Column("n_best_alone", "Best alone", "count", "larger"),
        ]
    return Table.of(
        found.summary,
        columns,
        name="summary",
        measure=found.measure.name,
        number_format=found.number_format,
        is_wide=True,
    )


def _worst(found: MeasureExploration) -> Table:
    """One row a candidate, in minimax order."""
    worst = found.worst
    better = found.measure.better
    quantile = f"{_percentage(better, worst.level)} quantile"
    columns: list[ColumnOf[str]] = [
        (CANDIDATE, str),
        (Column("worst", _extreme(better), "value", better), worst.max.get),
    ]
    if worst.m > 1:
        m_worst = Column("m_worst", _m_worst(better, worst.m), "value", better)
        columns.append((m_worst, worst.m_worst.get))
    columns.append((Column("quantile", quantile, "value", better), worst.quantile.get))
    names = [name for group in worst.order for name in group]
    return Table.of(
        names, columns, name="worst", measure=found.measure.name, number_format=found.number_format
    )


def _extreme(better: Literal["smaller", "larger"]) -> str:
    return "Largest value" if better == "smaller" else "Smallest value"


def _m_worst(better: Literal["smaller", "larger"], m: int) -> str:
    extreme = _extreme(better)
    return extreme if m == 1 else f"{ordinal(m)} {extreme.lower()}"


def _percentage(better: Literal["smaller", "larger"], level: float) -> str:
    """Write which quantile lies at `level` on the worse side."""
    return f"{100 * (level if better == 'smaller' else 1 - level):g}%"
