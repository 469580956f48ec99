"""Very many pairs lie in a file of their own, and nothing of them is lost."""

from __future__ import annotations

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from reportgen.errors import StudyError
from reportgen.rendering import results_json
from reportgen.rendering import results_json as pairs_file
from reportgen.rendering.exports import write_tables
from reportgen.report import PAIRS, Report
from tests.builders import warehouse_of
from tests.rendering.test_results_json import part
from tests.schemas import results
from tests.sections.domain import making
from tests.sections.reading import ERROR, NAMES, blocks, report_of

Place = tuple[str, str | None, str, str]


def lists(results: dict[str, Any]) -> dict[Place, list[dict[str, Any]]]:
    """Return the lists of pairs of the inference, as the contract has them."""
    found = {}
    for dataset, own in results["sections"]["inference"].items():
        for measure, told in own.items():
            for path in ("pairs", "rank_pairs", "effects", "new_data.pairs"):
                value: Any = told
                for key in path.split("."):
                    value = value and value.get(key)
                if value:
                    found["inference", dataset, measure, path] = value
    return found


def rows_of(folder: Path) -> dict[Place, list[dict[str, Any]]]:
    found: dict[Place, list[dict[str, Any]]] = {}
    for row in pq.read_table(folder / PAIRS).to_pylist():
        place = tuple(row.pop(key) for key in ("section", "dataset", "measure", "list"))
        found.setdefault(place, []).append(row)
    return found


def rendered(report: Report, folder: Path) -> dict[str, Any]:
    path = results_json.render(report, folder / "results.json")[0]
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(scope="module")
def many() -> Report:
    """Return the inference on two data sets, three candidates each, one cell empty."""
    values = {
        d: {ERROR: blocks([0.1, 0.12, 0.2], 8, seed=seed)} for d, seed in (("x", 2), ("y", 4))
    }
    values["y"][ERROR][3, 1] = float("nan")
    scheme = {"scheme": "bootstrap", "assessment": "out-of-bag"}
    return report_of(values, NAMES[:3], resampling=scheme, only=("inference",))


@pytest.fixture(scope="module")
def whole(many: Report) -> dict[str, Any]:
    """Return its results with all lists."""
    return results(many)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs_file, "MOST_PAIRS", 2)


def test_lists_are_listed_as_long_as_pairs_are_few(many: Report, tmp_path: Path) -> None:
    assert lists(rendered(many, tmp_path))
    assert not (tmp_path / "tables").exists()


@pytest.mark.usefixtures("few")
def test_every_pair_is_in_the_file_and_null_in_its_place(
    many: Report, whole: dict[str, Any], tmp_path: Path
) -> None:
    listed, found = lists(whole), rendered(many, tmp_path)
    assert len(listed) > 2
    assert not lists(found)
    rows = rows_of(tmp_path)
    for place, expected in listed.items():
        assert len(rows[place]) == len(expected)
        for row, entry in zip(rows[place], expected, strict=True):
            assert {k: v for k, v in row.items() if v is not None} == {
                k: v for k, v in entry.items() if v is not None
            }
    for own in found["sections"]["inference"].values():
        for told in own.values():
            if told["mixed_model"]:
                assert (told["pairs"], told["pairs_file"]) == (None, "tables/pairs.parquet")
            assert part("inference").is_valid(told)


@pytest.mark.usefixtures("few")
@pytest.mark.usefixtures("few")
def test_a_text_of_the_file_is_written_once(many: Report, tmp_path: Path) -> None:
    contents = tuple(replace(many.contents[0], dataset=f"d{i}") for i in range(50))
    rendered(replace(many, contents=contents), tmp_path)
    columns = pq.ParquetFile(tmp_path / PAIRS).metadata.row_group(0)
    for column in map(columns.column, range(columns.num_columns)):
        if column.path_in_schema in ("section", "dataset", "list", "first", "decision", "method"):
            # What outgrows a dictionary is written at each place.
            assert column.total_uncompressed_size < 2 * columns.num_rows, column.path_in_schema


