"""Tracks of p-values over replications, and p-values of stages, a panel a pair, on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from reportgen.drawing import SMALL, Sheet, fit_axis, shorten_text
from reportgen.drawing.plots.rows import DIVIDER, STROKE
from reportgen.notation import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing import ValueAxis
    from reportgen.sections.sequential.result import Monitored, StageResult
    from reportgen.stats.sequential.stages import CombinationName

LEAST_P = 1e-4  # smaller p-values are drawn as this one
HIGH, HEAD, FOOT, BETWEEN = 78.0, 15.0, 30.0, 14.0  # pt: of a panel, and above; of the sheet
LEFT, MOST_ACROSS, LEAST_PANEL = 34.0, 3, 108.0  # pt: for the ticks; panels; width of one
MARK, TICK = 4.5, 0.025  # pt: of a stage; half its bounds, as a share of the replications


def drawn(values: Sequence[float]) -> list[float]:
    """Return p-values as they are drawn: none is smaller than the axis shows."""
    return [max(p, LEAST_P) for p in values]


def draw_tracks(pairs: Sequence[Monitored], sheet: Sheet) -> None:
    """Draw p of each pair after every replication, the level, and the band of random orders."""
    last = max(n for pair in pairs for n in pair.replication)
    everything = [p for pair in pairs for p in pair.p_values]
    for axes, pair in _panels(pairs, last, everything, sheet):
        orders = pair.random_orders
        if orders is not None:
            axes.fill_between(
                orders.replication, drawn(orders.lower), drawn(orders.upper),
                color=sheet.colour("rule"), lw=0, zorder=0.5,
            )  # fmt: skip
        _level(axes, pair.alpha, last, sheet)
        (line,) = axes.plot(
            pair.replication, drawn(pair.p_values), color=sheet.colour("ink"), lw=STROKE / 1.5
        )
        sheet.link(line, *_names(pair))
        since = pair.point_of_consecutive_significance
        if since is not None:
            axes.axvline(since, color=sheet.colour("ink2"), lw=DIVIDER, ls=(0, (3, 2)))
            is_late = since > 0.8 * last
            axes.text(
                since, 1.0, f"{since} " if is_late else f" {since}", fontsize=SMALL, va="top",
                ha="right" if is_late else "left", color=sheet.colour("ink2"),
            )  # fmt: skip


def rejecting(stage: StageResult, combination: CombinationName) -> float:
    """Return up to which p-value a stage rejects at once.

    Fisher's product rejects up to c, too: no later p-value can make it larger.
    """
    has_c = combination == "fisher" and stage.c is not None
    return max(stage.alpha_1, stage.c or 0.0) if has_c else stage.alpha_1


def draw_stages(pairs: Sequence[Monitored], combination: CombinationName, sheet: Sheet) -> None:
    """Draw the p-value of each stage of each pair, and its bounds of rejecting and accepting."""
    last = max(stage.replication for pair in pairs for stage in pair.stages)
    stages = [stage for pair in pairs for stage in pair.stages]
    everything = [x for s in stages for x in (s.p_value, rejecting(s, combination))]
    for axes, pair in _panels(pairs, last, everything, sheet):
        ends = [stage.replication for stage in pair.stages]
        for values, style in (
            ([rejecting(s, combination) for s in pair.stages], "-"),
            ([s.alpha_0 for s in pair.stages], (0, (3, 2))),
        ):
            thin: dict[str, Any] = {"color": sheet.colour("ink2"), "lw": DIVIDER, "zorder": 1}
            axes.plot(ends, drawn(values), ls=style, **thin)
            for end, value in zip(ends, drawn(values), strict=True):
                axes.plot([end - TICK * last, end + TICK * last], [value] * 2, **thin)
        axes.plot(
            ends, drawn([s.p_value for s in pair.stages]), color=sheet.colour("axis"), lw=DIVIDER
        )
        for stage in pair.stages:
            is_end = stage.decision in ("reject", "accept")
            axes.plot(
                [stage.replication], drawn([stage.p_value]), linestyle="none", zorder=3,
                clip_on=False, marker="s" if stage.decision == "accept" else "o",
                markersize=MARK + is_end, markeredgecolor=sheet.colour("ink"),
                markeredgewidth=DIVIDER,
                markerfacecolor=sheet.colour("ink" if stage.decision == "reject" else "paper"),
            )  # fmt: skip


def _names(pair: Monitored) -> tuple[str, str]:
    return pair.first or "", pair.second or ""


def _panels(
    pairs: Sequence[Monitored], last: int, values: Sequence[float], sheet: Sheet
) -> Iterator[tuple[Axes, Monitored]]:
    """Lay out a panel a pair on a common grid; yield each with its pair."""
    n = len(pairs)
    across = int(min(MOST_ACROSS, n, max(1, (sheet.width - LEFT) // (LEAST_PANEL + BETWEEN))))
    width = (sheet.width - LEFT - BETWEEN * (across - 1) - 6) / across
    down = -(-n // across)
    sheet.begin((HIGH + HEAD) * down + FOOT)
    page = sheet.page()
    along = fit_axis([0.0, last], width, 40, may_be_log=False)
    lower = max(LEAST_P, min(values))
    ticks = [10.0**k for k in range(floor(log10(lower)), 1)]
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    for i, pair in enumerate(pairs):
        line, column = divmod(i, across)
        start, top = LEFT + column * (width + BETWEEN), line * (HIGH + HEAD)
        below = sheet.height - top - HIGH - HEAD
        axes = sheet.axes(start, below, sheet.width - start - width, top + HEAD)
        _scale(axes, along, ticks, lower, sheet, is_first=column == 0, is_last=i + across >= n)
        first, second = _names(pair)
        text = shorten_text(f"{first} against {second}", width, SMALL)
        page.text(start, top + HEAD - 6, text, va="center_baseline", fontsize=SMALL)
        yield axes, pair
    page.text(LEFT, sheet.height - 5, "replications", va="center_baseline", **quiet)
    page.text(0, HEAD - 6, "p", va="center_baseline", **quiet)


def _scale(
    axes: Axes, along: ValueAxis, ticks: Sequence[float], lower: float, sheet: Sheet,
    *, is_first: bool, is_last: bool,
) -> None:  # fmt: skip
    """Set the scales of a panel, and draw its grid."""
    along.apply(axes, "x")
    axes.set(yscale="log", ylim=(min(lower, ticks[0]) * 0.8, 1.25))
    labels = [number(t, max(0, -ceil(log10(t) - 1e-9))) for t in ticks]
    axes.set_yticks(list(ticks), labels if is_first else [""] * len(labels))
    axes.set_yticks([], minor=True)
    axes.tick_params(labelbottom=is_last, labelsize=SMALL, length=2)
    for tick in ticks:
        axes.axhline(tick, color=sheet.colour("rule"), lw=DIVIDER, zorder=0)


def _level(axes: Axes, alpha: float, last: int, sheet: Sheet) -> None:
    axes.plot([0, last], [alpha, alpha], color=sheet.colour("ink2"), lw=DIVIDER, zorder=1)
    axes.text(
        last, alpha, f"{alpha:g}", ha="right", va="bottom", fontsize=SMALL,
        color=sheet.colour("ink2"),
    )  # fmt: skip
