"""Monitoring and stopping on one data set (Eugster 2011, chapter 6): pairs, and all candidates."""

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
from reportgen.sections.sequential.pairs import monitor_pairs, stage_results
from reportgen.sections.sequential.request import Request
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
    requests = [
        _request_of(warehouse.performances(dataset, name), warehouse, options) for name in names
    ]
    _check_ranges(requests, options)
    n_family = sum(a.n_compared for a in requests)
    requests = [replace(a, n_family=n_family) for a in requests]
    stages = [stages_of_pairs(a.differences, a.ends, a.plan, a.area) for a in requests]
    answers = answers_in_family(requests, stages)
    return {
        a.performances.measure.name: _monitoring(a, own, found, _verdicts(a, inference), rng)
        for a, own, found in zip(requests, stages, answers, strict=True)
    }


def _check_ranges(requests: Sequence[Request], options: Options) -> None:
    """Warn where a sequence needs the range of a measure and does not have it."""
    where = "sections: sequential: sequence: found 'bernstein'"
    for a in requests if options.sequence == "bernstein" else ():
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


def _request_of(performances: Performances, warehouse: Warehouse, options: Options) -> Request:
    """Put together what is compared, of candidates that have values."""
    area = options.relevance.get(performances.measure.name)
    scale = comparison_scale(performances.measure, performances.values, area)
    values = comparison_values(performances.values, scale)
    present = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).any()]
    run = stages_run(warehouse, performances)
    pairs, choice = chosen_pairs(performances, present, options, may_refer=run is None)
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
    )
    return Request(
        performances,
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


def _verdicts(request: Request, inference: Mapping[str, MeasureInference] | None) -> Method | None:
    """Return what decides on the pairs of a measure in this experiment."""
    found = (inference or {}).get(request.performances.measure.name)
    return None if found is None or found.unavailable else found.conditional


def _monitoring(
    request: Request,
    stages: tuple[PairStages, ...],
    answers: Sequence[Sequence[Answers]],
    verdicts: Method | None,
    rng: Generator,
) -> Monitoring:
    """Follow one measure."""
    measure, options = request.performances.measure, request.options
    facts: dict[str, Any] = {
        "measure": measure,
        "alpha": options.alpha,
        "relevance": request.relevance,
        "is_area_unused": request.named_area is not None and request.relevance is None,
        "target": request.target,
        "n_replications": len(request.values),
        "run": request.run,
    }
    if request.run is not None:
        is_decided = request.run.is_decided or all_settled(request, answers[-1])
        facts["run"] = replace(request.run, is_decided=is_decided)
    pairs = monitor_pairs(request, stages, answers, verdicts, rng) if request.pairs else ()
    if not pairs:
        why: Unavailable = "too-few-replications" if request.pairs else "one-candidate"
        return Monitoring(entries=(), unavailable=why, **facts)
    omnibus = monitor_omnibus(request)
    return Monitoring(
        entries=(*pairs, *((omnibus,) if omnibus else ())),
        ends=request.ends,
        n_stages=request.plan.n_stages,
        test=options.test,
        quantity=request.plan.quantity,
        rule=options.rule,
        combination=options.combination,
        multiplicity=multiplicity_of(request),
        alternative=options.alternative,
        n_family=request.n_family,
        choice=request.choice,
        n_compared=request.n_compared,
        stop=options.stop,
        sequence=options.sequence,
        **facts,
    )


def monitor_omnibus(request: Request) -> Monitored | None:
    """Follow the test that all candidates are alike; None with two candidates or few values.

    Parameters
    ----------
    request : Request
    """
    present = np.isfinite(request.values).any(axis=0)
    values = request.values[:, present]
    complete = np.flatnonzero(np.isfinite(values).all(axis=1))
    if present.sum() < 3 or len(complete) < request.burn_in:
        return None
    is_of_means = request.plan.test in OF_MEANS
    track = (block_f_track if is_of_means else friedman_track)(values[complete], request.burn_in)
    alpha = request.options.alpha
    point = float(point_of_consecutive_significance(track, alpha))
    p_values = group_stages(values, request.ends, request.plan)
    test = request.plan.tested(p_values.tolist(), alpha) if len(p_values) else None
    decided = test.decision if test and test.is_decided else "undecided"
    return Monitored(
        None,
        None,
        "block-f" if is_of_means else "friedman",
        "two-sided",
        request.burn_in,
        request.target,
        tuple((complete[track.n - 1] + 1).tolist()),
        tuple(track.p_values.tolist()),
        tuple(track.statistics.tolist()),
        tuple(track.effects.tolist()),
        None,
        len(complete),
        int(complete[int(point) - 1]) + 1 if np.isfinite(point) else None,
        alpha,
        stage_results(test, request.ends) if test else (),
        None,
        test.p_value if test else None,
        decided,  # type: ignore[arg-type]
        scale=request.scale,
    )
