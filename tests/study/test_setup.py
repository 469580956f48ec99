from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from reportgen.errors import SetupError
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
        "6: setup.datasets.irsi: unknown data set 'irsi'",
        "8: setup.datasets.tangled: unknown option of the data set 'spirals': 'sdd'",
        "9: setup.candidates.svn: unknown candidate 'svn'",
        "3: measures.misclasification: unknown measure 'misclasification'",
    ]
    assert "did you mean 'svm'?" in lines[2]


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
        ":5: setup.datasets.mine: data set 'mine': the input 'x' is infinite in 1 of 4 rows, "
        "first in row 4, and so is another input; allowed finite numbers, empty cells, or a "
        "candidate by import path with prepare: false, which may take others"
    )


def test_infinite_inputs_are_left_to_a_candidate_that_may_take_them(
    load: Load, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "data.csv").write_text("x,y\n1,a\n2,b\ninf,a\n4,b\n", "utf-8")
    setup = make_setup(load(INFINITE.replace("dummy", OWN)))
    assert np.isinf(setup.datasets[1].inputs.to_numpy()).sum() == 1
    (told,) = caplog.messages
    assert told.endswith("'x' is infinite in 1 of 4 rows, first in row 3; left to own")
    with pytest.raises(SetupError, match="infinite"):
        make_setup(load(INFINITE.replace("dummy", "{name: rf, prepare: false}")))
