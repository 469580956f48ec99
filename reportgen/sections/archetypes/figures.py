"""Figures and tables of the archetypes: percentile profiles, and the rows between them.

Rows are drawn on a line, in a triangle or within a polygon, by the number of archetypes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import dataclass
from reportgen.drawing import (
    DATA,
    HAIR,
    LABEL,
    SMALL,
    THIN,
    TICK,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    fit_axis,
    make_key,
    text_width,
)
from reportgen.drawing.plots.heat_map import draw_heat_map
from reportgen.drawing.sheet import draw_lines
from reportgen.notation import NumberFormat
from reportgen.report import CANDIDATE, DATASET, ColumnOf, Figure, Series, Table
from reportgen.sections.archetypes.analysis import (
    HIGH,
    LOW,
    MOST_IN_A_ROW,
    ArchetypesResult,
    Profile,
)
from reportgen.stats.arrays import Array
from reportgen.stats.columns import Column, Kind

if TYPE_CHECKING:
    from reportgen.drawing.page import PageArtist
    from reportgen.sections.archetypes.analysis import Group

MOST_LINES = 60  # columns on a page
MOST_OF_DATASETS = 30  # the same of data sets, in supplements: half a page, so that text fills it
LEGEND = ("in the lower third", "in the middle", "in the upper third")

MOST_COLUMNS = 60  # rows of the table of profiles
MOST_GROUPS = 60
MOST_OUTLIERS = 20
MOST_WITH_PERCENTILES = 3  # archetypes up to which percentiles are in the table of values
MOST_SHARES = 10  # archetypes that a page of shares has room for
MOST_NAMED = 8  # columns of shares above which the head of one is a number alone

Item = TypeVar("Item")

LEFT, RIGHT, BELOW = 34.0, 10.0, 30.0
FIRST = 0.7  # where the axis of numbers begins
SCREE = 110.0  # pt: height
HEAD = 13.0  # pt: words above
NEAR_TOP = 88.0  # per cent left from which a label would reach the name of the axis
LINE = 11.0  # pt: from one label to the next


@dataclass(frozen=True, slots=True)
class Page:
    """Some of the columns."""

    # first, last: Their places, the last one excluded.
    first: int
    last: int


def pages(n_columns: int, most: int = MOST_LINES) -> list[Page]:
    """Cut the columns into pages of nearly equal length."""
    n = -(-n_columns // most)
    ends = [round(i * n_columns / n) for i in range(n + 1)]
    return [Page(a, b) for a, b in pairwise(ends)]


def draw_profiles(result: ArchetypesResult, page: Page, sheet: Sheet) -> None:
    """Draw a row a column of the data, and the archetypes' values, shaded by their percentiles."""
    columns = range(page.first, page.last)
    percentiles = np.array([[own[c] for own in result.percentiles] for c in columns])
    draw_heat_map(
        sheet,
        (percentiles >= LOW).astype(int) + (percentiles > HIGH),
        np.array([result.written(c) for c in columns]),
        result.columns[page.first : page.last],
        ("archetype", [str(j + 1) for j in range(result.k)]),
        LEGEND,
    )


MARGIN = 16.0  # pt around the corners, for their numbers
LARGEST = 270.0  # pt: side of the drawing
LEVELS = (0.25, 0.5, 0.75)  # of a share, in the triangle


def corners(k: int) -> Array:
    """Return the places of k corners: two on a line, three and more on a circle, the first above.

    Examples
    --------
    >>> corners(2).tolist()
    [[-1.0, 0.0], [1.0, 0.0]]
    """
    if k == 1:
        return np.zeros((1, 2))
    if k == 2:
        return np.array([[-1.0, 0.0], [1.0, 0.0]])
    angles = np.pi / 2 - 2 * np.pi * np.arange(k) / k
    return np.column_stack([np.cos(angles), np.sin(angles)])


