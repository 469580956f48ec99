"""Figures and tables of the exploration: the strip, and the benchmark experiment plot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import (
    MARK_WIDTH,
    SMALL,
    TICK,
    Canvas,
    Sheet,
    ValueAxis,
    alt_names,
    alt_text,
    axis_words,
    fit_axis,
    measure_words,
    name_mark,
    plain,
    shorten_names,
    text_width,
)
from reportgen.drawing.axes import LOG_FROM, LOG_FROM_COMPARED
from reportgen.drawing.plots.rows import (
    DIVIDER,
    FOOT,
    HEADS,
    PX,
    STROKE,
    Panel,
    RowColumn,
    RowPlot,
    draw_rows,
    link_artists,
    snap,
)
from reportgen.notation import NumberFormat, level_words, number, ordinal
from reportgen.performance_measure import FEW_REPLICATIONS
from reportgen.report import CANDIDATE, MEAN_RANK, ColumnOf, Figure, Series, Table
from reportgen.sections.eda.analysis import CandidateSummary, EdaResult, MeasureExploration
from reportgen.stats.arrays import Array
from reportgen.stats.columns import Column
from reportgen.stats.descriptive import shared_places

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist
    from reportgen.sections.eda.analysis import Podium

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
        n_marks=n_points(seen),
    )


def n_points(seen: MeasureExploration) -> int:
    """Return how many values are drawn one by one."""
    return int(np.isfinite(seen.values[seen.drawn]).sum())


def values_of(seen: MeasureExploration) -> Series:
    """Return the values that are drawn, in their order."""
    drawn = seen.drawn
    rows = [
        (summary.candidate, int(replication), float(value))
        for summary in seen.summary
        for replication, value in zip(
            seen.replications[drawn],
            seen.values[drawn, seen.candidates.index(summary.candidate)],
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
        n_marks=seen.n_complete_drawn * n_places(len(seen.candidates), is_phone=is_small),
        is_small=is_small,
    )
    return (figure,)


def _places(seen: MeasureExploration, podium: Podium) -> Series:
    is_drawn = np.isin(podium.replications, seen.replications[seen.drawn])
    shown = podium.replications[is_drawn]
    blocks = seen.values[np.isin(seen.replications, shown)]
    found = shared_places(blocks, seen.measure.is_smaller_better)
    cells = [
        (int(replication), candidate, int(place), float(value), int(slot))
        for replication, own, values, ranks in zip(
            shown, found, blocks, podium.ranks[is_drawn], strict=True
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
    """Lay out a summary of every measure, and the worst cases where they differ."""
    return tuple(
        lay_out(found)
        for found in result.values()
        for lay_out in (_summary, _worst)
        if lay_out is _summary or not found.worst.is_level
    )


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


ROW, LEAST_ROW = 40 * PX, 16 * PX  # pt: the parts of a row keep their shares of it
MEAN_ROW = 24 * PX  # pt: of a mean alone
LARGEST = 660.0  # pt: the height of a page, less a caption
REACH = 1.5  # lengths of the box that its whiskers reach at most
JITTER, POINTS, BOX, BOX_HEIGHT = 0.325, 0.275, 0.7375, 0.25  # shares of a row's height
MEAN = 6.4 * PX  # pt: diameter of its mark
SEED = 1  # of the jitter, which says nothing


def draw_distribution(seen: MeasureExploration, number_format: NumberFormat, sheet: Sheet) -> None:
    """Draw one row a candidate, best first."""
    room = int((LARGEST - HEADS - FOOT) / len(seen.summary) / PX) * PX
    draw_rows(
        RowPlot(
            rows=[(s.candidate,) for s in seen.summary],
            columns=tuple(columns(seen, number_format)),
            fit=partial(fit_strip, seen, number_format),
            draw=partial(_draw_row, seen, number_format, np.random.default_rng(SEED)),
            title=lambda axis, _: axis_words(seen.measure, axis, number_format.unit_symbol),
            row=min(ROW if seen.has_points else MEAN_ROW, max(room, LEAST_ROW)),
            has_grid=True,
            way="← better" if seen.measure.is_smaller_better else "better →",
        ),
        sheet,
    )


def columns(seen: MeasureExploration, number_format: NumberFormat) -> Iterator[RowColumn]:
    """Return the columns that have a value: mean, interval, SD, mean rank, best and alone.

    Before them stands the statistic of the order where that is not the mean, and
    behind them the number of values where some are missing.
    """
    rows = seen.summary
    if seen.sorted_by != "mean":
        cells = tuple(number_format.value(getattr(s, seen.sorted_by)) for s in rows)
        yield RowColumn(seen.sorted_by, cells, cells, is_strong=(True,) * len(rows))
    means = tuple(number_format.value(s.mean, s.normal_interval) for s in rows)
    yield RowColumn("mean", means, means, is_strong=(seen.sorted_by == "mean",) * len(rows))
    if any(np.isfinite(s.normal_interval).all() for s in rows):
        head = f"{level_words(seen.alpha)} interval"
        yield RowColumn(head, tuple(_interval(s, number_format) for s in rows))
    if any(np.isfinite(s.sd) for s in rows):
        yield RowColumn("SD", tuple(number_format.value(s.sd) for s in rows))
    if len(rows) > 1 and seen.podium is not None:
        yield RowColumn("mean rank", tuple(number(s.mean_rank, 2) for s in rows), is_spare=True)
        best = tuple(str(s.n_best) for s in rows)
        yield RowColumn("best", best, best)
        yield RowColumn("alone", tuple(str(s.n_best_alone) for s in rows), is_spare=True)
    if seen.has_gaps:
        counts = tuple(str(s.n) for s in rows)
        yield RowColumn("n", counts, counts)


def _interval(summary: CandidateSummary, number_format: NumberFormat) -> str:
    lower, upper = summary.normal_interval
    return (
        number_format.interval(lower, upper)
        if np.isfinite([lower, upper]).all()
        else number_format.value(None)
    )


def fit_values(
    seen: MeasureExploration,
    number_format: NumberFormat,
    length: float,
    gap: float,
    *,
    drawn: NDArray[np.float64] | None = None,
) -> ValueAxis:
    """Return the axis of all values, without those that lie too far from the others."""
    # `drawn`: what else is drawn in place of values; all of it is on the axis.
    return fit_axis(
        number_format.factor * (seen.values if drawn is None else drawn),
        length,
        gap,
        may_be_log=seen.measure.unit_symbol != "share",
        log_from=LOG_FROM_COMPARED if seen.measure.is_compared_by_ratio else LOG_FROM,
        may_clip=drawn is None,
    )


def fit_strip(
    seen: MeasureExploration, number_format: NumberFormat, length: float, gap: float
) -> ValueAxis:
    """Return the axis of what the strip has: of values, or of means with their intervals."""
    means = np.array([(s.mean, *s.normal_interval) for s in seen.summary])
    return fit_values(seen, number_format, length, gap, drawn=None if seen.has_points else means)


def _draw_row(
    seen: MeasureExploration,
    number_format: NumberFormat,
    rng: np.random.Generator,
    panel: Panel,
    i: int,
    middle: float,
) -> None:
    """Draw the points in the row's upper half, box and mean in its lower one."""
    summary = seen.summary[i]
    if not seen.has_points:
        _draw_interval(panel, summary, number_format, snap(middle, STROKE))
        return
    name = summary.candidate
    height = _row_height(panel, len(seen.summary))
    top = middle - height / 2
    values = panel.axis.drawn(number_format.factor * seen.values[:, seen.candidates.index(name)])
    points = values[seen.drawn]
    shifts = JITTER * height * (rng.random(len(points)) - 0.5)
    panel.points(
        points,
        top + POINTS * height + shifts,
        panel.sheet.ink(name),
        name,
        alpha=0.34 if len(points) > 60 else 0.5,
        of=len(values),
    )
    y = snap(top + BOX * height, STROKE)
    if summary.n >= FEW_REPLICATIONS and not seen.is_of_few_values:  # no box of right and wrong
        _draw_box(panel, values[np.isfinite(values)], y, BOX_HEIGHT * height, name)
    _draw_interval(panel, summary, number_format, y)


