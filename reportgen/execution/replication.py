"""One candidate in one replication: sample, fit, predict, measure."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.measures import Prediction
from reportgen.errors import SetupError
from reportgen.execution.footprint import peak_memory
from reportgen.execution.resampling import Sample, draw_sample
from reportgen.streams import stream
from reportgen.warehouse import Status

if TYPE_CHECKING:
    from reportgen.catalogue.candidates import Candidate
    from reportgen.catalogue.dataset import DataSet
    from reportgen.catalogue.measures import ComputedMeasure
    from reportgen.study.setup import Resampling, Setup

Stage = Literal["sample", "fit", "predict", "measure"]

LONGEST_MESSAGE = 500  # characters of an error or a warning that are kept
MOST_WARNINGS = 10  # different warnings of one fit that are kept
WARM_UP_ROWS = 50
LARGEST_STATE = 2**32  # random states of scikit-learn lie below


class Cell(NamedTuple):
    """One fit: a candidate in a replication of a data set."""

    dataset: str
    replication: int
    candidate: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a fit.

    Attributes
    ----------
    status : {"ok", "failed", "timed-out", "skipped"}
    values : mapping of str to float
        By measure.
    sizes : tuple of three int, or None
        n_learn, n_distinct, n_test; None when the fit did not tell.
    stage, message : str
        Where a fit failed and how; empty when it did not.
    absent : mapping of str to str
        Measures that could not be computed though the fit went well, and why.
    warnings : tuple of str
        What the candidate warned of.
    timeout : float or None
        The seconds that were allowed, where they did not suffice.
    seconds : float
        Processor time of the whole cell.
    chosen : mapping of str to (str, float, int, bool or None)
        Hyperparameters that the candidate chose itself.
    """

    status: Status
    values: dict[str, float] = field(default_factory=dict)
    sizes: tuple[int, int, int] | None = None
    stage: str = ""
    message: str = ""
    absent: dict[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    timeout: float | None = None
    seconds: float = 0.0
    chosen: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Experiment:
    """All that is needed to measure any cell; sent to every worker once.

    Attributes
    ----------
    datasets, candidates : mapping by name
    measures : tuple of ComputedMeasure
    resampling : Resampling
    seed : int
    warm : set of str
        Candidates that were fitted in this process before.
    """

    datasets: dict[str, DataSet]
    candidates: dict[str, Candidate]
    measures: tuple[ComputedMeasure, ...]
    resampling: Resampling
    seed: int
    warm: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, setup: Setup) -> Experiment:
        """Take what a worker needs from a setup.

        Raises
        ------
        SetupError
            If strata are asked for where there are no classes.
        """
        for dataset in setup.datasets:
            if setup.resampling.stratify and not dataset.classes:
                raise SetupError(
                    f"resampling: stratify needs classes, and the data set {dataset.name!r} "
                    "has none"
                )
        return cls(
            {dataset.name: dataset for dataset in setup.datasets},
            {candidate.name: candidate for candidate in setup.candidates},
            setup.measures,
            setup.resampling,
            setup.seed,
        )

    def prepare(self) -> None:
        """Import what the candidates need, so that no fit's time holds it."""
        for task in {dataset.task for dataset in self.datasets.values()}:
            for candidate in self.candidates.values():
                try:
                    candidate.build(task, 0)
                except Exception:
                    continue  # every cell of the candidate will say so

    def __call__(self, cell: Cell) -> Outcome:
        """Measure one cell; whatever the candidate does wrong is in the outcome.

        Times are seconds of processor time that this process and its finished
        children use: neighbours on other cores disturb them less than seconds
        on the clock.
        """
        begin = _processor_seconds()
        outcome = self._outcome(cell)
        return replace(outcome, seconds=round(_processor_seconds() - begin, 6))

    def _outcome(self, cell: Cell) -> Outcome:
        sample = self.sample(cell.dataset, cell.replication)
        if not len(sample.test):
            return Outcome(
                "skipped",
                sizes=sample.sizes,
                stage="sample",
                message="no observation is out of bag",
            )
        if cell.candidate not in self.warm:
            self.warm.add(cell.candidate)
            _warm_up(self.candidates[cell.candidate], self.datasets[cell.dataset])
        fit = _Fit(self, cell, sample)
        with _caught_warnings() as caught, global_streams(fit.random_state):
            outcome = fit.outcome()
        return _with_warnings(outcome, caught)

    def sample(self, dataset: str, replication: int) -> Sample:
        """Return the sample that all candidates of a replication share."""
        data = self.datasets[dataset]
        strata = np.zeros(data.n, dtype=np.int64)
        if self.resampling.stratify:
            strata = data.response.astype(np.int64)
        rng = stream(self.seed, "sample", dataset, replication)
        return draw_sample(self.resampling, strata, rng)


