"""Failures: how a fit that fails becomes data, and how many may fail.

An error of a candidate is a `CandidateError` with the stage and a message of one
line. It ends as the status, stage and message of the fit's `Outcome`, and as one row
of the warehouse's table of failures. `FailureLimit` ends an execution in which more
fits fail than `execution.max_failures` allows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from reportgen.installation import page_url
from reportgen.warehouse import FAILED

if TYPE_CHECKING:
    from reportgen.execution.outcome import Cell, Outcome
    from reportgen.study.setup import Setup

Stage = Literal["sample", "fit", "predict", "measure"]

NOT_BEGUN_STAGE = "execution"  # the stage of fits that were left when too many had failed
LONGEST_MESSAGE = 500  # characters of an error or a warning that are kept
NO_MEMORY = " (the worker may use no more memory)"  # ends the message of a MemoryError
ADVICE = (
    "what was measured is stored, `reportgen report` shows it; --set execution.max_failures=100% "
    "goes on whatever fails, --retry-failed does failed fits again "
    f"(docs: {page_url('faults.md#in-a-fit')})"
)
ADVICE_IN_PYTHON = (
    "what was measured is in the folder, if one was given; max_failures='100%' goes on whatever "
    "fails, retry_failed=True does failed fits again"
)


class CandidateError(Exception):
    """A candidate did something wrong at a stage."""

    def __init__(self, stage: Stage, message: str) -> None:
        super().__init__(message)
        self.stage = stage
        self.message = message


def run_step(stage: Stage, step: Callable[..., Any], *arguments: Any) -> Any:
    """Run a step of a candidate's code; raise a CandidateError for whatever it raises."""
    try:
        return step(*arguments)
    except (Exception, SystemExit) as error:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise CandidateError(stage, explain(text, error)) from error


def explain(text: str, error: BaseException) -> str:
    """Write on one line why something failed, and whether memory was denied."""
    return shorten(text) + (NO_MEMORY if isinstance(error, MemoryError) else "")


def lacks_memory(message: str) -> bool:
    """Whether a message is about denied memory."""
    return message.endswith(NO_MEMORY)


def shorten(text: str) -> str:
    r"""Put a message on one line of at most `LONGEST_MESSAGE` printable characters.

    Examples
    --------
    >>> shorten("no   pivot ")
    'no pivot'
    """
    line = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(text.split()))
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


def failure_rows(outcomes: Mapping[Cell, Outcome]) -> list[tuple[object, ...]]:
    """Return the rows of the warehouse's failures: fits and measures without a value."""
    return list(chain.from_iterable(_rows_of(cell, o) for cell, o in outcomes.items()))


def _rows_of(cell: Cell, outcome: Outcome) -> Iterator[tuple[object, ...]]:
    key = (cell.dataset, cell.replication, cell.candidate)
    if outcome.status != "ok":
        yield (*key, outcome.stage, outcome.status, outcome.message)
    for measure, reason in outcome.missing.items():
        yield (*key, "measure", "failed", f"{measure}: {reason}")


class FailureLimit:
    """The number of failures that the manifest allows, counted down.

    `outcomes`: of the fits that were done before and are not done again.
    `n_all`: number of fits of the setup.
    """

    def __init__(self, setup: Setup, outcomes: Collection[Outcome], n_all: int) -> None:
        self._left = setup.execution.max_failures.of(n_all)
        for outcome in outcomes:
            self.count(outcome)

    def count(self, outcome: Outcome) -> None:
        """Count the outcome of a fit."""
        self._left -= outcome.status in FAILED

    @property
    def is_exceeded(self) -> bool:
        """Whether more fits have failed than are allowed."""
        return self._left < 0


def too_many_failures(setup: Setup, outcomes: Mapping[Cell, Outcome]) -> str:
    """Return the message that more fits failed than the setup allows; empty where not so."""
    failed = [cell for cell, outcome in outcomes.items() if outcome.status in FAILED]
    allowed = setup.execution.max_failures.of(len(outcomes))
    if len(failed) <= allowed:
        return ""
    first = failed[0]
    n_left = sum(outcome.stage == NOT_BEGUN_STAGE for outcome in outcomes.values())
    left = f", so that the other {n_left:,} were not begun" if n_left else ""
    return (
        f"{len(failed):,} of {len(outcomes):,} fits failed, more than the {allowed:,} that "
        f"execution.max_failures allows{left}; first {first.candidate} on {first.dataset}, "
        f"replication {first.replication}, at {outcomes[first].stage}: {outcomes[first].message}"
    )
