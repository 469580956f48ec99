"""Candidates of a manifest: what they become, and what is refused."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reportgen import pipeline
from reportgen.catalogue.candidates.candidate import Candidate
from reportgen.catalogue.datasets import find_dataset
from reportgen.errors import SetupError
from reportgen.run_folder import study_digests
from reportgen.study.manifest import load_study
from reportgen.study.setup import make_setup

Make = Callable[..., Candidate]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return the candidate that an entry of a manifest stands for."""

    def made(entry: str, data: str = "iris", measure: str = "misclassification") -> Candidate:
        path = tmp_path / "study.yaml"
        path.write_text(
            f"measures: [{measure}]\nsetup:\n  datasets: [{data}]\n  candidates:\n    - {entry}\n"
        )
        (candidate,) = make_setup(load_study(path, {})).candidates
        return candidate

    return made


def _error(candidate: Candidate, data: str = "iris") -> float:
    dataset = find_dataset(data)
    estimator = candidate.build(dataset.task, 3)
    learn = np.arange(dataset.n) % 3 > 0
    estimator.fit(dataset.inputs[learn], dataset.response[learn])
    return float(np.mean(estimator.predict(dataset.inputs[~learn]) != dataset.response[~learn]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("entry", "description"),
    [
        ("lda", "linear discriminant analysis"),
        ("{name: near, estimator: knn}", "5 nearest neighbours"),
        (
            "{name: nearest, estimator: knn, options: {n_neighbors: 1}}",
            "nearest neighbours, n_neighbors = 1",
        ),
        (
            "{name: knn, tune: published}",
            "nearest neighbours, 1 to √n neighbours by 10-fold cross-validation",
        ),
        (
            "{name: knn, tune: {n_neighbors: {range: [1, 9]}}, inner: {folds: 3}}",
            "nearest neighbours, n_neighbors tuned over a grid of 9 by 3-fold cross-validation",
        ),
        (
            "{name: knn, tune: {n_neighbors: {range: [1, 9]}}, inner: {validation: 0.5}}",
            (
                "nearest neighbours, n_neighbors tuned over a grid of 9 by a validation sample "
                "of 50%"
            ),
        ),
        (
            "{name: knn, tune: {n_neighbors: {range: [1, 9]}}, inner: {search: halving}}",
            (
                "nearest neighbours, n_neighbors tuned over a grid of 9 by successive halving "
                "with 10-fold cross-validation"
            ),
        ),
        (
            (
                "{name: w, estimator: sklearn.svm.SVC, options: {kernel: linear}, tune: {C: {log2: "
                "[-2, 2]}, gamma: [auto]}, inner: {folds: 3, search: random, n: 3}}"
            ),
            (
                "SVC (kernel = linear), C and gamma tuned over 3 drawn of 5 by 3-fold "
                "cross-validation"
            ),
        ),
        (
            (
                "{name: g, estimator: gbm, options: {n_estimators: 10}, tune: {learning_rate: {log:"
                " [1e-2, 1], n: 3}, max_depth: {range: [1, 2]}, subsample: [1.0]}, inner: {folds:"
                " 2, measure: log-loss, rule: one-se}}"
            ),
            (
                "gradient boosting, n_estimators = 10, learning_rate, "
                "max_depth and subsample tuned over a grid of 6 by 2-fold cross-validation of "
                "log-loss and the 1-SE rule"
            ),
        ),
        (
            (
                "{name: svm, tune: {C: {log: [1e-2, 100]}, kernel: [rbf, linear]}, "
                "inner: {folds: 3, search: random, n: 4}}"
            ),
            (
                "support vector machine, C and kernel tuned over 4 settings "
                "drawn at random by 3-fold cross-validation"
            ),
        ),
        (
            (
                "{name: p, estimator: [sklearn.preprocessing.StandardScaler, {estimator: "
                "sklearn.decomposition.PCA, options: {n_components: 2}}, "
                "sklearn.linear_model.LogisticRegression], prepare: false}"
            ),
            ("StandardScaler, then PCA (n_components = 2), then LogisticRegression"),
        ),
        (
            (
                "{name: b, estimator: sklearn.ensemble.BaggingClassifier, options: {estimator: "
                "{estimator: sklearn.tree.DecisionTreeClassifier, options: {max_depth: 2}}}}"
            ),
            "BaggingClassifier (estimator = DecisionTreeClassifier (max_depth = 2))",
        ),
    ],
)
def test_an_entry_becomes_a_candidate(make: Make, entry: str, description: str) -> None:
    candidate = make(entry)
    assert candidate.description == description
    error = _error(candidate)
    assert error < 0.2
    assert _error(pickle.loads(pickle.dumps(candidate))) == error


def test_values_are_described_as_a_manifest_says_them(make: Make) -> None:
    candidate = make(
        "{name: v, estimator: sklearn.ensemble.VotingClassifier, options: {voting: soft, "
        "flatten_transform: false, weights: null, estimators: [[a, {estimator: "
        "sklearn.naive_bayes.GaussianNB}], [b, {estimator: sklearn.neighbors."
        "KNeighborsClassifier, options: {p: 1, metric_params: {w: [1, 1, 1, 1]}}}]]}}"
    )
    assert candidate.description == (
        "VotingClassifier (voting = soft, flatten_transform = false, weights = null, estimators = "
        "[[a, GaussianNB], [b, KNeighborsClassifier (p = 1, metric_params = {w: [1, 1, 1, 1]})]])"
    )
    assert _error(candidate) < 0.1


def test_pipelines_can_be_tuned(make: Make) -> None:
    candidate = make(
        "{name: p, estimator: [sklearn.decomposition.PCA, sklearn.svm.SVC], "
        "tune: {pca__n_components: [1, 4], svc__C: [1.0, 10.0]}}"
    )
    assert candidate.tasks == ("classification",)
    assert _error(candidate) < 0.1


def test_every_part_takes_the_random_state_and_one_core(make: Make) -> None:
    candidate = make(
        "{name: b, estimator: sklearn.ensemble.BaggingClassifier, options: {n_jobs: 4, estimator: "
        "{estimator: sklearn.tree.DecisionTreeClassifier, options: {random_state: 7}}}}"
    )
    estimator = candidate.build("classification", 123).steps[-1][1]  # type: ignore[attr-defined]
    assert estimator.random_state == 123
    assert estimator.estimator.random_state == 7
    assert estimator.n_jobs == 1


def test_no_option_takes_more_than_one_core(make: Make) -> None:
    forest = "sklearn.ensemble.RandomForestClassifier"
    for entry in (
        "{name: rf, options: {n_jobs: 8}}",
        f"{{name: x, estimator: {forest}, options: {{n_jobs: 8}}}}",
        (
            f"{{name: x, estimator: [sklearn.decomposition.PCA, {forest}], "
            "options: {randomforestclassifier__n_jobs: 8}}"
        ),
    ):
        estimator: Any = make(entry).build("classification", 123)
        found = {k: v for k, v in estimator.get_params().items() if k.endswith("n_jobs")}
        assert found
        assert set(found.values()) <= {None, 1}


def test_the_definition_follows_options_grid_and_folds(make: Make) -> None:
    entries = [
        "{name: k, estimator: knn}",
        "{name: k, estimator: knn, options: {n_neighbors: 3}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 3]}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 5]}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 5]}, inner: {folds: 4}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 5]}, inner: {validation: 0.5}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 5]}, inner: {validation: 0.4}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 5]}, inner: {rule: one-se}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 5]}, inner: {measure: brier}}",
        "{name: k, estimator: knn, tune: {n_neighbors: [1, 5]}, inner: {search: random, n: 2}}",
        "{name: k, estimator: knn, tune: published}",
        "{name: k, estimator: sklearn.neighbors.KNeighborsClassifier}",
        "{name: k, estimator: sklearn.neighbors.KNeighborsClassifier, prepare: false}",
    ]
    definitions = [make(entry).definition("classification") for entry in entries]
    assert len(set(definitions)) >= len(entries) - 1  # the path stands for the same as the name
    assert definitions[0] == definitions[11]
    assert all(json.loads(text) for text in definitions)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("svn", "unknown candidate 'svn'; allowed"),
        ("{name: x, estimator: knm}", "did you mean knn?"),
        ("{name: lda, tune: published}", "nothing is published for lda; allowed for knn"),
        (
            "{name: x, estimator: sklearn.svm.SVC, tune: published}",
            "tune: published with an import path",
        ),
        ("{name: x, estimator: os.system}", "allowed are the packages sklearn"),
        ("{name: x, estimator: sklearn.svm.LinearSVG}", "did you mean LinearSV"),
        ("{name: x, estimator: sklearn.svn.SVC}", "'sklearn.svn', which cannot be imported"),
        ("{name: x, estimator: sklearn.svm._base.BaseSVC}", "allowed an import path such as"),
        ("{name: x, estimator: 'sklearn.svm.SVC()'}", "allowed an import path such as"),
        ("{name: x, estimator: sklearn.utils.Bunch}", "has no fit and no predict"),
        ("{name: x, estimator: sklearn.preprocessing.StandardScaler}", "has no predict"),
        (
            "{name: x, estimator: [sklearn.svm.SVC, sklearn.svm.SVC]}",
            "sklearn.svm.SVC, which has no transform",
        ),
        (
            "{name: x, estimator: sklearn.svm.SVC, options: {c: 1}}",
            "unknown option of sklearn.svm.SVC: 'c'",
        ),
        (
            "{name: x, estimator: sklearn.pipeline.Pipeline, options: {memory: /tmp}}",
            "option memory of sklearn.pipeline.Pipeline, by which an estimator reads or",
        ),
        (
            (
                "{name: x, estimator: [sklearn.decomposition.PCA, sklearn.svm.SVC], "
                "options: {memory: /tmp/x}}"
            ),
            "found the option memory, by which",
        ),
        (
            (
                "{name: x, estimator: [sklearn.decomposition.PCA, sklearn.svm.SVC], "
                "tune: {memory: [/tmp/x]}}"
            ),
            "found the option memory, by which",
        ),
        (
            (
                "{name: x, estimator: [{estimator: sklearn.pipeline.FeatureUnion, options: "
                "{transformer_list: [[a, {estimator: sklearn.cluster.FeatureAgglomeration, "
                "options: {memory: /tmp/x}}]]}}, sklearn.svm.SVC]}"
            ),
            "found the option memory of sklearn.cluster.FeatureAgglomeration",
        ),
        (
            (
                "{name: x, prepare: false, estimator: [{estimator: sklearn.feature_extraction.text."
                "CountVectorizer, options: {input: filename}}, sklearn.svm.SVC]}"
            ),
            "found the option input of sklearn.feature_extraction.text.CountVectorizer, by which",
        ),
        ("{name: rf, tune: {n_jobs: [1, 4]}}", "found the hyperparameter n_jobs under tune"),
        (
            "{name: rf, tune: {random_state: [1, 4]}}",
            "found the hyperparameter random_state under tune",
        ),
        ("{name: knn, options: {n_neighbors: -3}}", "in the range [1, inf) or None. Got -3"),
        ("{name: knn, tune: {n_neighbors: [1, 0]}}", "in the range [1, inf) or None. Got 0"),
        ("{name: x, estimator: sklearn.svm.SVC, options: {kernel: radial}}", "Got 'radial'"),
        ("{name: svm, options: {C: 2020-01-01}}", "Got '2020-01-01'"),
        (
            "{name: svm, options: {C: 2.0}, tune: {C: [1.0, 2.0]}}",
            "found C under options and under tune",
        ),
        (
            "{name: x, estimator: sklearn.svm.SVC, options: {C: 2.0}, tune: {C: [1.0]}}",
            "found C under options and under tune",
        ),
        (
            "{name: rpart, options: {cp: 0.5}, tune: published}",
            "found the option cp, which tune: published chooses",
        ),
        (
            "{name: svm, options: {epsilon: 0.5}}",
            "'svm' for classification; allowed for regression",
        ),
        (
            "{name: knn, tune: {n_neighbors: [1, 3]}, inner: {measure: brierr}}",
            "did you mean brier?",
        ),
        (
            "{name: knn, tune: {n_neighbors: [1, 3]}, inner: {measure: fit-time}}",
            "found the inner measure 'fit-time'; allowed a measure of the catalogue",
        ),
        (
            "{name: knn, tune: {n_neighbors: [1, 3]}, inner: {measure: matthews_corrcoef}}",
            "found the inner measure 'matthews_corrcoef'; allowed a measure of the catalogue",
        ),
        (
            "{name: knn, tune: {n_neighbors: [1, 3]}, inner: {measure: auc, rule: one-se}}",
            "found rule: one-se with the inner measure 'auc'",
        ),
        (
            "{name: svm, tune: {C: [1, 3]}, inner: {measure: brier}}",
            "found the inner measure 'brier', which needs probabilities",
        ),
        (
            "{name: knn, tune: {n_neighbors: [1, 3]}, inner: {measure: mae}}",
            "'knn' for classification; allowed for regression",
        ),
        (
            "{name: lda, tune: {tol: [1, 3]}, inner: {measure: mae}}",
            "found the inner measure 'mae' of regression with an estimator for classification",
        ),
        (
            "{name: svm, options: {class_weight: {setosa: 2.0}}}",
            "found weights of single classes under class_weight; allowed balanced",
        ),
        ("{name: x, estimator: knn, options: {k: 1}}", "unknown option: 'k'"),
        ("{name: knn, tune: {k: [1, 2]}}", "unknown hyperparameter under tune: 'k'"),
        (
            "{name: x, estimator: sklearn.linear_model.LinearRegression}",
            "'x' for classification; allowed for regression",
        ),
        (
            (
                "{name: x, estimator: sklearn.ensemble.BaggingClassifier, options: {estimator: "
                "{estimator: subprocess.Popen}}}"
            ),
            "allowed are the packages sklearn",
        ),
        ("{name: x, estimator: sklearn.ensemble.VotingClassifier}", "cannot be made"),
    ],
)
def test_what_is_refused(make: Make, entry: str, said: str) -> None:
    with pytest.raises(SetupError) as caught:
        make(entry)
    assert said in str(caught.value)
    assert "study.yaml:5: setup.candidates" in str(caught.value)


