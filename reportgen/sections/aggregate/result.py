"""Aggregates over data sets: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.json_text import HIDDEN
from reportgen.warehouse import Measure

ROUNDING = 1e-12  # of a mean of scores
ENOUGH = 10  # replications of a data set, below which intervals of draws cover less than they say

Scale = Literal["range", "bounds", "ratio", "ranks"]
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its interval.

    Attributes
    ----------
    value : float
    interval : tuple of two floats, or None
        For itself.
    """

    value: float
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class CandidateAggregate:
    """One candidate over all data sets.

    Attributes
    ----------
    candidate : str
    interquartile_mean, optimality_gap : Estimate
        Of scores from 0, the worst mean of a data set, to 1, the best.
    improvement : Estimate or None
        How probable it is that the first candidate has a better replication; None of itself.
    elo : Estimate
        In points, of mean 0.
    """

    candidate: str
    interquartile_mean: Estimate
    optimality_gap: Estimate
    improvement: Estimate | None
    elo: Estimate


@dataclass(frozen=True, slots=True)
class Normalisation:
    """The candidates by scores of one kind.

    Attributes
    ----------
    scale : {"range", "bounds", "ratio", "ranks"}
        From the worst mean of a data set to the best; from the worst possible value to the best;
        the best mean over a candidate's, or its inverse; mean ranks within data sets.
    values : mapping of str to float
        Interquartile means; of ranks means, of which smaller is better.
    order : tuple of str
        The best first.
    """

    scale: Scale
    values: Mapping[str, float]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PairCell:
    """Two candidates by their means on the data sets, whatever others there are.

    Attributes
    ----------
    first, second : str
    difference : float
        Mean of the differences of means, first - second.
    wins, ties, losses : int
        Data sets on which the first is better, as good, worse.
    p_value : float or None
        Wilcoxon's signed ranks, of the pair alone.
    """

    first: str
    second: str
    difference: float
    wins: int
    ties: int
    losses: int
    p_value: float | None


@dataclass(frozen=True, slots=True)
class FirstPlace:
    """The fewest data sets without which another candidate has the best mean.

    Attributes
    ----------
    first, successor : str
    removed : tuple of str
    """

    first: str
    successor: str
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AggregateResult:
    """The main measure over all data sets.

    Attributes
    ----------
    measure : str
    alpha : float
    datasets : tuple of str
    n_replications : tuple of int
        The fewest and the most of a data set.
    candidates : tuple of CandidateAggregate
        With a value on every data set; the best interquartile mean first.
    missing_candidates : tuple of str
        The other candidates.
    is_of_means : bool
        Whether each data set has one score a candidate: there is no second replication, or they
        are items, whose mean is the score.
    is_penalised : bool
        Whether the points of Elo's scale are drawn towards 0, as someone always wins or loses.
    normalisations : tuple of Normalisation
    pairs : tuple of PairCell
        Empty of more than a dozen candidates.
    fragility : FirstPlace or None
        Of the best mean; None where no removal changes it.
    levels : tuple of float
        Of scores.
    profiles : mapping of str to tuple of float
        The share of replications above each level.
    ratios : mapping of str to tuple of float
        How many times as large as the smallest mean of a data set a candidate's is, ascending;
        empty where means are not above 0, or larger is better.
    """

    measure: str
    alpha: float
    datasets: tuple[str, ...]
    n_replications: tuple[int, int]
    candidates: tuple[CandidateAggregate, ...]
    missing_candidates: tuple[str, ...]
    is_of_means: bool
    is_penalised: bool
    normalisations: tuple[Normalisation, ...]
    pairs: tuple[PairCell, ...]
    fragility: FirstPlace | None
    levels: tuple[float, ...]
    profiles: Mapping[str, tuple[float, ...]]
    ratios: Mapping[str, tuple[float, ...]]
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)

    @property
    def first(self) -> str:
        """The candidate with the best interquartile mean."""
        return self.candidates[0].candidate

    @property
    def best(self) -> tuple[str, ...]:
        """All whose interquartile mean is the largest, but for rounding."""
        most = self.candidates[0].interquartile_mean.value
        return tuple(
            c.candidate for c in self.candidates if c.interquartile_mean.value >= most - ROUNDING
        )

    @property
    def has_intervals(self) -> bool:
        """Whether every data set has replications enough to resample them."""
        return self.candidates[0].interquartile_mean.interval is not None

    @property
    def holds_level(self) -> bool:
        """Whether every data set has replications enough for intervals to hold their level."""
        return self.n_replications[0] >= ENOUGH

    @property
    def leaders(self) -> tuple[str, ...]:
        """Who is first by some normalisation, each once."""
        return tuple(dict.fromkeys(found.order[0] for found in self.normalisations))

    @property
    def is_one_order(self) -> bool:
        """Whether all normalisations order the candidates alike."""
        return len({found.order for found in self.normalisations}) == 1
