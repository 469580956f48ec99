"""What a design can decide: before a run by effect sizes, afterwards by the differences it found.

Before a run a claim is decided with the probability that the interval of its contrast lies on one
side of its bound: that of a non-central *t* with n - 1 degrees of freedom and the centre
sqrt(n) delta / s, delta being the distance of the truth from the bound and s the standard deviation
of the differences, beyond the critical value of level alpha / m, times the factor by which the
correction for skewness widens an interval of normal differences. Afterwards studies are drawn from
the units of the run, and each is judged by the interval of the gate itself.

References
----------
.. [1] J. Cohen (1988), "Statistical power analysis for the behavioral sciences", chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from math import inf, nan, sqrt
from typing import Protocol, cast, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from reportgen.catalogue.measures.losses import MEANS
from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure, Problem
from reportgen.sections.expectations.analysis import Question, ask
from reportgen.sections.expectations.contrasts import (
    OUTCOME_AT,
    ContrastValues,
    Key,
    compare_columns,
)
from reportgen.sections.expectations.result import ClaimTest, Family, Outcome, together
from reportgen.sections.expectations.words import REASONS, UNITS, found_words
from reportgen.stats.arrays import Array
from reportgen.stats.distributions.tails import cdf, t_quantile
from reportgen.stats.domain.sources import MOST_SOURCES
from reportgen.stats.pairs.new_data import FEWEST, POWER, MeanLosses
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, difference_intervals
from reportgen.stats.pairs.pilot import least_number, possible_laws, safe_number
from reportgen.stats.pairs.proportions import mid_p_level, score_interval
from reportgen.stats.pairs.shared_data import LEARNT, Scheme, SharedData, shared_data
from reportgen.stats.pairs.wins import FEWEST_DISCORDANT
from reportgen.stats.skewness import reach
from reportgen.study.claims import Names, place_of, read_claim
from reportgen.study.comparison import domain_scale
from reportgen.study.given_samples import FixedSample
from reportgen.study.resampling import Resampling
from reportgen.study.schema.options import AnalysisOptions, Expectation
from reportgen.study.target import deciding_target

OF_TEST_SAMPLE = "observations of the test sample"
MIDDLE = 0.6745  # normal quantile of 3/4: half of all samples deviate less from 0
MOST_UNITS = 1_000_000
EFFECTS = (0.2, 0.5, 0.8)  # small, medium, large, in standard deviations
N_DRAWS, N_SEARCHED = 1000, 400  # studies drawn of a size, and of each that is tried
MOST_DRAWN = 5000  # units of a study that is drawn
MOST_NUMBERS = 1_000_000  # drawn at once


@dataclass(frozen=True, slots=True)
class Planned:
    """The units that a design has for a claim."""

    n: int
    unit: str  # what they are
    # For new data of the source: the variance of a mean over that of one replication, which more
    # replications hardly lower. None where units are judged by their own variance.
    factor: float | None = None
    # Whether they are so few data sets that the error on each decides.
    is_few: bool = False
    is_unknown: bool = False  # whether nothing is known beyond this experiment


def power_of(n: int, effect: float, family: Family, factor: float | None = None) -> float:
    """Return with which probability n units decide that a mean lies beyond a bound.

    `n`: from 2 on.
    `effect`: distance from the bound in standard deviations of the differences.
    `factor`: as of `Planned`.

    Notes
    -----
    Of normal differences.

    Examples
    --------
    >>> round(power_of(34, 0.5, Family(0.05, 1)), 3)
    0.797
    """
    df = np.array([n - 1.0])
    critical = t_quantile(family.alpha / (2 * family.n_comparisons), df)
    limit = critical * widening(n, critical) if factor is None else critical
    centre = effect / sqrt(1 / n if factor is None else factor)
    return 1.0 - float(cdf(limit, df, np.array([centre]))[0])


def widening(n: int, critical: Array) -> Array:
    """Return by how much the correction for skewness widens an interval of normal differences.

    `critical`: (P,); of Student's interval.

    Notes
    -----
    In the middle of samples, whose skewness has then the size .6745 times its standard error
    (Joanes and Gill 1998): one side is longer, to twice Student's at most.

    Examples
    --------
    >>> widening(6, np.array([2.571, 4.773])).round(2), widening(50, np.array([2.01])).round(2)
    (array([1.17, 1.5 ]), array([1.01]))
    """
    error = sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))) if n >= FEWEST_UNITS else 0.0
    _, longer = reach(critical, np.full_like(critical, MIDDLE * error / sqrt(n)))
    return (1 + longer / critical) / 2


def units_for(effect: float, family: Family) -> int | None:
    """Return how many units decide with a probability of 80%; None where a million do not.

    Examples
    --------
    >>> alone, ten = Family(0.05, 1), Family(0.05, 10)
    >>> units_for(0.5, alone), units_for(0.5, ten), units_for(0.0, alone)
    (35, 59, None)
    """
    return _least(lambda n: power_of(n, effect, family))


def skewed_units_for(effect: float, family: Family) -> float:
    """Return how many units decide with 80% of exponential differences, tail towards the bound.

    Their interval reaches farther to the side of the tail, so that it takes more of them.

    Examples
    --------
    >>> alone = Family(0.05, 1)
    >>> skewed_units_for(0.8, alone) > (units_for(0.8, alone) or 0)
    True
    """
    level = family.alpha / family.n_comparisons

    def power(n: int) -> float:
        rng = np.random.default_rng(n)
        n_draws = max(100, min(N_DRAWS, MOST_NUMBERS // n))
        drawn = 1 + effect - rng.standard_exponential((n, n_draws))
        return float((difference_intervals(drawn, level)[0] > 0).mean())

    return least_number(power, POWER, FEWEST_UNITS, MOST_DRAWN)


def effect_for(n: int, family: Family, factor: float | None = None) -> float:
    """Return the least effect, in standard deviations, that n units decide in 80% of cases.

    `n`, `family`, `factor`: as of `power_of`.

    Examples
    --------
    >>> round(effect_for(34, Family(0.05, 1)), 2)
    0.5
    """
    low, high = 0.0, 1.0
    while power_of(n, high, family, factor) < POWER:
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        is_enough = power_of(n, middle, family, factor) >= POWER
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def describe_design(counts: Mapping[str, Planned], family: Family) -> tuple[str, ...]:
    """Say what effects a design decides whose values are not known yet, a line a claim.

    `counts`: units of each claim.
    """
    width = max(map(len, counts))
    lines = [f"{claim:<{width}}  {_of_design(own, family)}" for claim, own in counts.items()]
    last = f"distances from a claim's bound that {POWER:.0%} of runs decide on"
    if all(own.is_few or own.is_unknown or own.factor is not None for own in counts.values()):
        return (*lines, f"({last})")
    needs = [f"{units_for(effect, family):,} for {effect:g}" for effect in EFFECTS]
    skewed = [f"{skewed_units_for(effect, family):,.0f} for {effect:g}" for effect in EFFECTS]
    return (
        *lines,
        f"({last}; units that it takes: {', '.join(needs)} standard deviations)",
        (
            "(of differences as skewed as exponential ones, with the tail towards the bound: "
            f"{', '.join(skewed)})"
        ),
    )


def _of_design(planned: Planned, family: Family) -> str:
    """Say what effects the units of a claim decide."""
    n, unit, factor = planned.n, planned.unit, planned.factor
    if planned.is_unknown:
        return f"{n:,} {unit}: it will be undecided; {REASONS['target']}"
    if planned.is_few:
        return f"{n} {unit}: by the error on each, which a run tells"
    fewest = FEWEST_UNITS if factor is None else FEWEST
    if n < fewest:
        return f"fewer than {fewest} {unit}: it will be undecided"
    told = f"{n:,} {unit}: from {effect_for(n, family, factor):.2f} standard deviations on"
    if unit == OF_TEST_SAMPLE:
        return f"{told} of the losses, means over the learning samples; more of these hardly help"
    if factor is None:
        return told
    return f"{told}, for new data of the source, by {unit} alone; more of them hardly help"


@dataclass(frozen=True, slots=True)
class Prospect:
    """What a claim comes to in studies like one that is there."""

    n: int  # units of the study: replications, data sets, items, or observations
    unit: str
    outcome: Outcome  # what the estimates point to; "undecided" where they lie at a bound
    probability: float  # with which as many units decide so
    # Units that do with a probability of 80%, infinite beyond `MOST_DRAWN`; None where the units
    # that matter, the observations of each source, are not counted.
    needed: float | None
    # The same under the laws of which the run may be a sample, the worst of them: a small run may
    # not have seen a tail. None where units are not judged by their own variance.
    safe: float | None = None


def describe_pilot(
    questions: Sequence[Question | None], gates: Sequence[ClaimTest], family: Family, rng: Generator
) -> tuple[str, ...]:
    """Say what studies like a run decide, were its differences those of all units.

    `questions`: what the claims ask of the run's values.
    `gates`: their outcomes in the run.
    `rng`: draws the studies.
    """
    width = max(len(gate.claim) for gate in gates)
    lines = [
        f"{gate.claim:<{width}}  {_of_pilot(question, gate, family, rng)}"
        for gate, question in zip(gates, questions, strict=True)
    ]
    error = 100 * 2 * (0.25 / N_DRAWS) ** 0.5
    last = (
        f"(shares of {N_DRAWS:,} studies that are drawn from the differences found, good for "
        f"{error:.0f} points; near a bound the truth may lie on the other side)"
    )
    return (*lines, last)


def _of_pilot(question: Question | None, gate: ClaimTest, family: Family, rng: Generator) -> str:
    """Say what is known of a claim."""
    if question is None and gate.kind == "gate":
        return "not predicted: best settings are chosen anew in every study"
    if question is None:
        return "a check, which nothing has to decide"
    if any(
        own.is_open or own.estimate is None or own.is_beyond or own.is_undone_by_gaps
        for own in gate.contrasts
    ):
        return f"undecided: {found_words(gate)}"
    found = prospect_of(question, family, rng)
    unit = f"{found.n:,} {found.unit}"
    if found.outcome == "undecided":
        return f"{unit}: the estimate lies at a bound, and no number is enough"
    told = f"{unit}: {found.outcome} with a probability of {found.probability:.0%}"
    if found.needed is None:
        return told
    few = f"about {found.needed:,.0f}" if found.needed < inf else f"more than {MOST_DRAWN:,}"
    safe = ""
    if found.safe is not None and found.needed < min(found.safe, inf):
        most = f"{found.safe:,.0f}" if found.safe < inf else f"more than {MOST_DRAWN:,}"
        safe = f" if further ones are like these, {most} at worst"
    return f"{told}; {few} for {POWER:.0%}{safe}"


def prospect_of(question: Question, family: Family, rng: Generator) -> Prospect:
    """Return what a claim comes to in studies whose units are drawn from those of a run.

    `question`: of values by which every contrast can be judged.

    Notes
    -----
    Units are drawn with replacement, the same of all contrasts of a claim, and each study is judged
    by the interval of the gate itself. For new data of a source observations are drawn, twice: once
    for the test and once for the learning sample, as the interval reckons with both. Where no
    losses of observations are known, and for independent samples, clusters and pooled variances,
    mean and standard error are drawn from the normal law that the interval supposes. Gaps are not
    held against anybody. The number at worst is that of `plan`.
    """
    level = family.alpha / family.n_comparisons
    contrasts = [drawable(question, pair, level) for pair in question.pairs]
    n, unit = min(c.n for c in contrasts), unit_of(question.values, contrasts)
    outcome = together(
        [OUTCOME_AT[place_of(c.estimate, c.estimate, question.bounds)] for c in contrasts]
    )
    if outcome == "undecided":
        return Prospect(n, unit, outcome, 0.0, None)
    seed = int(rng.integers(2**63))

    def share(n_units: int, n_draws: int) -> float:
        """Return in which share of drawn studies the claim comes to that end."""
        own, n_same, n_left = np.random.default_rng(seed), 0, n_draws
        while n_left:
            size = min(n_left, max(1, MOST_NUMBERS // n_units))
            places = own.random((size, 2, n_units))
            limits = [c.limits(places, own) for c in contrasts]
            ends = [
                [OUTCOME_AT[place_of(*both, question.bounds)] for both in zip(*one, strict=True)]
                for one in limits
            ]
            n_same += sum(together(found) == outcome for found in zip(*ends, strict=True))
            n_left -= size
        return n_same / n_draws

    is_counted = all(c.is_counted for c in contrasts)
    probability = share(n, N_DRAWS)
    needed = (
        least_number(lambda x: share(x, N_SEARCHED), POWER, n, MOST_DRAWN) if is_counted else None
    )
    own = [c for c in contrasts if isinstance(c, MeanDifferences)]
    safe = None
    if needed is not None and needed < inf and len(own) == len(contrasts):
        safe = max(needed, *(_at_worst(c, question, outcome, n, len(own), seed) for c in own))
    return Prospect(n, unit, outcome, probability, needed, safe)


def _at_worst(
    contrast: MeanDifferences,
    question: Question,
    outcome: Outcome,
    n: int,
    n_contrasts: int,
    seed: int,
) -> float:
    """Return how many units a contrast takes under the worst law of which it may be a sample."""
    # Of several contrasts each is to fail in so few studies that all together come to that end.
    differences, estimate = contrast.differences, contrast.estimate
    spread = float(differences.std(ddof=1))
    if not spread > 0:
        return 0.0

    def is_decided(lower: Array, upper: Array) -> NDArray[np.bool_]:
        places = zip(estimate + lower, estimate + upper, strict=True)
        return np.array(
            [OUTCOME_AT[place_of(*both, question.bounds)] == outcome for both in places]
        )

    return safe_number(
        possible_laws(differences, np.random.default_rng(seed)),
        spread,
        is_decided,
        level=contrast.level,
        wanted=1 - (1 - POWER) / n_contrasts,
        start=n,
        most=MOST_DRAWN,
        seed=seed,
    )[0]


def unit_of(values: ContrastValues, contrasts: Sequence[Drawable]) -> str:
    """Return what is drawn."""
    if values.evidence is not None and all(c.is_counted for c in contrasts):
        return "observations"
    if values.clusters is not None:
        return "clusters"
    if values.families is not None:
        return "families"
    is_own = values.kind.is_nested or not values.kind.shares_rows
    return f"{values.kind.noun}s" if is_own else UNITS[values.unit]


class Drawable(Protocol):
    """A contrast of which studies can be drawn."""

    @property
    def estimate(self) -> float:
        """Of the run, on the scale of comparison."""

    @property
    def n(self) -> int:
        """Units of the run."""

    @property
    def is_counted(self) -> bool:
        """Whether these are the units that matter."""

    def limits(self, places: Array, rng: Generator) -> tuple[list[float], list[float]]:
        """Return the intervals of studies whose units lie at some places of the run, in [0, 1)."""


@dataclass(frozen=True, slots=True)
class MeanDifferences:
    """Mean differences of units that are judged by their own variance."""

    differences: Array
    level: float
    is_counted: bool = True

    @property
    def estimate(self) -> float:
        """The mean difference."""
        return float(self.differences.mean())

    @property
    def n(self) -> int:
        """Units."""
        return len(self.differences)

    def limits(self, places: Array, rng: Generator) -> tuple[list[float], list[float]]:
        """Return the intervals of studies; see `Drawable`."""
        rows = (places[:, 0] * self.n).astype(np.intp)
        apart = (self.differences - self.estimate) * sqrt(self.n / max(1, self.n - 1))
        lower, upper = difference_intervals(self.estimate + apart[rows].T, self.level)
        return lower.tolist(), upper.tolist()


@dataclass(frozen=True, slots=True)
class Signs:
    """Units of which either or neither is ahead, judged by Tango's interval."""

    signs: Array
    level: float
    is_of_items: bool
    is_counted: bool = True

    @property
    def estimate(self) -> float:
        """The mean difference."""
        return float(self.signs.mean())

    @property
    def n(self) -> int:
        """Units."""
        return len(self.signs)

    def limits(self, places: Array, rng: Generator) -> tuple[list[float], list[float]]:
        """Return the intervals of studies; see `Drawable`."""
        drawn = self.signs[(places[:, 0] * self.n).astype(np.intp)]
        b, c = (drawn > 0).sum(axis=1), (drawn < 0).sum(axis=1)
        n = np.full(len(b), drawn.shape[1])
        level = mid_p_level(b, c, self.level) if self.is_of_items else self.level
        known = n >= FEWEST_UNITS if self.is_of_items else b + c >= FEWEST_DISCORDANT
        lower, upper = (np.where(known, x, nan) for x in score_interval(b, c, n, level))
        return lower.tolist(), upper.tolist()


