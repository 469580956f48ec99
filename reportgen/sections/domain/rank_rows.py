"""Mean ranks of many candidates, a row each: who is told apart from the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reportgen.drawing import HAIR, SMALL, Sheet, fit_axis, fitted, shortened, text_width
from reportgen.drawing.sheet import draw_lines, fill_boxes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.sections.domain.across_result import AcrossRanks

LINE, HEAD, FOOT = 10.6, 20.0, 28.0  # pt a candidate; heads; axis
MARK, DOT = 9.0, 4.6  # pt from the axis to a candidate's mark; a rank


def draw_rank_rows(across: AcrossRanks, sheet: Sheet) -> None:
    """Draw a row a candidate: its mean rank, and whether it is told apart from the best."""
    order = across.order
    names = shortened(order, 80 if sheet.is_phone else 150, SMALL)
    left = max(text_width(t, SMALL) for t in names.values()) + 2 * MARK + 2
    numbers = [f"{across.mean_ranks[name]:.2f}" for name in order]
    right = max(text_width(t, SMALL) for t in (*numbers, "mean rank")) + 10
    sheet.begin(HEAD + LINE * len(order) + FOOT)
    axes = sheet.axes(left, FOOT, right, HEAD)
    ranks = [across.mean_ranks[name] for name in order]
    axis = fit_axis([1.0, *ranks], sheet.width - left - right, 40, may_be_log=False)
    axis.apply(axes, "x")
    axes.set(ylim=(len(order) - 0.5, -0.5), yticks=[])
    rules = [[(axis.lower, y), (axis.upper, y)] for y in range(len(order))]
    draw_lines(axes, rules, sheet.colour("rule"), HAIR, zorder=1)
    _shade(sheet, axes, across, axis.upper)
    _plot(sheet, axes, across)
    page = sheet.page()
    for y, (name, number) in enumerate(zip(order, numbers, strict=True)):
        middle = HEAD + (y + 0.5) * LINE
        style: dict[str, Any] = {"ha": "right", "va": "center_baseline", "fontsize": SMALL}
        page.plot([left - MARK], [middle], **sheet.mark(name, 4.6))
        page.text(left - 2 * MARK, middle, names[name], **style)
        page.text(sheet.width, middle, number, **style)
    _write_heads(sheet, page, across, left)


def _shade(sheet: Sheet, axes: Axes, across: AcrossRanks, end: float) -> None:
    """Shade the ranks that Nemenyi's test does not tell from the best one."""
    if across.critical_difference is not None:
        best = across.mean_ranks[across.order[0]]
        width = min(best + across.critical_difference, end) - best
        box = (best, -0.5, width, float(len(across.order)))
        fill_boxes(axes, [box], sheet.colour("band"))


def _plot(sheet: Sheet, axes: Axes, across: AcrossRanks) -> None:
    """Draw the ranks: full where a candidate is told apart from the best, else open."""
    best = across.order[0]
    told = {p.second for p in across.pairs or () if p.first == best and p.favoured is not None}
    ink, paper = sheet.colour("ink"), sheet.colour("paper")
    for names, face in ((told, ink), (set(across.order) - told, paper)):
        ys = [y for y, name in enumerate(across.order) if name in names]
        xs = [across.mean_ranks[across.order[y]] for y in ys]
        axes.plot(
            xs, ys, linestyle="none", marker="o", markersize=DOT, markerfacecolor=face,
            markeredgecolor=ink, markeredgewidth=1.0, zorder=3, clip_on=False,
        )  # fmt: skip


def _write_heads(sheet: Sheet, page: Axes, across: AcrossRanks, left: float) -> None:
    """Name the columns, and say how wide the shaded ranks are."""
    style: dict[str, Any] = {
        "va": "center_baseline", "fontsize": SMALL, "color": sheet.colour("ink2"),
    }  # fmt: skip
    page.text(sheet.width, 9, "mean rank", ha="right", **style)
    page.text(left, sheet.height - 7, "mean rank, 1 the best", **style)
    if across.critical_difference is not None:
        text = f"shaded: critical difference {across.critical_difference:.2f} (Nemenyi)"
        room = sheet.width - left - text_width("mean rank", SMALL) - 12
        page.text(left, 9, fitted(text, room, SMALL), **style)
