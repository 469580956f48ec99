"""Figures of the domain: its pairs, orders of its data sets, interaction, regret and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.drawing import Canvas, Sheet, alt_names, alt_text, measure_words
from reportgen.drawing.plots.heat_map import draw_heat_map
from reportgen.notation import NumberFormat, number_format, ratio
from reportgen.report import Figure, Series
from reportgen.sections.domain.figures.benchmark_summary_plot import draw_bsplot
from reportgen.sections.domain.figures.interaction import draw_interaction, shown, size_words
from reportgen.sections.domain.figures.pairs import pairs_figure
from reportgen.sections.domain.figures.rows import draw_spread, of_ranks, of_regret

if TYPE_CHECKING:
    from reportgen.sections.domain.result import (
        AcrossRanks,
        DatasetFamilies,
        DatasetRow,
        DomainResult,
        DomainVerdict,
    )
    from reportgen.sections.domain.suitability import Interaction, Regret

SMALL_DOMAIN = 260  # data sets times candidates: figures of no more are drawn for phones, too


def draw(result: DomainResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw what the article shows of the main measure."""
    if not any(row.means for row in result.rows):
        return ()
    is_small = len(result.rows) * len(result.candidates) <= SMALL_DOMAIN
    of_pairs = replace(canvas, density="full", dark=False)
    of_datasets = replace(of_pairs, phone=is_small)
    return tuple(_figures(result, of_pairs, of_datasets))


def _figures(result: DomainResult, of_pairs: Canvas, canvas: Canvas) -> Iterator[Figure]:
    pairs = pairs_figure(result, of_pairs)
    if pairs is not None:
        yield pairs
    across = result.across.get(result.main)
    if result.is_once and across is not None and across.pairs is not None:
        yield _ranks(result, across, of_pairs)
    at = number_format_of(result)
    families = families_figure(result, of_pairs, at)
    if families is not None:
        yield families
    yield from _bsplot(result, canvas, at)
    if result.interaction is not None and result.interaction.largest:
        yield _interaction(result, result.interaction, canvas, at)
    if result.regret is not None and result.regret.free_choice is None:
        yield _regret(result, result.regret, canvas, at)


def number_format_of(result: DomainResult) -> NumberFormat:
    """Return how the main measure is written, from the candidates' means over all data sets."""
    verdict = result.verdict.get(result.main)
    if verdict is not None:
        return verdict.value_format
    return number_format(
        result.main_measure, (x for row in result.rows for x in row.means.values())
    )


# ---------------------------------------------------------------------------- summary plot


def _bsplot(result: DomainResult, canvas: Canvas, at: NumberFormat) -> Iterator[Figure]:
    """Draw the summary plot: "bsplot", of many data sets over pages as "bsplot-2" and so on."""
    columns = ("dataset", "place", "candidate", "mean", "better_than_next", "order_class")
    for number, part in enumerate(result.parts, 1):
        shown = result.rows[part.start : part.stop]
        rows = tuple(
            (
                row.name,
                k + 1,
                name,
                row.means[name],
                k < len(row.is_better_than_next) and row.is_better_than_next[k],
                row.order_class,
            )
            for row in shown
            for k, name in enumerate(row.order)
        )
        yield canvas.figure(
            "bsplot" if number == 1 else f"bsplot-{number}",
            result.main,
            partial(draw_bsplot, result, at, part=part),
            alt=_bsplot_alt(result, shown, canvas.words),
            data=Series(columns, rows),
        )


def _bsplot_alt(
    result: DomainResult, rows: tuple[DatasetRow, ...], words: Callable[[str], str]
) -> str:
    names = alt_names(result.candidates)
    sets = alt_names([row.name for row in rows])
    head = (
        f"Order of the candidates by {measure_words(result.main_measure)} on {len(rows)} "
        f"{words('data sets')}, alike ones side by side. "
    )
    full = [f"{sets[row.name]}: {_alt_order(row, names)}" for row in rows]
    brief = [f"{sets[row.name]}: {', '.join(names[n] for n in row.best) or 'none'}" for row in rows]
    firsts = ", ".join(f"{names[n]} {c}" for n, c in result.alone.items())
    return alt_text(
        head + "; ".join(full) + ".",
        head + "Not beaten by any other: " + "; ".join(brief) + ".",
        head
        + words("Alone not beaten by any other, number of data sets: ")
        + f"{firsts or 'none'}.",
    )


def _alt_order(row: DatasetRow, names: dict[str, str]) -> str:
    if row.chain is None:
        return f"no weak order, by mean {', '.join(names[n] for n in row.order)}"
    return ", then ".join(" tied with ".join(names[n] for n in group) for group in row.chain)


# ------------------------------------------------------------------- interaction and regret


