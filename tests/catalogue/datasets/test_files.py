"""Data sets in files beyond CSV and Parquet, and columns that are named."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pytest

from reportgen.catalogue.datasets.files import load_file
from reportgen.errors import SetupError

ARFF = """% a comment
@RELATION 'play it'
@ATTRIBUTE outlook {sunny, 'very rainy', overcast}
@ATTRIBUTE "temperature (F)" NUMERIC
@attribute note STRING
@ATTRIBUTE play {yes, no}
@DATA
sunny, 85, 'hot, dry', no
'very rainy', ?, "a\\\\b", yes
?, 64.5, <script>, yes
sunny, 70, x, no
"""


def test_arff(tmp_path: Path) -> None:
    path = tmp_path / "play.arff"
    path.write_text(ARFF)
    data = load_file("play", path, "play", drop=["note"])
    assert data.task == "classification"
    assert list(data.inputs) == ["outlook", "temperature (F)"]
    assert data.inputs["temperature (F)"].isna().sum() == 1
    assert data.inputs["outlook"].tolist()[:2] == ["sunny", "very rainy"]
    assert data.inputs["outlook"].isna().sum() == 1
    with gzip.open(tmp_path / "play.arff.gz", "wt") as file:
        file.write(ARFF)
    assert load_file("p", tmp_path / "play.arff.gz", "play", drop=["note"]).digest == data.digest


@pytest.mark.parametrize(
    "text", ["", "x,y\n1,2\n", "@RELATION r\n@ATTRIBUTE a NUMERIC\n@DATA\n{0 1}\nq\n"]
)
def test_what_is_no_arff(tmp_path: Path, text: str) -> None:
    path = tmp_path / "wrong.arff"
    path.write_text(text)
    with pytest.raises(SetupError, match=r"wrong\.arff"):
        load_file("w", path, "a")


def test_tsv_with_numbers_that_are_categories(tmp_path: Path) -> None:
    frame = pd.DataFrame({"id": [7, 8, 9, 10], "zone": [1, 2, 1, 3], "y": ["a", "b", "a", "b"]})
    path = tmp_path / "t.tsv"
    frame.to_csv(path, sep="\t", index=False)
    data = load_file("t", path, "y", drop=["id"], categorical=["zone"])
    assert list(data.inputs) == ["zone"]
    assert data.inputs["zone"].tolist() == ["1", "2", "1", "3"]


@pytest.mark.parametrize("key", ["drop", "categorical"])
def test_columns_that_are_not_there(tmp_path: Path, key: str) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"height": [1, 2], "y": ["a", "b"]}).to_csv(path, index=False)
    with pytest.raises(SetupError, match=f"column under {key} .*did you mean height"):
        load_file("t", path, "y", **{key: ["heigth"]})  # type: ignore[arg-type]
    with pytest.raises(SetupError, match=f"column under {key}"):
        load_file("t", path, "y", **{key: ["y"]})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["a;b;y\n1,5;2;u\n-2,5;,5;v\n7;;v\n", "a;b;y\n1.5;2;u\n-2.5;.5;v\n7;;v\n"]
)
def test_semicolons_and_decimal_commas(tmp_path: Path, text: str) -> None:
    path = tmp_path / "d.csv"
    path.write_text(text)
    data = load_file("d", path, "y")
    assert data.inputs.fillna(0).to_dict("list") == {"a": [1.5, -2.5, 7], "b": [2.0, 0.5, 0]}


@pytest.mark.parametrize(
    ("rows", "n_cells"), [("0,5,u\n0,7,v\n1,5,u\n", 3), ("0,5,1,2,u\n", 5), ("0,5,1,2,3,u\n", 6)]
)
def test_decimal_commas_between_commas_are_no_names_of_rows(
    tmp_path: Path, rows: str, n_cells: int
) -> None:
    path = tmp_path / "d.csv"
    path.write_text(("a,y\n" if n_cells == 3 else "a,b,y\n") + rows)
    with pytest.raises(SetupError, match=f"rows of {n_cells} cells, a header of .*decimal commas"):
        load_file("d", path, "y")


def test_names_of_rows_as_r_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text('"a","y"\n"1",0.5,"u"\n"2",0.7,"v"\n"3",0.1,"u"\n')
    assert load_file("d", path, "y").inputs.to_dict("list") == {"a": [0.5, 0.7, 0.1]}
