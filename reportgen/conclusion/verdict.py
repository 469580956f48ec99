"""The verdict that decides in a report: one target, its pairs, and the means that order it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import inf, isclose, isfinite
from typing import ClassVar, Literal

import numpy as np

from reportgen.data_classes import HIDDEN
from reportgen.methods import METHODS
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.report import Design
from reportgen.sections.domain.result import DatasetFamilies, DomainVerdict
from reportgen.sections.inference.result import MeasureInference
from reportgen.stats.arrays import Array
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.pairs.promise import Promise, promise_of
from reportgen.stats.pairs.shared_data import Reason
from reportgen.stats.ranking import levelled
from reportgen.stats.shared_means import pair_columns
from reportgen.stats.verdict import Groups, Verdict
from reportgen.study.target import FEWEST_OF_DOMAIN
from reportgen.targets import TARGETS, DecidingTarget

MANY = 10  # candidates from which the abstract has ranges of ranks
ERRORS = ("misclassification",)  # measures that count wrong predictions

Unknown = Literal["seeds", "asked", "sources"] | Reason
"""Why nothing is known of new data."""


def counts_errors(measure: Measure) -> bool:
    """Whether a measure is a share of wrong predictions.

    Examples
    --------
    >>> counts_errors(Measure("Misclassification")), counts_errors(Measure("mse"))
    (True, False)
    """
    return measure.name.casefold() in ERRORS and measure.is_smaller_better


@dataclass(frozen=True)
class Comparison:
    """The verdict on the main measure by the one target that decides."""

    verdict: Verdict = field(repr=False, metadata=HIDDEN)
    dataset: str | None  # None over several
    target: DecidingTarget  # see `reportgen.study.target`
    basis: str  # what decides
    n_units: int  # replications, or data sets
    unknown: Unknown | None = None  # why nothing is known of new data; None where something is
    # n_learned, n_observations: Distinct observations that candidates learn from, and those that
    # there are, where the first are clearly fewer.
    n_learned: int | None = None
    n_observations: int | None = None
    is_given_samples: bool = False  # whether it is about new data as these learning samples go
    # What is known of the probability of a wrong decision; None where no t decides.
    promise: Promise | None = field(default=None, repr=False, metadata=HIDDEN)
    each: Mapping[str, frozenset[tuple[str, str]]] = field(
        default_factory=dict, repr=False, metadata=HIDDEN
    )

    DERIVED: ClassVar = (
        *("measure", "alpha", "relevance", "n_family", "means", "n_own", "own_means"),
        "rank_ranges",
    )

    # ------------------------------------------------------------------------ the verdict

    @property
    def is_nominal(self) -> bool:
        """Whether wrong decisions can be more frequent than the level says."""
        return self.promise is not None and not self.promise.is_kept

    @property
    def measure(self) -> Measure:
        """The main measure."""
        return self.verdict.measure

    @property
    def alpha(self) -> float:
        """Error probability of the family."""
        return self.verdict.alpha

    @property
    def relevance(self) -> tuple[float, float] | None:
        """The area of equivalence, where the study gives one."""
        return self.verdict.relevance if self.verdict.is_area_given else None

    @property
    def pairs(self) -> PairTable:
        """All pairs."""
        return self.verdict.pairs

    @property
    def n_family(self) -> int:
        """Pairs that the error probability covers."""
        return self.verdict.n_family

    @cached_property
    def means(self) -> Mapping[str, float]:
        """The means, the best first; gaps of a candidate are counted as the worst there."""
        found = self.verdict
        return {name: found.means[name] for name in found.order if name in found.pairs.candidates}

    @property
    def families(self) -> DatasetFamilies | None:
        """The families of data sets, where some are relatives or count unequally."""
        own = self.verdict
        return own.dataset_families if isinstance(own, DomainVerdict) else None

    @property
    def is_of_processes(self) -> bool:
        """Whether the units are processes, each the mean of its runs."""
        return isinstance(self.verdict, MeasureInference) and bool(self.verdict.processes)

    @property
    def n_fewest(self) -> int:
        """The units; of candidates that were measured apart the fewest that one of them has."""
        if self.families is not None:
            return self.families.n
        counts = [self.pairs.extra[k] for k in ("n_first", "n_second") if k in self.pairs.extra]
        known = np.asarray(counts, dtype=np.float64)
        known = known[np.isfinite(known)]
        return int(known.min()) if self.dataset is not None and len(known) else self.n_units

    @property
    def n_own(self) -> Mapping[str, int]:
        """Units that a candidate has, of those that lack some."""
        n_values, order = self.verdict.n_values, self.verdict.order
        short = (n for n in order if n_values.get(n, self.n_units) < self.n_units)
        return {name: n_values[name] for name in short}

    @property
    def own_means(self) -> Mapping[str, float]:
        """Means of the values alone, where `means` are others as they count gaps."""
        own = self.verdict.own_means
        return {name: own[name] for name, x in self.means.items() if own.get(name, x) != x}

    @property
    def is_of_shared(self) -> bool:
        """Whether the lead and the next are compared on the replications that both have."""
        both = self._differences
        if both is None or self.pairs.scale == "wins":
            return False
        row = self.pairs.row_of(self.next.first, self.next.second)
        of_means, of_shared = (found[:, row] for found in both)
        return not np.array_equal(of_shared, of_means)

    @property
    def has_apart(self) -> bool:
        """Whether two have values on a data set, but no replication in common there."""
        if self._differences is None:
            return False
        of_means, of_shared = map(np.isfinite, self._differences)
        return bool((of_means & ~of_shared).any())

    @property
    def _differences(self) -> tuple[Array, Array] | None:
        """The pairs' differences on data sets: of means, and of what both have; None if all do."""
        own = self.verdict
        if not isinstance(own, DomainVerdict) or own.units.shared is None:
            return None
        first, second = pair_columns(own.units.values, own.pairs.pairs)
        shared = own.units.shared
        return first - second, (shared.first - shared.second)[:, own.pairs.places]

    # ------------------------------------------------------------------------------ words

    @property
    def number_format(self) -> NumberFormat:
        """How values and differences are written, so that each interval shows its width."""
        known = ((p.lower, p.upper) for p in self.lead_pairs if not self.is_ratio)
        found = number_format(
            self.measure, self.verdict.typical, is_ratio=self.is_ratio, intervals=known
        )
        return found.beside(self.verdict.relevance)

    @property
    def is_ratio(self) -> bool:
        """Whether pairs are compared by ratio."""
        return self.verdict.is_ratio

    @property
    def counts_errors(self) -> bool:
        """Whether the measure is a share of wrong predictions."""
        return counts_errors(self.measure)

    @property
    def is_time(self) -> bool:
        """Whether times are compared by ratio."""
        return self.is_ratio and self.measure.unit_symbol == "s" and self.measure.is_smaller_better

    @property
    def is_pair(self) -> bool:
        """Whether two candidates are compared."""
        return len(self.means) == 2

    @property
    def is_shown(self) -> bool:
        """Whether what it decides is shown beyond the experiment itself."""
        return TARGETS[self.target].is_shown

    # -------------------------------------------------------------------------- decisions

    @property
    def candidates(self) -> tuple[str, ...]:
        """All candidates, the best mean first."""
        return tuple(self.means)

    @property
    def n_pairs(self) -> int:
        """All pairs."""
        return len(self.pairs)

    @property
    def n_decided(self) -> int:
        """Pairs of which one is decided better."""
        return self.pairs.n_significant

    @property
    def is_untestable(self) -> bool:
        """Whether no pair can be decided."""
        return self.verdict.is_open

    @property
    def is_without_variation(self) -> bool:
        """Whether every pair differs by the same amount in all replications."""
        spread = self.pairs.extra.get("deviation")
        return spread is not None and bool((np.nan_to_num(spread) == 0).all())

    @property
    def is_all_equal(self) -> bool:
        """Whether all candidates have the same mean, and some two of them were compared.

        Means that are the same because gaps are counted are so only if no pair differs.
        """
        estimates = self.pairs.estimate[np.isfinite(self.pairs.estimate)]
        is_same = not self.own_means or bool((estimates == self.pairs.no_difference).all())
        return len(estimates) > 0 and is_same and len({*self.means.values()}) == 1

    @property
    def is_lead_shared(self) -> bool:
        """Whether the next candidate has the same mean as the lead, but for rounding."""
        means = levelled(np.array([[self.means[n] for n in (self.lead, self.next.second)]]))
        return bool(means[0, 0] == means[0, 1])

    @cached_property
    def better(self) -> tuple[tuple[str, str], ...]:
        """Who is decided better than whom, in the order of the means."""
        beats = self.verdict.beats
        return tuple((name, other) for name, beaten in beats.items() for other in beaten)

    @property
    def largest_possible(self) -> float | None:
        """The largest difference that an interval leaves where none is significant; or a factor.

        None where every pair is decided, equivalent or open.
        """
        t = self.pairs
        is_left = np.isfinite(t.lower) & np.isfinite(t.upper) & ~t.significant & ~t.is_open
        is_left &= np.array([d == "undecided" for d in t.decision or ("undecided",) * len(t)], bool)
        if not is_left.any():
            return None
        low, high = np.array(t.lower)[is_left], np.array(t.upper)[is_left]
        return float(max(high.max(), self._turned(low).max()))

    @property
    def not_worse(self) -> tuple[str, ...]:
        """S: candidates that no other is decided better than, best mean first."""
        return self.verdict.leaders or self.candidates

    @property
    def rank_ranges(self) -> Mapping[str, tuple[int, int]]:
        """The ranks that each candidate can have by what is decided, all at once."""
        return self.verdict.rank_ranges if self.pairs else {}

    @property
    def has_ranks(self) -> bool:
        """Whether there are so many candidates that ranges of ranks say more than pairs."""
        return len(self.means) >= MANY and self.n_decided > 0 and self.winner is None

    @property
    def groups(self) -> Groups | None:
        """The chain of "decided better", where it is a weak order."""
        return self.verdict.groups

    @property
    def rows(self) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
        """All that is decided: who are decided better than whom, those with the same one group."""
        found: dict[tuple[str, ...], list[str]] = {}
        for name, below in self.verdict.beats.items():
            found.setdefault(below, []).append(name)
        return tuple((tuple(names), below) for below, names in found.items())

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

    def is_inside_area(self, names: Sequence[str]) -> bool:
        """Whether all differences of some candidates lie inside the area that the study gives."""
        size = self.area_of_loss
        if size is None:
            return False
        at = [self.pairs.candidates.index(name) for name in names]
        part = self._upper[np.ix_(at, at)][~np.eye(len(at), dtype=bool)]
        return bool((part <= size).all())

    # ------------------------------------------------------------------------- the lead's pairs

    @property
    def reference(self) -> str | None:
        """The candidate whose pairs alone are decided on, if it has some; None where all are."""
        own = self.verdict.reference
        return own if own in self.pairs.candidates else None

    @property
    def against_reference(self) -> Mapping[str, tuple[str, ...]]:
        """The others by what is decided of them against the reference, best mean first.

        "better", "worse", "equivalent" (inside the area of equivalence, better or worse by however
        little) and "undecided"; those of no kind are left out.
        """
        found: dict[str, tuple[str, ...]] = {}
        for pair in self.lead_pairs if self.reference is not None else ():
            kind: str = pair.kind
            if kind in ("slight", "equivalent"):
                kind = "equivalent"
            elif kind != "undecided":
                kind = "worse" if pair.favoured == pair.first else "better"
            found[kind] = (*found.get(kind, ()), pair.second)
        order = ("worse", "better", "equivalent", "undecided")
        return {kind: found[kind] for kind in order if kind in found}

    @property
    def lead(self) -> str:
        """The best mean of those that are not worse; the reference where its pairs decide."""
        return self.reference or self.not_worse[0]

    @property
    def lead_pairs(self) -> tuple[Pair, ...]:
        """The lead against each other one, in the order of the means."""
        lead = self.lead
        rows = (self.pairs.between(lead, name) for name in self.means if name != lead)
        return tuple(row for row in rows if row is not None)

    def against_lead(self, name: str) -> Pair | None:
        """Return a candidate against the lead."""
        return self.pairs.between(name, self.lead)

    @property
    def next(self) -> Pair:
        """The lead and the best mean of the others."""
        return self.lead_pairs[0]

    @property
    def winner(self) -> str | None:
        """The candidate that is decided better than every other one."""
        return self.verdict.better_than_all

    @property
    def n_shown(self) -> int:
        """On how many of few data sets at least the lead is shown to be better than each other."""
        own = self.verdict
        if isinstance(own, DomainVerdict) and own.each_for == "experiment":
            return 0
        return min((int(p.extra.get("n_shown", 0) or 0) for p in self.lead_pairs), default=0)

    @property
    def too_small(self) -> tuple[str, ...]:
        """Those that the lead is decided better than, by too little to matter."""
        if self.relevance is None:
            return ()
        pairs = self.lead_pairs
        return tuple(p.second for p in pairs if p.decision == "equivalent" and p.significant)

    @property
    def ahead_where_ran(self) -> Pair | None:
        """A candidate with gaps that is ahead of the lead where both ran, and the lead."""
        sign = 1 if self.measure.is_smaller_better else -1
        for name in self.n_own:
            pair = None if name == self.lead else self.pairs.between(name, self.lead)
            if pair is not None and pair.estimate is not None:
                effect = sign * (pair.estimate - self.pairs.no_difference)
                if effect < 0:
                    return pair
        return None

    @property
    def reversal(self) -> tuple[str, tuple[str, ...], tuple[str, ...]] | None:
        """Whom the lead is decided better than on some sources and worse on others, and where."""
        for name in self.means:
            if name == self.lead:
                continue
            ways = {
                d: ((self.lead, name) in better) - ((name, self.lead) in better)
                for d, better in self.each.items()
            }
            here, there = (tuple(d for d, way in ways.items() if way == w) for w in (1, -1))
            if here and there:
                return name, here, there
        return None

    @property
    def is_ahead_everywhere(self) -> bool:
        """Whether the lead has the best value on each of two to five data sets."""
        if self.dataset is not None or not 1 < self.n_units < FEWEST_OF_DOMAIN:
            return False
        own = self.verdict
        if isinstance(own, DomainVerdict) and len(own.units.values):
            return own.ahead_everywhere == self.lead
        rows = [p for p in self.lead_pairs if "wins" in p.extra]
        n = self.n_units
        return len(rows) == len(self.lead_pairs) and all(p.wins == n for p in rows)

    @property
    def chance_of_all(self) -> float:
        """The chance that some one of equal candidates is ahead on all units, K^(1 - M)."""
        return float(len(self.means)) ** (1 - self.n_units)

    # ----------------------------------------------------------------------------- losses

    @property
    def area_of_loss(self) -> float | None:
        """The loss that does not matter; of ratios the factor."""
        return None if self.relevance is None else self.relevance[1]

    def most_lost(self, name: str) -> float | None:
        """Return what taking a candidate can cost, all at once: a difference, or a factor.

        None where some pair is open, or of a measure without bounds where it is more than the
        candidate's own mean.
        """
        if self.has_open_loss(name):
            return None
        most = float(max(self.pairs.no_difference, self._losses(name).max()))
        is_bounded = None not in self.measure.bounds
        if self.is_ratio:
            return most if most <= 2 else None
        return most if is_bounded or most <= abs(self.means[name]) else None

    def has_open_loss(self, name: str) -> bool:
        """Whether what taking a candidate can cost has no limit, as some pair of it is open."""
        row = self._losses(name)
        return not len(row) or not np.isfinite(row).all()

    def _losses(self, name: str) -> Array:
        """Return the most that one may lose against each other."""
        place = self._place(name)
        return np.delete(self._upper[place], place)

    def loss_limit(self, first: str, second: str) -> float:
        """Return the most that the first may lose against the second; infinite where open."""
        found = float(self._upper[self._place(first), self._place(second)])
        return found if isfinite(found) else inf

    def _place(self, name: str) -> int:
        return self.pairs.candidates.index(name)

    def loss_counts_gaps(self, name: str) -> bool:
        """Whether the most that taking a candidate may cost counts its gaps against it."""
        place = self._place(name)
        own, alone = (
            x[place].max(initial=-inf, where=np.isfinite(x[place]))
            for x in (self._upper, self._loss_limits(counts_gaps=False))
        )
        return bool(own > alone) and not isclose(own, alone)  # no last digit of the same limit

    @cached_property
    def _upper(self) -> Array:
        """Shape (K, K): simultaneous upper limits of the loss of one against the other."""
        return self._loss_limits(counts_gaps=True)

    def _loss_limits(self, *, counts_gaps: bool) -> Array:
        t, k = self.pairs, len(self.pairs.candidates)
        found = np.full((k, k), np.nan)
        low, high = np.array(t.lower), np.array(t.upper)
        low[t.is_open], high[t.is_open] = np.nan, np.nan
        first, second = high, self._turned(low)
        if not t.is_smaller_better:
            first, second = self._turned(low), high
        if counts_gaps and "adverse_first" in t.extra:  # gaps count against the one that has them
            for limits, column in ((first, "adverse_first"), (second, "adverse_second")):
                adverse = np.array(t.extra[column], dtype=np.float64)
                is_turned = (column == "adverse_second") == t.is_smaller_better
                adverse = self._turned(adverse) if is_turned else adverse
                limits[:] = np.where(np.isnan(limits), np.nan, np.fmax(limits, adverse))
        found[t.first, t.second], found[t.second, t.first] = first, second
        return found

    def _turned(self, x: Array) -> Array:
        with np.errstate(divide="ignore"):
            return np.asarray(1 / x if self.is_ratio else -x)


