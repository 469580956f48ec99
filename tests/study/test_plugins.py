"""Candidates and measures that other packages bring by entry points."""

from __future__ import annotations

from importlib.metadata import EntryPoint

import numpy as np
import pytest

from reportgen.catalogue import measures, plugins
from reportgen.catalogue.candidates import make_candidate
from reportgen.catalogue.candidates.recipes import Recipe
from reportgen.catalogue.measures import find_measure
from reportgen.catalogue.measures.prediction import ComputedMeasure, Prediction
from reportgen.errors import SetupError, StudyError
from reportgen.execution.runner import plan_execution
from reportgen.performance_measure import Measure
from reportgen.study import candidates
from reportgen.study.setup import make_setup
from tests.study.conftest import Load

STUDY = """\
plugins: [tests, sklearn]
measures: [worst-error]
setup:
  datasets: [{name: line, generator: friedman1, n: 40}]
  candidates:
    - ready-made
    - {name: deep, estimator: their-tree, options: {max_depth: 2}}
    - {name: tuned, estimator: their-tree, tune: {max_depth: [1, 2]}, inner: {folds: 2}}
  resampling: {replications: 2}
"""


def worst_error(p: Prediction) -> float:
    return float(np.max(np.abs(p.predicted - p.truth)))


READY = make_candidate("ready", Recipe("lm"))
WORST = ComputedMeasure(Measure("anything", "smaller", "m", (0.0, None)), worst_error, "regression")
POINTS = {
    plugins.CANDIDATES: [
        ("ready-made", "tests.study.test_plugins:READY"),
        ("their-tree", "sklearn.tree:DecisionTreeRegressor"),
        ("number", "tests.study.test_plugins:POINTS"),
        ("broken", "tests.no_such_module:X"),
    ],
    plugins.MEASURES: [
        ("worst-error", "tests.study.test_plugins:WORST"),
        ("no-measure", "tests.study.test_plugins:worst_error"),
    ],
}


@pytest.fixture(autouse=True)
def offers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer what a package's entry points would."""

    def entry_points(group: str) -> list[EntryPoint]:
        return [EntryPoint(name, value, group) for name, value in POINTS.get(group, [])]

    monkeypatch.setattr(plugins, "entry_points", entry_points)


def test_a_study_uses_what_packages_bring(load: Load) -> None:
    from reportgen.execution.outcome import Cell
    from reportgen.execution.replication import Experiment

    setup = make_setup(load(STUDY), allow_plugins=True)
    assert [c.name for c in setup.candidates] == ["ready-made", "deep", "tuned"]
    assert "max_depth = 2" in setup.candidates[1].description
    measure = setup.measures[0].measure
    assert (measure.name, measure.better, measure.unit_symbol) == ("worst-error", "smaller", "m")
    assert measure.bounds == (0.0, None)
    values = [Experiment.of(setup)(Cell("line", 1, c.name)).values for c in setup.candidates]
    assert all(value["worst-error"] > 0 for value in values)
    ours = make_setup(load(STUDY.replace("ready-made", "lm")), allow_plugins=True)
    assert Experiment.of(ours)(Cell("line", 1, "lm")).values == values[0]


