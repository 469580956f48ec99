"""Fit issues: failures, missing measures, warnings and choices, counted; undrawn figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Failure:
    """Fits of one candidate on one data set that gave no value for one reason.

    Attributes
    ----------
    dataset, candidate, status, stage : str
        As in the warehouse. At the stage "measure" the fit went well, and only
        the measure that the message names has no value.
    message : str
        With dots for numbers that differ from fit to fit.
    count : int
        Number of fits.
    n_texts : int
        Number of different messages.
    """

    dataset: str
    candidate: str
    status: str
    stage: str
    message: str
    count: int
    n_texts: int = 1


@dataclass(frozen=True, slots=True)
class LostFits:
    """How many fits have no value, or lack one, by what happened.

    Attributes
    ----------
    failed, late : int
        Raised an error; took longer than they were allowed.
    skipped : int
        Without an observation to test on.
    undone : int
        Not begun, as too many had failed.
    unmeasured : int
        Values that are missing though the fit went well.
    """

    failed: int = 0
    late: int = 0
    skipped: int = 0
    undone: int = 0
    unmeasured: int = 0

    @property
    def n_failed_or_late(self) -> int:
        """Fits that were begun and gave nothing."""
        return self.failed + self.late

    @property
    def n_fits(self) -> int:
        """Fits without any value."""
        return self.n_failed_or_late + self.skipped + self.undone


def count_lost(failures: Iterable[Failure]) -> LostFits:
    """Count failures by what happened.

    Parameters
    ----------
    failures : iterable of Failure

    Examples
    --------
    >>> count_lost([Failure("d", "rf", "failed", "fit", "E", 2),
    ...             Failure("d", "rf", "skipped", "execution", "", 5),
    ...             Failure("d", "rf", "failed", "measure", "brier", 3)])
    LostFits(failed=2, late=0, skipped=0, undone=5, unmeasured=3)
    """
    counts = dict.fromkeys(("failed", "late", "skipped", "undone", "unmeasured"), 0)
    kinds = {"failed": "failed", "timed-out": "late", "skipped": "skipped"}
    stages = {"measure": "unmeasured", "execution": "undone"}
    for failure in failures:
        counts[stages.get(failure.stage) or kinds[failure.status]] += failure.count
    return LostFits(**counts)


@dataclass(frozen=True, slots=True)
class MeasureFailure:
    """A measure without any value on some data sets, though fits went well there.

    Attributes
    ----------
    measure : str
    datasets : tuple of str
        Those without a value of it.
    is_everywhere : bool
        Whether these are all.
    count : int
        Number of fits that have no value.
    reason : str
        The most frequent one; "" where it is not known.
    """

    measure: str
    datasets: tuple[str, ...]
    is_everywhere: bool
    count: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class FitWarning:
    """Fits of one candidate on one data set that went with one warning.

    Attributes
    ----------
    dataset, candidate : str
    message : str
        With dots for numbers that differ from fit to fit.
    count : int
        Number of fits.
    n_texts : int
        Number of different messages.
    """

    dataset: str
    candidate: str
    message: str
    count: int
    n_texts: int = 1


@dataclass(frozen=True, slots=True)
class HyperparameterChoice:
    """The values that one candidate chose for a hyperparameter on one data set.

    Attributes
    ----------
    dataset, candidate, parameter : str
    mode : str, number or None
        The value that was chosen most often; None where every fit chose another.
    count : int
        How often.
    n : int
        Number of fits.
    n_values : int
        Number of different values.
    least, median, greatest : float or None
        Where all values are numbers.
    """

    dataset: str
    candidate: str
    parameter: str
    mode: str | int | float | None
    count: int
    n: int
    n_values: int
    least: float | None = None
    median: float | None = None
    greatest: float | None = None


@dataclass(frozen=True, slots=True)
class DrawingFault:
    """A figure that could not be drawn.

    Attributes
    ----------
    section : str
    dataset : str or None
        None for the study as a whole.
    figure, measure : str
        The figure's key within its section; "" where all figures are lost that
        the section had not drawn yet.
    reason : str
        The exception and its message, on one line.
    traceback : str
        Where it was raised, for the log.
    """

    section: str
    dataset: str | None
    figure: str
    measure: str
    reason: str
    traceback: str = field(default="", metadata={"results": False})
