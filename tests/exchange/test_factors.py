"""Factors of a design by the names and levels of columns, and schemes of splitters."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn import model_selection as ms
from sklearn.dummy import DummyClassifier

import reportgen
from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results, study_results
from reportgen.manifest_draft import write_draft
from reportgen.study.manifest import load_study
from reportgen.study.schema import MeasureEntry
from reportgen.study.splitters import resampling_of_splitter
from reportgen.warehouse import Warehouse

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

EXACT = 1e-12  # relative: means of the same numbers
LOSS = (MeasureEntry(name="loss", better="smaller"),)


def table(levels: dict[str, Any], seed: int = 1, names: str = "ab") -> pd.DataFrame:
    """Return a value of each candidate at every combination of levels."""
    index = pd.MultiIndex.from_product([*levels.values(), list(names)])
    frame = index.to_frame(index=False, name=[*levels, "candidate"])
    values = np.random.default_rng(seed).normal(0.3, 0.02, len(frame))
    return frame.assign(dataset="toy", loss=values)


def read(frame: pd.DataFrame, **given: Any) -> Warehouse:
    return read_results(object_table(frame), measures=LOSS, **given)


def scheme(frame: pd.DataFrame, **given: Any) -> dict[str, Any]:
    return dict(read(frame, **given).resampling)


@pytest.mark.parametrize("name", ["fold", "cv_fold", "Outer Fold", "fold_id", "split"])
def test_folds(name: str) -> None:
    assert scheme(table({name: range(5)})) == {"scheme": "k-fold", "replications": 5, "folds": 5}


def test_many_splits_are_no_folds() -> None:
    assert scheme(table({"split": range(21)})) == {}


@pytest.mark.parametrize("name", ["replication", "repeat", "iteration", "seed", "run"])
def test_what_numbers_replications_alone_tells_no_scheme(name: str) -> None:
    warehouse = read(table({name: range(10)}))
    assert warehouse.resampling == {}
    assert warehouse.n_replications == (10,)
    known = warehouse.facts.get("toy", {}).get("replications_are")
    assert known == ("seeds" if name in ("seed", "run") else None)


REPEATED = {"scheme": "repeated-k-fold", "replications": 30, "folds": 10, "repeats": 3}


def test_repeated_folds() -> None:
    assert scheme(table({"repeat": range(3), "fold": range(10)})) == REPEATED


@pytest.mark.parametrize(
    ("repeat", "fold"),
    [("replication", "fold"), ("Rep", "kfold"), ("resample", "cv_fold"), ("repeats", "test_fold")],
)
def test_other_names_of_repeats_and_folds(repeat: str, fold: str) -> None:
    assert scheme(table({repeat: range(3), fold: range(10)})) == REPEATED


@pytest.mark.parametrize("repeat", ["repeat", "replication"])
def test_a_number_of_the_split_beside_its_fold_counts_no_repeats(repeat: str) -> None:
    frame = table({"own": range(3), "fold": range(10)})
    numbered = frame.assign(**{repeat: 10 * frame["own"] + frame["fold"]}).drop(columns="own")
    assert scheme(numbered) == REPEATED


@pytest.mark.parametrize("column", ["resample", "fold", "split"])
@pytest.mark.parametrize("form", ["Fold{1:02}.Rep{0}", "repeat_{0}_fold_{1}", "fold {1}, rep {0}"])
def test_one_column_may_name_repeat_and_fold(column: str, form: str) -> None:
    """As caret writes them: thirty levels are neither thirty folds nor unknown."""
    frame = table({"repeat": range(1, 4), "fold": range(1, 11)})
    names = [form.format(*pair) for pair in zip(frame["repeat"], frame["fold"], strict=True)]
    own = frame.assign(**{"repeat": 0, column: names}).drop(columns={"repeat", "fold"} - {column})
    assert scheme(own) == REPEATED
    assert read(own).n_replications == (30,)


@pytest.mark.parametrize("kind", ["file", "frame", "index", "wide", "mapping"])
def test_every_input_tells_its_scheme(kind: str, tmp_path: Path) -> None:
    """One rule for files, frames, their index, wide tables, and mappings of frames."""
    frame = table({"repeat": range(3), "fold": range(10)})
    wide = frame.pivot(index=["dataset", "repeat", "fold"], columns="candidate", values="loss")
    frame.to_csv(tmp_path / "results.csv", index=False)
    results: Any = {
        "file": tmp_path / "results.csv",
        "frame": frame,
        "index": frame.set_index(["dataset", "repeat", "fold", "candidate"]),
        "wide": wide.reset_index(),
        "mapping": {"toy": wide.droplevel("dataset")},
    }[kind]
    if kind == "file":
        found = read_results(results, measures=LOSS)
    else:
        found = read_results(object_table(results, measure="loss"), measures=LOSS)
    assert dict(found.resampling) == REPEATED
    own = found.frame.groupby("candidate", observed=True)["value"].mean()
    expected = frame.groupby("candidate")["loss"].mean()
    assert own.to_dict() == pytest.approx(expected.to_dict(), rel=EXACT)


@pytest.mark.parametrize(
    ("levels", "written"),
    [
        (
            {"repeat": range(3), "fold": range(10)},
            "{scheme: repeated-k-fold, folds: 10, repeats: 3}",
        ),
        ({"seed": range(3), "fold": range(5)}, "{scheme: k-fold, folds: 5}"),
        ({"seed": range(3)}, ""),
    ],
)
def test_a_draft_has_the_scheme_that_columns_tell(
    levels: dict[str, Any], written: str, tmp_path: Path
) -> None:
    """The draft is read as the file alone is."""
    file = tmp_path / "results.csv"
    table(levels).rename(columns={"loss": "error"}).to_csv(file, index=False)
    draft, _ = write_draft(tmp_path / "study", "{}", file)
    text = draft.read_text(encoding="utf-8")
    assert (f"resampling: {written}" in text) == bool(written)
    assert ("scheme" in text) == bool(written)
    alone, drafted = read_results(file), study_results(load_study(draft, {}))
    assert drafted.frame.equals(alone.frame)
    assert drafted.resampling == alone.resampling
    assert drafted.facts == alone.facts


def test_folds_that_go_on_counting_are_nested_in_repeats() -> None:
    frame = table({"repeat": range(3), "fold": range(10)})
    counting = frame.assign(fold=frame["fold"] + 10 * frame["repeat"])
    assert scheme(counting) == REPEATED


def test_a_further_column_tells_nothing() -> None:
    assert scheme(table({"iteration": range(3), "fold": range(5)})) == {}


def test_data_sets_may_differ() -> None:
    five = table({"fold": range(5)})
    both = pd.concat([five, table({"fold": range(10)}).assign(dataset="other")])
    warehouse = read(both)
    assert warehouse.resampling == {}
    assert warehouse.resampling_of("toy") == {"scheme": "k-fold", "folds": 5}
    assert warehouse.resampling_of("other") == {"scheme": "k-fold", "folds": 10}


def test_the_manifest_overrules_and_must_not_contradict() -> None:
    frame = table({"repeat": range(3), "fold": range(10)})
    told = scheme(frame, resampling={"scheme": "subsampling", "fraction": 0.9})
    assert told == {"scheme": "subsampling", "replications": 30, "fraction": 0.9}
    with pytest.raises(ExchangeError, match="10 folds in the data, and folds: 5"):
        read(frame, resampling={"scheme": "repeated-k-fold", "folds": 5})
    with pytest.raises(ExchangeError, match="2 repeats of 10 folds"):
        read(frame, resampling={"scheme": "repeated-k-fold", "folds": 10, "repeats": 2})


def test_what_is_read_is_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="reportgen"):
        study = reportgen.compare(table({"repeat": range(2), "fold": range(5)}), better="smaller")
    assert "the sampling scheme is read from repeat, fold" in caplog.text
    assert "10 replications" in str(study)


# --------------------------------------------------------------------------------------- seeds


SEEDS = {"fold": range(5), "seed": range(4)}


def test_seeds_of_a_split_are_averaged() -> None:
    frame = table(SEEDS)
    warehouse = read(frame)
    means = frame.pivot_table(index="fold", columns="candidate", values="loss")
    found = warehouse.performances("toy", "loss").values
    np.testing.assert_allclose(found, means.to_numpy(), rtol=EXACT)
    assert warehouse.resampling == {"scheme": "k-fold", "replications": 5, "folds": 5}
    assert warehouse.facts["toy"] == {
        "seeds": 4,
        "seeds_are": "crossed",
        "sources": {"split": True, "levels": {"seed": [0, 1, 2, 3]}},
    }
    assert warehouse.unit.name == "replication"
    cells = warehouse.run_values("toy", "loss")
    assert cells is not None
    whole = frame.pivot_table(index=["fold", "seed"], columns="candidate", values="loss")
    np.testing.assert_array_equal(cells, whole.to_numpy().reshape(5, 4, 2))


def test_the_order_of_rows_does_not_matter() -> None:
    frame = table(SEEDS)
    mixed = frame.sample(frac=1, random_state=1)
    found, expected = read(mixed), read(frame)
    cells = found.run_values("toy", "loss"), expected.run_values("toy", "loss")
    np.testing.assert_array_equal(*cells)
    pd.testing.assert_frame_equal(found.frame, expected.frame)


def test_seeds_of_repeated_folds_leave_a_replication_a_fold() -> None:
    warehouse = read(table({"repeat": range(2), "fold": range(3), "seed": range(4)}))
    assert warehouse.n_replications == (6,)
    assert warehouse.resampling["repeats"] == 2


def test_where_seeds_made_the_splits_the_manifest_says_so() -> None:
    warehouse = read(table(SEEDS), resampling={"scheme": "repeated-k-fold", "folds": 5})
    assert warehouse.n_replications == (20,)
    assert (warehouse.resampling["folds"], warehouse.resampling["repeats"]) == (5, 4)
    assert not len(warehouse.runs)


def test_seeds_that_are_other_ones_in_each_split_are_nested() -> None:
    frame = table(SEEDS)
    warehouse = read(frame.assign(seed=frame["seed"] + 4 * frame["fold"]))
    assert warehouse.facts["toy"] == {
        "seeds": 4,
        "seeds_are": "nested",
        "sources": {"split": True, "levels": {}},
    }
    cells = warehouse.run_values("toy", "loss")
    assert cells is not None
    assert cells.shape == (5, 4, 2)


def test_many_lost_cells_are_a_partial_crossing() -> None:
    frame = table(SEEDS)
    kept = frame[(frame["fold"] + frame["seed"]) % 3 != 0]
    found = read(kept)
    assert found.facts["toy"]["seeds_are"] == "partial"
    assert "seed (4 runs, not all in every split)" in found.remarks["value"].tolist()


def test_one_seed_of_each_fold_is_no_factor() -> None:
    frame = table({"fold": range(5)})
    warehouse = read(frame.assign(seed=7))
    assert warehouse.n_replications == (5,)
    assert not len(warehouse.runs)


def test_a_lost_seed_leaves_the_mean_of_the_others() -> None:
    frame = table(SEEDS)
    frame.loc[(frame["fold"] == 2) & (frame["seed"] == 1) & (frame["candidate"] == "a"), "loss"] = (
        np.nan
    )
    warehouse = read(frame)
    own = frame[(frame["fold"] == 2) & (frame["candidate"] == "a")]["loss"]
    found = warehouse.performances("toy", "loss").values[2, 0]
    assert found == pytest.approx(own.mean(), rel=EXACT)


def test_fifty_values_of_five_folds_decide_as_five(tmp_path: Path) -> None:
    """Folds by 10 seeds of equal models, by hand: 4 degrees of freedom, the seeds' part added."""
    rng = np.random.default_rng(21)
    fold = rng.normal(size=(5, 2)) * 0.01
    frame = table({"fold": range(5), "seed": range(10)})
    own = fold[frame["fold"], (frame["candidate"] == "b").astype(int)]
    frame["loss"] = 0.1 + own + 0.005 * rng.normal(size=len(frame))
    study = reportgen.compare(frame, better="smaller", name="seeds")
    found = study.result("inference")["loss"]
    wide = frame.pivot_table(index=["fold", "seed"], columns="candidate", values="loss")
    d = (wide["a"] - wide["b"]).unstack("seed").to_numpy()
    s_splits = d.mean(axis=1).var(ddof=1)
    rest = d - d.mean(axis=1, keepdims=True) - d.mean(axis=0) + d.mean()
    ms_rest, ms_seeds = (rest**2).sum() / 36, 5 * d.mean(axis=0).var(ddof=1)
    variance = 0.45 * s_splits + max(0.0, ms_seeds - ms_rest) / 50
    pair = found.new_data.pairs[0]
    assert pair.standard_error == pytest.approx(np.sqrt(variance), rel=1e-9)
    assert pair.n == 5
    assert pair.df >= 4
    reach = t.isf(0.025, pair.df) * pair.standard_error
    assert (pair.lower, pair.upper) == pytest.approx((d.mean() - reach, d.mean() + reach), rel=1e-9)
    assert not pair.significant
    assert found.n_blocks == 5  # the tests of these samples have five units, too
    assert (found.new_data.n_seeds, found.new_data.seeds_are) == (10, "crossed")
    assert found.new_data.components.seeds_to_halve is None
    study.save(tmp_path / "again.reportgen.zip")