def _interaction(
    result: DomainResult, found: Interaction, canvas: Canvas, at: NumberFormat
) -> Figure:
    what = shown(result, found)
    names, sets = alt_names(what.candidates), alt_names(what.datasets)
    write = ratio if found.scale == "ratio" else at.value
    unit = at.in_unit
    head = (
        f"Level of {measure_words(result.main_measure)} on {len(what.datasets)} "
        f"{canvas.words('data sets')}{unit}, "
        "the easiest first, and departures of candidates from what level and mean let expect, "
        f"at most {size_words(found, at)}. "
    )
    full = [
        f"{sets[d]} {at.value(found.levels[d])}: "
        + ", ".join(
            f"{names[n]} {write(found.departures[d][n])}"
            for n in what.candidates
            if n in found.departures[d]
        )
        for d in what.datasets
    ]
    brief = [f"{sets[d]} {at.value(found.levels[d])}" for d in what.datasets]
    rows = tuple(
        (d, found.levels[d], name, departure)
        for d in what.datasets
        for name, departure in found.departures[d].items()
    )
    return canvas.figure(
        "interaction",
        result.main,
        partial(draw_interaction, result, found, what, at),
        alt=alt_text(head + "; ".join(full) + ".", head + "Levels: " + "; ".join(brief) + "."),
        data=Series(("dataset", "level", "candidate", "departure"), rows),
    )


def _regret(result: DomainResult, regret: Regret, canvas: Canvas, at: NumberFormat) -> Figure:
    names = alt_names(regret.order)
    write = ratio if regret.scale == "ratio" else at.value
    unit = f" in {at.difference_unit}" if at.difference_unit and regret.scale != "ratio" else ""
    head = (
        canvas.words(f"Regret to the best candidate of each of {regret.n_datasets} data sets")
        + f"{unit}. "
    )
    texts = [
        f"{names[n]} {write(own.mean)} on average, at worst {write(own.worst)} on {own.where}"
        for n, own in regret.candidates.items()
    ]
    rows = tuple((n, d, x) for n, own in regret.candidates.items() for d, x in own.datasets.items())
    return canvas.figure(
        "regret",
        result.main,
        lambda sheet: draw_spread(of_regret(result, regret, at, canvas.words), sheet),
        alt=alt_text(head + "; ".join(texts) + "."),
        data=Series(("candidate", "dataset", "loss"), rows),
    )


def _ranks(result: DomainResult, across: AcrossRanks, canvas: Canvas) -> Figure:
    names = alt_names(across.order)
    head = (
        f"Ranks of the candidates by {measure_words(result.main_measure)} on "
        f"{across.n_datasets} {canvas.words('data sets')}. Mean ranks: "
    )
    texts = [f"{names[n]} {across.mean_ranks[n]:.2f}" for n in across.order]
    return canvas.figure(
        "ranks",
        result.main,
        partial(draw_spread, of_ranks(result, across, canvas.words)),
        alt=alt_text(head + ", ".join(texts) + "."),
        data=Series(
            ("candidate", "mean_rank"), tuple((n, across.mean_ranks[n]) for n in across.order)
        ),
    )


MOST_FAMILIES, MOST_CANDIDATES = 14, 30  # of the figure: the largest, and the best means
LEGEND = ("others", "best three", "best of the family")
NEAR = 3  # the places of the middle shade


def families_figure(result: DomainResult, canvas: Canvas, at: NumberFormat) -> Figure | None:
    """Draw the means of the candidates on every family; None where no data sets are relatives."""
    verdict = result.verdict.get(result.main)
    if verdict is None or not verdict.has_relatives or verdict.dataset_families is None:
        return None
    found = verdict.dataset_families
    names = alt_names(verdict.order)
    best = "; ".join(f"{names[n]} {k}" for n, k in found.n_won.items())
    head = (
        f"Mean {measure_words(verdict.measure)} of {len(verdict.order)} candidates on "
        f"{found.n} families of data sets. Best, number of families: {best}."
    )
    rows = tuple((row.name, name, x) for row in found.rows for name, x in row.means.items())
    return canvas.figure(
        "families",
        result.main,
        partial(_draw_families, verdict, found, at),
        alt=alt_text(head),
        data=Series(("family", "candidate", "mean"), rows),
    )


def _draw_families(
    verdict: DomainVerdict, found: DatasetFamilies, at: NumberFormat, sheet: Sheet
) -> None:
    shown = found.largest_first[:MOST_FAMILIES]
    order = verdict.order[:MOST_CANDIDATES]
    classes = np.zeros((len(order), len(shown)), dtype=int)
    texts = np.full(classes.shape, "", dtype=object)
    for j, row in enumerate(shown):
        places = {name: k for k, name in enumerate(row.means)}
        for i, name in enumerate(order):
            if name in row.means:
                k = places[name]
                classes[i, j] = 2 if k == 0 else int(k < NEAR)
                texts[i, j] = at.value(row.means[name])
    families = [row.name for row in shown]
    if sheet.is_phone and len(families) > len(order):
        draw_heat_map(sheet, classes.T, texts.astype(str).T, families, ("", order), LEGEND)
    else:
        draw_heat_map(sheet, classes, texts.astype(str), order, ("", families), LEGEND)
