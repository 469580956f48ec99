from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import SetupError
from reportgen.study.given_samples import FixedSample, name_of_splitter, read_samples

HEAD = "dataset,replication,sample,observation\n"


def write(folder: Path, text: str) -> Path:
    path = folder / "samples.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_rows_are_counted_from_one_and_may_repeat(tmp_path: Path) -> None:
    text = (
        HEAD
        + "a,2,learn,3\na,2,test,1\na,1,learn,1\na,1,learn,1\na,1,test,2\nb,1,learn,1\nb,1,test,9\n"
    )
    assert read_samples(write(tmp_path, text)) == {
        "a": (FixedSample((0, 0), (1,)), FixedSample((2,), (0,))),
        "b": (FixedSample((0,), (8,)),),
    }


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("a,1,train,1\n", r"row 2: sample: found 'train'; allowed learn or test"),
        ("a,1,learn,0\n", r"row 2: observation: found 0; allowed a whole number from 1"),
        ("a,1,learn,1\na,x,test,1\n", r"row 3: replication: found 'x'; allowed a whole number"),
        ("a,1,learn,1.5\n", r"row 2: observation: found 1.5"),
        ("a,2,learn,1\na,2,test,2\n", r"found other replications of 'a'; allowed 1, 2, 3"),
        ("a,1,learn,1\n", r"1 of 'a': found 1 observations to learn from and 0 to test on"),
    ],
)
def test_what_makes_no_sense_is_told_with_its_row(tmp_path: Path, rows: str, told: str) -> None:
    with pytest.raises(SetupError, match=told):
        read_samples(write(tmp_path, HEAD + rows))


def test_a_row_in_both_samples_is_refused_unless_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + "a,1,learn,1\na,1,learn,4\na,1,test,4\n")
    with pytest.raises(
        SetupError, match="1 of 'a': found the observation 4 both to learn from and"
    ):
        read_samples(path)
    (sample,) = read_samples(path, may_overlap=True)["a"]
    assert sample == FixedSample((0, 3), (3,))
    assert sample.has_overlap
    assert not FixedSample((0, 3), (1,)).has_overlap


def test_columns_and_the_file_have_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="found no column sample"):
        read_samples(write(tmp_path, "dataset,replication,observation\n"))
    with pytest.raises(SetupError, match="cannot be read"):
        read_samples(tmp_path / "none.csv")


def test_options_of_a_splitter_show_no_paths_of_the_machine(tmp_path: Path) -> None:
    name = name_of_splitter([], "own.splits", {"file": str(Path.home() / "x" / "a.csv"), "n": 3})
    assert str(Path.home()) not in name
    assert name.startswith("own.splits(file='")
    assert name.endswith("a.csv', n=3)")
