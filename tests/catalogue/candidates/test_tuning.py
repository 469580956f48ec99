"""Tuning: what is chosen, by whom, from which observations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier

from reportgen.catalogue.candidates.meta_estimator import MultiStart
from reportgen.catalogue.candidates.preparation import InputMatrix
from reportgen.catalogue.candidates.published import (
    PUBLISHED,
    Prunings,
    published_tuning,
)
from reportgen.catalogue.candidates.recipes import Recipe
from reportgen.catalogue.candidates.search import Grid, RandomSearch, Span
from reportgen.catalogue.candidates.tuning import Tuned, copies_of, deal, priorities
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet

RNG = np.random.default_rng


@pytest.fixture(scope="module")
def monks3() -> DataSet:
    return find_dataset("monks3")


class Witness(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Remembers every row that it has seen, and whether it was asked about one of them."""

    seen_again = 0
    fits = 0

    def __init__(self, number: int = 0) -> None:
        self.number = number

    def fit(self, X: pd.DataFrame, y: np.ndarray) -> Witness:
        self.classes_ = np.unique(y)
        self.labels_ = set(X.index)
        Witness.fits += 1
        return self

    def predict(self, X: pd.DataFrame) -> np.ndarray:
        Witness.seen_again += len(self.labels_ & set(X.index))
        return np.full(len(X), self.classes_[0])


def test_copies_of_an_observation_stay_together() -> None:
    drawn = RNG(3).integers(40, size=60)
    inputs = pd.DataFrame({"x": np.arange(40.0)}).iloc[drawn]
    Witness.seen_again = Witness.fits = 0
    Tuned(Witness(), Grid({"number": (1, 2)}), folds=5, random_state=1).fit(inputs, drawn % 2)
    assert Witness.fits == 2 * 5 + 1
    assert Witness.seen_again == 0


def test_folds_are_even_and_classes_spread() -> None:
    copies = np.repeat(np.arange(50), 2)
    classes = np.repeat(np.arange(50) < 20, 2)
    fold_of = deal(copies, classes, 10, RNG(1))
    assert np.bincount(fold_of).tolist() == [10] * 10
    assert np.bincount(fold_of[classes]).tolist() == [4] * 10
    assert (fold_of[::2] == fold_of[1::2]).all()


def test_no_more_folds_than_observations() -> None:
    assert sorted(deal(np.array([7, 8, 8, 9]), None, 10, RNG(1)).tolist()) in (
        [0, 0, 1, 2],
        [0, 1, 1, 2],
        [0, 1, 2, 2],
    )


def test_the_least_error_wins_by_brute_force() -> None:
    iris = find_dataset("iris")
    grid = Grid({"n_neighbors": (1, 15, 60, 100)})
    tuned = Tuned(KNeighborsClassifier(), grid, InputMatrix(), folds=5, random_state=4)
    tuned.fit(iris.inputs, iris.response)
    fold_of = deal(np.arange(150), iris.response, 5, RNG(4))
    wrong = np.zeros(4)
    for fold in range(5):
        inner, outer = fold_of != fold, fold_of == fold
        matrix = InputMatrix().fit(iris.inputs[inner])
        for i, k in enumerate((1, 15, 60, 100)):
            knn = KNeighborsClassifier(k).fit(
                matrix.transform(iris.inputs[inner]), iris.response[inner]
            )
            predicted = knn.predict(matrix.transform(iris.inputs[outer]))
            wrong[i] += (predicted != iris.response[outer]).sum()
    assert tuned.errors_ == pytest.approx(wrong / 150)
    assert tuned.chosen_ == {"n_neighbors": (1, 15, 60, 100)[int(np.argmin(wrong))]}
    assert len(set(tuned.errors_)) > 2


@pytest.mark.parametrize("measure", [None, "brier"])
def test_a_validation_sample_by_brute_force(measure: str | None) -> None:
    X = np.repeat(RNG(5).standard_normal((60, 2)), 2, axis=0)  # every observation twice
    y = (X[:, 0] + RNG(6).standard_normal(60).repeat(2) > 0.3).astype(int)
    grid = Grid({"n_neighbors": (1, 5, 15)})
    tuned = Tuned(
        KNeighborsClassifier(), grid, measure=measure, random_state=4, validation=0.25
    ).fit(X, y)
    held = priorities(copies_of(X), y, RNG(4)) < 15
    assert held.sum() == 30
    assert y[held].mean() == pytest.approx(y.mean(), abs=0.05)
    expected = []
    for k in (1, 5, 15):
        knn = KNeighborsClassifier(k).fit(X[~held], y[~held])
        off = knn.predict_proba(X[held])[:, 1] - y[held]
        expected.append((off**2 if measure else knn.predict(X[held]) != y[held]).mean())
    assert tuned.errors_ == pytest.approx(expected)
    assert tuned.chosen_ == {"n_neighbors": (1, 5, 15)[int(np.argmin(expected))]}
    assert tuned.fitted_.n_samples_fit_ == 120  # what is chosen learns from all


