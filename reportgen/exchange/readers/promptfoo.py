"""The JSON of promptfoo: a test of a prompt by a provider an entry of `results.results`.

Tests with the same variables and assertions are repeated runs of one item. An assertion that
fails is a wrong answer; an error (failure reason 2) loses the answer.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from hashlib import sha256
from math import nan
from pathlib import Path
from typing import Any

from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    COST,
    TIME,
    Content,
    LogFormat,
    Logs,
    Run,
    documented,
    label,
    mapping,
    number,
)
from reportgen.performance_measure import Measure
from reportgen.study.errors import shown

ERROR = 2
MAIN = ("success", "score")


def _read(logs: Logs) -> Content:
    runs: list[Run] = []
    for path, content in logs.documents():
        if _is_evaluation(content):
            runs += _runs(path, content)
    known: dict[str, Measure] = {}
    for run in runs:
        for name in run.values:
            known |= documented(name, None if name in (TIME.name, COST.name) else "larger")
    return Content(runs, known)


def _runs(path: Path, content: Mapping[str, Any]) -> list[Run]:
    """Read the results of one evaluation, by provider and prompt."""
    dataset = label(mapping(content.get("config")).get("description")) or path.stem
    results = content["results"]["results"]
    if not all(isinstance(own, dict) for own in results):
        raise ExchangeError(f"{path}: results.results: found other than mappings; allowed these")
    prompts = {_prompt(own) for own in results}
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for i, own in enumerate(results):
        provider = own.get("provider")
        name = label(provider)
        if isinstance(provider, dict):
            name = label(provider.get("label")) or label(provider.get("id"))
        if name is None:
            raise ExchangeError(
                f"{path}: result {i + 1}: found the provider {shown(provider)}; allowed an id"
            )
        groups[f"{name} ({_prompt(own)})" if len(prompts) > 1 else name].append(own)
    return [_run(path, dataset, name, own) for name, own in groups.items()]


def _prompt(result: Mapping[str, Any]) -> str:
    """Return the prompt's label, on one line and not too long."""
    prompt = mapping(result.get("prompt"))
    text = label(prompt.get("label")) or label(prompt.get("raw")) or ""
    text = " ".join(text.split())
    if not text:
        return f"prompt {result.get('promptIdx')}"
    return text if len(text) <= 60 else f"{text[:48]}… {sha256(text.encode()).hexdigest()[:8]}"


def _run(path: Path, dataset: str, name: str, results: list[Mapping[str, Any]]) -> Run:
    """Return the answers of one provider."""
    items = [_item(path, own) for own in results]
    seen: Counter[str] = Counter()
    epochs = []
    for item in items:
        seen[item] += 1
        epochs.append(seen[item])
    failures = {i: _message(own) for i, own in enumerate(results) if _is_lost(own)}
    rows = [{} if i in failures else _values(path, own) for i, own in enumerate(results)]
    names = [*MAIN, *(key for row in rows for key in row)]
    values: dict[str, list[float | None]] = {}
    for key in dict.fromkeys(names):
        if any(key in row for row in rows):
            values[key] = [row.get(key) for row in rows]
            for i in failures if key in MAIN else ():
                values[key][i] = nan
    if not values:
        values = {MAIN[0]: [nan] * len(items)}
    return Run(path, dataset, name, items, values, epochs=epochs, failures=failures)


def _item(path: Path, result: Mapping[str, Any]) -> str:
    """Name a test by its variables and assertions; by its number where it has none."""
    case = mapping(result.get("testCase"))
    about = {"vars": result.get("vars") or case.get("vars"), "assert": case.get("assert")}
    about = {key: value for key, value in about.items() if value}
    if about:
        return json.dumps(about.get("vars") or about, sort_keys=True, ensure_ascii=False)[:80] + (
            " " + sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:12]
        )
    name = label(result.get("testIdx"))
    if name is None:
        raise ExchangeError(f"{path}: found a result without vars and testIdx; allowed either")
    return name


def _is_lost(result: Mapping[str, Any]) -> bool:
    return result.get("failureReason") == ERROR


def _message(result: Mapping[str, Any]) -> str:
    return " ".join(str(result.get("error") or "error").split())[:500]


def _values(path: Path, result: Mapping[str, Any]) -> dict[str, float]:
    """Return success, score, the named scores, seconds and costs."""
    found = {key: number(result.get(key)) for key in MAIN}
    if found[MAIN[0]] is None:
        raise ExchangeError(
            f"{path}: success: found {shown(result.get('success'))}; allowed true or false"
        )
    found |= {key: number(own) for key, own in mapping(result.get("namedScores")).items()}
    latency = number(result.get("latencyMs"))
    found[TIME.name] = None if latency is None else latency / 1000
    found[COST.name] = number(result.get("cost"))
    return {key: value for key, value in found.items() if value is not None}


def _is_evaluation(content: Any) -> bool:
    results = mapping(mapping(content).get("results")).get("results")
    first = mapping(results[0]) if isinstance(results, list) and results else {}
    return "provider" in first and "success" in first


LOGS = (
    LogFormat(
        "promptfoo",
        "JSON with results.results[] of provider, success",
        "promptfoo",
        lambda logs: logs.has(_is_evaluation),
        _read,
    ),
)
