"""What a report comes to: names, numbers and decisions, no words.

The abstract is written from it. Who is decided better is what the report's verdict says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Literal

from reportgen.conclusion.recommendation import Cost, Recommendation
from reportgen.conclusion.verdict import Comparison, counts_errors
from reportgen.data_classes import HIDDEN, SPREAD, dataclass
from reportgen.performance_measure import Measure
from reportgen.report import Report
from reportgen.sections.consensus.analysis import ConsensusResult
from reportgen.sections.eda.analysis import InfluentialObservation
from reportgen.stats.verdict import Groups
from reportgen.targets import DecidingTarget

if TYPE_CHECKING:
    from reportgen.conclusion.settings import Changes

Kind = Literal["verdict", "settings", "untested", "table"]
Caveat = Literal["missing_candidates", "influence", "outlier", "dependent", "missing"]
MOST_CAVEATS = 2

MOST_LINE = 16  # names in a line of decided pairs that are no weak order


@dataclass(frozen=True, slots=True)
class Consensus:
    """The order nearest to those of so many data sets, best first; of several what they share."""

    groups: Groups
    n_members: int
    n_optimal: int = 1

    @property
    def has_tie(self) -> bool:
        """Whether a group has several candidates."""
        return any(len(group) > 1 for group in self.groups)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """The chain of "decided better", best first; else its rows, what breaks it, or the means."""

    groups: Groups | None
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    chain_break: tuple[str, str, str] | None = None
    by_mean: tuple[str, ...] = ()
    consensus: Consensus | None = None
    reference: str | None = None  # with which alone pairs are compared

    @property
    def has_tie(self) -> bool:
        """Whether a group has several candidates."""
        sides = [names for row in self.rows for names in row]
        return any(len(group) > 1 for group in (*(self.groups or ()), *sides))


@dataclass(frozen=True, slots=True)
class Caveats:
    """What the conclusion must not be believed for."""

    missing_candidates: tuple[str, ...] = ()  # candidates without any value of the main measure
    n_missing: int = 0  # its cells without a value, those of missing candidates aside
    n_values: int = 0  # all its cells, those of missing candidates aside
    incomplete_candidates: tuple[str, ...] = ()  # candidates with gaps on some measure
    complete: tuple[str, ...] = ()
    is_dependent: bool = False  # replications share folds, which the verdict does not allow for
    influence: tuple[str, ...] = ()  # the data set without which others are not worse
    leaders_without: tuple[str, ...] = ()
    n_outliers: int = 0  # replications whose values dwarf all others
    n_changed: int = 0  # pairs that are decided otherwise without these
    gained: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    lost: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    is_undecided_without: bool = field(default=False, metadata=HIDDEN)
    dependent: tuple[str, ...] = field(default=(), metadata=HIDDEN)

    @property
    def holding(self) -> tuple[Caveat, ...]:
        """The caveats that hold, the gravest first."""
        found: tuple[tuple[Caveat, bool], ...] = (
            ("missing_candidates", bool(self.missing_candidates)),
            ("influence", bool(self.influence)),
            ("outlier", bool(self.n_changed)),
            ("dependent", self.is_dependent),
            ("missing", bool(self.n_missing)),
        )
        return tuple(name for name, holds in found if holds)

    @property
    def told(self) -> tuple[Caveat, ...]:
        """The gravest of them."""
        return self.holding[:MOST_CAVEATS]


@dataclass(frozen=True, slots=True)
class Untested:
    """Means that nothing was decided on."""

    measure: Measure
    dataset: str | None
    reason: Literal["not-asked", "one-candidate", "one-replication", "not-shared", "over-data-sets"]
    n_replications: int
    means: Mapping[str, float]
    not_worse: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    target: DecidingTarget | None = None
    # The measure by which candidates are not worse, of data sets that lack the main one.
    others: Mapping[str, Measure] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def counts_errors(self) -> bool:
        """Whether the measure is a share of wrong predictions."""
        return counts_errors(self.measure)

    @property
    def best(self) -> tuple[str, ...]:
        """Candidates with the best mean."""
        first = next(iter(self.means.values()))
        return tuple(name for name, mean in self.means.items() if mean == first)

    @property
    def value(self) -> float:
        """Their mean."""
        return next(iter(self.means.values()))


@dataclass(frozen=True, slots=True)
class Corner:
    """An archetype: columns in whose lower and upper third it lies, and rows made of it."""

    number: int
    low: tuple[str, ...]
    high: tuple[str, ...]
    n_rows: int


@dataclass(frozen=True, slots=True)
class ArchetypeProfiles:
    """The archetypes of a table."""

    n_rows: int
    n_columns: int
    k: int
    explained: float
    is_trivial: bool
    is_reportable: bool
    share: float | None
    n_subsamples: int
    n_outliers: int
    corners: tuple[Corner, ...]


@dataclass(frozen=True, slots=True)
class FirstSplit:
    """What the tree of data sets comes to by the main measure, where the study asks for it."""

    characteristic: str | None
    definition: str = ""
    is_exploratory: bool = False
    leads_alike: bool = False


@dataclass(frozen=True, slots=True)
class Settled:
    """After how many replications all pairs that the study names are settled by stages."""

    n: int
    n_replications: int
    better: tuple[tuple[str, str], ...]
    equivalent: tuple[tuple[str, str], ...]
    n_given_up: int
    is_conditional: bool

    @property
    def n_pairs(self) -> int:
        """How many these are."""
        return len(self.better) + len(self.equivalent) + self.n_given_up


@dataclass(frozen=True, slots=True)
class Conclusion:
    """What a report comes to.

    Attributes
    ----------
    kind : str
        "verdict": one target decides; "settings": how the verdict changes with a design's
        factors; "untested": means only; "table": archetypes of a table.
    recommendation : Recommendation
        Its attributes are keys of the conclusion.
    verdict : Comparison or None
    costs : tuple of Cost
    line : OrderLine or None
    caveats : Caveats
    changes : Changes or None
    untested : Untested or None
    corners : ArchetypeProfiles or None
    division : FirstSplit or None
        Of several data sets.
    observation : InfluentialObservation or None
        Of one data set, where the study keeps samples: the one that makes the difference.
    observed : Measure or None
        Whose means it has.
    contradicted : tuple of (str, str)
        Candidates, the better by scores first, of which battles decide the opposite.
    learnt : tuple of str
        Data sets whose test samples hold what was learnt from, so that nothing is said of new data.
    settled : Settled or None
        Of one data set, where the study names the pairs that it follows over replications.
    """

    kind: Kind
    recommendation: Recommendation = field(metadata=SPREAD)
    verdict: Comparison | None = None
    costs: tuple[Cost, ...] = ()
    line: OrderLine | None = None
    caveats: Caveats = Caveats()
    changes: Changes | None = None
    untested: Untested | None = None
    corners: ArchetypeProfiles | None = None
    division: FirstSplit | None = None
    observation: InfluentialObservation | None = None
    observed: Measure | None = None
    contradicted: tuple[tuple[str, str], ...] = ()
    learnt: tuple[str, ...] = ()
    settled: Settled | None = field(default=None, metadata=HIDDEN)

    @property
    def is_in_parts(self) -> bool:
        """Whether settings or data sets have verdicts each, and there is none over all."""
        is_apart = self.untested is not None and self.untested.reason == "over-data-sets"
        return self.changes is not None or is_apart

    @property
    def target(self) -> DecidingTarget | None:
        """What the verdict speaks of."""
        return self.recommendation.target

    @property
    def state(self) -> str:
        """The state of the recommendation."""
        return self.recommendation.state

    @property
    def recommended(self) -> tuple[str, ...]:
        """The candidates that are recommended without reserve."""
        return self.recommendation.recommended


def conclusion_of(report: Report) -> Conclusion | None:
    """Return the conclusion that a report was given."""
    found = report.conclusion
    if found is None or isinstance(found, Conclusion):
        return found
    raise TypeError(f"found a conclusion of type {type(found).__name__}; allowed Conclusion")


def order_line(verdict: Comparison, consensus: ConsensusResult | None = None) -> OrderLine | None:
    """Put the candidates in one line; None where nothing could be decided, without consensus."""
    beside = None if consensus is None else consensus_of(consensus)
    if verdict.is_untestable and beside is None:
        return None
    if verdict.reference is not None:
        return OrderLine(None, verdict.rows, consensus=beside, reference=verdict.reference)
    if not verdict.n_decided:
        return OrderLine(None, by_mean=verdict.candidates, consensus=beside)
    if verdict.groups is not None:
        return OrderLine(verdict.groups, consensus=beside)
    rows = verdict.rows
    is_short = sum(len(above) + len(below) for above, below in rows) <= MOST_LINE
    return OrderLine(None, rows if is_short else (), verdict.chain_break, consensus=beside)


def consensus_of(found: ConsensusResult) -> Consensus | None:
    """Return the only optimum, or what all optima have in common, where it is a weak order."""
    if found.unavailable or not found.is_proven or not found.n_optimal or not found.relations:
        return None
    order = found.relations[0] if found.is_unique else found.agreement
    if order is None or order.chain is None or len(order.chain) < 2:
        return None
    return Consensus(order.chain, len(found.weighted), found.n_optimal)