def _draw_interval(
    panel: Panel, summary: CandidateSummary, number_format: NumberFormat, y: float
) -> None:
    """Draw the mean with its interval."""
    lower, upper = panel.axis.drawn(
        [number_format.factor * x for x in summary.normal_interval]
    ).tolist()
    if np.isfinite([lower, upper]).all():
        panel.hline(lower, upper, y, "ink", zorder=5)
    _draw_mean(panel, number_format.factor * summary.mean, y)


def _row_height(panel: Panel, n_rows: int) -> float:
    bottom, top = panel.axes.get_ylim()
    return abs(bottom - top) / n_rows


def _draw_box(
    panel: Panel, values: NDArray[np.float64], y: float, height: float, name: str
) -> None:
    """Draw quartiles, median and whiskers, as they lie on the axis."""
    sheet = panel.sheet
    lower, median, upper = np.quantile(values, [0.25, 0.5, 0.75])
    reach = REACH * (upper - lower)
    inside = values[(values >= lower - reach) & (values <= upper + reach)]
    lower, upper = (panel.snap(x, DIVIDER) for x in (lower, upper))
    ink: dict[str, Any] = {"color": sheet.ink(name), "clip_on": False}
    stats = {
        "q1": lower,
        "med": panel.snap(float(median), STROKE),
        "q3": upper,
        "whislo": min(inside.min(), lower),
        "whishi": max(inside.max(), upper),
    }
    half = max(round(height / 2 / PX), 2) * PX + DIVIDER / 2
    panel.axes.bxp(
        [stats],
        positions=[snap(y, DIVIDER)],
        widths=[2 * half],
        orientation="horizontal",
        showfliers=False,
        showcaps=False,
        patch_artist=True,
        manage_ticks=False,
        boxprops={"facecolor": sheet.wash(name), "edgecolor": sheet.ink(name), "lw": DIVIDER},
        medianprops=ink | {"lw": STROKE},
        whiskerprops=ink | {"lw": DIVIDER},
        zorder=3,
    )