class _CandidateError(Exception):
    """A candidate did something wrong at a stage."""

    def __init__(self, stage: Stage, message: str) -> None:
        super().__init__(message)
        self.stage = stage
        self.message = message


class _Fit:
    """The steps of one cell, in their order."""

    def __init__(self, experiment: Experiment, cell: Cell, sample: Sample) -> None:
        self._measures = experiment.measures
        self._data = experiment.datasets[cell.dataset]
        self._candidate = experiment.candidates[cell.candidate]
        self._sample = sample
        states = stream(experiment.seed, "candidate", *cell)
        self.random_state = int(states.integers(LARGEST_STATE))

    def outcome(self) -> Outcome:
        """Fit, predict and measure."""
        sizes = self._sample.sizes
        try:
            prediction, reason = self._prediction()
        except _CandidateError as error:
            return Outcome("failed", sizes=sizes, stage=error.stage, message=error.message)
        values: dict[str, float] = {}
        absent: dict[str, str] = {}
        for measure in self._measures:
            try:
                values[measure.name] = _finite(measure.compute(prediction))
            except Exception as error:
                told = reason if measure.needs_probabilities and reason else str(error)
                absent[measure.name] = _short(told)
        return Outcome("ok", values, sizes, absent=absent, chosen=_chosen(prediction.estimator))

    def _prediction(self) -> tuple[Prediction, str]:
        """Return what the candidate predicts, and why it gives no probabilities."""
        inputs, response = self._data.inputs, self._data.response
        learn, test = self._sample.learn, self._sample.test
        learn_inputs, test_inputs = inputs.iloc[learn], inputs.iloc[test]
        estimator = _told("fit", self._candidate.build, self._data.task, self.random_state)
        fit_seconds, memory = self._fitted(estimator, learn_inputs, response[learn])
        begin = _processor_seconds()
        predicted = _told("predict", lambda: estimator.predict(test_inputs))
        predict_seconds = _processor_seconds() - begin
        predicted = _told("predict", self._checked, predicted)
        probabilities, reason = self._probabilities(estimator, test_inputs)
        prediction = Prediction(
            response[test],
            predicted,
            probabilities,
            fit_seconds,
            predict_seconds,
            memory,
            estimator,
            test_inputs,
        )
        return prediction, reason

    def _fitted(self, estimator: Any, inputs: Any, response: Any) -> tuple[float, float | None]:
        """Fit, and return the seconds and, where a measure asks for it, the memory that it took."""

        def fit() -> float:
            begin = _processor_seconds()
            _told("fit", lambda: estimator.fit(inputs, response))
            return _processor_seconds() - begin

        if not any(measure.needs_memory for measure in self._measures):
            return fit(), None
        seconds, memory = peak_memory(fit)
        return float(cast("float", seconds)), memory

    def _checked(self, predicted: Any) -> NDArray[Any]:
        """Return predictions that have the right shape and are finite."""
        values = np.asarray(predicted)
        n_test = len(self._sample.test)
        if values.shape != (n_test,):
            raise ValueError(f"the predictions have the shape {values.shape}, not ({n_test},)")
        if values.dtype.kind not in "iufb":
            raise ValueError(f"the predictions are of the type {values.dtype}, not numbers")
        n_lost = int((~np.isfinite(values)).sum())
        if n_lost:
            raise ValueError(f"{n_lost} of {n_test} predictions are not finite")
        if self._data.classes and not np.isin(values, np.arange(len(self._data.classes))).all():
            raise ValueError("some predictions are not classes of the data set")
        return values.astype(self._data.response.dtype)

    def _probabilities(self, estimator: Any, inputs: Any) -> tuple[NDArray[np.float64] | None, str]:
        """Return the probabilities of all classes where a measure asks for them."""
        if not any(measure.needs_probabilities for measure in self._measures):
            return None, ""
        if not hasattr(estimator, "predict_proba"):
            return None, "the candidate gives no class probabilities"
        try:
            given = _told("predict", lambda: estimator.predict_proba(inputs))
            return _spread(given, estimator.classes_, len(self._data.classes)), ""
        except _CandidateError as error:
            return None, error.message
        except (ValueError, IndexError, TypeError, AttributeError) as error:
            return None, f"the probabilities cannot be used: {error}"


