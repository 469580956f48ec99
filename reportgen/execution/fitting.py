"""A fit: a candidate learns from one sample and predicts another, in how much time and memory."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.candidates.candidate import weighting
from reportgen.catalogue.measures.prediction import NO_PROBABILITIES, Prediction
from reportgen.data_classes import dataclass
from reportgen.execution.failures import CandidateError, run_step
from reportgen.execution.process_state import Seconds, stopwatch
from reportgen.file_reading import STATUS

if TYPE_CHECKING:
    from reportgen.catalogue.candidates.candidate import Candidate
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.catalogue.measures.prediction import ComputedMeasure
    from reportgen.execution.resampling import Sample

CLEAR = Path("/proc/self/clear_refs")
RESET_PEAK = "5"
LARGEST_EXCESS = 1e-3  # of probabilities over a sum of one: single precision, rounded tables


def peak_memory(work: Callable[[], object]) -> tuple[object, float | None]:
    """Do some work, and return its result and the bytes by which memory grew at its peak.

    Result: what the work returns; None where the system keeps no such account; Linux does.

    Notes
    -----
    Counts what the process holds in physical memory, whoever has requested it
    (Python, numpy, C and C++ libraries), in pages of usually 4 KiB: an account
    of allocations by Python, such as tracemalloc's, would not see what libsvm or
    a forest takes. Other processes have accounts of their own, and so have the
    children of this one, which are not counted. What earlier work has freed is
    given back to the system first, so that it is not used again unseen; small
    Python objects may still find room in pages that are there, and libraries keep
    buffers of their own. The same fit after other fits agrees within 0.03 MB in the
    median and 0.8 MB in 99 of 100 cases; a fit that takes less shows as nearly
    nothing. The pages that are taken anew lengthen the fit, by up to a tenth.
    """
    gc.collect(1)  # young garbage, which would be freed during the work and hide what it takes
    with suppress(OSError, AttributeError, TypeError):  # Windows has no such function
        ctypes.CDLL(None).malloc_trim(0)
    try:
        CLEAR.write_text(RESET_PEAK, encoding="ascii")
    except OSError:
        return work(), None
    before = _entry("VmRSS:")
    result = work()
    peak = _entry("VmHWM:")
    if before is None or peak is None:
        return result, None
    return result, float(max(0, peak - before))


def _entry(name: str) -> int | None:
    for line in STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith(name):
            return 1024 * int(line.split()[1])
    return None


@dataclass(frozen=True, slots=True)
class Fit:
    """One fit of one candidate to one sample of one data set."""

    candidate: Candidate
    data: DataSet
    sample: Sample
    random_state: int  # the candidate's
    # They decide whether probabilities and memory are wanted, too.
    measures: tuple[ComputedMeasure, ...]

    def prediction(self) -> Prediction:
        """Fit, and predict the test sample.

        Times are of the fit and the predictions alone: probabilities are asked
        for apart, and only where a measure needs them.

        Raises CandidateError if the candidate cannot be built, fitted or asked, or its answer is of
        no use.
        """
        response = self.data.response
        learn, test = self.sample.learn, self.sample.test
        learn_inputs, test_inputs = self.data.rows(learn), self.data.rows(test)
        estimator = run_step("fit", self.candidate.build, self.data.task, self.random_state)
        weights = run_step("fit", weighting, estimator, self.sample.weights)
        fitting, memory = self._fit(estimator, learn_inputs, response[learn], weights)
        (predicted, predicting), used = self._predict(estimator, test_inputs)
        if getattr(estimator, "learns_with_predictions", False):
            fitting, memory, used = Seconds(np.nan, np.nan), None, None
        predicted = run_step("predict", self._check, predicted)
        answers: dict[str, Any] = {"predict": predicted}
        probabilities, reason = self._probabilities(estimator, test_inputs, answers)
        return Prediction(
            response[test],
            predicted,
            probabilities,
            fitting.clock,
            predicting.clock,
            reason,
            memory,
            estimator,
            test_inputs,
            answers,
            self.data.classes,
            fitting.processor,
            predicting.processor,
            used,
        )

    def _fit(
        self, estimator: Any, inputs: Any, response: Any, weights: dict[str, Any]
    ) -> tuple[Seconds, float | None]:
        """Fit, and return the seconds and, where a measure asks for it, the memory that it took."""

        def fit() -> Seconds:
            seconds = stopwatch()
            run_step("fit", lambda: estimator.fit(inputs, response, **weights))
            return seconds()

        if not any(measure.needs_memory for measure in self.measures):
            return fit(), None
        seconds, memory = peak_memory(fit)
        return cast("Seconds", seconds), memory

    def _predict(self, estimator: Any, inputs: Any) -> tuple[tuple[Any, Seconds], float | None]:
        """Predict, and return the answer with its seconds, and the memory where it is asked for."""

        def predict() -> tuple[Any, Seconds]:
            seconds = stopwatch()
            found = run_step("predict", lambda: estimator.predict(inputs))
            return found, seconds()

        if not any(measure.needs_predict_memory for measure in self.measures):
            return predict(), None
        found, memory = peak_memory(predict)
        return cast("tuple[Any, Seconds]", found), memory

    def _check(self, predicted: Any) -> NDArray[Any]:
        """Return predictions that have the right shape and are finite."""
        values = np.asarray(predicted)
        n_test = len(self.sample.test)
        is_masked = isinstance(predicted, np.ma.MaskedArray)
        if is_masked and (n_masked := int(np.ma.getmaskarray(predicted).sum())):
            raise ValueError(f"{n_masked} of {values.size} predictions are masked")
        if values.shape != (n_test,):
            raise ValueError(f"the predictions have the shape {values.shape}, not ({n_test},)")
        if values.dtype.kind not in "iufb":
            raise ValueError(f"the predictions are of the type {values.dtype}, not numbers")
        if values.dtype.kind == "f" and not (is_finite := np.isfinite(values)).all():
            n_lost = n_test - int(is_finite.sum())
            raise ValueError(f"{n_lost} of {n_test} predictions are not finite")
        if n_classes := len(self.data.classes):
            is_class = values.min() >= 0 and values.max() < n_classes
            is_whole = values.dtype.kind != "f" or bool((values == np.floor(values)).all())
            if not (is_class and is_whole):
                raise ValueError("some predictions are not classes of the data set")
        return values.astype(self.data.response.dtype)

    def _probabilities(
        self, estimator: Any, inputs: Any, answers: dict[str, Any]
    ) -> tuple[NDArray[np.float64] | None, str]:
        """Return the probabilities of all classes where a measure asks for them, or why not."""
        if not any(measure.needs_probabilities for measure in self.measures):
            return None, ""
        if not hasattr(estimator, "predict_proba"):
            return None, NO_PROBABILITIES
        try:
            given = run_step("predict", lambda: estimator.predict_proba(inputs))
            answers["predict_proba"] = given
            learnt = np.asarray(estimator.classes_, dtype=np.int64)
            return spread(given, learnt, len(self.data.classes), len(self.sample.test)), ""
        except CandidateError as error:
            return None, error.message
        except (ValueError, IndexError, TypeError, AttributeError) as error:
            return None, f"the probabilities cannot be used: {error}"


def spread(
    given: Any, learnt: NDArray[np.int64], n_classes: int, n_test: int
) -> NDArray[np.float64]:
    """Put the columns of the classes that were learnt in their places.

    `given`: what a candidate gave as probabilities, of shape (n_test, len(learnt)).
    `learnt`: numbers of the classes in its learning sample; the others get 0.
    Result: shape (n_test, n_classes).
    Raises ValueError if these are no probabilities.
    """
    values = np.asarray(given, dtype=np.float64)
    if values.shape != (n_test, len(learnt)):
        raise ValueError(f"their shape is {values.shape}, not ({n_test}, {len(learnt)})")
    if np.ma.getmaskarray(given).any():
        raise ValueError("some are masked")
    if not np.isfinite(values).all():
        raise ValueError("some are not finite")
    sums = values.sum(axis=1)
    if values.min(initial=0.0) < -LARGEST_EXCESS or np.abs(sums - 1.0).max() > LARGEST_EXCESS:
        raise ValueError("some are negative, or do not add up to one")
    probabilities = np.zeros((n_test, n_classes))
    probabilities[:, learnt] = values
    return probabilities
