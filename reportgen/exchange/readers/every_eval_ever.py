"""Every Eval Ever: <uuid>.json of a model's evaluations, <uuid>_samples.jsonl of their items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from math import nan
from pathlib import Path
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    TIME,
    TOKENS,
    Content,
    LogFormat,
    Logs,
    Run,
    agree,
    distinct_items,
    documented,
    find_clusters,
    label,
    look_up,
    mapping,
    number,
    read_lines,
)
from reportgen.performance_measure import Measure

SAMPLES = r".+_samples\.jsonl"
MAIN = "score"
EVALUATION = "evaluation_id"
UNKNOWN = -1.0  # where a metric has a level for what nobody knows


@dataclass(slots=True)
class _Samples:
    """The lines of one model, evaluation and result."""

    keys: list[str] = field(default_factory=list)
    hashes: list[str | None] = field(default_factory=list)
    values: list[float | None] = field(default_factory=list)
    times: list[float | None] = field(default_factory=list)
    tokens: list[float | None] = field(default_factory=list)
    metadata: list[Any] = field(default_factory=list)
    failures: dict[int, str] = field(default_factory=dict)


def _read(logs: Logs) -> Content:
    results = list(_results(logs))
    files = logs.named(SAMPLES)
    known: dict[str, Measure] = {}
    if not files:
        runs = [_aggregate(path, model, entry, known) for path, model, entry in results]
        return Content(runs, known, "")
    entries = {own: entry for _, _, entry in reversed(results) for own in _names(entry)}
    runs = []
    decided: list[tuple[str, str]] = []
    for path in files:
        for (model, dataset, of, result), own in _samples(path).items():
            found = [entries[key] for key in _keys(of, dataset, result) if key in entries]
            entry = found[0] if found else {}
            runs.append(_run(path, (model, dataset), own, entry, known, decided))
    return Content(runs, known, decided=list(dict.fromkeys(decided)))


def _results(logs: Logs) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Yield file, model and entry of each aggregate result."""
    for path, content in logs.documents():
        if not _is_aggregate(content):
            continue
        model = look_up(path, content, "model_info", "id")
        for entry in look_up(path, content, "evaluation_results", kind=list):
            look_up(path, entry, "evaluation_name")
            yield path, model, {**entry, EVALUATION: content.get(EVALUATION)}


def _keys(evaluation: str, dataset: str, result: str) -> tuple[tuple[str, ...], ...]:
    """Return what may identify a result, the surest first."""
    return (evaluation, result), (evaluation, dataset), (dataset,)


