"""Figures and tables of the sensitivity: the pairs by level, where a decision changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import log
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.drawing import (
    MARK_WIDTH,
    SMALL,
    TICK,
    Canvas,
    Sheet,
    ValueAxis,
    alt_names,
    alt_text,
    axis_name,
    axis_of_intervals,
    measure_words,
    name_mark,
    plain,
    shorten_names,
    shorten_text,
    text_width,
)
from reportgen.drawing.plots.rows import DIVIDER, PX, STROKE, link_artists
from reportgen.notation import NumberFormat, number_format, significant
from reportgen.report import ORDER, PAIR, ColumnOf, Figure, Series, Table, entry
from reportgen.sections.sensitivity.analysis import (
    MOST_SHOWN,
    RESAMPLING,
    Factor,
    LevelMean,
    PairChange,
    Sensitivity,
    SensitivityResult,
    SettingRow,
    label_of,
)
from reportgen.stats.columns import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.catalogue.datasets.dataset import Level
    from reportgen.drawing.page import PageArtist

MOST_PANELS = 12
LARGEST = 460.0  # pt: height of the panels together, above which they are lower
HIGHEST, LOWEST = 96.0, 46.0  # pt: height of a panel
TOP, TITLE, HEAD, TICKS, FOOT = 15.0, 15.0, 12.0, 17.0, 9.0  # pt: axis, pair, levels; below
SECOND = 9.0  # pt: a second line of the levels' names
LEFT, APART = 34.0, 12.0  # pt: tick labels; between panels
ACROSS, PAIRS_ACROSS, PHONE_ACROSS = 4, 3, 2  # panels in a line: of one pair, of pairs, on a phone
OVER = "over"  # between the two of a pair, whose advantage is drawn

MOST_PAIRS = 60


@dataclass(frozen=True, slots=True)
class Panel:
    """Settings that differ in the factor of the axis only."""

    label: str  # the levels of all else; "" where there is nothing else
    rows: tuple[tuple[float, SettingRow], ...]


@dataclass(frozen=True, slots=True)
class Panels:
    """The panels of a figure, and what their axis shows."""

    factor: Factor
    panels: tuple[Panel, ...]
    n_left_out: int


def axis_factor(part: Sensitivity) -> Factor:
    """Return the factor of the axis: of those that are numbers the one with the most levels."""
    varied = [f for f in part.factors if len(f.levels) > 1] or list(part.factors)
    numeric = [f for f in varied if f.is_numeric]
    return max(numeric or varied, key=lambda f: (f.name != RESAMPLING, len(f.levels)))


def panels(part: Sensitivity) -> Panels:
    """Sort the settings into panels; a level without a test, which is no number, has no place."""
    factor = axis_factor(part)
    tested = {row.levels.get(factor.name) for row in part.tested}
    if tested and not factor.is_numeric:
        factor = Factor(factor.name, tuple(level for level in factor.levels if level in tested))
    parts: dict[str, list[tuple[float, SettingRow]]] = {}
    for row in part.settings:
        if row.levels.get(factor.name) in factor.levels:
            rest = {n: x for n, x in row.levels.items() if n != factor.name}
            own = parts.setdefault(label_of(rest), [])
            own.append((_position(factor, row.levels[factor.name]), row))
    made = [Panel(label, tuple(rows)) for label, rows in parts.items()]
    return Panels(factor, tuple(made[:MOST_PANELS]), max(0, len(made) - MOST_PANELS))


def _position(factor: Factor, level: Level) -> float:
    return float(level) if factor.is_numeric else float(factor.levels.index(level))


@dataclass(frozen=True, slots=True)
class Cell:
    """One panel of the figure."""

    pair: PairChange
    panel: Panel
    # line, column: Its place.
    line: int
    column: int


def lay_out(part: Sensitivity, found: Panels, *, is_phone: bool) -> tuple[Cell, ...]:
    """Place the panels: of one factor pair beside pair, else the pairs one below the other."""
    shown, n = pairs_shown(part, found), len(found.panels)
    if n == 1:
        narrow = PHONE_ACROSS if found.factor.is_numeric else 1  # names need more room
        across = min(len(shown), narrow if is_phone else PAIRS_ACROSS)
        return tuple(
            Cell(pair, found.panels[0], *divmod(i, across)) for i, pair in enumerate(shown)
        )
    lines = -(-n // (PHONE_ACROSS if is_phone else ACROSS))
    across = -(-n // lines)
    return tuple(
        Cell(pair, panel, lines * i + j // across, j % across)
        for i, pair in enumerate(shown)
        for j, panel in enumerate(found.panels)
    )


def pairs_shown(part: Sensitivity, found: Panels) -> tuple[PairChange, ...]:
    """Return as many pairs as there is room for."""
    lines = -(-len(found.panels) // ACROSS)
    return part.shown[: max(1, MOST_SHOWN // lines)]


def draw_estimates(part: Sensitivity, found: Panels, at: NumberFormat, sheet: Sheet) -> None:
    """Draw a panel a pair and combination of the other levels: its differences by level."""
    cells = lay_out(part, found, is_phone=sheet.is_phone)
    is_single = len(found.panels) == 1
    n_lines, across = cells[-1].line + 1, 1 + max(cell.column for cell in cells)
    pairs = list(dict.fromkeys((cell.pair.first, cell.pair.second) for cell in cells))
    titles = TITLE * (n_lines if is_single else len(pairs))
    heads = 0.0 if is_single else HEAD
    gap = LEFT + 4 if is_single else APART
    width = (sheet.width - LEFT - 6 - (across - 1) * gap) / across
    along = _level_axis(found.factor, width)
    ticks = TICKS + SECOND * any("\n" in label for label in along.labels)
    high = (LARGEST - titles) / n_lines - heads - ticks
    high = round(min(HIGHEST, max(LOWEST, high)) / PX) * PX
    tops = [TOP]  # of lines
    for line in range(n_lines):
        tops.append(tops[-1] + (TITLE if _begins(cells, line) else 0.0) + heads + high + ticks)
    sheet.begin(tops[-1] + FOOT)
    page = sheet.page()
    axes_of = {pair: _fit(part, cells, pair, at, high) for pair in pairs}
    room = width + LEFT if is_single else sheet.width
    for cell in cells:
        left, top = LEFT + cell.column * (width + gap), tops[cell.line]
        pair = (cell.pair.first, cell.pair.second)
        if _begins(cells, cell.line):
            if is_single or not cell.column:
                _write_pair(cell.pair, left - LEFT, top + 6, room, sheet, page)
            top += TITLE
        if heads:
            text = shorten_text(cell.panel.label, width, SMALL)
            page.text(left, top + 5, text, fontsize=SMALL, va="center_baseline",
                      color=sheet.colour("ink2"))  # fmt: skip
            top += heads
        axes = sheet.axes(left, sheet.height - top - high, sheet.width - left - width, top)
        axes_of[pair].apply(axes, "y")
        along.apply(axes, "x")
        has_labels = is_single or not cell.column
        axes.tick_params(left=has_labels, labelleft=has_labels, labelsize=SMALL, length=2)
        with link_artists(sheet, pair, axes):
            _draw_cell(part, cell, found.factor, axes_of[pair], at, sheet, axes)
    _write_axes(part, cells, found, next(iter(axes_of.values())), at, sheet, page)


def _begins(cells: tuple[Cell, ...], line: int) -> bool:
    """Whether a line has a pair that the one above has not."""
    above = {id(cell.pair) for cell in cells if cell.line == line - 1}
    return not above & {id(cell.pair) for cell in cells if cell.line == line}


def _write_pair(
    pair: PairChange, x: float, y: float, room: float, sheet: Sheet, page: PageArtist
) -> None:
    """Write a pair over its panels, in full where there is room."""
    between = text_width(OVER, TICK) + 11
    both = [pair.first, pair.second]
    room -= 2 * MARK_WIDTH + between
    names = shorten_names(both, room / 2, TICK)
    if sum(text_width(plain(name), TICK) for name in both) <= room:
        names = {name: plain(name) for name in both}
    for name in both:
        with link_artists(sheet, (name,), page):
            if name == pair.second:
                page.text(x, y, OVER, fontsize=TICK, va="center_baseline")
                x += between - 6
            name_mark(sheet, page, x, y, name, names[name])
            x += MARK_WIDTH + text_width(names[name], TICK) + 6


def _write_axes(
    part: Sensitivity,
    cells: tuple[Cell, ...],
    found: Panels,
    up: ValueAxis,
    at: NumberFormat,
    sheet: Sheet,
    page: PageArtist,
) -> None:
    """Write what the axes show, and on which side of equality the first of a pair is better."""
    style: dict[str, Any] = {"color": sheet.colour("ink2"), "fontsize": SMALL}
    style["va"] = "center_baseline"
    pair = cells[0].pair
    way = f"above {1 if pair.is_ratio else 0}: the first is better"
    room = sheet.width - text_width(way, SMALL) - 12
    words = "ratio of means" if pair.is_ratio else "advantage of the first"
    if not sheet.is_phone:
        words += f"{'' if pair.is_ratio else ' in mean'} {measure_words(part.measure)}"
    unit = "" if pair.is_ratio else at.difference_unit
    page.text(0, 5, shorten_text(axis_name(words, up, unit), room, SMALL), **style)
    page.text(sheet.width, 5, way, ha="right", **style)
    factor = "way to draw samples" if found.factor.name == RESAMPLING else plain(found.factor.name)
    page.text(LEFT, sheet.height - 5, shorten_text(factor, sheet.width - LEFT, SMALL), **style)


def _scaled(part: Sensitivity, pair: PairChange, at: NumberFormat, *values: float) -> list[float]:
    """Return advantages in the unit in which they are drawn; ratios have none."""
    factor = 1.0 if pair.is_ratio else at.factor
    return [factor * x for x in part.advantages(pair, *values)]


def _triples(
    part: Sensitivity, cell: Cell, at: NumberFormat
) -> Iterator[tuple[float, SettingRow, list[float]]]:
    """Yield place, setting, and lower bound, estimate and upper bound."""
    for x, row in cell.panel.rows:
        if row.dataset in cell.pair.estimates:
            estimate = cell.pair.estimates[row.dataset]
            lower, upper = cell.pair.intervals.get(row.dataset, (np.nan, np.nan))
            yield x, row, _scaled(part, cell.pair, at, lower, estimate, upper)


def _fit(
    part: Sensitivity,
    cells: tuple[Cell, ...],
    names: tuple[str, str],
    at: NumberFormat,
    high: float,
) -> ValueAxis:
    """Fit one axis to all panels of a pair."""
    own = [cell for cell in cells if (cell.pair.first, cell.pair.second) == names]
    pair = own[0].pair
    found = [three for cell in own for _, _, three in _triples(part, cell, at)]
    rows = np.array(found).reshape(-1, 3)
    marks = [1.0 if pair.is_ratio else 0.0]
    if part.area is not None:
        marks += _scaled(part, pair, at, *part.area)
    shown = np.ones(len(rows), dtype=bool)
    return axis_of_intervals(rows, marks, high, 24, is_shown=shown, is_ratio=pair.is_ratio)


def _level_axis(factor: Factor, width: float) -> ValueAxis:
    """Return an axis with a tick at each level that has room for its name."""
    at = [_position(factor, level) for level in factor.levels]
    low, high = min(at), max(at)
    is_log = factor.is_numeric and low > 0 and high / low >= 20
    if is_log:
        lower, upper = low / (high / low) ** 0.1, high * (high / low) ** 0.1
    else:
        margin = 0.12 * (high - low or 1.0) if factor.is_numeric else 0.5
        lower, upper = low - margin, high + margin
    ticks: list[float] = []
    labels: list[str] = []
    edge = -1e9
    room = width / len(at) - 3
    for x, level in zip(at, factor.levels, strict=True):
        own = significant(float(level)) if not isinstance(level, str) else level
        text = own if factor.is_numeric else _in_lines(own, room)
        place = _share(x, lower, upper, is_log=is_log) * width
        half = max(text_width(line, SMALL) for line in text.split("\n")) / 2
        if place - half > edge + 3:
            ticks.append(x)
            labels.append(text)
            edge = place + half
    return ValueAxis(lower, upper, tuple(ticks), tuple(labels), is_log)


def _in_lines(name: str, room: float) -> str:
    """Return a name that is too wide in two lines, each as it fits."""
    words = plain(name).split()
    if text_width(" ".join(words), SMALL) <= room or len(words) < 2:
        return shorten_text(name, room, SMALL)
    parts = [(" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words))]
    best = min(parts, key=lambda lines: max(text_width(line, SMALL) for line in lines))
    return "\n".join(shorten_text(line, room, SMALL) for line in best)


def _share(x: float, lower: float, upper: float, *, is_log: bool) -> float:
    if is_log:
        return log(x / lower) / log(upper / lower)
    return (x - lower) / (upper - lower)


def _draw_cell(
    part: Sensitivity,
    cell: Cell,
    factor: Factor,
    up: ValueAxis,
    at: NumberFormat,
    sheet: Sheet,
    axes: Axes,
) -> None:
    """Draw band, line of equality, and a mark a level: filled where it is decided."""
    ink, paper = sheet.colour("ink"), sheet.colour("paper")
    if part.area is not None:
        lower, upper = up.drawn(sorted(_scaled(part, cell.pair, at, *part.area))).tolist()
        axes.axhspan(lower, upper, fc=sheet.colour("band"), ec="none", zorder=0)
    equal = float(up.drawn([1.0 if cell.pair.is_ratio else 0.0])[0])
    axes.axhline(equal, color=sheet.colour("ink2"), lw=DIVIDER, zorder=1)
    axes.spines["bottom"].set_color(sheet.colour("axis"))
    for x, row, three in _triples(part, cell, at):
        lower, middle, upper = up.drawn(three).tolist()
        if np.isfinite([lower, upper]).all():
            axes.plot([x, x], [lower, upper], color=ink, lw=STROKE, solid_capstyle="butt", zorder=2)
        is_decided = cell.pair.verdicts[row.dataset] != "undecided"
        axes.plot([x], [middle], marker="o", ms=5.4, mec=ink, mew=1.5 * PX, ls="none",
                  mfc=ink if is_decided else paper, clip_on=False, zorder=3)  # fmt: skip


def draw(result: SensitivityResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw, for the main measure and every data set that is varied, estimates by level."""
    light = replace(canvas, density="full", dark=False, once=False)
    main = next(iter(result.values()), {})
    return tuple(_estimates(part, i, light) for i, part in enumerate(main.values()) if part.shown)


