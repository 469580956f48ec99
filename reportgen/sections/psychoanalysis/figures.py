"""Figures and tables of the psychoanalysis: the tree of worths, and what resampling changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.drawing import (
    DATA,
    HAIR,
    HEAVY,
    SMALL,
    THIN,
    TICK,
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
from reportgen.drawing.sheet import draw_lines, fill_boxes
from reportgen.notation import number, pvalue, significant
from reportgen.report import CANDIDATE, DATASET, ColumnOf, Figure, Series, Table
from reportgen.sections.psychoanalysis.result import NodeTest, Psychoanalysis, Trait, TreeNode
from reportgen.stats.columns import Column

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist
    from reportgen.sections.psychoanalysis.result import Condition, Variation

INNER, LEAF, STRIP, TREE_BELOW = 30.0, 36.0, 34.0, 32.0  # pt: heights of lines, and of the axis
INDENT = 15.0  # pt a step down the tree
MARK = 6.0
LEVELS, STEP = (0, -1, 1, -2, 2), 6.4  # places of marks above and below the line, and pt between
APART = 7.0  # pt: marks that are nearer stand above one another

MOST_LEAVES = 6  # whose worths are columns


@dataclass(frozen=True, slots=True)
class Line:
    """A node on the sheet: how deep it lies, and where."""

    node: TreeNode
    depth: int
    above: float
    height: float

    @property
    def middle(self) -> float:
        """Where its text stands."""
        return self.above + min(self.height, LEAF) / 2


def draw_tree(result: Psychoanalysis, root: TreeNode, unit: str, sheet: Sheet) -> None:
    """Draw the tree, a node a line; on a phone the worths stand below a leaf's text."""
    key = make_key(sheet, result.candidates, sheet.width)
    top = key.height + 10
    lines = list(_lines(root, 0, top, is_phone=sheet.is_phone))
    bottom = lines[-1].above + lines[-1].height
    sheet.begin(bottom + TREE_BELOW)
    left = 0.0 if sheet.is_phone else 0.5 * sheet.width
    largest = max(w for line in lines for w in line.node.worths.values())
    axis = fit_axis([0.0, largest], sheet.width - left - 20, 40, may_be_log=False)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    _connect(sheet, page, lines)
    axes = sheet.axes(left + 10, TREE_BELOW - 4, 10, top)
    axis.apply(axes, "x")
    axes.set(ylim=(bottom, top), yticks=[])
    even = 1 / len(result.candidates)
    strips = [_strip_at(sheet, line) for line in lines if not line.node.children]
    marks = [[(even, y - STRIP / 2), (even, y + STRIP / 2)] for y in strips]
    draw_lines(axes, marks, sheet.colour("ghost"), THIN, zorder=0)
    for line in lines:
        width = (left if left else sheet.width) - line.depth * INDENT - 16
        _write_node(sheet, page, result, unit, line, width)
        if not line.node.children:
            _strip(sheet, axes, line)
    page.text(
        left + 10,
        sheet.height - 6,
        f"worth (line: 1/{len(result.candidates)}, all alike)",
        fontsize=TICK,
        color=sheet.colour("ink2"),
        va="center_baseline",
    )


def condition_words(condition: Condition) -> str:
    """Write what the way to a node says of a characteristic in signs."""
    name = plain(condition.characteristic)
    if condition.levels:
        return f"{name}: {', '.join(map(plain, condition.levels))}"
    if condition.above is not None and condition.up_to is not None:
        return f"{significant(condition.above, 3)} < {name} ≤ {significant(condition.up_to, 3)}"
    if condition.above is not None:
        return f"{name} > {significant(condition.above, 3)}"
    return f"{name} ≤ {significant(condition.up_to or 0.0, 3)}"


def _lines(node: TreeNode, depth: int, above: float, *, is_phone: bool) -> Sequence[Line]:
    """Place a node and what is below it."""
    height = INNER if node.children else LEAF + (STRIP if is_phone else 0)
    found = [Line(node, depth, above, height)]
    above += height
    for child in node.children:
        below = _lines(child, depth + 1, above, is_phone=is_phone)
        found += below
        above = below[-1].above + below[-1].height
    return found