# ----------------------------------------------------------------------------------- splitters


@pytest.mark.parametrize(
    ("cv", "n_splits", "expected"),
    [
        (5, None, {"scheme": "k-fold", "folds": 5}),
        (None, 5, {"scheme": "k-fold", "folds": 5}),
        (ms.KFold(7), 7, {"scheme": "k-fold", "folds": 7}),
        (ms.GroupKFold(3), None, {"scheme": "k-fold", "folds": 3}),
        (ms.StratifiedKFold(4), None, {"scheme": "k-fold", "folds": 4, "stratify": True}),
        (
            ms.RepeatedKFold(n_splits=10, n_repeats=10),
            100,
            {"scheme": "repeated-k-fold", "folds": 10, "repeats": 10},
        ),
        (
            ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=4),
            None,
            {"scheme": "repeated-k-fold", "folds": 3, "repeats": 4, "stratify": True},
        ),
        (
            ms.ShuffleSplit(20, train_size=0.5),
            None,
            {"scheme": "subsampling", "fraction": 0.5, "replications": 20},
        ),
        (
            ms.GroupShuffleSplit(8),
            None,
            {"scheme": "subsampling", "fraction": 0.8, "replications": 8},
        ),
        (ms.ShuffleSplit(20, test_size=30), None, None),
        (ms.LeaveOneOut(), 150, {"scheme": "k-fold", "folds": 150}),
        (ms.TimeSeriesSplit(4), 4, {"scheme": "time-series", "replications": 4}),
        (
            ms.TimeSeriesSplit(4, gap=1, test_size=2, max_train_size=9),
            None,
            {"scheme": "time-series", "replications": 4, "gap": 1, "test_size": 2, "window": 9},
        ),
        (ms.LeaveOneGroupOut(), 4, None),
        (ms.PredefinedSplit([-1, 0, 0]), 1, {"scheme": "hold-out"}),
        (ms.PredefinedSplit([0, 1, 1]), 2, None),
        (ms.KFold(7), 5, None),
        ([([0], [1])], 1, None),
    ],
)
def test_splitters(cv: Any, n_splits: int | None, expected: dict[str, Any] | None) -> None:
    assert resampling_of_splitter(cv, n_splits) == expected


