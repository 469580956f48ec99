"""Results of the domain: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from reportgen.sections.consensus.result import ConsensusResult, Order
from reportgen.sections.domain.basis import DomainBasis, Groups, Structure
from reportgen.sections.inference.result import StudyFamily
from reportgen.stats.decisions import Decision
from reportgen.stats.pair_table import Pair, PairTable
from reportgen.stats.pairs.own_variances import FEWEST_UNITS
from reportgen.stats.ranks.friedman import ImanDavenportTest
from reportgen.stats.relations.relations import OrderClass
from reportgen.stats.subsamples import Recurrence
from reportgen.warehouse import Measure, Target

LEAST_STRUCTURE = 0.25  # average silhouette width: what is not above it may be chance


ComparisonMethod = Literal[
    "means",
    "mean-ranks",
    "consensus",
    "own-variance",
    "interaction",
    "unstructured",
    "signed-ranks",
    "bayesian",
]
Reason = Literal["size-against-count", "own-variance", "ranks-against-means", "not-tested"]


@dataclass(frozen=True, slots=True)
class AcrossRanks:
    """One value per data set: Demsar's comparison of the candidates by ranks.

    Attributes
    ----------
    n_datasets : int
        With a mean of every candidate.
    left_out : tuple of str
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
        Mean ranks that differ by no more are not distinguished by Nemenyi's test.
    rank_groups : tuple of tuples of str
        Candidates that it does not distinguish, best first.
    groups : tuple of tuples of str
        Candidates of which no two are distinguished by signed rank tests, best
        first. A group may leave out a candidate that stands between its members.
    least_p_value : float or None
        The smallest adjusted p-value that so many data sets can give.
    area : tuple of two floats
        Of practical equivalence, in the posterior: that of relevance, or (0, 0).
    pairs : PairTable or None
        Wilcoxon's signed rank tests of all pairs, in the order of the mean
        ranks, adjusted by Holm's procedure; they estimate nothing. Further
        columns: `mean_difference` (first - second), `wins`, `ties`, `losses`
        (data sets on which the first is better, equal, worse),
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
    left_out: tuple[str, ...]
    mean_ranks: Mapping[str, float]
    statistic: float | None
    df: int | None
    p_value: float | None
    iman_davenport: ImanDavenportTest | None
    alpha: float
    order: tuple[str, ...]
    critical_difference: float | None
    rank_groups: Groups
    groups: Groups
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
    better : tuple of pairs of str
        Who is put before whom.
    """

    method: ComparisonMethod
    order: Groups | None
    best: tuple[str, ...]
    better: tuple[tuple[str, str], ...]


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
        signed ranks and the verdict differ; no test distinguishes the two, and only orders without
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


@dataclass(frozen=True, slots=True)
class Agreement:
    """All methods on one measure side by side.

    Attributes
    ----------
    methods : tuple of MethodOrder
    n_pairs : int
    disagreements : tuple of Disagreement
        Pairs on which methods differ.
    """

    methods: tuple[MethodOrder, ...]
    n_pairs: int
    disagreements: tuple[Disagreement, ...]

    @property
    def reversals(self) -> tuple[Disagreement, ...]:
        """Pairs that one method puts in one order and another in the reverse."""
        return tuple(d for d in self.disagreements if d.before and d.after)


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
    recurrence : Recurrence or None
        In how many subsamples of the data sets all parts return; None where
        that cannot be assessed.
    """

    height: float
    silhouette: float
    most: int
    parts: tuple[Subdomain, ...]
    recurrence: Recurrence | None = None

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
class Returning:
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
class Stability:
    """The stability of the consensus when data sets are resampled.

    Attributes
    ----------
    n_resamples : int
        Draws of as many data sets, with replacement.
    pairs : tuple of Returning
        The least stable first.
    first : mapping of str to float
        Share of resamples in which no candidate is before this one in all
        optima.
    n_unsettled : int
        Resamples whose consensus could not be settled; what is not proven
        counts as level there.
    """

    n_resamples: int
    pairs: tuple[Returning, ...]
    first: Mapping[str, float]
    n_unsettled: int


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
        Candidates by the chain, then by mean; by mean alone without a chain.
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


@dataclass(frozen=True, slots=True)
class Box:
    """The numbers of a box plot of one candidate on one data set.

    Attributes
    ----------
    lower, middle, upper : float
        Quartiles.
    low, high : float
        Ends of the whiskers: the outermost values within 1.5 times the
        interquartile range of the box.
    outside : tuple of float
        Values beyond, each once.
    """

    lower: float
    middle: float
    upper: float
    low: float
    high: float
    outside: tuple[float, ...]


