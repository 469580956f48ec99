"""Two verdicts on the same candidates beside one another: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import combinations
from math import isnan
from typing import ClassVar, Literal, Self

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.errors import StudyError
from reportgen.sections.frontier.result import Frontier
from reportgen.stats.verdict import Verdict
from reportgen.study.errors import shown

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
