"""The main measure against another one: means, intervals, the frontier, and their table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reportgen.drawing import (
    HAIR,
    LABEL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    axis_name,
    axis_of_intervals,
    make_key,
    short_measure_words,
    shorten_names,
    shorten_text,
    text_width,
    with_unit,
)
from reportgen.drawing.label_placement import Label, Line, Point, place_labels
from reportgen.drawing.sheet import draw_lines
from reportgen.notation import RATIOS, NumberFormat, level_words, number_format
from reportgen.performance_measure import ELO
from reportgen.report import CANDIDATE, ColumnOf, Figure, Series, Table
from reportgen.sections.frontier.analysis import Frontier, FrontierResult, Place
from reportgen.stats.columns import Column

if TYPE_CHECKING:
    from reportgen.drawing import ValueAxis
    from reportgen.drawing.page import PageArtist
    from reportgen.performance_measure import Measure
    from reportgen.sections.frontier.analysis import Location

ABOVE, BELOW, RIGHT = 18.0, 34.0, 4.0  # pt around the axes
PLOT, PHONE_PLOT, PAIR_PLOT = 162.0, 180.0, 90.0  # pt: height of the axes with few candidates
FEW, PER_CANDIDATE = 8, 7.0  # candidates up to which they are so high; pt for each further one
HIGHEST = 330.0
MARK, NAME_HEIGHT = 7.5, 11.0
NEAR_FOOT = 10.0  # pt: where the rule of 0 is so near, it is the axis, as no value lies below
THICK = 2.25  # pt: an interval of a mean
INTERVAL_WEIGHT, MIDDLE_WEIGHT = 8.0, 4.0  # of lines that names should not cover
FADED = 0.75  # of the lines of single values
DASHES = (0, (5, 3))
NAMES = 110.0  # pt: longest name
LOG_FROM = (
    20.0  # largest over smallest value, from which an axis without an upper bound is logarithmic
)
NEAR_ZERO = 0.5  # of the largest value: below, an axis with a bound at 0 begins there


def draw(result: FrontierResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the main measure against the other one that is shown; the rest are in tables."""
    if result.chosen is None:
        return ()
    return (_figure(result.chosen, replace(canvas, phone=True, once=False)),)


def number_formats(found: Frontier) -> tuple[NumberFormat, NumberFormat]:
    """Return how the main measure and the other one are written."""
    main, other = [p.main for p in found.places], [p.other for p in found.places]
    return _format_of(found.main_measure, main), _format_of(found.measure, other)


def _format_of(measure: Measure, places: Sequence[Location]) -> NumberFormat:
    """Return how means are written, so that each interval shows its width."""
    intervals = (p.interval for p in places if p.interval is not None)
    return number_format(measure, [p.mean for p in places], intervals=intervals)


def short_words(found: Frontier, *, is_main: bool) -> str:
    """Return one of the two measures in few words."""
    return short_measure_words(found.main_measure if is_main else found.measure, found.measures)


def mean_words(found: Frontier, *, is_main: bool) -> str:
    """Return what is averaged, as words: geometric means where they are such."""
    if (found.main_measure if is_main else found.measure).name == ELO.name:  # Elo is the unit
        return "score"
    is_ratio = (found.main_scale if is_main else found.scale) == "ratio"
    kind = "geometric mean" if is_ratio else "mean"
    return f"{kind} {short_words(found, is_main=is_main)}"


def _figure(found: Frontier, canvas: Canvas) -> Figure:
    names = alt_names([p.candidate for p in found.places])
    at_main, at = number_formats(found)
    head = f"{mean_words(found, is_main=True)} against {mean_words(found, is_main=False)}: "
    means = [
        f"{names[p.candidate]} {with_unit(at_main, p.main.mean)}, {with_unit(at, p.other.mean)}"
        for p in found.places
    ]
    on = ", ".join(names[n] for n in found.frontier)
    end = f". The efficient frontier: {on}."
    brief = f"{head}{len(means)} candidates; {len(found.frontier)} are on the efficient frontier."
    return canvas.figure(
        "frontier",
        found.measure.name,
        partial(draw_plane, found),
        alt=alt_text(head[0].upper() + head[1:] + "; ".join(means) + end, brief),
        data=_data(found),
    )