def number_format_of(part: Sensitivity) -> NumberFormat:
    """Return how the values of all settings are written."""
    return number_format(part.measure, part.all_means)


def number_name(name: str, i: int) -> str:
    """Return the name of what is drawn or laid out for the i-th data set."""
    return name if i == 0 else f"{name}-{i + 1}"


def _estimates(part: Sensitivity, i: int, canvas: Canvas) -> Figure:
    at, found = number_format_of(part), panels(part)
    shown = pairs_shown(part, found)
    columns = ("setting", *(f.name for f in part.factors), "first", "second", "advantage", "lower",
               "upper", "decision")  # fmt: skip
    rows = tuple(
        (
            row.label,
            *(row.levels.get(f.name) for f in part.factors),
            pair.first,
            pair.second,
            *_estimate(part, pair, row.dataset),
            pair.verdicts[row.dataset],
        )
        for pair in shown
        for row in part.settings
        if row.dataset in pair.verdicts
    )
    names = alt_names(part.candidates)
    full = [
        f"{names[p.first]} against {names[p.second]}: "
        + ", ".join(
            f"{plain(row.label)} {_written(part, p, row.dataset, at)} {p.verdicts[row.dataset]}"
            for row in part.settings
            if row.dataset in p.verdicts
        )
        for p in shown
    ]
    brief = [
        f"{names[p.first]} against {names[p.second]}: better in {len(p.where('better'))}, worse in "
        f"{len(p.where('worse'))}, not significant in {len(p.where('undecided'))} settings"
        for p in shown
    ]
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    words = measure_words(part.measure)
    head = f"Advantage of the first in mean {words}{unit}, pairs of {plain(part.base)} by setting. "
    return canvas.figure(
        number_name("estimates", i),
        part.measure.name,
        partial(draw_estimates, part, found, at),
        alt=alt_text(head + "; ".join(full) + ".", head + "; ".join(brief) + "."),
        data=Series(columns, rows),
    )


