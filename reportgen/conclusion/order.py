"""The candidates in one line: who is decided better than whom, and the data sets' consensus."""

from __future__ import annotations

from reportgen.conclusion.result import Consensus, OrderLine
from reportgen.conclusion.verdict import Verdict
from reportgen.sections.consensus.result import ConsensusResult

MOST_LINE = 16  # names in a line of decided pairs that are no weak order


def order_line(verdict: Verdict, consensus: ConsensusResult | None = None) -> OrderLine | None:
    """Put the candidates in one line.

    Parameters
    ----------
    verdict : Verdict
    consensus : ConsensusResult or None
        Of the data sets' orders, which stands beside.

    Returns
    -------
    OrderLine or None
        None where nothing could be decided, and there is no consensus.
    """
    beside = None if consensus is None else consensus_of(consensus)
    if verdict.is_untestable and beside is None:
        return None
    if not verdict.n_decided:
        return OrderLine(None, by_mean=verdict.candidates, consensus=beside)
    if verdict.groups is not None:
        return OrderLine(verdict.groups, consensus=beside)
    line = OrderLine(None, verdict.rows, verdict.chain_break, consensus=beside)
    short = OrderLine(None, (), line.chain_break, consensus=beside)
    return line if line.n_names <= MOST_LINE else short


def consensus_of(found: ConsensusResult) -> Consensus | None:
    """Return the only optimum, or what all optima have in common, where it is a weak order."""
    if found.unavailable or not found.is_proven or not found.n_optimal or not found.relations:
        return None
    order = found.relations[0] if found.is_unique else found.agreement
    if order is None or order.chain is None or len(order.chain) < 2:
        return None
    return Consensus(order.chain, len(found.weighted), found.n_optimal)