def search(cv: Any) -> ms.GridSearchCV:
    rng = np.random.default_rng(1)
    grid = {"strategy": ["stratified", "uniform", "most_frequent"]}
    found = ms.GridSearchCV(DummyClassifier(random_state=1), grid, cv=cv)
    return found.fit(rng.normal(size=(60, 2)), rng.integers(0, 2, 60))


def test_the_splits_of_a_search_are_known() -> None:
    study = reportgen.compare(search(ms.RepeatedStratifiedKFold(n_splits=3, n_repeats=4)))
    found = next(iter(study.result("inference").values()))
    assert found.new_data.ratio == 0.5
    periods = reportgen.compare(search(ms.TimeSeriesSplit(6)))
    assert next(iter(periods.result("inference").values())).new_data.reason == "time-series"
    folds = ms.LeavePGroupsOut(1).split(np.zeros(60), groups=np.arange(60) % 5)
    unknown = reportgen.compare(search(list(folds)))
    assert next(iter(unknown.result("inference").values())).new_data.reason == "scheme-unknown"


def test_a_splitter_is_a_resampling() -> None:
    frame = table({"replication": range(12)})
    study = reportgen.compare(
        frame, better="smaller", resampling=ms.ShuffleSplit(12, test_size=0.5), n={"toy": 100}
    )
    assert study.result("inference")["loss"].new_data.ratio == 1.0
    with pytest.raises(StudyError, match="of which no scheme is known"):
        reportgen.compare(frame, better="smaller", resampling=ms.LeaveOneGroupOut())


