"""Exploratory analysis of one data set (Eugster 2011, sections 2.1 and 2.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.sections.eda.options import Options
from reportgen.sections.eda.result import (
    CandidateSummary,
    EdaResult,
    InfluentialObservation,
    MeasureExploration,
    Podium,
    WorstCases,
)
from reportgen.stats.descriptive import (
    describe,
    has_tie,
    place_counts,
    places,
    shared_places,
    tie_breakers,
    tied_runs,
    worst,
    worst_quantile,
    worst_share,
)
from reportgen.stats.ranking import levelled, within_block_ranks
from reportgen.stats.samples.left_out import left_out_rank_sums
from reportgen.study.comparison import filled_values
from reportgen.study.stages import stages_of
from reportgen.warehouse import Measure, Performances, Target, Warehouse
from reportgen.warehouse.samples import Samples

DECISIVE = 0.9  # of pairs of replications, in which the one without an observation is the larger

__all__ = [
    "CandidateSummary",
    "EdaResult",
    "MeasureExploration",
    "Podium",
    "WorstCases",
    "analyse",
]


@dataclass(frozen=True, slots=True)
class _Sample:
    """The values of one measure on one data set, absent candidates left out."""

    measure: Measure
    target: Target
    candidates: tuple[str, ...]
    absent: tuple[str, ...]
    replications: NDArray[np.int64]
    values: NDArray[np.float64]
    breakers: NDArray[np.uint32]
    n_test: float | None
    filled: NDArray[np.float64] | None

    @property
    def is_complete(self) -> NDArray[np.bool_]:
        """Shape (B,): whether every candidate has a value."""
        return np.asarray(np.isfinite(self.values).all(axis=1), dtype=np.bool_)

    @property
    def blocks(self) -> NDArray[np.float64]:
        """The complete rows of `values`."""
        return self.values[self.is_complete]

    def filled_mean(self, k: int) -> float | None:
        """Return the mean with gaps counted as the worst there; None without gaps."""
        return None if self.filled is None else float(np.nanmean(self.filled[:, k]))

    def column(self, k: int) -> NDArray[np.float64]:
        """Return the values that candidate k has."""
        column = self.values[:, k]
        return column[np.isfinite(column)]


def analyse(warehouse: Warehouse, options: Options, rng: Generator) -> EdaResult:
    """Explore every measure of one data set.

    `warehouse`: of one data set.
    `rng`: not used: ties of the podium are broken by replication and candidate.
    Result: measures without any value are left out.
    """
    result: dict[str, MeasureExploration] = {}
    for dataset in warehouse.datasets:
        for measure in warehouse.measures:
            sample = _sample(warehouse.performances(dataset, measure.name), warehouse)
            if sample.candidates:
                found = _explore(sample, options)
                if not result and warehouse.samples:
                    own = _influential_observation(sample, warehouse.samples[0], options.alpha)
                    found = replace(found, observation=own)
                is_paired = warehouse.unit.shares_rows
                result[measure.name] = found if is_paired else _alone(found)
    return result


def _influential_observation(
    sample: _Sample, samples: Samples, alpha: float
) -> InfluentialObservation | None:
    """Return the observation on which performances depend most; None where none is tested."""
    values, rows = sample.blocks, sample.replications[sample.is_complete]
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
    separation = max(float(found.superiority[i].min()), float(1 - found.superiority[i].max()))
    without = is_left_out[:, i]

    def means(is_part: NDArray[np.bool_]) -> dict[str, float]:
        return dict(zip(sample.candidates, values[is_part].mean(axis=0).tolist(), strict=True))

    own = zip(samples.variables, samples.values[i].tolist(), strict=True)
    return InfluentialObservation(
        observation=int(i) + 1,
        values={name: x for name, x in own if np.isfinite(x)},
        candidate=sample.candidates[k],
        n_without=int(without.sum()),
        n_with=int((~without).sum()),
        means_without=means(without),
        means_with=means(~without),
        p_value=p_value,
        separation=separation,
        is_decisive=p_value < alpha and separation >= DECISIVE,
        is_smaller_better=sample.measure.is_smaller_better,
    )


def _alone(found: MeasureExploration) -> MeasureExploration:
    """Leave out what pairs the values of candidates: places, ties, and gaps in rows."""
    return replace(found, podium=None, tied=(), n_missing=0)


def _sample(performances: Performances, warehouse: Warehouse) -> _Sample:
    """Leave out absent candidates."""
    has_value = np.isfinite(performances.values)
    is_present = has_value.any(axis=0)
    names = np.array(performances.candidates, dtype=object)
    values = np.where(has_value, performances.values, np.nan)[:, is_present]
    sizes = performances.n_test[np.isfinite(performances.n_test)]
    has_gaps = performances.unit.is_block and not np.isfinite(values).all()
    is_staged = stages_of(warehouse) is not None
    filled = (
        filled_values(values, "difference", performances.measure, is_staged=is_staged)
        if has_gaps
        else None
    )
    return _Sample(
        performances.measure,
        warehouse.target,
        tuple(names[is_present]),
        tuple(names[~is_present]),
        performances.replications,
        values,
        tie_breakers(performances.replications, np.flatnonzero(is_present).tolist()),
        float(sizes.mean()) if len(sizes) else None,
        filled,
    )


def _explore(sample: _Sample, options: Options) -> MeasureExploration:
    """Compute everything that is shown of one measure."""
    sorted_by, summary = _summary(sample, options)
    return MeasureExploration(
        measure=sample.measure,
        alpha=options.alpha,
        sorted_by=sorted_by,
        summary=summary,
        podium=_podium(sample),
        worst=_worst_cases(sample, options),
        tied=_tied_pairs(sample),
        common_interval=_overlap([row.percentile_interval for row in summary]),
        n_missing=int((~np.isfinite(sample.values)).sum()),
        absent=sample.absent,
        n_test=sample.n_test,
        candidates=sample.candidates,
        replications=sample.replications,
        values=sample.values,
    )


def _summary(sample: _Sample, options: Options) -> tuple[str, tuple[CandidateSummary, ...]]:
    """Return the statistic of the order, and one row a candidate in that order."""
    mean_ranks, n_best, n_best_alone = _block_counts(sample)
    rows = []
    for k, candidate in enumerate(sample.candidates):
        found = describe(sample.column(k), options.alpha)
        rows.append(
            CandidateSummary(
                candidate=candidate,
                n=found.n,
                mean=found.mean,
                sd=found.sd,
                median=found.median,
                min=found.min,
                max=found.max,
                lower_quartile=found.lower_quartile,
                upper_quartile=found.upper_quartile,
                percentile_interval=found.percentile_interval,
                normal_interval=found.normal_interval,
                target=sample.target,
                mean_rank=mean_ranks[k],
                n_best=n_best[k],
                n_best_alone=n_best_alone[k],
                filled_mean=None
                if sample.filled is None
                else float(np.nanmean(sample.filled[:, k])),
            )
        )
    smaller = sample.measure.is_smaller_better
    statistic = "min" if options.sort == "max" and not smaller else options.sort
    sign = 1 if smaller else -1
    name = "ordering_mean" if statistic == "mean" else statistic
    return statistic, tuple(sorted(rows, key=lambda row: sign * float(getattr(row, name))))


def _block_counts(sample: _Sample) -> tuple[list[float], list[int], list[int]]:
    """Return mean ranks, and in how many blocks a candidate is best, and best alone."""
    blocks = sample.blocks
    if not len(blocks):
        n = len(sample.candidates)
        return [float("nan")] * n, [0] * n, [0] * n
    smaller = sample.measure.is_smaller_better
    best = blocks.min(axis=1, keepdims=True) if smaller else blocks.max(axis=1, keepdims=True)
    is_best = blocks == best
    is_alone = is_best & (is_best.sum(axis=1, keepdims=True) == 1)
    ranks = within_block_ranks(blocks, smaller)
    return (
        ranks.mean(axis=0).tolist(),
        is_best.sum(axis=0).tolist(),
        is_alone.sum(axis=0).tolist(),
    )


def _podium(sample: _Sample) -> Podium | None:
    """Count the places of the complete blocks."""
    blocks = sample.blocks
    if not len(blocks) or len(sample.candidates) < 2:
        return None
    breakers = sample.breakers[sample.is_complete]
    smaller = sample.measure.is_smaller_better
    block_places = places(blocks, breakers, smaller)
    return Podium(
        places=tuple(
            dict(zip(sample.candidates, row, strict=True))
            for row in place_counts(shared_places(blocks, smaller)).tolist()
        ),
        n_blocks=len(blocks),
        n_tied=int(has_tie(blocks).sum()),
        replications=sample.replications[sample.is_complete],
        ranks=block_places,
    )


def _worst_cases(sample: _Sample, options: Options) -> WorstCases:
    """Compare the candidates by their worst values."""
    smaller = sample.measure.is_smaller_better
    m = options.m_worst or worst_share(len(sample.values), options.alpha)
    level = 1 - options.alpha if options.quantile is None else options.quantile
    columns = {name: sample.column(k) for k, name in enumerate(sample.candidates)}
    extremes = {name: worst(x, 1, smaller) for name, x in columns.items()}
    signed = np.array(list(extremes.values())) * (1 if smaller else -1)
    return WorstCases(
        max=extremes,
        m_worst={name: worst(x, m, smaller) for name, x in columns.items()},
        quantile={name: worst_quantile(x, level, smaller) for name, x in columns.items()},
        m=m,
        level=level,
        epsilon=options.epsilon,
        order=tuple(
            tuple(sample.candidates[k] for k in run) for run in tied_runs(signed, options.epsilon)
        ),
    )


def _tied_pairs(sample: _Sample) -> tuple[tuple[str, str, int], ...]:
    """Count the replications in which two candidates have exactly the same value."""
    names = sample.candidates
    counted = [
        (names[i], names[j], int((sample.values[:, i] == sample.values[:, j]).sum()))
        for i, j in combinations(range(len(names)), 2)
    ]
    return tuple(sorted((pair for pair in counted if pair[2]), key=lambda pair: -pair[2]))


def _overlap(intervals: list[tuple[float, float]]) -> tuple[float, float] | None:
    """Return the intersection of intervals, None when it is empty."""
    lower, upper = max(low for low, _ in intervals), min(high for _, high in intervals)
    return (lower, upper) if lower <= upper else None
