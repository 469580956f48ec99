r"""Verdicts on pairs of candidates that are tested in stages.

Two tests answer two questions of a pair: whether one of the two is better, and, where
there is an area of irrelevance, whether the difference lies inside it. A verdict is a
function of both answers, the same one for stages and for a fixed design, which is one
stage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from reportgen.stats import decisions as relevance
from reportgen.stats.multiplicity.stepdown import MOST_CLOSED
from reportgen.stats.sequential.recursive import Decision
from reportgen.stats.sequential.staged import (
    Multiplicity,
    Outcome,
    PairStages,
    Side,
    StagePlan,
    bonferroni,
    closed_decisions,
    hierarchical,
    holm_decisions,
    stages_of_pairs,
)

Array = NDArray[np.float64]
Verdict = Literal[
    "less",
    "greater",
    "less-equivalent",
    "greater-equivalent",
    "equivalent",
    "not-distinguished",
    "open",
]
Stop = Literal["decided", "both"]

MOST_HOLM = 120  # hypotheses: each is tested at as many levels; beyond, by Bonferroni
SLIGHT: Mapping[Side, Verdict] = {"less": "less-equivalent", "greater": "greater-equivalent"}
ANSWERED = ("reject", "accept")


class Answers(NamedTuple):
    """The state of a pair.

    Attributes
    ----------
    different : {"reject", "accept", "go on", "undecided"}
        On the hypothesis that there is no difference.
    equal : str or None
        On the hypothesis that the difference lies outside the area; None without one.
    direction : {"less", "greater"} or None
        Of a difference, where there is one.
    """

    different: Decision
    equal: Decision | None = None
    direction: Side | None = None

    @property
    def shown(self) -> Side | None:
        """Direction of a difference that is shown."""
        return self.direction if self.different == "reject" else None

    @property
    def verdict(self) -> Verdict:
        """Both answers in one word.

        Examples
        --------
        >>> Answers("reject", "reject", "less").verdict
        'less-equivalent'
        >>> Answers("go on", "reject", "less").verdict
        'equivalent'
        >>> Answers("accept", "go on").verdict, Answers("accept", "accept").verdict
        ('open', 'not-distinguished')
        """
        if self.equal == "reject":
            return SLIGHT[self.shown] if self.shown else "equivalent"
        if self.shown:
            return self.shown
        is_given_up = self.different == "accept" and self.equal in (None, "accept")
        return "not-distinguished" if is_given_up else "open"

    def decision(self, is_smaller_better: bool) -> relevance.Decision:
        """Return both answers as decisions on fixed designs are written, of first against second.

        Examples
        --------
        >>> Answers("reject", "go on", "less").decision(is_smaller_better=True)
        'better'
        >>> Answers("reject", "reject", "less").decision(is_smaller_better=True)
        'equivalent'
        """
        if self.equal == "reject":
            return "equivalent"
        if self.shown is None:
            return "undecided"
        return "better" if self.way(is_smaller_better) > 0 else "worse"

    def way(self, is_smaller_better: bool) -> int:
        """Return who is shown to be better, by however little: 1 the first, -1 the second, else 0.

        Examples
        --------
        >>> Answers("reject", "reject", "less").way(is_smaller_better=True)
        1
        """
        if self.shown is None:
            return 0
        return 1 if (self.shown == "less") == is_smaller_better else -1

    def is_settled(self, stop: Stop = "decided") -> bool:
        """Return whether no more replications are needed.

        Parameters
        ----------
        stop : {"decided", "both"}
            When one of the two is shown, or both are given up; or when there is an
            answer to both questions.

        Examples
        --------
        >>> Answers("reject", "go on", "less").is_settled()
        True
        >>> Answers("reject", "go on", "less").is_settled("both")
        False
        """
        if stop == "decided":
            return self.verdict != "open"
        return self.different in ANSWERED and self.equal in (None, *ANSWERED)

    def confirms(self, other: Answers) -> bool:
        """Return whether everything that another design shows is shown here too.

        Examples
        --------
        >>> slight = Answers("reject", "reject", "less")
        >>> slight.confirms(Answers("reject", "accept", "less"))
        True
        >>> Answers("reject", "accept", "less").confirms(slight)
        False
        """
        is_same = other.shown in (None, self.shown)
        return is_same and (other.equal != "reject" or self.equal == "reject")


def settled(
    ends: Sequence[int], answers: Sequence[Answers], stop: Stop
) -> tuple[Answers, int | None]:
    """Return what settles a pair, and after how many replications it does.

    What later stages add belongs to no design that stops: another pair has requested them.

    Parameters
    ----------
    ends : sequence of int
        Replications at the end of each stage there is.
    answers : sequence of Answers
        On the pair, after each of them.
    stop : {"decided", "both"}

    Returns
    -------
    answers : Answers
        The last ones where nothing settles it.
    replications : int or None
    """
    for end, answer in zip(ends, answers, strict=True):
        if answer.is_settled(stop):
            return answer, end
    return answers[-1], None


def answers_after(
    pairs: Sequence[PairStages],
    plan: StagePlan,
    n_stages: int,
    closed: Callable[[int], tuple[Decision, ...]] | None = None,
) -> tuple[tuple[Answers, ...], ...]:
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
    tuple of tuples of Answers
        One tuple a stage.

    Notes
    -----
    Differences have the family-wise error alpha, and so have equivalences. That a
    pair is not distinguished ends its tests: more stages could not change it.
    """
    if not pairs:
        return ((),) * n_stages
    differences = family_table(pairs, plan, PairStages.difference)
    equivalences = family_table(pairs, plan, PairStages.equivalence)
    directions = [row[0].direction for row in differences]
    found = []
    for stage in range(1, n_stages + 1):
        different = closed(stage) if closed else _decide(differences, plan, stage)
        equal = [
            None if pair.above is None else decision
            for pair, decision in zip(pairs, _decide(equivalences, plan, stage), strict=True)
        ]
        found.append(tuple(map(Answers, different, equal, directions)))
    return tuple(found)


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


