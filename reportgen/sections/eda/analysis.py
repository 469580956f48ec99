"""Exploratory analysis of one data set (Eugster 2011, sections 2.1 and 2.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import FEW_REPLICATIONS, Measure
from reportgen.sections.datasets import MOST_COMPACT
from reportgen.sections.eda import Options
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
    worst_each,
    worst_share,
)
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.ranking import best_first, levelled, within_block_ranks
from reportgen.stats.samples.left_out import left_out_rank_sums
from reportgen.study.comparison import filled_values
from reportgen.targets import Target
from reportgen.warehouse import Performances, Warehouse
from reportgen.warehouse.samples import Samples

FEW_VALUES = 6  # different ones, as of a few runs of right and wrong answers
MOSTLY_EQUAL = 0.9  # of the replications, from which on it is said that two have equal values
FEWEST_SPREAD = FEW_REPLICATIONS  # values of a candidate, from which on it is said who spreads most
SPREAD_APART = 1.1  # ratio of standard deviations, from which on that is said
DWARFED = 1000.0  # times as large as the middle half of the values: a mean that says nothing of it
DESCRIBED = tuple(field.name for field in fields(Description))
MOST_POINTS = 3000  # values of very many replications that a figure draws one by one
FEWEST_DRAWN = 200  # replications that it draws, however many candidates there are
DECISIVE = 0.9  # of pairs of replications, in which the one without an observation is the larger


@dataclass(frozen=True, slots=True)
class CandidateSummary:
    """Location and spread of one candidate's values."""

    candidate: str  # its name
    n: int  # values; missing ones are not counted
    mean: float  # of the values
    sd: float  # with the divisor `n` - 1
    median: float  # of the values
    min: float  # of the values
    max: float  # of the values
    lower_quartile: float  # quantile of type 7
    upper_quartile: float  # quantile of type 7
    # the central 1 - alpha of the values, by quantiles of type 7
    percentile_interval: tuple[float, float]
    # of the mean, -/+ z sd / sqrt(n) (TR 30, section 3.1), inside the measure's bounds; None of one
    # value
    normal_interval: tuple[float, float]
    target: Target  # what the intervals speak of
    mean_rank: float  # within complete replications, ties averaged; 1 is best
    n_best: int  # complete replications in which no candidate is better
    n_best_alone: int  # complete replications in which all others are worse
    # The mean by which candidates with gaps are ordered: a replication that lacks one counts as the
    # worst other one there. None where no value is missing.
    filled_mean: float | None = field(default=None, metadata=HIDDEN)

    @property
    def ordering_mean(self) -> float:
        """The mean by which candidates are ordered."""
        return self.mean if self.filled_mean is None else self.filled_mean

    @property
    def typical(self) -> float:
        """The mean, or the median where the mean is that of a value that dwarfs all others."""
        size = DWARFED * max(abs(self.lower_quartile), abs(self.median), abs(self.upper_quartile))
        return self.median if 0 < size < abs(self.mean) else self.mean


