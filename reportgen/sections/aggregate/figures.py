"""Profiles of scores and of ratios, the matrix of pairs, and tables of the scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text, make_key
from reportgen.drawing.plots.heat_map import draw_heat_map
from reportgen.drawing.plots.shares import ABOVE, BELOW, BETWEEN, PanelBox, draw_steps, share_panel
from reportgen.notation import NumberFormat
from reportgen.report import CANDIDATE, ColumnOf, Figure, Series, Table, with_values
from reportgen.sections.aggregate.analysis import (
    AggregateResult,
    CandidateAggregate,
    Estimate,
    Normalisation,
)
from reportgen.stats.columns import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.drawing.page import PageArtist
    from reportgen.sections.aggregate.analysis import PairCell

PLOT, PHONE_PLOT = 150.0, 130.0  # pt: height of a panel
WIDEST_RATIO = 32.0  # beyond, ratios are not drawn
NEAR_THE_END = 0.97  # share of an axis from where on a number at its middle leaves the sheet
LEGEND = ("p above {alpha}", "row worse", "row better")

SCORES = NumberFormat(1.0, "", "", 3)
POINTS = NumberFormat(1.0, "", "", 0)
LABELS = {
    "range": "Range",
    "bounds": "Bounds",
    "ratio": "Ratio to the best",
    "ranks": "Mean rank",
}

Cells = ColumnOf[CandidateAggregate]


def draw(result: AggregateResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the profiles and, of a dozen candidates at most, the pairs."""
    if result is None:
        return ()
    return (_profiles(result, canvas), *((_matrix(result, canvas),) if result.pairs else ()))


def _profiles(result: AggregateResult, canvas: Canvas) -> Figure:
    names = alt_names(result.drawn)
    half = next(i for i, level in enumerate(result.levels) if level >= 0.5)
    shares = [f"{names[n]} {result.profiles[n][half]:.2f}" for n in result.drawn]
    words = canvas.words(f"Share of replications with a score above {result.levels[half]:.2g}: ")
    return canvas.figure(
        "profiles",
        result.measure,
        partial(_draw_profiles, result, canvas.words),
        alt=alt_text(words + "; ".join(shares) + ".", f"{words}{len(shares)} candidates."),
        data=Series(
            ("candidate", "kind", "at", "share"),
            tuple(
                (name, kind, float(x), float(y))
                for name in result.drawn
                for kind, steps in (
                    ("score", _steps(result, name)),
                    ("ratio", _ratios(result, name)),
                )
                for x, y in steps
            ),
        ),
    )


def _steps(result: AggregateResult, name: str) -> list[tuple[float, float]]:
    return list(zip(result.levels, result.profiles[name], strict=True))


def _ratios(result: AggregateResult, name: str) -> list[tuple[float, float]]:
    """Return the share of data sets within each ratio."""
    own = result.ratios.get(name, ())
    return [(x, (i + 1) / len(own)) for i, x in enumerate(own)]


def _draw_profiles(result: AggregateResult, words: Callable[[str], str], sheet: Sheet) -> None:
    key = make_key(sheet, result.drawn, sheet.width)
    n_panels = 2 if result.ratios else 1
    is_beside = n_panels == 2 and not sheet.is_phone
    height = PHONE_PLOT if sheet.is_phone else PLOT
    panel = ABOVE + height + BELOW
    top = key.height + 6
    sheet.begin(top + panel * (1 if is_beside else n_panels))
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    width = (sheet.width - BETWEEN) / 2 if is_beside else sheet.width
    what = words("share of data sets" if result.is_of_means else "share of replications")
    _score_panel(result, what, sheet, page, (0.0, top, width, height))
    if result.ratios:
        place = (width + BETWEEN, top) if is_beside else (0.0, top + panel)
        what = words("share of data sets")
        _ratio_panel(result, what, sheet, page, (*place, width, height))


def _score_panel(
    result: AggregateResult, what: str, sheet: Sheet, page: PageArtist, box: PanelBox
) -> None:
    axes = share_panel(sheet, page, box, what, "above a score")
    axes.set(xlim=(-0.25, 1.25), ylim=(0, 1))
    axes.set_xticks([0, 1], ["0: worst mean", "1: best mean"])
    for name in result.drawn:
        xy = np.array(_steps(result, name))
        draw_steps(sheet, axes, name, xy[:, 0], xy[:, 1])