def test_an_evaluation_takes_the_scheme_of_a_splitter() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    both = {"a": DummyClassifier(), "b": DummyClassifier(strategy="uniform")}
    study = reportgen.evaluate(both, X, y, resampling=ms.RepeatedKFold(n_splits=4, n_repeats=2))
    assert study.size.startswith("1 data set x 8 replications")
    found = study.result("inference")["misclassification"].new_data
    assert (found.ratio, found.has_losses) == (1 / 3, True)


@pytest.mark.parametrize("name", ["Resample", "iteration", "id", "split"])
def test_folds_by_what_the_cells_say(name: str) -> None:
    known = {"columns": {"replication": name}} if name == "id" else {}
    expected = {"scheme": "k-fold", "replications": 10, "folds": 10}
    folds = [f"Fold{i:02d}" for i in range(1, 11)]
    assert scheme(table({name: folds}), **known) == expected
    wide = table({name: folds}).pivot(index=name, columns="candidate", values="loss")
    for frame in (wide.rename_axis(columns=None), wide.rename_axis(index=None, columns=None)):
        found = read_results(object_table(frame, measure="loss"), measures=LOSS, wide=True)
        assert dict(found.resampling) == expected


def test_runs_of_a_partial_crossing_are_those_that_one_split_has(tmp_path: Path) -> None:
    """Not the different runs of all splits together, which are ten here."""
    rng = np.random.default_rng(8)
    frame = table({"fold": range(6), "seed": range(10)})
    frame = frame[(frame["fold"] + frame["seed"]) % 5 < 2].assign(loss=lambda f: rng.random(len(f)))
    study = reportgen.compare(frame, better="smaller", name="partial")
    found = study.result("inference")["loss"].new_data
    assert (found.n_seeds, found.seeds_are) == (4, "partial")
