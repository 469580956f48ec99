"""The consensus of a data set's preference relations (Eugster 2011, section 2.5)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from reportgen.errors import AnalysisError
from reportgen.sections.consensus.ensemble import Ballot, find_consensus
from reportgen.sections.consensus.options import Options
from reportgen.sections.consensus.result import ConsensusResult
from reportgen.sections.datasets import MOST_IN_BRIEF
from reportgen.sections.preferences.analysis import by_mean
from reportgen.sections.preferences.result import Preference, PreferencesResult
from reportgen.warehouse import Warehouse

__all__ = ["ConsensusResult", "Options", "analyse"]

MOST_WITH_RANGES = 12  # candidates: each limit of a weight is a dozen programs, all of K^2 unknowns


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    preferences: PreferencesResult,
    is_brief: bool = False,
) -> ConsensusResult:
    """Find what the relations of one data set agree on.

    `warehouse`: of one data set.
    `rng`: not used: nothing here is random.
    `preferences`: the relations; those that are not available are no members.
    `is_brief`: whether none is sought of more than `MOST_IN_BRIEF` candidates.
    Raises AnalysisError if the options weight a relation that is not there.
    """
    ids = [preference.id for preference in preferences]
    for fault in options.unknown(ids):
        raise AnalysisError(f"sections: consensus: weights: {fault}")
    is_left_out = is_brief and len(warehouse.candidates) > MOST_IN_BRIEF
    members = () if is_left_out else preferences
    ballots = [ballot(p, options.weight(p.id)) for p in members if not p.unavailable]
    return find_consensus(
        ballots,
        warehouse.candidates,
        options.order_class,
        coding=options.coding,
        limit=options.limit,
        has_ranges=len(warehouse.candidates) <= MOST_WITH_RANGES,
        ranking=by_mean(warehouse),
    )


def ballot(preference: Preference, weight: float) -> Ballot:
    """Let a relation speak of the candidates that have values in it."""
    if not preference.missing_candidates:
        own = preference.incidence
        return Ballot(preference.id, preference.candidates, own, weight, preference.by)
    among = [name not in preference.missing_candidates for name in preference.candidates]
    rest = np.array(preference.incidence, dtype=np.int64)[np.ix_(among, among)]
    names = tuple(n for n in preference.candidates if n not in preference.missing_candidates)
    return Ballot(preference.id, names, tuple(map(tuple, rest.tolist())), weight, preference.by)