def test_the_one_se_rule_takes_the_first_within_reach() -> None:
    x = RNG(6).standard_normal((80, 1))
    y = x[:, 0] + RNG(7).standard_normal(80)
    penalties = (1e6, *np.geomspace(1000.0, 1.0, 12))
    grid = Grid({"alpha": penalties})
    found = Tuned(Ridge(), grid, folds=8, rule="one-se", random_state=1).fit(x, y)
    best = Tuned(Ridge(), grid, folds=8, random_state=1).fit(x, y)
    assert best.errors_ == pytest.approx(found.errors_)
    fold_of = deal(np.arange(80), None, 8, RNG(1))
    losses = np.empty(80)
    for fold in range(8):
        inner, outer = fold_of != fold, fold_of == fold
        ridge = Ridge(**best.chosen_).fit(x[inner], y[inner])
        losses[outer] = (ridge.predict(x[outer]) - y[outer]) ** 2
    assert losses.mean() == pytest.approx(best.errors_.min())
    bound = losses.mean() + losses.std() / np.sqrt(80)
    expected = next(a for a, e in zip(penalties, found.errors_, strict=True) if e <= bound)
    assert found.chosen_ == {"alpha": expected}
    assert best.chosen_["alpha"] < expected < 1e6


def test_a_random_search_draws_different_combinations() -> None:
    search = RandomSearch({"a": (1, 2, 3), "b": (4, 5)}, 4)
    drawn = search(None, np.zeros(3), RNG(1))
    assert len({tuple(setting.items()) for setting in drawn}) == 4
    assert drawn == search(None, np.zeros(3), RNG(1))
    assert len(RandomSearch(search.values, 100)(None, np.zeros(3), RNG(1))) == 6


def test_settings_that_cannot_be_fitted_are_out() -> None:
    iris = find_dataset("iris")
    grid = Grid({"n_neighbors": (149, 3)})  # more than an inner fold has
    tuned = Tuned(KNeighborsClassifier(), grid, folds=3).fit(iris.inputs.to_numpy(), iris.response)
    assert tuned.chosen_ == {"n_neighbors": 3}
    with pytest.raises(ValueError, match="no setting"):
        Tuned(KNeighborsClassifier(), Grid({"n_neighbors": (149, 148)}), folds=3).fit(
            iris.inputs.to_numpy(), iris.response
        )


def test_restarts_keep_the_least_loss() -> None:
    iris = find_dataset("iris")
    matrix = InputMatrix().fit(iris.inputs).transform(iris.inputs)
    net = MLPClassifier((1,), activation="logistic", solver="lbfgs", alpha=0.1, max_iter=1000)
    kept = MultiStart(net, 5, random_state=2).fit(matrix, iris.response)
    states = RNG(2).integers(2**32, size=5)
    losses = [
        MLPClassifier(**{**net.get_params(), "random_state": int(s)}).fit(matrix, iris.response)
        for s in states
    ]
    assert kept.fitted_.loss_ == min(net.loss_ for net in losses)
    assert max(net.loss_ for net in losses) > kept.fitted_.loss_
    assert kept.predict_proba(matrix).shape == (150, 3)


def test_prunings_lead_from_the_root_to_the_whole_tree(monks3: DataSet) -> None:
    matrix = InputMatrix().fit(monks3.inputs).transform(monks3.inputs)
    alphas = [s["ccp_alpha"] for s in Prunings()(matrix, monks3.response, RNG(1))]
    assert alphas == sorted(alphas, reverse=True)
    assert len(set(alphas)) == len(alphas) > 3


@pytest.mark.slow
@pytest.mark.parametrize("name", ["knn", "rpart"])
def test_published_tuning_is_seeded(name: str, monks3: DataSet) -> None:
    recipe = Recipe(name, tuning=published_tuning(name), is_published=True)
    learn = RNG(5).integers(monks3.n, size=120)
    chosen = [
        recipe("classification", 9).fit(monks3.inputs.iloc[learn], monks3.response[learn]).chosen_
        for _ in range(2)
    ]
    assert chosen[0] == chosen[1] != {}


