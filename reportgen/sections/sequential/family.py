"""The monitored pairs, their answers in their family, and how an execution in stages went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.request import Request
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
    performances: Performances, present: Sequence[int], options: Options, *, may_refer: bool
) -> tuple[Pairs, Choice]:
    """Return the pairs that are monitored, as columns, and how they were chosen.

    Parameters
    ----------
    performances : Performances
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
    names = performances.candidates
    if options.pairs:
        named = [(names.index(i), names.index(j)) for i, j in options.pairs]
        return tuple(pair for pair in named if set(pair) <= set(present)), "named"
    pairs = tuple(combinations(present, 2))
    if len(present) <= MOST_MONITORED:
        return pairs, "all"
    if may_refer and options.reference in [names[k] for k in present]:
        leader, choice = names.index(str(options.reference)), "reference"
    else:
        leader, choice = _best(performances, present), "best"
    return tuple(pair for pair in pairs if leader in pair), choice  # type: ignore[return-value]


def _best(performances: Performances, present: Sequence[int]) -> int:
    """Return the candidate with the best mean."""
    values = performances.values[:, present]
    means = np.nanmean(np.where(np.isfinite(values), values, np.nan), axis=0)
    return present[int(np.argmin(means if performances.measure.is_smaller_better else -means))]


def multiplicity_of(request: Request) -> Multiplicity:
    """Return the method that controls the family-wise level."""
    own = request.plan.multiplicity
    if own == "closed" and not is_closed(request.values.shape[1], request.pairs):
        own = "holm"
    if request.is_part and not _keeps_all(request):
        return "bonferroni"
    return own if own == "closed" else held_by(own, request.n_family)


def answers_in_family(requests: Sequence[Request], stages: Sequence[Stages]) -> list[ByStage]:
    """Return by measure and stage the answers on the monitored pairs of all measures together.

    Parameters
    ----------
    requests : sequence of Request
        One a measure.
    stages : sequence of tuples of PairStages
        Of their pairs.
    """
    parts = list(zip(requests, stages, strict=True))
    multiplicity = requests[0].plan.multiplicity
    if any(a.is_part and _keeps_all(a) for a in requests):
        return _among_all(requests)
    if any(a.is_part for a in requests):
        return [answers_after(s, a.shared(a.plan, a.n_family), len(a.ends)) for a, s in parts]
    if multiplicity == "closed" or len(requests) == 1:
        return [answers_of(a.values, a.pairs, s, a.ends, a.alone(len(requests))) for a, s in parts]
    return _split([s for _, s in parts], requests)


def _keeps_all(request: Request) -> bool:
    """Return whether pairs cannot be judged without all others: in an order, or as executed."""
    return request.plan.multiplicity == "hierarchical" or request.run is not None


def _split(stages: Sequence[Stages], requests: Sequence[Request]) -> list[ByStage]:
    """Judge the pairs of several measures as one family."""
    family = [pair for pairs in stages for pair in pairs]
    joint = answers_after(family, requests[0].plan, len(requests[0].ends))
    bounds = np.cumsum([0, *map(len, stages)]).tolist()
    return [tuple(row[low:high] for row in joint) for low, high in pairwise(bounds)]


def _among_all(requests: Sequence[Request]) -> list[ByStage]:
    """Judge all pairs in their order, and keep the answers on those that are monitored."""
    found = []
    for a in requests:
        places = [every_pair(a).index(pair) for pair in a.pairs]
        rows = judged(a.values, every_pair(a), a.ends, a.alone(len(requests)), a.area)
        found.append(tuple(tuple(row[place] for place in places) for row in rows))
    return found


def every_pair(request: Request) -> Pairs:
    """Return all pairs of candidates that have values."""
    there = np.flatnonzero(np.isfinite(request.values).any(axis=0)).tolist()
    return tuple(combinations(there, 2))


def all_settled(request: Request, answers: Sequence[Answers]) -> bool:
    """Return whether no comparison of candidates that were still measured is open.

    Parameters
    ----------
    request : Request
        Of an execution in stages.
    answers : sequence of Answers
        After the last stage, on the monitored pairs.
    """
    kept = set(request.run.candidates[-1]) if request.run and request.run.candidates else set()
    pairs = request.pairs
    if request.is_part:
        pairs = every_pair(request)
        answers = judged(request.values, pairs, request.ends, request.plan, request.area)[-1]
    return all(
        answer.is_settled(request.options.stop) or not set(request.names(pair)) <= kept
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


def stages_run(warehouse: Warehouse, performances: Performances) -> StagesRun | None:
    """Return what was run; None where the execution did not go by stages.

    Parameters
    ----------
    warehouse : Warehouse
        Of one data set.
    performances : Performances
        Of the measure that decides.
    """
    stages = stages_of(warehouse)
    if stages is None:
        return None
    rows = warehouse.frame[warehouse.frame["measure"] == performances.measure.name]
    ends_of = rows.groupby("candidate", observed=True)["replication"].max()
    last = {name: int(ends_of.get(name, 0)) for name in performances.candidates}
    n = max(last.values())
    ends = tuple(end for end in stages.ends if end <= n)
    begins = (0, *ends)
    measured = tuple(
        tuple(name for name in performances.candidates if last[name] > begin)
        for begin in begins[: len(ends)]
    )
    dropped = {name: end for name, end in last.items() if end < n}
    seconds, seconds_fixed = _seconds(warehouse, performances, last, stages.most)
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
    warehouse: Warehouse, performances: Performances, counts: Mapping[str, int], most: int
) -> tuple[float | None, float | None]:
    """Return the processor time of the fits, and about that of a fixed design."""
    means = warehouse.facts.get(performances.dataset, {}).get("fit_seconds")
    if not isinstance(means, Mapping) or set(means) != set(counts):
        return None, None
    each = np.array([float(means[name]) for name in counts])
    return float(each @ np.array(list(counts.values()))), float(each.sum() * most)
