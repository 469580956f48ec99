"""Which data sets suit whom, and what one choice for all of them costs: numbers, no words."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose, log

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Scale


@dataclass(frozen=True, slots=True)
class CandidateRegret:
    """What a candidate loses to the best of each data set."""

    # mean, worst: Over data sets.
    mean: float
    worst: float
    dataset: str  # where it is worst; the first of several
    # By data set, the study's order; those without a value of it left out.
    datasets: Mapping[str, float]

    @property
    def where(self) -> str:
        """The data set where it is worst, or a word for several."""
        return "several" if list(self.datasets.values()).count(self.worst) > 1 else self.dataset


@dataclass(frozen=True, slots=True)
class Regret:
    """What it costs to choose one candidate for all data sets of one measure.

    A loss is how far a mean is from the best mean of its data set, 0 the best;
    where pairs are compared by ratio it is how many times as good the best is,
    1 the best, and means are geometric.
    """

    scale: Scale
    n_datasets: int  # with values of two candidates or more
    candidates: Mapping[str, CandidateRegret]  # the smallest worst loss first

    @property
    def order(self) -> tuple[str, ...]:
        """Candidates by their worst loss, the smallest first."""
        return tuple(self.candidates)

    @property
    def safest(self) -> str:
        """The candidate whose worst loss is smallest."""
        return self.order[0]

    @property
    def riskiest(self) -> str:
        """The candidate whose worst loss is largest."""
        return self.order[-1]

    @property
    def is_whole(self) -> bool:
        """Whether all candidates have values on the same data sets."""
        return len(self.complete) == len(self.candidates)

    @property
    def has_safest(self) -> bool:
        """Whether one candidate alone has the smallest worst loss, over the same data sets."""
        worst = [own.worst for own in self.candidates.values()]
        return self.is_whole and len(worst) > 1 and worst[0] < worst[1]

    @property
    def is_level(self) -> bool:
        """Whether no candidate loses anything anywhere."""
        none = 1.0 if self.scale == "ratio" else 0.0
        return self.candidates[self.riskiest].worst == none

    @property
    def complete(self) -> tuple[str, ...]:
        """Candidates with a value on all these data sets, the smallest worst loss first."""
        found = self.candidates.items()
        return tuple(name for name, own in found if len(own.datasets) == self.n_datasets)

    @property
    def free_choice(self) -> str | None:
        """The candidate that is best on every data set, the first of several."""
        none = 1.0 if self.scale == "ratio" else 0.0
        return next((name for name in self.complete if self.candidates[name].worst == none), None)


@dataclass(frozen=True, slots=True)
class Interaction:
    """How hard data sets are, and how far candidates depart from what they let expect."""

    scale: Scale
    # Mean of the candidates on each data set, the easiest first; geometric by ratio; adjusted for
    # candidates that lack there.
    levels: Mapping[str, float]
    # By data set and candidate: its mean less what the level of the data set and the candidate's
    # mean over all of them let expect, or their ratio. A candidate that lacks there has none.
    departures: Mapping[str, Mapping[str, float]]
    is_smaller_better: bool = True

    def is_better(self, departure: float) -> bool:
        """Whether a candidate is better than expected."""
        none = 1.0 if self.scale == "ratio" else 0.0
        return departure < none if self.is_smaller_better else departure > none

    def size(self, departure: float) -> float:
        """Return how far a departure is from none: of a ratio, its absolute logarithm."""
        return abs(log(departure)) if self.scale == "ratio" else abs(departure)

    @property
    def largest(self) -> float:
        """The largest size of a departure."""
        every = (x for own in self.departures.values() for x in own.values())
        return max(map(self.size, every), default=0.0)

    def most_departing(self, n: int) -> tuple[str, ...]:
        """Return the data sets with the largest departures, the largest first."""
        size = {d: max(map(self.size, own.values()), default=0.0)
                for d, own in self.departures.items()}  # fmt: skip
        return tuple(sorted(size, key=lambda d: -size[d])[:n])

    @property
    def easiest(self) -> str:
        """The data set with the best level."""
        return next(iter(self.levels))

    @property
    def hardest(self) -> str:
        """The data set with the worst level."""
        return list(self.levels)[-1]

    @property
    def peak(self) -> tuple[str, str, float]:
        """Data set, candidate and value of the largest departure."""
        every = ((d, n, x) for d, own in self.departures.items() for n, x in own.items())
        return max(every, key=lambda one: self.size(one[2]))

    @property
    def peaks(self) -> tuple[tuple[str, str], ...]:
        """Data sets and candidates of departures as large: two candidates depart alike."""
        every, largest = self.departures.items(), self.largest
        return tuple(
            (d, n) for d, own in every for n, x in own.items() if isclose(self.size(x), largest)
        )
