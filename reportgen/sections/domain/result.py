"""Results of the domain: numbers and names, no words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray

from reportgen.data_classes import HIDDEN, dataclass, stated
from reportgen.measures import chance
from reportgen.methods import ComparisonMethod, VerdictMethod
from reportgen.notation import SHARES, NumberFormat, number_format
from reportgen.performance_measure import Measure, PairScale, target_exponent
from reportgen.sections.consensus.analysis import ConsensusResult, Order
from reportgen.sections.datasets import MOST_SQUARED
from reportgen.sections.domain.basis import NO_UNITS, DomainBasis, DomainUnits
from reportgen.sections.domain.suitability import Interaction, Regret
from reportgen.stats.decisions import Decision
from reportgen.stats.domain.sources import (
    MOST_SOURCES,
    SourceErrors,
    adverse_sources,
    compare_sources,
    shown_on,
)
from reportgen.stats.frame import PairRows
from reportgen.stats.multiplicity.adjustment import benjamini_hochberg
from reportgen.stats.multiplicity.simultaneous import all_pairs
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.pairs.paired_max_t import FEWEST_UNITS, as_ratios
from reportgen.stats.pairs.promise import Promise, promise_of
from reportgen.stats.pairs.wins import compare_wins
from reportgen.stats.ranking import levelled, within_block_ranks
from reportgen.stats.ranks.friedman import ImanDavenportTest
from reportgen.stats.relations.named_pairs import NamedPairs
from reportgen.stats.relations.relations import OrderClass
from reportgen.stats.subsamples import LEAST_SHARE, SubsampleSupport
from reportgen.stats.verdict import Groups, Verdict
from reportgen.study.comparison import DomainScale
from reportgen.study.target import FEWEST_OF_DOMAIN
from reportgen.targets import GENERALISATIONS, DecidingTarget, Target

LARGE_SHARE = 0.3  # of the weight, from which a family is worth a word
MOST_DATASETS, MOST_CANDIDATES = 45, 14  # of the figure of departures
SPARE = 2  # so few more have room, too
MOST_LISTED = 100  # data sets that all have a name in the table and the summary plot
MOST_IN_PART = 60  # of them on a page
MOST_SUPPLIED = 400  # data sets of which the supplement has all, where the article has some
MOST_BRACKETED = 30  # data sets whose rows have brackets, and names in their cells
UNEVEN = 2.0  # ratio of standard errors from which one variance for all pairs misleads
SAME_ERROR = 0.01  # relative difference of standard errors that are the same
MOST_DIFFERENCES = 1_000_000_000  # of pairs in all looks without one: more take minutes
MOST_CLUSTERED = 2_000  # data sets up to which there are distances: of more they take gigabytes
FEWEST_LOOKS = 100  # at which few data sets count, whose signs are flipped as well
MOST_TWICE = 30  # candidates whose pairs results list beside an order, or a list, that says them
LEAST_OFTEN = 2  # data sets, from which a candidate is often best or last
FEWEST_TOLD = 3  # data sets of a part that is told
FIRM = 0.95  # share of resamples from which a pair's order is said to return
MEANS: tuple[ComparisonMethod, ...] = (
    *("own-variance", "families", "sources", "wins"),
    *("interaction", "unstructured"),
)
LEAST_STRUCTURE = 0.25  # average silhouette width: what is not above it may be chance


Reason = Literal["size-against-count", "own-variance", "ranks-against-means", "not-tested"]


def n_shown(n: int, most: int) -> int:
    """Return how many of n rows or columns are shown: all where hardly any would be left out.

    >>> [n_shown(n, 14) for n in (14, 16, 17)]
    [14, 16, 14]
    """
    return n if n <= most + SPARE else most


@dataclass(frozen=True, slots=True)
class AcrossRanks:
    """One value per data set: Demsar's comparison of the candidates by ranks.

    Attributes
    ----------
    n_datasets : int
        With a mean of every candidate.
    missing_datasets : tuple of str
        The other data sets.
    mean_ranks : mapping of str to float
        Rank 1 is best.
    statistic, df, p_value : float or None
        Friedman's test; None where there is nothing to test.
    iman_davenport : ImanDavenportTest or None
    alpha : float
    order : tuple of str
        By mean rank, best first.
    critical_difference : float or None
        Mean ranks that differ by no more are undecided by Nemenyi's test.
    rank_groups : tuple of tuples of str
        Candidates that it leaves undecided, best first.
    groups : tuple of tuples of str, or None
        Candidates of which no two are decided by signed rank tests, best
        first. A group may leave out a candidate that stands between its members. None where there
        are more than 1,000 groups.
    least_p_value : float or None
        The smallest adjusted p-value that so many data sets can give.
    area : tuple of two floats
        Of equivalence, in the posterior; (0, 0) where there is none.
    pairs : PairTable or None
        Wilcoxon's signed rank tests of all pairs, in the order of the mean
        ranks, adjusted by Holm's procedure; they estimate nothing. Further
        columns: `mean_difference` (first - second), `wins`, `ties`, `losses` (data sets on which
        the first is better, equal, worse), with gaps `n` (data sets that have both),
        `rank_difference` (of the mean ranks), `nemenyi_p_value` (of that; it
        controls the family-wise error under the global null hypothesis only),
        `is_exact` (whether the signed ranks rest on the exact law) and
        `posterior_better`, `posterior_equivalent`, `posterior_worse`,
        `posterior_error` (Bayesian signed rank test: how probable it is that
        the first is better, as good in practice, or worse, and the largest
        Monte Carlo standard error; none where there are too many pairs and
        neither leads by mean rank). None where there is nothing to compare.
    means : mapping of str to float
        Of the data sets' means, the candidate with the best first.
    """

    n_datasets: int
    missing_datasets: tuple[str, ...]
    mean_ranks: Mapping[str, float]
    statistic: float | None
    df: int | None
    p_value: float | None
    iman_davenport: ImanDavenportTest | None
    alpha: float
    order: tuple[str, ...]
    critical_difference: float | None
    rank_groups: Groups
    groups: Groups | None
    least_p_value: float | None
    area: tuple[float, float]
    pairs: PairTable | None
    means: Mapping[str, float] = field(default_factory=dict)
    target: Target = "domain"

    @property
    def n_posteriors(self) -> int:
        """Pairs that have a posterior."""
        if self.pairs is None:
            return 0
        return int(np.isfinite(self.pairs.extra["posterior_better"]).sum())

    @property
    def has_all_posteriors(self) -> bool:
        """Whether all pairs have a posterior."""
        return self.pairs is not None and self.n_posteriors == len(self.pairs)

    @property
    def has_area(self) -> bool:
        """Whether the posterior has an area of equivalence."""
        return self.area != (0.0, 0.0)

    @property
    def n_better(self) -> Mapping[str, int]:
        """Than how many others signed ranks decide a candidate to be better."""
        found = dict.fromkeys(self.order, 0)
        if self.pairs is not None:
            n_better = self.pairs.incidence.sum(axis=1).tolist()
            found |= dict(zip(self.pairs.candidates, n_better, strict=True))
        return found

    @property
    def can_reject(self) -> bool:
        """Whether the signed rank tests can reject at all with so many data sets."""
        return self.least_p_value is not None and self.least_p_value <= self.alpha


@dataclass(frozen=True, slots=True)
class MethodOrder:
    """The order by one method.

    Attributes
    ----------
    method
    order : tuple of tuples of str, or None
        Best first; None where the method gives no weak order.
    best : tuple of str
        Candidates that no other is put before.
    ahead : sequence of pairs of str
        Who is put before whom.
    """

    method: ComparisonMethod
    order: Groups | None
    best: tuple[str, ...]
    ahead: NamedPairs = field(metadata=stated("better", key="better"))

    @property
    def better(self) -> NamedPairs | None:
        """Who is put before whom, for results; None where a long order or list of pairs says it."""
        is_long = self.order is not None and sum(map(len, self.order)) > MOST_TWICE
        return None if is_long or len(self.ahead) > comb(MOST_TWICE, 2) else self.ahead


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair on which methods differ.

    Attributes
    ----------
    first, second : str
        The first has the better mean.
    wins, losses : int
        Data sets on which the first is better, and worse.
    before, after, level : tuple of str
        Methods that put the first before the second, the reverse, and neither.
    reason : {"size-against-count", "own-variance", "ranks-against-means", "not-tested"}
        The first that holds: mean and majority of data sets point in opposite
        directions; methods differ that compare means with other variances;
        signed ranks and the verdict differ; no test tells which is right, and only orders without
        a test, or posterior probabilities, do.
    """

    first: str
    second: str
    wins: int
    losses: int
    before: tuple[ComparisonMethod, ...]
    after: tuple[ComparisonMethod, ...]
    level: tuple[ComparisonMethod, ...]
    reason: Reason