def _estimate(part: Sensitivity, pair: PairChange, dataset: str) -> tuple[float | None, ...]:
    """Return the advantage of the first in a setting, and its bounds where there are any."""
    if dataset not in pair.estimates:
        return None, None, None
    (estimate,) = part.advantages(pair, pair.estimates[dataset])
    bounds = pair.intervals.get(dataset)
    return (estimate, *(part.advantages(pair, *bounds) if bounds else (None, None)))


def _written(part: Sensitivity, pair: PairChange, dataset: str, at: NumberFormat) -> str:
    if dataset not in pair.estimates:
        return ""
    estimate, lower, upper = _estimate(part, pair, dataset)
    if estimate is None:
        return ""
    return significant(estimate) if pair.is_ratio else at.difference(estimate, (lower, upper))


def tabulate(result: SensitivityResult) -> tuple[Table, ...]:
    """Lay out the tables of every measure and data set."""
    return tuple(
        table
        for parts in result.values()
        for i, part in enumerate(parts.values())
        for table in _tables(part, i)
    )


def _tables(part: Sensitivity, i: int) -> Iterator[Table]:
    yield _settings(part, i)
    yield _means(part, i)
    yield _levels(part, i)
    if len(part.tested) > 1 and any(pair.change != "never" for pair in part.pairs):
        yield _pairs(part, i)
    if part.schemes:
        yield _schemes(part, i)


