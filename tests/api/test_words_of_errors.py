"""Errors of calls speak of their arguments: of no manifest, and of no option of a command."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd
import pytest

import reportgen
from reportgen.errors import ReportgenError

MANIFEST = re.compile(
    r"manifest|below `results`|`columns: |(?<![\w-])--[a-z]"
    r"|\b(results|analysis|setup|execution)\.[a-z]"
)


def tidy() -> pd.DataFrame:
    names = [["d", "e"], range(5), ["a", "b"]]
    grid = pd.MultiIndex.from_product(names, names=["dataset", "fold", "candidate"])
    values = np.random.default_rng(1).uniform(0.5, 0.9, 20)
    return grid.to_frame(index=False).assign(accuracy=values)


def board() -> pd.DataFrame:
    columns = np.random.default_rng(1).uniform(0.5, 0.9, (4, 4))
    return pd.DataFrame(columns, columns=["t1", "t2", "t3", "t4"]).assign(model=list("abcd"))


def epochs() -> pd.DataFrame:
    return pd.concat([tidy().assign(epoch=i) for i in range(3)])


def apart() -> pd.DataFrame:
    return tidy().drop(columns="fold").assign(seed=range(20))


def crashed() -> pd.DataFrame:
    return tidy().assign(outcome=["ok", "oom"] * 10)


def twice() -> pd.DataFrame:
    return pd.concat([tidy().assign(era=f"era {i}") for i in range(3)])


WRONG: dict[str, tuple[Callable[[], pd.DataFrame], dict[str, Any], str]] = {
    "role": (tidy, {"columns": {"cand": "x"}}, "compare(columns=…): cand: found an unknown key"),
    "column": (tidy, {"columns": {"candidate": "x"}}, "found no column 'x' for candidate"),
    "measure": (tidy, {"measure": "acuracy"}, "did you mean accuracy?"),
    "unit": (tidy, {"unit": "items"}, "compare(unit=…): found 'items'"),
    "alpha": (tidy, {"alpha": 2}, "compare(alpha=…): found 2"),
    "reference": (tidy, {"reference": "z"}, "compare(reference=…): found 'z'"),
    "section": (tidy, {"sections": ["eda", "x"]}, "found the unknown section 'x'"),
    "rows": (tidy, {"replication": "row"}, "compare(replication=…): found 'row'"),
    "no replication": (lambda: tidy().drop(columns="fold"), {}, "replication='rows' declares"),
    "epochs": (epochs, {}, "columns={'replication': ['fold', 'epoch']}"),
    "board": (board, {}, "columns={'candidate': 'model', 'dataset': 'columns'}, measure='NAME'"),
    "apart": (apart, {}, "unit='sample' says so"),
    "outcome": (crashed, {}, "allowed columns={'status': 'outcome'} where such runs have no"),
    "twice": (twice, {}, "columns={'replication': ['fold', 'era']} where it tells"),
    "no epochs": (tidy, {"epoch": "last"}, "found epoch='last', and no column of epochs among"),
    "item": (lambda: tidy().drop(columns="fold"), {"unit": "item"}, "columns={'item': …}"),
}


@pytest.mark.parametrize("kind", ["frame", "file"])
@pytest.mark.parametrize("name", WRONG)
def test_errors_of_calls_speak_of_arguments(name: str, kind: str, tmp_path: Path) -> None:
    table, keywords, words = WRONG[name]
    results: Any = table()
    if kind == "file":
        path = tmp_path / "t.csv"
        results.to_csv(path, index=False)
        results = path
    with pytest.raises(ReportgenError) as told:
        reportgen.compare(results, **keywords)
    said = re.sub(r"file://\S+", "", str(told.value))
    assert words in said
    assert not MANIFEST.search(said), said


def test_errors_of_reading_speak_of_arguments(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    tidy().drop(columns="fold").to_csv(path, index=False)
    with pytest.raises(ReportgenError) as told:
        reportgen.read(path)
    assert "replication='rows' declares" in str(told.value)
    assert "--replication" not in str(told.value)
    with pytest.raises(ReportgenError, match="allowed measure='NAME'"):
        reportgen.read(path, format="wide")


CALLS: dict[str, Callable[[Any], Any]] = {
    "load(path=…)": reportgen.load,
    "run: ": reportgen.run,
    "run(output=…)": lambda x: reportgen.run("study.yaml", x),
    "diff": lambda x: reportgen.diff(x, _study()),
    "save(path=…)": lambda x: _study().save(x),
    "report(folder=…)": lambda x: _study().report(folder=x),
    "figure": lambda x: _study().figure(x),
    "gate": lambda x: _study().gate(x),
    "gate(on_undecided=…)": lambda x: _study().gate("no failures", on_undecided=x),
    "gate(confirm=…)": lambda x: _study().gate("no failures", confirm=x),
    "compare(columns=…)": lambda x: reportgen.compare(tidy(), columns=x),
    "compare(measures=…)": lambda x: reportgen.compare(tidy(), measures=x),
    "compare(name=…)": lambda x: reportgen.compare(tidy(), name=x),
    "compare(unit=…)": lambda x: reportgen.compare(tidy(), unit=x),
    "compare(better=…)": lambda x: reportgen.compare(tidy(), better=x),
}
"""A call with one argument, by what an error calls it."""


@cache
def _study() -> reportgen.BenchmarkStudy:
    return reportgen.compare(tidy())


@pytest.mark.parametrize("given", [..., 3, b"x", len, pd.NA, np.ones(2)])
@pytest.mark.parametrize("name", CALLS)
def test_arguments_of_another_kind_are_told(name: str, given: Any) -> None:
    with pytest.raises(ReportgenError, match=re.escape(name)) as told:
        CALLS[name](given)
    assert "allowed" in str(told.value)


WITHIN: dict[str, Callable[[], Any]] = {
    "read(columns=…): 'candidate': found 3": lambda: reportgen.read(
        "t.csv", columns={"candidate": 3}
    ),
    "read(columns=…): found 5": lambda: reportgen.read("t.csv", columns=cast(dict, 5)),
    "run(jobs=…): found 0": lambda: reportgen.run("s.yaml", jobs=0),
    "run(jobs=…): found 1.5": lambda: reportgen.run("s.yaml", jobs=cast(int, 1.5)),
    "Sparse pandas data": lambda: reportgen.compare(
        pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1, 0]), "b": [1.0, 2, 3]}), measure="x"
    ),
}
"""A call with an argument in which something is of another kind, by words of its error."""


@pytest.mark.parametrize("words", WITHIN)
def test_what_is_of_another_kind_within_an_argument_is_told(words: str) -> None:
    with pytest.raises(ReportgenError, match=re.escape(words)) as told:
        WITHIN[words]()
    assert "allowed" in str(told.value)


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Index])
def test_columns_are_named_by_whatever_holds_names(
    kind: Callable[[list[str]], Any], tmp_path: Path
) -> None:
    """As `frame.columns[:2]` does."""
    (tmp_path / "t.csv").write_text("a,b,accuracy\nx,1,0.5\ny,1,0.6\n", encoding="utf-8")
    read = reportgen.read(tmp_path / "t.csv", columns={"candidate": kind(["a", "b"])})
    assert {(name[0], name[-1]) for name in read["candidate"]} == {("x", "1"), ("y", "1")}


@pytest.mark.parametrize("call", [reportgen.compare, reportgen.read, reportgen.load])
def test_a_path_that_no_system_has_is_told(call: Callable[[str], Any]) -> None:
    with pytest.raises(ReportgenError, match="allowed"):
        call("a\0b")
    with pytest.raises(ReportgenError, match="allowed"):
        call("a" * 10**6)


def test_a_mapping_that_is_no_table_of_battles_is_told() -> None:
    with pytest.raises(ReportgenError, match=r"found no table"):
        reportgen.battles({"a": 3})
