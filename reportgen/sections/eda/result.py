"""Results of the exploration of one data set: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import FEW_REPLICATIONS, Measure
from reportgen.stats.ranking import best_first
from reportgen.targets import Target

FEW_VALUES = 6  # different ones, as of a few runs of right and wrong answers
MOSTLY_EQUAL = 0.9  # of the replications, from which on it is said that two have equal values
FEWEST_SPREAD = FEW_REPLICATIONS  # values of a candidate, from which on it is said who spreads most
SPREAD_APART = 1.1  # ratio of standard deviations, from which on that is said
DWARFED = 1000.0  # times as large as the middle half of the values: a mean that says nothing of it


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
        Cells without a value, those of absent candidates not counted.
    n_left_out : int
        Cells that the stages of the execution left out, which are not missing.
    missing_candidates : tuple of str
        Candidates without any value here; they appear nowhere else.
    n_test : float or None
        Mean size of the test samples.
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
    candidates: tuple[str, ...] = field(metadata=HIDDEN)
    replications: NDArray[np.int64] = field(metadata=HIDDEN)
    values: NDArray[np.float64] = field(metadata=HIDDEN)
    observation: InfluentialObservation | None = None
    n_left_out: int = field(default=0, metadata=HIDDEN)

    @property
    def has_gaps(self) -> bool:
        """Whether some cell has no value."""
        return self.n_missing + self.n_left_out > 0

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
        return self.values.size - self.n_left_out

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
