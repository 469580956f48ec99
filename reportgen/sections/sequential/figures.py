"""Tables of the monitoring, and its figures, all on request: tracks of p-values, and stages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any

from reportgen.drawing import (
    SMALL,
    Canvas,
    Sheet,
    alt_text,
    fit_axis,
    measure_words,
    plain,
    shorten_text,
)
from reportgen.drawing.plots.rows import DIVIDER, STROKE
from reportgen.notation import number, number_format, pvalue
from reportgen.report import ColumnOf, Figure, Series, Table
from reportgen.sections.sequential.analysis import (
    DIRECTIONS,
    FixedVerdict,
    Monitored,
    Monitoring,
    SequentialResult,
)
from reportgen.stats.columns import Column, opposite
from reportgen.stats.decisions import decision_words
from reportgen.stats.sequential.stages import StageVerdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from reportgen.drawing import ValueAxis
    from reportgen.methods import CombinationName
    from reportgen.sections.base import Request
    from reportgen.sections.sequential.analysis import StageResult

MOST = 30  # pairs that have room

LEAST_P = 1e-4  # smaller p-values are drawn as this one
HIGH, HEAD, FOOT, BETWEEN = 78.0, 15.0, 30.0, 14.0  # pt: of a panel, and above; of the sheet
LEFT, MOST_ACROSS, LEAST_PANEL = 34.0, 3, 108.0  # pt: for the ticks; panels; width of one
MARK, TICK = 4.5, 0.025  # pt: of a stage; half its bounds, as a share of the replications


def p_track(result: SequentialResult, canvas: Canvas) -> Iterator[Figure]:
    """p-values of the pairs while replications accumulate (Eugster 2011, fig. 6.1b)."""
    for found in canvas.of_measures(result.values()):
        pairs = [pair for pair in found.by_advantage if pair.p_values]
        if not 1 <= len(pairs) <= MOST:
            continue
        texts = [
            f"{plain(pair.first or '')} against {plain(pair.second or '')} "
            + (
                "not significant at the last"
                if pair.point_of_consecutive_significance is None
                else f"significant from {pair.point_of_consecutive_significance} to the last"
            )
            + f", last p {pvalue(pair.p_values[-1])}"
            for pair in pairs
        ]
        rows = tuple(
            (pair.first, pair.second, n, p)
            for pair in pairs
            for n, p in zip(pair.replication, pair.p_values, strict=True)
        )
        yield canvas.figure(
            "p-track",
            found.measure.name,
            partial(draw_tracks, pairs),
            alt=alt_text(
                f"p-values of pairs by {measure_words(found.measure)} after each of "
                f"{found.n_replications} {canvas.words('replications')}: {'; '.join(texts)}."
            ),
            data=Series(("first", "second", "replication", "p_value"), rows),
        )


def stages(result: SequentialResult, canvas: Canvas) -> Iterator[Figure]:
    """p-values of the stages and their bounds, a panel a pair (Eugster 2011, fig. 6.5 and 6.6)."""
    for found in canvas.of_measures(result.values()):
        pairs = [pair for pair in found.by_advantage if pair.stages]
        if not 1 <= len(pairs) <= MOST:
            continue
        texts = [
            f"{plain(pair.first or '')} against {plain(pair.second or '')}: "
            + ", ".join(f"{pvalue(s.p_value)} at {s.replication} ({s.decision})"
                        for s in pair.stages)
            for pair in pairs
        ]  # fmt: skip
        rows = tuple(
            (
                *(pair.first, pair.second, s.replication, s.p_value),
                *(s.alpha_1, s.alpha_0, s.c, s.decision),
            )
            for pair in pairs
            for s in pair.stages
        )
        columns = (
            "first",
            "second",
            "replication",
            "p_value",
            "alpha_1",
            "alpha_0",
            "c",
            "decision",
        )
        yield canvas.figure(
            "stages",
            found.measure.name,
            partial(draw_stages, pairs, found.combination),
            alt=alt_text(
                f"p-values of the stages by {measure_words(found.measure)}: {'; '.join(texts)}."
            ),
            data=Series(columns, rows),
        )


REQUESTS: Mapping[str, Request] = {"p-track": p_track, "stages": stages}


def drawn(values: Sequence[float]) -> list[float]:
    """Return p-values as they are drawn: none is smaller than the axis shows."""
    return [max(p, LEAST_P) for p in values]


def draw_tracks(pairs: Sequence[Monitored], sheet: Sheet) -> None:
    """Draw p of each pair after every replication, the level, and the band of random orders."""
    last = max(n for pair in pairs for n in pair.replication)
    everything = [p for pair in pairs for p in (*pair.p_values, pair.alpha)]
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
            axes.annotate(
                str(since), (since, 1.0), (-3 if is_late else 3, -1), textcoords="offset points",
                fontsize=SMALL, va="top", ha="right" if is_late else "left",
                color=sheet.colour("ink2"),
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


def verdict_word(
    monitoring: Monitoring, pair: Monitored, verdict: StageVerdict | None
) -> str | None:
    """Return the verdict on the one of a pair with the better mean."""
    if verdict is None or verdict not in DIRECTIONS:
        return "given up" if verdict == "not-distinguished" else verdict
    is_first = monitoring.winner(pair, verdict) == monitoring.leads(pair)[0]
    word = "better" if is_first else "worse"
    return f"{word}, not relevant" if verdict.endswith("equivalent") else word


def stages_words(monitoring: Monitoring, pair: Monitored) -> str:
    """Write the verdict of the stages on a pair, and what they leave open."""
    word = verdict_word(monitoring, pair, pair.verdict) or "open"
    if word == "open" or pair.decided_at is not None:
        return word
    return (
        f"{word}, direction not established"
        if word == "equivalent"
        else f"{word}, relevance not established"
    )


def fixed_word(monitoring: Monitoring, pair: Monitored, fixed: FixedVerdict | None) -> str | None:
    """Return the verdict of a fixed design on the one of a pair that leads."""
    if fixed is None:
        return None
    leading = fixed if monitoring.leads(pair)[0] == pair.first else opposite(fixed)
    return decision_words(leading.decision, leading.way)


def tabulate(result: SequentialResult) -> tuple[Table, ...]:
    """Lay out one table a measure, fixed designs where there are, the stages of a single pair."""
    found = [m for m in result.values() if m.pairs]
    stages = [m for m in found if len(m.pairs) == 1 and len(m.pairs[0].stages) > 1]
    fixed = [m for m in found if any(pair.at for pair in m.pairs)]
    return (*map(_pairs, found), *map(_fixed_designs, fixed), *map(_stages, stages))


def _pairs(monitoring: Monitoring) -> Table:
    """One row a pair: since when it is clear, and when each method decides."""
    columns: list[ColumnOf[Monitored]] = [
        (Column("pair", "Pair, better first", "pair"), monitoring.leads),
        (
            Column("difference", "Times" if monitoring.is_ratio else "Advantage", "difference"),
            monitoring.advantage,
        ),
        (
            Column("point", "p stays low from", "count"),
            lambda p: p.point_of_consecutive_significance,
        ),
        (
            Column("stable_from", "Any order from", "count"),
            lambda p: p.random_orders and p.random_orders.stable_from,
        ),
        (Column("verdict", "By stages", "text"), lambda p: stages_words(monitoring, p)),
        Column("decided_at", "Settled after", "count"),
        (
            Column("group_at", "Group sequential", "count"),
            lambda p: p.group_sequential and p.group_sequential.replication,
        ),
        (
            Column("sign_at", "Sign e-process", "count"),
            lambda p: p.anytime and p.anytime.sign_decided_at,
        ),
    ]
    return Table.of(
        monitoring.by_advantage,
        columns,
        name="pairs",
        measure=monitoring.measure.name,
        number_format=number_format(
            monitoring.measure, monitoring.differences, is_ratio=monitoring.is_ratio
        ),
        is_wide=True,
    )


def _fixed_designs(monitoring: Monitoring) -> Table:
    """One row a pair: the verdicts of fixed designs."""
    sizes = (*monitoring.fixed_sizes, monitoring.n_replications)
    columns = (
        Column("pair", "Pair, better first", "pair"),
        *(Column(f"at_{n}", f"With {n}", "text") for n in sizes),
        Column("p_value", "p-value with all, alone", "pvalue"),
        Column("adjusted_p_value", "adjusted", "pvalue"),
    )
    rows = []
    for pair in monitoring.by_advantage:
        fixed = {verdict.replications: verdict for verdict in pair.at}
        words = (fixed_word(monitoring, pair, fixed.get(n)) for n in sizes)
        last = pair.at[-1] if pair.at else None
        p_values = (last.p_value, last.adjusted_p_value) if last else (None, None)
        rows.append((monitoring.leads(pair), *words, *p_values))
    return Table("fixed", monitoring.measure.name, columns, tuple(rows), is_wide=True)


def _stages(monitoring: Monitoring) -> Table:
    """One row a stage of the only pair."""
    columns = (
        Column("replication", "Replications", "count"),
        Column("p_value", "p-value of the stage", "pvalue"),
        Column("alpha_star", "Level left", "number"),
        Column("alpha_1", "Rejects up to", "number"),
        Column("alpha_0", "Accepts above", "number"),
        Column("c", "Critical value", "number"),
        Column("decision", "Decision", "text"),
    )
    return Table.of(
        monitoring.pairs[0].stages, columns, name="stages", measure=monitoring.measure.name
    )