def _names(entry: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """Return the same of an entry, whose evaluation is in it."""
    dataset, result = entry["evaluation_name"], label(entry.get("evaluation_result_id")) or ""
    return _keys(str(entry[EVALUATION]), str(dataset), result)


def _measure(path: Path, entry: Mapping[str, Any], known: dict[str, Measure]) -> str:
    """Return the metric's name, whose direction and bounds become known."""
    config = mapping(entry.get("metric_config"))
    name = label(config.get("metric_name")) or label(config.get("metric_id")) or MAIN
    is_smaller = config.get("lower_is_better")
    if not isinstance(is_smaller, bool):
        return name
    bounds = (number(config.get("min_score")), number(config.get("max_score")))
    measure = documented(name, "smaller" if is_smaller else "larger")[name]
    if config.get("score_type") == "binary":
        measure = replace(measure, unit_symbol="share", bounds=(0.0, 1.0))
    elif None not in bounds:
        measure = replace(measure, bounds=bounds, unit_symbol="")
    agree(path, known, {name: measure})
    if known.get(name, measure) != measure:
        measure = Measure(name, measure.better)
    known[name] = measure
    return name


def _aggregate(path: Path, model: str, entry: Mapping[str, Any], known: dict[str, Measure]) -> Run:
    """Return an evaluation of which there is one number only."""
    value = number(mapping(entry.get("score_details")).get("score"))
    if value is None:
        look_up(path, entry, "score_details", "score", kind=float)
    return Run(
        path, str(entry["evaluation_name"]), model, ["all"], {_measure(path, entry, known): [value]}
    )


def _samples(path: Path) -> dict[tuple[str, str, str, str], _Samples]:
    """Read the lines of a file, by model, data set, evaluation and result."""
    found: dict[tuple[str, str, str, str], _Samples] = {}
    for line, record in read_lines(path):
        try:
            key = (record["model_id"], record["evaluation_name"], record["sample_id"])
            evaluation = record["evaluation"]
            value = evaluation.get("score")
        except (KeyError, AttributeError):
            raise _line_error(path, line, record) from None
        if not (type(key[0]) is type(key[1]) is type(key[2]) is str):
            raise _line_error(path, line, record)
        result = record.get("evaluation_result_id")
        of = str(record.get(EVALUATION))
        group = (key[0], key[1], of, result if type(result) is str else "")
        own = found.get(group)
        if own is None:
            own = found.setdefault(group, _Samples())
        value = number(evaluation.get("is_correct") if value is None else value)
        error = record.get("error")
        if error:
            own.failures[len(own.keys)] = " ".join(str(error).split())[:500]
        elif value is None:
            raise _line_error(path, line, record)
        own.keys.append(key[2])
        own.hashes.append(record.get("sample_hash"))
        own.values.append(nan if error else value)
        own.metadata.append(record.get("metadata"))
        latency = number(mapping(record.get("performance")).get("latency_ms"))
        own.times.append(None if latency is None or error else latency / 1000)
        tokens = number(mapping(record.get("token_usage")).get("total_tokens"))
        own.tokens.append(None if error else tokens)
    return found


def _line_error(path: Path, line: int, record: Mapping[str, Any]) -> ExchangeError:
    keys = ("model_id", "evaluation_name", "sample_id", "evaluation")
    missing = [key for key in keys if not isinstance(record.get(key), str | dict)]
    found = f"no {', '.join(missing)}" if missing else "no evaluation.score of a number"
    return ExchangeError(
        f"{path}: line {line}: found {found}; allowed text in {', '.join(keys[:3])}, and a "
        "number in evaluation.score"
    )


def _run(
    path: Path,
    of: tuple[str, str],
    own: _Samples,
    entry: Mapping[str, Any],
    known: dict[str, Measure],
    decided: list[tuple[str, str]],
) -> Run:
    """Return the samples of a model and an evaluation."""
    model, dataset = of
    has_hashes = all(isinstance(text, str) and text for text in own.hashes)
    keys = [str(text) for text in own.hashes] if has_hashes else own.keys
    column = own.values
    if mapping(entry.get("metric_config")).get("has_unknown_level") is True:
        own.failures |= {i: "unknown level" for i, x in enumerate(column) if x == UNKNOWN}
        column = [nan if x == UNKNOWN else x for x in column]
    values = {_measure(path, entry, known): column}
    for measure, costs in ((TIME, own.times), (TOKENS, own.tokens)):
        if any(x is not None for x in costs):
            values[measure.name] = costs
    clusters = find_clusters(own.metadata)
    if clusters:
        decided.append(("clusters", f"metadata {clusters[0]}"))
    return Run(
        path,
        dataset,
        model,
        distinct_items(path, keys, own.keys),
        values,
        clusters=clusters[1] if clusters else None,
        failures=own.failures,
    )


def _is_aggregate(content: Any) -> bool:
    return isinstance(content, dict) and content.keys() >= {"evaluation_results", "model_info"}


LOGS = (
    LogFormat(
        "every-eval-ever",
        "<uuid>.json with evaluation_results, <uuid>_samples.jsonl",
        "Every Eval Ever",
        lambda logs: bool(logs.named(SAMPLES)) or logs.has(_is_aggregate),
        _read,
    ),
)
