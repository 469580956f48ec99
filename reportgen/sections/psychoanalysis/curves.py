"""Where worths are unstable along characteristics, and how characteristics vary by resampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import (
    DATA,
    HAIR,
    HEAVY,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fit_axis,
    fitted,
    shortened,
    text_width,
)
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import pvalue, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.psychoanalysis.nodes import NodeTest
    from reportgen.sections.psychoanalysis.result import Psychoanalysis, Variation

PANEL, GAP, TITLE, BELOW = 92.0, 22.0, 15.0, 26.0  # pt
MOST_PANELS = 4
MOST_POINTS = 400  # of a path that is drawn; more are thinned out, the maximum kept
FEW_PLACES = 3  # possible breaks that are named one by one
BOX = 8.0  # pt: height of a box
MOST_BOXES = 4  # boxes side by side in a line
LEAST = 1e-3  # relative deviation below which a characteristic is the same in all samples
WIDEST = 1.5  # relative deviations beyond are cut off


def shown_tests(result: Psychoanalysis) -> tuple[NodeTest, ...]:
    """Return the tests of the root that a figure shows: the smallest p-values."""
    return result.tree.tests[:MOST_PANELS] if result.tree else ()


def draw_instability(result: Psychoanalysis, sheet: Sheet) -> None:
    """Draw the statistic at every possible break along the most unstable characteristics."""
    tests = shown_tests(result)
    columns = 1 if sheet.is_phone or len(tests) == 1 else 2
    lines = -(-len(tests) // columns)
    height = TITLE + PANEL + BELOW
    sheet.begin(lines * height)
    page = sheet.page()
    width = (sheet.width - 34 * columns - (columns - 1) * GAP) / columns
    for i, test in enumerate(tests):
        left = 26 + i % columns * (width + 34 + GAP)
        above = i // columns * height
        axes = sheet.axes(
            left, sheet.height - above - TITLE - PANEL, sheet.width - left - width, above + TITLE
        )
        _panel(sheet, axes, result, test, width)
        p = pvalue(test.p_value)
        head = f"{test.characteristic}, p {'' if p.startswith('<') else '= '}{p}"
        page.text(
            left,
            above + 7,
            fitted(head, width, TICK, is_bold=True),
            fontsize=TICK,
            fontweight=600,
            va="center_baseline",
        )


def _panel(sheet: Sheet, axes: Axes, result: Psychoanalysis, test: NodeTest, width: float) -> None:
    trait = result.trait(test.characteristic)
    ceiling = [test.critical_value] if np.isfinite(test.critical_value) else []
    upright = fit_axis([0.0, *test.path.tolist(), *ceiling], PANEL, 24, may_be_log=False)
    upright.apply(axes, "y")
    axes.spines["left"].set_visible(True)
    places, path = test.places, test.path
    if trait.kind == "numeric":
        _along(axes, places, width)
        places, path = _thinned(places, path)
        axes.plot(places, path, color=sheet.colour("ink"), lw=DATA)
        if len(places) <= 60:
            axes.plot(places, path, "o", ms=3, color=sheet.colour("ink"), mew=0)
        top = int(path.argmax())
        axes.plot([places[top]], [path[top]], "o", ms=5.5, color=sheet.colour("c1"), mew=0)
    else:
        at = np.arange(len(path))
        axes.set(xlim=(-0.6, len(path) - 0.4))
        room = width / len(path) - 4
        axes.set_xticks(at, [fitted(level, room, SMALL) for level in test.levels])
        axes.tick_params(axis="x", labelsize=SMALL, length=0)
        bars = [(x - 0.3, 0.0, 0.6, float(y)) for x, y in zip(at, path, strict=True)]
        fill_boxes(axes, bars, sheet.colour("ghost"))
    if ceiling and trait.kind == "numeric":
        ends = axes.get_xlim()
        line = [[(ends[0], ceiling[0]), (ends[1], ceiling[0])]]
        draw_lines(axes, line, sheet.colour("c1"), THIN, linestyle=(0, (4, 2)))


def _along(axes: Axes, places: np.ndarray, width: float) -> None:
    """Draw the axis of the values; a few possible breaks are its ticks."""
    if len(places) > FEW_PLACES:
        fit_axis(places, width, 44, may_be_log=False).apply(axes, "x")
        return
    room = 0.6 * max(float(np.ptp(places)), 1e-9)
    axes.set_xlim(float(places.min()) - room, float(places.max()) + room)
    axes.set_xticks(places, [significant(float(x), 3) for x in places])


def _thinned(places: np.ndarray, path: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keep the largest value of every stretch of a long path."""
    if len(path) <= MOST_POINTS:
        return places, path
    cuts = np.linspace(0, len(path), MOST_POINTS + 1).astype(int)[:-1]
    top = [a + int(path[a:b].argmax()) for a, b in zip(cuts, [*cuts[1:], len(path)], strict=True)]
    return places[top], path[top]


