"""The matrix behind every candidate, and the pruned trees."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from reportgen.catalogue.candidates.preparation import (
    InputMatrix,
    PrunedTreeClassifier,
    PrunedTreeRegressor,
)

EXACT = 1e-12


def _frame(sizes: list[float], colours: list[str | None]) -> pd.DataFrame:
    levels = pd.Index(["blue", "green", "red"])
    return pd.DataFrame({"size": np.array(sizes, float), "colour": pd.Categorical(colours, levels)})


def test_numbers_are_standardised_and_categories_one_hot() -> None:
    learn = _frame([1.0, 3.0, np.nan], ["blue", "red", "red"])
    matrix = InputMatrix().fit(learn).transform(learn)
    # mean 2, standard deviation 1; the gap counts as the mean; green is not seen.
    expected = [[-1, 1, 0], [1, 0, 1], [0, 0, 1]]
    assert matrix == pytest.approx(np.array(expected, float), abs=EXACT)


def test_a_test_sample_is_measured_by_the_learning_sample() -> None:
    prepared = InputMatrix().fit(_frame([1.0, 3.0], ["blue", "red"]))
    matrix = prepared.transform(_frame([5.0, np.nan], ["green", None]))
    assert matrix == pytest.approx(np.array([[3.0, 0, 0], [0, 0, 0]]), abs=EXACT)


def test_constant_and_empty_columns_become_zero() -> None:
    learn = pd.DataFrame({"constant": [7.0, 7.0], "empty": [np.nan, np.nan]})
    assert not InputMatrix().fit(learn).transform(learn).any()


def test_columns_may_be_all_numbers_or_all_categories() -> None:
    both = _frame([1.0, 3.0], ["blue", "red"])
    assert InputMatrix().fit(both[["size"]]).transform(both[["size"]]).shape == (2, 1)
    assert InputMatrix().fit(both[["colour"]]).transform(both[["colour"]]).shape == (2, 2)


def test_infinite_numbers_are_an_error() -> None:
    frame = pd.DataFrame({"a": [0.0, 1.0, np.nan], "b": [1.0, 2.0, 3.0]})
    matrix = InputMatrix().fit(frame)
    worse = frame.assign(b=[1.0, -np.inf, 3.0])
    for step in (matrix.transform, InputMatrix().fit):
        with pytest.raises(ValueError, match="the input 'b' is infinite, which cannot be stand"):
            step(worse)


def test_pruning_is_relative_to_the_root() -> None:
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, 4))
    y = (X[:, 0] + 0.3 * rng.standard_normal(300) > 0.4).astype(int)
    share = y.mean()
    plain = DecisionTreeClassifier(
        min_samples_split=20,
        min_samples_leaf=7,
        max_depth=30,
        ccp_alpha=0.05 * 2 * share * (1 - share),
        random_state=1,
    ).fit(X, y)
    pruned = PrunedTreeClassifier(cp=0.05, random_state=1).fit(X, y)
    assert pruned.tree_.get_n_leaves() == plain.get_n_leaves()
    assert (pruned.predict_proba(X) == plain.predict_proba(X)).all()
    assert pruned.tree_.get_n_leaves() < PrunedTreeClassifier(cp=0.0).fit(X, y).tree_.get_n_leaves()


def test_rparts_limits_hold() -> None:
    # 19 observations are fewer than the 20 that a node needs to be split.
    X, y = np.arange(19.0)[:, None], (np.arange(19) > 9).astype(int)
    assert PrunedTreeClassifier().fit(X, y).tree_.get_n_leaves() == 1
    X, y = np.arange(40.0)[:, None], np.arange(40.0)
    tree = PrunedTreeRegressor().fit(X, y).tree_
    assert np.unique(tree.apply(X), return_counts=True)[1].min() >= 7


def test_a_regression_tree_is_pruned_by_the_sum_of_squares() -> None:
    # One split takes 400 of 400 + 2 * 5 * .01 = 400.1; none other is worth 1% of that.
    X = np.arange(40.0)[:, None]
    y = np.where(X[:, 0] < 20, 0.0, 20.0) + np.tile([0.1, -0.1], 20)
    tree = PrunedTreeRegressor().fit(X, y)
    assert tree.tree_.get_n_leaves() == 2
    assert tree.predict(np.array([[0.0], [39.0]])) == pytest.approx([0.0, 20.0], abs=1e-9)


def test_parameters_survive_cloning() -> None:
    assert clone(PrunedTreeClassifier(cp=0.2)).get_params() == {"cp": 0.2, "random_state": None}