def _connect(sheet: Sheet, page: PageArtist, lines: Sequence[Line]) -> None:
    """Draw elbows from every node to its children."""
    by_number = {line.node.number: line for line in lines}
    elbows = []
    for line in lines:
        x = 4 + line.depth * INDENT
        for child in line.node.children:
            y = by_number[child.number].middle - 6
            elbows.append([(x, line.middle + 12), (x, y), (x + INDENT - 5, y)])
    draw_lines(page, elbows, sheet.colour("axis"), DATA)


def _write_node(
    sheet: Sheet, page: PageArtist, result: Psychoanalysis, unit: str, line: Line, width: float
) -> None:
    """Write number and way to a node, how much is in it, and by what it is divided."""
    node, x = line.node, 2 + line.depth * INDENT
    whole = f"All {result.n_units:,} {unit}s"
    head = condition_words(_last(node, result)) if node.conditions else whole
    beside = 0.0
    if node.conditions or node.children:
        beside = text_width(str(node.number), SMALL) + 5
        page.text(
            x,
            line.middle - 6,
            str(node.number),
            fontsize=SMALL,
            color=sheet.colour("ink2"),
            va="center_baseline",
        )
    page.text(
        x + beside,
        line.middle - 6,
        shorten_text(head, width - beside, sheet.label, is_bold=True),
        fontsize=sheet.label,
        fontweight=600,
        va="center_baseline",
    )
    page.text(
        x + beside,
        line.middle + 7,
        shorten_text(_below(node, unit), width - beside, SMALL),
        fontsize=SMALL,
        color=sheet.colour("ink2"),
        va="center_baseline",
    )


def _unit(result: Psychoanalysis) -> str:
    return "data set" if result.cluster == "dataset" else "learning sample"


def _last(node: TreeNode, result: Psychoanalysis) -> Condition:
    """Return the condition that the division just above a node has set."""
    root = result.tree
    parent = next((n for n in root.walk() if node in n.children), None) if root else None
    if parent is None or parent.split is None:
        return node.conditions[-1]
    name = parent.split.characteristic
    return next(c for c in node.conditions if c.characteristic == name)


def _below(node: TreeNode, unit: str) -> str:
    """Write size and test of a node."""
    size = f"{node.n:,} {unit}{'' if node.n == 1 else 's'}"
    if node.split is not None:
        p = pvalue(node.split.p_value)
        sign = "" if p.startswith("<") else "= "
        divided = f"by {plain(node.split.characteristic)}, p {sign}{p}"
        return divided if not node.conditions else f"{size}; {divided}"
    parts = [size] if node.conditions else []  # the root's own line has its size
    return "; ".join([*parts, "worths not finite"] if node.is_separated else parts)


def _strip_at(sheet: Sheet, line: Line) -> float:
    """Return where the worths of a leaf are drawn."""
    return line.above + line.height - (STRIP if sheet.is_phone else LEAF) / 2


def _strip(sheet: Sheet, axes: Axes, line: Line) -> None:
    """Draw the worths of a leaf on a line, near ones above one another."""
    y = _strip_at(sheet, line)
    lower, upper = axes.get_xlim()
    draw_lines(axes, [[(lower, y), (upper, y)]], sheet.colour("rule"), HAIR, zorder=0)
    per_point = (upper - lower) / (axes.get_position().width * sheet.width)
    placed: list[tuple[float, int]] = []
    for name in reversed(line.node.order):
        x = line.node.worths[name]
        taken = {level for other, level in placed if abs(x - other) < APART * per_point}
        level = next((n for n in LEVELS if n not in taken), 0)
        placed.append((x, level))
        at = y + level * STEP
        (mark,) = axes.plot([x], [at], **sheet.mark(name, MARK), zorder=3, clip_on=False)
        sheet.link(mark, name)


BOX = 8.0  # pt: height of a box
# Lines and faces of boxes side by side, the first filled, the next open.
SCHEMES = (("ink", "ink"), ("ink", "paper"), ("axis", "axis"), ("axis", "paper"))
MOST_BOXES = len(SCHEMES)
LEAST = 1e-3  # relative deviation below which a characteristic is the same in all samples
WIDEST = 1.5  # relative deviations beyond are cut off


