"""Samples that lm-evaluation-harness 0.4.13 has written (files/make_lm_eval)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import reportgen
from reportgen.errors import ExchangeError
from reportgen.exchange.columns import DirectionError
from reportgen.exchange.importing import import_results
from reportgen.exchange.tidy import read_results
from reportgen.performance_measure import Measure

PREFIX = "samples_choice_"


def lines_of(folder: Path, name: str) -> list[dict[str, object]]:
    """Return the lines of one file of samples."""
    path = next(folder.rglob(f"{name}*.jsonl"))
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def logs(files: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder, to change."""
    return Path(shutil.copytree(files / "lm-eval", tmp_path / "logs"))


def test_two_models_and_two_tasks(files: Path) -> None:
    warehouse = read_results(files / "lm-eval")
    assert warehouse.datasets == ("choice", "sums")
    assert warehouse.candidates == ("org/first", "org/second")
    sides = {m.name: (m.better, m.better_source) for m in warehouse.measures}
    assert sides == dict.fromkeys(
        ["primary", "acc", "acc_norm", "exact_match loose", "exact_match strict"],
        ("larger", "file"),
    )
    assert warehouse.items.columns.tolist() == [
        "dataset",
        "replication",
        "item",
        "cluster",
        "epoch",
    ]
    own = warehouse.items[warehouse.items["dataset"] == "choice"]
    assert own["epoch"].tolist() == [1] * 6
    assert own["item"].astype(str).tolist() == sorted(own["item"].astype(str))
    assert warehouse.facts["choice"] == {"unit": "item"}


def test_documents_are_aligned_by_their_hash(files: Path, logs: Path) -> None:
    """Whatever the order of the lines: shuffled ones give the same table."""
    for path in logs.rglob("samples_*.jsonl"):
        path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    given, shuffled = (read_results(folder) for folder in (files / "lm-eval", logs))
    assert given.frame.equals(shuffled.frame)
    found = given.performances("choice", "acc")
    by_hash = {
        (row["doc_hash"], row["doc_id"]): row["acc"]
        for row in lines_of(files / "lm-eval" / "org__first", PREFIX)
    }
    assert sorted(found.values[:, 0]) == sorted(by_hash.values())
    names = dict(zip(given.items["replication"], given.items["item"].astype(str), strict=True))
    for number, value in zip(found.replications, found.values[:, 0], strict=True):
        key, _, n = names[number].partition(" #")
        own = [v for (k, _), v in sorted(by_hash.items(), key=lambda x: x[0][1]) if k == key]
        assert value == own[int(n or 1) - 1]


def test_a_metric_that_is_listed_twice_counts_once(files: Path, logs: Path) -> None:
    for path in logs.rglob("samples_sums_*.jsonl"):
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        lines = [line | {"metrics": line["metrics"] * 2} for line in lines]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    expected, found = (read_results(folder).frame for folder in (files / "lm-eval", logs))
    assert found.equals(expected)


def test_equal_documents_stay_two_items(files: Path) -> None:
    items = read_results(files / "lm-eval").items
    names = items.loc[items["dataset"] == "choice", "item"].astype(str).tolist()
    assert len(set(names)) == 6
    assert sum(" #2" in name for name in names) == 1


def test_an_item_that_one_model_lacks_is_missing(files: Path) -> None:
    found = read_results(files / "lm-eval").performances("choice", "acc")
    assert found.values.shape == (6, 2)
    assert found.n_missing == 1
    assert not found.has_failed.any()  # it was never asked


def test_a_second_run_of_a_model_is_an_epoch(logs: Path) -> None:
    folder = logs / "org__first"
    for path in list(folder.iterdir()):
        shutil.copy(path, folder / path.name.replace("2026-11-23", "2026-11-24"))
    warehouse = read_results(logs)
    own = warehouse.items[warehouse.items["dataset"] == "choice"]
    assert own["epoch"].tolist() == [2] * 6
    found = warehouse.run_values("choice", "acc")
    assert found is not None
    assert (found[:, 0, 0] == found[:, 1, 0]).all()
    assert found.shape == (6, 2, 2)


