"""Logs of training: an epoch is never a replication, and the user says which one counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.files import read_table
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results, study_results
from reportgen.manifest_draft import write_draft
from reportgen.performance_measure import Measure
from reportgen.study.manifest import load_study
from reportgen.warehouse import Warehouse

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

N_EPOCHS, N_SEEDS = 8, 4
BEST = "best of val_loss (smaller)"


@pytest.fixture
def log() -> pd.DataFrame:
    """Return logs as Keras writes them, of runs that get worse again after some epochs."""
    rng = np.random.default_rng(8)
    rows = [
        (model, seed, epoch, best)
        for model in ("mlp", "resnet", "xgb")
        for seed in range(N_SEEDS)
        for best in [int(rng.integers(3, N_EPOCHS - 1))]
        for epoch in range(N_EPOCHS)
    ]
    table = pd.DataFrame(rows, columns=["model", "seed", "epoch", "best"])
    distance = (table["epoch"] - table["best"]).abs()
    table["loss"] = 1 / (1 + table["epoch"])
    table["val_loss"] = 0.1 + distance / 10
    table["val_accuracy"] = 0.9 - distance / 20 + rng.normal(0, 0.004, len(table))
    return table.drop(columns="best")


def _read(table: pd.DataFrame, folder: Path, kind: str = "csv", **given: Any) -> Warehouse:
    if kind == "frame":
        return read_results(object_table(table), **given)
    path = folder / f"log.{kind}"
    (table.to_csv if kind == "csv" else table.to_parquet)(path, index=False)
    return read_results(path, **given)


def _values(found: Warehouse, measure: str = "val_accuracy") -> list[float]:
    (name,) = found.datasets
    return found.performances(name, measure).values.T.ravel().tolist()


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("name", ["epoch", "step", "_step", "global_step", "trainer/global_step"])
def test_which_epoch_counts_is_asked_for(
    name: str, kind: str, log: pd.DataFrame, tmp_path: Path
) -> None:
    table = log.rename(columns={"epoch": name})
    with pytest.raises(ExchangeError, match=rf"up to {N_EPOCHS} rows of one run, which {name} num"):
        _read(table, tmp_path, kind)
    with pytest.raises(ExchangeError, match="epochs are no replications"):
        _read(table.drop(columns="seed")[table["seed"] == 0], tmp_path, kind)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_the_chosen_epoch_is_the_result(kind: str, log: pd.DataFrame, tmp_path: Path) -> None:
    last = log[log["epoch"] == N_EPOCHS - 1]
    found = _read(log, tmp_path, kind, epoch="last")
    assert _values(found) == pytest.approx(last["val_accuracy"].tolist())
    assert [m.name for m in found.measures] == ["val_loss", "val_accuracy"]
    best = log.loc[log.groupby(["model", "seed"])["val_loss"].idxmin()]
    for table in (log, log.sample(frac=1, random_state=1)):
        found = _read(table, tmp_path, kind, epoch=BEST)
        assert _values(found) == pytest.approx(best["val_accuracy"].tolist())
    largest = log.groupby(["model", "seed"])["val_accuracy"].max()
    found = _read(log, tmp_path, kind, epoch="best of val_accuracy (larger)")
    assert _values(found) == pytest.approx(largest.tolist())
    assert ("chosen-epochs", f"{BEST} (epoch)") in _read(log, tmp_path, kind, epoch=BEST).remarks[
        ["name", "value"]
    ].itertuples(index=False, name=None)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize(
    "name",
    ["training_iteration", "timesteps_total", "n_iter", "round", "checkpoint", "tokens_seen"],
)
def test_epochs_under_other_names(name: str, kind: str, log: pd.DataFrame, tmp_path: Path) -> None:
    table = log.rename(columns={"epoch": name})
    with pytest.raises(ExchangeError, match=f"which {name} numbers as a training does its epochs"):
        _read(table, tmp_path, kind)
    assert _values(_read(table, tmp_path, kind, epoch="last")) == _values(
        _read(log, tmp_path, kind, epoch="last")
    )


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize("epoch", ["last", BEST])
def test_the_user_names_the_column_of_epochs(
    epoch: str, kind: str, log: pd.DataFrame, tmp_path: Path
) -> None:
    table = log.rename(columns={"epoch": "era"})
    found = _read(table, tmp_path, kind, epoch=epoch, columns={"epoch": "era"})
    expected = _read(log, tmp_path, kind, epoch=epoch)
    assert [m.name for m in found.measures] == [m.name for m in expected.measures]
    assert _values(found) == _values(expected)
    with pytest.raises(ExchangeError, match="which era numbers as a training does its epochs"):
        _read(table, tmp_path, kind, columns={"epoch": "era"})
    with pytest.raises(ExchangeError, match="and no column of epochs among model, seed, era"):
        _read(table, tmp_path, kind, epoch=epoch)
    with pytest.raises(ExchangeError, match="no column 'area' for epoch"):
        _read(table, tmp_path, kind, epoch=epoch, columns={"epoch": "area"})


def test_rows_of_one_run_are_no_replications_by_advice_alone(
    log: pd.DataFrame, tmp_path: Path
) -> None:
    table = log.rename(columns={"epoch": "era"})[["model", "seed", "era", "val_accuracy"]]
    table["era"] = "era " + table["era"].astype(str)
    with pytest.raises(ExchangeError) as refused:
        _read(table, tmp_path)
    told = str(refused.value)
    assert (
        "differ in era: `columns: {candidate: [model, era]}` where era belongs to the cand" in told
    )
    assert "`columns: {replication: [seed, era]}` where it tells replications apart" in told
    assert "epochs of a training" not in str(refused.value)
    numbered = log.rename(columns={"epoch": "era"})[["model", "seed", "era", "val_accuracy"]]
    with pytest.raises(ExchangeError, match=r"`columns: {epoch: era}` and `epoch: last` where it"):
        _read(numbered, tmp_path, known={"era": Measure("era", "larger")})


@pytest.mark.parametrize("name", ["iteration", "run", "trial"])
def test_names_of_replications_do_not_hide_a_training(
    name: str, log: pd.DataFrame, tmp_path: Path
) -> None:
    table = log.rename(columns={"epoch": name})
    with pytest.raises(ExchangeError, match=f"up to {N_EPOCHS} rows of one run, which {name} num"):
        _read(table, tmp_path)
    found = _read(table, tmp_path, epoch="last")
    assert len(_values(found)) == 3 * N_SEEDS
    named = _read(table, tmp_path, columns={"replication": ["seed", name]})
    assert len(_values(named)) == 3 * N_SEEDS * N_EPOCHS


def test_replications_are_no_training(log: pd.DataFrame, tmp_path: Path) -> None:
    """Numbers with which nothing goes up or down in all runs are those of replications."""
    rng = np.random.default_rng(1)
    table = log.rename(columns={"epoch": "iteration"})[["model", "seed", "iteration"]]
    found = _read(table.assign(accuracy=rng.uniform(0.6, 0.9, len(table))), tmp_path)
    assert len(_values(found, "accuracy")) == len(table)


def test_one_row_a_run_has_nothing_to_choose(log: pd.DataFrame, tmp_path: Path) -> None:
    table = log[log["epoch"] == N_EPOCHS - 1].assign(_step=99)
    found = _read(table, tmp_path)
    pd.testing.assert_frame_equal(found.frame, _read(table, tmp_path, epoch="last").frame)
    assert len(_values(found)) == 3 * N_SEEDS


def test_wrong_choices_are_told(log: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(ExchangeError, match=r"no column 'val_los' .*did you mean val_loss"):
        _read(log, tmp_path, epoch="best of val_los (smaller)")
    twice = pd.concat([log, log.iloc[[0]]], ignore_index=True)
    with pytest.raises(ExchangeError, match="two values of one run with the same epoch"):
        _read(twice, tmp_path, epoch="last")
    gaps = log.assign(val_loss=log["val_loss"].where(log["model"] != "mlp"))
    with pytest.raises(ExchangeError, match="a run without any value of val_loss"):
        _read(gaps, tmp_path, epoch=BEST)
    log.to_csv(tmp_path / "log.csv", index=False)
    (tmp_path / "s.yaml").write_text("results: {file: log.csv, epoch: first}\n")
    with pytest.raises(StudyError, match=r"results\.epoch: found 'first'"):
        load_study(tmp_path / "s.yaml", {})


@pytest.mark.parametrize("cell", ["nan", "NaN", "inf", "-Inf"])
@pytest.mark.parametrize("tidy", [False, True])
def test_a_run_that_diverged_has_no_result_of_an_earlier_epoch(
    cell: str, tidy: bool, tmp_path: Path
) -> None:
    path = tmp_path / "log.csv"
    measure = ("measure,", "accuracy,") if tidy else ("", "")
    name = "value" if tidy else "accuracy"
    runs: dict[str, list[Any]] = {
        "a1": [0.5, 0.9, cell],
        "a2": [0.4, 0.6, 0.7],
        "b1": [0.6, 0.8, 0.8],
        "b2": [1, 1, 1],
    }
    lines = [f"model,seed,epoch,{measure[0]}{name}"]
    for run, cells in runs.items():
        lines += [f"{run[0]},{run[1]},{i},{measure[1]}{c}" for i, c in enumerate(cells, 1)]
    path.write_text("\n".join(lines))
    last = read_results(path, epoch="last")
    assert np.array_equal(_values(last, "accuracy"), [np.nan, 0.7, 0.8, 1], equal_nan=True)
    reason = last.failures[["candidate", "replication", "status", "message"]].iloc[0].tolist()
    assert reason == ["a", 1, "failed", f"{name}: {cell} in epoch 3"]
    assert len(last.failures) == 1
    best = read_results(path, epoch=f"best of {name} (larger)")
    assert _values(best, "accuracy") == [0.9, 0.7, 0.8, 1]
    assert best.failures.empty
    path.write_text("\n".join(lines).replace(cell, ""))
    assert _values(read_results(path, epoch="last"), "accuracy") == [0.9, 0.7, 0.8, 1]


def test_epochs_that_runs_took_are_no_log(tmp_path: Path) -> None:
    """Early stopping writes after how many epochs a run has ended."""
    rows = [(m, 0.8 + i / 50 + k / 9, 7 + 3 * i + k) for k, m in enumerate("ab") for i in range(2)]
    table = pd.DataFrame(rows, columns=["model", "accuracy", "epochs"])
    with pytest.raises(ExchangeError, match=r"took so many, `columns: {ignore: epochs}`"):
        _read(table, tmp_path)
    found = _read(table, tmp_path, replication="rows")
    assert _values(found, "accuracy") == pytest.approx(table["accuracy"].tolist())
    ignored = _read(table, tmp_path, replication="rows", columns={"ignore": "epochs"})
    pd.testing.assert_frame_equal(found.frame, ignored.frame)


def test_a_manifest_and_python_say_which(log: pd.DataFrame, tmp_path: Path) -> None:
    log.to_csv(tmp_path / "log.csv", index=False)
    how = Reading(epoch=BEST)
    write_draft(tmp_path, "{}", tmp_path / "log.csv", how)
    found = study_results(load_study(tmp_path / "study.yaml", {}))
    expected = import_results([tmp_path / "log.csv"], how)
    pd.testing.assert_frame_equal(found.frame, expected.frame)
    values = reportgen.compare(log, epoch=BEST).performances["value"]
    assert sorted(values) == pytest.approx(sorted(expected.frame["value"]))


# ------------------------------------------------------------------------------ folders


def test_a_folder_of_logs_a_file_a_run(log: pd.DataFrame, tmp_path: Path) -> None:
    for (model, seed), own in log.groupby(["model", "seed"]):
        own.drop(columns=["model", "seed"]).to_csv(
            tmp_path / f"{model}_seed{seed}.csv", index=False
        )
    study = load_study(tmp_path, {})
    with pytest.raises(ExchangeError, match="epochs are no replications"):
        study_results(study)
    found = read_results(read_table(tmp_path), epoch=BEST)
    expected = _read(log, tmp_path / "..", epoch=BEST)
    assert _values(found) == pytest.approx(_values(expected))


def test_rows_of_one_epoch_hold_the_values_of_samples_apart(tmp_path: Path) -> None:
    """Lightning logs training, validation and test in rows of their own."""
    rng = np.random.default_rng(2)
    expected = []
    for model in ("mlp", "xgb"):
        for version in range(3):
            folder = tmp_path / "lightning_logs" / model / f"version_{version}"
            folder.mkdir(parents=True)
            loss, test = rng.random(5).round(6), round(float(rng.random()), 6)
            lines = ["epoch,step,train_loss,val_loss,test_acc"]
            for epoch in range(5):
                lines += [f"{epoch},{9 * epoch},0.5,,", f"{epoch},{9 * epoch},,{loss[epoch]},"]
            (folder / "metrics.csv").write_text("\n".join([*lines, f"5,45,,,{test}\n"]))
            expected.append((test, loss.min(), loss[-1]))
    table = read_table(tmp_path / "lightning_logs")
    around = read_table(tmp_path)  # a folder that all runs are in names no candidate
    assert around.columns == table.columns
    assert _values(read_results(table, epoch=BEST), "test_acc") == [e[0] for e in expected]
    assert _values(read_results(table, epoch="last"), "test_acc") == [e[0] for e in expected]
    without = tmp_path / "w.csv"
    columns = {name: cells.to_pylist() for name, cells in table.columns.items()}
    pd.DataFrame(columns).drop(columns="test_acc").to_csv(without, index=False)
    assert _values(read_results(without, epoch=BEST), "val_loss") == [e[1] for e in expected]
    assert _values(read_results(without, epoch="last"), "val_loss") == [e[2] for e in expected]


def test_parts_of_paths_are_asked_for(tmp_path: Path) -> None:
    for name in ("adult/mlp", "adult/xgb", "kc1/mlp", "kc1/xgb"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "log.csv").write_text("epoch,accuracy\n0,0.5\n1,0.6\n")
    table = read_table(tmp_path)
    with pytest.raises(ExchangeError, match=r"no column of candidates among .*part 1, part 2"):
        read_results(table, epoch="last")
    columns = {"dataset": "part 1", "candidate": "part 2"}
    found = read_results(table, columns=columns, epoch="last")
    assert (found.datasets, found.candidates) == (("adult", "kc1"), ("mlp", "xgb"))
    (tmp_path / "odd_seed3.csv").write_text("epoch,accuracy\n0,0.5\n")
    with pytest.raises(ExchangeError, match="found the parts"):
        read_table(tmp_path)


@pytest.mark.parametrize("shape", ["line", "plateau", "loss"])
@pytest.mark.parametrize("n_seeds", [1, 2])
@pytest.mark.parametrize("name", ["iteration", "iter", "run", "trial"])
def test_few_trainings_are_known_by_how_they_go_on(
    name: str, n_seeds: int, shape: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    number = np.arange(100)
    curves = {
        "line": 0.7 + number / 1000,
        "plateau": 0.8 - 0.3 * np.exp(-number / 10),
        "loss": 2 * np.exp(-number / 30),
    }
    parts = [
        pd.DataFrame(
            {
                "model": model,
                "seed": seed,
                name: number,
                "loss" if shape == "loss" else "acc": curves[shape] + rng.normal(0, 0.005, 100),
            }
        )
        for model in ("cnn", "mlp")
        for seed in range(n_seeds)
    ]
    table = pd.concat(parts)
    for kind in ("csv", "frame"):
        with pytest.raises(ExchangeError, match=f"which {name} numbers as a training does"):
            _read(table if n_seeds > 1 else table.drop(columns="seed"), tmp_path, kind)


def test_replications_without_an_order_are_no_training(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        n, n_sets, n_models = (
            int(rng.integers(low, high)) for low, high in ((5, 40), (1, 4), (2, 6))
        )
        grid = pd.MultiIndex.from_product([range(n_sets), range(n_models), range(n)])
        table = grid.to_frame(index=False, name=["dataset", "model", "iteration"]).astype(
            {"dataset": str, "model": str}
        )
        table["acc"] = 0.8 + rng.normal(0, 0.02, len(table))
        found = _read(table, tmp_path, "frame")
        assert found.frame["replication"].nunique() == n


def test_times_that_a_machine_warms_up_in_are_no_training(tmp_path: Path) -> None:
    number = np.arange(40)
    parts = [
        pd.DataFrame({"model": m, "run": number, "time": own + np.exp(-number / 5)})
        for m, own in (("cnn", 1.0), ("mlp", 2.0))
    ]
    assert _read(pd.concat(parts), tmp_path, "frame").frame["replication"].nunique() == len(number)
