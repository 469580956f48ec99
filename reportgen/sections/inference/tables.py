"""Tables of the inference: all pairs with their decisions; the model's means."""

from __future__ import annotations

from collections.abc import Iterable

from reportgen.document import Column, Table
from reportgen.notation import Scale, scale
from reportgen.sections.inference.analysis import InferenceResult, MeasureInference, Pair
from reportgen.sections.inference.overview import overview
from reportgen.sections.inference.road_tables import against_table, effects_table, roads_table

__all__ = ["overview", "tabulate"]

LARGEST_FULL = 12  # candidates up to which a report shows all pairs
MOST_EFFECTS = 6  # candidates up to which it shows the effects of all pairs
MOST_LEADERS = 3  # leaders up to which all of them are compared when it does not

FAILED_LAST = "Mean rank, failures last"

QUIET = ("equivalent", "undecided")


def tabulate(result: InferenceResult) -> tuple[Table, ...]:
    """Lay out the pairs and the means of every measure.

    With more than `LARGEST_FULL` candidates "leader-pairs" has the comparisons
    that a report can show; "pairs" always has all of them.
    """
    return tuple(table for found in result.values() for table in _tables(found))


def _tables(found: MeasureInference) -> Iterable[Table]:
    if found.pairs:
        yield _pairs("pairs", found, found.best_first)
        if len(found.order) > LARGEST_FULL:
            yield _pairs("leader-pairs", found, _of_leaders(found))
    if found.rank_sums is not None or found.mixed_model is not None:
        yield _model(found)
    if len(found.roads) > 1:
        yield roads_table(found)
    if found.effects:
        yield effects_table("effects", found, found.effects, _scale(found))
        if len(found.order) > MOST_EFFECTS and found.pairs:
            shown = {frozenset((p.first, p.second)) for p in _of_leaders(found)}
            few = [e for e in found.effects if frozenset((e.first, e.second)) in shown]
            yield effects_table("leader-effects", found, few, _scale(found))
    if found.against:
        yield against_table(found.against, found, _scale(found))


def _of_leaders(found: MeasureInference) -> tuple[Pair, ...]:
    """Pairs with a leader; with the best mean alone where there are many leaders."""
    few = 0 < len(found.leaders) <= MOST_LEADERS
    focus = set(found.leaders if few else found.order[:1])
    return tuple(p for p in found.best_first if p.first in focus or p.second in focus)


def _pairs(name: str, found: MeasureInference, pairs: tuple[Pair, ...]) -> Table:
    """One row a pair, the better mean first; rows without a relevant difference are quiet.

    The advantage is positive where the first is better, whatever the measure's direction.
    """
    ranks = {frozenset((p.first, p.second)): p.p_value for p in found.rank_pairs}
    has_area = found.relevance is not None
    rows = tuple(
        (
            (p.first, p.second),
            *_advantage(p, found),
            p.p_value,
            ranks.get(frozenset((p.first, p.second))),
            (p.wins, p.ties, p.losses),
            *(() if has_area else (p.equivalence_bound,)),
            _decision(p, has_area=has_area),
        )
        for p in pairs
    )
    return Table(
        name,
        found.measure.name,
        _pair_columns(f"{100 * (1 - found.alpha):g}%", has_area),
        rows,
        _scale(found),
        quiet=tuple(p.decision in QUIET for p in pairs),
        is_wide=True,
    )


def _decision(pair: Pair, *, has_area: bool) -> tuple[str, bool]:
    """Return what is decided; without an area, a pair is distinguished or it is not."""
    if not has_area:
        return "distinguished" if pair.significant else "not-distinguished", False
    return pair.decision, pair.decision == "equivalent" and pair.significant


def _advantage(pair: Pair, found: MeasureInference) -> tuple[float, tuple[float, float]]:
    """Return by how much the first is better, and the bounds of that."""
    if found.measure.is_smaller_better:
        return -pair.estimate, (-pair.upper, -pair.lower)
    return pair.estimate, (pair.lower, pair.upper)


def _pair_columns(level: str, has_area: bool) -> tuple[Column, ...]:
    """Columns of the pairs; without an area, the least one that would make a pair equivalent."""
    bound = Column("equivalence_bound", "Equivalent within ±", "difference")
    return (
        Column("pair", "Pair", "pair"),
        Column("advantage", "Advantage", "difference"),
        Column("interval", f"{level} interval", "difference-interval"),
        Column("p_value", "p, means", "pvalue"),
        Column("p_value_ranks", "p, ranks", "pvalue"),
        Column("replications", "Better – tied – worse", "counts"),
        *(() if has_area else (bound,)),
        Column("decision", "Decision", "decision"),
    )


def _model(found: MeasureInference) -> Table:
    """One row a candidate, in the order of the means; with gaps also how many values it has."""
    model = found.mixed_model
    has_counts = model is not None and found.has_gaps
    last = found.failed_last if found.has_gaps else None
    columns = (
        Column("candidate", "Candidate", "candidate"),
        *((Column("n", "Values", "count"),) if has_counts else ()),
        Column("mean", "Mean", "value", found.measure.better),
        Column("standard_error", "Standard error", "difference"),
        Column("rank_sum", "Rank sum", "rank", "smaller"),
        Column("mean_rank", "Mean rank", "rank", "smaller"),
        *((Column("mean_rank_failed_last", FAILED_LAST, "rank", "smaller"),) if last else ()),
    )
    rows = tuple(
        (
            name,
            *((model.n_values[name],) if model and has_counts else ()),
            model.coefficients[name] if model else None,
            model.standard_errors[name] if model else None,
            *_ranks(found, name),
            *((last.rank_sums[name] / last.n_blocks,) if last else ()),
        )
        for name in found.order
    )
    return Table("model", found.measure.name, columns, rows, _scale(found))


def _ranks(found: MeasureInference, name: str) -> tuple[float | None, float | None]:
    """Return sum and mean of a candidate's ranks; nothing without a complete replication."""
    if found.rank_sums is None:
        return None, None
    return found.rank_sums[name], found.rank_sums[name] / found.n_blocks


def _scale(found: MeasureInference) -> Scale:
    model = found.mixed_model
    return scale(found.measure, model.coefficients.values() if model else ())
