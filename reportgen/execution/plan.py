"""The plan of an execution: which fits are missing, in which order, and in which stage.

A fit is missing where the journal does not hold it as the setup defines it. The
longest fits come first, so that no core waits at the end. Where replications come in
stages, the plan has the comparisons that are still open.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.execution.journal import Key
from reportgen.execution.outcome import Cell, Outcome
from reportgen.execution.samples import curve_grid
from reportgen.stats.sequential.stages import beaten
from reportgen.study.stages import stage_answers
from reportgen.warehouse import FAILED
from reportgen.warehouse.processes import process_of

if TYPE_CHECKING:
    from reportgen.catalogue.candidates.candidate import Candidate
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.execution.pool import Executor
    from reportgen.study.setup import Setup
    from reportgen.study.stages import Stages

Pair = tuple[str, str]
"""Data set and candidate."""
Known = Callable[[Cell], Outcome | None]
"""Returns the outcome of a fit; None where it is still to be done."""
FIRST_REPLICATION = 1
FAMILY_VERSION = 1  # of what a fit depends on
FAMILY_LENGTH = 24  # hexadecimal digits: 96 bits
NOTABLE_RATIO = 1.25  # times the memory, where it is a share of what happens to be free


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of an execution."""

    # Every fit of the setup, in the order of work, with its place in the journal; of a setup in
    # stages, every fit that is known to be needed.
    cells: Mapping[Cell, Key]
    missing: tuple[Cell, ...]  # the fits that are to be done; the others are in the journal


def plan_of(
    setup: Setup,
    done: Mapping[Key, Outcome],
    allowance: Allowance,
    *,
    retry_failed: bool = False,
    settled: Container[Key] = (),
) -> Plan:
    """Return which fits of a setup are missing in a journal's outcomes.

    `done`: what the journal holds.
    `allowance`: what a fit may take: what failed for want of it is done again when it is more than
    before.
    `retry_failed`: whether all that failed is done again.
    `settled`: what was measured just now: not done again, whatever its outcome.
    """
    families = {
        (dataset.name, candidate.name): _family(setup, dataset, candidate)
        for dataset in setup.datasets
        for candidate in setup.candidates
    }
    names = [measure.name for measure in setup.measures]

    curved = frozenset(
        dataset.name
        for dataset in setup.datasets
        if setup.execution.keeps_samples
        and setup.resampling_of(dataset.name).has_curves
        and len(curve_grid(dataset))
    )

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
        if cell.dataset in curved and outcome.status == "ok" and not outcome.curve:
            return False
        is_whole = all(name in outcome.values or name in outcome.missing for name in names)
        return (is_whole or outcome.status != "ok") and not allowance.exceeds(outcome)

    def known(cell: Cell) -> Outcome | None:
        return done[key_of(cell)] if serves(cell) else None

    stages = setup.resampling.stages
    cells = staged_cells(setup, stages, known) if stages else _all_cells(setup)
    missing = [cell for cell in cells if not serves(cell)]
    if setup.execution.processes is not None:
        begun = {process_of_cell(setup, cell) for cell in missing}
        missing = in_turn(setup, [cell for cell in cells if process_of_cell(setup, cell) in begun])
    return Plan({cell: key_of(cell) for cell in cells}, tuple(missing))


def process_of_cell(setup: Setup, cell: Cell) -> tuple[str, str, int]:
    """Return the process in which a fit is timed."""
    n_runs = setup.runs_of_process(cell.dataset)
    return cell.dataset, cell.candidate, process_of(cell.replication, n_runs)


def in_turn(setup: Setup, cells: Iterable[Cell]) -> list[Cell]:
    """Put the fits of processes in order: the candidates in turn, there and back.

    So a drift over two processes of each falls out of their differences.
    """
    datasets = {dataset.name: i for i, dataset in enumerate(setup.datasets)}
    candidates = {candidate.name: k for k, candidate in enumerate(setup.candidates)}

    def place(cell: Cell) -> tuple[int, int, int, int]:
        _, name, process = process_of_cell(setup, cell)
        k = candidates[name]
        return datasets[cell.dataset], process, k if process % 2 else -k, cell.replication

    return sorted(cells, key=place)


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
    if n_runs := setup.runs_of_process(dataset.name):
        content["runs_of_process"] = n_runs
    editions = {m.name: m.edition for m in setup.measures if m.edition}
    if editions:  # a package may compute something else under the name of before
        content["measures"] = editions
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:FAMILY_LENGTH]


@dataclass(frozen=True, slots=True)
class Allowance:
    """The time and memory that one fit may take."""

    seconds: float | None = None  # None for any time
    memory: int | None = None  # bytes; None for no limit
    # Whether the memory is a share of what is free, which is never quite the same.
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
        enough = outcome.memory * (NOTABLE_RATIO if self.is_share else 1.0)
        return self.memory is None or self.memory > enough


