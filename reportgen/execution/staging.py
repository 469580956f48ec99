"""Stages of an execution: which fits they need, and when a data set is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from reportgen.execution.replication import Cell, Outcome
from reportgen.stats.sequential.verdicts import beaten
from reportgen.study.stages import stage_answers

if TYPE_CHECKING:
    from reportgen.study.setup import Setup
    from reportgen.study.stages import Stages

Known = Callable[[Cell], Outcome | None]
"""Returns what came of a fit; None where it is still to be done."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of a data set's stages.

    Attributes
    ----------
    cells : tuple of Cell
        Fits of all stages that are known to be needed.
    is_over : bool
        Whether no further stage is needed; else the last one has fits to be done.
    """

    cells: tuple[Cell, ...]
    is_over: bool


def standing(setup: Setup, stages: Stages, dataset: str, known: Known) -> Standing:
    """Return the fits of a data set's stages, up to the first that is not done.

    Parameters
    ----------
    setup : Setup
    stages : Stages
    dataset : str
    known : callable

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
    """Return the fits of all data sets that are known to be needed.

    Parameters
    ----------
    setup : Setup
    stages : Stages
    known : callable
    """
    found = (standing(setup, stages, dataset.name, known) for dataset in setup.datasets)
    return tuple(cell for stand in found for cell in stand.cells)


def fit_seconds(outcomes: Mapping[Cell, Outcome], dataset: str) -> dict[str, float]:
    """Return the mean processor time of a fit by candidate, of fits that were done.

    Parameters
    ----------
    outcomes : mapping of Cell to Outcome
    dataset : str
    """
    times: dict[str, list[float]] = {}
    for cell, outcome in outcomes.items():
        if cell.dataset == dataset and outcome.seconds:
            times.setdefault(cell.candidate, []).append(outcome.seconds)
    return {name: float(np.mean(seconds)) for name, seconds in times.items()}
