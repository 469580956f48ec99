"""Estimators of scikit-learn, measured by one call."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

import reportgen
from reportgen.errors import ExecutionError, ReportgenError, StudyError
from reportgen.execution.replication import Experiment

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

ROOT = Path(__file__).resolve().parents[2]
IRIS = load_iris()
X, Y = load_iris(return_X_y=True)
PAIR = {"tree": DecisionTreeClassifier(max_depth=3), "majority": DummyClassifier()}
CLASSES = pd.Series(IRIS.target_names[Y], name="class")
KEYS = ["dataset", "replication", "candidate", "measure", "value", "status"]


class Fussy(ClassifierMixin, BaseEstimator):
    """Refuses learning samples with an even number of the first class."""

    def fit(self, X: Any, y: Any) -> Fussy:
        """Learn the most frequent class, or fail."""
        self.classes_, counts = np.unique(y, return_counts=True)
        if counts[0] % 2 == 0:
            raise ValueError("an even number")
        self.best_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X: Any) -> Any:
        """Return the same class always."""
        return np.full(len(X), self.best_)


def small(**keywords: Any) -> reportgen.BenchmarkStudy:
    given = {"replications": 4, "seed": 5, **keywords}
    return reportgen.evaluate(given.pop("estimators", PAIR), IRIS, **given)


def values_of(study: reportgen.BenchmarkStudy) -> pd.DataFrame:
    """Return all performances in one order, without columns of categories."""
    frame = study.performances[KEYS].astype(dict.fromkeys(("dataset", "candidate", "measure"), str))
    return frame.sort_values(KEYS[:4], ignore_index=True)


MANIFEST = """
study: {{name: mine}}
seed: 7
measures: [misclassification, brier]
setup:
  datasets: [{{name: flowers, file: flowers.csv, target: class}}]
  candidates:
    - {{name: tree, estimator: sklearn.tree.DecisionTreeClassifier, options: {{max_depth: 3}}}}
    - {{name: svm, estimator: sklearn.svm.SVC, options: {{C: 2, kernel: linear}}}}
    - lda
  resampling: {resampling}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("written", "resampling"),
    [
        ("{replications: 6}", {"replications": 6}),
        ("{scheme: k-fold, folds: 3}", {"scheme": "k-fold", "folds": 3}),
        ("{scheme: subsampling, replications: 3, stratify: true}", None),
    ],
)
def test_numbers_are_those_of_a_manifest(
    written: str, resampling: dict[str, Any] | None, tmp_path: Path
) -> None:
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(
        kind=np.where(X[:, 0] > 6, "u", "v")
    )
    frame.assign(**{"class": CLASSES}).to_csv(tmp_path / "flowers.csv", index=False)
    path = tmp_path / "mine.yaml"
    path.write_text(MANIFEST.format(resampling=written), encoding="utf-8")
    expected = reportgen.run(path, tmp_path / "output", jobs=1)
    own = {"scheme": "subsampling", "stratify": True} if resampling is None else resampling
    found = reportgen.evaluate(
        {
            "tree": DecisionTreeClassifier(max_depth=3),
            "svm": SVC(C=2, kernel="linear"),
            "lda": "lda",
        },
        {"flowers": (frame, CLASSES)},
        resampling=own,
        replications=3 if resampling is None else None,
        measures=["misclassification", "brier"],
        seed=7,
    )
    pd.testing.assert_frame_equal(values_of(found), values_of(expected), check_exact=True)
    assert found.performances["value"].notna().any()


def test_same_call_has_same_numbers_whatever_was_drawn_before() -> None:
    first = values_of(small())
    np.random.default_rng(1)
    np.random.seed(99)
    state = np.random.get_state()[1].copy()  # type: ignore[index]
    again = values_of(small())
    pd.testing.assert_frame_equal(first, again, check_exact=True)
    assert (np.random.get_state()[1] == state).all()  # type: ignore[index]
    other = values_of(small(seed=6))
    assert not np.array_equal(first["value"], other["value"])


@pytest.mark.slow
def test_worker_processes_have_the_same_numbers() -> None:
    here, there = small(), small(jobs=2)
    pd.testing.assert_frame_equal(values_of(here), values_of(there), check_exact=True)


def test_estimators_stay_as_they_are() -> None:
    tree = DecisionTreeClassifier()
    small(estimators=[tree, DummyClassifier()])
    assert not hasattr(tree, "tree_")
    assert tree.random_state is None


