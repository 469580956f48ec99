"""Fits that are shared along the costs of a support vector machine: the same as one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import SVC

from reportgen.catalogue.candidates import tuning as module
from reportgen.catalogue.candidates.preparation import InputMatrix
from reportgen.catalogue.candidates.search import Grid
from reportgen.catalogue.candidates.tuning import _Points, inner_fits
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet

SOLVED = 1e-6  # tolerance of the solver, where its solutions are compared
SAME = 2e-3  # of decision values, about the tolerance times the number of vectors
COSTS = tuple(2.0**k for k in range(-5, 13, 2))
GAMMAS = (0.03125, 0.5, 4.0)


def _sample(name: str, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Draw a bootstrap sample; a tenth of its classes is exchanged, so that classes conflict."""
    data: DataSet = find_dataset(name)
    rng = np.random.default_rng(seed)
    drawn = rng.integers(data.n, size=min(data.n, 200))
    y = data.response[drawn].copy()
    y[:20] = y[rng.permutation(20)]
    return InputMatrix().fit(data.inputs).transform(data.inputs.iloc[drawn]), y


@pytest.mark.slow
@pytest.mark.parametrize("name", ["monks3", "iris"])
def test_the_decision_is_that_of_a_fit_for_itself(name: str) -> None:
    X, y = _sample(name)
    tried = Grid({"C": COSTS, "gamma": GAMMAS})(X, y, np.random.default_rng(1))
    shared = dict(inner_fits(SVC(tol=SOLVED), tried, X, y))
    assert sorted(shared) == list(range(len(tried)))
    n_settled = 0
    for i, setting in enumerate(tried):
        alone = SVC(tol=SOLVED, **setting).fit(X, y)
        kept = shared[i]
        n_settled += setting["C"] != kept.C
        assert kept.decision_function(X) == pytest.approx(alone.decision_function(X), abs=SAME)
    assert n_settled > 0


def test_greater_costs_are_not_fitted_once_nothing_changes(monkeypatch: Any) -> None:
    X, y = _sample("monks3")
    costs: list[float] = []
    fitted = module._fitted

    def counting(estimator: Any, setting: Any, *more: Any, **named: Any) -> Any:
        costs.append(setting["C"])
        return fitted(estimator, setting, *more, **named)

    monkeypatch.setattr(module, "_fitted", counting)
    tried = Grid({"C": COSTS[::-1], "gamma": (4.0,)})(X, y, np.random.default_rng(1))
    found = dict(inner_fits(SVC(), tried, X, y))
    assert costs == sorted(costs)
    assert len(costs) < len(COSTS)
    assert found[0] is found[1]  # the two greatest costs


def test_copies_with_conflicting_classes_settle_only_if_the_larger_class_is_free() -> None:
    # Both classes at one place, equally often: whatever the cost, the function is 0 there.
    X, y = np.array([[0.0], [0.0], [9.0], [20.0]]), np.array([0, 1, 0, 1])
    points = _Points(X, y)
    assert points.is_settled(
        SVC(C=50.0, gamma=1.0).fit(points.X, points.y, sample_weight=points.weights)
    )
    # Twice as often: with a small cost the larger class is at its bound.
    points = _Points(np.vstack([X, [[0.0]]]), np.append(y, 1))
    small, large = (
        SVC(C=cost, gamma=1.0).fit(points.X, points.y, sample_weight=points.weights)
        for cost in (0.1, 50.0)
    )
    assert not points.is_settled(small)
    assert points.is_settled(large)


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (SVC(class_weight="balanced"), {"C": (1.0, 2.0)}),
        (SVC(), {"C": (1.0, 2.0), "class_weight": (None, "balanced")}),
        (SVC(max_iter=5000), {"C": (1.0, 2.0)}),
        (SVC(), {"gamma": (1.0, 2.0)}),
        (SVC(), {"C": (1.0, 2.0), "gamma": ("scale", "auto")}),
        (SVC(gamma="scale"), {"C": (1.0, 2.0), "kernel": ("linear", "poly")}),
    ],
)
def test_other_machines_are_fitted_as_they_are(estimator: SVC, grid: dict[str, Any]) -> None:
    X, y = _sample("iris")
    tried = Grid(grid)(X, y, np.random.default_rng(1))
    for i, fitted in inner_fits(estimator.set_params(tol=SOLVED), tried, X, y):
        alone = SVC(**{**estimator.get_params(), **tried[i]}).fit(X, y)
        assert fitted.decision_function(X) == pytest.approx(alone.decision_function(X), abs=SAME)


def test_what_cannot_be_fitted_is_none() -> None:
    X, y = np.zeros((4, 1)), np.zeros(4)
    tried = [{"C": -1.0}, {"C": 1.0}]
    assert [fitted for _, fitted in inner_fits(SVC(), tried, X, y)] == [None, None]
    fits = dict(inner_fits(Ridge(), [{"alpha": -1.0}, {"alpha": 1.0}], X, y))
    assert fits[0] is None
    assert fits[1] is not None
