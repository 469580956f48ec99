"""Scores over all data sets: aggregates, profiles, pairs alone, and how fragile the first place is.

Agarwal et al. (2021), "Deep reinforcement learning at the edge of the statistical precipice";
Ismail-Fawaz et al. (2023), "An approach to multiple comparison benchmark evaluations that is stable
under manipulation of the comparate set".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.random import Generator

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure
from reportgen.sections.domain.data import DomainValues, domain_values
from reportgen.sections.domain.result import DomainResult
from reportgen.stats.aggregation.scores import (
    Aggregate,
    Scores,
    aggregate,
    aggregate_means,
    draw_means,
    fragility,
    improvements,
    interquartile_means,
    once,
    optimality_gaps,
    ratio_profile,
    score_profile,
)
from reportgen.stats.arrays import Array, Interval
from reportgen.stats.ranking import NOISE, best_first, levelled, within_block_ranks
from reportgen.stats.worths.elo import elo_scores
from reportgen.study.schema.options import AnalysisOptions
from reportgen.warehouse import Warehouse

MOST_IN_MATRIX = 12  # candidates
MOST_DRAWN = 30  # candidates whose profiles can be told apart
LEVELS = np.linspace(-0.5, 1.5, 101)

ROUNDING = 1e-12  # of a mean of scores
ENOUGH = 10  # replications of a data set, below which intervals of draws cover less than they say

Scaling = Literal["range", "bounds", "ratio", "ranks"]


def analyse(
    warehouse: Warehouse, options: AnalysisOptions, rng: Generator, *, domain: DomainResult
) -> AggregateResult | None:
    """Aggregate the main measure over all data sets.

    `rng`: draws replications for intervals.
    `domain`: its signed rank tests are those of the pairs.
    Result: None where fewer than two candidates have a value on every data set.
    """
    measure = warehouse.measure(domain.main)
    found = domain_values(warehouse, measure)
    columns = _complete(found)
    if len(columns) < 2:
        return None
    names = [found.candidates[k] for k in columns]
    parts = [matrix[:, columns] for matrix in found.values]
    means = np.array([levelled(np.nanmean(part, axis=0)[None])[0] for part in parts])
    is_of_items = warehouse.unit.is_nested
    rows = [row[None] for row in means] if is_of_items else parts
    scaled = _scaled(rows, means, measure)
    scores = scaled["range"]
    first = int(interquartile_means(scores, once(scores))[0].argmax())
    statistics = (interquartile_means, optimality_gaps, partial(improvements, first=first))
    smaller = measure.is_smaller_better
    if is_of_items:
        draws = _draws(found, columns, rng)
        score = partial(_score_of_means, means, smaller)
        middle, gap, better = aggregate_means(scores, draws, score, statistics, options.alpha)
    else:
        middle, gap, better = aggregate(scores, statistics, rng, options.alpha)
    points = elo_scores(means, is_smaller_better=smaller, alpha=options.alpha)
    elo = Aggregate(points.points, points.lower, points.upper)
    by_middle = best_first(middle.estimate, is_smaller_better=False)
    order = [first, *(k for k in by_middle if k != first)]
    levels = score_profile(scores, LEVELS)
    has_ratios = smaller and "ratio" in scaled
    return AggregateResult(
        measure=measure.name,
        alpha=options.alpha,
        datasets=found.datasets,
        n_replications=(min(map(len, parts)), max(map(len, parts))),
        is_of_means=max(scores.sizes) == 1,
        candidates=tuple(
            CandidateAggregate(
                names[k],
                _estimate(middle, k),
                _estimate(gap, k),
                None if k == first else _estimate(better, k),
                _estimate(elo, k),
            )
            for k in order
        ),
        missing_candidates=tuple(n for n in warehouse.candidates if n not in names),
        is_penalised=points.is_penalised,
        normalisations=_normalisations(scaled, means, names, is_smaller_better=smaller),
        pairs=_pairs(domain, names),
        fragility=_first_place(-means if smaller else means, names, found.datasets),
        levels=tuple(LEVELS.tolist()),
        profiles={names[k]: tuple(levels[k].tolist()) for k in order},
        ratios=_by_name(ratio_profile(means), names, order) if has_ratios else {},
        measured=measure,
    )


def _complete(found: DomainValues) -> list[int]:
    """Return the columns of candidates that have a value on every data set."""
    there = [np.isfinite(matrix).any(axis=0) for matrix in found.values]
    return [int(k) for k in np.flatnonzero(np.all(there, axis=0))]


def _draws(measured: DomainValues, columns: Sequence[int], rng: Generator) -> list[Array] | None:
    """Draw the items, or clusters, of every task anew; None where a task has too few."""
    draws = []
    for found in measured.performances.values():
        drawn = draw_means(found.values[:, columns], found.clusters, rng)
        if drawn is None:
            return None
        draws.append(drawn)
    return draws


def _score_of_means(means: Array, smaller: bool, drawn: Array, task: int) -> Array:
    """Put drawn means of a task between the worst and the best mean of all its items."""
    low, high = float(means[task].min()), float(means[task].max())
    return _between(drawn, *((high, low) if smaller else (low, high)))


def _scaled(parts: Sequence[Array], means: Array, measure: Measure) -> dict[Scaling, Scores]:
    """Return the values as scores, of which larger is better, in every way they allow."""
    smaller = measure.is_smaller_better
    ends = np.sort(means, axis=1)[:, [0, -1]]  # the smallest and the largest mean
    best, worst = (ends[:, 0], ends[:, 1]) if smaller else (ends[:, 1], ends[:, 0])
    found: dict[Scaling, Scores] = {
        "range": Scores.of([_between(*own) for own in zip(parts, worst, best, strict=True)])
    }
    low, high = measure.bounds
    if low is not None and high is not None:
        bad, good = (high, low) if smaller else (low, high)
        found["bounds"] = Scores.of([_between(part, bad, good) for part in parts])
    if (means > 0).all():
        found["ratio"] = Scores.of(
            [b / m[None] if smaller else m[None] / b for m, b in zip(means, best, strict=True)]
        )
    return found


def _between(part: Array, worst: float, best: float) -> Array:
    """Put the worst at 0 and the best at 1; where they are equal every value is the best."""
    if best == worst:
        return np.where(np.isfinite(part), 1.0, np.nan)
    return np.asarray((part - worst) / (best - worst))


def _normalisations(
    scaled: Mapping[Scaling, Scores], means: Array, names: Sequence[str], *, is_smaller_better: bool
) -> tuple[Normalisation, ...]:
    """Order the candidates by interquartile means of all scores, and by mean ranks."""
    found = []
    for scale, scores in scaled.items():
        values = interquartile_means(scores, once(scores))[0].tolist()
        found.append(_normalisation(scale, values, names, is_smaller_better=False))
    ranks = within_block_ranks(means, is_smaller_better).mean(axis=0).tolist()
    return (*found, _normalisation("ranks", ranks, names, is_smaller_better=True))


def _normalisation(
    scale: Scaling, values: Sequence[float], names: Sequence[str], *, is_smaller_better: bool
) -> Normalisation:
    (levels,) = levelled(np.array([values]), noise=NOISE)
    order = best_first(levels, is_smaller_better=is_smaller_better)
    by_name = dict(zip(names, values, strict=True))
    return Normalisation(scale, by_name, tuple(names[k] for k in order))


def _pairs(domain: DomainResult, names: Sequence[str]) -> tuple[PairCell, ...]:
    """Return the signed rank tests of all pairs, none adjusted for the others."""
    across = domain.across.get(domain.main)
    if across is None or across.pairs is None or len(names) > MOST_IN_MATRIX:
        return ()
    cells: list[PairCell] = []
    for pair in across.pairs:
        own: Any = pair
        cells.append(
            PairCell(
                pair.first,
                pair.second,
                own.mean_difference,
                own.wins,
                own.ties,
                own.losses,
                pair.p_value,
            )
        )
    return tuple(cells)


def _first_place(means: Array, names: Sequence[str], datasets: Sequence[str]) -> FirstPlace | None:
    """Name what makes the first place fragile."""
    found = fragility(means)
    if found is None:
        return None
    removed = tuple(datasets[m] for m in found.removed)
    return FirstPlace(names[found.first], names[found.successor], removed)


def _estimate(found: Aggregate, k: int) -> Estimate:
    value = float(found.estimate[k])
    if found.lower is None or found.upper is None:
        return Estimate(value)
    ends = float(found.lower[k]), float(found.upper[k])
    return Estimate(value, ends if np.isfinite(ends).all() else None)


def _by_name(
    rows: Array, names: Sequence[str], order: Sequence[int]
) -> dict[str, tuple[float, ...]]:
    return {names[k]: tuple(rows[k].tolist()) for k in order}


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

    scale: Scaling
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
    def drawn(self) -> tuple[str, ...]:
        """Whose profiles are drawn: of very many candidates those that are listed first."""
        if len(self.profiles) <= MOST_DRAWN:
            return tuple(self.profiles)
        return tuple(c.candidate for c in self.candidates[:MOST_DRAWN])

    @property
    def best(self) -> tuple[str, ...]:
        """All whose interquartile mean is the largest, but for rounding."""
        most = self.candidates[0].interquartile_mean.value
        return tuple(
            c.candidate for c in self.candidates if c.interquartile_mean.value >= most - ROUNDING
        )

    def is_significant(self, pair: PairCell) -> bool:
        """Whether two candidates differ significantly by the signed ranks of their pair alone."""
        return pair.p_value is not None and pair.p_value <= self.alpha

    @property
    def has_significant_pairs(self) -> bool:
        """Whether some pair does, of those that the matrix shows."""
        shown = {c.candidate for c in self.candidates}
        return any(self.is_significant(p) for p in self.pairs if {p.first, p.second} <= shown)

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
