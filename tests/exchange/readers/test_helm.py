"""The per_instance_stats.json of HELM, to its classes PerInstanceStats and Stat."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reportgen.errors import ExchangeError
from reportgen.exchange.tidy import read_results


def stat(name: str, value: float, *, has_mean: bool = True, **more: Any) -> dict[str, Any]:
    own = {"name": {"name": name, "split": "test", **more}, "count": 2, "sum": 2 * value}
    return own | ({"mean": value} if has_mean else {})


def instance(i: int, value: float, *, trial: int = 0, **more: Any) -> dict[str, Any]:
    stats = [
        stat("num_prompt_tokens", 70),
        stat("exact_match", value, has_mean=i % 2 == 0),
        stat("exact_match", 0, perturbation={"name": "robustness"}),
        stat("inference_runtime", 0.5),
    ]
    return {"instance_id": f"id{i}", "train_trial_index": trial, "stats": stats} | more


def write(folder: Path, model: str, content: Any) -> Path:
    place = folder / f"mmlu:subject=anatomy,model={model},data_augmentation=canonical"
    place.mkdir(parents=True, exist_ok=True)
    (place / "per_instance_stats.json").write_text(json.dumps(content))
    return folder


def test_two_models(tmp_path: Path) -> None:
    for model, hits in (("openai_gpt2", (1, 0, 1)), ("other_one", (0, 0, 1))):
        rows = [instance(9 + i, hit, trial=t) for t in (0, 1) for i, hit in enumerate(hits)]
        rows.append(instance(9, 0, perturbation={"name": "robustness"}))
        write(tmp_path, model, rows)
    warehouse = read_results(tmp_path)
    assert warehouse.datasets == ("mmlu:subject=anatomy,data_augmentation=canonical",)
    assert warehouse.candidates == ("openai_gpt2", "other_one")
    found = warehouse.performances(warehouse.datasets[0], "exact_match")
    assert found.values.tolist() == [[0, 0], [1, 1], [1, 0]]
    runs = warehouse.run_values(warehouse.datasets[0], "exact_match")
    assert runs is not None
    assert runs.tolist() == [[[0, 0]] * 2, [[1, 1]] * 2, [[1, 0]] * 2]
    assert warehouse.items["item"].astype(str).tolist() == ["id10", "id11", "id9"]
    assert warehouse.items["epoch"].tolist() == [2] * 3
    assert [m.name for m in warehouse.measures] == ["exact_match", "time"]
    assert ("left-out-measures", "num_prompt_tokens") in {
        (row["name"], row["value"]) for _, row in warehouse.remarks.iterrows()
    }


def test_the_specification_names_the_model(tmp_path: Path) -> None:
    write(tmp_path, "a", [instance(1, 1)])
    place = next(tmp_path.iterdir())
    spec = {"name": "mmlu:subject=law,model=a", "adapter_spec": {"model": "org/a"}}
    (place / "run_spec.json").write_text(json.dumps(spec))
    warehouse = read_results(tmp_path)
    assert (warehouse.datasets, warehouse.candidates) == (("mmlu:subject=law",), ("org/a",))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"a": 1}, "found no list of instances"),
        ([1], "found no list of instances"),
        ([{"instance_id": None, "stats": []}], "entry 1: found the instance nothing"),
        ([{"instance_id": "a", "train_trial_index": -1}], "trial -1"),
        ([{"instance_id": "a", "stats": {}}], "stats: found a mapping; allowed a list"),
        ([{"instance_id": "a", "stats": [stat("cost", 1)]}], "no measure whose direction"),
        ([instance(1, 1), instance(1, 1)], "item 'id1' of .* a second time"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, content: Any, message: str) -> None:
    with pytest.raises(ExchangeError, match=message):
        read_results(write(tmp_path, "a", content))


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    path = tmp_path / "run" / "per_instance_stats.json"
    path.write_text(json.dumps([instance(1, 1)]))
    with pytest.raises(ExchangeError, match=r"no model in run_spec\.json, nor in the folder 'run'"):
        read_results(path)
