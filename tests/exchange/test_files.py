"""Which files are opened at all."""

from __future__ import annotations

import pickle
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange import files as opening
from reportgen.exchange.files import read_table
from reportgen.exchange.tidy import read_results


class Trap:
    """Runs when it is unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return exec, ("raise SystemExit('code was run')",)


@pytest.mark.parametrize("suffix", [".pkl", ".pickle", ".joblib", ".npy", ".npz"])
def test_pickles_are_not_opened(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"results{suffix}"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ExchangeError, match="may run code when it is read; allowed data only"):
        read_table(path)


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".json", ".rds", ".RData"])
def test_a_pickle_by_another_name_is_data(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"results{suffix}"
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(ExchangeError):
        read_table(path)


def test_no_reader_unpickles() -> None:
    folder = Path(opening.__file__).parent
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    assert "pickle" not in text.replace('".pickle"', "")
    assert "eval(" not in text
    assert "np.load" not in text


def test_a_parquet_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.parquet"
    pq.write_table(pa.table({"candidate": pa.array(["a"] * 2000).dictionary_encode()}), path)
    monkeypatch.setattr(opening, "MOST_ROWS", 1000)
    with pytest.raises(ExchangeError, match="found 2,000 rows; allowed 1,000"):
        read_table(path)


def test_an_object_is_of_files_that_have_objects(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    pd.DataFrame({"a": [1], "b": [2]}).to_csv(path)
    with pytest.raises(ExchangeError, match=r"the object 'x' of a file that has no objects"):
        read_table(path, "x")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            f"candidate,error\n{'x' * 20_000},1\n",
            "row 2, column candidate: found 'x+….*; allowed a printable name of at most 10",
        ),
        (",,\n1,2,3\n", "found no name of a column; allowed a header of names"),
        (
            "dataset,candidate,ze\x1bal\nd,a,1\nd,b,2\n",
            r"found the measure 'ze\\x1bal'; allowed at most 200 characters, all of them printable",
        ),
    ],
)
def test_odd_text_is_told(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(content)
    with pytest.raises(ExchangeError, match=said):
        read_results(path)


@pytest.mark.parametrize(
    "names",
    [
        pa.array([[1], [2]]),
        pa.array([b"\xff", b"a"]),
        pa.array([0, 1], pa.timestamp("us", "No/Where")),
    ],
)
def test_columns_of_a_kind_that_names_nothing_are_told(tmp_path: Path, names: pa.Array) -> None:
    path = tmp_path / "r.parquet"
    pq.write_table(pa.table({"candidate": names, "accuracy": [0.1, 0.2]}), path)
    with pytest.raises(ExchangeError, match=r"column candidate: found values of type .*; allowed"):
        read_results(path)


def test_a_column_twice_is_told(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    text = pa.array(["a"])
    pq.write_table(pa.Table.from_arrays([text, text], names=["x", "x"]), path)
    with pytest.raises(ExchangeError, match="found the column 'x' twice"):
        read_table(path)


@pytest.mark.parametrize(
    "described",
    [
        "[" * 100_000,
        '{"measures": [{"name": "accuracy", "better": "evil", "bounds": [null, null]}]}',
        '{"measures": [{"name": "accuracy", "better": "larger", "bounds": ["x", "y"]}]}',
        '{"measures": [{"name": "accuracy", "better": "larger", "bounds": [1e999, null]}]}',
    ],
)
def test_a_description_that_is_none_counts_for_nothing(tmp_path: Path, described: str) -> None:
    path = tmp_path / "r.parquet"
    table = pa.table({"candidate": ["a", "b"], "accuracy": [0.1, 0.2]})
    pq.write_table(table.replace_schema_metadata({"reportgen": described}), path)
    assert read_table(path).known == {}
    assert read_results(path).measures[0].bounds == (0.0, 1.0)
