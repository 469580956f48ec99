"""Monitoring and stopping on one data set (Eugster 2011, chapter 6): pairs, and all candidates.

The pairs are followed in stages, by group sequential tests and by a test that is valid at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, combinations, pairwise
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from reportgen.data_classes import HIDDEN, dataclass, stated
from reportgen.errors import AnalysisError
from reportgen.methods import CombinationName, Multiplicity, RuleName, Stop, TestName
from reportgen.performance_measure import Measure, Scale
from reportgen.sections.inference.result import MeasureInference, Method
from reportgen.sections.sequential import Options
from reportgen.stats.arrays import Array
from reportgen.stats.columns import signed
from reportgen.stats.decisions import Decision as FixedDecision
from reportgen.stats.decisions import decision_words
from reportgen.stats.multiplicity.adjustment import bonferroni, holm
from reportgen.stats.pair_table import PairTable
from reportgen.stats.pairs.paired_max_t import compare_by_scale
from reportgen.stats.ranking import best_first
from reportgen.stats.sequential.anytime import sign_process
from reportgen.stats.sequential.group import boundaries_of, first_rejections, group_statistics
from reportgen.stats.sequential.orders import order_free, order_looks
from reportgen.stats.sequential.paths import (
    SequentialPath,
    block_f_path,
    friedman_path,
    point_of_consecutive_significance,
    pseudo_median,
    skewness_of,
)
from reportgen.stats.sequential.recursive import RecursiveTest
from reportgen.stats.sequential.stages import (
    OF_MEANS,
    SPENDINGS,
    Answers,
    PairStages,
    Quantity,
    Side,
    StagePlan,
    StageVerdict,
    answers_after,
    answers_of,
    group_stages,
    held_by,
    is_closed,
    judged,
    settled,
    stages_of_pairs,
)
from reportgen.study.comparison import area_on, comparison_scale, comparison_values, half_width
from reportgen.study.stages import Stages, stages_of
from reportgen.targets import Target
from reportgen.warehouse import Performances, Warehouse

LARGE_SKEWNESS = 0.5
"""From here on signed ranks of five stages of 50 say in 8% of cases and more at a level of 5% that
means differ which do not; see docs/sequential-size.md."""
FEW_VALUES = 20  # in a stage: its test rests on nearly symmetric differences

Unavailable = Literal["one-candidate", "too-few-replications"]
Choice = Literal["all", "named", "reference", "best"]

DIRECTIONS: Mapping[str, Side] = {
    "less": "less",
    "less-equivalent": "less",
    "greater": "greater",
    "greater-equivalent": "greater",
}


Key = TypeVar("Key", bound=Hashable)
Number = TypeVar("Number", int, float)
Pairs = tuple[tuple[int, int], ...]
ByStage = tuple[tuple[Answers, ...], ...]

MOST_MONITORED = 15  # candidates up to which all pairs are monitored when none are named
MOST_LISTED = 1000  # looks of a track that results list
FIXED = (30, 100)  # replications of which the verdicts of fixed designs are shown
LOOKS_OF_ORDERS = 20  # at which random orders are tested, about
ESTIMATES: Mapping[Quantity, Callable[[Array], Any]] = {
    "mean": np.mean,
    "pseudo-median": pseudo_median,
    "median": np.median,
}


@dataclass(frozen=True, slots=True)
class StageResult:
    """One stage of a recursive combination test: see `reportgen.stats.sequential.recursive`."""

    replication: int  # at its end
    p_value: float
    alpha_star: float
    alpha_1: float
    alpha_0: float
    c: float | None
    decision: Literal["reject", "accept", "go-on", "undecided"]


@dataclass(frozen=True, slots=True)
class FixedVerdict:
    """The verdict of a design of so many replications, by the rule of all fixed designs."""

    replications: int
    p_value: float | None  # of the pair alone
    adjusted_p_value: float | None  # over all pairs of the measure
    decision: FixedDecision = field(metadata=signed("decision"))  # of first against second
    # who is better, by however little: 1 the first, -1, or 0
    way: int = field(metadata={**HIDDEN, **signed("negative")})


@dataclass(frozen=True, slots=True)
class RandomOrders:
    """The track when the same replications come in random orders, at some looks."""

    n_orders: int
    replication: tuple[int, ...]
    lower: tuple[float, ...]  # p-values: nine of ten orders lie between the outer two
    median: tuple[float, ...]
    upper: tuple[float, ...]
    share_significant: tuple[float, ...]
    stable_from: int | None  # from where on nine of ten orders are significant to the last


@dataclass(frozen=True, slots=True)
class GroupSequential:
    """A group sequential test with the same looks, adjusted over the family by Holm's method."""

    boundaries: tuple[float, ...]  # of |z| at the looks, for the pair alone
    z: tuple[float, ...]  # of all replications so far; 0 while there are too few for a test
    verdict: StageVerdict  # less, greater or open
    replication: int | None  # at which it rejects