# ------------------------------------------------------------------------- from the sections


def of_inference(found: MeasureInference, design: Design) -> Comparison:
    """Read the verdict on one data set."""
    new = found.new_data
    is_short = found.is_of_new_data and new is not None and new.n_learnt is not None
    return Comparison(
        found,
        dataset=design.datasets[0].name,
        target=found.deciding_target,
        basis=METHODS[found.method].basis,
        n_units=found.n_used,
        promise=found.promise,
        unknown=_unknown(found),
        is_given_samples=found.method == "observations",
        n_learned=new.n_learnt if is_short and new else None,
        n_observations=round(new.n_observations or 0) if is_short and new else None,
    )


def of_domain(found: DomainVerdict, *, is_asked: bool = False) -> Comparison:
    """Read the verdict over several data sets.

    `is_asked`: whether the study asks of its own experiment alone.
    """
    target = found.deciding_target
    unknown: Unknown = "asked" if is_asked else "sources"
    return Comparison(
        found,
        dataset=None,
        target=target,
        basis=METHODS[found.method].basis,
        n_units=found.n_datasets,
        promise=promise_of([found.pairs]) if found.is_own else None,
        unknown=unknown if target == "experiment" else None,
        is_given_samples=bool(found.fixed),
        each={one.dataset: frozenset(one.better) for one in found.each},
    )


def _unknown(found: MeasureInference) -> Unknown | None:
    """Return why nothing is known of new data."""
    if found.deciding_target == "seeds":
        return "seeds"
    if found.deciding_target != "experiment":
        return None
    reason = found.new_data.reason if found.new_data else None
    is_of_summaries = found.method == "welch"  # samples have the target of a session
    return reason or ("scheme-unknown" if is_of_summaries else "asked")
