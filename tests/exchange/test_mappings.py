"""Mappings of Python: each is read as its owner means it, held against pandas, or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ExchangeError
from reportgen.exchange.objects import object_table
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Warehouse

pytestmark = pytest.mark.usefixtures("blanks_as_figures")

KEYS = ["dataset", "candidate"]
LEARNERS, PLAIN = ("rf", "svm"), ("ours", "theirs")  # names that tell, and names that do not
GRID = pd.MultiIndex.from_product([("iris", "wine"), LEARNERS, (1, 2, 3)])
TIDY = GRID.to_frame(index=False, name=["dataset", "candidate", "fold"]).assign(
    accuracy=[0.71, 0.82, 0.69, 0.84, 0.73, 0.81, 0.62, 0.57, 0.64, 0.55, 0.61, 0.59],
    f1=[0.41, 0.52, 0.49, 0.54, 0.43, 0.51, 0.42, 0.37, 0.44, 0.35, 0.41, 0.39],
)
ONE = TIDY[TIDY["dataset"] == "iris"].drop(columns="dataset")


def read(results: Any, measure: str = "accuracy") -> Warehouse:
    """Read an object as `compare(results, measure=…)` does."""
    table = object_table(results, measure=measure)
    return read_results(table, measures=[] if table.wide_measure else [MeasureEntry(name=measure)])


def means(found: Warehouse, measure: str = "accuracy") -> dict[tuple[str, str], float]:
    """Return the means of data sets and candidates."""
    frame = found.frame[found.frame["measure"] == measure]
    own = frame.astype(dict.fromkeys(KEYS, str)).groupby(KEYS)["value"].mean()
    return {(str(d), str(k)): float(x) for (d, k), x in own.items()}


def expected(frame: pd.DataFrame, measure: str = "accuracy") -> dict[tuple[str, str], float]:
    """Return the same by pandas."""
    own = frame if "dataset" in frame else frame.assign(dataset="data")
    return {(str(d), str(k)): float(x) for (d, k), x in own.groupby(KEYS)[measure].mean().items()}


def nested(frame: pd.DataFrame, *keys: str, value: str = "accuracy") -> dict[Any, Any]:
    """Return mappings of keys, one in the other, to the value of a row."""
    groups = frame.groupby(keys[0], sort=False)
    if len(keys) == 1:
        return {key: own[value].iloc[0] for key, own in groups}
    return {key: nested(own, *keys[1:], value=value) for key, own in groups}


LONG = TIDY.melt([*KEYS, "fold"], var_name="measure", value_name="value")
NUMBERED = {
    "from 0": lambda fold: fold - 1,
    "from 1": lambda fold: fold,
    "as text": str,
    "fold0": "fold{}".format,
    "seed=1": "seed={}".format,
    "Run 1": "Run {}".format,
}


@pytest.mark.parametrize("names", NUMBERED)
@pytest.mark.parametrize("keys", [("candidate", "fold"), ("fold", "candidate")])
@pytest.mark.parametrize("to", [LEARNERS, PLAIN])
def test_names_of_replications_are_no_candidates(
    names: str, keys: tuple[str, ...], to: tuple[str, str]
) -> None:
    """As `frame.to_dict()` and `to_dict("index")` write a wide frame."""
    own = ONE.assign(candidate=ONE["candidate"].replace(dict(zip(LEARNERS, to, strict=True))))
    found = read(nested(own.assign(fold=own["fold"].map(NUMBERED[names])), *keys))
    assert means(found) == pytest.approx(expected(own))
    assert sorted(found.frame["replication"].unique()) in ([0, 1, 2], [1, 2, 3])
    assert found.datasets == ("data",)


def test_a_replication_that_a_candidate_has_not_is_missing() -> None:
    own = ONE[(ONE["candidate"] != "rf") | (ONE["fold"] != 2)]
    found = read(nested(own, "candidate", "fold")).performances("data", "accuracy")
    values = own.pivot(index="fold", columns="candidate", values="accuracy").to_numpy()
    assert np.array_equal(found.values, values, equal_nan=True)


@pytest.mark.parametrize(
    "keys",
    [
        ("dataset", "candidate", "fold"),
        ("fold", "dataset", "candidate"),
        ("dataset", "fold", "candidate"),
    ],
)
def test_replications_within_data_sets(keys: tuple[str, ...]) -> None:
    assert means(read(nested(TIDY, *keys))) == pytest.approx(expected(TIDY))


@pytest.mark.parametrize(
    "keys",
    [
        ("dataset", "candidate", "fold", "measure"),
        ("dataset", "candidate", "measure", "fold"),
        ("measure", "dataset", "candidate", "fold"),
    ],
)
@pytest.mark.parametrize("measure", ["accuracy", "f1"])
def test_measures_at_any_place(keys: tuple[str, ...], measure: str) -> None:
    table = object_table(nested(LONG, *keys, value="value"))
    assert means(read_results(table), measure) == pytest.approx(expected(TIDY, measure))


@pytest.mark.parametrize("values", ["one", "several"])
@pytest.mark.parametrize("by_dataset", [True, False])
def test_measures_of_candidates(values: str, *, by_dataset: bool) -> None:
    own = TIDY if by_dataset else ONE
    own = own if values == "several" else own[own["fold"] == 2]
    tables: dict[Any, Any] = {}
    for row in own.itertuples():
        outer = tables.setdefault(row.dataset, {}) if by_dataset else tables
        inner = outer.setdefault(row.candidate, {"accuracy": [], "f1": []})
        inner["accuracy"].append(row.accuracy)
        inner["f1"].append(row.f1)
    if values == "one":
        tables = _first_ones(tables)
    table = object_table(tables)
    for measure in ("accuracy", "f1"):
        assert means(read_results(table), measure) == pytest.approx(expected(own, measure))


def _first_ones(tables: dict[Any, Any]) -> dict[Any, Any]:
    """Return a number in place of each list of one."""
    return {k: _first_ones(x) if isinstance(x, dict) else x[0] for k, x in tables.items()}


COLUMNS: dict[str, Callable[[], Any]] = {
    "lists": lambda: TIDY.to_dict("list"),
    "arrays": lambda: {c: TIDY[c].to_numpy() for c in TIDY},
    "series": lambda: TIDY.to_dict("series"),
    "by row": lambda: TIDY.to_dict("index"),
    "by column": TIDY.to_dict,
    "split": lambda: TIDY.to_dict("split"),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_a_mapping_of_columns_is_a_table(form: str) -> None:
    found = read(COLUMNS[form]())
    assert means(found) == pytest.approx(expected(TIDY))
    assert len(found.frame) == len(TIDY)


@pytest.mark.parametrize("key", ["fold", "seed", "replication", "run id"])
@pytest.mark.parametrize("form", ["list", "dict", "index"])
def test_a_column_that_numbers_replications_is_no_candidate(key: str, form: str) -> None:
    wide = ONE.pivot(index="fold", columns="candidate", values="accuracy").rename_axis(columns=None)
    found = read(wide.rename_axis(key).reset_index().to_dict(form))
    assert found.candidates == LEARNERS
    assert means(found) == pytest.approx(expected(ONE))


def test_a_candidate_may_be_called_model_or_run() -> None:
    values = {"model": [0.71, 0.82, 0.69], "baseline": [0.62, 0.57, 0.64], "run": [0.5, 0.4, 0.6]}
    assert read(values).candidates == ("baseline", "model", "run")


def test_a_candidate_may_be_called_mean_where_it_has_several_values() -> None:
    found = read({d: {"mean": [0.7, 0.8], "median": [0.6, 0.7]} for d in ("iris", "wine")})
    assert found.candidates == ("mean", "median")


@pytest.mark.parametrize("labels", [["f0", "f1", "f2"], ["iris", "wine", "zoo"], [7, 8, 9]])
def test_series_in_another_order_are_aligned_by_their_labels(labels: list[Any]) -> None:
    wide = ONE.pivot(index="fold", columns="candidate", values="accuracy")
    wide.index = pd.Index(labels)
    found = read({"rf": wide["rf"], "svm": wide["svm"].iloc[::-1]})
    if labels[0] == "iris":  # as in a wide frame
        assert found.datasets == ("iris", "wine", "zoo")
        assert means(found) == pytest.approx(dict(wide.rename_axis("d").stack()))
        return
    assert np.array_equal(found.performances("data", "accuracy").values, wide.to_numpy())
    with pytest.raises(ExchangeError, match="'svm' with other names than those of the first"):
        read({"rf": wide["rf"], "svm": wide["svm"].set_axis([*labels[:2], "x"])})
    with pytest.raises(ExchangeError, match="with other names than those of the first"):
        read({"rf": wide["rf"], "svm": wide["svm"].iloc[::-1], "knn": [0.1, 0.2, 0.3]})


@pytest.mark.parametrize("stds", ["std", "sd"])
def test_means_with_their_spread(stds: str) -> None:
    described: dict[Any, Any] = {}
    for (dataset, candidate), own in TIDY.groupby(KEYS)["accuracy"]:
        words = {"mean": own.mean(), stds: own.std(), "count": len(own)}
        described.setdefault(dataset, {})[candidate] = words
    table = object_table(described, measure="accuracy")
    found = read_results(table, measures=[MeasureEntry(name="accuracy")])
    assert means(found) == pytest.approx(expected(TIDY))
    assert found.facts["iris"]["unit"] == "summary"


def test_statistics_around_measures() -> None:
    own = {"mean": {"acc": 0.75, "f1": 0.5}, "std": {"acc": 0.1, "f1": 0.2}}
    found = read_results(object_table({"rf": own, "svm": own}))
    assert means(found) == {("data", "rf"): 0.75, ("data", "svm"): 0.75}
    assert means(found, "f1") == {("data", "rf"): 0.5, ("data", "svm"): 0.5}


@pytest.mark.parametrize("keys", [("candidate",), ("dataset", "candidate"), ("candidate", "fold")])
def test_measures_beside_notes_are_records(keys: tuple[str, ...]) -> None:
    own = TIDY[(TIDY["dataset"] == "iris") | ("dataset" in keys)]
    own = own if "fold" in keys else own[own["fold"] == 1]
    records: dict[Any, Any] = {}
    for row in own.to_dict("records"):
        place = records
        for key in keys[:-1]:
            place = place.setdefault(row[key], {})
        place[row[keys[-1]]] = {"accuracy": row["accuracy"], "f1": row["f1"], "note": "x", "lr": 3}
    found = read(records)
    assert means(found) == pytest.approx(expected(own[[*{*keys, "candidate"}, "accuracy"]]))


TOLD: dict[str, tuple[Any, str]] = {
    "data sets inside": (
        nested(TIDY[TIDY["fold"] == 1], "candidate", "dataset"),
        "with names of candidates, and the candidates iris, wine; allowed a mapping of data sets",
    ),
    "data sets inside, by their names": (
        {k: {"iris": 0.7, "MNIST": 0.8} for k in ("tuned", "theirs")},
        "candidates iris, MNIST, with names of data sets; allowed a mapping of data sets",
    ),
    "samples": ({k: {"train": 0.9, "test": 0.8} for k in PLAIN}, "several samples: train, test"),
    "samples outside": ({k: {"rf": 0.9} for k in ("val", "test")}, "several samples: val, test"),
    "seeds outside": ({k: {"rf": 0.7, "svm": 0.8} for k in (42, 43)}, "42, 43, which are numbers"),
    "limits": ({"rf": {"mean": 0.7, "ci_low": 0.6, "ci_high": 0.8}}, "a description of values"),
    "data sets inside, with measures": (
        nested(LONG[LONG["fold"] == 1], "candidate", "dataset", "measure", value="value"),
        r"with names of candidates.*\{dataset: \{candidate: \{measure: …\}\}\}",
    ),
    "replications alone": ({"fold1": [0.7, 0.8], "fold2": [0.6, 0.9]}, "no names of candidates"),
    "measures alone": ({"acc": [0.7, 0.8], "f1": [0.6, 0.9]}, "no names of candidates"),
    "measures of replications": ({1: {"acc": 0.7}, 2: {"acc": 0.8}}, "no names of candidates"),
    "a description": ({"mean": 0.7, "std": 0.1}, "no names of candidates"),
    "a description without a spread": (
        {"rf": {"mean": 0.7, "max": 0.8}, "svm": {"mean": 0.6, "max": 0.9}},
        "mean, max, a description of values; allowed the values",
    ),
    "seeds alone": ({"rf": {42: 0.7, 43: 0.8}}, "42, 43, which are numbers; allowed .*'seed 42'"),
    "two numbers": ({0: {0: 0.7}, 1: {0: 0.7}}, "two levels of replications"),
    "folds of several values": ({"rf": {"fold1": [0.7, 0.8]}}, "several values below"),
    "other measures": ({"rf": {"acc": [0.7], "zeal": [3]}}, "acc, which are measures, beside zeal"),
    "four levels": ({"a": {"b": {"c": {"d": 0.1}}}}, "mappings of 4 levels"),
    "two kinds": ({"rf": {"iris": 0.7}, "svm": 0.8}, "two kinds"),
    "columns of two lengths": ({"fold": [1, 2], "rf": [0.7]}, "2 of fold, 1 of rf"),
}


@pytest.mark.parametrize("case", TOLD)
def test_what_names_do_not_tell_is_asked(case: str) -> None:
    results, message = TOLD[case]
    with pytest.raises(ExchangeError, match=message):
        read(results)


def by_candidate(frame: pd.DataFrame, *columns: str) -> dict[str, pd.DataFrame]:
    """Return a frame a candidate, of some columns."""
    return {str(k): own[[*columns]].reset_index(drop=True) for k, own in frame.groupby("candidate")}


@pytest.mark.parametrize("rows", ["counted", "column", "index", "text", "other order"])
@pytest.mark.parametrize("to", [LEARNERS, PLAIN])
def test_frames_of_measures_are_of_candidates(rows: str, to: tuple[str, str]) -> None:
    own = ONE.assign(candidate=ONE["candidate"].replace(dict(zip(LEARNERS, to, strict=True))))
    frames = by_candidate(own, "fold", "accuracy", "f1")
    if rows != "column":
        frames = {k: x.set_index("fold") for k, x in frames.items()}
    if rows == "counted":
        frames = {k: x.reset_index(drop=True) for k, x in frames.items()}
    if rows in ("text", "other order"):
        frames = {k: x.set_axis(["fold1", "fold2", "fold3"]) for k, x in frames.items()}
    if rows == "other order":
        frames[to[1]] = frames[to[1]].iloc[::-1]
    found = read_results(object_table(frames))
    for measure in ("accuracy", "f1"):
        assert means(found, measure) == pytest.approx(expected(own, measure))
    wide = own.pivot(index="fold", columns="candidate", values="accuracy").to_numpy()
    assert np.array_equal(found.performances("data", "accuracy").values, wide)


def test_frames_of_the_users_measure_are_of_candidates() -> None:
    own = ONE.rename(columns={"accuracy": "zeal"})
    table = object_table(by_candidate(own, "zeal"), measure="zeal")
    found = read_results(table, measures=[MeasureEntry(name="zeal", better="larger")])
    assert means(found, "zeal") == pytest.approx(expected(own, "zeal"))


@pytest.mark.parametrize("form", ["column", "text"])
def test_frames_of_candidates_with_data_sets(form: str) -> None:
    own = TIDY[TIDY["fold"] == 2]
    frames = by_candidate(own, "dataset", "accuracy")
    if form == "text":
        frames = {k: x.set_index("dataset").rename_axis(None) for k, x in frames.items()}
    assert means(read(frames)) == pytest.approx(expected(own))


@pytest.mark.parametrize("name", [None, "acc", "accuracy"])
def test_a_series_of_texts_is_one_of_candidates(name: str | None) -> None:
    found = read(pd.Series({"ours": 0.7, "theirs": 0.8}, name=name), name or "accuracy")
    assert means(found) == {("data", "ours"): 0.7, ("data", "theirs"): 0.8}


FRAMES = {
    "data sets in columns": (
        {k: pd.DataFrame({"iris": [0.7, 0.8], "wine": [0.7, 0.8]}) for k in LEARNERS},
        "with names of candidates, and the candidates iris, wine",
    ),
    "other columns": (
        {k: pd.DataFrame({"acc": [0.7, 0.8], "zeal": [7, 8]}) for k in PLAIN},
        "acc, which are measures, beside zeal",
    ),
    "other rows": (
        {"rf": pd.DataFrame({"acc": [0.7, 0.8]}), "svm": pd.DataFrame({"acc": [0.7, 0.8]}, [1, 2])},
        "'svm' with other names than those of the first",
    ),
    "other numbers of rows": (
        {"rf": pd.DataFrame({"acc": [0.7, 0.8]}), "svm": pd.DataFrame({"acc": [0.7]})},
        "2 of rf, 1 of svm",
    ),
}


@pytest.mark.parametrize("case", FRAMES)
def test_what_frames_do_not_tell_is_asked(case: str) -> None:
    results, message = FRAMES[case]
    with pytest.raises(ExchangeError, match=message):
        read(results)


PAIRS: dict[str, tuple[Any, str]] = {
    "queries inside": (
        {k: {f"q{i}": 0.1 * i for i in range(1, 6)} for k in ("bm25", "dpr")},
        "candidates q1, q2, q3, q4, q5, with names of data sets",
    ),
    "means and spreads": (
        {"svm": (0.95, 0.02), "rf": (0.94, 0.01)},
        "may be a mean and its spread",
    ),
    "the measure's column": (
        pd.DataFrame({"group": ["A", "B"] * 3, "ndcg": [0.1, 0.2, 0.3, 0.2, 0.1, 0.2]}),
        r"columns=\{'candidate': 'group'\} says what names the candidates",
    ),
    "gains": (
        pd.DataFrame({"dataset": ["a", "b", "c"], "old": [5.0, 4, 6], "gain (%)": [1, 2.1, 8.3]}),
        r"the column gain \(%\), which may be a candidate or not",
    ),
    "several measures a data set": (
        pd.DataFrame(
            {"dataset": ["a", "a", "b", "b"], "metric": ["mae", "rmse"] * 2}
            | {"rf": [1.0, 2.1, 1.3, 2.2], "svm": [1.1, 2.3, 1.2, 2.6]}
        ),
        r"several rows of a data set, which metric \(mae, rmse\) tells apart",
    ),
}


@pytest.mark.parametrize("case", PAIRS)
def test_ordinary_objects_are_asked_about(case: str) -> None:
    results, message = PAIRS[case]
    with pytest.raises(ExchangeError, match=message):
        reportgen.compare(results, measure="ndcg")


def test_whole_numbers_of_persons_are_no_candidate() -> None:
    ratings = pd.DataFrame({"respondent": range(1, 9), "A": [1, 4, 3, 5, 2, 4, 5, 1]})
    study = reportgen.compare(ratings.assign(B=5), measure="rating", better="larger")
    assert study.candidates == ("A", "B")
