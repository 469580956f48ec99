"""Distributions of run times, expected run times by target, and their table."""

from __future__ import annotations

from functools import partial
from math import ceil, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import TICK, Canvas, Sheet, alt_names, alt_text, make_key, shorten_text
from reportgen.drawing.plots.shares import (
    ABOVE,
    BELOW,
    BETWEEN,
    LINE,
    PanelBox,
    draw_steps,
    panel,
    share_panel,
)
from reportgen.notation import NumberFormat
from reportgen.report import CANDIDATE, DATASET, ColumnOf, Figure, Series, Table
from reportgen.sections.run_time.analysis import CandidateRuns, ExpectedRunTime, RunTimeResult
from reportgen.stats.columns import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from reportgen.drawing.page import PageArtist

PLOT, PHONE_PLOT, SMALL_PLOT = 150.0, 130.0, 84.0  # pt: height of a panel
MOST_PANELS = 12  # data sets of which expected run times are drawn
MOST_BANDS = 4  # candidates whose intervals are drawn
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")

WHOLE = NumberFormat(1.0, "", "", 0)

Row = tuple[CandidateRuns, ExpectedRunTime]
Cells = ColumnOf[Row]


def draw(result: RunTimeResult | None, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the distributions and, of a dozen data sets at most, expected run times."""
    if result is None:
        return ()
    is_drawn = len(result.datasets) <= MOST_PANELS
    return (_distributions(result, canvas), *((_expected(result, canvas),) if is_drawn else ()))


def power(exponent: int) -> str:
    """Write a power of ten.

    Examples
    --------
    >>> power(-3), power(0), power(1), power(4)
    ('10⁻³', '1', '10', '10⁴')
    """
    return {0: "1", 1: "10"}.get(exponent, f"10{str(exponent).translate(SUPERSCRIPTS)}")


def _distributions(result: RunTimeResult, canvas: Canvas) -> Figure:
    names = alt_names(list(result.candidates))
    shares = [f"{names[name]} {share:.2f}" for name, share in result.at_budget.items()]
    words = f"Share of runs and targets reached within {result.budget:g} evaluations: "
    return canvas.figure(
        "run_times",
        "",
        partial(_draw_distributions, result),
        alt=alt_text(words + "; ".join(shares) + ".", f"{words}{len(shares)} candidates."),
        data=Series(
            ("candidate", "kind", "at", "share", "lower", "upper"),
            tuple(
                (name, kind, at, *row)
                for kind, found, places in (
                    ("budget", result.within, result.budgets),
                    ("target", result.reached, result.targets),
                )
                for name, own in found.items()
                for at, *row in zip(
                    places,
                    own.shares,
                    own.lower or [None] * len(places),
                    own.upper or [None] * len(places),
                    strict=True,
                )
            ),
        ),
    )


def _draw_distributions(result: RunTimeResult, sheet: Sheet) -> None:
    key = make_key(sheet, result.candidates, sheet.width)
    is_beside = not sheet.is_phone
    height = PHONE_PLOT if sheet.is_phone else PLOT
    whole, top = ABOVE + height + BELOW, key.height + 6
    sheet.begin(top + whole * (1 if is_beside else 2))
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    width = (sheet.width - BETWEEN) / 2 if is_beside else sheet.width
    _budget_panel(result, sheet, page, (0.0, top, width, height))
    place = (width + BETWEEN, top) if is_beside else (0.0, top + whole)
    _target_panel(result, sheet, page, (*place, width, height))


def _budget_panel(result: RunTimeResult, sheet: Sheet, page: PageArtist, box: PanelBox) -> None:
    axes = share_panel(sheet, page, box, "share of run times", "within evaluations, restarted")
    axes.set_xscale("log")
    axes.set(xlim=(result.budgets[0], result.budgets[-1]))
    exponents = range(int(log10(result.budgets[-1])) + 1)
    axes.set_xticks([10.0**e for e in exponents], [power(e) for e in exponents])
    axes.minorticks_off()
    for name, own in result.within.items():
        if own.lower and len(result.within) <= MOST_BANDS:
            wash = sheet.wash(name)
            axes.fill_between(
                result.budgets, own.lower, own.upper, step="post", color=wash, lw=0, alpha=0.6
            )
        draw_steps(sheet, axes, name, result.budgets, own.shares)


def _target_panel(result: RunTimeResult, sheet: Sheet, page: PageArtist, box: PanelBox) -> None:
    words = f"within a target, after {result.budget:,.0f} evaluations"
    axes = share_panel(sheet, page, box, "share of runs", words)
    places = _targets(result, axes, 5)
    for name, own in result.reached.items():
        (line,) = axes.plot(places, own.shares, color=sheet.ink(name), lw=LINE, clip_on=False)
        sheet.link(line, name)


def _targets(result: RunTimeResult, axes: Axes, most: int) -> Sequence[int]:
    """Mark targets along an axis, the easiest first; return their places."""
    places = range(len(result.targets))
    step = max(1, ceil(len(places) / most))
    shown = [i for i in places if i % step == 0]
    axes.set(xlim=(-0.3, len(places) - 0.3))
    axes.set_xticks(shown, [power(round(log10(result.targets[i]))) for i in shown])
    return places


def _expected(result: RunTimeResult, canvas: Canvas) -> Figure:
    told = [f"{own.dataset}, {own.candidate}: " + _last(own.targets) for own in result.runs]
    words = "Expected run times to the hardest target that each reached: "
    return canvas.figure(
        "expected",
        "",
        partial(_draw_expected, result),
        alt=alt_text(words + "; ".join(told) + ".", f"{words}{len(told)} of them."),
        data=Series(
            ("dataset", "candidate", "target", "n_runs", "n_reached", "evaluations"),
            tuple(
                (own.dataset, own.candidate, at.target, own.n_runs, at.n_reached, at.evaluations)
                for own in result.runs
                for at in own.targets
            ),
        ),
    )


def _last(targets: Sequence[ExpectedRunTime]) -> str:
    """Say the last expected run time."""
    reached = [own for own in targets if own.evaluations is not None]
    if not reached:
        return "none"
    return f"{reached[-1].evaluations:.0f} to {reached[-1].target:g}"


def _draw_expected(result: RunTimeResult, sheet: Sheet) -> None:
    names = list(dict.fromkeys(own.candidate for own in result.runs))
    key = make_key(sheet, names, sheet.width)
    n_columns = min(len(result.datasets), 1 if sheet.is_phone else 3)
    top, whole = key.height + 6, ABOVE + SMALL_PLOT + BELOW
    sheet.begin(top + whole * ceil(len(result.datasets) / n_columns))
    page = sheet.page()
    key.draw(sheet, page, 0, 0)
    width = (sheet.width - BETWEEN * (n_columns - 1)) / n_columns
    times = [at.evaluations for own in result.runs for at in own.targets if at.evaluations]
    last = ceil(log10(max(times, default=10.0))) or 1
    quiet: dict[str, Any] = {
        "fontsize": TICK,
        "color": sheet.colour("ink2"),
        "va": "center_baseline",
    }
    for i, dataset in enumerate(result.datasets):
        row, column = divmod(i, n_columns)
        box = (column * (width + BETWEEN), top + row * whole, width, SMALL_PLOT)
        page.text(box[0], box[1] + 6, shorten_text(dataset, width, TICK), **quiet)
        _expected_panel(result, dataset, sheet, box, last)
    page.text(sheet.width, sheet.height - 6, "evaluations to a target", ha="right", **quiet)


def _expected_panel(
    result: RunTimeResult, dataset: str, sheet: Sheet, box: PanelBox, last: int
) -> None:
    axes = panel(sheet, box)
    places = np.array(_targets(result, axes, 4))
    axes.set(ylim=(0, last))
    step = max(1, ceil(last / 4))
    ticks = range(0, last + 1, step)
    axes.set_yticks([*ticks], [power(e) for e in ticks])
    for own in result.of(dataset):
        logs = np.array([log10(at.evaluations) if at.evaluations else np.nan for at in own.targets])
        there = np.isfinite(logs)
        (line,) = axes.plot(
            places[there], logs[there], color=sheet.ink(own.candidate), lw=LINE, clip_on=False
        )
        sheet.link(line, own.candidate)
        if there.any():
            mark = sheet.mark(own.candidate, 4.5)
            (end,) = axes.plot(places[there][-1:], logs[there][-1:], clip_on=False, **mark)
            sheet.link(end, own.candidate)


def tabulate(result: RunTimeResult | None) -> tuple[Table, ...]:
    """Lay out one row a data set and candidate."""
    if result is None:
        return ()
    rows = [row for dataset in result.datasets for row in result.hardest(dataset)]
    columns: list[Cells] = [
        (DATASET, lambda row: row[0].dataset),
        (Column("target", "Target", "text"), lambda row: f"{row[1].target:g}"),
        (CANDIDATE, lambda row: row[0].candidate),
        (Column("n_runs", "Runs", "count"), lambda row: row[0].n_runs),
        (Column("n_reached", "Reached", "count"), lambda row: row[1].n_reached),
        (
            Column("evaluations", "Evaluations", "value", number_format=WHOLE),
            lambda row: row[1].evaluations,
        ),
    ]
    if any(row[1].interval for row in rows):
        interval = Column("interval", "Interval", "interval", number_format=WHOLE)
        columns.append((interval, lambda row: row[1].interval or (None, None)))
    return (Table.of(rows, columns, name="expected", number_format=WHOLE),) if rows else ()
