"""What a report comes to: names, numbers and decisions, no words.

The abstract is written from it. Who is decided better is what the report's verdict says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.conclusion.recommendation import Cost, Recommendation
from reportgen.conclusion.settings import HIDDEN, Changes
from reportgen.conclusion.verdict import Groups, Verdict, counts_errors
from reportgen.study.target import DecidingTarget
from reportgen.warehouse import Measure

Kind = Literal["verdict", "settings", "untested", "table"]
Caveat = Literal["absent", "influence", "outlier", "dependent", "missing"]
SPREAD = {"results": "*"}
MOST_CAVEATS = 2


@dataclass(frozen=True, slots=True)
class Caveats:
    """What the conclusion must not be believed for.

    Attributes
    ----------
    absent : tuple of str
        Candidates without any value of the main measure.
    n_missing, n_values : int
        Cells of the main measure without a value, those of absent candidates aside,
        and all such cells.
    lacking, complete : tuple of str
        Candidates with gaps on some measure, and without any.
    is_dependent : bool
        Whether replications share their folds, and the verdict takes them as independent.
    dependent : tuple of str
        The ways to draw samples that do, where others do not.
    influence : tuple of str
        The data set without which others are not worse; empty where there is none.
    leaders_without : tuple of str
        Those.
    n_outliers, n_changed : int
        Replications whose values dwarf all others, and the pairs that are decided
        otherwise without these.
    gained, lost : tuple of str
        Candidates that are unbeaten only without the data set of influence, or only with it.
    is_undecided_without : bool
        Whether no pair is decided without it.
    """

    absent: tuple[str, ...] = ()
    n_missing: int = 0
    n_values: int = 0
    lacking: tuple[str, ...] = ()
    complete: tuple[str, ...] = ()
    is_dependent: bool = False
    influence: tuple[str, ...] = ()
    leaders_without: tuple[str, ...] = ()
    n_outliers: int = 0
    n_changed: int = 0
    gained: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    lost: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    is_undecided_without: bool = field(default=False, metadata=HIDDEN)
    dependent: tuple[str, ...] = field(default=(), metadata=HIDDEN)

    @property
    def holding(self) -> tuple[Caveat, ...]:
        """The caveats that hold, the gravest first."""
        found: tuple[tuple[Caveat, bool], ...] = (
            ("absent", bool(self.absent)),
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
class Consensus:
    """The order nearest to those of all data sets.

    Attributes
    ----------
    groups : tuple of tuples of str
        Best first.
    n_members, n_optimal : int
        Orders that it is nearest to, and how many are equally near.
    """

    groups: Groups
    n_members: int
    n_optimal: int = 1

    @property
    def has_tie(self) -> bool:
        """Whether a group has several candidates."""
        return any(len(group) > 1 for group in self.groups)


@dataclass(frozen=True, slots=True)
class OrderLine:
    """The candidates in one line.

    Attributes
    ----------
    groups : tuple of tuples of str, or None
        Best first; None where decided pairs are no weak order.
    rows : tuple of (tuple of str, tuple of str)
        Then: who are decided better than whom.
    chain_break : tuple of three str, or None
        And why: the first is decided better than the last, the middle one undecided
        against both; None where the decisions themselves are not transitive.
    by_mean : tuple of str
        All candidates by mean, where no pair is decided; else empty.
    consensus : Consensus or None
        Of several data sets.
    """

    groups: Groups | None
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    chain_break: tuple[str, str, str] | None = None
    by_mean: tuple[str, ...] = ()
    consensus: Consensus | None = None

    @property
    def has_tie(self) -> bool:
        """Whether a group has several candidates."""
        sides = [names for row in self.rows for names in row]
        return any(len(group) > 1 for group in (*(self.groups or ()), *sides))

    @property
    def has_step(self) -> bool:
        """Whether some candidate stands before another."""
        return bool(self.rows) or (self.groups is not None and len(self.groups) > 1)

    @property
    def n_names(self) -> int:
        """Names of the rows."""
        return sum(len(above) + len(below) for above, below in self.rows)


@dataclass(frozen=True, slots=True)
class Untested:
    """Means that nothing was decided on.

    Attributes
    ----------
    measure : Measure
    dataset : str or None
        None of several, which have no verdict over all.
    reason : str
        Why: the report has no tests, those of each data set alone, or there is nothing to
        compare.
    n_replications : int
        With a value.
    means : mapping of str to float
        The best first; empty of several data sets.
    not_worse : mapping of str to tuple of str
        Of several data sets with one target: candidates that no other is decided better than.
    target : str or None
        That target.
    """

    measure: Measure
    dataset: str | None
    reason: Literal["not-asked", "one-candidate", "one-replication", "not-shared", "over-data-sets"]
    n_replications: int
    means: Mapping[str, float]
    not_worse: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    target: DecidingTarget | None = None

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
class Corners:
    """The archetypes of a table.

    Attributes
    ----------
    n_rows, n_columns, k : int
    explained : float
        What they explain of what a single point leaves.
    is_trivial : bool
        Whether there is one archetype, or each row is one.
    is_reportable : bool
        Whether they return often enough to be a finding.
    share : float or None
        Of the subsamples, those in which they return.
    n_subsamples : int
    n_outliers : int
        Rows without weight in a robust fit.
    corners : tuple of Corner
    """

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
class Division:
    """What the tree of data sets comes to by the main measure, where the study asks for it.

    Attributes
    ----------
    characteristic : str or None
        By which the tree divides first; None where no characteristic divides.
    definition : str
        Empty where there is none.
    is_exploratory : bool
        Whether the tree divides, but is no finding.
    leads_alike : bool
        Whether the same candidates lead on both sides.
    """

    characteristic: str | None
    definition: str = ""
    is_exploratory: bool = False
    leads_alike: bool = False


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
    verdict : Verdict or None
    costs : tuple of Cost
    line : OrderLine or None
    caveats : Caveats
    changes : Changes or None
    untested : Untested or None
    corners : Corners or None
    division : Division or None
        Of several data sets.
    """

    kind: Kind
    recommendation: Recommendation = field(metadata=SPREAD)
    verdict: Verdict | None = None
    costs: tuple[Cost, ...] = ()
    line: OrderLine | None = None
    caveats: Caveats = Caveats()
    changes: Changes | None = None
    untested: Untested | None = None
    corners: Corners | None = None
    division: Division | None = None

    @property
    def is_in_parts(self) -> bool:
        """Whether settings or data sets have verdicts each, and there is none over all."""
        is_apart = self.untested is not None and self.untested.reason == "over-data-sets"
        return self.changes is not None or is_apart

    @property
    def state(self) -> str:
        """The state of the recommendation."""
        return self.recommendation.state

    @property
    def recommended(self) -> tuple[str, ...]:
        """The candidates that are recommended without reserve."""
        return self.recommendation.recommended
