"""What is found from one value per data set and candidate: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from reportgen.sections.consensus.result import ConsensusResult
from reportgen.stats.pair_table import PairTable
from reportgen.stats.subsamples import Recurrence
from reportgen.warehouse import Target

LEAST_STRUCTURE = 0.25  # average silhouette width: what is not above it may be chance

from reportgen.sections.domain.basis import Groups

Road = Literal[
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
class ImanDavenportTest:
    """Friedman's test by the F distribution.

    Attributes
    ----------
    statistic : float or None
        None where it is infinite: all data sets agree.
    df1, df2 : int
    p_value : float
    """

    statistic: float | None
    df1: int
    df2: int
    p_value: float
    target: Target = "domain"


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
        Mean ranks that differ by no more are not told apart by Nemenyi's test.
    rank_groups : tuple of tuples of str
        Candidates that it does not tell apart, best first.
    groups : tuple of tuples of str
        Candidates of which no two are told apart by signed rank tests, best
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
        return int(np.isfinite(self.pairs.further["posterior_better"]).sum())

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
class RoadOrder:
    """The order by one road.

    Attributes
    ----------
    road : str
    order : tuple of tuples of str, or None
        Best first; None where the road gives no weak order.
    best : tuple of str
        Candidates that no other is put before.
    better : tuple of pairs of str
        Who is put before whom.
    """

    road: Road
    order: Groups | None
    best: tuple[str, ...]
    better: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair on which roads differ.

    Attributes
    ----------
    first, second : str
        The first has the better mean.
    wins, losses : int
        Data sets on which the first is better, and worse.
    before, after, level : tuple of str
        Roads that put the first before the second, the reverse, and neither.
    reason : {"size-against-count", "own-variance", "ranks-against-means", "not-tested"}
        The first that holds: mean and majority of data sets point in opposite
        directions; methods differ that compare means with other variances;
        signed ranks and the verdict differ; no test tells the two apart, and only orders without
        a test, or posterior probabilities, do.
    """

    first: str
    second: str
    wins: int
    losses: int
    before: tuple[Road, ...]
    after: tuple[Road, ...]
    level: tuple[Road, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Agreement:
    """All roads on one measure side by side.

    Attributes
    ----------
    roads : tuple of RoadOrder
    n_pairs : int
    disagreements : tuple of Disagreement
        Pairs on which not all roads say the same.
    """

    roads: tuple[RoadOrder, ...]
    n_pairs: int
    disagreements: tuple[Disagreement, ...]

    @property
    def turned(self) -> tuple[Disagreement, ...]:
        """Pairs that one road puts in one order and another in the reverse."""
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
    """Where the tree of the data sets is cut.

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
        """Whether the parts are told apart, and return often enough to be a finding."""
        returns = self.recurrence is not None and self.recurrence.is_reportable
        return returns and self.has_structure


@dataclass(frozen=True, slots=True)
class Returning:
    """How often a pair's order returns in the consensus of resampled data sets.

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
        """Share of resamples that say of the pair what the consensus says."""
        return self.before if self.is_ordered else self.level


@dataclass(frozen=True, slots=True)
class Stability:
    """What becomes of the consensus when data sets are resampled.

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
