"""The verdict on all pairs of candidates by one measure: what is decided, and what follows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import ClassVar, Self, TypeVar

import numpy as np
from scipy.special import ndtri

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import Measure
from reportgen.stats.arrays import Area, Array
from reportgen.stats.distributions.tails import t_quantile
from reportgen.stats.multiplicity.adjustment import bonferroni
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.pairs.new_data import POWER
from reportgen.stats.pairs.paired_max_t import MANY_PAIRS, bonferroni_adjust
from reportgen.stats.pairs.proportions import mid_p_level, score_interval
from reportgen.stats.ranking import best_first
from reportgen.stats.relations.relations import chain, unbeaten

MOST_RIVALS, FEWEST_LEFT = 15, 2  # rows of a table of the best mean; what is not left for less

Groups = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """The family of one adjustment that covers more than one verdict."""

    # n_pairs, n_families: Of the whole family: pairs that can be decided on, and verdicts.
    n_pairs: int
    n_families: int
    n_datasets: int
    n_measures: int
    n_alone: int  # pairs that the verdict decided when adjusted for its own pairs only


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The decisions on all pairs of candidates by one measure.

    Attributes
    ----------
    measure : Measure
    alpha : float
        Error probability of the family: all pairs of this verdict, or of `family`.
    relevance : tuple of two floats or None
        Area of equivalence, on the scale of the pairs.
    target : str
        What tests on the units generalise to.
    method : str
        The name of the method that decides; empty where nothing is compared.
    pairs : PairTable
        The decision on every pair; empty where nothing is compared.
    means : mapping of str to float
        By which candidates are ordered; geometric where pairs are compared by ratio. A unit that
        lacks a candidate counts as the worst other one there (`fill_gaps`).
    own_means : mapping of str to float
        Of the values alone, over the units that have the candidate; empty without gaps.
    n_values : mapping of str to int
        How many these are; empty without gaps.
    family : Family or None
        Where pairs are adjusted together with those of other verdicts.
    is_area_given : bool
        Whether the study gives the area of equivalence; else it is the usual one of ratios.
    mean_ranks : mapping of str to float
        By which candidates are ordered where their values have no scale in common; else empty.
    reference : str or None
        The candidate whose pairs alone are decided on; None where all are. `pairs` has no others.
    """

    measure: Measure
    alpha: float
    relevance: Area | None
    target: str
    method: str
    pairs: PairTable
    means: Mapping[str, float]
    own_means: Mapping[str, float] = field(default_factory=dict)
    n_values: Mapping[str, int] = field(default_factory=dict)
    family: Family | None = None
    is_area_given: bool = field(default=False, metadata=HIDDEN)
    mean_ranks: Mapping[str, float] = field(default_factory=dict, metadata=HIDDEN)
    reference: str | None = None

    DERIVED: ClassVar[tuple[str, ...]] = ("order", "leaders", "groups", "critical_value")
    """Properties that results.json has, too."""

    @cached_property
    def order(self) -> tuple[str, ...]:
        """The candidates by their means, best first."""
        values, names = [*(self.mean_ranks or self.means).values()], tuple(self.means)
        is_smaller_first = bool(self.mean_ranks) or self.measure.is_smaller_better
        return tuple(names[k] for k in best_first(values, is_smaller_better=is_smaller_first))

    @property
    def has_many_pairs(self) -> bool:
        """Whether pairs are too many for the joint law that so many units would allow."""
        return self.pairs.method == MANY_PAIRS

    @cached_property
    def leaders(self) -> tuple[str, ...]:
        """Candidates that no other is decided better than, best mean first; none without pairs."""
        return self._ordered(unbeaten(self.pairs.incidence)) if self.pairs else ()

    @cached_property
    def groups(self) -> Groups | None:
        """The chain of "decided better", best first, where it is a weak order; None without pairs.

        Pairs inside a group are not decided. None, too, where only pairs with a reference are:
        two that were not compared share no group.
        """
        is_known = bool(self.pairs) and self.reference is None
        found = chain(self.pairs.incidence) if is_known else None
        return None if found is None else tuple(map(self._ordered, found))

    def _ordered(self, places: Sequence[int]) -> tuple[str, ...]:
        """Return the candidates of some places of the pairs, best mean first."""
        names = {self.pairs.candidates[k] for k in places}
        return tuple(name for name in self.order if name in names)

    @property
    def critical_value(self) -> float | None:
        """Of the absolute statistic, the largest of the pairs; None without any."""
        known = self.pairs.critical_value[np.isfinite(self.pairs.critical_value)]
        return float(known.max()) if len(known) else None

    @cached_property
    def rank_ranges(self) -> Mapping[str, tuple[int, int]]:
        """The ranks that each candidate can have by what is decided, best mean first.

        From 1 + the number decided better to K - the number decided worse. Where the intervals
        hold simultaneously, so do all ranges [1]_. Where only pairs with a reference are decided
        on, who is better than it is better than those that it is better than, too.

        References
        ----------
        .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024), "Inference for ranks
           with applications to mobility across neighbourhoods and academic achievement across
           countries", Review of Economic Studies 91, section 3.
        """
        better, names = self.pairs.incidence, self.pairs.candidates
        if self.reference is not None:  # better than it, and so than those that it is better than
            better = better | (better.astype(np.intp) @ better.astype(np.intp) > 0)
        first, last = 1 + better.sum(axis=0), len(names) - better.sum(axis=1)
        ranges = dict(zip(names, zip(first.tolist(), last.tolist(), strict=True), strict=True))
        return {name: ranges[name] for name in self.order if name in ranges}

    @property
    def may_be_first(self) -> tuple[str, ...]:
        """Candidates of which each may have the best true mean: rank 1 is in its range.

        Where the intervals hold simultaneously with probability 1 - alpha, so does the set hold the
        best one (Hsu 1984, by all pairs).
        """
        return tuple(name for name, (first, _) in self.rank_ranges.items() if first == 1)

    @property
    def typical(self) -> tuple[float, ...]:
        """The candidates' means, by which values are written."""
        return tuple(self.means.values())

    @property
    def is_of_means(self) -> bool:
        """Whether pairs are compared by means of values; worths are estimates of another kind."""
        return self.method != "worths"

    @property
    def is_ratio(self) -> bool:
        """Whether pairs are compared by ratio."""
        return self.pairs.scale == "ratio"

    @property
    def n_open(self) -> int:
        """Pairs that cannot be decided on: too few shared units, or nothing varies."""
        return int(self.pairs.is_open.sum())

    @property
    def is_open(self) -> bool:
        """Whether no pair can be decided on."""
        return self.n_open == len(self.pairs)

    @property
    def n_family(self) -> int:
        """Pairs that the error probability covers."""
        return self.family.n_pairs if self.family else len(self.pairs) - self.n_open

    @property
    def best_first(self) -> tuple[Pair, ...]:
        """All pairs, each with the better mean first, in the order of the means."""
        return self.arranged.rows

    @cached_property
    def arranged(self) -> PairTable:
        """The table of all pairs, each with the better mean first, in the order of the means."""
        return self.pairs.arranged(self.order)

    @property
    def leader_pairs(self) -> PairTable:
        """The pairs of the candidate with the best mean, which stands first, best rival first."""
        own = self.arranged
        is_theirs = [bool(self.order) and first == self.order[0] for first, _ in own.both]
        return own.at(np.flatnonzero(is_theirs))

    @property
    def rivals(self) -> PairTable:
        """The pairs of the best mean with those that come next, as many as a page has room for."""
        own = self.leader_pairs
        return own if len(own) <= MOST_RIVALS + FEWEST_LEFT else own.at(np.arange(MOST_RIVALS))

    def advantages(self, pairs: PairTable) -> tuple[Array, Array, Array]:
        """Return by how much, or how many times, the first are better, and the bounds of that.

        NaN where there is none.
        """
        own = pairs.estimate, pairs.lower, pairs.upper
        found = pairs.of_second if self.measure.is_smaller_better else own
        estimate, lower, upper = (np.where(np.isfinite(x), x, np.nan) for x in found)
        return estimate, lower, upper

    def advantage(self, pair: Pair) -> tuple[float | None, tuple[float | None, float | None]]:
        """Return by how much, or how many times, the first is better, and the bounds of that."""
        return pair.advantage(is_smaller_better=self.measure.is_smaller_better)

    @property
    def area_of_advantage(self) -> tuple[float, float] | None:
        """The area of equivalence as one of advantages."""
        if self.relevance is None or not self.measure.is_smaller_better:
            return self.relevance
        lower, upper = self.relevance
        return (1 / upper, 1 / lower) if self.is_ratio else (-upper, -lower)

    @property
    def decided(self) -> tuple[Pair, ...]:
        """The pairs of which one is decided better; it stands first."""
        own = self.arranged
        return tuple(p.better_first for p in own.at(np.flatnonzero(own.significant)).rows)

    @property
    def undone_by_gaps(self) -> tuple[Pair, ...]:
        """The pairs that gaps leave undecided, the better mean first."""
        own = self.arranged
        return own.at(np.flatnonzero(own.undone_by_gaps)).rows

    @property
    def better_with_gaps(self) -> tuple[str, ...]:
        """Candidates whose mean is better with gaps counted: the others are good where it lacks."""
        sign = 1.0 if self.measure.is_smaller_better else -1.0
        own = self.own_means
        return tuple(n for n in self.order if n in own and sign * self.means[n] < sign * own[n])

    @property
    def better_than_all(self) -> str | None:
        """The candidate that is decided better than every other, if there is one."""
        n_better, names = self.pairs.incidence.sum(axis=1).tolist(), self.pairs.candidates
        found = (n for n, x in zip(names, n_better, strict=True) if 0 < x == len(names) - 1)
        return next(found, None)

    @cached_property
    def beats(self) -> Mapping[str, tuple[str, ...]]:
        """Whom each candidate is decided to be better than; those without anyone left out."""
        incidence, names = self.pairs.incidence, self.pairs.candidates
        beaten = {name: self._ordered(np.flatnonzero(incidence[k]).tolist())
                  for k, name in enumerate(names)}  # fmt: skip
        return {name: beaten[name] for name in self.order if beaten.get(name)}

    def in_family(self, family: Family) -> Self:
        """Hold the pairs together with those of other verdicts, by Bonferroni's inequality."""
        return replace(
            self,
            pairs=self._held_together(max(1, family.n_pairs)),
            family=replace(family, n_alone=self.pairs.n_significant),
        )

    def against(self, reference: str) -> Self:
        """Decide on the K - 1 pairs with one candidate alone.

        By the joint law where the pairs have been compared by that of these K - 1, else by
        Bonferroni's inequality; decisions that stages have made stand.

        `reference`: of a candidate without values there are no pairs.
        """
        found = replace(self, reference=reference)
        with_it = self.pairs.only_with(reference)
        if self.method == "stages" or self.pairs.method == "own-variance" or not with_it:
            return replace(found, pairs=with_it)
        n = max(1, int((~with_it.is_open).sum()))
        return replace(found, pairs=found._held_together(n))

    def _held_together(self, n_comparisons: int) -> PairTable:
        """Return the pairs as those of a family of so many, decided anew."""
        pairs = self.larger_family(self.pairs, n_comparisons)
        if "tost_lower" in pairs.extra:
            wide = self.larger_family(replace(self.pairs, alpha=2 * self.alpha), n_comparisons)
            pairs = pairs.with_columns(tost_lower=wide.lower, tost_upper=wide.upper)
        pairs = pairs.only_with(self.reference)
        return pairs.inside(self.measure.bounds).decided(self.relevance)

    def larger_family(self, pairs: PairTable, n_comparisons: int) -> PairTable:
        """Return the pairs with intervals and p-values of a larger family, not decided anew."""
        if self.method not in ("score", "new-data"):
            return bonferroni_adjust(pairs, n_comparisons)
        is_ratio = pairs.scale == "ratio"
        level = np.where(pairs.is_open, pairs.alpha, pairs.alpha / n_comparisons)
        if self.method == "score":
            b, c = pairs.extra["wins"], pairs.extra["losses"]
            b, c = (c, b) if pairs.is_smaller_better else (b, c)
            lower, upper = score_interval(b, c, pairs.extra["n"], mid_p_level(b, c, level))
            critical = -ndtri(level / 2)
        else:
            critical = t_quantile(level / 2, pairs.df)
            wide = critical * pairs.standard_error
            middle = np.log(pairs.estimate) if is_ratio else pairs.estimate
            low, high = (np.exp(x) if is_ratio else x for x in (middle - wide, middle + wide))
            least, most = self.measure.bounds
            span = np.inf if is_ratio or least is None or most is None else most - least
            lower, upper = np.maximum(low, -span), np.minimum(high, span)
        known = np.isfinite(pairs.lower)
        adverse = {} if pairs.adverse is None else pairs.adverse.limits(critical)
        more = {name: np.exp(x) if is_ratio else x for name, x in adverse.items()}
        if "n_deciding" in pairs.extra:
            growth = (critical + ndtri(POWER)) / (pairs.critical_value + ndtri(POWER))
            more["n_deciding"] = pairs.extra["n_deciding"] * growth**2
        return replace(
            pairs,
            lower=np.where(known, lower, np.nan),
            upper=np.where(known, upper, np.nan),
            adjusted_p_value=np.where(
                np.isnan(pairs.adjusted_p_value),
                np.nan,
                bonferroni(pairs.p_value, n_comparisons),
            ),
            critical_value=critical,
            decision=(),
        ).with_columns(**more)


AnyVerdict = TypeVar("AnyVerdict", bound=Verdict)
Key = TypeVar("Key", bound=Hashable)


def adjust_family(verdicts: Mapping[Key, AnyVerdict], n_datasets: int) -> dict[Key, AnyVerdict]:
    """Adjust the pairs of several verdicts for one another, by Bonferroni's inequality.

    `verdicts`: under one alpha; other methods stay adjusted within theirs.
    `n_datasets`: that they speak of.
    Result: as they are where fewer than two have pairs: the joint law of one is sharper.
    """
    tested = [own for own in verdicts.values() if own.pairs]
    if len(tested) < 2:
        return dict(verdicts)
    family = Family(
        n_pairs=sum(len(own.pairs) - own.n_open for own in tested),
        n_families=len(tested),
        n_datasets=n_datasets,
        n_measures=len({own.measure.name for own in tested}),
        n_alone=0,
    )
    return {key: own.in_family(family) if own.pairs else own for key, own in verdicts.items()}
