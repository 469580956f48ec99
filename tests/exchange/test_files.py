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