def _draw_mean(panel: Panel, mean: float, y: float) -> None:
    """Draw the mean as a ring, beyond the axis as an arrowhead at its end."""
    place = float(panel.axis.drawn([mean])[0])
    marker = "o"
    if not panel.axis.holds([mean])[0]:
        marker = ">" if panel.axis.factor * mean > place else "<"
    panel.axes.plot(
        [place], [y], marker=marker, ms=MEAN, mfc=panel.sheet.colour("paper"),
        mec=panel.sheet.colour("ink"), mew=1.4 * PX, ls="none", clip_on=False, zorder=6,
    )  # fmt: skip


ALL_PLACES, ALL_PLACES_PHONE = 12, 8  # candidates up to which every place is shown
FIRST_PLACES, FIRST_PLACES_PHONE = 8, 5  # shown of more
DOTS, PHONE_DOTS, SMALL_DOTS = 196 * PX, 196 * PX, 100 * PX  # pt: heights of the parts
BARS, SMALL_BARS = 62 * PX, 38 * PX
BETWEEN, BELOW = 4 * PX, 18 * PX  # pt: dots to bars; names of the places
PARTED = 6 * PX  # pt between places
KEY_LINE, KEY_GAP = 15 * PX, 12.0  # pt
MARK = 4.6 * PX  # pt: a mark, smaller where there is no room
FAINTEST, FAINT, STRONGEST = 0.035, 9.0, 0.14  # of lines: over the number of replications
OPACITY = 0.6


def n_places(n_candidates: int, *, is_phone: bool = False) -> int:
    """Return how many places are shown."""
    if n_candidates <= (ALL_PLACES_PHONE if is_phone else ALL_PLACES):
        return n_candidates
    return FIRST_PLACES_PHONE if is_phone else FIRST_PLACES


@dataclass(frozen=True)
class _Plot:
    """Where everything is; candidates stand in the order of the summary."""

    seen: MeasureExploration
    podium: Podium
    number_format: NumberFormat
    sheet: Sheet
    is_small: bool

    @cached_property
    def names(self) -> list[str]:
        return [s.candidate for s in self.seen.summary]

    @cached_property
    def n_places(self) -> int:
        return n_places(len(self.names), is_phone=self.sheet.is_phone)

    @cached_property
    def columns(self) -> list[int]:
        return [self.seen.candidates.index(name) for name in self.names]

    @cached_property
    def ranks(self) -> Array:
        """Shape (drawn, K): places in replications; NaN in those without a complete block."""
        found = np.full(self.seen.values.shape, np.nan)
        found[np.isin(self.seen.replications, self.podium.replications)] = self.podium.ranks
        return found[self.seen.drawn][:, self.columns]

    @cached_property
    def values(self) -> Array:
        """Shape (drawn, K): as they are written; NaN where no place is shown."""
        values = self.number_format.factor * self.seen.values[self.seen.drawn][:, self.columns]
        return np.where(self.ranks <= self.n_places, values, np.nan)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """Shape (places, K): how often a candidate takes a place."""
        places = self.podium.places[: self.n_places]
        return np.array([[p.get(n, 0) for n in self.names] for p in places], dtype=np.int64)

    @cached_property
    def placed(self) -> list[str]:
        """Those that take a place that is shown."""
        return [n for n, c in zip(self.names, self.counts.sum(axis=0), strict=True) if c]

    @cached_property
    def axis(self) -> ValueAxis:
        return fit_axis(
            self.values[np.isfinite(self.ranks).all(axis=1)],
            self.dots_height,
            26,
            may_be_log=self.seen.measure.unit_symbol != "share",
            log_from=LOG_FROM_COMPARED if self.seen.measure.is_compared_by_ratio else LOG_FROM,
            may_clip=True,
        )

    @property
    def dots_height(self) -> float:
        return SMALL_DOTS if self.is_small else PHONE_DOTS if self.sheet.is_phone else DOTS

    @property
    def bars_height(self) -> float:
        return SMALL_BARS if self.is_small else BARS

    @cached_property
    def left(self) -> float:
        widest = max(text_width(t, SMALL) for t in (*self.axis.labels, "count"))
        return round((widest + 5) / PX) * PX

    @cached_property
    def place_width(self) -> float:
        return (self.sheet.width - self.left) / self.n_places

    def slot(self, place: Any, k: int) -> Any:
        """Return where candidate k stands inside a place (from 1), in points."""
        room = (self.place_width - PARTED) / len(self.names)
        return (place - 1) * self.place_width + PARTED / 2 + (k + 0.5) * room


