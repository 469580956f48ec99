"""Other tools' tables, one or several."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_validate

from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.tidy import read_results
from reportgen.performance_measure import Measure
from reportgen.study.manifest import load_study
from reportgen.warehouse.files import write_performances


def _csv(path: Path, frame: pd.DataFrame, *, index: bool = False) -> Path:
    frame.to_csv(path, index=index)
    return path


def test_what_cross_validate_returns(tmp_path: Path) -> None:
    iris = load_iris()
    parts = []
    for model in ("prior", "uniform"):
        found = cross_validate(
            DummyClassifier(strategy=model, random_state=1), iris.data, iris.target,
            scoring=["accuracy", "neg_log_loss"], cv=4,
        )  # fmt: skip
        parts.append(pd.DataFrame(found).assign(model=model, dataset="iris", split=range(4)))
    path = _csv(tmp_path / "cv.csv", pd.concat(parts), index=True)
    warehouse = import_results([path])
    assert warehouse.candidates == ("prior", "uniform")
    assert {m.name: m.better for m in warehouse.measures} == {
        "accuracy": "larger",
        "neg_log_loss": "larger",
        "fit-time": "smaller",
        "predict-time": "smaller",
    }
    accuracy = warehouse.performances("iris", "accuracy")
    assert accuracy.values[:, 0].tolist() == parts[0]["test_accuracy"].tolist()
    assert accuracy.values.shape == (4, 2)


def test_one_file_a_candidate(tmp_path: Path) -> None:
    table = pd.DataFrame({"fit_time": [0.1, 0.2], "score_time": [0.0, 0.0], "test_r2": [0.5, 0.6]})
    paths = [_csv(tmp_path / f"{name}.csv", table) for name in ("ridge", "lasso")]
    with pytest.raises(ExchangeError, match=r"row 3: found no column of rep.*--replication rows"):
        import_results(paths)
    warehouse = import_results(paths, Reading(replication="rows"))
    assert warehouse.candidates == ("ridge", "lasso")
    assert warehouse.performances("data", "r2").values.tolist() == [[0.5, 0.5], [0.6, 0.6]]


def test_a_table_a_candidate_is_told_by_names_of_files(tmp_path: Path) -> None:
    table = pd.DataFrame({"dataset": ["a", "a"], "seed": [1, 2], "accuracy": [0.5, 0.7]})
    paths = [_csv(tmp_path / f"{name}.csv", table) for name in ("rf", "svm")]
    said = "--column candidate=file where each file has one candidate, here 'rf'"
    with pytest.raises(ExchangeError, match=said):
        import_results(paths)
    with pytest.raises(ExchangeError, match=r"\{'candidate': 'file'\} where each"):
        import_results(paths, Reading(is_argument=True))
    with pytest.raises(StudyError, match=r"a folder of 2 tables; allowed .* import .*/\*\.csv -o"):
        load_study(tmp_path, {})
    with pytest.raises(ExchangeError, match="a folder of 2 tables"):
        import_results([tmp_path])
    warehouse = import_results(paths, Reading(columns={"candidate": "file"}))
    assert warehouse.candidates == ("rf", "svm")
    assert warehouse.performances("a", "accuracy").values.tolist() == [[0.5, 0.5], [0.7, 0.7]]
    (tmp_path / "mine.yaml").write_text("study: {}")
    with pytest.raises(StudyError, match=r"did you mean .*mine\.yaml"):
        load_study(tmp_path, {})


def test_what_is_no_number_is_not_lost_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "cv.csv"
    path.write_text("fold;fit_time;score_time;test_r2\n1;0.1;0;0.5\n2;0.2;0;\n3;0.3;0;0,7\n")
    with pytest.raises(ExchangeError, match=r"cv\.csv .*: row 4, column test_r2: found '0,7'"):
        import_results([path])
    path.write_text("fold;fit_time;score_time;test_r2\n1;0.1;0;0.5\n2;0.2;0;NA\n3;0.3;0;0.7\n")
    values = import_results([path]).performances("data", "r2").values
    assert values[[0, 2], 0].tolist() == [0.5, 0.7]
    assert pd.isna(values[1, 0])


def test_mlr3(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "nr": [1, 1, 2, 2],
            "task_id": "sonar",
            "learner_id": ["classif.rpart"] * 2 + ["classif.ranger"] * 2,
            "resampling_id": "cv",
            "iteration": [1, 2, 1, 2],
            "classif.ce": [0.3, 0.25, 0.2, 0.15],
            "time_train": [0.1, 0.1, 0.4, 0.5],
        }
    )
    warehouse = import_results([_csv(tmp_path / "bmr.csv", table)])
    assert [m.name for m in warehouse.measures] == ["misclassification", "fit-time"]
    assert warehouse.performances("sonar", "misclassification").values.tolist() == [
        [0.2, 0.3],
        [0.15, 0.25],
    ]
    unknown = table.rename(columns={"classif.ce": "classif.phi"})
    path = _csv(tmp_path / "phi.csv", unknown)
    with pytest.raises(ExchangeError, match=r"phi\.csv \(from mlr3\).*'classif\.phi' of unknown"):
        import_results([path])
    told = import_results([path], Reading(better={"classif.phi": "larger"}))
    assert told.measures[0] == Measure("classif.phi", "larger")


def test_benchopt_counts_the_last_row_of_a_run(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "objective_name": "Lasso",
            "solver_name": ["cd", "cd", "ista", "ista"],
            "data_name": "leukemia",
            "idx_rep": 0,
            "stop_val": [1, 10, 1, 10],
            "objective_value": [3.0, 1.0, 4.0, 2.0],
            "time": [0.1, 1.0, 0.2, 2.0],
        }
    )
    path = tmp_path / "runs.parquet"
    table.sample(frac=1, random_state=3).to_parquet(path)
    warehouse = import_results([path])
    assert warehouse.measures[0] == Measure("objective_value", "smaller")
    values = warehouse.performances("leukemia", "objective_value")
    assert dict(zip(values.candidates, values.values[0].tolist(), strict=True)) == {
        "cd": 1.0,
        "ista": 2.0,
    }


def test_parquet_says_what_its_measures_are(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"candidate": ["a", "b"], "measure": "zeal", "value": [1.0, 2.0], "replication": 1}
    )
    source = _csv(tmp_path / "cost.csv", table)
    with pytest.raises(ExchangeError, match="of unknown direction"):
        import_results([source])
    warehouse = import_results([source], Reading(better={"zeal": "larger"}))
    path = tmp_path / "cost.parquet"
    write_performances(warehouse, path)
    assert b"reportgen" in pq.read_schema(path).metadata
    again = read_results(path)
    assert again.measures == (Measure("zeal", "larger"),)
    assert again.datasets == ("cost",)
    pd.testing.assert_frame_equal(again.frame, warehouse.frame)


def test_files_must_agree(tmp_path: Path) -> None:
    one = pd.DataFrame({"algorithm": ["a", "b"], "accuracy": [0.5, 0.6], "dataset": "d"})
    first, second = _csv(tmp_path / "1.csv", one), _csv(tmp_path / "2.csv", one)
    with pytest.raises(ExchangeError, match=r"2\.csv: found dataset d, .*also in .*1\.csv"):
        import_results([first, second])
    other = _csv(tmp_path / "3.csv", one.assign(dataset="e"))
    assert import_results([first, other]).datasets == ("d", "e")


@pytest.mark.parametrize(
    ("reading", "said"),
    [
        (
            Reading("mlr"),
            "--from: found 'mlr'; allowed tidy, wide, cross-validate, cv-results",
        ),
        (
            Reading("mlr3"),
            "found no table of mlr3 among the columns who, how; allowed a table",
        ),
        (Reading("wide"), "found a wide table without a measure; allowed --measure NAME"),
        (Reading(), "Tables that are understood"),
        (
            Reading(measure="cost", columns={"candidate": "who", "dataset": "who"}),
            "without --measure",
        ),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, reading: Reading, said: str) -> None:
    path = _csv(tmp_path / "x.csv", pd.DataFrame({"who": ["a", "b"], "how": [0.1, 0.2]}))
    with pytest.raises(ExchangeError) as caught:
        import_results([path], reading)
    assert said in str(caught.value)


def test_hostile_names_stay_names(tmp_path: Path) -> None:
    names = ["=cmd|' /C calc'!A0", "../../etc/passwd", "<script>alert(1)</script>"]
    table = pd.DataFrame({"dataset": names[1], "algorithm": names, "error": [0.1, 0.2, 0.3]})
    warehouse = import_results([_csv(tmp_path / "h.csv", table)])
    assert set(warehouse.candidates) == set(names)
    assert warehouse.datasets == (names[1],)
