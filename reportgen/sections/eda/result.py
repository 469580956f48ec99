"""Results of the exploration of one data set: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reportgen.warehouse import Measure, Target

HIDDEN = {"results": False}  # drawn, not part of results.json
DWARFED = 1000.0  # times the middle half of the values: the mean does not represent it


@dataclass(frozen=True, slots=True)
class CandidateSummary:
    """Location and spread of one candidate's values.

    Attributes
    ----------
    candidate : str
    n : int
        Number of values; missing ones are not counted.
    mean, sd, median, min, max, lower_quartile, upper_quartile : float
        sd with divisor n - 1; quantiles of type 7.
    percentile_interval : tuple of two floats
        The central 1 - alpha part of the values.
    normal_interval : tuple of two floats
        mean -/+ z sd / sqrt(n), the interval of the mean (TR 30, section 3.1);
        not a number when n = 1.
    target : str
        What the intervals speak about.
    mean_rank : float
        Mean of the ranks within complete blocks, ties averaged; 1 is best. Not
        a number without a complete block.
    n_best, n_best_alone : int
        Complete blocks in which no candidate is better; in which all others
        are worse.
    """

    candidate: str
    n: int
    mean: float
    sd: float
    median: float
    min: float
    max: float
    lower_quartile: float
    upper_quartile: float
    percentile_interval: tuple[float, float]
    normal_interval: tuple[float, float]
    target: Target
    mean_rank: float
    n_best: int
    n_best_alone: int

    @property
    def typical(self) -> float:
        """The mean, or the median where the mean is that of a value that dwarfs all others."""
        size = DWARFED * max(abs(self.lower_quartile), abs(self.median), abs(self.upper_quartile))
        return self.median if 0 < size < abs(self.mean) else self.mean


@dataclass(frozen=True, slots=True)
class Podium:
    """The places in every complete block, ties broken at random.

    Attributes
    ----------
    places : tuple of K mappings
        How often each candidate takes the place, first place first.
    n_blocks, n_tied : int
        Complete blocks, and those of them in which two candidates tie.
    replications : ndarray of shape (n_blocks,)
        Their numbers.
    ranks : ndarray of shape (n_blocks, K), int
        The place (1 to K) of each candidate.
    example : int or None
        Row of the block that a figure may follow: the one whose order agrees
        most with the most common places (the first such).
    """

    places: tuple[Mapping[str, int], ...]
    n_blocks: int
    n_tied: int
    replications: NDArray[np.int64] = field(metadata=HIDDEN)
    ranks: NDArray[np.int64] = field(metadata=HIDDEN)
    example: int | None = field(default=None, metadata=HIDDEN)


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
    absent : tuple of str
        Candidates without any value here; they appear nowhere else.
    n_test : float or None
        Mean size of the test samples.
    candidates : tuple of str
        Those that are not absent, in the study's order: the columns of `values`.
    replications : ndarray of shape (B,)
    values : ndarray of shape (B, K)
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
    absent: tuple[str, ...]
    n_test: float | None
    candidates: tuple[str, ...] = field(metadata=HIDDEN)
    replications: NDArray[np.int64] = field(metadata=HIDDEN)
    values: NDArray[np.float64] = field(metadata=HIDDEN)


EdaResult = dict[str, MeasureExploration]
"""By measure, in the study's order; measures without a value are left out."""