@dataclass(frozen=True, slots=True)
class MeanError:
    """A difference with a standard error that follows no own variance of units."""

    estimate: float
    n: int
    error: float
    df: float
    level: float
    losses: Array | None
    is_counted: bool

    def limits(self, places: Array, rng: Generator) -> tuple[list[float], list[float]]:
        """Return the intervals of studies; see `Drawable`."""
        size, n_units = places.shape[0], places.shape[2]
        error = self.error * (self.n / n_units) ** 0.5
        if self.losses is None:
            middle = self.estimate + error * rng.standard_normal(size)
            error = error * np.sqrt(rng.chisquare(self.df, size) / self.df)
        else:
            apart = self.losses - self.losses.mean()
            test, learning = (apart[(places[:, i] * self.n).astype(np.intp)] for i in (0, 1))
            middle = self.estimate + test.mean(axis=1) + learning.mean(axis=1)
            error = error * np.sqrt(test.var(axis=1, ddof=1) / apart.var(ddof=1))
        half = t_quantile(self.level / 2, np.full(size, self.df)) * error
        return (middle - half).tolist(), (middle + half).tolist()


def drawable(question: Question, pair: tuple[str, str | None], level: float) -> Drawable:
    """Return a contrast of which studies can be drawn."""
    values, (first, second) = question.values, pair
    origin = values.origin(second, question.limit)
    table = compare_columns(values, first, second, origin, level, 1)
    columns = values.columns(first, second, origin)
    both = columns[np.isfinite(columns).all(axis=1)]
    if table.method in ("wins", "score"):
        return Signs(np.sign(both[:, 0] - both[:, 1]), level, table.method == "score")
    evidence = values.evidence and values.evidence.between(first, second, origin)
    losses = None if evidence is None or evidence.losses is None else _apart(evidence.losses)
    if table.method.startswith("own-variance"):
        return MeanDifferences(both[:, 0] - both[:, 1] if losses is None else losses, level)
    error, df = float(table.standard_error[0]), float(np.nan_to_num(table.df[0], nan=1e6))
    n, is_counted = len(both), not (values.evidence_of_sources or values.samples)
    if "n_first" in table.extra:  # samples that nobody shares
        n = int(min(table.extra["n_first"][0], table.extra["n_second"][0]))
    if values.kind.is_nested or values.families is not None:
        n = int(table.extra["n_clusters"][0])
    if evidence is not None:
        known = evidence.shared.n_observations if losses is None else len(losses)
        n, is_counted = round(known or n), known is not None
    return MeanError(float(table.estimate[0]), n, error, df, level, losses, is_counted)


