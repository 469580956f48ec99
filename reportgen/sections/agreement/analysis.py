"""Whether scores and battles of the same candidates order them alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import combinations
from math import isnan
from typing import ClassVar, Literal, Self

from numpy.random import Generator

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.errors import StudyError
from reportgen.sections.agreement import Options
from reportgen.sections.domain.result import DomainResult
from reportgen.sections.frontier.analysis import (
    Frontier,
    Location,
    Place,
    deciding_verdict,
    means_of,
)
from reportgen.sections.inference.analysis import analyse as infer
from reportgen.sections.inference.result import InferenceResult, MeasureInference
from reportgen.sections.items.analysis import ItemsResult
from reportgen.stats.verdict import Verdict
from reportgen.stats.worths.battles import Battles
from reportgen.study.errors import shown
from reportgen.warehouse import Warehouse

Together = Literal["same", "opposite", "one", "none"]
FEWEST = 2  # candidates in common
FEWEST_OF_ORDER = 4  # orders of fewer have no p-value below .05


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """What two studies say of a pair.

    Attributes
    ----------
    first, second : str
        The better mean of the first study first.
    own, other : {1, 0, -1}
        Who is decided better in the first study and in the second: 1 `first`, -1 `second`.
    """

    first: str
    second: str
    own: int
    other: int

    DERIVED: ClassVar = ("together",)

    @property
    def together(self) -> Together:
        """Whether both decide the same or the opposite, one of them decides, or none does."""
        if self.own and self.other:
            return "same" if self.own == self.other else "opposite"
        return "one" if self.own or self.other else "none"

    @property
    def better(self) -> tuple[str | None, str | None]:
        """Who is decided better in either; None where it is open."""
        names = {1: self.first, -1: self.second}
        return names.get(self.own), names.get(self.other)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Two verdicts on the same candidates beside one another.

    Attributes
    ----------
    measures : tuple of two str
        By which they are.
    alpha : float
        With which probability, at most, any pair is taken wrongly for one of opposite decisions:
        each verdict decides with half of it, or its own level where that is less.
    order, other_order : tuple of str
        Candidates that both have, best first by the first verdict and by the second.
    only, other_only : tuple of str
        Candidates that one of them has alone.
    pairs : tuple of PairAgreement
    tau, p_value : float or None
        Kendall's coefficient of the two orders, and its p-value where candidates are taken for a
        sample; None of fewer than four candidates.
    """

    measures: tuple[str, str]
    alpha: float
    order: tuple[str, ...]
    other_order: tuple[str, ...]
    only: tuple[str, ...]
    other_only: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]
    tau: float | None
    p_value: float | None

    @classmethod
    def between(
        cls, own: Verdict, other: Verdict, alpha: float | None = None, **further: object
    ) -> Self:
        """Hold two verdicts against one another.

        `alpha`: of pairs with opposite decisions; the larger one of both when left out.
        `further`: what a subclass has beside.
        Raises StudyError if they share fewer than two candidates.

        Notes
        -----
        A pair has opposite decisions only where one of them is wrong, or both are right and the
        two measures order it differently: with each family at alpha / 2, all such pairs are shown
        with an error probability of alpha.
        """
        common = [name for name in own.order if name in other.order]
        if len(common) < FEWEST:
            listed = " and ".join(shown(", ".join(verdict.order)) for verdict in (own, other))
            raise StudyError(f"agreement: found the candidates {listed}; allowed two in common")
        level = max(own.alpha, other.alpha) if alpha is None else alpha
        tau, p_value = _kendall(own, other, common)
        return cls(
            measures=(own.measure.name, other.measure.name),
            alpha=level,
            order=tuple(common),
            other_order=tuple(name for name in other.order if name in common),
            only=tuple(name for name in own.order if name not in common),
            other_only=tuple(name for name in other.order if name not in common),
            pairs=tuple(
                PairAgreement(a, b, _way(own, a, b, level / 2), _way(other, a, b, level / 2))
                for a, b in combinations(common, 2)
            ),
            tau=tau,
            p_value=p_value,
            **further,
        )

    def of(self, together: Together) -> tuple[PairAgreement, ...]:
        """Return the pairs of which both say the same, the opposite, and so on."""
        return tuple(pair for pair in self.pairs if pair.together == together)

    @property
    def same(self) -> tuple[PairAgreement, ...]:
        """The pairs that both decide alike."""
        return self.of("same")

    @property
    def opposite(self) -> tuple[PairAgreement, ...]:
        """The pairs that both decide, oppositely."""
        return self.of("opposite")

    @property
    def one(self) -> tuple[PairAgreement, ...]:
        """The pairs that one of them decides."""
        return self.of("one")

    @property
    def is_contradicted(self) -> bool:
        """Whether the two are shown to order some pair differently."""
        return bool(self.opposite)

    @property
    def has_same_first(self) -> bool:
        """Whether the same candidate comes first in both."""
        return self.order[0] == self.other_order[0]


