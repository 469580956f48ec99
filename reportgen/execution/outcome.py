"""One fit of an experiment, and its outcome."""

from __future__ import annotations

from dataclasses import field
from typing import Any, NamedTuple

from reportgen.data_classes import dataclass
from reportgen.warehouse import Status

KEPT = ("observation", "prediction", "truth", "loss")


class Cell(NamedTuple):
    """One fit: a candidate in a replication of a data set."""

    dataset: str
    replication: int
    candidate: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a fit."""

    status: Status
    values: dict[str, float] = field(default_factory=dict)  # by measure
    # n_learn, n_distinct, n_test; None when the fit did not report them.
    sizes: tuple[int, int, int] | None = None
    # stage, message: Where a fit failed and how; empty when it did not.
    stage: str = ""
    message: str = ""
    # Measures that could not be computed though the fit went well, and why.
    missing: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()  # what the candidate warned of
    timeout: float | None = None  # the seconds that were allowed, where they did not suffice
    # The bytes that were allowed, where they did not or may not have sufficed.
    memory: int | None = None
    # Of the whole cell: on the clock, and of the processor; the second is 0 where it is not known.
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    # Hyperparameters that the candidate chose itself.
    chosen: dict[str, Any] = field(default_factory=dict)
    # What is kept of every test observation, by the names of `KEPT`; empty unless the study asks
    # for it.
    kept: dict[str, list[Any]] = field(default_factory=dict)
    # What is predicted along the only input of regression; empty unless the study keeps samples.
    curve: list[float | None] = field(default_factory=list)
    # Losses of the test observations by measure, packed; of measures that are their means.
    losses: dict[str, str] = field(default_factory=dict)
    # Number of the journal's session that has measured it; 0 where none has.
    session: int = field(default=0, compare=False)
