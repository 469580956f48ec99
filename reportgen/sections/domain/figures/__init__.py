"""Figures of the domain: of its models, of one value per data set, and of its data sets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from reportgen.drawing import Canvas, alt_names, alt_text, measure_words, plain
from reportgen.notation import Scale, scale
from reportgen.report import Figure, Series
from reportgen.sections.consensus import figures as consensus_figures
from reportgen.sections.domain.figures.benchmark_summary_graph import (
    Graph,
    draw_graph,
    graph_of,
    rows_of,
)
from reportgen.sections.domain.figures.benchmark_summary_plot import Page, draw_bsplot, pages
from reportgen.sections.domain.figures.heatmaps import affinity_pages, draw_affinity
from reportgen.sections.domain.figures.means import (
    MOST_CANDIDATES,
    MOST_EFFECTS,
    draw_effects,
    draw_means,
    effects_order,
    interval_text,
    relation_figure,
    second_model,
)
from reportgen.sections.domain.figures.panels import numbered, sets_figures
from reportgen.sections.domain.figures.ranks import (
    MOST_VERSUS,
    advantage,
    draw_leader,
    draw_rank_rows,
    draw_ranks,
    draw_versus,
    leader_pairs,
)
from reportgen.sections.inference import figures as inference_figures

if TYPE_CHECKING:
    from reportgen.sections.domain.result import AcrossRanks, DatasetRow, DomainFit, DomainResult


def _model(result: DomainResult) -> DomainFit:
    """Return the model that predicts the main measure."""
    fit = result.model(result.main)
    if fit is None:
        raise ValueError(f"there is no model of {result.main}")
    return fit


def effects_figures(result: DomainResult, canvas: Canvas, at: Scale) -> Iterator[Figure]:
    """Draw what the model of all replications predicts of data sets, and of candidates on them."""
    fit = _model(result)
    if len(result.rows) <= MOST_EFFECTS and len(fit.order) <= MOST_CANDIDATES:
        yield _effects(result, canvas, at)
    if any(x for own in fit.blups.interaction.values() for x in own.values()):
        for i, datasets in enumerate(affinity_pages(result, result.main)):
            yield _affinity(result, datasets, i, canvas, at)


def _affinity(
    result: DomainResult, datasets: tuple[str, ...], i: int, canvas: Canvas, at: Scale
) -> Figure:
    fit = _model(result)
    sets, names = alt_names(datasets), alt_names(fit.order)
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    head = f"Predicted level of {len(datasets)} data sets and effects of candidates on them{unit}. "
    rows = tuple(
        (d, fit.blups.dataset[d], n, fit.blups.interaction[d].get(n))
        for d in datasets
        for n in fit.order
    )
    full = [
        f"{sets[d]}: level {at.value(fit.blups.dataset[d])}, "
        + ", ".join(f"{names[n]} {_effect(fit.blups.interaction[d].get(n), at)}" for n in fit.order)
        for d in datasets
    ]
    brief = [f"{sets[d]} {at.value(fit.blups.dataset[d])}" for d in datasets]
    return canvas.figure(
        numbered("affinity", i),
        result.main,
        partial(draw_affinity, result, result.main, datasets, at),
        alt=alt_text(head + "; ".join(full) + ".", head + "Levels: " + "; ".join(brief) + "."),
        data=Series(("dataset", "dataset_effect", "candidate", "interaction_effect"), rows),
    )


def _effect(value: float | None, at: Scale) -> str:
    return "without a value" if value is None else at.value(value)


def means_figure(result: DomainResult, measure: str, canvas: Canvas, at: Scale) -> Figure:
    """Draw the candidates' means over the domain: as decided, and by a model beside."""
    chosen, other = result.verdict[measure], second_model(result, measure)
    columns = ("method", "candidate", "mean", "lower", "upper")
    rows = tuple(
        (chosen.method, n, chosen.means[n], *chosen.intervals.get(n, (None, None)))
        for n in chosen.order
    )
    if other is not None:
        rows += tuple(
            (other.structure, n, other.coefficients[n], *other.intervals[n]) for n in other.order
        )
    unit = f" in {at.unit}" if at.unit else ""
    level = f"{100 * (1 - chosen.alpha):g}%"
    words = measure_words(result.measures[measure])
    over = "these data sets" if result.settings else "the domain"
    kind = "Geometric mean" if chosen.is_ratio else "Mean"
    head = f"{kind} {words} over {over}{unit}, with {level} intervals. "
    full = [
        f"{plain(n)} {at.value(chosen.means[n])} ({interval_text(chosen, n, at)})"
        for n in chosen.order
    ]
    brief = [f"{plain(n)[:32]} {at.value(chosen.means[n])}" for n in chosen.order]
    return canvas.figure(
        "means",
        measure,
        partial(draw_means, result, measure, at),
        alt=alt_text(head + "; ".join(full) + ".", head + "; ".join(brief) + "."),
        data=Series(columns, rows),
    )


