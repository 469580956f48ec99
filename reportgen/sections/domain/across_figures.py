"""Figures of one value per data set, and of how alike the data sets are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from reportgen.document import Figure, Series
from reportgen.drawing import Canvas, alt_text, measure_words, told
from reportgen.notation import Scale
from reportgen.sections.domain.graph import Graph, draw_graph, graph_of, rows_of
from reportgen.sections.domain.leader import draw_leader, leader_pairs
from reportgen.sections.domain.rank_rows import draw_rank_rows
from reportgen.sections.domain.ranks import MOST_VERSUS, advantage, draw_ranks, draw_versus

if TYPE_CHECKING:
    from reportgen.sections.domain.across_result import AcrossRanks
    from reportgen.sections.domain.result import DomainResult

MOST_JOINED = 20  # candidates up to which bars join those that are not told apart
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
    names = told(across.order)
    ranks = ", ".join(f"{names[n]} {across.mean_ranks[n]:.2f}" for n in across.order)
    groups = "; ".join(", ".join(names[n] for n in group) for group in across.groups)
    head = (
        f"Critical difference diagram of {measure_words(result.main_measure)} over "
        f"{across.n_datasets} data sets. Mean ranks: {ranks}."
    )
    tail = f" Not told apart by signed rank tests: {groups or 'none'}."
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
    names = told(across.order)
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
    names, pairs = told(across.order), leader_pairs(across)
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
    names = told(result.candidates)
    sets = told(result.datasets)
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