def held_by(multiplicity: Multiplicity, n_hypotheses: int) -> Multiplicity:
    """Return the method for so many hypotheses: Bonferroni's in place of Holm's for very many.

    Examples
    --------
    >>> held_by("holm", 15), held_by("holm", 190), held_by("hierarchical", 190)
    ('holm', 'bonferroni', 'hierarchical')
    """
    is_many = n_hypotheses > MOST_HOLM and multiplicity != "hierarchical"
    return "bonferroni" if is_many else multiplicity


def _levels(plan: StagePlan, n: int) -> Sequence[int]:
    """Return the k of the levels alpha / k, the first for the direction."""
    method = held_by(plan.multiplicity, n)
    if method == "hierarchical":
        return (1,)
    return (1, n) if method == "bonferroni" else range(1, n + 1)


def _decide(table: Table, plan: StagePlan, stage: int) -> tuple[Decision, ...]:
    """Decide on the family with what is known after a stage."""
    n = len(table)
    method = held_by(plan.multiplicity, n)
    if method == "hierarchical":
        return hierarchical([row[0].after(stage) for row in table])
    if method == "bonferroni":
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
    >>> verdicts = ["less", "open", "less-equivalent"]
    >>> sorted(beaten(verdicts, [(0, 1), (0, 2), (1, 2)], is_smaller_better=True))
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
) -> tuple[tuple[Answers, ...], ...]:
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
        Of one stage it is a fixed design. Closed testing is for all pairs of at
        most 8 candidates; it is Holm's method otherwise.
    area : float, optional
        Differences between -area and area do not matter.

    Examples
    --------
    >>> values = np.column_stack([np.arange(20.0), np.arange(20.0) + 1])
    >>> [answers.verdict for (answers,) in judged(values, [(0, 1)], (10, 20), StagePlan(2))]
    ['less', 'less']
    """
    differences = [values[:, i] - values[:, j] for i, j in pairs]
    return answers_of(values, pairs, stages_of_pairs(differences, ends, plan, area), ends, plan)


def answers_of(
    values: Array,
    pairs: Sequence[tuple[int, int]],
    stages: Sequence[PairStages],
    ends: Sequence[int],
    plan: StagePlan,
) -> tuple[tuple[Answers, ...], ...]:
    """Return what `judged` does, of pairs whose stages are tested already."""
    if plan.multiplicity != "closed":
        return answers_after(stages, plan, len(ends))
    own = replace(plan, multiplicity="holm")
    if not is_closed(values.shape[1], pairs):
        return answers_after(stages, own, len(ends))
    return answers_after(stages, own, len(ends), closed_decisions(values, stages, ends, plan))


def is_closed(n_candidates: int, pairs: Sequence[tuple[int, int]]) -> bool:
    """Return whether closed testing can be had: for all pairs of few candidates.

    Examples
    --------
    >>> is_closed(3, [(0, 1), (0, 2), (1, 2)]), is_closed(3, [(0, 1)])
    (True, False)
    """
    every = tuple(combinations(range(n_candidates), 2))
    return 2 <= n_candidates <= MOST_CLOSED and tuple(pairs) == every
