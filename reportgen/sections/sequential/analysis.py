"""Monitoring and stopping on one data set (Eugster 2011, chapter 6).

All candidates together on accumulating replications.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.random import Generator

from reportgen.errors import AnalysisError
from reportgen.sections.inference.result import MeasureInference, Method
from reportgen.sections.sequential.family import (
    all_settled,
    answers_in_family,
    chosen_pairs,
    multiplicity_of,
    own_rule,
    stages_run,
)
from reportgen.sections.sequential.options import Options
from reportgen.sections.sequential.pairs import monitored_pairs, stage_results
from reportgen.sections.sequential.request import Asked
from reportgen.sections.sequential.result import (
    Monitored,
    Monitoring,
    SequentialResult,
    Unavailable,
)
from reportgen.stats.sequential.staged import (
    OF_MEANS,
    PairStages,
    StagePlan,
    group_stages,
    stage_ends,
    stages_of_pairs,
)
from reportgen.stats.sequential.tracks import (
    block_f_track,
    friedman_track,
    point_of_consecutive_significance,
)
from reportgen.stats.sequential.verdicts import Answers
from reportgen.study.comparison import comparison_scale, comparison_values
from reportgen.warehouse import Performances, Warehouse


def monitored_together(asked: Asked) -> Monitored | None:
    """Follow the test that all candidates are alike; None with two candidates or few values.

    Parameters
    ----------
    asked : Asked
    """
    present = np.isfinite(asked.values).any(axis=0)
    values = asked.values[:, present]
    complete = np.flatnonzero(np.isfinite(values).all(axis=1))
    if present.sum() < 3 or len(complete) < asked.burn_in:
        return None
    is_of_means = asked.plan.test in OF_MEANS
    track = (block_f_track if is_of_means else friedman_track)(values[complete], asked.burn_in)
    alpha = asked.options.alpha
    point = float(point_of_consecutive_significance(track, alpha))
    p_values = group_stages(values, asked.ends, asked.plan)
    test = asked.plan.tested(p_values.tolist(), alpha) if len(p_values) else None
    decided = test.decision if test and test.is_decided else "undecided"
    return Monitored(
        None,
        None,
        "block-f" if is_of_means else "friedman",
        "two-sided",
        asked.burn_in,
        asked.target,
        tuple((complete[track.n - 1] + 1).tolist()),
        tuple(track.p_values.tolist()),
        tuple(track.statistics.tolist()),
        tuple(track.effects.tolist()),
        None,
        len(complete),
        int(complete[int(point) - 1]) + 1 if np.isfinite(point) else None,
        alpha,
        stage_results(test, asked.ends) if test else (),
        None,
        test.p_value if test else None,
        decided,  # type: ignore[arg-type]
        scale=asked.scale,
    )


LEAST = 20  # replications from which on a report without a list of sections monitors them


def applies(warehouse: Warehouse) -> bool:
    """Whether there are candidates to compare, and replications that accumulate."""
    replications = warehouse.frame.groupby("dataset", observed=True)["replication"]
    return len(warehouse.candidates) >= 2 and int(replications.nunique().max()) >= LEAST


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    inference: Mapping[str, MeasureInference] | None = None,
) -> SequentialResult:
    """Follow the comparisons of one data set over its replications.

    Parameters
    ----------
    warehouse : Warehouse
        Of one data set.
    options : Options
        Where the execution went by stages, its own rule comes before them.
    rng : Generator
        Draws the random orders.
    inference : mapping of str to MeasureInference, optional
        By measure: the verdicts with all replications.

    Returns
    -------
    dict of str to Monitoring
        By measure.

    Raises
    ------
    AnalysisError
        If the options name a pair of unknown candidates, or need a range that is not known.
    """
    options = own_rule(warehouse, options)
    for fault in options.unknown_pairs(warehouse.candidates):
        where = ": ".join(map(str, ("sections", "sequential", "pairs")))
        raise AnalysisError(f"{where}: {fault}")
    names = options.measures or (warehouse.measures[0].name,)
    dataset = warehouse.datasets[0]
    cubes = [warehouse.performances(dataset, name) for name in names]
    asked = [_asked(cube, warehouse, options) for cube in cubes]
    _check_ranges(asked, options)
    n_family = sum(a.n_compared for a in asked)
    asked = [replace(a, n_family=n_family) for a in asked]
    stages = [stages_of_pairs(a.differences, a.ends, a.plan, a.area) for a in asked]
    answers = answers_in_family(asked, stages)
    return {
        a.performances.measure.name: _monitoring(a, own, found, _verdicts(a, inference), rng)
        for a, own, found in zip(asked, stages, answers, strict=True)
    }


def _check_ranges(asked: Sequence[Asked], options: Options) -> None:
    """Say where a sequence that needs the range of a measure cannot have it."""
    where = "sections: sequential: sequence: found 'bernstein'"
    for a in asked if options.sequence == "bernstein" else ():
        name = a.performances.measure.name
        if a.span is None:
            raise AnalysisError(
                f"{where}, and the range of {name!r} is not known; allowed asymptotic, or "
                "bounds: [low, high] with the measure"
            )
        if any(np.nanmax(np.abs(d), initial=0.0) > a.span for d in a.differences):
            raise AnalysisError(
                f"{where}, and values of {name!r} differ by more than its bounds allow; "
                "allowed asymptotic"
            )


def _asked(cube: Performances, warehouse: Warehouse, options: Options) -> Asked:
    """Put together what is compared, of candidates that have values."""
    area = options.relevance.get(cube.measure.name)
    scale = comparison_scale(cube.measure, cube.values, area)
    values = comparison_values(cube.values, scale)
    present = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).any()]
    run = stages_run(warehouse, cube)
    pairs, choice = chosen_pairs(cube, present, options, may_refer=run is None)
    is_part = choice == "best"
    n_compared = len(present) * (len(present) - 1) // 2 if is_part else len(pairs)
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
    return Asked(
        cube,
        scale,
        values,
        pairs,
        ends,
        planned,
        plan,
        warehouse.target,
        options,
        run,
        choice,
        n_compared,
    )


def _verdicts(asked: Asked, inference: Mapping[str, MeasureInference] | None) -> Method | None:
    """Return what decides on the pairs of a measure."""
    found = (inference or {}).get(asked.performances.measure.name)
    return None if found is None or found.unavailable else found.method


def _monitoring(
    asked: Asked,
    stages: tuple[PairStages, ...],
    answers: Sequence[Sequence[Answers]],
    verdicts: Method | None,
    rng: Generator,
) -> Monitoring:
    """Follow one measure."""
    measure, options = asked.performances.measure, asked.options
    facts: dict[str, Any] = {
        "measure": measure,
        "alpha": options.alpha,
        "relevance": asked.relevance,
        "is_area_unused": asked.named_area is not None and asked.relevance is None,
        "target": asked.target,
        "n_replications": len(asked.values),
        "run": asked.run,
    }
    if asked.run is not None:
        is_decided = asked.run.is_decided or all_settled(asked, answers[-1])
        facts["run"] = replace(asked.run, is_decided=is_decided)
    pairs = monitored_pairs(asked, stages, answers, verdicts, rng) if asked.pairs else ()
    if not pairs:
        why: Unavailable = "too-few-replications" if asked.pairs else "one-candidate"
        return Monitoring(entries=(), unavailable=why, **facts)
    everyone = monitored_together(asked)
    return Monitoring(
        entries=(*pairs, *((everyone,) if everyone else ())),
        ends=asked.ends,
        n_stages=asked.plan.n_stages,
        test=options.test,
        quantity=asked.plan.quantity,
        rule=options.rule,
        combination=options.combination,
        multiplicity=multiplicity_of(asked),
        alternative=options.alternative,
        n_family=asked.n_family,
        choice=asked.choice,
        n_compared=asked.n_compared,
        stop=options.stop,
        sequence=options.sequence,
        **facts,
    )
