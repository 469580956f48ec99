"""The candidates in one line: who is decided better than whom, and the data sets' consensus."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.conclusion.verdict import Comparison
from reportgen.sections.consensus.result import ConsensusResult
from reportgen.stats.verdict import Groups

MOST_LINE = 16  # names in a line of decided pairs that are no weak order


@dataclass(frozen=True, slots=True)
class Consensus:
    """The order nearest to those of so many data sets, best first; of several what they share."""

    groups: Groups
    n_members: int
    n_optimal: int = 1

    @property
    def has_tie(self) -> bool:
        """Whether a group has several candidates."""
        return any(len(group) > 1 for group in self.groups)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """The chain of "decided better", best first; else its rows, what breaks it, or the means."""

    groups: Groups | None
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    chain_break: tuple[str, str, str] | None = None
    by_mean: tuple[str, ...] = ()
    consensus: Consensus | None = None
    reference: str | None = None  # with which alone pairs are compared

    @property
    def has_tie(self) -> bool:
        """Whether a group has several candidates."""
        sides = [names for row in self.rows for names in row]
        return any(len(group) > 1 for group in (*(self.groups or ()), *sides))


def order_line(verdict: Comparison, consensus: ConsensusResult | None = None) -> OrderLine | None:
    """Put the candidates in one line; None where nothing could be decided, without consensus."""
    beside = None if consensus is None else consensus_of(consensus)
    if verdict.is_untestable and beside is None:
        return None
    if verdict.reference is not None:
        return OrderLine(None, verdict.rows, consensus=beside, reference=verdict.reference)
    if not verdict.n_decided:
        return OrderLine(None, by_mean=verdict.candidates, consensus=beside)
    if verdict.groups is not None:
        return OrderLine(verdict.groups, consensus=beside)
    rows = verdict.rows
    is_short = sum(len(above) + len(below) for above, below in rows) <= MOST_LINE
    return OrderLine(None, rows if is_short else (), verdict.chain_break, consensus=beside)


def consensus_of(found: ConsensusResult) -> Consensus | None:
    """Return the only optimum, or what all optima have in common, where it is a weak order."""
    if found.unavailable or not found.is_proven or not found.n_optimal or not found.relations:
        return None
    order = found.relations[0] if found.is_unique else found.agreement
    if order is None or order.chain is None or len(order.chain) < 2:
        return None
    return Consensus(order.chain, len(found.weighted), found.n_optimal)