def draw_corners(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw a mark a row, as near to every corner as it is made of that archetype."""
    at = corners(result.k)
    spread = np.ptp(at, axis=0)
    unit = min(sheet.width - 2 * MARGIN, LARGEST) / 2
    height = unit * spread[1] + 2 * MARGIN if result.k > 2 else 60.0
    names = [g.name for g in result.groups] if result.is_of_candidates else []
    key = make_key(sheet, names, sheet.width) if names else None
    top = key.height + 2 if key else 0.0
    sheet.begin(top + height)
    page = sheet.page()
    if key:
        key.draw(sheet, page, 0, 0)
    middle = top + MARGIN + unit * at[:, 1].max() if result.k > 2 else top + height / 2
    place = np.array([sheet.width / 2, middle]) + unit * at * [1, -1]
    _frame(result, place, sheet, page)
    _rows(result, result.alpha @ place, sheet, page)
    _number(at, place, sheet, page)


def _frame(result: ArchetypesResult, place: Array, sheet: Sheet, page: PageArtist) -> None:
    k = len(place)
    if k == 3:
        levels = [_level(place, j, share) for j in range(3) for share in LEVELS]
        draw_lines(page, levels, sheet.colour("rule"), HAIR, zorder=0)
    near = [(i, j) for i in range(k) for j in range(i)]
    lines = [[_point(place[i]), _point(place[j])] for i, j in near]
    draw_lines(page, lines, sheet.colour("rule" if k > 3 else "axis"), HAIR, zorder=0)


def _level(place: Array, j: int, share: float) -> list[tuple[float, float]]:
    others = [place[i] for i in range(3) if i != j]
    return [_point(share * place[j] + (1 - share) * other) for other in others]


def _point(place: Array) -> tuple[float, float]:
    return float(place[0]), float(place[1])


def _rows(result: ArchetypesResult, places: Array, sheet: Sheet, page: PageArtist) -> None:
    size = float(np.clip(60 / np.sqrt(max(len(places), 1)), 2.2, 6.0))
    for group, own in _parts(result):
        xy = places[own]
        if group is None:
            is_out = result.is_outside[own]
            style: dict[str, Any] = {"marker": "o", "markersize": size, "linestyle": "none"}
            colour = sheet.colour("ink2")
            ink: dict[str, Any] = {"color": colour, "alpha": 0.5, "markeredgewidth": 0}
            page.plot(*xy[~is_out].T, **style, **ink, zorder=2, **sheet.dense)
            style |= {"color": sheet.colour("ink"), "fillstyle": "none"}
            style["markersize"] = max(size + 2.0, 7.0)  # wider than the corner's own mark
            page.plot(*xy[is_out].T, **style, markeredgewidth=THIN, zorder=5)
            _count_rings(xy[is_out], style["markersize"], places.mean(axis=0), page)
        else:
            faded: dict[str, Any] = {"alpha": 0.45 if len(places) > 60 else 1.0}
            style = sheet.mark(group.name, size) | faded
            drawn = page.plot(*xy.T, **style, zorder=2, **sheet.dense)
            if group.n_rows > 1:
                mean = xy.mean(axis=0)
                page.plot(*mean, marker="o", markersize=11, color=sheet.colour("halo"), zorder=3)
                drawn += page.plot(*mean, **sheet.mark(group.name, 8.5), zorder=4)
            for line in drawn:
                sheet.link(line, group.name)


def _count_rings(places: Array, size: float, middle: Array, page: PageArtist) -> None:
    """Write beside rings that lie on one another how many rows they are, towards the middle."""
    spots, counts = np.unique(places.round(), axis=0, return_counts=True)
    for (x, y), n in zip(spots.tolist(), counts.tolist(), strict=True):
        is_left = x <= middle[0]
        side, up = (1 if is_left else -1) * (size / 2 + 4), size if y > middle[1] else 0.0
        if n > 1:
            page.text(x + side, y - up, f"{n} rows", ha="left" if is_left else "right",
                      va="center_baseline", fontsize=SMALL)  # fmt: skip


def _parts(result: ArchetypesResult) -> Iterator[tuple[Group | None, NDArray[np.bool_]]]:
    if not result.is_of_candidates:
        yield None, np.ones(len(result.labels), dtype=bool)
        return
    labels = np.array(result.labels, dtype=object)
    for group in result.groups:
        yield group, np.asarray(labels == group.name)


def _number(at: Array, place: Array, sheet: Sheet, page: PageArtist) -> None:
    for j, (way, (x, y)) in enumerate(zip(at, place, strict=True)):
        page.plot([x], [y], marker="o", markersize=3, color=sheet.colour("ink"), zorder=4)
        page.text(x + 10 * way[0], y - 10 * way[1], str(j + 1), ha="center", fontsize=LABEL,
                  va="center", fontweight=600)  # fmt: skip


MOST_ROWS = 20_000  # rows up to which every one of them is drawn
SHOWN = 5000  # rows whose numbers stand beside a drawing


def draw(result: ArchetypesResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw how many archetypes there are, what they are, and what is made of them."""
    if result.unavailable:
        return ()
    return tuple(_figures(thinned(result), canvas))


def _figures(result: ArchetypesResult, canvas: Canvas) -> Iterator[Figure]:
    light = replace(canvas, density="full", dark=False)
    yield _scree(result, light)
    most = MOST_OF_DATASETS if result.is_of_candidates else MOST_LINES
    for i, page in enumerate(pages(len(result.columns), most)):
        yield _profiles(result, page, i, light)
    if result.k > 1:
        yield _corners(result, replace(canvas, phone=True))


def thinned(result: ArchetypesResult) -> ArchetypesResult:
    """Keep so many rows of a long table as can be drawn, evenly."""
    n = len(result.labels)
    if n <= MOST_ROWS:
        return result
    kept = np.unique(np.linspace(0, n - 1, MOST_ROWS).round().astype(int))
    return replace(
        result,
        alpha=result.alpha[kept],
        labels=tuple(result.labels[i] for i in kept),
        values=result.values[kept],
        numbers=tuple(result.numbers[i] for i in kept) if result.numbers else None,
        residuals=result.residuals[kept],
        row_weights=result.row_weights[kept],
        scaled=result.scaled[kept],
    )


def _scree(result: ArchetypesResult, canvas: Canvas) -> Figure:
    rows = tuple((s.k, s.rss, s.explained, s.gain) for s in result.steps)
    alt_steps = ", ".join(f"{s.k} {100 * (1 - s.explained):.1f}" for s in result.steps)
    return canvas.figure(
        "scree",
        "",
        partial(draw_scree, result),
        alt=alt_text(
            "Scree: number of archetypes, and what they leave unexplained in per cent: "
            f"{alt_steps}. The elbow is at {result.elbow}."
        ),
        data=Series(("k", "rss", "explained", "gain"), rows),
    )


def _profiles(result: ArchetypesResult, page: Page, i: int, canvas: Canvas) -> Figure:
    columns = result.columns[page.first : page.last]
    rows = tuple(
        (column, j + 1, result.archetypes[j][c], result.percentiles[j][c])
        for c, column in enumerate(result.columns)
        if page.first <= c < page.last
        for j in range(result.k)
    )
    names = alt_names(columns)
    full = "; ".join(
        f"{names[column]}: "
        + ", ".join(f"{100 * result.percentiles[j][page.first + c]:.0f}" for j in range(result.k))
        for c, column in enumerate(columns)
    )
    counts = "; ".join(
        f"{p.number}: low in {len(p.low)}, high in {len(p.high)}" for p in result.profiles
    )
    head = f"Percentiles of archetypes 1 to {result.k} in {len(columns)} columns. "
    return canvas.figure(
        "profiles" if i == 0 else f"profiles-{i + 1}",
        "",
        partial(draw_profiles, result, page),
        alt=alt_text(f"{head}{full}.", f"{head}Number of columns: {counts}."),
        data=Series(("column", "archetype", "value", "percentile"), rows),
    )


def _mixture_rows(result: ArchetypesResult) -> Series:
    columns = ("row", "replication", *(f"archetype_{j + 1}" for j in range(result.k)))
    numbers: Any = result.numbers or (None,) * len(result.labels)
    rows = tuple(
        (label, b, *mixture)
        for label, b, mixture in zip(result.labels, numbers, result.alpha.tolist(), strict=True)
    )
    return Series(columns, rows[:SHOWN])


def _shares_alt(result: ArchetypesResult) -> str:
    names = alt_names([group.name for group in result.groups])
    return "; ".join(
        f"{names[g.name]}: {', '.join(f'{100 * s:.0f}' for s in g.shares)}" for g in result.groups
    )


def _corners(result: ArchetypesResult, canvas: Canvas) -> Figure:
    what = {2: "a line", 3: "a triangle"}.get(result.k, f"a polygon of {result.k} corners")
    head = f"{len(result.labels)} rows on {what} whose corners are the archetypes. "
    counts = ", ".join(f"{p.number}: {p.n_rows}" for p in result.profiles)
    brief = f"Rows that are made of one by at least half: {counts}."
    full = f"Mean shares in per cent: {_shares_alt(result)}." if result.groups else brief
    return canvas.figure(
        "corners",
        "",
        partial(draw_corners, result),
        alt=alt_text(head + full, head + brief),
        data=_mixture_rows(result),
        n_marks=len(result.labels),
    )


def tabulate(result: ArchetypesResult) -> tuple[Table, ...]:
    """Lay out the fits, the archetypes and the groups."""
    return () if result.unavailable else tuple(_tables(result))


def _tables(result: ArchetypesResult) -> Iterable[Table]:
    yield _steps(result)
    yield _profile_table(result)
    if len(result.columns) <= MOST_COLUMNS:
        yield from _values(result)
    if result.groups and len(result.groups) <= MOST_GROUPS:
        yield from _groups(result)
    if result.n_outliers:
        yield _outliers(result)


def _steps(result: ArchetypesResult) -> Table:
    """One row a number of archetypes."""
    columns = (
        Column("k", "Archetypes", "count"),
        Column("rss", "Left over", "size"),
        Column("explained", "Explained, %", "value"),
        Column("gain", "Gain, %", "value"),
    )
    return Table.of(
        result.steps, columns, name="steps", number_format=NumberFormat(100.0, "%", "pp", 1)
    )


def _profile_table(result: ArchetypesResult) -> Table:
    """One row an archetype: in how many columns it is low and high, and what is made of it."""
    columns: list[ColumnOf[Profile]] = [
        (Column("archetype", "Archetype", "count"), lambda p: p.number),
        (Column("n_low", "Low in", "count"), lambda p: len(p.low)),
        (Column("n_high", "High in", "count"), lambda p: len(p.high)),
    ]
    if result.is_of_candidates:
        members = Column("members", "Made of it", "text")
        columns.append((members, lambda p: ", ".join(p.members) or None))
    columns.append(Column("n_rows", "Rows made of it", "count"))
    if result.n_repeated:
        columns.append(Column("distance", "Moves in samples by", "value"))
    return Table.of(
        result.profiles, columns, name="profiles", number_format=NumberFormat(1.0, "", "", 2)
    )


def _values(result: ArchetypesResult) -> Iterable[Table]:
    """One row a column of the data, in its own unit; percentiles are further columns or tables."""
    has_percentiles = result.k <= MOST_WITH_PERCENTILES
    for name, page in split_into_pages("values", result.profiles, MOST_IN_A_ROW):
        at = result.number_format
        kind: Kind = "value" if at else "size"
        columns = [
            Column(f"archetype_{p.number}", f"Archetype {p.number}", kind, number_format=at)
            for p in page
        ]
        rows = [[p.values[c] for p in page] for c in range(len(result.columns))]
        if has_percentiles:
            columns += _percentile_columns(page, "Percentile of ")
            rows = [[*row, *own] for row, own in zip(rows, _percentiles(page), strict=True)]
        yield _of_columns(name, result, columns, rows)
    for name, page in (
        () if has_percentiles else split_into_pages("percentiles", result.profiles, MOST_SHARES)
    ):
        columns = _percentile_columns(page, _head(page))
        yield _of_columns(name, result, columns, _percentiles(page))


def split_into_pages(
    name: str, items: Sequence[Item], most: int
) -> list[tuple[str, Sequence[Item]]]:
    """Part items into pages of nearly equal length, and name these.

    >>> split_into_pages("values", "abcdefg", 4)
    [('values', 'abcd'), ('values-2', 'efg')]
    """
    n = -(-len(items) // most)
    ends = [-(-i * len(items) // n) for i in range(n + 1)]
    names = (name, *(f"{name}-{i}" for i in range(2, n + 1)))
    return [(own, items[a:b]) for own, (a, b) in zip(names, pairwise(ends), strict=True)]


def _head(page: Sequence[Profile]) -> str:
    """Return the word before the number of an archetype: empty where columns are many."""
    return "Archetype " if len(page) <= MOST_NAMED else ""


def _percentile_columns(page: Sequence[Profile], head: str) -> list[Column]:
    return [Column(f"percentile_{p.number}", f"{head}{p.number}", "value") for p in page]


def _percentiles(page: Sequence[Profile]) -> list[list[float]]:
    return [list(row) for row in zip(*(p.percentiles for p in page), strict=True)]


def _of_columns(
    name: str, result: ArchetypesResult, columns: Sequence[Column], rows: Sequence[Sequence[float]]
) -> Table:
    first = Column("column", "Column", "text")
    cells = tuple((c, *row) for c, row in zip(result.columns, rows, strict=True))
    return Table(name, "", (first, *columns), cells, NumberFormat(100.0, "", "", 0), is_wide=True)


def _groups(result: ArchetypesResult) -> Iterable[Table]:
    """One row a candidate or data set, with its mean shares."""
    first = CANDIDATE if result.is_of_candidates else DATASET
    scale = NumberFormat(100.0, "%", "pp", result.share_decimals)
    pages = split_into_pages("groups", result.profiles, MOST_SHARES)
    for name, page in pages:
        columns = [first]
        columns += [Column(f"archetype_{p.number}", f"{_head(page)}{p.number}", "value")
                    for p in page]  # fmt: skip
        rows = [(g.name, *(g.shares[p.number - 1] for p in page)) for g in result.groups]
        if name == pages[-1][0] and any(g.returned is not None for g in result.groups):
            columns.append(Column("returned", "Same in samples", "value"))
            rows = [(*row, g.returned) for row, g in zip(rows, result.groups, strict=True)]
        yield Table(name, "", tuple(columns), tuple(rows), scale)


def _outliers(result: ArchetypesResult) -> Table:
    """The rows without weight, those with the largest residuals first."""
    columns: list[ColumnOf[int]] = [(Column("row", "Row", "text"), lambda i: result.labels[i])]
    numbers = result.numbers
    if result.is_numbered and numbers:
        columns.append((Column("replication", "Replication", "count"), lambda i: numbers[i]))
    residual = Column("residual", "Residual", "number")
    columns.append((residual, lambda i: float(result.residuals[i])))
    outside = [i for i, weight in enumerate(result.row_weights) if weight == 0]
    outside.sort(key=lambda i: -float(result.residuals[i]))
    return Table.of(outside[:MOST_OUTLIERS], columns, name="outliers")


def draw_scree(result: ArchetypesResult, sheet: Sheet) -> None:
    """Draw what is left of the sum of squares, number by number."""
    ks = [step.k for step in result.steps]
    left = [100 * (1 - step.explained) for step in result.steps]
    marked = _mark(result)
    is_high = any(left[k - 1] > NEAR_TOP for k in marked)
    top = HEAD + (HEAD if is_high else 0)
    sheet.begin(SCREE + BELOW + top)
    page = sheet.page()
    axes = sheet.axes(LEFT, BELOW, RIGHT, top)
    end = _axis_end(marked, max(ks), sheet.width - LEFT - RIGHT)
    axis = fit_axis([0, *left], SCREE, 26, may_be_log=False)
    axis.apply(axes, "y")
    axes.set(xlim=(FIRST, end))
    axes.set_xticks(ks, [str(k) for k in ks])
    levels = [[(FIRST, t), (end, t)] for t in axis.ticks]
    draw_lines(axes, levels, sheet.colour("rule"), HAIR, zorder=0)
    axes.plot(ks, left, color=sheet.colour("ink2"), lw=DATA, zorder=1)
    dots: dict[str, Any] = {"marker": "o", "linestyle": "none", "clip_on": False}
    axes.plot(ks, left, markersize=4, color=sheet.colour("ink2"), **dots)
    style: dict[str, Any] = {"fontsize": TICK, "va": "bottom", "ha": "left"}
    up = _lift(marked, left, (sheet.width - LEFT - RIGHT) / (end - FIRST))
    for k, text in marked.items():
        axes.plot([k], [left[k - 1]], markersize=8, color=sheet.colour("ink"), **dots)
        place = (6, 5 + (up if k == min(marked) else 0))
        axes.annotate(text, (k, left[k - 1]), place, textcoords="offset points", **style)
    quiet: dict[str, Any] = {"va": "center_baseline", "color": sheet.colour("ink2")}
    page.text(0, HEAD / 2 - 2, "left unexplained (%)", fontsize=TICK, **quiet)
    page.text(LEFT, sheet.height - 7, "number of archetypes", fontsize=TICK, **quiet)


def _mark(result: ArchetypesResult) -> dict[int, str]:
    """Return which numbers are named."""
    if result.k == result.elbow:
        return {result.k: "elbow" if result.is_by_elbow else "elbow, and asked for"}
    return {result.k: "asked for", result.elbow: "elbow"}


def _axis_end(marked: Mapping[int, str], last: int, width: float) -> float:
    """Return where the axis of numbers ends: beyond every label."""
    rooms = [width - 10 - text_width(text, TICK) for text in marked.values()]
    ends = [FIRST + (k - FIRST) * width / room for k, room in zip(marked, rooms, strict=True)]
    return max(last + 0.3, *ends)


def _lift(marked: Mapping[int, str], left: Sequence[float], unit: float) -> float:
    """Return how far the first label is raised so that it does not run into the second."""
    if len(marked) < 2:
        return 0.0
    a, b = sorted(marked)
    fall = (left[a - 1] - left[b - 1]) / 100 * SCREE
    is_clear = text_width(marked[a], TICK) + 4 < (b - a) * unit
    return 0.0 if is_clear else max(0.0, LINE - fall)
