"""What a report comes to: names, numbers and decisions, no words.

The abstract is written from it. Who is decided better is what the report's verdict says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from reportgen.conclusion.settings import HIDDEN, Changes
from reportgen.notation import Scale, scale
from reportgen.stats.pair_table import Pair
from reportgen.stats.pairs.shared_data import Reason
from reportgen.warehouse import Measure, Target

if TYPE_CHECKING:
    from reportgen.conclusion.cost import Cost

Groups = tuple[tuple[str, ...], ...]
Kind = Literal["dataset", "domain", "datasets", "settings", "untested", "alone", "table"]
Relevance = Literal["relevant", "too-small", "open"]
Basis = Literal[
    "own-variance", "pooled", "stages", "model", "score", "clusters", "samples", "tasks"
]
Advice = Literal["one", "faster", "reserve", "either", "choose", "none"]
Scope = Literal[
    "one-dataset",
    "test-sample",
    "process",
    "datasets",
    "domain",
    "settings",
    "table",
    "items",
    "tasks",
    "samples",
]
Caveat = Literal["absent", "influence", "outlier", "dependent", "missing"]

ERRORS = ("misclassification",)  # measures that count wrong predictions
FEW = 10  # replications, below which single ones are counted
MOST_CAVEATS = 2  # beside what the conclusion speaks of


def counts_errors(measure: Measure) -> bool:
    """Whether a measure is a share of wrong predictions.

    Examples
    --------
    >>> counts_errors(Measure("Misclassification")), counts_errors(Measure("mse"))
    (True, False)
    """
    return measure.name.casefold() in ERRORS and measure.is_smaller_better


@dataclass(frozen=True, slots=True)
class Comparison:
    """The verdict on the main measure, on one data set or over several, as a reader needs it.

    Attributes
    ----------
    measure : Measure
    dataset : str or None
        None over several.
    n_units : int
        Replications, or data sets.
    alpha : float
    relevance : tuple of two floats or None
        Area of equivalence, where the study gives one.
    is_ratio : bool
        Whether pairs are compared by ratio.
    basis : {"own-variance", "pooled", "stages", "model"}
        What decides.
    target : str
    means : mapping of str to float
        The best first.
    leaders : tuple of str
        Candidates that no other is decided to be better than.
    groups : tuple of tuples of str, or None
        The chain of "decided better", where it is a weak order.
    n_pairs, n_decided, n_open : int
        All pairs; those decided not to be equal; those with too few units to be
        decided on.
    n_family : int
        Pairs that the error probability covers.
    lead : tuple of Pair
        The candidate that is decided better than all others, else the one with the
        best mean, against each other one, in the order of the means.
    better, equivalent : tuple of pairs of str
        Who is decided better than whom, and who is equivalent without being decided.
    typical : tuple of float
        Means by which values are written.
    """

    measure: Measure
    dataset: str | None
    n_units: int
    alpha: float
    relevance: tuple[float, float] | None
    is_ratio: bool
    basis: Basis
    target: Target
    means: Mapping[str, float]
    leaders: tuple[str, ...]
    groups: Groups | None
    n_pairs: int
    n_decided: int
    n_open: int
    n_family: int
    lead: tuple[Pair, ...]
    better: tuple[tuple[str, str], ...] = field(default=(), metadata=HIDDEN)
    equivalent: tuple[tuple[str, str], ...] = field(default=(), metadata=HIDDEN)
    typical: tuple[float, ...] = field(default=(), metadata=HIDDEN)

    @property
    def scale(self) -> Scale:
        """How values and differences are written, so that each interval shows its width."""
        known = ((p.lower, p.upper) for p in self.lead if not self.is_ratio)
        return scale(self.measure, self.typical, is_ratio=self.is_ratio, intervals=known)

    @property
    def candidates(self) -> tuple[str, ...]:
        """All candidates, the best mean first."""
        return tuple(self.means)

    @property
    def head(self) -> str:
        """The candidate that `lead` is about."""
        return self.lead[0].first

    @property
    def next(self) -> Pair:
        """The head and the one with the best mean of the others."""
        return self.lead[0]

    @property
    def is_pair(self) -> bool:
        """Whether two candidates are compared."""
        return len(self.means) == 2

    @property
    def counts_errors(self) -> bool:
        """Whether the measure is a share of wrong predictions."""
        return counts_errors(self.measure)

    @property
    def is_time(self) -> bool:
        """Whether times are compared by ratio."""
        return self.is_ratio and self.measure.unit == "s" and self.measure.is_smaller_better

    @property
    def winner(self) -> str | None:
        """The candidate that is decided better than every other one."""
        return self.head if len(self.beaten) == len(self.lead) else None

    @property
    def beaten(self) -> tuple[str, ...]:
        """Those that the head is decided to be better than."""
        return tuple(p.second for p in self.lead if p.favoured == p.first)

    @property
    def rivals(self) -> tuple[str, ...]:
        """Those that are undecided against the head."""
        return tuple(p.second for p in self.lead if p.favoured is None)

    @property
    def is_head_beaten(self) -> bool:
        """Whether another is decided better than the candidate with the best mean: gaps do that."""
        return self.head not in self.leaders

    @property
    def is_undecided(self) -> bool:
        """Whether no pair is decided."""
        return not self.n_decided

    @property
    def is_untestable(self) -> bool:
        """Whether all pairs have too few units to be decided on."""
        return self.n_open == self.n_pairs

    @property
    def is_all_equal(self) -> bool:
        """Whether all candidates have the same mean."""
        return len({*self.means.values()}) == 1

    @property
    def is_all_equivalent(self) -> bool:
        """Whether all pairs are equivalent, and none is decided."""
        return len(self.equivalent) == self.n_pairs

    @property
    def strong(self) -> tuple[str, ...]:
        """Leaders that are decided to be better than someone."""
        winners = {i for i, _ in self.better}
        return tuple(name for name in self.leaders if name in winners)

    @property
    def undecided_leaders(self) -> tuple[str, ...]:
        """Several leaders that a choice is left among: those that are better than someone.

        All candidates where no pair is decided, though it could be.
        """
        if self.is_untestable or self.winner is not None:
            return ()
        found = self.strong if self.n_decided else self.candidates
        return found if len(found) > 1 else ()

    @property
    def idle(self) -> tuple[str, ...]:
        """Leaders that are undecided against all."""
        return tuple(name for name in self.leaders if name not in self.strong)

    @property
    def is_led(self) -> bool:
        """Whether several leaders have the best means, each decided better than someone."""
        n = len(self.strong)
        return n > 1 and {*self.strong} == {*self.candidates[:n]}

    @property
    def beaten_by_leaders(self) -> tuple[str, ...]:
        """Candidates that every one of the strong leaders is decided to be better than."""
        found = {*self.better}
        return tuple(
            name
            for name in self.candidates
            if self.strong and all((leader, name) in found for leader in self.strong)
        )

    @property
    def beats_all_others(self) -> bool:
        """Whether every candidate is a strong leader or beaten by all of these."""
        return len(self.beaten_by_leaders) + len(self.strong) == len(self.means)

    @property
    def has_equivalent_leaders(self) -> bool:
        """Whether the leaders are two or more, and all equivalent to one another."""
        n, own = len(self.leaders), {*self.leaders}
        return n > 1 and sum({*pair} <= own for pair in self.equivalent) == n * (n - 1) // 2

    @property
    def relevant(self) -> tuple[str, ...]:
        """Those that the head is better than by a relevant amount."""
        return tuple(p.second for p in self.lead if p.decision == "better-relevant")

    @property
    def too_small(self) -> tuple[str, ...]:
        """Those that the head is decided better than, by too little to matter."""
        return tuple(p.second for p in self.lead if p.decision == "equivalent" and p.significant)

    @property
    def open_relevance(self) -> tuple[str, ...]:
        """Those that the head is better than by an amount whose relevance is open."""
        return tuple(p.second for p in self.lead if p.decision == "better")

    @property
    def relevance_parts(self) -> tuple[tuple[Relevance, tuple[str, ...]], ...]:
        """Those that the head is better than, by whether that matters; none without an area."""
        parts: tuple[tuple[Relevance, tuple[str, ...]], ...] = (
            ("relevant", self.relevant),
            ("too-small", self.too_small),
            ("open", self.open_relevance),
        )
        return tuple(p for p in parts if p[1]) if self.relevance is not None else ()

    @property
    def chain_break(self) -> tuple[str, str, str] | None:
        """Three of which the first is decided better than the last, the middle one undecided.

        The first such in the order of the means; why there is no weak order.
        """
        found = {*self.better}
        linked = found | {(j, i) for i, j in found}
        for i, k in self.better:
            for j in self.candidates:
                if j not in (i, k) and (i, j) not in linked and (j, k) not in linked:
                    return i, j, k
        return None

    @property
    def dominated(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """All that is decided: who are decided better than whom, those with the same one group."""
        rows: dict[tuple[str, ...], list[str]] = {}
        found = {*self.better}
        for name in self.candidates:
            below = tuple(other for other in self.candidates if (name, other) in found)
            if below:
                rows.setdefault(below, []).append(name)
        return tuple((tuple(names), below) for below, names in rows.items())


@dataclass(frozen=True, slots=True)
class NewData:
    """What the comparison for new data says of new data of the same source.

    Attributes
    ----------
    reason : str or None
        Why there is none.
    n_pairs, n_decided : int
    best, worst : str or None
        The candidate that is decided better, and worse, than every other one.
    lead : Pair or None
        The head of the comparison and the next one.
    """

    reason: Reason | None
    n_pairs: int = 0
    n_decided: int = 0
    best: str | None = None
    worst: str | None = None
    lead: Pair | None = None

    @property
    def is_undecided(self) -> bool:
        """Whether no pair is decided."""
        return not self.n_decided

    @property
    def is_decided(self) -> bool:
        """Whether all pairs are decided."""
        return self.n_decided == self.n_pairs

    @property
    def is_of_one(self) -> bool:
        """Whether all that is decided is one candidate against all others, of three or more."""
        alone = self.best is not None or self.worst is not None
        n = 2 * self.n_pairs  # K (K - 1)
        return alone and self.n_pairs > 1 and self.n_decided * (self.n_decided + 1) == n


@dataclass(frozen=True, slots=True)
class Caveats:
    """What the conclusion speaks of, and what it must not be believed for.

    Attributes
    ----------
    scope : str
        What it speaks of.
    n_datasets : int
    absent : tuple of str
        Candidates without any value of the main measure.
    n_missing, n_values : int
        Cells of the main measure without a value, those of absent candidates aside,
        and all such cells.
    lacking, complete : tuple of str
        Candidates with gaps on some measure, and without any.
    is_dependent : bool
        Whether replications share their folds.
    dependent : tuple of str
        The ways to draw samples that do, where others do not.
    influence : tuple of str
        The data set without which others lead; empty where there is none.
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

    scope: Scope
    n_datasets: int = 1
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
class OrderLine:
    """The candidates in one line.

    Attributes
    ----------
    source : {"decisions", "consensus"}
        What puts them in order: decided pairs, or the order nearest to those of all
        data sets.
    groups : tuple of tuples of str, or None
        Best first; None where decided pairs are no weak order.
    rows : tuple of (tuple of str, tuple of str)
        Then: who are decided better than whom.
    chain_break : tuple of three str, or None
        And why: the first is decided better than the last, the middle one undecided
        against both; None where the decisions themselves are not transitive.
    n_members, n_optimal : int
        Of a consensus: orders that it is nearest to, and how many are equally near.
    """

    source: Literal["decisions", "consensus"]
    groups: Groups | None
    rows: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    chain_break: tuple[str, str, str] | None = None
    n_members: int = 0
    n_optimal: int = 1

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
class Ranks:
    """How often a candidate has the best and the worst mean of a data set."""

    n_best: int
    n_worst: int