# ------------------------------------------------------------------------------ variation


def groups_of(result: Psychoanalysis) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return what has a box of its own in every line, and which data sets are in it.

    Schemes where there are several, else data sets where they are few, else all together.
    """
    schemes = tuple(dict.fromkeys(v.scheme for v in result.variation))
    if len(schemes) > 1:
        return tuple((scheme, ()) for scheme in schemes)
    datasets = tuple(dict.fromkeys(v.dataset for v in result.variation))
    if len(datasets) <= MOST_BOXES:
        return tuple((schemes[0], (dataset,)) for dataset in datasets)
    return ((schemes[0], ()),)


def varying(result: Psychoanalysis) -> tuple[str, ...]:
    """Return the characteristics that differ between learning samples of some data set."""
    found = {
        v.characteristic: None
        for v in result.variation
        if v.low is not None and v.high is not None and max(-v.low, v.high) > LEAST
    }
    return tuple(found)


def boxes_of(result: Psychoanalysis, name: str) -> list[tuple[float, ...] | None]:
    """Return five quantiles of each group's relative deviations; means over its data sets."""
    found: list[tuple[float, ...] | None] = []
    for scheme, datasets in groups_of(result):
        rows = [
            v
            for v in result.variation
            if v.characteristic == name
            and v.scheme == scheme
            and (not datasets or v.dataset in datasets)
            and v.middle is not None
        ]
        found.append(_mean(rows) if rows else None)
    return found


def _mean(rows: Sequence[Variation]) -> tuple[float, ...]:
    five = np.array([(v.low, v.lower, v.middle, v.upper, v.high) for v in rows], dtype=float)
    return tuple(float(x) for x in five.mean(axis=0))


def label_of(result: Psychoanalysis, group: tuple[str, tuple[str, ...]]) -> str:
    """Name a group."""
    scheme, datasets = group
    return datasets[0] if datasets else scheme or result.own_scheme or "the study's scheme"


def draw_variation(result: Psychoanalysis, sheet: Sheet) -> None:
    """Draw the relative deviations of the learning samples' characteristics, one a line."""
    names, groups = varying(result), groups_of(result)
    labels = shortened(names, 90 if sheet.is_phone else 130, TICK)
    left = max(text_width(t, TICK) for t in labels.values()) + 10
    row = max(15.0, 6 + BOX * len(groups))
    key = 15.0 if len(groups) > 1 else 0.0
    sheet.begin(key + row * len(names) + 32)
    boxes = {name: boxes_of(result, name) for name in names}
    ends = [x for found in boxes.values() for b in found if b for x in (b[0], b[-1])]
    limit = min(WIDEST, max(map(abs, ends), default=1.0))
    axes = sheet.axes(left, 30, 10, key)
    axis = fit_axis(
        [100 * np.clip(x, -limit, limit) for x in (*ends, 0.0)],
        sheet.width - left - 10,
        44,
        may_be_log=False,
    )
    axis.apply(axes, "x")
    axes.set(ylim=(key + row * len(names), key), yticks=[])
    zero = [[(0.0, key), (0.0, key + row * len(names))]]
    draw_lines(axes, zero, sheet.colour("ink2"), HAIR, zorder=0)
    page = sheet.page()
    inks = [sheet.colour(c) for c in ("ink2", "c3", "c1", "c5")]
    for i, name in enumerate(names):
        middle = key + row * (i + 0.5)
        page.text(left - 6, middle, labels[name], ha="right", va="center_baseline", fontsize=TICK)
        for g, box in enumerate(boxes[name]):
            if box is not None:
                y = middle + (g - (len(groups) - 1) / 2) * BOX
                five = [100 * float(np.clip(x, -limit, limit)) for x in box]
                _box(axes, five, y, inks[g % len(inks)])
    if key:
        x = left
        for group, ink in zip(groups, inks, strict=False):
            text = fitted(label_of(result, group), 110, SMALL)
            fill_boxes(page, [(x, 3, 9, 6)], ink)
            page.text(x + 13, 6, text, fontsize=SMALL, va="center_baseline")
            x += text_width(text, SMALL) + 28
    page.text(
        left,
        sheet.height - 6,
        "deviation from the data set's own value (%)".replace("'", "’"),
        fontsize=TICK,
        color=sheet.colour("ink2"),
        va="center_baseline",
    )


def _box(axes: Axes, five: Sequence[float], y: float, ink: str) -> None:
    low, lower, middle, upper, high = five
    draw_lines(axes, [[(low, y), (high, y)]], ink, THIN, zorder=1)
    fill_boxes(axes, [(lower, y - 2.2, upper - lower, 4.4)], ink, zorder=2)
    draw_lines(axes, [[(middle, y - 3.4), (middle, y + 3.4)]], ink, HEAVY, zorder=3)
