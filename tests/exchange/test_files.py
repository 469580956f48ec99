"""Which files are opened at all."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import reportgen
from reportgen import file_reading
from reportgen.cli import main
from reportgen.errors import ExchangeError, StudyError
from reportgen.exchange import files as opening
from reportgen.exchange import wide
from reportgen.exchange.files import read_table
from reportgen.exchange.paper_tables import read_paper_table
from reportgen.exchange.readers import logs
from reportgen.exchange.readers.logs import read_lines
from reportgen.exchange.records import cell_column
from reportgen.exchange.table import raw_table
from reportgen.exchange.tidy import MOST_CANDIDATES, read_results
from reportgen.json_text import read_json
from reportgen.study.manifest import read_source
from reportgen.study.schema import MeasureEntry
from tests.exchange.forms import in_turn


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
            "row 2, column candidate: found 'x+….*; allowed a printable name of at most 1,000",
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


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".rds", ".xlsx", ".tex", ".db", ""])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"results{suffix}"
    os.mkfifo(path)
    with pytest.raises(StudyError, match="found a pipe; allowed a manifest or a file of results"):
        read_source(path)
    if suffix:
        with pytest.raises(ExchangeError, match="found a pipe; allowed a file"):
            read_table(path)


def test_a_file_that_memory_does_not_hold_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.csv"
    with path.open("wb") as file:
        file.write(b"dataset,candidate,accuracy\n")
        file.truncate(2**30)
    for free, is_read in ((None, True), (2**40, True), (2**31, False)):
        monkeypatch.setattr(file_reading, "free_memory", lambda free=free: free)
        assert (file_reading.size_fault(path, 3) == "") == is_read
    with pytest.raises(ExchangeError, match=r"1\.0 GiB, which take 3 times .* 2\.0 GiB are free"):
        read_table(path)


def test_names_of_columns_are_judged_once_however_many(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def judge(name: str) -> bool:
        asked.append(name)
        return False

    monkeypatch.setattr(wide, "is_summary_name", judge)
    names = [f"c{i}" for i in range(30)]
    texts = {f"t{i}": [name] for i, name in enumerate(names)}
    columns = {**texts, **{name: ["0.5"] for name in names}}
    cells = [cell_column(own) for own in columns.values()]
    table = raw_table(Path("r.csv"), list(columns), cells, 1, place=str)
    wide.refuse_no_results(table)
    assert sorted(asked) == sorted(table.columns)


def test_a_folder_of_very_many_files_is_not_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for i in range(5):
        (tmp_path / f"{i}.log").write_text("")
    assert file_reading.entries_fault(tmp_path) == ""
    assert file_reading.entries_fault(tmp_path / "0.log") == ""
    monkeypatch.setattr(file_reading, "MOST_ENTRIES", 4)
    said = "found more than 4 files and folders; allowed"
    with pytest.raises(StudyError, match=said):
        read_source(tmp_path)
    with pytest.raises(ExchangeError, match=said):
        read_table(tmp_path)


def test_a_size_is_judged_before_a_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("it is read")

    for name in ("r.json", "r.tex", "r.md"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(2**33)
    with (tmp_path / "small.json").open("wb") as file:
        file.truncate(2**28)
    monkeypatch.setattr(file_reading, "free_memory", lambda: 2**30)
    for name in ("open", "read_bytes", "read_text"):
        monkeypatch.setattr(Path, name, refuse)
    for name, said in (
        ("r.json", "more than 1 GiB"),
        ("small.json", "0.2 GiB, which take 5 times"),
    ):
        with pytest.raises(ValueError, match=said):
            read_json(tmp_path / name)
        with pytest.raises(ExchangeError, match=f"{said.removesuffix('1 GiB')}.*allowed less"):
            logs.read_json(tmp_path / name)
    for name in ("r.tex", "r.md"):
        with pytest.raises(ExchangeError, match="found more than 1 MiB; allowed less"):
            read_paper_table(tmp_path / name)


def test_a_name_twice_in_a_mapping_is_refused(tmp_path: Path) -> None:
    row = '{"dataset": "a", "candidate": "x", "candidate": "y", "accuracy": 0.5}'
    (tmp_path / "a.json").write_text(f"[{row}]")
    (tmp_path / "b.jsonl").write_text(f"{row}\n")
    with pytest.raises(ExchangeError, match="the name 'candidate' twice in one mapping"):
        read_table(tmp_path / "a.json")
    with pytest.raises(ExchangeError, match=r"line 1: found no JSON \(the name 'candidate' twice"):
        list(read_lines(tmp_path / "b.jsonl"))


def test_more_candidates_than_can_be_compared_are_told(tmp_path: Path) -> None:
    tall = pd.DataFrame({"candidate": [f"c{i}" for i in range(MOST_CANDIDATES + 1)]})
    tall.assign(dataset="a", accuracy=0.5).to_csv(tmp_path / "tall.csv", index=False)
    with pytest.raises(ExchangeError, match="found 2,001 candidates; allowed up to 2,000"):
        read_results(tmp_path / "tall.csv")
    wide = pd.DataFrame({f"c{i}": [0.5, 0.6] for i in range(MOST_CANDIDATES + 1)})
    wide.assign(dataset=list("ab")).to_csv(tmp_path / "wide.csv", index=False)
    with pytest.raises(ExchangeError, match="candidates; allowed up to 2,000, as each is compared"):
        read_results(tmp_path / "wide.csv", wide=True, measures=[MeasureEntry(name="accuracy")])


NESTED = {
    "list": pa.array([[0.5, 0.6]] * 8),
    "struct": pa.array([{"depth": 3}] * 8),
    "map": pa.array([[("depth", 3)]] * 8, pa.map_(pa.string(), pa.int64())),
    "fixed_size_list": pa.array([[1, 2]] * 8, pa.list_(pa.int64(), 2)),
}
"""Columns of lists and records."""


def _with_nested(folder: Path, name: str, kind: str) -> Path:
    table = pa.table(
        {
            "dataset": ["d", "e"] * 4,
            "replication": [1, 1, 2, 2] * 2,
            "candidate": ["a"] * 4 + ["b"] * 4,
            "accuracy": [0.5 + i / 50 for i in range(8)],
        }
    )
    table = table.append_column("other", pa.array([0.25 + i / 50 for i in range(8)]))
    at = table.column_names.index(name) if name in table.column_names else table.num_columns - 1
    path = folder / "r.parquet"
    pq.write_table(table.set_column(at, name, NESTED[kind]), path)
    return path


@pytest.mark.parametrize(("kind", "name"), in_turn(NESTED, ["params", "model", "scores", "x"]))
def test_columns_of_lists_that_nobody_names_are_left_out_and_told(
    tmp_path: Path, name: str, kind: str
) -> None:
    path = _with_nested(tmp_path, name, kind)
    found = read_results(path)
    assert [m.name for m in found.measures] == ["accuracy"]
    assert found.candidates == ("a", "b")
    checked = CliRunner().invoke(main, ["check", str(path), "-o", str(tmp_path)])
    assert checked.exit_code == 0, checked.output
    assert f"{name} (values of type {kind}<" in checked.stdout
    frame = pq.read_table(path).to_pandas(types_mapper=pd.ArrowDtype)
    assert reportgen.compare(frame).candidates == ("a", "b")


@pytest.mark.parametrize("kind", NESTED)
@pytest.mark.parametrize("role", ["candidate", "dataset", "replication", "status", "ignore"])
def test_columns_of_lists_that_a_key_names_are_refused(
    tmp_path: Path, role: str, kind: str
) -> None:
    path = _with_nested(tmp_path, "params", kind)
    if role == "ignore":
        assert read_results(path, columns={role: "params"}).candidates == ("a", "b")
        return
    words = rf"column params: found values of type {kind}<.*; allowed a name or a number in each"
    with pytest.raises(ExchangeError, match=words):
        read_results(path, columns={role: "params"})


def test_a_measure_of_lists_is_refused(tmp_path: Path) -> None:
    path = _with_nested(tmp_path, "accuracy", "list")
    entry = MeasureEntry(name="accuracy")
    with pytest.raises(ExchangeError, match=r"column accuracy: found values of type list<"):
        read_results(path, measures=[entry])


@pytest.mark.parametrize("name", ["candidate", "dataset", "replication", "fold"])
def test_columns_of_lists_whose_name_has_a_meaning_are_refused(tmp_path: Path, name: str) -> None:
    path = _with_nested(tmp_path, name, "list")
    words = rf"column {name}: found values of type list<.*`columns: {{ignore: {name}}}` leaves it"
    with pytest.raises(ExchangeError, match=words):
        read_results(path)


def test_times_in_a_zone_that_nobody_knows_are_no_fault(tmp_path: Path) -> None:
    times = pa.array(range(6), pa.timestamp("s", "Nowhere/Town"))
    names, values = ["a", "b"] * 3, [0.1 * k for k in range(6)]
    own = {"candidate": names, "fold": [1, 1, 2, 2, 3, 3]}
    path = tmp_path / "r.parquet"
    pq.write_table(pa.table({**own, "loss": times}), path)
    with pytest.raises(ExchangeError, match="; allowed "):
        read_results(path)
    pq.write_table(pa.table({**own, "acc": values, "at": times}), path)
    assert [m.name for m in read_results(path).measures] == ["accuracy"]
    assert "at" in CliRunner().invoke(main, ["check", str(path), "-o", str(tmp_path)]).stdout


def test_text_of_the_new_kind_is_text(tmp_path: Path) -> None:
    """Polars and DuckDB hold text so."""
    names = pa.array(["a", "b"] * 3).cast(pa.string_view())
    values = [0.1 * k for k in range(6)]
    table = pa.table({"candidate": names, "fold": [1, 1, 2, 2, 3, 3], "acc": values})
    path = tmp_path / "r.parquet"
    pq.write_table(table, path)
    assert pq.read_schema(path).field("candidate").type == pa.string_view()
    assert read_results(path).candidates == ("a", "b")


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_numbers_that_are_text_in_parquet_are_numbers_as_in_csv(
    tmp_path: Path, kind: pa.DataType
) -> None:
    table = pa.table({
        "candidate": pa.array(["a", "b"] * 3, kind),
        "replication": [0, 0, 1, 1, 2, 2],
        "loss": pa.array(["0.25", "0.5", "1", "NA", "2", "-3"], kind),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "r.parquet")
    measures = [MeasureEntry(name="loss", better="smaller")]
    warehouse = read_results(tmp_path / "r.parquet", measures=measures)
    values = warehouse.performances(*warehouse.datasets, "loss").values
    assert values.tolist()[0] == [0.25, 0.5]
    assert values[2].tolist() == [2.0, -3.0]