@pytest.mark.usefixtures("few")
def test_a_later_report_with_few_pairs_takes_the_file_away(
    many: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered(many, tmp_path)
    first = (tmp_path / PAIRS).read_bytes()
    rendered(many, tmp_path)
    assert (tmp_path / PAIRS).read_bytes() == first
    monkeypatch.setattr(pairs_file, "MOST_PAIRS", 100_000)
    rendered(many, tmp_path)
    assert list((tmp_path / "tables").iterdir()) == []


@pytest.mark.usefixtures("few")
def test_pairs_of_data_sets_are_written_once(many: Report, tmp_path: Path) -> None:
    alone = {path.name for path in write_tables(many, tmp_path / "alone")}
    rendered(many, tmp_path)
    beside = {path.name for path in write_tables(many, tmp_path / "tables")}
    left_out = {f"{name}-inference-pairs-{ERROR.name}.csv" for name in "xy"}
    assert alone - beside == left_out
    exported = write_tables(many, tmp_path / "tables", has_all=True)
    assert {path.name for path in exported} == alone


@pytest.mark.usefixtures("few")
def test_pairs_over_data_sets_and_by_ranks_are_written_once(tmp_path: Path) -> None:
    warehouse = warehouse_of({ERROR: making.draw_values(3, [[0.2, 0.21, 0.3]] * 7)}, NAMES[:3])
    found = making.report_of(making.judged(warehouse, is_modelled=False), warehouse)
    alone = {path.name for path in write_tables(found, tmp_path / "alone")}
    rendered(found, tmp_path)
    beside = {path.name for path in write_tables(found, tmp_path / "tables")}
    assert alone - beside == {f"domain-{name}-{ERROR.name}.csv" for name in ("pairs", "across")}
    written = {place[-1]: len(rows) for place, rows in rows_of(tmp_path).items()}
    assert (written["verdict.pairs"], written["across.pairs"]) == (3, 3)


def test_domain_pairs_and_nested_values_have_columns(tmp_path: Path) -> None:
    pair = {"first": "a", "second": "b"}
    interaction = {"pairs": [pair | {"df": 3}, pair | {"df": 2.5}], "order": ["a", "b"]}
    domain: dict[str, Any] = {
        "verdict": {"m": {"pairs": [pair, pair]}},
        "mixed_model": {"m": {"interaction": interaction}},
        "across": {"m": {"pairs": [pair | {"posterior": {"better": 0.5}}]}},
        "sign_flips": {"m": [pair]},
        "agreement": {"m": {"disagreements": [pair | {"before": ["means", "wins"]}]}},
        "merges": [{"first": 1}],
    }
    local: dict[str, Any] = {"m": {"pairs": [pair]}}
    lists = pairs_file.PairsFile(["m"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs_file, "MOST_PAIRS", 2)
        lists.add("inference", "x", local)
        assert local["m"]["pairs"] == [pair]
        lists.add("domain", None, domain)
    lists.write(tmp_path)
    assert local["m"] == {"pairs": None, "pairs_file": "tables/pairs.parquet"}
    assert domain["verdict"]["m"] == {"pairs": None, "pairs_file": "tables/pairs.parquet"}
    assert domain["mixed_model"]["m"]["interaction"]["pairs"] is None
    assert domain["across"]["m"] == {"pairs": None, "pairs_file": "tables/pairs.parquet"}
    assert domain["merges"] == [{"first": 1}]
    rows = rows_of(tmp_path)
    models = rows["domain", None, "m", "mixed_model.interaction.pairs"]
    assert [row["df"] for row in models] == [3, 2.5]
    assert rows["domain", None, "m", "across.pairs"][0]["posterior.better"] == 0.5
    assert rows["domain", None, "m", "agreement.disagreements"][0]["before"] == ["means", "wins"]
    assert len(rows["domain", None, "m", "sign_flips"]) == 1
    assert domain["sign_flips"] == {"m": None, "pairs_file": "tables/pairs.parquet"}


@pytest.mark.usefixtures("few")
def test_pairs_are_read_back_from_the_file_beside_the_results(
    many: Report, whole: dict[str, Any], tmp_path: Path
) -> None:
    listed, found = lists(whole), rendered(many, tmp_path)
    read = lists(results_json.restore_pairs(found, tmp_path, [place[-1] for place in listed]))
    assert read.keys() == listed.keys()
    for place, expected in listed.items():
        for row, entry in zip(read[place], expected, strict=True):
            assert {k: row[k] for k in entry} == entry
    verdicts = results_json.restore_pairs(rendered(many, tmp_path), tmp_path)
    assert {place[-1] for place in lists(verdicts)} == {"pairs"}


@pytest.mark.usefixtures("few")
def test_a_file_that_is_not_there_is_said(many: Report, tmp_path: Path) -> None:
    found = rendered(many, tmp_path)
    (tmp_path / PAIRS).unlink()
    with pytest.raises(StudyError, match="found no pairs"):
        results_json.restore_pairs(found, tmp_path)
    (tmp_path / PAIRS).write_bytes(b"PAR1 no table PAR1")
    with pytest.raises(StudyError, match="found no pairs"):
        results_json.restore_pairs(found, tmp_path)


@pytest.mark.usefixtures("few")
def test_what_is_written_is_in_memory_one_result_after_the_other(
    many: Report, tmp_path: Path
) -> None:
    contents = tuple(replace(many.contents[0], dataset=f"d{i}") for i in range(100))
    results_json.render(many, tmp_path / "warm.json")
    tracemalloc.start()
    try:
        path = results_json.render(replace(many, contents=contents), tmp_path / "results.json")[0]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(json.loads(path.read_text("utf-8"))["sections"]["inference"]) == 100
    assert peak < path.stat().st_size
