"""What is found of items: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.notation import NumberFormat, number_format
from reportgen.performance_measure import Measure
from reportgen.sections.domain.result import DomainVerdict
from reportgen.sections.inference.result import ALL_PAIRS

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TaskPair:
    """Two candidates on the items of one task.

    Attributes
    ----------
    first, second : str
        The better mean first.
    estimate : float or None
        The advantage of the first: positive where its mean is better.
    n : int
        Items that both answered.
    n_flips : tuple of int
        Items on which the first is better, and on which the second is.
    detectable : float or None
        The smallest difference that would be decided with probability .8, at the level of the
        verdict; None where nothing varies.
    noise_share : float or None
        The part of the variance of the difference that repeated runs explain; the rest is of
        items. None with one run.
    half_runs, half_items : float or None
        How many runs of each item, and how many items, would halve the interval; None where
        no number does, or it is not known.
    these_items : tuple of two floats or None
        Interval of the advantage on these items alone: the candidates' own noise. None with one
        run.
    correlation : float or None
        Of the differences of items of one cluster; None without clusters.
    """

    first: str
    second: str
    estimate: float | None
    n: int
    n_flips: tuple[int, int]
    detectable: float | None
    noise_share: float | None
    half_runs: float | None
    half_items: float | None
    these_items: Interval | None
    correlation: float | None


@dataclass(frozen=True, slots=True)
class MissingItems:
    """Items that a candidate has no value of, held against the one with the better mean.

    Attributes
    ----------
    first, second : str
        The better mean first.
    n : tuple of int
        Items without a value of the first, and of the second.
    estimate : float
        The advantage of the first with values alone.
    bound : float
        Its advantage if it had the worst value on every item it lacks, and the other the best.
    is_decided : bool
        Whether the two are decided not to be equal on the task.
    """

    first: str
    second: str
    n: tuple[int, int]
    estimate: float
    bound: float
    is_decided: bool

    @property
    def can_turn(self) -> bool:
        """Whether the items left out could turn the order of the two."""
        return self.bound < 0 < self.estimate


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes
    ----------
    name : str
    n_items, n_clusters, n_runs : int
        Clusters are 0 where no two items share one; runs are the most of an item.
    pairs : tuple of TaskPair
        In the order of the means.
    ranks : mapping of str to (int, int)
        From 1 + those decided better to K - those decided worse; best mean first.
    missing_items : tuple of MissingItems
        Pairs of which one lacks items; empty where the measure has no bounds.
    """

    name: str
    n_items: int
    n_clusters: int
    n_runs: int
    pairs: tuple[TaskPair, ...]
    ranks: Mapping[str, tuple[int, int]]
    missing_items: tuple[MissingItems, ...]


@dataclass(frozen=True, slots=True)
class ItemsResult:
    """The main measure on items.

    Attributes
    ----------
    measure : str
    alpha : float
    tasks : tuple of Task
        Those with two candidates, in the study's order.
    verdict : mapping of str to DomainVerdict
        By measure: every pair over these tasks, which weigh the same, for other items of
        them. Empty with one task.
    ranks : mapping of str to (int, int)
        Over these tasks, by the main measure; empty with one task.
    """

    measure: str
    alpha: float
    tasks: tuple[Task, ...]
    verdict: Mapping[str, DomainVerdict]
    ranks: Mapping[str, tuple[int, int]]
    measured: Measure = field(default=Measure(""), metadata=HIDDEN)

    @property
    def main(self) -> DomainVerdict | None:
        """The verdict by the main measure."""
        return self.verdict.get(self.measure)

    @property
    def number_format(self) -> NumberFormat:
        """How differences are written."""
        values = [abs(p.estimate) for t in self.tasks for p in t.pairs if p.estimate is not None]
        return number_format(self.measured, values)

    @property
    def noisy(self) -> tuple[tuple[Task, TaskPair], ...]:
        """The pairs of which the noise of runs is known, the largest share first."""
        rows = [(t, p) for t in self.tasks for p in t.pairs if p.noise_share is not None]
        return tuple(sorted(rows, key=lambda row: -(row[1].noise_share or 0.0)))

    @property
    def has_pairs(self) -> bool:
        """Whether a task has a pair with a verdict."""
        return any(task.pairs for task in self.tasks)

    @property
    def shown_pairs(self) -> tuple[tuple[Task, TaskPair], ...]:
        """The pairs of each task; of many candidates those of the best mean of the task."""
        return tuple((task, pair) for task in self.tasks for pair in _shown(task))

    @property
    def shows_all_pairs(self) -> bool:
        """Whether these are all pairs."""
        return len(self.shown_pairs) == sum(len(task.pairs) for task in self.tasks)

    @property
    def has_runs(self) -> bool:
        """Whether some task's items were run several times."""
        return any(task.n_runs > 1 for task in self.tasks)

    @property
    def has_clusters(self) -> bool:
        """Whether some task's items share clusters."""
        return any(task.n_clusters for task in self.tasks)

    @property
    def missing_items(self) -> tuple[tuple[Task, MissingItems], ...]:
        """The pairs of which one lacks items, by task."""
        return tuple((task, own) for task in self.tasks for own in task.missing_items)

    @property
    def turned(self) -> tuple[tuple[Task, MissingItems], ...]:
        """The decided ones that the items left out could turn."""
        return tuple(both for both in self.missing_items if both[1].can_turn and both[1].is_decided)


def _shown(task: Task) -> tuple[TaskPair, ...]:
    best = next(iter(task.ranks), None)
    own = tuple(pair for pair in task.pairs if pair.first == best)
    is_long = len(task.ranks) > ALL_PAIRS and len(own) == len(task.ranks) - 1
    return own if is_long else task.pairs