def _effects(result: DomainResult, canvas: Canvas, at: Scale) -> Figure:
    fit = _model(result)
    order = effects_order(result, result.main)
    rows = tuple(
        (d, fit.blups.dataset[d], n, fit.blups.interaction[d].get(n))
        for d in order
        for n in fit.coefficients
    )
    sets = alt_names(order)
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    words = measure_words(result.main_measure)
    levels = [f"{sets[d]} {at.value(fit.blups.dataset[d])}" for d in order]
    head = (
        f"Predicted {words} of every data set, the easiest first: level against the domain{unit}: "
    )
    return canvas.figure(
        "effects",
        result.main,
        partial(draw_effects, result, result.main, at),
        alt=alt_text(head + "; ".join(levels) + "."),
        data=Series(("dataset", "dataset_effect", "candidate", "interaction_effect"), rows),
    )


MOST_JOINED = 20  # candidates up to which bars join those that are not distinguished
MOST_ON_PHONES = 7  # candidates up to which all pairs have room there


def across_figures(result: DomainResult, canvas: Canvas, at: Scale) -> Iterator[Figure]:
    """Draw the main measure's ranks, its pairs, and the graph of the data sets."""
    across = result.across.get(result.main)
    if across is not None and across.pairs and len(across.order) > 2:
        yield _ranks(result, across, canvas)
        if len(across.order) <= MOST_VERSUS:
            narrow = canvas.phone and len(across.order) <= MOST_ON_PHONES
            yield _versus(result, across, replace(canvas, phone=narrow), at)
        else:
            yield _leader(result, across, canvas, at)
    graph = graph_of(result)
    if graph is not None:
        yield _graph(result, graph, canvas)


def _ranks(result: DomainResult, across: AcrossRanks, canvas: Canvas) -> Figure:
    names = alt_names(across.order)
    ranks = ", ".join(f"{names[n]} {across.mean_ranks[n]:.2f}" for n in across.order)
    groups = "; ".join(", ".join(names[n] for n in group) for group in across.groups)
    head = (
        f"Critical difference diagram of {measure_words(result.main_measure)} over "
        f"{across.n_datasets} data sets. Mean ranks: {ranks}."
    )
    tail = f" Not distinguished by signed rank tests: {groups or 'none'}."
    return canvas.figure(
        "ranks",
        result.main,
        partial(draw_ranks if len(across.order) <= MOST_JOINED else draw_rank_rows, across),
        alt=alt_text(head + tail, head),
        data=Series(
            ("candidate", "mean_rank"), tuple((n, across.mean_ranks[n]) for n in across.order)
        ),
    )


def _versus(result: DomainResult, across: AcrossRanks, canvas: Canvas, at: Scale) -> Figure:
    smaller = result.main_measure.is_smaller_better
    names = alt_names(across.order)
    columns = ("first", "second", "advantage", "wins", "ties", "losses", "favoured")
    rows = tuple(
        (p.first, p.second, advantage(p, smaller), p.wins, p.ties, p.losses, p.favoured or "")
        for p in across.pairs or ()
    )
    unit = f" in {at.difference_unit}" if at.difference_unit else ""
    head = (
        f"Pairs of candidates: mean advantage of the first{unit}, and data sets on which it is "
        "better, equal and worse. "
    )
    texts = [
        f"{names[p.first]} against {names[p.second]} {at.value(advantage(p, smaller))}, "
        f"{p.wins}, {p.ties} and {p.losses}"
        for p in across.pairs or ()
    ]
    return canvas.figure(
        "versus",
        result.main,
        partial(draw_versus, across, at, smaller),
        alt=alt_text(head + "; ".join(texts) + "."),
        data=Series(columns, rows),
    )


def _leader(result: DomainResult, across: AcrossRanks, canvas: Canvas, at: Scale) -> Figure:
    smaller = result.main_measure.is_smaller_better
    names, pairs = alt_names(across.order), leader_pairs(across)
    columns = ("first", "second", "advantage", "wins", "ties", "losses", "favoured")
    rows = tuple(
        (p.first, p.second, advantage(p, smaller), p.wins, p.ties, p.losses, p.favoured or "")
        for p in pairs
    )
    head = (
        f"Number of {across.n_datasets} data sets on which {names[across.order[0]]} is better "
        "than, equal to and worse than each other candidate. "
    )
    texts = [f"{names[p.second]} {p.wins}, {p.ties} and {p.losses}" for p in pairs]
    return canvas.figure(
        "leader",
        result.main,
        partial(draw_leader, across, at, smaller),
        alt=alt_text(head + "; ".join(texts) + "."),
        data=Series(columns, rows),
    )


