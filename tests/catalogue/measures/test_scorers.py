"""scikit-learn's scorers as measures: against ours, and none left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import matthews_corrcoef
from sklearn.svm import SVC

from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.measures import find_measure
from reportgen.catalogue.measures.prediction import Prediction
from reportgen.catalogue.measures.scorers import CachedCandidate, find_scorer, scorer_names
from reportgen.errors import SetupError
from reportgen.measures import Task
from reportgen.performance_measure import Measure

SAME = 1e-12  # the same sums in another order

OF_NUMBERS = {
    "d2_absolute_error_score",
    "explained_variance",
    "neg_max_error",
    "neg_mean_absolute_error",
    "neg_mean_absolute_percentage_error",
    "neg_mean_gamma_deviance",
    "neg_mean_poisson_deviance",
    "neg_mean_squared_error",
    "neg_mean_squared_log_error",
    "neg_median_absolute_error",
    "neg_root_mean_squared_error",
    "neg_root_mean_squared_log_error",
    "r2",
}


def _dataset(n_classes: int = 0, least: float = -5.0) -> DataSet:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((60, 2))
    values = x[:, 0] + rng.standard_normal(60)
    target = pd.Series(values - values.min() + least)
    task: Task = "regression"
    if n_classes:
        target = pd.Series(pd.qcut(values, n_classes, labels=list("abcd"[:n_classes])).astype(str))
        task = "classification"
    return DataSet.of("toy", pd.DataFrame(x, columns=["u", "v"]), target, task, "")


def _prediction(dataset: DataSet, estimator: Any) -> Prediction:
    """Learn from two thirds, predict the rest."""
    learn, test = dataset.inputs[:40], dataset.inputs[40:]
    estimator.fit(learn, dataset.response[:40])
    predicted = estimator.predict(test)
    has = hasattr(estimator, "predict_proba")
    probabilities = estimator.predict_proba(test) if has else None
    return Prediction(
        dataset.response[40:],
        predicted,
        probabilities,
        0.0,
        0.0,
        estimator=estimator,
        inputs=test,
    )


def test_a_scorer_by_hand() -> None:
    prediction = _prediction(_dataset(3), LogisticRegression())
    found = find_measure("matthews_corrcoef")
    assert found.measure == Measure("matthews_corrcoef", "larger")
    expected = matthews_corrcoef(prediction.truth, prediction.predicted)
    assert found.compute(prediction) == expected
    assert find_measure("Matthews-Corrcoef").compute(prediction) == expected


@pytest.mark.parametrize(
    ("ours", "theirs", "factor"),
    [
        ("accuracy", "accuracy", 1.0),
        ("balanced-accuracy", "balanced_accuracy", 1.0),
        ("f1", "f1_macro", 1.0),
        ("auc", "roc_auc_ovr", 1.0),
        ("log-loss", "neg_log_loss", -1.0),
        ("deviance", "neg_log_loss", -2.0),
        ("brier", "neg_brier_score", -0.5),  # scikit-learn halves with two classes only
    ],
)
def test_ours_is_theirs_for_classes(ours: str, theirs: str, factor: float) -> None:
    prediction = _prediction(_dataset(3), LogisticRegression())
    scorer = find_scorer(theirs)
    assert scorer is not None
    value = find_measure(ours).compute(prediction)
    assert value == pytest.approx(factor * scorer.compute(prediction), abs=SAME)


@pytest.mark.parametrize(
    ("ours", "theirs", "factor"),
    [
        ("r2", "r2", 1.0),
        ("mse", "neg_mean_squared_error", -1.0),
        ("rmse", "neg_root_mean_squared_error", -1.0),
        ("mae", "neg_mean_absolute_error", -1.0),
        ("median-absolute-error", "neg_median_absolute_error", -1.0),
    ],
)
def test_ours_is_theirs_for_numbers(ours: str, theirs: str, factor: float) -> None:
    prediction = _prediction(_dataset(), LinearRegression())
    scorer = find_scorer(theirs)
    assert scorer is not None
    value = find_measure(ours).compute(prediction)
    assert value == pytest.approx(factor * scorer.compute(prediction), abs=SAME)


@pytest.mark.parametrize(
    "name", ["accuracy", "balanced_accuracy", "f1", "f1_macro", "r2", "roc_auc"]
)
def test_names_that_both_have_are_ours(name: str) -> None:
    assert find_measure(name).measure.unit_symbol == "share"
    assert find_measure(name).check_dataset is None


def test_the_task_of_every_scorer() -> None:
    assert set(scorer_names()) >= OF_NUMBERS
    for name in scorer_names():
        scorer = find_scorer(name)
        assert scorer is not None
        assert scorer.measure == Measure(name, "larger")
        assert scorer.task == ("regression" if name in OF_NUMBERS else "classification"), name


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_every_scorer_has_a_value_or_says_at_once_that_it_has_none(n_classes: int) -> None:
    dataset = _dataset(n_classes, least=0.5)
    prediction = _prediction(dataset, LogisticRegression() if n_classes else LinearRegression())
    refused = set()
    for scorer in map(find_scorer, scorer_names()):
        if scorer is None or scorer.check_dataset is None or scorer.task != dataset.task:
            continue
        try:
            scorer.check_dataset(dataset)
        except SetupError:
            refused.add(scorer.name)
        else:
            try:
                assert np.isfinite(scorer.compute(prediction)), scorer.name
            except ValueError:  # a prediction may be negative where no response is
                assert scorer.name.endswith(("_gamma_deviance", "_poisson_deviance", "_log_error"))
    of_samples = {f"{name}_samples" for name in ("f1", "jaccard", "precision", "recall")}
    of_two = {"f1", "jaccard", "precision", "recall", "roc_auc"}
    of_two |= {"positive_likelihood_ratio", "neg_negative_likelihood_ratio"}
    assert refused == {0: set(), 2: of_samples, 3: of_samples | of_two}[n_classes]


def test_what_is_refused_names_the_data_set_and_the_reason() -> None:
    check = find_measure("precision").check_dataset
    assert check is not None
    check(_dataset(2))
    with pytest.raises(SetupError, match=r"no value for the data set 'toy' of 3 classes .*multi"):
        check(_dataset(3))
    check = find_measure("neg_mean_squared_log_error").check_dataset
    assert check is not None
    check(_dataset(least=0.5))
    with pytest.raises(SetupError, match=r"'neg_mean_squared_log_error'.*the data set 'toy' .Mean"):
        check(_dataset(least=-5.0))


def test_a_candidate_without_probabilities_gets_the_same_reason_everywhere() -> None:
    prediction = _prediction(_dataset(2), SVC())
    for name in ("brier", "neg_brier_score", "neg_log_loss"):
        assert find_measure(name).needs_probabilities
        with pytest.raises(ValueError, match=r"^the candidate gives no class probabilities$"):
            find_measure(name).compute(prediction)
    average = find_measure("average_precision")  # content with the decision function
    assert not average.needs_probabilities
    assert 0.5 < average.compute(prediction) <= 1.0


def test_a_candidate_is_asked_once() -> None:
    class Counting(LogisticRegression):  # type: ignore[misc]
        asked = 0

        def predict_proba(self, X: Any) -> Any:
            Counting.asked += 1
            return super().predict_proba(X)

    prediction = _prediction(_dataset(3), Counting())
    Counting.asked = 0
    for name in ("neg_log_loss", "roc_auc_ovr", "roc_auc_ovo", "top_k_accuracy"):
        find_measure(name).compute(prediction)
    assert Counting.asked == 1
    asked = CachedCandidate(prediction.estimator, prediction.inputs, prediction.answers)
    assert len(asked.predict_proba(prediction.inputs.iloc[:5])) == 5
