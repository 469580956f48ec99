"""Every pair over these tasks in a plot; tables of pairs, tasks, ranks and items left out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from reportgen.drawing import MOST_PAIRS_ALT, Canvas, alt_names, alt_text, measure_words
from reportgen.drawing.plots.grid import draw_grid
from reportgen.drawing.plots.pairs import draw_pairs
from reportgen.drawing.plots.rows import RowColumn
from reportgen.notation import SHARES, pvalue, whole_range
from reportgen.report import ADVANTAGE, CANDIDATE, P_VALUE, PAIR, ColumnOf, Figure, Series, Table
from reportgen.sections.inference.figures import (
    decision_column,
    grid_of,
    interval_words,
    lay_out_pairs,
    size_columns,
)
from reportgen.sections.inference.result import ALL_PAIRS, has_leader_pairs
from reportgen.sections.inference.tables import pairs_table
from reportgen.sections.items.analysis import ItemsResult, MissingItems, Task, TaskPair
from reportgen.stats.columns import Column
from reportgen.stats.pair_table import PairTable, numbers_or_none

if TYPE_CHECKING:
    from reportgen.sections.domain.result import DomainVerdict


Row = tuple[Task, TaskPair]


def draw(result: ItemsResult, canvas: Canvas) -> tuple[Figure, ...]:
    """Draw the pairs over these tasks; of many candidates a grid of the decisions."""
    verdict = result.main
    if verdict is None or not len(verdict.pairs):
        return ()
    at = verdict.number_format
    if len(verdict.order) <= ALL_PAIRS:
        columns = (*size_columns(verdict, at), *_columns(verdict))
        drawn = partial(draw_pairs, lay_out_pairs(verdict, at, None, columns))
    else:
        drawn = partial(draw_grid, grid_of(verdict))
    pairs = verdict.best_first
    names = alt_names(verdict.order)
    words = [
        f"{names[p.first]} against {names[p.second]} {at.difference(*verdict.advantage(p))} "
        f"({interval_words(verdict, p, at)}), {p.words}"
        for p in pairs[: MOST_PAIRS_ALT + 1]
    ]
    head = f"Advantages in mean {measure_words(verdict.measure)} over these tasks. "
    figure = canvas.figure(
        "pairs",
        result.measure,
        drawn,
        alt=alt_text(head + "; ".join(words) + ".", head + f"{len(pairs)} pairs."),
        data=Series(
            ("first", "second", "advantage", "lower", "upper", "p_value", "decision"),
            tuple(
                (p.first, p.second, estimate, *bounds, p.adjusted_p_value, p.words)
                for p in pairs
                for estimate, bounds in [verdict.advantage(p)]
            ),
        ),
    )
    return (figure,)


def _columns(verdict: DomainVerdict) -> tuple[RowColumn, ...]:
    pairs = verdict.best_first
    counts = tuple(f"{p.wins} of {p.wins + p.ties + p.losses}" for p in pairs)
    return (
        RowColumn("p", tuple(pvalue(p.adjusted_p_value) for p in pairs)),
        RowColumn("tasks won", counts, is_spare=True),
        decision_column(verdict),
    )


def tabulate(result: ItemsResult) -> tuple[Table, ...]:
    """Lay out the pairs over these tasks and of each task, the ranks, and items left out."""
    found = []
    if result.main is not None:
        found.append(_pairs("pairs", result, result.main.arranged))
        if has_leader_pairs(result.main):
            found.append(_pairs("leader-pairs", result, result.main.rivals))
    if result.has_pairs:
        found += [_tasks(result), _ranks(result)]
    if result.missing_items:
        found.append(_missing_items(result))
    return tuple(found)


def _pairs(name: str, result: ItemsResult, pairs: PairTable) -> Table:
    verdict = result.verdict[result.measure]
    p_values = numbers_or_none(pairs.adjusted_p_value)
    return pairs_table(
        name,
        verdict,
        pairs,
        p_values=((P_VALUE, p_values),),
        counts=Column("tasks", "Tasks won – tied – lost", "counts"),
        number_format=verdict.number_format,
    )


def _tasks(result: ItemsResult) -> Table:
    """One row a pair and task: its flips, what it could show, and where its variance is from."""
    rows: list[Row] = list(result.shown_pairs)
    columns: list[ColumnOf[Row]] = [
        (Column("task", "Task", "dataset"), lambda row: row[0].name),
        (PAIR, lambda row: (row[1].first, row[1].second)),
        (ADVANTAGE, lambda row: row[1].estimate),
        (Column("n", "Items", "count"), lambda row: row[1].n),
        (
            Column("flips", "First better – second better", "counts"),
            lambda row: row[1].n_flips,
        ),
        (Column("detectable", "Detectable", "difference"), lambda row: row[1].detectable),
        (Column("half_items", "Items to halve", "count"), lambda row: _whole(row[1].half_items)),
    ]
    if result.has_runs:
        columns += [
            (
                Column("noise_share", "Noise, %", "value", number_format=SHARES),
                lambda row: row[1].noise_share,
            ),
            (Column("half_runs", "Runs to halve", "count"), lambda row: _whole(row[1].half_runs)),
            (
                Column("these_items", "On these items", "difference-interval"),
                lambda row: row[1].these_items or (None, None),
            ),
        ]
    if result.has_clusters:
        columns.append((Column("correlation", "In clusters", "number"), lambda r: r[1].correlation))
    return Table.of(
        rows,
        columns,
        name="tasks",
        measure=result.measure,
        number_format=result.number_format,
        is_wide=True,
    )


def _whole(x: float | None) -> int | None:
    return None if x is None else int(-(-x // 1))


def _ranks(result: ItemsResult) -> Table:
    """One row a candidate: between which ranks it is, on each task and over these tasks."""
    names = list(result.ranks or result.tasks[0].ranks)
    columns: list[ColumnOf[str]] = [(CANDIDATE, lambda name: name)]
    if result.ranks:
        columns.append((Column("ranks", "These tasks", "text"), lambda n: _range(result.ranks, n)))
    columns += [
        (
            Column(f"ranks {task.name}", task.name, "text"),
            lambda name, own=task.ranks: _range(own, name),  # type: ignore[misc]
        )
        for task in result.tasks
    ]
    return Table.of(
        names, columns, name="ranks", measure=result.measure, number_format=result.number_format
    )


def _range(ranks: Any, name: str) -> str | None:
    return whole_range(*ranks[name]) if name in ranks else None


def _missing_items(result: ItemsResult) -> Table:
    """One row a pair of which one lacks items."""
    rows = result.missing_items
    columns: list[ColumnOf[tuple[Task, MissingItems]]] = [
        (Column("task", "Task", "dataset"), lambda row: row[0].name),
        (PAIR, lambda row: (row[1].first, row[1].second)),
        (Column("missing", "Missing: first – second", "counts"), lambda row: row[1].n),
        (ADVANTAGE, lambda row: row[1].estimate),
        (Column("bound", "At worst", "difference"), lambda row: row[1].bound),
    ]
    return Table.of(
        rows,
        columns,
        name="left-out",
        measure=result.measure,
        number_format=result.number_format,
        is_wide=True,
    )
