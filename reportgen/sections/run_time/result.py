"""Run times to targets: numbers and names, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ExpectedRunTime:
    """The expected run time of a candidate to a target on a data set.

    Attributes
    ----------
    target : float
    n_reached : int
        Runs that have reached it.
    evaluations : float or None
        None where none has.
    interval : tuple of two floats, or None
        For itself, the upper limit maybe infinite; None with few runs, or where no run has.
    """

    target: float
    n_reached: int
    evaluations: float | None
    interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class CandidateRuns:
    """The runs of a candidate on a data set.

    Attributes
    ----------
    dataset, candidate : str
    n_runs : int
    used : float
        Evaluations of the longest run.
    targets : tuple of ExpectedRunTime
        The easiest first.
    """

    dataset: str
    candidate: str
    n_runs: int
    used: float
    targets: tuple[ExpectedRunTime, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Shares, with intervals for themselves.

    Attributes
    ----------
    shares : tuple of float
    lower, upper : tuple of float
        Empty where a data set has few runs.
    """

    shares: tuple[float, ...]
    lower: tuple[float, ...] = ()
    upper: tuple[float, ...] = ()

    @property
    def last(self) -> float:
        """The last share."""
        return self.shares[-1]


@dataclass(frozen=True, slots=True)
class RunTimeResult:
    """Run times over all data sets on which all candidates have runs.

    Attributes
    ----------
    alpha : float
    datasets : tuple of str
    missing_candidates : tuple of str
        Candidates without runs on some data set, which distributions leave out.
    targets : tuple of float
        The easiest first.
    budgets : tuple of float
        Numbers of evaluations, ascending.
    within : mapping of str to Distribution
        By candidate the share of run times, with restarts, within each budget, over targets and
        data sets; the candidate with the largest area over the logarithm of budgets first.
    budget : float
        Evaluations that every candidate has used on every data set, by its longest run.
    reached : mapping of str to Distribution
        By candidate the share of runs that have reached each target within that budget.
    runs : tuple of CandidateRuns
    """

    alpha: float
    datasets: tuple[str, ...]
    missing_candidates: tuple[str, ...]
    targets: tuple[float, ...]
    budgets: tuple[float, ...]
    within: Mapping[str, Distribution]
    budget: float
    reached: Mapping[str, Distribution]
    runs: tuple[CandidateRuns, ...]

    @property
    def candidates(self) -> tuple[str, ...]:
        """The candidates of the distributions, in their order."""
        return tuple(self.within)

    @property
    def has_intervals(self) -> bool:
        """Whether every data set has runs enough to resample them."""
        return all(own.lower for own in self.reached.values())

    @property
    def at_budget(self) -> Mapping[str, float]:
        """By candidate the share of runs and targets that are reached within the budget."""
        return {name: sum(own.shares) / len(own.shares) for name, own in self.reached.items()}

    @property
    def best(self) -> tuple[str, ...]:
        """All with the largest of these shares."""
        most = max(self.at_budget.values())
        return tuple(name for name, share in self.at_budget.items() if share == most)

    @property
    def worst(self) -> tuple[str, ...]:
        """All with the smallest of these shares; empty where all have the same."""
        least = min(self.at_budget.values())
        found = tuple(name for name, share in self.at_budget.items() if share == least)
        return () if found == self.best else found

    def of(self, dataset: str) -> tuple[CandidateRuns, ...]:
        """Return the runs on a data set."""
        return tuple(own for own in self.runs if own.dataset == dataset)

    def hardest(self, dataset: str) -> tuple[tuple[CandidateRuns, ExpectedRunTime], ...]:
        """Return the expected run times to the hardest target that any run has reached there."""
        own = self.of(dataset)
        reached = [i for i in range(len(self.targets)) if any(r.targets[i].n_reached for r in own)]
        return tuple((runs, runs.targets[reached[-1]]) for runs in own) if reached else ()

    @property
    def firsts(self) -> Mapping[str, int]:
        """On how many data sets each has the smallest expected run time to the hardest target."""
        found = dict.fromkeys(self.candidates, 0)
        for dataset in self.datasets:
            times = {
                runs.candidate: own.evaluations
                for runs, own in self.hardest(dataset)
                if own.evaluations is not None
            }
            for name in [name for name, time in times.items() if time == min(times.values())]:
                found[name] = found.get(name, 0) + 1
        return {name: n for name, n in found.items() if n}
