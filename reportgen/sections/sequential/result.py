"""Results of the monitoring, and of each pair: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Literal

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure, Scale
from reportgen.stats.columns import signed
from reportgen.stats.decisions import Decision as FixedDecision
from reportgen.stats.sequential.stages import (
    CombinationName,
    Multiplicity,
    Quantity,
    RuleName,
    Side,
    Stop,
    TestName,
    Verdict,
)
from reportgen.targets import Target

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
    stable_from: int | None  # from where on nine of ten orders are significant for good


@dataclass(frozen=True, slots=True)
class GroupSequential:
    """A group sequential test with the same looks, adjusted over the family by Holm's method."""

    boundaries: tuple[float, ...]  # of |z| at the looks, for the pair alone
    z: tuple[float, ...]  # of all replications so far; 0 while there are too few for a test
    verdict: Verdict  # less, greater or open
    replication: int | None  # at which it rejects


@dataclass(frozen=True, slots=True)
class Anytime:
    """The sign e-process, which may be looked at after every replication."""

    wins: int  # replications with a positive difference
    losses: int
    p_value: float  # of the pair alone
    sign_decided_at: int | None  # where it rejects, adjusted over the family by Holm's method
    sign_verdict: Verdict  # less, greater or open


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
    replication: tuple[int, ...]  # at each look; those without a value of both are no look
    # p_values, statistics, effects: At each look, of all replications so far.
    p_values: tuple[float, ...]
    statistics: tuple[float, ...]
    effects: tuple[float, ...]
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
    verdict: Verdict | None = None  # by stages, of the pair in its family
    decided_at: int | None = None  # end of the stage that settled it; None where more are needed
    at: tuple[FixedVerdict, ...] = ()
    random_orders: RandomOrders | None = None
    group_sequential: GroupSequential | None = None
    anytime: Anytime | None = None

    def answer(self, n: int) -> tuple[str, int] | None:
        """Return the verdict of a fixed design of n replications, and who is better by it."""
        return next(((x.decision, x.way) for x in self.at if x.replications == n), None)

    def said(self, n: int) -> str | None:
        """Return the verdict of a fixed design of n replications; None where there is none."""
        found = self.answer(n)
        return None if found is None else found[0]

    @property
    def is_skewed(self) -> bool:
        """Whether the skewness is large for a test that presumes symmetry."""
        return self.skewness is not None and abs(self.skewness) >= LARGE_SKEWNESS


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

    def winner(self, pair: Monitored, verdict: Verdict | None) -> str | None:
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
