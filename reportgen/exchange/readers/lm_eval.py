"""The samples of lm-evaluation-harness: a file a task and run, an item (and filter) a line.

Items are aligned by the hash of their document, never by position. Directions are in the
results_….json of the run, beside the samples.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from reportgen.data_classes import dataclass
from reportgen.errors import ExchangeError
from reportgen.exchange.readers.logs import (
    Content,
    LogFormat,
    Logs,
    Run,
    agree,
    distinct_items,
    documented,
    label,
    look_up,
    mapping,
    number,
    read_json,
    read_lines,
)
from reportgen.exchange.readers.timings import distinct
from reportgen.performance_measure import Better, Measure
from reportgen.study.errors import shown

SAMPLES = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
NO_FILTER = "none"
FIXED = frozenset(
    "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash "
    "target_hash".split()
)
"""Keys of a line that hold no metric, for versions that do not list the metrics."""


@dataclass(slots=True)
class _Samples:
    """The lines of one filter."""

    items: list[str] = field(default_factory=list)
    documents: list[int] = field(default_factory=list)
    values: dict[str, list[float | None]] = field(default_factory=dict)


def _read(logs: Logs) -> Content:
    runs: list[Run] = []
    known: dict[str, Measure] = {}
    texts = set[str]()
    for path in sorted(logs.named(SAMPLES.pattern), key=_date):
        match = SAMPLES.fullmatch(path.name)
        task = match["task"] if match else path.stem
        about = _results(path)
        sides = mapping(mapping(about.get("higher_is_better")).get(task))
        found = _samples(path, texts)
        for name, own in sorted(found.items()):
            values = {
                (measure if len(found) == 1 or name == NO_FILTER else f"{measure} {name}"): column
                for measure, column in own.values.items()
            }
            items = distinct_items(path, own.items, own.documents)
            known |= _known(path, sides, own.values, values, known)
            is_main = name == _first_filter(about, task, found)
            first = _first_measure(about, task, own.values) if is_main else ""
            main = dict(zip(own.values, values, strict=True)).get(first, "")
            run = Run(path, task, _model(path, about), items, values, variant=_variant(about))
            runs.append(replace(run, main=main))
    decided = [("left-out-measures", name) for name in sorted(texts)]
    return Content(runs, known, decided=decided)


def _first_measure(about: Mapping[str, Any], task: str, values: Mapping[str, Any]) -> str:
    """Return the first metric that a task lists and has values of, by which it is ranked."""
    names = (*_configured(about, task, "metric_list", "metric"), *values)
    return next((name for name in names if name in values), "")


def _first_filter(about: Mapping[str, Any], task: str, found: Mapping[str, Any]) -> str:
    """Return the first filter of answers that a task lists, else the first that it has."""
    names = (NO_FILTER, *_configured(about, task, "filter_list", "name"), *found)
    return next((name for name in names if name in found), "")


def _configured(about: Mapping[str, Any], task: str, key: str, name: str) -> list[str]:
    """Return the names in a list of a task's configuration."""
    listed = mapping(mapping(about.get("configs")).get(task)).get(key)
    names = [label(mapping(own).get(name)) for own in listed] if isinstance(listed, list) else []
    return [own for own in names if own is not None]


def _date(path: Path) -> tuple[str, str]:
    match = SAMPLES.fullmatch(path.name)
    return (match["date"] if match else "", str(path))


def _results(samples: Path) -> Mapping[str, Any]:
    """Return the results of the run that a file of samples is of; nothing where they are gone."""
    match = SAMPLES.fullmatch(samples.name)
    path = samples.with_name(f"results_{match['date']}.json") if match else samples
    return mapping(read_json(path)) if match and path.is_file() else {}


def _samples(path: Path, texts: set[str]) -> dict[str, _Samples]:
    """Read the lines, by filter; names of metrics that are no numbers go to `texts`."""
    found: dict[str, _Samples] = {}
    for line, record in read_lines(path):
        kind = record.get("filter", NO_FILTER)
        own = found.get(kind) if type(kind) is str else None
        if own is None:
            own = found.setdefault(look_up(path, {"filter": kind}, "filter"), _Samples())
        try:
            key = record["doc_hash"]
        except KeyError:
            key = record.get("doc_id")
        document = record.get("doc_id")
        if type(key) is not str or type(document) is not int:
            key, document = _identity(path, line, record)
        own.items.append(key)
        own.documents.append(document)
        names = record.get("metrics")
        if type(names) is not list:
            names = [key for key in record if key not in FIXED]
        for name in names:
            value = record.get(name) if type(name) is str else None
            if type(value) is not float:
                value = number(value)
                if value is None:
                    texts.add(str(name))
                    continue
            column = own.values.get(name)
            if column is None:
                column = own.values.setdefault(name, [])
            if len(column) < len(own.items) - 1:
                column += [None] * (len(own.items) - 1 - len(column))
            if len(column) < len(own.items):  # a metric that is listed twice counts once
                column.append(value)
    for own in found.values():
        for column in own.values.values():
            column.extend([None] * (len(own.items) - len(column)))
    return found


