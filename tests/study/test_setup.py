"""From the names in a manifest to objects, problems and schemes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import SetupError, StudyError
from reportgen.execution.pool import SerialExecutor
from reportgen.execution.replication import Experiment
from reportgen.execution.runner import execute
from reportgen.study.given_samples import FixedSample
from reportgen.study.resampling import Resampling
from reportgen.study.setup import SetupSize, make_setup
from tests.study.conftest import Load

SETUP = """\
study: {name: three}
seed: 5
measures: [misclassification, fit-time]
setup:
  datasets:
    - iris
    - {name: mine, file: data.csv, target: y}
    - {name: tangled, generator: spirals, n: 60, options: {sd: 0.1}}
  candidates: [svm, lda]
  resampling: {scheme: subsampling, replications: 7}
execution: {jobs: 2, timeout: 1min}
"""


def test_objects_stand_behind_the_names_in_their_order(load: Load) -> None:
    setup = make_setup(load(SETUP))
    assert [d.name for d in setup.datasets] == ["iris", "mine", "tangled"]
    assert [d.n for d in setup.datasets] == [150, 4, 60]
    assert [c.name for c in setup.candidates] == ["svm", "lda"]
    assert [m.name for m in setup.measures] == ["misclassification", "fit-time"]
    assert setup.resampling == Resampling("subsampling", 7, 2 / 3)
    assert (setup.name, setup.seed, setup.problem) == ("three", 5, "real-world")
    assert (setup.execution.jobs, setup.execution.timeout_seconds) == (2, 60.0)


def test_size(load: Load) -> None:
    size = make_setup(load(SETUP)).size
    assert size == SetupSize(n_datasets=3, n_replications=7, n_candidates=2, n_measures=2)
    assert (size.n_fits, size.n_values) == (42, 84)  # 3 x 7 x 2 fits, two values each
    assert size.disk_bytes == 42 * 220 + 84 * 12


def test_bootstrap_draws_as_many_as_there_are(load: Load) -> None:
    text = SETUP.replace("{scheme: subsampling, replications: 7}", "bootstrap")
    resampling = make_setup(load(text)).resampling
    assert resampling == Resampling("bootstrap", 100, 1.0)
    assert resampling.described() == {"scheme": "bootstrap", "replications": 100}


def test_resampling_is_described_as_a_manifest_says_it() -> None:
    assert Resampling("subsampling", 7, 0.5, stratify=True).described() == {
        "scheme": "subsampling",
        "replications": 7,
        "fraction": 0.5,
        "stratify": True,
    }


def test_generated_data_follow_from_seed_and_name_alone(load: Load) -> None:
    first = make_setup(load(SETUP)).datasets[2].inputs.to_numpy()
    moved = SETUP.replace("    - iris\n", "")
    again = make_setup(load(moved)).datasets[1].inputs.to_numpy()
    other_name = make_setup(load(SETUP.replace("tangled", "knotted"))).datasets[2].inputs
    other_seed = make_setup(load(SETUP.replace("seed: 5", "seed: 6"))).datasets[2].inputs
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other_name.to_numpy())
    assert not np.array_equal(first, other_seed.to_numpy())


def test_all_unknown_names_are_told_with_their_lines(load: Load) -> None:
    text = SETUP.replace("iris", "irsi").replace("[svm, lda]", "[svn, lda]")
    text = text.replace("misclassification,", "misclasification,").replace("sd: 0.1", "sdd: 0.1")
    with pytest.raises(SetupError) as caught:
        make_setup(load(text))
    lines = str(caught.value).splitlines()
    heads = [line.partition("study.yaml:")[2].split(";")[0] for line in lines]
    assert heads == [
        "6: setup.datasets.irsi: found the unknown data set 'irsi'",
        "8: setup.datasets.tangled: found the unknown option of the data set 'spirals': 'sdd'",
        "9: setup.candidates.svn: found the unknown candidate 'svn'",
        "3: measures.misclasification: found the unknown measure 'misclasification'",
    ]
    assert "did you mean svm?" in lines[2]


def test_measure_of_another_task_is_an_error(load: Load) -> None:
    text = SETUP.replace("misclassification,", "mse,")
    with pytest.raises(SetupError, match=r"measures\.mse: found a measure of regression; allowed"):
        make_setup(load(text))


def test_candidate_that_does_not_do_the_task_is_an_error(load: Load, folder) -> None:
    (folder / "numbers.csv").write_text("x,y\n1,0.5\n2,1.5\n3,2.5\n4,0.1\n", "utf-8")
    text = """\
    measures: [mse]
    setup:
      datasets: [{name: numbers, file: numbers.csv, target: y, task: regression}]
      candidates: [svm, lda]
    """
    with pytest.raises(SetupError, match=r"yaml:4: setup\.candidates\.lda: .*regression"):
        make_setup(load(text))


def test_results_are_not_executed(load: Load) -> None:
    with pytest.raises(SetupError, match="found results, which are not executed"):
        make_setup(load("results: results.csv\n"))


def test_strata_without_classes_are_told_with_their_line(load: Load) -> None:
    study = load(
        "measures: [mse]\n"
        "setup:\n"
        "  datasets: [cars]\n"
        "  candidates: [lm]\n"
        "  resampling: {stratify: true}\n"
    )
    with pytest.raises(SetupError, match=r"study\.yaml:5: setup\.resampling: .*stratify.*'cars'"):
        make_setup(study)


def test_a_scorer_that_does_not_suit_a_data_set_is_told(load: Load) -> None:
    study = load(
        "measures:\n  - accuracy\n  - average_precision\n  - precision\n"
        "setup: {datasets: [monks1, iris], candidates: [lda]}\n"
    )
    with pytest.raises(SetupError, match=r"study\.yaml:4: measures\.precision: .*of 3 classes"):
        make_setup(study)


def test_candidates_without_probabilities_are_told_of_beforehand(
    load: Load, caplog: pytest.LogCaptureFixture
) -> None:
    text = (
        "measures: [misclassification, brier, neg_log_loss]\n"
        "setup:\n"
        "  datasets: [iris]\n"
        "  candidates:\n"
        "    - lda\n"
        "    - svm\n"
        "    - {name: ridge, estimator: sklearn.linear_model.RidgeClassifier}\n"
    )
    make_setup(load(text))
    told = [record.getMessage().split("study.yaml:")[1] for record in caplog.records]
    assert told == [
        f"{place}: gives no class probabilities, so no value of: brier, neg_log_loss"
        for place in ("6: setup.candidates.svm", "7: setup.candidates.ridge")
    ]
    caplog.clear()
    make_setup(load(text.replace("brier, neg_log_loss", "fit-time").replace("ridge", "LDA")))
    assert "study.yaml:4: setup.candidates: the candidates 'lda' and 'LDA'" in caplog.text
    caplog.clear()
    make_setup(load(text.replace(", brier, neg_log_loss", "")))
    assert not caplog.records


INFINITE = """\
measures: [misclassification]
setup:
  datasets:
    - iris
    - {name: mine, file: data.csv, target: y}
  candidates: [lda, dummy]