HIDDEN = {"results": False}
LEAST_WINNERS = 0.25  # share of data sets with a winner alone from which the graph marks these


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
class DomainFit:
    """The domain mixed model of one measure with one structure.

    Attributes
    ----------
    structure : {"interaction", "unstructured"}
    coefficients, standard_errors : mapping of str to float
        kappa of each candidate: its mean over the domain.
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
    covariance : tuple of tuples of float, or None
        Of the candidates' effects over data sets, with "unstructured"; in the
        order of `coefficients`.
    sigma_rank : int
        Rank of that covariance.
    zeros : tuple of str
        Variances that are estimated as 0.
    blups : Effects
    reml_criterion : float or None
    equality_test : DomainEquality or None
        None where there are too few data sets for it.
    critical_value : float
        Of the simultaneous intervals, the largest.
    pairs : PairTable
        All pairs by this model, which is another method than the verdict unless the
        study lets it decide; `wins`, `ties`, `losses` count data sets by their means.
    order : tuple of str
        Candidates by kappa, best first.
    leaders : tuple of str
        Candidates that no other is decided to be better than by this model.
    groups : tuple of tuples of str, or None
        The chain of its "decided better", where it is a weak order.
    """

    structure: Structure
    coefficients: Mapping[str, float]
    standard_errors: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    cut: tuple[str, ...]
    variance: Mapping[str, float]
    variance_intervals: Mapping[str, tuple[float, float]]
    covariance: tuple[tuple[float, ...], ...] | None
    sigma_rank: int
    zeros: tuple[str, ...]
    blups: Effects
    reml_criterion: float | None
    equality_test: DomainEquality | None
    critical_value: float
    pairs: PairTable
    order: tuple[str, ...]
    leaders: tuple[str, ...]
    groups: Groups | None
    target: Target = "domain"


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


