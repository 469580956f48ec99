"""What a report recommends: a state, and the names that it puts forward (Hsu 1984).

The candidates that no other is decided better than hold all that may be the best with the
probability of the simultaneous intervals; they are always named. What is undecided is not equal: a
cheaper candidate takes the lead's place only where its loss is shown not to matter.

References
----------
.. [1] J. C. Hsu (1984), "Constrained simultaneous confidence intervals for multiple comparisons
   with the best", Annals of Statistics 12.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Literal

from reportgen.conclusion.verdict import Comparison
from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure
from reportgen.stats.pair_table import PairTable
from reportgen.targets import DecidingTarget

State = Literal[
    "untested",
    "all-equal",
    "ahead-everywhere",
    "too-few",
    "by-data-set",
    "cheaper-enough",
    "gaps",
    "won",
    "won-here",
    "equivalent",
    "best-and-cheapest",
    "trade",
    "ahead-undecided",
    "undecided",
    "settings",
    "reference",
    "learnt",
]


@dataclass(frozen=True, slots=True)
class Cost:
    """What candidates cost by one measure."""

    measure: Measure
    means: Mapping[str, float]
    is_ratio: bool = False
    cheaper: tuple[tuple[str, str], ...] = field(default=(), metadata=HIDDEN)
    pairs: PairTable | None = field(default=None, metadata=HIDDEN)  # as they are compared

    @property
    def cheapest(self) -> str:
        """The candidate that costs least."""
        return min(self.means, key=lambda name: self.means[name])

    def cost_ratio(self, name: str, other: str) -> float:
        """Return how many times as much one costs as another, where pairs say it by these."""
        pair = self.pairs.between(name, other) if self.pairs and self.is_ratio else None
        found = None if pair is None else pair.estimate
        return self.means[name] / self.means[other] if found is None else found

    def cheaper_than(self, name: str, others: Sequence[str]) -> tuple[str, ...]:
        """Return those of some others that are decided cheaper than one."""
        return tuple(other for other in others if (other, name) in self.cheaper)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do, and what is known of it."""

    state: State  # the first of the states that holds
    target: DecidingTarget | None = None  # what the verdict speaks of; None without one
    # Candidates that no other is decided better than, the best mean first.
    not_worse: tuple[str, ...] = ()
    lead: str | None = None  # the best mean of these
    # Whose name the recommendation puts first; None where it puts none.
    put_forward: str | None = None
    shown: bool = False  # whether that rests on a decision beyond the experiment itself
    # Of `not_worse`, those of which no other candidate has a mean as good at no more cost.
    frontier: tuple[str, ...] = ()
    # The others, each with the best of those that dominate it.
    dominated: Mapping[str, str] = field(default_factory=dict)
    # What taking each of `not_worse` can cost at most, all at once: a difference, or a factor.
    at_most_lost: Mapping[str, float | None] = field(default_factory=dict)
    recommended: tuple[str, ...] = ()  # the candidates that are recommended without reserve
    # Where the order differs by data set: against whom the lead is better, where, and where worse.
    reversal: tuple[str, tuple[str, ...], tuple[str, ...]] | None = None

    @property
    def prices(self) -> tuple[tuple[str, float], ...]:
        """What taking another of `not_worse` than the lead can cost, where a number says it."""
        found = ((n, x) for n, x in self.at_most_lost.items() if n != self.lead)
        return tuple((n, x) for n, x in found if x is not None)

    def withheld(self) -> Recommendation:
        """Return the same that recommends nobody: values are of what was learnt from."""
        return replace(
            self, state="learnt", put_forward=None, shown=False, recommended=(), reversal=None
        )


def recommend(verdict: Comparison, costs: Sequence[Cost] = ()) -> Recommendation:
    """Return the first state that holds."""
    sign = 1 if verdict.measure.is_smaller_better else -1
    places = {
        n: (sign * x, *(cost.means[n] for cost in costs))
        for n, x in verdict.means.items()
        if all(n in cost.means for cost in costs)
    }
    names = tuple(sorted(verdict.not_worse, key=lambda n: places[n]))  # best mean first, then cost
    lead = verdict.reference or names[0]
    dominated = _dominated(places, names) if costs and verdict.reference is None else {}
    frontier = tuple(name for name in names if name not in dominated)
    state, chosen = _state(verdict, costs, names, frontier)
    reversal = verdict.reversal if state == "by-data-set" else None
    is_shown = verdict.is_shown and state in ("won", "cheaper-enough")
    return Recommendation(
        state,
        verdict.target,
        names,
        lead,
        chosen,
        is_shown,
        frontier,
        dominated,
        {name: verdict.most_lost(name) for name in names},
        frontier if state == "equivalent" else (chosen,) if is_shown and chosen else (),
        reversal,
    )


def _dominated(places: Mapping[str, tuple[float, ...]], names: Sequence[str]) -> dict[str, str]:
    """Return those of which another has no worse mean and no greater cost, and something better.

    `places`: of all candidates, as who is significantly worse than a third can surpass one, too.
    """

    def surpasses(m: str, n: str) -> bool:
        both = zip(places[m], places[n], strict=True)
        return places[m] != places[n] and all(x <= y for x, y in both)

    rivals = dict.fromkeys((*names, *places))
    found = {n: next((m for m in rivals if surpasses(m, n)), None) for n in names[1:]}
    return {n: m for n, m in found.items() if m is not None}


def _state(
    verdict: Comparison, costs: Sequence[Cost], names: Sequence[str], frontier: Sequence[str]
) -> tuple[State, str | None]:
    """Return the state, and whose name is put forward."""
    lead = names[0]
    if verdict.is_all_equal:
        return "all-equal", None
    if verdict.is_untestable:
        if verdict.is_ahead_everywhere:
            return "ahead-everywhere", lead
        return "too-few", None
    if verdict.reversal is not None:
        return "by-data-set", None
    if verdict.reference is not None:
        if verdict.winner == verdict.reference:
            return ("won" if verdict.is_shown else "won-here"), verdict.reference
        return "reference", None
    cheap = [name for name in frontier if _is_cheap_enough(name, lead, verdict, costs)]
    if cheap:
        return "cheaper-enough", min(cheap, key=lambda n: costs[0].means[n])
    if verdict.ahead_where_ran is not None:
        return "gaps", lead
    if len(names) == 1:
        return ("won" if verdict.is_shown else "won-here"), lead
    if verdict.is_inside_area(names):
        return "equivalent", None
    if costs and len(frontier) > 1:
        return "trade", lead
    if costs and all(cost.means[lead] <= cost.means[n] for cost in costs for n in names):
        return "best-and-cheapest", lead
    return ("ahead-undecided", lead) if verdict.n_decided else ("undecided", None)


def _is_cheap_enough(name: str, lead: str, verdict: Comparison, costs: Sequence[Cost]) -> bool:
    """Whether one is decided cheaper than the lead, and shown to lose no more than the area."""
    area = verdict.area_of_loss
    if name == lead or area is None:
        return False
    is_cheaper = any((name, lead) in cost.cheaper for cost in costs)
    is_dearer = any((lead, name) in cost.cheaper for cost in costs)
    return is_cheaper and not is_dearer and verdict.loss_limit(name, lead) <= area
