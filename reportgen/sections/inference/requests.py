"""Figures of the inference that no report has by itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from reportgen.drawing import (
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    fit_axis,
    measure_words,
    shorten_names,
    text_width,
)
from reportgen.drawing.labels import MARK_WIDTH, name_mark
from reportgen.drawing.plots.boxes import draw_box
from reportgen.drawing.plots.pairs import draw_pairs
from reportgen.drawing.plots.processes import Lane, ProcessPlot, draw_processes
from reportgen.drawing.plots.rank_ranges import draw_rank_ranges
from reportgen.drawing.plots.rows import DIVIDER, GAP, GUTTER, PHONE_GUTTER, PX, RowColumn
from reportgen.drawing.style import SMALL
from reportgen.notation import NOTHING, NumberFormat, level_words, number, whole_range
from reportgen.performance_measure import Measure
from reportgen.report import Figure, Series
from reportgen.sections.inference.figures import decision_column, lay_out_pairs, size_columns
from reportgen.sections.inference.result import ALL_PAIRS, SPREADS
from reportgen.stats.multiplicity.cliques import maximal_cliques

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from reportgen.sections.base import Request
    from reportgen.sections.inference.result import Diagnostics, InferenceResult, MeasureInference
    from reportgen.stats.verdict import Verdict

MOST_RANKED = 30  # candidates that have room in a diagram of ranks
MOST_GROUPS = 30  # bars in it
MOST_TIMED, MOST_PROCESSES = 12, 60  # candidates, and processes of one, that have room
MOST_RANGES = 60  # candidates whose ranges of ranks have room on a page

ROW, BOX = 24 * PX, 12.0  # pt: height of a row, and of a box in it
HEAD, FOOT, BETWEEN = 16.0, 30.0, 18.0  # pt: above, below and between the panels


def cd(result: InferenceResult, canvas: Canvas) -> Iterator[Figure]:
    """Mean ranks over replications, bars through those that tests leave (Demšar 2006, fig. 1)."""
    for found in canvas.of_measures(result.values()):
        sums, pairs = found.rank_sums, found.rank_pairs
        if not sums or not pairs or not found.friedman or not 3 <= len(sums) <= MOST_RANKED:
            continue
        ranks = {name: x / found.n_blocks for name, x in sums.items()}
        groups = undecided_groups(ranks, pairs.candidates, pairs.incidence)
        if groups is not None:
            yield cd_figure(
                canvas,
                found.measure.name,
                f"{measure_words(found.measure)} in {found.n_blocks} "
                f"{canvas.words('replications')}",
                ranks,
                groups,
            )


def undecided_groups(
    ranks: Mapping[str, float], candidates: Sequence[str], better: NDArray[np.bool_]
) -> tuple[tuple[str, ...], ...] | None:
    """Return the largest groups of which no two are decided; None where there are too many.

    `ranks`: of all candidates, by which they are ordered.
    `candidates`, `better`: who is decided to be better than whom.
    """
    order = sorted(range(len(candidates)), key=lambda k: ranks[candidates[k]])
    found = maximal_cliques(~(better | better.T), order, MOST_GROUPS)
    if len(found) > MOST_GROUPS:
        return None
    return tuple(tuple(candidates[k] for k in group) for group in found)


def cd_figure(
    canvas: Canvas,
    measure: str,
    words: str,
    ranks: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    name: str = "cd",
    difference: float | None = None,
) -> Figure:
    """Draw a critical difference diagram.

    `words`: by what, and of what.
    `groups`: candidates of which no two are decided.
    `difference`: of mean ranks that is critical, where there is one for all pairs.
    """
    from reportgen.drawing.plots.critical_difference import Ranking, draw_critical_difference

    order = sorted(ranks, key=lambda name: ranks[name])
    names = alt_names(order)
    means = ", ".join(f"{names[n]} {number(ranks[n], 2)}" for n in order)
    bars = "; ".join(", ".join(names[n] for n in group) for group in groups) or "none"
    place = {
        name: ", ".join(str(i + 1) for i, group in enumerate(groups) if name in group)
        for name in order
    }
    return canvas.figure(
        name,
        measure,
        partial(draw_critical_difference, Ranking(ranks, groups, difference)),
        alt=alt_text(
            f"Mean ranks by {words}, best first: {means}. "
            f"Groups without a significant difference: {bars}.",
            f"Mean ranks by {words}, best first: {means}.",
        ),
        data=Series(
            ("candidate", "mean_rank", "groups"), tuple((n, ranks[n], place[n]) for n in order)
        ),
    )


def residuals(result: InferenceResult, canvas: Canvas) -> Iterator[Figure]:
    """Fitted values and residuals of the block model (Eugster et al. 2008, fig. 13)."""
    for found in canvas.of_measures(result.values()):
        seen = found.diagnostics
        if seen is None or not seen.residuals_of:
            continue
        at, order = found.value_format, tuple(n for n in found.order if n in seen.residuals_of)
        names = alt_names(order)
        quartiles = {name: at.interval(*seen.middle_half(name)) for name in order}
        unit = at.in_unit
        rows = tuple(
            (name, b + 1, fitted, residual)
            for name in order
            for b, (fitted, residual) in enumerate(
                zip(seen.fitted_of[name], seen.residuals_of[name], strict=True)
            )
            if residual == residual  # no value, no residual
        )
        texts = [f"{names[name]} {quartiles[name]}" for name in order]
        yield canvas.figure(
            "residuals",
            found.measure.name,
            partial(draw_residuals, seen, order, found.measure, at),
            alt=alt_text(
                f"Box plots of fitted values and residuals of {measure_words(found.measure)}{unit}"
                f" by the block model. Middle half of the residuals: {'; '.join(texts)}."
            ),
            data=Series(("candidate", "place", "fitted", "residual"), rows),
        )


def tukey(result: InferenceResult, canvas: Canvas) -> Iterator[Figure]:
    """Simultaneous intervals of all pairs by the block model (Eugster 2011, fig. 2.5)."""
    for found in canvas.of_measures(result.values()):
        shown = _by_block_model(found)
        if shown is None or len(shown.order) > ALL_PAIRS:
            continue
        at = shown.number_format
        columns = (*size_columns(shown, at), decision_column(shown))
        names = alt_names(shown.order)
        texts = [
            f"{names[p.first]} against {names[p.second]} {at.difference(*shown.advantage(p))} "
            f"({at.difference_interval(*shown.advantage(p)[1])}), {p.words}"
            for p in shown.best_first
        ]
        pairs = shown.arranged
        estimates, lower, upper = shown.advantages(pairs)
        rows = zip(
            *map(list, zip(*pairs.both, strict=True)),
            estimates.tolist(), lower.tolist(), upper.tolist(),
            strict=True,
        )  # fmt: skip
        unit = f" in {at.difference_unit}" if at.difference_unit else ""
        yield canvas.figure(
            "tukey",
            shown.measure.name,
            partial(draw_pairs, lay_out_pairs(shown, at, None, columns)),
            alt=alt_text(
                f"Simultaneous {level_words(shown.alpha)} intervals of "
                f"{measure_words(shown.measure)} by the block model with one variance, the "
                f"advantage of the first{unit}: {'; '.join(texts)}."
            ),
            data=Series(("first", "second", "advantage", "lower", "upper"), tuple(rows)),
        )


def processes(result: InferenceResult, canvas: Canvas) -> Iterator[Figure]:
    """Means of processes, and the runs of each (Kalibera and Jones 2013, section 5)."""
    for found in canvas.of_measures(result.values()):
        if not 1 <= len(found.processes) <= MOST_TIMED or max(found.n_processes) > MOST_PROCESSES:
            continue
        at = found.value_format
        order = [name for name in found.order if name in found.processes]
        means, names = np.exp if found.is_ratio else np.asarray, alt_names(order)
        lanes, rows, texts = {}, list[tuple[object, ...]](), []
        parts = {part: [spread_words(found, name, part) for name in order] for part in SPREADS}
        for k, name in enumerate(order):
            own = found.processes[name].runs
            middle = [float(means(np.mean(np.log(x) if found.is_ratio else x))) for x in own]
            ends = [(min(x), max(x)) for x in own]
            low, high = (at.factor * np.array(x) for x in zip(*ends, strict=True))
            lanes[name] = Lane(at.factor * np.array(middle), low, high)
            rows += [
                (name, p + 1, len(x), m, *e)
                for p, (x, m, e) in enumerate(zip(own, middle, ends, strict=True))
            ]
            texts.append(
                f"{names[name]} {at.interval(min(middle), max(middle))}, {parts['between'][k]} "
                f"between processes and {parts['within'][k]} within"
            )
        columns = tuple(RowColumn(part, tuple(words)) for part, words in parts.items())
        words, unit = measure_words(found.measure), at.bracketed_unit
        yield canvas.figure(
            "processes",
            found.measure.name,
            partial(
                draw_processes, ProcessPlot(lanes, columns, words + unit, at.unit_symbol or words)
            ),
            alt=alt_text(
                f"Means of processes by {words}{unit}, standard deviations beside: "
                f"{'; '.join(texts)}."
            ),
            data=Series(("candidate", "process", "runs", "mean", "least", "largest"), tuple(rows)),
        )


def spread_words(found: MeasureInference, name: str, part: Literal["between", "within"]) -> str:
    """Write a standard deviation of processes or runs: of ratios in per cent."""
    x = found.spread_of(name, part)
    if not isfinite(x):
        return NOTHING
    if found.is_ratio:
        return f"{100 * x:.2g}%"
    return found.value_format.value(x)


def rank_ranges(result: InferenceResult, canvas: Canvas) -> Iterator[Figure]:
    """Ranks that each candidate can have by the decisions on the pairs (Mogstad et al. 2024)."""
    for found in canvas.of_measures(result.values()):
        yield from rank_ranges_of(found, canvas)


def rank_ranges_of(verdict: Verdict, canvas: Canvas) -> Iterator[Figure]:
    """Draw the ranges of ranks of a verdict, unless two candidates or too many have some."""
    ranges = verdict.rank_ranges if verdict.pairs else {}
    if not 3 <= len(ranges) <= MOST_RANGES:
        return
    names = alt_names(list(ranges))
    texts = "; ".join(f"{names[name]} {whole_range(*own)}" for name, own in ranges.items())
    first = ", ".join(names[name] for name in verdict.may_be_first)
    head = f"Ranks that candidates can have by {measure_words(verdict.measure)}, 1 the best"
    yield canvas.figure(
        "rank-ranges",
        verdict.measure.name,
        partial(draw_rank_ranges, ranges),
        alt=alt_text(f"{head}: {texts}. May be first: {first}.", f"{head}. May be first: {first}."),
        data=Series(
            ("candidate", "rank_from", "rank_to", "may_be_first"),
            tuple((name, low, high, low == 1) for name, (low, high) in ranges.items()),
        ),
    )


def _by_block_model(found: MeasureInference) -> MeasureInference | None:
    """Return the verdict as it would be by the block model; None where that has no intervals."""
    if found.method == "block-model":
        return found
    method = found.methods.get("block-model")
    if method is None or len(method.pairs) < 2 or not found.is_comparable(method):
        return None
    return found.decided_by(method)


def draw_residuals(
    seen: Diagnostics,
    order: Sequence[str],
    measure: Measure,
    number_format: NumberFormat,
    sheet: Sheet,
) -> None:
    """Draw a row a candidate: the box of its fitted values, and that of its residuals."""
    sheet.begin(HEAD + ROW * len(order) + FOOT)
    page = sheet.page()
    most = PHONE_GUTTER if sheet.is_phone else GUTTER
    names = shorten_names(order, most, sheet.label)
    left = MARK_WIDTH + max(text_width(text, sheet.label) for text in names.values()) + GAP
    width = (sheet.width - left - BETWEEN - 6) / 2
    unit = number_format.bracketed_unit
    panels = (
        (seen.fitted_of, f"{measure_words(measure)}{unit}", "fitted", left),
        (seen.residuals_of, f"residual{unit}", "residuals", left + width + BETWEEN),
    )
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    for values, title, head, start in panels:
        axes = sheet.axes(start, FOOT, sheet.width - start - width, HEAD)
        columns = [_finite(number_format, values[name]) for name in order]
        axis = fit_axis(np.concatenate(columns), width, 40, may_be_log=False)
        axis.apply(axes, "x")
        axes.set(ylim=(ROW * len(order), 0), yticks=[])
        if head == "residuals":
            axes.axvline(0, color=sheet.colour("ink2"), lw=DIVIDER, zorder=0)
        for i, (name, own) in enumerate(zip(order, columns, strict=True)):
            draw_box(axes, axis.drawn(own), ROW * (i + 0.5), BOX, name, sheet)
        page.text(start, 6, head, va="center", **quiet)
        page.text(start, sheet.height - 5, title, va="center_baseline", **quiet)
    for i, name in enumerate(order):
        name_mark(sheet, page, 0, HEAD + ROW * (i + 0.5), name, names[name], size=sheet.label)


def _finite(
    number_format: NumberFormat, values: Sequence[float]
) -> np.ndarray[Any, np.dtype[np.float64]]:
    found = number_format.factor * np.array(values)
    return found[np.isfinite(found)]


REQUESTS: Mapping[str, Request] = {
    "cd": cd,
    "processes": processes,
    "rank-ranges": rank_ranges,
    "residuals": residuals,
    "tukey": tukey,
}
