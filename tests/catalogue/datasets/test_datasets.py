"""Data sets by name and from files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.catalogue.datasets import DATASETS, find_dataset
from reportgen.catalogue.datasets.dataset import DataSet
from reportgen.catalogue.datasets.files import days_of, load_file
from reportgen.errors import SetupError


@pytest.fixture
def table() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "size": [1.5, None, 3.0, 4.0],
            "count": [1, 2, 3, 4],
            "colour": ["red", "blue", None, "red"],
            "open": [True, False, True, True],
            "y": ["b", "a", "a", "b"],
            "weight": [0.5, 1.0, 2.0, 2.5],
        }
    )


@pytest.fixture
def csv(tmp_path: Path, table: pd.DataFrame) -> Path:
    path = tmp_path / "mine.csv"
    table.to_csv(path, index=False)
    return path


@pytest.mark.parametrize(
    ("name", "rows", "columns", "classes"),
    [
        ("iris", 150, 4, 3),
        ("wine", 178, 13, 3),
        ("breast-cancer", 569, 30, 2),
        ("digits", 1797, 64, 10),
        ("monks3", 554, 6, 2),
        ("spirals", 300, 2, 2),
        ("twonorm", 300, 20, 2),
    ],
)
def test_shapes(name: str, rows: int, columns: int, classes: int) -> None:
    dataset = find_dataset(name)
    assert dataset.inputs.shape == (rows, columns)
    assert dataset.n == rows
    assert len(dataset.classes) == classes
    assert set(dataset.response) == set(range(classes))
    assert dataset.task == "classification"


def test_names_are_unique_and_all_load() -> None:
    assert len({find_dataset(name).digest for name in DATASETS}) == len(DATASETS)


def test_generated_data_take_a_size_options_and_a_stream() -> None:
    one = find_dataset("twonorm", n=50, options={"d": 3}, rng=np.random.default_rng(1))
    same = find_dataset("twonorm", n=50, options={"d": 3}, rng=np.random.default_rng(1))
    other = find_dataset("twonorm", n=50, options={"d": 3}, rng=np.random.default_rng(2))
    assert one.inputs.shape == (50, 3)
    assert one.digest == same.digest != other.digest


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "irsi"}, "unknown data set 'irsi'; .* did you mean iris"),
        ({"name": "iris", "n": 20}, "found n, n_test or options; .* fixed"),
        ({"name": "twonorm", "options": {"D": 2}}, "unknown option .* did you mean d"),
        ({"name": "spirals", "n": 1}, "found n: 1; allowed 2 or more"),
    ],
)
def test_wrong_names(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(SetupError, match=message):
        find_dataset(**arguments)


def test_csv_columns_are_recognised(csv: Path) -> None:
    dataset = load_file("mine", csv, "y")
    kinds = {name: str(column.dtype) for name, column in dataset.inputs.items()}
    assert kinds == {
        "size": "float64",
        "count": "float64",
        "colour": "category",
        "open": "category",
        "weight": "float64",
    }
    assert list(dataset.inputs["colour"].cat.categories) == ["blue", "red"]
    assert dataset.inputs["colour"].isna().tolist() == [False, False, True, False]
    assert dataset.classes == ("a", "b")
    assert dataset.response.tolist() == [1, 0, 0, 1]
    assert dataset.origin == "file mine.csv"


def test_csv_and_parquet_have_one_digest(csv: Path, table: pd.DataFrame, tmp_path: Path) -> None:
    parquet = tmp_path / "mine.parquet"
    table.astype({"colour": "category", "count": "Int64"}).to_parquet(parquet)
    assert load_file("a", csv, "y").digest == load_file("b", parquet, "y").digest


def test_the_digest_sees_every_change(table: pd.DataFrame) -> None:
    def digest(frame: pd.DataFrame) -> str:
        return DataSet.of("t", frame.drop(columns="y"), frame["y"], "classification", "").digest

    changes = [
        table.assign(size=[1.5, None, 3.0, 4.5]),
        table.assign(colour=["red", "blue", "blue", "red"]),
        table.assign(y=["a", "b", "a", "b"]),
        table.assign(y=["b", "c", "c", "b"]),
        table.rename(columns={"size": "length"}),
        table.iloc[::-1],
    ]
    digests = {digest(change) for change in changes} | {digest(table)}
    assert len(digests) == len(changes) + 1
    assert digest(table.copy()) == digest(table)


def test_the_task_is_guessed_only_where_it_shows(csv: Path) -> None:
    assert load_file("mine", csv, "weight").task == "regression"
    assert load_file("mine", csv, "y").task == "classification"
    assert load_file("mine", csv, "count", "regression").classes == ()
    with pytest.raises(
        SetupError,
        match=r"found the target .* allowed with task: classification or task: regression",
    ):
        load_file("mine", csv, "count")


def test_numeric_classes_are_ordered_by_value() -> None:
    target = pd.Series([10, 2, 2, 10, 1.0, 1.0], name="y")
    dataset = DataSet.of("t", pd.DataFrame({"x": range(6)}), target, "classification", "")
    assert dataset.classes == ("1", "2", "10")
    assert dataset.response.tolist() == [2, 1, 1, 2, 0, 0]


@pytest.mark.parametrize(
    ("text", "target", "task", "message"),
    [
        ("x,y\n1,a\n2,b\n3,a\n", "z", None, "unknown target .*; allowed x, y"),
        ("x,y\n1,a\n2,a\n", "y", None, "the constant target 'y', always 'a'"),
        (
            "x,y\n1,.5\n2,1.5\n3,-inf\n",
            "y",
            "regression",
            "infinite in 1 of 3 .* row 3",
        ),
        ("x,y\n", "y", None, "found no rows"),
        ("x,y\n1,a\n2,\n3,b\n", "y", None, "row 2: found no value of the target 'y', as in 1 of 3"),
        ("x,y\n1,a\n2,b\n3,a\n", "y", "ranking", "unknown task .* 'ranking'"),
        ("x,y\n1,a\n2,b\n3,a\n", "y", "regression", "is not numeric"),
        ("x,y\n1,a\n2,b\n3,c\n", "y", "classification", "found every value of the target 'y' once"),
        ("y\na\nb\na\n", "y", None, "found no inputs"),
        ("", "y", None, "cannot be read"),
        ('x,y\n1,"a\n2,b\n3,c,d,e\n', "y", None, "cannot be read"),
    ],
)
def test_wrong_files(
    tmp_path: Path, text: str, target: str, task: str | None, message: str
) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    with pytest.raises(SetupError, match=message):
        load_file("wrong", path, target, task)


def test_files_that_are_not_there_or_of_no_known_kind(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="found no such file"):
        load_file("mine", tmp_path / "no.csv", "y")
    (tmp_path / "mine.xlsx").write_bytes(b"")
    with pytest.raises(SetupError, match=r"allowed \.csv"):
        load_file("mine", tmp_path / "mine.xlsx", "y")
    (tmp_path / "broken.parquet").write_bytes(b"not parquet")
    with pytest.raises(SetupError, match="cannot be read"):
        load_file("mine", tmp_path / "broken.parquet", "y")


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_dates_are_days(
    tmp_path: Path, table: pd.DataFrame, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """As numpy counts them; a gap stays one, and other forms of a date stay categories."""
    dates = pd.Series(pd.date_range("2020-01-01", periods=len(table), freq="36h"))
    dates[1] = pd.NaT
    expected = (dates.to_numpy() - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    path = tmp_path / f"dated.{kind}"
    whole = table.assign(when=dates, day=[f"{i % 28 + 1}/1/2020" for i in range(len(table))])
    whole.to_parquet(path) if kind == "parquet" else whole.to_csv(path, index=False)
    with caplog.at_level("INFO"):
        data = load_file("dated", path, "y")
    np.testing.assert_array_equal(data.inputs["when"], expected)
    assert isinstance(data.inputs["day"].dtype, pd.CategoricalDtype)
    assert "data set 'dated': the dates of 'when' are days since 1970-01-01" in caplog.messages


@pytest.mark.parametrize(
    ("text", "days"),
    [
        (["2024-02-29", "2024-03-01"], [19782.0, 19783.0]),
        (["2024-01", "2024-02"], [19723.0, 19754.0]),
        (["1970-01-01T06:00Z", "1970-01-01 06:00:00+06:00"], [0.25, 0.0]),
        (["2024-02-30", "2024-03-01"], None),
        (["2024", "2025"], None),
        (["new", "2024-03-01"], None),
    ],
)
def test_text_in_iso_8601_is_dates(text: list[str], days: list[float] | None) -> None:
    found = days_of(pd.Series(text))
    assert (None if found is None else found.tolist()) == days


def test_durations_are_days() -> None:
    found = days_of(pd.Series(np.array([12, "NaT", 48], dtype="timedelta64[h]")))
    np.testing.assert_array_equal(found, [0.5, np.nan, 2.0])


def names(n: int, n_levels: int) -> list[str]:
    return [f"C{i % n_levels:04d}" for i in range(n)]


def test_text_that_names_rows_is_no_input(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One that is named as categories, has blanks, few levels or many rows of each is."""
    n = 240
    y = ["yes", "no"] * (n // 2)
    whole = pd.DataFrame(
        {
            "customer_id": names(n, 80),
            "postcode": names(n, 40),
            "note": [f"seen {i} times" for i in range(n)],
            "x": np.arange(n) / 7,
            "y": y,
        }
    )
    path = tmp_path / "churn.csv"
    whole.to_csv(path, index=False)
    assert list(load_file("churn", path, "y").inputs) == ["postcode", "note", "x"]
    told = "data set 'churn': 'customer_id' is left out: its 80 texts name something; `groups: cust"
    assert sum(message.startswith(told) for message in caplog.messages) == 1
    kept = load_file("churn", path, "y", categorical=["customer_id"])
    assert "customer_id" in kept.inputs
    grouped = load_file("churn", path, "y", groups="customer_id")
    assert len(np.unique(grouped.groups)) == 80
    study = reportgen.evaluate(
        ["dummy", "lda"], whole.drop(columns="note"), "y", replications=3, name="churn"
    )
    assert study.candidates == ("dummy", "lda")
    assert sum(message.startswith(told) for message in caplog.messages) == 2


def test_numbers_with_an_odd_cell_are_no_names(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    numbers = [f"{i / 7:.4f}" for i in range(199)]
    whole = pd.DataFrame({"num": [*numbers, "?"], "y": ["yes", "no"] * 100})
    whole.to_csv(tmp_path / "odd.csv", index=False)
    assert list(load_file("odd", tmp_path / "odd.csv", "y").inputs) == ["num"]
    assert "num" in caplog.text
    assert "'?'" in caplog.text
    assert "left out" not in caplog.text


def test_rows_of_numbers_are_those_that_pandas_takes() -> None:
    numbers = find_dataset("iris")
    rows = np.array([3, 149, 3, 0])
    for data in (numbers, find_dataset("titanic")):
        pd.testing.assert_frame_equal(data.rows(rows), data.inputs.take(rows))
    assert numbers.is_all_numbers
    assert numbers.rows(rows).to_numpy().flags.f_contiguous  # sums of algorithms keep their order


def test_the_response_is_computed_once_and_nobody_changes_it() -> None:
    data = find_dataset("iris")
    assert data.response is data.response
    with pytest.raises(ValueError, match="read-only"):
        data.response[0] = 1
