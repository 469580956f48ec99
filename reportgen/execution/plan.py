"""What there is to do: the fits that a journal does not hold as a setup wants them."""

from __future__ import annotations

import json
from collections.abc import Container, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.execution.journal import Key
from reportgen.execution.replication import Cell, Outcome
from reportgen.execution.staging import staged_cells
from reportgen.warehouse import FAILED

if TYPE_CHECKING:
    from reportgen.catalogue.candidates import Candidate
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.execution.pool import Executor
    from reportgen.study.setup import Setup

FIRST_REPLICATION = 1
FAMILY_VERSION = 1  # of what a fit depends on
FAMILY_LENGTH = 24  # hexadecimal digits: 96 bits
NOTABLY = 1.25  # times the memory, where it is a share of what happens to be free


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one fit may take.

    Attributes
    ----------
    seconds : float or None
        None for any time.
    memory : int or None
        Bytes; None for no limit.
    is_share : bool
        Whether the memory is a share of what is free, which is never quite the
        same.
    """

    seconds: float | None = None
    memory: int | None = None
    is_share: bool = False

    @classmethod
    def of(cls, setup: Setup, executor: Executor) -> Allowance:
        """Return what a setup and those who do the work allow."""
        settings = setup.execution
        return cls(settings.timeout_seconds, executor.memory, settings.memory_bytes is None)

    def exceeds(self, outcome: Outcome) -> bool:
        """Whether more is allowed than what did not suffice before."""
        if outcome.status == "timed-out":
            return self.seconds is None or self.seconds > (outcome.timeout or 0.0)
        if outcome.memory is None:
            return False
        enough = outcome.memory * (NOTABLY if self.is_share else 1.0)
        return self.memory is None or self.memory > enough


@dataclass(frozen=True, slots=True)
class Plan:
    """What an execution would do.

    Attributes
    ----------
    cells : mapping of Cell to key
        Every fit of the setup, in the order of work, with its place in the
        journal; of a setup in stages, every fit that is known to be needed.
    missing : tuple of Cell
        The fits that are to be done; the others are in the journal.
    """

    cells: Mapping[Cell, Key]
    missing: tuple[Cell, ...]


def plan_of(
    setup: Setup,
    done: Mapping[Key, Outcome],
    allowance: Allowance,
    *,
    retry_failed: bool = False,
    settled: Container[Key] = (),
) -> Plan:
    """Say which fits of a setup a journal's outcomes leave to do.

    Parameters
    ----------
    setup : Setup
    done : mapping of key to Outcome
        What the journal holds.
    allowance : Allowance
        What a fit may take: what failed for want of it is done again when it
        is more than before.
    retry_failed : bool
        Whether all that failed is done again.
    settled : container of key
        What was measured just now: not done again, whatever came of it.
    """
    families = {
        (dataset.name, candidate.name): _family(setup, dataset, candidate)
        for dataset in setup.datasets
        for candidate in setup.candidates
    }
    names = [measure.name for measure in setup.measures]

    def key_of(cell: Cell) -> Key:
        return families[cell.dataset, cell.candidate], cell.replication

    def serves(cell: Cell) -> bool:
        key = key_of(cell)
        outcome = done.get(key)
        if outcome is None or key in settled:
            return outcome is not None
        if retry_failed and outcome.status in FAILED:
            return False
        if setup.execution.keeps_predictions and outcome.status == "ok" and not outcome.kept:
            return False
        is_whole = all(name in outcome.values or name in outcome.absent for name in names)
        return (is_whole or outcome.status != "ok") and not allowance.exceeds(outcome)

    def known(cell: Cell) -> Outcome | None:
        return done[key_of(cell)] if serves(cell) else None

    stages = setup.resampling.stages
    cells = staged_cells(setup, stages, known) if stages else _all_cells(setup)
    return Plan(
        {cell: key_of(cell) for cell in cells},
        tuple(cell for cell in cells if not serves(cell)),
    )


def _all_cells(setup: Setup) -> tuple[Cell, ...]:
    """Return every fit of a setup without stages."""
    return tuple(
        Cell(dataset.name, FIRST_REPLICATION + b, candidate.name)
        for dataset in setup.datasets
        for b in range(setup.resampling_of(dataset.name).replications)
        for candidate in setup.candidates
    )


def _family(setup: Setup, dataset: DataSet, candidate: Candidate) -> str:
    """Name all on which the fits of a candidate on a data set depend, but the replication."""
    content = {
        "version": FAMILY_VERSION,
        "dataset": dataset.key,
        "candidate": [candidate.name, candidate.definition(dataset.task)],
        "resampling": setup.resampling_of(dataset.name).key_of(dataset.name),
        "seed": setup.seed,
    }
    editions = {m.name: m.edition for m in setup.measures if m.edition}
    if editions:  # a package may compute something else under the name of before
        content["measures"] = editions
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:FAMILY_LENGTH]