def _settings(part: Sensitivity, i: int) -> Table:
    """One row a setting: sizes, pairs decided, and its order where that can be compared."""
    compared = {row.label for row in part.related}
    sizes = (("n_learn", "Learnt from"), ("n_test", "Tested on"))
    known = [s for s in sizes if any(getattr(r, s[0]) is not None for r in part.settings)]
    columns: list[ColumnOf[SettingRow]] = [
        (Column("setting", "Setting", "text"), lambda row: row.label),
        (Column("replications", "Replications", "count"), lambda row: row.n_replications),
        *((Column(name, words, "number"), attrgetter(name)) for name, words in known),
    ]
    if part.tested:
        columns += [
            Column("n_pairs", "Pairs", "count"),
            Column("n_distinguished", "Significant", "count"),
            Column("half_width", "Half width", "difference"),
        ]
    columns.append((ORDER, lambda r: r.order if r.label in compared else None))
    return Table.of(
        part.settings,
        columns,
        name=number_name("settings", i),
        measure=part.measure.name,
        number_format=_format_of_widths(part),
        is_wide=True,
    )


def _format_of_widths(part: Sensitivity) -> NumberFormat:
    """Return how means and half widths are written on one scale."""
    widths = (row.half_width for row in part.settings if row.half_width)
    return number_format(part.measure, (*part.all_means, *widths))


