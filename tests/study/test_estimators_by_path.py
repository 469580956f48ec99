"""Estimators by import path: classes, functions and objects, and which changes fit them again."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from reportgen.cli import main
from reportgen.errors import SetupError
from reportgen.execution.outcome import Cell
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import plan_execution
from reportgen.study.setup import Setup, make_setup
from tests.study.conftest import Load

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

STUDY = """\
plugins: [models_of_tests, rules_of_tests]
measures: [misclassification]
setup:
  datasets: [iris]
  candidates:
CANDIDATES
  resampling: {replications: 2}
"""
MODELS = '''\
"""Models of a user."""

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import rules_of_tests
from rules_of_tests import share, unused

pipe = make_pipeline(StandardScaler(), PCA(2), SVC(C=3))
PLACE = 1


def factory(depth=2):
    """Return a pipeline."""
    return make_pipeline(StandardScaler(), PCA(depth), SVC())


def shared():
    return pipe


def no_estimator():
    return {"fit": 1}


def fails():
    raise ValueError("no licence")


def _first(y):
    return sorted(set(y))[PLACE - 1]


class Constant(ClassifierMixin, BaseEstimator):
    """Predicts one class."""

    def fit(self, X, y):
        """Learn nothing."""
        self.classes_ = sorted(set(y))
        self.first_ = _first(y) * share()
        return self

    def predict(self, X):
        # of each observation
        return [self.first_] * len(X)


class Other(Constant):
    def far(self):
        return rules_of_tests.unused()
'''
RULES = """\
SHARE = 1


def share():
    return SHARE


def unused():
    return 7


if __name__ == "__main__":
    print("of a script")
