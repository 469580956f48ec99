"""Tables of predictions: performances and the losses of observations, for the rule of new data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid

import reportgen
from reportgen.errors import ExchangeError
from reportgen.exchange.importing import Reading, import_results
from reportgen.exchange.tidy import read_results
from reportgen.transfer import import_files

SAME = 1e-12  # one sum in another order
N = 90
COLUMNS = ("learner", "fold", "row_ids", "truth", "response")
MODELS = {"centroid": NearestCentroid(), "knn": KNeighborsClassifier(1)}
CLAIM = "centroid better than knn"


def drawn() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(N, 2))
    return x, np.where(x[:, 0] + rng.normal(size=N) > 0, "yes", "no")


def predictions(cv: KFold | RepeatedKFold | ShuffleSplit, first: int = 1) -> pd.DataFrame:
    """Return a row a prediction: learner, split, observation, truth and response."""

    def rows() -> Iterator[tuple[str, int, int, str, str]]:
        x, y = drawn()
        for b, (learn, test) in enumerate(cv.split(x)):
            for name, model in MODELS.items():
                said = model.fit(x[learn], y[learn]).predict(x[test])
                for i, response in zip(test, said, strict=True):
                    yield name, b + 1, int(i) + first, str(y[i]), str(response)

    return pd.DataFrame(list(rows()), columns=list(COLUMNS))


def errors(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Return the share of errors by another column and learner."""
    wrong = table.assign(wrong=table["truth"] != table["response"])
    return wrong.pivot_table(index=by, columns="learner", values="wrong", aggfunc="mean")


def written(table: pd.DataFrame, path: Path) -> Path:
    table.to_csv(path, index=False)
    return path


def write_rows(folder: Path, *rows: str) -> Path:
    path = folder / "toy.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_one_cross_validation_has_twice_the_variance_of_a_mean_of_losses(tmp_path: Path) -> None:
    """Rule ND by hand: V = 2 var(z) / N on N - 1 degrees of freedom."""
    table = predictions(KFold(10, shuffle=True, random_state=1))
    study = reportgen.compare(written(table, tmp_path / "toy.csv"))
    assert (study.measures, study.datasets) == (("misclassification",), ("toy",))
    found = study.result("inference")["misclassification"]
    x = errors(table, "fold")
    z = errors(table, "row_ids")
    pair = found.pairs.between("centroid", "knn")
    assert pair.estimate == pytest.approx((x["centroid"] - x["knn"]).mean(), abs=SAME)
    variance = 2 * (z["centroid"] - z["knn"]).astype(float).var() / N
    assert pair.standard_error == pytest.approx(variance**0.5, rel=SAME)
    half = t.isf(0.025, N - 1) * variance**0.5
    assert (pair.lower, pair.upper) == pytest.approx((pair.estimate - half, pair.estimate + half))
    assert (found.deciding_target, found.new_data.n_observations) == ("new-data", N)
    (contrast,) = study.gate(CLAIM)[0].contrasts
    assert (contrast.lower, contrast.upper) == pytest.approx((pair.lower, pair.upper), abs=SAME)