@dataclass(frozen=True, slots=True)
class Tally:
    """Several data sets, each with its own verdict, and none on all of them.

    Attributes
    ----------
    measure : Measure
    n_datasets : int
        Those with a verdict.
    winners : mapping of str to tuple of str
        Data sets on which a candidate is decided better than all others, most first.
    unbeaten : tuple of str
        Candidates that no other is decided to be better than on any data set.
    comparisons : mapping of str to Comparison
        The verdict on each data set.
    new_data : mapping of str to NewData
        What the comparison for new data says, of the data sets of which it says something.
    """

    measure: Measure
    n_datasets: int
    winners: Mapping[str, tuple[str, ...]]
    unbeaten: tuple[str, ...]
    comparisons: Mapping[str, Comparison] = field(default_factory=dict, metadata=HIDDEN)
    new_data: Mapping[str, NewData] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def n_won(self) -> int:
        """Data sets on which some candidate is decided better than all others."""
        return sum(map(len, self.winners.values()))

    @property
    def won(self) -> tuple[Comparison, ...]:
        """Their verdicts, in the order of the winners."""
        return tuple(self.comparisons[name] for own in self.winners.values() for name in own)


@dataclass(frozen=True, slots=True)
class Untested:
    """Means that nothing was decided on.

    Attributes
    ----------
    measure : Measure
    dataset : str
    reason : {"not-asked", "one-candidate", "one-replication", "not-shared"}
        Why: the report has no tests, or there is nothing to compare.
    n_replications : int
        With a value.
    means : mapping of str to float
        The best first.
    """

    measure: Measure
    dataset: str
    reason: Literal["not-asked", "one-candidate", "one-replication", "not-shared"]
    n_replications: int
    means: Mapping[str, float]

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
        "dataset": a verdict on one data set; "domain": one over several; "datasets":
        several data sets without one over all; "settings": how the verdict changes
        with a design's factors; "untested": means only; "alone": one candidate;
        "table": archetypes of a table.
    caveats : Caveats
    comparison : Comparison or None
    new_data : NewData or None
    cost : Cost or None
    ranks : mapping of str to Ranks
        Over several data sets.
    changes : Changes or None
    tally : Tally or None
    untested : Untested or None
    corners : Corners or None
    line : OrderLine or None
    division : Division or None
        Of several data sets.
    """

    kind: Kind
    caveats: Caveats
    comparison: Comparison | None = None
    new_data: NewData | None = None
    cost: Cost | None = None
    ranks: Mapping[str, Ranks] = field(default_factory=dict)
    changes: Changes | None = None
    tally: Tally | None = None
    untested: Untested | None = None
    corners: Corners | None = None
    line: OrderLine | None = None
    division: Division | None = None

    @property
    def is_in_parts(self) -> bool:
        """Whether settings or data sets have verdicts each, and there is none over all."""
        return self.changes is not None or self.tally is not None

    @property
    def has_decisions(self) -> bool:
        """Whether some pair is decided in a setting, or some candidate wins a data set."""
        changes, tally = self.changes, self.tally
        if changes is not None:
            return bool(changes.courses or changes.n_always)
        return tally is not None and tally.n_won > 0

    @property
    def recommended(self) -> tuple[str, ...]:
        """The candidates that the report recommends, or among which it leaves the choice."""
        if self.changes is not None:
            return self.changes.recommended
        if self.tally is not None:
            return self.tally.unbeaten if self.tally.n_won else ()
        c = self.comparison
        if c is None:
            return ()
        if c.winner is not None:
            return (c.winner,)
        if self.fastest is not None:
            return (self.fastest,)
        if c.has_equivalent_leaders:
            return c.leaders
        return c.strong

    @property
    def fastest(self) -> str | None:
        """The one of undecided leaders that is faster than the others by what matters."""
        return None if self.cost is None else self.cost.fastest

    @property
    def advice(self) -> Advice:
        """What the recommendation says.

        "one": a candidate; "faster": one of several that are undecided, for its time;
        "reserve": one, though others are undecided against all;
        "either": several that are equivalent; "choose": several that are undecided;
        "none": there is no reason to prefer any.
        """
        names, c = self.recommended, self.comparison
        if not names:
            return "none"
        if self.fastest is not None:
            return "faster"
        if c is not None and c.winner is None and c.has_equivalent_leaders:
            return "either"
        if len(names) > 1:
            return "choose"
        return "reserve" if c is not None and c.winner is None else "one"