@dataclass(frozen=True, slots=True)
class Anytime:
    """The sign e-process, which may be looked at after every replication."""

    wins: int  # replications with a positive difference
    losses: int
    p_value: float  # of the pair alone
    sign_decided_at: int | None  # where it rejects, adjusted over the family by Holm's method
    sign_verdict: StageVerdict  # less, greater or open


@dataclass(frozen=True, slots=True)
class Monitored:
    """A pair, or all candidates together, on accumulating replications.

    `stages` are of the pair alone at level alpha: of the `side` that decided or has the smaller
    p-value, at half of it. `verdict` is by stages, of the pair in its family when it was settled,
    or of what is known so far: less or greater, with -equivalent where the difference is shown to
    lie inside the area as well; equivalent; not-distinguished; open.
    """

    first: str | None  # None for the test that all candidates are alike
    second: str | None
    test: str  # that is repeated at every look
    burn_in: int  # replications before the first look
    target: Target  # what the test speaks of
    # At each look; those without a value of both are no look. Of more than 1,000 looks results.json
    # lists as many, evenly spaced.
    replication: tuple[int, ...] = field(metadata=stated("listed_replication"))
    # p_values, statistics, effects: At each of these looks, of all replications so far.
    p_values: tuple[float, ...] = field(metadata=stated("listed_p_values"))
    statistics: tuple[float, ...] = field(metadata=stated("listed_statistics"))
    effects: tuple[float, ...] = field(metadata=stated("listed_effects"))
    estimate: float | None  # of first - second, or first over second, of all with both
    n: int  # number of these
    point_of_consecutive_significance: int | None  # of the pair alone
    alpha: float  # two-sided
    stages: tuple[StageResult, ...]
    side: Side | None  # that the stages are of, at half of alpha
    global_p_value: float | None  # two-sided, of all stages together
    decision: Literal["reject", "accept", "undecided"]  # of the pair alone
    quantity: Quantity | None = None  # of the differences, of which the test speaks
    skewness: float | None = None  # of the differences, by ratio of those of the logarithms
    scale: Scale = "difference"  # on which the two are compared
    verdict: StageVerdict | None = None  # by stages, of the pair in its family
    decided_at: int | None = None  # end of the stage that settled it; None where more are needed
    at: tuple[FixedVerdict, ...] = ()
    random_orders: RandomOrders | None = None
    group_sequential: GroupSequential | None = None
    anytime: Anytime | None = None

    def answer(self, n: int) -> tuple[FixedDecision, int] | None:
        """Return the verdict of a fixed design of n replications, and who is better by it."""
        return next(((x.decision, x.way) for x in self.at if x.replications == n), None)

    def said(self, n: int) -> str | None:
        """Return the verdict of a fixed design of n replications; None where there is none."""
        found = self.answer(n)
        return None if found is None else found[0]

    def describe(self, n: int) -> str:
        """Return that verdict as reports write it, of the first against the second."""
        found = self.answer(n)
        return "not tested" if found is None else decision_words(*found)

    @property
    def listed_replication(self) -> tuple[int, ...]:
        """The replications at the looks that results list."""
        return _listed(self.replication)

    @property
    def listed_p_values(self) -> tuple[float, ...]:
        """The p-values at these looks."""
        return _listed(self.p_values)

    @property
    def listed_statistics(self) -> tuple[float, ...]:
        """The statistics at these looks."""
        return _listed(self.statistics)

    @property
    def listed_effects(self) -> tuple[float, ...]:
        """The effects at these looks."""
        return _listed(self.effects)

    @property
    def is_skewed(self) -> bool:
        """Whether the skewness is large for a test that presumes symmetry."""
        return self.skewness is not None and abs(self.skewness) >= LARGE_SKEWNESS