@pytest.mark.slow
def test_failures_are_data() -> None:
    study = small(
        estimators={"fussy": Fussy(), "majority": DummyClassifier()},
        replications=12,
        max_failures="100%",
    )
    fussy = study.performances.query("candidate == 'fussy'")
    assert set(fussy["status"]) == {"ok", "failed"}
    assert (fussy["value"].isna() == (fussy["status"] == "failed")).all()
    failures = study._warehouse.failures
    assert set(failures["message"]) == {"ValueError: an even number"}
    with pytest.raises(ExecutionError, match=r"an even number.*max_failures='100%'"):
        small(estimators={"fussy": Fussy(), "majority": DummyClassifier()}, replications=12)


def test_interrupted_evaluation_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, fit = tmp_path / "kept", Experiment.__call__
    done: list[Any] = []

    def interrupted(self: Experiment, cell: Any) -> Any:
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(cell)
        return fit(self, cell)

    monkeypatch.setattr(Experiment, "__call__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small(folder=folder)
    monkeypatch.undo()
    study = small(folder=folder)
    assert study._origin.execution["reused_fits"] == 5
    assert study._origin.execution["fits"] == 3
    pd.testing.assert_frame_equal(values_of(study), values_of(small()), check_exact=True)
    pd.testing.assert_frame_equal(
        values_of(reportgen.load(folder)), values_of(study), check_exact=True
    )


@pytest.mark.slow
def test_only_what_has_changed_is_measured_again(tmp_path: Path) -> None:
    small(folder=tmp_path)
    other = {**PAIR, "tree": DecisionTreeClassifier(max_depth=1)}
    assert small(folder=tmp_path, estimators=other)._origin.execution["fits"] == 4
    journal = tmp_path / "warehouse" / "journal"
    before = journal.read_bytes()
    pd.testing.assert_frame_equal(values_of(small(folder=tmp_path)), values_of(small()))
    assert journal.read_bytes() == before
    assert small(folder=tmp_path, fresh=True)._origin.execution["fits"] == 8


@pytest.mark.slow
def test_nothing_is_written_without_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = small()
    assert not list(tmp_path.iterdir())
    files = study.report(formats=["html"])
    assert Path("output/data/report.html") in files


@pytest.mark.slow
def test_report_says_what_was_run(tmp_path: Path) -> None:
    study = small(estimators=[SVC(C=2), make_pipeline(StandardScaler(), SVC())], name="flowers")
    study.report(tmp_path, formats=["html"])
    assert "SVC(C=2)" in (tmp_path / "report.html").read_text(encoding="utf-8")
    origin = study._origin
    assert origin.command == (
        "reportgen.evaluate(<SVC, StandardScaler-SVC>, <flowers>, replications=4, seed=5, "
        "name='flowers')"
    )
    assert list(origin.inputs) == ["flowers"]
    assert {"Python", "numpy", "scikit-learn", "reportgen"} <= set(origin.versions)
    assert origin.execution["workers"] == 1
    assert str(Path.cwd()) not in f"{origin} {study._warehouse.descriptions}"


def test_given_samples_are_those_of_a_file(tmp_path: Path) -> None:
    rows = [("data", 1, "test" if i < 30 else "learn", i + 1) for i in range(150)]
    file = tmp_path / "samples.csv"
    columns = ["dataset", "replication", "sample", "observation"]
    pd.DataFrame(rows, columns=columns).to_csv(file, index=False)
    study = small(resampling={"scheme": "given", "file": file}, replications=None)
    assert study.performances["n_test"].eq(30).all()
    assert str(tmp_path) not in f"{study._origin}"


# ---------------------------------------------------------------------------------- estimators


def test_estimators_of_a_list_are_named_by_their_classes() -> None:
    given = [SVC(), "lda", SVC(C=10), make_pipeline(StandardScaler(), SVC()), DummyClassifier()]
    study = small(estimators=given, replications=2)
    expected = ("SVC 1", "lda", "SVC 2", "StandardScaler-SVC", "DummyClassifier")
    assert study.candidates == expected


def test_named_tuples_and_entries_of_a_manifest_are_estimators() -> None:
    entry = {"estimator": "sklearn.svm.SVC", "options": {"C": 2}}
    study = small(estimators=[("one", SVC()), ("two", entry), ("three", "svm")], replications=2)
    assert study.candidates == ("one", "two", "three")


@pytest.mark.slow
def test_pipelines_get_the_data_frame_and_others_a_matrix() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue"] * 20, "size": np.arange(40) % 7 * 1.5})
    target = np.where(frame["colour"] == "red", "yes", "no")
    own = make_pipeline(make_column_transformer((OneHotEncoder(), ["colour"])), SVC())
    study = reportgen.evaluate({"own": own, "svm": SVC()}, frame, target, replications=3)
    assert study.performances["status"].eq("ok").all()
    assert study.performances["value"].eq(0).all()
    with pytest.raises(ExecutionError, match="could not convert string"):
        reportgen.evaluate({"own": own, "svm": SVC()}, frame, target, replications=3, prepare=False)


# ---------------------------------------------------------------------------------------- data


def test_task_is_that_of_the_target_or_of_the_estimators() -> None:
    classes = reportgen.evaluate(PAIR, X, Y, replications=2)
    assert classes.measures == ("misclassification",)
    numbers = reportgen.evaluate(
        [LinearRegression(), DummyRegressor()], load_diabetes(), replications=2
    )
    assert numbers.measures == ("mse",)
    both = reportgen.evaluate(["svm", "knn"], X, Y, replications=2, task="regression")
    assert both.measures == ("mse",)


def test_task_is_that_of_names_of_the_catalogue() -> None:
    study = reportgen.evaluate(["lda", "rpart"], X, Y, replications=2)
    assert study.measures == ("misclassification",)


def far(y_true: Any, y_pred: Any) -> float:
    """Return the greatest distance."""
    return float(np.abs(y_true - y_pred).max())


@pytest.mark.slow
def test_functions_are_measures(tmp_path: Path) -> None:
    def least(y_true: Any, y_score: Any) -> float:
        return float(y_score.max(axis=1).min())

    smallest = {"name": "least", "function": least, "better": "larger", "bounds": [0, 1]}
    study = small(estimators=["lda", "nb"], measures=[smallest, "log-loss"], folder=tmp_path)
    assert study.measures == ("least", "log-loss")
    assert reportgen.load(tmp_path).summary("least")["min"].between(1 / 3, 1).all()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    entry = {"name": "far", "function": far, "better": "smaller"}
    given: dict[str, Any] = {
        "measures": [entry, "neg_max_error"],
        "relevance": 5,
        "replications": 3,
    }
    found = values_of(reportgen.evaluate(models, load_diabetes(), **given))
    by_measure = found.pivot(index=["replication", "candidate"], columns="measure", values="value")
    np.testing.assert_allclose(by_measure["far"], -by_measure["neg_max_error"], rtol=1e-12)
    with pytest.raises(
        StudyError, match=r"evaluate\(measures=…\): least: found what cannot be sent"
    ):
        small(measures=smallest, jobs=2)


def test_target_may_be_a_column_and_groups_too() -> None:
    frame = load_iris(as_frame=True).frame.assign(plot=np.arange(150) // 5)
    by_column = reportgen.evaluate(PAIR, frame, "target", groups="plot", replications=3)
    apart = frame.drop(columns=["target", "plot"])
    by_object = reportgen.evaluate(
        PAIR, {"data": (apart, frame["target"], frame["plot"])}, replications=3
    )
    pd.testing.assert_frame_equal(values_of(by_column), values_of(by_object), check_exact=True)
    assert by_column.performances["n_distinct"].max() <= 30  # of 30 groups


def test_several_data_sets_make_a_domain() -> None:
    study = reportgen.evaluate(
        PAIR, {"iris": IRIS, "wine": load_wine(return_X_y=True)}, replications=4
    )
    assert study.datasets == ("iris", "wine")
    assert study.name == "benchmark"
    assert len(study.domain()) == 1


def test_classes_of_a_bunch_have_their_names() -> None:
    from reportgen.catalogue.datasets.objects import object_dataset

    assert object_dataset("iris", IRIS).classes == ("setosa", "versicolor", "virginica")
    assert object_dataset("iris", load_iris(as_frame=True)).classes[0] == "setosa"


@pytest.mark.parametrize("name", ["", "x/y", 3])
def test_name_is_checked_as_in_a_manifest(name: Any) -> None:
    with pytest.raises(StudyError, match=r"evaluate\(name=…\): found"):
        small(name=name)


def test_name_of_a_data_set_need_not_be_one_of_a_folder() -> None:
    study = reportgen.evaluate(PAIR, {"a/b": IRIS}, replications=2)
    assert (study.name, study.datasets) == ("benchmark", ("a/b",))


def test_relevance_is_that_of_the_main_measure() -> None:
    study = small(measures=["accuracy", "misclassification"], relevance=0.02)
    assert study._job.study.analysis.relevance["accuracy"] == (-0.02, 0.02)
    both = small(relevance={"misclassification": [-0.01, 0.01]})
    assert both._job.study.analysis.relevance["misclassification"] == (-0.01, 0.01)


# -------------------------------------------------------------------------------------- errors

GAPS = Y.astype(float)
GAPS[3] = np.nan


@pytest.mark.parametrize(
    ("arguments", "keywords", "text"),
    [
        ((PAIR, X, Y[:100]), {}, "150 observations in X and 100 in y"),
        (
            (PAIR, X[:, 0], Y),
            {},
            r"X of the shape \(150,\); allowed an array of the shape \(n, p\)",
        ),
        ((PAIR, "iris", Y), {}, "X of the type str"),
        ((PAIR, X, X), {}, r"y of the shape \(150, 4\); allowed \(150,\)"),
        ((PAIR, X), {}, "found no target"),
        ((PAIR, X, GAPS), {}, "row 4: found no value of the target 'y', as in 1 of 150"),
        ((PAIR, pd.DataFrame(X), "sort"), {}, "unknown target of the data set 'data': 'sort'"),
        (
            (["svm", "knn"], X, Y),
            {},
            "quantities; allowed with task: classification or task: regression",
        ),
        ((PAIR, [IRIS, IRIS]), {}, "found a list of data sets; allowed a mapping of their names"),
        ((PAIR, X, Y), {"rope": 5}, r"allowed estimators, X, y, .*did you mean relevance\?"),
        ((PAIR, X, Y), {"n_jobs": 2}, r"did you mean jobs\?"),
        ((PAIR, X, Y), {"measures": [accuracy_score]}, "the function .*accuracy_score; allowed"),
        ((PAIR, X, Y), {"measures": {"cost": accuracy_score}}, "found a mapping; allowed names"),
        (
            (PAIR, X, Y),
            {"measures": {"name": "cost", "function": accuracy_score}},
            "function without better",
        ),
        (
            (PAIR, X, Y),
            {"measures": {"name": "cost", "function": abs, "better": "smaller"}},
            r"found builtins.abs\(x\); allowed a function of \(y_true, y_pred\)",
        ),
        ((PAIR, {"a": IRIS}, Y), {}, "a mapping of data sets with y"),
        ((PAIR, {"a": ()}), {}, "found 'a' with a list; allowed names of data sets with"),
        ((PAIR, X, Y), {"measures": ["misclasification"]}, "did you mean misclassification"),
        ((PAIR, X, Y), {"measures": "mse"}, "found a measure of regression"),
        ((PAIR, X, Y), {"resampling": "k-folds"}, "did you mean k-fold"),
        (
            (PAIR, X, Y),
            {"resampling": {"scheme": "k-fold"}, "replications": 3},
            r"evaluate\(replications=…\): found replications with",
        ),
        ((PAIR, X, Y), {"sed": 3}, "found the keyword 'sed'.*did you mean seed"),
        ((PAIR, X, Y), {"jobs": 0}, r"evaluate\(jobs=…\).*found 0"),
        ((PAIR, X, Y), {"timeout": "5min"}, "found a limit with jobs=1"),
        ((PAIR, X, Y), {"reference": "tre"}, "did you mean tree"),
        ((PAIR, X, Y), {"relevance": -1}, "allowed a number above 0"),
        ((PAIR, X, Y), {"task": "regression"}, "for regression; allowed"),
        ((PAIR, X, Y), {"task": "clustering"}, "allowed classification or regression"),
        ((SVC(), X, Y), {}, "found 'SVC'; allowed a mapping of names"),
        (([], X, Y), {}, "found none"),
        (
            ([SVC, SVC()], X, Y),
            {},
            r"found the class SVC; allowed an object of it, such as SVC\(\)",
        ),
        (({"a": 3}, X, Y), {}, "a: found an object of the type int, which has no fit"),
        (({1: SVC()}, X, Y), {}, "found the name 1; allowed text"),
        (([("a", SVC()), ("a", SVC())], X, Y), {}, "found 'a' twice"),
        ((["svn", "lda"], X, CLASSES), {}, "did you mean svm"),
        (([SVC(), SVR()], X, CLASSES), {}, "'SVR' for classification; allowed"),
        (([SVC(C=-1)], X, Y), {}, "found a value that the estimator does not take"),
        (([SVC(class_weight={0: 2})], X, Y), {}, "found weights of single classes"),
        (([SVC(random_state=np.random.RandomState(1))], X, Y), {}, "found RandomState under"),
    ],
)
def test_errors_say_what_is_allowed(
    arguments: tuple[Any, ...], keywords: dict[str, Any], text: str
) -> None:
    with pytest.raises(ReportgenError, match=text) as error:
        reportgen.evaluate(*arguments, **keywords)
    assert "evaluate" in str(error.value)


def test_estimators_that_cannot_be_sent_to_workers_are_refused() -> None:
    class Local(DummyClassifier):
        pass

    here = small(estimators=[Local(), DummyClassifier()], replications=2)
    assert here.performances["status"].eq("ok").all()
    with pytest.raises(StudyError, match="Local: found what cannot be sent to worker processes"):
        small(estimators=[Local(), DummyClassifier()], jobs=2)


# ------------------------------------------------------------------------------------- scripts

OWN = """
import sys
import reportgen
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier

class Mine(DummyClassifier):
    pass

def work(jobs):
    print("begin", flush=True)
    study = reportgen.evaluate([Mine(), DummyClassifier()], load_iris(), replications=2, jobs=jobs)
    print(study.candidates, study.performances["status"].eq("ok").all())
"""
GUARDED = 'if __name__ == "__main__":\n    '
NO_GUARD = "StudyError: found a script that starts worker processes when it is imported"
MINE = "('Mine', 'DummyClassifier') True"
RUN = """
import reportgen
reportgen.run("study.yaml", jobs=1)
"""


def script(text: str, folder: Path, *, is_typed: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a script: a file, or what someone types."""
    (folder / "script.py").write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, *(["-c", text] if is_typed else ["script.py"])],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_plain_script_needs_no_guard(tmp_path: Path) -> None:
    done = script(f"{OWN}\nwork(1)\n", tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["begin", MINE]


@pytest.mark.slow
def test_typed_estimators_need_no_file(tmp_path: Path) -> None:
    assert MINE in script(f"{OWN}\nwork(1)\n", tmp_path, is_typed=True).stdout
    refused = script(f"{OWN}\nwork(2)\n", tmp_path, is_typed=True)
    last = refused.stderr.strip().splitlines()[-1]
    assert "StudyError: found what worker processes do not know" in last
    assert "Mine" in last


@pytest.mark.slow
def test_workers_need_a_guard(tmp_path: Path) -> None:
    done = script(f"{OWN}\nwork(2)\n", tmp_path)
    assert NO_GUARD in done.stderr.strip().splitlines()[-1]
    assert "bootstrapping phase" not in done.stderr
    guarded = script(f"{OWN}\n{GUARDED}work(2)\n", tmp_path)
    assert guarded.stdout.splitlines() == ["begin", MINE], guarded.stderr


MANY = """
from functools import partial
import numpy as np
import reportgen
from reportgen import crew as runner

runner.parallel_mapper = partial(runner.parallel_mapper, patience=0.0)

def work():
    values = np.random.default_rng(1).random((8, 12, 3))
    study = reportgen.compare(values, measure="loss", better="smaller")
    study.report("out", formats=["md"], jobs=2)
    print("made")
"""


@pytest.mark.slow
def test_sections_of_a_script_without_a_guard_are_done_by_one_process(tmp_path: Path) -> None:
    done = script(f"{MANY}\nwork()\n", tmp_path)
    assert done.stdout.strip() == "made", done.stderr
    assert "found a script that starts worker processes when it is imported" in done.stderr
    assert 'if __name__ == "__main__":' in done.stderr
    assert "memory" not in done.stderr
    guarded = script(f"{MANY}\n{GUARDED}work()\n", tmp_path)
    assert guarded.stdout.strip() == "made", guarded.stderr


@pytest.mark.slow
def test_run_needs_a_guard(tmp_path: Path) -> None:
    (tmp_path / "study.yaml").write_text(
        "measures: [misclassification]\n"
        "setup: {datasets: [iris], candidates: [dummy, lda], resampling: {replications: 2}}\n",
        encoding="utf-8",
    )
    done = script(RUN, tmp_path)
    assert NO_GUARD in done.stderr.strip().splitlines()[-1]
    assert done.stderr.count("Traceback") == 1  # of the script itself, and of no worker
