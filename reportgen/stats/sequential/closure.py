r"""Closed testing of all pairs in stages: groups of candidates that are alike, tested together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.multiplicity import Subset
from reportgen.stats.sequential.families import closed_pair_decisions
from reportgen.stats.sequential.recursive import Decision
from reportgen.stats.sequential.staged import OF_MEANS, Outcome, PairStages, StagePlan
from reportgen.stats.sequential.tracks import block_f_track, friedman_track

Array = NDArray[np.float64]


def group_stages(values: Array, ends: Sequence[int], plan: StagePlan) -> Array:
    """Return p-values of the stages of the hypothesis that all candidates are alike.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        Replications with a gap are left out.
    ends : sequence of int
        Replications at the end of each stage.
    plan : StagePlan
        The block model's F for a plan of t or permutation tests, else Friedman's test.

    Returns
    -------
    ndarray of shape (T,)
        Up to the first stage with fewer than two complete replications.
    """
    follow = block_f_track if plan.test in OF_MEANS else friedman_track
    found = []
    for begin, end in zip((0, *ends), ends, strict=False):
        rows = values[begin:end]
        rows = rows[np.isfinite(rows).all(axis=1)]
        if len(rows) < 2:
            break
        found.append(float(follow(rows, len(rows)).p_values[0]))
    return np.array(found)


def closed_decisions(
    values: Array, pairs: Sequence[PairStages], ends: Sequence[int], plan: StagePlan
) -> Callable[[int], tuple[Decision, ...]]:
    """Return what decides on all pairs by closed testing, from the number of stages.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        K from 2 to 8.
    pairs : sequence of PairStages
        All pairs, in lexical order.
    ends : sequence of int
    plan : StagePlan
    """
    n_candidates = values.shape[1]
    places: Mapping[Subset, int] = {
        pair: i for i, pair in enumerate(combinations(range(n_candidates), 2))
    }
    groups: dict[Subset, Array] = {}
    known: dict[tuple[Subset, float], Outcome] = {}

    def outcome(subset: Subset, level: float) -> Outcome:
        if subset in places:
            return pairs[places[subset]].difference(plan, level)
        if subset not in groups:
            groups[subset] = group_stages(values[:, list(subset)], ends, plan)
        if not len(groups[subset]):
            return Outcome("go on", 0)
        test = plan.tested(groups[subset].tolist(), level)
        return Outcome(test.decision, len(test.stages))

    def after(stage: int) -> tuple[Decision, ...]:
        def decide(subset: Subset, level: float) -> Decision:
            if (subset, level) not in known:
                known[subset, level] = outcome(subset, level)
            return known[subset, level].after(stage)

        return closed_pair_decisions(n_candidates, decide, plan.alpha)

    return after