def draw_podium(
    seen: MeasureExploration,
    podium: Podium,
    number_format: NumberFormat,
    sheet: Sheet,
    *,
    is_small: bool = False,
) -> None:
    """Draw marks and lines by place, and under them how often each candidate takes it.

    `is_small`: whether it is that of one of several data sets.
    """
    plot = _Plot(seen, podium, number_format, sheet, is_small)
    unit = plot.axis.unit(number_format.unit_symbol)
    if not number_format.unit_symbol:
        unit = axis_words(seen.measure, plot.axis, "")
    key = _key(plot, max(plot.left, text_width(unit, SMALL) + KEY_GAP if unit else 0.0))
    top = key[-1][2] + KEY_LINE / 2 + 5 * PX
    bottom = top + plot.dots_height + BETWEEN + plot.bars_height
    is_whole = plot.n_places == len(plot.names)
    sheet.begin(bottom + BELOW + (0 if is_whole else KEY_LINE))
    page = sheet.page()
    _draw_grounds(plot, page, top, bottom)
    dots = sheet.axes(plot.left, sheet.height - top - plot.dots_height, 0, top)
    plot.axis.apply(dots, "y")
    dots.set(xlim=(0, sheet.width - plot.left), xticks=[])
    dots.spines["bottom"].set_visible(False)
    dots.tick_params(axis="y", length=3, width=DIVIDER, labelsize=SMALL, pad=1.5)
    _draw_lines(plot, dots)
    _draw_marks(plot, dots)
    _draw_bars(plot, page, bottom)
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    page.text(0, KEY_LINE / 2, unit, **style)
    for name, x, y, text in key:
        with link_artists(sheet, (name,), page):
            name_mark(sheet, page, x, y, name, text, size=_key_size(sheet))
    if not is_whole:
        rest = f"the first {plot.n_places} of {len(plot.names)} places"
        page.text(sheet.width, sheet.height - 4.5, rest, ha="right", **style)


def _key_size(sheet: Sheet) -> float:
    return SMALL if sheet.is_phone else TICK


def _key(plot: _Plot, left: float) -> list[tuple[str, float, float, str]]:
    """Return where each candidate of the key stands, line by line."""
    size, x, y = _key_size(plot.sheet), left, KEY_LINE / 2
    texts = shorten_names(plot.placed, 76.0 if plot.sheet.is_phone else 112.0, size)
    found = []
    for name in plot.placed:
        width = MARK_WIDTH + text_width(texts[name], size)
        if x + width > plot.sheet.width and x > left:
            x, y = left, y + KEY_LINE
        found.append((name, x, y, texts[name]))
        x += width + KEY_GAP
    return found