def _data(found: Frontier) -> Series:
    parts = ("mean", "lower", "upper", "middle_lower", "middle_upper")
    columns = ("candidate", *(f"{by}_{part}" for by in ("main", "other") for part in parts))
    rows = tuple(
        (p.candidate, *_numbers(p.main), *_numbers(p.other), int(not p.surpassed_by))
        for p in found.places
    )
    return Series((*columns, "is_on_frontier"), rows)


def _numbers(found: Location) -> tuple[float | None, ...]:
    return (found.mean, *(found.interval or (None, None)), *found.middle)


class _Plane:
    """Two axes, and where values stand between them, in points of the page."""

    def __init__(self, found: Frontier, sheet: Sheet) -> None:
        self.found = found
        self.at_main, self.at = number_formats(found)
        self.height = _height(len(found.places), is_phone=sheet.is_phone)
        self.up = self._axis(is_main=True, length=self.height, gap=30.0)
        self.left = 6 + max(text_width(label, TICK) for label in self.up.labels)
        self.width = sheet.width - self.left - RIGHT
        self.along = self._axis(is_main=False, length=self.width, gap=48.0)

    def _axis(self, *, is_main: bool, length: float, gap: float) -> ValueAxis:
        """Fit an axis to the intervals of all means, and to the values in the middle."""
        found, at = self.found, self.at_main if is_main else self.at
        measure = found.main_measure if is_main else found.measure
        is_ratio = (found.main_scale if is_main else found.scale) == "ratio"
        rows = np.array(
            [
                row
                for p in found.places
                for row in _rows(p.main if is_main else p.other, has_middle=found.has_middle)
            ],
            dtype=float,
        )
        rows *= at.factor
        if is_ratio:
            rows[~(rows > 0)] = np.nan
        known = rows[np.isfinite(rows)]
        is_wide = (
            measure.bounds[1] is None
            and len(known) > 0
            and known.min() > 0
            and known.max() > LOG_FROM * known.min()
        )
        is_from_zero = (
            not is_ratio
            and not is_wide
            and measure.bounds[0] == 0
            and len(known) > 0
            and known.min() < NEAR_ZERO * known.max()
        )
        return axis_of_intervals(
            rows,
            (0.0,) if is_from_zero else (),
            length,
            gap,
            is_shown=np.ones(len(rows), dtype=np.bool_),
            is_ratio=is_ratio,
            log_from=LOG_FROM if is_wide else inf,
        )

    def x(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Return where values of the other measure stand on the page."""
        return self.left + self.width * _share(self.along, self.at.factor * np.array(values))

    def y(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Return where values of the main measure stand on the page."""
        return ABOVE + self.height * (1 - _share(self.up, self.at_main.factor * np.array(values)))

    def mark(self, place: Place) -> Point:
        """Return where a candidate's means are."""
        return float(self.x([place.other.mean])[0]), float(self.y([place.main.mean])[0])

    def line(self) -> list[Point]:
        """Return the corners of the frontier, from its best to its worst end by the other."""
        found = self.found
        marks = [self.mark(found.place(name)) for name in found.frontier]
        is_low = found.main_measure.is_smaller_better
        top, bottom = ABOVE, ABOVE + self.height
        end = self.left + self.width if found.measure.is_smaller_better else self.left
        corners = [(marks[0][0], top if is_low else bottom), marks[0]]
        for x, y in marks[1:]:
            corners += [(x, corners[-1][1]), (x, y)]
        return [*corners, (end, corners[-1][1])]


def _height(n: int, *, is_phone: bool) -> float:
    least = PHONE_PLOT if is_phone else PAIR_PLOT if n < 3 else PLOT
    return min(HIGHEST, least + PER_CANDIDATE * max(0, n - FEW) * (1.6 if is_phone else 1.0))


def _rows(found: Location, *, has_middle: bool) -> Iterator[tuple[float, float, float]]:
    """Yield the mean between the ends of its interval, and of the values in the middle."""
    low, high = found.interval or (found.mean, found.mean)
    yield low, found.mean, high
    if has_middle:
        yield found.middle[0], found.mean, found.middle[1]


def _share(axis: ValueAxis, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far along an axis values stand, those beyond it at its ends."""
    drawn, lower, upper = axis.drawn(values), axis.lower, axis.upper
    if axis.is_log:
        drawn, lower, upper = np.log(drawn), np.log(lower), np.log(upper)
    return np.asarray((drawn - lower) / (upper - lower))


def draw_plane(found: Frontier, sheet: Sheet) -> None:
    """Draw candidates in the plane of two measures."""
    plane = _Plane(found, sheet)
    names = shorten_names(
        [p.candidate for p in found.places], NAMES * (0.7 if sheet.is_phone else 1), LABEL
    )
    labels = _labels(plane, names, sheet)
    rest = [p.candidate for p in found.places if p.candidate not in labels]
    key = make_key(sheet, rest, sheet.width) if rest else None
    sheet.begin(ABOVE + plane.height + BELOW + (key.height + 6 if key else 0.0))
    page = sheet.page()
    _draw_axes(plane, sheet, page)
    if found.has_line:
        draw_lines(page, [plane.line()], sheet.colour("ink2"), THIN, linestyle=DASHES, zorder=2)
    for p in found.places:
        _draw_place(plane, p, sheet, page)
    for name, label in labels.items():
        is_on = found.has_line and name in found.frontier
        if label.leader is not None:
            draw_lines(page, [label.leader], sheet.colour("axis"), HAIR, zorder=3)
        text = page.text(
            label.x,
            label.y,
            names[name],
            va="center_baseline",
            fontsize=sheet.label,
            fontweight=600 if is_on else 400,
            zorder=7,
        )
        sheet.link(text, name)
    if key:
        key.draw(sheet, page, 0, sheet.height - key.height)


def _labels(plane: _Plane, names: dict[str, str], sheet: Sheet) -> dict[str, Label]:
    """Place the names: those of the frontier first, then where most marks are near."""
    found = plane.found
    marks = {p.candidate: plane.mark(p) for p in found.places}
    at = np.array(list(marks.values()))
    near = (np.hypot(*(at[:, None] - at).transpose(2, 0, 1)) < 40).sum(axis=1)
    crowd = dict(zip(marks, near.tolist(), strict=True))
    order = sorted(marks, key=lambda n: (n not in found.frontier, -crowd[n]))
    lines = [line for p in found.places for line in _lines_of(plane, p)]
    if found.has_line:
        lines.append(Line(plane.line(), 0.6))
    return place_labels(
        {name: marks[name] for name in order},
        {name: _name_width(name, names[name], found, sheet) for name in order},
        (plane.left + 1, 1.0, sheet.width, ABOVE + plane.height - 1),
        height=NAME_HEIGHT,
        radius=MARK / 2 + 1,
        lines=lines,
        taken=[(0.0, 0.0, min(sheet.width, plane.left + text_width(_up_words(plane), TICK)), 12.0)],
    )


def _name_width(name: str, text: str, found: Frontier, sheet: Sheet) -> float:
    return text_width(text, sheet.label, is_bold=found.has_line and name in found.frontier)


def _lines_of(plane: _Plane, place: Place) -> Iterator[Line]:
    """Yield what is drawn of a candidate: intervals weigh more."""
    x, y = plane.mark(place)
    parts = [(place.other.interval, place.main.interval, INTERVAL_WEIGHT)]
    if plane.found.has_middle:
        parts.append((place.other.middle, place.main.middle, MIDDLE_WEIGHT))
    for across, up, weight in parts:
        if across is not None:
            low, high = plane.x(across).tolist()
            yield Line([(low, y), (high, y)], weight)
        if up is not None:
            low, high = plane.y(up).tolist()
            yield Line([(x, low), (x, high)], weight)


def _draw_place(plane: _Plane, place: Place, sheet: Sheet, page: PageArtist) -> None:
    """Draw a candidate: thin the values in the middle, thick the intervals, on them the mark."""
    ink = sheet.ink(place.candidate)
    for line in _lines_of(plane, place):
        is_thick = line.weight == INTERVAL_WEIGHT
        style: dict[str, Any] = {"lw": THICK, "zorder": 5} if is_thick else {
            "lw": THIN, "alpha": FADED, "zorder": 4}  # fmt: skip
        (artist,) = page.plot(*zip(*line.points, strict=True), color=ink, **style)
        sheet.link(artist, place.candidate)
    x, y = plane.mark(place)
    halo = sheet.mark(place.candidate, MARK + 1.5) | {
        "markerfacecolor": sheet.colour("halo"),
        "markeredgecolor": sheet.colour("halo"),
    }
    page.plot([x], [y], **halo, zorder=6)
    (mark,) = page.plot([x], [y], **sheet.mark(place.candidate, MARK), zorder=6)
    sheet.link(mark, place.candidate)


def _draw_axes(plane: _Plane, sheet: Sheet, page: PageArtist) -> None:
    """Draw rules and ticks, and name both axes."""
    left, right, foot = plane.left, plane.left + plane.width, ABOVE + plane.height
    ups = ABOVE + plane.height * (1 - _share(plane.up, np.array(plane.up.ticks) / plane.up.factor))
    xs = left + plane.width * _share(plane.along, np.array(plane.along.ticks) / plane.along.factor)
    quiet: dict[str, Any] = {
        "va": "center_baseline",
        "fontsize": TICK,
        "color": sheet.colour("ink2"),
    }
    base = ups.max() if 0 in plane.up.ticks and foot - ups.max() < NEAR_FOOT else foot
    rules = [[(left, y), (right, y)] for y in ups.tolist() if y != base]
    draw_lines(page, rules, sheet.colour("rule"), THIN, zorder=0)
    draw_lines(page, [[(left, base), (right, base)]], sheet.colour("axis"), THIN, zorder=1)
    ticks = [[(x, base), (x, base + 3)] for x in xs.tolist()]
    draw_lines(page, ticks, sheet.colour("axis"), THIN, zorder=1)
    for y, text in zip(ups.tolist(), plane.up.labels, strict=True):
        page.text(left - 5, y, text, ha="right", **quiet)
    for x, text in zip(xs.tolist(), plane.along.labels, strict=True):
        half = text_width(text, TICK) / 2
        page.text(min(x, sheet.width - half), foot + 11, text, ha="center", **quiet)
    page.text(0, 6, shorten_text(_up_words(plane), sheet.width, TICK), **quiet)
    words = shorten_text(_along_words(plane), sheet.width, TICK)
    page.text(sheet.width, foot + 27, words, ha="right", **quiet)


def _up_words(plane: _Plane) -> str:
    words = axis_name(mean_words(plane.found, is_main=True), plane.up, plane.at_main.unit_symbol)
    return words if plane.found.main_measure.is_smaller_better else f"{words}, ↑ better"


def _along_words(plane: _Plane) -> str:
    words = axis_name(mean_words(plane.found, is_main=False), plane.along, plane.at.unit_symbol)
    return words if plane.found.measure.is_smaller_better else f"{words}, → better"


def tabulate(result: FrontierResult) -> tuple[Table, ...]:
    """Lay out a table a measure, one row a candidate, the best by that measure first."""
    return tuple(_table(found) for found in result.against.values())


def _table(found: Frontier) -> Table:
    at_main, at = number_formats(found)
    is_domain = found.is_domain
    other, main = (short_words(found, is_main=is_main) for is_main in (False, True))
    columns: list[ColumnOf[Place]] = [
        CANDIDATE,
        (_column("mean", mean_words(found, is_main=False), at), lambda p: p.other.mean),
        (
            Column("interval", f"{level_words(found.alpha)} interval", "interval"),
            lambda p: p.other.interval,
        ),
    ]
    if found.scale == "ratio":
        best = "fastest" if found.is_time else "best"
        columns.append(
            (
                Column("ratio", f"Times the {best}", "difference", number_format=RATIOS),
                lambda p: p.times_best,
            )
        )
    columns += [
        (
            _column("worst", "slowest" if found.is_time else f"worst {other}", at),
            lambda p: p.other.worst,
        ),
        (_column("main", mean_words(found, is_main=True), at_main), lambda p: p.main.mean),
        (_column("main_worst", f"worst {main}", at_main), lambda p: p.main.worst),
    ]
    if is_domain:
        columns.append((Column("main_worst_on", "On", "dataset"), lambda p: p.main.worst_on))
    return Table.of(
        found.places,
        columns,
        name="frontier",
        measure=found.measure.name,
        number_format=at,
        is_wide=True,
    )


def _column(name: str, words: str, at: NumberFormat) -> Column:
    """Return a column of values, with the unit in its head."""
    unit = f", {at.unit_symbol}" if at.unit_symbol else ""
    label = words[:1].upper() + words[1:] + unit
    return Column(name, label, "value", number_format=at)