Sides = tuple[tuple[ComparisonMethod, ...], ...]  # before, after, level


@dataclass(frozen=True, slots=True, eq=False)
class Disagreements(PairRows, Sequence[Disagreement]):
    """Pairs on which methods differ: a sequence of `Disagreement`.

    Attributes
    ----------
    names : tuple of str
    first, second : ndarray of shape (P,)
        Places of the two in `names`.
    wins, losses : ndarray of shape (P,)
    sides : tuple of tuples of tuples of str
        Each `before`, `after` and `level` that there is.
    side : ndarray of shape (P,)
        Place of a pair's in `sides`.
    reasons : tuple of str
        Each reason that there is.
    reason : ndarray of shape (P,)
        Place of a pair's in `reasons`.
    """

    names: tuple[str, ...]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    wins: NDArray[np.int32]
    losses: NDArray[np.int32]
    sides: tuple[Sides, ...]
    side: NDArray[np.int32]
    reasons: tuple[Reason, ...]
    reason: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of pairs."""
        return len(self.first)

    @overload
    def __getitem__(self, place: int) -> Disagreement: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Disagreement, ...]: ...
    def __getitem__(self, place: int | slice) -> Disagreement | tuple[Disagreement, ...]:
        """Return a pair, or some."""
        if isinstance(place, slice):
            return tuple(map(self._row, range(len(self))[place]))
        return self._row(range(len(self))[place])

    def __eq__(self, other: object) -> bool:
        """Whether all pairs are the same."""
        return isinstance(other, Disagreements) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        """Return a number that equal ones share."""
        return hash(tuple(self))

    def _row(self, i: int) -> Disagreement:
        before, after, level = self.sides[self.side[i]]
        wins, losses = int(self.wins[i]), int(self.losses[i])
        first, second = self.names[self.first[i]], self.names[self.second[i]]
        reason = self.reasons[self.reason[i]]
        return Disagreement(first, second, wins, losses, before, after, level, reason)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns as results list them."""
        found = self.arrays()
        return {name: [*column] for name, column in found.items()} | {
            name: found[name].tolist() for name in ("wins", "losses")
        }

    def arrays(self) -> dict[str, Any]:
        """Return the columns by name; methods are a list of names for each pair."""
        names = np.array(self.names, dtype=object)
        sides = [[list(side) for side in own] for own in self.sides]
        by_side = {
            name: [sides[at][k] for at in self.side.tolist()]
            for k, name in enumerate(("before", "after", "level"))
        }
        two = {"first": names[self.first], "second": names[self.second]}
        counts = {"wins": self.wins.astype(np.int64), "losses": self.losses.astype(np.int64)}
        return two | counts | by_side | {"reason": np.array(self.reasons, object)[self.reason]}


@dataclass(frozen=True, slots=True)
class Agreement:
    """All methods on one measure side by side.

    Attributes
    ----------
    methods : tuple of MethodOrder
    n_pairs : int
    disagreements : sequence of Disagreement
        Pairs on which methods differ.
    deciding : str
        The method of the verdict.
    """

    methods: tuple[MethodOrder, ...]
    n_pairs: int
    disagreements: Disagreements
    deciding: ComparisonMethod = field(default="own-variance", metadata=HIDDEN)

    def of(self, method: ComparisonMethod) -> MethodOrder | None:
        """Return the order by a method, where it gives one."""
        return next((found for found in self.methods if found.method == method), None)

    @property
    def main_methods(self) -> tuple[MethodOrder, ...]:
        """The methods that ask the three questions: nearest order, better mean, more often better.

        The second is the method that decides, where it gives an order.
        """
        means = next((n for n in (self.deciding, *MEANS) if self.of(n) is not None), None)
        names: tuple[ComparisonMethod | None, ...] = ("consensus", means, "signed-ranks")
        found = (self.of(name) for name in names if name is not None)
        return tuple(order for order in found if order is not None)

    @property
    def lacks_order(self) -> bool:
        """Whether one of them gives no weak order, or puts nobody before another."""
        return any(found.order is None or not found.ahead for found in self.main_methods)


@dataclass(frozen=True, slots=True)
class Subdomain:
    """Data sets that order the candidates alike.

    Attributes
    ----------
    datasets : tuple of str
        In the order of the leaves.
    consensus : ConsensusResult
        Of their relations.
    returns : float or None
        Share of the subsamples with some of these data sets in which the part
        returns; None where that cannot be assessed.
    """

    datasets: tuple[str, ...]
    consensus: ConsensusResult
    returns: float | None = None

    @property
    def leaders(self) -> tuple[str, ...]:
        """Candidates that are not beaten in any optimum, where these are not all."""
        best = self.consensus.best
        return best if len(best) < len(self.consensus.candidates) else ()


@dataclass(frozen=True, slots=True)
class Subdomains:
    """The cut of the tree of the data sets.

    Attributes
    ----------
    height : float
        What is joined above it is cut.
    silhouette : float
        Average silhouette width, the largest of all cuts into up to `most`
        parts, of equal ones that into fewer.
    most : int
    parts : tuple of Subdomain
        In the order of the leaves.
    recurrence : SubsampleSupport or None
        In how many subsamples of the data sets all parts return; None where
        that cannot be assessed.
    """

    height: float
    silhouette: float
    most: int
    parts: tuple[Subdomain, ...]
    recurrence: SubsampleSupport | None = None

    @property
    def n_returning(self) -> int:
        """How many parts return in as many subsamples as a finding does."""
        return sum(part.returns is not None and part.returns >= LEAST_SHARE for part in self.parts)

    @property
    def has_structure(self) -> bool:
        """Whether the parts are more than what chance makes (Kaufman and Rousseeuw 1990)."""
        return self.silhouette > LEAST_STRUCTURE

    @property
    def is_reportable(self) -> bool:
        """Whether the parts are distinguished, and return often enough to be a finding."""
        returns = self.recurrence is not None and self.recurrence.is_reportable
        return returns and self.has_structure


@dataclass(frozen=True, slots=True)
class PairSupport:
    """The share of resampled data sets in whose consensus a pair's order returns.

    Attributes
    ----------
    first, second : str
        The first is better in the consensus, or they are level there.
    is_ordered : bool
        Whether all optima put the first before the second.
    before, level, after : float
        Shares of resamples in which the first is before the second in all
        optima, the reverse, and neither.
    """

    first: str
    second: str
    is_ordered: bool
    before: float
    level: float
    after: float

    @property
    def returns(self) -> float:
        """Share of resamples that order the pair as the consensus does."""
        return self.before if self.is_ordered else self.level