"""
OWN = "{name: own, estimator: sklearn.ensemble.HistGradientBoostingClassifier, prepare: false}"


def test_infinite_inputs_that_no_candidate_takes_are_refused(load: Load, folder: Path) -> None:
    (folder / "data.csv").write_text("x,z,y\n1,0.5,a\n2,inf,b\n3,-inf,a\n-inf,1.5,b\n", "utf-8")
    with pytest.raises(SetupError) as caught:
        make_setup(load(INFINITE))
    assert str(caught.value).partition("study.yaml")[2] == (
        ":5: setup.datasets.mine: data set 'mine': found the input 'x' infinite in 1 of 4 rows, "
        "first in row 4, and another input; allowed finite numbers, empty cells, or a "
        "candidate by import path with prepare: false, which may take others"
    )


def test_infinite_inputs_are_left_to_a_candidate_that_may_take_them(
    load: Load, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "data.csv").write_text("x,y\n1,a\n2,b\ninf,a\n4,b\n", "utf-8")
    setup = make_setup(load(INFINITE.replace("dummy", OWN)))
    assert np.isinf(setup.datasets[1].inputs.to_numpy()).sum() == 1
    (told,) = caplog.messages
    assert told.endswith("'x' infinite in 1 of 4 rows, first in row 3; left to own")
    with pytest.raises(SetupError, match="infinite"):
        make_setup(load(INFINITE.replace("dummy", "{name: rf, prepare: false}")))


# ------------------------------------------------------------------------ problems and schemes

LINEAR = "{name: line, generator: linear, n: 40, n_test: 20}"


def manifest(dataset: str, more: str) -> str:
    return f"measures: [mse]\nsetup:\n  datasets: [{dataset}]\n  candidates: [lm]\n  {more}\n"


@pytest.mark.parametrize(
    ("dataset", "more", "found"),
    [
        (LINEAR, "problem: simulation", Resampling("fresh", 100, assessment="fresh")),
        (
            LINEAR,
            "problem: simulation\n  resampling: {replications: 7, assessment: fixed}",
            Resampling("fresh", 7, assessment="fixed"),
        ),
        (LINEAR, "problem: competition", Resampling("bootstrap", 100, assessment="fixed")),
        (
            LINEAR,
            "problem: competition\n  resampling: bayesian-bootstrap",
            Resampling("bayesian-bootstrap", 100, assessment="fixed"),
        ),
        (
            LINEAR,
            "resampling: {scheme: bootstrap, assessment: merged}",
            Resampling("bootstrap", 100, assessment="merged"),
        ),
        (
            "cars",
            "resampling: {assessment: cross-validation, folds: 5}",
            Resampling("bootstrap", 100, assessment="cross-validation", folds=5),
        ),
        *(
            ("cars", f"resampling: {{assessment: {a}}}", Resampling("bootstrap", 100, assessment=a))
            for a in ("learning", "bootstrap")
        ),
        ("cars", "resampling: k-fold", Resampling("k-fold", 10, folds=10)),
        (
            "cars",
            "resampling: {scheme: repeated-k-fold, folds: 4, repeats: 3}",
            Resampling("repeated-k-fold", 12, folds=4),
        ),
        ("cars", "resampling: hold-out", Resampling("hold-out", 1, 2 / 3)),
        (
            "{name: line, generator: linear, n: 40}",
            "resampling: {scheme: parametric-bootstrap, replications: 3}",
            Resampling("parametric-bootstrap", 3, assessment="fresh"),
        ),
    ],
)
def test_every_problem_of_the_framework(
    load: Load, dataset: str, more: str, found: Resampling
) -> None:
    assert make_setup(load(manifest(dataset, more))).resampling == found


@pytest.mark.parametrize(
    ("dataset", "more", "told"),
    [
        (LINEAR, "problem: simulation\n  resampling: subsampling", "subsampling in a simulation"),
        ("cars", "problem: simulation", "'cars', which is fixed; allowed data sets with a gener"),
        ("linear", "problem: simulation", "'linear' without a test sample; allowed n_test"),
        (
            LINEAR,
            "problem: simulation\n  resampling: {stratify: true}",
            "stratify with the fresh samples of a simulation",
        ),
        ("cars", "problem: competition", "'cars' without a test sample; allowed test"),
        (LINEAR, "problem: real-world", "with a test sample, which is not used"),
        ("cars", "resampling: {assessment: fixed}", "assessment: fixed with problem: real-world"),
        ("cars", "resampling: bayesian-bootstrap", "leaves no observation out"),
        (
            "cars",
            "resampling: {scheme: subsampling, fraction: 0.01}",
            "leaves nothing to learn from",
        ),
        ("cars", "resampling: {assessment: fresh}", "allowed fresh test samples with simulations"),
        (
            "cars",
            "resampling: {scheme: time-series, assessment: learning}",
            "learning with time-series, whose samples have test observations of their own",
        ),
    ],
)
def test_what_does_not_go_together_is_told(load: Load, dataset: str, more: str, told: str) -> None:
    with pytest.raises(SetupError, match=told):
        make_setup(load(manifest(dataset, more)))


def test_who_takes_no_weights_is_told_before_anything_runs(load: Load) -> None:
    text = manifest(LINEAR, "problem: competition\n  resampling: [bootstrap, bayesian-bootstrap]")
    with pytest.raises(SetupError) as told:
        make_setup(
            load(text.replace("[lm]", "[lm, knn, rpart, {name: rf, tune: {ccp_alpha: [0]}}]"))
        )
    assert "'knn', which takes no weights of observations, with bayesian-boot" in str(told.value)
    assert "'rf', which takes no weights" in str(told.value)
    assert "'lm'" not in str(told.value)
    assert "'rpart'" not in str(told.value)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("problem: competition\n  resampling: bayesian-bootstrap", "with groups of the data set"),
        ("resampling: {scheme: given, file: s.csv}", "'mine' in both given samples of replicat"),
    ],
)
def test_groups_are_not_torn_apart(load: Load, tmp_path: Path, more: str, told: str) -> None:
    text = "x,y,who\n" + "".join(f"{i},{i / 3},{'abc'[i % 3]}\n" for i in range(9))
    for name in ("learn.csv", "test.csv"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    rows = "".join(f"mine,1,{'test' if i == 9 else 'learn'},{i}\n" for i in range(1, 10))
    head = "dataset,replication,sample,observation\n"
    (tmp_path / "s.csv").write_text(head + rows, encoding="utf-8")
    test = ", test: test.csv" if "competition" in more else ""
    entry = f"{{name: mine, file: learn.csv, target: y, groups: who{test}}}"
    with pytest.raises(SetupError, match=told):
        make_setup(load(manifest(entry, more)))


def test_a_description_names_what_the_report_needs() -> None:
    resampling = Resampling("repeated-k-fold", 12, folds=4)
    assert resampling.described() == {
        "scheme": "repeated-k-fold",
        "replications": 12,
        "folds": 4,
        "repeats": 3,
    }
    simulated = Resampling("fresh", 7, assessment="fixed").described()
    assert simulated == {"scheme": "fresh", "replications": 7, "assessment": "fixed"}


def test_a_file_may_have_groups_and_a_test_sample(load: Load, tmp_path: Path) -> None:
    text = "x,y,who\n" + "".join(f"{i},{i / 3},{'abc'[i % 3]}\n" for i in range(9))
    (tmp_path / "learn.csv").write_text(text, encoding="utf-8")
    (tmp_path / "test.csv").write_text("y,x,who\n1.5,4,d\n2.5,5,d\n", encoding="utf-8")
    entry = "{name: mine, file: learn.csv, target: y, test: test.csv, groups: who}"
    (data,) = make_setup(load(manifest(entry, "problem: competition"))).datasets
    assert (data.n, data.n_test, data.n_units) == (11, 2, 3)
    assert list(data.inputs.columns) == ["x"]
    assert data.groups is not None
    assert data.groups.tolist() == [0, 1, 2] * 3 + [3, 3]
    assert data.inputs["x"].tolist()[-2:] == [4.0, 5.0]


def test_a_test_sample_with_other_columns_is_told(load: Load, tmp_path: Path) -> None:
    (tmp_path / "learn.csv").write_text("x,y\n1,.5\n2,1.5\n", encoding="utf-8")
    (tmp_path / "test.csv").write_text("z,y\n1,.5\n", encoding="utf-8")
    entry = "{name: mine, file: learn.csv, target: y, test: test.csv}"
    with pytest.raises(SetupError, match=r"test\.csv: found other columns .*: x, z"):
        make_setup(load(manifest(entry, "problem: competition")))


def test_what_is_varied_makes_a_data_set_of_every_combination(load: Load) -> None:
    entry = "{name: line, generator: linear, vary: {b2: [0, 0.5], n: [20, 30]}}"
    setup = make_setup(load(manifest(entry, "resampling: [bootstrap, {scheme: k-fold, folds: 5}]")))
    assert [d.name for d in setup.datasets][:3] == [
        "line (b2 = 0, n = 20, bootstrap)",
        "line (b2 = 0, n = 20, 5-fold)",
        "line (b2 = 0, n = 30, bootstrap)",
    ]
    last = setup.datasets[-1]
    assert last.setting is not None
    assert last.setting.described() == {
        "base": "line",
        "factors": {"b2": 0.5, "n": 30.0, "resampling": "5-fold"},
    }
    assert last.n == 30
    assert last.source is not None
    assert last.source.options["b2"] == 0.5
    assert setup.resampling_of(last.name).folds == 5
    size = setup.size
    assert (size.n_datasets, size.n_replications, size.n_fits) == (8, 100, 4 * 105)


@pytest.mark.parametrize(
    ("entry", "more", "told"),
    [
        ("{name: cars, vary: {n: [20]}}", "resampling: bootstrap", "vary without generator"),
        (
            "{name: line, generator: linear, n: 20, vary: {n: [20]}}",
            "resampling: bootstrap",
            "n twice; allowed n once",
        ),
        (
            "{name: line, generator: linear, vary: {n: [20, 20]}}",
            "resampling: bootstrap",
            "a level of n twice",
        ),
        (
            "{name: line, generator: linear, vary: {n: [20.5]}}",
            "resampling: bootstrap",
            "allowed whole numbers from 2",
        ),
        ("cars", "resampling: [bootstrap, bootstrap]", "bootstrap twice; allowed ways"),
        (
            "{name: a, generator: linear, vary: {b2: [1]}}, {name: a (b2 = 1), generator: linear}",
            "resampling: bootstrap",
            r"'a \(b2 = 1\)' twice",
        ),
        (
            "{name: cube, generator: hyperplane, vary: {d: [0, -1]}}",
            "resampling: bootstrap",
            "'hyperplane': found d: 0, with which nothing",
        ),
        (
            "{name: line, generator: linear, vary: {b3: [1]}}",
            "resampling: bootstrap",
            "'b3'",
        ),
    ],
)
def test_what_cannot_be_varied_is_told(load: Load, entry: str, more: str, told: str) -> None:
    with pytest.raises((SetupError, StudyError), match=told):
        make_setup(load(manifest(entry, more)))


def test_every_way_has_its_replications_and_its_description(load: Load) -> None:
    text = manifest("cars", "resampling: [hold-out, {scheme: k-fold, folds: 3}]")
    warehouse = execute(make_setup(load(text)), executor=SerialExecutor())
    counts = warehouse.frame.groupby("dataset", observed=True)["replication"].nunique()
    assert counts.to_dict() == {"cars (hold-out 66.7%)": 1, "cars (3-fold)": 3}
    assert warehouse.resampling_of("cars (3-fold)") == {
        "scheme": "k-fold",
        "replications": 3,
        "folds": 3,
    }


def test_given_samples_may_be_one_of_several_ways(load: Load, tmp_path: Path) -> None:
    rows = "cars,1,learn,1\ncars,1,learn,2\ncars,1,learn,3\ncars,1,test,4\n"
    head = "dataset,replication,sample,observation\n"
    (tmp_path / "samples.csv").write_text(head + rows, encoding="utf-8")
    ways = "resampling: [hold-out, {scheme: given, file: samples.csv}]"
    setup = make_setup(load(manifest("cars", ways)))
    found = Experiment.of(setup).replicate("cars (given)", 1)
    assert found.sizes == (3, 3, 1)
    with pytest.raises(SetupError, match=r"given samples, .* with problem: competition"):
        make_setup(load(manifest(LINEAR, "problem: competition\n  " + ways)))


def test_samples_of_another_data_set_are_told(load: Load, tmp_path: Path) -> None:
    text = "dataset,replication,sample,observation\ncar,1,learn,1\ncar,1,test,2\n"
    (tmp_path / "samples.csv").write_text(text, encoding="utf-8")
    with pytest.raises(SetupError, match=r"given samples: 'cars'; .* did you mean car"):
        make_setup(load(manifest("cars", "resampling: {scheme: given, file: samples.csv}")))


def test_tuning_by_a_measure_of_another_task_is_told(load: Load) -> None:
    tuned = "{name: svm, tune: {C: [1, 2]}, inner: {measure: mse}}"
    text = manifest("iris", "resampling: hold-out").replace("[lm]", f"[{tuned}]")
    with pytest.raises(SetupError, match="'mse' of regression with an estimator for classif"):
        make_setup(load(text.replace("[mse]", "[brier]")))


def test_other_given_samples_are_other_fits() -> None:
    def key(row: int) -> list[object]:
        samples = (FixedSample((0, 1), (2,)), FixedSample((1, 2), (row,)))
        return Resampling("given", 2, given={"a": samples}).key_of("a")

    assert key(0) == key(0)
    assert key(0) != key(3)
    assert Resampling("bootstrap", 2).key_of("a") == ["bootstrap", 1.0, False]


ERRORS = """\
measures: [rmse, mse, mae, r2, fit-time]
setup:
  datasets: {datasets}
  candidates: [lm, rpart]
"""


@pytest.mark.parametrize(
    ("datasets", "units"),
    [
        ("[cars]", ["ft", "ft²", "ft", "share", "s"]),
        ("[{name: cars, unit: m}]", ["m", "m²", "m", "share", "s"]),
        ("[{name: line, generator: linear, unit: V}]", ["V", "V²", "V", "share", "s"]),
        ("[{name: line, generator: linear, unit: V, vary: {b2: [0, 1]}}]", ["V", "V²", "V"]),
        ("[diabetes]", ["", "", "", "share", "s"]),  # whose unit nobody says
        ("[cars, linnerud]", ["", "", "", "share", "s"]),  # ft and lb
        ("[cars, diabetes]", ["", "", "", "share", "s"]),
    ],
)
def test_errors_have_the_unit_of_the_response(load: Load, datasets: str, units: list[str]) -> None:
    measures = make_setup(load(ERRORS.format(datasets=datasets))).measures
    assert [m.measure.unit_symbol for m in measures][: len(units)] == units


def test_a_class_has_no_unit(load: Load) -> None:
    study = load(SETUP.replace("- iris", "- {name: iris, unit: cm}"))
    with pytest.raises(SetupError, match="unit: cm of a classification"):
        make_setup(study)
