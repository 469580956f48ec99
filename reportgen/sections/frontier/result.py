"""The main measure against another one: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.performance_measure import FEW_REPLICATIONS, Measure, Scale
from reportgen.stats.columns import opposite, signed
from reportgen.targets import Target

Counted = Literal["replication", "dataset"]
IntervalsBy = Literal["replications", "datasets", "families", "errors"]
Interval = tuple[float, float]

FEW_UNITS = 10  # below, a part of the values in the middle says nothing


@dataclass(frozen=True, slots=True)
class Location:
    """Where a candidate stands by one measure.

    Attributes
    ----------
    n : int
        Replications, or data sets, with a value.
    mean : float
        Of what is compared by ratio the geometric one.
    interval : tuple of two floats, or None
        Of the mean; None of a single value.
    middle : tuple of two floats
        Of replications the central 1 - alpha, of data sets the middle half.
    worst : float
        The worst value of a replication, or mean of a data set.
    worst_on : str or None
        That data set; None of one data set.
    """

    n: int
    mean: float
    interval: Interval | None
    middle: Interval
    worst: float
    worst_on: str | None
    # Whether the mean counts gaps as the worst there.
    is_filled: bool = field(default=False, metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class Place:
    """A candidate by both measures.

    Attributes
    ----------
    candidate : str
    main, other : Location
    times_best : float or None
        Mean by the other measure over that of the best; None where candidates are
        compared by difference.
    surpassed_by : tuple of str
        Candidates whose means are better on one measure and not worse on the other.
    is_decided_worse : bool
        Whether some other candidate is decided better by the main measure.
    """

    candidate: str
    main: Location
    other: Location
    times_best: float | None
    surpassed_by: tuple[str, ...]
    is_decided_worse: bool = False


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as large the mean of the first is as that of the second."""

    first: str = field(metadata=signed(partner="second"))  # whose mean is divided
    second: str = field(metadata=signed(partner="first"))  # by whose mean
    # of geometric means; None beyond floating point
    ratio: float | None = field(metadata=signed("limit"))
    # of its interval; None where there is none
    lower: float | None = field(metadata=signed("limit", "upper"))
    upper: float | None = field(metadata=signed("limit", "lower"))  # its other end

    def reversed(self) -> Ratio:
        """Return the ratio of the second to the first."""
        return opposite(self, is_ratio=True)


def _times(means: Sequence[float]) -> float | None:
    """Return the largest over the smallest; None where that is not above 0."""
    return max(means) / min(means) if min(means) > 0 else None


