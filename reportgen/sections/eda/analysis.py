"""Exploratory analysis of one data set (Eugster 2011, sections 2.1 and 2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.performance_measure import Measure
from reportgen.sections.datasets import MOST_COMPACT
from reportgen.sections.eda import Options
from reportgen.sections.eda.result import (
    CandidateSummary,
    EdaResult,
    InfluentialObservation,
    MeasureExploration,
    Podium,
    WorstCases,
)
from reportgen.stats.blocks.candidate_means import within
from reportgen.stats.descriptive import (
    Description,
    describe_each,
    has_tie,
    place_counts,
    places,
    quantiles_of,
    shared_places,
    tie_breakers,
    tied_runs,
    worst,
    worst_share,
)
from reportgen.stats.ranking import levelled, within_block_ranks
from reportgen.stats.samples.left_out import left_out_rank_sums
from reportgen.study.comparison import filled_values
from reportgen.warehouse import Performances, Warehouse
from reportgen.warehouse.samples import Samples

DESCRIBED = tuple(field.name for field in fields(Description))
DECISIVE = 0.9  # of pairs of replications, in which the one without an observation is the larger


def analyse(warehouse: Warehouse, options: Options, rng: Generator) -> EdaResult:
    """Explore every measure of one data set.

    `warehouse`: of one data set.
    `rng`: not used: ties of the podium are broken by replication and candidate.
    Result: measures without any value are left out.
    """
    result: dict[str, MeasureExploration] = {}
    for dataset in warehouse.datasets:
        for measure in warehouse.measures:
            present = _present(warehouse, dataset, measure)
            if present.candidates:
                found = _explore(present, options, warehouse.candidates)
                if not result and warehouse.samples:
                    own = _influential_observation(present, warehouse.samples[0], options.alpha)
                    found = replace(found, observation=own)
                is_paired = warehouse.unit.shares_rows
                result[measure.name] = found if is_paired else _alone(found)
    return result


def _influential_observation(
    blocks: Performances, samples: Samples, alpha: float
) -> InfluentialObservation | None:
    """Return the observation on which a candidate depends most; None where none is tested."""
    values, rows = blocks.complete, blocks.replications[blocks.is_complete]
    place = {number: b for b, number in enumerate(samples.replications.tolist())}
    kept = [i for i, number in enumerate(rows.tolist()) if number in place]
    if len(kept) < len(rows) or not kept:
        return None
    is_left_out = samples.times[[place[number] for number in rows.tolist()]] == 0
    found = left_out_rank_sums(values, is_left_out)
    if not np.isfinite(found.statistic).any():
        return None
    sizes = np.nan_to_num(np.abs(found.statistic), nan=-1.0)
    i, k = np.unravel_index(int(levelled(-sizes.reshape(1, -1)).argmin()), sizes.shape)
    p_value = min(1.0, float(found.p_value[i, k]) * int(np.isfinite(found.statistic).sum()))
    superiority = float(found.superiority[i].mean())
    separation = max(superiority, 1 - superiority)
    is_one_way = len(set(np.sign(found.superiority[i] - 0.5).tolist())) == 1
    apart = is_left_out[:, i]

    def means(is_part: NDArray[np.bool_]) -> dict[str, float]:
        return dict(zip(blocks.candidates, values[is_part].mean(axis=0).tolist(), strict=True))

    own = zip(samples.variables, samples.values[i].tolist(), strict=True)
    return InfluentialObservation(
        observation=int(i) + 1,
        values={name: x for name, x in own if np.isfinite(x)},
        candidate=blocks.candidates[k],
        n_without=int(apart.sum()),
        n_with=int((~apart).sum()),
        means_without=means(apart),
        means_with=means(~apart),
        p_value=p_value,
        separation=separation,
        is_decisive=p_value < alpha and separation >= DECISIVE and is_one_way,
        is_smaller_better=blocks.measure.is_smaller_better,
    )


def _alone(found: MeasureExploration) -> MeasureExploration:
    """Leave out what pairs the values of candidates: places, ties, and gaps in rows."""
    return replace(found, podium=None, tied=(), n_missing=0, n_left_out=0)


def _present(warehouse: Warehouse, dataset: str, measure: Measure) -> Performances:
    """Return the values of one measure on one data set, absent candidates left out."""
    found = warehouse.performances(dataset, measure.name).present
    return replace(found, measure=measure)


def _explore(
    blocks: Performances, options: Options, candidates: Sequence[str]
) -> MeasureExploration:
    """Compute everything that is shown of one measure."""
    # `candidates`: of the study; places are tied by where they stand there.
    sorted_by, summary = _summary(blocks, options)
    sizes = blocks.n_test[np.isfinite(blocks.n_test)]
    return MeasureExploration(
        measure=blocks.measure,
        alpha=options.alpha,
        sorted_by=sorted_by,
        summary=summary,
        podium=_podium(blocks, [candidates.index(name) for name in blocks.candidates]),
        worst=_worst_cases(blocks, options),
        tied=_tied_pairs(blocks),
        common_interval=_overlap([row.percentile_interval for row in summary]),
        n_missing=blocks.n_missing,
        n_left_out=int((~blocks.observed).sum()) - blocks.n_missing,
        missing_candidates=blocks.missing_candidates,
        n_test=float(sizes.mean()) if len(sizes) else None,
        candidates=blocks.candidates,
        replications=blocks.replications,
        values=blocks.values,
    )


def _summary(blocks: Performances, options: Options) -> tuple[str, tuple[CandidateSummary, ...]]:
    """Return the statistic of the order, and one row a candidate in that order."""
    mean_ranks, n_best, n_best_alone = _block_counts(blocks)
    filled = _filled(blocks)
    samples = [blocks.column(k) for k in range(len(blocks.candidates))]
    described = describe_each(samples, options.alpha)
    rows = []
    for k, (candidate, found) in enumerate(zip(blocks.candidates, described, strict=True)):
        own = {name: getattr(found, name) for name in DESCRIBED}
        inside = within(blocks.measure.bounds, found.normal_interval)
        rows.append(
            CandidateSummary(
                candidate=candidate,
                **own | {"normal_interval": inside},
                target=blocks.target,
                mean_rank=mean_ranks[k],
                n_best=n_best[k],
                n_best_alone=n_best_alone[k],
                filled_mean=None if filled is None else float(np.nanmean(filled[:, k])),
            )
        )
    smaller = blocks.measure.is_smaller_better
    statistic = "min" if options.sort == "max" and not smaller else options.sort
    sign = 1 if smaller else -1
    name = "ordering_mean" if statistic == "mean" else statistic
    return statistic, tuple(sorted(rows, key=lambda row: sign * float(getattr(row, name))))


def _filled(blocks: Performances) -> NDArray[np.float64] | None:
    """Return the values with gaps counted as the worst there; None without gaps."""
    if not blocks.unit.is_block or not blocks.n_missing:
        return None
    absent = blocks.missing_by_design
    return filled_values(blocks.values, "difference", blocks.measure, absent)


def _block_counts(blocks: Performances) -> tuple[list[float], list[int], list[int]]:
    """Return mean ranks, and in how many blocks a candidate is best, and best alone."""
    complete = blocks.complete
    if not len(complete):
        n = len(blocks.candidates)
        return [float("nan")] * n, [0] * n, [0] * n
    smaller = blocks.measure.is_smaller_better
    best = complete.min(axis=1, keepdims=True) if smaller else complete.max(axis=1, keepdims=True)
    is_best = complete == best
    is_alone = is_best & (is_best.sum(axis=1, keepdims=True) == 1)
    ranks = within_block_ranks(complete, smaller)
    return (
        ranks.mean(axis=0).tolist(),
        is_best.sum(axis=0).tolist(),
        is_alone.sum(axis=0).tolist(),
    )


def _podium(blocks: Performances, columns: Sequence[int]) -> Podium | None:
    """Count the places of the complete blocks; `columns` of candidates break ties."""
    complete = blocks.complete
    if not len(complete) or len(blocks.candidates) < 2:
        return None
    replications = blocks.replications[blocks.is_complete]
    breakers = tie_breakers(replications, columns)
    smaller = blocks.measure.is_smaller_better
    block_places = places(complete, breakers, smaller)
    names = blocks.candidates
    lists_all = len(names) <= MOST_COMPACT
    return Podium(
        places=tuple(
            {n: count for n, count in zip(names, row, strict=True) if count or lists_all}
            for row in place_counts(shared_places(complete, smaller)).tolist()
        ),
        n_blocks=len(complete),
        n_tied=int(has_tie(complete).sum()),
        replications=replications,
        ranks=block_places,
    )


def _worst_cases(blocks: Performances, options: Options) -> WorstCases:
    """Compare the candidates by their worst values."""
    smaller = blocks.measure.is_smaller_better
    m = options.m_worst or worst_share(len(blocks.values), options.alpha)
    level = 1 - options.alpha if options.quantile is None else options.quantile
    columns = {name: blocks.column(k) for k, name in enumerate(blocks.candidates)}
    quantiles = quantiles_of([*columns.values()], [level if smaller else 1 - level])
    extremes = {name: worst(x, 1, smaller) for name, x in columns.items()}
    signed = np.array(list(extremes.values())) * (1 if smaller else -1)
    return WorstCases(
        max=extremes,
        m_worst={name: worst(x, m, smaller) for name, x in columns.items()},
        quantile={name: x for name, (x,) in zip(columns, quantiles, strict=True)},
        m=m,
        level=level,
        epsilon=options.epsilon,
        order=tuple(
            tuple(blocks.candidates[k] for k in run) for run in tied_runs(signed, options.epsilon)
        ),
    )


def _tied_pairs(blocks: Performances) -> tuple[tuple[str, str, int], ...]:
    """Count the replications in which two candidates have exactly the same value."""
    names, values = blocks.candidates, blocks.values
    counted = [
        (first, names[j], n)
        for i, first in enumerate(names)
        for j, n in enumerate((values[:, i + 1 :] == values[:, [i]]).sum(axis=0).tolist(), i + 1)
        if n
    ]
    return tuple(sorted(counted, key=lambda pair: -pair[2]))


def _overlap(intervals: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Return the intersection of intervals, None when it is empty."""
    lower, upper = max(low for low, _ in intervals), min(high for _, high in intervals)
    return (lower, upper) if lower <= upper else None