def varying(result: Psychoanalysis) -> tuple[str, ...]:
    """Return the characteristics that differ between learning samples of some data set."""
    found = {
        v.characteristic: None
        for v in result.variation
        if v.low is not None and v.high is not None and max(-v.low, v.high) > LEAST
    }
    return tuple(found)


def boxes_of(result: Psychoanalysis, name: str) -> list[tuple[float, ...] | None]:
    """Return five quantiles of each scheme's relative deviations; means over the data sets."""
    own = [v for v in result.variation if v.characteristic == name and v.middle is not None]
    parts = [[v for v in own if v.scheme == scheme] for scheme in result.schemes[:MOST_BOXES]]
    return [_mean(rows) if rows else None for rows in parts]


def _mean(rows: Sequence[Variation]) -> tuple[float, ...]:
    five = np.array([(v.low, v.lower, v.middle, v.upper, v.high) for v in rows], dtype=float)
    return tuple(float(x) for x in five.mean(axis=0))


def label_of(result: Psychoanalysis, scheme: str) -> str:
    """Name a scheme."""
    return scheme or result.own_scheme or "the study's scheme"


def draw_variation(result: Psychoanalysis, sheet: Sheet) -> None:
    """Draw the relative deviations of the learning samples' characteristics, one a line."""
    names, schemes = varying(result), result.schemes[:MOST_BOXES]
    labels = shorten_names(names, 90 if sheet.is_phone else 130, TICK)
    left = max(text_width(t, TICK) for t in labels.values()) + 10
    row = max(15.0, 6 + BOX * len(schemes))
    key = 15.0
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
    inks = [(sheet.colour(line), sheet.colour(face)) for line, face in SCHEMES]
    for i, name in enumerate(names):
        middle = key + row * (i + 0.5)
        page.text(left - 6, middle, labels[name], ha="right", va="center_baseline", fontsize=TICK)
        for g, box in enumerate(boxes[name]):
            if box is not None:
                y = middle + (g - (len(schemes) - 1) / 2) * BOX
                five = [100 * float(np.clip(x, -limit, limit)) for x in box]
                line, face = inks[g]
                draw_box(axes, five, y, (2.2, 3.4), (line, face, line), (THIN, HEAVY))
    x = left
    for scheme, (line, face) in zip(schemes, inks, strict=False):
        text = shorten_text(label_of(result, scheme), 110, SMALL)
        fill_boxes(page, [(x, 3, 9, 6)], face, edgecolor=line, lw=THIN)
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


def draw_box(
    axes: Axes,
    five: Sequence[float],
    y: float,
    halves: tuple[float, float],
    inks: tuple[str, str, str],
    widths: tuple[float, float],
) -> None:
    """Draw a lying box plot: its whisker, its box, and its median, of these halves and inks."""
    low, lower, middle, upper, high = five
    box, bar = halves
    draw_lines(axes, [[(low, y), (high, y)]], inks[0], widths[0], zorder=1)
    rim = {"edgecolor": inks[0], "lw": widths[0]}
    fill_boxes(axes, [(lower, y - box, upper - lower, 2 * box)], inks[1], zorder=2, **rim)
    draw_lines(axes, [[(middle, y - bar), (middle, y + bar)]], inks[2], widths[1], zorder=3)


FIVE = ("low", "lower", "median", "upper", "high")


