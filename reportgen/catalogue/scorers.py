"""scikit-learn's scorers as performance measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reportgen.errors import SetupError
from reportgen.warehouse import Measure

if TYPE_CHECKING:
    from reportgen.catalogue.measures import ComputedMeasure, Prediction, Task

CLASS_SCORERS = ("neg_brier_score", "neg_log_loss", "neg_negative_likelihood_ratio")
NUMBER_SCORERS = ("explained_variance", "max_error", "neg_max_error", "r2")
NUMBER_PREFIXES = ("neg_mean_", "neg_median_", "neg_root_mean_", "d2_")


@dataclass(frozen=True, slots=True)
class Scorer:
    """A scorer of scikit-learn, by its name.

    Classes are their numbers, so that of two classes the second in their
    order is the positive one.
    """

    name: str

    def __call__(self, prediction: Prediction) -> float:
        """Return what the scorer says of the fitted candidate on the test sample."""
        from sklearn.metrics import get_scorer

        scorer = get_scorer(self.name)
        return float(scorer(prediction.estimator, prediction.inputs, prediction.truth))

    def check_classes(self, n_classes: int) -> None:
        """Say so where the scorer is not defined for so many classes.

        Raises
        ------
        SetupError
        """
        from warnings import catch_warnings, simplefilter

        from sklearn.dummy import DummyClassifier
        from sklearn.metrics import get_scorer

        truth = np.arange(4 * n_classes) % n_classes
        inputs = np.zeros((len(truth), 1))
        guess = DummyClassifier(strategy="stratified", random_state=0).fit(inputs, truth)
        try:
            with catch_warnings():
                simplefilter("ignore")
                get_scorer(self.name)(guess, inputs, truth)
        except ValueError as error:
            reason = " ".join(str(error).split())
            raise SetupError(
                f"found the scorer {self.name!r}, which is not defined for {n_classes} classes: "
                f"{reason}"
            ) from None


def find_scorer(name: str) -> ComputedMeasure | None:
    """Return the measure that a scorer's name stands for, if there is such a scorer.

    Hyphens may stand for underscores.
    """
    from sklearn.metrics import get_scorer_names

    from reportgen.catalogue.measures import ComputedMeasure

    key = name.strip().lower().replace("-", "_")
    if key not in get_scorer_names():
        return None
    scorer = Scorer(key)
    task = _task(key)
    check: Any = scorer.check_classes if task == "classification" else None
    return ComputedMeasure(Measure(name, "larger"), scorer, task, check_classes=check)


def _task(key: str) -> Task:
    is_number = key in NUMBER_SCORERS or (
        key.startswith(NUMBER_PREFIXES) and key not in CLASS_SCORERS and "log_loss" not in key
    )
    return "regression" if is_number and "brier" not in key else "classification"