def _identity(path: Path, line: int, record: Mapping[str, Any]) -> tuple[str, int]:
    """Return the hash of the document and its number; the number alone in old versions."""
    document = record.get("doc_id")
    if isinstance(document, bool) or not isinstance(document, int):
        raise ExchangeError(
            f"{path}: line {line}: doc_id: found {shown(document)}; allowed a number"
        )
    key = record.get("doc_hash")
    if key is None and "doc" in record:
        key = json.dumps(record["doc"], sort_keys=True, ensure_ascii=False)
    if not isinstance(key, str) or not key:
        raise ExchangeError(f"{path}: line {line}: doc_hash: found {shown(key)}; allowed text")
    return key, document


def _known(
    path: Path,
    sides: Mapping[str, Any],
    measures: Mapping[str, Any],
    names: Mapping[str, Any],
    known: Mapping[str, Measure],
) -> dict[str, Measure]:
    """Return the metrics whose direction the results document; two tasks must agree on it."""
    found: dict[str, Measure] = {}
    for measure, name in zip(measures, names, strict=True):
        is_larger = sides.get(measure)
        side: Better | None = "larger" if is_larger is True else None
        if is_larger is False:
            side = "smaller"
        found |= documented(measure, side)
        if measure in found and name != measure:
            found[name] = replace(found.pop(measure), name=name)
    agree(path, known, found)
    return found


def _model(path: Path, about: Mapping[str, Any]) -> str:
    """Return the model's name; that of the folder where the results are gone."""
    name = about.get("model_name") or mapping(about.get("config")).get("model")
    return name if isinstance(name, str) and name.strip() else path.resolve().parent.name


def _variant(about: Mapping[str, Any]) -> str:
    """Describe how the model was set up, but for what only draws another run."""
    config = mapping(about.get("config"))
    kept = {key: config.get(key) for key in ("model_args", "gen_kwargs")}
    kept |= {key: about.get(key) for key in ("system_instruction_sha", "chat_template_sha")}
    kept = {key: value for key, value in kept.items() if value not in (None, "", {})}
    return ", ".join(
        value if isinstance(value, str) else json.dumps(value, sort_keys=True)
        for value in kept.values()
    )


def _read_means(logs: Logs) -> Content:
    """Read the results of runs of which no samples are kept: a mean a task and measure."""
    runs: list[Run] = []
    known: dict[str, Measure] = {}
    spread = dict[str, None]()
    for path, content in logs.documents():
        if not _is_means(content):
            continue
        groups = mapping(content.get("groups"))
        results = mapping(content["results"])
        tasks = {task: own for task, own in results.items() if task not in groups} or results
        for task, own in tasks.items():
            found = _means(mapping(own))
            filters = {kind for _, kind in found}
            values: dict[str, list[float | None]] = {
                (name if len(filters) == 1 or kind == NO_FILTER else f"{name} {kind}"): [value]
                for (name, kind), value in found.items()
            }
            sides = mapping(mapping(content.get("higher_is_better")).get(task))
            for (measure, _), name in zip(found, values, strict=True):
                known |= _known(path, sides, {measure: None}, {name: None}, known)
            spread |= dict.fromkeys(n for n, kind in found if f"{n}_stderr,{kind}" in own)
            main = next(iter(values), "")
            run = Run(path, task, _model(path, content), ["1"], values, variant=_variant(content))
            runs.append(replace(run, main=main))
    decided = [("means-alone", ", ".join(spread))] if spread else []
    return Content(distinct(runs), known, "", decided)


def _means(own: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Return the values of a task by measure and filter, such as `acc,none`."""
    found: dict[tuple[str, str], float] = {}
    for key, cell in own.items():
        name, _, kind = key.partition(",")
        value = number(cell)
        if kind and not name.endswith("_stderr") and value is not None:
            found[name, kind] = value
    return found


def _is_means(content: Any) -> bool:
    results = mapping(mapping(content).get("results"))
    return any(_means(mapping(own)) for own in results.values())


LOGS = (
    LogFormat(
        "lm-eval",
        "samples_<task>_<date>.jsonl beside results_<date>.json",
        "lm-evaluation-harness",
        lambda logs: bool(logs.named(SAMPLES.pattern)),
        _read,
    ),
    LogFormat(
        "lm-eval-means",
        "results_<date>.json with results.<task>.acc,none and the like, without samples",
        "lm-evaluation-harness",
        lambda logs: not logs.named(SAMPLES.pattern) and logs.has(_is_means),
        _read_means,
    ),
)
