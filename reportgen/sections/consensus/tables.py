"""Tables of the consensus: its members, the rules beside it, majorities, and all optima."""

from __future__ import annotations

from collections.abc import Iterable
from math import isinf

from reportgen.report import Column, Table
from reportgen.sections.consensus.result import ConsensusResult, Member, Rule

LARGEST_MATRIX = 12  # candidates up to which the majorities fit a page
MOST_OPTIMA = 10  # that are written one by one


def tabulate(result: ConsensusResult) -> tuple[Table, ...]:
    """Lay out what the consensus was found from, and what stands beside it."""
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
    has_ranges = any(member.weight_range for member in result.members)
    ranges = (
        Column("optimal_weights", "Optimal for weights", "text"),
        Column("first_weights", "Same come first", "text"),
    )
    columns = (
        Column("id", "Relation", "text"),
        Column("chain", "Chain, best first", "order"),
        Column("distance", "Distance", "count"),
        Column("weight", "Weight", "number"),
        *(ranges if has_ranges else ()),
    )
    rows = tuple(
        (
            member.id,
            member.chain,
            member.distance,
            member.weight,
            *(_weights(member) if has_ranges else ()),
        )
        for member in result.members
    )
    return Table("members", "", columns, rows, is_wide=True)


def _weights(member: Member) -> tuple[str | None, str | None]:
    """Write for which weights the first optimum, and those that come first, stay."""
    if member.weight_range is None:
        return None, None
    first = ", ".join(_interval(*ends) for ends in member.first_ranges)
    return _interval(*member.weight_range), f"{'' if member.is_whole else '≥ '}{first}" or None


def _interval(low: float, high: float) -> str:
    if low == high:
        return f"{low:.4g}"
    return f"from {low:.4g}" if isinf(high) else f"{low:.4g} to {high:.4g}"


def _optima(result: ConsensusResult) -> Table:
    """One row an optimum, as far as they fit a page."""
    columns = (
        Column("optimum", "Optimum", "count"),
        Column("chain", "Chain, best first", "order"),
    )
    rows = tuple((i, order.chain) for i, order in enumerate(result.relations[:MOST_OPTIMA], 1))
    return Table("optima", "", columns, rows)


def _rules(result: ConsensusResult, borda: Rule, copeland: Rule) -> Table:
    """One row a candidate, in the order of the consensus."""
    places = {name: places_of(name, result) for name in result.candidates}
    is_unique = all(low == high for low, high in places.values())
    own = (
        (Column("place", "Place in the consensus", "rank", "smaller"),)
        if is_unique
        else (
            Column("least_place", "Best place in an optimum", "rank"),
            Column("greatest_place", "Worst", "rank"),
        )
    )
    columns = (
        Column("candidate", "Candidate", "candidate"),
        *own,
        Column("borda", "Borda", "number", "larger"),
        Column("copeland", "Copeland", "number", "larger"),
    )
    order = sorted(result.candidates, key=lambda n: (places[n], -borda.points[n]))
    rows = tuple(
        (
            name,
            *(places[name][:1] if is_unique else places[name]),
            borda.points[name],
            copeland.points[name],
        )
        for name in order
    )
    return Table("rules", "", columns, rows)


def places_of(name: str, result: ConsensusResult) -> tuple[int, int]:
    """Return the best and the worst place in the listed optima: 1 + how many are better."""
    k = result.candidates.index(name)
    places = [1 + sum(row[k] for row in order.incidence) for order in result.relations]
    return min(places), max(places)


def _majorities(result: ConsensusResult) -> Table:
    """Cells hold the weight of the relations that prefer the row to the column."""
    names = [name for level in result.relations[0].levels for name in level]
    columns = (Column("candidate", "", "candidate"), *(Column(n, n, "number") for n in names))
    rows = tuple(
        (row, *(None if row == col else result.support(row, col) for col in names)) for row in names
    )
    return Table("majorities", "", columns, rows)
