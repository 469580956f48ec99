"""Regression candidates against R (tests/golden/regression.R)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from reportgen.catalogue.regression import HuberLinearModel, LocalRegression, SmoothingSpline

EXACT = 1e-9  # relative; both solve the same least squares problems
ITERATED = 5e-6  # relative; the two scales differ by 1.5e-5


@pytest.fixture(scope="module")
def golden() -> Any:
    return json.loads((Path(__file__).parents[1] / "golden" / "regression.json").read_text())


@pytest.fixture(scope="module")
def cars(golden: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the inputs and responses of the 51 cars, and where to predict."""
    speed, dist, at = (np.array(golden[key]) for key in ("speed", "dist", "at"))
    return speed[:, None], dist, at[:, None]


def test_huber_estimation_is_that_of_mass(golden: Any, cars: Any) -> None:
    speed, dist, _ = cars
    found = HuberLinearModel().fit(speed, dist)
    assert found.coef_ == pytest.approx(golden["rlm"], rel=ITERATED)
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


def test_a_spline_of_points_on_a_line_is_the_line(cars: Any) -> None:
    speed, _, at = cars
    found = SmoothingSpline().fit(speed, 3.0 - 2.0 * speed[:, 0])
    beyond = np.vstack([at, [[-100.0], [100.0]]])
    assert found.predict(beyond) == pytest.approx(3.0 - 2.0 * beyond[:, 0], abs=1e-6)


def test_a_spline_follows_a_curve_and_goes_on_straight() -> None:
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(0, 6, 200))
    found = SmoothingSpline().fit(x[:, None], np.sin(x) + 0.1 * rng.standard_normal(200))
    inside = np.linspace(0.5, 5.5, 50)
    assert np.abs(found.predict(inside[:, None]) - np.sin(inside)).max() < 0.1
    ends = found.predict(np.array([[7.0], [8.0], [9.0]]))
    assert ends[2] - ends[1] == pytest.approx(ends[1] - ends[0])


def test_copies_weigh_as_often_as_they_occur(cars: Any) -> None:
    speed, dist, at = cars
    double = SmoothingSpline().fit(np.vstack([speed, speed]), np.concatenate([dist, dist]))
    assert np.isfinite(double.predict(at)).all()


@pytest.mark.parametrize(
    ("estimator", "n_inputs", "said"),
    [(SmoothingSpline(), 2, "one input, found 2"), (LocalRegression(), 5, "up to 4 inputs")],
)
def test_too_many_inputs(estimator: Any, n_inputs: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        estimator.fit(np.zeros((20, n_inputs)), np.zeros(20))


def test_too_few_distinct_points() -> None:
    with pytest.raises(ValueError, match="needs 5 distinct values, found 2"):
        SmoothingSpline().fit(np.array([[0.0], [1.0]] * 5), np.arange(10.0))