def _means(part: Sensitivity, i: int) -> Table:
    """One row a setting: the mean of every candidate."""
    columns: list[ColumnOf[SettingRow]] = [
        (Column("setting", "Setting", "text"), lambda row: row.label),
        *(
            (Column(f"mean_{name}", name, "value"), entry("means", name))
            for name in part.candidates
        ),
    ]
    name, measure = number_name("means", i), part.measure.name
    return Table.of(
        part.settings, columns, name=name, measure=measure, number_format=number_format_of(part)
    )


def _levels(part: Sensitivity, i: int) -> Table:
    """One row a level of a factor: what is decided, and means, averaged over all else."""
    names = part.by_level
    rows = [level for factor in part.factors for level in part.of_factor(factor.name)]
    columns: list[ColumnOf[LevelMean]] = [(Column("level", "Level", "text"), attrgetter("label"))]
    if any(row.n_settings > 1 for row in rows):
        columns.append(Column("n_settings", "Settings", "count"))
    if part.tested:
        columns += [
            (Column("share", "Significant, %", "number"), lambda x: x.share and 100 * x.share),
            Column("half_width", "Half width", "difference"),
        ]
    columns += [(Column(f"mean_{name}", name, "value"), entry("means", name)) for name in names]
    return Table.of(
        rows,
        columns,
        name=number_name("levels", i),
        measure=part.measure.name,
        number_format=_format_of_widths(part),
        is_wide=len(names) > 3,
    )