def _ratio_panel(
    result: AggregateResult, what: str, sheet: Sheet, page: PageArtist, box: PanelBox
) -> None:
    axes = share_panel(sheet, page, box, what, "within so many times the best mean")
    ratios = {name: result.ratios[name] for name in result.drawn if name in result.ratios}
    last = max((x for own in ratios.values() for x in own), default=1.0)
    end = min(WIDEST_RATIO, max(1.5, last))
    axes.set_xscale("log")
    axes.set(xlim=(1, end * 1.05), ylim=(0, 1))
    ticks = [x for x in (1, 1.2, 1.5, 2, 3, 5, 10, 20, 30) if x <= end * 1.05]
    if len(ticks) > 6:
        ticks = [x for x in ticks if x not in (1.2, 3, 30)]
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
    if np.log(ticks[-1]) > NEAR_THE_END * np.log(end * 1.05):
        axes.get_xticklabels()[-1].set_horizontalalignment("right")
    axes.minorticks_off()
    for name in ratios:
        xy = np.array([(1.0, 0.0), *_ratios(result, name), (end * 1.05, 1.0)])
        known = xy[:, 0] <= end * 1.05
        draw_steps(sheet, axes, name, xy[known, 0], xy[known, 1])


def _matrix(result: AggregateResult, canvas: Canvas) -> Figure:
    order = [c.candidate for c in result.candidates]
    names = alt_names(order)
    told = [
        f"{names[p.first]} and {names[p.second]} {p.wins}, {p.ties}, {p.losses}"
        for p in result.pairs
        if p.first in names and p.second in names  # else they lack a data set
    ]
    words = canvas.words("Data sets on which the first is better, as good, worse: ")
    return canvas.figure(
        "matrix",
        result.measure,
        partial(_draw_matrix, result, order),
        alt=alt_text(words + "; ".join(told) + ".", f"{words}{len(told)} pairs."),
        data=Series(
            ("first", "second", "difference", "wins", "ties", "losses", "p_value"),
            tuple(
                (p.first, p.second, p.difference, p.wins, p.ties, p.losses, p.p_value)
                for p in result.pairs
            ),
        ),
    )


def _draw_matrix(result: AggregateResult, order: Sequence[str], sheet: Sheet) -> None:
    place = {name: i for i, name in enumerate(order)}
    n = len(order)
    classes, texts = np.zeros((n, n), dtype=int), np.full((n, n), "", dtype=object)
    for pair in result.pairs:
        if pair.first not in place or pair.second not in place:
            continue
        i, j = place[pair.first], place[pair.second]
        texts[i, j] = f"{pair.wins}–{pair.ties}–{pair.losses}"
        texts[j, i] = f"{pair.losses}–{pair.ties}–{pair.wins}"
        if result.is_significant(pair):
            better = _is_first_better(pair, result)
            classes[i, j], classes[j, i] = (2, 1) if better else (1, 2)
    legend = [words.format(alpha=f"{result.alpha:g}") for words in LEGEND]
    draw_heat_map(sheet, classes, texts.astype(str), order, ("", order), legend)


def _is_first_better(pair: PairCell, result: AggregateResult) -> bool:
    """Whether the signed ranks favour the first."""
    if pair.wins != pair.losses:
        return pair.wins > pair.losses
    return (pair.difference < 0) == result.measured.is_smaller_better


def tabulate(result: AggregateResult | None) -> tuple[Table, ...]:
    """Lay out both tables, one row a candidate, the best interquartile mean first."""
    if result is None:
        return ()
    return (_scores(result), _normalisations(result))


def _scores(result: AggregateResult) -> Table:
    columns: list[Cells] = [CANDIDATE]
    columns += _of(
        "interquartile_mean", "Interquartile mean", SCORES, lambda c: c.interquartile_mean
    )
    columns += _of("optimality_gap", "Optimality gap", SCORES, lambda c: c.optimality_gap)
    columns += _of("improvement", "First better than it", SCORES, lambda c: c.improvement)
    columns += _of("elo", "Elo", POINTS, lambda c: c.elo)
    return Table.of(
        result.candidates,
        with_values(columns, result.candidates),
        name="aggregate",
        measure=result.measure,
        number_format=SCORES,
        is_wide=True,
    )


def _of(
    name: str,
    label: str,
    at: NumberFormat,
    estimate: Callable[[CandidateAggregate], Estimate | None],
) -> list[Cells]:
    """Return the columns of a number and of its interval."""

    def value(row: CandidateAggregate) -> float | None:
        found = estimate(row)
        return None if found is None else found.value

    def interval(row: CandidateAggregate) -> tuple[float, float] | None:
        found = estimate(row)
        return None if found is None else found.interval

    return [
        (Column(name, label, "value", number_format=at), value),
        (Column(f"{name}_interval", "Interval", "interval", number_format=at), interval),
    ]


def _normalisations(result: AggregateResult) -> Table:
    def cell(found: Normalisation) -> Callable[[CandidateAggregate], Any]:
        return lambda row: found.values[row.candidate]

    columns: list[Cells] = [CANDIDATE]
    columns += [
        (
            Column(
                found.scale,
                LABELS[found.scale],
                "value",
                "smaller" if found.scale == "ranks" else "larger",
                SCORES,
            ),
            cell(found),
        )
        for found in result.normalisations
    ]
    return Table.of(
        result.candidates,
        columns,
        name="normalisations",
        measure=result.measure,
        number_format=SCORES,
    )
