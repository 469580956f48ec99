"""JSON: the shapes that are tables, and those that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.files import read_table
from reportgen.exchange.tidy import read_results


def _read(tmp_path: Path, text: str) -> dict[str, list[object]]:
    path = tmp_path / "x.json"
    path.write_text(text)
    return {name: column.to_pylist() for name, column in read_table(path).columns.items()}


@pytest.mark.parametrize(
    "text",
    [
        '[{"a": 1, "b": "x"}, {"a": null, "b": "y"}]',
        '{"a": [1, null], "b": ["x", "y"]}',
        '{"a": {"0": 1, "1": null}, "b": {"0": "x", "1": "y"}}',
    ],
)
def test_shapes(tmp_path: Path, text: str) -> None:
    assert _read(tmp_path, text) == {"a": [1.0, None], "b": ["x", "y"]}


def test_names_around_tables(tmp_path: Path) -> None:
    found = _read(tmp_path, '{"lda": {"e": [1, 2]}, "svm": [{"e": 3}]}')
    assert found == {"candidate": ["lda", "lda", "svm"], "e": [1.0, 2.0, 3.0]}
    found = _read(tmp_path, '{"d": {"lda": {"e": [1]}}}')
    assert found == {"dataset": ["d"], "candidate": ["lda"], "e": [1.0]}


def test_a_tidy_table(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('[{"algorithm": "a", "error": 0.5}, {"algorithm": "b", "error": true}]')
    with pytest.raises(ExchangeError, match=r"column error: found 'true'; allowed a number"):
        read_results(path)
    path.write_text('[{"algorithm": "a", "error": 0.5}, {"algorithm": "b", "error": 0.25}]')
    assert read_results(path).performances("t", "misclassification").values.tolist() == [
        [0.5, 0.25]
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "found no JSON"),
        ("3", "found 3 that is no table; allowed a list of records"),
        ('{"a": [1], "b": [1, 2]}', "found 1 cells in the column 'a' and 2 in 'b'"),
        ('{"a": {"b": {"c": {"d": [1]}}}}', "no table"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ExchangeError, match=said):
        _read(tmp_path, text)


def test_a_number_beyond_all_bounds_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('[{"candidate": "a", "replication": 1, "mse": 1' + "0" * 400 + "}]")
    with pytest.raises(ExchangeError, match="row 1, column mse: found '1000"):
        read_results(path)


def test_half_a_character_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('[{"candidate": "\\ud800", "error": 1}]')
    with pytest.raises(ExchangeError, match="half of a surrogate pair, which is no character"):
        read_table(path)
    path.write_text('[{"candidate": "\\ud83d\\ude00", "error": 1}]')
    assert read_table(path).columns["candidate"].to_pylist() == ["\U0001f600"]