def _apart(losses: MeanLosses) -> Array:
    """Return the differences of mean losses of the observations that both were tested on."""
    found = losses.values[:, 0] - losses.values[:, 1]
    return np.asarray(found[np.isfinite(found)])


def _least(power: Callable[[int], float]) -> int | None:
    """Return the least number of units with a power of 80%; None where a million are too few."""
    if power(MOST_UNITS) < POWER:
        return None
    low, high = FEWEST_UNITS - 1, MOST_UNITS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(middle) >= POWER else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class SamplingDesign:
    """How replications of a data set are drawn, before there are any."""

    problem: Problem
    resampling: Resampling
    n: int  # observations, without those of a test sample
    n_test: int = 0  # of a test sample that all replications share
    options: AnalysisOptions = field(default_factory=AnalysisOptions)
    given: tuple[FixedSample, ...] = ()  # the user's samples

    @property
    def shared(self) -> SharedData:
        """What replications share."""
        own = self.resampling
        sizes = [(len({*sample.learn}), len(sample.test)) for sample in self.given]
        distinct, tested = np.array(sizes, dtype=float).reshape(-1, 2).T
        is_known = own.scheme in get_args(Scheme)
        return shared_data(
            self.problem,
            cast("Scheme", own.scheme) if is_known else None,
            assessment=own.assessment,
            n_distinct=distinct,
            n_test=tested,
            n_observations=self.n,
            fraction=own.fraction,
            n_folds=own.folds or None,
            has_overlap=own.has_overlap,
        )

    def has_losses(self, measure: Measure) -> bool:
        """Whether the losses of a test sample that all replications share will be known."""
        is_fixed = self.resampling.assessment == "fixed"
        return is_fixed and self.n_test > 0 and measure.name in MEANS

    def units(self, measure: Measure, *, is_of_experiment: bool) -> Planned:
        """Return the units that claims by a measure have.

        `is_of_experiment`: whether claims are about this experiment alone.
        """
        count, shared = self.resampling.replications, self.shared
        has_losses = self.has_losses(measure)
        has_ratio = shared.ratio is not None and shared.source != "independent"
        target = deciding_target(
            problem=self.problem,
            measure=measure,
            has_new_data_error=has_ratio or has_losses,
            is_fixed=self.resampling.assessment == "fixed",
            asked="experiment" if is_of_experiment else self.options.target,
        )
        if target == "new-data" and has_losses:
            return Planned(self.n_test, OF_TEST_SAMPLE)
        if target == "new-data":
            factor = max(1 / count + (shared.ratio or 0.0), 2 * (shared.test_share or 0.0))
            return Planned(count, "replications", factor)
        is_said = is_of_experiment or self.options.target == "experiment"
        is_unknown = target == "experiment" and not is_said
        return Planned(count, "replications", is_unknown=is_unknown)


