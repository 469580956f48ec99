"""The tree of worths as an indented list: a node a line, the worths of the leaves beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.drawing import (
    DATA,
    HAIR,
    SMALL,
    THIN,
    TICK,
    Sheet,
    fit_axis,
    fitted,
    make_key,
    plain,
)
from reportgen.drawing.sheet import draw_lines
from reportgen.notation import pvalue, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.psychoanalysis.nodes import Condition, TreeNode
    from reportgen.sections.psychoanalysis.result import Psychoanalysis

INNER, LEAF, STRIP, BELOW = 30.0, 36.0, 34.0, 32.0  # pt: heights of lines, and of the axis
INDENT = 15.0  # pt a step down the tree
MARK = 6.0
LEVELS, STEP = (0, -1, 1, -2, 2), 6.4  # places of marks above and below the line, and pt between
APART = 7.0  # pt: marks that are nearer stand above one another


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


def draw_tree(result: Psychoanalysis, root: TreeNode, sheet: Sheet) -> None:
    """Draw the tree, a node a line; on a phone the worths stand below a leaf's text."""
    key = make_key(sheet, result.candidates, sheet.width)
    top = key.height + 10
    lines = list(_lines(root, 0, top, is_phone=sheet.is_phone))
    bottom = lines[-1].above + lines[-1].height
    sheet.begin(bottom + BELOW)
    left = 0.0 if sheet.is_phone else 0.5 * sheet.width
    largest = max(w for line in lines for w in line.node.worths.values())
    axis = fit_axis([0.0, largest], sheet.width - left - 20, 40, may_be_log=False)
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    _connect(sheet, page, lines)
    axes = sheet.axes(left + 10, BELOW - 4, 10, top)
    axis.apply(axes, "x")
    axes.set(ylim=(bottom, top), yticks=[])
    even = 1 / len(result.candidates)
    strips = [_strip_at(sheet, line) for line in lines if not line.node.children]
    marks = [[(even, y - STRIP / 2), (even, y + STRIP / 2)] for y in strips]
    draw_lines(axes, marks, sheet.colour("ghost"), THIN, zorder=0)
    for line in lines:
        width = (left if left else sheet.width) - line.depth * INDENT - 16
        _tell(sheet, page, result, line, width)
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


def said(condition: Condition) -> str:
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


def _connect(sheet: Sheet, page: Axes, lines: Sequence[Line]) -> None:
    """Draw elbows from every node to its children."""
    by_number = {line.node.number: line for line in lines}
    elbows = []
    for line in lines:
        x = 4 + line.depth * INDENT
        for child in line.node.children:
            y = by_number[child.number].middle - 6
            elbows.append([(x, line.middle + 12), (x, y), (x + INDENT - 5, y)])
    draw_lines(page, elbows, sheet.colour("axis"), DATA)


def _tell(sheet: Sheet, page: Axes, result: Psychoanalysis, line: Line, width: float) -> None:
    """Write how one comes to a node, how much is in it, and by what it is divided."""
    node, x = line.node, 2 + line.depth * INDENT
    head = said(node.conditions[-1]) if node.conditions else _all(result)
    head = said(_last(node, result)) if node.conditions else head
    page.text(
        x,
        line.middle - 6,
        fitted(head, width, sheet.label, is_bold=True),
        fontsize=sheet.label,
        fontweight=600,
        va="center_baseline",
    )
    page.text(
        x + (0 if not node.children else 10),
        line.middle + 7,
        fitted(_below(node, result), width, SMALL),
        fontsize=SMALL,
        color=sheet.colour("ink2"),
        va="center_baseline",
    )


def _all(result: Psychoanalysis) -> str:
    what = "data sets" if result.cluster == "dataset" else "learning samples"
    return f"All {result.n_units:,} {what}"


def _last(node: TreeNode, result: Psychoanalysis) -> Condition:
    """Return the condition that the division just above a node has set."""
    root = result.tree
    parent = next((n for n in root.walk() if node in n.children), None) if root else None
    if parent is None or parent.split is None:
        return node.conditions[-1]
    name = parent.split.characteristic
    return next(c for c in node.conditions if c.characteristic == name)


def _below(node: TreeNode, result: Psychoanalysis) -> str:
    """Write size and test of a node."""
    unit = "data set" if result.cluster == "dataset" else "learning sample"
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
        axes.plot([x], [at], **sheet.mark(name, MARK), zorder=3, clip_on=False)