@dataclass(frozen=True, slots=True)
class DomainVerdict:
    """The decisions on every pair of one measure over the data sets.

    Attributes
    ----------
    measure : Measure
    alpha : float
        Error probability of the family: all pairs of this measure, or of `family`.
    relevance : tuple of two floats or None
        Area of equivalence, on the scale of the pairs.
    target : {"domain", "conditional"}
    method : {"own-variance", "interaction", "unstructured"}
        The method that decides: each pair's own variance over data sets, unless the study
        chooses a model.
    n_datasets : int
        The units.
    datasets, left_out : tuple of str
        Those with a value that goes in, and the others.
    lacking : mapping of str to tuple of str
        Candidates without a value by data set.
    pairs : PairTable
        The verdict on every pair, on which all texts rest. Further
        columns: `n` (data sets that have both), `wins`, `ties`, `losses` (on
        which the first is better, equal, worse) and, by own variances,
        `skewness` and `is_constant` of the differences.
    means : mapping of str to float
        Of every candidate over the data sets, each with the same weight;
        geometric where pairs are compared by ratio; adjusted for data sets
        that lack it.
    intervals : mapping of str to (float, float)
        Of each mean alone, at level 1 - alpha, inside the measure's bounds.
        Without those that one value does not give.
    cut : tuple of str
        Candidates whose interval would leave the bounds of the measure.
    order : tuple of str
        Candidates by `means`, best first.
    leaders : tuple of str
        Candidates that no other is decided to be better than, best mean first.
    groups : tuple of tuples of str, or None
        The chain of "decided better", best first, where it is a weak order:
        pairs inside a group are not decided.
    critical_value : float or None
        Of the absolute statistic, the largest.
    influence : tuple of Influence, or None
        Data sets without which the verdict is another one, the most influential
        first, each looked for without those before it; at most three. None
        where a model decides.
    family : StudyFamily or None
        Where pairs are adjusted over all measures.
    """

    measure: Measure
    alpha: float
    relevance: tuple[float, float] | None
    target: Target
    method: Literal["own-variance", "interaction", "unstructured"]
    n_datasets: int
    datasets: tuple[str, ...]
    left_out: tuple[str, ...]
    lacking: Mapping[str, tuple[str, ...]]
    pairs: PairTable
    means: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    cut: tuple[str, ...]
    order: tuple[str, ...]
    leaders: tuple[str, ...]
    groups: Groups | None
    critical_value: float | None
    influence: tuple[Influence, ...] | None = None
    family: StudyFamily | None = None
    values: Any = field(default=None, metadata=HIDDEN)

    @property
    def outlier(self) -> None:
        """Values that dwarf all others are named where they were measured, on their data set."""
        return None

    @property
    def typical(self) -> tuple[float, ...]:
        """The candidates' means, by which values are written."""
        return tuple(self.means.values())

    @property
    def is_ratio(self) -> bool:
        """Whether pairs are compared by ratio."""
        return self.pairs.scale == "ratio"

    @property
    def is_own(self) -> bool:
        """Whether each pair is decided by its own variance."""
        return self.method == "own-variance"

    @property
    def n_open(self) -> int:
        """Pairs that share too few data sets to be decided on."""
        return int(self.pairs.is_open.sum())

    @property
    def is_open(self) -> bool:
        """Whether no pair shares enough data sets to be decided on."""
        return self.n_open == len(self.pairs)

    @property
    def fewest_datasets(self) -> int:
        """Shared data sets from which a pair is decided on."""
        return FEWEST_UNITS

    @property
    def best_first(self) -> tuple[Pair, ...]:
        """The verdicts, each with the better mean first, in the order of the means."""
        return self.pairs.in_order(self.order)

    @property
    def rivals(self) -> tuple[Pair, ...]:
        """Pairs of the best mean with candidates that it is not decided to be better than."""
        own = (p for p in self.best_first if p.first == self.order[0])
        return tuple(p for p in own if not p.significant)

    def differing(self, pairs: PairTable) -> tuple[tuple[Pair, Pair], ...]:
        """Return the pairs on which another method decides otherwise.

        Parameters
        ----------
        pairs : PairTable
            Of the same candidates or of some of them.

        Returns
        -------
        tuple of (Pair, Pair)
            The verdict and the other, both with the better mean first.
        """
        known = set(pairs.candidates)
        both = (
            (p, pairs.between(p.first, p.second))
            for p in self.best_first
            if {p.first, p.second} <= known
        )
        return tuple((p, q) for p, q in both if q is not None and p.favoured != q.favoured)


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
    without : mapping of str to tuple of str
        By measure: data sets without such a relation.
    distances : Distances or None
        None with fewer than two relations.
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
    sign_flips : mapping of str to PairTable
        By measure: the pairs under sign flips of whole data sets, where there
        are too few for a joint law and enough for small p-values.
    across : mapping of str to AcrossRanks
        By measure.
    agreement : mapping of str to Agreement
        By measure: all methods to an order side by side.
    subdomains : Subdomains or None
        Where the tree is cut; None with few data sets, or one relation.
    stability : Stability or None
        Of the main measure's consensus; None with few data sets, or many
        candidates.
    hierarchical : Order or None
        The consensus by the first measure, its ties broken by that by the
        second, and so on; None with one measure.
    divergence : Divergence or None
        Of the main measure; None where ranks by mean and places in the only
        consensus differ by less than two.
    """

    main: str
    datasets: tuple[str, ...]
    relations: Mapping[str, str]
    without: Mapping[str, tuple[str, ...]]
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
    stability: Stability | None
    hierarchical: Order | None = None
    divergence: Divergence | None = None
    graph_levels: int | None = field(default=None, metadata=HIDDEN)
    graph_nodes: Literal["auto", "winner", "median"] = field(default="auto", metadata=HIDDEN)
    candidates: tuple[str, ...] = field(default=(), metadata=HIDDEN)
    measures: Mapping[str, Measure] = field(default_factory=dict, metadata=HIDDEN)
    boxes: Mapping[str, Mapping[str, Box]] = field(default_factory=dict, metadata=HIDDEN)

    @property
    def nodes_by(self) -> Literal["winner", "median"]:
        """Whose mark a data set has: by itself the winner's, unless few data sets have one."""
        if self.graph_nodes != "auto":
            return self.graph_nodes
        n = sum(len(row.best) == 1 for row in self.rows)
        return "winner" if n >= LEAST_WINNERS * len(self.rows) else "median"

    @property
    def main_measure(self) -> Measure:
        """The main measure."""
        return self.measures[self.main]

    @property
    def n_bases(self) -> int:
        """Data sets, several settings of one counted once."""
        return len(self.datasets) - sum(self.settings.values()) + len(self.settings)

    def fits(self, measure: str) -> Mapping[str, DomainFit]:
        """Return the models of a measure by structure: of all replications, else of means."""
        return self.mixed_model.get(measure) or self.block_model.get(measure, {})

    def model(self, measure: str) -> DomainFit | None:
        """Return the model that predicts: that which decides, else the one with one variance."""
        fits, verdict = self.fits(measure), self.verdict.get(measure)
        return fits.get(verdict.method if verdict else "", fits.get("interaction"))

    def others(self, measure: str) -> tuple[DomainFit, ...]:
        """Return the models of a measure that do not decide."""
        verdict = self.verdict.get(measure)
        chosen = verdict.method if verdict else ""
        return tuple(fit for name, fit in self.fits(measure).items() if name != chosen)
