"""A first look at the cost: one fit of every candidate on every data set."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.execution.journal import open_journal
from reportgen.execution.plan import FIRST_REPLICATION, Allowance, plan_of
from reportgen.execution.pool import Executor
from reportgen.execution.replication import Cell, Experiment, Outcome
from reportgen.execution.runner import JOURNAL, Progress, settled
from reportgen.provenance import measuring_versions

if TYPE_CHECKING:
    from reportgen.study.setup import Setup


@dataclass(frozen=True, slots=True)
class Probe:
    """What the first replication has cost.

    Attributes
    ----------
    outcomes : mapping of Cell to Outcome
        One for each data set and candidate.
    n_missing : int
        Fits that are left to do.
    seconds_left : float
        Processor seconds that these will take, if each takes as long as the
        first of its kind.
    """

    outcomes: Mapping[Cell, Outcome]
    n_missing: int
    seconds_left: float

    @property
    def unmeasured(self) -> dict[str, str]:
        """The measures that no fit has a value of, though some went well, and why not."""
        fits = [outcome for outcome in self.outcomes.values() if outcome.status == "ok"]
        reasons = {name: reason for fit in fits for name, reason in fit.absent.items()}
        return {m: r for m, r in reasons.items() if not any(m in fit.values for fit in fits)}


def probe(
    setup: Setup, folder: Path | None, executor: Executor, progress: Progress | None = None
) -> Probe:
    """Do the first replication's fits, and keep them: an execution finds them done.

    Parameters
    ----------
    setup : Setup
    folder : Path or None
        Where the journal is.
    executor : Executor
    progress : callable, optional
        Called with the numbers of fits done and of all.
    """
    allowance = Allowance.of(setup, executor)
    first = setup.at_most(FIRST_REPLICATION)
    path = None if folder is None else folder / JOURNAL
    with open_journal(path, measuring_versions()) as journal:
        plan = plan_of(first, journal.outcomes, allowance)
        results = executor.run(Experiment.of(first), plan.missing, allowance.seconds)
        with closing(results):
            for n_done, (cell, result) in enumerate(results, start=1):
                journal.append(plan.cells[cell], cell, settled(result, allowance))
                if progress:
                    progress(n_done, len(plan.missing))
        outcomes = {cell: journal.outcomes[key] for cell, key in plan.cells.items()}
        whole = plan_of(setup, journal.outcomes, allowance)
    seconds = {(cell.dataset, cell.candidate): o.seconds for cell, o in outcomes.items()}
    left = sum(seconds[cell.dataset, cell.candidate] for cell in whole.missing)
    return Probe(outcomes, len(whole.missing), left)