"""


@pytest.fixture
def models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the modules beside the manifest, and forget them afterwards."""
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    for name in ("models_of_tests", "rules_of_tests"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (folder / "models_of_tests.py").write_text(MODELS)
    (folder / "rules_of_tests.py").write_text(RULES)
    return folder


def setup_of(load: Load, *candidates: str) -> Setup:
    lines = "\n".join(f"  - {{name: c{i}, estimator: {c}}}" for i, c in enumerate(candidates))
    return make_setup(load(STUDY.replace("CANDIDATES", lines)), allow_plugins=True)


def test_what_a_path_may_name(models: Path, load: Load) -> None:
    paths = {
        "models_of_tests.pipe": make_pipeline(StandardScaler(), PCA(2), SVC(C=3)),
        "models_of_tests.pipe, options: {svc__C: 9}": make_pipeline(
            StandardScaler(), PCA(2), SVC(C=9)
        ),
        "models_of_tests.factory": make_pipeline(StandardScaler(), PCA(2), SVC()),
        "models_of_tests.factory, options: {depth: 1, svc__C: 0.1}": make_pipeline(
            StandardScaler(), PCA(1), SVC(C=0.1)
        ),
        "models_of_tests.shared, options: {svc__C: 2}": make_pipeline(
            StandardScaler(), PCA(2), SVC(C=2)
        ),
    }
    setup = setup_of(load, *paths, "models_of_tests.Constant")
    experiment = Experiment.of(setup)
    data = setup.datasets[0]
    sample = experiment.replicate("iris", 1).sample
    X, y = load_iris(return_X_y=True)
    assert np.array_equal(data.inputs.to_numpy(), X)
    for candidate, expected in zip(setup.candidates, paths.values(), strict=False):
        own = clone(expected).fit(X[sample.learn], y[sample.learn])
        error = np.mean(own.predict(X[sample.test]) != y[sample.test])
        assert experiment(Cell("iris", 1, candidate.name)).values["misclassification"] == error
        assert candidate.takes_inputs_as_they_are  # a pipeline prepares its inputs itself
    described = setup.candidates[0].description
    assert described.startswith("models_of_tests.pipe: Pipeline(steps=[('standardscaler'")
    assert setup.candidates[1].description.endswith("SVC(C=9))])")
    assert not setup.candidates[5].takes_inputs_as_they_are
    import models_of_tests  # type: ignore[import-not-found]

    assert models_of_tests.pipe[-1].C == 3  # nothing of the module is changed


def test_an_object_may_be_tuned(models: Path, load: Load) -> None:
    tuned = "models_of_tests.pipe, tune: {svc__C: [1.0e-6, 1.0]}, inner: {folds: 2}"
    outcome = Experiment.of(setup_of(load, tuned))(Cell("iris", 1, "c0"))
    assert outcome.chosen == {"svc__C": 1.0}


@pytest.mark.parametrize(
    ("candidate", "said"),
    [
        ("models_of_tests.pip", "unknown class, function or estimator of models_of_tests: 'pip'"),
        ("models_of_tests.make_pipeline", "unknown class, function or estimator of models_of_test"),
        ("models_of_tests._first", "allowed an import path such as"),
        ("models_of_tests.no_estimator", "which makes an object of the type dict; allowed an est"),
        ("models_of_tests.fails", "makes no estimator (ValueError: no licence)"),
        ("models_of_tests.pipe, options: {svc__c: 1}", "unknown option of models_of_tests.pipe"),
        ("models_of_tests.factory, options: {dept: 1}", "did you mean depth"),
        (
            "models_of_tests.factory, options: {depth: [1]}",
            "allowed what it takes: The 'n_components'",
        ),
        ("models_of_tests.PLACE", "unknown class, function or estimator of models_of_tests"),
        ("sklearn.pipeline.make_pipeline", "unknown class of sklearn.pipeline: 'make_pipeline'"),
    ],
)
def test_what_makes_no_estimator(models: Path, load: Load, candidate: str, said: str) -> None:
    with pytest.raises(SetupError) as error:
        setup_of(load, candidate)
    assert said in str(error.value)


CHANGES = [
    ("models_of_tests", '"""Learn nothing."""', '"""Learn."""', False),
    ("models_of_tests", '"""Return a pipeline."""', "", False),
    ("models_of_tests", "# of each observation", "", False),
    ("models_of_tests", "PLACE = 1\n", "\n\nPLACE   = (1)  # first\n", False),
    ("models_of_tests", "def far", "def near", True),
    ("rules_of_tests", "return 7", "return 8", True),
    ("rules_of_tests", "of a script", "of the script", False),
    ("models_of_tests", "PLACE = 1", "PLACE = 2", True),
    ("models_of_tests", "sorted(set(y))[PLACE", "list(set(y))[PLACE", True),
    ("models_of_tests", "* share()", "+ share()", True),
    ("rules_of_tests", "SHARE = 1", "SHARE = 2", True),
    ("rules_of_tests", "return SHARE", "return SHARE + 1", True),
]


@pytest.mark.parametrize(("module", "old", "new", "is_fitted_again"), CHANGES)
def test_what_is_fitted_again(
    models: Path, load: Load, module: str, old: str, new: str, is_fitted_again: bool
) -> None:
    def families() -> set[str]:
        cells = plan_execution(setup_of(load, "models_of_tests.Constant")).cells
        return {family for family, _ in cells.values()}

    before = families()
    file = models / f"{module}.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new))
    assert (families() != before) is is_fitted_again


@pytest.mark.slow
def test_a_comment_costs_no_fit_and_no_report(models: Path, folder: Path) -> None:
    def call(*words: object) -> str:
        result = CliRunner().invoke(main, [*map(str, words), "--allow-plugins"])
        return f"{result.exit_code} {result.output}"

    study, candidates = folder / "study.yaml", "  - {name: c, estimator: models_of_tests.Constant}"
    study.write_text(STUDY.replace("CANDIDATES", f"{candidates}\n  - lda"))
    assert call("execute", study, "--output", folder, "--jobs", 1).startswith("0 ")
    report = ("report", study, "--output", folder, "--format", "json")
    for old, new, n_fits, told in [
        ("# of each observation", "# of any observation", 0, "0 "),
        ("PLACE - 1", "PLACE - 2", 2, "2 "),
    ]:
        file = models / "models_of_tests.py"
        file.write_text(file.read_text().replace(old, new))
        assert f"; {n_fits} fits to run" in call("check", study, "--output", folder)
        assert call(*report).startswith(told)
