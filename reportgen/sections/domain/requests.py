"""Figures of the domain that no report has by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.drawing import (
    SMALL,
    Canvas,
    Sheet,
    alt_names,
    alt_text,
    fit_axis,
    measure_words,
    shorten_names,
    text_width,
)
from reportgen.drawing.plots.boxes import draw_box
from reportgen.drawing.plots.rows import DIVIDER, GAP, GUTTER, PHONE_GUTTER
from reportgen.notation import number
from reportgen.performance_measure import FEW_REPLICATIONS
from reportgen.report import Figure, Series
from reportgen.sections.domain.figures import number_format_of
from reportgen.sections.inference.requests import MOST_RANKED, cd_figure, rank_ranges_of
from reportgen.sections.preferences.figures import MOST, hasse_figure, incidence_figure
from reportgen.stats.arrays import Array
from reportgen.stats.descriptive import shared_places
from reportgen.stats.relations.hasse import hasse as lay_out

if TYPE_CHECKING:
    from reportgen.notation import NumberFormat
    from reportgen.sections.base import Request
    from reportgen.sections.domain.result import AcrossRanks, DomainResult

ROW, LEAST_ROW, LARGEST = 16.0, 9.0, 600.0  # pt: a row, and all of them
HEAD, FOOT, BETWEEN = 16.0, 30.0, 18.0  # pt: above, below and between the panels
BOX = 0.6  # share of a row


def split(values: Array) -> tuple[Array, Array]:
    """Return what means of candidates and replications fit, and the rest, (B, K) both.

    `values`: shape (B, K); replications with a gap are left out.

    Examples
    --------
    >>> fitted, residuals = split(np.array([[1.0, 3.0], [3.0, 5.0], [np.nan, 1.0]]))
    >>> fitted.tolist(), residuals.tolist()
    ([[1.0, 3.0], [3.0, 5.0]], [[0.0, 0.0], [0.0, 0.0]])
    """
    whole = values[np.isfinite(values).all(axis=1)]
    if not len(whole):
        return whole, whole
    fitted = whole.mean(axis=0) + whole.mean(axis=1, keepdims=True) - whole.mean()
    return fitted, whole - fitted


def draw_dataset_residuals(
    parts: Mapping[str, tuple[Array, Array]], title: str, number_format: NumberFormat, sheet: Sheet
) -> None:
    """Draw a row a data set: the box of its fitted values, and that of its residuals."""
    row = float(np.clip(LARGEST / len(parts), LEAST_ROW, ROW))
    sheet.begin(HEAD + row * len(parts) + FOOT)
    page = sheet.page()
    names = shorten_names(list(parts), PHONE_GUTTER if sheet.is_phone else GUTTER, SMALL)
    left = max(text_width(text, SMALL) for text in names.values()) + GAP
    width = (sheet.width - left - BETWEEN - 6) / 2
    unit = number_format.bracketed_unit
    quiet: dict[str, Any] = {"fontsize": SMALL, "color": sheet.colour("ink2")}
    panels = ((0, "fitted", f"{title}{unit}", left),
              (1, "residuals", f"residual{unit}", left + width + BETWEEN))  # fmt: skip
    for which, head, words, start in panels:
        columns = [number_format.factor * part[which].ravel() for part in parts.values()]
        axes = sheet.axes(start, FOOT, sheet.width - start - width, HEAD)
        axis = fit_axis(np.concatenate(columns), width, 40, may_be_log=False)
        axis.apply(axes, "x")
        axes.set(ylim=(row * len(parts), 0), yticks=[])
        if which:
            axes.axvline(0, color=sheet.colour("ink2"), lw=DIVIDER, zorder=0)
        for i, own in enumerate(columns):
            draw_box(axes, axis.drawn(own), row * (i + 0.5), BOX * row, None, sheet)
        page.text(start, 6, head, va="center", **quiet)
        page.text(start, sheet.height - 5, words, va="center_baseline", **quiet)
    for i, name in enumerate(parts):
        text = page.text(0, HEAD + row * (i + 0.5), names[name], va="center_baseline",
                         fontsize=SMALL)  # fmt: skip
        sheet.link_datasets(text, [name])


MOST_BOXES = 20  # candidates that have room in a panel
MOST_PANELS = 60  # data sets that have room on a page
MOST_NODES = 60  # relations


def cd(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Mean ranks over data sets, bars through those that tests leave (Demšar 2006, fig. 1)."""
    across = result.across.get(result.main)
    if across is not None and across.groups is not None and across.pairs is not None:
        yield from _mean_ranks(result, canvas, across, across.groups)


