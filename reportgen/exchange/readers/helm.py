"""The per_instance_stats.json of HELM: a run a folder, an instance and training trial an entry."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    documented,
    label,
    mapping,
    number,
    read_json,
)
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import shown

FILE = "per_instance_stats.json"
MODEL = re.compile(r"(?:^|(?<=[:,]))model=([^,]*),?")
SIDES: Mapping[str, Better] = MappingProxyType(
    dict.fromkeys(
        "exact_match quasi_exact_match prefix_exact_match quasi_prefix_exact_match "
        "exact_match_with_references final_number_exact_match f1_score classification_micro_f1 "
        "rouge_1 rouge_2 rouge_l bleu_1 bleu_4 math_equiv math_equiv_chain_of_thought "
        "chain_of_thought_correctness ifeval_strict_accuracy RR@10 NDCG@10 code_eval_acc pass "
        "test_avg strict_acc".split(),
        "larger",
    )
)
"""Metrics of which HELM's schema says that larger values are better."""
SECONDS = "inference_runtime"
MAINS: Mapping[str, str] = MappingProxyType(
    {
        "narrative_qa": "f1_score",
        "natural_qa": "f1_score",
        "quac": "f1_score",
        "summarization": "rouge_2",
        "wmt_14": "bleu_4",
        **dict.fromkeys(
            "boolq civil_comments imdb legalbench med_qa raft".split(), "quasi_exact_match"
        ),
    }
)
"""The main metric of scenarios, by the beginning of their names, where none below is it."""
RANKED = (
    "math_equiv_chain_of_thought math_equiv final_number_exact_match chain_of_thought_correctness "
    "ifeval_strict_accuracy RR@10 code_eval_acc pass test_avg exact_match quasi_exact_match"
).split()
"""Main metrics of HELM's schema, the most special first."""


def _read(logs: Logs) -> Content:
    known: dict[str, Measure] = {}
    omitted: set[str] = set()
    runs = []
    for path in logs.named(re.escape(FILE)):
        dataset, model = _names(path)
        runs.append(_run(path, dataset, model, omitted))
    for run in runs:
        for name in run.values:
            known |= documented(name, SIDES.get(name))
    decided = [("left-out-measures", name) for name in sorted(omitted)]
    return Content(runs, known, decided=decided)


def _names(path: Path) -> tuple[str, str]:
    """Return the scenario and the model, of the specification beside or the folder's name."""
    folder = path.resolve().parent.name
    match = MODEL.search(folder)
    spec = path.with_name("run_spec.json")
    content = mapping(read_json(spec)) if spec.is_file() else {}
    model = label(mapping(content.get("adapter_spec")).get("model"))
    if model is None and match:
        model = match[1]
    if model is None:
        raise ExchangeError(
            f"{path}: found no model in run_spec.json, nor in the folder {shown(folder)}; allowed "
            "a folder <scenario>:…,model=<name> as HELM makes it"
        )
    name = label(content.get("name")) or folder
    dataset = MODEL.sub("", name).strip(" ,:")
    return dataset or folder, model


def _run(path: Path, dataset: str, model: str, omitted: set[str]) -> Run:
    """Read the instances without perturbations."""
    content = read_json(path)
    if not isinstance(content, list) or not all(isinstance(own, dict) for own in content):
        raise ExchangeError(f"{path}: found no list of instances; allowed one")
    items, epochs = list[str](), list[int]()
    rows: list[dict[str, float]] = []
    for i, own in enumerate(content):
        if own.get("perturbation"):
            continue
        name, trial = label(own.get("instance_id")), own.get("train_trial_index", 0)
        if name is None or type(trial) is not int or not 0 <= trial < 1 << 31:
            raise ExchangeError(
                f"{path}: entry {i + 1}: found the instance {shown(own.get('instance_id'))} of "
                f"trial {shown(trial)}; allowed a name and a number from 0"
            )
        items.append(name)
        epochs.append(trial + 1)
        rows.append(_stats(path, i, own.get("stats"), omitted))
    names = list(dict.fromkeys(name for row in rows for name in row))
    values: dict[str, list[float | None]] = {n: [row.get(n) for row in rows] for n in names}
    if not values:
        raise ExchangeError(
            f"{path}: found no measure whose direction is known; allowed one of {', '.join(SIDES)}"
        )
    return Run(path, dataset, model, items, values, epochs=epochs, main=_main(dataset, names))


def _main(scenario: str, names: Sequence[str]) -> str:
    """Return the metric by which HELM ranks on a scenario."""
    own = next((main for begin, main in MAINS.items() if scenario.startswith(begin)), "")
    return next((name for name in (own, *RANKED, *SIDES) if name in names), "")


def _stats(path: Path, i: int, stats: Any, omitted: set[str]) -> dict[str, float]:
    """Return the metrics of an instance: their mean, or their sum by their count."""
    if not isinstance(stats, list):
        raise ExchangeError(f"{path}: entry {i + 1}: stats: found {shown(stats)}; allowed a list")
    found: dict[str, float] = {}
    for stat in stats:
        about = mapping(mapping(stat).get("name"))
        name = label(about.get("name"))
        if name is None or about.get("perturbation"):
            continue
        own = TIME.name if name == SECONDS else name
        if own == name and name not in SIDES:
            omitted.add(name)
            continue
        value = _mean(stat)
        if value is not None:
            found[own] = value
    return found


def _mean(stat: Mapping[str, Any]) -> float | None:
    mean = number(stat.get("mean"))
    if mean is not None:
        return mean
    total, count = number(stat.get("sum")), number(stat.get("count"))
    return total / count if total is not None and count else None


LOGS = (LogFormat("helm", FILE, "HELM", lambda logs: bool(logs.named(re.escape(FILE))), _read),)
