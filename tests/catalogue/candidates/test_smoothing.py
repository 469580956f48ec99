"""The smoothing spline against R (tests/golden/regression.R) and by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import BSpline

from reportgen.catalogue.candidates import estimators as smoothing
from reportgen.catalogue.candidates.estimators import SmoothingSpline, n_knots

EXACT = 1e-9  # relative; the same equations
ROUNDED = 2e-3  # relative; R takes 0.3330 for a third
SAMPLES = ("spline", "spline_copies", "spline_many")


@pytest.fixture(scope="module")
def golden() -> Any:
    return json.loads((Path(__file__).parents[2] / "golden" / "regression.json").read_text())


def _sample(golden: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    if name == "spline_many":
        return np.array(golden["x"])[:, None], np.array(golden["y"])
    rows = np.array(golden["drawn"]) if name == "spline_copies" else np.arange(51)
    return np.array(golden["speed"])[rows][:, None], np.array(golden["dist"])[rows]


def _rounded_roughness(knots: np.ndarray, inner: np.ndarray) -> np.ndarray:
    """Integrate as R's sgram.f does, in which a third is 0.3330."""
    second = BSpline(knots, np.eye(len(knots) - 4), 3).derivative(2)
    left = second(inner[:-1])
    slope = 2.0 * (second((inner[:-1] + inner[1:]) / 2.0) - left)
    total = np.zeros((left.shape[1],) * 2)
    for a, b, width in zip(left, slope, np.diff(inner), strict=True):
        cross = np.outer(a, b) + np.outer(b, a)
        total += width * (np.outer(a, a) + cross / 2.0 + 0.3330 * np.outer(b, b))
    return total


@pytest.mark.parametrize("name", SAMPLES)
def test_the_spline_is_that_of_r_but_for_a_rounded_third(
    golden: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, at = golden[name], np.array(golden[name]["at"])[:, None]
    inputs, response = _sample(golden, name)
    exact = SmoothingSpline(expected["lambda"]).fit(inputs, response)
    assert exact.df_ == pytest.approx(expected["df"], rel=ROUNDED)
    monkeypatch.setattr(smoothing, "_roughness", _rounded_roughness)
    found = SmoothingSpline(expected["lambda"]).fit(inputs, response)
    assert found.df_ == pytest.approx(expected["df"], rel=EXACT)
    assert found.criterion_ == pytest.approx(expected["criterion"], rel=EXACT)
    assert found.predict(at) == pytest.approx(expected["fit"], rel=EXACT)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_penalty_is_that_of_r(golden: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoothing, "_roughness", _rounded_roughness)
    found = SmoothingSpline().fit(*_sample(golden, name))
    assert found.criterion_ <= golden[name]["criterion"]
    assert found.penalty_ == pytest.approx(golden[name]["lambda"], rel=ROUNDED)


def test_the_criterion_by_brute_force(golden: Any) -> None:
    # The smoother's matrix column by column, on all 51 observations with their copies.
    inputs, response = _sample(golden, "spline_copies")
    found = SmoothingSpline().fit(inputs, response)
    alone = SmoothingSpline(found.penalty_)
    matrix = np.column_stack([alone.fit(inputs, unit).predict(inputs) for unit in np.eye(51)])
    residual = response - matrix @ response
    df = float(np.trace(matrix))
    assert found.df_ == pytest.approx(df, rel=1e-8)
    gcv = float(np.mean(residual**2)) / (1.0 - df / 51) ** 2
    assert found.criterion_ == pytest.approx(gcv, rel=1e-8)
    for factor in (0.5, 0.9, 1.1, 2.0):
        assert SmoothingSpline(factor * found.penalty_).fit(inputs, response).criterion_ > gcv


def test_a_spline_of_points_on_a_line_is_the_line(golden: Any) -> None:
    speed, _ = _sample(golden, "spline")
    found = SmoothingSpline().fit(speed, 3.0 - 2.0 * speed[:, 0])
    beyond = np.array([[-100.0], [4.0], [15.5], [100.0]])
    assert found.predict(beyond) == pytest.approx(3.0 - 2.0 * beyond[:, 0], abs=1e-5)


def test_it_goes_on_straight() -> None:
    rng = np.random.default_rng(5)
    x = np.sort(rng.uniform(0, 6, 200))
    found = SmoothingSpline().fit(x[:, None], np.sin(x) + 0.1 * rng.standard_normal(200))
    inside = np.linspace(0.5, 5.5, 50)
    assert np.abs(found.predict(inside[:, None]) - np.sin(inside)).max() < 0.1
    ends = found.predict(np.array([[7.0], [8.0], [9.0]]))
    assert ends[2] - ends[1] == pytest.approx(ends[1] - ends[0])


def test_copies_weigh_as_often_as_they_occur(golden: Any) -> None:
    inputs, response = _sample(golden, "spline")
    penalty = 1e-4
    single = SmoothingSpline(penalty).fit(inputs, response)
    double = SmoothingSpline(2 * penalty).fit(
        np.vstack([inputs, inputs]), np.concatenate([response, response])
    )
    assert double.predict(inputs) == pytest.approx(single.predict(inputs), rel=1e-8)


def test_numbers_of_knots_are_those_of_r() -> None:
    # stats:::.nknots.smspl
    found = [n_knots(n) for n in (4, 49, 50, 51, 100, 199, 300, 800, 2000, 3199, 10_000)]
    assert found == [4, 49, 49, 50, 62, 99, 105, 140, 167, 199, 205]


def test_what_it_does_not_take() -> None:
    with pytest.raises(ValueError, match="one input, found 2"):
        SmoothingSpline().fit(np.zeros((20, 2)), np.zeros(20))
    with pytest.raises(ValueError, match="needs 4 distinct values, found 2"):
        SmoothingSpline().fit(np.array([[0.0], [1.0]] * 5), np.arange(10.0))