@dataclass(frozen=True, slots=True)
class BootstrapSupport:
    """The stability of the consensus when data sets are resampled.

    Attributes
    ----------
    n_resamples : int
        Draws of as many data sets, with replacement.
    pairs : tuple of PairSupport
        The least stable first.
    first : mapping of str to float
        Share of resamples in which no candidate is before this one in all
        optima.
    n_unsettled : int
        Resamples whose consensus could not be settled; what is not proven
        counts as level there.
    """

    n_resamples: int
    pairs: tuple[PairSupport, ...]
    first: Mapping[str, float]
    n_unsettled: int

    @property
    def n_firm(self) -> int:
        """Pairs of which nearly all resamples say what the consensus says."""
        return sum(pair.returns >= FIRM for pair in self.pairs)

    @property
    def weakest(self) -> PairSupport | None:
        """The pair that the consensus orders and that returns least often."""
        return next((pair for pair in self.pairs if pair.is_ordered), None)


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """One data set on the main measure: what a row of the summary plot shows.

    Attributes
    ----------
    name : str
    unavailable : bool
        Whether there is no relation.
    order_class : str
        Of its relation; "none" where there is none, or it is no order.
    chain : tuple of tuples of str, or None
        Classes of a weak order, best first, candidates without a value left
        out; None where it is none.
    order : tuple of str
        Candidates by mean, gaps counted as the worst there, but none before one that the relation
        has better; those of one class of a chain by mean.
    is_better_than_next : tuple of bool
        For each of `order` but the last: whether the relation puts it before
        the next.
    level_groups : tuple of tuples of str
        Without a chain: the maximal runs of `order` of which none is better
        than another, singles left out.
    best : tuple of str
        Candidates that no other is better than.
    means, medians : mapping of str to float
        Over all values; candidates without a value left out.
    n_missing : int
        Values that lack on the main measure.
    is_uneven : bool
        Whether means of candidates that have values rest on different replications.
    n_tested : float or None
        Observations of a test sample, the median over replications; None where
        that is not known.
    slowest : float or None
        The largest mean time of a candidate; None without a measure of time.
    standard_errors : mapping of str to float
        Of the means, over replications; of items in clusters over these. Empty where no candidate
        has two values, and of very many data sets.
    n_observations, n_classes : int or None
        Of the data set, where they are known.
    baseline : float or None
        The value of a constant prediction: the most frequent class, or the mean response; None
        where the data are not at hand.
    """

    name: str
    unavailable: bool
    order_class: OrderClass
    chain: Groups | None
    order: tuple[str, ...]
    is_better_than_next: tuple[bool, ...]
    level_groups: Groups
    best: tuple[str, ...]
    means: Mapping[str, float]
    medians: Mapping[str, float]
    n_missing: int
    is_uneven: bool = False
    n_tested: float | None = None
    slowest: float | None = None
    standard_errors: Mapping[str, float] = field(default_factory=dict)
    n_observations: int | None = None
    n_classes: int | None = None
    baseline: float | None = None


@dataclass(frozen=True, slots=True)
class Distances:
    """Symmetric difference distances of the data sets' relations.

    Attributes
    ----------
    measure, relation : str
        Of the relations: the measure's name, and their id.
    datasets : tuple of str
        Rows and columns, in the study's order; those without a relation are
        left out.
    matrix : tuple of tuples of int
        Empty with more than 1,000 data sets, of which it would be most of all numbers.
    largest : int
        The distance of two opposite linear orders, K (K - 1).
    smallest, greatest : int
        Of two different data sets.
    closest, farthest : tuple of two str
        The first two data sets that are so far apart.
    n_same : int
        Pairs of data sets with the same relation.
    mean : float
        Over all pairs of data sets.
    """

    measure: str
    relation: str
    datasets: tuple[str, ...]
    matrix: tuple[tuple[int, ...], ...]
    largest: int
    smallest: int
    greatest: int
    closest: tuple[str, str]
    farthest: tuple[str, str]
    n_same: int
    mean: float
    # (M, M); the same of any number of data sets.
    between: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros((0, 0), np.int64), metadata=HIDDEN, compare=False
    )


@dataclass(frozen=True, slots=True)
class DomainEquality:
    """Test that all candidates have the same mean over the domain.

    Attributes
    ----------
    method : {"exact", "hotelling", "kenward-roger"}
    """

    statistic: float
    df1: float
    df2: float
    p_value: float
    log10_p_value: float
    method: str
    target: Target = "domain"


@dataclass(frozen=True, slots=True)
class Effects:
    """Predictions of the random effects (BLUP).

    Attributes
    ----------
    dataset : mapping of str to float
        beta_m: how much worse or better all candidates do on a data set; its
        complexity.
    interaction : mapping of str to mapping of str to float
        beta_mk by data set and candidate: how a data set takes a candidate. One
        that lacks there has none.
    """

    dataset: Mapping[str, float]
    interaction: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ModelFit:
    """A model of one measure, whose decisions are those of its verdict.

    Attributes
    ----------
    verdict : Verdict
        All pairs by this model; its means are what it estimates of each candidate.
    """

    verdict: Verdict = field(metadata=HIDDEN)

    DERIVED: ClassVar = ("coefficients", "pairs", *Verdict.DERIVED, "target")

    @property
    def coefficients(self) -> Mapping[str, float]:
        """The model's mean of each candidate over the data sets."""
        return self.verdict.means

    @property
    def pairs(self) -> PairTable:
        """All pairs by this model."""
        return self.verdict.pairs

    @property
    def order(self) -> tuple[str, ...]:
        """Candidates by these means, best first."""
        return self.verdict.order

    @property
    def leaders(self) -> tuple[str, ...]:
        """Candidates that no other is decided to be better than by this model."""
        return self.verdict.leaders

    @property
    def groups(self) -> Groups | None:
        """The chain of its "decided better", where it is a weak order."""
        return self.verdict.groups

    @property
    def critical_value(self) -> float | None:
        """Of the simultaneous intervals, the largest."""
        return self.verdict.critical_value

    @property
    def target(self) -> str:
        """What its intervals generalise to."""
        return self.verdict.target


@dataclass(frozen=True, slots=True)
class DomainFit(ModelFit):
    """The domain mixed model of one measure with one structure.

    Attributes
    ----------
    verdict : Verdict
        All pairs by this model, which is another method than the verdict unless the study lets it
        decide; `wins`, `ties`, `losses` count data sets by their means. Its means are kappa of
        each candidate: its mean over the domain.
    standard_errors : mapping of str to float
        Of kappa.
    intervals : mapping of str to (float, float)
        Of each kappa alone, at level 1 - alpha, inside the measure's bounds.
    cut : tuple of str
        Candidates whose interval would leave the bounds of the measure.
    variance : mapping of str to float
        "dataset", "interaction", "replication" and "residual"; the first two
        only with "interaction". Of one value a data set and candidate only
        "dataset" and "residual", none with "unstructured".
    variance_intervals : mapping of str to (float, float)
        Of each component alone, at level 1 - alpha: generalised confidence
        intervals, that of the residuals exact; with gaps by Satterthwaite,
        where an estimate is positive. None with "unstructured".
    covariance : tuple of sequences of float, or None
        Of the candidates' effects over data sets, with "unstructured"; in the
        order of `coefficients`. Of more than 300 candidates it is null in results.json.
    sigma_rank : int
        Rank of that covariance.
    zeros : tuple of str
        Variances that are estimated as 0.
    blups : Effects
    reml_criterion : float or None
    equality_test : DomainEquality or None
        None where there are too few data sets for it.
    """

    standard_errors: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    cut: tuple[str, ...]
    variance: Mapping[str, float]
    variance_intervals: Mapping[str, tuple[float, float]]
    covariance: tuple[Sequence[float], ...] | None = field(metadata=stated("listed_covariance"))
    sigma_rank: int
    zeros: tuple[str, ...]
    blups: Effects
    reml_criterion: float | None
    equality_test: DomainEquality | None

    DERIVED: ClassVar = ("structure", *ModelFit.DERIVED)

    @property
    def listed_covariance(self) -> tuple[Sequence[float], ...] | None:
        """The covariance, for results; None of very many candidates."""
        return None if len(self.covariance or ()) > MOST_SQUARED else self.covariance

    @property
    def structure(self) -> str:
        """The structure of the covariance: "interaction" or "unstructured"."""
        return self.verdict.method

    @property
    def common_error(self) -> float | None:
        """The standard error that all pairs have, where gaps do not make it another for some."""
        errors = self.pairs.standard_error[np.isfinite(self.pairs.standard_error)]
        is_same = len(errors) and np.allclose(errors, errors[0], rtol=SAME_ERROR)
        return float(errors.mean()) if is_same else None