def _listed(track: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return what results list of a track: of very many looks evenly spaced ones, and the last."""
    if len(track) <= MOST_LISTED:
        return track
    places = np.linspace(0, len(track) - 1, MOST_LISTED).round().astype(int)
    return tuple(track[place] for place in places.tolist())


@dataclass(frozen=True, slots=True)
class StagesRun:
    """An execution in stages, as it went on one data set."""

    ends: tuple[int, ...]  # replications at the end of each stage that was run
    most: int
    candidates: tuple[tuple[str, ...], ...]  # that each stage measured
    n_fits: int
    n_fixed: int  # fits of a design with all replications
    is_decided: bool  # whether all comparisons were, before the replications were spent
    drop: Literal["beaten", "decided"] | None  # which candidates were no longer measured
    dropped: Mapping[str, int]  # these, and after how many replications
    seconds: float | None = None  # what the fits took
    seconds_fixed: float | None = None  # of the fixed design by each candidate's mean
    is_equivalence_of_ranks: bool = False
    """Whether signed ranks or signs have decided on equivalence, too. It is not one of means:
    comparisons that ended so are open here."""

    @property
    def is_early(self) -> bool:
        """Whether it stopped before all replications were used."""
        return self.is_decided and self.ends[-1] < self.most

    @property
    def n_saved(self) -> int:
        """Fits of the fixed design that were not run."""
        return self.n_fixed - self.n_fits


@dataclass(frozen=True, slots=True)
class Monitoring(Sequence[Monitored]):
    """One measure of one data set: a sequence of its pairs, and last all candidates together."""

    measure: Measure
    entries: tuple[Monitored, ...]
    alpha: float
    relevance: tuple[float, float] | None  # area of equivalence, where the test can show it
    target: Target
    n_replications: int
    ends: tuple[int, ...] = ()  # replications at the end of each stage
    n_stages: int = 0  # that were planned
    test: TestName = "t"
    quantity: Quantity = "mean"  # of the differences, of which the test speaks
    rule: RuleName = "obrien-fleming"
    combination: CombinationName = "fisher"
    multiplicity: Multiplicity = "holm"
    n_family: int = 0  # hypotheses: of all monitored measures, or all that results chose from
    choice: Choice = "all"  # which pairs are monitored
    n_compared: int = 0  # pairs among which these were chosen
    stop: Stop = "decided"  # when a pair is settled
    unavailable: Unavailable | None = None
    run: StagesRun | None = None  # where the execution went by stages
    is_area_unused: bool = False  # whether there is an area and the test is not one of means

    def __getitem__(self, index):  # type: ignore[no-untyped-def]
        return self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Monitored]:
        return iter(self.entries)

    @property
    def pairs(self) -> tuple[Monitored, ...]:
        """Entries of two candidates."""
        return tuple(entry for entry in self.entries if entry.first is not None)

    @property
    def is_pair(self) -> bool:
        """Whether one pair is followed."""
        return len(self.pairs) == 1

    @property
    def shared(self) -> str | None:
        """The candidate that is in all pairs, of three or more."""
        names = [{pair.first, pair.second} for pair in self.pairs]
        common = set.intersection(*names) if names else set()
        return common.pop() if len(common) == 1 else None

    @property
    def is_ratio(self) -> bool:
        """Whether candidates are compared by ratio."""
        return any(entry.scale == "ratio" for entry in self.entries)

    @property
    def no_difference(self) -> float:
        """The estimate of candidates that are alike."""
        return 1.0 if self.is_ratio else 0.0

    @property
    def differences(self) -> tuple[float, ...]:
        """Estimated differences, or ratios, of the pairs."""
        return tuple(map(self._estimate, self.pairs))

    def advantage(self, pair: Monitored) -> float:
        """Return by how much, or how many times, the one of a pair that leads is better."""
        x = self._estimate(pair)
        return (1 / x if 0 < x < 1 else x) if self.is_ratio else abs(x)

    @property
    def by_advantage(self) -> tuple[Monitored, ...]:
        """The pairs, the largest difference first."""
        return tuple(sorted(self.pairs, key=lambda pair: -self.advantage(pair)))

    def _estimate(self, pair: Monitored) -> float:
        return self.no_difference if pair.estimate is None else pair.estimate

    @property
    def is_smaller_better(self) -> bool:
        """Whether less is better."""
        return self.measure.is_smaller_better

    def leads(self, pair: Monitored) -> tuple[str, str]:
        """Return the two names of a pair, the better first by the estimate."""
        lead = self._estimate(pair) - self.no_difference
        first, second = pair.first or "", pair.second or ""
        is_turned = lead != 0 and (lead > 0) == self.is_smaller_better
        return (second, first) if is_turned else (first, second)

    def winner(self, pair: Monitored, verdict: StageVerdict | None) -> str | None:
        """Return who of a pair is better by a verdict."""
        side = DIRECTIONS.get(verdict or "")
        if side is None:
            return None
        return pair.first if (side == "less") == self.is_smaller_better else pair.second

    @property
    def better(self) -> tuple[str, str] | None:
        """Of a single pair the one that its stages find better, and the other; None where none."""
        if not self.is_pair:
            return None
        pair = self.pairs[0]
        winner, names = self.winner(pair, pair.verdict), self.leads(pair)
        return None if winner is None else names if winner == names[0] else names[::-1]

    @property
    def decided_at(self) -> int | None:
        """Replications after which all pairs were settled; None where one is not."""
        found = [pair.decided_at for pair in self.pairs]
        known = [n for n in found if n is not None]
        return max(known) if len(known) == len(self.pairs) else None

    @property
    def skewed(self) -> tuple[Monitored, ...]:
        """Pairs that are too skewed for the test, which presumes symmetry."""
        return tuple(pair for pair in self.pairs if self.test != "t" and pair.is_skewed)

    @property
    def largest_skewness(self) -> float:
        """Of the pairs that are too skewed, in size."""
        return max((abs(pair.skewness or 0.0) for pair in self.skewed), default=0.0)

    @property
    def has_small_stages(self) -> bool:
        """Whether the stages are so small that they cannot show the skewness."""
        return bool(self.ends) and self.ends[0] < FEW_VALUES

    @property
    def least_p_value(self) -> float:
        """The smallest p-value of a pair, or of its random orders, at any look."""
        orders = [pair.random_orders.lower for pair in self if pair.random_orders]
        return min(chain(*(pair.p_values for pair in self), *orders), default=1.0)

    @property
    def least_stage_p_value(self) -> float:
        """The smallest p-value of a stage of a pair."""
        return min((s.p_value for pair in self for s in pair.stages), default=1.0)

    @property
    def has_later_stages(self) -> bool:
        """Whether a pair has stages after its first."""
        return any(len(pair.stages) > 1 for pair in self)

    @property
    def fixed_sizes(self) -> tuple[int, ...]:
        """Fixed designs that are shown, but the one with all replications."""
        return tuple(sorted({f.replications for pair in self.pairs for f in pair.at})[:-1])

    def differing_with(self, n: int) -> tuple[Monitored, ...]:
        """Return the pairs of which a fixed design of n says other than that with all."""
        return tuple(p for p in self.pairs if p.answer(n) != p.answer(self.n_replications))

    def undecided_with(self, n: int) -> tuple[Monitored, ...]:
        """Return those of them that a fixed design of n leaves undecided."""
        return tuple(p for p in self.differing_with(n) if p.said(n) == "undecided")

    @property
    def settled_after(self) -> int | None:
        """Replications after which all pairs are settled, or the execution ended; None for open."""
        return self.run.ends[-1] if self.decided_at is None and self.run else self.decided_at

    @property
    def is_settled_last(self) -> bool:
        """Whether that took all replications there could be."""
        return self.settled_after == (self.run.most if self.run else self.n_replications)

    @property
    def told(self) -> tuple[tuple[int, str], ...]:
        """How many pairs have which verdict; the slight ones are among the decided."""
        kinds = {
            "different": ("different", "slight"),
            "equivalent": ("equivalent",),
            "not-distinguished": ("not-distinguished",),
            "open": ("open",),
        }
        counts = ((len(self.with_verdict(*verdicts)), name) for name, verdicts in kinds.items())
        return tuple((n, name) for n, name in counts if n)

    def with_verdict(self, *verdicts: str) -> tuple[Monitored, ...]:
        """Return the pairs with one of some verdicts.

        "different" stands for both directions, "slight" for these with equivalence.
        """
        wanted = {*verdicts}
        wanted |= {"less", "greater"} if "different" in verdicts else set()
        wanted |= {"less-equivalent", "greater-equivalent"} if "slight" in verdicts else set()
        return tuple(pair for pair in self.pairs if pair.verdict in wanted)


SequentialResult = dict[str, Monitoring]
"""By measure."""


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    inference: Mapping[str, MeasureInference] | None = None,
) -> SequentialResult:
    """Follow the comparisons of one data set over its replications.

    `warehouse`: of one data set.
    `options`: where the execution went by stages, its own rule comes before them.
    `rng`: draws the random orders.
    `inference`: by measure: the verdicts with all replications.
    Result: by measure.
    Raises AnalysisError if the options name a pair of unknown candidates.
    """
    own = stages_of(warehouse)
    for fault in () if own else options.unknown_pairs(warehouse.candidates):
        raise AnalysisError(f"sections: sequential: pairs: {fault}")
    names = (own.measure,) if own else options.measures or (warehouse.measures[0].name,)
    dataset = warehouse.datasets[0]
    requests = [
        _request_of(warehouse.performances(dataset, name), warehouse, options, own)
        for name in names
    ]
    n_family = sum(a.n_compared for a in requests)
    requests = [replace(a, n_family=n_family) for a in requests]
    stages = [stages_of_pairs(a.differences, a.ends, a.plan, a.area) for a in requests]
    answers = _answers_in_family(requests, stages)
    return {
        a.performances.measure.name: _monitoring(a, parts, found, _verdicts_of(a, inference), rng)
        for a, parts, found in zip(requests, stages, answers, strict=True)
    }


# --- what is compared


@dataclass(frozen=True, slots=True)
class Request:
    """The values of one measure, and the comparisons that are followed."""

    performances: Performances
    rule: Stages  # of the execution, else of the section
    scale: Scale
    values: Array  # (B, K), whose differences are tested; NaN where there is no value
    pairs: Pairs
    run: StagesRun | None
    choice: Choice
    n_compared: int  # pairs among which these are: of all where it took results to choose
    target: Target
    options: Options
    n_family: int = 0  # hypotheses, which may be of other measures, too

    @property
    def plan(self) -> StagePlan:
        """The test of the pairs."""
        return self.rule.plan

    @property
    def ends(self) -> tuple[int, ...]:
        """Replications at the end of each stage there is."""
        return self.run.ends if self.run else self.rule.ends

    @property
    def differences(self) -> tuple[Array, ...]:
        """First - second of each pair, NaN where one has no value."""
        return tuple(self.values[:, i] - self.values[:, j] for i, j in self.pairs)

    @property
    def is_part(self) -> bool:
        """Whether there are more comparisons than those that are monitored."""
        return self.n_compared > len(self.pairs)

    @property
    def own_alpha(self) -> float:
        """Level of this measure: its share by the number of pairs."""
        return self.rule.alpha * self.n_compared / max(self.n_family, self.n_compared, 1)

    @property
    def relevance(self) -> tuple[float, float] | None:
        """Area of equivalence; None for a test that is not one of means."""
        return area_on(self.scale, self.rule.area) if self.plan.quantity == "mean" else None

    @property
    def area(self) -> float | None:
        """Differences of the values up to which do not matter."""
        return None if self.relevance is None else half_width(self.scale, self.relevance)

    @property
    def burn_in(self) -> int:
        """Replications before the first look; never so few that the test is undefined."""
        return max(2, self.options.burn_in)

    def measured(self, differences: ArrayLike) -> Array:
        """Return differences of the values as differences, or ratios, of performances."""
        with np.errstate(over="ignore"):  # a ratio beyond floating point is infinite
            return np.exp(differences) if self.scale == "ratio" else np.asarray(differences)

    def names(self, pair: tuple[int, int]) -> tuple[str, str]:
        """Return the two candidates."""
        return self.performances.candidates[pair[0]], self.performances.candidates[pair[1]]


def _request_of(
    performances: Performances, warehouse: Warehouse, options: Options, own: Stages | None
) -> Request:
    """Put together what is compared, of candidates that have values."""
    measure = performances.measure
    rule = own or Stages(
        options.stage,
        max(1, len(performances.values)),
        measure.name,
        alpha=options.alpha,
        area=options.relevance.get(measure.name),
        pairs=options.pairs,
    )
    scale = comparison_scale(measure, performances.values, rule.area)
    values = comparison_values(performances.values, scale)
    present = [k for k in range(values.shape[1]) if np.isfinite(values[:, k]).any()]
    reference = options.reference if own is None else None
    pairs, choice = _chosen_pairs(performances, present, rule, reference)
    n_compared = len(present) * (len(present) - 1) // 2 if choice == "best" else len(pairs)
    run = stages_run(warehouse, performances)
    return Request(
        performances, rule, scale, values, pairs, run, choice, n_compared, warehouse.target, options
    )


def _chosen_pairs(
    performances: Performances, present: Sequence[int], rule: Stages, reference: str | None
) -> tuple[Pairs, Choice]:
    """Return the pairs that are monitored, as columns, and how they were chosen."""
    # Of many candidates all pairs are too many to follow. Those with the reference candidate are
    # fixed beforehand; those with the best mean are not, so all pairs there are stay in the family.
    names = performances.candidates
    if rule.pairs:
        named = [(names.index(i), names.index(j)) for i, j in rule.pairs]
        return tuple(pair for pair in named if set(pair) <= set(present)), "named"
    pairs = tuple(combinations(present, 2))
    if len(present) <= MOST_MONITORED:
        return pairs, "all"
    if reference in [names[k] for k in present]:
        leader = names.index(str(reference))
        return tuple(pair for pair in pairs if leader in pair), "reference"
    values = performances.values[:, present]
    means = np.nanmean(np.where(np.isfinite(values), values, np.nan), axis=0)
    lead = best_first(means, is_smaller_better=performances.measure.is_smaller_better)[0]
    return tuple(pair for pair in pairs if present[lead] in pair), "best"


def stages_run(warehouse: Warehouse, performances: Performances) -> StagesRun | None:
    """Return what was run on one data set; None where the execution did not go by stages."""
    stages = stages_of(warehouse)
    if stages is None:
        return None
    rows = warehouse.frame[warehouse.frame["measure"] == performances.measure.name]
    ends_of = rows.groupby("candidate", observed=True)["replication"].max()
    last = {name: int(ends_of.get(name, 0)) for name in performances.candidates}
    n = max(last.values())
    ends = tuple(end for end in stages.ends if end <= n)
    begins = (0, *ends)
    measured = tuple(
        tuple(name for name in performances.candidates if last[name] > begin)
        for begin in begins[: len(ends)]
    )
    dropped = {name: end for name, end in last.items() if end < n}
    seconds, seconds_fixed = _seconds(warehouse, performances, last, stages.most)
    return StagesRun(
        ends,
        stages.most,
        measured,
        sum(last.values()),
        stages.most * len(last),
        is_decided=n < stages.most,
        drop=stages.drop,
        dropped=dict(sorted(dropped.items(), key=lambda item: item[1])),
        seconds=seconds,
        seconds_fixed=seconds_fixed,
        is_equivalence_of_ranks=stages.area is not None and stages.plan.quantity != "mean",
    )


def _seconds(
    warehouse: Warehouse, performances: Performances, counts: Mapping[str, int], most: int
) -> tuple[float | None, float | None]:
    """Return the seconds of the fits, and about that of a fixed design."""
    means = warehouse.facts.get(performances.dataset, {}).get("fit_seconds")
    if not isinstance(means, Mapping) or set(means) != set(counts):
        return None, None
    each = np.array([float(means[name]) for name in counts])
    return float(each @ np.array(list(counts.values()))), float(each.sum() * most)


# --- the family


def _multiplicity_of(request: Request) -> Multiplicity:
    """Return the method that controls the family-wise level."""
    own = request.plan.multiplicity
    if request.is_part and request.run is None:
        return "bonferroni"
    if own == "closed":
        return "closed" if is_closed(request.values.shape[1], request.pairs) else "holm"
    return held_by(own, request.n_family)


def _answers_in_family(
    requests: Sequence[Request], stages: Sequence[tuple[PairStages, ...]]
) -> list[ByStage]:
    """Return by measure and stage the answers on the monitored pairs of all measures together."""
    # An execution in stages, which is of one measure, has judged all its pairs. Pairs that results
    # have chosen get their share of the level among all there are: whichever are chosen, the
    # family-wise level holds.
    first = requests[0]
    if first.run is not None and first.is_part:
        places = [_every_pair(first).index(pair) for pair in first.pairs]
        rows = judged(first.values, _every_pair(first), first.ends, first.plan, first.area)
        return [tuple(tuple(row[place] for place in places) for row in rows)]
    if any(a.is_part for a in requests):
        return [
            answers_after(parts, _shared_plan(a), len(a.ends))
            for a, parts in zip(requests, stages, strict=True)
        ]
    if len(requests) == 1:
        return [answers_of(first.values, first.pairs, stages[0], first.ends, first.plan)]
    family = [pair for pairs in stages for pair in pairs]
    joint = answers_after(family, first.plan, len(first.ends))
    bounds = np.cumsum([0, *map(len, stages)]).tolist()
    return [tuple(row[low:high] for row in joint) for low, high in pairwise(bounds)]


def _shared_plan(request: Request) -> StagePlan:
    """Return the plan for the monitored pairs of a family."""
    if not request.is_part:
        return request.plan
    share = request.plan.alpha * len(request.pairs) / request.n_family
    return replace(request.plan, alpha=share, multiplicity="bonferroni")


def _every_pair(request: Request) -> Pairs:
    """Return all pairs of candidates that have values."""
    there = np.flatnonzero(np.isfinite(request.values).any(axis=0)).tolist()
    return tuple(combinations(there, 2))


def _all_settled(request: Request, run: StagesRun, answers: Sequence[Answers]) -> bool:
    """Return whether no comparison of candidates that were still measured is open."""
    kept = set(run.candidates[-1]) if run.candidates else set()
    pairs = request.pairs
    if request.is_part:
        pairs = _every_pair(request)
        answers = judged(request.values, pairs, request.ends, request.plan, request.area)[-1]
    return all(
        answer.is_settled(request.rule.stop) or not set(request.names(pair)) <= kept
        for pair, answer in zip(pairs, answers, strict=True)
    )


# --- one measure


def _verdicts_of(
    request: Request, inference: Mapping[str, MeasureInference] | None
) -> Method | None:
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
    rule, run = request.rule, request.run
    if run is not None:
        is_decided = run.is_decided or _all_settled(request, run, answers[-1])
        run = replace(run, is_decided=is_decided)
    facts: dict[str, Any] = {
        "measure": request.performances.measure,
        "alpha": rule.alpha,
        "relevance": request.relevance,
        "is_area_unused": rule.area is not None and request.relevance is None,
        "target": request.target,
        "n_replications": len(request.values),
        "run": run,
    }
    pairs = _monitor_pairs(request, stages, answers, verdicts, rng) if request.pairs else ()
    if not pairs:
        why: Unavailable = "too-few-replications" if request.pairs else "one-candidate"
        return Monitoring(entries=(), unavailable=why, **facts)
    omnibus = _monitor_omnibus(request)
    return Monitoring(
        entries=(*pairs, *((omnibus,) if omnibus else ())),
        ends=request.ends,
        n_stages=request.plan.n_stages,
        test=rule.test,
        quantity=request.plan.quantity,
        rule=rule.rule,
        combination=rule.combination,
        multiplicity=_multiplicity_of(request),
        n_family=request.n_family,
        choice=request.choice,
        n_compared=request.n_compared,
        stop=rule.stop,
        **facts,
    )


def _monitor_omnibus(request: Request) -> Monitored | None:
    """Follow the test that all candidates are alike; None with two candidates or few values."""
    present = np.isfinite(request.values).any(axis=0)
    values = request.values[:, present]
    complete = np.flatnonzero(np.isfinite(values).all(axis=1))
    if present.sum() < 3 or len(complete) < request.burn_in:
        return None
    is_of_means = request.plan.test in OF_MEANS
    path = (block_f_path if is_of_means else friedman_path)(values[complete], request.burn_in)
    alpha = request.rule.alpha
    point = float(point_of_consecutive_significance(path, alpha))
    p_values = group_stages(values, request.ends, request.plan)
    test = request.plan.tested(p_values.tolist(), alpha) if len(p_values) else None
    return Monitored(
        None,
        None,
        "block-f" if is_of_means else "friedman",
        request.burn_in,
        request.target,
        tuple((complete[path.n - 1] + 1).tolist()),
        tuple(path.p_values.tolist()),
        tuple(path.statistics.tolist()),
        tuple(path.effects.tolist()),
        None,
        len(complete),
        int(complete[int(point) - 1]) + 1 if np.isfinite(point) else None,
        alpha,
        _stage_results(test, request.ends) if test else (),
        None,
        test.p_value if test else None,
        test.decision if test and test.is_decided else "undecided",  # type: ignore[arg-type]
        scale=request.scale,
    )


# --- the pairs


@dataclass(frozen=True, slots=True)
class PairSeries:
    """A pair that has enough values, and its path."""

    place: int  # among the pairs that are requested
    differences: Array  # (n,), of the replications with both
    replications: NDArray[np.intp]  # how many there were by then
    path: SequentialPath
    skewness: float

    @property
    def looks(self) -> NDArray[np.intp]:
        """Replications at each look of the path."""
        return self.replications[self.path.n - 1]


def _pair_series(request: Request) -> tuple[PairSeries, ...]:
    """Follow the pairs with enough values; those with as many at once."""
    there = [np.flatnonzero(np.isfinite(d)) for d in request.differences]
    found = []
    for n, places in _alike(map(len, there)):
        if n < request.burn_in:
            continue
        stacked = np.stack([request.differences[place][there[place]] for place in places])
        paths = request.plan.follow(stacked, request.burn_in)
        rows = zip(paths.statistics, paths.p_values, paths.effects, strict=True)
        skewness = skewness_of(stacked).tolist()
        found += [
            PairSeries(place, d, there[place] + 1, SequentialPath(paths.n, *row), own)
            for place, d, row, own in zip(places, stacked, rows, skewness, strict=True)
        ]
    return tuple(sorted(found, key=lambda series: series.place))


def _alike(keys: Iterable[Key]) -> Iterable[tuple[Key, list[int]]]:
    """Return the places that have the same key, in the order of the first ones."""
    places: dict[Key, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return places.items()


def _monitor_pairs(
    request: Request,
    stages: Sequence[PairStages],
    answers: Sequence[Sequence[Answers]],
    verdicts: Method | None,
    rng: Generator,
) -> tuple[Monitored, ...]:
    """Monitor the pairs that have enough values."""
    all_series = _pair_series(request)
    if not all_series:
        return ()
    groups = _group_tests(request, all_series)
    anytime = _anytime_tests(request, all_series)
    at = _fixed_verdicts(request, all_series, verdicts, rng)
    random_orders = _random_orders(request, all_series, rng)
    found = []
    for i, series in enumerate(all_series):
        given = [row[series.place] for row in answers]
        own, decided_at = settled(request.ends, given, request.rule.stop)
        found.append(
            replace(
                _entry(request, series, stages[series.place]),
                verdict=own.verdict,
                decided_at=decided_at,
                at=at[i],
                random_orders=random_orders[i],
                group_sequential=groups[i],
                anytime=anytime[i],
            )
        )
    return tuple(found)


def _entry(request: Request, series: PairSeries, stages: PairStages) -> Monitored:
    """Put together the path of a pair and its test in stages, alone."""
    first, second = request.names(request.pairs[series.place])
    alpha, path = request.rule.alpha, series.path
    quantity = request.plan.quantity
    point = float(point_of_consecutive_significance(path, alpha))
    sides = stages.sides(request.plan, alpha)
    outcome = stages.difference(request.plan, alpha)
    smallest = min(sides, key=lambda s: sides[s].p_value, default=None)
    side = outcome.direction or smallest
    test = sides[side] if side else None
    p = None if test is None else float(bonferroni(test.p_value, len(sides)))
    effects = request.measured(path.effects) if quantity == "mean" else path.effects
    return Monitored(
        first,
        second,
        request.rule.test,
        request.burn_in,
        request.target,
        tuple(series.looks.tolist()),
        tuple(path.p_values.tolist()),
        tuple(path.statistics.tolist()),
        tuple(effects.tolist()),
        float(request.measured(ESTIMATES[quantity](series.differences))),
        len(series.differences),
        int(series.replications[int(point) - 1]) if np.isfinite(point) else None,
        alpha,
        _stage_results(test, request.ends) if test else (),
        side,
        p,
        "undecided" if outcome.decision == "go on" else outcome.decision,
        quantity,
        series.skewness,
        request.scale,
    )


def _stage_results(test: RecursiveTest, ends: Sequence[int]) -> tuple[StageResult, ...]:
    """Return the stages of a test with their replications."""
    return tuple(
        StageResult(
            end,
            stage.p_value,
            stage.alpha_star,
            stage.alpha_1,
            stage.alpha_0,
            stage.c,
            "go-on" if stage.decision == "go on" else stage.decision,
        )
        for stage, end in zip(test.stages, ends, strict=False)
    )


def _fixed_verdicts(
    request: Request, all_series: Sequence[PairSeries], verdicts: Method | None, rng: Generator
) -> list[tuple[FixedVerdict, ...]]:
    """Return the verdicts of fixed designs; none where the stages themselves decide."""
    # The last of them is the verdict of the report. The others are by the same rule, where it is
    # that of all pairs' own variances.
    n_all = len(request.values)
    seed = int(rng.integers(2**32))  # one for all numbers of replications: only these differ
    tables: dict[int, PairTable] = {}
    if not request.run and (verdicts is None or verdicts.name == "own-variance"):
        tables = {n: _fixed_table(request, n, seed) for n in FIXED if n < n_all}
    if not request.run:
        tables[n_all] = _fixed_table(request, n_all, seed) if verdicts is None else verdicts.pairs
    found: list[list[FixedVerdict]] = [[] for _ in all_series]
    for n, table in tables.items():
        for i, series in enumerate(all_series):
            first, second = request.names(request.pairs[series.place])
            is_there = {first, second} <= set(table.candidates)
            pair = table.between(first, second) if is_there else None
            if pair is not None and pair.estimate is not None:
                p_values = pair.p_value, pair.adjusted_p_value
                found[i].append(FixedVerdict(n, *p_values, pair.decision, pair.way))
    return [tuple(row) for row in found]


def _fixed_table(request: Request, n: int, seed: int) -> PairTable:
    """Return the verdicts of a design of n replications."""
    performances = request.performances
    there = np.flatnonzero(np.isfinite(request.values).any(axis=0))
    values = np.where(np.isfinite(performances.values), performances.values, np.nan)[:n, there]
    rng = np.random.default_rng(seed)
    table = compare_by_scale(values, request.scale, request.rule.alpha, rng)
    names = [performances.candidates[k] for k in there]
    return table.named(names, request.target, performances.measure.is_smaller_better).decided(
        area_on(request.scale, request.rule.area)
    )


def _random_orders(
    request: Request, all_series: Sequence[PairSeries], rng: Generator
) -> list[RandomOrders | None]:
    """Test random orders of the replications at some looks; pairs with as many at once."""
    n_orders, alpha = request.options.orders, request.rule.alpha
    found: list[RandomOrders | None] = [None] * len(all_series)
    for n, places in _alike(len(series.differences) for series in all_series):
        if not n_orders or n <= request.burn_in:
            continue
        looks = order_looks(n, request.burn_in, LOOKS_OF_ORDERS)
        stacked = np.stack([all_series[i].differences for i in places])
        tested = order_free(stacked, looks, request.plan.test, rng, n_orders)
        for i, orders in zip(places, tested, strict=True):
            replications = all_series[i].replications
            stable = orders.stable_from(alpha)
            lower, median, upper = (tuple(row) for row in orders.band().tolist())
            found[i] = RandomOrders(
                n_orders,
                tuple(replications[looks - 1].tolist()),
                lower,
                median,
                upper,
                tuple(orders.share_significant(alpha).tolist()),
                None if stable is None else int(replications[stable - 1]),
            )
    return found


def _group_tests(request: Request, all_series: Sequence[PairSeries]) -> list[GroupSequential]:
    """Test all replications so far at the end of each stage, of each pair."""
    planned, ends = request.rule.ends, request.ends
    shares = tuple(end / planned[-1] for end in planned)
    spending = SPENDINGS["pocock" if request.rule.rule == "pocock" else "obrien-fleming"]
    differences = [request.differences[series.place] for series in all_series]
    z = [*group_statistics(differences, ends, request.plan, request.burn_in)]
    n_compared = request.n_compared if request.is_part else None
    looks = first_rejections(z, shares, spending, request.own_alpha, n_compared=n_compared)
    own = tuple(boundaries_of(shares, spending, request.rule.alpha).upper.tolist())
    found = []
    for row, look in zip(z, looks, strict=True):
        at = look if look is not None and look <= len(ends) else None
        verdict: StageVerdict = "open" if at is None else _direction(row[at - 1])
        end = None if at is None else ends[at - 1]
        found.append(GroupSequential(own, tuple(row.tolist()), verdict, end))
    return found


def _direction(lead: float) -> StageVerdict:
    return "greater" if lead > 0 else "less"


def _anytime_tests(request: Request, all_series: Sequence[PairSeries]) -> list[Anytime]:
    """Follow the sign e-process of each pair."""
    signed = np.zeros((len(all_series), len(request.values)))
    for i, series in enumerate(all_series):
        signed[i, series.replications - 1] = series.differences
    process = sign_process(signed)
    p_values = process.p_values
    adjusted = bonferroni(p_values, request.n_compared) if request.is_part else holm(p_values)
    return [
        Anytime(
            int(process.wins[i, -1]),
            int(process.losses[i, -1]),
            float(p_values[i, -1]),
            at,
            "open" if at is None else _direction(lead),
        )
        for i, (at, lead) in enumerate(process.first_rejections(adjusted, request.own_alpha))
    ]