def test_another_set_up_is_another_candidate(logs: Path) -> None:
    folder = logs / "org__first"
    for path in list(folder.iterdir()):
        other = folder / path.name.replace("2026-11-23", "2026-11-24")
        other.write_text(path.read_text().replace('"pretrained": "org/first"', '"pretrained": "b"'))
    assert len(read_results(logs).candidates) == 3


def test_files_apart_are_aligned(files: Path, logs: Path) -> None:
    """A folder a model: an item has one number in both."""
    paths = [logs / "org__second", logs / "org__first"]
    together, apart = read_results(files / "lm-eval"), import_results(paths)
    for measure in ("acc", "exact_match loose"):
        dataset = "choice" if measure == "acc" else "sums"
        one, two = (own.performances(dataset, measure) for own in (together, apart))
        order = [two.candidates.index(name) for name in one.candidates]
        assert one.replications.tolist() == two.replications.tolist()
        assert (one.values == two.values[:, order])[:5].sum() >= 9
    key = ["dataset", "replication"]
    ours, theirs = (
        own.items.astype(object).sort_values(key, ignore_index=True) for own in (together, apart)
    )
    assert ours[[*key, "item"]].equals(theirs[[*key, "item"]].astype(ours[[*key, "item"]].dtypes))


def test_the_direction_is_the_files(logs: Path) -> None:
    for path in logs.rglob("results_*.json"):
        path.write_text(path.read_text().replace('"acc_norm": true', '"acc_norm": false'))
    assert read_results(logs).measure("acc_norm").better == "smaller"


def test_python_finds_the_format(files: Path) -> None:
    frame = reportgen.read(files / "lm-eval")
    assert set(frame["dataset"]) == {"choice", "sums"}
    study = reportgen.compare(files / "lm-eval")
    assert [study.pairs(dataset=name)["n"].tolist() for name in study.datasets] == [[5] * 3] * 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"doc_id": 3', '"doc_id": "3"', "line 4: doc_id: found '3'; allowed a number"),
        ('"doc_id": 3', '"doc_id": true', "doc_id: found true"),
        ('"doc_hash": "', '"doc_hash": 5, "x": "', "doc_hash: found 5; allowed text"),
        ('{"doc_id": 2', '[2, {"doc_id": 2', "line 3: found no JSON"),
        ('{"doc_id": 2', '3\n{"doc_id": 2', "line 3: found 3; allowed a mapping"),
        ('"filter": "none"', '"filter": {}', "filter: found a mapping; allowed text"),
    ],
)
def test_what_is_wrong_is_told(logs: Path, old: str, new: str, message: str) -> None:
    path = next(logs.rglob(f"{PREFIX}*.jsonl"))
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ExchangeError, match=message):
        read_results(logs)


def test_a_line_twice(logs: Path) -> None:
    path = next(logs.rglob(f"{PREFIX}*.jsonl"))
    text = path.read_text()
    path.write_text(text + text.splitlines()[0] + "\n")
    with pytest.raises(ExchangeError, match="a second time; allowed each once"):
        read_results(logs)


def test_a_truncated_file(logs: Path) -> None:
    path = next(logs.rglob(f"{PREFIX}*.jsonl"))
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ExchangeError, match=r"line \d: found no JSON"):
        read_results(logs)


def test_without_results_the_user_gives_directions(logs: Path) -> None:
    for path in logs.rglob("results_*.json"):
        path.unlink()
    with pytest.raises(DirectionError, match="'exact_match loose', 'exact_match strict'"):
        read_results(logs)
    names = ("acc_norm", "exact_match loose", "exact_match strict")
    warehouse = read_results(logs, known={name: Measure(name, "larger") for name in names})
    assert warehouse.candidates == ("org__first", "org__second")
    assert warehouse.measures[0].better_source == "catalogue"  # accuracy
