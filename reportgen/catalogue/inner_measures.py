"""What an inner cross-validation judges by: a measure of the predictions of all its folds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reportgen.catalogue.inner_fits import UNFIT
from reportgen.catalogue.measures import (
    ComputedMeasure,
    Prediction,
    Task,
    find_measure,
    known_measure,
)
from reportgen.catalogue.plugins import MEASURES, offered
from reportgen.errors import SetupError

Array = NDArray[np.float64]

USUAL: dict[Task, str] = {"classification": "misclassification", "regression": "mse"}
MEANS = ("misclassification", "accuracy", "brier", "deviance", "log-loss", "mse", "mae")
"""Measures that are means over observations, and so have a standard error."""


class OutOfFold:
    """What one setting says of every observation, each from the fold that left it out.

    Parameters
    ----------
    y : ndarray of shape (n,)
        The responses of the learning sample.
    has_probabilities : bool
        Whether class probabilities are kept.
    """

    def __init__(self, y: NDArray[Any], *, has_probabilities: bool) -> None:
        n_classes = int(y.max()) + 1 if has_probabilities else 0
        self.truth = y
        self.predicted = np.full(len(y), np.nan)
        self.probabilities = np.zeros((len(y), n_classes)) if has_probabilities else None
        self.is_lost = False

    def take(self, rows: NDArray[np.int64], fitted: Any, X: Any) -> None:
        """Keep what a fitted estimator says of the observations that were left out."""
        if fitted is None:
            self.is_lost = True
            return
        try:
            self.predicted[rows] = fitted.predict(X)
            if self.probabilities is not None:
                learnt = np.asarray(fitted.classes_, dtype=np.int64)
                self.probabilities[np.ix_(rows, learnt)] = fitted.predict_proba(X)
        except UNFIT:
            self.is_lost = True

    def copy_from(self, other: OutOfFold, rows: NDArray[np.int64]) -> None:
        """Keep what another setting with the same fit has said."""
        self.is_lost = self.is_lost or other.is_lost
        self.predicted[rows] = other.predicted[rows]
        if self.probabilities is not None and other.probabilities is not None:
            self.probabilities[rows] = other.probabilities[rows]

    def error(self, measure: ComputedMeasure) -> float:
        """Return the measure, smaller being better; infinite where it has no value."""
        if self.is_lost:
            return np.inf
        everything = np.arange(len(self.truth))
        try:
            value = self._value(measure, everything)
        except UNFIT:
            return np.inf
        return value if np.isfinite(value) else np.inf

    def standard_error(self, measure: ComputedMeasure) -> float:
        """Return the standard error of a measure that is a mean over observations."""
        each = [self._value(measure, np.array([i])) for i in range(len(self.truth))]
        return float(np.std(each) / np.sqrt(len(each)))

    def _value(self, measure: ComputedMeasure, rows: NDArray[np.int64]) -> float:
        probabilities = None if self.probabilities is None else self.probabilities[rows]
        seen = Prediction(self.truth[rows], self.predicted[rows], probabilities, 0.0, 0.0)
        sign = 1.0 if measure.measure.better == "smaller" else -1.0
        return sign * measure.compute(seen)


Judged = str | ComputedMeasure | None
"""What tuning judges by: a name of the catalogue, a package's measure, or the usual one."""


def inner_measure(measure: Judged, task: Task) -> ComputedMeasure:
    """Return what an inner cross-validation judges by; the usual measure where none is named."""
    if isinstance(measure, ComputedMeasure):
        return measure
    return find_measure(measure or USUAL[task])


def check_inner_measure(name: str, rule: str, packages: Sequence[str] = ()) -> Judged:
    """Return a measure that tuning can judge by.

    Parameters
    ----------
    name : str
    rule : str
        By which a setting is chosen.
    packages : sequence of str
        Packages whose measures may be loaded.

    Returns
    -------
    str or ComputedMeasure
        The name of one of the catalogue; one that a package brings.

    Raises
    ------
    SetupError
        If there is none of that name, or it is not one of predictions, or has no
        standard error where the rule needs one.
    """
    measure = find_measure(name, packages)
    is_own = known_measure(name) is not None
    is_of_predictions = measure.task is not None if is_own else name in offered(MEASURES)
    if not is_of_predictions:
        raise SetupError(
            f"found the inner measure {name!r}; allowed a measure of the catalogue that "
            "judges predictions, such as misclassification, brier or mae, or of a package"
        )
    if rule == "one-se" and measure.name not in MEANS:
        raise SetupError(
            f"found rule: one-se with the inner measure {name!r}; allowed means over "
            f"observations: {', '.join(MEANS)}"
        )
    return name if is_own else measure


def check_judged(measure: ComputedMeasure, estimator: Any, task: Task) -> None:
    """Raise a SetupError unless an estimator can be judged by a measure in a task."""
    if measure.task not in (None, task):
        raise SetupError(
            f"found the inner measure {measure.name!r} of {measure.task} with an estimator for "
            f"{task}; allowed a measure of {task}"
        )
    if measure.needs_probabilities and not hasattr(estimator, "predict_proba"):
        raise SetupError(
            f"found the inner measure {measure.name!r}, which needs probabilities, with an "
            "estimator that has none; allowed a measure of predicted classes"
        )
