"""cv_results_ and cross_validate as scikit-learn, installed here, returns them."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.tidy import study_results
from reportgen.study.manifest import load_study

INPUTS, TRUTH = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def search() -> pd.DataFrame:
    grid = [{"n_neighbors": [1, 5]}, {"n_neighbors": [3], "weights": ["distance"]}]
    model = GridSearchCV(
        KNeighborsClassifier(), grid, scoring=["accuracy", "neg_log_loss"], refit=False, cv=3
    )
    return pd.DataFrame(model.fit(INPUTS, TRUTH).cv_results_)


@pytest.mark.parametrize("kind", ["csv", "json", "records"])
def test_a_search(tmp_path: Path, search: pd.DataFrame, kind: str) -> None:
    path = tmp_path / f"iris.{'csv' if kind == 'csv' else 'json'}"
    if kind == "csv":
        search.to_csv(path)
    elif kind == "json":
        search.to_json(path)
    else:
        search.to_json(path, orient="records")
    warehouse = import_results([path])
    assert warehouse.datasets == ("iris",)
    parameters = [name.split() for name in warehouse.candidates]
    settings = [float(first.removeprefix("n_neighbors=")) for first, *_ in parameters]
    assert settings == [1, 3, 5]
    assert parameters[1][1] == "weights=distance"
    assert {m.name: m.better for m in warehouse.measures} == {
        "accuracy": "larger",
        "neg_log_loss": "larger",
    }
    accuracy = warehouse.performances("iris", "accuracy").values
    assert accuracy.shape == (3, 3)
    for split in range(3):
        own = search.set_index("param_n_neighbors")[f"split{split}_test_accuracy"]
        assert accuracy[split] == pytest.approx(own.loc[settings].to_numpy())


def test_cross_validate_in_json_by_candidate(tmp_path: Path) -> None:
    models = {"knn": KNeighborsClassifier(), "nb": GaussianNB()}
    found = {name: cross_validate(model, INPUTS, TRUTH, cv=4) for name, model in models.items()}
    lists = {n: {k: v.tolist() for k, v in columns.items()} for n, columns in found.items()}
    path = tmp_path / "cv.json"
    path.write_text(json.dumps(lists))
    warehouse = import_results([path], Reading(replication="rows"))
    assert warehouse.candidates == ("knn", "nb")
    values = warehouse.performances("data", "score").values
    assert values[:, 1].tolist() == lists["nb"]["test_score"]
    path.write_text(json.dumps({"iris": lists}))
    assert import_results([path], Reading(replication="rows")).datasets == ("iris",)


def test_run_takes_them_without_a_manifest(tmp_path: Path, search: pd.DataFrame) -> None:
    path = tmp_path / "iris.json"
    search.to_json(path)
    warehouse = study_results(load_study(path, {}))
    assert len(warehouse.candidates) == 3
    manifest = tmp_path / "study.yaml"
    manifest.write_text("results: {file: iris.json, format: cv-results}\nmeasures: [accuracy]\n")
    assert [m.name for m in study_results(load_study(manifest, {})).measures] == ["accuracy"]