def test_published_ranges() -> None:
    y = np.zeros(554, dtype=np.int64)
    sizes = {}
    for name in ("knn", "nnet", "svm"):
        tuning = published_tuning(name)
        assert tuning is not None
        sizes[name] = len(tuning.settings(None, y, RNG(1)))
    assert sizes == {"knn": 23, "nnet": 6, "svm": 18 * 16}  # sqrt(554), log(554)
    assert set(PUBLISHED) == {"knn", "nnet", "rpart", "svm"}
    assert published_tuning("lda") is None


def test_probabilities_are_there_when_the_choice_has_them() -> None:
    iris = find_dataset("iris")
    knn = Tuned(KNeighborsClassifier(), Grid({"n_neighbors": (1, 3)}), InputMatrix())
    assert knn.fit(iris.inputs, iris.response).predict_proba(iris.inputs).shape == (150, 3)
    assert not hasattr(Tuned(Witness(), Grid({"number": (1,)})), "predict_proba")


def test_another_measure_by_brute_force() -> None:
    iris = find_dataset("iris")
    numbers = (1, 15, 60)
    tuned = Tuned(
        KNeighborsClassifier(),
        Grid({"n_neighbors": numbers}),
        InputMatrix(),
        folds=5,
        measure="brier",
        random_state=4,
    ).fit(iris.inputs, iris.response)
    fold_of = deal(np.arange(150), iris.response, 5, RNG(4))
    scores = np.zeros((3, 150))
    for fold in range(5):
        inner, outer = fold_of != fold, fold_of == fold
        matrix = InputMatrix().fit(iris.inputs[inner])
        for i, k in enumerate(numbers):
            knn = KNeighborsClassifier(k).fit(
                matrix.transform(iris.inputs[inner]), iris.response[inner]
            )
            given = knn.predict_proba(matrix.transform(iris.inputs[outer]))
            scores[i, outer] = ((given - np.eye(3)[iris.response[outer]]) ** 2).sum(axis=1) / 2
    assert tuned.errors_ == pytest.approx(scores.mean(axis=1))
    assert tuned.chosen_ == {"n_neighbors": numbers[int(scores.mean(axis=1).argmin())]}
    one_se = Tuned(**{**tuned.get_params(deep=False), "rule": "one-se"})
    one_se.fit(iris.inputs, iris.response)
    least = int(scores.mean(axis=1).argmin())
    reach = scores[least].mean() + scores[least].std() / np.sqrt(150)
    first = next(k for k, s in zip(numbers, scores, strict=True) if s.mean() <= reach)
    assert one_se.chosen_ == {"n_neighbors": first}


def test_measures_that_are_better_larger_are_maximised() -> None:
    iris = find_dataset("iris")
    grid = Grid({"n_neighbors": (100, 7)})
    fits = {
        name: Tuned(KNeighborsClassifier(), grid, InputMatrix(), measure=name, random_state=1).fit(
            iris.inputs, iris.response
        )
        for name in ("accuracy", "misclassification", "auc", "f1")
    }
    assert all(fit.chosen_ == {"n_neighbors": 7} for fit in fits.values())
    assert fits["accuracy"].errors_ == pytest.approx(fits["misclassification"].errors_ - 1.0)


def test_classes_that_a_fold_does_not_learn_have_no_probability() -> None:
    # The one member of class 2 is never learnt by the fold that is tested on it.
    x, y = np.arange(21.0)[:, None], np.array([0, 1] * 10 + [2])
    tuned = Tuned(
        KNeighborsClassifier(), Grid({"n_neighbors": (3, 9)}), folds=3, measure="brier"
    ).fit(x, y)
    assert np.isfinite(tuned.errors_).all()


def test_a_span_is_drawn_from_evenly() -> None:
    search = RandomSearch({"C": Span(0.01, 100.0, is_log=True), "kernel": ("rbf", "linear")}, 400)
    drawn = search(None, np.zeros(3), RNG(1))
    costs = np.array([setting["C"] for setting in drawn])
    assert ((costs >= 0.01) & (costs <= 100.0)).all()
    assert np.histogram(np.log10(costs), bins=4, range=(-2, 2))[0].min() > 70
    assert {setting["kernel"] for setting in drawn} == {"rbf", "linear"}
    assert drawn == search(None, np.zeros(3), RNG(1))


def test_equal_rows_of_a_matrix_are_copies() -> None:
    assert copies_of(np.array([[5.0, 1.0], [2.0, 2.0], [5.0, 1.0], [5.0, 2.0]])).tolist() == [
        0,
        1,
        0,
        2,
    ]
    frame = pd.DataFrame({"x": [1.0, 1.0, 1.0]}, index=[4, 9, 4])  # two observations, one twice
    assert copies_of(frame).tolist() == [0, 1, 0]
