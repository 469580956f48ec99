"""Which pairs are monitored, and what is known of them in their family."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np

from reportgen.sections.sequential.asked import Asked
from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.result import Choice
from reportgen.stats.sequential.staged import Multiplicity, PairStages
from reportgen.stats.sequential.verdicts import (
    Answers,
    answers_after,
    answers_of,
    held_by,
    is_closed,
    judged,
)
from reportgen.warehouse import Performances

MOST_MONITORED = 15  # candidates up to which all pairs are monitored when none are named

Pairs = tuple[tuple[int, int], ...]
Stages = tuple[PairStages, ...]
ByStage = tuple[tuple[Answers, ...], ...]


def chosen_pairs(
    cube: Performances, present: Sequence[int], options: Options, *, may_refer: bool
) -> tuple[Pairs, Choice]:
    """Return the pairs that are monitored, as columns, and how they were chosen.

    Parameters
    ----------
    cube : Performances
    present : sequence of int
        Candidates that have values.
    options : Options
    may_refer : bool
        Whether many candidates may be compared with the reference candidate only.

    Notes
    -----
    Of many candidates all pairs are too many to follow. Those with the reference
    candidate are fixed beforehand; those with the best mean are not, so all pairs
    there are stay in the family.
    """
    names = cube.candidates
    if options.pairs:
        named = [(names.index(i), names.index(j)) for i, j in options.pairs]
        return tuple(pair for pair in named if set(pair) <= set(present)), "named"
    pairs = tuple(combinations(present, 2))
    if len(present) <= MOST_MONITORED:
        return pairs, "all"
    if may_refer and options.reference in [names[k] for k in present]:
        leader, choice = names.index(str(options.reference)), "reference"
    else:
        leader, choice = _best(cube, present), "best"
    return tuple(pair for pair in pairs if leader in pair), choice  # type: ignore[return-value]


def _best(cube: Performances, present: Sequence[int]) -> int:
    """Return the candidate with the best mean."""
    values = cube.values[:, present]
    means = np.nanmean(np.where(np.isfinite(values), values, np.nan), axis=0)
    return present[int(np.argmin(means if cube.measure.is_smaller_better else -means))]


def multiplicity_of(asked: Asked) -> Multiplicity:
    """Return by which method the family-wise level is held."""
    own = asked.plan.multiplicity
    if own == "closed" and not is_closed(asked.values.shape[1], asked.pairs):
        own = "holm"
    if asked.is_part and not _keeps_all(asked):
        return "bonferroni"
    return own if own == "closed" else held_by(own, asked.n_family)


def answers_in_family(asked: Sequence[Asked], stages: Sequence[Stages]) -> list[ByStage]:
    """Return by measure and stage the answers on the monitored pairs of all measures together.

    Parameters
    ----------
    asked : sequence of Asked
        One a measure.
    stages : sequence of tuples of PairStages
        Of their pairs.
    """
    parts = list(zip(asked, stages, strict=True))
    multiplicity = asked[0].plan.multiplicity
    if any(a.is_part and _keeps_all(a) for a in asked):
        return _among_all(asked)
    if any(a.is_part for a in asked):
        return [answers_after(s, a.shared(a.plan, a.n_family), len(a.ends)) for a, s in parts]
    if multiplicity == "closed" or len(asked) == 1:
        return [answers_of(a.values, a.pairs, s, a.ends, a.alone(len(asked))) for a, s in parts]
    return _split([s for _, s in parts], asked)


def _keeps_all(asked: Asked) -> bool:
    """Return whether pairs cannot be judged without all others: in an order, or as executed."""
    return asked.plan.multiplicity == "hierarchical" or asked.run is not None


def _split(stages: Sequence[Stages], asked: Sequence[Asked]) -> list[ByStage]:
    """Judge the pairs of several measures as one family."""
    family = [pair for pairs in stages for pair in pairs]
    together = answers_after(family, asked[0].plan, len(asked[0].ends))
    bounds = np.cumsum([0, *map(len, stages)]).tolist()
    return [tuple(row[low:high] for row in together) for low, high in pairwise(bounds)]


def _among_all(asked: Sequence[Asked]) -> list[ByStage]:
    """Judge all pairs in their order, and keep the answers on those that are monitored."""
    found = []
    for a in asked:
        places = [every_pair(a).index(pair) for pair in a.pairs]
        rows = judged(a.values, every_pair(a), a.ends, a.alone(len(asked)), a.area)
        found.append(tuple(tuple(row[place] for place in places) for row in rows))
    return found


def every_pair(asked: Asked) -> Pairs:
    """Return all pairs of candidates that have values."""
    there = np.flatnonzero(np.isfinite(asked.values).any(axis=0)).tolist()
    return tuple(combinations(there, 2))


def all_settled(asked: Asked, answers: Sequence[Answers]) -> bool:
    """Return whether no comparison of candidates that were still measured is open.

    Parameters
    ----------
    asked : Asked
        Of an execution in stages.
    answers : sequence of Answers
        After the last stage, on the monitored pairs.
    """
    kept = set(asked.run.candidates[-1]) if asked.run and asked.run.candidates else set()
    pairs = asked.pairs
    if asked.is_part:
        pairs = every_pair(asked)
        answers = judged(asked.values, pairs, asked.ends, asked.plan, asked.area)[-1]
    return all(
        answer.is_settled(asked.options.stop) or not set(asked.names(pair)) <= kept
        for pair, answer in zip(pairs, answers, strict=True)
    )
