"""Which rows are one replication: by columns, never by the order of rows unless that is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.tidy import read_results, study_results
from reportgen.study.manifest import load_study
from reportgen.warehouse import Warehouse
from reportgen.warehouse.files import write_performances

N_REPEATS, N_FOLDS = 3, 4


def _table(rng: np.random.Generator) -> pd.DataFrame:
    """Three candidates in repeats of folds on two data sets, one value a row."""
    names = ["corpus 9", "corpus 10"], range(1, N_REPEATS + 1), range(N_FOLDS), ["svm", "LDA", "rf"]
    grid = pd.MultiIndex.from_product(names, names=["dataset", "repeat", "fold", "candidate"])
    table = grid.to_frame(index=False)
    return table.assign(score=rng.random(len(table)), fit_time=rng.random(len(table)))


@pytest.fixture
def table() -> pd.DataFrame:
    return _table(np.random.default_rng(7))


def _read(tmp_path: Path, table: pd.DataFrame, manifest: str = "") -> Warehouse:
    table.to_csv(tmp_path / "r.csv", index=False)
    if not manifest:
        return study_results(load_study(tmp_path / "r.csv", {}))
    (tmp_path / "study.yaml").write_text(manifest, encoding="utf-8")
    return study_results(load_study(tmp_path / "study.yaml", {}))


@pytest.mark.parametrize(
    "names",
    [
        ("repeat", "fold"),
        ("Repeat", "Fold ID"),
        ("rep", "cv_fold"),
        ("iteration", "fold_idx"),
        ("Replication", "fold"),
    ],
)
def test_coordinates_are_no_measures(
    tmp_path: Path, table: pd.DataFrame, names: tuple[str, str]
) -> None:
    renamed = table.rename(columns=dict(zip(("repeat", "fold"), names, strict=True)))
    warehouse = _read(tmp_path, renamed)
    assert [m.name for m in warehouse.measures] == ["score", "fit-time"]
    found = warehouse.performances("corpus 10", "score")
    assert found.replications.tolist() == list(range(1, N_REPEATS * N_FOLDS + 1))
    own = table[(table["dataset"] == "corpus 10") & (table["repeat"] == 2) & (table["fold"] == 1)]
    expected = own.set_index("candidate").loc[list(found.candidates), "score"].tolist()
    assert found.values[N_FOLDS + 1].tolist() == expected


@pytest.mark.parametrize("columns", ["[repeat, fold]", "[fold, repeat]"])
def test_the_manifest_names_several(tmp_path: Path, table: pd.DataFrame, columns: str) -> None:
    renamed = table.rename(columns={"repeat": "round", "fold": "part"})
    columns = columns.replace("repeat", "round").replace("fold", "part")
    manifest = f"results: {{file: r.csv, columns: {{replication: {columns}}}}}\n"
    warehouse = _read(tmp_path, renamed, manifest)
    found = warehouse.performances("corpus 9", "score")
    assert found.values.shape == (N_REPEATS * N_FOLDS, 3)
    assert not np.isnan(found.values).any()
    with pytest.raises(ExchangeError, match=r"no column 'rund' for replication; .*mean round"):
        _read(tmp_path, renamed, manifest.replace("round", "rund"))


def test_a_wanted_measure_may_have_the_name_of_a_coordinate(
    tmp_path: Path, table: pd.DataFrame
) -> None:
    table = table.assign(iteration=np.arange(len(table)))
    manifest = "results: r.csv\nmeasures: [{name: steps, column: iteration, better: smaller}]\n"
    found = _read(tmp_path, table, manifest).performances("corpus 9", "steps")
    assert found.values.shape == (N_REPEATS * N_FOLDS, 3)


@pytest.mark.parametrize("shape", ["fits", "tidy", "labels", "wide"])
def test_the_order_of_rows_changes_nothing(tmp_path: Path, table: pd.DataFrame, shape: str) -> None:
    manifest = ""
    if shape == "labels":
        table["fold"] = "part " + (7 + table["fold"]).astype(str)
    elif shape == "tidy":
        keys = ["dataset", "repeat", "fold", "candidate"]
        table = table.melt(keys, var_name="measure", value_name="value")
    elif shape == "wide":
        table = table.pivot_table("score", ["dataset", "repeat", "fold"], "candidate").reset_index()
        manifest = "results: {wide: r.csv}\nmeasures: [score]\n"
    first = _read(tmp_path, table, manifest)
    for seed in range(3):
        other = _read(tmp_path, table.sample(frac=1, random_state=seed), manifest)
        assert (other.datasets, other.candidates) == (first.datasets, first.candidates)
        assert other.measures == first.measures
        pd.testing.assert_frame_equal(other.frame, first.frame)
        pd.testing.assert_frame_equal(other.remarks, first.remarks)
    assert first.datasets == ("corpus 9", "corpus 10")
    assert first.measures[0].name == "score"


def test_rows_are_counted_when_the_manifest_says_so(tmp_path: Path, table: pd.DataFrame) -> None:
    bare = table.drop(columns=["repeat", "fold"])
    with pytest.raises(ExchangeError, match="found no column of replications, and up to 12 rows"):
        _read(tmp_path, bare)
    warehouse = _read(tmp_path, bare, "results: {file: r.csv, replication: rows}\n")
    assert warehouse.performances("corpus 9", "score").values.shape == (12, 3)
    assert warehouse.remarks["name"].tolist() == ["counted-replications"]
    with pytest.raises(StudyError, match=r"study\.yaml:1: .*found replication: rows"):
        _read(
            tmp_path, table,
            "results: {file: r.csv, replication: rows, columns: {replication: fold}}\n",
        )  # fmt: skip


def test_one_row_a_candidate_is_one_replication(tmp_path: Path, table: pd.DataFrame) -> None:
    once = table[(table["repeat"] == 1) & (table["fold"] == 1)].drop(columns=["repeat", "fold"])
    assert _read(tmp_path, once).performances("corpus 9", "score").values.shape == (1, 3)


def test_cross_validate_with_repeats_and_folds(tmp_path: Path, table: pd.DataFrame) -> None:
    table = table.rename(columns={"score": "test_score", "candidate": "model"})
    path = tmp_path / "cv.csv"
    table.assign(score_time=0.0).sample(frac=1, random_state=1).to_csv(path, index=False)
    found = import_results([path]).performances("corpus 9", "score")
    assert found.values.shape == (N_REPEATS * N_FOLDS, 3)


def test_an_order_of_ones_own_comes_through(tmp_path: Path, table: pd.DataFrame) -> None:
    wide = table.pivot_table("score", ["dataset", "repeat", "fold"], "candidate").reset_index()
    wide[["dataset", "repeat", "fold", "svm", "rf", "LDA"]].to_csv(tmp_path / "w.csv", index=False)
    warehouse = import_results([tmp_path / "w.csv"], Reading(measure="score"))
    assert warehouse.candidates == ("svm", "rf", "LDA")
    write_performances(warehouse, tmp_path / "w.parquet")
    assert read_results(tmp_path / "w.parquet").candidates == ("svm", "rf", "LDA")
    levels = pd.CategoricalDtype(["svm", "rf", "LDA"], ordered=True)
    table.astype({"candidate": levels}).to_parquet(tmp_path / "c.parquet")
    assert read_results(tmp_path / "c.parquet").candidates == ("svm", "rf", "LDA")


def test_samples_of_their_own_need_no_seed_in_common(tmp_path: Path) -> None:
    runs = pd.DataFrame(
        {
            "candidate": np.repeat(["ppo", "sac"], [7, 9]),
            "seed": [*range(7), *range(100, 109)],
            "reward": np.random.default_rng(3).random(16),
        }
    )
    runs.to_csv(tmp_path / "r.csv", index=False)
    with pytest.raises(ExchangeError, match=r"with the same seed; .*unit: sample"):
        read_results(tmp_path / "r.csv")
    found = read_results(tmp_path / "r.csv", unit="sample").frame
    means = found.groupby("candidate", observed=True)["value"].mean()
    expected = runs.groupby("candidate")["reward"].mean()
    assert means.tolist() == pytest.approx(expected.tolist())
