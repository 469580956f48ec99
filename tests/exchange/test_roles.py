"""What each column of a table is: the same for files, frames and mappings of every shape."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange.objects import object_table
from reportgen.exchange.roles import find_roles, is_summary_name
from reportgen.exchange.summary_rows import means_of_others
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry
from reportgen.warehouse import Warehouse
from tests.exchange.forms import in_turn

ACCURACY = MeasureEntry(name="accuracy")
N_SETS = 7
Reader = Callable[..., Warehouse]


def _csv(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "table.csv"
    frame.to_csv(path, index=False)
    return path


def _parquet(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "table.parquet"
    frame.to_parquet(path, index=False)
    return path


def _json(frame: pd.DataFrame, folder: Path) -> Path:
    path = folder / "table.json"
    path.write_text(frame.to_json(orient="records"))
    return path


def _frame(frame: pd.DataFrame, _: Path) -> Any:
    return object_table(frame, measure="accuracy")


FORMS = (_csv, _parquet, _json, _frame)


@pytest.fixture(params=FORMS)
def read(request: pytest.FixtureRequest, tmp_path: Path) -> Reader:
    """Read a frame by way of a file, or as it is."""

    def read(frame: pd.DataFrame, *, wide: bool = False, **columns: Any) -> Warehouse:
        source = request.param(frame, tmp_path)
        return read_results(
            source, columns=columns, measures=(ACCURACY,) if wide else (), wide=wide
        )

    return read


@pytest.fixture
def wide() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"dataset": [f"set {m}" for m in range(N_SETS)]})
    return frame.assign(**{name: rng.uniform(0.6, 0.9, N_SETS).round(3) for name in "abc"})


@pytest.fixture
def tidy(wide: pd.DataFrame) -> pd.DataFrame:
    parts = [
        wide.melt("dataset", var_name="candidate", value_name="accuracy").assign(fold=fold)
        for fold in (1, 2)
    ]
    return pd.concat(parts, ignore_index=True)


def _left_out(warehouse: Warehouse, kind: str = "left-out-column") -> list[str]:
    rows = warehouse.remarks[warehouse.remarks["name"] == kind]
    return rows["value"].tolist()


BESIDE_CANDIDATES: dict[str, Any] = {
    "#classes": [2, 3, 2, 10, 5, 2, 2],
    "Params (B)": [0.7, 0.72, 0.8, 0.9, 0.61, 0.75, 0.8],
    "time_min": [0.2, 0.1, 0.9, 11.2, 0.4, 3.7, 0.1],
    "Average ⬆️": lambda t: t[["a", "b", "c"]].mean(axis=1).round(3),
    "Seeds": 5,
    "p": [0.001, 0.8, 0.04, 0.3, 0.02, 0.0, 0.9],
    "Unnamed: 0": np.arange(N_SETS),
    "number of rows": 1 + np.arange(N_SETS)[::-1],
    "n_samples": [214, 215, 100, 498, 90, 1000, 31],
    "people": [214, 215, 100, 498, 90, 1000, 31],
    "n": [214, 215, 100, 498, 90, 1000, 31],
    "Rank": [1.5, 2, 2.5, 1, 3, 3, 2],
    "p-value": [0.7, 0.8, 0.04, 0.3, 0.2, 0.6, 0.9],
    "timestamp": 1.7e9 + 11.5 * np.arange(N_SETS),
    "lr": 0.001,
    "Average": lambda t: t[["a", "b", "c"]].mean(axis=1).round(3),
    "total": lambda t: t[["a", "b", "c"]].sum(axis=1),
    "best": lambda t: t[["a", "b", "c"]].max(axis=1),
    "wins": [3, 0, 2, 1, 1, 0, 2],
    "note": list("uvwxyzz"),
}


@pytest.mark.parametrize(("name", "read"), in_turn(BESIDE_CANDIDATES, FORMS), indirect=["read"])
def test_columns_beside_those_of_candidates_are_left_out(
    name: str, wide: pd.DataFrame, read: Reader
) -> None:
    cells = BESIDE_CANDIDATES[name]
    found = read(wide.assign(**{name: cells(wide) if callable(cells) else cells}), wide=True)
    plain = read(wide, wide=True)
    assert found.candidates == ("a", "b", "c")
    assert _left_out(found)[0].startswith(name)
    pd.testing.assert_frame_equal(found.frame, plain.frame)


@pytest.mark.parametrize(
    ("of", "read"),
    in_turn(["LR", "CI", "SE", "SD", "STEP", "DIM", "DB", "RADIUS", "YEAR", "Id"], FORMS),
    indirect=["read"],
)
def test_a_name_alone_is_no_reason_to_leave_out_a_candidate(
    of: str, wide: pd.DataFrame, read: Reader
) -> None:
    found = read(wide.rename(columns={"a": of}), wide=True)
    assert set(found.candidates) == {of, "b", "c"}
    assert _left_out(found) == []
    plain = read(wide, wide=True).frame["value"].to_numpy()
    assert found.frame["value"].to_numpy() == pytest.approx(plain)
    narrow = wide[["dataset", "b"]].assign(**{of: wide["a"]}, n_samples=100 + np.arange(N_SETS))
    assert set(read(narrow, wide=True).candidates) == {of, "b"}


def test_candidates_may_all_have_names_of_something_else(wide: pd.DataFrame, read: Reader) -> None:
    names = {"a": "CI", "b": "SE", "c": "STEP"}
    assert set(read(wide.rename(columns=names), wide=True).candidates) == set(names.values())


@pytest.mark.parametrize(
    ("name", "cells", "read"),
    in_turn(
        [
            ("average", np.linspace(0.7, 0.8, N_SETS)),
            ("best", 0.9 + np.linspace(0, 0.05, N_SETS)),
            ("p-value", np.linspace(0.6, 0.8, N_SETS)),
            ("LR", 1),
            ("LR", np.linspace(0.1, 0.2, N_SETS)),
            ("rank", 1),
        ],
        FORMS,
    ),
    indirect=["read"],
)
def test_a_column_that_may_be_a_candidate_is_asked_for(
    name: str, cells: Any, wide: pd.DataFrame, read: Reader
) -> None:
    doubtful = wide.assign(**{name: cells})
    with pytest.raises(ExchangeError) as told:
        read(doubtful, wide=True)
    assert f"found the column {name}, which may be a candidate or not" in str(told.value)
    said, names = str(told.value), ["a", "b", "c", name]
    in_python = f"allowed columns={{'ignore': {name!r}}} where it is none"
    if in_python in said:
        assert f"columns={{'candidate': {names!r}}}" in said
        assert "manifest" not in said
    else:
        assert f"allowed `columns: {{ignore: {name}}}` where it is none" in said
        assert f"`columns: {{candidate: [{', '.join(names)}]}}` below `results`" in said
    assert read(doubtful, wide=True, ignore=name).candidates == ("a", "b", "c")
    named = read(doubtful, wide=True, candidate=["a", "b", "c", name])
    assert named.candidates == ("a", "b", "c", name)


def test_the_first_of_a_table_may_be_logistic_regression() -> None:
    rng = np.random.default_rng(0)
    means = {"LR": 0.95, "SVM": 0.9, "RF": 0.8}
    cells = {name: mean + rng.normal(0, 0.005, 8) for name, mean in means.items()}
    frame = pd.DataFrame({"dataset": list("abcdefgh"), **cells})
    values = reportgen.compare(frame, measure="accuracy").performances
    assert values.groupby("candidate", observed=True)["value"].mean().idxmax() == "LR"


@pytest.mark.parametrize("value", [1000, 1e6])
def test_a_candidate_that_diverged_stays_and_is_told(value: float, wide: pd.DataFrame) -> None:
    table = object_table(wide.assign(net=value), measure="mse")
    found = read_results(table)
    assert found.candidates == ("a", "b", "c", "net")
    assert _left_out(found, "odd-constant") == ["mse of net"]


def test_a_mean_of_the_candidates_is_left_out_and_a_candidate_of_that_name_is_not(
    wide: pd.DataFrame, read: Reader
) -> None:
    mean = wide[["a", "b", "c"]].mean(axis=1)
    assert read(wide.assign(mean=mean.round(3)), wide=True).candidates == ("a", "b", "c")
    assert read(wide.assign(mean=mean - 0.1), wide=True).candidates == ("a", "b", "c", "mean")


def test_candidates_of_one_scale_stay_candidates(wide: pd.DataFrame, read: Reader) -> None:
    odd = wide.assign(always=1, never=0, far=wide["a"] / 100)
    assert read(odd, wide=True).candidates == ("a", "b", "c", "always", "never", "far")


def test_what_the_user_names_comes_before_every_guess(wide: pd.DataFrame, read: Reader) -> None:
    odd = wide.assign(rank=wide["a"] / 2, n_samples=wide["c"] / 3)
    named = read(odd, wide=True, candidate=["a", "rank", "n_samples"])
    assert named.candidates == ("a", "rank", "n_samples")
    more = odd.assign(rank=[1, 2, 3, 2, 1, 3, 2], n_samples=100 + np.arange(N_SETS) ** 2)
    assert read(more, wide=True, ignore=["b"]).candidates == ("a", "c")
    assert read(more, wide=True, ignore="b").candidates == ("a", "c")
    with pytest.raises(ExchangeError, match=r"no column 'd' for ignore; allowed .*dataset, a, b"):
        read(odd, wide=True, ignore=["d"])
    with pytest.raises(ExchangeError, match="no column 'd' for a candidate"):
        read(odd, wide=True, candidate=["a", "d"])


BESIDE_MEASURES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "Unnamed: 0": lambda t: np.arange(len(t)),
    "counter": lambda t: np.random.default_rng(1).permutation(len(t)),
    "zeal": lambda t: 5,
    "people": lambda t: t["dataset"].map(lambda name: 100 + 37 * int(name[4:]) ** 2),
    "knob": lambda t: t["candidate"].map({"a": 0.1, "b": 0.01, "c": 0.5}),
    "lr": lambda t: np.linspace(0.1, 0.9, len(t)),
    "epochs": lambda t: 3 + np.arange(len(t)) % 5,
    "job_id": lambda t: 7919 * np.arange(len(t)),
    "timestamp": lambda t: 1.7e9 + 11.5 * np.arange(len(t)),
    "_step": lambda t: 99 + np.arange(len(t)) % 2,
    "date": lambda t: "2026-01-02",
    "empty": lambda t: np.nan,
    "params.depth": lambda t: np.arange(len(t)) % 7,
}


@pytest.mark.parametrize(("name", "read"), in_turn(BESIDE_MEASURES, FORMS), indirect=["read"])
def test_columns_that_are_no_measures_are_left_out(
    name: str, tidy: pd.DataFrame, read: Reader
) -> None:
    found = read(tidy.assign(**{name: BESIDE_MEASURES[name](tidy)}))
    assert [m.name for m in found.measures] == ["accuracy"]
    pd.testing.assert_frame_equal(found.frame, read(tidy).frame)


def test_what_may_be_a_measure_is_asked_for(tidy: pd.DataFrame, read: Reader) -> None:
    values = np.random.default_rng(1).random(len(tidy))
    with pytest.raises(ExchangeError, match="the measure 'zeal' of unknown direction"):
        read(tidy.assign(zeal=values))


def test_a_column_left_out_is_a_measure_where_it_is_named(tmp_path: Path) -> None:
    table = pd.DataFrame({"model": list("ab"), "lr": [0.1, 0.2], "acc": [0.5, 0.6]})
    entry = MeasureEntry(name="lr", better="smaller")
    found = read_results(_csv(table, tmp_path), measures=(entry,))
    assert [m.name for m in found.measures] == ["lr"]


def test_the_only_numbers_are_not_left_out_by_their_values(tmp_path: Path) -> None:
    table = pd.DataFrame({"model": list("abc"), "zeal": [1, 2, 3]})
    with pytest.raises(ExchangeError, match="'zeal' of unknown direction"):
        read_results(_csv(table, tmp_path))


def test_an_exact_name_comes_before_an_alias(tidy: pd.DataFrame, read: Reader) -> None:
    found = read(tidy.assign(method=tidy["candidate"].str.upper()))
    assert found.candidates == ("a", "b", "c")


def test_a_column_without_a_name_names_the_data_sets_of_a_wide_table(
    wide: pd.DataFrame, tmp_path: Path
) -> None:
    named = wide.set_index("dataset").rename_axis(None)
    path = tmp_path / "table.csv"
    named.to_csv(path)
    expected = read_results(_csv(wide, tmp_path / ".."), measures=(ACCURACY,), wide=True)
    for source in (path, object_table(named, measure="accuracy"), object_table(pd.read_csv(path))):
        found = read_results(source, measures=(ACCURACY,), wide=True)
        pd.testing.assert_frame_equal(found.frame, expected.frame)
    numbered = wide.drop(columns="dataset")
    numbered.to_csv(path)
    with pytest.raises(ExchangeError, match="found no column of data sets among a, b, c"):
        read_results(path, measures=(ACCURACY,), wide=True)


# ------------------------------------------------------------------------------ rows


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *((name, True) for name in ("Average", "avg. rank", "MEAN", "Wins/best", "W/T/L", "total")),
        *((name, True) for name in ("Mean Rank", "# wins", "Std. dev.", "Wins/Ties/Losses")),
        *((name, False) for name in ("iris", "meaning", "ranking-cup", "winston", "Average-9k")),
    ],
)
def test_names_of_summaries(name: str, expected: bool) -> None:
    assert is_summary_name(name) is expected


def test_rows_that_sum_up_others_are_left_out(wide: pd.DataFrame, read: Reader) -> None:
    numbers = wide[["a", "b", "c"]]
    below = pd.DataFrame(
        [
            ["Average", *numbers.mean().round(3)],
            ["Avg. rank", *numbers.rank(axis=1, ascending=False).mean()],
            ["Wins", *(numbers.rank(axis=1, ascending=False) == 1).sum()],
        ],
        columns=wide.columns,
    )
    whole = pd.concat([wide, below], ignore_index=True)
    found = read(whole, wide=True)
    pd.testing.assert_frame_equal(found.frame, read(wide, wide=True).frame)
    assert _left_out(found, "left-out-row") == ["Average", "Avg. rank", "Wins"]
    tidy = whole.melt("dataset", var_name="candidate", value_name="accuracy")
    assert len(read(tidy[tidy["dataset"] != "Wins"]).datasets) == N_SETS


SUMMARY_NAMES = ["sum", "mean", "best", "total", "Ranking", "SD", "std", "ties", "overall"]


@pytest.mark.parametrize("name", SUMMARY_NAMES)
@pytest.mark.parametrize(("n_folds", "read"), in_turn([1, 2], FORMS), indirect=["read"])
def test_a_name_alone_is_no_reason_to_leave_out_a_data_set(
    name: str, n_folds: int, tidy: pd.DataFrame, read: Reader
) -> None:
    own = tidy[tidy["fold"] <= n_folds]
    found = read(own.assign(dataset=own["dataset"].replace("set 3", name)))
    assert set(found.datasets) == {name, *(f"set {m}" for m in range(N_SETS) if m != 3)}
    assert _left_out(found, "left-out-row") == []


def test_all_data_sets_but_one_may_have_names_of_summaries(
    tidy: pd.DataFrame, read: Reader
) -> None:
    names = {"set 0": "sum", "set 1": "prod", "set 2": "mean"}
    own = tidy[tidy["dataset"].isin(names)].replace({"dataset": names})
    assert set(read(own).datasets) == set(names.values())


def test_values_of_few_digits_tell_no_sum(tmp_path: Path) -> None:
    """0.5, 0.6 and 0.7 by chance are no rounded mean, and small counts are near to any mean."""
    steps = {"sum": [0.5, 0.6, 0.7], "prod": [0.512, 0.613, 0.714], "iris": [0.53, 0.62, 0.74]}
    counts = {"mean": [2, 2, 3], "prod": [1, 2, 3], "iris": [3, 2, 2], "wine": [1, 3, 3]}
    for measure, sets in (("accuracy", steps), ("runtime", counts)):
        rows = [(name, c, v) for name, own in sets.items() for c, v in zip("abc", own, strict=True)]
        table = pd.DataFrame(rows, columns=["dataset", "candidate", measure])
        assert set(read_results(_csv(table, tmp_path)).datasets) == set(sets)


SUMMARIES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "mean": lambda values: values.mean().round(3),
    "Total": lambda values: values.sum().round(3),
    "std": lambda values: values.std(),
    "Avg. rank": lambda values: values.rank(axis=1).mean().round(2),
    "Best": lambda values: values.max(),
}


@pytest.mark.parametrize(("name", "read"), in_turn(SUMMARIES, FORMS), indirect=["read"])
def test_rows_of_a_tidy_table_that_sum_up_others_by_name_and_values(
    name: str, tidy: pd.DataFrame, read: Reader
) -> None:
    means = tidy.pivot_table(index="dataset", columns="candidate", values="accuracy")
    row = SUMMARIES[name](means).clip(0, 1) if name != "Avg. rank" else SUMMARIES[name](means)
    if name == "Total":
        tidy, row = tidy.assign(accuracy=tidy["accuracy"] / 10), SUMMARIES[name](means / 10)
    below = row.rename("accuracy").reset_index().assign(dataset=name)
    more = pd.concat([tidy, *(below.assign(fold=fold) for fold in (1, 2))], ignore_index=True)
    found = read(more)
    assert _left_out(found, "left-out-row") == [name]
    pd.testing.assert_frame_equal(found.frame, read(tidy).frame)


def test_one_row_beside_replications_sums_them_up(tidy: pd.DataFrame, read: Reader) -> None:
    """A mean over observations of data sets of other sizes is not that of the data sets."""
    below = pd.DataFrame({"dataset": "Overall", "candidate": list("abc"), "accuracy": 0.777})
    found = read(pd.concat([tidy, below.assign(fold=1)], ignore_index=True))
    assert _left_out(found, "left-out-row") == ["Overall"]


def test_numbers_that_are_too_large_are_refused_as_elsewhere(wide: pd.DataFrame) -> None:
    huge = wide.assign(LR=[1e308, -1e308, 1e308, *wide["a"][3:]], a=-1e308, b=1e308)
    huge["dataset"] = huge["dataset"].replace("set 3", "mean")
    for table in (huge, huge.melt("dataset", var_name="candidate", value_name="mse")):
        with pytest.raises(ExchangeError, match=r"e\+308 for the measure mse|may be"):
            read_results(object_table(table, measure="mse" if "LR" in table else None))


def test_a_row_of_a_wide_table_that_may_be_a_data_set_is_asked_for(
    wide: pd.DataFrame, read: Reader
) -> None:
    named = wide.assign(dataset=wide["dataset"].replace("set 3", "mean"))
    with pytest.raises(ExchangeError, match="'mean', the name of a sum of other rows, with val"):
        read(named, wide=True)
    rounded = pd.DataFrame([["Average", *wide[["a", "b", "c"]].mean().round(2)]])
    whole = pd.concat([wide, rounded.set_axis(wide.columns, axis=1)], ignore_index=True)
    assert set(read(whole, wide=True).datasets) == set(wide["dataset"])


def test_a_row_that_is_the_mean_of_the_others_is_left_out_whatever_its_name(
    wide: pd.DataFrame, read: Reader
) -> None:
    mean = pd.DataFrame([["All", *wide[["a", "b", "c"]].mean().round(4)]], columns=wide.columns)
    found = read(pd.concat([mean, wide], ignore_index=True), wide=True)
    assert found.datasets == tuple(wide["dataset"])


def test_cells_of_a_summary_need_be_no_numbers(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("dataset,a,b\nd,0.1,0.2\ne,0.3,x\nw/t/l,3/0/1,1/0/3\n")
    with pytest.raises(ExchangeError, match="row 3, column b: found 'x'"):
        read_results(path, measures=(ACCURACY,), wide=True)
    path.write_text("dataset,a,b\nd,0.1,0.2\nw/t/l,3/0/1,1/0/3\ne,0.3,0.4\n")
    assert read_results(path, measures=(ACCURACY,), wide=True).datasets == ("d", "e")


def test_a_mean_by_chance_is_rare() -> None:
    """Of 500 tables of random digits, at most one has a row that rounds to the mean of the rest."""
    rng = np.random.default_rng(5)
    tables = [rng.uniform(0.5, 0.9, (8, 3)).round(3) for _ in range(500)]
    assert sum(len(means_of_others(table)) for table in tables) <= 1


# ----------------------------------------------------------------------- leaderboards


@pytest.fixture
def board() -> pd.DataFrame:
    rng = np.random.default_rng(2)
    tasks = {name: rng.uniform(0.4, 0.8, 3).round(3) for name in ("arc", "mmlu", "gsm", "hella")}
    return pd.DataFrame({"model": ["ant-7b", "bee-8b", "cow-9b"], **tasks})


def test_a_leaderboard_is_asked_for_what_its_columns_are(board: pd.DataFrame, read: Reader) -> None:
    with pytest.raises(ExchangeError) as told:
        read(board)
    assert "a row a candidate, and 4 columns of numbers: arc, mmlu, gsm, hella" in str(told.value)
    in_python = "columns={'candidate': 'model', 'dataset': 'columns'}, measure='NAME'"
    in_manifest = "columns: {candidate: model, dataset: columns}"
    assert (in_python in str(told.value)) != (in_manifest in str(told.value))


def test_the_columns_of_a_leaderboard_are_data_sets(board: pd.DataFrame, tmp_path: Path) -> None:
    columns = {"candidate": "model", "dataset": "columns"}
    more = board.assign(average=board.iloc[:, 1:].mean(axis=1), rank=[2, 3, 1], size=[7, 8, 9])
    found = reportgen.compare(more, measure="accuracy", columns=columns).performances
    by_file = read_results(
        _csv(more, tmp_path), columns=columns, measures=(ACCURACY,), wide=True
    ).frame
    turned = board.set_index("model").T.rename_axis("dataset").reset_index()
    expected = reportgen.compare(turned, measure="accuracy").performances
    key = ["dataset", "candidate"]
    for frame in (found, by_file):
        pd.testing.assert_series_equal(
            frame.astype(dict.fromkeys(key, str)).set_index(key)["value"].sort_index(),
            expected.astype(dict.fromkeys(key, str)).set_index(key)["value"].sort_index(),
        )


def test_a_data_set_of_a_leaderboard_is_not_left_out_by_its_name(
    board: pd.DataFrame, tmp_path: Path
) -> None:
    columns = {"candidate": "model", "dataset": "columns"}
    source = _csv(board.rename(columns={"arc": "STEP", "gsm": "DB"}), tmp_path)
    found = read_results(source, columns=columns, measures=(ACCURACY,), wide=True)
    assert set(found.datasets) == {"STEP", "mmlu", "DB", "hella"}
    source = _csv(board.assign(rank=[1, 1, 1]), tmp_path)
    with pytest.raises(ExchangeError, match=r"rank, which may be a data set .* another name of"):
        read_results(source, columns=columns, measures=(ACCURACY,), wide=True)


def test_known_measures_of_one_row_a_model_stay_measures(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {"model": list("ab"), "acc": [0.1, 0.2], "auc": [0.3, 0.4], "f1": [0.5, 1]}
    )
    found = read_results(_csv(table, tmp_path))
    assert [m.name for m in found.measures] == ["accuracy", "auc", "f1"]


def test_items_of_tasks_in_a_wide_frame() -> None:
    frame = pd.DataFrame(
        {"task": list("uuvv"), "item_id": list("abcd"), "x": [1.0, 0, 1, 1], "y": [0.0, 0, 1, 0]}
    )
    found = reportgen.compare(frame, measure="score")
    assert set(found.performances["dataset"]) == {"u", "v"}
    roles = find_roles(object_table(frame), "wide")
    assert (roles.column("item"), roles.column("dataset")) == ("item_id", "task")


def test_a_budget_of_evaluations_stays_beside_the_times_to_targets(tmp_path: Path) -> None:
    """The budget is the same in all runs, and the times to targets are held against it."""
    rows = [f"sphere,{b},{name},300,{20 * k + b}" for b in range(5) for k, name in enumerate("ab")]
    head = "dataset,replication,candidate,evaluations,evaluations to 1e0"
    path = tmp_path / "runs.csv"
    path.write_text("\n".join([head, *rows, ""]), encoding="utf-8")
    study = reportgen.compare(path, better="smaller")
    assert study.measures == ("evaluations", "evaluations to 1e0")


@pytest.mark.parametrize(
    ("name", "cells", "read"),
    in_turn(
        [
            ("gpu_mem_gb", 8),
            ("git_sha", [f"{i * 7919:07d}" if i % 3 else f"{i:06d}e" for i in range(6 * N_SETS)]),
            ("git_sha", [f"{i * 7919 + 1:07d}" for i in range(6 * N_SETS)]),
            ("model_id", [7 * i % 5 for i in range(6 * N_SETS)]),
        ],
        FORMS,
    ),
    indirect=["read"],
)
def test_settings_and_identifiers_beside_results_are_left_out(
    name: str, cells: Any, tidy: pd.DataFrame, read: Reader
) -> None:
    found = read(tidy.assign(**{name: cells}))
    pd.testing.assert_frame_equal(found.frame, read(tidy).frame)


@pytest.mark.parametrize(
    ("name", "cell", "read"),
    in_turn([("Partition", "gpu"), ("split", "test")], FORMS),
    indirect=["read"],
)
def test_one_text_in_all_rows_is_no_replication(
    name: str, cell: str, tidy: pd.DataFrame, read: Reader
) -> None:
    seeds = tidy.rename(columns={"fold": "seed"})
    found, plain = read(seeds.assign(**{name: cell})), read(seeds)
    pd.testing.assert_frame_equal(found.frame, plain.frame)
    assert found.runs.empty


def test_the_accuracy_in_distribution_is_no_identifier(tidy: pd.DataFrame, read: Reader) -> None:
    with pytest.raises(ExchangeError, match=r"acc_id.? of unknown direction"):
        read(tidy.assign(acc_id=tidy["accuracy"] / 2 + 0.1))


def test_a_memory_that_differs_is_a_result(tidy: pd.DataFrame, read: Reader) -> None:
    of_candidates = tidy["candidate"].map({"a": 2.5, "b": 4.0, "c": 1.0})
    found = read(tidy.assign(gpu_mem_gb=of_candidates))
    assert [m.name for m in found.measures] == ["accuracy", "gpu_mem_gb"]


@pytest.mark.slow
def test_bootstrap_samples_are_replications_and_a_forests_setting_is_none(
    tidy: pd.DataFrame, read: Reader
) -> None:
    found = read(tidy.rename(columns={"fold": "bootstrap"}))
    assert found.frame["replication"].tolist() == read(tidy).frame["replication"].tolist()
    for setting in (True, tidy["candidate"].map({"a": 1, "b": 0, "c": 1})):
        pd.testing.assert_frame_equal(read(tidy.assign(bootstrap=setting)).frame, read(tidy).frame)


def _with_samples(tidy: pd.DataFrame, **columns: float) -> pd.DataFrame:
    """Return a table with results of samples, which differ by shifts, in the order of names."""
    values = {name: tidy["accuracy"] + shift for name, shift in columns.items()}
    return tidy.drop(columns="accuracy").assign(**values)


@pytest.mark.parametrize(
    ("columns", "measures", "read"),
    in_turn(
        [
            ({"train_acc": 0.05, "test_acc": 0.0}, ["test_acc"]),
            ({"acc_train": 0.05, "acc": 0.0}, ["accuracy"]),
            ({"Train Accuracy": 0.05, "accuracy": 0.0}, ["accuracy"]),
            ({"val_acc": 0.0, "accuracy": 0.01}, ["accuracy", "val_acc"]),
            (
                {"train_loss": 0.0, "val_loss": 0.1, "val_acc": 0.0, "test_acc": 0.0},
                ["test_acc", "val_loss"],
            ),
            ({"train_time": 0.0, "test_acc": 0.0}, ["test_acc", "fit-time"]),
            ({"fit_time": 0.0, "test_time": 0.1, "f1": 0.0}, ["f1", "fit-time", "predict-time"]),
        ],
        FORMS,
    ),
    indirect=["read"],
)
def test_results_of_training_samples_do_not_decide(
    columns: dict[str, float], measures: list[str], tidy: pd.DataFrame, read: Reader
) -> None:
    table = _with_samples(tidy, **columns)
    assert [m.name for m in read(table).measures] == measures
    long = table.melt(["dataset", "candidate", "fold"], var_name="measure")
    assert read(long).measures[0].name == measures[0]


@pytest.mark.parametrize("name", ["fold", "split", "repeat", "seed"])
@pytest.mark.parametrize(("cell", "read"), in_turn([0, 1], FORMS), indirect=["read"])
def test_a_constant_number_of_replications_changes_nothing(
    name: str, cell: int, tidy: pd.DataFrame, read: Reader
) -> None:
    plain = tidy.rename(columns={"fold": "trial"})
    found = read(plain.assign(**{name: cell}))
    pd.testing.assert_frame_equal(found.frame, read(plain).frame)


@pytest.mark.parametrize(
    ("names", "values", "read"),
    in_turn(
        [(("metric", "score"), 0), (("variable", "value"), 1), (("Metric", "Result"), 2)], FORMS
    ),
    indirect=["read"],
)
def test_measures_and_values_by_other_names(
    names: tuple[str, str], values: int, tidy: pd.DataFrame, read: Reader
) -> None:
    wider = tidy.assign(f1=tidy["accuracy"] - 0.1)
    long = wider.melt(["dataset", "candidate", "fold"], var_name=names[0], value_name=names[1])
    found = read(long)
    assert {m.name for m in found.measures} == {"accuracy", "f1"}
    means = found.frame.groupby("measure", observed=True)["value"].mean()
    assert means["f1"] == pytest.approx(means["accuracy"] - 0.1)


@pytest.fixture
def folds() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return pd.DataFrame(rng.uniform(0.6, 0.9, (10, 3)), columns=list("abc"))


def test_rows_below_a_frame_of_folds_that_sum_it_up(folds: pd.DataFrame, tmp_path: Path) -> None:
    below = folds.copy()
    below.loc["mean"], below.loc["std"] = folds.mean(), folds.std()
    plain = read_results(object_table(folds, measure="accuracy"), wide=True, measures=(ACCURACY,))
    found = read_results(object_table(below, measure="accuracy"), wide=True, measures=(ACCURACY,))
    pd.testing.assert_frame_equal(found.frame, plain.frame)
    assert _left_out(found, "left-out-row") == ["mean", "std"]
    below.to_csv(tmp_path / "f.csv")
    same = read_results(tmp_path / "f.csv", wide=True, measures=(ACCURACY,), replication="rows")
    assert same.frame["value"].to_numpy() == pytest.approx(plain.frame["value"].to_numpy())
    sums = below.loc[["mean", "std"]]
    with pytest.raises(ExchangeError, match="rows mean, std, a description of values"):
        read_results(object_table(sums, measure="accuracy"), wide=True, measures=(ACCURACY,))


@pytest.mark.parametrize("name", ["Fold {}", "seed{}", "run_{}", "rep-{}", "Fold0{}"])
def test_names_of_replications_are_no_data_sets(
    name: str, folds: pd.DataFrame, tmp_path: Path
) -> None:
    named = folds.set_axis([name.format(i) for i in range(10)])
    named.loc["mean"] = named.mean()
    named.to_csv(tmp_path / "f.csv")
    for source in (tmp_path / "f.csv", object_table(named, measure="accuracy")):
        found = read_results(source, wide=True, measures=(ACCURACY,))
        assert len(found.datasets) == 1
        assert found.frame["replication"].nunique() == len(folds)


@pytest.mark.parametrize(
    ("name", "cells", "read"),
    in_turn(
        [
            ("gain", lambda t: t["a"] - t["b"]),
            ("\u0394", lambda t: (t["b"] - t["a"]).round(3)),
            ("a-b", lambda t: (t["a"] - t["b"]).abs().round(3)),
            ("mean of all", lambda t: t[["a", "b", "c"]].mean(axis=1)),
            ("p a vs b", lambda t: np.linspace(0.1, 0.9, len(t))),
        ],
        FORMS,
    ),
    indirect=["read"],
)
def test_what_is_computed_of_candidates_is_none(
    name: str, cells: Any, wide: pd.DataFrame, read: Reader
) -> None:
    found = read(wide.assign(**{name: cells(wide)}), wide=True)
    assert found.candidates == ("a", "b", "c")
    assert _left_out(found)[0].startswith(name)


@pytest.mark.slow
def test_candidates_are_seldom_differences_of_others() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, k, digits = (int(rng.integers(*ends)) for ends in ((3, 12), (3, 25), (2, 4)))
        cells = {f"c{j:02d}": rng.uniform(0.1, 0.4, n).round(digits) for j in range(k)}
        table = pd.DataFrame({"dataset": [f"d{i}" for i in range(n)], **cells})
        error = MeasureEntry(name="error")
        found = read_results(object_table(table, measure="error"), wide=True, measures=(error,))
        assert len(found.candidates) == k


@pytest.mark.parametrize(
    ("cell", "read"), in_turn(["**{}**", "{}/0.5", "~{}", "{}*"], FORMS), indirect=["read"]
)
def test_cells_that_are_not_quite_numbers_are_told(
    cell: str, wide: pd.DataFrame, read: Reader
) -> None:
    table = wide.assign(c=[cell.format(x) for x in wide["c"]])
    with pytest.raises(ExchangeError, match=r"column c: found "):
        read(table, wide=True)


def test_columns_of_samples_are_no_candidates(wide: pd.DataFrame, read: Reader) -> None:
    both = {f"{c}_{s}": wide[c] + d for c in "abc" for s, d in (("train", 0.05), ("test", 0.0))}
    found = read(wide[["dataset"]].assign(**both), wide=True)
    pd.testing.assert_frame_equal(found.frame, read(wide, wide=True).frame)
    assert len(_left_out(found)) == 3


@pytest.mark.parametrize(
    ("name", "read"),
    in_turn(["{c} {m}", "{c}_{m}", "{m}_{c}", "{c}.{m}", "{c}~{m}"], FORMS),
    indirect=["read"],
)
def test_columns_of_a_candidate_and_a_measure(name: str, wide: pd.DataFrame, read: Reader) -> None:
    cells = {
        name.format(c=c, m=m): wide[c] * s for c in "abc" for m, s in (("accuracy", 1), ("time", 9))
    }
    table = wide[["dataset"]].assign(**cells)
    both = read(table)  # a frame with the measure that the caller names
    assert [m.name for m in both.measures] in (["accuracy", "time"], ["accuracy"])
    means = both.frame.groupby(["measure", "candidate"], observed=True)["value"].mean()
    assert means["accuracy"].to_numpy() == pytest.approx(wide[list("abc")].mean().to_numpy())
    assert read(table, wide=True).candidates == ("a", "b", "c")


def test_names_of_measures_are_neither_data_sets_nor_candidates() -> None:
    scores = {"rf": {"accuracy": 0.9, "f1": 0.8}, "svm": {"accuracy": 0.8, "f1": 0.9}}
    frame = pd.DataFrame(scores)
    right = frame.T.rename_axis("candidate").reset_index()
    for results in (scores, right):
        study = reportgen.compare(results)
        assert (study.candidates, study.measures) == (("rf", "svm"), ("accuracy", "f1"))
    with pytest.raises(ExchangeError, match=r"allowed a row a candidate .* frame\.T\.rename_axis"):
        reportgen.compare(frame, better="larger")
    with pytest.raises(ExchangeError, match=r"candidates with the names of .* frame\.rename_axis"):
        reportgen.compare(frame.T, better="larger")


def test_a_text_that_divides_replications_may_be_the_data_set(
    tidy: pd.DataFrame, read: Reader
) -> None:
    own = tidy.rename(columns={"dataset": "site"})
    own["fold"] += 2 * own["site"].str[4:].astype(int)
    with pytest.raises(ExchangeError, match=r"site .* that is the same for all candidates of a "):
        read(own)
    assert len(read(own, dataset="site").datasets) == N_SETS
    assert len(read(own, ignore="site").datasets) == 1
    assert len(read(own.rename(columns={"site": "host"})).datasets) == 1


def test_an_unknown_column_is_no_measure_by_one_side_for_all(tidy: pd.DataFrame) -> None:
    rng = np.random.default_rng(2)
    table = tidy.assign(depth=rng.integers(2, 9, len(tidy)))
    with pytest.raises(StudyError, match=r"beside accuracy; allowed better=.'depth': 'larger'."):
        reportgen.compare(table, better="larger")
    assert reportgen.compare(table, columns={"ignore": ["depth"]}).measures == ("accuracy",)


def test_several_columns_are_asked_about_at_once(wide: pd.DataFrame, read: Reader) -> None:
    table = wide.assign(average=np.linspace(0.7, 0.8, N_SETS), total=np.linspace(0.6, 0.7, N_SETS))
    with pytest.raises(ExchangeError, match="the columns average, total, each of which may be a"):
        read(table, wide=True)


def test_a_mean_that_is_rounded_more_than_the_others() -> None:
    own = pd.DataFrame(
        {
            "dataset": [*(f"d{i}" for i in range(7)), "Average", "Avg. rank", "Wins/best"],
            "ant": [0.726, 0.698, 0.690, 0.698, 0.662, 0.722, 0.686, 0.70, 2.86, 0],
            "bee": [0.756, 0.726, 0.717, 0.745, 0.739, 0.752, 0.780, 0.74, 2.00, 1],
            "cow": [0.820, 0.785, 0.789, 0.793, 0.805, 0.787, 0.815, 0.80, 1.14, 6],
        }
    )
    score = MeasureEntry(name="f-score", better="larger")
    found = read_results(object_table(own, measure="f-score"), wide=True, measures=(score,))
    assert found.datasets == tuple(f"d{i}" for i in range(7))
    assert _left_out(found, "left-out-row") == ["Average", "Avg. rank", "Wins/best"]


@pytest.mark.parametrize(
    ("name", "read"),
    in_turn(
        ["{}_lci", "{}_uci", "{} lower", "{} (upper)", "{} time", "{}_rank", "{} \u00b1", "{} [p]"],
        FORMS,
    ),
    indirect=["read"],
)
def test_a_word_behind_a_candidate_makes_no_candidate(
    name: str, wide: pd.DataFrame, read: Reader
) -> None:
    found = read(wide.assign(**{name.format("a"): wide["a"] - 0.02}), wide=True)
    assert found.candidates == ("a", "b", "c")
    assert _left_out(found)[0].startswith(name.format("a"))
    longer = wide.rename(columns={"b": "a deep"})
    assert set(read(longer, wide=True).candidates) == {"a", "a deep", "c"}


def test_samples_in_brackets_are_no_candidates(wide: pd.DataFrame, read: Reader) -> None:
    both = {f"{c} ({s})": wide[c] + d for c in "abc" for s, d in (("train", 0.05), ("test", 0.0))}
    found = read(wide[["dataset"]].assign(**both), wide=True)
    pd.testing.assert_frame_equal(found.frame, read(wide, wide=True).frame)


@pytest.mark.parametrize(
    ("name", "read"), in_turn(["IR", "imbalance", "noise", "Entropy"], FORMS), indirect=["read"]
)
def test_characteristics_like_results_are_asked_about(
    name: str, wide: pd.DataFrame, read: Reader
) -> None:
    table = wide.assign(**{name: np.linspace(0.65, 0.85, N_SETS)})
    with pytest.raises(ExchangeError, match=f"the column {name}, which may be a candidate or not"):
        read(table, wide=True)


@pytest.mark.parametrize(
    ("name", "read"), in_turn(["Fold{}", "seed_{}", "Run {}"], FORMS), indirect=["read"]
)
def test_replications_in_columns_are_no_measures(
    name: str, tidy: pd.DataFrame, read: Reader
) -> None:
    table = tidy.pivot(index=["dataset", "candidate"], columns="fold", values="accuracy")
    table.columns = [name.format(i) for i in table.columns]
    with pytest.raises(ExchangeError, match="columns with names of replications"):
        read(table.reset_index())
    melted = table.reset_index().melt(
        ["dataset", "candidate"], var_name="replication", value_name="accuracy"
    )
    means = [
        read(own).frame.groupby("candidate", observed=True)["value"].mean()
        for own in (melted, tidy)
    ]
    assert means[0].to_numpy() == pytest.approx(means[1].to_numpy())


def test_rows_of_a_mean_by_a_number_are_told(tidy: pd.DataFrame, read: Reader) -> None:
    means = tidy.groupby(["dataset", "candidate"])["accuracy"].mean().reset_index()
    with pytest.raises(ExchangeError, match="found -1 among numbers from 0 or 1"):
        read(pd.concat([tidy, means.assign(fold=-1)]))


def test_participants_are_data_sets(wide: pd.DataFrame, read: Reader) -> None:
    named = wide.assign(dataset=[f"P{i:02d}" for i in range(N_SETS)])
    assert len(read(named, wide=True).datasets) == N_SETS


@pytest.mark.parametrize(
    ("name", "read"),
    in_turn(["train_time", "Training Time (s)", "time_train", "train_time_s"], FORMS),
    indirect=["read"],
)
def test_the_time_of_training_is_that_of_the_fit(
    name: str, tidy: pd.DataFrame, read: Reader
) -> None:
    times = np.random.default_rng(3).uniform(1, 2, len(tidy))
    found = read(tidy.assign(**{name: times, "predict_time": times / 9}))
    assert [m.name for m in found.measures] == ["accuracy", "fit-time", "predict-time"]
    assert {m.unit_symbol for m in found.measures[1:]} == {"s"}


@pytest.mark.parametrize("name", ["{s}_{m}", "{m}_{s}"])
@pytest.mark.parametrize(
    ("candidates", "read"), in_turn(["candidate", "model"], FORMS), indirect=["read"]
)
def test_samples_and_measures_beside_a_column_of_candidates(
    name: str, candidates: str, tidy: pd.DataFrame, read: Reader
) -> None:
    cells = {
        name.format(s=s, m=m): tidy["accuracy"] + d - (m == "f1") / 9
        for s, d in (("train", 0.05), ("test", 0.0))
        for m in ("acc", "f1")
    }
    own = tidy.drop(columns="accuracy").rename(columns={"candidate": candidates})
    found = read(own.assign(**cells))
    assert [m.name for m in found.measures] == [name.format(s="test", m=m) for m in ("acc", "f1")]
    assert found.candidates == ("a", "b", "c")
    assert len(_left_out(found)) == 2


def test_the_user_may_name_columns_of_samples_as_candidates(
    wide: pd.DataFrame, read: Reader
) -> None:
    names = [f"{c}_{s}" for c in "ab" for s in ("train", "test")]
    table = wide[["dataset"]].assign(**dict.fromkeys(names, wide["a"]))
    assert list(read(table, wide=True, candidate=names).candidates) == names