def _graph(result: DomainResult, graph: Graph, canvas: Canvas) -> Figure:
    names = alt_names(result.candidates)
    sets = alt_names(result.datasets)
    head = (
        f"Graph of {sum(len(n.datasets) for n in graph.nodes)} data sets by the distances of their "
        f"relations; lines up to distance {graph.levels[-1]}. "
    )
    won = [
        (names[n], [d for node in graph.nodes if node.winner == n for d in node.datasets])
        for n in result.candidates
    ]
    open_ = [d for node in graph.nodes if node.winner is None for d in node.datasets]
    full = [f"{n} alone is best on {', '.join(sets[d] for d in ds)}." for n, ds in won if ds]
    full += [f"No single best on {', '.join(sets[d] for d in open_)}."] if open_ else []
    brief = [f"{n} alone is best on {len(ds)}." for n, ds in won if ds]
    brief += [f"No single best on {len(open_)}."] if open_ else []
    return canvas.figure(
        "graph",
        result.main,
        partial(draw_graph, result, graph),
        alt=alt_text(head + " ".join(full), head + " ".join(brief)),
        data=Series(("first", "second", "distance"), rows_of(graph)),
    )


SMALL_DOMAIN = 260  # data sets times candidates up to which figures are drawn for phones, too


def draw(result: DomainResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the data sets side by side, and the domain model of every measure.

    A domain of many data sets has several pages of a figure: "bsplot",
    "bsplot-2" and so on; with many candidates heat maps stand for the trellis.
    """
    if not any(row.means for row in result.rows):
        return ()
    is_small = len(result.rows) * len(result.candidates) <= SMALL_DOMAIN
    full = replace(canvas, detail="full", phone=is_small, dark=False)
    return tuple(_figures(result, full))


def _figures(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    for i, page in enumerate(pages(result.rows)):
        yield _bsplot(result, page, i, canvas)
    at = scale_of(result, result.main)
    yield from sets_figures(result, canvas, at)
    yield from _consensus(result, canvas)
    yield from across_figures(result, canvas, at)
    for measure in result.verdict:
        yield means_figure(result, measure, canvas, scale_of(result, measure))
    yield from _intervals(result, canvas)
    relation = relation_figure(result, canvas)
    if relation is not None:
        yield relation
    if result.main in result.mixed_model:
        yield from effects_figures(result, canvas, at)


def scale_of(result: DomainResult, measure: str) -> Scale:
    """Return the scale of a measure from the candidates' means over all data sets."""
    verdict = result.verdict.get(measure)
    if verdict is not None:
        return scale(result.measures[measure], verdict.means.values())
    means = (x for row in result.rows for x in row.means.values())
    return scale(result.measures[measure], means if measure == result.main else ())


# ---------------------------------------------------------------------------- summary plot


def _bsplot(result: DomainResult, page: Page, i: int, canvas: Canvas) -> Figure:
    columns = ("dataset", "place", "candidate", "mean", "better_than_next", "order_class")
    whole = result.rows[page.first : page.first + len(page.rows)]
    rows = tuple(
        (
            row.name,
            k + 1,
            name,
            row.means[name],
            k < len(row.is_better_than_next) and row.is_better_than_next[k],
            row.order_class,
        )
        for row in whole
        for k, name in enumerate(row.order)
    )
    return canvas.figure(
        numbered("bsplot", i),
        result.main,
        partial(draw_bsplot, result, page, scale_of(result, result.main)),
        alt=_bsplot_alt(result, whole),
        data=Series(columns, rows),
    )


def _bsplot_alt(result: DomainResult, rows: tuple[DatasetRow, ...]) -> str:
    names = alt_names(result.candidates)
    sets = alt_names([row.name for row in rows])
    head = (
        f"Order of the candidates by {measure_words(result.main_measure)} on {len(rows)} data sets"
        ", alike ones side by side. "
    )
    full = [f"{sets[row.name]}: {_alt_order(row, names)}" for row in rows]
    brief = [f"{sets[row.name]}: {', '.join(names[n] for n in row.best) or 'none'}" for row in rows]
    counts = {name: sum(row.best == (name,) for row in rows) for name in result.candidates}
    firsts = ", ".join(f"{names[n]} {c}" for n, c in counts.items() if c)
    return alt_text(
        head + "; ".join(full) + ".",
        head + "Not beaten by any other: " + "; ".join(brief) + ".",
        head + f"Alone not beaten by any other, number of data sets: {firsts or 'none'}.",
    )


def _alt_order(row: DatasetRow, names: dict[str, str]) -> str:
    if row.chain is None:
        return f"no weak order, by mean {', '.join(names[n] for n in row.order)}"
    return ", then ".join(" tied with ".join(names[n] for n in group) for group in row.chain)


# -------------------------------------------------------------- consensus and comparisons


def _consensus(result: DomainResult, canvas: Canvas) -> Iterator[Figure]:
    """Draw the main measure's consensus as the data sets' sections do, where no chain says it."""
    found = result.consensus.get(result.main)
    if found is None or not found.relations:
        return
    if len(found.relations) > 1 or found.relations[0].chain is None:
        for figure in consensus_figures.draw(found, canvas):
            yield replace(figure, measure=result.main)


def _intervals(result: DomainResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the main measure's pairs as the inference on a data set draws them."""
    verdict = result.verdict.get(result.main)
    if verdict is None:
        return ()
    figure = inference_figures.pairs_figure(cast("Any", verdict), canvas)
    return (replace(figure, name="intervals"),)
