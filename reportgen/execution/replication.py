"""One replication: its data and samples, and the outcome of each candidate's fits on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from math import isfinite
from typing import TYPE_CHECKING, Any
from warnings import warn_explicit

import numpy as np

from reportgen.catalogue.candidates.candidate import is_ours
from reportgen.catalogue.measures.losses import losses_of
from reportgen.data_classes import dataclass
from reportgen.execution.failures import CandidateError, explain, shorten
from reportgen.execution.fitting import Fit
from reportgen.execution.losses import has_losses, pack, packed_losses, unpack
from reportgen.execution.outcome import KEPT, Cell, Outcome
from reportgen.execution.process_state import (
    caught_warnings,
    seed_global_streams,
    stopwatch,
)
from reportgen.execution.replicate import Replicate, replicate
from reportgen.execution.samples import curve_of
from reportgen.streams import stream
from reportgen.warehouse.processes import process_of

if TYPE_CHECKING:
    from warnings import WarningMessage

    from reportgen.catalogue.candidates.candidate import Candidate
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.catalogue.measures.prediction import ComputedMeasure, Prediction
    from reportgen.study.resampling import Resampling
    from reportgen.study.setup import Setup


MOST_WARNINGS = 10  # different warnings of one fit that are kept
MOST_CHOICES = 50  # hyperparameters of one fit
WARM_UP_ROWS = 50
APART = "\n"  # between the names of an owner, which have none
LARGEST_STATE = 2**32  # random states of scikit-learn lie below


@dataclass(frozen=True, slots=True)
class Experiment:
    """All that is needed to measure any cell; sent to every worker once."""

    datasets: dict[str, DataSet]
    candidates: dict[str, Candidate]
    measures: tuple[ComputedMeasure, ...]
    resampling: Resampling
    seed: int
    # By data set, where it is another one.
    own: Mapping[str, Resampling] = field(default_factory=dict)
    keeps_predictions: bool = False
    keeps_samples: bool = False
    # Candidates that may change the process that they are in, each with the name of its own.
    owners: Mapping[str, str] = field(default_factory=dict)
    # By data set, how many replications are the runs of one process; empty for any processes.
    runs_of_process: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, setup: Setup) -> Experiment:
        """Take what a worker needs from a setup."""
        return cls(
            {dataset.name: dataset for dataset in setup.datasets},
            {candidate.name: candidate for candidate in setup.candidates},
            setup.measures,
            setup.resampling,
            setup.seed,
            setup.own,
            setup.execution.keeps_predictions,
            setup.execution.keeps_samples,
            {c.name: c.name for c in setup.candidates if not is_ours(c)},
            {d.name: n for d in setup.datasets if (n := setup.runs_of_process(d.name))},
        )

    def owner(self, cell: Cell) -> str:
        """Return the candidate where it is not of the catalogue: it may change its process.

        Where fits are timed in processes of their own, these are told apart, too.
        """
        owner = self.owners.get(cell.candidate, "")
        if not self.runs_of_process:
            return owner
        process = process_of(cell.replication, self.runs_of_process[cell.dataset])
        return APART.join((owner, cell.candidate, cell.dataset, str(process)))

    def prepare(self, owner: str) -> None:
        """Import what the owner's candidates need, so that no fit's time holds it."""
        owner = owner.split(APART, maxsplit=1)[0]
        own = [c for c in self.candidates.values() if self.owners.get(c.name, "") == owner]
        for task in {dataset.task for dataset in self.datasets.values()}:
            for candidate in own:
                try:
                    candidate.build(task, 0)
                except Exception:
                    continue  # every cell of the candidate will fail with it

    def kind(self, cell: Cell) -> str:
        """Return the candidate: its first fit in a process loads what it needs."""
        return cell.candidate

    def warm_up(self, cell: Cell) -> None:
        """Fit a few rows, so that no fit's time holds what is loaded on first use."""
        candidate, data = self.candidates[cell.candidate], self.datasets[cell.dataset]
        rows = np.arange(0, data.n, max(1, data.n // WARM_UP_ROWS))
        with caught_warnings(), suppress(Exception, SystemExit):
            seed_global_streams(0)
            estimator = candidate.build(data.task, 0)
            if getattr(estimator, "learns_with_predictions", False):
                return  # a program loads what it needs in every fit
            estimator.fit(data.inputs.iloc[rows], data.response[rows])
            estimator.predict(data.inputs.iloc[rows])

    def __call__(self, cell: Cell) -> Outcome:
        """Measure one cell; whatever the candidate does wrong is in the outcome.

        Times are seconds on the clock, which what sleeps, computes elsewhere or waits for a
        device takes, too; those of the processor are kept beside them.
        """
        seconds = stopwatch()
        outcome, more = self._outcome(cell)
        clock, processor = seconds()
        return replace(outcome, seconds=round(clock, 6), cpu_seconds=round(processor, 6), **more)

    def _outcome(self, cell: Cell) -> tuple[Outcome, dict[str, Any]]:
        """Return the outcome of the fits, and what belongs to the cell: sizes and warnings."""
        given = self.replicate(cell.dataset, cell.replication)
        if not given.parts or not len(given.parts[0].test):
            message = "no observation is left to test on"
            return Outcome("skipped", stage="sample", message=message), {"sizes": given.sizes}
        states = stream(self.seed, "candidate", *cell)
        own, common = (int(states.integers(LARGEST_STATE)) for _ in range(2))
        candidate = self.candidates[cell.candidate]
        parts = given.parts * candidate.refits
        numbers = (own, *(int(states.integers(LARGEST_STATE)) for _ in parts[1:]))
        is_drawn = self.keeps_samples and given.data is self.datasets[cell.dataset]
        resampling = self.own.get(cell.dataset, self.resampling)
        kept = has_losses(given, self.datasets[cell.dataset], resampling)
        outcomes: list[Outcome] = []
        with caught_warnings() as caught:
            seed_global_streams(common)
            for i, (sample, number) in enumerate(zip(parts, numbers, strict=True)):
                found = _measure(
                    Fit(candidate, given.data, sample, number, self.measures),
                    keep=self.keeps_predictions and i < len(given.parts),
                    is_drawn=is_drawn and i == 0 and len(given.parts) == 1,
                    has_losses=kept,
                )
                outcomes.append(found)
                if found.status != "ok":
                    break
        return mean_of(outcomes), {"sizes": given.sizes, "warnings": _warnings(caught)}

    def replicate(self, dataset: str, replication: int) -> Replicate:
        """Return what all candidates of a replication share."""
        resampling = self.own.get(dataset, self.resampling)
        return replicate(self.datasets[dataset], resampling, self.seed, replication)


def mean_of(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the outcome of several fits, each on a part of a sample, or on the same one again.

    `outcomes`: one at least.
    Result: with the means of the values, and what the first fit chose and its curve; of the first
    fit that failed, if one did.
    """
    first = next((o for o in outcomes if o.status != "ok"), outcomes[0])
    if len(outcomes) == 1 or first.status != "ok":
        return first
    missing = {name: reason for o in reversed(outcomes) for name, reason in o.missing.items()}
    values = {
        name: float(np.mean([o.values[name] for o in outcomes]))
        for name in first.values
        if name not in missing
    }
    kept = {name: [x for o in outcomes for x in o.kept.get(name, [])] for name in first.kept}
    losses = {
        name: pack(np.mean([unpack(o.losses[name]) for o in outcomes], axis=0))
        for name in first.losses
        if all(name in o.losses for o in outcomes)
    }
    return replace(first, values=values, missing=missing, kept=kept, losses=losses)


def _measure(
    fit: Fit, *, keep: bool = False, is_drawn: bool = False, has_losses: bool = False
) -> Outcome:
    """Fit, predict and measure; keep losses, predictions and a curve, as far as requested."""
    try:
        prediction = fit.prediction()
    except CandidateError as error:
        return Outcome("failed", stage=error.stage, message=error.message)
    values: dict[str, float] = {}
    missing: dict[str, str] = {}
    with caught_warnings() as caught:
        for measure in fit.measures:
            try:
                values[measure.name] = _compute(measure, prediction, caught)
            except Exception as error:
                missing[measure.name] = explain(str(error) or type(error).__name__, error)
    for w in caught:
        warn_explicit(w.message, w.category, w.filename, w.lineno)
    kept = _stored_predictions(fit, prediction) if keep else {}
    curve = curve_of(prediction.estimator, fit.data) if is_drawn else []
    chosen = _choices(prediction)
    losses = packed_losses(fit.measures, prediction) if has_losses else {}
    losses = {name: text for name, text in losses.items() if name in values}
    return Outcome(
        "ok", values, missing=missing, chosen=chosen, kept=kept, curve=curve, losses=losses
    )


def _stored_predictions(fit: Fit, prediction: Prediction) -> dict[str, list[Any]]:
    """Return predictions, truth and losses by the main measure; observations count from 1."""
    losses = losses_of(fit.measures[0].name, prediction)
    columns = (
        fit.sample.test + 1,
        prediction.predicted,
        prediction.truth,
        np.array([]) if losses is None else losses,
    )
    listed = [column.tolist() for column in columns]
    if losses is None or not np.isfinite(losses).all():
        listed[-1] = [None] * len(listed[0])
    return dict(zip(KEPT, listed, strict=True))


def _choices(prediction: Prediction) -> dict[str, Any]:
    """Return the hyperparameters that a candidate has chosen, by their bare names."""
    from sklearn.pipeline import Pipeline

    estimator = prediction.estimator
    last = estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator
    chosen = getattr(last, "chosen_", None)
    if not isinstance(chosen, Mapping):
        return {}
    bare = {str(name).removeprefix("estimator__"): _simple(v) for name, v in chosen.items()}
    return dict(list(bare.items())[:MOST_CHOICES])


def _simple(value: Any) -> str | float | int | bool | None:
    """Return a finite number or a truth value as it is, all else as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple) and len(value) == 1:
        return _simple(value[0])
    if value is None or isinstance(value, bool | int):
        return value
    return value if isinstance(value, float) and isfinite(value) else shorten(str(value))


def _compute(
    measure: ComputedMeasure, prediction: Prediction, caught: list[WarningMessage]
) -> float:
    """Return a finite value; what a measure warns of is the reason where it has none."""
    n_before = len(caught)
    try:
        value = measure.compute(prediction)
    except Exception:
        del caught[n_before:]
        raise
    if not np.isfinite(value):
        own = caught[n_before:]
        reason = "; ".join(dict.fromkeys(f"{w.category.__name__}: {w.message}" for w in own))
        raise ValueError(f"the value is {value}{f' ({reason})' if reason else ''}")
    return float(value)


def _warnings(caught: list[WarningMessage]) -> tuple[str, ...]:
    """Return the texts of the first different warnings."""
    texts = dict.fromkeys(shorten(f"{w.category.__name__}: {w.message}") for w in caught)
    return tuple(texts)[:MOST_WARNINGS]