def test_plugins_need_to_be_allowed_twice(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "mine.py").write_text(
        "from sklearn.dummy import DummyClassifier\nclass Guess(DummyClassifier):\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "study.yaml"
    text = (
        "measures: [misclassification]\n"
        "setup: {datasets: [iris], candidates: [{name: g, estimator: mine.Guess}]}\n"
    )
    path.write_text(text)
    with pytest.raises(SetupError, match="allowed are the packages sklearn"):
        make_setup(load_study(path, {}), allow_plugins=True)
    path.write_text(f"plugins: [mine]\n{text}")
    with pytest.raises(SetupError, match=r"study.yaml:1: plugins: found mine, .*--allow-plugins"):
        make_setup(load_study(path, {}))
    (candidate,) = make_setup(load_study(path, {}), allow_plugins=True).candidates
    assert candidate.description == "mine.Guess"


def test_a_module_beside_the_manifest_is_found_and_its_changes_are_noticed(
    tmp_path: Path, monkeypatch: Any
) -> None:
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    module, path = tmp_path / "guessing_beside.py", tmp_path / "study.yaml"
    module.write_text("from sklearn.dummy import DummyClassifier\nclass G(DummyClassifier): pass\n")
    estimator = "sklearn.ensemble.BaggingClassifier, options: {estimator: {estimator: "
    path.write_text(
        "plugins: [guessing_beside]\nmeasures: [misclassification]\nsetup:\n  datasets: [iris]\n"
        "  candidates:\n  - {name: g, estimator: guessing_beside.G}\n"
        f"  - {{name: b, estimator: {estimator}guessing_beside.G}}}}}}\n  - lda\n"
    )
    study = load_study(path, {})
    before = [
        c.definition("classification") for c in make_setup(study, allow_plugins=True).candidates
    ]
    asked = study_digests(study)
    module.write_text(module.read_text().replace("pass", "order = 2"))
    after = [
        c.definition("classification") for c in make_setup(study, allow_plugins=True).candidates
    ]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, False, True]
    assert [key for key, was in asked.items() if study_digests(study)[key] != was] == [
        "version of its plug-ins"
    ]
    assert "--allow-plugins" in pipeline.open_job(path, tmp_path).command
    gone = {"plugins": "[guessing]", "setup.candidates": "[{name: g, estimator: guessing.G}]"}
    with pytest.raises(SetupError, match=r"No module named 'guessing'.; allowed a package that is"):
        make_setup(load_study(path, {}, gone), allow_plugins=True)
