"""Landmarkers against scikit-learn's candidates, and where they have nothing to say."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from reportgen.stats.characteristics.landmarkers import (
    linear_error,
    naive_bayes_error,
    nearest_neighbour_error,
    stump_error,
)
from reportgen.stats.characteristics.maps import Sample

OTHER_PARTS = 0.05  # the parts of the cross-validation are others
MARKS = {
    "nn": (nearest_neighbour_error, make_pipeline(StandardScaler(), KNeighborsClassifier(1))),
    "stump": (stump_error, DecisionTreeClassifier(max_depth=1, random_state=1)),
    "nb": (naive_bayes_error, GaussianNB()),
}


def bare(n: int) -> np.ndarray:
    return np.zeros((n, 0), dtype=np.int64)


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("name", list(MARKS))
def test_errors_are_those_of_such_candidates(load, name: str) -> None:
    x, y = load(return_X_y=True)
    mark, candidate = MARKS[name]
    ours = mark(Sample(x, bare(len(x)), y.astype(np.int64)))[0]
    theirs = 1 - cross_val_score(candidate, x, y, cv=5).mean()
    assert ours == pytest.approx(theirs, abs=OTHER_PARTS)


def test_errors_of_numbers_are_relative_to_the_mean() -> None:
    x, y = load_diabetes(return_X_y=True)
    sample = Sample(x, bare(len(x)), response=y)
    tree = DecisionTreeRegressor(max_depth=1)
    theirs = 1 - cross_val_score(tree, x, y, cv=5, scoring="r2").mean()
    assert stump_error(sample)[0] == pytest.approx(theirs, abs=0.1)
    assert 0.4 < linear_error(sample)[0] < 0.6
    assert not len(naive_bayes_error(sample))


def test_copies_of_an_observation_say_nothing_of_each_other() -> None:
    rng = np.random.default_rng(1)
    data = Sample(rng.normal(size=(100, 2)), bare(100), rng.integers(0, 2, 100))
    drawn = data.take(rng.integers(0, 100, 300))
    assert nearest_neighbour_error(drawn)[0] > 0.3  # with copies in both parts it would be near 0
    forgotten = Sample(drawn.continuous, drawn.nominal, drawn.classes)
    assert nearest_neighbour_error(forgotten)[0] < 0.1


def test_categories_count() -> None:
    rng = np.random.default_rng(2)
    nominal = rng.integers(0, 3, (90, 2))
    sample = Sample(np.zeros((90, 0)), nominal, (nominal[:, 0] == 1).astype(np.int64))
    for mark in (nearest_neighbour_error, linear_error, stump_error, naive_bayes_error):
        assert mark(sample)[0] == 0.0


def test_nothing_is_said_where_nothing_can_be_learnt() -> None:
    rng = np.random.default_rng(3)
    for mark in (nearest_neighbour_error, linear_error, stump_error, naive_bayes_error):
        assert not len(mark(Sample(np.ones((30, 2)), bare(30), rng.integers(0, 2, 30))))
        assert not len(mark(Sample(rng.normal(size=(30, 2)), bare(30), np.zeros(30, np.int64))))
        assert not len(mark(Sample(rng.normal(size=(4, 2)), bare(4), np.array([0, 1, 0, 1]))))