@contextmanager
def global_streams(seed: int) -> Iterator[None]:
    """Seed the random numbers that belong to nobody, and leave them as they were.

    Estimators of other packages may draw from them; their results must not
    depend on what was fitted before.
    """
    kept, kept_numpy = random.getstate(), np.random.get_state()
    random.seed(seed)
    np.random.seed(seed)
    try:
        yield
    finally:
        random.setstate(kept)
        np.random.set_state(kept_numpy)


def _chosen(estimator: Any) -> dict[str, Any]:
    """Return the hyperparameters that a candidate has chosen, by their bare names."""
    steps = getattr(estimator, "steps", None)
    last = steps[-1][1] if steps else estimator
    chosen = getattr(last, "chosen_", {})
    return {name.removeprefix("estimator__"): _simple(value) for name, value in chosen.items()}


def _simple(value: Any) -> str | float | int | bool | None:
    """Return a number or a truth value as it is, all else as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple) and len(value) == 1:
        return _simple(value[0])
    return value if value is None or isinstance(value, bool | int | float) else _short(str(value))


def _warm_up(candidate: Candidate, data: DataSet) -> None:
    """Fit a few rows, so that the first fit's time does not hold what is loaded on first use."""
    rows = np.arange(0, data.n, max(1, data.n // WARM_UP_ROWS))
    with _caught_warnings(), global_streams(0), suppress(Exception, SystemExit):
        estimator = candidate.build(data.task, 0)
        estimator.fit(data.inputs.iloc[rows], data.response[rows])
        estimator.predict(data.inputs.iloc[rows])


def _spread(given: Any, learnt: Any, n_classes: int) -> NDArray[np.float64]:
    """Put the columns of the classes that were learnt in their places."""
    given = np.asarray(given, dtype=np.float64)
    if not np.isfinite(given).all():
        raise ValueError("some are not finite")
    probabilities = np.zeros((len(given), n_classes))
    probabilities[:, np.asarray(learnt, dtype=np.int64)] = given
    return probabilities


def _told(stage: Stage, step: Callable[..., Any], *arguments: Any) -> Any:
    """Do a step of a candidate's; raise a _CandidateError whatever it raises."""
    try:
        return step(*arguments)
    except (Exception, SystemExit) as error:
        text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        if isinstance(error, MemoryError):
            text += " (the worker may use no more memory)"
        raise _CandidateError(stage, _short(text)) from error


def _finite(value: float) -> float:
    if not np.isfinite(value):
        raise ValueError(f"the value is {value}")
    return float(value)


def _short(text: str) -> str:
    """Put a message on one line of bearable length."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


@contextmanager
def _caught_warnings() -> Iterator[list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def _with_warnings(outcome: Outcome, caught: list[warnings.WarningMessage]) -> Outcome:
    texts = dict.fromkeys(_short(f"{w.category.__name__}: {w.message}") for w in caught)
    return replace(outcome, warnings=tuple(texts)[:MOST_WARNINGS])


def _processor_seconds() -> float:
    """Return the processor time of this process and its finished children."""
    try:
        import resource
    except ImportError:  # no such account on Windows
        return time.process_time()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
