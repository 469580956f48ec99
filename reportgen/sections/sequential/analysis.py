"""Monitoring and stopping on one data set (Eugster 2011, chapter 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.random import Generator

from reportgen.errors import AnalysisError
from reportgen.sections.sequential.asked import Asked
from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.pairs import monitored_pairs
from reportgen.sections.sequential.result import Monitoring, SequentialResult, Unavailable
from reportgen.sections.sequential.stages_run import own_rule, stages_run
from reportgen.sections.sequential.together import monitored_together
from reportgen.stats.sequential.staged import PairStages, StagePlan, stage_ends, stages_of_pairs
from reportgen.stats.sequential.verdicts import Verdict, verdicts_after, verdicts_of
from reportgen.warehouse import Performances, Warehouse

__all__ = ["Monitoring", "Options", "analyse", "applies"]

LEAST = 20  # replications from which on a report without a list of sections monitors them
MOST_MONITORED = 15  # candidates up to which all pairs are monitored when none are named


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and replications that accumulate."""
    replications = warehouse.frame.groupby("dataset", observed=True)["replication"]
    return len(warehouse.candidates) >= 2 and int(replications.nunique().max()) >= LEAST


def analyse(warehouse: Warehouse, options: Options, rng: Generator) -> SequentialResult:
    """Follow the comparisons of one data set over its replications.

    Parameters
    ----------
    warehouse : Warehouse
        Of one data set.
    options : Options
        Where the execution went by stages, its own rule comes before them.
    rng : Generator
        Draws the random orders.

    Returns
    -------
    dict of str to Monitoring
        By measure.

    Raises
    ------
    AnalysisError
        If the options name a pair of unknown candidates.
    """
    options = own_rule(warehouse, options)
    for fault in options.unknown_pairs(warehouse.candidates):
        where = ": ".join(map(str, ("sections", "sequential", "pairs")))
        raise AnalysisError(f"{where}: {fault}")
    names = options.measures or (warehouse.measures[0].name,)
    dataset = warehouse.datasets[0]
    cubes = [warehouse.performances(dataset, name) for name in names]
    asked = [_asked(cube, warehouse, options) for cube in cubes]
    n_family = sum(len(a.pairs) for a in asked)
    asked = [replace(a, n_family=n_family) for a in asked]
    stages = [_stages(a) for a in asked]
    verdicts = _verdicts(asked, stages, options)
    return {
        a.performances.measure.name: _monitoring(a, own, found, rng)
        for a, own, found in zip(asked, stages, verdicts, strict=True)
    }


def _asked(cube: Performances, warehouse: Warehouse, options: Options) -> Asked:
    """Put together what is compared, of candidates that have values."""
    values = np.where(np.isfinite(cube.values), cube.values, np.nan)
    present = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).any()]
    names = cube.candidates
    wanted = options.pairs or _all_pairs([names[k] for k in present], values[:, present], cube)
    columns = [(names.index(i), names.index(j)) for i, j in wanted]
    pairs = tuple(pair for pair in columns if set(pair) <= set(present))
    run = stages_run(warehouse, cube)
    planned = stage_ends(run.most if run else max(1, len(values)), options.stage)
    ends = run.ends if run else planned
    plan = StagePlan(
        len(planned),
        options.alpha,
        options.test,
        options.alternative,
        options.rule,
        options.combination,
        options.final,
        options.multiplicity,
        options.law,
        options.zeros,
    )
    return Asked(cube, values, pairs, ends, planned, plan, warehouse.target, options, run)


def _all_pairs(
    names: Sequence[str], values: np.ndarray, cube: Performances
) -> Sequence[tuple[str, str]]:
    """Return all pairs, or of many candidates those with the best mean."""
    pairs = list(combinations(names, 2))
    if len(names) <= MOST_MONITORED:
        return pairs
    sign = 1 if cube.measure.is_smaller_better else -1
    best = names[int(np.argmin(sign * np.nanmean(values, axis=0)))]
    return [pair for pair in pairs if best in pair]


def _stages(asked: Asked) -> tuple[PairStages, ...]:
    """Test the stages of the pairs of a measure."""
    area = asked.options.relevance.get(asked.performances.measure.name)
    return stages_of_pairs(asked.differences, asked.ends, asked.plan, area[1] if area else None)


def _verdicts(
    asked: Sequence[Asked], stages: Sequence[tuple[PairStages, ...]], options: Options
) -> list[tuple[tuple[Verdict, ...], ...]]:
    """Return by measure and stage the verdicts on the pairs of all measures together."""
    if options.multiplicity == "closed" or len(asked) == 1:
        shared = options.alpha / len(asked)
        return [
            verdicts_of(a.values, a.pairs, own, a.ends, replace(a.plan, alpha=shared))
            for a, own in zip(asked, stages, strict=True)
        ]
    family = [pair for pairs in stages for pair in pairs]
    together = verdicts_after(family, asked[0].plan, len(asked[0].ends))
    bounds = np.cumsum([0, *map(len, stages)]).tolist()
    return [tuple(row[low:high] for row in together) for low, high in pairwise(bounds)]


def _all_decided(asked: Asked, verdicts: Sequence[Verdict]) -> bool:
    """Whether no pair of candidates that were still measured is open."""
    kept = set(asked.run.candidates[-1]) if asked.run and asked.run.candidates else set()
    return not any(
        verdict == "open" and set(asked.names(pair)) <= kept
        for pair, verdict in zip(asked.pairs, verdicts, strict=True)
    )


def _monitoring(
    asked: Asked,
    stages: tuple[PairStages, ...],
    verdicts: tuple[tuple[Verdict, ...], ...],
    rng: Generator,
) -> Monitoring:
    """Follow one measure."""
    measure, options = asked.performances.measure, asked.options
    facts: dict[str, Any] = {
        "measure": measure,
        "alpha": options.alpha,
        "relevance": options.relevance.get(measure.name),
        "target": asked.target,
        "n_replications": len(asked.values),
        "run": asked.run,
    }
    if asked.run is not None:
        is_decided = asked.run.is_decided or _all_decided(asked, verdicts[-1])
        facts["run"] = replace(asked.run, is_decided=is_decided)
    pairs = monitored_pairs(asked, stages, verdicts, rng) if asked.pairs else ()
    if not pairs:
        why: Unavailable = "too-few-replications" if asked.pairs else "one-candidate"
        return Monitoring(entries=(), unavailable=why, **facts)
    everyone = monitored_together(asked)
    return Monitoring(
        entries=(*pairs, *((everyone,) if everyone else ())),
        ends=asked.ends,
        n_stages=asked.plan.n_stages,
        test=options.test,
        rule=options.rule,
        combination=options.combination,
        multiplicity=options.multiplicity,
        alternative=options.alternative,
        n_family=asked.n_family,
        **facts,
    )
