"""Tables of the consensus: its members, Borda's and Copeland's rules, majorities, all optima."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from math import isinf

from reportgen.report import CANDIDATE, ColumnOf, Table
from reportgen.sections.consensus.analysis import ConsensusResult, Member, Rule
from reportgen.stats.columns import Column

LARGEST_MATRIX = 12  # candidates up to which the majorities fit a page
MOST_OPTIMA = 10  # that are written one by one


def tabulate(result: ConsensusResult) -> tuple[Table, ...]:
    """Lay out the members of the ensemble, the optima, other rules and majorities."""
    return () if result.unavailable else tuple(_tables(result))


def _tables(result: ConsensusResult) -> Iterable[Table]:
    yield _members(result)
    if len(result.relations) > 1 and any(order.chain for order in result.relations):
        yield _optima(result)
    if len(result.candidates) > 1 and result.borda and result.copeland:
        yield _rules(result, result.borda, result.copeland)
    if 2 < len(result.candidates) <= LARGEST_MATRIX and not result.is_alone:
        yield _majorities(result)


def _members(result: ConsensusResult) -> Table:
    """One row a relation, with the weights for which the consensus stays."""
    columns: list[ColumnOf[Member]] = [
        Column("id", "Relation", "text"),
        Column("chain", "Order, best first", "order"),
        Column("distance", "Distance", "count"),
        Column("weight", "Weight", "number"),
    ]
    if any(member.weight_range for member in result.members):
        columns += [
            (
                Column("optimal_weights", "Optimal for weights", "text"),
                lambda m: m.weight_range and _interval(*m.weight_range),
            ),
            (Column("first_weights", "Same come first", "text"), _first_weights),
        ]
    return Table.of(result.members, columns, name="members", is_wide=True)


def _first_weights(member: Member) -> str | None:
    """Write for which weights those that come first stay."""
    if member.weight_range is None:
        return None
    first = ", ".join(_interval(*ends) for ends in member.first_ranges)
    return f"{'' if member.is_whole else '≥ '}{first}" or None


def _interval(low: float, high: float) -> str:
    if low == high:
        return f"{low:.4g}"
    return f"from {low:.4g}" if isinf(high) else f"{low:.4g} to {high:.4g}"


def _optima(result: ConsensusResult) -> Table:
    """One row an optimum, as far as they fit a page."""
    columns = (
        (Column("optimum", "Optimum", "count"), lambda numbered: numbered[0]),
        (Column("chain", "Order, best first", "order"), lambda numbered: numbered[1].chain),
    )
    return Table.of(enumerate(result.relations[:MOST_OPTIMA], 1), columns, name="optima")


def _rules(result: ConsensusResult, borda: Rule, copeland: Rule) -> Table:
    """One row a candidate, in the order of the consensus."""
    places = {name: places_of(name, result) for name in result.candidates}
    columns: list[ColumnOf[str]] = [(CANDIDATE, str)]
    if all(low == high for low, high in places.values()):
        place = Column("place", "Place in the consensus", "rank", "smaller")
        columns.append((place, lambda name: places[name][0]))
    else:
        best = Column("least_place", "Best place in an optimum", "rank")
        columns.append((best, lambda name: places[name][0]))
        columns.append((Column("greatest_place", "Worst", "rank"), lambda name: places[name][1]))
    columns += [
        (Column("borda", "Borda", "number", "larger"), borda.points.get),
        (Column("copeland", "Copeland", "number", "larger"), copeland.points.get),
    ]
    order = sorted(result.candidates, key=lambda n: (places[n], -borda.points[n]))
    return Table.of(order, columns, name="rules")


def places_of(name: str, result: ConsensusResult) -> tuple[int, int]:
    """Return the best and the worst place in the listed optima: 1 + how many are better."""
    k = result.candidates.index(name)
    places = [1 + sum(row[k] for row in order.incidence) for order in result.relations]
    return min(places), max(places)


def _majorities(result: ConsensusResult) -> Table:
    """Cells hold the weight of the relations that prefer the row to the column."""
    names = [name for level in result.relations[0].levels for name in level]
    columns: list[ColumnOf[str]] = [(Column("candidate", "", "candidate"), str)]
    columns += [(Column(n, n, "number"), partial(_support, result, over=n)) for n in names]
    return Table.of(names, columns, name="majorities")


def _support(result: ConsensusResult, name: str, over: str) -> float | None:
    return None if name == over else result.support(name, over)