@dataclass(frozen=True, slots=True)
class Standing:
    """A candidate by its scores and by its battles.

    Attributes
    ----------
    candidate : str
    mean : float
        Of the main measure.
    ranks : tuple of two ints
        The ranks that it can have by the decided pairs of the scores, all their candidates.
    elo : float
        Of sum 0 over all candidates of the battles.
    elo_ranks : tuple of two ints
        Those that it can have by the decided pairs of the battles.
    n : int
        Its battles.
    """

    candidate: str
    mean: float
    ranks: tuple[int, int]
    elo: float
    elo_ranks: tuple[int, int]
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementResult(Agreement):
    """The verdict on scores, and that on battles.

    Attributes
    ----------
    n_battles : int
    standings : tuple of Standing
        Candidates that both have, the best score first.
    plane : Frontier
        Where they stand in the plane of both, with intervals.
    """

    n_battles: int
    standings: tuple[Standing, ...]
    plane: Frontier = field(metadata=HIDDEN)


def _way(verdict: Verdict, first: str, second: str, alpha: float) -> int:
    """Return who is decided better at a level: 1 the first, -1 the second, 0 neither."""
    pair = verdict.pairs.between(first, second) if verdict.pairs else None
    if pair is None or not pair.significant or pair.adjusted_p_value is None:
        return 0
    if not pair.adjusted_p_value < alpha:
        return 0
    return (pair.favoured == first) - (pair.favoured == second)


def _kendall(
    own: Verdict, other: Verdict, names: Sequence[str]
) -> tuple[float | None, float | None]:
    """Return Kendall's coefficient of the orders by means, and its p-value."""
    if len(names) < FEWEST_OF_ORDER:
        return None, None
    ranks = []
    for verdict in (own, other):
        means = verdict.mean_ranks or verdict.means
        side = 1 if verdict.mean_ranks or verdict.measure.is_smaller_better else -1
        ranks.append([side * means[name] for name in names])
    from scipy.stats import kendalltau  # which takes long to import

    found = kendalltau(*ranks)
    tau, p = float(found.statistic), float(found.pvalue)
    return (None, None) if isnan(tau) else (tau, p)  # all are equal in one of them


def analyse(
    warehouse: Warehouse,
    options: Options,
    rng: Generator,
    *,
    inference: Mapping[str, InferenceResult],
    domain: DomainResult | None = None,
    items: ItemsResult | None = None,
) -> AgreementResult | None:
    """Hold the verdict on the main measure against that of the battles beside it.

    `rng`: for critical values of the battles.
    `inference`, `domain`, `items`: with the verdict on the main measure.
    Result: None where one of them compares nothing.
    """
    measure, battles = warehouse.measures[0], warehouse.battles
    own = deciding_verdict(warehouse, measure, inference, domain, items)
    if battles is None or own is None or not own.pairs:
        return None
    other = infer(battles, options, rng).get(battles.measures[0].name)
    if other is None or not other.pairs:
        return None
    scale, means = means_of(warehouse, measure, options)
    points, n_battles = _points(battles, other)
    common = [name for name in own.order if name in points and name in means]
    plane = Frontier(
        unit="replication",
        n_units=0,  # neither a line through means nor a middle of values is drawn
        alpha=options.alpha,
        main_scale=scale,
        scale="difference",
        area=None,
        places=tuple(Place(name, means[name], points[name], None, ()) for name in common),
        frontier=(),
        missing_candidates=(),
        ratios=(),
        ratios_by=None,
        intervals_by="replications" if len(warehouse.datasets) == 1 else "datasets",
        target=other.target,
        main_measure=measure,
        measure=other.measure,
        measures=(measure, other.measure),
    )
    standings = tuple(
        Standing(
            name,
            means[name].mean,
            own.rank_ranges[name],
            points[name].mean,
            other.rank_ranges[name],
            points[name].n,
        )
        for name in common
    )
    return AgreementResult.between(
        own, other, n_battles=n_battles, standings=standings, plane=plane
    )


def _points(warehouse: Warehouse, verdict: MeasureInference) -> tuple[dict[str, Location], int]:
    """Return the Elo score of each candidate with its interval, and how many battles there are."""
    blocks = warehouse.performances(warehouse.datasets[0], verdict.measure.name).present
    battles = Battles.of_values(blocks.values)
    assert verdict.deciding_method is not None
    intervals = verdict.deciding_method.mean_intervals
    found = {}
    for name, n in zip(blocks.candidates, battles.of_each.tolist(), strict=True):
        own, point = intervals[name], verdict.means[name]
        found[name] = Location(int(n), point, own, own, point, None)
    return found, len(battles)