@dataclass(frozen=True, slots=True)
class AnovaRow:
    """A term of the analysis of variance.

    Attributes
    ----------
    source : {"dataset", "candidate", "interaction", "replication", "residual"}
    df : int
    squares, mean_square : float
    statistic, p_value : float or None
        F against the residuals, of data sets against replications; None of the residuals.
    """

    source: str
    df: int
    squares: float
    mean_square: float
    statistic: float | None
    p_value: float | None


@dataclass(frozen=True, slots=True)
class FixedEffectsFit(ModelFit):
    """The model of one measure with data sets as fixed effects, replications as blocks.

    Attributes
    ----------
    verdict : Verdict
        All pairs by their average over the data sets, with one variance, given these data sets and
        their data. Its means are the averages of each candidate.
    datasets : tuple of str
    n_parameters : int
        Means of a candidate on a data set.
    anova : tuple of AnovaRow
        Data sets and replications only where no value lacks.
    residual_deviation : float
        Standard deviation of what the model leaves.
    replication_deviation : float or None
        Of the replications, from their mean square; None with gaps.
    """

    datasets: tuple[str, ...]
    n_parameters: int
    anova: tuple[AnovaRow, ...]
    residual_deviation: float
    replication_deviation: float | None

    def term(self, source: str) -> AnovaRow | None:
        """Return a term of the analysis of variance, where it has one."""
        return next((row for row in self.anova if row.source == source), None)


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """A pair that is decided otherwise without a data set.

    Attributes
    ----------
    first, second : str
    before, after : str
        Decisions of first against second with and without the data set.
    statistic_before, statistic_after : float or None
        None where the differences do not vary.
    """

    first: str
    second: str
    before: Decision
    after: Decision
    statistic_before: float | None
    statistic_after: float | None


@dataclass(frozen=True, slots=True)
class Influence:
    """A data set without which the verdict is another one.

    Attributes
    ----------
    dataset : str
    statistic_change : float
        The largest change of an absolute statistic.
    changes : tuple of VerdictChange
        Pairs that are decided otherwise, compared with what was decided before
        this data set was removed.
    leaders_without : tuple of str
        Candidates that no other is then decided to be better than.
    means_without : mapping of str to float
        Of every candidate, without this data set and those named before it.
    ranks_without : mapping of str to int
        By these means, 1 the best.
    """

    dataset: str
    statistic_change: float
    changes: tuple[VerdictChange, ...]
    leaders_without: tuple[str, ...]
    means_without: Mapping[str, float]
    ranks_without: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Divergence:
    """The candidate whose rank by mean lies farthest from its place in the consensus.

    Attributes
    ----------
    candidate : str
    rank : int
        By mean, 1 the best.
    first_place, last_place : int
        In the consensus: those that its group takes.
    n_candidates : int
    datasets : tuple of str
        Those that move its mean most away from its place, as many as bring its
        rank nearest to it when they are left out; at most three, none where
        three do not bring it half the way.
    mean, mean_without : float
        With and without these data sets.
    rank_without : int
    """

    candidate: str
    rank: int
    first_place: int
    last_place: int
    n_candidates: int
    datasets: tuple[str, ...]
    mean: float
    mean_without: float
    rank_without: int


Relationship = Literal["same", "name", "size", "values"]


@dataclass(frozen=True, slots=True)
class RelatedDatasets:
    """Data sets that may be relatives, and so no independent sample.

    Attributes
    ----------
    datasets : tuple of str
    sign : {"same", "name", "size", "values"}
        Every candidate has the same mean on them; a stem of their names; equal numbers of
        observations, variables and classes; candidates that depart alike from their own levels.
    """

    datasets: tuple[str, ...]
    sign: Relationship


@dataclass(frozen=True, slots=True)
class SourceDecisions:
    """What one of few data sets decides for itself.

    Attributes
    ----------
    dataset : str
    better : tuple of pairs of str
        The better candidate and the other, of the pairs that it decides.
    """

    dataset: str
    better: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class DatasetFamily:
    """Data sets that come from one source, or one data set that has no relatives.

    Attributes
    ----------
    name : str
    datasets : tuple of str
    share : float
        Of all weight.
    means : mapping of str to float
        Of the candidates over its data sets, the best first.
    better : tuple of pairs of str, or None
        The better candidate and the other, of the pairs that its data sets alone decide; all
        families together are wrong with probability alpha at most. None with fewer than six.
    leaders_without : tuple of str
        Candidates that no other is decided to be better than without it; empty where that was not
        looked at.
    n_changed : int
        Pairs that are decided otherwise without it.
    """

    name: str
    datasets: tuple[str, ...]
    share: float
    means: Mapping[str, float]
    better: tuple[tuple[str, str], ...] | None
    leaders_without: tuple[str, ...] = ()
    n_changed: int = 0

    @property
    def best(self) -> str:
        """The candidate with the best mean."""
        return next(iter(self.means))


@dataclass(frozen=True, slots=True)
class DatasetFamilies:
    """The families of data sets that a verdict takes for its units.

    Attributes
    ----------
    rows : tuple of DatasetFamily
        In the order of their first data sets.
    weighting : str
        How data sets are weighted: "equal"; "family", where every family counts alike; "given"; or
        the column that says it.
    likeness : float or None
        The correlation of two data sets of a family, the median over pairs; None where no family
        has two.
    widening : float or None
        Standard errors over those of independent data sets, the median over pairs.
    """

    rows: tuple[DatasetFamily, ...]
    weighting: str
    likeness: float | None
    widening: float | None

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.rows)

    @property
    def n_datasets(self) -> int:
        """Their data sets."""
        return sum(len(row.datasets) for row in self.rows)

    @property
    def has_relatives(self) -> bool:
        """Whether some family has several data sets."""
        return self.n < self.n_datasets

    @property
    def fewest(self) -> int:
        """Data sets of the smallest family."""
        return min(len(row.datasets) for row in self.rows)

    @property
    def most(self) -> int:
        """Data sets of the largest family."""
        return max(len(row.datasets) for row in self.rows)

    @property
    def largest(self) -> DatasetFamily:
        """The one with the largest share of the weight."""
        return max(self.rows, key=lambda row: row.share)

    @property
    def largest_first(self) -> tuple[DatasetFamily, ...]:
        """All of them, by their share of the weight."""
        return tuple(sorted(self.rows, key=lambda row: -row.share))

    @property
    def is_dominated(self) -> bool:
        """Whether one has so much of the weight that the others say little."""
        return self.largest.share >= LARGE_SHARE and self.n > 1

    @property
    def winners(self) -> tuple[str, ...]:
        """The candidates that are best in some family, most often first."""
        counts = Counter(row.best for row in self.rows)
        return tuple(name for name, _ in counts.most_common())

    @property
    def n_won(self) -> Mapping[str, int]:
        """In how many families each candidate is best, most first."""
        return dict(Counter(row.best for row in self.rows).most_common())

    @property
    def decisive(self) -> tuple[DatasetFamily, ...]:
        """Those without which pairs are decided otherwise, most of them first."""
        found = [row for row in self.rows if row.n_changed]
        return tuple(sorted(found, key=lambda row: -row.n_changed))