@dataclass(frozen=True, slots=True)
class Frontier:
    """The main measure against another one.

    Attributes
    ----------
    unit : {"replication", "dataset"}
        What means are taken over.
    n_units : int
        Those with a value of both measures.
    alpha : float
        Intervals have level 1 - alpha, each for itself.
    main_scale, scale : {"difference", "ratio"}
        How candidates are compared by the main measure, and by the other one.
    area : tuple of two floats or None
        Area of equivalence by the other measure.
    places : tuple of Place
        The best by the other measure first.
    frontier : tuple of str
        Candidates that nobody surpasses, in the order of `places`.
    missing_candidates : tuple of str
        Candidates without a value of one of the two.
    ratios : tuple of Ratio
        By the other measure, where candidates are compared by ratio.
    ratios_by : {"verdict", "paired-t"} or None
        Of one data set the simultaneous intervals of the verdict; of several the
        paired t of logarithms over them, for each pair alone.
    intervals_by : {"replications", "datasets", "families", "errors"}
        Whose spread gives the intervals of means; "errors" are those of each of few data sets.
    target : str
        What the intervals speak about.
    """

    unit: Counted
    n_units: int
    alpha: float
    main_scale: Scale
    scale: Scale
    area: Interval | None
    places: tuple[Place, ...]
    frontier: tuple[str, ...]
    missing_candidates: tuple[str, ...]
    ratios: tuple[Ratio, ...]
    ratios_by: Literal["verdict", "paired-t"] | None
    intervals_by: IntervalsBy
    target: Target
    main_measure: Measure = field(default=Measure(""), metadata=HIDDEN)
    measure: Measure = field(default=Measure(""), metadata=HIDDEN)
    measures: tuple[Measure, ...] = field(default=(), metadata=HIDDEN)

    def place(self, candidate: str) -> Place:
        """Return a candidate's place."""
        return next(p for p in self.places if p.candidate == candidate)

    def ratio(self, first: str, second: str) -> Ratio | None:
        """Return how many times as large the first mean is; None where that is not known."""
        for found in self.ratios:
            if (found.first, found.second) == (first, second):
                return found
            if (found.first, found.second) == (second, first):
                return found.reversed()
        return None

    @property
    def surpassed(self) -> tuple[str, ...]:
        """Candidates that are not on the frontier, in the order of `places`."""
        return tuple(p.candidate for p in self.places if p.surpassed_by)

    @property
    def beaten(self) -> tuple[str, ...]:
        """Those on the frontier that are decided worse than another by the main measure."""
        return tuple(n for n in self.frontier if self.place(n).is_decided_worse)

    @property
    def is_strict(self) -> bool:
        """Whether each of these is worse than some other on both measures, not level on one."""
        return all(
            any(
                self._is_better(self.place(name), p, "main")
                and self._is_better(self.place(name), p, "other")
                for name in p.surpassed_by
            )
            for p in self.places
            if p.surpassed_by
        )

    @property
    def leaders(self) -> tuple[str, ...]:
        """Candidates with the best mean of the main measure."""
        return self._extreme("main", best=True)

    @property
    def first(self) -> tuple[str, ...]:
        """Candidates with the best mean of the other measure: of times, the fastest."""
        return self._extreme("other", best=True)

    @property
    def last(self) -> tuple[str, ...]:
        """Candidates with the worst mean of the other measure; none where all are level."""
        last = self._extreme("other", best=False)
        return () if last == self.first else last

    @property
    def spread(self) -> float | None:
        """How many times as large the largest mean is as the smallest; None without ratios."""
        if self.scale != "ratio":
            return None
        return _times([p.other.mean for p in self.places])

    @property
    def is_domain(self) -> bool:
        """Whether means are over data sets."""
        return self.unit == "dataset"

    @property
    def laggard(self) -> Place | None:
        """The one that is worst by the other measure, where the leader surpasses it.

        None where the leader is best by both, and the headline of the table compares the two.
        """
        if len(self.last) != 1 or len(self.leaders) != 1:
            return None
        if not self.is_domain and self.leaders[0] in self.first:
            return None
        found = self.place(self.last[0])
        return found if self.leaders[0] in found.surpassed_by else None

    @property
    def laggard_times(self) -> float | None:
        """How many times as large its mean is as the leader's, or as small where larger is better.

        None without ratios.
        """
        if self.laggard is None or self.scale != "ratio":
            return None
        return _times([self.laggard.other.mean, self.place(self.leaders[0]).other.mean])

    @property
    def is_time(self) -> bool:
        """Whether the other measure is a time, which is the shorter the better."""
        return self.measure.unit_symbol == "s" and self.measure.is_smaller_better

    @property
    def has_line(self) -> bool:
        """Whether there are candidates and replications enough for a line through means."""
        is_enough = self.is_domain or self.n_units >= FEW_REPLICATIONS
        return len(self.places) > 2 and is_enough

    @property
    def has_middle(self) -> bool:
        """Whether there are values enough for a part of them in the middle."""
        return self.n_units >= FEW_UNITS

    @property
    def has_intervals(self) -> bool:
        """Whether some mean has an interval."""
        return any(p.main.interval or p.other.interval for p in self.places)

    @property
    def is_filled(self) -> bool:
        """Whether the mean of some candidate counts gaps as the worst there."""
        return any(p.main.is_filled or p.other.is_filled for p in self.places)

    def _extreme(self, by: Literal["main", "other"], *, best: bool) -> tuple[str, ...]:
        ends = [
            p
            for p in self.places
            if not any(
                self._is_better(q, p, by) if best else self._is_better(p, q, by)
                for q in self.places
            )
        ]
        return tuple(p.candidate for p in ends)

    def _is_better(self, a: Place, b: Place, by: Literal["main", "other"]) -> bool:
        measure = self.main_measure if by == "main" else self.measure
        x, y = (p.main.mean if by == "main" else p.other.mean for p in (a, b))
        return x < y if measure.is_smaller_better else x > y


@dataclass(frozen=True, slots=True)
class FrontierResult:
    """The main measure against every other one.

    Attributes
    ----------
    main : str
        The main measure.
    shown : str or None
        The other measure that an article shows: the first time, else the first.
    against : mapping of str to Frontier
        By the other measure; the one that is shown first.
    """

    main: str
    shown: str | None
    against: Mapping[str, Frontier]

    @property
    def chosen(self) -> Frontier | None:
        """The main measure against the one that is shown; None where nothing is compared."""
        return None if self.shown is None else self.against[self.shown]

    @property
    def others(self) -> Mapping[str, Frontier]:
        """The main measure against those that are not shown."""
        return {name: found for name, found in self.against.items() if name != self.shown}