def draw(result: Mapping[str, Psychoanalysis], canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the tree and, of several resampling schemes, how characteristics vary."""
    full = replace(canvas, density="full", dark=False, once=False)
    return tuple(f for found in result.values() for f in _figures(found, full))


def _figures(result: Psychoanalysis, canvas: Canvas) -> Iterator[Figure]:
    if result.tree is not None:
        yield _tree(result, result.tree, canvas)
    if len(result.schemes) > 1 and varying(result):
        yield _variation(result, canvas)


def _tree(result: Psychoanalysis, root: TreeNode, canvas: Canvas) -> Figure:
    columns = ("node", "way", "n", "is_leaf", "candidate", "worth", "log_worth")
    rows = tuple(
        (node.number, _way(node), node.n, not node.children, name, worth, node.log_worths[name])
        for node in root.walk()
        for name, worth in node.worths.items()
    )
    names = alt_names(result.candidates)
    leaves = [
        f"{f'node {leaf.number}, {_way(leaf)}' if leaf.conditions else 'all'} ({leaf.n}): "
        + ", ".join(f"{names[k]} {number(leaf.worths[k], 2)}" for k in leaf.order)
        for leaf in root.leaves
    ]
    words = measure_words(result.measure)
    head = f"Tree of worths by {words}, {len(root.leaves)} leaves. "
    return canvas.figure(
        "tree",
        result.measure.name,
        partial(draw_tree, result, root, canvas.words(_unit(result))),
        alt=alt_text(head + "; ".join(leaves) + "."),
        data=Series(columns, rows),
    )


def _way(node: TreeNode) -> str:
    return " and ".join(condition_words(c) for c in node.conditions)


def _variation(result: Psychoanalysis, canvas: Canvas) -> Figure:
    names, schemes = varying(result), result.schemes[:MOST_BOXES]
    rows = tuple(
        (name, label_of(result, scheme), *box)
        for name in names
        for scheme, box in zip(schemes, boxes_of(result, name), strict=True)
        if box is not None
    )
    medians = [
        f"{plain(name)} ({plain(label_of(result, scheme))}) {number(100 * box[2], 1)}"
        for name in names
        for scheme, box in zip(schemes, boxes_of(result, name), strict=True)
        if box is not None
    ]
    return canvas.figure(
        "variation",
        result.measure.name,
        partial(draw_variation, result),
        alt=alt_text(
            "Median deviation of the learning samples' characteristics in per cent: "
            + "; ".join(medians)
            + "."
        ),
        data=Series(("characteristic", "of", *FIVE), rows),
    )


def tabulate(result: Mapping[str, Psychoanalysis]) -> tuple[Table, ...]:
    """Lay out what the report shows, and everything else as files."""
    return tuple(t for found in result.values() for t in _tables(found))


def _tables(result: Psychoanalysis) -> Iterator[Table]:
    if result.characteristics:
        yield _characteristics(result)
    if result.tree is not None:
        yield _tests(result, result.tree)
        yield _nodes(result, result.tree)
        yield _worths(result, result.tree)
        yield _by_dataset(result)
    if result.variation:
        yield _variation_table(result)


def _characteristics(result: Psychoanalysis) -> Table:
    """One row a characteristic: its range, its test at the root, its part in resampled trees."""
    # Without those that cannot be tested, where others can; the table of the data sets has them.
    columns: list[ColumnOf[Trait]] = [
        (Column("characteristic", "Characteristic", "text"), lambda t: t.name),
        (Column("definition", "What it is", "text"), lambda t: _what(t, result)),
        Column("least", "From", "setting"),
        Column("greatest", "To", "setting"),
    ]
    tests = {t.characteristic: t for t in result.tree.tests} if result.tree else {}
    if tests:
        columns += [
            (Column("statistic", "Statistic", "statistic"), lambda t: tests[t.name].statistic),
            (Column("p_value", "Adjusted p", "pvalue"), lambda t: tests[t.name].p_value),
        ]
    if result.stability:
        root, anywhere = result.stability.root, result.stability.anywhere
        columns += [
            (
                Column("root", "First in resampled trees (%)", "number"),
                lambda t: 100 * root[t.name] if t.name in root else None,
            ),
            (
                Column("anywhere", "Anywhere (%)", "number"),
                lambda t: 100 * anywhere[t.name] if t.name in anywhere else None,
            ),
        ]
    traits = [t for t in result.characteristics if t.name in tests or not tests]
    traits.sort(key=lambda t: tests[t.name].p_value if t.name in tests else 2.0)
    return Table.of(
        traits, columns, name="characteristics", measure=result.measure.name, is_wide=True
    )


def _what(trait: Trait, result: Psychoanalysis) -> str:
    """Return the definition of a characteristic, or whose it is."""
    own = "set by the study" if trait.name in result.factors else "the study’s own"
    return trait.definition or own


def _tests(result: Psychoanalysis, root: TreeNode) -> Table:
    """One row a node and characteristic."""
    columns: tuple[ColumnOf[tuple[TreeNode, NodeTest]], ...] = (
        (Column("node", "Node", "count"), lambda row: row[0].number),
        (Column("characteristic", "Characteristic", "text"), lambda row: row[1].characteristic),
        (Column("statistic", "Statistic", "statistic"), lambda row: row[1].statistic),
        (Column("df", "Parameters", "count"), lambda row: row[1].df),
        (Column("p_value", "Adjusted p", "pvalue"), lambda row: row[1].p_value),
        (Column("p_value_alone", "p alone", "pvalue"), lambda row: row[1].p_value_alone),
        (Column("divides", "Divides", "text"), lambda row: _divides(*row)),
    )
    rows = [(node, test) for node in root.walk() for test in node.tests]
    return Table.of(rows, columns, name="tests", measure=result.measure.name)


def _divides(node: TreeNode, test: NodeTest) -> str | None:
    return "yes" if node.split and node.split.characteristic == test.characteristic else None


def _nodes(result: Psychoanalysis, root: TreeNode) -> Table:
    """One row a node: the way to it, its size, who leads in it."""
    units = "Data sets" if result.cluster == "dataset" else "Learning samples"
    columns: tuple[ColumnOf[TreeNode], ...] = (
        (Column("node", "Node", "count"), lambda node: node.number),
        (
            Column("way", "Way to it", "text"),
            lambda node: " and ".join(condition_words(c) for c in node.conditions) or "all",
        ),
        Column("n", units, "count"),
        (Column("order", "Candidates by worth", "order"), lambda node: node.ranks),
        (
            Column("divided_by", "Divided by", "text"),
            lambda node: node.split and node.split.characteristic,
        ),
        (Column("p_value", "Adjusted p", "pvalue"), _p_value),
    )
    measure = result.measure.name
    return Table.of(root.walk(), columns, name="nodes", measure=measure, is_wide=True)


def _p_value(node: TreeNode) -> float | None:
    """Return the p-value of the split, else the smallest one of a node without a split."""
    if node.split:
        return node.split.p_value
    return node.tests[0].p_value if node.tests else None


def _worths(result: Psychoanalysis, root: TreeNode) -> Table:
    """One row a candidate: log worth of all comparisons, and the worths in every leaf."""
    pooled = result.bradley_terry.pooled if result.bradley_terry else None
    log_worths, errors, worths = (
        (pooled.log_worths, pooled.clustered_errors, pooled.worths) if pooled else ({}, {}, {})
    )
    columns: list[ColumnOf[str]] = [
        (CANDIDATE, str),
        (Column("log_worth", "Log worth", "number"), log_worths.get),
    ]
    if errors:
        columns.append((Column("standard_error", "Standard error", "number"), errors.get))
    columns.append((Column("worth", "Worth", "number", "larger"), worths.get))
    leaves = root.leaves if root.children else ()
    for leaf in leaves[:MOST_LEAVES]:
        worth = Column(f"worth in {leaf.number}", f"Node {leaf.number}", "number", "larger")
        columns.append((worth, leaf.worths.get))
    names = root.order if pooled else ()
    return Table.of(names, columns, name="worths", measure=result.measure.name)


def _by_dataset(result: Psychoanalysis) -> Table:
    """One row a data set: its characteristics and the worths on it."""
    models = result.bradley_terry.datasets if result.bradley_terry else {}
    columns = (
        DATASET,
        *(Column(f"worth of {name}", name, "number") for name in result.candidates),
        *(
            Column(t.name, t.name, "number" if t.kind == "numeric" else "text")
            for t in result.characteristics
        ),
    )
    rows = tuple(
        (
            dataset,
            *(models[dataset].worths[k] if dataset in models else None for k in result.candidates),
            *(t.values.get(dataset) for t in result.characteristics),
        )
        for dataset in result.datasets
    )
    return Table("datasets", result.measure.name, columns, rows, is_wide=True)


def _variation_table(result: Psychoanalysis) -> Table:
    """One row a characteristic, data set and scheme: learning samples compared with the whole."""
    columns = (
        Column("characteristic", "Characteristic", "text"),
        DATASET,
        (Column("scheme", "Scheme", "text"), lambda v: v.scheme or result.own_scheme or None),
        Column("whole", "Whole data set", "number"),
        Column("mean", "Mean of the samples", "number"),
        Column("sd", "Standard deviation", "number"),
        Column("low", "5% quantile of deviations", "number"),
        Column("middle", "Median", "number"),
        Column("high", "95% quantile", "number"),
    )
    return Table.of(result.variation, columns, name="variation", measure=result.measure.name)