def test_what_has_changed_in_a_package_is_measured_anew(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keys() -> list[str]:
        cells = plan_execution(make_setup(load(STUDY), allow_plugins=True)).cells
        return [family for cell, (family, _) in cells.items() if cell.replication == 1]

    before = keys()
    assert keys() == before
    monkeypatch.setattr(measures, "edition", lambda group, name: "other")
    changed = keys()
    assert not set(changed) & set(before)
    monkeypatch.setattr(candidates, "edition", lambda group, name: "other")
    assert not set(keys()) & {*before, *changed}


def test_tuning_may_judge_by_what_packages_bring(load: Load) -> None:
    judged = STUDY.replace("inner: {folds: 2}", "inner: {folds: 2, measure: worst-error}")
    errors = []
    for text in (STUDY, judged):
        setup = make_setup(load(text), allow_plugins=True)
        data, tuned = setup.datasets[0], setup.candidates[2].build("regression", 1)
        errors.append(tuned.fit(data.inputs, data.response).errors_)
    squared, worst = errors
    assert (worst**2 > squared).all()  # the largest is above the mean
    assert (worst < squared).all()
    one_se = judged.replace("folds: 2, ", "folds: 2, rule: one-se, ")
    with pytest.raises(SetupError, match="one-se with the inner measure 'worst-error'; allowed"):
        make_setup(load(one_se), allow_plugins=True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[tests, sklearn]", "[other]", "'ready-made' of the package 'tests', whose code would"),
        ("[tests, sklearn]", "[other]", "'worst-error' of the package 'tests', whose code would"),
        ("- ready-made", "- {name: ready-made, tune: {a: [1]}}", "found tune with the candidate"),
        ("- ready-made", "- number", "found dict as the candidate 'number'"),
        (
            "- ready-made",
            "- broken",
            "'broken' of 'tests', which cannot be loaded (No module named",
        ),
        ("[worst-error]", "[no-measure]", "found function as the measure 'no-measure'"),
    ],
)
def test_what_packages_may_not_bring(load: Load, old: str, new: str, said: str) -> None:
    with pytest.raises(SetupError) as error:
        make_setup(load(STUDY.replace(old, new)), allow_plugins=True)
    assert said in str(error.value)


def test_nothing_is_loaded_without_leave(load: Load) -> None:
    with pytest.raises(SetupError, match="tests, sklearn, whose code would run here"):
        make_setup(load(STUDY))


def test_names_of_packages_are_suggested(load: Load) -> None:
    with pytest.raises(SetupError, match="did you mean ready-made"):
        make_setup(load(STUDY.replace("- ready-made", "- ready-mad")), allow_plugins=True)
    with pytest.raises(StudyError, match="did you mean ready-made"):  # beside another fault
        load(STUDY.replace("- ready-made", "- ready-mad") + "sed: 7\n")
    with pytest.raises(SetupError, match="did you mean worst-error"):
        find_measure("worst-eror")


def test_programs_need_leave_and_their_files_are_inputs(load: Load) -> None:
    from reportgen.run_folder import inputs_of

    program = '{name: p, command: [cat, data.csv, "{learn}", "{test}", "{predictions}"]}'
    text = STUDY.replace("- ready-made", f"- {program}")
    study = load(text)
    with pytest.raises(SetupError, match="the program 'cat', whose code would run here"):
        make_setup(load(text.replace("plugins: [tests, sklearn]\n", "")))
    first, *_ = make_setup(study, allow_plugins=True).candidates
    assert first.description == "program: cat data.csv"
    assert "data.csv" in inputs_of(study)
    away = text.replace("data.csv, ", "./data.csv, --log=/me/log, ")
    first, *_ = make_setup(load(away), allow_plugins=True).candidates
    assert first.description == "program: cat … --log=…"  # no path of the author's machine


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('{name: p, command: [r, "{learn}", "{test}"]}', "without {predictions}"),
        ('{name: p, command: [r, "{lern}", "{test}"]}', "did you mean {learn}?"),
        ('{name: p, command: ["{learn}", "{test}"]}', "behind the program"),
        ("{name: p, command: r lda.R}", "a list of words"),
        ("{name: p, command: []}", "an empty list"),
        ("{name: p, format: csv}", "format without command"),
        (
            '{name: p, tune: published, command: [r, "{learn}", "{test}", "{predictions}"]}',
            "tune with command",
        ),
    ],
)
def test_wrong_commands(load: Load, entry: str, said: str) -> None:
    with pytest.raises(StudyError) as error:
        load(STUDY.replace("ready-made", entry))
    assert said in str(error.value)
