"""Preferences on one data set: relations of candidates, numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from reportgen.data_classes import HIDDEN, dataclass, stated
from reportgen.performance_measure import Measure
from reportgen.sections.datasets import MOST_COMPACT
from reportgen.sections.inference.result import Unavailable
from reportgen.sections.preferences import STATISTICS, By, Relevant
from reportgen.targets import Target

OrderClass = Literal["linear", "weak", "semiorder", "interval", "partial", "none"]

Absence = Literal["one-candidate", "no-values", "no-test", "reference"]


@dataclass(frozen=True, slots=True)
class Preference:
    """A strict relation of the candidates: who is better than whom.

    The properties of the order (`violations` to `best`) are those of the candidates
    that have values; those in `missing_candidates` are neither better nor worse than any.

    Attributes
    ----------
    id : str
        The relation's name in the manifest, else measure/by.
    measure : str
        Name of the measure.
    by : str
        The statistic or the test behind it.
    relevant : {"better", "not-equivalent"} or None
        How the area of equivalence enters; None for not at all.
    epsilon : float
        Statistics that differ by no more tie.
    level : float or None
        The m of m-worst, the level of a quantile, the error probability of a
        test or of percentile intervals.
    area : tuple of two floats or None
        The area of equivalence, where it enters.
    unavailable : str or None
        Why there is no relation: "one-candidate", "no-values", or "no-test"
        (the test that it is read from could not be computed), or "reference" (pairs with one
        candidate alone are decided on, which gives no relation of all).
    reason : str or None
        Why there is no test, in the terms of the inference.
    candidates : tuple of str
        Rows and columns of `incidence`, in the study's order.
    missing_candidates : tuple of str
        Those without any value.
    incidence : tuple of tuples of int
        ``incidence[i][j] = 1`` when candidate i is better than candidate j;
        all 0 where there is no relation. Of more than 30 candidates that have a
        `chain` it is null in results.json: it follows from that.
    order_class : str
        The narrowest class the incidence belongs to; "none" where it is no
        strict partial order, and where there is no relation.
    complete, transitive, negatively_transitive, asymmetric : bool
        Properties of the incidence: one of any two is better; better than
        better is better; neither better than neither is neither better (so that
        being undecided is transitive); never both ways.
    chain : tuple of tuples of str, or None
        The classes of a weak order, best first; None where it is none.
    chain_of_rest : tuple of tuples of str, or None
        The chain of the candidates that have values, where some have none.
    values : mapping of str to float, or None
        The statistic of every candidate that has values, where `by` is one.
    intervals : mapping of str to (float, float), or None
        The percentile intervals, where `by` asks for them.
    violations : tuple of triples of str
        Where there is no chain, the first triples that show it: i is better
        than k, yet j is undecided against both; or, where the relation is
        not even transitive, i is better than j, j than k, but i not than k.
    n_violations : int
        Number of all such triples.
    p_values : tuple of two floats, or None
        Of the tests between i and j and between j and k of the first triple,
        where the relation is read from tests alone and is transitive.
    covers : tuple of pairs of str
        The lines of the Hasse diagram: the better candidate first.
    implied : tuple of pairs of str
        Pairs that transitivity asks for, but that are not there: dashed lines.
    cycles : tuple of tuples of str
        Candidates that are better than one another in a circle.
    levels : tuple of tuples of str
        The rows of the Hasse diagram, best first.
    best : tuple of str
        Candidates that no other is better than; those that are better than
        most others first.
    lost_to_failures : tuple of pairs of str
        For a relation read from tests: preferences that rank tests confirm on
        complete replications, but not when failed fits count as the worst.
    rank_reversals : tuple of pairs of str
        Preferences that rank tests on complete replications have the other way
        round.
    n_replications : int
        Replications that went in.
    n_values : mapping of str to int
        Values of each candidate that has some.
    target : str
        What its tests and intervals speak about.
    measured : Measure
        Of `measure`.
    ranking : tuple of str
        All candidates by their mean on the main measure: the order in which
        those that tie are named.
    """

    id: str
    measure: str
    by: By
    relevant: Relevant | None
    epsilon: float
    level: float | None
    area: tuple[float, float] | None = None
    unavailable: Absence | None = None
    reason: Unavailable | None = None
    candidates: tuple[str, ...] = ()
    missing_candidates: tuple[str, ...] = ()
    incidence: tuple[tuple[int, ...], ...] = field(default=(), metadata=stated("listed_incidence"))
    order_class: OrderClass = "none"
    complete: bool = False
    transitive: bool = False
    negatively_transitive: bool = False
    asymmetric: bool = True
    chain: tuple[tuple[str, ...], ...] | None = None
    chain_of_rest: tuple[tuple[str, ...], ...] | None = None
    values: Mapping[str, float] | None = None
    intervals: Mapping[str, tuple[float, float]] | None = None
    violations: tuple[tuple[str, str, str], ...] = ()
    n_violations: int = 0
    p_values: tuple[float, float] | None = None
    covers: tuple[tuple[str, str], ...] = ()
    implied: tuple[tuple[str, str], ...] = ()
    cycles: tuple[tuple[str, ...], ...] = ()
    levels: tuple[tuple[str, ...], ...] = ()
    best: tuple[str, ...] = ()
    lost_to_failures: tuple[tuple[str, str], ...] = ()
    rank_reversals: tuple[tuple[str, str], ...] = ()
    n_replications: int = 0
    n_values: Mapping[str, int] = field(default_factory=dict)
    target: Target = "conditional"
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)
    ranking: tuple[str, ...] = field(default=(), metadata=HIDDEN)

    @property
    def listed_incidence(self) -> tuple[tuple[int, ...], ...] | None:
        """The incidence, for results; None where the chain of many candidates says it."""
        is_long = self.chain is not None and len(self.candidates) > MOST_COMPACT
        return None if is_long else self.incidence

    @property
    def present(self) -> tuple[str, ...]:
        """The candidates that have values, in the study's order."""
        return tuple(name for name in self.candidates if name not in self.missing_candidates)

    @property
    def order(self) -> tuple[tuple[str, ...], ...] | None:
        """The chain of the candidates that have values, where there is one."""
        return self.chain_of_rest if self.missing_candidates else self.chain

    @property
    def is_named(self) -> bool:
        """Whether the manifest gives it a name of its own."""
        return self.id != f"{self.measure}/{self.by}"

    @property
    def is_statistic(self) -> bool:
        """Whether it compares a statistic of each candidate."""
        return self.by in STATISTICS

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """All its pairs: (better, worse)."""
        names = self.candidates
        return tuple(
            (names[i], names[j])
            for i, row in enumerate(self.incidence)
            for j, better in enumerate(row)
            if better
        )

    def is_better(self, first: str, second: str) -> bool:
        """Whether first is better than second in the relation."""
        i, j = self.candidates.index(first), self.candidates.index(second)
        return self.incidence[i][j] == 1


PreferencesResult = tuple[Preference, ...]
"""In the manifest's order, else that of the measures."""
