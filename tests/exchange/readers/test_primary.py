"""The measure that joins the main measures of tasks which have different ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from reportgen.exchange.readers.logs import PRIMARY
from reportgen.exchange.tidy import read_results
from reportgen.warehouse import Warehouse

MODELS = ("first", "second")
EXACT = "exact_match strict-match"


def write_lm_eval(folder: Path, tasks: Mapping[str, Mapping[str, list[float]]]) -> Path:
    """Write samples of two models; `tasks` has by task and metric the values of its items.

    The second model has those of the first in reverse.
    """
    date = "2026-10-01T10-11-12.345678"
    about = {
        "configs": {
            task: {"metric_list": [{"metric": own.partition(" ")[0]} for own in metrics]}
            for task, metrics in tasks.items()
        },
        "higher_is_better": {
            task: {own.partition(" ")[0]: own != "perplexity" for own in metrics}
            for task, metrics in tasks.items()
        },
    }
    for model in MODELS:
        place = folder / model
        place.mkdir(parents=True)
        (place / f"results_{date}.json").write_text(json.dumps({"model_name": model, **about}))
        for task, metrics in tasks.items():
            lines: dict[tuple[str, int], dict[str, Any]] = {}
            for name, values in metrics.items():
                metric, _, kind = name.partition(" ")
                for i, value in enumerate(values if model == "first" else values[::-1]):
                    empty = {"doc_id": i, "doc_hash": f"h{i}", "filter": kind or "none"}
                    line = lines.setdefault((kind, i), {**empty, "metrics": []})
                    line["metrics"].append(metric)
                    line[metric] = value
            text = "\n".join(map(json.dumps, lines.values()))
            (place / f"samples_{task}_{date}.jsonl").write_text(text)
    return folder


def notes(warehouse: Warehouse, kind: str) -> list[str]:
    """Return what was decided while the logs were read."""
    rows = warehouse.remarks[warehouse.remarks["name"] == kind]
    return list(map(str, rows["value"]))


def joined(warehouse: Warehouse, parts: Mapping[str, str]) -> None:
    """Hold the first measure against the main one of each data set, value by value."""
    assert warehouse.measures[0].name == PRIMARY
    assert set(parts) == set(warehouse.datasets)
    for dataset, name in parts.items():
        own, main = (warehouse.performances(dataset, m) for m in (PRIMARY, name))
        assert own.values.tolist() == main.values.tolist()
        assert own.values.size


def test_lm_eval(tmp_path: Path) -> None:
    logs = write_lm_eval(
        tmp_path,
        {
            "arc": {"acc": [1, 0, 1], "acc_norm": [0, 0, 1]},
            "gsm": {"exact_match flexible-extract": [1, 1, 0], EXACT: [1, 0, 0]},
        },
    )
    config = next(tmp_path.rglob("results_*.json"))
    found = json.loads(config.read_text())
    found["configs"]["gsm"]["filter_list"] = [{"name": "strict-match"}, {"name": "flexible"}]
    config.write_text(json.dumps(found))
    warehouse = read_results(logs)
    joined(warehouse, {"arc": "acc", "gsm": EXACT})
    assert warehouse.measures[0].better == "larger"
    assert warehouse.measures[0].bounds == (0.0, 1.0)
    assert notes(warehouse, "primary") == ["acc (arc)", f"{EXACT} (gsm)"]


@pytest.mark.parametrize(
    ("tasks", "told"),
    [
        ({"a": {"acc": [1, 0]}, "b": {"acc": [0, 0]}}, []),  # one measure for all
        ({"a": {"acc": [1, 0]}, "b": {"bleu": [31.5, 20.0]}}, ["bleu"]),  # of another scale
        ({"a": {"acc": [1, 0]}, "b": {"perplexity": [0.5, 0.2]}}, ["perplexity"]),  # side
    ],
)
def test_what_cannot_be_joined_is_told(
    tmp_path: Path, tasks: dict[str, dict[str, list[float]]], told: list[str]
) -> None:
    warehouse = read_results(write_lm_eval(tmp_path, tasks))
    assert PRIMARY not in [measure.name for measure in warehouse.measures]
    assert notes(warehouse, "no-primary") == told
    assert not notes(warehouse, PRIMARY)


def test_many_tasks_are_counted(tmp_path: Path) -> None:
    tasks: dict[str, Any] = {f"t{i}": {"acc": [1, 0]} for i in range(6)}
    warehouse = read_results(write_lm_eval(tmp_path, {**tasks, "u": {"f1": [0.5, 0.25]}}))
    assert notes(warehouse, "primary") == ["acc (t0, t1, t2, t3 and 2 more)", "f1 (u)"]


def test_helm(tmp_path: Path) -> None:
    """Its schema ranks narrative_qa by f1_score, which mmlu has, too, and does not rank by."""
    metrics = {"exact_match": (1.0, 0.0), "f1_score": (0.75, 0.25)}
    for task in ("mmlu:subject=anatomy", "narrative_qa:"):
        for model in MODELS:
            place = tmp_path / f"{task},model={model}"
            place.mkdir()
            stats = [
                [{"name": {"name": name}, "mean": own[i]} for name, own in metrics.items()]
                for i in range(2)
            ]
            rows = [{"instance_id": f"id{i}", "stats": own} for i, own in enumerate(stats)]
            (place / "per_instance_stats.json").write_text(json.dumps(rows))
    warehouse = read_results(tmp_path)
    joined(warehouse, {"mmlu:subject=anatomy": "exact_match", "narrative_qa": "f1_score"})


def test_inspect(tmp_path: Path) -> None:
    """The first scorer of a task is its headline."""
    accuracy = [{"name": "inspect_ai/accuracy"}]
    for task, scorers in {"quiz": ("choice", "match"), "sums": ("match",)}.items():
        for model in MODELS:
            log = {
                "version": 2,
                "status": "success",
                "eval": {
                    "created": "2026-01-01",
                    "task": task,
                    "model": model,
                    "scorers": [{"name": name, "metrics": accuracy} for name in scorers],
                },
                "samples": [
                    {
                        "id": i,
                        "epoch": 1,
                        "scores": {s: {"value": "CI"[(i + k) % 2]} for k, s in enumerate(scorers)},
                    }
                    for i in range(4)
                ],
            }
            (tmp_path / f"{task}-{model}.json").write_text(json.dumps(log))
    joined(read_results(tmp_path), {"quiz": "choice", "sums": "match"})