def planned_units(
    claims: Sequence[Expectation],
    names: Names,
    designs: Mapping[str, SamplingDesign],
    measures: Mapping[str, Measure],
) -> tuple[dict[str, Planned], int]:
    """Return the units that a design has for each claim that is tested, and its contrasts.

    `names`: all known.
    `designs`: by data set.
    `measures`: by name.
    Result: by claim; distinct ones.
    """
    counts, keys = dict[str, Planned](), set[Key]()
    for entry in claims:
        claim = read_claim(entry.claim, names, measure=entry.measure, dataset=entry.dataset)
        asked = ask(claim, names)
        if not claim.is_tested:
            continue
        keys |= set(asked.keys)
        dataset, measure = asked.claim.dataset, measures[str(asked.claim.measure)]
        is_said = claim.is_of_experiment
        if dataset is None:
            every = list(designs.values())
            counts[claim.text] = _over(every, measure, is_of_experiment=is_said)
        else:
            counts[claim.text] = designs[dataset].units(measure, is_of_experiment=is_said)
    return counts, len(keys)


def _over(
    designs: Sequence[SamplingDesign], measure: Measure, *, is_of_experiment: bool
) -> Planned:
    """Return the units of claims over data sets; losses have no ratio."""
    is_said = is_of_experiment or any(own.options.target == "experiment" for own in designs)
    is_few, n = len(designs) <= MOST_SOURCES, len(designs)
    area = designs[0].options.relevance.get(measure.name)
    scale = domain_scale(measure, np.empty((0, 0)), is_positive=True, area=area).scale
    has_error = [
        own.shared.ratio is not None or (scale == "difference" and own.has_losses(measure))
        for own in designs
    ]
    is_learnt = any(own.shared.reason == LEARNT for own in designs) and not measure.is_of_machine
    is_unknown = not (is_said or (all(has_error) if is_few else not is_learnt))
    return Planned(n, "data sets", is_few=is_few, is_unknown=is_unknown)