def _draw_grounds(plot: _Plot, page: PageArtist, top: float, bottom: float) -> None:
    """Draw the ground of each place, its name under it and the line that the bars stand on."""
    sheet = plot.sheet
    style: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2"), "va": "center"}
    for place in range(plot.n_places):
        start = plot.left + place * plot.place_width
        x0, x1 = (
            round(x / PX) * PX for x in (start + PARTED / 2, start + plot.place_width - PARTED / 2)
        )
        page.fill([x0, x1, x1, x0], [top, top, bottom, bottom], color=sheet.colour("band"), lw=0,
                  zorder=0)  # fmt: skip
        words = ordinal(place + 1) + (" place" if not place and not sheet.is_phone else "")
        page.text(start + plot.place_width / 2, bottom + 7.5, words, ha="center", **style)
    y = snap(bottom, DIVIDER)
    page.plot([plot.left, sheet.width], [y, y], color=sheet.colour("axis"), lw=DIVIDER, zorder=4)
    page.text(plot.left - 4.5, bottom - 5, "count", ha="right", **style)


def _draw_lines(plot: _Plot, axes: Axes) -> None:
    """Join the marks of a replication by a thin line; empty where it has no places."""
    from matplotlib.collections import LineCollection

    n = int(np.isfinite(plot.ranks).all(axis=1).sum())
    order = np.argsort(plot.ranks, axis=1)[:, : plot.n_places]
    x = np.column_stack([plot.slot(plot.ranks[:, k], k) for k in range(len(plot.names))])
    x[np.isnan(plot.values)] = np.nan
    values = plot.axis.drawn(plot.values)
    points = np.stack([np.take_along_axis(v, order, axis=1) for v in (x, values)], axis=2)
    lines = LineCollection(
        list(points), colors=plot.sheet.colour("ink"), lw=PX,
        alpha=round(float(np.clip(FAINT / n, FAINTEST, STRONGEST)), 3), zorder=1, clip_on=False,
        **plot.sheet.dense,
    )  # fmt: skip
    plot.sheet.link_replications(lines, of=len(plot.seen.values))
    axes.add_collection(lines, autolim=False)


def _draw_marks(plot: _Plot, axes: Axes) -> None:
    """Draw each candidate's marks, one a replication."""
    sheet = plot.sheet
    room = (plot.place_width - PARTED) / len(plot.names)
    size = float(np.clip(0.9 * room, 1.6, MARK))
    for k, name in enumerate(plot.names):
        values = plot.axis.drawn(plot.values[:, k])
        centres = np.column_stack((plot.slot(plot.ranks[:, k], k), values))
        centres[np.isnan(values)] = np.nan
        if np.isnan(values).all():
            continue
        look = sheet.styles[name]
        marks = axes.scatter(
            centres[:, 0], centres[:, 1], s=look.scaled(size) ** 2, marker=look.shape,
            c=sheet.colour(look.face), edgecolors=sheet.ink(name) if look.rim else "none",
            linewidths=look.rim * size / 6, alpha=OPACITY, zorder=2, clip_on=False,
            plotnonfinite=False, **sheet.dense,
        )  # fmt: skip
        sheet.link_replications(marks, name, of=len(plot.seen.values))


def _draw_bars(plot: _Plot, page: PageArtist, bottom: float) -> None:
    """Draw the counts, ties for each at the better place; the most frequent of a place is named."""
    sheet = plot.sheet
    highest = plot.counts.max()
    room = (plot.place_width - PARTED) / len(plot.names)
    width = max(round(0.78 * room / PX), 2) * PX
    most = plot.counts.argmax(axis=1)
    for k, name in enumerate(plot.names):
        with link_artists(sheet, (name,), page):
            for place in np.flatnonzero(plot.counts[:, k]).tolist():
                count = int(plot.counts[place, k])
                height = max(round(count / highest * (plot.bars_height - 13.5) / PX), 1) * PX
                middle = plot.left + float(plot.slot(place + 1, k))
                x0 = round((middle - width / 2) / PX) * PX
                top = bottom - height
                page.fill([x0, x0 + width, x0 + width, x0], [top, top, bottom, bottom],
                          color=sheet.ink(name), lw=0, zorder=3)  # fmt: skip
                if k == most[place]:
                    own = str(count)
                    _name_bar(plot, page, place, middle, top, f"{plain(name)} {own}", own)


def _name_bar(
    plot: _Plot, page: PageArtist, place: int, middle: float, top: float, text: str, count: str
) -> None:
    """Write name and count above a bar, or the count alone where there is no room."""
    if plot.sheet.is_phone or text_width(text, SMALL) > plot.place_width:
        text = count
    if not text:
        return
    half = text_width(text, SMALL) / 2
    start = plot.left + place * plot.place_width
    x = min(max(middle, start + half), start + plot.place_width - half)
    page.text(x, top - 5, text, ha="center", va="center", fontsize=SMALL, zorder=5)