@dataclass(frozen=True, slots=True)
class Podium:
    """Places taken in every complete block.

    Attributes
    ----------
    places : tuple of K mappings
        How often each candidate takes the place, first place first. A place is one more than the
        number of candidates that are better, so those that tie share the better place. Of more
        than 30 candidates those that never take it are left out.
    n_blocks, n_tied : int
        Complete blocks, and those of them in which two candidates tie.
    replications : ndarray of shape (n_blocks,)
        Their numbers.
    ranks : ndarray of shape (n_blocks, K), int
        Where each candidate is drawn (1 to K): its place, ties broken as if at random.
    """

    places: tuple[Mapping[str, int], ...]
    n_blocks: int
    n_tied: int
    replications: NDArray[np.int64] = field(metadata=HIDDEN)
    ranks: NDArray[np.int64] = field(metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class WorstCases:
    """The worst values of each candidate (minimax views).

    Attributes
    ----------
    max, m_worst, quantile : mapping of str to float
        Worst value (the least one where larger is better); m-th worst value;
        the quantile (type 7) at `level` on the worse side.
    m : int
        ceil(alpha B) unless the options set another.
    level : float
        1 - alpha unless the options set another.
    epsilon : float
        Worst values that differ by no more tie.
    order : tuple of tuples of str
        Candidates by their worst value, best first; those within epsilon of
        their neighbour stand together.
    """

    max: Mapping[str, float]
    m_worst: Mapping[str, float]
    quantile: Mapping[str, float]
    m: int
    level: float
    epsilon: float
    order: tuple[tuple[str, ...], ...]

    @property
    def is_level(self) -> bool:
        """Whether all these values are the same, which tells nothing of a candidate."""
        columns = (self.max, self.m_worst, self.quantile)
        return len({value for column in columns for value in column.values()}) == 1


@dataclass(frozen=True, slots=True)
class Equal:
    """Two candidates with exactly the same value in most of their common replications."""

    first: str
    second: str
    n_equal: int
    n_common: int

    @property
    def is_always(self) -> bool:
        """Whether they are equal in all of them."""
        return self.n_equal == self.n_common


@dataclass(frozen=True, slots=True)
class InfluentialObservation:
    """The observation on which the values of a candidate depend most, of all that may be left out.

    Attributes
    ----------
    observation : int
        Its number, from 1.
    values : mapping of str to float
        Its numbers, the response last.
    candidate : str
        The one whose values depend on it most: the largest standardised rank sum of all
        observations and candidates.
    n_without, n_with : int
        Replications that leave it out of the learning sample, and that learn from it.
    means_without, means_with : mapping of str to float
        Of each candidate.
    p_value : float
        Of this rank sum, adjusted for all observations and candidates by Bonferroni's inequality.
    separation : float
        How often of two replications the one without it has the larger value, or the smaller one;
        averaged over the candidates.
    is_decisive : bool
        Whether it is significant, the separation is nine in ten or more, and the values of every
        candidate are more often larger without it, or of every one more often smaller.
    is_smaller_better : bool
    """

    observation: int
    values: Mapping[str, float]
    candidate: str
    n_without: int
    n_with: int
    means_without: Mapping[str, float]
    means_with: Mapping[str, float]
    p_value: float
    separation: float
    is_decisive: bool
    is_smaller_better: bool = field(metadata=HIDDEN)

    @property
    def extremes(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """The least and the largest mean without it, and with it."""
        apart, learnt = self.means_without.values(), self.means_with.values()
        return (min(apart), max(apart)), (min(learnt), max(learnt))

    @property
    def best(self) -> tuple[str, str]:
        """The candidates with the best mean without it, and with it."""
        pick = min if self.is_smaller_better else max
        apart, learnt = self.means_without, self.means_with
        return pick(apart, key=apart.__getitem__), pick(learnt, key=learnt.__getitem__)


@dataclass(frozen=True, slots=True)
class MeasureExploration:
    """The exploration of one measure on one data set.

    Attributes
    ----------
    measure : Measure
    alpha : float
        The intervals have level 1 - alpha.
    sorted_by : str
        Statistic of the summary's order; "max" reads "min" where larger is
        better.
    summary : tuple of CandidateSummary
        Best first.
    podium : Podium or None
        None when no block is complete or K = 1.
    worst : WorstCases
    tied : tuple of (str, str, int)
        Pairs of candidates with exactly the same value in at least one
        replication, and in how many; most first.
    common_interval : tuple of two floats or None
        Where the percentile intervals of all candidates overlap.
    n_missing : int
        Cells without a value, those of missing candidates not counted.
    n_by_design : int
        Cells that the stages of the execution left out, which are not missing.
    missing_candidates : tuple of str
        Candidates without any value here; they appear nowhere else.
    n_test : float or None
        Mean size of the test samples.
    n_drawn : int
        Replications that figures draw one by one.
    candidates : tuple of str
        Those that have values, in the study's order: the columns of `values`.
    replications : ndarray of shape (B,)
    values : ndarray of shape (B, K)
    observation : InfluentialObservation or None
        Of the first measure, where the study keeps samples.
    """

    measure: Measure
    alpha: float
    sorted_by: str
    summary: tuple[CandidateSummary, ...]
    podium: Podium | None
    worst: WorstCases
    tied: tuple[tuple[str, str, int], ...]
    common_interval: tuple[float, float] | None
    n_missing: int
    missing_candidates: tuple[str, ...]
    n_test: float | None
    n_drawn: int
    candidates: tuple[str, ...] = field(metadata=HIDDEN)
    replications: NDArray[np.int64] = field(metadata=HIDDEN)
    values: NDArray[np.float64] = field(metadata=HIDDEN)
    observation: InfluentialObservation | None = None
    n_by_design: int = field(default=0, metadata=HIDDEN)

    @property
    def has_gaps(self) -> bool:
        """Whether some cell has no value."""
        return self.n_missing + self.n_by_design > 0

    @property
    def drawn(self) -> NDArray[np.int64]:
        """Rows of `values` that figures draw one by one."""
        return drawn_rows(self.values)

    @property
    def n_complete_drawn(self) -> int:
        """Complete replications that figures draw one by one."""
        return int(np.isfinite(self.values[self.drawn]).all(axis=1).sum())

    @property
    def is_of_few_values(self) -> bool:
        """Whether nearly all places are shared: answers are right or wrong, or so in a few runs."""
        return len(np.unique(self.values[np.isfinite(self.values)])) <= FEW_VALUES

    @property
    def has_points(self) -> bool:
        """Whether the strip shows each value: heaps of right and wrong answers show nothing."""
        return len(self.values) < FEW_REPLICATIONS or not self.is_of_few_values

    @property
    def typical(self) -> tuple[float, ...]:
        """A usual value of each candidate, from which the notation of all is chosen."""
        return tuple(row.typical for row in self.summary)

    @property
    def number_format(self) -> NumberFormat:
        """How values are written, so that each interval shows its width."""
        intervals = (row.normal_interval for row in self.summary)
        return number_format(self.measure, self.typical, intervals=intervals)

    @property
    def n_values(self) -> int:
        """Cells that were asked for, of the candidates that have values."""
        return self.values.size - self.n_by_design

    @property
    def has_narrow_intervals(self) -> bool:
        """Whether normal intervals rest on so few replications that they cover too seldom."""
        return 1 < len(self.values) < FEW_REPLICATIONS

    @property
    def has_cut(self) -> bool:
        """Whether a normal interval would leave the bounds of the measure."""
        bounds = self.measure.bounds
        return any(
            row.sd > 0 and end in bounds for row in self.summary for end in row.normal_interval
        )

    @property
    def by_mean(self) -> tuple[CandidateSummary, ...]:
        """The candidates, the best mean first."""
        means = [row.ordering_mean for row in self.summary]
        order = best_first(means, is_smaller_better=self.measure.is_smaller_better)
        return tuple(self.summary[k] for k in order)

    @property
    def best_means(self) -> tuple[str, ...]:
        """The candidates with the best mean, which are several where means are equal."""
        rows = self.by_mean
        best = rows[0].ordering_mean
        return tuple(row.candidate for row in rows if row.ordering_mean == best)

    @property
    def n_complete(self) -> int:
        """Replications in which every candidate has a value, of two candidates and more."""
        return self.podium.n_blocks if self.podium else 0

    @property
    def is_level(self) -> bool:
        """Whether all candidates have the same value in every replication."""
        return self.n_complete > 0 and all(row.n_best == len(self.values) for row in self.summary)

    @property
    def most_often_best(self) -> tuple[CandidateSummary, ...]:
        """The candidates that are most often best or tied for best."""
        most = max(row.n_best for row in self.summary)
        return tuple(row for row in self.by_mean if row.n_best == most)

    @property
    def has_shared_places(self) -> bool:
        """Whether a first place is shared in some replication."""
        return sum(row.n_best_alone for row in self.summary) < self.n_complete

    @property
    def is_best_mostly(self) -> bool:
        """Whether one candidate is best or tied in more than half of the replications."""
        top = self.most_often_best
        return len(top) == 1 and 2 * top[0].n_best > self.n_complete

    @property
    def is_told_by_headline(self) -> bool:
        """Whether the strip's headline says all there is of first places."""
        has_best_mean = self.most_often_best[0].candidate in self.best_means
        is_told = self.is_best_mostly and self.n_complete > 1
        return is_told and (len(self.summary) == 2 or has_best_mean)

    @property
    def last(self) -> tuple[str, int, bool] | None:
        """The candidate that is most often last, in how many replications, and whether alone.

        Ties count; "alone" is whether there are none. None where several are as often last, or
        there are fewer than three candidates.
        """
        blocks = self.values[np.isfinite(self.values).all(axis=1)]
        if len(blocks) == 0 or len(self.candidates) < 3:
            return None
        worst = blocks.max(axis=1) if self.measure.is_smaller_better else blocks.min(axis=1)
        is_last = blocks == worst[:, np.newaxis]
        counts = is_last.sum(axis=0)
        found = np.flatnonzero(counts == counts.max())
        if len(found) > 1:
            return None
        mine = is_last[is_last[:, found[0]]]
        return self.candidates[found[0]], int(counts.max()), bool((mine.sum(axis=1) == 1).all())

    @property
    def is_last_mostly(self) -> bool:
        """Whether one candidate is last, ties counted, in more than half of the replications."""
        return self.last is not None and 2 * self.last[1] > self.n_complete

    @property
    def most_spread(self) -> tuple[str, str, float] | None:
        """The candidate that spreads most, the one that does least, and how many times as much.

        None where nothing can be said: too few values, standard deviations that are alike or 0,
        one value that dwarfs all others, right and wrong answers, whose mean has their spread, or a
        measure that is compared by ratio.
        """
        known = self.values[np.isfinite(self.values)]
        if self.measure.is_compared_by_ratio or np.isin(known, (0.0, 1.0)).all():
            return None
        rows = sorted(self.summary, key=lambda row: row.sd)
        if len(rows) < 2 or min(row.n for row in rows) < FEWEST_SPREAD or not rows[0].sd > 0:
            return None
        least, most = rows[0], rows[-1]
        ratio = most.sd / least.sd
        return (most.candidate, least.candidate, ratio) if SPREAD_APART <= ratio < DWARFED else None

    @property
    def mostly_equal(self) -> tuple[Equal, ...]:
        """Pairs with equal values in nine of ten common replications and more."""
        place = {name: k for k, name in enumerate(self.candidates)}
        found = []
        for first, second, n in self.tied:
            both = np.isfinite(self.values[:, [place[first], place[second]]]).all(axis=1)
            if n >= MOSTLY_EQUAL * both.sum():
                found.append(Equal(first, second, n, int(both.sum())))
        return tuple(found)

    @property
    def has_best_mean_and_worst_case(self) -> bool:
        """Whether who has the best mean also has the best worst value, ties counted."""
        return self.best_means[0] in self.worst.order[0]


EdaResult = dict[str, MeasureExploration]
"""By measure, in the study's order; measures without a value are left out."""


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
    p_value = float(bonferroni(found.p_value[i, k], int(np.isfinite(found.statistic).sum())))
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
    return replace(found, podium=None, tied=(), n_missing=0, n_by_design=0)


def _present(warehouse: Warehouse, dataset: str, measure: Measure) -> Performances:
    """Return the values of one measure on one data set, missing candidates left out."""
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
        n_by_design=int((~blocks.observed).sum()) - blocks.n_missing,
        missing_candidates=blocks.missing_candidates,
        n_test=float(sizes.mean()) if len(sizes) else None,
        n_drawn=len(drawn_rows(blocks.values)),
        candidates=blocks.candidates,
        replications=blocks.replications,
        values=blocks.values,
    )


def drawn_rows(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the replications that figures draw: all, or a part of very many.

    `values`: shape (B, K), each candidate with a value.
    Result: of twice `MOST_POINTS` values and more, evenly spaced replications, and those with the
    least or the largest value of a candidate.
    """
    n = max(MOST_POINTS // values.shape[1], FEWEST_DRAWN)
    if len(values) < 2 * n:
        return np.arange(len(values))
    even = np.linspace(0, len(values) - 1, n).round().astype(np.int64)
    return np.unique(np.r_[even, np.nanargmin(values, axis=0), np.nanargmax(values, axis=0)])


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
    name = "ordering_mean" if statistic == "mean" else statistic
    order = best_first([getattr(row, name) for row in rows], is_smaller_better=smaller)
    return statistic, tuple(rows[k] for k in order)


def _filled(blocks: Performances) -> NDArray[np.float64] | None:
    """Return the values with gaps counted as the worst there; None without gaps."""
    if not blocks.unit.is_block or not blocks.n_missing:
        return None
    by_design = blocks.missing_by_design
    return filled_values(blocks.values, "difference", blocks.measure, by_design)


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
    samples = [*columns.values()]
    quantiles = quantiles_of(samples, [level if smaller else 1 - level])
    extremes = dict(zip(columns, worst_each(samples, 1, smaller), strict=True))
    signed = np.array(list(extremes.values())) * (1 if smaller else -1)
    return WorstCases(
        max=extremes,
        m_worst=dict(zip(columns, worst_each(samples, m, smaller), strict=True)),
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
