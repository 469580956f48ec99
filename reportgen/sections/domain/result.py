"""What is found over all data sets: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from reportgen.sections.consensus.result import ConsensusResult, Order
from reportgen.sections.domain.across_result import (
    AcrossRanks,
    Agreement,
    Stability,
    Subdomains,
)
from reportgen.sections.domain.basis import DomainBasis, Groups, Structure
from reportgen.sections.domain.rows_result import Box, DatasetRow
from reportgen.sections.inference.beside import OtherPair
from reportgen.sections.inference.further import StudyFamily
from reportgen.sections.inference.result import Pair
from reportgen.warehouse import Measure, Target

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
        Of each kappa alone, at level 1 - alpha.
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
        Of the simultaneous intervals.
    pairs : tuple of Pair
        `wins`, `ties`, `losses` count data sets by their means.
    order : tuple of str
        Candidates by kappa, best first.
    leaders : tuple of str
        Candidates that no other is significantly better than.
    groups : tuple of tuples of str, or None
        The chain of "significantly better", where it is a weak order.
    family : StudyFamily or None
        Where pairs are adjusted over all measures.
    other_pairs : tuple of OtherPair
        With "unstructured" the pairs under sign flips of whole data sets; in
        results.json they follow `pairs`.
    """

    structure: Structure
    coefficients: Mapping[str, float]
    standard_errors: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    variance: Mapping[str, float]
    variance_intervals: Mapping[str, tuple[float, float]]
    covariance: tuple[tuple[float, ...], ...] | None
    sigma_rank: int
    zeros: tuple[str, ...]
    blups: Effects
    reml_criterion: float | None
    equality_test: DomainEquality | None
    critical_value: float
    pairs: tuple[Pair, ...]
    order: tuple[str, ...]
    leaders: tuple[str, ...]
    groups: Groups | None
    target: Target = "domain"
    family: StudyFamily | None = None
    other_pairs: tuple[OtherPair, ...] = field(default=(), metadata={"results": "pairs"})

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of two candidates, in this order."""
        turned = (p if p.first == first else p.turned() for p in self.pairs)
        return next(p for p in turned if (p.first, p.second) == (first, second))

    @property
    def best_first(self) -> tuple[Pair, ...]:
        """The comparisons, each with the better mean first, in the order of the means."""
        place = {name: i for i, name in enumerate(self.order)}
        turned = (p if place[p.first] < place[p.second] else p.turned() for p in self.pairs)
        return tuple(sorted(turned, key=lambda p: (place[p.first], place[p.second])))


@dataclass(frozen=True, slots=True)
class DomainResult:
    """What the data sets say together.

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
    bases : mapping of str to DomainBasis
        By measure: what its models rest on.
    mixed_model : mapping of str to mapping of str to DomainFit
        By measure and structure: of all replications.
    block_model : mapping of str to mapping of str to DomainFit
        Of the data sets' means, for measures of which there is no mixed model.
    across : mapping of str to AcrossRanks
        By measure.
    agreement : mapping of str to Agreement
        By measure: all roads to an order side by side.
    subdomains : Subdomains or None
        Where the tree is cut; None with few data sets, or one relation.
    stability : Stability or None
        Of the main measure's consensus; None with few data sets, or many
        candidates.
    hierarchical : Order or None
        The consensus by the first measure, its ties broken by that by the
        second, and so on; None with one measure.
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
    bases: Mapping[str, DomainBasis]
    mixed_model: Mapping[str, Mapping[str, DomainFit]]
    block_model: Mapping[str, Mapping[str, DomainFit]]
    across: Mapping[str, AcrossRanks]
    agreement: Mapping[str, Agreement]
    subdomains: Subdomains | None
    stability: Stability | None
    hierarchical: Order | None = None
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

    def primary(self, measure: str) -> DomainFit | None:
        """Return the fit whose pairs make the decision."""
        return self.fits(measure).get(self.bases[measure].structure)

    def other(self, measure: str) -> DomainFit | None:
        """Return the fit with the other structure."""
        chosen = self.bases[measure].structure
        return next((f for name, f in self.fits(measure).items() if name != chosen), None)