def _pairs(part: Sensitivity, i: int) -> Table:
    """One row a pair: in how many settings it comes out how, those that turn first."""
    columns: list[ColumnOf[PairChange]] = [
        PAIR,
        (Column("better", "First better in", "count"), lambda p: len(p.where("better"))),
        (Column("undecided", "Not significant in", "count"), lambda p: len(p.where("undecided"))),
        (Column("worse", "Second better in", "count"), lambda p: len(p.where("worse"))),
        (
            Column("least", "Least advantage", "difference"),
            lambda p: min(part.advantages(p, *p.estimates.values())),
        ),
        (
            Column("greatest", "Greatest advantage", "difference"),
            lambda p: max(part.advantages(p, *p.estimates.values())),
        ),
    ]
    place = ("reversed", "partly", "always", "never")
    return Table.of(
        sorted(part.pairs, key=lambda pair: place.index(pair.change))[:MOST_PAIRS],
        columns,
        name=number_name("pairs", i),
        measure=part.measure.name,
        number_format=number_format_of(part),
        quiet=lambda pair: pair.change in ("always", "never"),
    )


def _schemes(part: Sensitivity, i: int) -> Table:
    """One row a way to draw samples; the first is the one the others are compared with."""
    columns = (
        Column("scheme", "Samples", "text"),
        Column("share", "Distinct, % of all", "number"),
        Column("difference", "Mean against the first", "difference"),
        Column("sd_ratio", "Spread, ratio", "number"),
        Column("width_ratio", "Width, ratio", "number"),
        Column("n_changed", "Pairs otherwise", "count"),
        Column("n_compared", "Pairs compared", "count"),
    )
    effects = {effect.scheme: effect for effect in part.schemes}
    rows = []
    for level in part.of_factor(RESAMPLING):
        scheme = str(level.level)
        known = [r.share_learned for r in part.settings if r.levels.get(RESAMPLING) == level.level]
        shares = [100 * share for share in known if share is not None]
        share = sum(shares) / len(shares) if shares else None
        e = effects.get(scheme)
        found = (e.difference, e.sd_ratio, e.width_ratio) if e else (None, None, None)
        compared = (e.n_changed, e.n_compared) if e and e.n_compared else (None, None)
        rows.append((scheme, share, *found, *compared))
    name = number_name("schemes", i)
    return Table(name, part.measure.name, columns, tuple(rows), number_format_of(part))
