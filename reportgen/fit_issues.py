"""Fit issues: failures, missing measures, warnings and choices, counted; lost figures, sections."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from traceback import format_exception

from reportgen.data_classes import HIDDEN, dataclass
from reportgen.path_redaction import redact_paths

LONGEST_REASON = 300  # characters


@dataclass(frozen=True, slots=True)
class Failure:
    """Fits of one candidate on one data set that gave no value for one reason."""

    # dataset, candidate, status, stage: As in the warehouse. At the stage "measure" the fit went
    # well, and only the measure that the message names has no value.
    dataset: str
    candidate: str
    status: str
    stage: str
    message: str  # with dots for numbers that differ from fit to fit
    count: int  # number of fits
    n_texts: int = 1  # number of different messages


@dataclass(frozen=True, slots=True)
class LostFits:
    """How many fits have no value, or lack one, by what happened."""

    # failed, late: Raised an error; took longer than they were allowed.
    failed: int = 0
    late: int = 0
    skipped: int = 0  # without an observation to test on
    undone: int = 0  # not begun, as too many had failed
    unmeasured: int = 0  # values that are missing though the fit went well

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
    """A measure without any value on some data sets, though fits went well there."""

    measure: str
    datasets: tuple[str, ...]  # those without a value of it
    is_everywhere: bool  # whether these are all
    count: int  # number of fits that have no value
    reason: str = ""  # the most frequent one; "" where it is not known


@dataclass(frozen=True, slots=True)
class FitWarning:
    """Fits of one candidate on one data set that went with one warning."""

    dataset: str
    candidate: str
    message: str  # with dots for numbers that differ from fit to fit
    count: int  # number of fits
    n_texts: int = 1  # number of different messages


@dataclass(frozen=True, slots=True)
class HyperparameterChoice:
    """The values that one candidate chose for a hyperparameter on one data set."""

    dataset: str
    candidate: str
    parameter: str
    # The value that was chosen most often; None where every fit chose another.
    mode: str | int | float | None
    count: int  # how often
    n: int  # number of fits
    n_values: int  # number of different values
    # least, median, greatest: Where all values are numbers.
    least: float | None = None
    median: float | None = None
    greatest: float | None = None


@dataclass(frozen=True, slots=True)
class DrawingFault:
    """A figure that could not be drawn."""

    section: str
    dataset: str | None  # None for the study as a whole
    # figure, measure: The figure's key within its section; "" where all figures are lost that the
    # section had not drawn yet.
    figure: str
    measure: str
    reason: str  # the exception and its message, on one line
    # Where it was raised, for the log.
    traceback: str = field(default="", metadata=HIDDEN)


@dataclass(frozen=True, slots=True)
class SectionFault:
    """A section that could not be computed; the report lacks it as a whole."""

    section: str
    dataset: str | None  # the first on which it failed; None for the study as a whole
    reason: str  # the exception and its message, on one line; "" where it lacks another section
    needs: str | None = None  # the section that it lacks
    # Where it was raised, for the log.
    traceback: str = field(default="", metadata=HIDDEN)

    @property
    def words(self) -> str:
        """Why, for logs and errors."""
        return self.reason if self.needs is None else f"it needs the section {self.needs}"


def reason_of(error: Exception) -> str:
    """Return an exception and its message on one line, without paths."""
    message = " ".join(redact_paths(str(error)).split())
    reason = f"{type(error).__name__}: {message}".rstrip(": ")
    return reason if len(reason) <= LONGEST_REASON else f"{reason[:LONGEST_REASON]} …"


def traceback_of(error: Exception) -> str:
    """Return where an exception was raised."""
    return "".join(format_exception(error))