@dataclass(frozen=True, kw_only=True)
class DomainVerdict(Verdict):
    """The decisions on every pair of one measure over the data sets.

    Attributes
    ----------
    target : {"domain", "these-sources", "conditional", "these-tasks"}
    method : str
        The method that decides: each pair's own variance over data sets ("own-variance"), or over
        "families" of them, whether they count unequally or some are relatives; of two to five the
        errors of each ("sources"); who is ahead on more of them, where they have no scale in
        common; a model, if the study chooses one; of items the variances within these tasks.
    pairs : PairTable
        The verdict on every pair, on which all texts rest. Further
        columns: `n` (data sets that have both), `wins`, `ties`, `losses` (on
        which the first is better, equal, worse); by own variances
        `skewness` and `is_constant` of the differences; of few data sets `n_shown` (on at least
        how many of them the one ahead is shown to be better) and `n_reversed` (how many show the
        other one better); with gaps `adverse_first` and `adverse_second`.
    n_datasets : int
        The units; each has the same weight.
    datasets, missing_datasets : tuple of str
        Those with a value that goes in, and the others.
    missing_by_dataset : mapping of str to tuple of str
        Candidates without a value by data set.
    n_missing : int
        Of items, those of tasks that a candidate compared has no value of.
    intervals : mapping of str to (float, float)
        Of each mean alone, at level 1 - alpha, inside the measure's bounds.
        Without those that one value does not give.
    cut : tuple of str
        Candidates whose interval would leave the bounds of the measure.
    influence : tuple of Influence, or None
        Data sets without which the verdict is another one, the most influential
        first, each looked for without those before it; at most three. None
        where a model decides, and where there are too many pairs or data sets.
    choice : DomainScale or None
        What the scale was chosen by.
    each : tuple of SourceDecisions
        Of few data sets, what each decides for itself, all of them together at level alpha.
    fixed : tuple of str
        Of few data sets, those whose error for new data is over the observations of a fixed test
        sample, as the learning samples go.
    dataset_families : DatasetFamilies or None
        Where data sets are relatives, or count unequally.
    each_for : {"", "new-data", "experiment"}
        Of six or more data sets, what `n_shown` of a pair speaks of: new data of each data set, or
        its replications alone; empty where that is not there.
    """

    target: Target
    method: VerdictMethod
    n_datasets: int
    datasets: tuple[str, ...]
    missing_datasets: tuple[str, ...] = ()
    missing_by_dataset: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    n_missing: int = 0
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    cut: tuple[str, ...] = ()
    influence: tuple[Influence, ...] | None = None
    each: tuple[SourceDecisions, ...] = ()
    fixed: tuple[str, ...] = ()
    choice: DomainScale | None = None
    units: DomainUnits = field(default=NO_UNITS, metadata=HIDDEN)
    errors: SourceErrors | None = field(default=None, metadata=HIDDEN)
    dataset_families: DatasetFamilies | None = None
    each_for: Literal["", "new-data", "experiment"] = ""
    own_errors: SourceErrors | None = field(default=None, metadata=HIDDEN)

    DERIVED: ClassVar = (*Verdict.DERIVED, "rank_ranges", "may_be_first")

    def larger_family(self, pairs: PairTable, n_comparisons: int) -> PairTable:
        """Return the pairs with intervals and p-values of a larger family, not decided anew."""
        smaller, names, units = self.measure.is_smaller_better, pairs.candidates, self.units
        if self.method == "wins":
            table = compare_wins(
                units.values, self.alpha, smaller, n_comparisons=n_comparisons, **units.gaps
            )
        elif self.errors is not None:
            table = compare_sources(
                self.errors, all_pairs(len(names)), self.alpha, n_comparisons=n_comparisons
            )
            there = np.isfinite(units.values)
            adverse = adverse_sources(
                self.errors, table.pairs, there, smaller, units.missing_by_design
            )
            table = table.held_against(adverse)
            table = as_ratios(table) if self.is_ratio else table
        else:
            table = super().larger_family(pairs, n_comparisons)
            if self.own_errors is None:
                return table
            level = self.alpha / (2 * n_comparisons)
            shown = shown_on(self.own_errors.of_pairs(self.pairs.places), self.effects, level)
            return table.with_columns(n_shown=shown)
        return table.counted(units.values, smaller, units.shared).named(names, self.target, smaller)

    def against(self, reference: str) -> DomainVerdict:
        """Decide on the pairs with one candidate alone; the rate of false ones is over these."""
        found = super().against(reference)
        if "fdr_p_value" not in self.pairs.extra:
            return found
        p_values = np.where(found.pairs.is_open, np.nan, found.pairs.p_value)
        adjusted = benjamini_hochberg(p_values)
        return replace(found, pairs=found.pairs.with_columns(fdr_p_value=adjusted))

    @property
    def effects(self) -> NDArray[np.float64]:
        """The pairs' estimates with 0 for equality, whatever the scale."""
        found = self.pairs.estimate
        return np.log(found) if self.is_ratio else found

    @cached_property
    def false_discovery(self) -> PairTable:
        """All pairs by the false discovery rate, which is another promise than the verdict's."""
        adjusted = self.pairs.extra["fdr_p_value"]
        rows = np.column_stack([self.pairs.first, self.pairs.second])
        table = PairTable.of(
            rows,
            self.pairs.estimate,
            "false-discovery",
            self.alpha,
            adjusted_p_value=np.where(self.pairs.undone_by_gaps, 1.0, adjusted),
            scale=self.pairs.scale,
        )
        smaller = self.pairs.is_smaller_better
        return table.named(self.pairs.candidates, self.target, smaller).decided()

    @property
    def deciding_target(self) -> DecidingTarget:
        """What the verdict speaks of (`reportgen.study.target.deciding_target`)."""
        found = GENERALISATIONS[self.target].decides
        is_few = found == "domain" and self.n_datasets < FEWEST_OF_DOMAIN
        return "experiment" if is_few else found

    def pairs_for(self, target: DecidingTarget) -> PairTable | None:
        """Return the pairs whose decisions speak of a target; None where the verdict has none."""
        return self.pairs if target == self.deciding_target else None

    @property
    def outlier(self) -> None:
        """Values that dwarf all others are named where they were measured, on their data set."""
        return None

    @property
    def scale_of_pairs(self) -> PairScale:
        """How pairs are compared."""
        return self.pairs.scale

    @property
    def number_format(self) -> NumberFormat:
        """How differences, ratios, or shares of wins are written."""
        if self.is_wins:
            return SHARES
        found = self.value_format.of_ratios() if self.is_ratio else self.value_format
        return found.beside(self.relevance)

    @property
    def value_format(self) -> NumberFormat:
        """How values are written, so that each interval shows its width."""
        intervals = (*self.intervals.values(), *self.pairs.difference_intervals.tolist())
        return number_format(self.measure, self.means.values(), intervals=intervals)

    @property
    def is_own(self) -> bool:
        """Whether each pair is decided by its own variance."""
        return self.method == "own-variance"

    @property
    def is_vast(self) -> bool:
        """Whether data sets are neither left out in turn nor their signs flipped for so many."""
        n = self.n_datasets
        return len(self.pairs) * n * max(n, FEWEST_LOOKS) > MOST_DIFFERENCES

    @property
    def is_wins(self) -> bool:
        """Whether pairs are compared by who is ahead on more data sets."""
        return self.pairs.scale == "wins"

    @property
    def n_units(self) -> int:
        """The data sets, or where some are relatives their families."""
        return self.n_datasets if self.dataset_families is None else self.dataset_families.n

    @property
    def has_relatives(self) -> bool:
        """Whether some data sets are of one family."""
        return self.dataset_families is not None and self.dataset_families.has_relatives

    @property
    def gaps(self) -> Mapping[str, int]:
        """How many data sets lack a candidate, of those that do lack some."""
        short = {name: self.n_datasets - n for name, n in self.n_values.items()}
        return {name: n for name, n in short.items() if n}

    @property
    def is_of_shared(self) -> bool:
        """Whether some pair is compared over the replications that both have."""
        return self.units.shared is not None

    @property
    def is_filled(self) -> bool:
        """Whether `means` count gaps of data sets, or of their replications."""
        return bool(self.own_means)

    @property
    def filled_names(self) -> tuple[str, ...]:
        """Candidates whose mean counts gaps of data sets, or of their replications; best first."""
        own, gaps = self.own_means, self.gaps
        if not own:
            return ()
        return tuple(n for n in self.order if n in gaps or own[n] != self.means[n])

    @property
    def reversals(self) -> tuple[tuple[str, str, tuple[str, ...], tuple[str, ...]], ...]:
        """Two candidates, and data sets that decide for the first, and for the second."""
        found: dict[tuple[str, str], list[str]] = {}
        for one in self.each:
            for pair in one.better:
                found.setdefault(pair, []).append(one.dataset)
        both = ((a, b) for a, b in found if (b, a) in found)
        place = {name: k for k, name in enumerate(self.order)}
        return tuple(
            (a, b, tuple(found[a, b]), tuple(found[b, a])) for a, b in both if place[a] < place[b]
        )

    @property
    def ahead_everywhere(self) -> str | None:
        """Who alone has the best value on all of two to five data sets, where there is no test."""
        values, filled = self.units.values, self.units.filled
        if not len(values) or not self.is_open or not 2 <= self.n_datasets <= MOST_SOURCES:
            return None
        if not np.isfinite(values).all():
            return None
        every = np.concatenate([values, filled])  # nor does a gap make it ahead
        signed = every if self.measure.is_smaller_better else -every
        ordered = np.sort(signed, axis=1)
        first = np.argmin(signed, axis=1)
        is_alone = (ordered[:, 0] < ordered[:, 1]).all()
        return self.pairs.candidates[first[0]] if is_alone and len(set(first)) == 1 else None

    @property
    def chance_everywhere(self) -> float:
        """The chance that some one of equal candidates is ahead on all data sets."""
        return float(len(self.pairs.candidates)) ** (1 - self.n_datasets)

    @property
    def fewest_datasets(self) -> int:
        """Shared data sets from which a pair is decided on."""
        return FEWEST_UNITS

    @property
    def n_relevant(self) -> int:
        """Pairs that are decided to differ by more than the area of equivalence."""
        return sum(d in ("better-relevant", "worse-relevant") for d in self.pairs.decision)

    @property
    def equivalent(self) -> tuple[Pair, ...]:
        """Pairs that are decided to be equivalent, and not to differ."""
        places = [i for i, kind in enumerate(self.pairs.kinds) if kind == "equivalent"]
        return self.pairs.at(np.array(places, dtype=np.intp)).rows

    @property
    def varies_unequally(self) -> bool:
        """Whether the largest standard error of a pair is more than twice the smallest."""
        found = self.standard_errors
        return found is not None and found[1] > UNEVEN * found[0]

    @property
    def parting(self) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """Candidates each of which is decided better than the same others, and these others."""
        beaten = set(self.beats.values())
        return (tuple(self.beats), beaten.pop()) if len(beaten) == 1 else None

    @property
    def standard_errors(self) -> tuple[float, float] | None:
        """The least and largest of the family's pairs; None without any, or of ratios."""
        known = self.pairs.standard_error[~self.pairs.is_open]
        known = known[np.isfinite(known)]
        if self.scale_of_pairs != "difference" or not len(known):
            return None
        return float(known.min()), float(known.max())

    def differing(self, pairs: PairTable) -> tuple[tuple[Pair, Pair], ...]:
        """Return the pairs on which another method decides otherwise.

        `pairs`: of the same candidates or of some of them.
        Result: the verdict and the other, both with the better mean first.
        """
        others = pairs.arranged(self.order)
        mine, theirs = self._differing(others)
        return tuple(zip(self.arranged.at(mine), others.at(theirs), strict=True))

    def n_differing(self, pairs: PairTable) -> int:
        """Return on how many pairs another method decides otherwise."""
        return len(self._differing(pairs.arranged(self.order))[0])

    def _differing(self, others: PairTable) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows of the verdict, and of others in its order, where these decide other."""
        rows = others.rows_of(self.arranged)
        differs = (rows >= 0) & (self.arranged.direction != others.direction[rows])
        return np.flatnonzero(differs), rows[differs]


@dataclass(frozen=True, slots=True)
class DomainResult:
    """The results over all data sets.

    Attributes
    ----------
    main : str
        Name of the main measure.
    datasets : tuple of str
        In the study's order.
    relations : mapping of str to str
        By measure: the id of the relation of each data set that is a member.
    missing_relations : mapping of str to tuple of str
        By measure: data sets without such a relation.
    distances : Distances or None
        None with fewer than two relations, and with more than 2,000.
    leaf_order : tuple of str
        All data sets, alike ones side by side; those without a relation last.
    merges : tuple of pairs of int
        The steps of the clustering, by place in `distances.datasets`; M and
        more stand for what an earlier step has made.
    merge_heights : tuple of float
    branches : tuple of tuples of str
        The two clusters that the last step joins, in the order of the leaves;
        empty where it joins them at distance 0.
    rows : tuple of DatasetRow
        In the order of `leaf_order`.
    consensus : mapping of str to ConsensusResult
        By measure, over the data sets.
    consensus_all : ConsensusResult or None
        Over the data sets' local consensus relations; None with one measure.
    several : tuple of str
        Data sets whose local consensus has several optima.
    settings : mapping of str to int
        Data sets of which there are several settings, which the study has chosen: how many.
    shares_observations : bool
        Whether settings of one data set hold the same observations.
    verdict : mapping of str to DomainVerdict
        By measure; without those of which fewer than two candidates or two data
        sets have values.
    bases : mapping of str to DomainBasis
        By measure: what its models rest on.
    mixed_model : mapping of str to mapping of str to DomainFit
        By measure and structure: of all replications.
    block_model : mapping of str to mapping of str to DomainFit
        Of the data sets' means, for measures of which there is no mixed model.
    fixed_effects : mapping of str to FixedEffectsFit
        By measure: the model with data sets as fixed effects, where the study asks for it.
    sign_flips : mapping of str to PairTable
        By measure: the pairs under sign flips of whole data sets, where there
        are too few for a joint law and enough for small p-values.
    across : mapping of str to AcrossRanks
        By measure.
    agreement : mapping of str to Agreement
        By measure: all methods to an order side by side.
    subdomains : Subdomains or None
        Where the tree is cut; None with few data sets, or one relation.
    stability : BootstrapSupport or None
        Of the main measure's consensus; None with few data sets, or many
        candidates.
    hierarchical : Order or None
        The consensus by the first measure, its ties broken by that by the
        second, and so on; None with one measure.
    divergence : Divergence or None
        Of the main measure; None where ranks by mean and places in the only
        consensus differ by less than two.
    regret : Regret or None
        Of the main measure; None where no data set has two candidates.
    interaction : Interaction or None
        Of the main measure.
    first_without : tuple of str
        Candidates that are first by mean when some one data set is left out.
    timed : str or None
        The measure of `slowest` of the rows.
    related : tuple of RelatedDatasets
        Data sets that may be relatives; none of settings, which are.
    sort : {"name", "tree", "study"}
        The order of the data sets in the table of their means.
    values : mapping of str to ndarray of shape (B, K)
        Of the main measure by data set, in the order of the candidates; NaN where there is none.
    """

    main: str
    datasets: tuple[str, ...]
    relations: Mapping[str, str]
    missing_relations: Mapping[str, tuple[str, ...]]
    distances: Distances | None
    leaf_order: tuple[str, ...]
    merges: tuple[tuple[int, int], ...]
    merge_heights: tuple[float, ...]
    branches: Groups
    rows: tuple[DatasetRow, ...]
    consensus: Mapping[str, ConsensusResult]
    consensus_all: ConsensusResult | None
    several: tuple[str, ...]
    settings: Mapping[str, int]
    shares_observations: bool
    verdict: Mapping[str, DomainVerdict]
    bases: Mapping[str, DomainBasis]
    mixed_model: Mapping[str, Mapping[str, DomainFit]]
    block_model: Mapping[str, Mapping[str, DomainFit]]
    sign_flips: Mapping[str, PairTable]
    across: Mapping[str, AcrossRanks]
    agreement: Mapping[str, Agreement]
    subdomains: Subdomains | None
    stability: BootstrapSupport | None
    hierarchical: Order | None = None
    fixed_effects: Mapping[str, FixedEffectsFit] = field(default_factory=dict)
    divergence: Divergence | None = None
    regret: Regret | None = None
    interaction: Interaction | None = None
    first_without: tuple[str, ...] = ()
    timed: str | None = None
    related: tuple[RelatedDatasets, ...] = ()
    sort: Literal["name", "tree", "study"] = field(default="name", metadata=HIDDEN)
    candidates: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    values: Mapping[str, NDArray[np.float64]] = field(
        default_factory=dict, compare=False, metadata=HIDDEN
    )
    measures: Mapping[str, Measure] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def ensembles(self) -> tuple[tuple[str | None, ConsensusResult], ...]:
        """The consensus by each measure, and by all (None), where some relation orders somebody."""
        every = (*self.consensus.items(), (None, self.consensus_all))
        return tuple((m, c) for m, c in every if c and c.relations and not c.orders_nobody)

    @property
    def main_measure(self) -> Measure:
        """The main measure."""
        return self.measures[self.main]

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The data sets that have values of other measures alone."""
        measured = {row.name for row in self.rows}
        return tuple(name for name in self.datasets if name not in measured)

    @property
    def replaced(self) -> Measure | None:
        """The study's first measure, where fewer than two data sets have values of it."""
        first = next(m for m in self.measures.values() if target_exponent(m.name) is None)
        return None if first.name == self.main else first

    @property
    def n_bases(self) -> int:
        """Data sets, several settings of one counted once."""
        return len(self.datasets) - sum(self.settings.values()) + len(self.settings)

    @property
    def is_tested(self) -> bool:
        """Whether relations of the main measure come from tests on replications, not from means."""
        return not self.relations.get(self.main, "/mean").endswith("/mean")

    @property
    def is_untested_alone(self) -> bool:
        """Whether data sets have too few replications for tests of each by itself."""
        # What is known of new data of each decides with fewer: then they are tested.
        verdict, basis = self.verdict.get(self.main), self.bases.get(self.main)
        if verdict is None or basis is None or not self.is_tested:
            return False
        is_few = verdict.method == "sources" and verdict.target == "conditional"
        of_replications = is_few or verdict.each_for == "experiment"
        return of_replications and 0 < basis.most_replications < FEWEST_UNITS

    @property
    def is_once(self) -> bool:
        """Whether no data set has more than one value a candidate."""
        basis = self.bases.get(self.main)
        return basis is not None and basis.most_replications == 1

    @property
    def n_missing(self) -> int:
        """Values that lack on the main measure, over all data sets."""
        return sum(row.n_missing for row in self.rows)

    @property
    def n_gappy(self) -> int:
        """Data sets on which such values lack."""
        return sum(row.n_missing > 0 for row in self.rows)

    @property
    def has_signed_ranks(self) -> bool:
        """Whether pairs are compared by signed ranks on some measure."""
        return any(ranks.pairs is not None for ranks in self.across.values())

    @property
    def promise(self) -> Promise | None:
        """What is known of the probability of a wrong decision; None where a model decides."""
        return promise_of(v.pairs for v in self.verdict.values() if v.is_own)

    @property
    def has_area(self) -> bool:
        """Whether signed ranks know an area of equivalence of some measure."""
        return any(ranks.has_area for ranks in self.across.values())

    @property
    def has_ratios(self) -> bool:
        """Whether pairs are compared by ratio on some measure."""
        return any(verdict.is_ratio for verdict in self.verdict.values())

    @property
    def has_cut(self) -> bool:
        """Whether the interval of some mean ends at a bound of its measure."""
        return any(verdict.cut for verdict in self.verdict.values())

    @property
    def other_bases(self) -> tuple[DomainBasis, ...]:
        """What the models of the other measures rest on."""
        return tuple(basis for name, basis in self.bases.items() if name != self.main)

    @property
    def n_without_chain(self) -> int:
        """Data sets whose relation is no weak order."""
        return sum(not row.chain for row in self.ordered_rows)

    @property
    def has_chains(self) -> bool:
        """Whether some relation is a weak order: then stars tell data sets without one."""
        return any(row.chain for row in self.rows)

    @property
    def has_borders(self) -> bool:
        """Whether the summary plot parts neighbours: in rows that have a weak order."""
        return any(row.chain and any(row.is_better_than_next) for row in self.rows)

    @property
    def common_baseline(self) -> float | None:
        """The value of a constant prediction, where it is one for all data sets."""
        known = {row.baseline for row in self.rows}
        if len(known) == 1 and None not in known:
            return known.pop()
        return chance(self.main) if known <= {None} else None

    @property
    def has_standard_errors(self) -> bool:
        """Whether standard errors of the means are known."""
        return any(row.standard_errors for row in self.rows)

    @property
    def largest_errors(self) -> tuple[float, float]:
        """The least and the largest standard error of a candidate's mean on a data set."""
        errors = [x for row in self.rows for x in row.standard_errors.values()]
        return min(errors), max(errors)

    @property
    def has_brackets(self) -> bool:
        """Whether rows of the summary plot are so few that brackets below join candidates."""
        return len(self.rows) <= MOST_BRACKETED

    @property
    def is_unclustered(self) -> bool:
        """Whether data sets are so many that their relations are not clustered."""
        return len(self.rows) > MOST_CLUSTERED

    @property
    def lists_all(self) -> bool:
        """Whether the main table and the summary plot name every data set."""
        return n_shown(len(self.rows), MOST_LISTED) == len(self.rows)

    @property
    def is_supplied(self) -> bool:
        """Whether a table of the supplement has the means and orders of all data sets."""
        return not self.lists_all and len(self.rows) <= MOST_SUPPLIED

    @property
    def named_rows(self) -> tuple[str, ...]:
        """The data sets that the summary plot names: of very many those that depart most."""
        if self.lists_all:
            return tuple(row.name for row in self.rows)
        departing = self.interaction.most_departing(MOST_DATASETS) if self.interaction else ()
        kept = set(departing) or {row.name for row in self.rows[:MOST_DATASETS]}
        return tuple(row.name for row in self.rows if row.name in kept)

    @property
    def parts(self) -> tuple[range, ...]:
        """The rows of the summary plot by the page that they are on."""
        n = len(self.rows)
        n_parts = -(-n // MOST_IN_PART) if self.lists_all else 1
        ends = [round(n * i / n_parts) for i in range(n_parts + 1)]
        return tuple(range(a, b) for a, b in pairwise(ends))

    @property
    def able_methods(self) -> tuple[MethodOrder, ...]:
        """The main methods but those that can decide no pair with so few data sets."""
        verdict, across = self.verdict.get(self.main), self.across.get(self.main)
        unable: set[ComparisonMethod] = set()
        if verdict is not None and verdict.is_open:
            unable.add(verdict.method)
        if across is not None and not across.can_reject:
            unable.add("signed-ranks")
        found = self.agreement[self.main].main_methods
        return tuple(order for order in found if order.method not in unable)

    @property
    def n_common_pairs(self) -> int:
        """How many pairs all of `able_methods` put in the same order."""
        every = [order.ahead.incidence for order in self.able_methods]
        return int(np.count_nonzero(np.all(every, axis=0))) if every else 0

    @property
    def n_departing(self) -> tuple[int, int]:
        """How many data sets and candidates the figure of departures shows."""
        n, k = len(self.rows), len(self.candidates)
        return n_shown(n, MOST_DATASETS), n_shown(k, MOST_CANDIDATES)

    @property
    def of_one(self) -> str:
        """What a candidate has on a data set: the mean of replications, or one value."""
        return "value" if self.is_once else "mean"

    @property
    def of_mean(self) -> str:
        """What stands before the measure where a candidate has the mean of replications."""
        return "" if self.is_once else "mean "

    @property
    def ranks(self) -> Mapping[str, tuple[float, ...]]:
        """The candidates' ranks by mean on each data set that has all of them."""
        names, rows = self._ranked_candidates, self._ranked_rows
        if not rows:
            return {}
        values = levelled(np.array([[row.means[n] for n in names] for row in rows]))
        found = within_block_ranks(values, self.main_measure.is_smaller_better)
        return {name: tuple(own) for name, own in zip(names, found.T.tolist(), strict=True)}

    @property
    def ranked_datasets(self) -> tuple[str, ...]:
        """The data sets that `ranks` are on."""
        return tuple(row.name for row in self._ranked_rows)

    @property
    def _ranked_candidates(self) -> tuple[str, ...]:
        return tuple(self.across[self.main].mean_ranks) if self.main in self.across else ()

    @property
    def _ranked_rows(self) -> list[DatasetRow]:
        names = self._ranked_candidates
        return [row for row in self.rows if names and set(names) <= set(row.means)]

    @property
    def ordered_rows(self) -> tuple[DatasetRow, ...]:
        """Data sets that have a relation."""
        return tuple(row for row in self.rows if not row.unavailable)

    @property
    def alone(self) -> Mapping[str, int]:
        """On how many data sets a candidate alone is not beaten, the largest number first."""
        counts = {n: sum(row.best == (n,) for row in self.ordered_rows) for n in self.candidates}
        return dict(sorted(((n, c) for n, c in counts.items() if c), key=lambda one: -one[1]))

    @property
    def part_apart(self) -> Subdomain | None:
        """The largest part of the domain that has leaders of its own and returns often enough."""
        agreed = self.consensus.get(self.main)
        found = [
            part
            for part in (self.subdomains.parts if self.subdomains and agreed else ())
            if part.leaders
            and agreed is not None
            and set(part.leaders) != set(agreed.best)
            and part.returns is not None
            and part.returns >= LEAST_SHARE
            and len(part.datasets) >= FEWEST_TOLD
        ]
        return max(found, key=lambda part: len(part.datasets), default=None)

    @property
    def most_alone(self) -> tuple[tuple[str, ...], int] | None:
        """The candidates that most often alone are not beaten, and how often each."""
        most = max(self.alone.values(), default=0)
        names = tuple(n for n, count in self.alone.items() if count == most)
        return (names, most) if names else None

    @property
    def n_shared(self) -> int:
        """Data sets on which several candidates are not beaten."""
        return sum(len(row.best) > 1 for row in self.ordered_rows)

    @property
    def last(self) -> Mapping[str, int]:
        """On how many data sets a candidate alone has the worst mean, the largest number first."""
        worst = (self._worst(row) for row in self.rows if len(row.means) > 1)
        named = [names[0] for names in worst if len(names) == 1]
        return dict(sorted(((n, named.count(n)) for n in set(named)), key=lambda one: -one[1]))

    @property
    def divided(self) -> tuple[str, int, int] | None:
        """A candidate that is often alone best and often alone worst, each at least twice.

        By the means alone; None where pairs are decided on data sets, which is another matter.
        """
        if self.is_tested:
            return None
        last = self.last
        both = [(name, n, last.get(name, 0)) for name, n in self.alone.items()]
        name, best, worst = max(both, key=lambda one: min(one[1:]), default=("", 0, 0))
        return (name, best, worst) if min(best, worst) >= LEAST_OFTEN else None

    def _worst(self, row: DatasetRow) -> list[str]:
        """Return the candidates with the worst mean on a data set."""
        worst = (max if self.main_measure.is_smaller_better else min)(row.means.values())
        return [name for name, x in row.means.items() if x == worst]

    def best_means(self, row: DatasetRow) -> list[str]:
        """Return the candidates with the best mean on a data set."""
        best = (min if self.main_measure.is_smaller_better else max)(row.means.values(), default=0)
        return [name for name, x in row.means.items() if x == best]

    @property
    def is_level(self) -> bool:
        """Whether no data set tells two candidates apart."""
        rows = self.ordered_rows
        return bool(rows) and all(len(row.best) == len(row.means) for row in rows)

    @property
    def extremes(self) -> tuple[tuple[str, float], tuple[str, float]] | None:
        """The data sets with the smallest and the largest mean of a candidate, and these."""
        means = [(row.name, x) for row in self.rows for x in row.means.values()]
        if not means:
            return None
        return min(means, key=lambda one: one[1]), max(means, key=lambda one: one[1])

    def by_ranks_alone(self, measure: str) -> tuple[Pair, ...]:
        """Return pairs that signed ranks decide and the verdict does not, the better first."""
        return self._apart(measure, by_ranks=True)

    def not_by_ranks(self, measure: str) -> tuple[Pair, ...]:
        """Return pairs that the verdict decides and signed ranks do not, the better first."""
        return self._apart(measure, by_ranks=False)

    def _apart(self, measure: str, *, by_ranks: bool) -> tuple[Pair, ...]:
        verdict, across = self.verdict.get(measure), self.across.get(measure)
        if verdict is None or across is None or across.pairs is None:
            return ()
        others = across.pairs.arranged(verdict.order)
        rows = others.rows_of(verdict.arranged)
        is_apart = (others.significant[rows] == by_ranks) & (
            verdict.arranged.significant != by_ranks
        )
        places = np.flatnonzero((rows >= 0) & is_apart)
        pairs = others.at(rows[places]) if by_ranks else verdict.arranged.at(places)
        return pairs.rows

    def fits(self, measure: str) -> Mapping[str, DomainFit]:
        """Return the models of a measure by structure: of all replications, else of means."""
        return self.mixed_model.get(measure) or self.block_model.get(measure, {})

    @property
    def has_models(self) -> bool:
        """Whether there is a model of any measure."""
        return any(self.fits(measure) for measure in self.bases)

    def model(self, measure: str) -> DomainFit | None:
        """Return the model that predicts: that which decides, else the one with one variance."""
        fits, verdict = self.fits(measure), self.verdict.get(measure)
        return fits.get(verdict.method if verdict else "", fits.get("interaction"))

    def others(self, measure: str) -> tuple[DomainFit, ...]:
        """Return the models of a measure that do not decide."""
        verdict = self.verdict.get(measure)
        chosen = verdict.method if verdict else ""
        return tuple(fit for name, fit in self.fits(measure).items() if name != chosen)
