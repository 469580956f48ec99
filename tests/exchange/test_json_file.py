"""JSON: the shapes that are tables, and those that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.files import read_table
from reportgen.exchange.tidy import read_results
from reportgen.study.schema import MeasureEntry


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


NESTED = {
    "measures": {d: {k: {"acc": 0.5, "f1": 0.25} for k in ("rf", "svm")} for d in ("d1", "d2")},
    "lists": {d: {k: {"acc": [0.25, 0.75]} for k in ("rf", "svm")} for d in ("d1", "d2")},
    "folds": {d: {k: {"fold1": {"acc": 0.5}} for k in ("rf", "svm")} for d in ("d1", "d2")},
    "spreads": {d: {k: {"mean": 0.5, "std": 0.1} for k in ("rf", "svm")} for d in ("d1", "d2")},
    "learners": {d: {"rf": 0.5, "svm": 0.5} for d in ("d1", "d2")},
    "learners and lists": {d: {"rf": [0.25, 0.75], "svm": [0.5, 0.5]} for d in ("d1", "d2")},
}


@pytest.mark.parametrize("name", NESTED)
def test_nested_mappings_are_read_as_those_of_python(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps(NESTED[name]))
    is_named = name in ("measures", "lists", "folds")
    entries = [MeasureEntry(name="accuracy")]
    found = read_results(path, measures=entries, wide=not is_named)  # as --measure says
    assert (found.datasets, found.candidates) == (("d1", "d2"), ("rf", "svm"))
    own = found.frame.groupby(["dataset", "candidate"], observed=True)["value"].mean()
    assert own.tolist() == [0.5] * 4
    turned = {k: {d: x[k] for d, x in NESTED[name].items()} for k in ("rf", "svm")}
    path.write_text(json.dumps(turned))
    if name != "learners and lists":  # columns of rf and svm, of unknown measures
        with pytest.raises(ExchangeError, match="names of candidates, and the candidates d1, d2"):
            read_results(path)


def test_nested_mappings_of_candidates(tmp_path: Path) -> None:
    """As many write the results of one data set; other numbers of values are as of a table."""
    path = tmp_path / "x.json"
    path.write_text('{"ours": {"acc": 0.5, "f1": 0.25}, "theirs": {"acc": 0.75, "f1": 0.5}}')
    found = read_results(path)
    assert found.performances("x", "accuracy").values.tolist() == [[0.5, 0.75]]
    assert found.performances("x", "f1").values.tolist() == [[0.25, 0.5]]
    path.write_text('{"ours": {"acc": [0.5, 0.25]}, "theirs": {"acc": [0.75]}}')
    with pytest.raises(ExchangeError, match="no column of replications"):
        read_results(path)
    assert len(read_results(path, unit="sample").frame) == 3


def test_measures_beside_notes_are_records_of_candidates(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    own = {"acc": 0.5, "f1": 0.25, "note": "as before", "tuned": True, "zeal": 3}
    pair = {"ours": own, "rf": {**own, "zeal": 4.5}}
    for content in (pair, dict.fromkeys(("x", "y"), pair)):
        path.write_text(json.dumps(content))
        entries = [MeasureEntry(name="accuracy"), MeasureEntry(name="f1")]
        found = read_results(path, measures=entries)
        assert found.candidates == ("ours", "rf")
        assert found.datasets == (("x", "y") if "x" in content else ("x",))
        assert found.frame.groupby("measure", observed=True)["value"].mean().to_dict() == {
            "accuracy": 0.5,
            "f1": 0.25,
        }
    path.write_text(json.dumps(pair))
    with pytest.raises(ExchangeError, match="'zeal' of unknown direction"):
        read_results(path)
    path.write_text(json.dumps({"ours": {**own, "candidate": 1, "mse": 1}}))
    with pytest.raises(ExchangeError, match="found candidate among measures"):
        read_table(path)


def test_lists_of_records_by_candidate(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    rows = [{"fold": 1, "acc": 0.5}, {"fold": 2, "acc": 0.25}]
    path.write_text(json.dumps({"rf": rows, "svm": rows}))
    assert read_results(path).performances("x", "accuracy").values.tolist() == [
        [0.5] * 2,
        [0.25] * 2,
    ]
    path.write_text(json.dumps({d: {"rf": rows, "svm": rows} for d in ("d1", "d2")}))
    assert read_results(path).datasets == ("d1", "d2")
    path.write_text(json.dumps({k: {"d1": rows, "d2": rows} for k in ("rf", "svm")}))
    with pytest.raises(ExchangeError, match="with names of candidates, and the candidates d1, d2"):
        read_table(path)


def test_names_that_tell_nothing_are_asked_for(tmp_path: Path) -> None:
    """A row of names within would be lost, and which side candidates are nobody knows."""
    path = tmp_path / "x.json"
    path.write_text('{"a": {"p": 0.5, "q": 0.75}, "b": {"p": 0.25, "q": 0.5}}')
    with pytest.raises(ExchangeError, match="names that do not tell what they are: a, b; allowed"):
        read_results(path, measures=[MeasureEntry(name="accuracy")], wide=True, replication="rows")
    path.write_text('{"fold": {"p": 1, "q": 2}, "a": {"p": 0.25, "q": 0.5}}')
    assert read_table(path).columns.keys() == {"fold", "a"}