class Schedule:
    """Hands out cells, each time one of the data set and candidate that take longest.

    What is not known yet is learnt: one cell of each pair whose time nobody
    knows comes before all others, the largest data sets first.

    `cells`: in any order; those of a pair keep theirs.
    `seconds`: times that are known.
    `sizes`: anything that grows with the work that a data set makes.
    `apart`: candidates that share no process with others: what is theirs stays together, so that
    few processes are needed.
    `are_in_order`: whether they are handed out as they come.
    """

    def __init__(
        self,
        cells: Iterable[Cell],
        seconds: Mapping[Pair, float],
        sizes: Mapping[str, float],
        apart: Iterable[str] = (),
        *,
        are_in_order: bool = False,
    ) -> None:
        self._given = deque(cells) if are_in_order else None
        cells = () if self._given is not None else cells
        self._places = {name: place for place, name in enumerate(apart)}
        self._queues: dict[Pair, deque[Cell]] = {}
        for cell in cells:
            self._queues.setdefault((cell.dataset, cell.candidate), deque()).append(cell)
        self._sizes = sizes
        self._seconds = {pair: s for pair, s in seconds.items() if pair in self._queues}
        self._untried = deque(self._largest_first(p for p in self._queues if p not in seconds))
        self._order = self._longest_first()

    def __iter__(self) -> Iterator[Cell]:
        """Yield every cell once; what is learnt meanwhile changes what comes next."""
        while self._given:
            yield self._given.popleft()
        while self._queues:
            pair = self._untried.popleft() if self._untried else self._order[0]
            queue = self._queues[pair]
            yield queue.popleft()
            if not queue:
                del self._queues[pair]
                self._order = [other for other in self._order if other != pair]

    def learn(self, cell: Cell, seconds: float) -> None:
        """Take down how long a cell took; the first time of a pair counts."""
        pair = (cell.dataset, cell.candidate)
        if pair in self._queues and pair not in self._seconds:
            self._seconds[pair] = seconds
            self._order = self._longest_first()

    def _longest_first(self) -> list[Pair]:
        """Order the pairs: those that are being tried for the first time come last."""
        known = sorted(
            (p for p in self._queues if p in self._seconds), key=lambda p: -self._seconds[p]
        )
        rest = self._largest_first(p for p in self._queues if p not in self._seconds)
        return [*sorted(known, key=self._place), *rest]

    def _largest_first(self, pairs: Iterable[Pair]) -> list[Pair]:
        return sorted(pairs, key=lambda p: (self._place(p), -self._sizes.get(p[0], 0.0)))

    def _place(self, pair: Pair) -> int:
        return self._places.get(pair[1], len(self._places))


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a data set's stages."""

    cells: tuple[Cell, ...]  # fits of all stages that are known to be needed
    is_over: bool  # whether no further stage is needed; else the last one has fits to be done.


def standing(setup: Setup, stages: Stages, dataset: str, known: Known) -> Standing:
    """Return the fits of a data set's stages, up to the first that is not done.

    Notes
    -----
    It depends on the outcomes alone: not on their order, on who measured them,
    or on whether the execution was interrupted.
    """
    measure = {m.name: m.measure for m in setup.measures}[stages.measure]
    names = [candidate.name for candidate in setup.candidates]
    pairs = tuple((names.index(i), names.index(j)) for i, j in _pairs(stages, names))
    kept, cells, begin = list(range(len(names))), list[Cell](), 0
    values = np.full((stages.most, len(names)), np.nan)
    for done, end in enumerate(stages.ends, start=1):
        own = [Cell(dataset, b + 1, names[k]) for b in range(begin, end) for k in kept]
        cells += own
        outcomes = [known(cell) for cell in own]
        if any(outcome is None for outcome in outcomes):
            return Standing(tuple(cells), is_over=False)
        found = [np.nan if o is None else o.values.get(stages.measure, np.nan) for o in outcomes]
        values[begin:end, kept] = np.reshape(found, (-1, len(kept)))
        answers = stage_answers(values[:end], pairs, stages.ends[:done], measure, stages)[-1]
        settled = {p: a for p, a in zip(pairs, answers, strict=True) if a.is_settled(stages.stop)}
        if stages.drop == "beaten":
            verdicts = [a.verdict for a in settled.values()]
            worse = beaten(verdicts, [*settled], is_smaller_better=measure.is_smaller_better)
            kept = [k for k in kept if k not in worse]
        left = [pair for pair in pairs if pair not in settled and set(pair) <= set(kept)]
        if not left:
            break
        if stages.drop == "decided":
            kept = [k for k in kept if any(k in pair for pair in left)]
        begin = end
    return Standing(tuple(cells), is_over=True)


def _pairs(stages: Stages, names: list[str]) -> Iterator[tuple[str, str]]:
    """Return the comparisons that have to be decided."""
    return iter(stages.pairs or combinations(names, 2))


def staged_cells(setup: Setup, stages: Stages, known: Known) -> tuple[Cell, ...]:
    """Return the fits of all data sets that are known to be needed."""
    found = (standing(setup, stages, dataset.name, known) for dataset in setup.datasets)
    return tuple(cell for stand in found for cell in stand.cells)


def fit_seconds(outcomes: Mapping[Cell, Outcome]) -> dict[str, dict[str, float]]:
    """Return the mean seconds of the fits that were done, by data set and candidate."""
    times: dict[str, dict[str, list[float]]] = {}
    for cell, outcome in outcomes.items():
        if outcome.seconds:
            own = times.setdefault(cell.dataset, {})
            own.setdefault(cell.candidate, []).append(outcome.seconds)
    return {d: {name: float(np.mean(x)) for name, x in own.items()} for d, own in times.items()}


def waiting(outcomes: Mapping[Cell, Outcome]) -> dict[str, dict[str, float]]:
    """Return seconds on the clock over those of the processor, by data set and candidate."""
    sums: dict[str, dict[str, tuple[float, float]]] = {}
    for cell, outcome in outcomes.items():
        if outcome.cpu_seconds:
            own = sums.setdefault(cell.dataset, {})
            clock, processor = own.get(cell.candidate, (0.0, 0.0))
            own[cell.candidate] = (clock + outcome.seconds, processor + outcome.cpu_seconds)
    return {d: {name: round(c / p, 3) for name, (c, p) in own.items()} for d, own in sums.items()}