def cd_nemenyi(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Mean ranks over data sets, bars by Nemenyi's critical difference (Demšar 2006, fig. 1a)."""
    across = result.across.get(result.main)
    if across is not None and (difference := across.critical_difference) is not None:
        yield from _mean_ranks(result, canvas, across, across.rank_groups, difference)


def _mean_ranks(
    result: DomainResult,
    canvas: Canvas,
    across: AcrossRanks,
    groups: Sequence[Sequence[str]],
    difference: float | None = None,
) -> Iterator[Figure]:
    if not 3 <= len(across.order) <= MOST_RANKED:
        return
    datasets = canvas.words("data sets")
    words = f"{measure_words(result.main_measure)} on {across.n_datasets} {datasets}"
    if difference is None:
        yield cd_figure(canvas, result.main, words, across.mean_ranks, groups)
        return
    words += f", critical difference {number(difference, 2)}"
    yield cd_figure(canvas, result.main, words, across.mean_ranks, groups, "cd-nemenyi", difference)


def dataset_residuals(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Fitted values and residuals by data set (Eugster et al. 2008, fig. 14 and 15)."""
    found = {d: split(result.values[d]) for d in result.leaf_order if d in result.values}
    parts = {d: own for d, own in found.items() if len(own[0]) >= FEW_REPLICATIONS}
    if not 2 <= len(parts) <= MOST_PANELS:
        return
    at, sets, words = (
        number_format_of(result),
        alt_names(list(parts)),
        measure_words(result.main_measure),
    )
    quartiles = {d: np.quantile(own[1], (0.25, 0.75)).tolist() for d, own in parts.items()}
    texts = [f"{sets[d]} {at.interval(*ends)}" for d, ends in quartiles.items()]
    rows = tuple(
        (d, b + 1, float(fitted), float(residual))
        for d, own in parts.items()
        for b, both in enumerate(zip(*own, strict=True))
        for fitted, residual in zip(*both, strict=True)
    )
    unit = at.in_unit
    yield canvas.figure(
        "dataset-residuals",
        result.main,
        partial(draw_dataset_residuals, parts, words, at),
        alt=alt_text(
            f"Box plots of fitted values and residuals of {words}{unit} by a block model of each "
            f"{canvas.words('data set')}. Middle half of the residuals: {'; '.join(texts)}."
        ),
        data=Series(("dataset", "place", "fitted", "residual"), rows),
    )


def hasse(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Hasse diagram of who is decided to be better (Eugster 2011, fig. 4.7b)."""
    verdict = result.verdict.get(result.main)
    if verdict is None or not 2 <= len(verdict.pairs.candidates) <= MOST:
        return
    found = lay_out(verdict.pairs.incidence)
    if found.cycles or not found.covers:
        return
    names = verdict.pairs.candidates
    yield hasse_figure(
        canvas,
        result.main,
        f"who is significantly better by {measure_words(result.main_measure)}",
        tuple(tuple(names[k] for k in level) for level in found.levels),
        tuple((names[a], names[b]) for a, b in found.covers),
        tuple((names[a], names[b]) for a, b in found.implied),
    )


def incidence(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Incidence matrix of who is decided to be better (Eugster 2011, fig. 4.7a)."""
    verdict = result.verdict.get(result.main)
    if verdict is None or not 2 <= len(verdict.order) <= MOST:
        return
    names, better = verdict.pairs.candidates, np.argwhere(verdict.pairs.incidence).tolist()
    pairs = tuple((names[a], names[b]) for a, b in better)
    words = f"{measure_words(result.main_measure)}, significantly better"
    yield incidence_figure(canvas, result.main, words, verdict.order, pairs)


def stacked(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Stacked bars of the places on the data sets (Eugster 2011, fig. 4.2a).

    Candidates with the same mean on a data set share the better place.
    """
    from reportgen.drawing.plots.stacked import draw_stacked

    ranks = result.ranks
    if len(ranks) < 2 or not result.ranked_datasets:
        return
    order = sorted(ranks, key=lambda name: sum(ranks[name]))
    places = shared_places(np.array([ranks[name] for name in order]).T).T.tolist()
    every = sorted({x for own in places for x in own})
    found = {name: Counter(own) for name, own in zip(order, places, strict=True)}
    counts = {name: tuple(own[place] for place in every) for name, own in found.items()}
    labels = [str(x) for x in every]
    names, units = alt_names(order), canvas.words("data sets")
    texts = [
        f"{names[n]} "
        + ", ".join(f"place {r} {x}" for r, x in zip(labels, counts[n], strict=True) if x)
        for n in order
    ]
    rows = tuple(
        (n, place, x) for n in order for place, x in zip(every, counts[n], strict=True) if x
    )
    yield canvas.figure(
        "stacked",
        result.main,
        partial(draw_stacked, counts, labels, units),
        alt=alt_text(
            f"Stacked bars of the places by {measure_words(result.main_measure)} on "
            f"{len(result.ranked_datasets)} {units}: {'; '.join(texts)}."
        ),
        data=Series(("candidate", "place", "count"), rows),
    )


def summary_graph(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Benchmark summary graph by Kamada and Kawai's layout (Eugster 2011, fig. 4.4)."""
    from reportgen.sections.domain.figures.benchmark_summary_graph import (
        draw_graph,
        graph_of,
        pairs_of,
    )

    graph = graph_of(result)
    if graph is None or len(graph.nodes) > MOST_NODES:
        return
    sets = alt_names([d for node in graph.nodes for d in node.datasets])
    nodes = [
        f"{' and '.join(sets[d] for d in node.datasets)} ({node.winner or 'no single best'})"
        for node in graph.nodes
    ]
    lines = pairs_of(graph)
    near = [f"{sets[a]} and {sets[b]} {x}" for a, b, x in lines if x]
    head = (
        f"Graph of {len(sets)} {canvas.words('data sets')} by how differently they order the "
        f"candidates by {measure_words(result.main_measure)}; in brackets who alone is not beaten: "
        f"{'; '.join(nodes)}."
    )
    yield canvas.figure(
        "summary-graph",
        result.main,
        partial(draw_graph, result, graph),
        alt=alt_text(f"{head} Lines by distance: {'; '.join(near)}.", head),
        data=Series(("first", "second", "distance"), lines),
    )


def trellis(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Box plots of all data sets on a common grid (Eugster 2011, fig. 4.1 and 4.8)."""
    from reportgen.drawing.plots.boxes import Trellis, draw_trellis

    at = number_format_of(result)
    is_many = [d for d in result.leaf_order if len(result.values.get(d, ())) >= FEW_REPLICATIONS]
    present = [n for n in result.candidates if any(n in row.means for row in result.rows)]
    if not 2 <= len(is_many) <= MOST_PANELS or len(present) > MOST_BOXES:
        return
    verdict = result.verdict.get(result.main)
    order = tuple(verdict.order) if verdict is not None else tuple(present)
    unit = at.bracketed_unit
    medians = {row.name: row.medians for row in result.rows}
    sets, names = alt_names(is_many), alt_names(order)
    texts = [
        f"{sets[d]}: "
        + ", ".join(f"{names[n]} {at.value(medians[d][n])}" for n in order if n in medians[d])
        for d in is_many
    ]
    rows = tuple(
        (d, n, b + 1, float(x))
        for d in is_many
        for k, n in enumerate(result.candidates)
        for b, x in enumerate(result.values[d][:, k])
        if np.isfinite(x)
    )
    yield canvas.figure(
        "trellis",
        result.main,
        partial(
            draw_trellis,
            Trellis(
                {d: at.factor * result.values[d] for d in is_many},
                result.candidates,
                order,
                f"{measure_words(result.main_measure)}{unit}",
            ),
        ),
        alt=alt_text(
            f"Box plots of {measure_words(result.main_measure)}{unit} on {len(is_many)} "
            f"{canvas.words('data sets')}, medians: {'; '.join(texts)}."
        ),
        data=Series(("dataset", "candidate", "place", "value"), rows),
    )


def rank_ranges(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Ranks that each candidate can have by the decisions on the pairs (Mogstad et al. 2024)."""
    verdict = result.verdict.get(result.main)
    if verdict is not None:
        yield from rank_ranges_of(verdict, canvas)


REQUESTS: Mapping[str, Request] = {
    "cd": cd,
    "cd-nemenyi": cd_nemenyi,
    "dataset-residuals": dataset_residuals,
    "hasse": hasse,
    "incidence": incidence,
    "rank-ranges": rank_ranges,
    "stacked": stacked,
    "summary-graph": summary_graph,
    "trellis": trellis,
}
