"""How many fits may fail, and what is said when more do."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from reportgen.execution.replication import Cell, Outcome
from reportgen.warehouse import FAILED

if TYPE_CHECKING:
    from reportgen.study.setup import Setup

NOT_BEGUN = Outcome("skipped", stage="execution", message="not begun: too many fits had failed")
"""Of a fit that an execution did not come to; no journal holds it."""

ADVICE = (
    "what was measured is stored, `reportgen report` shows it; --set execution.max_failures=100% "
    "goes on whatever fails, --retry-failed does failed fits again"
)


class Patience:
    """Counts failures against what a setup puts up with.

    Parameters
    ----------
    setup : Setup
    outcomes : collection of Outcome
        Of the fits that were done before and are not done again.
    n_all : int
        Number of fits of the setup.
    """

    def __init__(self, setup: Setup, outcomes: Collection[Outcome], n_all: int) -> None:
        self._left = setup.execution.max_failures.of(n_all)
        for outcome in outcomes:
            self.take(outcome)

    def take(self, outcome: Outcome) -> None:
        """Take down what came of a fit."""
        self._left -= outcome.status in FAILED

    @property
    def is_over(self) -> bool:
        """Whether the limit is broken, whatever comes of the other fits."""
        return self._left < 0


def too_many_failures(setup: Setup, outcomes: Mapping[Cell, Outcome]) -> str:
    """Say that more fits failed than the setup puts up with; empty where that is not so."""
    failed = [cell for cell, outcome in outcomes.items() if outcome.status in FAILED]
    allowed = setup.execution.max_failures.of(len(outcomes))
    if len(failed) <= allowed:
        return ""
    first = failed[0]
    n_left = sum(outcome is NOT_BEGUN for outcome in outcomes.values())
    left = f", so that the other {n_left:,} were not begun" if n_left else ""
    return (
        f"{len(failed):,} of {len(outcomes):,} fits failed, more than the {allowed:,} that "
        f"execution.max_failures allows{left}; first {first.candidate} on {first.dataset}, "
        f"replication {first.replication}, at {outcomes[first].stage}: {outcomes[first].message} "
        f"({ADVICE})"
    )
