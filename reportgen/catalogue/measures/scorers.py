"""scikit-learn's scorers as performance measures."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.data_classes import dataclass
from reportgen.errors import SetupError
from reportgen.performance_measure import Measure

if TYPE_CHECKING:
    from reportgen.catalogue.datasets.dataset import DataSet
    from reportgen.catalogue.measures.prediction import ComputedMeasure, Prediction
from reportgen.measures import Task

METHODS = ("predict", "predict_proba", "decision_function")
"""Methods of a fitted candidate that a scorer may call."""


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer of scikit-learn, by its name.

    It is given the fitted candidate and the test sample. Classes are their
    numbers, so that of two classes the second in their order is the positive
    one. Where scikit-learn gives no value, its words are the reason.
    """

    name: str  # as scikit-learn spells it
    needs_probabilities: bool = False  # whether it asks for `predict_proba` and for nothing else

    def __call__(self, prediction: Prediction) -> float:
        """Return the value of the scorer for the fitted candidate on the test sample."""
        from sklearn.metrics import get_scorer

        if self.needs_probabilities and prediction.probabilities is None:
            raise ValueError(prediction.no_probabilities)
        candidate = CachedCandidate(prediction.estimator, prediction.inputs, prediction.answers)
        return float(get_scorer(self.name)(candidate, prediction.inputs, prediction.truth))

    def check_dataset(self, dataset: DataSet) -> None:
        """Raise an error where the scorer has no value even for guesses.

        Raises SetupError as for a scorer of two classes where there are three, or of positive
        responses where some are negative.
        """
        from warnings import catch_warnings, simplefilter

        from sklearn.metrics import get_scorer

        guess, truth = _guess(dataset)
        try:
            with catch_warnings():
                simplefilter("ignore")
                get_scorer(self.name)(guess, np.zeros((len(truth), 1)), truth)
        except Exception as error:
            reason = " ".join(str(error).split())
            raise SetupError(
                f"found the scorer {self.name!r}, which has no value for the data set "
                f"{dataset.name!r}{_of_classes(dataset)} ({reason}); allowed one that has"
            ) from None


class CachedCandidate:
    """A fitted candidate that computes each of its predictions of the test sample once.

    `inputs`: of the test sample.
    `answers`: predictions by method; new ones are added.
    """

    def __init__(self, estimator: Any, inputs: Any, answers: dict[str, Any]) -> None:
        self._estimator = estimator
        self._inputs = inputs
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the candidate; its methods of `METHODS` answer once."""
        found = getattr(self._estimator, name)
        return self._cached(name, found) if name in METHODS else found

    def _cached(self, name: str, ask: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @wraps(ask)
        def answer(X: Any) -> Any:
            if X is not self._inputs:
                return ask(X)
            if name not in self._answers:
                self._answers[name] = ask(X)
            return self._answers[name]

        return answer


def scorer_names() -> list[str]:
    """Return the names of all scorers."""
    from sklearn.metrics import get_scorer_names

    return list(get_scorer_names())


def find_scorer(name: str) -> ComputedMeasure | None:
    """Return the measure of a scorer's name, if there is such a scorer.

    Hyphens may stand for underscores. Larger values are better for all of them,
    those of losses being negative.
    """
    from sklearn.metrics import get_scorer

    from reportgen.catalogue.measures.prediction import ComputedMeasure

    key = name.strip().lower().replace("-", "_")
    if key not in scorer_names():
        return None
    found = get_scorer(key)
    scorer = Scorer(key, getattr(found, "_response_method", None) == "predict_proba")
    return ComputedMeasure(
        Measure(name, "larger", better_source="package"),
        scorer,
        _task(found),
        needs_probabilities=scorer.needs_probabilities,
        check_dataset=scorer.check_dataset,
    )


def _task(found: Any) -> Task:
    """Decide by the module of the function that the scorer uses."""
    module = getattr(getattr(found, "_score_func", None), "__module__", "")
    return "regression" if module.endswith("_regression") else "classification"


def _guess(dataset: DataSet) -> tuple[Any, Any]:
    """Return a fitted guess, and responses to judge it by."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    if not dataset.classes:
        truth = dataset.response
        return DummyRegressor().fit(np.zeros((len(truth), 1)), truth), truth
    n_classes = len(dataset.classes)
    truth = np.arange(4 * n_classes) % n_classes
    guess = DummyClassifier(strategy="stratified", random_state=0)
    return guess.fit(np.zeros((len(truth), 1)), truth), truth


def _of_classes(dataset: DataSet) -> str:
    return f" of {len(dataset.classes)} classes" if dataset.classes else ""
