"""Measures by hand, and against scikit-learn as a second algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics

from reportgen.catalogue.measures import find_measure, known_measure
from reportgen.catalogue.measures.prediction import Prediction
from reportgen.errors import SetupError
from reportgen.performance_measure import Measure

EXACT = 1e-12  # the same sums in another order

TRUTH = np.array([0, 0, 0, 1, 1, 2, 2, 2, 2, 2])
PREDICTED = np.array([0, 0, 1, 1, 2, 2, 2, 2, 0, 1])


def _classified(probabilities: bool = True) -> Prediction:
    p = np.random.default_rng(7).dirichlet(np.ones(3), len(TRUTH))
    return Prediction(TRUTH, PREDICTED, p if probabilities else None, 0.25, 0.5)


def _regressed() -> Prediction:
    truth = np.array([1.0, 2.0, 3.0, 10.0])
    return Prediction(truth, np.array([1.0, 4.0, 2.0, 6.0]), None, 0.25, 0.5)


def _value(name: str, prediction: Prediction) -> float:
    return find_measure(name).compute(prediction)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("misclassification", 4 / 10),
        ("accuracy", 6 / 10),
        ("balanced-accuracy", (2 / 3 + 1 / 2 + 3 / 5) / 3),
        ("balanced-error", 1 - (2 / 3 + 1 / 2 + 3 / 5) / 3),
        # 2 hits / (truth + predicted): 2*2/(3+3), 2*1/(2+3), 2*3/(5+4)
        ("f1", (4 / 6 + 2 / 5 + 6 / 9) / 3),
        ("fit-time", 0.25),
        ("predict-time", 0.5),
        ("time", 0.75),
    ],
)
def test_classification_by_hand(name: str, expected: float) -> None:
    assert _value(name, _classified()) == pytest.approx(expected, abs=EXACT)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mse", 21 / 4),  # errors 0, 2, 1, 4
        ("rmse", np.sqrt(21 / 4)),
        ("mae", 7 / 4),
        ("median-absolute-error", 1.5),
        ("r2", 1 - 21 / 50),  # squares about the mean 4: 9 + 4 + 1 + 36
    ],
)
def test_regression_by_hand(name: str, expected: float) -> None:
    assert _value(name, _regressed()) == pytest.approx(expected, abs=EXACT)


def test_probabilities_against_scikit_learn() -> None:
    prediction = _classified()
    p = prediction.probabilities
    log_loss = metrics.log_loss(TRUTH, p)
    auc = metrics.roc_auc_score(TRUTH, p, multi_class="ovr", average="macro")
    assert _value("log-loss", prediction) == pytest.approx(log_loss, abs=EXACT)
    assert _value("deviance", prediction) == pytest.approx(2 * log_loss, abs=EXACT)
    assert _value("auc", prediction) == pytest.approx(auc, abs=EXACT)
    assert _value("one-minus-auc", prediction) == pytest.approx(1 - auc, abs=EXACT)


def test_auc_counts_ties_half() -> None:
    # Values of class 1: .5 and .9; of class 0: .5 and .1. Of 4 pairs 3 in order, 1 tied.
    of_one = np.array([0.5, 0.1, 0.5, 0.9])
    prediction = Prediction(
        np.array([0, 0, 1, 1]),
        np.array([0, 0, 0, 1]),
        np.column_stack([1 - of_one, of_one]),
        0.0,
        0.0,
    )
    assert _value("auc", prediction) == pytest.approx(3.5 / 4, abs=EXACT)


def test_brier_is_half_the_squared_distance() -> None:
    prediction = Prediction(
        np.array([0, 1]), np.array([0, 0]), np.array([[0.8, 0.2], [0.6, 0.4]]), 0.0, 0.0
    )
    # (.04 + .04) / 2 and (.36 + .36) / 2, averaged
    assert _value("brier", prediction) == pytest.approx(0.2, abs=EXACT)


def test_a_certain_mistake_costs_a_finite_log_loss() -> None:
    prediction = Prediction(np.array([0]), np.array([1]), np.array([[0.0, 1.0]]), 0.0, 0.0)
    assert _value("log-loss", prediction) == pytest.approx(-np.log(np.finfo(float).eps))


@pytest.mark.parametrize("name", ["brier", "log-loss", "deviance", "auc", "one-minus-auc"])
def test_no_probabilities_is_said(name: str) -> None:
    assert find_measure(name).needs_probabilities
    with pytest.raises(ValueError, match="gives no class probabilities"):
        _value(name, _classified(probabilities=False))


def test_undefined_values_are_said() -> None:
    single = Prediction(np.zeros(3, int), np.zeros(3, int), np.ones((3, 2)) / 2, 0.0, 0.0)
    constant = Prediction(np.ones(3), np.arange(3.0), None, 0.0, 0.0)
    with pytest.raises(ValueError, match="single class"):
        _value("auc", single)
    with pytest.raises(ValueError, match="constant in the test sample"):
        _value("r2", constant)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("Misclassification", "misclassification"),
        ("vmiscl", "misclassification"),
        ("error", "misclassification"),
        ("ERR", "misclassification"),
        ("acc", "accuracy"),
        ("balanced_accuracy", "balanced-accuracy"),
        ("MSE", "mse"),
        ("mtime", "fit-time"),
        ("vpredtime", "predict-time"),
        ("Time", "time"),
        ("fit-memory", "fit-memory"),
    ],
)
def test_import_aliases(alias: str, name: str) -> None:
    measure = known_measure(alias)
    assert measure is not None
    assert measure.name == name


def test_directions_units_and_bounds() -> None:
    assert known_measure("misclassification") == Measure(
        "misclassification", "smaller", "share", (0.0, 1.0)
    )
    assert known_measure("auc") == Measure("auc", "larger", "share", (0.0, 1.0))
    assert known_measure("r2") == Measure("r2", "larger", "share", (None, 1.0))
    assert known_measure("model-size") == Measure("model-size", "smaller", "bytes", (0.0, None))
    assert known_measure("log-loss") == Measure("log-loss", "smaller", "nats", (0.0, None))
    assert known_measure("Cost") is None


def test_memory_of_other_programs_has_the_unit_that_they_say() -> None:
    """Most write megabytes, and none what we measure."""
    assert known_measure("memory") is None
    assert known_measure("peak_memory") is None


def test_unknown_measure_names_the_nearest() -> None:
    with pytest.raises(
        SetupError, match=r"any scorer of scikit-learn; did you mean neg_brier_score"
    ):
        find_measure("neg_brier_scor")
    with pytest.raises(SetupError, match="did you mean misclassification"):
        find_measure("misclasification")


def test_size_of_a_model_is_that_of_its_pickle() -> None:
    prediction = Prediction(
        np.zeros(2), np.zeros(2), None, 0.0, 0.0, estimator={"weights": np.zeros(1000)}
    )
    size = find_measure("model-size").compute(prediction)
    assert 8000 < size < 8400


def test_memory_that_nobody_knows() -> None:
    prediction = Prediction(np.zeros(2), np.zeros(2), None, 0.0, 0.0)
    with pytest.raises(ValueError, match="does not report"):
        find_measure("fit-memory").compute(prediction)
