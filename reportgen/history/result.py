"""What the history of a study shows: series of differences, their evidence, alarms, versions."""

from __future__ import annotations

from dataclasses import field

from reportgen.data_classes import dataclass
from reportgen.performance_measure import Measure
from reportgen.stats.sequential.exchangeability import Direction


@dataclass(frozen=True, slots=True)
class HistoryRun:
    """One run."""

    id: str  # digest of its values
    date: str
    commit: str
    # Versions that are others than in the run before: package, before, after.
    changed: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HistoryAlarm:
    """An alarm of one series."""

    run: int  # place of the run after which it is raised
    direction: Direction  # of candidate - reference
    is_better: bool  # whether the candidate has become better against the reference


@dataclass(frozen=True, slots=True)
class HistorySeries:
    """The difference of a candidate from the reference over runs."""

    dataset: str
    measure: Measure
    candidate: str
    reference: str
    is_ratio: bool  # whether the differences are ratios of geometric means
    runs: tuple[int, ...]  # places of the runs that have a value
    # estimates, lower, upper: One a run; the interval (95%) is of the run's own replications, None
    # with fewer than two.
    estimates: tuple[float, ...]
    lower: tuple[float | None, ...]
    upper: tuple[float | None, ...]
    evidence: tuple[float, ...]  # against exchangeability, after each run
    alarms: tuple[HistoryAlarm, ...]
    # Of successive values, a lasting shift apart, and the p-value of independence; None with few.
    serial_correlation: float | None = None
    dependence_p_value: float | None = None

    @property
    def largest_evidence(self) -> float:
        """The largest evidence so far."""
        return max(self.evidence)


@dataclass(frozen=True, slots=True)
class History:
    """All runs of a study."""

    study: str
    alpha: float  # probability that there is ever a false alarm, in any series
    threshold: float  # evidence at which an alarm is raised
    runs: tuple[HistoryRun, ...]
    series: tuple[HistorySeries, ...] = field(default=())
    block: int = 1  # runs in a row of which alarms follow the mean

    @property
    def dependent(self) -> tuple[HistorySeries, ...]:
        """Series whose values depend on those before, by the procedure of Holm at level alpha."""
        tested = [s for s in self.series if s.dependence_p_value is not None]
        tested.sort(key=lambda s: s.dependence_p_value or 0.0)
        n = 0
        while n < len(tested) and (tested[n].dependence_p_value or 0.0) <= self.alpha / (
            len(tested) - n
        ):
            n += 1
        return tuple(tested[:n])

    @property
    def doubtful(self) -> tuple[HistorySeries, ...]:
        """Series whose alarms may be drift."""
        return tuple(series for series in self.alarmed if series in self.dependent)

    @property
    def alarmed(self) -> tuple[HistorySeries, ...]:
        """Series with an alarm, the earliest first."""
        found = [s for s in self.series if s.alarms]
        return tuple(sorted(found, key=lambda s: s.alarms[0].run))

    @property
    def candidates(self) -> tuple[str, ...]:
        """Candidates and references, in the order of the series."""
        names = [name for s in self.series for name in (s.reference, s.candidate)]
        return tuple(dict.fromkeys(names))

    @property
    def references(self) -> tuple[str, ...]:
        """The candidates that others are compared with."""
        return tuple(dict.fromkeys(s.reference for s in self.series))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures of the series."""
        return tuple({s.measure.name: s.measure for s in self.series}.values())

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets of the series."""
        return tuple(dict.fromkeys(s.dataset for s in self.series))

    @property
    def scopes(self) -> tuple[tuple[str, Measure], ...]:
        """Data sets and measures that have series; those with an alarm come first."""
        found = {(s.dataset, s.measure.name): s.measure for s in (*self.alarmed, *self.series)}
        return tuple((dataset, measure) for (dataset, _), measure in found.items())

    def series_of(self, dataset: str, measure: str) -> tuple[HistorySeries, ...]:
        """Return the series of a data set and measure, those with an alarm first."""
        own = (s for s in self.series if (s.dataset, s.measure.name) == (dataset, measure))
        return tuple(sorted(own, key=lambda series: not series.alarms))

    @property
    def n_version_changes(self) -> int:
        """Runs that were made with other versions than the run before."""
        return sum(bool(run.changed) for run in self.runs)
