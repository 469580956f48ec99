"""Regression candidates against R (tests/golden/regression.R)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.candidates.estimators import (
    HuberLinearModel,
    LocalRegression,
    NeuralNetRegressor,
    SupportVectorRegressor,
)

EXACT = 1e-9  # relative; both solve the same least squares problems
ITERATED = 1e-8  # relative; both iterate until the residuals change by 1e-10
LIBSVM = 2e-3  # relative; the solver of both stops at a tolerance of 1e-3


@pytest.fixture(scope="module")
def golden() -> Any:
    return json.loads((Path(__file__).parents[2] / "golden" / "regression.json").read_text())


@pytest.fixture(scope="module")
def cars(golden: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the inputs and responses of the 51 cars, and where to predict."""
    speed, dist, at = (np.array(golden[key]) for key in ("speed", "dist", "at"))
    return speed[:, None], dist, at[:, None]


def test_huber_estimation_is_that_of_mass(golden: Any, cars: Any) -> None:
    speed, dist, _ = cars
    found = HuberLinearModel().fit(speed, dist)
    assert found.coef_ == pytest.approx(golden["rlm"], rel=ITERATED)
    assert found.scale_ == pytest.approx(golden["rlm_scale"][0], rel=ITERATED)
    assert found.predict(np.array([[0.0]]))[0] == pytest.approx(golden["rlm"][0], rel=ITERATED)


def test_huber_estimation_bears_dependent_columns(cars: Any) -> None:
    speed, dist, at = cars
    twice = HuberLinearModel().fit(np.hstack([speed, 2 * speed]), dist)
    once = HuberLinearModel().fit(speed, dist)
    assert twice.predict(np.hstack([at, 2 * at])) == pytest.approx(once.predict(at), rel=ITERATED)


def test_local_regression_is_that_of_r(golden: Any, cars: Any) -> None:
    speed, dist, at = cars
    assert LocalRegression().fit(speed, dist).predict(at) == pytest.approx(
        golden["loess"], rel=EXACT
    )


def test_local_regression_on_two_inputs(golden: Any) -> None:
    iris = load_iris().data
    inputs, width = iris[:, [2, 0]], iris[:, 3]
    found = LocalRegression().fit(inputs, width).predict(inputs[:10])
    assert found == pytest.approx(golden["loess2"], rel=EXACT)


def test_local_regression_where_one_point_has_most_of_the_weight() -> None:
    inputs = np.array([[0.0]] * 9 + [[1.0]])
    assert LocalRegression().fit(inputs, np.arange(10.0)).predict([[0.0]]) == pytest.approx([4.0])


def test_too_many_inputs() -> None:
    with pytest.raises(ValueError, match="up to 4 inputs, found 5"):
        LocalRegression().fit(np.zeros((20, 5)), np.zeros(20))


def test_the_linear_model_is_that_of_r(golden: Any, cars: Any) -> None:
    speed, dist, at = cars
    frame = pd.DataFrame({"speed": speed[:, 0]})
    model = find_candidate("lm").build("regression", 0).fit(frame, dist)
    found = model.predict(pd.DataFrame({"speed": at[:, 0]}))
    assert found == pytest.approx(golden["lm"], rel=EXACT)


def test_support_vector_regression_is_that_of_e1071(golden: Any, cars: Any) -> None:
    speed, dist, at = cars
    mean, deviation = speed.mean(), speed.std(ddof=1)
    machine = SupportVectorRegressor(C=1.0, gamma="auto", epsilon=0.1)
    found = machine.fit((speed - mean) / deviation, dist).predict((at - mean) / deviation)
    assert found == pytest.approx(golden["svm"], rel=LIBSVM)


@pytest.mark.parametrize("kind", [SupportVectorRegressor, NeuralNetRegressor])
def test_the_unit_of_the_response_makes_no_difference(kind: Any, cars: Any) -> None:
    speed, dist, at = cars
    options = {"random_state": 1, "solver": "lbfgs", "max_iter": 1000, "alpha": 0.1}
    estimator = kind(**(options if kind is NeuralNetRegressor else {}))
    feet = estimator.fit(speed / 10, dist).predict(at / 10)
    other = estimator.fit(speed / 10, dist / 4096).predict(at / 10)
    assert other * 4096 == pytest.approx(feet, rel=EXACT)
    assert clone(estimator).get_params() == estimator.get_params()


def test_a_constant_response_is_predicted() -> None:
    inputs = np.arange(12.0)[:, None]
    found = SupportVectorRegressor().fit(inputs, np.full(12, 7.0)).predict(inputs)
    assert found == pytest.approx(np.full(12, 7.0), abs=0.2)
    assert HuberLinearModel().fit(inputs, np.full(12, 7.0)).predict(inputs) == pytest.approx(
        np.full(12, 7.0)
    )


def test_an_outlier_moves_the_robust_model_little() -> None:
    x = np.arange(20.0)[:, None]
    y = 1.0 + 2.0 * x[:, 0] + np.tile([0.1, -0.1], 10)
    y[19] += 1000.0
    found = HuberLinearModel().fit(x, y)
    assert found.coef_ == pytest.approx([1.0, 2.0], abs=0.15)
    exact = HuberLinearModel().fit(x, np.where(np.arange(20) == 19, 9e3, 3.0 - x[:, 0]))
    assert exact.predict(x)[:19] == pytest.approx(3.0 - x[:19, 0], abs=1e-3)