def test_repeats_test_each_observation_several_times(tmp_path: Path) -> None:
    table = predictions(RepeatedKFold(n_splits=5, n_repeats=4, random_state=1))
    split = table["fold"] - 1
    told = table.assign(fold=split % 5 + 1, repeat=split // 5 + 1)
    study = reportgen.compare(written(told, tmp_path / "toy.csv"))
    found = study.result("inference")["misclassification"]
    x, z = errors(table, "fold"), errors(table, "row_ids")
    d, z = x["centroid"] - x["knn"], z["centroid"] - z["knn"]
    variance = min(d.var() * max(1 / 20 + 0.25, 0.4), 3 * z.astype(float).var() / N)
    assert found.pairs[0].standard_error ** 2 == pytest.approx(variance, rel=SAME)
    assert found.pairs[0].df == 19


def test_a_fixed_test_sample_is_compared_by_its_observations(tmp_path: Path) -> None:
    """Four learning samples, the same 30 observations tested after each."""
    x, y = drawn()
    rng = np.random.default_rng(2)
    rows = []
    for b in range(4):
        learn = rng.integers(0, 60, 60)
        for name, model in MODELS.items():
            said = model.fit(x[learn], y[learn]).predict(x[60:])
            rows += [(name, b + 1, i, y[i], s) for i, s in zip(range(60, N), said, strict=True)]
    table = pd.DataFrame(rows, columns=[*COLUMNS[:1], "replication", *COLUMNS[2:]])
    scheme = {"scheme": "bootstrap", "assessment": "fixed"}
    study = reportgen.compare(
        written(table, tmp_path / "toy.csv"), resampling=scheme, problem="competition"
    )
    found = study.result("inference")["misclassification"]
    assert (found.method, found.deciding_target) == ("observations", "new-data")
    z = errors(table, "row_ids")
    assert found.pairs[0].n == 30
    assert found.pairs[0].standard_error == pytest.approx(
        ((z["centroid"] - z["knn"]).astype(float).var() / 30) ** 0.5, rel=SAME
    )


def test_names_of_observations_are_the_same_in_all_files(tmp_path: Path) -> None:
    table = predictions(KFold(10, shuffle=True, random_state=1))
    named = table.assign(row_ids=[f"row {i}" for i in table["row_ids"]])
    paths = []
    for name in MODELS:
        (tmp_path / name).mkdir()
        paths.append(written(named[named["learner"] == name], tmp_path / name / "toy.csv"))
    both = import_results(paths, Reading()).losses_of("toy", "misclassification")
    whole = read_results(written(table, tmp_path / "toy.csv")).losses_of("toy", "misclassification")
    assert both is not None
    assert whole is not None
    for one, other in zip(both, whole, strict=True):
        assert sorted(map(tuple, one.tolist())) == sorted(map(tuple, other.tolist()))


def test_numbers_are_judged_by_squares_and_distances(tmp_path: Path) -> None:
    header = "model,fold,rowIndex,obs,pred"
    rows = ["a,1,1,1.5,1.0", "b,1,1,1.5,2.5", "a,2,2,0.5,0.25", "b,2,2,0.5,0.5"]
    warehouse = read_results(write_rows(tmp_path, header, *rows))
    assert [m.name for m in warehouse.measures] == ["mse", "mae"]
    (name,) = warehouse.datasets
    assert warehouse.performances(name, "mse").values.tolist() == [[0.25, 1.0], [0.0625, 0.0]]
    losses = warehouse.losses_of(name, "mae")
    assert losses is not None
    assert losses[0].tolist() == [[0.5, 1.0], [0.25, 0.0]]
    assert losses[1].tolist() == [[1, 1], [1, 1]]


def test_seeds_of_one_fold_are_no_tests_of_their_own(tmp_path: Path) -> None:
    table = predictions(KFold(5, shuffle=True, random_state=1))
    seeded = pd.concat([table.assign(seed=s) for s in (1, 2, 3)])
    warehouse = read_results(written(seeded, tmp_path / "toy.csv"))
    assert warehouse.losses_of("toy", "misclassification") is None
    assert len(warehouse.performances("toy", "misclassification").values) == 5


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        (("a,1,1,x,x", "a,1,1,x,y"), "row 3.*second prediction of an observation.*allowed one"),
        (("a,1,1,x,x", "a,1,2,,y"), "row 3.*truth"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, rows: tuple[str, ...], error: str) -> None:
    path = write_rows(tmp_path, "model,fold,observation,truth,prediction", *rows)
    with pytest.raises(ExchangeError, match=error):
        read_results(path)


def test_folds_and_n_tell_the_number_of_observations() -> None:
    values = np.random.default_rng(1).normal([0.3, 0.32], 0.02, size=(10, 2))
    folds = {"scheme": "k-fold", "folds": 10}
    found = [
        reportgen.compare(
            values, measure="misclassification", candidates=["a", "b"], resampling=folds, **more
        ).result("inference")["misclassification"]
        for more in ({}, {"n": {"data": 200}})
    ]
    assert [own.new_data.n_observations for own in found] == [None, 200]
    assert [own.pairs[0].n_deciding is None for own in found] == [True, False]
    assert (found[0].pairs[0].lower, found[0].pairs[0].upper) == pytest.approx(
        (found[1].pairs[0].lower, found[1].pairs[0].upper)
    )


HEADER = "model,fold,observation,truth,prediction"


def four(*last: str, truth: tuple[str, str] = ("x", "y")) -> list[str]:
    """Return the rows of two candidates on two folds of two observations."""
    return [
        f"{model},{fold},{2 * fold + i},{truth[i]},{said}"
        for model, answers in (("a", truth * 2), ("b", (*truth, *last)))
        for (fold, i), said in zip(((1, 0), (1, 1), (2, 0), (2, 1)), answers, strict=True)
    ]


@pytest.mark.parametrize("missing", ["NA", "", "nan", " None "])
@pytest.mark.parametrize("truth", [("x", "y"), ("1.5", "2.5")])
def test_a_missing_prediction_is_a_failed_fit(
    tmp_path: Path, missing: str, truth: tuple[str, str]
) -> None:
    """The fold has no performance, and its other prediction counts among no losses."""
    path = write_rows(tmp_path, HEADER, *four(missing, truth[1], truth=truth))
    warehouse = read_results(path)
    measure = warehouse.measures[0].name
    values = warehouse.performances("toy", measure).values
    np.testing.assert_array_equal(values, [[0, 0], [0, np.nan]])
    (failed,) = warehouse.failures.itertuples(index=False)
    assert (failed.replication, failed.candidate, failed.stage) == (2, "b", "predict")
    assert failed.message == "no prediction of 1 of 2 observations"
    losses = warehouse.losses_of("toy", measure)
    assert losses is not None
    assert losses[1].tolist() == [[1, 1], [1, 1], [1, 0], [1, 0]]


def test_whole_numbers_written_as_fractions_are_the_same_classes(tmp_path: Path) -> None:
    """As pandas writes a column of 0 and 1 that has a gap."""
    path = write_rows(tmp_path, HEADER, *four("", "0.0", truth=("0", "1")))
    warehouse = read_results(path)
    values = warehouse.performances("toy", "misclassification").values
    np.testing.assert_array_equal(values, [[0, 0], [0, np.nan]])
    whole = write_rows(tmp_path, HEADER, *four("1.0", "1.0", truth=("0", "1")))
    values = read_results(whole).performances("toy", "misclassification").values
    assert values.tolist() == [[0, 0], [0, 0.5]]


def test_a_class_may_be_called_na(tmp_path: Path) -> None:
    path = write_rows(tmp_path, HEADER, *four("NA", "NA", truth=("NA", "y")))
    warehouse = read_results(path)
    values = warehouse.performances("toy", "misclassification").values
    assert values.tolist() == [[0, 0], [0, 0.5]]
    assert not len(warehouse.failures)


def test_a_missing_true_value_is_told(tmp_path: Path) -> None:
    path = write_rows(tmp_path, HEADER, "a,1,1,0.5,1.5", "a,1,2,NA,2.5")
    with pytest.raises(ExchangeError, match="row 3, column truth: found no number"):
        read_results(path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folds", "repeats", "declared"])
def test_an_imported_file_is_judged_as_the_table_itself(tmp_path: Path, kind: str) -> None:
    """Losses and the scheme go along into the one file that an import writes."""
    table = predictions(KFold(10, shuffle=True, random_state=1))
    if kind == "repeats":
        split = predictions(RepeatedKFold(n_splits=5, n_repeats=2, random_state=1))
        at = split["fold"] - 1
        table = split.assign(fold=at % 5 + 1, repeat=at // 5 + 1)
    source, file = written(table, tmp_path / "toy.csv"), tmp_path / "file" / "toy.parquet"
    import_files([source], file, Reading())
    more = {"resampling": {"scheme": "k-fold", "folds": 10}} if kind == "declared" else {}
    one, other = (
        reportgen.compare(path, **more).result("inference")["misclassification"]
        for path in (source, file)
    )
    assert one.deciding_target == other.deciding_target == "new-data"
    assert one.new_data == other.new_data
    assert one.pairs == other.pairs


def test_files_that_disagree_on_a_scheme_have_none(tmp_path: Path) -> None:
    files = []
    for name, folds in (("many", {"x": 10, "y": 5}), ("few", {"x": 5})):
        rows = [
            f"{name}-{k},{d},{fold},{0.01 * fold + 0.1 * k:.2f}"
            for d, n in folds.items()
            for fold in range(1, n + 1)
            for k in (1, 2)
        ]
        file = tmp_path / f"{name}.csv"
        file.write_text("\n".join(["candidate,dataset,fold,error", *rows, ""]), encoding="utf-8")
        files.append(file)
    together = tmp_path / "both.parquet"
    import_files(files, together, Reading())
    found = read_results(together)
    assert found.resampling_of("x") == {}
    assert found.resampling_of("y")["folds"] == 5


def test_several_imported_files_keep_the_scheme(tmp_path: Path) -> None:
    table = predictions(KFold(10, shuffle=True, random_state=1))
    paths = []
    for name in MODELS:
        (tmp_path / name).mkdir()
        paths.append(written(table[table["learner"] == name], tmp_path / name / "toy.csv"))
    import_files(paths, tmp_path / "both.parquet", Reading())
    found = reportgen.compare(tmp_path / "both.parquet").result("inference")["misclassification"]
    whole = reportgen.compare(written(table, tmp_path / "toy.csv"))
    assert found.deciding_target == "new-data"
    own = whole.result("inference")["misclassification"].pairs[0]
    assert (found.pairs[0].lower, found.pairs[0].upper) == (own.lower, own.upper)
