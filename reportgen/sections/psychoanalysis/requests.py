"""Figures of the psychoanalysis that no report has by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    HAIR,
    SMALL,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    fit_axis,
    make_key,
    measure_words,
    plain,
    shorten_names,
    shorten_text,
    text_width,
)
from reportgen.drawing.label_placement import Point
from reportgen.drawing.plots.rows import DIVIDER
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.drawing.style import DASHED
from reportgen.notation import number, pvalue
from reportgen.report import Figure, Series
from reportgen.sections.psychoanalysis.figures import FIVE, LEAST, condition_words, draw_box
from reportgen.sections.psychoanalysis.result import NumericSplit

if TYPE_CHECKING:
    from reportgen.drawing import ValueAxis
    from reportgen.drawing.page import PageArtist
    from reportgen.sections.base import Request
    from reportgen.sections.psychoanalysis.result import (
        NodeTest,
        Psychoanalysis,
        TreeNode,
        Variation,
    )

STEP, NODE, PANEL = 58.0, 26.0, 92.0  # pt: from height to height; of a node; of a panel
LEFT, HEAD, FOOT = 30.0, 16.0, 12.0  # pt: for the ticks of worths; over a panel; below it
MARK = 5.0
ACROSS, LEAST_PANEL, ROW, BETWEEN = 3, 100.0, 13.0, 12.0  # of the characteristics


def draw_worth_tree(result: Psychoanalysis, root: TreeNode, unit: str, sheet: Sheet) -> None:
    """Draw the divisions from the top down, and below each leaf its worths on a common scale."""
    leaves = root.leaves
    key = make_key(sheet, result.candidates, sheet.width)
    depth = _depth(root)
    top = key.height + 10
    floor = top + STEP * depth
    sheet.begin(floor + HEAD + PANEL + FOOT)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    width = (sheet.width - LEFT) / len(leaves)
    places: dict[int, Point] = {
        leaf.number: (LEFT + width * (i + 0.5), floor) for i, leaf in enumerate(leaves)
    }
    _place(root, top, places)
    for node in root.walk():
        _connect(node, places, width, sheet, page)
    for node in root.inner:
        _write_node(node, places[node.number], unit, 2 * width, sheet, page)
    largest = max(x for leaf in leaves for x in leaf.worths.values())
    axis = fit_axis([0.0, largest], PANEL, 26, may_be_log=False)
    for i, leaf in enumerate(leaves):
        _draw_leaf(leaf, result.candidates, axis, (LEFT + width * i, floor), width, unit, sheet,
                   page, is_first=i == 0)  # fmt: skip


def _depth(node: TreeNode) -> int:
    return 1 + max(map(_depth, node.children)) if node.children else 0


def _place(node: TreeNode, y: float, places: dict[int, Point]) -> None:
    """Place a node over the middle of its children."""
    for child in node.children:
        _place(child, y + STEP, places)
    if node.children:
        xs = [places[child.number][0] for child in node.children]
        places[node.number] = (sum(xs) / len(xs), y)


def _connect(
    node: TreeNode, places: dict[int, Point], width: float, sheet: Sheet, page: PageArtist
) -> None:
    """Draw lines to the children, with what they ask for."""
    if node.split is None:
        return
    x, y = places[node.number]
    for child in node.children:
        end, below = places[child.number]
        draw_lines(page, [[(x, y + NODE), (end, below)]], sheet.colour("axis"), DIVIDER, zorder=0)
        own = [c for c in child.conditions if c.characteristic == node.split.characteristic][-1]
        words = condition_words(own).removeprefix(plain(own.characteristic)).strip(": ")
        text = shorten_text(words, max(width - 6, 30.0), SMALL)
        share = (STEP - 10) / max(below - y - NODE, 1.0) if below - y > STEP else 0.55
        at = (x + (end - x) * share, y + NODE + (below - y - NODE) * share)
        half = text_width(text, SMALL) / 2 + 2
        fill_boxes(page, [(at[0] - half, at[1] - 5, 2 * half, 10)], sheet.colour("halo"), zorder=1)
        page.text(*at, text, ha="center", va="center_baseline", fontsize=SMALL, zorder=2)


def _write_node(
    node: TreeNode, place: Point, unit: str, width: float, sheet: Sheet, page: PageArtist
) -> None:
    """Write by what a node is divided, with its p-value and size."""
    if node.split is None:
        return
    x, y = place
    name = shorten_text(plain(node.split.characteristic), width, SMALL, is_bold=True)
    p = pvalue(node.split.p_value)
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": SMALL}
    page.text(x, y + 6, name, fontweight=600, **style)
    text = f"p {'' if p.startswith('<') else '= '}{p}, n = {node.n}"
    page.text(x, y + 18, text, color=sheet.colour("ink2"), **style)


def _draw_leaf(
    leaf: TreeNode,
    candidates: Sequence[str],
    axis: ValueAxis,
    place: Point,
    width: float,
    unit: str,
    sheet: Sheet,
    page: PageArtist,
    *,
    is_first: bool,
) -> None:
    """Draw the worths of a leaf, a candidate beside the other."""
    start, floor = place
    text = shorten_text(f"{leaf.n} {unit}{'' if leaf.n == 1 else 's'}", width, SMALL)
    page.text(
        start + width / 2, floor + 7, text, ha="center", va="center_baseline", fontsize=SMALL,
        color=sheet.colour("ink2"),
    )  # fmt: skip
    axes = sheet.axes(start + 4, FOOT, sheet.width - start - width + 4, floor + HEAD)
    axis.apply(axes, "y")
    k = len(candidates)
    axes.set(xlim=(-0.6, k - 0.4), xticks=[])
    axes.tick_params(axis="y", labelleft=is_first, labelsize=SMALL, length=2)
    axes.spines["left"].set_visible(True)
    axes.axhline(1 / k, color=sheet.colour("ink2"), lw=HAIR, ls=(0, (3, 2)), zorder=0)
    worths = [leaf.worths[name] for name in candidates]
    axes.plot(range(k), worths, color=sheet.colour("axis"), lw=DIVIDER, zorder=1)
    for i, (name, worth) in enumerate(zip(candidates, worths, strict=True)):
        (mark,) = axes.plot([i], [worth], **sheet.mark(name, MARK), zorder=3, clip_on=False)
        sheet.link(mark, name)


TRACK, TRACK_ROOM = 80.0, 28.0  # pt: height of a track; for its ticks


def draw_instability(root: TreeNode, tests: Sequence[NodeTest], alpha: float, sheet: Sheet) -> None:
    """Draw a panel a characteristic: the statistic as units are added, and its critical value."""
    across = int(min(len(tests), 3, max(1, (sheet.width - LEFT) // (LEAST_PANEL + BETWEEN))))
    width = (sheet.width - LEFT - BETWEEN * (across - 1) - 6) / across
    high = HEAD + TRACK + TRACK_ROOM
    sheet.begin(-(-len(tests) // across) * high + 10)
    page = sheet.page()
    limits = [t.critical_value for t in tests if np.isfinite(t.critical_value)]
    axis = fit_axis([0.0, *limits, *(x for t in tests for x in t.path)], TRACK, 22,
                    may_be_log=False)  # fmt: skip
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    for i, test in enumerate(tests):
        line, column = divmod(i, across)
        start, top = LEFT + column * (width + BETWEEN), line * high
        below = sheet.height - top - HEAD - TRACK
        axes = sheet.axes(start, below, sheet.width - start - width, top + HEAD)
        axis.apply(axes, "y")
        fit_axis(test.places, width, 40, may_be_log=False).apply(axes, "x")
        axes.spines["left"].set_visible(True)
        axes.tick_params(axis="y", labelleft=column == 0, labelsize=SMALL, length=2)
        axes.tick_params(axis="x", labelsize=SMALL, length=2)
        marker = "o" if len(test.places) <= 40 else None
        axes.plot(test.places, test.path, color=sheet.colour("ink"), lw=DIVIDER, marker=marker,
                  markersize=2.5, clip_on=False, zorder=2)  # fmt: skip
        if np.isfinite(test.critical_value):
            axes.axhline(test.critical_value, color=sheet.colour("ink2"), lw=HAIR, ls=DASHED,
                         zorder=1)  # fmt: skip
        split = root.split
        if isinstance(split, NumericSplit) and split.characteristic == test.characteristic:
            axes.axvline(split.cutpoint, color=sheet.colour("axis"), lw=DIVIDER, zorder=0)
        p = pvalue(test.p_value)
        words = f"p {'' if p.startswith('<') else '= '}{p}"
        room = width - text_width(words, SMALL) - 8
        name = shorten_text(plain(test.characteristic), room, SMALL)
        page.text(start, top + HEAD - 7, name, va="center_baseline", fontsize=SMALL)
        page.text(start + width, top + HEAD - 7, words, ha="right", va="center_baseline", **quiet)
    text = f"statistic; dashed: from where on p is below {alpha:g}"
    page.text(LEFT, sheet.height - 5, text, va="center_baseline", **quiet)


def draw_variation_panels(
    found: Sequence[Variation], datasets: Sequence[str], names: Sequence[str], sheet: Sheet
) -> None:
    """Draw a panel a data set: a box a characteristic, of what its learning samples deviate."""
    labels = shorten_names(names, 60.0 if sheet.is_phone else 90.0, SMALL)
    left = 6 + max(text_width(text, SMALL) for text in labels.values())
    across = int(min(ACROSS, len(datasets), max(1, (sheet.width - left) // LEAST_PANEL)))
    width = (sheet.width - left - BETWEEN * (across - 1) - 4) / across
    down = -(-len(datasets) // across)
    high = ROW * len(names)
    sheet.begin(down * (HEAD + high) + 30)
    page = sheet.page()
    ends = [x for v in found for x in (v.low, v.high) if x is not None]
    axis = fit_axis([0.0, *(100 * x for x in ends)], width, 36, may_be_log=False)
    own = {(v.dataset, v.characteristic): v for v in found}
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    for i, dataset in enumerate(datasets):
        line, column = divmod(i, across)
        start, top = left + column * (width + BETWEEN), line * (HEAD + high)
        below = sheet.height - top - HEAD - high
        axes = sheet.axes(start, below, sheet.width - start - width, top + HEAD)
        axis.apply(axes, "x")
        axes.set(ylim=(high, 0), yticks=[])
        axes.tick_params(labelbottom=i + across >= len(datasets), labelsize=SMALL, length=2)
        axes.axvline(0, color=sheet.colour("ink2"), lw=HAIR, zorder=0)
        for c, name in enumerate(names):
            v = own.get((dataset, name))
            if v is not None and v.middle is not None:
                five = 100 * np.array([v.low, v.lower, v.middle, v.upper, v.high], dtype=float)
                inks = (sheet.colour("ink2"), sheet.colour("axis"), sheet.colour("ink"))
                draw_box(axes, five.tolist(), ROW * (c + 0.5), (3, 4), inks, (DIVIDER, 1.5))
        text = shorten_text(dataset, width, SMALL)
        page.text(start, top + HEAD - 6, text, va="center_baseline", fontsize=SMALL)
        for c, name in enumerate(names if column == 0 else ()):
            y = top + HEAD + ROW * (c + 0.5)
            page.text(left - 6, y, labels[name], ha="right", va="center_baseline", **quiet)
    title = "deviation from the data set’s own value (%)"
    page.text(left, sheet.height - 6, title, va="center_baseline", **quiet)


MOST_LEAVES = 8  # that have room beside one another
MOST_TRACKS = 6  # characteristics, those of the smallest p-values
MOST_PANELS = 30  # data sets on a page


def instability(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> Iterator[Figure]:
    """How the worths drift along characteristics, at the root (Eugster 2011, fig. 5.3a)."""
    for found in canvas.of_measures(result.values()):
        tests = [] if found.tree is None else [t for t in found.tree.tests if len(t.path) > 1]
        tests = tests[:MOST_TRACKS]
        if found.tree is None or not tests:
            continue
        texts = [
            f"{plain(t.characteristic)} up to {number(max(t.path), 2)}, limit "
            f"{number(t.critical_value, 2)}, p {pvalue(t.p_value)}"
            for t in tests
        ]
        rows = tuple(
            (t.characteristic, place, value, t.critical_value)
            for t in tests
            for place, value in zip(t.places, t.path, strict=True)
        )
        yield canvas.figure(
            "instability",
            found.measure.name,
            partial(draw_instability, found.tree, tests, found.alpha),
            alt=alt_text(
                f"Instability of the worths by {measure_words(found.measure)} along "
                f"characteristics: {'; '.join(texts)}."
            ),
            data=Series(("characteristic", "place", "statistic", "critical_value"), rows),
        )


def variation_panels(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> Iterator[Figure]:
    """Relative variation of characteristics, a panel a data set (Eugster 2011, fig. 5.2)."""
    for found in canvas.of_measures(result.values()):
        first = found.schemes[0] if found.schemes else ""
        known = [v for v in found.variation if v.scheme == first and v.middle is not None]
        shown = [v for v in known if max(-(v.low or 0.0), v.high or 0.0) > LEAST]
        datasets = tuple(dict.fromkeys(v.dataset for v in shown))
        names = tuple(dict.fromkeys(v.characteristic for v in shown))
        if not names or len(datasets) > MOST_PANELS:
            continue
        kept = [v for v in known if v.characteristic in names]
        texts = [
            f"{plain(v.dataset)}, {plain(v.characteristic)} {number(100 * (v.middle or 0.0), 1)}"
            for v in kept
        ]
        rows = tuple(
            (v.dataset, v.characteristic, v.low, v.lower, v.middle, v.upper, v.high) for v in kept
        )
        yield canvas.figure(
            "variation-panels",
            found.measure.name,
            partial(draw_variation_panels, kept, datasets, names),
            alt=alt_text(
                "Median deviation of the learning samples’ characteristics from those of their "
                f"{canvas.words('data set')}, in per cent: {'; '.join(texts)}."
            ),
            data=Series(("dataset", "characteristic", *FIVE), rows),
        )


def worth_tree(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> Iterator[Figure]:
    """Tree of nodes with panels of worths (Eugster 2011, fig. 5.3b and 5.5)."""
    for found in canvas.of_measures(result.values()):
        root = found.tree
        if root is None or not 2 <= len(root.leaves) <= MOST_LEAVES:
            continue
        names = alt_names(found.candidates)
        unit = canvas.words("data set" if found.cluster == "dataset" else "learning sample")
        texts = [
            f"{' and '.join(map(condition_words, leaf.conditions))} ({leaf.n}): "
            + ", ".join(f"{names[k]} {number(leaf.worths[k], 2)}" for k in leaf.order)
            for leaf in root.leaves
        ]
        rows = tuple(
            (leaf.number, name, worth)
            for leaf in root.leaves
            for name, worth in leaf.worths.items()
        )
        yield canvas.figure(
            "worth-tree",
            found.measure.name,
            partial(draw_worth_tree, found, root, unit),
            alt=alt_text(
                f"Tree of worths by {measure_words(found.measure)}, leaves from left to right: "
                f"{'; '.join(texts)}."
            ),
            data=Series(("node", "candidate", "worth"), rows),
        )


REQUESTS: Mapping[str, Request] = {
    "instability": instability,
    "variation-panels": variation_panels,
    "worth-tree": worth_tree,
}
