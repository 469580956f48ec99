"""Which pairs are monitored, and what is known of them in their family.

How an execution in stages went on a data set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.request import Asked
from reportgen.sections.sequential.result import Choice, StagesRun
from reportgen.stats.sequential.staged import Multiplicity, PairStages
from reportgen.stats.sequential.verdicts import (
    Answers,
    answers_after,
    answers_of,
    held_by,
    is_closed,
    judged,
)
from reportgen.study.stages import stages_of
from reportgen.warehouse import Performances, Warehouse

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


def own_rule(warehouse: Warehouse, options: Options) -> Options:
    """Return the options with the rule by which the execution went, where it had one."""
    stages = stages_of(warehouse)
    if stages is None:
        return options
    rule: dict[str, Any] = {
        "measures": (stages.measure,),
        "pairs": stages.pairs,
        "test": stages.test,
        "rule": stages.rule,
        "combination": stages.combination,
        "multiplicity": stages.multiplicity,
        "stop": stages.stop,
        "alternative": "two-sided",
        "final": "exhaust",
        "alpha": stages.alpha,
        "stage": stages.size,
        "relevance": {} if stages.area is None else {stages.measure: stages.area},
    }
    return options.model_copy(update=rule)


def stages_run(warehouse: Warehouse, cube: Performances) -> StagesRun | None:
    """Return what was run; None where the execution did not go by stages.

    Parameters
    ----------
    warehouse : Warehouse
        Of one data set.
    cube : Performances
        Of the measure that decides.
    """
    stages = stages_of(warehouse)
    if stages is None:
        return None
    rows = warehouse.frame[warehouse.frame["measure"] == cube.measure.name]
    ends_of = rows.groupby("candidate", observed=True)["replication"].max()
    last = {name: int(ends_of.get(name, 0)) for name in cube.candidates}
    n = max(last.values())
    ends = tuple(end for end in stages.ends if end <= n)
    begins = (0, *ends)
    measured = tuple(
        tuple(name for name in cube.candidates if last[name] > begin)
        for begin in begins[: len(ends)]
    )
    dropped = {name: end for name, end in last.items() if end < n}
    seconds, seconds_fixed = _seconds(warehouse, cube, last, stages.most)
    return StagesRun(
        ends,
        stages.most,
        measured,
        sum(last.values()),
        stages.most * len(last),
        is_decided=n < stages.most,
        drop=stages.drop,
        dropped=dict(sorted(dropped.items(), key=lambda item: item[1])),
        seconds=seconds,
        seconds_fixed=seconds_fixed,
        is_equivalence_of_ranks=stages.area is not None and stages.plan.quantity != "mean",
    )


def _seconds(
    warehouse: Warehouse, cube: Performances, counts: Mapping[str, int], most: int
) -> tuple[float | None, float | None]:
    """Return the processor time of the fits, and about that of a fixed design."""
    means = warehouse.facts.get(cube.dataset, {}).get("fit_seconds")
    if not isinstance(means, Mapping) or set(means) != set(counts):
        return None, None
    each = np.array([float(means[name]) for name in counts])
    return float(each @ np.array(list(counts.values()))), float(each.sum() * most)
