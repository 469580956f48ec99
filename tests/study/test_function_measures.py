"""Measures that are functions of the truth and of predictions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from reportgen.catalogue.measures.functions import (
    FunctionMeasure,
    function_measure,
    object_measure,
)
from reportgen.catalogue.measures.prediction import Prediction
from reportgen.errors import SetupError
from reportgen.execution.outcome import Cell
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import plan_execution
from reportgen.performance_measure import Measure
from reportgen.run_folder import study_digests
from reportgen.study.setup import make_setup
from tests.study.conftest import Fail, Load

STUDY = """\
plugins: [judge_of_tests]
measures:
  - {name: missed, function: judge_of_tests.missed, better: smaller, unit: share, bounds: [0, 1]}
  - {name: trust, function: judge_of_tests.trust, better: larger}
  - {name: hamming, function: sklearn.metrics.hamming_loss, better: smaller}
  - misclassification
setup:
  datasets: [tic-tac-toe]
  candidates: [nb]
  resampling: {replications: 2}
"""
CODE = """\
import numpy as np


def missed(y_true, y_pred):
    is_positive = y_true == "positive"
    return np.mean(y_pred[is_positive] == "negative")


def trust(y_true, y_score):
    return y_score[y_true == "positive"].mean()


def odd(a, b):
    return 1.0


def three(y_true, y_pred, weights):
    return 1.0
"""


@pytest.fixture
def judged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the module beside the manifest, and forget it afterwards."""
    import sys

    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.delitem(sys.modules, "judge_of_tests", raising=False)
    (folder / "judge_of_tests.py").write_text(CODE)
    return folder


def test_functions_see_classes_as_they_stand_in_the_data(judged: Path, load: Load) -> None:
    setup = make_setup(load(STUDY), allow_plugins=True)
    missed = setup.measures[0].measure
    assert missed == Measure("missed", "smaller", "share", (0.0, 1.0))
    assert missed.better_source == "manifest"
    values = Experiment.of(setup)(Cell("tic-tac-toe", 1, "nb")).values
    assert values["hamming"] == values["misclassification"]
    assert 0 < values["missed"] < 1
    assert 0.5 < values["trust"] < 1


def test_numbers_stay_numbers() -> None:
    truth, predicted = np.array([0, 1, 1]), np.array([1, 1, 0])
    measure = FunctionMeasure("sklearn.metrics.mean_absolute_error", False)
    of_classes = Prediction(truth, predicted, None, 0.0, 0.0, classes=("10", "40"))
    assert measure(of_classes) == 20
    assert measure(Prediction(truth * 1.0, predicted * 1.0, None, 0.0, 0.0)) == 2 / 3
    scored = FunctionMeasure("sklearn.metrics.roc_auc_score", True)
    with pytest.raises(ValueError, match="no class probabilities"):
        scored(of_classes)
    matrix = FunctionMeasure("sklearn.metrics.confusion_matrix", False)
    with pytest.raises(ValueError, match=r"values of the shape \(2, 2\), not one"):
        matrix(of_classes)


def test_code_that_changes_is_measured_anew(judged: Path, load: Load) -> None:
    def state() -> tuple[list[str], str]:
        study = load(STUDY)
        cells = plan_execution(make_setup(study, allow_plugins=True)).cells
        families = [family for family, _ in cells.values()]
        return families, study_digests(study)["version of its plug-ins"]

    before = state()
    assert state() == before
    (judged / "judge_of_tests.py").write_text(CODE.replace("negative", "draw"))
    after = state()
    assert not set(after[0]) & set(before[0])
    assert after[1] != before[1]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "tests.missed",
            "tests.mist",
            "unknown function of judge_of_tests: 'mist'; allowed missed",
        ),
        (
            "tests.missed",
            "tests.odd",
            "found judge_of_tests.odd(a, b); allowed a function of",
        ),
        (
            "tests.missed",
            "tests.three",
            "allowed a function of (y_true, y_pred), (y_true, y_score) or (estimator)",
        ),
        ("tests.missed", "tests.np", "unknown function of judge_of_tests: 'np'"),
        ("judge_of_tests.missed", "os.system", "found the function 'os.system'; allowed are the p"),
    ],
)
def test_what_is_no_judge(judged: Path, load: Load, old: str, new: str, said: str) -> None:
    with pytest.raises(SetupError) as error:
        make_setup(load(STUDY.replace(old, new)), allow_plugins=True)
    assert said in str(error.value)


def test_code_needs_leave(judged: Path, load: Load) -> None:
    with pytest.raises(SetupError, match="found judge_of_tests, whose code would run here"):
        make_setup(load(STUDY))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (", better: smaller, unit", ", unit", "measures.missed: found function without better"),
        ("name: missed", "name: accuracy", "which the catalogue computes, with a function of its"),
        ("judge_of_tests.missed,", "missed,", "measures.missed.function: found 'missed'"),
        ("better: smaller, unit", 'better: "???", unit', "better: found ???, which nobody has fil"),
        ("better: smaller, unit", "better: smaller, column: a, unit", "found column with setup"),
    ],
)
def test_wrong_entries(judged: Path, fail: Fail, old: str, new: str, said: str) -> None:
    assert said in fail(STUDY.replace(old, new))


def test_results_compute_nothing(fail: Fail) -> None:
    entry = "{name: missed, function: a.b, better: smaller}"
    said = fail(f"results: results.csv\nmeasures: [{entry}]\n")
    assert said.endswith("found function with results; allowed function with setup")


def test_an_edition_tells_the_function() -> None:
    found = [
        function_measure(f"sklearn.metrics.{name}", Measure("m"), ("sklearn",), Path()).edition
        for name in ("hamming_loss", "zero_one_loss")
    ]
    assert found[0].startswith("sklearn.metrics.hamming_loss 1.")
    assert len(set(found)) == 2


def depth(estimator: Any) -> int:
    """Return the depth of a fitted tree."""
    found: int = estimator.get_depth()
    return found


def test_a_function_of_the_fitted_candidate_judges_the_last_step_of_a_pipeline() -> None:
    inputs, response = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 0, 1])
    tree = DecisionTreeClassifier(random_state=1)
    fitted = make_pipeline(StandardScaler(), tree).fit(inputs, response)
    measure = object_measure(depth, Measure("depth", "smaller"))
    assert not measure.needs_probabilities
    assert measure.task is None
    whole = Prediction(response, response, None, 0.0, 0.0, estimator=fitted)
    assert measure.compute(whole) == tree.get_depth() > 0
    assert measure.compute(replace(whole, estimator=tree)) == tree.get_depth()
    with pytest.raises(ValueError, match="the fitted candidate is not at hand"):
        measure.compute(replace(whole, estimator=None))
