r"""Verdicts on pairs of candidates that are tested in stages.

A verdict takes two tests together: of a difference, in one direction or both, and,
where there is an area of irrelevance, of the difference lying inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from reportgen.stats.multiplicity import MOST_CLOSED
from reportgen.stats.sequential.closure import closed_decisions
from reportgen.stats.sequential.families import bonferroni, hierarchical, holm_decisions
from reportgen.stats.sequential.recursive import Decision
from reportgen.stats.sequential.staged import Outcome, PairStages, Side, StagePlan, stages_of_pairs

Array = NDArray[np.float64]
Verdict = Literal["less", "greater", "equivalent", "not-distinguished", "open"]

MOST_HOLM = 120  # hypotheses: each is tested at as many levels; beyond, by Bonferroni


def verdicts_after(
    pairs: Sequence[PairStages],
    plan: StagePlan,
    n_stages: int,
    closed: Callable[[int], tuple[Decision, ...]] | None = None,
) -> tuple[tuple[Verdict, ...], ...]:
    """Return what is known of each pair after each stage.

    Parameters
    ----------
    pairs : sequence of PairStages
        The family: of one measure, or of several one after the other.
    plan : StagePlan
    n_stages : int
        Stages there are so far.
    closed : callable, optional
        From the stage to decisions on the differences by closed testing, in place
        of those by the plan; equivalences are then decided by Holm's method.

    Returns
    -------
    tuple of tuples of {"less", "greater", "equivalent", "not-distinguished", "open"}
        One tuple a stage. Equivalent may be significantly different, as well.

    Notes
    -----
    Differences have the family-wise error alpha, and so have equivalences. That a
    pair is not distinguished ends its tests: more stages could not change it.
    """
    if not pairs:
        return ((),) * n_stages
    differences = family_table(pairs, plan, PairStages.difference)
    equivalences = family_table(pairs, plan, PairStages.equivalence)
    found = []
    for stage in range(1, n_stages + 1):
        different = closed(stage) if closed else _decided(differences, plan, stage)
        equal = _decided(equivalences, plan, stage)
        directions = [row[0].direction for row in differences]
        parts = zip(pairs, different, equal, directions, strict=True)
        found.append(tuple(_verdict(*part) for part in parts))
    return tuple(found)


def _verdict(
    pair: PairStages,
    different: Decision,
    equal: Decision,
    direction: Side | None,
) -> Verdict:
    """Put both tests of a pair together."""
    if equal == "reject":
        return "equivalent"
    if different == "reject" and direction is not None:
        return direction
    if different == "accept" and (pair.above is None or equal == "accept"):
        return "not-distinguished"
    return "open"


Table = tuple[tuple[Outcome, ...], ...]
"""By hypothesis, the outcomes at alpha / k, k = 1, 2, ... as far as they are needed."""


def family_table(
    pairs: Sequence[PairStages],
    plan: StagePlan,
    test: Callable[[PairStages, StagePlan, float], Outcome],
) -> Table:
    """Test every hypothesis at every level that its family asks for."""
    return tuple(
        tuple(test(pair, plan, plan.alpha / k) for k in _levels(plan, len(pairs))) for pair in pairs
    )


def _levels(plan: StagePlan, n: int) -> Sequence[int]:
    """Return the k of the levels alpha / k, the first for the direction."""
    if plan.multiplicity == "hierarchical":
        return (1,)
    return (1, n) if plan.multiplicity == "bonferroni" or n > MOST_HOLM else range(1, n + 1)


def _decided(table: Table, plan: StagePlan, stage: int) -> tuple[Decision, ...]:
    """Decide on the family with what is known after a stage."""
    n = len(table)
    if plan.multiplicity == "hierarchical":
        return hierarchical([row[0].after(stage) for row in table])
    if plan.multiplicity == "bonferroni" or n > MOST_HOLM:
        return bonferroni(n, lambda i, level: table[i][-1].after(stage), plan.alpha)
    return holm_decisions(
        n, lambda i, level: table[i][round(plan.alpha / level) - 1].after(stage), plan.alpha
    )


def beaten(
    verdicts: Sequence[Verdict], pairs: Sequence[tuple[int, int]], *, is_smaller_better: bool
) -> frozenset[int]:
    """Return the candidates than which another is better, and not equivalent.

    Parameters
    ----------
    verdicts : sequence of str
    pairs : sequence of tuples of two int
        First and second.
    is_smaller_better : bool

    Examples
    --------
    >>> sorted(beaten(["less", "open", "equivalent"], [(0, 1), (0, 2), (1, 2)],
    ...     is_smaller_better=True))
    [1]
    """
    worse = {"less": 1, "greater": 0} if is_smaller_better else {"less": 0, "greater": 1}
    return frozenset(pair[worse[v]] for v, pair in zip(verdicts, pairs, strict=True) if v in worse)


def judged(
    values: Array,
    pairs: Sequence[tuple[int, int]],
    ends: Sequence[int],
    plan: StagePlan,
    area: float | None = None,
) -> tuple[tuple[Verdict, ...], ...]:
    """Return what is known of the pairs of one measure after each stage.

    Parameters
    ----------
    values : ndarray of shape (B, K)
        NaN where there is no value.
    pairs : sequence of tuples of two int
        Columns, first and second.
    ends : sequence of int
        Replications at the end of each stage there is.
    plan : StagePlan
        Closed testing is for all pairs of at most 8 candidates; it is Holm's
        method otherwise.
    area : float, optional
        Differences between -area and area do not matter.

    Examples
    --------
    >>> values = np.column_stack([np.arange(20.0), np.arange(20.0) + 1])
    >>> judged(values, [(0, 1)], (10, 20), StagePlan(2))
    (('less',), ('less',))
    """
    differences = [values[:, i] - values[:, j] for i, j in pairs]
    return verdicts_of(values, pairs, stages_of_pairs(differences, ends, plan, area), ends, plan)


def verdicts_of(
    values: Array,
    pairs: Sequence[tuple[int, int]],
    stages: Sequence[PairStages],
    ends: Sequence[int],
    plan: StagePlan,
) -> tuple[tuple[Verdict, ...], ...]:
    """Return what `judged` does, of pairs whose stages are tested already."""
    if plan.multiplicity != "closed":
        return verdicts_after(stages, plan, len(ends))
    own = replace(plan, multiplicity="holm")
    n = values.shape[1]
    if not 2 <= n <= MOST_CLOSED or tuple(pairs) != tuple(combinations(range(n), 2)):
        return verdicts_after(stages, own, len(ends))
    return verdicts_after(stages, own, len(ends), closed_decisions(values, stages, ends, plan))
