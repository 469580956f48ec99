"""Candidates of the catalogue on small data."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

from reportgen.catalogue.candidates import find_candidate
from reportgen.catalogue.candidates.algorithms import ALGORITHMS
from reportgen.catalogue.candidates.candidate import JOURNAL_PATHS, Candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.errors import SetupError
from reportgen.measures import Task

IDLE = "dummy"
CLASSIFIERS = [name for name, a in ALGORITHMS.items() if "classification" in a.tasks]
REGRESSORS = [name for name, a in ALGORITHMS.items() if "regression" in a.tasks]


def _error(name: str, dataset: DataSet, random_state: int = 1) -> float:
    rng = np.random.default_rng(11)
    is_learning = rng.permutation(dataset.n) < dataset.n * 2 // 3
    estimator = find_candidate(name).build(dataset.task, random_state)
    estimator.fit(dataset.inputs[is_learning], dataset.response[is_learning])
    predicted = estimator.predict(dataset.inputs[~is_learning])
    return float(np.mean(predicted != dataset.response[~is_learning]))


@pytest.fixture(scope="module")
def monks3() -> DataSet:
    return find_dataset("monks3")


@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if name != IDLE])
@pytest.mark.parametrize("dataset", ["monks3", "iris"])
def test_every_candidate_learns(name: str, dataset: str) -> None:
    # Guessing fails in half (monks3) and two thirds (iris) of the cases.
    assert _error(name, find_dataset(dataset)) < 0.15


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_the_random_state_decides_alone(name: str, monks3: DataSet) -> None:
    assert _error(name, monks3, 5) == _error(name, monks3, 5)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_levels_that_are_not_learnt_and_gaps_are_bearable(name: str) -> None:
    n = 60
    colours = pd.Categorical(["red", "blue"] * (n // 2), pd.Index(["blue", "green", "red"]))
    inputs = pd.DataFrame({"x": np.arange(n, dtype=float), "colour": colours})
    target = pd.Categorical(["a"] * (n // 2) + ["b"] * (n // 2))
    dataset = DataSet.of("t", inputs, pd.Series(target), "classification", "")
    estimator = find_candidate(name).build("classification", 1)
    estimator.fit(dataset.inputs, dataset.response)
    unseen = dataset.inputs.iloc[[0, n - 1]].assign(
        colour=pd.Categorical(["green", None], colours.categories), x=[0.0, np.nan]
    )
    assert len(estimator.predict(unseen)) == 2
    assert estimator.predict(unseen)[0] == 0


@pytest.mark.parametrize("name", REGRESSORS)
def test_regression(name: str) -> None:
    rng = np.random.default_rng(2)
    x = rng.uniform(-2, 2, 200)
    dataset = DataSet.of(
        "t", pd.DataFrame({"x": x}), pd.Series(np.sin(x) + 0.01 * x), "regression", ""
    )
    estimator = find_candidate(name).build("regression", 1)
    estimator.fit(dataset.inputs[:150], dataset.response[:150])
    rest = dataset.response[150:]
    residual = estimator.predict(dataset.inputs[150:]) - rest
    straight = {"lm": 0.6, "rlm": 0.6, IDLE: 1.1}  # of a sine, a line explains a part
    assert np.mean(residual**2) < straight.get(name, 0.1) * np.var(rest)


def test_lda_does_no_regression() -> None:
    find_candidate("lda").check("classification")
    with pytest.raises(SetupError, match="'lda' for regression; allowed for classification"):
        find_candidate("lda").check("regression")


def test_unknown_candidate_names_the_nearest() -> None:
    with pytest.raises(SetupError, match="did you mean rpart"):
        find_candidate("rprat")


def _ridge(task: Task, random_state: int) -> Ridge:
    return Ridge(alpha=2.0)


def _weaker_ridge(task: Task, random_state: int) -> Ridge:
    return Ridge(alpha=1.0)


def test_the_definition_says_what_is_fitted() -> None:
    definition = json.loads(Candidate("r", "", _ridge).definition("regression"))
    assert definition["is"] == "sklearn.linear_model._ridge.Ridge"
    assert definition["with"]["alpha"] == 2.0
    assert definition["version"]


def test_the_definition_follows_the_content_not_the_name() -> None:
    one, renamed = Candidate("r", "", _ridge), Candidate("s", "other words", _ridge)
    other = Candidate("r", "", _weaker_ridge)
    assert one.definition("regression") == renamed.definition("regression")
    assert one.definition("regression") != other.definition("regression")


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_definitions_hold_no_addresses(name: str) -> None:
    assert "0x" not in find_candidate(name).definition("classification")
    definitions = {find_candidate(c).definition("classification") for c in CLASSIFIERS}
    assert len(definitions) == len(CLASSIFIERS)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_probabilities_sum_to_one(name: str) -> None:
    iris = find_dataset("iris")
    estimator = find_candidate(name).build("classification", 1)
    estimator.fit(iris.inputs, iris.response)
    if name == "svm":
        assert not hasattr(estimator, "predict_proba")
        return
    given = estimator.predict_proba(iris.inputs)
    assert given.shape == (150, 3)
    assert np.allclose(given.sum(axis=1), 1.0)
    if name not in (IDLE, "rpart"):  # ties in a leaf
        assert np.array_equal(given.argmax(axis=1), estimator.predict(iris.inputs))


def test_too_many_inputs_are_told_before_anything_runs() -> None:
    find_candidate("loess").check_inputs("d", 4)
    with pytest.raises(
        SetupError, match="inputs of the data set 'd'; allowed up to 1 for the candidate 'spline'"
    ):
        find_candidate("spline").check_inputs("d", 2)


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_journals_know_our_classes_by_the_names_of_version_0_1(name: str) -> None:
    candidate = find_candidate(name)
    for task in candidate.tasks:
        text = candidate.definition(task)
        found = re.findall(r'"is": "(reportgen[^"]+)", "version": "([^"]+)"', text)
        assert {own for own, _ in found} <= set(JOURNAL_PATHS.values())
        assert {version for _, version in found} <= {"0.1.0"}
